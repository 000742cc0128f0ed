/* gemm_mixed.cu - weights of 4 and 8 bits times activations of 16 (.weights): layout, quantiser, random products.
 *     build/tests/gemm_mixed [problems] [seed]
 * Built with -DMIXED_ALL it has a kernel for each type as f16 and as bf16.
 *
 * The reference multiplies, in fp64, what tc_weights.h says is multiplied: round(factor * (code - zero)), one rounding
 * to the type of A. In every second problem A's rows have a single 1: each element of D is then an element of B, and is
 * compared in every bit. In the others sums are compared within the bound of sums in f32. What lies around A and D is
 * NaN, or must stay. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include "gemm_told.h"
#include "gemm_problems.h"

#ifdef MIXED_SM80
enum { GENERATION = 80 };
#define HERE(device) ((device) >= 80)
#elif defined MIXED_SM100
enum { GENERATION = 100 };
#define HERE(device) ((device) >= 100 && (device) < 120)
#else
enum { GENERATION = 90 };
#define HERE(device) ((device) == 90)
#endif

#define BF16 .a = TC_BF16, .b = TC_BF16
#define F16 .a = TC_F16, .b = TC_F16
typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    size_t (*workspace)(const tc_gemm_args *);
    tc_gemm_config c;
    int any; /* TC_GEMM_DEFINE's: rows of A of any alignment */
} kernel;

#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#elif defined MIXED_SM80
TC_GEMM_SM80_DEFINE(s4, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .bm = 16)
TC_GEMM_SM80_DEFINE(s8, BF16, .d = TC_F32, .weights = TC_S8, .bm = 32, .bn = 64, .epi = told_one,
                    .epi_size = sizeof(told))
TC_GEMM_SM80_DEFINE(u4, F16, .d = TC_F16, .weights = TC_U4, .weights_k = 32, .weights_zero = 1, .bm = 64, .bn = 64)
TC_GEMM_SM80_DEFINE(e4m3, BF16, .d = TC_F32, .weights = TC_E4M3, .weights_k = 64)
TC_GEMM_SM80_DEFINE(e2m1, F16, .d = TC_F32, .weights = TC_E2M1, .weights_k = 32, .bm = 32)
TC_GEMM_SM80_DEFINE(u8, BF16, .d = TC_F32, .weights = TC_U8, .weights_k = 64, .weights_zero = 1, .bm = 16, .bn = 64)
TC_GEMM_SM80_DEFINE(s4_large, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .epi2 = told_pair,
                    .epi_size = sizeof(told))
TC_GEMM_SM80_DEFINE(experts, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .bm = 32,
                    .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A | TC_INDEX_D)
TC_GEMM_SM80_DEFINE(outputs, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .bm = 32, .bn = 64,
                    .aux = TC_F32, .aux_what = TC_AUX_PRE, .row_sum = TC_MAX_ABS)
#ifdef MIXED_ALL
#define ALL(...) __VA_ARGS__
TC_GEMM_SM80_DEFINE(s4_f16, F16, .d = TC_F32, .weights = TC_S4, .weights_k = 64, .bm = 16, .bn = 64, .bk = 64)
TC_GEMM_SM80_DEFINE(s4_one, F16, .d = TC_F32, .weights = TC_S4, .bm = 96, .bn = 192, .warps_n = 6, .stages = 2)
TC_GEMM_SM80_DEFINE(s8_f16, F16, .d = TC_F16, .weights = TC_S8, .weights_k = 128, .bm = 16)
TC_GEMM_SM80_DEFINE(s8_large, BF16, .d = TC_BF16, .weights = TC_S8, .weights_k = 128)
TC_GEMM_SM80_DEFINE(u4_bf16, BF16, .d = TC_F32, .weights = TC_U4, .weights_k = 128, .weights_zero = 1, .bn = 64)
TC_GEMM_SM80_DEFINE(u4_plain, BF16, .d = TC_F32, .weights = TC_U4, .weights_k = 128, .bm = 32, .warps_n = 2)
TC_GEMM_SM80_DEFINE(u8_f16, F16, .d = TC_F32, .weights = TC_U8, .weights_k = 32, .weights_zero = 1)
TC_GEMM_SM80_DEFINE(u8_plain, BF16, .d = TC_F32, .weights = TC_U8, .bm = 16)
TC_GEMM_SM80_DEFINE(e4m3_f16, F16, .d = TC_F32, .weights = TC_E4M3, .weights_k = 128, .bm = 128, .bk = 128)
TC_GEMM_SM80_DEFINE(e2m1_bf16, BF16, .d = TC_F32, .weights = TC_E2M1, .weights_k = 32, .bm = 16)
#else
#define ALL(...)
#endif
#elif defined MIXED_SM100
TC_GEMM_SM100_DEFINE(s4, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .bm = 16, .split = 1)
TC_GEMM_SM100_DEFINE(s8, BF16, .d = TC_F32, .weights = TC_S8, .bm = 32, .epi = told_one, .epi_size = sizeof(told))
TC_GEMM_SM100_DEFINE(u4, F16, .d = TC_F16, .weights = TC_U4, .weights_k = 32, .weights_zero = 1, .bm = 64)
TC_GEMM_SM100_DEFINE(e4m3, BF16, .d = TC_F32, .weights = TC_E4M3, .weights_k = 64, .bm = 16, .split = 1)
TC_GEMM_SM100_DEFINE(e2m1, F16, .d = TC_F32, .weights = TC_E2M1, .weights_k = 32, .bm = 16)
TC_GEMM_SM100_DEFINE(u8, BF16, .d = TC_F32, .weights = TC_U8, .weights_k = 64, .weights_zero = 1, .bm = 48)
TC_GEMM_SM100_DEFINE(s4_large, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .bm = 256, .epi2 = told_pair,
                     .epi_size = sizeof(told))
