/* tc_conv_config.h - tc 0.2.0 - what a convolution is: arguments of a call, the rules for them, and the same call as a
 * product. Needs: the headers below.
 *
 *     tc_conv_args, tc_conv_size             a call
 *     tc_conv_output (host)                  the size of Y
 *     tc_conv_pixels, tc_conv_pixel_at       rows of the product as pixels of Y, for hooks
 *     tc_conv_walk                           what a kernel knows of the filter's way over X
 *     tc__conv_check, tc__conv_gemm (host)   the rules for a call; the call as a product
 *
 * Stands below the mainloops; tc_conv.h is the manual.
 */
#ifndef TC_CONV_CONFIG_H
#define TC_CONV_CONFIG_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"

typedef tc_gemm_config tc_conv_config; /* .conv is 1 */

/* Depth, height, width. With dims = 2 there is no depth, with dims = 1 no height either: leave those 0. */
typedef struct tc_conv_size {
    int d, h, w;
} tc_conv_size;

/* One call. All memory is the device's but for alpha, beta and epi_args. n = 0 is a call that computes nothing. */
typedef struct tc_conv_args {
    int dims;                      /* 1: X is NWC, 2: NHWC, 3: NDHWC */
    int n, c, k;                   /* images; channels of X; filters, which are the channels of Y */
    tc_conv_size size, filter;     /* of X; of a filter */
    tc_conv_size stride, dilation; /* 0: 1 */
    tc_conv_size lower, upper;     /* zeros around X: before its first pixel, behind its last one */
    const void *x;
    int64_t ldx; /* elements from a pixel to the next, >= c (0: c); rows and images follow one another */
    const void *w; /* k filters, each of d x h x w taps of c channels (KRSC), end to end */
    const void *z; /* what beta is for, laid out as Y; not read unless beta points to something other than 0 */
    int64_t ldz;   /* >= k (0: k) */
    void *y;
    int64_t ldy;               /* >= k (0: k) */
    const float *alpha, *beta; /* host pointers, read during the call; NULL: 1 and 0 */
    const void *epi_args;      /* host pointer to the hook's arguments, copied during the call */
    size_t epi_size;
    void *workspace;       /* device memory for split k, workspace_size bytes, a multiple of 16; NULL: k is not split */
    size_t workspace_size; /* what NAME_workspace says, or less */
    const tc_gemm_choice *choice; /* NULL: the kit's */
    int pdl_constant;             /* with pdl: TC_CONSTANT_A: X, _B: W, which no kernel writes that may still run */
    int pdl;                      /* not 0: programmatic dependent launch (Hopper only) */
    tc_gemm_aux aux;              /* a second output, where the configuration has it; .stride is not used */
} tc_conv_args;

/* ---------------------------------------------------------------------------------------------------------------------
 * Rows of the product are pixels of Y, image after image, in each depth by depth, line by line.
 */
typedef struct tc_conv_pixels {
    tc_divide image, plane, line; /* by the pixels of each */
} tc_conv_pixels;

typedef struct tc_conv_pixel {
    int n, d, h, w;
} tc_conv_pixel;

/* The pixel of Y whose number a hook knows as at.row. */
TC_HD tc_conv_pixel tc_conv_pixel_at(const tc_conv_pixels *p, int row)
{
    const uint32_t n = tc_quotient((uint32_t)row, p->image), in = (uint32_t)row - n * p->image.by;
    const uint32_t d = tc_quotient(in, p->plane), in_plane = in - d * p->plane.by;
    const uint32_t h = tc_quotient(in_plane, p->line);
    const tc_conv_pixel x = {(int)n, (int)d, (int)h, (int)(in_plane - h * p->line.by)};
    return x;
}

/* The filter's way over X. A product's k goes tap after tap, in each through the channels: in steps of the kernel's
 * own (per_tap of them), blocks of .bk channels of which the last may be short (sm_90), or 16 bytes (sm_80). */
