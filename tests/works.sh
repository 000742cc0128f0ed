# works.sh - what link.sh, single.sh and cmake.sh read in: one check after another, counted. They set $work, where to
# write, and may say for themselves what is told of a failure.
# shellcheck shell=sh disable=SC2154
passed=0 failed=0

told() { head -n 6 "$work/out"; }

works() { # works WHAT COMMAND...
    what=$1
    shift
    if "$@" > "$work/out" 2>&1; then
        echo "ok $what"
        passed=$((passed + 1))
    else
        echo "FAIL $what: $(told)"
        failed=$((failed + 1))
    fi
}

counted() { # the last line, and the exit status
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
