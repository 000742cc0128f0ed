// attn_one_stage.cu - a ring of one slot
// expect: tc: .stages must be 2 or more
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .stages = 1)
