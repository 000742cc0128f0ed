// sm90_d_e2m1.cu - D of 4 bits, which Hopper does not make
// expect: tc: .d = TC_E2M1 is for TC_GEMM_SM100_DEFINE
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_E2M1, .d_sf = TC_SF_UE8M0_32)
