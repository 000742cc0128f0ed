/* gemm_tiles.cu - random problems through kernels that do not compute all of D (.triangle, .tile, .keep), all of k
 * (.k_range) or all of A (.bsr), against integers on the CPU: every element of D and every byte that must stay.
 *     build/tests/gemm_tiles [problems] [seed]        `make fuzz` builds all kernels (TILES_ALL)
 *
 * Elements are whole numbers of -3..3 and k is 512 at most, alpha and beta are multiples of 1/4: sums are exact in f32,
 * and D is what exact sums round to. What must not be read is NaN. */
#define TC_SM90_STUBS
#include "../tc_gemm.h"
#include "test.h"

typedef struct { const float *bias; int below, above, reach; } tiles_args;

TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
{
    return tc_relu(x + ((const tiles_args *)args)->bias[at.col]);
}
/* Elements whose column lies between row - below and row + above. */
TC_DEV int band(tc_gemm_tile t, const void *args)
{
    const tiles_args *p = (const tiles_args *)args;
    const int least = t.col - (t.row_end - 1), most = t.col_end - 1 - t.row;
    if (most < -p->below || least > p->above) return TC_TILE_SKIP;
    return least >= -p->below && most <= p->above ? TC_TILE_WHOLE : TC_TILE_PARTIAL;
}
TC_DEV int in_band(tc_gemm_at at, const void *args)
{
    const tiles_args *p = (const tiles_args *)args;
    return at.col - at.row >= -p->below && at.col - at.row <= p->above;
}
/* Row i of A has elements i - reach to i + reach. */
TC_DEV tc_gemm_k reach(tc_gemm_tile t, const void *args)
{
    const tc_gemm_k k = {t.row - ((const tiles_args *)args)->reach, t.row_end + ((const tiles_args *)args)->reach};
    return k;
}

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*plan)(const tc_gemm_args *, tc_gemm_plan *);
    tc_status (*launch)(const tc_gemm_plan *, cudaStream_t);
    int sm, smem;
    tc_gemm_config c;
} kernel;

#define HOOKED .epi = bias_relu, .epi_size = sizeof(tiles_args)
#define BANDED .tile = band, .keep = in_band
#define TYPES .a = TC_BF16, .b = TC_BF16, .d = TC_BF16
#define TO_F32 .a = TC_BF16, .b = TC_BF16, .d = TC_F32
#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#ifndef TILES_NO_90
TC_GEMM_SM90_DEFINE(low90, TYPES, .bm = 64, .bn = 64, .cluster_m = 2, .triangle = TC_TRIANGLE_LOWER, HOOKED)
TC_GEMM_SM90_DEFINE(up90, TO_F32, .bm = 64, .bn = 48, .schedule = TC_PINGPONG, .triangle = TC_TRIANGLE_UPPER)
TC_GEMM_SM90_DEFINE(swap90, TYPES, .bm = 64, .bn = 64, .step = 8, .swap = 1, .triangle = TC_TRIANGLE_LOWER, HOOKED)
TC_GEMM_SM90_DEFINE(reach90, TO_F32, .bm = 64, .bn = 64, .schedule = TC_PINGPONG, BANDED, .k_range = reach,
                    .epi_size = sizeof(tiles_args))
TC_GEMM_SM90_DEFINE(bsr90, TYPES, .bm = 64, .bn = 64, .cluster_n = 2, .bsr = 64, HOOKED)
TC_GEMM_SM90_DEFINE(bsr_turns90, TO_F32, .bm = 64, .bn = 48, .schedule = TC_PINGPONG, .b_layout = TC_ROW, .bsr = 128)
#ifdef TILES_ALL
TC_GEMM_SM90_DEFINE(s8_90, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bm = 128, .bn = 32, .cluster_n = 2,
                    .triangle = TC_TRIANGLE_LOWER)
TC_GEMM_SM90_DEFINE(band90, TYPES, .bm = 64, .bn = 32, .cluster_m = 2, BANDED, HOOKED)
TC_GEMM_SM90_DEFINE(reach_low90, TYPES, .bm = 64, .bn = 64, .cluster_n = 2, .triangle = TC_TRIANGLE_LOWER,
                    .k_range = reach, HOOKED)
