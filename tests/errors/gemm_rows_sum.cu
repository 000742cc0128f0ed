// gemm_rows_sum.cu - rows of probabilities beside sums of rows
// expect: tc: .rows and .top want .d TC_F16, TC_BF16 or TC_F32, in rows, sums not in f16, and do not go with .gate
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .row_sum = TC_SUM, .rows = TC_SOFTMAX)
