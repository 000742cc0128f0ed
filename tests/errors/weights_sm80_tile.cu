// weights_sm80_tile.cu - a warp's columns that are no strips of one brick
// expect: .weights by mma.sync want .bk 64 or 128, .bn a multiple of 64, and .bn / .warps_n 16, 32 or 64
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4, .bn = 192, .warps_n = 4)
