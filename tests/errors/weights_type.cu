// weights_type.cu - weights that are no weights
// expect: .weights must be TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3 or TC_E2M1
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_F16)
