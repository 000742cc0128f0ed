/* tc_mma.h - tc 0.1.0 - mma.sync and what feeds it: ldmatrix, stmatrix, movmatrix, cp.async. Needs: tc_core.h; sm_75 and later.
 *
 *     uint32_t a[4], b[2];
 *     float d[4] = {0};
 *     tc_ldmatrix_x4(a, smem_a + tc_tile_offset(128, lane & 15, (lane >> 4) * 16));     16 x 16 of A, row-major
 *     tc_ldmatrix_x2(b, smem_b + tc_tile_offset(128, lane & 7, ((lane >> 3) & 1) * 16)); 8 x 16 of B, K contiguous
 *     tc_mma_m16n8k16_f32_bf16(d, a, b, d);                                              D = A * B + D
 *
 * CONTENTS
 *     ldmatrix      tc_ldmatrix_x1 _x2 _x4, each also _trans         sm_75   shared memory to fragments
 *     stmatrix      tc_stmatrix_x1 _x2 _x4, each also _trans         sm_90   fragments to shared memory
 *     movmatrix     tc_movmatrix_trans                               sm_75   transposes an 8x8 in registers
 *     mma.sync      tc_mma_m16n8k16_f32_f16 _f32_bf16 _f16_f16       sm_80
 *     cp.async      tc_cp_async_ca_4 _8 _16, tc_cp_async_cg_16, each also _zfill; tc_cp_async_commit_group,
 *                   TC_CP_ASYNC_WAIT_GROUP(n), tc_cp_async_wait_all, tc_cp_async_mbarrier_arrive_noinc
 *                                                                  sm_80   global to shared, past the registers
 *     coordinates   tc_frag_m16n8k16_{a,b,d}_{row,col}               host and device
 *
 * FRAGMENTS of m16n8k16: which thread (lane) holds which element. g = lane / 4, t = lane % 4.
 *
 *     A 16x16 (row, k)              k: 2t,2t+1   2t+8,2t+9      B 8x16 (n, k), K contiguous    k: 2t,2t+1  2t+8,2t+9
 *       row g                          a[0]        a[2]           row n = g                       b[0]        b[1]
 *       row g + 8                      a[1]        a[3]         D 16x8 (row, col)              col: 2t         2t+1
 *     a register holds two 16-bit elements,                       row g                           d[0]         d[1]
 *     the lower k in the lower half                               row g + 8                       d[2]         d[3]
 *
 *     An 8x8 matrix of ldmatrix is the same picture: lane holds (row g, columns 2t and 2t+1) in one register, and lanes
 *     8i..8i+7 give the addresses of the rows of matrix i. With _trans the lane holds (rows 2t and 2t+1, column g).
 *
 * TRAPS
 *     ldmatrix, stmatrix: every row address must be 16-byte aligned, all 32 lanes must take part.
 *     cp.async: source and destination aligned to the size; nothing has arrived before a wait *and* a barrier, since a
 *     wait covers the calling thread's own copies only.
 */
#ifndef TC_MMA_H
#define TC_MMA_H

