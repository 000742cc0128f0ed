#!/bin/sh
# install.sh - make install into an empty directory, moved elsewhere; a program built with what lies there, by the very
# line of README.md, and run by the tcemu that lies there; then make uninstall. Needs nvcc and tcemu, no GPU.
# usage: tests/install.sh [BUILD_DIR, default build], from the repository's root, after make.
# Ends with "N passed, N failed, N skipped".
build=${1:-build}
work=$build/install
NVCC=${NVCC:-nvcc}
rm -rf "$work" && mkdir -p "$work" || exit 1
work=$(cd "$work" && pwd)
prefix=$work/moved
passed=0 failed=0 skipped=0
ok() { echo "ok $*"; passed=$((passed + 1)); }
bad() { echo "FAIL $*"; failed=$((failed + 1)); }
skip() { echo "SKIP $*"; skipped=$((skipped + 1)); }
unset MAKEFLAGS MAKELEVEL MFLAGS
made() { # made TARGET: its status
    make B="$build" NVCC="$NVCC" PREFIX=/opt/tc DESTDIR="$work/stage" "$@" > "$work/make.log" 2>&1
}
works() { # works WHAT LOG COMMAND...: ok if it exits with 0, else the first lines of its output
    what=$1 log=$work/$2
    shift 2
    if "$@" > "$log" 2>&1; then ok "$what"; else bad "$what: $(head -n 3 "$log")"; fi
}

stage=$work/stage/opt/tc
works "make install" out made install
: > "$stage/include/tc_of_an_older_version.h"
echo include/tc_of_an_older_version.h >> "$stage/share/tc/installed"
: > "$stage/lib/of_the_user"
works "make install once more" out made install
works "an older version's header goes" out [ ! -e "$stage/include/tc_of_an_older_version.h" ]
cp -R "$stage" "$prefix" || exit 1

missing=""
for file in tc*.h; do cmp -s "$file" "$prefix/include/$file" || missing="$missing include/$file"; done
for file in LICENSE README.md CHANGELOG.md docs/*.md docs/layouts/*.md docs/layouts/*.svg; do
    cmp -s "$file" "$prefix/share/doc/tc/$file" || missing="$missing $file"
done
if [ -z "$missing" ]; then ok "headers, licence and manuals"; else bad "not installed, or other than here:$missing"; fi
found=$(grep -rlF "$work" "$prefix/share" "$prefix/include" | head -n 3)
if [ -z "$found" ]; then ok "no path of this machine"; else bad "a path of this machine stands in $found"; fi

# what pkg-config says of it
version=$(sed -n 's/^#define TC_VERSION_\(MAJOR\|MINOR\|PATCH\) *\([0-9]*\).*/\2/p' tc_core.h | paste -s -d .)
flags="-I$prefix/include"
if command -v pkg-config > /dev/null; then
    flags=$(PKG_CONFIG_PATH=$prefix/share/pkgconfig pkg-config --cflags tc)
    says=$(PKG_CONFIG_PATH=$prefix/share/pkgconfig pkg-config --modversion tc)
    if [ "$says" = "$version" ]; then ok "pkg-config: $version"; else bad "pkg-config says $says, not $version"; fi
else
    skip "pkg-config is not installed"
fi

# README's own line, from a directory that has neither headers nor tcemu
line=$(grep '^nvcc .* 02_first_gemm.cu ' README.md | head -n 1)
cp examples/02_first_gemm.cu "$work/"
built() {
    (cd "$work" && eval "\"$NVCC\" ${line#nvcc } $flags -DTC__GEMM_ONE_TILE" > nvcc.log 2>&1)
    cat "$work/nvcc.log"
    [ -x "$work/first" ] && [ ! -s "$work/nvcc.log" ]
}
works "README's nvcc line, without a warning" nvcc.out built
ran() { (cd / && "$prefix/bin/tcemu" --device "$1" "$work/first" > "$work/said" && grep ' ok$' "$work/said"); }
for device in sm_90a sm_80 sm_120a; do works "02_first_gemm under the installed tcemu, $device" out ran $device; done
# shellcheck disable=SC2016
works "a driver beside it" driver.log "$prefix/bin/tcemu" sh -c 'cat "${LD_LIBRARY_PATH%%:*}/libcuda.so.1" > /dev/null'

works "make uninstall" out made uninstall
left=$(cd "$work/stage" && find . ! -type d | tr '\n' ' ')
tc=$(cd "$work/stage" && find . -type d -name 'tc*' ! -path ./opt/tc | tr '\n' ' ')
works "nothing but the user's file is left, not $left$tc" out [ "$left$tc" = "./opt/tc/lib/of_the_user " ]
refused() { ! made "$@" && grep -q "$why" "$work/make.log"; }
why="there is no tc in $stage" && works "make uninstall where nothing is" out refused uninstall
why="PREFIX=here must be an absolute path" && works "a relative PREFIX" out refused install-headers PREFIX=here
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
