#!/bin/sh
# link.sh - generators in one file, their callers in others, C files too: tests/link linked as one program, with a
# shared library, and with hidden symbols; and a header with generators in two files. Every program runs. usage:
# tests/link.sh BUILD_DIR [TCEMU], from the repository's root. Ends with "N passed, N failed".
build=$(cd "${1:-build}" && pwd)
tcemu=${2:+$(realpath "$2")}
work=$build/link
NVCC=${NVCC:-nvcc} CC=${CC:-cc}
CUDA=${CUDA:-$(dirname "$(dirname "$(command -v "$NVCC" || echo /usr/local/cuda/bin/nvcc)")")}
cc="$CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I. -isystem $CUDA/include" link="$NVCC -cudart shared -lpthread"
. tests/quick.sh # for what runs no kernel: wgmma wants the optimiser
one="$NVCC -std=c++17 -cudart shared -Werror all-warnings -I. -gencode arch=compute_80,code=compute_80"
cuda="$one -gencode arch=compute_90a,code=compute_90a"
[ -n "$tcemu" ] || one=$cuda # a GPU takes what is for it
rm -rf "$work" && mkdir -p "$work" || exit 1
. tests/works.sh
runs() { # runs WHAT PROGRAM [DEVICE...]: on each of the emulated devices, or on the GPU
    whole=$1 program=$2
    shift 2
    if [ -z "$tcemu" ]; then works "$whole runs" "$program"; return; fi
    for device in "$@"; do works "$whole runs, tcemu $device" "$tcemu" --device "$device" "$program"; done
}
exports_its_own() { # of a library, nothing of a generator
    nm -D --defined-only "$1" > "$work/exported" && cat "$work/exported" && grep -q ' link_call$' "$work/exported" &&
        ! grep -q 'link_gemm\|link_attn\|tc__' "$work/exported"
}

# shellcheck disable=SC2086
{
    works "kernels.cu" $cuda -Xcompiler -fPIC -c -o "$work/kernels.o" tests/link/kernels.cu
    works "call.cu" $cuda -Xcompiler -fPIC -c -o "$work/call.o" tests/link/call.cu
    works "main.c, C11 without a warning" $cc -O2 -c -o "$work/main.o" tests/link/main.c
    works "one program" $link -o "$work/one" "$work/kernels.o" "$work/call.o" "$work/main.o"
    runs "one program" "$work/one" sm_90a sm_80

    works "a shared library" $link -shared -o "$work/libkernels.so" "$work/kernels.o" "$work/call.o"
    works "a program with it" $link -o "$work/with" "$work/main.o" -L"$work" -lkernels -Xlinker -rpath,"$work"
    runs "a program with it" "$work/with" sm_90a

    # hidden symbols belong to the program or library that they are linked into, whatever the target
    hidden="-fvisibility=hidden"
    works "kernels.cu, hidden" $one -Xcompiler -fPIC,$hidden -c -o "$work/kernels_h.o" tests/link/kernels.cu
    works "call.cu, hidden" $one -Xcompiler -fPIC,$hidden -c -o "$work/call_h.o" tests/link/call.cu
    works "main.c, hidden" $cc $hidden -c -o "$work/main_h.o" tests/link/main.c
    works "one program, hidden" $link -o "$work/one_h" "$work/kernels_h.o" "$work/call_h.o" "$work/main_h.o"
    runs "one program, hidden," "$work/one_h" sm_80
    works "a library, hidden" $link -shared -o "$work/libhidden.so" "$work/kernels_h.o" "$work/call_h.o"
    works "it exports its own functions alone" exports_its_own "$work/libhidden.so"
    works "main.c for it" $cc -DLINK_HIDDEN -c -o "$work/main_l.o" tests/link/main.c
    works "a program with it, hidden" $link -o "$work/with_h" "$work/main_l.o" -L"$work" -lhidden \
        -Xlinker -rpath,"$work"
    runs "a program with it, hidden," "$work/with_h" sm_80

    works "both_a.cu" $cuda $quick -c -o "$work/both_a.o" tests/link/both_a.cu
    works "both_b.cu" $cuda $quick -c -o "$work/both_b.o" tests/link/both_b.cu
    works "a header with generators in two files" $link -o "$work/both" "$work/both_a.o" "$work/both_b.o"
    runs "a header with generators in two files" "$work/both" sm_80
}
counted
