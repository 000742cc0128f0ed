// rows_renorm.cu - logarithms divided by their sum
// expect: tc: .renorm is 0 or 1, and 1 wants .top, and not .op = TC_LOG_SOFTMAX
// expect-line: 6
#include "tc.h"

TC_ROWS_DEFINE(rows, .x = TC_F32, .op = TC_LOG_SOFTMAX, .top = 4, .renorm = 1)
