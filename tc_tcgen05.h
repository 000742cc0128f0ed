/* tc_tcgen05.h - tc 0.2.0 - tcgen05: Blackwell's tensor memory and its matrix multiply. Needs: tc_core.h; sm_100a,
 * 103a, 107a, 110a, or their f.
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
 *   order       tc_tcgen05_fence_before_thread_sync, _fence_after_thread_sync, _wait_ld, _wait_st,
 *               _wait_ld_regs(r, count)
 *               TC_TCGEN05_COMMIT(g, bar), _COMMIT_MULTICAST(g, bar, cta_mask), _COMMIT_GENERIC(g, pointer),
 *               _COMMIT_GENERIC_MULTICAST
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
 *               _MMA_WS_{SS,TS}(1, kind, d, a, b, idesc, enable), _ZERO(..., enable, zero_mask), _MMA_WS_SP_...
 *   descriptors tc_tcgen05_desc tc_tcgen05_desc_mn _scales _make _advance _check _text;
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

#include "tc_core.h"
#include "tc_swizzle.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Tensor memory addresses: lane in the upper, column in the lower 16 bits. They may be added.
 */
TC_HD TC_CONSTEXPR uint32_t tc_tcgen05_taddr(int lane, int column) { return (uint32_t)lane << 16 | (uint32_t)column; }
TC_HD TC_CONSTEXPR int tc_tcgen05_taddr_lane(uint32_t taddr) { return (int)(taddr >> 16); }
TC_HD TC_CONSTEXPR int tc_tcgen05_taddr_column(uint32_t taddr) { return (int)(taddr & 0xffffu); }

/* ---------------------------------------------------------------------------------------------------------------------
 * Shared-memory descriptors. addr: shared address, a multiple of 16. swizzle: 0, 32, 64 or 128 bytes; base32: 128 bytes
 * in atoms of 32 instead of 16 (transposed tf32). leading_bytes (LBO), stride_bytes (SBO): see the top;
 * leading_absolute: LBO is a shared address (K of 96 only). base_offset: 0 where the tile is aligned to
 * tc_swizzle_atom; else (address of the pattern's start >> 7) & 7.
 */
typedef struct tc_tcgen05_desc_fields {
    uint32_t addr;
    uint32_t leading_bytes, stride_bytes;
    int base_offset;
    int leading_absolute;
    int swizzle, base32;
} tc_tcgen05_desc_fields;

/* bits 61-63 */
TC_HD TC_CONSTEXPR int tc__t5_swizzle_code(int swizzle, int base32)
{
    return swizzle == 128 ? (base32 ? 1 : 2) : swizzle == 64 ? 4 : swizzle == 32 ? 6 : 0;
}

/* bits 0-13 addr / 16, 16-29 leading / 16, 32-45 stride / 16, 46-48 version 1, 49-51 base offset, 52 leading absolute,
 * 61-63 swizzle */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_desc_make(const tc_tcgen05_desc_fields f)
{
    return (uint64_t)((f.addr & 0x3ffffu) >> 4) | (uint64_t)((f.leading_bytes & 0x3ffffu) >> 4) << 16
         | (uint64_t)((f.stride_bytes & 0x3ffffu) >> 4) << 32 | (uint64_t)1 << 46 | (uint64_t)(f.base_offset & 7) << 49
         | (uint64_t)(f.leading_absolute & 1) << 52 | (uint64_t)tc__t5_swizzle_code(f.swizzle, f.base32) << 61;
}

/* K-major tile whose rows are one swizzle width (32, 64 or 128 bytes) and lie end to end: what TMA writes for a box of
 * that width. */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_desc(uint32_t addr, int swizzle)
{
    return (uint64_t)((addr & 0x3ffffu) >> 4) | (uint64_t)1 << 16 | (uint64_t)(swizzle * 8 / 16) << 32
         | (uint64_t)1 << 46 | (uint64_t)tc__t5_swizzle_code(swizzle, 0) << 61;
}

/* MN-major tile of such lines, one for each k, end to end; the next swizzle width of M or N begins leading_bytes
 * further on. What TMA writes for boxes of one width x K. */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_desc_mn(uint32_t addr, int swizzle, uint32_t leading_bytes)
{
    return (tc_tcgen05_desc(addr, swizzle) & ~((uint64_t)0x3fff << 16))
         | (uint64_t)((leading_bytes & 0x3ffffu) >> 4) << 16;
}

/* Rows of 16 bytes end to end, no swizzle: blocks of scale factors, 512 bytes each, for tcgen05.cp 32x128b.warpx4. */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_desc_scales(uint32_t addr)
{
    return (uint64_t)((addr & 0x3ffffu) >> 4) | (uint64_t)1 << 16 | (uint64_t)(128 / 16) << 32 | (uint64_t)1 << 46;
}

