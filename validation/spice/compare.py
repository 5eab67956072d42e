#!/usr/bin/env python3
"""Compares Escapement with ngspice on the decks of this folder.

    compare.py PROGRAM [--names half_wave ...] [--table FILE] [--keep FOLDER]

Both programs read each deck unchanged, at the steps h, h/2 and h/4. Comment lines of a deck say what is compared:

    * compare: v(out) i(v1)   voltages of nodes, currents of voltage sources and inductors
    * until: 20m              length of the run
    * step: 5u                h
    * every: 20u              where they are compared; h unless given
    * floor: 1e-5             what the programs may differ by at any step, 1e-6 unless given
    * options: gmin=1e-12     options of ngspice instead of those below
    * simulate: rho_states: 0 settings of Escapement besides the step

A difference is the largest one over all quantities and all compared times, each relative to the largest value of its quantity.
The tolerance follows from the runs themselves: if both programs converge to the same solution with second order, each is off by a
third of its own last change (from h/2 to h/4), so the difference at h/4 is at most a third of the sum of both changes. A deck passes
if it is within SAFETY times that and the floor, and if every halving of the step leaves at most SHRINK of the difference, until it is
below the floor. Ends with status 0, 1 if a deck fails, 77 without ngspice.
"""
import argparse
import bisect
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SHRINK = 0.4  # two methods of second order: a quarter
SAFETY = 2.0  # the third is of small steps only
REFINEMENTS = (1, 2, 4)
# Newton's method to many digits; the largest step, not the estimated error, decides the step (trtol), so that errors shrink like
# its square; a conductance across junctions that is too small to be seen.
OPTIONS = {"reltol": "1e-7", "abstol": "1e-13", "vntol": "1e-10", "chgtol": "1e-15", "gmin": "1e-15", "trtol": "1e4",
           "itl4": "200"}
SUFFIXES = {"t": 1e12, "g": 1e9, "meg": 1e6, "k": 1e3, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}


class Failure(Exception):
    pass


def number(text):
    """A number as SPICE writes it."""
    match = re.fullmatch(r"([-+]?[\d.]+(?:e[-+]?\d+)?)(meg|[tgkmunpf])?", text.strip().lower())
    if not match:
        raise Failure(f"`{text}` is not a number")
    return float(match[1]) * SUFFIXES.get(match[2], 1)


class Deck:
    def __init__(self, path):
        self.path = path
        self.lines = path.read_text(encoding="utf-8").splitlines()
        settings = {}
        for line in self.lines:
            match = re.fullmatch(r"\* (compare|until|step|every|floor|options|simulate): *(.*)", line)
            if match:
                settings[match[1]] = match[2]
        for key in ("compare", "until", "step"):
            if key not in settings:
                raise Failure(f"has no line `* {key}: …`")
        self.quantities = settings["compare"].lower().split()
        self.until, self.step = number(settings["until"]), number(settings["step"])
        self.every = number(settings.get("every", settings["step"]))
        self.floor = number(settings.get("floor", "1e-6"))
        self.options = OPTIONS | dict(o.split("=") for o in settings.get("options", "").split())
        self.simulate = settings.get("simulate")
        self.initial = any(re.match(r"\.tran\b.*\buic\b", line, re.I) for line in self.lines)
        depth, self.devices = 0, set()
        for line in self.lines[1:]:
            word = line.split()[0].lower() if line.split() else ""
            depth += {".subckt": 1, ".ends": -1}.get(word, 0)
            if depth == 0 and word[:1].isalpha():
                self.devices.add(word)

    def channel(self, quantity):
        """What Escapement calls it (docs/netlists.md)."""
        match = re.fullmatch(r"([vi])\(([^,()]+)\)", quantity)
        if not match:
            raise Failure(f"`{quantity}` is neither a v(node) nor an i(device)")
        if match[1] == "i":
            return f"circuit.{match[2]}.current"
        node = re.sub(r"[^\w.]", "_", match[2].replace("+", "_p").replace("-", "_m"))
        if not node[0].isalpha():
            node = "n" + node
        if node in self.devices | {"t", "pi", "ground"}:
            node = "n_" + node
        return f"circuit.{node}.voltage"


