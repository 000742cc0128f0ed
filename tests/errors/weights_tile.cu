// weights_tile.cu - a tile whose columns are not 64 a warpgroup
// expect: .weights want .bk 64 or 128, .bn 64 for each of 1 to 4 .consumers
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(g, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4, .bm = 16, .bn = 256, .consumers = 2)
