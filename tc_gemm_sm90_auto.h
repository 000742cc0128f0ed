/* tc_gemm_sm90_auto.h - tc 0.2.0 - TC_GEMM_DEFINE's kernels for Hopper: the list of their tiles, and what a line of it
 * becomes for the user's types, layouts and outputs. Needs: the headers below.
 *
 *     TC__GEMM_TILES, tc__gemm_tile      the list; a line
 *     tc__gemm_line_ok, tc__gemm_tiled   has a configuration this line; the configuration that it becomes
 *     tc__gemm_any_tiled                 the kernel for rows of any alignment
 */
#ifndef TC_GEMM_SM90_AUTO_H
#define TC_GEMM_SM90_AUTO_H

#include "tc_gemm_shapes.h"
#include "tc_gemm_sm90.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: its Hopper kernels, in one list. X(name, own, tile, (bm, bn, step, swap, split, cluster_m, cluster_n,
 * schedule, shapes)): for what each is there stands behind it; shapes: which of .shapes want it.
 */
/* table, one row a line */
#define TC__GEMM_TILES(X, name, own)                                                                                  \
    X(name, own, wide, (128, 256, 16, 0, 1, 2, 1, TC_COOPERATIVE, TC__SHAPES_WIDE)) /* any width; k split where tiles are few */ \
    X(name, own, pair, (128, 192, 64, 0, 0, 2, 1, TC_PINGPONG, TC_SHAPES_LARGE)) /* many tiles: one is stored while one is computed */ \
    X(name, own, few, (64, 64, 16, 1, 1, 1, 2, TC_COOPERATIVE, TC_SHAPES_FEW_ROWS)) /* few rows: 64 columns are the instruction's rows */ \
    X(name, own, flat, (256, 128, 16, 1, 1, 1, 2, TC_COOPERATIVE, TC_SHAPES_FEW_ROWS)) /* some rows, or many that fit no multiple of 128 */ \
    X(name, own, small, (64, 128, 32, 0, 1, 2, 1, TC_COOPERATIVE, TC_SHAPES_SMALL)) /* little of everything */                \
    X(name, own, tall, (256, 192, 0, 0, 0, 2, 1, TC_COOPERATIVE, TC_SHAPES_LARGE)) /* the largest: fewest bytes a product */ \
    X(name, own, three, (192, 192, 16, 0, 1, 2, 1, TC_COOPERATIVE, TC_SHAPES_LARGE)) /* three warpgroups: waves that others leave half empty */ \
    X(name, own, crowd, (64, 128, 32, 0, 0, 2, 4, TC_COOPERATIVE, TC_SHAPES_SMALL)) /* one wave: eight blocks ask together for rows that lie across lines */ \
    X(name, own, pair160, (128, 160, 0, 0, 0, 2, 1, TC_PINGPONG, TC_SHAPES_LARGE)) /* as pair; where this width leaves */      \
    X(name, own, pair176, (128, 176, 0, 0, 0, 2, 1, TC_PINGPONG, TC_SHAPES_LARGE)) /* fewer waves half empty */

typedef struct tc__gemm_tile {
    int bm, bn, step, swap, split, cluster_m, cluster_n, schedule, shapes;
} tc__gemm_tile;

enum { TC__GEMM_TILE_COUNT = 0 TC__GEMM_TILES(TC__GEMM_COUNT_TILE, unused, unused) };

/* Are sums added after several blocks of k, each of which has 128 elements of 8 bits? */
TC_HD TC_CONSTEXPR int tc__gemm_late(tc_gemm_config_in given) { return given.promote > 128; }

/* A line of the list where sums are held twice (.promote, TC_F32), 64 rows of them at a time. With factors there is one
 * width, and with factors of columns there are fewer rows: else ptxas serialises wgmma. TC_F32: one, no clusters. */
