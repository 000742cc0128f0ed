/* unit_types.cu - tc_types.h against the toolkit's own headers on the host, then the device against the host.
 *     nvcc -std=c++17 -gencode arch=compute_90a,code=compute_90a tests/unit_types.cu -o build/tests/unit_types
 * Floats: every code of every format, the midpoints between neighbours, two floats on either side of both, every
 * exponent, and random ones. Codes: all of them. On the device the same list goes through tc_types.h and through every
 * qualifier of TC_CVT that the target has. */
#include "../tc.h"
#include "../tc_types.h"
#include "test.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

/* ---- the floats ---- */
enum { LIST_MAX = 1 << 23 };
static float *list;
static int count;

static void add(float x)
{
    if (count < LIST_MAX) list[count++] = x;
}
/* x and its neighbours, with both signs */
static void around(double x)
{
    const uint32_t u = tc_bits_from_f32((float)x) & 0x7fffffffu;
    int d;
    for (d = -2; d <= 2; d++) {
        const uint32_t w = u + (uint32_t)d;
        if (w & 0x80000000u) continue;
        add(tc_f32_from_bits(w)), add(tc_f32_from_bits(w | 0x80000000u));
    }
}

static const int types[] = {TC_F16, TC_BF16, TC_E4M3, TC_E5M2, TC_E3M2, TC_E2M3, TC_E2M1, TC_UE8M0, TC_UE4M3, TC_S8,
                            TC_U8, TC_S4, TC_U4, TC_B1};
enum { TYPES = sizeof types / sizeof types[0] };

static void make_list(void)
{
    static const uint32_t mantissas[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x3000, 0x200000, 0x3fffff,
                                         0x400000, 0x400001, 0x7fefff, 0x7ff000, 0x7fffff};
    static const uint32_t odd[] = {0x7f800000, 0x7fc00000, 0x7fffffff, 0x7f800001, 0x7f7fffff, 0x477ff000, 0x477fefff,
                                   1, 2, 0x3fffff, 0x400000, 0x400001};
    list = (float *)malloc(sizeof *list * LIST_MAX);
    for (int t = 0; t < TYPES; t++) {
        const uint32_t codes = 1u << tc_type_bits(types[t]);
        for (uint32_t c = 0; c < codes; c++) {
            const double x = tc_f32_from(types[t], c), next = tc_f32_from(types[t], c + 1 < codes ? c + 1 : c);
            if (types[t] == TC_BF16 && c % 16 > 2 && c < 0x7f00) continue; /* its boundaries all look alike */
            if (isnan(x) || isinf(x)) continue;
            around(x);
            if (!isnan(next) && !isinf(next)) around((x + next) / 2);
            else around(x * 1.03125), around(x * 1.0625), around(x * 1.125), around(x * 1.25);
        }
    }
    for (uint32_t e = 0; e < 256; e++)
        for (int m = 0; m < (int)(sizeof mantissas / sizeof mantissas[0]); m++)
            add(tc_f32_from_bits(e << 23 | mantissas[m])), add(tc_f32_from_bits(0x80000000u | e << 23 | mantissas[m]));
    for (int i = 0; i < (int)(sizeof odd / sizeof odd[0]); i++)
        add(tc_f32_from_bits(odd[i])), add(tc_f32_from_bits(odd[i] | 0x80000000u));
    for (int i = 0; i < 50000; i++) add(tc_f32_from_bits((uint32_t)(test_random() >> 32)));
    for (int i = 0; i < 50000; i++) add(test_normal() * (float)(1 << test_int(0, 9)));
}

/* ---- what the toolkit says ---- */
static uint32_t half_code(__half h) { uint16_t u; memcpy(&u, &h, 2); return u; }
static uint32_t bf16_code(__nv_bfloat16 h) { uint16_t u; memcpy(&u, &h, 2); return u; }
static float half_value(__half_raw h) { return __half2float(__half(h)); }

/* ties to even in the tf32 grid, by doubles */
static uint32_t tf32_code(float x, int away)
{
    int e;
    double q, r;
    if (isnan(x)) return away ? tc_bits_from_f32(x) & 0xffffe000u : 0x7fffe000u;
    if (isinf(x) || x == 0) return tc_bits_from_f32(x);
    frexp(x, &e);
    q = ldexp(1.0, (e < -125 ? -125 : e) - 11);
    r = away ? copysign(floor(fabs(x) / q + 0.5), x) : nearbyint(x / q);
    return tc_bits_from_f32((float)(r * q));
}
static int int_code(float x, int lo, int hi)
{
    const float r = isnan(x) ? 0.f : rintf(x);
    return r < (float)lo ? lo : r > (float)hi ? hi : (int)r;
}

