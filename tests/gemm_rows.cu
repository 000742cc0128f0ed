/* gemm_rows.cu - products whose rows become probabilities, with the largest of each, where they are computed (.rows,
 * .top): against fp64 on the CPU, and their bad input.
 *     build/tests/gemm_rows [configurations] [seed]
 *
 * Elements of A, B and C are small whole numbers, alpha, beta and the hook's bias are whole or halves and such, so that
 * x is exact whatever the order of sums: the largest and their columns must be those of the rules, exactly; many are
 * equal. Probabilities keep rows.h's bounds. D's memory and the other results' are 0xff before, and what is no result
 * must be so afterwards. Each call runs twice and must give the same bits. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include "attn_memory.h"
#include "rows.h"
#include <time.h>

/* -inf for some, so that rows of it alone come too; counted. */
typedef struct { const float *bias; int *calls; int m, n, skips; } hook_args;
TC_DEV float hook(float x, tc_gemm_at at, const void *args)
{
    const hook_args *h = (const hook_args *)args;
    if (at.row < 0 || at.row >= h->m || at.col < 0 || at.col >= h->n) return x; /* seen by what is not counted */
    atomicAdd(h->calls + ((size_t)at.batch * h->m + at.row) * h->n + at.col, 1);
    return h->skips && at.row % 5 == 3 ? -INFINITY : x + h->bias[at.col];
}
TC_DEV tc_f32x2 pairs(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    tc_gemm_at next = at;
    next.col++;
    const tc_f32x2 r = {hook(x.x, at, args), hook(x.y, next, args)};
    return r;
}

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_gemm_config c;
    int cc, hook;
} kernel;
#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#define ONE(make, name, ...) make(name, .b = TC_BF16, .a = TC_BF16, __VA_ARGS__)
ONE(TC_GEMM_SM90_DEFINE, wide90, .d = TC_F32, .bm = 128, .bn = 256, .rows = TC_SOFTMAX, .top = 8, .renorm = 1)
ONE(TC_GEMM_SM90_DEFINE, hook90, .d = TC_BF16, .bm = 128, .bn = 64, .schedule = TC_PINGPONG, .rows = TC_SOFTMAX,
    .top = 32, .epi = hook, .epi_size = sizeof(hook_args))
ONE(TC_GEMM_SM90_DEFINE, logs90, .d = TC_F16, .bm = 192, .bn = 160, .consumers = 3, .rows = TC_LOG_SOFTMAX, .top = 3)
ONE(TC_GEMM_SM90_DEFINE, few90, .d = TC_BF16, .bm = 64, .bn = 16, .consumers = 1, .rows = TC_SOFTMAX, .top = 2,
    .renorm = 1, .b_layout = TC_ROW)
ONE(TC_GEMM_SM90_DEFINE, tall90, .d = TC_F32, .bm = 256, .bn = 96, .cluster_m = 2, .top = 5, .renorm = 1)
TC_GEMM_SM90_DEFINE(fp890, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 128, .bn = 128, .rows = TC_SOFTMAX,
                    .c_type = TC_F32, .epi2 = pairs, .epi_size = sizeof(hook_args))
ONE(TC_GEMM_SM80_DEFINE, wide80, .d = TC_F32, .c_type = TC_BF16, .rows = TC_SOFTMAX, .top = 8, .renorm = 1)
ONE(TC_GEMM_SM80_DEFINE, hook80, .d = TC_BF16, .bm = 128, .bn = 64, .warps_m = 4, .warps_n = 1, .rows = TC_SOFTMAX,
    .top = 32, .epi = hook, .epi_size = sizeof(hook_args))
TC_GEMM_DEFINE(any, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .rows = TC_SOFTMAX, .top = 6, .epi = hook,
               .epi_size = sizeof(hook_args))
TC_GEMM_SM80_DEFINE(int80, .a = TC_S8, .b = TC_S8, .d = TC_F16, .bm = 64, .bn = 48, .warps_m = 2, .warps_n = 1,
                    .rows = TC_LOG_SOFTMAX, .top = 4)

#define KERNEL(name, cc, hook) {#name, name##_run, name##_can_run, name##_config(), cc, hook}
static const kernel kernels[] = {KERNEL(wide90, 90, 0), KERNEL(hook90, 90, 1), KERNEL(logs90, 90, 0),
                                 KERNEL(few90, 90, 0),  KERNEL(tall90, 90, 0), KERNEL(fp890, 90, 2),
                                 KERNEL(wide80, 80, 0), KERNEL(hook80, 80, 1), KERNEL(int80, 80, 0),
                                 KERNEL(any, 80, 1)};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };
