/* tc_mma.h - tc 0.2.0 - mma.sync and mma.sp of every type, and what feeds them: ldmatrix, stmatrix, movmatrix,
 * cp.async. Needs: tc_core.h; sm_75 and later.
 *
 *     uint32_t a[4], b[2];
 *     float d[4] = {0};
 *     tc_ldmatrix_x4(a, smem_a + tc_tile_offset(128, lane & 15, (lane >> 4) * 16));    16 x 16 of A, row-major
 *     tc_ldmatrix_x2(b, smem_b + tc_tile_offset(128, lane & 7, ((lane >> 3) & 1) * 16)); 8 x 16 of B, K contiguous
 *     tc_mma_m16n8k16_f32_bf16(d, a, b, d);                                             D = A * B + D
 *     TC_MMA(m16n8k16, row, col, f32, bf16, bf16, f32, d, a, b, d);                     the same: any type in this form
 *
 * CONTENTS (tokens stand in PTX's order and are PTX's words; "::" and the dot between words of one token are written _)
 *     functions     tc_mma_m16n8k16_f32_f16 _f32_bf16 _f16_f16                                sm_80
 *     TC_MMA(shape, row, col, dtype, atype, btype, ctype, d, a, b, c)                         table below
 *     TC_MMA_ZERO(the same without c): D = A * B, zeros as immediates (d f32 or s32)
 *     TC_MMA_SATFINITE(like TC_MMA)                s8 u8 s4 u4: D clamps to int32 instead of wrapping round
 *     TC_MMA_ROUND(shape, row, col, rn|rz|rm|rp, f64, f64, f64, f64, d, a, b, c)
 *     TC_MMA_POPC(shape, row, col, s32, b1, b1, s32, xor_popc|and_popc, d, a, b, c)
 *     TC_MMA_KIND(shape, row, col, f8f6f4, dtype, atype, btype, ctype, d, a, b, c)            Blackwell's a and f
 *                                              kind: the word behind PTX's kind::, as in tc_tcgen05.h
 *     TC_MMA_BLOCK_SCALE(shape, row, col, kind, scale_vec, f32, atype, btype, f32, stype, d, a, b, c,
 *                        scale_a, byte_a, thread_a, scale_b, byte_b, thread_b)                sm_120 family
 *     TC_MMA_BLOCK_SCALE_IMM(the same)             byte and thread ids are literals, not 16-bit registers
 *     TC_MMA_SP(shape, row, col, dtype, atype, btype, ctype, d, a, b, c, meta, selector)      sparse A (tc_sparse.h)
 *     TC_MMA_SP_ORDERED(the same)                  .sp::ordered_metadata: what to take by default, see TRAPS
 *     TC_MMA_SP_SATFINITE, TC_MMA_SP_ORDERED_SATFINITE, TC_MMA_SP_KIND, TC_MMA_SP_BLOCK_SCALE,
 *     TC_MMA_SP_BLOCK_SCALE_IMM
 *     ldmatrix      tc_ldmatrix_x1 _x2 _x4, each also _trans; TC_LDMATRIX, TC_LDMATRIX_TRANS  sm_75   to fragments
 *     stmatrix      tc_stmatrix_x1 _x2 _x4, each also _trans; TC_STMATRIX, TC_STMATRIX_TRANS  sm_90   from fragments
 *     movmatrix     tc_movmatrix_trans                               sm_75   transposes an 8x8 in registers
 *     cp.async      tc_cp_async_ca_4 _8 _16, tc_cp_async_cg_16, each also _zfill; tc_cp_async_commit_group,
 *                   TC_CP_ASYNC_WAIT_GROUP(n), tc_cp_async_wait_all, tc_cp_async_mbarrier_arrive_noinc, ..._arrive;
 *                   TC_CP_ASYNC and its kin (L2 prefetch, cache policy, ignore-src)
 *                                                                  sm_80   global to shared, past the registers
 *     coordinates   tc_frag_{shape}_{class}_{a,b,d}_{row,col}, tc_frag_ldmatrix_*, tc_frag_stmatrix_*, tc_frag_scale_*:
 *                   host and device
 *
 * WHAT MULTIPLIES (registers of 32 bits a lane, f64: of 64; d and c: float, double, int32_t, or uint32_t for a pair of
 * f16)
 *     types of A and B       shapes (registers of A, B, D)                             D and C             from
 *     f16                    m16n8k8 (2 1 4|2)  m16n8k16 (4 2 4|2)                     f32 f32 or f16 f16  sm_75, sm_80
 *     f16, any row/col       m8n8k4 (2 2 8|4)                                          and f32 f16         sm_70
 *     bf16                   m16n8k8 (2 1 4)  m16n8k16 (4 2 4)                         f32                 sm_80
 *     tf32                   m16n8k4 (2 1 4)  m16n8k8 (4 2 4)                          f32                 sm_80
 *     f64                    m8n8k4 (1 1 2); m16n8k4 (2 1 4)  k8 (4 2 4)  k16 (8 4 4)  f64                 sm_80; sm_90
 *     s8 u8 in any pair      m8n8k16 (1 1 2); m16n8k16 (2 1 4)  m16n8k32 (4 2 4)       s32                 sm_75; sm_80
 *     s4 u4 in any pair      m8n8k32 (1 1 2); m16n8k32 (2 1 4)  m16n8k64 (4 2 4)       s32                 sm_75; sm_80
 *     b1                     m8n8k128 (1 1 2); m16n8k128 (2 1 4)  m16n8k256 (4 2 4)    s32                 sm_75 (*)
 *     e4m3 e5m2 in any pair  m16n8k16 (2 1 4|2)  m16n8k32 (4 2 4|2)                    f32 f32 or f16 f16  sm_89
 *     kind f8f6f4            m16n8k32 (4 2 4|2), e4m3 e5m2 e3m2 e2m3 e2m1              f32 f32 or f16 f16  100a+ (**)
 *     kind mxf8f6f4          m16n8k32 (4 2 4), the same types, scale_vec_1X, ue8m0     f32                 sm_120a/f
 *     kind mxf4              m16n8k64 (4 2 4), e2m1, scale_vec_2X, ue8m0               f32                 sm_120a/f
 *     kind mxf4nvf4          m16n8k64, e2m1, scale_vec_2X ue8m0 or scale_vec_4X ue4m3  f32                 sm_120a/f
 *                            or scale_vec_4X ue8m0                                     f32       PTX 9.1;  sm_120a/f
 *     (*) and_popc: sm_80. (**) fp6 and fp4: 120a.
 *     Sparse: twice the K of each row above (tf32 k8 k16, f16 and bf16 k16 k32, 8 bits k32 k64, 4 bits k64 k128), m16n8
 *     only; fp8 k64 only. A has the registers of the dense shape of half that K. No f64, no b1.
 *
 * FRAGMENTS: which lane holds which element. g = lane / 4, t = lane % 4. A register holds e = 32 / bits elements (f64,
 * tf32: 1), the lowest k in the lowest bits. One picture serves all types; K is counted in registers of e elements:
 *
 *     A 16 x K (row, k)   k: e*t ..  e*t + 4e ..  further registers     B 8 x K (n, k)       k: e*t ..   e*t + 4e ..
 *       row g                a[0]       a[2]      (f64 k16): a[4] a[6]    column n = g         b[0]        b[1]
 *       row g + 8            a[1]       a[3]                 a[5] a[7]
 *     A 8 x K (m8n8...)   row g: a[0]                                   D 16 x 8 (row, col)  col: 2t       2t + 1
 *                                                                         row g              d[0]        d[1]
 *     e: 2 for f16 bf16, 4 for 8 bits and kind f8f6f4's bytes,            row g + 8          d[2]        d[3]
 *     8 for 4 bits, 32 for b1, 1 for tf32 f64                             (f16: d[0] and d[1] in one register)
 *
 *     m8n8k4 f16 is Volta's: four products at a time, one for each quad pair p: lanes 4p..4p+3 (x = 0..3) and
 *     16+4p..16+4p+3 (x = 4..7).
 *     A row: lane x holds row x, k 0..3; A col: lane x holds k x % 4, rows 4 * (x / 4) + 0..3. B the other way round. D
 *     f16: row x, columns 0..7; D f32: rows (x % 2) + (i & 2) + 4 * (x / 4), columns (i & 4) + (x & 2) + (i & 1).
 *
 *     ldmatrix m8n8 b16: an 8x8 matrix a register: lane holds (row g, columns 2t and 2t+1); _trans: (rows 2t and 2t+1,
 *     column g). Lanes 8i..8i+7 give the addresses of the rows of matrix i, 16 bytes each.
 *     ldmatrix m16n16 b8 _trans: two registers a matrix, rows 4t..4t+3 of column g and of column g + 8; lanes 16i..
 *     address its 16 rows.
 *     ldmatrix m8n16 b8x16_*: row g, elements 4t..4t+3, each in a byte. stmatrix m16n8 b8 _trans: lanes 8i.. address 8
 *     columns of 16 bytes: the register holds (column 2t, row g), (2t+1, g), (2t, g+8), (2t+1, g+8).
 *
 *     Block scales: with thread_a = 0 or 1, lane 4g + 2 * thread_a holds those of row g, the next lane those of row g +
 *     8; lane 4g + thread_b those of column g. Scale s of K / n elements is byte byte_a + s (byte_b + s). byte ids: 1X
 *     0..3, 2X 0 or 2, 4X 0.
 *
 * TRAPS
 *     ldmatrix, stmatrix: every row address must be 16-byte aligned, all 32 lanes must take part. `generic` takes a
 *     pointer; ptxas would take a 32-bit address there without a word, these macros do not.
 *     cp.async: source and destination aligned to the size; nothing has arrived before a wait *and* a barrier, since a
 *     wait covers the calling thread's own copies only. wait_group takes any integer, a negative one too.
 *     The forms of cp.async with a cache policy: ptxas 13.0, for sm_90a, made of them an instruction that an H200
 *     refuses as illegal, where the destination was a uniform base plus an offset. Leave the policy out unless you have
 *     seen your kernel run.
 *     Assembles is not native. f16 m8n8k4 has no tensor instruction after sm_75 (130 to 170 ordinary ones); fp8 and
 *     kind f8f6f4 become converts and two f16 products on sm_90, sm_100, sm_103, sm_107 and sm_110; int4 is emulated
 *     from sm_90 on, b1 from sm_100 on (sm_90: xor costs twice); f64 m16n8 is one instruction on sm_90 only. Plain
 *     mma.sp of f16 and int8 costs 32 to 72 instructions more on sm_100 and later (ptxas says so in an advisory):
 *     TC_MMA_SP_ORDERED costs nothing anywhere, and its metadata is what tc_sparse.h makes.
 *     kind f8f6f4 and kind mxf8f6f4 keep fp6 and fp4 in bytes: e3m2 and e2m3 in bits 0..5, e2m1 in bits 2..5.
 *     Sparse kinds exist as ordered metadata only. Sparse mxf4 and mxf4nvf4 need sm_120a or sm_121a, an f target will
 *     not do.
 *     .satfinite stands before the types here and at the very end in wmma.
 *     The selector must be what the ISA allows (0..3, 0..1 or 0): ptxas takes 0..3 everywhere, the macros do not.
 *     byte and thread ids must be the same in all lanes.
 *
 * Source: PTX ISA, "Warp-level matrix instructions"; "Data movement and conversion instructions: cp.async".
 */
