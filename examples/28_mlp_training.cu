/* 28_mlp_training.cu - the first product of an MLP block in training: H = gelu(X W + bias), beside it X W + bias, which
 * the backward pass wants, and each row's sum of squares of H, which the next RMSNorm divides by: three outputs of one
 * call. On every device. */
#define TC_SM90_STUBS
#include "example.h"

/* ---- the layer: yours ---- */
typedef struct bias_args { const float *bias; } bias_args;
TC_DEV float with_bias(float x, tc_gemm_at at, const void *args) { return x + ((const bias_args *)args)->bias[at.col]; }
TC_DEV float bias_gelu(float x, tc_gemm_at at, const void *args) { return tc_gelu(with_bias(x, at, args)); }
TC_GEMM_DEFINE(up, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_gelu, .epi_size = sizeof(bias_args),
               .aux = TC_BF16, .aux_epi = with_bias, .row_sum = TC_SUM_SQ, .shapes = TC_SHAPES_LARGE)

int main(void)
{
    const int m = example_size(4096), n = example_size(14336), k = example_size(4096), samples = 400;
    void *x = example_random((size_t)m * k, 1, TC_BF16, 1.f), *w = example_random((size_t)n * k, 2, TC_BF16, 1.f);
    void *h = example_alloc((size_t)m * n, TC_BF16), *before = example_alloc((size_t)m * n, TC_BF16), *room = 0;
    float *bias = (float *)example_random((size_t)n, 3, TC_F32, 1.f);
    float *squares = (float *)example_alloc((size_t)m, TC_F32);
    const bias_args mine = {bias};
    tc_gemm_args g = {.m = m, .n = n, .k = k, .a = x, .lda = k, .b = w, .ldb = k, .d = h, .ldd = n, .epi_args = &mine,
                      .epi_size = sizeof mine};
    double worst = 0;
    g.aux.p = before, g.aux.ld = n, g.row_out = squares;
    g.workspace_size = up_workspace(&g);
    room = example_alloc(g.workspace_size / 4 + 4, TC_F32), g.workspace = room;
    TC_CHECK(up_run(&g, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < samples; s++) { /* elements of both matrices */
        const int i = (int)((s * 2654435761u) % (unsigned)m), j = (int)((s * 40503u + 977u) % (unsigned)n);
        double size;
        const double pre = example_dot(x, k, w, k, k, i, j, TC_BF16, &size) + example_get(bias, (size_t)j, TC_F32);
        const double y = 0.5 * pre * (1 + erf(pre * 0.70710678118654752440));
        const double off = 1.2 * (k + 8) * 1.2e-7 * size + 1e-5;
        const double e1 = fabs(example_get(before, (size_t)i * n + j, TC_BF16) - pre)
                        / (off + example_rounding(TC_BF16) * fabs(pre));
        const double e2 = fabs(example_get(h, (size_t)i * n + j, TC_BF16) - y)
                        / (off + example_rounding(TC_BF16) * fabs(y));
        if (!(e1 <= worst)) worst = e1;
        if (!(e2 <= worst)) worst = e2;
    }
    for (int s = 0; s < 8; s++) { /* rows: H in bf16 is off by half a unit, to either side */
        const int i = s * (m - 1) / 7;
        double sum = 0;
        for (int j = 0; j < n; j++) sum += pow(example_get(h, (size_t)i * n + j, TC_BF16), 2);
        const double bound = 2 * example_rounding(TC_BF16) * sum + 1e-5;
        const double e = fabs(example_get(squares, (size_t)i, TC_F32) - sum) / bound;
        if (!(e <= worst)) worst = e;
    }
    printf("m %5d  n %5d  k %5d   worst of %d samples and 8 rows: %.2f of the error bound  %s\n", m, n, k, samples,
           worst, worst <= 1 ? "ok" : "FAIL");
    return !(worst <= 1);
}
