#!/bin/sh
# cover_warp.sh - every variant of mma, mma.sp, ldmatrix, stmatrix, movmatrix, cp.async and wmma in
# tests/isa/variants.tsv, for targets that have it: called through the kit, found in the PTX with its operands,
# assembled by ptxas. Compiles only, needs no GPU.
#     tests/cover_warp.sh [directory to write to, default build/tests/cover]
# Variables: NVCC (nvcc), JOBS (2), TARGETS, and those of tests/cover_lib.sh. One line a target; ends with "N passed, N
# failed, N skipped" (variants).
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/cover}
NVCC=${NVCC:-nvcc} JOBS=${JOBS:-2}
. "$root/tests/cover_lib.sh"
mkdir -p "$out" || exit 1
rm -f "$out"/*.log
cover_begin '^(mma|wmma|ldmatrix|stmatrix|movmatrix|cp\.async$)'
TARGETS=${TARGETS:-$(cover_targets \
    "75 80 86 87 88 89 90 90a 100 100a 100f 103a 103f 107 107a 107f 110a 110f 120 120a 120f 121a 121f" \
    "90a 107a 120a 121f" "75 80 90a 120a 121f")}
export root out NVCC
cat > "$out/one.sh" <<'RUN'
a=$1 f=$out/sm_$a log=$out/sm_$a.log
awk $rows -v arch=$a -v mode=cu -f "$root/tests/cover_warp.awk" "$root/tests/isa/variants.tsv" > $f.cu 2> "$log"
if "$NVCC" -std=c++17 -w -I"$root" -gencode arch=compute_$a,code=compute_$a -ptx -o $f.ptx $f.cu >> $f.out 2>&1 &&
   "$NVCC" -gencode arch=compute_$a,code=sm_$a -cubin -o $f.cubin $f.ptx >> $f.out 2>&1; then
    awk $rows -v arch=$a -v mode=check -v ptx=$f.ptx -f "$root/tests/cover_warp.awk" \
        "$root/tests/isa/variants.tsv" >> "$log"
else
    grep -i error $f.out | head -5 | cut -c1-300 >> "$log"
    echo "0 passed, 1 failed" >> "$log"
fi
echo "sm_$a: $(tail -n 1 "$log")"
grep -E "FAIL|rror" "$log" | head -5 | cut -c1-300
RUN
rm -f "$out"/*.out
printf '%s\n' $TARGETS | xargs -P "$JOBS" -I T sh "$out/one.sh" T
cover_end "$0" 0