#ifndef TC_MMA_H
#define TC_MMA_H

#include "tc_core.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Coordinates: (row, col) of element i of a lane's fragment, counted through its registers. For A: (m, k); for B: (n,
 * k); for D: (m, n). Class: b16 (f16, bf16), b32 (tf32), b64 (f64), b8 (integers, fp8, and the bytes of kind f8f6f4),
 * b4 (integers, and e2m1 of mxf4), b1. Columns of the table: shape and class, elements in a register, rows of A / 8.
 */
#define TC__FRAGS(X)                                                                                                  \
    X(m16n8k8_b16, 2, 2) X(m16n8k16_b16, 2, 2) X(m16n8k4_b32, 1, 2) X(m16n8k8_b32, 1, 2)                              \
    X(m8n8k4_b64, 1, 1) X(m16n8k4_b64, 1, 2) X(m16n8k8_b64, 1, 2) X(m16n8k16_b64, 1, 2)                               \
    X(m8n8k16_b8, 4, 1) X(m16n8k16_b8, 4, 2) X(m16n8k32_b8, 4, 2)                                                     \
    X(m8n8k32_b4, 8, 1) X(m16n8k32_b4, 8, 2) X(m16n8k64_b4, 8, 2)                                                     \
    X(m8n8k128_b1, 32, 1) X(m16n8k128_b1, 32, 2) X(m16n8k256_b1, 32, 2)

#define TC__FRAG(name, e, h)                                                                                          \
    TC_HD TC_CONSTEXPR int tc_frag_##name##_a_row(int lane, int i) { return lane / 4 + i / (e) % (h) * 8; }           \
    TC_HD TC_CONSTEXPR int tc_frag_##name##_a_col(int lane, int i)                                                    \
    {                                                                                                                 \
        return (i / (e) / (h) * 4 + lane % 4) * (e) + i % (e);                                                        \
    }                                                                                                                 \
    TC_HD TC_CONSTEXPR int tc_frag_##name##_b_row(int lane, int i) { return lane / 4 + 0 * i; }                       \
    TC_HD TC_CONSTEXPR int tc_frag_##name##_b_col(int lane, int i) { return (i / (e) * 4 + lane % 4) * (e) + i % (e); }\
    TC_HD TC_CONSTEXPR int tc_frag_##name##_d_row(int lane, int i) { return lane / 4 + i / 2 * 8; }                   \
    TC_HD TC_CONSTEXPR int tc_frag_##name##_d_col(int lane, int i) { return lane % 4 * 2 + i % 2; }
TC__FRAGS(TC__FRAG)
#undef TC__FRAG

