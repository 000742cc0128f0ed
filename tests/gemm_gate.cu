/* gemm_gate.cu - random problems through kernels of two products and one D (.gate), against fp64 on the CPU: every
 * element, every byte around D, how often a hook was called, the same bits from a plan; and calls that are refused.
 *     build/tests/gemm_gate [problems] [seed]
 *
 * Elements of A, B and B2 are multiples of 1/4 in -1 .. 1 and alpha is a power of 2, so sums are exact in f32 (and in
 * the Tensor Cores' short sums of fp8). Bounds are those of tc_hooks.h for what a gate makes of them, then half a unit
 * in the last place of D's type. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#define EACH_KERNEL
#include "gemm_refused.h"

enum { SILU, GELU, TANH, MINE };
typedef struct { const float *bias; int *calls; int m, n; } mine_args;

/* calls: of each element of the product, and one more for what does not exist. */
TC_DEV float mine(float gate, float up, tc_gemm_at at, const void *args)
{
    const mine_args *p = (const mine_args *)args;
    const int in = at.row >= 0 && at.row < p->m && at.col >= 0 && at.col < p->n;
    atomicAdd(p->calls + (in ? (at.batch * p->m + at.row) * p->n + at.col : -1), 1);
    return in ? (gate + p->bias[at.col]) * up + (float)at.group : 0.f;
}

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_status (*plan)(const tc_gemm_args *, tc_gemm_plan *);
    tc_status (*launch)(const tc_gemm_plan *, cudaStream_t);
    size_t (*room)(const tc_gemm_args *);
    int sm, smem, gate, any;
    tc_gemm_config c;
} kernel;

#ifdef GATE_SM100
#define OF_BLACKWELL 100
#elif defined(GATE_SM120)
#define OF_BLACKWELL 120
#endif
#define HOOKED .gate = mine, .epi_size = sizeof(mine_args)
#define OF(type, to) .a = TC_##type, .b = TC_##type, .d = TC_##to
#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#elif defined(GATE_SM100) /* gemm_gate_sm100.cu */
TC_GEMM_DEFINE(kit, OF(BF16, BF16), .gate = tc_gate_silu)
TC_GEMM_DEFINE(kit_fp8, OF(E4M3, BF16), .groups = TC_GROUPS_ROWS, HOOKED)
TC_GEMM_DEFINE(kit_s8, OF(S8, F32), HOOKED)
TC_GEMM_DEFINE(kit_few, OF(F16, F32), .shapes = TC_SHAPES_FEW_ROWS | TC_SHAPES_SMALL, HOOKED)
TC_GEMM_SM100_DEFINE(sm100, OF(BF16, BF16), .split = 1, HOOKED) /* the kit's: 256 columns, pairs; */
TC_GEMM_SM100_DEFINE(sm100_half, OF(F16, F32), .bn = 128, .split = 1, .gate = tc_gate_gelu)
TC_GEMM_SM100_DEFINE(sm100_one, OF(BF16, BF16), .bn = 64, .cluster_m = 1, .split = 1, .gate = tc_gate_silu)
TC_GEMM_SM100_DEFINE(sm100_32, OF(BF16, F16), .bn = 32, .cluster_m = 1, HOOKED)
TC_GEMM_SM100_DEFINE(sm100_four, OF(BF16, F32), .bn = 96, .cluster_n = 2, HOOKED)
TC_GEMM_SM100_DEFINE(sm100_a_col, OF(F16, BF16), .bn = 160, .cluster_m = 1, .cluster_n = 2, .a_layout = TC_COL,
                     .gate = tc_gate_gelu_tanh)
