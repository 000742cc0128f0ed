/* tc_gemm_sm90_parts.h - tc 0.2.0 - what a Hopper GEMM is made of: which loop over k, which producers, which end of a
 * tile. Needs: the headers below; sm_90a.
 *
 *     tc__gemm90_loop_of      the loop that a configuration (a view) takes,
 *     tc__gemm90_produce_of   the warpgroup of its producers,
 *     tc__gemm90_end_of       the end of its tiles: names of functions below, for tc_gemm_sm90
 *
 * A part is a line here and its name in the function that picks it; docs/add-a-kernel.md says so of each kind of
 * addition. The picking functions are evaluated where a kernel is generated, as constants, so nvcc compiles the parts
 * that a kernel is made of and looks at no other: with all of them in one function under conditions it took twice the
 * time and more.
 */
#ifndef TC_GEMM_SM90_PARTS_H
#define TC_GEMM_SM90_PARTS_H

#include "tc_gemm_sm90.h"
#include "tc_gemm_sm90_aside.h"
#include "tc_gemm_sm90_gate.h"
#include "tc_gemm_sm90_once.h"
#include "tc_gemm_sm90_rows.h"

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Loops over k. .step: one for each width that a call may pick, since a wgmma's width is its own. A call finds its own
 * by halves: each comparison stands behind a loop's instructions, in a line that a short call waits for.
 */
#define TC__GEMM90_WIDTH(n) tc__gemm90_loop(k.c, k.widths[n / 8 - 1], g, l);
#define TC__GEMM90_PROMOTED_WIDTH(n)                                                                                  \
    const tc__gemm90_wgmma of = {k.widths[n / 8 - 1], n};                                                             \
    tc__gemm90_promoting_loop(k.c, of, g, l);
#define TC__GEMM90_ANY_WIDTH(n) tc__gemm90_any_loop(k.c, k.rs[n / 8 - 1], g, l);
#define TC__GEMM90_LIFT_WIDTH(n) tc__gemm90_lift_loop(k.c, k.rs[n / 8 - 1], g, l);
#define TC__GEMM90_HAS(n) (n % k.c.step == 0 && n <= k.c.bn)
#define TC__GEMM90_ALONE(n)                                                                                           \
    if (TC__GEMM90_HAS(n) && g->width == n) {                                                                         \
        TC__GEMM90_WIDTH(n)                                                                                           \
    }
#define TC__GEMM90_TWO(X, n1, n2)                                                                                     \
    if (TC__GEMM90_HAS(n2) && (!TC__GEMM90_HAS(n1) || g->width == n2)) {                                              \
        X(n2)                                                                                                         \
    } else if (TC__GEMM90_HAS(n1)) {                                                                                  \
        X(n1)                                                                                                         \
    }
#define TC__GEMM90_FOUR(X, n1, n2, n3, n4)                                                                            \
    if (k.c.bn <= n2 || g->width <= n2) {                                                                             \
        TC__GEMM90_TWO(X, n1, n2)                                                                                     \
    } else {                                                                                                          \
        TC__GEMM90_TWO(X, n3, n4)                                                                                     \
    }
#define TC__GEMM90_EIGHT(X, n1, n2, n3, n4, n5, n6, n7, n8)                                                           \
    if (k.c.bn <= n4 || g->width <= n4) {                                                                             \
        TC__GEMM90_FOUR(X, n1, n2, n3, n4)                                                                            \
    } else {                                                                                                          \
        TC__GEMM90_FOUR(X, n5, n6, n7, n8)                                                                            \
    }
#define TC__GEMM90_BY_16(X)                                                                                           \
    if (k.c.bn <= 128 || g->width <= 128) {                                                                           \
        TC__GEMM90_EIGHT(X, 16, 32, 48, 64, 80, 96, 112, 128)                                                         \
    } else {                                                                                                          \
        TC__GEMM90_EIGHT(X, 144, 160, 176, 192, 208, 224, 240, 256)                                                   \
    }
#define TC__GEMM90_LOOP(name, ...)                                                                                    \
    TC_DEV_SM90A void tc__gemm90_loop_##name(tc_gemm90_in k, const tc_gemm90_block *g, tc__gemm90_loop_state *l)      \
    {                                                                                                                 \
        __VA_ARGS__                                                                                                   \
    }
