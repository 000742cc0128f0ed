// twice_gemm.cu - two GEMMs of one name: one sentence, four lines, for each of its functions, none for its kernels
// expect: function "same_config" has already been defined (previous definition at line 7)
// expect-line: 8
// expect-first: function "same_config" has already been defined (previous definition at line 7)
#include "tc.h"

TC_GEMM_DEFINE(same, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_DEFINE(same, .a = TC_F16, .b = TC_F16, .d = TC_F16)
