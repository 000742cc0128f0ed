// tiles_epi2.cu - a hook of pairs, one of which is kept
// expect: tc: .epi2 does not go with .triangle and .keep
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .triangle = 1, .epi2 = tc_epi2_bias_col)
