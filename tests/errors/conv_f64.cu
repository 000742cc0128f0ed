// conv_f64.cu - a type that convolutions do not have
// expect: tc: a convolution multiplies f16, bf16, tf32, fp8 and integers of 8 bits, not TC_F64
// expect-line: 6
#include "tc.h"

TC_CONV_SM80_DEFINE(conv, .a = TC_F64, .b = TC_F64, .d = TC_F64)
