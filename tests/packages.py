"""The packages, as somebody meets them who has neither compiler nor checkout.

packages.py pages PROGRAM FOLDER      the manual page and the completions in FOLDER know all verbs and options of PROGRAM
packages.py packages FOLDER EXAMPLES  the packages in FOLDER, extracted into empty prefixes, run EXAMPLES with an empty environment
"""

import filecmp
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile


def output(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}(status {done.returncode})"
    return done.stdout


def check_pages(program, folder):
    """As `--help` has them, read here on its own."""
    page = folder / "escapement.1"
    text = page.read_text().replace("\\-", "-")
    bash = (folder / "completion.bash").read_text()
    main = output(program, "--help")
    verbs = re.findall(r"^  ([a-z]+) ", main[main.index("Subcommands:"):main.index("Examples:")], re.M)
    assert len(verbs) > 10 and {"run", "completion"} <= set(verbs), verbs
    count = 0
    for verb in verbs:
        part = re.search(rf'^\.SS "escapement {verb}\b(.*?)(?=^\.S)', text, re.M | re.S)
        assert part, f"no verb {verb} in the page"
        assert re.search(rf"\b{verb}\b", bash), f"no verb {verb} in the completion"
        listed = re.findall(r"^\.TP\n\\fB(--[a-z-]+)", part[1], re.M)
        options = re.findall(r"^  (?:-\w,)?(--[a-z-]+)", output(program, verb, "--help"), re.M)
        assert sorted(listed + ["--help"]) == sorted(options), f"{verb}: {listed}, but {options}"
        completed = re.search(rf"^ +{verb}\) words='(.*)'", bash, re.M)[1].split()
        assert set(completed) == set(options), f"{verb}: {completed}, but {options}"
        count += len(options)
    for component in ("translational.spring", "joint.revolute"):
        assert component in bash
    complete = f"""source {folder}/completion.bash
        try() {{ COMP_WORDS=(escapement "$@") COMP_CWORD=$#; _escapement; echo "${{COMPREPLY[*]}}"; }}
        try mod; try run --rep; try components translational.spr; cd {folder}; try run escapement"""
    assert output("bash", "-c", complete).split() == ["modes", "--report", "translational.spring", "escapement.1"]
    if shutil.which("man"):
        assert not subprocess.run(["man", "--warnings", "-l", "-Tutf8", str(page)], capture_output=True).stderr
    print(f"{len(verbs)} verbs, {count} options")


def check_program(prefix, examples):
    """Runs it as it is in the prefix, and with nothing else; gives what it has computed."""
    program = prefix / "bin" / "escapement"
    libraries = re.findall(r"=> (\S+)", output("ldd", program))
    assert libraries and all(re.match(r"/(usr/)?lib", l) for l in libraries), libraries
    assert "RUNPATH" not in output("readelf", "-d", program) if shutil.which("readelf") else True
    results = {}
    for example in examples:
        model = prefix / "share" / "escapement" / "examples" / example / "model.yaml"
        work = prefix.parent / "work"
        work.mkdir(exist_ok=True)
        output("env", "-i", program, "run", model, "--quiet", "--out", f"{prefix.name}-{example}", cwd=work)
        results[example] = work / f"{prefix.name}-{example}" / "results.csv"
        said = subprocess.run(["env", "-i", str(program), "report", f"{prefix.name}-{example}"], cwd=work, capture_output=True, text=True)
        assert said.returncode == 0 or "E-VIEWER" in said.stderr + said.stdout, said.stderr
    for place in ("man/man1/escapement.1", "bash-completion/completions/escapement", "doc/escapement/docs/language.md"):
        assert list((prefix / "share").glob(place + "*")), place
    return results


def check_packages(folder, examples):
    program, = folder.glob("escapement_*.deb")
    library, = folder.glob("libescapement-dev_*.deb")
    archive, = folder.glob("escapement-*.tar.gz")
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        output("dpkg-deb", "-x", program, place / "deb")
        with tarfile.open(archive) as tar:
            tar.extractall(place / "archive")
        inner, = (place / "archive").iterdir()
        shutil.move(inner, place / "anywhere")
        (place / "deb" / "usr").rename(place / "usr")
        first, second = check_program(place / "usr", examples), check_program(place / "anywhere", examples)
        for example in examples:
            assert filecmp.cmp(first[example], second[example], shallow=False), example
        assert (place / "usr/share/doc/escapement/copyright").exists()
    depends = output("dpkg-deb", "-f", program, "Depends")
    for needed in ("libc6", "libklu", "libfmt", "libyaml", "libhdf5"):
        assert needed in depends, depends
    assert "g++" not in depends and "gcc " not in depends, depends
    if shutil.which("lintian"):
        said = subprocess.run(["lintian", "--no-cfg", "--fail-on", "error", str(program), str(library)], capture_output=True, text=True)
        assert said.returncode == 0, said.stdout + said.stderr
    print(", ".join(p.name for p in (program, library, archive)))


if sys.argv[1] == "pages":
    check_pages(pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve())
else:
    check_packages(pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])