TC_GEMM_SM90_DEFINE(col90, TYPES, .bm = 32, .bn = 64, .d_layout = TC_COL, .a_layout = TC_COL, .tile = band,
                    .keep = in_band, .k_range = reach, HOOKED)
#endif
#endif
#ifndef TILES_NO_80
TC_GEMM_SM80_DEFINE(low80, TYPES, .bm = 64, .bn = 32, .triangle = TC_TRIANGLE_LOWER, HOOKED)
TC_GEMM_SM80_DEFINE(col80, TO_F32, .bm = 64, .bn = 64, .d_layout = TC_COL, BANDED, .k_range = reach, HOOKED)
TC_GEMM_SM80_DEFINE(bsr80, TYPES, .bm = 64, .bn = 64, .b_layout = TC_ROW, .bsr = 128, HOOKED)
#ifdef TILES_ALL
TC_GEMM_SM80_DEFINE(f64_80, .a = TC_F64, .b = TC_F64, .d = TC_F64, .bm = 64, .bn = 64,
                    .triangle = TC_TRIANGLE_UPPER)
TC_GEMM_SM80_DEFINE(bsr_s8_80, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bm = 64, .bn = 64, .bsr = 128)
#endif
#endif

#define ROW(name, sm) {#name, name##_run, name##_can_run, name##_plan, name##_launch, sm, name##_SMEM, name##_config()}
static const kernel kernels[] = {
#ifndef TILES_NO_90
    ROW(low90, 90), ROW(up90, 90),   ROW(swap90, 90),      ROW(reach90, 90), ROW(bsr90, 90), ROW(bsr_turns90, 90),
#ifdef TILES_ALL
    ROW(s8_90, 90), ROW(band90, 90), ROW(reach_low90, 90), ROW(col90, 90),
#endif
#endif
#ifndef TILES_NO_80
    ROW(low80, 80), ROW(col80, 80),  ROW(bsr80, 80),
#ifdef TILES_ALL
    ROW(f64_80, 80), ROW(bsr_s8_80, 80),
#endif
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0], GUARD = 256 };

/* Device memory between two guards. */
typedef struct {
    uint8_t *dev, *host;
    size_t bytes;
} span;

static span span_make(size_t bytes, int fill)
{
    span s;
    s.bytes = bytes;
    s.host = (uint8_t *)malloc(bytes + 2 * GUARD);
    memset(s.host, fill, bytes + 2 * GUARD);
    CUDA_CHECK(cudaMalloc((void **)&s.dev, bytes + 2 * GUARD));
    return s;
}
static void span_up(const span *s)
{
    CUDA_CHECK(cudaMemcpy(s->dev, s->host, s->bytes + 2 * GUARD, cudaMemcpyHostToDevice));
}
static void span_drop(span *s)
{
    CUDA_CHECK(cudaFree(s->dev));
    free(s->host);
}

static double get(const span *s, int type, int64_t i)
{
    if (type == TC_F64) return ((const double *)(s->host + GUARD))[i];
    if (type == TC_S32) return ((const int32_t *)(s->host + GUARD))[i];
    if (type == TC_S8) return ((const int8_t *)(s->host + GUARD))[i];
    return tc_element_get(s->host + GUARD, type, (size_t)i);
}
static void put(void *host, int type, int64_t i, double x)
{
    if (type == TC_F64) ((double *)((char *)host + GUARD))[i] = x;
    else if (type == TC_S32) ((int32_t *)((char *)host + GUARD))[i] = (int32_t)x;
    else if (type == TC_S8) ((int8_t *)((char *)host + GUARD))[i] = (int8_t)x;
    else tc_element_set((char *)host + GUARD, type, (size_t)i, (float)x);
}
static int size_of(int type) { return tc_type_bits(type) / 8; }

/* What lies nowhere: NaN, of integers a large number. */
static double none_of(int type) { return type == TC_S8 || type == TC_S32 ? 99 : (double)NAN; }

/* A's blocks of a call: some rows of them without any, some with all; with `odd`, bounds and columns that cannot be. */
typedef struct {
    int rows, cols, blocks;
    span row_ptr, col_idx;
} blocks;
static int32_t *ints(const span *s) { return (int32_t *)(s->host + GUARD); }

