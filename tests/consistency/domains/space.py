"""Bodies in space: trees and loops of joints, springs between points, springs and dampers on joints.

Joints join frames that the model declares, so that the axes in which loads are told are known: each body has `in`, and one frame per
joint that goes on from it. In the design position the frames of a joint coincide."""

import copy
import math

import rotation
from judge import Floors, same, stem
from program import Refused

NAME = "space"
JOINTS = {"revolute": {"rotation": ""}, "prismatic": {"translation": ""}, "spherical": {}, "universal": {"rotation": ".first"},
          "cylindrical": {"rotation": ".rotation", "translation": ".translation"}, "fixed": {}}


def generate(random):
    parts = {"base": {"type": "body.anchor", "frames": {}}}
    poses = {"base": ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])}
    for i in range(random.randint(1, 3)):
        add_body(random, parts, poses, i)
    bodies = [n for n in poses if n != "base"]
    for i in range(random.randint(0, 2)):
        a, b = random.sample(list(poses), 2)
        parts[f"spring{i}"] = {"type": "force.spring", "between": [point(random, parts, a, i), point(random, parts, b, i)],
                               "stiffness": random.uniform(2, 30), "damping": random.choice([0.0, random.uniform(0.05, 0.5)])}
    calm(parts, bodies)
    if random.random() < 0.4 and freedoms(parts, bodies[-1]) > 1:
        parts["loop"] = {"type": "joint.distance", "between": [point(random, parts, "base", 8), point(random, parts, bodies[-1], 8)]}
        drop_velocities(parts)
    for body in bodies:
        for axis in ("com", "com_x", "com_y"):
            parts[f"sensor_{body}_{axis}"] = {"type": "sensor.accelerometer", "at": f"{body}.{axis}"}
    return {"gravity": [random.uniform(-4, 4), random.uniform(-4, 4), random.uniform(-10, -4)], "components": parts, "simulate": {"until": 0.8, "step": 0.008}}


FREEDOMS = {"revolute": 1, "prismatic": 1, "spherical": 3, "universal": 2, "cylindrical": 2, "fixed": 0}


def joint_of(parts, body):
    """The joint that carries a body: its kind, and the body before."""
    joint = parts[f"j{body[1:]}"]
    return joint["type"].split(".")[1], joint["between"][0].split(".")[0]


def freedoms(parts, body):
    """From the base to a body: a loop that leaves none would have reactions that are not unique."""
    count = 0
    while body != "base":
        kind, body = joint_of(parts, body)
        count += FREEDOMS[kind]
    return count


def calm(parts, bodies):
    """What carries others by joints without coordinates does not spin at the start: they would have to, too."""
    for body in bodies:
        kind, carrier = joint_of(parts, body)
        if kind in ("fixed", "spherical") and carrier != "base":
            for key in ("velocity", "angular_velocity"):
                parts[carrier]["initial"].pop(key, None)


def add_body(random, parts, poses, i):
    parent, name = random.choice(list(poses)), f"b{i}"
    place, turn = poses[parent]
    out = {"position": [random.uniform(-0.6, 0.6) for _ in range(3)], "quaternion": rotation.arbitrary(random)}
    inner = {"position": [random.uniform(-0.6, 0.6) for _ in range(3)], "quaternion": rotation.arbitrary(random)}
    com = [random.uniform(-0.2, 0.2) for _ in range(3)]
    # pose of the body: its frame `in` where the parent's frame is
    orientation = rotation.times(rotation.times(turn, out["quaternion"]), rotation.inverse(inner["quaternion"]))
    origin = rotation.less(rotation.add(place, rotation.apply(turn, out["position"])), rotation.apply(orientation, inner["position"]))
    parts[parent]["frames"][f"out{i}"] = out
    beside = {f"com_{k}": {"position": rotation.add(com, e)} for k, e in (("x", [1.0, 0.0, 0.0]), ("y", [0.0, 1.0, 0.0]))}
    # any three numbers that fulfil the triangle inequality are moments of inertia
    a, b, c = (random.uniform(0.02, 0.2) for _ in range(3))
    parts[name] = {"type": "body.rigid", "mass": random.uniform(0.5, 2), "com": com, "inertia": tensor(random, [b + c, c + a, a + b]),
                   "frames": {"in": inner, **beside}, "initial": {"position": origin, "quaternion": orientation}}
    kind = random.choice(list(JOINTS))
    parts[f"j{i}"] = {"type": f"joint.{kind}", "between": [f"{parent}.out{i}", f"{name}.in"], **initial(random, kind)}
    if kind == "spherical" and parent == "base":
        parts[name]["initial"].update(spinning(random, parts[name], inner))
    for domain, coordinate in JOINTS[kind].items():
        law = "translational" if domain == "translation" else "rotational"
        if domain == "translation" or random.random() < 0.5:
            parts[f"k{i}_{domain}"] = {"type": f"{law}.spring", "stiffness": random.uniform(10, 60), "between": ["ground", f"j{i}{coordinate}"]}
        if random.random() < 0.4:
            parts[f"d{i}_{domain}"] = {"type": f"{law}.damper", "damping": random.uniform(0.02, 0.5), "between": ["ground", f"j{i}{coordinate}"]}
    poses[name] = (origin, orientation)


