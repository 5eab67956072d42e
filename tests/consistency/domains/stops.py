"""Masses that stick, strike and play: friction, stops, backlash, relays, switches, ideal diodes."""

from judge import Floors

NAME = "stops"


def generate(random):
    parts, nodes = {}, []
    for i in range(random.randint(1, 3)):
        name = f"m{i}"
        parts[name] = {"type": "translational.mass", "mass": random.uniform(0.5, 2),
                       "initial": {"position": random.uniform(-0.2, 0.2), "velocity": random.uniform(-1, 1)}}
        parts[f"k{i}"] = {"type": "translational.spring", "stiffness": random.uniform(5, 40), "between": ["ground", name]}
        parts[f"u{i}"] = {"type": "control.sine", "amplitude": random.uniform(1, 5), "frequency": random.uniform(0.3, 1.5), "phase": random.uniform(0.2, 6)}
        parts[f"f{i}"] = {"type": "translational.force", "at": name, "input": f"u{i}"}
        for kind in random.sample(list(KINDS), random.randint(1, 2)):
            if kind == "coupling" and i == 0:
                continue
            parts[f"{kind}{i}"] = KINDS[kind](random, name, f"m{i - 1}")
    if random.random() < 0.4:
        nodes = ["a", "b"]
        parts["mains"] = {"type": "electric.voltage_source", "sine": {"amplitude": random.uniform(2, 10), "frequency": random.uniform(0.5, 2)}, "between": ["a", "ground"]}
        parts["valve"] = random.choice([
            {"type": "electric.ideal_diode", "knee_voltage": random.uniform(0, 0.7), "on_resistance": random.uniform(0.01, 1), "between": ["a", "b"]},
            {"type": "electric.switch", "input": "u0", "threshold": random.uniform(-0.8, 0.8), "on_resistance": random.uniform(0.1, 1), "between": ["a", "b"]}])
        parts["load"] = {"type": "electric.resistor", "resistance": random.uniform(1, 10), "between": ["b", "ground"]}
        if random.random() < 0.5:
            parts["smooth"] = {"type": "electric.capacitor", "capacitance": random.uniform(0.05, 0.3), "initial": {"voltage": 0.0}, "between": ["b", "ground"]}
    return {**({"nodes": {"electrical": nodes}} if nodes else {}), "components": parts, "simulate": {"until": 1.5, "step": 0.005}}


def friction(random, name, other):
    coulomb = random.uniform(0.3, 2)
    breakaway = random.choice([{}, {"static": coulomb * random.uniform(1.1, 1.6), "stribeck_velocity": random.uniform(0.05, 0.3)}])
    return {"type": "translational.friction", "coulomb": coulomb, **breakaway, "viscous": random.uniform(0, 0.3), "between": ["ground", name]}


def stop(random, name, other):
    return {"type": "translational.end_stop", "lower": random.uniform(-0.5, -0.25), "upper": random.uniform(0.25, 0.5),
            "stiffness": random.uniform(200, 1000), "damping": random.uniform(0, 5), "between": ["ground", name]}


def rigid(random, name, other):
    return {"type": "translational.end_stop", "lower": random.uniform(-0.5, -0.25), "upper": random.uniform(0.25, 0.5),
            "restitution": random.uniform(0.2, 0.9), "between": ["ground", name]}


def coupling(random, name, other):
    return {"type": "translational.backlash", "gap": random.uniform(0.05, 0.3), "stiffness": random.uniform(50, 300), "damping": random.uniform(0, 2),
            "between": [other, name]}


KINDS = {f.__name__: f for f in (friction, stop, rigid, coupling)}


def limits(bench, model, random):
    """Friction never exceeds its law, stops push only, and only where they are reached."""
    run, found = bench.run(model), []
    floors = Floors(run, model["simulate"]["step"])
    for name, part in model["components"].items():
        if part["type"] == "translational.friction":
            force, velocity = run.channels[f"{name}.force"], run.channels[f"{name}.velocity"]
            most = part.get("static", part["coulomb"])
            over = max(abs(f) - most - part["viscous"] * abs(v) for f, v in zip(force, velocity))
            against = max(-f * v for f, v in zip(force, velocity))
            if over > 10 * floors[f"{name}.force"] or against > 10 * floors[f"{name}.force"]:
                found.append(f"{name}: more than its law allows by {over:.3g}, power gained {against:.3g}")
        elif part["type"] == "translational.end_stop":
            place = run.channels[f"{part['between'][1]}.position"]
            for x, f in zip(place, run.channels[f"{name}.force"]):
                beyond = max(part["lower"] - x, x - part["upper"])
                if "restitution" in part and beyond > 1e-7:
                    found.append(f"{name}: {beyond:.3g} m beyond a rigid stop")
                    break
                if abs(f) > 1e-6 and (beyond < -1e-6 or f * (x - (part["lower"] + part["upper"]) / 2) < 0):
                    found.append(f"{name}: a force of {f:.3g} N where it is free, or a pull")
                    break
    return found


RELATIONS = [limits]
