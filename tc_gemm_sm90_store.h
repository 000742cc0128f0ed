/* tc_gemm_sm90_store.h - tc 0.2.0 - the Hopper GEMM's end of a tile: sums of other blocks, and three ways to D.
 * Needs: the headers below; sm_90a.
 *
 *   What tc_gemm_sm90_parts.h makes the ends of a tile of: acc through alpha, beta * C and the hook to D:
 *         boxes               16 rows of a warp through shared memory, by TMA
 *         pieces              what D's last row or column cuts where there is a hook or C, and .swap tiles that lie on
 *                             their side: 16 x 16 values through shared memory as f32, eight neighbours of a row a lane
 *
 * Where k is split, tc_gemm_sm90_split.h comes before them. A store belongs to one warp (16 rows), from registers to
 * TMA: the epilogue has no barrier wider than a warp, but where k is split, and before the boxes of a block's last tile
 * go to the ring.
 */
#ifndef TC_GEMM_SM90_STORE_H
#define TC_GEMM_SM90_STORE_H

#include "tc_gemm_end.h"
#include "tc_gemm_sm90_columns.h"

#ifdef __CUDACC__

/* cluster_k: every block has a partial sum of the whole tile and keeps bn / cluster_k columns of it. Each thread sends
 * the rest to the blocks that keep them, 16 bytes at a time, where the same thread adds them up, in the order of k. The
 * bytes are counted by an mbarrier of the receiver. A block computes one tile in its life, so nothing here is used
 * twice. */
TC_DEV_SM90 void tc__gemm90_exchange_sums(tc_gemm_config_in c, const tc_gemm90_block *g, float *acc)
{
    const int mt = tc__gemm90_rows(c) / 64, part = c.bn / c.cluster_k / 2, pieces = mt * part / 4,
              threads = 128 * c.consumers;
    const uint32_t t = threadIdx.x - 128u, from_one = (uint32_t)(pieces * threads * 16), rank = tc__gemm90_rank(c, g);
    const uint32_t received = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).received,
                   sums = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).sums;
#pragma unroll
    for (int to = 0; to < c.cluster_k; to++) {
        if ((uint32_t)to != rank) { /* senders before the receiver have slot rank, those behind it rank - 1 */
            const uint32_t slot = rank < (uint32_t)to ? rank : rank - 1u;
            const uint32_t at = tc_mapa(received + slot * from_one + t * 16u, (uint32_t)to),
                           bar = tc_mapa(sums, (uint32_t)to);
#pragma unroll
            for (int i = 0; i < pieces; i++) {
                const float *v = acc + i / (part / 4) * (c.bn / 2) + to * part + i % (part / 4) * 4;
                tc_st_async_v4_f32(at + (uint32_t)(i * threads * 16), v, bar);
            }
        }
    }
    TC_MBARRIER_WAIT_CLUSTER(sums, 0, "sums", 0); /* the bytes come from other blocks */
#pragma unroll
    for (int i = 0; i < pieces; i++) {
        float sum[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
        for (int from = 0; from < c.cluster_k; from++) {
            float v[4];
            if ((uint32_t)from == rank) {
#pragma unroll
                for (int me = 0; me < c.cluster_k; me++) { /* registers have constant numbers only */
                    if ((uint32_t)me == rank) {
#pragma unroll
                        for (int e = 0; e < 4; e++)
                            v[e] = acc[i / (part / 4) * (c.bn / 2) + me * part + i % (part / 4) * 4 + e];
                    }
                }
            } else {
                const uint32_t slot = (uint32_t)from < rank ? (uint32_t)from : (uint32_t)from - 1u;
                asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                             : "r"(received + slot * from_one + t * 16u + (uint32_t)(i * threads * 16))
                             : "memory");
            }
#pragma unroll
            for (int e = 0; e < 4; e++) sum[e] = from == 0 ? v[e] : sum[e] + v[e];
        }
#pragma unroll
        for (int e = 0; e < 4; e++) acc[i / (part / 4) * (c.bn / 2) + i % (part / 4) * 4 + e] = sum[e];
    }
}

/* A box of D, number i of a tile's (along rows of 64, then columns): where it begins. */
TC_HD TC_CONSTEXPR int tc__gemm90_boxes(tc_gemm_config_in c)
{
    return c.bn / c.cluster_k / tc_box_cols(tc__gemm90_box(c));
}

/* Columns of a box of this call. */
TC_DEV int tc__gemm90_across(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const int cols = tc_box_cols(tc__gemm90_box(c));
    return tc__gemm90_widens(c) && g->p->d_wide ? tc_box_cols(tc__gemm90_box(tc__gemm90_widened(c))) : cols;
}

/* Which matrix of D a tile is of; its group; its rows end before this one. */
TC_DEV int tc__gemm90_matrix(tc_gemm_config_in c, const tc_gemm90_consumer *u)
{
    return c.groups == TC_GROUPS_ROWS ? 0 : u->w.batch;
}
TC_DEV int tc__gemm90_group(tc_gemm_config_in c, const tc_gemm90_consumer *u) { return c.groups ? u->w.batch : 0; }
TC_DEV int tc__gemm90_end(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u)
{
    return tc__gemm_in_rows(c) ? u->w.end : g->p->out.m;
}

/* Of this warp's last 16 rows the end of the tile's. */
TC_DEV int tc__gemm90_last_rows(tc_gemm_config_in c, const tc_gemm90_consumer *u)
{
    return u->w.row + u->warp_row + tc__gemm90_rows(c) - 48;
}

