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
 * "pick" is what TC_ATTN_DEFINE runs, "sm90" its kernel for many queries; "alone" is pick, or of pages w4_k64_s3,
 * without a workspace: keys are split in clusters or not at all. */
#define TC_SM90_STUBS
#include "bench.h"
#include "attn_rows.h"

#define VARIANTS(X)                                                                                                    \
    X(w4_k64_s2, 4, 64, 2) X(w4_k64_s3, 4, 64, 3) X(w4_k64_s6, 4, 64, 6) X(w4_k128_s2, 4, 128, 2)                      \
    X(w4_k128_s3, 4, 128, 3) X(w8_k128_s2, 8, 128, 2) X(w8_k128_s3, 8, 128, 3) X(w2_k32_s3, 2, 32, 3)                  \
    X(w2_k32_s4, 2, 32, 4) X(w2_k32_s6, 2, 32, 6) X(w2_k32_s5, 2, 32, 5) X(w2_k64_s3, 2, 64, 3)  \
    X(w3_k48_s3, 3, 48, 3) X(w3_k48_s4, 3, 48, 4)
#define DEFINE(name, w, k, s)                                                                                          \
    TC_ATTN_DECODE_DEFINE(name, .type = TC_BF16, .warps = w, .bn = k, .stages = s)                                     \
    TC_ATTN_DECODE_DEFINE(name##_p, .type = TC_BF16, .warps = w, .bn = k, .stages = s, .paged = 1)
VARIANTS(DEFINE)
#define BYTES(X)                                                                                                       \
    X(e4m3_w4_k128_s3, 4, 128, 3) X(e4m3_w4_k64_s6, 4, 64, 6) X(e4m3_w8_k128_s3, 8, 128, 3)                            \
    X(e4m3_w4_k128_s2, 4, 128, 2) X(e4m3_w4_k64_s3, 4, 64, 3) X(e4m3_w8_k256_s2, 8, 256, 2)
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
    int alone;        /* no workspace */
} variant;
#define ENTRY(name, w, k, s)                                                                                           \
    {#name, {name##_run, name##_p_run}, {name##_workspace, name##_p_workspace}, name##_SMEM,                           \
     tc_attn_decode_blocks(name##_config()), TC_BF16, 0},
#define ENTRY_BYTES(name, w, k, s)                                                                                     \
    {#name, {name##_run, name##_p_run}, {name##_workspace, name##_p_workspace}, name##_SMEM,                           \
     tc_attn_decode_blocks(name##_config()), TC_E4M3, 0},
static const variant variants[] = {
    VARIANTS(ENTRY) BYTES(ENTRY_BYTES) {"pick", {pick_run, 0}, {pick_workspace, 0}, 0, 0, TC_BF16, 0},
    {"alone", {pick_run, w4_k64_s3_p_run}, {pick_workspace, w4_k64_s3_p_workspace}, 0, 0, TC_BF16, 1},
    {"sm90", {sm90_run, 0}, {sm90_workspace, 0}, 0, 0, TC_BF16, 0},
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
    g.workspace_size = v->alone ? 0 : v->workspace[c->rows != 0](&g);
    g.workspace = g.workspace_size ? c->workspace : 0;
    if (g.workspace_size > c->room) return 1;
    return v->run[c->rows != 0](&g, stream) != TC_OK;
}

/* ---- is it right? a block computes one head of one sequence in fp64 ---- */
typedef struct head {
    const contest *c;
    int b, h;
} head;

static __device__ double element_of(const head *at, const char *base, int key, int i)
{
    const contest *c = at->c;
    const size_t row = c->rows ? (size_t)c->table[at->b * c->table_pages + key / c->rows] * c->rows + key % c->rows
                               : (size_t)at->b * c->s.keys + key;
    return bench_get(c->kv, base, row * ROW + at->h / GROUP * DIM + i);
}
static __device__ double k_of(const void *of, int key, int i)
{
    return element_of((const head *)of, ((const head *)of)->c->k, key, i);
}
static __device__ double v_of(const void *of, int key, int i)
{
    return element_of((const head *)of, ((const head *)of)->c->v, key, i);
}

static __global__ void truth_kernel(contest c, double *scores, unsigned *worst)
{
    const int at = attn_row_of(c.s.batch * HEADS);
    const head of = {&c, at / HEADS, at % HEADS};
    const attn_row row = {(const uint16_t *)c.q + (size_t)at * DIM, (const uint16_t *)c.o + (size_t)at * DIM, DIM,
                          c.s.keys, 0.08838834764831845, &of, k_of, v_of};
    attn_row_report(&row, scores + (size_t)blockIdx.x * c.s.keys, worst);
}

static float error_of(const contest *c)
{
    double *scores = attn_room(c->s.keys);
    unsigned *worst = bench_worst();
    float off;
    truth_kernel<<<ATTN_ROWS, DIM>>>(*c, scores, worst);
    off = bench_worst_end(worst);
    CUDA_CHECK(cudaFree(scores));
    return off;
}

/* ---- sides ---- */
typedef struct decode_side {
    const contest *c;
    const variant *v;
} decode_side;

static int run_side(void *self, const bench_problem *p, int set)
{
    const decode_side *s = (const decode_side *)self;
    return call(s->c, s->v, set % s->c->sets, p->stream);
}

typedef struct options {
    bench_plan plan;
    int tiny, chosen, shapes[SHAPES], bytes;
    const char *only;
} options;

static int contest_run(contest *c, const options *o, cudaStream_t stream)
{
    bench_side sides[COUNT], *in[COUNT];
    decode_side selves[COUNT];
    bench_problem p;
    int n = 0, best = 0, wrong = 0;
    memset(sides, 0, sizeof sides);
    memset(&p, 0, sizeof p);
    p.sets = c->sets, p.stream = stream;
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
        selves[n].c = c, selves[n].v = v;
        sides[n].run = run_side, sides[n].self = &selves[n];
        if (o->tiny || attn_capture(&sides[n], &p, 2.0 * (double)c->bytes)) continue;
        in[n] = &sides[n];
        n++;
    }
    if (n) bench_alternate(in, n, &o->plan);
    for (int i = 0; i < n; i++) best = sides[i].median < sides[best].median ? i : best;
    for (int i = 0; i < n; i++)
        printf("%d,%d,%d,%s,%d,%d,%.2f,%.0f%s\n", c->s.batch, c->s.keys, c->rows, selves[i].v->name, selves[i].v->smem,
               selves[i].v->blocks, sides[i].median * 1e6, 2e-9 * (double)c->bytes / sides[i].median,
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
        if (rows) attn_shuffle(c.table, c.pages);
        wrong += contest_run(&c, &o, stream);
        fflush(stdout);
    }
    printf("# %s\n", wrong ? "WRONG" : "every variant's O is right");
    return wrong != 0;
}
