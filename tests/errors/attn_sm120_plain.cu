// attn_sm120_plain.cu - eight warps in a build for sm_120 without the a
// expect: needs an a or f target of sm_120 or sm_121
// arch: 120
// expect-line: 7
#include "tc.h"

TC_ATTN_SM120_DEFINE(attn, .type = TC_BF16, .head_dim = 64)
