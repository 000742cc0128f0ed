// attn_hook_mask.cu - a mask hook that returns a float
// expect: .mask = int f(tc_attn_at at, const void *args)
// expect-line: 7
#include "tc.h"

TC_DEV float hook(tc_attn_at at, const void *args) { return (float)(at.b + at.h + at.q + at.kv) + (args ? 0.f : 1.f); }
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .mask = hook)
