// outputs_all.cu - three sums, each of another kind
// expect: tc: beside both .row_sum and .col_sum, .all_sum must be what one of them is
// expect-line: 9
// arch: 80
#include "tc_gemm.h"

#define F16 .a = TC_F16, .b = TC_F16, .d = TC_F16

TC_GEMM_SM80_DEFINE(gemm, F16, .row_sum = TC_SUM, .col_sum = TC_MAX, .all_sum = TC_SUM_SQ)
