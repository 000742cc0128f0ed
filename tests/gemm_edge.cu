/* gemm_edge.cu - Hopper GEMMs whose last tiles lack rows (tc_gemm_sm90_edge.h): what an earlier tile left in the ring
 * stays out of D.
 *     build/tests/gemm_edge [problems] [seed]
 *
 * One block computes all tiles of a problem, so that slots come back. A's and B's rows of all tiles but the last ones
 * are NaN (s8: 100), those of the last ones small whole numbers: D there must be exact, and nothing behind its rows is
 * touched. Where more than D comes of a tile (a second output, sums, factors, the largest of a row, a gate), all of a
 * first product is NaN, and all of what comes of the second one must be right. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include "attn_memory.h"
#include <time.h>

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_F32
TC_GEMM_SM90_DEFINE(edge_wide, BF16, .bm = 128, .bn = 128, .step = 32, .split = 1, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(edge_pair, BF16, .bm = 128, .bn = 192, .schedule = TC_PINGPONG)
TC_GEMM_SM90_DEFINE(edge_swap, BF16, .bm = 96, .bn = 128, .step = 16, .swap = 1, .split = 1, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(edge_square, BF16, .bm = 128, .bn = 64, .cluster_m = 2, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(edge_k2, BF16, .bm = 64, .bn = 96, .cluster_k = 2)
TC_GEMM_SM90_DEFINE(edge_col, .a = TC_F16, .b = TC_F16, .d = TC_F32, .acc = TC_F16, .bm = 128, .bn = 128,
                    .d_layout = TC_COL)
TC_GEMM_SM90_DEFINE(edge_s8, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bm = 128, .bn = 64)
TC_GEMM_SM90_DEFINE(edge_e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .bm = 128, .bn = 96)
TC_GEMM_SM90_DEFINE(edge_ahead, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .bm = 64, .bn = 128, .step = 32, .split = 1,
                    .cluster_m = 2)
TC_GEMM_SM90_DEFINE(edge_ahead2, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .bm = 128, .bn = 128, .step = 64, .swap = 1,
                    .split = 1, .cluster_n = 2)

TC_DEV float both(float x, float y, tc_gemm_at, const void *) { return x + y; }
#define OUT(name, ...) TC_GEMM_SM90_DEFINE(name, .a = TC_BF16, .b = TC_BF16, __VA_ARGS__)
OUT(edge_sums, .d = TC_F32, .aux = TC_F32, .aux_what = TC_AUX_PRE, .row_sum = TC_SUM, .col_sum = TC_SUM, .bm = 128,
    .bn = 128, .cluster_m = 2)
OUT(edge_sums_swap, .d = TC_F32, .row_sum = TC_MAX_ABS, .col_sum = TC_SUM, .bm = 64, .bn = 128, .step = 16, .swap = 1,
    .split = 1, .cluster_n = 2)
OUT(edge_gate, .d = TC_F32, .gate = both, .epi_size = TC_NO_ARGS, .bm = 128, .bn = 128, .step = 64, .cluster_m = 2)
OUT(edge_quant, .d = TC_E4M3, .d_scale = TC_SCALE_1X128, .bm = 128, .bn = 128, .cluster_m = 2)
OUT(edge_top, .d = TC_F32, .top = 1, .bm = 128, .bn = 128)

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_gemm_config c;
    int m, n, bytes; /* rows and columns of a tile (of a cluster's), of an element */
} kernel;
#define ROW(name, m, n, bytes) {#name, name##_run, name##_config(), m, n, bytes}
static const kernel kernels[] = {ROW(edge_wide, 256, 128, 2), ROW(edge_pair, 128, 192, 2), ROW(edge_swap, 96, 256, 2),
                                 ROW(edge_square, 256, 128, 2), ROW(edge_k2, 64, 96, 2), ROW(edge_col, 128, 128, 2),
                                 ROW(edge_s8, 128, 64, 1), ROW(edge_e4m3, 128, 96, 1),
                                 ROW(edge_ahead, 128, 128, 1), ROW(edge_ahead2, 128, 256, 1)};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static uint16_t element(const kernel *kn, int x, int bad)
{
    if (kn->c.a == TC_S8) return (uint8_t)(bad ? 100 : x);
    if (kn->c.a == TC_E4M3) return bad ? 0x7f : tc_e4m3_from_f32((float)x);
    if (kn->c.a == TC_F16) return bad ? 0x7e00 : tc_f16_from_f32((float)x);
    return bad ? 0x7fc0 : tc_bf16_from_f32((float)x);
}

/* rows of k elements, the first `bad` of them not of numbers */
static char *operand(const kernel *kn, int rows, int k, int pitch, int bad, int *x)
{
    char *host = (char *)malloc((size_t)rows * pitch * kn->bytes), *there;
    memset(host, 0, (size_t)rows * pitch * kn->bytes);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < k; j++) {
            const uint16_t e = element(kn, x[(size_t)i * k + j] = test_int(-2, 2), i < bad);
            memcpy(host + ((size_t)i * pitch + j) * kn->bytes, &e, (size_t)kn->bytes);
        }
    there = (char *)device_memory((size_t)rows * pitch * kn->bytes);
    CUDA_CHECK(cudaMemcpy(there, host, (size_t)rows * pitch * kn->bytes, cudaMemcpyHostToDevice));
    free(host);
    return there;
}

