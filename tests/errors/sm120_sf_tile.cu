// sm120_sf_tile.cu - factors come in blocks of 128 rows
// expect: tc: with .sf, .bm and .bn must be 64 or 128
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .bn = 96)
