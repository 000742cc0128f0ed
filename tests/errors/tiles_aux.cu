// tiles_aux.cu - a second output of a triangle
// expect: tc: .triangle, .tile, .k_range and .bsr do not go with .groups, .index, .aux, a quantised D
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .triangle = TC_TRIANGLE_UPPER, .aux = TC_BF16,
                    .aux_what = TC_AUX_PRE)
