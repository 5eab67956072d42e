#!/usr/bin/env bash
# Formats all *.hpp and *.cpp of the checkout in place; with --check only says what is not formatted.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

case "$*" in
  "") mode=(-i) ;;
  --check) mode=(--dry-run --Werror --ferror-limit=3) ;;
  *) echo "Usage: scripts/format.sh [--check]" >&2 && exit 2 ;;
esac

# The result depends on the version: 14 is the one that counts.
format=$(command -v clang-format-14 || command -v clang-format) || {
  echo "clang-format is missing; install it with: scripts/setup.sh ci" >&2
  exit 5
}
version=$("$format" --version)
if [[ ! $version =~ version\ 14\. ]]; then echo "warning: not version 14: $version" >&2; fi

# Files known to git and new ones that it does not ignore; without git, all outside of build folders.
list_files() {
  git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' 2>/dev/null ||
    find . -name 'build*' -type d -prune -o -type f -name '*.[hc]pp' -print0
}
files=()
while IFS= read -r -d '' file; do
  if [[ -f $file ]]; then files+=("$file"); fi # not those deleted but still known to git
done < <(list_files)
if ((${#files[@]} == 0)); then exit 0; fi

if ! printf '%s\0' "${files[@]}" | xargs -0 -n 8 -P "$(nproc)" "$format" --style=file "${mode[@]}"; then
  echo "format: not all files are formatted; run scripts/format.sh" >&2
  exit 1
fi
echo "format: ${#files[@]} files" >&2