#ifdef MIXED_ALL
#define ALL(...) __VA_ARGS__
TC_GEMM_SM100_DEFINE(s4_f16, F16, .d = TC_F32, .weights = TC_S4, .weights_k = 64, .split = 1)
TC_GEMM_SM100_DEFINE(s4_one, F16, .d = TC_F32, .weights = TC_S4, .bm = 16, .stages = 2)
TC_GEMM_SM100_DEFINE(s8_f16, F16, .d = TC_F16, .weights = TC_S8, .weights_k = 128, .bm = 192, .split = 1)
TC_GEMM_SM100_DEFINE(s8_large, BF16, .d = TC_BF16, .weights = TC_S8, .weights_k = 128, .bm = 256, .split = 1)
TC_GEMM_SM100_DEFINE(u4_bf16, BF16, .d = TC_F32, .weights = TC_U4, .weights_k = 128, .weights_zero = 1, .bm = 80)
TC_GEMM_SM100_DEFINE(u4_plain, BF16, .d = TC_F32, .weights = TC_U4, .weights_k = 128, .bm = 16)
TC_GEMM_SM100_DEFINE(u8_f16, F16, .d = TC_F32, .weights = TC_U8, .weights_k = 32, .weights_zero = 1, .bm = 16)
TC_GEMM_SM100_DEFINE(u8_plain, BF16, .d = TC_F32, .weights = TC_U8, .bm = 16)
TC_GEMM_SM100_DEFINE(e4m3_f16, F16, .d = TC_F32, .weights = TC_E4M3, .weights_k = 128, .bm = 112)
TC_GEMM_SM100_DEFINE(e2m1_bf16, BF16, .d = TC_F32, .weights = TC_E2M1, .weights_k = 32, .bm = 16)
#else
#define ALL(...)
#endif
#else
TC_GEMM_SM90_DEFINE(s4, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .bm = 16, .split = 1)
TC_GEMM_SM90_DEFINE(s8, BF16, .d = TC_F32, .weights = TC_S8, .bm = 16, .bn = 64, .epi = told_one,
                    .epi_size = sizeof(told))
TC_GEMM_SM90_DEFINE(u4, F16, .d = TC_F16, .weights = TC_U4, .weights_k = 32, .weights_zero = 1, .bm = 16)
TC_GEMM_SM90_DEFINE(e4m3, BF16, .d = TC_F32, .weights = TC_E4M3, .weights_k = 64, .bm = 32)
TC_GEMM_SM90_DEFINE(e2m1, F16, .d = TC_F32, .weights = TC_E2M1, .weights_k = 32, .bm = 8, .bn = 64)
TC_GEMM_SM90_DEFINE(u8, BF16, .d = TC_F32, .weights = TC_U8, .weights_k = 64, .weights_zero = 1, .bm = 24, .bk = 64)
TC_GEMM_SM90_DEFINE(s4_large, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .bm = 256, .epi2 = told_pair,
                    .epi_size = sizeof(told))
#ifdef MIXED_ALL
#define ALL(...) __VA_ARGS__
TC_GEMM_SM90_DEFINE(s4_f16, F16, .d = TC_F32, .weights = TC_S4, .weights_k = 64, .bm = 16, .bn = 192, .consumers = 3)
TC_GEMM_SM90_DEFINE(s4_one, F16, .d = TC_F32, .weights = TC_S4, .bm = 16, .bn = 64, .split = 1)
TC_GEMM_SM90_DEFINE(s8_f16, F16, .d = TC_F16, .weights = TC_S8, .weights_k = 128, .bm = 16, .split = 1)
TC_GEMM_SM90_DEFINE(s8_large, BF16, .d = TC_BF16, .weights = TC_S8, .weights_k = 128, .bm = 256)
TC_GEMM_SM90_DEFINE(u4_bf16, BF16, .d = TC_F32, .weights = TC_U4, .weights_k = 128, .weights_zero = 1, .bm = 16)
TC_GEMM_SM90_DEFINE(u4_plain, BF16, .d = TC_F32, .weights = TC_U4, .weights_k = 128, .bm = 8)
TC_GEMM_SM90_DEFINE(u8_f16, F16, .d = TC_F32, .weights = TC_U8, .weights_k = 32, .weights_zero = 1, .bm = 8)
TC_GEMM_SM90_DEFINE(u8_plain, BF16, .d = TC_F32, .weights = TC_U8, .bm = 8)
TC_GEMM_SM90_DEFINE(e4m3_f16, F16, .d = TC_F32, .weights = TC_E4M3, .weights_k = 128, .bm = 128, .bk = 64)
TC_GEMM_SM90_DEFINE(e2m1_bf16, BF16, .d = TC_F32, .weights = TC_E2M1, .weights_k = 32, .bm = 16)
#else
#define ALL(...)
#endif
#endif

