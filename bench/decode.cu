/* decode.cu - decoding attention: GB/s of K and V, for shapes, layouts of K and V, and configurations of the kernel.
 *     make build/bench/decode && build/bench/decode       about two minutes on an H200
 *     --seconds 0.01 --rounds 3    a quick look: shorter bursts, fewer rounds (default 0.04, 5)
 *     --shape 1 --shape 4          these alone, counted from 0
 *     --only w4_k64_s3             this configuration alone
 *     --e4m3                       K and V of e4m3 too
 *     --tiny                       small shapes, for tcemu: is every variant right?
 *
 * One query for each sequence, 32 heads over 8 of K and V, head_dim 128, bf16. Calls are captured in CUDA graphs over
 * sets of K and V that do not fit the L2 together; the variants take turns, a burst each a round; medians. Each
 * variant's O is checked against sums in fp64 for some heads. A configuration's name: warps, keys of a tile, stages.
 * "pick" is what TC_ATTN_DEFINE runs, "sm90" its kernel for many queries. */
#define TC_SM90_STUBS
#include "bench.h"

#define VARIANTS(X)                                                                                                    \
    X(w4_k64_s2, 4, 64, 2) X(w4_k64_s3, 4, 64, 3) X(w4_k64_s6, 4, 64, 6) X(w4_k128_s2, 4, 128, 2)                      \
    X(w4_k128_s3, 4, 128, 3) X(w8_k128_s2, 8, 128, 2) X(w8_k128_s3, 8, 128, 3) X(w2_k32_s3, 2, 32, 3)                  \
    X(w2_k32_s4, 2, 32, 4) X(w2_k32_s6, 2, 32, 6) X(w2_k32_s5, 2, 32, 5) X(w2_k64_s3, 2, 64, 3)  \
    X(w3_k48_s3, 3, 48, 3) X(w3_k48_s4, 3, 48, 4)
