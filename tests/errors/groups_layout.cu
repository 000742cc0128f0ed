// groups_layout.cu - groups begin at any row of A: not where its columns lie together
// expect: tc: with .groups, .a_layout and .d_layout must be TC_ROW
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .a_layout = TC_COL, .groups = TC_GROUPS_ROWS)
