#!/bin/sh
# emu_fatbin.sh - what nvcc packs, in every way of compressing it, tcemu unpacks the same. usage: tests/emu_fatbin.sh
# BUILD_DIR
out=$1/fatbin
nvcc=${NVCC:-nvcc}
mkdir -p "$out" || exit 1
pack() {
    "$nvcc" -std=c++17 -lineinfo -fatbin -gencode arch=compute_80,code=[sm_80,compute_80] \
        -gencode arch=compute_90a,code=[sm_90a,compute_90a] examples/00_hello_mma.cu "$@"
}
pack --no-compress -o "$out/none.fatbin" || exit 1
for mode in size speed balance; do pack --compress-mode=$mode -o "$out/$mode.fatbin" || exit 1; done
"$1/tests/emu_fatbin" 4000 1 "$out/none.fatbin" "$out/size.fatbin" "$out/speed.fatbin" "$out/balance.fatbin"
