/* alu_float.c - arithmetic of f32, f64, f32x2, f16, bf16 and their pairs.
 * f32 NaN results are canonical (0x7fffffff; f16, bf16: 0x7fff). The .approx functions give the correctly rounded
 * result, which is within the errors that the ISA allows. Nothing here may be contracted to fma: compile with
 * -ffp-contract=off. */
#include "alu.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* f[] of a float instruction */
enum { F_KEEP,      /* what stays of a subnormal: all of it, or with .ftz its sign */
       F_SAT,       /* FS_* */
       F_ROUND,     /* NUM_R* */
       F_OP,        /* OP_*, for handlers of several */
       F_NARROW };  /* add.f32.f16: 1 f16, 2 bf16 */
enum { FS_SAT = 1, FS_RELU = 2, FM_NAN = 4, FM_XORSIGN = 8, FM_ABS = 16, FM_MAX = 32 };
enum { OP_ADD, OP_SUB, OP_MUL, OP_FMA, OP_DIV, OP_RCP, OP_SQRT };

#define KEEP const uint32_t keep = i->f[F_KEEP]
INLINE float ftz(float x, uint32_t keep)
{
    uint32_t u = num_f32_bits(x);
    return num_bits_f32(u & 0x7f800000 ? u : u & keep);
}
INLINE float canon(float x) { return x != x ? __builtin_nanf("0x3fffff") : x; }

/* ---- f32, f32x2 ---- */

/* The plain forms: .rn, no .ftz, no .sat. LANES2: a 64-bit register is 64 floats. */
#define LANES2(...) \
    if (mask == EMU_FULL) { \
        _Pragma("GCC ivdep") for (uint32_t l = 0; l < 64; l++) __VA_ARGS__ \
    } else EMU_EACH(k, mask) for (uint32_t l = 2 * k; l < 2 * k + 2; l++) __VA_ARGS__
#define PLAIN2(name, expr) \
    OP2(HOT, name##_f32, f32, f32, f32, canon(expr)) \
    OP2(HOT, name##_f64, f64, f64, f64, expr) \
    HOT static int x_##name##_f32g(ALU_ARGS) { \
        f32 *d = R_f32(w, &i->op[0]); const f32 *a_ = R_f32(w, &i->op[1]), *b_ = R_f32(w, &i->op[2]); \
        KEEP; const uint32_t sat = i->f[F_SAT]; \
        LANES({ float a = ftz(a_[l], keep), b = ftz(b_[l], keep), r = expr; r = ftz(r, keep); \
            d[l] = sat ? num_sat_f32(r) : canon(r); }) \
        return X_NEXT; } \
    HOT static int x_##name##_f32x2(ALU_ARGS) { \
        f32 *d = R_f32(w, &i->op[0]); const f32 *a_ = R_f32(w, &i->op[1]), *b_ = R_f32(w, &i->op[2]); KEEP; \
        LANES2({ float a = ftz(a_[l], keep), b = ftz(b_[l], keep), r = expr; d[l] = canon(ftz(r, keep)); }) \
        return X_NEXT; }
PLAIN2(add, a + b)
PLAIN2(sub, a - b)
PLAIN2(mul, a * b)
OP3(HOT, fma_f32, f32, f32, f32, f32, canon(fmaf(a, b, c)))
OP3(HOT, fma_f64, f64, f64, f64, f64, fma(a, b, c))
HOT static int x_fma_f32g(ALU_ARGS)
{
    f32 *d = R_f32(w, &i->op[0]);
    const f32 *a = R_f32(w, &i->op[1]), *b = R_f32(w, &i->op[2]), *c = R_f32(w, &i->op[3]);
    KEEP; const uint32_t sat = i->f[F_SAT];
    LANES({
        float r = ftz(fmaf(ftz(a[l], keep), ftz(b[l], keep), ftz(c[l], keep)), keep);
        d[l] = sat ? num_sat_f32(r) : canon(r);
    })
    return X_NEXT;
}
HOT static int x_fma_f32x2(ALU_ARGS)
{
    f32 *d = R_f32(w, &i->op[0]);
    const f32 *a = R_f32(w, &i->op[1]), *b = R_f32(w, &i->op[2]), *c = R_f32(w, &i->op[3]); KEEP;
    LANES2({ float r = fmaf(ftz(a[l], keep), ftz(b[l], keep), ftz(c[l], keep)); d[l] = canon(ftz(r, keep)); })
    return X_NEXT;
}

