/* tc_sparse_pack.h - tc 0.2.0 - a 2:4 sparse operand as the generated GEMMs read it (.sparse): its values, and its
 * metadata in bricks; prunes, compresses and packs in one pass, on the host and on the device. Needs: tc_sparse.h.
 *
 *     tc_sp_args args = {.type = TC_BF16, .prune = 1, .rows = m, .cols = k, .a = a, .lda = k, .kept = kept,
 *                        .ldk = k / 2, .meta = (uint8_t *)meta};         .meta: tc_sp_meta_bytes(type, m, k) bytes
 *     tc_status st = tc_sp_pack(&args);                                  host
 *     ...
 *     static __global__ void pack(tc_sp_args args) { tc_sp_pack_grid(TC_BF16, &args); }        device, any grid
 *     ...
 *     tc_gemm_args call = {..., .a = kept, .lda = k / 2, .meta = meta};  of a kernel with .sparse = TC_SPARSE_A
 *
 * Types: TC_F16, TC_BF16, TC_TF32 (f32 elements), TC_S8, TC_U8, TC_E4M3, TC_E5M2. Groups, their four bits, and what
 * stays of a group are tc_sparse.h's. cols is a multiple of 8 (TC_TF32: 4). .ldm is not used: leave it 0.
 *
 * BRICKS. A brick is the metadata of 64 rows by 64 bytes of what is kept: 64 columns of A of 16 bits, 128 of 8 bits, 32
 * of tf32. It is what the 128 threads of a warpgroup hold of wgmma.sp's metadata, thread after thread (and a warp's 32
 * threads hold mma.sp's for 16 rows of it), w = t / 32, g = t % 32 / 4, q = t % 4:
 *
 *     16 and 32 bits    a word a thread, 512 bytes        bits 0-15: row 16w + g, groups 4q .. 4q + 3, lowest first
 *                                                         bits 16-31: row 16w + g + 8, the same groups
 *     8 bits            two words a thread, 1024 bytes    word i: row 16w + g + q % 2 * 8,
 *                                                         groups 16i + q / 2 * 8 + 0..7
 *
 * Bricks follow one another along the columns, then along the rows. What the last ones have outside of A says "the
 * first two" (tf32: the first), so that every word is valid. A kernel of Hopper brings a brick by one bulk copy and
 * reads a thread's words in one load; there are no bank conflicts, and no word is read twice by a warp. A kernel of
 * Blackwell puts the words in tensor memory's order itself (tc_gemm_sm100_sparse.h): one layout serves all.
 *
 *     tc_sp_brick_cols, _words, _bytes    of a brick, by the bits of an element
 *     tc_sp_meta_bytes                    of all
 *     tc_sp_meta_place, tc_sp_meta_get    where a group's four bits stand; them
 *     tc_sp_pack, tc_sp_unpack            host: a matrix to kept and bricks, or a check alone; and back
 *     tc_sp_pack_grid                     device: the same by all threads of a grid, in a kernel of yours
 *
 * Source: PTX ISA, "Matrix multiply-accumulate operation using mma.sp", "Sparse matrix storage" of wgmma.
 */
#ifndef TC_SPARSE_PACK_H
#define TC_SPARSE_PACK_H

#include "tc_sparse.h"

enum { TC_SP_BRICK_ROWS = 64, TC__SP_BRICK_THREADS = 128, TC__SP_RUN = 32 /* bytes of a row of A */ };

TC_HD TC_CONSTEXPR int tc_sp_brick_cols(int bits) { return bits > 0 ? 1024 / bits : 64; }
TC_HD TC_CONSTEXPR int tc_sp_brick_words(int bits) { return bits == 8 ? 2 : 1; }
TC_HD TC_CONSTEXPR int tc_sp_brick_bytes(int bits) { return TC__SP_BRICK_THREADS * 4 * tc_sp_brick_words(bits); }

/* Has the layout this type? */
TC_HD TC_CONSTEXPR int tc_sp_pack_known(int type)
{
    return type == TC_F16 || type == TC_BF16 || type == TC_TF32 || type == TC_S8 || type == TC_U8 || type == TC_E4M3
        || type == TC_E5M2;
}