TC__GEMM90_LOOP(one, tc__gemm90_loop(k.c, k.mma, g, l);)
TC__GEMM90_LOOP(16_to_64, TC__GEMM90_FOUR(TC__GEMM90_WIDTH, 16, 32, 48, 64))
TC__GEMM90_LOOP(16_to_256, TC__GEMM90_BY_16(TC__GEMM90_WIDTH))
TC__GEMM90_LOOP(64_to_256, TC__GEMM90_FOUR(TC__GEMM90_WIDTH, 64, 128, 192, 256))
TC__GEMM90_LOOP(8_to_256, TC__WG_ALL_N(TC__GEMM90_ALONE))
TC__GEMM90_LOOP(any_one, tc__gemm90_any_loop(k.c, k.rs_one, g, l);)
TC__GEMM90_LOOP(any_32_to_256, TC__GEMM90_EIGHT(TC__GEMM90_ANY_WIDTH, 32, 64, 96, 128, 160, 192, 224, 256))
TC__GEMM90_LOOP(promoting, const tc__gemm90_wgmma whole = {k.mma, k.c.bn};
                tc__gemm90_promoting_loop(k.c, whole, g, l);)
/* the lists of TC_GEMM_DEFINE by themselves: of 16 such loops nvcc takes ten seconds to see which are none */
TC__GEMM90_LOOP(promoting_64_to_128, TC__GEMM90_TWO(TC__GEMM90_PROMOTED_WIDTH, 64, 128))
TC__GEMM90_LOOP(promoting_32_to_128, TC__GEMM90_FOUR(TC__GEMM90_PROMOTED_WIDTH, 32, 64, 96, 128))
TC__GEMM90_LOOP(promoting_96_to_192, TC__GEMM90_TWO(TC__GEMM90_PROMOTED_WIDTH, 96, 192))
TC__GEMM90_LOOP(promoting_16_to_256, TC__GEMM90_BY_16(TC__GEMM90_PROMOTED_WIDTH))
TC__GEMM90_LOOP(promoting_late, const tc__gemm90_wgmma whole = {k.mma, k.c.bn};
                tc__gemm90_promoting_late_loop(k.c, whole, g, l);)
TC__GEMM90_LOOP(weights, tc__gemm90_weights_loop(k.c, k.rs_one, g, l);)
TC__GEMM90_LOOP(weights_few, tc__gemm90_weights_few_loop(k.c, k.rs_one, g, l);)
TC__GEMM90_LOOP(sparse, tc__gemm90_sparse_loop(k, g, l);)
TC__GEMM90_LOOP(f32, tc__gemm90_f32_loop(k.c, k.rs_one, g, l);)
TC__GEMM90_LOOP(f32_pairs, tc__gemm90_f32_pair_loop(k.c, k.rs_one, g, l);)
/* A of 8 bits in columns */
TC__GEMM90_LOOP(lift_one, tc__gemm90_lift_loop(k.c, k.rs_one, g, l);)
TC__GEMM90_LOOP(lift_16_to_256, TC__GEMM90_BY_16(TC__GEMM90_LIFT_WIDTH))
TC__GEMM90_LOOP(lift_promoting, const tc__lift_wgmmas whole = {k.rs_one, k.c.bn};
                tc__gemm90_lift_promoting_loop(k.c, whole, g, l);)
TC__GEMM90_LOOP(lift_promoting_late, tc__gemm90_lift_late_loop(k.c, k.rs_one, g, l);)

TC_DEV_SM90A TC_CONSTEXPR tc__gemm90_loop_fn tc__gemm90_promoting_of(tc_gemm_config_in v)
{
    if (v.bn <= 128 && v.step == 64) return tc__gemm90_loop_promoting_64_to_128;
    if (v.bn <= 128 && v.step % 32 == 0) return tc__gemm90_loop_promoting_32_to_128;
    return v.bn == 192 && v.step == 96 ? tc__gemm90_loop_promoting_96_to_192 : tc__gemm90_loop_promoting_16_to_256;
}

