// attn_sm80_bm.cu - queries of a tile that the warps do not split
// expect: tc: .bm must be 16, 32, 48 or 64 queries for each of .warps
// arch: 80
// expect-line: 7
#include "tc.h"

TC_ATTN_SM80_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .bm = 72, .warps = 4)
