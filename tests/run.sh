#!/bin/sh
# run.sh - runs every test and adds up: the last line is "N passed, N failed, N skipped".
# usage: tests/run.sh BUILD_DIR, from the repository's root, after make
build=$1
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

step unit_host "$build/tests/unit_host"
step unit_device "$build/tests/unit_device"
step debug_hang "$build/tests/debug_hang"
step bad_input "$build/tests/bad_input"
step gemm_fuzz "$build/tests/gemm_fuzz" 360
step examples sh tests/examples.sh "$build"
step nvrtc "$build/tests/nvrtc" .
step compile sh tests/compile.sh "$build/compile"
step errors sh tests/errors.sh "$build/errors"
step check-ptx sh tests/check_ptx.sh "$build/check_ptx"
rm -f "$build/step.log"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