static blocks blocks_make(int m, int k, int unit, int odd)
{
    blocks b;
    b.rows = (m + unit - 1) / unit, b.cols = k / unit;
    b.row_ptr = span_make(sizeof(int32_t) * (size_t)(b.rows + 1), 0xee);
    b.col_idx = span_make(sizeof(int32_t) * (size_t)(b.rows * (b.cols + 2)), 0xee);
    const int how = b.cols ? test_int(0, 5) : 0;
    b.blocks = 0;
    for (int i = 0; i < b.rows; i++) {
        ints(&b.row_ptr)[i] = b.blocks;
        const int want = how == 0 ? 0 : how == 1 ? b.cols : test_int(0, 2) ? test_int(0, b.cols) : test_int(0, 1);
        if (how == 2 && i != b.rows - 1) continue; /* the last row alone */
        for (int j = 0; j < want; j++)
            ints(&b.col_idx)[b.blocks++] = how == 1 ? j : test_int(0, b.cols - 1); /* one may come twice */
    }
    ints(&b.row_ptr)[b.rows] = b.blocks;
    for (int i = 0; odd && i < 3; i++) {
        const int32_t wild[6] = {-1, -2147483647 - 1, 2147483647, b.cols, b.blocks + 1, 0};
        if (test_int(0, 1)) ints(&b.row_ptr)[test_int(0, b.rows)] = wild[test_int(0, 5)];
        else if (b.blocks) ints(&b.col_idx)[test_int(0, b.blocks - 1)] = wild[test_int(0, 3)];
    }
    span_up(&b.row_ptr), span_up(&b.col_idx);
    return b;
}

/* Element (row, col) of what the blocks are. */
static double blocks_sum(const blocks *b, const tc_gemm_config *t, const span *a, int64_t lda, int64_t batch, int row,
                         int col)
{
    const int unit = t->bsr, i = row / unit;
    int from = ints(&b->row_ptr)[i], end = ints(&b->row_ptr)[i + 1];
    double sum = 0;
    from = from < 0 ? 0 : from, end = end > b->blocks ? b->blocks : end;
    for (int at = from; at < end; at++)
        if (ints(&b->col_idx)[at] == col / unit)
            sum += get(a, t->a, batch + ((int64_t)at * unit + row % unit) * lda + col % unit);
    return sum;
}

static int kept(const tc_gemm_config *t, const tiles_args *p, int row, int col)
{
    if (t->triangle == TC_TRIANGLE_LOWER) return row >= col;
    if (t->triangle == TC_TRIANGLE_UPPER) return row <= col;
    return !t->keep || (col - row >= -p->below && col - row <= p->above);
}

