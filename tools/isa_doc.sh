#!/bin/sh
# isa_doc.sh - writes docs/isa.md from the headers and tests/isa/variants.tsv: which call is which PTX, from which
# target on.
#     tools/isa_doc.sh             writes docs/isa.md
#     tools/isa_doc.sh --check     says whether docs/isa.md is what it would write; ends with "N passed, N failed"
# Needs a C preprocessor (CC, default cc) and awk; no nvcc. What a macro stands for is learnt from tests/cover_*.awk,
# whose claims are tested.
root=$(cd "$(dirname "$0")/.." && pwd)
CC=${CC:-cc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
table=$root/tests/isa/variants.tsv
apart="tc_tma_more.h tc_multimem.h tc_fabric.h tc_spcompress.h" # what tc.h does not include

# the calls of each row of the table, then the row: once for each target that has forms of its own
cat > "$tmp/mark.awk" <<'AWK'
number > marked {
    if (1 in text || 2 in text) { print text[1] text[2]; split("", text) }
    print "@@ROW\t" $1 "\t" $2 "\t" $3 "\t" $5 "\t" $6 "\t" number - marked "\t" $9
    marked = number
}
AWK
rows() { # rows SCRIPT ARCH PART
    awk -v arch="$2" -v part="$3" -v mode=cu -f "$root/tests/cover_$1.awk" -f "$tmp/mark.awk" "$table" 2> /dev/null
}
preprocess() { # preprocess __CUDA_ARCH__
    (cd "$root" && { echo '#include "tc.h"'; for f in $apart; do echo "#include \"$f\""; done; } |
        "$CC" -E -x c++ -w -D__CUDACC__ -D__CUDACC_RTC__ "$@" -I. -) | tr -s ' \t' ' '
}

{
    echo "@file versions"
    cat "$root/tools/isa_versions.tsv"
    echo "@file rows"
    for arch in 75 90 120a 100a; do rows warp $arch; done
    rows async 90a wgmma
    for arch in 75 90a 100a 103a 107a 120a; do rows async $arch rest; done
    for arch in 100a 103a 107a; do rows tcgen05 $arch; done
    echo "@file gates"
    preprocess -D__CUDA_ARCH__=100
    echo "@file bodies"
    preprocess -D__CUDA_ARCH__=1030 -DTC_ALL_TARGETS
    for f in "$root"/tc_*.h; do
        case ${f##*/} in
        tc_gemm*.h | tc_attn*.h | tc_softmax.h | tc_kernel.h | tc_operand.h | tc_pipe.h | tc_work.h) continue ;;
        tc_epi.h | tc_epi_c.h | tc_host.h | tc_op.h | tc_philox.h | tc_split.h | tc_sums.h) continue ;;
        esac
        echo "@file header ${f##*/}"
        cat "$f"
    done
} > "$tmp/in"

