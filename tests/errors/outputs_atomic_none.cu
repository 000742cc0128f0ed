// outputs_atomic_none.cu - no sum to be added by atomics
// expect: tc: .sum_atomic is 0 or 1, and 1 wants .row_sum or .col_sum
// expect-line: 9
// arch: 80
#include "tc_gemm.h"

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16

TC_GEMM_SM80_DEFINE(gemm, BF16, .sum_atomic = 1)
