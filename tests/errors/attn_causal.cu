// attn_causal.cu - a flag that is no flag
// expect: tc: .causal and .window are 0 or 1
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .causal = 2)
