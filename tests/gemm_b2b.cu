/* gemm_b2b.cu - random problems through TC_GEMM_B2B_DEFINE's kernels against the CPU; and calls that must be refused.
 *     build/tests/gemm_b2b [problems] [seed]        `make fuzz` builds all kernels (B2B_ALL)
 *
 * Two kinds of problems. Of whole numbers: A and B0 of -2..2 and k at most 400, so that sums of the middle are exact in
 * f32, and so is what its hook makes of them; its rounding to 16 bits is done here as the hardware does it. B1 is of
 * -2..2: products are whole numbers below 2^24, and D is what exact sums round to, bit for bit. Of normally
 * distributed numbers: the middle's hook is GELU, and D is held against fp64 with a bound (one_normal says which).
 * What must not be read is NaN; every byte around D must stay; hooks count their calls. */
#define TC_SM90_STUBS
#include "../tc_gemm_b2b.h"
#include "test.h"
#include "refused.h"
#include <time.h>

typedef struct { const float *bias0, *bias1; int *calls; int m, n, n0, pad; } b2b_args;
enum { CALLS_ACT, CALLS_EPI, CALLS_WRONG, CALLS = 4 };

TC_DEV void count(const b2b_args *p, tc_gemm_at at, int which, int how_many)
{
    const int n = which == CALLS_ACT ? p->n0 : p->n;
    atomicAdd(p->calls + which, how_many);
    if (at.row < 0 || at.row >= p->m || at.col < 0 || at.col + how_many > n) atomicAdd(p->calls + CALLS_WRONG, 1);
}
TC_DEV float act_one(float x, tc_gemm_at at, const void *args)
{
    const b2b_args *p = (const b2b_args *)args;
    count(p, at, CALLS_ACT, 1);
    return tc_relu(x + p->bias0[at.col]);
}
TC_DEV tc_f32x2 act_two(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const b2b_args *p = (const b2b_args *)args;
    const tc_f32x2 y = {tc_relu(x.x + p->bias0[at.col]), tc_relu(x.y + p->bias0[at.col + 1])};
    count(p, at, CALLS_ACT, 2);
    return y;
}
TC_DEV float epi_one(float x, tc_gemm_at at, const void *args)
{
    const b2b_args *p = (const b2b_args *)args;
    count(p, at, CALLS_EPI, 1);
    return x + p->bias1[at.col];
}
TC_DEV tc_f32x2 epi_two(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const b2b_args *p = (const b2b_args *)args;
    const tc_f32x2 y = {x.x + p->bias1[at.col], x.y + p->bias1[at.col + 1]};
    count(p, at, CALLS_EPI, 2);
    return y;
}

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_b2b_args *, cudaStream_t);
    tc_status (*can_run)(const tc_gemm_b2b_args *, const char **);
    tc_gemm_b2b_config c;
} kernel;

