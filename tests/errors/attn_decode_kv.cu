// attn_decode_kv.cu - a type of K and V that decoding does not have
// expect: tc: .kv must be .type, TC_E4M3 or TC_S8
// expect-line: 6
#include "tc.h"

TC_ATTN_DECODE_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .kv = TC_E5M2)
