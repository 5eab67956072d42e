"""Points in the plane: rods, springs, dampers, trees and trusses."""

import copy
import math

from judge import Floors, same
from relations import halved, limits_apart, told

NAME = "plane"


def generate(random):
    weight = [random.uniform(-3, 3), random.uniform(-10, -2)]
    parts, places = {}, {"ground": (0.0, 0.0)}
    for i in range(random.randint(1, 4)):
        base = random.choice(list(places))
        angle, length = random.uniform(0, 2 * math.pi), random.uniform(0.5, 1.2)
        place = (places[base][0] + length * math.cos(angle), places[base][1] + length * math.sin(angle))
        if any(math.dist(place, p) < 0.4 for p in places.values()):
            continue
        name = f"m{i}"
        parts[name] = {"type": "planar.mass", "mass": random.uniform(0.5, 2), "gravity": weight, "initial": {"position": list(place)}}
        if random.random() < 0.6:
            parts[f"rod{i}"] = {"type": "planar.distance", "length": length, "between": [base, name]}
        else:
            parts[f"k{i}"] = {"type": "planar.spring", "stiffness": random.uniform(15, 60), "rest_length": length * random.uniform(0.9, 1.1), "between": [base, name]}
        others = [n for n in places if n != base]
        if others and random.random() < 0.5:
            other = random.choice(others)
            parts[f"link{i}"] = {"type": "planar.spring", "stiffness": random.uniform(5, 30), "rest_length": math.dist(place, places[other]), "between": [other, name]}
        elif others and f"rod{i}" in parts and base != "ground" and "ground" in others and random.random() < 0.4:
            parts[f"link{i}"] = {"type": "planar.distance", "length": math.dist(place, places["ground"]), "between": ["ground", name]}
        if random.random() < 0.4:
            parts[f"d{i}"] = {"type": "planar.damper", "damping": random.uniform(0.05, 1), "between": [base, name]}
        places[name] = place
    return {"components": parts, "simulate": {"until": 1.0, "step": 0.01}}


def vector(run, channel, i):
    return [run.channels[f"{channel}.{k}"][i] for k in "xy"]


def newton(bench, model, random):
    """Mass times acceleration is weight and the sum of the forces along the lines, in every row."""
    run, found = bench.run(model), []
    floors = Floors(run, model["simulate"]["step"])
    for name, part in model["components"].items():
        if part["type"] != "planar.mass":
            continue
        floor, off = part["mass"] * floors[f"{name}.acceleration.x"], 0.0
        links = [(n, p["between"][1 - p["between"].index(name)]) for n, p in model["components"].items() if name in p.get("between", ())]
        floor += sum(floors[tension(run, n)] for n, _ in links)
        for i in range(len(run.time)):
            place, a = vector(run, f"{name}.position", i), vector(run, f"{name}.acceleration", i)
            sums = [part["mass"] * (g - b) for g, b in zip(part["gravity"], a)]
            for link, other in links:
                there = [0.0, 0.0] if other == "ground" else vector(run, f"{other}.position", i)
                pull = run.channels[tension(run, link)][i] / math.dist(place, there)
                sums = [s + pull * (t - p) for s, t, p in zip(sums, there, place)]
            off = max(off, *map(abs, sums))
        if off > 3 * floor:
            found.append(f"forces on {name} and its acceleration are off by {off:.3g}")
    return found


def tension(run, link):
    return f"{link}.tension" if f"{link}.tension" in run.channels else f"{link}.force"


def turned(bench, model, random):
    """The plane turned, or mirrored: everything turns with it."""
    angle, mirror = random.uniform(0, 2 * math.pi), random.choice([1, -1])
    c, s = math.cos(angle), math.sin(angle)
    turn = lambda v: [c * v[0] - s * mirror * v[1], s * v[0] + c * mirror * v[1]]  # noqa: E731
    other = copy.deepcopy(model)
    for part in other["components"].values():
        if part["type"] == "planar.mass":
            part["gravity"] = turn(part["gravity"])
            part["initial"] = {k: turn(v) for k, v in part["initial"].items()}
    first, second = bench.run(model), bench.run(other)
    expected = copy.copy(first)
    expected.channels = dict(first.channels)
    for name in first.channels:
        if name.endswith(".x"):
            pairs = [turn(v) for v in zip(first.channels[name], first.channels[name[:-1] + "y"])]
            expected.channels[name], expected.channels[name[:-1] + "y"] = [p[0] for p in pairs], [p[1] for p in pairs]
    return same(expected, second, model["simulate"]["step"], 5)


def heavier(bench, model, random):
    """All masses, stiffnesses and dampings times a factor: the same motion, forces times the factor."""
    factor, other = 2.0 ** random.randint(-8, 8), copy.deepcopy(model)
    for part in other["components"].values():
        for key in ("mass", "stiffness", "damping"):
            if key in part:
                part[key] *= factor
    first, second = bench.run(model), copy.copy(bench.run(other))
    second.channels = {n: [x / factor for x in v] if n.endswith((".force", ".tension")) else v for n, v in second.channels.items()}
    return same(first, second, model["simulate"]["step"], 5)


def in_space(bench, model, random):
    """The same points as spheres in space, in the plane y = 0: rods, springs along lines."""
    parts, weights = {}, []
    for name, part in model["components"].items():
        if part["type"] == "planar.mass":
            (x, z), weights = part["initial"]["position"], part["gravity"]
            parts[name] = {"type": "body.sphere", "radius": 0.01, "mass": part["mass"], "initial": {"position": [x, 0.0, z]}}
        elif part["type"] == "planar.distance":
            parts[name] = {"type": "joint.distance", "between": part["between"]}
        elif part["type"] == "planar.damper":
            parts[name] = {"type": "force.spring", "between": part["between"], "stiffness": 0.0, "damping": part["damping"], "rest_length": 0.0}
        else:
            parts[name] = {"type": "force.spring", "between": part["between"], "stiffness": part["stiffness"], "rest_length": part["rest_length"]}
    if not weights:
        return []
    first = bench.run(model)
    second = copy.copy(bench.run({"gravity": [weights[0], 0.0, weights[1]], "components": parts, "simulate": model["simulate"]}))
    second.channels = {n[:-1] + "y" if n.endswith(".z") else n: v for n, v in second.channels.items() if not n.endswith((".y", ".elongation"))}
    second.channels = {n: v for n, v in second.channels.items() if n.endswith((".position.x", ".position.y", ".velocity.x", ".velocity.y", ".tension", ".force"))}
    return same(first, second, model["simulate"]["step"], 20)


def beside_a_switch(bench, model, random):
    """Relays beside the model that switch right before and right after the ends of steps cut tiny steps off: accelerations and reactions tend to the same."""
    step, until, parts = model["simulate"]["step"], model["simulate"]["until"], {"clock": {"type": "control.ramp", "slope": 1.0}}
    for k in range(4):
        time = random.randint(1, round(until / step) - 1) * step + random.choice([-1, 1]) * 10 ** random.uniform(-11, -4) * step
        parts[f"switch{k}"] = {"type": "control.relay", "input": "clock", "threshold": time}
    other = {**model, "components": {**model["components"], **parts}}
    return limits_apart(lambda k: halved(bench, model, k), lambda k: halved(bench, other, k), step)


RELATIONS = [newton, turned, heavier, in_space, beside_a_switch, told]
