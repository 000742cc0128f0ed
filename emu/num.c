/* num.c - number formats, see num.h. */
#include "num.h"
#include <fenv.h>

/* The bulk loops are worth vectorising for what the machine has. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define BULK __attribute__((target_clones("avx2", "default")))
#else
#define BULK
#endif

/* ---- Formats ---- */
typedef struct {
    int bits, mbits, bias;
    uint32_t max, inf, nan;             /* codes without sign; 0: the format has none */
    int rs;                             /* random bits of .rs */
    int left;                           /* tf32: the code is kept in the upper bits of an f32 */
    int nosign;
} format;

static const format f_f16 = {16, 10, 15, 0x7bff, 0x7c00, 0x7fff, 13, 0, 0};
static const format f_bf16 = {16, 7, 127, 0x7f7f, 0x7f80, 0x7fff, 16, 0, 0};
static const format f_tf32 = {19, 10, 127, 0x3fbff, 0x3fc00, 0x3ffff, 13, 13, 0};
static const format f_f32 = {32, 23, 127, 0x7f7fffff, 0x7f800000, 0x7fffffff, 0, 0, 0};
static const format f_e4m3 = {8, 3, 7, 0x7e, 0, 0x7f, 16, 0, 0};
static const format f_e5m2 = {8, 2, 15, 0x7b, 0x7c, 0x7f, 16, 0, 0};
static const format f_e3m2 = {6, 2, 3, 0x1f, 0, 0, 16, 0, 0};
static const format f_e2m3 = {6, 3, 1, 0x1f, 0, 0, 16, 0, 0};
static const format f_e2m1 = {4, 1, 1, 0x7, 0, 0, 8, 0, 0};
static const format f_ue4m3 = {8, 3, 7, 0x7e, 0, 0x7f, 16, 0, 1};
static const format f_ue5m3 = {9, 3, 15, 0xfe, 0, 0xff, 16, 0, 1};    /* above the 8, a sign that is not there */

/* Element type of a packed type */
static ptx_type element(ptx_type t)
{
    switch (t) {
    case PT_F16X2: return PT_F16;
    case PT_BF16X2: return PT_BF16;
    case PT_F32X2: return PT_F32;
    case PT_E4M3X2: case PT_E4M3X4: return PT_E4M3;
    case PT_E5M2X2: case PT_E5M2X4: return PT_E5M2;
    case PT_E3M2X2: case PT_E3M2X4: return PT_E3M2;
    case PT_E2M3X2: case PT_E2M3X4: return PT_E2M3;
    case PT_E2M1X2: case PT_E2M1X4: return PT_E2M1;
    case PT_UE8M0X2: return PT_UE8M0;
    case PT_UE5M3X2: return PT_UE5M3;
    case PT_S2F6X2: return PT_S2F6;
    case PT_U16X2: return PT_U16;
    case PT_S16X2: return PT_S16;
    default: return t;
    }
}

static const format *format_of(ptx_type t)
{
    switch (element(t)) {
    case PT_F16: return &f_f16;
    case PT_BF16: return &f_bf16;
    case PT_TF32: return &f_tf32;
    case PT_F32: return &f_f32;
    case PT_E4M3: return &f_e4m3;
    case PT_E5M2: return &f_e5m2;
    case PT_E3M2: return &f_e3m2;
    case PT_E2M3: return &f_e2m3;
    case PT_E2M1: return &f_e2m1;
    case PT_UE4M3: return &f_ue4m3;
    case PT_UE5M3: return &f_ue5m3;
    default: return NULL;
    }
}

int num_bits(ptx_type t)
{
    switch (element(t)) {
    case PT_B1: return 1;
    case PT_S2: case PT_U2: return 2;
    case PT_E2M1: case PT_S4: case PT_U4: return 4;
    case PT_E3M2: case PT_E2M3: return 6;
    case PT_E4M3: case PT_E5M2: case PT_UE8M0: case PT_UE4M3: case PT_UE5M3: case PT_S2F6: case PT_B8:
    case PT_S8: case PT_U8: return 8;
    case PT_F16: case PT_BF16: case PT_B16: case PT_S16: case PT_U16: return 16;
    case PT_TF32: case PT_F32: case PT_B32: case PT_S32: case PT_U32: return 32;
    case PT_F64: case PT_B64: case PT_S64: case PT_U64: return 64;
    default: return 0;
    }
}

