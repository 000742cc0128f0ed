// sm90_bm.cu - a tile that does not divide among the warpgroups
// expect: tc: .bm must be a multiple of 64
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 100)
