// gate_sm100.cu - a gate in a tcgen05 kernel of which half a tile's columns are no whole places of D
// expect: tc: with .gate, .bn must be a multiple of 32
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 48, .gate = tc_gate_silu)
