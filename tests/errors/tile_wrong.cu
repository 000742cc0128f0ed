// tile_wrong.cu - .tile that takes a row and a column
// expect: .tile = int f(tc_gemm_tile tile, const void *args)
// expect-line: 7
#include "tc.h"

TC_DEV int some(int row, int col) { return row >= col ? TC_TILE_WHOLE : TC_TILE_SKIP; }
TC_GEMM_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .tile = some)
