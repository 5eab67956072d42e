#!/usr/bin/env python3
"""Draws how long the steps of runs in real time took, one panel per run folder:
step_times_picture.py NAME=FOLDER... > PICTURE.svg"""

import json
import math
import pathlib
import sys

WIDTH, LEFT, RIGHT, TOP, HEIGHT, GAP = 760, 66, 34, 30, 110, 40


def main():
    runs = {}
    for argument in sys.argv[1:]:
        name, folder = argument.split("=", 1)
        runs[name] = json.loads((pathlib.Path(folder) / "summary.json").read_text())["real_time"]
    bars = [bar for run in runs.values() for bar in run["computing"]["histogram"]]
    low = math.floor(math.log10(0.8 * min(bar["up_to"] for bar in bars)))
    high = math.ceil(math.log10(max(bar["up_to"] for bar in bars)))
    most = math.ceil(math.log10(max(bar["times"] for bar in bars)))
    height = TOP + len(runs) * (HEIGHT + GAP) + 12

    def x(seconds):
        return LEFT + (math.log10(seconds) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def named(seconds):
        return next(f"{seconds / size:.3g} {unit}" for size, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")) if seconds >= 0.9999 * size)

    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
          f'aria-labelledby="title desc" font-family="sans-serif" font-size="12" fill="#222">'
          f'<title id="title">How long the steps of a run in real time take</title>'
          f'<desc id="desc">Histograms of {", ".join(runs)}, both axes logarithmic.</desc><rect width="{WIDTH}" height="{height}" fill="#fff"/>')
    for number, (name, run) in enumerate(runs.items()):
        top = TOP + number * (HEIGHT + GAP)
        y = lambda times: top + HEIGHT - (math.log10(times) + 0.3) / (most + 0.3) * HEIGHT
        computing = run["computing"]
        print(f'<text x="{LEFT}" y="{top - 9}"><tspan font-weight="bold">{name}</tspan>: {run["steps"]} steps</text>')
        for k in range(most + 1):
            print(f'<path d="M{LEFT} {y(10**k):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{LEFT - 7}" y="{y(10**k) + 4:.1f}" text-anchor="end">{10**k}</text>')
        for k in range(low, high + 1):
            print(f'<path d="M{x(10.0**k):.1f} {top}V{top + HEIGHT}" stroke="#ddd"/>'
                  f'<text x="{x(10.0**k):.1f}" y="{top + HEIGHT + 15}" text-anchor="middle">{named(10.0**k)}</text>')
        for bar in computing["histogram"]:
            octave = 2.0 ** math.floor(math.log2(bar["up_to"]) - 1e-9)
            left, right = x(bar["up_to"] - octave / 4), x(bar["up_to"])
            print(f'<rect x="{left:.1f}" y="{y(bar["times"]):.1f}" width="{right - left - 0.5:.1f}" height="{top + HEIGHT - y(bar["times"]):.1f}" fill="#0072b2"/>')
        for key, text in (("median", "median"), ("p999", "99.9 %"), ("largest", "longest")):
            at = x(computing[key])
            side, anchor = (-4, "end") if at > WIDTH - 120 else (4, "start")
            print(f'<path d="M{at:.1f} {top}V{top + HEIGHT}" stroke="#d55e00" stroke-dasharray="4 2"/>'
                  f'<text x="{at + side:.1f}" y="{top + 11 + 14 * (key == "largest")}" text-anchor="{anchor}" fill="#a04000">{text} {named(computing[key])}</text>')
        print(f'<path d="M{LEFT} {top}V{top + HEIGHT}H{WIDTH - RIGHT}" fill="none" stroke="#444"/>')
    print("</svg>")


main()