/* The descriptor `bytes` further on in the same tile: only the low word changes. */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_desc_advance(uint64_t desc, uint32_t bytes)
{
    return (desc & 0xffffffff00000000ull) | (uint32_t)((uint32_t)desc + (bytes >> 4));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Kinds: enum name, PTX's name, 1 if it has block scales.
 */
#define TC_TCGEN05_KINDS(X)              \
    X(TC_KIND_F16, "f16", 0)             \
    X(TC_KIND_TF32, "tf32", 0)           \
    X(TC_KIND_F8F6F4, "f8f6f4", 0)       \
    X(TC_KIND_I8, "i8", 0)               \
    X(TC_KIND_MXF8F6F4, "mxf8f6f4", 1)   \
    X(TC_KIND_MXF4, "mxf4", 1)           \
    X(TC_KIND_MXF4NVF4, "mxf4nvf4", 1)

#define TC__X(name, text, block) name,
typedef enum tc_kind { TC_KIND_UNSET = 0, TC_TCGEN05_KINDS(TC__X) TC_KIND_COUNT } tc_kind;
#undef TC__X

TC_HD TC_CONSTEXPR const char *tc_kind_name(int kind)
{
#define TC__X(name, text, block) kind == name ? text :
    return TC_TCGEN05_KINDS(TC__X) "?";
#undef TC__X
}

/* K of one instruction: 32 bytes of a row of A, twice as many elements of B if A is sparse; f8f6f4 types count as
 * bytes. */
TC_HD TC_CONSTEXPR int tc_tcgen05_k(int kind, int sparse, int k96)
{
    return (kind == TC_KIND_TF32                               ? 8
            : kind == TC_KIND_F16                              ? 16
            : kind == TC_KIND_MXF4 || kind == TC_KIND_MXF4NVF4 ? (k96 ? 96 : 64)
                                                               : 32)
         * (sparse ? 2 : 1);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Instruction descriptors: the 32 bits that tell tcgen05.mma its types and shape.
 *     kind TC_KIND_*; m, n: of the instruction (m = 256: two CTAs); a, b, d: tc_type; trans_a, trans_b: 1 for M- or
 *     N-major; negate_a, negate_b; saturate: i8; sparse: A is 2:4, selector: which half of the metadata (f16, tf32);
 *     max_shift 0, 8, 16, 32: of .ws with a zero mask; scale TC_UE8M0 or TC_UE4M3, sfa_id, sfb_id: which byte of the
 *     scale words is first; k96: K of 96 (mxf4 kinds, sm_103a, sm_107a). For the checks alone: cta_group (unset: 1),
 *     ws, block: scale block of 16 or 32 (unset: the kind's).
 */
typedef struct tc_tcgen05_idesc_fields {
    int kind;
    int m, n;
    int a, b, d;
    int trans_a, trans_b;
    int negate_a, negate_b;
    int saturate;
    int sparse, selector;
    int max_shift;
    int scale;
    int sfa_id, sfb_id;
    int k96;
    int cta_group, ws, block;
} tc_tcgen05_idesc_fields;

/* Codes of a type in bits 7-9 and 10-12; -1: not with this kind */
TC_HD TC_CONSTEXPR int tc__t5_type_code(int kind, int type)
{
    return kind == TC_KIND_F16                              ? (type == TC_F16 ? 0 : type == TC_BF16 ? 1 : -1)
         : kind == TC_KIND_TF32                             ? (type == TC_TF32 ? 2 : -1)
         : kind == TC_KIND_I8                               ? (type == TC_U8 ? 0 : type == TC_S8 ? 1 : -1)
         : kind == TC_KIND_MXF4 || kind == TC_KIND_MXF4NVF4 ? (type == TC_E2M1 ? 1 : -1)
         : type == TC_E4M3                                  ? 0
         : type == TC_E5M2                                  ? 1
         : type == TC_E2M3                                  ? 3
         : type == TC_E3M2                                  ? 4
         : type == TC_E2M1                                  ? 5
                                                            : -1;
}

TC_HD TC_CONSTEXPR int tc__t5_block_kind(int kind) { return kind >= TC_KIND_MXF8F6F4 && kind <= TC_KIND_MXF4NVF4; }
/* scale factors of a row and instruction */
TC_HD TC_CONSTEXPR int tc__t5_factors(int kind, int block, int k96)
{
    return kind == TC_KIND_MXF8F6F4 ? 1
                                    : (k96 ? 96 : 64) / (block == 16 || (!block && kind == TC_KIND_MXF4NVF4) ? 16 : 32);
}

/* The rules, in the order in which they are looked at: condition that must hold, sentence. */
#define TC__T5_IDESC_RULES(X, arg)                                                                                    \
    X(arg, 1, f.kind >= TC_KIND_F16 && f.kind < TC_KIND_COUNT,                                                        \
      "kind is TC_KIND_F16, _TF32, _F8F6F4, _I8, _MXF8F6F4, _MXF4 or _MXF4NVF4")                                      \
    X(arg, 2, tc__t5_type_code(f.kind, f.a) >= 0 && tc__t5_type_code(f.kind, f.b) >= 0,                               \
      "a and b: kind f16 has f16 and bf16; tf32 tf32; i8 u8 and s8; f8f6f4 and mxf8f6f4 e4m3, e5m2, e2m3, e3m2, "     \
      "e2m1; mxf4 and mxf4nvf4 e2m1")                                                                                 \
    X(arg, 3, f.kind != TC_KIND_F16 || f.a == f.b, "a and b have the same type with kind f16")                        \
    X(arg, 4, f.d == (f.kind == TC_KIND_I8 ? TC_S32 : TC_F32)                                                         \
      || (f.d == TC_F16 && (f.kind == TC_KIND_F8F6F4 || (f.kind == TC_KIND_F16 && f.a == TC_F16))),                   \
      "d is s32 with kind i8, f32 otherwise, or f16 with kind f8f6f4 and with a and b of f16")                        \
    X(arg, 5, f.cta_group >= 0 && f.cta_group <= 2 && (!f.ws || f.cta_group < 2), "cta_group is 1 or 2, and 1 with ws")\
    X(arg, 6, !f.ws || !tc__t5_block_kind(f.kind), "ws has no block-scaled kinds")                                    \
    X(arg, 7, f.ws ? f.m == 32 || f.m == 64 || f.m == 128                                                             \
                   : f.cta_group == 2 ? f.m == 256 || (f.m == 128 && !(f.sparse && tc__t5_block_kind(f.kind)))        \
                                      : f.m == 128 || (f.m == 64 && !tc__t5_block_kind(f.kind)),                      \
      "m is 64 or 128 with cta_group 1 (128 with block scales), 128 or 256 with cta_group 2 (256 if also sparse and " \
      "scaled), 32, 64 or 128 with ws")                                                                               \
    X(arg, 8, f.ws ? f.n == 64 || f.n == 128 || (f.n == 256 && !f.sparse)                                             \
            : f.kind == TC_KIND_I8 && f.cta_group < 2 ? f.n == 8 || f.n == 24                                         \
            || (f.n % 16 == 0 && f.n >= 16 && f.n <= 256)                                                             \
            : f.n % (f.cta_group == 2 ? (f.kind == TC_KIND_I8 ? 32 : 16) : 8) == 0 && f.n >= 8 && f.n <= 256,         \
      "n is 8..256 in steps of 8 (i8: 8, 24, and steps of 16), in steps of 16 with cta_group 2 (i8: 32); with ws "    \
      "64, 128 or 256 (sparse: 64 or 128)")                                                                           \
    X(arg, 9, !f.trans_a || (tc_type_bits(f.a) >= 8 && !(f.kind >= TC_KIND_MXF4)),                                    \
      "trans_a needs a type of 8 or more bits")                                                                       \
    X(arg, 10, !f.trans_b || (tc_type_bits(f.b) >= 8 && !(f.kind >= TC_KIND_MXF4)),                                   \
      "trans_b needs a type of 8 or more bits")                                                                       \
    X(arg, 11, !f.trans_b || tc_type_bits(f.b) != 8 || f.n % (f.cta_group == 2 ? 32 : 16) == 0,                       \
      "n is a multiple of 16 (cta_group 2: of 32) with a transposed b of 8 bits")                                     \
    X(arg, 12, !f.saturate || f.kind == TC_KIND_I8, "saturate goes with kind i8 only")                                \
    X(arg, 13, f.kind != TC_KIND_I8 || (!f.negate_a && !f.negate_b), "negate does not go with kind i8")               \
    X(arg, 14, f.selector == 0 || (f.sparse && f.kind <= TC_KIND_TF32 && f.selector == 1),                            \
      "selector is 0, or 1 with a sparse a of kind f16 or tf32")                                                      \
    X(arg, 15, f.max_shift == 0 || (f.ws && (f.max_shift == 8 || f.max_shift == 16 || f.max_shift == 32)),            \
      "max_shift is 0, or 8, 16 or 32 with ws")                                                                       \
    X(arg, 16, tc__t5_block_kind(f.kind) ? f.scale == TC_UE8M0 || (f.kind == TC_KIND_MXF4NVF4 && f.scale == TC_UE4M3) \
      : f.scale == 0,                                                                                                 \
      "scale is TC_UE8M0 with the mx kinds, or TC_UE4M3 with mxf4nvf4, and unset with the others")                    \
    X(arg, 17, f.scale != TC_UE4M3 || f.block == 0 || f.block == 16, "block is 16 with TC_UE4M3")                     \
    X(arg, 18, f.block == 0                                                                                           \
      || (tc__t5_block_kind(f.kind) && (f.block == 32 || (f.block == 16 && f.kind == TC_KIND_MXF4NVF4))),             \
      "block is 32 with the scaled kinds, or 16 with mxf4nvf4")                                                       \
    X(arg, 19, tc__t5_block_kind(f.kind) || (f.sfa_id == 0 && f.sfb_id == 0),                                         \
      "sfa_id and sfb_id go with the scaled kinds")                                                                   \
    X(arg, 20, f.sfa_id >= 0 && f.sfa_id <= 3 && f.sfb_id >= 0 && f.sfb_id <= 3 && (!tc__t5_block_kind(f.kind) || f.k96\
                || tc__t5_factors(f.kind, f.block, 0) == 1                                                            \
                || (tc__t5_factors(f.kind, f.block, 0) == 2 && f.sfa_id % 2 == 0 && f.sfb_id % 2 == 0)                \
                || (f.sfa_id == 0 && f.sfb_id == 0)),                                                                 \
      "sfa_id and sfb_id are 0..3 with one factor a row, 0 or 2 with two, 0 with four")                               \
    X(arg, 21, !f.k96 || (f.kind >= TC_KIND_MXF4 && !f.sparse), "k96 goes with a dense mxf4 or mxf4nvf4 only")

/* The number of the first rule that f breaks, 0 if none */
TC_HD TC_CONSTEXPR int tc_tcgen05_idesc_rule(const tc_tcgen05_idesc_fields f)
{
#define TC__X(arg, number, condition, text) !(condition) ? number :
    return TC__T5_IDESC_RULES(TC__X, 0) 0;
#undef TC__X
}

/* 0-1 selector, 2 sparse, 3 saturate, 4-5 type of D (or sfb_id), 7-9 and 10-12 types of A and B, 13 and 14 negate, 15
 * and 16 transpose, 17-22 n / 8, 23 scale type, 24-28 m / 16, 29-30 sfa_id, 30-31 max shift, 31 K of 96 */
TC_HD TC_CONSTEXPR uint32_t tc_tcgen05_idesc_make(const tc_tcgen05_idesc_fields f)
{
    return (uint32_t)(f.selector & 3) | (uint32_t)(f.sparse & 1) << 2 | (uint32_t)(f.saturate & 1) << 3
         | (uint32_t)(tc__t5_block_kind(f.kind) ? f.sfb_id & 3
                      : f.d == TC_F32           ? 1
                      : f.d == TC_S32           ? 2
                                                : 0)
               << 4
         | (uint32_t)(tc__t5_type_code(f.kind, f.a) & 7) << 7 | (uint32_t)(tc__t5_type_code(f.kind, f.b) & 7) << 10
         | (uint32_t)(f.negate_a & 1) << 13 | (uint32_t)(f.negate_b & 1) << 14 | (uint32_t)(f.trans_a & 1) << 15
         | (uint32_t)(f.trans_b & 1) << 16 | (uint32_t)(f.n >> 3) << 17 | (uint32_t)(f.scale == TC_UE8M0 ? 1 : 0) << 23
         | (uint32_t)(f.m >> 4) << 24 | (uint32_t)(f.sfa_id & 3) << 29
         | (uint32_t)(f.max_shift == 8    ? 1
                      : f.max_shift == 16 ? 2
                      : f.max_shift == 32 ? 3
                                          : 0)
               << 30
         | (uint32_t)(f.k96 ? 1u : 0u) << 31;
}

/* A descriptor as a constant: TC_TCGEN05_IDESC(NAME, .kind = TC_KIND_F16, .m = 128, ...); fields in the order of the
 * struct. A broken rule is a compile error with its sentence. NAME is a uint32_t constant for host and device. C++;
 * NVRTC: from --std=c++20 on. */
#define TC__T5_IDESC_ASSERT(name, number, condition, text) \
    static_assert(tc_tcgen05_idesc_rule(name##__fields) != number, "tc: instruction descriptor " #name ": " text);
#define TC_TCGEN05_IDESC(name, ...)                                              \
    TC__FIELDS_BEGIN                                                             \
    static constexpr tc_tcgen05_idesc_fields name##__fields = {__VA_ARGS__};     \
    TC__FIELDS_END                                                               \
    TC__T5_IDESC_RULES(TC__T5_IDESC_ASSERT, name)                                \
    enum name##__enum : uint32_t { name = tc_tcgen05_idesc_make(name##__fields) }

/* The zero-column mask of .ws: in every bank (64 or 32 lanes) of D, columns come in turns of `zeros` that count as zero
 * in B and `used` that are used; start[i]: how far into the turn bank i begins, zero_first[i]: whether it begins with
 * zeros; shift: B begins so many columns further on, at most idesc's max_shift. */
typedef struct tc_tcgen05_zero_mask_fields {
    int start[4], zero_first[4];
    int zeros, used; /* 1..256 each; zeros = 0: no mask */
    int shift;       /* 0..63 */
} tc_tcgen05_zero_mask_fields;

TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_zero_mask_make(const tc_tcgen05_zero_mask_fields f)
{
    return (uint64_t)(uint32_t)((f.start[0] & 255) | (f.start[1] & 255) << 8 | (f.start[2] & 255) << 16)
         | (uint64_t)(f.start[3] & 255) << 24
         | (uint64_t)((f.zero_first[0] & 1) | (f.zero_first[1] & 1) << 1 | (f.zero_first[2] & 1) << 2
                      | (f.zero_first[3] & 1) << 3)
               << 32
         | (uint64_t)(f.zeros ? 1 : 0) << 39 | (uint64_t)(f.zeros ? (f.zeros - 1) & 255 : 0) << 40
         | (uint64_t)(f.zeros ? (f.used - 1) & 255 : 0) << 48 | (uint64_t)(f.shift & 63) << 56;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Shared-memory layouts: the address of the byte (for types of less than 8 bits: that holds the first bit) of element
 * (row, k), where row counts along M or N. addr 0 gives offsets from a tile that is aligned to its swizzle. dense4:
 * e2m1 as the mxf4 kinds have it, 32 in 16 bytes; else 16 elements of 8, 6 or 4 bits take 16 bytes each: 6-bit ones the
 * first 12 of them, 4-bit ones the first 8.
 */
TC_HD TC_CONSTEXPR int tc__t5_unit(int type, int dense4)
{
    return tc_type_bits(type) > 8 ? 128 / tc_type_bits(type) : dense4 ? 32 : 16;
}
TC_HD TC_CONSTEXPR uint32_t tc__t5_in_unit(int type, int e) { return (uint32_t)(e * tc_type_bits(type) / 8); }

/* The swizzle of a descriptor on an address: 16-byte (or 32-byte) chunks, counted from where the pattern begins */
TC_HD TC_CONSTEXPR uint32_t tc__t5_swizzle(const tc_tcgen05_desc_fields f, uint32_t at)
{
    return f.swizzle == 0 ? at
         : f.base32 ? at ^ ((((at >> 7) - (uint32_t)f.base_offset) & 3u) << 5)
                    : at ^ ((((at >> 7) - (uint32_t)f.base_offset) & ((uint32_t)f.swizzle / 16u - 1u)) << 4);
}

/* K-major: a row's K lies together */
TC_HD TC_CONSTEXPR uint32_t tc_tcgen05_k_major_at(const tc_tcgen05_desc_fields f, int type, int dense4, int row, int k)
{
    const uint32_t line = f.swizzle ? (uint32_t)f.swizzle : 16u, units = line / 16u;
    const uint32_t u = (uint32_t)(k / tc__t5_unit(type, dense4)), r = (uint32_t)row;
    return tc__t5_swizzle(f, f.addr + r % 8u * line + r / 8u * f.stride_bytes + u % units * 16u
                                 + u / units * f.leading_bytes)
         + tc__t5_in_unit(type, k % tc__t5_unit(type, dense4));
}

/* MN-major ("transposed"): the rows of one k lie together. Types of 8, 16 and 32 bits. */
TC_HD TC_CONSTEXPR uint32_t tc_tcgen05_mn_major_at(const tc_tcgen05_desc_fields f, int type, int row, int k)
{
    const uint32_t line = f.swizzle ? (uint32_t)f.swizzle : 16u, units = line / 16u, group = f.base32 ? 4u : 8u;
    const uint32_t k_step = f.swizzle ? f.stride_bytes : f.leading_bytes,
                   u_step = f.swizzle ? f.leading_bytes : f.stride_bytes;
    const uint32_t u = (uint32_t)(row / tc__t5_unit(type, 0)), c = (uint32_t)k;
    return tc__t5_swizzle(f, f.addr + c % group * line + c / group * k_step + u % units * 16u + u / units * u_step)
         + tc__t5_in_unit(type, row % tc__t5_unit(type, 0));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * D in tensor memory. m, n: of the instruction; g: cta_group; sp, ws: does the instruction have .sp, .ws? row 0..m-1,
 * col 0..n-1 of D; cta 0 or 1: even or odd rank; lane 0..127, column from D's address. half: 64 rows in 16 lanes of
 * each quarter.
 */
TC_HD TC_CONSTEXPR int tc__t5_half(int m, int g, int sp, int ws)
{
    return !ws && ((g == 1 && m == 64) || (g == 2 && m == 128 && sp));
}
TC_HD TC_CONSTEXPR int tc__t5_banks(int m, int g, int sp, int ws)
{
    return tc__t5_half(m, g, sp, ws) ? 1 : 128 / (m / g);
}
TC_HD TC_CONSTEXPR int tc_tcgen05_d_cta(int m, int g, int row) { return row / (m / g); }
TC_HD TC_CONSTEXPR int tc_tcgen05_d_lane(int m, int n, int g, int sp, int ws, int row, int col)
{
    const int r = row % (m / g);
    return tc__t5_half(m, g, sp, ws) ? r / 16 * 32 + r % 16 : col / (n / tc__t5_banks(m, g, sp, ws)) * (m / g) + r;
}
TC_HD TC_CONSTEXPR int tc_tcgen05_d_column(int m, int n, int g, int sp, int ws, int col)
{
    return col % (n / tc__t5_banks(m, g, sp, ws));
}

/* The sparsity metadata of .sp in tensor memory: 4 bits for a group of four k (tf32: of two; the mxf4 kinds: of four
 * pairs): group 0..15, and 0..7 with kinds f16 and tf32. They lie in the lanes of D's rows, and again in each bank of
 * its columns (col: any of the bank); f16 and tf32 put rows r and r + 8 of 16 into one column, and use the column that
 * the selector chooses. bit: of the 32 of the cell. */
TC_HD TC_CONSTEXPR int tc_tcgen05_meta_lane(int kind, int m, int n, int g, int ws, int row, int col, int group)
{
    return kind <= TC_KIND_TF32 ? tc_tcgen05_d_lane(m, n, g, 1, ws, row / 16 * 16, col) + row % 8 + group / 4 * 8
                                : tc_tcgen05_d_lane(m, n, g, 1, ws, row, col);
}
TC_HD TC_CONSTEXPR int tc_tcgen05_meta_column(int kind, int selector, int group)
{
    return kind <= TC_KIND_TF32 ? selector : group / 8;
}
TC_HD TC_CONSTEXPR int tc_tcgen05_meta_bit(int kind, int row, int group)
{
    return 4 * (kind <= TC_KIND_TF32 ? row / 8 % 2 * 4 + group % 4 : group % 8);
}

/* Back: the row (-1 in lanes that D does not use) and column of D that a lane and column of a CTA's tensor memory
 * hold. */
TC_HD TC_CONSTEXPR int tc_tcgen05_d_row(int m, int g, int sp, int ws, int cta, int lane)
{
    return cta * (m / g)
         + (tc__t5_half(m, g, sp, ws) ? (lane % 32 < 16 ? lane / 32 * 16 + lane % 16 : -1 - cta * (m / g))
                                      : lane % (m / g));
}
TC_HD TC_CONSTEXPR int tc_tcgen05_d_col(int m, int n, int g, int sp, int ws, int lane, int column)
{
    return column + (tc__t5_half(m, g, sp, ws) ? 0 : lane / (m / g) * (n / tc__t5_banks(m, g, sp, ws)));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * ld and st: where register i of lane l of the warp lies, from the address' lane and column. pack: with .pack::16b or
 * .unpack::16b; the register then holds 16 bits of this column and, in its upper half, of the next. split: of 16x32bx2.
 */
typedef enum tc_tcgen05_shape {
    TC_TCGEN05_32X32B,
    TC_TCGEN05_16X64B,
    TC_TCGEN05_16X128B,
    TC_TCGEN05_16X256B,
    TC_TCGEN05_16X32BX2
} tc_tcgen05_shape;

TC_HD TC_CONSTEXPR int tc_tcgen05_ld_lane(int shape, int l, int i)
{
    return shape == TC_TCGEN05_32X32B   ? l
         : shape == TC_TCGEN05_16X64B   ? l / 4 + l % 2 * 8
         : shape == TC_TCGEN05_16X128B  ? l / 4 + i % 2 * 8
         : shape == TC_TCGEN05_16X256B  ? l / 4 + i / 2 % 2 * 8
                                        : l % 16;
}
TC_HD TC_CONSTEXPR int tc_tcgen05_ld_column(int shape, int pack, int split, int l, int i)
{
    return (pack ? 2 : 1) * (shape == TC_TCGEN05_16X64B    ? 2 * i + l / 2 % 2
                             : shape == TC_TCGEN05_16X128B ? i / 2 * 4 + l % 4
                             : shape == TC_TCGEN05_16X256B ? i / 4 * 8 + l % 4 * 2 + i % 2
                                                           : i)
         + (shape == TC_TCGEN05_16X32BX2 ? l / 16 * split : 0);
}
/* Registers of .xN: N, 2N or 4N */
TC_HD TC_CONSTEXPR int tc_tcgen05_ld_registers(int shape, int n)
{
    return n * (shape == TC_TCGEN05_16X128B ? 2 : shape == TC_TCGEN05_16X256B ? 4 : 1);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Scale factors. row 0..127 of A or 0..n-1 of B; s: factor of that row, counted along K from the first of the tensor
 * memory address (an id of the instruction descriptor counts as s too). rows: 128 for A, n for B. All four quarters of
 * the lanes hold the same: add 32, 64, 96.
 */
TC_HD TC_CONSTEXPR int tc_tcgen05_sf_lane(int row) { return row % 32; }
TC_HD TC_CONSTEXPR int tc_tcgen05_sf_column(int rows, int row, int s)
{
    return row / 32 + s / 4 * ((rows + 127) / 128 * 4);
}
TC_HD TC_CONSTEXPR int tc_tcgen05_sf_byte(int s) { return s % 4; }

/* In memory: blocks of 128 rows x 4 factors, 512 bytes, those of the same rows one after another; per_row: factors of a
 * row, a multiple of 4. Source: cuBLAS, "Block scaling factors layout". */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_sf_offset(int per_row, int row, int s)
{
    return ((uint64_t)(row / 128) * (uint64_t)((per_row + 3) / 4) + (uint64_t)(s / 4)) * 512u
         + (uint64_t)(row % 32 * 16 + row % 128 / 32 * 4 + s % 4);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Host: descriptors checked, with the sentence in tc_why(), and read back in words.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* TC_OK, or TC_ERR_DESC and the field that is wrong */
TC_HOST tc_status tc_tcgen05_desc_check(const tc_tcgen05_desc_fields *f)
{
    if (f->addr % 16 || f->addr >= 0x40000u)
        return tc__fail(TC_ERR_DESC, "addr = 0x%x is not a multiple of 16 below 2^18", (unsigned)f->addr);
    if (f->leading_bytes % 16 || f->leading_bytes >= 0x40000u)
        return tc__fail(TC_ERR_DESC, "leading_bytes = %u is not a multiple of 16 below 2^18",
                        (unsigned)f->leading_bytes);
    if (f->stride_bytes % 16 || f->stride_bytes >= 0x40000u)
        return tc__fail(TC_ERR_DESC, "stride_bytes = %u is not a multiple of 16 below 2^18", (unsigned)f->stride_bytes);
    if (f->swizzle != 0 && f->swizzle != 32 && f->swizzle != 64 && f->swizzle != 128)
        return tc__fail(TC_ERR_DESC, "swizzle = %d is not 0, 32, 64 or 128", f->swizzle);
    if (f->base32 && f->swizzle != 128)
        return tc__fail(TC_ERR_DESC, "base32 = %d needs swizzle = 128, not %d", f->base32, f->swizzle);
    if (f->base_offset < 0 || f->base_offset > 7)
        return tc__fail(TC_ERR_DESC, "base_offset = %d is not in 0..7", f->base_offset);
    if (f->base_offset && !f->swizzle)
        return tc__fail(TC_ERR_DESC, "base_offset = %d, but without a swizzle it must be 0", f->base_offset);
    if (f->leading_absolute && (f->swizzle != 128 || f->base32))
        return tc__fail(TC_ERR_DESC, "leading_absolute = %d goes with the plain 128-byte swizzle only (K of 96)",
                        f->leading_absolute);
    return TC_OK;
}

TC_HOST tc_status tc_tcgen05_idesc_check(const tc_tcgen05_idesc_fields *fields)
{
    const tc_tcgen05_idesc_fields f = *fields;
#define TC__X(arg, number, condition, text)                                                                           \
    if (!(condition))                                                                                                 \
        return tc__fail(TC_ERR_DESC, "%s (kind %s, m = %d, n = %d, a %s, b %s, d %s, cta_group %d)", text,            \
                        tc_kind_name(f.kind), f.m, f.n,                                                               \
                        tc_type_name(f.a), tc_type_name(f.b), tc_type_name(f.d), f.cta_group ? f.cta_group : 1);
    TC__T5_IDESC_RULES(TC__X, 0)
#undef TC__X
    return TC_OK;
}

TC_HOST tc_status tc_tcgen05_zero_mask_check(const tc_tcgen05_zero_mask_fields *f)
{
    int i;
    if (f->zeros < 0 || f->zeros > 256) return tc__fail(TC_ERR_DESC, "zeros = %d is not in 0..256", f->zeros);
    if (f->zeros && (f->used < 1 || f->used > 256)) return tc__fail(TC_ERR_DESC, "used = %d is not in 1..256", f->used);
    if (f->shift < 0 || f->shift > 63) return tc__fail(TC_ERR_DESC, "shift = %d is not in 0..63", f->shift);
    for (i = 0; i < 4; i++) {
        if (f->zero_first[i] != 0 && f->zero_first[i] != 1)
            return tc__fail(TC_ERR_DESC, "zero_first[%d] = %d is not 0 or 1", i, f->zero_first[i]);
        if (f->start[i] < 0 || f->start[i] > 255)
            return tc__fail(TC_ERR_DESC, "start[%d] = %d is not in 0..255", i, f->start[i]);
    }
    return TC_OK;
}

/* The decoders write a line into out and return it. */
TC_HOST const char *tc_tcgen05_taddr_text(char *out, size_t size, uint32_t taddr)
{
    snprintf(out, size, "lane %d, column %d%s", tc_tcgen05_taddr_lane(taddr), tc_tcgen05_taddr_column(taddr),
             tc_tcgen05_taddr_lane(taddr) > 127 || tc_tcgen05_taddr_column(taddr) > 511
                 ? " (outside: there are 128 lanes and 512 columns)"
                 : "");
    return out;
}

TC_HOST const char *tc_tcgen05_desc_text(char *out, size_t size, uint64_t desc)
{
    static const char *const swizzle[8] = {"no swizzle",       "128-byte swizzle in atoms of 32 bytes",
                                           "128-byte swizzle", "swizzle 3 (not valid)",
                                           "64-byte swizzle",  "swizzle 5 (not valid)",
                                           "32-byte swizzle",  "swizzle 7 (not valid)"};
    snprintf(out, size, "start 0x%x, LBO %s%u, SBO %u, %s, base offset %d%s%s", (unsigned)(desc & 0x3fff) << 4,
             desc >> 52 & 1 ? "absolute " : "", (unsigned)(desc >> 16 & 0x3fff) << 4,
             (unsigned)(desc >> 32 & 0x3fff) << 4, swizzle[desc >> 61], (int)(desc >> 49 & 7),
             (desc >> 46 & 7) == 1   ? ""
             : (desc >> 46 & 7) == 0 ? "; bits 46-48 are 0: this is wgmma's format, not tcgen05's"
                                     : "; bits 46-48 are not 1",
             desc & 0x1fe00000c000c000ull ? "; bits that must be 0 are set" : "");
    return out;
}

/* kind: of the instruction; ws: 1 for .ws (bits 30-31 depend on both) */
TC_HOST const char *tc_tcgen05_idesc_text(char *out, size_t size, int kind, int ws, uint32_t idesc)
{
    const int block = tc__t5_block_kind(kind), dense4 = kind == TC_KIND_MXF4 || kind == TC_KIND_MXF4NVF4;
    const int code[2] = {(int)(idesc >> 7 & 7), (int)(idesc >> 10 & (dense4 ? 3 : 7))};
    int type[2] = {0, 0}, i, t;
    char more[160] = "";
    size_t at = 0;
    for (i = 0; i < 2; i++)
        for (t = 1; t < TC_TYPE_COUNT; t++)
            if (tc__t5_type_code(kind, t) == code[i]) type[i] = t;
    if (idesc >> 2 & 1)
        at += (size_t)snprintf(more + at, sizeof more - at, ", A sparse (selector %d)", (int)(idesc & 3));
    if (!block && (idesc >> 3 & 1)) at += (size_t)snprintf(more + at, sizeof more - at, ", saturates");
    if (block)
        at += (size_t)snprintf(more + at, sizeof more - at, ", scales %s, ids %d and %d%s",
                               idesc >> 23 & 1 ? "ue8m0" : "ue4m3", (int)(idesc >> 29 & 3), (int)(idesc >> 4 & 3),
                               dense4 && idesc >> 31 ? ", K of 96" : "");
    if (ws && idesc >> 30) at += (size_t)snprintf(more + at, sizeof more - at, ", shift up to %d", 4 << (idesc >> 30));
    snprintf(out, size, "kind::%s: D %s, %d x %d = %sA %s %s * %sB %s %s%s", tc_kind_name(kind),
             block                   ? "f32"
             : (idesc >> 4 & 3) == 0 ? "f16"
             : (idesc >> 4 & 3) == 1 ? "f32"
             : (idesc >> 4 & 3) == 2 ? "s32"
                                     : "?",
             (int)(idesc >> 24 & 31) << 4, (int)(idesc >> 17 & 63) << 3, idesc >> 13 & 1 ? "-" : "",
             tc_type_name(type[0]), idesc >> 15 & 1 ? "M-major" : "K-major", idesc >> 14 & 1 ? "-" : "",
             tc_type_name(type[1]), idesc >> 16 & 1 ? "N-major" : "K-major", more);
    return out;
}

#endif /* host */

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
        TC__T5_ASM("alloc", g, ".sync.aligned.shared::cta.b32 [%0], %1", "r"(slot), "n"(columns));                    \
    } while (0)
#define TC_TCGEN05_ALLOC_N(g, slot, columns)                                                                          \
    TC__T5_ASM("alloc", g, ".sync.aligned.shared::cta.b32 [%0], %1", "r"(slot), "r"(columns))
/* pointer: a generic one, into the CTA's shared memory; columns may be a run-time value */
#define TC_TCGEN05_ALLOC_GENERIC(g, pointer, columns)                                                                 \
    TC__T5_ASM("alloc", g, ".sync.aligned.b32 [%0], %1", "l"((uint64_t)(pointer)), "r"(columns))
#define TC_TCGEN05_DEALLOC(g, taddr, columns)                                                                         \
    do {                                                                                                              \
        TC__T5_COLUMNS("tcgen05.dealloc", columns);                                                                   \
        TC__T5_ASM("dealloc", g, ".sync.aligned.b32 %0, %1", "r"(taddr), "n"(columns));                               \
    } while (0)
#define TC_TCGEN05_DEALLOC_N(g, taddr, columns)                                                                       \
    TC__T5_ASM("dealloc", g, ".sync.aligned.b32 %0, %1", "r"(taddr), "r"(columns))
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
    static_assert((split) >= 0 && (split) < 512, "tc: " what ": split is a literal, a number of columns in 0..511")

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
#define TC__T5_CHECK_I8(kind)                                                                                         \
    static_assert(TC_HAS_TCGEN05_I8 || !tc__holds(#kind, "i8"),                                                       \
                  "tc: tcgen05.mma: kind i8 needs sm_100a or sm_110a: compile with -gencode arch=compute_100a,"       \
                  "code=sm_100a, or guard the use with #if TC_HAS_TCGEN05_I8")
/* kind of SS and TS without block scales */
#define TC__T5_CHECK_SS(g, kind)                                                                                      \
    TC__T5_GROUP("tcgen05.mma", g);                                                                                   \
    static_assert(!tc__holds(#kind, ".ashift"),                                                                       \
                  "tc: tcgen05.mma: .ashift needs A in tensor memory: TC_TCGEN05_MMA_TS");                            \
    static_assert(tc__holds(#kind, ".ashift") || tc__follows(#kind, "f16|tf32|f8f6f4|i8" TC__T5_COLLECTOR_A),         \
                  "tc: tcgen05.mma: the kind is f16, tf32, f8f6f4 or i8, alone or with .collector::a::fill, ::use, "  \
                  "::lastuse or ::discard");                                                                          \
    TC__T5_CHECK_I8(kind)
#define TC__T5_CHECK_TS(g, kind)                                                                                      \
    TC__T5_GROUP("tcgen05.mma", g);                                                                                   \
    static_assert(tc__follows(#kind, "f16|tf32|f8f6f4|i8" TC__T5_COLLECTOR_A)                                         \
                      || tc__follows(#kind,                                                                           \
                                     "f16|tf32|f8f6f4|i8 .ashift |.collector::a::lastuse|.collector::a::discard"),    \
                  "tc: tcgen05.mma: the kind is f16, tf32, f8f6f4 or i8, alone, with .collector::a::fill, ::use, "    \
                  "::lastuse or ::discard, with .ashift, or with .ashift.collector::a::lastuse or ::discard");        \
    TC__T5_CHECK_I8(kind)
#define TC__T5_CHECK_SCALE(kind, scale)                                                                               \
    static_assert(!tc__holds(#kind, "f8f6f4") && !tc__holds(#kind, "i8"),                                             \
                  "tc: tcgen05.mma: scale-input-d goes with the kinds f16 and tf32");                                 \
    static_assert((scale) >= 0 && (scale) <= 15, "tc: tcgen05.mma: scale-input-d is a literal in 0..15");             \
    static_assert(TC_HAS_TCGEN05_SCALE_D,                                                                             \
                  "tc: tcgen05.mma: scale-input-d does not exist on sm_110: guard the use with #if "                  \
                  "TC_HAS_TCGEN05_SCALE_D")
#define TC__T5_CHECK_BLOCK(g, kind)                                                                                   \
    TC__T5_GROUP("tcgen05.mma", g);                                                                                   \
    static_assert(tc__follows(#kind, "mxf8f6f4 .block_scale |.scale_vec::1X|.block32" TC__T5_COLLECTOR_A)             \
                      || tc__follows(#kind, "mxf4 .block_scale |.scale_vec::2X|.block32" TC__T5_COLLECTOR_A)          \
                      || tc__follows(#kind, "mxf4nvf4 .block_scale .scale_vec::2X|.scale_vec::4X|.block16|.block32"   \
                                     TC__T5_COLLECTOR_A),                                                             \
                  "tc: tcgen05.mma with block scales: the kind is mxf8f6f4.block_scale (or with .block32, "           \
                  ".scale_vec::1X), mxf4.block_scale (or with .block32, .scale_vec::2X), mxf4nvf4.block_scale with "  \
                  ".block16, .block32, .scale_vec::2X or .scale_vec::4X; then a .collector::a::fill, ::use, "         \
                  "::lastuse or ::discard may follow");                                                               \
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
    static_assert(tc__follows(#kind, "f16|tf32|f8f6f4|i8" TC__T5_COLLECTOR_B),                                        \
                  "tc: tcgen05.mma.ws: the kind is f16, tf32, f8f6f4 or i8, alone or with .collector::b0, b1, b2 or " \
                  "b3 and ::fill, ::use, ::lastuse or ::discard; it has no block-scaled kinds");                      \
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
