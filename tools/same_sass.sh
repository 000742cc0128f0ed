#!/bin/sh
# same_sass.sh - did a change of the headers change machine code? SASS of every kernel at a revision and in the working
# tree, compared.
#     make same-sass BASE=HEAD~3                        or: sh tools/same_sass.sh HEAD~3 build/same_sass
#     make same-sass BASE=main ONLY="gemm|2[0-2]_"      only sources whose path matches (grep -E)
#     make same-sass BASE=main TARGETS="90a"            80 and 90a unless named
# Needs nvdisasm of the CUDA toolkit: in PATH, beside nvcc, named by NVDISASM=, or laid under build/same_sass/tools.
#
# Sources: the examples, bench/gemm_kernels.cu, bench/attention.cu, tests/gemm_fuzz.cu, tests/attn_fuzz.cu, compiled as
# check_ptx.sh does. One line a kernel:
#     target  source  kernel  before  after  diff  masked  registers  verdict
# before, after: instructions. diff: differing lines, those of both sides counted. masked: the same with the places of
# parameters in constant memory (c[0x0][...] from the first parameter on) left out of sight. Verdicts:
#     same      instruction for instruction, operand for operand; registers, stack and spills too
#     params    differs in places of parameters alone: a parameter struct has changed
#     DIFFERS   otherwise; the diff lies in build/same_sass/diff/
#     new, gone the kernel is on one side only
#     FAILS     the source does not compile, on the side that is named; its log is named too
# Addresses are dropped, labels numbered anew in each kernel, kernels known by their plain names: a function that moved,
# a renamed parameter struct or a static kernel's mangling make no difference. In `diff` labels count as alike.
# Exit: 0 if every kernel is same, params or new. What BASE gave is kept in build/same_sass/<sha>/, and what the working
# tree gave until a source or a header changes.
LC_ALL=C
export LC_ALL
nvcc=${NVCC:-nvcc}
targets=${TARGETS:-80 90a}
jobs=${JOBS:-2}

key() { echo "$2_$1" | sed 's/\.cu_/_/; s,/,_,g'; } # key ARCH SOURCE

# normalise OUT_DIR: the output of nvdisasm -c to one file a kernel, OUT_DIR/<plain name>.sass
normalise() {
    awk -v dir="$1" '
    function plain(s,    n) { # _Z13gemm_sm80_any19tc_gemm_sm80_params, _ZN..._INTERNAL_...13name..., name
        if (s !~ /^_Z/) return s
        sub(/^_ZN?L?/, "", s)
        while (match(s, /^[0-9]+/)) {
            n = substr(s, 1, RLENGTH) + 0
            rest = substr(s, RLENGTH + 1 + n)
            s = substr(s, RLENGTH + 1, n)
            if (s !~ /_INTERNAL_|_GLOBAL__N/) return s
            s = rest
            sub(/^L/, "", s)
        }
        return s
    }
    function put(    i, file) {
        if (name == "") return
        file = plain(name)
        if (seen[file]++) file = file "-" seen[file]
        file = dir "/" file ".sass"
        for (i = 0; i < lines; i++) {
            text = line[i]
            out = ""
            while (match(text, /\.L_x?_?[0-9]+/)) {
                label = substr(text, RSTART, RLENGTH)
                out = out substr(text, 1, RSTART - 1) ".L" (label in number ? number[label] : "?")
                text = substr(text, RSTART + RLENGTH)
            }
            print out text > file
        }
        close(file)
    }
    /^\.text\./ {
        put()
        name = substr($0, 7)
        sub(/:.*/, "", name)
        lines = labels = 0
        split("", number)
        next
    }
    /^\.L_[x0-9_]*:/ { sub(/:.*/, ""); number[$0] = labels++; line[lines++] = $0 ":"; next }
    /^ *\/\*[0-9a-f]+\*\// {
        sub(/^ *\/\*[0-9a-f]+\*\/ */, "")
        sub(/ *;.*/, "")
        gsub(/[ \t]+/, " ")
        while ((at = index($0, name)) > 0 && name != plain(name))
            $0 = substr($0, 1, at - 1) plain(name) substr($0, at + length(name))
        gsub(/_INTERNAL_[0-9a-f]+_[0-9]+_/, "_INTERNAL_")
        line[lines++] = $0
    }
    END { put() }'
}

