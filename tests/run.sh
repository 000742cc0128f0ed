#!/bin/sh
# run.sh - runs every test and adds up: the last line is "N passed, N failed, N skipped".
# usage: tests/run.sh BUILD_DIR [TCEMU], from the repository's root, after make. TCEMU: the launcher that CUDA programs
# run under where there is no GPU.
#
# Steps run two at a time, started in the order of the list below; each is printed whole, in that order, when it and
# those before it have ended. A line for each running step comes every half minute. Steps that use a GPU never run
# beside each other. All output stands in BUILD_DIR/test.log. Variables:
#     JOBS         processors to use, default all
#     ONLY         a pattern: only the steps whose names match it, as ONLY='attn*'
#     STEP_LIMIT   the seconds after which a step is stopped, default 3600
#     TICK         the seconds between two lines of progress, default 30
#     STEPS        a file with another list of steps (tests/run_self.sh)
build=$1 tcemu=$2
only=${ONLY:-*}
unset ONLY # to a step's own programs it would name a source, or a kernel
jobs=${JOBS:-$(nproc 2> /dev/null || echo 2)}
slots=2
[ "$jobs" -gt 1 ] || slots=1
JOBS=$((jobs / slots)) # what a step's own script runs side by side
export JOBS
limit=${STEP_LIMIT:-3600}
passed=0 failed=0 skipped=0
log=$build/test.log
steps=${STEPS:+$STEPS.}steps
steps=$build/${steps##*/} # I.name, I.sh the command, I.gpu if it uses one, I.log, I.end status, seconds, cpu seconds
rm -rf "$steps"
mkdir -p "$steps" || exit 1
: > "$log"

# ---- The list ----
count=0
step() { # step NAME COMMAND...: its last line counts, "N passed, N failed[, N skipped]"
    # shellcheck disable=SC2254
    case $1 in $only) ;; *) return ;; esac
    count=$((count + 1))
    echo "$1" > "$steps/$count.name"
    shift
    for word in "$@"; do printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done > "$steps/$count.sh"
}

on_device() { # on_device NAME COMMAND...: a step that uses the GPU where there is one
    before=$count
    step "$@"
    if [ -z "$tcemu" ] && [ $count -gt $before ]; then : > "$steps/$count.gpu"; fi
}

emulated() { # emulated DEVICE PROGRAM...: under tcemu as that device, which must have nothing to report; not on a GPU
    device=$1 name=$2
    shift 2
    [ -n "$tcemu" ] && step "$name, tcemu $device" "$tcemu" --device "$device" "$build/tests/$name" "$@"
}

