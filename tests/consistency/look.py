#!/usr/bin/env python3
"""Looks for contradictions: random models, and relations that must hold for every one of them (README.md)."""

import argparse
import importlib
import multiprocessing
import pathlib
import random
import re
import sys
import threading
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "domains")]

import model as models  # noqa: E402
import relations  # noqa: E402
from program import Bench, Refused  # noqa: E402

UNITS = {"s": 1, "min": 60, "h": 3600}


def duration(words):
    match = re.fullmatch(r"([\d.]+)\s*(s|min|h)", words)
    if not match:
        raise argparse.ArgumentTypeError(f"a time such as 90s, 10min or 1h, not {words!r}")
    return float(match[1]) * UNITS[match[2]]


def domains():
    return {m.NAME: m for m in (importlib.import_module(p.stem) for p in sorted((HERE / "domains").glob("*.py")))}


def relations_of(domain):
    """The common relations, but those that a domain leaves out or all but those that it names, and its own."""
    common = [r for r in relations.COMMON
              if r.__name__ in getattr(domain, "WITH", (r.__name__,)) and r.__name__ not in getattr(domain, "WITHOUT", ())]
    return {r.__name__: r for r in (runs, *common, *getattr(domain, "RELATIONS", []))}


def runs(bench, model, random):
    """A model that is valid by construction runs."""
    bench.run(model)
    return []


def chance(*names):
    return random.Random(zlib.crc32("/".join(map(str, names)).encode()))


def complaints(bench, relation, model, seed):
    """What a relation has to say of a model; a run that fails is a complaint, too."""
    try:
        return relation(bench, model, chance(relation.__name__, seed))
    except Refused as refused:
        return [f"REFUSED {refused}"]
    except AssertionError as fault:
        return [f"ROWS {fault}"]
    except Exception as fault:  # a channel that is missing, a summary without its keys: to be looked at, too
        return [f"FAULT {type(fault).__name__}: {fault}"]


def kind(found):
    """Complaints of one kind: the same message, or a difference."""
    match = re.match(r"REFUSED status (-?\d+): (\S+)|ROWS|FAULT", found[0])
    return match[0] if match else "difference"


def examine(task):
    """One model, all relations asked for. Gives (domain, seed, counts, failures, runs)."""
    program, name, seed, wanted, spoil, smaller = task
    domain, bench = domains()[name], Bench(program, SPOILERS.get(spoil))
    getattr(domain, "prepare", lambda _: None)(program)
    model, counts, failures = domain.generate(chance(name, seed)), {}, []
    try:
        for title, relation in relations_of(domain).items():
            if wanted and title not in wanted:
                continue
            counts[title] = 1
            found = complaints(bench, relation, model, seed)
            if not found:
                continue
            fails = lambda m: bool(f := complaints(bench, relation, m, seed)) and kind(f) == kind(found)  # noqa: B023, E731
            small = models.minimise(model, fails) if smaller else model
            failures.append((title, complaints(bench, relation, small, seed) if smaller else found, small))
            if title == "runs":
                break
        return name, seed, counts, failures, bench.count
    finally:
        bench.close()


# -- what the self-test does to results ------------------------------------------------------------------------------------


def first_order(run, model):
    """An error proportional to the step, in one channel."""
    name = max(run.channels, key=lambda n: max(map(abs, run.channels[n])))
    step = model["simulate"].get("step") or 0
    run.channels[name] = tuple(v * (1 + 0.5 * step * t) for v, t in zip(run.channels[name], run.time))


def lost_event(run, model):
    """A counter that has missed one event."""
    for name, values in run.channels.items():
        if name.startswith("count") and values[-1] >= 1:
            run.channels[name] = tuple(max(v - 1, 0) for v in values)
            return


def lost_force(run, model):
    """A reaction of which a thousandth is missing."""
    for name, values in run.channels.items():
        if re.search(r"\.(force|torque|current|tension)(\.x)?$", name) and max(map(abs, values)) > 0.1:
            run.channels[name] = tuple(v * 0.999 for v in values)
            return


def order_of_components(run, model):
    """Results that depend on the order in which components are written."""
    name = max(run.channels, key=lambda n: max(map(abs, run.channels[n])))
    error = 1e-5 * (zlib.crc32("/".join(model["components"]).encode()) % 7)
    run.channels[name] = tuple(v * (1 + error) for v in run.channels[name])


SPOILERS = {"first_order": first_order, "lost_event": lost_event, "lost_force": lost_force, "order_of_components": order_of_components}
CAUGHT_BY = {"first_order": ("line", "order"), "lost_event": ("events", "counts"), "lost_force": ("line", "newton"),
             "order_of_components": ("line", "permuted")}


