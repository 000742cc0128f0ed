/* gemm_quant.cu - random problems through kernels that quantise D, with factors of 128 columns (.d_scale), of 32 in the
 * layout of tc_sf.h (.d_sf) or none, and that keep sums of columns (.col_sum), against fp64 on the CPU: every factor,
 * every element, every byte around each output, and the same bits when a plan runs it again.
 *     build/tests/gemm_quant [problems] [seed]
 * gemm_quant_sm100.cu is this for kernels of tcgen05. -DQUANT_ALL (make fuzz): more of Hopper's and Ampere's.
 *
 * Bounds: a sum of k products in f32 is off by at most (k + 8) * 2^-23 * sum |a b|. A factor is off by the largest of
 * that over the type's largest value, and by three roundings; an element by its sum's error and half a unit in its last
 * place, of what it is times the factor. The largest element of a block is the type's largest value, exactly. What is
 * kept of a column adds m roundings of it. Where another kernel leaves the same sums in f32 (twin), factors and
 * elements are as this program reckons them, bit for bit. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"

typedef struct { const float *bias; } bias_args;
enum { PLAIN, BIAS, PAIR };

TC_DEV float bias(float x, tc_gemm_at at, const void *args) { return x + ((const bias_args *)args)->bias[at.col]; }
TC_DEV tc_f32x2 pair(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const bias_args *p = (const bias_args *)args;
    const tc_f32x2 r = {x.x + p->bias[at.col], x.y + p->bias[at.col + 1]};
    return r;
}

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*plan)(const tc_gemm_args *, tc_gemm_plan *);
    tc_status (*launch)(const tc_gemm_plan *, cudaStream_t);
    size_t (*room)(const tc_gemm_args *);
    int sm, hook, smem;
    tc_status (*twin)(const tc_gemm_args *, cudaStream_t); /* the same tile, D in f32; or null */
    tc_gemm_config c;
} kernel;

#define BF16 .a = TC_BF16, .b = TC_BF16
#define BLOCKS .d_scale = TC_SCALE_1X128
#define HOOKED(hook) hook, .epi_size = sizeof(bias_args)
#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#ifdef QUANT_SM100
TC_GEMM_SM100_DEFINE(sm100, BF16, .d = TC_E4M3, BLOCKS, .bn = 128, .row_sum = TC_SUM, .epi = HOOKED(bias))
TC_GEMM_SM100_DEFINE(sm100_pair, BF16, .d = TC_S8, BLOCKS, .bn = 256, .cluster_m = 2, .c_type = TC_F32,
                     .col_sum = TC_MAX_ABS, .all_sum = TC_MAX_ABS, .aux = TC_F32, .aux_what = TC_AUX_PRE)
TC_GEMM_SM100_DEFINE(sm100_mx, BF16, .d = TC_E4M3, .d_sf = TC_SF_UE8M0_32, .bn = 128, .epi2 = HOOKED(pair))
TC_GEMM_SM100_DEFINE(sm100_nv, BF16, .d = TC_E2M1, .d_sf = TC_SF_UE4M3_16, .c_type = TC_F32, .row_sum = TC_MAX_ABS)
TC_GEMM_SM100_DEFINE(sm100_mx4, BF16, .d = TC_E2M1, .d_sf = TC_SF_UE8M0_32, .bn = 128, .cluster_m = 1,
                     .epi = HOOKED(bias))
TC_GEMM_SM100_DEFINE(sm100_groups, BF16, .d = TC_E4M3, BLOCKS, .bn = 128, .groups = TC_GROUPS_ROWS)
TC_GEMM_SM100_DEFINE(sm100_groups_mx, .a = TC_E4M3, .b = TC_E4M3, .d = TC_E4M3, .sf = TC_SF_UE8M0_32,
                     .d_sf = TC_SF_UE8M0_32, .groups = TC_GROUPS_ROWS, .epi = HOOKED(bias))
TC_GEMM_SM100_DEFINE(sm100_groups_nv, BF16, .d = TC_E2M1, .d_sf = TC_SF_UE4M3_16, .bn = 128, .cluster_m = 1,
                     .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A)
TC_GEMM_SM100_DEFINE(sm100_wide_nv, .a = TC_E4M3, .b = TC_E4M3, .d = TC_E2M1, .sf = TC_SF_UE8M0_32,
                     .d_sf = TC_SF_UE4M3_16, .bn = 384)
TC_GEMM_SM100_DEFINE(sm100_given, BF16, .d = TC_E5M2, .bn = 128, .epi = HOOKED(bias))
TC_GEMM_SM100_DEFINE(sm100_masked_mx, BF16, .d = TC_E2M1, .d_sf = TC_SF_UE8M0_32, .groups = TC_GROUPS_MASKED,
                     .c_type = TC_F32, .epi2 = HOOKED(pair))
TC_GEMM_SM100_DEFINE(sm100_masked, BF16, .d = TC_S8, BLOCKS, .bn = 128, .cluster_n = 2, .groups = TC_GROUPS_MASKED)
TC_GEMM_SM100_DEFINE(sm100_cols, BF16, .d = TC_BF16, .bn = 64, .split = 1, .row_sum = TC_SUM, .col_sum = TC_SUM_SQ,
                     .epi = HOOKED(bias))
#else
TC_GEMM_SM80_DEFINE(sm80, BF16, .d = TC_E4M3, BLOCKS, .col_sum = TC_SUM, .epi = HOOKED(bias))
TC_GEMM_SM80_DEFINE(sm80_s8, .a = TC_S8, .b = TC_S8, .d = TC_S8, BLOCKS, .bm = 32, .warps_n = 4)
TC_GEMM_SM80_DEFINE(sm80_mx, BF16, .d = TC_E5M2, .d_sf = TC_SF_UE8M0_32, .c_type = TC_F16, .bm = 64, .bn = 256,
                    .row_sum = TC_MAX_ABS, .all_sum = TC_MAX_ABS)
TC_GEMM_SM90_DEFINE(sm90, BF16, .d = TC_E4M3, BLOCKS, .bm = 128, .bn = 256, .step = 128, .cluster_m = 2,
                    .row_sum = TC_SUM, .epi = HOOKED(bias))
