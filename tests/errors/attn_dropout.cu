// attn_dropout.cu - a probability where the configuration says whether there is dropout
// expect: tc: .dropout is 0 or 1
// expect-line: 6
#include "tc.h"

TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .dropout = 2)
