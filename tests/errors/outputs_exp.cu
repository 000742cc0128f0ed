// outputs_exp.cu - log(sum of exp) of columns
// expect: tc: .col_sum must be TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX or 0
// expect-line: 7
// arch: 80
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .col_sum = TC_LOG_SUM_EXP)
