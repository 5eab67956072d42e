#!/usr/bin/env python3
"""Draws the lines of `work_precision` as diagrams, time over error: work_precision_diagram.py RESULTS.json > PICTURE.svg"""

import json
import math
import re
import sys

METHODS = {"fixed steps rho=1": None, "fixed steps": "#0072b2", "adaptive": "#d55e00", "IDA order 2": "#999999", "IDA": "#222222",
           "PETSc TSALPHA2": "#009e73"}
WIDTH, HEIGHT, LEFT, TOP, COLUMNS = 300, 210, 52, 26, 3


def points(lines):
    found = {}
    for line in lines:
        entry = json.loads(line)
        if "error" not in entry or not 1e-9 < entry["error"] < 0.1:
            continue
        match = re.match(r"(.*?) (fixed steps rho=1|fixed steps|adaptive|IDA order 2|IDA|PETSc TSALPHA2) ", entry["case"] + " ")
        if match and METHODS[match.group(2)]:
            found.setdefault(match.group(1), {}).setdefault(match.group(2), []).append((entry["error"], entry["value"]))
    return found


def panel(name, methods, x0, y0):
    times = [t for curve in methods.values() for _, t in curve]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    x = lambda e: x0 + LEFT + (-1 - math.log10(e)) / 8 * (WIDTH - LEFT - 12)
    y = lambda t: y0 + HEIGHT - 34 - (math.log10(t) - low) / (high - low) * (HEIGHT - TOP - 34)
    text = [f'<text x="{x0 + WIDTH / 2}" y="{y0 + 16}" text-anchor="middle" font-weight="bold">{name}</text>']
    for k in range(1, 10, 2):
        text.append(f'<path d="M{x(10**-k):.1f} {y(10**low):.1f}V{y(10**high):.1f}" stroke="#ddd"/>'
                    f'<text x="{x(10**-k):.1f}" y="{y(10**low) + 14:.1f}" text-anchor="middle">1e-{k}</text>')
    for k in range(low, high + 1):
        text.append(f'<path d="M{x(0.1):.1f} {y(10**k):.1f}H{x(1e-9):.1f}" stroke="#ddd"/>'
                    f'<text x="{x0 + LEFT - 6}" y="{y(10**k) + 4:.1f}" text-anchor="end">1e{k} s</text>')
    for method, curve in methods.items():
        line = " ".join(f"{x(e):.1f},{y(t):.1f}" for e, t in sorted(curve, reverse=True))
        text.append(f'<polyline points="{line}" fill="none" stroke="{METHODS[method]}" stroke-width="1.6"/>')
    return "".join(text)


def main():
    found = points(open(sys.argv[1]))
    rows = -(-len(found) // COLUMNS)
    width, height = COLUMNS * WIDTH, rows * HEIGHT + 26
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10">'
          f'<rect width="{width}" height="{height}" fill="white"/>')
    for i, (name, methods) in enumerate(found.items()):
        print(panel(name, methods, i % COLUMNS * WIDTH, i // COLUMNS * HEIGHT))
    at = LEFT
    for method, colour in METHODS.items():
        if colour:
            print(f'<path d="M{at} {height - 12}h20" stroke="{colour}" stroke-width="2"/><text x="{at + 25}" y="{height - 8}">{method}</text>')
            at += 130
    print("</svg>")


main()
