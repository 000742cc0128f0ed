// attn_bm.cu - queries of a tile that no warpgroups split
// expect: tc: .bm must be 64, 128 or 192
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .bm = 96)
