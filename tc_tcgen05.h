/* tc_tcgen05.h - tc 0.2.0 - tcgen05: Blackwell's tensor memory and its matrix multiply. Needs: tc_core.h,
 * tc_tcgen05_desc.h, which it includes; sm_100a, 103a, 107a, 110a, or their f.
 *
 * One thread multiplies: A and B lie in shared memory (A also in tensor memory), D in tensor memory, 128 lanes x 512
 * columns of 32 bits a CTA. Warps bring D into registers by tcgen05.ld. D = 128 x 256, bf16, K of 64:
 *
 *     TC_TCGEN05_IDESC(IDESC, .kind = TC_KIND_F16, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .m = 128, .n = 256);
 *                                                                  checked when compiled
 *     if (warp == 0) TC_TCGEN05_ALLOC(1, smem_slot, 256);          a whole warp; the address comes by shared memory
 *     tc_tcgen05_fence_before_thread_sync(); __syncthreads(); tc_tcgen05_fence_after_thread_sync();
 *     if (one_thread) {
 *         uint64_t a = tc_tcgen05_desc(smem_a, 128), b = tc_tcgen05_desc(smem_b, 128);      K-major, 128-byte swizzle
 *         for (int k = 0; k < 4; k++)                              an instruction takes 32 bytes of each row: + 2
 *             TC_TCGEN05_MMA_SS(1, f16, tmem, a + 2 * k, b + 2 * k, IDESC, k > 0);
 *         TC_TCGEN05_COMMIT(1, bar);                               arrives when all of them are done
 *     }
 *     TC_MBARRIER_WAIT(bar, 0, "mma", 0);
 *     tc_tcgen05_fence_after_thread_sync();
 *     uint32_t r[32];                                              32 columns of this thread's row, f32 as bits
 *     TC_TCGEN05_LD(32x32b, x32, r, tc_tcgen05_taddr(warp % 4 * 32, 0) + tmem);
 *     tc_tcgen05_wait_ld_regs(r, 32);
 *     ... __syncthreads(); if (warp == 0) TC_TCGEN05_DEALLOC(1, tmem, 256);
 *
 * WHAT HAS BEEN PROVEN. No machine with these instructions was at hand: all of this has run in tcemu and been assembled
 * by ptxas, and nothing here has run on Blackwell. The layouts below are those of the PTX ISA's text.
 *
 * CONTENTS. g: 1 or 2, the cta_group. Tokens are PTX's, in PTX's order, and literals; operands may be run-time values.
 *   allocation  TC_TCGEN05_ALLOC(g, slot, columns), _DEALLOC(g, taddr, columns), _RELINQUISH_ALLOC_PERMIT(g)
 *                   columns: 32, 64, 128, 256 or 512, a literal. slot: shared address of a uint32_t. By a whole warp.
 *               _ALLOC_N, _DEALLOC_N: run-time columns; _ALLOC_GENERIC(g, pointer, columns)
 *               TC_TCGEN05_ALLOC_EXCLUSIVE(g, slot, columns), _N, _GENERIC, _DEALLOC_EXCLUSIVE(g, taddr, columns), _N:
 *                   any multiple of 32, up to 512 or, on sm_107, 576; nobody else on the multiprocessor     PTX 9.4
 *   order       tc_tcgen05_fence_before_thread_sync, _fence_after_thread_sync, _wait_ld, _wait_st,
 *               _wait_ld_regs(r, count)
 *               TC_TCGEN05_COMMIT(g, bar), _COMMIT_MULTICAST(g, bar, cta_mask), _COMMIT_GENERIC(g, pointer),
 *               _COMMIT_GENERIC_MULTICAST; with every qualifier of PTX 9.4, as that A has been read (sm_107) or a mask
 *               of 32 bits: TC_TCGEN05_COMMIT_Q(g, q, bar), _Q_MULTICAST(..., cta_mask), _Q_MULTICAST_32B
 *   data        TC_TCGEN05_LD(shape, xN, r, taddr), TC_TCGEN05_ST(shape, xN, taddr, r)
 *                   shape 32x32b, 16x64b, 16x128b, 16x256b; r: uint32_t[N, N, 2N, 4N], at most 128
 *               _LD_PACK_16B, _ST_UNPACK_16B: two columns a register, 16 bits of each
 *               _LD_16X32BX2(xN, r, taddr, split), _LD_16X32BX2_PACK_16B, _ST_16X32BX2(xN, taddr, split, r),
 *               _ST_16X32BX2_UNPACK_16B: split is a literal
 *               _LD_RED(shape, xN, op, type, r, redval, taddr), _LD_RED_16X32BX2(xN, op, type, r, redval, taddr, split)
 *                   op min, max, min.abs, max.abs, min.NaN, ...; type f32, u32, s32; families of sm_103, 107 and 110
 *               TC_TCGEN05_CP(g, shape, taddr, desc)
 *                   shape 128x256b 128x128b 4x256b 64x128b.warpx2::02_13 64x128b.warpx2::01_23 32x128b.warpx4, each
 *                   alone or with .b8x16.b6x16_p32 or .b8x16.b4x16_p64
 *               TC_TCGEN05_SHIFT(g, taddr): a targets
 *   multiply    TC_TCGEN05_MMA_SS(g, kind, d, a_desc, b_desc, idesc, enable_input_d), _TS(g, kind, d, a_tmem, ...)
 *                   kind f16, tf32, f8f6f4, i8, qualified as in PTX: f16.collector::a::fill, f16.ashift (TS)
 *                   _LANES(..., idesc, lanes, enable): lanes: uint32_t[4 * g], a set bit keeps that lane of D as it is
 *                   _SCALE(..., enable, scale): D is taken times 2^-scale, a literal in 0..15 (f16, tf32; not sm_110);
 *                   _LANES_SCALE
 *               _MMA_{SS,TS}_BLOCK(g, kind, d, a, b, idesc, sfa, sfb, enable)
 *                   kind mxf8f6f4.block_scale, mxf4.block_scale.block32, mxf4nvf4.block_scale.block16, ..., or
 *                   scale_vec::1X (a targets)
 *               _MMA_SP_...: sparse A, one more operand, meta, before idesc
 *               _MMA_LUT_{SS,TS}{,_LANES,_BLOCK}: B is indices into a table, lut, before idesc        sm_107, PTX 9.4
 *               sm_107 (PTX 9.4): kind ti16; a .collector::b::fill, ::use, .. may follow that of a, but with .ws
 *               _MMA_WS_{SS,TS}(1, kind, d, a, b, idesc, enable), _ZERO(..., enable, zero_mask), _MMA_WS_SP_...
 *   descriptors (tc_tcgen05_desc.h) tc_tcgen05_desc tc_tcgen05_desc_mn _scales _make _advance _check _text;
 *               TC_TCGEN05_IDESC tc_tcgen05_idesc_make _check _text;
 *               tc_tcgen05_zero_mask_make; tc_tcgen05_taddr tc_tcgen05_taddr_text; tc_tcgen05_k
 *   layouts     tc_tcgen05_k_major_at, _mn_major_at        shared memory: (row, k) to byte
 *               tc_tcgen05_d_cta _d_lane _d_column, _d_row _d_col     D in tensor memory, and back
 *               tc_tcgen05_meta_lane _column _bit          metadata of a sparse A in tensor memory
 *               tc_tcgen05_ld_lane, tc_tcgen05_ld_column   register i of a lane, for each shape of ld and st
 *               tc_tcgen05_sf_lane _sf_column _sf_byte, tc_tcgen05_sf_offset     scale factors, there and outside
 *
 * SHARED MEMORY, K-major, 128-byte swizzle: what TMA writes for a box of 128 bytes x rows. Eight rows make an atom of
 * 1024 bytes, the 16-byte units of row r lie at places u ^ r % 8, atoms follow each other at SBO = 1024:
 *
 *     row 0   | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |   128 bytes of K: 64 bf16, 32 tf32, 128 e4m3, 256 e2m1 (mxf4)
 *     row 1   | 1 | 0 | 3 | 2 | 5 | 4 | 7 | 6 |
 *     ...                                         one mma eats two units (32 bytes) of every row: descriptor + 2
 *     row 7   | 7 | 6 | 5 | 4 | 3 | 2 | 1 | 0 |   LBO is not used
 *
 *   64-byte swizzle: rows of 64 bytes, unit u of row r at u ^ r / 2 % 4, SBO 512; 32-byte: u ^ r / 4 % 2, SBO 256;
 *   none: eight rows of 16 bytes are a core matrix of 128 bytes, LBO: to the next 16 bytes of K, SBO: to the next 8
 *   rows.
 *
 * MN-major ("transposed"), 128-byte swizzle: the same atom turned. A line is one k, 128 bytes of M or N (64 bf16):
 *
 *     k 0     | m 0..7 | 8..15 | ..                  | 56..63 |      unit u of line k at u ^ k % 8 as above
 *     k 1     | 8..15  | 0..7  | ..                           |      LBO: to m 64..127 of the same k
 *     ...                                                            SBO: to k 8..15 of the same m
 *     k 7     | 56..63 | ..                          | 0..7   |
 *
 *   tf32 has this with atoms of 32 bytes: units of 32 bytes, v of line k at v ^ k % 4, four k's an atom; SBO: to the
 *   next four.
 *   64 and 32 bytes as above, with k for r; none: LBO is the step of 8 k, SBO that of 16 bytes of M or N.
 *
 * D IN TENSOR MEMORY. One CTA, M = 128: row m is lane m, column n is column n. M = 256 with g = 2: CTA 0 has rows
 * 0..127, CTA 1 the rest.
 *
 *     M = 128, g = 2           M = 64, .ws              M = 32, .ws               M = 64; M = 128, g = 2, .sp
 *     lanes  0.. 63: n < N/2   lanes  0.. 63: n < N/2   lanes 32q..32q+31:        lanes 0..15, 32..47, 64..79, 96..111:
 *     lanes 64..127: the rest  lanes 64..127: the rest  quarter q of the columns  rows 0..15, 16..31, 32..47, 48..63
 *     (rows 64 a CTA)                                                             (or each 16 lanes further on)
 *
 * REGISTERS of ld and st, lane l of the warp, register i:       tensor memory lane (from the address')      column
 *     32x32b     l                                          i
 *     16x64b     l / 4 + l % 2 * 8                          2 i + l / 2 % 2
 *     16x128b    l / 4 + i % 2 * 8                          i / 2 * 4 + l % 4
 *     16x256b    l / 4 + i / 2 % 2 * 8                      i / 4 * 8 + l % 4 * 2 + i % 2     (an mma.sync accumulator)
 *     16x32bx2   l % 16                                     i, and + split for lanes 16..31
 *
 * SCALE FACTORS in tensor memory, a byte each, s0..s3 of a row in one cell; the same in every quarter of the lanes:
 *
 *     column     c              c + 1            c + 2            c + 3            c + 4 (c + 8, if N > 128)
 *     lane 0     row 0  s0..s3  row 32  s0..s3   row 64  s0..s3   row 96  s0..s3   row 0  s4..s7
 *     lane 31    row 31         row 63           row 95           row 127          row 31
 *
 *   TC_TCGEN05_CP(g, 32x128b.warpx4, ...) brings 512 bytes (128 rows x 4 factors) there at once, by a descriptor
 *   without swizzle and SBO 128.
 *   In memory row r and factor s are at byte r % 32 * 16 + r / 32 * 4 + s: tc_tcgen05_sf_offset.
 *
 * METADATA of a sparse A in tensor memory, 4 bits (the places of two elements) a group of four k:
 *     f16, tf32  lane r % 8 + 8 (group / 4) of 16, bits 4 (group % 4), rows 8..15 of 16 in the upper half of the 32
 *     others     lane of the row, groups 0..7 in one column, 8..15 in the next
 *
 * TRAPS
 *     By ld and st a warp reaches the lanes 32 (warp % 4) to 31 further on, and the address must name those. Four warps
 *     see all of D.
 *     All tcgen05 instructions of a kernel must have the same cta_group: ptxas refuses a mixture, at code generation.
 *     Registers of an ld may be used after its wait only: tc_tcgen05_wait_ld_regs also keeps the compiler from moving
 *     uses before it.
 *     Between an mma and an ld of its D: TC_TCGEN05_COMMIT, a wait on that mbarrier,
 *     tc_tcgen05_fence_after_thread_sync.
 *     Between an ld and an mma that overwrites what it read: tc_tcgen05_wait_ld, _fence_before_thread_sync, an arrival;
 *     and on the issuing side the wait and _fence_after_thread_sync. If one lane arrives for its warp: the fence in
 *     every lane, __syncwarp, the arrival.
 *     Shared memory that ordinary stores wrote needs tc_fence_proxy_async_shared and a barrier before an mma or cp
 *     reads it.
 *     TC_TCGEN05_COMMIT tracks what this thread issued before it; mma, cp and shift of one thread are done in order.
 *     A commit on an mbarrier counts as one arrival. Multicast: the same offset in each CTA of the mask.
 *     With g = 2 one thread of the CTA of even rank issues for both; both allocate, each in one warp, the same columns
 *     in the same order.
 *     alloc waits until there is room: a kernel of which two CTAs fit on one SM should take 256 columns at most, or
 *     relinquish and free.
 *     Every alloc needs its dealloc before the kernel ends. Tensor memory is not cleared: begin with enable_input_d 0.
 *     enable_input_d is a run-time value here; a literal 0 or 1 costs nothing.
 *     The generic forms take a 64-bit pointer; PTX would silently accept 32 bits of it.
 *
 * Source: PTX ISA, "TensorCore 5th Generation Family Instructions".
 */
