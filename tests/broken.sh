#!/bin/sh
# broken.sh - small broken kernels under tcemu: each mistake must be reported by the right check, in the right words, at
# the right line, and the same kernel without the mistake must not be reported at all. Needs nvcc and tcemu, no GPU.
#     tests/broken.sh [directory to write to, default build/tests/broken] [tcemu, default build/tcemu] [cases or files,
#     default all]
# tests/broken/broken.h tells what a case is and what its EXPECT and ALSO comments mean. Of every case the first error
# counts, under the default schedule; then the broken kernel runs in 5 schedules, each of which must report something,
# and all twins of a file run in one process in 5 schedules, none of which may. Variables: NVCC (nvcc), JOBS (2),
# VERBOSE (1: print the reports).
# One line for each failure; ends with "N passed, N failed, N skipped".

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/broken} tcemu=${2:-build/tcemu}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] && shift
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)} JOBS=${JOBS:-2}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd) tcemu=$(realpath "$tcemu")
export root out tcemu NVCC VERBOSE
cd "$root" || exit 1
if ! "$NVCC" --version > /dev/null 2>&1 || [ ! -x "$tcemu" ]; then
    echo "SKIP broken: no nvcc or no tcemu"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

cat > "$out/build.sh" <<'RUN'
file=$1 name=$(basename "$1" .cu)
arch=$(sed -n 's,^// arch: ,,p' "$file")
arch=${arch:-90a}
prog=$out/$name
echo "$arch" > "$prog.arch"
# "LINE EXPECT CASE CHECK: TEXT" and "LINE ALSO CASE: TEXT", one for each comment; a line that is a comment alone speaks
# of the next line of code
awk '{ n = split($0, part, "// *"); code = part[1] ~ /[^ ]/
       for (k = 2; k <= n; k++) if (part[k] ~ /^(EXPECT|ALSO) /) {
           sub(/ *$/, "", part[k])
           if (code) print NR, part[k]
           else held[++nheld] = part[k]
       }
       if (code) { for (k = 1; k <= nheld; k++) print NR, held[k]; nheld = 0 } }' "$file" > "$prog.want"
for dep in "$file" tests/broken/broken.h tc*.h; do [ "$prog" -nt "$dep" ] || stale=1; done
[ -z "$stale" ] && exit 0
"$NVCC" -std=c++17 -O3 -lineinfo -gencode arch=compute_$arch,code=compute_$arch -cudart shared --no-compress "$file" \
    -o "$prog" > "$prog.build" 2>&1 ||
    { rm -f "$prog"; echo "FAIL $name does not compile: $(grep -m1 error "$prog.build")"; }
RUN

# case.sh FILE CASE: one line "ok" or "FAIL ..."
cat > "$out/case.sh" <<'RUN'
file=$1 name=$2
prog=$out/$(basename "$file" .cu) log=$out/$name.log why=""
emu="$tcemu --strict --device sm_$(cat "$prog.arch") --hang 400000"
want=$prog.want
if [ "$(grep -c "^[0-9]* EXPECT $name " "$want")" -ne 1 ]; then
    echo "FAIL $name: must have one EXPECT comment"
    exit