TC_DEV tc_gemm_at tc__gemm90_box_at(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                    int i)
{
    const int across = tc__gemm90_boxes(c);
    const int part = c.cluster_k > 1 ? (int)tc__gemm90_rank(c, g) * (c.bn / c.cluster_k) : 0;
    const tc_gemm_at at = {u->w.row + u->warp_row + i / across * 64,
                           u->w.col + part + i % across * tc_box_cols(tc__gemm90_box(c)), tc__gemm90_matrix(c, u),
                           tc__gemm90_group(c, u)};
    return at;
}

/* By the threads that compute the tile. */
TC_DEV_SM90 void tc__gemm90_c_ahead(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u)
{
    const int threads = c.schedule == TC_PINGPONG ? 128 : 128 * c.consumers, end = tc__gemm90_end(c, g, u);
    const tc__epi_patch rows = {{u->w.row, u->w.col, tc__gemm90_matrix(c, u), 0}, c.bm, g->width, end, c.bn};
    const tc__epi_patch turned = {{u->w.col, u->w.row, tc__gemm90_matrix(c, u), 0}, g->width, c.bm, end, c.bm};
    const tc__epi_share all = {(int)(threadIdx.x - 128u) % threads, threads};
    tc__epi_c_ahead(tc_type_bits(tc__gemm_c(c)) / 8, &g->p->out, c.swap ? turned : rows, all);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Pieces. A place is 16 x 16 elements of D, as f32 in shared memory: rows of 64 bytes in that swizzle.
 */

/* Rows of D from one of a tile's to the next: more than one where the tile has the rows of a class. */
TC_DEV int tc__gemm90_apart(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return c.any ? 1 << g->p->classes : 1;
}

/* Columns of D from its first on, of which those go in boxes that lie in whole boxes. Rows that are looked up
 * (TC_INDEX_D) go in pieces. */
TC_DEV int tc__gemm90_boxed(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return c.index & TC_INDEX_D || g->p->d_by == TC__GEMM_D_PIECES ? 0 : g->p->out.n;
}

/* Does TMA leave out what D's last row or column cuts off? Of a group's last row it knows nothing. */
TC_DEV int tc__gemm90_clips(const tc_gemm90_block *g) { return g->p->d_clips; }

/* Are some elements of the tile not to be stored? (.part is then its state: tc_gemm_sm90_tiles.h.) */
TC_DEV int tc__gemm90_picks(tc_gemm_config_in c, const tc_gemm90_consumer *u)
{
    return tc__tiles_picks(c) && u->w.part == TC_TILE_PARTIAL;
}

/* Sums in f16: those of `count` registers, a constant, as floats. From the last on, so that it may be done in place. */
TC_DEV void tc__gemm90_unpack(float *to, const float *from, const int count)
{
#pragma unroll
    for (int i = count - 1; i >= 0; i--) {
        const uint32_t two = tc_bits_from_f32(from[i]);
        to[2 * i + 1] = tc_f32_from_f16((uint16_t)(two >> 16));
        to[2 * i] = tc_f32_from_f16((uint16_t)two);
    }
}

/* A thread's sums of its warpgroup's 64 rows number i, from column `col` on: `count` of them. Where they are packed,
 * they become floats in `room`; else they are taken as they lie. */
typedef struct tc__gemm90_taken {
    int i, col, count;
} tc__gemm90_taken;

TC_DEV float *tc__gemm90_take(tc_gemm_config_in c, const float *acc, const tc__gemm90_taken x, float *room)
{
    float *from = (float *)acc + (x.i * tc__gemm90_regs(c, c.bn) + tc__gemm90_regs(c, x.col));
    if (!tc__gemm90_packed(c)) return (float *)acc + (x.i * c.bn / 2 + x.col / 2);
    tc__gemm90_unpack(room, from, x.count / 2);
    return room;
}

/* Values of a fragment's 16 columns (8 registers) to a place: as they stand, or with rows and columns changed over. */
TC_DEV void tc__gemm90_put_place(tc_gemm_config_in c, uint32_t place, const float *v)
{
    const uint32_t lane = (uint32_t)(c.any ? tc_opaque(tc_lane()) : tc_lane()), g = lane / 4u, q = lane % 4u;
#pragma unroll
    for (uint32_t j = 0; j < 8u; j += 2u) { /* v[j], v[j + 1]: row g + 8 * h, columns 2q, 2q + 1 of the half j / 4 */
        const uint32_t row = g + j / 2u % 2u * 8u, col = 2u * q + j / 4u * 8u;
        if (c.swap) {
            asm volatile("st.shared.f32 [%0], %1;"
                         : : "r"(place + tc_swizzle(64, col * 64u + row * 4u)), "f"(v[j]) : "memory");
            asm volatile("st.shared.f32 [%0], %1;"
                         : : "r"(place + tc_swizzle(64, (col + 1u) * 64u + row * 4u)), "f"(v[j + 1u]) : "memory");
        } else {
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                         : : "r"(place + tc_swizzle(64, row * 64u + col * 4u)), "f"(v[j]), "f"(v[j + 1u]) : "memory");
        }
    }
}

