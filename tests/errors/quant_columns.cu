// quant_columns.cu - sums of columns of a D in columns
// expect: tc: .col_sum wants .d_layout = TC_ROW
// expect-line: 7
// arch: 80
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .d_layout = TC_COL, .col_sum = TC_SUM)
