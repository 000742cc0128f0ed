#!/bin/sh
# must_fail.sh - tests/isa/must_fail.tsv against ptxas: each form refused, the form beside it assembled. Needs no GPU.
#     tests/must_fail.sh [directory to write to, default build/tests/must_fail]
# Variables: PTXAS (beside NVCC, or ptxas). From the PTX version in a row's sixth column on the form must assemble: so a
# form that is refused for a slip in its operands is found by a newer ptxas. A row whose seventh column is newer than
# PTXAS is skipped, or put to the toolkit in build/toolkits/13.5 (tests/toolkits.sh; TOOLKIT names another, none: no
# other). Ends with "N passed, N failed, N skipped".
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/must_fail}
PTXAS=${PTXAS:-$(dirname "$(command -v "${NVCC:-nvcc}" || echo /usr/local/cuda/bin/nvcc)")/ptxas}
newer=$root/build/toolkits/${TOOLKIT:-13.5}/bin/ptxas
mkdir -p "$out" || exit 1
table=$root/tests/isa/must_fail.tsv

# CUDA 13.0 brought PTX 9.0, 13.1 PTX 9.1, and so on
ptx_of() {
    "$1" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\),.*/\1 \2/p' | awk '{ print $1 - 4 "." $2 }'
}

passed=0 failed=0 skipped=0
run() { # run PTXAS PTX FROM: rows whose seventh column is above FROM and not above PTX
    ptxas=$1 ptx=$2
    awk -F '\t' -v out="$out" -v ptx="$ptx" -v from="$3" '
function expand(s,    n, kind, i, list) { # {3*r}: {%r0,%r1,%r2}
    while (match(s, /\{[0-9]+\*[a-z]\}/)) {
        n = substr(s, RSTART + 1, RLENGTH - 2) + 0
        kind = substr(s, RSTART + RLENGTH - 2, 1)
        list = ""
        for (i = 0; i < n; i++) list = list (i ? "," : "") "%" kind i
        s = substr(s, 1, RSTART - 1) "{" list "}" substr(s, RSTART + RLENGTH)
    }
    return s
}
function module(file, target, form) {
    printf ".version %s\n.target %s\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<24>; .reg .b64 %%l<4>; " \
           ".reg .f32 %%f<24>; .reg .b16 %%h<4>; .reg .pred %%p<2>;%s\n%s;\nret;\n}\n", ptx, target,
           form ~ /%q/ ? " .reg .b128 %q<2>;" : "", expand(form) > file
    close(file)
}
function later(a, b,    p, q) { split(a, p, "."); split(b, q, "."); return p[1] * 100 + p[2] > q[1] * 100 + q[2] }
!/^#/ {
    if (NF != 6 && NF != 7) print "FAIL line " NR " has " NF " columns, not 6 or 7" > "/dev/stderr"
    if (later($7, ptx) || (from != "" && !later($7, from))) next
    module(out "/" NR ".form.ptx", $2, $3)
    module(out "/" NR ".near.ptx", $2, $4)
    print NR, $2, $6 == "-" || later($6, ptx) ? "refused" : "taken"
}' "$table" > "$out/list"
    while read -r row target want; do
        case $target in sm_70 | sm_72) target=sm_75 ;; esac # what assembles for those two is gone from CUDA 13
        for side in form near; do
            expect=$want
            [ $side = near ] && expect=taken
            if "$ptxas" -arch="$target" -o "$out/k.cubin" "$out/$row.$side.ptx" > "$out/$row.$side.log" 2>&1; then
                got=taken
            else
                got=refused
            fi
            if [ $got = $expect ]; then passed=$((passed + 1))
            else
                failed=$((failed + 1))
                form=$(sed -n 's/;$//; 7p' "$out/$row.$side.ptx" | cut -c1-120)
                echo "FAIL line $row, PTX $ptx: $form is $got: $(head -1 "$out/$row.$side.log" | cut -c1-200)"
            fi
        done
    done < "$out/list"
}
own=$(ptx_of "$PTXAS")
run "$PTXAS" "$own" ""
skipped=$(awk -F '\t' -v ptx="$own" '!/^#/ && $7 * 10 > ptx * 10 { n++ } END { print n + 0 }' "$table")
if [ "$skipped" -gt 0 ]; then
    if [ "$TOOLKIT" != none ] && [ -x "$newer" ]; then
        run "$newer" "$(ptx_of "$newer")" "$own"
        skipped=0
    else echo "SKIP forms of PTX newer than $own: tests/toolkits.sh 13.5 brings a ptxas that has them"
    fi
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
