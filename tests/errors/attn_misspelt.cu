// attn_misspelt.cu - a field that does not exist
// expect: head_dims
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dims = 64)
