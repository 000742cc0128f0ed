#!/bin/sh
# check_ptx.sh - what the compiler made of every shipped kernel: no stack frame, no spill, no call, no .local, no note
# of ptxas that wgmma was serialised (C75xx), and on sm_90 no instruction that ptxas 13.0 gets wrong. Kernels of the
# examples and the tests, for each target; Blackwell's chips, which run the kernels of sm_80, have one PTX between them.
# SHIPPED=1, as make test has it: the examples, which hold what every generator makes of a user's few words, and the
# shipped hooks in the widest tiles of sm_90a, the tests' kernels of sm_107a; without the tests' many configurations,
# for Blackwell's chips of the kernels of sm_80 a GEMM and attention alone, and without the examples whose kernels of
# sm_80 others have too. Where make built for tcemu an example but 22 has one tile of TC_GEMM_DEFINE's lists.
# usage: tests/check_ptx.sh WORK_DIR [BUILD_DIR]
# nvcc's front end is most of the work, and make has done it already: with a BUILD_DIR the PTX is taken out of a
# program there that is newer than its source and was built with the same flags; what is not there is compiled.
# Of sm_107a by TOOLKIT (13.5) in build/toolkits (tests/toolkits.sh) where NVCC has no such target; else skipped.
# Variables: NVCC (nvcc), PTXAS (beside NVCC), JOBS (2), SHIPPED, TOOLKIT, SOURCES (another list: a line
# TARGET[,TARGET] SOURCE each). A line for each source and target when it is done; ends with "N passed, N failed".
dir=${1:-build/check_ptx} build=$2
nvcc=${NVCC:-nvcc}
ptxas=${PTXAS:-$(dirname "$(command -v "$nvcc" || echo /usr/local/cuda/bin/nvcc)")/ptxas}

