// sm100_weights_out.cu - packed weights with sums of rows, which these kernels do not keep
// expect: .weights on Blackwell want sums in f32 and a D that is not quantised, and no .aux, .row_sum, .col_sum or
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S8, .bm = 16, .row_sum = TC_SUM)
