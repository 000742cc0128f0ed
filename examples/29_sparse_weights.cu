/* 29_sparse_weights.cu - a linear layer whose weights are 2:4 sparse: Y = relu(X W^T + bias). W is pruned on the device
 * (of each four neighbours the two largest stay), compressed and packed in one pass over it; the product then takes
 * half the bytes of W and, where the Tensor Cores are the limit, up to half the time. Hopper. */
#define TC_SM90_STUBS
#include "example.h"

/* ---- the layer: yours ---- */
typedef struct bias_args { const float *bias; } bias_args;
TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
{
    return tc_relu(x + ((const bias_args *)args)->bias[at.col]);
}
TC_GEMM_SM90_DEFINE(linear, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .sparse = TC_SPARSE_B, .cluster_n = 2,
                    .epi = bias_relu, .epi_size = sizeof(bias_args))

static __global__ void prune(tc_sp_args args) { tc_sp_pack_grid(TC_BF16, &args); }

typedef struct layer {
    int n, k;
    void *kept, *meta; /* on the device */
} layer;

/* weights: n rows of k, on the device; not wanted any more afterwards */
static layer layer_make(const void *weights, int n, int k)
{
    layer l = {n, k, example_alloc((size_t)n * k / 2, TC_BF16), 0};
    CUDA_CHECK(cudaMalloc(&l.meta, (size_t)tc_sp_meta_bytes(TC_BF16, n, k)));
    const tc_sp_args args = {.type = TC_BF16, .bits = 0, .prune = 1, .rows = n, .cols = k, .a = weights, .lda = k,
                             .kept = l.kept, .ldk = k / 2, .meta = (uint8_t *)l.meta, .ldm = 0};
    prune<<<example_emulated() ? 4 : 1024, 256>>>(args);
    CUDA_CHECK(cudaGetLastError());
    return l;
}

/* W as it is multiplied, in floats of the host, from what the device wrote. */
static float *layer_read(const layer *l)
{
    const size_t count = (size_t)l->n * l->k, bytes = (size_t)tc_sp_meta_bytes(TC_BF16, l->n, l->k);
    uint16_t *kept = (uint16_t *)malloc(count), *dense = (uint16_t *)malloc(2 * count);
    uint8_t *meta = (uint8_t *)malloc(bytes);
    float *w = (float *)malloc(4 * count);
    CUDA_CHECK(cudaMemcpy(kept, l->kept, count, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(meta, l->meta, bytes, cudaMemcpyDeviceToHost));
    const tc_sp_args args = {.type = TC_BF16, .bits = 0, .prune = 0, .rows = l->n, .cols = l->k, .a = 0, .lda = l->k,
                             .kept = kept, .ldk = l->k / 2, .meta = meta, .ldm = 0};
    TC_CHECK(tc_sp_unpack(&args, dense));
    for (size_t i = 0; i < count; i++) w[i] = tc_f32_from_bf16(dense[i]);
    free(kept), free(dense), free(meta);
    return w;
}

typedef struct call { tc_gemm_args args; } call;
static void call_run(void *self) { TC_CHECK(linear_run(&((call *)self)->args, 0)); }

int main(void)
{
    example_device(90);
    const int m = example_size(8192), n = example_size(8192), k = example_size(8192);
    void *weights = example_random((size_t)n * k, 1, TC_BF16, 1.f), *x = example_random((size_t)m * k, 2, TC_BF16, 1.f);
    void *bias = example_random((size_t)n, 3, TC_F32, 1.f), *y = example_alloc((size_t)m * n, TC_BF16);
    const layer l = layer_make(weights, n, k);
    const bias_args mine = {(const float *)bias};
    call c = {{.m = m, .n = n, .k = k, .a = x, .lda = k, .b = l.kept, .ldb = k / 2, .d = y, .ldd = n}};
    c.args.meta = l.meta, c.args.epi_args = &mine, c.args.epi_size = sizeof mine;
    void (*run[1])(void *) = {call_run};
    void *self[1] = {&c};
    double seconds[1], worst = 0, lost = 0, all = 0;
    int wrong = 0;
    example_times(1, run, self, 20, seconds);

    const float *w = layer_read(&l);
    float *row = (float *)malloc(sizeof(float) * (size_t)k), *before = (float *)malloc(sizeof(float) * (size_t)k);
    for (int s = 0; s < 200; s++) {
        const int i = (int)(s * 2246822519u % (unsigned)m), j = (int)(s * 2654435761u % (unsigned)n);
        double sum = 0, size = 0, dense = 0;
        example_row(row, x, (size_t)i * k, k, TC_BF16);
        example_row(before, weights, (size_t)j * k, k, TC_BF16);
        for (int e = 0; e < k; e++) {
            const float at = w[(size_t)j * k + e], was = before[e];
            int larger = 0; /* pruned as it should be? */
            for (int o = e / 4 * 4; o < e / 4 * 4 + 4; o++)
                larger += fabsf(before[o]) > fabsf(was) || (fabsf(before[o]) == fabsf(was) && o < e);
            wrong += at != (larger < 2 ? was : 0.f);
            sum += (double)row[e] * at, size += fabs((double)row[e] * at), dense += (double)row[e] * was;
        }
        lost += (sum - dense) * (sum - dense), all += dense * dense;
        sum += example_get(bias, (size_t)j, TC_F32);
        sum = sum > 0 ? sum : 0;
        const double bound = 1.2 * ((k + 8) * 1.2e-7 * size) + example_rounding(TC_BF16) * fabs(sum) + 1e-5;
        const double error = fabs(example_get(y, (size_t)i * n + j, TC_BF16) - sum) / bound;
        if (!(error <= worst)) worst = error;
    }
    lost = sqrt(lost / all);
    printf("m %d  n %d  k %d   ", m, n, k);
    if (example_emulated()) printf("emulated");
    else printf("%6.1f TFLOP/s of the dense product", 2.0 * m * n * k / seconds[0] * 1e-12);
    printf("   worst of 200 samples: %.2f of the error bound, %d weights not as pruned, lost by pruning: %.0f %%  %s\n",
           worst, wrong, 100 * lost, worst <= 1 && !wrong ? "ok" : "FAIL");
    return !(worst <= 1 && !wrong);
}
