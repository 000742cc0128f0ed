/* 58_w8a8.cu - a linear layer in s8 with dynamic quantisation: each token of X gets the factor of its own row when it
 * comes, each channel of W had its own when the model was loaded, and the product's hook multiplies by both. One kernel
 * quantises rows, of X and of W alike, whatever their width. On every device. */
#define TC_SM90_STUBS
#include "example.h"

/* ---- the layer: yours ---- */
typedef struct w8a8 { float *token, *channel; } w8a8;
TC_DEV float both(float x, tc_gemm_at at, const void *args)
{
    const w8a8 *f = (const w8a8 *)args;
    return x * (f->token[at.row] * f->channel[at.col]);
}
TC_ROWS_DEFINE(quantise, .x = TC_BF16, .op = TC_QUANTISE, .y = TC_S8)
TC_GEMM_DEFINE(product, .a = TC_S8, .b = TC_S8, .d = TC_BF16, .epi = both, .epi_size = sizeof(w8a8),
               .shapes = TC_SHAPES_LARGE)

static void layer(tc_rows_args x, tc_gemm_args g, w8a8 factors)
{
    x.scale_out = factors.token, x.y = (void *)g.a;
    g.epi_args = &factors, g.epi_size = sizeof factors;
    TC_CHECK(quantise_run(&x, 0));
    TC_CHECK(product_run(&g, 0));
}

/* ---- the rest: data and the check ---- */
/* A row in fp64 as it was quantised: its bytes times its factor, each within half of that of what it was. Returns the
 * worst of these, in halves. */
static double wide_row(double *to, const void *codes, const float *factors, const void *of, int cols, int i)
{
    int8_t *code = (int8_t *)malloc((size_t)cols);
    float *row = (float *)malloc((size_t)cols * sizeof(float));
    const double factor = example_get(factors, (size_t)i, TC_F32);
    double worst = 0;
    CUDA_CHECK(cudaMemcpy(code, (const int8_t *)codes + (size_t)i * cols, (size_t)cols, cudaMemcpyDeviceToHost));
    example_row(row, of, (size_t)i * cols, cols, TC_BF16);
    for (int j = 0; j < cols; j++) {
        to[j] = code[j] * factor;
        worst = fmax(worst, fabs(to[j] - row[j]) / (factor * (0.5 + 1e-4)));
    }
    free(code), free(row);
    return worst;
}

int main(void)
{
    example_device(80);
    const int m = example_size(4096), n = example_size(14336), k = example_size(4096);
    void *x = example_random((size_t)m * k, 1, TC_BF16, 1.f), *w = example_random((size_t)n * k, 2, TC_BF16, 0.02f);
    void *x8 = example_alloc((size_t)m * k, TC_E4M3), *w8 = example_alloc((size_t)n * k, TC_E4M3);
    void *y = example_alloc((size_t)m * n, TC_BF16);
    float *tokens = (float *)example_alloc((size_t)m, TC_F32), *channels = (float *)example_alloc((size_t)n, TC_F32);
    const tc_rows_args of_w = {.m = n, .n = k, .x = w, .y = w8, .scale_out = channels}, of_x = {.m = m, .n = k, .x = x};
    const tc_gemm_args g = {.m = m, .n = n, .k = k, .a = x8, .lda = k, .b = w8, .ldb = k, .d = y, .ldd = n};
    const w8a8 factors = {tokens, channels};
    double *xr = (double *)malloc((size_t)k * 8), *wr = (double *)malloc((size_t)k * 8), worst = 0, off = 0, all = 0;
    TC_CHECK(quantise_run(&of_w, 0)); /* once */
    layer(of_x, g, factors);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < 100; s++) {
        const int i = (int)(s * 2654435761u % (unsigned)m), j = (int)((s * 40503u + 977u) % (unsigned)n);
        const double got = example_get(y, (size_t)i * n + j, TC_BF16);
        double sum = 0, size;
        worst = fmax(worst, wide_row(xr, x8, tokens, x, k, i));
        worst = fmax(worst, wide_row(wr, w8, channels, w, k, j));
        for (int e = 0; e < k; e++) sum += xr[e] * wr[e];
        /* sums of integers are exact: what is left are three roundings of f32 and that of Y */
        const double error = fabs(got - sum) / (fabs(sum) * (example_rounding(TC_BF16) + 3e-7) + 1e-30);
        const double exact = example_dot(x, k, w, k, k, i, j, TC_BF16, &size);
        if (!(error <= worst)) worst = error;
        off += (got - exact) * (got - exact), all += exact * exact;
    }
    printf("m %5d  n %5d  k %5d   worst of 100 samples: %.2f of the error bound, what 8 bits cost: %.4f of Y  %s\n", m,
           n, k, worst, sqrt(off / all), worst <= 1 ? "ok" : "FAIL");
    free(xr), free(wr);
    return !(worst <= 1);
}