int num_rs_bits(ptx_type t)
{
    const format *f = format_of(t);
    return f ? f->rs : 0;
}

/* ---- Decoding ---- */
double num_decode(ptx_type t, uint32_t code)
{
    t = element(t);
    const format *f = format_of(t);
    if (f) {
        code >>= f->left;
        uint32_t top = 1u << (f->bits - 1), c = code & (top - 1);
        int negative = (code & top) && !f->nosign, e = (int)(c >> f->mbits);
        uint32_t m = c & ((1u << f->mbits) - 1);
        if (f->inf && c >= f->inf) {
            double v = c > f->inf ? (double)num_bits_f32(NUM_NAN32) : (double)INFINITY;
            return c == f->inf && negative ? -v : v;
        }
        if (f->nan && c >= f->nan) return (double)num_bits_f32(NUM_NAN32);
        double v = e ? ldexp((double)(m | 1u << f->mbits), e - f->bias - f->mbits)
               : ldexp((double)m, 1 - f->bias - f->mbits);
        return negative ? -v : v;
    }
    switch (t) {
    case PT_UE8M0: code &= 0xff; return code == 0xff ? (double)num_bits_f32(NUM_NAN32) : ldexp(1.0, (int)code - 127);
    case PT_S2F6: return (int8_t)code / 64.0;
    case PT_B1: return code & 1;
    case PT_U2: return code & 3;
    case PT_S2: return (int32_t)(code << 30) >> 30;
    case PT_U4: return code & 15;
    case PT_S4: return (int32_t)(code << 28) >> 28;
    case PT_U8: case PT_B8: return (uint8_t)code;
    case PT_S8: return (int8_t)code;
    case PT_U16: case PT_B16: return (uint16_t)code;
    case PT_S16: return (int16_t)code;
    case PT_U32: case PT_B32: return code;
    case PT_S32: return (int32_t)code;
    default: return (double)num_bits_f32(NUM_NAN32);
    }
}

/* Values of every byte, for the types of up to 8 bits; pair: both nibbles of a byte */
enum { T_E4M3, T_E5M2, T_E3M2, T_E2M3, T_E2M1, T_UE8M0, T_UE4M3, T_UE5M3, T_S2F6,
       T_S8, T_U8, T_S4, T_U4, T_S2, T_U2, T_B1, T_COUNT };
static const uint8_t t_type[T_COUNT] = {PT_E4M3, PT_E5M2, PT_E3M2, PT_E2M3, PT_E2M1, PT_UE8M0, PT_UE4M3, PT_UE5M3,
                                        PT_S2F6, PT_S8, PT_U8, PT_S4, PT_U4, PT_S2, PT_U2, PT_B1};
static float table[T_COUNT][256] __attribute__((aligned(64)));
enum { P_E2M1, P_S4, P_U4, P_COUNT };
static float pair[P_COUNT][256][2] __attribute__((aligned(64)));

__attribute__((constructor)) static void fill_tables(void)
{
    for (int t = 0; t < T_COUNT; t++)
        for (uint32_t c = 0; c < 256; c++) {
            double v = num_decode((ptx_type)t_type[t], c);
            table[t][c] = v == v ? (float)v : num_bits_f32(NUM_NAN32);
        }
    static const uint8_t from[P_COUNT] = {T_E2M1, T_S4, T_U4};
    for (int p = 0; p < P_COUNT; p++)
        for (int c = 0; c < 256; c++) {
            pair[p][c][0] = table[from[p]][c & 15];
            pair[p][c][1] = table[from[p]][c >> 4];
        }
}

const float *num_table(ptx_type t)
{
    if (t == PT_B8) t = PT_U8;
    for (int i = 0; i < T_COUNT; i++)
        if (t_type[i] == element(t)) return table[i];
    return NULL;
}

float num_decode_f32(ptx_type t, uint32_t code)
{
    const float *v = num_table(t);
    if (v) return v[code & 0xff];
    switch (element(t)) {
    case PT_F16: return num_f16_to_f32((uint16_t)code);
    case PT_BF16: return num_bf16_to_f32((uint16_t)code);
    case PT_TF32: return num_bits_f32(code & 0xffffe000);
    case PT_F32: return num_bits_f32(code);
    default: return (float)num_decode(t, code);
    }
}

