// tiles_keep.cu - elements that no tile asks for
// expect: tc: .keep needs .tile, of whose TC_TILE_PARTIAL it decides
// expect-line: 7
#include "tc_gemm.h"

TC_DEV int some(tc_gemm_at at, const void *args) { return at.row > at.col + (args == 0); }
TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .keep = some, .epi_size = TC_NO_ARGS)
