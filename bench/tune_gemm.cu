/* tune_gemm.cu - which tile is best for a shape? Runs every configuration of tune_configs.h beside cuBLASLt's best of 8.
 *     build/tune/main [only=0-5,9] m n k [[only=...] m n k ...]
 * Each configuration is its own object file (-DCONFIG=i), so that make -j builds them side by side. */
#include "bench.h"
#include "tune_configs.h"

#ifdef CONFIG

#define TUNE_CAT(a, b) TUNE_CAT_(a, b)
#define TUNE_CAT_(a, b) a##b
#define TUNE_FIELDS TUNE_CAT(TUNE_, CONFIG)
#define TUNE_DEFINE(...) TUNE_DEFINE_(__VA_ARGS__)
#define TUNE_DEFINE_(generator, ...) generator(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, __VA_ARGS__)
#define TUNE_TEXT(...) TUNE_TEXT_(__VA_ARGS__)
#define TUNE_TEXT_(...) #__VA_ARGS__
TUNE_DEFINE(TUNE_FIELDS)

extern "C" int TUNE_CAT(tune_run_, CONFIG)(void *self, const bench_problem *p, int set)
{
    const tc_gemm_args g = bench_args(p, set);
    (void)self;
    return gemm_run(&g, p->stream);
}
extern "C" const char *TUNE_CAT(tune_name_, CONFIG)(void) { return TUNE_TEXT(TUNE_FIELDS); }
extern "C" const char *TUNE_CAT(tune_why_, CONFIG)(void) { return tc_why(); }

#else

#define X(i)                                                              \
    extern "C" int tune_run_##i(void *, const bench_problem *, int);      \
    extern "C" const char *tune_name_##i(void);                           \
    extern "C" const char *tune_why_##i(void);
TUNE_ALL(X)
#undef X

typedef struct { bench_fn run; const char *(*name)(void), *(*why)(void); } entry;
static const entry entries[] = {
#define X(i) {tune_run_##i, tune_name_##i, tune_why_##i},
    TUNE_ALL(X)
#undef X
};
enum { COUNT = sizeof entries / sizeof entries[0] };

int main(int argc, char **argv)
{
    char on[COUNT];
    bench_header(stdout, argc, argv);
    memset(on, 1, sizeof on);
    for (int arg = 1; arg + 2 < argc; arg += 3) {
        if (strncmp(argv[arg], "only=", 5) == 0) { /* which configurations the shapes after it get */
            const char *s = argv[arg++] + 5;
            memset(on, 0, sizeof on);
            for (int from, to, used; *s; s += used + (s[used] == ',')) {
                if (sscanf(s, "%d-%d%n", &from, &to, &used) != 2) {
                    if (sscanf(s, "%d%n", &from, &used) != 1) break;
                    to = from;
                }
                for (int i = from; i <= to; i++)
                    if (i >= 0 && i < COUNT) on[i] = 1;
            }
        }
        const bench_shape shape = {atoi(argv[arg]), atoi(argv[arg + 1]), atoi(argv[arg + 2])};
        const bench_plan plan = {15e-3, 7};
        bench_problem p = bench_problem_make(shape, TC_BF16, 0);
        bench_cublas cublas;
        uint16_t *reference;
        bench_cublas_make(&cublas, &p, 0);
        if (bench_cublas_rank(&cublas, &plan) == 0) {
            printf("%5d %5d %5d  cuBLASLt refuses\n", shape.m, shape.n, shape.k);
            bench_cublas_free(&cublas);
            bench_problem_free(&p);
            continue;
        }
        bench_replay(&cublas.sides[0], 0, 1);
        CUDA_CHECK(cudaMalloc((void **)&reference, 2 * p.d_size));
        CUDA_CHECK(cudaMemcpy(reference, p.d, 2 * p.d_size, cudaMemcpyDeviceToDevice));
        for (int i = 0; i < COUNT; i++) {
            bench_side ours, *sides[2] = {&cublas.sides[0], &ours};
            bench_ratio ratio;
            float diff;
            if (!on[i]) continue;
            memset(&ours, 0, sizeof ours);
            ours.run = entries[i].run;
            bench_poison(&p);
            if (bench_side_capture(&ours, &p)) {
                printf("%5d %5d %5d  refused: %s  %s\n", p.m, p.n, p.k, entries[i].why(), entries[i].name());
                continue;
            }
            diff = bench_diff(&p, 0, reference).value;
            bench_alternate(sides, 2, &plan);
            ratio = bench_against(&ours, &cublas.sides[0], plan.rounds);
            printf("%5d %5d %5d  ratio %.3f [%.3f %.3f]  tc %6.1f  cublas %6.1f TFLOP/s  diff %.4f%s  %s\n", p.m, p.n,
                   p.k, ratio.median, ratio.min, ratio.max, bench_flops(&p) / ours.median * 1e-12,
                   bench_flops(&p) / cublas.sides[0].median * 1e-12, diff, diff < BENCH_LIMIT ? "" : " WRONG",
                   entries[i].name());
            fflush(stdout);
            bench_side_free(&ours);
        }
        CUDA_CHECK(cudaFree(reference));
        bench_cublas_free(&cublas);
        bench_problem_free(&p);
    }
    return 0;
}
#endif
