// misspelt_field_any.cu - a field that does not exist, in the general generator
// expect: epi_fn
// expect-line: 7
#include "tc.h"

TC_DEV float hook(float x, tc_gemm_at at, const void *args) { return x + 0.f * (at.row + at.col) + (args ? 0.f : 1.f); }
TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi_fn = hook)
