"""Runs of the program, as Python sees them."""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from model import text


class Refused(Exception):
    """The program ended with a status other than 0. `status` tells which: negative if a signal ended it; `codes`, which errors it told."""

    def __init__(self, status, message):
        super().__init__(f"status {status}: {message.strip()[:600]}")
        self.status = status
        self.codes = set(re.findall(r"^E-[A-Z]+", message, re.MULTILINE))


class Run:
    """Results of one run: `channels` by name, lists over `time`; `summary`; times of `events`."""

    rounding = 1.0  # times the usual, where parts are very stiff

    def __init__(self, folder):
        with open(folder / "results.csv") as file:
            rows = csv.reader(file)
            names = next(rows)
            columns = list(zip(*([float(v) for v in row] for row in rows)))
        self.channels = dict(zip(names, columns))
        self.time = self.channels.pop("time")
        self.summary = json.loads((folder / "summary.json").read_text())
        self.events = [e["time"] for e in self.summary["events"]]
        self.warnings = {w["code"] for w in self.summary["warnings"]}
        self.flattened = (folder / "model.yaml").read_text()


def changed(model, simulate):
    """The model with other keys under `simulate`; a None takes one away."""
    merged = {**model["simulate"], **simulate}
    return {**model, "simulate": {k: v for k, v in merged.items() if v is not None}}


class Bench:
    """Runs models in a folder of its own and remembers what it has run. `spoil` changes results, for the self-test."""

    def __init__(self, program, spoil=None):
        self.program, self.spoil = program, spoil
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="consistency-"))
        self.runs, self.count, self.patience = {}, 0, 120  # seconds

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def forget(self):
        self.runs.clear()

    def call(self, *arguments):
        self.count += 1
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              timeout=self.patience, env={**os.environ, "ESCAPEMENT_THREADS": "1"})
        if done.returncode:
            raise Refused(done.returncode, done.stderr)
        return done

    def run(self, model, files=(), arguments=(), **simulate):
        """Results of the model with other keys under `simulate`, beside other files, with more arguments."""
        source = text(changed(model, simulate))
        files = {**model.get("files", {}), **dict(files)}
        key = (source, tuple(sorted(files.items())), tuple(arguments))
        if key not in self.runs:
            self.runs[key] = self.run_text(source, files, arguments)
            self.runs[key].rounding = model.get("rounding", 1.0)
            if self.spoil:
                self.spoil(self.runs[key], changed(model, simulate))
        return self.runs[key]

    def write(self, source, files=None):
        """model.yaml in the bench's folder, and files beside it."""
        for name, content in {"model.yaml": source, **(files or {})}.items():
            (self.folder / name).write_text(content)

    def run_text(self, source, files=None, arguments=()):
        self.write(source, files)
        out = self.folder / "run"
        shutil.rmtree(out, ignore_errors=True)
        self.call("run", "model.yaml", "--out", "run", "--quiet", "--checkpoint-every", "0 s", *arguments)
        return Run(out)