typedef struct tc_conv_walk {
    tc_conv_pixels pixels;        /* of Y */
    tc_divide per_tap;            /* steps */
    tc_divide tap_plane, tap_line; /* taps of a filter's plane, of its line */
    tc_conv_size size, stride, dilation, lower;
    uint32_t steps;  /* of k that there are; behind them is nothing */
    int space;       /* sm_90: axes of the im2col map, 1 to 3; 0: X is a matrix of pixels by channels */
    long long pitch; /* sm_80: bytes from a pixel of X to the next */
} tc_conv_walk;

/* Where in X the first tap of a pixel of Y lies: outside of it, where zeros are around. */
TC_HD tc_conv_pixel tc__conv_first(const tc_conv_walk *w, int row)
{
    tc_conv_pixel p = tc_conv_pixel_at(&w->pixels, row);
    p.d = p.d * w->stride.d - w->lower.d;
    p.h = p.h * w->stride.h - w->lower.h;
    p.w = p.w * w->stride.w - w->lower.w;
    return p;
}

/* How far from it tap number `tap` lies. */
TC_HD tc_conv_size tc__conv_tap(const tc_conv_walk *w, uint32_t tap)
{
    const uint32_t d = tc_quotient(tap, w->tap_plane), in = tap - d * w->tap_plane.by;
    const uint32_t h = tc_quotient(in, w->tap_line);
    const tc_conv_size s = {(int)d * w->dilation.d, (int)h * w->dilation.h,
                            (int)(in - h * w->tap_line.by) * w->dilation.w};
    return s;
}

/* The rules that a convolution has for its configuration beside the mainloops'. */
#define TC__CONV_RULES(X, c)                                                                                          \
    X(!(c).a_layout && !(c).b_layout && !(c).d_layout && !(c).swap && !(c).groups && !(c).index && !(c).weights       \
      && !(c).sparse && !(c).a_scale && !(c).b_scale && !(c).sf && !(c).row_sum && !(c).any && !(c).clc && !(c).chip  \
      && !(c).all_sum && !(c).c_type && !tc__gemm_own_ends(c) && !tc__tiles_some(c),                                  \
      "tc: a convolution has X and Y as NHWC, W as KRSC, and one product: .a_layout, .b_layout, .d_layout, .swap, "   \
      ".groups, .index, .weights, .sparse, .a_scale, .b_scale, .d_scale, .sf, .d_sf, .row_sum, .col_sum, .all_sum, "  \
      ".c_type, .triangle, .tile, .k_range, .bsr, .clc and .chip must be left out")                                   \
    X((c).a != TC_F64 && (c).a != TC_F32 && !tc__gemm_is_packed((c).a),                                               \
      "tc: a convolution multiplies f16, bf16, tf32, fp8 and integers of 8 bits, not TC_F64 and TC_F32")
#define TC__CONV_SM90_RULES(X, c)                                                                                     \
    TC__CONV_RULES(X, c)                                                                                              \
    X((c).bk == 128 * 8 / (tc_type_bits((c).a) ? tc_type_bits((c).a) : 16),                                           \
      "tc: TC_CONV_SM90_DEFINE wants .bk of 128 bytes of channels (64 of 16 bits), or left out")                      \
    X(tc__gemm90_sums_held(c) <= 192,                                                                                 \
      "tc: a convolution's accumulators, rows of a warpgroup * .bn / 128, must be at most 192: its producer, who "    \
      "finds out where a filter's taps lie, wants registers too")

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* A size along one axis, which: 0 depth, 1 height, 2 width. */
TC_HOST int tc__conv_axis(const tc_conv_size *s, int which) { return which == 0 ? s->d : which == 1 ? s->h : s->w; }

/* A call along one axis; what is left out is filled in. */
typedef struct tc__conv_line {
    int64_t size, filter, stride, dilation, lower, upper;
    int64_t reach, out; /* from a filter's first tap to its last; pixels of Y, 0 or less: none */
} tc__conv_line;

