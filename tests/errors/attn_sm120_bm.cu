// attn_sm120_bm.cu - queries that no warps of 16 rows split
// expect: tc: .bm must be 16, 32, 48 or 64 queries for each of .warps
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_ATTN_SM120_DEFINE(attn, .type = TC_BF16, .bm = 96, .warps = 4)
