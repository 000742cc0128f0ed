/* 51_syrk.cu - D = A A^T of which only the lower triangle is computed and written, as BLAS's syrk does: half the
 * products, about half the time. What lies above the diagonal stays as it is. On every device. */
#define TC_SM90_STUBS
#include "example.h"

/* ---- the product: yours ---- */
TC_GEMM_DEFINE(syrk, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .triangle = TC_TRIANGLE_LOWER,
               .shapes = TC_SHAPES_LARGE)
static tc_status syrk_of(const void *a, int n, int k, void *d, cudaStream_t stream)
{
    const tc_gemm_args args = {.m = n, .n = n, .k = k, .a = a, .lda = k, .b = a, .ldb = k, .d = d, .ldd = n};
    return syrk_run(&args, stream);
}

/* ---- the rest: all of D beside it ---- */
TC_GEMM_DEFINE(full, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .shapes = TC_SHAPES_LARGE)

typedef struct call {
    int n, k;
    const void *a;
    void *d;
} call;
static void run_syrk(void *self)
{
    const call *c = (const call *)self;
    TC_CHECK(syrk_of(c->a, c->n, c->k, c->d, 0));
}
static void run_full(void *self)
{
    const call *c = (const call *)self;
    const tc_gemm_args args = {.m = c->n, .n = c->n, .k = c->k, .a = c->a, .lda = c->k, .b = c->a, .ldb = c->k,
                               .d = c->d, .ldd = c->n};
    TC_CHECK(full_run(&args, 0));
}

int main(void)
{
    example_device(80);
    const int n = example_size(8192), k = example_size(8192);
    const void *a = example_random((size_t)n * k, 1, TC_BF16, 1.f);
    const call c = {n, k, a, example_alloc((size_t)n * n, TC_BF16)};
    call all = c;
    all.d = example_alloc((size_t)n * n, TC_BF16);
    void (*run[2])(void *) = {run_syrk, run_full};
    void *self[2] = {(void *)&c, &all};
    double seconds[2], worst = 0;
    example_times(2, run, self, 10, seconds);

    uint16_t *d = (uint16_t *)malloc((size_t)n * n * 2);
    size_t touched = 0, missing = 0;
    CUDA_CHECK(cudaMemcpy(d, c.d, (size_t)n * n * 2, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < (size_t)n; i++) /* example_alloc has left 0xffff, which no product is */
        for (size_t j = 0; j < (size_t)n; j++) {
            touched += j > i && d[i * n + j] != 0xffff;
            missing += j <= i && d[i * n + j] == 0xffff;
        }
    for (int s = 0; s < 200; s++) {
        const int x = (int)(s * 2246822519u % (unsigned)n), y = (int)(s * 2654435761u % (unsigned)n);
        const int i = s < 8 ? s * (n - 1) / 7 : x > y ? x : y, j = s < 8 ? i : x > y ? y : x;
        double size;
        const double want = example_dot(a, k, a, k, k, i, j, TC_BF16, &size);
        const double bound = (k + 8) * 1.2e-7 * size + example_rounding(TC_BF16) * fabs(want) + 1e-5;
        const double error = fabs(tc_f32_from_bf16(d[(size_t)i * n + j]) - want) / bound;
        if (!(error <= worst)) worst = error;
    }
    const int ok = worst <= 1 && !touched && !missing;
    printf("n %d  k %d   ", n, k);
    if (example_emulated()) printf("emulated");
    else printf("%.1f us, all of D %.1f us: %.2f times as fast", seconds[0] * 1e6, seconds[1] * 1e6,
                seconds[1] / seconds[0]);
    printf("   worst of 200 samples: %.2f of the error bound, %zu elements above the diagonal written, %zu below it "
           "not  %s\n", worst, touched, missing, ok ? "ok" : "FAIL");
    return !ok;
}
