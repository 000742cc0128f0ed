/* 26_experts.cu - a mixture of experts: each token goes to two of them, Y = sum of weight * gelu(X Wu[e]) Wd[e]. Rows
 * of all experts stand after each other, and each of the layer's two products is one launch, whatever the router has
 * said: how many rows an expert has, the device alone knows. Of the backward pass the gradient of Wd, where it is k
 * that is cut at the same bounds. On every device. */
#define TC_SM90_STUBS
#include "example.h"

typedef struct moe { /* rows: of all experts; weight: of each row; offsets: where each expert's begin, on the device */
    int rows, experts, width, inner;
    const void *x, *wu, *wd;
    void *h, *y;
    const int32_t *offsets;
    const float *weight;
} moe;

/* ---- the layer: yours ---- */
#define EXPERTS .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .shapes = TC_SHAPES_LARGE
TC_GEMM_DEFINE(up, EXPERTS, .epi = tc_epi_gelu)
TC_GEMM_DEFINE(down, EXPERTS, .epi = tc_epi_scale_row)
static tc_status moe_run(const moe *l, cudaStream_t stream)
{
    const tc_epi_vector weight = {l->weight};
    tc_gemm_args g = {.m = l->rows, .n = l->inner, .k = l->width, .a = l->x, .lda = l->width, .b = l->wu,
                      .ldb = l->width, .d = l->h, .ldd = l->inner, .stride_b = (int64_t)l->inner * l->width,
                      .groups = {.count = l->experts, .offsets = l->offsets}};
    const tc_status st = up_run(&g, stream);
    g.n = l->width, g.k = l->inner, g.a = l->h, g.b = l->wd, g.d = l->y, g.lda = g.ldb = l->inner, g.ldd = l->width;
    g.epi_args = &weight, g.epi_size = sizeof weight;
    return st == TC_OK ? down_run(&g, stream) : st;
}

/* In training: dWd[e] = dY' H over the rows of expert e. */
TC_GEMM_DEFINE(grad, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .a_layout = TC_COL, .b_layout = TC_ROW,
               .groups = TC_GROUPS_K, .shapes = TC_SHAPES_LARGE)
static tc_status moe_grad(const moe *l, const void *dy, void *dwd, cudaStream_t stream)
{
    const tc_gemm_args g = {.m = l->width, .n = l->inner, .k = l->rows, .a = dy, .lda = l->width, .b = l->h,
                            .ldb = l->inner, .d = dwd, .ldd = l->inner, .stride_d = (int64_t)l->inner * l->width,
                            .groups = {.count = l->experts, .offsets = l->offsets}};
    return grad_run(&g, stream);
}

/* ---- the rest: a router, tokens to rows and back ---- */
enum { TOP = 2 };

/* One block: counts each expert's rows, adds them up, and deals out rows. choice: experts of each token. */
static __global__ void route(const int *choice, int tokens, int experts, int32_t *offsets, int *row_of)
{
    __shared__ int next[256];
    for (int e = threadIdx.x; e < experts; e += blockDim.x) next[e] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < tokens * TOP; i += blockDim.x) atomicAdd(next + choice[i], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        int at = 0;
        for (int e = 0; e < experts; e++) {
            const int count = next[e];
            offsets[e] = next[e] = at;
            at += count;
        }
        offsets[experts] = at;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < tokens * TOP; i += blockDim.x) row_of[i] = atomicAdd(next + choice[i], 1);
}

/* A block a choice: its token's row and weight to where its expert has them. */
static __global__ void gather(const uint16_t *tokens, const float *weights, const int *row_of, int width, uint16_t *x,
                              float *weight)
{
    const size_t i = blockIdx.x, to = (size_t)row_of[i];
    for (int c = threadIdx.x; c < width; c += blockDim.x) x[to * width + c] = tokens[i / TOP * width + c];
    if (threadIdx.x == 0) weight[to] = weights[i];
}

/* A block a token: the sum of its experts' rows. */
static __global__ void combine(const uint16_t *y, const int *row_of, int width, float *out)
{
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        float sum = 0;
        for (int j = 0; j < TOP; j++)
            sum += tc_f32_from_bf16(y[(size_t)row_of[blockIdx.x * TOP + j] * width + c]);
        out[(size_t)blockIdx.x * width + c] = sum;
    }
}

