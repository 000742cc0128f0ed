/* matrix_ref.c - number formats and the reference product of the matrix tests. See matrix.h */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "matrix.h"

static const struct { const char *word; int bits, ebits, mbits, bias, specials; } format[] = {
    /* specials: 1 as IEEE 754, 2 only all ones is NaN, 0 none */
    [MX_F16] = { "f16", 16, 5, 10, 15, 1 }, [MX_BF16] = { "bf16", 16, 8, 7, 127, 1 },
        [MX_TF32] = { "tf32", 32, 8, 23, 127, 1 },
    [MX_F32] = { "f32", 32, 8, 23, 127, 1 }, [MX_F64] = { "f64", 64, 11, 52, 1023, 1 },
    [MX_E4M3] = { "e4m3", 8, 4, 3, 7, 2 },
    [MX_E5M2] = { "e5m2", 8, 5, 2, 15, 1 }, [MX_E3M2] = { "e3m2", 6, 3, 2, 3, 0 },
    [MX_E2M3] = { "e2m3", 6, 2, 3, 1, 0 },
    [MX_E2M1] = { "e2m1", 4, 2, 1, 1, 0 }, [MX_UE8M0] = { "ue8m0", 8, 0, 0, 0, 0 },
    [MX_UE4M3] = { "ue4m3", 8, 4, 3, 7, 2 }, [MX_UE5M3] = { "ue5m3", 8, 5, 3, 15, 2 },
    [MX_S8] = { "s8", 8, 0, 0, 0, 0 }, [MX_U8] = { "u8", 8, 0, 0, 0, 0 }, [MX_S4] = { "s4", 4, 0, 0, 0, 0 },
    [MX_U4] = { "u4", 4, 0, 0, 0, 0 },
    [MX_B1] = { "b1", 1, 0, 0, 0, 0 }, [MX_TI16] = { "ti16", 16, 0, 0, 0, 0 },
    [MX_S32] = { "s32", 32, 0, 0, 0, 0 },
};

mx_type mx_type_of(const char *w, size_t n)
{
    for (int t = MX_F16; t <= MX_S32; t++)
        if (strlen(format[t].word) == n && !strncmp(format[t].word, w, n)) return (mx_type)t;
    return MX_NONE;
}
int mx_types(const char *s, mx_type *t, int max)
{
    int n = 0;
    for (;; s++) {
        size_t len = strcspn(s, ".");
        mx_type x = mx_type_of(s, len);
        if (x && n < max) t[n++] = x;
        s += len;
        if (!*s) return n;
    }
}
int mx_bits(mx_type t) { return format[t].bits; }
int mx_is_int(mx_type t) { return t >= MX_S8; }

double mx_value(mx_type t, uint64_t code)
{
    int bits = format[t].bits;
    if (bits < 64) code &= (1ull << bits) - 1;
    switch (t) {
    case MX_S8: return (int8_t)code;
    case MX_S4: return (double)((int64_t)(code << 60) >> 60);
    case MX_S32: return (int32_t)code;
    case MX_TI16: return code >> 15 ? -(double)(code & 2047) : (double)(code & 2047);
    case MX_U8: case MX_U4: case MX_B1: return (double)code;
    case MX_UE8M0: return code == 255 ? NAN : ldexp(1, (int)code - 127);
    default: break;
    }
    int eb = format[t].ebits, mb = format[t].mbits;
    uint64_t frac = code & ((1ull << mb) - 1), exp = code >> mb & ((1ull << eb) - 1);
    double sign = t != MX_UE4M3 && code >> (mb + eb) & 1 ? -1 : 1;
    uint64_t top = (1ull << eb) - 1;
    if (format[t].specials == 1 && exp == top) return frac ? NAN : sign * INFINITY;
    if (format[t].specials == 2 && exp == top && frac == (1ull << mb) - 1) return NAN;
    if (!exp) return sign * ldexp((double)frac, 1 - format[t].bias - mb);
    return sign * ldexp((double)(frac | 1ull << mb), (int)exp - format[t].bias - mb);
}
uint64_t mx_encode(mx_type t, double v)
{
    if (t == MX_TI16) return (uint64_t)fabs(v) | (uint64_t)(v < 0) << 15;
    if (mx_is_int(t)) return (uint64_t)(int64_t)v & ((1ull << format[t].bits) - 1);
    if (t == MX_UE8M0) return (uint64_t)(ilogb(v) + 127);
    int eb = format[t].ebits, mb = format[t].mbits;
    uint64_t sign = (uint64_t)!!signbit(v) << (eb + mb), top = (1ull << eb) - 1;
    if (isnan(v)) return format[t].specials == 1 ? top << mb | 1ull << (mb - 1) : (1ull << (eb + mb)) - 1;
    if (isinf(v)) return sign | top << mb;
    if (v == 0) return sign;
    int e = ilogb(v), min = 1 - format[t].bias;
    if (e < min) return sign | (uint64_t)ldexp(fabs(v), mb - min);
    return sign | (uint64_t)(e + format[t].bias) << mb | ((uint64_t)ldexp(fabs(v), mb - e) & ((1ull << mb) - 1));
}

