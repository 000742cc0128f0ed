#!/bin/sh
# run_self.sh - does tests/run.sh count rightly what passes, fails, dies, says nothing or never ends, and in the order
# of its list? usage: tests/run_self.sh [BUILD_DIR, default build], from the repository's root. Ends with "N passed, N
# failed".
build=${1:-build}
work=$build/run_self
rm -rf "$work" && mkdir -p "$work" || exit 1
work=$(cd "$work" && pwd)
passed=0 failed=0
unset ONLY STEP_LIMIT TICK STEPS
check() { # check WHAT COMMAND...
    what=$1
    shift
    if "$@" > "$work/why" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL $what: $(head -n 3 "$work/why")"
        sed 's/^/    /' "$work/out"
    fi
}
run() { # run VARIABLE=VALUE...: run.sh with the list on stdin; its status
    cat > "$work/list"
    env "$@" STEPS="$work/list" sh tests/run.sh "$work" > "$work/out" 2>&1
}
last() { tail -n 1 "$work/out" | grep -x "$1"; }
has() { grep -qF -- "$1" "$work/out" || ! echo "no \"$1\""; }
names() { grep '^== ' "$work/out" | tr -d '\n' | grep -xF "$1"; }

# order and sums; an argument with blanks and quotes reaches its command
run JOBS=2 <<'LIST'
step slow sh -c 'sleep 2; echo "1 passed, 0 failed"'
step quick sh -c 'echo "20 passed, 0 failed, 3 skipped"'
step quoted echo "300 passed, 0 failed, 0 skipped"
step "it's quoted" sh -c 'test "$1" = "a  b'\''c" && echo "1 passed, 0 failed"' sh "a  b'c"
LIST
code=$?
check "status of success" [ $code = 0 ]
check "the sum" last "322 passed, 0 failed, 3 skipped"
check "the order" names "== slow== quick== quoted== it's quoted"
check "no time of processors for sleep" grep -x "   1 passed, 0 failed ([0-9]* s, processors 0 s)" "$work/out"

# every way of failing is one failure, and a skip's line is shown
run JOBS=2 STEP_LIMIT=2 TICK=1 <<'LIST'
step counts sh -c 'echo FAIL a; echo "1 passed, 1 failed"; exit 1'
step status sh -c 'echo "1 passed, 0 failed"; exit 3'
step silent true
step dies sh -c 'echo "1 passed, 0 failed"; kill -9 $$'
step endless sh -c 'echo here; sleep 1000; echo "1 passed, 0 failed"'
step skips sh -c 'echo SKIP b; echo "0 passed, 0 failed, 1 skipped"'
LIST
code=$?
check "status of failure" [ $code = 1 ]
check "the sum of failures" last "3 passed, 5 failed, 1 skipped"
for text in "FAIL a" "FAIL status exits with 3" "FAIL silent ended with 0 and counted nothing" \
    "FAIL dies exits with 137" "FAIL endless was stopped after 2 s" "SKIP b" "s: endless, for 1 s, last: here"; do
    check "\"$text\"" has "$text"
done

# two at a time and not more; those of a GPU alone
together() { # together FILE: the most that ran at once
    awk '{ n += $1; if (n > most) most = n } END { print most }' "$work/$1"
}
cat > "$work/member.sh" <<'RUN'
for file in "$@"; do echo 1 >> "$file"; done
sleep 1
for file in "$@"; do echo -1 >> "$file"; done
echo "1 passed, 0 failed"
RUN
run JOBS=8 WORK="$work" <<'LIST'
for i in 1 2 3 4; do step free$i sh "$WORK/member.sh" "$WORK/free"; done
LIST
check "two at a time" [ "$(together free)" = 2 ]
run JOBS=1 WORK="$work" <<'LIST'
for i in 1 2 3; do step one$i sh "$WORK/member.sh" "$WORK/one"; done
LIST
check "one at a time on one processor" [ "$(together one)" = 1 ]
run JOBS=2 WORK="$work" <<'LIST'
for i in 1 2 3; do on_device gpu$i sh "$WORK/member.sh" "$WORK/gpu" "$WORK/all"; done
for i in 1 2 3; do step cpu$i sh "$WORK/member.sh" "$WORK/all"; done
LIST
check "those of a GPU one at a time" [ "$(together gpu)" = 1 ]
check "their order" names "== gpu1== gpu2== gpu3== cpu1== cpu2== cpu3"
check "all of them" last "6 passed, 0 failed, 0 skipped"
check "the others beside them" [ "$(together all)" = 2 ]

# a step whose shell was killed; a choice of steps; none
run JOBS=2 TICK=1 WORK="$work" <<'LIST'
step killed sh -c 'kill -9 $(cat "$0"/list.steps/1.pid); sleep 2; echo "1 passed, 0 failed"' "$WORK"
step other sh -c 'sleep 1; echo "1 passed, 0 failed"'
LIST
check "a killed step" last "1 passed, 1 failed, 0 skipped"
echo 'for i in a1 a2 b1; do step $i echo "1 passed, 0 failed"; done' | run ONLY='a*'
check "ONLY" last "2 passed, 0 failed, 0 skipped"
echo 'step a echo "1 passed, 0 failed"' | run ONLY=c
check "no step at all is a failure" [ $? != 0 ]

# stopped from outside: the steps' programs end too
echo 'step endless sh -c "echo \$\$ > $WORK/child; exec sleep 1000"' > "$work/list"
WORK=$work STEPS=$work/list sh tests/run.sh "$work" > "$work/out" 2>&1 &
run=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s "$work/child" ] || sleep 0.5; done
kill $run
wait $run
check "status of a stop" [ $? = 130 ]
gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$(cat "$work/child")" 2> /dev/null || return 0; sleep 0.5; done
    return 1
}
check "its programs end" gone
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
