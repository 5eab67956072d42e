#!/usr/bin/env python3
"""Switches mended mechanisms off, one at a time, and looks whether random models notice (README.md, Mutations).

Each *.patch beside this file is a mutation of the sources. The first lines tell the mechanism, what is switched off, and which domains and
relations must complain. The program is built in build/mutations/ of the checkout, from a copy of its sources, which stay as they are."""

import argparse
import importlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SCRATCH = ROOT / "build" / "mutations"
PARTS = ("CMakeLists.txt", "LICENSE", "THIRD_PARTY.md", "app", "cmake", "include", "packaging", "src")  # what the program is built from


class Mutation:
    def __init__(self, file):
        self.name, text = file.stem, file.read_text()
        head = re.sub(r"\n#      +", " ", text.split("\n--- ", 1)[0])
        self.mechanism, self.off = (re.search(rf"^# {key}: (.*)$", head, re.MULTILINE)[1] for key in ("mechanism", "off"))
        self.caught_by = re.findall(r"^# caught by: --domain (\S+) --relation (\S+)$", head, re.MULTILINE)
        _, *parts = re.split(r"^--- a/.*\n\+\+\+ b/(\S+)\n", text, flags=re.MULTILINE)
        self.files = [(name, list(hunks(body))) for name, body in zip(parts[::2], parts[1::2])]

    def applied(self, root):
        """{file: its text with the mutation}. A place is found by its lines, wherever they are; there must be one."""
        texts = {}
        for name, places in self.files:
            text = texts.get(name) or (root / name).read_text()
            for old, new in places:
                if text.count(old) != 1:
                    raise LookupError(f"{self.name}: {name} has {text.count(old)} places with\n{old}")
                text = text.replace(old, new)
            texts[name] = text
        return texts


def hunks(body):
    """(lines before, lines after) of each place in a file."""
    for hunk in re.split(r"^@@.*@@.*\n", body, flags=re.MULTILINE)[1:]:
        lines = [line for line in hunk.splitlines(keepends=True) if line[:1] in " +-"]
        yield ["".join(line[1:] for line in lines if line[0] in kind) for kind in (" -", " +")]


def check(mutations):
    """Every mutation applies to the sources, and what is to catch it exists."""
    sys.path[:0] = [str(HERE.parent), str(HERE.parent / "domains")]
    look, faults = importlib.import_module("look"), []
    for m in mutations:
        try:
            if not m.files or not m.caught_by:
                faults.append(f"{m.name}: changes nothing, or says nothing of what catches it")
            m.applied(ROOT)
        except (LookupError, OSError) as fault:
            faults.append(str(fault))
        for domain, relation in m.caught_by:
            if domain not in look.domains():
                faults.append(f"{m.name}: there is no domain {domain}")
            elif relation not in look.relations_of(look.domains()[domain]):
                faults.append(f"{m.name}: {domain} has no relation {relation}")
    print("\n".join(faults) or f"{len(mutations)} mutations apply")
    return 1 if faults else 0


def put(file, text):
    """Writes only what differs, so that no more than that is compiled."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_bytes() != text:
        file.write_bytes(text)


def copy_sources(target):
    wanted = [p.relative_to(ROOT) for part in PARTS for p in ([ROOT / part] if (ROOT / part).is_file() else (ROOT / part).rglob("*")) if p.is_file()]
    for file in wanted:
        put(target / file, (ROOT / file).read_bytes())
    for part in PARTS:
        for file in (target / part).rglob("*"):
            if file.is_file() and file.relative_to(target) not in set(wanted):
                file.unlink()


def command(*words, log):
    with open(log, "a") as output:
        if subprocess.run(words, stdout=output, stderr=subprocess.STDOUT).returncode:
            sys.exit(f"{' '.join(map(str, words[:3]))} failed: {log}")


def build(source):
    """The program. Configured as ./escapement does, but without tests."""
    folder, log = SCRATCH / "build", SCRATCH / "build.log"
    if not (folder / "CMakeCache.txt").exists():
        ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
        command("cmake", "-S", source, "-B", folder, *ninja, "-DCMAKE_BUILD_TYPE=Release", "-DESCAPEMENT_NATIVE=ON", log=log)
    command("cmake", "--build", folder, "--target", "escapement_app", "--parallel", str(os.cpu_count()), log=log)
    return folder / "bin" / "escapement"


def look_for(program, domain, relation, options):
    """(seeds examined, seeds that complained), for as long as the time allows."""
    process = subprocess.Popen([sys.executable, "-u", HERE.parent / "look.py", program, "--domain", domain, "--relation", relation, "--seed", str(options.seed), "--seeds",
                                str(options.seeds), "--as-found", "--keep", SCRATCH / "found" / f"{domain}-{relation}"], stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=options.seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        output, _ = process.communicate()
    examined = re.search(r"^(\d+) relations examined", output, re.MULTILINE)
    return int(examined[1]) if examined else options.seeds, sorted({int(s) for s in re.findall(r"^# .*\(seed (\d+)\)$", output, re.MULTILINE)})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these, such as A-waves (all)")
    parser.add_argument("--check", action="store_true", help="only look whether they still apply; nothing is built")
    parser.add_argument("--seed", type=int, default=1, help="first seed")
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds for each relation")
    parser.add_argument("--seconds", type=float, default=300, help="at most so long for each relation")
    options = parser.parse_args()
    mutations = [Mutation(f) for f in sorted(HERE.glob("*.patch")) if not options.names or f.stem in options.names]
    if missing := set(options.names) - {m.name for m in mutations}:
        parser.error(f"there is no mutation {', '.join(sorted(missing))}")
    if options.check:
        sys.exit(check(mutations))
    source, table, missed = SCRATCH / "source", [], []
    copy_sources(source)
    for m in [None, *mutations]:  # first the program as it is: it must find nothing
        begin, changed = time.monotonic(), m.applied(source) if m else {}
        kept = {name: (source / name).read_bytes() for name in changed}
        for name, text in changed.items():
            put(source / name, text.encode())
        try:
            program = build(source)
            pairs = m.caught_by if m else sorted({pair for other in mutations for pair in other.caught_by})
            found = {pair: look_for(program, *pair, options) for pair in pairs}
        finally:
            for name, text in kept.items():
                put(source / name, text)
        for (domain, relation), (examined, failed) in found.items():
            table.append(f"{m.name if m else 'none':16} {m.mechanism if m else '':3} {domain + '.' + relation:30} "
                         f"{f'seed {failed[0]}' if failed else 'never':10} {len(failed)} of {examined}")
            print(table[-1], flush=True)
            if bool(failed) != bool(m):
                missed.append(f"{m.name} is not caught by {domain}.{relation}" if m else f"{domain}.{relation} complains of the program as it is")
        print(f"{'':16} {time.monotonic() - begin:.0f} s", file=sys.stderr)
    print("\n".join(missed) or "all are caught")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
