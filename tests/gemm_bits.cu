/* gemm_bits.cu - types that a device's Tensor Cores may lack, and that become wider in registers then: every code of
 * 8-bit floats, exactly; products of random numbers of 4 bits and of bits, exactly.
 *     build/tests/gemm_bits [problems] [seed]
 * Built for sm_80 and sm_100: of the two PTX a device takes the newer that it can. BITS_SM75: the kernels that are left
 * for sm_75 (gemm_bits_sm75.cu). */
#define TC_SM80_ON_HOPPER
#include "../tc.h"
#include "test.h"
#include <time.h>
#define SHAPES TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED

/* ---- 8-bit floats ---- */
#if defined FUZZ_KERNELS /* tests/lattice.sh: the kernels of 4 bits and of bits, and their table, drawn at random */
#elif !defined BITS_SM75
TC_GEMM_SM80_DEFINE(e4m3_e5m2, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32)
TC_GEMM_SM80_DEFINE(e5m2_e4m3, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F32, .acc = TC_F16, .bm = 64, .bn = 64)
#else
TC_GEMM_DEFINE(any_e4m3, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, .shapes = SHAPES)
#endif

enum { CODES = 256, ONES = 64 };

/* The product with a matrix that has a 1 in each row and column. of_b: the codes are B's. A code stands at each place
 * of a word in turn (place), and at every k. Its row has it once, and it times 0 elsewhere. */
