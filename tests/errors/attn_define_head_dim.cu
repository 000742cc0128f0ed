// attn_define_head_dim.cu - a head dim of 0 and less, in the general generator
// expect: tc: .head_dim must be a multiple of 16 in 16..256
// expect-line: 6
#include "tc.h"

TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = -16)