TC_GEMM_SM100_DEFINE(sm100_tf32, OF(TF32, F32), .bn = 192, HOOKED)
TC_GEMM_SM100_DEFINE(sm100_e4m3, OF(E4M3, F16), .bn = 224, .groups = TC_GROUPS_MASKED, HOOKED)
TC_GEMM_SM100_DEFINE(sm100_e5m2, OF(E5M2, BF16), .bn = 128, .cluster_m = 1, .clc = 1, HOOKED)
TC_GEMM_SM100_DEFINE(sm100_s8, OF(S8, F32), .bn = 64, .epi_stages = 1, .gate = tc_gate_gelu_tanh)
TC_GEMM_SM100_DEFINE(sm100_u8, OF(U8, F32), .bn = 96, .cluster_m = 1, .split = 1, HOOKED)
TC_GEMM_SM100_DEFINE(sm100_rows, OF(BF16, BF16), .bn = 128, .groups = TC_GROUPS_ROWS, .gate = tc_gate_gelu)
TC_GEMM_SM100_DEFINE(sm100_index, OF(BF16, BF16), .bn = 64, .cluster_m = 1, .groups = TC_GROUPS_ROWS,
                     .index = TC_INDEX_A | TC_INDEX_D, HOOKED)
TC_GEMM_SM100_DEFINE(sm100_index_pair, OF(F16, F16), .bn = 256, .clc = 1, .index = TC_INDEX_A | TC_INDEX_D, HOOKED)
#elif defined(GATE_SM120) /* gemm_gate_sm120.cu */
TC_GEMM_DEFINE(kit, OF(BF16, BF16), .gate = tc_gate_silu)
TC_GEMM_DEFINE(kit_fp8, OF(E4M3, BF16), .groups = TC_GROUPS_ROWS, HOOKED)
TC_GEMM_DEFINE(kit_s8, OF(S8, F32), HOOKED)
TC_GEMM_DEFINE(kit_index, OF(F16, F16), .groups = TC_GROUPS_ROWS, .index = TC_INDEX_D, HOOKED)
TC_GEMM_SM120_DEFINE(sm120, OF(BF16, BF16), HOOKED)
TC_GEMM_SM120_DEFINE(sm120_half, OF(F16, F32), .bm = 64, .bn = 64, .split = 1, .gate = tc_gate_gelu)
TC_GEMM_SM120_DEFINE(sm120_one, OF(BF16, F32), .bm = 64, .bn = 192, .warps_m = 1, .warps_n = 6,
                     .schedule = TC_COOPERATIVE, .split = 1, HOOKED)
TC_GEMM_SM120_DEFINE(sm120_a_col, OF(F16, BF16), .bm = 64, .bn = 128, .a_layout = TC_COL, .gate = tc_gate_gelu_tanh)
TC_GEMM_SM120_DEFINE(sm120_tf32, OF(TF32, F32), .bm = 32, .bn = 128, .bk = 32, HOOKED)
TC_GEMM_SM120_DEFINE(sm120_e4m3, OF(E4M3, F16), .groups = TC_GROUPS_MASKED, .bk = 128, HOOKED)
TC_GEMM_SM120_DEFINE(sm120_e5m2, OF(E5M2, BF16), .bm = 128, .bn = 96, .warps_n = 3, .warps_m = 2,
                     .schedule = TC_COOPERATIVE, .gate = tc_gate_silu)
TC_GEMM_SM120_DEFINE(sm120_s8, OF(S8, F32), .bn = 64, .epi_stages = 2, .gate = tc_gate_gelu_tanh)
TC_GEMM_SM120_DEFINE(sm120_u8, OF(U8, F32), .bm = 64, .bn = 32, .warps_m = 2, .warps_n = 1, .split = 1, HOOKED)
TC_GEMM_SM120_DEFINE(sm120_rows, OF(BF16, BF16), .groups = TC_GROUPS_ROWS, .gate = tc_gate_gelu)
TC_GEMM_SM120_DEFINE(sm120_index, OF(BF16, BF16), .bn = 64, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_D, HOOKED)
#else
TC_GEMM_DEFINE(kit, OF(BF16, BF16), .gate = tc_gate_silu)
TC_GEMM_SM90_DEFINE(sm90, OF(BF16, BF16), .bn = 192, .split = 1, HOOKED)
TC_GEMM_SM90_DEFINE(sm90_pp, OF(F16, F32), .bm = 128, .bn = 128, .step = 64, .cluster_m = 2, .schedule = TC_PINGPONG,
                    HOOKED)
TC_GEMM_SM90_DEFINE(sm90_rows, OF(BF16, BF16), .bm = 256, .bn = 128, .step = 32, .groups = TC_GROUPS_ROWS,
                    .gate = tc_gate_gelu)
