// gate_layout.cu - a gate with B in rows
// expect: tc: .gate wants .b_layout TC_COL and .d_layout TC_ROW
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .b_layout = TC_ROW, .gate = tc_gate_silu)
