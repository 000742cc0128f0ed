// gate_wrong.cu - a hook on one product where a gate belongs
// expect: .gate = float f(float gate, float up, tc_gemm_at at, const void *args)
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_epi_relu)
