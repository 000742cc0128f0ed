// any_bn.cu - a tile whose rows of B are more than a warpgroup copies
// expect: .bn 64 for each of 1 or 2 .consumers, a cooperative schedule
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_ANY_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn = 256)
