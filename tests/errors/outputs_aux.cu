// outputs_aux.cu - a second output that nobody says what it is
// expect: tc: .aux needs to know what it is: .aux_what = TC_AUX_PRE, or a hook .aux_epi
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux = TC_BF16)
