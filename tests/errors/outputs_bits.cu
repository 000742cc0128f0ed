// outputs_bits.cu - bits of a pre-activation
// expect: tc: .aux = TC_B1 wants .aux_epi, whose result it says of whether it is 0
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux = TC_B1, .aux_what = TC_AUX_PRE)
