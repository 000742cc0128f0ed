// attn_hook_order.cu - hooks out of order
// expect: out-of-order initializers
// expect-line: 8
#include "tc.h"

TC_DEV float sink(tc_attn_at at, const void *args) { return (float)(at.b + at.h) + (args ? 0.f : 1.f); }
TC_DEV float score(float s, tc_attn_at at, const void *args) { return s + 0.f * (at.b + at.h + at.q + at.kv) + (args ? 0.f : 1.f); }
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .sink = sink, .score = score)