TC_GEMM_SM90_DEFINE(sm90_index, OF(BF16, BF16), .bm = 128, .bn = 128, .groups = TC_GROUPS_ROWS,
                    .index = TC_INDEX_A | TC_INDEX_D, HOOKED)
TC_GEMM_SM90_DEFINE(sm90_fp8, OF(E4M3, F16), .bm = 128, .bn = 128, .cluster_n = 2, .groups = TC_GROUPS_MASKED, HOOKED)
TC_GEMM_SM80_DEFINE(sm80_hook, OF(F16, F32), .bm = 64, .bn = 192, .bk = 32, .warps_m = 1, .warps_n = 4, HOOKED)
TC_GEMM_SM80_DEFINE(sm80_index, OF(BF16, BF16), .bm = 64, .bn = 64, .groups = TC_GROUPS_ROWS,
                    .index = TC_INDEX_A | TC_INDEX_D, HOOKED)
#ifdef MORE /* make fuzz */
TC_GEMM_DEFINE(kit_fp8, OF(E4M3, BF16), .groups = TC_GROUPS_ROWS, HOOKED)
TC_GEMM_DEFINE(kit_tf32, OF(TF32, F32), .gate = tc_gate_gelu)
TC_GEMM_DEFINE(kit_index, OF(F16, F16), .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A, HOOKED)
TC_GEMM_SM90_DEFINE(sm90_s8, OF(S8, F32), .bm = 64, .bn = 96, .gate = tc_gate_gelu_tanh)
TC_GEMM_SM90_DEFINE(sm90_three, OF(BF16, F32), .bm = 192, .bn = 160, .consumers = 3, HOOKED)
TC_GEMM_SM90_DEFINE(sm90_pair, OF(BF16, BF16), .bm = 64, .bn = 256, .cluster_m = 2, .cluster_n = 2,
                    .schedule = TC_PINGPONG, HOOKED)
TC_GEMM_SM90_DEFINE(sm90_fast, OF(E5M2, BF16), .bm = 128, .bn = 256, .step = 128, .promote = TC_FAST,
                    .gate = tc_gate_silu)
TC_GEMM_SM90_DEFINE(sm90_late, OF(E4M3, F32), .bm = 64, .bn = 128, .promote = 256, HOOKED)
TC_GEMM_SM90_DEFINE(sm90_tf32, OF(TF32, F32), .bm = 128, .bn = 64, .groups = TC_GROUPS_MASKED, .gate = tc_gate_gelu)
TC_GEMM_SM90_DEFINE(sm90_a_col, OF(BF16, BF16), .bm = 128, .bn = 128, .a_layout = TC_COL, HOOKED)
TC_GEMM_SM80_DEFINE(sm80, OF(BF16, BF16), .gate = tc_gate_silu)
TC_GEMM_SM80_DEFINE(sm80_s8, OF(S8, BF16), .groups = TC_GROUPS_MASKED, .gate = tc_gate_gelu)
TC_GEMM_SM80_DEFINE(sm80_fp8, OF(E4M3, F32), .groups = TC_GROUPS_ROWS, HOOKED)
TC_GEMM_SM80_DEFINE(sm80_tf32, OF(TF32, F32), .bn = 64, .round = 1, .gate = tc_gate_gelu_tanh)
TC_GEMM_SM80_DEFINE(sm80_a_col, OF(F16, BF16), .bm = 128, .bn = 128, .a_layout = TC_COL, HOOKED)
TC_GEMM_SM80_DEFINE(sm80_u8, OF(U8, F32), .bm = 32, .bn = 128, .warps_n = 4, HOOKED)
#endif
#endif

