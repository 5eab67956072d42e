#!/usr/bin/env bash
# Gets what a build needs, and builds.
#
#   scripts/setup.sh [build] [test] [web] [package] [ci]    install the missing packages of these groups (default: build)
#   . scripts/setup.sh                      only define the functions below, for the launchers
#
# Exit status: 5 packages are missing and were not installed, 70 configuring or building failed.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

# ---- packages -----------------------------------------------------------------------------------------

declare -A packages=(
  [build]="g++ cmake ninja-build libsuitesparse-dev libeigen3-dev libspectra-dev libfmt-dev libyaml-dev libhdf5-dev libcli11-dev"
  [test]="doctest-dev python3"
  [web]="nodejs npm"
  [package]="dpkg-dev file lintian"
  [ci]="chromium clang-format ccache clang libclang-rt-14-dev python3-h5py python3-jsonschema python3-yaml ngspice"
)
# A package is not needed if one of its programs is in PATH.
declare -A programs=(
  [g++]="${CXX:-g++}" [cmake]=cmake [ninja-build]="ninja ninja-build"
  [nodejs]="node nodejs" [npm]=npm [chromium]="chromium chromium-browser google-chrome"
  [dpkg-dev]=dpkg-shlibdeps [file]=file [lintian]=lintian
  [clang-format]="clang-format-14 clang-format" [ccache]=ccache [clang]="clang clang-14" [python3]=python3 [ngspice]=ngspice
)
# Without dpkg, a package is taken as present if the compiler finds one of its headers.
declare -A headers=(
  [libsuitesparse-dev]="suitesparse/klu.h klu.h" [libeigen3-dev]="eigen3/Eigen/Core Eigen/Core"
  [libspectra-dev]="Spectra/SymGEigsShiftSolver.h" [libfmt-dev]="fmt/core.h" [libyaml-dev]=yaml.h
  [libhdf5-dev]="hdf5/serial/hdf5.h hdf5.h" [libcli11-dev]="CLI/CLI.hpp" [doctest-dev]="doctest/doctest.h doctest.h"
)

say() { printf 'escapement: %s\n' "$*" >&2; }

# A line that the next one overwrites, on a terminal only; without text, it is only cleared.
note() {
  if [[ -t 2 ]]; then printf '\r\033[K%s' "${1:+escapement: $1}" >&2; fi
}

# STATUS LOG MESSAGE: say what failed, show the end of the log, stop.
fail_with_log() {
  note ""
  say "$3; the end of $2:"
  tail -n 40 "$2" >&2
  say "the whole log: $2"
  exit "$1"
}

is_debian() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

has_program() {
  local program
  for program in ${programs[$1]-}; do
    if command -v "$program" >/dev/null; then return 0; fi
  done
  return 1
}

has_header() {
  local header folder folders=() include=()
  IFS=: read -ra folders <<<"${CMAKE_PREFIX_PATH-}"
  for folder in "${folders[@]}"; do include+=("-I$folder/include"); done
  for header in ${headers[$1]-}; do
    if printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$header" |
      ${CXX:-g++} "${include[@]}" -E -x c++ - >/dev/null 2>&1; then return 0; fi
  done
  return 1
}

