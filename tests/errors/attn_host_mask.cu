// attn_host_mask.cu - a .mask hook without TC_DEV
// expect: a_hook_is_a_TC_DEV_function
// expect-line: 7
#include "tc.h"

static int hook(tc_attn_at at, const void *args) { return at.b + at.h + at.q + at.kv + (args ? 0 : 1); }
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .mask = hook)
