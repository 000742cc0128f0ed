// attn_bwd_define_bm.cu - a tile for the generator that picks it
// expect: tc: TC_ATTN_BWD_DEFINE picks tiles itself
// expect-line: 6
#include "tc.h"

TC_ATTN_BWD_DEFINE(attn_bwd, .type = TC_BF16, .head_dim = 64, .bm = 64)
