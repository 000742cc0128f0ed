// outputs_layout.cu - the layout of a second output that is not there
// expect: tc: .aux_layout must be TC_ROW or TC_COL, beside .aux, or left out: as D lies
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux_layout = TC_COL)
