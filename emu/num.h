/* num.h - number formats: exact decoding, encoding with every rounding of the PTX ISA, bulk decoders for matrix code,
 * and arithmetic whose rounding must not depend on the compiler or on the host's rounding mode.
 * NaNs are NVIDIA's: f32 0x7fffffff, tf32 0x7fffe000, f16 and bf16 0x7fff, e4m3 and e5m2 0x7f, ue8m0 0xff. */
#ifndef EMU_NUM_H
#define EMU_NUM_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "ptx.h"

typedef enum { NUM_RN, NUM_RZ, NUM_RM, NUM_RP, NUM_RNA, NUM_RS } num_round;
enum { NUM_SATFINITE = 1, NUM_RELU = 2 };       /* flags of num_encode */

#define NUM_NAN32 0x7fffffffu
#define NUM_NAN16 0x7fffu                       /* f16 and bf16 */

static inline uint32_t num_f32_bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static inline float num_bits_f32(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }
static inline uint64_t num_f64_bits(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
static inline double num_bits_f64(uint64_t u) { double x; memcpy(&x, &u, 8); return x; }

/* ---- f32 helpers ---- */
/* NaN -> 0x7fffffff, as every f32 arithmetic instruction gives it (moves keep payloads) */
static inline float num_canon_f32(float x) { return x == x ? x : num_bits_f32(NUM_NAN32); }
/* .ftz: subnormals become zeros of the same sign */
static inline uint32_t num_ftz_bits(uint32_t u) { return u & 0x7f800000 ? u : u & 0x80000000; }
static inline float num_ftz(float x) { return num_bits_f32(num_ftz_bits(num_f32_bits(x))); }
/* .sat: clamps to [0, 1]; NaN and -0 -> +0 */
static inline float num_sat_f32(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
static inline double num_sat_f64(double x) { return x > 0 ? (x < 1 ? x : 1.0) : 0.0; }

/* ---- f16, bf16 ---- */
/* exact; NaN -> 0x7fffffff */
static inline float num_f16_to_f32(uint16_t h)
{
    uint32_t m = (uint32_t)(h & 0x7fff) << 13, s = (uint32_t)(h & 0x8000) << 16;
    if (m >= 0x0f800000) return num_bits_f32(m > 0x0f800000 ? NUM_NAN32 : s | 0x7f800000);
    if (m < 0x00800000)
        return num_bits_f32(s | num_f32_bits(num_bits_f32(m + (113u << 23)) - num_bits_f32(113u << 23)));
    return num_bits_f32(s | (m + (112u << 23)));
}
/* exact; a shift, so a NaN keeps its payload */
static inline float num_bf16_to_f32(uint16_t h) { return num_bits_f32((uint32_t)h << 16); }
/* rounding .rn */
uint16_t num_f32_to_f16(float x);
uint16_t num_f64_to_f16(double x);              /* rounded once, from the double */
uint16_t num_f64_to_bf16(double x);
static inline uint16_t num_f32_to_bf16(float x)
{
    uint32_t u = num_f32_bits(x);
    if (x != x) return NUM_NAN16;
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
/* Subnormal f16 -> zero of the same sign (.ftz.f16) */
static inline uint16_t num_ftz_f16(uint16_t h) { return h & 0x7c00 ? h : h & 0x8000; }
/* a + b, a * b, a * b + c, rounded once to nearest even; NaN -> 0x7fff */
uint16_t num_add_f16(uint16_t a, uint16_t b);
uint16_t num_mul_f16(uint16_t a, uint16_t b);
uint16_t num_fma_f16(uint16_t a, uint16_t b, uint16_t c);
uint16_t num_add_bf16(uint16_t a, uint16_t b);
uint16_t num_mul_bf16(uint16_t a, uint16_t b);
uint16_t num_fma_bf16(uint16_t a, uint16_t b, uint16_t c);

/* ---- Any format ---- */
/* Bits of an element: 4 for e2m1, 6 for e2m3, ...; packed types: of one element; 0 for types that are no numbers. */
int num_bits(ptx_type t);
/* Value of a code: f16, bf16, tf32 (the low 13 bits are ignored), f32, e4m3, e5m2, e3m2, e2m3, e2m1, ue8m0, ue4m3,
 * ue5m3, s2f6; bits
 * above the format's are ignored. NaN for a NaN code. Integer types: s2 u2 s4 u4 s8 u8 s16 u16 s32 u32 b1. */
double num_decode(ptx_type t, uint32_t code);
/* The same as f32 (exact but for s32, u32) */
float num_decode_f32(ptx_type t, uint32_t code);
/* Code of x in a floating-point format (as above, and f32), rounded once.
 * rbits, for NUM_RS alone: added to the discarded bits of the significand, its own lowest bits aligned with their
 * highest rb bits, where rb is num_rs_bits(t); a carry out rounds away from zero.
 * NUM_SATFINITE: overflow and infinity -> the largest finite value. NaN -> the format's NaN, or its largest finite
 * value if it has none. ue8m0 and ue5m3 drop the sign.
 * Formats without infinity saturate to NaN (e4m3) or the largest finite value. NUM_RELU:
 * negative, -0 -> +0. */
uint32_t num_encode(ptx_type t, double x, num_round r, int flags, uint32_t rbits);
int num_rs_bits(ptx_type t);
/* double -> f32 with any rounding (NaN -> 0x7fffffff) */
float num_f64_to_f32(double x, num_round r);

/* ---- Bulk ----
 * num_to_f32: n elements from a packed array (little-endian; 4-bit: low nibble first; 6-bit: 4 elements in 3 bytes,
 * from bit 0 up; 1- and 2-bit from bit 0 up). A packed type (PT_E4M3X2) means its element type.
 * num_bytes_to_f32: a type of up to 8 bits, each element in a byte of its own, at bit shift (0; 2 for e2m1 where mma
 * reads it).
 * num_to_i32: integer types, as num_to_f32. */
void num_to_f32(float *dst, const void *src, ptx_type t, size_t n);
void num_bytes_to_f32(float *dst, const void *src, ptx_type t, int shift, size_t n);
void num_to_i32(int32_t *dst, const void *src, ptx_type t, size_t n);
void num_f32_to_f16_n(uint16_t *dst, const float *src, size_t n);    /* rn */
void num_f32_to_bf16_n(uint16_t *dst, const float *src, size_t n);
/* 256 values of an 8-bit or smaller type (bits above the format's are ignored); NULL for others. For inner loops. */
const float *num_table(ptx_type t);

/* ---- Arithmetic with a rounding ----
 * r: NUM_RN, NUM_RZ, NUM_RM, NUM_RP. Correctly rounded, subnormals included; f32 results have canonical NaNs.
 * Independent of the host's rounding mode and left so. */
float num_add_f32(float a, float b, num_round r);               /* a - b: num_add_f32(a, -b, r) */
float num_mul_f32(float a, float b, num_round r);
float num_fma_f32(float a, float b, float c, num_round r);
float num_div_f32(float a, float b, num_round r);
float num_sqrt_f32(float a, num_round r);
static inline float num_rcp_f32(float a, num_round r) { return num_div_f32(1.0f, a, r); }
double num_add_f64(double a, double b, num_round r);
double num_mul_f64(double a, double b, num_round r);
double num_fma_f64(double a, double b, double c, num_round r);
double num_div_f64(double a, double b, num_round r);
double num_sqrt_f64(double a, num_round r);
static inline double num_rcp_f64(double a, num_round r) { return num_div_f64(1.0, a, r); }
/* p + c rounded to odd (exact if it can be): rounding this again to a format at least 2 bits narrower is rounding
 * once */
double num_add_odd(double p, double c);
/* x rounded to an integral value */
double num_rint(double x, num_round r);
#endif
