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
    return miscounted(bench.run(model, **simulate), model, changed(model, simulate)["simulate"]["until"], f" with {simulate}")


def miscounted(run, model, until, how, late=0.0, unsure=1e-9, share=1e-10):
    """Complaints about counts and times. `late`: behind a delay; `unsure`: what happens within this of the start or the end may count or not;
    `share`: what each crossing may add to the error of the time above."""
    found = []
    for name, part in model["components"].items():
        if part["type"] != "event.crossing":
            continue
        index = name.removeprefix("passed")
        all_of_them = [(t + late, rising) for t, rising in crossings(model["components"][f"source{index}"], threshold_of(part), until)
                       if t > -unsure or not late]
        counted = [t for t, rising in all_of_them if part["direction"] in ("both", "rising" if rising else "falling")]
        least = sum(late + unsure < t < until - unsure for t in counted)
        most = sum(late - unsure <= t <= until + unsure for t in counted)
        seen = run.channels[f"count{index}.output"][-1]
        if not least <= seen <= most:
            found.append(f"{name} counted {seen:g} crossings instead of {least}" + (f" to {most}" if most > least else "") + how)
        if f"time{index}.output" in run.channels and not late:
            above = run.channels[f"time{index}.output"][-1]
            exact = time_above(all_of_them, until)
            if abs(above - exact) > 1e-8 + share * len(all_of_them):
                found.append(f"time{index}: {above!r} s above the threshold instead of {exact!r} s{how}")
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


def threshold_of(part):
    return float(part["expression"][5:-1].split()[0])


def any_tolerance(random, most=1e-2):
    return {"adaptive": True, "tolerance": most * 10 ** random.uniform(-4, 0), "step": None}


def alone(model, index):
    """One source, and what looks at it."""
    return {**model, "components": {n: p for n, p in model["components"].items() if n.lstrip("abcdefghijklmnopqrstuvwxyz") == index}}


def counts_adaptive(bench, model, random):
    """The same where the error chooses the steps; for each source alone, too, where nothing but itself tells how long they may be."""
    indices = [n.removeprefix("passed") for n, p in model["components"].items() if p["type"] == "event.crossing"]
    found = []
    for part in [model, *(alone(model, i) for i in indices)]:
        simulate = any_tolerance(random)
        found += miscounted(bench.run(part, **simulate), part, model["simulate"]["until"], f" with {simulate}")
    return found


def ended_by_an_event(bench, model, random):
    """What happens does not depend on how long the run might have been: `until` is far away, an event ends it."""
    end, farther = model["simulate"]["until"], 10 ** random.uniform(2, 6)
    clock = {"clock": {"type": "control.ramp", "slope": 1.0},
             "end": {"type": "event.crossing", "inputs": {"c": "clock"}, "expression": f"c - ({end!r})", "direction": "rising", "stop": True}}
    run = bench.run({**model, "components": {**model["components"], **clock}}, until=end * farther)
    return miscounted(run, model, end, f", ended by an event, until {end * farther:.3g} s")


def neighbours(bench, model, random):
    """Thresholds next to each other, passed within picoseconds and less: what has passed one does not pass it again on the way to the next."""
    parts = dict(model["components"])
    for name, part in model["components"].items():
        if part["type"] != "event.crossing":
            continue
        index, threshold = name.removeprefix("passed"), threshold_of(part)
        for k in range(6):
            near = threshold * (1 + random.choice([-1, 1]) * 10 ** random.uniform(-16, -11))
            parts[f"source{index}x{k}"] = model["components"][f"source{index}"]
            parts[f"count{index}x{k}"] = model["components"][f"count{index}"]
            parts[f"passed{index}x{k}"] = {**part, "inputs": {"u": part["inputs"]["u"].replace(index, f"{index}x{k}", 1), "n": f"count{index}x{k}"},
                                           "expression": part["expression"].replace(repr(threshold), repr(near)), "set": {f"count{index}x{k}": "n + 1"}}
    other, simulate = {**model, "components": parts}, random.choice([{"step": 0.13}, {"scheme": "variational"}, {"scheme": "variational", "step": 0.13}, any_tolerance(random)])
    return miscounted(bench.run(other, **simulate), other, model["simulate"]["until"], f" with {simulate}", unsure=1e-8)


def coarsely_located(bench, model, random):
    """What `event_tolerance` leaves of a function that has passed zero does not count again: the same number of crossings, times as exact as was asked for."""
    simulate = {"event_tolerance": 10 ** random.uniform(-12, -4), **random.choice([{}, {"scheme": "variational"}, any_tolerance(random)])}
    run = bench.run(model, **simulate)
    return miscounted(run, model, model["simulate"]["until"], f" with {simulate}", unsure=1e-9 + 2 * simulate["event_tolerance"],
                      share=2 * simulate["event_tolerance"])


