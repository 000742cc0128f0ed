/* gemm_chain.cu - three calls in a row: the first makes the third one's weights, the second starts while the
 * first drains.
 *     build/tests/gemm_chain
 *
 * args.pdl_constant says of the third call's B that no kernel writes it that may still run. That is so where a call
 * without args.pdl lies between, though the kit may launch that one as a dependent: it lets the third start no sooner
 * than the first has ended. In tcemu launches run one after the other, but what is read too early is reported. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"

TC_GEMM_SM90_DEFINE(alone, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64)
TC_GEMM_SM90_DEFINE(pair, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(turns, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .schedule = TC_PINGPONG,
                    .cluster_n = 2)

typedef struct kernel {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
} kernel;
#define KERNEL(name) {#name, name##_run}
static const kernel kernels[] = {KERNEL(alone), KERNEL(pair), KERNEL(turns)};

enum { ROWS = 256, LONG = 1536, SHORT = 64 };

static void *operand(int rows, int cols)
{
    const size_t count = (size_t)rows * cols;
    uint16_t *host = (uint16_t *)malloc(count * 2);
    void *device;
    for (size_t i = 0; i < count; i++) host[i] = tc_bf16_from_f32((float)test_int(-8, 8) / 32);
    CUDA_CHECK(cudaMalloc(&device, count * 2));
    CUDA_CHECK(cudaMemcpy(device, host, count * 2, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

static tc_gemm_args product(const void *a, const void *b, void *d, int n, int k)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = ROWS, g.n = n, g.k = k, g.a = a, g.lda = k, g.b = b, g.ldb = k, g.d = d, g.ldd = n;
    return g;
}

/* The third call's D, into `to`; apart: nothing starts before all else has ended. */
static void chain(const kernel *between, void *const *x, int pdl, int apart, uint16_t *to)
{
    tc_gemm_args g[3] = {product(x[0], x[1], x[2], SHORT, LONG), product(x[3], x[4], x[5], SHORT, SHORT),
                         product(x[3], x[2], x[6], ROWS, SHORT)};
    CUDA_CHECK(cudaMemset(x[2], 0, ROWS * SHORT * 2));
    g[0].pdl = -1, g[1].pdl = pdl, g[2].pdl = 1, g[2].pdl_constant = TC_CONSTANT_B;
    for (int i = 0; i < 3; i++) {
        const tc_status st = (i == 1 ? between->run : alone_run)(&g[i], 0);
        CHECK(st == TC_OK, "%s, call %d: %s", between->name, i, tc_why());
        if (apart) CUDA_CHECK(cudaDeviceSynchronize());
    }
    CUDA_CHECK(cudaMemcpy(to, x[6], ROWS * ROWS * 2, cudaMemcpyDeviceToHost));
}

int main(void)
{
    static uint16_t want[ROWS * ROWS], got[ROWS * ROWS];
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    if (properties.major != 9) {
        SKIP("gemm_chain: its kernels are Hopper's");
        return test_end();
    }
    test_seed(1);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        void *x[7];
        for (int e = 0; e < 7; e++) {
            const int wide = e < 2 ? LONG : e == 6 ? ROWS : SHORT;
            x[e] = operand(ROWS, wide);
        }
        chain(&kernels[i], x, 0, 1, want);
        for (int pdl = -1; pdl <= 0; pdl++)
            for (int turn = 0; turn < 3; turn++) {
                chain(&kernels[i], x, pdl, 0, got);
                CHECK(!memcmp(want, got, sizeof want), "%s, pdl %d: D is another than one call after the other",
                      kernels[i].name, pdl);
            }
        for (int e = 0; e < 7; e++) CUDA_CHECK(cudaFree(x[e]));
    }
    return test_end();
}
