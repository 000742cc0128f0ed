// sm90_sf.cu - factors of a byte on Hopper
// expect: tc: .sf is for TC_GEMM_SM100_DEFINE and TC_GEMM_SM120_DEFINE
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE8M0_32)
