#!/bin/sh
# registers.sh - what ptxas makes of the kernels of the examples: registers, spilled bytes, stack and static shared
# memory of each kernel for each target, a column for each toolkit. Needs no GPU.
#     tools/registers.sh NVCC... > build/registers.md         as nvcc build/toolkits/13.5/bin/nvcc
# Each example is compiled for each target by each toolkit, which takes half an hour; what has been compiled lies in
# build/registers, and is compiled again only where a header or the example is newer. Variables: JOBS (2), ONLY, a
# pattern of examples. Kernels of at most 10 registers are stubs, for a target that is not theirs, and left out.
# Exits with 1 where a kernel has a stack frame, spills, or has its wgmma serialised (C75xx), with any of them.
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
work=build/registers
if [ "$1" = one ]; then # one NVCC VERSION TARGET SOURCE
    to=$work/$3/$4_$(basename "$5" .cu)
    [ -s "$to" ] && [ -z "$(find tc*.h examples/*.h "$5" -newer "$to")" ] && exit
    # shellcheck disable=SC2086
    if "$2" -std=c++17 -O3 -I. -gencode "arch=compute_$4,code=sm_$4" -cubin -Xptxas -v -o "$to.cubin" "$5" \
        > "$to.log" 2>&1; then mv "$to.log" "$to"
    else echo "registers.sh: $5 for sm_$4 with $3: $(grep -m 1 error "$to.log")" >&2; fi
    rm -f "$to.cubin"
    exit
fi
[ $# -gt 0 ] || { echo "usage: tools/registers.sh NVCC... > build/registers.md" >&2; exit 2; }

# the chips of each kernel, as tests/check_ptx.sh has them; sm_107a where the toolkit knows it
mkdir -p "$work" || exit 1
versions=
for nvcc in "$@"; do
    version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
    [ -n "$version" ] || { echo "registers.sh: $nvcc does not run" >&2; exit 2; }
    versions="$versions $version"
    mkdir -p "$work/$version"
    known=$("$nvcc" --list-gpu-arch)
    for source in examples/*.cu; do
        name=$(basename "$source")
        # shellcheck disable=SC2254
        case $name in ${ONLY:-*}) ;; *) continue ;; esac
        case $name in
        36*) targets="120a" ;;
        3*) targets="100a 103a 107a" ;;
        *sm90*) targets=90a ;;
        *) targets="80 90a 120" ;;
        esac
        for t in $targets; do
            case $known in *"compute_$(echo "$t" | tr -d a)"*) echo "one $nvcc $version $t $source" ;; esac
        done
    done
done > "$work/list"
xargs -P "${JOBS:-2}" -n 5 sh "$0" < "$work/list"

cat <<'TEXT'
# Registers of the examples' kernels

Written by `tools/registers.sh` (`make registers`), which says how. A row for each kernel and target; a column for each
toolkit: registers a thread, then, where there are any, bytes spilled and stack. Static shared memory only: what a
generator's kernel asks for at launch is not in it.

TEXT
{
    for version in $versions; do
        for file in "$work/$version"/*; do
            case $file in *.log | *.cubin) continue ;; esac
            # shellcheck disable=SC2254
            example=${file##*/}
            target=${example%%_*} example=${example#*_}
            # shellcheck disable=SC2254
            case $example.cu in ${ONLY:-*}) ;; *) continue ;; esac
            awk -v version="$version" -v target="$target" -v example="$example" '
                function plain(s) { # _Z13use_gemm_wide17params: use_gemm_wide
                    if (match(s, /^_ZL?[0-9]+/)) {
                        n = substr(s, 1, RLENGTH); rest = substr(s, RLENGTH + 1)
                        gsub(/[^0-9]/, "", n)
                        return substr(rest, 1, n)
                    }
                    return s
                }
                /C75[0-9][0-9]/ { note[kernel] = note[kernel] ", serialised" }
                /Compiling entry function/ { split($0, q, "\047"); kernel = plain(q[2]) }
                /bytes stack frame/ { stack[kernel] = $1; spill[kernel] = $5 + $9 }
                /Used [0-9]+ registers/ {
                    match($0, /Used [0-9]+/); r = substr($0, RSTART + 5, RLENGTH - 5) + 0
                    smem = match($0, /[0-9]+ bytes smem/) ? substr($0, RSTART, RLENGTH - 11) : 0
                    if (r <= 10) next
                    text = r (spill[kernel] ? ", spills " spill[kernel] : "") note[kernel]
                    if (stack[kernel]) text = text ", stack " stack[kernel]
                    print example "\t" kernel "\t" target "\t" version "\t" text "\t" smem
                }' "$file"
        done
    done
} | sort -t "$(printf '\t')" -k1,1 -k3,3 -k2,2 -k4,4 > "$work/rows"
awk -F '\t' -v versions="$versions" '
    BEGIN {
        n = split(versions, v, " ")
        head = "| example | kernel | target |"; line = "|---|---|---|"
        for (i = 1; i <= n; i++) { head = head " CUDA " v[i] " |"; line = line "--:|" }
        print head " static shared memory |"; print line "--:|"
    }
    {
        key = $1 "\t" $2 "\t" $3
        if (!(key in seen)) { seen[key] = 1; order[++k] = key }
        of[key "\t" $4] = $5; smem[key] = $6
    }
    END {
        for (j = 1; j <= k; j++) {
            split(order[j], part, "\t")
            row = "| " part[1] " | " part[2] " | sm_" part[3] " |"
            for (i = 1; i <= n; i++) row = row " " (((order[j] "\t" v[i]) in of) ? of[order[j] "\t" v[i]] : "-") " |"
            print row " " smem[order[j]] " |"
        }
    }' "$work/rows"
bad=$(cut -f 5 "$work/rows" | grep -cE 'spills|stack|serialised')
echo "registers.sh: $(wc -l < "$work/rows") rows, $bad with a stack, spills or serialised wgmma" >&2
[ "$bad" -eq 0 ]
