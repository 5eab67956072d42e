"""Runs that are killed, interrupted, or whose files fail: run.py PROGRAM PART

PART: kill (SIGKILL at 30 random points), stop (SIGINT, SIGTERM, messages), faults (every n-th write fails), allocations (every
n-th allocation fails), mutations (1000 damaged checkpoints), memory (1e7 steps). STRIDE: of the allocations that fail; about 250 of each model unless told.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
SANITIZED = "ASAN_OPTIONS" in os.environ or os.environ.get("SANITIZED")

LOOP = """escapement: 1
gravity: [0, 0, -9.81 m/s^2]
components:
  upper: {type: body.box, size: [40 mm, 40 mm, 0.5 m], mass: 2 kg, initial: {position: [0, 0, -0.25 m]}}
  lower: {type: body.box, size: [30 mm, 30 mm, 0.5 m], mass: 1 kg, initial: {position: [0, 0, -0.75 m]}}
  shoulder: {type: joint.revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, -1, 0], initial: {angle: 60 deg}}
  elbow: {type: joint.revolute, between: [upper, lower], at: [0, 0, -0.5 m], axis: [0, -1, 0]}
  stop: {type: rotational.end_stop, lower: -5 deg, restitution: 0.5, between: [ground, shoulder]}
  noise: {type: control.noise, standard_deviation: 0.1, sample_time: 20 ms, seed: 3}
  late: {type: control.delay, delay: 0.1 s, input: noise}
  law: {type: sampled.pid, period: 10 ms, delay: 2 ms, kp: 1 N*m/rad, ki: 2 N*m/rad/s, minimum: -3 N*m, maximum: 3 N*m, setpoint: late, measurement: elbow.angle, unit: N*m}
  motor: {type: rotational.torque, at: elbow, input: law}
  count: {type: control.variable, value: 0}
  passes: {type: event.crossing, inputs: {a: elbow.angle, n: count}, expression: a, set: {count: n + 1}}
"""
MODELS = {
    "chain": LOOP + "simulate: {until: UNTIL s, step: 1 ms}\n",
    "variational": LOOP + "simulate: {until: UNTIL s, step: 1 ms, scheme: variational}\n",
    "spook": LOOP + "simulate: {until: UNTIL s, step: 1 ms, scheme: spook}\n",
    "adaptive": LOOP + "simulate: {until: UNTIL s, adaptive: true, tolerance: 1e-3, output_every: 10 ms}\n",
    "stiffening": """escapement: 1
components:
  mass: {for: {i: 1..20}, type: translational.mass, mass: 1 kg, initial: {position: (0.1 m)*i}}
  first: {type: translational.spring, stiffness: 100 N/m, between: [ground, mass.1]}
  spring: {for: {i: 2..20}, type: translational.spring, law: "(100 N/m)*elongation + (50 N/m^3)*elongation^3", between: [mass.(i-1), mass.(i)]}
  rub: {type: translational.friction, coulomb: 0.2 N, between: [ground, mass.20]}
  change: {type: event.crossing, expression: t - 0.3 s, set: {first.stiffness: 300 N/m}}
