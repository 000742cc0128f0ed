/* rows.cu - random matrices through the kernels of tc_rows.h, against fp64 on the CPU; and their bad input.
 *     build/tests/rows [configurations] [seed]
 *
 * Rows begin anywhere and have any pitch; some elements are -inf, NaN, inf, 0 or -0, many are equal. All memory is 0xff
 * before, and what is not a result must be so afterwards. Each call runs twice and must give the same bits. The largest
 * and their columns must be those of the rules, exactly. The bounds are those of rows.h. Quantised rows and their
 * factors must be what this program makes of them, bit for bit, where the reciprocal that it divides by may be the
 * nearest number or one beside it. */
#include "../tc.h"
#include "test.h"
#include "attn_memory.h"
#include "rows.h"
#include <time.h>

TC_ROWS_DEFINE(soft16, .x = TC_BF16, .op = TC_SOFTMAX)
TC_ROWS_DEFINE(soft32, .x = TC_F32, .op = TC_SOFTMAX, .y = TC_BF16, .epi = tc_epi_bias_col)
TC_ROWS_DEFINE(route, .x = TC_F32, .op = TC_SOFTMAX, .top = 8, .renorm = 1)
TC_ROWS_DEFINE(head, .x = TC_BF16, .op = TC_SOFTMAX, .top = 32, .y = TC_F32)
TC_ROWS_DEFINE(logs, .x = TC_F16, .op = TC_LOG_SOFTMAX, .top = 3, .values = TC_F16)
TC_ROWS_DEFINE(first, .x = TC_F16, .top = 1)
TC_ROWS_DEFINE(picked, .x = TC_BF16, .op = TC_SOFTMAX, .top = 6, .pick = tc_epi_bias_col,
               .epi_size = sizeof(tc_epi_vector))
TC_ROWS_DEFINE(shares, .x = TC_F32, .top = 5, .renorm = 1, .epi = tc_epi_bias_col)
TC_ROWS_DEFINE(tokens, .x = TC_BF16, .op = TC_QUANTISE, .y = TC_E4M3)
TC_ROWS_DEFINE(tokens_s8, .x = TC_F16, .op = TC_QUANTISE, .y = TC_S8)
TC_ROWS_DEFINE(tokens_f32, .x = TC_F32, .op = TC_QUANTISE, .y = TC_E5M2)
TC_ROWS_DEFINE(tokens_bias, .x = TC_BF16, .op = TC_QUANTISE, .y = TC_S8, .epi = tc_epi_bias_col)
TC_ROWS_DEFINE(tokens_f32_bias, .x = TC_F32, .op = TC_QUANTISE, .y = TC_E4M3, .epi = tc_epi_bias_col)

typedef struct {
    const char *name;
    tc_status (*run)(const tc_rows_args *, cudaStream_t);
    tc_status (*can_run)(const tc_rows_args *, const char **);
    tc_rows_config c;
    int epi, pick; /* x + bias[column] */
} kernel;
#define KERNEL(name, epi, pick) {#name, name##_run, name##_can_run, name##_config(), epi, pick}
static const kernel kernels[] = {KERNEL(soft16, 0, 0), KERNEL(soft32, 1, 0), KERNEL(route, 0, 0), KERNEL(head, 0, 0),
                                 KERNEL(logs, 0, 0),   KERNEL(first, 0, 0),  KERNEL(picked, 0, 1),
                                 KERNEL(shares, 1, 0), KERNEL(tokens, 0, 0), KERNEL(tokens_s8, 0, 0),
                                 KERNEL(tokens_f32, 0, 0), KERNEL(tokens_bias, 1, 0), KERNEL(tokens_f32_bias, 1, 0)};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static const int widths[] = {255,  256,  257,  511,   512,   513,   1024,  2047,   4096,
                             8185, 8192, 8193, 12000, 20001, 40000, 70001, 131072, 131073};

static float random_value(int kind)
{
    const int r = test_int(0, 99);
    if (kind == 1) return (float)test_int(-3, 3); /* equals */
    if (kind == 2 && r < 30) return r < 15 ? 0.f : -0.f;
    if (kind == 3 && r < 40) return -INFINITY;
    if (kind == 4 && test_int(0, 300) == 0) return test_int(0, 1) ? NAN : INFINITY;
    if (kind == 5) return -INFINITY;
    return test_normal() * (kind == 6 ? 30.f : 3.f);
}