static int has_inf(mx_type t) { return !mx_is_int(t) && format[t].specials == 1; }
static int has_nan(mx_type t) { return !mx_is_int(t) && format[t].specials; }

uint64_t mx_random(mx_type t, mx_type acc, int round)
{
    int bits = format[t].bits;
    uint64_t all = bits < 64 ? (1ull << bits) - 1 : ~0ull;
    if (t == MX_TI16)
        return mx_encode(t, round == MX_EXACT ? isa_int(-3, 3) : round == MX_SPECIAL && isa_int(0, 3)
                         ? (isa_int(0, 3) ? 2047 : -2047) : isa_int(-2047, 2047));
    if (mx_is_int(t)) {
        if (t == MX_B1) return isa_random() >> 7 & 1;
        if (round == MX_EXACT) return (uint64_t)isa_int(t == MX_U8 || t == MX_U4 ? 0 : -3, 3) & all;
        if (round == MX_SPECIAL && isa_int(0, 3)) return t == MX_S8 || t == MX_S4 ? 1ull << (bits - 1) : all;
        return isa_random() >> 9 & all;
    }
    if (round == MX_EXACT) return mx_encode(t, isa_int(-3, 3));
    if (round == MX_SPECIAL && has_inf(t) && !isa_int(0, 199))
        return mx_encode(t, isa_int(0, 1) ? INFINITY : -INFINITY);
    if (round == MX_SPECIAL && has_nan(t) && !isa_int(0, 199)) return mx_encode(t, NAN);
    /* f64: 40 bits of mantissa, so that _Float128 holds the sums exactly */
    if (t == MX_F64)
        return mx_encode(t, ldexp((double)(isa_random() >> 24), isa_int(-48, -34)) * (isa_int(0, 1) ? 1 : -1));
    /* products of f16 accumulators must stay far below 65504 */
    double max = acc == MX_F16 ? (bits == 16 ? 4 : 2) : bits >= 16 ? 256 : INFINITY;
    if (bits < 8) max = INFINITY;
    /* but here some are large, and all positive */
    int overflow = acc == MX_F16 && round == MX_SPECIAL && bits >= 8 && !isa_int(0, 7);
    if (overflow) max = bits >= 16 ? 2048 : INFINITY;
    /* zero, subnormal */
    if (bits >= 16 && !isa_int(0, 19))
        return isa_random() & 1 ? 0 : (isa_random() >> 5 & ((1ull << format[t].mbits) - 1)) & (t == MX_TF32 ? ~0x1fffull
            : ~0ull);
    for (;;) {
        uint64_t code = isa_random() >> 11 & all;
        if (t == MX_TF32) code &= ~0x1fffull;
        double v = fabs(mx_value(t, code));
        if (acc == MX_F16 && round == MX_SPECIAL) code &= all >> 1;
        if (isfinite(v) && v <= max && v >= (overflow ? 64 : bits < 16 ? 0 : max * 0x1p-20)) return code;
    }
}
uint64_t mx_random_acc(mx_type t, int round)
{
    if (t == MX_S32) {
        if (round == MX_EXACT) return (uint32_t)isa_int(-50, 50);
        if (round == MX_WIDE) return (uint32_t)isa_int(-100000, 100000);
        return isa_int(0, 1) ? 0x7fffffffu - (uint32_t)isa_int(0, 300) : 0x80000000u + (uint32_t)isa_int(0, 300);
    }
    if (round == MX_EXACT) return mx_encode(t, isa_int(-50, 50));
    if (round == MX_SPECIAL && !isa_int(0, 19))
        return mx_encode(t, isa_int(0, 1) ? NAN : isa_int(0, 1) ? INFINITY : -INFINITY);
    return mx_random(t, t, MX_WIDE);
}
uint64_t mx_random_scale(mx_type t, int round)
{
    if (round == MX_EXACT) return t == MX_UE8M0 ? (uint64_t)isa_int(126, 129) : mx_encode(t, isa_int(1, 4));
    if (round == MX_SPECIAL && !isa_int(0, 7)) return t == MX_UE8M0 || t == MX_UE5M3 ? 255 : 127;
    return t == MX_UE8M0 ? (uint64_t)isa_int(110, 140) : (uint64_t)isa_int(0, t == MX_UE5M3 ? 254 : 126);
}

