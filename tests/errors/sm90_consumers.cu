// sm90_consumers.cu - four consumer warpgroups
// expect: tc: .consumers must be 1, 2 or 3 warpgroups
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 256, .bn = 64, .consumers = 4)
