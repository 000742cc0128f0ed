// conv_layout.cu - a convolution knows one layout
// expect: tc: a convolution has X and Y as NHWC, W as KRSC, and one product
// expect-line: 6
#include "tc.h"

TC_CONV_SM90_DEFINE(conv, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .d_layout = TC_COL)