#ifndef FUZZ_KERNELS
TC_GEMM_DEFINE(s4_auto, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128)
#ifdef MIXED_SM80
#define s4_sm80_run s4_run
#else
TC_GEMM_SM80_DEFINE(s4_sm80, BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .bm = 32)
#endif
#define ROW(name) {#name, name##_can_run, name##_run, name##_workspace, name##_config(), 0}
#define ROW_ANY(name) {#name, name##_can_run, name##_run, name##_workspace, name##_config(), 1}
static const kernel kernels[] = {
    ROW(s4), ROW(s8), ROW(u4), ROW(e4m3), ROW(e2m1), ROW(u8), ROW(s4_large), ROW_ANY(s4_auto),
    ALL(ROW(s4_f16), ROW(s4_one), ROW(s8_f16), ROW(s8_large), ROW(u4_bf16), ROW(u4_plain), ROW(u8_f16), ROW(u8_plain),
        ROW(e4m3_f16), ROW(e2m1_bf16))
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- weights: codes of all kinds, factors that are no powers of two ---- */
typedef struct { void *codes; float *scales; uint8_t *zeros; } made;

static made weights_make(const tc_weights *w)
{
    const int groups = w->group ? w->k / w->group : 1;
    const size_t count = (size_t)w->n * w->k, many = (size_t)w->n * groups;
    made x = {malloc(count + 1), (float *)malloc(many * 4), (uint8_t *)malloc(many)};
    const int far = w->as == TC_BF16 && test_int(0, 3) == 0 ? test_int(-46, 57) : 0; /* sizes that bf16 has */
    for (size_t i = 0; i < count; i++) tc_element_code_set(x.codes, w->type, i, (uint32_t)(test_random() >> 40));
    for (size_t i = 0; i < many; i++) {
        const float size = ldexpf(1.f + (float)test_int(0, 1023) / 1024.f, far + test_int(-3, 0));
        x.scales[i] = test_int(0, 1) ? size : -size;
        x.zeros[i] = (uint8_t)test_int(0, w->type == TC_U4 ? 15 : 255);
    }
    return x;
}

static void weights_drop(made *x) { free(x->codes), free(x->scales), free(x->zeros); }

/* By the words of tc_weights.h alone, in fp64. */
static double weight(const tc_weights *w, const made *x, int n, int k)
{
    const uint32_t code = tc_element_code(x->codes, w->type, (uint64_t)n * w->k + k);
    const size_t group = w->group ? (size_t)n * (w->k / w->group) + k / w->group : 0;
    double v = w->type == TC_S4 ? (double)(code < 8 ? (int)code : (int)code - 16)
             : w->type == TC_S8 ? (double)(code < 128 ? (int)code : (int)code - 256)
             : w->type == TC_E4M3 && code % 128 == 127 ? (code < 128 ? 480. : -480.)
             : w->type == TC_U4 || w->type == TC_U8 ? (double)code : (double)tc_f32_from(w->type, code);
    if (!w->group) return v;
    if (w->zero) v -= x->zeros[group];
    v *= tc_f32_from(w->as, tc_from_f32(w->as, x->scales[group]));
    return tc_f32_from(w->as, tc_from_f32(w->as, (float)v)); /* 24 bits hold the product */
}

static void test_layout(void)
{
    static const int types[6] = {TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3, TC_E2M1};
    for (int bits = 4; bits <= 8; bits += 4) { /* the drawing beside wgmma's own */
        int wrong = 0;
        for (int word = 0; word < 64 * 128 * bits / 32; word++) {
            for (int i = 0; i < 32 / bits; i++) {
                const tc__weights_at at = tc__weights_at_of(bits, word, i);
                const int t = word % 512 / 4, reg = bits == 4 ? i % 4 : word % 2 * 2 + i % 2;
                const int step = bits == 4 ? word / 512 * 4 + word % 4 : word / 512 * 2 + word % 4 / 2;
                const int e = 2 * reg + (bits == 4 ? i / 4 : i / 2);
                wrong += at.row != tc_frag_wgmma_a_row(t, e, 16) || at.k != step * 16 + tc_frag_wgmma_a_col(t, e, 16)
                      || tc__weights_bit_of(bits, at.row, at.k) != word * 32 + i * bits;
            }
        }
        CHECK(wrong == 0, "%d bits: %d elements of a brick are not where wgmma wants them", bits, wrong);
    }
    for (int i = 0; i < 24; i++) {
        static const int groups[4] = {0, 32, 64, 128};
        tc_weights w = {types[i % 6], i % 2 ? TC_F16 : TC_BF16, groups[i / 6], 0, test_int(1, 150), 0};
        w.zero = w.group && (w.type == TC_U4 || w.type == TC_U8) && i % 3 != 2;
        w.k = w.group ? w.group * test_int(1, 5) : test_int(1, 300);
        made x = weights_make(&w);
        const tc_weights_source from = {x.codes, x.scales, x.zeros};
        void *packed = malloc(tc_weights_bytes(&w));
        int codes = 0, values = 0;
        CHECK(tc_weights_pack(&w, &from, packed) == TC_OK, "%s", tc_why());
        for (int n = 0; n < w.n; n++) {
            for (int k = 0; k < w.k; k++) {
                codes += tc_weights_code(&w, packed, n, k) != tc_element_code(x.codes, w.type, (uint64_t)n * w.k + k);
                values += (double)tc_weights_value(&w, packed, n, k) != weight(&w, &x, n, k);
            }
        }
        CHECK(codes == 0 && values == 0, "%s, group %d, zero %d, n %d, k %d: %d codes, %d values are others",
              tc_type_name(w.type), w.group, w.zero, w.n, w.k, codes, values);
        free(packed);
        weights_drop(&x);
    }
}

static void test_quantize(void)
{
    static const int types[5] = {TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3};
    for (int i = 0; i < 10; i++) {
        const int unsign = types[i % 5] == TC_U4 || types[i % 5] == TC_U8;
        const tc_weights w = {types[i % 5], i % 2 ? TC_F16 : TC_BF16, unsign || i < 5 ? 32 << i % 3 : 0, unsign, 5,
                              256};
        const int group = w.group ? w.group : w.k, groups = w.k / group;
        float x[5 * 256], scales[5 * 8];
        uint8_t codes[5 * 256], zeros[5 * 8];
        const tc_weights_made to = {codes, scales, zeros};
        double worst = 0;
        for (int e = 0; e < 5 * 256; e++) x[e] = e / 256 == 4 ? 0.f : test_normal() + 0.5f * (float)(e / 256);
        CHECK(tc_weights_quantize(&w, x, &to) == TC_OK, "%s", tc_why());
        for (int e = 0; e < 5 * 256; e++) {
            const int at = e / 256 * groups + e % 256 / group;
            const uint32_t code = tc_element_code(codes, w.type, (uint64_t)e);
            const double v = w.type == TC_S4 ? (double)((int)(code ^ 8u) - 8) : (double)tc_f32_from(w.type, code);
            const double got = (v - (unsign ? zeros[at] : 0)) * scales[at];
            /* Half a step; the factor's rounding to bf16 moves the end of a range of `top` steps by top * 2^-8 of one,
             * and a zero point's by half of one: what then lies outside goes to the last code. */
            const int top = w.type == TC_S4 ? 7 : w.type == TC_U4 ? 15 : w.type == TC_S8 ? 127 : 255;
            const double bound = w.type == TC_E4M3 ? fabs(x[e]) / 16 + scales[at] / 512
                                                   : scales[at] * (0.5001 + top / 256.);
            const double error = fabs(got - x[e]) / bound;
            if (!(error <= worst)) worst = error;
        }
        CHECK(worst <= 1, "%s: quantised with %.3f of the error bound", tc_type_name(w.type), worst);
    }
}

/* ---- products ---- */
static int problem(const kernel *k, int number)
{
    const tc_gemm_config *c = &k->c;
    const int unit = number % 2, batch = test_int(0, 5) == 0 && !unit ? 2 : 1;
    const int rows = c->bm ? c->bm : 64, m = test_int(1, rows > 64 ? 300 : 2 * rows + 3);
    const int n = 2 * test_int(1, test_int(0, 3) ? 70 : 150);
    const int step = c->weights_k ? c->weights_k : 8;
    const int most = 600 / step, kk = test_int(0, 19) ? step * test_int(1, most) : 0;
    const tc_weights w = {c->weights, c->a, c->weights_k, c->weights_zero, n, kk ? kk : step};
    const int d16 = tc_type_bits(c->d) == 16, hooked = c->epi || c->epi2;
    const int loose = (k->any || GENERATION == 80) && test_int(0, 1), shift = loose ? test_int(0, 7) : 0;
    const int lda = loose ? kk + test_int(0, 9) : (kk + 7) / 8 * 8 + 8 * test_int(0, 2);
    const int ldd = n + test_int(0, 9), share = test_int(0, 1);
    const float alpha = unit ? 1.f : 0.5f, beta = !unit && test_int(0, 1) ? -1.5f : 0.f;
    const size_t bytes = tc_weights_bytes(&w), elements = (size_t)m * ldd * batch;
    const int bytes_d = d16 ? 2 : 4;
    test_buffer a = test_buffer_make((size_t)(m * lda + 8) * batch * 2 + 16);
    test_buffer b = test_buffer_make(bytes * (share ? 1 : batch));
    test_buffer d = test_buffer_make(elements * bytes_d + 16), old = test_buffer_make(elements * bytes_d + 16);
    test_buffer by = test_buffer_make((size_t)n * 4 + 16), stray = test_buffer_make(16), work;
    const int matrices = share ? 1 : batch;
    made x[2];
    tc_gemm_args g;
    tc_gemm_choice choice = {0, 0, 0, 0, 0, 0};
    const told hook = {(int *)stray.dev, (const float *)by.dev, m, n};
    int wrong = 0;
    memset(&g, 0, sizeof g);
    for (int i = 0; i < matrices; i++) {
        x[i] = weights_make(&w);
        const tc_weights_source from = {x[i].codes, x[i].scales, x[i].zeros};
        CHECK(tc_weights_pack(&w, &from, (char *)b.host + i * bytes) == TC_OK, "%s", tc_why());
    }
    for (size_t i = 0; i < a.bytes / 2; i++) tc_element_set(a.host, c->a, i, NAN);
    for (int z = 0; z < batch; z++)
        for (int i = 0; i < m; i++) {
            const int one = kk ? test_int(0, kk - 1) : 0;
            for (int e = 0; e < kk; e++)
                tc_element_set(a.host, c->a, (size_t)z * (m * lda + 8) + (size_t)i * lda + e + shift,
                               unit ? (e == one ? 1.f : 0.f) : (float)test_int(-4, 4) / 4);
        }
    for (size_t i = 0; i < elements; i++) tc_element_set(old.host, c->d, i, (float)test_int(-8, 8));
    memcpy(d.host, old.host, d.bytes);
    for (int i = 0; i < n; i++) ((float *)by.host)[i] = unit ? 1.f : (float)test_int(1, 8) / 4;
    test_buffer_up(&a), test_buffer_up(&b), test_buffer_up(&d), test_buffer_up(&old), test_buffer_up(&by);
    g.m = m, g.n = n, g.k = kk, g.a = kk ? (char *)a.dev + 2 * shift : 0, g.lda = lda, g.b = kk ? b.dev : 0;
    g.d = d.dev, g.ldd = ldd;
    g.alpha = &alpha, g.beta = &beta, g.c = old.dev, g.ldc = ldd;
    if (hooked) g.epi_args = &hook, g.epi_size = sizeof hook;
    if (batch > 1) {
        g.batch = batch, g.stride_a = m * lda + 8, g.stride_b = share ? 0 : (int64_t)bytes;
        g.stride_c = g.stride_d = (int64_t)m * ldd;
    }
    if (c->split && test_int(0, 1)) {
        choice.parts = test_int(2, 8), choice.meet = test_int(0, TC_MEET_CLUSTER);
        if (GENERATION == 100) choice.meet = 0; /* Blackwell's parts meet in the workspace */
        g.choice = &choice;
    }
    work = test_buffer_make(1 << 20);
    if ((c->split || k->any) && test_int(0, 3)) g.workspace = work.dev, g.workspace_size = work.bytes;
    snprintf(test_context, sizeof test_context,
             "%s: m %d n %d k %d, lda %d (+ %d) ldd %d, batch %d (shared %d), beta %g, %s, "
             "parts %d, meet %d, workspace %d", k->name, m, n, kk, lda, shift, ldd, batch, share, (double)beta,
             unit ? "unit rows" : "sums", choice.parts, choice.meet, g.workspace != 0);
    if (choice.parts && k->can_run(&g, 0) != TC_OK) { /* more workspace than there is */
        CHECK(strstr(tc_why(), "parts take") || strstr(tc_why(), "TC_MEET_CLUSTER wants"), "%s: %s", test_context,
              tc_why());
        g.choice = 0;
    }
    CHECK(k->run(&g, 0) == TC_OK, "%s: %s", test_context, tc_why());
    test_buffer_down(&d), test_buffer_down(&stray);
    for (int z = 0; z < batch; z++) {
        for (int j = 0; j < n; j++) {
            double column[640];
            for (int e = 0; e < kk; e++) column[e] = weight(&w, &x[share ? 0 : z], j, e);
            for (int i = 0; i < m; i++) {
                const size_t at = ((size_t)z * m + i) * ldd + j;
                const double got = tc_element_get(d.host, c->d, at), before = tc_element_get(old.host, c->d, at);
                double sum = 0, size = 0, want, bound;
                for (int e = 0; e < kk; e++) {
                    const double p = column[e]
                        * tc_element_get(a.host, c->a, (size_t)z * (m * lda + 8) + (size_t)i * lda + e + shift);
                    sum += p, size += fabs(p);
                }
                want = alpha * sum + beta * before;
                if (hooked) want *= ((float *)by.host)[j];
                bound = unit ? 0 : 1.2 * 1.2e-7 * (kk + 8) * (size + fabs(before) + 1) * 2
                                 + (c->d == TC_BF16 ? 1 / 256. : c->d == TC_F16 ? 1 / 2048. : 0) * fabs(want);
                if (!(fabs(got - want) <= bound) && wrong++ == 0)
                    printf("  %s: D[%d][%d][%d] = %.9g, not %.9g\n", test_context, z, i, j, got, want);
            }
        }
        for (int i = 0; i < m; i++)
            wrong += memcmp((char *)d.host + (((size_t)z * m + i) * ldd + n) * bytes_d,
                            (char *)old.host + (((size_t)z * m + i) * ldd + n) * bytes_d,
                            (size_t)(ldd - n) * bytes_d) != 0;
    }
    CHECK(wrong == 0, "%s: %d wrong", test_context, wrong);
    CHECK(*(int *)stray.host == 0, "%s: the hook is called for %d elements that D does not have", test_context,
          *(int *)stray.host);
    for (int i = 0; i < matrices; i++) weights_drop(&x[i]);
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&d), test_buffer_drop(&old), test_buffer_drop(&by);
    test_buffer_drop(&stray), test_buffer_drop(&work);
    return wrong;
}

