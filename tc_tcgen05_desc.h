/* tc_tcgen05_desc.h - tc 0.2.0 - tcgen05 without its instructions: descriptors, and where things lie. Needs: tc_core.h;
 * host and device, any target. tc_tcgen05.h includes it, draws the layouts and says how they are used.
 *
 *     TC_TCGEN05_IDESC(IDESC, .kind = TC_KIND_F8F6F4, .m = 128, .n = 256, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32,
 *                      .k = 64, .sm107 = 1);                   checked when compiled
 *     uint64_t a = tc_tcgen05_desc(smem_a, 128);
 *
 * CONTENTS
 *     addresses    tc_tcgen05_taddr tc_tcgen05_taddr_text
 *     shared       tc_tcgen05_desc tc_tcgen05_desc_mn _scales _make _advance _check _text
 *     instruction  TC_TCGEN05_IDESC tc_tcgen05_idesc_make _check _text _k, tc_tcgen05_k; tc_tcgen05_zero_mask_make
 *     layouts      tc_tcgen05_k_major_at _mn_major_at; tc_tcgen05_d_cta _d_lane _d_column _d_row _d_col;
 *                  tc_tcgen05_meta_lane _column _bit; tc_tcgen05_ld_lane _ld_column _ld_registers;
 *                  tc_tcgen05_sf_lane _sf_column _sf_byte _sf_offset
 *
 * SM_107: .sm107 = 1 in the fields of an instruction descriptor, .wide = 1 in those of a shared-memory descriptor. What
 * is new in their bits, as the PTX ISA 9.4 has it; none of it has run on the hardware:
 *     K           of the dense instruction (.k): 64 for f8f6f4 and mxf8f6f4, 128 for mxf4 and mxf4nvf4. An instruction
 *                 with the old K takes as many cycles: half the rate. A row's step is then 64 bytes: descriptor + 4.
 *     ti16        integers of -2047 .. 2047 (sign and 11 bits) in 16 bits, sums in s32
 *     scales      mxf8f6f4 with k = 64 has two a row (k / 32; one table of the ISA says one); ue5m3; ue4m3 with blocks
 *                 of 32; .sfa_wide: those of A unreplicated, a column for 128 rows
 *     sparse      mxf4 and mxf4nvf4: two of four single elements (.sp_single), no longer pairs. A kernel of sm_100a
 *                 that is compiled for sm_107a with the old bit and metadata computes something else.
 *     addresses   shared memory has more than 256 KB: start and LBO have 15 bits. With 14 a tile above it wraps to the
 *                 bottom without a word. Sources of tcgen05.cp are best kept below 256 KB.
 *     kind::i8    is gone
 */
#ifndef TC_TCGEN05_DESC_H
#define TC_TCGEN05_DESC_H

#include "tc_chip.h"
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
 * tc_swizzle_atom; else (address of the pattern's start >> 7) & 7. For sm_107: wide: addresses up to 2^19 (for the
 * checks); lut_half: which 24 of a row's 48 bytes of indices are read (.decompress::lut::b).
 */
typedef struct tc_tcgen05_desc_fields {
    uint32_t addr;
    uint32_t leading_bytes, stride_bytes;
    int base_offset;
    int leading_absolute;
    int swizzle, base32;
    int wide, lut_half;
} tc_tcgen05_desc_fields;

/* 16-byte units of a shared address: 14 bits; 15 on sm_107, and on the host, which does not know the target */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 1070
#define TC__T5_ADDRESS 0x3ffffu
#else
#define TC__T5_ADDRESS 0x7ffffu
#endif

/* bits 61-63 */
TC_HD TC_CONSTEXPR int tc__t5_swizzle_code(int swizzle, int base32)
{
    return swizzle == 128 ? (base32 ? 1 : 2) : swizzle == 64 ? 4 : swizzle == 32 ? 6 : 0;
}

