// sm100_index.cu - rows of A that are looked up, where each group has a matrix of its own
// expect: tc: .index wants .a_layout and .d_layout TC_ROW, another type than TC_F64, and not TC_GROUPS_MASKED
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_MASKED, .index = TC_INDEX_A)
