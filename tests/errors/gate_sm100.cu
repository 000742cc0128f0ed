// gate_sm100.cu - a gate in a tcgen05 kernel
// expect: tc: .gate is for TC_GEMM_DEFINE, TC_GEMM_SM90_DEFINE and TC_GEMM_SM80_DEFINE
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_gate_silu)
