/* cvt.c - the conversions that serve the Tensor Cores. A value is taken to a double, where it is exact, and rounded
 * here by the definition of the rounding mode. NaNs compare as NaNs: their payload is not the ISA's business but for
 * .relu, which canonicalises. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

/* inf: has infinities; nan: 0: none */
typedef struct { const char *name; int e, m, bias, bits; double max; int inf; uint32_t nan; } format;
static const format formats[] = {
    { "tf32", 8, 10, 127, 19, 0x1.ffcp127, 1, 0x3fc01 },
    { "bf16", 8, 7, 127, 16, 0x1.fep127, 1, 0x7fff },
    { "f16", 5, 10, 15, 16, 65504, 1, 0x7fff },
    { "e4m3", 4, 3, 7, 8, 448, 0, 0x7f },
    { "e5m2", 5, 2, 15, 8, 57344, 1, 0x7f },
    { "e3m2", 3, 2, 3, 6, 28, 0, 0 },
    { "e2m3", 2, 3, 1, 6, 7.5, 0, 0 },
    { "e2m1", 2, 1, 1, 4, 6, 0, 0 },
    { "ue8m0", 8, 0, 127, 8, 0x1p127, 0, 0xff },
    { "ue5m3", 5, 3, 15, 8, 114688, 0, 0xff },      /* no sign */
    { "s2f6", 1, 6, 0, 8, 127 / 64.0, 0, 0 },       /* two's complement: see s2f6() */
};
static const format *format_of(const char *s)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = strlen(formats[i].name);
        if (!strncmp(s, formats[i].name, n) && (s[n] == 0 || s[n] == 'x')) return &formats[i];
    }
    return NULL;
}

/* Code of a finite magnitude that is representable */
static uint32_t code_of(const format *f, double v)
{
    if (v == 0) return 0;
    int e;
    frexp(v, &e);
    e--;
    if (e < 1 - f->bias) return (uint32_t)ldexp(v, f->bias - 1 + f->m);
    return (uint32_t)((e + f->bias) << f->m) + (uint32_t)(ldexp(v, f->m - e) - ldexp(1, f->m));
}
static double value_of(const format *f, uint32_t code)
{
    if (!strcmp(f->name, "s2f6")) return (code & 0x80 ? (int)(code & 0xff) - 256 : (int)(code & 0xff)) / 64.0;
    uint32_t mag = code & ((1u << (f->e + f->m)) - 1), e = mag >> f->m, m = mag & ((1u << f->m) - 1);
    int neg = code >> (f->e + f->m) & 1;
    double v;
    if (f->inf && e == (1u << f->e) - 1) v = m ? NAN : INFINITY;
    else if (!strcmp(f->name, "e4m3") && mag == 0x7f) v = NAN;
    else if (!strcmp(f->name, "ue5m3") && mag == 0xff) v = NAN;
    else v = e ? ldexp((double)(m | 1u << f->m), (int)e - f->bias - f->m) : ldexp(m, 1 - f->bias - f->m);
    return neg ? -v : v;
}

/* v rounded to the format's grid; mode: n z a(way from zero at ties) p(up) d(own); *up: is the other neighbour the
 * right answer of stochastic rounding too? */
static double round_to(const format *f, double v, char mode)
{
    if (v == 0 || isinf(v)) return v;
    int e;
    frexp(v, &e);
    e--;
    int q = e < 1 - f->bias ? 1 - f->bias - f->m : e - f->m;
    double s = ldexp(fabs(v), -q), t = floor(s), frac = s - t;
    if (mode == 'n' ? frac > 0.5 || (frac == 0.5 && fmod(t, 2) == 1)
        : mode == 'a' ? frac >= 0.5
        : mode == 'u' ? frac > 0
        : 0)
        t++;
    return copysign(ldexp(t, q), v);
}

/* One element: the allowed answers a[0..n) as magnitude codes with sign; any_nan: any NaN will do; zero_sign: the sign
 * of a zero is open */
