// bits_sm90.cu - elements of 4 bits, which wgmma has not
// expect: others are for TC_GEMM_SM80_DEFINE, TC_GEMM_DEFINE
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_S4, .b = TC_S4, .d = TC_S32)
