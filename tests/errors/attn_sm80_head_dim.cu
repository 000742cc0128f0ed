// attn_sm80_head_dim.cu - a head dim that is no multiple of 16, for sm_80
// expect: tc: .head_dim must be a multiple of 16 in 16..256
// arch: 80
// expect-line: 7
#include "tc.h"

TC_ATTN_SM80_DEFINE(attn, .type = TC_BF16, .head_dim = 100)
