/* tc_operand.h - tc 0.2.0 - one operand's block of k in shared memory: its bytes, its descriptor steps, its loaders,
 * its tensor map. Needs: the headers below.
 *
 * All element types look alike to shared memory. A block of `rows` rows by `k` elements is cut along k into boxes of
 * 128 bytes of each row, in 128-byte swizzle, end to end; an instruction of the Tensor Cores takes 32 bytes of k (a
 * step), four to a box:
 *
 *         box 0 (rows x 128 bytes)      box 1
 *     row |0    |32   |64   |96   |  |128  |160  ...     bytes of k
 *      0  |step0|step1|step2|step3|  |step4|step5
 *
 *     tc_operand, tc_operand_of, tc_operand_turned     a block, described at compile time; the same MN-major
 *     tc_operand_steps, tc_operand_step                how many instructions a block takes; where one begins
 *     tc_operand_fetch, tc_operand_fetch_own           loader by TMA: one box, with or without multicast; for sm_120
 *     tc_operand_map (host)                            the tensor map that goes with it
 *     tc_operand_gather, tc_operand_map_rows (host)    rows that are looked up, four an instruction; sm_100a
 *
 * Where threads copy (cp.async), rows lie end to end, as long as they are, and their 16-byte chunks are swizzled:
 *
 *     tc_rows                                          a tile of rows, and the threads that copy it
 *     tc_rows_at, tc_rows_move                         offset of a chunk; the same moved along the row
 *     tc_rows_to                                       where a thread's copy number i goes
 *     tc_rows_copy, tc_rows_copy_8                     16 bytes of a row of any alignment; the same of 8-bit elements
 */
#ifndef TC_OPERAND_H
#define TC_OPERAND_H

#include "tc_core.h"
#include "tc_mma.h"
#include "tc_swizzle.h"
#include "tc_tma.h"
#include "tc_host.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Blocks in boxes.
 */
typedef struct tc_operand {
    int type, rows, k;           /* elements */
    int boxes, box_bytes, bytes; /* boxes of 128 bytes of k; bytes of one, of all */
    int mn;                      /* 1: turned, boxes of 128 bytes of rows (MN-major) */
} tc_operand;

TC_HD TC_CONSTEXPR tc_operand tc_operand_of(int type, int rows, int k)
{
    tc_operand o = {type, rows, k, 0, 0, 0, 0};
    o.boxes = (k * tc_type_bits(type) / 8 + 127) / 128;
    o.box_bytes = rows * 128;
    o.bytes = o.boxes * o.box_bytes;
    return o;
}

/* The same turned: elements whose neighbours along the rows lie together (MN-major). Boxes have 128 bytes of them for
 * each k, 64 of 16 bits, and a step of the instruction takes 32 bytes of k, 16 of 16 bits. */
TC_HD TC_CONSTEXPR tc_operand tc_operand_turned(int type, int rows, int k)
{
    tc_operand o = {type, rows, k, 0, 0, 0, 1};
    const int across = tc_type_bits(type) > 0 ? 1024 / tc_type_bits(type) : 64; /* of a type that is none: any */
    o.boxes = (rows + across - 1) / across;
    o.box_bytes = k * 128;
    o.bytes = o.boxes * o.box_bytes;
    return o;
}

