"""The page escapement.1, from what the program says of itself: manual.py PROGRAM YYYY-MM-DD > escapement.1"""

import re
import subprocess
import sys

program, date = sys.argv[1], sys.argv[2]


def said(*arguments):
    return subprocess.run([program, *arguments, "--help"], check=True, capture_output=True, text=True).stdout


def safe(text):
    """As roff takes it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


ENTRY = re.compile(r"""\ {2}(?P<name>\S+)
    (?P<value>\ (?:TEXT|INT|UINT|FLOAT)(?::\S+(?:\ in\ \[.*?\])?)?)?  # CLI11 tells types and ranges
    (?P<times>\ x\ \d+)?(?:\ \.\.\.)?(?:\ REQUIRED)?\s*(?P<text>.*)""", re.X)


def listed(text, title):
    """The entries of a part of a help text, as dictionaries; longer descriptions go on in lines of their own."""
    part = re.search(rf"^{title}:\n(.*?)(?:\n\n|\Z)", text, re.M | re.S)
    entries = []
    for line in part[1].splitlines() if part else []:
        if entry := ENTRY.fullmatch(line):
            entries.append(entry.groupdict())
        elif entries:
            entries[-1]["text"] = f"{entries[-1]['text']} {line.strip()}".strip()
    return entries


def tell(name, text):
    print(f".TP\n{name}\n{safe(text[:1].upper() + text[1:])}.")


def options(entries):
    for entry in entries:
        values = " \\fIVALUE\\fR" * (int(entry["times"].split()[1]) if entry["times"] else 1) if entry["value"] else ""
        tell(f"\\fB{safe(entry['name'].replace(',', ', '))}\\fR{values}", entry["text"])


help_text = said()
version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
verbs = listed(help_text, "Subcommands")
examples, status = re.search(r"^Examples:\n(.*?)\n\nExit status: (.*)", help_text, re.M | re.S).groups()

print(f'.TH ESCAPEMENT 1 "{date}" "Escapement {version}" "User Commands"')
print(".SH NAME\nescapement \\- simulator for mechatronic systems")
print(".SH SYNOPSIS\n.B escapement\n.I VERB\n.RI [ OPTION ...]\n.RI [ ARGUMENT ...]")
print(".SH DESCRIPTION\nMechanisms, flexible bodies, circuits, drivelines and controllers in one differential\\-algebraic system, advanced "
      "together with second\\-order accurate positions, velocities, accelerations, reaction forces and controller states. A model is a short "
      "text file; every quantity has its unit, every mistake is told with file, line and column.")
print(".SH OPTIONS")
options(listed(help_text, "Options"))
print(".SH VERBS")
for verb in verbs:
    text = said(verb["name"])
    usage = re.search(r"^Usage: escapement (.*)", text, re.M)[1].replace("[OPTIONS]", "").split()
    summary = verb["text"][0].upper() + verb["text"][1:]
    print(f".SS \"escapement {safe(' '.join(usage))}\"\n{safe(summary)}.")
    for entry in listed(text, "Positionals"):
        tell(f"\\fI{safe(entry['name'])}\\fR", entry["text"])
    options(entry for entry in listed(text, "Options") if entry["name"] != "-h,--help")
print(f".SH EXIT STATUS\n{safe(status.strip())}")
print(f".SH EXAMPLES\n.nf\n{safe(examples)}\n.fi")
print(".SH SEE ALSO\nThe documents in\n.IR /usr/share/doc/escapement/docs ,\nthe examples in\n.IR /usr/share/escapement/examples ,\n"
      "and the pages of components:\n.BR \"escapement components\" .")
