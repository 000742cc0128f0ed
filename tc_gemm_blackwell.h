/* tc_gemm_blackwell.h - tc 0.2.0 - what the GEMMs of sm_100 and of sm_120 share beside the parts: boxes and pieces on
 * their way to D, factors of a byte of a call. Needs: the headers below.
 *
 *     tc__gemm_fp4, _padded            are elements of 4 and 6 bits packed in shared memory, or do they become bytes?
 *     tc__gemm_group_work              a tile of .groups as a block sees it
 *     tc__gemm_sf_row                  .sf: where a tile's factors of A begin
 *     tc__gemm_to                      what a warp that stores is told of D
 *     tc__gemm_clips, _boxed           is a box of 16 rows stored as one?
 *     tc__gemm_store_box               through alpha, beta * C and the hook to shared memory, and to D
 *     tc__gemm_piece_to_d              16 x 16 values that lie in shared memory, eight neighbours of a row a lane
 *     tc__gemm_gate_box, _places       .gate: of both products' sums D's elements, in a box, in shared memory
 *     tc__gemm_part_of, _end_part      .split: a part's run of k; the meeting of a tile's parts, and their sums to D
 *     tc__gemm_d_by, _sf_map, _check_sf, _check_side, _whole_cut   (host)
 */
#ifndef TC_GEMM_BLACKWELL_H
#define TC_GEMM_BLACKWELL_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"
#include "tc_gemm_cut.h"
#include "tc_gemm_end.h"
#include "tc_gemm_gate.h"
#include "tc_pipe.h"
#include "tc_sf.h"
#include "tc_split.h"

/* Two elements of e2m1 in a byte of shared memory too: kinds mxf4 and mxf4nvf4. What other kinds multiply of 4 and 6
 * bits stands in bytes there: TMA gives each 16 elements 16 bytes, and counts those that it read. */
TC_HD TC_CONSTEXPR int tc__gemm_fp4(tc_gemm_config_in c) { return c.sf && c.a == TC_E2M1 && c.b == TC_E2M1; }
TC_HD TC_CONSTEXPR int tc__gemm_padded(tc_gemm_config_in c, int type)
{
    return tc__gemm_is_narrow(type) && !tc__gemm_fp4(c);
}

enum { TC__GEMM_PLACE = 1024 }; /* bytes of a place, below */

#ifdef __CUDACC__

/* .groups: rows and columns of a cluster's tiles, and of them those before this block's. */
typedef struct tc__gemm_share {
    int masked; /* TC_GROUPS_MASKED */
    int rows, cols, row, col;
} tc__gemm_share;

/* Tile number index of the line of all groups' as this block sees it, but for its run of k; .batch is its group. warp,
 * a constant: all lanes of a warp ask together, and what they are told is known to be the same for all. */
TC_DEV_SM80 tc_work tc__gemm_group_work(const int warp, const tc__gemm_share s, const tc_groups_line *line,
                                        uint32_t index)
{
    const tc_group_tile t = tc_groups_tile(warp, line, index);
    const tc_group_rows rows = tc_groups_rows(s.masked, line->groups, t.group);
    tc_work w = {(int)t.along * s.rows + s.row + rows.first, (int)t.across * s.cols + s.col, t.group, 0u, 0u, 0u,
                 rows.end};
    if (warp) {
        w.row = (int)tc_uniform((uint32_t)w.row), w.col = (int)tc_uniform((uint32_t)w.col);
        w.batch = (int)tc_uniform((uint32_t)w.batch), w.end = (int)tc_uniform((uint32_t)w.end);
    }
    return w;
}

/* .sf: a tile's first row in the layout of A's factors, in which a group's rows begin at a block of their own. */
TC_DEV int tc__gemm_sf_row(tc_gemm_config_in c, const tc_groups *groups, const tc_work *w)
{
    if (c.groups != TC_GROUPS_ROWS) return w->row;
    const int first = tc_groups_rows(0, groups, w->batch).first;
    return w->row - first + tc_sf_group_row(first, w->batch);
}

