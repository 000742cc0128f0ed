// attn_mla_dropout.cu - dropout in latent attention
// expect: tc: decoding has no .dropout
// expect-line: 6
#include "tc.h"

TC_ATTN_MLA_DEFINE(attn, .type = TC_BF16, .dropout = 1)