static uint32_t toolkit(int type, float x)
{
    switch (type) {
    case TC_F16: return half_code(__float2half_rn(x));
    case TC_BF16: return bf16_code(__float2bfloat16_rn(x));
    case TC_TF32: return tf32_code(x, 0);
    case TC_E4M3: return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    case TC_E5M2: return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
    case TC_E3M2: return __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest);
    case TC_E2M3: return __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest);
    case TC_E2M1: return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
    case TC_UE8M0: return __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf);
    case TC_UE4M3: return signbit(x) && !isnan(x) ? 0 : __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    case TC_S8: return (uint8_t)int_code(x, -128, 127);
    case TC_U8: return (uint8_t)int_code(x, 0, 255);
    case TC_S4: return (uint32_t)int_code(x, -8, 7) & 15;
    case TC_U4: return (uint32_t)int_code(x, 0, 15);
    case TC_B1: return x != 0;
    default: return tc_bits_from_f32(x);
    }
}

static float toolkit_back(int type, uint32_t c)
{
    switch (type) {
    case TC_F16: { __half_raw h; h.x = (uint16_t)c; return half_value(h); }
    case TC_BF16: { __nv_bfloat16_raw h; h.x = (uint16_t)c; return __bfloat162float(__nv_bfloat16(h)); }
    case TC_E4M3: return half_value(__nv_cvt_fp8_to_halfraw((uint8_t)c, __NV_E4M3));
    case TC_UE4M3: return half_value(__nv_cvt_fp8_to_halfraw((uint8_t)(c & 0x7f), __NV_E4M3));
    case TC_E5M2: return half_value(__nv_cvt_fp8_to_halfraw((uint8_t)c, __NV_E5M2));
    case TC_E3M2: return half_value(__nv_cvt_fp6_to_halfraw((uint8_t)c, __NV_E3M2));
    case TC_E2M3: return half_value(__nv_cvt_fp6_to_halfraw((uint8_t)c, __NV_E2M3));
    case TC_E2M1: return half_value(__nv_cvt_fp4_to_halfraw((uint8_t)c, __NV_E2M1));
    case TC_UE8M0: {
        __nv_bfloat16_raw h = __nv_cvt_e8m0_to_bf16raw((uint8_t)c);
        return __bfloat162float(__nv_bfloat16(h));
    }
    case TC_S8: return (float)(int8_t)c;
    case TC_S4: return (float)(c < 8 ? (int)c : (int)c - 16);
    default: return (float)c;
    }
}

static int same(float a, float b) { return isnan(a) ? isnan(b) : tc_bits_from_f32(a) == tc_bits_from_f32(b); }

static void test_host(void)
{
    for (int t = -1; t < TYPES; t++) {
        const int type = t < 0 ? TC_TF32 : types[t];
        int bad = 0, first = 0;
        for (int i = 0; i < count; i++)
            if (tc_from_f32(type, list[i]) != toolkit(type, list[i]) && !bad++) first = i;
        CHECK(!bad, "%s from f32: %d of %d, the first is %a (%08x): %x, want %x", tc_type_name(type), bad, count,
              (double)list[first], tc_bits_from_f32(list[first]), tc_from_f32(type, list[first]),
              toolkit(type, list[first]));
        if (t < 0) continue;
        bad = 0;
        for (uint32_t c = 0; c < 1u << tc_type_bits(type); c++)
            if (!same(tc_f32_from(type, c), toolkit_back(type, c)) && !bad++) first = (int)c;
        CHECK(!bad, "f32 from %s: %d codes, the first is %x: %g, want %g", tc_type_name(type), bad, first,
              (double)tc_f32_from(type, (uint32_t)first), (double)toolkit_back(type, (uint32_t)first));
    }
    int bad_rz = 0, bad_rna = 0;
    for (int i = 0; i < count; i++) {
        bad_rz += tc_ue8m0_from_f32_rz(list[i]) != __nv_cvt_float_to_e8m0(list[i], __NV_SATFINITE, cudaRoundZero);
        bad_rna += tc_tf32_from_f32_rna(list[i]) != tf32_code(list[i], 1);
    }
    CHECK(!bad_rz, "ue8m0 towards zero: %d", bad_rz);
    CHECK(!bad_rna, "tf32, ties away: %d", bad_rna);
}