/* Rows in memory: where they begin, their pitch, and all of it in bytes. */
typedef struct {
    int size;
    int64_t at, ld;
    size_t bytes;
    char *dev, *host;
} matrix;

static matrix matrix_of(int size, int m, int n, int align)
{
    const int unit = align ? 16 / size : 1;
    matrix x;
    x.size = size;
    x.at = align ? test_int(0, 2) * unit : test_int(0, 17);
    x.ld = n + test_int(0, 1) * test_int(0, 20);
    x.ld = (x.ld + unit - 1) / unit * unit;
    x.bytes = (size_t)(x.at + (m - 1) * x.ld + n) * (size_t)size;
    x.host = (char *)malloc(x.bytes);
    memset(x.host, 0xff, x.bytes);
    x.dev = (char *)upload(x.host, x.bytes);
    return x;
}

static void one(const kernel *kn, uint64_t seed)
{
    const tc_rows_config c = kn->c;
    const int least = c.top ? c.top : 1;
    int m = test_int(1, 9), n = test_int(0, 2) ? test_int(least, least + 70) : widths[test_int(0, 17)];
    const int align = test_int(0, 1), kind = test_int(0, 6), in_place = c.op && c.x == c.y && test_int(0, 3) == 0;
    if (test_int(0, 6) == 0 && n < 100) m = test_int(50, 200);
    if (n > 30000) m = test_int(1, 2);
    if (n < least) n = least;
    const matrix x = matrix_of(size_of(c.x), m, n, align), y = in_place ? x : matrix_of(size_of(c.y), m, n, align);
    const matrix v = matrix_of(size_of(c.values), m, c.top ? c.top : 1, 0), i = matrix_of(4, m, c.top ? c.top : 1, 0),
                 l = matrix_of(4, 1, m, 0);
    const int with_v = c.top && test_int(0, 5), with_i = c.top && (!with_v || test_int(0, 5));
    const int with_l = c.op && test_int(0, 1), with_y = c.op && (!(with_v || with_i || with_l) || test_int(0, 2));
    float *bias = (float *)malloc((size_t)n * 4), *row = (float *)malloc((size_t)n * 4);
    float *key = (float *)malloc((size_t)n * 4);
    const rule of = {c.op, c.top, c.renorm, c.values};
    char *back[4], *again[4], what[200];
    const matrix *out[4] = {&y, &v, &i, &l};
    tc_epi_vector hook;
    tc_rows_args a;
    int bad_y = 0, bad_top = 0, bad_lse = 0;
    size_t outside = 0, differ = 0;
    memset(&a, 0, sizeof a);
    for (int j = 0; j < n; j++) bias[j] = test_normal();
    for (int r = 0; r < m; r++) {
        const int of = kind == 5 && r % 2 ? 3 : kind;
        for (int j = 0; j < n; j++) put(c.x, x.host, x.at + r * x.ld + j, random_value(of));
    }
    CUDA_CHECK(cudaMemcpy(x.dev, x.host, x.bytes, cudaMemcpyHostToDevice));
    a.m = m, a.n = n, a.x = x.dev + x.at * x.size, a.ldx = x.ld;
    if (with_y) a.y = y.dev + y.at * y.size, a.ldy = y.ld;
    if (with_v) a.values = v.dev + v.at * v.size, a.ldv = v.ld;
    if (with_i) a.index = (int32_t *)(i.dev + i.at * 4), a.ldi = i.ld;
    if (with_l) a.lse = (float *)(l.dev + l.at * 4);
    a.scale = c.op && test_int(0, 1) ? 0.25f : 0.f;
    a.pdl = test_int(0, 1);
    if (kn->epi || kn->pick) {
        hook.v = (const float *)upload(bias, (size_t)n * 4);
        a.epi_args = &hook, a.epi_size = sizeof hook;
    }
    snprintf(what, sizeof what, "seed %llu: %s, m %d n %d at %lld ldx %lld ldy %lld kind %d%s",
             (unsigned long long)seed, kn->name, m, n, (long long)x.at, (long long)x.ld, (long long)y.ld, kind,
             in_place ? " in place" : "");
    snprintf(test_context, sizeof test_context, "%s", what);
    for (int pass = 0; pass < 2; pass++) {
        const tc_status st = kn->run(&a, 0);
        CHECK(st == TC_OK, "%s: %s", what, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        for (int o = 0; o < 4; o++) {
            char **to = pass ? &again[o] : &back[o];
            *to = (char *)malloc(out[o]->bytes);
            CUDA_CHECK(cudaMemcpy(*to, out[o]->dev, out[o]->bytes, cudaMemcpyDeviceToHost));
            if (pass) differ += memcmp(back[o], again[o], out[o]->bytes) != 0;
        }
        if (in_place) CUDA_CHECK(cudaMemcpy(x.dev, x.host, x.bytes, cudaMemcpyHostToDevice));
    }
    CHECK(differ == 0, "%s: two calls differ", what);
    answer w = {n, (double *)malloc((size_t)n * 8), (double *)malloc((size_t)n * 8),
                (entry *)malloc((size_t)n * sizeof(entry)), 0, 0};
    for (int r = 0; r < m; r++) {
        for (int j = 0; j < n; j++)
            row[j] = get(c.x, x.host, x.at + r * x.ld + j) + (kn->epi ? bias[j] : 0.f);
        for (int j = 0; j < n; j++) key[j] = kn->pick ? row[j] + bias[j] : row[j];
        answer_of(c.op, row, key, a.scale != 0.f ? a.scale : 1, &w);
        for (int j = 0; j < n && with_y; j++)
            bad_y += !near(c.y, get(c.y, back[0], y.at + r * y.ld + j), w.p[j], w.bound[j]);
        if (with_l) bad_lse += !near(TC_F32, get(TC_F32, back[3], l.at + r), w.lse, w.lse_bound);
        if (with_v || with_i)
            bad_top += wrong_top(&of, &w, with_v ? back[1] + (v.at + r * v.ld) * v.size : 0,
                                 with_i ? (const int32_t *)(back[2] + (i.at + r * i.ld) * 4) : 0, row,
                                 a.scale != 0.f ? a.scale : 1);
        if (with_y || in_place) memset(back[0] + (y.at + r * y.ld) * y.size, 0xff, (size_t)n * (size_t)y.size);
        if (with_v) memset(back[1] + (v.at + r * v.ld) * v.size, 0xff, (size_t)(c.top * v.size));
        if (with_i) memset(back[2] + (i.at + r * i.ld) * 4, 0xff, (size_t)c.top * 4);
        if (with_l) memset(back[3] + (l.at + r) * 4, 0xff, 4);
    }
    for (int o = 0; o < 4; o++)
        for (size_t b = 0; b < out[o]->bytes; b++) outside += (unsigned char)back[o][b] != 0xff;
    CHECK(bad_y == 0, "%s: %d elements of y out of bound", what, bad_y);
    CHECK(bad_top == 0, "%s: %d of the largest wrong", what, bad_top);
    CHECK(bad_lse == 0, "%s: %d of lse out of bound", what, bad_lse);
    CHECK(outside == 0, "%s: %zu bytes outside of the results written", what, outside);
    for (int o = 0; o < 4; o++) free(back[o]), free(again[o]), free(out[o]->host);
    if (!in_place) free(x.host);
    free(bias), free(row), free(key), free(w.p), free(w.bound), free(w.order);
    free_device_memory();
}

/* ---- quantised rows ---- */
/* The byte of an element. s8: one rounding of the product, as an addition to 1.5 * 2^23 makes it. */
static uint8_t byte_of(int type, float x, float inverse)
{
    if (type == TC_S8) return (uint8_t)(int8_t)(fmaf(x, inverse, 12582912.f) - 12582912.f);
    return (uint8_t)tc_from_f32(type, x * inverse);
}

/* One row: wrong elements, and the factor if it is wrong. y: null where none are written. */
static int wrong_bytes(int type, const float *x, int n, const uint8_t *y, float factor)
{
    const float most_of = type == TC_E4M3 ? 448.f : type == TC_E5M2 ? 57344.f : 127.f;
    float most = 0, want;
    int wrong = 0, finite = 1;
    for (int j = 0; j < n; j++) most = fmaxf(most, fabsf(x[j])), finite &= isfinite(x[j]) != 0;
    if (!finite) {
        for (int j = 0; j < n && y && type != TC_S8; j++) wrong += !isnan(tc_f32_from(type, y[j]));
        return wrong + !isnan(factor);
    }
    want = fmaxf(most * (1.f / most_of), 0x1p-126f);
    for (int j = 0; j < n && y; j++) {
        const float near_one = 1.f / want;
        int is = 0;
        for (int i = 0; i < 3 && !is; i++)
            is = y[j] == byte_of(type, x[j], i ? nextafterf(near_one, i == 1 ? 0 : INFINITY) : near_one);
        wrong += !is;
    }
    return wrong + (factor != want);
}

/* Values of a row to quantise: as random_value has them; zeros; below the least factor; large. */
static float value_of(int type, int kind)
{
    if (kind == 7) return test_int(0, 1) ? 0.f : -0.f;
    if (kind == 8) return test_normal() * (type == TC_F16 ? 1e-7f : 1e-38f);
    if (kind == 9) return test_normal() * (type == TC_F16 ? 1e4f : 5e37f);
    return random_value(kind);
}

static void one_quantised(const kernel *kn, uint64_t seed)
{
    const tc_rows_config c = kn->c;
    int m = test_int(1, 9), n = test_int(0, 2) ? test_int(1, 70) : widths[test_int(0, 17)];
    if (test_int(0, 6) == 0 && n < 100) m = test_int(50, 200);
    if (n > 30000) m = test_int(1, 2);
    const int align = test_int(0, 1), with_y = test_int(0, 5) > 0;
    const matrix x = matrix_of(size_of(c.x), m, n, align), y = matrix_of(1, m, n, align), s = matrix_of(4, 1, m, 0);
    const matrix *out[2] = {&y, &s};
    float *bias = (float *)malloc((size_t)n * 4), *row = (float *)malloc((size_t)n * 4);
    char *back[2][2], what[200];
    tc_epi_vector hook;
    tc_rows_args a;
    int wrong = 0;
    size_t outside = 0;
    memset(&a, 0, sizeof a);
    for (int j = 0; j < n; j++) bias[j] = test_normal();
    for (int r = 0; r < m; r++) {
        const int kind = test_int(0, 9);
        for (int j = 0; j < n; j++) put(c.x, x.host, x.at + r * x.ld + j, value_of(c.x, kind));
    }
    CUDA_CHECK(cudaMemcpy(x.dev, x.host, x.bytes, cudaMemcpyHostToDevice));
    a.m = m, a.n = n, a.x = x.dev + x.at * x.size, a.ldx = x.ld;
    if (with_y) a.y = y.dev + y.at, a.ldy = y.ld;
    a.scale_out = (float *)(s.dev + s.at * 4);
    a.pdl = test_int(0, 1);
    if (kn->epi) {
        hook.v = (const float *)upload(bias, (size_t)n * 4);
        a.epi_args = &hook, a.epi_size = sizeof hook;
    }
    snprintf(what, sizeof what, "seed %llu: %s, m %d n %d at %lld ldx %lld y at %lld ldy %lld%s",
             (unsigned long long)seed, kn->name, m, n, (long long)x.at, (long long)x.ld, (long long)y.at,
             (long long)y.ld, with_y ? "" : " factors alone");
    snprintf(test_context, sizeof test_context, "%s", what);
    for (int pass = 0; pass < 2; pass++) {
        const tc_status st = kn->run(&a, 0);
        CHECK(st == TC_OK, "%s: %s", what, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        for (int o = 0; o < 2; o++) {
            back[pass][o] = (char *)malloc(out[o]->bytes);
            CUDA_CHECK(cudaMemcpy(back[pass][o], out[o]->dev, out[o]->bytes, cudaMemcpyDeviceToHost));
        }
    }
    CHECK(!memcmp(back[0][0], back[1][0], y.bytes) && !memcmp(back[0][1], back[1][1], s.bytes), "%s: two calls differ",
          what);
    for (int r = 0; r < m; r++) {
        char *bytes = back[0][0] + y.at + r * y.ld;
        for (int j = 0; j < n; j++)
            row[j] = kn->epi ? get(c.x, x.host, x.at + r * x.ld + j) + bias[j] : get(c.x, x.host, x.at + r * x.ld + j);
        wrong += wrong_bytes(c.y, row, n, with_y ? (const uint8_t *)bytes : 0, get(TC_F32, back[0][1], s.at + r));
        if (with_y) memset(bytes, 0xff, (size_t)n);
        memset(back[0][1] + (s.at + r) * 4, 0xff, 4);
    }
    for (int o = 0; o < 2; o++)
        for (size_t b = 0; b < out[o]->bytes; b++) outside += (unsigned char)back[0][o][b] != 0xff;
    CHECK(wrong == 0, "%s: %d factors or elements are wrong", what, wrong);
    CHECK(outside == 0, "%s: %zu bytes outside of the results written", what, outside);
    for (int o = 0; o < 2; o++) free(back[0][o]), free(back[1][o]), free(out[o]->host);
    free(x.host), free(bias), free(row);
    free_device_memory();
}

/* ---- bad input ---- */
static void refused(const kernel *kn, const tc_rows_args *a, const char *text, int line)
{
    const char *why = "";
    const tc_status st = kn->can_run(a, &why);
    CHECK(st != TC_OK && strstr(why, text), "line %d: %s_can_run: %s, wants \"%s\"", line, kn->name, why, text);
    CHECK(kn->run(a, 0) == st && strstr(tc_why(), text), "line %d: %s_run: %s, wants \"%s\"", line, kn->name,
          tc_why(), text);
    CHECK((strstr(text, " columns") || strstr(text, " differ")) == (st == TC_ERR_PITCH)
              && (strstr(text, "without .") != 0) == (st == TC_ERR_CONFIG),
          "line %d: %s: \"%s\" is %s", line, kn->name, text, tc_status_text(st));
}

static tc_rows_args good(const kernel *kn, char *memory, const tc_epi_vector *hook)
{
    tc_rows_args a;
    memset(&a, 0, sizeof a);
    a.m = 2, a.n = 64, a.x = memory;
    if (kn->c.op) a.y = memory + 1024;
    if (kn->c.top) a.values = memory + 2048, a.index = (int32_t *)(memory + 3072);
    if (kn->c.op == TC_QUANTISE) a.scale_out = (float *)(memory + 4096);
    if (kn->epi || kn->pick) a.epi_args = hook, a.epi_size = sizeof *hook;
    return a;
}

#define REFUSED(i, text, ...)                                   \
    do {                                                        \
        tc_rows_args a = good(&kernels[i], memory, &hook);      \
        __VA_ARGS__;                                            \
        refused(&kernels[i], &a, text, __LINE__);               \
    } while (0)

enum { SOFT16, SOFT32, ROUTE, HEAD, LOGS, FIRST, PICKED, SHARES, TOKENS };

static void test_bad_input(void)
{
    char *memory = (char *)device_memory(1 << 16);
    const tc_epi_vector hook = {(const float *)memory};
    const char *why = 0;
    refused(&kernels[0], 0, "args is null", __LINE__);
    REFUSED(SOFT16, "m = -1, n = 64: none may be negative", a.m = -1);
    REFUSED(SOFT16, "n = 0 is less than 1", a.n = 0);
    REFUSED(ROUTE, "n = 7 is less than .top = 8", a.n = 7);
    REFUSED(SOFT16, "n = 1073741825 is above 2^30", a.n = (1 << 30) + 1);
    REFUSED(SOFT16, "x is null", a.x = 0);
    REFUSED(SOFT16, "y, lse are null: nothing to write", a.y = 0);
    REFUSED(FIRST, "values and index are null: nothing to write", a.values = 0; a.index = 0);
    REFUSED(ROUTE, "y, lse, values and index are null: nothing to write", a.y = a.values = 0; a.index = 0);
    REFUSED(FIRST, "y is given, but the kernel was defined without .op", a.y = memory);
    REFUSED(FIRST, "lse is given, but the kernel was defined without .op", a.lse = (float *)memory);
    REFUSED(FIRST, "scale is given, but the kernel was defined without .op", a.scale = 1);
    REFUSED(SOFT16, "values is given, but the kernel was defined without .top", a.values = memory);
    REFUSED(SOFT16, "index is given, but the kernel was defined without .top", a.index = (int32_t *)memory);
    REFUSED(SOFT16, "scale = -1 must be a number above 0", a.scale = -1);
    REFUSED(SOFT16, "must be a number above 0", a.scale = NAN);
    REFUSED(SOFT16, "ldx = 63 is less than the 64 columns", a.ldx = 63);
    REFUSED(SOFT16, "ldy = 63 is less than the 64 columns", a.ldy = 63);
    REFUSED(ROUTE, "ldv = 7 is less than the 8 columns", a.ldv = 7);
    REFUSED(ROUTE, "ldi = 7 is less than the 8 columns", a.ldi = 7);
    REFUSED(SOFT16, "is not a multiple of its element's 2 bytes", a.x = memory + 1);
    REFUSED(ROUTE, "values = ", a.values = memory + 2);
    REFUSED(ROUTE, "index = ", a.index = (int32_t *)(memory + 2));
    REFUSED(SOFT16, "lse = ", a.lse = (float *)(memory + 2));
    REFUSED(HEAD, "y is x, but the elements of .x and .y have 2 and 4 bytes", a.y = memory);
    REFUSED(SOFT16, "y is x, but ldx = 64 and ldy = 72 differ", a.y = memory; a.ldy = 72);
    REFUSED(TOKENS, "scale_out is null: .op = TC_QUANTISE has factors to write", a.scale_out = 0);
    REFUSED(TOKENS, "scale_out = ", a.scale_out = (float *)(memory + 2));
    REFUSED(SOFT16, "scale_out is given, but the kernel was defined without .op = TC_QUANTISE",
            a.scale_out = (float *)memory);
    REFUSED(TOKENS, "lse is given, but the kernel was defined without .op = TC_SOFTMAX or TC_LOG_SOFTMAX",
            a.lse = (float *)memory);
    REFUSED(TOKENS, "scale is given, but the kernel was defined without .op = TC_SOFTMAX", a.scale = 1);
    REFUSED(TOKENS, "values is given, but the kernel was defined without .top", a.values = memory);
    REFUSED(TOKENS, "y is x, but the elements of .x and .y have 2 and 1 bytes", a.y = memory);
    REFUSED(TOKENS, "ldy = 63 is less than the 64 columns", a.ldy = 63);
    REFUSED(PICKED, "epi_size = 0, but the kernel was defined with .epi_size = 8", a.epi_size = 0);
    REFUSED(SOFT16, "defined without a hook", a.epi_args = &hook; a.epi_size = sizeof hook);
    tc_rows_args none = good(&kernels[0], memory, &hook);
    none.m = 0, none.x = 0, none.y = 0;
    CHECK(kernels[0].can_run(&none, &why) == TC_OK && kernels[0].run(&none, 0) == TC_OK, "no rows: %s", tc_why());
    free_device_memory();
}

int main(int argc, char **argv)
{
    const int device = test_device(), count = argc > 1 ? atoi(argv[1]) : 200;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    if (device < 80) {
        SKIP("rows: no device of compute capability 8.0 or later");
        return test_end();
    }
    printf("rows: %d configurations of %d kernels, seed %llu\n", count, KERNELS, (unsigned long long)seed);
    for (int i = 0; i < count; i++) {
        test_seed(seed + (uint64_t)i);
        const kernel *kn = &kernels[(seed + (uint64_t)i) % KERNELS];
        if (kn->c.op == TC_QUANTISE) one_quantised(kn, seed + (uint64_t)i);
        else one(kn, seed + (uint64_t)i);
    }
    test_bad_input();
    printf("worst error: %.2f of the bound\n", worst);
    return test_end();
}
