"""Trusses of von Mises in space: springs from feet on a circle or elsewhere to an apex on a vertical rail, pressed down until they snap through."""

import csv
import json
import math

from model import text

NAME = "trusses"
WITH = ("checked", "flattened",)


def generate(random):
    rise, feet = 10 ** random.uniform(-1, 0.5), random.randint(2, 5)
    even, frames, parts = random.random() < 0.5, {}, {}
    reach = rise * random.uniform(1.2, 8)
    for i in range(feet):
        angle, away = random.uniform(0, 2 * math.pi), reach * (1 if even else random.uniform(1, 1.5))
        frames[f"foot{i}"] = {"position": [away * math.cos(angle), away * math.sin(angle), 0.0]}
        parts[f"bar{i}"] = {"type": "force.spring", "between": [f"feet.foot{i}", "apex"], "stiffness": 10 ** random.uniform(2, 3)}
    return {"gravity": [0, 0, 0],
            "components": {"feet": {"type": "body.anchor", "frames": frames},
                           "apex": {"type": "body.sphere", "radius": 0.1 * rise, "mass": 1.0, "initial": {"position": [0.0, 0.0, rise]}},
                           "rail": {"type": "joint.prismatic", "between": ["ground", "apex"], "at": [0.0, 0.0, rise], "axis": [0, 0, 1]}, **parts,
                           "load": {"type": "force.point", "at": "apex", "force": [0.0, 0.0, -10 ** random.uniform(-1, 2)]}},
            "simulate": {"until": 0.02, "step": 0.001}}


def load_at(model, height):
    """What holds the apex there, as a factor of the load."""
    parts, total = model["components"], 0.0
    rise = parts["apex"]["initial"]["position"][2]
    for part in parts.values():
        if part["type"] == "force.spring":
            away = math.hypot(*parts["feet"]["frames"][part["between"][0].split(".")[1]]["position"][:2])
            total += part["stiffness"] * (math.hypot(away, rise) / math.hypot(away, height) - 1) * height
    return total / -parts["load"]["force"][2]


def limit(model):
    """The first maximum on the way down, by thirds."""
    rise, count = model["components"]["apex"]["initial"]["position"][2], 400
    heights = [rise * (1 - k / count) for k in range(count + 1)]
    k = next(k for k in range(1, count) if load_at(model, heights[k]) >= load_at(model, heights[k + 1]))
    low, high = heights[k + 1], heights[k - 1]
    for _ in range(100):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if load_at(model, a) < load_at(model, b) else (low, b)
    return load_at(model, low)


def whole(model):
    parts = model["components"]
    return all(n in parts for n in ("feet", "apex", "rail", "load")) and any(p["type"] == "force.spring" for p in parts.values())


def limit_load(bench, model, random):
    """`escapement buckling` finds the largest load of the closed curve, and calls it a limit point."""
    if not whole(model):
        return []
    bench.write(text(model))
    bench.call("buckling", "model.yaml", "--count", 1, "--out", "buckling", "--force")
    (mode,) = json.loads((bench.folder / "buckling" / "summary.json").read_text())["modes"]
    exact = limit(model)
    if mode["kind"] != "limit point" or abs(mode["factor"] / exact - 1) > 1e-7:
        return [f"a {mode['kind']} at {mode['factor']!r} times the load, instead of a limit point at {exact!r}"]
    return []


def along_the_path(bench, model, random):
    """Equilibria along the path of the load, through both limit points: each lies on the closed curve."""
    if not whole(model):
        return []
    exact = limit(model)
    bench.write(text(model))
    bench.call("equilibrium", "model.yaml", "--path", f"load=0..{1.5 * exact!r}", "--out", "path", "--force")
    with open(bench.folder / "path" / "results.csv") as file:
        points = [(float(row["path.load"]), float(row["apex.position.z"])) for row in csv.DictReader(file)]
    worst = max(abs(load - load_at(model, z)) for load, z in points) / exact
    found = [f"the path is off the closed curve by {worst:.3g} of the limit load"] if worst > 1e-7 else []
    if points[-1][1] > 0 or abs(points[-1][0] - 1.5 * exact) > 1e-9 * exact:
        found.append(f"it ends at {points[-1][0]:.6g} times the load and the height {points[-1][1]:.3g}, not beyond the snap")
    return found


RELATIONS = [limit_load, along_the_path]