TC_HD TC_CONSTEXPR tc__gemm_tile tc__gemm_promoted(tc_gemm_config_in given, const tc__gemm_tile list)
{
    tc__gemm_tile t = list;
    const int columns = tc__gemm_plain(given).b_scale == TC_SCALE_1X128;
    if (t.bm == 256 && !t.swap) { /* the largest of 128 rows: B is the instruction's rows */
        t.bm = 128, t.bn = 256, t.swap = 1, t.step = 64, t.split = 1, t.cluster_m = 1;
    } else if (t.swap) {
        t.bm = t.bm > 128 ? 128 : t.bm;
        t.bn = tc__gemm_is_f32(given.a) ? 128 : t.bn; /* one warpgroup adds while another one multiplies */
        t.step = 32;
    } else if (t.schedule == TC_PINGPONG) {
        t.schedule = TC_COOPERATIVE;
        t.bn = columns ? 144 : tc__gemm_is_f32(given.a) ? 160 : 192;
        t.step = t.bn / 2;
    } else if (t.bm == 128) {
        t.bm = columns || tc__gemm_late(given) ? 128 : 256;
        t.bn = 128, t.step = 32;
    } else if (columns || tc__gemm_is_f32(given.a)) {
        t.step = t.split = 0, t.cluster_m = 1;
    }
    if (tc__gemm_is_f32(given.a)) t.cluster_m = t.cluster_n = 1;
    return t;
}

/* A line of the list where sums are in f16: a warpgroup with tiles of its own has room for 256 columns then, and its
 * neighbour's products hide all else better than a cluster does. A quantised D wants sums as floats. */
TC_HD TC_CONSTEXPR tc__gemm_tile tc__gemm_halved(tc_gemm_config_in given, const tc__gemm_tile list)
{
    tc__gemm_tile t = list;
    if (t.schedule == TC_PINGPONG && !tc__gemm_quantised(given)) t.bn = 256, t.step = 128, t.cluster_m = 1;
    return t;
}

/* Of 8 bits, A in columns or B in rows: the instruction's A shall be one that lies so (tc_gemm_sm90_turn.h). Not B
 * alone where the end of a tile wants D as it lies. */
TC_HD TC_CONSTEXPR int tc__gemm_lifted(tc_gemm_config_in given)
{
    const tc_gemm_config p = tc__gemm_plain(given);
    const int plain = !given.epi2 && !tc__gemm_outputs(given) && !tc__gemm_quantised(given) && !tc__gemm_in_tile(given);
    return tc_type_bits(given.a) == 8 && !given.sparse && !given.bsr
        && (tc__gemm_a_col(p) || (tc__gemm_b_row(p) && plain));
}

/* A line of the list then. Of two that are turned, or where B is turned in the ring so that D need not lie on its side,
 * many rows by few columns; no clusters: slots that threads have read or written are not given away cheaply. */
TC_HD TC_CONSTEXPR tc__gemm_tile tc__gemm_lifted_tile(tc_gemm_config_in given, const tc__gemm_tile list, int twice)
{
    const tc_gemm_config p = tc__gemm_plain(given);
    const int swap = tc__gemm_b_row(p) && !tc__gemm_a_col(p) && !twice, flat = tc__gemm_b_row(p) || twice;
    const int rows = !flat || p.b_scale == TC_SCALE_1X128 || tc__gemm_late(given) ? 128 : 256, cols = flat ? 128 : 256;
    tc__gemm_tile t = list;
    t.step = twice || (flat && !list.swap) ? 64 : 32;
    if (list.swap) t.bn = 128;
    else t.swap = swap, t.bm = swap ? cols : rows, t.bn = swap ? rows : cols;
    t.cluster_m = t.cluster_n = 1;
    return t;
}

/* A line of the list of packed weights, which are the instruction's rows by themselves, 64 to a warpgroup. */
TC_HD TC_CONSTEXPR tc__gemm_tile tc__gemm_weights_tile(const tc__gemm_tile list)
{
    tc__gemm_tile t = list;
    t.bm = list.bm == 128 ? 256 : list.swap ? 16 : 64;
    t.bn = t.bm == 256 ? 128 : 256;
    t.step = 0, t.swap = t.split = t.cluster_m = t.cluster_n = 1;
    t.schedule = TC_COOPERATIVE;
    return t;
}

/* Are sums held twice, 64 rows of them at a time? */
TC_HD TC_CONSTEXPR int tc__gemm_holds_twice(tc_gemm_config_in given)
{
    return (tc__gemm_is_fp8(given.a) && given.promote != TC_FAST) || tc__gemm_is_f32(given.a);
}

/* Ping-pong of one width, of which B in rows has no whole boxes. */
TC_HD TC_CONSTEXPR int tc__gemm_one_width(const tc__gemm_tile t) { return t.schedule == TC_PINGPONG && !t.step; }

/* The tile of 192 sums a thread for each of two warpgroups, that of three warpgroups, and ping-pong of one width:
 * nothing else may want registers there. Of words both operands K-major, which no warp has to turn. */
