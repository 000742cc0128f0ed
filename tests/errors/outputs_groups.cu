// outputs_groups.cu - sums of each group's columns, and another one of all of it
// expect: tc: with .groups, .all_sum beside .col_sum must be of its kind: a group's is made of its columns
// expect-line: 9
// arch: 80
#include "tc_gemm.h"

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16

TC_GEMM_SM80_DEFINE(gemm, BF16, .groups = TC_GROUPS_ROWS, .row_sum = TC_MAX, .col_sum = TC_SUM, .all_sum = TC_MAX)
