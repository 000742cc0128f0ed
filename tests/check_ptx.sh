#!/bin/sh
# check_ptx.sh - what the compiler made of every shipped kernel: no stack frame, no spill, no call, no .local, and no note
# of ptxas that wgmma was serialised (C75xx). Kernels of the examples and the tests, for each target.
# usage: tests/check_ptx.sh WORK_DIR
dir=${1:-build/check_ptx}
nvcc=${NVCC:-nvcc}
mkdir -p "$dir"

check() { # check ARCH SOURCE -> one line "ok ..." or "FAIL ..."
    arch=$1 source=$2 out=$dir/$(basename "$2" .cu)_$1
    "$nvcc" -std=c++17 -O3 -DATTN_FUZZ_BARE -gencode "arch=compute_$arch,code=sm_$arch" -Xptxas -v --keep --keep-dir "$out" -cubin "$source" -o "$out.cubin" 2> "$out.log" \
        || { echo "FAIL $source sm_$arch does not compile: $(grep -m 1 error "$out.log")"; return; }
    bad=$(grep -E 'C75[0-9][0-9]|[1-9][0-9]* bytes (stack frame|spill)' "$out.log" | head -n 2)
    calls=$(grep -hE '^[[:space:]]*call|\.local' "$out"/*.ptx 2>/dev/null | grep -v vprintf | head -n 1)
    count=$(grep -c 'Compiling entry' "$out.log")
    rm -rf "$out" "$out.cubin"
    if [ -n "$bad$calls" ]; then echo "FAIL $source sm_$arch: $bad $calls"; else echo "ok $source sm_$arch ($count kernels)"; fi
}

if [ "$2" = one ]; then
    mkdir -p "$dir/$(basename "$4" .cu)_$3"
    check "$3" "$4"
    exit
fi
for source in tests/attn_fuzz.cu examples/*.cu tests/gemm_fuzz.cu tests/epilogues.cu; do
    for arch in 80 90a 100a 120a; do
        case $source:$arch in
            *sm90*:80 | *sm90*:100a | *sm90*:120a | tests/gemm_fuzz.cu:[18]* | tests/attn_fuzz.cu:1*) continue ;; # sm_90a kernels only, or among others
        esac
        echo "$arch $source"
    done
done | NVCC=$nvcc xargs -P 2 -n 2 sh "$0" "$dir" one > "$dir/result"
sort "$dir/result"
passed=$(grep -c ^ok "$dir/result") failed=$(grep -vc ^ok "$dir/result")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
