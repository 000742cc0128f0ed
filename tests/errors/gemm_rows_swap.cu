// gemm_rows_swap.cu - rows of probabilities in a tile on its side
// expect: tc: with .rows and .top a row is in one tile, of one width, a warp's: no .swap
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .swap = 1, .rows = TC_SOFTMAX)
