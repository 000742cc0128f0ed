/* gemm_f32.cu - gemm_fuzz.cu for products of f32 that keep f32's precision (tc_gemm_f32.h): random problems, then
 * errors, infinities, and rows that are looked up.
 *     build/tests/gemm_f32 [problems] [seed] [largest dimension]
 * gemm_fuzz's bound holds as it is: what is left out of a product (lo * lo and what lo loses) is below 2^-20 |ab| once,
 * and (k + 8) * 2^-23 has that much from 0 on. */
#define FUZZ_KERNELS "gemm_f32.h"
#include "gemm_fuzz.cu"

/* ---- errors ---- */
enum { NORMAL, POSITIVE, SCALES, CANCEL, KINDS };
static const char *const kind_names[KINDS] = {"normal", "0 to 1", "of all scales", "that cancel"};

static float uniform(void) { return (float)((double)(test_random() >> 40) / (double)(1 << 24)); }

/* k elements of a row of A and of a column of B. */
static void fill(int kind, int k, float *a, float *b)
{
    for (int i = 0; i < k; i++) {
        a[i] = kind == POSITIVE ? uniform() : test_normal(), b[i] = kind == POSITIVE ? uniform() : test_normal();
        if (kind == SCALES) a[i] *= (float)exp(4 * test_normal()), b[i] *= (float)exp(4 * test_normal());
    }
    for (int i = k / 2; kind == CANCEL && i < k / 2 * 2; i++)
        a[i] = -a[i - k / 2], b[i] = b[i - k / 2] * (1 + 1e-4f * test_normal());
}

/* What it should be, as f32 in one sum after the other, and in sums of 8 that are added to one. */
typedef struct { double exact, size; float in_turn, by_8; } dots;

static dots dot_of(int k, const float *a, const float *b)
{
    dots d = {0, 0, 0, 0};
    float eight = 0;
    for (int i = 0; i < k; i++) {
        d.exact += (double)a[i] * b[i], d.size += fabs((double)a[i] * b[i]);
        d.in_turn = fmaf(a[i], b[i], d.in_turn), eight = fmaf(a[i], b[i], eight);
        if (i % 8 == 7 || i == k - 1) d.by_8 += eight, eight = 0;
    }
    return d;
}

/* Squares of errors, over the mean square of what is multiplied. */
typedef struct { double ours, in_turn, by_8; } errors;

static void add_errors(errors *e, const dots *d, double got)
{
    const double unit = d->size * d->size * 3.5527136788005009e-15; /* 2^-48 */
    e->ours += (got - d->exact) * (got - d->exact) / unit;
    e->in_turn += (d->in_turn - d->exact) * (d->in_turn - d->exact) / unit;
    e->by_8 += (d->by_8 - d->exact) * (d->by_8 - d->exact) / unit;
}

/* Ours at most twice the larger of the two: of few products, where there is little to add up, their sums come close to
 * one rounding, and 2^-23 of the products' own is let through. */
static void judge(const char *who, int kind, int k, const errors *e, int count)
{
    const double ours = sqrt(e->ours / count), one = sqrt(e->in_turn / count), eight = sqrt(e->by_8 / count);
    const double most = 2 * (one > eight ? one : eight) + 2 / sqrt(k);
    CHECK(ours <= most, "%s, numbers %s, k = %d: error %.3f * 2^-24 of the products, in turn %.3f, by 8 %.3f", who,
          kind_names[kind], k, ours, one, eight);
}

/* Tensor Cores that cut off: products and what they are added to at `guard` bits below the last one of the largest,
 * the sum at 24. What tcemu does is rounded, and less wrong than a GPU. */
static double cut_off(double x, int at) { return ldexp(trunc(ldexp(x, -at)), at); }

static float cutting_mma(float c, const float *a, const float *b, int guard)
{
    int top = -1000;
    double sum;
    for (int i = 0; i < 8; i++)
        if (a[i] != 0 && b[i] != 0 && ilogb(a[i]) + ilogb(b[i]) > top) top = ilogb(a[i]) + ilogb(b[i]);
    if (c != 0 && ilogb(c) > top) top = ilogb(c);
    sum = cut_off(c, top - 23 - guard);
    for (int i = 0; i < 8; i++) sum += cut_off((double)a[i] * b[i], top - 23 - guard);
    return sum == 0 ? 0.f : (float)cut_off(sum, ilogb(sum) - 23);
}

static float tf32_cut(float x) { return tc_f32_from_bits(tc_bits_from_f32(x) & 0xffffe000u); }
static float tf32_near(float x) { return tc_f32_from_bits((tc_bits_from_f32(x) + 0x1000u) & 0xffffe000u); }