#define SIZE .epi_size = sizeof(b2b_args)
TC_GEMM_B2B_DEFINE(plain, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_B2B_DEFINE(hooks, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn0 = 128, .act = act_one,
                   .epi = epi_one, SIZE)
TC_GEMM_B2B_DEFINE(pairs, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .bn0 = 192, .bn = 128, .act2 = act_two,
                   .epi2 = epi_two, SIZE)
TC_GEMM_B2B_DEFINE(gelu, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .act = tc_epi_gelu)
#ifdef B2B_ALL
TC_GEMM_B2B_DEFINE(narrow, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bn0 = 64, .bn = 128, .act = act_one, SIZE)
TC_GEMM_B2B_DEFINE(last, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .epi = epi_one, SIZE)
TC_GEMM_B2B_DEFINE(small, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .act2 = act_two, SIZE)
TC_GEMM_B2B_DEFINE(gelu_f16, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn0 = 64, .act = tc_epi_gelu)
#endif
#define ROW(name) {#name, name##_run, name##_can_run, name##_config()}
static const kernel kernels[] = {
    ROW(plain), ROW(hooks), ROW(pairs), ROW(gelu),
#ifdef B2B_ALL
    ROW(narrow), ROW(last), ROW(small), ROW(gelu_f16),
#endif
};
enum { KERNELS = sizeof kernels / sizeof kernels[0], GUARD = 256 };
static int device;
TEST_REFUSED(refused, kernel, tc_gemm_b2b_args)

/* A matrix, or several, between two guards; rows are ld elements apart, matrices stride. */
typedef struct {
    test_buffer at;
    int type, rows, cols, batch;
    int64_t ld, stride;
    int odd; /* elements from an aligned place to the first */
} matrix;

static void *element(const matrix *x, void *base, int z, int row, int col)
{
    const int64_t i = x->odd + z * x->stride + row * x->ld + col;
    return (char *)base + GUARD + i * (tc_type_bits(x->type) / 8);
}
static double get(const matrix *x, int z, int row, int col)
{
    return tc_element_get(element(x, x->at.host, z, row, col), x->type, 0);
}
static void put(const matrix *x, int z, int row, int col, double v)
{
    tc_element_set(element(x, x->at.host, z, row, col), x->type, 0, (float)v);
}
static void *first(const matrix *x) { return element(x, x->at.dev, 0, 0, 0); }

/* All of it NaN, guards too. */
static matrix matrix_make(int type, int rows, int cols, int batch)
{
    const int aligned = test_int(0, 2) != 0;
    matrix x = {{0, 0, 0}, type, rows, cols, batch, 0, 0, 0};
    x.ld = (cols + 7) / 8 * 8 + 8 * test_int(0, 1);
    if (!aligned) x.ld = cols + test_int(0, 3);
    x.stride = (rows * x.ld + 7) / 8 * 8;
    x.at = test_buffer_make((size_t)(x.stride * batch + 4) * (size_t)tc_type_bits(type) / 8 + 2 * GUARD);
    memset(x.at.host, 0xff, x.at.bytes);
    return x;
}
/* One that TMA reads, filled: whole numbers of -2..2, or normal ones. */
static matrix matrix_read(int type, int rows, int cols, int batch, float normal)
{
    matrix x = matrix_make(type, rows, cols, batch);
    test_buffer_drop(&x.at);
    x.ld = (cols + 7) / 8 * 8 + 8 * test_int(0, 1);
    x.stride = rows * x.ld;
    x.at = test_buffer_make((size_t)(x.stride * batch) * 2 + 2 * GUARD);
    memset(x.at.host, 0xff, x.at.bytes);
    for (int z = 0; z < batch; z++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                put(&x, z, i, j, normal != 0.f ? normal * test_normal() : test_int(-2, 2));
    test_buffer_up(&x.at);
    return x;
}

/* A problem: its matrices, and what a call of it is. */
typedef struct {
    int m, n, n0, k, batch;
    float alpha, beta;
    matrix a, b0, b1, c, d;
    test_buffer bias0, bias1, calls;
    b2b_args mine;
    tc_gemm_b2b_args g;
    char what[220];
} problem;

static void problem_make(problem *p, const kernel *kn, uint64_t id, float normal)
{
    const tc_gemm_b2b_config *t = &kn->c;
    const int pairs = t->epi2 != 0, pairs0 = t->act2 != 0, odd = test_int(0, 3) == 0;
    memset(p, 0, sizeof *p);
    p->m = test_int(0, 3) ? test_int(1, 300) : test_int(1, 8);
    p->n = test_int(0, 3) ? test_int(1, 200) : test_int(1, 4) * 64;
    p->n0 = test_int(0, 1) ? t->bn0 : test_int(1, t->bn0);
    p->k = test_int(0, 3) ? test_int(1, 150) : test_int(1, 400);
    if (pairs) p->n += p->n % 2;
    if (pairs0) p->n0 += p->n0 % 2;
    p->batch = test_int(0, 3) ? 1 : 2;
    p->alpha = test_int(0, 2) || normal != 0.f ? 1.f : test_int(0, 2) ? 0.5f : 0.f;
    p->beta = test_int(0, 2) ? 0.f : -0.5f;
    p->a = matrix_read(t->a, p->m, p->k, p->batch, normal);
    p->b0 = matrix_read(t->a, p->n0, p->k, p->batch, normal);
    p->b1 = matrix_read(t->a, p->n, p->n0, p->batch, normal);
    p->d = matrix_make(t->d, p->m, p->n, p->batch);
    p->c = matrix_make(t->d, p->m, p->n, p->batch);
    p->d.odd = odd && !pairs ? test_int(0, 3) : 0;
    for (int z = 0; z < p->batch; z++)
        for (int i = 0; i < p->m; i++)
            for (int j = 0; j < p->n; j++) put(&p->c, z, i, j, test_int(-9, 9));
    p->bias0 = test_buffer_make((size_t)p->n0 * 4), p->bias1 = test_buffer_make((size_t)p->n * 4);
    for (int j = 0; j < p->n0; j++) ((float *)p->bias0.host)[j] = (float)test_int(-9, 9);
    for (int j = 0; j < p->n; j++) ((float *)p->bias1.host)[j] = (float)test_int(-9, 9);
    p->calls = test_buffer_make(CALLS * sizeof(int));
    test_buffer_up(&p->c.at), test_buffer_up(&p->d.at), test_buffer_up(&p->bias0), test_buffer_up(&p->bias1);
    const b2b_args mine = {(const float *)p->bias0.dev, (const float *)p->bias1.dev, (int *)p->calls.dev, p->m, p->n,
                           p->n0, 0};
    p->mine = mine;
    tc_gemm_b2b_args *g = &p->g;
    g->m = p->m, g->n = p->n, g->n0 = p->n0, g->k = p->k, g->batch = p->batch;
    g->lda = p->a.ld, g->ldb0 = p->b0.ld, g->ldb1 = p->b1.ld, g->ldc = p->c.ld, g->ldd = p->d.ld;
    if (p->batch > 1) {
        g->stride_a = p->a.stride, g->stride_c = p->c.stride, g->stride_d = p->d.stride;
        if (test_int(0, 1)) g->stride_b0 = p->b0.stride;
        if (test_int(0, 1)) g->stride_b1 = p->b1.stride;
    }
    if (p->alpha != 0.f || test_int(0, 1)) g->a = first(&p->a), g->b0 = first(&p->b0), g->b1 = first(&p->b1);
    if (p->beta != 0.f) g->c = first(&p->c);
    g->d = first(&p->d);
    g->alpha = &p->alpha, g->beta = &p->beta;
    g->parts = test_int(0, 2) ? 0 : test_int(1, 4);
    g->pdl = test_int(0, 1), g->pdl_constant = test_int(0, 1) ? TC_CONSTANT_B : 0;
    if (t->epi_size == (int)sizeof p->mine) g->epi_args = &p->mine, g->epi_size = sizeof p->mine;
    snprintf(p->what, sizeof p->what, "problem %llu %s m %d n %d n0 %d k %d batch %d alpha %g beta %g parts %d odd %d "
             "ldd %d pdl %d", (unsigned long long)id, kn->name, p->m, p->n, p->n0, p->k, p->batch, p->alpha, p->beta,
             g->parts, p->d.odd, (int)p->d.ld, g->pdl);
}

static void problem_drop(problem *p)
{
    test_buffer *const all[] = {&p->a.at, &p->b0.at, &p->b1.at, &p->c.at, &p->d.at, &p->bias0, &p->bias1, &p->calls};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) test_buffer_drop(all[i]);
}

/* A row of the middle as the kernel has it, and how far f32 sums may be from it (0 of whole numbers). */
static void middle(const kernel *kn, const problem *p, int z, int row, double *mid, double *off)
{
    const tc_gemm_b2b_config *t = &kn->c;
    const int z0 = p->g.stride_b0 ? z : 0, exact = t->act != tc_epi_gelu;
    const double half = t->a == TC_BF16 ? 1. / 256 : 1. / 2048;
    for (int j = 0; j < p->n0; j++) {
        double x = 0, size = 0;
        for (int e = 0; e < p->k; e++) {
            const double y = get(&p->a, z, row, e) * get(&p->b0, z0, j, e);
            x += y, size += fabs(y);
        }
        off[j] = 0;
        if (t->act == tc_epi_gelu) {
            /* k additions that may each lose 2^-22 of the largest sum so far; GELU's slope is below 1.13, and tc_gelu
             * is within 4e-7 of x; then the rounding */
            const double s = (p->k + 1) * 2.4e-7 * size;
            mid[j] = 0.5 * x * erfc(-x * 0.7071067811865476);
            off[j] = 1.13 * s + 4e-7 * fabs(x) + half * (fabs(mid[j]) + 1.13 * s) + 6e-8;
        } else {
            if (t->act || t->act2) x += ((float *)p->bias0.host)[j], x = x < 0 ? 0 : x;
            mid[j] = t->a == TC_BF16 ? tc_f32_from_bf16(tc_bf16_from_f32((float)x))
                                     : tc_f32_from_f16(tc_f16_from_f32((float)x));
        }
        (void)exact;
    }
}

/* D of a call that has run; worst: the largest error as a part of its bound, of whole numbers 2 where any is wrong. */
static void check(const kernel *kn, problem *p, const uint8_t *before)
{
    const tc_gemm_b2b_config *t = &kn->c;
    const int normal = t->act == tc_epi_gelu, size = tc_type_bits(t->d) / 8;
    const double half = t->d == TC_F32 ? 6e-8 : t->d == TC_BF16 ? 1. / 256 : 1. / 2048;
    double *mid = (double *)malloc(sizeof(double) * 512), *off = mid + 256, worst = 0;
    uint8_t *want = (uint8_t *)malloc(p->d.at.bytes);
    int wrong = 0;
    memcpy(want, before, p->d.at.bytes);
    for (int z = 0; z < p->batch; z++)
        for (int i = 0; i < p->m; i++) {
            const int z1 = p->g.stride_b1 ? z : 0;
            if (p->alpha != 0.f) middle(kn, p, z, i, mid, off);
            for (int j = 0; j < p->n; j++) {
                double x = 0, slack = 0, sum = 0;
                for (int e = 0; e < p->n0 && p->alpha != 0.f; e++) {
                    const double b = get(&p->b1, z1, j, e), y = mid[e] * b;
                    x += y, sum += fabs(y), slack += off[e] * fabs(b);
                }
                x *= p->alpha;
                if (p->beta != 0.f) x += p->beta * get(&p->c, z, i, j);
                if (t->epi || t->epi2) x += ((float *)p->bias1.host)[j];
                if (normal) { /* the middle's errors; n0 additions; D's rounding */
                    const double bound = slack + (p->n0 + 1) * 2.4e-7 * (sum + slack) + half * (fabs(x) + slack) + 1e-7;
                    const double error = fabs(get(&p->d, z, i, j) - x) / bound;
                    if (!(error <= worst)) worst = error;
                    memcpy(element(&p->d, want, z, i, j), element(&p->d, p->d.at.host, z, i, j), (size_t)size);
                } else {
                    tc_element_set(element(&p->d, want, z, i, j), t->d, 0, (float)x);
                    if (memcmp(element(&p->d, want, z, i, j), element(&p->d, p->d.at.host, z, i, j), (size_t)size)
                        && wrong++ < 3)
                        printf("    (%d, %d, %d): %g, not %g\n", z, i, j, get(&p->d, z, i, j), x);
                }
            }
        }
    CHECK(worst <= 1, "%s: %.2f of the bound", p->what, worst);
    CHECK(!memcmp(want, p->d.at.host, p->d.at.bytes), "%s: %d elements, or bytes beside D, are wrong", p->what, wrong);
    free(want), free(mid);
}

/* Calls of hooks: of the middle's as many times its elements as there are parts. */
static void check_calls(const kernel *kn, const problem *p)
{
    const int *calls = (const int *)p->calls.host, all = p->m * p->n * p->batch, all0 = p->m * p->n0 * p->batch;
    const int most = (p->n + 63) / 64, parts = p->g.parts;
    if (kn->c.epi_size != (int)sizeof p->mine) return;
    CHECK(calls[CALLS_WRONG] == 0, "%s: %d calls of hooks for what does not exist", p->what, calls[CALLS_WRONG]);
    CHECK(calls[CALLS_EPI] == (kn->c.epi || kn->c.epi2 ? all : 0), "%s: .epi was called %d times, not %d", p->what,
          calls[CALLS_EPI], all);
    if (!kn->c.act && !kn->c.act2) return;
    if (p->alpha == 0.f || parts == 1)
        CHECK(calls[CALLS_ACT] == (p->alpha == 0.f ? 0 : all0), "%s: .act was called %d times", p->what,
              calls[CALLS_ACT]);
    else
        CHECK(calls[CALLS_ACT] % all0 == 0 && calls[CALLS_ACT] / all0 >= 1
                  && calls[CALLS_ACT] / all0 <= (parts && parts < most ? parts : most),
              "%s: .act was called %d times of %d", p->what, calls[CALLS_ACT], all0);
}

static void one(const kernel *kn, uint64_t id)
{
    problem p;
    uint8_t *before, *was;
    problem_make(&p, kn, id, kn->c.act == tc_epi_gelu ? 0.7f : 0.f);
    before = (uint8_t *)malloc(p.d.at.bytes), was = (uint8_t *)malloc(p.d.at.bytes);
    memcpy(before, p.d.at.host, p.d.at.bytes);
    CHECK(kn->run(&p.g, 0) == TC_OK, "%s: %s", p.what, tc_why());
    test_buffer_down(&p.d.at), test_buffer_down(&p.calls);
    check(kn, &p, before);
    check_calls(kn, &p);
    memcpy(was, p.d.at.host, p.d.at.bytes);
    memcpy(p.d.at.host, before, p.d.at.bytes);
    test_buffer_up(&p.d.at);
    p.g.parts = test_int(1, 3); /* another cut, the same bits */
    CHECK(kn->run(&p.g, 0) == TC_OK, "%s: %s", p.what, tc_why());
    test_buffer_down(&p.d.at);
    CHECK(!memcmp(was, p.d.at.host, p.d.at.bytes), "%s: other bits with parts = %d", p.what, p.g.parts);
    free(before), free(was);
    problem_drop(&p);
}

#define REFUSE(st, text, text2) refused(kn, &g, st, text, text2, __LINE__)
static void bad_input(const kernel *kn)
{
    static const float one_ = 1.f;
    b2b_args mine = {0, 0, 0, 0, 0, 0, 0};
    tc_gemm_b2b_args good, g;
    char *at;
    CUDA_CHECK(cudaMalloc((void **)&at, 1 << 20));
    memset(&good, 0, sizeof good);
    good.m = good.n = good.k = good.n0 = 64, good.lda = good.ldb0 = good.ldb1 = good.ldd = 64;
    good.a = good.b0 = good.b1 = at, good.d = at + (1 << 18);
    if (kn->c.epi_size > 0) good.epi_args = &mine, good.epi_size = sizeof mine;
    g = good;
    CHECK(kn->can_run(&g, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    g = good, g.m = 0, g.a = g.b0 = g.b1 = 0;
    CHECK(kn->run(&g, 0) == TC_OK, "%s: m = 0: %s", kn->name, tc_why());
    CHECK(kn->can_run(0, 0) == TC_ERR_NULL, "%s: null", kn->name);
    g = good, g.m = -1, REFUSE(TC_ERR_SIZE, "m = -1", "is negative");
    g = good, g.n = -3, REFUSE(TC_ERR_SIZE, "n = -3", "is negative");
    g = good, g.k = 0, REFUSE(TC_ERR_SIZE, "k = 0", "at least 1");
    g = good, g.n0 = 0, REFUSE(TC_ERR_SIZE, "n0 = 0", "at least 1");
    g = good, g.n0 = -7, REFUSE(TC_ERR_SIZE, "n0 = -7", "at least 1");
    g = good, g.k = 0x7fffffff, REFUSE(TC_ERR_SIZE, "k = 2147483647", "above the limit");
    g = good, g.n0 = 264, g.ldb1 = 264, REFUSE(TC_ERR_SIZE, "n0 = 264", ".bn0 = ");
    g = good, g.lda = 56, REFUSE(TC_ERR_PITCH, "lda = 56", "less than k = 64");
    g = good, g.ldb0 = 56, REFUSE(TC_ERR_PITCH, "ldb0 = 56", "less than k = 64");
    g = good, g.ldb1 = 56, REFUSE(TC_ERR_PITCH, "ldb1 = 56", "less than n0 = 64");
    g = good, g.ldd = 56, REFUSE(TC_ERR_PITCH, "ldd = 56", "less than n = 64");
    g = good, g.lda = 65, REFUSE(TC_ERR_ALIGN, "lda = 65", "16 bytes");
    g = good, g.ldb0 = 68, REFUSE(TC_ERR_ALIGN, "ldb0 = 68", "16 bytes");
    g = good, g.ldb1 = 70, REFUSE(TC_ERR_ALIGN, "ldb1 = 70", "16 bytes");
    g = good, g.a = at + 2, REFUSE(TC_ERR_ALIGN, "a = ", "16 bytes");
    g = good, g.b0 = at + 8, REFUSE(TC_ERR_ALIGN, "b0 = ", "16 bytes");
    g = good, g.b1 = at + 4, REFUSE(TC_ERR_ALIGN, "b1 = ", "16 bytes");
    g = good, g.a = 0, REFUSE(TC_ERR_NULL, "a is null", "");
    g = good, g.b0 = 0, REFUSE(TC_ERR_NULL, "b0 is null", "");
    g = good, g.b1 = 0, REFUSE(TC_ERR_NULL, "b1 is null", "");
    g = good, g.d = 0, REFUSE(TC_ERR_NULL, "d is null", "");
    g = good, g.d = (char *)good.d + 1, REFUSE(TC_ERR_ALIGN, "d = ", "element");
    g = good, g.beta = &one_, g.ldc = 64, REFUSE(TC_ERR_NULL, "c is null", "beta = 1");
    g = good, g.beta = &one_, g.c = at, g.ldc = 3, REFUSE(TC_ERR_PITCH, "ldc = 3", "less than n = 64");
    g = good, g.batch = -1, REFUSE(TC_ERR_BATCH, "batch = -1", "negative");
    g = good, g.batch = 2, REFUSE(TC_ERR_BATCH, "stride_d = 0", "batch = 2");
    g = good, g.batch = 2, g.stride_d = 4096, g.stride_b0 = -8, REFUSE(TC_ERR_BATCH, "stride_b0 = -8", "negative");
    g = good, g.batch = 2, g.stride_d = 4096, g.stride_b1 = 4, REFUSE(TC_ERR_ALIGN, "stride_b1 = 4", "16 bytes");
    g = good, g.parts = -1, REFUSE(TC_ERR_SIZE, "parts = -1", "negative");
    g = good, g.pdl_constant = TC_CONSTANT_A, REFUSE(TC_ERR_CONFIG, "pdl_constant = 1", "TC_CONSTANT_B");
    g = good, g.epi_size = 4, g.epi_args = at, REFUSE(TC_ERR_EPI, "epi_", "");
    if (kn->c.act2) g = good, g.n0 = 63, REFUSE(TC_ERR_SIZE, "n0 = 63 is odd", ".act2");
    if (kn->c.epi2) g = good, g.n = 63, REFUSE(TC_ERR_SIZE, "n = 63 is odd", ".epi2");
    tc_gemm_b2b_config odd = kn->c;
    tc_gemm_b2b_launch l;
    CHECK(tc_gemm_b2b_prepare(&kn->c, &good, 132, &l) == TC_OK && l.grid == 1 && l.smem > 0 && l.cluster == 1,
          "%s: %s", kn->name, tc_why());
    CHECK(tc_gemm_b2b_prepare(&kn->c, &good, 0, &l) == TC_ERR_SIZE && strstr(tc_why(), "sms = 0"), "%s", tc_why());
    g = good, g.m = 0;
    CHECK(tc_gemm_b2b_prepare(&kn->c, &g, 132, &l) == TC_OK && l.grid == 0, "%s: %s", kn->name, tc_why());
    odd.bn0 = 100;
    CHECK(tc_gemm_b2b_prepare(&odd, &good, 132, &l) == TC_ERR_CONFIG && strstr(tc_why(), ".bn0 = 100"), "%s", tc_why());
    CHECK(!tc_gemm_b2b_legal(odd) && tc_gemm_b2b_legal(kn->c), "%s: legal", kn->name);
    CUDA_CHECK(cudaFree(at));
}

int main(int argc, char **argv)
{
    const int problems = argc > 1 ? atoi(argv[1]) : 120;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    device = test_device();
    if (device < 75) {
        SKIP("gemm_b2b: no device");
        return test_end();
    }
    if (device != 90) { /* refused, and in words */
        tc_gemm_b2b_args g;
        const kernel *kn = &kernels[0];
        memset(&g, 0, sizeof g);
        g.m = g.n = g.n0 = g.k = 64, g.lda = g.ldb0 = g.ldb1 = g.ldd = 64;
        g.a = g.b0 = g.b1 = g.d = (void *)(uintptr_t)4096;
        REFUSE(TC_ERR_DEVICE, "plain needs compute capability 9.0", "device 0 has");
        SKIP("gemm_b2b: kernels for 9.0 alone");
        return test_end();
    }
    printf("gemm_b2b: %d problems, seed %llu\n", problems, (unsigned long long)seed);
    for (int i = 0; i < problems || i < KERNELS; i++) {
        const kernel *kn = &kernels[i % KERNELS];
        if (getenv("ONLY") && strcmp(getenv("ONLY"), kn->name)) continue;
        test_seed(seed + (uint64_t)i);
        if (i < problems) one(kn, seed + (uint64_t)i);
        if (i < KERNELS) bad_input(kn);
    }
    return test_end();
}
