// attn_bwd_wide_keys.cu - more keys a tile than the Hopper kernel has registers for beside 192 columns
// expect: and 64 where .head_dim or .head_dim_v is more than 128
// expect-line: 6
#include "tc.h"

TC_ATTN_BWD_SM90_DEFINE(attn_bwd, .type = TC_BF16, .head_dim = 192, .head_dim_v = 128, .bn = 128)
