// attn_bwd_grad.cu - a score hook without its derivative
// expect: tc: .score and .score_grad, its derivative, come together
// expect-line: 8
#include "tc.h"

TC_DEV float half_of(float s, tc_attn_at at, const void *args) { return (void)at, (void)args, s / 2; }

TC_ATTN_BWD_DEFINE(attn_bwd, .type = TC_BF16, .head_dim = 64, .hook_size = TC_NO_ARGS, .score = half_of)
