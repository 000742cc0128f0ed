// attn_q_stages.cu - three tiles of Q
// expect: tc: .q_stages must be 1 or 2
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .q_stages = 3)