#ifndef FUZZ_KERNELS
/* ---- a plan, and other matrices for it: what NAME_run makes of them, in every bit ---- */
static void test_plan(void)
{
    enum { M = 5, N = 200, K = 256 };
    const tc_weights w = {TC_S4, TC_BF16, 128, 0, N, K};
    const size_t bytes = tc_weights_bytes(&w);
    test_buffer a = test_buffer_make(2 * M * K * 2), b = test_buffer_make(2 * bytes);
    test_buffer d = test_buffer_make(3 * M * N * 2);
    tc_gemm_plan plan;
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    for (int i = 0; i < 2; i++) {
        made x = weights_make(&w);
        const tc_weights_source from = {x.codes, x.scales, 0};
        CHECK(tc_weights_pack(&w, &from, (char *)b.host + i * bytes) == TC_OK, "%s", tc_why());
        weights_drop(&x);
    }
    for (size_t i = 0; i < a.bytes / 2; i++) tc_element_set(a.host, TC_BF16, i, test_normal());
    memset(d.host, 0x55, d.bytes);
    test_buffer_up(&a), test_buffer_up(&b), test_buffer_up(&d);
    g.m = M, g.n = N, g.k = K, g.a = a.dev, g.lda = K, g.b = b.dev, g.d = d.dev, g.ldd = N;
    CHECK(s4_plan(&g, &plan) == TC_OK, "%s", tc_why());
    CHECK(s4_launch(&plan, 0) == TC_OK, "%s", tc_why());
    g.a = (char *)a.dev + M * K * 2, g.b = (char *)b.dev + bytes, g.d = (char *)d.dev + M * N * 2;
    CHECK(tc_gemm_plan_pointers(&plan, &g) == TC_OK, "%s", tc_why());
    CHECK(s4_launch(&plan, 0) == TC_OK, "%s", tc_why());
    g.d = (char *)d.dev + 2 * M * N * 2;
    CHECK(s4_run(&g, 0) == TC_OK, "%s", tc_why());
    test_buffer_down(&d);
    CHECK(memcmp(d.host, (char *)d.host + M * N * 2, M * N * 2), "a plan's other matrices give the first ones' result");
    CHECK(!memcmp((char *)d.host + M * N * 2, (char *)d.host + 2 * M * N * 2, M * N * 2),
          "a plan with other matrices is not what a run makes of them");
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&d);
}

