// attn_define_paged.cu - pages in the generator whose kernels for many queries do not have them
// expect: tc: .kv and .paged are fields of TC_ATTN_DECODE_DEFINE
// expect-line: 6
#include "tc.h"

TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .paged = 1)
