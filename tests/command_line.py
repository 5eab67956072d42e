"""The program as a user meets it: verbs, options, files that must not be lost, interrupted runs. command_line.py PROGRAM"""

import base64
import csv
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
INCLUDE = pathlib.Path(__file__).resolve().parent.parent / "include"
MODEL = """escapement: 1
title: An oscillator
components:
  mass: {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}
  spring: {type: translational.spring, stiffness: 4 N/m, between: [ground, mass]}
simulate: {until: 1 s, step: 0.01 s}
plots: [{title: Position, y: mass.position}]
"""
SWING = """escapement: 1
gravity: [0, 0, -9.81 m/s^2]
components:
  arm: {type: body.box, size: [1 m, 0.1 m, 0.05 m], mass: 3 kg, initial: {position: [0.5 m, 0, 0]}}
  hinge: {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
simulate: {until: 1 s, step: 0.01 s}
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
    says(run("linearize", status=2), "does not have this verb yet")
    says(run("components", "translational.sprng", status=2), "did you mean translational.spring?")
    says(run("components", "observer"), "control.observer")
    says(run("components", "pid", status=2), "one of control.pid, sampled.pid")
    says(run("components", "simulate"), "newton_tolerance")
    for shell in ("bash", "zsh", "fish"):
        script = run("completion", shell).stdout
        assert "components" in script
        if shell == "bash":
            subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    json.loads(run("components", "--schema").stdout)


def test_modes(folder):
    model = folder / "swing" / "model.yaml"
    model.parent.mkdir()
    model.write_text(MODEL)
    says(run("modes", "swing/model.yaml", cwd=folder), "0.3183099", "mass.position", "swing-modes")
    rows = list(csv.DictReader((folder / "swing-modes" / "modes.csv").open()))
    assert len(rows) == 1 and abs(float(rows[0]["imaginary"]) - 2) < 1e-9
    assert len(list(csv.reader((folder / "swing-modes" / "results.csv").open()))) == 49
    run("modes", "swing/model.yaml", "--sweep", "spring.stiffness", "1 N/m", "9 N/m", "3", "--out", "sweep", cwd=folder)
    lines = list(csv.DictReader((folder / "sweep" / "campbell.csv").open()))
    assert [round(2 * 3.141592653589793 * float(r["mode_1.frequency"]), 6) for r in lines] == [1, 2.236068, 3]
    assert (folder / "sweep" / "plot-1.svg").exists()
    says(run("modes", "swing/model.yaml", "--at", "equilibrum", cwd=folder, status=2), "E-USAGE", "did you mean equilibrium?")
    says(run("modes", "swing/model.yaml", "--count", "0", cwd=folder, status=2), "E-USAGE")
    says(run("modes", "swing/model.yaml", "--below", "3 rad/s", cwd=folder, status=2), "E-USAGE", "Hz")
    says(run("buckling", "swing/model.yaml", cwd=folder, status=3), "E-MODES", "no load")


def test_schemes(folder):
    """--set asks for a scheme: what the file says of another one gives way, in every example that says so."""
    own = ("rho:", "adaptive:", "constraints:", "scheme:", "scheme_states:")
    for model in sorted((INCLUDE.parent / "examples").glob("*/model.yaml")):
        if not any(key in model.read_text(encoding="utf-8") for key in own):
            continue
        for scheme in ("variational", "spook"):
            run("check", str(model), "--trust", "--set", f"simulate.scheme={scheme}")
    ball = run("check", str(INCLUDE.parent / "examples/bouncing_ball/model.yaml"), "--set", "simulate.scheme=spook")
    says(ball, "the file's `adaptive`, `tolerance` and `h_max` are ignored", "steps are constant, 20 ms")


TRUSS = '''escapement: 1
gravity: none
components:
  feet: {type: body.anchor, frames: {a: {position: [-1 m, 0, 0]}, b: {position: [1 m, 0, 0]}}}
  apex: {type: body.sphere, radius: 2 cm, mass: 1 kg, initial: {position: [0, 0, 0.3 m]}}
  rail: {type: joint.prismatic, between: [ground, apex], at: [0, 0, 0.3 m], axis: [0, 0, 1]}
  left: {type: force.spring, between: [feet.a, apex], stiffness: 1000 N/m}
  right: {type: force.spring, between: [feet.b, apex], stiffness: 1000 N/m}
  load: {type: force.point, at: apex, force: [0, 0, -5 N]}
simulate: {until: 1 s, step: 1 ms}
'''


def test_paths(folder):
    (folder / "truss").mkdir()
    (folder / "truss" / "model.yaml").write_text(TRUSS)
    says(run("buckling", "truss/model.yaml", cwd=folder), "limit point", "1.9899834")
    says(run("equilibrium", "truss/model.yaml", "--path", "load=0..3", cwd=folder), "limit point at load = 1.98998339", "-1.98998339", "truss-path")
    rows = list(csv.DictReader((folder / "truss-path" / "results.csv").open()))
    assert float(rows[-1]["path.load"]) == 3 and float(rows[-1]["apex.position.z"]) < -0.3
    summary = json.loads((folder / "truss-path" / "summary.json").read_text())
    assert len(summary["limit_points"]) == 2 and summary["points"] == len(rows)
    run("plot", "truss-path", "apex.position.z", cwd=folder)
    assert "path.load" in (folder / "truss-path" / "apex.position.z.svg").read_text()
    run("equilibrium", "truss/model.yaml", "--path", "apex.position.z=0.3 m..-0.4 m", "--points", "7", "--out", "z", cwd=folder)
    rows = list(csv.DictReader((folder / "z" / "results.csv").open()))
    assert [round(float(r["path.apex.position.z"]), 9) for r in rows] == [0.3, 0.2, 0.1, 0, -0.1, -0.2, -0.3, -0.4]
    run("equilibrium", "truss/model.yaml", "--path", "left.stiffness=1000 N/m..500 N/m", "--out", "k", cwd=folder)
    for path, *words in (("load", "KEY=FROM..TO"), ("load=0", "KEY=FROM..TO"), ("load=1..1", "no length"), ("load=0 N..1 N", "needs values in 1"),
                         ("load=0 m..1 s", "different units"), ("lod=0..1", "no such parameter"), ("apex.position.z=0 N..1 N", "in m")):
        says(run("equilibrium", "truss/model.yaml", "--path", path, cwd=folder, status=2), "E-USAGE", *words)
    says(run("equilibrium", "truss/model.yaml", "--path", "apex.position.x=0..1 m", "--out", "x", cwd=folder, status=3), "E-EQUILIBRIUM", "load = 0 only")


PART = """escapement: 1
components:
  wave: {type: control.sine, amplitude: 3, frequency: 5 Hz}
  count: {type: control.variable, value: 0}
  passed: {type: event.crossing, inputs: {u: wave, n: count}, expression: u - 2, direction: rising, set: {count: n + 1}}
  cart: {type: translational.mass, mass: 2 kg, initial: {position: 1 m, velocity: 1 m/s}}
  polar: {type: control.expression, inputs: {p: [cart.position, cart.velocity]}, expression: "p.1^2 + p.2^2"}
