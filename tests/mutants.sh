#!/bin/sh
# mutants.sh - does tcemu notice when one piece of the synchronisation is missing? Deletes each wait, fence, arrive,
# expect_tx, commit, barrier and copy in turn, and runs what is left: of the skeleton tc_kernel.h and what it stands on
# (tc_pipe_init, tc_store_rows), by examples 21 (clusters of two) and 24 (none), which are made of it; of example 21
# itself; of the GEMM by hand for sm_107a (example 35) and of what the Blackwell GEMM does there alone, if
# BUILD_DIR/toolkits has a CUDA that compiles for it: else they are skipped, and said so; of the Blackwell GEMM, by
# example 32 (pairs of blocks, and blocks by themselves); of its attention, by example 34 (two tiles of queries in
# turns, and one); of attention on sm_120, by a copy of example 34 for it, with more tiles of keys than slots; and of
# the tcgen05 examples 30 and 31 each tcgen05.wait::ld, wholly and for the first of its two
# loads. usage: tests/mutants.sh BUILD_DIR TCEMU
# Variables: ALL=1, JOBS; ONLY: the sources whose line below matches it
# A mutant is a directory in which one header or the example is changed; the other
# headers are links.
# Two multiprocessors: each cluster then has several tiles, as it has at full size.
# A mutant is caught if tcemu reports an error. One that is not must be in the list of harmless ones below, with its
# reason;
# one that is there and is caught is a failure as well. Ends with "N passed, N failed".
build=$1 tcemu=$2
out=$build/mutants
NVCC=${NVCC:-nvcc} JOBS=${JOBS:-2}
rm -rf "$out" && mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)

