#!/usr/bin/env python3
"""Draws energy and constraint error over time, scheme by scheme, from run folders of examples/three_schemes:
schemes_picture.py GENERALIZED_ALPHA VARIATIONAL SPOOK > PICTURE.svg"""

import csv
import json
import math
import pathlib
import sys

SCHEMES = [("generalized-α", "#0072b2", "none"), ("variational", "#d55e00", "9 3"), ("SPOOK", "#222222", "2 3")]
WIDTH, LEFT, RIGHT, TOP, HEIGHT, GAP = 760, 66, 100, 34, 150, 34
BUCKETS = 100  # of time: lines are means or largest values of them


def read(folder):
    with open(pathlib.Path(folder) / "results.csv") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in ("time", "energy.output", "stretch.output", "growth.output")}


def buckets(run, channel, what):
    until, found = run["time"][-1], [[] for _ in range(BUCKETS)]
    for t, x in zip(run["time"], run[channel]):
        found[min(BUCKETS - 1, int(BUCKETS * t / until))].append(x)
    return [((k + 0.5) * until / BUCKETS, what(values)) for k, values in enumerate(found)]


class Panel:
    def __init__(self, number, title, until, low, high, log):
        self.top, self.title, self.until, self.low, self.high, self.log = TOP + number * (HEIGHT + GAP), title, until, low, high, log

    def x(self, t):
        return LEFT + t / self.until * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        at = math.log10(max(value, 10.0**self.low)) if self.log else value
        return self.top + HEIGHT - (at - self.low) / (self.high - self.low) * HEIGHT

    def frame(self, ticks):
        out = [f'<text x="{LEFT}" y="{self.top - 9}" font-weight="bold">{self.title}</text>']
        for k in ticks:
            y, name = (self.y(10.0**k), f'10<tspan dy="-4" font-size="9">{str(k).replace("-", "−")}</tspan>') if self.log else (self.y(k), f"{k:g}")
            out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
        for k in range(6):
            x = self.x(k * self.until / 5)
            out.append(f'<path d="M{x:.1f} {self.top}V{self.top + HEIGHT}" stroke="#ddd"/>')
        out.append(f'<path d="M{LEFT} {self.top}V{self.top + HEIGHT}H{WIDTH - RIGHT}" fill="none" stroke="#444"/>')
        return "".join(out)

    def line(self, points, colour, dash):
        at = " ".join(f"{self.x(t):.1f},{self.y(v):.1f}" for t, v in points)
        return f'<polyline points="{at}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'

    def band(self, lower, upper, colour):
        at = " ".join(f"{self.x(t):.1f},{self.y(v):.1f}" for t, v in lower + upper[::-1])
        return f'<polygon points="{at}" fill="{colour}" fill-opacity="0.18"/>'

    def labels(self, ends):
        """Names at the right end of the lines, kept apart."""
        out, last = [], -math.inf
        for value, (name, colour, _) in sorted(ends, key=lambda e: self.y(e[0])):
            last = max(self.y(value), last + 14)
            out.append(f'<text x="{WIDTH - RIGHT + 6}" y="{last + 4:.1f}" fill="{colour}">{name}</text>')
        return "".join(out)


def main():
    runs = [read(folder) for folder in sys.argv[1:4]]
    step = json.loads((pathlib.Path(sys.argv[1]) / "summary.json").read_text())["largest_step"]
    until = runs[0]["time"][-1]
    height = TOP + 3 * (HEIGHT + GAP) + 14
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
          f'aria-labelledby="title desc" font-family="sans-serif" font-size="12" fill="#222">'
          f'<title id="title">Energy and constraint error of three schemes</title>'
          f'<desc id="desc">A double pendulum without friction, {until:g} s in steps of {1e3 * step:g} ms.</desc>'
          f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>')

    energy = Panel(0, "Energy over that at the start (mean and range of 10 s)", until, 0, 1.05, False)
    print(energy.frame([0, 0.25, 0.5, 0.75, 1]))
    ends = []
    for run, scheme in zip(runs, SCHEMES):
        first = run["energy.output"][0]
        part = lambda what: buckets(run, "energy.output", lambda values: what(values) / first)
        mean = part(lambda values: sum(values) / len(values))
        print(energy.band(part(min), part(max), scheme[1]) + energy.line(mean, *scheme[1:]))
        ends.append((mean[-1][1], scheme))
    print(energy.labels(ends))

    for number, (channel, title) in enumerate((("stretch.output", "Length of the lower rod: |error| in m (largest of 10 s)"),
                                               ("growth.output", "Speed at which it grows: |error| in m/s (largest of 10 s)"))):
        panel = Panel(number + 1, title, until, -17, 0, True)
        print(panel.frame(range(-16, 1, 4)))
        ends = []
        for run, scheme in zip(runs, SCHEMES):
            points = buckets(run, channel, lambda values: max(map(abs, values)))
            print(panel.line(points, *scheme[1:]))
            ends.append((points[-1][1], scheme))
        print(panel.labels(ends))
    for k in range(6):
        print(f'<text x="{panel.x(k * until / 5):.1f}" y="{panel.top + HEIGHT + 17}" text-anchor="middle">{k * until / 5:g}</text>')
    print(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{panel.top + HEIGHT + 34}" text-anchor="middle">time (s), steps of {1e3 * step:g} ms</text></svg>')


main()
