#!/bin/sh
# errors.sh - programs that must not compile, and what nvcc must say about them. Compiles only, needs no GPU.
#     tests/errors.sh [directory to write to, default build/tests/errors] [files, default all of tests/errors]
# A program's comments:  // expect: TEXT       must be in the output (any number of them)
#                        // expect-line: N     an error must be attributed to line N of the program itself
#                        // expect-first: TEXT the first line of the output holds it
#                        // expect-lines: N    the output has N lines at most (39 where nothing is said)
#                        // arch: 80           the target (default 90a)
#                        // flags: -rdc=true   further flags
# Reading the headers is most of the work, so programs of one target are compiled together, GROUP (24) of them, each in
# a namespace of its own, and what nvcc says is dealt out by the file that it names. A program that is not found right
# that way is compiled by itself, and that has the last word; GROUP=1 compiles all of them so.
# Variables: NVCC (nvcc), JOBS (2), GROUP. One line a program; ends with "N passed, N failed".

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/errors}
[ $# -gt 0 ] && shift
NVCC=${NVCC:-nvcc} JOBS=${JOBS:-2} GROUP=${GROUP:-24}
rm -rf "$out" && mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
export root out NVCC
[ $# -gt 0 ] || set -- "$root"/tests/errors/*.cu

cat > "$out/judge.sh" <<'RUN'
judge() { # judge FILE LOG: why, what is wrong with what nvcc says in LOG about FILE, or nothing
    file=$1 name=$(basename "$1") log=$2 why=""
    sed -n 's,^// expect: ,,p' "$file" > "$log.want"
    [ -s "$log.want" ] || why="it has no // expect: line"
    while IFS= read -r text; do
        grep -qF -- "$text" "$log" || why="$why; the output lacks: $text"
    done < "$log.want"
    line=$(sed -n 's,^// expect-line: ,,p' "$file")
    if [ -n "$line" ]; then grep -qF "$name($line): error" "$log" || why="$why; no error is at line $line"; fi
    first=$(sed -n 's,^// expect-first: ,,p' "$file")
    if [ -n "$first" ]; then head -n 1 "$log" | grep -qF -- "$first" || why="$why; the first line lacks: $first"; fi
    most=$(sed -n 's,^// expect-lines: ,,p' "$file") lines=$(wc -l < "$log")
    most=${most:-39}
    if [ "$lines" -gt "$most" ]; then
        why="$why; $lines lines, $(wc -c < "$log") bytes, not $most lines at most"
    fi
    rm -f "$log.want"
    why=${why#; }
}
RUN

cat > "$out/one.sh" <<'RUN'
. "$out/judge.sh"
file=$1 name=$(basename "$1")
log=$out/$name.log
arch=$(sed -n 's,^// arch: ,,p' "$file")
arch=${arch:-90a}
flags=$(sed -n 's,^// flags: ,,p' "$file")
# shellcheck disable=SC2086
if "$NVCC" -std=c++17 $flags -gencode arch=compute_$arch,code=sm_$arch -I"$root" -c -o "$out/$name.o" "$file" \
    > "$log" 2>&1; then
    why="it compiles"
else
    judge "$file" "$log"
fi
if [ -z "$why" ]; then
    echo "ok $name"
else
    touch "$log.fail"
    printf 'FAIL %s: %s\n%s\n' "$name" "$why" "$(head -6 "$log" | cut -c1-300 | sed 's/^/    /')"
fi
RUN

# deal.awk: the output of a group by the program that each message names; a message about another file is of the
# program that it mentions. A message is nobody's: file "lost". nvcc ends with an empty line and one that counts.
# Notes belong to the message before them. The group's namespaces are taken out of its words.
cat > "$out/deal.awk" <<'RUN'
function deal(    i, to) {
    if (block == "") return
    to = owner in is ? owner : ""
    for (i in is) if (to == "" && index(block, "\"" i "\"")) to = i
    if (to == "") print block > (dir "/lost"); else log_of[to] = log_of[to] block
    block = ""
}
FNR == NR { n = split($0, part, "/"); is[part[n]] = 1; next }
{ gsub(/(::)?in__[a-zA-Z0-9_]*::/, "") }
/^[^ ][^(]*\([0-9]+\): (error|warning|remark)/ {
    deal()
    owner = $0
    sub(/\([0-9]+\): .*/, "", owner)
}
/^[0-9]+ errors? detected in the compilation/ { deal(); owner = ""; next }
NF { block = block $0 "\n" }
END {
    deal()
    for (i in log_of) printf "%s\n1 error detected\n", log_of[i] > (dir "/" i ".log")
}
RUN

# As nvcc does with each alone: first what the host's front end says; the target's speaks of what that one took; and
# what a front end says only where it has found nothing else.
cat > "$out/group.sh" <<'RUN'
. "$out/judge.sh"
list=$1
# shellcheck disable=SC2046
set -- $(head -n 1 "$list")
arch=$1 flags=
shift
[ $# -eq 0 ] || flags="$*"
sed 1d "$list" > "$list.left"
for pass in 1-c 2-ptx 3-c; do
    [ "$(wc -l < "$list.left")" -gt 1 ] || break # alone it is as quick
    dir=$list.$pass
    mkdir -p "$dir"
    {
        # functions and kernels of one name in each
        printf '#include "tc.h"\n#undef TC__ENTRY\n#define TC__ENTRY\n#undef TC__KERNEL\n'
        printf '#define TC__KERNEL __global__ void\n'
        while read -r file; do
            name=$(basename "$file")
            printf 'namespace in__%s {\n#line 1 "%s"\n' "${name%.cu}" "$name"
            cat "$file"
            echo '}'
        done < "$list.left"
    } > "$dir/all.cu"
    # shellcheck disable=SC2086
    "$NVCC" -std=c++17 $flags -gencode arch=compute_$arch,code=sm_$arch -I"$root" ${pass#?} -o "$dir/all.o" \
        "$dir/all.cu" > "$dir/all.log" 2>&1
    awk -v dir="$dir" -f "$out/deal.awk" "$list.left" "$dir/all.log"
    : > "$list.next"
    while read -r file; do
        name=$(basename "$file")
        if [ ! -f "$dir/$name.log" ] || [ -f "$dir/lost" ]; then echo "$file" >> "$list.next"; continue; fi
        judge "$file" "$dir/$name.log"
        if [ -z "$why" ]; then echo "ok $name"; else echo "$file" >> "$list.alone"; fi
    done < "$list.left"
    mv "$list.next" "$list.left"
    [ ! -f "$dir/lost" ] || break
done
cat "$list.left" >> "$list.alone"
RUN

# the groups: a first line with the target and the flags, then files
mkdir "$out/groups" || exit 1
for file in "$@"; do
    arch=$(sed -n 's,^// arch: ,,p' "$file")
    key="${arch:-90a} $(sed -n 's,^// flags: ,,p' "$file")"
    printf '%s\t%s\n' "$key" "$file"
done | awk -F '\t' -v size="$GROUP" -v dir="$out/groups" '
    {
        if (size < 2) { print $2 > (dir "/none.alone"); next }
        if (!($1 in list) || of[$1] == size) { list[$1] = dir "/" ++n; of[$1] = 0; print $1 > list[$1] }
        of[$1]++
        print $2 > list[$1]
    }'
ls "$out/groups" | grep -v alone | sed "s|^|$out/groups/|" | xargs -r -P "$JOBS" -n 1 sh "$out/group.sh"
cat "$out"/groups/*.alone > "$out/alone" 2> /dev/null
echo "errors: $(wc -l < "$out/alone") of $# compiled alone"
xargs -r -P "$JOBS" -I FILE sh "$out/one.sh" FILE < "$out/alone"
failed=$(ls "$out"/*.fail 2>/dev/null | wc -l)
echo "$(($# - failed)) passed, $((failed)) failed"
[ "$failed" -eq 0 ]