def tensor(random, principal):
    turn = rotation.arbitrary(random)
    columns = [rotation.apply(turn, e) for e in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])]
    return [[sum(p * axis[i] * axis[j] for p, axis in zip(principal, columns)) for j in range(3)] for i in range(3)]


def initial(random, kind):
    given = {"revolute": {"angle": 1, "velocity": 2}, "prismatic": {"displacement": 0.2, "velocity": 0.5},
             "universal": {"angle_a": 0.5, "angle_b": 0.5, "velocity_a": 1, "velocity_b": 1},
             "cylindrical": {"angle": 1, "angular_velocity": 2, "displacement": 0.2, "velocity": 0.5}}.get(kind, {})
    return {"initial": {k: random.uniform(-v, v) for k, v in given.items()}} if given else {}


def spinning(random, body, inner):
    """Velocities of a body that turns about its frame `in`."""
    spin = [random.uniform(-2, 2) for _ in range(3)]
    velocity = rotation.apply(body["initial"]["quaternion"], rotation.cross(spin, rotation.scaled(-1, inner["position"])))
    return {"angular_velocity": spin, "velocity": velocity}


def point(random, parts, body, i):
    parts[body]["frames"][f"point{i}"] = {"position": [random.uniform(-1, 1) for _ in range(3)]}
    return f"{body}.point{i}"


def drop_velocities(parts):
    for part in parts.values():
        part["initial"] = {k: v for k, v in part.get("initial", {}).items() if k in ("position", "quaternion")}
        if not part["initial"]:
            del part["initial"]


# -- what holds ------------------------------------------------------------------------------------------------------------


def vector(run, channel, i, parts="xyz"):
    return [run.channels[f"{channel}.{k}"][i] for k in parts]


def frame(model, run, name, i):
    """Place and orientation of a frame in a row."""
    body, _, label = name.partition(".")
    part = model["components"].get(body, {"type": "body.anchor"})
    if part["type"] == "body.anchor":
        place, turn = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    else:
        place, turn = vector(run, f"{body}.position", i), vector(run, f"{body}.quaternion", i, "wxyz")
    inner = part.get("frames", {}).get(label, {})
    return (rotation.add(place, rotation.apply(turn, inner.get("position", [0.0, 0.0, 0.0]))),
            rotation.times(turn, inner.get("quaternion", [1.0, 0.0, 0.0, 0.0])))


def loads(model, run, i):
    """(body, force, torque about the origin of the world) of all joints and springs, by what they tell."""
    for name, part in model["components"].items():
        ends = part.get("between", [])
        if part["type"].startswith("joint.") and part["type"] != "joint.distance":
            _, turn = frame(model, run, ends[0], i)
            at, _ = frame(model, run, ends[1], i)
            force, torque = (rotation.apply(turn, vector(run, f"{name}.{c}", i)) for c in ("force", "torque"))
        elif part["type"] in ("joint.distance", "force.spring"):
            (at, _), (there, _) = frame(model, run, ends[1], i), frame(model, run, ends[0], i)
            line = rotation.less(there, at)
            pull = run.channels[f"{name}.tension" if f"{name}.tension" in run.channels else f"{name}.force"][i]
            force, torque = rotation.scaled(pull / sum(c * c for c in line) ** 0.5, line), [0.0, 0.0, 0.0]
        elif part["type"].startswith(("rotational.", "translational.")):
            ends, at, force, torque = on_coordinate(model, run, name, i)
        else:
            continue
        torque = rotation.add(torque, rotation.cross(at, force))
        yield ends[1].split(".")[0], force, torque
        yield ends[0].split(".")[0], rotation.scaled(-1, force), rotation.scaled(-1, torque)


