// layout_value.cu - a layout that is none
// expect: tc: .a_layout, .b_layout and .d_layout must be TC_ROW or TC_COL
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .a_layout = 3)
