#!/bin/sh
# examples.sh - every example runs and finds its own results right. usage: tests/examples.sh BUILD_DIR [TCEMU]
passed=0 failed=0 skipped=0
for source in examples/*.cu; do
    name=$(basename "$source" .cu)
    device=
    [ -n "$2" ] && case $name in 3?_tcgen05*) device="--device sm_100a" ;; 3?_sm120*) device="--device sm_120a" ;; esac
    # compiled for sm_107a by a toolkit of its own, if there is one (tests/toolkits.sh 13.5); else it says so
    [ -n "$2" ] && [ -x "$1/toolkits/13.5/bin/nvcc" ] && case $name in *_sm107) device="--device sm_107a" ;; esac
    out=$($2 $device "$1/examples/$name" 2>&1)
    code=$?
    if [ $code -ne 0 ] || echo "$out" | grep -q FAIL; then
        echo "FAIL $name (exit $code): $(echo "$out" | grep -E 'FAIL|error' | head -n 3)"
        failed=$((failed + 1))
    elif echo "$out" | grep -qE 'not run$'; then
        echo "SKIP $name: $(echo "$out" | grep 'not run$')"
        skipped=$((skipped + 1))
    else
        passed=$((passed + 1))
    fi
    echo "$out"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
