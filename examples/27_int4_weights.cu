/* 27_int4_weights.cu - a linear layer whose weights have 4 bits: Y = X W^T, X in bf16, W as s4 with a factor for each
 * 128 of k. Quantised and packed once, on the host; the kernel makes bf16 of them in its registers. For few rows, where
 * the time is that of reading W. On every device from sm_80 on, of the same packed bytes. */
#include "example.h"

enum { GROUP = 128 };

/* ---- the layer: yours ---- */
TC_GEMM_DEFINE(linear, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = GROUP,
               .shapes = TC_SHAPES_FEW_ROWS)

typedef struct layer {
    tc_weights w;
    void *packed; /* on the device */
} layer;

/* n rows of k floats of the host, packed. */
static layer layer_make(const float *weights, int n, int k)
{
    layer l = {{.type = TC_S4, .as = TC_BF16, .group = GROUP, .zero = 0, .n = n, .k = k}, 0};
    const size_t count = (size_t)n * k;
    const tc_weights_made made = {malloc(count / 2), (float *)malloc(count / GROUP * 4), 0};
    const tc_weights_source from = {made.codes, made.scales, 0};
    void *packed = malloc(tc_weights_bytes(&l.w));
    TC_CHECK(tc_weights_quantize(&l.w, weights, &made));
    TC_CHECK(tc_weights_pack(&l.w, &from, packed));
    CUDA_CHECK(cudaMalloc(&l.packed, tc_weights_bytes(&l.w)));
    CUDA_CHECK(cudaMemcpy(l.packed, packed, tc_weights_bytes(&l.w), cudaMemcpyHostToDevice));
    free(packed), free(made.codes), free(made.scales);
    return l;
}

typedef struct call { tc_gemm_args args; } call;
static void call_run(void *self) { TC_CHECK(linear_run(&((call *)self)->args, 0)); }

int main(void)
{
    example_device(80);
    const int m = 16, n = example_emulated() ? 200 : 4096, k = example_emulated() ? 512 : 4096;
    float *weights = (float *)malloc(sizeof(float) * (size_t)n * k);
    unsigned state = 1;
    for (size_t i = 0; i < (size_t)n * k; i++) { /* about normal, as weights are */
        float sum = 0;
        for (int j = 0; j < 4; j++) {
            state = state * 1664525u + 1013904223u;
            sum += (float)(state >> 8) / 16777216.f - 0.5f;
        }
        weights[i] = sum;
    }
    const layer l = layer_make(weights, n, k);
    void *x = example_random((size_t)m * k, 1, TC_BF16, 1.f), *y = example_alloc((size_t)m * n, TC_BF16);
    call c = {{.m = m, .n = n, .k = k, .a = x, .lda = k, .b = l.packed, .d = y, .ldd = n}};
    const size_t workspace = linear_workspace(&c.args);
    c.args.workspace_size = workspace;
    if (workspace) CUDA_CHECK(cudaMalloc(&c.args.workspace, workspace));
    void (*run[1])(void *) = {call_run};
    void *self[1] = {&c};
    double seconds[1], worst = 0, lost = 0, all = 0;
    example_times(1, run, self, 20, seconds);

    uint8_t *packed = (uint8_t *)malloc(tc_weights_bytes(&l.w));
    float *row = (float *)malloc(sizeof(float) * (size_t)k);
    CUDA_CHECK(cudaMemcpy(packed, l.packed, tc_weights_bytes(&l.w), cudaMemcpyDeviceToHost));
    for (int s = 0; s < 200; s++) { /* samples; what 4 bits have lost is the layer's, not the kernel's */
        const int i = s % m, j = (int)(s * 2654435761u % (unsigned)n);
        double sum = 0, size = 0, before = 0;
        example_row(row, x, (size_t)i * k, k, TC_BF16);
        for (int e = 0; e < k; e++) {
            const double p = (double)row[e] * tc_weights_value(&l.w, packed, j, e);
            sum += p, size += fabs(p), before += (double)row[e] * weights[(size_t)j * k + e];
        }
        const double bound = 1.2 * ((k + 8) * 1.2e-7 * size) + example_rounding(TC_BF16) * fabs(sum) + 1e-5;
        const double error = fabs(example_get(y, (size_t)i * n + j, TC_BF16) - sum) / bound;
        if (!(error <= worst)) worst = error;
        lost += (sum - before) * (sum - before), all += before * before;
    }
    lost = sqrt(lost / all);
    printf("m %d  n %d  k %d, %d weights to a factor   ", m, n, k, (int)GROUP);
    if (example_emulated()) printf("emulated");
    else printf("%6.0f GB/s of packed weights", (double)tc_weights_bytes(&l.w) / seconds[0] * 1e-9);
    printf("   worst of 200 samples: %.2f of the error bound, lost by 4 bits: %.1f %%  %s\n", worst, 100 * lost,
           worst <= 1 && lost < 0.2 ? "ok" : "FAIL");
    return !(worst <= 1 && lost < 0.2);
}