/* bits 0-13 addr / 16 (sm_107: 0-14), 16-29 leading / 16 (sm_107: 16-30), 32-45 stride / 16, 46-48 version 1, 49-51
 * base offset, 52 leading absolute, 53 half of the indices (sm_107), 61-63 swizzle */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_desc_make(const tc_tcgen05_desc_fields f)
{
    return (uint64_t)((f.addr & TC__T5_ADDRESS) >> 4) | (uint64_t)((f.leading_bytes & TC__T5_ADDRESS) >> 4) << 16
         | (uint64_t)((f.stride_bytes & 0x3ffffu) >> 4) << 32 | (uint64_t)1 << 46 | (uint64_t)(f.base_offset & 7) << 49
         | (uint64_t)(f.leading_absolute & 1) << 52 | (uint64_t)(f.lut_half & 1) << 53
         | (uint64_t)tc__t5_swizzle_code(f.swizzle, f.base32) << 61;
}

/* K-major tile whose rows are one swizzle width (32, 64 or 128 bytes) and lie end to end: what TMA writes for a box of
 * that width. */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_desc(uint32_t addr, int swizzle)
{
    return (uint64_t)((addr & TC__T5_ADDRESS) >> 4) | (uint64_t)1 << 16 | (uint64_t)(swizzle * 8 / 16) << 32
         | (uint64_t)1 << 46 | (uint64_t)tc__t5_swizzle_code(swizzle, 0) << 61;
}

/* MN-major tile of such lines, one for each k, end to end; the next swizzle width of M or N begins leading_bytes
 * further on. What TMA writes for boxes of one width x K. */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_desc_mn(uint32_t addr, int swizzle, uint32_t leading_bytes)
{
    return (tc_tcgen05_desc(addr, swizzle) & ~((uint64_t)0x7fff << 16))
         | (uint64_t)((leading_bytes & TC__T5_ADDRESS) >> 4) << 16;
}