static void test_packed(void)
{
    static const int all[] = {TC_F16, TC_BF16, TC_F32, TC_TF32, TC_E4M3, TC_E5M2, TC_E3M2, TC_E2M3, TC_E2M1, TC_UE8M0,
                              TC_UE4M3, TC_S8, TC_U8, TC_S4, TC_U4, TC_B1};
    float x[32];
    for (int round = 0; round < 200; round++) {
        uint32_t b = 0;
        for (int i = 0; i < 32; i++) x[i] = test_normal() * 4, b |= (uint32_t)(x[i] != 0) << i;
        if (round == 0) x[3] = 0, b &= ~8u;
#define X4(X, T)                                                                                                      \
    CHECK(tc_##X##x4(x[0], x[1], x[2], x[3]) == (toolkit(T, x[0]) | toolkit(T, x[1]) << 8 | toolkit(T, x[2]) << 16    \
                                                 | toolkit(T, x[3]) << 24), #X "x4")
#define X2(X, T, step)                                                                                                \
    CHECK(tc_##X##x2(x[0], x[1]) == (toolkit(T, x[0]) | toolkit(T, x[1]) << step), #X "x2");                          \
    CHECK(tc_f32x2_from_##X##x2(tc_##X##x2(x[0], x[1])).x == toolkit_back(T, toolkit(T, x[0])), #X "x2 back");        \
    CHECK(tc_f32x2_from_##X##x2(tc_##X##x2(x[0], x[1])).y == toolkit_back(T, toolkit(T, x[1])), #X "x2 back");
        X2(e4m3, TC_E4M3, 8) X2(e5m2, TC_E5M2, 8) X2(e3m2, TC_E3M2, 8) X2(e2m3, TC_E2M3, 8) X2(e2m1, TC_E2M1, 4)
        X4(e4m3, TC_E4M3); X4(e5m2, TC_E5M2); X4(e3m2, TC_E3M2); X4(e2m3, TC_E2M3); X4(s8, TC_S8); X4(u8, TC_U8);
        uint32_t e = 0, s = 0, u = 0;
        for (int i = 0; i < 8; i++)
            e |= toolkit(TC_E2M1, x[i]) << 4 * i, s |= toolkit(TC_S4, x[i]) << 4 * i,
                u |= toolkit(TC_U4, x[i]) << 4 * i;
        CHECK(tc_e2m1x8(x) == e && tc_e2m1x4(x[0], x[1], x[2], x[3]) == (e & 0xffff) && tc_s4x8(x) == s
              && tc_u4x8(x) == u && tc_b1x32(x) == b, "4 and 1 bits");
        CHECK(tc_ue8m0x2_rp(x[0], x[1]) == (toolkit(TC_UE8M0, x[0]) | toolkit(TC_UE8M0, x[1]) << 8), "ue8m0x2");
    }
    /* arrays, against single bits: what is set comes back, and nothing else changes */
    for (int t = 0; t < (int)(sizeof all / sizeof all[0]); t++) {
        const int bits = tc_type_bits(all[t]);
        uint8_t a[131], model[131 * 8];
        int bad = 0;
        for (int i = 0; i < 131 * 8; i++) model[i] = (uint8_t)(test_random() >> 60 & 1);
        for (int i = 0; i < 131; i++) {
            a[i] = 0;
            for (int k = 0; k < 8; k++) a[i] = (uint8_t)(a[i] | model[8 * i + k] << k);
        }
        for (int n = 0; n < 2000; n++) {
            const int i = test_int(0, 130 * 8 / bits - 1);
            const uint32_t code = (uint32_t)(test_random() >> 32) & (bits < 32 ? (1u << bits) - 1 : ~0u);
            tc_element_code_set(a, all[t], (uint64_t)i, bits < 32 ? code | ~0u << bits : code);
            for (int k = 0; k < bits; k++) model[i * bits + k] = (uint8_t)(code >> k & 1);
            bad += tc_element_code(a, all[t], (uint64_t)i) != code;
        }
        for (int i = 0; i < 131 * 8; i++) bad += (a[i / 8] >> i % 8 & 1) != model[i];
        CHECK(!bad, "array of %s: %d", tc_type_name(all[t]), bad);
        tc_element_set(a, all[t], 17, 1.5f);
        CHECK(tc_element_get(a, all[t], 17) == tc_f32_from(all[t], toolkit(all[t], 1.5f)), "array of %s, as floats",
              tc_type_name(all[t]));
    }
}

/* ---- the device ---- */
enum { OUT = 20 };
__global__ void k_types(const float *x, int n, uint32_t *out)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const float a = x[i], b = x[(i + 1) % n];
    uint32_t *o = out + (size_t)i * OUT;
    o[0] = tc_e4m3_from_f32(a) | (uint32_t)tc_e4m3x2(a, b) << 16;
    o[1] = tc_e5m2_from_f32(a) | (uint32_t)tc_e5m2x2(a, b) << 16;
    o[2] = tc_e3m2_from_f32(a) | (uint32_t)tc_e3m2x2(a, b) << 16;
    o[3] = tc_e2m3_from_f32(a) | (uint32_t)tc_e2m3x2(a, b) << 16;
    o[4] = tc_e2m1_from_f32(a) | (uint32_t)tc_e2m1x2(a, b) << 16;
    o[5] = tc_ue8m0_from_f32_rz(a) | (uint32_t)tc_ue8m0x2_rz(a, b) << 16;
    o[6] = tc_ue8m0_from_f32_rp(a) | (uint32_t)tc_ue8m0x2_rp(a, b) << 16;
    o[7] = tc_ue4m3_from_f32(a);
    o[8] = tc_tf32_from_f32(a);
    o[9] = tc_tf32_from_f32_rna(a);
    o[10] = (uint8_t)tc_s8_from_f32(a) | (uint32_t)tc_u8_from_f32(a) << 8 | (tc_s4_from_f32(a) & 15u) << 16
        | (uint32_t)tc_u4_from_f32(a) << 20
          | (uint32_t)tc_b1_from_f32(a) << 24;
}

__global__ void k_back(uint32_t *out)
{
    const uint32_t c = threadIdx.x;
    uint32_t *o = out + c * OUT;
    o[0] = tc_bits_from_f32(tc_f32_from_e4m3((uint8_t)c));
    o[1] = tc_bits_from_f32(tc_f32_from_e5m2((uint8_t)c));
    o[2] = tc_bits_from_f32(tc_f32_from_e3m2((uint8_t)(c & 63)));
    o[3] = tc_bits_from_f32(tc_f32_from_e2m3((uint8_t)(c & 63)));
    o[4] = tc_bits_from_f32(tc_f32_from_e2m1((uint8_t)(c & 15)));
    o[5] = tc_bits_from_f32(tc_f32_from_ue8m0((uint8_t)c));
    o[6] = tc_f16x2_from_e4m3x2((uint16_t)(c | c << 8));
    o[7] = tc_f16x2_from_e5m2x2((uint16_t)(c | c << 8));
    o[8] = tc_f16x2_from_e3m2x2((uint16_t)((c & 63) | (c & 63) << 8));
    o[9] = tc_f16x2_from_e2m3x2((uint16_t)((c & 63) | (c & 63) << 8));
    o[10] = tc_f16x2_from_e2m1x2((uint8_t)c);
}

/* every qualifier of TC_CVT that the target has; the place in out is the same everywhere */
enum { CVT_OUT = 80 };
__global__ void k_cvt(const float *x, int n, uint32_t *out)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const float a = x[i], b = x[(i + 1) % n];
    uint32_t *o = out + (size_t)i * CVT_OUT;
    uint16_t h = 0;
    uint32_t r = 0;
    (void)a, (void)b, (void)o, (void)h, (void)r;
#define R(at, q, D, S, ...) TC_CVT(q, D, S, r, __VA_ARGS__); o[at] = r
#define H(at, q, D, S, ...) TC_CVT(q, D, S, h, __VA_ARGS__); o[at] = h
#if TC_HAS_SM80
    R(0, .rna, tf32, f32, a); R(1, .rna.satfinite, tf32, f32, a); R(2, .rn, f16x2, f32, a, b);
    R(3, .rz, f16x2, f32, a, b); R(4, .rn.relu, f16x2, f32, a, b); R(5, .rz.relu, f16x2, f32, a, b);
    R(6, .rn, bf16x2, f32, a, b); R(7, .rz, bf16x2, f32, a, b); R(8, .rn.relu, bf16x2, f32, a, b);
    R(9, .rz.relu, bf16x2, f32, a, b); H(10, .rn, f16, f32, a); H(11, .rz, f16, f32, a); H(12, .rn.relu, f16, f32, a);
    H(13, .rz.relu, f16, f32, a); H(14, .rn, bf16, f32, a); H(15, .rz, bf16, f32, a); H(16, .rn.relu, bf16, f32, a);
    H(17, .rz.relu, bf16, f32, a);
#endif
#if TC_HAS_SM89
    H(20, .rn.satfinite, e4m3x2, f32, a, b); H(21, .rn.satfinite.relu, e4m3x2, f32, a, b);
    H(22, .rn.satfinite, e5m2x2, f32, a, b); H(23, .rn.satfinite.relu, e5m2x2, f32, a, b);
    const uint32_t pair = tc_f16x2(b, a);
    H(24, .rn.satfinite, e4m3x2, f16x2, pair); H(25, .rn.satfinite.relu, e4m3x2, f16x2, pair);
    H(26, .rn.satfinite, e5m2x2, f16x2, pair); H(27, .rn.satfinite.relu, e5m2x2, f16x2, pair);
    R(28, .rn, f16x2, e4m3x2, (uint16_t)i); R(29, .rn.relu, f16x2, e4m3x2, (uint16_t)i);
    R(30, .rn, f16x2, e5m2x2, (uint16_t)i); R(31, .rn.relu, f16x2, e5m2x2, (uint16_t)i);
#endif
#if TC_HAS_SM90
    R(32, .rn, tf32, f32, a); R(33, .rz, tf32, f32, a); R(34, .rn.relu, tf32, f32, a); R(35, .rz.relu, tf32, f32, a);
#endif
#if TC_HAS_SM100
    R(36, .rn.satfinite, tf32, f32, a); R(37, .rz.satfinite, tf32, f32, a); R(38, .rn.relu.satfinite, tf32, f32, a);
    R(39, .rz.relu.satfinite, tf32, f32, a);
#endif
#if TC_HAS_BLACKWELL_A
    H(40, .rn.satfinite, e2m3x2, f32, a, b); H(41, .rn.satfinite.relu, e2m3x2, f32, a, b);
    H(42, .rn.satfinite, e3m2x2, f32, a, b); H(43, .rn.satfinite.relu, e3m2x2, f32, a, b);
    R(44, .rn.satfinite, e2m1x2, f32, a, b); R(45, .rn.satfinite.relu, e2m1x2, f32, a, b);
    H(46, .rz.satfinite, ue8m0x2, f32, a, b); H(47, .rp.satfinite, ue8m0x2, f32, a, b);
    const uint32_t brain = tc_bf16x2(b, a);
    H(48, .rz.satfinite, ue8m0x2, bf16x2, brain); H(49, .rp.satfinite, ue8m0x2, bf16x2, brain);
    R(50, .rn, bf16x2, ue8m0x2, (uint16_t)i);
    R(51, .rn, f16x2, e2m3x2, (uint16_t)(i & 0x3f3f)); R(52, .rn.relu, f16x2, e2m3x2, (uint16_t)(i & 0x3f3f));
    R(53, .rn, f16x2, e3m2x2, (uint16_t)(i & 0x3f3f)); R(54, .rn.relu, f16x2, e3m2x2, (uint16_t)(i & 0x3f3f));
    R(55, .rn, f16x2, e2m1x2, (uint32_t)(i & 0xff)); R(56, .rn.relu, f16x2, e2m1x2, (uint32_t)(i & 0xff));
#endif
#if TC_HAS_CVT_RS
    R(60, .rs.satfinite, e4m3x4, f32, a, b, a, b, 0u); R(61, .rs.relu.satfinite, e4m3x4, f32, a, b, a, b, 0u);
    R(62, .rs.satfinite, e5m2x4, f32, a, b, a, b, 0u); R(63, .rs.relu.satfinite, e5m2x4, f32, a, b, a, b, 0u);
    R(64, .rs.satfinite, e2m3x4, f32, a, b, a, b, 0u); R(65, .rs.relu.satfinite, e2m3x4, f32, a, b, a, b, 0u);
    R(66, .rs.satfinite, e3m2x4, f32, a, b, a, b, 0u); R(67, .rs.relu.satfinite, e3m2x4, f32, a, b, a, b, 0u);
    H(68, .rs.satfinite, e2m1x4, f32, a, b, a, b, 0u); H(69, .rs.relu.satfinite, e2m1x4, f32, a, b, a, b, 0u);
    R(70, .rs, f16x2, f32, a, b, 0u); R(71, .rs.relu, f16x2, f32, a, b, 0u); R(72, .rs.satfinite, f16x2, f32, a, b, 0u);
    R(73, .rs.relu.satfinite, f16x2, f32, a, b, 0u); R(74, .rs, bf16x2, f32, a, b, 0u);
    R(75, .rs.relu, bf16x2, f32, a, b, 0u); R(76, .rs.satfinite, bf16x2, f32, a, b, 0u);
    R(77, .rs.relu.satfinite, bf16x2, f32, a, b, 0u);
#endif
}

__global__ void k_has(int *out)
{
    *out = TC_HAS_SM80 | TC_HAS_SM89 << 1 | TC_HAS_SM90 << 2 | TC_HAS_SM100 << 3 | TC_HAS_BLACKWELL_A << 4
        | TC_HAS_CVT_RS << 5;
}

/* code of x towards zero, by the codes themselves: the nearest one, or the one before it */
static uint32_t down(int type, float x)
{
    uint32_t c = toolkit(type, x);
    const float back = tc_f32_from(type, c);
    if (type == TC_BF16) return isnan(x) ? c : isinf(x) ? c : tc_bits_from_f32(x) >> 16;
    if (isnan(x) || (type == TC_F16 && isinf(x))) return c;
    return fabs((double)back) > fabs((double)x) ? c - 1 : c;
}
static float relu(float x, int on) { return on && signbit(x) && !isnan(x) ? 0.f : x; }
static uint32_t tf32_rz(float x) { return isnan(x) ? 0x7fffe000u : tc_bits_from_f32(x) & 0xffffe000u; }
/* .satfinite: one step back from infinity, .rna from NaN too */
static uint32_t tf32_sat(uint32_t c, int away)
{
    return (c & 0x7fffffffu) == 0x7f800000u || (away && (c & 0x7fffffffu) > 0x7f800000u) ? c - 0x2000u : c;
}

static void test_on_device(void)
{
    int has, *dhas;
    float *dx;
    uint32_t *dout;
    const int n = count < 300000 ? count : 300000, step = count / n;
    float *x = (float *)malloc(sizeof *x * (size_t)n);
    uint32_t *out = (uint32_t *)malloc((size_t)n * OUT * 4);
    CUDA_CHECK(cudaMalloc(&dhas, 4));
    k_has<<<1, 1>>>(dhas);
    CUDA_CHECK(cudaMemcpy(&has, dhas, 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) x[i] = list[(size_t)i * (size_t)step + (size_t)(test_random() % (unsigned)step)];
    CUDA_CHECK(cudaMalloc(&dx, (size_t)n * 4));
    CUDA_CHECK(cudaMalloc(&dout, (size_t)n * OUT * 4));
    CUDA_CHECK(cudaMemcpy(dx, x, (size_t)n * 4, cudaMemcpyHostToDevice));
    k_types<<<(n + 255) / 256, 256>>>(dx, n, dout);
    CUDA_CHECK(cudaMemcpy(out, dout, (size_t)n * OUT * 4, cudaMemcpyDeviceToHost));
    static const char *const names[11] = {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "ue8m0 rz", "ue8m0 rp", "ue4m3",
                                          "tf32", "tf32 rna", "integers"};
    for (int t = 0; t < 11; t++) {
        int bad = 0, first = 0;
        uint32_t first_want = 0;
        for (int i = 0; i < n; i++) {
            const float a = x[i], b = x[(i + 1) % n];
            uint32_t want = 0;
            switch (t) {
            case 0: want = tc_e4m3_from_f32(a) | (uint32_t)tc_e4m3x2(a, b) << 16; break;
            case 1: want = tc_e5m2_from_f32(a) | (uint32_t)tc_e5m2x2(a, b) << 16; break;
            case 2: want = tc_e3m2_from_f32(a) | (uint32_t)tc_e3m2x2(a, b) << 16; break;
            case 3: want = tc_e2m3_from_f32(a) | (uint32_t)tc_e2m3x2(a, b) << 16; break;
            case 4: want = tc_e2m1_from_f32(a) | (uint32_t)tc_e2m1x2(a, b) << 16; break;
            case 5: want = tc_ue8m0_from_f32_rz(a) | (uint32_t)tc_ue8m0x2_rz(a, b) << 16; break;
            case 6: want = tc_ue8m0_from_f32_rp(a) | (uint32_t)tc_ue8m0x2_rp(a, b) << 16; break;
            case 7: want = tc_ue4m3_from_f32(a); break;
            case 8: want = tc_tf32_from_f32(a); break;
            case 9: want = tc_tf32_from_f32_rna(a); break;
            case 10:
                want = (uint8_t)tc_s8_from_f32(a) | (uint32_t)tc_u8_from_f32(a) << 8 | (tc_s4_from_f32(a) & 15u) << 16
                    | (uint32_t)tc_u4_from_f32(a) << 20
                     | (uint32_t)tc_b1_from_f32(a) << 24;
                break;
            }
            if (out[(size_t)i * OUT + (size_t)t] != want && !bad++) first = i, first_want = want;
        }
        CHECK(!bad, "%s on the device: %d of %d, the first is %a (%08x): %08x, want %08x", names[t], bad, n,
              (double)x[first], tc_bits_from_f32(x[first]), out[(size_t)first * OUT + (size_t)t], first_want);
    }
    k_back<<<1, 256>>>(dout);
    CUDA_CHECK(cudaMemcpy(out, dout, 256 * OUT * 4, cudaMemcpyDeviceToHost));
    for (uint32_t c = 0; c < 256; c++) {
        static const int back[6] = {TC_E4M3, TC_E5M2, TC_E3M2, TC_E2M3, TC_E2M1, TC_UE8M0};
        const uint32_t *o = out + c * OUT;
        for (int t = 0; t < 6; t++) {
            const float want = tc_f32_from(back[t], c), got = tc_f32_from_bits(o[t]);
            CHECK(same(got, want), "f32 from %s %02x on the device: %g, want %g", tc_type_name(back[t]), c, (double)got,
                  (double)want);
        }
        const uint32_t d = c & 63;
        CHECK(o[6] == tc_f16x2_from_e4m3x2((uint16_t)(c | c << 8))
              && o[7] == tc_f16x2_from_e5m2x2((uint16_t)(c | c << 8)), "f16x2 from fp8 %02x: %08x %08x", c, o[6], o[7]);
        CHECK(o[8] == tc_f16x2_from_e3m2x2((uint16_t)(d | d << 8))
              && o[9] == tc_f16x2_from_e2m3x2((uint16_t)(d | d << 8)), "f16x2 from fp6 %02x", d);
        CHECK(o[10] == tc_f16x2_from_e2m1x2((uint8_t)c), "f16x2 from fp4 %02x", c);
    }
    CUDA_CHECK(cudaFree(dout));
    free(out);

    /* TC_CVT: the first source is the high half */
    const int m = n < 65536 ? n : 65536;
    uint32_t *cvt = (uint32_t *)malloc((size_t)m * CVT_OUT * 4);
    int bad[CVT_OUT] = {0};
    uint32_t first[CVT_OUT], got_first[CVT_OUT];
    float x_first[CVT_OUT];
    CUDA_CHECK(cudaMalloc(&dout, (size_t)m * CVT_OUT * 4));
    k_cvt<<<(m + 255) / 256, 256>>>(dx, m, dout);
    CUDA_CHECK(cudaMemcpy(cvt, dout, (size_t)m * CVT_OUT * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < m; i++) {
        const float a = x[i], b = x[(i + 1) % m];
        uint32_t want[CVT_OUT];
        int known[CVT_OUT] = {0};
#define WANT(at, value) want[at] = (value), known[at] = 1
        if (has & 1) {
            WANT(0, tf32_code(a, 1)), WANT(1, tf32_sat(tf32_code(a, 1), 1));
            for (int q = 0; q < 2; q++) {
                const float ra = relu(a, q), rb = relu(b, q);
                WANT(2 + 2 * q, toolkit(TC_F16, rb) | toolkit(TC_F16, ra) << 16),
                WANT(3 + 2 * q, down(TC_F16, rb) | down(TC_F16, ra) << 16);
                WANT(6 + 2 * q, toolkit(TC_BF16, rb) | toolkit(TC_BF16, ra) << 16),
                WANT(7 + 2 * q, down(TC_BF16, rb) | down(TC_BF16, ra) << 16); WANT(10 + 2 * q, toolkit(TC_F16, ra)),
                WANT(11 + 2 * q, down(TC_F16, ra)); WANT(14 + 2 * q, toolkit(TC_BF16, ra)),
                WANT(15 + 2 * q, down(TC_BF16, ra));
            }
        }
        for (int q = 0; q < 2; q++) {
            const float ra = relu(a, q), rb = relu(b, q);
            if (has & 2) {
                const float ha = tc_f32_from_f16(tc_f16_from_f32(ra)), hb = tc_f32_from_f16(tc_f16_from_f32(rb));
                WANT(20 + q, toolkit(TC_E4M3, rb) | toolkit(TC_E4M3, ra) << 8),
                WANT(22 + q, toolkit(TC_E5M2, rb) | toolkit(TC_E5M2, ra) << 8);
                WANT(24 + q, toolkit(TC_E4M3, hb) | toolkit(TC_E4M3, ha) << 8),
                WANT(26 + q, toolkit(TC_E5M2, hb) | toolkit(TC_E5M2, ha) << 8);
                const uint32_t e4 = tc_f16x2_from_e4m3x2((uint16_t)i), e5 = tc_f16x2_from_e5m2x2((uint16_t)i);
                uint32_t e4r = 0, e5r = 0;
                for (int k = 0; k < 32; k += 16) {
                    e4r |= (e4 >> k & 0x8000 && (e4 >> k & 0x7fff) <= 0x7c00 ? 0 : e4 >> k & 0xffff) << k;
                    e5r |= (e5 >> k & 0x8000 && (e5 >> k & 0x7fff) <= 0x7c00 ? 0 : e5 >> k & 0xffff) << k;
                }
                WANT(28 + q, q ? e4r : e4), WANT(30 + q, q ? e5r : e5);
            }
            if (has & 4) WANT(32 + 2 * q, tf32_code(ra, 0)), WANT(33 + 2 * q, tf32_rz(ra));
            if (has & 8) WANT(36 + 2 * q, tf32_sat(tf32_code(ra, 0), 0)), WANT(37 + 2 * q, tf32_sat(tf32_rz(ra), 0));
            if (has & 16) {
                WANT(40 + q, toolkit(TC_E2M3, rb) | toolkit(TC_E2M3, ra) << 8),
                WANT(42 + q, toolkit(TC_E3M2, rb) | toolkit(TC_E3M2, ra) << 8);
                WANT(44 + q, toolkit(TC_E2M1, rb) | toolkit(TC_E2M1, ra) << 4);
            }
            if (has & 32) {
                static const int rs[4] = {TC_E4M3, TC_E5M2, TC_E2M3, TC_E3M2};
                /* random bits of 0 never round away from zero */
                for (int t = 0; t < 4; t++) {
                    const uint32_t p = down(rs[t], rb) | down(rs[t], ra) << 8;
                    WANT(60 + 2 * t + q, p | p << 16);
                }
                const uint32_t p = down(TC_E2M1, rb) | down(TC_E2M1, ra) << 4;
                WANT(68 + q, p | p << 8);
            }
        }
        if (has & 16) {
            const float ga = tc_f32_from_bf16(tc_bf16_from_f32(a)), gb = tc_f32_from_bf16(tc_bf16_from_f32(b));
            WANT(46, tc_ue8m0x2_rz(b, a)), WANT(47, tc_ue8m0x2_rp(b, a)), WANT(48, tc_ue8m0x2_rz(gb, ga)),
            WANT(49, tc_ue8m0x2_rp(gb, ga));
            WANT(50, tc_bf16_from_f32(tc_f32_from_ue8m0((uint8_t)i))
                 | (uint32_t)tc_bf16_from_f32(tc_f32_from_ue8m0((uint8_t)(i >> 8))) << 16);
            WANT(51, tc_f16x2_from_e2m3x2((uint16_t)(i & 0x3f3f))),
                WANT(53, tc_f16x2_from_e3m2x2((uint16_t)(i & 0x3f3f))), WANT(55, tc_f16x2_from_e2m1x2((uint8_t)i));
            for (int k = 51; k <= 55; k += 2) {
                uint32_t r = 0;
                for (int half = 0; half < 32; half += 16)
                    r |= (want[k] >> half & 0x8000 ? 0 : want[k] >> half & 0xffff) << half;
                WANT(k + 1, r);
            }
        }
        for (int k = 0; k < CVT_OUT; k++)
            if (known[k] && cvt[(size_t)i * CVT_OUT + (size_t)k] != want[k] && !bad[k]++)
                first[k] = want[k], got_first[k] = cvt[(size_t)i * CVT_OUT + (size_t)k], x_first[k] = a;
    }
    for (int k = 0; k < CVT_OUT; k++)
        CHECK(!bad[k], "TC_CVT, form %d: %d of %d, the first is %a: %08x, want %08x", k, bad[k], m, (double)x_first[k],
              got_first[k], first[k]);
    if (!(has & 2)) SKIP("conversions of fp8 by the device: need sm_89 and a build for it");
    if (!(has & 16)) SKIP("conversions of fp6 and fp4 by the device: need an a target of Blackwell");
    if (!(has & 32)) SKIP("stochastic rounding: needs sm_100a or sm_103a");
    CUDA_CHECK(cudaFree(dout));
    CUDA_CHECK(cudaFree(dx));
    free(cvt), free(x);
}

int main(void)
{
    make_list();
    printf("unit_types: %d floats\n", count);
    CHECK(count < LIST_MAX, "the list is full");
    test_host();
    test_packed();
    if (!test_device()) SKIP("the device: none here");
    else test_on_device();
    return test_end();
}