/* ---- Encoding ---- */
static uint32_t encode_ue8m0(uint64_t a, num_round r, int flags)
{
    if (a > 0x7ff0000000000000) return 0xff;
    int e = (int)(a >> 52) - 1023 + 127;                              /* rounds down: the exponent alone */
    if (r != NUM_RZ && r != NUM_RM && (a & 0xfffffffffffff)) e++;
    if (e < 0) e = 0;
    if (e > 254) e = flags & NUM_SATFINITE ? 254 : 255;
    return (uint32_t)e;
}

/* Two's complement with 6 bits after the point: there is no infinity, and a NaN becomes the largest value */
static uint32_t encode_s2f6(double x, num_round r, int flags)
{
    if (x != x) return 127;
    double y = num_rint(x * 64, r);
    if (y > 127) y = 127;
    if (y < -128) y = -128;
    if (flags & NUM_RELU && y < 0) y = 0;
    return (uint32_t)(int32_t)y & 0xff;
}

uint32_t num_encode(ptx_type t, double x, num_round r, int flags, uint32_t rbits)
{
    uint64_t u = num_f64_bits(x), a = u & 0x7fffffffffffffff;
    int negative = (int)(u >> 63);
    if (element(t) == PT_UE8M0) return encode_ue8m0(a, r, flags);
    if (element(t) == PT_S2F6) return encode_s2f6(x, r, flags);
    if (element(t) == PT_UE5M3) negative = 0;                         /* the sign is dropped, as ue8m0 drops it */
    const format *f = format_of(t);
    if (!f) return 0;
    uint32_t sign = 1u << (f->bits - 1), code;
    if (a > 0x7ff0000000000000) return (f->nan ? f->nan : f->max) << f->left;
    if (negative && (flags & NUM_RELU || f->nosign)) return 0;
    if (!negative) sign = 0;
    uint32_t overflow = flags & NUM_SATFINITE ? f->max : f->inf ? f->inf : f->nan ? f->nan : f->max;
    if (a == 0x7ff0000000000000) {
        code = overflow;
    } else {
        int e = (int)(a >> 52) - 1023, emin = 1 - f->bias;
        uint64_t m = a & 0xfffffffffffff;
        if (e == -1023) e = -1022;
        else m |= 1ull << 52;
        int E = e < emin ? emin : e, shift = 52 - f->mbits + (E - e);
        /* far below the smallest value: what matters is that it is not 0 */
        if (shift > 63) {
            int more = shift - 63;
            m = more > 63 ? m != 0 : m >> more | ((m & ((1ull << more) - 1)) != 0);
            shift = 63;
        }
        uint64_t q = m >> shift, rest = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
        int up = 0;
        switch (r) {
        case NUM_RN: up = rest > half || (rest == half && (q & 1)); break;
        case NUM_RNA: up = rest >= half; break;
        case NUM_RZ: break;
        case NUM_RM: up = negative && rest; break;
        case NUM_RP: up = !negative && rest; break;
        case NUM_RS: {
            uint64_t random = rbits & ((1ull << f->rs) - 1);
            random = shift >= f->rs ? random << (shift - f->rs) : random >> (f->rs - shift);
            up = (rest + random) >> shift != 0;
            break;
        }
        }
        q += (unsigned)up + ((uint64_t)(E - emin) << f->mbits);
        if (q > f->max) {
            int inward = r == NUM_RZ || (r == NUM_RM && !negative) || (r == NUM_RP && negative);
            code = inward ? f->max : overflow;
        } else {
            code = (uint32_t)q;
        }
    }
    return (sign | code) << f->left;
}

uint16_t num_f32_to_f16(float x)
{
    uint32_t u = num_f32_bits(x), s = u >> 16 & 0x8000, a = u & 0x7fffffff, r;
    if (a > 0x7f800000) return NUM_NAN16;
    if (a < 0x38800000) {                                             /* subnormal result: 0.5f has its ulp */
        r = num_f32_bits(num_bits_f32(a) + 0.5f) - 0x3f000000;
    } else {
        a -= 112u << 23;
        r = (a + 0xfff + (a >> 13 & 1)) >> 13;
        if (r > 0x7c00) r = 0x7c00;
    }
    return (uint16_t)(s | r);
}

/* x as a float with more bits than any 16-bit format needs, rounded to odd, so that the next rounding is as if from
 * x */
static float odd_f32(double x)
{
    float f = (float)x;
    if (f != f || (double)f == x) return f;
    uint32_t u = num_f32_bits(f);
    if (!(u & 1)) u = (u & 0x7fffffff) == 0 || fabs((double)f) < fabs(x) ? u + 1 : u - 1;
    return num_bits_f32(u);
}