#ifdef MIXED_SM80
/* ---- what knows nothing of weights: groups whose rows are looked up, second outputs. Sums are those of `s4`, in every
 * bit, for each adds up k in the same order ---- */
typedef struct { test_buffer a, b, d, plain; tc_gemm_args g; } few;

enum { FEW_M = 61, FEW_N = 136, FEW_K = 384 };

/* matrices of weights, rows of A. */
static few few_make(int matrices)
{
    const tc_weights w = {TC_S4, TC_BF16, 128, 0, FEW_N, FEW_K};
    const size_t bytes = tc_weights_bytes(&w);
    few x = {test_buffer_make(FEW_M * FEW_K * 2), test_buffer_make(matrices * bytes),
             test_buffer_make(FEW_M * FEW_N * 2), test_buffer_make(FEW_M * FEW_N * 2), {0}};
    for (int i = 0; i < matrices; i++) {
        made m = weights_make(&w);
        const tc_weights_source from = {m.codes, m.scales, 0};
        CHECK(tc_weights_pack(&w, &from, (char *)x.b.host + i * bytes) == TC_OK, "%s", tc_why());
        weights_drop(&m);
    }
    for (size_t i = 0; i < FEW_M * FEW_K; i++) tc_element_set(x.a.host, TC_BF16, i, test_normal());
    memset(x.d.host, 0x55, x.d.bytes), memset(x.plain.host, 0x55, x.plain.bytes);
    test_buffer_up(&x.a), test_buffer_up(&x.b), test_buffer_up(&x.d), test_buffer_up(&x.plain);
    x.g.m = FEW_M, x.g.n = FEW_N, x.g.k = FEW_K, x.g.a = x.a.dev, x.g.lda = FEW_K, x.g.b = x.b.dev, x.g.d = x.d.dev;
    x.g.ldd = FEW_N, x.g.batch = 1, x.g.stride_b = (int64_t)bytes;
    return x;
}
static void few_drop(few *x)
{
    test_buffer_drop(&x->a), test_buffer_drop(&x->b), test_buffer_drop(&x->d), test_buffer_drop(&x->plain);
}

