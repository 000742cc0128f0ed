// sm80_bn.cu - a tile that does not divide among the warps
// expect: tc: .bn must be a multiple of 16 * .warps_n
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 72)
