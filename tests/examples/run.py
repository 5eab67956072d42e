"""Runs an example as its README tells: run.py PROGRAM EXAMPLE_FOLDER

Every command of the ```sh blocks is executed as written, from a folder that looks like a checkout; all must succeed. Then the results
of the first `run` are compared with expected.csv: a first line `# tolerance: …` (relative to the largest value of the channel), a
header with channel names, rows with times.
"""

import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def commands(readme):
    blocks = re.findall(r"```sh\n(.*?)```", readme, re.S)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def compare(results, expected):
    lines = expected.read_text().splitlines()
    tolerance = float(re.match(r"# tolerance: (\S+)", lines[0]).group(1))
    wanted = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    with results.open() as file:
        rows = list(csv.DictReader(file))
    assert wanted, f"{expected.name} holds no rows"
    worst = 0.0
    for row in wanted:
        time = float(row["time"])
        at = min(rows, key=lambda r: abs(float(r["time"]) - time))
        assert abs(float(at["time"]) - time) < 1e-9 * (1 + time), f"no row at t = {time}"
        for channel, text in row.items():
            if channel == "time":
                continue
            largest = max(abs(float(r[channel])) for r in rows)
            error = abs(float(at[channel]) - float(text)) / largest
            worst = max(worst, error / tolerance)
            assert error <= tolerance, f"{channel} at t = {time}: {at[channel]} instead of {text} (tolerance {tolerance})"
    print(f"{len(wanted)} rows agree, the worst at {worst:.2g} of the tolerance {tolerance}")


def main():
    program, example = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        shutil.copytree(example, root / "examples" / example.name)
        shutil.copy(example.parent / ".models-only", root / "examples")
        (root / "escapement").symlink_to(program)
        todo = commands((example / "README.md").read_text())
        assert any(c.startswith("./escapement run") for c in todo), "the README runs nothing"
        for command in todo:
            done = subprocess.run(["bash", "-e", "-c", command], cwd=root, capture_output=True, text=True)
            assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}(status {done.returncode})"
            print(f"$ {command}\n{done.stdout}", end="")
        assert [p.name for p in (root / "examples").iterdir() if p.is_dir()] == [example.name], "results among the examples"
        run = root / f"{example.name}-run"
        summary = json.loads((run / "summary.json").read_text())
        assert summary["status"] == "done", summary
        announced = set(re.findall(r"W-[A-Z]+", (example / "README.md").read_text()))
        assert {w["code"] for w in summary["warnings"]} == announced, summary["warnings"]
        for plot in root.rglob("*.svg"):
            assert plot.read_text().startswith(("<svg", "<?xml")), plot
        compare(run / "results.csv", example / "expected.csv")


main()