#define ROW(name, sm, gate, any)                                                                                      \
    {#name, name##_run, name##_plan, name##_launch, name##_workspace, sm, 0, gate, any, name##_config()}
#ifndef FUZZ_KERNELS
static const kernel kernels[] = {
#ifdef GATE_SM100
    ROW(kit, 100, SILU, 1),
    ROW(kit_fp8, 100, MINE, 1),
    ROW(kit_s8, 100, MINE, 1),
    ROW(kit_few, 100, MINE, 0),
    ROW(sm100, 100, MINE, 0),
    ROW(sm100_half, 100, GELU, 0),
    ROW(sm100_one, 100, SILU, 0),
    ROW(sm100_32, 100, MINE, 0),
    ROW(sm100_four, 100, MINE, 0),
    ROW(sm100_a_col, 100, TANH, 0),
    ROW(sm100_tf32, 100, MINE, 0),
    ROW(sm100_e4m3, 100, MINE, 0),
    ROW(sm100_e5m2, 100, MINE, 0),
    ROW(sm100_s8, 100, TANH, 0),
    ROW(sm100_u8, 100, MINE, 0),
    ROW(sm100_rows, 100, GELU, 0),
    ROW(sm100_index, 100, MINE, 0),
    ROW(sm100_index_pair, 100, MINE, 0),
#elif defined(GATE_SM120)
    ROW(kit, 120, SILU, 1),
    ROW(kit_fp8, 120, MINE, 1),
    ROW(kit_s8, 120, MINE, 1),
    ROW(kit_index, 120, MINE, 1),
    ROW(sm120, 120, MINE, 0),
    ROW(sm120_half, 120, GELU, 0),
    ROW(sm120_one, 120, MINE, 0),
    ROW(sm120_a_col, 120, TANH, 0),
    ROW(sm120_tf32, 120, MINE, 0),
    ROW(sm120_e4m3, 120, MINE, 0),
    ROW(sm120_e5m2, 120, SILU, 0),
    ROW(sm120_s8, 120, TANH, 0),
    ROW(sm120_u8, 120, MINE, 0),
    ROW(sm120_rows, 120, GELU, 0),
    ROW(sm120_index, 120, MINE, 0),
#else
    ROW(kit, 80, SILU, 1),
    ROW(sm90, 90, MINE, 0),
    ROW(sm90_pp, 90, MINE, 0),
    ROW(sm90_rows, 90, GELU, 0),
    ROW(sm90_index, 90, MINE, 0),
    ROW(sm90_fp8, 90, MINE, 0),
    ROW(sm80_hook, 80, MINE, 1),
    ROW(sm80_index, 80, MINE, 1),
#ifdef MORE
    ROW(kit_fp8, 89, MINE, 1),
    ROW(kit_tf32, 80, GELU, 1),
    ROW(kit_index, 80, MINE, 1),
    ROW(sm90_s8, 90, TANH, 0),
    ROW(sm90_three, 90, MINE, 0),
    ROW(sm90_pair, 90, MINE, 0),
    ROW(sm90_fast, 90, SILU, 0),
    ROW(sm90_late, 90, MINE, 0),
    ROW(sm90_tf32, 90, GELU, 0),
    ROW(sm90_a_col, 90, MINE, 0),
    ROW(sm80, 80, SILU, 1),
    ROW(sm80_s8, 80, GELU, 1),
    ROW(sm80_fp8, 89, MINE, 1),
    ROW(sm80_tf32, 80, TANH, 1),
    ROW(sm80_a_col, 80, MINE, 1),
    ROW(sm80_u8, 80, MINE, 1),
#endif
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0], GROUPS = 6 };
#include "gemm_problems.h"

/* A random matrix: multiples of 1/4 in -1 .. 1; of integers -2 .. 2, or 0 .. 4. */
static test_buffer elements(int type, size_t count)
{
    const test_buffer b = test_buffer_make(count * (size_t)tc_type_bits(type) / 8 + 16);
    for (size_t i = 0; i < count; i++)
        tc_element_set(b.host, type == TC_TF32 ? TC_F32 : type, i,
                       type == TC_S8   ? (float)test_int(-2, 2)
                       : type == TC_U8 ? (float)test_int(0, 4)
                                       : (float)test_int(-4, 4) / 4);
    test_buffer_up(&b);
    return b;
}
static double element(int type, const test_buffer *b, int64_t i)
{
    return tc_element_get(b->host, type == TC_TF32 ? TC_F32 : type, (size_t)i);
}

