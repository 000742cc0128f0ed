/* attn_append.cu - random tokens through the kernels of tc_attn_append.h, against fp64 on the CPU; and their bad input.
 *     build/tests/attn_append [configurations] [seed]
 *
 * Lengths live on the device and differ, some pages have numbers that are none. Caches are 0xff before, and what is not
 * a new token's row must be so afterwards. Each call runs twice and must give the same bits.
 *
 * BOUND of an element before it is rounded to its type, which adds half a distance of that type's numbers there:
 *     norm        n squares are added up in f32 (2^-24 each, of a sum of terms above 0; its root halves that), then a
 *                 division, a root, a reciprocal, two products: |x| (n + 12) 2^-24
 *     rotation    two products and a sum of terms that may cancel: (|x| + |y|) 2^-22
 *     quotient    2^-24 |x| */
#include "../tc.h"
#include "test.h"
#include "attn_memory.h"
#include <time.h>

TC_ATTN_APPEND_DEFINE(halves, .type = TC_BF16, .head_dim = 128, .kv = TC_E4M3, .rope = TC_ROPE_HALVES, .norm = 1,
                      .paged = 1)
TC_ATTN_APPEND_DEFINE(neighbours, .type = TC_F16, .head_dim = 64, .kv = TC_S8, .rope = TC_ROPE_NEIGHBOURS)
TC_ATTN_APPEND_DEFINE(latent, .type = TC_BF16, .latent = 1, .rope = TC_ROPE_NEIGHBOURS, .norm = 1, .norm_dim = 512,
                      .paged = 1)
TC_ATTN_APPEND_DEFINE(part, .type = TC_F16, .head_dim = 192, .head_dim_v = 128, .rope = TC_ROPE_HALVES, .rope_at = 128,
                      .rope_dim = 64, .paged = 1)
TC_ATTN_APPEND_DEFINE(odd, .type = TC_BF16, .head_dim = 80, .norm = 1, .head_dim_v = 96)

typedef struct {
    const char *name;
    tc_status (*run)(const tc_attn_append_args *, cudaStream_t);
    tc_status (*can_run)(const tc_attn_append_args *, const char **);
    tc_attn_append_config c;
} kernel;
#define KERNEL(name) {#name, name##_run, name##_can_run, name##_config()}
static const kernel kernels[] = {KERNEL(halves), KERNEL(neighbours), KERNEL(latent), KERNEL(part), KERNEL(odd)};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static double worst; /* of the bound */

static float value(int type, const void *p, int64_t i)
{
    return type == TC_BF16 ? tc_f32_from_bf16(((const uint16_t *)p)[i])
           : type == TC_F16 ? tc_f32_from_f16(((const uint16_t *)p)[i])
           : type == TC_E4M3 ? tc_f32_from_e4m3(((const uint8_t *)p)[i])
                             : (float)((const int8_t *)p)[i];
}

/* Half the distance of a type's numbers around x. */
static double half(int type, double x)
{
    const int digits = type == TC_BF16 ? 8 : type == TC_F16 ? 11 : 4, least = type == TC_BF16 ? -133 : type == TC_F16
                       ? -24 : -9;
    int e = 0;
    if (type == TC_S8) return 0.5;
    frexp(x, &e);
    return ldexp(0.5, e - digits < least ? least : e - digits);
}

static uint16_t *random_tokens(int type, size_t count, float size)
{
    uint16_t *p = (uint16_t *)malloc(count * 2 + 16);
    for (size_t i = 0; i < count; i++) {
        const float x = size * test_normal();
        p[i] = type == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);
    }
    return p;
}

/* A row: from, dim elements of it, turned as which (0 Q, 1 K, 2 V) is; by: what it is divided by. The return value: how
 * many of `got` are wrong. */
typedef struct {
    const uint16_t *from, *weights;
    const float *turns;
    const void *got;
    int which;
    double by, eps;
} row;