"""


def test_flattened_subsystems(folder):
    """What a subsystem names under `set:` and in lists of inputs keeps its path in the flattened model."""
    (folder / "parts").mkdir()
    (folder / "parts" / "part.yaml").write_text(PART)
    (folder / "parts" / "model.yaml").write_text(
        "escapement: 1\ncomponents: {sub: {use: part.yaml}}\nsimulate: {until: 1 s, step: 10 ms}\nrecord: all\n")
    run("run", "parts/model.yaml", "--out", "parts-1", "--quiet", cwd=folder)
    run("run", "parts-1/model.yaml", "--out", "parts-2", "--quiet", cwd=folder)
    first, second = ((folder / n / "results.csv").read_bytes() for n in ("parts-1", "parts-2"))
    assert first == second
    rows = list(csv.DictReader((folder / "parts-1" / "results.csv").open()))
    assert float(rows[-1]["sub.count.output"]) == 5


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


def test_reports(folder):
    (folder / "model.yaml").write_text(MODEL)
    run("run", "model.yaml", "--out", "r", "--quiet", cwd=folder)
    run("run", "model.yaml", "--out", "s", "--quiet", "--set", "simulate.step=0.02 s", cwd=folder)
    summary = json.loads((folder / "r" / "summary.json").read_text())
    assert abs(summary["energy"]["error"]) < 1e-3 * summary["energy"]["largest"], summary["energy"]
    scene = json.loads((folder / "r" / "scene.json").read_text())
    assert [c["name"] for c in scene["components"]] == ["mass", "spring"]
    assert (folder / "r" / "motion.bin").stat().st_size == 16 + 101 * 8
    assert len(json.loads((folder / "r" / "history.json").read_text())["time"]) == 100
    compared = run("compare", "r", "s", cwd=folder)
    says(compared, "mass.position", "relative")
    lines = [json.loads(line) for line in run("compare", "r", "s", "--json", cwd=folder).stdout.splitlines()]
    position = next(line for line in lines if line.get("channel") == "mass.position")
    assert 0 < position["rms"] < position["largest"] < 1e-2
    says(run("report", "nowhere", cwd=folder, status=5), "E-")
    says(run("export", "r", cwd=folder, status=2), "--vtk")
    says(run("export", "r", "--vtk", cwd=folder, status=5), "place in space")
    viewer = "E-VIEWER" not in subprocess.run([PROGRAM, "report", "r"], cwd=folder, capture_output=True, text=True).stderr
    if not viewer:
        says(run("run", "model.yaml", "--out", "t", "--report", cwd=folder, status=5), "scripts/viewer.sh")
        assert not (folder / "t").exists()
        return
    says(run("run", "model.yaml", "--out", "t", "--report", cwd=folder), "report.html")
    page = (folder / "t" / "report.html").read_text()
    assert page.count('id="report"') == 1 and "<!--ESCAPEMENT" not in page and "<title>An oscillator</title>" in page
    assert (folder / "s" / "compare.html").exists()
    says(run("report", "r", "--out", "model.yaml", cwd=folder, status=5), "E-FILE")
    assert (folder / "model.yaml").read_text() == MODEL
    run("run", "model.yaml", "--out", "t", "--force", "--quiet", cwd=folder)
    assert not (folder / "t" / "report.html").exists()


def test_vtk(folder):
    (folder / "model.yaml").write_text(SWING)
    run("run", "model.yaml", "--out", "r", "--quiet", cwd=folder)
    says(run("export", "r", "--vtk", cwd=folder), "motion.pvd", "101 frames")
    collection = xml.etree.ElementTree.parse(folder / "r" / "vtk" / "motion.pvd").getroot()
    frames = collection.findall("./Collection/DataSet")
    assert len(frames) == 101 and float(frames[-1].get("timestep")) == 1
    piece = xml.etree.ElementTree.parse(folder / "r" / "vtk" / frames[-1].get("file")).getroot().find("./PolyData/Piece")
    assert piece.get("NumberOfPolys") == "6" and piece.get("NumberOfLines") == "1"
    data = base64.b64decode(piece.find("./Points/DataArray").text)
    assert struct.unpack("<I", data[:4])[0] == len(data) - 4 == 12 * int(piece.get("NumberOfPoints"))
    points = struct.unpack(f"<{(len(data) - 4) // 4}f", data[4:])
    rows = list(csv.reader((folder / "r" / "results.csv").open()))
    last = dict(zip(rows[0], rows[-1]))
    corners = [sum(points[i : 24 : 3]) / 8 for i in range(3)]  # the box: its middle
    for middle, axis in zip(corners, "xyz"):
        assert abs(middle - float(last["arm.position." + axis])) < 1e-6


CANTILEVER = """escapement: 1
gravity: none
components:
  blade: {type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 5, rectangle: {width: 3 cm, height: 2 cm}, material: steel}
  root: {type: joint.fixed, between: [ground, blade.start], at: [0, 0, 0]}
  pull: {type: force.point, at: blade.end, force: [0, 0, 100 N]}
