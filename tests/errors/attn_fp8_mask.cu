// attn_fp8_mask.cu - a hook that 8-bit attention does not ask
// expect: tc: with TC_E4M3 there is no .score, .mask or .mask_tile
// expect-line: 8
#include "tc.h"

TC_DEV int mask(tc_attn_at at, const void *args) { return (void)args, at.q % 2; }

TC_ATTN_DEFINE(attn, .type = TC_E4M3, .hook_size = TC_NO_ARGS, .mask = mask)
