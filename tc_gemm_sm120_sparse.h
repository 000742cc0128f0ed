/* tc_gemm_sm120_sparse.h - tc 0.2.0 - the sm_120 GEMM with a 2:4 sparse operand (.sparse), which is the instruction's
 * A: metadata's way to mma.sp, and the k loop. Needs: the headers below; sm_120, sm_121.
 *
 * A block of k is 64 bytes of what is kept of each row of A (or 128, as .bk says), in a swizzle of that width, 128 or
 * 256 bytes of each row of B, and for each 16 rows of A and each 64 bytes a line of metadata, a quarter of a brick
 * (tc_sparse_pack.h):
 *
 *     slot of the ring:    A: bm rows of 64 bytes | B: bn rows of 128 bytes | lines, along the rows
 *
 * Lines come by bulk copies that the slot's barrier counts as it counts TMA's boxes. An instruction takes 32 bytes of a
 * row of A and 64 of a column of B. So a warp cannot hold B's fragments of two steps beside its sums: it holds A's of
 * two, and of B's columns a few, which it reads two ahead of those that it multiplies, from one step into the next.
 * What an instruction reads of memory is that of a dense one and half as much again, for twice the products.
 *
 *     tc__gemm120_meta_source, _fetch    the producer: where a tile's metadata lies; that of one block of k
 *     tc__gemm120_sparse_mma             the k loop
 *     tc__gemm120_meta_fill              (host)
 */
#ifndef TC_GEMM_SM120_SPARSE_H
#define TC_GEMM_SM120_SPARSE_H

#include "tc_gemm_sm120_mma.h"
#include "tc_gemm_sm120_plan.h"

#ifdef __CUDACC__
#if TC_HAS_SM120 && defined(__CUDA_ARCH__)

/* ---------------------------------------------------------------------------------------------------------------------
 * The producer's one thread.
 */
enum { TC__GEMM120_SPARSE_LINES = 4 }; /* bricks along a tile's rows, at most */

/* Where a tile's metadata begins in memory, for each 64 rows: of a last tile's rows that do not exist it is that of the
 * last brick, whose products nobody stores. */
TC_DEV_SM120 void tc__gemm120_meta_source(tc_gemm120_in k, const tc_gemm_sm120_params *p, const tc_work *w,
                                          const char **lines)
{
    const int bytes = tc_sp_brick_bytes(tc_type_bits(k.c.a));
    const char *from = p->meta + w->batch * p->meta_batch + w->row % TC_SP_BRICK_ROWS / 16 * k.meta_line;
#pragma unroll
    for (int i = 0; i < (k.c.bm + TC_SP_BRICK_ROWS - 1) / TC_SP_BRICK_ROWS; i++) {
        const int row = w->row / TC_SP_BRICK_ROWS + i;
        lines[i] = from + (long long)(row < p->meta_rows ? row : p->meta_rows - 1) * p->meta_along * bytes;
    }
}

