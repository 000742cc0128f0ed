// attn_hook_sink.cu - a sink hook that is asked for a query
// expect: .sink = float f(tc_attn_at at, const void *args)
// expect-line: 7
#include "tc.h"

TC_DEV float hook(tc_attn_at at, int q, const void *args) { return (float)(at.b + at.h + q) + (args ? 0.f : 1.f); }
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .sink = hook)