static void one(const kernel *kn, uint64_t id)
{
    const tc_gemm_config *t = &kn->c;
    const int col = t->d_layout == TC_COL, a_col = t->a_layout == TC_COL, b_row = t->b_layout == TC_ROW;
    const int unit = 16 / size_of(t->a), dsize = size_of(t->d), tall = test_int(0, 3) == 0;
    const int many = t->bsr && test_int(0, 3) == 0; /* more rows of blocks than a warp has lanes */
    const int m = many ? test_int(33, 70) * t->bsr + test_int(-1, 1) : test_int(1, tall ? 500 : 200);
    const int n = many ? test_int(1, 20) : test_int(0, 2) ? test_int(1, tall ? 100 : 300) : m;
    int k = test_int(0, 9) ? test_int(1, test_int(0, 3) ? 150 : 400) : 0;
    const int batch = test_int(0, 3) ? 1 : 2, odd = test_int(0, 1) ? 0 : test_int(0, 3);
    if (t->bsr) k = (k + t->bsr - 1) / t->bsr * t->bsr;
    const int alike = t->a == t->b && m == n && a_col == b_row;
    const int same = !t->bsr && !t->k_range && alike && test_int(0, 1); /* syrk: B is A */
    blocks b = blocks_make(m, k, t->bsr ? t->bsr : 64, t->bsr && test_int(0, 3) == 0);
    const int64_t a_lines = t->bsr ? b.blocks * t->bsr : a_col ? k : m, a_across = t->bsr ? t->bsr : a_col ? m : k;
    const int64_t b_lines = b_row ? k : n, b_across = b_row ? n : k, lines = col ? n : m, across = col ? m : n;
    const int64_t lda = (a_across + unit - 1) / unit * unit + unit * test_int(0, 1);
    const int64_t ldb = same ? lda : (b_across + unit - 1) / unit * unit + unit * test_int(0, 1);
    const int64_t ldd = test_int(0, 1) ? (across + 15) / 16 * 16 : across + test_int(0, 5), sd = lines * ldd + 16;
    const int64_t sa = (a_lines * lda + 15) / 16 * 16, sb = same ? sa : (b_lines * ldb + 15) / 16 * 16;
    const int integers = t->d == TC_S32;
    const float alpha = test_int(0, 2) || integers ? 1.f : test_int(0, 4) ? 0.75f : 0.f;
    const float beta = test_int(0, 2) ? 0.f : integers ? 1.f : -0.5f;
    const double alpha64 = alpha, beta64 = beta;
    const int bk = t->bk, rows = t->bm * t->cluster_m;
    tiles_args mine = {0, test_int(-5, 150), test_int(-5, 150), test_int(0, 100)};
    span A = span_make((size_t)(sa * batch) * (size_t)size_of(t->a), 0xff);
    span B = span_make((size_t)(sb * batch) * (size_t)size_of(t->b), 0xff);
    span C = span_make((size_t)(sd * batch + odd) * (size_t)dsize, 0xff), bias = span_make((size_t)n * 4, 0xff);
    span D = span_make((size_t)(sd * batch + odd) * (size_t)dsize, 0xee);
    uint8_t *want = (uint8_t *)malloc(D.bytes + 2 * GUARD);
    if (t->triangle && test_int(0, 3) == 0) mine.reach = 5000;
    for (int z = 0; z < batch; z++) {
        for (int i = 0; i < (t->bsr ? a_lines : m); i++)
            for (int x = 0; x < (t->bsr ? t->bsr : k); x++) {
                double v = test_int(-3, 3);
                if (t->k_range) { /* zeros beside, NaN where no kernel with this tile may look */
                    const int top = i / rows * rows, end = top + rows < m ? top + rows : m;
                    const int from = top - mine.reach > 0 ? (top - mine.reach) / bk * bk : 0;
                    if (abs(i - x) > mine.reach) v = 0;
                    if (x < from || x >= (end + mine.reach + bk - 1) / bk * bk) v = none_of(t->a);
                }
                put(A.host, t->a, z * sa + (a_col && !t->bsr ? x * lda + i : i * lda + x), v);
            }
        for (int j = 0; j < n; j++)
            for (int x = 0; x < k; x++)
                put(B.host, t->b, z * sb + (b_row ? x * ldb + j : j * ldb + x), test_int(-3, 3));
    }
    for (int j = 0; j < n; j++) put(bias.host, TC_F32, j, test_int(-9, 9));
    memcpy(want, D.host, D.bytes + 2 * GUARD);
    const span *right = same ? &A : &B;
    for (int z = 0; z < batch; z++)
        for (int i = 0; i < m; i++) {
            double line[512], sums[512];
            for (int j = 0; j < n; j++) sums[j] = 0;
            for (int x = 0; x < k; x++) {
                line[x] = t->bsr ? blocks_sum(&b, t, &A, lda, z * sa, i, x)
                        : t->k_range && abs(i - x) > mine.reach ? 0
                                       : get(&A, t->a, z * sa + (a_col ? x * lda + i : i * lda + x));
                if (line[x] == 0) continue;
                for (int j = 0; j < n; j++)
                    if (kept(t, &mine, i, j))
                        sums[j] += line[x] * get(right, t->b, z * sb + (b_row ? x * ldb + j : j * ldb + x));
            }
            for (int j = 0; j < n; j++) {
                const int64_t at = odd + z * sd + (col ? j * ldd + i : i * ldd + j);
                double y = alpha == 0 ? 0 : alpha * sums[j];
                if (!kept(t, &mine, i, j)) continue;
                put(C.host, t->d, at, test_int(-20, 20));
                if (beta != 0) y += beta * get(&C, t->d, at);
                if (t->epi) y += get(&bias, TC_F32, j), y = y < 0 ? 0 : y;
                put(want, t->d, at, y);
            }
        }
    span_up(&A), span_up(&B), span_up(&C), span_up(&D), span_up(&bias);
    tc_gemm_args g;
    tc_gemm_plan plan;
    char what[300];
    memset(&g, 0, sizeof g);
    mine.bias = (const float *)(bias.dev + GUARD);
    g.m = m, g.n = n, g.k = k, g.lda = lda, g.ldb = ldb, g.ldc = g.ldd = ldd;
    if (k) g.a = A.dev + GUARD, g.b = same ? g.a : B.dev + GUARD;
    g.c = C.dev + GUARD + odd * dsize, g.d = D.dev + GUARD + odd * dsize;
    if (beta == 0) g.c = 0;
    if (t->d == TC_F64) g.alpha64 = &alpha64, g.beta64 = &beta64;
    else g.alpha = &alpha, g.beta = &beta;
    g.batch = batch, g.pdl = test_int(-1, 1);
    if (batch > 1) g.stride_a = sa, g.stride_b = sb, g.stride_c = g.stride_d = sd;
    if (t->epi_size) g.epi_args = &mine, g.epi_size = sizeof mine;
    if (t->bsr)
        g.bsr.row_ptr = (const int32_t *)(b.row_ptr.dev + GUARD),
        g.bsr.col_idx = (const int32_t *)(b.col_idx.dev + GUARD), g.bsr.blocks = b.blocks;
    snprintf(what, sizeof what, "problem %llu %s m %d n %d k %d batch %d alpha %g beta %g odd %d ldd %d blocks %d band "
             "%d %d reach %d", (unsigned long long)id, kn->name, m, n, k, batch, alpha, beta, odd, (int)ldd,
             t->bsr ? b.blocks : -1, mine.below, mine.above, mine.reach);
    CHECK(kn->run(&g, 0) == TC_OK, "%s: %s", what, tc_why());
    for (int again = 0; again < 2; again++) {
        int wrong = 0, stray = 0;
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(D.host, D.dev, D.bytes + 2 * GUARD, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < D.bytes + 2 * GUARD; i++) wrong += D.host[i] != want[i];
        for (int z = 0; wrong && z < batch; z++)
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    const int64_t at = odd + z * sd + (col ? j * ldd + i : i * ldd + j);
                    if (!memcmp(D.host + GUARD + at * dsize, want + GUARD + at * dsize, (size_t)dsize)) continue;
                    span w = D;
                    w.host = want;
                    if (stray++ >= 3) continue;
                    printf("    (%d, %d, %d): %g, not %g\n", z, i, j, get(&D, t->d, at), get(&w, t->d, at));
                }
        CHECK(!wrong, "%s: %d bytes, of them %d elements of d, are wrong", what, wrong, stray);
        if (again || wrong) break;
        memset(D.host, 0xee, D.bytes + 2 * GUARD), span_up(&D);
        CHECK(kn->plan(&g, &plan) == TC_OK && kn->launch(&plan, 0) == TC_OK, "%s: %s", what, tc_why());
    }
    span_drop(&A), span_drop(&B), span_drop(&C), span_drop(&D), span_drop(&bias);
    span_drop(&b.row_ptr), span_drop(&b.col_idx);
    free(want);
}