/* What a gate makes of x and y, and by how much it may be off. */
static double gated(int gate, double x, double y, double *off)
{
    const double t = sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    *off = (gate == TANH ? 2.5e-4 : 2e-6 * (1 + fabs(x) / 8)) * fabs(x * y) + 1e-6;
    if (gate == SILU) return x / (1 + exp(-x)) * y;
    return (gate == GELU ? 0.5 * x * erfc(-x / sqrt(2.)) : 0.5 * x * (1 + tanh(t))) * y;
}
static double half_unit(int type) { return type == TC_BF16 ? 1. / 256 : type == TC_F16 ? 1. / 2048 : 1. / 16777216; }

typedef struct {
    tc_gemm_args g;
    int batch, rows, first[GROUPS], last[GROUPS]; /* groups: their rows */
    test_buffer a, b, b2, d, bounds, a_row, d_row, bias, calls, workspace;
    int64_t b2_at;
    float alpha;
    mine_args args;
    tc_gemm_choice choice;
} problem;

/* Of `most` rows, which is no multiple of 7. */
static test_buffer indices(int count, int most, int distinct)
{
    const test_buffer b = test_buffer_make((size_t)count * 4);
    int32_t *x = (int32_t *)b.host;
    for (int i = 0; i < count; i++) x[i] = distinct ? (i * 7 + 3) % most : test_int(0, most - 1);
    test_buffer_up(&b);
    return b;
}

static void problem_make(problem *p, const kernel *kn, int number)
{
    const tc_gemm_config c = kn->c;
    const int size = tc_type_bits(c.a) / 8, align = kn->any && test_int(0, 2) == 0 ? 1 : 16 / size;
    const int m = number % 7 == 3 ? 1 : test_int(1, 300), n = number % 5 == 1 ? 1 + test_int(0, 7) : test_int(1, 290);
    const int k = number % 9 == 4 ? 0 : test_int(1, number % 4 ? 150 : 520), form = test_int(0, 2);
    const int a_col = c.a_layout == TC_COL, batch = c.groups || c.index ? 1 : number % 3 == 2 ? 3 : 1;
    const int across = a_col ? m : k, up = align == 1 ? 1 : align, d_rows = c.index & TC_INDEX_D ? m + 5 : m;
    tc_gemm_args *g = &p->g;
    memset((void *)p, 0, sizeof *p);
    p->batch = batch, p->rows = m, p->alpha = number % 4 == 1 ? 0.5f : 1.f;
    g->m = m, g->n = n, g->k = k, g->alpha = number % 4 == 1 ? &p->alpha : 0;
    g->lda = (across + up - 1) / up * up + test_int(0, 2) * up;
    const int64_t line = (k + up - 1) / up * up + test_int(0, 1) * up, groups = c.groups ? test_int(1, GROUPS) : batch;
    g->ldb = form == 2 ? 2 * line : line;
    g->ldd = n + test_int(0, 9);
    /* B2 behind B, in a matrix of its own, or row after row with B's */
    g->stride_b = form == 0 ? 2 * n * line : form == 1 ? n * line : n * 2 * line;
    p->b = elements(c.b, (size_t)(groups * g->stride_b));
    if (form == 1) p->b2 = elements(c.b, (size_t)(groups * g->stride_b));
    else p->b2 = p->b, p->b2_at = form == 0 ? n * line : line;
    g->a_rows = c.index & TC_INDEX_A ? m + 9 : 0, g->d_rows = c.index & TC_INDEX_D ? d_rows : 0;
    const int64_t a_each = (a_col ? k : g->a_rows ? g->a_rows : m) * g->lda;
    const int matrices = c.groups == TC_GROUPS_MASKED ? (int)groups : batch;
    g->stride_a = (matrices > 1 && number % 2) || c.groups == TC_GROUPS_MASKED ? a_each : 0;
    g->stride_d = matrices > 1 ? d_rows * g->ldd + 3 : 0;
    p->a = elements(c.a, (size_t)(a_each * matrices + 8));
    p->d = test_buffer_make((size_t)(matrices * (d_rows * g->ldd + 8)) * 4);
    if (g->a_rows) p->a_row = indices(m, g->a_rows, 0), g->a_row = (const int32_t *)p->a_row.dev;
    if (g->d_rows) p->d_row = indices(m, d_rows % 7 ? d_rows : d_rows - 1, 1), g->d_row = (const int32_t *)p->d_row.dev;
    if (k) g->a = p->a.dev, g->b = p->b.dev, g->b2 = (const char *)p->b2.dev + p->b2_at * size;
    g->d = p->d.dev;
    g->batch = batch > 1 ? batch : 0;
    if (!c.groups && batch == 1) g->stride_a = g->stride_b = g->stride_d = 0;
    if (c.groups) { /* a group may have no rows */
        p->bounds = test_buffer_make((GROUPS + 1) * 4);
        int32_t *x = (int32_t *)p->bounds.host, at = test_int(0, 9) % m;
        for (int i = 0; i < groups; i++) {
            const int take = test_int(0, (int)(2 * m / groups));
            p->first[i] = c.groups == TC_GROUPS_MASKED ? 0 : at, x[i] = at;
            at = at + take < m ? at + take : m;
            p->last[i] = c.groups == TC_GROUPS_MASKED ? take < m ? take : m : at;
            if (c.groups == TC_GROUPS_MASKED) x[i] = p->last[i];
        }
        if (c.groups == TC_GROUPS_ROWS) x[groups] = at;
        test_buffer_up(&p->bounds);
        g->groups.count = (int)groups;
        if (c.groups == TC_GROUPS_MASKED) g->groups.counts = (const int32_t *)p->bounds.dev;
        else g->groups.offsets = (const int32_t *)p->bounds.dev;
    }
    if (kn->sm < 90 && kn->c.bm == 0 && align > 1 && test_device() == 90) { /* TC_GEMM_DEFINE: each of its kernels */
        static const int kernels_of[4] = {0, 1, 2, 5};
        p->choice.kernel = kernels_of[number % 4];
        if (p->choice.kernel == 1) p->choice.width = kn->c.a == TC_E4M3 || number % 8 < 4 ? 128 : 256;
        if (p->choice.kernel == 1) p->choice.cluster = 1 + number / 8 % 2;
        g->choice = &p->choice;
    }
    if (kn->c.split) g->choice = &p->choice;
    if (g->choice && (kn->c.split || ((p->choice.kernel == 1 || p->choice.kernel == 5) && !c.groups && c.a != TC_E4M3)))
        p->choice.parts = test_int(0, 3);
    if (kn->gate == MINE) {
        p->bias = test_buffer_make((size_t)n * 4);
        p->calls = test_buffer_make(((size_t)matrices * m * n + 1) * 4);
        for (int i = 0; i < n; i++) ((float *)p->bias.host)[i] = (float)test_int(-8, 8) / 4;
        test_buffer_up(&p->bias);
        const mine_args x = {(const float *)p->bias.dev, (int *)p->calls.dev + 1, m, n};
        p->args = x;
        g->epi_args = &p->args, g->epi_size = sizeof p->args;
    }
}

