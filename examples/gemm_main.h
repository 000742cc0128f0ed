/* gemm_main.h - the rest of a GEMM example: runs it on a few shapes, checks samples against fp64, prints its rate. */
#ifndef TC_GEMM_MAIN_H
#define TC_GEMM_MAIN_H

#include "example.h"

typedef tc_status (*gemm_run_fn)(const tc_gemm_args *, cudaStream_t);
/* What the hook makes of x = A * B at (row, col), in fp64; NULL: x itself. */
typedef double (*gemm_hook_fn)(double x, int row, int col, const void *context);

typedef struct gemm_example {
    gemm_run_fn run;
    gemm_hook_fn hook;
    const void *context;
    const void *epi_args;
    size_t epi_size;
    gemm_run_fn rival; /* to compare with; NULL: cuBLAS, where it is there */
} gemm_example;

typedef struct gemm_call {
    gemm_run_fn run;
    tc_gemm_args args;
} gemm_call;

static void gemm_call_run(void *self) { TC_CHECK(((gemm_call *)self)->run(&((gemm_call *)self)->args, 0)); }

/* One shape in bf16; returns 0 if the samples are right. */
static inline int gemm_example_shape(const gemm_example *e, int full_m, int full_n, int full_k)
{
    const int m = example_size(full_m), n = example_size(full_n), k = example_size(full_k);
    const int samples = 400;
    void *a = example_random((size_t)m * k, 1, TC_BF16, 1.f), *b = example_random((size_t)n * k, 2, TC_BF16, 1.f),
         *d = example_alloc((size_t)m * n, TC_BF16);
    gemm_call call, rival;
    void *other = example_alloc((size_t)m * n, TC_BF16);
    example_gemm reference = {a, b, other, m, n, k, TC_BF16};
    void (*run[2])(void *) = {gemm_call_run, e->rival ? gemm_call_run : example_cublas_run};
    void *self[2] = {&call, e->rival ? (void *)&rival : (void *)&reference};
    double worst = 0, seconds[2] = {0, 0}, flops = 2.0 * m * n * k;
    const int sides = !example_emulated() && (e->rival || example_cublas_open()) ? 2 : 1;
    const int calls = flops < 2e10 ? 50 : flops < 2e12 ? 5 : 2;
    memset(&call, 0, sizeof call);
    call.run = e->run;
    call.args.m = m, call.args.n = n, call.args.k = k;
    call.args.a = a, call.args.lda = k;
    call.args.b = b, call.args.ldb = k;
    call.args.d = d, call.args.ldd = n;
    call.args.epi_args = e->epi_args, call.args.epi_size = e->epi_size;
    rival = call;
    rival.run = e->rival;
    rival.args.d = other;
    example_times(sides, run, self, calls, seconds);
    for (int s = 0; s < samples; s++) { /* the corners, then anywhere */
        const int i = s < 4 ? (s / 2) * (m - 1) : (int)((s * 2654435761u) % (unsigned)m),
                  j = s < 4 ? (s % 2) * (n - 1) : (int)((s * 40503u + 977u) % (unsigned)n);
        double size, x = example_dot(a, k, b, k, k, i, j, TC_BF16, &size), y = e->hook ? e->hook(x, i, j, e->context)
            : x;
        const double bound = 1.2 * ((k + 8) * 1.2e-7 * size) + example_rounding(TC_BF16) * fabs(y) + 1e-5;
        const double error = fabs(example_get(d, (size_t)i * n + j, TC_BF16) - y) / bound;
        if (!(error <= worst)) worst = error;
    }
    printf("m %5d  n %5d  k %5d   ", m, n, k);
    if (example_emulated()) printf("emulated");
    else printf("%7.1f TFLOP/s", flops / seconds[0] * 1e-12);
    if (sides > 1)
        printf("   %s: %7.1f TFLOP/s (%.2fx)", e->rival ? "generated" : "cuBLAS, the product alone",
               flops / seconds[1] * 1e-12, seconds[1] / seconds[0]);
    printf("   worst of %d samples: %.2f of the error bound  %s\n", samples, worst, worst <= 1 ? "ok" : "FAIL");
    CUDA_CHECK(cudaFree(other));
    CUDA_CHECK(cudaFree(a));
    CUDA_CHECK(cudaFree(b));
    CUDA_CHECK(cudaFree(d));
    return !(worst <= 1);
}

#endif
