#!/bin/sh
# run.sh - runs every test and adds up: the last line is "N passed, N failed, N skipped".
# usage: tests/run.sh BUILD_DIR [TCEMU], from the repository's root, after make. TCEMU: the launcher that CUDA programs run
# under where there is no GPU.
build=$1 tcemu=$2
passed=0 failed=0 skipped=0
log=$build/test.log
: > "$log"

add() { # add LINE: a line "N passed, N failed[, N skipped]"
    set -- $(echo "$1" | tr -d ,)
    passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + ${5:-0}))
}

step() { # step NAME COMMAND...: its last line counts
    name=$1
    shift
    printf '== %s\n' "$name"
    start=$(date +%s)
    "$@" > "$build/step.log" 2>&1
    code=$?
    cat "$build/step.log" >> "$log"
    grep -E '^(FAIL|SKIP|[a-z_]+: .*seed)' "$build/step.log" | head -n 40
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$build/step.log" | tail -n 1)
    if [ -z "$line" ]; then
        echo "FAIL $name ended with $code and counted nothing:"
        tail -n 5 "$build/step.log"
        line="0 passed, 1 failed"
    elif [ $code -ne 0 ] && echo "$line" | grep -q ' 0 failed'; then
        echo "FAIL $name exits with $code"
        failed=$((failed + 1))
    fi
    echo "   $line ($(($(date +%s) - start)) s)"
    add "$line"
}

emulated() { # emulated DEVICE PROGRAM...: under tcemu as that device, which must have nothing to report; not run on a GPU
    device=$1 name=$2
    shift 2
    [ -n "$tcemu" ] && step "$name, tcemu $device" "$tcemu" --device "$device" "$build/tests/$name" "$@"
}

step unit_host "$build/tests/unit_host"
step layout sh tests/layout.sh "$build"
if [ -z "$tcemu" ]; then
    step unit_device "$build/tests/unit_device"
    step unit_mma "$build/tests/unit_mma"
    step unit_wmma "$build/tests/unit_wmma"
    step unit_tcgen05 "$build/tests/unit_tcgen05"
    for name in unit_types unit_wgmma unit_tma; do step $name "$build/tests/$name"; done
    step debug_hang "$build/tests/debug_hang"
    step bad_input "$build/tests/bad_input"
    step gemm_fuzz "$build/tests/gemm_fuzz" 360
    step attn_bad_input "$build/tests/attn_bad_input"
    step attn_fuzz "$build/tests/attn_fuzz" 600
else
    emulated sm_90a unit_device
    emulated sm_80 unit_device
    for device in sm_80 sm_90a sm_100a sm_120a; do emulated $device unit_mma; done
    for device in sm_80 sm_90a sm_120a; do emulated $device unit_wmma; done
    emulated sm_100a unit_tcgen05
    emulated sm_103a unit_tcgen05
    for device in sm_80 sm_90a sm_100a; do emulated $device unit_types; done
    emulated sm_90a unit_wgmma
    for device in sm_80 sm_90a sm_100a; do emulated $device unit_tma; done
    step "debug_hang, tcemu" "$tcemu" --error-exitcode 0 "$build/tests/debug_hang" # it traps on purpose
    for device in sm_90a sm_80; do emulated $device emu_runtime; emulated $device emu_driver; done
    emulated sm_90a bad_input
    emulated sm_80 bad_input
    emulated sm_90a gemm_fuzz 360
    emulated sm_80 gemm_fuzz 120
    emulated sm_120a gemm_fuzz 60
    for device in sm_90a sm_80 sm_120a; do emulated $device attn_bad_input; done
    # few multiprocessors: a block works on several tiles; then several orders of what runs side by side
    step "attn_fuzz, tcemu sm_90a" "$tcemu" --device sm_90a --sms 6 "$build/tests/attn_fuzz" 800
    step "attn_fuzz, tcemu sm_90a, schedules" "$tcemu" --device sm_90a --sms 4 --schedules 3 "$build/tests/attn_fuzz" 134 1
    emulated sm_80 attn_fuzz 200
    emulated sm_120a attn_fuzz 100
fi
step examples sh tests/examples.sh "$build" $tcemu
step torch sh -c 'command -v python3 > /dev/null && exec python3 examples/torch/run.py; echo "SKIP torch: no python3 here"; echo "0 passed, 0 failed, 1 skipped"'
step emu_num "$build/tests/emu_num"
step emu_fatbin sh tests/emu_fatbin.sh "$build"
step emu_ptx_fuzz "$build/tests/emu_ptx_fuzz"
[ -n "$tcemu" ] || step isa sh tests/isa.sh "$build/isa"
step "isa, tcemu" sh tests/isa.sh "$build/isa_emulated" "$build/tcemu"
step broken sh tests/broken.sh "$build/broken" "$build/tcemu"
step emu_modes sh tests/emu_modes.sh "$build" "$build/tcemu"
step mutants sh tests/mutants.sh "$build" "$build/tcemu"
step nvrtc "$build/tests/nvrtc" .
step compile sh tests/compile.sh "$build/compile"
step errors sh tests/errors.sh "$build/errors"
step cover_warp sh tests/cover_warp.sh "$build/cover"
step cover_async sh tests/cover_async.sh "$build/cover_async"
step cover_tcgen05 sh tests/cover_tcgen05.sh "$build/cover_tcgen05"
step isa_doc sh tools/isa_doc.sh --check
step check-ptx sh tests/check_ptx.sh "$build/check_ptx"
rm -f "$build/step.log"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