TC_HD TC_CONSTEXPR int tc_operand_box_k(const tc_operand o)
{
    return 1024 / tc_type_bits(o.type); /* elements of k in a box; turned: of rows */
}
TC_HD TC_CONSTEXPR int tc_operand_steps(const tc_operand o) { return o.k * tc_type_bits(o.type) / 8 / 32; }
TC_HD TC_CONSTEXPR int tc_operand_step(const tc_operand o, int step)
{
    return o.mn ? step * (256 / tc_type_bits(o.type)) * 128 /* bytes from the block's start */
                : step / 4 * o.box_bytes + step % 4 * 32;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Rows end to end. Each row is `bytes` long, a multiple of 16. The XOR is as wide as the largest power of 2 that
 * divides a row's chunks, at most 8: 8 rows of one chunk column, which are a matrix of ldmatrix, then lie in 8
 * different 16-byte groups of banks. For rows of 32, 64 and 128 bytes this is the swizzle of that width.
 */
typedef struct tc_rows {
    int bytes, rows, threads;
} tc_rows;

/* Threads side by side in a row (a power of 2), chunks of each of them in it, rows of one pass of all threads, passes
 * of a tile. */
TC_HD TC_CONSTEXPR int tc_rows_lanes(const tc_rows t) { return t.bytes / 16 & -(t.bytes / 16); }
TC_HD TC_CONSTEXPR int tc_rows_pieces(const tc_rows t) { return t.bytes / 16 / tc_rows_lanes(t); }
TC_HD TC_CONSTEXPR int tc_rows_step(const tc_rows t) { return t.threads / tc_rows_lanes(t); }
TC_HD TC_CONSTEXPR int tc_rows_passes(const tc_rows t) { return (t.rows + tc_rows_step(t) - 1) / tc_rows_step(t); }

TC_HD TC_CONSTEXPR int tc_rows_xor(int bytes)
{
    return (bytes / 16 & -(bytes / 16)) < 8 ? bytes / 16 & -(bytes / 16) : 8;
}
TC_HD TC_CONSTEXPR uint32_t tc_rows_twist(int bytes, uint32_t row)
{
    return row / (8u / (uint32_t)tc_rows_xor(bytes)) % (uint32_t)tc_rows_xor(bytes) * 16u;
}

/* Byte offset of a chunk of 16 bytes. */
TC_HD TC_CONSTEXPR uint32_t tc_rows_at(int bytes, uint32_t row, uint32_t chunk)
{
    return row * (uint32_t)bytes + (chunk * 16u ^ tc_rows_twist(bytes, row));
}

/* The same moved by `chunks`, an even constant. */
TC_HD TC_CONSTEXPR uint32_t tc_rows_move(int bytes, uint32_t at, const int chunks)
{
    return (at ^ (uint32_t)(chunks % tc_rows_xor(bytes) * 16))
         + (uint32_t)(chunks / tc_rows_xor(bytes) * tc_rows_xor(bytes) * 16);
}

#ifdef __CUDACC__

/* Copy number i (a constant) of thread `thread`: where to, from the place `first` of its copy 0. Passes that cover a
 * multiple of 8 rows find the same XOR again; where the step is a power of 2, the XOR of a sum of rows is the XOR of
 * the two; else it is computed anew. */
TC_DEV uint32_t tc_rows_to(const tc_rows t, uint32_t first, uint32_t thread, const int i)
{
    const int step = tc_rows_step(t), row = i / tc_rows_pieces(t) * step,
              chunk = i % tc_rows_pieces(t) * tc_rows_lanes(t);
    if (step % 8 == 0) return first + (uint32_t)(row * t.bytes + chunk * 16);
    if ((step & (step - 1)) == 0)
        return (first ^ tc_rows_twist(t.bytes, (uint32_t)row)) + (uint32_t)(row * t.bytes + chunk * 16);
    return first - tc_rows_at(t.bytes, thread / (uint32_t)tc_rows_lanes(t), thread % (uint32_t)tc_rows_lanes(t))
         + tc_rows_at(t.bytes, thread / (uint32_t)tc_rows_lanes(t) + (uint32_t)row,
                      thread % (uint32_t)tc_rows_lanes(t) + (uint32_t)chunk);
}

/* One 16-byte chunk of a row that is not aligned to it, to shared memory; bytes of it exist, the rest is zeros. word:
 * src is a multiple of 4 bytes; otherwise element by element of 16 bits, through registers. */
TC_DEV_SM80 void tc_rows_copy(int word, uint32_t dst, const char *src, int bytes)
{
    if (word) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int left = bytes - 4 * i;
            tc_cp_async_ca_4_zfill(dst + 4 * i, src + 4 * i, left < 0 ? 0 : left > 4 ? 4 : left);
        }
    } else {
        uint32_t w[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t lo = 4 * i < bytes ? *(const uint16_t *)(src + 4 * i) : 0u;
            const uint32_t hi = 4 * i + 2 < bytes ? *(const uint16_t *)(src + 4 * i + 2) : 0u;
            w[i] = lo | hi << 16;
        }
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "r"(dst), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
                     : "memory");
    }
}

/* The same of elements of 8 bits. */
TC_DEV_SM80 void tc_rows_copy_8(int word, uint32_t dst, const char *src, int bytes)
{
    if (word) {
        tc_rows_copy(1, dst, src, bytes);
    } else {
        uint32_t w[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            w[i] = 0;
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (4 * i + j < bytes) w[i] |= (uint32_t)*(const uint8_t *)(src + 4 * i + j) << 8 * j;
        }
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "r"(dst), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
                     : "memory");
    }
}

