// sm80_warp_tile.cu - a tile too large for its one warp
// expect: tc: a warp's tile may have 64 x 128 elements at most
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .warps_m = 1, .warps_n = 2)
