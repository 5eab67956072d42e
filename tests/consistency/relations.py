"""Relations that must hold for every model: each takes (bench, model, random) and gives complaints, none if all is well."""

import copy
import os
import re
import shutil
import signal
import subprocess
import time

from judge import LOWEST_RATIO, REACTION, REFINEMENTS, Floors, differences, extrapolated, same
from model import strings, text
from program import Refused, Run, changed

LEAST_SHARE = 0.1  # of reactions and signals, whose errors are not controlled: of a few per cent at worst
NEAR = 0.8  # of the way that something goes: steps that are not short, but resolve it (README.md)
MOST_TOLERANCES = 100  # of errors that the motion amplifies, and of what is not controlled (README.md)


def halved(bench, model, times, **simulate):
    """The run with steps divided by 2^times, rows at the ends of the undivided steps."""
    step = model["simulate"]["step"]
    return bench.run(model, step=step / 2**times, output_every=2**times, **simulate)


# -- steps --------------------------------------------------------------------------------------------------------------


def order(bench, model, random, **simulate):
    """Halving the steps divides what changes by four, in every channel."""
    runs = [halved(bench, model, k, **simulate) for k in range(4)]
    apart = [differences(a, b) for a, b in zip(runs, runs[1:])]
    suspects = unsteady(apart, Floors(runs[-1], model["simulate"]["step"] / 8))
    for k in range(4, 4 + REFINEMENTS):
        if not suspects:
            return []
        runs.append(halved(bench, model, k, **simulate))
        apart.append(differences(runs[-2], runs[-1]))
        suspects &= unsteady(apart, Floors(runs[-1], model["simulate"]["step"] / 2**k))
    return [f"{name} does not converge with order 2: successive differences {', '.join(f'{d[name]:.3g}' for d in apart)}"
            for name in sorted(suspects)]


def unsteady(apart, floors):
    """Channels whose last difference is more than a third of the one before, and more than rounding."""
    before, last = apart[-2], apart[-1]
    return {name for name, far in last.items() if far > floors[name] and not far * LOWEST_RATIO <= before[name]}


def order_of_prescribed_steps(bench, model, random):
    """The same with steps of uneven sizes."""
    pattern = [random.uniform(0.6, 1.4) for _ in range(3)]
    total = sum(pattern)
    step, until = model["simulate"]["step"], model["simulate"]["until"]
    ends = [step * 3 * k for k in range(1, int(until / step / 3))]
    runs = []
    for k in range(4 + REFINEMENTS):
        sizes = [step / 2**k * 3 * p / total for p in pattern]
        runs.append(bench.run(model, step=None, steps=sizes, output_at=ends))
        if k < 3:
            continue
        apart = [differences(a, b) for a, b in zip(runs, runs[1:])]
        suspects = unsteady(apart, Floors(runs[-1], min(sizes))) & (suspects if k > 3 else set(apart[-1]))
        if not suspects:
            return []
    return [f"{name} does not converge with order 2 (uneven steps): {', '.join(f'{d[name]:.3g}' for d in apart)}" for name in sorted(suspects)]


def rows(bench, model, random):
    """Rows at output times are the rows at steps, where they coincide."""
    simulate = model["simulate"]
    stride = random.choice([2, 3, 5])
    at_steps = bench.run(model, output_every=stride)
    times = [t for t in at_steps.time if t < simulate["until"] * (1 - 1e-9)]
    at_times = bench.run(model, output_at=times)
    return same(first_rows(at_steps, len(times)), at_times, simulate["step"])


def between_steps(bench, model, random):
    """Rows at times between the steps come from an interpolant, of second order like all else: against steps h/8 that end there."""
    step, until = model["simulate"]["step"], model["simulate"]["until"]
    suspects = None
    for k in range(1 + REFINEMENTS):
        finest = step / 2**k / 8
        times = [finest * (8 * i + random.choice([1, 3, 5, 7])) for i in range(1, int(until / finest / 8) - 1, 2**k)]
        exact, *runs = (bench.run(model, step=finest * size, output_at=times) for size in (1, 2, 4))
        half, quarter = (differences(run, exact) for run in reversed(runs))
        floors = Floors(exact, finest)
        # errors of second order are as 15 to 3, of first order as 3 to 1
        found = {n for n, far in quarter.items() if far > 3 * floors[n] and half[n] < 3.8 * far}
        suspects = found if suspects is None else suspects & found
        if not suspects:
            return []
    return [f"{n} between steps is not of second order: off by {half[n]:.3g} with h/2, {quarter[n]:.3g} with h/4" for n in sorted(suspects)]


def first_rows(run, count):
    cut = copy.copy(run)
    cut.time, cut.channels = run.time[:count], {n: v[:count] for n, v in run.channels.items()}
    return cut


