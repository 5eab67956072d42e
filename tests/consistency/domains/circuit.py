"""Circuits: ladders of resistors, coils, capacitors, diodes, controlled sources."""

import copy

from judge import LOWEST_RATIO, REFINEMENTS, Floors, distance, same
from relations import halved

NAME = "circuit"


def generate(random):
    count = random.randint(1, 4)
    nodes = [f"n{i}" for i in range(count + 1)]
    parts = {"v0": {"type": "electric.voltage_source", **waveform(random), "between": ["n0", "ground"]}}
    for i in range(count):
        parts[f"r{i}"] = resistor(random, [nodes[i], nodes[i + 1]])
        parts[f"g{i}"] = resistor(random, [nodes[i + 1], "ground"])
        shunt = random.random()
        if shunt < 0.6:
            parts[f"c{i}"] = {"type": "electric.capacitor", "capacitance": random.uniform(0.05, 0.5), "measure_current": True,
                              "initial": {"voltage": random.uniform(-1, 1)}, "between": [nodes[i + 1], "ground"]}
        elif shunt < 0.8:
            parts[f"l{i}"] = {"type": "electric.inductor", "inductance": random.uniform(0.3, 2), "initial": {"current": random.uniform(-0.5, 0.5)},
                              "between": [nodes[i + 1], random.choice(["ground", nodes[i]])]}
        if random.random() < 0.3:
            parts[f"d{i}"] = {"type": "electric.diode", "saturation_current": 10 ** random.uniform(-12, -6), "emission": random.uniform(1, 2),
                              "series_resistance": random.uniform(0.3, 2),
                              "between": random.choice([[nodes[i + 1], "ground"], ["ground", nodes[i + 1]], [nodes[i], nodes[i + 1]]])}
        elif random.random() < 0.3:
            parts[f"s{i}"] = {"type": "electric.vccs", "transconductance": random.uniform(-0.4, 0.4), "between": [nodes[i + 1], "ground"],
                              "control": [random.choice(nodes), "ground"]}
    if random.random() < 0.3:
        nodes += ["x0"]
        parts["e0"] = {"type": "electric.vcvs", "gain": random.uniform(-3, 3), "between": ["x0", "ground"], "control": [nodes[1], "ground"]}
        parts["load"] = resistor(random, ["x0", random.choice(["ground", nodes[count]])])
    return {"nodes": {"electrical": nodes}, "components": parts, "simulate": {"until": 1.0, "step": 0.005}}


def resistor(random, between):
    return {"type": "electric.resistor", "resistance": random.uniform(0.5, 5), "between": between}


def waveform(random):
    kind = random.random()
    if kind < 0.6:
        return {"sine": {"offset": random.uniform(-1, 1), "amplitude": random.uniform(0.5, 3), "frequency": random.uniform(0.2, 1.5)}}
    if kind < 0.8:
        return {"pulse": {"low": random.uniform(-1, 0), "high": random.uniform(0.5, 2), "delay": random.uniform(0.1, 0.5), "rise": random.uniform(0.1, 0.3),
                          "fall": random.uniform(0.1, 0.3), "width": random.uniform(0.1, 0.5), "period": 1.3}}
    return {"value": random.uniform(0.5, 3)}


def pins(part):
    """(pin, factor) by which the current channel leaves a node."""
    return list(zip(part["between"], (1, -1)))


def kirchhoff(bench, model, random):
    """In every row the currents of a node add up to zero, voltages are differences, resistors obey Ohm's law."""
    run, complaints = bench.run(model), []
    floors = Floors(run, model["simulate"]["step"])
    for node in model["nodes"]["electrical"]:
        currents = [(f"{n}.current", f) for n, p in model["components"].items() for pin, f in pins(p) if pin == node]
        off = max(abs(sum(f * run.channels[c][i] for c, f in currents)) for i in range(len(run.time)))
        if off > 10 * sum(floors[c] for c, _ in currents):
            complaints.append(f"currents at {node} add up to {off:.3g}")
    for name, part in model["components"].items():
        voltage = [run.channels.get(f"{pin}.voltage", [0.0] * len(run.time)) for pin in part["between"]]
        off = distance(run.channels[f"{name}.voltage"], [a - b for a, b in zip(*voltage)])
        if off > 10 * floors[f"{name}.voltage"]:
            complaints.append(f"voltage of {name} is off by {off:.3g}")
        if "resistance" in part and part["type"] == "electric.resistor":
            off = distance(run.channels[f"{name}.voltage"], [part["resistance"] * i for i in run.channels[f"{name}.current"]])
            if off > 10 * floors[f"{name}.voltage"]:
                complaints.append(f"{name} is off Ohm's law by {off:.3g}")
    return complaints


def charge(bench, model, random):
    """What flows into a capacitor is what is on it: the integral by the trapezoidal rule, off by O(h^2)."""
    names = [n for n, p in model["components"].items() if p["type"] == "electric.capacitor"]
    step, before, suspects = model["simulate"]["step"], {}, set(names)
    for k in range(3 + REFINEMENTS):
        if not suspects:
            return []
        run = bench.run(model, step=step / 2**k)
        floors = Floors(run, step / 2**k)
        for name in sorted(suspects):
            i, v, c = run.channels[f"{name}.current"], run.channels[f"{name}.voltage"], model["components"][name]["capacitance"]
            flown = sum((b - a) * (x + y) / 2 for a, b, x, y in zip(run.time, run.time[1:], i, i[1:]))
            off = abs(flown - c * (v[-1] - v[0]))
            if off <= 100 * floors[f"{name}.voltage"] * (1 + c) or (k > 1 and off * LOWEST_RATIO <= before[name]):
                suspects.discard(name)
            before[name] = off
    return [f"charge on {n} is off by {before[n]:.3g}" for n in sorted(suspects)]