static void test_experts(void)
{
    enum { EXPERTS = 4 };
    static const int ends[EXPERTS + 1] = {0, 7, 7, 50, FEW_M}; /* one has no rows */
    few x = few_make(EXPERTS);
    test_buffer offsets = test_buffer_make(sizeof ends), from = test_buffer_make(FEW_M * 4);
    tc_gemm_args g = x.g, one = x.g;
    int wrong = 0;
    memcpy(offsets.host, ends, sizeof ends);
    for (int i = 0; i < FEW_M; i++) ((int32_t *)from.host)[i] = i * 17 % FEW_M; /* a permutation: 61 is prime */
    test_buffer_up(&offsets), test_buffer_up(&from);
    g.groups.count = EXPERTS, g.groups.offsets = (const int32_t *)offsets.dev;
    g.a_row = g.d_row = (const int32_t *)from.dev, g.a_rows = g.d_rows = FEW_M;
    CHECK(experts_run(&g, 0) == TC_OK, "%s", tc_why());
    test_buffer_down(&x.d);
    one.m = FEW_M, one.d = x.plain.dev, one.stride_b = 0; /* all rows by each expert's weights */
    for (int e = 0; e < EXPERTS; e++) {
        one.b = (char *)x.b.dev + e * g.stride_b;
        CHECK(s4_run(&one, 0) == TC_OK, "%s", tc_why());
        test_buffer_down(&x.plain);
        for (int i = ends[e]; i < ends[e + 1]; i++) {
            const size_t at = (size_t)((int32_t *)from.host)[i] * FEW_N * 2;
            wrong += memcmp((char *)x.d.host + at, (char *)x.plain.host + at, FEW_N * 2) != 0;
        }
    }
    CHECK(wrong == 0, "experts: %d rows are not their expert's", wrong);
    g.stride_b = 64;
    CHECK(experts_can_run(&g, 0) == TC_ERR_BATCH && strstr(tc_why(), "stride_b = 64 must be a multiple of 16"), "%s",
          tc_why());
    test_buffer_drop(&offsets), test_buffer_drop(&from);
    few_drop(&x);
}

static void test_outputs(void)
{
    few x = few_make(1);
    test_buffer aux = test_buffer_make(FEW_M * FEW_N * 4), most = test_buffer_make(FEW_M * 4), work;
    tc_gemm_args g = x.g;
    int wrong = 0;
    g.aux.p = aux.dev, g.aux.ld = FEW_N, g.row_out = (float *)most.dev;
    work = test_buffer_make(outputs_workspace(&g));
    g.workspace = work.dev, g.workspace_size = work.bytes;
    CHECK(outputs_run(&g, 0) == TC_OK, "%s", tc_why());
    g = x.g, g.d = x.plain.dev;
    CHECK(s4_run(&g, 0) == TC_OK, "%s", tc_why());
    test_buffer_down(&x.d), test_buffer_down(&x.plain), test_buffer_down(&aux), test_buffer_down(&most);
    CHECK(!memcmp(x.d.host, x.plain.host, x.d.bytes), "outputs: D is not that of a kernel without");
    for (int i = 0; i < FEW_M; i++) {
        float top = 0;
        for (int j = 0; j < FEW_N; j++) {
            const float v = ((float *)aux.host)[i * FEW_N + j];
            top = fabsf(v) > top ? fabsf(v) : top;
            wrong += tc_from_f32(TC_BF16, v) != ((uint16_t *)x.d.host)[i * FEW_N + j];
        }
        wrong += top != ((float *)most.host)[i];
    }
    CHECK(wrong == 0, "outputs: %d of the second output and of the rows' largest are wrong", wrong);
    test_buffer_drop(&aux), test_buffer_drop(&most), test_buffer_drop(&work);
    few_drop(&x);
}
#endif

