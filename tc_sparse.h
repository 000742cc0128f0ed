/* tc_sparse.h - tc 0.2.0 - 2:4 sparsity: prune or verify, compress, metadata, and the fragments of mma.sp. Needs:
 * tc_core.h; host and device.
 *
 * A sparse matrix instruction multiplies an A of which each group of elements along K is half zeros. It is given what
 * is left (half the columns, "kept") and where it stood ("meta"):
 *
 *     tc_sp_args args = {.type = TC_BF16, .rows = m, .cols = k, .a = a, .lda = k, .kept = kept, .ldk = k / 2, .meta =
 *     meta, .ldm = k / 8};
 *     tc_status st = tc_sp_compress(&args);   TC_ERR_SPARSE, and tc_why() names row and columns, where A is not 2:4
 *     st = tc_sp_pack_mma(&args, words);      words[(row / 16 * (k / 64) + col / 64) * 32 + lane]: a register of a lane
 *     ...
 *     for (int s = 0; s < 4; s++)             in the kernel, unrolled by hand: the selector is a literal
 *         TC_MMA_SP_ORDERED(m16n8k16, row, col, f32, bf16, bf16, f32, d, a, b, d, word, s);
 *
 * CONTENTS
 *     tc_sp_group(bits), tc_sp_block(bits)          columns of a group; columns that one metadata register of a warp
 *                                                   describes
 *     tc_sp_compress, tc_sp_expand                  host: a matrix to kept and meta (or a check alone), and back
 *     tc_sp_compress_grid                           device: the same by all threads of a grid, in a kernel of yours
 *     tc_sp_compress_group                          host and device: one group, for kernels that compress what they
 *                                                   have in hand
 *     tc_sp_pack_mma, tc_sp_mma_meta                meta to the registers of mma.sp: host for a matrix, both for one
 *                                                   register
 *     tc_sp_mma_lane, tc_sp_mma_bit                 where a group's four bits stand
 *     tc_frag_sp_{shape}_{class}_{a,b,d}_{row,col}  fragments of mma.sp; A's columns are those of kept
 *     tc_frag_sp_{shape}_{class}_meta_{row,col}     what a pair of metadata bits describes
 *
 * GROUPS                     a group has   keeps    four bits of metadata
 *     f16 bf16, 8 bits       4 elements    any 2    index of the first kept | index of the second << 2
 *     tf32                   2 elements    1        0x4: the first, 0xe: the second
 *     s4 u4, packed e2m1     4 pairs       2 pairs  as for 4 elements, a pair (one byte) taking an element's place
 *     The indices written here increase (ordered metadata). A group with fewer nonzeros keeps zeros too. -0 is zero.
 *     fp6 and fp4 in bytes (kind::f8f6f4, mxf8f6f4) are 8 bits: say .bits = 8 with TC_E2M1.
 *
 * META: row-major nibbles; the group g of a row is nibble g % 2 (low first) of byte g / 2; ldm bytes from row to row.
 *
 * REGISTERS of mma.sp's metadata, g = lane / 4, t = lane % 4. A register of all lanes describes 16 rows x 16 groups,
 * whatever the shape; the selector says which part of it an instruction reads.
 *
 *     f16 bf16 tf32:  bits 0..15            bits 16..31           8 and 4 bits:     bits 0..31
 *       row g,        row g + 8,              t = 0               row g,            groups 0..7
 *       groups        groups                  t = 1               row g + 8,        groups 0..7
 *       4t .. 4t+3    4t .. 4t+3              t = 2               row g,            groups 8..15
 *                                             t = 3               row g + 8,        groups 8..15
 *     selector s reads the groups  s*4.. (16-bit k16, tf32 k8), s*8.. (16-bit k32, tf32 k16, 8-bit k32, 4-bit k64),
 *     all (8-bit k64, 4-bit k128: s = 0): so step s of K along a block of 16 groups is selector s, with one register.
 *
 * TRAPS
 *     A wrong index (two equal ones; unordered ones with ordered metadata; for tf32 anything but 0x4 and 0xe) is
 *     undefined behaviour.
 *     The other operand is not compressed: B has all K rows.
 *
 * Source: PTX ISA, "Matrix multiply-accumulate operation using mma.sp instruction with sparse matrix A".
 */
