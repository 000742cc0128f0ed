// attn_mla_for_sm80.cu - Hopper's kernel in a build for sm_80
// arch: 80
// expect: compute_90a
#include "tc.h"

TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16)
