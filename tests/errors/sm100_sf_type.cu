// sm100_sf_type.cu - factors of nvfp4 for fp8
// expect: tc: .sf must be TC_SF_UE8M0_32 of
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE4M3_16)
