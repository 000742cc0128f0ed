/* gemm_sm120.cu - gemm_fuzz.cu for the generated kernels of the sm_120 family, and what they refuse. In tcemu as
 * sm_120a.
 *     build/tests/gemm_sm120 [problems] [seed] [largest dimension]
 * Half as many problems again go through kernels with factors of a byte, fp6 and fp4; of those every second one has
 * sums that are exact, and is compared bit for bit. */
#define TC_SM120_STUBS
#define FUZZ_FROM 120
#define FUZZ_KERNELS "gemm_sm120.h"
#include "gemm_fuzz.cu"

#include "gemm_refused.h"
#include "gemm_scaled.h"

static const kernel scaled_kernels[] = {
    ROW(nvfp4, EPI_NONE), ROW(mxfp4_to_col, EPI_SCALE_ROW), ROW(mxfp8, EPI_NONE), ROW(mxfp6_fp4, EPI_NONE),
    ROW(fp6_fp8, EPI_NONE), PARTS(mxfp8_split, EPI_NONE), ROW(mx_turned, EPI_NONE), ROW(fp6_turned, EPI_NONE),
#ifdef GEMM_SM120_ALL
    ROW(nvfp4_wide, EPI_SCALE_ROW), ROW(mxfp4, EPI_NONE), ROW(mxfp8_wide, EPI_NONE), ROW(mxfp8_fp6, EPI_NONE),
    ROW(fp4_fp4, EPI_NONE), ROW(fp8_fp6, EPI_SCALE_ROW),
#define MIX_ROW(at, bt) ROW(mix_##at##_##bt, EPI_NONE),
#define MIX_ROWS(at, bt) MIX_ROW(at, bt) ROW(mx_##at##_##bt, EPI_NONE),
    MIXES(MIX_ROWS, MIX_ROW) ROW(mx_col_col, EPI_NONE), ROW(mx_row_col, EPI_SCALE_ROW), PARTS(fp4_row, EPI_NONE),
#endif
};
enum { SCALED = sizeof scaled_kernels / sizeof scaled_kernels[0] };

/* ---- what a call may not be ---- */
enum { M = 300, N = 200, K = 128 };