static void codes(const char *name, tc_status (*run)(const tc_gemm_args *, cudaStream_t), int types, int place)
{
    const int a_type = types & 255, b_type = types >> 8 & 255, of_b = types >> 16;
    static uint8_t all[CODES * ONES], one[ONES * ONES];
    static float d[CODES * ONES];
    const int type = of_b ? b_type : a_type, other = of_b ? a_type : b_type;
    void *d_all, *d_one, *d_d;
    int bad = 0;
    tc_gemm_args g;
    memset(all, 0, sizeof all), memset(one, 0, sizeof one);
    for (int i = 0; i < CODES; i++) all[i * ONES + (i + place) % ONES] = (uint8_t)i;
    for (int i = 0; i < ONES; i++) one[i * ONES + i] = (uint8_t)tc_from_f32(other, 1.f);
    CUDA_CHECK(cudaMalloc(&d_all, sizeof all));
    CUDA_CHECK(cudaMalloc(&d_one, sizeof one));
    CUDA_CHECK(cudaMalloc(&d_d, sizeof d));
    CUDA_CHECK(cudaMemcpy(d_all, all, sizeof all, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_one, one, sizeof one, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = of_b ? ONES : CODES, g.n = of_b ? CODES : ONES, g.k = ONES, g.lda = g.ldb = ONES, g.ldd = g.n, g.d = d_d;
    g.a = of_b ? d_one : d_all, g.b = of_b ? d_all : d_one;
    CHECK(run(&g, 0) == TC_OK, "%s: %s", name, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(d, d_d, sizeof d, cudaMemcpyDeviceToHost));
    for (int i = 0; i < CODES; i++)
        for (int j = 0; j < ONES; j++) {
            const float x = tc_f32_from(type, (uint32_t)i), want = j == (i + place) % ONES ? x : 0.f * x;
            const float got = of_b ? d[j * CODES + i] : d[i * ONES + j];
            bad += want == want ? !(got == want) : got == got;
        }
    CHECK(bad == 0, "%s: %d of the codes of %s wrong, at place %d", name, bad, tc_type_name(type), place);
    CUDA_CHECK(cudaFree(d_all));
    CUDA_CHECK(cudaFree(d_one));
    CUDA_CHECK(cudaFree(d_d));
}

/* Is a caller told that elements become wider, of a call that is in order? */
static void told(const char *name, tc_status (*can_run)(const tc_gemm_args *, const char **), const char *wanted)
{
    const char *why = 0;
    void *d;
    tc_gemm_args g;
    CUDA_CHECK(cudaMalloc(&d, 64 * 4));
    memset(&g, 0, sizeof g);
    g.m = g.n = 8, g.ldd = 8, g.d = d;
    CHECK(can_run(&g, &why) == TC_OK, "%s: %s", name, tc_why());
    CHECK(why && (wanted ? strstr(why, wanted) != 0 : *why == 0), "%s: why is \"%s\"", name, why ? why : "null");
    CUDA_CHECK(cudaFree(d));
}

static void floats(int device)
{
#ifndef FUZZ_KERNELS
    for (int of_b = 0; of_b < 2; of_b++)
        for (int place = 0; place < 4; place++) {
            const int first = TC_E4M3 | TC_E5M2 << 8 | of_b << 16;
#ifdef BITS_SM75
            codes("any_e4m3", any_e4m3_run, first, place);
#else
            codes("e4m3_e5m2", e4m3_e5m2_run, first, place);
            codes("e5m2_e4m3", e5m2_e4m3_run, TC_E5M2 | TC_E4M3 << 8 | of_b << 16, place);
#endif
        }
#ifdef BITS_SM75
    told("any_e4m3", any_e4m3_can_run, device < 80 ? "CUDA cores" : device < 89 ? "become f16" : 0);
#else
    told("e4m3_e5m2", e4m3_e5m2_can_run, device < 89 ? "become f16" : 0);
#endif
#endif
}

/* ---- 4 bits, and bits ---- */
TC_DEV float hook_twice(float x, tc_gemm_at at, const void *args)
{
    return (void)args, 2.f * x + (float)(at.row % 4);
}
#ifndef FUZZ_KERNELS
#ifndef BITS_SM75
TC_GEMM_SM80_DEFINE(s4, .a = TC_S4, .b = TC_S4, .d = TC_S32)
TC_GEMM_SM80_DEFINE(s4_u4, .a = TC_S4, .b = TC_U4, .d = TC_S8, .bm = 64, .bn = 96, .bk = 128, .d_layout = TC_COL,
                    .epi = hook_twice, .epi_size = TC_NO_ARGS)
TC_GEMM_SM80_DEFINE(rows, .a = TC_S4, .b = TC_S4, .d = TC_F32, .bm = 32, .bn = 32, .index = TC_INDEX_A,
                    .groups = TC_GROUPS_ROWS)
TC_GEMM_SM80_DEFINE(bits_xor, .a = TC_B1, .b = TC_B1, .d = TC_S32, .op = TC_XOR)
TC_GEMM_SM80_DEFINE(bits_and, .a = TC_B1, .b = TC_B1, .d = TC_F32, .op = TC_AND, .bm = 48, .bn = 48, .bk = 512,
                    .warps_m = 3, .warps_n = 1, .epi = hook_twice, .epi_size = TC_NO_ARGS)
#endif
#if defined(FUZZ_ALL) && !defined(BITS_SM75)
TC_GEMM_SM80_DEFINE(u4, .a = TC_U4, .b = TC_U4, .d = TC_S32, .bm = 128, .bn = 96, .warps_m = 2, .warps_n = 2)
#endif
#if defined(BITS_SM75) || defined(FUZZ_ALL)
TC_GEMM_DEFINE(any_s4, .a = TC_S4, .b = TC_S4, .d = TC_F32, .shapes = SHAPES)
TC_GEMM_DEFINE(any_xor, .a = TC_B1, .b = TC_B1, .d = TC_S32, .op = TC_XOR, .d_layout = TC_COL, .shapes = SHAPES)
TC_GEMM_DEFINE(any_and, .a = TC_B1, .b = TC_B1, .d = TC_S32, .op = TC_AND, .shapes = SHAPES)
#endif
TC_GEMM_DEFINE(any_u4, .a = TC_U4, .b = TC_S4, .d = TC_BF16, .epi = hook_twice, .epi_size = TC_NO_ARGS,
               .shapes = SHAPES)
#endif

typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_gemm_config c;
} kernel;
#ifdef FUZZ_KERNELS
#include FUZZ_KERNELS
#else
#define ROW(name) {#name, name##_can_run, name##_run, name##_config()}
static const kernel kernels[] = {
#ifndef BITS_SM75
    ROW(s4), ROW(s4_u4), ROW(rows), ROW(bits_xor), ROW(bits_and),
#ifdef FUZZ_ALL
    ROW(u4),
#endif
#endif
#if defined(BITS_SM75) || defined(FUZZ_ALL)
    ROW(any_s4), ROW(any_xor), ROW(any_and),
#endif
    ROW(any_u4)};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* An element of C and D. */
static double d_get(int type, const void *p, int64_t i)
{
    return type == TC_S32 ? ((const int32_t *)p)[i] : tc_element_get(p, type, (uint64_t)i);
}
static void d_put(int type, void *p, int64_t i, double x)
{
    if (type == TC_S32) ((int32_t *)p)[i] = (int32_t)x;
    else tc_element_set(p, type, (uint64_t)i, (float)x);
}

/* A buffer of random bytes, and its twin on the device, `odd` bytes past an aligned base. */
typedef struct {
    uint8_t *host, *base;
    void *dev;
    size_t bytes;
} buffer;

static buffer make(int64_t bytes, int odd)
{
    buffer b;
    b.bytes = (size_t)bytes + 64;
    b.host = (uint8_t *)malloc(b.bytes);
    for (size_t i = 0; i < b.bytes; i++) b.host[i] = (uint8_t)test_int(0, 255);
    CUDA_CHECK(cudaMalloc((void **)&b.base, b.bytes + 16));
    b.dev = b.base + odd;
    CUDA_CHECK(cudaMemcpy(b.dev, b.host, b.bytes, cudaMemcpyHostToDevice));
    return b;
}
static void drop(buffer *b)
{
    free(b->host);
    CUDA_CHECK(cudaFree(b->base));
}

/* The product of a row of A and one of B that lie at elements a and b; without A, of zeros. */
static double sum_of(const tc_gemm_config *c, const uint8_t *const *ab, const int64_t *at, int k)
{
    int64_t sum = 0;
    for (int i = 0; i < k; i++) {
        const int x = ab[0] ? (int)tc_element_get(ab[0], c->a, (uint64_t)(at[0] + i)) : 0;
        const int y = (int)tc_element_get(ab[1], c->b, (uint64_t)(at[1] + i));
        sum += c->op == TC_XOR ? x ^ y : x * y;
    }
    return (double)sum;
}

/* Groups of rows end there; the rows behind the last are no group's. */
enum { GROUPS = 3 };
static int group_of(const int32_t *ends, int row)
{
    int g = 0;
    while (g < GROUPS && row >= ends[g]) g++;
    return g;
}

/* Rows that begin anywhere or at multiples of 16 bytes; random bits behind the last k of each, and in rows that no
 * index names; every element of D as it must be, and every byte beside it as it was. */
static void one(const kernel *kn, int largest)
{
    const tc_gemm_config *c = &kn->c;
    const int each = 8 / tc_type_bits(c->a), aligned = test_int(0, 2) == 0, d_col = c->d_layout == TC_COL;
    const int looked_up = c->index != 0, batch = looked_up || test_int(0, 3) ? 1 : 2;
    const int odd = aligned ? 0 : test_int(0, 5);
    const int m = test_int(1, largest), n = test_int(1, largest), size = tc_type_bits(c->d) / 8;
    const int bytes = test_int(0, 9) ? test_int(1, largest) : test_int(300, 900);
    const int k = test_int(0, 15) ? bytes * each : 0;
    const int a_rows = looked_up ? test_int(1, 40) : m, plain = c->d == TC_S32;
    const int unit = each * (aligned ? 16 : 1);
    const int64_t lda = (k + unit - 1) / unit * unit + unit * test_int(0, 2);
    const int64_t ldb = (k + unit - 1) / unit * unit + unit * test_int(0, 2);
    const int64_t across = d_col ? m : n, ldd = across + test_int(0, 5), ldc = across + test_int(0, 5);
    const int64_t sa = a_rows * lda + unit, sb = n * ldb + unit;
    const int64_t sd = (d_col ? n : m) * ldd + 3, sc = (d_col ? n : m) * ldc;
    const float alphas[3] = {1.f, -0.5f, 0.25f}, betas[3] = {0.f, 1.f, -0.5f};
    const float alpha = plain ? 1.f : alphas[test_int(0, 2)], beta = betas[test_int(0, plain ? 1 : 2)];
    const int matrices = c->groups ? GROUPS : batch; /* of B */
    buffer a = make(sa * batch / each, odd), b = make(sb * matrices / each, odd), index = make((m + GROUPS) * 4, 0);
    buffer cb = make(sc * batch * size, 0), d = make(sd * batch * size, 0);
    int bad = 0, outside = 0;
    int32_t *row = (int32_t *)index.host, *ends = row + m;
    tc_gemm_args g;
    for (int i = 0; i < m; i++) row[i] = test_int(-1, a_rows);
    for (int i = 0; i < GROUPS; i++) ends[i] = test_int(i ? ends[i - 1] : 0, m);
    for (int64_t i = 0; i < sc * batch; i++) d_put(c->d, cb.host, i, test_int(-50, 50));
    CUDA_CHECK(cudaMemcpy(index.dev, index.host, index.bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(cb.dev, cb.host, cb.bytes, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k, g.lda = lda, g.ldb = ldb, g.ldd = ldd, g.ldc = ldc, g.d = d.dev;
    if (k) g.a = a.dev, g.b = b.dev;
    g.c = beta != 0 ? cb.dev : 0, g.alpha = &alpha, g.beta = &beta;
    if (batch > 1) g.batch = batch, g.stride_a = sa, g.stride_b = sb, g.stride_c = sc, g.stride_d = sd;
    if (looked_up) g.a_row = (const int32_t *)index.dev, g.a_rows = a_rows;
    if (c->groups) g.groups.count = GROUPS, g.groups.ends = (const int32_t *)index.dev + m, g.stride_b = sb;
    char what[200];
    snprintf(what, sizeof what, "%s m %d n %d k %d lda %d ldb %d ldd %d batch %d alpha %g beta %g base +%d", kn->name,
             m, n, k, (int)lda, (int)ldb, (int)ldd, batch, alpha, beta, odd);
    CHECK(kn->run(&g, 0) == TC_OK, "%s: %s", what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    uint8_t *after = (uint8_t *)malloc(d.bytes);
    CUDA_CHECK(cudaMemcpy(after, d.dev, d.bytes, cudaMemcpyDeviceToHost));
    for (int z = 0; z < batch; z++)
        for (int i = 0; i < (c->groups ? ends[GROUPS - 1] : m); i++)
            for (int j = 0; j < n; j++) {
                const int from = looked_up ? row[i] : i, there = from >= 0 && from < a_rows;
                const int64_t ab_at[2] = {z * sa + from * lda, (c->groups ? group_of(ends, i) : z) * sb + j * ldb};
                const uint8_t *const ab[2] = {there ? a.host : 0, b.host};
                const int64_t at = z * sd + (d_col ? j * ldd + i : i * ldd + j);
                double x = alpha * sum_of(c, ab, ab_at, k), got = d_get(c->d, after, at);
                if (beta != 0) x += beta * d_get(c->d, cb.host, z * sc + (d_col ? j * ldc + i : i * ldc + j));
                if (c->epi) x = 2 * x + i % 4;
                if (c->d == TC_S8) x = fmax(fmin(rint(x), 127), -128);
                if (c->d == TC_BF16) x = tc_f32_from_bf16(tc_bf16_from_f32((float)x));
                bad += got != x;
                memcpy(after + at * size, d.host + at * size, (size_t)size);
            }
    for (size_t i = 0; i < d.bytes; i++) outside += after[i] != d.host[i];
    CHECK(bad == 0, "%s: %d elements wrong", what, bad);
    CHECK(outside == 0, "%s: %d bytes outside of D written", what, outside);
    free(after);
    drop(&a), drop(&b), drop(&index), drop(&cb), drop(&d);
}

/* What a call must not be, in words; D stays as it is. */
static void refused(const kernel *kn)
{
    const int each = 8 / tc_type_bits(kn->c.a);
    const int in_groups = kn->c.groups != 0, batches = !in_groups && !kn->c.index;
    buffer row = make(8 * 4, 0);
    buffer a = make(8 * 64, 0), d = make(8 * 8 * 4, 0);
    tc_gemm_args good;
    memset(&good, 0, sizeof good);
    good.m = good.n = 8, good.k = good.lda = good.ldb = 64, good.a = good.b = a.dev, good.d = d.dev, good.ldd = 8;
    if (kn->c.index) good.a_row = (const int32_t *)row.dev, good.a_rows = 8;
    if (in_groups) good.groups.count = 2, good.groups.ends = (const int32_t *)row.dev;
    for (int i = 0; i < 5; i++) {
        static const char *const names[5] = {"k = ", "lda = ", "ldb = ", "stride_a = ", "stride_b = "};
        tc_gemm_args g = good;
        char want[80];
        uint8_t *after = (uint8_t *)malloc(d.bytes);
        int touched = 0;
        if (i == 0) g.k = 64 - each / 2;
        if (i == 1) g.lda = 64 + each / 2;
        if (i == 2) g.ldb = 64 + each / 2;
        if (i > 2 && batches) g.batch = 2, g.stride_d = 1;
        if (i == 3) g.stride_a = 1;
        if (i == 4) g.stride_b = 3;
        if (!batches && (i == 3 || (i == 4 && !in_groups))) { /* there is none */
            free(after);
            continue;
        }
        snprintf(want, sizeof want, "is not a multiple of %d: so many elements of %s share a byte", each,
                 tc_type_name(kn->c.a));
        CHECK(kn->run(&g, 0) == TC_ERR_SIZE && !strncmp(tc_why(), names[i], strlen(names[i])) && strstr(tc_why(), want),
              "%s: %s", kn->name, tc_why());
        CHECK(kn->can_run(&g, 0) == TC_ERR_SIZE, "%s: %s", kn->name, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(after, d.dev, d.bytes, cudaMemcpyDeviceToHost));
        for (size_t x = 0; x < d.bytes; x++) touched += after[x] != d.host[x];
        CHECK(touched == 0, "%s: %d bytes of D written", kn->name, touched);
        free(after);
    }
    drop(&a), drop(&d), drop(&row);
}

int main(int argc, char **argv)
{
    const int device = test_device(), problems = argc > 1 ? atoi(argv[1]) : 80;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    if (device < 75) {
        SKIP("gemm_bits: no device of compute capability 7.5 or later");
        return test_end();
    }
    printf("gemm_bits: %d problems, seed %llu\n", problems, (unsigned long long)seed);
    floats(device);
    for (int i = 0; i < problems || i < KERNELS; i++) {
        const kernel *kn = &kernels[i % KERNELS];
        if (getenv("ONLY") && strcmp(getenv("ONLY"), kn->name)) continue;
        test_seed(seed + (uint64_t)i);
        if (i < problems) one(kn, test_int(0, 3) ? 140 : 24);
        if (i >= KERNELS) continue;
        refused(kn);
        if (kn->c.groups || kn->c.index) continue;
        told(kn->name, kn->can_run, device < 80 ? (kn->c.op == TC_AND ? "CUDA cores" : 0)
                                  : device >= (kn->c.a == TC_B1 ? 100 : 90) ? "become 8-bit" : 0);
    }
    return test_end();
}