/* And what the epilogue has made of them as D of s32 wants it. */
TC_DEV_SM80 void tc__gemm90_f32_to_d(tc_gemm_config_in c, float *v, const int count)
{
    if (c.d != TC_S32 || tc__gemm_raw(c)) return;
#pragma unroll
    for (int i = 0; i < count; i++) v[i] = tc_f32_from_bits((uint32_t)tc__epi_s32(v[i]));
}

/* Sums of integers as the epilogue wants them: floats, unless it takes them as they are. */
TC_DEV void tc__gemm90_sums_to_f32(tc_gemm_config_in c, float *v, const int count)
{
    if (tc__gemm_sums(c) != TC_S32 || tc__gemm_raw(c)) return;
#pragma unroll
    for (int i = 0; i < count; i++) v[i] = (float)(int)tc_bits_from_f32(v[i]);
}

/* A place within a tile, as D has it: its first row and column, and rows of the tile that exist there. */
typedef struct tc__gemm90_spot {
    int row, col, rows;
} tc__gemm90_spot;

TC_DEV tc__gemm90_spot tc__gemm90_spot_of(tc_gemm_config_in c, const tc_gemm90_block *g, int row, int col)
{
    tc__gemm90_spot s = {row, col, c.bm};
    if (c.swap) s.row = col, s.col = row, s.rows = g->width; /* the instruction's rows are D's columns */
    return s;
}

/* Is any of it inside D? */
TC_DEV int tc__gemm90_spot_exists(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                  const tc__gemm90_spot *s)
{
    const int row0 = c.swap ? u->w.col : u->w.row, col0 = c.swap ? u->w.row : u->w.col;
    return row0 + s->row * tc__gemm90_apart(c, g) < tc__gemm90_end(c, g, u) && col0 + s->col < g->p->out.n;
}

/* TC_INDEX_D: where a row goes; -1 for one that does not exist. */
TC_DEV int tc__gemm90_lands(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u, int row)
{
    return row < tc__gemm90_end(c, g, u) ? g->p->d_row[row] : -1;
}

/* A lane's piece to D, with what is kept of its row: as a part, or added to *row. */
TC_DEV_SM90 void tc__gemm90_store_kept(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                       const tc__gemm90_spot *s, const tc__epi_piece *piece, tc__kept *row)
{
    tc_gemm_at at = piece->at;
    tc__kept kept = tc__kept_none(tc__gemm_row_kind(c));
    const int lost = c.index & TC_INDEX_D && (uint32_t)piece->to >= (uint32_t)g->p->d_rows;
    if (s->row + tc_lane() / 2 < s->rows && (!tc__gemm_in_rows(c) || at.row < u->w.end) && !lost)
        kept = tc__epi_store_piece(tc__gemm_epi(c), &g->p->out, piece);
    else at.row = -1;
    if (lost) tc__epi_no_piece(tc__gemm_epi(c), piece);
    __syncwarp();
    if (tc__gemm_row_kind(c) && row) *row = tc__kept_join(tc__gemm_row_kind(c), *row, kept);
    else tc__epi_piece_part(tc__gemm_epi(c), &g->p->out, at, kept);
}

/* What is kept of the columns of a place, once the hook's results are there. */
TC_DEV void tc__gemm90_keep_columns(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                    const tc__gemm90_spot *s)
{
    const int row = (c.swap ? u->w.col : u->w.row) + s->row, end = tc__gemm_in_rows(c) ? u->w.end : g->p->out.m;
    const int left = end - row, own = s->rows - s->row, rows = left < own ? left : own;
    const tc__col_place x = {u->buf, 64, rows < 16 ? rows : 16, 16,
                             {row, (c.swap ? u->w.row : u->w.col) + s->col, tc__gemm90_matrix(c, u),
                              tc__gemm90_group(c, u)}, 0};
    tc__col_strip(tc__gemm_col_kind(c), &g->p->out, &x);
}

/* From the warp's place in shared memory to D, eight neighbours of a row a lane. */
TC_DEV_SM90 void tc__gemm90_store_piece(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                        const tc__gemm90_spot *s, tc__kept *kept)
{
    const int row0 = c.swap ? u->w.col : u->w.row, col0 = c.swap ? u->w.row : u->w.col;
    const uint32_t lane = (uint32_t)tc_lane(), shift = lane / 2u * 64u + lane % 2u * 32u;
    tc__epi_piece piece = {u->buf + tc_swizzle(64, shift), u->buf + tc_swizzle(64, shift + 16u), {0, 0, 0, 0},
                           g->p->d_by == (tc__gemm_quantised(c) ? TC__GEMM_D_ROWS : TC__GEMM_D_TMA), 0,
                           tc__gemm90_picks(c, u)};
    piece.at.row = row0 + (s->row + (int)lane / 2) * tc__gemm90_apart(c, g);
    piece.at.col = col0 + s->col + (int)lane % 2 * 8;
    piece.at.batch = tc__gemm90_matrix(c, u);
    piece.at.group = tc__gemm90_group(c, u);
    __syncwarp();
    if (tc__gemm_quantised(c)) tc__quant_clear(&g->p->out, &piece, tc__gemm90_end(c, g, u));
    if (c.index & TC_INDEX_D) piece.to = tc__gemm90_lands(c, g, u, piece.at.row);
    if (tc__gemm_row_kind(c) || tc__gemm_col_kind(c)) {
        tc__gemm90_store_kept(c, g, u, s, &piece, kept);
        if (tc__gemm_col_kind(c)) tc__gemm90_keep_columns(c, g, u, s);
        return;
    }
    if (s->row + (int)lane / 2 < s->rows && (!tc__gemm_in_rows(c) || piece.at.row < u->w.end)
        && (!(c.index & TC_INDEX_D) || (uint32_t)piece.to < (uint32_t)g->p->d_rows))
        tc__epi_store_piece(tc__gemm_epi(c), &g->p->out, &piece);
}