TC_HOST tc__conv_line tc__conv_line_of(const tc_conv_args *a, int which)
{
    const int there = which >= 3 - a->dims;
    tc__conv_line x = {1, 1, 1, 1, 0, 0, 0, 1};
    if (!there) return x;
    x.size = tc__conv_axis(&a->size, which), x.filter = tc__conv_axis(&a->filter, which);
    x.stride = tc__conv_axis(&a->stride, which) ? tc__conv_axis(&a->stride, which) : 1;
    x.dilation = tc__conv_axis(&a->dilation, which) ? tc__conv_axis(&a->dilation, which) : 1;
    x.lower = tc__conv_axis(&a->lower, which), x.upper = tc__conv_axis(&a->upper, which);
    x.reach = (x.filter - 1) * x.dilation;
    x.out = x.size + x.lower + x.upper - x.reach;
    x.out = x.out > 0 && x.stride > 0 ? (x.out - 1) / x.stride + 1 : 0;
    return x;
}

/* The size of Y of a call whose sizes are in order: its pixels along each axis, 1 for one that there is not. */
TC_HOST tc_conv_size tc_conv_output(const tc_conv_args *args)
{
    const tc_conv_size s = {(int)tc__conv_line_of(args, 0).out, (int)tc__conv_line_of(args, 1).out,
                            (int)tc__conv_line_of(args, 2).out};
    return s;
}

/* For hooks that want to know the pixel: give it to them among their arguments. */
TC_HOST tc_conv_pixels tc_conv_pixels_of(const tc_conv_args *args)
{
    const tc_conv_size y = tc_conv_output(args);
    tc_conv_pixels p;
    p.line = tc_divide_by((uint32_t)y.w);
    p.plane = tc_divide_by((uint32_t)y.w * (uint32_t)y.h);
    p.image = tc_divide_by((uint32_t)y.w * (uint32_t)y.h * (uint32_t)y.d);
    return p;
}

TC_HOST int64_t tc__conv_taps(const tc_conv_args *a)
{
    return tc__conv_line_of(a, 0).filter * tc__conv_line_of(a, 1).filter * tc__conv_line_of(a, 2).filter;
}
TC_HOST int64_t tc__conv_ld(int64_t given, int least) { return given ? given : least; }

/* a * b * c * d, of numbers from 1 to 2^31, or 2^31 if it is more. */
TC_HOST int64_t tc__conv_product(const int64_t *x, int count)
{
    const int64_t most = (int64_t)1 << 31;
    int64_t product = 1;
    int i;
    for (i = 0; i < count; i++) product = product * x[i] > most ? most : product * x[i];
    return product;
}

/* The rules for one axis. */
TC_HOST tc_status tc__conv_check_axis(const tc_conv_args *a, int which)
{
    static const char axis[3] = {'d', 'h', 'w'};
    const tc_conv_size *const of[6] = {&a->size, &a->filter, &a->stride, &a->dilation, &a->lower, &a->upper};
    static const char *const names[6] = {"size", "filter", "stride", "dilation", "lower", "upper"};
    const int there = which >= 3 - a->dims;
    tc__conv_line x;
    int i;
    for (i = 0; i < 6; i++) {
        const int value = tc__conv_axis(of[i], which), least = there && i < 2;
        if (!there && (value < 0 || value > (i < 4)))
            return tc__fail(TC_ERR_SIZE, "%s.%c = %d, but dims = %d has no such axis: leave it 0", names[i],
                            axis[which], value, a->dims);
        if (there && value < least)
            return tc__fail(TC_ERR_SIZE, "%s.%c = %d %s", names[i], axis[which], value,
                            least ? "must be at least 1" : "is negative");
        if (there && value > 1 << 24 && i)
            return tc__fail(TC_ERR_SIZE, "%s.%c = %d is above the limit of %d", names[i], axis[which], value, 1 << 24);
    }
    x = tc__conv_line_of(a, which);
    if (x.size + x.lower + x.upper > 0x7fff0000)
        return tc__fail(TC_ERR_SIZE, "size.%c and its padding are %lld, above the limit of %d", axis[which],
                        (long long)(x.size + x.lower + x.upper), 0x7fff0000);
    if (x.out < 1)
        return tc__fail(TC_ERR_SIZE,
                        "filter.%c = %lld reaches over %lld pixels, but size.%c and its padding are %lld",
                        axis[which], (long long)x.filter, (long long)x.reach + 1, axis[which],
                        (long long)(x.size + x.lower + x.upper));
    return TC_OK;
}

