/* mla.cu - decoding with multi-head latent attention: TFLOP/s, and GB/s of the cache, for batches, lengths and heads.
 *     make build/bench/mla && build/bench/mla       about a minute on an H200
 *     --seconds 0.01 --rounds 3    a quick look: shorter bursts, fewer rounds (default 0.04, 5)
 *     --only 64x4096               batches of 64 sequences of 4096 keys alone
 *     --tiny                       small shapes, for tcemu: is O right?
 * -DTC__MLA_PIECES=1 and -DTC__MLA_LEAST=8 compile the kernel with what tc_attn_mla_work.h and tc_attn_decode_work.h
 * say of them.
 *
 * bf16, pages of 64 rows in random order, a workspace; "_q2" two queries a sequence. Calls are captured in CUDA graphs
 * over sets of caches that do not fit the L2 together; medians. FLOP: 2 (576 + 512) for each head, query and key, the
 * two products; bytes: 1152 for each key, once. Some rows of O are held against sums in fp64. */
#define TC_SM90_STUBS
#include "bench.h"

TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .causal = 1, .paged = 1)

enum { DIM = 576, DIM_V = 512, PAGE = 64 };

typedef struct shape {
    int batch, keys, heads, q_len;
} shape;
static const shape real[] = {{64, 4096, 128, 1}, {64, 4096, 128, 2}, {128, 4096, 128, 1}, {128, 8192, 128, 1},
                             {64, 4096, 64, 1}, {64, 4096, 16, 1}, {128, 8192, 16, 1}, {1, 32768, 128, 1},
                             {1, 131072, 128, 1}, {1, 131072, 16, 1}, {4, 4096, 128, 1}, {256, 512, 128, 1}};
static const shape tiny[] = {{3, 200, 16, 1}, {1, 700, 24, 2}};

typedef struct contest {
    shape s;
    int sets, pages, table_pages;
    size_t bytes, q_bytes, o_bytes; /* of a set's cache, Q, O */
    char *k, *q, *o;
    int *table;
    void *workspace;
    size_t room;
} contest;

static int call(const contest *c, int set, cudaStream_t stream)
{
    tc_attn_args g;
    memset(&g, 0, sizeof g);
    g.batch = c->s.batch, g.heads = c->s.heads, g.q_len = c->s.q_len, g.k_len = c->s.keys, g.scale = 0.0721687836f;
    g.q = c->q + c->q_bytes * set, g.o = c->o + c->o_bytes * set, g.k = c->k + c->bytes * set;
    g.page_table = c->table, g.table_pages = c->table_pages, g.page_rows = PAGE, g.pages = c->pages;
    g.workspace_size = mla_workspace(&g);
    g.workspace = g.workspace_size ? c->workspace : 0;
    if (g.workspace_size > c->room) return 1;
    return mla_run(&g, stream) != TC_OK;
}

/* ---- is it right? a block computes one row of O in fp64 ---- */
static __device__ const uint16_t *row_of(const contest *c, int b, int key)
{
    return (const uint16_t *)c->k + ((size_t)c->table[b * c->table_pages + key / PAGE] * PAGE + key % PAGE) * DIM;
}

static __global__ void truth_kernel(contest c, double *scores, float *worst)
{
    const int per = c.s.q_len * c.s.heads, rows = c.s.batch * per,
              at = (int)((size_t)blockIdx.x * (rows - 1) / (gridDim.x - 1)), b = at / per, t = threadIdx.x,
              sees = c.s.keys - c.s.q_len + 1 + at % per / c.s.heads;
    const uint16_t *q = (const uint16_t *)c.q + (size_t)at * DIM, *o = (const uint16_t *)c.o + (size_t)at * DIM_V;
    double *s = scores + (size_t)blockIdx.x * c.s.keys, sum = 0, squares = 0, z = 0;
    float off;
    for (int j = t; j < sees; j += DIM_V) {
        double dot = 0;
        for (int i = 0; i < DIM; i++) dot += (double)tc_f32_from_bf16(q[i]) * tc_f32_from_bf16(row_of(&c, b, j)[i]);
        s[j] = exp(dot * 0.0721687836); /* small enough */
    }
    __syncthreads();
    for (int j = 0; j < sees; j++) {
        const double x = s[j] * tc_f32_from_bf16(row_of(&c, b, j)[t]);
        sum += x, squares += x * x, z += s[j];
    }
    /* P in bf16 moves a sum of random signs by about 2^-9 of this */
    off = (float)(fabs(tc_f32_from_bf16(o[t]) - sum / z) / (sqrt(squares) / z + fabs(sum / z)));
    atomicMax((int *)worst, __float_as_int(off == off ? off : INFINITY)); /* not negative: their bits rise as they do */
}

static float error_of(const contest *c)
{
    const int rows = 6;
    float *worst, off;
    double *scores;
    CUDA_CHECK(cudaMalloc((void **)&scores, sizeof(double) * rows * c->s.keys));
    CUDA_CHECK(cudaMalloc((void **)&worst, 4));
    CUDA_CHECK(cudaMemset(worst, 0, 4));
    truth_kernel<<<rows, DIM_V>>>(*c, scores, worst);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&off, worst, 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(scores));
    CUDA_CHECK(cudaFree(worst));
    return off;
}

