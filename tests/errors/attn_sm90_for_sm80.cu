// attn_sm90_for_sm80.cu - a Hopper kernel in a build for sm_80
// expect: compute_90a
// arch: 80
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 64)