/* Bricks along the columns, along the rows. */
TC_HD int64_t tc__sp_bricks_along(int bits, int64_t cols)
{
    return (cols + tc_sp_brick_cols(bits) - 1) / tc_sp_brick_cols(bits);
}
TC_HD int64_t tc__sp_bricks_down(int64_t rows) { return (rows + TC_SP_BRICK_ROWS - 1) / TC_SP_BRICK_ROWS; }

/* Bytes of the metadata of a matrix of rows x cols: a multiple of 512. */
TC_HD int64_t tc_sp_meta_bytes(int type, int64_t rows, int64_t cols)
{
    const int bits = tc_sp_bits(type);
    return tc__sp_bricks_down(rows) * tc__sp_bricks_along(bits, cols) * tc_sp_brick_bytes(bits);
}

/* Where the four bits of a group of a row stand: their word of the metadata, their lowest bit. */
typedef struct tc_sp_place {
    int64_t word;
    int bit;
} tc_sp_place;

TC_HD tc_sp_place tc_sp_meta_place(int type, int64_t cols, int64_t row, int64_t group)
{
    const int bits = tc_sp_bits(type), words = tc_sp_brick_words(bits), groups = 16 * words;
    const int r = (int)(row % TC_SP_BRICK_ROWS), x = (int)(group % groups) % 16;
    const int thread = r / 16 * 32 + tc_sp_mma_lane(bits, r % 16, x), word = (int)(group % groups) / 16;
    const int64_t brick = row / TC_SP_BRICK_ROWS * tc__sp_bricks_along(bits, cols) + group / groups;
    tc_sp_place p;
    p.word = (brick * TC__SP_BRICK_THREADS + thread) * words + word;
    p.bit = tc_sp_mma_bit(bits, r % 16, x);
    return p;
}

