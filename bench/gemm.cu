/* gemm.cu - the generated GEMMs beside cuBLASLt: make bench writes what this prints to bench/results/gemm.csv.
 *     build/bench/gemm [seconds of a measurement, default 0.02]
 *
 * Both sides in one process, in turns, on the same random normal operands, which rotate past the L2; medians of 15 rounds.
 * The baseline is the fastest of the first 8 algorithms of cuBLASLt's heuristic, found by measuring each. */
#include "bench.h"

/* bias and GELU by erf, one element at a time; the tanh form comes with the kit as a pair hook */
TC_DEV float bias_gelu(float x, tc_gemm_at at, const void *args)
{
    return tc_gelu(x + ((const tc_epi_vector *)args)->v[at.col]);
}

TC_GEMM_DEFINE(gemm_any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_DEFINE(gemm_erf, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_gelu, .epi_size = sizeof(tc_epi_vector))
TC_GEMM_DEFINE(gemm_tanh, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi2 = tc_epi2_bias_gelu_tanh)
TC_GEMM_SM80_DEFINE(gemm_sm80, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256)

static int run_any(void *self, const bench_problem *p, int set)
{
    const tc_gemm_args g = bench_args(p, set);
    (void)self;
    return gemm_any_run(&g, 0) != TC_OK;
}

static int run_erf(void *self, const bench_problem *p, int set)
{
    tc_gemm_args g = bench_args(p, set);
    g.epi_args = self;
    g.epi_size = sizeof(tc_epi_vector);
    return gemm_erf_run(&g, 0) != TC_OK;
}

static int run_tanh(void *self, const bench_problem *p, int set)
{
    tc_gemm_args g = bench_args(p, set);
    g.epi_args = self;
    g.epi_size = sizeof(tc_epi_vector);
    return gemm_tanh_run(&g, 0) != TC_OK;
}

static int run_sm80(void *self, const bench_problem *p, int set)
{
    const tc_gemm_args g = bench_args(p, set);
    (void)self;
    return gemm_sm80_run(&g, 0) != TC_OK;
}

static int row(const char *what, const bench_problem *p, double ours, double theirs)
{
    printf("%s,%d,%d,%d,%.1f,%.1f,%.3f\n", what, p->m, p->n, p->k, bench_flops(p) / ours * 1e-12, theirs > 0 ? bench_flops(p) / theirs * 1e-12 : 0.0,
           theirs > 0 ? theirs / ours : 0.0);
    fflush(stdout);
    return 0;
}

/* Against cuBLASLt; returns the ratio, 0 if the results differ. */
static double against_cublas(const char *what, bench_fn run, int m, int n, int k, double seconds)
{
    bench_problem p = bench_problem_make(m, n, k, TC_BF16);
    bench_cublas cublas;
    double t[2];
    uint16_t *reference;
    float diff;
    bench_cublas_make(&cublas, &p);
    bench_side sides[2] = {{bench_cublas_run, &cublas, 0}, {run, 0, 0}};
    CUDA_CHECK(cudaMalloc((void **)&reference, 2 * p.d_size));
    bench_cublas_run(&cublas, &p, 0);
    CUDA_CHECK(cudaMemcpy(reference, p.d, 2 * p.d_size, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemset(p.d, 0xff, 2 * p.d_size));
    if (run(0, &p, 0)) fprintf(stderr, "%s %dx%dx%d: %s\n", what, m, n, k, tc_why());
    diff = bench_diff(p.d, reference, (size_t)m * n, TC_BF16);
    bench_alternate(sides, 2, &p, 15, seconds, t);
    row(what, &p, t[1], t[0]);
    if (!(diff < 0.02f)) fprintf(stderr, "%s %dx%dx%d: results differ by %g\n", what, m, n, k, (double)diff);
    CUDA_CHECK(cudaFree(reference));
    bench_cublas_free(&cublas);
    bench_problem_free(&p);
    return diff < 0.02f ? t[0] / t[1] : 0;
}

int main(int argc, char **argv)
{
    static const int suite[9][3] = {{4096, 4096, 4096}, {8192, 8192, 8192}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 14336, 4096},
                                    {8192, 28672, 8192}, {384, 4096, 4096}, {1000, 1000, 1000}, {4096, 50304, 768}};
    const double seconds = argc > 1 ? atof(argv[1]) : 0.02;
    double product = 1, worst = 1e9;
    bench_header(stdout, argc, argv);
    printf("what,m,n,k,tc TFLOP/s,other TFLOP/s,ratio\n");
    for (int i = 0; i < 9; i++) {
        const double ratio = against_cublas("TC_GEMM_DEFINE against cuBLASLt", run_any, suite[i][0], suite[i][1], suite[i][2], seconds);
        if (i >= 2) product *= ratio;
        if (ratio < worst) worst = ratio;
    }
    printf("# geometric mean over the suite (without the first two rows): %.3f\n", pow(product, 1.0 / 7));
    for (int i = 0; i < 2; i++) { /* the sm_80 kernel by itself, and beside cuBLASLt */
        bench_problem p = bench_problem_make(suite[i][0], suite[i][1], suite[i][2], TC_BF16);
        bench_side side = {run_sm80, 0, 0};
        double t;
        bench_alternate(&side, 1, &p, 15, seconds, &t);
        row("TC_GEMM_SM80_DEFINE alone", &p, t, 0);
        bench_problem_free(&p);
    }
    { /* bias and GELU against the plain store */
        bench_problem p = bench_problem_make(4096, 4096, 4096, TC_BF16);
        tc_epi_vector bias;
        double t[3];
        void *v;
        CUDA_CHECK(cudaMalloc(&v, 4096 * 4));
        CUDA_CHECK(cudaMemset(v, 0, 4096 * 4));
        bias.v = (const float *)v;
        bench_side sides[3] = {{run_any, 0, 0}, {run_tanh, &bias, 0}, {run_erf, &bias, 0}};
        bench_alternate(sides, 3, &p, 31, seconds, t);
        row("bias + GELU (tanh) against the plain store", &p, t[1], t[0]);
        row("bias + GELU (erf) against the plain store", &p, t[2], t[0]);
        CUDA_CHECK(cudaFree(v));
        bench_problem_free(&p);
    }
    return worst == 0;
}
