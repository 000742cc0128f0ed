// misspelt_field.cu - a field that does not exist
// expect: stagse
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .stagse = 4)