TC_HD uint32_t tc_sp_meta_get(int type, const void *meta, int64_t cols, int64_t row, int64_t group)
{
    const tc_sp_place p = tc_sp_meta_place(type, cols, row, group);
    return ((const uint32_t *)meta)[p.word] >> p.bit & 15u;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A run: 32 bytes of a row of A, 4 groups (of 8 bits 8), which become 16 bytes of kept and 16 (32) bits of metadata.
 * What a word describes: two runs of rows 8 apart, or one. Number `word` of all.
 */
typedef struct tc__sp_run {
    int64_t row, col; /* its first element */
} tc__sp_run;

TC_HD tc__sp_run tc__sp_run_of(int bits, uint32_t along, uint64_t word)
{
    const uint32_t words = (uint32_t)tc_sp_brick_words(bits), of_brick = TC__SP_BRICK_THREADS * words;
    const uint32_t brick = (uint32_t)(word / of_brick), in = (uint32_t)(word % of_brick), t = in / words;
    const uint32_t down = brick / along, q = t % 4u;
    tc__sp_run r;
    r.row = (int64_t)down * TC_SP_BRICK_ROWS + (int)(t / 32u * 16u + t % 32u / 4u + (bits == 8 ? q % 2u * 8u : 0u));
    r.col = (int64_t)(brick - down * along) * tc_sp_brick_cols(bits)
          + (int)((bits == 8 ? in % words * 2u + q / 2u : q) * (uint32_t)(TC__SP_RUN * 8 / bits));
    return r;
}

/* Metadata of what does not exist: the first two of each group; tf32: the first. */
enum { TC__SP_NOTHING = 0x44444444 };

/* Metadata of a run, group by group; its kept elements go to their places. over: number of the first group with too
 * many nonzeros, if it was -1 before, and .prune is 0. */
TC_HD uint32_t tc__sp_run_slowly(int type, const tc_sp_args *p, tc__sp_run run, int64_t *over)
{
    const int bits = tc_sp_bits(type), group = tc_sp_group(bits), groups = bits == 8 ? 8 : 4;
    const char *row = (const char *)p->a + run.row * p->lda * (bits / 8);
    char *kept = p->kept ? (char *)p->kept + run.row * p->ldk * (bits / 8) : (char *)0;
    uint32_t meta = (uint32_t)TC__SP_NOTHING;
    int i;
    if (run.row >= p->rows) return meta;
    for (i = 0; i < groups && run.col + i * group < p->cols; i++) {
        const int64_t g = run.col / group + i;
        const uint32_t nibble = tc_sp_compress_group(type, bits, row, g, kept);
        meta = (meta & ~(15u << 4 * i)) | (nibble & 15u) << 4 * i;
        if (nibble >> 4 && !p->prune && *over < 0) *over = run.row * (p->cols / group) + g;
    }
    return meta;
}

TC_HD uint64_t tc__sp_words(int type, const tc_sp_args *p)
{
    return (uint64_t)tc_sp_meta_bytes(type, p->rows, p->cols) / 4;
}

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Device: a run by two loads of 16 bytes, one store, and no loop over elements.
 */
TC_DEV uint32_t tc__sp_max(uint32_t a, uint32_t b) { return a > b ? a : b; }
TC_DEV uint32_t tc__sp_min(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The two largest of four keys, size * 4 + 3 - index each: of equals the first. Their indices, the lower one first. */
typedef struct tc__sp_two {
    uint32_t lower, upper, over;
} tc__sp_two;

TC_DEV tc__sp_two tc__sp_largest(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t ab = tc__sp_max(a, b), cd = tc__sp_max(c, d), less_ab = tc__sp_min(a, b), less_cd = tc__sp_min(c, d);
    const uint32_t one = 3u - tc__sp_max(ab, cd) % 4u;
    const uint32_t two = 3u - tc__sp_max(tc__sp_min(ab, cd), tc__sp_max(less_ab, less_cd)) % 4u;
    const tc__sp_two r = {tc__sp_min(one, two), tc__sp_max(one, two), (a > 3u) + (b > 3u) + (c > 3u) + (d > 3u) > 2u};
    return r;
}

/* One group of 16 bits, in two registers; what stays is a register. The result has bit 4 as tc_sp_compress_group's. */
TC_DEV uint32_t tc__sp_group_16(uint32_t x0, uint32_t x1, uint32_t *kept)
{
    const tc__sp_two r = tc__sp_largest((x0 << 2 & 0x1fffcu) + 3u, (x0 >> 14 & 0x1fffcu) + 2u,
                                        (x1 << 2 & 0x1fffcu) + 1u, x1 >> 14 & 0x1fffcu);
    *kept = __byte_perm(x0, x1, 0x1010u + r.lower * 0x22u + r.upper * 0x2200u);
    return r.lower | r.upper << 2 | r.over << 4;
}

/* One of 8 bits, in a register; what stays is its lower half. */
TC_DEV uint32_t tc__sp_group_8(const int type, uint32_t x, uint32_t *kept)
{
    const tc__sp_two r = tc__sp_largest(
        tc__sp_size(type, 8, x & 255u) * 4u + 3u, tc__sp_size(type, 8, x >> 8 & 255u) * 4u + 2u,
        tc__sp_size(type, 8, x >> 16 & 255u) * 4u + 1u, tc__sp_size(type, 8, x >> 24) * 4u);
    *kept = __byte_perm(x, 0u, r.lower + r.upper * 0x10u + 0x4400u);
    return r.lower | r.upper << 2 | r.over << 4;
}

/* One of tf32. */
TC_DEV uint32_t tc__sp_group_32(uint32_t x0, uint32_t x1, uint32_t *kept)
{
    const uint32_t s0 = x0 & 0x7fffffffu, s1 = x1 & 0x7fffffffu;
    *kept = s0 >= s1 ? x0 : x1;
    return (s0 >= s1 ? 0x4u : 0xeu) | (s0 && s1 ? 16u : 0u);
}

/* A run that lies inside of A and begins, as its kept elements do, at a multiple of 16 bytes. type: a constant. */
TC_DEV uint32_t tc__sp_run_at_once(const int type, const tc_sp_args *p, tc__sp_run run, int64_t *over)
{
    const int bits = tc_sp_bits(type);
    const uint4 *from = (const uint4 *)((const char *)p->a + (run.row * p->lda + run.col) * (bits / 8));
    const uint4 lo = from[0], hi = from[1];
    const uint32_t x[8] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w};
    uint32_t kept[8], meta = 0u, too_many = 0u;
#pragma unroll
    for (int i = 0; i < (bits == 8 ? 8 : 4); i++) {
        const uint32_t nibble = bits == 8  ? tc__sp_group_8(type, x[i], kept + i)
                              : bits == 16 ? tc__sp_group_16(x[2 * i], x[2 * i + 1], kept + i)
                                           : tc__sp_group_32(x[2 * i], x[2 * i + 1], kept + i);
        meta |= (nibble & 15u) << 4 * i;
        too_many |= (nibble >> 4) << i;
    }
    if (bits == 8) {
#pragma unroll
        for (int i = 0; i < 4; i++) kept[i] = __byte_perm(kept[2 * i], kept[2 * i + 1], 0x5410u);
    }
    if (p->kept)
        *(uint4 *)((char *)p->kept + (run.row * p->ldk + run.col / 2) * (bits / 8)) =
            make_uint4(kept[0], kept[1], kept[2], kept[3]);
    if (!p->prune && too_many && *over < 0)
        *over = run.row * (p->cols / tc_sp_group(bits)) + run.col / tc_sp_group(bits) + __ffs((int)too_many) - 1;
    return meta;
}

/* Every thread of a one-dimensional grid calls it: the grid prunes and compresses the matrix, a word of metadata a
 * thread and turn, each byte of A read once. type: p->type again, as a constant. The arguments are those of tc_sp_pack
 * and are not checked; rows that begin at multiples of 16 bytes, in a and in kept, go at the memory's rate, others
 * group by group. Returns -1, or for the first group with too many nonzeros that this thread saw (.prune 0) its row *
 * (cols / group) + its number in the row; kept and meta are not to be used then. */
TC_DEV int64_t tc_sp_pack_grid(const int type, const tc_sp_args *p)
{
    const int bits = tc_sp_bits(type), two = bits != 8;
    const int64_t run_cols = TC__SP_RUN * 8 / bits;
    const uint32_t along = (uint32_t)tc__sp_bricks_along(bits, p->cols);
    const uint64_t all = tc__sp_words(type, p), step = (uint64_t)gridDim.x * blockDim.x;
    const uint64_t begins = (uint64_t)(uintptr_t)p->a | (uint64_t)(uintptr_t)p->kept
                          | (uint64_t)(p->lda * (bits / 8)) | (uint64_t)(p->ldk * (bits / 8));
    int64_t over = -1;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < all; i += step) {
        const tc__sp_run run = tc__sp_run_of(bits, along, i), second = {run.row + 8, run.col};
        const int whole = begins % 16u == 0 && run.col + run_cols <= p->cols;
        uint32_t word;
        if (whole && run.row < p->rows) word = tc__sp_run_at_once(type, p, run, &over);
        else word = tc__sp_run_slowly(type, p, run, &over);
        if (two) {
            uint32_t high;
            if (whole && second.row < p->rows) high = tc__sp_run_at_once(type, p, second, &over);
            else high = tc__sp_run_slowly(type, p, second, &over);
            word = (word & 0xffffu) | high << 16;
        }
        if (p->meta) ((uint32_t *)p->meta)[i] = word;
    }
    return over;
}

