// rows_quant_top.cu - the largest of quantised rows
// expect: tc: .op = TC_QUANTISE does not go with .top
// expect-line: 6
#include "tc.h"

TC_ROWS_DEFINE(rows, .x = TC_BF16, .op = TC_QUANTISE, .y = TC_S8, .top = 4)
