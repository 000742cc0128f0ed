// gate_without_size.cu - a gate of one's own that does not say how large its arguments are
// expect: tc: a hook needs .epi_size = sizeof of its arguments, TC_NO_ARGS where it takes none
// expect-line: 7
#include "tc.h"

TC_DEV float hook(float gate, float up, tc_gemm_at at, const void *args) { return (void)at, (void)args, gate * up; }
TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = hook)
