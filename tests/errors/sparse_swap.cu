// sparse_swap.cu - the sparse operand's role is given to the other
// expect: tc: TC_SPARSE_A does not go with .swap
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .sparse = TC_SPARSE_A, .swap = 1)
