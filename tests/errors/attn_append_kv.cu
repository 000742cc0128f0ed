// attn_append_kv.cu - a cache of a type that decoding does not have
// expect: tc: .kv must be .type, TC_E4M3 or TC_S8
// expect-line: 6
#include "tc.h"

TC_ATTN_APPEND_DEFINE(append, .type = TC_F16, .kv = TC_E5M2)
