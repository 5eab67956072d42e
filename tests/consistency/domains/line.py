"""Sliders and shafts: masses, springs, dampers, forces, levers, gears, racks."""

import copy
import re

from judge import Floors, differences, extrapolated, same
from relations import MOST_TOLERANCES, halved, limits_apart, told

NAME = "line"


def generate(random):
    parts, sliders, shafts = {}, [], []
    for i in range(random.randint(1, 5)):
        shaft = random.random() < 0.4
        name = f"{'w' if shaft else 'm'}{i}"
        (shafts if shaft else sliders).append(name)
        value, place = random.uniform(0.5, 3), ("angle" if shaft else "position")
        parts[name] = {"type": "rotational.inertia" if shaft else "translational.mass", "inertia" if shaft else "mass": value,
                       "initial": {place: random.uniform(-0.5, 0.5), "velocity": random.uniform(-1, 1)}}
    for names, kind in ((sliders, "translational"), (shafts, "rotational")):
        for i, name in enumerate(names):
            others = [n for n in names if n != name]
            for j in range(random.randint(1, 2)):
                between = [random.choice(others + ["ground"]), name]
                parts[f"k_{name}_{j}"] = spring(random, kind, between)
            if random.random() < 0.6:
                parts[f"d_{name}"] = damper(random, kind, [random.choice(others + ["ground"]), name])
            if random.random() < 0.4:
                load = "translational.force" if kind == "translational" else "rotational.torque"
                if random.random() < 0.5:
                    parts[f"f_{name}"] = {"type": load, "at": name, "value": random.uniform(-2, 2)}
                else:
                    parts[f"s_{name}"] = {"type": "control.sine", "amplitude": random.uniform(0.5, 3), "frequency": random.uniform(0.1, 1),
                                          "phase": random.uniform(0, 6)}
                    parts[f"f_{name}"] = {"type": load, "at": name, "input": f"s_{name}"}
    transmissions(random, parts, sliders, shafts)
    return {"components": parts, "simulate": {"until": 1.5, "step": 0.015}}


def spring(random, kind, between):
    stiffness = random.uniform(2, 40)
    if random.random() < 0.3:
        unit, force = ("m", "N") if kind == "translational" else ("rad", "N*m")
        angle = "elongation" if kind == "translational" else "angle"
        return {"type": f"{kind}.spring", "law": f"({stiffness!r} {force}/{unit})*{angle} + ({10 * stiffness!r} {force}/{unit}^3)*{angle}^3",
                "between": between}
    return {"type": f"{kind}.spring", "stiffness": stiffness, "between": between}


def damper(random, kind, between):
    return {"type": f"{kind}.damper", "damping": random.uniform(0.05, 2), "between": between}


def transmissions(random, parts, sliders, shafts):
    """A wheel of its own behind a gear, a rack, a lever, so that the start agrees with it."""
    if shafts and random.random() < 0.5:
        driver, ratio = parts[random.choice(shafts)]["initial"], random.choice([-1, 1]) * random.uniform(0.4, 2.5)
        parts["wheel"] = {"type": "rotational.inertia", "inertia": random.uniform(0.3, 2),
                          "initial": {k: v * ratio for k, v in driver.items()}}
        name = next(n for n in shafts if parts[n]["initial"] is driver)
        parts["gear"] = {"type": "rotational.gear", "ratio": ratio, "between": ["wheel", name]}
    if shafts and random.random() < 0.3:
        name, radius = random.choice(shafts), random.uniform(0.2, 1)
        parts["table"] = {"type": "translational.mass", "mass": random.uniform(0.5, 2),
                          "initial": {"position": radius * parts[name]["initial"]["angle"], "velocity": radius * parts[name]["initial"]["velocity"]}}
        parts["rack"] = {"type": "rotational.rack_and_pinion", "radius": radius, "pinion": name, "rack": "table"}
    if sliders and random.random() < 0.4:
        name, ratio = random.choice(sliders), random.uniform(0.4, 2.5)
        parts["far"] = {"type": "translational.mass", "mass": random.uniform(0.5, 2),
                        "initial": {k: -v * ratio for k, v in parts[name]["initial"].items()}}
        parts["lever"] = {"type": "translational.lever", "ratio": ratio, "between": [name, "far"]}


def newton(bench, model, random):
    """Mass times acceleration is the sum of the forces that the components tell, in every row."""
    run, parts = bench.run(model), model["components"]
    floors = Floors(run, model["simulate"]["step"])
    complaints = []
    for name, part in parts.items():
        if part["type"] not in ("translational.mass", "rotational.inertia"):
            continue
        inertia = part.get("mass", part.get("inertia"))
        loads = [load for other, p in parts.items() for load in loads_on(name, other, p)]
        floor = sum(floors[channel] for channel, _ in loads) + floors[f"{name}.acceleration"] * inertia
        off = max(abs(inertia * a - sum(factor * run.channels[channel][i] for channel, factor in loads))
                  for i, a in enumerate(run.channels[f"{name}.acceleration"]))
        if off > floor:
            complaints.append(f"forces on {name} and its acceleration are off by {off:.3g}")
    return complaints


