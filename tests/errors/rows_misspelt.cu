// rows_misspelt.cu - a field that there is not
// expect: topk
// expect-line: 6
#include "tc.h"

TC_ROWS_DEFINE(rows, .x = TC_F32, .topk = 4)
