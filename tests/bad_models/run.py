#!/usr/bin/env python3
"""run.py PROGRAM CASE: does the program refuse a bad model with the right words, at the right place?

CASE is a model file, a folder with a model.yaml, or a .expect file whose model is generated here. The expectation
stands in the first comment lines of the model, or beside it in <name>.expect:

    # expect: E-UNITS 7:31 component=spring.stiffness exit=2     `-` for no place or no component
    # says: part of the message
    # hint: part of the hint
    # equation: part of the row's name
    # verb: run                        the default is check
    # options: --set "m=3 kg"
    # file: sub.yaml                   where the place is, if not in the model; `-` for nowhere
    # from: ..                         where the program is started, if not in the model's folder
    # errors: 2                        how many are reported, if not one
    # limit: 200 MB                    of memory; such cases must also end within ten seconds
    # ran: yes                         it fails on the way: what it got is kept (always so for exit status 4)
    # generate: alias_bomb             the model is made by the function of this name
"""
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

MASS = "  mass: {type: translational.mass, mass: 1 kg}\n"


# ---------------------------------------------------------------- models too large to keep


def alias_bomb(folder):
    lines = ["escapement: 1", "a0: &a0 [" + ", ".join(["x"] * 10) + "]"]
    for i in range(1, 20):
        lines.append(f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]")
    (folder / "model.yaml").write_text("\n".join(lines) + "\n")


def nested_too_deeply(folder):
    (folder / "model.yaml").write_text("escapement: 1\ndescription: " + "[" * 10000 + "]" * 10000 + "\n")


def mappings_nested_too_deeply(folder):
    lines = ["escapement: 1"] + [" " * i + "a:" for i in range(10000)]
    (folder / "model.yaml").write_text("\n".join(lines) + "\n")


def sparse(path, size):
    with open(path, "wb") as file:
        file.truncate(size)


def file_too_large(folder):
    sparse(folder / "model.yaml", 1 << 30)


def csv_too_large(folder):
    sparse(folder / "law.csv", 1 << 30)
    spring = "  spring: {type: translational.spring, table: law.csv, between: [ground, mass]}\n"
    (folder / "model.yaml").write_text("escapement: 1\ncomponents:\n" + MASS + spring)


def subsystems_too_deep(folder):
    names = ["model.yaml"] + [f"part_{i}.yaml" for i in range(1, 25)]
    for name, following in zip(names, names[1:]):
        (folder / name).write_text("escapement: 1\ncomponents:\n  part: {use: " + following + "}\n")
    (folder / names[-1]).write_text("escapement: 1\ncomponents:\n" + MASS)


def model_missing(folder):
    (folder / "model.yaml").write_text("escapement: 1\ncomponents:\n" + MASS)
    return "modell.yaml"


def model_is_a_folder(folder):
    (folder / "model.yaml").mkdir()


# ---------------------------------------------------------------- what is expected


class Expectation:
    KEYS = ("expect", "says", "hint", "verb", "options", "file", "from", "errors", "limit", "generate", "equation", "ran")

    def __init__(self, text):
        self.fields = {}
        for line in text.splitlines():
            match = re.fullmatch(r"# (\w+): (.+)", line)
            if not match or match[1] not in self.KEYS:
                break
            self.fields[match[1]] = match[2]
        match = re.fullmatch(r"(E-[A-Z]+) (-|\d+:\d+) component=(.+) exit=(\d+)", self.fields.get("expect", ""))
        if not match:
            raise SystemExit("the expectation cannot be read: " + repr(text.splitlines()[:1]))
        self.code, self.place, self.component, self.exit = match[1], match[2], match[3], int(match[4])

    def __getitem__(self, key):
        return self.fields.get(key)


def stem(case):
    return case.parent.name if case.name == "model.yaml" else case.stem


def expectation(case):
    beside = case.with_suffix(".expect")
    return Expectation((beside if beside.exists() else case).read_text(encoding="utf-8"))


# ---------------------------------------------------------------- the case


