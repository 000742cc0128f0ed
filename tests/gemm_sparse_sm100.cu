/* gemm_sparse_sm100.cu - gemm_sparse.cu's products by the generated kernels of Blackwell, and what these refuse. In
 * tcemu as sm_100a and sm_103a.
 *     build/tests/gemm_sparse_sm100 [problems] [seed]
 * Built with -DSPARSE_ALL it has more kernels. */
#define TC_SM100_STUBS
#define FUZZ_KERNELS "gemm_sparse_sm100.h"
#include "gemm_sparse.cu"

#define NO(change, status, text)                                                                               \
    do {                                                                                                       \
        tc_gemm_args g = good;                                                                                 \
        change;                                                                                                \
        const tc_status st_ = pair_can_run(&g, 0);                                                             \
        CHECK(st_ == (status) && strstr(tc_why(), text), "status %d, \"%s\", not \"%s\"", st_, tc_why(), text); \
    } while (0)
#define REFUSED(change, text)                                                                                  \
    do {                                                                                                       \
        tc_gemm_config c = as_given;                                                                           \
        tc_gemm_sm100_launch l;                                                                                \
        change;                                                                                                \
        CHECK(tc_gemm_sm100_prepare(&c, &good, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), text),             \
              "\"%s\", not \"%s\"", tc_why(), text);                                                           \
    } while (0)

static void more(int cc)
{
    static const told hook = {(int *)4096, (const float *)4096, 300, 200};
    tc_gemm_config as_given;
    tc_gemm_args good;
    tc_gemm_sm100_launch l;
    memset((void *)&as_given, 0, sizeof as_given), memset(&good, 0, sizeof good);
    as_given.a = as_given.b = as_given.d = TC_BF16, as_given.sparse = TC_SPARSE_A;
    good.m = 300, good.n = 200, good.k = 128, good.a = good.b = good.meta = (void *)4096, good.d = (void *)4096;
    good.lda = 64, good.ldb = 128, good.ldd = 200;
    if (cc) /* a tensor map needs a driver */
        CHECK(tc_gemm_sm100_prepare(&as_given, &good, 66, &l) == TC_OK && l.block == 224 && l.grid == 4, "%s: %u, %u",
              tc_why(), l.block, l.grid);
    REFUSED(c.sparse = TC_SPARSE_B, "TC_SPARSE_B .d_layout = TC_COL");
    REFUSED(c.sparse = 3, ".sparse must be TC_SPARSE_A");
    REFUSED(c.bk = 64, "with .sparse, .bk must be 128 of elements of 16 bits");
    REFUSED(c.groups = TC_GROUPS_ROWS, ".sparse does not go with .groups");
    REFUSED(c.a_layout = TC_COL, ".sparse wants .a_layout TC_ROW");
    REFUSED((c.a = c.b = TC_E2M1, c.sf = TC_SF_UE4M3_16), ".sparse is of TC_F16, TC_BF16");
    if (cc < 100 || cc >= 120) return;
#ifdef SPARSE_ALL
    { /* TC_GEMM_DEFINE takes these kernels, and where TMA refuses A the sm_80 ones; nothing of this is launched */
        tc_gemm_plan plan;
        tc_gemm_args g = good;
        CHECK(any_bf16_plan(&g, &plan) == TC_OK && strstr(plan.call.kernel.name, "100"), "%s", plan.call.kernel.name);
        g.lda = 68;
        CHECK(any_bf16_plan(&g, &plan) == TC_OK && strstr(plan.call.kernel.name, "sm80_any"), "%s",
              plan.call.kernel.name);
        g.lda = 64, g.ldd = 300;
        CHECK(any_b_f16_plan(&g, &plan) == TC_ERR_PITCH && strstr(tc_why(), "lda = 64 is less than k"), "%s", tc_why());
        g.lda = 128, g.ldb = 64;
        CHECK(any_b_f16_plan(&g, &plan) == TC_OK && strstr(plan.call.kernel.name, "100"), "%s", plan.call.kernel.name);
    }
#endif
    good.epi_args = &hook, good.epi_size = sizeof hook;
    CHECK(pair_can_run(&good, 0) == TC_OK, "%s", tc_why());
    NO(g.meta = 0, TC_ERR_NULL, "meta is null, but the kernel has .sparse");
    NO(g.meta = (void *)4104, TC_ERR_ALIGN, "meta = 0x1008 is not a multiple of 16 bytes");
    NO(g.lda = 56, TC_ERR_PITCH, "lda = 56 is less than k / 2 = 64");
    NO(g.lda = 68, TC_ERR_ALIGN, "lda = 68");
    NO(g.k = 124, TC_ERR_SIZE, "k = 124 is not a multiple of 8, as the sparse operand needs");
    NO((g.batch = 2, g.stride_d = 64000, g.stride_meta = 512), TC_ERR_BATCH, "stride_meta = 512 must be 0, or");
}
