// attn_mask_tile_alone.cu - a tile-level mask without the mask itself
// expect: tc: .mask_tile needs .mask
// expect-line: 7
#include "tc.h"

TC_DEV int hook(tc_attn_tile tile, const void *args) { return tile.q + (args ? 0 : 1); }
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .hook_size = TC_NO_ARGS, .head_dim = 64, .mask_tile = hook)
