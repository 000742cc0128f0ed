// emu_num.cpp - the emulator's number formats against the CUDA toolkit's own host conversions: every code of up to 16
// bits decoded; encoding at every boundary of each format; directed arithmetic against the host's rounding modes. Needs
// no GPU.
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include "test.h"
extern "C" {
#include "../emu/num.h"
}

static int same_f32(float a, float b) { return num_f32_bits(a) == num_f32_bits(b) || (a != a && b != b); }

// ---- Decoding ----
static float toolkit_decode(ptx_type t, unsigned c)
{
    switch (t) {
    case PT_F16: { __half_raw r; r.x = (unsigned short)c; return __half2float(__half(r)); }
    case PT_BF16: { __nv_bfloat16_raw r; r.x = (unsigned short)c; return __bfloat162float(__nv_bfloat16(r)); }
    case PT_E4M3: return __half2float(__half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)c, __NV_E4M3)));
    case PT_E5M2: return __half2float(__half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)c, __NV_E5M2)));
    case PT_E3M2: return __half2float(__half(__nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)c, __NV_E3M2)));
    case PT_E2M3: return __half2float(__half(__nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)c, __NV_E2M3)));
    case PT_E2M1: return __half2float(__half(__nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)c, __NV_E2M1)));
    case PT_UE8M0: return __bfloat162float(__nv_bfloat16(__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)c)));
    default: return 0;
    }
}

static void decoding(void)
{
    static const ptx_type types[] = {PT_F16, PT_BF16, PT_E4M3, PT_E5M2, PT_E3M2, PT_E2M3, PT_E2M1, PT_UE8M0};
    for (ptx_type t : types) {
        int bad = 0;
        unsigned n = 1u << num_bits(t), first = 0;
        for (unsigned c = 0; c < n; c++) {
            float want = toolkit_decode(t, c), got = num_decode_f32(t, c);
            double exact = num_decode(t, c);
            int nan = want != want;
            if (!same_f32(got, want)
                || (nan ? exact == exact : exact != (double)want || std::signbit(exact) != std::signbit(want))) {
                if (!bad++) first = c;
            }
        }
        CHECK(!bad, "type %d: %d codes decode wrongly, the first is 0x%x: %a, should be %a", (int)t, bad, first,
              (double)num_decode_f32(t, first), (double)toolkit_decode(t, first));
    }
    CHECK(num_f32_bits(num_decode_f32(PT_F16, 0xfe00)) == 0x7fffffff, "f16 NaN is not canonical");
    CHECK(num_f32_bits(num_decode_f32(PT_E4M3, 0xff)) == 0x7fffffff, "e4m3 NaN is not canonical");
    CHECK(num_decode(PT_UE4M3, 0x7e) == 448 && num_decode(PT_UE4M3, 0xfe) == 448, "ue4m3");
    CHECK(num_decode(PT_TF32, 0x3f801fff) == 1, "tf32 ignores the low 13 bits");
}

// ---- Encoding ----
struct encoder {
    const char *name;
    ptx_type type;
    num_round round;
    int flags;
    uint32_t (*toolkit)(float);
};
static uint32_t half_bits(__half h) { return __half_raw(h).x; }
static uint32_t bf16_bits(__nv_bfloat16 h) { return __nv_bfloat16_raw(h).x; }