def on_coordinate(model, run, name, i):
    """What a spring or damper on a joint does to its second body: not part of the load that the joint tells."""
    joint = model["components"][model["components"][name]["between"][1].split(".")[0]]
    at, _ = frame(model, run, joint["between"][1], i)
    _, turn = frame(model, run, joint["between"][0], i)
    axis = rotation.apply(turn, [1.0, 0.0, 0.0] if joint["type"] == "joint.universal" else [0.0, 0.0, 1.0])
    if f"{name}.force" in run.channels:
        return joint["between"], at, rotation.scaled(-run.channels[f"{name}.force"][i], axis), [0.0, 0.0, 0.0]
    return joint["between"], at, [0.0, 0.0, 0.0], rotation.scaled(-run.channels[f"{name}.torque"][i], axis)


def newton_euler(bench, model, random):
    """Mass and inertia times the measured accelerations are the loads that joints and springs tell, and the weight: in every row."""
    run, found = bench.run(model), {}
    floors = Floors(run, model["simulate"]["step"])
    bodies = {n: p for n, p in model["components"].items()
              if p["type"] == "body.rigid" and all(f"sensor_{n}_{k}" in model["components"] for k in ("com", "com_x", "com_y"))}
    loaded = [n for n, p in model["components"].items() if p["type"].startswith(("joint.", "force.", "rotational.", "translational."))]
    floor = sum(floors[c] for n in loaded for c in run.channels if c.startswith(n + ".") and c.endswith(("force.x", "torque.x", ".tension", ".force", ".torque")))
    for i in range(0, len(run.time), 5):
        everything = list(loads(model, run, i))
        for name, body in bodies.items():
            force = rotation.add([0.0] * 3, *(f for b, f, _ in everything if b == name))
            moment = rotation.add([0.0] * 3, *(t for b, _, t in everything if b == name))
            off = balance(run, name, body, i, force, moment)
            found[name] = max(found.get(name, 0), off)
    return [f"loads on {name} and its accelerations are off by {off:.3g} (allowed {20 * floor:.2g})" for name, off in found.items()
            if off > 20 * floor + 1e-7]


def balance(run, name, body, i, force, moment):
    """How far m (a - g) = F and J dw/dt + w x J w = M are off, about the centre of mass."""
    turn = vector(run, f"{name}.quaternion", i, "wxyz")
    spin = vector(run, f"{name}.angular_velocity", i)
    centre = rotation.add(vector(run, f"{name}.position", i), rotation.apply(turn, body["com"]))
    felt, felt_x, felt_y = (vector(run, f"sensor_{name}_{k}.output", i, "123") for k in ("com", "com_x", "com_y"))
    along_x = rotation.less(rotation.less(felt_x, felt), rotation.cross(spin, rotation.cross(spin, [1.0, 0.0, 0.0])))
    along_y = rotation.less(rotation.less(felt_y, felt), rotation.cross(spin, rotation.cross(spin, [0.0, 1.0, 0.0])))
    turning = [along_y[2], -along_x[2], along_x[1]]  # a = dw/dt x r
    J = body["inertia"]
    momentum = [sum(J[r][c] * spin[c] for c in range(3)) for r in range(3)]
    euler = rotation.add([sum(J[r][c] * turning[c] for c in range(3)) for r in range(3)], rotation.cross(spin, momentum))
    about_centre = rotation.less(moment, rotation.cross(centre, force))
    return max(map(abs, [*rotation.less(rotation.scaled(body["mass"], rotation.apply(turn, felt)), force),
                         *rotation.less(rotation.apply(turn, euler), about_centre)]))


def turned(bench, model, random):
    """The world turned: poses and weight turn with it, what is told in the axes of bodies stays."""
    turn, other = rotation.arbitrary(random), copy.deepcopy(model)
    other["gravity"] = rotation.apply(turn, model["gravity"])
    for part in other["components"].values():
        if part["type"] == "body.anchor":
            part["quaternion"] = turn
        elif part["type"] == "body.rigid":
            start = part["initial"]
            start["quaternion"] = rotation.times(turn, start["quaternion"])
            start.update({k: rotation.apply(turn, start[k]) for k in ("position", "velocity") if k in start})
    first, expected = bench.run(model), copy.copy(bench.run(model))
    expected.channels = dict(first.channels)
    for name in list(first.channels):
        if name.endswith((".position.x", ".velocity.x")) and ".angular" not in name:
            turn_vector(expected, name[:-2], lambda v: rotation.apply(turn, v))
        elif name.endswith(".quaternion.w") and name.startswith("b"):
            turn_vector(expected, name[:-2], lambda q: rotation.times(turn, q), "wxyz")
    second = bench.run(other)
    drop_energy(expected)
    return same(expected, second, model["simulate"]["step"], 50)


