/* conv.cu - random convolutions of one to three axes against fp64 on the CPU: every element, every byte around Y, and
 * the same bits when it runs again. Then what is refused, and in which words.
 *     build/tests/conv [problems] [seed]
 *
 * Bounds: a sum of so many products in f32 is off by at most (products + 8) * 2^-23 * sum |x w|, rounding to a type
 * adds half a unit in its last place. Of integers the sums are exact. X has NaN between its pixels' channels and
 * around it, W around it: what is read that should not be is seen in Y. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"

typedef struct { const float *bias; tc_conv_pixels pixels; } hook_args;
enum { PLAIN, BIAS_RELU, WHERE };

TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
{
    return tc_relu(x + ((const hook_args *)args)->bias[at.col]);
}
/* Knows where it is: image, depth, line and place count by 1/2, 2, 1/4 and 1. */
TC_DEV float where(float x, tc_gemm_at at, const void *args)
{
    const hook_args *a = (const hook_args *)args;
    const tc_conv_pixel p = tc_conv_pixel_at(&a->pixels, at.row);
    return x + a->bias[at.col] + .5f * (float)p.n + 2.f * (float)p.d + .25f * (float)p.h + (float)p.w;
}

typedef struct {
    const char *name;
    tc_status (*run)(const tc_conv_args *, cudaStream_t);
    tc_status (*can_run)(const tc_conv_args *, const char **);
    size_t (*room)(const tc_conv_args *);
    int sm, hook, smem, tma; /* tma: TMA's limits are its own */
    int kernels;             /* that a call may choose of */
    tc_conv_config c;
} kernel;

#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#define HOOKED(hook) hook, .epi_size = sizeof(hook_args)
TC_CONV_DEFINE(any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = HOOKED(bias_relu))
TC_CONV_SM90_DEFINE(sm90, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn = 64, .cluster_m = 2, .cluster_n = 2)
TC_CONV_SM90_DEFINE(sm90_pp, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 48, .schedule = TC_PINGPONG,
                    .epi = HOOKED(where))
TC_CONV_SM90_DEFINE(sm90_split, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 96, .step = 32, .split = 1,
                    .aux = TC_F32, .aux_what = TC_AUX_PRE, .epi = HOOKED(bias_relu))
TC_CONV_SM80_DEFINE(sm80, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn = 64, .epi = HOOKED(where))
#ifdef CONV_ALL
TC_CONV_SM90_DEFINE(sm90_k2, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64, .cluster_k = 2)
TC_CONV_SM90_DEFINE(sm90_256, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .cluster_m = 2)
TC_CONV_SM90_DEFINE(sm90_s8, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bm = 64, .bn = 64)
TC_CONV_SM90_DEFINE(sm90_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .bm = 128, .bn = 64)
TC_CONV_SM90_DEFINE(sm90_e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 128, .bn = 64)
TC_CONV_SM80_DEFINE(sm80_wide, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .stages = 4, .bk = 32, .epi = HOOKED(bias_relu))
TC_CONV_SM80_DEFINE(sm80_s8, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bm = 64, .bn = 64)
TC_CONV_SM80_DEFINE(sm80_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .bm = 64, .bn = 64)
TC_CONV_SM80_DEFINE(sm80_e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 64, .bn = 64)
#endif

#define OF(name, sm, hook, smem, ...)                                                                                 \
    {#name, name##_run, name##_can_run, name##_workspace, sm, hook, smem, __VA_ARGS__, name##_config()}
#define ROW(name, sm, hook, tma) OF(name, sm, hook, name##_SMEM, tma, 0)
static const kernel kernels[] = {
    OF(any, 80, BIAS_RELU, 0, 0, 5),
    ROW(sm90, 90, PLAIN, 1),
    ROW(sm90_pp, 90, WHERE, 1),
    ROW(sm90_split, 90, BIAS_RELU, 1),
    ROW(sm80, 80, WHERE, 0),
#ifdef CONV_ALL
    ROW(sm90_k2, 90, PLAIN, 1),
    ROW(sm90_256, 90, PLAIN, 1),
    ROW(sm90_s8, 90, PLAIN, 1),
    ROW(sm90_tf32, 90, PLAIN, 1),
    ROW(sm90_e4m3, 90, PLAIN, 1),
    ROW(sm80_wide, 80, BIAS_RELU, 0),
    ROW(sm80_s8, 80, PLAIN, 0),
    ROW(sm80_e4m3, 80, PLAIN, 0),
    ROW(sm80_tf32, 80, PLAIN, 0),
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0], GUARD = 256 };

