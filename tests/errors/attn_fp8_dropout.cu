// attn_fp8_dropout.cu - dropout in 8-bit attention
// expect: tc: .dropout is for TC_F16 and TC_BF16
// expect-line: 6
#include "tc.h"

TC_ATTN_DEFINE(attn, .type = TC_E4M3, .dropout = 1)