def recorded(bench, model, random):
    """What is recorded, and how often, changes no digit of it."""
    everything, stride = bench.run(model), random.choice([2, 3, 7])
    part = [n for n in everything.channels if random.random() < 0.2] or list(everything.channels)[:1]
    few = bench.run({**model, "record": part}, output_every=stride)
    thinned = copy.copy(everything)
    thinned.time = everything.time[::stride]
    thinned.channels = {n: everything.channels[n][::stride] for n in few.channels}
    count = min(len(thinned.time), len(few.time))  # the end is recorded in any case
    return exactly(first_rows(thinned, count), first_rows(few, count))


def limits_apart(first, second, step):
    """Complaints where two ways, each a run with steps divided by 2^k, do not tend to the same results as h -> 0."""
    runs = [[], []]
    for k in range(3 + REFINEMENTS):
        for which, way in enumerate((first, second)):
            runs[which].append(way(k))
        if k < 2:
            continue
        limits = [extrapolated(r[-2], r[-1]) for r in runs]
        moves = [differences(r[-2], r[-1]) for r in runs]
        floors = Floors(runs[0][-1], step / 2**k)
        suspects = {}
        for name, far in differences(*limits).items():
            if far > max(moves[0][name], moves[1][name]) / 2 + 3 * floors[name]:
                suspects[name] = f"{name}: limits are {far:.3g} apart, while the last halvings moved it by {moves[0][name]:.3g} and {moves[1][name]:.3g}"
        if not suspects:
            return []
    return list(suspects.values())


def has(model, *prefixes):
    return any(part.get("type", "").startswith(prefixes) for part in model["components"].values())


def schemes(bench, model, random):
    """Every scheme tends to the same results."""
    other = random.choice(["variational", "spook", "rho 0", "rho 0.5", "trapezoidal", "hht-alpha", "index-2", "se3"])
    simulate = {"variational": {"scheme": "variational"}, "spook": {"scheme": "spook"}, "rho 0": {"rho": 0}, "rho 0.5": {"rho": 0.5},
                "trapezoidal": {"scheme": "trapezoidal", "constraints": "index-2"}, "hht-alpha": {"scheme": "hht-alpha"},
                "index-2": {"constraints": "index-2"}, "se3": {"frames": "se3"}}[other]
    found = limits_apart(lambda k: halved(bench, model, k), lambda k: halved(bench, model, k, **simulate), model["simulate"]["step"])
    return [f"{other} against generalized-alpha: {c}" for c in found]


def adaptive(bench, model, random):
    """Errors of adaptive steps follow the tolerance, towards what fixed steps tend to."""
    coarse, fine = halved(bench, model, 2), halved(bench, model, 3)
    limit, moved, complaints = extrapolated(coarse, fine), differences(coarse, fine), []
    sizes = Floors(fine, model["simulate"]["step"])
    for tolerance in (1e-3, 1e-4, 1e-5):
        run = bench.run(model, adaptive=True, tolerance=tolerance, step=None, output_at=list(fine.time))
        for name, far in differences(limit, run, MOST_TOLERANCES * tolerance).items():
            asked = tolerance * (1 + sizes.size(name))
            if REACTION.search(name):
                asked += LEAST_SHARE * sizes.size(name) / MOST_TOLERANCES
            if far > MOST_TOLERANCES * asked + moved[name]:
                complaints.append(f"{name} is off by {far:.3g} at tolerance {tolerance:g}: {far / asked:.0f} times as much as asked for (fixed steps: {moved[name]:.2g})")
    return complaints


def energy(bench, model, random):
    """What the account of energies leaves open is of order h^2."""
    accounts = []
    for k in range(4 + REFINEMENTS):
        account = halved(bench, model, k).summary.get("energy")
        if not account:
            return []  # nothing moves
        accounts.append(abs(account["error"]))
        floor = 1e-8 * (account["largest"] + abs(account.get("supplied", 0)) + abs(account.get("dissipated", 0))) + 1e-10
        if k >= 2 and (accounts[-1] <= floor or accounts[-1] * LOWEST_RATIO <= accounts[-2]):
            return []
    return [f"energy left open: {', '.join(f'{a:.3g}' for a in accounts)}"]


ALARMS = {"W-UNRESOLVED", "W-ENERGY", "W-VIOLATED"}
ENDED = {"E-DIVERGED", "E-ENERGY", "E-VIOLATED", "E-NEWTON"}


