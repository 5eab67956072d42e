"""Expressions that jump and bend, behind lags and on masses; equations of signals, tiny ones too, and with branches in which they would be singular."""

import math
import re

NAME = "expressions"
WITH = ("checked", "order", "order_of_prescribed_steps", "schemes", "adaptive", "rows", "recorded", "permuted", "in_subsystem", "twice", "with_strangers", "through_gains", "longer",
        "flattened", "resumed")


def generate(random):
    parts = {}
    if random.random() < 0.35:
        for i in range(random.randint(1, 3)):
            wave(random, parts, f"u{i}")
            parts[f"e{i}"] = random.choice([cubic, guarded])(random, parts[f"u{i}"], f"u{i}")
        return {"components": parts, "simulate": {"until": 1.0, "step": 0.02}}
    for i in range(random.randint(1, 2)):
        wave(random, parts, f"u{i}")
        wave(random, parts, f"w{i}")
        parts[f"law{i}"] = {"type": "control.expression", "inputs": {"u": f"u{i}", "w": f"w{i}"}, "expression": law(random, parts[f"u{i}"])}
        parts[f"lag{i}"] = random.choice([{"type": "control.integrator", "input": f"law{i}"},
                                          {"type": "control.first_order", "time_constant": random.uniform(0.2, 1), "input": f"law{i}"}])
    if random.random() < 0.6:
        parts["m"] = {"type": "translational.mass", "mass": random.uniform(0.5, 2), "initial": {"position": random.uniform(-0.5, 0.5), "velocity": random.uniform(1, 2)}}
        parts["k"] = {"type": "control.expression", "inputs": {"x": "m.position", "v": "m.velocity"}, "unit": "N", "expression": hold(random)}
        parts["f"] = {"type": "translational.force", "at": "m", "input": "k"}
    return {"components": parts, "simulate": {"until": 1.5, "step": 0.015}}


def wave(random, parts, name):
    parts[name] = {"type": "control.sine", "amplitude": random.uniform(0.5, 2), "frequency": random.uniform(0.3, 1.2), "phase": random.uniform(0, 6)}


def passed(random, source):
    """A threshold that the source passes, and does not touch."""
    return repr(source["amplitude"] * random.uniform(-0.7, 0.7))


def law(random, source):
    c, a, b = passed(random, source), repr(random.uniform(0.5, 2)), repr(random.uniform(-2, -0.5))
    return random.choice([f"abs(u - ({c}))*{a}", f"max(u, {c}) + {a}*w", f"min({a}*u, ({c})*{a})*w", f"u > {c} ? {a}*w : ({b})*w", f"sign(u - ({c}))*(1 + w^2)",
                          f"u > {c} ? {a} : ({b})", f"abs(u) > {abs(float(c))!r} ? u : {a}*w", f"(u - ({c}))*abs(u - ({c}))", f"({a}*u < ({c})*{a}) * w + u"])


def hold(random):
    """Springs that hold the mass and jump or bend where it passes with some speed."""
    k, l = (f"({random.uniform(5, 30)!r} N/m)" for _ in range(2))
    return random.choice([f"x > 0 ? -{k}*x : -{l}*x", f"-{k}*x - (0.4 N*s^2/m^2)*abs(v)*v", f"-{k}*x - max(x - (0.1 m), 0)*{l}", f"-max({k}*x, {l}*x)",
                          f"-{k}*x + (x > (0.05 m) ? -(0.4 N) : (0.4 N))", f"-{k}*x - abs(x)*(1 N/m)"])


def cubic(random, source, name):
    """y + b y^3 = a u: its solution is about as large as a, which is anything from usual to nearly nothing."""
    size = 10 ** random.uniform(-10, 0)
    return {"type": "math.equations", "inputs": {"u": name}, "unknowns": {"y": {"kind": "signal"}},
            "equations": {"y": f"y + {random.uniform(0.5, 5) / size**2!r}*y^3 = {size!r}*u"}}


def guarded(random, source, name):
    """The branch that never comes does not determine y. What is usual, from 0.5 to 1, lies in it."""
    above = random.random() < 0.5
    source["offset"] = (source["amplitude"] + random.uniform(1.3, 3)) * (1 if above else -1)
    beyond = repr(random.uniform(1.05, 1.2) if above else random.uniform(-1.2, 0.4))
    whole, empty = f"y + y^3 - {random.uniform(0.5, 2)!r}*u", f"u - ({beyond})"
    law = random.choice([f"u {'>' if above else '<'} {beyond} ? {whole} : {empty}", f"u {'<' if above else '>'} {beyond} ? {empty} : {whole}"])
    return {"type": "math.equations", "inputs": {"u": name}, "unknowns": {"y": {"kind": "signal"}}, "equations": {"y": f"({law}) = 0"}}


def small_signals(bench, model, random):
    """Equations of signals hold to a small part of what stands in them, however small that is: those of the model, and others of the same waves, each alone,
    since what is larger would have Newton's method go on."""
    found = list(unsolved(bench.run(model), model["components"]))
    for name, wave in model["components"].items():
        if wave["type"] == "control.sine":
            parts = {name: wave, f"tiny_{name}": cubic(random, wave, name)}
            found += unsolved(bench.run({**model, "components": parts}), parts)
    return found


def unsolved(run, parts):
    for name, part in parts.items():
        match = re.fullmatch(r"y \+ (\S+)\*y\^3 = (\S+)\*u", part.get("equations", {}).get("y", ""))
        if not match:
            continue
        cube, gain = map(float, match.groups())
        for t, y, u in zip(run.time, run.channels[f"{name}.y"], run.channels[f"{part['inputs']['u']}.output"]):
            off = abs(y + cube * y**3 - gain * u)
            if off > 5e-4 * gain * max(abs(u), 0.1):
                yield f"{name}.y, {y:.6g}, is off its equation by {off / gain:.3g} of what is in it, at {t!r} s"
                break


def evaluated(law):
    """An expression of u and w as a function; it has one ?: at most, outside of all brackets."""
    text = re.sub(r"^(.*) \? (.*) : (.*)$", r"(\2) if (\1) else (\3)", law).replace("^", "**")
    names = {"abs": abs, "min": min, "max": max, "sign": lambda x: (x > 0) - (x < 0)}
    return eval(f"lambda u, w: {text}", names)  # noqa: S307, the text is that of law() above


def integrals(bench, model, random):
    """What an integrator makes of an expression of waves is its integral: a jump or a corner that is stepped over would show."""
    laws = {n: p for n, p in model["components"].items() if p["type"] == "control.expression" and set(p["inputs"]) == {"u", "w"}}
    if not laws:
        return []
    sums = {f"sum_{n}": {"type": "control.integrator", "input": n} for n in laws}
    until, count, found = model["simulate"]["until"], 60000, []
    run = bench.run({**model, "components": {**model["components"], **sums}}, step=until / 3200, output_every=100)
    for name, law in laws.items():
        waves, f = [model["components"][law["inputs"][k]] for k in "uw"], evaluated(law["expression"])
        values = [f(*(a["amplitude"] * math.sin(2 * math.pi * a["frequency"] * (i + 0.5) * until / count + a["phase"]) for a in waves)) for i in range(count)]
        exact, size = sum(values) * until / count, max(map(abs, values))
        off = abs(run.channels[f"sum_{name}.output"][-1] - exact)
        if off > 4e-5 * size * until:  # of the scheme h^2/12 times the slope, of this sum half an interval at each jump
            found.append(f"the integral of {law['expression']} is off by {off:.3g} ({exact:.6g})")
    return found


RELATIONS = [small_signals, integrals]