/* A sum as the kernels have it: `run` of k at a time, B's hi rounded (mma.sync) or cut off (wgmma). */
static float modelled(int k, const float *a, const float *b, int run, int near, int guard)
{
    static float p[4][8192 + 16]; /* hi and lo of A, of B */
    float sum = 0;
    for (int i = 0; i < k; i++) {
        p[0][i] = tf32_near(a[i]), p[1][i] = tf32_cut(a[i] - p[0][i]);
        p[2][i] = near ? tf32_near(b[i]) : tf32_cut(b[i]);
        p[3][i] = near ? tf32_cut(b[i] - p[2][i]) : tf32_near(b[i] - p[2][i]);
    }
    for (int x = 0; x < 4; x++) memset(p[x] + k, 0, 16 * sizeof(float));
    for (int i = 0; i < k; i += run) {
        float part = 0;
        for (int j = i; j < i + run; j += 8) part = cutting_mma(part, p[1] + j, p[2] + j, guard);
        for (int j = i; j < i + run; j += 8) part = cutting_mma(part, p[0] + j, p[3] + j, guard);
        for (int j = i; j < i + run; j += 8) part = cutting_mma(part, p[0] + j, p[2] + j, guard);
        sum += part;
    }
    return sum;
}

static void model(void)
{
    static const int ks[] = {64, 100, 512, 4096};
    static float a[8192], b[8192];
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < 4; i++) {
            const int k = ks[i], count = 40000 / k > 100 ? 100 : 40000 / k;
            for (int guard = 0; guard < 2; guard++) {
                errors by_8 = {0, 0, 0}, by_16 = {0, 0, 0};
                for (int x = 0; x < count; x++) {
                    fill(kind, k, a, b);
                    const dots d = dot_of(k, a, b);
                    add_errors(&by_8, &d, modelled(k, a, b, 8, 1, guard));
                    add_errors(&by_16, &d, modelled(k, a, b, 16, 0, guard));
                }
                judge("mma.sync that cuts off", kind, k, &by_8, count);
                judge("wgmma that cuts off", kind, k, &by_16, count);
            }
        }
    }
}

/* ---- the kernels ---- */
enum { M = 40, N = 24 };
typedef struct { float *a, *b, *d, *da, *db, *dd; int k; } problem;

static problem problem_of(int k)
{
    problem p;
    p.k = k;
    p.a = (float *)malloc((size_t)M * k * 4), p.b = (float *)malloc((size_t)N * k * 4);
    p.d = (float *)malloc((size_t)M * N * 4);
    CUDA_CHECK(cudaMalloc((void **)&p.da, (size_t)M * k * 4));
    CUDA_CHECK(cudaMalloc((void **)&p.db, (size_t)N * k * 4));
    CUDA_CHECK(cudaMalloc((void **)&p.dd, (size_t)M * N * 4));
    return p;
}

static void drop_problem(problem *p)
{
    free(p->a), free(p->b), free(p->d);
    CUDA_CHECK(cudaFree(p->da));
    CUDA_CHECK(cudaFree(p->db));
    CUDA_CHECK(cudaFree(p->dd));
}

typedef tc_status (*run_fn)(const tc_gemm_args *, cudaStream_t);

static int run_problem(const char *who, run_fn run, problem *p)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = p->k, g.a = p->da, g.lda = p->k, g.b = p->db, g.ldb = p->k, g.d = p->dd, g.ldd = N;
    CUDA_CHECK(cudaMemcpy(p->da, p->a, (size_t)M * p->k * 4, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(p->db, p->b, (size_t)N * p->k * 4, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(p->dd, 0xff, (size_t)M * N * 4));
    const tc_status st = run(&g, 0);
    CHECK(st == TC_OK, "%s: %s", who, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(p->d, p->dd, (size_t)M * N * 4, cudaMemcpyDeviceToHost));
    return st == TC_OK;
}

static void measure(const char *who, run_fn run)
{
    static const int ks[] = {64, 1000};
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < 2; i++) {
            problem p = problem_of(ks[i]);
            errors e = {0, 0, 0};
            /* columns of the first row's kind: what cancels does so for one pair of them */
            for (int x = 0; x < M || x < N; x++)
                fill(kind, p.k, p.a + (x < M ? x : 0) * p.k, p.b + (x < N ? x : 0) * p.k);
            if (run_problem(who, run, &p))
                for (int y = 0; y < M; y++)
                    for (int x = 0; x < N; x++) {
                        const dots d = dot_of(p.k, p.a + y * p.k, p.b + x * p.k);
                        add_errors(&e, &d, p.d[y * N + x]);
                    }
            judge(who, kind, p.k, &e, M * N);
            drop_problem(&p);
        }
    }
}

