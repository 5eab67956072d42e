"""Staircases of whole numbers against thresholds that are whole numbers, too: clocks, counters, steps, held samples, ramps that end. Equality counts."""

import math

NAME = "thresholds"
WITH = ("checked", "permuted", "flattened", "twice", "longer")


def generate(random):
    parts = {}
    for i in range(random.randint(1, 3)):
        parts[f"stairs{i}"] = random.choice([clock, table, ramp])(random)
        signal = f"stairs{i}"
        if random.random() < 0.3:
            parts[f"held{i}"] = {"type": "sampled.hold", "period": 0.05 * random.randint(1, 6), "input": signal}
            signal = f"held{i}"
        for k in range(random.randint(1, 2)):
            level, relation = random.randint(-2, 2), random.choice([">", ">=", "<", "<="])
            if random.random() < 0.5:
                parts[f"above{i}{k}"] = {"type": "control.comparison", "input": signal, "relation": relation, "constant": float(level)}
            else:
                parts[f"above{i}{k}"] = {"type": "control.expression", "inputs": {"u": signal}, "expression": f"u {relation} ({level}) ? 1 : 0"}
            parts[f"time{i}{k}"] = {"type": "control.integrator", "input": f"above{i}{k}"}
    step = random.choice([0.013, 0.05, 0.1, 0.37])
    return {"components": parts, "simulate": {"until": step * math.ceil(random.choice([1.0, 2.3, 4.0]) / step), "step": step}}


def clock(random):
    low, period = float(random.randint(-2, 1)), random.choice([0.25, 0.4, 0.7])
    return {"type": "control.pulse", "offset": low, "amplitude": float(random.randint(1, 2)), "period": period, "width": period * random.choice([0.25, 0.5])}


def table(random):
    """Lines between whole numbers, some of them level."""
    points, t = [], 0.0
    for _ in range(random.randint(2, 6)):
        points.append([t, float(random.randint(-2, 2))])
        t += random.uniform(0.1, 0.8)
    return {"type": "control.time_table", "table": points}


def ramp(random):
    """A ramp from one whole number to another, where it ends."""
    first, last = random.sample(range(-2, 3), 2)
    start, length = random.uniform(0.05, 0.5), random.uniform(0.1, 0.6)
    return {"type": "control.time_table", "table": [[start, float(first)], [start + length, float(last)]]}


def holds(relation, a, b):
    return {">": a > b, ">=": a >= b, "<": a < b, "<=": a <= b}[relation]


def pieces(part, until):
    """(from, to, value, value at the end) of straight lines."""
    if part["type"] == "control.pulse":
        list_, t, k = [], 0.0, 0
        while t < until:
            edge, end = k * part["period"] + part["width"], (k + 1) * part["period"]
            list_ += [(t, min(edge, until), part["offset"] + part["amplitude"], part["offset"] + part["amplitude"]), (min(edge, until), min(end, until), part["offset"], part["offset"])]
            t, k = end, k + 1
        return list_
    points = part["table"]
    list_ = [(0.0, min(points[0][0], until), points[0][1], points[0][1])]
    for (a, u), (b, v) in zip(points, points[1:]):
        if a < until:
            end = min(b, until)
            list_.append((a, end, u, u + (v - u) * (end - a) / (b - a)))
    if points[-1][0] < until:
        list_.append((points[-1][0], until, points[-1][1], points[-1][1]))
    return list_


def value(part, t):
    for a, b, u, v in reversed(pieces(part, t + 1.0)):
        if a <= t:
            return u if b == a else u + (v - u) * (t - a) / (b - a)
    return part["table"][0][1]


def time_true(relation, level, of):
    total = 0.0
    for a, b, u, v in of:
        if u == v:
            total += (b - a) * holds(relation, u, level)
        else:
            split = min(max((level - u) / (v - u), 0.0), 1.0)
            total += (b - a) * (split * holds(relation, u + 0.5 * split * (v - u), level) if split > 0 else 0.0)
            total += (b - a) * ((1 - split) * holds(relation, v - 0.5 * (1 - split) * (v - u), level) if split < 1 else 0.0)
    return total


def equality(bench, model, random):
    """How long each comparison holds, by any scheme."""
    parts, until = model["components"], model["simulate"]["until"]
    simulate = random.choice([{}, {"scheme": "variational"}, {"adaptive": True, "tolerance": 1e-4, "step": None}, {"rho": 0.0}])
    run, found = bench.run(model, **simulate), []
    for name, part in parts.items():
        if part["type"] != "control.integrator" or part["input"] not in parts:
            continue
        test = parts[part["input"]]
        if test["type"] == "control.comparison":
            signal, relation, level = test["input"], test["relation"], test["constant"]
        else:
            signal = test["inputs"]["u"]
            _, relation, rest = test["expression"].split(" ", 2)
            level = float(rest.split(")")[0].strip("("))
        if signal not in parts or parts[signal].get("input", "stairs") not in (*parts, "stairs"):
            continue
        if parts[signal]["type"] == "sampled.hold":
            held, period, k, of = parts[parts[signal]["input"]], parts[signal]["period"], 0, []
            ambiguous = False  # a sample at the instant of a jump
            while k * period < until:
                t = k * period
                u = value(held, t)
                ambiguous = ambiguous or (k > 0 and abs(value(held, t - 1e-9) - value(held, t + 1e-9)) > 1e-6) or abs(u - round(u)) < 1e-9 and u != level and abs(u - level) < 1e-6
                of.append((t, min(t + period, until), u, u))
                k += 1
            if ambiguous or any(0 < abs(u - level) < 1e-9 for _, _, u, _ in of):
                continue
        else:
            of = pieces(parts[signal], until)
        exact = time_true(relation, level, of)
        if abs(run.channels[f"{name}.output"][-1] - exact) > 1e-8 * (1 + until):
            found.append(f"{part['input']}: `{relation} {level}` holds for {run.channels[f'{name}.output'][-1]!r} s instead of {exact!r} s with {simulate}")
    return found


RELATIONS = [equality]
