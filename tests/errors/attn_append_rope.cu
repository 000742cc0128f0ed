// attn_append_rope.cu - more columns rotated than a head has
// expect: tc: .rope_at and .rope_dim must be multiples of 16, and what they name lie in .head_dim
// expect-line: 6
#include "tc.h"

TC_ATTN_APPEND_DEFINE(append, .type = TC_BF16, .head_dim = 64, .rope = TC_ROPE_HALVES, .rope_at = 32, .rope_dim = 64)
