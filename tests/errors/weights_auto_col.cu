// weights_auto_col.cu - packed weights and a D that is column-major, for all devices
// expect: .weights want A and D row-major, sums in f32, a D that is not quantised
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4, .d_layout = TC_COL)
