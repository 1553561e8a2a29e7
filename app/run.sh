#!/usr/bin/env bash
# Installs what is missing, builds SlackScope and opens its window. Without a display it plans the sample and
# writes the pictures instead. Arguments go to the program:  app/run.sh llama-7b
set -euo pipefail
export LC_ALL=C.UTF-8

tree=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$tree/app/packages.sh"
build=$tree/build/release

usage() {
    cat <<'END'
usage: app/run.sh [--no-install] [--build-only] [ARGUMENTS OF slackscope ...]

Installs missing packages (Debian 12 or later, Ubuntu 24.04 or later; root or sudo), builds into build/release
and opens the window. Without a display: plans the sample and writes its pictures to build/pictures.
  --no-install   use what is installed
  --build-only   build and stop
END
}

install=yes
run=yes
while [ $# -gt 0 ]; do
    case $1 in
    --no-install) install=no ;;
    --build-only) run=no ;;
    --help | -h) usage; exit 0 ;;
    --) shift; break ;;
    *) break ;;
    esac
    shift
done

[ $install = no ] || requirePackages "${buildPackages[@]}"
configure "$tree" "$build" -DCMAKE_BUILD_TYPE=Release -DSLACKSCOPE_TESTS=OFF
say "Building (the first time takes a few minutes) ..."
if ! cmake --build "$build" >"$build/build.log" 2>&1; then
    tail -n 40 "$build/build.log" >&2
    die "the build failed; all of its output is in $build/build.log"
fi
program=$build/app/slackscope
if [ $run = no ]; then
    say "Built $program"
    exit 0
fi
if [ $# -gt 0 ]; then
    exec "$program" "$@"
fi
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$program"
fi

sample=gpt2-xl
budget=50%
pictures=$tree/build/pictures
say "No display (DISPLAY and WAYLAND_DISPLAY are not set): planning $sample at $budget instead."
"$program" plan "$sample" --budget "$budget"
mkdir -p "$pictures"
"$program" plan "$sample" --budget "$budget" --format json -o "$pictures/$sample.json"
for view in timeline memory decisions all; do
    "$program" export "$sample" --budget "$budget" --view "$view" -o "$pictures/$sample-$view.png"
done
say "Pictures and the timeline: $pictures"
