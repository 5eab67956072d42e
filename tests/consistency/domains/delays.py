"""Rotors in loops with several delays: their modes are the roots of the characteristic equation, and none is missing."""

import cmath
import csv
import json
import math

from model import text

NAME = "delays"
WITH = ("checked", "permuted", "flattened")


def generate(random):
    inertia, speed = 10 ** random.uniform(-3, 0), random.uniform(3, 30)
    times = [random.choice([0.01, 0.02, 0.03, 0.0137, 0.1]) for _ in range(2)]
    parts = {"rotor": {"type": "rotational.inertia", "inertia": inertia},
             "bearing": {"type": "rotational.damper", "between": ["ground", "rotor"], "damping": inertia * random.uniform(0, 20)},
             "late": {"type": "control.delay", "delay": times[0], "input": "rotor.angle"},
             "later": {"type": "control.delay", "delay": times[1], "input": random.choice(["rotor.velocity", "rotor.angle", "late"])},
             "law": {"type": "control.sum", "inputs": ["late", "later"], "weights": [-inertia * speed ** 2, -inertia * speed * random.uniform(0.1, 2)]},
             "motor": {"type": "rotational.torque", "at": "rotor", "input": "law"}}
    return {"components": parts, "simulate": {"until": 0.1, "step": 0.001}}


def equation(model):
    parts = model["components"]
    J, c, (kp, kd) = parts["rotor"]["inertia"], parts["bearing"]["damping"], parts["law"]["weights"]
    first, second, reads = parts["late"]["delay"], parts["later"]["delay"], parts["later"]["input"]

    def f(s):
        late = cmath.exp(-s * first)
        later = cmath.exp(-s * second) * {"rotor.velocity": s, "rotor.angle": 1, "late": late}[reads]
        return J * s * s + c * s - kp * late - kd * later

    return f


def all_modes(bench, model, random):
    """`escapement modes`: every mode is a root, and their number is that of the roots in the circle that is told."""
    parts = model["components"]
    if any(n not in parts for n in ("rotor", "bearing", "late", "later", "law", "motor")):
        return []
    f, below = equation(model), random.choice([[], ["--below", f"{10 ** random.uniform(0.5, 2.5):.4g} Hz"]])
    bench.write(text(model))
    bench.call("modes", "model.yaml", "--out", "modes", "--force", *below)
    summary = json.loads((bench.folder / "modes" / "summary.json").read_text())
    radius = 2 * math.pi * summary["complete_below"] * (1 - 1e-7)
    with open(bench.folder / "modes" / "modes.csv") as file:
        roots = [complex(float(row["real"]), float(row["imaginary"])) for row in csv.DictReader(file)]
    found, number = [], 0
    for s in roots:
        h = 1e-6 * abs(s) or 1e-9
        off = abs(f(s) * 2 * h / (f(s + h) - f(s - h)))
        if off > 1e-7 * (1 + abs(s)):
            found.append(f"{s} is off by {off:.3g}")
        number += (abs(s) < radius) * (2 if s.imag else 1)
    points, turned = 40000, 0.0
    around = [f(radius * cmath.exp(1j * math.pi * k / points)) for k in range(points + 1)]  # the lower half mirrors it
    for a, b in zip(around, around[1:]):
        turned += cmath.phase(b / a)
    if round(turned / math.pi) != number:
        found.append(f"{number} modes with |s| < {radius:.6g} 1/s, where the equation has {turned / math.pi:.2f}")
    return found


RELATIONS = [all_modes]