static void bad_input(void)
{
    uint16_t *a = some(0), *b = some(0), *d = some(0xa5), *untouched = some(0xa5);
    static bad_call good;
    good.one = 1.f;
    good.g.m = M, good.g.n = N, good.g.k = K, good.g.a = a, good.g.lda = K, good.g.b = b, good.g.ldb = K;
    good.g.d = d, good.g.ldd = N;
    NO(pong, x.g.m = -1, TC_ERR_SIZE, "m = -1");
    NO(pong, x.g.lda = K - 1, TC_ERR_PITCH, "lda = 127");
    NO(pong, x.g.lda = K + 4, TC_ERR_ALIGN, "lda = 132");
    NO(pong, x.g.b = b + 4, TC_ERR_ALIGN, "b = 0x");
    NO(pong, x.g.d = 0, TC_ERR_NULL, "d is null");
    NO(pong, (x.g.beta = &x.one, x.g.ldc = N), TC_ERR_NULL, "c is null");
    NO(pong, (x.g.batch = 2, x.g.stride_d = 64000, x.g.stride_a = 9), TC_ERR_ALIGN, "stride_a = 9");
    NO(pong, (x.g.choice = &x.choice, x.choice.parts = 2), TC_ERR_CONFIG, "choice->parts = 2");
    NO(pong, (x.g.choice = &x.choice, x.choice.width = 64), TC_ERR_CONFIG, "choice->width = 64 must be 128");
    NO(pong, (x.g.choice = &x.choice, x.choice.cluster = 2), TC_ERR_CONFIG, "choice->cluster = 2");
    NO(pong, (x.g.choice = &x.choice, x.choice.blocks = -1), TC_ERR_CONFIG, "choice->blocks = -1");
    NO(pong, x.g.sfb = b, TC_ERR_CONFIG, "sfb is given, but the kernel was generated without .sf");
    NO(pong, (x.g.m = x.g.n = x.g.lda = x.g.ldb = x.g.ldd = 0x7ff00000, x.g.k = 1, x.g.batch = 9, x.g.stride_d = 8),
       TC_ERR_SIZE, "more than 2^31 tiles");
    NO(nvfp4, (void)x, TC_ERR_NULL, "sfa is null");
    NO(nvfp4, x.g.sfa = a, TC_ERR_NULL, "sfb is null");
    NO(nvfp4, (x.g.sfa = a, x.g.sfb = (char *)b + 8), TC_ERR_ALIGN, "sfb = 0x");
    NO(nvfp4, (x.g.sfa = a, x.g.sfb = b, x.g.k = 127), TC_ERR_SIZE, "k = 127 is odd");
    NO(nvfp4, (x.g.sfa = a, x.g.sfb = b, x.g.batch = 2, x.g.stride_d = 64000, x.g.stride_sfa = 8), TC_ERR_BATCH,
       "stride_sfa = 8");
    NO(fp6_fp8, x.g.k = 96, TC_ERR_SIZE, "k = 96 is not a multiple of 128");
    NO(fp6_fp8, x.g.a = a + 8, TC_ERR_ALIGN, "not a multiple of 32 bytes, as TMA needs of e2m3");
    NO(fp6_fp8, x.g.lda = 192, TC_ERR_ALIGN, "lda = 192");
    NO(fp6_turned, (x.g.k = 100, x.g.lda = 384, x.g.ldb = 256), TC_ERR_SIZE, "m = 300 is not a multiple of 128");
    NO(fp6_turned, (x.g.m = 256, x.g.lda = x.g.ldb = 256), TC_ERR_SIZE, "n = 200 is not a multiple of 128");
    CHECK(pong_run(0, 0) == TC_ERR_NULL && pong_plan(&good.g, 0) == TC_ERR_NULL, "null");
    CHECK(same(d, untouched), "D is written by a call that is refused");
    CHECK(pong_workspace(&good.g) == 0, "a workspace for what splits nothing");
    NO(split_pong, (x.g.epi_args = &x, x.g.epi_size = sizeof(once_args), x.g.choice = &x.choice, x.choice.parts = 2),
       TC_ERR_SIZE, "workspace_size = 0, but 2 parts take");
    cudaFree(a), cudaFree(b), cudaFree(d), cudaFree(untouched);
}

static void plans(void)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.lda = K, g.ldb = K, g.ldd = N;
    const planned rows = PLANNED(pong, g, nvfp4);
    plan_bits(&rows);
}