/* by: TC__GEMM_D_*. plain: boxes go by TMA, without C; clips: and TMA leaves out what a box has outside of D. end: with
 * .groups rows of the group end before this one. */
typedef struct tc__gemm_to {
    const tc_tmap *map;
    const tc_gemm_out *out;
    int by, plain, clips, end;
    const int32_t *d_row; /* .index: where rows go, and how many D has */
    int d_rows;
    int base, goes; /* .index, by scatter4 (sm_100): of a warp's 32 rows from base on where this lane's goes; */
    uint32_t whole; /* bit i: the i-th 16 of them all go somewhere */
} tc__gemm_to;

/* What is stored ends before this row. */
TC_DEV int tc__gemm_end_row(tc_gemm_config_in c, const tc__gemm_to *to) { return c.groups ? to->end : to->out->m; }

/* A place in D; matrix and group are a tile's. */
TC_DEV tc_gemm_at tc__gemm_at_of(tc_gemm_config_in c, const tc_work *w, int row, int col)
{
    const tc_gemm_at at = {row, col, c.groups == TC_GROUPS_ROWS ? 0 : w->batch, c.groups ? w->batch : 0};
    return at;
}

/* A box: its first element's place in D, its values, where in shared memory it is filled. */
typedef struct tc__gemm_box {
    tc_gemm_at first;
    float v[32];
    uint32_t to;
} tc__gemm_box;

/* Does TMA leave out what D's last row or column cuts off? C, and hooks that may write, are for elements that exist. Of
 * a group's last row it knows nothing. */
TC_DEV int tc__gemm_clips(tc_gemm_config_in c, const tc__gemm_to *to)
{
    return (!tc__gemm_hooked(c) || c.epi_pure) && to->clips;
}

/* A box, by its first place in D: is it stored as one? Where rows are looked up, only if all of them go somewhere. */
TC_DEV int tc__gemm_boxed(tc_gemm_config_in c, const tc_box box, const tc__gemm_to *to, tc_gemm_at first)
{
    const int clips = tc__gemm_clips(c, to);
    if ((c.index & TC_INDEX_D) && (!to->whole || !(to->whole >> (first.row - to->base) / 16 & 1u))) return 0;
    return to->by != TC__GEMM_D_PIECES
        && first.row + (clips && !c.groups ? 1 : 16) <= tc__gemm_end_row(c, to)
        && first.col + (clips ? 1 : tc_box_cols(box)) <= to->out->n;
}

/* A place is 16 x 16 elements of D, as f32 in shared memory: rows of 64 bytes in that swizzle. A fragment's 16 columns
 * (8 registers) to one. */
TC_DEV void tc__gemm_put_place(uint32_t place, const float *v)
{
    const uint32_t lane = (uint32_t)tc_lane(), g = lane / 4u, q = lane % 4u;
#pragma unroll
    for (uint32_t j = 0; j < 8u; j += 2u) { /* v[j], v[j + 1]: row g + 8 * h, columns 2q, 2q + 1 of the half j / 4 */
        const uint32_t row = g + j / 2u % 2u * 8u, col = 2u * q + j / 4u * 8u;
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                     : : "r"(place + tc_swizzle(64, row * 64u + col * 4u)), "f"(v[j]), "f"(v[j + 1u]) : "memory");
    }
}

