// rows_nothing.cu - neither probabilities nor the largest
// expect: tc: neither .op nor .top is set: there is nothing to do
// expect-line: 6
#include "tc.h"

TC_ROWS_DEFINE(rows, .x = TC_F32)