/* Configurations that a program asks about, and a call that it launches by itself. */
static void prepared(void)
{
    tc_gemm_config c;
    tc_gemm_args g;
    tc_gemm_sm120_launch l;
    memset(&c, 0, sizeof c), memset(&g, 0, sizeof g);
    c.a = c.b = c.d = TC_BF16;
    g.m = M, g.n = N, g.k = K, g.lda = g.ldb = K, g.ldd = N;
    g.a = g.b = (void *)256, g.d = (void *)256;
    CHECK(tc_gemm_sm120_prepare(&c, &g, 170, &l) == TC_OK && l.grid == 6 && l.cluster == 1 && l.block == 384
              && (int)l.smem == pong_SMEM && pong_SMEM <= 101376, "%s: grid %u, block %u", tc_why(), l.grid, l.block);
    CHECK(tc_gemm_sm120_prepare(&c, &g, 0, &l) == TC_ERR_SIZE && strstr(tc_why(), "blocks = 0"), "%s", tc_why());
#define REFUSED(change, undo, words)                                                                                  \
    do {                                                                                                              \
        change;                                                                                                       \
        CHECK(tc_gemm_sm120_prepare(&c, &g, 170, &l) == TC_ERR_CONFIG && strstr(tc_why(), words), "%s: %s", #change,  \
              tc_why());                                                                                              \
        undo;                                                                                                         \
    } while (0)
    REFUSED(c.bm = 72, c.bm = 0, ".bm = 72");
    REFUSED(c.bn = 256, c.bn = 0, "more registers than a thread can have");
    REFUSED(c.bk = 48, c.bk = 0, ".bk must be 64, 128 or 256 bytes");
    REFUSED(c.stages = 7, c.stages = 0, "fit in 99 KB");
    REFUSED(c.warps_m = 5, c.warps_m = 0, ".warps_m");
    REFUSED(c.swap = 1, c.swap = 0, "other generations");
    REFUSED((c.split = 1, c.groups = TC_GROUPS_ROWS), c.split = c.groups = 0, "without .groups");
    REFUSED(c.cluster_m = 2, c.cluster_m = 0, "other generations");
    REFUSED(c.index = TC_INDEX_A, c.index = 0, "no .index = TC_INDEX_A, .aux");
    REFUSED(c.sf = TC_SF_UE8M0_32, c.sf = 0, ".sf must be TC_SF_UE8M0_32 of fp8");
    REFUSED(c.schedule = 3, c.schedule = 0, ".schedule = 3");
    c.a = TC_E4M3, c.b = TC_E2M3, c.acc = TC_F16;
    REFUSED((void)0, (void)0, ".acc = TC_F16 of TC_GEMM_SM120_DEFINE is of TC_F16, or of fp8 on both sides");
    c.acc = 0;
    c.a = c.b = TC_E2M1, c.sf = TC_SF_UE4M3_16;
    REFUSED(c.bm = 96, c.bm = 0, "with .sf, .bm and .bn must be 64 or 128");
    REFUSED(c.b_layout = TC_ROW, c.b_layout = 0, "not for .sf with TC_E2M1 on both sides");
    c.sf = 0;
    REFUSED((c.b_layout = TC_ROW, c.bn = 64), c.b_layout = c.bn = 0, "B in rows a .bn that is a multiple of 128");
    c.sf = TC_SF_UE4M3_16;
    REFUSED(c.b = TC_E4M3, c.b = TC_E2M1, "TC_SF_UE4M3_16 of TC_E2M1");
}

/* TC_GEMM_DEFINE: which of its kernels. */
static void picked(void)
{
    static const struct { int m, n, k, sms, want; } shapes[] = {
        {8192, 8192, 8192, 170, 1}, {1024, 2048, 4096, 170, 1}, {256, 256, 4096, 170, 2}, {64, 4096, 4096, 170, 2}};
    const tc_gemm_config c = any_config();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        tc_gemm_args g;
        tc_gemm_plan plan;
        const tc_epi_vector v = {(const float *)256};
        memset(&g, 0, sizeof g);
        g.m = shapes[i].m, g.n = shapes[i].n, g.k = shapes[i].k;
        const int got = tc__gemm120_choose(&c, &g, shapes[i].sms);
        CHECK(got == shapes[i].want, "%d x %d x %d: kernel %d, not %d", g.m, g.n, g.k, got, shapes[i].want);
        g.a = g.b = (const void *)256, g.d = (void *)256, g.lda = g.ldb = g.k, g.ldd = g.n;
        g.epi_args = &v, g.epi_size = sizeof v; /* nothing of this is launched: the matrices are nowhere */
        CHECK(any_plan(&g, &plan) == TC_OK && strstr(plan.call.kernel.name, "120"), "%s", plan.call.kernel.name);
        g.ldb++;
        CHECK(any_plan(&g, &plan) == TC_OK && strstr(plan.call.kernel.name, "sm80_any"), "%s", plan.call.kernel.name);
    }
}

static void more(int problems, uint64_t seed, int largest)
{
    const int device = test_device();
    prepared();
    if (device < 120 || device >= 130) {
        static uint32_t none[64];
        tc_gemm_args g;
        memset(&g, 0, sizeof g);
        g.m = g.n = 8, g.ldd = 8, g.d = none;
        CHECK(pong_can_run(&g, 0) == TC_ERR_DEVICE && strstr(tc_why(), "12.x"), "%s", tc_why());
        return;
    }
    bad_input();
    plans();
    picked();
    for (int i = 0; i < (problems + 1) / 2; i++) {
        test_seed(seed + (uint64_t)i + 1000000);
        scaled(&scaled_kernels[i % SCALED], (uint64_t)i, largest);
    }
}
