// attn_decode_dropout.cu - dropout in decoding
// expect: tc: decoding has no .dropout
// expect-line: 6
#include "tc.h"

TC_ATTN_DECODE_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .dropout = 1)
