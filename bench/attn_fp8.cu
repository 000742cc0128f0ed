/* attn_fp8.cu - attention with Q, K and V in e4m3: TFLOP/s, beside bf16 and beside sums that are not promoted.
 *     make build/bench/attn_fp8 && build/bench/attn_fp8       about a minute on an H200
 *     --seconds 0.01 --rounds 3    a quick look: shorter bursts, fewer rounds (default 0.04, 5)
 *     --only 8192                  sequences of this length alone
 *     --factors 128                factors of blocks of 128 rows (default: one for each head)
 *     --tiny                       small shapes, for tcemu: is O right?
 *
 * 16384 tokens, hidden size 2048: heads of 128 or 64. Calls are captured in CUDA graphs; the variants take turns, a
 * burst each a round; medians. FLOP: 4 head_dim for each query and each key that it sees. Some rows of O are held
 * against sums in fp64 over the same codes and factors. */
#define TC_SM90_STUBS
#include "bench.h"

#define KERNELS(X) X(fp8, 128, TC_E4M3, 0, 0) X(fp8_causal, 128, TC_E4M3, 1, 0) X(fast, 128, TC_E4M3, 0, TC_FAST)      \
    X(fast_causal, 128, TC_E4M3, 1, TC_FAST) X(bf16, 128, TC_BF16, 0, 0) X(bf16_causal, 128, TC_BF16, 1, 0)            \
    X(fp8_64, 64, TC_E4M3, 0, 0) X(fp8_64_causal, 64, TC_E4M3, 1, 0)
#define DEFINE(name, dim, t, mask, sums)                                                                               \
    TC_ATTN_SM90_DEFINE(name, .type = t, .head_dim = dim, .causal = mask, .promote = sums)
KERNELS(DEFINE)

typedef struct variant {
    const char *name;
    tc_status (*run)(const tc_attn_args *, cudaStream_t);
    int dim, type, causal;
} variant;
#define ENTRY(name, dim, t, mask, sums) {#name, name##_run, dim, t, mask},
static const variant variants[] = {KERNELS(ENTRY)};
enum { COUNT = sizeof variants / sizeof variants[0] };

typedef struct contest {
    int batch, len, hidden, rows; /* rows: of a factor; 0: all of a head */
    char *q[2], *k[2], *v[2], *o; /* e4m3, bf16 */
    float *factors;
} contest;

static int blocks_of(const contest *c) { return c->rows ? (c->len + c->rows - 1) / c->rows : 1; }

static int call(const contest *c, const variant *v, cudaStream_t stream)
{
    tc_attn_args g;
    memset(&g, 0, sizeof g);
    g.batch = c->batch, g.heads = c->hidden / v->dim, g.q_len = g.k_len = c->len;
    g.q = c->q[v->type == TC_BF16], g.k = c->k[v->type == TC_BF16], g.v = c->v[v->type == TC_BF16], g.o = c->o;
    if (v->type == TC_E4M3) {
        const tc_attn_factors f = {(int64_t)g.heads * blocks_of(c), blocks_of(c), c->rows};
        g.q_scale = g.k_scale = g.v_scale = c->factors;
        g.q_factors = g.k_factors = g.v_factors = f;
    }
    return v->run(&g, stream) != TC_OK;
}

/* ---- is it right? a block computes one row of O in fp64 ---- */
static __global__ void truth_kernel(contest c, variant v, double *scores, float *worst)
{
    const int heads = c.hidden / v.dim, rows = c.batch * c.len * heads,
              blocks = c.rows ? (c.len + c.rows - 1) / c.rows : 1,
              at = (int)((size_t)blockIdx.x * (rows - 1) / (gridDim.x - 1)), h = at % heads, i = at / heads % c.len,
              b = at / heads / c.len, keys = v.causal ? i + 1 : c.len, t = (int)threadIdx.x;
    const float *f = c.factors + ((size_t)b * heads + h) * blocks;
    const size_t row = (size_t)heads * v.dim, first = ((size_t)b * c.len * heads + h) * v.dim;
    const int which = v.type == TC_BF16;
    double *s = scores + (size_t)blockIdx.x * c.len, sum = 0, squares = 0, z = 0;
    for (int j = t; j < keys; j += v.dim) {
        double dot = 0;
        for (int e = 0; e < v.dim; e++)
            dot += bench_get(v.type, c.q[which], first + i * row + e)
                 * bench_get(v.type, c.k[which], first + j * row + e);
        if (v.type == TC_E4M3) dot *= (double)f[c.rows ? i / c.rows : 0] * f[c.rows ? j / c.rows : 0];
        s[j] = exp(dot / sqrt((double)v.dim)); /* small enough */
    }
    __syncthreads();
    for (int j = 0; j < keys; j++) {
        double x = s[j] * bench_get(v.type, c.v[which], first + j * row + t);
        if (v.type == TC_E4M3) x *= f[c.rows ? j / c.rows : 0];
        sum += x, squares += x * x, z += s[j];
    }
    /* P in e4m3 moves a sum of random signs by about 2^-5 of this */
    const double o = bench_get(TC_BF16, c.o, first + i * row + t);
    const float off = (float)(fabs(o - sum / z) / (sqrt(squares) / z + fabs(sum / z)));
    atomicMax((int *)worst, __float_as_int(off == off ? off : INFINITY)); /* not negative: their bits rise as they do */
}

