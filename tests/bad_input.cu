/* bad_input.cu - what a generated GEMM answers to arguments that break a rule, and to the edges of what it takes.
 *     nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a tests/bad_input.cu -o build/tests/bad_input
 *
 * Each bad call must give its status and a sentence that names the argument and its value, from NAME_can_run, NAME_run
 * and NAME_plan, and must leave D as it was. The checks come before any use of the device, so this half runs without a
 * GPU too (with host memory in place of device memory); the other half is skipped there. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include "refused.h"
#include <pthread.h>

typedef struct { float add, times; } hook_args;

TC_DEV float hook(float x, tc_gemm_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    (void)at;
    return x * p->times + p->add;
}

TC_DEV tc_f32x2 hook2(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return x;
}

TC_GEMM_SM90_DEFINE(k90, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64)
TC_GEMM_SM90_DEFINE(k90_args, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64,
                    .epi_size = sizeof(hook_args), .epi = hook)
TC_GEMM_SM90_DEFINE(k90_pair, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64, .epi2 = hook2,
                    .epi_size = TC_NO_ARGS)
TC_GEMM_SM90_DEFINE(k90_f32, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 64, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(k90_split, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64, .step = 32, .split = 1)
TC_GEMM_SM80_DEFINE(k80, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64)
TC_GEMM_SM80_DEFINE(k80_args, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64,
                    .epi_size = sizeof(hook_args), .epi = hook)
TC_GEMM_SM80_DEFINE(k80_pair, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .epi2 = hook2,
                    .epi_size = TC_NO_ARGS)
TC_GEMM_SM80_DEFINE(k80_turned, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .a_layout = TC_COL,
                    .b_layout = TC_ROW, .d_layout = TC_COL)
TC_GEMM_SM80_DEFINE(k80_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .bm = 64, .bn = 64)
TC_GEMM_SM80_DEFINE(k80_f64, .a = TC_F64, .b = TC_F64, .d = TC_F64, .bm = 64, .bn = 64)
TC_GEMM_SM90_DEFINE(k90_blocks, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 128, .bn = 64,
                    .a_scale = TC_SCALE_1X128, .b_scale = TC_SCALE_128X128)
TC_GEMM_DEFINE(any_s8, .a = TC_U8, .b = TC_S8, .d = TC_S8, .shapes = TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED)
TC_GEMM_DEFINE(any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_DEFINE(any_args, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi_size = sizeof(hook_args), .epi = hook,
               .shapes = TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED)
TC_GEMM_DEFINE(any_pair, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi2 = hook2, .epi_size = TC_NO_ARGS,
               .shapes = TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED)
TC_GEMM_DEFINE(only_few, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .shapes = TC_SHAPES_FEW_ROWS)
/* for the graph: nobody calls it before the capture */
TC_GEMM_DEFINE(fresh, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .shapes = TC_SHAPES_FEW_ROWS)

/* what a kernel is; SM90: it has TMA's rules; TURNED: A and D lie in columns, B in rows; F32: D's type; TF32, F64, S8:
 * A's */
enum { PLAIN = 1, ARGS = 2, PAIR = 4, F32 = 8, SM90 = 16, SPLIT = 32, TURNED = 64, TF32 = 128, F64 = 256, S8 = 512 };

typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_status (*plan)(const tc_gemm_args *, tc_gemm_plan *);
    tc_status (*launch)(const tc_gemm_plan *, cudaStream_t);
    int kind;
} kernel;

#define KERNEL(name, kind) {#name, name##_can_run, name##_run, name##_plan, name##_launch, kind}
static const kernel kernels[] = {
    KERNEL(k90, PLAIN | SM90), KERNEL(k90_args, ARGS | SM90), KERNEL(k90_pair, PAIR | SM90),
    KERNEL(k90_f32, F32 | SM90), KERNEL(k90_split, PLAIN | SM90 | SPLIT), KERNEL(k80, PLAIN), KERNEL(k80_args, ARGS),
    KERNEL(k80_pair, PAIR), KERNEL(any, PLAIN), KERNEL(any_args, ARGS), KERNEL(any_pair, PAIR),
    KERNEL(k80_turned, TURNED), KERNEL(k80_tf32, TF32), KERNEL(k80_f64, F64), KERNEL(any_s8, S8)};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- one problem, in device memory where there is a device ---- */
enum { M = 80, N = 48, K = 32, LD = 56, BATCH = 3, ELEMENTS = 3 * 100 * LD + 64 };
static int device;
static uint16_t *mem_a, *mem_b;
static unsigned char *mem_c, *mem_d; /* room for f64 */
static const size_t mem_bytes = (size_t)ELEMENTS * 8;
static const hook_args my_args = {0.25f, 2.f};

static void *get_memory(void)
{
    void *p = 0;
    if (device) CUDA_CHECK(cudaMalloc(&p, mem_bytes));
    else p = (void *)(((uintptr_t)malloc(mem_bytes + 256) + 255) & ~(uintptr_t)255);
    return p;
}

static void put(void *to, const void *from, size_t bytes)
{
    if (device) CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    else memcpy(to, from, bytes);
}

/* Memory and what stands in it, the same each time. */
static void make_problem(void)
{
    static uint16_t host[ELEMENTS * 4];
    mem_a = (uint16_t *)get_memory(), mem_b = (uint16_t *)get_memory();
    mem_c = (unsigned char *)get_memory(), mem_d = (unsigned char *)get_memory();
    test_seed(7);
    for (int i = 0; i < ELEMENTS * 4; i++) host[i] = tc_bf16_from_f32((float)test_int(-4, 4)); /* exact sums */
    put(mem_a, host, sizeof host), put(mem_b, host + 77, sizeof host - 154), put(mem_c, host, sizeof host);
}

static void fill_d(void)
{
    if (device) {
        CUDA_CHECK(cudaMemset(mem_d, 0xa5, mem_bytes));
        CUDA_CHECK(cudaDeviceSynchronize()); /* the streams below do not wait for the default one */
    } else {
        memset(mem_d, 0xa5, mem_bytes);
    }
}

static int d_untouched(void)
{
    static unsigned char now[(size_t)ELEMENTS * 8];
    size_t i;
    if (device) CUDA_CHECK(cudaDeviceSynchronize());
    put(now, mem_d, mem_bytes);
    for (i = 0; i < mem_bytes; i++)
        if (now[i] != 0xa5) return 0;
    return 1;
}

/* Breaks no rule of any kernel. */
static tc_gemm_args good(int kind)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K;
    g.a = mem_a, g.b = mem_b, g.c = mem_c, g.d = mem_d;
    g.lda = g.ldb = g.ldc = g.ldd = LD;
    if (kind & ARGS) g.epi_args = &my_args, g.epi_size = sizeof my_args;
    if (kind & TURNED) g.lda = g.ldc = g.ldd = M;
    return g;
}

static const float one = 1.f;
static const double one64 = 1.;

TEST_REFUSED(call_refused, kernel, tc_gemm_args)

/* Kernel kn refuses g: as a call and as a plan. */
static void refused(const kernel *kn, const tc_gemm_args *g, tc_status want, const char *text, const char *text2,
                    int line)
{
    tc_gemm_plan plan;
    tc_status st;
    call_refused(kn, g, want, text, text2, line);
    memset((void *)&plan, 0x5a, sizeof plan);
    tc__why_text[0] = 0;
    st = kn->plan(g, &plan);
    CHECK(st == want && strstr(tc_why(), text) && strstr(tc_why(), text2), "line %d: %s_plan: %s: %s", line, kn->name,
          tc_status_text(st), tc_why());
    CHECK(kn->launch(&plan, 0) == TC_ERR_CONFIG && strstr(tc_why(), "plan was not made by"),
          "line %d: %s_launch of a plan that was refused: %s", line, kn->name, tc_why());
    if (device) CHECK(cudaPeekAtLastError() == cudaSuccess, "line %d: %s leaves a CUDA error behind: %s", line,
                      kn->name, cudaGetErrorString(cudaGetLastError()));
}

