// attn_mla_bn.cu - tiles are not chosen
// expect: tc: tiles of TC_ATTN_MLA_DEFINE are what they are: leave .bm, .bn, .stages, .q_stages, .consumers, .warps
// expect-line: 6
#include "tc.h"

TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .bn = 128)