def told(bench, model, random):
    """Steps that are far too long either tell so, or their positions are near what short steps give. For mechanics, few steps long."""
    long, count = model["simulate"]["step"] * random.choice([20, 40, 80, 160]), 10
    simulate = random.choice([{}, {"rho": 0.5}, {"rho": 0}, {"scheme": "variational"}])
    try:
        run = bench.run(model, step=long, until=count * long, **simulate)
    except Refused as refused:
        if refused.codes & ENDED:
            return []
        raise
    if run.warnings & ALARMS:
        return []
    parts = round(long / model["simulate"]["step"])
    fine = bench.run(model, until=count * long, output_every=parts)
    way = {}  # of the longest of its kind
    for name, values in fine.channels.items():
        kind = re.search(r"\.(position|angle)\b", name)
        if kind:
            way[kind[1]] = max(way.get(kind[1], 0), max(values) - min(values))
    return [f"{name} is off by {far:.3g}, where nothing moves by more than {way[kind[1]]:.3g}, in steps of {long:g} s with {simulate}, and no alarm"
            for name, far in differences(fine, run).items() if (kind := re.search(r"\.(position|angle)\b", name)) and far > NEAR * way[kind[1]]]


# -- the same model, written otherwise ------------------------------------------------------------------------------------


def checked(bench, model, random):
    """`escapement check` has nothing against what runs."""
    bench.write(text(model), model.get("files"))
    bench.call("check", "model.yaml")
    return []


def permuted(bench, model, random):
    """The order of components says nothing."""
    names = list(model["components"])
    random.shuffle(names)
    other = {**model, "components": {n: model["components"][n] for n in names}}
    return same(bench.run(model), bench.run(other), model["simulate"]["step"])


def in_subsystem(bench, model, random):
    """The whole model as a subsystem of an empty one."""
    inner = {k: v for k, v in model.items() if k in ("nodes", "parameters", "components")}
    outer = {**{k: v for k, v in model.items() if k not in inner}, "components": {"whole": {"use": "whole.yaml"}}}
    run = copy.copy(bench.run(outer, files=(("whole.yaml", text(inner, record=False)),)))
    run.channels = {n.removeprefix("whole."): v for n, v in run.channels.items()}
    return same(bench.run(model), run, model["simulate"]["step"])


def twice(bench, model, random):
    """Two of it side by side do what one does."""
    inner = {k: v for k, v in model.items() if k in ("nodes", "parameters", "components")}
    outer = {**{k: v for k, v in model.items() if k not in inner}, "components": {n: {"use": "whole.yaml"} for n in ("left", "right")}}
    both, found = bench.run(outer, files=(("whole.yaml", text(inner, record=False)),)), []
    for side in ("left.", "right."):
        run = copy.copy(both)
        run.channels = {n.removeprefix(side): v for n, v in both.channels.items() if n.startswith(side)}
        found += same(bench.run(model), run, model["simulate"]["step"])
    return found


SYMMETRIC = ("translational.spring", "translational.damper", "rotational.spring", "rotational.damper", "electric.resistor", "electric.capacitor",
             "electric.inductor", "planar.distance", "planar.spring", "planar.damper", "force.spring", "joint.distance")


def reversed_ends(bench, model, random):
    """Which end of a spring, a rod, a resistor is called A changes nothing around it."""
    components, turned = copy.deepcopy(model["components"]), set()
    for name, part in components.items():
        if part.get("type") in SYMMETRIC and random.random() < 0.5:
            part["between"] = part["between"][::-1]
            part.update({"initial": {k: -v for k, v in part["initial"].items()}} if "initial" in part else {})
            turned.add(name)
    first, second = bench.run(model), copy.copy(bench.run({**model, "components": components}))
    second.channels = {n: v for n, v in second.channels.items() if n.split(".")[0] not in turned}
    return same(first, second, model["simulate"]["step"], 5)


DOMAINS = {"translational.": "translational", "rotational.": "rotational", "electric.": "electrical", "planar.": "planar"}


def parts_in_subsystems(bench, model, random):
    """Parts between two ends, each as a subsystem with two ports."""
    files, components = [], {}
    for name, part in model["components"].items():
        domain = next((d for p, d in DOMAINS.items() if part.get("type", "").startswith(p)), None)
        if domain and set(part) & {"between"} and not any(k in part for k in ("input", "inputs", "control", "shaft", "slider", "pivot", "support")):
            files.append((f"{name}.yaml", f"escapement: 1\nunits: SI\nports: {{a: {domain}, b: {domain}}}\n"
                          + text({"components": {"part": {**part, "between": ["a", "b"]}}}, record=False).split("\n", 2)[2]))
            components[name] = {"use": f"{name}.yaml", "connect": dict(zip("ab", part["between"]))}
        else:
            components[name] = part
    used = {n for n, part in components.items() if "use" in part}
    if not used:
        return []
    for part in components.values():
        if "use" not in part and any(s.split(".")[0] in used for s in strings(part)):
            return []  # who reads a channel would have to name it otherwise
    run = copy.copy(bench.run({**model, "components": components}, files=tuple(files)))
    run.channels = {n.replace(".part.", ".", 1) if n.split(".")[0] in used else n: v for n, v in run.channels.items()}
    return same(bench.run(model), run, model["simulate"]["step"])


