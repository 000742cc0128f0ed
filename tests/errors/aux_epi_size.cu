// aux_epi_size.cu - the hook of a second output reads arguments, but nobody says how many
// expect: tc: a hook needs .epi_size = sizeof of its arguments, TC_NO_ARGS where it takes none
// expect-line: 7
#include "tc.h"

TC_DEV float by(float x, tc_gemm_at at, const void *args) { return x * ((const float *)args)[at.row % 2]; }
TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux = TC_F32, .aux_epi = by)