TC_HD TC_CONSTEXPR int tc__gemm_full(const tc__gemm_tile t)
{
    return t.bm == 192 || (t.bm == 256 && !t.swap) || tc__gemm_one_width(t);
}
TC_HD TC_CONSTEXPR int tc__gemm_full_ok(tc_gemm_config_in given)
{
    const tc_gemm_config p = tc__gemm_plain(given);
    const int turns = tc_type_bits(given.a) != 16 && (tc__gemm_a_col(p) || tc__gemm_b_row(p));
    return !(given.sparse || given.bsr || given.conv || given.index || given.gate || tc__gemm_quantised(given)
             || tc__gemm_outputs(given) || tc__tiles_some(given) || tc__gemm90_halves(given)
             || tc__gemm_is_f32(given.a) || tc__gemm_scaled(given) || tc__gemm_late(given) || turns
             || given.groups == TC_GROUPS_ARRAY);
}

/* The tile of which a cluster has more than two, that share A and B. */
TC_HD TC_CONSTEXPR int tc__gemm_crowd(const tc__gemm_tile t) { return t.cluster_m * t.cluster_n > 2; }
TC_HD TC_CONSTEXPR int tc__gemm_crowd_ok(tc_gemm_config_in given)
{
    const tc_gemm_config p = tc__gemm_plain(given);
    return !(given.sparse || given.bsr || given.conv || given.index || given.gate || given.groups
             || tc__gemm_quantised(given) || tc__gemm_outputs(given) || tc__tiles_some(given) || tc__gemm_scaled(given)
             || tc__gemm_holds_twice(given) || tc__gemm_a_col(p) || tc__gemm_b_row(p));
}

/* Has a sparse operand, a convolution, a quantised D or an A of blocks this line? Where A is not the instruction's A,
 * none. Of those for many columns and for few rows one each has what lies on its side. Packed weights: of each one. */
TC_HD TC_CONSTEXPR int tc__gemm_line_ok(tc_gemm_config_in given, const tc__gemm_tile t)
{
    if (given.weights) return t.schedule == TC_COOPERATIVE && t.bm <= 128;
    if (tc__gemm_in_tile(given)) return t.bm == 128 && t.schedule == TC_COOPERATIVE; /* the one of 256 columns */
    if (tc__gemm_crowd(t)) return tc__gemm_crowd_ok(given);
    if (tc__gemm_full(t) && (!tc__gemm_full_ok(given) || (t.bm != 256 && tc__gemm_holds_twice(given)))) return 0;
    if (tc__gemm_one_width(t)) return !given.groups && !tc__gemm_b_row(tc__gemm_plain(given));
    if (tc__gemm_full(t)) return t.bm != 192 || !given.groups;
    if (tc__gemm_lifted(given) && (t.schedule == TC_PINGPONG || t.bm != (t.swap ? 64 : 128))) return 0;
    return !(given.sparse || given.bsr || given.conv || given.gate || tc__gemm_quantised(given)
             || given.groups == TC_GROUPS_ARRAY) || !t.swap;
}

/* A line of the list with two products, of whose columns D has half: boxes of D want to be wide. */
TC_HD TC_CONSTEXPR tc__gemm_tile tc__gemm_gate_tile(tc_gemm_config_in given, const tc__gemm_tile list)
{
    tc__gemm_tile t = list;
    if (t.schedule == TC_PINGPONG && tc__gemm90_gathers(given)) t.bn = 128; /* registers */
    if (!t.swap && t.step) t.step = t.bm == 64 || t.schedule == TC_PINGPONG ? 64 : t.bn % 128 ? t.bn : 128;
    return t;
}

/* A line of the list for products of their own, whose producer wants registers too. */
TC_HD TC_CONSTEXPR tc__gemm_tile tc__gemm_each_tile(tc_gemm_config_in given, const tc__gemm_tile list)
{
    tc__gemm_tile t = list;
    if (t.schedule == TC_PINGPONG && !tc__gemm90_halves(given)) t.bn = 128;
    if (tc__gemm_holds_twice(given) && !t.swap && t.bm > 64) t.bm = t.bn = 128, t.step = 64;
    return t;
}