static void one(const kernel *kn, uint64_t seed)
{
    const int col = kn->c.d_layout == TC_COL, pad = 16 / kn->bytes;
    const int bad_m = kn->m * test_int(1, 2), bad_n = kn->n * test_int(0, 1), k = test_int(1, 700);
    const int m = bad_m + test_int(1, kn->m - 1), n = bad_n + test_int(1, kn->n - 1), pitch = (k + pad - 1) / pad * pad;
    const int ldd = (col ? m : n) + test_int(0, 5), lines = col ? n : m;
    int *x = (int *)malloc((size_t)m * k * sizeof *x), *y = (int *)malloc((size_t)n * k * sizeof *y), wrong = 0;
    uint32_t *d = (uint32_t *)malloc((size_t)(lines + 1) * ldd * 4);
    const tc_gemm_choice one_block = {0, 0, 0, 0, 1, 0};
    tc_gemm_args g;
    tc_status st;
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k, g.lda = g.ldb = pitch, g.ldd = ldd;
    g.a = operand(kn, m, k, pitch, bad_m, x), g.b = operand(kn, n, k, pitch, bad_n, y);
    g.d = device_memory((size_t)(lines + 1) * ldd * 4);
    g.choice = &one_block, g.pdl = test_int(-1, 1);
    snprintf(test_context, sizeof test_context, "%s m %d n %d k %d ldd %d pdl %d seed %llu", kn->name, m, n, k, ldd,
             g.pdl, (unsigned long long)seed);
    CUDA_CHECK(cudaMemset(g.d, 0xff, (size_t)(lines + 1) * ldd * 4));
    st = kn->run(&g, 0);
    CHECK(st == TC_OK, "%s: %s", test_context, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(d, g.d, (size_t)(lines + 1) * ldd * 4, cudaMemcpyDeviceToHost));
    for (int i = bad_m; i < m; i++)
        for (int j = bad_n; j < n; j++) {
            const uint32_t got = d[col ? (size_t)j * ldd + i : (size_t)i * ldd + j];
            int sum = 0;
            float f;
            for (int l = 0; l < k; l++) sum += x[(size_t)i * k + l] * y[(size_t)j * k + l];
            memcpy(&f, &got, 4);
            wrong += kn->c.d == TC_S32 ? (int)got != sum : f != (float)sum;
        }
    CHECK(wrong == 0, "%s: %d elements are wrong", test_context, wrong);
    for (int i = 0, touched = 0; i <= lines; i++) {
        for (int j = i < lines ? (col ? m : n) : 0; j < ldd; j++) touched += d[(size_t)i * ldd + j] != 0xffffffffu;
        if (i == lines) CHECK(touched == 0, "%s: %d words outside of D were written", test_context, touched);
    }
    free(x), free(y), free(d);
    free_device_memory();
}

/* ---- more than D ---- */
typedef struct {
    kernel of;
    size_t (*workspace)(const tc_gemm_args *);
} more;
#define MORE(name) {ROW(name, 0, 0, 2), name##_workspace}
static const more mores[] = {MORE(edge_sums), MORE(edge_sums_swap), MORE(edge_gate), MORE(edge_quant), MORE(edge_top)};
enum { MORES = sizeof mores / sizeof mores[0] };

static float *output(size_t count)
{
    float *p = (float *)device_memory(count * 4);
    CUDA_CHECK(cudaMemset(p, 0xff, count * 4));
    return p;
}

