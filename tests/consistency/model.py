"""Models as data: a dict with the sections of a model file. Their text, their references, smaller ones."""

import copy
import re
import time

SECTIONS = ("gravity", "nodes", "parameters", "start", "components", "simulate")


def quantity(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {quantity(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(quantity(v) for v in value) + "]"
    if isinstance(value, str) and not re.fullmatch(r"[A-Za-z_][\w.]*", value):
        return '"' + value.replace('"', '\\"') + '"'
    return str(value)


def text(model, record=True):
    lines = ["escapement: 1", "units: SI"]
    for key in SECTIONS:
        if key not in model:
            continue
        if key == "components":
            lines.append("components:")
            lines += [f"  {name}: {quantity(part)}" for name, part in model[key].items()]
        else:
            lines.append(f"{key}: {quantity(model[key])}")
    if record:
        lines.append(f"record: {quantity(model.get('record', 'all'))}")
    return "\n".join(lines) + "\n"


def strings(value):
    """All texts in a component that may name another one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if "." in key:
                yield key
            if key not in ("type", "unit", "expression", "law", "text"):
                yield from strings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from strings(inner)


def references(part, names):
    return {head for s in strings(part) if (head := s.split(".")[0]) in names}


def without(model, name):
    """The model without a component and without all that needs it."""
    smaller = copy.deepcopy(model)
    gone = [name]
    while gone:
        smaller["components"].pop(gone[-1], None)
        last = gone.pop()
        gone += [n for n, part in smaller["components"].items() if last in references(part, {last})]
    nodes = {d: [n for n in names if any(n in references(p, {n}) for p in smaller["components"].values())]
             for d, names in smaller.get("nodes", {}).items()}
    if nodes:
        smaller["nodes"] = {d: names for d, names in nodes.items() if names}
        if not smaller["nodes"]:
            del smaller["nodes"]
    return smaller


def map_values(value, change):
    """The same structure with every leaf replaced by change(leaf)."""
    if isinstance(value, dict):
        return {k: map_values(v, change) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [map_values(v, change) for v in value]
    return change(value)


def rounded(part):
    return map_values(part, lambda v: float(f"{v:.2g}") if isinstance(v, float) else v)


def smaller_models(model):
    """Candidates on the way to a minimal model, the boldest first."""
    for name in list(model["components"]):
        if len(model["components"]) > 1:
            candidate = without(model, name)
            if candidate["components"]:
                yield candidate
    simulate = model["simulate"]
    if simulate["until"] > 8 * simulate["step"]:
        shorter = copy.deepcopy(model)
        shorter["simulate"]["until"] = simulate["step"] * max(8, round(simulate["until"] / simulate["step"] / 2))
        yield shorter
    for name, part in model["components"].items():
        plain = rounded(part)
        if plain != part:
            candidate = copy.deepcopy(model)
            candidate["components"][name] = plain
            yield candidate


def minimise(model, fails, seconds=60):
    """The smallest model found within the time for which fails(model) holds."""
    end = time.monotonic() + seconds
    smaller = True
    while smaller:
        smaller = next((m for m in smaller_models(model) if time.monotonic() < end and fails(m)), None)
        model = smaller or model
    return model