/* m16n8k16 of f16 and bf16 under its short name. */
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_a_row(int lane, int i) { return lane / 4 + (i / 2 % 2) * 8; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_a_col(int lane, int i) { return lane % 4 * 2 + i % 2 + i / 4 * 8; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_b_row(int lane, int i) { return lane / 4 + 0 * i; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_b_col(int lane, int i) { return lane % 4 * 2 + i % 2 + i / 2 * 8; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_d_row(int lane, int i) { return lane / 4 + i / 2 * 8; }
TC_HD TC_CONSTEXPR int tc_frag_m16n8k16_d_col(int lane, int i) { return lane % 4 * 2 + i % 2; }

/* m8n8k4 of f16: which of the four products a lane works on, and its place in it. A stored by rows (row) or columns
 * (col), and B (n, k) by columns (col, K contiguous) or rows; D of f16 or of f32. */
TC_HD TC_CONSTEXPR int tc_frag_m8n8k4_f16_product(int lane) { return lane % 16 / 4; }
TC_HD TC_CONSTEXPR int tc_frag_m8n8k4_f16_a_row(int lane, int i, int col)
{
    return lane / 16 * 4 + (col ? i : lane % 4);
}
TC_HD TC_CONSTEXPR int tc_frag_m8n8k4_f16_a_col(int lane, int i, int col) { return col ? lane % 4 : i; }
TC_HD TC_CONSTEXPR int tc_frag_m8n8k4_f16_b_row(int lane, int i, int col)
{
    return lane / 16 * 4 + (col ? lane % 4 : i);
}
TC_HD TC_CONSTEXPR int tc_frag_m8n8k4_f16_b_col(int lane, int i, int col) { return col ? i : lane % 4; }
TC_HD TC_CONSTEXPR int tc_frag_m8n8k4_f16_d_row(int lane, int i, int f32)
{
    return lane / 16 * 4 + (f32 ? lane % 2 + (i & 2) : lane % 4);
}
TC_HD TC_CONSTEXPR int tc_frag_m8n8k4_f16_d_col(int lane, int i, int f32)
{
    return f32 ? (i & 4) + (lane & 2) + (i & 1) : i;
}

/* ldmatrix and stmatrix: element i of the registers of a lane is element `col` of the row of 16 bytes (in memory) whose
 * address lane tc_frag_ldmatrix_*_row gave. For matrix j of x2 and x4 i goes on: m8n8 b16 has 2 elements a matrix,
 * m16n16 b8 8, m8n16 and m16n8 b8 4. The row counts through the matrices, so it is the number of the lane that gave the
 * address. */
TC_HD TC_CONSTEXPR int tc_frag_ldmatrix_m8n8_row(int lane, int i) { return i / 2 * 8 + lane / 4; }
TC_HD TC_CONSTEXPR int tc_frag_ldmatrix_m8n8_col(int lane, int i) { return lane % 4 * 2 + i % 2; }
TC_HD TC_CONSTEXPR int tc_frag_ldmatrix_m8n8_trans_row(int lane, int i) { return i / 2 * 8 + lane % 4 * 2 + i % 2; }
TC_HD TC_CONSTEXPR int tc_frag_ldmatrix_m8n8_trans_col(int lane, int i) { return lane / 4 + 0 * i; }
TC_HD TC_CONSTEXPR int tc_frag_ldmatrix_m16n16_trans_row(int lane, int i) { return i / 8 * 16 + lane % 4 * 4 + i % 4; }
TC_HD TC_CONSTEXPR int tc_frag_ldmatrix_m16n16_trans_col(int lane, int i) { return lane / 4 + i / 4 % 2 * 8; }
TC_HD TC_CONSTEXPR int tc_frag_ldmatrix_m8n16_row(int lane, int i) { return i / 4 * 8 + lane / 4; }
TC_HD TC_CONSTEXPR int tc_frag_ldmatrix_m8n16_col(int lane, int i) { return lane % 4 * 4 + i % 4; }
TC_HD TC_CONSTEXPR int tc_frag_stmatrix_m8n8_row(int lane, int i) { return i / 2 * 8 + lane / 4; }
TC_HD TC_CONSTEXPR int tc_frag_stmatrix_m8n8_col(int lane, int i) { return lane % 4 * 2 + i % 2; }
TC_HD TC_CONSTEXPR int tc_frag_stmatrix_m8n8_trans_row(int lane, int i) { return i / 2 * 8 + lane % 4 * 2 + i % 2; }
TC_HD TC_CONSTEXPR int tc_frag_stmatrix_m8n8_trans_col(int lane, int i) { return lane / 4 + 0 * i; }
TC_HD TC_CONSTEXPR int tc_frag_stmatrix_m16n8_trans_row(int lane, int i) { return i / 4 * 8 + lane % 4 * 2 + i % 2; }
TC_HD TC_CONSTEXPR int tc_frag_stmatrix_m16n8_trans_col(int lane, int i) { return lane / 4 + i / 2 % 2 * 8; }

/* Block scales: the row of A (column of B) whose scales lane holds for this thread id, or -1 where its register is not
 * read. */
TC_HD TC_CONSTEXPR int tc_frag_scale_a_row(int lane, int thread_a)
{
    return lane % 4 / 2 == thread_a ? lane / 4 + lane % 2 * 8 : -1;
}
TC_HD TC_CONSTEXPR int tc_frag_scale_b_col(int lane, int thread_b) { return lane % 4 == thread_b ? lane / 4 : -1; }

#ifdef __CUDACC__

TC_DEV void tc__needs_any(void) {} /* the gate of what every device has */

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: ldmatrix (sm_75). r: 1, 2 or 4 registers, each an 8x8 matrix of 16-bit elements. row: this lane's row address.
 */
#define TC__LDMATRIX(suffix, mods) \
    TC_DEV_SM75 void tc_ldmatrix_x1##suffix(uint32_t *r, uint32_t row) \
    { \
        asm volatile("ldmatrix.sync.aligned.m8n8.x1" mods ".shared.b16 {%0}, [%1];" \
                     : "=r"(r[0]) : "r"(row) : "memory"); \
    } \
    TC_DEV_SM75 void tc_ldmatrix_x2##suffix(uint32_t *r, uint32_t row) \
    { \
        asm volatile("ldmatrix.sync.aligned.m8n8.x2" mods ".shared.b16 {%0,%1}, [%2];" \
                     : "=r"(r[0]), "=r"(r[1]) : "r"(row) : "memory"); \
    } \
    TC_DEV_SM75 void tc_ldmatrix_x4##suffix(uint32_t *r, uint32_t row) \
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
TC_DEV_SM75 uint32_t tc_movmatrix_trans(uint32_t a)
{
    uint32_t d;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(a));
    return d;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * ldmatrix and stmatrix in all their forms.
 *     TC_LDMATRIX(shape, num, space, type, r, addr)         TC_STMATRIX(shape, num, space, type, addr, r)
 *     TC_LDMATRIX_TRANS(...)                                TC_STMATRIX_TRANS(...)
 * space: shared or shared_cta (addr: uint32_t of tc_smem_u32), generic (addr: a pointer into shared memory).
 *
 *     shape    num        type                                 registers of r        trans      needs
 *     m8n8     x1 x2 x4   b16                                  1 2 4                 either     sm_75 (stmatrix: sm_90)
 *     m16n16   x1 x2      b8, b8x16_b6x16_p32, b8x16_b4x16_p64 2 4                   always     a or f target of
 *                                                                                               Blackwell; ldmatrix
 *     m8n16    x1 x2 x4   b8x16_b6x16_p32, b8x16_b4x16_p64     1 2 4                 never      the same
 *     m8n16    x1 x2 x4   s8_s4: 4 bits become 8               1 2 4                 never      sm_90a or the same;
 *                                                                                               PTX 9.4
 *     m16n8    x1 x2 x4   b8                                   1 2 4                 always     as b8; stmatrix
 *
 * b6x16_p32: 16 elements of 6 bits and 4 bytes of padding a row; b4x16_p64: 16 of 4 bits and 8 bytes. Each arrives in a
 * byte of its own, in the low bits (e2m1 for kind f8f6f4 wants bits 2..5: shift left by 2). Table: registers, gate.
 */
#define TC__LDM_m8n8_x1_b16 ~, 1, sm75
#define TC__LDM_m8n8_x2_b16 ~, 2, sm75
#define TC__LDM_m8n8_x4_b16 ~, 4, sm75
#define TC__LDM_m8n16_x1_b8x16_b6x16_p32 ~, 1, blackwell_a
#define TC__LDM_m8n16_x2_b8x16_b6x16_p32 ~, 2, blackwell_a
#define TC__LDM_m8n16_x4_b8x16_b6x16_p32 ~, 4, blackwell_a
#define TC__LDM_m8n16_x1_b8x16_b4x16_p64 ~, 1, blackwell_a
#define TC__LDM_m8n16_x2_b8x16_b4x16_p64 ~, 2, blackwell_a
#define TC__LDM_m8n16_x4_b8x16_b4x16_p64 ~, 4, blackwell_a
#define TC__LDM_m8n16_x1_s8_s4 ~, 1, any_a_ptx94
#define TC__LDM_m8n16_x2_s8_s4 ~, 2, any_a_ptx94
#define TC__LDM_m8n16_x4_s8_s4 ~, 4, any_a_ptx94
#define TC__LDMT_m8n8_x1_b16 ~, 1, sm75
#define TC__LDMT_m8n8_x2_b16 ~, 2, sm75
#define TC__LDMT_m8n8_x4_b16 ~, 4, sm75
#define TC__LDMT_m16n16_x1_b8 ~, 2, blackwell_a
#define TC__LDMT_m16n16_x2_b8 ~, 4, blackwell_a
#define TC__LDMT_m16n16_x1_b8x16_b6x16_p32 ~, 2, blackwell_a
#define TC__LDMT_m16n16_x2_b8x16_b6x16_p32 ~, 4, blackwell_a
#define TC__LDMT_m16n16_x1_b8x16_b4x16_p64 ~, 2, blackwell_a
#define TC__LDMT_m16n16_x2_b8x16_b4x16_p64 ~, 4, blackwell_a
#define TC__STM_m8n8_x1_b16 ~, 1, sm90
#define TC__STM_m8n8_x2_b16 ~, 2, sm90
#define TC__STM_m8n8_x4_b16 ~, 4, sm90
#define TC__STMT_m8n8_x1_b16 ~, 1, sm90
#define TC__STMT_m8n8_x2_b16 ~, 2, sm90
#define TC__STMT_m8n8_x4_b16 ~, 4, sm90
#define TC__STMT_m16n8_x1_b8 ~, 1, blackwell_a
#define TC__STMT_m16n8_x2_b8 ~, 2, blackwell_a
#define TC__STMT_m16n8_x4_b8 ~, 4, blackwell_a

#define TC__MX_TEXT_b16 ~, ".b16"
#define TC__MX_TEXT_b8 ~, ".b8"
#define TC__MX_TEXT_s8_s4 ~, ".s8.s4"
#define TC__MX_TEXT_b8x16_b6x16_p32 ~, ".b8x16.b6x16_p32"
#define TC__MX_TEXT_b8x16_b4x16_p64 ~, ".b8x16.b4x16_p64"

/* State spaces: PTX's text, and the constraint of an address in it. */
#define TC__SPACE_shared ~, ".shared"
#define TC__SPACE_shared_cta ~, ".shared::cta"
#define TC__SPACE_generic ~, ""
#define TC__SPACE_IN_shared ~, TC__SPACE_R
#define TC__SPACE_IN_shared_cta ~, TC__SPACE_R
#define TC__SPACE_IN_generic ~, TC__SPACE_L
#define TC__SPACE_R(x) "r"(x)
#define TC__SPACE_L(x) "l"(x)
#define TC__SPACE_BAD(x) "l"((unsigned long long)(x))
#define TC__SPACE_CHECK(what, space)                                                                                  \
    static_assert(sizeof(TC__PROBE(TC__SPACE_##space, "no such space")) != sizeof("no such space"),                   \
                  "tc: " what                                                                                         \
                  ": the space is shared or shared_cta (a 32-bit address: tc_smem_u32) or generic (a pointer)")

/* The second and third item of a table's line behind the tilde: what TC__PROBE is for the first. */
#define TC__ITEM2(...) TC__ITEM2_(__VA_ARGS__, ~, ~, ~)
#define TC__ITEM2_(a, b, c, ...) c
#define TC__ITEM3(...) TC__ITEM3_(__VA_ARGS__, ~, ~, ~, ~)
#define TC__ITEM3_(a, b, c, d, ...) d

#define TC__LDM_DO_1(help, text, r, in) asm volatile(text " {%0}, [%1];" : "=r"((r)[0]) : in : "memory")
#define TC__LDM_DO_2(help, text, r, in)                                                                               \
    asm volatile(text " {%0,%1}, [%2];" : "=r"((r)[0]), "=r"((r)[1]) : in : "memory")
#define TC__LDM_DO_4(help, text, r, in)                                                                               \
    asm volatile(text " {%0,%1,%2,%3}, [%4];" : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3]) : in : "memory")
#define TC__LDM_DO_BAD(help, text, r, in) static_assert(0, help)
#define TC__STM_DO_1(help, text, in, r) asm volatile(text " [%0], {%1};" : : in, "r"((r)[0]) : "memory")
#define TC__STM_DO_2(help, text, in, r) asm volatile(text " [%0], {%1,%2};" : : in, "r"((r)[0]), "r"((r)[1]) : "memory")
#define TC__STM_DO_4(help, text, in, r)                                                                               \
    asm volatile(text " [%0], {%1,%2,%3,%4};" : : in, "r"((r)[0]), "r"((r)[1]), "r"((r)[2]), "r"((r)[3]) : "memory")
#define TC__STM_DO_BAD(help, text, in, r) static_assert(0, help)

#define TC__LDM_HELP                                                                                                  \
    "tc: TC_LDMATRIX: m8n8 x1|x2|x4 b16, m8n16 x1|x2|x4 b8x16_b6x16_p32|b8x16_b4x16_p64|s8_s4; TC_LDMATRIX_TRANS: "   \
    "m8n8 x1|x2|x4 b16, m16n16 x1|x2 b8|b8x16_b6x16_p32|b8x16_b4x16_p64"
#define TC__STM_HELP "tc: TC_STMATRIX: m8n8 x1|x2|x4 b16; TC_STMATRIX_TRANS: m8n8 x1|x2|x4 b16, m16n8 x1|x2|x4 b8"

/* PTX: ldmatrix (sm_75; m16n16 and m8n16: an a or f target of Blackwell). */
#define TC_LDMATRIX(shape, num, space, type, r, addr)                                                                 \
    do {                                                                                                              \
        TC__SPACE_CHECK("TC_LDMATRIX", space);                                                                        \
        TC__CAT(tc__needs_, TC__ITEM2(TC__LDM_##shape##_##num##_##type, ~, sm75))();                                  \
        TC__CALL(TC__CAT(TC__LDM_DO_, TC__PROBE(TC__LDM_##shape##_##num##_##type, BAD)), TC__LDM_HELP,                \
                 "ldmatrix.sync.aligned." #shape "." #num TC__PROBE(TC__SPACE_##space, "")                            \
                 TC__PROBE(TC__MX_TEXT_##type, ""), r,                                                                \
                 TC__CALL(TC__PROBE(TC__SPACE_IN_##space, TC__SPACE_BAD), addr));                                     \
    } while (0)
#define TC_LDMATRIX_TRANS(shape, num, space, type, r, addr)                                                           \
    do {                                                                                                              \
        TC__SPACE_CHECK("TC_LDMATRIX_TRANS", space);                                                                  \
        TC__CAT(tc__needs_, TC__ITEM2(TC__LDMT_##shape##_##num##_##type, ~, sm75))();                                 \
        TC__CALL(TC__CAT(TC__LDM_DO_, TC__PROBE(TC__LDMT_##shape##_##num##_##type, BAD)), TC__LDM_HELP,               \
                 "ldmatrix.sync.aligned." #shape "." #num ".trans" TC__PROBE(TC__SPACE_##space, "")                   \
                 TC__PROBE(TC__MX_TEXT_##type, ""), r,                                                                \
                 TC__CALL(TC__PROBE(TC__SPACE_IN_##space, TC__SPACE_BAD), addr));                                     \
    } while (0)

/* PTX: stmatrix (sm_90; m16n8: an a or f target of Blackwell). */
#define TC_STMATRIX(shape, num, space, type, addr, r)                                                                 \
    do {                                                                                                              \
        TC__SPACE_CHECK("TC_STMATRIX", space);                                                                        \
        TC__CAT(tc__needs_, TC__ITEM2(TC__STM_##shape##_##num##_##type, ~, sm75))();                                  \
        TC__CALL(TC__CAT(TC__STM_DO_, TC__PROBE(TC__STM_##shape##_##num##_##type, BAD)), TC__STM_HELP,                \
                 "stmatrix.sync.aligned." #shape "." #num TC__PROBE(TC__SPACE_##space, "")                            \
                 TC__PROBE(TC__MX_TEXT_##type, ""),                                                                   \
                 TC__CALL(TC__PROBE(TC__SPACE_IN_##space, TC__SPACE_BAD), addr), r);                                  \
    } while (0)
#define TC_STMATRIX_TRANS(shape, num, space, type, addr, r)                                                           \
    do {                                                                                                              \
        TC__SPACE_CHECK("TC_STMATRIX_TRANS", space);                                                                  \
        TC__CAT(tc__needs_, TC__ITEM2(TC__STMT_##shape##_##num##_##type, ~, sm75))();                                 \
        TC__CALL(TC__CAT(TC__STM_DO_, TC__PROBE(TC__STMT_##shape##_##num##_##type, BAD)), TC__STM_HELP,               \
                 "stmatrix.sync.aligned." #shape "." #num ".trans" TC__PROBE(TC__SPACE_##space, "")                   \
                 TC__PROBE(TC__MX_TEXT_##type, ""),                                                                   \
                 TC__CALL(TC__PROBE(TC__SPACE_IN_##space, TC__SPACE_BAD), addr), r);                                  \
    } while (0)

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
 * Tables of the TC_MMA macros, in three steps. First the class of A's and B's types: f16, bf16, tf32, f64, i8, i4, f8
 * (e4m3 and e5m2 only), f4 (e2m1 with e2m1), f6 (any other pair of the five). A pair that is not here does not
 * multiply.
 */
#define TC__MMA_AB_f16_f16 ~, f16
#define TC__MMA_AB_bf16_bf16 ~, bf16
#define TC__MMA_AB_tf32_tf32 ~, tf32
#define TC__MMA_AB_f64_f64 ~, f64
#define TC__MMA_AB_s8_s8 ~, i8
#define TC__MMA_AB_s8_u8 ~, i8
#define TC__MMA_AB_u8_s8 ~, i8
#define TC__MMA_AB_u8_u8 ~, i8
#define TC__MMA_AB_s4_s4 ~, i4
#define TC__MMA_AB_s4_u4 ~, i4
#define TC__MMA_AB_u4_s4 ~, i4
#define TC__MMA_AB_u4_u4 ~, i4
#define TC__MMA_AB_e4m3_e4m3 ~, f8
#define TC__MMA_AB_e4m3_e5m2 ~, f8
#define TC__MMA_AB_e4m3_e3m2 ~, f6
#define TC__MMA_AB_e4m3_e2m3 ~, f6
#define TC__MMA_AB_e4m3_e2m1 ~, f6
#define TC__MMA_AB_e5m2_e4m3 ~, f8
#define TC__MMA_AB_e5m2_e5m2 ~, f8
#define TC__MMA_AB_e5m2_e3m2 ~, f6
#define TC__MMA_AB_e5m2_e2m3 ~, f6
#define TC__MMA_AB_e5m2_e2m1 ~, f6
#define TC__MMA_AB_e3m2_e4m3 ~, f6
#define TC__MMA_AB_e3m2_e5m2 ~, f6
#define TC__MMA_AB_e3m2_e3m2 ~, f6
#define TC__MMA_AB_e3m2_e2m3 ~, f6
#define TC__MMA_AB_e3m2_e2m1 ~, f6
#define TC__MMA_AB_e2m3_e4m3 ~, f6
#define TC__MMA_AB_e2m3_e5m2 ~, f6
#define TC__MMA_AB_e2m3_e3m2 ~, f6
#define TC__MMA_AB_e2m3_e2m3 ~, f6
#define TC__MMA_AB_e2m3_e2m1 ~, f6
#define TC__MMA_AB_e2m1_e4m3 ~, f6
#define TC__MMA_AB_e2m1_e5m2 ~, f6
#define TC__MMA_AB_e2m1_e3m2 ~, f6
#define TC__MMA_AB_e2m1_e2m3 ~, f6
#define TC__MMA_AB_e2m1_e2m1 ~, f4
#define TC__MMA_SAT_s8_s8 ~, i8
#define TC__MMA_SAT_s8_u8 ~, i8
#define TC__MMA_SAT_u8_s8 ~, i8
#define TC__MMA_SAT_u8_u8 ~, i8
#define TC__MMA_SAT_s4_s4 ~, i4
#define TC__MMA_SAT_s4_u4 ~, i4
#define TC__MMA_SAT_u4_s4 ~, i4
#define TC__MMA_SAT_u4_u4 ~, i4
#define TC__MMA_ROUND_rn_f64_f64 ~, f64
#define TC__MMA_ROUND_rz_f64_f64 ~, f64
#define TC__MMA_ROUND_rm_f64_f64 ~, f64
#define TC__MMA_ROUND_rp_f64_f64 ~, f64
#define TC__MMA_POPC_xor_popc_b1_b1 ~, b1
#define TC__MMA_POPC_and_popc_b1_b1 ~, b1and
#define TC__MMA_POPC_TEXT_xor_popc ~, ".xor.popc"
#define TC__MMA_POPC_TEXT_and_popc ~, ".and.popc"

/* Second: layouts, shape, types of D and C, class: the operands (see below) and the gate; for mma.sp the greatest
 * selector too. */
#define TC__MMA_row_row_m8n8k4_f16_f16_f16 ~, Q44, any
#define TC__MMA_row_row_m8n8k4_f32_f16_f16 ~, Q84, any
#define TC__MMA_row_row_m8n8k4_f32_f32_f16 ~, Q88, any
#define TC__MMA_row_col_m8n8k4_f16_f16_f16 ~, Q44, any
#define TC__MMA_row_col_m8n8k4_f32_f16_f16 ~, Q84, any
#define TC__MMA_row_col_m8n8k4_f32_f32_f16 ~, Q88, any
#define TC__MMA_col_row_m8n8k4_f16_f16_f16 ~, Q44, any
#define TC__MMA_col_row_m8n8k4_f32_f16_f16 ~, Q84, any
#define TC__MMA_col_row_m8n8k4_f32_f32_f16 ~, Q88, any
#define TC__MMA_col_col_m8n8k4_f16_f16_f16 ~, Q44, any
#define TC__MMA_col_col_m8n8k4_f32_f16_f16 ~, Q84, any
#define TC__MMA_col_col_m8n8k4_f32_f32_f16 ~, Q88, any
#define TC__MMA_row_col_m16n8k8_f16_f16_f16 ~, H_21, sm75
#define TC__MMA_row_col_m16n8k16_f16_f16_f16 ~, H_42, sm80
#define TC__MMA_row_col_m16n8k8_f32_f32_f16 ~, F_21, sm75
#define TC__MMA_row_col_m16n8k16_f32_f32_f16 ~, F_42, sm80
#define TC__MMA_row_col_m16n8k8_f32_f32_bf16 ~, F_21, sm80
#define TC__MMA_row_col_m16n8k16_f32_f32_bf16 ~, F_42, sm80
#define TC__MMA_row_col_m16n8k4_f32_f32_tf32 ~, F_21, sm80
#define TC__MMA_row_col_m16n8k8_f32_f32_tf32 ~, F_42, sm80
#define TC__MMA_row_col_m8n8k4_f64_f64_f64 ~, D_11, sm80
#define TC__MMA_row_col_m16n8k4_f64_f64_f64 ~, D_21, sm90
#define TC__MMA_row_col_m16n8k8_f64_f64_f64 ~, D_42, sm90
#define TC__MMA_row_col_m16n8k16_f64_f64_f64 ~, D_84, sm90
#define TC__MMA_row_col_m8n8k16_s32_s32_i8 ~, S_11, sm75
#define TC__MMA_row_col_m16n8k16_s32_s32_i8 ~, S_21, sm80
#define TC__MMA_row_col_m16n8k32_s32_s32_i8 ~, S_42, sm80
#define TC__MMA_row_col_m8n8k32_s32_s32_i4 ~, S_11, sm75
#define TC__MMA_row_col_m16n8k32_s32_s32_i4 ~, S_21, sm80
#define TC__MMA_row_col_m16n8k64_s32_s32_i4 ~, S_42, sm80
#define TC__MMA_row_col_m8n8k128_s32_s32_b1 ~, S_11, sm75
#define TC__MMA_row_col_m8n8k128_s32_s32_b1and ~, S_11, sm80
#define TC__MMA_row_col_m16n8k128_s32_s32_b1 ~, S_21, sm80
#define TC__MMA_row_col_m16n8k256_s32_s32_b1 ~, S_42, sm80
#define TC__MMA_row_col_m16n8k128_s32_s32_b1and ~, S_21, sm80
#define TC__MMA_row_col_m16n8k256_s32_s32_b1and ~, S_42, sm80
#define TC__MMA_row_col_m16n8k16_f32_f32_f8 ~, F_21, sm89
#define TC__MMA_row_col_m16n8k32_f32_f32_f8 ~, F_42, sm89
#define TC__MMA_row_col_m16n8k16_f16_f16_f8 ~, H_21, sm89
#define TC__MMA_row_col_m16n8k32_f16_f16_f8 ~, H_42, sm89

#define TC__MMA_f8f6f4_row_col_m16n8k32_f32_f32_f8 ~, F_42, blackwell_a
#define TC__MMA_f8f6f4_row_col_m16n8k32_f32_f32_f6 ~, F_42, sm120a
#define TC__MMA_f8f6f4_row_col_m16n8k32_f32_f32_f4 ~, F_42, sm120a
#define TC__MMA_f8f6f4_row_col_m16n8k32_f16_f16_f8 ~, H_42, blackwell_a
#define TC__MMA_f8f6f4_row_col_m16n8k32_f16_f16_f6 ~, H_42, sm120a
#define TC__MMA_f8f6f4_row_col_m16n8k32_f16_f16_f4 ~, H_42, sm120a

#define TC__MMA_mxf8f6f4_scale_vec_1X_row_col_m16n8k32_f32_f32_ue8m0_f8 ~, F_42, sm120a, 3
#define TC__MMA_mxf8f6f4_scale_vec_1X_row_col_m16n8k32_f32_f32_ue8m0_f6 ~, F_42, sm120a, 3
#define TC__MMA_mxf8f6f4_scale_vec_1X_row_col_m16n8k32_f32_f32_ue8m0_f4 ~, F_42, sm120a, 3
#define TC__MMA_mxf8f6f4_scale_vec_default_row_col_m16n8k32_f32_f32_ue8m0_f8 ~, F_42, sm120a, 3
#define TC__MMA_mxf8f6f4_scale_vec_default_row_col_m16n8k32_f32_f32_ue8m0_f6 ~, F_42, sm120a, 3
#define TC__MMA_mxf8f6f4_scale_vec_default_row_col_m16n8k32_f32_f32_ue8m0_f4 ~, F_42, sm120a, 3
#define TC__MMA_mxf4_scale_vec_2X_row_col_m16n8k64_f32_f32_ue8m0_f4 ~, F_42, sm120a, 2
#define TC__MMA_mxf4_scale_vec_default_row_col_m16n8k64_f32_f32_ue8m0_f4 ~, F_42, sm120a, 2
#define TC__MMA_mxf4nvf4_scale_vec_2X_row_col_m16n8k64_f32_f32_ue8m0_f4 ~, F_42, sm120a, 2
#define TC__MMA_mxf4nvf4_scale_vec_4X_row_col_m16n8k64_f32_f32_ue4m3_f4 ~, F_42, sm120a, 0
#define TC__MMA_mxf4nvf4_scale_vec_4X_row_col_m16n8k64_f32_f32_ue8m0_f4 ~, F_42, sm120a_ptx91, 0

#define TC__SP_row_col_m16n8k16_f16_f16_f16 ~, H_22, sm80, 3
#define TC__SP_row_col_m16n8k32_f16_f16_f16 ~, H_44, sm80, 1
#define TC__SP_row_col_m16n8k16_f32_f32_f16 ~, F_22, sm80, 3
#define TC__SP_row_col_m16n8k32_f32_f32_f16 ~, F_44, sm80, 1
#define TC__SP_row_col_m16n8k16_f32_f32_bf16 ~, F_22, sm80, 3
#define TC__SP_row_col_m16n8k32_f32_f32_bf16 ~, F_44, sm80, 1
#define TC__SP_row_col_m16n8k8_f32_f32_tf32 ~, F_22, sm80, 3
#define TC__SP_row_col_m16n8k16_f32_f32_tf32 ~, F_44, sm80, 1
#define TC__SP_row_col_m16n8k32_s32_s32_i8 ~, S_22, sm80, 1
#define TC__SP_row_col_m16n8k64_s32_s32_i8 ~, S_44, sm80, 0
#define TC__SP_row_col_m16n8k64_s32_s32_i4 ~, S_22, sm80, 1
#define TC__SP_row_col_m16n8k128_s32_s32_i4 ~, S_44, sm80, 0
#define TC__SP_row_col_m16n8k64_f32_f32_f8 ~, F_44, sm89, 0
/* ordered metadata */
#define TC__SPO_row_col_m16n8k16_f16_f16_f16 ~, H_22, sm80, 3
#define TC__SPO_row_col_m16n8k32_f16_f16_f16 ~, H_44, sm80, 1
#define TC__SPO_row_col_m16n8k16_f32_f32_f16 ~, F_22, sm80, 3
#define TC__SPO_row_col_m16n8k32_f32_f32_f16 ~, F_44, sm80, 1
#define TC__SPO_row_col_m16n8k16_f32_f32_bf16 ~, F_22, sm80, 3
#define TC__SPO_row_col_m16n8k32_f32_f32_bf16 ~, F_44, sm80, 1
#define TC__SPO_row_col_m16n8k8_f32_f32_tf32 ~, F_22, sm80, 3
#define TC__SPO_row_col_m16n8k16_f32_f32_tf32 ~, F_44, sm80, 1
#define TC__SPO_row_col_m16n8k32_s32_s32_i8 ~, S_22, sm80, 1
#define TC__SPO_row_col_m16n8k64_s32_s32_i8 ~, S_44, sm80, 0
#define TC__SPO_row_col_m16n8k64_s32_s32_i4 ~, S_22, sm80, 1
#define TC__SPO_row_col_m16n8k128_s32_s32_i4 ~, S_44, sm80, 0
#define TC__SPO_row_col_m16n8k64_f32_f32_f8 ~, F_44, sm89, 0
#define TC__SPO_row_col_m16n8k64_f16_f16_f8 ~, H_44, sm120a, 0
#define TC__SPO_f8f6f4_row_col_m16n8k64_f32_f32_f8 ~, F_44, blackwell_a, 0
#define TC__SPO_f8f6f4_row_col_m16n8k64_f32_f32_f6 ~, F_44, sm120a, 0
#define TC__SPO_f8f6f4_row_col_m16n8k64_f32_f32_f4 ~, F_44, sm120a, 0
#define TC__SPO_f8f6f4_row_col_m16n8k64_f16_f16_f8 ~, H_44, sm120a, 0
#define TC__SPO_f8f6f4_row_col_m16n8k64_f16_f16_f6 ~, H_44, sm120a, 0
#define TC__SPO_f8f6f4_row_col_m16n8k64_f16_f16_f4 ~, H_44, sm120a, 0
#define TC__SPO_mxf8f6f4_scale_vec_1X_row_col_m16n8k64_f32_f32_ue8m0_f8 ~, F_44, sm120a, 3
#define TC__SPO_mxf8f6f4_scale_vec_1X_row_col_m16n8k64_f32_f32_ue8m0_f6 ~, F_44, sm120a, 3
#define TC__SPO_mxf8f6f4_scale_vec_1X_row_col_m16n8k64_f32_f32_ue8m0_f4 ~, F_44, sm120a, 3
#define TC__SPO_mxf8f6f4_scale_vec_default_row_col_m16n8k64_f32_f32_ue8m0_f8 ~, F_44, sm120a, 3
#define TC__SPO_mxf8f6f4_scale_vec_default_row_col_m16n8k64_f32_f32_ue8m0_f6 ~, F_44, sm120a, 3
#define TC__SPO_mxf8f6f4_scale_vec_default_row_col_m16n8k64_f32_f32_ue8m0_f4 ~, F_44, sm120a, 3
#define TC__SPO_mxf4_scale_vec_2X_row_col_m16n8k128_f32_f32_ue8m0_f4 ~, F_44, sm120a_only, 2
#define TC__SPO_mxf4_scale_vec_default_row_col_m16n8k128_f32_f32_ue8m0_f4 ~, F_44, sm120a_only, 2
#define TC__SPO_mxf4nvf4_scale_vec_2X_row_col_m16n8k128_f32_f32_ue8m0_f4 ~, F_44, sm120a_only, 2
#define TC__SPO_mxf4nvf4_scale_vec_4X_row_col_m16n8k128_f32_f32_ue4m3_f4 ~, F_44, sm120a_only, 0
#define TC__SPO_mxf4nvf4_scale_vec_4X_row_col_m16n8k128_f32_f32_ue8m0_f4 ~, F_44, sm120a_only_ptx91, 0

/* Third: the statement for those operands. Letter: D and C (F 4 floats, H 2 registers of f16 pairs, S 4 or 2 int32, D
 * doubles, Q Volta's); then the registers of A and of B. */
#define TC__MMA_R1(x) "r"((x)[0])
#define TC__MMA_R2(x) "r"((x)[0]), "r"((x)[1])
#define TC__MMA_R4(x) "r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3])
#define TC__MMA_F4(x) "f"((x)[0]), "f"((x)[1]), "f"((x)[2]), "f"((x)[3])
#define TC__MMA_F8(x) TC__MMA_F4(x), "f"((x)[4]), "f"((x)[5]), "f"((x)[6]), "f"((x)[7])
#define TC__MMA_D1(x) "d"((x)[0])
#define TC__MMA_D2(x) "d"((x)[0]), "d"((x)[1])
#define TC__MMA_D4(x) "d"((x)[0]), "d"((x)[1]), "d"((x)[2]), "d"((x)[3])
#define TC__MMA_D8(x) TC__MMA_D4(x), "d"((x)[4]), "d"((x)[5]), "d"((x)[6]), "d"((x)[7])
#define TC__MMA_OR2(x) "=r"((x)[0]), "=r"((x)[1])
#define TC__MMA_OR4(x) "=r"((x)[0]), "=r"((x)[1]), "=r"((x)[2]), "=r"((x)[3])
#define TC__MMA_OF4(x) "=f"((x)[0]), "=f"((x)[1]), "=f"((x)[2]), "=f"((x)[3])
#define TC__MMA_OF8(x) TC__MMA_OF4(x), "=f"((x)[4]), "=f"((x)[5]), "=f"((x)[6]), "=f"((x)[7])
#define TC__MMA_OD2(x) "=d"((x)[0]), "=d"((x)[1])
#define TC__MMA_OD4(x) "=d"((x)[0]), "=d"((x)[1]), "=d"((x)[2]), "=d"((x)[3])

#define TC__MMA_DO_F_42(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : TC__MMA_OF4(d) : TC__MMA_R4(a),  \
                 TC__MMA_R2(b), TC__MMA_F4(c))
#define TC__MMA_DO_F_21(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : TC__MMA_OF4(d) : TC__MMA_R2(a),              \
                 TC__MMA_R1(b), TC__MMA_F4(c))
#define TC__MMA_DO_H_42(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};" : TC__MMA_OR2(d) : TC__MMA_R4(a), TC__MMA_R2(b),   \
                 TC__MMA_R2(c))
#define TC__MMA_DO_H_21(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1}, {%2,%3}, {%4}, {%5,%6};" : TC__MMA_OR2(d) : TC__MMA_R2(a), TC__MMA_R1(b),            \
                 TC__MMA_R2(c))
#define TC__MMA_DO_S_42(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : TC__MMA_OR4(d) : TC__MMA_R4(a),  \
                 TC__MMA_R2(b), TC__MMA_R4(c))
#define TC__MMA_DO_S_21(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : TC__MMA_OR4(d) : TC__MMA_R2(a),              \
                 TC__MMA_R1(b), TC__MMA_R4(c))
#define TC__MMA_DO_S_11(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1}, {%2}, {%3}, {%4,%5};" : TC__MMA_OR2(d) : TC__MMA_R1(a), TC__MMA_R1(b), TC__MMA_R2(c))
#define TC__MMA_DO_D_11(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1}, {%2}, {%3}, {%4,%5};" : TC__MMA_OD2(d) : TC__MMA_D1(a), TC__MMA_D1(b), TC__MMA_D2(c))
#define TC__MMA_DO_D_21(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : TC__MMA_OD4(d) : TC__MMA_D2(a),              \
                 TC__MMA_D1(b), TC__MMA_D4(c))
#define TC__MMA_DO_D_42(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : TC__MMA_OD4(d) : TC__MMA_D4(a),  \
                 TC__MMA_D2(b), TC__MMA_D4(c))
#define TC__MMA_DO_D_84(help, text, d, a, b, c)                                                                       \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19};"            \
                 : TC__MMA_OD4(d) : TC__MMA_D8(a), TC__MMA_D4(b), TC__MMA_D4(c))
#define TC__MMA_DO_Q44(help, text, d, a, b, c)                                                                        \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11};" : TC__MMA_OR4(d) : TC__MMA_R2(a),          \
                 TC__MMA_R2(b), TC__MMA_R4(c))
#define TC__MMA_DO_Q84(help, text, d, a, b, c)                                                                        \
    asm volatile(text " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15};" : TC__MMA_OF8(d)           \
                 : TC__MMA_R2(a), TC__MMA_R2(b), TC__MMA_R4(c))
#define TC__MMA_DO_Q88(help, text, d, a, b, c)                                                                        \
    asm volatile(text " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19};"            \
                 : TC__MMA_OF8(d) : TC__MMA_R2(a), TC__MMA_R2(b), TC__MMA_F8(c))
#define TC__MMA_DO_BAD(help, text, d, a, b, c) static_assert(0, help)

/* C = 0, written into the instruction. */
#define TC__MMA_ZERO_F_42(help, text, d, a, b)                                                                        \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {0f00000000,0f00000000,0f00000000,0f00000000};"        \
                 : TC__MMA_OF4(d) : TC__MMA_R4(a), TC__MMA_R2(b))
#define TC__MMA_ZERO_F_21(help, text, d, a, b)                                                                        \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {0f00000000,0f00000000,0f00000000,0f00000000};"                 \
                 : TC__MMA_OF4(d) : TC__MMA_R2(a), TC__MMA_R1(b))
#define TC__MMA_ZERO_S_42(help, text, d, a, b)                                                                        \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {0,0,0,0};" : TC__MMA_OR4(d) : TC__MMA_R4(a),          \
                 TC__MMA_R2(b))
#define TC__MMA_ZERO_S_21(help, text, d, a, b)                                                                        \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {0,0,0,0};" : TC__MMA_OR4(d) : TC__MMA_R2(a), TC__MMA_R1(b))
#define TC__MMA_ZERO_S_11(help, text, d, a, b)                                                                        \
    asm volatile(text " {%0,%1}, {%2}, {%3}, {0,0};" : TC__MMA_OR2(d) : TC__MMA_R1(a), TC__MMA_R1(b))
#define TC__MMA_ZERO_H_42(help, text, d, a, b) static_assert(0, help)
#define TC__MMA_ZERO_H_21(help, text, d, a, b) static_assert(0, help)
#define TC__MMA_ZERO_D_11(help, text, d, a, b) static_assert(0, help)
#define TC__MMA_ZERO_D_21(help, text, d, a, b) static_assert(0, help)
#define TC__MMA_ZERO_D_42(help, text, d, a, b) static_assert(0, help)
#define TC__MMA_ZERO_D_84(help, text, d, a, b) static_assert(0, help)
#define TC__MMA_ZERO_Q44(help, text, d, a, b) static_assert(0, help)
#define TC__MMA_ZERO_Q84(help, text, d, a, b) static_assert(0, help)
#define TC__MMA_ZERO_Q88(help, text, d, a, b) static_assert(0, help)
#define TC__MMA_ZERO_BAD(help, text, d, a, b) static_assert(0, help)

/* Sparse A: metadata and the selector, a literal. */
#define TC__MMA_SP_F_22(help, text, d, a, b, c, meta, sel)                                                            \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}, %12, %13;"                                  \
                 : TC__MMA_OF4(d) : TC__MMA_R2(a), TC__MMA_R2(b), TC__MMA_F4(c), "r"(meta), "n"(sel))
#define TC__MMA_SP_F_44(help, text, d, a, b, c, meta, sel)                                                            \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, %17;"                  \
                 : TC__MMA_OF4(d) : TC__MMA_R4(a), TC__MMA_R4(b), TC__MMA_F4(c), "r"(meta), "n"(sel))
#define TC__MMA_SP_H_22(help, text, d, a, b, c, meta, sel)                                                            \
    asm volatile(text " {%0,%1}, {%2,%3}, {%4,%5}, {%6,%7}, %8, %9;"                                                  \
                 : TC__MMA_OR2(d) : TC__MMA_R2(a), TC__MMA_R2(b), TC__MMA_R2(c), "r"(meta), "n"(sel))
#define TC__MMA_SP_H_44(help, text, d, a, b, c, meta, sel)                                                            \
    asm volatile(text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%10,%11}, %12, %13;"                                  \
                 : TC__MMA_OR2(d) : TC__MMA_R4(a), TC__MMA_R4(b), TC__MMA_R2(c), "r"(meta), "n"(sel))
#define TC__MMA_SP_S_22(help, text, d, a, b, c, meta, sel)                                                            \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}, %12, %13;"                                  \
                 : TC__MMA_OR4(d) : TC__MMA_R2(a), TC__MMA_R2(b), TC__MMA_R4(c), "r"(meta), "n"(sel))
#define TC__MMA_SP_S_44(help, text, d, a, b, c, meta, sel)                                                            \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, %17;"                  \
                 : TC__MMA_OR4(d) : TC__MMA_R4(a), TC__MMA_R4(b), TC__MMA_R4(c), "r"(meta), "n"(sel))
#define TC__MMA_SP_BAD(help, text, d, a, b, c, meta, sel) static_assert(0, help)

/* Block scales; i: "h" or "n", the constraint of the ids. */
#define TC__MMA_BS_F_42(help, text, i, d, a, b, c, sa, ba, ta, sb, bb, tb)                                            \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}, %14, {%15,%16}, %17, {%18,%19};"    \
                 : TC__MMA_OF4(d) : TC__MMA_R4(a), TC__MMA_R2(b), TC__MMA_F4(c), "r"(sa), i(ba), i(ta), "r"(sb),      \
                 i(bb), i(tb))
#define TC__MMA_BS_BAD(help, text, i, d, a, b, c, sa, ba, ta, sb, bb, tb) static_assert(0, help)
#define TC__MMA_SPBS_F_44(help, text, i, d, a, b, c, meta, sel, sa, ba, ta, sb, bb, tb)                               \
    asm volatile(text                                                                                                 \
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, %17, %18, {%19,%20}, %21, " \
                 "{%22,%23};"                                                                                         \
                 : TC__MMA_OF4(d) : TC__MMA_R4(a), TC__MMA_R4(b), TC__MMA_F4(c), "r"(meta), "n"(sel), "r"(sa), i(ba), \
                 i(ta), "r"(sb), i(bb), i(tb))
#define TC__MMA_SPBS_BAD(help, text, i, d, a, b, c, meta, sel, sa, ba, ta, sb, bb, tb) static_assert(0, help)

/* What a wrong combination is answered with: by A's type, or the list of types. */
#define TC__MMA_HELP_f16 ~,                                                                                           \
    "tc: mma of f16: b is f16; m16n8k8 or m16n8k16, row, col, d and c both f32 or both f16; m8n8k4 with any "         \
    "layouts, d.c f16.f16, f32.f16 or f32.f32"
#define TC__MMA_HELP_bf16 ~,                                                                                          \
    "tc: mma of bf16: b is bf16, m16n8k8 or m16n8k16, row, col, d and c f32 (bf16 has no 16-bit accumulator)"
#define TC__MMA_HELP_tf32 ~, "tc: mma of tf32: b is tf32, m16n8k4 or m16n8k8, row, col, d and c f32"
#define TC__MMA_HELP_f64 ~, "tc: mma of f64: b, c and d are f64; m8n8k4, m16n8k4, m16n8k8 or m16n8k16, row, col"
#define TC__MMA_HELP_I8 ~, "tc: mma of s8 and u8: b is s8 or u8, d and c s32; m8n8k16, m16n8k16 or m16n8k32, row, col"
#define TC__MMA_HELP_I4 ~, "tc: mma of s4 and u4: b is s4 or u4, d and c s32; m8n8k32, m16n8k32 or m16n8k64, row, col"
#define TC__MMA_HELP_s8 TC__MMA_HELP_I8
#define TC__MMA_HELP_u8 TC__MMA_HELP_I8
#define TC__MMA_HELP_s4 TC__MMA_HELP_I4
#define TC__MMA_HELP_u4 TC__MMA_HELP_I4
#define TC__MMA_HELP_b1 ~, "tc: mma of b1: say TC_MMA_POPC, with xor_popc or and_popc"
#define TC__MMA_HELP_F8 ~,                                                                                            \
    "tc: mma of e4m3 and e5m2: b is e4m3 or e5m2; m16n8k16 or m16n8k32, row, col, d and c both f32 or both f16; "     \
    "with fp6 and fp4 say TC_MMA_KIND(..., f8f6f4, ...)"
#define TC__MMA_HELP_F6                                                                                               \
    ~, "tc: mma of e3m2, e2m3 and e2m1: say TC_MMA_KIND(..., f8f6f4, ...), or TC_MMA_BLOCK_SCALE"
#define TC__MMA_HELP_e4m3 TC__MMA_HELP_F8
#define TC__MMA_HELP_e5m2 TC__MMA_HELP_F8
#define TC__MMA_HELP_e3m2 TC__MMA_HELP_F6
#define TC__MMA_HELP_e2m3 TC__MMA_HELP_F6
#define TC__MMA_HELP_e2m1 TC__MMA_HELP_F6
#define TC__MMA_HELP_ANY                                                                                              \
    "tc: mma: a's type is f16, bf16, tf32, f64, s8, u8, s4, u4, b1, e4m3 or e5m2 (e3m2, e2m3, e2m1: TC_MMA_KIND, "    \
    "TC_MMA_BLOCK_SCALE)"
#define TC__SP_HELP_f16 ~,                                                                                            \
    "tc: mma.sp of f16: b is f16; m16n8k16 (selector 0..3) or m16n8k32 (0..1), row, col, d and c both f32 or both f16"
#define TC__SP_HELP_bf16                                                                                              \
    ~, "tc: mma.sp of bf16: b is bf16, m16n8k16 (selector 0..3) or m16n8k32 (0..1), row, col, d and c f32"
#define TC__SP_HELP_tf32                                                                                              \
    ~, "tc: mma.sp of tf32: b is tf32, m16n8k8 (selector 0..3) or m16n8k16 (0..1), row, col, d and c f32"
#define TC__SP_HELP_I8                                                                                                \
    ~, "tc: mma.sp of s8 and u8: b is s8 or u8, d and c s32; m16n8k32 (selector 0..1) or m16n8k64 (0), row, col"
#define TC__SP_HELP_I4                                                                                                \
    ~, "tc: mma.sp of s4 and u4: b is s4 or u4, d and c s32; m16n8k64 (selector 0..1) or m16n8k128 (0), row, col"
#define TC__SP_HELP_s8 TC__SP_HELP_I8
#define TC__SP_HELP_u8 TC__SP_HELP_I8
#define TC__SP_HELP_s4 TC__SP_HELP_I4
#define TC__SP_HELP_u4 TC__SP_HELP_I4
#define TC__SP_HELP_F8 ~,                                                                                             \
    "tc: mma.sp of e4m3 and e5m2: b is e4m3 or e5m2; m16n8k64, row, col, d and c f32, or both f16 with "              \
    "TC_MMA_SP_ORDERED; with fp6 and fp4 say TC_MMA_SP_KIND"
#define TC__SP_HELP_e4m3 TC__SP_HELP_F8
#define TC__SP_HELP_e5m2 TC__SP_HELP_F8
#define TC__SP_HELP_ANY                                                                                               \
    "tc: mma.sp: a's type is f16, bf16, tf32, s8, u8, s4, u4, e4m3 or e5m2 (e3m2, e2m3, e2m1: TC_MMA_SP_KIND, "       \
    "TC_MMA_SP_BLOCK_SCALE)"
#define TC__SP_SELECTOR                                                                                               \
    "tc: mma.sp: the selector is a literal: 0..3 for f16 and bf16 m16n8k16 and tf32 m16n8k8, 0..1 for twice that k "  \
    "and for 8 bits m16n8k32 and 4 bits m16n8k64, else 0"
#define TC__MMA_IDS                                                                                                   \
    "tc: mma with block scales: byte ids are 0..3 with 1X, 0 or 2 with 2X, 0 with 4X; thread_a is 0 or 1, thread_b 0..3"

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: mma.sync. d = a * b + c, warp-wide; see the table at the top for shapes, types and registers. d may be c.
 */
#define TC_MMA(shape, alayout, blayout, dtype, atype, btype, ctype, d, a, b, c)                                       \
    TC__MMA_DENSE(TC__CAT(TC__MMA_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                             \
                          TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                              \
                  TC__PROBE(TC__MMA_HELP_##atype, TC__MMA_HELP_ANY),                                                  \
                  "mma.sync.aligned." #shape "." #alayout "." #blayout "." #dtype "." #atype "." #btype "." #ctype,   \
                  d, a, b, c)
#define TC__MMA_DENSE(row, help, text, d, a, b, c)                                                                    \
    do {                                                                                                              \
        TC__CAT(tc__needs_, TC__ITEM2(row, ~, any))();                                                                \
        TC__CALL(TC__CAT(TC__MMA_DO_, TC__PROBE(row, BAD)), help, text, d, a, b, c);                                  \
    } while (0)

/* d = a * b: C is a list of zeros in the instruction. D is f32 or s32: ptxas takes no zeros for f16; not m8n8k4. */
#define TC_MMA_ZERO(shape, alayout, blayout, dtype, atype, btype, ctype, d, a, b)                                     \
    TC__MMA_DENSE_ZERO(TC__CAT(TC__MMA_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                        \
                               TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                         \
                       TC__PROBE(TC__MMA_HELP_##atype, TC__MMA_HELP_ANY)                                              \
                       " (TC_MMA_ZERO: d and c f32 or s32, not m8n8k4)",                                              \
                       "mma.sync.aligned." #shape "." #alayout "." #blayout "." #dtype "." #atype "." #btype "."      \
                       #ctype, d, a, b)
#define TC__MMA_DENSE_ZERO(row, help, text, d, a, b)                                                                  \
    do {                                                                                                              \
        TC__CAT(tc__needs_, TC__ITEM2(row, ~, any))();                                                                \
        TC__CALL(TC__CAT(TC__MMA_ZERO_, TC__PROBE(row, BAD)), help, text, d, a, b);                                   \
    } while (0)

/* Integers: sums beyond int32 stop at its ends instead of wrapping round. */
#define TC_MMA_SATFINITE(shape, alayout, blayout, dtype, atype, btype, ctype, d, a, b, c)                             \
    TC__MMA_DENSE(TC__CAT(TC__MMA_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                             \
                          TC__PROBE(TC__MMA_SAT_##atype##_##btype, BAD)),                                             \
                  "tc: TC_MMA_SATFINITE: a and b are s8 or u8 (m8n8k16, m16n8k16, m16n8k32), or s4 or u4 (m8n8k32, "  \
                  "m16n8k32, m16n8k64); row, col, d and c s32",                                                       \
                  "mma.sync.aligned." #shape "." #alayout "." #blayout ".satfinite." #dtype "." #atype "." #btype "." \
                  #ctype, d, a, b, c)

/* f64 with a rounding: rn (what TC_MMA does), rz, rm (down), rp (up). */
#define TC_MMA_ROUND(shape, alayout, blayout, rnd, dtype, atype, btype, ctype, d, a, b, c)                            \
    TC__MMA_DENSE(TC__CAT(TC__MMA_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                             \
                          TC__PROBE(TC__MMA_ROUND_##rnd##_##atype##_##btype, BAD)),                                   \
                  "tc: TC_MMA_ROUND: rn, rz, rm or rp; all types f64; m8n8k4, m16n8k4, m16n8k8 or m16n8k16, row, col",\
                  "mma.sync.aligned." #shape "." #alayout "." #blayout "." #rnd "." #dtype "." #atype "." #btype "."  \
                  #ctype, d, a, b, c)

/* Bits: D = C + popcount(A xor B) or popcount(A and B) along K. */
#define TC_MMA_POPC(shape, alayout, blayout, dtype, atype, btype, ctype, op, d, a, b, c)                              \
    TC__MMA_DENSE(TC__CAT(TC__MMA_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                             \
                          TC__PROBE(TC__MMA_POPC_##op##_##atype##_##btype, BAD)),                                     \
                  "tc: TC_MMA_POPC: xor_popc or and_popc; a and b b1, d and c s32; m8n8k128, m16n8k128 or "           \
                  "m16n8k256, row, col",                                                                              \
                  "mma.sync.aligned." #shape "." #alayout "." #blayout "." #dtype "." #atype "." #btype "." #ctype    \
                  TC__PROBE(TC__MMA_POPC_TEXT_##op, ""), d, a, b, c)

/* kind::f8f6f4: any pair of e4m3, e5m2, e3m2, e2m3 and e2m1, each in a byte. fp8 pairs: every a and f target of
 * Blackwell; with fp6 or fp4: the sm_120 family. */
#define TC_MMA_KIND(shape, alayout, blayout, kind, dtype, atype, btype, ctype, d, a, b, c)                            \
    TC__MMA_DENSE(TC__CAT(TC__MMA_##kind##_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                    \
                          TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                              \
                  "tc: TC_MMA_KIND: kind f8f6f4, m16n8k32, row, col, a and b of e4m3, e5m2, e3m2, e2m3, e2m1; d and " \
                  "c both f32 or both f16",                                                                           \
                  "mma.sync.aligned." #shape "." #alayout "." #blayout TC__PROBE(TC__MMA_TEXT_##kind, "") "." #dtype  \
                  "." #atype "." #btype "." #ctype,                                                                   \
                  d, a, b, c)
#define TC__MMA_TEXT_f8f6f4 ~, ".kind::f8f6f4"
#define TC__MMA_TEXT_mxf8f6f4 ~, ".kind::mxf8f6f4"
#define TC__MMA_TEXT_mxf4 ~, ".kind::mxf4"
#define TC__MMA_TEXT_mxf4nvf4 ~, ".kind::mxf4nvf4"
#define TC__MMA_TEXT_scale_vec_default ~, ""
#define TC__MMA_TEXT_scale_vec_1X ~, ".scale_vec::1X"
#define TC__MMA_TEXT_scale_vec_2X ~, ".scale_vec::2X"
#define TC__MMA_TEXT_scale_vec_4X ~, ".scale_vec::4X"

/* Block scales: D = (A * scale_a) * (B * scale_b) + C. scale_a, scale_b: a register with up to four scales; byte_*,
 * thread_*: which of its bytes, and of which lane of four (drawn at the top): 16-bit registers, the same in all lanes,
 * or literals (_IMM). scale_vec_default writes no .scale_vec: 1X for mxf8f6f4, 2X for mxf4; mxf4nvf4 must say 2X or
 * 4X. */
#define TC__MMA_BS_HELP                                                                                               \
    "tc: mma with block scales: kind mxf8f6f4 m16n8k32 scale_vec_1X ue8m0 (a and b of e4m3, e5m2, e3m2, e2m3, "       \
    "e2m1); kind mxf4 m16n8k64 scale_vec_2X ue8m0 (e2m1); kind mxf4nvf4 m16n8k64 scale_vec_2X ue8m0 or scale_vec_4X " \
    "ue4m3 or, from PTX 9.1 on, ue8m0 (e2m1); row, col, d and c f32; scale_vec_default but for mxf4nvf4; sparse: "    \
    "twice the k"
#define TC__MMA_BS_TEXT(op, shape, al, bl, kind, vec, dt, at, bt, ct, st)                                             \
    op ".sync.aligned." #shape "." #al "." #bl TC__PROBE(TC__MMA_TEXT_##kind, "") ".block_scale"                      \
        TC__PROBE(TC__MMA_TEXT_##vec, "")                                                                             \
    "." #dt "." #at "." #bt "." #ct "." #st
#define TC_MMA_BLOCK_SCALE(shape, alayout, blayout, kind, scale_vec, dtype, atype, btype, ctype, stype, d, a, b, c,   \
                           scale_a, byte_a, thread_a, scale_b, byte_b, thread_b)                                      \
    TC__MMA_SCALED(                                                                                                   \
        TC__CAT(TC__MMA_##kind##_##scale_vec##_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_##stype##_,      \
                TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                                        \
        TC__MMA_BS_TEXT("mma", shape, alayout, blayout, kind, scale_vec, dtype, atype, btype, ctype, stype), "h", d,  \
        a, b, c, scale_a, (uint16_t)(byte_a), (uint16_t)(thread_a), scale_b, (uint16_t)(byte_b),                      \
        (uint16_t)(thread_b))
#define TC_MMA_BLOCK_SCALE_IMM(shape, alayout, blayout, kind, scale_vec, dtype, atype, btype, ctype, stype, d, a, b,  \
                               c, scale_a, byte_a, thread_a, scale_b, byte_b, thread_b)                               \
    do {                                                                                                              \
        TC__MMA_IDS_CHECK(                                                                                            \
            TC__CAT(TC__MMA_##kind##_##scale_vec##_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_##stype##_,  \
                    TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                                    \
            byte_a, thread_a, byte_b, thread_b);                                                                      \
        TC__MMA_SCALED(                                                                                               \
            TC__CAT(TC__MMA_##kind##_##scale_vec##_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_##stype##_,  \
                    TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                                    \
            TC__MMA_BS_TEXT("mma", shape, alayout, blayout, kind, scale_vec, dtype, atype, btype, ctype, stype),      \
            "n", d, a, b, c, scale_a, byte_a, thread_a, scale_b, byte_b, thread_b);                                   \
    } while (0)
#define TC__MMA_SCALED(row, text, i, ...)                                                                             \
    do {                                                                                                              \
        TC__CAT(tc__needs_, TC__ITEM2(row, ~, any))();                                                                \
        TC__CALL(TC__CAT(TC__MMA_BS_, TC__PROBE(row, BAD)), TC__MMA_BS_HELP, text, i, __VA_ARGS__);                   \
    } while (0)
/* 3: 0..3; 2: 0 or 2; 0: 0 */
#define TC__MMA_IDS_CHECK(row, byte_a, thread_a, byte_b, thread_b)                                                    \
    static_assert(tc__mma_ids(TC__ITEM3(row, ~, ~, 3), byte_a, thread_a, byte_b, thread_b), TC__MMA_IDS)
TC_HD TC_CONSTEXPR int tc__mma_ids(int most, int byte_a, int thread_a, int byte_b, int thread_b)
{
    return byte_a >= 0 && byte_a <= most && byte_b >= 0 && byte_b <= most
        && (most != 2 || (byte_a % 2 == 0 && byte_b % 2 == 0)) && thread_a >= 0 && thread_a <= 1 && thread_b >= 0
        && thread_b <= 3;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: mma.sp (sm_80). A holds one element in two: registers, metadata and the compressor are in tc_sparse.h. meta:
 * this lane's register of metadata; selector: a literal, which of the lanes of four hold what this instruction reads.
 */
#define TC_MMA_SP(shape, alayout, blayout, dtype, atype, btype, ctype, d, a, b, c, meta, selector)                    \
    TC__MMA_SPARSE(TC__CAT(TC__SP_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                             \
                           TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                             \
                   TC__PROBE(TC__SP_HELP_##atype, TC__SP_HELP_ANY),                                                   \
                   "mma.sp.sync.aligned." #shape "." #alayout "." #blayout "." #dtype "." #atype "." #btype "." #ctype,\
                   d, a, b, c, meta, selector)
#define TC__MMA_SPARSE(row, help, text, d, a, b, c, meta, selector)                                                   \
    do {                                                                                                              \
        static_assert((selector) >= 0 && (selector) <= TC__ITEM3(row, ~, ~, 3), TC__SP_SELECTOR);                     \
        TC__CAT(tc__needs_, TC__ITEM2(row, ~, any))();                                                                \
        TC__CALL(TC__CAT(TC__MMA_SP_, TC__PROBE(row, BAD)), help, text, d, a, b, c, meta, selector);                  \
    } while (0)

/* .sp::ordered_metadata: the two indices of a group increase, as tc_sparse.h writes them. Nothing is lost, and it is
 * never slower. */
#define TC_MMA_SP_ORDERED(shape, alayout, blayout, dtype, atype, btype, ctype, d, a, b, c, meta, selector)            \
    TC__MMA_SPARSE(TC__CAT(TC__SPO_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                            \
                           TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                             \
                   TC__PROBE(TC__SP_HELP_##atype, TC__SP_HELP_ANY),                                                   \
                   "mma.sp::ordered_metadata.sync.aligned." #shape "." #alayout "." #blayout "." #dtype "." #atype    \
                   "." #btype "." #ctype,                                                                             \
                   d, a, b, c, meta, selector)

#define TC__SP_SAT_HELP                                                                                               \
    "tc: mma.sp with satfinite: a and b are s8 or u8 (m16n8k32, m16n8k64), or s4 or u4 (m16n8k64, m16n8k128); row, "  \
    "col, d and c s32"
#define TC_MMA_SP_SATFINITE(shape, alayout, blayout, dtype, atype, btype, ctype, d, a, b, c, meta, selector)          \
    TC__MMA_SPARSE(TC__CAT(TC__SP_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                             \
                           TC__PROBE(TC__MMA_SAT_##atype##_##btype, BAD)),                                            \
                   TC__SP_SAT_HELP,                                                                                   \
                   "mma.sp.sync.aligned." #shape "." #alayout "." #blayout ".satfinite." #dtype "." #atype "." #btype \
                   "." #ctype,                                                                                        \
                   d, a, b, c, meta, selector)
#define TC_MMA_SP_ORDERED_SATFINITE(shape, alayout, blayout, dtype, atype, btype, ctype, d, a, b, c, meta, selector)  \
    TC__MMA_SPARSE(TC__CAT(TC__SPO_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                            \
                           TC__PROBE(TC__MMA_SAT_##atype##_##btype, BAD)),                                            \
                   TC__SP_SAT_HELP,                                                                                   \
                   "mma.sp::ordered_metadata.sync.aligned." #shape "." #alayout "." #blayout ".satfinite." #dtype "." \
                   #atype "." #btype "." #ctype,                                                                      \
                   d, a, b, c, meta, selector)

/* kind::f8f6f4, ordered metadata. fp8 pairs with f32: every a and f target of Blackwell; the rest: the sm_120
 * family. */
#define TC_MMA_SP_KIND(shape, alayout, blayout, kind, dtype, atype, btype, ctype, d, a, b, c, meta, selector)         \
    TC__MMA_SPARSE(TC__CAT(TC__SPO_##kind##_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_,                   \
                           TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                             \
                   "tc: TC_MMA_SP_KIND: kind f8f6f4, m16n8k64, row, col, a and b of e4m3, e5m2, e3m2, e2m3, e2m1; d " \
                   "and c both f32 or both f16",                                                                      \
                   "mma.sp::ordered_metadata.sync.aligned." #shape "." #alayout "."                                   \
                   #blayout TC__PROBE(TC__MMA_TEXT_##kind, "")                                                        \
                   "." #dtype "." #atype "." #btype "." #ctype, d, a, b, c, meta, selector)

/* Block scales with sparse A, ordered metadata; a scale covers the same stretch of K, zeros counted. mxf4, mxf4nvf4:
 * sm_120a, sm_121a. */
#define TC_MMA_SP_BLOCK_SCALE(shape, alayout, blayout, kind, scale_vec, dtype, atype, btype, ctype, stype, d, a, b,   \
                              c, meta, selector, scale_a, byte_a, thread_a, scale_b, byte_b, thread_b)                \
    TC__MMA_SP_SCALED(                                                                                                \
        TC__CAT(TC__SPO_##kind##_##scale_vec##_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_##stype##_,      \
                TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                                        \
        TC__MMA_BS_TEXT("mma.sp::ordered_metadata", shape, alayout, blayout, kind, scale_vec, dtype, atype, btype,    \
        ctype, stype), "h", selector, d, a, b, c, meta, selector, scale_a, (uint16_t)(byte_a), (uint16_t)(thread_a),  \
        scale_b, (uint16_t)(byte_b), (uint16_t)(thread_b))
#define TC_MMA_SP_BLOCK_SCALE_IMM(shape, alayout, blayout, kind, scale_vec, dtype, atype, btype, ctype, stype, d, a,  \
                                  b, c, meta, selector, scale_a, byte_a, thread_a, scale_b, byte_b, thread_b)         \
    do {                                                                                                              \
        TC__MMA_IDS_CHECK(                                                                                            \
            TC__CAT(TC__SPO_##kind##_##scale_vec##_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_##stype##_,  \
                    TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                                    \
            byte_a, thread_a, byte_b, thread_b);                                                                      \
        TC__MMA_SP_SCALED(                                                                                            \
            TC__CAT(TC__SPO_##kind##_##scale_vec##_##alayout##_##blayout##_##shape##_##dtype##_##ctype##_##stype##_,  \
                    TC__PROBE(TC__MMA_AB_##atype##_##btype, BAD)),                                                    \
            TC__MMA_BS_TEXT("mma.sp::ordered_metadata", shape, alayout, blayout, kind, scale_vec, dtype, atype,       \
            btype, ctype, stype), "n", selector, d, a, b, c, meta, selector, scale_a, byte_a, thread_a, scale_b,      \
            byte_b, thread_b);                                                                                        \
    } while (0)
#define TC__MMA_SP_SCALED(row, text, i, selector, ...)                                                                \
    do {                                                                                                              \
        static_assert((selector) == 0, "tc: mma.sp with block scales: the selector is 0");                            \
        TC__CAT(tc__needs_, TC__ITEM2(row, ~, any))();                                                                \
        TC__CALL(TC__CAT(TC__MMA_SPBS_, TC__PROBE(row, BAD)), TC__MMA_BS_HELP, text, i, __VA_ARGS__);                 \
    } while (0)

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
#define TC_CP_ASYNC_WAIT_GROUP(n) \
    do {                                                                                                              \
        tc__needs_sm80();                                                                                             \
        static_assert((n) >= 0, "tc: cp.async.wait_group: n is 0 or more");                                           \
        asm volatile("cp.async.wait_group %0;" : : "n"(n) : "memory");                                                \
    } while (0)

/* PTX: cp.async.mbarrier.arrive.noinc: arrives on bar once all earlier cp.async of this thread have landed. The
 * barrier's count includes these arrivals. Without noinc the pending count is raised by one first, so the barrier's
 * count must not hold them. */
TC_DEV_SM80 void tc_cp_async_mbarrier_arrive_noinc(uint32_t bar)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(bar) : "memory");
}
TC_DEV_SM80 void tc_cp_async_mbarrier_arrive(uint32_t bar)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : "r"(bar) : "memory");
}
/* The same in any state space: shared, shared_cta (a shared address), generic (a pointer). */
#define TC_CP_ASYNC_MBARRIER_ARRIVE(space, bar) TC__CP_ARRIVE("TC_CP_ASYNC_MBARRIER_ARRIVE", "", space, bar)
#define TC_CP_ASYNC_MBARRIER_ARRIVE_NOINC(space, bar)                                                                 \
    TC__CP_ARRIVE("TC_CP_ASYNC_MBARRIER_ARRIVE_NOINC", ".noinc", space, bar)
#define TC__CP_ARRIVE(what, noinc, space, bar)                                                                        \
    do {                                                                                                              \
        TC__SPACE_CHECK(what, space);                                                                                 \
        tc__needs_sm80();                                                                                             \
        asm volatile("cp.async.mbarrier.arrive" noinc TC__PROBE(TC__SPACE_##space, "") ".b64 [%0];"                   \
                     : : TC__CALL(TC__PROBE(TC__SPACE_IN_##space, TC__SPACE_BAD), bar) : "memory");                   \
    } while (0)

/* PTX: cp.async with everything that it takes. cache: ca or cg; space: shared or shared_cta; prefetch: L2_none, L2_64B,
 * L2_128B, L2_256B (how much L2 fetches beside it); size: 4, 8, 16 (cg: 16). dst: shared address; src: a pointer into
 * global memory.
 *     TC_CP_ASYNC(cache, space, prefetch, dst, src, size)
 *     TC_CP_ASYNC_SRC_SIZE(..., size, src_size)            the first src_size bytes, then zeros; src_size at run time
 *     TC_CP_ASYNC_SRC_SIZE_IMM(..., size, src_size)        src_size a literal
 *     TC_CP_ASYNC_IGNORE_SRC(..., size, ignore)            zeros where ignore is not 0; src is not read
 *     each also _CACHE_HINT(..., policy)                   policy: 64 bits, of createpolicy; not with _IMM
 */
#define TC__CP_ca_shared_4 ~, 1
#define TC__CP_ca_shared_8 ~, 1
#define TC__CP_ca_shared_16 ~, 1
#define TC__CP_cg_shared_16 ~, 1
#define TC__CP_ca_shared_cta_4 ~, 1
#define TC__CP_ca_shared_cta_8 ~, 1
#define TC__CP_ca_shared_cta_16 ~, 1
#define TC__CP_cg_shared_cta_16 ~, 1
#define TC__CP_L2_none ~, ""
#define TC__CP_L2_64B ~, ".L2::64B"
#define TC__CP_L2_128B ~, ".L2::128B"
#define TC__CP_L2_256B ~, ".L2::256B"
#define TC__CP_CHECK(cache, space, prefetch, size)                                                                    \
    static_assert(TC__PROBE(TC__CP_##cache##_##space##_##size, 0)                                                     \
                  && sizeof(TC__PROBE(TC__CP_##prefetch, "no such prefetch size")) < 12,                              \
                  "tc: cp.async: ca with 4, 8 or 16 bytes, cg with 16; space shared or shared_cta; prefetch "         \
                  "L2_none, L2_64B, L2_128B or L2_256B");                                                             \
    tc__needs_sm80()
#define TC__CP_TEXT(cache, space, hint, prefetch, size)                                                               \
    "cp.async." #cache TC__PROBE(TC__SPACE_##space, "") ".global" hint TC__PROBE(TC__CP_##prefetch, "")               \
        " [%0], [%1], " #size
#define TC_CP_ASYNC(cache, space, prefetch, dst, src, size)                                                           \
    do {                                                                                                              \
        TC__CP_CHECK(cache, space, prefetch, size);                                                                   \
        asm volatile(TC__CP_TEXT(cache, space, "", prefetch, size) ";" : : "r"(dst),                                  \
                     "l"(__cvta_generic_to_global(src)) : "memory");                                                  \
    } while (0)
#define TC_CP_ASYNC_CACHE_HINT(cache, space, prefetch, dst, src, size, policy)                                        \
    do {                                                                                                              \
        TC__CP_CHECK(cache, space, prefetch, size);                                                                   \
        asm volatile(TC__CP_TEXT(cache, space, ".L2::cache_hint", prefetch, size) ", %2;"                             \
                     : : "r"(dst), "l"(__cvta_generic_to_global(src)), "l"(policy) : "memory");                       \
    } while (0)
#define TC_CP_ASYNC_SRC_SIZE(cache, space, prefetch, dst, src, size, src_size)                                        \
    do {                                                                                                              \
        TC__CP_CHECK(cache, space, prefetch, size);                                                                   \
        asm volatile(TC__CP_TEXT(cache, space, "", prefetch, size) ", %2;"                                            \
                     : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(src_size) : "memory");                     \
    } while (0)
#define TC_CP_ASYNC_SRC_SIZE_IMM(cache, space, prefetch, dst, src, size, src_size)                                    \
    do {                                                                                                              \
        TC__CP_CHECK(cache, space, prefetch, size);                                                                   \
        static_assert((src_size) >= 0 && (src_size) <= (size), "tc: cp.async: src_size is 0 to size");                \
        asm volatile(TC__CP_TEXT(cache, space, "", prefetch, size) ", %2;"                                            \
                     : : "r"(dst), "l"(__cvta_generic_to_global(src)), "n"(src_size) : "memory");                     \
    } while (0)
#define TC_CP_ASYNC_SRC_SIZE_CACHE_HINT(cache, space, prefetch, dst, src, size, src_size, policy)                     \
    do {                                                                                                              \
        TC__CP_CHECK(cache, space, prefetch, size);                                                                   \
        asm volatile(TC__CP_TEXT(cache, space, ".L2::cache_hint", prefetch, size) ", %2, %3;"                         \
                     : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(src_size), "l"(policy) : "memory");        \
    } while (0)
#define TC_CP_ASYNC_IGNORE_SRC(cache, space, prefetch, dst, src, size, ignore)                                        \
    do {                                                                                                              \
        TC__CP_CHECK(cache, space, prefetch, size);                                                                   \
        asm volatile("{\n"                                                                                            \
                     ".reg .pred p;\n"                                                                                \
                     "setp.ne.b32 p, %2, 0;\n"                                                                        \
                     TC__CP_TEXT(cache, space, "", prefetch, size) ", p;\n"                                           \
                     "}"                                                                                              \
                     : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"((int)(ignore)) : "memory");                \
    } while (0)
#define TC_CP_ASYNC_IGNORE_SRC_CACHE_HINT(cache, space, prefetch, dst, src, size, ignore, policy)                     \
    do {                                                                                                              \
        TC__CP_CHECK(cache, space, prefetch, size);                                                                   \
        asm volatile("{\n"                                                                                            \
                     ".reg .pred p;\n"                                                                                \
                     "setp.ne.b32 p, %2, 0;\n"                                                                        \
                     TC__CP_TEXT(cache, space, ".L2::cache_hint", prefetch, size) ", p, %3;\n"                        \
                     "}"                                                                                              \
                     : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"((int)(ignore)), "l"(policy) : "memory");   \
    } while (0)

#endif /* __CUDACC__ */
#endif /* TC_MMA_H */
