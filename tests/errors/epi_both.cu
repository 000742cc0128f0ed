// epi_both.cu - a hook on one element and one on two
// expect: tc: give .epi or .epi2, not both
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = tc_epi_relu, .epi2 = tc_epi2_bias_col)