static int device;

static void put_any(int type, char *p, int64_t i, float x)
{
    if (type == TC_S8) p[i] = (char)(int)x;
    else if (type == TC_E4M3) p[i] = (char)tc_e4m3_from_f32(x);
    else put(type, p, i, x);
}
static int bytes_of(int type) { return tc_type_bits(type) / 8; }

/* rows x cols whole numbers in -most .. most, in `copies` matrices, on the device and as floats. */
typedef struct { float *x; char *dev; int64_t ld, stride; } numbers;
static numbers numbers_of(int type, int copies, int rows, int cols, int ld)
{
    const int size = bytes_of(type);
    numbers r = {(float *)malloc((size_t)copies * rows * cols * 4 + 4), 0, ld, (int64_t)rows * ld};
    char *host = (char *)calloc((size_t)copies * rows * ld + 1, (size_t)size);
    for (int b = 0; b < copies; b++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                const float v = (float)test_int(-3, 3);
                r.x[((size_t)b * rows + i) * cols + j] = v;
                put_any(type, host, b * r.stride + (int64_t)i * ld + j, v);
            }
    r.dev = (char *)upload(host, ((size_t)copies * rows * ld) * size);
    free(host);
    return r;
}

typedef struct { char *dev, *host, *again; size_t bytes; } result;
static result result_of(size_t bytes)
{
    result r = {0, (char *)malloc(bytes), (char *)malloc(bytes), bytes};
    memset(r.host, 0xff, bytes);
    r.dev = (char *)upload(r.host, bytes);
    return r;
}

