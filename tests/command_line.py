"""The program as a user meets it: verbs, options, files that must not be lost, interrupted runs. command_line.py PROGRAM"""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
MODEL = """escapement: 1
title: An oscillator
components:
  mass: {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}
  spring: {type: translational.spring, stiffness: 4 N/m, between: [ground, mass]}
simulate: {until: 1 s, step: 0.01 s}
plots: [{title: Position, y: mass.position}]
"""
LONG = MODEL.replace("until: 1 s", "until: 1e6 s").replace("step: 0.01 s", "step: 0.01 s, output_every: 10")


def run(*arguments, status=0, **options):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, **options)
    assert done.returncode == status, f"{arguments}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def says(done, *parts):
    for part in parts:
        assert part in done.stderr + done.stdout, f"no {part!r} in:\n{done.stdout}{done.stderr}"


def test_verbs_and_options(folder):
    says(run("--version"), "escapement ")
    says(run("--help"), "run", "check", "components", "Exit status")
    says(run(), "Usage")
    says(run("rnu", status=2), "E-USAGE", "did you mean run?")
    says(run("run", "model.yaml", "--ste", "x", status=2), "E-USAGE", "did you mean --set?")
    says(run("run", status=2), "E-USAGE")
    says(run("modes", status=2), "does not have this verb yet")
    says(run("components", "translational.sprng", status=2), "did you mean translational.spring?")
    says(run("components", "pid"), "control.pid")
    says(run("components", "simulate"), "newton_tolerance")
    for shell in ("bash", "zsh", "fish"):
        script = run("completion", shell).stdout
        assert "components" in script
        if shell == "bash":
            subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    json.loads(run("components", "--schema").stdout)


def test_run_folders(folder):
    model = folder / "swing" / "model.yaml"
    model.parent.mkdir()
    model.write_text(MODEL)
    for name in ("swing-run", "swing-run-2"):
        says(run("run", "swing/model.yaml", cwd=folder), name)
        summary = json.loads((folder / name / "summary.json").read_text())
        assert summary["steps"] == 100 and summary["status"] == "done"
    first, second = ((folder / n / "results.csv").read_bytes() for n in ("swing-run", "swing-run-2"))
    assert first == second
    run("run", "swing-run/model.yaml", "--out", "again", "--quiet", cwd=folder)
    assert (folder / "again" / "results.csv").read_bytes() == first
    says(run("run", "swing/model.yaml", "--out", "again", cwd=folder, status=5), "E-FILE", "--force")
    run("run", "swing/model.yaml", "--out", "again", "--force", "--quiet", cwd=folder)
    says(run("run", "swing/model.yaml", "--force", cwd=folder, status=2), "E-USAGE")
    lines = run("run", "swing/model.yaml", "--json", "--out", "j", cwd=folder).stdout.splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["started", "done"]


def test_files_of_the_user_are_kept(folder):
    (folder / "model.yaml").write_text(MODEL)
    (folder / "results.csv").write_text("mine\n")
    says(run("run", "model.yaml", "--out", ".", "--force", cwd=folder, status=5), "E-FILE")
    assert (folder / "model.yaml").read_text() == MODEL and (folder / "results.csv").read_text() == "mine\n"
    says(run("new", ".", cwd=folder, status=5), "E-FILE")
    assert (folder / "model.yaml").read_text() == MODEL
    run("run", "model.yaml", "--out", "r", "--quiet", cwd=folder)
    for target in ("model.yaml", "r/results.csv"):
        says(run("plot", "r", "mass.position", "--out", target, cwd=folder, status=5), "E-FILE")
    assert (folder / "model.yaml").read_text() == MODEL
    (folder / "file").write_text("")
    says(run("run", "model.yaml", "--out", "file", cwd=folder, status=5), "E-FILE")
    says(run("plot", "nowhere", cwd=folder, status=5), "E-FILE")
    says(run("plot", "r", "mass.positon", cwd=folder, status=2), "did you mean mass.position?")
    # A model that cannot start leaves nothing behind.
    before = set(folder.iterdir())
    (folder / "model.yaml").write_text(MODEL.replace("4 N/m", "4 m"))
    says(run("run", "model.yaml", "--out", "bad", cwd=folder, status=2), "E-UNITS model.yaml:5:")
    assert set(folder.iterdir()) == before


def test_standard_streams(folder):
    (folder / "model.yaml").write_text(MODEL)
    full = open("/dev/full", "w")
    assert subprocess.run([PROGRAM, "components", "--markdown"], stdout=full, stderr=subprocess.DEVNULL).returncode == 5
    shell = f'"{PROGRAM}" run model.yaml --out closed --json >&- 2>&-'
    subprocess.run(["bash", "-c", shell], cwd=folder, check=True)
    rows = list(csv.reader((folder / "closed" / "results.csv").open()))
    assert len(rows) == 102 and all(len(row) == len(rows[0]) for row in rows)


def started(folder, out):
    (folder / "long.yaml").write_text(LONG)
    child = subprocess.Popen([PROGRAM, "run", "long.yaml", "--out", out, "--quiet"], cwd=folder, stderr=subprocess.DEVNULL)
    until = time.time() + 60
    while time.time() < until:  # until something has been flushed
        results = folder / out / "results.csv"
        if results.exists() and results.stat().st_size > 10_000:
            return child
        time.sleep(0.05)
    child.kill()
    raise AssertionError("the long run has written nothing")


def test_interrupted(folder):
    child = started(folder, "interrupted")
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 130
    summary = json.loads((folder / "interrupted" / "summary.json").read_text())
    assert summary["status"] == "interrupted"
    rows = list(csv.reader((folder / "interrupted" / "results.csv").open()))
    assert len(rows) == summary["rows"] + 1


def test_killed(folder):
    child = started(folder, "killed")
    time.sleep(1.5)
    child.kill()
    child.wait(60)
    text = (folder / "killed" / "results.csv").read_text()
    whole = text[: text.rfind("\n")].splitlines()
    width = whole[0].count(",")
    assert len(whole) > 100 and all(line.count(",") == width for line in whole)
    says(run("plot", "killed", "mass.position", cwd=folder), "the run has not ended, or was killed")
    try:
        import h5py
    except ImportError:
        return
    with h5py.File(folder / "killed" / "results.h5") as file:
        position, times = file["mass.position"][:], file["time"][:]
    assert len(position) == len(times) > 0 and position[0] == 1.0


def test_unwritable(folder):
    if os.geteuid() == 0:
        return  # root may write everywhere
    (folder / "model.yaml").write_text(MODEL)
    folder.chmod(0o500)
    try:
        says(run("run", "model.yaml", "--out", "r", cwd=folder, status=5), "E-FILE")
    finally:
        folder.chmod(0o700)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        with tempfile.TemporaryDirectory() as top:
            test(pathlib.Path(top))
        print(f"{name}: ok")
