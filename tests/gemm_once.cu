/* gemm_once.cu - the end of a block's only tile (tc_gemm_sm90_once.h): every width of a kernel, upright and on its
 * side, tiles that D's edges cut, several matrices, against exact sums.
 *     build/tests/gemm_once [seed]
 */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"

TC_GEMM_SM90_DEFINE(wide, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .step = 16, .split = 1,
                    .cluster_m = 2)
TC_GEMM_SM90_DEFINE(turns, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 128, .bn = 192, .step = 64,
                    .schedule = TC_PINGPONG)
TC_GEMM_SM90_DEFINE(three, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .bm = 192, .bn = 176, .step = 16)
TC_GEMM_SM90_DEFINE(promoted, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 256, .bn = 128, .step = 32)
TC_GEMM_SM90_DEFINE(aside, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 208, .bn = 128, .step = 16, .swap = 1,
                    .split = 1, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(narrow, .a = TC_F16, .b = TC_F16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 16, .swap = 1)

typedef struct kernel {
    const char *name;
    tc_gemm_config c;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
} kernel;
#define KERNEL(name) {#name, name##_config(), name##_run}
static const kernel kernels[] = {KERNEL(wide), KERNEL(turns), KERNEL(three), KERNEL(promoted), KERNEL(aside),
                                 KERNEL(narrow)};

enum { K = 96 };

static uint16_t bits_of(int type, float x)
{
    return type == TC_E4M3 ? tc_e4m3_from_f32(x) : type == TC_F16 ? tc_f16_from_f32(x) : tc_bf16_from_f32(x);
}
static float value_of(int type, uint16_t bits)
{
    return type == TC_F16 ? tc_f32_from_f16(bits) : tc_f32_from_bf16(bits);
}

/* Integers of few bits, of `rows` rows of K: in host, and on the device. */
static void *operand(int type, int rows, float *host)
{
    const int size = tc_type_bits(type) / 8;
    unsigned char *bytes = (unsigned char *)malloc((size_t)rows * K * size);
    void *device;
    for (int i = 0; i < rows * K; i++) {
        host[i] = (float)test_int(-3, 3);
        const uint16_t x = bits_of(type, host[i]);
        memcpy(bytes + (size_t)i * size, &x, size);
    }
    CUDA_CHECK(cudaMalloc(&device, (size_t)rows * K * size));
    CUDA_CHECK(cudaMemcpy(device, bytes, (size_t)rows * K * size, cudaMemcpyHostToDevice));
    free(bytes);
    return device;
}

/* m x n of `batch` products in tiles of that width. */
static void one(const kernel *kn, int m, int n, int batch, int width)
{
    const tc_gemm_choice choice = {0, width, test_int(0, 1), 1, 0, 0};
    const float alpha = test_int(0, 1) ? 1.f : -0.5f;
    const int ldd = n + 8 * test_int(0, 2);
    const size_t count = (size_t)batch * m * ldd;
    float *a = (float *)malloc(sizeof(float) * batch * m * K), *b = (float *)malloc(sizeof(float) * batch * n * K);
    uint16_t *d = (uint16_t *)malloc(count * 2);
    int wrong = 0, outside = 0;
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = K, g.lda = g.ldb = K, g.ldd = ldd, g.batch = batch, g.alpha = &alpha, g.choice = &choice;
    g.stride_a = (int64_t)m * K, g.stride_b = (int64_t)n * K, g.stride_d = (int64_t)m * ldd;
    g.pdl = test_int(-1, 1), g.pdl_constant = test_int(0, 3);
    void *on_a = operand(kn->c.a, batch * m, a), *on_b = operand(kn->c.b, batch * n, b), *on_d;
    g.a = on_a, g.b = on_b;
    CUDA_CHECK(cudaMalloc(&on_d, count * 2));
    CUDA_CHECK(cudaMemset(on_d, 0x5a, count * 2));
    g.d = on_d;
    const tc_status st = kn->run(&g, 0);
    CHECK(st == TC_OK, "%s %d x %d, width %d: %s", kn->name, m, n, width, tc_why());
    CUDA_CHECK(cudaMemcpy(d, on_d, count * 2, cudaMemcpyDeviceToHost));
    for (int i = 0; i < batch * m; i++)
        for (int j = 0; j < ldd; j++) {
            const uint16_t got = d[(size_t)i * ldd + j];
            float sum = 0;
            for (int k = 0; k < K && j < n; k++) sum += a[(size_t)i * K + k] * b[((size_t)(i / m) * n + j) * K + k];
            if (j >= n) outside += got != 0x5a5a;
            else wrong += value_of(kn->c.d, got) != value_of(kn->c.d, bits_of(kn->c.d, alpha * sum));
        }
    CHECK(wrong == 0 && outside == 0, "%s %d x %d, batch %d, width %d: %d wrong, %d written outside of D", kn->name, m,
          n, batch, width, wrong, outside);
    CUDA_CHECK(cudaFree(on_a));
    CUDA_CHECK(cudaFree(on_b));
    CUDA_CHECK(cudaFree(on_d));
    free(a), free(b), free(d);
}

int main(int argc, char **argv)
{
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    if (properties.major != 9) {
        SKIP("gemm_once: its kernels are Hopper's");
        return test_end();
    }
    test_seed(argc > 1 ? strtoull(argv[1], 0, 10) : 1);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        const tc_gemm_config v = tc_gemm90_view(kernels[i].c);
        for (int width = v.step; width <= v.bn; width += v.step) {
            const int rows = v.bm + test_int(-70, 70), cols = 2 * width - test_int(0, 1) * test_int(1, width);
            const int m = v.swap ? cols : rows, n = ((v.swap ? rows : cols) + 7) / 8 * 8;
            one(&kernels[i], m > 0 ? m : 1, n, test_int(1, 2), width);
        }
    }
    return test_end();
}