/* What is kept of rows: a lane's two of each 64, of which a warpgroup has 2048 at most (.cluster_n 8, .bn 8). */
enum { TC__GEMM90_KEPT = 64 };

/* What is kept of a tile's rows and columns. */
typedef struct tc__gemm90_keeping {
    tc__kept rows[TC__GEMM90_KEPT];
    tc__gemm90_columns columns;
} tc__gemm90_keeping;

TC_DEV void tc__gemm90_keeps_none(tc_gemm_config_in c, tc__gemm90_keeping *kept)
{
    tc__epi_no_rows(tc__gemm_row_kind(c), TC__GEMM90_KEPT, kept->rows);
    tc__gemm90_columns_none(c, &kept->columns);
}

/* A place's first row in the tile; of its box the first column, and how many it has; does TMA clip boxes? */
typedef struct tc__gemm90_boxed_place {
    int row, in, wide, clips;
} tc__gemm90_boxed_place;

/* Does it go to D in a box? */
TC_DEV int tc__gemm90_goes_boxed(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                 const tc__gemm90_boxed_place x)
{
    const int own = c.cluster_k > 1 ? (int)tc__gemm90_rank(c, g) * (c.bn / c.cluster_k) : 0;
    return !tc__gemm90_picks(c, u) && !c.swap
        && u->w.row + x.row + (tc__gemm_in_rows(c) ? 16 : x.clips ? 1 : 16) <= tc__gemm90_end(c, g, u)
        && x.in + x.wide <= g->width / c.cluster_k
        && u->w.col + own + x.in + (x.clips ? 1 : x.wide) <= tc__gemm90_boxed(c, g);
}

/* This warp's places of a tile that go to D in pieces. One loop, so that a hook's code stands here once. */
TC_DEV_SM90 void tc__gemm90_store_pieces(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                         const float *acc, tc__gemm90_keeping *kept)
{
    const int groups = tc__gemm90_places(c.bn / c.cluster_k), blocks = tc__gemm90_rows(c) / 64,
              wide = tc__gemm90_across(c, g), clips = tc__gemm90_clips(g);
    const int own = c.cluster_k > 1 ? (int)tc__gemm90_rank(c, g) * (c.bn / c.cluster_k) : 0;
    if (c.swap || tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
#pragma unroll 1
    for (int i = 0; i < blocks * groups; i++) {
        const int row = u->warp_row + i / groups * 64, col = i % groups * 16;
        const tc__gemm90_boxed_place x = {row, col / wide * wide, wide, clips};
        const tc__gemm90_spot s = tc__gemm90_spot_of(c, g, row, c.swap ? col : own + col);
        if (col >= g->width / c.cluster_k || !tc__gemm90_spot_exists(c, g, u, &s)) continue;
        if (tc__gemm90_goes_boxed(c, g, u, x)) continue;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < blocks * groups; k++) {
            float room[8];
            const tc__gemm90_taken all = {k / groups, k % groups * 16, 8};
            if (k == i) tc__gemm90_put_place(c, u->buf, tc__gemm90_take(c, acc, all, room));
        }
        tc__kept row_kept = tc__kept_none(tc__gemm_row_kind(c));
        tc__gemm90_store_piece(c, g, u, &s, tc__gemm90_whole_rows(c) ? &row_kept : 0);
#pragma unroll
        for (int k = 0; k < blocks; k++)
            if (tc__gemm90_whole_rows(c) && k == i / groups)
                kept->rows[2 * k] = tc__kept_join(tc__gemm_row_kind(c), kept->rows[2 * k], row_kept);
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < blocks; k++)
        if (tc__gemm90_whole_rows(c))
            tc__epi_pieces_to_rows(tc__gemm_epi(c), kept->rows[2 * k], kept->rows + 2 * k);
}

/* What is kept of the tile's rows of this warp, a part each. */
TC_DEV_SM90 void tc__gemm90_put_rows(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                     const tc__kept *rows)
{
    const int own = c.cluster_k > 1 ? (int)tc__gemm90_rank(c, g) * (c.bn / c.cluster_k) : 0;
#pragma unroll
    for (int i = 0; i < tc__gemm90_rows(c) / 64; i++) {
        const tc_gemm_at at = {u->w.row + u->warp_row + i * 64, u->w.col + own, tc__gemm90_matrix(c, u), 0};
        tc__epi_put_rows(tc__gemm_epi(c), &g->p->out, rows + 2 * i, at, tc__gemm90_end(c, g, u));
    }
}

/* How a tile has gone to D: in boxes; in pieces what does not go so. The same for the warps of a warpgroup. */
typedef struct tc__gemm90_columns_by {
    int boxes, pieces;
} tc__gemm90_columns_by;

/* Of what has not gone in boxes, the parts of 16 rows that are in memory, by the thread that has the column. Where they
 * are written by atomics there is nothing to add to them. */
