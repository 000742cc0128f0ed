// aux_epi_host.cu - the hook of a second output without TC_DEV
// expect: aux_epi_a_hook_is_a_TC_DEV_function
// expect-line: 8
// expect-lines: 9
#include "tc.h"

static float sign(float x, tc_gemm_at at, const void *args) { return x > 0.f && at.row >= 0 && !args ? 1.f : 0.f; }
TC_GEMM_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .aux = TC_S8, .aux_epi = sign)
