// weights_define.cu - packed weights, which one generator alone takes
// expect: .weights, .weights_k and .weights_zero are for TC_GEMM_SM90_DEFINE
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4)
