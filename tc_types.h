/* tc_types.h - tc 0.2.0 - the narrow element types: conversions from and to float, packed forms, arrays. Needs:
 * tc_core.h; host and device.
 *
 *     uint8_t code = tc_e4m3_from_f32(0.3f);                     as cvt.rn.satfinite does, on the host too
 *     float x = tc_f32_from_e4m3(code);                          0.3125
 *     uint32_t four = tc_e4m3x4(a, b, c, d);                     a in the lowest byte: a register of an fp8 fragment
 *     tc_element_set(matrix, TC_E2M1, row * k + col, 1.5f);      an array packed as tight as the type is
 *
 * CODES: s sign, e exponent, m mantissa; all round to nearest, ties to even, and saturate: what is too large, infinity
 * too, becomes the largest finite value.
 *
 *     name   stored in     bits       largest  least > 0  NaN      infinity   NaN becomes
 *     f16    uint16_t      seeeeemm.. 65504    2^-24      yes      yes (*)    0x7fff       tc_core.h
 *     bf16   uint16_t      s e8 m7    3.39e38  2^-133     yes      yes (*)    0x7fff       tc_core.h
 *     tf32   uint32_t      s e8 m10   3.40e38  2^-136     yes      yes (*)    0x7fffe000   low 13 bits are 0
 *     e4m3   uint8_t       seeeemmm   448      2^-9       0x7f     no         0x7f
 *     e5m2   uint8_t       seeeeemm   57344    2^-16      0x7d-7f  0x7c (**)  0x7f
 *     e3m2   uint8_t       seeemm     28       2^-4       no       no         28 (0x1f)
 *     e2m3   uint8_t       seemmm     7.5      2^-3       no       no         7.5 (0x1f)
 *     e2m1   uint8_t       seem       6        0.5        no       no         6 (0x7)
 *     ue8m0  uint8_t       eeeeeeee   2^127    2^-127     0xff     no         0xff         a power of two, never 0
 *     ue4m3  uint8_t       eeeemmm    448      2^-9       0x7f     no         0x7f         e4m3 unsigned: x < 0 gives 0
 *     s8 u8  int8_t uint8_t                                                   0            2's complement
 *     s4 u4  int8_t uint8_t (-8..7, 0..15)                                    0
 *     b1     uint8_t (0, 1)                                                                1 where x is not 0
 *
 *     (*) these overflow to infinity, as cvt without .satfinite does. (**) exists in e5m2 and is read, but never
 *     written.
 *
 * PACKED, the first argument in the lowest bits. 8-bit types: x2 in 16 bits, x4 in 32. e3m2, e2m3: a code has a byte of
 * its own (x2, x4), upper two bits 0, as in the registers of mma; in arrays (and what TMA reads from global memory) 4
 * codes take 3 bytes. e2m1, s4, u4: x2 in a byte, x4 in 16 bits, x8 in 32.
 *
 *     e2m1x2  7 6 5 4  3 2 1 0  array of 6-bit codes, byte 0    byte 1    byte 2
 *             second   first                          11000000  22221111  33333322  (the digit: whose bit it is)
 *
 * CONTENTS
 *     tc_X_from_f32, tc_f32_from_X             X: e4m3 e5m2 e3m2 e2m3 e2m1 ue4m3 tf32 s8 u8 s4 u4 b1;
 *                                              tc_tf32_from_f32_rna (ties away, as sm_80 has it); ue8m0:
 *                                              tc_ue8m0_from_f32_rz (down), _rp (up)
 *     tc_Xx2 tc_Xx4 tc_Xx8                     floats to packed codes
 *     tc_f32x2_from_Xx2                        two packed codes to floats (tc_f32x2)
 *     tc_f16x2_from_Xx2                        to packed f16, exact (device and host)
 *     tc_from_f32(type, x), tc_f32_from(type, code)       by tc_type; codes are uint32_t, right-aligned
 *     tc_element_get, tc_element_set, tc_element_code, tc_element_code_set     arrays of any type, packed tight
 *     TC_CVT(q, d_type, s_type, d, sources)    PTX's cvt of these types with any of its qualifiers, device
 *
 * TRAPS
 *     Where the target has the conversion (e4m3 and e5m2: sm_89; the others: a and f targets of Blackwell) the device
 *     uses it; elsewhere the same C runs as on the host. The codes are the same everywhere; the payload of a NaN that
 *     comes out as a float is not specified.
 *     PTX's cvt packs its FIRST source into the HIGH half; the functions here put the first argument low, TC_CVT does
 *     as PTX.
 */
#ifndef TC_TYPES_H
#define TC_TYPES_H

#include "tc_core.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Floats of few bits. One encoder and one decoder serve them all; the formats are the arguments.
 */
/* A format: bits of its mantissa, its least exponent, its largest code and that of NaN, both without the sign. */
typedef struct tc__float_format {
    int mbits, emin;
    uint32_t top, nan;
} tc__float_format;

/* Nearest code of |x| (sign left out). */
TC_HD uint32_t tc__float_encode(float x, const tc__float_format f)
{
    const uint32_t u = tc_bits_from_f32(x) & 0x7fffffffu;
    const int e = (int)(u >> 23) - 127, below = e < f.emin ? f.emin - e : 0, shift = 23 - f.mbits + below;
    uint32_t man = (u & 0x7fffffu) | 0x800000u, code, rest, half;
    if (u > 0x7f800000u) return f.nan;
    if (shift > 24) return 0; /* below half of the least code; the subnormals of f32 are, in every format */
    code = man >> shift;
    rest = man & ((1u << shift) - 1u);
    half = 1u << (shift - 1);
    if (rest > half || (rest == half && (code & 1u))) code++;
    /* the mantissa's leading 1 is the first step of the exponent */
    if (!below) code += (uint32_t)(e - f.emin) << f.mbits;
    return code < f.top ? code : f.top;
}

/* Value of a code without sign, NaN and infinity. */
TC_HD float tc__float_decode(uint32_t code, int mbits, int emin)
{
    const uint32_t exp = code >> mbits, man = code & ((1u << mbits) - 1u);
    /* a subnormal is man * 2^(emin - mbits) */
    if (exp == 0) return (float)man * tc_f32_from_bits((uint32_t)(emin - mbits + 127) << 23);
    return tc_f32_from_bits(((uint32_t)((int)exp + emin + 126) << 23) | (man << (23 - mbits)));
}

/* By C: tc_X_from_f32, and tc_Xx2 with a code in each `step` bits. sign: its bit, which a NaN loses; the others as
 * above. */
#define TC__FLOAT_C(X, pair, step, sign, mbits, emin, top, nan)                                                       \
    TC_HD uint8_t tc_##X##_from_f32(float x)                                                                          \
    {                                                                                                                 \
        const tc__float_format f = {mbits, emin, top, nan};                                                           \
        const uint32_t u = tc_bits_from_f32(x);                                                                       \
        return (uint8_t)(tc__float_encode(x, f) | (u >= 0x80000000u && u <= 0xff800000u ? sign : 0u));                \
    }                                                                                                                 \
    TC_HD pair tc_##X##x2(float x, float y) { return (pair)(tc_##X##_from_f32(x) | tc_##X##_from_f32(y) << step); }
/* Decoders by C. bits: of a code; inf: the code of infinity; top: the largest finite code, past it and past inf lies
 * NaN */
