#!/bin/sh
# cover_async.sh - every variant of wgmma, mbarrier, fence, barrier, TMA, tensormap, st.async, red.async,
# clusterlaunchcontrol, elect, setmaxnreg, griddepcontrol, cvt, cluster, cache, multimem and fabric instructions in
# tests/isa/variants.tsv, for targets that have it: called through the kit, found in the PTX with its operands,
# assembled by ptxas. Compiles only, needs no GPU.
#     tests/cover_async.sh [directory to write to, default build/tests/cover_async]
# Variables: NVCC (nvcc), JOBS (2), TARGETS, and those of tests/cover_lib.sh. One line a target; ends with "N passed, N
# failed, N skipped" (variants).
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/cover_async}
NVCC=${NVCC:-nvcc} JOBS=${JOBS:-2}
. "$root/tests/cover_lib.sh"
mkdir -p "$out" || exit 1
rm -f "$out"/*.log "$out"/*.out
cover_begin '^(wgmma|mbarrier|fence|barrier|cp\.async\.bulk|cp\.reduce|tensormap|st\.async|red\.async|clusterlaunch|'\
'elect|setmaxnreg|griddep|cvt|cluster|cache|ld\.st|sreg|multimem|fabric)'
TARGETS=${TARGETS:-$(cover_targets \
    "75 80 86 87 88 89 90 90a 100 100a 100f 103a 103f 107 107a 107f 110a 110f 120 120a 120f 121a 121f" \
    "80 90 100f 107a 107f 120a" "75 80 90a 100f 103a 120a")}
export root out NVCC
cat > "$out/one.sh" <<'RUN'
a=${1%:*} part=${1#*:} f=$out/sm_$a.$part log=$out/sm_$a.$part.log
table="$root/tests/isa/variants.tsv" awk="$root/tests/cover_async.awk"
awk $rows -v arch=$a -v part=$part -v mode=cu -f "$awk" "$table" > $f.cu 2> "$log"
. "$root/tests/cover_lib.sh"
if "$NVCC" -std=c++17 -w -I"$root" $nvcc_ptx -gencode arch=compute_$a,code=compute_$a -ptx -o $f.ptx $f.cu \
       >> $f.out 2>&1 && cover_directive $f.ptx &&
   "$NVCC" -gencode arch=compute_$a,code=sm_$a -cubin -o $f.cubin $f.ptx >> $f.out 2>&1; then
    awk $rows -v arch=$a -v part=$part -v mode=check -v ptx=$f.ptx -f "$awk" "$table" >> "$log"
else
    grep -i error $f.out | head -5 | cut -c1-300 >> "$log"
    echo "0 passed, 1 failed" >> "$log"
fi
echo "sm_$a, $part: $(tail -n 1 "$log")"
grep -E "FAIL|rror" "$log" | head -5 | cut -c1-300
RUN
jobs=""
for a in $TARGETS; do
    [ $a = 90a ] && [ -z "$FRESH" ] && jobs="90a:wgmma $jobs" # the longest first
    jobs="$jobs $a:rest"
done
printf '%s\n' $jobs | xargs -P "$JOBS" -I T sh "$out/one.sh" T
cover_end "$0" 0
