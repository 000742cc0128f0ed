/* cvt.c - cvt and cvt.pack: every conversion of the PTX ISA between integers, floats and packed narrow formats.
 * An exec computes all 32 lanes into an array (lanes outside the mask compute garbage that nobody stores), then stores
 * by mask:
 * so a destination may be a source too, and the loops vectorise. */
#include <stdlib.h>
#include "core.h"
#include "num.h"

/* i->f: 0 dtype, 1 atype, 2 rounding, 3 flags, 4 bits of the destination register, 5 bits of the source's lanes: 32 or
 * 64 */
enum { C_FTZ = 4, C_SAT = 8, C_INTEGRAL = 16, C_ROUND = 32, C_RS = 64, C_PZO = 128, C_N1 = 256,
       C_N2 = 512 };                         /* and NUM_SATFINITE, NUM_RELU */

static int is_signed(uint32_t t) { return t == PT_S8 || t == PT_S16 || t == PT_S32 || t == PT_S64; }
static int is_int(uint32_t t) { return is_signed(t) || t == PT_U8 || t == PT_U16 || t == PT_U32 || t == PT_U64; }
static int is_float(uint32_t t) { return t == PT_F16 || t == PT_BF16 || t == PT_F32 || t == PT_F64; }

/* Number of elements and the element's type of a packed type; 0 for the others */
static int packed(uint32_t t, ptx_type *element)
{
    static const struct { uint8_t t, n, e; } p[] = {
        {PT_F16X2, 2, PT_F16}, {PT_BF16X2, 2, PT_BF16}, {PT_E4M3X2, 2, PT_E4M3}, {PT_E5M2X2, 2, PT_E5M2},
        {PT_E3M2X2, 2, PT_E3M2}, {PT_E2M3X2, 2, PT_E2M3}, {PT_E2M1X2, 2, PT_E2M1}, {PT_UE8M0X2, 2, PT_UE8M0},
        {PT_UE5M3X2, 2, PT_UE5M3}, {PT_S2F6X2, 2, PT_S2F6},
        {PT_E4M3X4, 4, PT_E4M3},
        {PT_E5M2X4, 4, PT_E5M2}, {PT_E3M2X4, 4, PT_E3M2}, {PT_E2M3X4, 4, PT_E2M3}, {PT_E2M1X4, 4, PT_E2M1}};
    for (size_t k = 0; k < sizeof p / sizeof *p; k++)
        if (p[k].t == t) { *element = (ptx_type)p[k].e; return p[k].n; }
    return 0;
}
/* Bits that an element takes in a packed register: 6-bit ones lie in bytes */
static int element_bits(ptx_type e) { int n = num_bits(e); return n == 6 ? 8 : n; }

/* ---- Lanes ---- */
static void store32(warp *w, const ptx_opnd *o, const uint32_t *v, uint32_t mask)
{
    uint32_t *d = R32(w, o);
    if (mask == EMU_FULL) memcpy(d, v, 32 * sizeof *v);
    else EMU_EACH(l, mask) d[l] = v[l];
}

static void store64(warp *w, const ptx_opnd *o, const uint64_t *v, uint32_t mask)
{
    uint64_t *d = R64(w, o);
    if (mask == EMU_FULL) memcpy(d, v, 32 * sizeof *v);
    else EMU_EACH(l, mask) d[l] = v[l];
}

/* bits of the destination register: 8, 16, 32, 64; the values fit */
static void store(warp *w, const ptx_instr *i, const uint64_t *v, uint32_t mask)
{
    if (i->f[4] == 64) { store64(w, &i->op[0], v, mask); return; }
    uint32_t t[32];
    for (int l = 0; l < 32; l++) t[l] = (uint32_t)v[l];
    store32(w, &i->op[0], t, mask);
}

static void load(warp *w, const ptx_instr *i, uint64_t *v)
{
    if (i->f[5] == 64) { memcpy(v, R64(w, &i->op[1]), 32 * sizeof *v); return; }
    const uint32_t *a = R32(w, &i->op[1]);
    for (int l = 0; l < 32; l++) v[l] = a[l];
}

/* The low bits of every lane, sign- or zero-extended to 64 */
static void extend(uint64_t *v, int bits, int sign)
{
    int s = 64 - bits;
    if (s == 0) return;
    if (sign) for (int l = 0; l < 32; l++) v[l] = (uint64_t)((int64_t)(v[l] << s) >> s);
    else for (int l = 0; l < 32; l++) v[l] = v[l] << s >> s;
}

/* A result of type dtype, extended to the destination register by its signedness; above the register are zeros */
static void finish_int(const ptx_instr *i, uint64_t *v)
{
    int bits = ptx_type_bits((ptx_type)i->f[0]);
    extend(v, bits, is_signed(i->f[0]));
    if (i->f[4] < 64) extend(v, (int)i->f[4], 0);
}

static void load_float(warp *w, const ptx_instr *i, double *x)
{
    uint64_t v[32];
    load(w, i, v);
    switch (i->f[1]) {
    case PT_F16: for (int l = 0; l < 32; l++) x[l] = num_f16_to_f32((uint16_t)v[l]); break;
    case PT_BF16: for (int l = 0; l < 32; l++) x[l] = num_bf16_to_f32((uint16_t)v[l]); break;
    case PT_F32:
        if (i->f[3] & C_FTZ) for (int l = 0; l < 32; l++) v[l] = num_ftz_bits((uint32_t)v[l]);
        for (int l = 0; l < 32; l++) x[l] = num_bits_f32((uint32_t)v[l]);
        break;
    default: for (int l = 0; l < 32; l++) x[l] = num_bits_f64(v[l]); break;
    }
}

