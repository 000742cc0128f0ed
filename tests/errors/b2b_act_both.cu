// b2b_act_both.cu - two hooks for the middle
// expect: tc: give .act or .act2, not both
// expect-line: 6
#include "tc.h"

TC_GEMM_B2B_DEFINE(two, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .act = tc_epi_relu, .act2 = tc_epi2_bias_gelu_tanh)