mx_product_t *mx_new(int m, int n, int k, int vec)
{
    size_t count = (size_t)(m * k + k * n + m * n + (m + n) * vec);
    mx_product_t *p = calloc(1, sizeof *p + count * sizeof(double));
    p->m = m; p->n = n; p->k = k; p->vec = vec;
    p->A = (double *)(p + 1); p->B = p->A + m * k; p->C = p->B + k * n;
    if (vec) { p->SA = p->C + m * n; p->SB = p->SA + m * vec; }
    return p;
}

/* Bounds. Products are exact. An f32 accumulation aligns the addends of a group to the largest and may truncate each,
 * so an addend costs up to 2^-23 of the largest intermediate, which the sum of magnitudes bounds: (K + 2) * 2^-23 *
 * sum|products, C|.
 * The fp8 units of sm_89 and sm_90 keep 13 bits instead of 23 below the largest addend.
 * An f16 accumulator is besides rounded to 11 bits once for each group of at least four products. */
void mx_product(const mx_product_t *p, mx_expect *e)
{
    for (int i = 0; i < p->m; i++) for (int j = 0; j < p->n; j++, e++) {
        double c = p->C[i * p->n + j], sum = c, mag = fabs(c);
        _Float128 exact = c;
        for (int k = 0; k < p->k; k++) {
            double a = p->A[i * p->k + k], b = p->B[k * p->n + j];
            if (a == MX_ABSENT) continue;
            if (p->b1) { sum += p->b1 == 'x' ? a != b : a == 1 && b == 1; continue; }
            if (p->vec) { a *= p->SA[i * p->vec + k * p->vec / p->k]; b *= p->SB[k * p->vec / p->k * p->n + j]; }
            sum += a * b; mag += fabs(a * b);
            if (p->d == MX_F64) exact += (_Float128)a * b;
        }
        if (p->d == MX_S32) {
            if (p->sat) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            else sum = (int32_t)(uint32_t)(uint64_t)(int64_t)sum;
        }
        e->lo = e->hi = sum;
        int fp8 = !isa_emulated && (p->a == MX_E4M3 || p->a == MX_E5M2);
        /* sm_90 to sm_110 have no such mma: ptxas makes two of f16, and one half of k may overflow to the other
         * infinity */
        if (fp8 && p->d == MX_F16 && isa_sm >= 90 && isa_sm < 120 && isinf(sum)) {
            e->lo = INFINITY;
            e->hi = -INFINITY;
            continue;
        }
        if (isnan(sum) || isinf(sum) || mx_is_int(p->d) || p->round == MX_EXACT) continue;
        double bound;
        if (p->d == MX_F64) {
            /* as many roundings as products; directed ones all err to the same side */
            double at = (double)exact, err = (p->k + 1) * 0x1p-52 * mag;
            e->lo = at - err; e->hi = at + err;
            if (p->rnd == 'p') e->lo = (_Float128)at < exact ? nextafter(at, INFINITY) : at;
            if (p->rnd == 'm') e->hi = (_Float128)at > exact ? nextafter(at, -INFINITY) : at;
            continue;
        }
        bound = (p->k + 2) * (fp8 && isa_sm < 100 ? 0x1p-13 : 0x1p-23) * mag + p->k * 0x1p-149;
        if (p->d == MX_F16) bound += (p->k / 4 + 1) * (0x1p-11 * mag + 0x1p-25);
        e->lo = sum - bound; e->hi = sum + bound;
        /* beyond 65504 an f16 is infinite; sums that pass there on the way may end anywhere */
        if (p->d == MX_F16 && mag + bound >= 65520) {
            e->lo = INFINITY; e->hi = fabs(sum) == mag && mag - bound >= 65520 ? INFINITY : -INFINITY;
            if (e->hi > 0 && sum < 0) e->lo = e->hi = -INFINITY;
        }
    }
}
int mx_good(mx_expect e, double v) { return e.lo > e.hi || (isnan(e.lo) ? isnan(v) : v >= e.lo && v <= e.hi); }

