"""Sampled loops around continuous plants."""

import math

from judge import REFINEMENTS, Floors, distance, same
from relations import halved

NAME = "sampled"
WITHOUT = ("energy",)


def generate(random):
    parts = {}
    for i in range(random.randint(1, 3)):
        period = random.choice([0.05, 0.1, random.uniform(0.03, 0.2)])
        timing = {"period": period, "offset": random.choice([0.0, random.uniform(0, 0.1)]), "delay": random.choice([0.0, random.uniform(0.1, 0.9) * period])}
        parts[f"target{i}"] = random.choice([{"type": "control.constant", "value": random.uniform(0.5, 2)},
                                             {"type": "control.sine", "amplitude": random.uniform(0.5, 2), "frequency": random.uniform(0.1, 0.8),
                                              "phase": random.uniform(0.2, 3)}])
        parts[f"plant{i}"] = {"type": "control.first_order", "gain": random.uniform(0.5, 2), "time_constant": random.uniform(0.2, 1),
                              "input": f"controller{i}", "initial": {"output": random.uniform(-1, 1)}}
        parts[f"controller{i}"] = {**random.choice([
            {"type": "sampled.pid", "kp": random.uniform(0.5, 2), "setpoint": f"target{i}", "measurement": f"plant{i}"},
            {"type": "sampled.pid", "kp": random.uniform(0.5, 2), "ki": random.uniform(0, 3), "setpoint": f"target{i}", "measurement": f"plant{i}"},
            {"type": "sampled.hold", "input": f"target{i}"},
            {"type": "sampled.transfer_function", "numerator": [0.3, 0.2], "denominator": [1.0, -random.uniform(0.2, 0.8)], "input": f"target{i}"},
        ]), **timing}
    return {"components": parts, "simulate": {"until": 2.0, "step": 0.02}}


def recursion(bench, model, random):
    """A lag behind a sampled P controller: between changes of the output it follows an exponential, exactly."""
    suspects = {}
    for k in range(2, 2 + REFINEMENTS):
        coarse, fine = halved(bench, model, k - 1), halved(bench, model, k)
        floors, suspects = Floors(fine, model["simulate"]["step"] / 2**k), {}
        for name, controller in model["components"].items():
            index = name.removeprefix("controller")
            target = model["components"].get(f"target{index}", {})
            if controller["type"] != "sampled.pid" or "ki" in controller or target.get("type") != "control.constant":
                continue
            plant = model["components"][f"plant{index}"]
            exact = [closed(plant, controller, target["value"], t) for t in fine.time]
            channel = f"plant{index}.output"
            moved = distance(coarse.channels[channel], fine.channels[channel])
            limit = [f + (f - c) / 3 for c, f in zip(coarse.channels[channel], fine.channels[channel])]
            if distance(limit, exact) > moved / 2 + 3 * floors[channel]:
                suspects[channel] = f"{channel} tends to something {distance(limit, exact):.3g} away from the closed solution (last halving {moved:.3g})"
        if not suspects:
            return []
    return list(suspects.values())


def closed(plant, controller, target, t):
    """y at t: y' = (K u - y)/T, u = kp (r - y(t_k)) from t_k + delay on, t_k = offset + k period."""
    now, y, u, k, waiting = 0.0, plant["initial"]["output"], 0.0, 0, []
    while True:
        sample = controller["offset"] + k * controller["period"]
        instant = min([sample, *(w[0] for w in waiting)])
        if instant > t:
            break
        y, now = follow(plant, y, u, instant - now), instant
        if waiting and waiting[0][0] <= sample:
            u = waiting.pop(0)[1]
        else:
            demand = controller["kp"] * (target - y)
            k += 1
            if controller["delay"]:
                waiting.append((sample + controller["delay"], demand))
            else:
                u = demand
    return follow(plant, y, u, t - now)


def follow(plant, y, u, span):
    rest = plant["gain"] * u
    return rest + (y - rest) * math.exp(-span / plant["time_constant"])


def by_switches(bench, model, random):
    """Targets that come through a relay, which was never anywhere else: the same from the first sample on."""
    parts = {}
    for name, part in model["components"].items():
        if not name.startswith("target"):
            parts[name] = part
            continue
        high = random.random() < 0.5
        parts[f"hand_{name}"] = {"type": "control.constant", "value": 1.0 if high else -1.0}
        if part["type"] == "control.constant":
            level = {"high": part["value"], "low": -3.0} if high else {"high": -3.0, "low": part["value"]}
            parts[name] = {"type": "control.relay", "input": f"hand_{name}", **level}
        else:
            parts[f"raw_{name}"] = part
            parts[f"open_{name}"] = {"type": "control.relay", "input": f"hand_{name}", **({"high": 1.0, "low": 0.0} if high else {"high": 0.0, "low": 1.0})}
            parts[name] = {"type": "control.product", "inputs": [f"raw_{name}", f"open_{name}"]}
    return same(bench.run(model), bench.run({**model, "components": parts}), model["simulate"]["step"])


RELATIONS = [recursion, by_switches]
