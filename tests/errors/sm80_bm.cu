// sm80_bm.cu - a tile that does not divide among the warps
// expect: tc: .bm must be a multiple of 16 * .warps_m
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 100)
