// attn_sm100_bn.cu - more keys than a tile of Blackwell's attention has
// expect: tc: .bn must be 32, 64, 96 or 128
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_ATTN_SM100_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .bn = 160)
