#!/usr/bin/env python3
"""messages.py ROOT: every message code is documented, tried by a bad model, and known to the program."""
import pathlib
import re
import sys

from run import expectation

root = pathlib.Path(sys.argv[1])
faults = []

table = (root / "src/model/diagnostics.cpp").read_text(encoding="utf-8")
entry = r'\{"(E-[A-Z]+)", (\d+),'
by_model, _, by_code = table.partition("only C++ can make")
if not by_code:
    faults.append("diagnostics.cpp: the section of faults that only C++ can make is not there")
users = {code: int(status) for code, status in re.findall(entry, by_model)}
authors = {code: int(status) for code, status in re.findall(entry, by_code)}
known = users | authors

folder = root / "tests/bad_models"
cases = [p for p in (*folder.glob("*.yaml"), *folder.glob("*/model.yaml"))]
cases += [p for p in folder.glob("*.expect") if not p.with_suffix(".yaml").exists()]
tried = set()
for case in cases:
    wanted = expectation(case)
    tried.add(wanted.code)
    if known.get(wanted.code) != wanted.exit:
        faults.append(f"{case.relative_to(folder)}: {wanted.code} has exit status {known.get(wanted.code)}")
faults += [f"{code}: no bad model meets it" for code in users if code not in tried | {"E-INTERNAL", "E-VIEWER", "E-CHECKPOINT"}]

manual = (root / "docs/messages.md").read_text(encoding="utf-8")
described = set(re.findall(r"^### (E-[A-Z]+)$", manual, flags=re.M))
faults += [f"{code}: not described in docs/messages.md" for code in known if code not in described]
faults += [f"{code}: described in docs/messages.md, but not a code" for code in described if code not in known]

for source in sorted([*(root / "src").rglob("*.[ch]pp"), *(root / "app").rglob("*.[ch]pp")]):
    for code in set(re.findall(r'"(E-[A-Z]+)\b', source.read_text(encoding="utf-8"))):
        if code not in known:
            faults.append(f"{source.relative_to(root)}: {code} is not in message_codes()")

table = (root / "src/model/warning_codes.cpp").read_text(encoding="utf-8")
warnings = re.findall(r'\{"(W-[A-Z]+)",', table)
described = re.findall(r"^### (W-[A-Z]+)$", manual, flags=re.M)
faults += [f"{code}: not described in docs/messages.md" for code in warnings if code not in described]
faults += [f"{code}: described in docs/messages.md, but not a code" for code in described if code not in warnings]
sources = [p for folder in ("src", "app") for p in (root / folder).rglob("*.[ch]pp") if p.name != "warning_codes.cpp"]
given = {code: p for p in sources for code in re.findall(r'"(W-[A-Z]+)"', p.read_text(encoding="utf-8"))}
faults += [f"{code}: nothing gives it" for code in warnings if code not in given]
faults += [f"{p.relative_to(root)}: {code} is not in warning_codes()" for code, p in given.items() if code not in warnings]

print("\n".join(faults) or f"{len(known)} codes, {len(warnings)} of warnings, {len(cases)} bad models")
sys.exit(1 if faults else 0)
