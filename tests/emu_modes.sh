#!/bin/sh
# emu_modes.sh - tcemu where the answer is more than a report: kernels that hang while they write memory are found in
# time, others that only seem to hang run to their end, --timeout; what is an error under --strict alone; values of
# lanes that go different ways.
# usage: tests/emu_modes.sh BUILD_DIR TCEMU
build=$1 tcemu=$2 out=$1/modes
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$out" || exit 1
if ! "$NVCC" --version > /dev/null 2>&1 || [ ! -x "$tcemu" ]; then
    echo "SKIP emu_modes: no nvcc or no tcemu"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
passed=0 failed=0
program() { # program NAME ARCH
    [ "$out/$1" -nt "tests/$1.cu" ] && return
    "$NVCC" -std=c++17 -O3 -lineinfo -gencode arch=compute_$2,code=compute_$2 -cudart shared "tests/$1.cu" \
        -o "$out/$1" > "$out/$1.build" 2>&1 && return
    echo "FAIL $1 does not compile: $(grep -m1 error "$out/$1.build")"
    failed=$((failed + 1))
}
# expect STATUS TEXT OPTIONS PROGRAM ARGUMENTS: the exit status, and a piece of what is said ("-": nothing is said).
# 20 s of the process's own time are the limit, whatever else the machine does.
expect() {
    status=$1 text=$2
    shift 2
    (ulimit -t 20; exec timeout 300 "$tcemu" "$@") > "$out/log" 2>&1
    code=$? why=
    [ $code -eq "$status" ] || why="exit status $code, not $status"
    if [ "$text" = - ]; then grep -q '^tcemu: ' "$out/log" && why="$why; it says: $(grep -m1 '^tcemu: ' "$out/log")"
    else grep -qF -- "$text" "$out/log" || why="$why; nothing of \"$text\""; fi
    if [ -z "$why" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL tcemu $*: ${why#; }"; fi
}
program emu_hang 90
program emu_tmem 100a
program emu_slots 80
hangs='no cluster of the grid makes progress: its threads go round in loops'
for n in 1 300; do
    expect 1 "$hangs" --device sm_90a "$out/emu_hang" hang_atomic $n
    expect 1 "$hangs" --device sm_90a "$out/emu_hang" hang_store $n
done
line=$(grep -n 'void hang_atomic' tests/emu_hang.cu | cut -d: -f1)
expect 1 "emu_hang.cu:$line" --device sm_90a "$out/emu_hang" hang_atomic
expect 1 "$hangs" --device sm_90a "$out/emu_hang" hang_lock 3
expect 1 "$hangs" --device sm_90a "$out/emu_hang" hang_shared 3
expect 1 "$hangs" --device sm_90a --schedule 2 "$out/emu_hang" hang_shared 3
for threads in 1 2; do
    for n in 1 5; do
        for c in late counted value computed walks writes; do
            expect 0 - --device sm_90a --threads $threads "$out/emu_hang" $c $n
        done
    done
    expect 0 - --device sm_90a --threads $threads "$out/emu_hang" expires 4
    expect 0 - --device sm_90a --threads $threads "$out/emu_hang" relayed 4
    expect 0 - --device sm_90a --threads $threads "$out/emu_hang" in_flight 2
done
expect 0 - --device sm_90a --schedule 1 "$out/emu_hang" late 5
expect 1 'the kernel has run longer than --timeout allows' --device sm_90a --timeout 2 "$out/emu_hang" endless
expect 0 - --device sm_100a --strict "$out/emu_tmem" right
expect 0 'note: a register of the tcgen05.ld at' --device sm_100a "$out/emu_tmem" late_wait
expect 0 '0 values wrong' --device sm_100a "$out/emu_tmem" late_wait
expect 86 'error [tcgen05-order] reads a register that is the result of a tcgen05.ld still in flight' --device sm_100a \
    --strict "$out/emu_tmem" late_wait
expect 86 '0 values wrong' --device sm_100a "$out/emu_tmem" lane_128
expect 86 'tcemu: 1 error at 1 place: tmem 1' --device sm_100a "$out/emu_tmem" lane_128
for c in many blocks; do expect 0 '0 lanes wrong' --device sm_80 "$out/emu_slots" $c; done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
