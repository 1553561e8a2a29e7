# Sourced by app/run.sh and tests/run.sh: what they need from the distribution, and getting it.

# Compiler, build tools and libraries of the program.
buildPackages=(g++ cmake ninja-build qt6-base-dev qt6-svg-dev libqcustomplot-dev nlohmann-json3-dev
               libexpected-dev libcli11-dev coinor-libclp-dev fonts-dejavu-core)
# What only the tests need.
testPackages=(xvfb xauth clang-format python3-minimal)

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "$(basename "$0"): $*"
    exit 1
}

# Installs those of the named packages that are not there yet, with one apt-get update.
requirePackages() {
    local missing=() package
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        die "packages are installed with apt-get (Debian 12 or later, Ubuntu 24.04 or later), which is not here;" \
            "install what these contain, then use --no-install: $*"
    fi
    for package in "$@"; do
        if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    [ ${#missing[@]} -eq 0 ] && return
    requireKnownSystem "${missing[@]}"
    local asRoot=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            die "these packages are missing and installing them takes root or sudo: ${missing[*]}"
        asRoot=(sudo)
        [ "${CI:-}" = true ] && asRoot=(sudo -n)
    fi
    say "Installing: ${missing[*]}"
    local log
    log=$(mktemp)
    if ! { "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
           "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive \
               apt-get install -q -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        tail -n 15 "$log" >&2
        rm -f "$log"
        die "apt-get could not install: ${missing[*]}"
    fi
    rm -f "$log"
}

# Older releases have a Qt before 6.4 and would fail later with a harder sentence.
requireKnownSystem() {
    local id="" version="" like=""
    if [ -r /etc/os-release ]; then
        id=$(. /etc/os-release && printf '%s' "${ID:-}")
        version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-}")
        like=$(. /etc/os-release && printf '%s' "${ID_LIKE:-}")
    fi
    case "$id" in
    debian) [ -z "$version" ] || [ "${version%%.*}" -ge 12 ] || die "Debian $version is too old; 12 or later is needed" ;;
    ubuntu) [ "${version%%.*}" -ge 24 ] || die "Ubuntu $version is too old; 24.04 or later is needed" ;;
    *) case " $like " in
       *" debian "* | *" ubuntu "*) say "Not tried on ${id:-this system}; going on as on Debian." ;;
       *) die "does not know how to install packages on ${id:-this system}; install by hand, then use --no-install: $*" ;;
       esac ;;
    esac
}

# configure TREE BUILD_DIR [cmake options]: configures where needed; a build directory that was made for another
# place (the tree was copied or moved) is started afresh.
configure() {
    local tree=$1 build=$2 fresh=()
    shift 2
    if [ -f "$build/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$tree" "$build/CMakeCache.txt"; then
        fresh=(--fresh)
    fi
    local launcher=()
    if command -v ccache >/dev/null; then
        launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    mkdir -p "$build"
    if ! cmake "${fresh[@]}" -S "$tree" -B "$build" -G Ninja "${launcher[@]}" "$@" >"$build/configure.log" 2>&1; then
        cat "$build/configure.log" >&2
        die "configuring failed"
    fi
}
