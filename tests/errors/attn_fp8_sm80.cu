// attn_fp8_sm80.cu - 8-bit attention on sm_80
// expect: tc: .type must be TC_F16 or TC_BF16
// expect-line: 6
#include "tc.h"

TC_ATTN_SM80_DEFINE(attn, .type = TC_E4M3)