simulate: {until: 0.01 s, step: 0.1 ms}
record: ["blade.*"]
"""


def test_vtk_beams(folder):
    (folder / "model.yaml").write_text(CANTILEVER)
    run("run", "model.yaml", "--out", "r", "--quiet", cwd=folder)
    run("export", "r", "--vtk", cwd=folder)
    frames = sorted((folder / "r" / "vtk").glob("motion-*.vtp"))
    piece = xml.etree.ElementTree.parse(frames[-1]).getroot().find("./PolyData/Piece")
    # Five pieces of four chords each; the joint is a line too.
    verts, lines = int(piece.get("NumberOfVerts")), int(piece.get("NumberOfLines"))
    assert int(piece.get("NumberOfPoints")) >= 25 and lines >= 5
    rows = list(csv.reader((folder / "r" / "results.csv").open()))
    last = dict(zip(rows[0], rows[-1]))
    arrays = piece.findall("./CellData/DataArray")[1:]
    assert [array.get("Name") for array in arrays] == ["strain", "curvature", "force", "moment"]
    for array in arrays:
        data = base64.b64decode(array.text)
        values = struct.unpack(f"<{(len(data) - 4) // 4}f", data[4:])
        cells = [values[i : i + 3] for i in range(0, len(values), 3)][verts : verts + lines]
        beams = [c for c in cells if c[0] == c[0]]  # others bear nothing that is known: NaN
        assert len(beams) == 5
        if array.get("Name") in ("strain", "curvature"):  # at the ends as recorded, to 32 bits: the line through the last two
            for end, cell, inner in (("start", beams[0], beams[1]), ("end", beams[-1], beams[-2])):
                for axis, value, next_value in zip("xyz", cell, inner):
                    exact = float(last[f"blade.{end}.{array.get('Name')}.{axis}"])
                    assert abs(1.5 * value - 0.5 * next_value - exact) < 1e-8, (end, array.get("Name"), axis, value, exact)


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


def test_real_time(folder):
    (folder / "model.yaml").write_text(MODEL)
    for scheme in ("generalized-alpha", "variational", "spook"):
        begin = time.monotonic()
        done = run("run", "model.yaml", "--out", scheme, "--real-time", "--set", "simulate.until=0.5 s", "--set",
                   f"simulate.scheme={scheme}", cwd=folder)
        assert time.monotonic() - begin >= 0.5
        says(done, "real time:", "of 50 steps late", "woken late by")
        told = json.loads((folder / scheme / "summary.json").read_text())
        real = told["real_time"]
        assert real["steps"] == 50 and real["speed"] == 1 and told["wall_seconds"] >= 0.5
        assert 0 < real["computing"]["median"] <= real["computing"]["p99"] <= real["computing"]["p999"]
        assert real["computing"]["p999"] <= real["computing"]["largest"] and real["load"] > 0
        assert real["jitter"]["largest"] >= real["jitter"]["median"] >= 0
        bars = real["computing"]["histogram"]
        assert sum(bar["times"] for bar in bars) == 50 and bars == sorted(bars, key=lambda bar: bar["up_to"])
        assert bars[-1]["up_to"] >= real["computing"]["largest"]
        assert (real["overruns"] > 0) == (real["worst_lateness"] > 0) == any(w["code"] == "W-LATE" for w in told["warnings"])
        run("run", "model.yaml", "--out", "usual", "--force", "--quiet", "--set", "simulate.until=0.5 s", "--set",
            f"simulate.scheme={scheme}", cwd=folder)
        name = "results.csv"
        assert (folder / scheme / name).read_bytes() == (folder / "usual" / name).read_bytes()
    # A run that cannot keep up goes on, and tells.
    done = run("run", "model.yaml", "--out", "fast", "--real-time", "--speed", "1e9", "--json", cwd=folder)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[-1]["event"] == "done"
    assert any(line["event"] == "warning" and line["code"] == "W-LATE" for line in lines)
    real = json.loads((folder / "fast" / "summary.json").read_text())["real_time"]
    assert real["overruns"] == real["steps"] == 100 and real["worst_lateness"] > 0
    # Slow motion, and Ctrl-C while it waits.
    child = subprocess.Popen([PROGRAM, "run", "model.yaml", "--out", "slow", "--real-time", "--speed", "1e-3"],
                             cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (folder / "slow" / "results.csv").exists():
        time.sleep(0.01)
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 130
    child.communicate()
    adaptive = ("--set", "simulate.adaptive=true", "--set", "simulate.tolerance=1e-4")
    says(run("run", "model.yaml", "--out", "a", "--real-time", *adaptive, cwd=folder, status=2), "E-VALUE",
         "simulate.adaptive", "real time needs fixed steps")
    says(run("run", "model.yaml", "--speed", "2", cwd=folder, status=2), "E-USAGE", "--real-time")
    says(run("run", "model.yaml", "--real-time", "--speed", "-2", cwd=folder, status=2), "E-USAGE")


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


FUNCTION = """#include <escapement/function.h>
static int f(double t, const double *x, const double *u, const double *p, double *dx) {
  if (t > 0.5) dx = (double *)8;
  dx[0] = -x[0];
  return 0;
}
static int h(double t, const double *x, const double *u, const double *p, double *y) {
  y[0] = x[0];
  return 0;
}
static const double one[] = {1};
const escapement_function function = {
    .version = ESCAPEMENT_FUNCTION_VERSION, .states = 1, .outputs = 1, .f = f, .h = h, .initial_state = one};
