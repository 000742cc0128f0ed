/* 47_f32_gemm.cu - f32 in, f32's precision out, by the Tensor Cores: .a = .b = TC_F32.
 *
 * Each element is cut into two tf32, and three products of tf32 make one (tc_gemm_f32.h). Three GEMMs of the same
 * numbers, and cuBLAS's where it is: their errors against fp64 at sampled places, root mean square over that of the
 * products, beside a sum of f32 in one loop on the CPU; and their rates. */
#include "example.h"

TC_GEMM_DEFINE(gemm_f32, .a = TC_F32, .b = TC_F32, .d = TC_F32)
TC_GEMM_DEFINE(gemm_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .shapes = TC_SHAPES_LARGE)

enum { SAMPLES = 400 };

typedef struct { float *a, *b, *d; int m, n, k; } problem;

static void run_f32(void *self)
{
    const problem *p = (const problem *)self;
    const tc_gemm_args g = {.m = p->m, .n = p->n, .k = p->k, .a = p->a, .lda = p->k, .b = p->b, .ldb = p->k, .c = 0,
                            .ldc = 0, .d = p->d, .ldd = p->n};
    TC_CHECK(gemm_f32_run(&g, 0));
}

static void run_tf32(void *self)
{
    const problem *p = (const problem *)self;
    const tc_gemm_args g = {.m = p->m, .n = p->n, .k = p->k, .a = p->a, .lda = p->k, .b = p->b, .ldb = p->k, .c = 0,
                            .ldc = 0, .d = p->d, .ldd = p->n};
    TC_CHECK(gemm_tf32_run(&g, 0));
}

static void run_cublas(void *self)
{
    const problem *p = (const problem *)self;
    const float one = 1.f, zero = 0.f; /* row-major D = A B is column-major D' = B' A' */
    example_cublas(example_cublas_handle, CUBLAS_OP_T, CUBLAS_OP_N, p->n, p->m, p->k, &one, p->b, CUDA_R_32F, p->k,
                   p->a, CUDA_R_32F, p->k, &zero, p->d, CUDA_R_32F, p->n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

/* Mean squares of errors of what run writes, and of f32 in one loop. */
static double error_of(const problem *p, void (*run)(void *), double *loop)
{
    float *a = (float *)malloc(sizeof(float) * (size_t)p->k), *b = (float *)malloc(sizeof(float) * (size_t)p->k);
    double error = 0, size = 0;
    *loop = 0;
    run((void *)p);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < SAMPLES; s++) {
        const int i = s * 7919 % p->m, j = s * 104729 % p->n;
        double sum = 0;
        float in_f32 = 0;
        CUDA_CHECK(cudaMemcpy(a, p->a + (size_t)i * p->k, sizeof(float) * (size_t)p->k, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(b, p->b + (size_t)j * p->k, sizeof(float) * (size_t)p->k, cudaMemcpyDeviceToHost));
        for (int x = 0; x < p->k; x++) {
            sum += (double)a[x] * b[x], size += (double)a[x] * b[x] * a[x] * b[x];
            in_f32 = fmaf(a[x], b[x], in_f32);
        }
        const double e = example_get(p->d, (size_t)i * p->n + j, TC_F32) - sum;
        error += e * e, *loop += (in_f32 - sum) * (in_f32 - sum);
    }
    free(a);
    free(b);
    *loop = sqrt(*loop / size);
    return sqrt(error / size);
}

int main(void)
{
    void (*const runs[3])(void *) = {run_f32, run_tf32, run_cublas};
    static const char *const names[3] = {"TC_F32, three products of tf32", "TC_TF32, one", "cuBLAS, f32"};
    double seconds[3], loop = 0, errors[3] = {0, 0, 0};
    problem p = {0, 0, 0, 0, 0, 0};
    void *self[3] = {&p, &p, &p};
    int count, bad;
    (void)example_device(75);
    p.m = example_size(4096), p.n = example_size(4096), p.k = example_size(4096);
    count = 2 + example_cublas_open();
    p.a = (float *)example_random((size_t)p.m * p.k, 1, TC_F32, 1.f);
    p.b = (float *)example_random((size_t)p.n * p.k, 2, TC_F32, 1.f);
    p.d = (float *)example_alloc((size_t)p.m * p.n, TC_F32);
    for (int i = 0; i < count; i++) errors[i] = error_of(&p, runs[i], &loop);
    example_times(count, runs, self, 5, seconds);
    printf("%d x %d x %d; errors in units of 2^-24 of the products' root mean square\n", p.m, p.n, p.k);
    for (int i = 0; i < count; i++)
        printf("  %-32s error %10.2f  %7.1f TFLOP/s\n", names[i], errors[i] * 16777216,
               2. * p.m * p.n * p.k / seconds[i] * 1e-12);
    printf("  %-32s error %10.2f\n", "f32 in one loop, on the CPU", loop * 16777216);
    bad = !(errors[0] <= 2 * loop) || (count > 2 && !(errors[0] <= 2 * errors[2]));
    printf("%s: f32's error is %s twice that of f32 in one loop%s\n", bad ? "FAIL" : "ok", bad ? "above" : "at most",
           count > 2 ? " and of cuBLAS" : "");
    CUDA_CHECK(cudaFree(p.a));
    CUDA_CHECK(cudaFree(p.b));
    CUDA_CHECK(cudaFree(p.d));
    return bad;
}
