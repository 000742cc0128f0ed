#!/bin/sh
# draw.sh - draws the pictures of docs/layouts: each is the output of the command that stands under it in README.md.
# usage: docs/layouts/draw.sh TC_LAYOUT [DIRECTORY], from the repository's root; make layouts does it
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
dir=${2:-$here}
mkdir -p "$dir" && cd "$dir" || exit 1
sed -n 's/^    tc_layout \(.*--svg .*\.svg\)$/\1/p' "$here/README.md" | while read -r arguments; do
    # shellcheck disable=SC2086
    "$tool" $arguments || { echo "draw.sh: tc_layout $arguments failed"; exit 1; }
done