# CALL that is deleted | why nothing can go wrong without it
cat > "$out/harmless" <<'LIST'
tc_wgmma_fence_acc(|it tells the compiler alone where the accumulators may be read; no instruction comes of it
tc_griddepcontrol_wait(|the example launches without pdl: its kernels begin when the one before has ended
tc_griddepcontrol_launch_dependents(|the same: nobody waits for it
LIST

# FILE that is changed | function, or - for the whole of it | example that runs it | target | calls that are deleted;
# lines of comments, and those that match the last field (a regular expression), are left out. What cluster 1 alone does
# is mutated with an example that has no cluster.
sync='[A-Z_]*WAIT[A-Z_]*|tc_wgmma_fence[a-z_]*|[a-z_]*commit_group|tc_mbarrier_arrive[a-z_]*|tc_mbarrier_init'
sync="$sync|tc_fence_[a-z_]*|__syncwarp|tc_cluster_sync"
t5='tc_tcgen05_fence_[a-z_]*|tc_tcgen05_wait_ld[a-z_]*|TC_TCGEN05_COMMIT[A-Z_]*|tc__gemm100_commit|tc__gemm100_sync'
t5="$t5|tc__bulk_wait_read|TC_TCGEN05_ALLOC_N|TC_TCGEN05_DEALLOC_N|tc_pipe_init|__syncthreads|tc_griddepcontrol_[a-z_]*"
# Of example 32's: two blocks that share A, launch control, rows that are looked up and a quantised D, which it does not
# have, nor what sm_107 alone does; what the manual asks for and no run of tcemu shows to be missing (fences around
# allocation and behind another warp's tcgen05.ld, a warp that is together, a commit that another one follows). Nor has
# it a wide tile, nor a gate.
but5='cluster_n == 2|heard|told|answer|looked up|alloc, dealloc|together again|on its way|behind other warps'
but5="$but5|a wide tile|c.weights|early|sync_restrict"
store5='without boxes|of a quantised D|a wide tile|of the second product'
# Of attention by tcgen05 the same of fences and of warps that are together; and the fence of the barriers' beginnings,
# which is for other blocks of a cluster: here a block is by itself, and a fence of the proxies and a barrier follow.
attn5='tc_fence_mbarrier_init|alloc, dealloc|together again|behind other warps'
cat > "$out/sources" <<LIST
tc_kernel.h;-;21_gemm_sm90_by_hand;90a;$sync|tc_pipe_init|tc__kernel_release|tc_griddepcontrol_[a-z_]*;cluster == 1
tc_kernel.h;tc__kernel_release;24_swiglu;90a;$sync;cluster > 1
tc_kernel.h;tc_kernel_sm90;24_swiglu;90a;__syncthreads;-
tc_pipe.h;tc_pipe_init_full;21_gemm_sm90_by_hand;90a;$sync;-
tc_pipe.h;tc_pipe_init_empty;21_gemm_sm90_by_hand;90a;$sync;-
tc_epi.h;tc_store_rows;21_gemm_sm90_by_hand;90a;$sync;-
examples/21_gemm_sm90_by_hand.cu;-;21_gemm_sm90_by_hand;90a;$sync|tc_cp_async_bulk_tensor[a-z0-9_]*;-
tc_gemm_sm100.h;-;32_tcgen05_gemm_generated;100a;$sync|$t5;$but5
tc_gemm_sm100_store.h;-;32_tcgen05_gemm_generated;100a;$sync|$t5|tc__gemm100_release;$store5|in common
tc_gemm_sm100_store.h;tc_gemm_sm100_store;33_tcgen05_nvfp4;100a;$t5|tc__gemm100_release;$store5|of all columns
tc_attn_sm100.h;-;34_tcgen05_attention;100a;$sync|$t5|tc_tcgen05_wait_st;$attn5
tc_attn_sm120.h;-;attention_sm120;120a;$sync|__syncthreads|tc_pipe_init;-
tc_attn_sm80.h;tc__attn80_take_k;attention_sm120;120a;$sync;-
tc_attn_sm80.h;tc__attn80_take_v;attention_sm120;120a;$sync;-
tc_attn_sm80.h;tc__attn80_release;attention_sm120;120a;$sync;-
tc_attn_sm80.h;tc__attn80_give_k;attention_sm120;120a;tc__attn80_release;-
tc_attn_sm80.h;tc__attn80_give_v;attention_sm120;120a;tc__attn80_release;-
tc_attn_sm80.h;tc__attn80_pass;attention_sm120;120a;$sync|tc__attn80_release;-
tc_attn_sm80.h;tc__attn80_begin;attention_sm120;120a;$sync;-
examples/30_tcgen05_gemm_1cta.cu;-;30_tcgen05_gemm_1cta;100a;tc_tcgen05_wait_ld[a-z_]*;-
examples/31_tcgen05_gemm_2cta.cu;-;31_tcgen05_gemm_2cta;100a;tc_tcgen05_wait_ld[a-z_]*;-
LIST
# Of example 35 everything: the copies and the products too.
all35="$sync|$t5|tc_cp_async_bulk_[a-z0-9_]*|factors|TC_TCGEN05_CP|TC_TCGEN05_MMA[A-Z_]*|TC_TCGEN05_[A-Z]*_EXCLUSIVE"
newer=$build/toolkits/${TOOLKIT:-13.5}/bin/nvcc
if [ -x "$newer" ]; then
    newer=$(cd "${newer%/*}" && pwd)/nvcc
    but35='behind other warps|alloc, dealloc|together again'
    echo "examples/35_tcgen05_gemm_sm107.cu;-;35_tcgen05_gemm_sm107;107a;$all35;$but35" >> "$out/sources"
    # of the generated GEMM what it does on sm_107 alone
    early='TC__GEMM100_WAIT_EARLY|tc__gemm100_commit_a|TC_PIPE_WAIT_EMPTY|tc_mbarrier_init'
    but='else TC_PIPE|g->(done|free|told|heard)'
    echo "tc_gemm_sm100.h;-;32_tcgen05_gemm_generated;107a;$early;$but" >> "$out/sources"
else
    newer=$NVCC
    echo "SKIP kernels of sm_107a: no CUDA that compiles for sm_107a in $build/toolkits: tests/toolkits.sh 13.5"
fi
[ -z "$ONLY" ] || { grep -E "$ONLY" "$out/sources" > "$out/only" && mv "$out/only" "$out/sources"; } || exit 2
# Example 21 without the generated kernel that it is measured beside: that is most of what nvcc compiles there, and
# could be caught in place of the one made of the skeleton. Example 34 without the kernel that has a hook, with three
# heads to one of K and V, which do not fill a tile of queries, and with packed sequences: rows of zeros in Q and V.
mkdir "$out/examples" && cp examples/*.h "$out/examples"
for name in $(cut -d ';' -f 3 "$out/sources" | grep -v '^attention_sm120$' | sort -u); do
    sed -e 's/^TC_GEMM_SM90_DEFINE(generated, .*)$//' -e 's/generated_run/hand_run/' "examples/$name.cu" \
        > "$out/examples/$name.cu"
done
attn=$out/examples/34_tcgen05_attention.cu
if [ -f "$attn" ]; then
    sed -e '/^TC_ATTN_SM100_DEFINE(attn_alibi,/,/)$/d' -e '/hooked/d' \
        -e 's/heads = 8, heads_kv = i == 1 ? 8 : 2/heads = 6, heads_kv = i == 1 ? 6 : 2/' \
        -e 's/len, len + 77, 64}/2048, 2048, 64, lens, lens}/' \
        -e 's/^int main(void)$/static const int lens[] = {1500, 2048};\n&/' "$attn" > "$out/attn" || exit 1
    mv "$out/attn" "$attn"
    grep -q 'heads = 6.*6 : 2' "$attn" && grep -q 'lens, lens}' "$attn" \
        || { echo "mutants.sh: example 34 is another" >&2 && exit 2; }
fi
# Attention on sm_120: eight warps, of which some have no rows, and four; eight tiles of keys for two slots.
own='TC_ATTN_SM120_DEFINE(\1, .type = TC_BF16, .head_dim = 64, .bn = 16, .stages = 2'
sed -e '/^TC_ATTN_SM100_DEFINE(attn_alibi,/,/)$/d' -e '/hooked/d' -e 's/example_device(100)/example_device(120)/' \
    -e "s/^TC_ATTN_SM100_DEFINE(\(attn_causal\), .*/$own, .causal = 1)/" \
    -e "s/^TC_ATTN_SM100_DEFINE(\(attn_one_tile\), .*/$own, .bm = 128, .warps = 4)/" \
    -e 's/heads = 8, heads_kv = i == 1 ? 8 : 2/heads = 6, heads_kv = i == 1 ? 6 : 2/' \
    -e 's/len, len, 128}/len, len, 64}/' -e 's/len, len + 77, 64}/2048, 2048, 64, lens, lens}/' \
    -e 's/^int main(void)$/static const int lens[] = {1500, 2048};\n&/' examples/34_tcgen05_attention.cu \
    > "$out/examples/attention_sm120.cu" || exit 1
[ "$(grep -c 'SM120_DEFINE\|device(120)\|lens, lens}' "$out/examples/attention_sm120.cu")" -eq 4 ] \
    || { echo "mutants.sh: example 34 is another" >&2 && exit 2; }
grep -q 'DEFINE(generated\|generated_run' "$out"/examples/*.cu && echo "mutants.sh: example 21 is another" >&2 && exit 2
count=0
make_mutant() { # SED_SCRIPT FORM: of line n of $file, and of those that its call goes on to
    count=$((count + 1))
    dir=$out/$(printf %02d $count)
    mkdir -p "$dir/examples"
    ln -s "$PWD"/tc*.h "$dir"
    ln -s "$out/examples/$example.cu" "$out"/examples/*.h "$dir/examples"
    rm "$dir/$file"
    sed -E "${n}{:more; /\);/!{N; bmore}; $1}" "$from" > "$dir/$file"
    if cmp -s "$from" "$dir/$file"; then echo "mutants.sh: nothing to delete in $file:$n" >&2 && exit 2; fi
    echo "$arch $example" > "$dir/how"
    echo "$file:$n ${2:+($2) }" > "$dir/where"
    sed -n "${n}s/^ *//p" "$from" > "$dir/text"
    echo "$what" > "$dir/what"
}
while IFS=';' read -r file function example arch pattern but; do
    case $file in examples/*) from=$out/$file ;; *) from=$file ;; esac
    awk -v f="$function" -v calls="(^|[^a-zA-Z_])($pattern)\\\\(" -v but="$but" '
        f == "-" || (index($0, " " f "(") && !/;/) { on = 1 }
        on && /^ / && !/^ \*/ && $0 ~ calls && !(but != "-" && $0 ~ but) { print FNR ":" $0 }
        f != "-" && /^}/ { on = 0 }' "$from" > "$out/lines"
    [ -s "$out/lines" ] || { echo "mutants.sh: nothing to delete in $file, $function" >&2 && exit 2; }
    while IFS=: read -r n text; do
        # of the Blackwell GEMM every 24th, of its attention every 45th, of the skeleton every twelfth, of Rubin's
        # example every 30th, of the other examples every other one; all of them with ALL=1, as make mutants has it
        case $file in
        examples/35*) every=30 ;; tc_gemm_sm100*) every=24 ;; tc_attn*) every=45 ;; tc_*) every=12 ;; *) every=2 ;;
        esac
        seen=$((${seen:-0} + 1))
        [ -n "$ALL" ] || [ $((seen % every)) -eq 0 ] || continue
        what=$(echo "$text" | grep -oE "($pattern)\(" | head -n 1)
        make_mutant "s/($pattern)\(.*\);/(void)0;/"
        case $file:$text in
        *arrive_expect_tx*) # also: the arrival without the bytes, and the bytes without the arrival
            make_mutant 's/tc_mbarrier_arrive_expect_tx\(([^,]*), .*\);/tc_mbarrier_arrive(\1);/' "no bytes"
            make_mutant 's/tc_mbarrier_arrive_expect_tx\(/tc_mbarrier_expect_tx(/' "no arrival" ;;
        examples/*tcgen05_wait_ld*) # also: the second load's wait, which comes too late for the first
            make_mutant 's/tc_tcgen05_wait_ld/if (half) tc_tcgen05_wait_ld/' "first half" ;;
        esac
    done < "$out/lines"
done < "$out/sources"

cat > "$out/one.sh" <<'RUN'
dir=$1
read -r arch example < "$dir/how"
[ "$arch" != 107a ] || NVCC=$newer
"$NVCC" -std=c++17 -Xcompiler -O0 -lineinfo -gencode arch=compute_$arch,code=compute_$arch -cudart shared -I"$dir" \
    "$dir/examples/$example.cu" -o "$dir/program" -ldl > "$dir/build" 2>&1 || exit 0
timeout 120 "$tcemu" --device "sm_$arch" --strict --sms 2 --schedules 2 "$dir/program" > "$dir/log" 2>&1
echo $? > "$dir/code"
RUN
export NVCC newer tcemu
ls -d "$out"/[0-9]* | xargs -P "$JOBS" -n 1 sh "$out/one.sh"

passed=0 failed=0
for dir in "$out"/[0-9]*; do
    where=$(cat "$dir/where")$(cat "$dir/text") call=$(cat "$dir/what")
    if [ ! -f "$dir/code" ]; then
        echo "FAIL ${dir##*/} does not compile: $where: $(grep -m 1 error "$dir/build")"
        failed=$((failed + 1))
        continue
    fi
    reason=$(while IFS='|' read -r what why; do case $what in "$call"*) echo "$why" ;; esac; done < "$out/harmless")
    found=$(grep -m 1 -o 'error \[[a-z0-9-]*\]' "$dir/log")
    # a copy or a product that is missing may do no more than make D wrong
    case $call in *cp_async*|*_CP*|*_MMA*|factors*)
        [ -n "$found" ] || found=$(grep -m 1 -o 'FAIL$' "$dir/log" | sed 's/.*/error [wrong result]/') ;;
    esac
    if [ -n "$found" ] && [ -z "$reason" ]; then
        echo "caught        $where   ${found#error }"
        passed=$((passed + 1))
    elif [ -z "$found" ] && [ -n "$reason" ]; then
        echo "harmless      $where   $reason"
        passed=$((passed + 1))
    else
        echo "FAIL ${found:+caught, though it is listed as harmless:}${found:-not caught:} $where"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
