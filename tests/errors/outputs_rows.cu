// outputs_rows.cu - sums of rows of a D in columns
// expect: tc: .row_sum and .all_sum want .d_layout = TC_ROW
// expect-line: 7
// arch: 80
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .d_layout = TC_COL, .row_sum = TC_SUM)
