// attn_smem.cu - rings that do not fit in shared memory
// expect: tc: .stages must be 2 or more
// expect: 227 KB of shared memory
// expect-line: 7
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 128, .bn = 128, .stages = 5)
