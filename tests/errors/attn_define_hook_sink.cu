// attn_define_hook_sink.cu - a sink hook that is asked for a query, in the general generator
// expect: .sink = float f(int b, int h, const void *args)
// expect-line: 7
#include "tc.h"

TC_DEV float hook(int b, int h, int q, const void *args) { return (float)(b + h + q) + (args ? 0.f : 1.f); }
TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .sink = hook)
