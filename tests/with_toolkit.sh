#!/bin/sh
# with_toolkit.sh - tc with another toolkit than the one in PATH: the compiler that tests/toolkits.sh has put into
# build/toolkits. Compiles, and runs in tcemu; needs no GPU.
#     tests/with_toolkit.sh VERSION [BUILD_DIR, default build] [all]
# A sample, as make test has it: tc.h for a target of each kind, some programs that must not compile, GEMMs and
# attention without a spill, and NVRTC of 12.8, 12.9 and VERSION where tests/toolkits.sh nvrtc has brought them.
# all (make test-toolkit V=13.5): tests/compile.sh, tests/errors.sh and tests/check_ptx.sh whole, every example that
# make builds, all of tests/nvrtc.c. Kernels of sm_107a, which tcemu runs, are in steps of their own of make test.
# Where that toolkit is not here, one skip, with the reason that stands in build/toolkits/VERSION.why.
# Variables: CC, JOBS (2). One line a check; ends with "N passed, N failed, N skipped".
version=$1 build=$(cd "${2:-build}" && pwd) all=$3
dir=$PWD/build/toolkits/$version nvcc=$PWD/build/toolkits/$version/bin/nvcc
tcemu=$build/tcemu work=$build/with_$version
CC=${CC:-cc} JOBS=${JOBS:-2}
[ -n "$version" ] || { echo "usage: tests/with_toolkit.sh VERSION [BUILD_DIR] [all]"; exit 2; }
if ! [ -x "$nvcc" ]; then
    why=$(cat "build/toolkits/$version.why" 2> /dev/null)
    echo "SKIP CUDA $version: ${why:-it is not here; sh tests/toolkits.sh $version brings it, by pip}"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
rm -rf "$work" && mkdir -p "$work" || exit 1
. tests/works.sh
skipped=0
script() { # script WHAT COMMAND...: a test that ends with a line of counts
    what=$1
    shift
    "$@" > "$work/said" 2>&1
    grep -E '^(FAIL|SKIP)' "$work/said" | head -n 20
    # shellcheck disable=SC2046
    set -- $(grep -E '^[0-9]+ passed' "$work/said" | tail -n 1 | tr -d ,)
    echo "ok $what: ${1:-0} passed, ${3:-no line of counts} failed"
    passed=$((passed + ${1:-0})) failed=$((failed + ${3:-1})) skipped=$((skipped + ${5:-0}))
}
spelling() { # spelling PTX WORD: what a toolkit of that PTX is given, as its ptxas takes it: without a warning
    "$nvcc" -std=c++17 -ptx -DTC_PTX_ISA="$1" -I. -arch=compute_100 -o "$work/spelling.ptx" "$work/spelling.cu" &&
        sed -i "s/^\.version .*/.version ${1%?}.${1#?}/" "$work/spelling.ptx" &&
        grep -q "fabric.wait.sync_restrict::$2 1;" "$work/spelling.ptx" &&
        said=$("${nvcc%nvcc}ptxas" -arch=sm_100 -o "$work/spelling.cubin" "$work/spelling.ptx" 2>&1) && [ -z "$said" ]
}
spills_nothing() { # of what ptxas -v has said in $work/out
    ! grep -E 'C75[0-9][0-9]|[1-9][0-9]* bytes (stack frame|spill)' "$work/ptxas"
}
kernels() { # kernels TARGET: machine code of $work/kernels.cu
    "$nvcc" -std=c++17 -O3 -I. -gencode "arch=compute_$1,code=sm_$1" -cubin -Xptxas -v -o "$work/kernels.cubin" \
        "$work/kernels.cu" > "$work/ptxas" 2>&1 || { cat "$work/ptxas"; return 1; }
    spills_nothing
}

if [ -n "$all" ]; then
    script "compile.sh" env EVERY=1 NVCC="$nvcc" sh tests/compile.sh "$work/compile"
    script "errors.sh" env NVCC="$nvcc" sh tests/errors.sh "$work/errors"
    script "check_ptx.sh" env NVCC="$nvcc" SHIPPED=1 sh tests/check_ptx.sh "$work/check_ptx"
    mkdir -p "$work/build"
    cp "$tcemu" "$build/libtcemu.so" "$work/build/" 2> /dev/null
    ln -s "$PWD/build/toolkits" "$work/build/toolkits" # example 35 is for sm_107a then
    # shellcheck disable=SC2046
    works "make, the examples" make -s NVCC="$nvcc" CUDA_HOME="$dir" B="$work/build" -j"$JOBS" \
        $(for e in examples/*.cu; do echo "$work/build/${e%.cu}"; done)
    script "examples.sh" env NVCC="$nvcc" sh tests/examples.sh "$work/build" "$tcemu"
else
    echo '#include "tc.h"' > "$work/all.cu"
    for a in 80 90a 100f 107a 120a; do
        "$nvcc" --list-gpu-arch | grep -q "_$(echo "$a" | tr -d af)\$" || continue
        works "tc.h, sm $a" "$nvcc" -std=c++17 -ptx -Werror all-warnings -I. \
            -gencode "arch=compute_$a,code=compute_$a" -o "$work/all.ptx" "$work/all.cu"
    done
    # a toolkit is given the spelling that it knows, not the one that a newer one has for it
    if "$nvcc" --list-gpu-arch | grep -q _107; then
        printf '#include "tc_fabric.h"\n__global__ void k(void) { TC_FABRIC_WAIT_READ(1); }\n' > "$work/spelling.cu"
        for isa in 94:reads 95:read; do
            works "fabric.wait of PTX ${isa%:*}" spelling "${isa%:*}" "${isa#*:}"
        done
    fi
    # shellcheck disable=SC2046
    script "errors.sh, a few" env NVCC="$nvcc" GROUP=24 sh tests/errors.sh "$work/errors" \
        $(ls tests/errors/*.cu | awk 'NR % 24 == 1')
    cat > "$work/kernels.cu" <<'CU'
#include "tc.h"
#include "tc_attn.h"
TC_GEMM_SM90_DEFINE(gemm90, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM80_DEFINE(gemm80, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_ATTN_SM90_DEFINE(attn_64, .type = TC_BF16, .head_dim = 64, .causal = 1)
TC_ATTN_SM90_DEFINE(attn_128, .type = TC_BF16, .head_dim = 128)
CU
    works "GEMMs and attention, no spill, sm 90a" kernels 90a
fi
cases="own gemm90"
[ -z "$all" ] || cases=
for v in 12.8 12.9 "$version"; do
    nvrtc=$PWD/build/toolkits/nvrtc-$v
    [ "$v" != "$version" ] || [ -e "$nvrtc" ] || [ -z "$all" ] || nvrtc=$dir # a whole toolkit has its own
    if [ ! -e "$nvrtc/lib/libnvrtc.so" ]; then
        echo "SKIP NVRTC $v: it is not here; sh tests/toolkits.sh nvrtc $v brings it"
        skipped=$((skipped + 1))
        continue
    fi
    works "tests/nvrtc.c for NVRTC $v" "$CC" -std=c11 -O2 -isystem "$nvrtc/include" tests/nvrtc.c -o "$work/nvrtc" \
        -L"$nvrtc/lib" -Wl,-rpath,"$nvrtc/lib" -lnvrtc
    script "NVRTC $v" "$work/nvrtc" . ${cases:+"$cases"}
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
