// rows_top.cu - more of a row than a warp has lanes
// expect: tc: .top must be in 0..32
// expect-line: 6
#include "tc.h"

TC_ROWS_DEFINE(rows, .x = TC_F32, .top = 40)
