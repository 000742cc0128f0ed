#!/bin/sh
# wrong_target.sh - rows of tests/isa/variants.tsv that have a ninth column, put to ptxas for targets that the table
# gives them, which it must take, and for others, which it must refuse. Needs no GPU; of the toolkit ptxas alone.
#     tests/wrong_target.sh [directory to write to, default build/tests/wrong_target]
# Variables: TOOLKIT (13.5: in build/toolkits, where tests/toolkits.sh puts it), SAMPLE (every 7th variant). Ends with
# "N passed, N failed, N skipped" (variants).
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/wrong_target}
ptxas=$root/build/toolkits/${TOOLKIT:-13.5}/bin/ptxas
if [ ! -x "$ptxas" ]; then
    echo "SKIP wrong targets: no toolkit in build/toolkits: tests/toolkits.sh ${TOOLKIT:-13.5}"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
mkdir -p "$out" || exit 1
ptx=$("$ptxas" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\),.*/\1 \2/p' | awk '{ print $1 - 4 "." $2 }')
passed=0 failed=0
for a in 75 80 90 90a 100 100f 100a 103a 107 107f 107a 110f 120f 120a 121a; do
    for wrong in 0 1; do
        f=$out/$a.$wrong
        awk -v arch=$a -v ptx="$ptx" -v wrong=$wrong -v sample="${SAMPLE:-7}" -f "$root/tests/wrong_target.awk" \
            "$root/tests/isa/variants.tsv" > "$f.ptx"
        "$ptxas" -arch=sm_$a -o "$f.cubin" "$f.ptx" > "$f.log" 2>&1
        awk -v wrong=$wrong -v a=$a '
            FILENAME ~ /\.log$/ {
                if (match($0, /line [0-9]+; (error|fatal)/)) {
                    split(substr($0, RSTART + 5), w, ";")
                    bad[w[1] + 0] = $0
                }
                next
            }
            /^\/\/ first/ { on = 1; next }
            /^ret;/ { on = 0 }
            on {
                if ((FNR in bad) == wrong) good++
                else if (++no <= 3) print "FAIL sm_" a (wrong ? " takes " : " refuses ") substr($0, 1, 150) \
                    (FNR in bad ? ": " substr(bad[FNR], 1, 200) : "")
            }
            END { print good + 0, no + 0 }' "$f.log" "$f.ptx" > "$f.sum"
        sed '$d' "$f.sum"
        set -- $(tail -n 1 "$f.sum")
        passed=$((passed + $1)) failed=$((failed + $2))
        # no line of its own: an error of the whole
        if [ $wrong = 0 ] && [ "$2" = 0 ] && grep -q 'fatal' "$f.log"; then
            echo "FAIL sm_$a: $(grep -m 1 -E 'rror|fatal' "$f.log" | cut -c1-200)"
            failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
