// attn_sm80_for_sm75.cu - attention in a build for sm_75
// expect: needs sm_80
// arch: 75
#include "tc.h"

TC_ATTN_SM80_DEFINE(attn, .type = TC_BF16, .head_dim = 64)