def loads_on(name, other, part):
    """(channel, factor) of the forces of a component on a mass."""
    quantity = "force" if part["type"].startswith("translational") else "torque"
    if part["type"].endswith((".force", ".torque")):
        return [(f"{other}.{quantity}", 1)] if part["at"] == name else []
    if part["type"].endswith((".gear", ".lever")):
        return [(f"{other}.{quantity}_{end}", 1) for end, at in zip("ab", part["between"]) if at == name]
    if part["type"].endswith("rack_and_pinion"):
        return [(f"{other}.force", 1)] if part["rack"] == name else [(f"{other}.torque", 1)] if part["pinion"] == name else []
    if "between" in part:
        return [(f"{other}.{quantity}", sign) for sign, at in zip((1, -1), part["between"]) if at == name]
    return []


def on_joints(bench, model, random):
    """Every slider as a body on a slide, every shaft as a body on a hinge: the same motion, the same forces."""
    parts = {}
    for name, part in model["components"].items():
        if part["type"] == "translational.mass":
            body, joint, place = {"mass": part["mass"], "principal_inertia": [1.0, 1.0, 1.0]}, "prismatic", ("position", "displacement")
        elif part["type"] == "rotational.inertia":
            body, joint, place = {"mass": 1.0, "principal_inertia": [part["inertia"]] * 3}, "revolute", ("angle", "angle")
        else:
            parts[name] = part
            continue
        parts[f"body_{name}"] = {"type": "body.rigid", **body}
        parts[name] = {"type": f"joint.{joint}", "between": ["ground", f"body_{name}"], "axis": [random.uniform(-1, 1), 1.0, random.uniform(-1, 1)],
                       "initial": {place[1]: part["initial"][place[0]], "velocity": part["initial"]["velocity"]}}
    other = {"gravity": [0, 0, 0], **model, "components": parts}
    return limits_apart(lambda k: halved(bench, model, k), lambda k: renamed(halved(bench, other, k)), model["simulate"]["step"])


def renamed(run):
    """Channels of joints as those of masses are called."""
    run = copy.copy(run)
    run.channels = {n.replace(".displacement", ".position"): v for n, v in run.channels.items()}
    return run


def slower(bench, model, random):
    """Time stretched by a factor, masses by its square, dampings by the factor: the same positions and forces."""
    factor, other = 10 ** random.uniform(-2, 2), copy.deepcopy(model)
    for part in other["components"].values():
        for key, power in (("mass", 2), ("inertia", 2), ("damping", 1), ("frequency", -1)):
            if key in part:
                part[key] *= factor**power
        if "initial" in part:
            part["initial"]["velocity"] /= factor
    for key in ("until", "step"):
        other["simulate"][key] *= factor
    first, second = bench.run(model), copy.copy(bench.run(other))
    powers = {"velocity": 1, "acceleration": 2}
    second.time = [t / factor for t in second.time]
    second.channels = {n: [x * factor ** powers.get(n.split(".")[-1], 0) for x in v] for n, v in second.channels.items()}
    # forces and positions of size 1 are judged against the same nominal magnitudes, accelerations against others
    return same(first, second, model["simulate"]["step"], max(5, factor, 1 / factor))


def smaller(bench, model, random):
    """Everything a thousand to a million times as small: the same accuracy of adaptive steps, as a share of what moves."""
    factor, tolerance, other = 10 ** random.uniform(-5.5, -3), 10 ** random.uniform(-4.5, -3), copy.deepcopy(model)
    for part in other["components"].values():
        for key in ("amplitude", "value"):
            if key in part:
                part[key] *= factor
        part.update({"initial": {k: v * factor for k, v in part["initial"].items()}} if "initial" in part else {})
        if "law" in part:  # a x + b x^3
            part["law"] = re.sub(r"\(([\d.e+-]+) (\S+\^3)\)", lambda m: f"({float(m[1]) / factor**2!r} {m[2]})", part["law"])
    coarse, fine = halved(bench, model, 2), halved(bench, model, 3)
    limit, moved, sizes = extrapolated(coarse, fine), differences(coarse, fine), Floors(fine, model["simulate"]["step"])
    run = copy.copy(bench.run(other, adaptive=True, tolerance=tolerance, step=None, output_at=list(fine.time)))
    run.channels = {n: [x / factor for x in v] for n, v in run.channels.items() if n.endswith((".position", ".angle", ".velocity"))}
    found = []
    for name, far in differences(limit, run).items():
        allowed = MOST_TOLERANCES * tolerance * max(sizes.size(name), 1e-3) + moved[name]
        if far > allowed:
            found.append(f"{name} is off by {far:.3g} of {sizes.size(name):.3g} at tolerance {tolerance:.2g} when all is {factor:.3g} times as large")
    return found


RELATIONS = [newton, on_joints, slower, smaller, told]