built() { # built SOURCE: the program that make built of it as it is now, with the flags that count here
    # make builds these with some of their kernels; and ptxas takes longer over their counting hooks than nvcc over the
    # bare ones, and one kernel spills for them
    case $1 in tests/attn_fuzz.cu | tests/attn_sm120*.cu | tests/gemm_fuzz.cu | tests/gemm_types.cu) return 1 ;; esac
    case $1 in tests/* | examples/*) ;; *) return 1 ;; esac
    # those for tcemu have some of the kernels (SOME_KERNELS and ONE_TILE in the Makefile)
    [ -n "$SHIPPED" ] || ! grep -q -e '-Xcompiler -O1' "$build/nvccflags" 2> /dev/null || return 1
    program=$build/${1%.cu}
    [ -n "$build" ] && [ -x "$program" ] && [ -x "$build/tests/ptx_of" ] || return 1
    newer=$(find tc*.h examples/*.h tests/*.h tests/gemm_fuzz.cu "$1" "$build/nvccflags" -newer "$program") || return 1
    # -Xcompiler -O1 is the host's: without -O3 nvcc does the same to kernels
    no_matter='-gencode [^ ]+|-lineinfo|-I\.|-isystem [^ ]+|-cudart shared|--no-compress|-std=c\+\+17'
    no_matter="$no_matter|-Xcompiler -O1( |\$)|-O3( |\$)"
    flags=$(head -n 1 "$build/nvccflags" | sed -E "s/$no_matter//g; s/ +/ /g; s/^ | \$//g")
    [ -z "$newer" ] && [ -z "$flags" ]
}

# ptxas 13.0 answers "is a number that is clamped to 0 .. C equal to C" from the predicate of VIMNMX.RELU, which on
# sm_90 says that nothing was clamped: such an instruction, of 16 bytes, with a predicate that is not PT
clamped() { # clamped CUBIN
    od -An -v -tx4 -w16 "$1" | awk '
        $1 ~ /(848|248|c48)$/ && $3 ~ /1100$/ && $3 !~ /^..[7f][ef]/ && $4 ~ /^00....00$/ { n++ }
        END { if (n) print n " VIMNMX.RELU with a predicate, which ptxas 13.0 takes for another (docs/design.md)" }'
}

assemble() { # assemble TARGET[,TARGET] SOURCE: $ptx for each of them; bad: what is wrong with it, or nothing
    : > "$log"
    for a in $(echo "$1" | tr , ' '); do
        "$ptxas" -v -arch="sm_$a" -o "$ptx.cubin" "$ptx" >> "$log" 2>&1 || {
            bad="ptxas refuses it for sm_$a: $(grep -m 1 -E "error|fatal" "$log")"
            return
        }
        bad=$(case $a in 90*) clamped "$ptx.cubin" ;; esac)
        [ -z "$bad" ] || return
    done
    bad=$(
        grep -E 'C75[0-9][0-9]|[1-9][0-9]* bytes (stack frame|spill)' "$log" | head -n 2
        grep -hE '^[[:space:]]*call|\.local' "$ptx" | grep -v vprintf | head -n 1
    )
    count=$(grep -c 'Compiling entry' "$log")
    [ "$count" -gt 0 ] || bad="no kernel in it"
}

check() { # check TARGET[,TARGET] SOURCE: PTX of the first for each of them -> one line "ok ..." or "FAIL ..."
    ptx=$dir/$(echo "${2%.cu}" | tr / _)_${1%%,*}.ptx # nvcc takes no comma in a name
    log=${ptx%.ptx}.log from="as built"
    case $1 in 107a) nvcc=$NEWER ptxas=${NEWER%nvcc}ptxas ;; esac
    began=$(date +%s)
    if built "$2" && "$build/tests/ptx_of" "$program" "${1%%,*}" > "$ptx"; then assemble "$1"; else bad=none; fi
    # a test's hooks count their calls: what that costs is no matter, and the bare form has the last word
    case $2:$bad in tests/*:?* | *:none)
        from=compiled
        # shellcheck disable=SC2086
        if "$nvcc" -std=c++17 -O3 -I. $kernels -gencode "arch=compute_${1%%,*},code=compute_${1%%,*}" \
            -ptx -o "$ptx" "$2" 2> "$log"; then assemble "$1"
        else bad="does not compile: $(grep -m 1 error "$log")"; fi ;;
    esac
    rm -f "$ptx" "$ptx.cubin"
    if [ -n "$bad" ]; then
        echo "FAIL $2 sm_$1, $from: $(echo "$bad" | tr '\n' ' ')"
    else
        echo "ok $2 sm_$1, $from ($count kernels, $(($(date +%s) - began)) s)"
    fi
}

kernels="-DFUZZ_BARE -DFUZZ_ALL"
[ -z "$SHIPPED" ] || kernels="$kernels -DWIDEST"
if [ "$3" = one ]; then
    check "$4" "$5"
    exit
fi
mkdir -p "$dir" || exit 1
rm -f "$dir/list107"
skipped=0
NEWER=$(command -v "$nvcc")
"$nvcc" --list-gpu-arch | grep -q _107 || NEWER=$PWD/build/toolkits/${TOOLKIT:-13.5}/bin/nvcc
if [ -n "$SOURCES" ]; then :; elif [ -x "$NEWER" ]; then
    for source in tests/gemm_sm107.cu tests/attn_sm107.cu examples/35_*.cu examples/3[0-4]*.cu; do
        case $SHIPPED:$source in ?*:examples/3[0-4]*) ;; *) echo "107a $source" ;; esac
    done > "$dir/list107"
else
    skipped=1
    echo "SKIP kernels of sm_107a: tests/toolkits.sh 13.5 brings a compiler"
fi
export NEWER
targets="90a 80 100,120 100a 120f,120a,121a"
for source in tests/epilogues.cu tests/attn_bwd.cu tests/attn_fuzz.cu tests/gemm_fuzz.cu tests/gemm_types.cu \
    tests/gemm_f32.cu tests/gemm_each.cu tests/attn_fp8.cu tests/attn_mla.cu tests/gemm_bits.cu \
    tests/gemm_sm100.cu tests/attn_sm100.cu tests/gemm_sparse_sm100.cu tests/gemm_groups_sm100.cu \
    tests/gemm_mix_sm100.cu tests/gemm_mixed_sm80.cu tests/gemm_mixed_sm100.cu tests/gemm_sm120.cu \
    tests/gemm_groups_sm120.cu tests/gemm_gate_sm100.cu tests/gemm_gate_sm120.cu \
    tests/gemm_sparse_sm120.cu \
    tests/attn_sm120.cu \
    examples/*.cu; do
    [ -z "$SOURCES" ] || break
    for arch in $targets; do
        # 22 has their kernels, or 12, 26, 42 and 54
        case $SHIPPED:$source:$arch in
            ?*:examples/02_*:80 | ?*:examples/2[348]_*:80 | ?*:examples/4[37]_*:80) continue ;;
            ?*:examples/5[12567]_*:80) continue ;;
        esac
        case $source:$arch in
            # the sm_120 family's, with what its a and f targets have
            examples/36_*:120f*) ;;
            tests/*_sm120.cu:120f*) [ -z "$SHIPPED" ] || continue ;;
            tests/*_sm120.cu:* | examples/36_*:* | *:120f*) continue ;;
            # sm_90a kernels only, or among others
            tests/*_sm100.cu:[89]* | tests/*_sm100.cu:*,*) continue ;;
            tests/epilogues.cu:90a | tests/attn_mla.cu:90a | examples/[24]2*:100,120) ;;
            tests/* | *:100,120 | examples/3*:[89]*) [ -z "$SHIPPED" ] || continue ;;
        esac
        case $source:$arch in
            *:120f*) ;;
            *sm90*:80 | *sm90*:1* | tests/gemm_fuzz.cu:[18]*) continue ;;
            tests/attn_fuzz.cu:1* | tests/attn_bwd.cu:1* | tests/attn_fp8.cu:[18]* | tests/attn_mla.cu:[18]*)
                continue ;;
            # and those of the a targets
            examples/3*:100a | tests/*_sm100.cu:100a) ;;
            examples/3*:100,120 | examples/3[2-9]*:* | *:100a) continue ;;
        esac
        echo "$arch $source"
    done
done > "$dir/list"
[ -n "$SOURCES$SHIPPED" ] || echo "120,121 tests/attn_sm120_plain.cu" >> "$dir/list"
[ ! -f "$dir/list107" ] || cat "$dir/list107" >> "$dir/list"
[ -z "$SOURCES" ] || echo "$SOURCES" > "$dir/list"
all=$(wc -l < "$dir/list")
echo "check-ptx: $all compilations, the longest first, a line for each"
NVCC=$nvcc PTXAS=$ptxas xargs -P "${JOBS:-2}" -n 2 sh "$0" "$dir" "$build" one < "$dir/list" | tee "$dir/result"
passed=$(grep -c ^ok "$dir/result")
failed=$((all - passed)) silent=$((all - $(grep -cE '^(ok|FAIL) ' "$dir/result")))
[ $silent -eq 0 ] || echo "FAIL $silent compilations came to no end"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