/* Every tile that a triangle touches once, and no other. */
static void triangles(int count)
{
    static const int rows[] = {64, 128, 192, 256, 512, 16, 112}, cols[] = {64, 128, 192, 256, 48, 8, 208, 248};
    for (int i = 0; i < count; i++) {
        const int most = test_int(0, 2) ? 700 : 20000, m = test_int(1, most);
        const int n = test_int(0, 1) ? m : test_int(1, most);
        const tc_tiles_of of = {m, n, test_int(1, 2), rows[test_int(0, 6)], cols[test_int(0, 7)], test_int(1, 140), 0,
                                test_int(0, 3) ? 0 : test_int(1, 9)};
        const int upper = test_int(0, 1), down = (m + of.bm - 1) / of.bm, across = (n + of.bn - 1) / of.bn;
        const tc_triangle t = tc_triangle_make(&of, upper);
        int wrong = 0;
        if ((int64_t)down * across > 100000) continue;
        uint8_t *seen = (uint8_t *)calloc((size_t)down * across * of.batch, 1);
        for (uint32_t x = 0; x < t.total * (uint32_t)of.batch && !wrong; x++) {
            const tc_tile at = tc_triangle_at(&t, x);
            wrong = (int)at.m >= down || (int)at.n >= across || (int)at.batch >= of.batch
                 || seen[(at.batch * down + at.m) * across + at.n]++;
        }
        for (int x = 0; x < down * across * of.batch; x++) {
            const int r = x / across % down * of.bm, c = x % across * of.bn;
            const tc_gemm_tile tile = {r, r + of.bm < m ? r + of.bm : m, c, c + of.bn < n ? c + of.bn : n, 0};
            const int state = tc_triangle_state(upper ? TC_TRIANGLE_UPPER : TC_TRIANGLE_LOWER, tile);
            wrong += seen[x] != (state != TC_TILE_SKIP);
        }
        CHECK(!wrong, "m %d n %d batch %d tiles %d x %d group %d upper %d", m, n, of.batch, of.bm, of.bn, of.group,
              upper);
        free(seen);
    }
}