def run(command, folder):
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise Failure(f"{pathlib.Path(command[0]).name} takes more than two minutes") from None


def with_ngspice(deck, folder, step):
    """Times, and the values of each quantity."""
    kept, inside = [], False
    for line in deck.lines:
        word = line.split()[0].lower() if line.split() else ""
        inside = inside or word == ".control"
        if not inside and word not in (".tran", ".end"):
            kept.append(line)
        inside = inside and word != ".endc"
    names = " ".join(deck.quantities)
    kept += [".options " + " ".join(f"{k}={v}" for k, v in deck.options.items()), ".control", "set wr_singlescale",
             "set wr_vecnames", "set numdgt=14", f"save {names}",
             f"tran {step!r} {deck.until!r} 0 {step!r}" + (" uic" if deck.initial else ""),
             f"wrdata ngspice.data {names}", ".endc", ".end"]
    (folder / "ngspice.cir").write_text("\n".join(kept) + "\n", encoding="utf-8")
    data = folder / "ngspice.data"
    data.unlink(missing_ok=True)
    done = run(["ngspice", "-b", "ngspice.cir"], folder)
    if not data.exists():
        raise Failure("ngspice: " + (done.stderr.strip() or done.stdout.strip())[-300:])
    times, values = [], [[] for _ in deck.quantities]
    with data.open() as lines:
        next(lines)
        for line in lines:
            row = [float(v) for v in line.split()]
            if times and row[0] <= times[-1]:
                continue
            times.append(row[0])
            for column, value in zip(values, row[1:], strict=True):
                column.append(value)
    if times[-1] < deck.until * (1 - 1e-9):
        raise Failure(f"ngspice stops at {times[-1]:.3g} s: " + done.stderr.strip()[-300:])
    return times, values


def with_escapement(program, deck, folder, step):
    """Times, the values of each quantity, and how many unknowns there are."""
    shutil.copy(deck.path, folder / "deck.cir")
    channels = [deck.channel(q) for q in deck.quantities]
    settings = [f"until: {deck.until!r} s", f"step: {step!r} s", f"output_every: {deck.every!r} s"]
    settings += [deck.simulate] if deck.simulate else []
    (folder / "model.yaml").write_text(
        "escapement: 1\ncomponents:\n  circuit: {use: deck.cir}\n"
        f"simulate: {{{', '.join(settings)}}}\n"
        f"record: [{', '.join(channels)}]\n", encoding="utf-8")
    done = run([program, "run", "model.yaml", "--out", "run", "--force"], folder)
    if done.returncode != 0:
        raise Failure(f"Escapement ends with status {done.returncode}: " + (done.stderr or done.stdout).strip()[-300:])
    with (folder / "run/results.csv").open(newline="") as text:
        rows = csv.reader(text)
        header = next(rows)
        columns = [header.index(c) for c in channels]
        times, values = [], [[] for _ in channels]
        for row in rows:
            times.append(float(row[0]))
            for column, k in zip(values, columns, strict=True):
                column.append(float(row[k]))
    unknowns = sum(json.loads((folder / "run/summary.json").read_text())["unknowns"].values())
    return times, values, unknowns


def at(times, values, t):
    """Between points: the parabola through a third point beside them, the one that bends less. So corners stay corners."""
    i = min(max(bisect.bisect_right(times, t) - 1, 0), len(times) - 2)
    slope = (values[i + 1] - values[i]) / (times[i + 1] - times[i])
    bends = []
    if i > 0:
        before = (values[i] - values[i - 1]) / (times[i] - times[i - 1])
        bends.append((slope - before) / (times[i + 1] - times[i - 1]))
    if i + 2 < len(times):
        after = (values[i + 2] - values[i + 1]) / (times[i + 2] - times[i + 1])
        bends.append((after - slope) / (times[i + 2] - times[i]))
    bend = min(bends, key=abs, default=0.0)
    return values[i] + (t - times[i]) * (slope + bend * (t - times[i + 1]))


