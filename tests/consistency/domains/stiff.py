"""Parts that are much faster than the steps: light masses in dampers, capacitors behind resistors, short lags. All have closed solutions."""

import math

NAME = "stiff"
WITH = ("checked", "permuted", "with_strangers", "in_subsystem", "flattened", "longer")


def generate(random):
    parts, nodes, step = {}, [], 10 ** random.uniform(-3, -1)
    for i in range(random.randint(1, 4)):
        constant = step * 10 ** random.uniform(-7, -1)  # in which it decays
        late = random.choice([random.randint(5, 12), random.uniform(5, 12)]) * step
        KINDS[random.choice(list(KINDS))](random, parts, nodes, i, constant, late)
    model = {"components": parts, "simulate": {"until": 20 * step, "step": step}}
    return {"nodes": {"electrical": nodes}, **model} if nodes else model


def force(random, parts, i, late, size):
    """A signal that jumps."""
    parts[f"jump{i}"] = {"type": "control.step", "time": late, "before": random.uniform(-size, size), "after": random.uniform(-size, size)}


def light(random, parts, nodes, i, constant, late):
    damping = 10 ** random.uniform(-1, 2)
    parts[f"mass{i}"] = {"type": "translational.mass", "mass": damping * constant,
                         "initial": {"position": random.uniform(-1, 1), "velocity": random.choice([0.0, random.uniform(-10, 10)])}}
    parts[f"damper{i}"] = {"type": "translational.damper", "damping": damping, "between": ["ground", f"mass{i}"]}
    force(random, parts, i, late, damping)
    parts[f"push{i}"] = {"type": "translational.force", "at": f"mass{i}", "input": f"jump{i}"}


def charged(random, parts, nodes, i, constant, late):
    resistance = 10 ** random.uniform(0, 4)
    nodes += [f"a{i}", f"b{i}"]
    force(random, parts, i, late, 10)
    parts[f"source{i}"] = {"type": "electric.voltage_source", "input": f"jump{i}", "between": [f"a{i}", "ground"]}
    parts[f"resistor{i}"] = {"type": "electric.resistor", "resistance": resistance, "between": [f"a{i}", f"b{i}"]}
    parts[f"capacitor{i}"] = {"type": "electric.capacitor", "capacitance": constant / resistance, "initial": {"voltage": random.uniform(-5, 5)},
                              "between": [f"b{i}", "ground"]}
    parts[f"sum{i}"] = {"type": "control.integrator", "input": f"b{i}.voltage"}


def lagging(random, parts, nodes, i, constant, late):
    force(random, parts, i, late, 5)
    parts[f"lag{i}"] = {"type": "control.first_order", "time_constant": constant, "input": f"jump{i}", "initial": {"output": random.uniform(-5, 5)}}
    parts[f"sum{i}"] = {"type": "control.integrator", "input": f"lag{i}"}


KINDS = {f.__name__: f for f in (light, charged, lagging)}


def known(parts):
    """(channel, its rate y: exact solution is that of T y' = r(t) - y, channel' = y or channel = y), read from the model."""
    for name, part in parts.items():
        index = name.lstrip("abcdefghijklmnopqrstuvwxyz")
        jump = parts.get(f"jump{index}")
        if part["type"] == "translational.mass" and f"damper{index}" in parts:
            damping = parts[f"damper{index}"]["damping"]
            rest = [jump[k] / damping if jump and f"push{index}" in parts else 0.0 for k in ("before", "after")]
            yield (f"{name}.position", part["initial"]["position"], part["initial"]["velocity"], rest, jump and jump["time"], part["mass"] / damping)
        elif part["type"] == "control.integrator":
            lag, capacitor = parts.get(f"lag{index}"), parts.get(f"capacitor{index}")
            constant = lag["time_constant"] if lag else capacitor["capacitance"] * parts[f"resistor{index}"]["resistance"]
            begin = lag["initial"]["output"] if lag else capacitor["initial"]["voltage"]
            yield f"{name}.output", 0.0, begin, [jump["before"], jump["after"]], jump["time"], constant


def integral(begin, rest, constant, t):
    """(y, its integral) of T y' = rest - y after a time t."""
    gone = -math.expm1(-t / constant)
    return begin + (rest - begin) * gone, rest * t + (begin - rest) * constant * gone


def solution(t, x, y, rest, late, constant):
    first = min(t, late) if late is not None else t
    y, way = integral(y, rest[0], constant, first)
    return x + way + (integral(y, rest[1], constant, t - late)[1] if first < t else 0.0)


def off(run, model, share, steps):
    """Complaints where what is left of a motion that has died out is off by more than a share of it."""
    step, found = model["simulate"]["step"], []
    for channel, x, y, rest, late, constant in known(model["components"]):
        allowed = share * constant * max(abs(rest[0] - y), abs(rest[1] - rest[0])) + 1e-9 * (1 + abs(x) + max(map(abs, rest)) * model["simulate"]["until"])
        for t, seen in zip(run.time, run.channels[channel]):
            if any(b < t + 1e-9 * step and t < b + steps * step for b in (0.0, late or 0.0)):
                continue
            if abs(seen - solution(t, x, y, rest, late, constant)) > allowed:
                found.append(f"{channel} is off by {abs(seen - solution(t, x, y, rest, late, constant)):.3g} at {t!r} s (T = {constant:.3g} s, allowed {allowed:.3g})")
                break
    return found


def exact(bench, model, random):
    """Where fast motions have died out, what moved is where it belongs; whatever the damping of the scheme."""
    rho = random.choice([0.0, 0.3, 0.5, 0.8, 0.95, 1.0])
    return [f"{c}, rho {rho}" for c in off(bench.run(model, rho=rho), model, 2e-3, 3.5)]


def tight(bench, model, random):
    """Adaptive steps with small tolerances come to the end, complain of nothing, and keep the tolerance; what has died out costs no steps."""
    tolerance, bench.patience = 10 ** random.uniform(-8, -4), 30  # seconds, where a tenth of one is usual
    run = bench.run(model, adaptive=True, tolerance=tolerance, step=None)
    shortest = min([constant for *_, constant in known(model["components"])], default=1) * tolerance**0.5 / 10
    told = {"W-ROUNDING"} | ({"W-TOLERANCE"} if shortest > 1e-11 * model["simulate"]["until"] else set())  # no step is shorter (T-step-5)
    found = [f"{code} at tolerance {tolerance:.2g}" for code in sorted(run.warnings & told)]
    size = max([1.0, *(abs(v) for channel, *_ in known(model["components"]) for v in run.channels[channel])])
    for channel, x, y, rest, late, constant in known(model["components"]):
        worst = max(abs(seen - solution(t, x, y, rest, late, constant)) for t, seen in zip(run.time, run.channels[channel]))
        if worst > 100 * tolerance * size:
            found.append(f"{channel} is off by {worst:.3g} at tolerance {tolerance:.2g}")
    return found


RELATIONS = [exact, tight]