#endif /* __CUDACC__ */

#ifndef __CUDACC_RTC__

TC_HOST tc_status tc__sp_pack_check(const tc_sp_args *p)
{
    tc_status st;
    tc_sp_args x;
    if (!p) return tc__fail(TC_ERR_NULL, "args is null");
    if (!tc_sp_pack_known(p->type) || (p->bits && p->bits != tc_sp_bits(p->type)))
        return tc__fail(TC_ERR_SPARSE, "type = %s must be TC_F16, TC_BF16, TC_TF32, TC_S8, TC_U8, TC_E4M3 or TC_E5M2, "
                        "and bits 0", tc_type_name(p->type));
    if (p->ldm) return tc__fail(TC_ERR_PITCH, "ldm = %lld, but bricks have no pitch: leave it 0", (long long)p->ldm);
    if ((uintptr_t)p->meta % 4)
        return tc__fail(TC_ERR_ALIGN, "meta = %p is not a multiple of 4 bytes", (const void *)p->meta);
    x = *p, x.meta = NULL;
    st = tc__sp_check(&x, tc_sp_bits(p->type));
    return st;
}

/* Compresses A (or, with null kept and meta, looks at it), on the host: as tc_sp_compress, but for the metadata, which
 * goes to bricks. TC_ERR_SPARSE where a group has too many nonzeros and .prune is 0: tc_why() says where. Also
 * TC_ERR_NULL, TC_ERR_SIZE, TC_ERR_PITCH, TC_ERR_ALIGN. */
