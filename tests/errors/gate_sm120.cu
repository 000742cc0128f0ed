// gate_sm120.cu - a gate in an sm_120 kernel of which half a warp's columns are no whole places of D
// expect: tc: with .gate, .bn must be a multiple of 32 * .warps_n
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 96, .gate = tc_gate_silu)