/* Rows of 16 bytes end to end, no swizzle: blocks of scale factors, 512 bytes each, for tcgen05.cp 32x128b.warpx4. */
TC_HD TC_CONSTEXPR uint64_t tc_tcgen05_desc_scales(uint32_t addr)
{
    return (uint64_t)((addr & TC__T5_ADDRESS) >> 4) | (uint64_t)1 << 16 | (uint64_t)(128 / 16) << 32
         | (uint64_t)1 << 46;
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
    X(TC_KIND_TI16, "ti16", 0)           \
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

/* Kinds of 16 and 32 bits, whose sparsity metadata has a layout of its own */
TC_HD TC_CONSTEXPR int tc__t5_broad(int kind) { return kind <= TC_KIND_TF32 || kind == TC_KIND_TI16; }

/* K of one instruction: 32 bytes of a row of A, twice as many elements of B if A is sparse; f8f6f4 types count as
 * bytes. tc_tcgen05_idesc_k: that of a descriptor, with the longer ones of sm_107. */
TC_HD TC_CONSTEXPR int tc_tcgen05_k(int kind, int sparse, int k96)
{
    return (kind == TC_KIND_TF32                               ? 8
            : kind == TC_KIND_F16 || kind == TC_KIND_TI16      ? 16
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
 *     For sm_107, which sm107 says (what it alone has is refused without it): k: K of a dense instruction (unset: the
 *     kind's first; 64: f8f6f4, mxf8f6f4; 96, 128: mxf4 kinds; half of a sparse one's); sp_single: a sparse mxf4 keeps
 *     two of four elements, not of four pairs; sfa_wide: A's scales lie in 128 lanes, unreplicated.
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
    int sm107, k, sp_single, sfa_wide;
} tc_tcgen05_idesc_fields;

/* Codes of a type in bits 7-9 and 10-12; -1: not with this kind */
TC_HD TC_CONSTEXPR int tc__t5_type_code(int kind, int type)
{
    return kind == TC_KIND_F16                              ? (type == TC_F16 ? 0 : type == TC_BF16 ? 1 : -1)
         : kind == TC_KIND_TF32                             ? (type == TC_TF32 ? 2 : -1)
         : kind == TC_KIND_I8                               ? (type == TC_U8 ? 0 : type == TC_S8 ? 1 : -1)
         : kind == TC_KIND_TI16                             ? (type == TC_TI16 ? 3 : -1)
         : kind == TC_KIND_MXF4 || kind == TC_KIND_MXF4NVF4 ? (type == TC_E2M1 ? 1 : -1)
         : type == TC_E4M3                                  ? 0
         : type == TC_E5M2                                  ? 1
         : type == TC_E2M3                                  ? 3
         : type == TC_E3M2                                  ? 4
         : type == TC_E2M1                                  ? 5
                                                            : -1;
}

TC_HD TC_CONSTEXPR int tc__t5_block_kind(int kind) { return kind >= TC_KIND_MXF8F6F4 && kind <= TC_KIND_MXF4NVF4; }
/* K of a dense instruction, whether f names it or not; K of the instruction */
TC_HD TC_CONSTEXPR int tc__t5_dense_k(const tc_tcgen05_idesc_fields f)
{
    return f.k ? f.k : tc_tcgen05_k(f.kind, 0, f.k96);
}
TC_HD TC_CONSTEXPR int tc_tcgen05_idesc_k(const tc_tcgen05_idesc_fields f)
{
    return tc__t5_dense_k(f) * (f.sparse ? 2 : 1);
}
/* Do elements of this type, A's or B's, stand in bytes of their own in shared memory, as a padded tensor map leaves
 * them (tc_tma.h)? fp6 and fp4 of f8f6f4 and mxf8f6f4 do; but with a dense k of 64 of mxf8f6f4 (sm_107) they lie
 * tight. */
TC_HD TC_CONSTEXPR int tc_tcgen05_idesc_padded(const tc_tcgen05_idesc_fields f, int type)
{
    if (tc_type_bits(type) >= 8 || (f.kind != TC_KIND_F8F6F4 && f.kind != TC_KIND_MXF8F6F4)) return 0;
    return f.kind == TC_KIND_F8F6F4 || f.sparse || tc__t5_dense_k(f) != 64;
}
/* scale factors of a row and instruction */
TC_HD TC_CONSTEXPR int tc__t5_factors(int kind, int block, int k96)
{
    return kind == TC_KIND_MXF8F6F4 ? 1
                                    : (k96 ? 96 : 64) / (block == 16 || (!block && kind == TC_KIND_MXF4NVF4) ? 16 : 32);
}

/* The rules, in the order in which they are looked at: condition that must hold, sentence. */
#define TC__T5_IDESC_RULES(X, arg)                                                                                    \
    X(arg, 1, f.kind >= TC_KIND_F16 && f.kind < TC_KIND_COUNT,                                                        \
      "kind is TC_KIND_F16, _TF32, _F8F6F4, _I8, _TI16, _MXF8F6F4, _MXF4 or _MXF4NVF4")                               \
    X(arg, 2, tc__t5_type_code(f.kind, f.a) >= 0 && tc__t5_type_code(f.kind, f.b) >= 0,                               \
      "a and b: kind f16 has f16 and bf16; tf32 tf32; i8 u8 and s8; ti16 ti16; f8f6f4 and mxf8f6f4 e4m3, e5m2, "      \
      "e2m3, e3m2, e2m1; mxf4 and mxf4nvf4 e2m1")                                                                     \
    X(arg, 3, f.kind != TC_KIND_F16 || f.a == f.b, "a and b have the same type with kind f16")                        \
    X(arg, 4, f.d == (f.kind == TC_KIND_I8 || f.kind == TC_KIND_TI16 ? TC_S32 : TC_F32)                               \
      || (f.d == TC_F16 && (f.kind == TC_KIND_F8F6F4 || (f.kind == TC_KIND_F16 && f.a == TC_F16))),                   \
      "d is s32 with kinds i8 and ti16, f32 otherwise, or f16 with kind f8f6f4 and with a and b of f16")              \
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
            : f.n % (f.cta_group == 2 ? (f.kind == TC_KIND_I8 || f.kind == TC_KIND_TI16 ? 32 : 16)                    \
                     : f.kind == TC_KIND_TI16 && f.m == 128 ? 16 : 8) == 0 && f.n >= 8 && f.n <= 256,                 \
      "n is 8..256 in steps of 8 (i8: 8, 24, and steps of 16; ti16 with m = 128: steps of 16), in steps of 16 with "  \
      "cta_group 2 (i8, ti16: 32); with ws 64, 128 or 256 (sparse: 64 or 128)")                                       \
    X(arg, 9, !f.trans_a || (tc_type_bits(f.a) >= 8 && f.a != TC_TI16 && !(f.kind >= TC_KIND_MXF4)),                  \
      "trans_a needs a type of 8 or more bits (ti16: what the ISA says of it contradicts itself)")                    \
    X(arg, 10, !f.trans_b || (tc_type_bits(f.b) >= 8 && f.b != TC_TI16 && !(f.kind >= TC_KIND_MXF4)),                 \
      "trans_b needs a type of 8 or more bits (ti16: what the ISA says of it contradicts itself)")                    \
    X(arg, 11, !f.trans_b || tc_type_bits(f.b) != 8 || f.n % (f.cta_group == 2 ? 32 : 16) == 0,                       \
      "n is a multiple of 16 (cta_group 2: of 32) with a transposed b of 8 bits")                                     \
    X(arg, 12, !f.saturate || f.kind == TC_KIND_I8, "saturate goes with kind i8 only")                                \
    X(arg, 13, f.kind != TC_KIND_I8 || (!f.negate_a && !f.negate_b), "negate does not go with kind i8")               \
    X(arg, 14, f.selector == 0 || (f.sparse && tc__t5_broad(f.kind) && f.selector == 1),                              \
      "selector is 0, or 1 with a sparse a of kind f16, tf32 or ti16")                                                \
    X(arg, 15, f.max_shift == 0 || (f.ws && (f.max_shift == 8 || f.max_shift == 16 || f.max_shift == 32)),            \
      "max_shift is 0, or 8, 16 or 32 with ws")                                                                       \
    X(arg, 16, tc__t5_block_kind(f.kind) ? f.scale == TC_UE8M0 || (f.kind == TC_KIND_MXF4NVF4                         \
      && (f.scale == TC_UE4M3 || (f.scale == TC_UE5M3 && f.sm107))) : f.scale == 0,                                   \
      "scale is TC_UE8M0 with the mx kinds, or TC_UE4M3 (sm107: or TC_UE5M3) with mxf4nvf4, unset with the others")   \
    X(arg, 17, f.scale != TC_UE4M3 || f.block == 0 || f.block == 16 || f.sm107,                                       \
      "block is 16 with TC_UE4M3 (sm107: or 32)")                                                                     \
    X(arg, 18, f.block == 0                                                                                           \
      || (tc__t5_block_kind(f.kind) && (f.block == 32 || (f.block == 16 && f.kind == TC_KIND_MXF4NVF4))),             \
      "block is 32 with the scaled kinds, or 16 with mxf4nvf4")                                                       \
    X(arg, 19, tc__t5_block_kind(f.kind) || (f.sfa_id == 0 && f.sfb_id == 0),                                         \
      "sfa_id and sfb_id go with the scaled kinds")                                                                   \
    X(arg, 20, f.sfa_id >= 0 && f.sfa_id <= 3 && f.sfb_id >= 0 && f.sfb_id <= 3 && (!tc__t5_block_kind(f.kind)      \
                || tc__t5_dense_k(f) == 96                                                                            \
                || (tc__t5_factors(f.kind, f.block, 0) == 1 && (tc__t5_dense_k(f) != 64                               \
                    || (f.sfa_id % 2 == 0 && f.sfb_id % 2 == 0)))                                                     \
                || (tc__t5_factors(f.kind, f.block, 0) == 2 && f.sfa_id % 2 == 0 && f.sfb_id % 2 == 0                 \
                    && tc__t5_dense_k(f) != 128)                                                                      \
                || (f.sfa_id == 0 && f.sfb_id == 0)),                                                                 \
      "sfa_id and sfb_id are 0..3 with one factor a row, 0 or 2 with two (mxf8f6f4 with k = 64), 0 with four")        \
    X(arg, 21, !f.k96 || (f.kind >= TC_KIND_MXF4 && !f.sparse), "k96 goes with a dense mxf4 or mxf4nvf4 only")        \
    X(arg, 22, f.sm107 ? f.kind != TC_KIND_I8 : f.kind != TC_KIND_TI16,                                               \
      "kind ti16 needs sm107 = 1, which has no i8")                                                                   \
    X(arg, 23, f.k == 0 || f.k == tc_tcgen05_k(f.kind, 0, f.k96) || (!f.k96 && (f.kind >= TC_KIND_MXF4                \
      ? f.k == 96 || (f.k == 128 && !f.sparse)                                                                        \
      : f.k == 64 && (f.kind == TC_KIND_MXF8F6F4 || (f.kind == TC_KIND_F8F6F4 && !f.sparse)))),                       \
      "k is the kind's (f16, ti16 16; tf32 8; f8f6f4, i8, mxf8f6f4 32; mxf4 kinds 64), 64 with mxf8f6f4 and with a "  \
      "dense f8f6f4, 96 with the mxf4 kinds, 128 with these if dense")                                                \
    X(arg, 24, f.sm107 || tc__t5_dense_k(f) == tc_tcgen05_k(f.kind, 0, 0) || (f.kind >= TC_KIND_MXF4                  \
      && tc__t5_dense_k(f) == 96 && !f.sparse), "k of 64 (f8f6f4, mxf8f6f4), of 128 and, sparse, of 96 need sm107 = 1")\
    X(arg, 25, tc__t5_dense_k(f) == tc_tcgen05_k(f.kind, 0, 0) || f.m == (f.cta_group == 2 ? 256 : 128)               \
      || (f.kind >= TC_KIND_MXF4 && !f.k), "m is 128 with the longer k, 256 with cta_group 2")                        \
    X(arg, 26, f.kind != TC_KIND_F8F6F4 || f.k != 64 || (tc_type_bits(f.a) == 8 && tc_type_bits(f.b) == 8),           \
      "kind f8f6f4 with k = 64 has e4m3 and e5m2")                                                                    \
    X(arg, 27, !(f.kind >= TC_KIND_MXF4) ? f.sp_single == 0 : f.sp_single == (f.sparse && f.sm107),                   \
      "sp_single is 1 with a sparse mxf4 or mxf4nvf4 on sm_107 (two of four single elements), and else 0 (of pairs)") \
    X(arg, 28, f.sfa_wide == 0 || (f.sfa_wide == 1 && f.sm107 && tc__t5_block_kind(f.kind)),                          \
      "sfa_wide goes with the scaled kinds and sm107 = 1")

/* The number of the first rule that f breaks, 0 if none */
TC_HD TC_CONSTEXPR int tc_tcgen05_idesc_rule(const tc_tcgen05_idesc_fields f)
{
#define TC__X(arg, number, condition, text) !(condition) ? number :
    return TC__T5_IDESC_RULES(TC__X, 0) 0;
#undef TC__X
}

/* 0-1 selector, 2 sparse, 3 saturate, 4-5 type of D (or sfb_id), 7-9 and 10-12 types of A and B, 13 and 14 negate, 15
 * and 16 transpose, 17-22 n / 8, 23 scale type, 24-28 m / 16, 29-30 sfa_id, 30-31 max shift, 31 K of 96. sm_107: 3 K of
 * 128 (mxf4 kinds), 12 sp_single (mxf4 kinds), 24 scale ue5m3, 26 sfa_wide, 29 or, with scales, 31 K of 64 */
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
         | (uint32_t)(f.k96 ? 1u : 0u) << 31
         | (f.kind < TC_KIND_F8F6F4 || !f.k ? 0u
            : f.kind >= TC_KIND_MXF4        ? (uint32_t)(f.k == 128) << 3 | (uint32_t)(f.k == 96) << 31
                                            : (uint32_t)(f.k == 64) << (f.kind == TC_KIND_F8F6F4 ? 29 : 31))
         | (uint32_t)(f.sp_single & 1) << 12 | (uint32_t)(f.scale == TC_UE5M3 ? 1 : 0) << 24
         | (uint32_t)(f.sfa_wide & 1) << 26;
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
 * pairs, of sm_107: of four): group 0..15, with the longer k 0..31 and 0..47, and 0..7 with kinds f16, tf32 and ti16.
 * They lie in the lanes of D's rows, and again in each bank of its columns (col: any of the bank); f16, tf32 and ti16
 * put rows r and r + 8 of 16 into one column, and use the column that the selector chooses. bit: of the 32 of the cell.
 */