class Case:
    def __init__(self, program, path):
        self.program, self.path, self.wanted = program, path, expectation(path)
        self.faults = []

    def check(self, condition, text):
        if not condition:
            self.faults.append(text)

    def prepare(self, top):
        """The model in a folder of its own; returns where to start the program and what to call the model."""
        folder = top / stem(self.path)
        name = "model.yaml"
        if self.wanted["generate"]:
            folder.mkdir()
            name = globals()[self.wanted["generate"]](folder) or name
        elif self.path.name == name:
            shutil.copytree(self.path.parent, folder)
        else:
            folder.mkdir()
            name = self.path.name
            shutil.copy(self.path, folder)
        return (top, f"{folder.name}/{name}") if self.wanted["from"] == ".." else (folder, name)

    def run(self, json_lines):
        with tempfile.TemporaryDirectory() as top:
            top = pathlib.Path(top)
            start, model = self.prepare(top)
            home = {"XDG_CONFIG_HOME": self.home + "/config", "XDG_CACHE_HOME": self.home + "/cache"}
            before = set(top.rglob("*"))
            words = [self.program, self.wanted["verb"] or "check", model, *shlex.split(self.wanted["options"] or "")]
            began = time.monotonic()
            done = subprocess.run(words + ["--json"] * json_lines, cwd=start, capture_output=True, env=os.environ | home,
                                  timeout=10 if self.wanted["limit"] else 60)
            self.seconds = time.monotonic() - began
            self.model = model
            self.compare_folders(set(top.rglob("*")) - before)
        self.check(done.returncode == self.wanted.exit, f"exit status {done.returncode}, not {self.wanted.exit}")
        for stream in (done.stdout, done.stderr):
            self.check(stream.decode(errors="replace").encode() == stream, "the output is not UTF-8")
        return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def compare_folders(self, new):
        if self.wanted.exit == 4 or self.wanted["ran"]:  # it ran for a while: what it got is kept
            names = {p.name for p in new}
            self.check({"results.csv", "results.h5", "summary.json"} <= names, "the run folder is not complete")
            for path in new:
                if path.name == "results.csv":
                    rows = path.read_text().splitlines()
                    self.check(len({row.count(",") for row in rows}) == 1, "results.csv is not whole")
                    self.check(len(rows) > 10 or not self.wanted["ran"], "results.csv lacks rows")
        else:
            self.check(not new, "it left " + ", ".join(sorted(p.name for p in new)))

    def location(self):
        wanted = self.wanted
        if wanted["file"] == "-":
            return None, None, None
        file = wanted["file"] or self.model
        if wanted.place != "-":
            line, column = map(int, wanted.place.split(":"))
            return file, line, column
        # No line: a fault of the file itself, or of the equations, which stand in no file.
        return (file if wanted.code in ("E-FILE", "E-LIMIT") else None), None, None

    def check_json(self):
        output, other = self.run(True)
        self.check(other == "", "with --json something is on standard error: " + other[:300])
        errors = []
        for line in output.splitlines():
            try:
                event = json.loads(line)
                if event["event"] == "error":
                    errors.append(event)
            except (ValueError, KeyError, TypeError):
                self.faults.append("not a JSON line: " + line[:200])
        count = int(self.wanted["errors"] or 1)
        self.check(len(errors) == count, f"{len(errors)} errors, not {count}")
        if not errors:
            return errors
        first, wanted = errors[0], self.wanted
        for key, value in (("code", wanted.code), ("exit_status", wanted.exit),
                           ("component", None if wanted.component == "-" else wanted.component),
                           *zip(("file", "line", "column"), self.location())):
            self.check(first.get(key) == value, f"{key}: {first.get(key)!r}, not {value!r}")
        for key, part in (("message", wanted["says"]), ("hint", wanted["hint"]), ("equation", wanted["equation"])):
            self.check((part or "") in (first[key] or ""), f"the {key} lacks {part!r}: {first[key]!r}")
        return errors

    def check_text(self, errors):
        output, text = self.run(False)
        self.text = text
        self.check(output == "", "something is on standard output: " + output[:300])
        file, line, column = self.location()
        begin = self.wanted.code
        if file:
            begin += f" {file}" + (f":{line}:{column}" if line else "")
        text = re.sub(r"^warning: .*\n(    Try: .*\n)?", "", text, flags=re.M)
        lines = text.splitlines()
        self.check(bool(lines) and lines[0].startswith(begin + "  "), f"the text does not begin with `{begin}`")
        tries = sum("Try: " in s for s in lines)
        hints = sum(e["hint"] is not None for e in errors)
        self.check(tries == hints, f"{tries} lines `Try:` for {hints} hints")

    def run_all(self):
        try:
            with tempfile.TemporaryDirectory() as self.home:  # nobody's settings, nobody's trust
                self.check_text(self.check_json())
        except subprocess.TimeoutExpired as e:
            self.faults.append(f"it did not end within {e.timeout} s")
        megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        if self.wanted["limit"]:
            self.check(megabytes < int(self.wanted["limit"].split()[0]), f"it took {megabytes:.0f} MB")
            print(f"{getattr(self, 'seconds', 0):.2f} s, {megabytes:.0f} MB")
        if self.faults:
            print("\n".join(self.faults))
            print(getattr(self, "text", ""))
        return not self.faults


if __name__ == "__main__":
    sys.exit(0 if Case(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])).run_all() else 1)
