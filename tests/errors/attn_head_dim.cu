// attn_head_dim.cu - a head dim that is no multiple of 16
// expect: tc: .head_dim must be a multiple of 16 in 16..256
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 40)
