// rows_type.cu - a type that rows have not
// expect: tc: .x must be TC_F32, TC_F16 or TC_BF16
// expect-line: 6
#include "tc.h"

TC_ROWS_DEFINE(rows, .x = TC_E4M3, .op = TC_SOFTMAX)
