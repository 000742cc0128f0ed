/* use.cu - every generator in one file, as a user writes it; compile.sh compiles it for every target. */
#include "tc.h"

typedef struct { const float *bias; float scale; } use_args;

TC_DEV float use_hook(float x, int row, int col, const void *args)
{
    const use_args *p = (const use_args *)args;
    (void)row;
    return tc_gelu(x * p->scale + p->bias[col]);
}

TC_GEMM_DEFINE(use_gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi_size = sizeof(use_args), .epi = use_hook)

/* These two belong to their own target; a file for many targets writes TC_GEMM_DEFINE, or guards them like this. */
#if TC_HAS_SM90A && !defined(USE_GEMM_ONLY)
TC_GEMM_SM90_DEFINE(use_sm90, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 128, .bn = 64)
#endif
#if TC_HAS_SM80 && !defined(USE_GEMM_ONLY)
TC_GEMM_SM80_DEFINE(use_sm80, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn = 64)
#endif

tc_status use(const tc_gemm_args *args, cudaStream_t stream)
{
    const char *why;
    const tc_status st = use_gemm_can_run(args, &why);
    return st == TC_OK ? use_gemm_run(args, stream) : st;
}
