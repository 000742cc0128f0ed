/* gemm_mix_sm100.cu - kernels of tcgen05 whose A and B are fp8, fp6 and fp4 in any mix, which but for fp8 come packed
 * tight and become bytes on their way to shared memory: random products against fp64, sums that f32 holds exactly bit
 * for bit (gemm_scaled.h), and what such calls refuse. In tcemu as sm_100a and sm_103a.
 *     build/tests/gemm_mix_sm100 [problems] [seed] [largest dimension]
 * -DMIX_ALL=1, for a build by hand: all 25 pairs; -DMIX_ALL=2: the same with factors (.sf). */
#define TC_SM100_STUBS
#define FUZZ_FROM 100
#define FUZZ_KERNELS "gemm_mix_sm100.h"
#include "gemm_fuzz.cu"
#include "gemm_scaled.h"

static const kernel mixed[] = {MIXED_KERNELS};
enum { MIXED = sizeof mixed / sizeof mixed[0] };

/* ---- what a call may not be ---- */
enum { M = 40, N = 24, K = 256 };

#define NO(name, change, status, text)                                                                                 \
    do {                                                                                                               \
        tc_gemm_args x = g;                                                                                            \
        change;                                                                                                        \
        const tc_status got = name##_run(&x, 0);                                                                       \
        CHECK(got == status && strstr(tc_why(), text), "%s: status %d: %s", #change, (int)got, tc_why());              \
    } while (0)

#if !defined(MIX_ALL) || MIX_ALL != 2 /* whose kernels want factors */
static void refused(void)
{
    enum { BYTES = 1 << 16 };
    static uint8_t after[BYTES];
    uint8_t *a, *d;
    tc_gemm_args g;
    int written = 0;
    CUDA_CHECK(cudaMalloc((void **)&a, BYTES));
    CUDA_CHECK(cudaMalloc((void **)&d, BYTES));
    CUDA_CHECK(cudaMemset(a, 0, BYTES));
    CUDA_CHECK(cudaMemset(d, 0xa5, BYTES));
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.a = a, g.lda = K, g.b = a, g.ldb = K, g.d = d, g.ldd = N;
    NO(e4m3_e2m1, x.k = 192, TC_ERR_SIZE, "k = 192 is not a multiple of 128, as TMA needs to bring e2m1 to bytes");
    NO(e4m3_e2m1, x.b = a + 16, TC_ERR_ALIGN, "is not a multiple of 32 bytes, as TMA needs of e2m1");
    NO(e4m3_e2m1, x.ldb = K + 32, TC_ERR_ALIGN, "ldb = 288");
    NO(e4m3_e2m1, (x.batch = 2, x.stride_d = 4096, x.stride_b = 32), TC_ERR_ALIGN, "stride_b = 32");
    NO(e4m3_e2m1, x.a = a + 8, TC_ERR_ALIGN, "is not a multiple of 16 bytes, as TMA needs");
    NO(e4m3_e2m1, x.lda = K + 8, TC_ERR_ALIGN, "lda = 264");
    NO(e4m3_e2m1, x.ldb = K - 64, TC_ERR_PITCH, "ldb = 192 is less than k = 256");
    NO(e4m3_e2m1, x.sfa = a, TC_ERR_CONFIG, "sfa is given");
    NO(e3m2_e2m3, x.lda = K + 64, TC_ERR_ALIGN, "lda = 320 or stride_a = 0 elements of e3m2");
    NO(e3m2_e2m3, x.a = a + 48, TC_ERR_ALIGN, "a = 0x");
    NO(e3m2_e2m3, x.k = 130, TC_ERR_SIZE, "to bring e3m2 to bytes");
#ifndef MIX_ALL
    NO(mx_fp4_fp8, x.k = 96, TC_ERR_SIZE, "k = 96 is not a multiple of 128");
    NO(mx_fp4_fp8, (void)0, TC_ERR_NULL, "sfa is null");
    NO(mx_fp4_fp8, x.sfa = a, TC_ERR_NULL, "sfb is null");
    NO(mx_fp6, (x.sfa = a, x.sfb = a + 8), TC_ERR_ALIGN, "sfb = 0x");
#endif
    CUDA_CHECK(cudaMemcpy(after, d, BYTES, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BYTES; i++) written += after[i] != 0xa5;
    CHECK(written == 0, "%d bytes of D are written by calls that are refused", written);
    { /* a plan's other matrices: as aligned as these must be, of fp8 16 bytes */
        tc_gemm_plan plan;
        tc_gemm_args other = g;
        CHECK(e4m3_e2m1_plan(&g, &plan) == TC_OK, "%s", tc_why());
        other.a = a + 16;
        CHECK(tc_gemm_plan_pointers(&plan, &other) == TC_OK, "%s", tc_why());
        other.b = a + 16;
        CHECK(tc_gemm_plan_pointers(&plan, &other) == TC_ERR_ALIGN && strstr(tc_why(), "multiple of 32 bytes"), "%s",
              tc_why());
        other.b = a + 32;
        CHECK(tc_gemm_plan_pointers(&plan, &other) == TC_OK && e4m3_e2m1_launch(&plan, 0) == TC_OK, "%s", tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        g.k = 0, g.a = g.b = 0, g.d = d + 16, other = g, other.d = d + 48; /* maps of nothing */
        CHECK(e4m3_e2m1_plan(&g, &plan) == TC_OK && tc_gemm_plan_pointers(&plan, &other) == TC_OK
                  && e4m3_e2m1_launch(&plan, 0) == TC_OK, "%s", tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    cudaFree(a), cudaFree(d);
}

#endif

/* ---- the same numbers in fp8 and in fewer bits: the same bits of D, of groups and quantised with its factors ---- */
typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    int a, b, groups, quantised;
} twin;

static void twin_run(const twin *t, const float *values, uint8_t *after)
{
    enum { TM = 300, TN = 200, TK = 384, GROUPS = 4, D_BYTES = TM * TN * 2 + 256, SF_BYTES = 3 * 2 * 4 * 512 };
    static const int32_t offsets[GROUPS + 1] = {0, 37, 37, 170, 290}; /* a group of no rows; rows of no group */
    const int matrices = t->groups ? GROUPS : 1;
    buffer a = make((size_t)TM * TK * (size_t)tc_type_bits(t->a) / 8, TC_U8, 0, '0');
    buffer b = make((size_t)matrices * TN * TK * (size_t)tc_type_bits(t->b) / 8, TC_U8, 0, '0');
    buffer d = make(D_BYTES, TC_U8, 0, 'x'), sf = make(SF_BYTES, TC_U8, 0, 'x');
    int32_t *at = 0;
    tc_gemm_args g;
    for (int i = 0; i < TM * TK; i++) tc_element_set(a.host, t->a, (uint64_t)i, values[i]);
    for (int i = 0; i < matrices * TN * TK; i++) tc_element_set(b.host, t->b, (uint64_t)i, values[TM * TK + i]);
    CUDA_CHECK(cudaMemcpy(a.dev, a.host, a.bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(b.dev, b.host, b.bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(d.dev, 0xff, d.bytes));
    CUDA_CHECK(cudaMemset(sf.dev, 0xff, sf.bytes));
    CUDA_CHECK(cudaMalloc((void **)&at, sizeof offsets));
    CUDA_CHECK(cudaMemcpy(at, offsets, sizeof offsets, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = TM, g.n = TN, g.k = TK, g.a = a.dev, g.lda = TK, g.b = b.dev, g.ldb = TK, g.d = d.dev, g.ldd = TN;
    if (t->groups) g.groups.count = GROUPS, g.groups.offsets = at, g.stride_b = TN * TK;
    if (t->quantised) g.d_sf_out = sf.dev;
    CHECK(t->run(&g, 0) == TC_OK, "%s: %s", t->name, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(after, d.dev, D_BYTES, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(after + D_BYTES, sf.dev, SF_BYTES, cudaMemcpyDeviceToHost));
    drop(&a), drop(&b), drop(&d), drop(&sf);
    cudaFree(at);
}

static void twins(void)
{
    enum { VALUES = (300 + 4 * 200) * 384, BYTES = 1 << 18 };
    static const twin all[] = {{"groups_fp8", groups_fp8_run, TC_E4M3, TC_E4M3, 1, 0},
                               {"groups_fp4", groups_fp4_run, TC_E4M3, TC_E2M1, 1, 0},
                               {"quant_fp8", quant_fp8_run, TC_E4M3, TC_E4M3, 0, 1},
                               {"quant_fp6", quant_fp6_run, TC_E2M3, TC_E3M2, 0, 1}};
    static const float each[] = {0, .5f, 1, 1.5f, 2, 3, 4}; /* all five types have them */
    static float values[VALUES];
    static uint8_t one[BYTES], other[BYTES];
    for (int i = 0; i < VALUES; i++) values[i] = each[test_int(0, 6)] * (test_int(0, 1) ? 1.f : -1.f);
    for (int i = 0; i < 4; i += 2) {
        memset(one, 0, BYTES), memset(other, 0, BYTES);
        twin_run(&all[i], values, one);
        twin_run(&all[i + 1], values, other);
        CHECK(!memcmp(one, other, BYTES), "%s and %s have other bits", all[i].name, all[i + 1].name);
    }
}

static void more(int problems, uint64_t seed, int largest)
{
    const int device = test_device();
    if (device < 100 || device >= 120) return;
#if !defined(MIX_ALL) || MIX_ALL != 2 /* whose kernels want factors */
    refused();
#endif
    twins();
    for (int i = 0; i < problems; i++) {
        test_seed(seed + (uint64_t)i + 1000000);
        scaled(&mixed[i % MIXED], (uint64_t)i, largest);
    }
}
