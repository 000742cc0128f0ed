// attn_define_host_out.cu - a hook without TC_DEV, in the general generator
// expect: a_hook_is_a_TC_DEV_function
// expect-line: 7
#include "tc.h"

static float hook(float o, int b, int h, int q, int d, const void *args) { return o + 0.f * (b + h + q + d) + (args ? 0.f : 1.f); }
TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .out = hook)
