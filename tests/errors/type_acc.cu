// type_acc.cu - sums in f16 of bf16
// expect: tc: .acc must be TC_F16, of TC_F16 and fp8 alone, or left out
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .acc = TC_F16)
