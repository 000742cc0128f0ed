/* gemm_sm100.cu - gemm_fuzz.cu for the generated kernels of Blackwell, and what they refuse. In tcemu as sm_100a and
 * sm_103a.
 *     build/tests/gemm_sm100 [problems] [seed] [largest dimension] */
#define TC_SM100_STUBS
#define FUZZ_FROM 100
/* of a kernel that divides k */
#define PARTS(name, epi) {#name, name##_can_run, name##_run, 100, epi, name##_SMEM, name##_config(), 1, 0, 0, 0}
#ifdef FUZZ_RUBIN
#define FUZZ_KERNELS "gemm_sm107.h"
#else
#define FUZZ_KERNELS "gemm_sm100.h"
#endif
#include "gemm_fuzz.cu"
#include "gemm_refused.h"

/* ---- what a call may not be, and the edges of what it may be ---- */
enum { M = 300, N = 200, K = 80 };

static void bad_input(void)
{
    uint16_t *a = some(0), *b = some(0), *d = some(0xa5), *untouched = some(0xa5);
    static bad_call good;
    good.one = 1.f, good.zero = 0.f;
    good.g.m = M, good.g.n = N, good.g.k = K, good.g.a = a, good.g.lda = K, good.g.b = b, good.g.ldb = K;
    good.g.d = d, good.g.ldd = N;
    NO(pair, x.g.m = -1, TC_ERR_SIZE, "m = -1");
    NO(pair, x.g.k = 0x7fffffff, TC_ERR_SIZE, "k = 2147483647");
    NO(pair, x.g.lda = K - 1, TC_ERR_PITCH, "lda = 79");
    NO(pair, x.g.lda = K + 4, TC_ERR_ALIGN, "lda = 84");
    NO(pair, x.g.ldb = K + 1, TC_ERR_ALIGN, "ldb = 81");
    NO(pair, x.g.a = a + 1, TC_ERR_ALIGN, "a = 0x");
    NO(pair, x.g.b = b + 4, TC_ERR_ALIGN, "b = 0x");
    NO(pair, x.g.d = (char *)d + 1, TC_ERR_ALIGN, "d = 0x");
    NO(pair, x.g.a = 0, TC_ERR_NULL, "a is null");
    NO(pair, x.g.d = 0, TC_ERR_NULL, "d is null");
    NO(pair, (x.g.beta = &x.one, x.g.ldc = N), TC_ERR_NULL, "c is null");
    NO(pair, (x.g.batch = 2, x.g.stride_a = 8), TC_ERR_BATCH, "stride_d = 0");
    NO(pair, (x.g.batch = 2, x.g.stride_d = 64000, x.g.stride_a = 9), TC_ERR_ALIGN, "stride_a = 9");
    NO(pair, x.g.epi_size = 8, TC_ERR_EPI, "without a hook");
    NO(pair, x.g.k = 0, TC_ERR_SIZE, "k = 0, but a is given");
    NO(pair, x.g.n = 0, TC_ERR_SIZE, "n = 0, but m = 300");
    NO(pair, x.g.workspace_size = 8, TC_ERR_NULL, "workspace is null");
    NO(pair, (x.g.choice = &x.choice, x.choice.parts = 2), TC_ERR_CONFIG, "choice->parts = 2");
    NO(pair, (x.g.choice = &x.choice, x.choice.width = 128), TC_ERR_CONFIG, "choice->width = 128 must be 256");
    NO(pair, (x.g.choice = &x.choice, x.choice.cluster = 3), TC_ERR_CONFIG, "choice->cluster = 3");
    NO(pair, (x.g.choice = &x.choice, x.choice.blocks = -1), TC_ERR_CONFIG, "choice->blocks = -1");
    NO(pair, (x.g.a_scale.lines = 1), TC_ERR_CONFIG, "a_scale is given");
    NO(pair, (x.g.m = x.g.n = x.g.lda = x.g.ldb = x.g.ldd = 0x7ff00000, x.g.k = 1, x.g.batch = 4, x.g.stride_d = 8),
       TC_ERR_SIZE, "more than 2^31 tiles");
    NO(pair, x.g.sfb = b, TC_ERR_CONFIG, "sfb is given, but the kernel was generated without .sf");
    { /* factors of a byte */
        tc_gemm_args g = good.g, h;
        g.lda = g.ldb = 96;
        CHECK(nvfp4_run(&g, 0) == TC_ERR_NULL && strstr(tc_why(), "sfa is null"), "%s", tc_why());
        g.sfa = a;
        CHECK(nvfp4_run(&g, 0) == TC_ERR_NULL && strstr(tc_why(), "sfb is null"), "%s", tc_why());
        g.sfb = (char *)b + 8;
        CHECK(nvfp4_run(&g, 0) == TC_ERR_ALIGN && strstr(tc_why(), "sfb = 0x"), "%s", tc_why());
        g.sfb = b, h = g, h.k = 79;
        CHECK(nvfp4_run(&h, 0) == TC_ERR_SIZE && strstr(tc_why(), "k = 79 is odd"), "%s", tc_why());
        h = g, h.lda = 81;
        CHECK(nvfp4_run(&h, 0) == TC_ERR_ALIGN && strstr(tc_why(), "lda = 81"), "%s", tc_why());
        h = g, h.batch = 2, h.stride_d = 64000, h.stride_sfa = 8;
        CHECK(nvfp4_run(&h, 0) == TC_ERR_BATCH && strstr(tc_why(), "stride_sfa = 8"), "%s", tc_why());
        h = g, h.batch = 2, h.stride_d = 64000, h.stride_b = 33;
        CHECK(nvfp4_run(&h, 0) == TC_ERR_ALIGN && strstr(tc_why(), "stride_b = 33"), "%s", tc_why());
    }
    CHECK(pair_run(0, 0) == TC_ERR_NULL && pair_plan(&good.g, 0) == TC_ERR_NULL, "null");
    { /* nothing to compute */
        tc_gemm_args g = good.g;
        g.m = 0;
        CHECK(pair_run(&g, 0) == TC_OK, "m = 0: %s", tc_why());
        g = good.g, g.n = 0, g.d = 0;
        CHECK(pair_run(&g, 0) == TC_OK, "n = 0: %s", tc_why());
    }
    CHECK(same(d, untouched), "D is written by a call that is refused, or computes nothing");
    CHECK(pair_workspace(&good.g) == 0, "a workspace for what splits nothing");
    NO(split_to_col, (x.g.ldd = M, x.g.choice = &x.choice, x.choice.parts = 256), TC_ERR_CONFIG,
       "choice->parts = 256 must be in 0..255");
    NO(split_to_col, (x.g.ldd = M, x.g.choice = &x.choice, x.choice.parts = 2), TC_ERR_SIZE,
       "workspace_size = 0, but 2 parts take");
    cudaFree(a), cudaFree(b), cudaFree(d), cudaFree(untouched);
}

