// sm80_warps.cu - more warps than a block has
// expect: tc: .warps_m * .warps_n must be in 1..16
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 256, .bn = 256, .warps_m = 8, .warps_n = 4)