#define TC__FLOAT_C_BACK(X, pair, step, bits, mbits, emin, top, inf)                                                  \
    TC_HD float tc_f32_from_##X(uint8_t code)                                                                         \
    {                                                                                                                 \
        const uint32_t mag = code & ((1u << (bits - 1)) - 1u);                                                        \
        const uint32_t u = mag <= top ? tc_bits_from_f32(tc__float_decode(mag, mbits, emin))                          \
            : mag == inf ? 0x7f800000u : 0x7fffffffu;                                                                 \
        return tc_f32_from_bits(u | (uint32_t)(code >> (bits - 1) & 1) << 31);                                        \
    }                                                                                                                 \
    TC_HD uint32_t tc_f16x2_from_##X##x2(pair codes)                                                                  \
    {                                                                                                                 \
        return tc_f16_from_f32(tc_f32_from_##X((uint8_t)codes))                                                       \
            | (uint32_t)tc_f16_from_f32(tc_f32_from_##X((uint8_t)(codes >> step))) << 16;                             \
    }

/* By PTX, where it is: the same functions. */
#define TC__FLOAT_PTX(X)                                                                                              \
    TC_HD uint16_t tc_##X##x2(float x, float y)                                                                       \
    {                                                                                                                 \
        uint16_t codes;                                                                                               \
        asm("cvt.rn.satfinite." #X "x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(y), "f"(x));                              \
        return codes;                                                                                                 \
    }                                                                                                                 \
    TC_HD uint8_t tc_##X##_from_f32(float x) { return (uint8_t)tc_##X##x2(x, 0.f); }                                  \
    TC_HD uint32_t tc_f16x2_from_##X##x2(uint16_t codes)                                                              \
    {                                                                                                                 \
        uint32_t pair;                                                                                                \
        asm("cvt.rn.f16x2." #X "x2 %0, %1;" : "=r"(pair) : "h"(codes));                                               \
        return pair;                                                                                                  \
    }                                                                                                                 \
    TC_HD float tc_f32_from_##X(uint8_t code) { return tc_f32_from_f16((uint16_t)tc_f16x2_from_##X##x2(code)); }

#if defined(__CUDA_ARCH__) && TC_HAS_SM89
TC__FLOAT_PTX(e4m3)
TC__FLOAT_PTX(e5m2)
#else
TC__FLOAT_C(e4m3, uint16_t, 8, 0x80u, 3, -6, 0x7eu, 0x7fu)
TC__FLOAT_C(e5m2, uint16_t, 8, 0x80u, 2, -14, 0x7bu, 0x7fu)
TC__FLOAT_C_BACK(e4m3, uint16_t, 8, 8, 3, -6, 0x7eu, 0x80u)
TC__FLOAT_C_BACK(e5m2, uint16_t, 8, 8, 2, -14, 0x7bu, 0x7cu)
#endif

#if defined(__CUDA_ARCH__) && TC_HAS_BLACKWELL_A
TC__FLOAT_PTX(e3m2)
TC__FLOAT_PTX(e2m3)
/* e2m1x2 is PTX's .b8, for which asm has no constraint: it goes by a register of the asm's own */
TC_HD uint8_t tc_e2m1x2(float x, float y)
{
    uint32_t codes;
    asm("{\n"
        ".reg .b8 b;\n"
        "cvt.rn.satfinite.e2m1x2.f32 b, %1, %2;\n"
        "cvt.u32.u8 %0, b;\n"
        "}" : "=r"(codes) : "f"(y), "f"(x));
    return (uint8_t)codes;
}
TC_HD uint8_t tc_e2m1_from_f32(float x) { return tc_e2m1x2(x, 0.f); }
TC_HD uint32_t tc_f16x2_from_e2m1x2(uint8_t codes)
{
    uint32_t pair;
    asm("{\n"
        ".reg .b8 b;\n"
        "cvt.u8.u32 b, %1;\n"
        "cvt.rn.f16x2.e2m1x2 %0, b;\n"
        "}" : "=r"(pair) : "r"((uint32_t)codes));
    return pair;
}
TC_HD float tc_f32_from_e2m1(uint8_t code) { return tc_f32_from_f16((uint16_t)tc_f16x2_from_e2m1x2(code)); }
#else
TC__FLOAT_C(e3m2, uint16_t, 8, 0x20u, 2, -2, 0x1fu, 0x1fu)
TC__FLOAT_C(e2m3, uint16_t, 8, 0x20u, 3, 0, 0x1fu, 0x1fu)
TC__FLOAT_C(e2m1, uint8_t, 4, 0x8u, 1, 0, 0x7u, 0x7u)
TC__FLOAT_C_BACK(e3m2, uint16_t, 8, 6, 2, -2, 0x1fu, 0x20u)
TC__FLOAT_C_BACK(e2m3, uint16_t, 8, 6, 3, 0, 0x1fu, 0x20u)
TC__FLOAT_C_BACK(e2m1, uint8_t, 4, 4, 1, 0, 0x7u, 0x8u)
#endif
#undef TC__FLOAT_C
#undef TC__FLOAT_C_BACK
#undef TC__FLOAT_PTX

/* Two packed codes to floats, four floats to packed codes. */
#define TC__FLOAT_PACKS(X)                                                                                            \
    TC_HD tc_f32x2 tc_f32x2_from_##X##x2(uint16_t codes)                                                              \
    {                                                                                                                 \
        const uint32_t pair = tc_f16x2_from_##X##x2(codes);                                                           \
        tc_f32x2 r;                                                                                                   \
        r.x = tc_f32_from_f16((uint16_t)pair), r.y = tc_f32_from_f16((uint16_t)(pair >> 16));                         \
        return r;                                                                                                     \
    }                                                                                                                 \
    TC_HD uint32_t tc_##X##x4(float x, float y, float z, float w) { return tc_##X##x2(x, y) | (uint32_t)tc_##X##x2(z, \
        w) << 16; }
TC__FLOAT_PACKS(e4m3)
TC__FLOAT_PACKS(e5m2)
TC__FLOAT_PACKS(e3m2)
TC__FLOAT_PACKS(e2m3)
#undef TC__FLOAT_PACKS

TC_HD tc_f32x2 tc_f32x2_from_e2m1x2(uint8_t codes)
{
    const uint32_t pair = tc_f16x2_from_e2m1x2(codes);
    tc_f32x2 r;
    r.x = tc_f32_from_f16((uint16_t)pair), r.y = tc_f32_from_f16((uint16_t)(pair >> 16));
    return r;
}
TC_HD uint16_t tc_e2m1x4(float x, float y, float z, float w)
{
    return (uint16_t)(tc_e2m1x2(x, y) | tc_e2m1x2(z, w) << 8);
}
/* eight floats */
TC_HD uint32_t tc_e2m1x8(const float *x)
{
    return tc_e2m1x4(x[0], x[1], x[2], x[3]) | (uint32_t)tc_e2m1x4(x[4], x[5], x[6], x[7]) << 16;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Scale factors. ue8m0: code c is 2^(c - 127); the sign of x is dropped, 0 becomes 2^-127, infinity 2^127. _rz: the
 * power of two below, _rp: the one above |x|, so that nothing that is divided by it overflows. ue4m3: PTX converts e4m3
 * only, this is its upper half.
 */
#if defined(__CUDA_ARCH__) && TC_HAS_BLACKWELL_A
#define TC__UE8M0(r)                                                                                                  \
    TC_HD uint16_t tc_ue8m0x2_##r(float x, float y)                                                                   \
    {                                                                                                                 \
        uint16_t codes;                                                                                               \
        asm("cvt." #r ".satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(y), "f"(x));                           \
        return codes;                                                                                                 \
    }                                                                                                                 \
    TC_HD uint8_t tc_ue8m0_from_f32_##r(float x) { return (uint8_t)tc_ue8m0x2_##r(x, 0.f); }
TC__UE8M0(rz)
TC__UE8M0(rp)
#undef TC__UE8M0
#else
TC_HD uint8_t tc_ue8m0_from_f32_rz(float x)
{
    const uint32_t u = tc_bits_from_f32(x) & 0x7fffffffu, e = u >> 23;
    return (uint8_t)(u > 0x7f800000u ? 255u : e < 254u ? e : 254u);
}
TC_HD uint8_t tc_ue8m0_from_f32_rp(float x)
{
    const uint32_t u = tc_bits_from_f32(x) & 0x7fffffffu, e = u >> 23;
    if (u > 0x7f800000u) return 255;
    /* below 2^-126 a float is subnormal: 2^-127 is its half way */
    if (e == 0) return u > 0x400000u;
    return (uint8_t)(e + ((u & 0x7fffffu) != 0) < 254u ? e + ((u & 0x7fffffu) != 0) : 254u);
}
TC_HD uint16_t tc_ue8m0x2_rz(float x, float y)
{
    return (uint16_t)(tc_ue8m0_from_f32_rz(x) | tc_ue8m0_from_f32_rz(y) << 8);
}
TC_HD uint16_t tc_ue8m0x2_rp(float x, float y)
{
    return (uint16_t)(tc_ue8m0_from_f32_rp(x) | tc_ue8m0_from_f32_rp(y) << 8);
}
#endif
TC_HD float tc_f32_from_ue8m0(uint8_t code)
{
    return tc_f32_from_bits(code == 255 ? 0x7fffffffu : code ? (uint32_t)code << 23 : 0x400000u);
}

TC_HD uint8_t tc_ue4m3_from_f32(float x)
{
    const uint8_t code = tc_e4m3_from_f32(x);
    return code & 0x80 ? 0 : code;
}
TC_HD float tc_f32_from_ue4m3(uint8_t code) { return tc_f32_from_e4m3((uint8_t)(code & 0x7f)); }

/* ---------------------------------------------------------------------------------------------------------------------
 * tf32: the upper 19 bits of an f32. mma reads a register's upper 19 bits whatever the rest is, so an f32 without
 * conversion is one that was rounded towards zero.
 */
/* PTX: cvt.rn.tf32.f32 (sm_90), ties to even. */
TC_HD uint32_t tc_tf32_from_f32(float x)
{
#if defined(__CUDA_ARCH__) && TC_HAS_SM90
    uint32_t code;
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(code) : "f"(x));
    return code;
#else
    const uint32_t u = tc_bits_from_f32(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fffe000u;
    return (u + 0xfffu + ((u >> 13) & 1u)) & 0xffffe000u;
#endif
}

/* PTX: cvt.rna.tf32.f32 (sm_80), ties away from zero. The hardware only masks a NaN: one whose payload is all in the
 * lower 13 bits comes out as infinity. */
TC_HD uint32_t tc_tf32_from_f32_rna(float x)
{
#if defined(__CUDA_ARCH__) && TC_HAS_SM80
    uint32_t code;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(code) : "f"(x));
    return code;
#else
    const uint32_t u = tc_bits_from_f32(x);
    return ((u & 0x7f800000u) == 0x7f800000u ? u : u + 0x1000u) & 0xffffe000u;
#endif
}

TC_HD float tc_f32_from_tf32(uint32_t code) { return tc_f32_from_bits(code & 0xffffe000u); }

/* ---------------------------------------------------------------------------------------------------------------------
 * Integers: to nearest, ties to even, saturating; NaN becomes 0 (PTX: cvt.rni.sat).
 */
TC_HD int tc__int_from_f32(float x, int lo, int hi)
{
    int i;
    float part;
    if (!(x == x)) return 0;
    if (x <= (float)lo) return lo;
    if (x >= (float)hi) return hi;
    i = (int)x; /* towards zero */
    part = x - (float)i;
    if (part > 0.5f || (part == 0.5f && (i & 1))) i++;
    if (part < -0.5f || (part == -0.5f && (i & 1))) i--;
    return i;
}
TC_HD int8_t tc_s8_from_f32(float x) { return (int8_t)tc__int_from_f32(x, -128, 127); }
TC_HD uint8_t tc_u8_from_f32(float x) { return (uint8_t)tc__int_from_f32(x, 0, 255); }
TC_HD int8_t tc_s4_from_f32(float x) { return (int8_t)tc__int_from_f32(x, -8, 7); }
TC_HD uint8_t tc_u4_from_f32(float x) { return (uint8_t)tc__int_from_f32(x, 0, 15); }
TC_HD uint8_t tc_b1_from_f32(float x) { return x != 0.f; }
TC_HD float tc_f32_from_s8(int8_t x) { return (float)x; }
TC_HD float tc_f32_from_u8(uint8_t x) { return (float)x; }
/* of the low 4 bits, whatever the upper ones are */
TC_HD float tc_f32_from_s4(int8_t x) { return (float)(((x & 15) ^ 8) - 8); }
TC_HD float tc_f32_from_u4(uint8_t x) { return (float)(x & 15); }
TC_HD float tc_f32_from_b1(uint8_t x) { return (float)(x & 1); }

TC_HD uint32_t tc_s8x4(float x, float y, float z, float w)
{
    return (uint32_t)(uint8_t)tc_s8_from_f32(x) | (uint32_t)(uint8_t)tc_s8_from_f32(y) << 8
         | (uint32_t)(uint8_t)tc_s8_from_f32(z) << 16 | (uint32_t)(uint8_t)tc_s8_from_f32(w) << 24;
}
TC_HD uint32_t tc_u8x4(float x, float y, float z, float w)
{
    return tc_u8_from_f32(x) | (uint32_t)tc_u8_from_f32(y) << 8 | (uint32_t)tc_u8_from_f32(z) << 16
         | (uint32_t)tc_u8_from_f32(w) << 24;
}
/* eight floats to a register; 32 floats to a register */
TC_HD uint32_t tc_s4x8(const float *x)
{
    uint32_t r = 0;
    int i;
    for (i = 0; i < 8; i++) r |= ((uint32_t)tc_s4_from_f32(x[i]) & 15u) << 4 * i;
    return r;
}
TC_HD uint32_t tc_u4x8(const float *x)
{
    uint32_t r = 0;
    int i;
    for (i = 0; i < 8; i++) r |= (uint32_t)tc_u4_from_f32(x[i]) << 4 * i;
    return r;
}
TC_HD uint32_t tc_b1x32(const float *x)
{
    uint32_t r = 0;
    int i;
    for (i = 0; i < 32; i++) r |= (uint32_t)tc_b1_from_f32(x[i]) << i;
    return r;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * By tc_type. f32 is its own code; types of 64 bits have none here (0). ue8m0 is rounded up.
 */
TC_HD uint32_t tc_from_f32(int type, float x)
{
    switch (type) {
    case TC_F16: return tc_f16_from_f32(x);
    case TC_BF16: return tc_bf16_from_f32(x);
    case TC_F32: return tc_bits_from_f32(x);
    case TC_TF32: return tc_tf32_from_f32(x);
    case TC_E4M3: return tc_e4m3_from_f32(x);
    case TC_E5M2: return tc_e5m2_from_f32(x);
    case TC_E3M2: return tc_e3m2_from_f32(x);
    case TC_E2M3: return tc_e2m3_from_f32(x);
    case TC_E2M1: return tc_e2m1_from_f32(x);
    case TC_UE8M0: return tc_ue8m0_from_f32_rp(x);
    case TC_UE4M3: return tc_ue4m3_from_f32(x);
    case TC_S8: return (uint8_t)tc_s8_from_f32(x);
    case TC_U8: return tc_u8_from_f32(x);
    case TC_S4: return (uint32_t)tc_s4_from_f32(x) & 15u;
    case TC_U4: return tc_u4_from_f32(x);
    case TC_B1: return tc_b1_from_f32(x);
    default: return 0;
    }
}

TC_HD float tc_f32_from(int type, uint32_t code)
{
    switch (type) {
    case TC_F16: return tc_f32_from_f16((uint16_t)code);
    case TC_BF16: return tc_f32_from_bf16((uint16_t)code);
    case TC_F32: return tc_f32_from_bits(code);
    case TC_TF32: return tc_f32_from_tf32(code);
    case TC_E4M3: return tc_f32_from_e4m3((uint8_t)code);
    case TC_E5M2: return tc_f32_from_e5m2((uint8_t)code);
    case TC_E3M2: return tc_f32_from_e3m2((uint8_t)(code & 63));
    case TC_E2M3: return tc_f32_from_e2m3((uint8_t)(code & 63));
    case TC_E2M1: return tc_f32_from_e2m1((uint8_t)(code & 15));
    case TC_UE8M0: return tc_f32_from_ue8m0((uint8_t)code);
    case TC_UE4M3: return tc_f32_from_ue4m3((uint8_t)code);
    case TC_S8: return tc_f32_from_s8((int8_t)code);
    case TC_U8: return tc_f32_from_u8((uint8_t)code);
    case TC_S4: return tc_f32_from_s4((int8_t)code);
    case TC_U4: return tc_f32_from_u4((uint8_t)code);
    case TC_B1: return tc_f32_from_b1((uint8_t)code);
    default: return 0.f;
    }
}

/* Element i of an array that is packed as tight as the type is, the first in the lowest bits; types of up to 32 bits.
 * Bytes are read and written one by one: two threads that write to one byte (4, 6 and 1 bits) must not do so at a
 * time. */
TC_HD uint32_t tc_element_code(const void *array, int type, uint64_t i)
{
    const uint32_t bits = (uint32_t)tc_type_bits(type);
    const uint64_t at = i * bits;
    const uint8_t *p = (const uint8_t *)array + at / 8;
    const uint32_t shift = (uint32_t)(at % 8);
    uint32_t code = 0, n;
    for (n = 0; n * 8 < shift + bits && n < 4; n++) code |= (uint32_t)p[n] << 8 * n;
    code >>= shift;
    return bits < 32 ? code & ((1u << bits) - 1u) : code;
}
TC_HD void tc_element_code_set(void *array, int type, uint64_t i, uint32_t code)
{
    const uint32_t bits = (uint32_t)tc_type_bits(type);
    const uint64_t at = i * bits;
    uint8_t *p = (uint8_t *)array + at / 8;
    const uint32_t shift = (uint32_t)(at % 8), mask = (bits < 32 ? (1u << bits) - 1u : 0xffffffffu) << shift;
    uint32_t n;
    code = code << shift & mask;
    for (n = 0; n * 8 < shift + bits && n < 4; n++) p[n] = (uint8_t)((p[n] & ~(mask >> 8 * n)) | code >> 8 * n);
}
TC_HD float tc_element_get(const void *array, int type, uint64_t i)
{
    return tc_f32_from(type, tc_element_code(array, type, i));
}
TC_HD void tc_element_set(void *array, int type, uint64_t i, float x)
{ tc_element_code_set(array, type, i, tc_from_f32(type, x)); }

#ifdef __CUDACC__
/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: cvt. TC_CVT(q, d_type, s_type, d, sources): q are the qualifiers between cvt and the types, with their dots;
 * operands as in PTX, the first source into the high half.
 *
 *     q                                           d_type                   s_type            d, sources
 *     .rna{.satfinite}                            tf32                     f32     sm_80     b32, f
 *     .rn .rz {.relu}                             tf32                     f32     sm_90     b32, f
 *     .rn .rz {.relu}.satfinite                   tf32                     f32     sm_100    b32, f
 *     .rn .rz {.relu}                             f16 bf16                 f32     sm_80     b16, f        (f16 without
 *                                                                                                          .relu: all)
 *     .rn .rz {.relu}                             f16x2 bf16x2             f32     sm_80     b32, f, f
 *     .rn.satfinite{.relu}                        e4m3x2 e5m2x2            f32     sm_89     b16, f, f
 *     .rn.satfinite{.relu}                        e4m3x2 e5m2x2            f16x2   sm_89     b16, b32
 *     .rn{.relu}                                  f16x2            e4m3x2 e5m2x2   sm_89     b32, b16
 *     .rn.satfinite{.relu}                        e2m3x2 e3m2x2            f32     B         b16, f, f
 *     .rn{.relu}                                  f16x2            e2m3x2 e3m2x2   B         b32, b16
 *     .rn.satfinite{.relu}                        e2m1x2                   f32     B         b32, f, f     (code in the
 *                                                                                                          low byte)
 *     .rn{.relu}                                  f16x2                 e2m1x2     B         b32, b32
 *     .rz .rp .satfinite                          ue8m0x2                  f32     B         b16, f, f
 *     .rz .rp .satfinite                          ue8m0x2               bf16x2     B         b16, b32
 *     .rn                                         bf16x2               ue8m0x2     B         b32, b16
 *     .rs{.relu}.satfinite                        e4m3x4 e5m2x4 e2m3x4 e3m2x4  f32 R         b32, f, f, f, f, b32
 *                                                                                            (random bits)
 *     .rs{.relu}.satfinite                        e2m1x4                   f32     R         b16, f, f, f, f, b32
 *     .rs{.relu}{.satfinite}                      f16x2 bf16x2             f32     R         b32, f, f, b32
 *                                                 B: a and f targets of Blackwell; R: sm_100a, sm_103a, sm_107a
 *                                                 (stochastic rounding)
 * Newer PTX. narrow: e4m3x2 e5m2x2 e2m3x2 e3m2x2 (b16), e2m1x2 (b32); A: a targets of Blackwell; S: sm_107a, sm_107f
 *     .rn.satfinite{.relu}                        narrow               bf16x2    B         9.1  (the last three of them
 *                                                                                               from f16x2 too)
 *     .rn.satfinite{.relu}                        s2f6x2           f32 bf16x2    A         9.1  b16, .. (.rz: sm_107a)
 *     .rn{.satfinite}{.relu}                      bf16x2               s2f6x2    A         9.1  b32, b16
 *     .rn{.relu}{.satfinite}                      bf16x2               narrow    B         9.2
 *     .rz for .rn, and .pzo at the end            narrow     f32 f16x2 bf16x2    S         9.4  .pzo: -0 becomes 0
 *     .rn .rz {.relu}{.satfinite}.pzo             f16 bf16 f16x2 bf16x2   f32    S         9.4
 *     .rn .rz {.satfinite}{.relu}.pzo             tf32                    f32    S         9.4
 *     .rn .rz .rp {.satfinite}                    ue5m3x2    f32 f16x2 bf16x2    S         9.4  b16, ..
 *     .rn   .rn{.satfinite}                       f16x2   bf16x2      ue5m3x2    S         9.4  b32, b16
 *   and with a scale as one operand more: .scaled::n1::ue8m0 at the end (to narrow and ue5m3x2; S, 9.4; 32 bits, a code
 *   in the lowest 8): both values are divided by it. .scaled::n2::ue8m0 (to s2f6x2, and from all of these to bf16x2; 16
 *   bits, a code for each): divided by them, or multiplied.
 */
#define TC__CVT_CHECK(q, rule, name, legal)                                                                           \
    static_assert(tc__follows(#q, rule), "tc: cvt to " name ": the qualifiers are " legal)
#define TC__CVT_1(q, D, S, dc, sc, d, a) asm("cvt" #q "." #D "." #S " %0, %1;" : dc(d) : sc(a))
#define TC__CVT_2(q, D, S, dc, sc, d, a, b) asm("cvt" #q "." #D "." #S " %0, %1, %2;" : dc(d) : sc(a), sc(b))
#define TC__CVT_tf32_f32_2 ~, TC__CVT_TF32
#define TC__CVT_f16_f32_2 ~, TC__CVT_F16
#define TC__CVT_bf16_f32_2 ~, TC__CVT_F16
#define TC__CVT_f16x2_f32_3 ~, TC__CVT_F16X2
#define TC__CVT_bf16x2_f32_3 ~, TC__CVT_F16X2
#define TC__CVT_f16x2_f32_4 ~, TC__CVT_F16X2_RS
#define TC__CVT_bf16x2_f32_4 ~, TC__CVT_F16X2_RS
#define TC__CVT_e4m3x2_f32_3 ~, TC__CVT_F8
#define TC__CVT_e4m3x2_f32_4 ~, TC__CVT_F8_N1
#define TC__CVT_e4m3x2_f16x2_2 ~, TC__CVT_F8_F16X2
#define TC__CVT_e4m3x2_f16x2_3 ~, TC__CVT_F8_X2_N1
#define TC__CVT_e4m3x2_bf16x2_2 ~, TC__CVT_F8_X2
#define TC__CVT_e4m3x2_bf16x2_3 ~, TC__CVT_F8_X2_N1
#define TC__CVT_f16x2_e4m3x2_2 ~, TC__CVT_F16X2_F8
#define TC__CVT_bf16x2_e4m3x2_2 ~, TC__CVT_BF16X2_F8
#define TC__CVT_bf16x2_e4m3x2_3 ~, TC__CVT_BF16X2_F8_N2
#define TC__CVT_e5m2x2_f32_3 ~, TC__CVT_F8
#define TC__CVT_e5m2x2_f32_4 ~, TC__CVT_F8_N1
#define TC__CVT_e5m2x2_f16x2_2 ~, TC__CVT_F8_F16X2
#define TC__CVT_e5m2x2_f16x2_3 ~, TC__CVT_F8_X2_N1
#define TC__CVT_e5m2x2_bf16x2_2 ~, TC__CVT_F8_X2
#define TC__CVT_e5m2x2_bf16x2_3 ~, TC__CVT_F8_X2_N1
#define TC__CVT_f16x2_e5m2x2_2 ~, TC__CVT_F16X2_F8
#define TC__CVT_bf16x2_e5m2x2_2 ~, TC__CVT_BF16X2_F8
#define TC__CVT_bf16x2_e5m2x2_3 ~, TC__CVT_BF16X2_F8_N2
#define TC__CVT_e2m3x2_f32_3 ~, TC__CVT_F6
#define TC__CVT_e2m3x2_f32_4 ~, TC__CVT_F6_N1
#define TC__CVT_e2m3x2_f16x2_2 ~, TC__CVT_F6_X2
#define TC__CVT_e2m3x2_f16x2_3 ~, TC__CVT_F6_X2_N1
#define TC__CVT_e2m3x2_bf16x2_2 ~, TC__CVT_F6_X2
#define TC__CVT_e2m3x2_bf16x2_3 ~, TC__CVT_F6_X2_N1
#define TC__CVT_f16x2_e2m3x2_2 ~, TC__CVT_F16X2_F6
#define TC__CVT_bf16x2_e2m3x2_2 ~, TC__CVT_BF16X2_F8
#define TC__CVT_bf16x2_e2m3x2_3 ~, TC__CVT_BF16X2_F8_N2
#define TC__CVT_e3m2x2_f32_3 ~, TC__CVT_F6
#define TC__CVT_e3m2x2_f32_4 ~, TC__CVT_F6_N1
#define TC__CVT_e3m2x2_f16x2_2 ~, TC__CVT_F6_X2
#define TC__CVT_e3m2x2_f16x2_3 ~, TC__CVT_F6_X2_N1
#define TC__CVT_e3m2x2_bf16x2_2 ~, TC__CVT_F6_X2
#define TC__CVT_e3m2x2_bf16x2_3 ~, TC__CVT_F6_X2_N1
#define TC__CVT_f16x2_e3m2x2_2 ~, TC__CVT_F16X2_F6
#define TC__CVT_bf16x2_e3m2x2_2 ~, TC__CVT_BF16X2_F8
#define TC__CVT_bf16x2_e3m2x2_3 ~, TC__CVT_BF16X2_F8_N2
#define TC__CVT_e2m1x2_f32_3 ~, TC__CVT_F4
#define TC__CVT_e2m1x2_f32_4 ~, TC__CVT_F4_N1
#define TC__CVT_e2m1x2_f16x2_2 ~, TC__CVT_F4_X2
#define TC__CVT_e2m1x2_f16x2_3 ~, TC__CVT_F4_X2_N1
#define TC__CVT_e2m1x2_bf16x2_2 ~, TC__CVT_F4_X2
#define TC__CVT_e2m1x2_bf16x2_3 ~, TC__CVT_F4_X2_N1
#define TC__CVT_f16x2_e2m1x2_2 ~, TC__CVT_F16X2_F4
#define TC__CVT_bf16x2_e2m1x2_2 ~, TC__CVT_BF16X2_F4
#define TC__CVT_bf16x2_e2m1x2_3 ~, TC__CVT_BF16X2_F4_N2
#define TC__CVT_s2f6x2_f32_3 ~, TC__CVT_S2F6
#define TC__CVT_s2f6x2_f32_4 ~, TC__CVT_S2F6_N2
#define TC__CVT_s2f6x2_bf16x2_2 ~, TC__CVT_S2F6_X2
#define TC__CVT_s2f6x2_bf16x2_3 ~, TC__CVT_S2F6_X2_N2
#define TC__CVT_bf16x2_s2f6x2_2 ~, TC__CVT_BF16X2_S2F6
#define TC__CVT_bf16x2_s2f6x2_3 ~, TC__CVT_BF16X2_S2F6_N2
#define TC__CVT_ue5m3x2_f32_3 ~, TC__CVT_E5
#define TC__CVT_ue5m3x2_f32_4 ~, TC__CVT_E5_N1
#define TC__CVT_ue5m3x2_f16x2_2 ~, TC__CVT_E5_X2
#define TC__CVT_ue5m3x2_bf16x2_2 ~, TC__CVT_E5_X2
#define TC__CVT_ue5m3x2_f16x2_3 ~, TC__CVT_E5_X2_N1
#define TC__CVT_ue5m3x2_bf16x2_3 ~, TC__CVT_E5_X2_N1
#define TC__CVT_f16x2_ue5m3x2_2 ~, TC__CVT_F16X2_E5
#define TC__CVT_bf16x2_ue5m3x2_2 ~, TC__CVT_BF16X2_E5
#define TC__CVT_bf16x2_ue5m3x2_3 ~, TC__CVT_BF16X2_E5_N2
#define TC__CVT_ue8m0x2_f32_3 ~, TC__CVT_E8
#define TC__CVT_ue8m0x2_bf16x2_2 ~, TC__CVT_E8_BF16X2
#define TC__CVT_bf16x2_ue8m0x2_2 ~, TC__CVT_BF16X2_E8
#define TC__CVT_e4m3x4_f32_6 ~, TC__CVT_X4
#define TC__CVT_e5m2x4_f32_6 ~, TC__CVT_X4
#define TC__CVT_e2m3x4_f32_6 ~, TC__CVT_X4
#define TC__CVT_e3m2x4_f32_6 ~, TC__CVT_X4
#define TC__CVT_e2m1x4_f32_6 ~, TC__CVT_F4X4

#define TC__CVT_TF32(q, D, S, d, a)                                                                                   \
    TC__CVT_107(q);                                                                                                   \
    static_assert(tc__follows(#q, ".rna |.satfinite") || tc__follows(#q, ".rn|.rz |.relu |.satfinite")                \
                  || tc__follows(#q, ".rn|.rz |.satfinite |.relu .pzo"),                                              \
                  "tc: cvt to tf32: the qualifiers are .rna{.satfinite}, or .rn or .rz with {.relu}{.satfinite} or "  \
                  "with {.satfinite}{.relu}.pzo");                                                                    \
    static_assert(TC_HAS_SM90 || tc__holds(#q, ".rna"),                                                               \
                  "tc: cvt to tf32 with .rn or .rz needs sm_90: compile with -gencode arch=compute_90,code=sm_90, "   \
                  "or use .rna");                                                                                     \
    static_assert(TC_HAS_SM100 || tc__holds(#q, ".rna") || !tc__holds(#q, ".satfinite"),                              \
                  "tc: cvt to tf32 with .rn or .rz and .satfinite needs sm_100: compile with -gencode "               \
                  "arch=compute_100,code=sm_100");                                                                    \
    tc__needs_sm80();                                                                                                 \
    TC__CVT_1(q, D, S, "=r", "f", d, a)
#define TC__CVT_F16(q, D, S, d, a)                                                                                    \
    TC__CVT_107(q);                                                                                                   \
    static_assert(tc__follows(#q, ".rn|.rz |.relu") || tc__follows(#q, ".rn|.rz |.relu |.satfinite .pzo"),            \
                  "tc: cvt to f16 or bf16: the qualifiers are .rn or .rz, {.relu}, then {.satfinite}.pzo if at all"); \
    static_assert(TC_HAS_SM80 || (tc__follows(#D, "f16") && !tc__holds(#q, ".relu")),                                 \
                  "tc: cvt to bf16, and .relu, need sm_80: compile with -gencode arch=compute_80,code=sm_80");        \
    TC__CVT_1(q, D, S, "=h", "f", d, a)
#define TC__CVT_F16X2(q, D, S, d, a, b)                                                                               \
    TC__CVT_107(q);                                                                                                   \
    static_assert(tc__follows(#q, ".rn|.rz |.relu") || tc__follows(#q, ".rn|.rz |.relu |.satfinite .pzo"),            \
                  "tc: cvt to f16x2 or bf16x2: the qualifiers are .rn or .rz, {.relu}, then {.satfinite}.pzo if " \
                  "at all; .rs takes random bits as a third source");                                                  \
    tc__needs_sm80();                                                                                                 \
    TC__CVT_2(q, D, S, "=r", "f", d, a, b)
#define TC__CVT_F16X2_RS(q, D, S, d, a, b, bits)                                                                      \
    TC__CVT_CHECK(q, ".rs |.relu |.satfinite", "f16x2 or bf16x2 with random bits", ".rs{.relu}{.satfinite}");         \
    tc__needs_cvt_rs();                                                                                               \
    asm("cvt" #q "." #D "." #S " %0, %1, %2, %3;" : "=r"(d) : "f"(a), "f"(b), "r"(bits))
/* what PTX 9.4 added for sm_107: toward zero (to the narrow floats), no negative zeros, a common scale */
#define TC__CVT_107(q)                                                                                                \
    TC__NEEDS_PTX_IF(94, tc__holds(#q, ".pzo") || tc__holds(#q, "::n1"), "cvt with .pzo or .scaled::n1");             \
    TC__NEEDS_SM107A_IF(tc__holds(#q, ".pzo") || tc__holds(#q, "::n1"), "cvt with .pzo or .scaled::n1")
#define TC__CVT_NARROW(q, D, rule, text)                                                                              \
    TC__CVT_CHECK(q, ".rn|.rz .satfinite |.relu |.pzo" rule, #D,                                                      \
                  ".rn.satfinite or (sm_107) .rz.satfinite, {.relu}, (sm_107) {.pzo}" text);                          \
    TC__NEEDS_PTX_IF(94, tc__holds(#q, ".rz"), "cvt to " #D " with .rz");                                             \
    TC__NEEDS_SM107A_IF(tc__holds(#q, ".rz"), "cvt to " #D " with .rz");                                              \
    TC__CVT_107(q)
#define TC__CVT_NARROW_N1(q, D)                                                                                       \
    TC__CVT_NARROW(q, D, " .scaled::n1::ue8m0", ", and .scaled::n1::ue8m0 with a scale as the last operand")
/* with the codes of two e2m1, or a scale of 8 bits, in a register of the asm */
#define TC__CVT_2_N1(q, D, S, dc, sc, d, a, b, s)                                                                     \
    asm("{\n.reg .b8 s;\ncvt.u8.u32 s, %3;\ncvt" #q "." #D "." #S " %0, %1, %2, s;\n}"                                \
        : dc(d) : sc(a), sc(b), "r"((uint32_t)(s)))
#define TC__CVT_1_N1(q, D, S, dc, sc, d, a, s)                                                                        \
    asm("{\n.reg .b8 s;\ncvt.u8.u32 s, %2;\ncvt" #q "." #D "." #S " %0, %1, s;\n}" : dc(d) : sc(a), "r"((uint32_t)(s)))
#define TC__CVT_F8(q, D, S, d, a, b)                                                                                  \
    TC__CVT_NARROW(q, D, "", "");                                                                                     \
    tc__needs_sm89();                                                                                                 \
    TC__CVT_2(q, D, S, "=h", "f", d, a, b)
#define TC__CVT_F8_N1(q, D, S, d, a, b, s)                                                                            \
    TC__CVT_NARROW_N1(q, D);                                                                                          \
    TC__CVT_2_N1(q, D, S, "=h", "f", d, a, b, s)
#define TC__CVT_F8_F16X2(q, D, S, d, a)                                                                               \
    TC__CVT_NARROW(q, D, "", "");                                                                                     \
    tc__needs_sm89();                                                                                                 \
    TC__CVT_1(q, D, S, "=h", "r", d, a)
#define TC__CVT_F8_X2(q, D, S, d, a)                                                                                  \
    TC__CVT_NARROW(q, D, "", "");                                                                                     \
    TC__NEEDS_PTX(91, "cvt to " #D " from " #S);                                                                      \
    tc__needs_blackwell_a();                                                                                          \
    TC__CVT_1(q, D, S, "=h", "r", d, a)
#define TC__CVT_F8_X2_N1(q, D, S, d, a, s)                                                                            \
    TC__CVT_NARROW_N1(q, D);                                                                                          \
    TC__CVT_1_N1(q, D, S, "=h", "r", d, a, s)
#define TC__CVT_F6(q, D, S, d, a, b)                                                                                  \
    TC__CVT_NARROW(q, D, "", "");                                                                                     \
    tc__needs_blackwell_a();                                                                                          \
    TC__CVT_2(q, D, S, "=h", "f", d, a, b)
#define TC__CVT_F6_N1 TC__CVT_F8_N1
#define TC__CVT_F6_X2 TC__CVT_F8_X2
#define TC__CVT_F6_X2_N1 TC__CVT_F8_X2_N1
#define TC__CVT_F4(q, D, S, d, a, b)                                                                                  \
    TC__CVT_NARROW(q, D, "", "");                                                                                     \
    tc__needs_blackwell_a();                                                                                          \
    asm("{\n.reg .b8 b;\ncvt" #q ".e2m1x2.f32 b, %1, %2;\ncvt.u32.u8 %0, b;\n}" : "=r"(d) : "f"(a), "f"(b))
#define TC__CVT_F4_N1(q, D, S, d, a, b, s)                                                                            \
    TC__CVT_NARROW_N1(q, D);                                                                                          \
    asm("{\n.reg .b8 b;\n.reg .b8 s;\ncvt.u8.u32 s, %3;\ncvt" #q ".e2m1x2.f32 b, %1, %2, s;\ncvt.u32.u8 %0, b;\n}"    \
        : "=r"(d) : "f"(a), "f"(b), "r"((uint32_t)(s)))
#define TC__CVT_F4_X2(q, D, S, d, a)                                                                                  \
    TC__CVT_NARROW(q, D, "", "");                                                                                     \
    TC__NEEDS_PTX(91, "cvt to " #D " from " #S);                                                                      \
    tc__needs_blackwell_a();                                                                                          \
    asm("{\n.reg .b8 b;\ncvt" #q ".e2m1x2." #S " b, %1;\ncvt.u32.u8 %0, b;\n}" : "=r"(d) : "r"(a))
#define TC__CVT_F4_X2_N1(q, D, S, d, a, s)                                                                            \
    TC__CVT_NARROW_N1(q, D);                                                                                          \
    asm("{\n.reg .b8 b;\n.reg .b8 s;\ncvt.u8.u32 s, %2;\ncvt" #q ".e2m1x2." #S " b, %1, s;\ncvt.u32.u8 %0, b;\n}"     \
        : "=r"(d) : "r"(a), "r"((uint32_t)(s)))
#define TC__CVT_F16X2_F8(q, D, S, d, a)                                                                               \
    TC__CVT_CHECK(q, ".rn |.relu", "f16x2", ".rn{.relu}");                                                            \
    tc__needs_sm89();                                                                                                 \
    TC__CVT_1(q, D, S, "=r", "h", d, a)
#define TC__CVT_F16X2_F6(q, D, S, d, a)                                                                               \
    TC__CVT_CHECK(q, ".rn |.relu", "f16x2", ".rn{.relu}");                                                            \
    tc__needs_blackwell_a();                                                                                          \
    TC__CVT_1(q, D, S, "=r", "h", d, a)
#define TC__CVT_F16X2_F4(q, D, S, d, a)                                                                               \
    TC__CVT_CHECK(q, ".rn |.relu", "f16x2", ".rn{.relu}");                                                            \
    tc__needs_blackwell_a();                                                                                          \
    asm("{\n.reg .b8 b;\ncvt.u8.u32 b, %1;\ncvt" #q ".f16x2.e2m1x2 %0, b;\n}" : "=r"(d) : "r"(a))
/* to bf16x2; n2: two ue8m0 that the values are multiplied by, the last operand, 16 bits */
#define TC__CVT_WIDEN(q, D, S, rule, n2)                                                                              \
    TC__CVT_CHECK(q, rule n2, #D " from " #S, ".rn with {.relu}{.satfinite} (s2f6x2: the other way round; ue5m3x2: "  \
                  "{.satfinite} alone), and .scaled::n2::ue8m0 if scales are the last operand")
#define TC__CVT_N2 " .scaled::n2::ue8m0"
#define TC__CVT_1_N2(q, D, S, dc, sc, d, a, s)                                                                        \
    asm("cvt" #q "." #D "." #S " %0, %1, %2;" : dc(d) : sc(a), "h"((uint16_t)(s)))
#define TC__CVT_BF16X2_F8(q, D, S, d, a)                                                                              \
    TC__CVT_WIDEN(q, D, S, ".rn |.relu |.satfinite", "");                                                             \
    TC__NEEDS_PTX(92, "cvt to bf16x2 from " #S);                                                                      \
    tc__needs_blackwell_a();                                                                                          \
    TC__CVT_1(q, D, S, "=r", "h", d, a)
#define TC__CVT_BF16X2_F8_N2(q, D, S, d, a, s)                                                                        \
    TC__CVT_WIDEN(q, D, S, ".rn |.relu |.satfinite", TC__CVT_N2);                                                     \
    TC__NEEDS_PTX(92, "cvt to bf16x2 from " #S);                                                                      \
    tc__needs_blackwell_a();                                                                                          \
    TC__CVT_1_N2(q, D, S, "=r", "h", d, a, s)
#define TC__CVT_BF16X2_F4(q, D, S, d, a)                                                                              \
    TC__CVT_WIDEN(q, D, S, ".rn |.relu |.satfinite", "");                                                             \
    TC__NEEDS_PTX(92, "cvt to bf16x2 from " #S);                                                                      \
    tc__needs_blackwell_a();                                                                                          \
    asm("{\n.reg .b8 b;\ncvt.u8.u32 b, %1;\ncvt" #q ".bf16x2.e2m1x2 %0, b;\n}" : "=r"(d) : "r"(a))
#define TC__CVT_BF16X2_F4_N2(q, D, S, d, a, s)                                                                        \
    TC__CVT_WIDEN(q, D, S, ".rn |.relu |.satfinite", TC__CVT_N2);                                                     \
    TC__NEEDS_PTX(92, "cvt to bf16x2 from " #S);                                                                      \
    tc__needs_blackwell_a();                                                                                          \
    asm("{\n.reg .b8 b;\ncvt.u8.u32 b, %1;\ncvt" #q ".bf16x2.e2m1x2 %0, b, %2;\n}" : "=r"(d)                          \
        : "r"(a), "h"((uint16_t)(s)))
/* s2f6: 8 bits of fixed point, -2 .. 1 63/64; a targets */
#define TC__CVT_S2F6_CHECK(q, D, n2)                                                                                  \
    TC__CVT_CHECK(q, ".rn|.rz .satfinite |.relu" n2, #D,                                                              \
                  ".rn.satfinite or (sm_107a) .rz.satfinite, {.relu}, .scaled::n2::ue8m0 if scales come last");       \
    TC__NEEDS_PTX(91, "cvt to s2f6x2");                                                                               \
    TC__NEEDS_PTX_IF(94, tc__holds(#q, ".rz"), "cvt to s2f6x2 with .rz");                                             \
    TC__NEEDS_TARGET_IF(TC_HAS_BLACKWELL_A_ONLY, 1, "cvt to s2f6x2", "an a target of Blackwell", "100a");             \
    TC__NEEDS_SM107A_ONLY_IF(tc__holds(#q, ".rz"), "cvt to s2f6x2 with .rz")
#define TC__CVT_S2F6(q, D, S, d, a, b)                                                                                \
    TC__CVT_S2F6_CHECK(q, D, "");                                                                                     \
    TC__CVT_2(q, D, S, "=h", "f", d, a, b)
#define TC__CVT_S2F6_N2(q, D, S, d, a, b, s)                                                                          \
    TC__CVT_S2F6_CHECK(q, D, TC__CVT_N2);                                                                             \
    asm("cvt" #q "." #D "." #S " %0, %1, %2, %3;" : "=h"(d) : "f"(a), "f"(b), "h"((uint16_t)(s)))
#define TC__CVT_S2F6_X2(q, D, S, d, a)                                                                                \
    TC__CVT_S2F6_CHECK(q, D, "");                                                                                     \
    TC__CVT_1(q, D, S, "=h", "r", d, a)
#define TC__CVT_S2F6_X2_N2(q, D, S, d, a, s)                                                                          \
    TC__CVT_S2F6_CHECK(q, D, TC__CVT_N2);                                                                             \
    TC__CVT_1_N2(q, D, S, "=h", "r", d, a, s)
#define TC__CVT_BF16X2_S2F6_CHECK(q, D, S, n2)                                                                        \
    TC__CVT_WIDEN(q, D, S, ".rn |.satfinite |.relu", n2);                                                             \
    TC__NEEDS_PTX(91, "cvt to bf16x2 from s2f6x2");                                                                   \
    TC__NEEDS_TARGET_IF(TC_HAS_BLACKWELL_A_ONLY, 1, "cvt from s2f6x2", "an a target of Blackwell", "100a")
#define TC__CVT_BF16X2_S2F6(q, D, S, d, a)                                                                            \
    TC__CVT_BF16X2_S2F6_CHECK(q, D, S, "");                                                                           \
    TC__CVT_1(q, D, S, "=r", "h", d, a)
#define TC__CVT_BF16X2_S2F6_N2(q, D, S, d, a, s)                                                                      \
    TC__CVT_BF16X2_S2F6_CHECK(q, D, S, TC__CVT_N2);                                                                   \
    TC__CVT_1_N2(q, D, S, "=r", "h", d, a, s)
/* ue5m3: scale factors of sm_107 */
#define TC__CVT_E5_NEEDS()                                                                                            \
    TC__NEEDS_PTX(94, "cvt of ue5m3x2");                                                                              \
    TC__NEEDS_SM107A_IF(1, "cvt of ue5m3x2")
#define TC__CVT_E5_CHECK(q, rule, text)                                                                               \
    TC__CVT_CHECK(q, rule, "ue5m3x2", text);                                                                          \
    TC__CVT_E5_NEEDS()
#define TC__CVT_E5(q, D, S, d, a, b)                                                                                  \
    TC__CVT_E5_CHECK(q, ".rn|.rz|.rp |.satfinite", ".rn, .rz or .rp, {.satfinite}");                                  \
    TC__CVT_2(q, D, S, "=h", "f", d, a, b)
#define TC__CVT_E5_N1(q, D, S, d, a, b, s)                                                                            \
    TC__CVT_E5_CHECK(q, ".rn|.rz |.satfinite .scaled::n1::ue8m0", ".rn or .rz, {.satfinite}, .scaled::n1::ue8m0");    \
    TC__CVT_2_N1(q, D, S, "=h", "f", d, a, b, s)
#define TC__CVT_E5_X2(q, D, S, d, a)                                                                                  \
    TC__CVT_E5_CHECK(q, ".rn|.rz|.rp |.satfinite", ".rn, .rz or .rp, {.satfinite}");                                  \
    TC__CVT_1(q, D, S, "=h", "r", d, a)
#define TC__CVT_E5_X2_N1(q, D, S, d, a, s)                                                                            \
    TC__CVT_E5_CHECK(q, ".rn|.rz |.satfinite .scaled::n1::ue8m0", ".rn or .rz, {.satfinite}, .scaled::n1::ue8m0");    \
    TC__CVT_1_N1(q, D, S, "=h", "r", d, a, s)
#define TC__CVT_F16X2_E5(q, D, S, d, a)                                                                               \
    TC__CVT_CHECK(q, ".rn", "f16x2 from ue5m3x2", ".rn");                                                             \
    TC__CVT_E5_NEEDS();                                                                                               \
    TC__CVT_1(q, D, S, "=r", "h", d, a)
#define TC__CVT_BF16X2_E5(q, D, S, d, a)                                                                              \
    TC__CVT_WIDEN(q, D, S, ".rn |.satfinite", "");                                                                    \
    TC__CVT_E5_NEEDS();                                                                                               \
    TC__CVT_1(q, D, S, "=r", "h", d, a)
#define TC__CVT_BF16X2_E5_N2(q, D, S, d, a, s)                                                                        \
    TC__CVT_WIDEN(q, D, S, ".rn |.satfinite", TC__CVT_N2);                                                            \
    TC__CVT_E5_NEEDS();                                                                                               \
    TC__CVT_1_N2(q, D, S, "=r", "h", d, a, s)
#define TC__CVT_E8(q, D, S, d, a, b)                                                                                  \
    TC__CVT_CHECK(q, ".rz|.rp .satfinite", "ue8m0x2", ".rz.satfinite or .rp.satfinite");                              \
    tc__needs_blackwell_a();                                                                                          \
    TC__CVT_2(q, D, S, "=h", "f", d, a, b)
#define TC__CVT_E8_BF16X2(q, D, S, d, a)                                                                              \
    TC__CVT_CHECK(q, ".rz|.rp .satfinite", "ue8m0x2", ".rz.satfinite or .rp.satfinite");                              \
    tc__needs_blackwell_a();                                                                                          \
    TC__CVT_1(q, D, S, "=h", "r", d, a)
#define TC__CVT_BF16X2_E8(q, D, S, d, a)                                                                              \
    TC__CVT_CHECK(q, ".rn", "bf16x2 from ue8m0x2", ".rn");                                                            \
    tc__needs_blackwell_a();                                                                                          \
    TC__CVT_1(q, D, S, "=r", "h", d, a)
#define TC__CVT_X4_(q, D, S, dc, d, a, b, e, f, bits)                                                                 \
    TC__CVT_CHECK(q, ".rs |.relu .satfinite", "four codes", ".rs{.relu}.satfinite");                                  \
    tc__needs_cvt_rs();                                                                                               \
    asm("cvt" #q "." #D "." #S " %0, {%1, %2, %3, %4}, %5;" : dc(d) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(bits))
#define TC__CVT_X4(q, D, S, d, a, b, e, f, bits) TC__CVT_X4_(q, D, S, "=r", d, a, b, e, f, bits)
#define TC__CVT_F4X4(q, D, S, d, a, b, e, f, bits) TC__CVT_X4_(q, D, S, "=h", d, a, b, e, f, bits)
#define TC__CVT_BAD(...)                                                                                              \
    static_assert(0,                                                                                                  \
                  "tc: cvt: no such pair of types, or not its number of operands: TC_CVT(q, d_type, s_type, d, "      \
                  "sources) has tf32, f16, bf16, f16x2, bf16x2, e4m3x2, e5m2x2, e2m3x2, e3m2x2, e2m1x2, ue8m0x2, "    \
                  "s2f6x2 and ue5m3x2 from f32; the first five narrow ones and ue5m3x2 from f16x2 and bf16x2 and "    \
                  "back; ue8m0x2 and s2f6x2 from bf16x2 and back; with random bits f16x2, bf16x2 and the x4 types "   \
                  "from f32; with .scaled one operand more")
#define TC__CVT_PICK(D, S, count) TC__CVT_PICK_(D, S, count)
#define TC__CVT_PICK_(D, S, count) TC__PROBE(TC__CVT_##D##_##S##_##count, TC__CVT_BAD)
#define TC_CVT(q, d_type, s_type, ...)                                                                                \
    do {                                                                                                              \
        TC__CALL(TC__CVT_PICK(d_type, s_type, TC__NARGS(__VA_ARGS__)), q, d_type, s_type, __VA_ARGS__);               \
    } while (0)
#endif /* __CUDACC__ */
#endif /* TC_TYPES_H */
