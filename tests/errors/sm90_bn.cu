// sm90_bn.cu - a width that wgmma has not
// expect: tc: .bn must be a multiple of 16 in 16..256
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 100)
