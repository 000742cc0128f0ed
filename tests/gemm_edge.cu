/* gemm_edge.cu - Hopper GEMMs whose last tiles lack rows (tc_gemm_sm90_edge.h): what an earlier tile left in the ring
 * stays out of D.
 *     build/tests/gemm_edge [problems] [seed]
 *
 * One block computes all tiles of a problem, so that slots come back. A's and B's rows of all tiles but the last ones
 * are NaN (s8: 100), those of the last ones small whole numbers: D there must be exact, and nothing behind its rows is
 * touched. */
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

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_gemm_config c;
    int m, n, bytes; /* rows and columns of a tile (of a cluster's), of an element */
} kernel;
#define ROW(name, m, n, bytes) {#name, name##_run, name##_config(), m, n, bytes}
static const kernel kernels[] = {ROW(edge_wide, 256, 128, 2), ROW(edge_pair, 128, 192, 2), ROW(edge_swap, 96, 256, 2),
                                 ROW(edge_square, 256, 128, 2), ROW(edge_k2, 64, 96, 2), ROW(edge_col, 128, 128, 2),
                                 ROW(edge_s8, 128, 64, 1), ROW(edge_e4m3, 128, 96, 1)};
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
    g.choice = &one_block;
    snprintf(test_context, sizeof test_context, "%s m %d n %d k %d ldd %d seed %llu", kn->name, m, n, k, ldd,
             (unsigned long long)seed);
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
    }
    return test_end();
}