simulate: {until: UNTIL s, step: 0.5 ms}
""",
}
UNTIL = {"chain": 12, "variational": 8, "spook": 5, "adaptive": 6, "stiffening": 12}


class Trial:
    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = tempfile.TemporaryDirectory()
        self.top = pathlib.Path(self.folder.name)

    def model(self, name, scale=1.0):
        path = self.top / f"{name}.yaml"
        path.write_text(MODELS[name].replace("UNTIL", str(UNTIL[name] * scale)))
        return path

    def call(self, *words, **more):
        return subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, timeout=120, **more)

    def run(self, model, out, *more, **options):
        return self.call("run", model, "--out", out, "--quiet", *more, **options)


def contents(run):
    """What must be the same whatever happened on the way."""
    summary = json.loads((run / "summary.json").read_text())
    for key in ("wall_seconds", "real_time_factor", "resumed"):
        del summary[key]
    return ((run / "results.csv").read_bytes(), summary, (run / "motion.bin").read_bytes() if (run / "motion.bin").exists() else b"",
            (run / "history.json").read_bytes())


def readable(run):
    """results.h5 opens in h5py, with whole columns that begin like the text."""
    try:
        import h5py
    except ImportError:
        return
    path = run / "results.h5"
    if not path.exists():
        return
    with h5py.File(path) as file:
        lengths = {len(column) for column in file.values()}
        assert len(lengths) == 1, lengths


def same(a, b, what):
    for x, y, part in zip(contents(a), contents(b), ("results.csv", "summary.json", "motion.bin", "history.json")):
        assert x == y, f"{what}: {part} differs"
    readable(b)


def kill(trial):
    random.seed(7)
    reference, seconds = {}, {}
    for name in MODELS:
        out = trial.top / f"{name}-whole"
        began = time.monotonic()
        done = trial.run(trial.model(name), out, "--checkpoint-every", "0 s")
        seconds[name] = time.monotonic() - began
        assert done.returncode == 0, done.stderr
        again = trial.top / f"{name}-again"
        assert trial.run(trial.model(name), again, "--checkpoint-every", "1 ms", env=os.environ | {"OMP_NUM_THREADS": "1"}).returncode == 0
        same(out, again, f"{name}, twice")
        reference[name] = out
    resumed = 0
    for i in range(30):
        name = list(MODELS)[i % len(MODELS)]
        out = trial.top / f"{name}-{i}"
        process = subprocess.Popen([trial.program, "run", str(trial.model(name)), "--out", str(out), "--quiet", "--checkpoint-every", "20 ms"])
        for attempt in range(50):
            # Longer and longer, so that the run ends on a busy machine, too.
            time.sleep(random.uniform(0.0, 1.0) * seconds[name] * random.choice((0.3, 1.0)) * (1 + attempt / 10))
            process.kill()
            process.wait()
            if (out / "summary.json").exists() or not (out / "checkpoint.bin").exists():
                break
            readable(out)
            resumed += 1
            process = subprocess.Popen([trial.program, "resume", str(out), "--quiet", "--checkpoint-every", "20 ms"])
        process.kill()
        process.wait()
        if not (out / "checkpoint.bin").exists() and not (out / "summary.json").exists():
            shutil.rmtree(out, ignore_errors=True)  # killed before there was anything
            assert trial.run(trial.model(name), out).returncode == 0
        elif (out / "checkpoint.bin").exists():
            done = trial.call("resume", out, "--quiet")
            assert done.returncode == 0, done.stderr
            resumed += 1
        same(reference[name], out, f"{name}, killed")
    assert resumed >= 15, f"only {resumed} runs were resumed: too short"
    print(f"30 runs, killed and resumed {resumed} times: the same to the last bit")


def stop(trial):
    model, whole, out = trial.model("chain", 4), trial.top / "whole", trial.top / "stopped"
    assert trial.run(model, whole).returncode == 0
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([trial.program, "run", str(model), "--out", str(out), "--force" if out.exists() else "--quiet"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not (out / "checkpoint.bin").exists():
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
        assert process.returncode == 130, (process.returncode, told)
        assert "resume" in told and "interrupted at t =" in told, told
        assert json.loads((out / "summary.json").read_text())["status"] == "interrupted"
        done = trial.call("resume", out)
        assert done.returncode == 0, done.stderr
        same(whole, out, "interrupted")
        assert json.loads((out / "summary.json").read_text())["resumed"] == 1
        before = contents(out)
        done = trial.call("resume", out)
        assert done.returncode == 0 and "has ended" in done.stdout, done.stdout + done.stderr
        assert contents(out) == before
    # Two at once.
    process = subprocess.Popen([trial.program, "run", str(model), "--out", str(out), "--force", "--quiet"])
    while not (out / "checkpoint.bin").exists():
        time.sleep(0.01)
    for done in (trial.call("resume", out), trial.run(model, out, "--force")):
        assert done.returncode == 5 and "another process is writing" in done.stderr, done.stderr
    assert process.wait(timeout=60) == 0
    same(whole, out, "beside another")
    # Foreign and missing checkpoints.
    done = trial.call("resume", trial.top / "nowhere")
    assert done.returncode == 5 and done.stderr.startswith("E-FILE"), done.stderr
    killed = trial.top / "killed"
    process = subprocess.Popen([trial.program, "run", str(model), "--out", str(killed), "--quiet"])
    while not (killed / "checkpoint.bin").exists():
        time.sleep(0.01)
    process.kill()
    process.wait()
    text = (killed / "model.yaml").read_text()
    (killed / "model.yaml").write_text(text.replace("2 kg", "3 kg") if "2 kg" in text else text + "\n# changed\n")
    rows = (killed / "results.csv").read_bytes()
    done = trial.call("resume", killed)
    assert done.returncode == 5 and "another model" in done.stderr, done.stderr
    done = trial.call("resume", killed, "--json")
    assert json.loads(done.stdout.splitlines()[-1])["code"] == "E-CHECKPOINT", done.stdout
    assert (killed / "results.csv").read_bytes() == rows
    (killed / "model.yaml").write_text(text)
    checkpoint = (killed / "checkpoint.bin").read_bytes()
    (killed / "checkpoint.bin").unlink()
    done = trial.call("resume", killed)
    assert done.returncode == 5 and done.stderr.startswith("E-CHECKPOINT") and "was not saved" in done.stderr, done.stderr
    (killed / "checkpoint.bin").write_bytes(checkpoint)
    (killed / "results.csv").write_bytes(rows[:20])
    done = trial.call("resume", killed)
    assert done.returncode == 5 and "shorter than at the checkpoint" in done.stderr, done.stderr
    (killed / "results.csv").write_bytes(rows)
    done = trial.call("resume", killed)
    assert done.returncode == 0, done.stderr
    same(whole, killed, "after refusals")
    done = trial.call("run", model, "--checkpoint-every", "often", "--out", trial.top / "x")
    assert done.returncode == 2 and done.stderr.startswith("E-USAGE"), done.stderr
    # A folder that cannot be written. Root may write everywhere: it becomes nobody, where that one may run the program.
    locked, someone = trial.top / "locked", {} if os.geteuid() != 0 else {"user": 65534}
    shutil.copytree(whole, locked / "earlier")
    trial.top.chmod(0o755)
    locked.chmod(0o555)
    (locked / "earlier").chmod(0o555)
    try:
        may = subprocess.run([trial.program, "--version"], capture_output=True, **someone).returncode == 0
    except PermissionError:
        may = False
    for out in (locked / "out", locked / "earlier") if may else ():
        done = trial.run(model, out, "--force", **someone)
        assert done.returncode == 5 and done.stderr.startswith("E-FILE") and "ermission" in done.stderr, done.stderr
        same(whole, locked / "earlier", "in a locked folder")
    locked.chmod(0o755)
    (locked / "earlier").chmod(0o755)
    print("interrupted, resumed, refused: as it should be")


def faults(trial):
    shim = trial.top / "faults.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", shim, HERE / "faults.c", "-ldl"], check=True)
    model, whole = trial.model("chain", 0.1), trial.top / "whole"
    assert trial.run(model, whole).returncode == 0
    out, n, failed = trial.top / "out", 1, 0
    preload = str(shim) + (":" + os.environ["LD_PRELOAD"] if os.environ.get("LD_PRELOAD") else "")
    if SANITIZED:
        os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    for stays in (False, True):
        n = 1
        while n < 4000:
            shutil.rmtree(out, ignore_errors=True)
            env = os.environ | {"LD_PRELOAD": preload, "FAULT_FOLDER": str(out), "FAULT_AT": str(n)} | ({"FAULT_STAYS": "1"} if stays else {})
            done = trial.run(model, out, "--checkpoint-every", "1 ms", env=env)
            if done.returncode == 0:
                same(whole, out, f"fault {n} did not matter")
                if n > 300 or stays:
                    break
            else:
                failed += 1
                assert done.returncode == 5, (n, done.returncode, done.stderr)
                assert done.stderr.startswith("E-FILE") or "\nE-FILE" in done.stderr, (n, done.stderr)
                if (out / "results.csv").exists():
                    rows = (out / "results.csv").read_bytes()
                    assert rows == b"" or whole.joinpath("results.csv").read_bytes().startswith(rows[: rows.rfind(b"\n") + 1]), n
                if (out / "checkpoint.bin").exists():
                    again = trial.call("resume", out, "--quiet")
                    assert again.returncode == 0, (n, again.stderr)
                    same(whole, out, f"after fault {n}")
            n += 1 if n < 25 else random.randint(5, 40)
    assert failed > 20, failed
    print(f"{failed} runs with failing writes: told, with status 5, nothing lost")


def allocations(trial):
    shim = trial.top / "allocations.so"
    subprocess.run(["c++", "-O1", "-shared", "-fPIC", *(["-DOPERATORS_ONLY"] if SANITIZED else []), "-o", shim, HERE / "allocations.cpp", "-ldl"], check=True)
    env = os.environ | {"LD_PRELOAD": str(shim)}
    if SANITIZED:
        env["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:alloc_dealloc_mismatch=0"
    out, count, failed = trial.top / "out", trial.top / "count", 0
    for name in MODELS:
        model, whole = trial.model(name, 0.004), trial.top / f"{name}-whole"
        assert trial.run(model, whole, env=env | {"ALLOCATION_COUNT": str(count)}).returncode == 0
        last = int(count.read_text())
        stride = int(os.environ.get("STRIDE", max(1, last // (20 if SANITIZED else 250))))
        for n in range(1, last + 1, stride):
            shutil.rmtree(out, ignore_errors=True)
            more = {"ALLOCATION_AT": str(n)} | ({"ALLOCATION_STAYS": "1"} if n // stride % 4 == 3 else {})
            done = trial.run(model, out, "--checkpoint-every", "1 ms", env=env | more)
            if done.returncode == 0:
                same(whole, out, f"{name}, allocation {n} did not matter")
                continue
            failed += 1
            told = [line for line in done.stderr.splitlines() if line.startswith(("E-LIMIT", "E-FILE"))]
            assert done.returncode in (2, 3, 5) and told, (name, more, done.returncode, done.stderr)
            if (out / "results.csv").exists():
                rows = (out / "results.csv").read_bytes()
                assert whole.joinpath("results.csv").read_bytes().startswith(rows[: rows.rfind(b"\n") + 1]), (name, more)
            if (out / "checkpoint.bin").exists():
                again = trial.call("resume", out, "--quiet")
                assert again.returncode == 0, (name, more, again.stderr)
                same(whole, out, f"{name}, after allocation {n}")
    assert failed > 30, failed
    print(f"{failed} runs with a failing allocation: told, nothing lost")


def mutations(trial):
    random.seed(11)
    model, out = trial.model("stiffening", 2), trial.top / "out"
    process = subprocess.Popen([trial.program, "run", str(model), "--out", str(out), "--quiet", "--checkpoint-every", "20 ms"])
    while not (out / "checkpoint.bin").exists():
        time.sleep(0.01)
    time.sleep(0.05)
    process.kill()
    process.wait()
    good = (out / "checkpoint.bin").read_bytes()
    rows = (out / "results.csv").read_bytes()
    count = 100 if SANITIZED else 1000
    for i in range(count):
        bad = bytearray(good)
        kind = 3 if i % 20 == 3 else i % 3
        if kind == 0:
            bad[random.randrange(len(bad))] ^= 1 << random.randrange(8)
        elif kind == 1:
            del bad[random.randrange(len(bad)) :]
        elif kind == 2:
            at = random.randrange(len(bad))
            bad[at : at + random.randrange(1, 64)] = random.randbytes(random.randrange(1, 64))
        else:  # with a checksum that fits: what reads it must cope
            body = bytearray(bad[24 + 22 :])
            for _ in range(random.randrange(1, 4)):
                body[random.randrange(len(body))] = random.randrange(256)
            h = 14695981039346656037
            for byte in body:
                h = (h ^ byte) * 1099511628211 % 2**64
            bad = bytearray(good[:24] + b"fnv1a:%016x" % h + body)
        if bytes(bad) == good:
            continue
        (out / "checkpoint.bin").write_bytes(bad)
        done = trial.call("resume", out, "--quiet")
        if kind < 3:
            assert done.returncode == 5 and "E-CHECKPOINT" in done.stderr, (i, done.returncode, done.stderr)
            assert (out / "results.csv").read_bytes() == rows, i
        else:  # numbers of the state may have changed: anything but a crash
            assert done.returncode in (0, 2, 3, 4, 5), (i, done.returncode, done.stderr)
            for file in out.iterdir():
                if file.name in ("summary.json", "history.json"):
                    file.unlink()
            (out / "results.csv").write_bytes(rows)
    print(f"{count} damaged checkpoints: told")


LONG = """escapement: 1
components:
  mass: {type: translational.mass, mass: 1 kg, initial: {position: 0.1 m}}
  spring: {type: translational.spring, stiffness: 100 N/m, between: [ground, mass]}
  wave: {type: control.sine, amplitude: 0.1, frequency: 0.3 Hz}
  law: {type: sampled.pid, period: 10 ms, delay: 1 ms, kp: 1 N/m, ki: 2 N/m/s, kd: 1 N*s/m, setpoint: wave, measurement: mass.position, unit: N}
  push: {type: translational.force, at: mass, input: law}
simulate: {until: 1 s, step: 1 ms, output_every: 1 s}
"""


def memory(trial):
    model = trial.top / "long.yaml"
    model.write_text(LONG)
    largest = []
    for seconds in (1000, 10000):  # 1e6 and 1e7 steps
        process = subprocess.Popen([trial.program, "run", str(model), "--out", str(trial.top / str(seconds)), "--quiet", "--checkpoint-every", "1 s",
                                    "--set", f"simulate.until={seconds} s"])
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, status
        largest.append(usage.ru_maxrss)
    assert largest[1] < largest[0] + 2048, f"grew from {largest[0]} to {largest[1]} kB"
    print(f"{largest[0]} kB after 1e6 steps, {largest[1]} kB after 1e7")


if __name__ == "__main__":
    {"kill": kill, "stop": stop, "faults": faults, "allocations": allocations, "mutations": mutations, "memory": memory}[sys.argv[2]](Trial(sys.argv[1]))