typedef struct { uint32_t a[2]; int n, nan, zero_sign; } answer;
/* An integer of 64ths from -128 to 127; a NaN gives 127 */
static uint32_t s2f6(double v, char mode, int relu)
{
    if (isnan(v)) return 127;
    double y = v * 64;
    y = mode == 'z' ? trunc(y) : rint(y);
    if (y > 127) y = 127;
    if (y < -128) y = -128;
    if (relu && y < 0) y = 0;
    return (uint32_t)(int)y & 0xff;
}
static answer expect(const format *f, double v, char mode, int satfinite, int relu)
{
    answer r = { { 0 }, 1, 0, 0 };
    if (!strcmp(f->name, "s2f6")) { r.a[0] = s2f6(v, mode, relu); return r; }
    if (!strcmp(f->name, "ue5m3")) {          /* the magnitude; what is too large is a NaN without .satfinite */
        if (isnan(v)) { r.a[0] = 0xff; return r; }
        v = fabs(v);
        if (mode == 'p') mode = 'u';
        double x = round_to(f, v, mode);
        if (x > f->max || isinf(v)) r.a[0] = satfinite || (!isinf(v) && mode == 'z') ? 0xfe : 0xff;
        else r.a[0] = code_of(f, x);
        return r;
    }
    uint32_t sign = 1u << (f->e + f->m);
    if (!strcmp(f->name, "ue8m0")) {          /* powers of two: the sign is dropped, zero becomes the smallest */
        if (isnan(v)) { r.a[0] = 0xff; return r; }
        v = fabs(v);
        if (v < 0x1p-127) v = 0x1p-127;
        int e;
        double m = frexp(v, &e);
        e--;
        if (mode == 'p' && m != 0.5) e++;
        if (isinf(v) || e > 127) e = 127;     /* .satfinite always here */
        r.a[0] = (uint32_t)(e + 127);
        return r;
    }
    if (isnan(v)) {
        if (f->nan) r.nan = relu ? 2 : 1; else r.a[0] = code_of(f, f->max);     /* formats without NaN: +MAX */
        return r;
    }
    /* is -0 a negative result? */
    if (relu && signbit(v)) { r.zero_sign = round_to(f, v, mode == 's' ? 'z' : mode) == 0; return r; }
    for (int k = 0; k < (mode == 's' ? 2 : 1); k++) {
        double x = round_to(f, v, mode == 's' ? "zu"[k] : mode);
        uint32_t c;
        if (fabs(x) > f->max || isinf(v)) {
            if (satfinite || (!isinf(v) && mode == 'z')) c = code_of(f, f->max);
            else c = ((1u << f->e) - 1) << f->m;
        } else c = code_of(f, fabs(x));
        if (signbit(v)) c |= sign;
        r.a[k] = c;
    }
    if (mode == 's') r.n = 2;
    return r;
}

/* ---- The kernel: each thread converts its own operands ---- */
enum { THREADS = 512, WORDS = 8 };
typedef struct {
    const format *from, *to; int per, in_bits, src_per; char mode; int sat, relu, pzo;
    double v[THREADS][4]; char flushed[THREADS][4];    /* values, scaled already; those that .scaled::n1 made zero */
} plan;

