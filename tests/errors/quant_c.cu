// quant_c.cu - C of another type than a D that is not quantised
// expect: tc: .c_type is for a quantised D: TC_F16, TC_BF16, TC_F32 or left out; else C has D's type
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .c_type = TC_F32)
