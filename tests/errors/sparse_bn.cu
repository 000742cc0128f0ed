// sparse_bn.cu - a width for which there is no sparse instruction here
// expect: tc: with .sparse, .bn (TC_SPARSE_B: .bm) must be 16 or a multiple of 32
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .sparse = TC_SPARSE_A, .bn = 48)
