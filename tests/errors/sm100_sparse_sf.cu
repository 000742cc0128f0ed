// sm100_sparse_sf.cu - a sparse operand with factors of a byte
// expect: tc: .sparse is of TC_F16, TC_BF16, TC_TF32, TC_S8
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .sparse = TC_SPARSE_A, .sf = TC_SF_UE8M0_32)
