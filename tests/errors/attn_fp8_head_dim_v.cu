// attn_fp8_head_dim_v.cu - 8-bit attention with values wider than the registers are
// expect: tc: with TC_E4M3 .head_dim_v must be 64 or 128
// expect-line: 6
#include "tc.h"

TC_ATTN_DEFINE(attn, .type = TC_E4M3, .head_dim = 256)