#ifndef TC_TCGEN05_H
#define TC_TCGEN05_H

#include "tc_tcgen05_desc.h"

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * What not every target of the four families has: a targets alone (shift, scale_vec, sparse mxf4); kind::i8 (100a,
 * 110a); scale-input-d (not 110); ld.red (not 100). 1 on the host pass and where the whole of tcgen05 is missing, which
 * is said elsewhere.
 */
#if TC__ALL_TARGETS || !TC_HAS_SM100A
#define TC_HAS_TCGEN05_A 1
#define TC_HAS_TCGEN05_I8 1
#define TC_HAS_TCGEN05_SCALE_D 1
#define TC_HAS_TCGEN05_LD_RED 1
#else
#define TC_HAS_TCGEN05_SCALE_D (__CUDA_ARCH__ < 1100 && __CUDA_ARCH__ != 1010)
#define TC_HAS_TCGEN05_LD_RED (__CUDA_ARCH__ != 1000)
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM101_ALL) || defined(__CUDA_ARCH_FEAT_SM110_ALL)
#define TC_HAS_TCGEN05_A 1
#define TC_HAS_TCGEN05_I8 1
#elif defined(__CUDA_ARCH_FEAT_SM103_ALL) || defined(__CUDA_ARCH_FEAT_SM107_ALL)
#define TC_HAS_TCGEN05_A 1
#define TC_HAS_TCGEN05_I8 0
#else
#define TC_HAS_TCGEN05_A 0
#define TC_HAS_TCGEN05_I8 0
#endif
#endif

#define TC__T5_STR(x) TC__T5_STR_(x)
#define TC__T5_STR_(x) #x
#define TC__T5_GROUP(what, g)  \
    tc__needs_sm100a();        \
    static_assert(tc__follows(TC__T5_STR(g), "1|2"), "tc: " what ": the cta_group is 1 or 2, a literal")
/* text: what follows the cta_group; then the operands, all of them inputs */
#define TC__T5_ASM(name, g, text, ...)                                                                                \
    do {                                                                                                              \
        TC__T5_GROUP("tcgen05." name, g);                                                                             \
        asm volatile("tcgen05." name ".cta_group::" TC__T5_STR(g) text ";" : : __VA_ARGS__ : "memory");               \
    } while (0)
#define TC__T5_COLUMNS(what, n) \
    static_assert((n) == 32 || (n) == 64 || (n) == 128 || (n) == 256 || (n) == 512,                                   \
                  "tc: " what ": columns are 32, 64, 128, 256 or 512")

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: tcgen05.alloc, .dealloc, .relinquish_alloc_permit. All lanes of one warp of the CTA (g = 2: one in each) call
 * them. slot: shared address of a uint32_t that receives the tensor memory address; the columns come with all 128
 * lanes. Waits until there is room.
 */
#define TC_TCGEN05_ALLOC(g, slot, columns)                                                                            \
    do {                                                                                                              \
        TC__T5_COLUMNS("tcgen05.alloc", columns);                                                                     \
        TC__T5_ASM("alloc", g, ".sync.aligned.shared::cta.b32 [%0], %1", "r"(slot), "n"((int)(columns)));             \
    } while (0)
#define TC_TCGEN05_ALLOC_N(g, slot, columns)                                                                          \
    TC__T5_ASM("alloc", g, ".sync.aligned.shared::cta.b32 [%0], %1", "r"(slot), "r"(columns))
/* pointer: a generic one, into the CTA's shared memory; columns may be a run-time value */
#define TC_TCGEN05_ALLOC_GENERIC(g, pointer, columns)                                                                 \
    TC__T5_ASM("alloc", g, ".sync.aligned.b32 [%0], %1", "l"((uint64_t)(pointer)), "r"(columns))
