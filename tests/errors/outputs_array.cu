// outputs_array.cu - sums of products that have sizes of their own
// expect: tc: .row_sum, .col_sum and .all_sum do not go with TC_GROUPS_ARRAY, whose products have sizes of their own
// expect-line: 9
// arch: 80
#include "tc_gemm.h"

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16

TC_GEMM_SM80_DEFINE(gemm, BF16, .groups = TC_GROUPS_ARRAY, .row_sum = TC_SUM)
