// layout_sm90.cu - a layout that Hopper's kernel does not have
// expect: tc: TC_GEMM_SM90_DEFINE multiplies f16 and bf16, A row-major, B column-major, D row-major: other types and
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .b_layout = TC_ROW)