static float error_of(const contest *c, const variant *v)
{
    const int rows = 6;
    float *worst, off;
    double *scores;
    CUDA_CHECK(cudaMalloc((void **)&scores, sizeof(double) * rows * c->len));
    CUDA_CHECK(cudaMalloc((void **)&worst, 4));
    CUDA_CHECK(cudaMemset(worst, 0, 4));
    truth_kernel<<<rows, (unsigned)v->dim>>>(*c, *v, scores, worst);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&off, worst, 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(scores));
    CUDA_CHECK(cudaFree(worst));
    return off;
}

static double flops(const contest *c, const variant *v)
{
    return 4. * c->hidden * c->batch * c->len * (v->causal ? (c->len + 1) / 2. : c->len);
}

static int capture(bench_side *side, const contest *c, const variant *v, cudaStream_t stream)
{
    cudaGraph_t graph = 0;
    int failed = 0;
    side->calls = (int)fmax(1, ceil(2e-3 / (flops(c, v) / 600e12)));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < side->calls && !failed; i++) failed = call(c, v, stream);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&side->graph, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    side->stream = stream;
    side->replay = bench_replay(side, 1, 1);
    return failed;
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1024, 2048, 4096, 8192, 16384};
    bench_plan plan = {0.04, 5};
    int only = 0, small = 0, wrong = 0, tokens = 16384;
    cudaStream_t stream;
    contest c;
    size_t count;
    memset(&c, 0, sizeof c);
    c.hidden = 2048;
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "0";
        if (!strcmp(argv[i], "--tiny")) small = 1;
        else if (!strcmp(argv[i], "--seconds")) plan.seconds = atof(next), i++;
        else if (!strcmp(argv[i], "--rounds")) plan.rounds = atoi(next), i++;
        else if (!strcmp(argv[i], "--only")) only = atoi(next), i++;
        else if (!strcmp(argv[i], "--factors")) c.rows = atoi(next), i++;
        else {
            fprintf(stderr, "attn_fp8: unknown option %s; bench/attn_fp8.cu says what there is\n", argv[i]);
            return 2;
        }
    }
    if (small) tokens = 400, c.hidden = 256;
    if (plan.rounds < 1 || plan.rounds > BENCH_ROUNDS_MAX) plan.rounds = 5;
    count = (size_t)tokens * c.hidden;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++) {
        char **const of[3] = {&c.q[i], &c.k[i], &c.v[i]};
        for (int k = 0; k < 3; k++) {
            CUDA_CHECK(cudaMalloc((void **)of[k], count * (size_t)(i + 1)));
            bench_fill(*of[k], count, (uint64_t)k + 1, i ? TC_BF16 : TC_E4M3, 1.f);
        }
    }
    CUDA_CHECK(cudaMalloc((void **)&c.o, count * 2));
    CUDA_CHECK(cudaMalloc((void **)&c.factors, count)); /* more than there are */
    bench_fill(c.factors, count / 4, 4, TC_F32, 0.5f);
    {
        float *f = (float *)malloc(count);
        CUDA_CHECK(cudaMemcpy(f, c.factors, count, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < count / 4; i++) f[i] = 0.5f + 0.5f * fabsf(f[i]); /* positive */
        CUDA_CHECK(cudaMemcpy(c.factors, f, count, cudaMemcpyHostToDevice));
        free(f);
    }
    printf("kernel,batch,length,head_dim,causal,us,TFLOP/s\n");
    for (int l = 0; l < (small ? 2 : 5); l++) {
        bench_side sides[COUNT], *in[COUNT];
        const variant *of[COUNT];
        int n = 0;
        c.len = small ? 100 << l : lengths[l];
        c.batch = tokens / c.len;
        if (only && only != c.len) continue;
        memset(sides, 0, sizeof sides);
        for (int i = 0; i < COUNT; i++) {
            const variant *v = &variants[i];
            float off;
            CUDA_CHECK(cudaMemset(c.o, 0xff, count * 2));
            CUDA_CHECK(cudaDeviceSynchronize());
            if (call(&c, v, stream)) {
                printf("# %s: %s\n", v->name, tc_why());
                wrong++;
                continue;
            }
            CUDA_CHECK(cudaStreamSynchronize(stream));
            off = error_of(&c, v);
            if (!(off < (v->type == TC_BF16 ? 0.016 : 0.11)))
                printf("# %s, %d: WRONG by %g\n", v->name, c.len, (double)off), wrong++;
            if (small || capture(&sides[n], &c, v, stream)) continue;
            in[n] = &sides[n], of[n++] = v;
        }
        if (n) bench_alternate(in, n, &plan);
        for (int i = 0; i < n; i++) {
            printf("%s,%d,%d,%d,%d,%.2f,%.1f\n", of[i]->name, c.batch, c.len, of[i]->dim, of[i]->causal,
                   sides[i].median * 1e6, flops(&c, of[i]) * 1e-12 / sides[i].median);
            bench_side_free(&sides[i]);
        }
        fflush(stdout);
    }
    printf("# %s\n", wrong ? "WRONG" : "O is right");
    return wrong != 0;
}