/* A piece whose values lie at `place`, by its first place in D. */
TC_DEV_SM90 void tc__gemm_piece_to_d(tc_gemm_config_in c, const tc__gemm_to *to, uint32_t place, tc_gemm_at first)
{
    const uint32_t lane = (uint32_t)tc_lane(), shift = lane / 2u * 64u + lane % 2u * 32u;
    tc__epi_piece piece = {place + tc_swizzle(64, shift), place + tc_swizzle(64, shift + 16u), {0, 0, 0, 0},
                           to->by == (tc__gemm_quantised(c) ? TC__GEMM_D_ROWS : TC__GEMM_D_TMA), 0, 0};
    piece.at.row = first.row + (int)lane / 2;
    piece.at.col = first.col + (int)lane % 2 * 8;
    piece.at.batch = first.batch, piece.at.group = first.group;
    __syncwarp();
    if (tc__gemm_quantised(c)) tc__quant_clear(to->out, &piece, tc__gemm_end_row(c, to));
    if (c.index & TC_INDEX_D) piece.to = piece.at.row < tc__gemm_end_row(c, to) ? to->d_row[piece.at.row] : -1;
    const int lost = (c.index & TC_INDEX_D) && (uint32_t)piece.to >= (uint32_t)to->d_rows;
    const int gone = (c.groups && piece.at.row >= to->end) || lost;
    if (gone && !tc__gemm_row_kind(c) && !tc__gemm_col_kind(c)) return;
    if (lost) tc__epi_no_piece(tc__gemm_epi(c), &piece);
    tc__kept kept = tc__kept_none(tc__gemm_row_kind(c));
    if (!gone) kept = tc__epi_store_piece(tc__gemm_epi(c), to->out, &piece);
    if (tc__gemm_row_kind(c)) {
        if (gone) piece.at.row = -1;
        __syncwarp();
        tc__epi_piece_part(tc__gemm_epi(c), to->out, piece.at, kept);
    }
    if (tc__gemm_col_kind(c)) {
        const int left = tc__gemm_end_row(c, to) - first.row;
        const tc__col_place x = {place, 64, left < 16 ? left : 16, 16, first, 0};
        __syncwarp();
        tc__col_strip(tc__gemm_col_kind(c), to->out, &x);
    }
}

/* .gate: a box's sums of B, and `up`, those of B2, to D's elements. */
TC_DEV_SM90 void tc__gemm_gate_box(tc_gemm_config_in c, const int count, const tc_gemm_out *o, tc__gemm_box *b,
                                   const float *up)
{
    const int lane = tc_lane();
    const float alpha = tc__gate_alpha(o);
#pragma unroll
    for (int j = 0; j < count; j++) {
        const tc_gemm_at at = {b->first.row + lane / 4 + j / 2 % 2 * 8,
                               b->first.col + lane % 4 * 2 + j / 4 * 8 + j % 2, b->first.batch, b->first.group};
        b->v[j] = c.gate(alpha * b->v[j], alpha * up[j], at, o->epi);
    }
}

/* .gate: of the sums in a place and in the next one, of the two products, D's elements, in the first. */
TC_DEV_SM90 void tc__gemm_gate_places(tc_gemm_config_in c, const tc__gemm_to *to, uint32_t place, tc_gemm_at first)
{
    const uint32_t lane = (uint32_t)tc_lane(), shift = lane / 2u * 64u + lane % 2u * 32u;
    tc__gate_eight x = {place + tc_swizzle(64, shift), place + tc_swizzle(64, shift + 16u), TC__GEMM_PLACE, first, 0};
    x.at.row += (int)lane / 2, x.at.col += (int)lane % 2 * 8;
    x.exist = tc__gate_exist(to->out, x.at, tc__gemm_end_row(c, to));
    __syncwarp();
    tc__gate_some(c, to->out, &x);
}

/* f32 in rows of 128 bytes, 8 columns of 8 rows a store, in turns of 4 rows: in the swizzle of 128 bytes rows 2i and
 * 2i + 1 have the same two chunks of 16 bytes for the same columns, so two of four rows would meet in each bank. Odd
 * rows therefore go 16 columns further on first, and then back: values change places here, and the address with them.
 */
TC_DEV uint32_t tc__gemm_apart(const tc_box box, float *v)
{
    const int odd = tc_lane() / 4 % 2;
    if (box.type != TC_F32 || box.bytes != 128) return 0u;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const float x = v[j], y = v[j + 8];
        v[j] = odd ? y : x, v[j + 8] = odd ? x : y;
    }
    return odd ? 64u : 0u;
}

