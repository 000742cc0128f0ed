// type_f64.cu - an operand in double precision
// expect: tc: .a must be TC_F16 or TC_BF16
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F64, .b = TC_F64, .d = TC_F64)
