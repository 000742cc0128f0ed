// attn_sm120_for_sm90a.cu - attention of the sm_120 family in a build for Hopper
// expect: tc: this kernel needs sm_120 or sm_121
// arch: 90a
#include "tc.h"

TC_ATTN_SM120_DEFINE(attn, .type = TC_BF16, .head_dim = 64)
