// attn_fp8_head_dim.cu - 8-bit attention with half a step of the instruction
// expect: tc: with TC_E4M3 .head_dim must be a multiple of 32
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_E4M3, .head_dim = 80, .head_dim_v = 64)
