/* 12_fp8_chain.cu - two products of an MLP block in fp8: H = gelu(X W1) leaves the first as e4m3 with a factor for each
 * 128 columns of each row, computed in its epilogue, and is the second's A as it lies: Y = H W2. No kernel between
 * them reads H to find its factors. On every device that has fp8 (sm_89 and later). */
#define TC_SM90_STUBS
#include "example.h"

/* ---- the layer: yours ---- */
TC_GEMM_DEFINE(up, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .d_scale = TC_SCALE_1X128, .epi = tc_epi_gelu,
               .shapes = TC_SHAPES_LARGE)
TC_GEMM_DEFINE(down, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .a_scale = TC_SCALE_1X128, .b_scale = TC_SCALE_1X128,
               .shapes = TC_SHAPES_LARGE)

/* W2: e4m3, with its factors: quantised once, when the model is loaded. */
static void layer(int m, int n, int k, const void *x, const void *w1, const void *w2, const float *w2_scale, void *h,
                  float *h_scale, void *y)
{
    const tc_gemm_scale of_h = {h_scale, 1, m, 0}, of_w2 = {w2_scale, 1, k, 0}; /* rows lie together */
    tc_gemm_args first = {.m = m, .n = n, .k = k, .a = x, .lda = k, .b = w1, .ldb = k, .d = h, .ldd = n},
                 second = {.m = m, .n = k, .k = n, .a = h, .lda = n, .b = w2, .ldb = n, .d = y, .ldd = k};
    first.d_scale_out = second.a_scale = of_h, second.b_scale = of_w2;
    TC_CHECK(up_run(&first, 0));
    TC_CHECK(down_run(&second, 0));
}

/* ---- the rest: data and the check ---- */
/* A row's 128 columns, a thread each. */
static __global__ void quantise(const uint16_t *w, uint8_t *to, float *scale, int rows, int cols)
{
    __shared__ float size[128];
    const int row = (int)blockIdx.x, at = (int)blockIdx.y * 128 + (int)threadIdx.x;
    const float x = at < cols ? tc_f32_from_bf16(w[(size_t)row * cols + at]) : 0.f;
    float most = 1e-30f;
    size[threadIdx.x] = fabsf(x);
    __syncthreads();
    for (int i = 0; i < 128; i++) most = fmaxf(most, size[i]);
    if (threadIdx.x == 0) scale[(size_t)blockIdx.y * rows + row] = most / 448.f;
    if (at < cols) to[(size_t)row * cols + at] = tc_e4m3_from_f32(x * (448.f / most));
}

/* Row i of an e4m3 matrix times its factors. */
static double *wide_row(const void *p, const float *scale, int rows, int cols, int i)
{
    uint8_t *code = (uint8_t *)malloc((size_t)cols);
    double *row = (double *)malloc(sizeof(double) * (size_t)cols);
    CUDA_CHECK(cudaMemcpy(code, (const uint8_t *)p + (size_t)i * cols, (size_t)cols, cudaMemcpyDeviceToHost));
    for (int j = 0; j < cols; j++)
        row[j] = tc_f32_from_e4m3(code[j]) * example_get(scale, (size_t)(j / 128) * rows + i, TC_F32);
    free(code);
    return row;
}

int main(void)
{
    example_device(89);
    const int m = example_size(4096), n = example_size(14336), k = example_size(4096), samples = 60;
    const int blocks = (n + 127) / 128;
    void *x = example_random((size_t)m * k, 1, TC_BF16, 1.f), *w1 = example_random((size_t)n * k, 2, TC_BF16, 0.05f);
    void *w2_bf16 = example_random((size_t)k * n, 3, TC_BF16, 1.f), *w2 = example_alloc((size_t)k * n, TC_E4M3);
    void *h = example_alloc((size_t)m * n, TC_E4M3), *y = example_alloc((size_t)m * k, TC_BF16);
    float *w2_scale = (float *)example_alloc((size_t)k * blocks, TC_F32);
    float *h_scale = (float *)example_alloc((size_t)m * blocks, TC_F32);
    double worst = 0;
    quantise<<<dim3((unsigned)k, (unsigned)blocks), 128>>>((const uint16_t *)w2_bf16, (uint8_t *)w2, w2_scale, k, n);
    layer(m, n, k, x, w1, w2, w2_scale, h, h_scale, y);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < samples; s++) {
        const int i = (int)((s * 2654435761u) % (unsigned)m), j = (int)((s * 40503u + 977u) % (unsigned)k);
        double *hr = wide_row(h, h_scale, m, n, i), *wr = wide_row(w2, w2_scale, k, n, j), sum = 0, size = 0, dot;
        const double pre = example_dot(x, k, w1, k, k, i, j % n, TC_BF16, &dot);
        const double want = 0.5 * pre * (1 + erf(pre * 0.70710678118654752440));
        const double factor = example_get(h_scale, (size_t)(j % n / 128) * m + i, TC_F32);
        /* H: half a unit of e4m3, and its own sum's error; Y: the sum of what was stored, whose own sums of 128 have
         * about 14 bits */
        const double e1 = fabs(hr[j % n] - want) / (fmax(fabs(want) / 16, factor / 1024) * 1.001
                                                     + 1.2 * (k + 8) * 1.2e-7 * dot + 1e-5);
        for (int e = 0; e < n; e++) sum += hr[e] * wr[e], size += fabs(hr[e] * wr[e]);
        const double e2 = fabs(example_get(y, (size_t)i * k + j, TC_BF16) - sum)
                        / (size / 4096 + example_rounding(TC_BF16) * fabs(sum));
        if (!(e1 <= worst)) worst = e1;
        if (!(e2 <= worst)) worst = e2;
        free(hr), free(wr);
    }
    printf("m %5d  n %5d  k %5d   worst of %d samples of H and Y: %.2f of the error bound  %s\n", m, n, k, samples,
           worst, worst <= 1 ? "ok" : "FAIL");
    return !(worst <= 1);
}