/* Any rounding, and narrow sources: not for speed */
static float op_f32(uint32_t op, float a, float b, float c, num_round r)
{
    switch (op) {
    case OP_ADD: return num_add_f32(a, b, r);
    case OP_SUB: return num_add_f32(a, -b, r);
    case OP_MUL: return num_mul_f32(a, b, r);
    case OP_FMA: return num_fma_f32(a, b, c, r);
    case OP_DIV: return num_div_f32(a, b, r);
    case OP_RCP: return num_rcp_f32(a, r);
    default:     return num_sqrt_f32(a, r);
    }
}
static double op_f64(uint32_t op, double a, double b, double c, num_round r)
{
    switch (op) {
    case OP_ADD: return num_add_f64(a, b, r);
    case OP_SUB: return num_add_f64(a, -b, r);
    case OP_MUL: return num_mul_f64(a, b, r);
    case OP_FMA: return num_fma_f64(a, b, c, r);
    case OP_DIV: return num_div_f64(a, b, r);
    case OP_RCP: return num_rcp_f64(a, r);
    default:     return num_sqrt_f64(a, r);
    }
}
COLD static int x_round_f32(ALU_ARGS)
{
    f32 *d = R_f32(w, &i->op[0]); const f32 *s[3];
    KEEP; const uint32_t sat = i->f[F_SAT], narrow = i->f[F_NARROW];
    const int n = i->nop - 1;
    for (int k = 0; k < 3; k++) s[k] = R_f32(w, &i->op[k < n ? k + 1 : 1]);
    EMU_EACH(l, mask) {
        float v[3];
        for (int k = 0; k < 3; k++) {
            uint32_t u = num_f32_bits(s[k][l]);
            v[k] = !narrow || k == n - 1 ? ftz(s[k][l], keep) : narrow == 1 ? alu_f16(u) : alu_bf16(u);
        }
        float r = ftz(op_f32(i->f[F_OP], v[0], v[1], v[2], (num_round)i->f[F_ROUND]), keep);
        d[l] = sat ? num_sat_f32(r) : canon(r);
    }
    return X_NEXT;
}
COLD static int x_round_f32x2(ALU_ARGS)
{
    f32 *d = R_f32(w, &i->op[0]); const f32 *s[3]; KEEP;
    for (int k = 0; k < 3; k++) s[k] = R_f32(w, &i->op[k < i->nop - 1 ? k + 1 : 1]);
    EMU_EACH(k, mask) for (uint32_t l = 2 * k; l < 2 * k + 2; l++) {
        float r = op_f32(i->f[F_OP], ftz(s[0][l], keep), ftz(s[1][l], keep), ftz(s[2][l], keep),
                         (num_round)i->f[F_ROUND]);
        d[l] = canon(ftz(r, keep));
    }
    return X_NEXT;
}
COLD static int x_round_f64(ALU_ARGS)
{
    f64 *d = R_f64(w, &i->op[0]); const f64 *s[3];
    for (int k = 0; k < 3; k++) s[k] = R_f64(w, &i->op[k < i->nop - 1 ? k + 1 : 1]);
    EMU_EACH(l, mask) d[l] = op_f64(i->f[F_OP], s[0][l], s[1][l], s[2][l], (num_round)i->f[F_ROUND]);
    return X_NEXT;
}

/* div.approx multiplies by a reciprocal that underflows to 0 for large divisors */
INLINE float div_approx(float a, float b)
{
    return fabsf(b) > 0x1p126f && fabsf(b) <= FLT_MAX ? a * copysignf(0, b) : a / b;
}
#define FTZ2(name, expr) HOT static int x_##name(ALU_ARGS) { \
    f32 *d = R_f32(w, &i->op[0]); const f32 *a_ = R_f32(w, &i->op[1]), *b_ = R_f32(w, &i->op[2]); KEEP; \
    LANES({ float a = ftz(a_[l], keep), b = ftz(b_[l], keep), r = expr; d[l] = canon(ftz(r, keep)); }) \
    return X_NEXT; }
#define FTZ1(H, name, expr) H static int x_##name(ALU_ARGS) { \
    f32 *d = R_f32(w, &i->op[0]); const f32 *a_ = R_f32(w, &i->op[1]); KEEP; \
    LANES({ float a = ftz(a_[l], keep), r = expr; d[l] = canon(ftz(r, keep)); }) \
    return X_NEXT; }
FTZ2(div_rn_f32, a / b)
FTZ2(div_approx_f32, div_approx(a, b))
OP2(COLD, div_rn_f64, f64, f64, f64, a / b)
FTZ1(HOT, rcp_f32, 1.0f / a)
FTZ1(HOT, sqrt_f32, sqrtf(a))
FTZ1(HOT, rsqrt_f32, (float)(1.0 / sqrt((double)a)))
FTZ1(COLD, sin_f32, (float)sin((double)a))
FTZ1(COLD, cos_f32, (float)cos((double)a))
FTZ1(COLD, lg2_f32, (float)log2((double)a))
FTZ1(COLD, tanh_f32, (float)tanh((double)a))
OP1(COLD, rcp_rn_f64, f64, f64, 1.0 / a)
OP1(COLD, sqrt_rn_f64, f64, f64, sqrt(a))
OP1(COLD, rsqrt_f64, f64, f64, 1.0 / sqrt(a))

