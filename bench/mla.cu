/* mla.cu - decoding with multi-head latent attention: TFLOP/s, and GB/s of the cache, for batches, lengths and heads.
 *     make build/bench/mla && build/bench/mla       about a minute on an H200
 *     --seconds 0.01 --rounds 3    a quick look: shorter bursts, fewer rounds (default 0.04, 5)
 *     --only 64x4096               batches of 64 sequences of 4096 keys alone
 *     --tiny                       small shapes, for tcemu: is O right?
 * -DTC__MLA_LEAST=8 compiles the kernel with another least number of tiles a block (tc_attn_decode_work.h).
 *
 * bf16, pages of 64 rows in random order, a workspace; "_q2" two queries a sequence. Calls are captured in CUDA graphs
 * over sets of caches that do not fit the L2 together; medians. FLOP: 2 (576 + 512) for each head, query and key, the
 * two products; bytes: 1152 for each key, once. Some rows of O are held against sums in fp64. */
#define TC_SM90_STUBS
#include "bench.h"
#include "attn_rows.h"

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

static int run_side(void *self, const bench_problem *p, int set)
{
    const contest *c = (const contest *)self;
    return call(c, set % c->sets, p->stream);
}

/* ---- is it right? a block computes one row of O in fp64 ---- */
typedef struct place {
    const contest *c;
    int b;
} place;

/* Of a key, and of its value, which is the key's beginning. */
static __device__ double element_of(const void *of, int key, int i)
{
    const place *at = (const place *)of;
    const size_t page = (size_t)at->c->table[at->b * at->c->table_pages + key / PAGE];
    return tc_f32_from_bf16(((const uint16_t *)at->c->k)[(page * PAGE + key % PAGE) * DIM + i]);
}

static __global__ void truth_kernel(contest c, double *scores, unsigned *worst)
{
    const int per = c.s.q_len * c.s.heads, at = attn_row_of(c.s.batch * per);
    const place of = {&c, at / per};
    const attn_row row = {(const uint16_t *)c.q + (size_t)at * DIM, (const uint16_t *)c.o + (size_t)at * DIM_V, DIM,
                          c.s.keys - c.s.q_len + 1 + at % per / c.s.heads, 0.0721687836, &of, element_of, element_of};
    attn_row_report(&row, scores + (size_t)blockIdx.x * c.s.keys, worst);
}

static float error_of(const contest *c)
{
    double *scores = attn_room(c->s.keys);
    unsigned *worst = bench_worst();
    float off;
    truth_kernel<<<ATTN_ROWS, DIM_V>>>(*c, scores, worst);
    off = bench_worst_end(worst);
    CUDA_CHECK(cudaFree(scores));
    return off;
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
        snprintf(name, sizeof name, "%dx%d", s->batch, s->keys);
        if (only && strcmp(only, name)) continue;
        measure(&c, s, small);
        attn_shuffle(c.table, c.pages);
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
            bench_problem p;
            memset(&side, 0, sizeof side);
            memset(&p, 0, sizeof p);
            p.sets = c.sets, p.stream = stream, side.run = run_side, side.self = &c;
            if (!attn_capture(&side, &p, (double)c.bytes)) {
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