TC_DEV_SM90A TC_CONSTEXPR tc__gemm90_loop_fn tc__gemm90_loop_of(tc_gemm_config_in v)
{
    const int late = v.promote > v.bk;
    if (v.weights) return tc__gemm90_weights_few(v) ? tc__gemm90_loop_weights_few : tc__gemm90_loop_weights;
    if (v.sparse) return tc__gemm90_loop_sparse;
    if (tc__gemm_is_f32(v.a)) return tc__gemm90_f32_pairs(v) ? tc__gemm90_loop_f32_pairs : tc__gemm90_loop_f32;
    if (tc__gemm90_lifts(v) && tc__gemm90_promotes(v))
        return late ? tc__gemm90_loop_lift_promoting_late : tc__gemm90_loop_lift_promoting;
    if (tc__gemm90_lifts(v)) return v.step ? tc__gemm90_loop_lift_16_to_256 : tc__gemm90_loop_lift_one;
    if (v.any) return v.step ? tc__gemm90_loop_any_32_to_256 : tc__gemm90_loop_any_one;
    if (tc__gemm90_promotes(v) && late) return tc__gemm90_loop_promoting_late;
    if (tc__gemm90_promotes(v) && v.step && v.step < v.bn) return tc__gemm90_promoting_of(v);
    if (tc__gemm90_promotes(v)) return tc__gemm90_loop_promoting;
    if (v.step == 0) return tc__gemm90_loop_one;
    if (v.step % 64 == 0) return tc__gemm90_loop_64_to_256;
    if (v.step % 16) return tc__gemm90_loop_8_to_256;
    return v.bn <= 64 ? tc__gemm90_loop_16_to_64 : tc__gemm90_loop_16_to_256;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Producers: what warp 0 of their warpgroup does, what warp 1, what the other two.
 */
TC_DEV_SM90 void tc__gemm90_first_usual(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_begun *b)
{
    if (tc_elect_one()) tc__gemm90_produce_tiles(c, g, b);
}
TC_DEV_SM90 void tc__gemm90_first_tiled(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_begun *b)
{
    (void)b;
    tc__tiles_begin(c, g);
    if (tc_elect_one()) tc__tiles_produce(c, g);
}
TC_DEV_SM90 void tc__gemm90_first_cut(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_begun *b)
{
    (void)b;
    if (tc_elect_one()) tc__gemm90_cut_produce(c, g);
}
#define TC__GEMM90_PRODUCERS(name, first, second, others)                                                             \
    TC_DEV_SM90 void tc__gemm90_produce_##name(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_begun *b)    \
    {                                                                                                                 \
        if (g->warp == 1u) {                                                                                          \
            second;                                                                                                   \
        } else if (g->warp != 0u) {                                                                                   \
            others;                                                                                                   \
        } else {                                                                                                      \
            first(c, g, b);                                                                                           \
        }                                                                                                             \
    }
#define TC__GEMM90_PRODUCERS_BOTH(name, second, others)                                                               \
    TC__GEMM90_PRODUCERS(name, tc__gemm90_first_usual, second, others)                                                \
    TC__GEMM90_PRODUCERS(tiled_##name, tc__gemm90_first_tiled, second, others)
TC__GEMM90_PRODUCERS_BOTH(alone, (void)0, (void)0)
TC__GEMM90_PRODUCERS_BOTH(scaled, tc__gemm90_produce_factors(c, g), (void)0)
TC__GEMM90_PRODUCERS_BOTH(turning, tc__turn_produce(c, g), tc__turn_produce(c, g))
TC__GEMM90_PRODUCERS_BOTH(turning_scaled, tc__gemm90_produce_factors(c, g), tc__turn_produce(c, g))
TC__GEMM90_PRODUCERS_BOTH(f32, tc__gemm90_f32_split(c, g), tc__gemm90_f32_split(c, g))
TC__GEMM90_PRODUCERS(cut, tc__gemm90_first_cut, (void)0, (void)0)
TC__GEMM90_PRODUCERS(cut_turning, tc__gemm90_first_cut, tc__turn_produce(c, g), tc__turn_produce(c, g))
/* All of them together: */
TC_DEV_SM90A void tc__gemm90_produce_each(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_begun *b)
{
    (void)b;
    tc__each90_produce(c, g);
}
TC_DEV_SM90 void tc__gemm90_produce_any(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_begun *b)
{
    (void)b;
    tc__any_produce(c, g);
}
TC_DEV_SM90 void tc__gemm90_produce_gathered(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_begun *b)
{
    (void)b;
    tc__gather_produce(c, g);
}

TC_DEV_SM90A TC_CONSTEXPR tc__gemm90_produce_fn tc__gemm90_produce_of(tc_gemm_config_in v)
{
    const int tiled = tc__tiles_some(v), scaled = tc__gemm_scaled(v);
    if (v.groups == TC_GROUPS_K) return tc__gemm90_turning(v) ? tc__gemm90_produce_cut_turning : tc__gemm90_produce_cut;
    if (v.groups == TC_GROUPS_ARRAY) return tc__gemm90_produce_each;
    if (v.any) return tc__gemm90_produce_any;
    if (tc__gemm90_gathers(v)) return tc__gemm90_produce_gathered;
    if (tc__gemm_is_f32(v.a)) return tiled ? tc__gemm90_produce_tiled_f32 : tc__gemm90_produce_f32;
    if (tc__gemm90_turning(v) && scaled)
        return tiled ? tc__gemm90_produce_tiled_turning_scaled : tc__gemm90_produce_turning_scaled;
    if (tc__gemm90_turning(v)) return tiled ? tc__gemm90_produce_tiled_turning : tc__gemm90_produce_turning;
    if (scaled) return tiled ? tc__gemm90_produce_tiled_scaled : tc__gemm90_produce_scaled;
    return tiled ? tc__gemm90_produce_tiled_alone : tc__gemm90_produce_alone;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Ends of a tile: a consumer's warpgroup has acc go through alpha, beta * C and the hook to D.
 */
/* In boxes, and what D's edges cut off of them in pieces. */
TC_DEV_SM90 void tc__gemm90_end_boxes(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u, float *acc)
{
    if (!c.split && tc__gemm90_end_once(c, g, u, acc)) return;
    const int clips = tc__gemm90_clips(g), boxes = g->p->d_by != TC__GEMM_D_PIECES;
    const int rows_end = tc__gemm90_whole_columns(c) ? u->w.row + u->row + tc__gemm90_rows(c) /* of all four warps */
                                                     : tc__gemm90_last_rows(c, u);
    const int cut = (tc__gemm_in_rows(c) || !clips) && (rows_end > tc__gemm90_end(c, g, u)
                                             || u->w.col + g->width > g->p->out.n);
    const int tail = c.step && g->width % tc__gemm90_across(c, g); /* columns behind the last box */
    const int by_tma = tc__gemm90_holds_c(c) ? g->p->d_by == TC__GEMM_D_TMA : g->p->d_plain;
    const int direct = tail && !cut && tc__gemm90_tails(c) && by_tma && !tc__gemm90_picks(c, u);
    const int pieces = cut || (tail && !direct) || !boxes;
    tc__gemm90_keeping kept;
    tc__gemm90_keeps_none(c, &kept);
    tc__gemm90_sums_to_f32(c, acc, tc__gemm90_rows(c) / 64 * c.bn / 2);
    if (pieces) tc__gemm90_store_pieces(c, g, u, acc, &kept);
    if (boxes) tc__gemm90_store_boxes(c, g, u, acc, &kept);
    if (direct) tc__gemm90_store_tail(c, g, u, acc, kept.rows);
    if (tc__gemm90_whole_rows(c)) tc__gemm90_put_rows(c, g, u, kept.rows);
    if (tc__gemm90_whole_columns(c)) {
        const tc__gemm90_columns_by by = {boxes, pieces};
        tc__gemm90_put_columns(c, g, u, &kept, by);
    }
}

/* .swap: boxes of a tile on its side; but hooks on pairs, and what ends within 16 columns, want rows of D as they
 * are. */
TC_DEV_SM90 void tc__gemm90_end_swapped(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                        float *acc)
{
    if (!c.split && tc__gemm90_end_once(c, g, u, acc)) return;
    const int aside = c.epi2 || c.index & TC_INDEX_D || tc__gemm90_rows(c) > tc__gemm90_turns(c)
                   || ((tc__gemm_in_rows(c) || !tc__gemm90_clips(g)) && tc__gemm90_last_rows(c, u) > g->p->out.n
                       && !(c.any && g->p->d_by != TC__GEMM_D_TMA))
                   || (tc__gemm_raw(c) && g->p->d_by == TC__GEMM_D_PIECES);
    tc__gemm90_keeping kept;
    tc__gemm90_keeps_none(c, &kept);
    tc__gemm90_sums_to_f32(c, acc, tc__gemm90_rows(c) / 64 * c.bn / 2);
    if (aside) tc__gemm90_store_pieces(c, g, u, acc, &kept);
    else tc__gemm90_store_swapped(c, g, u, acc);
    if (tc__gemm90_whole_rows(c)) tc__gemm90_put_rows(c, g, u, kept.rows);
}

/* .split, of a part of k: 0 where the tile is whole. */
TC_DEV_SM90 int tc__gemm90_end_part(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u, float *acc)
{
    if (g->p->split.parts <= 1u) return 0;
    tc__gemm90_sums_to_f32(c, acc, tc__gemm90_rows(c) / 64 * c.bn / 2);
    if (tc__gemm90_joined(c, g)) {
        tc__gemm90_join(c, g, u, acc);
        return 1;
    }
    tc__gemm90_store_slices(c, g, u, tc__gemm90_meet(c, g, u, acc));
    tc__gemm90_leave(g, u);
    return 1;
}

/* And what comes before them. */
#define TC__GEMM90_END(name, before)                                                                                  \
    TC__GEMM90_END_OF(name, boxes, before)                                                                            \
    TC__GEMM90_END_OF(name, pieces, before)                                                                           \
    TC__GEMM90_END_OF(name, swapped, before)
#define TC__GEMM90_END_OF(name, kind, before)                                                                         \
    TC_DEV_SM90 void tc__gemm90_end_##name##_##kind(tc_gemm_config_in c, const tc_gemm90_block *g,                    \
                                                    tc_gemm90_consumer *u, float *acc)                                \
    {                                                                                                                 \
        before;                                                                                                       \
        tc__gemm90_end_##kind(c, g, u, acc);                                                                          \
    }
TC__GEMM90_END(split, if (tc__gemm90_end_once(c, g, u, acc) || tc__gemm90_end_part(c, g, u, acc)) return)
TC__GEMM90_END(tiled, if (tc__tiles_store(c, g, u, acc)) return)
TC__GEMM90_END_OF(cluster, boxes, tc__gemm90_exchange_sums(c, g, acc))
TC__GEMM90_END_OF(cluster, pieces, tc__gemm90_exchange_sums(c, g, acc))

/* .gate: of two products' sums D's elements first, which from there on are all that there is. */
#define TC__GEMM90_END_GATE(kind)                                                                                     \
    TC_DEV_SM90 void tc__gemm90_end_gate_##kind(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u, \
                                                float *acc)                                                           \
    {                                                                                                                 \
        tc_gemm90_block d = *g;                                                                                       \
        d.width = g->width / 2, u->w.col /= 2;                                                                        \
        d.ring_room = tc_gemm_sm90_plan_of(c).ring_bytes;                                                             \
        tc__gemm90_gate(c, g, u, acc);                                                                                \
        tc__gemm90_end_##kind(tc__gemm_gated(c), &d, u, acc);                                                         \
    }
TC__GEMM90_END_GATE(boxes)
TC__GEMM90_END_GATE(pieces)

/* The same of a part of k: 0 where the tile is whole. */
TC_DEV_SM90 int tc__gemm90_end_gate_part(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                         float *acc)
{
    if (g->p->split.parts <= 1u) return 0;
    u->w.col /= 2;
    tc__gemm90_sums_to_f32(c, acc, tc__gemm90_rows(c) / 64 * c.bn / 2);
    tc__gemm90_gate_slices(c, g, u, tc__gemm90_meet(c, g, u, acc));
    tc__gemm90_leave(g, u);
    return 1;
}
TC__GEMM90_END_OF(split, gate_boxes, if (tc__gemm90_end_gate_part(c, g, u, acc)) return)
TC__GEMM90_END_OF(split, gate_pieces, if (tc__gemm90_end_gate_part(c, g, u, acc)) return)

TC_DEV_SM90A TC_CONSTEXPR tc__gemm90_end_fn tc__gemm90_end_of(tc_gemm_config_in v)
{
    const int pieces = v.index & TC_INDEX_D;
    if (v.gate && v.split) return pieces ? tc__gemm90_end_split_gate_pieces : tc__gemm90_end_split_gate_boxes;
    if (v.gate) return pieces ? tc__gemm90_end_gate_pieces : tc__gemm90_end_gate_boxes;
    if (v.groups == TC_GROUPS_ARRAY) return tc__each90_end;
    if (tc__gemm_in_tile(v)) return tc__gemm90_end_rows;
    if (tc__gemm_quantised(v)) return tc__gemm90_end_quantised;
    if (v.cluster_k > 1) return pieces ? tc__gemm90_end_cluster_pieces : tc__gemm90_end_cluster_boxes;
    if (v.split)
        return v.swap  ? tc__gemm90_end_split_swapped
             : pieces  ? tc__gemm90_end_split_pieces
                       : tc__gemm90_end_split_boxes;
    if (tc__tiles_some(v))
        return v.swap  ? tc__gemm90_end_tiled_swapped
             : pieces  ? tc__gemm90_end_tiled_pieces
                       : tc__gemm90_end_tiled_boxes;
    return v.swap ? tc__gemm90_end_swapped : pieces ? tc__gemm90_end_pieces : tc__gemm90_end_boxes;
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_PARTS_H */