/* Of the second product: what is not as `want` says, to a part of it. */
static int wrong(const float *there, size_t first, const float *want, int count, float part)
{
    float *got = (float *)malloc((size_t)count * sizeof *got);
    int bad = 0;
    CUDA_CHECK(cudaMemcpy(got, there + first, (size_t)count * sizeof *got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) bad += !(fabsf(got[i] - want[i]) <= part * fabsf(want[i]));
    free(got);
    return bad;
}

/* e4m3, each 128 columns with a factor: half of a last place, of 3 bits or of the smallest numbers. */
static int wrong_bytes(const uint8_t *there, const float *want, const float *factors, int m, int n)
{
    uint8_t *got = (uint8_t *)malloc((size_t)m * n);
    int bad = 0;
    CUDA_CHECK(cudaMemcpy(got, there, (size_t)m * n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < m * n; i++) {
        const float factor = factors[i / n * ((n + 127) / 128) + i % n / 128], x = tc_f32_from_e4m3(got[i]) * factor;
        bad += !(fabsf(x - want[i]) <= fmaxf(fabsf(want[i]) / 15.f, factor / 1000.f));
    }
    free(got);
    return bad;
}

static void one_more(const more *mo, uint64_t seed)
{
    const kernel *kn = &mo->of;
    const int m = test_int(1, 300), n = test_int(1, kn->c.top ? 128 : 300), k = test_int(1, 400);
    const int pitch = (k + 7) / 8 * 8, blocks = (n + 127) / 128, gate = kn->c.gate != 0, quant = kn->c.d == TC_E4M3;
    int *x = (int *)malloc((size_t)2 * m * k * sizeof *x), *y = (int *)malloc((size_t)2 * n * k * sizeof *y);
    float *d = (float *)calloc((size_t)m * n, 4), *rows = (float *)calloc((size_t)m, 4);
    float *cols = (float *)calloc((size_t)n, 4), *top = (float *)malloc((size_t)m * 4);
    float *factors = (float *)calloc((size_t)m * blocks, 4);
    const tc_gemm_choice one_block = {0, 0, 0, 0, 1, 0};
    tc_gemm_args g;
    tc_status st;
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k, g.lda = g.ldb = pitch, g.ldd = n, g.batch = 2;
    g.stride_a = (int64_t)m * pitch, g.stride_d = (int64_t)m * n; /* one B for both */
    g.a = operand(kn, 2 * m, k, pitch, m, x), g.b = operand(kn, 2 * n, k, pitch, 0, y);
    if (gate) g.b2 = (const uint16_t *)g.b + (size_t)n * pitch;
    g.d = output((size_t)2 * m * n);
    if (kn->c.aux) g.aux.p = output((size_t)2 * m * n), g.aux.ld = n, g.aux.stride = (int64_t)m * n;
    g.row_out = kn->c.row_sum ? output((size_t)2 * m) : 0, g.col_out = kn->c.col_sum ? output((size_t)2 * n) : 0;
    if (quant) {
        const tc_gemm_scale to = {output((size_t)2 * m * blocks), blocks, 1, (int64_t)m * blocks};
        g.d_scale_out = to;
    }
    g.top.values = kn->c.top ? output((size_t)2 * m) : 0;
    g.workspace_size = mo->workspace(&g);
    g.workspace = g.workspace_size ? device_memory(g.workspace_size) : 0;
    g.choice = &one_block, g.pdl = test_int(-1, 1);
    snprintf(test_context, sizeof test_context, "%s m %d n %d k %d pdl %d seed %llu", kn->name, m, n, k, g.pdl,
             (unsigned long long)seed);
    for (int i = 0; i < m; i++) {
        top[i] = -INFINITY;
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int l = 0; l < k; l++) {
                const int a = x[(size_t)(m + i) * k + l];
                sum += a * (y[(size_t)j * k + l] + (gate ? y[(size_t)(n + j) * k + l] : 0));
            }
            d[(size_t)i * n + j] = (float)sum, cols[j] += (float)sum;
            rows[i] = kn->c.row_sum == TC_MAX_ABS ? fmaxf(rows[i], fabsf((float)sum)) : rows[i] + (float)sum;
            factors[i * blocks + j / 128] = fmaxf(factors[i * blocks + j / 128], fabsf((float)sum));
            top[i] = fmaxf(top[i], (float)sum);
        }
    }
    for (int i = 0; i < m * blocks; i++) factors[i] = fmaxf(factors[i] * (1.f / 448.f), 1.17549435e-38f);
    st = kn->run(&g, 0);
    CHECK(st == TC_OK, "%s: %s", test_context, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    if (!quant) CHECK(wrong((float *)g.d, (size_t)m * n, d, m * n, 0.f) == 0, "%s: D", test_context);
    if (g.aux.p) CHECK(wrong((float *)g.aux.p, (size_t)m * n, d, m * n, 0.f) == 0, "%s: aux", test_context);
    if (g.row_out) CHECK(wrong(g.row_out, (size_t)m, rows, m, 0.f) == 0, "%s: sums of rows", test_context);
    if (g.col_out) CHECK(wrong(g.col_out, (size_t)n, cols, n, 0.f) == 0, "%s: sums of columns", test_context);
    if (quant) {
        CHECK(wrong_bytes((const uint8_t *)g.d + (size_t)m * n, d, factors, m, n) == 0, "%s: D", test_context);
        CHECK(wrong(g.d_scale_out.at, (size_t)m * blocks, factors, m * blocks, 1e-6f) == 0, "%s: factors",
              test_context);
    }
    if (g.top.values) CHECK(wrong(g.top.values, (size_t)m, top, m, 0.f) == 0, "%s: the largest", test_context);
    free(x), free(y), free(d), free(rows), free(cols), free(top), free(factors);
    free_device_memory();
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 80;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    if (test_device() != 90) {
        SKIP("gemm_edge: no device of compute capability 9.0");
        return test_end();
    }
    printf("gemm_edge: %d problems, seed %llu\n", count, (unsigned long long)seed);
    for (int i = 0; i < count; i++) {
        test_seed(seed + (uint64_t)i);
        one(&kernels[(seed + (uint64_t)i) % KERNELS], seed + (uint64_t)i);
        if (i % 2 == 0) one_more(&mores[(seed + (uint64_t)i) / 2 % MORES], seed + (uint64_t)i);
    }
    return test_end();
}
