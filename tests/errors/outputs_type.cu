// outputs_type.cu - a second output of a type that it cannot have
// expect: tc: .aux must be TC_F16, TC_BF16, TC_F32, TC_E4M3, TC_E5M2, TC_S8 or TC_B1, or left out
// expect-line: 7
// arch: 80
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux = TC_F64, .aux_what = TC_AUX_PRE)
