/* tc_gemm_sm120_auto.h - tc 0.2.0 - TC_GEMM_DEFINE on the sm_120 family: its kernels there, and which of them a call
 * takes. Needs: the headers below.
 */
#ifndef TC_GEMM_SM120_AUTO_H
#define TC_GEMM_SM120_AUTO_H

#include "tc_gemm_shapes.h"
#include "tc_gemm_sm120.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * The list: X(name, own, tile, (rows and columns, shapes)).
 */
/* table, one row a line */
#define TC__GEMM120_TILES(X, name, own)                                                                               \
    X(name, own, large120, (128, TC__SHAPES_WIDE)) /* many tiles */                                                   \
    X(name, own, small120, (64, TC_SHAPES_FEW_ROWS | TC_SHAPES_SMALL)) /* few */

typedef struct tc__gemm120_tile {
    int side, shapes;
} tc__gemm120_tile;
enum { TC__GEMM120_TILE_COUNT = 0 TC__GEMM120_TILES(TC__GEMM_COUNT_TILE, unused, unused) };

/* Does TC_GEMM_DEFINE take them? Layouts too. */
TC_HD TC_CONSTEXPR int tc__gemm120_serves(tc_gemm_config_in c)
{
    return tc__gemm_by_sm120(c) && !tc__gemm_in_tile(c) && tc__gemm120_layout_ok(tc_gemm120_view(c));
}

/* The configuration that a line of the list makes of the user's; where they serve it not, one that is never called. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm120_tiled(tc_gemm_config_in given, const tc__gemm120_tile t)
{
    tc_gemm_config c = given;
    if (!tc__gemm120_serves(c)) {
        c = tc__gemm_undone(c);
        c.groups = c.aux = c.aux_what = c.aux_layout = c.row_sum = c.all_sum = c.sum_atomic = 0, c.aux_epi = 0;
        c = tc__gemm_all_tiles(c);
    }
    c.promote = 0;
    c.bm = c.bn = t.side;
    c.split = t.side == 64 && !c.groups; /* where tiles are few */
    return tc_gemm_sm120_config(c);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Host: the choice.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* The one whose blocks end first, k in parts or not. */
TC_HOST int tc__gemm120_choose(const tc_gemm_config *given, const tc_gemm_args *g, int sms)
{
    static const tc__gemm120_tile tiles[TC__GEMM120_TILE_COUNT] = {
        TC__GEMM120_TILES(TC__GEMM_TILE_ROW, unused, unused)};
    tc_gemm_args x = tc__gemm_plain_args(given, g);
    int best = 0, i;
    double best_time = 0;
    x.n *= tc__gemm_products(*given);
    for (i = 0; i < TC__GEMM120_TILE_COUNT; i++) {
        const tc_gemm_config v = tc_gemm120_view(tc__gemm120_tiled(*given, tiles[i]));
        const tc__gemm_pace pace = tc__gemm120_pace(&v, &x, sms);
        const tc__gemm_room room = tc__gemm120_room(&v, &x);
        const int k_blocks = (int)(((int64_t)g->k + v.bk - 1) / v.bk);
        const double time = tc__gemm_cycles(&pace, v.split ? tc__gemm_best_parts(&pace, &room, k_blocks) : 1);
        if (!tc__gemm_serves(*given, tiles[i].shapes) || (best && time >= best_time)) continue;
        best = i + 1, best_time = time;
    }
    return best;
}

/* A checked call on 12.x; TC_ERR_IMAGE where the sm_80 kernels are to serve it. s: the list's. */
TC_HOST tc_status tc__gemm120_auto(const tc_gemm_config *given, const tc__kernels *s, const tc_gemm_args *args,
                                   const tc__launch *how)
{
    static const tc__gemm120_tile tiles[TC__GEMM120_TILE_COUNT] = {
        TC__GEMM120_TILES(TC__GEMM_TILE_ROW, unused, unused)};
    tc__device on = {0, 0, 0, 0};
    tc__kernels one;
    tc_gemm_config c;
    tc_gemm_args g = *args;
    int i;
    if (tc__device_now(&on) != cudaSuccess || on.cc < 120 || on.cc >= 130 || !tc__gemm120_serves(*given)
        || !tc__gemm_fits(given, args, 'a') || !tc__gemm_fits(given, args, 'b'))
        return TC_ERR_IMAGE;
    i = tc__gemm120_choose(given, args, on.sms) - 1;
    if (i < 0) return TC_ERR_IMAGE;
    one.f = s->f + i, one.cache = s->cache + i;
    c = tc__gemm120_tiled(*given, tiles[i]);
    g.choice = NULL; /* that speaks of Hopper's */
    return tc__gemm_sm120_go(&c, &one, &g, how);
}

#endif /* host */

#ifdef __CUDACC__

/* Are there kernels for the sm_120 family in this build? All of the list or none: the sm_80 kernels are stubs then. */
TC_HD constexpr int tc__gemm120_auto_here(tc_gemm_config_in c)
{
    return TC_HAS_SM120A && TC__GEMM120_SETMAXNREG && tc__gemm120_serves(c);
}

/* One of them for TC_GEMM_DEFINE: what .shapes leaves out is a stub. */
#define TC__GEMM_AUTO_CONFIG120(own, fields)                                                                          \
    tc__gemm120_tiled(own##_config(), tc__gemm120_tile{TC__GEMM_UNPACK fields})
#define TC__GEMM_AUTO_SM120(name, own, tile, fields)                                                                  \
    TC__LINE_BREAK enum {                                                                                             \
        own##_has_##tile = tc__gemm120_auto_here(own##_config())                                                      \
                        && tc__gemm_serves(own##_config(), (tc__gemm120_tile{TC__GEMM_UNPACK fields}).shapes),        \
        own##_threads_##tile = tc_gemm_sm120_threads(TC__GEMM_AUTO_CONFIG120(own, fields))                            \
    };                                                                                                                \
    TC__KERNEL_OF(name##_##tile, own##_sm120, (TC__GEMM_AUTO_IF(own##_has_##tile, own##_threads_##tile), 1),          \
                  TC__IF_SM120(if (own##_has_##tile) {                                                                \
                      TC__GEMM_SM120_BODY(own, TC__GEMM_AUTO_CONFIG120(own, fields), TC__GEMM_PARAMS_OF)              \
                  }))
#define TC__GEMM_AUTO_FUNCTION120(name, own, tile, fields) TC__GEMM_FUNCTION(name##_##tile, own##_sm120)

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM120_AUTO_H */