TC_DEV_SM90 float tc__gemm90_add_pieces(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                        tc_gemm_at at, int col)
{
    const int kind = tc__gemm_col_kind(c), end = tc__gemm90_end(c, g, u), wide = tc__gemm90_across(c, g);
    float kept = tc__epi_none(kind);
#pragma unroll 1
    for (int row = u->row; row < u->row + tc__gemm90_rows(c) && u->w.row + row < end; row += 16) {
        at.row = u->w.row + row;
        const float *part = tc__epi_more(&g->p->out)->parts + tc__col_part(kind, &g->p->out, at);
        const tc__gemm90_boxed_place x = {row, col / wide * wide, wide, tc__gemm90_clips(g)};
        if (!tc__gemm90_goes_boxed(c, g, u, x))
            kept = tc__epi_join(kind, kept, __ldcg(part));
    }
    return kept;
}

/* Where a warp leaves what it keeps of a tile's columns, the same place for all of them: its own, or a box's, in turn;
 * one that has less room than a tile's columns want is all of the warp's boxes'. */
TC_DEV_SM90 uint32_t tc__gemm90_columns_place(tc_gemm_config_in c, const tc_gemm90_block *g,
                                              const tc_gemm90_consumer *u)
{
    const int bytes = 16 * tc__gemm90_box(c).bytes, one = bytes >= tc__gemm90_columns_all(c) * 4;
    const int in_turn = one && !(tc__gemm90_widens(c) && g->p->d_wide);
    if (tc__gemm90_columns_room(c)) return tc__gemm90_columns_at(c, u);
    if (tc_elect_one()) {
        if (in_turn) tc__bulk_wait_read(c.epi_stages - 1);
        else TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
    }
    __syncwarp();
    return u->buf + (in_turn ? u->stores % (uint32_t)c.epi_stages * (uint32_t)bytes : 0u);
}

/* What is kept of its columns: the four warps' as one, a part for all of their rows. */
TC_DEV_SM90 void tc__gemm90_put_columns(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                        const tc__gemm90_keeping *kept, const tc__gemm90_columns_by by)
{
    const tc_gemm_out *o = &g->p->out;
    const int kind = tc__gemm_col_kind(c), all = tc__gemm90_columns_all(c), thread = tc_opaque((int)threadIdx.x) % 128;
    const int own = c.cluster_k > 1 ? (int)tc__gemm90_rank(c, g) * all : 0, id = TC__GEMM90_COLUMNS_BARRIER + g->wg;
    const uint32_t apart = (uint32_t)tc_gemm_sm90_plan_of(c).warp_store, place = tc__gemm90_columns_place(c, g, u);
    const uint32_t of_first = place - (uint32_t)(thread / 32) * apart;
    if (!tc__gemm90_columns_room(c) || !by.boxes) tc__gemm90_columns_put_all(c, place, &kept->columns);
    tc_bar_sync(id, 128);
#pragma unroll
    for (int i = 0; i < all; i += 128) {
        const int col = i + thread, is = col < all && col < g->width / c.cluster_k;
        const tc_gemm_at at = {u->w.row + u->row, u->w.col + own + col, tc__gemm90_matrix(c, u),
                               tc__gemm90_group(c, u)};
        const int here = is && at.row < tc__gemm90_end(c, g, u) && at.col < o->n;
        float sum = tc__epi_none(kind);
#pragma unroll
        for (uint32_t w = 0; w < 4u; w++)
            if (is) sum = tc__epi_join(kind, sum, tc__epi_shared(of_first + w * apart + (uint32_t)col * 4u));
        if (!(kind & TC__KEEP_ATOMIC) && here && by.pieces)
            sum = tc__epi_join(kind, sum, tc__gemm90_add_pieces(c, g, u, at, col));
        tc__col_put(kind, o, at, sum, here);
    }
    tc_bar_sync(id, 128); /* the place is the next boxes' */
}