// one row a line
static const encoder encoders[] = {
    {"f16 rn", PT_F16, NUM_RN, 0, [](float x) { return half_bits(__float2half_rn(x)); }},
    {"f16 rz", PT_F16, NUM_RZ, 0, [](float x) { return half_bits(__float2half_rz(x)); }},
    {"f16 rm", PT_F16, NUM_RM, 0, [](float x) { return half_bits(__float2half_rd(x)); }},
    {"f16 rp", PT_F16, NUM_RP, 0, [](float x) { return half_bits(__float2half_ru(x)); }},
    {"bf16 rn", PT_BF16, NUM_RN, 0, [](float x) { return bf16_bits(__float2bfloat16_rn(x)); }},
    {"bf16 rz", PT_BF16, NUM_RZ, 0, [](float x) { return bf16_bits(__float2bfloat16_rz(x)); }},
    {"bf16 rm", PT_BF16, NUM_RM, 0, [](float x) { return bf16_bits(__float2bfloat16_rd(x)); }},
    {"bf16 rp", PT_BF16, NUM_RP, 0, [](float x) { return bf16_bits(__float2bfloat16_ru(x)); }},
    {"e4m3 satfinite", PT_E4M3, NUM_RN, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); }},
    {"e4m3", PT_E4M3, NUM_RN, 0, [](float x) { return (uint32_t)__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3); }},
    {"e5m2 satfinite", PT_E5M2, NUM_RN, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2); }},
    {"e5m2", PT_E5M2, NUM_RN, 0, [](float x) { return (uint32_t)__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2); }},
    {"e3m2 rn", PT_E3M2, NUM_RN, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest); }},
    {"e3m2 rz", PT_E3M2, NUM_RZ, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundZero); }},
    {"e2m3 rn", PT_E2M3, NUM_RN, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest); }},
    {"e2m3 rz", PT_E2M3, NUM_RZ, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundZero); }},
    {"e2m1 rn", PT_E2M1, NUM_RN, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest); }},
    {"e2m1 rz", PT_E2M1, NUM_RZ, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundZero); }},
    {"ue8m0 rz satfinite", PT_UE8M0, NUM_RZ, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundZero); }},
    {"ue8m0 rz", PT_UE8M0, NUM_RZ, 0, [](float x) { return (uint32_t)__nv_cvt_float_to_e8m0(x, __NV_NOSAT, cudaRoundZero); }},
    {"ue8m0 rp satfinite", PT_UE8M0, NUM_RP, NUM_SATFINITE, [](float x) { return (uint32_t)__nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf); }},
    {"ue8m0 rp", PT_UE8M0, NUM_RP, 0, [](float x) { return (uint32_t)__nv_cvt_float_to_e8m0(x, __NV_NOSAT, cudaRoundPosInf); }},
};

// Floats where the rounding of a format may change: its values, the midpoints, what lies next to both; and what is
// special
static std::vector<float> boundaries(ptx_type t)
{
    std::vector<float> v;
    unsigned n = 1u << num_bits(t);
    auto around = [&](double x) {
        float f = (float)x;
        uint32_t u = num_f32_bits(f) & 0x7fffffff;
        for (int d = -2; d <= 2; d++) {
            uint32_t w = u + (uint32_t)d;
            if (w & 0x80000000) continue;
            v.push_back(num_bits_f32(w));
            v.push_back(num_bits_f32(w | 0x80000000));
        }
    };
    for (unsigned c = 0; c < n; c++) {
        double x = num_decode(t, c), next = num_decode(t, c + 1 < n ? c + 1 : c);
        if (x != x) continue;
        around(x);
        if (next == next && !std::isinf(x) && !std::isinf(next)) around((x + next) / 2);
        if (std::isinf(next)) around(x * (1 + 1e-3)), around(x * 1.5), around(x + (x - num_decode(t, c - 1)) / 2);
    }
    double top = 0;
    for (unsigned c = 0; c < n; c++) { double x = num_decode(t, c); if (std::isfinite(x) && x > top) top = x; }
    for (double m = 1; m < 4; m += 1.0 / 64) if (top * m < 3e38) around(top * m);
    for (int e = 0; e < 256; e++)
        for (uint32_t m : {0u, 1u, 0x200000u, 0x400000u, 0x400001u, 0x7fffffu})
            around((double)num_bits_f32((uint32_t)e << 23 | m));
    for (uint32_t u : {0x7f800000u, 0x7fc00000u, 0x7fffffffu, 0x7f800001u, 0x7f7fffffu})
        v.push_back(num_bits_f32(u)), v.push_back(num_bits_f32(u | 0x80000000));
    for (int k = 0; k < 100000; k++) v.push_back(num_bits_f32((uint32_t)test_random()));
    for (int k = 0; k < 100000; k++) v.push_back(test_normal());
    return v;
}

