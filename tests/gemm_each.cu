/* gemm_each.cu - groups whose k the device cuts (TC_GROUPS_K), and products of their own (TC_GROUPS_ARRAY), bit
 * for bit.
 *     build/tests/gemm_each [problems] [seed]
 * Built with -DGROUPS_ALL it has more kernels: other types, layouts and tiles.
 *
 * Elements are small multiples of powers of two, so that sums are exact in any order: D is compared with the host's in
 * every bit. Whatever lies outside of the matrices, of a group's k, in C and D beside them is NaN: what must not be
 * read would show, and what D holds there must stay. Some bounds make no sense, some products cannot be: what the
 * manual says of them is what the test expects. Sums of D (.row_sum, .col_sum, .all_sum) are those of what the test
 * reckons, but for 1e-5 of the size of what is added up. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include "gemm_elements.h"

/* ---- a hook that counts, and knows the group ---- */
typedef struct { int *count, *stray; const float *bias; const int32_t *m, *n; const long long *base; int groups; } told;

TC_DEV float told_one(float x, tc_gemm_at at, const void *args)
{
    const told *p = (const told *)args;
    if (at.group < 0 || at.group >= p->groups || at.batch != at.group || at.col < 0 || at.row < 0
        || at.row >= p->m[at.group] || at.col >= p->n[at.group]) {
        atomicAdd(p->stray, 1);
        return x;
    }
    atomicAdd(p->count + p->base[at.group] + (long long)at.row * p->n[at.group] + at.col, 1);
    return x + p->bias[at.group] + (float)(at.col % 3) * 0.5f;
}

TC_DEV tc_f32x2 told_pair(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    tc_f32x2 r;
    r.x = told_one(x.x, at, args);
    at.col++;
    r.y = told_one(x.y, at, args);
    return r;
}

/* ---- kernels ---- */
typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_status (*plan)(const tc_gemm_args *, tc_gemm_plan *);
    tc_status (*launch)(const tc_gemm_plan *, cudaStream_t);
    size_t (*room)(const tc_gemm_args *);
    int sm, hook, smem;
    tc_gemm_config c;
} kernel;

#define HOOK .epi = told_one, .epi_size = sizeof(told)
#define PAIR .epi2 = told_pair, .epi_size = sizeof(told)
#define BF16 .a = TC_BF16, .b = TC_BF16
#define F16 .a = TC_F16, .b = TC_F16
#define SMALL .bm = 64, .bn = 64
#define OUTER .a_layout = TC_COL, .b_layout = TC_ROW /* k is the outer axis */
#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
TC_GEMM_SM80_DEFINE(k_outer, BF16, .d = TC_F32, .groups = TC_GROUPS_K, OUTER, SMALL, HOOK)
TC_GEMM_SM80_DEFINE(k_inner, F16, .d = TC_F16, .groups = TC_GROUPS_K, SMALL)
TC_GEMM_SM80_DEFINE(k_mixed, BF16, .d = TC_BF16, .groups = TC_GROUPS_K, .b_layout = TC_ROW, .d_layout = TC_COL, SMALL,
                    HOOK)
TC_GEMM_SM80_DEFINE(each, BF16, .d = TC_BF16, .groups = TC_GROUPS_ARRAY, SMALL, .c_type = TC_F32, HOOK)
TC_GEMM_SM80_DEFINE(each_turned, F16, .d = TC_F32, .groups = TC_GROUPS_ARRAY, OUTER, .d_layout = TC_COL, .bm = 32,
                    .bn = 64)
TC_GEMM_DEFINE(any_each, BF16, .d = TC_F32, .groups = TC_GROUPS_ARRAY, .shapes = TC_SHAPES_SMALL, PAIR)
TC_GEMM_DEFINE(any_k, BF16, .d = TC_BF16, .groups = TC_GROUPS_K, OUTER, .shapes = TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED)
TC_GEMM_SM90_DEFINE(k_tma, BF16, .d = TC_BF16, .groups = TC_GROUPS_K, OUTER, .bm = 64, .bn = 128,
                    .schedule = TC_PINGPONG, HOOK)
TC_GEMM_SM90_DEFINE(k_tma_two, F16, .d = TC_F32, .groups = TC_GROUPS_K, OUTER, .bm = 128, .bn = 128, .step = 64,
                    .cluster_n = 2, .d_layout = TC_COL)
TC_GEMM_SM90_DEFINE(k_tma_few, BF16, .d = TC_BF16, .groups = TC_GROUPS_K, OUTER, .bm = 64, .bn = 64, .swap = 1, HOOK)
TC_GEMM_SM90_DEFINE(k_tma_words, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .groups = TC_GROUPS_K, OUTER, .bm = 64,
                    .bn = 64, HOOK)
TC_GEMM_SM90_DEFINE(each_tma, BF16, .d = TC_BF16, .groups = TC_GROUPS_ARRAY, .bm = 64, .bn = 64, .stages = 2,
                    .schedule = TC_PINGPONG, HOOK)
TC_GEMM_SM90_DEFINE(each_tma_outer, F16, .d = TC_F32, .groups = TC_GROUPS_ARRAY, OUTER, .d_layout = TC_COL, .bm = 128,
                    .bn = 128, .step = 64, .c_type = TC_F16)
TC_GEMM_SM80_DEFINE(each_sums, BF16, .d = TC_BF16, .groups = TC_GROUPS_ARRAY, SMALL, .row_sum = TC_SUM,
                    .col_sum = TC_MAX_ABS, .all_sum = TC_MAX_ABS, HOOK)
TC_GEMM_SM80_DEFINE(each_exp, F16, .d = TC_F32, .groups = TC_GROUPS_ARRAY, .bm = 32, .bn = 64,
                    .row_sum = TC_LOG_SUM_EXP, .all_sum = TC_SUM)
TC_GEMM_SM80_DEFINE(each_added, BF16, .d = TC_BF16, .groups = TC_GROUPS_ARRAY, SMALL, .row_sum = TC_MAX_ABS,
                    .col_sum = TC_SUM, .sum_atomic = 1)
