// attn_mla_kv.cu - a cache of 8 bits
// expect: tc: TC_ATTN_MLA_DEFINE has no .window and no .kv
// expect-line: 6
#include "tc.h"

TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .kv = TC_E4M3)
