#!/usr/bin/env bash
# Builds the fuzz targets and runs each for SECONDS (default 60): tests/fuzz/run.sh [SECONDS] [TARGET …]
# Seeds: tests/fuzz/seeds, and for the readers all examples and bad models. What is found stays in build-fuzz/found.
#
# Environment: BUILD (folder, default build-fuzz), CXX (default clang++-14 or clang++), GROW=1 (keep the corpus).
# Exit status: 0 nothing found, 1 something found, 2 usage, 5 no clang, 70 building failed.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(dirname "$(dirname "$here")")
build=${BUILD:-$root/build-fuzz}
seconds=${1:-60}
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then sed -n '2,6s/^# \?//p' "${BASH_SOURCE[0]}" >&2 && exit 2; fi
targets=("${@:2}")
if ((${#targets[@]} == 0)); then targets=(reader netlist expression units); fi

compiler=${CXX:-$(command -v clang++-14 || command -v clang++)} || {
  echo "clang is missing; install it with: scripts/setup.sh ci" >&2
  exit 5
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake -G Ninja -S "$here" -B "$build" -DCMAKE_CXX_COMPILER="$compiler" && cmake --build "$build"; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 70
fi

# All seeds of a target in one folder; names are made of the content, so equal files meet.
collect() {
  local target=$1 folder=$2 file
  if [[ ${GROW:-0} != 1 ]]; then rm -rf "$folder"; fi
  mkdir -p "$folder"
  local places=("$here/seeds/$target")
  if [[ $target == reader || $target == netlist ]]; then places+=("$root/examples" "$root/tests/bad_models"); fi
  local pattern='*.yaml'
  if [[ $target == netlist ]]; then pattern='*.cir'; fi
  for place in "${places[@]}"; do
    if [[ ! -d $place ]]; then continue; fi
    while IFS= read -r -d '' file; do
      cp "$file" "$folder/$(sha1sum <"$file" | cut -c1-40)"
    done < <(find "$place" -type f \( -path "$here/*" -o -name "$pattern" \) -size -64k -print0)
  done
}

declare -A longest=([reader]=16384 [netlist]=4096 [expression]=1024 [units]=64)
mkdir -p "$build/found"
# Says what was found; status 1 if anything was.
fuzz() {
  local target=$1 corpus=$build/corpus/$1 result=0 runs
  local options=(-max_total_time="$seconds" -max_len="${longest[$target]}" -timeout=10 -rss_limit_mb=2048
                 -artifact_prefix="$build/found/$target-" -print_final_stats=1)
  collect "$target" "$corpus"
  if [[ -f $here/seeds/$target.dict ]]; then options+=(-dict="$here/seeds/$target.dict"); fi
  "$build/${target}_fuzz" "${options[@]}" "$corpus" >"$build/$target.log" 2>&1 || result=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log" | tail -1)
  if ((result == 0)); then
    echo "$target: ${runs:-?} runs, nothing found"
    return 0
  fi
  echo "$target: ${runs:-?} runs, FOUND: $(grep -m1 -E 'SUMMARY|runtime error|ERROR:' "$build/$target.log" || echo "status $result")"
  echo "  see $build/$target.log and $build/found" >&2
  return 1
}

status=0
while ((${#targets[@]})); do # two at a time
  jobs=()
  for target in "${targets[@]:0:2}"; do
    fuzz "$target" &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do wait "$job" || status=1; done
  targets=("${targets[@]:2}")
done
exit $status
