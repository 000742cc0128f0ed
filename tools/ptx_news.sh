#!/bin/sh
# ptx_news.sh - words that a new ptxas knows and tests/isa/variants.tsv does not have: where to begin when a toolkit
# comes out. A program holds the words of its grammar as text; what stands in the new one, not in the old one and in no
# mnemonic of the table is news, or a directive, or an option.
#     tools/ptx_news.sh NEW_PTXAS [OLD_PTXAS]       as build/toolkits/13.5/bin/ptxas (tests/toolkits.sh brings it)
# Without OLD_PTXAS every word that the table lacks: many are older and outside of what the table is about. Each word is
# put to NEW_PTXAS as a modifier of ld: what it calls an unknown modifier is only counted.
new=$1 old=$2
root=$(cd "$(dirname "$0")/.." && pwd)
[ -x "$new" ] || { echo "usage: tools/ptx_news.sh NEW_PTXAS [OLD_PTXAS]"; exit 2; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
words() { # .modifier::words and instruction names with dots
    LC_ALL=C strings -n 3 "$1" |
        grep -E '^\.[a-zA-Z][A-Za-z0-9_]*(::[A-Za-z0-9_]+)*$|^[a-z][a-z0-9_]+(\.[a-z][a-z0-9_:]*)+$' |
        grep -vE '^\.(text|data|bss|nv|rel|debug|sym|str|shstr|note|section|rodata|init|fini|dyn|got|plt|eh|gnu)' |
        sort -u
}
awk -F '\t' '!/^#/ {
    s = $5
    gsub(/[{}]/, ",", s)
    n = split(s, w, /[.,]+/)
    for (i = 1; i <= n; i++) if (w[i] != "") print "." w[i]
}' "$root/tests/isa/variants.tsv" | sort -u > "$tmp/table"
words "$new" > "$tmp/new"
if [ -n "$old" ]; then words "$old" > "$tmp/old"; else : > "$tmp/old"; fi
comm -23 "$tmp/new" "$tmp/old" | comm -23 - "$tmp/table" > "$tmp/news"
ptx=$("$new" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\),.*/\1 \2/p' | awk '{ print $1 - 4 "." $2 }')
while read -r word; do
    case $word in
    .*)
        printf '.version %s\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n' "$ptx" > "$tmp/k.ptx"
        printf '.reg .b32 %%r<4>; .reg .b64 %%l<4>;\nld.global%s.b32 %%r0, [%%l0];\nret;\n}\n' "$word" >> "$tmp/k.ptx"
        say=known
        "$new" -arch=sm_90a -o "$tmp/k.cubin" "$tmp/k.ptx" 2>&1 | grep -qi unknown && say=unknown
        echo "$say $word" ;;
    *) echo "name $word" ;;
    esac
done < "$tmp/news" | sort > "$tmp/said"
grep -v '^unknown' "$tmp/said"
echo "$(grep -c '^known' "$tmp/said") modifiers, $(grep -c '^name' "$tmp/said") names (of instructions or not)," \
    "$(grep -c '^unknown' "$tmp/said") words that are no modifier"
