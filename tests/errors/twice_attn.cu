// twice_attn.cu - two kernels of attention of one name
// expect: function "same_config" has already been defined (previous definition at line 6)
// expect-line: 7
#include "tc.h"

TC_ATTN_SM90_DEFINE(same, .type = TC_BF16)
TC_ATTN_DEFINE(same, .type = TC_F16)
