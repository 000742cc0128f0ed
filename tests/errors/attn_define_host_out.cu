// attn_define_host_out.cu - a hook without TC_DEV, in the general generator
// expect: a_hook_is_a_TC_DEV_function
// expect-line: 10
#include "tc.h"

static float hook(float o, tc_attn_at at, const void *args)
{
    return o + 0.f * (at.b + at.h + at.q + at.d) + (args ? 0.f : 1.f);
}
TC_ATTN_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .out = hook)
