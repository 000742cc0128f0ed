#!/bin/sh
# cover_tcgen05.sh - every variant of tcgen05 in tests/isa/variants.tsv, for targets that have it: called through
# the kit, found in the PTX with its operands in their places, assembled by ptxas. Compiles only, needs no GPU.
#     tests/cover_tcgen05.sh [directory to write to, default build/tests/cover_tcgen05]
# Variables: NVCC (nvcc), JOBS (2), TARGETS, and those of tests/cover_lib.sh. One line a target; ends with "N passed, N
# failed, N skipped" (variants).
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/cover_tcgen05}
NVCC=${NVCC:-nvcc} JOBS=${JOBS:-2}
. "$root/tests/cover_lib.sh"
mkdir -p "$out" || exit 1
rm -f "$out"/*.log "$out"/*.out
cover_begin '^(tcgen05|sp(de)?compress)'
missed=
if [ -z "$TARGETS" ]; then
    for a in $(cover_targets "100a 100f 103a 103f 107a 107f 110a 110f" "100f 107a 107f" "100f 103a"); do
        case $a in *f) also=103 ;; *) also=100 ;; esac # nvcc learnt of the f targets together with sm_103
        case "$known" in *" $also "*) TARGETS="$TARGETS $a" ;; esac
    done
    # a row that no target covers would go unnoticed
    missed=$(awk -F '\t' '!/^#/ && $2 ~ /^(tcgen05|sp(de)?compress)/ && $3 !~ /100a|103a|107a|110a/ { print $1 }' \
        "$root/tests/isa/variants.tsv")
    [ -n "$missed" ] && echo "FAIL rows of no target: $missed"
fi
if [ -z "$TARGETS" ]; then
    echo "0 passed, 0 failed, 1 skipped (nvcc knows no target with tcgen05)"
    exit 0
fi
export root out NVCC
cat > "$out/one.sh" <<'RUN'
a=$1 f=$out/sm_$a log=$out/sm_$a.log
awk $rows -v arch=$a -v mode=cu -f "$root/tests/cover_tcgen05.awk" "$root/tests/isa/variants.tsv" > $f.cu 2> "$log"
if "$NVCC" -std=c++17 -w -I"$root" -gencode arch=compute_$a,code=compute_$a -ptx -o $f.ptx $f.cu >> $f.out 2>&1 &&
   "$NVCC" -gencode arch=compute_$a,code=sm_$a -cubin -o $f.cubin $f.ptx >> $f.out 2>&1; then
    awk $rows -v arch=$a -v mode=check -v ptx=$f.ptx -f "$root/tests/cover_tcgen05.awk" \
        "$root/tests/isa/variants.tsv" >> "$log"
else
    grep -i error $f.out | head -5 | cut -c1-300 >> "$log"
    echo "0 passed, 1 failed" >> "$log"
fi
echo "sm_$a: $(tail -n 1 "$log")"
grep -E "FAIL|rror" "$log" | head -5 | cut -c1-300
RUN
printf '%s\n' $TARGETS | xargs -P "$JOBS" -I T sh "$out/one.sh" T
cover_end "$0" $(echo $missed | wc -w)