/* A distance of pixels, what of, and how many elements a pixel has. */
typedef struct tc__conv_pitch {
    char name, of;
    int64_t ld;
    int least;
} tc__conv_pitch;

/* The rules of sizes and pitches. */
TC_HOST tc_status tc__conv_check_sizes(const tc_conv_args *a)
{
    const tc__conv_pitch ld[3] = {{'x', 'c', a->ldx, a->c}, {'y', 'k', a->ldy, a->k}, {'z', 'k', a->ldz, a->k}};
    int64_t of[4];
    tc_status st = TC_OK;
    int i;
    if (a->dims < 1 || a->dims > 3)
        return tc__fail(TC_ERR_SIZE, "dims = %d must be 1 (NWC), 2 (NHWC) or 3 (NDHWC)", a->dims);
    if (a->n < 0) return tc__fail(TC_ERR_SIZE, "n = %d is negative", a->n);
    if (a->c < 1) return tc__fail(TC_ERR_SIZE, "c = %d, the channels of x, must be at least 1", a->c);
    if (a->k < 1) return tc__fail(TC_ERR_SIZE, "k = %d, the number of filters, must be at least 1", a->k);
    for (i = 0; i < 3 && st == TC_OK; i++) st = tc__conv_check_axis(a, i);
    if (st != TC_OK) return st;
    of[3] = a->n ? a->n : 1;
    for (i = 0; i < 3; i++) of[i] = tc__conv_line_of(a, i).size;
    if (tc__conv_product(of, 4) > 0x7fff0000) return tc__fail(TC_ERR_SIZE, "x has more than %d pixels", 0x7fff0000);
    for (i = 0; i < 3; i++) of[i] = tc__conv_line_of(a, i).out;
    if (tc__conv_product(of, 4) > 0x7fff0000) return tc__fail(TC_ERR_SIZE, "y has more than %d pixels", 0x7fff0000);
    for (i = 0; i < 3; i++) of[i] = tc__conv_line_of(a, i).filter;
    of[3] = (int64_t)a->c + 255; /* kernels fill up a tap's channels */
    if (tc__conv_product(of, 4) > 0x7fff0000)
        return tc__fail(TC_ERR_SIZE, "a filter of c = %d channels and these taps has more than %d elements", a->c,
                        0x7fff0000);
    for (i = 0; i < 3; i++)
        if (ld[i].ld && ld[i].ld < ld[i].least)
            return tc__fail(TC_ERR_PITCH, "ld%c = %lld is less than %c = %d", ld[i].name, (long long)ld[i].ld,
                            ld[i].of, ld[i].least);
    return TC_OK;
}

/* The call as a product: m pixels, n filters, k of so many elements for each tap, A the pixels of X that each tap
 * reads. lda: what of k comes from memory; of the rest neighbours have read it. */
TC_HOST tc_gemm_args tc__conv_gemm(const tc_conv_args *a, int per_tap)
{
    const tc_conv_size y = tc_conv_output(a);
    const int64_t own = tc__conv_ld(a->ldx, a->c) * tc__conv_line_of(a, 0).stride * tc__conv_line_of(a, 1).stride
                      * tc__conv_line_of(a, 2).stride;
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = a->n * y.d * y.h * y.w, g.n = a->k, g.k = (int)(tc__conv_taps(a) * per_tap);
    g.a = a->x, g.lda = own < g.k ? own : g.k;
    g.b = a->w, g.ldb = tc__conv_taps(a) * a->c;
    g.c = a->z, g.ldc = tc__conv_ld(a->ldz, a->k);
    g.d = a->y, g.ldd = tc__conv_ld(a->ldy, a->k);
    g.alpha = a->alpha, g.beta = a->beta;
    g.epi_args = a->epi_args, g.epi_size = a->epi_size;
    g.workspace = a->workspace, g.workspace_size = a->workspace_size;
    g.choice = a->choice;
    g.pdl = a->pdl, g.pdl_constant = a->pdl_constant;
    g.aux = a->aux;
    return g;
}

TC_HOST int tc__conv_empty(const tc_conv_args *a) { return a->n == 0; }