/* ---- the same packed bytes by this generation's kernel, by mma.sync's and by TC_GEMM_DEFINE's, whose rows of A may
 * have any alignment: of rows with a single 1 the elements of B, in every bit ---- */
static void test_generations(void)
{
    enum { M = 40, N = 136, K = 384 };
    const tc_weights w = {TC_S4, TC_BF16, 128, 0, N, K};
    made x = weights_make(&w);
    const tc_weights_source from = {x.codes, x.scales, 0};
    tc_status (*const run[3])(const tc_gemm_args *, cudaStream_t) = {s4_run, s4_sm80_run, s4_auto_run};
    static const char *const names[3] = {"s4", "s4_sm80", "s4_auto"};
    const int own = GENERATION == 100 ? test_device() : 90; /* whose kernels are in this build, and not mma.sync's */
    test_buffer a = test_buffer_make(M * (K + 8) * 2 + 16), b = test_buffer_make(tc_weights_bytes(&w));
    test_buffer d = test_buffer_make(M * N * 2);
    CHECK(tc_weights_pack(&w, &from, b.host) == TC_OK, "%s", tc_why());
    test_buffer_up(&b);
    for (int i = 0; i < 4; i++) { /* the last: TC_GEMM_DEFINE, rows that TMA refuses */
        const int which = i < 3 ? i : 2, ld = i < 3 ? K : K + 3;
        tc_gemm_plan plan;
        tc_gemm_args g;
        int wrong = 0;
        memset(&g, 0, sizeof g);
        for (size_t e = 0; e < a.bytes / 2; e++) tc_element_set(a.host, TC_BF16, e, NAN);
        for (int e = 0; e < M * K; e++)
            tc_element_set(a.host, TC_BF16, (size_t)(e / K) * ld + e % K, e % K == e / K * 9 ? 1.f : 0.f);
        memset(d.host, 0x55, d.bytes);
        test_buffer_up(&a), test_buffer_up(&d);
        g.m = M, g.n = N, g.k = K, g.a = a.dev, g.lda = ld, g.b = b.dev, g.d = d.dev, g.ldd = N;
        CHECK(run[which](&g, 0) == TC_OK, "%s: %s", names[which], tc_why());
        test_buffer_down(&d);
        for (int e = 0; e < M * N; e++)
            wrong += ((uint16_t *)d.host)[e] /* a sum is no -0 */
                  != tc_from_f32(TC_BF16, tc_weights_value(&w, b.host, e % N, e / N * 9) + 0.f);
        CHECK(wrong == 0, "%s, lda %d: %d elements are not those of the packed weights", names[which], ld, wrong);
        if (which < 2) continue;
        CHECK(s4_auto_plan(&g, &plan) == TC_OK, "%s", tc_why());
        CHECK((strstr(plan.call.kernel.name, "_sm80") != 0) == (i == 3 || test_device() != own),
              "lda %d: TC_GEMM_DEFINE takes %s", ld, plan.call.kernel.name);
    }
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&d);
    weights_drop(&x);
}

#if !defined MIXED_SM100 && !defined MIXED_SM80
/* ---- parts of k: blocks of a cluster take no workspace, and what they make is in every bit what parts that meet in
 * the workspace make ---- */
static void test_parts(void)
{
    enum { M = 21, N = 300, K = 1152 };
    const tc_weights w = {TC_S4, TC_BF16, 128, 0, N, K};
    made x = weights_make(&w);
    const tc_weights_source from = {x.codes, x.scales, 0};
    test_buffer a = test_buffer_make(M * K * 2), b = test_buffer_make(tc_weights_bytes(&w));
    test_buffer d[2] = {test_buffer_make(M * N * 2 + 16), test_buffer_make(M * N * 2 + 16)};
    test_buffer work = test_buffer_make(1 << 20);
    tc_gemm_choice choice = {0, 0, 0, 0, 0, 0};
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    CHECK(tc_weights_pack(&w, &from, b.host) == TC_OK, "%s", tc_why());
    for (size_t i = 0; i < a.bytes / 2; i++) tc_element_set(a.host, TC_BF16, i, test_normal());
    test_buffer_up(&a), test_buffer_up(&b);
    g.m = M, g.n = N, g.k = K, g.a = a.dev, g.lda = K, g.b = b.dev, g.ldd = N, g.choice = &choice;
    for (choice.parts = 2; choice.parts <= 8; choice.parts++) {
        for (int i = 0; i < 2; i++) {
            size_t takes;
            memset(d[i].host, 0x55, d[i].bytes);
            test_buffer_up(&d[i]);
            choice.meet = i ? TC_MEET_WORKSPACE : TC_MEET_CLUSTER;
            g.d = d[i].dev, g.workspace = 0, g.workspace_size = 0;
            if (i)
                CHECK(s4_run(&g, 0) == TC_ERR_SIZE && strstr(tc_why(), "workspace_size = 0, but"),
                      "%d parts, meet %d without a workspace: %s", choice.parts, choice.meet, tc_why());
            g.workspace = work.dev, g.workspace_size = work.bytes;
            takes = s4_workspace(&g);
            CHECK((takes != 0) == (i != 0), "%d parts, meet %d take %llu bytes", choice.parts, choice.meet,
                  (unsigned long long)takes);
            g.workspace = takes ? work.dev : 0, g.workspace_size = takes;
            CHECK(s4_run(&g, 0) == TC_OK, "%d parts, meet %d: %s", choice.parts, choice.meet, tc_why());
            test_buffer_down(&d[i]);
        }
        CHECK(!memcmp(d[0].host, d[1].host, d[0].bytes), "%d parts: a cluster's sums are others", choice.parts);
    }
    choice.parts = 9, choice.meet = TC_MEET_CLUSTER;
    CHECK(s4_can_run(&g, 0) == TC_ERR_CONFIG && strstr(tc_why(), "at most 8 parts"), "%s", tc_why());
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&d[0]), test_buffer_drop(&d[1]);
    test_buffer_drop(&work);
    weights_drop(&x);
}
#endif