/* Every kernel of the kinds refuses the good problem after `set` has changed it (g). */
#define REFUSED(kinds, status, text, text2, set)                                \
    do {                                                                        \
        for (int x_ = 0; x_ < KERNELS; x_++) {                                  \
            tc_gemm_args g = good(kernels[x_].kind);                            \
            if ((kernels[x_].kind & (kinds)) == 0) continue;                    \
            if (((kinds) & SM90) && !(kernels[x_].kind & SM90)) continue;       \
            set;                                                                \
            refused(&kernels[x_], &g, status, text, text2, __LINE__);           \
        }                                                                       \
        CHECK(d_untouched(), "line %d: D was written", __LINE__);               \
    } while (0)

enum { ALL = PLAIN | ARGS | PAIR | F32 };

/* Factors of blocks: 80 and 1 lines of 3. */
static tc_gemm_args good_factors(void)
{
    tc_gemm_args g = good(0);
    g.k = g.lda = g.ldb = 272;
    g.a_scale.at = (const float *)mem_c, g.a_scale.lines = 1, g.a_scale.blocks = 80;
    g.b_scale.at = (const float *)mem_c, g.b_scale.blocks = 1;
    return g;
}

static void test_factors(void)
{
    static const kernel blocks = KERNEL(k90_blocks, 0);
#define FACTORS(status, text, text2, set)                          \
    do {                                                           \
        tc_gemm_args g = good_factors();                           \
        set;                                                       \
        refused(&blocks, &g, status, text, text2, __LINE__);       \
        CHECK(d_untouched(), "line %d: D was written", __LINE__);  \
    } while (0)
    fill_d();
    FACTORS(TC_ERR_NULL, "a_scale.at is null", ".a_scale", g.a_scale.at = 0);
    FACTORS(TC_ERR_NULL, "b_scale.at is null", ".b_scale", g.b_scale.at = 0);
    FACTORS(TC_ERR_ALIGN, "a_scale.at = ", "4 bytes", g.a_scale.at = (const float *)(mem_c + 2));
    FACTORS(TC_ERR_PITCH, "a_scale.lines = 0", "at least 1", g.a_scale.lines = 0);
    FACTORS(TC_ERR_PITCH, "a_scale.lines = 100000000", "80 lines below 2^31", g.a_scale.lines = 100000000);
    FACTORS(TC_ERR_PITCH, "b_scale.lines = 0", "times 2 lines", g.n = 144; g.ldd = 144);
    FACTORS(TC_ERR_PITCH, "b_scale.blocks = 0", "there are 3 blocks of k", g.b_scale.blocks = 0);
    FACTORS(TC_ERR_PITCH, "a_scale.blocks = -1", "at least 1", g.a_scale.blocks = -1);
    FACTORS(TC_ERR_BATCH, "b_scale.batch = -5", "negative", g.b_scale.batch = -5);
    REFUSED(PLAIN | S8, TC_ERR_CONFIG, "a_scale is given", "without .a_scale", g.a_scale.at = (const float *)mem_c);
    REFUSED(PLAIN | S8, TC_ERR_CONFIG, "b_scale is given", "without .b_scale", g.b_scale.blocks = 1);
}

