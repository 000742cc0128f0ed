// twice_kinds.cu - two kernels of one name, a GEMM and attention
// expect-first: same__is_the_name_of_one_kernel
// expect: same__is_the_name_of_one_kernel
// expect-line: 8
#include "tc.h"

TC_GEMM_DEFINE(same, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_ATTN_DEFINE(same, .type = TC_BF16)