"""
DECAY = """escapement: 1
components:
  decay: {type: control.c_function, file: decay.c}
simulate: {until: 1 s, step: 0.01 s}
"""


def test_functions(folder):
    home = {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_CACHE_HOME": str(folder / "cache")}
    at_home = {"cwd": folder, "env": os.environ | home}
    (folder / "model.yaml").write_text(DECAY)
    (folder / "decay.c").write_text(FUNCTION)
    says(run("run", "model.yaml", "--out", "r", status=6, **at_home), "E-TRUST model.yaml:3:43", "escapement trust")
    assert not (folder / "r").exists() and not (folder / "cache").exists()  # not even compiled
    # It crashes half-way: the results up to there are whole.
    says(run("run", "model.yaml", "--trust", "--out", "r", status=6, **at_home),
         "E-FUNCTION", "decay.f", "`decay.c`", "SIGSEGV", "at t = 0.51 s")
    rows = list(csv.DictReader((folder / "r" / "results.csv").open()))
    assert len(rows) == 51 and abs(float(rows[50]["decay.output"]) - 0.60653) < 1e-5, rows[-1]
    summary = json.loads((folder / "r" / "summary.json").read_text())
    assert summary["status"] == "failed" and summary["rows"] == 51, summary
    assert summary["error"]["code"] == "E-FUNCTION" and summary["error"]["component"] == "decay", summary
    run("plot", "r", "decay", **at_home)
    try:
        import h5py
        with h5py.File(folder / "r" / "results.h5") as file:
            assert [float(r["decay.output"]) for r in rows] == list(file["decay.output"][:])
    except ImportError:
        pass
    # Trust is by content, for a file or for all that a model uses.
    (folder / "decay.c").write_text(FUNCTION.replace("t > 0.5", "t > 5"))
    says(run("trust", "model.yaml", **at_home), "decay.c")
    says(run("trust", "decay.c", **at_home), "was trusted")
    says(run("trust", "--list", **at_home), "decay.c")
    run("run", "model.yaml", "--out", "s", "--quiet", **at_home)
    run("check", "model.yaml", **at_home)
    # The run folder holds what was run.
    run("run", "s/model.yaml", "--out", "again", "--quiet", **at_home)
    assert (folder / "again" / "results.csv").read_bytes() == (folder / "s" / "results.csv").read_bytes()
    (folder / "decay.c").write_text((folder / "decay.c").read_text() + "\n")
    says(run("check", "model.yaml", status=6, **at_home), "E-TRUST")
    says(run("trust", "s/decay.c", "--remove", **at_home), "no more trusted")
    assert run("trust", "--list", **at_home).stdout == ""
    says(run("trust", status=2, **at_home), "E-USAGE")
    says(run("trust", "missing.c", status=5, **at_home), "E-FILE")
    says(run("trust", "model.yaml", "--json", **at_home), '"trusted"')
    # A shared library, and a function in the model itself.
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{INCLUDE}", "decay.c", "-o", "decay.so"], cwd=folder, check=True)
    (folder / "model.yaml").write_text(DECAY.replace("decay.c", "decay.so"))
    says(run("run", "model.yaml", "--out", "so", status=6, **at_home), "E-TRUST")
    run("run", "model.yaml", "--out", "so", "--trust", "--quiet", **at_home)
    assert (folder / "so" / "results.csv").read_bytes() == (folder / "s" / "results.csv").read_bytes()
    text = "".join("      " + line + "\n" for line in (folder / "decay.c").read_text().splitlines())
    (folder / "model.yaml").write_text(
        DECAY.replace("decay: {type: control.c_function, file: decay.c}",
                      "decay:\n    type: control.c_function\n    code: |\n" + text))
    run("run", "model.yaml", "--out", "inline", "--trust", "--quiet", **at_home)
    run("run", "inline/model.yaml", "--out", "inline_again", "--trust", "--quiet", **at_home)
    for name in ("inline", "inline_again"):
        assert (folder / name / "results.csv").read_bytes() == (folder / "s" / "results.csv").read_bytes()


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
