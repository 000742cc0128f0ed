// outputs_atomic.cu - log(sum of exp) by atomics
// expect: tc: .sum_atomic does not go with TC_LOG_SUM_EXP, .all_sum and .gate
// expect-line: 9
// arch: 80
#include "tc_gemm.h"

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16

TC_GEMM_SM80_DEFINE(gemm, BF16, .row_sum = TC_LOG_SUM_EXP, .sum_atomic = 1)
