// tiles_sm120.cu - what these kernels do not have
// expect: tc: .triangle, .tile, .keep, .k_range and .bsr are for TC_GEMM_SM90_DEFINE
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .triangle = TC_TRIANGLE_LOWER)