TC_GEMM_SM90_DEFINE(each_tma_sums, BF16, .d = TC_BF16, .groups = TC_GROUPS_ARRAY, .bm = 64, .bn = 64,
                    .schedule = TC_PINGPONG, .row_sum = TC_MAX, .col_sum = TC_SUM, HOOK)
TC_GEMM_SM90_DEFINE(each_tma_all, F16, .d = TC_F32, .groups = TC_GROUPS_ARRAY, OUTER, .bm = 128, .bn = 128, .step = 64,
                    .row_sum = TC_SUM_SQ, .all_sum = TC_MAX)
TC_GEMM_DEFINE(any_each_most, BF16, .d = TC_BF16, .groups = TC_GROUPS_ARRAY, .shapes = TC_SHAPES_SMALL,
               .all_sum = TC_MAX_ABS, .row_sum = TC_LOG_SUM_EXP, PAIR)
#ifdef GROUPS_ALL
TC_GEMM_SM80_DEFINE(k_sums, BF16, .d = TC_BF16, .groups = TC_GROUPS_K, OUTER, SMALL, .row_sum = TC_LOG_SUM_EXP,
                    .col_sum = TC_MAX, .all_sum = TC_MAX, HOOK)
TC_GEMM_SM90_DEFINE(each_tma_added, BF16, .d = TC_BF16, .groups = TC_GROUPS_ARRAY, .bm = 64, .bn = 64,
                    .row_sum = TC_SUM, .col_sum = TC_MAX, .sum_atomic = 1)
TC_GEMM_SM90_DEFINE(each_tma_fp8, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .groups = TC_GROUPS_ARRAY, .bm = 128,
                    .bn = 128, HOOK)
TC_GEMM_SM90_DEFINE(each_tma_words, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .groups = TC_GROUPS_ARRAY, .bm = 64,
                    .bn = 32, PAIR)
TC_GEMM_SM90_DEFINE(each_tma_bytes, .a = TC_S8, .b = TC_U8, .d = TC_F32, .groups = TC_GROUPS_ARRAY, .bm = 64, .bn = 96,
                    .bk = 256)
TC_GEMM_SM90_DEFINE(k_tma_wide, BF16, .d = TC_BF16, .groups = TC_GROUPS_K, OUTER, .cluster_n = 2, PAIR)
TC_GEMM_SM90_DEFINE(k_tma_fp8, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .groups = TC_GROUPS_K, OUTER, .bm = 128,
                    .bn = 128, HOOK)
TC_GEMM_SM90_DEFINE(k_tma_bytes, .a = TC_S8, .b = TC_U8, .d = TC_F32, .groups = TC_GROUPS_K, OUTER, .bm = 128, .bn = 64,
                    .schedule = TC_PINGPONG)
TC_GEMM_SM80_DEFINE(k_bytes, .a = TC_S8, .b = TC_U8, .d = TC_F32, .groups = TC_GROUPS_K, SMALL, HOOK)
TC_GEMM_SM80_DEFINE(k_bytes_outer, .a = TC_S8, .b = TC_S8, .d = TC_F32, .groups = TC_GROUPS_K, OUTER, SMALL)
TC_GEMM_SM80_DEFINE(k_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .groups = TC_GROUPS_K, OUTER, SMALL, PAIR)
TC_GEMM_SM80_DEFINE(k_f32, .a = TC_F32, .b = TC_F32, .d = TC_F32, .groups = TC_GROUPS_K, .bm = 64)
TC_GEMM_SM80_DEFINE(k_f64, .a = TC_F64, .b = TC_F64, .d = TC_F64, .groups = TC_GROUPS_K, SMALL)
TC_GEMM_SM80_DEFINE(k_wide, BF16, .d = TC_BF16, .groups = TC_GROUPS_K, .a_layout = TC_COL)
TC_GEMM_SM80_DEFINE(each_wide, F16, .d = TC_F16, .groups = TC_GROUPS_ARRAY, PAIR)
TC_GEMM_SM80_DEFINE(each_bytes, .a = TC_U8, .b = TC_S8, .d = TC_F32, .groups = TC_GROUPS_ARRAY, SMALL, HOOK)
TC_GEMM_SM80_DEFINE(each_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .groups = TC_GROUPS_ARRAY, OUTER, SMALL)
TC_GEMM_SM80_DEFINE(each_f32, .a = TC_F32, .b = TC_F32, .d = TC_F32, .groups = TC_GROUPS_ARRAY, .bm = 64)
TC_GEMM_SM80_DEFINE(each_f64, .a = TC_F64, .b = TC_F64, .d = TC_F64, .groups = TC_GROUPS_ARRAY, OUTER, SMALL)
TC_GEMM_SM80_DEFINE(each_fp8, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .groups = TC_GROUPS_ARRAY, HOOK)
#endif

