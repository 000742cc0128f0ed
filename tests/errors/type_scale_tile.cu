// type_scale_tile.cu - a tile that cuts blocks of 128 columns in pieces
// expect: tc: with TC_SCALE_128X128 a tile's side (.bm of A, .bn of B) must be a multiple of 64
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bn = 96, .b_scale = TC_SCALE_128X128)
