#!/usr/bin/env bash
# Makes the viewer of reports from web/: build/web/viewer.html, which the next build puts into the program. Needs nodejs
# and npm (installed if missing), and the network when packages of web/package-lock.json are not there yet.
#
#   scripts/viewer.sh          make it if web/ has changed, then rebuild the program if there is one
#   scripts/viewer.sh --only   make it, leave the program
#
# Exit status: 5 it could not be made.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/setup.sh"

with_lock "$root/build/web" make_viewer
if [[ ${1-} != --only && -e $root/build/build.ninja ]]; then
  with_lock "$root/build" build "$root/build" escapement_app
fi
