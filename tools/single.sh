#!/bin/sh
# single.sh - all headers as one file on stdout: tc.h with each header of tc in the place of the first include of it,
# whole, guard and manual included. Behind it stands what tc.h does not include, by name. What the preprocessor makes
# of the one file is what it makes of the many; where that cannot be had, a sentence says so and the exit status is not
# 0. usage: tools/single.sh [DIRECTORY of the headers, default the repository's root] > tc_single.h
root=$(cd "$(dirname "$0")/.." && pwd)
cd "${1:-$root}" || exit 1
version=$(sed -n 's/^#define TC_VERSION_\(MAJOR\|MINOR\|PATCH\) *\([0-9]*\).*/\2/p' tc_core.h | paste -s -d .)
copyright=$(grep -m 1 '^Copyright' "$root/LICENSE")
echo "/* tc_single.h - tc $version - all headers of tc in one. MIT license. $copyright. */"
# shellcheck disable=SC2016
awk '
function refuse(text) {
    print "single.sh: " text > "/dev/stderr"
    exit 1
}
# Has the file a guard, that is, may the second include of it be left out?
function guarded(file,    line) {
    while ((getline line < file) > 0) if (line ~ /^#/) break
    close(file)
    return line ~ /^#ifndef TC_[A-Z0-9_]*H$/
}
# Prints file, and what it includes where it includes it. A second include under another condition than the first, or
# the first under any, cannot be left out: there must be none.
function emit(file,    line, name, depth, text, n, i) {
    depth = -guarded(file)
    if (depth) seen[file] = 1
    while ((getline line < file) > 0) text[++n] = line
    close(file)
    if (!n) refuse("cannot read " file)
    for (i = 1; i <= n; i++) {
        line = text[i]
        if (line ~ /^[ \t]*#[ \t]*if/) depth++
        if (line ~ /^[ \t]*#[ \t]*endif/) depth--
        if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/) {
            print line
            continue
        }
        name = line
        sub(/^[^"]*"/, "", name)
        sub(/".*/, "", name)
        if (!(name in known)) refuse(file ":" i " includes " name ", which is not among the headers")
        if (depth && guarded(name)) refuse(file ":" i " includes " name " under an #if")
        if (!(name in seen)) emit(name)
    }
}
BEGIN {
    for (i = 1; i < ARGC; i++) known[ARGV[i]] = 1
    emit("tc.h")
    for (i = 1; i < ARGC; i++) if (!(ARGV[i] in seen) && guarded(ARGV[i])) emit(ARGV[i])
}' tc*.h
