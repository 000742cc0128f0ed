/* gemm_outputs.cu - random problems through kernels that write more than D (.aux, .row_sum), against fp64 on the CPU:
 * every element, every byte around each output, and the same bits when a plan runs it again.
 *     build/tests/gemm_outputs [problems] [seed]
 *
 * Bounds: a sum of k products in f32 is off by at most (k + 8) * 2^-23 * sum |a b|, rounding to a type adds half a unit
 * in its last place; what is kept of a row adds n roundings of it. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"

typedef struct { const float *bias; } bias_args;
enum { PLAIN, BIAS_RELU, PAIR };

TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
{
    return tc_relu(x + ((const bias_args *)args)->bias[at.col]);
}
TC_DEV tc_f32x2 pair(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const bias_args *p = (const bias_args *)args;
    const tc_f32x2 r = {tc_relu(x.x + p->bias[at.col]), tc_relu(x.y + p->bias[at.col + 1])};
    return r;
}
/* What bias_relu is the slope of: 1 where it lets x pass. */
TC_DEV float mask(float x, tc_gemm_at at, const void *args)
{
    return x + ((const bias_args *)args)->bias[at.col] > 0.f ? 1.f : 0.f;
}

/* Another tensor: its scale, what is too large for 8 bits, and what is no number. */
TC_HD int lost(int row, int col) { return (row + col) % 37 == 5; }
TC_HD float scale_of(int row) { return row % 7 == 3 ? 1e4f : 0.25f; }
TC_DEV float scaled(float x, tc_gemm_at at, const void *args)
{
    (void)args;
    return lost(at.row, at.col) ? tc_f32_from_bits(0x7fc00000u) : x * scale_of(at.row);
}

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*plan)(const tc_gemm_args *, tc_gemm_plan *);
    tc_status (*launch)(const tc_gemm_plan *, cudaStream_t);
    size_t (*room)(const tc_gemm_args *);
    int sm, hook, any, step, wide, split, smem;
    tc_gemm_config c;
} kernel;

#define HOOKED(hook) hook, .epi_size = sizeof(bias_args)
#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#ifdef OUTPUTS_SM100 /* for a build of sm_100a: the only kernels of its own */
TC_GEMM_SM100_DEFINE(sm100, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 64, .aux = TC_F32, .aux_what = TC_AUX_PRE,
                     .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_pair, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 128, .cluster_m = 2, .aux = TC_BF16,
                     .aux_what = TC_AUX_PRE, .row_sum = TC_MAX_ABS)
TC_GEMM_SM100_DEFINE(sm100_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 64, .aux = TC_E4M3, .aux_epi = scaled,
                     .aux_layout = TC_COL, .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_bits, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 128, .cluster_m = 2, .aux = TC_B1,
                     .aux_epi = mask, .row_sum = TC_SUM, .epi = HOOKED(bias_relu))
