// sm90_schedule.cu - a schedule that does not exist
// expect: tc: .schedule must be TC_COOPERATIVE or TC_PINGPONG
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .schedule = 3)