/* x -> dtype, a float of 16 to 64 bits; already exact or to be rounded once */
static void store_float(warp *w, const ptx_instr *i, double *x, uint32_t mask)
{
    uint64_t v[32] = {0};
    num_round r = (num_round)i->f[2];
    int flags = (int)(i->f[3] & (NUM_SATFINITE | NUM_RELU));
    /* 0 and 1 are exact, so this may come first */
    if (i->f[3] & C_SAT) for (int l = 0; l < 32; l++) x[l] = num_sat_f64(x[l]);
    switch (i->f[0]) {
    case PT_F64: for (int l = 0; l < 32; l++) v[l] = num_f64_bits(x[l]); break;
    case PT_F32:
        for (int l = 0; l < 32; l++) v[l] = num_f32_bits(num_f64_to_f32(x[l], r));
        if (i->f[3] & C_FTZ) for (int l = 0; l < 32; l++) v[l] = num_ftz_bits((uint32_t)v[l]);
        break;
    default: EMU_EACH(l, mask) v[l] = num_encode((ptx_type)i->f[0], x[l], r, flags, 0); break;
    }
    store(w, i, v, mask);
}

/* ---- Integer to integer ---- */
static int x_int(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint64_t v[32];
    load(w, i, v);
    int from = is_signed(i->f[1]);
    extend(v, ptx_type_bits((ptx_type)i->f[1]), from);
    if (i->f[3] & C_SAT) {
        int bits = ptx_type_bits((ptx_type)i->f[0]), to = is_signed(i->f[0]);
        uint64_t top = to ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
        for (int l = 0; l < 32; l++) {
            if (from && (int64_t)v[l] < 0) {
                int64_t bottom = to ? -(int64_t)top - 1 : 0;
                if ((int64_t)v[l] < bottom) v[l] = (uint64_t)bottom;
            } else if (v[l] > top) {
                v[l] = top;
            }
        }
    }
    finish_int(i, v);
    store(w, i, v, mask);
    return X_NEXT;
}

/* The common ones, between registers of exactly these widths */
static int x_u64_u32(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint64_t v[32];
    const uint32_t *a = R32(w, &i->op[1]);
    for (int l = 0; l < 32; l++) v[l] = a[l];
    store64(w, &i->op[0], v, mask);
    return X_NEXT;
}

static int x_s64_s32(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint64_t v[32];
    const uint32_t *a = R32(w, &i->op[1]);
    for (int l = 0; l < 32; l++) v[l] = (uint64_t)(int64_t)(int32_t)a[l];
    store64(w, &i->op[0], v, mask);
    return X_NEXT;
}