#define ROW(name, sm, hook, ...)                                                                                      \
    {#name, name##_can_run, name##_run, name##_plan, name##_launch, name##_workspace, sm, hook, __VA_ARGS__,          \
     name##_config()}
#define ROW80(name, hook) ROW(name, 80, hook, name##_SMEM)
#define ROW90(name, hook) ROW(name, 90, hook, name##_SMEM)
static const kernel kernels[] = {
    ROW80(k_outer, 1), ROW80(k_inner, 0), ROW80(k_mixed, 1), ROW80(each, 1), ROW80(each_turned, 0),
    ROW(any_each, 80, 2, 0), ROW(any_k, 80, 0, 0), ROW90(k_tma, 1), ROW90(k_tma_two, 0), ROW90(k_tma_few, 1),
    ROW90(k_tma_words, 1), ROW90(each_tma, 1), ROW90(each_tma_outer, 0),
    ROW80(each_sums, 1), ROW80(each_exp, 0), ROW80(each_added, 0), ROW90(each_tma_sums, 1), ROW90(each_tma_all, 0),
    ROW(any_each_most, 80, 2, 0),
#ifdef GROUPS_ALL
    ROW80(k_sums, 1), ROW90(each_tma_added, 0),
    ROW90(k_tma_wide, 2), ROW90(k_tma_fp8, 1), ROW90(k_tma_bytes, 0),
    ROW90(each_tma_fp8, 1), ROW90(each_tma_words, 2), ROW90(each_tma_bytes, 0),
    ROW80(k_bytes, 1), ROW80(k_bytes_outer, 0), ROW80(k_tf32, 2), ROW80(k_f32, 0), ROW80(k_f64, 0), ROW80(k_wide, 0),
    ROW80(each_wide, 2), ROW80(each_bytes, 1), ROW80(each_tf32, 0), ROW80(each_f32, 0), ROW80(each_f64, 0),
    ROW(each_fp8, 80, 1, each_fp8_SMEM),
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- elements ---- */
/* -1, -1/2 .. 1; of integers 0 .. 2 */
static double random_value(int type)
{
    return type == TC_S8 || type == TC_U8 ? (double)test_int(0, 2) : test_int(-2, 2) * 0.5;
}

static int size_of(int type) { return tc_type_bits(type) / 8; }
static int at_least(int x, int least) { return x < least ? least : x; }
static int between(int x, int least, int most) { return x < least ? least : x > most ? most : x; }
static int64_t pad(int64_t x, int unit) { return (x + unit - 1) / unit * unit; }

/* ---- matrices: of each group one, in a buffer of all of them ---- */
enum { MOST = 300, A = 0, B = 1, C = 2, D = 3 };
typedef struct {
    int type, lines_k, turned;   /* turned: neighbours are those of a column (of B: of a row) */
    int64_t at[MOST], ld[MOST];  /* elements from the buffer's first; -1: the array says null */
    test_buffer data;
} matrix;

typedef struct {
    int count, m, n, k;             /* groups, the most of all */
    int rows[MOST], cols[MOST];     /* what the device is to find */
    int first[MOST], depth[MOST];   /* the k of each: from where on, how many */
    int computed[MOST];
    matrix x[4];
} problem;

/* Where element (line, e) lies: of A row, k; of B column, k; of C and D row, column. */
static size_t place(const matrix *x, int group, int line, int e)
{
    return (size_t)(x->at[group] + (x->turned ? e * x->ld[group] + line : line * x->ld[group] + e));
}

static test_buffer ints_of(int count, int spare)
{
    return test_buffer_make((size_t)(count + spare) * 8);
}

/* Elements of a line of a product's matrix, and lines of it. */
static int64_t length_of(const problem *p, int which, int turned, int group)
{
    const int m = p->rows[group], n = p->cols[group], k = p->depth[group];
    if (which == A) return turned ? m : k;
    if (which == B) return turned ? n : k;
    return turned ? m : n;
}

static int64_t lines_of(const problem *p, int which, int turned, int group)
{
    const int m = p->rows[group], n = p->cols[group], k = p->depth[group];
    if (which == A) return turned ? k : m;
    if (which == B) return turned ? k : n;
    return turned ? n : m;
}

/* NaN everywhere (integers: 0x7f, which no element is). */
static test_buffer make(int64_t count, int type)
{
    test_buffer b = test_buffer_make((size_t)count * (size_t)size_of(type) + 256);
    memset(b.host, type == TC_S8 || type == TC_U8 ? 0x7f : 0xff, b.bytes);
    return b;
}

/* ---- what the call says ---- */
typedef struct {
    tc_gemm_args g;
    test_buffer bounds, sizes[3], pointers[4], pitches[4];
    test_buffer kept[3], work; /* of rows, of columns, of all */
    float alpha32, beta32;
    double alpha, beta;
} call;

/* k of all groups, cut somewhere; some cuts make no sense. */
static void draw_k(problem *p, call *x)
{
    const int odd = test_int(0, 9) == 0, ends = !odd && test_int(0, 3) == 0;
    int at = ends ? 0 : test_int(0, 2) ? 0 : test_int(1, 20);
    x->bounds = ints_of(p->count, 2);
    int32_t *to = (int32_t *)x->bounds.host;
    to[0] = at;
    for (int i = 0; i < p->count; i++) {
        const int way = test_int(0, 5);
        at += p->count > 100 ? test_int(0, 3) : way == 0 ? 0 : way == 1 ? 64 : test_int(1, way < 4 ? 40 : 130);
        to[i + 1] = at;
    }
    p->k = at + (test_int(0, 2) ? 0 : test_int(1, 30));
    if (odd)
        for (int i = 0; i <= p->count; i++)
            if (test_int(0, 2) == 0)
                to[i] = test_int(0, 1) ? test_int(-99, p->k + 99) : test_int(0, 1) ? INT32_MIN : INT32_MAX;
    for (int i = 0; i < p->count; i++) {
        p->rows[i] = p->m, p->cols[i] = p->n, p->computed[i] = 1;
        p->first[i] = between(to[i], 0, p->k), p->depth[i] = between(to[i + 1], p->first[i], p->k) - p->first[i];
    }
    if (ends) memmove(to, to + 1, (size_t)p->count * 4);
    test_buffer_up(&x->bounds);
    *(ends ? &x->g.groups.ends : &x->g.groups.offsets) = (const int32_t *)x->bounds.dev;
}

/* Sizes of each product: in an array, with some below 0 and above the most, or the call's for all. */
static void draw_sizes(problem *p, call *x)
{
    const int mosts[3] = {p->m, p->n, p->k};
    int *const all[3] = {p->rows, p->cols, p->depth};
    const int32_t **const to[3] = {&x->g.groups.each.m, &x->g.groups.each.n, &x->g.groups.each.k};
    const int uniform = test_int(0, 3) == 0;
    for (int s = 0; s < 3; s++) {
        const int given = !uniform && test_int(0, 4);
        x->sizes[s] = ints_of(p->count, 0);
        for (int i = 0; i < p->count; i++) {
            const int way = test_int(0, 29);
            const int size = way == 0 ? -test_int(1, 99) : way == 1 ? mosts[s] + test_int(1, 99) : way < 5 ? 0
                           : way < 9 ? mosts[s] : test_int(0, mosts[s]);
            ((int32_t *)x->sizes[s].host)[i] = size;
            all[s][i] = given ? between(size, 0, mosts[s]) : mosts[s];
        }
        test_buffer_up(&x->sizes[s]);
        if (given) *to[s] = (const int32_t *)x->sizes[s].dev;
    }
    for (int i = 0; i < p->count; i++) p->first[i] = 0, p->computed[i] = 1;
}

/* TC_GROUPS_K: A and B are one matrix each, C and D a batch. */
static void lay_k(const kernel *kn, problem *p, call *x)
{
    for (int w = 0; w < 4; w++) {
        matrix *y = &p->x[w];
        const int many = w >= C, aligned = test_int(0, 1) || (kn->sm == 90 && !many); /* as TMA wants A and B */
        const int unit = aligned ? 16 / size_of(y->type) : 1;
        const int k_lies = w < C && !y->turned; /* k lies together */
        const int along = w == A ? y->turned ? p->m : p->k : w == B ? y->turned ? p->n : p->k
                        : y->turned ? p->m : p->n;
        const int lines = w < C ? y->turned ? p->k : w == A ? p->m : p->n : y->turned ? p->n : p->m;
        const int64_t ld = pad(along, unit) + unit * test_int(0, 2), stride = many ? pad(lines * ld, unit) + unit : 0;
        y->data = make(stride * p->count + lines * ld, y->type);
        for (int i = 0; i < p->count; i++)
            y->at[i] = i * stride + (many ? 0 : k_lies ? p->first[i] : p->first[i] * ld), y->ld[i] = ld;
        int64_t *const pitches[4] = {&x->g.lda, &x->g.ldb, &x->g.ldc, &x->g.ldd};
        *pitches[w] = ld;
    }
    x->g.stride_c = p->x[C].at[p->count > 1 ? 1 : 0], x->g.stride_d = p->x[D].at[p->count > 1 ? 1 : 0];
}

/* TC_GROUPS_ARRAY: matrices somewhere, or a batch; a few that cannot be. */
static void lay_each(const kernel *kn, problem *p, call *x)
{
    int64_t *const pitches[4] = {&x->g.lda, &x->g.ldb, &x->g.ldc, &x->g.ldd};
    int64_t *const strides[4] = {&x->g.stride_a, &x->g.stride_b, &x->g.stride_c, &x->g.stride_d};
    const int64_t **const to[4] = {&x->g.groups.each.lda, &x->g.groups.each.ldb, &x->g.groups.each.ldc,
                                   &x->g.groups.each.ldd};
    const int spoil = test_int(0, 2) == 0;
    for (int w = 0; w < 4; w++) {
        matrix *y = &p->x[w];
        const int size = size_of(y->type), usual = 16 / size, arrays = test_int(0, 3) != 0, lds = test_int(0, 3) != 0;
        const int aligned = test_int(0, 2), unit = aligned == 0 ? 1 : usual;
        const int64_t most = w == A ? y->turned ? p->m : p->k : w == B ? y->turned ? p->n : p->k
                           : y->turned ? p->m : p->n;
        const int64_t most_lines = w == A ? y->turned ? p->k : p->m : w == B ? y->turned ? p->k : p->n
                                 : y->turned ? p->n : p->m;
        const int64_t ld = pad(most, unit) + unit * test_int(0, 2);
        const int64_t stride = pad(most_lines * ld, unit) + unit * test_int(1, 3);
        int64_t at = 0;
        x->pointers[w] = ints_of(p->count, 0), x->pitches[w] = ints_of(p->count, 0);
        for (int i = 0; i < p->count; i++) {
            const int own = aligned == 1 && test_int(0, 5) == 0 ? 1 : unit; /* one that is not like the others */
            y->ld[i] = lds ? pad(length_of(p, w, y->turned, i), own) + own * test_int(0, 3) : ld;
            if (!arrays && y->ld[i] > ld) y->ld[i] = ld; /* lines of one do not reach the next */
            y->at[i] = arrays ? pad(at + test_int(0, 2), own) : i * stride;
            at = y->at[i] + at_least((int)lines_of(p, w, y->turned, i), 1) * y->ld[i] + test_int(0, 40);
        }
        const int64_t all = arrays ? at : p->count * stride;
        y->data = make(all + 64, y->type);
        for (int i = 0; i < p->count; i++) {
            int64_t told_ld = y->ld[i];
            const char *told_at = (const char *)y->data.dev + y->at[i] * size;
            const int read = (w < C ? p->depth[i] > 0 && x->alpha != 0 : w == D || x->beta != 0);
            if (spoil && test_int(0, 12) == 0) {
                const int way = test_int(0, 2);
                const int64_t length = w < C && x->alpha == 0 ? 0 : length_of(p, w, y->turned, i);
                if (way == 0 && arrays) told_at = 0, p->computed[i] &= !read;
                if (way == 1 && arrays && size > 1) told_at += size / 2, p->computed[i] &= !read;
                if (way == 2 && lds) told_ld = test_int(0, 1) ? length - 1 : -3, p->computed[i] &= !read;
            }
            ((const char **)x->pointers[w].host)[i] = told_at;
            ((int64_t *)x->pitches[w].host)[i] = told_ld;
        }
        test_buffer_up(&x->pointers[w]), test_buffer_up(&x->pitches[w]);
        if (lds && (w != C || x->beta != 0)) *to[w] = (const int64_t *)x->pitches[w].dev;
        else *pitches[w] = ld;
        if (!arrays) *strides[w] = stride;
        else if (w == A && p->k) x->g.groups.each.a = (const void *const *)x->pointers[w].dev;
        else if (w == B && p->k) x->g.groups.each.b = (const void *const *)x->pointers[w].dev;
        else if (w == C && x->beta != 0) x->g.groups.each.c = (const void *const *)x->pointers[w].dev;
        else if (w == D) x->g.groups.each.d = (void *const *)x->pointers[w].dev;
    }
    for (int i = 0; i < p->count; i++)
        if (kn->hook == 2 && p->cols[i] % 2) p->computed[i] = 0;
}

static void fill(problem *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int e = 0; e < p->depth[i]; e++) {
            for (int r = 0; r < p->rows[i]; r++)
                put(p->x[A].type, p->x[A].data.host, place(&p->x[A], i, r, e), random_value(p->x[A].type));
            for (int c = 0; c < p->cols[i]; c++)
                put(p->x[B].type, p->x[B].data.host, place(&p->x[B], i, c, e), random_value(p->x[B].type));
        }
        for (int r = 0; r < p->rows[i]; r++)
            for (int c = 0; c < p->cols[i]; c++)
                put(p->x[C].type, p->x[C].data.host, place(&p->x[C], i, r, c), random_value(TC_F32));
    }
    for (int w = 0; w < 4; w++) test_buffer_up(&p->x[w].data);
}

