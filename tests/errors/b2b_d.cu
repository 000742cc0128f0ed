// b2b_d.cu - two products in a row to 8 bits
// expect: tc: .d of TC_GEMM_B2B_DEFINE must be TC_F16, TC_BF16 or TC_F32
// expect-line: 6
#include "tc.h"

TC_GEMM_B2B_DEFINE(two, .a = TC_F16, .b = TC_F16, .d = TC_S8)