static void problem_drop(problem *p)
{
    test_buffer *all[10] = {&p->a,     &p->b,     &p->b2,   &p->d,     &p->bounds,
                            &p->a_row, &p->d_row, &p->bias, &p->calls, &p->workspace};
    if (p->b2.dev == p->b.dev) p->b2.dev = 0;
    for (int i = 0; i < 10; i++)
        if (all[i]->dev) test_buffer_drop(all[i]);
}

/* Row `row` of group z (matrix z of a batch): its place in D, or -1, and which product. */
static void compare(const problem *p, const kernel *kn)
{
    const tc_gemm_config c = kn->c;
    const tc_gemm_args *g = &p->g;
    const int masked = c.groups == TC_GROUPS_MASKED, size = tc_type_bits(c.d) / 8;
    const int products = c.groups ? g->groups.count : p->batch;
    const int *calls = (const int *)p->calls.host;
    uint8_t *seen = (uint8_t *)malloc(p->d.bytes);
    int wrong = 0, strays = 0, miscalled = 0;
    double worst = 0;
    memset(seen, 1, p->d.bytes);
    for (int z = 0; z < products; z++) {
        const int first = c.groups ? p->first[z] : 0, last = c.groups ? p->last[z] : g->m;
        for (int row = first; row < last; row++) {
            const int matrix = masked || !c.groups ? z : 0;
            const int ra = g->a_rows ? ((const int32_t *)p->a_row.host)[row] : row;
            const int rd = g->d_rows ? ((const int32_t *)p->d_row.host)[row] : row;
            for (int col = 0; col < g->n; col++) {
                double x = 0, y = 0, off = 0, want;
                for (int i = 0; i < g->k; i++) {
                    const int64_t at = matrix * g->stride_a
                                     + (c.a_layout == TC_COL ? i * g->lda + ra : ra * g->lda + i);
                    const int64_t from = z * g->stride_b + col * g->ldb + i;
                    const double v = element(c.a, &p->a, at);
                    x += v * element(c.b, &p->b, from), y += v * element(c.b, &p->b2, from + p->b2_at);
                }
                x *= p->alpha, y *= p->alpha;
                if (kn->gate == MINE) {
                    want = (x + ((const float *)p->bias.host)[col]) * y + (c.groups ? z : 0);
                    off = fabs(want) * 2e-7 + fabs(x * y) * 2e-7;
                    miscalled += calls[1 + ((size_t)matrix * g->m + row) * g->n + col] != 1;
                } else {
                    want = gated(kn->gate, x, y, &off);
                }
                const int64_t to = matrix * g->stride_d + rd * g->ldd + col;
                const double got = tc_element_get(p->d.host, c.d, (size_t)to);
                const double bound = off + (fabs(want) + off) * half_unit(c.d);
                memset(seen + to * size, 0, (size_t)size);
                if (!(fabs(got - want) <= bound)) {
                    if (!wrong++) printf("%s: row %d col %d of %d: %g, want %g\n", kn->name, row, col, z, got, want);
                }
                if (bound > 0 && fabs(got - want) / bound > worst) worst = fabs(got - want) / bound;
            }
        }
    }
    for (size_t i = 0; i < p->d.bytes; i++) strays += seen[i] && ((const uint8_t *)p->d.host)[i] != 0xee;
    if (kn->gate == MINE) {
        long long sum = 0, elements_of_d = 0;
        for (int z = 0; z < products; z++)
            elements_of_d += (long long)(c.groups ? p->last[z] - p->first[z] : g->m) * g->n;
        for (size_t i = 0; i < p->calls.bytes / 4; i++) sum += calls[i];
        miscalled += sum != elements_of_d;
    }
    CHECK(!wrong && !strays && !miscalled, "%s %d x %d x %d, %d products: %d wrong, %d strays, %d miscalled", kn->name,
          g->m, g->n, g->k, products, wrong, strays, miscalled);
    free(seen);
}