static void check(isa_case *c)
{
    plan *p = c->data;
    int low = 0, high = 0;
    for (int t = 0; t < THREADS; t++) {
        uint32_t word;
        memcpy(&word, c->out + t * 4, 4);
        for (int k = 0; k < p->per; k++) {
            int bits = p->per == 1 ? p->to->bits : 32 / p->per;
            if (p->per == 2) bits = !strcmp(p->to->name, "e2m1") ? 4 : p->to->bits <= 8 ? 8 : 16;
            if (p->per == 4) bits = !strcmp(p->to->name, "e2m1") ? 4 : 8;
            uint32_t got = word >> (k * bits) & (uint32_t)((1ull << bits) - 1);
            if (!strcmp(p->to->name, "tf32")) got = word >> 13;       /* its low bits are nobody's business */
            answer a = expect(p->to, p->v[t][k], p->mode, p->sat, p->relu);
            int ok = 0;
            uint32_t sign = 1u << (p->to->e + p->to->m), top = ~(sign * 2 - 1);
            a.zero_sign |= p->flushed[t][k];        /* "flushed to zero": the text does not say to which */
            if (p->pzo) { a.zero_sign = 0; if (a.a[0] == sign) a.a[0] = 0; }
            for (int i = 0; i < a.n; i++) ok |= got == a.a[i] || (a.zero_sign && a.a[i] == 0 && got == sign);
            if (a.nan) {
                double g = value_of(p->to, got);
                ok = strcmp(p->to->name, "e4m3") ? isnan(g) : (got & 0x7f) == 0x7f;
                if (a.nan == 2 && strcmp(p->to->name, "tf32") && got != p->to->nan) ok = 0;
            }
            /* 6-bit types: the two upper bits are zero */
            if (p->to->bits < bits && strcmp(p->to->name, "tf32") && (got & top)) ok = 0;
            if (a.n == 2 && a.a[0] != a.a[1] && !a.nan) { if (got == a.a[0]) low++; else high++; }
            if (!ok) {
                isa_fail(c, "thread %d, element %d: %a gave %#x, must be %#x%s%s (%a)", t, k, p->v[t][k], got, a.a[0],
                         a.n == 2 ? " or its neighbour" : "", a.nan ? " a NaN" : "", value_of(p->to, a.a[0]));
                return;
            }
        }
    }
    if (p->mode == 's' && (low < 20 || high < 20))
        isa_fail(c, "stochastic rounding went down %d times and up %d times", low, high);
}

/* An f32 that says something about the format: anything at all; around its range; exactly on its grid or in the middle;
 * specials */
static float interesting(const format *f)
{
    static const float special[] = { 0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1, -1, 0x1p-149f, 0x1.fffffep127f,
                                     0x1p-127f, 0x1.8p-127f, 0x1p-126f, -0x1.fffffep127f };
    uint32_t u = (uint32_t)isa_random();
    float x;
    memcpy(&x, &u, 4);
    switch (isa_int(0, 4)) {
    case 0: return x;
    case 1: return special[isa_int(0, (int)(sizeof special / sizeof *special) - 1)];
    case 2: { double m = f->max * isa_uniform(0.9, 1.1); return (float)(isa_int(0, 1) ? m : -m); }
    default: {
        int e = isa_int(-f->bias - f->m - 2, f->bias + 1);
        double v = ldexp(isa_int(1 << f->m, (2 << f->m) - 1) * 8 + (isa_int(0, 1) ? isa_int(0, 1) * 4 : isa_int(0, 7)),
                         e - f->m - 3);
        return (float)(isa_int(0, 1) ? v : -v);
    }
    }
}