/* 2^x for |result| within and around f32, to about 1e-16: 2^n times a series in the fraction */
INLINE double exp2_near(double x)
{
    x = pickd(x > 200, 200, x);
    x = pickd(x < -200, -200, x);
    double t = x + 0x1.8p52, y = (x - (t - 0x1.8p52)) * 0x1.62e42fefa39efp-1;
    double p = 1.0 / 479001600;
    p = p * y + 1.0 / 39916800; p = p * y + 1.0 / 3628800; p = p * y + 1.0 / 362880; p = p * y + 1.0 / 40320;
    p = p * y + 1.0 / 5040; p = p * y + 1.0 / 720; p = p * y + 1.0 / 120; p = p * y + 1.0 / 24;
    p = p * y + 1.0 / 6; p = p * y + 0.5; p = p * y + 1; p = p * y + 1;
    return p * num_bits_f64((num_f64_bits(t) + 1023) << 52);
}
FTZ1(HOT, ex2_f32, (float)exp2_near((double)a))

/* rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: the low word of source and result is zero, subnormals are zeros */
INLINE double high_ftz(double x)
{
    uint64_t u = num_f64_bits(x) & 0xffffffff00000000ull;
    if (x != x) return num_bits_f64(0x7fffffff00000000ull);
    return num_bits_f64(u & 0x7ff0000000000000ull ? u : u & 0x8000000000000000ull);
}
OP1(COLD, rcp_approx_f64, f64, f64, high_ftz(1.0 / high_ftz(a)))
OP1(COLD, rsqrt_approx_f64, f64, f64, high_ftz(1.0 / sqrt(high_ftz(a))))

/* ---- Sign, classes ---- */

HOT static int x_abs_f32(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]); const u32 *a = R_u32(w, &i->op[1]); KEEP;
    LANES({ uint32_t u = a[l]; u = u & 0x7f800000 ? u : u & keep; d[l] = u & 0x7fffffff; })
    return X_NEXT;
}
HOT static int x_neg_f32(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]); const u32 *a = R_u32(w, &i->op[1]); KEEP;
    LANES({ uint32_t u = a[l]; u = u & 0x7f800000 ? u : u & keep; d[l] = u ^ 0x80000000; })
    return X_NEXT;
}
OP1(COLD, abs_f64, u64, u64, a & ~(1ull << 63))
OP1(COLD, neg_f64, u64, u64, a ^ 1ull << 63)
OP2(COLD, copysign_f32, u32, u32, u32, (a & 0x80000000) | (b & 0x7fffffff))
OP2(COLD, copysign_f64, u64, u64, u64, (a & 1ull << 63) | (b & ~(1ull << 63)))

enum { T_FINITE, T_INFINITE, T_NUMBER, T_NOTANUMBER, T_NORMAL, T_SUBNORMAL };
static const char *const classes[] = { "finite", "infinite", "number", "notanumber", "normal", "subnormal" };
static int is_class(uint32_t test, int class)
{
    switch (test) {
    case T_FINITE: return class != FP_INFINITE && class != FP_NAN;
    case T_INFINITE: return class == FP_INFINITE;
    case T_NUMBER: return class != FP_NAN;
    case T_NOTANUMBER: return class == FP_NAN;
    case T_NORMAL: return class == FP_NORMAL || class == FP_ZERO;       /* a zero is normal here */
    default: return class == FP_SUBNORMAL;
    }
}
COLD static int x_testp(ALU_ARGS)
{
    uint32_t t = 0, *p = RP(w, &i->op[0]);
    EMU_EACH(l, mask) {
        int class = i->f[1] ? fpclassify(R_f64(w, &i->op[1])[l]) : fpclassify(R_f32(w, &i->op[1])[l]);
        t |= (uint32_t)is_class(i->f[0], class) << l;
    }
    *p = (*p & ~mask) | t;
    return X_NEXT;
}

/* ---- min, max ---- */

