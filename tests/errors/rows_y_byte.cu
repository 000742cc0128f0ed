// rows_y_byte.cu - probabilities in 8 bits
// expect: tc: .y must be TC_F32, TC_F16 or TC_BF16; TC_E4M3, TC_E5M2 or TC_S8 are for .op = TC_QUANTISE
// expect-line: 6
#include "tc.h"

TC_ROWS_DEFINE(rows, .x = TC_BF16, .op = TC_SOFTMAX, .y = TC_E4M3)
