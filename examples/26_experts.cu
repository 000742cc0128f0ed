/* 26_experts.cu - a mixture of experts: each token goes to two of them, and Y is the sum of weight * (silu(X Wg[e]) * X
 * Wu[e]) Wd[e]. Rows of all experts stand after each other, and how many an expert has, the device alone knows. The
 * layer is two launches and a sum: the first product fetches its tokens' rows itself and makes one H of gate and up;
 * the second multiplies by the router's weights and sends each row back to its token. Of the backward pass the gradient
 * of Wd, where it is k that is cut at the same bounds. On every device. */
#define TC_SM90_STUBS
#include "example.h"

enum { TOP = 2 };                /* experts of a token */
typedef struct moe {             /* all of it on the device; row: of all experts */
    int tokens, experts, width, inner;
    const void *x, *wg, *wu, *wd;
    void *h, *y;                 /* H by rows; its product by tokens, TOP of each */
    float *out;
    int32_t *offsets;            /* where each expert's rows begin */
    int32_t *token_of, *slot_of; /* of a row: its token; token * TOP + which of its experts */
    float *weight;               /* of a row */
} moe;

/* ---- the layer: yours ---- */
#define EXPERTS .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .shapes = TC_SHAPES_LARGE
TC_GEMM_DEFINE(gate_up, EXPERTS, .index = TC_INDEX_A, .gate = tc_gate_silu)
static tc_status moe_gate_up(const moe *l, cudaStream_t stream)
{
    const tc_gemm_args g = {.m = l->tokens * TOP, .n = l->inner, .k = l->width, .a = l->x, .lda = l->width, .b = l->wg,
                            .ldb = l->width, .d = l->h, .ldd = l->inner, .stride_b = (int64_t)l->inner * l->width,
                            .groups = {.count = l->experts, .offsets = l->offsets}, .a_row = l->token_of,
                            .a_rows = l->tokens, .b2 = l->wu};
    return gate_up_run(&g, stream);
}

TC_GEMM_DEFINE(down, EXPERTS, .index = TC_INDEX_D, .epi = tc_epi_scale_row)
static tc_status moe_down(const moe *l, cudaStream_t stream)
{
    const tc_epi_vector weight = {l->weight};
    const tc_gemm_args g = {.m = l->tokens * TOP, .n = l->width, .k = l->inner, .a = l->h, .lda = l->inner, .b = l->wd,
                            .ldb = l->inner, .d = l->y, .ldd = l->width, .stride_b = (int64_t)l->inner * l->width,
                            .groups = {.count = l->experts, .offsets = l->offsets}, .d_row = l->slot_of,
                            .d_rows = l->tokens * TOP, .epi_args = &weight, .epi_size = sizeof weight};
    return down_run(&g, stream);
}

/* A block a token: its experts' rows, which stand after each other. */
static __global__ void combine(const uint16_t *y, int width, float *out)
{
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        const uint16_t *from = y + (size_t)blockIdx.x * TOP * width + c;
        float sum = 0;
        for (int j = 0; j < TOP; j++) sum += tc_f32_from_bf16(from[(size_t)j * width]);
        out[(size_t)blockIdx.x * width + c] = sum;
    }
}

static tc_status moe_run(const moe *l, cudaStream_t stream)
{
    tc_status st = moe_gate_up(l, stream);
    if (st == TC_OK) st = moe_down(l, stream);
    if (st == TC_OK) combine<<<l->tokens, 256, 0, stream>>>((const uint16_t *)l->y, l->width, l->out);
    return st;
}

/* In training: dWd[e] = dY' H over the rows of expert e. */
TC_GEMM_DEFINE(grad, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .a_layout = TC_COL, .b_layout = TC_ROW,
               .groups = TC_GROUPS_K, .shapes = TC_SHAPES_LARGE)
static tc_status moe_grad(const moe *l, const void *dy, void *dwd, cudaStream_t stream)
{
    const tc_gemm_args g = {.m = l->width, .n = l->inner, .k = l->tokens * TOP, .a = dy, .lda = l->width, .b = l->h,
                            .ldb = l->inner, .d = dwd, .ldd = l->inner, .stride_d = (int64_t)l->inner * l->width,
                            .groups = {.count = l->experts, .offsets = l->offsets}};
    return grad_run(&g, stream);
}

/* ---- the rest: what a router leaves behind, and the check ---- */

/* One block: counts each expert's rows, adds them up, and deals out rows. choice, weights: experts of each token. */
static __global__ void deal(const int *choice, const float *weights, const moe l)
{
    __shared__ int next[256];
    for (int e = threadIdx.x; e < l.experts; e += blockDim.x) next[e] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < l.tokens * TOP; i += blockDim.x) atomicAdd(next + choice[i], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        int at = 0;
        for (int e = 0; e < l.experts; e++) {
            const int count = next[e];
            l.offsets[e] = next[e] = at;
            at += count;
        }
        l.offsets[l.experts] = at;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < l.tokens * TOP; i += blockDim.x) {
        const int row = atomicAdd(next + choice[i], 1);
        l.token_of[row] = i / TOP, l.slot_of[row] = i, l.weight[row] = weights[i];
    }
}