/* Plans; also of D in columns, whose A is the instruction's B. */
static void plans(void)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.lda = K, g.ldb = K, g.ldd = N;
    const planned rows = PLANNED(pair, g, one_small);
    g.ldd = M;
    const planned columns = PLANNED(in_columns, g, one_small);
    plan_bits(&rows);
    plan_bits(&columns);
}

/* Configurations that a program asks about, and a call that it launches by itself. */
static void prepared(void)
{
    tc_gemm_config c;
    tc_gemm_args g;
    tc_gemm_sm100_launch l;
    memset(&c, 0, sizeof c), memset(&g, 0, sizeof g);
    c.a = c.b = c.d = TC_BF16;
    g.m = M, g.n = N, g.k = K, g.lda = g.ldb = K, g.ldd = N;
    g.a = g.b = (void *)256, g.d = (void *)256;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_OK && l.grid == 4 && l.cluster == 2 && l.block == 192
              && (int)l.smem == pair_SMEM, "%s: grid %u, cluster %u, block %u", tc_why(), l.grid, l.cluster, l.block);
    CHECK(tc_gemm_sm100_prepare(&c, &g, 0, &l) == TC_ERR_SIZE && strstr(tc_why(), "clusters = 0"), "%s", tc_why());
    c.bm = 64;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), ".bm = 64"), "%s", tc_why());
    c.bm = 0, c.bn = 264;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), ".bn = 264"), "%s", tc_why());
    c.bn = 0, c.cluster_m = 4;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), ".cluster_m = 4"), "%s", tc_why());
    c.cluster_m = 0, c.swap = 1;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), "other generations"), "%s",
          tc_why());
    c.swap = 0, c.split = c.clc = 1;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), "without .clc"), "%s", tc_why());
    c.split = c.clc = 0, c.stages = 40;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), "227 KB"), "%s", tc_why());
    c.stages = 0, c.a = c.b = TC_F64, c.d = TC_F64;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), "e2m1, s8 and"), "%s", tc_why());
}

