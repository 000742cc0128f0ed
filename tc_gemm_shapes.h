/* tc_gemm_shapes.h - tc 0.2.0 - for which shapes a kernel of TC_GEMM_DEFINE is there, and what its lists of kernels are
 * read with. Needs: tc_gemm_config.h. "FEWER KERNELS" in tc_gemm.h is the manual.
 *
 *     tc__gemm_serves                     .shapes, TC_SHAPES_* of tc_gemm_config.h
 *     tc__gemm_undone, tc__gemm_quant_tile   a configuration for kernels that are not called; a tile for a quantised D
 *     TC__GEMM_COUNT_TILE, _TILE_ROW      of a list X(name, own, tile, (fields)): how many; a line's fields
 */
#ifndef TC_GEMM_SHAPES_H
#define TC_GEMM_SHAPES_H

#include "tc_gemm_config.h"

/* Is there what serves these shapes? TC__GEMM_ONE_TILE, which the Makefile defines for examples that run in tcemu: one
 * tile of each list where .shapes names several kinds, or none. */
TC_HD TC_CONSTEXPR int tc__gemm_serves(tc_gemm_config_in given, int shapes)
{
#ifdef TC__GEMM_ONE_TILE
    if (shapes == TC_SHAPES_LARGE || shapes == TC_SHAPES_SMALL) return 0;
    if (!given.shapes) return shapes != TC_SHAPES_FEW_ROWS;
#endif
    return !given.shapes || (given.shapes & shapes);
}

/* A configuration that every kernel serves, to write down those that are never called. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_undone(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    c.a = c.b = c.d = TC_F16;
    c.a_layout = c.b_layout = c.d_layout = c.acc = c.round = c.index = c.sparse = c.a_scale = c.b_scale = 0;
    c.col_sum = c.all_sum = c.sum_atomic = 0;
    c.d_scale = c.d_sf = c.c_type = c.weights = c.weights_k = c.weights_zero = c.op = 0;
    if (tc__gemm_by_80(c)) c.groups = 0;
    c.gate = 0, c.rows = c.top = c.renorm = 0;
    return c;
}

/* A tile of TC_GEMM_DEFINE's lists as a quantised D wants it: whole blocks of 128 columns. Where roles are changed over
 * it is never called. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_quant_tile(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    if (!tc__gemm_quantised(given)) return c;
    if (given.swap) {
        c.d = TC_BF16, c.d_scale = c.d_sf = c.c_type = 0;
    } else {
        c.bn = c.bn / TC__QUANT_COLS * TC__QUANT_COLS;
        c.step = c.step ? TC__QUANT_COLS : 0;
        c.split = 0;
    }
    return c;
}

#define TC__GEMM_UNPACK(...) __VA_ARGS__
#define TC__GEMM_COUNT_TILE(name, own, tile, fields) +1
#define TC__GEMM_TILE_ROW(name, own, tile, fields) {TC__GEMM_UNPACK fields},

#endif /* TC_GEMM_SHAPES_H */
