"""The README's two commands, in its order, in a clean checkout: two_commands.py PROGRAM ROOT

The checkout is a copy of the tracked files; it gets the program that is built already. The first command runs there as written, and
once more from within examples/; then the second's list of tests is compared with the examples there are. (.ci/run runs both in full.)
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def output(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}(status {done.returncode})"
    return done.stdout


if not shutil.which("git") or subprocess.run(["git", "rev-parse"], cwd=root, capture_output=True).returncode:
    sys.exit(77)  # not a checkout
with tempfile.TemporaryDirectory() as folder:
    checkout = pathlib.Path(folder) / "escapement"
    for name in output("git", "ls-files", "-co", "--exclude-standard", "-z", cwd=root).split("\0"):
        if name and (root / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, checkout / name)
    examples = checkout / "examples"
    before = sorted(p.name for p in examples.iterdir())
    (checkout / "build" / "bin").mkdir(parents=True)
    (checkout / "build" / "bin" / "escapement").symlink_to(program)
    (checkout / "build" / ".built").touch()

    commands = re.findall(r"^    (\./\S.*?) +# sets up", (root / "README.md").read_text(), re.M)
    assert len(commands) == 2 and commands[1] == "./test", commands
    output("bash", "-e", "-c", commands[0], cwd=checkout)
    assert (checkout / "controlled_spring_mass-run" / "summary.json").exists()
    assert sorted(p.name for p in examples.iterdir()) == before, "results among the examples"
    output("../escapement", "run", "rectifier/model.yaml", cwd=examples)
    assert (examples / "rectifier-run" / "summary.json").exists()  # where the user is

    tests = pathlib.Path(folder) / "tests"
    output("cmake", "-S", str(checkout), "-B", str(tests), "-DESCAPEMENT_TESTS=ON", cwd=folder)
    listed = set(re.findall(r"example\.(\S+)", output("ctest", "--test-dir", str(tests), "-N", cwd=folder)))
    wanted = {p.parent.name for p in (root / "examples").glob("*/README.md")}
    assert listed == wanted, f"{listed ^ wanted}"
    print(f"{len(wanted)} examples")
