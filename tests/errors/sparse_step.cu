// sparse_step.cu - a sparse operand in tiles of any width
// expect: tc: .sparse does not go with .groups, .index, .step
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .sparse = TC_SPARSE_A, .step = 64)
