// outputs_gate.cu - a warp's columns of two products are 24 of D
// expect: tc: with .gate and sums of D, .bn must be a multiple of 32 * .warps_n
// expect-line: 9
// arch: 80
#include "tc_gemm.h"

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16

TC_GEMM_SM80_DEFINE(gemm, BF16, .bm = 64, .bn = 48, .warps_m = 4, .warps_n = 1, .gate = tc_gate_silu, .row_sum = TC_SUM)