uint16_t num_f64_to_f16(double x) { return num_f32_to_f16(odd_f32(x)); }
uint16_t num_f64_to_bf16(double x) { return num_f32_to_bf16(odd_f32(x)); }

float num_f64_to_f32(double x, num_round r)
{
    if (x != x) return num_bits_f32(NUM_NAN32);
    float f = (float)x;
    double g = (double)f;
    if (r == NUM_RN || g == x) return f;
    uint32_t u = num_f32_bits(f);
    switch (r) {
    case NUM_RZ: return fabs(g) > fabs(x) ? num_bits_f32(u - 1) : f;
    case NUM_RM: return g > x ? num_bits_f32(u & 0x80000000 ? u + 1 : u ? u - 1 : 0x80000001) : f;
    case NUM_RP: return g < x ? num_bits_f32(u & 0x80000000 ? (u == 0x80000000 ? 1 : u - 1) : u + 1) : f;
    default: return num_bits_f32(num_encode(PT_F32, x, r, 0, 0));
    }
}

/* ---- Bulk ---- */
/* c ? a : b by masks: a branch would keep loops with floating-point operations from being vectorised */
static inline uint32_t pick(int c, uint32_t a, uint32_t b)
{
    uint32_t k = 0 - (uint32_t)c;
    return (a & k) | (b & ~k);
}

BULK static void f16_to_f32(float *restrict dst, const uint16_t *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) {                                  /* num_f16_to_f32 without branches */
        uint32_t h = src[i], m = (h & 0x7fff) << 13, s = (h & 0x8000) << 16;
        uint32_t small = num_f32_bits(num_bits_f32(m + (113u << 23)) - num_bits_f32(113u << 23));
        uint32_t v = pick(m < 0x00800000, small, m + ((m >= 0x0f800000 ? 224u : 112u) << 23));
        dst[i] = num_bits_f32(pick(m > 0x0f800000, NUM_NAN32, s | v));
    }
}

BULK static void bf16_to_f32(float *restrict dst, const uint16_t *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) dst[i] = num_bits_f32((uint32_t)src[i] << 16);
}

BULK static void tf32_to_f32(float *restrict dst, const uint32_t *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) dst[i] = num_bits_f32(src[i] & 0xffffe000);
}

BULK static void bytes_to_f32(float *restrict dst, const uint8_t *restrict src, const float *restrict v, int shift,
                              size_t n)
{
    for (size_t i = 0; i < n; i++) dst[i] = v[src[i] >> shift];
}

BULK static void s8_to_f32(float *restrict dst, const int8_t *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) dst[i] = src[i];
}

BULK static void u8_to_f32(float *restrict dst, const uint8_t *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) dst[i] = src[i];
}

static void nibbles_to_f32(float *restrict dst, const uint8_t *restrict src, float (*restrict v)[2], size_t n)
{
    size_t i = 0;
    for (; i + 2 <= n; i += 2) memcpy(dst + i, v[src[i / 2]], 8);
    if (i < n) dst[i] = v[src[i / 2]][0];
}

static void sixes_to_f32(float *restrict dst, const uint8_t *restrict src, const float *restrict v, size_t n)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4, src += 3) {
        uint32_t w = src[0] | (uint32_t)src[1] << 8 | (uint32_t)src[2] << 16;
        dst[i] = v[w & 63];
        dst[i + 1] = v[w >> 6 & 63];
        dst[i + 2] = v[w >> 12 & 63];
        dst[i + 3] = v[w >> 18];
    }
    for (uint32_t k = 0; i < n; i++, k += 6) {
        uint32_t w = src[k / 8];
        if (k % 8 > 2) w |= (uint32_t)src[k / 8 + 1] << 8;
        dst[i] = v[w >> k % 8 & 63];
    }
}

