// outputs_groups.cu - sums of columns of groups
// expect: tc: .col_sum and .all_sum do not go with .groups, whose rows begin anywhere: .row_sum does
// expect-line: 9
// arch: 80
#include "tc_gemm.h"

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16

TC_GEMM_SM80_DEFINE(gemm, BF16, .groups = TC_GROUPS_ROWS, .col_sum = TC_SUM)