#define DEFINE(name, w, k, s)                                                                                          \
    TC_ATTN_DECODE_DEFINE(name, .type = TC_BF16, .warps = w, .bn = k, .stages = s)                                     \
    TC_ATTN_DECODE_DEFINE(name##_p, .type = TC_BF16, .warps = w, .bn = k, .stages = s, .paged = 1)
VARIANTS(DEFINE)
#define BYTES(X) X(e4m3_w4_k128_s3, 4, 128, 3) X(e4m3_w4_k64_s6, 4, 64, 6) X(e4m3_w8_k128_s3, 8, 128, 3)
#define DEFINE_BYTES(name, w, k, s)                                                                                    \
    TC_ATTN_DECODE_DEFINE(name, .type = TC_BF16, .kv = TC_E4M3, .warps = w, .bn = k, .stages = s)                      \
    TC_ATTN_DECODE_DEFINE(name##_p, .type = TC_BF16, .kv = TC_E4M3, .warps = w, .bn = k, .stages = s, .paged = 1)
BYTES(DEFINE_BYTES)
TC_ATTN_DEFINE(pick, .type = TC_BF16)
TC_ATTN_SM90_DEFINE(sm90, .type = TC_BF16)

enum { HEADS = 32, HEADS_KV = 8, DIM = 128, GROUP = HEADS / HEADS_KV, ROW = HEADS_KV * DIM };

typedef struct variant {
    const char *name;
    tc_status (*run[2])(const tc_attn_args *, cudaStream_t); /* K and V contiguous, paged */
    size_t (*workspace[2])(const tc_attn_args *);
    int smem, blocks; /* of an SM */
    int kv;           /* type of K and V */
} variant;
#define ENTRY(name, w, k, s)                                                                                           \
    {#name, {name##_run, name##_p_run}, {name##_workspace, name##_p_workspace}, name##_SMEM,                           \
     tc_attn_decode_blocks(name##_config()), TC_BF16},
#define ENTRY_BYTES(name, w, k, s)                                                                                     \
    {#name, {name##_run, name##_p_run}, {name##_workspace, name##_p_workspace}, name##_SMEM,                           \
     tc_attn_decode_blocks(name##_config()), TC_E4M3},
static const variant variants[] = {
    VARIANTS(ENTRY) BYTES(ENTRY_BYTES) {"pick", {pick_run, 0}, {pick_workspace, 0}, 0, 0, TC_BF16},
    {"sm90", {sm90_run, 0}, {sm90_workspace, 0}, 0, 0, TC_BF16},
};
enum { COUNT = sizeof variants / sizeof variants[0], SHAPES = 5, LAYOUTS = 4 };

typedef struct shape { int batch, keys; } shape;
static const shape real[SHAPES] = {{64, 8192}, {16, 2048}, {1, 65536}, {1, 4096}, {256, 512}};
static const shape tiny[SHAPES] = {{3, 200}, {2, 96}, {1, 700}, {1, 64}, {9, 40}};
static const int page_rows[LAYOUTS] = {0, 16, 64, 256};

typedef struct contest {
    shape s;
    int rows; /* of a page, 0: contiguous */
    int kv;   /* type of K and V */
    int sets, pages, table_pages;
    size_t bytes, q_bytes; /* of K, and of V; of Q, and of O */
    char *k, *v, *q, *o;
    int *table;
    void *workspace;
    size_t room;
} contest;

static tc_attn_args args_of(const contest *c, int set)
{
    tc_attn_args g;
    memset(&g, 0, sizeof g);
    g.batch = c->s.batch, g.heads = HEADS, g.heads_kv = HEADS_KV, g.q_len = 1, g.k_len = c->s.keys;
    g.q = c->q + c->q_bytes * set, g.o = c->o + c->q_bytes * set;
    g.k = c->k + c->bytes * set, g.v = c->v + c->bytes * set;
    if (c->rows) {
        g.page_table = c->table, g.table_pages = c->table_pages, g.page_rows = c->rows, g.pages = c->pages;
    }
    return g;
}

static int call(const contest *c, const variant *v, int set, cudaStream_t stream)
{
    tc_attn_args g = args_of(c, set);
    g.workspace_size = v->workspace[c->rows != 0](&g);
    g.workspace = g.workspace_size ? c->workspace : 0;
    if (g.workspace_size > c->room) return 1;
    return v->run[c->rows != 0](&g, stream) != TC_OK;
}

/* ---- is it right? a block computes one head of one sequence in fp64 ---- */
static __device__ double element_of(const contest *c, const char *base, int b, int key, int at)
{
    const size_t row = c->rows ? (size_t)c->table[b * c->table_pages + key / c->rows] * c->rows + key % c->rows
                               : (size_t)b * c->s.keys + key;
    return bench_get(c->kv, base, row * ROW + at);
}

static __global__ void truth_kernel(contest c, double *scores, float *worst)
{
    const int heads = c.s.batch * HEADS, at = (int)((size_t)blockIdx.x * (heads - 1) / (gridDim.x - 1)), b = at / HEADS,
              h = at % HEADS, t = threadIdx.x;
    const uint16_t *q = (const uint16_t *)c.q + (size_t)at * DIM, *o = (const uint16_t *)c.o + (size_t)at * DIM;
    double *s = scores + (size_t)blockIdx.x * c.s.keys, sum = 0, squares = 0, z = 0;
    float off;
    for (int j = t; j < c.s.keys; j += DIM) {
        double dot = 0;
        for (int i = 0; i < DIM; i++) dot += tc_f32_from_bf16(q[i]) * element_of(&c, c.k, b, j, h / GROUP * DIM + i);
        s[j] = exp(dot * 0.08838834764831845); /* small enough */
    }
    __syncthreads();
    for (int j = 0; j < c.s.keys; j++) {
        const double x = s[j] * element_of(&c, c.v, b, j, h / GROUP * DIM + t);
        sum += x, squares += x * x, z += s[j];
    }
    /* P in bf16 moves a sum of random signs by about 2^-9 of this */
    off = (float)(fabs(tc_f32_from_bf16(o[t]) - sum / z) / (sqrt(squares) / z + fabs(sum / z)));
    atomicMax((int *)worst, __float_as_int(off == off ? off : INFINITY)); /* not negative: their bits rise as they do */
}

static float error_of(const contest *c)
{
    const int heads = 6;
    float *worst, off;
    double *scores;
    CUDA_CHECK(cudaMalloc((void **)&scores, sizeof(double) * heads * c->s.keys));
    CUDA_CHECK(cudaMalloc((void **)&worst, 4));
    CUDA_CHECK(cudaMemset(worst, 0, 4));
    truth_kernel<<<heads, DIM>>>(*c, scores, worst);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&off, worst, 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(scores));
    CUDA_CHECK(cudaFree(worst));
    return off;
}

/* ---- sides ---- */
static int capture(bench_side *side, const contest *c, const variant *v, cudaStream_t stream)
{
    cudaGraph_t graph = 0;
    int failed = call(c, v, 0, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    if (failed) return 1;
    side->calls = c->sets * (int)fmax(1, ceil(1e-3 / (c->sets * (2.0 * (double)c->bytes / 4e12 + 5e-6))));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < side->calls && !failed; i++) failed = call(c, v, i % c->sets, stream);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&side->graph, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    side->stream = stream;
    side->replay = bench_replay(side, 1, 1);
    return failed;
}

typedef struct options {
    bench_plan plan;
    int tiny, chosen, shapes[SHAPES], bytes;
    const char *only;
} options;

static int contest_run(contest *c, const options *o, cudaStream_t stream)
{
    bench_side sides[COUNT], *in[COUNT];
    const variant *who[COUNT];
    int n = 0, best = 0, wrong = 0;
    memset(sides, 0, sizeof sides);
    for (int i = 0; i < COUNT; i++) {
        const variant *v = &variants[i];
        float off;
        if ((o->only && strcmp(o->only, v->name)) || !v->run[c->rows != 0] || v->kv != c->kv) continue;
        CUDA_CHECK(cudaMemset(c->o, 0xff, c->q_bytes));
        if (call(c, v, 0, stream)) {
            printf("# %d x %d, %s: %s\n", c->s.batch, c->s.keys, v->name, tc_why());
            continue;
        }
        CUDA_CHECK(cudaStreamSynchronize(stream));
        off = error_of(c);
        if (!(off < 0.016))
            printf("# %d x %d, %s: WRONG by %g\n", c->s.batch, c->s.keys, v->name, (double)off), wrong++;
        if (o->tiny || capture(&sides[n], c, v, stream)) continue;
        who[n] = v, in[n] = &sides[n];
        n++;
    }
    if (n) bench_alternate(in, n, &o->plan);
    for (int i = 0; i < n; i++) best = sides[i].median < sides[best].median ? i : best;
    for (int i = 0; i < n; i++)
        printf("%d,%d,%d,%s,%d,%d,%.2f,%.0f%s\n", c->s.batch, c->s.keys, c->rows, who[i]->name, who[i]->smem,
               who[i]->blocks, sides[i].median * 1e6, 2e-9 * (double)c->bytes / sides[i].median,
               i == best ? ",best" : ",");
    for (int i = 0; i < n; i++) bench_side_free(&sides[i]);
    return wrong;
}

int main(int argc, char **argv)
{
    options o = {{0.04, 5}, 0, 0, {0}, 0, 0};
    const double l2 = 60e6;
    cudaStream_t stream;
    contest c;
    size_t pool = 0;
    int wrong = 0;
    memset(&c, 0, sizeof c);
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "0";
        if (!strcmp(argv[i], "--tiny")) o.tiny = 1;
        else if (!strcmp(argv[i], "--e4m3")) o.bytes = 1;
        else if (!strcmp(argv[i], "--seconds")) o.plan.seconds = atof(next), i++;
        else if (!strcmp(argv[i], "--rounds")) o.plan.rounds = atoi(next), i++;
        else if (!strcmp(argv[i], "--shape")) o.chosen = 1, o.shapes[(unsigned)atoi(next) % SHAPES] = 1, i++;
        else if (!strcmp(argv[i], "--only")) o.only = next, i++;
        else {
            fprintf(stderr, "decode: unknown option %s; bench/decode.cu says what there is\n", argv[i]);
            return 2;
        }
    }
    if (o.plan.rounds < 1 || o.plan.rounds > BENCH_ROUNDS_MAX) o.plan.rounds = 5;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < SHAPES; i++) {
        const shape s = o.tiny ? tiny[i] : real[i];
        const size_t bytes = (size_t)s.batch * ((s.keys + 255) / 256 * 256) * ROW * 2,
                     sets = o.tiny ? 1 : (size_t)fmax(2, ceil(3 * l2 / (2.0 * (double)bytes)));
        pool = bytes * sets > pool ? bytes * sets : pool;
    }
    c.room = (size_t)32 << 20;
    CUDA_CHECK(cudaMalloc((void **)&c.k, pool));
    CUDA_CHECK(cudaMalloc((void **)&c.v, pool));
    CUDA_CHECK(cudaMalloc((void **)&c.q, (size_t)256 * 64 * HEADS * DIM * 2));
    CUDA_CHECK(cudaMalloc((void **)&c.o, (size_t)256 * 64 * HEADS * DIM * 2));
    CUDA_CHECK(cudaMalloc((void **)&c.table, sizeof(int) << 20));
    CUDA_CHECK(cudaMalloc(&c.workspace, c.room));
    CUDA_CHECK(cudaMemset(c.workspace, 0, c.room));
    bench_fill(c.q, o.tiny ? (size_t)9 * HEADS * DIM : (size_t)256 * 64 * HEADS * DIM, 3, TC_BF16, 1.f);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("# K and V in bf16, %d heads over %d of %d; GB/s of K and V\n", HEADS, HEADS_KV, DIM);
    printf("batch,keys,page_rows,variant,smem,blocks_of_an_SM,us,GB/s,best\n");
    for (int n = 0; n < SHAPES * LAYOUTS * (1 + o.bytes); n++) {
        const int i = n / LAYOUTS % SHAPES, rows = page_rows[n % LAYOUTS], element = n < SHAPES * LAYOUTS ? 2 : 1;
        c.kv = element == 2 ? TC_BF16 : TC_E4M3;
        if (n % (SHAPES * LAYOUTS) == 0) {
            bench_fill(c.k, pool / element, 1, c.kv, 1.f);
            bench_fill(c.v, pool / element, 2, c.kv, 1.f);
            CUDA_CHECK(cudaDeviceSynchronize());
        }
        if (o.chosen && !o.shapes[i]) continue;
        c.s = o.tiny ? tiny[i] : real[i];
        c.rows = rows;
        c.table_pages = rows ? (c.s.keys + rows - 1) / rows : 0;
        c.pages = c.s.batch * c.table_pages;
        c.bytes = (size_t)(rows ? c.pages * rows : c.s.batch * c.s.keys) * ROW * element;
        c.q_bytes = (size_t)c.s.batch * HEADS * DIM * 2;
        c.sets = o.tiny ? 1 : (int)fmax(2, ceil(3 * l2 / (2.0 * (double)c.bytes)));
        if (rows) { /* in random order */
            int *order = (int *)malloc(sizeof(int) * (size_t)c.pages);
            uint64_t x = 88172645463325252ull;
            for (int p = 0; p < c.pages; p++) order[p] = p;
            for (int p = c.pages - 1; p > 0; p--) {
                int with, was = order[p];
                x ^= x << 13, x ^= x >> 7, x ^= x << 17;
                with = (int)(x % (uint64_t)(p + 1));
                order[p] = order[with], order[with] = was;
            }
            CUDA_CHECK(cudaMemcpy(c.table, order, sizeof(int) * (size_t)c.pages, cudaMemcpyHostToDevice));
            free(order);
        }
        wrong += contest_run(&c, &o, stream);
        fflush(stdout);
    }
    printf("# %s\n", wrong ? "WRONG" : "every variant's O is right");
    return wrong != 0;
}
