// c_type.cu - a C of a type that C never has
// expect: tc: .c_type must be TC_F16, TC_BF16 or TC_F32, or left out: C has D's type, TC_BF16 where D is quantised
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .c_type = TC_E4M3)