static void refused(const kernel *kn, const tc_gemm_args *g, const char *words)
{
    const char *why = "";
    const tc_status st = kn->can_run(g, &why);
    CHECK(st != TC_OK && strstr(why, words), "%s: \"%s\", not \"%s\"", kn->name, why, words);
}

static void bad_input(const kernel *kn)
{
    const tc_gemm_config *t = &kn->c;
    const float zero = 0;
    tiles_args mine = {0, 0, 0, 0};
    tc_gemm_args good, g;
    char *at;
    CUDA_CHECK(cudaMalloc((void **)&at, 1 << 20));
    memset(&good, 0, sizeof good);
    good.m = good.n = 128, good.k = 128, good.lda = good.ldb = good.ldd = 128, good.a = good.b = at, good.d = at;
    if (t->epi_size) good.epi_args = &mine, good.epi_size = sizeof mine;
    if (t->bsr) good.bsr.row_ptr = good.bsr.col_idx = (const int32_t *)at, good.bsr.blocks = 2;
    CHECK(kn->can_run(&good, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    if (!t->bsr) {
        g = good, g.bsr.blocks = 1;
        refused(kn, &g, "bsr is given, but the kernel was generated without .bsr");
    } else {
        g = good, g.bsr.blocks = -1, refused(kn, &g, "bsr.blocks = -1 must be in 0..");
        g = good, g.bsr.blocks = 0x7fffffff, refused(kn, &g, "bsr.blocks = 2147483647 must be in 0..");
        g = good, g.bsr.row_ptr = 0, refused(kn, &g, "bsr.row_ptr is null, but the kernel has .bsr");
        g = good, g.bsr.col_idx = 0, refused(kn, &g, "bsr.col_idx is null, but bsr.blocks = 2");
        g = good, g.bsr.col_idx = (const int32_t *)(at + 2), refused(kn, &g, "is not a multiple of 4 bytes");
        g = good, g.k = 96, refused(kn, &g, "k = 96 is not a multiple of the kernel's .bsr");
        g = good, g.lda = t->bsr - 8, refused(kn, &g, "is less than .bsr = ");
        g = good, g.a = 0, refused(kn, &g, "a is null");
        g = good, g.a = 0, g.bsr.blocks = 0, g.bsr.col_idx = 0;
        CHECK(kn->can_run(&g, 0) == TC_OK, "%s: no blocks: %s", kn->name, tc_why());
        g = good, g.alpha = &zero;
        CHECK(kn->can_run(&g, 0) == TC_OK, "%s: alpha 0: %s", kn->name, tc_why());
    }
    if (t->epi_size) g = good, g.epi_args = 0, g.epi_size = 0, refused(kn, &g, "epi");
    CUDA_CHECK(cudaFree(at));
}

#define EACH_KERNEL
#include "gemm_problems.h"

int main(int argc, char **argv)
{
    const problem_test test = {"gemm_tiles", one, ONCE(bad_input)};
    const problem_args a = problem_args_of(argc, argv, 160);
    test_seed(a.seed);
    triangles(300);
    return each_problem(&test, a);
}
