/* 57_relu_mask.cu - a layer with a bias and a ReLU, forward and backward: H = max(0, X W^T + bias), beside it a bit for
 * each element that says whether it was above 0, and on the way back dH = dY V where that bit is 1, 0 elsewhere. The
 * backward pass reads a bit where it would read 16 of H. On every device. */
#define TC_SM90_STUBS
#include "example.h"

/* ---- the layer: yours ---- */
typedef struct bias_args { const float *bias; } bias_args;
typedef struct mask_args { const unsigned char *mask; long long ld; } mask_args; /* ld: bits */
TC_DEV float pre(float x, tc_gemm_at at, const void *args) { return x + ((const bias_args *)args)->bias[at.col]; }
TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args) { return fmaxf(pre(x, at, args), 0.f); }
TC_DEV float above(float x, tc_gemm_at at, const void *args) { return pre(x, at, args) > 0.f ? 1.f : 0.f; }
TC_DEV tc_f32x2 masked(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const mask_args *a = (const mask_args *)args;
    const int two = a->mask[(at.row * a->ld + at.col) / 8] >> at.col % 8;
    const tc_f32x2 r = {two & 1 ? x.x : 0.f, two & 2 ? x.y : 0.f};
    return r;
}
TC_GEMM_DEFINE(forward, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_relu, .epi_size = sizeof(bias_args),
               .aux = TC_B1, .aux_epi = above, .shapes = TC_SHAPES_LARGE)
TC_GEMM_DEFINE(backward, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .b_layout = TC_ROW, .epi2 = masked,
               .epi_size = sizeof(mask_args), .shapes = TC_SHAPES_LARGE)

int main(void)
{
    example_device(80);
    const int m = example_size(4096), k = example_size(4096), h = example_size(8192), n = example_size(4096);
    const int ld = (h + 7) / 8 * 8;
    const void *x = example_random((size_t)m * k, 1, TC_BF16, 1.f), *w = example_random((size_t)h * k, 2, TC_BF16, 1.f);
    const void *dy = example_random((size_t)m * n, 3, TC_BF16, 1.f);
    const void *v = example_random((size_t)n * h, 4, TC_BF16, 1.f);
    void *out = example_alloc((size_t)m * h, TC_BF16), *grad = example_alloc((size_t)m * h, TC_BF16);
    unsigned char *mask = (unsigned char *)example_alloc((size_t)m * ld, TC_B1);
    const bias_args bias = {(const float *)example_random((size_t)h, 5, TC_F32, 8.f)};
    const mask_args kept = {mask, ld};
    tc_gemm_args up = {.m = m, .n = h, .k = k, .a = x, .lda = k, .b = w, .ldb = k, .d = out, .ldd = h,
                       .epi_args = &bias, .epi_size = sizeof bias};
    const tc_gemm_args back = {.m = m, .n = h, .k = n, .a = dy, .lda = n, .b = v, .ldb = h, .d = grad, .ldd = h,
                               .epi_args = &kept, .epi_size = sizeof kept};
    float *row = (float *)malloc((size_t)n * sizeof(float));
    uint16_t *column = (uint16_t *)malloc((size_t)n * 2);
    double worst = 0;
    int both[2] = {0, 0};
    up.aux.p = mask, up.aux.ld = ld;
    TC_CHECK(forward_run(&up, 0));
    TC_CHECK(backward_run(&back, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < 120; s++) {
        const int i = (int)(s * 2654435761u % (unsigned)m), j = (int)(s * 40503u % (unsigned)h);
        double size, sum = 0, all = 0;
        const double z = example_dot(x, k, w, k, k, i, j, TC_BF16, &size) + example_get(bias.bias, (size_t)j, TC_F32);
        const double off = 1.2 * (k + 8) * 1.2e-7 * size + 1e-5;
        unsigned char byte;
        CUDA_CHECK(cudaMemcpy(&byte, mask + ((size_t)i * ld + j) / 8, 1, cudaMemcpyDeviceToHost));
        const int bit = byte >> j % 8 & 1;
        if (fabs(z) > off && bit != (z > 0)) worst = INFINITY;
        both[bit]++;
        const double e1 = fabs(example_get(out, (size_t)i * h + j, TC_BF16) - (z > 0 ? z : 0))
                        / (off + example_rounding(TC_BF16) * fabs(z));
        example_row(row, dy, (size_t)i * n, n, TC_BF16);
        CUDA_CHECK(cudaMemcpy2D(column, 2, (const uint16_t *)v + j, (size_t)h * 2, 2, (size_t)n,
                                cudaMemcpyDeviceToHost));
        for (int e = 0; e < n; e++) {
            const double product = (double)row[e] * tc_f32_from_bf16(column[e]);
            sum += product, all += fabs(product);
        }
        if (!bit) sum = 0;
        const double e2 = fabs(example_get(grad, (size_t)i * h + j, TC_BF16) - sum)
                        / (1.2 * (n + 8) * 1.2e-7 * all + example_rounding(TC_BF16) * fabs(sum));
        if (!(e1 <= worst)) worst = e1;
        if (!(e2 <= worst)) worst = e2;
    }
    printf("m %d  k %d  h %d  n %d   %d of 120 samples above 0   worst: %.2f of the error bound  %s\n", m, k, h, n,
           both[1], worst, worst <= 1 && both[0] && both[1] ? "ok" : "FAIL");
    return !(worst <= 1 && both[0] && both[1]);
}
