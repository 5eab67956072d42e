"""Diagrams of continuous blocks, with and without feedback."""

import copy

from judge import Floors, distance, same

NAME = "blocks"
WITHOUT = ("energy",)


def generate(random):
    parts, signals = {}, []
    for i in range(random.randint(1, 3)):
        parts[f"u{i}"] = {"type": "control.sine", "amplitude": random.uniform(0.5, 2), "frequency": random.uniform(0.2, 1.5), "phase": random.uniform(0, 6)}
        signals.append(f"u{i}")
    for i in range(random.randint(2, 7)):
        name, kind = f"b{i}", random.choice(list(BLOCKS))
        parts[name] = BLOCKS[kind](random, [random.choice(signals) for _ in range(2)])
        signals.append(name)
    if random.random() < 0.5:
        gain = random.uniform(0.5, 4)
        parts["error"] = {"type": "control.sum", "inputs": [random.choice(signals), "plant"], "signs": "+-"}
        parts["controller"] = random.choice([{"type": "control.gain", "gain": gain, "input": "error"},
                                             {"type": "control.pid", "kp": gain, "ki": random.uniform(0, 2), "kd": random.uniform(0, 0.3),
                                              "derivative_filter": 0.1, "input": "error"}])
        parts["plant"] = lag(random, ["controller"])
    return {"components": parts, "simulate": {"until": 2.0, "step": 0.02}}


def lag(random, inputs):
    return {"type": "control.first_order", "gain": random.uniform(0.5, 2), "time_constant": random.uniform(0.15, 1), "input": inputs[0],
            "initial": {"output": random.uniform(-1, 1)}}


def second(random, inputs):
    return {"type": "control.second_order", "gain": random.uniform(0.5, 2), "frequency": random.uniform(0.2, 1.5),
            "damping_ratio": random.uniform(0.05, 1.5), "input": inputs[0]}


def integrator(random, inputs):
    return {"type": "control.integrator", "gain": random.uniform(0.5, 2), "input": inputs[0], "initial": {"output": random.uniform(-1, 1)}}


def transfer(random, inputs):
    return {"type": "control.transfer_function", "numerator": [random.uniform(-1, 1) for _ in range(random.randint(1, 3))],
            "denominator": [1.0, random.uniform(1, 4), random.uniform(2, 20)], "input": inputs[0]}


def space(random, inputs):
    return {"type": "control.state_space", "A": [[random.uniform(-2, -0.5), random.uniform(-3, 3)], [random.uniform(-3, 0), random.uniform(-2, -0.5)]],
            "B": [[random.uniform(-1, 1)], [random.uniform(-1, 1)]], "C": [[1.0, random.uniform(-1, 1)]], "D": [[random.uniform(-1, 1)]],
            "input": inputs[0], "initial": {"state": [random.uniform(-1, 1), random.uniform(-1, 1)]}}


def lead(random, inputs):
    return {"type": "control.lead_lag", "numerator_time": random.uniform(0, 1), "denominator_time": random.uniform(0.15, 1), "input": inputs[0]}


def slope(random, inputs):
    return {"type": "control.derivative", "filter": random.uniform(0.15, 0.5), "input": inputs[0]}


def total(random, inputs):
    return {"type": "control.sum", "inputs": inputs, "weights": [random.uniform(-2, 2), random.uniform(-2, 2)]}


def product(random, inputs):
    return {"type": "control.product", "inputs": inputs}


def limit(random, inputs):
    return {"type": "control.tanh_saturation", "limit": random.uniform(0.5, 2), "input": inputs[0]}


def corners(random, inputs):
    return {"type": "control.saturation", "minimum": random.uniform(-1.5, -0.2), "maximum": random.uniform(0.2, 1.5), "input": inputs[0]}


def law(random, inputs):
    return {"type": "control.expression", "inputs": {"a": inputs[0], "b": inputs[1]}, "expression": f"sin(a)*{random.uniform(0.5, 2)!r} + a*b/(1 + b^2)"}


BLOCKS = {f.__name__: f for f in (lag, second, integrator, transfer, space, lead, slope, total, product, limit, corners, law)}
LINEAR = ("sine", "first_order", "second_order", "integrator", "transfer_function", "state_space", "lead_lag", "derivative", "sum", "gain", "pid")


def superposition(bench, model, random):
    """Of linear blocks: all inputs and initial values times a factor, all outputs times that factor."""
    if any(p["type"].split(".")[1] not in LINEAR for p in model["components"].values()):
        return []
    factor, other = random.uniform(-5, 5), copy.deepcopy(model)
    for part in other["components"].values():
        if "amplitude" in part:
            part["amplitude"] *= factor
        for key, value in part.get("initial", {}).items():
            part["initial"][key] = [v * factor for v in value] if isinstance(value, list) else value * factor
    first, second = bench.run(model), bench.run(other)
    floors = Floors(second, model["simulate"]["step"])
    return [f"{n} is not {factor:.3g} times as large" for n, v in first.channels.items()
            if distance([x * factor for x in v], second.channels[n]) > 5 * floors[n]]


def by_switches(bench, model, random):
    """Inputs that come through relays and switches which stay as they are: what remembers its input, filters and delays, begins with what comes through."""
    plain, switched = dict(model["components"]), {}
    for name in [n for n, p in plain.items() if p["type"] == "control.sine"]:
        plain[f"late_{name}"] = {"type": "control.delay", "input": name, "delay": random.uniform(0.05, 0.5)}
        plain[f"rate_{name}"] = slope(random, [name])
    for name, part in plain.items():
        if part["type"] != "control.sine":
            switched[name] = part
            continue
        high = random.random() < 0.5
        switched[f"raw_{name}"] = part
        switched[f"hand_{name}"] = {"type": "control.constant", "value": 1.0 if high else -1.0}
        switched[f"open_{name}"] = {"type": "control.relay", "input": f"hand_{name}", **({"high": 1.0, "low": 0.0} if high else {"high": 0.0, "low": 1.0})}
        switched[name] = {"type": "control.product", "inputs": [f"raw_{name}", f"open_{name}"]}
    first, second = (bench.run({**model, "components": parts}) for parts in (plain, switched))
    return same(first, second, model["simulate"]["step"], 10)


RELATIONS = [superposition, by_switches]