static int wrong(const tc_attn_append_config *c, const row *r)
{
    const int dim = r->which == 2 ? c->head_dim_v : c->head_dim, type = r->which && c->kv ? c->kv : c->type;
    double x[1024], err[1024], sum = 0;
    int bad = 0;
    for (int e = 0; e < c->norm_dim; e++) sum += pow(value(c->type, r->from, e), 2);
    for (int e = 0; e < dim; e++) {
        x[e] = value(c->type, r->from, e), err[e] = 0;
        if (r->which < 2 && r->weights && e < c->norm_dim) {
            x[e] *= value(c->type, r->weights, e) / sqrt(sum / c->norm_dim + r->eps);
            err[e] = ldexp(fabs(x[e]) * (c->norm_dim + 12), -24);
        }
    }
    for (int i = 0; i < c->rope_dim / 2 && c->rope && r->which < 2; i++) {
        const int a = c->rope_at + (c->rope == TC_ROPE_HALVES ? i : 2 * i),
                  b = c->rope == TC_ROPE_HALVES ? a + c->rope_dim / 2 : a + 1;
        const double s = r->turns[2 * i + 1], co = r->turns[2 * i], xa = x[a], xb = x[b], off = err[a] + err[b]
                         + ldexp(fabs(xa) + fabs(xb), -22);
        x[a] = xa * co - xb * s, x[b] = xb * co + xa * s, err[a] = err[b] = off;
    }
    for (int e = 0; e < dim; e++) {
        const double most = type == TC_E4M3 ? 448 : type == TC_S8 ? 127 : 1e30, least = type == TC_S8 ? -128 : -most,
                     had = value(type, r->got, e);
        double want = x[e] / r->by, bound = err[e] / r->by + ldexp(fabs(want), -24);
        want = want > most ? most : want < least ? least : want;
        bound += half(type, fabs(want) + bound);
        if (!(fabs(had - want) <= bound)) bad++;
        if (fabs(had - want) / bound > worst) worst = fabs(had - want) / bound;
    }
    return bad;
}

