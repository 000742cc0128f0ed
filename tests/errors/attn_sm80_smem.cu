// attn_sm80_smem.cu - rings that do not fit in shared memory, for sm_80
// expect: tc: .stages must be in 2..6
// expect: 227 KB of shared memory
// arch: 80
// expect-line: 8
#include "tc.h"

TC_ATTN_SM80_DEFINE(attn, .type = TC_BF16, .head_dim = 256, .bn = 64, .stages = 4)
