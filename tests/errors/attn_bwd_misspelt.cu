// attn_bwd_misspelt.cu - a field that there is not: the forward's .out
// expect: out
// expect-line: 6
#include "tc.h"

TC_ATTN_BWD_DEFINE(attn_bwd, .type = TC_BF16, .head_dim = 64, .out = 0)