/* -0 < +0; a NaN yields to the other operand */
INLINE float min_f(float a, float b)
{
    uint32_t ua = num_f32_bits(a), ub = num_f32_bits(b);
    uint32_t r = pick32(a < b, ua, pick32(b < a, ub, ua | ub));      /* of equals: -0 if one is */
    return num_bits_f32(pick32(b != b, ua, pick32(a != a, ub, r)));
}
INLINE float max_f(float a, float b)
{
    uint32_t ua = num_f32_bits(a), ub = num_f32_bits(b);
    uint32_t r = pick32(a > b, ua, pick32(b > a, ub, ua & ub));
    return num_bits_f32(pick32(b != b, ua, pick32(a != a, ub, r)));
}
/* With the FM_* bits: magnitudes first, sign of the product last. A minimum is the negative of a maximum. */
INLINE float minmax_f(float a, float b, uint32_t f)
{
    uint32_t ua = num_f32_bits(a), ub = num_f32_bits(b);
    uint32_t sign = (ua ^ ub) & (f & FM_XORSIGN ? 0x80000000 : 0), low = f & FM_ABS ? 0x7fffffff : ~0u,
             turn = f & FM_MAX ? 0 : 0x80000000;
    uint32_t strict = f & FM_NAN ? 1 : 0;
    ua = (ua & low) ^ turn; ub = (ub & low) ^ turn;
    uint32_t a_nan = (ua & 0x7fffffff) > 0x7f800000, b_nan = (ub & 0x7fffffff) > 0x7f800000;
    uint32_t r = num_f32_bits(max_f(num_bits_f32(ua), num_bits_f32(ub))) ^ turn;
    return num_bits_f32(pick32((a_nan & b_nan) | (strict & (a_nan | b_nan)), NUM_NAN32, r | sign));
}
OP2(HOT, min_f32, f32, f32, f32, canon(min_f(a, b)))
OP2(HOT, max_f32, f32, f32, f32, canon(max_f(a, b)))
HOT static int x_minmax_f32(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]); const f32 *a = R_f32(w, &i->op[1]), *b = R_f32(w, &i->op[2]); KEEP;
    const uint32_t f = i->f[F_SAT];
    WIDE_LANES(d, num_f32_bits(minmax_f(ftz(a[l], keep), ftz(b[l], keep), f)))
    return X_NEXT;
}
HOT static int x_minmax3_f32(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]);
    const f32 *a = R_f32(w, &i->op[1]), *b = R_f32(w, &i->op[2]), *c = R_f32(w, &i->op[3]);
    KEEP; const uint32_t f = i->f[F_SAT];
    WIDE_LANES(d, num_f32_bits(minmax_f(minmax_f(ftz(a[l], keep), ftz(b[l], keep), f), ftz(c[l], keep), f)))
    return X_NEXT;
}
static double minmax_f64(double a, double b, int max)
{
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return num_bits_f64(max ? num_f64_bits(a) & num_f64_bits(b) : num_f64_bits(a) | num_f64_bits(b));
    return (a < b) != max ? a : b;
}
OP2(COLD, min_f64, f64, f64, f64, minmax_f64(a, b, 0))
OP2(COLD, max_f64, f64, f64, f64, minmax_f64(a, b, 1))

/* ---- f16, bf16 ----
 * An operation on one element takes floats and gives a float whose rounding to the narrow format is the right one: sums
 * and products of f16 or bf16 in f32 have bits enough that rounding twice is rounding once; others are rounded to odd
 * first. */

INLINE uint32_t to_f16(float x)
{
    uint32_t u = num_f32_bits(x), s = u >> 16 & 0x8000; u &= 0x7fffffff;
    uint32_t small = num_f32_bits(num_bits_f32(u) + 0.5f) - 0x3f000000;      /* below 2^-14: the addition rounds */
    uint32_t norm = (u - (112u << 23) + 0xfff + (u >> 13 & 1)) >> 13;
    uint32_t r = pick32(u >= 0x477ff000, 0x7c00, pick32(u < 0x38800000, small, norm));
    return pick32(u > 0x7f800000, NUM_NAN16, r | s);
}
INLINE uint32_t to_bf16(float x)
{
    uint32_t u = num_f32_bits(x), r = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (u & 0x7fffffff) > 0x7f800000 ? NUM_NAN16 : r;
}
/* The sum of p and c rounded to odd: rounded to nearest, then moved to the odd neighbour by the sign of the error
 * (which is exact, or a NaN where the sum is no number) */
INLINE float odd_sum(float p, float c)
{
    float s = p + c, t = s - p, e = (p - (s - t)) + (c - t);
    uint32_t u = num_f32_bits(s), away = u ^ num_f32_bits(e);
    uint32_t odd = pick32(away >> 31, u - 1, u | 1);
    return num_bits_f32(pick32(((e < 0) | (e > 0)) & ~u & 1, odd, u));
}
/* x rounded to odd */
INLINE float odd_f32(double x)
{
    float s = (float)x; double e = x - (double)s;
    uint32_t u = num_f32_bits(s), below = (e < 0) ^ (u >> 31);      /* the magnitude of x is below that of s */
    uint32_t odd = pick32(below, u - 1, u | 1), m = u & 0x7fffffff;
    return num_bits_f32(pick32(((e < 0) | (e > 0)) & ~u & (m != 0) & (m < 0x7f800000), odd, u));
}
/* a * b + c: the products are exact, of f16 in f32, of bf16 in f64 */
INLINE float fma_odd_f16(float a, float b, float c) { return odd_sum(a * b, c); }
INLINE float fma_odd_bf16(float a, float b, float c)
{
    double p = (double)a * (double)b, s = p + (double)c, t = s - p, e = (p - (s - t)) + ((double)c - t);
    uint64_t u = num_f64_bits(s), away = (u ^ num_f64_bits(e)) >> 63;
    uint64_t move = (uint64_t)((e < 0) | (e > 0)) & ~u & 1;
    return odd_f32(num_bits_f64(u + (move & ~away) - (move & away)));
}