/* Infinities, NaN, the largest, the smallest: rows of A and columns of B that each have some, everywhere else numbers
 * that a tf32 is exactly, whose lo is 0, or that it is not. */
static void extremes(const char *who, run_fn run, int k)
{
    const float inf = INFINITY, largest = 3.40282347e38f;
    problem p = problem_of(k);
    int bad = 0;
    for (int i = 0; i < M * k; i++) p.a[i] = i / k % 2 ? test_normal() : (float)test_int(-3, 3);
    for (int i = 0; i < N * k; i++) p.b[i] = i / k % 2 ? test_normal() : (float)test_int(1, 3);
    p.a[0 * k + 5] = inf;
    p.a[1 * k + k - 1] = -inf;
    p.a[2 * k + 7] = NAN;
    p.a[3 * k + 0] = inf, p.a[3 * k + k - 1] = -inf;
    for (int x = 0; x < k; x++) p.a[4 * k + x] = x ? 0.f : largest;             /* one product, close to the largest */
    for (int x = 0; x < k; x++) p.a[5 * k + x] = 3e38f;                         /* more than the largest */
    for (int x = 0; x < k; x++) p.a[6 * k + x] = ldexpf(test_normal(), -130);   /* denormal */
    for (int x = 0; x < k; x++) p.a[7 * k + x] = ldexpf(test_normal(), 100);
    for (int x = 0; x < k; x++) p.b[2 * k + x] = ldexpf(test_normal(), 120 - (x % 30));
    p.b[3 * k + 5] = 0.f;                                                       /* times an infinity */
    p.b[4 * k + 9] = -inf;
    p.b[5 * k + 0] = 1.f;
    p.b[6 * k + 0] = 0.f;
    if (run_problem(who, run, &p)) {
        for (int y = 0; y < M; y++) {
            for (int x = 0; x < N; x++) {
                const dots d = dot_of(k, p.a + y * k, p.b + x * k);
                const float got = p.d[y * N + x];
                double tiny = 0, bound;
                for (int i = 0; i < k; i++) tiny += fabs(p.a[y * k + i]) + fabs(p.b[x * k + i]);
                bound = (k + 8) * 1.1920929e-7 * d.size + ldexp(tiny, -136) + 1e-45;
                /* near the largest f32 the order decides; so it does where infinities come of finite numbers */
                const int given = isnan(d.exact) || isinf(d.exact);
                const int same = isnan(d.in_turn) ? isnan(got)
                               : isinf(d.in_turn) ? got == d.in_turn
                                                  : fabs(got - d.exact) <= bound;
                if (same || (!given && d.size > 1.7e38)) continue;
                if (bad++ == 0)
                    printf("%s, k = %d: row %d, column %d: %g, want %g (as f32 %g)\n", who, k, y, x, got, d.exact,
                           d.in_turn);
            }
        }
    }
    CHECK(bad == 0, "%s, k = %d: %d elements wrong beside infinities", who, k, bad);
    CHECK(p.d[4 * N + 5] == largest, "%s: %g of one product of the largest by 1", who, p.d[4 * N + 5]);
    CHECK(p.d[0 * N + 0] == INFINITY, "%s: %g of an infinity by a whole number", who, p.d[0]);
    drop_problem(&p);
}

/* The same by wgmma's own kernels, that of several parts of k too. */
static tc_status split_run(const tc_gemm_args *args, cudaStream_t stream)
{
    const tc_gemm_choice parts = {0, 0, 0, 3, 0, 0};
    tc_gemm_args g = *args;
    once_args none;
    memset(&none, 0, sizeof none);
    none.count = none.stray = (int *)workspace(), none.x = (float *)workspace();
    g.epi_args = &none, g.epi_size = sizeof none;
    g.choice = &parts, g.workspace = (char *)workspace() + (1 << 20), g.workspace_size = WORKSPACE - (1 << 20);
    return h_f32_run(&g, stream);
}

static void extremes_h(void)
{
    extremes("wgmma, k in 3 parts", split_run, 300);
    measure("wgmma, k in 3 parts", split_run);
}