list() {
    on_device unit_host "$build/tests/unit_host"
    step unit_plan "$build/tests/unit_plan"
    step unit_tmap "$build/tests/unit_tmap"
    step unit_op "$build/tests/unit_op"
    step unit_desc "$build/tests/unit_desc"
    step layout sh tests/layout.sh "$build"
    step width sh tests/width.sh
    if [ -z "$tcemu" ]; then
        for name in unit_device unit_kernel unit_mma unit_wmma unit_tcgen05 unit_types unit_wgmma unit_tma debug_hang \
            bad_input; do
            on_device $name "$build/tests/$name"
        done
        on_device gemm_fuzz "$build/tests/gemm_fuzz" 360
        on_device gemm_types "$build/tests/gemm_types" 360
        on_device gemm_f32 "$build/tests/gemm_f32" 360
        on_device gemm_simt "$build/tests/gemm_simt" 360
        on_device gemm_bits "$build/tests/gemm_bits" 240
        on_device gemm_bits_sm75 "$build/tests/gemm_bits_sm75" 120
        on_device gemm_sm100 "$build/tests/gemm_sm100" 360
        on_device gemm_mix_sm100 "$build/tests/gemm_mix_sm100" 120
        on_device gemm_sm120 "$build/tests/gemm_sm120" 400
        on_device gemm_groups "$build/tests/gemm_groups" 360
        on_device gemm_each "$build/tests/gemm_each" 350
        on_device gemm_groups_sm100 "$build/tests/gemm_groups_sm100" 280
        on_device gemm_groups_sm120 "$build/tests/gemm_groups_sm120" 240
        on_device gemm_mixed "$build/tests/gemm_mixed" 360
        on_device gemm_mixed_sm80 "$build/tests/gemm_mixed_sm80" 360
        on_device gemm_mixed_sm100 "$build/tests/gemm_mixed_sm100" 360
        on_device gemm_outputs "$build/tests/gemm_outputs" 440
        on_device gemm_outputs_sm100 "$build/tests/gemm_outputs_sm100" 80
        on_device gemm_gate "$build/tests/gemm_gate" 160
        on_device gemm_gate_sm100 "$build/tests/gemm_gate_sm100" 180
        on_device gemm_gate_sm120 "$build/tests/gemm_gate_sm120" 180
        on_device gemm_quant "$build/tests/gemm_quant" 330
        on_device gemm_quant_sm100 "$build/tests/gemm_quant_sm100" 130
        on_device gemm_sparse "$build/tests/gemm_sparse" 240
        on_device gemm_sparse_sm120 "$build/tests/gemm_sparse_sm120" 240
        on_device gemm_sparse_sm100 "$build/tests/gemm_sparse_sm100" 240
        on_device conv "$build/tests/conv" 400
        on_device gemm_tiles "$build/tests/gemm_tiles" 300
        on_device gemm_b2b "$build/tests/gemm_b2b" 400
        on_device rows "$build/tests/rows" 2000
        on_device gemm_rows "$build/tests/gemm_rows" 400
        on_device gemm_edge "$build/tests/gemm_edge" 400
        on_device gemm_tail "$build/tests/gemm_tail"
        on_device gemm_chain "$build/tests/gemm_chain"
        on_device gemm_once "$build/tests/gemm_once"
        on_device attn_bad_input "$build/tests/attn_bad_input"
        on_device attn_fuzz "$build/tests/attn_fuzz" 600
        on_device attn_decode "$build/tests/attn_decode" 400
        on_device attn_mla "$build/tests/attn_mla" 200
        on_device attn_append "$build/tests/attn_append" 400
        on_device attn_fp8 "$build/tests/attn_fp8" 300
        on_device attn_sm100 "$build/tests/attn_sm100" 480
        on_device attn_sm120 "$build/tests/attn_sm120" 300
        on_device attn_sm120_plain "$build/tests/attn_sm120_plain" 80
        on_device attn_bwd_bad_input "$build/tests/attn_bwd_bad_input"
        on_device attn_bwd "$build/tests/attn_bwd" 230
        on_device attn_dropout "$build/tests/attn_dropout"
    else
        emulated sm_90a unit_device
        emulated sm_80 unit_device
        emulated sm_90a unit_kernel
        emulated sm_80 unit_kernel
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
        emulated sm_90a gemm_fuzz 160
        step "gemm_fuzz, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 2 "$build/tests/gemm_fuzz" 40 1
        emulated sm_80 gemm_fuzz 76
        emulated sm_120a gemm_fuzz 38
        emulated sm_90a gemm_types 110
        emulated sm_80 gemm_types 230
        emulated sm_120a gemm_types 60
        step "gemm_f32, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 2 "$build/tests/gemm_f32" 40 1 200
        emulated sm_80 gemm_f32 30
        for device in sm_86 sm_89 sm_90a; do emulated $device gemm_bits 40; done
        for device in sm_80 sm_120a; do
            step "gemm_bits, tcemu $device, schedules" \
                "$tcemu" --device $device --sms 4 --strict --schedules 3 "$build/tests/gemm_bits" 40
        done
        step "gemm_bits_sm75, tcemu sm_75" "$tcemu" --device sm_75 --strict "$build/tests/gemm_bits_sm75" 60
        step "gemm_simt, tcemu sm_75" "$tcemu" --device sm_75 --strict "$build/tests/gemm_simt" 60 1 200
        emulated sm_100a gemm_sm100 72
        emulated sm_103a gemm_sm100 24
        step "gemm_sm100, tcemu sm_100a, schedules" \
            "$tcemu" --device sm_100a --sms 4 --strict --schedules 3 "$build/tests/gemm_sm100" 48 1 160
        emulated sm_103a gemm_mix_sm100 20
        step "gemm_mix_sm100, tcemu sm_100a, schedules" \
            "$tcemu" --device sm_100a --sms 4 --strict --schedules 3 "$build/tests/gemm_mix_sm100" 20 1 200
        emulated sm_120a gemm_sm120 75
        step "gemm_sm120, tcemu sm_120a, schedules" \
            "$tcemu" --device sm_120a --sms 4 --strict --schedules 2 "$build/tests/gemm_sm120" 45 1 160
        # few multiprocessors: a block works on several tiles, of several groups
        step "gemm_groups, tcemu sm_90a" "$tcemu" --device sm_90a --sms 6 "$build/tests/gemm_groups" 112
        step "gemm_groups, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/gemm_groups" 48 1
        emulated sm_80 gemm_groups 48
        step "gemm_each, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/gemm_each" 28 1
        emulated sm_80 gemm_each 42
        step "gemm_groups_sm100, tcemu sm_100a, schedules" \
            "$tcemu" --device sm_100a --sms 4 --strict --schedules 3 "$build/tests/gemm_groups_sm100" 54 1
        emulated sm_103a gemm_groups_sm100 36
        step "gemm_groups_sm120, tcemu sm_120a, schedules" \
            "$tcemu" --device sm_120a --sms 4 --strict --schedules 3 "$build/tests/gemm_groups_sm120" 42 1
        step "gemm_mixed, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/gemm_mixed" 84 1
        step "gemm_mixed_sm80, tcemu sm_80, schedules" \
            "$tcemu" --device sm_80 --sms 4 --strict --schedules 3 "$build/tests/gemm_mixed_sm80" 48 1
        for device in sm_86 sm_89 sm_120a; do emulated $device gemm_mixed_sm80 32; done
        step "gemm_mixed_sm100, tcemu sm_100a, schedules" \
            "$tcemu" --device sm_100a --sms 4 --strict --schedules 3 "$build/tests/gemm_mixed_sm100" 42 1
        emulated sm_103a gemm_mixed_sm100 28
        step "gemm_outputs, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/gemm_outputs" 248 1
        emulated sm_80 gemm_outputs 192
        step "gemm_gate, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/gemm_gate" 60 1
        for device in sm_80 sm_100a sm_120a; do emulated $device gemm_gate 48; done
        step "gemm_gate_sm100, tcemu sm_100a, schedules" \
            "$tcemu" --device sm_100a --sms 4 --strict --schedules 3 "$build/tests/gemm_gate_sm100" 90 1
        step "gemm_gate_sm120, tcemu sm_120a, schedules" \
            "$tcemu" --device sm_120a --sms 4 --strict --schedules 3 "$build/tests/gemm_gate_sm120" 75 1
        step "gemm_outputs_sm100, tcemu sm_100a, schedules" \
            "$tcemu" --device sm_100a --sms 4 --strict --schedules 3 "$build/tests/gemm_outputs_sm100" 80 1
        step "gemm_quant, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/gemm_quant" 48 1
        emulated sm_80 gemm_quant 72
        step "gemm_quant_sm100, tcemu sm_100a, schedules" \
            "$tcemu" --device sm_100a --sms 4 --strict --schedules 3 "$build/tests/gemm_quant_sm100" 78 1
        step "gemm_sparse, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/gemm_sparse" 33 1
        emulated sm_80 gemm_sparse 24
        step "gemm_sparse_sm120, tcemu sm_120a, schedules" \
            "$tcemu" --device sm_120a --sms 4 --strict --schedules 3 "$build/tests/gemm_sparse_sm120" 48 1
        step "gemm_sparse_sm100, tcemu sm_100a, schedules" \
            "$tcemu" --device sm_100a --sms 4 --strict --schedules 3 "$build/tests/gemm_sparse_sm100" 56 1
        emulated sm_103a gemm_sparse_sm100 24
        step "conv, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/conv" 100 1
        emulated sm_80 conv 100
        step "gemm_tiles, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/gemm_tiles" 30 1
        emulated sm_80 gemm_tiles 30
        step "gemm_b2b, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/gemm_b2b" 40 1
        emulated sm_80 gemm_b2b
        step "rows, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/rows" 300 1
        emulated sm_80 rows 300
        step "gemm_tail, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --strict --schedules 2 "$build/tests/gemm_tail"
        step "gemm_edge, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 8 --strict --schedules 2 "$build/tests/gemm_edge" 80 1
        step "gemm_rows, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 2 "$build/tests/gemm_rows" 90 1
        emulated sm_80 gemm_rows 60
        for device in sm_90a sm_80 sm_120a; do emulated $device attn_bad_input; done
        # few multiprocessors: a block works on several tiles; then several orders of what runs side by side
        step "attn_fuzz, tcemu sm_90a" "$tcemu" --device sm_90a --sms 6 "$build/tests/attn_fuzz" 380
        step "attn_fuzz, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --schedules 3 "$build/tests/attn_fuzz" 70 1
        emulated sm_80 attn_fuzz 106
        emulated sm_120a attn_fuzz 54
        # few multiprocessors, as above
        step "attn_sm100, tcemu sm_100a" "$tcemu" --device sm_100a --sms 4 "$build/tests/attn_sm100" 120
        step "attn_sm100, tcemu sm_103a" "$tcemu" --device sm_103a --sms 4 "$build/tests/attn_sm100" 48
        step "attn_sm100, tcemu sm_100a, schedules" \
            "$tcemu" --device sm_100a --sms 3 --strict --schedules 3 "$build/tests/attn_sm100" 48 1
        for arch in 107a 100a; do
            step "emu_rubin, tcemu sm_$arch" \
                "$tcemu" --device sm_$arch --strict --error-exitcode 0 "$build/tests/emu_rubin"
        done
        if [ -x "$build/tests/gemm_sm107" ] && [ -x "$build/tests/attn_sm107" ]; then
            step "gemm_sm107, tcemu sm_107a" \
                "$tcemu" --device sm_107a --sms 4 --strict "$build/tests/gemm_sm107" 200 1 160
            step "gemm_sm107, tcemu sm_107a, schedules" \
                "$tcemu" --device sm_107a --sms 4 --strict --schedules 3 "$build/tests/gemm_sm107" 20 2 160
            step "attn_sm107, tcemu sm_107a, schedules" \
                "$tcemu" --device sm_107a --sms 3 --strict --schedules 3 "$build/tests/attn_sm107" 16 1
        else
            step "gemm_sm107, attn_sm107" sh -c 'echo "SKIP kernels of sm_107: tests/toolkits.sh 13.5 brings a compiler"
                echo "0 passed, 0 failed, 2 skipped"'
        fi
        step "attn_sm120, tcemu sm_120a, schedules" \
            "$tcemu" --device sm_120a --sms 4 --strict --schedules 3 "$build/tests/attn_sm120" 60 1
        step "attn_sm120, tcemu sm_121a" "$tcemu" --device sm_121a --sms 4 --strict "$build/tests/attn_sm120" 45 61
        for device in sm_120 sm_121; do emulated $device attn_sm120_plain 20; done
        step "attn_decode, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --strict --schedules 2 "$build/tests/attn_decode" 30 1
        for device in sm_80 sm_120a; do emulated $device attn_decode 20; done
        step "attn_mla, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 8 --strict --schedules 2 "$build/tests/attn_mla" 30 1
        for device in sm_90a sm_80; do emulated $device attn_append 100; done
        step "gemm_chain, tcemu sm_90a" "$tcemu" --device sm_90a --sms 6 --strict "$build/tests/gemm_chain"
        step "gemm_once, tcemu sm_90a" "$tcemu" --device sm_90a --strict "$build/tests/gemm_once"
        step "attn_fp8, tcemu sm_90a" "$tcemu" --device sm_90a --sms 6 "$build/tests/attn_fp8" 90
        step "attn_fp8, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 3 "$build/tests/attn_fp8" 20 1
        for device in sm_90a sm_80; do emulated $device attn_bwd_bad_input; done
        emulated sm_90a attn_bwd 66
        step "attn_bwd, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 2 "$build/tests/attn_bwd" 46 1
        emulated sm_80 attn_bwd 28
        step "attn_dropout, tcemu sm_90a, schedules" \
            "$tcemu" --device sm_90a --sms 4 --strict --schedules 2 "$build/tests/attn_dropout"
        emulated sm_80 attn_dropout
    fi
    on_device examples sh tests/examples.sh "$build" $tcemu
    # the long ones before the short ones, so that both places end together
    step check-ptx env SHIPPED=1 sh tests/check_ptx.sh "$build/check_ptx" "$build"
    step mutants sh tests/mutants.sh "$build" "$build/tcemu"
    step errors sh tests/errors.sh "$build/errors"
    step compile sh tests/compile.sh "$build/compile"
    step warnings sh tests/warnings.sh "$build/warnings"
    on_device link sh tests/link.sh "$build" $tcemu
    step must_fail sh tests/must_fail.sh "$build/must_fail"
    step wrong_target sh tests/wrong_target.sh "$build/wrong_target"
    [ -n "$tcemu" ] || on_device isa sh tests/isa.sh "$build/isa"
    step "isa, tcemu" env QUICK=1 sh tests/isa.sh "$build/isa_emulated" "$build/tcemu"
    step emu_model "$build/tcemu" --model h200 --no-checks --json="$build/emu_model.json" "$build/tests/emu_model"
    step "emu_model, b200" \
        "$build/tcemu" --model b200 --no-checks --json="$build/emu_model_b200.json" "$build/tests/emu_model" b200
    step emu_tool sh tests/emu_tool.sh "$build" "$build/tcemu"
    step emu_modes sh tests/emu_modes.sh "$build" "$build/tcemu"
    step broken sh tests/broken.sh "$build/broken" "$build/tcemu"
    step cover_async sh tests/cover_async.sh "$build/cover_async"
    step cover_tcgen05 sh tests/cover_tcgen05.sh "$build/cover_tcgen05"
    step cover_warp sh tests/cover_warp.sh "$build/cover"
    # the same batches each time, so that a run's answer is of the change alone; make lattice goes on from the clock
    on_device lattice env LIMIT=10 SEED="${SEED:-260007}" sh tests/lattice.sh "$build" $tcemu
    step nvrtc env ${tcemu:+NVRTC_SOME=1} "$build/tests/nvrtc" .
    if [ -z "$tcemu" ]; then
        on_device nvrtc_run "$build/tests/nvrtc_run" "$build/tc_single.h"
    else
        for device in sm_90a sm_80; do emulated $device nvrtc_run "$build/tc_single.h"; done
    fi
    step single sh tests/single.sh "$build" $tcemu
    on_device tune sh tests/tune.sh "$build" $tcemu
    step cmake sh tests/cmake.sh "$build"
    step install sh tests/install.sh "$build"
    on_device torch sh -c 'command -v python3 > /dev/null && exec python3 examples/torch/run.py
        echo "SKIP torch: no python3 here"; echo "0 passed, 0 failed, 1 skipped"'
    [ -z "$tcemu" ] || step "toolkit 13.5" sh tests/with_toolkit.sh "${TOOLKIT:-13.5}" "$build"
    step emu_ptx_fuzz "$build/tests/emu_ptx_fuzz"
    step emu_fatbin sh tests/emu_fatbin.sh "$build"
    step emu_num "$build/tests/emu_num"
    step isa_doc sh tools/isa_doc.sh --check
    step types_doc "$build/types_doc" --check docs/types.md
    step check_ptx_self sh tests/check_ptx_self.sh "$build"
    step run_self sh tests/run_self.sh "$build"
}
if [ -n "$STEPS" ]; then
    # shellcheck disable=SC1090
    . "$STEPS"
