// aux_epi_wrong.cu - the hook of a second output that makes an integer
// expect: float f(float x, tc_gemm_at at, const void *args), .aux_epi the same
// expect-line: 7
#include "tc.h"

TC_DEV int sign(float x, tc_gemm_at at, const void *args) { return x > 0.f && at.row >= 0 && !args; }
TC_GEMM_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .aux = TC_S8, .aux_epi = sign)