def delayed(bench, model, random):
    """Behind a delay the same happens, later. Interpolation moves crossings a little (T-delay-3). Not of triangles: steps do not end where
    their corners come out, and what comes and goes within a step may be missed (T-event-2)."""
    late, parts = random.choice([random.uniform(0.001, 0.03), random.uniform(0.03, 0.7)]), dict(model["components"])
    triangles = {n.removeprefix("source") for n, p in parts.items() if len(p.get("table", ())) == 3}
    model = {**model, "components": {n: p for n, p in parts.items() if n.lstrip("abcdefghijklmnopqrstuvwxyz") not in triangles}}
    if not model["components"]:
        return []
    parts = dict(model["components"])
    for name, part in model["components"].items():
        if part["type"] == "event.crossing":
            index = name.removeprefix("passed")
            parts[f"late{index}"] = {"type": "control.delay", "input": part["inputs"]["u"], "delay": late}
            parts[name] = {**part, "inputs": {**part["inputs"], "u": f"late{index}"}}
            if "m)" in part["expression"]:
                parts[name]["expression"] = part["expression"].replace(" m)", ")")
    simulate = random.choice([{}, any_tolerance(random, 1e-3)])  # which is what interpolation may be off by, of a wave
    until = model["simulate"]["until"]
    run = bench.run({**model, "components": parts}, **simulate, output_at=[*sorted(random.uniform(late, until) for _ in range(40)), until])
    found = miscounted(run, model, until, f" behind a delay of {late!r} s with {simulate}", late, 1e-4)
    for name, part in parts.items():  # not of delays about as short as a step, nor at the start: there are too few samples (T-delay)
        wave = parts.get(part.get("input"), {})
        if part["type"] == "control.delay" and wave.get("type") == "control.sine":
            off = max(abs(y - value(wave, t - late)) for t, y in zip(run.time, run.channels[f"{name}.output"]) if t >= late + 0.1 or t == until)
            if late > 0.02 and off > max(1e-3, 100 * simulate.get("tolerance", 0)) * wave["amplitude"]:
                found.append(f"{name} is off by {off:.3g}, of {wave['amplitude']:.3g}, behind a delay of {late!r} s with {simulate}")
    return found


def value(part, t):
    """A source at a time."""
    if part["type"] == "control.sine":
        return part["offset"] + part["amplitude"] * math.sin(2 * math.pi * part["frequency"] * t + part["phase"])
    if part["type"] == "control.time_table":
        points = part["table"]
        t %= points[-1][0]
        (t0, y0), (t1, y1) = next((a, b) for a, b in zip(points, points[1:]) if t <= b[0])
        return y0 + (y1 - y0) * (t - t0) / (t1 - t0)
    if "initial" in part:
        return part["initial"]["position"] + part["initial"]["velocity"] * t
    return part["offset"] + part["slope"] * t


def sources(bench, model, random):
    """Rows between the ends of steps show sources, and what is made of them, as they are: steps may be as long as they like."""
    until, parts, found = model["simulate"]["until"], dict(model["components"]), []
    signals = {n: n + (".position" if "initial" in p else ".output") for n, p in parts.items() if n.startswith("source")}
    for name, channel in signals.items():
        parts[f"square_{name}"] = {"type": "control.product", "inputs": [channel, channel]}
    times, simulate = sorted(random.uniform(0.001, until) for _ in range(40)), random.choice([{"step": 0.4}, any_tolerance(random)])
    run = bench.run({**model, "components": parts}, output_at=times, **simulate)
    for name, channel in signals.items():
        part = model["components"][name]
        for i, t in enumerate(run.time):
            exact = value(part, t)
            off = max(abs(run.channels[channel][i] - exact), abs(run.channels[f"square_{name}.output"][i] - exact**2) / (1 + abs(exact)))
            if off > 1e-8 * (1 + abs(exact)) and not jumps_at(part, t):
                found.append(f"{name} is off by {off:.3g} at {t!r} s with {simulate}")
                break
    return found


def jumps_at(part, t):
    """A row at the end of a sawtooth is the one before or the one after it."""
    return part["type"] == "control.time_table" and abs((t / part["table"][-1][0] + 0.5) % 1 - 0.5) < 1e-8


RELATIONS = [counts, counts_adaptive, ended_by_an_event, neighbours, coarsely_located, delayed, sources]