TC_HOST tc_status tc_sp_pack(const tc_sp_args *p)
{
    const tc_status st = tc__sp_pack_check(p);
    int64_t over = -1;
    uint64_t i, all;
    uint32_t along;
    int bits;
    if (st != TC_OK) return st;
    if (!p->a) return tc__fail(TC_ERR_NULL, "a is null");
    bits = tc_sp_bits(p->type), along = (uint32_t)tc__sp_bricks_along(bits, p->cols);
    all = tc__sp_words(p->type, p);
    for (i = 0; i < all; i++) {
        tc__sp_run run = tc__sp_run_of(bits, along, i);
        uint32_t word = tc__sp_run_slowly(p->type, p, run, &over);
        run.row += 8;
        if (bits != 8) word = (word & 0xffffu) | tc__sp_run_slowly(p->type, p, run, &over) << 16;
        if (p->meta) ((uint32_t *)p->meta)[i] = word;
        if (over >= 0) {
            const int64_t groups = p->cols / tc_sp_group(bits), first = over % groups * tc_sp_group(bits);
            return tc__fail(TC_ERR_SPARSE,
                            "row %lld, columns %lld to %lld of A hold more than %s: set .prune, or prune the matrix",
                            (long long)(over / groups), (long long)first, (long long)first + tc_sp_group(bits) - 1,
                            bits == 32 ? "1 nonzero in 2" : "2 nonzeros in 4");
        }
    }
    return TC_OK;
}

/* The way back, on the host: the dense matrix to a (rows x cols, pitch .lda), from kept and bricks. */
TC_HOST tc_status tc_sp_unpack(const tc_sp_args *p, void *a)
{
    const tc_status st = tc__sp_pack_check(p);
    int64_t r, g;
    int i, bits, slots;
    if (st != TC_OK) return st;
    if (!a || !p->kept || !p->meta) return tc__fail(TC_ERR_NULL, "a, kept and meta must not be null");
    bits = tc_sp_bits(p->type), slots = bits == 32 ? 2 : 4;
    for (r = 0; r < p->rows; r++) {
        char *row = (char *)a + r * p->lda * bits / 8;
        const char *kept = (const char *)p->kept + r * p->ldk * bits / 8;
        for (g = 0; g < p->cols / slots; g++) {
            const uint32_t nibble = tc_sp_meta_get(p->type, p->meta, p->cols, r, g);
            for (i = 0; i < slots; i++) tc__sp_put(bits, row, g * slots + i, 0);
            if (bits == 32) tc__sp_put(32, row, g * 2 + (nibble == 0xeu), tc__sp_slot(32, kept, g));
            else
                for (i = 0; i < 2; i++)
                    tc__sp_put(bits, row, g * 4 + (nibble >> 2 * i & 3u), tc__sp_slot(bits, kept, 2 * g + i));
        }
    }
    return TC_OK;
}

#endif /* not NVRTC */
#endif /* TC_SPARSE_PACK_H */