def turn_vector(run, channel, change, parts="xyz"):
    rows = [change(list(v)) for v in zip(*(run.channels[f"{channel}.{k}"] for k in parts))]
    for k, column in zip(parts, zip(*rows)):
        run.channels[f"{channel}.{k}"] = column


def drop_energy(run):
    run.channels = {n: v for n, v in run.channels.items() if not n.endswith(".energy")}


def mirrored(bench, model, random):
    """The mirror image at x = 0: vectors lose the sign of x, rotations that of y and z."""
    flip, spin = (lambda v: [-v[0], *v[1:]]), (lambda w: [w[0], -w[1], -w[2]])
    if any(p["type"] in ("joint.cylindrical", "joint.revolute", "joint.universal", "joint.prismatic") for p in model["components"].values()):
        return []  # the sign of their coordinates depends on the hand of their axes
    turn = lambda q: [q[0], q[1], -q[2], -q[3]]  # noqa: E731
    other = copy.deepcopy(model)
    other["gravity"] = flip(model["gravity"])
    for part in other["components"].values():
        for place in [*part.get("frames", {}).values(), part.get("initial", {})]:
            place.update({k: flip(place[k]) for k in ("position", "velocity") if k in place})
            place.update({k: turn(place[k]) for k in ("quaternion",) if k in place})
            place.update({k: spin(place[k]) for k in ("angular_velocity",) if k in place})
        if part["type"] == "body.rigid":
            part["com"] = flip(part["com"])
            part["inertia"] = [[v * (-1 if (r == 0) != (c == 0) else 1) for c, v in enumerate(row)] for r, row in enumerate(part["inertia"])]
    # the sensors beside the centre of mass are mirrored with it: com_x measures on the other side
    first, expected = bench.run(model), copy.copy(bench.run(model))
    expected.channels = dict(first.channels)
    for name in list(first.channels):
        if name.endswith((".position.x", ".velocity.x", ".force.x")) and ".angular" not in name:
            turn_vector(expected, name[:-2], flip)
        elif name.endswith((".angular_velocity.x", ".torque.x")):
            turn_vector(expected, name[:-2], spin)
        elif name.endswith(".quaternion.w"):
            turn_vector(expected, name[:-2], turn, "wxyz")
        elif name.endswith(".output.1"):
            turn_vector(expected, name[:-2], flip, "123")
    drop_energy(expected)
    return same(expected, bench.run(other), model["simulate"]["step"], 50)


def rescaled(bench, model, random):
    """Masses times m, lengths times s: the same angles, forces times m s, torques times m s^2."""
    m, s = 10 ** random.uniform(-1, 1), 10 ** random.uniform(-1, 1)
    other = copy.deepcopy(model)
    other["gravity"] = rotation.scaled(s, model["gravity"])
    for part in other["components"].values():
        for place in [*part.get("frames", {}).values(), part.get("initial", {})]:
            if part["type"] == "joint.revolute":
                continue
            if part["type"] == "joint.universal":
                break
            for key, value in place.items():
                if key in ("position", "displacement") or key == "velocity":
                    place[key] = rotation.scaled(s, value) if isinstance(value, list) else s * value
        if part["type"] == "body.rigid":
            part["mass"] *= m
            part["com"] = rotation.scaled(s, part["com"])
            part["inertia"] = [rotation.scaled(m * s * s, row) for row in part["inertia"]]
            # the sensors measure at the ends of vectors of length one: those are longer or shorter now
        factor = m * s * s if part["type"].startswith("rotational.") else m
        part.update({k: part[k] * factor for k in ("stiffness", "damping") if k in part})
    first, second = bench.run(model), copy.copy(bench.run(other))
    second.channels = {n: [x / size(model, n, m, s) for x in v] for n, v in second.channels.items() if not n.endswith(".energy")}
    return same(first, second, model["simulate"]["step"], 50 * max(1, 1 / s, 1 / (m * s), 1 / (m * s * s)))


