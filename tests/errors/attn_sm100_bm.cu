// attn_sm100_bm.cu - queries of a tile that no warpgroups of Blackwell's attention split
// expect: tc: .bm must be 128 or 256
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_ATTN_SM100_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .bm = 192)