#ifndef TC_SPARSE_H
#define TC_SPARSE_H

#include "tc_core.h"

/* Columns of a group, and of 16 groups: what a register of metadata describes. bits: of an element as it lies in
 * memory. */
TC_HD TC_CONSTEXPR int tc_sp_group(int bits) { return bits == 32 ? 2 : bits == 4 ? 8 : 4; }
TC_HD TC_CONSTEXPR int tc_sp_block(int bits) { return 16 * tc_sp_group(bits); }

/* Bits of an element of this type in memory: fp6 lies in bytes. */
TC_HD TC_CONSTEXPR int tc_sp_bits(int type) { return type == TC_E3M2 || type == TC_E2M3 ? 8 : tc_type_bits(type); }

/* Is there a sparse instruction for elements of this type that lie in so many bits? TC_F32 stands for TF32's
 * storage. */
TC_HD TC_CONSTEXPR int tc__sp_known(int type, int bits)
{
    return type == TC_E2M1 ? bits == 4 || bits == 8
         : type == TC_F16 || type == TC_BF16 || type == TC_TF32 || type == TC_F32 || type == TC_E4M3 || type == TC_E5M2
                   || type == TC_E3M2 || type == TC_E2M3 || type == TC_S8 || type == TC_U8 || type == TC_S4
                   || type == TC_U4
             ? bits == tc_sp_bits(type)
             : 0;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * One group. A slot is an element, or with 4 bits a pair: one byte.
 */
/* How large an element is, as a number to compare; 0 for zero only. A float's bits without the sign are in the order of
 * its size. */
TC_HD uint32_t tc__sp_size(int type, int bits, uint32_t x)
{
    uint32_t m;
    switch (type) {
    case TC_F16: case TC_BF16: return x & 0x7fffu;
    case TC_E4M3: case TC_E5M2: return x & 0x7fu;
    case TC_E3M2: case TC_E2M3: return x & 0x1fu;
    case TC_U8: case TC_U4: return x;
    case TC_S8: return x & 0x80u ? 256u - x : x;
    case TC_S4: return x & 8u ? 16u - x : x;
    case TC_E2M1: /* twice the value, so that the sizes of a pair can be added; in a byte it has bits 2..5 */
        m = (bits == 8 ? x >> 2 : x) & 7u;
        return m < 2u ? m : (2u + (m & 1u)) << ((m >> 1) - 1u);
    default: return x & 0x7fffffffu;
    }
}

TC_HD uint32_t tc__sp_slot(int bits, const void *row, int64_t i)
{
    return bits == 32 ? ((const uint32_t *)row)[i]
         : bits == 16 ? ((const uint16_t *)row)[i]
                      : ((const uint8_t *)row)[i];
}

TC_HD void tc__sp_put(int bits, void *row, int64_t i, uint32_t x)
{
    if (bits == 32) ((uint32_t *)row)[i] = x;
    else if (bits == 16) ((uint16_t *)row)[i] = (uint16_t)x;
    else ((uint8_t *)row)[i] = (uint8_t)x;
}

TC_HD uint32_t tc__sp_slot_size(int type, int bits, uint32_t x)
{
    return bits == 4 ? tc__sp_size(type, 4, x & 15u) + tc__sp_size(type, 4, x >> 4) : tc__sp_size(type, bits, x);
}

/* Compresses group g of a row: writes the kept elements to their places in the row `kept` (may be null) and returns the
 * four bits of metadata. Of more than the allowed number of nonzeros the largest stay (the first of equals), and bit 4
 * of the result is set. */
TC_HD uint32_t tc_sp_compress_group(int type, int bits, const void *row, int64_t g, void *kept)
{
    const int slots = bits == 32 ? 2 : 4;
    uint32_t value1 = 0, size1 = 0, value2 = 0,
             size2 = 0; /* the largest and the second, and no array: this must stay in registers */
    int at1 = -1, at2 = -1, nonzero = 0, i;
    for (i = 0; i < slots; i++) {
        const uint32_t x = tc__sp_slot(bits, row, g * slots + i), size = tc__sp_slot_size(type, bits, x);
        nonzero += size != 0;
        if (at1 < 0 || size > size1) {
            value2 = value1, size2 = size1, at2 = at1;
            value1 = x, size1 = size, at1 = i;
        } else if (at2 < 0 || size > size2) {
            value2 = x, size2 = size, at2 = i;
        }
    }
    if (bits == 32) {
        if (kept) tc__sp_put(32, kept, g, value1);
        return (at1 ? 0xeu : 0x4u) | (nonzero > 1 ? 16u : 0u);
    }
    if (kept) {
        tc__sp_put(bits, kept, 2 * g, at1 < at2 ? value1 : value2);
        tc__sp_put(bits, kept, 2 * g + 1, at1 < at2 ? value2 : value1);
    }
    return (uint32_t)(at1 < at2 ? at1 | at2 << 2 : at2 | at1 << 2) | (nonzero > 2 ? 16u : 0u);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Matrices, row-major. Null kept and meta: nothing is written, the matrix is only looked at. lda and ldk count elements
 * (with 4 bits they are even), ldm bytes.
 */
typedef struct tc_sp_args {
    /* TC_F16, TC_BF16, TC_TF32, TC_F32, TC_S8, TC_U8, TC_S4, TC_U4, TC_E4M3, TC_E5M2, TC_E3M2, TC_E2M3, TC_E2M1 */
    int type;
    int bits;             /* of an element in memory; 0: what the type has (fp6: 8). TC_E2M1 in bytes: 8 */
    int prune;            /* 0: a group with too many nonzeros is an error; 1: it keeps its largest */
    int64_t rows, cols;   /* of A; cols a multiple of two groups */
    const void *a;
    int64_t lda;
    void *kept;           /* rows x cols / 2 */
    int64_t ldk;
    uint8_t *meta;        /* rows x cols / group / 2 bytes */
    int64_t ldm;
} tc_sp_args;

/* Two groups of row r, those of byte `byte` of its metadata. Returns which of them (1, 2, or both) had too many
 * nonzeros. */
TC_HD int tc__sp_byte(const tc_sp_args *p, int bits, int64_t r, int64_t byte)
{
    const char *row = (const char *)p->a + r * p->lda * bits / 8;
    char *kept = p->kept ? (char *)p->kept + r * p->ldk * bits / 8 : (char *)0;
    const uint32_t lo = tc_sp_compress_group(p->type, bits, row, 2 * byte, kept);
    const uint32_t hi = tc_sp_compress_group(p->type, bits, row, 2 * byte + 1, kept);
    if (p->meta) p->meta[r * p->ldm + byte] = (uint8_t)((lo & 15u) | (hi & 15u) << 4);
    return p->prune ? 0 : (int)(lo >> 4 | hi >> 4 << 1);
}

#ifdef __CUDACC__
/* Every thread of a one-dimensional grid calls it: the grid compresses the matrix, a byte of metadata a thread and
 * turn. The arguments are those of tc_sp_compress and are not checked. Returns -1, or for the first group with too many
 * nonzeros that this thread saw its row * (cols / group) + its number in the row; nothing is known then of what stands
 * in kept and meta there. */
TC_DEV int64_t tc_sp_compress_grid(const tc_sp_args *p)
{
    const int bits = p->bits ? p->bits : tc_sp_bits(p->type);
    const int64_t bytes = p->cols / tc_sp_group(bits) / 2, all = p->rows * bytes;
    int64_t bad = -1;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < all; i += (int64_t)gridDim.x * blockDim.x) {
        const int over = tc__sp_byte(p, bits, i / bytes, i % bytes);
        if (over && bad < 0) bad = 2 * i + (over == 2);
    }
    return bad;
}
#endif

#ifndef __CUDACC_RTC__

TC_HOST tc_status tc__sp_check(const tc_sp_args *p, int bits)
{
    if (!p->a && !p->kept) return tc__fail(TC_ERR_NULL, "a is null");
    if (!tc__sp_known(p->type, bits))
        return tc__fail(TC_ERR_SPARSE, "elements of type %s in %d bits have no sparse instruction",
                        tc_type_name(p->type), bits);
    if (p->rows < 0 || p->cols < 0)
        return tc__fail(TC_ERR_SIZE, "rows = %lld and cols = %lld must not be negative", (long long)p->rows,
                        (long long)p->cols);
    if (p->cols % (2 * tc_sp_group(bits)))
        return tc__fail(TC_ERR_SIZE, "cols = %lld is no multiple of %d: two groups", (long long)p->cols,
                        2 * tc_sp_group(bits));
    if (p->a && p->lda < p->cols)
        return tc__fail(TC_ERR_PITCH, "lda = %lld is less than cols = %lld", (long long)p->lda, (long long)p->cols);
    if (p->kept && p->ldk < p->cols / 2)
        return tc__fail(TC_ERR_PITCH, "ldk = %lld is less than cols / 2 = %lld", (long long)p->ldk,
                        (long long)p->cols / 2);
    if (p->meta && p->ldm < p->cols / tc_sp_group(bits) / 2)
        return tc__fail(TC_ERR_PITCH, "ldm = %lld is less than the %lld bytes of a row's metadata", (long long)p->ldm,
                        (long long)p->cols / tc_sp_group(bits) / 2);
    if (bits == 4 && (p->lda % 2 || p->ldk % 2))
        return tc__fail(TC_ERR_PITCH, "lda and ldk must be even with 4-bit elements");
    return TC_OK;
}

/* Compresses A (or looks at it), on the host. TC_ERR_SPARSE where a group has too many nonzeros and .prune is 0:
 * tc_why() says where. Also TC_ERR_NULL, TC_ERR_SIZE, TC_ERR_PITCH. A matrix that is not 2:4 leaves kept and meta half
 * written. */
TC_HOST tc_status tc_sp_compress(const tc_sp_args *p)
{
    const int bits = p->bits ? p->bits : tc_sp_bits(p->type), group = tc_sp_group(bits);
    const tc_status st = tc__sp_check(p, bits);
    int64_t r, i;
    if (st != TC_OK) return st;
    if (!p->a) return tc__fail(TC_ERR_NULL, "a is null");
    for (r = 0; r < p->rows; r++)
        for (i = 0; i < p->cols / group / 2; i++) {
            const int over = tc__sp_byte(p, bits, r, i);
            if (over) {
                const long long at = (long long)(2 * i + (over == 2)) * group;
                return tc__fail(
                    TC_ERR_SPARSE,
                    "row %lld, columns %lld to %lld of A hold more than %s: set .prune, or prune the matrix",
                    (long long)r, at, at + group - 1,
                    bits == 32  ? "1 nonzero in 2"
                    : bits == 4 ? "2 pairs in 4 that are not zero"
                                : "2 nonzeros in 4");
            }
        }
    return TC_OK;
}

/* The way back: writes the dense matrix to a (rows x cols, pitch .lda) from kept and meta. */
TC_HOST tc_status tc_sp_expand(const tc_sp_args *p, void *a)
{
    const int bits = p->bits ? p->bits : tc_sp_bits(p->type), slots = bits == 32 ? 2 : 4;
    const tc_status st = tc__sp_check(p, bits);
    int64_t r, g;
    int i;
    if (st != TC_OK) return st;
    if (!a || !p->kept || !p->meta) return tc__fail(TC_ERR_NULL, "a, kept and meta must not be null");
    for (r = 0; r < p->rows; r++) {
        char *row = (char *)a + r * p->lda * bits / 8;
        const char *kept = (const char *)p->kept + r * p->ldk * bits / 8;
        for (g = 0; g < p->cols / tc_sp_group(bits); g++) {
            const int nibble = p->meta[r * p->ldm + g / 2] >> (int)(g % 2 * 4) & 15;
            for (i = 0; i < slots; i++) tc__sp_put(bits, row, g * slots + i, 0);
            if (bits == 32) tc__sp_put(32, row, g * 2 + (nibble == 0xe), tc__sp_slot(32, kept, g));
            else
                for (i = 0; i < 2; i++)
                    tc__sp_put(bits, row, g * 4 + (nibble >> 2 * i & 3), tc__sp_slot(bits, kept, 2 * g + i));
        }
    }
    return TC_OK;
}

#endif /* not NVRTC */

/* ---------------------------------------------------------------------------------------------------------------------
 * Metadata in the registers of mma.sp. A block is 16 rows x 16 groups.
 */
/* Lane, and lowest bit of its register, that hold the four bits of group 0..15 of row 0..15 of a block. */
TC_HD TC_CONSTEXPR int tc_sp_mma_lane(int bits, int row, int group)
{
    return row % 8 * 4 + (bits >= 16 ? group / 4 : group / 8 * 2 + row / 8);
}
TC_HD TC_CONSTEXPR int tc_sp_mma_bit(int bits, int row, int group)
{
    return bits >= 16 ? row / 8 * 16 + group % 4 * 4 : group % 8 * 4;
}

/* The register of a lane for the block whose first row's metadata begins at meta (8 bytes a row). */
TC_HD uint32_t tc_sp_mma_meta(const uint8_t *meta, int64_t ldm, int bits, int lane)
{
    const int g = lane / 4, t = lane % 4;
    const uint8_t *lo, *hi;
    if (bits >= 16) lo = meta + g * ldm + 2 * t, hi = lo + 8 * ldm;
    else lo = meta + (g + t % 2 * 8) * ldm + t / 2 * 4, hi = lo + 2;
    return (uint32_t)lo[0] | (uint32_t)lo[1] << 8 | (uint32_t)hi[0] << 16 | (uint32_t)hi[1] << 24;
}

#ifndef __CUDACC_RTC__
/* All of meta as registers: words[(row / 16 * (cols / block) + col / block) * 32 + lane], block = tc_sp_block(bits);
 * rows a multiple of 16, cols of the block. */
TC_HOST tc_status tc_sp_pack_mma(const tc_sp_args *p, uint32_t *words)
{
    const int bits = p->bits ? p->bits : tc_sp_bits(p->type), block = tc_sp_block(bits);
    const tc_status st = tc__sp_check(p, bits);
    int64_t r, c;
    int lane;
    if (st != TC_OK) return st;
    if (!p->meta || !words) return tc__fail(TC_ERR_NULL, "meta and words must not be null");
    if (p->rows % 16) return tc__fail(TC_ERR_SIZE, "rows = %lld is no multiple of 16", (long long)p->rows);
    if (p->cols % block)
        return tc__fail(TC_ERR_SIZE, "cols = %lld is no multiple of %d: 16 groups", (long long)p->cols, block);
    for (r = 0; r < p->rows; r += 16)
        for (c = 0; c < p->cols; c += block)
            for (lane = 0; lane < 32; lane++)
                words[(r / 16 * (p->cols / block) + c / block) * 32 + lane] = tc_sp_mma_meta(p->meta + r * p->ldm
                                                                                                 + c / block * 8,
                                                                                             p->ldm, bits, lane);
    return TC_OK;
}
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * Fragments of mma.sp. Element i of a lane, counted through its registers: A (m, column of kept), B (n, k), D (m, n).
 * Bit pair i (0..15) of a lane's metadata, with the instruction's selector: the row of A and the column of kept that it
 * describes, or -1 where the instruction does not read it. With 4 bits a pair of metadata bits describes two columns
 * (the first is given), with tf32 both pairs of four bits describe the same. Columns of the table: shape and class,
 * bits, elements in a register, groups along K.
 */
#define TC__SP_FRAGS(X)                                                                                               \
    X(m16n8k16_b16, 16, 2, 4) X(m16n8k32_b16, 16, 2, 8) X(m16n8k8_b32, 32, 1, 4) X(m16n8k16_b32, 32, 1, 8)            \
    X(m16n8k32_b8, 8, 4, 8) X(m16n8k64_b8, 8, 4, 16) X(m16n8k64_b4, 4, 8, 8) X(m16n8k128_b4, 4, 8, 16)

TC_HD TC_CONSTEXPR int tc__sp_pair_group(int bits, int lane, int i)
{
    return bits >= 16 ? lane % 4 * 4 + i % 8 / 2 : lane % 4 / 2 * 8 + i / 2;
}
TC_HD TC_CONSTEXPR int tc__sp_pair_row(int bits, int lane, int i)
{
    return lane / 4 + (bits >= 16 ? i / 8 : lane % 2) * 8;
}
TC_HD TC_CONSTEXPR int tc__sp_pair_col(int bits, int group, int i)
{
    return bits == 32 ? group : bits == 4 ? group * 4 + i % 2 * 2 : group * 2 + i % 2;
}

#define TC__SP_FRAG(name, bits, e, groups)                                                                            \
    TC_HD TC_CONSTEXPR int tc_frag_sp_##name##_a_row(int lane, int i) { return lane / 4 + i / (e) % 2 * 8; }          \
    TC_HD TC_CONSTEXPR int tc_frag_sp_##name##_a_col(int lane, int i)                                                 \
    {                                                                                                                 \
        return (i / (e) / 2 * 4 + lane % 4) * (e) + i % (e);                                                          \
    }                                                                                                                 \
    TC_HD TC_CONSTEXPR int tc_frag_sp_##name##_b_row(int lane, int i) { return lane / 4 + 0 * i; }                    \
    TC_HD TC_CONSTEXPR int tc_frag_sp_##name##_b_col(int lane, int i)                                                 \
    {                                                                                                                 \
        return (i / (e) * 4 + lane % 4) * (e) + i % (e);                                                              \
    }                                                                                                                 \
    TC_HD TC_CONSTEXPR int tc_frag_sp_##name##_d_row(int lane, int i) { return lane / 4 + i / 2 * 8; }                \
    TC_HD TC_CONSTEXPR int tc_frag_sp_##name##_d_col(int lane, int i) { return lane % 4 * 2 + i % 2; }                \
    TC_HD TC_CONSTEXPR int tc_frag_sp_##name##_meta_row(int lane, int i, int selector)                                \
    {                                                                                                                 \
        return tc__sp_pair_group(bits, lane, i) / (groups) == selector ? tc__sp_pair_row(bits, lane, i) : -1;         \
    }                                                                                                                 \
    TC_HD TC_CONSTEXPR int tc_frag_sp_##name##_meta_col(int lane, int i, int selector)                                \
    {                                                                                                                 \
        return tc__sp_pair_group(bits, lane, i) / (groups) == selector                                                \
                   ? tc__sp_pair_col(bits, tc__sp_pair_group(bits, lane, i) % (groups), i) : -1;                      \
    }
TC__SP_FRAGS(TC__SP_FRAG)
#undef TC__SP_FRAG

#endif /* TC_SPARSE_H */
