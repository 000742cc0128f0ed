// attn_bwd_head_dim.cu - a head dim that the Hopper kernel does not take
// expect: TC_ATTN_BWD_SM80_DEFINE takes more
// expect-line: 6
#include "tc.h"

TC_ATTN_BWD_SM90_DEFINE(attn_bwd, .type = TC_BF16, .head_dim = 192, .head_dim_v = 128)