static int build(isa_case *c)
{
    /* cvt.round{.relu}{.satfinite}.to.from */
    char words[8][24];
    int n = 0;
    for (const char *s = c->v->mnemonic; s && n < 8; s = strchr(s, '.')) {
        s += *s == '.';
        snprintf(words[n++], 24, "%.*s", (int)strcspn(s, "."), s);
    }
    plan *p = c->data = calloc(1, sizeof *p);
    const char *to = words[n - 2], *from = words[n - 1];
    p->to = format_of(to); p->from = format_of(from);
    const char *x = strrchr(to, 'x');
    p->per = x && x[1] >= '0' && x[1] <= '9' ? atoi(x + 1) : 1;
    p->sat = isa_has(c, ".satfinite"); p->relu = isa_has(c, ".relu"); p->pzo = isa_has(c, ".pzo");
    const int n1 = isa_has(c, ".scaled::n1::ue8m0"), n2 = isa_has(c, ".scaled::n2::ue8m0");
    p->mode = !strcmp(words[1], "rna") ? 'a' : words[1][1];        /* n z a p s */
    int f32 = !strcmp(from, "f32"), nsrc = f32 ? p->per : 1;
    const char *last = NULL;
    for (int i = 1; isa_op(c, i); i++) last = isa_op(c, i);
    int rbits = p->mode == 's' && !strcmp(last, "in b32");
    if (!p->to || (!f32 && !p->from)) { isa_fail(c, "%s to %s?", from, to); return -1; }
    uint8_t *in = isa_in(c, THREADS * WORDS * 4);
    isa_out(c, THREADS * 4);
    memset(c->out, 0, THREADS * 4);         /* narrower results leave the rest of the word */
    for (int t = 0; t < THREADS; t++) {
        uint8_t *w = in + t * WORDS * 4, scale[2];
        double factor[2];
        for (int k = 0; k < 2; k++) {
            scale[k] = (uint8_t)(isa_int(0, 7) ? isa_int(117, 137) : isa_int(0, 255));
            factor[k] = scale[k] == 255 ? NAN : ldexp(1, scale[k] - 127);
        }
        if (n1) factor[1] = factor[0];
        memcpy(w + 20, scale, 2);
        if (f32)
            for (int k = 0; k < nsrc; k++) {
                float v = interesting(p->to);
                if ((n1 || n2) && !isnan(factor[nsrc - 1 - k])) v *= (float)factor[nsrc - 1 - k];
                memcpy(w + k * 4, &v, 4);
                p->v[t][nsrc - 1 - k] = v;         /* the first source goes to the upper part */
            }
        else {
            uint32_t r = (uint32_t)isa_random();
            int bits = !strcmp(p->from->name, "e2m1") ? 4 : p->from->bits <= 8 ? 8 : 16;
            if (p->from->bits == 6) r &= 0x3f3f3f3f;
            memcpy(w, &r, 4);
            for (int k = 0; k < p->per; k++) {
                uint32_t code = r >> (k * bits) & ((1u << bits) - 1);
                p->v[t][k] = strcmp(p->from->name, "ue8m0") ? value_of(p->from, code)
                           : code == 0xff ? NAN
                           : ldexp(1, (int)code - 127);
            }
        }
        uint32_t r = (uint32_t)isa_random();
        memcpy(w + 16, &r, 4);
        for (int k = 0; (n1 || n2) && k < p->per; k++) {
            double *v = &p->v[t][k];
            const double least = f32 || !strcmp(p->from->name, "bf16") ? 0x1p-126 : 0x1p-14;
            if (n1 && fabs(*v) < least) { p->flushed[t][k] = *v != 0; *v = copysign(0, *v); }
            /* to narrow types the scale divides, from them it multiplies */
            *v = p->to->bits <= 8 ? *v / factor[k] : *v * factor[k];
        }
    }
    c->block[0] = THREADS;
    c->check = check;
    const char *out = isa_op(c, 0), *src = isa_op(c, 1);
    isa_begin(c);
    isa_put(c, ".reg .b32 %%d, %%r; .reg .b16 %%h, %%s; .reg .b8 %%b, %%y, %%s8; .reg .b16 %%s16; .reg .f32 %%f<4>; "
        ".reg .b64 %%g, %%o;\n"
        "mul.wide.u32 %%o, %%tx, 4; add.s64 %%o, %%o, %%out; mul.wide.u32 %%g, %%tx, %d; add.s64 %%g, %%g, "
        "%%in;\nld.global.b32 %%r, [%%g+16];\n", WORDS * 4);
    const char *scales = n1 ? ", %s8" : n2 ? ", %s16" : "";
    if (n1 || n2) isa_put(c, "ld.global.%s %s, [%%g+20];\n", n1 ? "b8" : "b16", scales + 2);
    const char *d = strstr(out, "b32") ? "%d" : strstr(out, "b16") ? "%h" : "%b";
    if (f32) {
        for (int k = 0; k < nsrc; k++) isa_put(c, "ld.global.f32 %%f%d, [%%g+%d];\n", k, k * 4);
        isa_put(c, "%s %s, %s%s%s;\n", c->v->mnemonic, d, nsrc == 4 ? "{%f0, %f1, %f2, %f3}" : nsrc == 2 ? "%f0, %f1"
                : "%f0", rbits ? ", %r" : "", scales);
    } else {
        const char *reg = strstr(src, "b32") ? "%r" : strstr(src, "b16") ? "%s" : "%y",
                   *t = strstr(src, "b32") ? "b32" : strstr(src, "b16") ? "b16" : "b8";
        isa_put(c, "ld.global.%s %s, [%%g];\n%s %s, %s%s;\n", t, reg, c->v->mnemonic, d, reg, scales);
    }
    isa_put(c, "st.global.%s [%%o], %s;\n", out + 4, d);
    isa_end(c);
    return 0;
}
ISA_FAMILY(cvt, "cvt.tc", build)
