// sparse_type.cu - a sparse operand of f64
// expect: tc: .sparse is of TC_F16, TC_BF16, TC_TF32, TC_S8
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F64, .b = TC_F64, .d = TC_F64, .sparse = TC_SPARSE_A)
