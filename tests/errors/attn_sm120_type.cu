// attn_sm120_type.cu - a type that mma.sync of this kernel does not multiply
// expect: tc: .type must be TC_F16 or TC_BF16
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_ATTN_SM120_DEFINE(attn, .type = TC_E4M3, .head_dim = 64)