def size(model, channel, m, s):
    """By what a channel of the rescaled model is larger."""
    kind = model["components"][channel.split(".")[0]]["type"]
    quantity = stem(channel).split(".")[-1]
    if quantity == "force" or quantity == "tension":
        return m * s
    if quantity == "torque":
        return m * s * s
    turning = kind.startswith("rotational.") or kind in ("joint.revolute", "joint.universal")
    if quantity in ("position", "displacement", "length", "elongation", "output") or (quantity == "velocity" and not turning):
        return s
    return 1.0


def branches(bench, model, random):
    """Bodies thrown anywhere and assembled: every joint ends on the branch on which its frames coincide, but for what it leaves free."""
    other = {**copy.deepcopy(model), "start": "assembled"}
    for part in other["components"].values():
        if part["type"] == "body.rigid":
            part["initial"] = {"position": [random.uniform(-1, 1) for _ in range(3)], "quaternion": rotation.arbitrary(random)}
        elif part["type"].startswith("joint."):
            part.pop("initial", None)
    try:
        run = bench.run(other, until=3 * model["simulate"]["step"])
    except Refused as refused:
        if "E-START" in refused.codes:
            return []  # it may tell that it finds no way
        raise
    found = []
    for name, part in model["components"].items():
        if part["type"] in STRAIGHT:
            off = max(STRAIGHT[part["type"]](between(other, run, part, i)) for i in range(len(run.time)))
            if off > 1e-4:
                found.append(f"{name}, a {part['type']}, is turned by what it holds: {off:.3g}")
    return found


def between(model, run, part, i):
    """Orientation of B's frame as A's frame sees it."""
    (_, a), (_, b) = (frame(model, run, end, i) for end in part["between"])
    return rotation.times(rotation.inverse(a), b)


def tilted(q):
    """How far the axes z are from pointing the same way."""
    return max(map(abs, rotation.less(rotation.apply(q, [0.0, 0.0, 1.0]), [0.0, 0.0, 1.0])))


STRAIGHT = {"joint.fixed": lambda q: max(map(abs, q[1:])), "joint.prismatic": lambda q: max(map(abs, q[1:])),
            "joint.revolute": tilted, "joint.cylindrical": tilted}


def opposed(bench, model, random):
    """A body that hangs the wrong way round on its joint, where products of axes vanish as well, is refused."""
    parts, found = model["components"], []
    inner_bodies = {p["between"][0].split(".")[0] for p in parts.values() if "between" in p}
    for joint, part in parts.items():
        if part["type"] not in STRAIGHT or part["between"][1].split(".")[0] in inner_bodies:
            continue
        halves = [rotation.about(axis, math.pi) for axis in ([1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0])]
        thirds = [rotation.about([random.choice([-1, 1]) for _ in range(3)], 2 * math.pi / 3)]
        for wrong in (halves[:2] if STRAIGHT[part["type"]] is tilted else halves + thirds):
            try:
                bench.run(turned_on(model, joint, wrong), until=3 * model["simulate"]["step"])
            except Refused as refused:
                if "E-START" in refused.codes:
                    continue
                raise
            found.append(f"{joint}, a {part['type']}, begins turned by {wrong}, and is taken")
    return found


def turned_on(model, joint, wrong):
    """The joints and bodies alone, at rest, the last body turned about its frame `in`."""
    parts = {n: p for n, p in copy.deepcopy(model["components"]).items() if p["type"].startswith(("body.", "joint.")) and p["type"] != "joint.distance"}
    drop_velocities({n: p for n, p in parts.items() if p["type"] == "body.rigid"})
    for part in parts.values():
        if part["type"].startswith("joint."):
            part.pop("initial", None)
    body = parts[parts[joint]["between"][1].split(".")[0]]
    place, inner = body["initial"], body["frames"]["in"]
    at = rotation.times(place["quaternion"], inner["quaternion"])
    origin = rotation.add(place["position"], rotation.apply(place["quaternion"], inner["position"]))
    turn = rotation.times(rotation.times(at, wrong), rotation.inverse(inner["quaternion"]))
    body["initial"] = {"quaternion": turn, "position": rotation.less(origin, rotation.apply(turn, inner["position"]))}
    return {**model, "components": parts}


RELATIONS = [branches, opposed, rescaled, newton_euler, turned, mirrored]
