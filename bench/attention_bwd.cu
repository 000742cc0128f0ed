/* attention_bwd.cu - attention's generated backward pass on Hopper: its forms beside each other, in one process.
 *     make build/bench/attention_bwd && build/bench/attention_bwd [--rounds 9] [--ms 40] [--only TEXT] [--csv FILE]
 * TEXT: part of a row's name, as in hd128_causal1_len4096. bf16, 16384 tokens, hidden size 2048.
 *
 * TFLOP/s count 2.5 times the forward's 4 * heads * length^2 * head_dim of each sequence (half of it for causal); all
 * three kernels of a call are timed. "in turn" is the default, "fast" has .fast = 1, "other" is the default with other
 * fields: -D'FIELDS_64=...' and -D'FIELDS_128=...' (if not given, what else fits); for heads of 256 it is the sm_80
 * kernel. The last two columns: the largest difference between a result of the first side and of each other one, over
 * the root mean square of the first's. With -DBWD_LIBRARY this file is the library that attention_bwd.py calls. */
#define TC_SM90_STUBS
#ifdef BWD_LIBRARY
#include "../tc.h"
#else
#include "bench.h"
#endif
#include "../tc_attn_bwd.h"

#ifndef FIELDS_64
#define FIELDS_64 .bm = 64, .stages = 3
#endif
#ifndef FIELDS_128
#define FIELDS_128 .stages = 3
#endif