void num_to_f32(float *dst, const void *src, ptx_type t, size_t n)
{
    t = element(t);
    switch (t) {
    case PT_F16: f16_to_f32(dst, src, n); return;
    case PT_BF16: bf16_to_f32(dst, src, n); return;
    case PT_TF32: tf32_to_f32(dst, src, n); return;
    case PT_F32: memcpy(dst, src, 4 * n); return;
    case PT_E2M1: nibbles_to_f32(dst, src, pair[P_E2M1], n); return;
    case PT_S4: nibbles_to_f32(dst, src, pair[P_S4], n); return;
    case PT_U4: nibbles_to_f32(dst, src, pair[P_U4], n); return;
    case PT_E3M2: sixes_to_f32(dst, src, table[T_E3M2], n); return;
    case PT_E2M3: sixes_to_f32(dst, src, table[T_E2M3], n); return;
    case PT_S8: s8_to_f32(dst, src, n); return;
    case PT_U8: case PT_B8: u8_to_f32(dst, src, n); return;
    default: break;
    }
    const float *v = num_table(t);
    int bits = num_bits(t);
    if (v && bits == 8) {
        bytes_to_f32(dst, src, v, 0, n);
    } else if (v) {                                                   /* b1, s2, u2 */
        const uint8_t *p = src;
        for (size_t i = 0; i < n; i++) dst[i] = v[p[i * (size_t)bits / 8] >> i * (size_t)bits % 8];
    } else {
        for (size_t i = 0; i < n; i++) {
            uint32_t c = 0;
            memcpy(&c, (const uint8_t *)src + i * (size_t)bits / 8, bits == 16 ? 2 : 4);
            dst[i] = (float)num_decode(t, c);
        }
    }
}

void num_bytes_to_f32(float *dst, const void *src, ptx_type t, int shift, size_t n)
{
    const float *v = num_table(t);
    if (v) bytes_to_f32(dst, src, v, shift, n);
    else for (size_t i = 0; i < n; i++) dst[i] = num_bits_f32(NUM_NAN32);
}

void num_to_i32(int32_t *dst, const void *src, ptx_type t, size_t n)
{
    const uint8_t *p = src;
    switch (element(t)) {
    case PT_S8: for (size_t i = 0; i < n; i++) dst[i] = (int8_t)p[i]; return;
    case PT_U8: case PT_B8: for (size_t i = 0; i < n; i++) dst[i] = p[i]; return;
    case PT_S4:
        for (size_t i = 0; i < n; i++) dst[i] = (int32_t)((uint32_t)p[i / 2] << (i & 1 ? 24 : 28)) >> 28;
        return;
    case PT_U4: for (size_t i = 0; i < n; i++) dst[i] = p[i / 2] >> (i & 1) * 4 & 15; return;
    case PT_S2:
        for (size_t i = 0; i < n; i++) dst[i] = (int32_t)((uint32_t)p[i / 4] << (30 - (i & 3) * 2)) >> 30;
        return;
    case PT_U2: for (size_t i = 0; i < n; i++) dst[i] = p[i / 4] >> (i & 3) * 2 & 3; return;
    case PT_B1: for (size_t i = 0; i < n; i++) dst[i] = p[i / 8] >> (i & 7) & 1; return;
    case PT_S16: for (size_t i = 0; i < n; i++) { int16_t v; memcpy(&v, p + 2 * i, 2); dst[i] = v; } return;
    case PT_U16: case PT_B16:
        for (size_t i = 0; i < n; i++) { uint16_t v; memcpy(&v, p + 2 * i, 2); dst[i] = v; }
        return;
    default: memcpy(dst, src, 4 * n); return;
    }
}

BULK void num_f32_to_f16_n(uint16_t *restrict dst, const float *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) {                                  /* num_f32_to_f16 without branches */
        uint32_t u = num_f32_bits(src[i]), s = u >> 16 & 0x8000, a = u & 0x7fffffff, b = a - (112u << 23);
        uint32_t small = num_f32_bits(num_bits_f32(a) + 0.5f) - 0x3f000000;
        uint32_t normal = (b + 0xfff + (b >> 13 & 1)) >> 13;
        uint32_t r = pick(a < 0x38800000, small, normal > 0x7c00 ? 0x7c00 : normal);
        dst[i] = (uint16_t)pick(a > 0x7f800000, NUM_NAN16, s | r);
    }
}

BULK void num_f32_to_bf16_n(uint16_t *restrict dst, const float *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t u = num_f32_bits(src[i]);
        dst[i] = (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? NUM_NAN16 : (u + 0x7fff + (u >> 16 & 1)) >> 16);
    }
}

/* ---- Arithmetic ----
 * f32 by way of double. A product of two floats is exact there; a sum is made odd; a quotient or a root that is no
 * float or midpoint of floats is further from these (2^-50) than double's error (2^-53). None of this depends on
 * contraction. */