/* Hook, and to shared memory. */
TC_DEV_SM90 void tc__gemm_fill_box(tc_gemm_config_in c, const tc_box box, const tc__gemm_to *to, tc__gemm_box *b)
{
    const tc_box_span whole = {0, tc_box_cols(box) / 2};
    const tc__gemm_kept all = {b->v, {b->first.row, b->first.col, b->first.batch, b->first.group},
                               whole.to, 0, c.epi_pure, tc__gemm_end_row(c, to), 0};
    tc__gemm_visit(c, to->out, all);
#pragma unroll
    for (int j = 0; j < whole.to; j++)
        if (c.d == TC_S32 && !tc__gemm_raw(c)) b->v[j] = tc_f32_from_bits((uint32_t)tc__epi_s32(b->v[j]));
    const uint32_t apart = tc__gemm_apart(box, b->v);
    tc_box_put(box, b->to + (tc_box_lane(box) ^ apart), b->v, whole);
}

/* And to D. */
TC_DEV_SM90 void tc__gemm_send_box(tc_gemm_config_in c, const tc_box box, const tc__gemm_to *to,
                                   const tc__gemm_box *b)
{
    const tc_gemm_out *o = to->out;
    if (to->by == TC__GEMM_D_TMA) {
        tc_fence_proxy_async_shared(); /* ordinary writes before, TMA's reads after */
        __syncwarp();
        if (tc_elect_one()) { /* bulk groups are a thread's: always the same one's */
            tc_cp_async_bulk_tensor_3d_store(to->map, b->to, b->first.col, b->first.row, b->first.batch);
            tc_cp_async_bulk_commit_group();
        }
    } else {
        const int size = tc_type_bits(c.d) / 8;
        const tc_box_rows d = {16, (char *)o->d + tc__epi_d_at(o, b->first) * size, o->ldd * size};
        __syncwarp();
        tc_box_copy(box, b->to, d);
    }
}

/* A box to its place in shared memory, b->to, which is free. */
TC_DEV_SM90 void tc__gemm_make_box(tc_gemm_config_in c, const tc_box box, const tc__gemm_to *to, tc__gemm_box *b)
{
    const tc_gemm_out *o = to->out;
    if (!tc__gemm_raw(c)) {
        tc__epi_alpha(b->v, tc_box_cols(box) / 2, o->alpha);
        if (!to->plain && o->beta != 0.f) {
            const tc__box_filled f = {b->v, b->to, b->first};
            tc__box_asked asked;
            if (tc__gemm_c_differs(c)) {
                const tc__box_other other = {tc__gemm_c(c), 16, 0};
                tc__box_add_other(box, other, o, f, tc__gemm_end_row(c, to), &asked);
            } else {
                tc__box_ask_c(box, o, b->first, tc__gemm_end_row(c, to), &asked);
                tc__box_put_c(box, f.buf, &asked);
                tc__box_add_c(box, o, f);
            }
        }
    }
    tc__gemm_fill_box(c, box, to, b);
}

/* And on to D. */
TC_DEV_SM90 void tc__gemm_store_box(tc_gemm_config_in c, const tc_box box, const tc__gemm_to *to, tc__gemm_box *b)
{
    tc__gemm_make_box(c, box, to, b);
    tc__gemm_send_box(c, box, to, b);
}