TC_HD TC_CONSTEXPR int tc_tcgen05_meta_lane(int kind, int m, int n, int g, int ws, int row, int col, int group)
{
    return tc__t5_broad(kind)   ? tc_tcgen05_d_lane(m, n, g, 1, ws, row / 16 * 16, col) + row % 8 + group / 4 * 8
                                : tc_tcgen05_d_lane(m, n, g, 1, ws, row, col);
}
TC_HD TC_CONSTEXPR int tc_tcgen05_meta_column(int kind, int selector, int group)
{
    return tc__t5_broad(kind) ? selector : group / 8;
}
TC_HD TC_CONSTEXPR int tc_tcgen05_meta_bit(int kind, int row, int group)
{
    return 4 * (tc__t5_broad(kind) ? row / 8 % 2 * 4 + group % 4 : group % 8);
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
    const int bits = f->wide ? 19 : 18;
    if (f->addr % 16 || f->addr >> bits)
        return tc__fail(TC_ERR_DESC, "addr = 0x%x is not a multiple of 16 below 2^%d", (unsigned)f->addr, bits);
    if (f->leading_bytes % 16 || f->leading_bytes >> bits)
        return tc__fail(TC_ERR_DESC, "leading_bytes = %u is not a multiple of 16 below 2^%d",
                        (unsigned)f->leading_bytes, bits);
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
    if (f->lut_half && (f->lut_half != 1 || !f->wide))
        return tc__fail(TC_ERR_DESC, "lut_half = %d is not 0, or 1 on sm_107 (wide)", f->lut_half);
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

/* The same for a tensor map, of A or B of that type: padded as its fields say (6-bit types always are; bytes, for what
 * lies tight, never). No instruction sees it: with another layout it multiplies other numbers. */
TC_HOST tc_status tc_tcgen05_idesc_map_check(const tc_tcgen05_idesc_fields *f, int type, int padded)
{
    const int want = tc_tcgen05_idesc_padded(*f, type);
    if (type != f->a && type != f->b)
        return tc__fail(TC_ERR_DESC, "type = %s is neither A's, %s, nor B's, %s", tc_type_name(type),
                        tc_type_name(f->a), tc_type_name(f->b));
    if (!padded == !want) return TC_OK;
    return tc__fail(TC_ERR_DESC, "padded = %d, but kind %s with k = %d reads %s %s", padded, tc_kind_name(f->kind),
                    tc_tcgen05_idesc_k(*f), tc_type_name(type), want ? "from bytes of their own" : "packed tight");
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
             tc_tcgen05_taddr_lane(taddr) > 127 || tc_tcgen05_taddr_column(taddr) >= TC_CHIP_107_TMEM
                 ? " (outside: there are 128 lanes and 512 columns, 576 on sm_107)"
             : tc_tcgen05_taddr_column(taddr) >= TC_CHIP_100_TMEM ? " (outside, but on sm_107: there are 512 columns)"
                                                    : "");
    return out;
}

