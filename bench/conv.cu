/* conv.cu - convolutions: rates of TC_CONV_DEFINE, of some of its tiles and of the sm_80 kernel, beside TC_GEMM_DEFINE
 * on a product of the same size; bf16, NHWC.
 *     make bench-conv                       on an H200, about two minutes; then beside PyTorch (bench/conv.py)
 *     build/bench/conv --list               cases and kernels; needs no GPU
 *     build/bench/conv --case 2 --kernel any    one of them; --seconds 0.01 --rounds 3: a quick look
 *
 * X and Y take more than the L2, calls stand in CUDA graphs, the kernels take turns (bench.h), and each Y is checked at
 * 4096 places against sums in fp64. `of gemm`: the GEMM's time over this one's, of the same rounds. With -DCONV_LIBRARY
 * this file is the library that conv.py calls. */
#define TC_SM90_STUBS /* for a build that is for sm_80 too */
#ifdef CONV_LIBRARY
#include "../tc.h"
#else
#include "bench.h"
#endif

#define CONV_OF_BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16
TC_CONV_DEFINE(any, CONV_OF_BF16)
TC_CONV_SM80_DEFINE(sm80, CONV_OF_BF16)
TC_CONV_SM90_DEFINE(tall, CONV_OF_BF16, .bm = 256, .bn = 128, .cluster_m = 2)
TC_CONV_SM90_DEFINE(wide_c12, CONV_OF_BF16, .bm = 128, .bn = 256, .cluster_n = 2)

typedef struct conv_kernel {
    const char *name;
    tc_status (*run)(const tc_conv_args *, cudaStream_t);
    tc_gemm_choice choice; /* of TC_CONV_DEFINE's */
} conv_kernel;

