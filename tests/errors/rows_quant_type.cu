// rows_quant_type.cu - quantised rows without the type of their elements
// expect: tc: .op = TC_QUANTISE wants .y = TC_E4M3, TC_E5M2 or TC_S8
// expect-line: 6
#include "tc.h"

TC_ROWS_DEFINE(rows, .x = TC_BF16, .op = TC_QUANTISE)