/* cp.async.wait_group with a constant that is no literal: folds to one instruction. */
TC_DEV_SM80 void tc__cp_async_wait(const int n)
{
    switch (n) {
    case 0: TC_CP_ASYNC_WAIT_GROUP(0); break;
    case 1: TC_CP_ASYNC_WAIT_GROUP(1); break;
    case 2: TC_CP_ASYNC_WAIT_GROUP(2); break;
    case 3: TC_CP_ASYNC_WAIT_GROUP(3); break;
    default: TC_CP_ASYNC_WAIT_GROUP(4); break;
    }
}

/* Where a block comes from: rows of a matrix of a batch, for this block alone or, with multicast (a constant), for
 * those in mask too. */
typedef struct tc_operand_source {
    const tc_tmap *map; /* (k, rows, batch) */
    int row, batch;
    uint16_t mask;
} tc_operand_source;

/* Where a box of a block lies: its first element of k, its first row from the block's. */
typedef struct tc_operand_at {
    int turned, k, row;
} tc_operand_at;

TC_DEV tc_operand_at tc_operand_place(const tc_operand o, int box, int k)
{
    const tc_operand_at at = {o.mn, o.mn ? k : k + box * tc_operand_box_k(o), o.mn ? box * tc_operand_box_k(o) : 0};
    return at;
}

/* Where a box goes: its shared address, and the mbarrier that counts the bytes. */
typedef struct tc_operand_to {
    uint32_t dst, full;
} tc_operand_to;

/* One box, one thread. */
TC_DEV_SM90 void tc_operand_fetch(const int multicast, const tc_operand_source *s, tc_operand_at at, tc_operand_to to)
{
    const int x = at.turned ? s->row + at.row : at.k, y = at.turned ? at.k : s->row;
    if (multicast) tc_cp_async_bulk_tensor_3d_multicast(to.dst, s->map, x, y, s->batch, to.full, s->mask);
    else tc_cp_async_bulk_tensor_3d(to.dst, s->map, x, y, s->batch, to.full);
}

/* The same to this block alone by the form that names it so. ptxas makes a call of the other form on sm_120, with a
 * stack, and then ignores setmaxnreg. */
TC_DEV_SM90 void tc_operand_fetch_own(const tc_operand_source *s, tc_operand_at at, tc_operand_to to)
{
    const int x = at.turned ? s->row + at.row : at.k, y = at.turned ? at.k : s->row;
    TC_CP_ASYNC_BULK_TENSOR(3d, shared::cta, tile, , , , to.dst, s->map, (x, y, s->batch), to.full);
}

#if TC_HAS_SM100A && defined(__CUDA_ARCH__)
/* Four rows of a matrix, 128 bytes of each from element k on, by a map of tc_operand_map_rows: row and batch of the
 * source are not looked at. pair (a constant): the barrier that counts the bytes may be the other block's of a pair. A
 * row that the matrix does not have comes as zeros. One thread. */
typedef struct tc_operand_four {
    int k, row[4];
} tc_operand_four;

TC_DEV_SM100A void tc_operand_gather(const int pair, const tc_operand_source *s, const tc_operand_four at,
                                     tc_operand_to to)
{
    if (pair && s->mask) {
        TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile::gather4, multicast::cluster, 2, , to.dst, s->map,
                                (at.k, at.row[0], at.row[1], at.row[2], at.row[3]), to.full, s->mask);
    } else if (pair) {
        TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile::gather4, , 2, , to.dst, s->map,
                                (at.k, at.row[0], at.row[1], at.row[2], at.row[3]), to.full);
    } else if (s->mask) {
        TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile::gather4, multicast::cluster, , , to.dst, s->map,
                                (at.k, at.row[0], at.row[1], at.row[2], at.row[3]), to.full, s->mask);
    } else {
        TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile::gather4, , , , to.dst, s->map,
                                (at.k, at.row[0], at.row[1], at.row[2], at.row[3]), to.full);
    }
}
#endif

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host: the tensor map of an operand.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* A matrix, or `batch` of them, as a kernel reads or writes it: rows of cols elements, `pitch` elements apart. */
typedef struct tc_operand_matrix {
    const char *name; /* in sentences */
    int type;
    const void *base;
    int cols, rows, batch; /* batch 1: stride is not looked at */
    int64_t pitch, stride; /* stride 0: all batches are the same matrix */
} tc_operand_matrix;

/* Which of TMA's rules a matrix breaks; TC_OPERAND_FITS for none. */
enum { TC_OPERAND_FITS = 0, TC_OPERAND_BASE, TC_OPERAND_PITCH, TC_OPERAND_STRIDE, TC_OPERAND_REACH };