static const conv_kernel kernels[] = {
    {"any", any_run, {0, 0, 0, 0, 0}},           {"wide_256", any_run, {1, 256, 1, 1, 0}},
    {"wide_256_c2", any_run, {1, 256, 2, 1, 0}}, {"wide_128", any_run, {1, 128, 1, 1, 0}},
    {"pair_192", any_run, {2, 192, 1, 0, 0}},    {"pair_128", any_run, {2, 128, 1, 0, 0}},
    {"pair_128_c2", any_run, {2, 128, 2, 0, 0}}, {"tall", tall_run, {0, 0, 0, 0, 0}},
    {"wide_c12", wide_c12_run, {0, 0, 0, 0, 0}}, {"sm80", sm80_run, {0, 0, 0, 0, 0}},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* A layer: images, channels, filters, size, filter, stride, padding on all sides. */
typedef struct conv_case {
    const char *name;
    int n, c, k, size, filter, stride, pad;
} conv_case;

static const conv_case cases[] = {
    {"3x3 256 at 56", 64, 256, 256, 56, 3, 1, 1},
    {"3x3 512 at 28", 64, 512, 512, 28, 3, 1, 1},
    {"ResNet-50 3x3 64 at 56", 256, 64, 64, 56, 3, 1, 1},
    {"ResNet-50 3x3 128 at 28", 256, 128, 128, 28, 3, 1, 1},
    {"ResNet-50 3x3 256 at 14", 256, 256, 256, 14, 3, 1, 1},
    {"ResNet-50 3x3 512 at 7", 256, 512, 512, 7, 3, 1, 1},
    {"ResNet-50 1x1 64 to 256 at 56", 256, 64, 256, 56, 1, 1, 0},
    {"ResNet-50 1x1 1024 to 256 at 14", 256, 1024, 256, 14, 1, 1, 0},
    {"ResNet-50 3x3 128 at 56 stride 2", 256, 128, 128, 56, 3, 2, 1},
    {"ResNet-50 1x1 512 to 1024 at 28 stride 2", 256, 512, 1024, 28, 1, 2, 0},
    {"7x7 8 to 64 at 224 stride 2", 64, 8, 64, 224, 7, 2, 3},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static tc_conv_args conv_of(const conv_case *c)
{
    tc_conv_args a;
    memset(&a, 0, sizeof a);
    a.dims = 2, a.n = c->n, a.c = c->c, a.k = c->k;
    a.size.h = a.size.w = c->size, a.filter.h = a.filter.w = c->filter, a.stride.h = a.stride.w = c->stride;
    a.lower.h = a.lower.w = a.upper.h = a.upper.w = c->pad;
    return a;
}

static tc_status run_kernel(int kernel, const tc_conv_args *args, cudaStream_t stream)
{
    tc_conv_args a = *args;
    a.choice = kernels[kernel].choice.kernel ? &kernels[kernel].choice : NULL;
    return kernels[kernel].run(&a, stream);
}

#ifdef CONV_LIBRARY

extern "C" const char *conv_why(void) { return tc_why(); }
/* Kernel number i's name, NULL past the last. */
extern "C" const char *conv_name(int i) { return i >= 0 && i < KERNELS ? kernels[i].name : 0; }
/* Case number i: its name, NULL past the last; sizes: as conv_case has them. */
extern "C" const char *conv_case_of(int i, int *sizes)
{
    if (i < 0 || i >= CASES) return 0;
    memcpy(sizes, &cases[i].n, 7 * sizeof *sizes);
    return cases[i].name;
}
/* pointers: x, w, y. 0 for success; else conv_why() says why. */
extern "C" int conv_run(int i, int number, void *const *pointers, void *stream)
{
    tc_conv_args a = conv_of(&cases[number]);
    a.x = pointers[0], a.w = pointers[1], a.y = pointers[2];
    return (int)run_kernel(i, &a, (cudaStream_t)stream);
}

#else

TC_GEMM_DEFINE(gemm, CONV_OF_BF16)

/* A warp sums one element of Y in fp64. */
static __global__ void truth_kernel(conv_case c, const void *const x, const void *const w, const void *const y,
                                    unsigned *worst)
{
    const int out = (c.size + 2 * c.pad - c.filter) / c.stride + 1;
    const size_t at = bench_sample((size_t)c.n * out * out * c.k);
    const int f = (int)(at % c.k), ow = (int)(at / c.k % out), oh = (int)(at / c.k / out % out);
    const size_t image = at / c.k / out / out;
    const int taps = c.filter * c.filter, k = taps * c.c;
    double sum = 0;
    for (int e = threadIdx.x % 32; e < k; e += 32) {
        const int tap = e / c.c, ih = oh * c.stride - c.pad + tap / c.filter;
        const int iw = ow * c.stride - c.pad + tap % c.filter;
        if (ih < 0 || ih >= c.size || iw < 0 || iw >= c.size) continue;
        sum += bench_get(TC_BF16, x, ((image * c.size + ih) * c.size + iw) * c.c + e % c.c)
             * bench_get(TC_BF16, w, (size_t)f * k + e);
    }
    sum = bench_warp_sum(sum);
    if (threadIdx.x % 32 == 0) bench_report(worst, bench_get(TC_BF16, y, at), sum, 0.0625 * sqrt((double)k));
}

static float off_by(const conv_case *c, const tc_conv_args *a)
{
    unsigned *worst = bench_worst();
    truth_kernel<<<BENCH_SAMPLES / 8, 256>>>(*c, a->x, a->w, a->y, worst);
    return bench_worst_end(worst);
}

/* One side: a kernel of the list, or past its end the GEMM. */
typedef struct conv_side {
    tc_conv_args conv;
    tc_gemm_args gemm;
    int kernel;
} conv_side;

static int run_side(void *self, const bench_problem *p, int set)
{
    const conv_side *s = (const conv_side *)self;
    (void)set;
    return (s->kernel < KERNELS ? run_kernel(s->kernel, &s->conv, p->stream) : gemm_run(&s->gemm, p->stream)) != TC_OK;
}

/* One case: prints a line a kernel. How many failed. */
static int measure(const conv_case *c, const char *only, const bench_plan *plan)
{
    static bench_side sides[KERNELS + 1];
    static conv_side selves[KERNELS + 1];
    bench_side *in[KERNELS + 1], *gemm = NULL;
    const bench_kind kind = {TC_BF16, TC_BF16, 0, 0, 0, 0, 0};
    tc_conv_args a = conv_of(c);
    const tc_conv_size y = tc_conv_output(&a);
    const size_t pixels = (size_t)a.n * y.h * y.w, in_x = (size_t)c->n * c->size * c->size * c->c;
    const int k = c->filter * c->filter * c->c;
    char *x, *w, *out, *big, *workspace;
    bench_problem p;
    int count = 0, failed = 0;
    memset(&p, 0, sizeof p);
    memset(sides, 0, sizeof sides);
    snprintf(bench_now, sizeof bench_now, " (%s)", c->name);
    p.m = (int)pixels, p.n = c->k, p.k = k, p.kind = kind, p.sets = 1, p.replay = 1e-3;
    CUDA_CHECK(cudaMalloc((void **)&x, in_x * 2));
    CUDA_CHECK(cudaMalloc((void **)&w, (size_t)c->k * k * 2));
    CUDA_CHECK(cudaMalloc((void **)&out, pixels * c->k * 2));
    CUDA_CHECK(cudaMalloc((void **)&big, pixels * k * 2));
    CUDA_CHECK(cudaMalloc((void **)&workspace, BENCH_WORKSPACE));
    CUDA_CHECK(cudaMemset(workspace, 0, BENCH_WORKSPACE));
    bench_fill(x, in_x, 1, TC_BF16, 1.f);
    bench_fill(w, (size_t)c->k * k, 2, TC_BF16, 1.f);
    bench_fill(big, pixels * k, 3, TC_BF16, 1.f);
    CUDA_CHECK(cudaStreamCreate(&p.stream));
    a.x = x, a.w = w, a.y = out, a.workspace = workspace, a.workspace_size = BENCH_WORKSPACE;
    for (int i = 0; i <= KERNELS; i++) {
        bench_side *s = &sides[count];
        conv_side *self = &selves[count];
        if (only && i < KERNELS && strcmp(only, kernels[i].name)) continue;
        memset(self, 0, sizeof *self);
        self->conv = a, self->kernel = i;
        self->gemm.m = p.m, self->gemm.n = p.n, self->gemm.k = k, self->gemm.a = big, self->gemm.lda = k;
        self->gemm.b = w, self->gemm.ldb = k, self->gemm.d = out, self->gemm.ldd = c->k;
        self->gemm.workspace = workspace, self->gemm.workspace_size = BENCH_WORKSPACE;
        s->run = run_side, s->self = self;
        CUDA_CHECK(cudaMemset(out, 0xff, pixels * c->k * 2));
        if (bench_side_capture(s, &p)) {
            printf("# %s: refused: %s\n", i < KERNELS ? kernels[i].name : "gemm", tc_why());
            failed++;
        } else if (i < KERNELS && !(off_by(c, &a) < BENCH_LIMIT)) {
            printf("# %s: wrong, off by %g\n", kernels[i].name, (double)off_by(c, &a));
            failed++;
        } else {
            if (i == KERNELS) gemm = s;
            in[count] = s;
            count++;
        }
    }
    if (count) bench_alternate(in, count, plan);
    for (int i = 0; i < count; i++)
        printf("%s,%d,%d,%d,%s,%.1f,%.3f\n", c->name, p.m, p.n, p.k,
               selves[i].kernel < KERNELS ? kernels[selves[i].kernel].name : "gemm",
               2e-12 * (double)pixels * c->k * k / in[i]->median, gemm ? gemm->median / in[i]->median : 0.);
    fflush(stdout);
    for (int i = 0; i < count; i++) bench_side_free(in[i]);
    CUDA_CHECK(cudaStreamDestroy(p.stream));
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(w));
    CUDA_CHECK(cudaFree(out));
    CUDA_CHECK(cudaFree(big));
    CUDA_CHECK(cudaFree(workspace));
    return failed;
}

static void say(int i)
{
    const conv_case *c = &cases[i];
    printf("%s: n %d, c %d, k %d, size %d, filter %d, stride %d", c->name, c->n, c->c, c->k, c->size, c->filter,
           c->stride);
}
static const char *kernel_name(int i) { return kernels[i].name; }
static int measure_case(int i, const bench_options *o) { return measure(&cases[i], o->kernel, &o->plan); }

int main(int argc, char **argv)
{
    const bench_table table = {"case,m,n,k,kernel,TFLOP/s,of gemm", CASES, KERNELS, say, kernel_name, 0, measure_case};
    return bench_main(&table, argc, argv);
}
#endif
