"""Hinges whose angles are known: rotors that run free or under a constant torque, many turns per step or few."""

import copy

import rotation

NAME = "hinges"
WITH = ("checked", "recorded", "flattened")


def generate(random):
    """Balanced rotors, one beside the other or each on the one before, about the same axis: none of them disturbs another."""
    parts, step = {}, random.choice([0.005, 0.02])
    place, axis = [random.uniform(-1, 1) for _ in range(3)], [random.gauss(0, 1) for _ in range(3)]
    for i in range(random.randint(1, 3)):
        pushed, inertia = random.random() < 0.5, random.uniform(0.05, 0.5)
        parts[f"rotor{i}"] = {"type": "body.rigid", "mass": random.uniform(0.5, 3), "principal_inertia": [inertia] * 3,
                              "initial": {"position": place, "quaternion": rotation.arbitrary(random)}}
        speed = random.choice([-1, 1]) * 10 ** random.uniform(-1, 1.2) / step
        parts[f"hinge{i}"] = {"type": "joint.revolute", "between": ["ground", f"rotor{i}"], "at": place, "axis": axis,
                              "initial": {"angle": random.uniform(-3, 3), "velocity": speed}}
        if pushed:
            parts[f"push{i}"] = {"type": "rotational.torque", "at": f"hinge{i}", "value": inertia * random.uniform(-0.3, 0.3) / step**2 * 0.02}
        if random.random() < 0.5:
            place = [c + random.uniform(-2, 2) for c in place]
    return {"gravity": [0, 0, 0], "components": parts, "simulate": {"until": 100 * step, "step": step}}


def angle(model, name, t):
    """Of a hinge at a time: the rate is constant, or changes evenly."""
    start = model["components"][name]["initial"]
    body = model["components"][model["components"][name]["between"][1]]
    torque = sum(p["value"] for p in model["components"].values() if p["type"] == "rotational.torque" and p["at"] == name)
    return start["angle"] + start["velocity"] * t + torque / body["principal_inertia"][0] * t * t / 2


def turns(bench, model, random):
    """No turn is lost or counted twice, at the ends of steps and between them, however many turns a step has."""
    step, until, found = model["simulate"]["step"], model["simulate"]["until"], []
    times = sorted(random.uniform(step, until) for _ in range(30))
    for simulate in ({}, {"output_at": times}, {"adaptive": True, "tolerance": 1e-3, "step": None, "output_at": times},
                     {"scheme": "variational"}, {"step": None, "steps": [0.7 * step, 1.9 * step], "output_at": times}):
        run = bench.run(model, **simulate)
        for name, part in model["components"].items():
            if part["type"] == "joint.revolute":
                off = max(abs(a - angle(model, name, t)) for a, t in zip(run.channels[f"{name}.angle"], run.time))
                if off > 0.5:  # a turn is 6.3
                    found.append(f"{name} is off by {off:.3g} rad, of {angle(model, name, until):.3g}, with "
                                 + (", ".join(k for k in simulate if k != "output_at") or "steps of one size"))
    return found


def connected(bench, model, random):
    """An angle that something connects to, and so is an unknown, counts as one that is only told."""
    other, found = copy.deepcopy(model), []
    for name, part in model["components"].items():
        if part["type"] == "joint.revolute":
            other["components"][f"idle_{name}"] = {"type": "rotational.torque", "at": name, "value": 0.0}
    first, second = bench.run(model), bench.run(other)
    for name, part in model["components"].items():
        if part["type"] == "joint.revolute":
            off = max(abs(a - b) for a, b in zip(first.channels[f"{name}.angle"], second.channels[f"{name}.angle"]))
            if off > 0.5:
                found.append(f"{name} differs by {off:.3g} rad when it is connected")
    return found


RELATIONS = [turns, connected]