double num_add_odd(double p, double c)
{
    double s = p + c;
    if (!isfinite(s)) return s;
    double b = s - p, error = (p - (s - b)) + (c - b);                /* s + error == p + c exactly */
    uint64_t u = num_f64_bits(s);
    if (error == 0 || u & 1) return s;
    return num_bits_f64((error > 0) == (s > 0) ? u + 1 : u - 1);
}

static float sum_f32(double p, double c, num_round r)
{
    double s = num_add_odd(p, c);
    if (s == 0 && r == NUM_RM && !signbit(p) != !signbit(c)) return -0.0f;
    return num_f64_to_f32(s, r);
}

float num_add_f32(float a, float b, num_round r) { return sum_f32(a, b, r); }
float num_mul_f32(float a, float b, num_round r) { return num_f64_to_f32((double)a * b, r); }
float num_fma_f32(float a, float b, float c, num_round r) { return sum_f32((double)a * b, c, r); }
float num_div_f32(float a, float b, num_round r) { return num_f64_to_f32((double)a / b, r); }
float num_sqrt_f32(float a, num_round r) { return num_f64_to_f32(sqrt((double)a), r); }

uint16_t num_add_f16(uint16_t a, uint16_t b) { return num_f64_to_f16((double)num_f16_to_f32(a) + num_f16_to_f32(b)); }
uint16_t num_mul_f16(uint16_t a, uint16_t b) { return num_f64_to_f16((double)num_f16_to_f32(a) * num_f16_to_f32(b)); }
uint16_t num_fma_f16(uint16_t a, uint16_t b, uint16_t c)
{
    return num_f64_to_f16(num_add_odd((double)num_f16_to_f32(a) * num_f16_to_f32(b), num_f16_to_f32(c)));
}
uint16_t num_add_bf16(uint16_t a, uint16_t b)
{
    return num_f64_to_bf16(num_add_odd(num_bf16_to_f32(a), num_bf16_to_f32(b)));
}
uint16_t num_mul_bf16(uint16_t a, uint16_t b)
{
    return num_f64_to_bf16((double)num_bf16_to_f32(a) * num_bf16_to_f32(b));
}
uint16_t num_fma_bf16(uint16_t a, uint16_t b, uint16_t c)
{
    return num_f64_to_bf16(num_add_odd((double)num_bf16_to_f32(a) * num_bf16_to_f32(b), num_bf16_to_f32(c)));
}

/* f64: the host's own rounding mode. Volatile operands and result keep the operation between the two calls. */
static int host_mode(num_round r)
{
    return r == NUM_RZ ? FE_TOWARDZERO : r == NUM_RM ? FE_DOWNWARD : r == NUM_RP ? FE_UPWARD : FE_TONEAREST;
}
#define ROUNDED(expression)                                           \
    do {                                                              \
        volatile double result;                                       \
        fesetround(host_mode(r));                                     \
        result = (expression);                                        \
        fesetround(FE_TONEAREST);                                     \
        return result;                                                \
    } while (0)

__attribute__((noinline)) static double add_f64(volatile double a, volatile double b, num_round r) { ROUNDED(a + b); }
__attribute__((noinline)) static double mul_f64(volatile double a, volatile double b, num_round r) { ROUNDED(a * b); }
__attribute__((noinline)) static double div_f64(volatile double a, volatile double b, num_round r) { ROUNDED(a / b); }
__attribute__((noinline)) static double sqrt_f64(volatile double a, num_round r) { ROUNDED(sqrt(a)); }
__attribute__((noinline)) static double fma_f64(volatile double a, volatile double b, volatile double c, num_round r)
{
    ROUNDED(fma(a, b, c));
}

double num_add_f64(double a, double b, num_round r) { return r == NUM_RN ? a + b : add_f64(a, b, r); }
double num_mul_f64(double a, double b, num_round r) { return r == NUM_RN ? a * b : mul_f64(a, b, r); }
double num_div_f64(double a, double b, num_round r) { return r == NUM_RN ? a / b : div_f64(a, b, r); }
double num_sqrt_f64(double a, num_round r) { return r == NUM_RN ? sqrt(a) : sqrt_f64(a, r); }
double num_fma_f64(double a, double b, double c, num_round r)
{
    return r == NUM_RN ? fma(a, b, c) : fma_f64(a, b, c, r);
}

double num_rint(double x, num_round r)
{
    switch (r) {
    case NUM_RZ: return trunc(x);
    case NUM_RM: return floor(x);
    case NUM_RP: return ceil(x);
    case NUM_RNA: return round(x);
    default: return rint(x);
    }
}
