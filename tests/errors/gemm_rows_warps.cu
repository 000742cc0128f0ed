// gemm_rows_warps.cu - rows of probabilities between eight warps
// expect: tc: with .rows and .top, .bn must be at most 256 and .warps_n 1, 2 or 4
// expect-line: 6
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 128, .warps_m = 1, .warps_n = 8, .top = 2)