#include "tc_core.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Coordinates: (row, col) of element i (0..7, 0..3, 0..3) that a lane holds. For A: (m, k); for B: (n, k); for D: (m, n).
 */
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_a_row(int lane, int i) { return lane / 4 + (i / 2 % 2) * 8; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_a_col(int lane, int i) { return lane % 4 * 2 + i % 2 + i / 4 * 8; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_b_row(int lane, int i) { return lane / 4 + 0 * i; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_b_col(int lane, int i) { return lane % 4 * 2 + i % 2 + i / 2 * 8; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_d_row(int lane, int i) { return lane / 4 + i / 2 * 8; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_d_col(int lane, int i) { return lane % 4 * 2 + i % 2; }

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: ldmatrix (sm_75). r: 1, 2 or 4 registers, each an 8x8 matrix of 16-bit elements. row: this lane's row address.
 */
#define TC__LDMATRIX(suffix, mods) \
    TC_DEV void tc_ldmatrix_x1##suffix(uint32_t *r, uint32_t row) \
    { \
        asm volatile("ldmatrix.sync.aligned.m8n8.x1" mods ".shared.b16 {%0}, [%1];" \
                     : "=r"(r[0]) : "r"(row) : "memory"); \
    } \
    TC_DEV void tc_ldmatrix_x2##suffix(uint32_t *r, uint32_t row) \
    { \
        asm volatile("ldmatrix.sync.aligned.m8n8.x2" mods ".shared.b16 {%0,%1}, [%2];" \
                     : "=r"(r[0]), "=r"(r[1]) : "r"(row) : "memory"); \
    } \
    TC_DEV void tc_ldmatrix_x4##suffix(uint32_t *r, uint32_t row) \
    { \
        asm volatile("ldmatrix.sync.aligned.m8n8.x4" mods ".shared.b16 {%0,%1,%2,%3}, [%4];" \
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory"); \
    }
TC__LDMATRIX(, "")
TC__LDMATRIX(_trans, ".trans")
#undef TC__LDMATRIX

/* PTX: stmatrix (sm_90). The way back: register i of all lanes is written as matrix i. */
#define TC__STMATRIX(suffix, mods) \
    TC_DEV_SM90 void tc_stmatrix_x1##suffix(uint32_t row, uint32_t r0) \
    { \
        asm volatile("stmatrix.sync.aligned.m8n8.x1" mods ".shared.b16 [%0], {%1};" \
                     : : "r"(row), "r"(r0) : "memory"); \
    } \
    TC_DEV_SM90 void tc_stmatrix_x2##suffix(uint32_t row, uint32_t r0, uint32_t r1) \
    { \
        asm volatile("stmatrix.sync.aligned.m8n8.x2" mods ".shared.b16 [%0], {%1,%2};" \
                     : : "r"(row), "r"(r0), "r"(r1) : "memory"); \
    } \
    TC_DEV_SM90 void tc_stmatrix_x4##suffix(uint32_t row, const uint32_t *r) \
    { \
        asm volatile("stmatrix.sync.aligned.m8n8.x4" mods ".shared.b16 [%0], {%1,%2,%3,%4};" \
                     : : "r"(row), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory"); \
    }
TC__STMATRIX(, "")
TC__STMATRIX(_trans, ".trans")
#undef TC__STMATRIX

/* PTX: movmatrix (sm_75). The 8x8 matrix that the warp holds, transposed. */
TC_DEV uint32_t tc_movmatrix_trans(uint32_t a)
{
    uint32_t d;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(a));
    return d;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: mma (sm_80). d = a * b + c; a: 4 registers, b: 2, c and d: 4 floats (2 registers for f16), d may be c.
 */
#define TC__MMA_M16N8K16_F32(ab) \
    TC_DEV_SM80 void tc_mma_m16n8k16_f32_##ab(float *d, const uint32_t *a, const uint32_t *b, const float *c) \
    { \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." #ab "." #ab ".f32 " \
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" \
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), \
                       "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3])); \
    }
TC__MMA_M16N8K16_F32(f16)
TC__MMA_M16N8K16_F32(bf16)
#undef TC__MMA_M16N8K16_F32

/* The f16 accumulator: half the registers, and 11 bits of mantissa. bf16 has no such form. */
TC_DEV_SM80 void tc_mma_m16n8k16_f16_f16(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
                 : "=r"(d[0]), "=r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: cp.async (sm_80). dst: shared address, src: global address, both aligned to the size in bytes. _zfill copies the
 * first src_bytes (0..size) and zeroes the rest; with 0 nothing is read and src may be any address. .ca keeps the line
 * in L1, .cg (16 bytes only) goes by L2 alone.
 */
#define TC__CP_ASYNC(cache, size) \
    TC_DEV_SM80 void tc_cp_async_##cache##_##size(uint32_t dst, const void *src) \
    { \
        asm volatile("cp.async." #cache ".shared.global [%0], [%1], " #size ";" \
                     : : "r"(dst), "l"(__cvta_generic_to_global(src)) : "memory"); \
    } \
    TC_DEV_SM80 void tc_cp_async_##cache##_##size##_zfill(uint32_t dst, const void *src, int src_bytes) \
    { \
        asm volatile("cp.async." #cache ".shared.global [%0], [%1], " #size ", %2;" \
                     : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(src_bytes) : "memory"); \
    }
TC__CP_ASYNC(ca, 4)
TC__CP_ASYNC(ca, 8)
TC__CP_ASYNC(ca, 16)
TC__CP_ASYNC(cg, 16)
#undef TC__CP_ASYNC

/* PTX: cp.async.commit_group, cp.async.wait_group n (n must be a literal: at most n newer groups stay in flight). */
TC_DEV_SM80 void tc_cp_async_commit_group(void) { asm volatile("cp.async.commit_group;" : : : "memory"); }
TC_DEV_SM80 void tc_cp_async_wait_all(void) { asm volatile("cp.async.wait_all;" : : : "memory"); }
/* PTX: cp.async.mbarrier.arrive.noinc: arrives on bar once all earlier cp.async of this thread have landed. The barrier's
 * count includes these arrivals. */
TC_DEV_SM80 void tc_cp_async_mbarrier_arrive_noinc(uint32_t bar)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(bar) : "memory");
}
#define TC_CP_ASYNC_WAIT_GROUP(n) \
    do { tc__needs_sm80(); asm volatile("cp.async.wait_group %0;" : : "n"(n) : "memory"); } while (0)

#endif /* __CUDACC__ */
#endif /* TC_MMA_H */