uint32_t mx_metadata(int kind, int ordered, int *pos)
{
    if (kind == 1) { pos[0] = isa_int(0, 1); return pos[0] ? 0xe : 0x4; }
    pos[0] = isa_int(0, 3);
    do pos[1] = isa_int(0, 3); while (pos[1] == pos[0]);
    if (ordered && pos[0] > pos[1]) { int t = pos[0]; pos[0] = pos[1]; pos[1] = t; }
    return (uint32_t)(pos[0] | pos[1] << 2);
}

/* A unit of 16 bytes is T elements. K-major: 8 rows of a unit (of a swizzle width) make a group; sbo steps to the next
 * 8 rows, lbo, without swizzle only, to the next unit along k. MN-major: 8 values of k make a group of units (widths)
 *   along mn; with a swizzle lbo steps to the next
 * width along mn and sbo to the next 8 k, without one it is the other way round. Then the swizzle: of the address, the
 * unit number within a width is XORed with the row number within the pattern (atoms of 32 bytes: 4 values of k to a
 * group); base counts in rows where the pattern starts. */
uint32_t mx_smem_at(const mx_smem *s, int mn, int k)
{
    uint32_t w = (uint32_t)s->swizzle, a, i = (uint32_t)mn, j = (uint32_t)k;
    if (!s->mn_major) {
        uint32_t b = j * (uint32_t)s->bits / 8;
        if (s->second && s->start % 128 + b >= 128) b += s->second - s->start / 128 * 128 - 128;
        a = w ? i % 8 * w + i / 8 * s->sbo + b : i % 8 * 16 + i / 8 * s->sbo + b / 16 * s->lbo + b % 16;
    } else {
        uint32_t b = i * (uint32_t)s->bits / 8;
        uint32_t g = s->atom32 ? 4 : 8;
        a = w ? b % w + b / w * s->lbo + j % g * w + j / g * s->sbo
            : b % 16 + b / 16 * s->sbo + j % 8 * 16 + j / 8 * s->lbo;
    }
    a += s->start;
    uint32_t row = (a >> 7) - s->base;
    if (s->atom32) return a ^ (row & 3) << 5;
    return w ? a ^ (row & (w / 16 - 1)) << 4 : a;
}
mx_smem mx_smem_layout(int mn, int k, int bits, int mn_major, int swizzle, uint32_t *top)
{
    mx_smem s = { .mn_major = mn_major, .bits = bits };
    uint32_t kb = (uint32_t)(k * bits / 8), mnb = (uint32_t)(mn * bits / 8), groups, units;
    static const int widths[] = { 0, 32, 64, 128 };
    do s.swizzle = swizzle >= 0 ? swizzle : widths[isa_int(0, 3)];
    while (swizzle < 0 && !mn_major && s.swizzle && (uint32_t)s.swizzle < kb);
    uint32_t w = (uint32_t)s.swizzle, size;
    if (w) {
        uint32_t pattern = 8 * w, inner = 0;
        *top = (*top + 1023) & ~1023u;
        /* the pattern need not start at a multiple of its size */
        if (isa_int(0, 3) == 0) {
            s.start = (uint32_t)isa_int(1, (int)(pattern / 128)) * 128;
            s.base = (*top + s.start) >> 7 & 7;
        }
        s.start += *top;
        groups = mn_major ? (uint32_t)k / 8 : (uint32_t)(mn + 7) / 8;
        units = mn_major ? (mnb + w - 1) / w : 1;
        /* which of the strides is the larger one */
        int gap = groups * units <= 8 && isa_int(0, 1);
        uint32_t near_ = pattern * (uint32_t)(1 + gap);
        if (!mn_major || isa_int(0, 1)) { s.lbo = near_; s.sbo = units * near_ + (uint32_t)gap * pattern; }
        else { s.sbo = near_; s.lbo = groups * near_ + (uint32_t)gap * pattern; }
        size = (groups - 1) * s.sbo + (units - 1) * s.lbo + pattern;
        /* a K-major tile may begin further along a row */
        if (!mn_major && w > kb) inner = (uint32_t)isa_int(0, (int)(w / kb) - 1) * kb;
        if (!mn_major) s.lbo = 16;
        s.start += inner;
        *top = s.start - inner + size;
    } else {
        uint32_t gap1 = (uint32_t)isa_int(0, 2) * 16, gap2 = (uint32_t)isa_int(0, 2) * 16, near_, far_;
        groups = mn_major ? mnb / 16 : (uint32_t)(mn + 7) / 8;      /* counted by sbo */
        units = mn_major ? (uint32_t)k / 8 : kb / 16;               /* by lbo */
        int lbo_near = isa_int(0, 1);
        near_ = 128 + gap1; far_ = (lbo_near ? units : groups) * near_ + gap2;
        s.lbo = lbo_near ? near_ : far_; s.sbo = lbo_near ? far_ : near_;
        s.start = ((*top + 15) & ~15u) + (uint32_t)isa_int(0, 3) * 16;
        size = (groups - 1) * s.sbo + (units - 1) * s.lbo + 128;
        *top = s.start + size;
    }
    return s;
}
void mx_smem_put(uint8_t *smem, const mx_smem *s, int mn, int k, uint64_t code)
{
    uint8_t *at = smem + mx_smem_at(s, mn, k);
    if (s->bits >= 8) { memcpy(at, &code, (size_t)s->bits / 8); return; }
    int fast = s->mn_major ? mn : k, shift = fast * s->bits % 8, mask = (1 << s->bits) - 1;
    *at = (uint8_t)((*at & ~(mask << shift)) | ((int)code & mask) << shift);
}

