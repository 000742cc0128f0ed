// attn_sm80_warps.cu - a number of warps that is no power of 2
// expect: tc: .warps must be 1, 2, 4, 8 or 16
// arch: 80
// expect-line: 7
#include "tc.h"

TC_ATTN_SM80_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .warps = 3)
