// sm120_tile.cu - a tile that 99 KB do not hold
// expect: fit in 99 KB of shared memory
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bk = 128, .stages = 2)
