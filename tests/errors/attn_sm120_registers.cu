// attn_sm120_registers.cu - a warp whose sums do not fit in its registers
// expect: tc: too many registers
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_ATTN_SM120_DEFINE(attn, .type = TC_BF16, .bm = 128, .warps = 4, .bn = 96)