static int x_u32_u64(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t v[32];
    const uint64_t *a = R64(w, &i->op[1]);
    for (int l = 0; l < 32; l++) v[l] = (uint32_t)a[l];
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

static int x_u32_low(warp *w, const ptx_instr *i, uint32_t mask)      /* keeps the low f[2] bits of a 32-bit slot */
{
    uint32_t v[32], keep = i->f[2];
    const uint32_t *a = R32(w, &i->op[1]);
    for (int l = 0; l < 32; l++) v[l] = a[l] & keep;
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

/* ---- Float to integer: always clamps. NaN: 0, but with .f64, .s64 or .u64 only the top bit set ---- */
static int x_float_int(warp *w, const ptx_instr *i, uint32_t mask)
{
    double x[32];
    uint64_t v[32] = {0};
    load_float(w, i, x);
    int bits = ptx_type_bits((ptx_type)i->f[0]), to = is_signed(i->f[0]);
    double end = ldexp(1.0, to ? bits - 1 : bits), begin = to ? -end : 0.0;         /* the range is [begin, end) */
    uint64_t top = to ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
    uint64_t nan = i->f[1] == PT_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
    EMU_EACH(l, mask) {
        double y = num_rint(x[l], (num_round)i->f[2]);
        if (y != y) v[l] = nan;
        else if (y >= end) v[l] = top;
        else if (y < begin) v[l] = to ? top + 1 : 0;
        else v[l] = to ? (uint64_t)(int64_t)y : (uint64_t)y;
    }
    finish_int(i, v);
    store(w, i, v, mask);
    return X_NEXT;
}

/* ---- Integer to float ---- */
/* A 64-bit magnitude as a double, rounded by r (odd: so that a second rounding is as if there had been one) */
static double u64_to_f64(uint64_t m, int negative, num_round r, int odd)
{
    if (m >> 53) {
        int shift = 11 - __builtin_clzll(m);
        uint64_t q = m >> shift, rest = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
        if (odd) q |= rest != 0;
        else if (r == NUM_RN) q += rest > half || (rest == half && (q & 1));
        else if (r == NUM_RM) q += negative && rest;
        else if (r == NUM_RP) q += !negative && rest;
        double x = ldexp((double)q, shift);
        return negative ? -x : x;
    }
    return negative ? -(double)m : (double)m;
}

static int x_int_float(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint64_t v[32];
    double x[32] = {0};
    load(w, i, v);
    int from = is_signed(i->f[1]);
    extend(v, ptx_type_bits((ptx_type)i->f[1]), from);
    EMU_EACH(l, mask) {
        int negative = from && (int64_t)v[l] < 0;
        x[l] = u64_to_f64(negative ? 0 - v[l] : v[l], negative, (num_round)i->f[2], i->f[0] != PT_F64);
    }
    store_float(w, i, x, mask);
    return X_NEXT;
}

static int x_f32_s32(warp *w, const ptx_instr *i, uint32_t mask)      /* rn */
{
    uint32_t v[32];
    const uint32_t *a = R32(w, &i->op[1]);
    for (int l = 0; l < 32; l++) v[l] = num_f32_bits((float)(int32_t)a[l]);
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

static int x_f32_u32(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t v[32];
    const uint32_t *a = R32(w, &i->op[1]);
    for (int l = 0; l < 32; l++) v[l] = num_f32_bits((float)a[l]);
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

/* ---- Float to float ---- */
static int x_float(warp *w, const ptx_instr *i, uint32_t mask)
{
    double x[32];
    load_float(w, i, x);
    if (i->f[3] & C_INTEGRAL) EMU_EACH(l, mask) x[l] = num_rint(x[l], (num_round)i->f[2]);
    store_float(w, i, x, mask);
    return X_NEXT;
}

static void store_f32(warp *w, const ptx_opnd *o, const float *x, uint32_t mask)
{
    uint32_t v[32];
    memcpy(v, x, sizeof v);
    store32(w, o, v, mask);
}

static void load_f32(warp *w, const ptx_opnd *o, float *x) { memcpy(x, R32(w, o), 32 * sizeof *x); }

static int x_f32_f16(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint16_t h[32];
    float x[32];
    const uint32_t *a = R32(w, &i->op[1]);
    for (int l = 0; l < 32; l++) h[l] = (uint16_t)a[l];
    num_to_f32(x, h, PT_F16, 32);
    store_f32(w, &i->op[0], x, mask);
    return X_NEXT;
}

static int x_f32_bf16(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t v[32];
    const uint32_t *a = R32(w, &i->op[1]);
    for (int l = 0; l < 32; l++) v[l] = a[l] << 16;
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

/* rn to f16 or bf16, one or two of them */
static int x_half_f32(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t v[32];
    int n = i->f[0] == PT_F16X2 || i->f[0] == PT_BF16X2 ? 2 : 1, bf16 = i->f[0] == PT_BF16 || i->f[0] == PT_BF16X2;
    memset(v, 0, sizeof v);
    for (int k = 1; k <= n; k++) {
        float x[32];
        uint16_t h[32];
        load_f32(w, &i->op[k], x);
        if (bf16) num_f32_to_bf16_n(h, x, 32);
        else num_f32_to_f16_n(h, x, 32);
        for (int l = 0; l < 32; l++) v[l] = v[l] << 16 | h[l];
    }
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

/* ---- Packed: the first source, or the first element, goes to the upper end ---- */
static int x_pack_f32(warp *w, const ptx_instr *i, uint32_t mask)
{
    ptx_type e = PT_NONE;
    int n = packed(i->f[0], &e), width = element_bits(e), flags = (int)(i->f[3] & (NUM_SATFINITE | NUM_RELU));
    const ptx_opnd *src = n == 4 ? i->op[1].elem : &i->op[1];
    const uint32_t *a[4], *rbits = i->f[3] & C_RS ? R32(w, &i->op[n == 4 ? 2 : 3]) : NULL;
    uint64_t v[32] = {0};
    /* where each element's random bits begin: a half of rbits for each of two; of four, the first two share the upper
     * half and the others the lower; for e2m1x4 a byte each: the upper bytes of the halves for the first two, the lower
     * for the others */
    static const uint8_t at2[2] = {16, 0}, at4[4] = {16, 16, 0, 0}, at4_e2m1[4] = {24, 8, 16, 0};
    const uint8_t *at = n == 2 ? at2 : e == PT_E2M1 ? at4_e2m1 : at4;
    for (int k = 0; k < n; k++) a[k] = R32(w, &src[k]);
    EMU_EACH(l, mask) {
        uint32_t d = 0;
        for (int k = 0; k < n; k++)
            d = d << width | num_encode(e, (double)num_bits_f32(a[k][l]), (num_round)i->f[2], flags,
                                        rbits ? rbits[l] >> at[k] : 0);
        v[l] = d;
    }
    store(w, i, v, mask);
    return X_NEXT;
}

static int x_pack_packed(warp *w, const ptx_instr *i, uint32_t mask)
{
    ptx_type to = PT_NONE, from = PT_NONE;
    int n = packed(i->f[0], &to);
    packed(i->f[1], &from);
    int nbits = element_bits(to), fbits = element_bits(from);
    int flags = (int)(i->f[3] & (NUM_SATFINITE | NUM_RELU));
    const uint32_t *a = R32(w, &i->op[1]);
    const float *value = num_table(from);
    uint32_t v[32];
    EMU_EACH(l, mask) {
        uint32_t d = 0;
        for (int k = n - 1; k >= 0; k--) {
            uint32_t c = a[l] >> k * fbits;
            float x = value ? value[c & 0xff] : num_decode_f32(from, c);
            d = d << nbits | (to == PT_F16 && !flags ? num_f32_to_f16(x)
                              : num_encode(to, (double)x, (num_round)i->f[2], flags, 0));
        }
        v[l] = d;
    }
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

/* ---- tf32 ---- */
/* .rna is an addition and a mask on hardware: infinities and NaNs are only masked, then .satfinite subtracts one ulp
 * from them */
static int x_tf32_rna(warp *w, const ptx_instr *i, uint32_t mask)
{
    const uint32_t *a = R32(w, &i->op[1]);
    uint32_t v[32], satfinite = i->f[3] & NUM_SATFINITE ? 0x2000 : 0;
    for (int l = 0; l < 32; l++) {
        uint32_t u = a[l];
        u = (u + ((u & 0x7fffffff) < 0x7f800000 ? 0x1000 : 0)) & 0xffffe000;
        v[l] = u - ((u & 0x7fffffff) >= 0x7f800000 ? satfinite : 0);
    }
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

static int x_tf32(warp *w, const ptx_instr *i, uint32_t mask)
{
    const uint32_t *a = R32(w, &i->op[1]);
    uint32_t v[32];
    int flags = (int)(i->f[3] & (NUM_SATFINITE | NUM_RELU));
    EMU_EACH(l, mask) v[l] = num_encode(PT_TF32, (double)num_bits_f32(a[l]), (num_round)i->f[2], flags, 0);
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

/* ---- What PTX 9.1 to 9.4 added: .pzo, scales, s2f6x2, ue5m3x2, and more pairs of types ---- */
static int is_subnormal(ptx_type t, uint32_t c)
{
    return t == PT_F16 ? !(c & 0x7c00) : t == PT_BF16 ? !(c & 0x7f80) : !(c & 0x7f800000);
}
/* 1 and 2 elements. A scale divides what is converted to a narrow format (one for both, C_N1, or each its own) and
 * multiplies what comes from one; C_N1 flushes subnormal sources first */
static int x_cvt_more(warp *w, const ptx_instr *i, uint32_t mask)
{
    ptx_type to = (ptx_type)i->f[0], from = (ptx_type)i->f[1];
    const int n = packed(i->f[0], &to) ? 2 : 1, pair = packed(i->f[1], &from);
    const int width = element_bits(to), from_width = element_bits(from), up = pair && to == PT_BF16;
    const int flags = (int)(i->f[3] & (NUM_SATFINITE | NUM_RELU));
    const uint32_t *scale = i->f[3] & (C_N1 | C_N2) ? R32(w, &i->op[i->nop - 1]) : NULL;
    const uint32_t top = to == PT_TF32 ? 0x80000000 : 1u << (num_bits(to) - 1);
    uint32_t v[32];
    EMU_EACH(l, mask) {
        uint32_t d = 0;
        for (int k = n - 1; k >= 0; k--) {
            uint32_t c = pair ? R32(w, &i->op[1])[l] >> k * from_width : R32(w, &i->op[n - k])[l];
            double x = num_decode(from, c);
            if (i->f[3] & C_N1 && is_subnormal(from, c)) x = copysign(0, x);
            if (scale) {
                const double s = num_decode(PT_UE8M0, scale[l] >> (i->f[3] & C_N2 ? 8 * k : 0));
                x = up ? x * s : x / s;
            }
            c = num_encode(to, x, (num_round)i->f[2], flags, 0);
            if (i->f[3] & C_PZO && c == top) c = 0;
            d = n == 1 ? c : d << width | c;
        }
        v[l] = d;
    }
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

/* ---- cvt.pack ----
 * f: 0 bits of an element, 1 signed; a and b, clamped, below what c has in its lower bits */
static int x_cvt_pack(warp *w, const ptx_instr *i, uint32_t mask)
{
    const uint32_t *a = R32(w, &i->op[1]), *b = R32(w, &i->op[2]), *c = i->nop > 3 ? R32(w, &i->op[3]) : NULL;
    uint32_t bits = i->f[0], keep = (1u << bits) - 1, v[32];
    int32_t top = (int32_t)(i->f[1] ? keep >> 1 : keep), bottom = i->f[1] ? -top - 1 : 0;
    for (int l = 0; l < 32; l++) {
        int32_t x = (int32_t)a[l], y = (int32_t)b[l];
        x = x > top ? top : x < bottom ? bottom : x;
        y = y > top ? top : y < bottom ? bottom : y;
        v[l] = ((uint32_t)x & keep) << bits | ((uint32_t)y & keep);
    }
    if (c) for (int l = 0; l < 32; l++) v[l] |= c[l] << 2 * bits;
    store32(w, &i->op[0], v, mask);
    return X_NEXT;
}

/* ---- Decoding ---- */
static int blackwell(ptx_type e) { return e == PT_E2M1 || e == PT_E2M3 || e == PT_E3M2 || e == PT_UE8M0; }

/* Does the module's target have the conversion? If not, says what it needs. */
static int target(const emu_module *m, const ptx_instr *i, ptx_type d, ptx_type a, uint32_t r, uint32_t flags,
                  char *err, size_t n)
{
    ptx_type e = d, s = a;
    int sm = 0, own = 0;                                              /* own: an "a" or "f" target */
    if (!m || strncmp(m->ptx->target, "sm_", 3)) return 0;
    char *suffix;
    int have = (int)strtol(m->ptx->target + 3, &suffix, 10);
    packed(d, &e);
    packed(a, &s);
    if (r == NUM_RS) {
        if (*suffix == 'a' && (have == 100 || have == 103 || have == 107)) return 0;
        return emu_decode_error(err, n, i, ".rs needs the target sm_100a, sm_103a or sm_107a, the module has %s",
                                m->ptx->target);
    }
    if (blackwell(e) || blackwell(s)) sm = 100, own = 1;
    else if (e == PT_E4M3 || e == PT_E5M2) sm = s == PT_BF16 ? 100 : 89, own = s == PT_BF16;
    else if (s == PT_E4M3 || s == PT_E5M2) sm = 89;
    else if (d == PT_TF32) sm = r == NUM_RNA ? 80 : flags & NUM_SATFINITE ? 100 : 90;
    else if (e == PT_BF16 && a == PT_F32) sm = 80;
    else if (a == PT_BF16 && d == PT_F32) sm = flags & (C_FTZ | C_INTEGRAL) ? 90 : 80;
    else if (e == PT_BF16 || s == PT_BF16) sm = 90;
    else if (d == PT_F16X2 || flags & NUM_RELU) sm = 80;
    if (have >= sm && (!own || *suffix == 'a' || *suffix == 'f')) return 0;
    return emu_decode_error(err, n, i, "needs the target sm_%d%s or higher, the module has %s", sm, own ? "a" : "",
                            m->ptx->target);
}

/* Readies source o of an n-bit type; *lanes: 64 if its lanes are 64-bit */
static int source(emu_module *m, ptx_func *fn, ptx_instr *i, ptx_opnd *o, ptx_type t, int bits, uint32_t *lanes,
                  char *err, size_t n)
{
    int have = ptx_type_bits((ptx_type)o->type);
    if (o->kind == PO_VEC || o->kind == PO_PAIR || o->kind == PO_MEM || o->kind == PO_ARGS || o->kind == PO_NONE
        || o->kind == PO_SINK)
        return emu_decode_error(err, n, i, "a source operand must be a register or a constant");
    if (o->kind == PO_REG && (have < bits || o->type == PT_PRED))
        return emu_decode_error(err, n, i, "a source register has %d bits, the type needs %d", have, bits);
    if (o->kind == PO_REG && have > 64)
        return emu_decode_error(err, n, i, "a source register of %d bits is not supported", have);
    if (o->kind == PO_IMM && (o->type == PT_F32 || o->type == PT_F64) && t != PT_F32 && t != PT_F64)
        return emu_decode_error(err, n, i, "a floating-point literal where the type is not .f32 or .f64");
    if (emu_prepare(m, fn, o, t, err, n)) return -1;
    *lanes = o->kind == PO_REG ? (have == 64 ? 64 : 32) : bits == 64 ? 64 : 32;
    return 0;
}

/* A 32-bit-lane source whose wider registers are not accepted */
static int source32(emu_module *m, ptx_func *fn, ptx_instr *i, ptx_opnd *o, ptx_type t, int bits, char *err, size_t n)
{
    uint32_t lanes;
    if (source(m, fn, i, o, t, bits, &lanes, err, n)) return -1;
    if (lanes == 64) return emu_decode_error(err, n, i, "a 64-bit source register where %d bits are needed", bits);
    return 0;
}

static int destination(ptx_instr *i, int bits, int exact, char *err, size_t n)
{
    const ptx_opnd *o = &i->op[0];
    int have = ptx_type_bits((ptx_type)o->type);
    if (o->kind != PO_REG || o->type == PT_PRED)
        return emu_decode_error(err, n, i, "the destination must be a register");
    if (have < bits || (exact && have != bits) || have > 64)
        return emu_decode_error(err, n, i, "the destination register has %d bits, the type needs %d", have, bits);
    i->f[4] = (uint32_t)have;
    return 0;
}

static int decode_pack(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    static const struct { const char *word; uint8_t bits, sign; } to[] = {
        {"u16", 16, 0}, {"s16", 16, 1}, {"u8", 8, 0}, {"s8", 8, 1}, {"u4", 4, 0}, {"s4", 4, 1}, {"u2", 2, 0},
            {"s2", 2, 1}};
    size_t k;
    for (k = 0; k < sizeof to / sizeof *to && (i->nmod < 4 || strcmp(i->mod[3], to[k].word)); k++);
    if (k == sizeof to / sizeof *to || strcmp(i->mod[2], "sat") || i->nmod < 5 || i->nmod > 6
        || strcmp(i->mod[4], "s32") || (i->nmod == 6 && strcmp(i->mod[5], "b32")))
        return emu_decode_error(err, n, i, "must be cvt.pack.sat.{u16,s16,u8,s8,u4,s4,u2,s2}.s32{.b32}");
    if (i->nop != (i->nmod == 6 ? 4 : 3))
        return emu_decode_error(err, n, i, "needs %d operands, has %d", i->nmod == 6 ? 4 : 3, i->nop);
    if ((to[k].bits == 16) != (i->nmod == 5))
        return emu_decode_error(err, n, i, "16-bit types take no third source, the others need one");
    if (destination(i, 32, 1, err, n)) return -1;
    for (int s = 1; s < i->nop; s++)
        if (source32(m, fn, i, &i->op[s], s == 3 ? PT_B32 : PT_S32, 32, err, n)) return -1;
    i->f[0] = to[k].bits;
    i->f[1] = to[k].sign;
    i->exec = x_cvt_pack;
    return 0;
}

/* Is this one of the conversions newer than PTX 9.0? */
static int is_new(ptx_type d, ptx_type a, uint32_t r, uint32_t flags)
{
    ptx_type e = d, s = a;
    const int nd = packed(d, &e), ns = packed(a, &s);
    if (flags & (C_PZO | C_N1 | C_N2) || e == PT_UE5M3 || s == PT_UE5M3 || e == PT_S2F6 || s == PT_S2F6) return 1;
    const int narrow = nd == 2 && num_bits(e) <= 8 && e != PT_UE8M0;
    if (narrow && r == NUM_RZ) return 1;
    if (narrow && ns == 2) return s == PT_BF16 || (s == PT_F16 && num_bits(e) < 8);
    return e == PT_BF16 && nd == 2 && ns == 2 && num_bits(s) <= 8 && s != PT_UE8M0;
}

static int decode_more(emu_module *m, ptx_func *fn, ptx_instr *i, int has_round, char *err, size_t n)
{
    const ptx_type d = (ptx_type)i->f[0], a = (ptx_type)i->f[1];
    const uint32_t r = i->f[2], flags = i->f[3], sat = flags & NUM_SATFINITE, relu = flags & NUM_RELU;
    ptx_type e = d, s = a;
    const int nd = packed(d, &e), ns = packed(a, &s), half = s == PT_F16 || s == PT_BF16, f32 = a == PT_F32;
    const int narrow = nd == 2 && num_bits(e) <= 8 && e != PT_UE8M0;
#define NO(...) return emu_decode_error(err, n, i, __VA_ARGS__)
    if (!has_round || flags & (C_FTZ | C_SAT | C_INTEGRAL)) NO("needs a rounding, and no .ftz and no .sat");
    if (r != NUM_RN && r != NUM_RZ && !(r == NUM_RP && e == PT_UE5M3 && !(flags & C_N1)))
        NO("this rounding does not go with these types");
    if (flags & C_N1 && flags & C_N2) NO("has two kinds of scale");
    if (nd && narrow) {                           /* to a narrow format */
        if (!f32 && !(ns == 2 && half && (s == PT_BF16 || e != PT_S2F6))) NO("no such conversion");
        if (e == PT_UE5M3 ? relu || flags & (C_PZO | C_N2) : !sat)
            NO(e == PT_UE5M3 ? ".relu, .pzo and .scaled::n2 do not go with ue5m3x2" : "needs .satfinite");
        if (e == PT_S2F6 ? flags & (C_N1 | C_PZO) : flags & C_N2) NO("this scale does not go with these types");
        const int rubin = e == PT_UE5M3 || flags & (C_PZO | C_N1) || r == NUM_RZ;
        if (emu_needs(m, i, rubin ? 94 : 91, e == PT_S2F6 ? r == NUM_RZ ? "107a" : "100a,103a,107a,110a,120a,121a"
                      : rubin ? EMU_RUBIN : EMU_BLACKWELL_120, err, n))
            return -1;
    } else if (ns == 2 && num_bits(s) <= 8) {     /* from one */
        if (nd != 2 || (e != PT_BF16 && !(e == PT_F16 && s == PT_UE5M3)) || r != NUM_RN || flags & (C_N1 | C_PZO))
            NO("no such conversion");
        if ((e == PT_F16 && flags & (C_N2 | NUM_SATFINITE)) || (s == PT_UE5M3 && relu))
            NO("these qualifiers do not go with these types");
        if (emu_needs(m, i, s == PT_S2F6 ? 91 : s == PT_UE5M3 ? 94 : 92, s == PT_S2F6 ? "100a,103a,107a,110a,120a,121a"
                      : s == PT_UE5M3 ? EMU_RUBIN : EMU_BLACKWELL_120, err, n))
            return -1;
    } else {                                      /* .pzo to f16, bf16, tf32 */
        if (!f32 || flags & (C_N1 | C_N2) || (e != PT_F16 && e != PT_BF16 && d != PT_TF32)) NO("no such conversion");
        if (emu_needs(m, i, 94, EMU_RUBIN, err, n)) return -1;
    }
    const int sources = f32 && nd ? 2 : 1, want = 1 + sources + (flags & (C_N1 | C_N2) ? 1 : 0);
    if (i->nop != want) NO("needs %d operands, has %d", want, i->nop);
    if (destination(i, nd ? nd * element_bits(e) : d == PT_TF32 ? 32 : 16, e != PT_F16, err, n)) return -1;
    for (int k = 1; k <= sources; k++) {
        const int bits = f32 ? 32 : 2 * element_bits(s);
        if (source32(m, fn, i, &i->op[k], a, bits, err, n)) return -1;
        if (i->op[k].kind == PO_REG && ptx_type_bits((ptx_type)i->op[k].type) != bits)
            NO("a source register must have %d bits", bits);
    }
    if (want > 1 + sources) {
        const int bits = flags & C_N1 ? 8 : 16;
        if (source32(m, fn, i, &i->op[want - 1], flags & C_N1 ? PT_B8 : PT_B16, bits, err, n)) return -1;
        if (i->op[want - 1].kind == PO_REG && ptx_type_bits((ptx_type)i->op[want - 1].type) != bits)
            NO("the register of the scale must have %d bits", bits);
    }
#undef NO
    i->exec = x_cvt_more;
    return 0;
}

/* cvt to a packed format, or to tf32. has_round: a rounding word was given */
static int decode_narrow(emu_module *m, ptx_func *fn, ptx_instr *i, int has_round, char *err, size_t n)
{
    ptx_type d = (ptx_type)i->f[0], a = (ptx_type)i->f[1], e = PT_NONE, s = PT_NONE;
    uint32_t r = i->f[2], flags = i->f[3];
    int nd = packed(d, &e), ns = packed(a, &s);
    if (flags & (C_FTZ | C_SAT | C_INTEGRAL))
        return emu_decode_error(err, n, i, ".ftz, .sat and integral rounding do not go with this type");
    if (!has_round) return emu_decode_error(err, n, i, "needs a rounding");
    if (d == PT_TF32) {
        if (a != PT_F32 || i->nop != 2) return emu_decode_error(err, n, i, "tf32 is converted from one .f32");
        if (r != NUM_RNA && r != NUM_RN && r != NUM_RZ)
            return emu_decode_error(err, n, i, "tf32 rounds by .rna, .rn or .rz");
        if (r == NUM_RNA && flags & NUM_RELU) return emu_decode_error(err, n, i, ".rna does not go with .relu");
        if (destination(i, 32, 1, err, n) || source32(m, fn, i, &i->op[1], a, 32, err, n)) return -1;
        i->exec = r == NUM_RNA ? x_tf32_rna : x_tf32;
        return 0;
    }
    if (!nd) return emu_decode_error(err, n, i, "no such conversion");
    int half = e == PT_F16 || e == PT_BF16, ue8m0 = e == PT_UE8M0;
    if (a != PT_F32 && (ns != 2 || nd != 2)) return emu_decode_error(err, n, i, "no such conversion");
    if (ns) {
        int from_half = s == PT_F16 || s == PT_BF16;
        if (ue8m0 ? s != PT_BF16 : half ? from_half || (s == PT_UE8M0) != (e == PT_BF16) : !from_half)
            return emu_decode_error(err, n, i, "no such conversion");
    }
    if (r == NUM_RS) {
        if (a != PT_F32 || ue8m0 || (nd == 2 && !half))
            return emu_decode_error(err, n, i, ".rs converts .f32 to f16x2, bf16x2 or formats of four elements");
    } else if (nd == 4) {
        return emu_decode_error(err, n, i, "formats of four elements round by .rs");
    } else if (ue8m0 ? r != NUM_RZ && r != NUM_RP : half && !ns ? r != NUM_RN && r != NUM_RZ : r != NUM_RN) {
        return emu_decode_error(err, n, i, "this rounding does not go with these types");
    }
    if (ue8m0 && flags & NUM_RELU) return emu_decode_error(err, n, i, ".relu does not go with ue8m0x2");
    if (!half && !ue8m0 && !(flags & NUM_SATFINITE)) return emu_decode_error(err, n, i, "needs .satfinite");
    if (half && ns && flags & NUM_SATFINITE)
        return emu_decode_error(err, n, i, ".satfinite does not go with these types");
    if (s == PT_UE8M0 && flags & NUM_RELU) return emu_decode_error(err, n, i, ".relu does not go with ue8m0x2");

    int want = (nd == 4 || ns ? 2 : 3) + (r == NUM_RS);
    if (i->nop != want) return emu_decode_error(err, n, i, "needs %d operands, has %d", want, i->nop);
    if (destination(i, nd * element_bits(e), e != PT_F16, err, n)) return -1;
    if (ns) {
        if (source32(m, fn, i, &i->op[1], a, 2 * element_bits(s), err, n)) return -1;
        if (i->op[1].kind == PO_REG && ptx_type_bits((ptx_type)i->op[1].type) != 2 * element_bits(s))
            return emu_decode_error(err, n, i, "the source register must have %d bits", 2 * element_bits(s));
        i->exec = x_pack_packed;
        return 0;
    }
    ptx_opnd *o = &i->op[1];
    if (nd == 4) {
        if (o->kind != PO_VEC || o->n != 4) return emu_decode_error(err, n, i, "needs a vector of four .f32 sources");
        o = o->elem;
    }
    for (int k = 0; k < nd; k++)
        if (source32(m, fn, i, &o[k], PT_F32, 32, err, n)) return -1;
    if (r == NUM_RS) {
        i->f[3] |= C_RS;
        if (source32(m, fn, i, &i->op[nd == 4 ? 2 : 3], PT_B32, 32, err, n)) return -1;
    }
    i->exec = half && r == NUM_RN && !flags && i->f[4] == 32 ? x_half_f32 : x_pack_f32;
    return 0;
}

static int decode_cvt(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    static const struct { const char *word; uint8_t round; uint16_t flags; } words[] = {
        {"rn", NUM_RN, C_ROUND}, {"rz", NUM_RZ, C_ROUND}, {"rm", NUM_RM, C_ROUND}, {"rp", NUM_RP, C_ROUND},
        {"rna", NUM_RNA, C_ROUND}, {"rs", NUM_RS, C_ROUND}, {"rni", NUM_RN, C_INTEGRAL}, {"rzi", NUM_RZ, C_INTEGRAL},
        {"rmi", NUM_RM, C_INTEGRAL}, {"rpi", NUM_RP, C_INTEGRAL}, {"ftz", 0, C_FTZ}, {"sat", 0, C_SAT},
        {"relu", 0, NUM_RELU}, {"satfinite", 0, NUM_SATFINITE}, {"pzo", 0, C_PZO}, {"scaled::n1::ue8m0", 0, C_N1},
        {"scaled::n2::ue8m0", 0, C_N2}};
    enum { N = sizeof words / sizeof *words };
    ptx_type t[2] = {PT_NONE, PT_NONE};
    uint32_t flags = 0, r = NUM_RN;
    int nt = 0;
    if (i->nmod > 1 && !strcmp(i->mod[1], "pack")) return decode_pack(m, fn, i, err, n);
    for (int k = 1; k < i->nmod; k++) {
        ptx_type type = ptx_type_of(i->mod[k]);
        int j;
        if (type != PT_NONE) {
            if (nt == 2) return emu_decode_error(err, n, i, "has more than two types");
            t[nt++] = type;
            continue;
        }
        for (j = 0; j < N && strcmp(i->mod[k], words[j].word); j++);
        if (j == N) return emu_decode_error(err, n, i, ".%s is not supported", i->mod[k]);
        if (flags & words[j].flags & ~(uint32_t)(C_ROUND | C_INTEGRAL))
            return emu_decode_error(err, n, i, ".%s is given twice", i->mod[k]);
        if (words[j].flags & (C_ROUND | C_INTEGRAL)) {
            if (flags & (C_ROUND | C_INTEGRAL)) return emu_decode_error(err, n, i, "has two roundings");
            r = words[j].round;
        }
        flags |= words[j].flags;
    }
    if (nt != 2) return emu_decode_error(err, n, i, "needs two types");
    if (i->nop < 2) return emu_decode_error(err, n, i, "needs two operands, has %d", i->nop);
    ptx_type d = t[0], a = t[1];
    int round = (flags & C_ROUND) != 0, integral = (flags & C_INTEGRAL) != 0;
    i->f[0] = d; i->f[1] = a; i->f[2] = r; i->f[3] = flags & ~(uint32_t)C_ROUND;
    if (is_new(d, a, r, flags)) return decode_more(m, fn, i, round, err, n);
    if (target(m, i, d, a, r, flags, err, n)) return -1;
    if (!(is_int(d) || is_float(d)) || !(is_int(a) || is_float(a))) return decode_narrow(m, fn, i, round, err, n);

    int dbits = ptx_type_bits(d), abits = ptx_type_bits(a);
    if (i->nop != 2) return emu_decode_error(err, n, i, "needs two operands, has %d", i->nop);
    if (r == NUM_RNA || r == NUM_RS)
        return emu_decode_error(err, n, i, ".%s does not go with these types", r == NUM_RS ? "rs" : "rna");
    if (flags & C_FTZ && a != PT_F32 && d != PT_F32) return emu_decode_error(err, n, i, ".ftz needs .f32");
    if (flags & (NUM_RELU | NUM_SATFINITE) && !((d == PT_F16 || d == PT_BF16) && a == PT_F32))
        return emu_decode_error(err, n, i, ".relu and .satfinite do not go with these types");
    if (flags & C_SAT && (d == PT_BF16 || a == PT_BF16 || flags & (NUM_RELU | NUM_SATFINITE)))
        return emu_decode_error(err, n, i, ".sat does not go with this conversion");
    if (flags & (NUM_RELU | NUM_SATFINITE) && r != NUM_RN && r != NUM_RZ)
        return emu_decode_error(err, n, i, ".relu and .satfinite go with .rn and .rz alone");
    if (flags & C_SAT && is_int(d) && is_int(a) && (is_signed(d) == is_signed(a) ? dbits >= abits : is_signed(d)
                                                    && dbits > abits))
        return emu_decode_error(err, n, i, ".sat where no value can be out of range");
    int strict = d == PT_BF16 || a == PT_BF16;                        /* no wider registers with .bf16 */
    if (strict && i->op[1].kind == PO_REG && ptx_type_bits((ptx_type)i->op[1].type) != abits)
        return emu_decode_error(err, n, i, "the source register must have %d bits", abits);
    if (destination(i, dbits, strict, err, n) || source(m, fn, i, &i->op[1], a, abits, &i->f[5], err, n)) return -1;
    int plain = (int)i->f[4] == dbits && i->f[5] == (abits == 64 ? 64u : 32u)
        && !(flags & ~(uint32_t)(C_ROUND | C_INTEGRAL));

    if (is_int(d) && is_int(a)) {
        if (round || integral) return emu_decode_error(err, n, i, "integers are converted without rounding");
        if (flags & C_FTZ) return emu_decode_error(err, n, i, ".ftz needs .f32");
        i->exec = x_int;
        if (flags & C_SAT) return 0;
        if (i->f[4] == 64 && dbits == 64 && i->f[5] == 32 && abits == 32)
            i->exec = is_signed(a) ? x_s64_s32 : x_u64_u32;
        else if (i->f[4] == 32 && dbits == 32 && i->f[5] == 64 && abits >= 32) i->exec = x_u32_u64;
        else if (i->f[4] <= 32 && i->f[5] == 32 && (int)i->f[4] == dbits && (abits >= dbits || !is_signed(a))) {
            int low = abits < dbits ? abits : dbits;
            i->exec = x_u32_low;
            i->f[2] = low == 32 ? ~0u : (1u << low) - 1;
        }
        return 0;
    }
    if (is_int(d)) {
        if (!integral) return emu_decode_error(err, n, i, "needs an integer rounding: .rni, .rzi, .rmi or .rpi");
        i->exec = x_float_int;
        return 0;
    }
    if (is_int(a)) {
        if (!round) return emu_decode_error(err, n, i, "needs a rounding: .rn, .rz, .rm or .rp");
        i->exec = plain && r == NUM_RN && d == PT_F32 && a == PT_S32   ? x_f32_s32
                  : plain && r == NUM_RN && d == PT_F32 && a == PT_U32 ? x_f32_u32
                                                                       : x_int_float;
        return 0;
    }
    int exact = d == a || dbits > abits;                              /* f16 <-> bf16 without a rounding means .rn */
    if (integral && d != a) return emu_decode_error(err, n, i, "integral rounding needs one type");
    if (round && exact && (d == a || a != PT_BF16))
        return emu_decode_error(err, n, i, "a rounding where nothing is rounded");
    if (!round && dbits < abits) return emu_decode_error(err, n, i, "needs a rounding: .rn, .rz, .rm or .rp");
    i->exec = x_float;
    if (d == a && !i->f[3]) {                                         /* a move: NaNs stay as they are */
        i->f[0] = i->f[1] = dbits == 64 ? PT_U64 : dbits == 32 ? PT_U32 : PT_U16;
        i->exec = x_int;
    }
    if (plain && d == PT_F32 && a == PT_F16) i->exec = x_f32_f16;
    if (plain && d == PT_F32 && a == PT_BF16) i->exec = x_f32_bf16;
    if (plain && dbits == 16 && a == PT_F32 && r == NUM_RN) i->exec = x_half_f32;
    return 0;
}

const emu_family emu_cvt[] = {{"cvt", decode_cvt}, {0}};