/* ---- sums of D ---- */
/* What is there before: nothing (0xff), or what atomics add to. */
static void kept_reset(const kernel *kn, call *x)
{
    const int kinds[3] = {kn->c.row_sum, kn->c.col_sum, 0};
    for (int w = 0; w < 3; w++) {
        memset(x->kept[w].host, kn->c.sum_atomic ? 0 : 0xff, x->kept[w].bytes);
        for (size_t i = 0; i < x->kept[w].bytes / 4 && kn->c.sum_atomic && kinds[w] == TC_MAX; i++)
            ((float *)x->kept[w].host)[i] = -INFINITY;
        test_buffer_up(&x->kept[w]);
    }
}

/* Places for them, and the workspace: all of it, or (Hopper's kernels) without room for tensor maps. */
static void kept_make(const kernel *kn, const problem *p, call *x)
{
    const size_t places[3] = {(size_t)p->m, (size_t)p->n, 1};
    for (int w = 0; w < 3; w++) x->kept[w] = test_buffer_make((size_t)p->count * places[w] * 4);
    kept_reset(kn, x);
    if (kn->c.row_sum) x->g.row_out = (float *)x->kept[0].dev;
    if (kn->c.col_sum) x->g.col_out = (float *)x->kept[1].dev;
    if (kn->c.all_sum) x->g.all_out = (float *)x->kept[2].dev;
    x->g.workspace_size = test_int(0, 3) ? kn->room(&x->g) : tc__gemm_parts_bytes(&kn->c, &x->g);
    x->work = test_buffer_make(x->g.workspace_size + 256);
    memset(x->work.host, 0xff, x->work.bytes);
    test_buffer_up(&x->work);
    x->g.workspace = x->g.workspace_size ? (char *)x->work.dev + 16 : 0;
}

