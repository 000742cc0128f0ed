// quant_c.cu - a C of another type beside a D of integers
// expect: tc: .c_type is for .d TC_F16, TC_BF16 or TC_F32 or a quantised D: else C has D's type; with .gate
// expect-line: 7
// arch: 80
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_S8, .b = TC_S8, .d = TC_S32, .c_type = TC_F32)
