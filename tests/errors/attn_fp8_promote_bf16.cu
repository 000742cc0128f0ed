// attn_fp8_promote_bf16.cu - sums promoted that are f32 as it is
// expect: tc: .promote is for TC_E4M3
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .promote = 128)
