// b2b_type.cu - two products in a row of 8 bits
// expect: tc: .a of TC_GEMM_B2B_DEFINE must be TC_F16 or TC_BF16, and .b the same
// expect-line: 6
#include "tc.h"

TC_GEMM_B2B_DEFINE(two, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16)
