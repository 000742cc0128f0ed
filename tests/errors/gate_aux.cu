// gate_aux.cu - a gate and a second output
// expect: tc: .gate does not go with .aux, .col_sum, .all_sum of another kind than .row_sum
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_gate_silu, .col_sum = TC_SUM)