/* ---- what is refused, in words ---- */
#define REFUSES(call, status, text)                                                                          \
    do {                                                                                                     \
        const tc_status st_ = (call);                                                                        \
        CHECK(st_ == (status) && strstr(tc_why(), text), "status %d, \"%s\", not \"%s\"", st_, tc_why(), text); \
    } while (0)

static void test_refused(void)
{
    tc_weights w = {TC_S4, TC_BF16, 128, 0, 64, 128};
    tc_weights_source none = {0, 0, 0};
    uint32_t room[2112];
    const tc_gemm_choice flat = {4, 0, 0, 0, 0, 0};
    tc_gemm_args g;
    REFUSES(tc_weights_check(0), TC_ERR_NULL, "weights is null");
    w.type = TC_F32;
    REFUSES(tc_weights_check(&w), TC_ERR_CONFIG, "weights.type");
    w.type = TC_S4, w.as = TC_F32;
    REFUSES(tc_weights_check(&w), TC_ERR_CONFIG, "weights.as");
    w.as = TC_BF16, w.group = 48;
    REFUSES(tc_weights_check(&w), TC_ERR_CONFIG, "weights.group = 48");
    w.group = 128, w.zero = 1;
    REFUSES(tc_weights_check(&w), TC_ERR_CONFIG, "weights.zero = 1");
    w.zero = 0, w.n = 0;
    REFUSES(tc_weights_check(&w), TC_ERR_SIZE, "weights.n = 0");
    w.n = 64, w.k = 100;
    REFUSES(tc_weights_check(&w), TC_ERR_SIZE, "weights.k = 100 is not a multiple of weights.group = 128");
    w.k = 128;
    REFUSES(tc_weights_pack(&w, &none, room), TC_ERR_NULL, "from.codes is null");
    none.codes = room;
    REFUSES(tc_weights_pack(&w, &none, room), TC_ERR_NULL, "from.scales is null");
    REFUSES(tc_weights_quantize(&w, 0, 0), TC_ERR_NULL, "weights is null");
    memset(&g, 0, sizeof g);
    g.m = 16, g.n = 64, g.k = 128, g.a = room, g.b = room, g.d = room, g.lda = 128, g.ldd = 64;
    g.a = g.b = g.d = (void *)4096;
    g.ldb = 128;
    REFUSES(s4_can_run(&g, 0), TC_ERR_PITCH, "ldb = 128, but packed weights have no pitch: leave it 0");
    g.ldb = 0, g.k = g.lda = 192;
    REFUSES(s4_can_run(&g, 0), TC_ERR_SIZE, "k = 192 is not a multiple of the kernel's .weights_k = 128");
    g.k = g.lda = 128, g.b = (void *)4104;
    REFUSES(s4_can_run(&g, 0), TC_ERR_ALIGN, "b = ");
    REFUSES(s4_auto_can_run(&g, 0), TC_ERR_ALIGN, "b = 0x1008 is not a multiple of 16 bytes, as packed weights are");
    g.b = (void *)4096, g.batch = 2, g.stride_b = 64, g.stride_d = 1024;
    REFUSES(s4_can_run(&g, 0), TC_ERR_BATCH, "stride_b = 64 must be a multiple of 16 bytes, and 4224");
    REFUSES(s4_auto_can_run(&g, 0), TC_ERR_BATCH, "stride_b = 64 must be a multiple of 16 bytes, and 4224");
    g.batch = 0, g.stride_b = g.stride_d = 0, g.choice = &flat;
    REFUSES(s4_auto_can_run(&g, 0), TC_ERR_CONFIG, "choice->kernel = 4 is not there for packed weights");
}
#endif

int main(int argc, char **argv)
{
    const problem_args run = problem_args_of(argc, argv, 60);
    printf("seed %llu\n", (unsigned long long)run.seed);
    test_seed(run.seed);
#ifndef FUZZ_KERNELS
    test_layout();
    test_quantize();
    test_refused();
#endif
    if (!HERE(test_device())) {
        SKIP("products: no device of compute capability %s",
             GENERATION == 100 ? "10.x" : GENERATION == 90 ? "9.0" : "8.0 or later");
        return test_end();
    }
#ifndef FUZZ_KERNELS
    test_plan();
    test_generations();
#ifdef MIXED_SM80
    test_experts();
    test_outputs();
#elif !defined MIXED_SM100
    test_parts();
#endif
#endif
    for (int i = 0; i < run.problems; i++) problem(&kernels[i / 2 % KERNELS], i);
    return test_end();
}