static void encoding(void)
{
    for (const encoder &e : encoders) {
        std::vector<float> x = boundaries(e.type);
        int bad = 0;
        float first = 0;
        for (float f : x)
            if (num_encode(e.type, f, e.round, e.flags, 0) != e.toolkit(f) && !bad++) first = f;
        CHECK(!bad, "%s: %d of %zu values, the first is %a (0x%08x): 0x%x, should be 0x%x", e.name, bad, x.size(),
              (double)first, num_f32_bits(first), num_encode(e.type, first, e.round, e.flags, 0), e.toolkit(first));
        // .relu: the same but for negative values
        bad = 0;
        for (float f : x) {
            uint32_t got = num_encode(e.type, f, e.round, e.flags | NUM_RELU, 0);
            if (e.type != PT_UE8M0 && got != (f == f && std::signbit(f) ? 0 : e.toolkit(f)) && !bad++) first = f;
        }
        CHECK(!bad, "%s relu: %d values, the first is %a", e.name, bad, (double)first);
    }
    // every value comes back from its code
    for (ptx_type t : {PT_F16, PT_BF16, PT_E4M3, PT_E5M2, PT_E3M2, PT_E2M3, PT_E2M1})
        for (int r = NUM_RN; r <= NUM_RS; r++) {
            int bad = 0;
            for (unsigned c = 0; c < 1u << num_bits(t); c++) {
                double x = num_decode(t, c);
                if (x == x && num_encode(t, x, (num_round)r, 0, 0xffffffff) != c) bad++;
            }
            CHECK(!bad, "type %d, rounding %d: %d codes do not come back", (int)t, r, bad);
        }
    // the fast paths and the bulk functions do the same as the general one
    int bad = 0, bad64 = 0;
    std::vector<float> x = boundaries(PT_F16), y = boundaries(PT_BF16);
    x.insert(x.end(), y.begin(), y.end());
    std::vector<uint16_t> h(x.size()), b(x.size());
    num_f32_to_f16_n(h.data(), x.data(), x.size());
    num_f32_to_bf16_n(b.data(), x.data(), x.size());
    for (size_t k = 0; k < x.size(); k++) {
        uint32_t f = num_encode(PT_F16, x[k], NUM_RN, 0, 0), g = num_encode(PT_BF16, x[k], NUM_RN, 0, 0);
        if (num_f32_to_f16(x[k]) != f || h[k] != f || num_f32_to_bf16(x[k]) != g || b[k] != g) bad++;
        for (double d : {1.0, 1 + 1e-14, 1 - 1e-14}) {
            double z = x[k] * d;
            if (num_f64_to_f16(z) != num_encode(PT_F16, z, NUM_RN, 0, 0) || num_f64_to_bf16(z) != num_encode(PT_BF16, z,
                    NUM_RN, 0, 0))
                bad64++;
            if (z == z && half_bits(__double2half(z)) != num_f64_to_f16(z)) bad64++;
            if (z == z && bf16_bits(__double2bfloat16(z)) != num_f64_to_bf16(z)) bad64++;
            for (int r = NUM_RN; r <= NUM_RP; r++)
                if (num_f32_bits(num_f64_to_f32(z, (num_round)r)) != num_encode(PT_F32, z, (num_round)r, 0, 0)) bad64++;
        }
    }
    CHECK(!bad, "f16 and bf16 from f32: %d", bad);
    CHECK(!bad64, "f16, bf16 and f32 from f64: %d", bad64);
    // stochastic: in between two codes exactly as many of all random numbers round up as the value is away from the
    // lower one
    for (ptx_type t : {PT_F16, PT_BF16, PT_E4M3, PT_E5M2, PT_E2M3, PT_E3M2, PT_E2M1}) {
        int rb = num_rs_bits(t), wrong = 0;
        uint32_t n = 1u << rb;
        for (double part : {0.0, 0.25, 0.5, 0.8125}) {
            double lo = num_decode(t, 5), hi = num_decode(t, 6), v = lo + (hi - lo) * part;
            uint32_t up = 0;
            for (uint32_t k = 0; k < n; k++) {
                uint32_t c = num_encode(t, -v, NUM_RS, 0, k | 0xfff00000u << 1), top = 1u << (num_bits(t) - 1);
                if (c == (top | 6)) up++;
                else if (c != (top | 5)) wrong++;
            }
            if (up != (uint32_t)(part * n)) wrong++;
        }
        CHECK(!wrong, "type %d: stochastic rounding", (int)t);
    }
    CHECK(num_encode(PT_TF32, 1 + 0x1p-11, NUM_RNA, 0, 0) == 0x3f802000 && num_encode(PT_TF32, 1 + 0x1p-11, NUM_RN, 0,
              0) == 0x3f800000, "tf32");
    CHECK(num_encode(PT_TF32, INFINITY, NUM_RNA, NUM_SATFINITE, 0) == 0x7f7fe000 && num_encode(PT_TF32, NAN, NUM_RNA, 0,
              0) == 0x7fffe000, "tf32");
    CHECK(num_encode(PT_TF32, -0x1.ffd8p+127, NUM_RNA, 0, 0) == 0xff7fe000 && num_encode(PT_TF32, 0x1.ffep+127, NUM_RNA,
              0, 0) == 0x7f800000 && num_encode(PT_TF32, 0x1.ffep+127, NUM_RNA, NUM_SATFINITE, 0) == 0x7f7fe000
          && num_encode(PT_TF32, 0x1.ffep+127, NUM_RZ, 0, 0) == 0x7f7fe000, "tf32");
}

