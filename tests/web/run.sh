#!/usr/bin/env bash
# The viewer of reports: its types and format, then pages of examples, of a comparison and of a hostile model in a real
# browser, opened from file://. Needs the program with the viewer in it (./test builds it), npm and a browser; where one of
# them cannot be had it says so and ends well.
#
#   tests/web/run.sh [SCREENSHOTS]    a folder for pictures of the pages
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../scripts/setup.sh"

skip() {
  say "SKIPPED, the viewer is not tested: $1"
  exit 0
}

program=$root/build/bin/escapement
pictures=${1:-$root/build/web/screenshots}
status=0
(with_lock "$root/build/web" make_viewer) || status=$?
if ((status == 5)); then skip "its packages cannot be had"; fi
if ((status)); then exit "$status"; fi
if [[ $("$program" report /nowhere 2>&1) == *E-VIEWER* ]]; then skip "the program was built without it"; fi
browser=$(command -v chromium chromium-browser google-chrome | head -n 1) || skip "there is no browser"

# In the copy that has the packages.
web=$root/build/web/work
echo "types and format of web/"
(cd "$web" && npm run --silent check)
if [[ -e $web/test/unit.mjs ]]; then (cd "$web" && npm test --silent); fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pages=()
cp "$root/tests/web/beams.yaml" "$work/"
"$program" run "$work/beams.yaml" --out "$work/beams" --report --quiet >/dev/null
pages+=("$work/beams/report.html")
for model in double_pendulum/model four_bar/model stewart_platform/model rolling_disk/body controlled_spring_mass/model \
  speed_control/model pendulum/model half_car/model bicycle/model; do
  name=${model%%/*}
  "$program" run "$root/examples/$model.yaml" --out "$work/$name" --report --quiet >/dev/null
  pages+=("$work/$name/report.html")
done
"$program" run "$root/examples/double_pendulum/model.yaml" --set simulate.step="4 ms" --out "$work/coarse" --quiet
"$program" compare "$work/double_pendulum" "$work/coarse" --out "$work/compare.html" >/dev/null
pages+=("$work/compare.html")
# A run that was killed, of a version that kept no picture; one that failed.
cp -r "$work/pendulum" "$work/killed"
rm "$work"/killed/{summary.json,scene.json,motion.bin,history.json,source.yaml}
"$program" report "$work/killed" >/dev/null 2>&1
pages+=("$work/killed/report.html")
cp "$root/tests/web/failing.yaml" "$work/"
"$program" run "$work/failing.yaml" --out "$work/failing" --report --quiet >/dev/null 2>&1 && exit 1
pages+=("$work/failing/report.html")
python3 "$root/tests/web/hostile.py" "$work/hostile"
hostile=$work/'<img src=x onerror=window.__xss=1>'
"$program" run "$work/hostile/model.yaml" --set p1=2 --out "$hostile" --report --quiet >/dev/null
mkdir -p "$pictures"
CHROMIUM=$browser node "$web/test/browser.mjs" --shots "$pictures" "${pages[@]}" --hostile "$hostile/report.html"
