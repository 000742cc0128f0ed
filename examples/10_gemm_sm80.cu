/* 10_gemm_sm80.cu - a generated GEMM for every device from sm_80 on: cp.async, ldmatrix, mma.sync.
 * The tile is the one that serves large problems best where a block may have 144 KB of shared memory (sm_80, sm_87,
 * sm_90, sm_100...); sm_86, sm_89 and sm_120 give 99 KB, and NAME_can_run says so: there the default tile of 96 KB
 * steps in. */
#include "gemm_main.h"

TC_GEMM_SM80_DEFINE(gemm_big, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .bk = 64, .stages = 3)
TC_GEMM_SM80_DEFINE(gemm_default, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)

static tc_status gemm_run(const tc_gemm_args *args, cudaStream_t stream)
{
    const char *why;
    const tc_status st = gemm_big_can_run(args, &why);
    return st == TC_ERR_SMEM ? gemm_default_run(args, stream) : gemm_big_run(args, stream);
}

int main(void)
{
    const gemm_example e = {gemm_run, 0, 0, 0, 0, 0};
    int failed = 0;
    example_device(80);
    failed += gemm_example_shape(&e, 4096, 4096, 4096);
    failed += gemm_example_shape(&e, 8192, 8192, 8192);
    failed += gemm_example_shape(&e, 1001, 999, 1003); /* no alignment is asked for */
    return failed;
}
