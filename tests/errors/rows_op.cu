// rows_op.cu - an operation that rows have not
// expect: tc: .op must be 0, TC_SOFTMAX, TC_LOG_SOFTMAX or TC_QUANTISE
// expect-line: 6
#include "tc.h"

TC_ROWS_DEFINE(rows, .x = TC_BF16, .op = 4)