/* `count` of those that are `apart`, from v on: is `got` what is kept of them? */
typedef struct { const double *v; long long apart; int count; } elements;
static int kept_wrong(int kind, const elements *e, float got)
{
    double most = -INFINITY, size = 0, want = kind == TC_MAX_ABS || kind < TC_MAX ? 0 : -INFINITY;
    for (int i = 0; i < e->count; i++) most = fmax(most, e->v[i * e->apart]);
    for (int i = 0; i < e->count; i++) {
        const double y = e->v[i * e->apart];
        if (kind == TC_SUM) want += y, size += fabs(y);
        else if (kind == TC_SUM_SQ) want += y * y, size += y * y;
        else if (kind == TC_MAX_ABS) want = fmax(want, fabs(y));
        else size += exp(y - most);
    }
    if (kind == TC_MAX) want = most, size = 0;
    if (kind == TC_LOG_SUM_EXP && e->count) want = most + log(size), size = 1 + fabs(want);
    return !(got == want || fabs(got - want) <= 1e-5 * size);
}

/* y: what the hook makes of each product's elements, in its rows. */
static void compare_kept(const kernel *kn, const problem *p, call *x, const double *y)
{
    float *before[3];
    int wrong = 0, outside = 0;
    for (int w = 0; w < 3; w++) {
        before[w] = (float *)malloc(x->kept[w].bytes);
        memcpy(before[w], x->kept[w].host, x->kept[w].bytes);
        test_buffer_down(&x->kept[w]);
    }
    for (int i = 0; i < p->count; y += (long long)p->rows[i] * p->cols[i], i++) {
        const int rows = p->computed[i] ? p->rows[i] : 0, cols = p->computed[i] ? p->cols[i] : 0;
        float *to[3];
        for (int w = 0; w < 3; w++)
            to[w] = (float *)x->kept[w].host + (size_t)i * (size_t)(w == 0 ? p->m : w == 1 ? p->n : 1);
        for (int r = 0; r < rows && kn->c.row_sum; r++) {
            const elements e = {y + (long long)r * cols, 1, cols};
            wrong += kept_wrong(kn->c.row_sum, &e, to[0][r]);
            before[0][to[0] + r - (float *)x->kept[0].host] = to[0][r];
        }
        for (int c = 0; c < cols && kn->c.col_sum; c++) {
            const elements e = {y + c, cols, rows};
            wrong += kept_wrong(kn->c.col_sum, &e, to[1][c]);
            before[1][to[1] + c - (float *)x->kept[1].host] = to[1][c];
        }
        if (kn->c.all_sum) {
            const elements e = {y, 1, rows * cols};
            wrong += kept_wrong(kn->c.all_sum, &e, *to[2]);
            before[2][i] = *to[2];
        }
    }
    for (int w = 0; w < 3; w++) {
        outside += memcmp(before[w], x->kept[w].host, x->kept[w].bytes) != 0;
        free(before[w]);
    }
    CHECK(wrong == 0, "%s: %d sums are wrong", test_context, wrong);
    CHECK(outside == 0, "%s: sums written that no product has", test_context);
}