#define TC_TCGEN05_DEALLOC(g, taddr, columns)                                                                         \
    do {                                                                                                              \
        TC__T5_COLUMNS("tcgen05.dealloc", columns);                                                                   \
        TC__T5_ASM("dealloc", g, ".sync.aligned.b32 %0, %1", "r"(taddr), "n"((int)(columns)));                        \
    } while (0)
#define TC_TCGEN05_DEALLOC_N(g, taddr, columns)                                                                       \
    TC__T5_ASM("dealloc", g, ".sync.aligned.b32 %0, %1", "r"(taddr), "r"(columns))
/* PTX: tcgen05.alloc.exclusive, .dealloc.exclusive (PTX 9.4): any multiple of 32 columns up to what the chip has: 512,
 * on sm_107 576, which plain alloc does not give. The only allocation on the multiprocessor while it lives; freed with
 * the same count. ptxas looks at the multiple of 32 alone. */
#define TC__T5_EXCLUSIVE(what, n)                                                                                     \
    TC__NEEDS_PTX(94, what);                                                                                          \
    static_assert((n) > 0 && (n) % 32 == 0 &&                                                                          \
                      (n) <= (TC_HAS_SM107A ? (int)TC_CHIP_107_TMEM : (int)TC_CHIP_100_TMEM),                         \
                  "tc: " what ": columns are a multiple of 32, at most 512 (sm_107: 576)")
#define TC_TCGEN05_ALLOC_EXCLUSIVE(g, slot, columns)                                                                  \
    do {                                                                                                              \
        TC__T5_EXCLUSIVE("tcgen05.alloc.exclusive", columns);                                                         \
        TC__T5_ASM("alloc.exclusive", g, ".sync.aligned.shared::cta.b32 [%0], %1", "r"(slot), "n"((int)(columns)));   \
    } while (0)
#define TC_TCGEN05_ALLOC_EXCLUSIVE_N(g, slot, columns)                                                                \
    do {                                                                                                              \
        TC__NEEDS_PTX(94, "tcgen05.alloc.exclusive");                                                                 \
        TC__T5_ASM("alloc.exclusive", g, ".sync.aligned.shared::cta.b32 [%0], %1", "r"(slot), "r"(columns));          \
    } while (0)
#define TC_TCGEN05_ALLOC_EXCLUSIVE_GENERIC(g, pointer, columns)                                                       \
    do {                                                                                                              \
        TC__NEEDS_PTX(94, "tcgen05.alloc.exclusive");                                                                 \
        TC__T5_ASM("alloc.exclusive", g, ".sync.aligned.b32 [%0], %1", "l"((uint64_t)(pointer)), "r"(columns));       \
    } while (0)
#define TC_TCGEN05_DEALLOC_EXCLUSIVE(g, taddr, columns)                                                               \
    do {                                                                                                              \
        TC__T5_EXCLUSIVE("tcgen05.dealloc.exclusive", columns);                                                       \
        TC__T5_ASM("dealloc.exclusive", g, ".sync.aligned.b32 %0, %1", "r"(taddr), "n"((int)(columns)));              \
    } while (0)
#define TC_TCGEN05_DEALLOC_EXCLUSIVE_N(g, taddr, columns)                                                             \
    do {                                                                                                              \
        TC__NEEDS_PTX(94, "tcgen05.dealloc.exclusive");                                                               \
        TC__T5_ASM("dealloc.exclusive", g, ".sync.aligned.b32 %0, %1", "r"(taddr), "r"(columns));                     \
    } while (0)