static void test_rules(void)
{
    fill_d();
    for (int i = 0; i < KERNELS; i++) refused(&kernels[i], 0, TC_ERR_NULL, "args", "null", __LINE__);
    REFUSED(ALL, TC_ERR_NULL, "a is null", "", g.a = 0);
    REFUSED(ALL, TC_ERR_NULL, "b is null", "", g.b = 0);
    REFUSED(ALL, TC_ERR_NULL, "d is null", "", g.d = 0);
    REFUSED(ALL, TC_ERR_NULL, "c is null", "beta = 1", g.c = 0; g.beta = &one);
    REFUSED(ALL, TC_ERR_SIZE, "m = -1", "negative", g.m = -1);
    REFUSED(ALL, TC_ERR_SIZE, "n = -2", "negative", g.n = -2);
    REFUSED(ALL, TC_ERR_SIZE, "k = -3", "negative", g.k = -3);
    REFUSED(ALL, TC_ERR_SIZE, "m = -2147483648", "negative", g.m = -2147483647 - 1);
    REFUSED(ALL, TC_ERR_SIZE, "m = 2147483647", "limit", g.m = 2147483647);
    REFUSED(ALL, TC_ERR_SIZE, "k = 2147418113", "limit of 2147418112", g.k = 0x7fff0001; g.lda = g.ldb = g.k);
    REFUSED(ALL, TC_ERR_BATCH, "batch = -4", "negative", g.batch = -4);
    REFUSED(ALL, TC_ERR_BATCH, "stride_d = 0", "batch = 3", g.batch = 3);
    REFUSED(ALL, TC_ERR_BATCH, "stride_a", "negative", g.batch = 2; g.stride_a = -8; g.stride_d = M * LD);
    REFUSED(ALL, TC_ERR_BATCH, "stride_b", "negative", g.batch = 2; g.stride_b = -8; g.stride_d = M * LD);
    REFUSED(ALL, TC_ERR_BATCH, "stride_c", "negative", g.batch = 2; g.stride_c = -8; g.stride_d = M * LD);
    REFUSED(ALL, TC_ERR_BATCH, "stride_d", "negative", g.batch = 2; g.stride_d = -8);
    REFUSED(ALL, TC_ERR_PITCH, "lda = 24", "k = 32", g.lda = 24);
    REFUSED(ALL, TC_ERR_PITCH, "ldb = 31", "k = 32", g.ldb = 31);
    REFUSED(ALL, TC_ERR_PITCH, "ldc = 40", "n = 48", g.ldc = 40; g.beta = &one);
    REFUSED(ALL, TC_ERR_PITCH, "ldd = 47", "n = 48", g.ldd = 47);
    REFUSED(ALL, TC_ERR_PITCH, "lda = 0", "k = 32", g.lda = 0);
    REFUSED(ALL, TC_ERR_PITCH, "lda = -56", "k = 32", g.lda = -LD);
    REFUSED(ALL, TC_ERR_ALIGN, "a = ", "element's 2 bytes", g.a = (char *)mem_a + 1);
    REFUSED(ALL, TC_ERR_ALIGN, "b = ", "element's 2 bytes", g.b = (char *)mem_b + 3);
    REFUSED(ALL, TC_ERR_ALIGN, "d = ", "element's", g.d = mem_d + 1);
    REFUSED(ALL, TC_ERR_ALIGN, "c = ", "element's", g.c = mem_c + 1; g.beta = &one);
    REFUSED(F32, TC_ERR_ALIGN, "d = ", "element's 4 bytes", g.d = mem_d + 2);
    /* other layouts: a pitch lies between other lines */
    REFUSED(TURNED, TC_ERR_PITCH, "lda = 79", "m = 80, and A is column-major", g.lda = 79);
    REFUSED(TURNED, TC_ERR_PITCH, "ldb = 47", "n = 48, and B is row-major", g.ldb = 47);
    REFUSED(TURNED, TC_ERR_PITCH, "ldd = 79", "m = 80, and D is column-major", g.ldd = 79);
    REFUSED(TURNED, TC_ERR_PITCH, "ldc = 79", "m = 80, and D is column-major", g.ldc = 79; g.beta = &one);
    REFUSED(TURNED, TC_ERR_PITCH, "ldd = 0", "m = 80", g.ldd = 0);
    /* other types: the alignment of an element, and whose alpha and beta are whose */
    REFUSED(TF32, TC_ERR_ALIGN, "a = ", "element's 4 bytes", g.a = (char *)mem_a + 2);
    REFUSED(F64, TC_ERR_ALIGN, "b = ", "element's 8 bytes", g.b = (char *)mem_b + 4);
    REFUSED(F64, TC_ERR_ALIGN, "d = ", "element's 8 bytes", g.d = mem_d + 4);
    REFUSED(F64, TC_ERR_ALIGN, "c = ", "element's 8 bytes", g.c = mem_c + 4; g.beta64 = &one64);
    REFUSED(F64, TC_ERR_CONFIG, "alpha is given", "D is f64: give alpha64", g.alpha = &one);
    REFUSED(F64, TC_ERR_CONFIG, "beta is given", "D is f64: give beta64", g.beta = &one);
    REFUSED(F64, TC_ERR_NULL, "c is null", "beta = 1", g.c = 0; g.beta64 = &one64);
    REFUSED(F64, TC_ERR_PITCH, "ldc = 40", "n = 48", g.ldc = 40; g.beta64 = &one64);
    REFUSED(ALL | S8 | TF32, TC_ERR_CONFIG, "alpha64 is given", "D is ", g.alpha64 = &one64);
    REFUSED(ALL | S8 | TF32, TC_ERR_CONFIG, "beta64 is given", ": give beta", g.beta64 = &one64);
    REFUSED(S8, TC_ERR_CONFIG, "alpha64 is given", "D is s8: give alpha", g.alpha64 = &one64);
    REFUSED(S8, TC_ERR_NULL, "c is null", "beta = 1", g.c = 0; g.beta = &one);
    REFUSED(S8, TC_ERR_PITCH, "lda = 31", "k = 32", g.lda = 31);
    /* TMA's rules */
    REFUSED(SM90, TC_ERR_ALIGN, "a = ", "16 bytes, as TMA needs", g.a = mem_a + 1);
    REFUSED(SM90, TC_ERR_ALIGN, "b = ", "16 bytes, as TMA needs", g.b = mem_b + 4);
    REFUSED(SM90, TC_ERR_ALIGN, "lda = 57 ", "16 bytes, as TMA needs", g.lda = 57);
    REFUSED(SM90, TC_ERR_ALIGN, "ldb = 60 elements = 120 bytes", "as TMA needs", g.ldb = 60);
    REFUSED(SM90, TC_ERR_ALIGN, "stride_a = 4481 ", "16 bytes, as TMA needs",
            g.batch = 2; g.stride_a = M * LD + 1; g.stride_d = M * LD);
    REFUSED(SM90, TC_ERR_ALIGN, "stride_b = 4484 elements = 8968 bytes", "as TMA needs",
            g.batch = 2; g.stride_b = M * LD + 4; g.stride_d = M * LD);
    REFUSED(SM90, TC_ERR_SIZE, "lda", "2^40", g.lda = (int64_t)1 << 39);
    /* the hook's arguments */
    REFUSED(ALL, TC_ERR_EPI, "epi_size = 257", "TC_EPI_MAX = 256", g.epi_args = &my_args; g.epi_size = TC_EPI_MAX + 1);
    REFUSED(ALL, TC_ERR_EPI, "epi_size = 18446744073709551615", "TC_EPI_MAX",
            g.epi_args = &my_args; g.epi_size = (size_t)-1);
    REFUSED(ARGS, TC_ERR_EPI, "epi_size = 4", ".epi_size = 8", g.epi_size = 4);
    REFUSED(ARGS, TC_ERR_EPI, "epi_size = 0", ".epi_size = 8", g.epi_size = 0; g.epi_args = 0);
    REFUSED(ARGS, TC_ERR_EPI, "epi_args is null", "epi_size = 8", g.epi_args = 0; g.epi_size = 8);
    REFUSED(PLAIN | F32, TC_ERR_EPI, "epi_args", "without a hook", g.epi_args = &my_args; g.epi_size = 0);
    REFUSED(PLAIN | F32, TC_ERR_EPI, "epi_args", "without a hook", g.epi_args = &my_args; g.epi_size = 8);
    REFUSED(PAIR, TC_ERR_EPI, "epi_args is given", "takes none", g.epi_args = &my_args; g.epi_size = 0);
    REFUSED(ALL, TC_ERR_SIZE, "n = 0", "d is given", g.n = 0);
    REFUSED(ALL, TC_ERR_SIZE, "k = 0", "a is given", g.k = 0);
    REFUSED(ALL, TC_ERR_SIZE, "k = 0", "b is given", g.k = 0; g.a = 0);
    REFUSED(PAIR, TC_ERR_SIZE, "n = 47", ".epi2", g.n = 47);
    /* split k's memory, and what the kernel before does not write */
    REFUSED(ALL, TC_ERR_NULL, "workspace is null", "workspace_size = 4096", g.workspace_size = 4096);
    REFUSED(ALL, TC_ERR_ALIGN, "workspace = ", "multiple of 16 bytes",
            g.workspace = mem_c + 8; g.workspace_size = 4096);
    REFUSED(ALL, TC_ERR_CONFIG, "pdl_constant = 4", "TC_CONSTANT_A and TC_CONSTANT_B", g.pdl = 1; g.pdl_constant = 4);
    REFUSED(ALL, TC_ERR_CONFIG, "pdl_constant = -1", "TC_CONSTANT_A", g.pdl_constant = -1);
    REFUSED(ALL, TC_ERR_CONFIG, "pdl_constant = 7", "TC_CONSTANT_A",
            g.pdl_constant = TC_CONSTANT_A | TC_CONSTANT_B | 4);
    /* what is broken first is named first, whatever comes after it */
    REFUSED(ALL, TC_ERR_SIZE, "m = -1", "negative", g.m = -1; g.a = 0; g.lda = 0; g.batch = -1);
}

/* ---- answers about the device, by kernels made up for it ---- */
__global__ void __launch_bounds__(32) one_warp(int *p) { if (p) *p = 1; }
__global__ void __launch_bounds__(256) eight_warps(int *p) { if (p) *p = 1; }