def difference(grid, scales, a, b):
    """The largest one, relative, and which quantity has it when."""
    worst = (0.0, 0, 0.0)
    for k, scale in enumerate(scales):
        for t in grid:
            d = abs(at(*a[:1], a[1][k], t) - at(*b[:1], b[1][k], t)) / scale
            worst = max(worst, (d, k, t))
    return worst


def compare(program, deck, folder):
    ours, theirs = [], []
    for n in REFINEMENTS:
        theirs.append(with_ngspice(deck, folder, deck.step / n))
        *result, unknowns = with_escapement(program, deck, folder, deck.step / n)
        ours.append(result)
    count = round(deck.until / deck.every)
    grid = [min(k * deck.every, deck.until) for k in range(1, count + 1)]
    scales = [max(map(abs, column)) or 1.0 for column in theirs[-1][1]]
    differences = [difference(grid, scales, a, b) for a, b in zip(ours, theirs, strict=True)]
    d = [w[0] for w in differences]
    changes = [[difference(grid, scales, a, b)[0] for a, b in zip(runs, runs[1:])] for runs in (ours, theirs)]
    tolerance = SAFETY * sum(c[-1] for c in changes) / 3 + deck.floor
    faults = []
    if not d[-1] <= tolerance:
        faults.append(f"{d[-1]:.1e} is above {tolerance:.1e}")
    for before, after in zip(d, d[1:]):
        if not after <= max(SHRINK * before, deck.floor):
            faults.append(f"{before:.1e} shrinks to {after:.1e} only")
    return {"unknowns": unknowns, "differences": d,
            "where": f"{deck.quantities[differences[-1][1]]} at {differences[-1][2]:.4g} s",
            "changes": changes, "tolerance": tolerance, "verdict": "; ".join(faults) or "passes", "passes": not faults}


def main():
    parser = argparse.ArgumentParser(description="Compares Escapement with ngspice.")
    parser.add_argument("program", help="the program escapement")
    parser.add_argument("--names", nargs="+", help="decks, without .cir; all unless given")
    parser.add_argument("--table", type=pathlib.Path, help="write the table here too")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for what both programs read and wrote last")
    arguments = parser.parse_args()
    if not shutil.which("ngspice"):
        print("ngspice is not installed")
        return 77
    here = pathlib.Path(__file__).resolve().parent
    program = str(pathlib.Path(arguments.program).resolve())
    names = arguments.names or sorted(p.stem for p in here.glob("*.cir"))
    table = ["| deck | unknowns | compared | h | difference at h | at h/2 | at h/4 | largest in | changes of Escapement | of ngspice "
             "| tolerance | verdict |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    print("\n".join(table), flush=True)
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            folder = (arguments.keep or pathlib.Path(temporary)) / name
            folder.mkdir(parents=True, exist_ok=True)
            try:
                deck = Deck(here / f"{name}.cir")
                r = compare(program, deck, folder)
                failed = failed or not r["passes"]
                cells = [name, r["unknowns"], " ".join(deck.quantities), f"{deck.step:g} s", *(f"{v:.1e}" for v in r["differences"]),
                         r["where"], *(", ".join(f"{v:.1e}" for v in c) for c in r["changes"]), f"{r['tolerance']:.1e}", r["verdict"]]
            except (Failure, OSError) as e:
                failed = True
                cells = [name, *[""] * 10, str(e).replace("\n", " ").replace("|", "/")]
            table.append("| " + " | ".join(map(str, cells)) + " |")
            print(table[-1], flush=True)
    if arguments.table:
        arguments.table.write_text("\n".join(table) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
