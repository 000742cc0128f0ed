// gate_size.cu - arguments of a gate where the second tensor map lies
// expect: tc: .gate leaves the hook's arguments (.epi_size) 128 bytes less than TC_EPI_MAX
// expect-line: 7
#include "tc.h"

TC_DEV float hook(float gate, float up, tc_gemm_at at, const void *args) { return (void)at, (void)args, gate * up; }
TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = hook, .epi_size = 192)
