// sm100_index.cu - rows of A that are looked up, which these kernels do not have
// expect: .index = TC_INDEX_A is for TC_GEMM_SM80_DEFINE
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A)