# PACKAGE...: print those that are missing.
missing_packages() {
  local package installed=
  if is_debian; then
    # shellcheck disable=SC2016  # ${...} is dpkg-query's
    installed=$(dpkg-query -W -f '${Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)
  fi
  for package; do
    if has_program "$package" || [[ " $installed" == *" $package=installed "* ]]; then continue; fi
    if ! is_debian && has_header "$package"; then continue; fi
    printf '%s\n' "$package"
  done
}

# GROUP...: install the missing packages of these groups, or stop with status 5.
need_packages() {
  local group all=() missing=() become=() log=$root/build/log/setup.log
  for group; do read -ra all <<<"${all[*]} ${packages[$group]}"; done
  mapfile -t missing < <(missing_packages "${all[@]}")
  if ((${#missing[@]} == 0)); then return 0; fi

  if ! is_debian; then
    say "these are needed (names of the Debian packages): ${missing[*]}"
    say "install them in your system's way; see \"Plain CMake\" in README.md"
    exit 5
  fi
  local install=(apt-get install -y --no-install-recommends "${missing[@]}")
  if ((EUID != 0)); then
    become=(sudo)
    if [[ ! -t 0 || ! -t 2 ]]; then become+=(-n); fi
    if ! command -v sudo >/dev/null || { [[ ${become[*]} == *-n ]] && ! sudo -n true 2>/dev/null; }; then
      say "packages are missing and this user cannot install them; as root, run:"
      printf '  %s\n' "${install[*]}" >&2
      exit 5
    fi
  fi
  say "will install with ${become[*]}${become[*]:+ }apt-get: ${missing[*]}"
  if [[ -t 0 && -t 2 ]]; then
    local answer=n
    read -r -p "Go on? [Y/n] " answer || answer=n
    if [[ ! $answer =~ ^([Yy].*)?$ ]]; then
      say "nothing was installed; to do it yourself, run as root:"
      printf '  %s\n' "${install[*]}" >&2
      say "or build in your own way; see \"Plain CMake\" in README.md"
      exit 5
    fi
    if ((EUID != 0)) && ! sudo true; then exit 5; fi # asks for the password before output goes to the log
  fi

  mkdir -p "${log%/*}"
  local apt=("${become[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8)
  install=("${apt[@]}" apt-get -o DPkg::Lock::Timeout=300 "${install[@]:1}")
  if ! "${install[@]}" </dev/null >"$log" 2>&1; then
    # Package lists that are missing or old are the usual reason.
    { "${apt[@]}" apt-get update && "${install[@]}"; } </dev/null >>"$log" 2>&1 ||
      fail_with_log 5 "$log" "could not install the packages"
  fi
}

# ---- build folders ------------------------------------------------------------------------------------

# FOLDER COMMAND...: run the command while no other start works in this folder.
with_lock() {
  local folder=$1
  shift
  mkdir -p "$folder/log"
  (
    if command -v flock >/dev/null && ! flock -n 9; then
      say "waiting for another build in ${folder##*/}/"
      flock 9
    fi
    "$@" 9>&-
  ) 9>"$folder/.lock"
}

# FOLDER ARGUMENT...: configure a new folder with all the arguments. `-DNAME=VALUE` is a default that an
# existing folder keeps to itself; a plain `NAME` is an option that is switched on there too.
configure() {
  local folder=$1 argument defaults=() switches=() off=() log=$1/log/build.log cache=$1/CMakeCache.txt
  shift
  for argument; do
    case $argument in
      -*) defaults+=("$argument") ;;
      *)
        switches+=("-D$argument=ON")
        if ! grep -qs "^$argument:[A-Z]*=ON\$" "$cache"; then off+=("-D$argument=ON"); fi
        ;;
    esac
  done
  : >"$log"
  # A folder that was never configured, or that came here with a copied or moved checkout, starts afresh.
  if [[ ! -e $folder/build.ninja ]] ||
    [[ ! $(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache" 2>/dev/null) -ef $root ]]; then
    rm -rf "$cache" "$folder/CMakeFiles" "$folder/build.ninja"
    if command -v ccache >/dev/null; then defaults+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
    off=(-G Ninja "${defaults[@]}" "${switches[@]}")
  fi
  if ((${#off[@]} == 0)); then return 0; fi
  note "configuring"
  cmake -S "$root" -B "$folder" "${off[@]}" </dev/null >>"$log" 2>&1 ||
    fail_with_log 70 "$log" "configuring failed"
  note ""
}

# FOLDER [TARGET]: what the next build has to make, a line each: milliseconds, output. They count as long as they took last time; what
# was never made counts as the average of what was.
expected_work() {
  local ninja log=$1/.ninja_log
  ninja=$(command -v ninja || command -v ninja-build) || return 0
  if [[ ! -e $log ]]; then log=/dev/null; fi
  cp "$1/build.ninja" "$1/log/plan.ninja" || return 0 # by another name: ninja would stop where the list of sources is to be looked through
  "$ninja" -C "$1" -f log/plan.ninja -n ${2:+"$2"} 2>/dev/null | awk -v times="$log" '
    BEGIN {
      FS = "\t"
      while ((getline < times) > 0) if (NF >= 4 && $2 >= $1) took[$4] = $2 - $1
      for (output in took) { sum += took[output]; ++count }
      average = count ? int(sum / count) : 1000
      FS = " "
    }
    /^\[[0-9]+\/[0-9]+\]/ { print ($NF in took ? took[$NF] : average), $NF }' || true
}

# SECONDS: in words, coarse enough for a guess.
about() {
  if (($1 < 55)); then echo "about $((($1 / 10 + 1) * 10)) s left"; else echo "about $((($1 + 59) / 60)) min left"; fi
}

# FILE of expected_work: reads the build's output and says how far it is and how long it will take, on a terminal all the time, else
# every 30 s. Lines of ninja tell what is finished.
show_progress() {
  local line output milliseconds sum=0 finished=0 last=0 counted= status
  local begun=$SECONDS spoken=$SECONDS
  local -A work=()
  while read -r milliseconds output; do
    work[$output]=$milliseconds
    sum=$((sum + milliseconds))
  done <"$1"
  while :; do
    status=0
    IFS= read -r -t 5 line || status=$?
    if ((status > 0 && status <= 128)); then break; fi
    if ((status == 0)) && [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ .*[^[:space:]] ]]; then
      counted="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
      output=${line##* }
      finished=$((finished + ${work[$output]:-0}))
      if ((sum == 0)); then last=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2])); else last=$((100 * finished / sum)); fi
    fi
    if [[ -z $counted ]]; then continue; fi
    local passed=$((SECONDS - begun)) left=
    if ((passed >= 5 && last >= 3 && last < 100)); then left=", $(about $((passed * (100 - last) / last)))"; fi
    note "building: $last %$left ($counted)"
    if [[ ! -t 2 ]] && ((SECONDS - spoken >= 30)); then
      say "building: $last %$left ($counted)"
      spoken=$SECONDS
    fi
  done
  note ""
}

# FOLDER [TARGET]: build, all or one target. `.built` then has the time when the last good build began.
build() {
  local folder=$1 log=$1/log/build.log command=(cmake --build "$1")
  if [[ -n ${2-} ]]; then command+=(--target "$2"); fi
  if [[ -n ${ESCAPEMENT_BUILD_JOBS-} ]]; then command+=(--parallel "$ESCAPEMENT_BUILD_JOBS"); fi
  : >"$folder/.begun"
  expected_work "$folder" "${2-}" >"$folder/log/expected"
  "${command[@]}" </dev/null 2>&1 | tee -a "$log" | show_progress "$folder/log/expected" ||
    fail_with_log 70 "$log" "the build failed"
  mv -f "$folder/.begun" "$folder/.built"
}

# ---- the viewer of reports ----------------------------------------------------------------------------

viewer=$root/build/web/viewer.html

viewer_up_to_date() {
  [[ -e $viewer && -z $(find "$root/web" -name node_modules -prune -o -type f -newer "$viewer" -print -quit) ]]
}

viewer_failed() {
  note ""
  say "$2; the log is ${1#"$root/"}"
  exit "${3:-5}"
}

# Makes $viewer from web/, in a copy below build/, so that the sources stay as they are; stops with status 5 if it cannot.
make_viewer() {
  if viewer_up_to_date; then return 0; fi
  need_packages web
  local work=$root/build/web/work log=$root/build/web/log/viewer.log
  mkdir -p "$work"
  : >"$log"
  note "making the viewer of reports"
  rm -rf "$work/src" "$work/test"
  cp -r "$root"/web/{package.json,package-lock.json,.npmrc,tsconfig.json,build.mjs,src,test,.prettierrc.json,.prettierignore,README.md} "$work"
  if ! cmp -s "$work/package-lock.json" "$work/node_modules/.installed"; then
    npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=10000 </dev/null >>"$log" 2>&1 ||
      viewer_failed "$log" "the packages of the viewer could not be had"
    cp "$work/package-lock.json" "$work/node_modules/.installed"
  fi
  (cd "$work" && node build.mjs "$viewer.new") </dev/null >>"$log" 2>&1 ||
    viewer_failed "$log" "the viewer could not be made" 70
  mv -f "$viewer.new" "$viewer"
  note ""
}

# The same, but a failure is only told: programs without the viewer work.
try_viewer() {
  if ! (with_lock "$root/build/web" make_viewer); then
    say "going on without the viewer of reports; scripts/viewer.sh makes it later"
  fi
}

# The folder that ./escapement and ./test share: configure it, with these options switched on.
configure_release() { configure "$root/build" -DCMAKE_BUILD_TYPE=Release -DESCAPEMENT_NATIVE=ON "$@"; }

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  for group in "${@:-build}"; do
    if [[ -z ${packages[$group]-} ]]; then
      say "usage: scripts/setup.sh [build] [test] [web] [package] [ci]"
      exit 2
    fi
  done
  need_packages "${@:-build}"
fi
