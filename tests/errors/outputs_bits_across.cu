// outputs_bits_across.cu - bits whose bytes go across D's rows
// expect: tc: .aux = TC_B1 lies as D does: eight neighbours of a line of D are a byte
// expect-line: 8
// arch: 80
#include "tc_gemm.h"

TC_DEV float above(float x, tc_gemm_at at, const void *args) { return x > 0.f && at.row >= 0 && !args ? 1.f : 0.f; }
TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux = TC_B1, .aux_epi = above,
                    .aux_layout = TC_COL, .epi_size = TC_NO_ARGS)
