"""Every component: the examples of the reference, several of them side by side, each a subsystem of its own."""

import re
import subprocess

from judge import same

NAME = "registry"
# Examples show noise, play, impacts: how large their errors are is not known beforehand.
WITHOUT = ("order", "order_of_prescribed_steps", "between_steps", "schemes", "adaptive", "energy", "by_set", "as_parameters", "through_gains", "parts_in_subsystems")
LEFT_OUT = ("c_function",)  # needs a file beside it and the user's trust
EXAMPLES = {}


def prepare(program):
    """Reads the examples of all components, as `escapement components` prints them."""
    if EXAMPLES:
        return
    listed = subprocess.run([program, "components", "--markdown"], capture_output=True, text=True, check=True).stdout
    for name in sorted(set(re.findall(r"^#+ `?([a-z]+\\?\.[a-z_0-9\\]+)`?", listed, re.MULTILINE))):
        page = subprocess.run([program, "components", name], capture_output=True, text=True, check=True).stdout
        lines = re.sub(r"^  ", "", page.split("\nExample\n", 1)[1], flags=re.MULTILINE).rstrip() + "\n"
        if not any(left in name for left in LEFT_OUT):
            EXAMPLES[name] = lines if re.search(r"^components:", lines, re.MULTILINE) else "components:\n" + re.sub(r"^(?=.)", "  ", lines, flags=re.MULTILINE)


def generate(random):
    names = random.sample(sorted(EXAMPLES), random.randint(1, 3))
    files = {f"{n.replace('.', '_')}.yaml": "escapement: 1\n" + EXAMPLES[n] for n in names}
    return {"gravity": [0, 0, -9.81], "components": {f.removesuffix(".yaml"): {"use": f} for f in files}, "files": files,
            "simulate": {"until": 0.5, "step": random.choice([0.005, 0.01])},
            "rounding": 1e3 if any(n.startswith("beam.") or "beam.line" in EXAMPLES[n] for n in names) else 1.0}


def shuffled(bench, model, random):
    """The order of the components in each example says nothing."""
    files = {}
    for name, content in model["files"].items():
        head, body = content.split("components:\n", 1)
        pieces = re.split(r"^(?=  \S)", body, flags=re.MULTILINE)
        random.shuffle(pieces)
        files[name] = head + "components:\n" + "".join(pieces)
    return same(bench.run(model), bench.run({**model, "files": files}), model["simulate"]["step"])


RELATIONS = [shuffled]
