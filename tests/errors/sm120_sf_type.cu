// sm120_sf_type.cu - factors of nvfp4 for a mix
// expect: tc: .sf must be TC_SF_UE8M0_32 of fp8, fp6 and fp4, TC_SF_UE4M3_16 of TC_E2M1
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_E2M1, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE4M3_16)