static void one(const kernel *kn, uint64_t seed)
{
    const tc_gemm_config c = kn->c;
    const int least = c.top ? c.top : 1, unit = 16 / bytes_of(c.a), pair = c.epi2 ? 2 : 1, bn = c.bn ? c.bn : 256;
    const int batch = test_int(1, 2), m = test_int(1, test_int(0, 1) ? 300 : 40);
    const int row_b = c.b_layout == TC_ROW, free80 = kn->cc == 80 ? test_int(0, 1) : 0;
    int n = test_int(0, 1) ? bn : test_int(least, bn), k = test_int(0, 12) ? test_int(1, 150) : 0;
    n = (n + pair - 1) / pair * pair;
    const int round = free80 ? 1 : unit, lda = (k + round - 1) / round * round + round * test_int(0, 2);
    const int b_rows = row_b ? k : n, b_cols = row_b ? n : k, ldb = (b_cols + round - 1) / round * round + round;
    const int ldd = n + (test_int(0, 1) ? 0 : test_int(0, 9)), with_c = test_int(0, 2) == 0;
    const numbers a = numbers_of(c.a, batch, m, k, lda), b = numbers_of(c.b, batch, b_rows, b_cols, ldb),
                  cc = numbers_of(tc__gemm_c(c), batch, m, n, n + 3), bias = numbers_of(TC_F32, 1, 1, n, n);
    const float alpha = (float)test_int(1, 4) / 16.f, beta = with_c ? 0.5f : 0.f;
    const int64_t ldv = c.top + test_int(0, 2), ldi = c.top + test_int(0, 2);
    const size_t all = (size_t)batch * m;
    result r[4] = {result_of(((all - 1) * ldd + n) * bytes_of(c.d)), result_of(all * (size_t)(ldv ? ldv : 1) * 4),
                   result_of(all * (size_t)(ldi ? ldi : 1) * 4), result_of(all * 4)};
    const int with_v = c.top && test_int(0, 4), with_i = c.top && (!with_v || test_int(0, 4)),
              with_l = c.rows && test_int(0, 1);
    int *calls = (int *)malloc(all * n * 4 + 4);
    hook_args mine;
    tc_gemm_args g;
    char what[200];
    int bad_d = 0, bad_top = 0, bad_lse = 0, bad_calls = 0, differ = 0;
    size_t outside = 0;
    memset(calls, 0, all * n * 4);
    memset(&mine, 0, sizeof mine);
    mine.bias = (const float *)bias.dev, mine.calls = (int *)upload(calls, all * n * 4), mine.m = m, mine.n = n;
    mine.skips = test_int(0, 1);
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k, g.lda = lda, g.ldb = ldb, g.ldd = ldd, g.batch = batch;
    if (k) g.a = a.dev, g.b = b.dev;
    g.stride_a = a.stride, g.stride_b = b.stride, g.stride_d = (int64_t)m * ldd;
    g.d = r[0].dev, g.alpha = &alpha;
    if (with_c) g.c = cc.dev, g.ldc = cc.ld, g.stride_c = cc.stride, g.beta = &beta;
    if (kn->hook) g.epi_args = &mine, g.epi_size = sizeof mine;
    if (with_v) g.top.values = (float *)r[1].dev, g.top.ldv = ldv;
    if (with_i) g.top.index = (int32_t *)r[2].dev, g.top.ldi = ldi;
    if (with_l) g.top.lse = (float *)r[3].dev;
    snprintf(what, sizeof what, "seed %llu: %s, m %d n %d k %d batch %d ldd %d%s%s", (unsigned long long)seed,
             kn->name, m, n, k, batch, ldd, with_c ? " C" : "", kn->hook && mine.skips ? " skips" : "");
    snprintf(test_context, sizeof test_context, "%s", what);
    for (int pass = 0; pass < 2; pass++) {
        const tc_status st = kn->run(&g, 0);
        CHECK(st == TC_OK, "%s: %s", what, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < 4; i++)
            CUDA_CHECK(cudaMemcpy(pass ? r[i].again : r[i].host, r[i].dev, r[i].bytes, cudaMemcpyDeviceToHost));
    }
    for (int i = 0; i < 4; i++) differ += memcmp(r[i].host, r[i].again, r[i].bytes) != 0;
    CHECK(differ == 0, "%s: two calls differ", what);
    CUDA_CHECK(cudaMemcpy(calls, mine.calls, all * n * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < all * n && kn->hook; i++) bad_calls += calls[i] != 2;
    CHECK(bad_calls == 0, "%s: the hook was not called once for %d elements", what, bad_calls);

    float *x = (float *)malloc((size_t)n * 4);
    const rule of = {c.rows, c.top, c.renorm, TC_F32};
    answer w = {n, (double *)malloc((size_t)n * 8), (double *)malloc((size_t)n * 8),
                (entry *)malloc((size_t)n * sizeof(entry)), 0, 0};
    for (size_t row = 0; row < all; row++) {
        const size_t mat = row / m, i = row % m;
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int e = 0; e < k; e++)
                sum += a.x[row * k + e] * (row_b ? b.x[(mat * k + e) * n + j] : b.x[(mat * n + j) * k + e]);
            x[j] = alpha * sum + beta * cc.x[row * n + j];
            if (kn->hook) x[j] = mine.skips && i % 5 == 3 ? -INFINITY : x[j] + bias.x[j];
        }
        answer_of(c.rows, x, x, 1, &w);
        const size_t at = mat * (size_t)m * ldd + i * ldd;
        for (int j = 0; j < n; j++) bad_d += !near(c.d, get(c.d, r[0].host, at + j), w.p[j], w.bound[j]);
        if (with_v || with_i)
            bad_top += wrong_top(&of, &w, with_v ? r[1].host + row * ldv * 4 : 0,
                                 with_i ? (const int32_t *)(r[2].host + row * ldi * 4) : 0, x, 1);
        if (with_l) bad_lse += !near(TC_F32, get(TC_F32, r[3].host, row), w.lse, w.lse_bound);
        memset(r[0].host + at * bytes_of(c.d), 0xff, (size_t)n * bytes_of(c.d));
        if (with_v) memset(r[1].host + row * ldv * 4, 0xff, (size_t)c.top * 4);
        if (with_i) memset(r[2].host + row * ldi * 4, 0xff, (size_t)c.top * 4);
        if (with_l) memset(r[3].host + row * 4, 0xff, 4);
    }
    for (int i = 0; i < 4; i++)
        for (size_t e = 0; e < r[i].bytes; e++) outside += (unsigned char)r[i].host[e] != 0xff;
    CHECK(bad_d == 0, "%s: %d elements of D out of bound", what, bad_d);
    CHECK(bad_top == 0, "%s: %d of the largest wrong", what, bad_top);
    CHECK(bad_lse == 0, "%s: %d of lse out of bound", what, bad_lse);
    CHECK(outside == 0, "%s: %zu bytes outside of the results written", what, outside);
    for (int i = 0; i < 4; i++) free(r[i].host), free(r[i].again);
    free(a.x), free(b.x), free(cc.x), free(bias.x), free(calls), free(x), free(w.p), free(w.bound), free(w.order);
    free_device_memory();
}

