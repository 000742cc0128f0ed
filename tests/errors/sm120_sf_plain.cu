// sm120_sf_plain.cu - factors of a byte in a build for sm_120 without the a
// expect: need an a or f target of sm_120 or sm_121
// arch: 120
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .bn = 64)