/* D and what surrounds it beside the host's. */
static void compare(const kernel *kn, problem *p, call *x, const told *hook, const test_buffer *count)
{
    matrix *d = &p->x[D];
    const int *counts = (const int *)count->host;
    const float *bias = (const float *)((const char *)count->host + ((const char *)hook->bias - (char *)count->dev));
    uint8_t *before = (uint8_t *)malloc(d->data.bytes);
    double *y = (double *)calloc(count->bytes / 4 + 1, sizeof(double)); /* there is a count for each */
    int bad = 0, outside = 0, uncounted = 0;
    long long base = 0;
    memcpy(before, d->data.host, d->data.bytes);
    test_buffer_down(&d->data);
    for (int i = 0; i < p->count; i++) {
        for (int r = 0; r < p->rows[i]; r++)
            for (int c = 0; c < p->cols[i]; c++, base++) {
                const size_t to = place(d, i, r, c);
                double sum = 0;
                uncounted += kn->hook && counts[base] != p->computed[i];
                if (!p->computed[i]) continue;
                for (int e = 0; e < p->depth[i] && x->alpha != 0; e++)
                    sum += get(kn->c.a, p->x[A].data.host, place(&p->x[A], i, r, e))
                         * get(kn->c.b, p->x[B].data.host, place(&p->x[B], i, c, e));
                double want = x->alpha * sum;
                if (x->beta != 0) want += x->beta * get(p->x[C].type, p->x[C].data.host, place(&p->x[C], i, r, c));
                if (kn->hook) want += bias[i] + c % 3 * 0.5;
                y[base] = want;
                put(kn->c.d, before, to, want);
                bad += !(get(kn->c.d, before, to) == get(kn->c.d, d->data.host, to));
                memcpy(before + to * (size_t)size_of(kn->c.d), (uint8_t *)d->data.host + to * (size_t)size_of(kn->c.d),
                       (size_t)size_of(kn->c.d));
            }
    }
    for (size_t i = 0; i < d->data.bytes; i++) outside += before[i] != ((uint8_t *)d->data.host)[i];
    CHECK(bad == 0, "%s: %d elements differ", test_context, bad);
    CHECK(outside == 0, "%s: %d bytes written that are no product's", test_context, outside);
    CHECK(uncounted == 0, "%s: %d elements for which the hook is not called once", test_context, uncounted);
    memcpy(d->data.host, before, d->data.bytes);
    if (tc__gemm_keeps(kn->c)) compare_kept(kn, p, x, y);
    free(before), free(y);
}

static void one(const kernel *kn, uint64_t id)
{
    static problem p;
    static call x;
    static tc_gemm_plan plan;
    const tc_gemm_config *t = &kn->c;
    const int cut = t->groups == TC_GROUPS_K, way = test_int(0, 9);
    const double alphas[] = {1, 1, -0.5, 0, 2}, betas[] = {0, 0, 1, -2};
    const int types[4] = {t->a, t->b, tc__gemm_c(*t), t->d};
    memset(&p, 0, sizeof p), memset(&x, 0, sizeof x);
    x.alpha = alphas[test_int(0, 4)], x.beta = betas[test_int(0, 3)];
    x.alpha32 = (float)x.alpha, x.beta32 = (float)x.beta;
    p.count = way == 0 ? 1 : way == 1 ? test_int(30, 70) : way == 2 ? test_int(100, MOST) : test_int(2, 8);
    p.m = p.count > 8 ? test_int(1, p.count > 99 ? 9 : 40) : test_int(0, 3) ? test_int(1, 150) : 64 * test_int(1, 2);
    p.n = p.count > 8 ? test_int(1, p.count > 99 ? 9 : 40) : test_int(0, 3) ? test_int(1, 150) : 64 * test_int(1, 2);
    if (kn->hook == 2) p.n = (int)pad(p.n, 2);
    p.k = test_int(0, 14) == 0 ? 0 : p.count > 8 ? test_int(1, 50) : 64 * test_int(1, 4);
    if (p.count <= 8 && p.k && test_int(0, 2)) p.k = test_int(1, 200);
    for (int w = 0; w < 4; w++) p.x[w].type = types[w];
    p.x[A].turned = t->a_layout == TC_COL, p.x[B].turned = t->b_layout == TC_ROW;
    p.x[C].turned = p.x[D].turned = t->d_layout == TC_COL;
    if (cut) draw_k(&p, &x);
    else draw_sizes(&p, &x);
    if (cut) lay_k(kn, &p, &x);
    else lay_each(kn, &p, &x);
    fill(&p);
    x.g.m = p.m, x.g.n = p.n, x.g.k = p.k, x.g.groups.count = p.count;
    if (p.k && !x.g.groups.each.a) x.g.a = p.x[A].data.dev;
    if (p.k && !x.g.groups.each.b) x.g.b = p.x[B].data.dev;
    if (x.beta != 0 && !x.g.groups.each.c) x.g.c = p.x[C].data.dev;
    if (!x.g.groups.each.d) x.g.d = p.x[D].data.dev;
    if (x.beta == 0 && test_int(0, 1)) x.g.ldc = x.g.stride_c = 0;
    if (t->d == TC_F64) x.g.alpha64 = &x.alpha, x.g.beta64 = &x.beta;
    else x.g.alpha = &x.alpha32, x.g.beta = &x.beta32;
    x.g.groups.expected = test_int(0, 1) ? test_int(1, 300) : 0;
    test_buffer maps = test_buffer_make(1 << 16); /* where Hopper's kernels have tensor maps of products */
    memset(maps.host, 0xff, maps.bytes);
    test_buffer_up(&maps);
    if (!tc__gemm_keeps(*t) && test_int(0, 2))
        x.g.workspace = (char *)maps.dev + 16, x.g.workspace_size = maps.bytes - 256;
    x.g.pdl = test_int(0, 3) == 0;

    size_t elements = 0; /* one buffer: calls of the hook for each element, strays, sizes, bases, biases */
    for (int i = 0; i < p.count; i++) elements += (size_t)p.rows[i] * (size_t)p.cols[i];
    const size_t counted = (elements + 2) / 2 * 2, each = (size_t)p.count + p.count % 2;
    test_buffer count = test_buffer_make((counted + 5 * each) * 4);
    int32_t *at = (int32_t *)count.host, *on = (int32_t *)count.dev;
    const told hook = {on, on + elements, (const float *)(on + counted + 4 * each), on + counted, on + counted + each,
                       (const long long *)(on + counted + 2 * each), p.count};
    long long base = 0;
    for (int i = 0; i < p.count; i++) {
        at[counted + (size_t)i] = p.rows[i], at[counted + each + (size_t)i] = p.cols[i];
        ((long long *)(at + counted + 2 * each))[i] = base;
        ((float *)(at + counted + 4 * each))[i] = (float)random_value(TC_F32);
        base += (long long)p.rows[i] * p.cols[i];
    }
    test_buffer_up(&count);
    if (kn->hook) x.g.epi_args = &hook, x.g.epi_size = sizeof hook;
    if (tc__gemm_keeps(*t)) kept_make(kn, &p, &x);

    snprintf(test_context, sizeof test_context, "%s, problem %llu: m %d n %d k %d groups %d alpha %g beta %g", kn->name,
             (unsigned long long)id, p.m, p.n, p.k, p.count, x.alpha, x.beta);
    tc_status st = kn->run(&x.g, 0);
    CHECK(st == TC_OK, "%s: %s", test_context, tc_why());
    if (st == TC_OK) {
        test_buffer_down(&count);
        CHECK(((int *)count.host)[elements] == 0, "%s: the hook is told %d times of a wrong place", test_context,
              ((int *)count.host)[elements]);
        compare(kn, &p, &x, &hook, &count);
        if (test_int(0, 3) == 0) { /* the same by a plan, over what is there */
            memset(count.host, 0, (elements + 1) * 4);
            test_buffer_up(&count), test_buffer_up(&p.x[D].data);
            if (tc__gemm_keeps(*t)) kept_reset(kn, &x);
            st = kn->plan(&x.g, &plan);
            if (st == TC_OK) st = kn->launch(&plan, 0);
            CHECK(st == TC_OK, "%s: plan: %s", test_context, tc_why());
            test_buffer_down(&count);
            compare(kn, &p, &x, &hook, &count);
        }
    }
    for (int w = 0; w < 4; w++) test_buffer_drop(&p.x[w].data);
    test_buffer_drop(&maps);
    for (int w = 0; w < 3 && tc__gemm_keeps(*t); w++) test_buffer_drop(&x.kept[w]);
    if (tc__gemm_keeps(*t)) test_buffer_drop(&x.work);
    if (cut) test_buffer_drop(&x.bounds);
    for (int s = 0; s < 3 && !cut; s++) test_buffer_drop(&x.sizes[s]);
    for (int w = 0; w < 4 && !cut; w++) test_buffer_drop(&x.pointers[w]), test_buffer_drop(&x.pitches[w]);
    test_buffer_drop(&count);
}

