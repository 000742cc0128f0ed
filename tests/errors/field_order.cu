// field_order.cu - fields out of order
// expect: out-of-order initializers
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .bm = 128)
