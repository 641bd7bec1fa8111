#!/usr/bin/env bash
# Builds gimlet from these sources into a directory, unless it is there: install.sh DIR
# Needs Rust, a C compiler and Z3's headers, which it installs on Debian and Ubuntu if it may.
set -euo pipefail

to=${1:?the directory to install to}
sources=$(cd "$(dirname "$0")/../.." && pwd)
if [ -x "$to/bin/gimlet" ]; then
    echo "found $("$to/bin/gimlet" --version) in $to"
    exit 0
fi

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

if [ ! -e /usr/include/z3.h ] && command -v apt-get >/dev/null; then
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends libz3-dev gcc libc6-dev
fi
if ! command -v cargo >/dev/null; then
    echo "There is no cargo on the PATH; install Rust first: https://rustup.rs" >&2
    exit 2
fi
cargo install --locked --path "$sources/crates/cli" --root "$to"