/* The next of a warp's places for boxes, free: number `stores` of .epi_stages in turn, from buf on. */
TC_DEV_SM90 uint32_t tc__gemm_take_box(tc_gemm_config_in c, const tc_box box, uint32_t buf, uint32_t stores)
{
    if (tc_elect_one()) tc__bulk_wait_read(c.epi_stages - 1); /* what was stored from this place has left it */
    __syncwarp();
    return buf + stores % (uint32_t)c.epi_stages * (uint32_t)(16 * box.bytes);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * .split: the end of a tile whose k is split. A tile here is one block's.
 */
/* Part number index of all tiles' parts: its run of k, and the number of its tile. */
TC_DEV uint32_t tc__gemm_part_of(const tc_gemm_split *s, uint32_t index, tc_work *w)
{
    const uint32_t tile = tc_quotient(index, s->by_parts);
    w->part = index - tile * s->parts;
    w->k_first = w->part * s->k_each + (w->part < s->k_more ? w->part : s->k_more);
    w->k_blocks = s->k_each + (w->part < s->k_more ? 1u : 0u);
    return tile;
}

/* A warp among those that end a tile together: the warps and its number, the named barrier where they meet and a word
 * of shared memory, the warp's own place there; the tile, its number, places along its rows and columns. last: no tile
 * comes after this one. */
typedef struct tc__gemm_ending {
    const tc_gemm_split *split;
    const tc_work *w;
    int warps, warp, barrier;
    uint32_t word, place, tile;
    int down, across, last;
} tc__gemm_ending;

/* Where a lane's sums of a place lie, of the tile's part number `part`. */
TC_DEV float4 *tc__gemm_part_at(const tc__gemm_ending *e, uint32_t part, int place)
{
    const size_t each = (size_t)(e->down * e->across * 64); /* pieces of four */
    return (float4 *)e->split->sums + (e->tile * e->split->parts + part) * each + (size_t)(place * 64 + tc_lane());
}

/* A place's sums to the workspace. */
TC_DEV_SM90 void tc__gemm_leave_place(const tc__gemm_ending *e, int place, const float *v)
{
    float4 *to = tc__gemm_part_at(e, e->w->part, place);
    tc__gemm_leave(to, v);
    tc__gemm_leave(to + 32, v + 4);
}

/* The sums of a part are in the workspace: the meeting with the other parts. Says which slices fall to this block, as
 * bits. */
TC_DEV_SM90 uint32_t tc__gemm_meet(const tc__gemm_ending *e)
{
    uint32_t slices;
    tc_bar_sync(e->barrier, e->warps * 32);
    if (e->warp == 0 && tc_lane() == 0) {
        __threadfence(); /* for all of them: the barrier has made their stores this thread's to release */
        slices = tc_split_arrive(e->split, e->tile, e->w->part, e->last);
        asm volatile("st.shared.b32 [%0], %1;" : : "r"(e->word), "r"(slices) : "memory");
    }
    __syncwarp();
    tc_bar_sync(e->barrier, e->warps * 32);
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(slices) : "r"(e->word) : "memory");
    return tc_uniform(slices);
}

/* Those slices, whose places go to the warps in turn: all parts added up, and to D. */
TC_DEV_SM90 void tc__gemm_store_slices(tc_gemm_config_in c, const tc__gemm_to *to, const tc__gemm_ending *e,
                                       uint32_t slices)
{
    const int all = e->down * e->across, last = all / tc__gemm_products(c); /* .gate: B2's lie behind all of B's */
    const int apart = (int)tc_split_slices(e->split->parts);
    int i = last;
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
#pragma unroll 1
    for (;; i += apart * e->warps) {
        float v[8];
        while (slices && i >= last) { /* the next slice */
            i = __ffs((int)slices) - 1 + apart * e->warp;
            slices &= slices - 1u;
        }
        if (i >= last) break;
        const tc_gemm_at at = tc__gemm_at_of(c, e->w, e->w->row + i % e->down * 16, e->w->col + i / e->down * 16);
        const tc__gemm_parts from = {tc__gemm_part_at(e, 0, i), (size_t)(all * 64), e->split};
        if (at.row >= tc__gemm_end_row(c, to) || at.col >= to->out->n) continue;
        tc__gemm_add_parts(8, c, &from, v);
        __syncwarp();
        tc__gemm_put_place(e->place, v);
        if (c.gate) {
            const tc__gemm_parts other = {from.first + last * 64, from.each, e->split};
            tc__gemm_add_parts(8, c, &other, v);
            tc__gemm_put_place(e->place + TC__GEMM_PLACE, v);
            tc__gemm_gate_places(c, to, e->place, at);
        }
        tc__gemm_piece_to_d(tc__gemm_gated(c), to, e->place, at);
    }
    __syncwarp();
}