/* Device memory between two guards; bytes: what lies between. */
typedef struct {
    uint8_t *dev, *host, *again;
    size_t bytes;
} span;

static span span_make(size_t bytes, int fill)
{
    span s;
    s.bytes = bytes;
    s.host = (uint8_t *)malloc(bytes + 2 * GUARD), s.again = (uint8_t *)malloc(bytes + 2 * GUARD);
    memset(s.host, fill, bytes + 2 * GUARD);
    CUDA_CHECK(cudaMalloc((void **)&s.dev, bytes + 2 * GUARD));
    CUDA_CHECK(cudaMemcpy(s.dev, s.host, bytes + 2 * GUARD, cudaMemcpyHostToDevice));
    return s;
}
static void span_up(const span *s)
{
    CUDA_CHECK(cudaMemcpy(s->dev, s->host, s->bytes + 2 * GUARD, cudaMemcpyHostToDevice));
}
static void span_down(const span *s, uint8_t *to)
{
    CUDA_CHECK(cudaMemcpy(to, s->dev, s->bytes + 2 * GUARD, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemset(s->dev, 0xee, s->bytes + 2 * GUARD));
}
static void span_drop(span *s)
{
    CUDA_CHECK(cudaFree(s->dev));
    free(s->host), free(s->again);
}

/* Rows of `cols` numbers, ld apart, the rest left as it is. */
static span span_rows(int64_t rows, int cols, int64_t ld, int type)
{
    span s = span_make((size_t)(rows * ld) * (size_t)tc_type_bits(type) / 8, 0xff);
    const int whole = type == TC_S8 || type == TC_S32;
    for (int64_t i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            tc_element_set(s.host + GUARD, type, (uint64_t)(i * ld + j),
                           whole ? (float)test_int(-100, 100) : test_normal());
    span_up(&s);
    return s;
}

/* Bytes of rows of `cols` elements of `size` bytes that are no element's and have changed. */
static int strays(const span *s, int64_t rows, int64_t cols, int64_t ld)
{
    int count = 0;
    for (size_t i = 0; i < s->bytes + 2 * GUARD; i++) {
        const int64_t at = (int64_t)i - GUARD;
        const int own = at >= 0 && at / ld < rows && at % ld < cols;
        count += !own && s->host[i] != 0xee;
    }
    return count;
}

static double half_unit(int type)
{
    return type == TC_BF16 ? 1. / 256 : type == TC_F16 ? 1. / 2048 : 1. / 16777216;
}

/* ---- one problem ---- */
static int *axis_of(tc_conv_size *s, int which) { return which == 0 ? &s->d : which == 1 ? &s->h : &s->w; }

/* A long k and many tiles, of which blocks take every second from its end. */
static void draw_long(const kernel *kn, tc_conv_args *a)
{
    memset(a, 0, sizeof *a);
    a->dims = 1, a->n = 1, a->c = 1024 / tc_type_bits(kn->c.a), a->k = test_int(60, 100);
    a->size.w = 520, a->filter.w = 33, a->lower.w = test_int(0, 40);
}

/* Draws sizes; 0: too much work for an emulator, or not what the kernel takes. */
static int draw(const kernel *kn, tc_conv_args *a)
{
    const int unit = 128 / tc_type_bits(kn->c.a), plain = !test_int(0, 5), whole = !test_int(0, 7);
    const int most_filter[4] = {0, 7, 4, 3}, most_size[4] = {0, 90, 14, 7};
    memset(a, 0, sizeof *a);
    a->dims = test_int(0, 1) ? 2 : test_int(1, 3);
    a->n = test_int(1, 3), a->c = unit * test_int(1, test_int(0, 2) ? 8 : 20);
    a->k = test_int(1, test_int(0, 1) ? 40 : 140);
    for (int i = 3 - a->dims; i < 3; i++) {
        int *size = axis_of(&a->size, i), *filter = axis_of(&a->filter, i), *stride = axis_of(&a->stride, i);
        int *dilation = axis_of(&a->dilation, i), *lower = axis_of(&a->lower, i), *upper = axis_of(&a->upper, i);
        *size = test_int(1, most_size[a->dims]);
        *filter = plain ? 1 : whole ? *size : test_int(1, most_filter[a->dims]);
        *stride = plain || test_int(0, 1) ? test_int(0, 1) : test_int(1, test_int(0, 3) ? 3 : 8);
        *dilation = plain || test_int(0, 1) ? test_int(0, 1) : test_int(1, 3);
        if (!plain && !whole && test_int(0, 2)) *lower = test_int(0, *filter * 2), *upper = test_int(0, *filter * 2);
        if (whole) *dilation = 1;
        if (test_int(0, 1) && !plain && !whole) *lower = *upper = (*filter - 1) / 2;
    }
    if (test_int(0, 2) == 0) a->ldx = a->c + unit * test_int(0, 2);
    if (test_int(0, 2) == 0) a->ldy = a->k + test_int(0, 9);
    if (test_int(0, 2) == 0) a->ldz = a->k + test_int(0, 9);
    if (tc__conv_check_sizes(a) != TC_OK || (kn->tma && tc__conv90_check(a) != TC_OK)) return 0;
    const int64_t blocks = tc__conv_taps(a) * ((a->c + 8 * unit - 1) / (8 * unit));
    const tc_conv_size y = tc_conv_output(a);
    const int64_t m = (int64_t)a->n * y.d * y.h * y.w;
    return m <= 700 && ((m + 63) / 64) * ((a->k + 63) / 64) * blocks <= 130;
}

static void one(const kernel *kn, uint64_t id)
{
    const tc_conv_config *t = &kn->c;
    const int dsize = tc_type_bits(t->d) / 8, ints = t->a == TC_S8;
    tc_conv_args a;
    tc_gemm_choice choice = {0, 0, 0, 0, 0, 0};
    const float alpha = test_int(0, 2) ? 1.f : test_int(0, 4) ? 0.75f : 0.f, beta = test_int(0, 2) ? 0.f : -0.5f;
    hook_args hook;
    char what[400];
    int odd, wrong = 0, wrong_aux = 0;
    if (id % 21 == 4) draw_long(kn, &a);
    else while (!draw(kn, &a)) {}
    const tc_conv_size out = tc_conv_output(&a);
    const int64_t m = (int64_t)a.n * out.d * out.h * out.w, taps = tc__conv_taps(&a);
    const int64_t pixels = a.n * tc__conv_line_of(&a, 0).size * tc__conv_line_of(&a, 1).size
                         * tc__conv_line_of(&a, 2).size;
    const int64_t ldx = a.ldx ? a.ldx : a.c, ldy = a.ldy ? a.ldy : a.k, ldz = a.ldz ? a.ldz : a.k;
    odd = test_int(0, 1) ? 0 : test_int(0, 3);
    span x = span_rows(pixels, a.c, ldx, t->a), w = span_rows(a.k * taps, a.c, a.c, t->b);
    span z = span_rows(m, a.k, ldz, t->d), bias = span_rows(1, a.k, a.k, TC_F32);
    span y = span_make((size_t)(m * ldy + odd) * (size_t)dsize, 0xee);
    span aux = span_make((size_t)(m * a.k) * 4, 0xee);
    hook.bias = (const float *)(bias.dev + GUARD), hook.pixels = tc_conv_pixels_of(&a);
    if (alpha != 0 || test_int(0, 1)) a.x = x.dev + GUARD, a.w = w.dev + GUARD;
    a.z = beta != 0 ? z.dev + GUARD : 0, a.y = y.dev + GUARD + odd * dsize;
    a.alpha = &alpha, a.beta = &beta, a.pdl = test_int(0, 1);
    if (kn->hook) a.epi_args = &hook, a.epi_size = sizeof hook;
    if (t->aux) a.aux.p = aux.dev + GUARD, a.aux.ld = a.k;
    if (t->split && test_int(0, 1)) choice.parts = test_int(1, 5);
    if (t->step && test_int(0, 1)) choice.width = t->step * test_int(1, t->bn / t->step);
    if (kn->kernels && test_int(0, 1) && tc__conv90_check(&a) == TC_OK) {
        static const int which[] = {1, 2, 5};
        choice.kernel = which[test_int(0, 2)];
    }
    if (choice.kernel || choice.parts || choice.width) a.choice = &choice;
    span room = span_make(kn->room(&a), 0);
    if (room.bytes) a.workspace = room.dev + GUARD, a.workspace_size = room.bytes;
    snprintf(what, sizeof what,
             "problem %llu %s dims %d n %d c %d k %d size %d %d %d filter %d %d %d stride %d %d %d dilation %d %d %d "
             "lower %d %d %d upper %d %d %d ld %d %d %d alpha %g beta %g odd %d choice %d %d %d",
             (unsigned long long)id, kn->name, a.dims, a.n, a.c, a.k, a.size.d, a.size.h, a.size.w, a.filter.d,
             a.filter.h, a.filter.w, a.stride.d, a.stride.h, a.stride.w, a.dilation.d, a.dilation.h, a.dilation.w,
             a.lower.d, a.lower.h, a.lower.w, a.upper.d, a.upper.h, a.upper.w, (int)ldx, (int)ldy, (int)ldz, alpha,
             beta, odd, choice.kernel, choice.width, choice.parts);
    if (getenv("SHOW")) printf("%s\n", what);
    for (int again = 0; again < 2; again++) {
        const tc_status st = kn->run(&a, 0);
        CHECK(st == TC_OK, "%s: %s", what, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        span_down(&y, again ? y.again : y.host), span_down(&aux, again ? aux.again : aux.host);
    }
    CHECK(!memcmp(y.host, y.again, y.bytes + 2 * GUARD), "%s: other bits", what);
    CHECK(!memcmp(aux.host, aux.again, aux.bytes + 2 * GUARD), "%s: other bits of aux", what);
    memmove(y.host + GUARD, y.host + GUARD + odd * dsize, y.bytes - (size_t)(odd * dsize));
    memset(y.host + GUARD + y.bytes - odd * dsize, 0xee, (size_t)(odd * dsize));
    CHECK(!strays(&y, m, a.k * dsize, ldy * dsize), "%s: written beside y", what);
    CHECK(!strays(&aux, t->aux ? m : 0, a.k * 4, a.k * 4), "%s: written beside aux", what);

    /* numbers once; tf32 as the hardware cuts it off */
    double *xs = (double *)calloc((size_t)(pixels * a.c), 8), *ws = (double *)calloc((size_t)(a.k * taps * a.c), 8);
    for (int64_t i = 0; i < pixels * a.c; i++)
        xs[i] = tc_element_get(x.host + GUARD, t->a, (uint64_t)(i / a.c * ldx + i % a.c));
    for (int64_t i = 0; i < a.k * taps * a.c; i++) ws[i] = tc_element_get(w.host + GUARD, t->b, (uint64_t)i);
    for (int64_t row = 0; row < m; row++) {
        /* by loops of its own: pixel of Y from the row, the first tap from that */
        const int64_t ow = row % out.w, oh = row / out.w % out.h, od = row / out.w / out.h % out.d,
                      on = row / out.w / out.h / out.d;
        for (int j = 0; j < a.k; j++) {
            double sum = 0, size = 0, v, off;
            for (int64_t tap = 0; tap < taps && alpha != 0; tap++) {
                const tc__conv_line ld = tc__conv_line_of(&a, 0), lh = tc__conv_line_of(&a, 1),
                                    lw = tc__conv_line_of(&a, 2);
                const int64_t tw = tap % lw.filter, th = tap / lw.filter % lh.filter, td = tap / lw.filter / lh.filter;
                const int64_t iw = ow * lw.stride - lw.lower + tw * lw.dilation,
                              ih = oh * lh.stride - lh.lower + th * lh.dilation,
                              id = od * ld.stride - ld.lower + td * ld.dilation;
                if (iw < 0 || iw >= lw.size || ih < 0 || ih >= lh.size || id < 0 || id >= ld.size) continue;
                const double *px = xs + (((on * ld.size + id) * lh.size + ih) * lw.size + iw) * a.c;
                const double *pw = ws + (j * taps + tap) * a.c;
                for (int c = 0; c < a.c; c++) sum += px[c] * pw[c], size += fabs(px[c] * pw[c]);
            }
            v = alpha * sum;
            if (beta != 0) v += beta * tc_element_get(z.host + GUARD, t->d, (uint64_t)(row * ldz + j));
            off = (double)(taps * a.c + 8) * 1.2e-7 * size + 3e-7 * fabs(v) + 1e-6;
            if (t->a == TC_TF32) off += size / 512; /* both cut off after 10 bits */
            if (t->a == TC_E4M3) off += size / 4096; /* the Tensor Cores' sums of 128 have 14 bits */
            if (t->aux) {
                const double got = tc_element_get(aux.host + GUARD, TC_F32, (uint64_t)(row * a.k + j));
                wrong_aux += !(fabs(got - v) <= off);
            }
            if (kn->hook) v += tc_element_get(bias.host + GUARD, TC_F32, (uint64_t)j);
            if (kn->hook == BIAS_RELU && v < 0) v = 0;
            if (kn->hook == WHERE) v += .5 * (double)on + 2. * (double)od + .25 * (double)oh + (double)ow;
            if (t->d == TC_S32) v = nearbyint(v), off = alpha == 1 && (beta == 0) ? 0 : off + 1;
            const double got = t->d == TC_S32 ? (double)((const int32_t *)(y.host + GUARD))[row * ldy + j]
                                              : tc_element_get(y.host + GUARD, t->d, (uint64_t)(row * ldy + j));
            wrong += !(fabs(got - v) <= off + 4e-7 * fabs(v) + half_unit(t->d) * fabs(v) * !ints);
        }
    }
    CHECK(!wrong, "%s: %d of %lld elements are wrong", what, wrong, (long long)(m * a.k));
    CHECK(!wrong_aux, "%s: %d elements of aux are wrong", what, wrong_aux);
    free(xs), free(ws);
    span_drop(&x), span_drop(&w), span_drop(&z), span_drop(&bias), span_drop(&y), span_drop(&aux), span_drop(&room);
}

/* ---- what is refused, and in which words ---- */
static void refused(const kernel *kn, const tc_conv_args *a, const char *words)
{
    const char *why = "";
    CHECK(kn->can_run(a, &why) != TC_OK && strstr(why, words), "%s: \"%s\", not \"%s\"", kn->name, why, words);
}
#define BAD(words, ...) (b = good, __VA_ARGS__, refused(kn, &b, words))

static void bad_input(const kernel *kn)
{
    static const hook_args hook = {0, {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}};
    static const float one = 1.f, zero = 0.f;
    static const tc_gemm_choice tile = {1, 0, 0, 0, 0, 0}, narrow = {4, 0, 0, 0, 0, 0}, copies = {11, 0, 0, 0, 0, 0};
    const int unit = 128 / tc_type_bits(kn->c.a);
    tc_conv_args good, b;
    char *at;
    CUDA_CHECK(cudaMalloc((void **)&at, 1 << 18));
    memset(&good, 0, sizeof good);
    good.dims = 2, good.n = 2, good.c = 32, good.k = 16, good.size.h = 6, good.size.w = 7;
    good.filter.h = good.filter.w = 3, good.lower.h = good.upper.w = 1;
    good.x = at, good.w = at + 65536, good.y = at + 131072, good.aux.p = at + 196608, good.aux.ld = 16;
    if (!kn->c.aux) memset(&good.aux, 0, sizeof good.aux);
    if (kn->hook) good.epi_args = &hook, good.epi_size = sizeof hook;
    CHECK(kn->can_run(&good, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    refused(kn, 0, "args is null");
    BAD("dims = 0 must be 1 (NWC), 2 (NHWC) or 3 (NDHWC)", b.dims = 0);
    BAD("dims = 4 must be", b.dims = 4);
    BAD("n = -1 is negative", b.n = -1);
    BAD("c = 0, the channels of x, must be at least 1", b.c = 0);
    BAD("k = 0, the number of filters, must be at least 1", b.k = 0);
    BAD("size.h = 0 must be at least 1", b.size.h = 0);
    BAD("filter.w = 0 must be at least 1", b.filter.w = 0);
    BAD("stride.w = -2 is negative", b.stride.w = -2);
    BAD("dilation.h = -1 is negative", b.dilation.h = -1);
    BAD("lower.w = -1 is negative", b.lower.w = -1);
    BAD("upper.h = 16777217 is above the limit of 16777216", b.upper.h = (1 << 24) + 1);
    BAD("size.d = 3, but dims = 2 has no such axis: leave it 0", b.size.d = 3);
    BAD("lower.d = 1, but dims = 2 has no such axis", b.lower.d = 1);
    BAD("size.h = 6, but dims = 1 has no such axis", b.dims = 1);
    BAD("filter.h = 8 reaches over 8 pixels, but size.h and its padding are 7", b.filter.h = 8);
    BAD("filter.w = 3 reaches over 9 pixels, but size.w and its padding are 8", b.dilation.w = 4);
    BAD("x has more than 2147418112 pixels", b.n = 1 << 29);
    BAD("y has more than 2147418112 pixels", b.n = 1 << 24, b.lower.h = 1 << 10);
    BAD("a filter of c = 1073741824 channels and these taps has more than", b.c = 1 << 30);
    BAD("ldx = 8 is less than c = 32", b.ldx = 8);
    BAD("ldy = 15 is less than k = 16", b.ldy = 15);
    BAD("ldz = 1 is less than k = 16", b.ldz = 1);
    BAD("y is null", b.y = 0);
    BAD("x is null", b.x = 0);
    BAD("w is null", b.w = 0);
    BAD("z is null, but beta = 1", b.beta = &one);
    BAD("is not a multiple of 16 bytes", b.x = at + 8);
    BAD("is not a multiple of 16 bytes", b.w = at + 4);
    BAD("is not a multiple of its element's", b.y = at + 1);
    BAD("is not a multiple of its element's", b.beta = &one, b.z = at + 1);
    BAD("16 bytes of channels: give x and w channels of zeros besides", b.c = 32 + unit / 2);
    BAD("elements, 16 bytes", b.ldx = 32 + unit / 2);
    BAD("workspace is null, but workspace_size = 5", b.workspace_size = 5);
    BAD("pdl_constant = 9 must be of TC_CONSTANT_A and TC_CONSTANT_B", b.pdl_constant = 9);
    if (kn->hook) BAD("epi_size = 0, but the kernel was defined with", b.epi_args = 0, b.epi_size = 0);
    else BAD("but the kernel was defined without a hook", b.epi_args = &hook, b.epi_size = sizeof hook);
    if (kn->c.aux) BAD("aux.ld = 15 is less than k = 16", b.aux.ld = 15);
    else BAD("aux is given, but the kernel was generated without .aux", b.aux.p = at);
    b = good, b.n = 0, b.x = b.w = 0, b.y = 0;
    CHECK(kn->can_run(&b, 0) == TC_OK, "%s, no image: %s", kn->name, tc_why());
    b = good, b.alpha = &zero, b.x = b.w = 0;
    CHECK(kn->can_run(&b, 0) == TC_OK, "%s, alpha 0: %s", kn->name, tc_why());
    /* what TMA's maps cannot say: another kernel serves it, or these words do */
    b = good, b.stride.w = 9;
    if (kn->tma) refused(kn, &b, "stride.w = 9, but TMA steps over 8 pixels at most: TC_CONV_SM80_DEFINE and");
    else CHECK(kn->can_run(&b, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    b = good, b.size.w = 400, b.dilation.w = 150, b.n = 1;
    if (kn->tma)
        refused(kn, &b, "filter.w = 3 and dilation.w = 150: a filter's taps lie 300 pixels apart, for TMA 255");
    else CHECK(kn->can_run(&b, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    b = good, b.lower.h = 129;
    if (kn->tma) refused(kn, &b, "lower.h = 129, upper.h = 0 around a filter over 3 pixels: TMA's corners lie 128");
    else CHECK(kn->can_run(&b, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    if (kn->kernels) {
        BAD("choice->kernel = 4 changes roles over", b.choice = &narrow);
        BAD("choice->kernel = 11 is for rows of a GEMM that TMA refuses", b.choice = &copies);
        b = good, b.choice = &tile;
        CHECK(kn->can_run(&b, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    }
    CUDA_CHECK(cudaFree(at));
}

/* The limits of TMA's maps themselves, in the kernels that have them: taps as far apart as they may be, and corners. */
static void limits(const kernel *kn)
{
    static const int reach[4] = {0, 300, 255, 31}, pad[4] = {0, 172, 127, 15};
    for (int dims = 1; dims <= 3; dims++) {
        tc_conv_args a;
        memset(&a, 0, sizeof a);
        a.dims = dims, a.n = 1, a.c = 64, a.k = 8;
        for (int i = 3 - dims; i < 3; i++) *axis_of(&a.size, i) = *axis_of(&a.filter, i) = 1;
        a.size.w = 8, a.filter.w = 2, a.dilation.w = reach[dims];
        a.upper.w = pad[dims], a.lower.w = reach[dims] - pad[dims];
        if (kn->tma) CHECK(tc__conv90_check(&a) == TC_OK, "%s, %d axes: %s", kn->name, dims, tc_why());
        const tc_conv_size y = tc_conv_output(&a);
        CHECK(y.w == 8, "%d", y.w);
        span x = span_rows(8, 64, 64, kn->c.a), w = span_rows(16, 64, 64, kn->c.b);
        span out = span_make((size_t)y.w * 8 * (size_t)tc_type_bits(kn->c.d) / 8, 0xee);
        int wrong = 0;
        a.x = x.dev + GUARD, a.w = w.dev + GUARD, a.y = out.dev + GUARD;
        CHECK(kn->run(&a, 0) == TC_OK, "%s, %d axes: %s", kn->name, dims, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        span_down(&out, out.host);
        for (int i = 0; i < y.w; i++)
            for (int j = 0; j < 8; j++) {
                double sum = 0, size = 0;
                for (int tap = 0; tap < 2; tap++) {
                    const int at = i - a.lower.w + tap * reach[dims];
                    if (at < 0 || at >= 8) continue;
                    for (int c = 0; c < 64; c++) {
                        const double p = (double)tc_element_get(x.host + GUARD, kn->c.a, (uint64_t)(at * 64 + c))
                                       * tc_element_get(w.host + GUARD, kn->c.b, (uint64_t)((j * 2 + tap) * 64 + c));
                        sum += p, size += fabs(p);
                    }
                }
                const double got = tc_element_get(out.host + GUARD, kn->c.d, (uint64_t)(i * 8 + j));
                wrong += !(fabs(got - sum) <= 140 * 1.2e-7 * size + 1e-6 + half_unit(kn->c.d) * fabs(sum));
            }
        CHECK(!wrong, "%s, %d axes, taps %d apart: %d elements are wrong", kn->name, dims, reach[dims], wrong);
        span_drop(&x), span_drop(&w), span_drop(&out);
    }
}

static void once(const kernel *kn)
{
    bad_input(kn);
    if (!kn->hook && kn->c.a == TC_F16) limits(kn);
}

#define EACH_KERNEL
#include "gemm_problems.h"

int main(int argc, char **argv)
{
    const problem_test test = {"conv", one, ONCE(once)};
    return each_problem(&test, problem_args_of(argc, argv, 200));
}
