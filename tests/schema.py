"""The JSON Schema of model files against the examples and against mistakes: schema.py PROGRAM EXAMPLES_FOLDER

Ends with status 77 (skipped) where python3-jsonschema or python3-yaml is not installed.
"""

import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError:
    sys.exit(77)

program, examples = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads(subprocess.run([program, "components", "--schema"], capture_output=True, check=True).stdout)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def faults(model):
    return [e.message for e in validator.iter_errors(model)]


checked = 0
for path in sorted(p for page in examples.glob("*/README.md") for p in page.parent.glob("*.yaml")):
    found = faults(yaml.safe_load(path.read_text()))
    assert not found, f"{path}: {found}"
    checked += 1
types = json.loads(subprocess.run([program, "components", "--json"], capture_output=True, check=True).stdout)
for component in types:  # every component's own example
    model = {"escapement": 1, "components": yaml.safe_load(component["example"])}
    found = faults(model)
    assert not found, f"{component['name']}: {found}"
    checked += 1

base = {"escapement": 1, "components": {"s": {"type": "translational.spring", "stiffness": "1 N/m", "between": ["ground", "m"]}}}
assert not faults(base)
mistakes = {
    "unknown key": {"stifness": "1 N/m"},
    "unknown type": {"type": "translational.sprin"},
    "two laws": {"law": "1 N"},
    "one end": {"between": ["ground"]},
    "wrong choice": {"interpolation": "cubic"},
}
for name, change in mistakes.items():
    model = json.loads(json.dumps(base))
    model["components"]["s"].update(change)
    assert faults(model), f"the schema lets pass: {name}"
assert faults({**base, "simulat": {}}) and faults({"components": {}}), "the schema lets pass a wrong top level"
print(f"{checked} models are valid, {len(mistakes) + 2} mistakes are found")