/* A tile in pieces: rows of D that are looked up, a tile of which not all elements are stored. */
TC_DEV_SM90 void tc__gemm90_end_pieces(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                       float *acc)
{
    tc__gemm90_keeping kept;
    tc__gemm90_keeps_none(c, &kept);
    tc__gemm90_sums_to_f32(c, acc, tc__gemm90_rows(c) / 64 * c.bn / 2);
    tc__gemm90_store_pieces(c, g, u, acc, &kept);
    if (tc__gemm90_whole_rows(c)) tc__gemm90_put_rows(c, g, u, kept.rows);
    if (tc__gemm90_whole_columns(c)) {
        const tc__gemm90_columns_by by = {0, 1};
        tc__gemm90_put_columns(c, g, u, &kept, by);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Boxes.
 */

TC_DEV_SM90 void tc__gemm90_send(const tc_gemm90_block *g, const tc_tmap *map, uint32_t from, tc_gemm_at first)
{
    const tc_gemm_sm90_params *p = g->p;
    uint64_t usual;
    TC_CREATEPOLICY_FRACTIONAL(.L2::evict_normal, usual);
    TC_CP_ASYNC_BULK_TENSOR_STORE(3d, tile, L2::cache_hint, map, (first.col, first.row, first.batch), from,
                                  p->d_first ? tc_createpolicy_evict_first() : usual);
}

/* Where an element of D lies. */
TC_DEV char *tc__gemm90_d(const tc_gemm_out *o, const tc_box b, tc_gemm_at at)
{
    return (char *)o->d + tc__epi_d_at(o, at) * (tc_type_bits(b.type) / 8);
}

/* Has a block's last tile all of its boxes at once, in the ring, which nobody needs any more? Else a warp waits until
 * TMA has read a box before it fills it again: some hundred cycles each. */
TC_DEV int tc__gemm90_spreads(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const tc_box box = tc__gemm90_box(c);
    const int room = c.gated ? g->ring_room : tc_gemm_sm90_plan_of(c).ring_bytes;
    return c.schedule == TC_COOPERATIVE && !c.swap && tc__gemm90_rows(c) / 64 * tc__gemm90_boxes(c) > c.epi_stages
        && c.bm / 16 * tc__gemm90_boxes(c) * 16 * box.bytes <= room;
}

/* What a warp's boxes have in common. */
typedef struct tc__gemm90_storing {
    uint32_t buf;         /* where they are filled, so far apart, */
    uint32_t apart;
    int spread;           /* each in a place of its own, or in turn */
    int in_rows, in_cols; /* what of a box must lie inside D, from its first element on */
    int end;              /* rows end before this one */
    int plain;            /* a constant: by TMA, and without C */
    int some;             /* a constant: hooks ask whether an element is inside D */
    float *acc;
    tc__gemm90_keeping *kept;
    int chunk; /* a constant: of columns, which lanes share out */
} tc__gemm90_storing;

/* One of them. */
typedef struct tc__gemm90_one {
    int i; /* its number */
    tc_gemm_at first;
    float *v;    /* its sums */
    uint32_t to; /* where it is filled */
    tc__kept *rows; /* what is kept of their rows, or null; of their columns */
    float *columns;
} tc__gemm90_one;

/* Only conditions that the compiler knows to be the same for the warp may stand around a box: else it takes the warp
 * for diverged and moves the main loop's descriptors out of the uniform registers. */
TC_DEV int tc__gemm90_box_exists(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__gemm90_storing *s,
                                 const tc__gemm90_one *b)
{
    const int cols = tc_box_cols(tc__gemm90_box(c));
    return (!c.step || (b->i % tc__gemm90_boxes(c) + 1) * cols <= g->width)
        && b->first.row + s->in_rows <= (tc__gemm_in_rows(c) ? s->end : g->p->out.m)
        && b->first.col + s->in_cols <= g->p->out.n;
}

/* Box number i's place, free. */
TC_DEV_SM90 uint32_t tc__gemm90_box_take(tc_gemm_config_in c, const tc_gemm90_consumer *u,
                                         const tc__gemm90_storing *s, int i)
{
    const uint32_t n = s->spread ? (uint32_t)i : u->stores % (uint32_t)c.epi_stages;
    if (!s->spread && tc_elect_one()) tc__bulk_wait_read(c.epi_stages - 1);
    __syncwarp();
    return s->buf + n * s->apart;
}

/* Hook, then store, `group` values at a time: more of them hide more latency, where registers are left. */
TC_DEV_SM90 void tc__gemm90_box_fill(tc_gemm_config_in c, const tc_gemm_out *o, const tc__gemm90_storing *s,
                                     const tc__gemm90_one *b)
{
    const tc_box box = tc__gemm90_box(c);
    const int cols = tc_box_cols(box), most = cols / 2 < 32 ? cols / 2 : 32;
    const int group = tc__gemm90_rows(c) / 64 * tc__gemm90_regs(c, c.bn) > 128 ? 8 : most;
    const uint32_t lane_at = tc_box_lane(box);
#pragma unroll
    for (int from = 0; from < cols / 2; from += group) {
        const tc__gemm_kept x = {
            b->v + from, {b->first.row, b->first.col + from * 2, b->first.batch, b->first.group}, group, b->rows,
            s->some && tc__gemm90_asks_hooks(c), s->end, b->columns ? b->columns + from / 2 : 0};
        tc__gemm_visit(c, o, x);
        tc__gemm90_f32_to_d(c, b->v + from, group);
        const tc_box_span span = {from, from + group};
        tc_box_put(box, b->to + lane_at, b->v, span);
    }
}

TC_DEV_SM90 void tc__gemm90_box_send(const tc_gemm90_block *g, const tc__gemm90_one *b)
{
    tc_fence_proxy_async_shared();
    __syncwarp();
    if (tc_elect_one()) { /* bulk groups are a thread's: always the same one's */
        tc__gemm90_send(g, &g->p->d, b->to, b->first);
        tc_cp_async_bulk_commit_group();
    }
}

/* All warps have had as many boxes, so that what they keep of columns lies in the same place. */
TC_DEV_SM90 void tc__gemm90_no_box(tc_gemm90_consumer *u)
{
    if (tc_elect_one()) tc_cp_async_bulk_commit_group();
    ++u->stores;
}

enum { TC__GEMM90_C_WORDS = 16 }; /* of C that a lane has on their way, where there are registers */

/* C of box number i is asked for, if there is such a box. */
TC_DEV_SM90 void tc__gemm90_ask_c(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                  const tc__gemm90_storing *s, int i, tc__box_asked *asked)
{
    const tc__gemm90_one b = {i, tc__gemm90_box_at(c, g, u, i), 0, 0, 0, 0};
    const tc_box_span pairs = {0, tc__box_pairs(tc__gemm90_box(c), tc__gemm_c(c), TC__GEMM90_C_WORDS)};
    if (i < tc__gemm90_rows(c) / 64 * tc__gemm90_boxes(c) && tc__gemm90_box_exists(c, g, s, &b)) {
        if (tc__gemm_c_differs(c)) tc__box_ask_pairs(tc__gemm_c(c), pairs, &g->p->out, b.first, s->end, asked);
        else tc__box_ask_c(tc__gemm90_box(c), &g->p->out, b.first, s->end, asked);
    }
}

/* Which box comes as the turn-th: in rows, or where sums of columns are kept in columns, of 64 rows each. */
TC_DEV int tc__gemm90_box_number(tc_gemm_config_in c, const int turn)
{
    const int blocks = tc__gemm90_rows(c) / 64, across = tc__gemm90_boxes(c);
    return tc__gemm90_whole_columns(c) ? turn % blocks * across + turn / blocks : turn;
}

/* The boxes of this warp that lie inside D. The plain way, which is the usual one, has a loop of its own, with nothing
 * rare between: a block's last tile runs through instructions that have to come from memory as it goes. Behind the
 * tile's last column what others have is left in one leap: each box begins with a line of instructions to wait for. */
TC_DEV_SM90 void tc__gemm90_fill_boxes(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                       const tc__gemm90_storing *s)
{
    const tc_gemm_out *o = &g->p->out;
    const tc_box box = tc__gemm90_box(c);
    const int cols = tc_box_cols(box), across = tc__gemm90_boxes(c), raw = tc__gemm_raw(c);
    const int blocks = tc__gemm90_rows(c) / 64, boxes = blocks * across;
    const int adds = !s->plain && !raw && o->beta != 0.f;
    const int early = tc__gemm90_holds_c(c), leaps = c.step && blocks == 1 && !tc__gemm90_whole_columns(c);
    /* ping-pong tiles have a box's C on its way at a time, as no other of so many sums does without a spill */
    const int at_once = c.schedule == TC_PINGPONG && c.consumers <= 2 && tc__gemm_is_16(c.a) && !tc__gemm90_promotes(c)
                     && !tc__gemm90_columns_room(c);
    const tc__box_other other = {tc__gemm_c(c), early || at_once ? TC__GEMM90_C_WORDS : 4, early};
    tc__box_asked asked; /* early: C of the next box comes while this one is filled */
    if (adds && early) tc__gemm90_ask_c(c, g, u, s, 0, &asked);
#pragma unroll
    for (int turn = 0; turn < boxes; turn++) {
        const int i = tc__gemm90_box_number(c, turn);
        const int next = turn + 1 < boxes ? tc__gemm90_box_number(c, turn + 1) : boxes;
        if (leaps && (i + 1) * cols > g->width) break;
        float room[64];
        const tc__gemm90_taken all = {i / across, i % across * cols, cols / 2};
        tc__gemm90_one b = {i, tc__gemm90_box_at(c, g, u, i), 0, 0, 0, 0};
        if (tc__gemm90_whole_rows(c)) b.rows = s->kept->rows + i / across * 2;
        if (tc__gemm90_whole_columns(c)) b.columns = s->kept->columns.box;
        if (tc__gemm90_whole_columns(c) && i < across) tc__gemm90_columns_begin(c, &s->kept->columns);
        if (tc__gemm90_box_exists(c, g, s, &b)) {
            b.v = tc__gemm90_take(c, s->acc, all, room);
            b.to = tc__gemm90_box_take(c, u, s, i);
            if (!raw) tc__epi_alpha(b.v, cols / 2, o->alpha);
            if (adds) {
                const tc__box_filled f = {b.v, b.to, b.first};
                if (tc__gemm_c_differs(c)) {
                    tc__box_add_other(box, other, o, f, s->end, &asked);
                } else {
                    if (!early && at_once) tc__box_ask_c(box, o, b.first, s->end, &asked);
                    if (early || at_once) tc__box_put_c(box, b.to, &asked);
                    else tc__box_fetch_c(box, o, f);
                    tc__box_add_c(box, o, f);
                }
                if (early) tc__gemm90_ask_c(c, g, u, s, next, &asked);
            }
            tc__gemm90_box_fill(c, o, s, &b);
            if (s->plain || !tc__gemm90_by_rows(c) || g->p->d_by == TC__GEMM_D_TMA) {
                tc__gemm90_box_send(g, &b);
            } else {
                __syncwarp();
                const tc_box_rows d = {16, tc__gemm90_d(o, box, b.first), o->ldd * tc_type_bits(c.d) / 8};
                tc_box_copy(box, b.to, d);
            }
            ++u->stores;
        } else {
            if (adds && early) tc__gemm90_ask_c(c, g, u, s, next, &asked);
            if (tc__gemm90_whole_columns(c) && !tc__gemm90_columns_room(c)) tc__gemm90_no_box(u);
        }
        if (tc__gemm90_whole_columns(c) && i / across + 1 == blocks)
            tc__gemm90_columns_box(c, u, &s->kept->columns, i % across * cols, cols, s->chunk);
    }
}

/* The same: wholly inside D, or in part where TMA clips. */
TC_DEV_SM90 void tc__gemm90_store_boxes(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                        float *acc, tc__gemm90_keeping *kept)
{
    const tc_box box = tc__gemm90_box(c);
    const int boxes = tc__gemm90_rows(c) / 64 * tc__gemm90_boxes(c), clips = tc__gemm90_clips(g);
    const int some = tc__gemm90_asks_hooks(c) && g->p->d_some
                  && (tc__gemm90_last_rows(c, u) > tc__gemm90_end(c, g, u) || u->w.col + g->width > g->p->out.n);
    const int spread = tc__gemm90_spreads(c, g) && u->last, in_rows = tc__gemm_in_rows(c) || !clips ? 16 : 1;
    tc__gemm90_storing s = {u->buf, (uint32_t)(16 * box.bytes), spread, in_rows, 1, tc__gemm90_end(c, g, u), 0, 1,
                            acc, kept, tc__gemm90_columns_chunk(c)};
    if (!clips) s.in_cols = tc__gemm90_across(c, g);
    if (spread) {
        s.buf = g->ring + (threadIdx.x / 32u - 4u) * (uint32_t)(boxes * 16 * box.bytes);
        tc_bar_sync(1, 128 * c.consumers);
    }
    if (tc__gemm90_widens(c) && g->p->d_wide) {
        s.plain = 1;
        s.apart = spread ? 32u * (uint32_t)box.bytes : (uint32_t)tc__gemm90_wide_apart(c);
        if (some) {
            tc__gemm90_fill_boxes(tc__gemm90_widened(c), g, u, &s);
        } else {
            s.some = 0;
            tc__gemm90_fill_boxes(tc__gemm90_widened(c), g, u, &s);
        }
    } else if (g->p->d_plain && !some) {
        s.plain = 1, s.some = 0;
        tc__gemm90_fill_boxes(c, g, u, &s);
    } else {
        s.plain = 0;
        tc__gemm90_fill_boxes(c, g, u, &s);
    }
}

/* A step of 16 leaves 16 columns behind a tile's last box of 32. Where boxes go by TMA they go from registers to D, a
 * lane two neighbours at a time: in pieces they would wait until all boxes are read. */
TC_HD TC_CONSTEXPR int tc__gemm90_tails(tc_gemm_config_in c)
{
    return c.step == 16 && !c.swap && c.cluster_k == 1 && tc_box_cols(tc__gemm90_box(c)) == 32
        && !tc__gemm90_whole_columns(c) && !tc__gemm_quantised(c)
        && (tc_type_bits(c.d) == 16 || tc_type_bits(c.d) == 32);
}

/* Two neighbours of a row to D. */
TC_DEV void tc__gemm90_store_two(tc_gemm_config_in c, const tc_gemm_out *o, const float *v, tc_gemm_at at)
{
    char *to = (char *)o->d + tc__epi_d_at(o, at) * (tc_type_bits(c.d) / 8);
    if (tc_type_bits(c.d) == 16) *(uint32_t *)to = tc_pack(c.d, v[0], v[1]);
    else *(float2 *)to = make_float2(v[0], v[1]);
}

/* And beta * C to them. */
TC_DEV void tc__gemm90_add_two(tc_gemm_config_in c, const tc_gemm_out *o, float *v, tc_gemm_at at)
{
    const int type = tc__gemm_c(c);
    const char *from = (const char *)o->c + tc__epi_c_at(o, at) * (tc_type_bits(type) / 8);
    if (tc_type_bits(type) == 16) {
        const uint32_t two = *(const uint32_t *)from;
        v[0] += o->beta * tc_unpack(type, two), v[1] += o->beta * tc_unpack(type, two >> 16);
    } else {
        const float2 two = *(const float2 *)from;
        v[0] += o->beta * two.x, v[1] += o->beta * two.y;
    }
}

TC_DEV_SM90 void tc__gemm90_store_tail(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                       const float *acc, tc__kept *rows)
{
    const tc_gemm_out *o = &g->p->out;
    const int lane = tc_lane(), end = tc__gemm90_end(c, g, u);
#pragma unroll
    for (int i = 0; i < tc__gemm90_rows(c) / 64; i++) {
        float v[8];
        tc__gemm_kept x = {v, {u->w.row + u->warp_row + i * 64, u->w.col + g->width - 16, tc__gemm90_matrix(c, u),
                               tc__gemm90_group(c, u)}, 8, 0, tc__gemm90_asks_hooks(c), end, 0};
#pragma unroll
        for (int width = 16; width <= c.bn; width += 32) { /* registers have constant numbers only */
            float room[8];
            const tc__gemm90_taken all = {i, width - 16, 8};
            const float *from = tc__gemm90_take(c, acc, all, room);
#pragma unroll
            for (int j = 0; j < 8; j++)
                if (width == 16 || g->width == width) v[j] = from[j];
        }
        if (!tc__gemm_raw(c)) tc__epi_alpha(v, 8, o->alpha);
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            const tc_gemm_at at = {x.first.row + lane / 4 + j / 2 % 2 * 8, x.first.col + lane % 4 * 2 + j / 4 * 8,
                                   x.first.batch, 0};
            if (tc__gemm90_holds_c(c) && c.d != TC_S32 && o->beta != 0.f && at.row < end && at.col < o->n)
                tc__gemm90_add_two(c, o, v + j, at);
        }
        if (tc__gemm90_whole_rows(c)) x.rows = rows + i * 2;
        tc__gemm_visit(c, o, x);
        tc__gemm90_f32_to_d(c, v, 8);
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            const tc_gemm_at at = {x.first.row + lane / 4 + j / 2 % 2 * 8, x.first.col + lane % 4 * 2 + j / 4 * 8,
                                   x.first.batch, 0};
            if (at.row < end && at.col < o->n) tc__gemm90_store_two(c, o, v + j, at);
        }
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_STORE_H */