// ---- Bulk decoding: packed arrays of every length against one at a time ----
static void bulk(void)
{
    static const ptx_type types[] = {PT_F16, PT_BF16, PT_TF32, PT_F32, PT_E4M3, PT_E5M2, PT_E3M2, PT_E2M3, PT_E2M1,
                                     PT_UE8M0, PT_UE4M3, PT_S8, PT_U8,
                                     PT_S4, PT_U4, PT_S2, PT_U2, PT_B1, PT_S16, PT_U16, PT_S32, PT_U32};
    static uint8_t src[4096 * 4 + 8];
    static float dst[4096 + 1];
    static int32_t ints[4096];
    for (ptx_type t : types) {
        int bits = num_bits(t), bad = 0;
        for (uint8_t &c : src) c = (uint8_t)(test_random() >> 32);
        for (size_t n : {0, 1, 2, 3, 5, 7, 31, 32, 64, 1001, 4096}) {
            dst[n] = 42;
            num_to_f32(dst, src, t, n);
            if (dst[n] != 42) bad++;
            for (size_t k = 0; k < n; k++) {
                uint64_t w;
                memcpy(&w, src + k * (size_t)bits / 8, 8);
                uint32_t c = (uint32_t)(w >> k * (size_t)bits % 8);
                if (bits < 32) c &= (1u << bits) - 1;
                if (!same_f32(dst[k], num_decode_f32(t, c))) bad++;
            }
            if ((t >= PT_U8 && t <= PT_S32) || (num_bits(t) <= 4 && t != PT_E2M1)) {
                num_to_i32(ints, src, t, n);
                for (size_t k = 0; k < n; k++) if (t != PT_S32 && t != PT_U32 && ints[k] != (int32_t)dst[k]) bad++;
            }
            if (bits <= 8) {
                num_bytes_to_f32(dst, src, t, 2, n);
                for (size_t k = 0; k < n; k++) if (!same_f32(dst[k], num_decode_f32(t, src[k] >> 2))) bad++;
            }
        }
        CHECK(!bad, "type %d: %d elements", (int)t, bad);
    }
    std::vector<uint16_t> all(65536);
    std::vector<float> f(65536);
    for (int k = 0; k < 65536; k++) all[(size_t)k] = (uint16_t)k;
    int bad = 0;
    num_to_f32(f.data(), all.data(), PT_F16, 65536);
    for (int k = 0; k < 65536; k++) bad += num_f32_bits(f[(size_t)k]) != num_f32_bits(num_f16_to_f32((uint16_t)k));
    CHECK(!bad, "f16: %d codes", bad);
}

