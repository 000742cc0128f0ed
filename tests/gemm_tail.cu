/* gemm_tail.cu - tiles of a width that no box of D divides: their last 16 columns go to D from registers.
 *     build/tests/gemm_tail
 *
 * Every width of a kernel whose .step is 16 gives the bits that 32 columns give, whose boxes are whole; and leaves
 * alone what lies behind D's rows and columns. D's last row and column run through tiles, and their last 16 columns.
 * Where there is no hook TMA clips boxes there, and the 16 columns must be clipped as well. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"

#define TAIL .bn = 96, .step = 16
TC_GEMM_SM90_DEFINE(plain, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, TAIL, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(plain_f32, .a = TC_F16, .b = TC_F16, .d = TC_F32, TAIL)
TC_GEMM_SM90_DEFINE(hooked, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, TAIL, .epi = tc_epi_bias_col,
                    .epi_size = sizeof(tc_epi_vector), .aux = TC_F32, .aux_what = TC_AUX_PRE)
TC_GEMM_SM90_DEFINE(turns, .a = TC_F16, .b = TC_F16, .d = TC_F16, TAIL, .schedule = TC_PINGPONG,
                    .epi = tc_epi_bias_col, .epi_size = sizeof(tc_epi_vector))

typedef struct kernel {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_gemm_config c;
} kernel;
#define KERNEL(name) {#name, name##_run, name##_config()}
static const kernel kernels[] = {KERNEL(plain), KERNEL(plain_f32), KERNEL(hooked), KERNEL(turns)};

enum { K = 72, LDA = 72, ROWS = 330, COLS = 256, BYTES = ROWS * COLS * 4 };

static void *random_operand(int type, int rows)
{
    uint16_t *host = (uint16_t *)malloc((size_t)rows * LDA * 2);
    void *device;
    for (int i = 0; i < rows * LDA; i++) {
        const float x = (float)test_int(-32, 32) / 16;
        host[i] = type == TC_F16 ? tc_f16_from_f32(x) : tc_bf16_from_f32(x);
    }
    CUDA_CHECK(cudaMalloc(&device, (size_t)rows * LDA * 2));
    CUDA_CHECK(cudaMemcpy(device, host, (size_t)rows * LDA * 2, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

/* D and the second output of one width, which were 0xff. */
typedef struct outcome {
    uint8_t d[BYTES], aux[BYTES];
} outcome;

static void run(const kernel *kn, tc_gemm_args g, int width, outcome *to)
{
    const tc_gemm_choice choice = {0, width, 1, 1, 0, 0};
    void *d, *aux;
    tc_status st;
    CUDA_CHECK(cudaMalloc(&d, BYTES));
    CUDA_CHECK(cudaMalloc(&aux, BYTES));
    CUDA_CHECK(cudaMemset(d, 0xff, BYTES));
    CUDA_CHECK(cudaMemset(aux, 0xff, BYTES));
    g.d = d, g.choice = &choice;
    if (kn->c.aux) g.aux.p = aux, g.aux.ld = g.ldd;
    st = kn->run(&g, 0);
    CHECK(st == TC_OK, "%s, width %d: %s", kn->name, width, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(to->d, d, BYTES, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(to->aux, aux, BYTES, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d));
    CUDA_CHECK(cudaFree(aux));
}

/* Bytes behind the rows and columns that are not 0xff any more. */
static int touched(const uint8_t *x, const tc_gemm_args *g, int size)
{
    int count = 0;
    for (int i = 0; i < BYTES; i++)
        count += x[i] != 0xff && (i / size / (int)g->ldd >= g->m || i / size % (int)g->ldd >= g->n);
    return count;
}

int main(void)
{
    static outcome whole, tail;
    const float half = 0.5f;
    struct cudaDeviceProp prop;
    tc_epi_vector bias;
    float host_bias[COLS];
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess || prop.major != 9) {
        SKIP("tiles of wgmma need compute capability 9.0");
        return test_end();
    }
    test_seed(1);
    for (int i = 0; i < COLS; i++) host_bias[i] = (float)test_int(-9, 9) / 8;
    CUDA_CHECK(cudaMalloc((void **)&bias.v, sizeof host_bias));
    CUDA_CHECK(cudaMemcpy((void *)bias.v, host_bias, sizeof host_bias, cudaMemcpyHostToDevice));
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        const kernel *kn = kernels + i;
        static const int sizes[][2] = {{256, 192}, {320, 240}, {200, 136}, {130, 104}, {77, 56}, {129, 8}};
        void *a = random_operand(kn->c.a, ROWS), *b = random_operand(kn->c.a, COLS);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            tc_gemm_args g;
            memset(&g, 0, sizeof g);
            g.m = sizes[s][0], g.n = sizes[s][1], g.k = K, g.lda = g.ldb = LDA, g.ldd = 248, g.a = a, g.b = b;
            g.alpha = &half;
            if (kn->c.epi) g.epi_args = &bias, g.epi_size = sizeof bias;
            run(kn, g, 32, &whole);
            CHECK(!touched(whole.d, &g, tc_type_bits(kn->c.d) / 8), "%s, width 32: what is not D", kn->name);
            for (int width = 16; width <= 96; width += 16) {
                run(kn, g, width, &tail);
                CHECK(!memcmp(whole.d, tail.d, BYTES), "%s: D of %d x %d in tiles of %d columns, and of 32", kn->name,
                      g.m, g.n, width);
                CHECK(!memcmp(whole.aux, tail.aux, BYTES), "%s: aux of %d x %d in tiles of %d columns, and of 32",
                      kn->name, g.m, g.n, width);
            }
        }
        CUDA_CHECK(cudaFree(a));
        CUDA_CHECK(cudaFree(b));
    }
    return test_end();
}
