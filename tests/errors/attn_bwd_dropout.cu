// attn_bwd_dropout.cu - more queries than dropout leaves registers for
// expect: tc: .dropout leaves registers for .bm = 64 alone
// expect-line: 6
#include "tc.h"

TC_ATTN_BWD_SM90_DEFINE(attn_bwd, .type = TC_BF16, .head_dim = 64, .bm = 128, .dropout = 1)