int mx_parse_ops(isa_case *c, mx_regs *r)
{
    *r = (mx_regs){ 0 };
    const char *s;
    for (int i = 0; (s = isa_op(c, i)); i++) {
        int k = r->nops++, n;
        char dir[8] = "";
        if (k >= 12) return -1;
        r->op[k].slot = -1; r->op[k].count = 0;
        if (sscanf(s, "imm %119[^\n]", r->op[k].imm) == 1) { r->op[k].dir = 'm'; continue; }
        if (sscanf(s, "%7[a-z]{%dx%7[a-z0-9]}", dir, &n, r->op[k].type) == 3) r->op[k].count = n;
        /* 0: one register, no braces */
        else if (sscanf(s, "%7[a-z] %7[a-z0-9]", dir, r->op[k].type) == 2) r->op[k].count = 0;
        else return -1;
        r->op[k].dir = !strcmp(dir, "in") ? 'i' : !strcmp(dir, "out") ? 'o' : !strcmp(dir, "inout") ? 'b' : 0;
        if (!r->op[k].dir) return -1;
        int *next = r->op[k].dir == 'o' ? &r->nout : &r->nin;
        r->op[k].slot = *next;
        *next += n = r->op[k].count ? r->op[k].count : 1;
    }
    return 0;
}
void mx_emit_regs(isa_case *c, const mx_regs *r, const char *suffix)
{
    isa_begin(c);
    isa_put(c, ".reg .b64 %%pi, %%po;\nmad.wide.u32 %%pi, %%tx, %d, %%in;\nmad.wide.u32 %%po, %%tx, %d, %%out;\n",
            r->nin * 8, r->nout * 8);
    for (int k = 0; k < r->nops; k++) {
        if (r->op[k].dir == 'm') continue;
        int n = r->op[k].count ? r->op[k].count : 1;
        isa_put(c, ".reg .%s %%x%d_<%d>;\n", r->op[k].type, k, n);
        if (r->op[k].dir == 'i') for (int i = 0; i < n; i++)
            isa_put(c, "ld.global.%s %%x%d_%d, [%%pi+%d];\n", r->op[k].type, k, i, (r->op[k].slot + i) * 8);
    }
    isa_put(c, "%s ", c->v->mnemonic);
    for (int k = 0; k < r->nops; k++) {
        if (k) isa_put(c, ", ");
        if (r->op[k].dir == 'm') { isa_put(c, "%s", r->op[k].imm); continue; }
        if (!r->op[k].count) { isa_put(c, "%%x%d_0", k); continue; }
        isa_put(c, "{");
        for (int i = 0; i < r->op[k].count; i++) isa_put(c, "%s%%x%d_%d", i ? "," : "", k, i);
        isa_put(c, "}");
    }
    isa_put(c, "%s;\n", suffix);
    for (int k = 0; k < r->nops; k++)
        if (r->op[k].dir == 'o') for (int i = 0; i < (r->op[k].count ? r->op[k].count : 1); i++)
        isa_put(c, "st.global.%s [%%po+%d], %%x%d_%d;\n", r->op[k].type, (r->op[k].slot + i) * 8, k, i);
    isa_end(c);
}
