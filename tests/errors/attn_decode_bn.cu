// attn_decode_bn.cu - keys that the warps cannot share
// expect: tc: .bn must be 16, 32, 48 or 64 keys for each of .warps
// expect-line: 6
#include "tc.h"

TC_ATTN_DECODE_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .warps = 4, .bn = 48)