/* Once by NAME_run; every third time by a plan that is made for other matrices. */
static void run(const kernel *kn, problem *p, int planned)
{
    tc_gemm_args other = p->g;
    tc_gemm_plan plan;
    tc_status st;
    CUDA_CHECK(cudaMemset(p->d.dev, 0xee, p->d.bytes));
    if (p->calls.dev) CUDA_CHECK(cudaMemset(p->calls.dev, 0, p->calls.bytes));
    p->g.workspace_size = kn->room(&p->g);
    if (p->g.workspace_size && !p->workspace.dev) p->workspace = test_buffer_make(p->g.workspace_size);
    p->g.workspace = p->workspace.dev;
    other.workspace = p->g.workspace, other.workspace_size = p->g.workspace_size;
    if (!planned) {
        st = kn->run(&p->g, 0);
    } else {
        if (other.k) other.b2 = (const char *)other.b2 + 16;
        st = kn->plan(&other, &plan);
        if (st == TC_OK) st = tc_gemm_plan_pointers(&plan, &p->g);
        if (st == TC_OK) st = kn->launch(&plan, 0);
    }
    CHECK(st == TC_OK, "%s %d x %d x %d: %s", kn->name, p->g.m, p->g.n, p->g.k, tc_why());
    test_buffer_down(&p->d);
    if (p->calls.dev) test_buffer_down(&p->calls);
    if (st == TC_OK) compare(p, kn);
}

static const char *gone_to[64]; /* kernels that calls went to */

