// gate_aux.cu - a gate and a second output
// expect: tc: .gate does not go with .aux, a quantised D, .triangle
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_gate_silu, .aux = TC_BF16,
                    .aux_what = TC_AUX_PRE)