static void one(const kernel *kn, uint64_t seed)
{
    const tc_attn_append_config c = kn->c;
    static const int sizes[] = {8, 16, 24, 64};
    const int batch = test_int(1, 6), heads_kv = c.latent ? 1 : test_int(1, 4), heads = heads_kv * test_int(1, 5),
              q_len = test_int(0, 1) ? 1 : test_int(1, 9), k_len = q_len + test_int(0, 60),
              packed = test_int(0, 2) == 0,
              rows = sizes[test_int(0, 3)], each = (k_len + rows - 1) / rows + test_int(0, 1),
              pages = batch * each + 2, in_place = test_int(0, 2) == 0, with_q = test_int(0, 4) != 0,
              size = c.kv ? 1 : 2, scale_heads = test_int(0, 1), scaled = c.kv && test_int(0, 3);
    int lens_q[8], lens_k[8], at[9], *table = (int *)malloc(sizeof(int) * (size_t)(batch * each + 1)), bad = 0;
    size_t tokens, count[3], bytes[2], outside = 0;
    uint16_t *from[3], *weights[2], *q_out;
    uint8_t *cache[2], *again[2];
    float *turns, scales[2][4];
    const float eps = 1e-5f;
    tc_attn_append_args a;
    char what[200];
    memset(&a, 0, sizeof a);
    at[0] = 0;
    for (int b = 0; b < batch; b++) {
        lens_q[b] = test_int(0, 3) ? q_len : test_int(0, q_len);
        lens_k[b] = test_int(lens_q[b], k_len);
        at[b + 1] = at[b] + lens_q[b];
    }
    const int cu = packed && at[batch] >= q_len;
    tokens = cu ? (size_t)at[batch] : (size_t)batch * q_len;
    for (int i = 0; i < batch * each; i++) { /* down by 1 from the last */
        table[i] = pages - 1 - i;
        if (test_int(0, 9) == 0) table[i] = test_int(0, 1) ? -1 : pages + test_int(0, 1) * 2000000000;
    }
    for (int i = 0; i < 3; i++) {
        count[i] = tokens * (size_t)(i ? heads_kv : heads) * (size_t)(i == 2 ? c.head_dim_v : c.head_dim);
        from[i] = random_tokens(c.type, count[i], 3.f);
    }
    for (int i = 0; i < 2; i++) {
        weights[i] = random_tokens(c.type, (size_t)c.head_dim, 1.f);
        bytes[i] = (size_t)(c.paged ? pages * rows : batch * k_len) * heads_kv * (i ? c.head_dim_v : c.head_dim) * size;
        cache[i] = (uint8_t *)malloc(bytes[i]), again[i] = (uint8_t *)malloc(bytes[i]);
        memset(cache[i], 0xff, bytes[i]);
        for (int h = 0; h < 4; h++) scales[i][h] = scaled ? ldexpf((float)test_int(2, 9), -6) : 1.f;
    }
    turns = (float *)malloc(sizeof(float) * (size_t)(k_len * c.rope_dim));
    for (int i = 0; i < k_len; i++)
        for (int e = 0; e < c.rope_dim / 2; e++) {
            const double angle = i * pow(10000, -2. * e / c.rope_dim);
            turns[i * c.rope_dim + 2 * e] = (float)cos(angle), turns[i * c.rope_dim + 2 * e + 1] = (float)sin(angle);
        }
    a.to.batch = batch, a.to.heads = heads, a.to.heads_kv = heads_kv, a.to.q_len = q_len, a.to.k_len = k_len;
    a.to.scale = 0.1f, a.eps = eps;
    a.to.lens_k = (int *)upload(lens_k, sizeof(int) * (size_t)batch);
    if (cu) a.to.cu_q = (int *)upload(at, sizeof(int) * (size_t)(batch + 1)), a.to.total_q = at[batch];
    else a.to.lens_q = (int *)upload(lens_q, sizeof(int) * (size_t)batch);
    if (c.paged) {
        a.to.page_table = (int *)upload(table, sizeof(int) * (size_t)(batch * each));
        a.to.table_pages = each, a.to.page_rows = rows, a.to.pages = pages;
    }
    if (scaled) {
        a.to.k_scale = (float *)upload(scales[0], sizeof(float) * (size_t)(scale_heads ? heads_kv : 1));
        a.to.v_scale = (float *)upload(scales[1], sizeof(float) * (size_t)(scale_heads ? heads_kv : 1));
        a.to.scale_heads = scale_heads;
    }
    a.to.o = device_memory(tokens * (size_t)heads * c.head_dim_v * 2);
    a.k = upload(from[1], count[1] * 2), a.v = c.latent ? 0 : upload(from[2], count[2] * 2);
    q_out = (uint16_t *)malloc(count[0] * 2 + 16), memset(q_out, 0xff, count[0] * 2);
    a.q = with_q ? upload(from[0], count[0] * 2) : 0;
    a.to.q = with_q && in_place ? a.q : upload(q_out, count[0] * 2);
    a.to.k = upload(cache[0], bytes[0]);
    a.to.v = c.latent ? 0 : upload(cache[1], bytes[1]);
    if (c.rope) a.turns = (float *)upload(turns, sizeof(float) * (size_t)(k_len * c.rope_dim)), a.turns_rows = k_len;
    const int norm_q = c.norm && test_int(0, 2), norm_k = c.norm && test_int(0, 4);
    if (norm_q) a.q_norm = upload(weights[0], (size_t)c.head_dim * 2);
    if (norm_k) a.k_norm = upload(weights[1], (size_t)c.head_dim * 2);
    snprintf(what, sizeof what,
             "attn_append 1 %llu: %s batch %d heads %d/%d q %d k %d pages of %d packed %d in place %d",
             (unsigned long long)seed, kn->name, batch, heads, heads_kv, q_len, k_len, c.paged ? rows : 0, cu,
             in_place);
    CHECK(kn->run(&a, 0) == TC_OK, "%s: %s", what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(q_out, a.to.q, count[0] * 2, cudaMemcpyDeviceToHost));
    for (int i = 0; i < (c.latent ? 1 : 2); i++)
        CUDA_CHECK(cudaMemcpy(cache[i], i ? a.to.v : a.to.k, bytes[i], cudaMemcpyDeviceToHost));
    if (!in_place || !with_q) CHECK(kn->run(&a, 0) == TC_OK, "%s: again: %s", what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < (c.latent ? 1 : 2); i++) {
        CUDA_CHECK(cudaMemcpy(again[i], i ? a.to.v : a.to.k, bytes[i], cudaMemcpyDeviceToHost));
        CHECK(!memcmp(cache[i], again[i], bytes[i]), "%s: other bits in a second run", what);
    }
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < lens_q[b]; i++) {
            const int pos = lens_k[b] - lens_q[b] + i;
            const size_t token = cu ? (size_t)(at[b] + i) : (size_t)b * q_len + i;
            const int page = c.paged ? table[b * each + pos / rows] : 0;
            row r;
            memset(&r, 0, sizeof r);
            r.turns = turns + pos * c.rope_dim, r.eps = eps, r.by = 1;
            for (int h = 0; h < heads && with_q; h++) {
                r.from = from[0] + (token * heads + h) * c.head_dim, r.got = q_out + (token * heads + h) * c.head_dim;
                r.weights = norm_q ? weights[0] : 0;
                bad += wrong(&c, &r);
                memset((void *)r.got, 0xff, (size_t)c.head_dim * 2);
            }
            if (page < 0 || page >= pages) continue;
            for (int w = 1; w < (c.latent ? 2 : 3); w++)
                for (int h = 0; h < heads_kv; h++) {
                    const int dim = w == 2 ? c.head_dim_v : c.head_dim;
                    const size_t line = c.paged ? (size_t)page * rows + pos % rows : (size_t)b * k_len + pos;
                    r.which = w, r.from = from[w] + (token * heads_kv + h) * dim;
                    r.weights = norm_k && w == 1 ? weights[1] : 0;
                    r.got = cache[w - 1] + (line * heads_kv + h) * dim * size;
                    r.by = scaled ? scales[w - 1][scale_heads ? h : 0] : 1;
                    bad += wrong(&c, &r);
                    memset((void *)r.got, 0xff, (size_t)dim * size);
                }
        }
    if (!in_place || !with_q)
        for (size_t i = 0; i < count[0]; i++) outside += q_out[i] != 0xffff;
    for (int w = 0; w < (c.latent ? 1 : 2); w++)
        for (size_t i = 0; i < bytes[w]; i++) outside += cache[w][i] != 0xff;
    CHECK(bad == 0, "%s: %d elements out of bound", what, bad);
    CHECK(outside == 0, "%s: %zu bytes outside of the new rows written", what, outside);
    for (int i = 0; i < 3; i++) free(from[i]);
    for (int i = 0; i < 2; i++) free(weights[i]), free(cache[i]), free(again[i]);
    free(table), free(turns), free(q_out);
    free_device_memory();
}

