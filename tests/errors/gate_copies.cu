// gate_copies.cu - a pass of copies that is no 16 rows of both B
// expect: tc: with .gate, one pass of copies must fill 16 rows of B or a multiple
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 32, .warps_m = 1,
                    .gate = tc_gate_silu)