#define DEFINE(hd, mask)                                                                                      \
    TC_ATTN_DEFINE(forward_##hd##_##mask, .type = TC_BF16, .head_dim = hd, .causal = mask)                    \
    TC_ATTN_BWD_SM90_DEFINE(bwd_##hd##_##mask, .type = TC_BF16, .head_dim = hd, .causal = mask)
#define DEFINE_BOTH(hd, mask)                                                                                 \
    DEFINE(hd, mask)                                                                                          \
    TC_ATTN_BWD_SM90_DEFINE(other_##hd##_##mask, .type = TC_BF16, .head_dim = hd, .causal = mask, FIELDS_##hd)
DEFINE_BOTH(64, 0)
DEFINE_BOTH(64, 1)
DEFINE_BOTH(128, 0)
DEFINE_BOTH(128, 1)
DEFINE(256, 0)
DEFINE(256, 1)
TC_ATTN_BWD_SM80_DEFINE(other_256_0, .type = TC_BF16, .head_dim = 256)
TC_ATTN_BWD_SM80_DEFINE(other_256_1, .type = TC_BF16, .head_dim = 256, .causal = 1)

typedef struct entry {
    int hd, causal;
    tc_status (*forward)(const tc_attn_args *, cudaStream_t);
    tc_status (*run[2])(const tc_attn_bwd_args *, cudaStream_t);
    size_t (*workspace[2])(const tc_attn_bwd_args *);
} entry;
#define ENTRY(hd, mask)                                                                                       \
    {hd, mask, forward_##hd##_##mask##_run, {bwd_##hd##_##mask##_run, other_##hd##_##mask##_run},             \
     {bwd_##hd##_##mask##_workspace, other_##hd##_##mask##_workspace}}
static const entry entries[] = {ENTRY(64, 0),  ENTRY(64, 1),  ENTRY(128, 0),
                                ENTRY(128, 1), ENTRY(256, 0), ENTRY(256, 1)};

/* The forward pass that gives a backward pass its O and lse. */
static tc_attn_args forward_of(const tc_attn_bwd_args *g)
{
    tc_attn_args f;
    memset(&f, 0, sizeof f);
    f.batch = g->batch, f.heads = g->heads, f.q_len = f.k_len = g->q_len;
    f.q = g->q, f.k = g->k, f.v = g->v, f.o = (void *)g->o, f.lse = (float *)g->lse;
    return f;
}

#ifdef BWD_LIBRARY

extern "C" const char *bwd_why(void) { return tc_why(); }
extern "C" int bwd_toolkit(void) { return CUDART_VERSION; }

static const entry *entry_of(int hd, int causal)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (entries[i].hd == hd && entries[i].causal == causal) return &entries[i];
    return 0;
}

/* sizes: head_dim, causal, fast, batch, heads, length. pointers: Q, K, V, dO, O, dQ, dK, dV (batch, length, heads,
 * head_dim), lse. */
static tc_attn_bwd_args args_of(const int *sizes, void *const *pointers)
{
    tc_attn_bwd_args g;
    memset(&g, 0, sizeof g);
    g.fast = sizes[2], g.batch = sizes[3], g.heads = sizes[4], g.q_len = g.k_len = sizes[5];
    g.q = pointers[0], g.k = pointers[1], g.v = pointers[2], g.dout = pointers[3], g.o = pointers[4];
    g.dq = pointers[5], g.dk = pointers[6], g.dv = pointers[7], g.lse = (const float *)pointers[8];
    return g;
}

extern "C" size_t bwd_workspace(const int *sizes, void *const *pointers)
{
    const entry *e = entry_of(sizes[0], sizes[1]);
    const tc_attn_bwd_args g = args_of(sizes, pointers);
    return e ? e->workspace[0](&g) : 0;
}

/* O and lse of Q, K and V; 0 for success, else bwd_why() says why. */
extern "C" int bwd_forward(const int *sizes, void *const *pointers, void *stream)
{
    const entry *e = entry_of(sizes[0], sizes[1]);
    const tc_attn_bwd_args g = args_of(sizes, pointers);
    const tc_attn_args f = forward_of(&g);
    return e ? (int)e->forward(&f, (cudaStream_t)stream) : -1;
}

extern "C" int bwd_run(const int *sizes, void *const *pointers, void *room, size_t bytes, void *stream)
{
    const entry *e = entry_of(sizes[0], sizes[1]);
    tc_attn_bwd_args g = args_of(sizes, pointers);
    g.workspace = room, g.workspace_size = bytes;
    return e ? (int)e->run[0](&g, (cudaStream_t)stream) : -1;
}

#else

#ifndef TOKENS
#define TOKENS 16384
#define HIDDEN 2048
#endif
enum { SETS = 2, SIDES = 3, Q = 0, K, V, DOUT, O, DQ, DK, DV, TENSORS };
static const char *const side_names[SIDES] = {"in turn", "fast", "other"};
static char *tensors[SETS][TENSORS], *workspace;
static float *lse[SETS];
static size_t workspace_size;

typedef struct contestant {
    const entry *e;
    int which, fast, len;
} contestant;

static tc_attn_bwd_args call(const contestant *c, int set)
{
    tc_attn_bwd_args g;
    memset(&g, 0, sizeof g);
    set %= SETS;
    g.batch = TOKENS / c->len, g.heads = HIDDEN / c->e->hd, g.q_len = g.k_len = c->len;
    g.q = tensors[set][Q], g.k = tensors[set][K], g.v = tensors[set][V], g.o = tensors[set][O], g.lse = lse[set];
    g.dout = tensors[set][DOUT], g.dq = tensors[set][DQ], g.dk = tensors[set][DK], g.dv = tensors[set][DV];
    g.workspace = workspace, g.workspace_size = workspace_size, g.fast = c->fast;
    return g;
}

static int run(void *self, const bench_problem *p, int set)
{
    const contestant *c = (const contestant *)self;
    const tc_attn_bwd_args g = call(c, set);
    const tc_status st = c->e->run[c->which](&g, p->stream);
    if (st != TC_OK) fprintf(stderr, "%s\n", tc_why());
    return st != TC_OK;
}

/* Largest difference of two results, over the root mean square of the first. */
static double difference(const uint16_t *x, const uint16_t *y, size_t n)
{
    double most = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double a = tc_f32_from_bf16(x[i]), b = tc_f32_from_bf16(y[i]);
        sum += a * a;
        if (!(fabs(a - b) <= most)) most = fabs(a - b);
    }
    return most / sqrt(sum / (double)n);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {512, 1024, 2048, 4096, 8192, 16384};
    const size_t elements = (size_t)TOKENS * HIDDEN;
    bench_plan plan = {40e-3, 9};
    const char *only = "", *csv = 0;
    FILE *file = 0;
    bench_problem p;
    uint16_t *host[2];
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rounds")) plan.rounds = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--ms")) plan.seconds = atof(argv[i + 1]) * 1e-3;
        else if (!strcmp(argv[i], "--only")) only = argv[i + 1];
        else if (!strcmp(argv[i], "--csv")) csv = argv[i + 1];
        else return fprintf(stderr, "what is %s?\n", argv[i]), 2;
    }
    if (plan.rounds < 1 || plan.rounds > BENCH_ROUNDS_MAX) return fprintf(stderr, "rounds: 1 to 101\n"), 2;
    memset(&p, 0, sizeof p);
    p.sets = SETS, p.replay = fmin(1e-3, plan.seconds), p.kind.ab = p.kind.d = TC_BF16;
    CUDA_CHECK(cudaStreamCreate(&p.stream));
    for (int s = 0; s < SETS; s++) {
        for (int t = 0; t < TENSORS; t++) {
            CUDA_CHECK(cudaMalloc((void **)&tensors[s][t], elements * 2));
            bench_fill(tensors[s][t], elements, (uint64_t)(s * TENSORS + t + 1), TC_BF16, 1.f);
        }
        CUDA_CHECK(cudaMalloc((void **)&lse[s], sizeof(float) * TOKENS * (HIDDEN / 64)));
    }
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        for (int w = 0; w < 2; w++)
            for (int l = 0; l < 6; l++) {
                const contestant c = {&entries[i], w, 0, lengths[l]};
                const tc_attn_bwd_args g = call(&c, 0);
                const size_t bytes = entries[i].workspace[w](&g);
                if (bytes > workspace_size) workspace_size = bytes;
            }
    CUDA_CHECK(cudaMalloc((void **)&workspace, workspace_size));
    for (int i = 0; i < 2; i++) host[i] = (uint16_t *)malloc(elements * 2);
    if (csv) file = fopen(csv, "w");
    if (file) fprintf(file, "name,in_turn,fast,other\n");
    printf("%-28s %9s %9s %9s %8s   TFLOP/s, median of %d rounds; in turn over fast; differences\n", "", side_names[0],
           side_names[1], side_names[2], "turn/fast", plan.rounds);
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        for (int l = 0; l < 6; l++) {
            const entry *e = &entries[i];
            const double flops = 10.0 * TOKENS * lengths[l] * HIDDEN / (e->causal ? 2 : 1);
            contestant c[SIDES] = {{e, 0, 0, lengths[l]}, {e, 0, 1, lengths[l]}, {e, 1, 0, lengths[l]}};
            bench_side sides[SIDES], *turns[SIDES];
            double worst[SIDES] = {0, 0, 0};
            char name[64];
            int count = 0;
            snprintf(name, sizeof name, "hd%d_causal%d_len%d_", e->hd, e->causal, lengths[l]);
            if (!strstr(name, only) || lengths[l] > TOKENS) continue;
            p.m = TOKENS, p.n = HIDDEN, p.k = 5 * lengths[l] / (e->causal ? 2 : 1);
            snprintf(bench_now, sizeof bench_now, " (%s)", name);
            for (int s = 0; s < SETS; s++) {
                const tc_attn_bwd_args g = call(&c[0], s);
                const tc_attn_args f = forward_of(&g);
                if (e->forward(&f, p.stream) != TC_OK) return fprintf(stderr, "forward: %s\n", tc_why()), 1;
            }
            memset(sides, 0, sizeof sides);
            for (int s = 0; s < SIDES; s++) {
                sides[s].run = run, sides[s].self = &c[s];
                CUDA_CHECK(cudaMemset(workspace, 0xff, workspace_size));
                CUDA_CHECK(cudaDeviceSynchronize());
                if (bench_side_capture(&sides[s], &p)) return fprintf(stderr, "%s: %s\n", name, tc_why()), 1;
                turns[count++] = &sides[s];
                for (int t = DQ; t <= DV; t++) {
                    static uint16_t *first[3];
                    if (!first[t - DQ]) first[t - DQ] = (uint16_t *)malloc(elements * 2);
                    CUDA_CHECK(cudaMemcpy(host[0], tensors[0][t], elements * 2, cudaMemcpyDeviceToHost));
                    if (s == 0) memcpy(first[t - DQ], host[0], elements * 2);
                    worst[s] = fmax(worst[s], difference(first[t - DQ], host[0], elements));
                }
            }
            bench_alternate(turns, count, &plan);
            printf("%-28s %9.1f %9.1f %9.1f %8.3f   %.2g %.2g\n", name, flops / sides[0].median * 1e-12,
                   flops / sides[1].median * 1e-12, flops / sides[2].median * 1e-12,
                   bench_against(&sides[0], &sides[1], plan.rounds).median, worst[1], worst[2]);
            fflush(stdout);
            if (file)
                fprintf(file, "%s,%.1f,%.1f,%.1f\n", name, flops / sides[0].median * 1e-12,
                        flops / sides[1].median * 1e-12, flops / sides[2].median * 1e-12);
            for (int s = 0; s < SIDES; s++) bench_side_free(&sides[s]);
        }
    if (file) fclose(file);
    return 0;
}

#endif /* BWD_LIBRARY */