# resources OUT_DIR: what ptxas -v said of each kernel, to OUT_DIR/<plain name>.info
resources() {
    awk -v dir="$1" '
    /Compiling entry function/ {
        name = $0
        sub(/.*function ./, "", name)
        sub(/. for .*/, "", name)
        if (name ~ /^_Z/) {
            match(name, /[0-9]+/)
            n = substr(name, RSTART, RLENGTH) + 0
            name = substr(name, RSTART + RLENGTH, n)
        }
    }
    /stack frame/ { sub(/^ */, ""); stack = $0 }
    /Used [0-9]+ registers/ {
        match($0, /[0-9]+ registers(, used [0-9]+ barriers)?/)
        print substr($0, RSTART, RLENGTH) (stack ~ /[1-9]/ ? ", " stack : "") > (dir "/" name ".info")
        close(dir "/" name ".info")
        stack = ""
    }'
}

# one TREE OUT ARCH SOURCE: OUT/<key>/ gets the kernels of a source, or OUT/<key>.log what the compiler said
if [ "$1" = one ]; then
    tree=$2 out=$3/$(key "$4" "$5") arch=$4 source=$5
    [ -f "$tree/$source" ] || { rm -rf "$out" "$out.log"; exit 0; }
    stamp=$(cd "$tree" && cat tc*.h "$source" "${source%/*}"/*.h bench/*.h 2>/dev/null | cksum)
    [ -f "$out/stamp" ] && [ "$(cat "$out/stamp")" = "$stamp" ] && exit 0
    rm -rf "$out" "$out.log"
    mkdir -p "$out"
    echo "  $arch $source" >&2
    if (cd "$tree" && "$nvcc" -std=c++17 -O3 -I. -DFUZZ_BARE -DFUZZ_ALL -gencode "arch=compute_$arch,code=sm_$arch" \
        -Xptxas -v -cubin "$source" -o "$out.cubin") 2> "$out.log" \
        && "$NVDISASM" -c "$out.cubin" > "$out.nvdisasm" 2>> "$out.log"; then
        normalise "$out" < "$out.nvdisasm"
        resources "$out" < "$out.log"
        echo "$stamp" > "$out/stamp"
        rm -f "$out.log"
    else
        rm -rf "$out"
    fi
    rm -f "$out.cubin" "$out.nvdisasm"
    exit 0
fi

base=$1 work=${2:-build/same_sass}
[ -n "$base" ] || { echo "same_sass: which revision? make same-sass BASE=HEAD"; exit 2; }
sha=$(git rev-parse --verify --quiet "$base^{commit}") || { echo "same_sass: git knows no revision $base"; exit 2; }
mkdir -p "$work"
work=$(cd "$work" && pwd)

for tool in "$NVDISASM" "$(command -v nvdisasm)" "$(dirname "$(command -v "$nvcc")")/nvdisasm" "$work"/tools/nvdisasm \
    "$work"/tools/nvidia/*/bin/nvdisasm; do
    [ -n "$tool" ] && [ -x "$tool" ] && break
    tool=
done
if [ -z "$tool" ]; then
    echo "same_sass: no nvdisasm in PATH or beside nvcc. It belongs to the CUDA toolkit; its wheel will do too:"
    echo "    python3 -m pip install --no-deps --target $work/tools nvidia-cuda-nvdisasm"
    exit 2
fi
export NVDISASM="$tool" NVCC="$nvcc"

# another compiler or another way to normalise: begin anew
made_by="$("$nvcc" --version | tail -n 2 | cksum) $("$tool" --version | cksum) $(cksum < "$0")"
[ "$(cat "$work/made_by" 2>/dev/null)" = "$made_by" ] || rm -rf "$work"/[0-9a-f]*[0-9a-f] "$work/after"
echo "$made_by" > "$work/made_by"
mkdir -p "$work/$sha" "$work/after"

tree=$work/tree.$$
trap 'rm -rf "$tree" "$work/jobs" "$work/list" "$work/masked_a" "$work/masked_b"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$tree"
git archive "$sha" | tar -x -C "$tree"

for top in . "$tree"; do
    (cd "$top" && ls tests/attn_fuzz.cu bench/attention.cu tests/gemm_fuzz.cu bench/gemm_kernels.cu examples/*.cu \
        2> /dev/null)
done | awk '!seen[$0]++' | {
    if [ -n "$ONLY" ]; then grep -E -- "$ONLY"; else cat; fi
} | while read -r source; do
    for arch in $targets; do
        case $source:$arch in
            *sm90*:[18]*) continue ;; # sm_90a kernels only
            # stubs, and what stands for sm_80 already
            tests/gemm_fuzz.cu:[18]* | tests/attn_fuzz.cu:1*) [ "$arch" = 80 ] || continue ;;
        esac
        echo "$arch $source"
    done
done > "$work/list"
[ -s "$work/list" ] || { echo "same_sass: no source matches ONLY=\"$ONLY\""; exit 2; }

while read -r arch source; do
    k=$(key "$arch" "$source")
    [ -f "$work/$sha/$k/stamp" ] || [ -f "$work/$sha/$k.log" ] || echo "$tree $work/$sha $arch $source"
    echo . "$work/after" "$arch" "$source"
done < "$work/list" > "$work/jobs"
xargs -P "$jobs" -n 4 sh "$0" one < "$work/jobs"

# ---- compare ----
mask() { # mask ARCH: places of parameters out of sight
    awk -v first="$(case $1 in 7* | 8*) echo 160 ;; 9*) echo 210 ;; *) echo 380 ;; esac)" '{
        out = ""
        while (match($0, /c\[0x0\]\[[^]]*\]/)) {
            text = substr($0, RSTART, RLENGTH)
            at = text
            sub(/.*0x/, "", at)
            sub(/\]$/, "", at)
            if (length(at) > 3 || (length(at) == 3 && at >= first "")) sub(/0x[0-9a-f]*\]$/, "param]", text)
            out = out substr($0, 1, RSTART - 1) text
            $0 = substr($0, RSTART + RLENGTH)
        }
        print out $0
    }'
}
unlabelled() { sed 's/\.L[0-9?][0-9]*/.L/'; }
instructions() { grep -cv ':$' "$1"; }
differing() { diff "$1" "$2" | grep -c '^[<>]'; } # files

rm -rf "$work/diff"
mkdir -p "$work/diff"
row='%-5s %-34s %-28s %7s %7s %7s %7s %11s  %s\n'
# shellcheck disable=SC2059
printf "$row" target source kernel before after diff masked registers verdict
while read -r arch source; do
    k=$(key "$arch" "$source")
    a=$work/$sha/$k b=$work/after/$k
    for side in "$a" "$b"; do
        if [ -f "$side.log" ]; then
            where=after
            [ "$side" = "$a" ] && where=before
            # shellcheck disable=SC2059
            printf "$row" "$arch" "$source" - - - - - - "FAILS $where: $side.log"
        fi
    done
    [ -f "$a.log" ] || [ -f "$b.log" ] && continue
    for kernel in $( (ls "$a" "$b" 2>/dev/null) | sed -n 's/\.sass$//p' | sort -u); do
        x=$a/$kernel.sass y=$b/$kernel.sass before=- after=- diff=- masked=- registers=- verdict=
        [ -f "$x" ] && before=$(instructions "$x") && registers=$(cut -d ' ' -f 1 "$a/$kernel.info")
        [ -f "$y" ] && after=$(instructions "$y") && registers=$(cut -d ' ' -f 1 "$b/$kernel.info")
        if [ ! -f "$x" ]; then
            verdict=new
        elif [ ! -f "$y" ]; then
            verdict=gone
        elif cmp -s "$x" "$y" && cmp -s "$a/$kernel.info" "$b/$kernel.info"; then
            verdict=same diff=0 masked=0
        else
            verdict=DIFFERS
            unlabelled < "$x" > "$work/masked_a"
            unlabelled < "$y" > "$work/masked_b"
            diff=$(differing "$work/masked_a" "$work/masked_b")
            [ "$diff" -gt 0 ] || diff=$(differing "$x" "$y")
            mask "$arch" < "$x" > "$work/masked_a"
            mask "$arch" < "$y" > "$work/masked_b"
            if cmp -s "$work/masked_a" "$work/masked_b"; then
                masked=0
                cmp -s "$a/$kernel.info" "$b/$kernel.info" && verdict=params
            else
                mask "$arch" < "$x" | unlabelled > "$work/masked_a"
                mask "$arch" < "$y" | unlabelled > "$work/masked_b"
                masked=$(differing "$work/masked_a" "$work/masked_b")
            fi
            old=$(cut -d ' ' -f 1 "$a/$kernel.info") new=$(cut -d ' ' -f 1 "$b/$kernel.info")
            [ "$old" = "$new" ] || registers="$old>$new"
            { diff -u "$a/$kernel.info" "$b/$kernel.info"; diff -u "$x" "$y"; } > "$work/diff/${k}_$kernel.diff"
        fi
        # shellcheck disable=SC2059
        printf "$row" "$arch" "$source" "$kernel" "$before" "$after" "$diff" "$masked" "$registers" "$verdict"
    done
done < "$work/list" | awk '
    { print; count[$9]++; before[$9] += $4; after[$9] += $5 }
    END {
        printf "%d kernels: %d same, %d params, %d differ, %d new, %d gone; %d compilations failed",
            NR - count["FAILS"], count["same"], count["params"],
            count["DIFFERS"], count["new"], count["gone"], count["FAILS"]
        if (count["DIFFERS"])
            printf "; those that differ: %d instructions before, %d after", before["DIFFERS"], after["DIFFERS"]
        print ""
        exit count["DIFFERS"] + count["gone"] + count["FAILS"] > 0
    }'
