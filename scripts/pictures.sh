#!/usr/bin/env bash
# Draws the pictures of the examples' pages anew: examples/NAME/picture.svg, the plot that the model asks for first.
#
#   scripts/pictures.sh [NAME...]    default: all
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

names=("$@")
if ((${#names[@]} == 0)); then
  for folder in "$root"/examples/*/; do names+=("$(basename "$folder")"); done
fi
for name in "${names[@]}"; do
  "$root/escapement" run "$root/examples/$name/model.yaml" --out "$work/$name" --trust --quiet
  "$root/escapement" plot "$work/$name" --width 560 >/dev/null
  cp "$work/$name/plot-1.svg" "$root/examples/$name/picture.svg"
  printf '%s\n' "examples/$name/picture.svg"
done
