/* 23_mlp_block.cu - the feed-forward block of a Llama, from three fused GEMMs:
 *
 *     gate = silu(X * Wg)          hook: shipped
 *     h    = (X * Wu) * gate       hook: three lines, below
 *     out  = h * Wd + X            hook: shipped
 *
 * No elementwise kernel is launched and no intermediate is read twice. Programmatic dependent launch (.pdl) lets each
 * kernel set itself up while the one before it drains. Checked end to end against fp64. */
#include "example.h"

TC_DEV tc_f32x2 times_gate(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const tc_epi_matrix *g = (const tc_epi_matrix *)args;
    const uint32_t w = *(const uint32_t *)((const uint16_t *)g->p + (at.row * g->ld + at.col));
    const tc_f32x2 r = {x.x * tc_f32_from_bits(w << 16), x.y * tc_f32_from_bits(w & 0xffff0000u)};
    return r;
}

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16
#define LARGE .shapes = TC_SHAPES_LARGE /* kernels for a few tokens too would take nvcc twice as long */
TC_GEMM_DEFINE(gemm_gate, BF16, .epi = tc_epi_silu, LARGE)
TC_GEMM_DEFINE(gemm_up, BF16, .epi_size = sizeof(tc_epi_matrix), .epi2 = times_gate, LARGE)
TC_GEMM_DEFINE(gemm_down, BF16, .epi2 = tc_epi2_residual_bf16, LARGE)

typedef struct mlp {
    int tokens, hidden, inner;
    void *x, *wg, *wu, *wd, *gate, *h, *out;
} mlp;

static void mlp_run(void *self)
{
    const mlp *b = (const mlp *)self;
    const tc_epi_matrix gate = {b->gate, b->inner}, x = {b->x, b->hidden};
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.pdl = 1;
    g.m = b->tokens, g.n = b->inner, g.k = b->hidden;
    g.a = b->x, g.lda = b->hidden, g.ldb = b->hidden, g.ldd = b->inner;
    g.b = b->wg, g.d = b->gate;
    TC_CHECK(gemm_gate_run(&g, 0));
    g.b = b->wu, g.d = b->h;
    g.epi_args = &gate, g.epi_size = sizeof gate;
    TC_CHECK(gemm_up_run(&g, 0));
    g.n = b->hidden, g.k = b->inner;
    g.a = b->h, g.lda = b->inner, g.b = b->wd, g.ldb = b->inner, g.d = b->out, g.ldd = b->hidden;
    g.epi_args = &x, g.epi_size = sizeof x;
    TC_CHECK(gemm_down_run(&g, 0));
}

static void mlp_products(void *self) /* the three products alone, by cuBLAS */
{
    const mlp *b = (const mlp *)self;
    example_gemm gate = {b->x, b->wg, b->gate, b->tokens, b->inner, b->hidden, TC_BF16};
    example_gemm up = {b->x, b->wu, b->h, b->tokens, b->inner, b->hidden, TC_BF16};
    example_gemm down = {b->h, b->wd, b->out, b->tokens, b->hidden, b->inner, TC_BF16};
    example_cublas_run(&gate);
    example_cublas_run(&up);
    example_cublas_run(&down);
}

/* One row of the block in fp64 against the output; the bound follows the three roundings to bf16 and the sums in
 * f32. */
static double mlp_error(const mlp *b, int row)
{
    const int hidden = b->hidden, inner = b->inner;
    float *x = (float *)malloc(sizeof(float) * (size_t)hidden),
          *w = (float *)malloc(sizeof(float) * (size_t)(hidden > inner ? hidden : inner));
    double *h = (double *)malloc(sizeof(double) * (size_t)inner), worst = 0;
    example_row(x, b->x, (size_t)row * hidden, hidden, TC_BF16);
    for (int j = 0; j < inner; j++) {
        double gate = 0, up = 0;
        example_row(w, b->wg, (size_t)j * hidden, hidden, TC_BF16);
        for (int e = 0; e < hidden; e++) gate += (double)x[e] * w[e];
        example_row(w, b->wu, (size_t)j * hidden, hidden, TC_BF16);
        for (int e = 0; e < hidden; e++) up += (double)x[e] * w[e];
        h[j] = gate / (1 + exp(-gate)) * up;
    }
    for (int j = 0; j < hidden; j += 37) {
        double sum = x[j], squares = 0;
        example_row(w, b->wd, (size_t)j * inner, inner, TC_BF16);
        for (int e = 0; e < inner; e++) sum += h[e] * w[e], squares += h[e] * w[e] * h[e] * w[e];
        /* gate and h are each rounded to bf16: errors of 2^-8 at most, independent over e: six deviations of their
         * sum */
        const double bound = 6 * sqrt(squares) * 2 / 256 + fabs(sum) / 256 + 1e-4;
        const double error = fabs(example_get(b->out, (size_t)row * hidden + j, TC_BF16) - sum) / bound;
        if (!(error <= worst)) worst = error;
    }
    free(x);
    free(w);
    free(h);
    return worst;
}

static int mlp_shape(const char *name, int full_tokens, int full_hidden, int full_inner)
{
    const int tokens = example_size(full_tokens), hidden = example_size(full_hidden), inner = example_size(full_inner);
    mlp b;
    const double flops = 6.0 * tokens * hidden * inner;
    const size_t weights = (size_t)hidden * inner;
    void (*const run[2])(void *) = {mlp_run, mlp_products};
    void *const self[2] = {&b, &b};
    const int sides = example_cublas_open() ? 2 : 1;
    double seconds[2], worst;
    b.tokens = tokens, b.hidden = hidden, b.inner = inner;
    b.x = example_random((size_t)tokens * hidden, 1, TC_BF16, 1.f);
    b.wg = example_random(weights, 2, TC_BF16, 1.f / sqrtf((float)hidden));
    b.wu = example_random(weights, 3, TC_BF16, 1.f / sqrtf((float)hidden));
    b.wd = example_random(weights, 4, TC_BF16, 1.f / sqrtf((float)inner));
    b.gate = example_alloc((size_t)tokens * inner, TC_BF16);
    b.h = example_alloc((size_t)tokens * inner, TC_BF16);
    b.out = example_alloc((size_t)tokens * hidden, TC_BF16);
    example_times(sides, run, self, 3, seconds);
    mlp_run(&b);
    worst = mlp_error(&b, tokens - 1);
    printf("%-12s tokens %5d  hidden %5d  inner %5d   ", name, tokens, hidden, inner);
    if (example_emulated()) printf("emulated");
    else printf("%7.1f TFLOP/s", flops / seconds[0] * 1e-12);
    if (sides > 1)
        printf("   cuBLAS, the three products alone: %7.1f TFLOP/s (%.2fx)", flops / seconds[1] * 1e-12,
               seconds[1] / seconds[0]);
    printf("   error %.2f of the bound  %s\n", worst, worst <= 1 ? "ok" : "FAIL");
    CUDA_CHECK(cudaFree(b.x));
    CUDA_CHECK(cudaFree(b.wg));
    CUDA_CHECK(cudaFree(b.wu));
    CUDA_CHECK(cudaFree(b.wd));
    CUDA_CHECK(cudaFree(b.gate));
    CUDA_CHECK(cudaFree(b.h));
    CUDA_CHECK(cudaFree(b.out));
    return !(worst <= 1);
}

int main(void)
{
    int failed = 0;
    example_device(80);
    failed += mlp_shape("Llama-2 7B", 4096, 4096, 11008);
    failed += mlp_shape("Llama-3 8B", 4096, 4096, 14336);
    failed += mlp_shape("ragged", 333, 520, 1048);
    return failed;
}
