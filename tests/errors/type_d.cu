// type_d.cu - a D that no epilogue writes
// expect: tc: .d must be TC_F16, TC_BF16 or TC_F32
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_S8)
