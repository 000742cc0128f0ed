// attn_fp8_bn.cu - 8-bit attention in tiles that are no squares of V
// expect: tc: with TC_E4M3 .bn is 128, and .bm 64 or 128
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_E4M3, .head_dim = 64, .bn = 64)
