// attn_sm80_host_score.cu - a hook without TC_DEV, for sm_80
// expect: a_hook_is_a_TC_DEV_function
// arch: 80
// expect-line: 11
#include "tc.h"

static float hook(float s, tc_attn_at at, const void *args)
{
    return s + 0.f * (at.b + at.h + at.q + at.kv) + (args ? 0.f : 1.f);
}
TC_ATTN_SM80_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .score = hook)
