#!/usr/bin/env bash
# Draws the pictures of the examples' pages anew: examples/NAME/picture.svg, the plot that the model asks for first; for
# three_schemes docs/schemes.svg, from one run with each scheme. step_times: docs/step_times.svg, from runs of half a minute in
# real time; only if asked for, since it tells of the machine.
#
#   scripts/pictures.sh [NAME...]    default: all examples
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

names=("$@")
if ((${#names[@]} == 0)); then
  for page in "$root"/examples/*/README.md; do names+=("$(basename "${page%/*}")"); done
fi
for name in "${names[@]}"; do
  if [[ $name == step_times ]]; then
    for scheme in generalized-alpha variational spook; do
      "$root/escapement" run "$root/examples/four_bar/model.yaml" --real-time --set simulate.scheme=$scheme --set "simulate.step=1 ms" \
        --set "simulate.until=10 s" --out "$work/$scheme" --quiet
    done
    python3 "$root/scripts/step_times_picture.py" "generalized-α=$work/generalized-alpha" "variational=$work/variational" "SPOOK=$work/spook" \
      >"$root/docs/step_times.svg"
    printf '%s\n' "docs/step_times.svg"
    continue
  fi
  if [[ $name == three_schemes ]]; then
    for scheme in generalized-alpha variational spook; do
      "$root/escapement" run "$root/examples/$name/model.yaml" --set simulate.scheme=$scheme --out "$work/$scheme" --quiet
    done
    python3 "$root/scripts/schemes_picture.py" "$work/generalized-alpha" "$work/variational" "$work/spook" >"$root/docs/schemes.svg"
    printf '%s\n' "docs/schemes.svg"
    continue
  fi
  "$root/escapement" run "$root/examples/$name/model.yaml" --out "$work/$name" --trust --quiet
  "$root/escapement" plot "$work/$name" --width 560 >/dev/null
  cp "$work/$name/plot-1.svg" "$root/examples/$name/picture.svg"
  printf '%s\n' "examples/$name/picture.svg"
done
