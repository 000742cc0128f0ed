// attn_later_wide.cu - .later where nothing is added up later
// expect: tc: .later is for heads up to 128 of 16 bits, without .score, .mask and .dropout
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 256, .later = 1)
