/* tc_gemm_sm80_mma.h - tc 0.2.0 - the sm_80 GEMM's instructions, and what elements become where the target's Tensor
 * Cores lack their type. Needs: the headers below.
 *
 *     tc__gemm80_mma_int, _mma_packed, _mma_fp8, _mma_f64    one instruction on 16 x 8 sums
 *     tc__gemm80_mma_f32                TC_F32: 8 of k in three products of tf32
 *     tc__gemm80_widen, _mma_parts      wider elements, in as many instructions as there are parts
 *
 * PARTS. An instruction takes a word of k of each lane from A and from B, and pairs elements that stand at one place of
 * it: in which order k comes is nobody's affair, as long as A and B have the same. So elements become wider where they
 * are, without a word from another lane: a part is every second (or other) element of a word, widened, and as many
 * instructions as there are parts make one of the type that is missing.
 *     TC_E4M3, TC_E5M2 before sm_89    two parts in f16, which holds every value of both (tc__gemm80_f16)
 *     TC_S4, TC_U4 from sm_90 on       two parts in s8 or u8
 *     TC_B1 from sm_100 on             eight parts: TC_AND in u8; TC_XOR in s8, 1 for 0 and -1 for 1: a product is 1
 *                                      where bits are alike, -1 where not, and a sum counts them (tc__gemm80_count)
 */
#ifndef TC_GEMM_SM80_MMA_H
#define TC_GEMM_SM80_MMA_H

#include "tc_gemm_sm80_copy.h"

#ifdef __CUDACC__

/* One instruction on elements of less than a byte. */
TC_DEV_SM80 void tc__gemm80_mma_packed(tc_gemm_config_in c, int32_t *d, const uint32_t *a, const uint32_t *b)
{
    if (c.op == TC_XOR) TC_MMA_POPC(m16n8k256, row, col, s32, b1, b1, s32, xor_popc, d, a, b, d);
    else if (c.op == TC_AND) TC_MMA_POPC(m16n8k256, row, col, s32, b1, b1, s32, and_popc, d, a, b, d);
    else if (c.a == TC_S4 && c.b == TC_S4) TC_MMA(m16n8k64, row, col, s32, s4, s4, s32, d, a, b, d);
    else if (c.a == TC_S4) TC_MMA(m16n8k64, row, col, s32, s4, u4, s32, d, a, b, d);
    else if (c.b == TC_S4) TC_MMA(m16n8k64, row, col, s32, u4, s4, s32, d, a, b, d);
    else TC_MMA(m16n8k64, row, col, s32, u4, u4, s32, d, a, b, d);
}

/* One on integers. */
TC_DEV_SM80 void tc__gemm80_mma_int(tc_gemm_config_in c, int32_t *d, const uint32_t *a, const uint32_t *b)
{
    if (tc__gemm_is_packed(c.a)) tc__gemm80_mma_packed(c, d, a, b);
    else if (c.a == TC_S8 && c.b == TC_S8) TC_MMA(m16n8k32, row, col, s32, s8, s8, s32, d, a, b, d);
    else if (c.a == TC_S8) TC_MMA(m16n8k32, row, col, s32, s8, u8, s32, d, a, b, d);
    else if (c.b == TC_S8) TC_MMA(m16n8k32, row, col, s32, u8, s8, s32, d, a, b, d);
    else TC_MMA(m16n8k32, row, col, s32, u8, u8, s32, d, a, b, d);
}

