// type_a.cu - an operand that no kernel multiplies
// expect: tc: .a must be TC_F16, TC_BF16, TC_TF32, TC_F32, TC_E4M3, TC_E5M2, TC_S8, TC_U8, TC_S4, TC_U4, TC_B1
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_S32, .b = TC_S32, .d = TC_S32)