/* ---- bad input ---- */
static void refused(const kernel *kn, const tc_gemm_args *g, const char *text, int line)
{
    const char *why = "";
    CHECK(kn->can_run(g, &why) != TC_OK && strstr(why, text), "line %d: %s_can_run: %s, wants \"%s\"", line, kn->name,
          why, text);
    CHECK(kn->run(g, 0) != TC_OK && strstr(tc_why(), text), "line %d: %s_run: %s, wants \"%s\"", line, kn->name,
          tc_why(), text);
}

#define REFUSED(kernel, text, ...)                                                                    \
    do {                                                                                              \
        tc_gemm_args g;                                                                               \
        memset(&g, 0, sizeof g);                                                                      \
        g.m = 4, g.n = 40, g.k = 64, g.a = g.b = memory, g.lda = g.ldb = 64;                          \
        g.d = memory, g.ldd = 512;                                                                    \
        if (kernel->hook) g.epi_args = &mine, g.epi_size = sizeof mine;                               \
        if (kernel->c.top) g.top.values = (float *)memory, g.top.index = (int32_t *)memory;           \
        __VA_ARGS__;                                                                                  \
        refused(kernel, &g, text, __LINE__);                                                          \
    } while (0)

static void test_bad_input(const kernel *wide, const kernel *soft)
{
    char *memory = (char *)device_memory(1 << 18);
    const hook_args mine = {(const float *)memory, (int *)memory, 0, 0, 0};
    REFUSED(wide, "n = 257 is above .bn = 256, but .rows and .top want a row in one tile: TC_ROWS_DEFINE", g.n = 257);
    REFUSED(wide, "n = 7 is less than .top = 8", g.n = 7);
    REFUSED(wide, "top.values and top.index are null", g.top.values = 0; g.top.index = 0);
    REFUSED(wide, "top.ldv = 7 is less than .top = 8", g.top.ldv = 7);
    REFUSED(wide, "top.ldi = 5 is less than .top = 8", g.top.ldi = 5);
    REFUSED(wide, "one is not a multiple of 4 bytes", g.top.values = (float *)(memory + 2));
    REFUSED(wide, "one is not a multiple of 4 bytes", g.top.lse = (float *)(memory + 2));
    REFUSED(wide, "d is null", g.d = 0);
    if (!soft) return free_device_memory();
    REFUSED(soft, "top.index is given, but the kernel was generated without .top", g.top.index = (int32_t *)memory);
    REFUSED(soft, "top.ldv is given, but the kernel was generated without .top", g.top.ldv = 4);
    REFUSED((&kernels[4]), "top.lse is given, but the kernel was generated without .rows", g.top.lse = (float *)memory);
    free_device_memory();
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 120;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    device = test_device();
    if (device < 80) {
        SKIP("gemm_rows: no device of compute capability 8.0 or later");
        return test_end();
    }
    printf("gemm_rows: %d configurations of %d kernels, seed %llu\n", count, KERNELS, (unsigned long long)seed);
    for (int i = 0; i < count; i++) {
        const kernel *kn = &kernels[(seed + (uint64_t)i) % KERNELS];
        test_seed(seed + (uint64_t)i);
#if !defined TC_SM80_ON_HOPPER && !defined FUZZ_KERNELS
        if (kn->cc == 90 && device != 90) kn = &kernels[6 + i % 4];
#endif
        one(kn, seed + (uint64_t)i);
    }
#ifndef FUZZ_KERNELS
    if (device == 90) test_bad_input(&kernels[0], &kernels[5]);
    test_bad_input(&kernels[6], 0);
    {
        const kernel *wide = &kernels[9];
        const tc_gemm_choice few = {3, 0, 0, 0, 0, 0};
        char *memory = (char *)device_memory(1 << 18);
        const hook_args mine = {(const float *)memory, (int *)memory, 0, 0, 0};
        REFUSED(wide, "n = 257 is above .bn = 256, but .rows and .top want a row in one tile", g.n = 257);
        REFUSED(wide, "n = 5 is less than .top = 6", g.n = 5);
        REFUSED(wide, "choice->kernel = 3 changes roles over: not with", g.choice = &few);
        free_device_memory();
    }
#endif
    printf("worst error: %.2f of the bound\n", worst);
    return test_end();
}
