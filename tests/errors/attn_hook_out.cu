// attn_hook_out.cu - an output hook whose d is a float
// expect: .out = float f(float o, tc_attn_at at, const void *args)
// expect-line: 10
#include "tc.h"

TC_DEV float hook(float o, tc_attn_at at, float d, const void *args)
{
    return o * d + 0.f * (at.b + at.h + at.q) + (args ? 0.f : 1.f);
}
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .out = hook)