/* When a part's sums are in the workspace: the meeting, what falls to this block of it, and its end. */
TC_DEV_SM90 void tc__gemm_end_part(tc_gemm_config_in c, const tc__gemm_to *to, const tc__gemm_ending *e)
{
    tc__gemm_store_slices(c, to, e, tc__gemm_meet(e));
    tc_bar_sync(e->barrier, e->warps * 32);
    if (e->warp == 0 && tc_lane() == 0) tc_split_leave(e->split, e->tile);
    __syncwarp();
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host. v, g: of the view.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a plan knows of its matrices: its product is that of the transposes; the third is B2 (.gate). at[i] is null
 * where a, b, c or d is not read. */
typedef struct tc__gemm_planned {
    int turned, gates;
    const void *const *at;
} tc__gemm_planned;

/* How boxes go to D. */
TC_HOST int tc__gemm_d_by(const tc_gemm_config *v, const tc_gemm_args *g, const tc_gemm_out *o)
{
    if (!tc__gemm_fits(v, g, 'c')) return TC__GEMM_D_PIECES;
    if (tc__gemm_quantised(*v)) return TC__GEMM_D_ROWS; /* by bytes */
    if (v->d == TC_S32 && (o->beta != 0.f || (tc__gemm_raw(*v) && o->alpha != 1.f)))
        return TC__GEMM_D_PIECES; /* boxes know sums as they are, and C of floats */
    return tc__gemm_fits(v, g, 'd') ? TC__GEMM_D_TMA : TC__GEMM_D_ROWS;
}

/* How a side's factors are read: k that share one, blocks of them in a tile's step; .groups. */
typedef struct tc__gemm_sf {
    int k, blocks, groups;
} tc__gemm_sf;

/* The map of a side's factors, as the call has them for its rows or columns. */
TC_HOST tc_status tc__gemm_sf_map(tc_tmap *map, tc__gemm_sf sf, const tc_gemm_args *g, char which)
{
    const int blocks = tc_sf_blocks(g->k, sf.k), lines = which == 'a' ? g->m : g->n;
    const tc_operand_box box = {128, sf.blocks * 4, 0, 0};
    tc_operand_matrix x = {which == 'a' ? "sfa" : "sfb", TC_U8, which == 'a' ? g->sfa : g->sfb, 128, 0, 1, 128, 0};
    const int in_groups = sf.groups == TC_GROUPS_ROWS && which == 'a', many = sf.groups && !in_groups;
    const int64_t down = in_groups ? (int64_t)lines / 128 + g->groups.count : ((int64_t)lines + 127) / 128;
    const int64_t rows = down * blocks * 4;
    x.batch = many ? g->groups.count : tc__gemm_batch(g), x.stride = which == 'a' ? g->stride_sfa : g->stride_sfb;
    if (g->k == 0) { /* nothing of it is read */
        x.base = (const void *)((uintptr_t)g->d & ~(uintptr_t)15);
        x.cols = 16, x.rows = x.batch = 1;
    } else if (rows > 0x7fffffff) {
        return tc__fail(TC_ERR_SIZE, "%s has more than 2^31 rows of 128 bytes", x.name);
    } else {
        x.rows = (int)rows;
    }
    return tc_operand_map_box(map, &x, &box);
}

/* The rules for a side's factors of a byte. */
TC_HOST tc_status tc__gemm_check_sf(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const void *at = which == 'a' ? g->sfa : g->sfb;
    const int64_t stride = which == 'a' ? g->stride_sfa : g->stride_sfb;
    if (!at) return tc__fail(TC_ERR_NULL, "sf%c is null, but the kernel has .sf", which);
    if ((uintptr_t)at % 16) return tc__fail(TC_ERR_ALIGN, "sf%c = %p is not a multiple of 16 bytes", which, at);
    if (c->groups == TC_GROUPS_ROWS && which == 'a' && stride)
        return tc__fail(TC_ERR_BATCH, "stride_sfa = %lld, but with TC_GROUPS_ROWS the factors of all groups are one "
                        "layout (tc_sf_group_row): leave it 0", (long long)stride);
    if (stride < 0 || stride % 16)
        return tc__fail(TC_ERR_BATCH, "stride_sf%c = %lld is not a multiple of 16 bytes, as TMA needs", which,
                        (long long)stride);
    return TC_OK;
}

/* Which sides become bytes, and lie at multiples of 32 bytes: 1 A, 2 B. */
TC_HOST short tc__gemm_padded_sides(const tc_gemm_config *c)
{
    return (short)(tc__gemm_padded(*c, c->a) | tc__gemm_padded(*c, c->b) << 1);
}

/* The rules for a side: its elements of 4 and 6 bits, its factors of a byte. c, g: as given. */
TC_HOST tc_status tc__gemm_check_side(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const tc_operand_matrix x = tc__gemm_matrix(c, g, which);
    const int bits = tc_type_bits(x.type), turned = which == 'a' ? tc__gemm_a_col(*c) : tc__gemm_b_row(*c);
    if (tc__gemm_padded(*c, x.type)) {
        if (x.cols % 128)
            return tc__fail(TC_ERR_SIZE, "%c = %d is not a multiple of 128, as TMA needs to bring %s to bytes",
                            !turned ? 'k' : which == 'a' ? 'm' : 'n', x.cols, tc_type_name(x.type));
        if ((uintptr_t)x.base % 32)
            return tc__fail(TC_ERR_ALIGN, "%c = %p is not a multiple of 32 bytes, as TMA needs of %s", which, x.base,
                            tc_type_name(x.type));
        if (x.pitch * bits % 256 || (x.batch > 1 && x.stride * bits % 256))
            return tc__fail(TC_ERR_ALIGN,
                            "ld%c = %lld or stride_%c = %lld elements of %s is not a multiple of 32 bytes", which,
                            (long long)x.pitch, which, (long long)x.stride, tc_type_name(x.type));
    } else if (bits == 4 && g->k % 2) {
        return tc__fail(TC_ERR_SIZE, "k = %d is odd, but two elements of e2m1 share a byte", g->k);
    }
    return c->sf ? tc__gemm_check_sf(c, g, which) : TC_OK;
}

/* What the choice reckons with, in cycles: tiles of clusters, and how many clusters run at a time; steps of 128 bytes
 * of k, each of which takes a cluster so long; the last tile's way to D; what a tile's sums take through the
 * workspace. */
typedef struct tc__gemm_pace {
    double tiles, at_a_time, steps, step, store, sums;
} tc__gemm_pace;

#define TC__GEMM100_TILE 500.0  /* cycles that a tile takes besides */
#define TC__GEMM100_MEET 4000.0 /* a meeting of parts */

/* A call with k in so many parts. Reckoned and not measured: no such board was at hand. */
TC_HOST double tc__gemm_cycles(const tc__gemm_pace *x, int parts)
{
    const double works = x->tiles * parts, turns = (double)(int64_t)((works + x->at_a_time - 1) / x->at_a_time);
    const double time = turns * ((x->steps / parts + 1) * x->step + TC__GEMM100_TILE) + x->store;
    return parts > 1 ? time + turns * x->sums + TC__GEMM100_MEET : time;
}

/* Bytes of workspace that parts take: tiles of blocks, elements of one. */
typedef struct tc__gemm_room {
    uint32_t tiles;
    size_t elements, workspace; /* workspace: bytes that there are */
} tc__gemm_room;

/* The parts of k that end first, of at least four steps of the ring, and that the workspace holds; 1: it is not split.
 * Whole turns of the device's clusters, up to four. */
TC_HOST int tc__gemm_best_parts(const tc__gemm_pace *x, const tc__gemm_room *room, int k_blocks)
{
    const int most = k_blocks / 4 < TC_SPLIT_MOST ? k_blocks / 4 : TC_SPLIT_MOST;
    double best = tc__gemm_cycles(x, 1);
    int parts = 1, turns;
    for (turns = 1; turns <= 4 && x->tiles > 0 && x->tiles <= 4 * x->at_a_time; turns++) {
        int p = (int)(turns * x->at_a_time / x->tiles);
        p = p < most ? p : most;
        while (p > 1 && tc_split_bytes(room->tiles, (uint32_t)p, room->elements) > room->workspace) p--;
        if (p > 1 && tc__gemm_cycles(x, p) < best) best = tc__gemm_cycles(x, p), parts = p;
    }
    return parts;
}

/* How a call is cut whose tiles have one width: as g->choice wants it, within what clusters of the kernel run at a
 * time. Parts of k (.split) it leaves to the caller, if g->choice does. */
TC_HOST tc_status tc__gemm_whole_cut(const tc_gemm_config *v, const tc_gemm_args *g, int clusters, tc_gemm_cut *cut)
{
    const tc_gemm_choice none = {0, 0, 0, 0, 0, 0}, *want = g->choice ? g->choice : &none;
    memset(cut, 0, sizeof *cut);
    cut->width = v->bn, cut->parts = 1, cut->cluster = v->cluster_m, cut->blocks = clusters;
    if (want->width && want->width != v->bn)
        return tc__fail(TC_ERR_CONFIG, "choice->width = %d must be %d", want->width, v->bn);
    if (v->cluster_m == 1 && (want->cluster < 0 || want->cluster > 1))
        return tc__fail(TC_ERR_CONFIG, "choice->cluster = %d must be in 0..1", want->cluster);
    if (want->cluster < 0 || (want->cluster > 1 && want->cluster != v->cluster_m))
        return tc__fail(TC_ERR_CONFIG, "choice->cluster = %d must be 1 or %d", want->cluster, v->cluster_m);
    if (want->parts < 0 || want->parts > (v->split ? TC_SPLIT_MOST : 1))
        return tc__fail(TC_ERR_CONFIG, "choice->parts = %d must be in 0..%d", want->parts,
                        v->split ? TC_SPLIT_MOST : 1);
    if (want->parts) cut->parts = want->parts;
    if (want->blocks < 0) return tc__fail(TC_ERR_CONFIG, "choice->blocks = %d is negative", want->blocks);
    if (want->blocks && v->clc)
        return tc__fail(TC_ERR_CONFIG, "choice->blocks = %d, but with .clc every tile has a cluster", want->blocks);
    if (want->blocks && want->blocks < clusters) cut->blocks = want->blocks;
    return TC_OK;
}

/* What a cut is found by: the model, the room, clusters at a time. */
typedef struct tc__gemm_cutting {
    tc__gemm_pace pace;
    tc__gemm_room room;
    int clusters;
} tc__gemm_cutting;

/* The same with parts of k. */
TC_HOST tc_status tc__gemm_split_cut(const tc_gemm_config *v, const tc_gemm_args *g, const tc__gemm_cutting *by,
                                     tc_gemm_cut *cut)
{
    const int k_blocks = (int)(((int64_t)g->k + v->bk - 1) / v->bk);
    const tc_status st = tc__gemm_whole_cut(v, g, by->clusters, cut);
    if (st != TC_OK || !v->split) return st;
    if (!g->choice || !g->choice->parts) cut->parts = tc__gemm_best_parts(&by->pace, &by->room, k_blocks);
    if (v->sf && cut->parts > 1 && cut->parts > k_blocks)
        return tc__fail(TC_ERR_CONFIG, "choice->parts = %d, but with .sf k = %d has %d steps of .bk = %d", cut->parts,
                        g->k, k_blocks, v->bk);
    cut->workspace = tc_split_bytes(by->room.tiles, (uint32_t)cut->parts, by->room.elements);
    if (cut->workspace > by->room.workspace)
        return tc__fail(TC_ERR_SIZE, "workspace_size = %llu, but %d parts take %llu bytes",
                        (unsigned long long)by->room.workspace, cut->parts, (unsigned long long)cut->workspace);
    return TC_OK;
}

#endif /* host */
#endif /* TC_GEMM_BLACKWELL_H */