#else
TC_GEMM_SM80_DEFINE(sm80, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux = TC_BF16, .aux_what = TC_AUX_PRE,
                    .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM80_DEFINE(sm80_max, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .warps_n = 2, .aux = TC_F16,
                    .aux_what = TC_AUX_PRE, .row_sum = TC_MAX_ABS, .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .step = 32, .split = 1, .aux = TC_S8,
                    .aux_epi = mask, .row_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_pp, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 48, .schedule = TC_PINGPONG,
                    .aux = TC_F32, .aux_what = TC_AUX_PRE, .row_sum = TC_SUM_SQ, .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_turns, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 192, .step = 64,
                    .cluster_m = 2, .schedule = TC_PINGPONG, .aux = TC_BF16, .aux_what = TC_AUX_PRE,
                    .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_k2, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .cluster_k = 2,
                    .row_sum = TC_MAX_ABS)
TC_GEMM_SM90_DEFINE(sm90_swap, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 8, .swap = 1,
                    .split = 1, .aux = TC_BF16, .aux_what = TC_AUX_PRE, .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_col, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64, .d_layout = TC_COL,
                    .aux = TC_S8, .aux_epi = mask, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_ANY_DEFINE(sm90_any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 96, .bn = 64, .aux = TC_F32,
                        .aux_what = TC_AUX_PRE, .row_sum = TC_SUM)
/* 8 bits, bits, and across D */
TC_GEMM_SM80_DEFINE(sm80_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux = TC_E4M3, .aux_epi = scaled,
                    .aux_layout = TC_COL, .row_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM80_DEFINE(sm80_both, .a = TC_BF16, .b = TC_BF16, .d = TC_E5M2, .bn = 128, .aux = TC_F32,
                    .aux_what = TC_AUX_PRE, .aux_layout = TC_COL, .epi = HOOKED(bias_relu))
TC_GEMM_SM80_DEFINE(sm80_bits, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 96, .warps_n = 2,
                    .d_layout = TC_COL, .aux = TC_B1, .aux_epi = mask, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_fp8, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 48, .schedule = TC_PINGPONG,
                    .aux = TC_E5M2, .aux_what = TC_AUX_PRE, .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .step = 32, .split = 1,
                    .aux = TC_E4M3, .aux_epi = scaled, .aux_layout = TC_COL, .row_sum = TC_SUM,
                    .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_turn32, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .aux = TC_F32,
                    .aux_what = TC_AUX_PRE, .aux_layout = TC_COL, .row_sum = TC_MAX_ABS)
TC_GEMM_SM90_DEFINE(sm90_bits, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 192, .step = 64,
                    .cluster_m = 2, .schedule = TC_PINGPONG, .aux = TC_B1, .aux_epi = mask, .row_sum = TC_SUM_SQ,
                    .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_swap_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 8,
                    .swap = 1, .aux = TC_BF16, .aux_what = TC_AUX_PRE, .aux_layout = TC_COL, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_col_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64, .d_layout = TC_COL,
                    .aux = TC_BF16, .aux_what = TC_AUX_PRE, .aux_layout = TC_ROW, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_both, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .bn = 128, .aux = TC_E4M3, .aux_epi = scaled,
                    .aux_layout = TC_COL, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_ANY_DEFINE(sm90_any_bits, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 96, .bn = 64, .aux = TC_B1,
                        .aux_epi = mask, .epi = HOOKED(bias_relu))
#endif

#define ROW(name, sm, hook, any, step, wide, split)                                                                   \
    {#name, name##_run, name##_can_run, name##_plan, name##_launch, name##_workspace, sm, hook, any, step, wide,      \
     split, name##_SMEM, name##_config()}
static const kernel kernels[] = {
#ifdef OUTPUTS_SM100
    ROW(sm100, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_pair, 100, PLAIN, 0, 0, 0, 0),
    ROW(sm100_turn, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_bits, 100, BIAS_RELU, 0, 0, 0, 0),
#else
    ROW(sm80, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_max, 80, PAIR, 1, 0, 0, 0),
    ROW(sm90, 90, BIAS_RELU, 0, 32, 128, 1),
    ROW(sm90_pp, 90, PAIR, 0, 0, 0, 0),
    ROW(sm90_turns, 90, BIAS_RELU, 0, 64, 192, 0),
    ROW(sm90_k2, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_swap, 90, BIAS_RELU, 0, 8, 64, 1),
    ROW(sm90_col, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_any, 90, PLAIN, 1, 0, 0, 0),
    ROW(sm80_turn, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_both, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_bits, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm90_fp8, 90, PAIR, 0, 0, 0, 0),
    ROW(sm90_turn, 90, BIAS_RELU, 0, 32, 128, 1),
    ROW(sm90_turn32, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_bits, 90, PAIR, 0, 64, 192, 0),
    ROW(sm90_swap_turn, 90, BIAS_RELU, 0, 8, 64, 0),
    ROW(sm90_col_turn, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_both, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_any_bits, 90, BIAS_RELU, 1, 0, 0, 0),
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0], GUARD = 256 };

/* Device memory between two guards; bytes: what lies between. */
typedef struct {
    uint8_t *dev, *host, *again;
    size_t bytes;
} span;

static span span_make(size_t bytes)
{
    span s;
    s.bytes = bytes;
    s.host = (uint8_t *)malloc(bytes + 2 * GUARD), s.again = (uint8_t *)malloc(bytes + 2 * GUARD);
    CUDA_CHECK(cudaMalloc((void **)&s.dev, bytes + 2 * GUARD));
    CUDA_CHECK(cudaMemset(s.dev, 0xee, bytes + 2 * GUARD));
    return s;
}
static void span_down(const span *s, uint8_t *to)
{
    CUDA_CHECK(cudaMemcpy(to, s->dev, s->bytes + 2 * GUARD, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemset(s->dev, 0xee, s->bytes + 2 * GUARD));
}
static void span_drop(span *s)
{
    CUDA_CHECK(cudaFree(s->dev));
    free(s->host), free(s->again);
}

static span span_values(size_t count, int type)
{
    span s = span_make(count * (size_t)tc_type_bits(type) / 8);
    for (size_t i = 0; i < count; i++) tc_element_set(s.host + GUARD, type, i, test_normal());
    CUDA_CHECK(cudaMemcpy(s.dev + GUARD, s.host + GUARD, s.bytes, cudaMemcpyHostToDevice));
    return s;
}

/* Bytes of a written matrix that are none of its elements and have changed; marks the elements' bytes as 0xee. */
typedef struct { int rows, cols, batch, size; int64_t ld, stride, first; } shape;
static int strays(const span *s, const shape *x)
{
    uint8_t *copy = (uint8_t *)malloc(s->bytes + 2 * GUARD);
    int count = 0;
    memcpy(copy, s->host, s->bytes + 2 * GUARD);
    for (int z = 0; z < x->batch; z++)
        for (int i = 0; i < x->rows; i++)
            memset(copy + GUARD + (x->first + z * x->stride + i * x->ld) * x->size, 0xee,
                   (size_t)x->cols * (size_t)x->size);
    for (size_t i = 0; i < s->bytes + 2 * GUARD; i++) count += copy[i] != 0xee;
    free(copy);
    return count;
}

static double half_unit(int type)
{
    if (type == TC_E4M3 || type == TC_E5M2) return type == TC_E4M3 ? 1. / 16 : 1. / 8;
    return type == TC_BF16 ? 1. / 256 : type == TC_F16 ? 1. / 2048 : 1. / 16777216;
}
/* Half of the smallest, and the largest, of 8 bits. */
static double half_least(int type) { return type == TC_E4M3 ? 1. / 1024 : type == TC_E5M2 ? 1. / 131072 : 0; }
static double largest_of(int type) { return type == TC_E4M3 ? 448 : type == TC_E5M2 ? 57344 : INFINITY; }
static int is_mask(int type) { return type == TC_S8 || type == TC_B1; }

/* Is it what x, off by so much, is rounded to? */
static int rounds_to(int type, double got, double x, double off)
{
    const double most = largest_of(type), y = fmax(-most, fmin(most, x));
    return fabs(got - y) <= off + half_unit(type) * fabs(y) + half_least(type);
}

static void one(const kernel *kn, uint64_t id)
{
    const tc_gemm_config *t = &kn->c;
    const int col = t->d_layout == TC_COL, dsize = tc_type_bits(t->d) / 8;
    const int acol = t->aux_layout ? t->aux_layout == TC_COL : col, bits = t->aux == TC_B1 ? 8 : 1; /* of a byte */
    const int asize = t->aux && bits == 1 ? tc_type_bits(t->aux) / 8 : 1, unit = kn->any && test_int(0, 1) ? 1 : 8;
    const int batch = test_int(0, 3) ? 1 : test_int(2, 3);
    const int m = test_int(1, test_int(0, 1) ? 40 : 150);
    const int n = (test_int(1, test_int(0, 1) ? 60 : 300) + 1) / 2 * 2 - (kn->hook != PAIR && test_int(0, 1));
    const int k = test_int(0, 7) ? test_int(1, 300) : 0;
    const int lines = col ? n : m, across = col ? m : n, odd = test_int(0, 1) ? 0 : test_int(0, 3);
    const int64_t lda = (k + unit - 1) / unit * unit + unit * test_int(0, 2), ldb = lda + unit * test_int(0, 2);
    const int64_t ldd = test_int(0, 1) ? (across + 15) / 16 * 16 : across + test_int(0, 5);
    const int alines = acol ? n : m, aacross = ((acol ? m : n) + bits - 1) / bits * bits;
    const int64_t ldx = test_int(0, 1) ? (aacross + 127) / 128 * 128 : aacross + bits * test_int(0, 5);
    const int64_t sd = lines * ldd + 16 * test_int(0, 1), sx = alines * ldx + test_int(0, 1) * 128;
    const float alpha = test_int(0, 2) ? 1.f : test_int(0, 4) ? 0.75f : 0.f;
    const float beta = test_int(0, 2) ? 0.f : -0.5f;
    const int64_t sa = (m * lda + 7) / 8 * 8, sb = (n * ldb + 7) / 8 * 8;
    span a = span_values((size_t)(sa * batch), TC_BF16), b = span_values((size_t)(sb * batch), TC_BF16);
    span c = span_values((size_t)(sd * batch), tc__gemm_c(*t)), bias = span_values((size_t)n, TC_F32);
    span d = span_make((size_t)(sd * batch + odd) * (size_t)dsize);
    span aux = span_make((size_t)(sx / bits * batch + odd) * (size_t)asize);
    span rows = span_make((size_t)m * batch * 4), most = span_make(4), workspace;
    const bias_args hook_args = {(const float *)(bias.dev + GUARD)};
    tc_gemm_choice choice = {0, 0, 0, 0, 0, 0};
    tc_gemm_plan plan;
    tc_gemm_args g;
    char what[300];
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k, g.lda = lda, g.ldb = ldb, g.ldc = g.ldd = ldd;
    if (k) g.a = a.dev + GUARD, g.b = b.dev + GUARD;
    g.c = beta != 0 ? c.dev + GUARD : 0, g.d = d.dev + GUARD + odd * dsize;
    g.alpha = &alpha, g.beta = &beta, g.batch = batch, g.pdl = test_int(-1, 1);
    if (batch > 1) g.stride_a = sa, g.stride_b = sb, g.stride_c = g.stride_d = sd;
    if (kn->hook) g.epi_args = &hook_args, g.epi_size = sizeof hook_args;
    if (t->aux) g.aux.p = aux.dev + GUARD + odd * asize, g.aux.ld = ldx, g.aux.stride = batch > 1 ? sx : 0;
    if (t->row_sum) g.row_out = (float *)(rows.dev + GUARD);
    if (t->row_sum == TC_MAX_ABS && test_int(0, 2)) g.max_out = (float *)(most.dev + GUARD);
    if (kn->step && test_int(0, 1)) choice.width = kn->step * test_int(1, kn->wide / kn->step);
    if (kn->split && test_int(0, 1)) choice.parts = test_int(1, 5);
    if (test_int(0, 3)) g.choice = &choice;
    workspace = span_make(kn->room(&g));
    if (workspace.bytes) g.workspace = workspace.dev + GUARD, g.workspace_size = workspace.bytes;
    snprintf(what, sizeof what,
             "problem %llu %s m %d n %d k %d batch %d alpha %g beta %g odd %d ldd %d ldx %d w %d p %d",
             (unsigned long long)id, kn->name, m, n, k, batch, alpha, beta, odd, (int)ldd, (int)ldx,
             g.choice ? choice.width : 0, g.choice ? choice.parts : 0);
    const tc_status st = kn->run(&g, 0);
    CHECK(st == TC_OK, "%s: %s", what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    span_down(&d, d.host), span_down(&aux, aux.host), span_down(&rows, rows.host), span_down(&most, most.host);
    CHECK(kn->plan(&g, &plan) == TC_OK && kn->launch(&plan, 0) == TC_OK, "%s: %s", what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    span_down(&d, d.again), span_down(&aux, aux.again), span_down(&rows, rows.again), span_down(&most, most.again);
    const span *all[4] = {&d, &aux, &rows, &most};
    for (int i = 0; i < 4; i++)
        CHECK(!memcmp(all[i]->host, all[i]->again, all[i]->bytes + 2 * GUARD), "%s: other bits of output %d", what, i);
    span_down(&workspace, workspace.host);
    for (size_t i = 0; i < GUARD; i++)
        if (workspace.host[i] != 0xee || workspace.host[GUARD + workspace.bytes + i] != 0xee) {
            CHECK(0, "%s: written beside the workspace", what);
            break;
        }
    const shape dx = {lines, across, batch, dsize, ldd, sd, odd};
    const shape ax = {alines, aacross / bits, batch, asize, ldx / bits, sx / bits, odd};
    const shape rx = {1, m, batch, 4, m, m, 0}, mx = {1, 1, 1, 4, 1, 1, 0}, none = {0, 0, 0, 1, 0, 0, 0};
    CHECK(!strays(&d, &dx), "%s: written beside d", what);
    CHECK(!strays(&aux, t->aux ? &ax : &none), "%s: written beside aux", what);
    CHECK(!strays(&rows, t->row_sum ? &rx : &none), "%s: written beside row_out", what);
    CHECK(!strays(&most, g.max_out ? &mx : &none), "%s: written beside max_out", what);

    int wrong[4] = {0, 0, 0, 0}, unsure = 0;
    double largest = 0, largest_off = 0;
    for (int z = 0; z < batch; z++) {
        for (int i = 0; i < m; i++) {
            double kept = 0, kept_off = 0;
            for (int j = 0; j < n; j++) {
                const int64_t at = z * sd + (col ? j * ldd + i : i * ldd + j);
                const int64_t ax_at = odd * bits + z * sx + (acol ? j * ldx + i : i * ldx + j);
                double sum = 0, size = 0, pre, off, y;
                for (int x = 0; x < k && alpha != 0; x++) {
                    const double p = (double)tc_element_get(a.host + GUARD, TC_BF16, (size_t)(z * sa + i * lda + x))
                                   * tc_element_get(b.host + GUARD, TC_BF16, (size_t)(z * sb + j * ldb + x));
                    sum += p, size += fabs(p);
                }
                const double cv = beta != 0 ? tc_element_get(c.host + GUARD, tc__gemm_c(*t), (size_t)at) : 0;
                pre = alpha * sum + beta * cv;
                off = (k + 8) * 1.2e-7 * size + 3e-7 * fabs(pre) + 1e-6;
                y = pre;
                const double v = kn->hook ? tc_element_get(bias.host + GUARD, TC_F32, (size_t)j) : 0;
                if (kn->hook) y = pre + v > 0 ? pre + v : 0;
                off += 2e-7 * fabs(v);
                const double got = tc_element_get(d.host + GUARD, t->d, (size_t)(odd + at));
                wrong[0] += !rounds_to(t->d, got, y, off);
                if (t->aux) {
                    const double other = tc_element_get(aux.host + GUARD, t->aux, (size_t)ax_at);
                    if (is_mask(t->aux)) { /* of what is near 0 nobody knows */
                        unsure += fabs(pre + v) <= off;
                        if (fabs(pre + v) > off) wrong[1] += other != (pre + v > 0);
                    } else if (t->aux_what == TC_AUX_PRE) {
                        wrong[1] += !rounds_to(t->aux, other, pre, off);
                    } else {
                        const double s = scale_of(i);
                        wrong[1] += lost(i, j) ? other == other : !rounds_to(t->aux, other, s * pre, s * off);
                    }
                }
                if (t->row_sum == TC_MAX_ABS) kept = fmax(kept, fabs(y)), kept_off = fmax(kept_off, off);
                else if (t->row_sum == TC_SUM_SQ) kept += y * y, kept_off += 2 * fabs(y) * off + off * off
                                                                          + n * 1.2e-7 * y * y;
                else kept += y, kept_off += off + n * 1.2e-7 * fabs(y);
            }
            largest = fmax(largest, kept), largest_off = fmax(largest_off, kept_off);
            if (t->row_sum)
                wrong[2] += !(fabs(((const float *)(rows.host + GUARD))[z * m + i] - kept) <= kept_off);
        }
    }
    for (int64_t i = 0; i < alines * batch && bits > 1; i++) /* behind a row's last bit there are zeros */
        for (int64_t j = acol ? m : n; j < aacross; j++)
            wrong[1] += tc_element_get(aux.host + GUARD, TC_B1,
                                       (size_t)(odd * bits + i / alines * sx + i % alines * ldx + j)) != 0;
    if (g.max_out) wrong[3] = !(fabs(*(const float *)(most.host + GUARD) - largest) <= largest_off);
    CHECK(!wrong[0], "%s: %d elements of d are wrong", what, wrong[0]);
    CHECK(!wrong[1], "%s: %d elements of aux are wrong", what, wrong[1]);
    CHECK(!wrong[2], "%s: %d rows are wrong", what, wrong[2]);
    CHECK(!wrong[3], "%s: max_out is wrong", what);
    CHECK(unsure * 10 <= m * n * batch + 100, "%s: %d elements of the mask are near 0", what, unsure);
    span_drop(&a), span_drop(&b), span_drop(&c), span_drop(&bias), span_drop(&d), span_drop(&aux), span_drop(&rows);
    span_drop(&most), span_drop(&workspace);
}

/* What is refused, and in which words. */
static void refused(const kernel *kn, const tc_gemm_args *g, const char *words)
{
    const char *why = "";
    CHECK(kn->can_run(g, &why) != TC_OK && strstr(why, words), "%s: \"%s\", not \"%s\"", kn->name, why, words);
}

static void bad_input(const kernel *kn)
{
    static const bias_args bias = {0};
    char *at;
    tc_gemm_args good, g;
    CUDA_CHECK(cudaMalloc((void **)&at, 1 << 16));
    memset(&good, 0, sizeof good);
    good.m = good.n = good.k = 32, good.lda = good.ldb = good.ldd = good.aux.ld = 32;
    good.a = good.b = at, good.d = at + 8192, good.aux.p = at + 16384;
    good.workspace = at + 32768, good.workspace_size = 16384;
    if (kn->hook) good.epi_args = &bias, good.epi_size = sizeof bias;
    if (kn->c.row_sum) good.row_out = (float *)(at + 4096);
    if (!kn->c.aux) {
        refused(kn, &good, "aux is given, but the kernel was generated without .aux");
        memset(&good.aux, 0, sizeof good.aux);
    }
    CHECK(kn->can_run(&good, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    if (kn->c.aux) {
        const int size = tc_type_bits(kn->c.aux) / 8, acol = kn->c.aux_layout ? kn->c.aux_layout == TC_COL
                                                                            : kn->c.d_layout == TC_COL;
        g = good, g.aux.p = 0, refused(kn, &g, "aux.p is null, but the kernel has .aux");
        g = good, g.aux.p = at + 16385;
        if (size > 1) refused(kn, &g, "is not a multiple of its element's");
        g = good, g.aux.ld = 31;
        refused(kn, &g, acol ? "aux.ld = 31 is less than m = 32" : "aux.ld = 31 is less than n = 32");
        if (kn->c.aux == TC_B1) {
            g = good, g.aux.ld = 36, refused(kn, &g, "aux.ld = 36 is not a multiple of 8 bits");
            g = good, g.batch = 2, g.stride_d = 1024, g.aux.stride = 1025;
            refused(kn, &g, "aux.stride = 1025 is not a multiple of 8 bits");
        }
        g = good, g.batch = 2, g.stride_d = 1024;
        refused(kn, &g, "aux.stride = 0, but batch = 2 products need a place");
    }
    if (kn->c.row_sum) {
        g = good, g.row_out = 0, refused(kn, &g, "row_out is null, but the kernel has .row_sum");
        g = good, g.row_out = (float *)(at + 2), refused(kn, &g, "is not a multiple of 4 bytes");
        g = good, g.workspace = 0, g.workspace_size = 0;
        refused(kn, &g, "workspace_size = 0 is less than the 256 bytes that .row_sum needs");
        g = good, g.workspace_size = 240, refused(kn, &g, "workspace_size = 240 is less than the 256 bytes");
    } else {
        g = good, g.row_out = (float *)at, refused(kn, &g, "row_out is given, but the kernel was generated without");
    }
    g = good, g.max_out = (float *)at;
    if (kn->c.row_sum != TC_MAX_ABS) refused(kn, &g, "max_out is given, but the kernel's .row_sum is not TC_MAX_ABS");
    CUDA_CHECK(cudaFree(at));
}

#define EACH_KERNEL
#include "gemm_problems.h"

int main(int argc, char **argv)
{
    const problem_test test = {"gemm_outputs", one, ONCE(bad_input)};
    return each_problem(&test, problem_args_of(argc, argv, 160));
}
