// gemm_shapes_sm90.cu - .shapes for a generator of one tile
// expect: tc: .shapes leaves kernels of TC_GEMM_DEFINE out
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .shapes = TC_SHAPES_LARGE)
