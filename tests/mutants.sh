#!/bin/sh
# mutants.sh - does tcemu notice when one piece of the synchronisation is missing? Takes examples/21_gemm_sm90_by_hand.cu, deletes
# each wait, fence, arrive, expect_tx, commit and barrier in turn, and runs what is left; and of the tcgen05 examples 30 and 31 each
# tcgen05.wait::ld, wholly and for the first of its two loads. usage: tests/mutants.sh BUILD_DIR TCEMU
# Two multiprocessors: each cluster then has several tiles, as it has at full size.
# A mutant is caught if tcemu reports an error. One that is not must be in the list of harmless ones below, with its reason;
# one that is there and is caught is a failure as well. Ends with "N passed, N failed".
build=$1 tcemu=$2
out=$build/mutants
NVCC=${NVCC:-nvcc} JOBS=${JOBS:-2}
mkdir -p "$out" && rm -f "$out"/* || exit 1

# TEXT of the deleted line | why nothing can go wrong without it
cat > "$out/harmless" <<'LIST'
tc_wgmma_fence_acc(acc|it tells the compiler alone where the accumulators may be read; no instruction comes of it
LIST

# SOURCE ARCH | what is deleted there
cat > "$out/sources" <<'LIST'
examples/21_gemm_sm90_by_hand.cu 90a|^ .*(WAIT|tc_wgmma_fence|commit_group|tc_mbarrier_arrive|tc_mbarrier_init|tc_fence_|__syncwarp|tc_cluster_sync)
examples/30_tcgen05_gemm_1cta.cu 100a|^ .*tc_tcgen05_wait_ld
examples/31_tcgen05_gemm_2cta.cu 100a|^ .*tc_tcgen05_wait_ld
LIST
make_mutant() { # NAME: from stdin
    sed "s,#include \"\([a-z0-9]*_main.h\)\",#include \"$PWD/examples/\1\"," > "$out/$1.cu"
    echo "$source" > "$out/$1.source"
    echo "$arch" > "$out/$1.arch"
}
while IFS='|' read -r where pattern; do
    source=${where% *} arch=${where#* }
    key=$(basename "$source" | cut -c1-2)
    grep -nE "$pattern" "$source" > "$out/lines"
    while IFS=: read -r n text; do
        sed "${n}s/.*/ /" "$source" | make_mutant "${key}_line_$n"
        case $text in
        *arrive_expect_tx*) # also: the arrival without the bytes, and the bytes without the arrival
            sed "${n}s/tc_mbarrier_arrive_expect_tx(full, [^)]*)/tc_mbarrier_arrive(full)/" "$source" | make_mutant "${key}_line_${n}_no_bytes"
            sed "${n}s/tc_mbarrier_arrive_expect_tx(/tc_mbarrier_expect_tx(/" "$source" | make_mutant "${key}_line_${n}_no_arrival" ;;
        *tcgen05_wait_ld*) # also: the second load's wait, which comes too late for the first
            sed "${n}s/tc_tcgen05_wait_ld/if (half) tc_tcgen05_wait_ld/" "$source" | make_mutant "${key}_line_${n}_first_half" ;;
        esac
    done < "$out/lines"
done < "$out/sources"

cat > "$out/one.sh" <<'RUN'
name=$1
arch=$(cat "$out/$name.arch")
"$NVCC" -std=c++17 -O3 -lineinfo -gencode arch=compute_$arch,code=compute_$arch -cudart shared -I"$PWD" "$out/$name.cu" -o "$out/$name" -ldl > "$out/$name.build" 2>&1 || exit 0
timeout 120 "$tcemu" --device "sm_$arch" --strict --sms 2 --schedules 2 "$out/$name" > "$out/$name.log" 2>&1
echo $? > "$out/$name.code"
RUN
export out NVCC tcemu
for f in "$out"/*.cu; do basename "$f" .cu; done | xargs -P "$JOBS" -n 1 sh "$out/one.sh"

passed=0 failed=0
for f in "$out"/*.cu; do
    name=$(basename "$f" .cu)
    source=$(cat "$out/$name.source")
    n=${name#*_line_}
    form=${n#*_}
    [ "$form" = "$n" ] && form=""
    n=${n%%_*}
    text=$(sed -n "${n}s/^ *//p" $source)
    if [ ! -f "$out/$name.code" ]; then
        echo "FAIL $name does not compile: $(head -n 1 "$out/$name.build")"
        failed=$((failed + 1))
        continue
    fi
    reason=$(while IFS='|' read -r what why; do case $text in "$what"*) echo "$why" ;; esac; done < "$out/harmless")
    found=$(grep -m 1 -o 'error \[[a-z0-9-]*\]' "$out/$name.log")
    if [ -n "$found" ] && [ -z "$reason" ]; then
        echo "caught        $source:$n ${form:+($form) }$text   ${found#error }"
        passed=$((passed + 1))
    elif [ -z "$found" ] && [ -n "$reason" ]; then
        echo "harmless      $source:$n ${form:+($form) }$text   $reason"
        passed=$((passed + 1))
    else
        echo "FAIL ${found:+caught, though it is listed as harmless:}${found:-not caught:} $source:$n ${form:+($form) }$text"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