fi
expect=$(grep "^[0-9]* EXPECT $name " "$want")
line=${expect%% *} rest=${expect#* EXPECT $name }
check=${rest%%:*} piece=${rest#*: \"} piece=${piece%\"*}

timeout 60 $emu "$prog" "$name" bad > "$log" 2>&1
code=$?
if [ $code -eq 0 ]; then
    why="$why; the exit status is 0"
elif [ $code -ge 124 ]; then
    why="$why; the exit status is $code"
fi
first=$(grep -m1 '^tcemu: error' "$log") at=$(grep -m1 '^    at ' "$log")
if [ "$check" = refused ]; then
    if [ -n "$first" ]; then why="$why; it ran"; fi
    grep '^tcemu: ' "$log" | grep -qF -- "$piece" || why="$why; no such sentence"
else
    case $first in "tcemu: error [$check] "*) ;; *) why="$why; expected [$check]" ;; esac
    printf '%s\n' "$first" | grep -qF -- "$piece" || why="$why; the sentence lacks \"$piece\""
    printf '%s,\n' "$at" | grep -qF "$file:$line," || why="$why; expected line $line"
    grep "^[0-9]* ALSO $name: " "$want" | while IFS= read -r also; do
        text=${also#* ALSO $name: \"} text=${text%\"*}
        awk '/^tcemu: error/ { if (seen++) exit } seen' "$log" | grep -F -- "    $text" | sed 's/$/,/' |
            grep -qF "$file:${also%% *}," || echo "; not named: line ${also%% *} as \"$text\""
    done > "$log.also"
    why="$why$(cat "$log.also")"
    rm -f "$log.also"
fi
good=$(timeout 60 $emu -v "$prog" "$name" good 2>&1) ||
    why="$why; the twin ends with $?: $(printf '%s\n' "$good" | grep -m2 '^tcemu: error\|^    at' | tr '\n' ' ')"
[ "$check" = refused ] || printf '%s\n' "$good" | grep -qx 'tcemu: no errors' ||
    why="$why; the twin is not said to have no errors"
if [ "$check" != refused ]; then
    timeout 60 $emu --json="$log.json" "$prog" "$name" bad > "$log.said" 2>&1
    head -1 "$log.json" | grep "^{\"check\":\"$check\",.*}\$" | grep -qF "$file\",\"line\":$line}" ||
        why="$why; --json says otherwise: $(head -1 "$log.json")"
    rm -f "$log.json" "$log.said"
    for s in 1 2 3 4; do
        timeout 60 $emu --schedule $s --seed 3 "$prog" "$name" bad 2>&1 | grep -q "^tcemu: error" ||
            why="$why; not found in schedule $s"
    done
fi
if [ -n "$VERBOSE" ]; then echo "== $name"; grep -v '^$' "$log"; fi
if [ -z "$why" ]; then echo "ok $name"
else
    printf 'FAIL %s (%s:%s): %s\n' "$name" "$file" "$line" "${why#; }"
    sed -n '/^tcemu: /,$p' "$log" | head -8 | cut -c1-260 | sed 's/^/    /'
fi
RUN

# the files and cases that are asked for
files= names=" $* "
for f in tests/broken/*.cu; do
    [ $# -eq 0 ] && files="$files $f" && continue
    for a in "$@"; do
        if [ "$a" = "$(basename "$f" .cu)" ] || grep -qE "(HOST|RUN[A-Z_]*)\($a[,)]" "$f"; then
            files="$files $f"
            break
        fi
    done
done
printf '%s\n' $files | xargs -P "$JOBS" -I FILE sh "$out/build.sh" FILE > "$out/result"
for f in $files; do
    base=$(basename "$f" .cu)
    [ -x "$out/$base" ] || continue
    for c in $("$tcemu" "$out/$base" list); do
        case $names in "  " | *" $base "* | *" $c "*) echo "$f $c" ;; esac
    done
done > "$out/cases"
xargs -r -P "$JOBS" -L 1 sh "$out/case.sh" < "$out/cases" >> "$out/result"
# all twins of a file, in 5 schedules
for f in $files; do
    base=$(basename "$f" .cu)
    [ -x "$out/$base" ] || continue
    [ "$names" = "  " ] || case $names in *" $base "*) ;; *) continue ;; esac
    if "$tcemu" --strict --device "sm_$(cat "$out/$base.arch")" --schedules 5 --seed 3 "$out/$base" all good \
        > "$out/$base.twins" 2>&1 && ! grep -q '^tcemu: error' "$out/$base.twins"
    then echo "ok twins of $base"
    else echo "FAIL twins of $base in 5 schedules: $(grep -m1 '^tcemu: ' "$out/$base.twins")"; fi
done >> "$out/result"
grep -v '^ok ' "$out/result"
passed=$(grep -c '^ok ' "$out/result") failed=$(grep -c '^FAIL ' "$out/result")
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
