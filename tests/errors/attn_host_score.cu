// attn_host_score.cu - a .score hook without TC_DEV
// expect: a_hook_is_a_TC_DEV_function
// expect-line: 10
#include "tc.h"

static float hook(float s, tc_attn_at at, const void *args)
{
    return s + 0.f * (at.b + at.h + at.q + at.kv) + (args ? 0.f : 1.f);
}
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .score = hook)