static void test_device_rules(void)
{
    tc__kernel_cache cache[4];
    tc__kernel k;
    int clusters = 0, smem = 0;
    tc_gemm_args g = good(0);
    tc_status st;
    memset(cache, 0, sizeof cache);
    CUDA_CHECK(cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    memset(&k, 0, sizeof k);
    k.function = (const void *)eight_warps, k.name = "made_up", k.threads = 256, k.smem = 1024;
    k.cluster = 1, k.cc = 80;

    k.cache = &cache[0];
    st = tc__kernel_device(&k, &clusters);
    CHECK(st == TC_OK && clusters > 0, "a plain kernel: %s: %s", tc_status_text(st), tc_why());
    CHECK(tc__kernel_device(&k, &clusters) == TC_OK && clusters > 0, "the same from the cache");

    k.cache = &cache[1], k.smem = 300000;
    st = tc__kernel_device(&k, &clusters);
    CHECK(st == TC_ERR_SMEM && strstr(tc_why(), "made_up") && strstr(tc_why(), "300000"), "300000 bytes: %s: %s",
          tc_status_text(st), tc_why());
    CHECK(tc__kernel_device(&k, &clusters) == TC_ERR_SMEM, "a refusal does not stay a refusal");

    k.smem = 1024, k.function = (const void *)one_warp;
    st = tc__kernel_device(&k, &clusters);
    CHECK(st == TC_ERR_IMAGE && strstr(tc_why(), "made_up") && strstr(tc_why(), "-gencode"), "a stub: %s: %s",
          tc_status_text(st), tc_why());
    CHECK(cudaPeekAtLastError() == cudaSuccess, "a CUDA error stays behind");

    k.function = (const void *)eight_warps;
    if (device >= 90) { /* no device has clusters of 32 blocks */
        k.cluster = 32, k.smem = smem - 1024;
        st = tc__kernel_device(&k, &clusters);
        CHECK(st == TC_ERR_CLUSTER && strstr(tc_why(), "made_up") && strstr(tc_why(), "32"), "a cluster of 32: %s: %s",
              tc_status_text(st), tc_why());
        CHECK(cudaPeekAtLastError() == cudaSuccess, "a CUDA error stays behind");
    } else {
        SKIP("TC_ERR_CLUSTER: needs compute capability 9.0, this device has %d.%d", device / 10, device % 10);
    }
    if (device != 90) {
        st = k90_run(&g, 0);
        CHECK(st == TC_ERR_DEVICE && strstr(tc_why(), "k90") && strstr(tc_why(), "9.0"), "k90 here: %s: %s",
              tc_status_text(st), tc_why());
        CHECK(d_untouched(), "D was written");
    } else {
        SKIP("TC_ERR_DEVICE: this device runs every kernel of this file");
    }
    g.m = g.n = 10000000; /* (1e7 / 64)^2 tiles */
    g.ldd = g.ldc = g.n;
    st = k80_can_run(&g, 0);
    CHECK(st == TC_ERR_SIZE && strstr(tc_why(), "10000000"), "too many tiles: %s: %s", tc_status_text(st), tc_why());
}

/* ---- what a call chooses itself, and its workspace ---- */
static const kernel *named(const char *name)
{
    int x = 0;
    while (strcmp(kernels[x].name, name) != 0) x++;
    return &kernels[x];
}

/* Kernel `name` refuses the good problem with that choice and workspace. */
typedef struct {
    const char *name, *text, *text2;
    tc_status want;
    tc_gemm_choice choice;
    size_t workspace;
} choice_case;

static void test_choice(void)
{
    static const choice_case cases[] = {
        {"k90", "choice->width = 32", "must be 64", TC_ERR_CONFIG, {0, 32, 0, 0, 0, 0}, 0},
        {"k90", "choice->cluster = 2", "must be 1", TC_ERR_CONFIG, {0, 0, 2, 0, 0, 0}, 0},
        {"k90", "choice->blocks = -1", "negative", TC_ERR_CONFIG, {0, 0, 0, 0, -1, 0}, 0},
        {"k90_f32", "choice->cluster = 3", "must be 1 or 2", TC_ERR_CONFIG, {0, 0, 3, 0, 0, 0}, 0},
        {"k90_f32", "choice->cluster = -1", "must be 1 or 2", TC_ERR_CONFIG, {0, 0, -1, 0, 0, 0}, 0},
        {"k90_split", "choice->width = 48", "multiple of .step, at most 64", TC_ERR_CONFIG, {0, 48, 0, 0, 0, 0}, 0},
        {"k90_split", "choice->width = 96", "multiple of .step, at most 64", TC_ERR_CONFIG, {0, 96, 0, 0, 0, 0}, 0},
        {"k90_split", "choice->width = -32", "multiple of .step, at most 64", TC_ERR_CONFIG, {0, -32, 0, 0, 0, 0}, 0},
        {"k90_split", "choice->parts = 256", "0..255", TC_ERR_CONFIG, {0, 0, 0, 256, 0, 0}, 4096},
        {"k90_split", "choice->parts = -1", "0..255", TC_ERR_CONFIG, {0, 0, 0, -1, 0, 0}, 4096},
        /* 80 x 48 in tiles of 128 x 64: 256 bytes of counters, and 128 * 64 * 4 bytes a part */
        {"k90_split", "workspace_size = 0", "2 parts take 65792 bytes", TC_ERR_SIZE, {0, 64, 0, 2, 0, 1}, 0},
        {"k90_split", "workspace_size = 65776", "2 parts take 65792 bytes", TC_ERR_SIZE, {0, 64, 0, 2, 0, 1}, 65776},
        {"any", "choice->kernel = 12", "0..11", TC_ERR_CONFIG, {12, 0, 0, 0, 0, 0}, 0},
        {"any", "choice->kernel = -1", "0..11", TC_ERR_CONFIG, {-1, 0, 0, 0, 0, 0}, 0},
        {"any", "choice->width = 40", "multiple of .step, at most 256", TC_ERR_CONFIG, {1, 40, 0, 0, 0, 0}, 0},
        {"any", "choice->parts = 2", "0..1", TC_ERR_CONFIG, {2, 0, 0, 2, 0, 0}, 4096},
        {"any", "workspace_size = 4096", "2 parts take 262400 bytes", TC_ERR_SIZE, {1, 256, 0, 2, 0, 1}, 4096},
        {"any", "choice->meet = 3", "TC_MEET_CLUSTER", TC_ERR_CONFIG, {1, 64, 0, 2, 0, 3}, 4096},
        {"any", "choice->meet = -1", "TC_MEET_CLUSTER", TC_ERR_CONFIG, {1, 64, 0, 2, 0, -1}, 4096},
        {"any", "TC_MEET_CLUSTER wants", "not 9 parts of 128 x 64", TC_ERR_CONFIG, {1, 64, 0, 9, 0, 2}, 4096},
        {"any", "TC_MEET_CLUSTER wants", "not 2 parts of 128 x 256", TC_ERR_CONFIG, {1, 256, 0, 2, 0, 2}, 4096},
        {"any", "depends on the kernel", "choice->kernel = 0", TC_ERR_CONFIG, {0, 0, 0, 0, 0, 2}, 4096}};
    const tc_gemm_choice two = {0, 0, 0, 2, 0, 0};
    if (device != 90) {
        SKIP("choices: needs compute capability 9.0, this device has %d.%d", device / 10, device % 10);
        return;
    }
    fill_d();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const choice_case *c = &cases[i];
        tc_gemm_args g = good(named(c->name)->kind);
        g.choice = &c->choice;
        if (c->workspace) g.workspace = mem_d, g.workspace_size = c->workspace; /* D must stay as it is */
        refused(named(c->name), &g, c->want, c->text, c->text2, __LINE__);
    }
    for (int x = 0; x < KERNELS; x++) {
        tc_gemm_args g = good(kernels[x].kind);
        if (!(kernels[x].kind & SM90) || kernels[x].kind & SPLIT) continue;
        g.choice = &two, g.workspace = mem_d, g.workspace_size = 4096;
        refused(&kernels[x], &g, TC_ERR_CONFIG, "choice->parts = 2", "0..1", __LINE__);
    }
    CHECK(d_untouched(), "D was written");
}

/* NAME_workspace: what a call takes of a workspace and not a byte more; with less it is refused, where the call says
 * itself how often k is split, or splits it less. */
enum { LONG_M = 1152, LONG_N = 128, LONG_K = 2048, LONG_PARTS = 5 };
typedef struct {
    const char *name;
    size_t (*workspace)(const tc_gemm_args *);
    int kernel;
} split_case;