static int capture(bench_side *side, const contest *c, cudaStream_t stream)
{
    cudaGraph_t graph = 0;
    int failed = 0;
    side->calls = c->sets * (int)fmax(1, ceil(1e-3 / (c->sets * ((double)c->bytes / 4e12 + 5e-6))));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < side->calls && !failed; i++) failed = call(c, i % c->sets, stream);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&side->graph, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    side->stream = stream;
    side->replay = bench_replay(side, 1, 1);
    return failed;
}

/* What a shape takes; the sets of it. */
static void measure(contest *c, const shape *s, int small)
{
    c->s = *s;
    c->table_pages = (s->keys + PAGE - 1) / PAGE;
    c->pages = s->batch * c->table_pages;
    c->bytes = (size_t)c->pages * PAGE * DIM * 2;
    c->q_bytes = (size_t)s->batch * s->q_len * s->heads * DIM * 2;
    c->o_bytes = c->q_bytes / DIM * DIM_V;
    c->sets = small ? 1 : (int)fmax(2, ceil(180e6 / (double)c->bytes));
}

int main(int argc, char **argv)
{
    bench_plan plan = {0.04, 5};
    const shape *shapes = real;
    const char *only = 0;
    int count = sizeof real / sizeof real[0], small = 0, wrong = 0;
    size_t k = 0, q = 0;
    cudaStream_t stream;
    contest c;
    memset(&c, 0, sizeof c);
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "0";
        if (!strcmp(argv[i], "--tiny")) small = 1, shapes = tiny, count = sizeof tiny / sizeof tiny[0];
        else if (!strcmp(argv[i], "--seconds")) plan.seconds = atof(next), i++;
        else if (!strcmp(argv[i], "--rounds")) plan.rounds = atoi(next), i++;
        else if (!strcmp(argv[i], "--only")) only = next, i++;
        else {
            fprintf(stderr, "mla: unknown option %s; bench/mla.cu says what there is\n", argv[i]);
            return 2;
        }
    }
    if (plan.rounds < 1 || plan.rounds > BENCH_ROUNDS_MAX) plan.rounds = 5;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < count; i++) {
        measure(&c, &shapes[i], small);
        k = c.bytes * c.sets > k ? c.bytes * c.sets : k, q = c.q_bytes * c.sets > q ? c.q_bytes * c.sets : q;
    }
    c.room = (size_t)(small ? 8 : 64) << 20;
    CUDA_CHECK(cudaMalloc((void **)&c.k, k));
    CUDA_CHECK(cudaMalloc((void **)&c.q, q));
    CUDA_CHECK(cudaMalloc((void **)&c.o, q));
    CUDA_CHECK(cudaMalloc((void **)&c.table, sizeof(int) << 20));
    CUDA_CHECK(cudaMalloc(&c.workspace, c.room));
    CUDA_CHECK(cudaMemset(c.workspace, 0, c.room));
    bench_fill(c.k, k / 2, 1, TC_BF16, 1.f);
    bench_fill(c.q, q / 2, 3, TC_BF16, 0.5f);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("shape,batch,keys,heads,q_len,us,TFLOP/s,GB/s\n");
    for (int i = 0; i < count; i++) {
        const shape *s = &shapes[i];
        char name[64];
        float off;
        int *order;
        uint64_t x = 88172645463325252ull;
        snprintf(name, sizeof name, "%dx%d", s->batch, s->keys);
        if (only && strcmp(only, name)) continue;
        measure(&c, s, small);
        order = (int *)malloc(sizeof(int) * (size_t)c.pages);
        for (int p = 0; p < c.pages; p++) order[p] = p;
        for (int p = c.pages - 1; p > 0; p--) {
            int with, was = order[p];
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            with = (int)(x % (uint64_t)(p + 1));
            order[p] = order[with], order[with] = was;
        }
        CUDA_CHECK(cudaMemcpy(c.table, order, sizeof(int) * (size_t)c.pages, cudaMemcpyHostToDevice));
        free(order);
        CUDA_CHECK(cudaMemset(c.o, 0xff, c.o_bytes));
        CUDA_CHECK(cudaDeviceSynchronize());
        if (call(&c, 0, stream)) {
            printf("# %s: %s\n", name, tc_why());
            wrong++;
            continue;
        }
        CUDA_CHECK(cudaStreamSynchronize(stream));
        off = error_of(&c);
        if (!(off < 0.016)) printf("# %s, %d heads: WRONG by %g\n", name, s->heads, (double)off), wrong++;
        if (!small) {
            bench_side side, *in[1] = {&side};
            memset(&side, 0, sizeof side);
            if (!capture(&side, &c, stream)) {
                bench_alternate(in, 1, &plan);
                printf("%s%s,%d,%d,%d,%d,%.2f,%.1f,%.0f\n", name, s->q_len > 1 ? "_q2" : "", s->batch, s->keys,
                       s->heads, s->q_len, side.median * 1e6,
                       2e-12 * (DIM + DIM_V) * s->heads * s->q_len * s->batch * (double)s->keys / side.median,
                       1e-9 * s->batch * (double)s->keys * DIM * 2 / side.median);
            }
            bench_side_free(&side);
        }
        fflush(stdout);
    }
    printf("# %s\n", wrong ? "WRONG" : "O is right");
    return wrong != 0;
}
