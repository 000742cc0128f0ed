// sm100_sf_bn.cu - a tile that begins within a block of factors
// expect: tc: with .sf, .bn must be 128
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .bn = 64)
