// gate_both.cu - a gate and a hook
// expect: tc: give .gate or .epi, .epi2, not both
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_gate_silu, .epi = tc_epi_relu)