// ---- Arithmetic ----
static float hard_float(void)
{
    switch (test_int(0, 7)) {
    case 0: return num_bits_f32((uint32_t)test_random());
    case 1: return num_bits_f32((uint32_t)(test_random() >> 32) & 0x80ffffff);          // about subnormal
    case 2: return num_bits_f32((uint32_t)(test_random() >> 32) & 0xfff00000);          // few bits
    case 3: { static const uint32_t s[] = {0, 0x80000000, 1, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff,
                                           0x3f800000};
              return num_bits_f32(s[test_int(0, 8)]); }
    case 4: return 1 + (float)test_int(-3, 3) * 0x1p-23f;
    default: return test_normal();
    }
}

static double hard_double(void)
{
    switch (test_int(0, 3)) {
    case 0: return num_bits_f64(test_random());
    case 1: return num_bits_f64(test_random() & 0x801fffffffffffff);
    default: return (double)hard_float() * (1 + (double)test_normal() * 0x1p-40);
    }
}

static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
static float host_f32(int op, volatile float a, volatile float b, volatile float c, int r)
{
    volatile float d = 0;
    fesetround(modes[r]);
    switch (op) {
    case 0: d = a + b; break;
    case 1: d = a * b; break;
    case 2: d = fmaf(a, b, c); break;
    case 3: d = a / b; break;
    case 4: d = sqrtf(a); break;
    }
    fesetround(FE_TONEAREST);
    return d;
}
static double host_f64(int op, volatile double a, volatile double b, volatile double c, int r)
{
    volatile double d = 0;
    fesetround(modes[r]);
    switch (op) {
    case 0: d = a + b; break;
    case 1: d = a * b; break;
    case 2: d = fma(a, b, c); break;
    case 3: d = a / b; break;
    case 4: d = sqrt(a); break;
    }
    fesetround(FE_TONEAREST);
    return d;
}

// a + b; a trace of the smaller one where even 113 bits lose it wholly
static __float128 sum128(__float128 a, __float128 b)
{
    __float128 s = a + b, lost = s == a ? b : s == b ? a : 0, trace = (s < 0 ? -s : s) * 0x1p-110;
    return s - s != 0 ? s : lost > 0 ? s + trace : lost < 0 ? s - trace : s;
}

// Is code the f16 or bf16 nearest to x, ties to even?
static int nearest(ptx_type t, uint16_t code, __float128 x)
{
    uint32_t inf = t == PT_F16 ? 0x7c00 : 0x7f80, a = code & 0x7fff;
    double beyond = t == PT_F16 ? 65536.0 : 0x1p128;                 // where the infinity would lie
    auto value = [&](uint32_t c) { return (__float128)(c == inf ? beyond : num_decode(t, c)); };
    if (x != x) return code == NUM_NAN16;
    if (a > inf) return 0;
    if (x != 0 && (x < 0) != ((code & 0x8000) != 0)) return 0;
    __float128 m = x < 0 ? -x : x, here = m - value(a);
    if (here < 0) here = -here;
    if (a == inf && m >= beyond) return 1;
    for (int d = -1; d <= 1; d += 2) {
        if ((d < 0 && a == 0) || (d > 0 && a == inf)) continue;
        __float128 there = m - value(a + (uint32_t)d);
        if (there < 0) there = -there;
        if (there < here || (there == here && (a & 1))) return 0;
    }
    return 1;
}

