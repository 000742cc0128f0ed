// gemm_shapes.cu - .shapes without a shape
// expect: tc: .shapes must be of TC_SHAPES_LARGE, _FEW_ROWS and _SMALL
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .shapes = TC_SHAPES_UNALIGNED)