/* After this the CTA may not allocate any more; a CTA that waits for room may go on. */
#define TC_TCGEN05_RELINQUISH_ALLOC_PERMIT(g)                                                                         \
    do {                                                                                                              \
        TC__T5_GROUP("tcgen05.relinquish_alloc_permit", g);                                                           \
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::" TC__T5_STR(g) ".sync.aligned;" : : : "memory");    \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: tcgen05.fence. before: tcgen05 operations of this thread come before what its next arrival or barrier tells;
 * after: those that follow come after what its last wait learned.
 * PTX: tcgen05.wait: for all ld, or all st, of this thread; the whole warp calls.
 */
TC_DEV_SM100A void tc_tcgen05_fence_before_thread_sync(void)
{ asm volatile("tcgen05.fence::before_thread_sync;" : : : "memory"); }
TC_DEV_SM100A void tc_tcgen05_fence_after_thread_sync(void)
{ asm volatile("tcgen05.fence::after_thread_sync;" : : : "memory"); }
TC_DEV_SM100A void tc_tcgen05_wait_ld(void) { asm volatile("tcgen05.wait::ld.sync.aligned;" : : : "memory"); }
TC_DEV_SM100A void tc_tcgen05_wait_st(void) { asm volatile("tcgen05.wait::st.sync.aligned;" : : : "memory"); }

/* The wait, and a mark on r[0..count-1] that keeps the compiler from using them before it. count is constant. */
TC_DEV_SM100A void tc_tcgen05_wait_ld_regs(uint32_t *r, const int count)
{
    tc_tcgen05_wait_ld();
#pragma unroll
    for (int i = 0; i < count; i++) asm volatile("" : "+r"(r[i]) : : "memory");
}

/* PTX: tcgen05.commit. The mbarrier gets one arrival when all mma, cp and shift that this thread issued are done. bar:
 * shared address (this CTA's, or of another one by tc_mapa). cta_mask: bit i: also the mbarrier at this offset in CTA i
 * of the cluster. One thread. */
#define TC_TCGEN05_COMMIT(g, bar)                                                                                     \
    TC__T5_ASM("commit", g, ".mbarrier::arrive::one.shared::cluster.b64 [%0]", "r"(bar))
#define TC_TCGEN05_COMMIT_MULTICAST(g, bar, cta_mask)                                                                 \
    TC__T5_ASM("commit", g, ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1",                 \
               "r"(bar), "h"((uint16_t)(cta_mask)))
#define TC_TCGEN05_COMMIT_GENERIC(g, pointer)                                                                         \
    TC__T5_ASM("commit", g, ".mbarrier::arrive::one.b64 [%0]", "l"((uint64_t)(pointer)))
#define TC_TCGEN05_COMMIT_GENERIC_MULTICAST(g, pointer, cta_mask)                                                     \
    TC__T5_ASM("commit", g, ".mbarrier::arrive::one.multicast::cluster.b64 [%0], %1",                                 \
               "l"((uint64_t)(pointer)), "h"((uint16_t)(cta_mask)))

/* The same with every qualifier of PTX 9.4. q: {.sync_restrict::shared::read::mma::a}{.shared::cluster}; _MULTICAST:
 * then .multicast::cluster or .multicast::cluster::16b, with a mask of 16 bits; _MULTICAST_32B:
 * .multicast::cluster::32b with one of 32. bar: a shared address with .shared::cluster, else a pointer. .sync_restrict
 * (sm_107): the arrival comes when the instructions before it have read A from shared memory, so that A can be filled
 * anew while they work; it says nothing about B, A in tensor memory, metadata, a lookup table or D. */
#define TC__T5_COMMIT_CHECK(q, rule, text)                                                                            \
    static_assert(tc__follows(#q, "|.sync_restrict::shared::read::mma::a |.shared::cluster" rule),                    \
                  "tc: tcgen05.commit: the qualifiers are {.sync_restrict::shared::read::mma::a}{.shared::cluster}"   \
                  text);                                                                                              \
    TC__NEEDS_PTX_IF(94, tc__holds(#q, "_restrict") || tc__holds(#q, "cluster::"),                                    \
                     "tcgen05.commit with .sync_restrict or a width of the mask");                                    \
    TC__NEEDS_SM107A_IF(tc__holds(#q, "_restrict") || tc__holds(#q, "::32b"),                                         \
                        "tcgen05.commit with .sync_restrict or a mask of 32 bits")
#define TC_TCGEN05_COMMIT_Q(g, q, bar)                                                                                \
    do {                                                                                                              \
        TC__T5_COMMIT_CHECK(q, "", "");                                                                               \
        TC__T5_ADDRESS_OF(q, bar);                                                                                    \
        TC__T5_ASM("commit", g, ".mbarrier::arrive::one" #q ".b64 [%0]", "l"((uint64_t)(bar)));                       \
    } while (0)
#define TC_TCGEN05_COMMIT_Q_MULTICAST(g, q, bar, cta_mask)                                                            \
    do {                                                                                                              \
        TC__T5_COMMIT_CHECK(q, " .multicast::cluster |::16b", ".multicast::cluster or .multicast::cluster::16b");     \
        TC__T5_ADDRESS_OF(q, bar);                                                                                    \
        TC__T5_ASM("commit", g, ".mbarrier::arrive::one" #q ".b64 [%0], %1", "l"((uint64_t)(bar)),                    \
                   "h"((uint16_t)(cta_mask)));                                                                        \
    } while (0)
#define TC_TCGEN05_COMMIT_Q_MULTICAST_32B(g, q, bar, cta_mask)                                                        \
    do {                                                                                                              \
        TC__T5_COMMIT_CHECK(q, " .multicast::cluster::32b", ".multicast::cluster::32b");                              \
        TC__T5_ADDRESS_OF(q, bar);                                                                                    \
        TC__T5_ASM("commit", g, ".mbarrier::arrive::one" #q ".b64 [%0], %1", "l"((uint64_t)(bar)),                    \
                   "r"((uint32_t)(cta_mask)));                                                                        \
    } while (0)
#define TC__T5_ADDRESS_OF(q, bar)                                                                                     \
    static_assert(sizeof(+(bar)) == (tc__holds(#q, ".shared::cluster") ? 4 : 8),                                      \
                  "tc: tcgen05.commit: bar is a shared address (uint32_t) with .shared::cluster, a pointer without it")

/* PTX: tcgen05.cp: shared memory, by descriptor (K-major), to tensor memory. 128x256b: 128 lanes x 8 columns; 128x128b:
 * x 4; 4x256b: lanes l, l + 32, .. of the address; 64x128b.warpx2: 64 rows twice (02_13: lanes 0-63 and 64-127; 01_23:
 * rows 0-31 to lanes 0-31 and 32-63); 32x128b.warpx4: 32 rows in each quarter, for scale factors. b8x16: spreads 16
 * elements of 6 or 4 bits to bytes. One thread. */
#define TC_TCGEN05_CP(g, shape, taddr, desc)                                                                          \
    do {                                                                                                              \
        TC__T5_GROUP("tcgen05.cp", g);                                                                                \
        static_assert(tc__follows(#shape,                                                                             \
                                  "128x256b|128x128b|4x256b|64x128b.warpx2::02_13|64x128b.warpx2::01_23"              \
                                  "|32x128b.warpx4 |.b8x16.b6x16_p32|.b8x16.b4x16_p64"),                              \
                      "tc: tcgen05.cp: the shape is 128x256b, 128x128b, 4x256b, 64x128b.warpx2::02_13, "              \
                      "64x128b.warpx2::01_23 or 32x128b.warpx4, alone or with .b8x16.b6x16_p32 or .b8x16.b4x16_p64"); \
        asm volatile("tcgen05.cp.cta_group::" TC__T5_STR(g) "." #shape " [%0], %1;" : : "r"(taddr), "l"(desc)         \
                     : "memory");                                                                                     \
    } while (0)

/* PTX: tcgen05.shift.down: rows 1..31 of each quarter, 8 columns, move down by one lane; the last stays. One thread. */
#define TC_TCGEN05_SHIFT(g, taddr)                                                                                    \
    do {                                                                                                              \
        TC__T5_GROUP("tcgen05.shift", g);                                                                             \
        static_assert(TC_HAS_TCGEN05_A,                                                                               \
                      "tc: tcgen05.shift needs an a target: compile with -gencode arch=compute_100a,code=sm_100a "    \
                      "(103a, 107a, 110a), or guard the use with #if TC_HAS_TCGEN05_A");                              \
        asm volatile("tcgen05.shift.cta_group::" TC__T5_STR(g) ".down [%0];" : : "r"(taddr) : "memory");              \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * Tables of ld and st. TC__T5_L_n: the list "%0,..,%n-1"; _P_n, _Q_n, _R_n: the placeholders after it; TC__T5_V_n(c, r,
 * 0): n operands of array r with constraint c, each line two of the line before. TC__T5_S_shape: registers of x1;
 * TC__T5_N_s_xN: registers.
 */
#define TC__T5_L_1 "%0"
#define TC__T5_L_2 TC__T5_L_1 ",%1"
#define TC__T5_L_4 TC__T5_L_2 ",%2,%3"
#define TC__T5_L_8 TC__T5_L_4 ",%4,%5,%6,%7"
#define TC__T5_L_16 TC__T5_L_8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define TC__T5_L_32 TC__T5_L_16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define TC__T5_L_64 TC__T5_L_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" \
    ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define TC__T5_L_128 TC__T5_L_64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79" \
    ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105," \
    "%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define TC__T5_P_1 "%1"
#define TC__T5_P_2 "%2"
#define TC__T5_P_4 "%4"
#define TC__T5_P_8 "%8"
#define TC__T5_P_16 "%16"
#define TC__T5_P_32 "%32"
#define TC__T5_P_64 "%64"
#define TC__T5_P_128 "%128"
#define TC__T5_Q_1 "%2"
#define TC__T5_Q_2 "%3"
#define TC__T5_Q_4 "%5"
#define TC__T5_Q_8 "%9"
#define TC__T5_Q_16 "%17"
#define TC__T5_Q_32 "%33"
#define TC__T5_Q_64 "%65"
#define TC__T5_Q_128 "%129"
#define TC__T5_R_1 "%3"
#define TC__T5_R_2 "%4"
#define TC__T5_R_4 "%6"
#define TC__T5_R_8 "%10"
#define TC__T5_R_16 "%18"
#define TC__T5_R_32 "%34"
#define TC__T5_R_64 "%66"
#define TC__T5_R_128 "%130"
#define TC__T5_V_1(c, r, i) c((r)[i])
#define TC__T5_V_2(c, r, i) TC__T5_V_1(c, r, i), TC__T5_V_1(c, r, i + 1)
#define TC__T5_V_4(c, r, i) TC__T5_V_2(c, r, i), TC__T5_V_2(c, r, i + 2)
#define TC__T5_V_8(c, r, i) TC__T5_V_4(c, r, i), TC__T5_V_4(c, r, i + 4)
#define TC__T5_V_16(c, r, i) TC__T5_V_8(c, r, i), TC__T5_V_8(c, r, i + 8)
#define TC__T5_V_32(c, r, i) TC__T5_V_16(c, r, i), TC__T5_V_16(c, r, i + 16)
#define TC__T5_V_64(c, r, i) TC__T5_V_32(c, r, i), TC__T5_V_32(c, r, i + 32)
#define TC__T5_V_128(c, r, i) TC__T5_V_64(c, r, i), TC__T5_V_64(c, r, i + 64)

#define TC__T5_S_32x32b ~, 1
#define TC__T5_S_16x64b ~, 1
#define TC__T5_S_16x128b ~, 2
#define TC__T5_S_16x256b ~, 4
#define TC__T5_N_1_x1 ~, 1
#define TC__T5_N_1_x2 ~, 2
#define TC__T5_N_1_x4 ~, 4
#define TC__T5_N_1_x8 ~, 8
#define TC__T5_N_1_x16 ~, 16
#define TC__T5_N_1_x32 ~, 32
#define TC__T5_N_1_x64 ~, 64
#define TC__T5_N_1_x128 ~, 128
#define TC__T5_N_2_x1 ~, 2
#define TC__T5_N_2_x2 ~, 4
#define TC__T5_N_2_x4 ~, 8
#define TC__T5_N_2_x8 ~, 16
#define TC__T5_N_2_x16 ~, 32
#define TC__T5_N_2_x32 ~, 64
#define TC__T5_N_2_x64 ~, 128
#define TC__T5_N_4_x1 ~, 4
#define TC__T5_N_4_x2 ~, 8
#define TC__T5_N_4_x4 ~, 16
#define TC__T5_N_4_x8 ~, 32
#define TC__T5_N_4_x16 ~, 64
#define TC__T5_N_4_x32 ~, 128
/* registers of a shape and xN; 1 for wrong tokens, which TC__T5_CHECK_LD refuses in words */
#define TC__T5_REGS(shape, num) TC__CALL3(TC__T5_REGS_, TC__PROBE(TC__T5_S_##shape, 1), num)
#define TC__T5_REGS_(s, num) TC__PROBE(TC__T5_N_##s##_##num, 1)
#define TC__T5_CHECK_LD(what, shape, num)                                                                             \
    tc__needs_sm100a();                                                                                               \
    static_assert(tc__follows(#shape, "32x32b|16x64b|16x128b|16x256b"),                                               \
                  "tc: " what ": the shape is 32x32b, 16x64b, 16x128b or 16x256b");                                   \
    static_assert(!tc__follows(#shape, "32x32b|16x64b") || tc__follows(#num, "x1|x2|x4|x8|x16|x32|x64|x128"),         \
                  "tc: " what ": the count of 32x32b and 16x64b is x1, x2, x4, x8, x16, x32, x64 or x128");           \
    static_assert(!tc__follows(#shape, "16x128b") || tc__follows(#num, "x1|x2|x4|x8|x16|x32|x64"),                    \
                  "tc: " what ": the count of 16x128b is x1, x2, x4, x8, x16, x32 or x64");                           \
    static_assert(!tc__follows(#shape, "16x256b") || tc__follows(#num, "x1|x2|x4|x8|x16|x32"),                        \
                  "tc: " what ": the count of 16x256b is x1, x2, x4, x8, x16 or x32")
#define TC__T5_CHECK_X2(what, num, split)                                                                             \
    tc__needs_sm100a();                                                                                               \
    static_assert(tc__follows(#num, "x1|x2|x4|x8|x16|x32|x64|x128"),                                                  \
                  "tc: " what ": the count of 16x32bx2 is x1, x2, x4, x8, x16, x32, x64 or x128");                    \
    static_assert((split) >= 0 && (split) < TC_CHIP_100_TMEM,                                                         \
                  "tc: " what ": split is a literal, a number of columns in 0..511")

#define TC__T5_LD_ASM(regs, text, tail, r, ...)                                                                       \
    asm volatile("tcgen05.ld.sync.aligned." text ".b32 {" TC__CAT(TC__T5_L_, regs) "}, [" TC__CAT(TC__T5_P_, regs)    \
                 "]" tail ";"                                                                                         \
                 : TC__CAT(TC__T5_V_, regs)("=r", r, 0) : __VA_ARGS__ : "memory")
#define TC__T5_ST_ASM(regs, text, head, r, ...)                                                                       \
    asm volatile("tcgen05.st.sync.aligned." text ".b32 [" TC__CAT(TC__T5_P_, regs) "]" head ", {"                     \
                 TC__CAT(TC__T5_L_, regs) "};"                                                                        \
                 : : TC__CAT(TC__T5_V_, regs)("r", r, 0), __VA_ARGS__ : "memory")

#define TC__T5_LD_SPLIT(regs, text, split, r, taddr)                                                                  \
    TC__T5_LD_ASM(regs, text, ", " TC__CAT(TC__T5_Q_, regs), r, "r"(taddr), "n"(split))
#define TC__T5_ST_SPLIT(regs, text, split, r, taddr)                                                                  \
    TC__T5_ST_ASM(regs, text, ", " TC__CAT(TC__T5_Q_, regs), r, "r"(taddr), "n"(split))

/* PTX: tcgen05.ld: tensor memory to registers. r: uint32_t array; taddr: the same in the whole warp, its lane a
 * multiple of 32 (16 for the 16x shapes) within the warp's quarter. Asynchronous: tc_tcgen05_wait_ld_regs. _PACK_16B:
 * 16 bits of two columns a register. */
#define TC_TCGEN05_LD(shape, num, r, taddr)                                                                           \
    do {                                                                                                              \
        TC__T5_CHECK_LD("tcgen05.ld", shape, num);                                                                    \
        TC__CALL(TC__T5_LD_ASM, TC__T5_REGS(shape, num), #shape "." #num, "", r, "r"(taddr));                         \
    } while (0)
#define TC_TCGEN05_LD_PACK_16B(shape, num, r, taddr)                                                                  \
    do {                                                                                                              \
        TC__T5_CHECK_LD("tcgen05.ld", shape, num);                                                                    \
        TC__CALL(TC__T5_LD_ASM, TC__T5_REGS(shape, num), #shape "." #num ".pack::16b", "", r, "r"(taddr));            \
    } while (0)
/* 16 lanes, and for lanes 16..31 of the warp the columns `split` (a literal) further on */
#define TC_TCGEN05_LD_16X32BX2(num, r, taddr, split)                                                                  \
    do {                                                                                                              \
        TC__T5_CHECK_X2("tcgen05.ld", num, split);                                                                    \
        TC__CALL(TC__T5_LD_SPLIT, TC__PROBE(TC__T5_N_1_##num, 1), "16x32bx2." #num, split, r, taddr);   \
    } while (0)
#define TC_TCGEN05_LD_16X32BX2_PACK_16B(num, r, taddr, split)                                                         \
    do {                                                                                                              \
        TC__T5_CHECK_X2("tcgen05.ld", num, split);                                                                    \
        TC__CALL(TC__T5_LD_SPLIT, TC__PROBE(TC__T5_N_1_##num, 1), "16x32bx2." #num ".pack::16b", split, r, taddr); \
    } while (0)

/* PTX: tcgen05.st: registers to tensor memory. Asynchronous: tc_tcgen05_wait_st. */
#define TC_TCGEN05_ST(shape, num, taddr, r)                                                                           \
    do {                                                                                                              \
        TC__T5_CHECK_LD("tcgen05.st", shape, num);                                                                    \
        TC__CALL(TC__T5_ST_ASM, TC__T5_REGS(shape, num), #shape "." #num, "", r, "r"(taddr));                         \
    } while (0)
#define TC_TCGEN05_ST_UNPACK_16B(shape, num, taddr, r)                                                                \
    do {                                                                                                              \
        TC__T5_CHECK_LD("tcgen05.st", shape, num);                                                                    \
        TC__CALL(TC__T5_ST_ASM, TC__T5_REGS(shape, num), #shape "." #num ".unpack::16b", "", r, "r"(taddr));          \
    } while (0)
#define TC_TCGEN05_ST_16X32BX2(num, taddr, split, r)                                                                  \
    do {                                                                                                              \
        TC__T5_CHECK_X2("tcgen05.st", num, split);                                                                    \
        TC__CALL(TC__T5_ST_SPLIT, TC__PROBE(TC__T5_N_1_##num, 1), "16x32bx2." #num, split, r, taddr);   \
    } while (0)
#define TC_TCGEN05_ST_16X32BX2_UNPACK_16B(num, taddr, split, r)                                                       \
    do {                                                                                                              \
        TC__T5_CHECK_X2("tcgen05.st", num, split);                                                                    \
        TC__CALL(TC__T5_ST_SPLIT, TC__PROBE(TC__T5_N_1_##num, 1), "16x32bx2." #num ".unpack::16b", split, r, taddr); \
    } while (0)

/* PTX: tcgen05.ld.red: the load, and for each lane of the warp the least or largest of its registers in redval (float,
 * uint32_t, int32_t). */
#define TC__T5_RED_f32 ~, "=f"
#define TC__T5_RED_u32 ~, "=r"
#define TC__T5_RED_s32 ~, "=r"
#define TC__T5_CHECK_RED(op, type, num)                                                                               \
    static_assert(TC_HAS_TCGEN05_LD_RED,                                                                              \
                  "tc: tcgen05.ld.red needs the sm_103, sm_107 or sm_110 family: compile with -gencode "              \
                  "arch=compute_103a,code=sm_103a, or guard the use with #if TC_HAS_TCGEN05_LD_RED");                 \
    static_assert(tc__follows(#type, "f32|u32|s32"), "tc: tcgen05.ld.red: the type is f32, u32 or s32");              \
    static_assert(tc__follows(#op, "min|max |.abs |.NaN")                                                             \
                  && (tc__follows(#type, "f32") || tc__follows(#op, "min|max")),                                      \
                  "tc: tcgen05.ld.red: the operation is min or max; for f32 also with .abs, .NaN or .abs.NaN");       \
    static_assert(!tc__follows(#num, "x1"), "tc: tcgen05.ld.red: the count is x2, x4, x8, x16, x32, x64 or x128")
#define TC__T5_RED_ASM(regs, text, tail, c, r, redval, ...)                                                           \
    asm volatile("tcgen05.ld.red.sync.aligned." text " {" TC__CAT(TC__T5_L_, regs) "}, " TC__CAT(TC__T5_P_, regs) ", ["\
                 TC__CAT(TC__T5_Q_, regs) "]" tail ";"                                                                \
                 : TC__CAT(TC__T5_V_, regs)("=r", r, 0), c(redval) : __VA_ARGS__ : "memory")
#define TC__T5_RED_SPLIT(regs, text, c, r, redval, taddr, split)                                                      \
    TC__T5_RED_ASM(regs, text, ", " TC__CAT(TC__T5_R_, regs), c, r, redval, "r"(taddr), "n"(split))
#define TC_TCGEN05_LD_RED(shape, num, op, type, r, redval, taddr)                                                     \
    do {                                                                                                              \
        tc__needs_sm100a();                                                                                           \
        static_assert(tc__follows(#shape, "32x32b"),                                                                  \
                      "tc: tcgen05.ld.red: the shape is 32x32b (or TC_TCGEN05_LD_RED_16X32BX2)");                     \
        TC__T5_CHECK_LD("tcgen05.ld.red", 32x32b, num);                                                               \
        TC__T5_CHECK_RED(op, type, num);                                                                              \
        TC__CALL(TC__T5_RED_ASM, TC__PROBE(TC__T5_N_1_##num, 1), "32x32b." #num "." #op "." #type, "",                \
                 TC__PROBE(TC__T5_RED_##type, "=r"), r, redval, "r"(taddr));                                          \
    } while (0)
#define TC_TCGEN05_LD_RED_16X32BX2(num, op, type, r, redval, taddr, split)                                            \
    do {                                                                                                              \
        TC__T5_CHECK_X2("tcgen05.ld.red", num, split);                                                                \
        TC__T5_CHECK_RED(op, type, num);                                                                              \
        TC__CALL(TC__T5_RED_SPLIT, TC__PROBE(TC__T5_N_1_##num, 1), "16x32bx2." #num "." #op "." #type,                \
                 TC__PROBE(TC__T5_RED_##type, "=r"), r,                                                               \
                 redval, taddr, split);                                                                               \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: tcgen05.mma. Operands: %0 D, %1 A, %2 B, %3 instruction descriptor, %4 enable-input-d, from %5 on what the form
 * has more of.
 */
#define TC__T5_COLLECTOR_A " |.collector::a::fill|.collector::a::use|.collector::a::lastuse|.collector::a::discard"
#define TC__T5_COLLECTOR_B                                                                                            \
    " |.collector::b0::fill|.collector::b0::use|.collector::b0::lastuse|.collector::b0::discard|.collector::b1::fill" \
    "|.collector::b1::use|.collector::b1::lastuse|.collector::b1::discard|.collector::b2::fill|.collector::b2::use"   \
    "|.collector::b2::lastuse|.collector::b2::discard|.collector::b3::fill|.collector::b3::use"                       \
    "|.collector::b3::lastuse|.collector::b3::discard"
#define TC__T5_COLLECTOR_BOTH TC__T5_COLLECTOR_A TC__T5_COLLECTOR_B_ONLY
#define TC__T5_COLLECTOR_B_ONLY                                                                                       \
    " |.collector::b::fill|.collector::b::use|.collector::b::lastuse|.collector::b::discard"
/* what sm_107 and PTX 9.4 brought: kind ti16, the collector of B */
#define TC__T5_CHECK_107(kind)                                                                                        \
    TC__NEEDS_PTX_IF(94, tc__holds(#kind, "ti16"), "tcgen05.mma: kind ti16");                                         \
    TC__NEEDS_PTX_IF(94, tc__holds(#kind, "::b::"), "tcgen05.mma: .collector::b");                                    \
    TC__NEEDS_SM107A_IF(tc__holds(#kind, "ti16"), "tcgen05.mma: kind ti16");                                          \
    TC__NEEDS_SM107A_IF(tc__holds(#kind, "::b::"), "tcgen05.mma: .collector::b");                                     \
    static_assert(!tc__holds(#kind, "i8") || !tc__holds(#kind, "::b::"),                                              \
                  "tc: tcgen05.mma: kind i8 has no .collector::b")
#define TC__T5_CHECK_I8(kind)                                                                                         \
    TC__T5_CHECK_107(kind);                                                                                           \
    static_assert(TC_HAS_TCGEN05_I8 || !tc__holds(#kind, "i8"),                                                       \
                  "tc: tcgen05.mma: kind i8 needs sm_100a or sm_110a: compile with -gencode arch=compute_100a,"       \
                  "code=sm_100a, or guard the use with #if TC_HAS_TCGEN05_I8")
/* kind of SS and TS without block scales */
#define TC__T5_CHECK_SS(g, kind)                                                                                      \
    TC__T5_GROUP("tcgen05.mma", g);                                                                                   \
    static_assert(!tc__holds(#kind, ".ashift"),                                                                       \
                  "tc: tcgen05.mma: .ashift needs A in tensor memory: TC_TCGEN05_MMA_TS");                            \
    static_assert(tc__holds(#kind, ".ashift") || tc__follows(#kind, "f16|tf32|f8f6f4|i8|ti16" TC__T5_COLLECTOR_BOTH), \
                  "tc: tcgen05.mma: the kind is f16, tf32, f8f6f4, i8 or ti16, alone or with .collector::a::fill, "   \
                  "::use, ::lastuse or ::discard, then (sm_107) the same of .collector::b");                           \
    TC__T5_CHECK_I8(kind)
#define TC__T5_CHECK_TS(g, kind)                                                                                      \
    TC__T5_GROUP("tcgen05.mma", g);                                                                                   \
    static_assert(tc__follows(#kind, "f16|tf32|f8f6f4|i8|ti16" TC__T5_COLLECTOR_BOTH)                                 \
                      || tc__follows(#kind, "f16|tf32|f8f6f4|i8|ti16 .ashift |.collector::a::lastuse"                 \
                                     "|.collector::a::discard" TC__T5_COLLECTOR_B_ONLY),                              \
                  "tc: tcgen05.mma: the kind is f16, tf32, f8f6f4, i8 or ti16, alone, with .collector::a::fill, "     \
                  "::use, ::lastuse or ::discard, with .ashift, or with .ashift.collector::a::lastuse or ::discard; " \
                  "then (sm_107) the same of .collector::b");        \
    TC__T5_CHECK_I8(kind)
#define TC__T5_CHECK_SCALE(kind, scale)                                                                               \
    static_assert(!tc__holds(#kind, "f8f6f4") && !tc__holds(#kind, "i8") && !tc__holds(#kind, "ti16"),                \
                  "tc: tcgen05.mma: scale-input-d goes with the kinds f16 and tf32");                                 \
    static_assert((scale) >= 0 && (scale) <= 15, "tc: tcgen05.mma: scale-input-d is a literal in 0..15");             \
    static_assert(TC_HAS_TCGEN05_SCALE_D,                                                                             \
                  "tc: tcgen05.mma: scale-input-d does not exist on sm_110: guard the use with #if "                  \
                  "TC_HAS_TCGEN05_SCALE_D")
#define TC__T5_CHECK_BLOCK(g, kind)                                                                                   \
    TC__T5_GROUP("tcgen05.mma", g);                                                                                   \
    static_assert(tc__follows(#kind, "mxf8f6f4 .block_scale |.scale_vec::1X|.block32" TC__T5_COLLECTOR_BOTH)          \
                      || tc__follows(#kind, "mxf4 .block_scale |.scale_vec::2X|.block32" TC__T5_COLLECTOR_BOTH)       \
                      || tc__follows(#kind, "mxf4nvf4 .block_scale .scale_vec::2X|.scale_vec::4X|.block16|.block32"   \
                                     TC__T5_COLLECTOR_BOTH),                                                          \
                  "tc: tcgen05.mma with block scales: the kind is mxf8f6f4.block_scale (or with .block32, "           \
                  ".scale_vec::1X), mxf4.block_scale (or with .block32, .scale_vec::2X), mxf4nvf4.block_scale with "  \
                  ".block16, .block32, .scale_vec::2X or .scale_vec::4X; then a .collector::a::fill, ::use, "         \
                  "::lastuse or ::discard may follow, and (sm_107) the same of .collector::b");                       \
    TC__T5_CHECK_107(kind);                                                                                           \
    static_assert(TC_HAS_TCGEN05_A || !tc__holds(#kind, "scale_vec"),                                                 \
                  "tc: tcgen05.mma: .scale_vec needs an a target; write .block16 or .block32")
#define TC__T5_CHECK_BLOCK_SP(g, kind)                                                                                \
    TC__T5_CHECK_BLOCK(g, kind);                                                                                      \
    static_assert(TC_HAS_TCGEN05_A || !tc__holds(#kind, "mxf4"),                                                      \
                  "tc: tcgen05.mma.sp: the kinds mxf4 and mxf4nvf4 need an a target: compile with -gencode "          \
                  "arch=compute_100a,code=sm_100a, or guard the use with #if TC_HAS_TCGEN05_A")
#define TC__T5_CHECK_WS(g, kind)                                                                                      \
    tc__needs_sm100a();                                                                                               \
    static_assert(tc__follows(TC__T5_STR(g), "1"), "tc: tcgen05.mma.ws: the cta_group is 1");                         \
    static_assert(tc__follows(#kind, "f16|tf32|f8f6f4|i8|ti16" TC__T5_COLLECTOR_B),                                   \
                  "tc: tcgen05.mma.ws: the kind is f16, tf32, f8f6f4, i8 or ti16, alone or with .collector::b0, b1, " \
                  "b2 or b3 and ::fill, ::use, ::lastuse or ::discard; it has no block-scaled kinds");                \
    TC__T5_CHECK_I8(kind)

/* name: "mma", "mma.sp", ..; a: how A is written; meta, mid, tail: text of the operands before idesc, before the
 * predicate and after it */
#define TC__T5_MMA(name, g, kind, a, meta, mid, tail, ...)                                                            \
    asm volatile("{\n"                                                                                                \
                 ".reg .pred p;\n"                                                                                    \
                 "setp.ne.b32 p, %4, 0;\n"                                                                            \
                 "tcgen05." name ".cta_group::" TC__T5_STR(g) ".kind::" kind " [%0], " a ", %2, " meta "%3, " mid "p" \
                 tail ";\n"                                                                                           \
                 "}"                                                                                                  \
                 : : __VA_ARGS__ : "memory")
#define TC__T5_IN(d, c, a, b, idesc, enable) "r"(d), c(a), "l"(b), "r"(idesc), "r"((int)(enable))
/* disable-output-lane: 4 or 8 words, from operand 5 on, or 6 */
#define TC__T5_LANES5_1 "{%5, %6, %7, %8}, "
#define TC__T5_LANES6_1 "{%6, %7, %8, %9}, "
#define TC__T5_LANES5_2 "{%5, %6, %7, %8, %9, %10, %11, %12}, "
#define TC__T5_LANES6_2 "{%6, %7, %8, %9, %10, %11, %12, %13}, "
/* the operand after them */
#define TC__T5_AFTER5_1 ", %9"
#define TC__T5_AFTER6_1 ", %10"
#define TC__T5_AFTER5_2 ", %13"
#define TC__T5_AFTER6_2 ", %14"
#define TC__T5_LANES_1(x) TC__T5_V_4("r", x, 0)
#define TC__T5_LANES_2(x) TC__T5_V_8("r", x, 0)
#define TC__T5_LANES(g, x) TC__CAT(TC__T5_LANES_, g)(x)

/* A whole statement: the checks, then the instruction */
#define TC__T5_DO(checks, ...) do { checks; TC__T5_MMA(__VA_ARGS__); } while (0)

/* A by descriptor */
#define TC_TCGEN05_MMA_SS(g, kind, d, a_desc, b_desc, idesc, enable_input_d)                                          \
    TC__T5_DO(TC__T5_CHECK_SS(g, kind), "mma", g, #kind, "%1", "", "", "",                                            \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d))
#define TC_TCGEN05_MMA_SS_LANES(g, kind, d, a_desc, b_desc, idesc, lanes, enable_input_d)                             \
    TC__T5_DO(TC__T5_CHECK_SS(g, kind), "mma", g, #kind, "%1", "", TC__CAT(TC__T5_LANES5_, g), "",                    \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), TC__T5_LANES(g, lanes))
#define TC_TCGEN05_MMA_SS_SCALE(g, kind, d, a_desc, b_desc, idesc, enable_input_d, scale)                             \
    TC__T5_DO(TC__T5_CHECK_SS(g, kind); TC__T5_CHECK_SCALE(kind, scale), "mma", g, #kind, "%1", "", "", ", %5",       \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "n"(scale))
#define TC_TCGEN05_MMA_SS_LANES_SCALE(g, kind, d, a_desc, b_desc, idesc, lanes, enable_input_d, scale)                \
    TC__T5_DO(TC__T5_CHECK_SS(g, kind); TC__T5_CHECK_SCALE(kind, scale),                                              \
              "mma", g, #kind, "%1", "", TC__CAT(TC__T5_LANES5_, g), TC__CAT(TC__T5_AFTER5_, g),                      \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), TC__T5_LANES(g, lanes), "n"(scale))
/* A in tensor memory: 32 bytes of a row in 8 columns, in the lane where D has the row (where D's columns lie in banks:
 * in each of its lanes) */
#define TC_TCGEN05_MMA_TS(g, kind, d, a_tmem, b_desc, idesc, enable_input_d)                                          \
    TC__T5_DO(TC__T5_CHECK_TS(g, kind), "mma", g, #kind, "[%1]", "", "", "",                                          \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d))
#define TC_TCGEN05_MMA_TS_LANES(g, kind, d, a_tmem, b_desc, idesc, lanes, enable_input_d)                             \
    TC__T5_DO(TC__T5_CHECK_TS(g, kind), "mma", g, #kind, "[%1]", "", TC__CAT(TC__T5_LANES5_, g), "",                  \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), TC__T5_LANES(g, lanes))
#define TC_TCGEN05_MMA_TS_SCALE(g, kind, d, a_tmem, b_desc, idesc, enable_input_d, scale)                             \
    TC__T5_DO(TC__T5_CHECK_TS(g, kind); TC__T5_CHECK_SCALE(kind, scale), "mma", g, #kind, "[%1]", "", "", ", %5",     \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "n"(scale))
#define TC_TCGEN05_MMA_TS_LANES_SCALE(g, kind, d, a_tmem, b_desc, idesc, lanes, enable_input_d, scale)                \
    TC__T5_DO(TC__T5_CHECK_TS(g, kind); TC__T5_CHECK_SCALE(kind, scale),                                              \
              "mma", g, #kind, "[%1]", "", TC__CAT(TC__T5_LANES5_, g), TC__CAT(TC__T5_AFTER5_, g),                    \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), TC__T5_LANES(g, lanes), "n"(scale))

/* With block scales: sfa, sfb: tensor memory addresses of the scale factors */
#define TC_TCGEN05_MMA_SS_BLOCK(g, kind, d, a_desc, b_desc, idesc, sfa, sfb, enable_input_d)                          \
    TC__T5_DO(TC__T5_CHECK_BLOCK(g, kind), "mma", g, #kind, "%1", "", "[%5], [%6], ", "",                             \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(sfa), "r"(sfb))
#define TC_TCGEN05_MMA_TS_BLOCK(g, kind, d, a_tmem, b_desc, idesc, sfa, sfb, enable_input_d)                          \
    TC__T5_DO(TC__T5_CHECK_BLOCK(g, kind), "mma", g, #kind, "[%1]", "", "[%5], [%6], ", "",                           \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(sfa), "r"(sfb))

/* PTX: tcgen05.mma with .decompress::lut::b (sm_107, PTX 9.4): B is indices of 3 bits into tables of eight e4m3, 128 of
 * them in 48 bytes of a row (tc_tcgen05_desc_fields.lut_half: which half), K of 64, K-major. lut: tensor memory address
 * of the tables, an even column: 8 bytes in two columns for each 8 rows of N, group i in lane i. kind:
 * f8f6f4.decompress::lut::b, _BLOCK: mxf8f6f4.block_scale.decompress::lut::b{.block32, .scale_vec::1X}; collectors of a
 * and b may follow. */
#define TC__T5_CHECK_LUT(g, kind, rule, text)                                                                         \
    TC__T5_GROUP("tcgen05.mma", g);                                                                                   \
    static_assert(tc__follows(#kind, rule TC__T5_COLLECTOR_BOTH),                                                     \
                  "tc: tcgen05.mma with a lookup table: the kind is " text                                            \
                  ", then a .collector::a and a .collector::b may follow");                                           \
    TC__NEEDS_PTX(94, "tcgen05.mma with .decompress::lut::b");                                                        \
    TC__NEEDS_SM107A_IF(1, "tcgen05.mma with .decompress::lut::b")
#define TC__T5_CHECK_LUT_F8(g, kind)                                                                                  \
    TC__T5_CHECK_LUT(g, kind, "f8f6f4.decompress::lut::b", "f8f6f4.decompress::lut::b")
#define TC__T5_CHECK_LUT_BLOCK(g, kind)                                                                               \
    TC__T5_CHECK_LUT(g, kind, "mxf8f6f4.block_scale.decompress::lut::b |.block32|.scale_vec::1X",                     \
                     "mxf8f6f4.block_scale.decompress::lut::b (or with .block32, .scale_vec::1X)");                   \
    TC__NEEDS_PTX_IF(95, tc__holds(#kind, "scale_vec"), "tcgen05.mma with .decompress::lut::b and .scale_vec::1X");   \
    TC__NEEDS_SM107A_ONLY_IF(tc__holds(#kind, "scale_vec"), "tcgen05.mma with .scale_vec::1X (else .block32)")
#define TC_TCGEN05_MMA_LUT_SS(g, kind, d, a_desc, b_desc, lut, idesc, enable_input_d)                                 \
    TC__T5_DO(TC__T5_CHECK_LUT_F8(g, kind), "mma", g, #kind, "%1", "[%5], ", "", "",                                  \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(lut))
#define TC_TCGEN05_MMA_LUT_SS_LANES(g, kind, d, a_desc, b_desc, lut, idesc, lanes, enable_input_d)                    \
    TC__T5_DO(TC__T5_CHECK_LUT_F8(g, kind), "mma", g, #kind, "%1", "[%5], ", TC__CAT(TC__T5_LANES6_, g), "",          \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(lut), TC__T5_LANES(g, lanes))
#define TC_TCGEN05_MMA_LUT_TS(g, kind, d, a_tmem, b_desc, lut, idesc, enable_input_d)                                 \
    TC__T5_DO(TC__T5_CHECK_LUT_F8(g, kind), "mma", g, #kind, "[%1]", "[%5], ", "", "",                                \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(lut))
#define TC_TCGEN05_MMA_LUT_TS_LANES(g, kind, d, a_tmem, b_desc, lut, idesc, lanes, enable_input_d)                    \
    TC__T5_DO(TC__T5_CHECK_LUT_F8(g, kind), "mma", g, #kind, "[%1]", "[%5], ", TC__CAT(TC__T5_LANES6_, g), "",        \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(lut), TC__T5_LANES(g, lanes))
#define TC_TCGEN05_MMA_LUT_SS_BLOCK(g, kind, d, a_desc, b_desc, lut, idesc, sfa, sfb, enable_input_d)                 \
    TC__T5_DO(TC__T5_CHECK_LUT_BLOCK(g, kind), "mma", g, #kind, "%1", "[%5], ", "[%6], [%7], ", "",                   \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(lut), "r"(sfa), "r"(sfb))
#define TC_TCGEN05_MMA_LUT_TS_BLOCK(g, kind, d, a_tmem, b_desc, lut, idesc, sfa, sfb, enable_input_d)                 \
    TC__T5_DO(TC__T5_CHECK_LUT_BLOCK(g, kind), "mma", g, #kind, "[%1]", "[%5], ", "[%6], [%7], ", "",                 \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(lut), "r"(sfa), "r"(sfb))

/* PTX: tcgen05.mma.sp: A holds half of K, two of four elements (tf32: one of two; the mxf4 kinds: pairs, two of four);
 * meta: tensor memory address of the metadata, an even column */
#define TC_TCGEN05_MMA_SP_SS(g, kind, d, a_desc, b_desc, meta, idesc, enable_input_d)                                 \
    TC__T5_DO(TC__T5_CHECK_SS(g, kind), "mma.sp", g, #kind, "%1", "[%5], ", "", "",                                   \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(meta))
#define TC_TCGEN05_MMA_SP_SS_LANES(g, kind, d, a_desc, b_desc, meta, idesc, lanes, enable_input_d)                    \
    TC__T5_DO(TC__T5_CHECK_SS(g, kind), "mma.sp", g, #kind, "%1", "[%5], ", TC__CAT(TC__T5_LANES6_, g), "",           \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(meta), TC__T5_LANES(g, lanes))
#define TC_TCGEN05_MMA_SP_SS_SCALE(g, kind, d, a_desc, b_desc, meta, idesc, enable_input_d, scale)                    \
    TC__T5_DO(TC__T5_CHECK_SS(g, kind); TC__T5_CHECK_SCALE(kind, scale),                                              \
              "mma.sp", g, #kind, "%1", "[%5], ", "", ", %6",                                                         \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(meta), "n"(scale))
#define TC_TCGEN05_MMA_SP_SS_LANES_SCALE(g, kind, d, a_desc, b_desc, meta, idesc, lanes, enable_input_d, scale)       \
    TC__T5_DO(TC__T5_CHECK_SS(g, kind); TC__T5_CHECK_SCALE(kind, scale),                                              \
              "mma.sp", g, #kind, "%1", "[%5], ", TC__CAT(TC__T5_LANES6_, g), TC__CAT(TC__T5_AFTER6_, g),             \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(meta), TC__T5_LANES(g, lanes), "n"(scale))
#define TC_TCGEN05_MMA_SP_TS(g, kind, d, a_tmem, b_desc, meta, idesc, enable_input_d)                                 \
    TC__T5_DO(TC__T5_CHECK_TS(g, kind), "mma.sp", g, #kind, "[%1]", "[%5], ", "", "",                                 \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(meta))
#define TC_TCGEN05_MMA_SP_TS_LANES(g, kind, d, a_tmem, b_desc, meta, idesc, lanes, enable_input_d)                    \
    TC__T5_DO(TC__T5_CHECK_TS(g, kind), "mma.sp", g, #kind, "[%1]", "[%5], ", TC__CAT(TC__T5_LANES6_, g), "",         \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(meta), TC__T5_LANES(g, lanes))
#define TC_TCGEN05_MMA_SP_TS_SCALE(g, kind, d, a_tmem, b_desc, meta, idesc, enable_input_d, scale)                    \
    TC__T5_DO(TC__T5_CHECK_TS(g, kind); TC__T5_CHECK_SCALE(kind, scale),                                              \
              "mma.sp", g, #kind, "[%1]", "[%5], ", "", ", %6",                                                       \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(meta), "n"(scale))
#define TC_TCGEN05_MMA_SP_TS_LANES_SCALE(g, kind, d, a_tmem, b_desc, meta, idesc, lanes, enable_input_d, scale)       \
    TC__T5_DO(TC__T5_CHECK_TS(g, kind); TC__T5_CHECK_SCALE(kind, scale),                                              \
              "mma.sp", g, #kind, "[%1]", "[%5], ", TC__CAT(TC__T5_LANES6_, g), TC__CAT(TC__T5_AFTER6_, g),           \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(meta), TC__T5_LANES(g, lanes), "n"(scale))
#define TC_TCGEN05_MMA_SP_SS_BLOCK(g, kind, d, a_desc, b_desc, meta, idesc, sfa, sfb, enable_input_d)                 \
    TC__T5_DO(TC__T5_CHECK_BLOCK_SP(g, kind), "mma.sp", g, #kind, "%1", "[%5], ", "[%6], [%7], ", "",                 \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(meta), "r"(sfa), "r"(sfb))
#define TC_TCGEN05_MMA_SP_TS_BLOCK(g, kind, d, a_tmem, b_desc, meta, idesc, sfa, sfb, enable_input_d)                 \
    TC__T5_DO(TC__T5_CHECK_BLOCK_SP(g, kind), "mma.sp", g, #kind, "[%1]", "[%5], ", "[%6], [%7], ", "",               \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(meta), "r"(sfa), "r"(sfb))

/* PTX: tcgen05.mma.ws: weight-stationary, M = 32, 64 or 128: B is kept in collector buffers b0..b3. zero_mask:
 * tc_tcgen05_zero_mask_make */
#define TC_TCGEN05_MMA_WS_SS(g, kind, d, a_desc, b_desc, idesc, enable_input_d)                                       \
    TC__T5_DO(TC__T5_CHECK_WS(g, kind), "mma.ws", g, #kind, "%1", "", "", "",                                         \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d))
#define TC_TCGEN05_MMA_WS_SS_ZERO(g, kind, d, a_desc, b_desc, idesc, enable_input_d, zero_mask)                       \
    TC__T5_DO(TC__T5_CHECK_WS(g, kind), "mma.ws", g, #kind, "%1", "", "", ", %5",                                     \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "l"(zero_mask))
#define TC_TCGEN05_MMA_WS_TS(g, kind, d, a_tmem, b_desc, idesc, enable_input_d)                                       \
    TC__T5_DO(TC__T5_CHECK_WS(g, kind), "mma.ws", g, #kind, "[%1]", "", "", "",                                       \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d))
#define TC_TCGEN05_MMA_WS_TS_ZERO(g, kind, d, a_tmem, b_desc, idesc, enable_input_d, zero_mask)                       \
    TC__T5_DO(TC__T5_CHECK_WS(g, kind), "mma.ws", g, #kind, "[%1]", "", "", ", %5",                                   \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "l"(zero_mask))
#define TC_TCGEN05_MMA_WS_SP_SS(g, kind, d, a_desc, b_desc, meta, idesc, enable_input_d)                              \
    TC__T5_DO(TC__T5_CHECK_WS(g, kind), "mma.ws.sp", g, #kind, "%1", "[%5], ", "", "",                                \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(meta))
#define TC_TCGEN05_MMA_WS_SP_SS_ZERO(g, kind, d, a_desc, b_desc, meta, idesc, enable_input_d, zero_mask)              \
    TC__T5_DO(TC__T5_CHECK_WS(g, kind), "mma.ws.sp", g, #kind, "%1", "[%5], ", "", ", %6",                            \
              TC__T5_IN(d, "l", a_desc, b_desc, idesc, enable_input_d), "r"(meta), "l"(zero_mask))
#define TC_TCGEN05_MMA_WS_SP_TS(g, kind, d, a_tmem, b_desc, meta, idesc, enable_input_d)                              \
    TC__T5_DO(TC__T5_CHECK_WS(g, kind), "mma.ws.sp", g, #kind, "[%1]", "[%5], ", "", "",                              \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(meta))
#define TC_TCGEN05_MMA_WS_SP_TS_ZERO(g, kind, d, a_tmem, b_desc, meta, idesc, enable_input_d, zero_mask)              \
    TC__T5_DO(TC__T5_CHECK_WS(g, kind), "mma.ws.sp", g, #kind, "[%1]", "[%5], ", "", ", %6",                          \
              TC__T5_IN(d, "r", a_tmem, b_desc, idesc, enable_input_d), "r"(meta), "l"(zero_mask))

#endif /* __CUDACC__ */
#endif /* TC_TCGEN05_H */
