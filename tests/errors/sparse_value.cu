// sparse_value.cu - an operand that there is not
// expect: tc: .sparse must be TC_SPARSE_A, TC_SPARSE_B or 0
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .sparse = 3)
