// groups_value.cu - no kind of groups
// expect: tc: .groups must be TC_GROUPS_ROWS, TC_GROUPS_MASKED, TC_GROUPS_K, TC_GROUPS_ARRAY or 0
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = 5)
