// type_unset.cu - no type for D
// expect: tc: .d must be TC_F16, TC_BF16 or TC_F32
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16)
