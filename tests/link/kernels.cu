/* kernels.cu - the generators, in one file; call.cu, main.c and threads in it know them by their declarations. */
#define TC_SM90_STUBS
#include "tc.h"

TC_GEMM_DEFINE(link_gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .shapes = TC_SHAPES_FEW_ROWS)
TC_ATTN_DEFINE(link_attn, .type = TC_BF16, .head_dim = 64)
