// attn_type_f32.cu - a type that attention does not take
// expect: tc: .type must be TC_F16, TC_BF16 or TC_E4M3
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_F32, .head_dim = 64)
