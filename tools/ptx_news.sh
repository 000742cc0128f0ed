#!/bin/sh
# ptx_news.sh - words that a new ptxas knows and tests/isa/variants.tsv does not have: where to begin when a toolkit
# comes out. A program holds the words of its grammar as text; what stands in the new one, not in the old one and in no
# mnemonic of the table is news, or a directive, or an option.
#     tools/ptx_news.sh NEW_PTXAS [OLD_PTXAS]       as build/toolkits/13.5/bin/ptxas (tests/toolkits.sh brings it)
# Without OLD_PTXAS every word that the table lacks: many are older and outside of what the table is about. A modifier
# is put to NEW_PTXAS behind ld, a name as an instruction: what it does not know is only counted, and so is a name whose
# words some row has, and what was looked at before and is no matter of the table: the list below, with the reason.
new=$1 old=$2
root=$(cd "$(dirname "$0")/.." && pwd)
[ -x "$new" ] || { echo "usage: tools/ptx_news.sh NEW_PTXAS [OLD_PTXAS]"; exit 2; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# WORD|why no row has it
cat > "$tmp/left" <<'LIST'
clmad.hi|arithmetic without carries, no matter of Tensor Cores
clmad.lo|the same
sured.p|surfaces
fabric.try_get.async.tensor|what its operands are no public document says: a row when one does
fabric.try_put.async.tensor|the same
fabric.try_red.async.tensor|the same
.loc_intermediate|a directive, of debuggers
.metadata_domain|a directive
.minperctamemory|a directive; its registers %perctamemory* are rows
.pragma|a directive
.oob|fma's, older than PTX 9.0
.matrix::A|a word of the grammar, of no instruction in a public document
.matrix::D|the same
.matrix::scaleA|the same
.matrix::scaleB|the same
.matrix::sparseMetadata|the same
.multicast|the same; .multicast::cluster and its kin are in the rows
.en|the same
LIST
words() { # .modifier::words and instruction names with dots
    LC_ALL=C strings -n 3 "$1" |
        grep -E '^\.[a-zA-Z][A-Za-z0-9_]*(::[A-Za-z0-9_]+)*$|^[a-z][a-z0-9_]+(\.[a-z][a-z0-9_:]*)+$' |
        grep -vE '^\.(text|data|bss|nv|rel|debug|sym|str|shstr|note|section|rodata|init|fini|dyn|got|plt|eh|gnu)' |
        sort -u
}
# the rows' words, {x,y,z} behind a :: too; and each row's, for names
awk -F '\t' -v names="$tmp/names" '!/^#/ {
    s = $5
    while (match(s, /::\{[^}]*\}/)) {
        n = split(substr(s, RSTART + 3, RLENGTH - 4), w, ",")
        head = substr(s, 1, RSTART - 1); tail = substr(s, RSTART + RLENGTH)
        sub(/.*[.,{]/, "", head)
        for (i = 1; i <= n; i++) print "." head "::" w[i]
        s = substr(s, 1, RSTART + 1) w[1] tail
    }
    gsub(/[{}]/, ",", s)
    n = split(s, w, /[.,]+/)
    line = ""
    for (i = 1; i <= n; i++) if (w[i] != "") { print "." w[i]; line = line "." w[i] }
    if (!(line in seen)) print line "." > names
    seen[line] = 1
}' "$root/tests/isa/variants.tsv" | sort -u > "$tmp/table"
words "$new" > "$tmp/new"
if [ -n "$old" ]; then words "$old" > "$tmp/old"; else : > "$tmp/old"; fi
comm -23 "$tmp/new" "$tmp/old" | comm -23 - "$tmp/table" > "$tmp/news"
ptx=$("$new" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\),.*/\1 \2/p' | awk '{ print $1 - 4 "." $2 }')
newest=sm_107a
while read -r word; do
    if cut -d '|' -f 1 "$tmp/left" | grep -qxF -e "$word"; then
        echo "left $word"
        continue
    fi
    case $word in
    .*) try="ld.global$word.b32 %r0, [%l0]" target=sm_90a kind=known ;;
    *)
        # a name of which a row has all words, in this order
        if grep -qE "^\.$(echo "$word" | sed 's/\./\\.([^ ]*\\.)?/g')\." "$tmp/names"; then
            echo "row $word"
            continue
        fi
        try=$word target=$newest kind=name ;;
    esac
    printf '.version %s\n.target %s\n.address_size 64\n.visible .entry k()\n{\n' "$ptx" $target > "$tmp/k.ptx"
    printf '.reg .b32 %%r<4>; .reg .b64 %%l<4>;\n%s;\nret;\n}\n' "$try" >> "$tmp/k.ptx"
    say=$kind
    "$new" -arch=$target -o "$tmp/k.cubin" "$tmp/k.ptx" 2>&1 | grep -qiE 'unknown|not a name|syntax error' &&
        say=unknown
    echo "$say $word"
done < "$tmp/news" | sort > "$tmp/said"
grep -E '^(known|name)' "$tmp/said"
echo "$(grep -c '^known' "$tmp/said") modifiers and $(grep -c '^name' "$tmp/said") names that no row has;" \
    "$(grep -c '^row' "$tmp/said") names that rows have, $(grep -c '^left' "$tmp/said") words left out with a reason," \
    "$(grep -c '^unknown' "$tmp/said") that are none of PTX"
