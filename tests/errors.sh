#!/bin/sh
# errors.sh - programs that must not compile, and what nvcc must say about them. Compiles only, needs no GPU.
#     tests/errors.sh [directory to write to, default build/tests/errors] [files, default all of tests/errors]
# A program's comments:  // expect: TEXT       must be in the output (any number of them)
#                        // expect-line: N     an error must be attributed to line N of the program itself
#                        // expect-first: TEXT the first line of the output holds it
#                        // expect-lines: N    the output has N lines at most (39 where nothing is said)
#                        // arch: 80           the target (default 90a)
#                        // flags: -rdc=true   further flags
# Variables: NVCC (nvcc), JOBS (2). One line a program; ends with "N passed, N failed".

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/errors}
[ $# -gt 0 ] && shift
NVCC=${NVCC:-nvcc} JOBS=${JOBS:-2}
mkdir -p "$out" || exit 1
rm -f "$out"/*.log
export root out NVCC
[ $# -gt 0 ] || set -- "$root"/tests/errors/*.cu

cat > "$out/one.sh" <<'RUN'
file=$1 name=$(basename "$1")
log=$out/$name.log why=""
arch=$(sed -n 's,^// arch: ,,p' "$file")
arch=${arch:-90a}
flags=$(sed -n 's,^// flags: ,,p' "$file")
# shellcheck disable=SC2086
if "$NVCC" -std=c++17 $flags -gencode arch=compute_$arch,code=sm_$arch -I"$root" -c -o "$out/$name.o" "$file" \
    > "$log" 2>&1; then
    why="it compiles"
else
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
fi
if [ -z "$why" ]; then
    echo "ok $name"
else
    touch "$log.fail"
    printf 'FAIL %s: %s\n%s\n' "$name" "${why#; }" "$(head -6 "$log" | cut -c1-300 | sed 's/^/    /')"
fi
RUN
rm -f "$out"/*.fail
printf '%s\n' "$@" | xargs -P "$JOBS" -I FILE sh "$out/one.sh" FILE
failed=$(ls "$out"/*.fail 2>/dev/null | wc -l)
echo "$(($# - failed)) passed, $((failed)) failed"
[ "$failed" -eq 0 ]