def with_strangers(bench, model, random):
    """Parts that are connected to nothing of the model change nothing."""
    strangers = {"stranger_mass": {"type": "translational.mass", "mass": random.uniform(0.5, 3), "initial": {"position": 0.3}},
                 "stranger_spring": {"type": "translational.spring", "stiffness": random.uniform(1, 40), "between": ["ground", "stranger_mass"]},
                 "stranger_wave": {"type": "control.sine", "amplitude": 1.0, "frequency": 0.7},
                 "stranger_lag": {"type": "control.first_order", "time_constant": 0.3, "input": "stranger_wave"}}
    return same(bench.run(model), bench.run({**model, "components": {**strangers, **model["components"]}}), model["simulate"]["step"])


def through_gains(bench, model, random):
    """A signal through a gain of one is the same signal."""
    components = {}
    for name, part in model["components"].items():
        part = dict(part)
        if isinstance(part.get("input"), str):
            components[f"one_{name}"] = {"type": "control.gain", "gain": 1, "input": part["input"]}
            part["input"] = f"one_{name}"
        components[name] = part
    if len(components) == len(model["components"]):
        return []
    return same(bench.run(model), bench.run({**model, "components": components}), model["simulate"]["step"])


def by_set(bench, model, random):
    """A value given by --set is the value in the file."""
    choices = [(n, k) for n, part in model["components"].items() for k, v in part.items() if isinstance(v, float) and v > 0]
    if not choices:
        return []
    name, key = random.choice(choices)
    value = model["components"][name][key]
    other = copy.deepcopy(model)
    other["components"][name][key] = value * 1.25
    return same(bench.run(model), bench.run(other, arguments=("--set", f"{name}.{key}={value:.17g}")), model["simulate"]["step"], 1e-2)


def as_parameters(bench, model, random):
    """Numbers given as parameters are the numbers."""
    parameters, components = {}, copy.deepcopy(model["components"])
    for name, part in components.items():
        for key, value in part.items():
            if isinstance(value, float) and random.random() < 0.5:
                parameters[f"p_{name}_{key}"] = value
                part[key] = f"p_{name}_{key}*2/2"
    return same(bench.run(model), bench.run({**model, "parameters": {**model.get("parameters", {}), **parameters}, "components": components}),
                model["simulate"]["step"], 1e-2)


def longer(bench, model, random):
    """What follows the end changes nothing before it."""
    simulate = model["simulate"]
    first = bench.run(model)
    second = bench.run(model, until=simulate["until"] + simulate["step"] * random.randint(1, 40))
    second = first_rows(second, len(first.time))
    return same(first, second, simulate["step"], 1e-2)


def flattened(bench, model, random):
    """The model that a run keeps gives the same digits."""
    first = bench.run(model)
    second = bench.run_text(first.flattened)
    return exactly(first, second)


def exactly(first, second):
    if first.time != second.time:
        return [f"rows at other times: {len(first.time)} and {len(second.time)} rows"]
    return [f"{n} has other digits" for n, v in first.channels.items() if list(map(repr, v)) != list(map(repr, second.channels[n]))]


def resumed(bench, model, random):
    """A run that is killed and resumed gives the same digits."""
    first = bench.run(model)
    for name, content in model.get("files", {}).items():
        (bench.folder / name).write_text(content)
    (bench.folder / "killed.yaml").write_text(text(model))
    out = bench.folder / "killed"
    shutil.rmtree(out, ignore_errors=True)
    process = subprocess.Popen([bench.program, "run", "killed.yaml", "--out", "killed", "--quiet", "--checkpoint-every", "0.1 ms"],
                               cwd=bench.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (out / "checkpoint.bin").exists():
        time.sleep(0.0005)
    time.sleep(random.uniform(0, 0.02))
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    if not (out / "checkpoint.bin").exists() and not (out / "summary.json").exists():
        return []  # killed before the first checkpoint: nothing is promised
    if (out / "checkpoint.bin").exists():
        bench.call("resume", "killed", "--quiet")
    return exactly(first, Run(out))


COMMON = [order, order_of_prescribed_steps, rows, between_steps, schemes, adaptive, energy, recorded, checked, permuted, reversed_ends, in_subsystem, twice, parts_in_subsystems,
          with_strangers, through_gains, by_set, as_parameters, longer, flattened, resumed]