/* ---- bad input ---- */
static void refused(const kernel *kn, const tc_attn_append_args *a, const char *text, int line)
{
    const char *why = "";
    CHECK(kn->can_run(a, &why) != TC_OK && strstr(why, text), "line %d: %s_can_run: %s, wants \"%s\"", line, kn->name,
          why, text);
    CHECK(kn->run(a, 0) != TC_OK && strstr(tc_why(), text), "line %d: %s_run: %s, wants \"%s\"", line, kn->name,
          tc_why(), text);
}

static tc_attn_append_args good(const kernel *kn, char *memory)
{
    tc_attn_append_args a;
    memset(&a, 0, sizeof a);
    a.to.batch = 2, a.to.heads = 2, a.to.heads_kv = 1, a.to.q_len = 1, a.to.k_len = 16, a.to.scale = 1;
    a.to.q = a.to.k = a.to.o = memory, a.to.v = kn->c.latent ? 0 : memory, a.q = a.k = memory;
    a.v = kn->c.latent ? 0 : memory;
    if (kn->c.paged) a.to.page_table = (int *)memory, a.to.table_pages = 2, a.to.page_rows = 8, a.to.pages = 4;
    if (kn->c.rope) a.turns = (float *)memory, a.turns_rows = 16;
    return a;
}

#define REFUSED(i, text, ...)                                  \
    do {                                                       \
        tc_attn_append_args a = good(&kernels[i], memory);     \
        __VA_ARGS__;                                           \
        refused(&kernels[i], &a, text, __LINE__);              \
    } while (0)

static void test_bad_input(void)
{
    char *memory = (char *)device_memory(1 << 16);
    refused(&kernels[0], 0, "args is null", __LINE__);
    REFUSED(0, "to: k is null", a.to.k = 0);
    REFUSED(0, "to: page_table is null", a.to.page_table = 0);
    REFUSED(0, "to: page_rows = 20 must be a multiple of 8", a.to.page_rows = 20);
    REFUSED(2, "to: heads_kv = 2 must be 1", a.to.heads_kv = 2);
    REFUSED(2, "v is given, but the kernel was defined with .latent", a.v = memory);
    REFUSED(0, "k is null", a.k = 0);
    REFUSED(0, "v is null", a.v = 0);
    REFUSED(0, "q = ", a.q = memory + 8);
    REFUSED(0, "to.k_len = 1 is less than to.q_len = 2", a.to.q_len = 2; a.to.k_len = 1);
    REFUSED(0, "turns is null", a.turns = 0);
    REFUSED(0, "turns = ", a.turns = (float *)(memory + 4));
    REFUSED(0, "turns_rows = 15 is less than to.k_len = 16", a.turns_rows = 15);
    REFUSED(4, "turns is given, but the kernel was defined without .rope", a.turns = (float *)memory);
    REFUSED(1, "q_norm is given, but the kernel was defined without .norm", a.q_norm = memory);
    REFUSED(0, "k_norm = ", a.k_norm = memory + 2);
    REFUSED(0, "eps = -1 is negative", a.eps = -1);
    free_device_memory();
}

int main(int argc, char **argv)
{
    const int device = test_device(), count = argc > 1 ? atoi(argv[1]) : 200;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    if (device < 80) {
        SKIP("attn_append: no device of compute capability 8.0 or later");
        return test_end();
    }
    printf("attn_append: %d configurations of %d kernels, seed %llu\n", count, KERNELS, (unsigned long long)seed);
    for (int i = 0; i < count; i++) {
        test_seed(seed + (uint64_t)i);
        one(&kernels[(seed + (uint64_t)i) % KERNELS], seed + (uint64_t)i);
    }
    test_bad_input();
    printf("worst error: %.2f of the bound\n", worst);
    return test_end();
}