static void refused_kinds(int device)
{
    static uint32_t none[64];
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = g.n = 8, g.ldd = 8, g.d = none;
    if (device == 103 || device == 107)
        CHECK(s8_can_run(&g, 0) == TC_ERR_DEVICE
                  && strstr(tc_why(), device == 103 ? "10.0 and 11.0; device 0 has 10.3" : "device 0 has 10.7"),
              "%s", tc_why());
    if (device < 100 || device >= 120)
        CHECK(s8_can_run(&g, 0) == TC_ERR_DEVICE && strstr(tc_why(), "10.x or 11.x"), "%s", tc_why());
}

/* ---- factors of a byte: random codes and factors, against fp64 ---- */
#include "gemm_scaled.h"

static const kernel scaled_kernels[] = {
    ROW(nvfp4, EPI_NONE), ROW(nvfp4_one, EPI_SCALE_ROW), ROW(mxfp4, EPI_NONE), ROW(mxfp4_to_col, EPI_SCALE_ROW),
    ROW(mxfp8, EPI_NONE), ROW(mxfp8_turned, EPI_SCALE_ROW), PARTS(nvfp4_split, EPI_NONE),
#ifdef FUZZ_RUBIN
    ROW(nvfp4_256, EPI_NONE), ROW(mxfp4_256, EPI_SCALE_ROW), ROW(mxfp8_256, EPI_NONE),
    ROW(nvfp4_wide, EPI_NONE), ROW(fp8_fp4, EPI_NONE),
    ROW(fp6_fp6, EPI_NONE), ROW(mx_fp6_fp8, EPI_NONE),
#else
    ROW(mxfp8_128, EPI_NONE), ROW(nvfp4_wide, EPI_NONE), ROW(mxfp8_wide, EPI_SCALE_ROW), ROW(wide_to_col, EPI_NONE),
    PARTS(wide_split, EPI_NONE),
#endif
};
enum { SCALED = sizeof scaled_kernels / sizeof scaled_kernels[0] };