TC_GEMM_SM90_DEFINE(sm90_pp, BF16, .d = TC_S8, BLOCKS, .bm = 64, .bn = 128, .schedule = TC_PINGPONG, .c_type = TC_F32)
TC_GEMM_SM90_DEFINE(sm90_fp8, .a = TC_E4M3, .b = TC_E5M2, .d = TC_E5M2, BLOCKS, .bm = 64, .bn = 128, .aux = TC_BF16,
                    .aux_what = TC_AUX_PRE)
TC_GEMM_SM90_DEFINE(sm90_twin, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, .bm = 64, .bn = 128)
TC_GEMM_SM90_DEFINE(sm90_mx, BF16, .d = TC_E4M3, .d_sf = TC_SF_UE8M0_32, .bm = 64, .bn = 128, .col_sum = TC_SUM_SQ,
                    .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM90_DEFINE(sm90_given, BF16, .d = TC_E4M3, .bm = 64, .bn = 128, .all_sum = TC_MAX_ABS, .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_groups, BF16, .d = TC_E4M3, BLOCKS, .bm = 64, .bn = 128, .groups = TC_GROUPS_ROWS)
TC_GEMM_SM90_DEFINE(sm90_cols, BF16, .d = TC_BF16, .bn = 128, .step = 16, .split = 1, .col_sum = TC_SUM,
                    .row_sum = TC_SUM_SQ, .epi = HOOKED(bias))
TC_GEMM_SM90_DEFINE(sm90_swap, BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 16, .swap = 1, .split = 1,
                    .col_sum = TC_MAX_ABS, .all_sum = TC_MAX_ABS, .row_sum = TC_SUM)
/* three times 64 rows of one warpgroup */
TC_GEMM_SM90_DEFINE(sm90_rows3, BF16, .d = TC_F32, .bm = 192, .bn = 16, .schedule = TC_PINGPONG, .row_sum = TC_SUM)
#endif
#ifdef QUANT_ALL
TC_GEMM_SM80_DEFINE(sm80_warp, BF16, .d = TC_E5M2, BLOCKS, .bm = 64, .warps_m = 4, .warps_n = 1, .row_sum = TC_SUM_SQ,
                    .epi2 = HOOKED(pair))
TC_GEMM_SM80_DEFINE(sm80_cols, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .bm = 64, .bn = 96, .warps_n = 2,
                    .col_sum = TC_MAX_ABS, .row_sum = TC_MAX_ABS, .all_sum = TC_MAX_ABS, .epi = HOOKED(bias))
TC_GEMM_SM90_DEFINE(sm90_tall, BF16, .d = TC_E5M2, BLOCKS, .bm = 256, .bn = 128, .c_type = TC_F16, .aux = TC_F32,
                    .aux_what = TC_AUX_PRE, .row_sum = TC_MAX_ABS, .col_sum = TC_SUM, .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_turns, BF16, .d = TC_S8, BLOCKS, .bm = 128, .bn = 128, .schedule = TC_PINGPONG,
                    .cluster_n = 2)
TC_GEMM_SM90_DEFINE(sm90_s8, .a = TC_S8, .b = TC_S8, .d = TC_S8, BLOCKS, .bm = 128, .bn = 128, .col_sum = TC_SUM)
TC_GEMM_SM90_DEFINE(sm90_mx5, BF16, .d = TC_E5M2, .d_sf = TC_SF_UE8M0_32, .bm = 128, .bn = 256, .epi = HOOKED(bias))
TC_GEMM_SM90_DEFINE(sm90_k2, BF16, .d = TC_F32, .bm = 64, .bn = 96, .cluster_k = 2, .col_sum = TC_SUM)
TC_GEMM_SM90_DEFINE(sm90_pp_cols, BF16, .d = TC_F32, .bm = 64, .bn = 48, .schedule = TC_PINGPONG, .col_sum = TC_SUM_SQ,
                    .epi = HOOKED(bias))
/* sums of columns in shared memory of their own; widths whose last 16 columns have no box */
TC_GEMM_SM90_DEFINE(sm90_pp_room, BF16, .d = TC_F32, .bm = 128, .bn = 192, .schedule = TC_PINGPONG, .step = 16,
                    .col_sum = TC_SUM_SQ, .epi = HOOKED(bias))
#endif

#define ROW(name, sm, hook, twin)                                                                                     \
    {#name, name##_run, name##_can_run, name##_plan, name##_launch, name##_workspace, sm, hook, name##_SMEM, twin,    \
     name##_config()}
static const kernel kernels[] = {
#ifdef QUANT_SM100
    ROW(sm100, 100, BIAS, 0),        ROW(sm100_pair, 100, PLAIN, 0),   ROW(sm100_mx, 100, PAIR, 0),
    ROW(sm100_cols, 100, BIAS, 0),   ROW(sm100_groups, 100, PLAIN, 0), ROW(sm100_nv, 100, PLAIN, 0),
    ROW(sm100_mx4, 100, BIAS, 0),    ROW(sm100_groups_mx, 100, BIAS, 0), ROW(sm100_groups_nv, 100, PLAIN, 0),
    ROW(sm100_masked_mx, 100, PAIR, 0), ROW(sm100_masked, 100, PLAIN, 0), ROW(sm100_wide_nv, 100, PLAIN, 0),
    ROW(sm100_given, 100, BIAS, 0),
#else
    ROW(sm80, 80, BIAS, 0),          ROW(sm80_s8, 80, PLAIN, 0),       ROW(sm80_mx, 80, PLAIN, 0),
    ROW(sm90, 90, BIAS, 0),          ROW(sm90_pp, 90, PLAIN, 0),       ROW(sm90_fp8, 90, PLAIN, sm90_twin_run),
    ROW(sm90_mx, 90, PLAIN, 0),      ROW(sm90_given, 90, PAIR, 0),     ROW(sm90_groups, 90, PLAIN, 0),
    ROW(sm90_cols, 90, BIAS, 0),     ROW(sm90_swap, 90, PLAIN, 0),     ROW(sm90_rows3, 90, PLAIN, 0),
#endif
#ifdef QUANT_ALL
    ROW(sm80_warp, 80, PAIR, 0),     ROW(sm80_cols, 80, BIAS, 0),      ROW(sm90_tall, 90, PAIR, 0),
    ROW(sm90_turns, 90, PLAIN, 0),   ROW(sm90_s8, 90, PLAIN, 0),       ROW(sm90_mx5, 90, BIAS, 0),
    ROW(sm90_k2, 90, PLAIN, 0),      ROW(sm90_pp_cols, 90, BIAS, 0),
    ROW(sm90_pp_room, 90, BIAS, 0),
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0], GUARD = 256, GROUPS = 3 };

/* Device memory between two guards; mark: what may be written. */
typedef struct {
    uint8_t *dev, *host, *again, *mark;
    size_t bytes;
} span;

static span span_make(size_t bytes)
{
    span s;
    s.bytes = bytes;
    s.host = (uint8_t *)malloc(bytes + 2 * GUARD), s.again = (uint8_t *)malloc(bytes + 2 * GUARD);
    s.mark = (uint8_t *)calloc(bytes + 2 * GUARD, 1);
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
    free(s->host), free(s->again), free(s->mark);
}
static span span_values(size_t count, int type)
{
    span s = span_make(count * (size_t)tc_type_bits(type) / 8);
    for (size_t i = 0; i < count; i++)
        tc_element_set(s.host + GUARD, type, i, type == TC_S8 ? (float)test_int(-100, 100) : test_normal());
    CUDA_CHECK(cudaMemcpy(s.dev + GUARD, s.host + GUARD, s.bytes, cudaMemcpyHostToDevice));
    return s;
}
static void span_mark(const span *s, int64_t at, size_t bytes) { memset(s->mark + GUARD + at, 1, bytes); }
static double element(const span *s, int type, int64_t at)
{
    return tc_element_get(s->host + GUARD, type, (size_t)at);
}
static int strays(const span *s)
{
    int count = 0;
    for (size_t i = 0; i < s->bytes + 2 * GUARD; i++) count += !s->mark[i] && s->host[i] != 0xee;
    return count;
}

/* The type's largest value; half a unit in the last place of a value, or of the smallest. */
static double largest_of(int type)
{
    return type == TC_E4M3 ? 448 : type == TC_E5M2 ? 57344 : type == TC_E2M1 ? 6 : 127;
}
/* .d_sf: columns that share a factor. */
static int wide_of(const tc_gemm_config *t) { return t->d_sf == TC_SF_UE4M3_16 ? 16 : 32; }
static double half_unit(int type, double x)
{
    const double size = fabs(x);
    if (type == TC_S8) return 0.5;
    if (type == TC_E2M1) return size < 2 ? 0.25 : size < 4 ? 0.5 : 1;
    if (type == TC_BF16 || type == TC_F32) return type == TC_F32 ? size * 6e-8 : size / 256;
    return type == TC_E4M3 ? fmax(size / 16, 1. / 1024) : fmax(size / 8, 1. / 131072);
}

/* A call, its memory, and what its result should be. */
typedef struct {
    const kernel *kn;
    int m, n, k, batch;
    int64_t lda, ldb, ldd, ldc, ldx, sa, sb, sc, sd, sx, odd, starts[GROUPS + 1];
    int64_t lines, blocks, batch_scale, batch_sf;
    span a, b, c, bias, d, aux, scale, sf, rows, cols, most, offsets, workspace, twin;
    float alpha, beta;
    tc_gemm_choice choice;
    bias_args hook;
    tc_gemm_args g;
    double *y, *off; /* m x n of each matrix: what the hook makes, and how far off it may be */
    char what[300];
} problem;

/* Of a row of matrix z: which B is its, or -1: no group has it. TC_GROUPS_MASKED: starts are numbers of rows. */
static int group_of(const problem *p, int z, int row)
{
    if (!p->kn->c.groups) return z;
    if (p->kn->c.groups == TC_GROUPS_MASKED) return row < p->starts[z] ? z : -1;
    for (int i = 0; i < GROUPS; i++)
        if (row >= p->starts[i] && row < p->starts[i + 1]) return i;
    return -1;
}
static float factor_of(const problem *p, int z, int i, int j)
{
    return ((const float *)(p->scale.host + GUARD))[z * p->batch_scale + i * p->lines + j / 128 * p->blocks];
}
static int exists(const problem *p, int z, int row) { return group_of(p, z, row) >= 0; }

/* .d_sf: where a row's factor s lies; with TC_GROUPS_ROWS a group's first row begins a block. */
static int64_t sf_of(const problem *p, int z, int row, int s)
{
    const int wide = wide_of(&p->kn->c), i = group_of(p, z, row), first = i < 0 ? 0 : (int)p->starts[i];
    if (p->kn->c.groups == TC_GROUPS_ROWS)
        return (int64_t)tc_sf_at(p->n, wide, tc_sf_group_row(first, i) + row - first, s);
    return z * p->batch_sf + (int64_t)tc_sf_at(p->n, wide, row, s);
}

static void expect(problem *p)
{
    const tc_gemm_config *t = &p->kn->c;
    p->y = (double *)malloc(sizeof(double) * (size_t)(p->batch * p->m) * (size_t)p->n);
    p->off = (double *)malloc(sizeof(double) * (size_t)(p->batch * p->m) * (size_t)p->n);
    for (int z = 0; z < p->batch; z++)
        for (int i = 0; i < p->m; i++)
            for (int j = 0; j < p->n; j++) {
                const int64_t to = (z * (int64_t)p->m + i) * p->n + j;
                const int of = group_of(p, z, i);
                double sum = 0, size = 0, y;
                for (int x = 0; x < p->k && p->alpha != 0 && of >= 0; x++) {
                    const double v = element(&p->a, t->a, z * p->sa + (t->index ? p->m - 1 - i : i) * p->lda + x)
                                   * element(&p->b, t->b, of * p->sb + j * p->ldb + x);
                    sum += v, size += fabs(v);
                }
                y = p->alpha * sum;
                if (p->beta != 0)
                    y += p->beta * element(&p->c, tc__gemm_c(*t), z * p->sc + i * p->ldc + j);
                /* of fp8 the Tensor Cores' own sums have 14 bits, of 128 products at a time */
                p->off[to] = (p->k + 8) * 1.2e-7 * size + (tc__gemm_is_fp8(t->a) ? size / 4096 : 0) + 3e-7 * fabs(y)
                           + (p->kn->hook || p->beta != 0 ? 1e-6 : 0);
                if (p->kn->hook) y += tc_element_get(p->bias.host + GUARD, TC_F32, (size_t)j);
                p->y[to] = y;
            }
}

/* Factors and elements of a row's `wide` columns from j on; 0: no factor. Returns what is wrong, as bits. */
static int block_wrong(const problem *p, int z, int i, int j, int wide)
{
    const tc_gemm_config *t = &p->kn->c;
    const int cols = wide && j + wide < p->n ? wide : p->n - j;
    const int64_t at = (z * (int64_t)p->m + i) * p->n + j;
    const double top = largest_of(t->d);
    double most = 0, off = 0, factor = 1, q_most = 0;
    int wrong = 0;
    for (int x = 0; x < cols; x++) most = fmax(most, fabs(p->y[at + x])), off = fmax(off, p->off[at + x]);
    if (t->d_scale) {
        const double floor = 1.17549435e-38, want = fmax(most / top, floor);
        factor = factor_of(p, z, i, j);
        wrong |= !(fabs(factor - want) <= off / top + 4e-7 * want);
    } else if (t->d_sf) {
        const uint8_t code = p->sf.host[GUARD + sf_of(p, z, i, j / wide)];
        if (wide == 16) { /* to the nearest of ue4m3: 1/16 of a normal number, 2^-10 of others, at least 2^-9 */
            const double want = fmax(most / top, 1. / 512);
            factor = tc_f32_from_ue4m3(code);
            wrong |= !(fabs(factor - want) <= off / top + fmax(want / 16, 1. / 1024) * (1 + 1e-6));
        } else {
            factor = tc_f32_from_ue8m0(code);
            wrong |= !(factor * (1 + 1e-6) >= (most - off) / top);
            wrong |= !(code == 1 || factor / 2 * (1 - 1e-6) < (most + off) / top);
        }
    }
    for (int x = 0; x < cols; x++) {
        const double q = element(&p->d, t->d, p->odd + z * p->sd + i * p->ldd + j + x);
        double y = p->y[at + x];
        if (!tc__gemm_quantised(*t)) {
            wrong |= 2 * !(fabs(q - y) <= p->off[at + x] + half_unit(t->d, y));
            continue;
        }
        if (!wide && fabs(y) > top) y = y < 0 ? -top : top;
        wrong |= 2 * !(fabs(q * factor - y) <= p->off[at + x] + factor * (1 + 2e-6) * half_unit(t->d, y / factor));
        q_most = fmax(q_most, fabs(q));
    }
    if (t->d_scale) wrong |= 4 * (q_most != (factor > 1.2e-38 ? top : 0) && most > 1e-30);
    if (t->d_scale && most == 0 && off == 0) wrong |= 8 * (factor != (double)1.17549435e-38f || q_most != 0);
    return wrong;
}

/* The twin's sums quantised by this program: the same bits. */
static void check_twin(problem *p)
{
    const tc_gemm_config *t = &p->kn->c;
    int wrong = 0;
    tc_gemm_args g = p->g;
    p->twin = span_make((size_t)(p->batch * p->m) * (size_t)p->n * 4);
    g.d = p->twin.dev + GUARD, g.ldd = p->n, g.stride_d = p->batch > 1 ? (int64_t)p->m * p->n : 0;
    memset(&g.d_scale_out, 0, sizeof g.d_scale_out), memset(&g.aux, 0, sizeof g.aux);
    CHECK(p->kn->twin(&g, 0) == TC_OK, "%s: twin: %s", p->what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    span_down(&p->twin, p->twin.host);
    for (int64_t r = 0; r < (int64_t)p->batch * p->m; r++)
        for (int j = 0; j < p->n; j += 128) {
            const float *x = (const float *)(p->twin.host + GUARD) + r * p->n + j;
            const int cols = j + 128 < p->n ? 128 : p->n - j, z = (int)(r / p->m), i = (int)(r % p->m);
            float most = 0;
            for (int e = 0; e < cols; e++) most = fmaxf(most, fabsf(x[e]));
            const float share = 1.f / (float)largest_of(t->d);
            const float factor = fmaxf(most * share, 1.17549435e-38f), inverse = 1.f / factor;
            wrong += factor != factor_of(p, z, i, j);
            for (int e = 0; e < cols; e++)
                wrong += (uint8_t)tc_from_f32(t->d, x[e] * inverse)
                      != p->d.host[GUARD + p->odd + z * p->sd + i * p->ldd + j + e];
        }
    CHECK(!wrong, "%s: %d factors or elements are not the twin's", p->what, wrong);
    span_drop(&p->twin);
}

/* .d_sf: layouts of their own, of matrices or groups: how many, their rows, where they begin. */
static int parts_of(const problem *p) { return p->kn->c.groups == TC_GROUPS_ROWS ? GROUPS : p->batch; }
static int rows_of(const problem *p, int i)
{
    if (p->kn->c.groups == TC_GROUPS_ROWS) return (int)(p->starts[i + 1] - p->starts[i]);
    return p->kn->c.groups ? (int)p->starts[i] : p->m;
}
static int64_t part_at(const problem *p, int i)
{
    if (p->kn->c.groups != TC_GROUPS_ROWS) return i * p->batch_sf;
    return (int64_t)tc_sf_bytes(tc_sf_group_row((int)p->starts[i], i), p->n, wide_of(&p->kn->c));
}

static double keep(int kind, double kept, double y)
{
    if (kind == TC_LOG_SUM_EXP) return kept + exp(y);
    if (kind == TC_MAX) return fmax(kept, y);
    return kind == TC_MAX_ABS ? fmax(kept, fabs(y)) : kept + (kind == TC_SUM_SQ ? y * y : y);
}

/* How far off an element of `count` may have what is kept. */
static double keep_off(int kind, double count, double y, double e)
{
    return kind == TC_SUM_SQ ? 2 * fabs(y) * e + e * e + count * 1.2e-7 * y * y
         : kind == TC_SUM    ? e + count * 1.2e-7 * fabs(y) : e;
}

static void check(problem *p)
{
    const tc_gemm_config *t = &p->kn->c;
    const int wide = t->d_scale ? 128 : t->d_sf ? wide_of(t) : 128;
    int wrong[6] = {0, 0, 0, 0, 0, 0};
    for (int z = 0; z < p->batch; z++) {
        for (int i = 0; i < p->m; i++)
            for (int j = 0; j < p->n && exists(p, z, i); j += wide) {
                const int w = block_wrong(p, z, i, j, tc__gemm_quantised(*t) && !t->d_scale && !t->d_sf ? 0 : wide);
                for (int e = 0; e < 4; e++) wrong[e] += w >> e & 1;
            }
        for (int line = 0; line < 2; line++) { /* rows, columns */
            const int kind = line ? t->col_sum : t->row_sum, count = line ? p->n : p->m, along = line ? p->m : p->n;
            const float *out = (const float *)((line ? p->cols : p->rows).host + GUARD) + z * count;
            for (int i = 0; i < count && kind; i++) {
                double kept = 0, off = 0, most = 0;
                for (int j = 0; j < along; j++) {
                    const int64_t at = line ? (z * (int64_t)p->m + j) * p->n + i : (z * (int64_t)p->m + i) * p->n + j;
                    const double y = p->y[at], e = p->off[at];
                    kept = j || kind != TC_MAX ? keep(kind, kept, y) : y;
                    off += keep_off(kind, along, y, e);
                    most = fmax(most, e);
                }
                if (kind == TC_LOG_SUM_EXP) kept = log(kept), off = most + 1e-6 + 1.2e-7 * fabs(kept);
                wrong[4 + line] += !(fabs(out[i] - kept) <= off + 1e-30);
            }
        }
    }
    CHECK(!wrong[0] && !wrong[3], "%s: %d factors are wrong, %d of zeros", p->what, wrong[0], wrong[3]);
    CHECK(!wrong[1], "%s: %d blocks have wrong elements", p->what, wrong[1]);
    CHECK(!wrong[2], "%s: the largest of %d blocks is not the type's", p->what, wrong[2]);
    CHECK(!wrong[4] && !wrong[5], "%s: %d rows, %d columns are wrong", p->what, wrong[4], wrong[5]);
    if (p->g.all_out) {
        const int64_t count = (int64_t)p->batch * p->m * p->n;
        double kept = 0, off = 0;
        for (int64_t i = 0; i < count; i++) {
            kept = i || t->all_sum != TC_MAX ? keep(t->all_sum, kept, p->y[i]) : p->y[i];
            off += keep_off(t->all_sum, (double)count, p->y[i], p->off[i]);
        }
        CHECK(fabs(*(const float *)(p->most.host + GUARD) - kept) <= off + 1e-30, "%s: all_out is wrong", p->what);
    }
    if (t->d_sf) { /* zeros behind each matrix, or group */
        int full = 0;
        for (int z = 0; z < parts_of(p); z++)
            for (int i = 0; i < (rows_of(p, z) + 127) / 128 * 128; i++)
                for (int s = 0; s < tc_sf_blocks(p->n, wide) * 4; s++)
                    full += (i >= rows_of(p, z) || s >= tc_sf_count(p->n, wide))
                         && p->sf.host[GUARD + part_at(p, z) + (int64_t)tc_sf_at(p->n, wide, i, s)];
        CHECK(!full, "%s: %d factors behind the matrix are not 0", p->what, full);
    }
}

static void one(const kernel *kn, uint64_t id)
{
    const tc_gemm_config *t = &kn->c;
    const int bits = tc_type_bits(t->d), c_type = tc__gemm_c(*t), unit = kn->sm == 80 && test_int(0, 1) ? 1 : 16;
    const int masked = t->groups == TC_GROUPS_MASKED, neat = test_int(0, 2) == 0; /* what goes to D without detours */
    problem p;
    tc_gemm_plan plan;
    memset(&p, 0, sizeof p);
    p.kn = kn;
    p.batch = masked ? GROUPS : t->groups || test_int(0, 3) ? 1 : test_int(2, 3);
    p.m = test_int(1, test_int(0, 1) ? 40 : t->groups && t->d_sf ? 400 : 150);
    p.n = (test_int(1, test_int(0, 1) ? 60 : 300) + 1) / 2 * 2 - (kn->hook != PAIR && test_int(0, 1));
    if (neat) p.n = 128 * test_int(1, 3), p.m = test_int(1, t->groups ? 12 : 4) * 32 + test_int(0, 1) * test_int(0, 31);
    p.k = test_int(0, 7) ? test_int(1, 300) : 0;
    p.odd = test_int(0, 1) ? 0 : test_int(0, 3);
    if (bits == 4) p.n += p.n % 2, p.odd *= 2; /* two elements share a byte */
    p.lda = (p.k + unit - 1) / unit * unit + unit * test_int(0, 2), p.ldb = p.lda + unit * test_int(0, 2);
    p.ldd = test_int(0, 1) ? (p.n + 15) / 16 * 16 : p.n + test_int(0, 5);
    if (bits == 4) p.ldd += p.ldd % 2;
    if (neat && test_int(0, 3)) p.odd = 0, p.ldd = p.n + 128 / bits * test_int(0, 2);
    p.ldc = test_int(0, 1) ? (p.n + 15) / 16 * 16 : p.n + test_int(0, 5);
    if (!tc__gemm_quantised(*t)) p.ldc = p.ldd;
    p.ldx = p.n + test_int(0, 5);
    p.sa = (p.m * p.lda + 15) / 16 * 16, p.sb = (p.n * p.ldb + 15) / 16 * 16;
    p.sc = p.m * p.ldc + 16 * test_int(0, 1), p.sd = p.m * p.ldd + 16 * test_int(0, 1), p.sx = p.m * p.ldx;
    p.alpha = test_int(0, 2) ? 1.f : test_int(0, 4) ? 0.75f : 0.f, p.beta = test_int(0, 2) || neat ? 0.f : -0.5f;
    const int64_t many = (p.n + 127) / 128, mp = p.m + test_int(0, 3), kp = many + test_int(0, 2);
    if (test_int(0, 1)) p.lines = 1, p.blocks = mp, p.batch_scale = mp * many;
    else p.lines = kp, p.blocks = 1, p.batch_scale = kp * p.m;
    p.batch_sf = (int64_t)tc_sf_bytes(p.m, p.n, wide_of(t)) + 16 * test_int(0, 1);
    if (t->groups == TC_GROUPS_ROWS) p.batch_sf = (int64_t)tc_sf_group_bytes(p.m, p.n, wide_of(t), GROUPS);
    for (int i = 0; i <= GROUPS; i++)
        p.starts[i] = masked   ? test_int(0, 3) ? test_int(1, p.m) : 0
                    : i == 0   ? test_int(0, p.m / 4)
                    : test_int(0, 3) ? test_int((int)p.starts[i - 1], p.m) : p.starts[i - 1];
    p.a = span_values((size_t)(p.sa * p.batch), t->a);
    p.b = span_values((size_t)(p.sb * (t->groups ? GROUPS : p.batch)), t->b);
    for (int i = 0; i < p.m; i += 5) /* rows of zeros */
        memset(p.a.host + GUARD + i * p.lda * tc_type_bits(t->a) / 8, 0, (size_t)(p.lda * tc_type_bits(t->a) / 8));
    CUDA_CHECK(cudaMemcpy(p.a.dev + GUARD, p.a.host + GUARD, p.a.bytes, cudaMemcpyHostToDevice));
    p.c = span_values((size_t)(p.sc * p.batch), c_type), p.bias = span_values((size_t)p.n, TC_F32);
    p.d = span_make((size_t)(p.sd * p.batch + p.odd) * (size_t)bits / 8);
    p.aux = span_make((size_t)(p.sx * p.batch) * (size_t)(t->aux ? tc_type_bits(t->aux) / 8 : 1));
    p.scale = span_make((size_t)(p.batch_scale * p.batch) * 4), p.sf = span_make((size_t)(p.batch_sf * p.batch));
    p.rows = span_make((size_t)(p.m * p.batch) * 4), p.cols = span_make((size_t)(p.n * p.batch) * 4);
    p.most = span_make(4), p.offsets = span_make(4 * (GROUPS + 1));
    for (int i = 0; i <= GROUPS; i++) ((int32_t *)(p.offsets.host + GUARD))[i] = (int32_t)p.starts[i];
    CUDA_CHECK(cudaMemcpy(p.offsets.dev + GUARD, p.offsets.host + GUARD, 4 * (GROUPS + 1), cudaMemcpyHostToDevice));
    p.hook.bias = (const float *)(p.bias.dev + GUARD);
    tc_gemm_args *g = &p.g;
    g->m = p.m, g->n = p.n, g->k = p.k, g->lda = p.lda, g->ldb = p.ldb, g->ldc = p.ldc, g->ldd = p.ldd;
    if (p.k) g->a = p.a.dev + GUARD, g->b = p.b.dev + GUARD;
    g->c = p.beta != 0 ? p.c.dev + GUARD : 0, g->d = p.d.dev + GUARD + p.odd * bits / 8;
    g->alpha = &p.alpha, g->beta = &p.beta, g->batch = t->groups ? 0 : p.batch, g->pdl = test_int(-1, 1);
    if (p.batch > 1) g->stride_a = p.sa, g->stride_b = p.sb, g->stride_c = p.sc, g->stride_d = p.sd;
    span looked_up = span_make((size_t)p.m * 4), ones = span_make(t->sf ? 1 << 16 : 16);
    if (t->groups) {
        const int32_t *at = (const int32_t *)(p.offsets.dev + GUARD);
        g->groups.count = GROUPS, g->groups.offsets = masked ? 0 : at, g->groups.counts = masked ? at : 0;
        g->stride_b = p.sb, g->batch = 0;
    }
    if (t->index) { /* A's rows from the last to the first */
        for (int i = 0; i < p.m; i++) ((int32_t *)looked_up.host)[i] = p.m - 1 - i;
        CUDA_CHECK(cudaMemcpy(looked_up.dev, looked_up.host, (size_t)p.m * 4, cudaMemcpyHostToDevice));
        g->a_row = (const int32_t *)looked_up.dev, g->a_rows = p.m;
    }
    CUDA_CHECK(cudaMemset(ones.dev, 127, ones.bytes)); /* factors of 1 */
    if (t->sf) g->sfa = g->sfb = ones.dev;
    if (kn->hook) g->epi_args = &p.hook, g->epi_size = sizeof p.hook;
    if (t->aux) g->aux.p = p.aux.dev + GUARD, g->aux.ld = p.ldx, g->aux.stride = p.batch > 1 ? p.sx : 0;
    if (t->row_sum) g->row_out = (float *)(p.rows.dev + GUARD);
    if (t->col_sum) g->col_out = (float *)(p.cols.dev + GUARD);
    if (t->all_sum) g->all_out = (float *)(p.most.dev + GUARD);
    if (t->d_scale) {
        const tc_gemm_scale s = {(const float *)(p.scale.dev + GUARD), p.lines, p.blocks, p.batch_scale};
        g->d_scale_out = s;
    }
    if (t->d_sf) g->d_sf_out = p.sf.dev + GUARD, g->stride_d_sf = p.batch_sf / 16 * 16;
    if (t->groups == TC_GROUPS_ROWS) g->stride_d_sf = 0;
    p.batch_sf = p.batch_sf / 16 * 16;
    if (t->step && test_int(0, 1)) p.choice.width = t->step * test_int(1, (t->swap ? t->bm : t->bn) / t->step);
    if (t->split && test_int(0, 1)) p.choice.parts = test_int(1, 5);
    if (test_int(0, 3)) g->choice = &p.choice;
    p.workspace = span_make(kn->room(g));
    if (p.workspace.bytes) g->workspace = p.workspace.dev + GUARD, g->workspace_size = p.workspace.bytes;
    snprintf(p.what, sizeof p.what,
             "problem %llu %s m %d n %d k %d batch %d alpha %g beta %g odd %d ldd %d ldc %d w %d p %d",
             (unsigned long long)id, kn->name, p.m, p.n, p.k, p.batch, p.alpha, p.beta, (int)p.odd, (int)p.ldd,
             (int)p.ldc, g->choice ? p.choice.width : 0, g->choice ? p.choice.parts : 0);
    span *all[7] = {&p.d, &p.aux, &p.scale, &p.sf, &p.rows, &p.cols, &p.most};
    CHECK(kn->run(g, 0) == TC_OK, "%s: %s", p.what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 7; i++) span_down(all[i], all[i]->host);
    CHECK(kn->plan(g, &plan) == TC_OK && kn->launch(&plan, 0) == TC_OK, "%s: %s", p.what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 7; i++) {
        span_down(all[i], all[i]->again);
        CHECK(!memcmp(all[i]->host, all[i]->again, all[i]->bytes + 2 * GUARD), "%s: other bits of output %d", p.what,
              i);
    }
    for (int z = 0; z < p.batch; z++) {
        for (int i = 0; i < p.m; i++) {
            if (!exists(&p, z, i)) continue;
            span_mark(&p.d, (p.odd + z * p.sd + i * p.ldd) * bits / 8, (size_t)(p.n * bits / 8));
            if (t->aux) span_mark(&p.aux, (z * p.sx + i * p.ldx) * tc_type_bits(t->aux) / 8,
                                  (size_t)(p.n * tc_type_bits(t->aux) / 8));
            for (int j = 0; j < many && t->d_scale; j++)
                span_mark(&p.scale, 4 * (z * p.batch_scale + i * p.lines + j * p.blocks), 4);
        }
    }
    for (int i = 0; i < parts_of(&p) && t->d_sf; i++)
        span_mark(&p.sf, part_at(&p, i), tc_sf_bytes(rows_of(&p, i), p.n, wide_of(t)));
    if (t->row_sum) span_mark(&p.rows, 0, p.rows.bytes);
    if (t->col_sum) span_mark(&p.cols, 0, p.cols.bytes);
    if (g->all_out) span_mark(&p.most, 0, 4);
    for (int i = 0; i < 7; i++)
        CHECK(!strays(all[i]), "%s: %d bytes written beside output %d", p.what, strays(all[i]), i);
    expect(&p);
    check(&p);
    if (kn->twin && p.beta == 0) check_twin(&p);
    for (int i = 0; i < 7; i++) span_drop(all[i]);
    span_drop(&p.a), span_drop(&p.b), span_drop(&p.c), span_drop(&p.bias), span_drop(&p.offsets);
    span_drop(&p.workspace), span_drop(&looked_up), span_drop(&ones);
    free(p.y), free(p.off);
}

/* A block with an infinity or NaN is NaN all over once it is multiplied by its factor, and no other is. */
static void not_finite(const kernel *kn, int M, int N)
{
    enum { K = 64, BAD = 3, WORSE = 7 };
    const tc_gemm_config *t = &kn->c;
    span a = span_values(M * K, t->a), b = span_values(N * K, t->b), d = span_make(M * N), scale = span_make(M * 2 * 4);
    span sf = span_make(tc_sf_bytes(M, N, wide_of(t))), nothing = span_make((size_t)N * 4);
    const bias_args hook = {(const float *)(nothing.dev + GUARD)};
    tc_gemm_args g;
    int wrong = 0;
    tc_element_set(a.host + GUARD, t->a, BAD * K + 5, NAN);
    tc_element_set(a.host + GUARD, t->a, WORSE * K + 9, INFINITY);
    CUDA_CHECK(cudaMemcpy(a.dev + GUARD, a.host + GUARD, a.bytes, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.lda = g.ldb = K, g.ldd = N, g.a = a.dev + GUARD, g.b = b.dev + GUARD;
    g.d = d.dev + GUARD;
    CUDA_CHECK(cudaMemset(nothing.dev, 0, nothing.bytes + GUARD));
    if (kn->hook) g.epi_args = &hook, g.epi_size = sizeof hook;
    const tc_gemm_scale s = {(const float *)(scale.dev + GUARD), 2, 1, 0};
    if (t->d_scale) g.d_scale_out = s;
    else g.d_sf_out = sf.dev + GUARD;
    float *kept;
    void *room = 0;
    const size_t bytes = tc__gemm_twice(*t) ? 1 << 16 : 0;
    CUDA_CHECK(cudaMalloc((void **)&kept, 4096));
    if (bytes) CUDA_CHECK(cudaMalloc(&room, bytes));
    if (t->row_sum) g.row_out = kept;
    if (t->col_sum) g.col_out = kept + 512;
    if (t->all_sum) g.all_out = kept + 1023;
    g.workspace = room, g.workspace_size = bytes;
    CHECK(kn->run(&g, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    span_down(&d, d.host), span_down(&scale, scale.host), span_down(&sf, sf.host);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            const int wide = wide_of(t);
            const uint8_t code = sf.host[GUARD + (t->d_scale ? 0 : tc_sf_at(N, wide, i, j / wide))];
            const float factor = t->d_scale ? ((const float *)(scale.host + GUARD))[i * 2 + j / 128]
                               : wide == 16 ? tc_f32_from_ue4m3(code) : tc_f32_from_ue8m0(code);
            const float x = tc_element_get(d.host + GUARD, t->d, (size_t)(i * N + j)) * factor;
            wrong += (x != x) != (i == BAD || i == WORSE);
        }
    CHECK(!wrong, "%s: %d elements are NaN that should not be, or are not", kn->name, wrong);
    span_drop(&a), span_drop(&b), span_drop(&d), span_drop(&scale), span_drop(&sf), span_drop(&nothing);
    CUDA_CHECK(cudaFree(kept));
    CUDA_CHECK(cudaFree(room));
}

/* What is refused, and in which words. */
static void refused(const kernel *kn, const tc_gemm_args *g, const char *words)
{
    const char *why = "";
    CHECK(kn->can_run(g, &why) != TC_OK && strstr(why, words), "%s: \"%s\", not \"%s\"", kn->name, why, words);
}

static void bad_input(const kernel *kn)
{
    static const bias_args none = {0};
    const tc_gemm_config *t = &kn->c;
    const float one_of = 1.f;
    char *at;
    tc_gemm_args good, g;
    CUDA_CHECK(cudaMalloc((void **)&at, 1 << 17));
    memset(&good, 0, sizeof good);
    good.m = good.k = 32, good.n = 200, good.lda = good.ldb = 32, good.ldd = good.ldc = 200;
    good.a = good.b = at, good.d = at + 16384;
    if (t->sf) good.sfa = good.sfb = at;
    if (t->groups) {
        const int masked = t->groups == TC_GROUPS_MASKED;
        good.groups.count = 2;
        *(masked ? &good.groups.counts : &good.groups.offsets) = (const int32_t *)at;
        if (masked) good.stride_a = 1024, good.stride_d = 6400, good.stride_d_sf = 2048;
        if (t->index) good.a_row = (const int32_t *)at, good.a_rows = 32;
        if (kn->hook) good.epi_args = &none, good.epi_size = sizeof none;
        good.d_sf_out = at + 4096;
        if (t->d_sf) {
            CHECK(kn->can_run(&good, 0) == TC_OK, "%s: %s", kn->name, tc_why());
            g = good, g.d_sf_out = 0, refused(kn, &g, "d_sf_out is null, but the kernel has .d_sf");
            g = good, g.d_sf_out = at + 8, refused(kn, &g, "must be multiples of 16 bytes");
            g = good, g.stride_d_sf = 16;
            refused(kn, &g, masked ? "stride_d_sf = 16 is less than the 1024 bytes of a product's factors"
                                   : "stride_d_sf = 16, but with TC_GROUPS_ROWS the factors of all groups are one");
        }
        return (void)cudaFree(at);
    }
    if (t->aux) good.aux.p = at + 65536, good.aux.ld = 200;
    if (kn->hook) good.epi_args = &none, good.epi_size = sizeof none;
    if (t->row_sum) good.row_out = (float *)(at + 8192);
    if (t->col_sum) good.col_out = (float *)(at + 8192);
    if (t->all_sum) good.all_out = (float *)(at + 8192);
    if (tc__gemm_twice(*t)) good.workspace = at + 98304, good.workspace_size = 16384;
    const tc_gemm_scale scale = {(const float *)(at + 4096), 1, 32, 0};
    if (t->d_scale) good.d_scale_out = scale;
    if (t->d_sf) good.d_sf_out = at + 4096;
    CHECK(kn->can_run(&good, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    if (t->d_scale) {
        g = good, g.d_scale_out.at = 0, refused(kn, &g, "d_scale_out.at is null, but the kernel has .d_scale");
        g = good, g.d_scale_out.at = (const float *)(at + 2), refused(kn, &g, "is not a multiple of 4 bytes");
        g = good, g.d_scale_out.lines = 0, refused(kn, &g, "d_scale_out.lines = 0 must be at least 1, and times 32");
        g = good, g.d_scale_out.blocks = 0;
        refused(kn, &g, "d_scale_out.blocks = 0 must be at least 1: there are 2 blocks of columns");
        g = good, g.batch = 2, g.stride_d = 6400, g.aux.stride = t->aux ? 6400 : 0;
        refused(kn, &g, "d_scale_out.batch = 0, but each product needs a place");
    } else {
        g = good, g.d_scale_out = scale;
        refused(kn, &g, "d_scale_out is given, but the kernel was generated without .d_scale");
    }
    if (t->d_sf) {
        g = good, g.d_sf_out = 0, refused(kn, &g, "d_sf_out is null, but the kernel has .d_sf");
        g = good, g.d_sf_out = at + 8, refused(kn, &g, "must be multiples of 16 bytes");
        g = good, g.batch = 2, g.stride_d = 6400, g.stride_d_sf = 16;
        refused(kn, &g, wide_of(t) == 16 ? "stride_d_sf = 16 is less than the 2048 bytes of a product's factors"
                                         : "stride_d_sf = 16 is less than the 1024 bytes of a product's factors");
    }
    if (t->d == TC_E2M1) {
        g = good, g.n = 199, refused(kn, &g, "n = 199, ldd = 200 and stride_d = 0 must be even");
        g = good, g.ldd = 201, refused(kn, &g, "n = 200, ldd = 201 and stride_d = 0 must be even");
    }
    if (!t->d_sf) {
        g = good, g.d_sf_out = at, refused(kn, &g, "d_sf_out is given, but the kernel was generated without .d_sf");
    }
    if (t->col_sum) {
        g = good, g.col_out = 0, refused(kn, &g, "col_out is null, but the kernel has .col_sum");
        g = good, g.col_out = (float *)(at + 2), refused(kn, &g, "col_out = ");
        g = good, g.workspace_size = 16, refused(kn, &g, "workspace_size = 16 is less than the");
    } else {
        g = good, g.col_out = (float *)at, refused(kn, &g, "col_out is given, but the kernel was generated without");
    }
    if (tc__gemm_c(*t) != TC_S8) {
        g = good, g.beta = &one_of, g.c = at + 1;
        refused(kn, &g, tc__gemm_c(*t) == TC_F32 ? "is not a multiple of its element's 4 bytes"
                                                 : "is not a multiple of its element's 2 bytes");
    }
    CUDA_CHECK(cudaFree(at));
}

static void once(const kernel *kn)
{
    const int plain = kn->c.a == TC_BF16 && !kn->c.groups && !kn->c.aux;
    bad_input(kn);
    if ((kn->c.d_scale || kn->c.d_sf) && plain) not_finite(kn, 20, 140), not_finite(kn, 64, 128);
}

#define EACH_KERNEL
#include "gemm_problems.h"

int main(int argc, char **argv)
{
    const problem_test test = {"gemm_quant", one, ONCE(once)};
    return each_problem(&test, problem_args_of(argc, argv, 160));
}
