#!/bin/sh
# isa.sh - every instruction of tests/isa/variants.tsv against references written from the ISA's text, and the forms of
# must_fail.tsv that must be refused. With TCEMU the devices are emulated that together have all rows, and a row that
# none of them ran is a failure; without it the GPU that is here runs its own.
# usage: tests/isa.sh WORK_DIR [TCEMU], from the repository's root.   SEED=N for other data (default 1), FAMILIES="mma
# wgmma" for some, QUICK=1: each row on one device only, not on all that have it; SCHEDULE=N: asynchronous operations in
# the N-th random order, not as late as possible
dir=${1:-build/isa} tcemu=$2
seed=${SEED:-1}
families=${FAMILIES:-all}
mkdir -p "$dir"
rm -f "$dir"/*.log "$dir"/cover.* "$dir"/status.*
table=tests/isa/variants.tsv
# rows newer than PTX 9.0 of families that begin so have no reference yet: they are counted as skipped
leave=
passed=0 failed=0 skipped=0

include=${CUDA_HOME:-/usr/local/cuda}/include
if ! ${CC:-cc} -std=c11 -O2 -Wall -Wextra -I"$include" tests/isa/*.c -o "$dir/isa" -ldl -lm; then
    echo "FAIL tests/isa does not compile"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi

# one DEVICE SEEN: SEEN are the devices whose rows need not be run again
one() {
    seen=$2
    [ -n "$QUICK" ] || seen=
    "$tcemu" --device "$1" --threads 1 --schedule "${SCHEDULE:-0}" "$dir/isa" --seed "$seed" --table "$table" \
        ${leave:+--leave "$leave"} --cover "$dir/cover.$1" ${seen:+--seen "$seen"} $families > "$dir/$1.log" 2>&1
    echo $? > "$dir/status.$1"
}
# fabric.*: each must fail as the ISA has it, and tcemu must say so of each
fabric() {
    "$tcemu" --device "$1" --threads 1 --error-exitcode 0 "$dir/isa" --seed "$seed" --table "$table" \
        --cover "$dir/cover.$1.fabric" fabric > "$dir/$1.fabric.log" 2>&1
    echo $? > "$dir/status.$1.fabric"
    grep -q 'tcemu: [0-9]* errors.*: unsupported [0-9]*$' "$dir/$1.fabric.log" ||
        echo "FAIL $1 fabric: nothing says that there is no fabric" >> "$dir/$1.fabric.log"
}
refuse() {
    "$tcemu" --device "$1" --threads 1 --error-exitcode 0 "$dir/isa" --table "$table" \
        ${leave:+--leave "$leave"} --must-fail tests/isa/must_fail.tsv > "$dir/$1.refuse.log" 2>&1
    echo $? > "$dir/status.$1.refuse"
}

if [ -n "$tcemu" ]; then
    # two at a time: the devices in two lists of about the same length
    { one sm_100a sm_80,sm_90a; one sm_80; } &
    { one sm_90a sm_80; one sm_120a sm_80,sm_90a,sm_100a; one sm_103a sm_80,sm_90a,sm_100a,sm_120a
      one sm_107a sm_80,sm_90a,sm_100a,sm_120a,sm_103a
      [ "$families" != all ] || fabric sm_100a
      for d in sm_80 sm_90a sm_100a sm_103a sm_107a sm_110a sm_120a; do refuse $d; done; } &
    wait
else
    "$dir/isa" --seed "$seed" --table "$table" --cover "$dir/cover.gpu" $families > "$dir/gpu.log" 2>&1
    echo $? > "$dir/status.gpu"
    "$dir/isa" --table "$table" --must-fail tests/isa/must_fail.tsv > "$dir/gpu.refuse.log" 2>&1
    echo $? > "$dir/status.gpu.refuse"
fi

for status in "$dir"/status.*; do
    name=${status##*/status.}
    log=$dir/$name.log code=$(cat "$status")
    grep -E '^(FAIL|SKIP)' "$log" | cut -c 1-400 | head -n 20
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    ! tail -n 1 "$log" | grep -q '^FAIL' || failed=$((failed + 1))
    [ -n "$line" ] || {
        echo "FAIL $name ended with $code and counted nothing: $(tail -n 1 "$log" | cut -c 1-300)"
        line="0 passed, 1 failed, 0 skipped"
    }
    case $line in *" 0 failed"*)
        # all results right, yet the emulator had something to say
        [ "$code" = 0 ] || {
            echo "FAIL $name: exit status $code: $(grep -m 1 '^tcemu: error' "$log" | cut -c 1-300)"
            failed=$((failed + 1))
        } ;;
    esac
    echo "isa: $name, seed $seed: $line"
    set -- $(echo "$line" | tr -d ,)
    passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + ${5:-0}))
done

# coverage: rows of the table that some device ran with all their variants
awk -F '\t' -v leave="$leave" '!/^#/ && (NF == 8 || leave == "" || index($2, leave) != 1) { print $1 }' "$table" |
    sort > "$dir/rows"
rows=$(wc -l < "$dir/rows")
later=$(($(grep -vc '^#' "$table") - rows))
covered=$(cat "$dir"/cover.* 2>/dev/null | awk -F'\t' '$3 >= $2 { print $1 }' | sort -u | tee "$dir/covered" | wc -l)
if [ -n "$tcemu" ] && [ "$families" = all ]; then
    comm -23 "$dir/rows" "$dir/covered" > "$dir/not_covered"
    missing=$(wc -l < "$dir/not_covered")
    [ "$missing" -eq 0 ] ||
        echo "FAIL $missing of $rows rows are not covered: $(sed 's/-[0-9]*$//' "$dir/not_covered" | sort | uniq -c |
            awk '{ printf "%s %s, ", $1, $2 }' | cut -c 1-600)"
    failed=$((failed + missing))
else
    echo "SKIP coverage: $covered of $rows rows were run here"
    skipped=$((skipped + 1))
fi
echo "isa: $covered of $rows rows covered"
[ "$later" -eq 0 ] || echo "SKIP $later rows of $leave that PTX newer than 9.0 brought: they have no reference yet"
skipped=$((skipped + later))
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
