// tiles_row_sum.cu - sums of rows of a triangle
// expect: tc: .triangle, .tile, .k_range and .bsr do not go with .groups, .index, .aux, .row_sum
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .row_sum = TC_SUM, .triangle = TC_TRIANGLE_UPPER)
