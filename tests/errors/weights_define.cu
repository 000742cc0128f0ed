// weights_define.cu - packed weights, which the sm_120 family's own kernels do not take
// expect: .weights, .weights_k and .weights_zero are for TC_GEMM_DEFINE and TC_GEMM_SM80_DEFINE here
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4)