/* Memory of a call that computes something, and reads X and W unless alpha is 0. */
TC_HOST tc_status tc__conv_check_memory(const tc_conv_config *c, const tc_conv_args *a, int reads)
{
    const void *const at[2] = {a->x, a->w};
    const int unit = 16 * 8 / tc_type_bits(c->a);
    int i;
    if (!a->y) return tc__fail(TC_ERR_NULL, "y is null");
    if (a->beta && *a->beta != 0.f && !a->z)
        return tc__fail(TC_ERR_NULL, "z is null, but beta = %g", (double)*a->beta);
    for (i = 0; i < 2 && reads; i++) {
        if (!at[i]) return tc__fail(TC_ERR_NULL, "%c is null", "xw"[i]);
        if ((uintptr_t)at[i] % 16)
            return tc__fail(TC_ERR_ALIGN, "%c = %p is not a multiple of 16 bytes", "xw"[i], at[i]);
    }
    if (reads && a->c % unit)
        return tc__fail(TC_ERR_ALIGN,
                        "c = %d is not a multiple of %d, 16 bytes of channels: give x and w channels of zeros besides",
                        a->c, unit);
    if (reads && a->ldx % unit)
        return tc__fail(TC_ERR_ALIGN, "ldx = %lld is not a multiple of %d elements, 16 bytes", (long long)a->ldx, unit);
    for (i = 0; i < 2; i++) {
        const void *to = i ? a->z : a->y;
        if (i && !(a->beta && *a->beta != 0.f)) break;
        if ((uintptr_t)to % ((size_t)tc_type_bits(c->d) / 8))
            return tc__fail(TC_ERR_ALIGN, "%c = %p is not a multiple of its element's %d bytes", "yz"[i], to,
                            tc_type_bits(c->d) / 8);
    }
    return TC_OK;
}

/* The rules for a call. */
TC_HOST tc_status tc__conv_check(const tc_conv_config *c, const tc_conv_args *args)
{
    tc_gemm_args g;
    tc_status st;
    if (!args) return tc__fail(TC_ERR_NULL, "args is null");
    st = tc__conv_check_sizes(args);
    if (st == TC_OK && !tc__conv_empty(args)) st = tc__conv_check_memory(c, args, !args->alpha || *args->alpha != 0.f);
    if (st != TC_OK) return st;
    if (c->aux && args->aux.ld < args->k)
        return tc__fail(TC_ERR_PITCH, "aux.ld = %lld is less than k = %d", (long long)args->aux.ld, args->k);
    if (c->epi2 && args->k % 2)
        return tc__fail(TC_ERR_SIZE, "k = %d is odd, but the kernel's pair hook (.epi2) needs an even k", args->k);
    g = tc__conv_gemm(args, args->c);
    g.lda = g.k;
    g.ldb = g.k;
    if (args->alpha && *args->alpha == 0.f) g.k = 0, g.a = g.b = NULL;
    return tc__gemm_check(c, &g); /* hooks, workspace, second outputs */
}

/* What a kernel knows, with so many steps of k for a tap. */
TC_HOST tc_conv_walk tc__conv_walk_of(const tc_conv_args *a, int steps)
{
    const tc__conv_line d = tc__conv_line_of(a, 0), h = tc__conv_line_of(a, 1), w = tc__conv_line_of(a, 2);
    const tc_conv_size size = {(int)d.size, (int)h.size, (int)w.size};
    const tc_conv_size stride = {(int)d.stride, (int)h.stride, (int)w.stride};
    const tc_conv_size dilation = {(int)d.dilation, (int)h.dilation, (int)w.dilation};
    const tc_conv_size lower = {(int)d.lower, (int)h.lower, (int)w.lower};
    tc_conv_walk x;
    memset(&x, 0, sizeof x);
    x.pixels = tc_conv_pixels_of(a);
    x.per_tap = tc_divide_by((uint32_t)steps);
    x.tap_line = tc_divide_by((uint32_t)w.filter);
    x.tap_plane = tc_divide_by((uint32_t)(w.filter * h.filter));
    x.steps = (uint32_t)(tc__conv_taps(a) * steps);
    x.size = size, x.stride = stride, x.dilation = dilation, x.lower = lower;
    return x;
}

#endif /* host */
#endif /* TC_CONV_CONFIG_H */
