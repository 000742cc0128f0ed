/* 55_lora.cu - a layer with a low-rank correction (LoRA): Y = X W^T + (X L^T) R^T. W and R stand side by side in one
 * matrix [W R], X has room beside it for T = X L^T: the first product writes T there, the second one multiplies [X T]
 * by [W R]. The correction costs r more of k and no pass over Y. On every device. */
#define TC_SM90_STUBS
#include "example.h"

/* ---- the layer: yours ---- */
TC_GEMM_DEFINE(lora, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .shapes = TC_SHAPES_LARGE)
typedef struct lora_layer { const void *wr, *l; int n, k, r; } lora_layer; /* wr: n x (k + r), l: r x k */

/* xt: m x (k + r), X in its first k columns; y: m x n */
static tc_status lora_of(const lora_layer *x, void *xt, int m, void *y, cudaStream_t stream)
{
    const int wide = x->k + x->r;
    const tc_gemm_args down = {.m = m, .n = x->r, .k = x->k, .a = xt, .lda = wide, .b = x->l, .ldb = x->k,
                               .d = (uint16_t *)xt + x->k, .ldd = wide};
    const tc_gemm_args all = {.m = m, .n = x->n, .k = wide, .a = xt, .lda = wide, .b = x->wr, .ldb = wide, .d = y,
                              .ldd = x->n};
    const tc_status st = lora_run(&down, stream);
    return st == TC_OK ? lora_run(&all, stream) : st;
}

/* ---- the rest: beside the product without a correction ---- */
typedef struct call {
    lora_layer layer;
    int m;
    void *xt, *y;
} call;
static void run_lora(void *self)
{
    const call *c = (const call *)self;
    TC_CHECK(lora_of(&c->layer, c->xt, c->m, c->y, 0));
}
static void run_plain(void *self)
{
    const call *c = (const call *)self;
    const int wide = c->layer.k + c->layer.r;
    const tc_gemm_args g = {.m = c->m, .n = c->layer.n, .k = c->layer.k, .a = c->xt, .lda = wide, .b = c->layer.wr,
                            .ldb = wide, .d = c->y, .ldd = c->layer.n};
    TC_CHECK(lora_run(&g, 0));
}

int main(void)
{
    example_device(80);
    const int m = example_size(4096), n = example_size(4096), k = example_size(4096), r = 64, wide = k + r;
    const void *wr = example_random((size_t)n * wide, 1, TC_BF16, 1.f);
    const void *l = example_random((size_t)r * k, 2, TC_BF16, 0.02f);
    const call c = {{wr, l, n, k, r}, m, example_random((size_t)m * wide, 3, TC_BF16, 1.f),
                    example_alloc((size_t)m * n, TC_BF16)};
    void (*run[2])(void *) = {run_plain, run_lora};
    void *self[2] = {(void *)&c, (void *)&c};
    double seconds[2], worst = 0;
    example_times(2, run, self, 10, seconds); /* the last one is what is checked */
    for (int s = 0; s < 300; s++) {
        const int i = (int)(s * 2654435761u % (unsigned)m), j = (int)(s * 40503u % (unsigned)n), t = s % r;
        double size;
        const double low = example_dot(c.xt, wide, c.layer.l, k, k, i, t, TC_BF16, &size);
        const double e1 = fabs(example_get(c.xt, (size_t)i * wide + k + t, TC_BF16) - low)
                        / (1.2 * (k + 8) * 1.2e-7 * size + example_rounding(TC_BF16) * fabs(low));
        const double y = example_dot(c.xt, wide, c.layer.wr, wide, wide, i, j, TC_BF16, &size);
        const double e2 = fabs(example_get(c.y, (size_t)i * n + j, TC_BF16) - y)
                        / (1.2 * (wide + 8) * 1.2e-7 * size + example_rounding(TC_BF16) * fabs(y));
        if (!(e1 <= worst)) worst = e1;
        if (!(e2 <= worst)) worst = e2;
    }
    if (!example_emulated())
        printf("%.1f us, without the correction %.1f us\n", seconds[1] * 1e6, seconds[0] * 1e6);
    printf("m %d  n %d  k %d  r %d   worst of 300 samples: %.2f of the error bound  %s\n", m, n, k, r, worst,
           worst <= 1 ? "ok" : "FAIL");
    return !(worst <= 1);
}
