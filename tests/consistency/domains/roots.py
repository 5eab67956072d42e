"""Flows through orifices, which follow roots and stay in their range; and growth that has no solution in long steps. All with closed solutions."""

import math

NAME = "roots"
WITH = ("checked", "permuted", "flattened")


def generate(random):
    """Tanks of one time, so that the run ends before any of them is empty or full; or states that grow like 1/(1 - t)."""
    count, steps = random.randint(1, 3), random.choice([25, 50, 100, 200])
    if random.random() < 0.4:
        until, steps = 10 ** random.uniform(-1, 1), random.choice([5, 6, 8])
        parts = {f"growth{i}": growing(random, random.uniform(0.8, 0.88) / until) for i in range(count)}
    else:
        until = 10 ** random.uniform(-1, 2)
        parts = {f"tank{i}": random.choice([draining, filling, orifice])(random, until * (1 + 10 ** random.uniform(-3.5, -0.5))) for i in range(count)}
    return {"components": parts, "simulate": {"until": until, "step": until / steps}}


def growing(random, value):
    return {"type": "math.equations", "unknowns": {"x": {"kind": "state", "initial": value}}, "equations": {"x": "der(x) = x*x"}}


def draining(random, end):
    """x' = -k sqrt(x): sqrt(x) falls along a line, to zero at 2 sqrt(x)/k."""
    level = 10 ** random.uniform(-1, 1)
    return {"type": "math.equations", "unknowns": {"x": {"kind": "state", "initial": level}},
            "equations": {"x": f"der(x) = -({2 * math.sqrt(level) / end!r})*sqrt(x)"}}


def filling(random, end):
    supply = 10 ** random.uniform(-1, 1)
    return {"type": "math.equations", "unknowns": {"x": {"kind": "state", "initial": 0.0}},
            "equations": {"x": f"der(x) = ({2 * math.sqrt(supply) / end!r})*sqrt({supply!r} - x)"}}


def orifice(random, end):
    """The same with the flow as a signal, in the sizes of hydraulics."""
    supply, capacity = 10 ** random.uniform(5.5, 7.5), 10 ** random.uniform(-13, -11)
    return {"type": "math.equations", "unknowns": {"x": {"kind": "state", "initial": 0.0, "nominal": 1e7}, "Q": {"kind": "signal", "nominal": 1e-4}},
            "equations": {"x": f"der({capacity!r}*x) = Q", "Q": f"Q = ({2 * math.sqrt(supply) / end * capacity!r})*sqrt({supply!r} - x)"}}


def numbers(text):
    """Those of an equation in their order."""
    return [float(w) for w in text.replace("(", " ").replace(")", " ").replace("*", " ").split() if w[0].isdigit()]


def solution(part, t):
    """(x, its range) at a time, as the equations of the component have it; None once that is over."""
    begin, law = part["unknowns"]["x"]["initial"], part["equations"]["x"]
    if "x*x" in law:
        return (begin / (1 - begin * t) if begin * t < 1 else None), begin
    if "Q" in law:
        (capacity,), (factor, supply) = numbers(law), numbers(part["equations"]["Q"])
        factor /= capacity
    elif "- x" in law:
        factor, supply = numbers(law)
    else:
        (factor,), supply = numbers(law), 0.0
    root = math.sqrt(abs(supply - begin)) - factor * t / 2
    return (None if root < 0 else supply - math.copysign(root * root, supply - begin)), abs(supply - begin)


def grows(model):
    return any("x*x" in p["equations"]["x"] for p in model["components"].values())


def settings(random):
    return random.choice([{}, {"rho": 0}, {"rho": 0.5}, {"rho": 1}, {"scheme": "variational"}])


def whole_steps(bench, model, random):
    """What stays in the range of its roots is stepped over in whole steps, and follows its parabola."""
    if grows(model):
        return []
    simulate, found = settings(random), []
    run = bench.run(model, **simulate)
    if run.summary["substeps"] or "W-SUBSTEPS" in run.warnings:
        found.append(f"{run.summary['substeps']} substeps with {simulate}")
    count = model["simulate"]["until"] / model["simulate"]["step"]
    for name, part in model["components"].items():
        exact = [solution(part, t) for t in run.time]
        worst = max(abs(x - e) / size for x, (e, size) in zip(run.channels[f"{name}.x"], exact) if e is not None)
        if worst > 0.5 / count**2 + 1e-9:
            found.append(f"{name} is off by {worst:.3g} of its range with {simulate}, {0.5 / count**2:.2g} is expected")
    return found


def halved_steps(bench, model, random):
    """Growth that a step does not follow: the run goes on in parts of steps, tells it, and ends on its grid of times with what shorter steps give."""
    if not grows(model):
        return []
    simulate, step, found = random.choice([{}, {"scheme": "variational"}]), model["simulate"]["step"], []
    run, fine = bench.run(model, **simulate), bench.run(model, step=step / 64, output_every=64, **simulate)
    if [round(t / step, 6) for t in run.time] != list(range(len(fine.time))):
        found.append(f"rows that are not at the ends of steps with {simulate}")
    if ("W-SUBSTEPS" in run.warnings) != (run.summary["substeps"] > 0):
        found.append("substeps and no warning of them, or a warning of none")
    for name, part in model["components"].items():
        for which, result, most in (("long", run, 0.1), ("short", fine, 0.005)):
            # errors of x grow like x^2: of 1/x they stay
            worst = max(abs(1 / x - 1 / solution(part, t)[0]) * part["unknowns"]["x"]["initial"] for x, t in zip(result.channels[f"{name}.x"], result.time))
            if worst > most:
                found.append(f"1/{name}.x is off by {worst:.3g} of its value at the start in {which} steps with {simulate}")
    return found


RELATIONS = [whole_steps, halved_steps]