/* Metadata of block at_k of k. Of what lies behind k the last that there is: A has zeros there. */
TC_DEV_SM120 void tc__gemm120_meta_fetch(tc_gemm120_in k, const tc_gemm_sm120_params *p, const char *const *lines,
                                         int at_k, tc_operand_to to)
{
    const int rows = k.c.bm < TC_SP_BRICK_ROWS ? k.c.bm : TC_SP_BRICK_ROWS, down = k.c.bm / rows;
    const uint32_t bytes = (uint32_t)(rows / 16 * k.meta_line);
#pragma unroll
    for (int j = 0; j < k.parts; j++) {
        const int brick = at_k * k.parts + j, last = p->meta_along - 1;
        const long long from = (long long)(brick < last ? brick : last) * tc_sp_brick_bytes(tc_type_bits(k.c.a));
#pragma unroll
        for (int i = 0; i < down; i++)
            tc_cp_async_bulk_g2cta(to.dst + (uint32_t)(j * down + i) * bytes, lines[i] + from, bytes, to.full);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Warps that multiply.
 */
/* A's fragments of one step, and the metadata: of 8 bits a word for each of a piece's two steps, else one for both. */
typedef struct tc__gemm120_sparse_a {
    uint32_t a[16][4], meta[16][2];
} tc__gemm120_sparse_a;

/* B's of one column of fragments. */
typedef struct tc__gemm120_sparse_b {
    uint32_t r[4];
} tc__gemm120_sparse_b;

/* A warp's place in a block of B: this lane's row of ldmatrix, 8 columns by 64 bytes of k. */
TC_DEV_SM120 uint32_t tc__gemm120_sparse_lane_b(tc_gemm120_in k, int first)
{
    const int lane = tc_lane();
    return tc_rows_at(k.b.row, (uint32_t)(first + lane % 8), (uint32_t)lane / 8u);
}

/* Step 0 or 1 of a piece; before: of its step 0, which has read the metadata. */
TC_DEV_SM120 void tc__gemm120_sparse_read_a(tc_gemm120_in k, const tc_gemm120_warp *u, const tc__gemm120_piece *p,
                                            const int step, tc__gemm120_sparse_a *f,
                                            const tc__gemm120_sparse_a *before)
{
    const tc__gemm120_side a = tc__gemm120_side_a(k);
    const uint32_t at_a = tc__gemm120_part(a, p->slot + u->a, p->part);
    const int two = k.meta_line == 256; /* words of a lane */
    const uint32_t meta = p->slot + (uint32_t)(k.a.bytes + k.b.bytes)
                        + (p->part * (uint32_t)(k.c.bm / 16) + (uint32_t)u->row / 16u) * (uint32_t)k.meta_line
                        + (uint32_t)(tc_lane() * (two ? 8 : 4));
#pragma unroll
    for (int i = 0; i < k.mi; i++) {
        const uint32_t from = meta + (uint32_t)(i * k.meta_line);
        tc__gemm120_ldmatrix(a, f->a[i], tc__gemm120_at(a, at_a, u->row, i, step));
        if (step) f->meta[i][0] = before->meta[i][two];
        else if (two)
            asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                         : "=r"(f->meta[i][0]), "=r"(f->meta[i][1]) : "r"(from) : "memory");
        else asm volatile("ld.shared.b32 %0, [%1];" : "=r"(f->meta[i][0]) : "r"(from) : "memory");
    }
}

/* Fragment `column` of a piece's two steps; lane: of tc__gemm120_sparse_lane_b. */
TC_DEV_SM120 void tc__gemm120_sparse_read_b(tc_gemm120_in k, uint32_t lane, const tc__gemm120_piece *p,
                                            const int column, tc__gemm120_sparse_b *f)
{
    const uint32_t at = p->slot + (uint32_t)k.a.bytes + lane + p->part * (uint32_t)k.b.box_bytes;
    tc_ldmatrix_x4(f->r, (at ^ (uint32_t)(column / k.ni * 64)) + (uint32_t)(column % k.ni * 8 * k.b.row));
}

/* Integers and fp8: no selector. */
TC_DEV_SM120 void tc__gemm120_mma_sp_8(tc_gemm_config_in c, const tc__gemm120_one_mma x)
{
    if (c.a == TC_S8 && c.b == TC_S8)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, s32, s8, s8, s32, x.i, x.a, x.b, x.i, x.sa, 0);
    else if (c.a == TC_S8) TC_MMA_SP_ORDERED(m16n8k64, row, col, s32, s8, u8, s32, x.i, x.a, x.b, x.i, x.sa, 0);
    else if (c.a == TC_U8 && c.b == TC_S8)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, s32, u8, s8, s32, x.i, x.a, x.b, x.i, x.sa, 0);
    else if (c.a == TC_U8) TC_MMA_SP_ORDERED(m16n8k64, row, col, s32, u8, u8, s32, x.i, x.a, x.b, x.i, x.sa, 0);
    else if (c.a == TC_E4M3 && c.b == TC_E4M3)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, f32, e4m3, e4m3, f32, x.f, x.a, x.b, x.f, x.sa, 0);
    else if (c.a == TC_E4M3)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, f32, e4m3, e5m2, f32, x.f, x.a, x.b, x.f, x.sa, 0);
    else if (c.b == TC_E4M3)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, f32, e5m2, e4m3, f32, x.f, x.a, x.b, x.f, x.sa, 0);
    else TC_MMA_SP_ORDERED(m16n8k64, row, col, f32, e5m2, e5m2, f32, x.f, x.a, x.b, x.f, x.sa, 0);
}