/* A line of the list with a sparse operand: one width, for which there are registers; of fp8 sums are held twice. */
TC_HD TC_CONSTEXPR tc__gemm_tile tc__gemm_sparse_tile(const tc__gemm_tile list, int twice)
{
    tc__gemm_tile t = list;
    t.step = 0;
    if (t.bm == 64) t.split = 0, t.cluster_m = 1;
    if (t.schedule == TC_PINGPONG) t.bn = twice ? 128 : 160;
    else if (twice && t.bm == 128) t.bn = 192;
    if (twice) t.schedule = TC_COOPERATIVE;
    return t;
}

/* The configuration that a line of the list makes of the user's. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_tiled(tc_gemm_config_in given, const tc__gemm_tile line)
{
    tc_gemm_config c = given;
    const tc__gemm_tile never_called = {128, 256, 16, 0, 0, 1, 1, TC_COOPERATIVE, TC_SHAPES_LARGE};
    const int some = tc__gemm_full(line) || tc__gemm_crowd(line); /* of a few configurations */
    const tc__gemm_tile list = some && !tc__gemm_line_ok(given, line) ? never_called : line;
    const int turned = tc__gemm_d_col(given); /* a line of the list speaks of D's transpose then, as the kernel does */
    const int twice = tc__gemm_holds_twice(given);
    const tc__gemm_tile one = given.weights              ? tc__gemm_weights_tile(list)
                            : given.sparse && !list.swap ? tc__gemm_sparse_tile(list, twice)
                            : tc__gemm_lifted(given)     ? tc__gemm_lifted_tile(given, list, twice)
                            : twice                      ? tc__gemm_promoted(given, list)
                            : tc__gemm90_halves(given)   ? tc__gemm_halved(given, list)
                                                         : list;
    const tc__gemm_tile t = given.gate                      ? tc__gemm_gate_tile(given, one)
                          : given.groups == TC_GROUPS_ARRAY ? tc__gemm_each_tile(given, one)
                                                            : one;
    if (!tc__gemm_line_ok(given, list)) { /* never called */
        c.sparse = c.bsr = 0, c.gate = 0, c.rows = c.top = c.renorm = 0;
        if (c.groups == TC_GROUPS_ARRAY) c.groups = 0;
    }
    c.bm = turned ? t.bn : t.bm, c.bn = turned ? t.bm : t.bn;
    c.step = tc__gemm_in_tile(c) ? 0 : t.step;
    c.swap = t.swap, c.split = given.groups || tc__tiles_some(given) || tc__gemm_in_tile(c) ? 0 : t.split;
    c.cluster_m = turned ? t.cluster_n : t.cluster_m, c.cluster_n = turned ? t.cluster_m : t.cluster_n;
    if (tc__gemm90_gathers(given)) c.cluster_n = 1; /* each block brings rows for itself */
    if (given.groups && one.bm == 256 && !one.step) c.cluster_m = c.cluster_n = 1; /* groups have few rows for 512 */
    /* sums of rows and of columns want more registers than a warpgroup with tiles of its own has left, and so do either
     * of integers, or beside a second output, and those of columns of what a gate made */
    const int more = tc__gemm_sums(given) == TC_S32 || given.aux || (given.gate && tc__gemm_col_kind(given));
    const int many = (tc__gemm_row_kind(given) && tc__gemm_col_kind(given)) || (tc__gemm_keeps(given) && more);
    c.schedule = many && t.schedule == TC_PINGPONG ? TC_COOPERATIVE : t.schedule;
    /* a fifth slot of the ring is worth more than a second box; with sums held twice ptxas spills so */
    if (c.sparse && t.cluster_m == 2 && !twice) c.epi_stages = 1;
    c = tc__gemm_quant_tile(c);
    if (!tc__gemm90_promoted_step_ok(tc_gemm_sm90_config(c))) c.step = tc_gemm90_view(c).bn; /* one width */
    c = tc_gemm_sm90_config(c);
    if (c.bsr || c.groups == TC_GROUPS_ARRAY || tc__gemm90_turning(tc_gemm90_view(c))
        || !tc__gemm90_turned_ok(tc_gemm90_view(c)))
        c.cluster_m = c.cluster_n = 1;
    return c;
}

/* The kernel for rows of any alignment, behind those of the list. */
enum { TC__GEMM_ANY = TC__GEMM_TILE_COUNT + 1 };

TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_any_tiled(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    c.step = 32;
    c.split = 1;
    return tc_gemm_sm90_any_config(c);
}

#endif /* TC_GEMM_SM90_AUTO_H */
