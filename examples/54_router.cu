/* 54_router.cu - the router of a mixture of experts: of each token's logits X W^T the probabilities, the 8 largest,
 * their experts and shares. In the product's own kernel, for a row of 256 experts lies in one tile; and by a pass over
 * rows of logits behind any product, which takes rows of any width. Both are run here, and checked against fp64. */
#define TC_SM90_STUBS
#include "example.h"

/* ---- one kernel: yours ---- */
TC_GEMM_DEFINE(route, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .rows = TC_SOFTMAX, .top = 8, .renorm = 1,
               .shapes = TC_SHAPES_LARGE)
static tc_status route_tokens(int tokens, int experts, int k, const void *x, const void *w, float *p, tc_gemm_top top)
{
    const tc_gemm_args args = {.m = tokens, .n = experts, .k = k, .a = x, .lda = k, .b = w, .ldb = k,
                               .d = p, .ldd = experts, .top = top};
    return route_run(&args, 0);
}

/* ---- any width, two kernels ---- */
TC_GEMM_DEFINE(logits, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .shapes = TC_SHAPES_LARGE)
TC_ROWS_DEFINE(choose, .x = TC_F32, .op = TC_SOFTMAX, .top = 8, .renorm = 1)
static tc_status route_in_two(int tokens, int experts, int k, const void *x, const void *w, float *p, tc_gemm_top top)
{
    const tc_gemm_args args = {.m = tokens, .n = experts, .k = k, .a = x, .lda = k, .b = w, .ldb = k,
                               .d = p, .ldd = experts};
    const tc_rows_args rows = {.m = tokens, .n = experts, .x = p, .y = p, .values = top.values, .index = top.index};
    const tc_status st = logits_run(&args, 0);
    return st == TC_OK ? choose_run(&rows, 0) : st;
}

/* ---- the rest ---- */
enum { TOP = 8 };
typedef struct call {
    int tokens, experts, k;
    const void *x, *w;
    float *p;
    tc_gemm_top top;
    tc_status (*route)(int, int, int, const void *, const void *, float *, tc_gemm_top);
} call;
static void run(void *self)
{
    const call *c = (const call *)self;
    TC_CHECK(c->route(c->tokens, c->experts, c->k, c->x, c->w, c->p, c->top));
}

/* The worst of some tokens, in bounds of error; chosen experts must be the largest but for what rounding confuses. */
static double check(const call *c)
{
    double worst = 0;
    for (int s = 0; s < 12; s++) {
        const int t = (int)(s * 2654435761u % (unsigned)c->tokens);
        double *x = (double *)malloc((size_t)c->experts * 8), slack = 0, max = -INFINITY, sum = 0, chosen = 0;
        float weight[TOP], *p = (float *)malloc((size_t)c->experts * 4);
        int32_t expert[TOP];
        CUDA_CHECK(cudaMemcpy(weight, c->top.values + (size_t)t * TOP, sizeof weight, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(expert, c->top.index + (size_t)t * TOP, sizeof expert, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(p, c->p + (size_t)t * c->experts, (size_t)c->experts * 4, cudaMemcpyDeviceToHost));
        for (int e = 0; e < c->experts; e++) {
            double size;
            x[e] = example_dot(c->x, c->k, c->w, c->k, c->k, t, e, TC_BF16, &size);
            slack = fmax(slack, (c->k + 8) * 1.2e-7 * size), max = fmax(max, x[e]);
        }
        for (int e = 0; e < c->experts; e++) sum += exp(x[e] - max);
        for (int i = 0; i < TOP; i++) chosen += exp(x[expert[i]] - max);
        for (int e = 0; e < c->experts; e++) {
            const double want = exp(x[e] - max) / sum;
            int is = 0;
            for (int i = 0; i < TOP; i++) is |= expert[i] == e;
            worst = fmax(worst, fabs(p[e] - want) / (want * (2 * slack + 1e-5) + 1e-30));
            if (!is && x[e] > x[expert[TOP - 1]] + 2 * slack) worst = INFINITY;
        }
        for (int i = 0; i < TOP; i++) {
            const double want = exp(x[expert[i]] - max) / chosen;
            worst = fmax(worst, fabs(weight[i] - want) / (want * (2 * slack + 1e-5)));
            if (i && x[expert[i]] > x[expert[i - 1]] + 2 * slack) worst = INFINITY;
        }
        free(x), free(p);
    }
    return worst;
}

int main(void)
{
    example_device(80);
    const int k = example_size(7168), experts = example_emulated() ? 96 : 256;
    call c[2] = {{example_emulated() ? 300 : 32768, experts, k, 0, 0, 0, {0, 0, 0, 0, 0}, route_in_two}};
    void (*runs[2])(void *) = {run, run};
    void *self[2] = {&c[0], &c[1]};
    double seconds[2] = {0, 0}, worst = 0;
    c[0].x = example_random((size_t)c->tokens * k, 1, TC_BF16, 1.f);
    c[0].w = example_random((size_t)experts * k, 2, TC_BF16, 2.f / sqrtf((float)k));
    for (int i = 0; i < 2; i++) {
        if (i) c[1] = c[0], c[1].route = route_tokens;
        c[i].p = (float *)example_alloc((size_t)c->tokens * experts, TC_F32);
        c[i].top.values = (float *)example_alloc((size_t)c->tokens * TOP, TC_F32);
        c[i].top.index = (int32_t *)example_alloc((size_t)c->tokens * TOP, TC_F32);
    }
    example_times(2, runs, self, 10, seconds);
    for (int i = 0; i < 2; i++) worst = fmax(worst, check(&c[i]));
    printf("%d tokens, %d of %d experts, k %d   ", c->tokens, TOP, experts, k);
    if (example_emulated()) printf("emulated");
    else printf("in two kernels %.1f us, in one %.1f us", seconds[0] * 1e6, seconds[1] * 1e6);
    printf("   worst of 12 tokens: %.2f of the error bound  %s\n", worst, worst <= 1 ? "ok" : "FAIL");
    return !(worst <= 1);
}