/* One on fp8, to f16 (h) or f32. */
TC_DEV_SM80 void tc__gemm80_mma_fp8(tc_gemm_config_in c, float *d, uint32_t *h, const uint32_t *const *ab)
{
#if TC_HAS_SM89
    const uint32_t *a = ab[0], *b = ab[1];
    if (c.acc == TC_F16) {
        if (c.a == TC_E4M3 && c.b == TC_E4M3) TC_MMA(m16n8k32, row, col, f16, e4m3, e4m3, f16, h, a, b, h);
        else if (c.a == TC_E4M3) TC_MMA(m16n8k32, row, col, f16, e4m3, e5m2, f16, h, a, b, h);
        else if (c.b == TC_E4M3) TC_MMA(m16n8k32, row, col, f16, e5m2, e4m3, f16, h, a, b, h);
        else TC_MMA(m16n8k32, row, col, f16, e5m2, e5m2, f16, h, a, b, h);
    } else if (c.a == TC_E4M3 && c.b == TC_E4M3) {
        TC_MMA(m16n8k32, row, col, f32, e4m3, e4m3, f32, d, a, b, d);
    } else if (c.a == TC_E4M3) {
        TC_MMA(m16n8k32, row, col, f32, e4m3, e5m2, f32, d, a, b, d);
    } else if (c.b == TC_E4M3) {
        TC_MMA(m16n8k32, row, col, f32, e5m2, e4m3, f32, d, a, b, d);
    } else {
        TC_MMA(m16n8k32, row, col, f32, e5m2, e5m2, f32, d, a, b, d);
    }
#else
    (void)c, (void)d, (void)h, (void)ab;
#endif
}

/* 16 x 8 of f64: sums of its rows 8 to 15 lie `apart` behind those of 0 to 7. Hopper has one instruction for it; of
 * m8n8k4 it makes half as many a second. */
TC_DEV_SM80 void tc__gemm80_mma_f64(const double *a, const double *b, double *d, const int apart)
{
#if TC_HAS_SM90
    double all[4] = {d[0], d[1], d[apart], d[apart + 1]};
    TC_MMA(m16n8k4, row, col, f64, f64, f64, f64, all, a, b, all);
    d[0] = all[0], d[1] = all[1], d[apart] = all[2], d[apart + 1] = all[3];
#else
    TC_MMA(m8n8k4, row, col, f64, f64, f64, f64, d, a, b, d);
    TC_MMA(m8n8k4, row, col, f64, f64, f64, f64, (d + apart), (a + 1), b, (d + apart));
#endif
}

/* TC_F32: 8 of k in three products of tf32, small ones first, added to the sums (tc_gemm_f32.h). */
TC_DEV_SM80 void tc__gemm80_mma_f32(tc_gemm80_in k, tc__gemm80_fragments *f, tc__gemm80_acc *acc)
{
    const int mi = k.c.bm / k.c.warps_m / 16, ni = k.c.bn / k.c.warps_n / 8;
    uint32_t b_lo[64];
#pragma unroll
    for (int r = 0; r < 2 * ni; r++) {
        const uint32_t x = f->b[r];
        f->b[r] = tc_f32_hi(x), b_lo[r] = tc_f32_lo(x, f->b[r]);
    }
#pragma unroll
    for (int i = 0; i < mi; i++) {
        const float zeros[4] = {0.f, 0.f, 0.f, 0.f};
        uint32_t a_hi[4], a_lo[4];
        float d[32][4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const uint32_t x = f->a[i][r];
            a_hi[r] = tc_f32_hi(x), a_lo[r] = tc_f32_lo(x, a_hi[r]);
        }
#pragma unroll
        for (int j = 0; j < ni; j++) TC_MMA(m16n8k8, row, col, f32, tf32, tf32, f32, d[j], a_lo, f->b + j * 2, zeros);
#pragma unroll
        for (int j = 0; j < ni; j++) TC_MMA(m16n8k8, row, col, f32, tf32, tf32, f32, d[j], a_hi, b_lo + j * 2, d[j]);
#pragma unroll
        for (int j = 0; j < ni; j++) TC_MMA(m16n8k8, row, col, f32, tf32, tf32, f32, d[j], a_hi, f->b + j * 2, d[j]);
#pragma unroll
        for (int e = 0; e < 4 * ni; e++) acc->f[i * ni * 4 + e] += d[e / 4][e % 4];
    }
}

/* Two elements of 8 bits of a word as f16: bytes 0 and 2 (part 0), or 1 and 3. An e5m2 is an f16's upper byte. An e4m3
 * one place further down is an f16 of 2^-8 of its value, subnormal or not, and NaN comes out as 1.875, just above the
 * largest, 1.75: times 2^15, and 4096 more, that alone is infinite, which times -0 is NaN; all others are -0 then. */
