/* both.h - a header with generators, which two .cu files of one program include. */
#define TC_STATIC_ENTRIES
#define TC_SM90_STUBS
#include "tc.h"

TC_GEMM_DEFINE(both_gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .shapes = TC_SHAPES_FEW_ROWS)
TC_ATTN_SM80_DEFINE(both_attn, .type = TC_F16, .head_dim = 64)
