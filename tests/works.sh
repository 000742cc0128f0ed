# works.sh - what link.sh and single.sh read in: one check after another, counted. They set $work, where to write.
# shellcheck shell=sh disable=SC2154
passed=0 failed=0

works() { # works WHAT COMMAND...
    what=$1
    shift
    if "$@" > "$work/out" 2>&1; then
        echo "ok $what"
        passed=$((passed + 1))
    else
        echo "FAIL $what: $(head -n 6 "$work/out")"
        failed=$((failed + 1))
    fi
}

counted() { # the last line, and the exit status
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