def self_test(options):
    """Each way of spoiling results must be found by the relation that is there for it, and by itself nothing is."""
    missed = []
    for spoil, (name, relation) in CAUGHT_BY.items():
        found = {s: sum(bool(examine((options.program, name, seed, {relation}, s, False))[3]) for seed in range(1, 6)) for s in (spoil, None)}
        print(f"{spoil}: {relation} complains of {found[spoil]} of 5 models of {name}, {found[None]} when nothing is spoiled")
        if found[spoil] < 3 or found[None]:
            missed.append(spoil)
    print("self-test: " + (f"missed {', '.join(missed)}" if missed else "all is caught"))
    return 1 if missed else 0


# -- the loop ----------------------------------------------------------------------------------------------------------


def tasks(options, names):
    seed = options.seed
    end = time.monotonic() + options.examine if options.examine else None
    while (time.monotonic() < end) if end else (seed < options.seed + options.seeds):
        for name in names:
            if end and time.monotonic() >= end:
                return
            yield options.program, name, seed, options.relation, None, not options.as_found
        seed += 1


def known_defects():
    """Cases that show a defect which is known: {(domain, relation, seed): what it is}; None stands for all seeds."""
    lines = [line.split("#", 1) for line in (HERE / "known_defects.txt").read_text().splitlines() if line and line[0] != "#"]
    return {(domain, relation, None if seed == "*" else int(seed)): why.strip() for (domain, relation, seed), why in ((case.split(), why) for case, why in lines)}


def keep(options, name, seed, title, found, small):
    """Prints a failure and writes its minimal model."""
    folder = pathlib.Path(options.keep)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}-{title}-{seed}.yaml"
    head = [f"{name}: {title} (seed {seed})", *found[:6]]
    file.write_text("".join(f"# {line}\n" for part in head for line in part.splitlines()) + models.text(small)
                    + "".join(f"# {name}:\n" + re.sub("^", "#   ", content, flags=re.MULTILINE) + "\n" for name, content in small.get("files", {}).items()
                              if name.removesuffix(".yaml") in small["components"]))
    print(f"\n{file.read_text()}again: {sys.argv[0]} {options.program} --domain {name} --relation {title} --seed {seed} --seeds 1\n", flush=True)


def report(counts, failed, executions, seconds):
    names = sorted({d for d, _ in counts})
    for title in sorted({r for _, r in counts}):
        held = ", ".join(f"{d} {counts[d, title]}" + (f" ({failed[d, title]} FAILED)" if (d, title) in failed else "")
                         for d in names if (d, title) in counts)
        print(f"{title:26} {held}")
    print(f"{sum(counts.values())} relations examined, {sum(failed.values())} failed; {executions} runs in {seconds:.0f} s")


def look(options):
    names = [n for n in domains() if not options.domain or n in options.domain]
    print(f"seeds from {options.seed}", flush=True)
    counts, failed, executions, begin, known = {}, {}, 0, time.monotonic(), known_defects()
    free = threading.Semaphore(2 * options.jobs)
    with multiprocessing.Pool(options.jobs) as pool:
        for name, seed, done, failures, count in pool.imap_unordered(examine, slowly(tasks(options, names), free)):
            executions += count
            for title in done:
                counts[name, title] = counts.get((name, title), 0) + 1
                if (name, title, seed) in known and title not in [f[0] for f in failures]:
                    print(f"{name} {title} {seed} holds now: take it out of known_defects.txt")
            for title, found, small in failures:
                if why := known.get((name, title, seed)) or known.get((name, title, None)):
                    print(f"{name} {title} {seed} fails, as is known: {why}")
                    continue
                failed[name, title] = failed.get((name, title), 0) + 1
                keep(options, name, seed, title, found, small)
            free.release()
    report(counts, failed, executions, time.monotonic() - begin)
    return 1 if failed else 0




def slowly(work, free):
    """No more tasks than the processes have use for: so a time limit ends the run soon."""
    for task in work:
        free.acquire()
        yield task


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the program escapement")
    parser.add_argument("--seed", type=int, help="first seed (1; with --examine a new one)")
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds of each domain")
    parser.add_argument("--examine", type=duration, help="go on with new seeds for so long: 90s, 10min, 1h")
    parser.add_argument("--domain", action="append", help="only this one; repeatable")
    parser.add_argument("--relation", action="append", help="only this one; repeatable")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", default="consistency-failures", help="folder for minimal models")
    parser.add_argument("--as-found", action="store_true", help="show failing models as they are, not minimal ones")
    parser.add_argument("--self-test", action="store_true", help="spoil results: it must be noticed")
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    if options.seed is None:
        options.seed = int(time.time()) if options.examine else 1
    sys.exit(self_test(options) if options.self_test else look(options))


if __name__ == "__main__":
    main()
