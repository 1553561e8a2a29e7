#!/usr/bin/env bash
# Builds everything with warnings as errors and runs every test. See --help.
set -euo pipefail
export LC_ALL=C.UTF-8

tree=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$tree/app/packages.sh"

usage() {
    cat <<'END'
usage: tests/run.sh [--no-install] [--quick] [--sanitize KINDS] [--tidy] [--bench]

By default: installs missing packages, checks the formatting, builds with warnings as errors, runs every test,
and runs the tests of the core once more under AddressSanitizer and UndefinedBehaviorSanitizer.
  --no-install      use what is installed
  --quick           leave the sanitized run out
  --sanitize KINDS  instead, build everything with 'address,undefined' or 'thread' and run every test
  --tidy            also run clang-tidy over every source file (some minutes)
  --bench           also build and run the benchmarks
With CI=true nothing is ever asked, and JUnit reports are left in build/reports.
END
}

install=yes quick=no sanitize="" tidy=no bench=no
while [ $# -gt 0 ]; do
    case $1 in
    --no-install) install=no ;;
    --quick) quick=yes ;;
    --sanitize) [ $# -ge 2 ] || die "--sanitize needs 'address,undefined' or 'thread'"; sanitize=$2; shift ;;
    --sanitize=*) sanitize=${1#*=} ;;
    --tidy) tidy=yes ;;
    --bench) bench=yes ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; die "does not know $1" ;;
    esac
    shift
done
case $sanitize in
"" | address,undefined | thread) ;;
*) die "--sanitize takes 'address,undefined' or 'thread', not '$sanitize'" ;;
esac

packages=("${buildPackages[@]}" "${testPackages[@]}")
[ $tidy = no ] || packages+=(clang-tidy)
[ $bench = no ] || packages+=(libbenchmark-dev libsimgrid-dev)
[ $install = no ] || requirePackages "${packages[@]}"

jobs=$(nproc)
failed=() passed=()
begin=$SECONDS
stepBegin=$SECONDS

# note NAME STATUS: remembers how a step went, for the summary.
note() {
    local line="$1 ($((SECONDS - stepBegin)) s)"
    if [ "$2" -eq 0 ]; then passed+=("$line"); else failed+=("$line"); fi
    stepBegin=$SECONDS
}

sources() {
    find "$tree" -path "$tree/build*" -prune -o -type f \( -name '*.cpp' -o -name '*.h' \) -print0
}

# The layout of the tree is that of clang-format 14; other versions differ in details.
checkFormatting() {
    local tool=clang-format-14 version
    command -v $tool >/dev/null || tool=clang-format
    version=$($tool --version | sed 's/.*version \([0-9]*\).*/\1/')
    if [ "$version" != 14 ]; then
        say "Formatting is not checked: the tree is laid out by clang-format 14, here is $version."
        return 0
    fi
    sources | xargs -0 $tool --dry-run -Werror
}

# buildAndTest NAME BUILD_DIR [cmake options]
buildAndTest() {
    local name=$1 build=$2 status=0
    shift 2
    say "== $name: build"
    configure "$tree" "$build" -DSLACKSCOPE_WARNINGS_AS_ERRORS=ON "$@"
    cmake --build "$build" -j "$jobs" >"$build/build.log" 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        grep -vE '^\[[0-9]+/[0-9]+\]' "$build/build.log" | head -n 80 >&2
        say "The build failed; all of its output is in $build/build.log"
        note "$name: build" $status
        return
    fi
    note "$name: build" 0
    say "== $name: tests"
    mkdir -p "$tree/build/reports"
    ctest --test-dir "$build" --output-on-failure -j "$jobs" --no-tests=error \
        --output-junit "$tree/build/reports/$(basename "$build").xml" || status=$?
    note "$name: tests" $status
}

status=0
say "== formatting"
checkFormatting || status=$?
note "formatting" $status

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="halt_on_error=1:suppressions='$tree/tests/tsan.supp'"
if [ -n "$sanitize" ]; then
    # Qt and fontconfig keep what they allocate once: leaks are looked for in the core alone (default run).
    ASAN_OPTIONS+=:detect_leaks=0
    buildAndTest "everything, $sanitize sanitizer" "$tree/build/sanitize-${sanitize%%,*}" \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DSLACKSCOPE_SANITIZE=$sanitize"
else
    if [ $quick = no ]; then
        buildAndTest "core, address and undefined-behaviour sanitizers" "$tree/build/sanitize-core" \
            -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" \
            -DSLACKSCOPE_SANITIZE=address,undefined -DSLACKSCOPE_WINDOW=OFF -DSLACKSCOPE_PROGRAM=OFF
    fi
    buildAndTest "everything" "$tree/build/test" -DCMAKE_BUILD_TYPE=Release
fi

if [ $tidy = yes ]; then
    say "== clang-tidy"
    configure "$tree" "$tree/build/tidy" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
    status=0
    # The generated sources of AUTOMOC are included by the files that are checked.
    cmake --build "$tree/build/tidy" -j "$jobs" >"$tree/build/tidy/build.log" 2>&1 || status=$?
    [ $status -ne 0 ] || sources | grep -z '\.cpp$' |
        xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p "$tree/build/tidy" --extra-arg=-Wno-unknown-warning-option || status=$?
    note "clang-tidy" $status
fi

if [ $bench = yes ]; then
    say "== benchmarks"
    status=0
    configure "$tree" "$tree/build/bench" -DCMAKE_BUILD_TYPE=Release -DSLACKSCOPE_BENCHMARKS=ON -DSLACKSCOPE_TESTS=OFF
    cmake --build "$tree/build/bench" -j "$jobs" >"$tree/build/bench/build.log" 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        tail -n 40 "$tree/build/bench/build.log" >&2
    else
        while IFS= read -r -d '' program; do
            QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen} "$program" || status=$?
        done < <(find "$tree/build/bench/tests/bench" -maxdepth 1 -type f -name 'bench_*' -perm -u+x -print0 2>/dev/null)
    fi
    note "benchmarks" $status
fi

printf '\n== summary (%d s)\n' $((SECONDS - begin))
for line in "${passed[@]}"; do printf '  passed  %s\n' "$line"; done
for line in "${failed[@]}"; do printf '  FAILED  %s\n' "$line"; done
[ ${#failed[@]} -eq 0 ]
