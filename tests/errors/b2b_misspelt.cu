// b2b_misspelt.cu - a field that does not exist
// expect: activation
// expect-line: 6
#include "tc.h"

TC_GEMM_B2B_DEFINE(two, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .activation = tc_epi_relu)