else
    list
fi

# ---- Running them ----
show() { # show I: what the step said, and its count into the sum
    read -r code seconds cpu < "$steps/$1.end"
    all_cpu=$((all_cpu + cpu))
    name=$(cat "$steps/$1.name")
    printf '== %s\n' "$name"
    { printf '== %s\n' "$name"; cat "$steps/$1.log"; } >> "$log"
    grep -E '^(FAIL|SKIP|[a-z_]+: .*seed)' "$steps/$1.log" | head -n 40
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$steps/$1.log" | tail -n 1)
    if [ "$code" -eq 124 ] && [ "$seconds" -ge "$limit" ]; then echo "FAIL $name was stopped after $limit s"; fi
    if [ -z "$line" ]; then
        echo "FAIL $name ended with $code and counted nothing:"
        tail -n 5 "$steps/$1.log"
        line="0 passed, 1 failed"
    elif [ "$code" -ne 0 ] && echo "$line" | grep -q ' 0 failed'; then
        echo "FAIL $name exits with $code"
        failed=$((failed + 1))
    fi
    echo "   $line ($seconds s, processors $cpu s)"
    # shellcheck disable=SC2046
    set -- $(echo "$line" | tr -d ,)
    passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + ${5:-0}))
}

# One line to the pipe (descriptor 3) when a step has ended: its number; and "tick" every half minute.
mkfifo "$steps/pipe" && exec 3<> "$steps/pipe" || exit 1
start() { # start I
    (
        trap 'kill "$child" 2> /dev/null' TERM
        began=$(date +%s)
        echo "$began" > "$steps/$1.began"
        # timeout also passes a signal on to all that the command has started
        timeout -k 20 "$limit" sh "$steps/$1.sh" > "$steps/$1.log" 2>&1 < /dev/null 3>&- &
        child=$!
        wait "$child"
        code=$?
        times > "$steps/$1.times" # the second line: user and system time of what ran
        cpu=$(awk 'NR == 2 { gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4 + 0.5) }' "$steps/$1.times")
        echo "$code $(($(date +%s) - began)) ${cpu:-0}" > "$steps/$1.ending"
        mv "$steps/$1.ending" "$steps/$1.end"
        echo "$1" >&3
    ) &
    echo $! > "$steps/$1.pid"
    running="$running $1"
}
(
    exec > /dev/null 2>&1
    trap 'kill $!; exit' TERM
    while sleep "${TICK:-30}" 3>&- & wait $!; do kill -0 $$ || exit; echo tick >&3; done
) &
ticker=$!
stop() {
    kill "$ticker" 2> /dev/null
    for i in $running; do kill "$(cat "$steps/$i.pid")" 2> /dev/null; done
    echo "stopped"
    exit 130
}
trap stop INT TERM HUP

