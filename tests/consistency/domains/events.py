"""Events: how often a source passes a threshold, and for how long it is above. Both are known exactly."""

import math

from program import changed

NAME = "events"
WITHOUT = ("energy", "by_set", "as_parameters", "schemes")


def generate(random):
    until, step, parts = 2.0, 0.02, {}
    for i in range(random.randint(1, 5)):
        place = crossing_time(random, until, step)
        source, threshold = SOURCES[random.choice(list(SOURCES))](random, place, until)
        parts.update({f"{n}{i}": p for n, p in source.items()})
        signal = f"source{i}.position" if source["source"]["type"] == "translational.mass" else f"source{i}"
        direction = random.choice(["rising", "falling", "both"])
        parts[f"count{i}"] = {"type": "control.variable", "value": 0}
        parts[f"passed{i}"] = {"type": "event.crossing", "inputs": {"u": signal, "n": f"count{i}"}, "expression": f"u - ({threshold!r}{' m' if '.' in signal else ''})",
                               "direction": direction, "set": {f"count{i}": "n + 1"}}
        parts[f"above{i}"] = {"type": "control.comparison", "input": signal, "constant": threshold}
        parts[f"time{i}"] = {"type": "control.integrator", "input": f"above{i}"}
    return {"components": parts, "simulate": {"until": until, "step": step}}


def crossing_time(random, until, step):
    """Anywhere, or next to the end of a step, the start, the end."""
    near = random.choice([0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3]) * step
    return random.choice([random.uniform(0, until), random.randint(1, round(until / step) - 1) * step + near, abs(near), until - abs(near)])


def sine(random, place, until):
    part = {"type": "control.sine", "amplitude": random.uniform(0.2, 5), "frequency": random.uniform(0.3, 8), "phase": random.uniform(-3, 3),
            "offset": random.uniform(-1, 1)}
    turn = 2 * math.pi * part["frequency"] * place + part["phase"]
    if abs(math.cos(turn)) < 0.1:  # no touching at the top
        part["phase"] += 1
        turn += 1
    return {"source": part}, part["offset"] + part["amplitude"] * math.sin(turn)


def saw(random, place, until):
    period, top = random.uniform(0.1, 0.9), random.uniform(0.5, 4)
    return {"source": {"type": "control.time_table", "table": [[0, 0], [period, top]], "beyond": "repeat"}}, inside(top * (place % period) / period, top)


def triangle(random, place, until):
    period, top = random.uniform(0.1, 0.9), random.uniform(0.5, 4)
    late = place % period
    value = top * (2 * late / period if late < period / 2 else 2 - 2 * late / period)
    return {"source": {"type": "control.time_table", "table": [[0, 0], [period / 2, top], [period, 0]], "beyond": "repeat"}}, inside(value, top)


def inside(value, top):
    """Not at the corners of a table: whether it touches or passes them is a question of rounding."""
    return min(max(value, 0.01 * top), 0.99 * top)


def moving(random, place, until):
    speed, begin = random.choice([-1, 1]) * random.uniform(0.3, 4), random.uniform(-1, 1)
    return {"source": {"type": "translational.mass", "mass": 1.0, "initial": {"position": begin, "velocity": speed}}}, begin + speed * place


def ramp(random, place, until):
    slope, begin = random.choice([-1, 1]) * random.uniform(0.3, 4), random.uniform(-1, 1)
    return {"source": {"type": "control.ramp", "slope": slope, "offset": begin}}, begin + slope * place


SOURCES = {"sine": sine, "saw": saw, "triangle": triangle, "moving": moving, "ramp": ramp}


def crossings(part, threshold, until):
    """(time, rising) of all crossings before `until` and a little after."""
    if part["type"] == "control.sine":
        angle = math.asin((threshold - part["offset"]) / part["amplitude"])
        for base, rising in ((angle, True), (math.pi - angle, False)):
            for turn in range(-3, int(part["frequency"] * until) + 4):
                yield (base + 2 * math.pi * turn - part["phase"]) / (2 * math.pi * part["frequency"]), rising
    elif part["type"] == "control.time_table":
        (_, bottom), *points = part["table"]
        period, top = points[-1][0], points[0][1]
        for turn in range(-1, int(until / period) + 2):
            rise = points[0][0] * (threshold - bottom) / (top - bottom)
            yield turn * period + rise, True
            yield turn * period + (period if len(points) == 1 else period - rise), False
    else:
        begin, speed = (part["initial"]["position"], part["initial"]["velocity"]) if "initial" in part else (part["offset"], part["slope"])
        yield (threshold - begin) / speed, speed > 0


def counts(bench, model, random):
    """Counted crossings and times above the threshold are the exact ones, whatever the steps."""
    simulate = random.choice([{}, {"scheme": "variational"}, {"scheme": "spook"}, {"adaptive": True, "tolerance": 1e-3, "step": None},
                              {"adaptive": True, "tolerance": 1e-5, "step": None}, {"step": 0.13}, {"step": None, "steps": [0.013, 0.031]},
                              {"rho": 0}, {"until": 2.0371}, {"output_every": "0.007 s"}])
    run, until, found = bench.run(model, **simulate), changed(model, simulate)["simulate"]["until"], []
    for name, part in model["components"].items():
        if part["type"] != "event.crossing":
            continue
        index = name.removeprefix("passed")
        threshold = float(part["expression"][5:-1].split()[0])
        all_of_them = list(crossings(model["components"][f"source{index}"], threshold, until))
        counted = [t for t, rising in all_of_them if part["direction"] in ("both", "rising" if rising else "falling")]
        unsure = 1e-9  # what happens within this of the start or the end may count or not
        least = sum(unsure < t < until - unsure for t in counted)
        most = sum(-unsure <= t <= until + unsure for t in counted)
        seen = run.channels[f"count{index}.output"][-1]
        if not least <= seen <= most:
            found.append(f"{name} counted {seen:g} crossings instead of {least}" + (f" to {most}" if most > least else "") + f" with {simulate}")
        if f"time{index}.output" in run.channels or f"time{index}" in run.channels:
            above = run.channels.get(f"time{index}.output", run.channels.get(f"time{index}"))[-1]
            exact = time_above(all_of_them, until)
            if abs(above - exact) > 1e-8 + 1e-10 * len(all_of_them):
                found.append(f"time{index}: {above!r} s above the threshold instead of {exact!r} s with {simulate}")
    return found


def time_above(crossings, until):
    times, total = sorted(crossings), 0.0
    edges = [(t, rising) for t, rising in times if 0 < t < until]
    before = [rising for t, rising in times if t <= 0]
    high = before[-1] if before else not (edges[0][1] if edges else times[0][1])
    last = 0.0
    for t, rising in edges:
        total += (t - last) if high else 0.0
        last, high = t, rising
    return total + ((until - last) if high else 0.0)


RELATIONS = [counts]
