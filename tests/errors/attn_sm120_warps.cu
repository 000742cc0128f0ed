// attn_sm120_warps.cu - warps that share the registers of no multiprocessor
// expect: tc: .warps must be 1, 2, 4 or 8
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_ATTN_SM120_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .bm = 128, .warps = 16)