/* ---- what the host refuses, in words ---- */
static void refused(const kernel *kn, const tc_gemm_args *g, const char *words)
{
    const tc_status st = kn->run(g, 0);
    CHECK(st != TC_OK && strstr(tc_why(), words), "%s: status %d, \"%s\", not \"%s\"", kn->name, st,
          st == TC_OK ? "" : tc_why(), words);
}

static void bad_k(const kernel *kn, const tc_gemm_args *good, const int32_t *there)
{
    tc_gemm_args g;
    g = *good, g.groups.offsets = 0;
    refused(kn, &g, "groups.offsets and groups.ends are null, but the kernel's .groups = TC_GROUPS_K");
    g = *good, g.groups.offsets = (const int32_t *)((const char *)there + 1);
    refused(kn, &g, "is not a multiple of 4 bytes");
    g = *good, g.groups.ends = there, refused(kn, &g, "groups.offsets and groups.ends are both given");
    g = *good, g.groups.counts = there;
    refused(kn, &g, "groups.counts is given, but the kernel's .groups = TC_GROUPS_K takes groups.offsets or groups.e");
    g = *good, g.groups.each.m = there;
    refused(kn, &g, "groups.each.m is given, but the kernel's .groups is not TC_GROUPS_ARRAY");
    g = *good, g.stride_a = 8;
    refused(kn, &g, "stride_a = 8, but with TC_GROUPS_K the k of all groups is one matrix's: leave it 0");
    g = *good, g.stride_b = 8, refused(kn, &g, "stride_b = 8, but with TC_GROUPS_K");
    g = *good, g.stride_d = 0, refused(kn, &g, "stride_d = 0, but groups.count = 4 products need a place each");
    if (kn->sm == 90) {
        g = *good, g.a = (const char *)good->a + 8, refused(kn, &g, "is not a multiple of 16 bytes, as TMA needs");
        g = *good, g.ldb = 65, refused(kn, &g, "is not a multiple of 16 bytes, as TMA needs");
        g = *good, g.b = (const void *)4096, refused(kn, &g, "lies less than k = 64 rows above address 0");
    }
    g = *good, g.a = 0, refused(kn, &g, "a is null");
    g = *good, g.ldb = 63, refused(kn, &g, "ldb = 63 is less than");
}

static void bad_each(const kernel *kn, const tc_gemm_args *good, const int32_t *there)
{
    const void *const *pointers = (const void *const *)there;
    tc_gemm_args g;
    g = *good, g.groups.offsets = there;
    refused(kn, &g, "groups.offsets is given, but the kernel's .groups = TC_GROUPS_ARRAY takes groups.each");
    g = *good, g.groups.counts = there;
    refused(kn, &g, "groups.counts is given, but the kernel's .groups = TC_GROUPS_ARRAY takes groups.each");
    g = *good, g.groups.each.a = pointers, refused(kn, &g, "a and groups.each.a are both given: give one of them");
    g = *good, g.groups.each.ldd = (const int64_t *)there, refused(kn, &g, "ldd and groups.each.ldd are both given");
    g = *good, g.groups.each.n = (const int32_t *)((const char *)there + 2);
    refused(kn, &g, "groups.each.n = ");
    g = *good, g.a = 0, g.groups.each.a = (const void *const *)((const char *)there + 4);
    refused(kn, &g, "is not a multiple of 8 bytes");
    g = *good, g.d = 0, g.groups.each.d = (void *const *)there;
    refused(kn, &g, "stride_d = 4096, but groups.each.d says where each matrix lies: leave it 0");
    g = *good, g.d = 0, refused(kn, &g, "d is null");
    g = *good, g.b = 0, refused(kn, &g, "b is null");
    g = *good, g.stride_d = 0, refused(kn, &g, "stride_d = 0, but groups.count = 4 products need a place each");
    g = *good, g.a = 0, g.b = 0, g.k = 0, g.groups.each.b = pointers, refused(kn, &g, "k = 0, but b is given");
    g = *good, g.m = g.n = 1 << 30, g.lda = g.ldb = g.ldd = 1 << 30;
    refused(kn, &g, tc__gemm_twice(kn->c) ? "is less than the " : "more than 2^31 tiles");
    g = *good, g.groups.each.lda = (const int64_t *)there, g.lda = 0, g.m = 0;
    CHECK(kn->run(&g, 0) == TC_OK, "%s: m = 0: %s", kn->name, tc_why());
}

