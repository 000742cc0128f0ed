// twice_sm80.cu - two GEMMs for sm_80 of one name
// expect: function "same_config" has already been defined (previous definition at line 7)
// expect-line: 8
// expect-first: function "same_config" has already been defined (previous definition at line 7)
#include "tc.h"

TC_GEMM_SM80_DEFINE(same, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM80_DEFINE(same, .a = TC_F16, .b = TC_F16, .d = TC_F16)