INLINE uint32_t ftz16(uint32_t h, uint32_t keep) { return pick32((h & 0x7c00) == 0, h & keep, h); }
#define FROM_f16(h) alu_f16(ftz16(h, keep))
#define FROM_bf16(h) alu_bf16(h)
#define TO_f16(x) ftz16(to_f16(clamp16(x, how)), keep)
#define TO_bf16(x) to_bf16(clamp16(x, how))
INLINE float clamp16(float x, uint32_t how)
{
    uint32_t u = num_f32_bits(x);
    uint32_t sat = pick32(x > 0, pick32(x > 1, 0x3f800000, u), 0), relu = pick32((x > 0) | (x != x), u, 0);
    u = pick32(how & FS_SAT ? 1 : 0, sat, u);
    return num_bits_f32(pick32(how & FS_RELU ? 1 : 0, relu, u));
}
/* One handler for a single element and one for a pair */
#define PLAIN_LANES(d, v) LANES({ (d)[l] = v; })
#define HALF(H, LOOP, name, fmt, n, expr) \
    INLINE uint32_t e_##name##_##fmt(uint32_t a_, uint32_t b_, uint32_t c_, uint32_t keep, uint32_t how) { \
        const float a = FROM_##fmt(a_), b = FROM_##fmt(b_), c = FROM_##fmt(c_); \
        (void)a; (void)b; (void)c; (void)keep; (void)how; return expr; } \
    H static int x_##name##_##fmt(ALU_ARGS) { \
        u32 *d = R_u32(w, &i->op[0]);                                                                                 \
        const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[n > 1 ? 2 : 1]),                                     \
                  *c = R_u32(w, &i->op[n > 2 ? 3 : 1]);                                                               \
        KEEP; const uint32_t how = i->f[F_SAT]; \
        LOOP(d, (e_##name##_##fmt(a[l], b[l], c[l], keep, how))) return X_NEXT; } \
    H static int x_##name##_##fmt##x2(ALU_ARGS) { \
        u32 *d = R_u32(w, &i->op[0]);                                                                                 \
        const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[n > 1 ? 2 : 1]),                                     \
                  *c = R_u32(w, &i->op[n > 2 ? 3 : 1]);                                                               \
        KEEP; const uint32_t how = i->f[F_SAT]; \
        LOOP(d, (e_##name##_##fmt(a[l] & 0xffff, b[l] & 0xffff, c[l] & 0xffff, keep, how) | \
                 e_##name##_##fmt(a[l] >> 16, b[l] >> 16, c[l] >> 16, keep, how) << 16)) \
        return X_NEXT; }
/* Without .ftz, .sat and .relu */
#define QUICK(name, n, fmt) HOT static int x_##name##_##fmt##x2_quick(ALU_ARGS) { \
        u32 *d = R_u32(w, &i->op[0]);                                                                                 \
        const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[2]), *c = R_u32(w, &i->op[n]);                       \
        WIDE_LANES(d, (e_##name##_##fmt(a[l] & 0xffff, b[l] & 0xffff, c[l] & 0xffff, 0xffff, 0) | \
                       e_##name##_##fmt(a[l] >> 16, b[l] >> 16, c[l] >> 16, 0xffff, 0) << 16)) \
        return X_NEXT; }
#define WIDE(name, fmt, n, expr) HALF(HOT, WIDE_LANES, name, fmt, n, expr)
#define BOTH(name, n, expr) WIDE(name, f16, n, TO_f16(expr)) WIDE(name, bf16, n, TO_bf16(expr))
BOTH(hadd, 2, a + b)
BOTH(hsub, 2, a - b)
BOTH(hmul, 2, a * b)
WIDE(hfma, f16, 3, TO_f16(fma_odd_f16(a, b, c)))
WIDE(hfma, bf16, 3, TO_bf16(fma_odd_bf16(a, b, c)))
BOTH(hminmax, 2, minmax_f(a, b, how & ~(uint32_t)(FS_SAT | FS_RELU)))
BOTH(hex2, 1, odd_f32(exp2_near((double)a)))
HALF(COLD, PLAIN_LANES, htanh, f16, 1, TO_f16(odd_f32(tanh((double)a))))
HALF(COLD, PLAIN_LANES, htanh, bf16, 1, TO_bf16(odd_f32(tanh((double)a))))
WIDE(habs, f16, 1, ftz16(a_, keep) & 0x7fff)
WIDE(habs, bf16, 1, a_ & 0x7fff)
WIDE(hneg, f16, 1, ftz16(a_, keep) ^ 0x8000)
WIDE(hneg, bf16, 1, a_ ^ 0x8000)
QUICK(hadd, 2, f16) QUICK(hsub, 2, f16) QUICK(hmul, 2, f16) QUICK(hfma, 3, f16)
QUICK(hadd, 2, bf16) QUICK(hsub, 2, bf16) QUICK(hmul, 2, bf16) QUICK(hfma, 3, bf16)
#define HROW(name) { x_##name##_f16, x_##name##_f16x2, x_##name##_bf16, x_##name##_bf16x2 }
static int half_index(ptx_type t)
{
    return t == PT_F16 ? 0 : t == PT_F16X2 ? 1 : t == PT_BF16 ? 2 : t == PT_BF16X2 ? 3 : -1;
}

/* ---- Decoders ---- */

/* .ftz: the bits of a subnormal that stay */
static void opt_ftz(alu_dec *x)
{
    ptx_type t = x->t[0];
    int h = half_index(t);
    if (h >= 2 || t == PT_F64) { x->i->f[F_KEEP] = ~0u; return; }
    x->i->f[F_KEEP] = !alu_opt(x, "ftz") ? ~0u : h >= 0 ? 0x8000 : 0x80000000;
}
static int finish(alu_dec *x, const char *sig) { return alu_words(x) || alu_operands(x, sig) ? -1 : 0; }
#define BAD_TYPES ALU_FAIL(x, "these types are not supported")

ALU_DECODER(alu_float_arith)
{
    static const emu_exec plain[4][2] = { { x_add_f32, x_add_f64 }, { x_sub_f32, x_sub_f64 }, { x_mul_f32, x_mul_f64 },
                                          { x_fma_f32, x_fma_f64 } };
    static const emu_exec general[4][2] = { { x_add_f32g, x_add_f32x2 }, { x_sub_f32g, x_sub_f32x2 },
                                            { x_mul_f32g, x_mul_f32x2 }, { x_fma_f32g, x_fma_f32x2 } };
    static const emu_exec half[4][4] = { HROW(hadd), HROW(hsub), HROW(hmul), HROW(hfma) };
    static const emu_exec quick[4][2] = { { x_hadd_f16x2_quick, x_hadd_bf16x2_quick },
                                          { x_hsub_f16x2_quick, x_hsub_bf16x2_quick },
        { x_hmul_f16x2_quick, x_hmul_bf16x2_quick }, { x_hfma_f16x2_quick, x_hfma_bf16x2_quick } };
    ALU_BEGIN(x);
    const char *word = i->mod[0];
    int op = word[0] == 'a' ? OP_ADD : word[0] == 's' ? OP_SUB : !strcmp(word, "mul") ? OP_MUL : OP_FMA;
    int three = op == OP_FMA, r = alu_round(x);
    if (!x->nt) return ALU_FAIL(x, "a type is needed");
    ptx_type t = x->t[0];
    opt_ftz(x);
    if (r == 99) return ALU_FAIL(x, "two roundings");
    if (three && r < 0) return ALU_FAIL(x, "a rounding (.rn .rz .rm .rp) is needed");
    i->f[F_SAT] = 0; i->f[F_ROUND] = r < 0 ? NUM_RN : (uint32_t)r; i->f[F_OP] = (uint32_t)op; i->f[F_NARROW] = 0;
    int h = half_index(t);
    char l = alu_letter(t), sig[5] = { l, l, l, three ? l : 0, 0 };
    if (h >= 0) {
        if (!strcmp(word, "mad")) return BAD_TYPES;
        if (x->nt != 1) return BAD_TYPES;
        if (r > 0) return ALU_FAIL(x, "f16 and bf16 round to nearest only (.rn)");
        if (alu_opt(x, "oob"))
            return ALU_FAIL(x, ".oob is not supported: which NaN stands for out of bounds is not documented");
        if (h < 2 && alu_opt(x, "sat")) i->f[F_SAT] |= FS_SAT;
        if (three && alu_opt(x, "relu")) i->f[F_SAT] |= FS_RELU;
        if (i->f[F_SAT] == (FS_SAT | FS_RELU)) return ALU_FAIL(x, ".sat and .relu exclude each other");
        i->exec = (h == 1 || h == 3) && !i->f[F_SAT] && i->f[F_KEEP] >= 0xffff ? quick[op][h / 2] : half[op][h];
        return finish(x, sig);
    }
    if (t == PT_F64) {
        if (x->nt != 1) return BAD_TYPES;
        i->exec = r > 0 ? x_round_f64 : plain[op][1];
        return finish(x, sig);
    }
    if (t == PT_F32X2) {
        if (x->nt != 1 || !strcmp(word, "mad")) return BAD_TYPES;
        i->exec = r > 0 ? x_round_f32x2 : general[op][1];
        return finish(x, sig);
    }
    if (t != PT_F32) return BAD_TYPES;
    if (alu_opt(x, "sat")) i->f[F_SAT] = FS_SAT;
    if (x->nt == 2 && (x->t[1] == PT_F16 || x->t[1] == PT_BF16)
        && (op == OP_ADD || op == OP_SUB || !strcmp(word, "fma"))) {
        /* add.f32.f16 d, a, c; fma.f32.f16 d, a, b, c: all but the last source are narrow */
        if (i->f[F_KEEP] != ~0u) return ALU_FAIL(x, ".ftz is not supported with a narrow source");
        i->f[F_NARROW] = x->t[1] == PT_F16 ? 1 : 2;
        sig[1] = alu_letter(x->t[1]);
        if (three) sig[2] = sig[1];
        i->exec = x_round_f32;
        return finish(x, sig);
    }
    if (x->nt != 1) return BAD_TYPES;
    i->exec = r > 0 ? x_round_f32 : i->f[F_KEEP] != ~0u || i->f[F_SAT] ? general[op][0] : plain[op][0];
    return finish(x, sig);
}

ALU_DECODER(alu_float_minmax)
{
    static const emu_exec half[4] = HROW(hminmax);
    ALU_BEGIN(x);
    int max = i->mod[0][1] == 'a';
    if (x->nt != 1) return BAD_TYPES;
    ptx_type t = x->t[0];
    int h = half_index(t);
    opt_ftz(x);
    i->f[F_SAT] = max ? FM_MAX : 0;
    if (t == PT_F64) { i->exec = max ? x_max_f64 : x_min_f64; return finish(x, "FFF"); }
    if (t != PT_F32 && h < 0) return BAD_TYPES;
    if (alu_opt(x, "NaN")) i->f[F_SAT] |= FM_NAN;
    if (alu_opt(x, "xorsign")) i->f[F_SAT] |= FM_XORSIGN;
    if (alu_opt(x, "abs")) i->f[F_SAT] |= FM_ABS;
    int three = t == PT_F32 && i->nop == 4;
    if (!(i->f[F_SAT] & FM_XORSIGN) != !(i->f[F_SAT] & FM_ABS) && !(three && i->f[F_SAT] & FM_ABS))
        return ALU_FAIL(x, ".xorsign and .abs go together");
    if (three && i->f[F_SAT] & FM_XORSIGN) return ALU_FAIL(x, "three sources and .xorsign exclude each other");
    char l = alu_letter(t), sig[5] = { l, l, l, three ? l : 0, 0 };
    if (h >= 0) i->exec = half[h];
    else if (three) i->exec = x_minmax3_f32;
    else if ((i->f[F_SAT] & ~(uint32_t)FM_MAX) == 0 && i->f[F_KEEP] == ~0u) i->exec = max ? x_max_f32 : x_min_f32;
    else i->exec = x_minmax_f32;
    return finish(x, sig);
}

ALU_DECODER(alu_float_sign)
{
    static const emu_exec half[2][4] = { HROW(habs), HROW(hneg) };
    ALU_BEGIN(x);
    int neg = i->mod[0][0] == 'n';
    if (x->nt != 1) return BAD_TYPES;
    ptx_type t = x->t[0];
    int h = half_index(t);
    if (h < 0 && t != PT_F32 && t != PT_F64) return BAD_TYPES;
    opt_ftz(x);
    i->f[F_SAT] = 0;
    i->exec = h >= 0 ? half[neg][h] : t == PT_F32 ? (neg ? x_neg_f32 : x_abs_f32) : neg ? x_neg_f64 : x_abs_f64;
    char l = alu_letter(t), sig[3] = { l, l, 0 };
    return finish(x, sig);
}

ALU_DECODER(alu_float_div)
{
    ALU_BEGIN(x);
    int r = alu_round(x);
    if (x->nt != 1 || (x->t[0] != PT_F32 && x->t[0] != PT_F64)) return BAD_TYPES;
    opt_ftz(x);
    int f = x->t[0] == PT_F32, approx = f && alu_opt(x, "approx"), full = f && alu_opt(x, "full");
    if (r == 99 || (r >= 0) + approx + full != 1)
        return ALU_FAIL(x, f ? "needs one of .approx .full .rn .rz .rm .rp" : "needs one of .rn .rz .rm .rp");
    i->f[F_SAT] = 0; i->f[F_ROUND] = r < 0 ? NUM_RN : (uint32_t)r; i->f[F_OP] = OP_DIV; i->f[F_NARROW] = 0;
    if (f) i->exec = approx ? x_div_approx_f32 : r > 0 ? x_round_f32 : x_div_rn_f32;
    else i->exec = r > 0 ? x_round_f64 : x_div_rn_f64;
    return finish(x, f ? "fff" : "FFF");
}

ALU_DECODER(alu_float_unary)
{
    static const struct { const char *op; emu_exec approx, rn; uint32_t code; } f32_ops[] = {
        { "rcp", x_rcp_f32, x_rcp_f32, OP_RCP }, { "sqrt", x_sqrt_f32, x_sqrt_f32, OP_SQRT },
        { "rsqrt", x_rsqrt_f32, NULL, 0 }, { "sin", x_sin_f32, NULL, 0 }, { "cos", x_cos_f32, NULL, 0 },
        { "lg2", x_lg2_f32, NULL, 0 }, { "ex2", x_ex2_f32, NULL, 0 },
        { "tanh", x_tanh_f32, NULL, 0 } };
    static const emu_exec half[2][4] = { HROW(hex2), HROW(htanh) };
    ALU_BEGIN(x);
    const char *op = i->mod[0];
    if (x->nt != 1) return BAD_TYPES;
    ptx_type t = x->t[0];
    int r = alu_round(x), approx = alu_opt(x, "approx"), h = half_index(t);
    i->f[F_SAT] = 0; i->f[F_ROUND] = r < 0 ? NUM_RN : (uint32_t)r; i->f[F_NARROW] = 0; i->f[F_KEEP] = ~0u;
    if (r == 99 || (r >= 0) + approx != 1) return ALU_FAIL(x, "needs .approx or one rounding");
    if (h >= 0) {
        int ex2 = !strcmp(op, "ex2");
        if (r >= 0 || (!ex2 && strcmp(op, "tanh")))
            return ALU_FAIL(x, "this combination of modifiers and types is not supported");
        /* ex2.approx.ftz.bf16 is the only form for bf16; 2^x of a subnormal is 1 with and without .ftz, results are
         * f16's own */
        if (ex2 && h >= 2 && !alu_opt(x, "ftz")) return ALU_FAIL(x, "bf16 needs .ftz");
        char l = alu_letter(t), sig[3] = { l, l, 0 };
        i->exec = half[!ex2][h];
        return finish(x, sig);
    }
    if (t == PT_F64) {
        i->f[F_OP] = op[0] == 's' ? OP_SQRT : OP_RCP;
        int is_rcp = !strcmp(op, "rcp"), is_rsqrt = !strcmp(op, "rsqrt"), is_sqrt = !strcmp(op, "sqrt");
        if (r >= 0 && (is_rcp || is_sqrt)) i->exec = r > 0 ? x_round_f64 : is_rcp ? x_rcp_rn_f64 : x_sqrt_rn_f64;
        else if (approx && is_rcp && alu_opt(x, "ftz")) i->exec = x_rcp_approx_f64;
        else if (approx && is_rsqrt) i->exec = alu_opt(x, "ftz") ? x_rsqrt_approx_f64 : x_rsqrt_f64;
        else return ALU_FAIL(x, "this combination of modifiers and types is not supported");
        return finish(x, "FF");
    }
    if (t != PT_F32) return BAD_TYPES;
    if (strcmp(op, "tanh")) opt_ftz(x);
    for (size_t k = 0; k < sizeof f32_ops / sizeof *f32_ops; k++)
        if (!strcmp(op, f32_ops[k].op)) {
            if (r >= 0 && !f32_ops[k].rn) return ALU_FAIL(x, "only .approx is there");
            i->f[F_OP] = f32_ops[k].code;
            i->exec = approx ? f32_ops[k].approx : r > 0 ? x_round_f32 : f32_ops[k].rn;
            return finish(x, "ff");
        }
    return ALU_FAIL(x, "not an instruction");
}

ALU_DECODER(alu_copysign)
{
    ALU_BEGIN(x);
    if (x->nt != 1 || (x->t[0] != PT_F32 && x->t[0] != PT_F64)) return BAD_TYPES;
    i->exec = x->t[0] == PT_F32 ? x_copysign_f32 : x_copysign_f64;
    return finish(x, x->t[0] == PT_F32 ? "fff" : "FFF");
}

ALU_DECODER(alu_testp)
{
    ALU_BEGIN(x);
    if (x->nt != 1 || (x->t[0] != PT_F32 && x->t[0] != PT_F64)) return BAD_TYPES;
    int test = -1;
    for (int k = 0; k < 6; k++) if (alu_opt(x, classes[k])) test = test < 0 ? k : 99;
    if (test < 0 || test == 99)
        return ALU_FAIL(x, "needs one of .finite .infinite .number .notanumber .normal .subnormal");
    i->f[0] = (uint32_t)test; i->f[1] = x->t[0] == PT_F64;
    i->exec = x_testp;
    return finish(x, x->t[0] == PT_F32 ? "pf" : "pF");
}