/* Rows of A looked up, by two groups; one row is not there, one is infinite. */
static void look_up(void)
{
    enum { K = 52, ROWS = 11 };
    static const int32_t index[M] = {3, 0, 10, 99, -1, 7, 7, 1}, ends[2] = {13, M};
    problem p = problem_of(K);
    int32_t *rows, *groups;
    float *b, got, *both = (float *)malloc(sizeof(float) * 2 * N * K);
    tc_gemm_args g;
    int bad = 0;
    for (int i = 0; i < M * K; i++) p.a[i] = test_normal();
    for (int i = 0; i < 2 * N * K; i++) both[i] = test_normal();
    p.a[7 * K + 3] = INFINITY, both[5 * K + 3] = 0.f;
    CUDA_CHECK(cudaMalloc((void **)&rows, sizeof index));
    CUDA_CHECK(cudaMalloc((void **)&groups, sizeof ends));
    CUDA_CHECK(cudaMalloc((void **)&b, sizeof(float) * 2 * N * K));
    CUDA_CHECK(cudaMemcpy(rows, index, sizeof index, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(groups, ends, sizeof ends, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(b, both, sizeof(float) * 2 * N * K, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(p.da, p.a, sizeof(float) * M * K, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.a = p.da, g.lda = K, g.b = b, g.ldb = K, g.stride_b = N * K, g.d = p.dd, g.ldd = N;
    g.groups.count = 2, g.groups.ends = groups, g.a_row = rows, g.a_rows = ROWS;
    CHECK(looked_up_run(&g, 0) == TC_OK, "rows that are looked up: %s", tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(p.d, p.dd, sizeof(float) * M * N, cudaMemcpyDeviceToHost));
    for (int y = 0; y < M; y++) {
        for (int x = 0; x < N; x++) {
            const int there = index[y] >= 0 && index[y] < ROWS;
            dots d = {0, 0, 0, 0};
            if (there) d = dot_of(K, p.a + index[y] * K, both + (y < ends[0] ? 0 : N * K) + x * K);
            got = p.d[y * N + x];
            bad += !(isnan(d.in_turn)   ? isnan(got)
                     : isinf(d.in_turn) ? got == d.in_turn
                                        : fabs(got - d.exact) <= (K + 8) * 1.1920929e-7 * d.size);
        }
    }
    CHECK(bad == 0, "rows that are looked up: %d elements wrong", bad);
    CUDA_CHECK(cudaFree(rows));
    CUDA_CHECK(cudaFree(groups));
    CUDA_CHECK(cudaFree(b));
    free(both);
    drop_problem(&p);
}

/* ---- what a call may not be ---- */
#define NO(change, want, words)                                                                                       \
    do {                                                                                                              \
        tc_gemm_args g = good;                                                                                        \
        change;                                                                                                       \
        const tc_status could = any_can_run(&g, 0), st = any_run(&g, 0);                                              \
        CHECK(st == want && could == st, "%s: %s, %s", #change, tc_status_text(could), tc_status_text(st));           \
        CHECK(strstr(tc_why(), words), "%s: %s", #change, tc_why());                                                  \
    } while (0)

static void bad_input(void)
{
    const double two = 2;
    problem p = problem_of(32);
    tc_gemm_args good;
    CUDA_CHECK(cudaMemset(p.dd, 0x5a, (size_t)M * N * 4));
    memset(&good, 0, sizeof good);
    good.m = M, good.n = N, good.k = 32, good.a = p.da, good.lda = 32, good.b = p.db, good.ldb = 32, good.d = p.dd;
    good.ldd = N;
    NO(g.a = (char *)p.da + 2, TC_ERR_ALIGN, "is not a multiple of its element's 4 bytes");
    NO(g.b = (char *)p.db + 1, TC_ERR_ALIGN, "is not a multiple of its element's 4 bytes");
    NO(g.lda = 31, TC_ERR_PITCH, "lda = 31 is less than k = 32");
    NO(g.alpha64 = &two, TC_ERR_CONFIG, "alpha64 is given, but D is f32");
    NO(g.a = 0, TC_ERR_NULL, "a is null");
    CUDA_CHECK(cudaMemcpy(p.d, p.dd, (size_t)M * N * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M * N; i++)
        if (tc_bits_from_f32(p.d[i]) != 0x5a5a5a5au) {
            CHECK(0, "a call that is refused writes D");
            break;
        }
    drop_problem(&p);
}

static void more(int problems, uint64_t seed, int largest)
{
    const int device = test_device();
    (void)problems, (void)seed, (void)largest;
    test_seed(7);
    model();
    measure("TC_GEMM_DEFINE", any_run);
    extremes("TC_GEMM_DEFINE", any_run, 64);
    extremes("TC_GEMM_DEFINE", any_run, 45);
    if (device == 90) extremes_h();
    look_up();
    bad_input();
}
