// attn_type_unset.cu - no type
// expect: tc: .type must be TC_F16, TC_BF16 or TC_E4M3
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .head_dim = 64)
