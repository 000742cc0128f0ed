// attn_mla_hook.cu - a hook for a kernel that takes none
// expect: tc: TC_ATTN_MLA_DEFINE takes no hooks: leave .hook_size unset too
// expect-line: 7
#include "tc.h"

TC_DEV float cap(float s, tc_attn_at at, const void *args) { return (void)at, (void)args, s * 2; }
TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .score = cap, .hook_size = TC_NO_ARGS)