static void test_workspace(void)
{
    static const split_case cases[] = {{"k90_split", k90_split_workspace, 0}, {"any", any_workspace, 1}};
    static uint16_t host[(LONG_M > LONG_N ? LONG_M : LONG_N) * LONG_K], want[LONG_M * LONG_N], d[LONG_M * LONG_N];
    static unsigned char beyond[4096];
    uint16_t *a, *b, *dev_d;
    tc_gemm_args g = good(PLAIN);
    CHECK(any_workspace(0) == 0 && k90_workspace(0) == 0 && k80_workspace(0) == 0, "of no call");
    CHECK(k80_workspace(&g) == 0, "of a kernel that does not split k");
    g.m = -1;
    CHECK(any_workspace(&g) == 0 && k90_split_workspace(&g) == 0, "of a call with an error");
    if (device != 90) {
        SKIP("workspaces: needs compute capability 9.0, this device has %d.%d", device / 10, device % 10);
        return;
    }
    g = good(PLAIN);
    CHECK(k90_workspace(&g) == 0, "of a kernel without .split");
    CUDA_CHECK(cudaMalloc((void **)&a, sizeof host));
    CUDA_CHECK(cudaMalloc((void **)&b, (size_t)LONG_N * LONG_K * 2));
    CUDA_CHECK(cudaMalloc((void **)&dev_d, sizeof d));
    test_seed(11);
    for (size_t i = 0; i < sizeof host / 2; i++) host[i] = tc_bf16_from_f32((float)test_int(-4, 4));
    CUDA_CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyDefault));
    for (size_t i = 0; i < sizeof host / 2; i++) host[i] = tc_bf16_from_f32((float)test_int(-4, 4));
    CUDA_CHECK(cudaMemcpy(b, host, (size_t)LONG_N * LONG_K * 2, cudaMemcpyDefault));
    g.m = LONG_M, g.n = LONG_N, g.k = LONG_K, g.a = a, g.b = b, g.d = dev_d, g.lda = g.ldb = LONG_K, g.ldd = LONG_N;
    CHECK(k80_run(&g, 0) == TC_OK, "the same without parts: %s", tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(want, dev_d, sizeof want, cudaMemcpyDefault)); /* sums of integers: exact in any order */
    for (int i = 0; i < 2; i++)
        for (int own = 0; own < 3; own++) { /* parts as the model says, as the call does; those that are a cluster */
            const kernel *kn = named(cases[i].name);
            const int meet = own == 2 ? TC_MEET_CLUSTER : TC_MEET_WORKSPACE;
            const tc_gemm_choice choice = {cases[i].kernel, 64, 0, own ? LONG_PARTS : 0, 0, meet};
            unsigned char *w;
            size_t bytes, wrong = 0;
            tc_status st;
            g.workspace = 0, g.workspace_size = 0, g.choice = &choice;
            bytes = cases[i].workspace(&g);
            CHECK(own == 2 ? bytes == 0 : bytes > 0 && bytes % 16 == 0, "%s, own parts %d: %llu bytes", kn->name, own,
                  (unsigned long long)bytes);
            if (own == 1) /* 9 x 2 tiles */
                CHECK(bytes == 256 + (size_t)18 * LONG_PARTS * 128 * 64 * 4, "%s: %llu bytes", kn->name,
                      (unsigned long long)bytes);
            CUDA_CHECK(cudaMalloc((void **)&w, bytes + sizeof beyond));
            CUDA_CHECK(cudaMemset(w, 0xa5, bytes + sizeof beyond)); /* it may hold anything before its first use */
            g.workspace = w, g.workspace_size = bytes;
            for (int call = 0; call < 3; call++) {
                tc_gemm_plan plan;
                CUDA_CHECK(cudaMemset(dev_d, 0xa5, sizeof d));
                CHECK(kn->can_run(&g, 0) == TC_OK, "%s, own parts %d: %s", kn->name, own, tc_why());
                if (call < 2) st = kn->run(&g, 0);
                else if ((st = kn->plan(&g, &plan)) == TC_OK) st = kn->launch(&plan, 0);
                CHECK(st == TC_OK, "%s, own parts %d, call %d: %s", kn->name, own, call, tc_why());
                CUDA_CHECK(cudaDeviceSynchronize());
                CUDA_CHECK(cudaMemcpy(d, dev_d, sizeof d, cudaMemcpyDefault));
                CHECK(!memcmp(d, want, sizeof d), "%s, own parts %d, call %d: D differs", kn->name, own, call);
            }
            CUDA_CHECK(cudaMemcpy(beyond, w + bytes, sizeof beyond, cudaMemcpyDefault));
            for (size_t x = 0; x < sizeof beyond; x++) wrong += beyond[x] != 0xa5;
            CHECK(wrong == 0, "%s, own parts %d: %llu bytes behind the workspace", kn->name, own,
                  (unsigned long long)wrong);
            if (own == 2) {
                CUDA_CHECK(cudaFree(w));
                continue;
            }
            CUDA_CHECK(cudaMemcpy(beyond, w + bytes - 16, 16, cudaMemcpyDefault));
            for (size_t x = 0; x < 16; x++) wrong += beyond[x] != 0xa5;
            CHECK(wrong > 0, "%s, own parts %d: the workspace's end is not used", kn->name, own);
            CUDA_CHECK(cudaMemset(dev_d, 0xa5, sizeof d));
            g.workspace_size = bytes - 16;
            st = kn->run(&g, 0);
            CUDA_CHECK(cudaDeviceSynchronize());
            CUDA_CHECK(cudaMemcpy(d, dev_d, sizeof d, cudaMemcpyDefault));
            if (own) {
                for (size_t x = wrong = 0; x < LONG_M * LONG_N; x++) wrong += d[x] != 0xa5a5;
                CHECK(st == TC_ERR_SIZE && strstr(tc_why(), "workspace_size = ") && strstr(tc_why(), "5 parts take")
                          && wrong == 0, "%s, 16 bytes less: %s: %s, %llu elements written", kn->name,
                      tc_status_text(st), tc_why(), (unsigned long long)wrong);
            } else {
                CHECK(st == TC_OK && !memcmp(d, want, sizeof d), "%s, 16 bytes less: %s", kn->name, tc_why());
            }
            CUDA_CHECK(cudaFree(w));
        }
    CUDA_CHECK(cudaFree(a));
    CUDA_CHECK(cudaFree(b));
    CUDA_CHECK(cudaFree(dev_d));
}

/* ---- edges that are no errors ---- */
static int can_run_here(const kernel *kn) { return !(kn->kind & SM90) || device == 90; }

static void test_edges(void)
{
    static uint16_t c[ELEMENTS], d[ELEMENTS];
    const float half = 0.5f;
    for (int x = 0; x < KERNELS; x++) {
        const kernel *kn = &kernels[x];
        const char *why = "?";
        tc_gemm_args g = good(kn->kind);
        if (!can_run_here(kn)) {
            SKIP("%s: needs compute capability 9.0, this device has %d.%d", kn->name, device / 10, device % 10);
            continue;
        }
        CHECK(kn->can_run(&g, &why) == TC_OK && why && !*why, "%s_can_run: %s", kn->name, tc_why());
        fill_d();
        g = good(kn->kind), g.m = 0;
        CHECK(kn->run(&g, 0) == TC_OK, "%s, m = 0: %s", kn->name, tc_why());
        g = good(kn->kind), g.n = 0, g.d = 0;
        CHECK(kn->run(&g, 0) == TC_OK, "%s, n = 0: %s", kn->name, tc_why());
        g = good(kn->kind), g.m = g.n = 0, g.a = g.b = g.c = g.d = 0;
        CHECK(kn->run(&g, 0) == TC_OK, "%s, m = n = 0 and no matrices: %s", kn->name, tc_why());
        g = good(kn->kind), g.m = g.n = g.k = 0, g.lda = g.ldb = g.ldd = 0;
        CHECK(kn->run(&g, 0) == TC_OK, "%s, all 0: %s", kn->name, tc_why());
        g = good(kn->kind), g.batch = 0, g.stride_a = g.stride_b = g.stride_c = g.stride_d = M * LD;
        CHECK(kn->run(&g, 0) == TC_OK, "%s, batch = 0 with strides: %s", kn->name, tc_why());
        CHECK(d_untouched(), "%s: an empty problem writes D", kn->name);
        if (kn->kind & (F32 | TF32 | F64 | S8)) continue;
        /* k = 0: D = epi(beta * C), for a batch, with nothing to point A and B at */
        for (int beta = 0; beta < 2; beta++) {
            int bad = 0, outside = 0;
            fill_d();
            g = good(kn->kind), g.k = 0, g.a = g.b = 0, g.lda = g.ldb = 0, g.batch = 2;
            g.stride_c = g.stride_d = M * LD, g.beta = beta ? &half : 0;
            CHECK(kn->run(&g, 0) == TC_OK, "%s, k = 0: %s", kn->name, tc_why());
            CUDA_CHECK(cudaDeviceSynchronize());
            put(c, mem_c, sizeof c);
            put(d, mem_d, sizeof d);
            for (int i = 0; i < ELEMENTS; i++) {
                const int in = i < 2 * M * LD && (kn->kind & TURNED ? i % (M * LD) < M * N : i % LD < N);
                float x = beta ? half * tc_f32_from_bf16(c[i]) : 0.f;
                if (kn->kind & ARGS) x = x * my_args.times + my_args.add;
                if (!in) outside += d[i] != 0xa5a5;
                else bad += tc_f32_from_bf16(d[i]) != tc_f32_from_bf16(tc_bf16_from_f32(x));
            }
            CHECK(!bad && !outside, "%s, k = 0, beta %g: %d elements wrong, %d written outside of D", kn->name,
                  beta ? 0.5 : 0.0, bad, outside);
        }
    }
}

