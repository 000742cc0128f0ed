/* 56_rms_norm.cu - two products with an RMSNorm between them, and no kernel for it: the first one sums up the squares
 * of its rows beside D, the second one's hook divides its rows by their root. What the norm multiplies columns by is
 * part of the second product's weights. On every device. */
#define TC_SM90_STUBS
#include "example.h"

/* ---- the two layers: yours ---- */
typedef struct rms_args { const float *squares; float columns, eps; } rms_args;
TC_DEV float by_root(float x, tc_gemm_at at, const void *args)
{
    const rms_args *a = (const rms_args *)args;
    return x * rsqrtf(a->squares[at.row] / a->columns + a->eps);
}
TC_GEMM_DEFINE(before, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .row_sum = TC_SUM_SQ, .shapes = TC_SHAPES_LARGE)
TC_GEMM_DEFINE(behind, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = by_root, .epi_size = sizeof(rms_args),
               .shapes = TC_SHAPES_LARGE)

int main(void)
{
    example_device(80);
    const int m = example_size(4096), k = example_size(4096), h = example_size(4096), n = example_size(4096);
    const void *x = example_random((size_t)m * k, 1, TC_BF16, 1.f), *w = example_random((size_t)h * k, 2, TC_BF16, 1.f);
    const void *v = example_random((size_t)n * h, 3, TC_BF16, 1.f);
    void *middle = example_alloc((size_t)m * h, TC_BF16), *y = example_alloc((size_t)m * n, TC_BF16);
    float *squares = (float *)example_alloc((size_t)m, TC_F32);
    const rms_args mine = {squares, (float)h, 1e-6f};
    tc_gemm_args first = {.m = m, .n = h, .k = k, .a = x, .lda = k, .b = w, .ldb = k, .d = middle, .ldd = h};
    const tc_gemm_args second = {.m = m, .n = n, .k = h, .a = middle, .lda = h, .b = v, .ldb = h, .d = y, .ldd = n,
                                 .epi_args = &mine, .epi_size = sizeof mine};
    float *row = (float *)malloc((size_t)h * sizeof(float));
    double worst = 0;
    first.row_out = squares;
    first.workspace_size = before_workspace(&first);
    first.workspace = example_alloc(first.workspace_size / 4 + 4, TC_F32);
    TC_CHECK(before_run(&first, 0));
    TC_CHECK(behind_run(&second, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < 40; s++) { /* rows of the middle are what both sides read */
        const int i = (int)(s * 2654435761u % (unsigned)m);
        double sum = 0;
        example_row(row, middle, (size_t)i * h, h, TC_BF16);
        for (int j = 0; j < h; j++) sum += (double)row[j] * row[j];
        for (int t = 0; t < 8; t++) {
            const int j = (int)((s * 8u + t) * 40503u % (unsigned)n);
            double size;
            const double root = 1 / sqrt(sum / h + 1e-6);
            const double want = example_dot(middle, h, v, h, h, i, j, TC_BF16, &size) * root;
            const double off = 1.2 * (h + 8) * 1.2e-7 * size * root + 2 * example_rounding(TC_BF16) * fabs(want);
            const double e = fabs(example_get(y, (size_t)i * n + j, TC_BF16) - want) / off;
            if (!(e <= worst)) worst = e;
        }
    }
    printf("m %d  k %d, %d  n %d   worst of 320 samples: %.2f of the error bound  %s\n", m, k, h, n, worst,
           worst <= 1 ? "ok" : "FAIL");
    return !(worst <= 1);
}