/* TC_GEMM_DEFINE: which of its kernels; and where its build has none for the device, the sm_80 ones serve. */
static void picked(int device)
{
    static const struct { int m, n, k, batch, sms, want; } shapes[] = {
        {8192, 8192, 8192, 1, 148, 1}, {4096, 4096, 4096, 1, 148, 1}, {1024, 2048, 4096, 1, 148, 2},
        {256, 256, 4096, 1, 148, 3},  {100, 96, 128, 1, 148, 3} ,    {256, 256, 512, 200, 148, 1}};
    const tc_gemm_config c = any_config();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        tc_gemm_args g;
        memset(&g, 0, sizeof g);
        g.m = shapes[i].m, g.n = shapes[i].n, g.k = shapes[i].k, g.batch = shapes[i].batch;
        const int got = tc__gemm100_choose(&c, &g, shapes[i].sms);
        CHECK(got == shapes[i].want, "%d x %d x %d: kernel %d, not %d", g.m, g.n, g.k, got, shapes[i].want);
        if (device < 100 || device >= 120) continue; /* nothing of this is launched: the matrices are nowhere */
        tc_gemm_plan plan;
        const tc_epi_vector v = {(const float *)256};
        g.a = g.b = (const void *)256, g.d = (void *)256, g.lda = g.ldb = g.k, g.ldd = g.m + g.n, g.stride_d = 8;
        g.epi_args = &v, g.epi_size = sizeof v;
        CHECK(any_plan(&g, &plan) == TC_OK && strstr(plan.call.kernel.name, "100"), "%s", plan.call.kernel.name);
        g.ldb++;
        CHECK(any_plan(&g, &plan) == TC_OK && strstr(plan.call.kernel.name, "sm80_any"), "%s", plan.call.kernel.name);
        g.ldb--, g.epi_args = 0, g.epi_size = 0;
        CHECK(any_u8_plan(&g, &plan) == TC_OK
                  && strstr(plan.call.kernel.name, device == 103 || device == 107 ? "sm80" : "100"),
              "%s", plan.call.kernel.name);
    }
}

/* Parts of k: sums here are exact, so any number of them gives the same bits, whatever the workspace holds; and what
 * TC_GEMM_DEFINE splits by itself. */
static void in_parts(void)
{
    static const int parts[] = {1, 3, 3, 10, 2, 25};
    uint16_t *a = some(0), *b = some(0), *d = some(0xa5), *e = some(0xa5);
    tc_gemm_choice choice = {0, 0, 0, 0, 0, 0};
    const tc_epi_vector v = {(const float *)256};
    tc_gemm_sm100_params p;
    tc_gemm_args g;
    tc_gemm_plan plan;
    memset(&g, 0, sizeof g);
    g.m = 60, g.n = 72, g.k = 640, g.a = a, g.lda = g.ldb = g.k, g.b = b, g.d = d, g.ldd = g.m;
    CHECK(split_to_col_run(&g, 0) == TC_OK, "%s", tc_why());
    g.d = e, g.workspace = workspace(), g.workspace_size = WORKSPACE, g.choice = &choice;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        choice.parts = parts[i];
        if (i % 2) CUDA_CHECK(cudaMemset(g.workspace, (int)i * 77, 1 << 20));
        CHECK(split_to_col_plan(&g, &plan) == TC_OK && split_to_col_launch(&plan, 0) == TC_OK, "%s", tc_why());
        CHECK(same(d, e), "%d parts have other bits", parts[i]);
        memcpy((void *)&p, plan.params, sizeof p);
        CHECK((int)p.split.parts == parts[i], "%u parts, not %d", p.split.parts, parts[i]);
    }
    /* nothing of this is launched: the matrices are nowhere */
    g.m = 128, g.n = 64, g.k = 16384, g.lda = g.ldb = g.k, g.ldd = 256, g.a = g.b = g.d = (void *)256, g.choice = 0;
    g.epi_args = &v, g.epi_size = sizeof v;
    CHECK(any_workspace(&g) > 0 && any_workspace(&g) < WORKSPACE, "%llu bytes", (unsigned long long)any_workspace(&g));
    g.workspace_size = any_workspace(&g);
    CHECK(any_plan(&g, &plan) == TC_OK, "%s", tc_why());
    memcpy((void *)&p, plan.params, sizeof p);
    CHECK(p.split.parts > 1, "k = %d is not split", g.k);
    g.workspace_size = 0, g.workspace = 0;
    CHECK(any_plan(&g, &plan) == TC_OK, "%s", tc_why());
    memcpy((void *)&p, plan.params, sizeof p);
    CHECK(p.split.parts == 1, "k is split without a workspace");
    cudaFree(a), cudaFree(b), cudaFree(d), cudaFree(e);
}

