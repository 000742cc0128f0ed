// conv_row_sum.cu - what no convolution has
// expect: .row_sum, .col_sum, .all_sum, 
// expect-line: 6
#include "tc.h"

TC_CONV_SM80_DEFINE(conv, .a = TC_F16, .b = TC_F16, .d = TC_F16, .row_sum = TC_SUM)