/* Which one a call goes to: on Blackwell to that generation's where TMA takes its matrices. */
static void which(const kernel *kn, const problem *p)
{
    tc_gemm_plan plan;
    int i = 0;
    CHECK(kn->plan(&p->g, &plan) == TC_OK, "%s", tc_why());
    const char *name = plan.call.kernel.name;
    if (!plan.call.blocks) return;
    while (i < 63 && gone_to[i] && strcmp(gone_to[i], name)) i++;
    if (!gone_to[i]) printf("gemm_gate: %s goes to %s\n", kn->name, name);
    gone_to[i] = name;
#ifdef OF_BLACKWELL
    const int fits = tc__gemm_fits(&kn->c, &p->g, 'a') && tc__gemm_fits(&kn->c, &p->g, 'b');
    const int lacks = OF_BLACKWELL == 100 && tc__gemm100_lacks(&kn->c, test_device());
    CHECK((plan.call.kernel.cc == OF_BLACKWELL) == (fits && !lacks), "%s: %s", kn->name, name);
#endif
}

/* number: of the problem, whatever the kernel; one in three by a plan. */
static void one(const kernel *kn, uint64_t number)
{
    problem p;
    problem_make(&p, kn, (int)(number / KERNELS % 1000));
    snprintf(test_context, sizeof test_context, "%s: %d x %d x %d", kn->name, p.g.m, p.g.n, p.g.k);
    run(kn, &p, number / KERNELS % 3 == 2);
    which(kn, &p);
    problem_drop(&p);
}

#ifndef FUZZ_KERNELS
static void refused(const kernel *kn)
{
    const bad_call good = {{.m = 64, .n = 64, .k = 64, .a = some(0), .lda = 64, .b = some(0), .ldb = 64, .d = some(1),
                            .ldd = 64, .b2 = some(0)}, {0, 0, 0, 0, 0, 0}, 1.f, 0.f};
    tc_gemm_plan kept;
    tc_gemm_args g = good.g;
#ifdef GATE_SM120
    if (!strcmp(kn->name, "sm120_half"))
        NO(sm120_half, x.g.b2 = (const char *)x.g.b2 + 2, TC_ERR_ALIGN, "b2 = 0x");
#elif defined(GATE_SM100)
    if (!strcmp(kn->name, "sm100_one"))
        NO(sm100_one, x.g.b2 = (const char *)x.g.b2 + 2, TC_ERR_ALIGN, "b2 = 0x");
    if (!strcmp(kn->name, "sm100_one")) NO(sm100_one, x.g.b2 = 0, TC_ERR_NULL, "b2 is null, but the kernel has .gate");
#else
    if (!strcmp(kn->name, "sm80_hook")) NO(sm80_hook, x.g.epi_size = 8, TC_ERR_EPI, "epi_size = 8");
    const mine_args mine_of = {0, 0, 0, 0};
    if (!strcmp(kn->name, "sm90"))
        NO(sm90, (x.g.b2 = (const char *)x.g.b2 + 2, x.g.epi_args = &mine_of, x.g.epi_size = sizeof mine_of),
           TC_ERR_ALIGN, "b2 = 0x");
#endif
    if (strcmp(kn->name, "kit")) return;
    NO(kit, x.g.b2 = 0, TC_ERR_NULL, "b2 is null, but the kernel has .gate");
    NO(kit, x.g.b = 0, TC_ERR_NULL, "b is null");
    NO(kit, x.g.beta = &x.one, TC_ERR_CONFIG, "beta = 1, but the kernel has .gate");
    NO(kit, x.g.b2 = (const char *)x.g.b2 + 1, TC_ERR_ALIGN, "b2 = 0x");
    NO(kit, (x.g.k = 0, x.g.a = x.g.b = 0), TC_ERR_SIZE, "k = 0, but b2 is given");
    NO(kit, (x.g.n = 0x3fff0001, x.g.ldd = x.g.n), TC_ERR_SIZE, "for two products");
    CHECK(kit_plan(&g, &kept) == TC_OK, "%s", tc_why());
    g.b2 = 0;
    CHECK(tc_gemm_plan_pointers(&kept, &g) == TC_ERR_NULL && strstr(tc_why(), "b2 is null"), "%s", tc_why());
}
#else
static void refused(const kernel *kn) { (void)kn; }
#endif

int main(int argc, char **argv)
{
    const problem_test t = {"gemm_gate", one, refused};
    return each_problem(&t, problem_args_of(argc, argv, 110));
}