TC_DEV_SM80 uint32_t tc__gemm80_f16(const int type, uint32_t x, const int part)
{
    const uint32_t y = part ? x : x << 8, size = y >> 1 & 0x3f803f80u;
    uint32_t r;
    if (type == TC_E5M2) return y & 0xff00ff00u;
    asm("{\n\t"
        ".reg .b32 t;\n\t"
        "fma.rn.f16x2 t, %1, %3, %4;\n\t"
        "mul.rn.f16x2 t, t, %5;\n\t"
        "fma.rn.f16x2 %0, %2, %6, t;\n\t"
        "}"
        : "=r"(r)
        : "r"(size), "r"(size | (y & 0x80008000u)), "r"(0x78007800u), "r"(0x6c006c00u), "r"(0x80008000u),
          "r"(0x5c005c00u));
    return r;
}

/* What the parts of a type are multiplied as. */
TC_DEV int tc__gemm80_wider(tc_gemm_config_in c, const int type)
{
    return type == TC_S4 || c.op == TC_XOR ? TC_S8 : type == TC_U4 || c.op == TC_AND ? TC_U8 : TC_F16;
}

/* Part `part` of a word of elements of a type, of A or of B. The sign of s4 fills what is above it; no byte reaches
 * into the next. */
TC_DEV_SM80 uint32_t tc__gemm80_widen(tc_gemm_config_in c, const int type, uint32_t x, const int part)
{
    const uint32_t four = x >> part * 4 & 0x0f0f0f0fu, bit = x >> part & 0x01010101u;
    return type == TC_S4   ? four + (four & 0x08080808u) * 0x1eu
         : type == TC_U4   ? four
         : c.op == TC_AND  ? bit
         : c.op == TC_XOR  ? bit * 0xfeu + 0x01010101u
                           : tc__gemm80_f16(type, x, part);
}

/* TC_XOR in parts: sums of 1 and -1 become the number of -1 among k bytes' bits: all that were multiplied, also the
 * zeros behind A's and B's last. */
TC_DEV void tc__gemm80_count(tc_gemm80_in k, int bytes, tc__gemm80_acc *acc)
{
    const int all = (bytes + k.c.bk - 1) / k.c.bk * k.c.bk * 8;
#pragma unroll
    for (int i = 0; i < k.c.bm / k.c.warps_m * (k.c.bn / k.c.warps_n) / 32; i++) acc->i[i] = (all - acc->i[i]) >> 1;
}

/* 32 bytes of k by as many instructions as there are parts. */
TC_DEV_SM80 void tc__gemm80_mma_parts(tc_gemm80_in k, const tc__gemm80_fragments *f, tc__gemm80_acc *acc)
{
    const tc_gemm_config c = k.c;
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8;
    tc_gemm_config wide = c;
    wide.a = tc__gemm80_wider(c, c.a), wide.b = tc__gemm80_wider(c, c.b);
#pragma unroll 2
    for (int part = 0; part < k.parts; part++) {
        uint32_t b[64];
#pragma unroll
        for (int r = 0; r < 2 * ni; r++) b[r] = tc__gemm80_widen(c, c.b, f->b[r], part);
#pragma unroll
        for (int i = 0; i < mi; i++) {
            uint32_t a[4];
#pragma unroll
            for (int r = 0; r < 4; r++) a[r] = tc__gemm80_widen(c, c.a, f->a[i][r], part);
#pragma unroll
            for (int jj = 0; jj < ni; jj++) {
                const int j = i % 2 ? ni - 1 - jj : jj, at = i * ni + j;
                if (k.sums == TC_S32) tc__gemm80_mma_int(wide, acc->i + at * 4, a, b + j * 2);
                else if (k.sums == TC_F16) tc_mma_m16n8k16_f16_f16(acc->h + at * 2, a, b + j * 2, acc->h + at * 2);
                else tc_mma_m16n8k16_f32_f16(acc->f + at * 4, a, b + j * 2, acc->f + at * 4);
            }
        }
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM80_MMA_H */
