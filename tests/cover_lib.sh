# cover_lib.sh - what tests/cover_warp.sh, cover_async.sh and cover_tcgen05.sh share; they read it, alone it does
# nothing.
# A row of tests/isa/variants.tsv whose ninth column is newer PTX than nvcc writes is skipped and counted. Where the
# toolkit that has it lies in build/toolkits (tests/toolkits.sh 13.5 brings it), the script runs itself once more with
# that one, over these rows alone. Variables:
#     TOOLKIT   that toolkit's version, default 13.5; none: leave it
#     SAMPLE    of rows with a ninth column every SAMPLE-th variant, default 97 (a prime, so that it meets all of a
#               list's alternatives), and in the second run on a few targets; 1: every one, on every target
#     FRESH     (set for the second run) rows newer than this PTX alone, as 90 for 9.0
#     EVERY     1: on every target, as make isa has it; else on a few that have each row between them

# The PTX that a toolkit writes: 90 for 9.0
cover_ptx() {
    "$1" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\),.*/\1 \2/p' |
        awk '{ print ($1 - 4) * 10 + $2 - ($1 < 13 && $2 > 5) }'
}

# cover_begin FAMILIES: what awk is told of the rows; FAMILIES a regular expression of the second column
cover_begin() {
    families=$1
    toolkit=$(cover_ptx "$NVCC")
    known=" $("$NVCC" --list-gpu-arch | sed 's/compute_//' | tr '\n' ' ') "
    rows="-v toolkit=$toolkit -v fresh=$FRESH -v sample=${SAMPLE:-97}"
    nvcc_ptx= # what a row needs of nvcc that its own look at the PTX refuses: a directive that is put in afterwards
    "$NVCC" --help | grep -q skip-ptx-semantics-check && nvcc_ptx=--skip-ptx-semantics-check
    [ -z "$FRESH" ] && nvcc_ptx=
    export rows nvcc_ptx
}

# The targets of TRY that nvcc has; of a second run by samples those of SOME, of a first one without EVERY those of FEW
cover_targets() { # cover_targets TRY SOME FEW
    try=$1
    [ -n "$FRESH" ] && [ "${SAMPLE:-97}" != 1 ] && try=$2
    [ -z "$FRESH" ] && [ -z "$EVERY" ] && try=$3
    for a in $try; do
        case "$known" in *" $(echo "$a" | tr -d af) "*) printf '%s ' "$a" ;; esac
    done
}

# %perctamemoryoffset exists only in an entry with a directive that CUDA C cannot write
cover_directive() { if grep -q '%perctamemory' "$1"; then sed -i 's/^)$/) .minperctamemory 64/' "$1"; fi; }

# The sum of the logs; then the newer toolkit's. MISSED: failures before them
cover_end() { # cover_end SCRIPT MISSED
    set -- "$1" "$2" $(cat "$out"/*.log | awk -v missed="$2" '
        /^[0-9]+ passed/ { p += $1; f += $3 } /^FAIL/ && /variants, not/ { f++ }
        END { print p + 0, f + missed }')
    passed=$3 failed=$4 skipped=0
    if [ -z "$FRESH" ]; then
        skipped=$(awk -F '\t' -v families="$families" -v toolkit="$toolkit" '
            !/^#/ && $2 ~ families && $9 * 10 > toolkit { n += $4 } END { print n + 0 }' \
            "$root/tests/isa/variants.tsv")
        newer=$root/build/toolkits/${TOOLKIT:-13.5}/bin/nvcc
        if [ "$skipped" -gt 0 ] && [ "$TOOLKIT" != none ] && [ -x "$newer" ]; then
            NVCC=$newer FRESH=$toolkit TARGETS= sh "$1" "$out/newer" > "$out/newer.txt" 2>&1
            sed '$d; s/^/newer: /' "$out/newer.txt"
            set -- $(tail -n 1 "$out/newer.txt" | tr -d ,)
            case $2 in
            passed) passed=$((passed + $1)) failed=$((failed + $3)) ;;
            *) failed=$((failed + 1)); echo "FAIL with $newer: $(tail -n 1 "$out/newer.txt")" ;;
            esac
            skipped=$((skipped - ${1:-0}))
            [ "$skipped" -ge 0 ] || skipped=0
            echo "SKIP of the rows newer than PTX ${toolkit%?}.${toolkit#?} those that SAMPLE leaves out"
        elif [ "$skipped" -gt 0 ]; then
            echo "SKIP rows newer than PTX ${toolkit%?}.${toolkit#?} ($NVCC): tests/toolkits.sh 13.5" \
                "brings a toolkit that has them"
        fi
    fi
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