/* A plan of Hopper's whose A and B are others later. k is the outer axis, D column-major. */
static void plan_of_another(const kernel *kn)
{
    enum { M = 72, N = 40, K = 100, COUNT = 3, ROOM = M * K * COUNT };
    static const int32_t at[COUNT + 1] = {3, 33, 33, 98};
    const int cut = kn->c.groups == TC_GROUPS_K;
    test_buffer a[2], b[2], d[2], bounds = test_buffer_make(sizeof at), maps = test_buffer_make(1 << 16);
    static tc_gemm_plan plan;
    tc_gemm_args g;
    for (int i = 0; i < 2; i++) {
        a[i] = make(ROOM, kn->c.a), b[i] = make(ROOM, kn->c.b), d[i] = make(M * N * COUNT, kn->c.d);
        for (size_t e = 0; e < ROOM; e++) {
            put(kn->c.a, a[i].host, e, random_value(kn->c.a));
            put(kn->c.b, b[i].host, e, random_value(kn->c.b));
        }
        test_buffer_up(&a[i]), test_buffer_up(&b[i]), test_buffer_up(&d[i]);
    }
    memcpy(bounds.host, at, sizeof at), test_buffer_up(&bounds);
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.lda = g.ldd = M, g.ldb = N, g.stride_d = M * N, g.groups.count = COUNT;
    if (cut) g.groups.offsets = (const int32_t *)bounds.dev;
    else g.stride_a = M * K, g.stride_b = N * K, g.workspace = maps.dev, g.workspace_size = maps.bytes;
    g.a = a[0].dev, g.b = b[0].dev, g.d = d[1].dev;
    CHECK(kn->plan(&g, &plan) == TC_OK, "%s: %s", kn->name, tc_why());
    g.a = a[1].dev, g.b = b[1].dev, g.d = d[0].dev;
    CHECK(tc_gemm_plan_pointers(&plan, &g) == TC_OK && kn->launch(&plan, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    g.d = d[1].dev;
    CHECK(kn->run(&g, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    test_buffer_down(&d[0]), test_buffer_down(&d[1]);
    CHECK(!memcmp(d[0].host, d[1].host, d[0].bytes), "%s: a plan reads matrices that it was made with", kn->name);
    for (int i = 0; i < 2; i++) test_buffer_drop(&a[i]), test_buffer_drop(&b[i]), test_buffer_drop(&d[i]);
    test_buffer_drop(&bounds), test_buffer_drop(&maps);
}

static void once(const kernel *kn)
{
    static const char hook[sizeof(told)] = {0};
    char *at = 0;
    CUDA_CHECK(cudaMalloc((void **)&at, 1 << 20));
    const int32_t *there = (const int32_t *)at;
    tc_gemm_args good, g;
    memset(&good, 0, sizeof good);
    good.m = good.n = good.k = 64, good.a = good.b = good.d = at, good.lda = good.ldb = good.ldd = 64;
    good.stride_d = 4096, good.groups.count = 4;
    if (kn->hook) good.epi_args = hook, good.epi_size = sizeof hook;
    if (kn->c.groups == TC_GROUPS_K) good.groups.offsets = there;
    if (kn->c.row_sum) good.row_out = (float *)at;
    if (kn->c.col_sum) good.col_out = (float *)at;
    if (kn->c.all_sum) good.all_out = (float *)at;
    if (tc__gemm_twice(kn->c)) good.workspace = at + (1 << 19), good.workspace_size = 1 << 19;
    CHECK(kn->can_run(&good, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    if (!strcmp(kn->name, "k_tma_two") || !strcmp(kn->name, "each_tma_outer")) plan_of_another(kn);
#ifndef FUZZ_KERNELS
    if (!strcmp(kn->name, "each_tma"))
        CHECK(each_tma_workspace(&good) == 4 * 256 + 112, "%d bytes of workspace", (int)each_tma_workspace(&good));
#endif
    if (tc__gemm_twice(kn->c)) {
        const size_t least = tc__gemm_parts_bytes(&kn->c, &good);
        g = good, g.workspace_size = least;
        CHECK(kn->can_run(&g, 0) == TC_OK, "%s: %s", kn->name, tc_why());
        g.workspace_size = least - 16, refused(kn, &g, "is less than the ");
        g = good, g.workspace = 0, g.workspace_size = 0;
        refused(kn, &g, "workspace_size = 0 is less than the ");
    }
    if (kn->c.row_sum) g = good, g.row_out = 0, refused(kn, &g, "row_out is null, but the kernel has .row_sum");
    g = good, g.groups.count = 0, refused(kn, &g, "groups.count = 0 must be in 1..65536");
    g = good, g.groups.count = 65537, refused(kn, &g, "groups.count = 65537 must be in 1..65536");
    g = good, g.groups.expected = -1, refused(kn, &g, "groups.expected = -1 is negative");
    g = good, g.batch = 2, refused(kn, &g, "batch = 2, but the kernel has .groups");
    g = good, g.k = -1, refused(kn, &g, "k = -1 is negative");
    if (kn->c.groups == TC_GROUPS_K) bad_k(kn, &good, there);
    else bad_each(kn, &good, there);
    CUDA_CHECK(cudaFree(at));
}

#define EACH_KERNEL
#include "gemm_problems.h"

int main(int argc, char **argv)
{
    const problem_test test = {"gemm_each", one, ONCE(once)};
    return each_problem(&test, problem_args_of(argc, argv, 210));
}
