// keep_host.cu - .keep without TC_DEV, beside a .tile of both sides
// expect: keep_a_hook_is_a_TC_DEV_function
// arch: 80
// expect-line: 10
// expect-lines: 9
#include "tc.h"

TC_HD int some(tc_gemm_tile t, const void *args) { return t.row >= t.col && !args ? TC_TILE_PARTIAL : TC_TILE_SKIP; }
static int above(tc_gemm_at at, const void *args) { return at.row >= at.col && !args; }
TC_GEMM_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .tile = some, .keep = above)
