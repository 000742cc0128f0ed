#!/bin/sh
# check_ptx.sh - what the compiler made of every shipped kernel: no stack frame, no spill, no call, no .local, and no
# note of ptxas that wgmma was serialised (C75xx). Kernels of the examples and the tests, for each target; Blackwell's
# chips, which run the kernels of sm_80, have one PTX between them.
# usage: tests/check_ptx.sh WORK_DIR
# Variables: NVCC (nvcc), JOBS (2). A line for each source and target when it is done; ends with "N passed, N failed".
dir=${1:-build/check_ptx}
nvcc=${NVCC:-nvcc}
mkdir -p "$dir"

check() { # check ARCH[,ARCH] SOURCE: PTX of the first for each of them -> one line "ok ..." or "FAIL ..."
    arch=$1 source=$2 out=$dir/$(basename "$2" .cu)_${1%,*} # nvcc takes no comma in a name
    code="sm_$(echo "$arch" | sed 's/,/,sm_/')"
    began=$(date +%s)
    "$nvcc" -std=c++17 -O3 -I. -DFUZZ_BARE -gencode "arch=compute_${arch%,*},code=[$code]" -Xptxas -v \
        --keep --keep-dir "$out" -fatbin "$source" -o "$out.fatbin" 2> "$out.log" \
        || { echo "FAIL $source sm_$arch does not compile: $(grep -m 1 error "$out.log")"; return; }
    bad=$(grep -E 'C75[0-9][0-9]|[1-9][0-9]* bytes (stack frame|spill)' "$out.log" | head -n 2)
    calls=$(grep -hE '^[[:space:]]*call|\.local' "$out"/*.ptx 2>/dev/null | grep -v vprintf | head -n 1)
    count=$(grep -c 'Compiling entry' "$out.log")
    rm -rf "$out" "$out.fatbin"
    if [ -n "$bad$calls" ]; then
        echo "FAIL $source sm_$arch: $bad $calls"
    else
        echo "ok $source sm_$arch ($count kernels, $(($(date +%s) - began)) s)"
    fi
}

if [ "$2" = one ]; then
    mkdir -p "$dir/$(basename "$4" .cu)_${3%,*}"
    check "$3" "$4"
    exit
fi
for source in tests/epilogues.cu tests/attn_fuzz.cu tests/gemm_fuzz.cu tests/gemm_types.cu examples/*.cu; do
    for arch in 90a 80 100,120 100a; do
        case $source:$arch in
            # sm_90a kernels only, or among others
            *sm90*:80 | *sm90*:1* | tests/gemm_fuzz.cu:[18]* | tests/attn_fuzz.cu:1*) continue ;;
            # and those of the a targets
            examples/3*:100a) ;;
            examples/3*:100,120 | *:100a) continue ;;
        esac
        echo "$arch $source"
    done
done > "$dir/list"
all=$(wc -l < "$dir/list")
echo "check-ptx: $all compilations, the longest first, a line for each"
NVCC=$nvcc xargs -P "${JOBS:-2}" -n 2 sh "$0" "$dir" one < "$dir/list" | tee "$dir/result"
passed=$(grep -c ^ok "$dir/result")
failed=$((all - passed)) silent=$((all - $(grep -cE '^(ok|FAIL) ' "$dir/result")))
[ $silent -eq 0 ] || echo "FAIL $silent compilations came to no end"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
