// sm120_index.cu - what these kernels do not have
// expect: tc: TC_GEMM_SM120_DEFINE has no .index = TC_INDEX_A, .aux, .row_sum and .all_sum
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A)
