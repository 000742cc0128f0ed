// attn_later.cu - .later is a switch
// expect: tc: .later must be 0 or 1
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .later = 2)
