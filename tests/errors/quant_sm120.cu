// quant_sm120.cu - sums of columns by a kernel that has none
// expect: tc: .col_sum and a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) are for TC_GEMM_SM80_DEFINE
// expect-line: 7
// arch: 120a
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .col_sum = TC_SUM)
