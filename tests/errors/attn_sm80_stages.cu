// attn_sm80_stages.cu - more slots than a ring may have
// expect: tc: .stages must be in 2..6
// arch: 80
// expect-line: 7
#include "tc.h"

TC_ATTN_SM80_DEFINE(attn, .type = TC_BF16, .head_dim = 16, .stages = 7)
