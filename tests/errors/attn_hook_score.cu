// attn_hook_score.cu - a score hook with its place in single arguments
// expect: .score = float f(float s, tc_attn_at at, const void *args)
// expect-line: 10
#include "tc.h"

TC_DEV float hook(float s, int b, int h, int q, int kv, const void *args)
{
    return s + 0.f * (b + h + q + kv) + (args ? 0.f : 1.f);
}
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .score = hook)
