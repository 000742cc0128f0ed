// attn_mla_head_dim.cu - another latent than MLA's
// expect: tc: of TC_ATTN_MLA_DEFINE .head_dim is 576 and .head_dim_v 512: leave them unset
// expect-line: 6
#include "tc.h"

TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .head_dim = 320, .head_dim_v = 256)