/* x.sa: the metadata. step, a constant: in which half of the lanes of four an instruction of 16 or 32 bits finds it. */
TC_DEV_SM120 void tc__gemm120_mma_sp(tc_gemm_config_in c, const int step, const tc__gemm120_one_mma x)
{
    if (tc_type_bits(c.a) == 8) {
        tc__gemm120_mma_sp_8(c, x);
    } else if (c.a == TC_TF32) {
        if (step) TC_MMA_SP_ORDERED(m16n8k16, row, col, f32, tf32, tf32, f32, x.f, x.a, x.b, x.f, x.sa, 1);
        else TC_MMA_SP_ORDERED(m16n8k16, row, col, f32, tf32, tf32, f32, x.f, x.a, x.b, x.f, x.sa, 0);
    } else if (c.a == TC_BF16) {
        if (step) TC_MMA_SP_ORDERED(m16n8k32, row, col, f32, bf16, bf16, f32, x.f, x.a, x.b, x.f, x.sa, 1);
        else TC_MMA_SP_ORDERED(m16n8k32, row, col, f32, bf16, bf16, f32, x.f, x.a, x.b, x.f, x.sa, 0);
    } else {
        if (step) TC_MMA_SP_ORDERED(m16n8k32, row, col, f32, f16, f16, f32, x.f, x.a, x.b, x.f, x.sa, 1);
        else TC_MMA_SP_ORDERED(m16n8k32, row, col, f32, f16, f16, f32, x.f, x.a, x.b, x.f, x.sa, 0);
    }
}

/* One tile: acc = A * B, a warp's part of it. A piece's two steps are a line of columns, whose last ones are multiplied
 * when the next piece's first are already read. */
TC_DEV_SM120 void tc__gemm120_sparse_mma(tc_gemm120_in k, const tc_gemm120_block *g, tc_gemm120_warp *u,
                                         tc__gemm120_acc *acc)
{
    enum { AHEAD = TC__GEMM120_SPARSE_AHEAD, HELD = 2 * AHEAD }; /* HELD divides a piece's columns: .bn goes by 16 */
    const int columns = 2 * k.ni;
    const uint32_t first = u->w.k_first * (uint32_t)k.parts, pieces = first + u->w.k_blocks * (uint32_t)k.parts;
    const uint32_t lane_b = tc__gemm120_sparse_lane_b(k, u->col);
    tc__gemm120_sparse_a a[2];
    tc__gemm120_sparse_b b[HELD];
    tc__gemm120_piece p = {g->ring + u->ring.stage * (uint32_t)k.slot, 0, first};
#pragma unroll
    for (int i = 0; i < k.mi * k.ni * 4; i++) acc->f[i] = 0.f, acc->i[i] = 0;
    if (pieces == first) return;
    TC_PIPE_WAIT_FULL(g->pipe, &u->ring);
    tc__gemm120_sparse_read_a(k, u, &p, 0, &a[0], &a[0]);
#pragma unroll
    for (int x = 0; x < AHEAD; x++) tc__gemm120_sparse_read_b(k, lane_b, &p, x, &b[x]);
#pragma unroll 1
    while (p.number < pieces) {
#pragma unroll
        for (int x = 0; x < columns; x++) {
            const int step = x / k.ni, next = x + AHEAD;
            if (x == 0) tc__gemm120_sparse_read_a(k, u, &p, 1, &a[1], &a[0]);
            if (next == columns) { /* all of this piece has been read */
                p.number++;
                if (++p.part == (uint32_t)k.parts) {
                    tc__gemm120_release(g, u->ring.stage);
                    tc_ring_next(&u->ring, k.c.stages);
                    p.slot = g->ring + u->ring.stage * (uint32_t)k.slot, p.part = 0;
                    if (p.number < pieces) TC_PIPE_WAIT_FULL(g->pipe, &u->ring);
                }
                if (p.number < pieces) tc__gemm120_sparse_read_a(k, u, &p, 0, &a[0], &a[0]);
            }
            if (next < columns || p.number < pieces)
                tc__gemm120_sparse_read_b(k, lane_b, &p, next % columns, &b[next % HELD]);
#pragma unroll
            for (int i = 0; i < k.mi; i++) {
                const tc__gemm120_one_mma one = {a[step].a[i], b[x % HELD].r, acc->f + (i * k.ni + x % k.ni) * 4,
                                                 acc->i + (i * k.ni + x % k.ni) * 4, a[step].meta[i][0], 0u, 0, 0, 0};
                tc__gemm120_mma_sp(k.c, step, one);
            }
        }
    }
}

#endif /* TC_HAS_SM120 */
#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a kernel is told of a checked call's metadata. v, g: of the view. */
TC_HOST void tc__gemm120_meta_fill(const tc_gemm_config *v, const tc_gemm_args *g, tc_gemm_sm120_params *p)
{
    p->meta = (const char *)g->meta, p->meta_batch = g->stride_meta;
    p->meta_rows = (int)tc__sp_bricks_down(tc__sparse_rows(v, g));
    p->meta_along = (int)tc__sp_bricks_along(tc_type_bits(v->a), g->k);
}

#endif /* host */
#endif /* TC_GEMM_SM120_SPARSE_H */