static void arithmetic(void)
{
    static const char *const name[] = {"add", "mul", "fma", "div", "sqrt"};
    for (int op = 0; op < 5; op++)
        for (int r = 0; r < 4; r++) {
            int bad = 0, bad64 = 0;
            float fa = 0, fb = 0, fc = 0;
            for (int k = 0; k < 200000; k++) {
                float a = hard_float(), b = hard_float(), c = hard_float(), got = 0;
                if (op == 2 && k % 3 == 0) c = -(a * b);
                if (op == 0 && k % 5 == 0) b = -a;
                num_round q = (num_round)r;
                switch (op) {
                case 0: got = num_add_f32(a, b, q); break;
                case 1: got = num_mul_f32(a, b, q); break;
                case 2: got = num_fma_f32(a, b, c, q); break;
                case 3: got = num_div_f32(a, b, q); break;
                case 4: got = num_sqrt_f32(a, q); break;
                }
                float want = num_canon_f32(host_f32(op, a, b, c, r));
                if (num_f32_bits(got) != num_f32_bits(want) && !bad++) fa = a, fb = b, fc = c;
                double x = hard_double(), y = hard_double(), z = hard_double(), g = 0;
                switch (op) {
                case 0: g = num_add_f64(x, y, q); break;
                case 1: g = num_mul_f64(x, y, q); break;
                case 2: g = num_fma_f64(x, y, z, q); break;
                case 3: g = num_div_f64(x, y, q); break;
                case 4: g = num_sqrt_f64(x, q); break;
                }
                double w = host_f64(op, x, y, z, r);
                if (num_f64_bits(g) != num_f64_bits(w) && (g == g || w == w)) bad64++;
            }
            CHECK(!bad, "%s.f32, rounding %d: %d, the first is %a %a %a", name[op], r, bad, (double)fa, (double)fb,
                  (double)fc);
            CHECK(!bad64, "%s.f64, rounding %d: %d", name[op], r, bad64);
        }
    CHECK(fegetround() == FE_TONEAREST, "the host's rounding mode was changed");
    for (ptx_type t : {PT_F16, PT_BF16}) {
        int bad = 0;
        uint16_t first[3] = {0, 0, 0};
        for (int k = 0; k < 1000000; k++) {
            uint16_t a = (uint16_t)test_random(), b = (uint16_t)(test_random() >> 20),
                     c = (uint16_t)(test_random() >> 30);
            if (k & 1) { a = (uint16_t)((a & 0x83ff) | 0x3c00); b = (uint16_t)((b & 0x83ff) | 0x3c00); }
            if (t == PT_BF16 && k % 4 == 3) {
                a = (uint16_t)((a & 0x7f) | 0x3f80);
                b = (uint16_t)((b & 0x7f) | 0x3f80);
                c = (uint16_t)((c & 0x807f) | 0x2000);
            }
            uint16_t x[3];
            if (t == PT_F16) x[0] = num_add_f16(a, b), x[1] = num_mul_f16(a, b), x[2] = num_fma_f16(a, b, c);
            else x[0] = num_add_bf16(a, b), x[1] = num_mul_bf16(a, b), x[2] = num_fma_bf16(a, b, c);
            __float128 va = num_decode(t, a), vb = num_decode(t, b), vc = num_decode(t, c);
            if (!nearest(t, x[0], sum128(va, vb)) || !nearest(t, x[1], va * vb)
                || !nearest(t, x[2], sum128(va * vb, vc)))
                if (!bad++) first[0] = a, first[1] = b, first[2] = c;
        }
        CHECK(!bad, "%s arithmetic: %d, the first is 0x%x 0x%x 0x%x", t == PT_F16 ? "f16" : "bf16", bad, first[0],
              first[1], first[2]);
    }
}

int main(void)
{
    decoding();
    encoding();
    bulk();
    arithmetic();
    return test_end();
}
