// any_layout.cu - rows of any alignment, but columns of A
// expect: tc: rows of any alignment (.any) want f16 or bf16, A and D row-major and B column-major
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_ANY_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .a_layout = TC_COL)