/* Elements of dWd beside fp64: the worst error over its bound; of an expert without rows 0. */
static double check_grad(const moe *l, const void *dy, const void *dwd)
{
    int32_t at[257];
    double worst = 0;
    CUDA_CHECK(cudaMemcpy(at, l->offsets, (size_t)(l->experts + 1) * 4, cudaMemcpyDeviceToHost));
    for (int s = 0; s < 8; s++) {
        const int e = s * (l->experts - 1) / 7, i = s * 37 % l->width, j = s * 101 % l->inner;
        double sum = 0, size = 0;
        for (int r = at[e]; r < at[e + 1]; r++) {
            const double x = example_get(dy, (size_t)r * l->width + i, TC_BF16)
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
    const float small_u = 1 / sqrtf((float)width), small_d = 1 / sqrtf((float)inner);
    moe l = {tokens, experts, width, inner, example_random((size_t)tokens * width, 1, TC_BF16, 1.f),
             example_random(size * experts, 2, TC_BF16, small_u), example_random(size * experts, 3, TC_BF16, small_u),
             example_random(size * experts, 4, TC_BF16, small_d), example_alloc((size_t)rows * inner, TC_BF16),
             example_alloc((size_t)rows * width, TC_BF16), (float *)example_alloc((size_t)tokens * width, TC_F32),
             (int32_t *)example_alloc((size_t)experts + 1, TC_F32), (int32_t *)example_alloc((size_t)rows, TC_F32),
             (int32_t *)example_alloc((size_t)rows, TC_F32), (float *)example_alloc((size_t)rows, TC_F32)};
    int *choice = (int *)malloc((size_t)rows * 4), *choice_dev = (int *)example_alloc((size_t)rows, TC_F32);
    float *weights = (float *)malloc((size_t)rows * 4), *weights_dev = (float *)example_alloc((size_t)rows, TC_F32);
    for (int i = 0; i < rows; i++) { /* the first experts are liked best, the last but one by nobody */
        const unsigned h = (unsigned)i * 2654435761u >> 8;
        choice[i] = (int)(h % (h / 64 % (unsigned)experts + 1)) / TOP * TOP + i % TOP;
        if (choice[i] >= experts - 2) choice[i] = experts - 1 - i % TOP * 2;
        weights[i] = i % TOP ? 0.25f : 0.75f;
    }
    CUDA_CHECK(cudaMemcpy(choice_dev, choice, (size_t)rows * 4, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(weights_dev, weights, (size_t)rows * 4, cudaMemcpyHostToDevice));
    deal<<<1, 256>>>(choice_dev, weights_dev, l);
    void (*run[1])(void *) = {moe_call};
    void *self[1] = {&l};
    double seconds[1], worst = 0;
    example_times(1, run, self, 5, seconds);
    const void *dy = example_random((size_t)rows * width, 5, TC_BF16, 1.f);
    void *dwd = example_alloc(size * experts, TC_F32);
    TC_CHECK(moe_grad(&l, dy, dwd, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    const double worst_grad = check_grad(&l, dy, dwd);

    float *x = (float *)malloc(sizeof(float) * (size_t)width), *w = (float *)malloc(sizeof(float) * (size_t)width);
    float *v = (float *)malloc(sizeof(float) * (size_t)inner);
    double *h = (double *)malloc(sizeof(double) * (size_t)inner);
    for (int s = 0; s < 6; s++) { /* samples of tokens, of each some columns */
        const int token = s == 0 ? 0 : s == 1 ? tokens - 1 : (int)(s * 2654435761u % (unsigned)tokens);
        double want[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        example_row(x, l.x, (size_t)token * width, width, TC_BF16);
        for (int j = 0; j < TOP; j++) {
            const int e = choice[token * TOP + j];
            for (int i = 0; i < inner; i++) {
                double gate = 0, up = 0;
                example_row(w, l.wg, e * size + (size_t)i * width, width, TC_BF16);
                for (int c = 0; c < width; c++) gate += (double)x[c] * w[c];
                example_row(w, l.wu, e * size + (size_t)i * width, width, TC_BF16);
                for (int c = 0; c < width; c++) up += (double)x[c] * w[c];
                h[i] = gate / (1 + exp(-gate)) * up;
            }
            for (int c = 0; c < 8; c++) {
                double sum = 0;
                example_row(v, l.wd, e * size + (size_t)(c * width / 8) * inner, inner, TC_BF16);
                for (int i = 0; i < inner; i++) sum += h[i] * v[i];
                want[c] += weights[token * TOP + j] * sum;
            }
        }
        for (int c = 0; c < 8; c++) { /* h and two y are rounded to bf16 */
            const double got = example_get(l.out, (size_t)token * width + c * width / 8, TC_F32);
            const double error = fabs(got - want[c]) / (0.01 + fabs(want[c]) / 128);
            if (!(error <= worst)) worst = error;
        }
    }
    printf("%d tokens to %d of %d experts, %d x %d   ", tokens, TOP, experts, width, inner);
    if (example_emulated()) printf("emulated");
    else printf("%7.1f TFLOP/s", 6e-12 * rows * size / seconds[0]);
    printf("   worst of 48 samples: %.2f of the error bound, of 8 of dWd %.2f  %s\n", worst, worst_grad,
           worst <= 1 && worst_grad <= 1 ? "ok" : "FAIL");
    return !(worst <= 1 && worst_grad <= 1);
}