{
    cat <<'DOC'
# Which instruction is which call

Written by `tools/isa_doc.sh` from the headers and `tests/isa/variants.tsv`; `make test` checks that it is up to date.
How to use a call, and its traps, stand at the top of its header.

## What multiplies what, where

**yes**: Tensor Cores do it. *slow*: ptxas takes it and writes other instructions instead. - : there is none.

| types of A and B | Volta, Turing (sm_70, 75) | Ampere (sm_80) | Ada (sm_89) | Hopper (sm_90a) mma.sync | Hopper (sm_90a) wgmma | Blackwell (sm_100a) mma.sync | Blackwell (sm_100a) tcgen05 | Blackwell (sm_120a) mma.sync |
|---|---|---|---|---|---|---|---|---|
| f16 | **yes** | **yes** | **yes** | **yes** | **yes** | **yes** | **yes** | **yes** |
| bf16 | - | **yes** | **yes** | **yes** | **yes** | **yes** | **yes** | **yes** |
| tf32 | - | **yes** | **yes** | **yes** | **yes** | **yes** | **yes** | **yes** |
| f64 | - | **yes** | **yes** | **yes** | - | **yes** (1) | - | **yes** (1) |
| s8, u8 | **yes**, sm_75 | **yes** | **yes** | **yes** | **yes** | **yes** | **yes** (2) | **yes** |
| s4, u4 | **yes**, sm_75 | **yes** | **yes** | *slow* | - | *slow* | - | *slow* |
| b1 | **yes**, sm_75 | **yes** | **yes** | **yes** (3) | **yes**, and.popc | *slow* | - | *slow* |
| e4m3, e5m2 (fp8) | - | - | **yes** | *slow* (4) | **yes** | *slow* (4) | **yes** | **yes** |
| e3m2, e2m3 (fp6), e2m1 (fp4) | - | - | - | - | - | - | **yes** | **yes** |
| with block scales: mxf8f6f4, mxf4, mxf4nvf4 | - | - | - | - | - | - | **yes** | **yes** |
| 2:4 sparse: f16, bf16, tf32, 8-bit integers | - | **yes** | **yes** | **yes** | **yes** | **yes** (5) | **yes** (2) | **yes** (5) |
| 2:4 sparse s4, u4 | - | **yes** | **yes** | *slow* | - | *slow* | - | *slow* |
| 2:4 sparse fp8 | - | - | **yes** | *slow* | **yes** | *slow* | **yes** | **yes** |
| 2:4 sparse fp6, fp4, with or without block scales | - | - | - | - | - | - | **yes** (6) | **yes** (6) |

1. f64 m16n8: one instruction on sm_90, pieces of m8n8k4 on sm_100 and later.
2. `kind::i8`: sm_100a and sm_110a; not sm_103a, not the f targets.
3. and.popc; xor.popc takes two instructions there.
4. 12 conversions and two f16 products for each mma.
5. Take `.sp::ordered_metadata` (`TC_MMA_SP_ORDERED`): plain `.sp` of f16 and int8 costs 32 to 72 instructions more on
   sm_100 and later.
6. Sparse mxf4 and mxf4nvf4: a targets only (sm_100a, 103a, 110a; sm_120a, 121a).

Further: f16 in m8n8k4, Volta's own shape, is *slow* from sm_80 on. wmma follows mma.sync. wgmma lives on
sm_90a alone; tcgen05 on sm_100, 103, 107 and 110 as a or f targets; sm_120 and 121 have mma.sync only. sm_107
(PTX 9.4) has every form up to PTX 9.0 that sm_103 has, 107f those of 103f, and forms of its own: kind ti16 (integers of
12 bits in 16), longer K of fp8 and fp4, B from a lookup table, the collector of B.

| to | take | header |
|---|---|---|
| begin, on anything | wmma | tc_wmma.h |
| write for sm_80, sm_89, sm_120 | mma.sync, ldmatrix, cp.async | tc_mma.h |
| use Hopper | wgmma, TMA, mbarriers | tc_wgmma.h, tc_tma.h |
| use sm_100 | tcgen05, TMA, mbarriers | tc_tcgen05.h, tc_tma.h |
| use sm_107, or what PTX 9.1 to 9.5 added | the same; tc.h does not include the headers on the right | tc_tma_more.h, tc_spcompress.h |
| write to all GPUs of a team at once | multimem, fabric | tc_multimem.h, tc_fabric.h |

Targets: sm_80 means it and all later ones. sm_100a/f means both the a and the f target; code for an a target runs on
that chip only, code for an f target on its family and later (100, 103 and 107; 110; 120 and 121). Plain sm_100 has no
tcgen05.

DOC
    awk -f "$root/tools/isa_doc.awk" "$tmp/in"
} > "$tmp/isa.md"

if [ "$1" = --check ]; then
    if cmp -s "$tmp/isa.md" "$root/docs/isa.md"; then
        echo "1 passed, 0 failed"
    else
        diff "$root/docs/isa.md" "$tmp/isa.md" | head -n 10 | cut -c1-200
        echo "FAIL docs/isa.md is not what tools/isa_doc.sh writes: run it"
        echo "0 passed, 1 failed"
        exit 1
    fi
else
    cp "$tmp/isa.md" "$root/docs/isa.md"
fi
