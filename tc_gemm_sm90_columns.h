/* tc_gemm_sm90_columns.h - tc 0.2.0 - what is kept of a tile's columns on Hopper (.col_sum): of all rows of a warpgroup
 * one part. Needs: the headers below; sm_90a.
 *
 * Boxes lie in registers. A lane joins its own rows of one column of boxes, of all 64 rows below each other, and only
 * then do its eight neighbours of the same columns share them out. When the tile has gone, the four warps meet in
 * shared memory. Pieces leave parts of 16 rows in the workspace; the thread that has a column fetches them from there.
 *
 *     tc__gemm90_columns_begin, _box     a column of boxes
 *     tc__gemm90_columns_put_all         the warp's to shared memory, where the warpgroup's meet
 */
#ifndef TC_GEMM_SM90_COLUMNS_H
#define TC_GEMM_SM90_COLUMNS_H

#include "tc_gemm_sm90_plan.h"

#ifdef __CUDACC__

enum { TC__GEMM90_COLUMNS_BARRIER = 4 }; /* and two more: one for each warpgroup of consumers */

/* A lane's: of the boxes that it is at, its own columns in the order of a fragment; of those before, after its
 * neighbours have had their share, what tc__col_share leaves it of each chunk. */
typedef struct tc__gemm90_columns {
    float box[32], kept[16];
} tc__gemm90_columns;

/* Columns of a tile that a block has; of a chunk, as boxes have them. c: not a widened one. */
TC_HD TC_CONSTEXPR int tc__gemm90_columns_all(tc_gemm_config_in c) { return c.bn / c.cluster_k; }
TC_HD TC_CONSTEXPR int tc__gemm90_columns_chunk(tc_gemm_config_in c)
{
    const int cols = tc_box_cols(tc__gemm90_box(c));
    return cols % 64 == 0 ? 64 : cols % 32 == 0 ? 32 : 16;
}

TC_DEV void tc__gemm90_columns_none(tc_gemm_config_in c, tc__gemm90_columns *k)
{
#pragma unroll
    for (int i = 0; i < 16; i++) k->kept[i] = tc__epi_none(tc__gemm_col_kind(c));
}

/* A column of boxes begins. */
TC_DEV void tc__gemm90_columns_begin(tc_gemm_config_in c, tc__gemm90_columns *k)
{
#pragma unroll
    for (int i = 0; i < 32; i++) k->box[i] = tc__epi_none(tc__gemm_col_kind(c));
}

/* A lane's to shared memory, where the warp's of a chunk lie from `at` on. */
TC_DEV void tc__gemm90_columns_put(uint32_t at, const float *v, const int chunk)
{
    const int lane = tc_opaque(tc_lane()); /* what follows from it is not kept in registers */
    at += (uint32_t)tc__col_lane(chunk / 4, lane) * 4u;
    if (tc__col_keeps(chunk / 4, lane)) tc__epi_put_shared(at, v[0]);
    if (chunk == 64) tc__epi_put_shared(at + 4u, v[1]);
}

/* Where a warp has room for them. */
TC_DEV uint32_t tc__gemm90_columns_at(tc_gemm_config_in c, const tc_gemm90_consumer *u)
{
    return u->buf + (uint32_t)(tc_gemm_sm90_plan_of(c).warp_store - tc__gemm90_columns_room(c));
}

/* It ends: of `cols` columns from the tile's number `from` on. */
TC_DEV_SM80 void tc__gemm90_columns_box(tc_gemm_config_in c, const tc_gemm90_consumer *u, tc__gemm90_columns *k,
                                        const int from, const int cols, const int chunk)
{
    const int kind = tc__gemm_col_kind(c), each = chunk == 64 ? 2 : 1;
#pragma unroll
    for (int j = 0; j < cols; j += chunk) {
        float *v = k->box + j / 4, *to = k->kept + (from + j) / chunk * each;
        tc__col_share(kind, v, chunk / 4, tc_opaque(tc_lane()));
        if (tc__gemm90_columns_room(c)) {
            tc__gemm90_columns_put(tc__gemm90_columns_at(c, u) + (uint32_t)(from + j) * 4u, v, chunk);
        } else {
            to[0] = v[0];
            if (chunk == 64) to[1] = v[1];
        }
    }
}

/* All of a tile. */
TC_DEV void tc__gemm90_columns_put_all(tc_gemm_config_in c, uint32_t at, const tc__gemm90_columns *k)
{
    const int chunk = tc__gemm90_columns_chunk(c), each = chunk == 64 ? 2 : 1;
#pragma unroll
    for (int i = 0; i < tc__gemm90_columns_all(c) / chunk; i++)
        tc__gemm90_columns_put(at + (uint32_t)(i * chunk) * 4u, k->kept + i * each, chunk);
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_COLUMNS_H */