TC_HOST int64_t tc__operand_pitch(const tc_operand_matrix *x) { return x->pitch * tc_type_bits(x->type) / 8; }
TC_HOST int64_t tc__operand_stride(const tc_operand_matrix *x)
{
    return x->batch > 1 ? x->stride * tc_type_bits(x->type) / 8 : 0;
}

TC_HOST int tc_operand_breaks(const tc_operand_matrix *x)
{
    const int64_t reach = (int64_t)1 << 40, pitch = tc__operand_pitch(x), stride = tc__operand_stride(x);
    if ((uintptr_t)x->base % 16) return TC_OPERAND_BASE;
    if (x->pitch * tc_type_bits(x->type) % 128) return TC_OPERAND_PITCH; /* elements may be half a byte */
    if (x->batch > 1 && x->stride * tc_type_bits(x->type) % 128) return TC_OPERAND_STRIDE;
    return pitch >= reach || stride >= reach ? TC_OPERAND_REACH : TC_OPERAND_FITS;
}

/* The same in words. */
TC_HOST tc_status tc_operand_check(const tc_operand_matrix *x)
{
    const char *name = x->name;
    switch (tc_operand_breaks(x)) {
    case TC_OPERAND_BASE:
        return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of 16 bytes, as TMA needs", name, x->base);
    case TC_OPERAND_PITCH:
        return tc__fail(TC_ERR_ALIGN, "ld%s = %lld elements = %lld bytes is not a multiple of 16 bytes, as TMA needs",
                        name, (long long)x->pitch, (long long)tc__operand_pitch(x));
    case TC_OPERAND_STRIDE:
        return tc__fail(TC_ERR_ALIGN,
                        "stride_%s = %lld elements = %lld bytes is not a multiple of 16 bytes, as TMA needs", name,
                        (long long)x->stride, (long long)tc__operand_stride(x));
    case TC_OPERAND_REACH:
        return tc__fail(TC_ERR_SIZE,
                        "ld%s = %lld or stride_%s = %lld elements is 2^40 bytes or more, which TMA cannot step", name,
                        (long long)x->pitch, name, (long long)x->stride);
    default: return TC_OK;
    }
}

/* A box of a map: elements, the swizzle; padded: 4 and 6 bits become bytes. */
typedef struct tc_operand_box {
    int cols, rows, swizzle, padded;
} tc_operand_box;

TC_HOST tc_tmap_desc tc__operand_desc(const tc_operand_matrix *x, const tc_operand_box *box)
{
    const int batched = tc__operand_stride(x) != 0;
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = x->type;
    d.rank = 3;
    d.base = x->base;
    d.dim[0] = (uint64_t)x->cols;
    d.dim[1] = (uint64_t)x->rows;
    d.dim[2] = batched ? (uint64_t)x->batch : 1;
    d.stride[0] = (uint64_t)tc__operand_pitch(x);
    d.stride[1] = (uint64_t)(batched ? tc__operand_stride(x) : box->padded ? 32 : 16);
    d.box[0] = (uint32_t)box->cols;
    d.box[1] = (uint32_t)box->rows;
    d.box[2] = 1;
    d.swizzle = box->swizzle;
    d.padded = box->padded;
    d.l2_promotion = 128; /* 256 costs up to a fifth where rows do not begin at multiples of 128 bytes, for nothing */
    return d;
}

TC_HOST tc_status tc_operand_map_box(tc_tmap *map, const tc_operand_matrix *x, const tc_operand_box *box)
{
    const tc_tmap_desc d = tc__operand_desc(x, box);
    return tc__tmap_named(map, x->name, &d);
}

/* The same for tc_operand_gather: a matrix in boxes of one row, whatever box->rows is. */
TC_HOST tc_status tc_operand_map_rows(tc_tmap *map, const tc_operand_matrix *x, const tc_operand_box *box)
{
    tc_tmap_desc d = tc__operand_desc(x, box);
    d.rank = 2;
    d.box[1] = 1;
    return tc__tmap_named(map, x->name, &d);
}

/* In boxes of box_cols x box_rows elements, in the swizzle of that width. */
TC_HOST tc_status tc_operand_map(tc_tmap *map, const tc_operand_matrix *x, int box_cols, int box_rows)
{
    const tc_operand_box box = {box_cols, box_rows, box_cols * tc_type_bits(x->type) / 8, 0};
    return tc_operand_map_box(map, x, &box);
}

#endif /* host */
#endif /* TC_OPERAND_H */