/* Strides of a single product, which nobody uses, keep no rule: the call is as good as without them. */
static void test_unused_strides(void)
{
    static unsigned char plain[(size_t)ELEMENTS * 8], strided[(size_t)ELEMENTS * 8];
    for (int x = 0; x < KERNELS; x++) {
        const kernel *kn = &kernels[x];
        tc_gemm_args g = good(kn->kind);
        if (!can_run_here(kn)) continue; /* test_edges has said so */
        fill_d();
        CHECK(kn->run(&g, 0) == TC_OK, "%s: %s", kn->name, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        put(plain, mem_d, mem_bytes);
        fill_d();
        g.batch = 1, g.stride_a = 8193, g.stride_b = 1;
        g.stride_c = ((int64_t)1 << 50) + 3, g.stride_d = ((int64_t)1 << 45) + 1;
        CHECK(kn->can_run(&g, 0) == TC_OK, "%s_can_run, one product with odd strides: %s", kn->name, tc_why());
        CHECK(kn->run(&g, 0) == TC_OK, "%s_run, one product with odd strides: %s", kn->name, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        put(strided, mem_d, mem_bytes);
        CHECK(!memcmp(plain, strided, mem_bytes), "%s: D differs with strides that nobody uses", kn->name);
    }
}

/* ---- .shapes ---- */

static int is_stub(const void *kernel)
{
    struct cudaFuncAttributes a;
    memset(&a, 0, sizeof a);
    CUDA_CHECK(cudaFuncGetAttributes(&a, kernel));
    return a.maxThreadsPerBlock <= 32;
}

/* Any shape runs by what .shapes leaves, one kernel or another; what is left out is no kernel, and no choice. */
static void test_shapes(void)
{
    static const int sizes[][3] = {{1, 48, 32}, {7, 40, 8}, {80, 48, 32}, {96, 8, 24}, {65, 33, 31}};
    static unsigned char want[(size_t)ELEMENTS * 8], got[(size_t)ELEMENTS * 8];
    tc_gemm_choice choice = {1, 0, 0, 0, 0, 0};
    tc_gemm_args g = good(PLAIN);
    tc_status st;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        g.m = sizes[i][0], g.n = sizes[i][1], g.k = sizes[i][2];
        fill_d();
        CHECK(k80_run(&g, 0) == TC_OK, "%s", tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        put(want, mem_d, mem_bytes);
        fill_d();
        CHECK(only_few_run(&g, 0) == TC_OK, "%d x %d x %d: %s", g.m, g.n, g.k, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        put(got, mem_d, mem_bytes);
        CHECK(!memcmp(want, got, mem_bytes), "%d x %d x %d differs", g.m, g.n, g.k); /* sums of integers */
    }
    fill_d();
    g = good(PLAIN), g.a = mem_a + 1;
    st = only_few_run(&g, 0);
    CHECK(st == TC_ERR_ALIGN && strstr(tc_why(), "a = ") && strstr(tc_why(), "has no TC_SHAPES_UNALIGNED"), "%s: %s",
          tc_status_text(st), tc_why());
    g = good(PLAIN), g.ldb = 57;
    st = only_few_can_run(&g, 0);
    CHECK(st == TC_ERR_ALIGN && strstr(tc_why(), "ldb = 57") && strstr(tc_why(), "has no TC_SHAPES_UNALIGNED"),
          "%s: %s", tc_status_text(st), tc_why());
    g = good(PLAIN), g.choice = &choice;
    st = only_few_run(&g, 0);
    CHECK(st == TC_ERR_CONFIG && strstr(tc_why(), "choice->kernel = 1") && strstr(tc_why(), ".shapes = 2"), "%s: %s",
          tc_status_text(st), tc_why());
    CHECK(d_untouched(), "D was written");
    g = good(PLAIN), g.ldd = 57; /* D with rows that TMA refuses */
    st = only_few_can_run(&g, 0);
    CHECK(st == TC_OK, "%s", tc_why());
    CHECK(is_stub((const void *)only_few_sm80_any) && is_stub((const void *)only_few_wide)
              && is_stub((const void *)only_few_small) && is_stub((const void *)only_few_pair160),
          "what .shapes leaves out is compiled");
    if (device != 90) {
        SKIP(".shapes and Hopper's kernels: needs compute capability 9.0, this device has %d.%d", device / 10,
             device % 10);
        return;
    }
    CHECK(!is_stub((const void *)only_few_few) && !is_stub((const void *)only_few_flat),
          "what .shapes wants is not compiled");
    for (choice.kernel = 3; choice.kernel <= 4; choice.kernel++) { /* few, flat */
        g = good(PLAIN), g.choice = &choice;
        CHECK(only_few_run(&g, 0) == TC_OK, "kernel %d: %s", choice.kernel, tc_why());
    }
    CUDA_CHECK(cudaDeviceSynchronize());
}

/* ---- plans ---- */

/* What a plan is tried with: 0 plain; beta and a batch; A and B that are not read (alpha is 0); k = 0; rows that TMA
 * refuses, at multiples of 4 bytes and of 2; PDL; nothing to compute. */
enum { PLAN_CASES = 8, NOTHING = 7 };
static tc_gemm_args plan_case(const kernel *kn, int i)
{
    static const float half = 0.5f, zero = 0.f;
    static const double half64 = 0.5, zero64 = 0.;
    const int f64 = (kn->kind & F64) != 0, unit = f64 ? 4 : kn->kind & TF32 ? 2 : 1; /* an element, or two of S8 */
    tc_gemm_args g = good(kn->kind);
    if (i == 1 || i == 2 || i == 3) g.beta = f64 ? 0 : &half, g.beta64 = f64 ? &half64 : 0;
    if (i == 1) g.batch = 2, g.stride_a = g.stride_b = g.stride_c = g.stride_d = M * LD;
    if (i == 2) g.alpha = f64 ? 0 : &zero, g.alpha64 = f64 ? &zero64 : 0;
    if (i == 3) g.k = 0, g.a = g.b = 0;
    if (i == 4) g.a = mem_a + 2 * unit, g.b = mem_b + 2 * unit;
    if (i == 5) g.a = mem_a + unit, g.b = mem_b + 8 + unit; /* as far from a multiple of 16 bytes */
    if (i == 6) g.pdl = 1;
    if (i == NOTHING) g.m = 0;
    return g;
}

/* What a launch of that plan (or, without one, a call) leaves in the memory `d`. */
static void result(const kernel *kn, const tc_gemm_plan *plan, const tc_gemm_args *g, unsigned char *to)
{
    tc_status st;
    CUDA_CHECK(cudaMemset(g->d, 0xa5, mem_bytes));
    CUDA_CHECK(cudaDeviceSynchronize());
    st = plan ? kn->launch(plan, 0) : kn->run(g, 0);
    CHECK(st == TC_OK, "%s_%s: %s: %s", kn->name, plan ? "launch" : "run", tc_status_text(st), tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    put(to, g->d, mem_bytes);
}

/* The bits of NAME_run: from a copy of the plan, where tensor maps could not lie, after other calls and with args gone;
 * then the same with other matrices and another hook's arguments. */
static void test_plan(const kernel *kn, int i)
{
    static unsigned char want[(size_t)ELEMENTS * 8], got[(size_t)ELEMENTS * 8];
    static uint64_t room[sizeof(tc_gemm_plan) / 8 + 16];
    static unsigned char *second, *third;
    tc_gemm_plan plan, *copy = (tc_gemm_plan *)(((uintptr_t)room + 63) / 64 * 64 + 8);
    tc_gemm_args g = plan_case(kn, i), other = good(kn->kind);
    hook_args mine = my_args;
    tc_status st;
    if (!second) second = (unsigned char *)get_memory(), third = (unsigned char *)get_memory();
    result(kn, 0, &g, want);
    fill_d();
    if (kn->kind & ARGS) g.epi_args = &mine;
    st = kn->plan(&g, &plan);
    CHECK(st == TC_OK, "%s_plan, case %d: %s: %s", kn->name, i, tc_status_text(st), tc_why());
    CHECK(d_untouched(), "%s_plan, case %d: D was written", kn->name, i);
    memcpy((void *)copy, (const void *)&plan, sizeof plan);
    memset((void *)&plan, 0xff, sizeof plan);
    mine.add = 99.f;
    for (int call = 0; call < 2; call++) {
        other.m = M - 9 - call, other.n = N / 2, other.d = third;
        CHECK(kn->run(&other, 0) == TC_OK, "%s, another call: %s", kn->name, tc_why());
        result(kn, copy, &g, got);
        CHECK(!memcmp(want, got, mem_bytes), "%s, case %d, launch %d: not NAME_run's bits", kn->name, i, call);
    }

    /* what is refused leaves the plan as it is */
    other = g, other.d = 0;
    st = tc_gemm_plan_pointers(copy, &other);
    CHECK(i == NOTHING ? st == TC_OK : st == TC_ERR_NULL && strstr(tc_why(), "d is null"), "%s: %s", kn->name,
          tc_why());
    other = g, other.d = second + 4, other.c = (char *)mem_c + 16;
    st = tc_gemm_plan_pointers(copy, &other);
    CHECK(i == NOTHING ? st == TC_OK : st == TC_ERR_ALIGN && strstr(tc_why(), "d = ") && strstr(tc_why(), "16 bytes"),
          "%s: %s", kn->name, tc_why());
    if (i < 2 || i > 3) { /* A is read */
        other = g, other.a = 0, other.d = second;
        st = tc_gemm_plan_pointers(copy, &other);
        CHECK(i == NOTHING || (st == TC_ERR_NULL && strstr(tc_why(), "a is null")), "%s: %s", kn->name, tc_why());
        other.a = (char *)mem_a + (i == 5 ? 1 : 2);
        st = tc_gemm_plan_pointers(copy, &other);
        CHECK(i == NOTHING || (st == TC_ERR_ALIGN && strstr(tc_why(), "a = ") && strstr(tc_why(), "as the plan's is")),
              "%s: %s", kn->name, tc_why());
    }
    /* the phase of A's rows is in the plan of a Hopper kernel */
    if (i == 5 && device == 90 && !strstr(kn->name, "k80") && !(kn->kind & S8)) {
        other = g, other.a = (char *)mem_a + 6, other.d = second;
        st = tc_gemm_plan_pointers(copy, &other);
        CHECK(st == TC_ERR_ALIGN && strstr(tc_why(), "not as far from a multiple of 16 bytes"), "%s: %s", kn->name,
              tc_why());
    }
    if (kn->kind & ARGS) {
        other = g, other.epi_args = 0, other.d = second;
        st = tc_gemm_plan_pointers(copy, &other);
        CHECK(i == NOTHING || (st == TC_ERR_EPI && strstr(tc_why(), "epi_args is null")), "%s: %s", kn->name,
              tc_why());
    }
    result(kn, copy, &g, got);
    CHECK(!memcmp(want, got, mem_bytes), "%s, case %d: a refusal changed the plan", kn->name, i);

    other = g;
    other.a = g.b, other.b = g.a, other.c = (char *)mem_c + 32, other.d = second;
    result(kn, 0, &other, want);
    fill_d();
    memset((void *)&plan, 0, sizeof plan);
    plan = *copy;
    st = tc_gemm_plan_pointers(copy, &other);
    CHECK(st == TC_OK, "%s, case %d, other matrices: %s: %s", kn->name, i, tc_status_text(st), tc_why());
    mine.add = 7.f;
    result(kn, copy, &other, got);
    CHECK(!memcmp(want, got, mem_bytes), "%s, case %d, other matrices: not NAME_run's bits", kn->name, i);
    CHECK(d_untouched(), "%s, case %d, other matrices: the old D was written", kn->name, i);
    mine = my_args;
    result(kn, 0, &g, want);
    result(kn, &plan, &g, got);
    CHECK(!memcmp(want, got, mem_bytes), "%s, case %d: a copy of the plan was changed with it", kn->name, i);
}

static void test_plans(void)
{
    tc_gemm_plan plan;
    tc_gemm_args g = good(PLAIN);
    tc_status st;
    CHECK(sizeof(tc_gemm_plan) <= 2688 && sizeof(tc_gemm_plan) % 8 == 0, "a plan has %d bytes",
          (int)sizeof(tc_gemm_plan));
    for (int x = 0; x < KERNELS; x++)
        for (int i = 0; i < PLAN_CASES && can_run_here(&kernels[x]); i++)
            if (!(kernels[x].kind & SM90) || (i != 4 && i != 5)) test_plan(&kernels[x], i);
    fill_d();
    CHECK(any_plan(&g, 0) == TC_ERR_NULL && strstr(tc_why(), "plan is null"), "%s", tc_why());
    CHECK(any_launch(0, 0) == TC_ERR_NULL && strstr(tc_why(), "plan is null"), "%s", tc_why());
    CHECK(tc_gemm_plan_pointers(0, &g) == TC_ERR_NULL && strstr(tc_why(), "plan is null"), "%s", tc_why());
    memset((void *)&plan, 0, sizeof plan);
    CHECK(any_launch(&plan, 0) == TC_ERR_CONFIG && strstr(tc_why(), "plan was not made by any_plan"), "%s", tc_why());
    CHECK(tc_gemm_plan_pointers(&plan, &g) == TC_ERR_CONFIG && strstr(tc_why(), "was not made"), "%s", tc_why());
    CHECK(k80_plan(&g, &plan) == TC_OK, "%s", tc_why());
    CHECK(tc_gemm_plan_pointers(&plan, 0) == TC_ERR_NULL && strstr(tc_why(), "args is null"), "%s", tc_why());
    CHECK(any_launch(&plan, 0) == TC_ERR_CONFIG && strstr(tc_why(), "plan was not made by any_plan"), "%s", tc_why());
    plan.call.device = 63; /* as if another one were current */
    st = k80_launch(&plan, 0);
    CHECK(st == TC_ERR_DEVICE && strstr(tc_why(), "made for device 63") && strstr(tc_why(), "current device is 0"),
          "%s: %s", tc_status_text(st), tc_why());
    CHECK(d_untouched(), "D was written");
}

/* ---- a device that was reset ---- */

/* pass 0: what was set for the kernels when they first ran is taken back, as another context finds it; pass 1:
 * cudaDeviceReset, after which nothing that was allocated is left. Both times a call must find out by itself. */
static void test_reset(void)
{
    static unsigned char before[KERNELS][(size_t)ELEMENTS * 8], after[(size_t)ELEMENTS * 8];
    static tc_gemm_plan plans[KERNELS];
    const void *functions[] = {(const void *)k90, (const void *)k90_args, (const void *)k90_pair, (const void *)k90_f32,
                               (const void *)k90_split,
                               (const void *)k80, (const void *)k80_args, (const void *)k80_pair,
                               (const void *)any_wide, (const void *)any_pair, (const void *)any_few,
                               (const void *)any_flat, (const void *)any_small,
                               (const void *)any_sm80, (const void *)any_sm80_any};
    for (int x = 0; x < KERNELS; x++) {
        tc_gemm_args g = good(kernels[x].kind);
        if (!can_run_here(&kernels[x])) continue;
        fill_d();
        CHECK(kernels[x].run(&g, 0) == TC_OK, "%s before the reset: %s", kernels[x].name, tc_why());
        CHECK(kernels[x].plan(&g, &plans[x]) == TC_OK, "%s before the reset: %s", kernels[x].name, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        put(before[x], mem_d, mem_bytes);
    }
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0) {
            for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
                CUDA_CHECK(cudaFuncSetAttribute(functions[i], cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
        } else {
            CUDA_CHECK(cudaDeviceReset());
            make_problem();
        }
        for (int x = 0; x < KERNELS; x++) {
            const char *name = kernels[x].name;
            tc_gemm_args g = good(kernels[x].kind);
            if (!can_run_here(&kernels[x])) continue;
            if (pass) CHECK(tc_gemm_plan_pointers(&plans[x], &g) == TC_OK, "%s: %s", name, tc_why());
            for (int call = 0; call < 3; call++) { /* with a plan made before the reset, and without */
                tc_status st;
                fill_d();
                st = (x + call) % 3 ? kernels[x].run(&g, 0) : kernels[x].launch(&plans[x], 0);
                CHECK(st == TC_OK, "%s, pass %d, call %d: %s", name, pass, call, tc_why());
                CHECK(cudaPeekAtLastError() == cudaSuccess, "%s, pass %d: a CUDA error stays behind", name, pass);
                CUDA_CHECK(cudaDeviceSynchronize());
                put(after, mem_d, mem_bytes);
                CHECK(!memcmp(before[x], after, mem_bytes), "%s, pass %d, call %d: D differs", name, pass, call);
            }
        }
    }
}

/* ---- graphs and threads ---- */
static void test_graph(void)
{
    static uint16_t direct[ELEMENTS], replayed[ELEMENTS];
    tc_gemm_args g = good(PLAIN);
    tc_gemm_plan plan;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    tc_status st;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill_d();
    CHECK(any_run(&g, stream) == TC_OK, "before the graph: %s", tc_why());
    CUDA_CHECK(cudaStreamSynchronize(stream));
    put(direct, mem_d, sizeof direct);
    /* pass 0: the kernel's first call ever is the captured one; 2: a plan, 3: one that is made during the capture */
    CHECK(any_plan(&g, &plan) == TC_OK, "%s", tc_why());
    for (int pass = 0; pass < 4; pass++) {
        CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        if (pass < 2) st = pass ? any_run(&g, stream) : fresh_run(&g, stream);
        else if (pass == 2 || (st = fresh_plan(&g, &plan)) == TC_OK)
            st = pass == 2 ? any_launch(&plan, stream) : fresh_launch(&plan, stream);
        CHECK(st == TC_OK, "in the capture: %s: %s", tc_status_text(st), tc_why());
        CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
        CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        for (int i = 0; i < 2; i++) {
            fill_d();
            CHECK(d_untouched(), "the capture itself runs the kernel");
            CUDA_CHECK(cudaGraphLaunch(exec, stream));
            CUDA_CHECK(cudaStreamSynchronize(stream));
            put(replayed, mem_d, sizeof replayed);
            CHECK(!memcmp(direct, replayed, sizeof direct),
                  "pass %d launch %d of the graph differs from the direct call", pass, i);
        }
        CUDA_CHECK(cudaGraphExecDestroy(exec));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    CUDA_CHECK(cudaStreamDestroy(stream));
}

enum { THREADS = 4, CALLS = 50 };
typedef struct {
    int id, failed;
    cudaStream_t stream;
    uint16_t *d;
} worker;

static tc_gemm_args of_worker(int id, uint16_t *d)
{
    tc_gemm_args g = good(PLAIN);
    g.m = M - 7 * id, g.n = N - id, g.k = K - 3 * id, g.d = d;
    return g;
}

static void *work(void *p)
{
    worker *w = (worker *)p;
    char text[32];
    for (int i = 0; i < CALLS; i++) {
        tc_gemm_args g = of_worker(w->id, w->d);
        if ((i % 2 ? k80_run : any_run)(&g, w->stream) != TC_OK) w->failed++;
        g.m = -1 - w->id; /* the sentence belongs to the thread */
        snprintf(text, sizeof text, "m = %d ", g.m);
        if (any_run(&g, w->stream) != TC_ERR_SIZE || !strstr(tc_why(), text)) w->failed++;
    }
    if (cudaStreamSynchronize(w->stream) != cudaSuccess) w->failed++;
    return 0;
}

static void test_threads(void)
{
    static uint16_t alone[ELEMENTS], together[ELEMENTS];
    worker w[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        w[i].id = i, w[i].failed = 0;
        CUDA_CHECK(cudaStreamCreateWithFlags(&w[i].stream, cudaStreamNonBlocking));
        CUDA_CHECK(cudaMalloc((void **)&w[i].d, sizeof together));
        CUDA_CHECK(cudaMemset(w[i].d, 0xa5, sizeof together));
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], 0, work, &w[i])) exit(1);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], 0);
    for (int i = 0; i < THREADS; i++) {
        tc_gemm_args g = of_worker(i, (uint16_t *)mem_d);
        fill_d();
        CHECK(k80_run(&g, 0) == TC_OK, "alone: %s", tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        put(alone, mem_d, sizeof alone);
        put(together, w[i].d, sizeof together);
        CHECK(w[i].failed == 0, "thread %d: %d calls went wrong", i, w[i].failed);
        CHECK(!memcmp(alone, together, sizeof alone), "thread %d: D differs from that of a call alone", i);
        CUDA_CHECK(cudaFree(w[i].d));
        CUDA_CHECK(cudaStreamDestroy(w[i].stream));
    }
}

int main(void)
{
    device = test_device();
    make_problem();
    test_rules();
    test_factors();
    if (device < 80) {
        SKIP("device answers, empty problems, k = 0, graphs, threads: no device of compute capability 8.0 or later");
        return test_end();
    }
    test_device_rules();
    test_choice();
    test_workspace();
    test_edges();
    test_unused_strides();
    test_plans();
    test_shapes();
    test_graph();
    test_threads();
    test_reset(); /* the last: it leaves nothing of before */
    return test_end();
}