def as_netlist(bench, model, random):
    """The same circuit as a SPICE netlist."""
    cards = ["* the same circuit"]
    for name, part in model["components"].items():
        card = CARDS.get(part["type"])
        if not card:
            return []
        cards += card(name, part)
    nodes = {n for p in model["components"].values() for n in p["between"] if n != "ground"}
    outer = {"components": {"net": {"use": "net.cir", "connect": {n: n for n in sorted(nodes)}}}, "nodes": {"electrical": sorted(nodes)},
             "simulate": model["simulate"]}
    run = copy.copy(bench.run(outer, files=(("net.cir", "\n".join([*cards, ".end", ""])),)))
    run.channels = {rename(n): v for n, v in run.channels.items()}
    unmeasured = {**model, "components": {n: {k: v for k, v in p.items() if k != "measure_current"} for n, p in model["components"].items()}}
    return same(bench.run(unmeasured), run, model["simulate"]["step"], 10)


LETTERS = {"electric.resistor": "r", "electric.capacitor": "c", "electric.inductor": "l", "electric.voltage_source": "v", "electric.diode": "d",
           "electric.vccs": "g", "electric.vcvs": "e"}


def device(name, part):
    return f"{LETTERS[part['type']]}_{name}"


def rename(channel):
    if not channel.startswith("net."):
        return channel
    channel = channel[4:]
    return channel[2:] if channel[1:2] == "_" else channel


def line(name, part, *values):
    pin = lambda n: "0" if n == "ground" else n  # noqa: E731
    return " ".join([device(name, part), *map(pin, part["between"]), *map(str, values)])


def source(name, part):
    if "sine" in part:
        s = part["sine"]
        return [line(name, part, f"SIN({s['offset']!r} {s['amplitude']!r} {s['frequency']!r})")]
    if "pulse" in part:
        return [line(name, part, "PULSE(" + " ".join(repr(part["pulse"][k]) for k in ("low", "high", "delay", "rise", "fall", "width", "period")) + ")")]
    return [line(name, part, repr(part["value"]))]


def control(name, part, value):
    return [line(name, part, *("0" if n == "ground" else n for n in part["control"]), value)]


CARDS = {
    "electric.resistor": lambda n, p: [line(n, p, repr(p["resistance"]))],
    "electric.capacitor": lambda n, p: [line(n, p, repr(p["capacitance"]), f"IC={p['initial']['voltage']!r}")],
    "electric.inductor": lambda n, p: [line(n, p, repr(p["inductance"]), f"IC={p['initial']['current']!r}")],
    "electric.voltage_source": source,
    "electric.diode": lambda n, p: [line(n, p, f"model_{n}"), f".model model_{n} D(IS={p['saturation_current']!r} N={p['emission']!r} RS={p['series_resistance']!r})"],
    "electric.vccs": lambda n, p: control(n, p, repr(p["transconductance"])),
    "electric.vcvs": lambda n, p: control(n, p, repr(p["gain"])),
}

SCALES = {"resistance": (1, 0), "series_resistance": (1, 0), "inductance": (1, 1), "capacitance": (-1, 1), "saturation_current": (-1, 0),
          "transconductance": (-1, 0), "frequency": (0, -1), "delay": (0, 1), "rise": (0, 1), "fall": (0, 1), "width": (0, 1), "period": (0, 1), "current": (-1, 0)}


def rescaled(bench, model, random):
    """Impedances times a factor, time times another: the same voltages, currents divided by the factor."""
    impedance, time = 10 ** random.uniform(-1, 4), 10 ** random.uniform(-4, 1)

    def scale(key, value):
        if isinstance(value, dict):
            return {k: scale(k, v) for k, v in value.items()}
        by_impedance, by_time = SCALES.get(key, (0, 0))
        return value * impedance**by_impedance * time**by_time if isinstance(value, float) else value

    simulate = {k: v * time for k, v in model["simulate"].items()}
    other = bench.run({**model, "components": {n: scale(n, p) for n, p in model["components"].items()}, "simulate": simulate})
    first, second = bench.run(model), copy.copy(other)
    second.time, second.events = [t / time for t in other.time], [t / time for t in other.events]
    second.channels = {n: [x * impedance for x in v] if n.endswith(".current") else v for n, v in other.channels.items() if not n.endswith((".charge", ".flux"))}
    # currents of 1/impedance are judged against 1 A (T-newton-1)
    return same(first, second, model["simulate"]["step"], 10 * max(1, impedance))


def by_switches(bench, model, random):
    """A closed switch of a resistance is that resistance, from before the start on: the operating point goes through it."""
    resistance = random.uniform(0.5, 3)
    parts = {n: {k: v for k, v in p.items() if k != "initial"} for n, p in model["components"].items()}
    if "v0" not in parts:
        return []
    parts["v0"] = {**parts["v0"], "between": ["feed", "ground"]}
    nodes = {"electrical": [*model["nodes"]["electrical"], "feed"]}
    closed = {"hand": {"type": "control.constant", "value": 1.0},
              "joined": {"type": "electric.switch", "input": "hand", "threshold": 0.1, "on_resistance": resistance, "between": ["feed", "n0"]}}
    plain = {"joined": {"type": "electric.resistor", "resistance": resistance, "between": ["feed", "n0"]}}
    # up to the first corner of a source: what settles there depends on the unknowns that there are (T-settle)
    first, second = (bench.run({**model, "nodes": nodes, "components": {**parts, **extra}}, until=15 * model["simulate"]["step"]) for extra in (plain, closed))
    return same(first, second, model["simulate"]["step"], 10)


RELATIONS = [by_switches, rescaled, kirchhoff, charge, as_netlist]
