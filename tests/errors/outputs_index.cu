// outputs_index.cu - sums of rows that go where the call says
// expect: tc: .row_sum, .col_sum and .all_sum do not go with TC_GROUPS_K, TC_GROUPS_ARRAY and .index = TC_INDEX_D
// expect-line: 9
// arch: 80
#include "tc_gemm.h"

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16

TC_GEMM_SM80_DEFINE(gemm, BF16, .index = TC_INDEX_D, .row_sum = TC_SUM)
