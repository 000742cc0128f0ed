// tiles_triangle.cu - how much of a triangle
// expect: tc: .triangle must be TC_TRIANGLE_LOWER, TC_TRIANGLE_UPPER or 0
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .triangle = 3)
