/* gemm_sparse_sm120.cu - gemm_sparse.cu for the kernels of the sm_120 family, and what they refuse. In tcemu as
 * sm_120a.
 *     build/tests/gemm_sparse_sm120 [problems] [seed]
 * Built with -DSPARSE_ALL it has more kernels. */
#define TC_SM120_STUBS
#define FUZZ_KERNELS "gemm_sparse_sm120.h"
#define FUZZ_MORE more
static void more(int cc);
#include "gemm_sparse.cu"

#define REFUSES(call, status, text)                                                                          \
    do {                                                                                                     \
        const tc_status st_ = (call);                                                                        \
        CHECK(st_ == (status) && strstr(tc_why(), text), "status %d, \"%s\", not \"%s\"", st_, tc_why(), text); \
    } while (0)

/* Calls that may not be, and configurations that a program asks about. */
static void more(int cc)
{
    tc_gemm_config c = bf16_config();
    tc_gemm_args g;
    tc_gemm_sm120_launch l;
    const told hook = {0, 0, 0, 0};
    memset(&g, 0, sizeof g);
    g.m = 300, g.n = 200, g.k = 128, g.a = g.b = g.d = (void *)4096, g.lda = 64, g.ldb = 128, g.ldd = 200;
    g.epi_args = &hook, g.epi_size = sizeof hook;
    REFUSES(tc_gemm_sm120_prepare(&c, &g, 170, &l), TC_ERR_NULL, "meta is null, but the kernel has .sparse");
    g.meta = (void *)4104;
    REFUSES(tc_gemm_sm120_prepare(&c, &g, 170, &l), TC_ERR_ALIGN, "meta = 0x1008 is not a multiple of 16 bytes");
    g.meta = (void *)4096, g.lda = 56;
    REFUSES(tc_gemm_sm120_prepare(&c, &g, 170, &l), TC_ERR_PITCH, "lda = 56 is less than k / 2 = 64");
    g.lda = 68;
    REFUSES(tc_gemm_sm120_prepare(&c, &g, 170, &l), TC_ERR_ALIGN, "lda = 68 elements = 136 bytes");
    g.lda = 64, g.k = 124;
    REFUSES(tc_gemm_sm120_prepare(&c, &g, 170, &l), TC_ERR_SIZE, "k = 124 is not a multiple of 8");
    g.k = 128, g.batch = 2, g.stride_a = 32768, g.stride_d = 65536, g.stride_meta = 2048;
    REFUSES(tc_gemm_sm120_prepare(&c, &g, 170, &l), TC_ERR_BATCH, "stride_meta = 2048 must be 0, or a multiple of 16 "
                                                                  "bytes and at least the 5120");
    g.batch = 0, g.stride_a = g.stride_d = g.stride_meta = 0;
    CHECK(tc_gemm_sm120_prepare(&c, &g, 170, &l) == TC_OK && l.grid == 6 && l.block == 384
              && (int)l.smem == bf16_SMEM && bf16_SMEM <= 101376,
          "%s: grid %u, block %u", tc_why(), l.grid, l.block);
#define REFUSED(change, undo, words)                                                           \
    change;                                                                                    \
    REFUSES(tc_gemm_sm120_prepare(&c, &g, 170, &l), TC_ERR_CONFIG, words);                     \
    undo
    REFUSED(c.bk = 32, c.bk = 0, "with .sparse, .bk must be 64 or 128 of elements of 16 bits");
    REFUSED(c.bm = 96, c.bm = 0, "must be 16, 32 or a multiple of 64");
    REFUSED(c.groups = TC_GROUPS_ROWS, c.groups = 0, ".sparse does not go with .groups");
    REFUSED(c.b_layout = TC_ROW, c.b_layout = 0, ".sparse wants .a_layout TC_ROW and .b_layout TC_COL");
    REFUSED(c.d_layout = TC_COL, c.d_layout = 0, "TC_SPARSE_A wants .d_layout = TC_ROW");
    REFUSED(c.sparse = TC_SPARSE_B, c.sparse = TC_SPARSE_A, "TC_SPARSE_B .d_layout = TC_COL");
    c.sparse = 0, g.lda = 128;
    REFUSES(tc_gemm_sm120_prepare(&c, &g, 170, &l), TC_ERR_CONFIG, "meta is given, but the kernel was");
    c.sparse = TC_SPARSE_A, c.a = c.b = TC_E2M3;
    REFUSES(tc_gemm_sm120_prepare(&c, &g, 170, &l), TC_ERR_CONFIG, ".sparse is of TC_F16, TC_BF16");
}