ended() { # ended I: no longer running
    left=
    for i in $running; do [ "$i" = "$1" ] || left="$left $i"; done
    running=$left
}
fill() { # starts what may start
    i=1
    while [ $i -le $count ]; do
        # shellcheck disable=SC2086
        set -- $running
        [ $# -lt $slots ] || return
        gpu_busy=
        for r in "$@"; do [ -f "$steps/$r.gpu" ] && gpu_busy=1; done
        if [ ! -f "$steps/$i.pid" ] && { [ -z "$gpu_busy" ] || [ ! -f "$steps/$i.gpu" ]; }; then start $i; fi
        i=$((i + 1))
    done
}

running='' shown=0 all_cpu=0 first=$(date +%s)
while [ $shown -lt $count ]; do
    fill
    read -r event <&3 || continue
    case $event in
    tick)
        now=$(date +%s)
        for i in $running; do
            began=$(cat "$steps/$i.began" 2> /dev/null || echo "$now")
            last=$(tail -n 1 "$steps/$i.log" 2> /dev/null | cut -c 1-80)
            name=$(cat "$steps/$i.name")
            echo "   ... $((now - first)) s: $name, for $((now - began)) s, last: ${last:-nothing yet}"
            # a step whose shell was killed from outside will send no line
            kill -0 "$(cat "$steps/$i.pid")" 2> /dev/null || [ -f "$steps/$i.end" ] || {
                echo "137 $((now - began)) 0" > "$steps/$i.end"
                ended "$i"
            }
        done ;;
    *) ended "$event" ;;
    esac
    while [ -f "$steps/$((shown + 1)).end" ]; do
        shown=$((shown + 1))
        show $shown
    done
done
kill "$ticker" 2> /dev/null
echo "all steps: $(($(date +%s) - first)) s, processors $all_cpu s"
[ $count -gt 0 ] || echo "no step matches ONLY=$only"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $count -gt 0 ]
