// attn_sm120_smem.cu - more tiles of keys than 99 KB hold
// expect: fit in 99 KB of shared memory
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_ATTN_SM120_DEFINE(attn, .type = TC_BF16, .bn = 64, .stages = 3)
