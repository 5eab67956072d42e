"""How far apart results may be. README.md tells where the figures come from."""

import copy
import re

LOWEST_RATIO = 3.0  # of successive differences, as steps are halved: 4 of second order, 2 of first
REFINEMENTS = 3     # further halvings before a ratio is believed
MOST_ROUNDING = 1e-8
REACTION = re.compile(r"\.(force|torque|tension|acceleration|output)(\.\w+)?$")  # what second differences of positions tell


def stem(channel):
    """Parts of a vector share a size: j.force.x, j.force.y."""
    return re.sub(r"\.(w|x|y|z|\d+)$", "", channel)


class Floors:
    """What Newton's tolerance and rounding may make of a channel (README.md, floors)."""

    def __init__(self, run, step):
        self.step, self.sizes, self.parts, self.rounding = step, {}, {}, run.rounding
        for name, values in run.channels.items():
            size = max(map(abs, values), default=0)
            for table, key in ((self.sizes, stem(name)), (self.parts, name.split(".")[0])):
                table[key] = max(table.get(key, 0), size)

    def size(self, channel):
        return self.sizes[stem(channel)]

    def __getitem__(self, channel):
        newton = 3e-11 / min(1.0, self.step) + 1e-10
        share = MOST_ROUNDING + (min(1e-6, 3e-12 / self.step**2) if REACTION.search(channel) else 0)
        return (share * self.sizes[stem(channel)] + 1e-9 * self.parts[channel.split(".")[0]] + newton) * self.rounding


def distance(a, b):
    return max((abs(x - y) for x, y in zip(a, b)), default=0.0)


def quaternions_apart(a, b):
    """The same rotation has two quaternions."""
    return min(max(abs(x - y) for x, y in zip(a, b)), max(abs(x + y) for x, y in zip(a, b)))


def near_event(t, run, window):
    """A row at an event may be that before or that after the jump."""
    return any(abs(t - e) < window * (1 + t) for e in run.events)


def differences(first, second, window=1e-9):
    """The largest difference of every common channel, but for rows within `window` of an event; of quaternions that of their rotations."""
    if len(first.time) != len(second.time) or distance(first.time, second.time) > 1e-9 * (1 + abs(first.time[-1])):
        raise AssertionError(f"rows at other times: {len(first.time)} and {len(second.time)} rows")
    apart, kept = {}, [i for i, t in enumerate(first.time) if not near_event(t, first, window) and not near_event(t, second, window)]
    columns = [{n: [v[i] for i in kept] for n, v in run.channels.items()} for run in (first, second)]
    for name, values in columns[0].items():
        if name not in columns[1]:
            continue
        if ".quaternion." in name:
            base = stem(name)
            parts = [[run[f"{base}.{k}"] for k in "wxyz"] for run in columns]
            apart[base + ".w"] = max(quaternions_apart(a, b) for a, b in zip(zip(*parts[0]), zip(*parts[1])))
        else:
            apart[name] = distance(values, columns[1][name])
    return apart


def same(first, second, step, factor=1.0):
    """Complaints about channels that differ by more than Newton's tolerance and rounding."""
    floors = Floors(first, step)
    return [f"{name} differs by {far:.3g} (size {floors.size(name):.3g}, allowed {factor * floors[name]:.2g})"
            for name, far in differences(first, second).items() if not far <= factor * floors[name]]


def extrapolated(coarse, fine):
    """The limit as h -> 0 of two runs with h and h/2, for an error of order h^2."""
    limit = copy.copy(fine)
    limit.events = coarse.events + fine.events
    limit.channels = {name: [f + (f - c) / 3 for c, f in zip(coarse.channels[name], values)] for name, values in fine.channels.items()}
    return limit