TC_HOST const char *tc_tcgen05_desc_text(char *out, size_t size, uint64_t desc)
{
    static const char *const swizzle[8] = {"no swizzle",       "128-byte swizzle in atoms of 32 bytes",
                                           "128-byte swizzle", "swizzle 3 (not valid)",
                                           "64-byte swizzle",  "swizzle 5 (not valid)",
                                           "32-byte swizzle",  "swizzle 7 (not valid)"};
    snprintf(out, size, "start 0x%x, LBO %s%u, SBO %u, %s, base offset %d%s%s%s%s", (unsigned)(desc & 0x7fff) << 4,
             desc >> 52 & 1 ? "absolute " : "", (unsigned)(desc >> 16 & 0x7fff) << 4,
             (unsigned)(desc >> 32 & 0x3fff) << 4, swizzle[desc >> 61], (int)(desc >> 49 & 7),
             (desc >> 46 & 7) == 1   ? ""
             : (desc >> 46 & 7) == 0 ? "; bits 46-48 are 0: this is wgmma's format, not tcgen05's"
                                     : "; bits 46-48 are not 1",
             desc & 0x40004000u ? "; above 256 KB: sm_107 alone" : "",
             desc >> 53 & 1 ? "; second half of the indices: sm_107 alone" : "",
             desc & 0x1fc0000080008000ull ? "; bits that must be 0 are set" : "");
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
        at += (size_t)snprintf(more + at, sizeof more - at, ", scales %s%s, ids %d and %d%s%s",
                               idesc >> 23 & 1            ? "ue8m0"
                               : dense4 && idesc >> 24 & 1 ? "ue5m3"
                                                          : "ue4m3",
                               idesc >> 26 & 1 ? " (A's in 128 lanes)" : "", (int)(idesc >> 29 & 3),
                               (int)(idesc >> 4 & 3),
                               dense4 && idesc >> 31      ? ", K of 96"
                               : dense4 && idesc >> 3 & 1 ? ", K of 128"
                               : idesc >> 31              ? ", K of 64"
                                                          : "",
                               dense4 && idesc >> 12 & 1 ? ", single elements" : "");
    if (kind == TC_KIND_F8F6F4 && !ws && idesc >> 29 & 1)
        at += (size_t)snprintf(more + at, sizeof more - at, ", K of 64");
    if (ws && idesc >> 30) at += (size_t)snprintf(more + at, sizeof more - at, ", shift up to %d", 4 << (idesc >> 30));
    snprintf(out, size, "kind::%s: D %s, %d x %d = %sA %s %s * %sB %s %s%s", tc_kind_name(kind),
             block                   ? "f32"
             : (idesc >> 4 & 3) == 0 ? "f16"
             : (idesc >> 4 & 3) == 1 ? "f32"
             : (idesc >> 4 & 3) == 2 ? "s32"
                                     : "?",
             (int)(idesc >> (block ? 27 : 24) & (block ? 3 : 31)) << (block ? 7 : 4),
             (int)(idesc >> 17 & 63) << 3, idesc >> 13 & 1 ? "-" : "",
             tc_type_name(type[0]), idesc >> 15 & 1 ? "M-major" : "K-major", idesc >> 14 & 1 ? "-" : "",
             tc_type_name(type[1]), idesc >> 16 & 1 ? "N-major" : "K-major", more);
    return out;
}

#endif /* host */

#endif /* TC_TCGEN05_DESC_H */
