// attn_fp8_o.cu - O in 8 bits
// expect: tc: .o is TC_BF16 or TC_F16 where .type is TC_E4M3, and else .type
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_E4M3, .o = TC_E4M3)
