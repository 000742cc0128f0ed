// attn_hook_size.cu - hook arguments that do not fit in the parameters
// expect: tc: .hook_size must be in 0..TC_EPI_MAX
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .hook_size = 257)