/* Elements of dWd, with y in dY's place, beside fp64: the worst error over its bound; of an expert without rows 0. */
static double check_grad(const moe *l, const void *dwd)
{
    int32_t at[257];
    double worst = 0;
    CUDA_CHECK(cudaMemcpy(at, l->offsets, (size_t)(l->experts + 1) * 4, cudaMemcpyDeviceToHost));
    for (int s = 0; s < 8; s++) {
        const int e = s * (l->experts - 1) / 7, i = s * 37 % l->width, j = s * 101 % l->inner;
        double sum = 0, size = 0;
        for (int r = at[e]; r < at[e + 1]; r++) {
            const double x = example_get(l->y, (size_t)r * l->width + i, TC_BF16)
                           * example_get(l->h, (size_t)r * l->inner + j, TC_BF16);
            sum += x, size += fabs(x);
        }
        const double got = example_get(dwd, ((size_t)e * l->width + i) * l->inner + j, TC_F32);
        const double error = fabs(got - sum) / (1.2 * (at[e + 1] - at[e] + 8) * 1.2e-7 * size + 1e-30);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static void moe_call(void *l) { TC_CHECK(moe_run((const moe *)l, 0)); }

int main(void)
{
    example_device(80);
    const int tokens = example_emulated() ? 150 : 4096, experts = example_emulated() ? 8 : 32;
    const int width = example_emulated() ? 128 : 4096, inner = example_emulated() ? 192 : 2048, rows = tokens * TOP;
    const size_t size = (size_t)inner * width;
    void *in = example_random((size_t)tokens * width, 1, TC_BF16, 1.f);
    const float small_u = 1 / sqrtf((float)width), small_d = 1 / sqrtf((float)inner);
    moe l = {rows, experts, width, inner, example_alloc((size_t)rows * width, TC_BF16),
             example_random(size * experts, 2, TC_BF16, small_u), example_random(size * experts, 3, TC_BF16, small_d),
             example_alloc((size_t)rows * inner, TC_BF16), example_alloc((size_t)rows * width, TC_BF16),
             (const int32_t *)example_alloc((size_t)experts + 1, TC_F32),
             (const float *)example_alloc((size_t)rows, TC_F32)};
    int *choice = (int *)malloc((size_t)rows * 4), *choice_dev = (int *)example_alloc((size_t)rows, TC_F32);
    float *weights = (float *)malloc((size_t)rows * 4), *weights_dev = (float *)example_alloc((size_t)rows, TC_F32);
    int *row_of = (int *)example_alloc((size_t)rows, TC_F32);
    float *out = (float *)example_alloc((size_t)tokens * width, TC_F32);
    for (int i = 0; i < rows; i++) { /* the first experts are liked best, the last but one by nobody */
        const unsigned h = (unsigned)i * 2654435761u >> 8;
        choice[i] = (int)(h % (h / 64 % (unsigned)experts + 1)) / TOP * TOP + i % TOP;
        if (choice[i] >= experts - 2) choice[i] = experts - 1 - i % TOP * 2;
        weights[i] = i % TOP ? 0.25f : 0.75f;
    }
    CUDA_CHECK(cudaMemcpy(choice_dev, choice, (size_t)rows * 4, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(weights_dev, weights, (size_t)rows * 4, cudaMemcpyHostToDevice));
    route<<<1, 256>>>(choice_dev, tokens, experts, (int32_t *)l.offsets, row_of);
    gather<<<rows, 128>>>((const uint16_t *)in, weights_dev, row_of, width, (uint16_t *)l.x, (float *)l.weight);
    void (*run[1])(void *) = {moe_call};
    void *self[1] = {&l};
    double seconds[1], worst = 0;
    example_times(1, run, self, 5, seconds);
    combine<<<tokens, 128>>>((const uint16_t *)l.y, row_of, width, out);
    void *dwd = example_alloc(size * experts, TC_F32);
    TC_CHECK(moe_grad(&l, l.y, dwd, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    const double worst_grad = check_grad(&l, dwd);

    float *x = (float *)malloc(sizeof(float) * (size_t)width), *w = (float *)malloc(sizeof(float) * (size_t)width);
    float *v = (float *)malloc(sizeof(float) * (size_t)inner);
    double *h = (double *)malloc(sizeof(double) * (size_t)inner);
    for (int s = 0; s < 6; s++) { /* samples of tokens, of each some columns */
        const int token = s == 0 ? 0 : s == 1 ? tokens - 1 : (int)(s * 2654435761u % (unsigned)tokens);
        double want[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        example_row(x, in, (size_t)token * width, width, TC_BF16);
        for (int j = 0; j < TOP; j++) {
            const int e = choice[token * TOP + j];
            for (int i = 0; i < inner; i++) {
                double sum = 0;
                example_row(w, l.wu, e * size + (size_t)i * width, width, TC_BF16);
                for (int c = 0; c < width; c++) sum += (double)x[c] * w[c];
                h[i] = 0.5 * sum * (1 + erf(sum * 0.70710678118654752));
            }
            for (int c = 0; c < 8; c++) {
                double sum = 0;
                example_row(v, l.wd, e * size + (size_t)(c * width / 8) * inner, inner, TC_BF16);
                for (int i = 0; i < inner; i++) sum += h[i] * v[i];
                want[c] += weights[token * TOP + j] * sum;
            }
        }
        for (int c = 0; c < 8; c++) { /* h and two y are rounded to bf16 */
            const double got = example_get(out, (size_t)token * width + c * width / 8, TC_F32);
            const double error = fabs(got - want[c]) / (0.02 + fabs(want[c]) / 64);
            if (!(error <= worst)) worst = error;
        }
    }
    printf("%d tokens to %d of %d experts, %d x %d   ", tokens, TOP, experts, width, inner);
    if (example_emulated()) printf("emulated");
    else printf("%7.1f TFLOP/s", 4e-12 * rows * size / seconds[0]);
    printf("   worst of 48 samples: %.2f of the error bound, of 8 of dWd %.2f  %s\n", worst, worst_grad,
           worst <= 1 && worst_grad <= 1 ? "ok" : "FAIL");
    return !(worst <= 1 && worst_grad <= 1);
}
