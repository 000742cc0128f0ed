// sm100_index_narrow.cu - rows of 6 bits that are looked up
// expect: tc: .index = TC_INDEX_A wants A of 8 bits or more, or two TC_E2M1 with .sf
// expect-line: 7
// arch: 100a
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E3M2, .b = TC_E4M3, .d = TC_BF16, .index = TC_INDEX_A)
