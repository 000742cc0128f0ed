// attn_hook_mask_tile.cu - a tile-level mask hook that takes a pointer
// expect: .mask_tile = int f(tc_attn_tile tile, const void *args)
// expect-line: 8
#include "tc.h"

TC_DEV int mask(tc_attn_at at, const void *args) { return at.b + at.h + at.q + at.kv + (args ? 0 : 1); }
TC_DEV int hook(const tc_attn_tile *tile, const void *args) { return tile->q + (args ? 0 : 1); }
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .mask = mask, .mask_tile = hook)