#ifdef FUZZ_RUBIN
/* The form of sm_107 is what was launched: its shared memory, its k, its tensor memory. */
static void forms(void)
{
    const tc_gemm_config fp8 = tc_gemm_sm100_form(e4m3_config(), 107), fp4 = tc_gemm_sm100_form(nvfp4_config(), 107),
                         wide = nvfp4_256_config(), pairs = tc_gemm_sm100_form(pair_config(), 107);
    tc_gemm_args g;
    tc_gemm_plan plan;
    tc_gemm_sm100_launch l;
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.lda = g.ldb = K, g.ldd = N, g.a = g.b = g.d = (void *)256;
    CHECK(pair_plan(&g, &plan) == TC_OK && plan.call.kernel.smem == tc_gemm_sm100_smem(pairs)
              && plan.call.kernel.smem > 232448, "%d bytes: %s", plan.call.kernel.smem, tc_why());
    CHECK(pairs.stages > pair_config().stages, "%d stages, %d", pairs.stages, pair_config().stages);
    CHECK(tc_tcgen05_idesc_k(tc__gemm100_idesc_wide(fp8)) == 64, "k of e4m3");
    CHECK(tc_tcgen05_idesc_k(tc__gemm100_idesc_wide(fp4)) == 128, "k of nvfp4");
    CHECK(tc_gemm_sm100_columns(wide) == 576, "%d columns", tc_gemm_sm100_columns(wide));
    CHECK(tc_gemm_sm100_form(pair_config(), 100).stages == pair_config().stages, "the form of sm_100");
    { /* TC_GEMM_DEFINE's too; nothing of this is launched: the matrices are nowhere */
        const tc_epi_vector v = {(const float *)256};
        tc_gemm_args h = g;
        h.m = h.n = h.k = h.lda = h.ldb = h.ldd = 8192, h.epi_args = &v, h.epi_size = sizeof v;
        CHECK(any_plan(&h, &plan) == TC_OK && strstr(plan.call.kernel.name, "100") && plan.call.kernel.smem > 232448,
              "%s: %d bytes: %s", plan.call.kernel.name, plan.call.kernel.smem, tc_why());
    }
    tc_gemm_config c;
    memset((void *)&c, 0, sizeof c);
    c.a = c.b = c.d = TC_BF16, c.chip = 107;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_OK && (int)l.smem == tc_gemm_sm100_smem(pairs), "%u: %s", l.smem,
          tc_why());
    c.chip = 103;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), ".chip"), "%s", tc_why());
    c.chip = 107, c.stages = 40;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), "327 KB"), "%s", tc_why());
    c.stages = 0, c.a = c.b = TC_S8, c.d = TC_S32;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), "sm_107"), "%s", tc_why());
    c.a = c.b = TC_E2M1, c.d = TC_BF16, c.sf = TC_SF_UE4M3_16, c.chip = 0, c.bn = 192;
    CHECK(tc_gemm_sm100_prepare(&c, &g, 66, &l) == TC_ERR_CONFIG && strstr(tc_why(), "128, 256 or 384"), "%s",
          tc_why());
}
#endif

static void more(int problems, uint64_t seed, int largest)
{
    const int device = test_device();
    refused_kinds(device);
    prepared();
    picked(device);
    if (device < 100 || device >= 120) return;
    bad_input();
    plans();
    in_parts();
#ifdef FUZZ_RUBIN
    if (device == 107) forms();
#endif
    for (int i = 0; i < (problems + 3) / 4; i++) {
        test_seed(seed + (uint64_t)i + 1000000);
        scaled(&scaled_kernels[i % SCALED], (uint64_t)i, largest);
    }
}
