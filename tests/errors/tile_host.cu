// tile_host.cu - .tile without TC_DEV
// expect-first: a_hook_is_a_TC_DEV_function
// expect: tile_a_hook_is_a_TC_DEV_function
// expect-line: 9
// expect-lines: 9
#include "tc.h"

static int some(tc_gemm_tile t, const void *args) { return t.row >= t.col && !args ? TC_TILE_WHOLE : TC_TILE_SKIP; }
TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .tile = some)
