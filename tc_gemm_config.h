/* tc_gemm_config.h - tc 0.2.0 - what a GEMM is: its configuration, the arguments of a call, and the rules for both.
 * Needs: the headers below.
 *
 * Stands below the mainloops, which all take the same configuration and the same arguments; tc_gemm.h is their manual.
 */
#ifndef TC_GEMM_CONFIG_H
#define TC_GEMM_CONFIG_H

#include "tc_core.h"
#include "tc_epi.h"
#include "tc_gemm_quant.h"
#include "tc_host.h"
#include "tc_op.h"
#include "tc_operand.h"
#include "tc_sparse_pack.h"
#include "tc_tiles.h"
#include "tc_weights.h"
#include "tc_work.h"

enum { TC_COOPERATIVE = 1, TC_PINGPONG = 2 }; /* .schedule */
enum { TC_ROW = 1, TC_COL = 2 };              /* .a_layout, .b_layout, .d_layout: neighbours of a row, of a column */

enum { TC_FAST = -1 }; /* .promote: never */

/* .index: rows that the device looks up (args.a_row, d_row), as a mixture of experts wants them: with TC_GROUPS_ROWS a
 * layer needs no copies of its tokens.
 *     TC_INDEX_A   row i of the product is row a_row[i] of A. The sm_80 kernels alone, which TC_GEMM_DEFINE takes for
 *                  it on Hopper too: TMA reads rows that follow one another.
 *     TC_INDEX_D   row i of the product goes to row d_row[i] of D, where C lies too; no two rows to one place. Such
 *                  rows are stored in pieces of 16 bytes, not by TMA.
 * An index that is none of A's rows (negative, or a_rows and more) is a row of zeros; one that is none of D's is not
 * stored, and the hook not called. Hooks know the product's row, i. Not with batch, TC_GROUPS_MASKED, TC_F64, A or D in
 * columns; TC_INDEX_A not with .a_scale. */
enum { TC_INDEX_A = 1, TC_INDEX_D = 2 };

/* MORE THAN D.
 *     .aux = TC_BF16, .aux_what = TC_AUX_PRE   args.aux: m x n more elements, in D's layout, of what the hook is given:
 *                                              a pre-activation that training keeps; in integers to the nearest
 *     .aux = TC_S8, .aux_epi = hook            of what a second hook makes of that (a mask, D in another type)
 *     .row_sum = TC_SUM, TC_SUM_SQ, TC_MAX_ABS args.row_out: m floats (batch: m for each matrix) of what the hook made,
 *                                              before it becomes D's type; args.max_out, which TC_MAX_ABS may have: one
 *                                              float, the largest of all. NaN stays NaN.
 * .row_sum needs a workspace (NAME_workspace), of a float for each 16 columns of a row, at its end. NAME_run launches
 * the kernel twice then: the second time it adds up what the first one left there. The order is fixed (tc_epi.h): the
 * same call gives the same bits. Not with .groups, .index and TC_F64; .row_sum wants D in rows; D = TC_S32 a hook. A
 * plan keeps the pointers, and tc_gemm_sm80_prepare and the like do not serve .row_sum. Columns: tc_gemm_quant.h. */
enum { TC_AUX_PRE = 1 };

/* .a_scale, .b_scale: a factor for each 128 of k of each row (of A; of B's each column), or of 128 of them. */
enum { TC_SCALE_1X128 = 1, TC_SCALE_128X128 = 2, TC__SCALE_K = 128 };

/* .sf: factors of a byte that the Tensor Cores multiply by: for each 32 of k (mxfp8, mxfp4), for each 16 (nvfp4). */
enum { TC_SF_UE8M0_32 = 1, TC_SF_UE4M3_16 = 2 };

enum { TC_SPARSE_A = 1, TC_SPARSE_B = 2 }; /* .sparse: tc_gemm_sparse.h is its manual */

/* Compile time. A generator takes these fields by name, in any order; one that is left out takes the default that
 * stands behind it. */
typedef struct tc_gemm_config {
    int a, b, d;    /* element types (TYPES in tc_gemm.h). C has d's type. */
    int a_layout, b_layout; /* how A and B lie in memory (TC_ROW, TC_COL) */
    int d_layout;           /* how D and C lie (TC_ROW) */
    int acc;                /* type of the sums: TC_F16 of TC_F16 and of fp8; 0: f32, s32, f64, as A and B have it */
    int promote;            /* TC_E4M3, TC_E5M2 by wgmma: sums are kept in f32 after so many k (128); or TC_FAST */
    int a_scale, b_scale;   /* TC_E4M3, TC_E5M2: factors that blocks of A and B come with (0: none) */
    int sf;                 /* SM100, SM120: TC_SF_*, factors of A's and B's rows in the layout of tc_sf.h (0: none) */
    int round;              /* TC_TF32: 1 rounds elements to the nearest tf32; 0: the hardware truncates them */
    int bm, bn, bk; /* tile of D that a block computes, and the step in k (SM90: 128 256 64, SM80: 128 128 64) */
    int stages;               /* depth of the ring in shared memory (SM90: what fits, at most 12; SM80: 3) */
    int warps_m, warps_n;     /* SM80, SM120: warps along m and n (2 x 2; SM80: 2 x 4 where bn is 256) */
    int cluster_m, cluster_n; /* SM90: blocks of a cluster, which share A and B tiles by multicast (1 x 1) */
    int cluster_k;            /* SM90: blocks of a cluster that split k of one tile and exchange their sums (1) */
    int consumers;            /* SM90: consumer warpgroups (2; 1 for a cooperative tile of 64 rows) */
    int schedule; /* SM90, SM120: TC_COOPERATIVE: the consumers split bm; TC_PINGPONG: they alternate tiles */
    int epi_stages;           /* SM90: store buffers of a warp (2; SM120: 1) */
    int step;                 /* SM90: not 0: a call picks bn (bm with swap), a multiple of step up to it */
    int swap;                 /* SM90: 1: D's columns are the instruction's rows: for few rows (tile 64 .. x 128) */
    int split;                /* SM90: 1: a call may split k between blocks, with a workspace */
    int any;                  /* SM90: 1: rows of A and B of any alignment (TC_GEMM_SM90_ANY_DEFINE sets it) */
    int clc;                  /* SM100: 1: a grid of all tiles, of which running blocks take over those not begun */
    int index;                /* TC_INDEX_A, TC_INDEX_D or both: rows of A, of C and D are looked up (0) */
    int groups;               /* TC_GROUPS_ROWS, _MASKED: many products, whose rows the device alone knows (0: one) */
    int weights;              /* SM90: B is packed (tc_weights.h): TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3, TC_E2M1 */
    int weights_k;            /* with a factor for so many of k: 32, 64, 128 (0: without) */
    int weights_zero;         /* 1: and zero points */
    int sparse;               /* TC_SPARSE_A, TC_SPARSE_B: that operand is 2:4 sparse (args.meta; 0: none) */
    int conv;                 /* 1: A is what a filter reads of X (TC_CONV_DEFINE and its like set it) */
    int raster, raster_group; /* order of tiles: in groups of raster_group tiles along m or n (picked by shape) */
    int epi_size;             /* sizeof of the hook's arguments, or TC_NO_ARGS; shipped hooks bring theirs */
    tc_epi_fn epi;            /* hook on one element, or */
    tc_epi2_fn epi2;          /* hook on two neighbours of a row */
    int shapes;               /* TC_GEMM_DEFINE: TC_SHAPES_ of tc_gemm.h, what it shall be compiled for (0: for all) */
    int aux;                  /* type of a second output (args.aux), TC_F16, TC_BF16, TC_F32 or TC_S8 (0: none) */
    int aux_what;             /* TC_AUX_PRE: it is what the hook is given, alpha * sum + beta * C; or */
    tc_epi_fn aux_epi;        /* what this hook makes of that; it has .epi's arguments */
    int chip;                 /* SM100: 107: for sm_107 alone (0: for all of them, in the form that each target has) */
    int stages_free;          /* SM100: set when completed: .stages was left out */
    int row_sum;              /* TC_SUM, TC_SUM_SQ, TC_MAX_ABS of each row of D, in f32 (args.row_out; 0: none) */
    int col_sum;              /* the same of each column (args.col_out) */
    int d_scale;              /* TC_SCALE_1X128: D is quantised, with factors that the call computes (0: none) */
    int d_sf;                 /* TC_SF_UE8M0_32: so is it, as mxfp8 */
    int c_type;               /* where D is quantised, C's type: TC_F16, TC_BF16, TC_F32 (TC_BF16) */
    int triangle;             /* TC_TRIANGLE_LOWER, _UPPER: of D that alone, with its diagonal (tc_gemm_tiles.h) */
    tc_gemm_tile_fn tile;     /* which tiles of D; */
    tc_gemm_keep_fn keep;     /* of those that are TC_TILE_PARTIAL, which elements */
    tc_gemm_k_fn k_range;     /* which k of a tile */
    int bsr;                  /* A has blocks of so many rows and columns, those of args.bsr alone (0: it has all) */
} tc_gemm_config;

/* What a call leaves to the kit, or decides itself: which of TC_GEMM_DEFINE's kernels (from 1), the width of a tile and
 * the blocks of a cluster (.step), in how many parts k is split (.split), how many blocks (clusters) there are. 0: the
 * kit's choice. */
typedef struct tc_gemm_choice {
    int kernel, width, cluster, parts, blocks;
} tc_gemm_choice;

/* Factors of blocks of A or B (.a_scale, .b_scale): that of line i (or block i of 128 lines) and block j of k stands at
 * at[i * lines + j * blocks]. As PyTorch and DeepGEMM have them: 1 x 128 {p, 1, pitch}, 128 x 128 {p, pitch, 1}. */
typedef struct tc_gemm_scale {
    const float *at;
    int64_t lines, blocks, batch; /* elements from a line, a block of k, a matrix of the batch to the next */
} tc_gemm_scale;

/* Groups of a call (.groups): many products in one launch, as a mixture of experts wants them, each with a B of its own
 * and with as many rows of A and D as the device alone knows; any may have none.
 *
 *     TC_GEMM_DEFINE(experts, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS)
 *     tc_gemm_args args = { .m = rows, .n = n, .k = k, .a = A, .lda = k, .b = W, .ldb = k, .d = D, .ldd = n,
 *                           .stride_b = (int64_t)n * k, .groups = { .count = 64, .offsets = offsets } };
 *
 * TC_GROUPS_ROWS     rows of all groups stand after each other: m rows of A, C and D in all, of which group i has
 *                    offsets[i] .. offsets[i + 1] - 1; or ends, and the first begins at row 0. No stride_a, _c, _d.
 * TC_GROUPS_MASKED   for decoding: count matrices A, C and D of m rows, stride_a, _c and _d apart, of which the first
 *                    counts[i] rows are used.
 *
 * offsets, ends and counts lie on the device. B: count matrices, stride_b apart (0: all groups have the same). A group
 * may begin at any row. Rows of D that are no group's stay as they are; those of A may be read, and come to nothing.
 * batch stays 0. Bounds that cannot be (descending, past m) are kept inside the matrices; with -DTC_DEBUG the kernel
 * prints them. Hooks: at.group; at.row is D's row (TC_GROUPS_MASKED: the group's, and at.batch the group). A plan reads
 * the bounds at each launch. Factors of A (.a_scale) are of A's rows, those of B have .batch from group to group.
 *
 * Not with .groups: A or D in columns, .a_scale = TC_SCALE_128X128, .raster, .split and .cluster_k (so no workspace).
 * Rows that TMA refuses are the sm_80 kernels', which TC_GEMM_DEFINE takes for them on Hopper too. */
typedef struct tc_gemm_groups {
    int count;              /* groups: 1 to 1024 */
    const int32_t *offsets; /* count + 1: group i has rows offsets[i] .. offsets[i + 1] - 1; or */
    const int32_t *ends;    /* count: group i has rows ends[i - 1] .. ends[i] - 1, group 0 those from 0 on */
    const int32_t *counts;  /* count: group i has rows 0 .. counts[i] - 1 of its matrices */
    int expected;           /* rows of a group that the choice of a tile is to expect (0: m / count; m with counts) */
} tc_gemm_groups;

enum { TC_CONSTANT_A = 1, TC_CONSTANT_B = 2 }; /* .pdl_constant */

/* The second output (.aux), in D's layout. */
typedef struct tc_gemm_aux {
    void *p;
    int64_t ld;     /* elements from a row to the next, >= n; column-major: >= m */
    int64_t stride; /* from a matrix of the batch to the next */
} tc_gemm_aux;

/* A's blocks (.bsr), as cuSPARSE's BSR has them: those of row i of blocks are col_idx[row_ptr[i]] ..
 * col_idx[row_ptr[i + 1] - 1]. Both lie on the device. */
typedef struct tc_gemm_bsr {
    const int32_t *row_ptr, *col_idx; /* one more than there are rows of blocks; `blocks` of them, counted from 0 */
    int blocks;                       /* that a holds */
} tc_gemm_bsr;

/* One call. Sizes are elements; m = 0 is a call that computes nothing. A size that was forgotten is an error: n = 0
 * wants d to be null, and k = 0 (D = epi(beta * C)) wants a and b to be null. alpha = 0 does not read A and B, whatever
 * they hold. A pitch is the distance between rows of A, of B's columns, of C, of D; in the other layout between columns
 * of A, C, D, rows of B. Leave batch and the strides 0 for a single product; otherwise batch matrices, stride elements
 * apart (0: the same matrix; not for d). */
typedef struct tc_gemm_args {
    int m, n, k;
    const void *a;
    int64_t lda; /* >= k; column-major: >= m */
    const void *b;
    int64_t ldb; /* >= k; row-major: >= n; .weights: 0, and stride_b in bytes */
    const void *c;
    int64_t ldc; /* >= n; column-major: >= m. C is not read unless beta points to something other than 0 */
    void *d;
    int64_t ldd;              /* >= n; column-major: >= m */
    tc_gemm_scale a_scale, b_scale; /* where the configuration has them */
    const void *sfa, *sfb;          /* .sf: tc_sf_bytes each, multiples of 16 bytes apart in a batch */
    int64_t stride_sfa, stride_sfb; /* bytes from one matrix's to the next's (0: the same) */
    const float *alpha, *beta; /* host pointers, read during the call; NULL: 1 and 0 */
    const double *alpha64, *beta64; /* the same where D is f64, which takes these alone */
    int batch;
    int64_t stride_a, stride_b, stride_c, stride_d;
    tc_gemm_groups groups; /* where the configuration has them */
    const int32_t *a_row;  /* .index: m of them on the device: row i of the product is row a_row[i] of A, */
    const int32_t *d_row;  /* and goes to row d_row[i] of D, where C lies too */
    int a_rows, d_rows;    /* rows of A, of C and D; an index that is none of them: zeros, and nothing is stored */
    const void *epi_args; /* host pointer to the hook's arguments, copied during the call */
    size_t epi_size;
    void *workspace;       /* device memory for split k, workspace_size bytes, a multiple of 16; NULL: k is not split */
    size_t workspace_size; /* what NAME_workspace says, or less: then k is split less */
    const tc_gemm_choice *choice; /* NULL: the kit's */
    int pdl_constant; /* with pdl: TC_CONSTANT_A, _B: what no kernel writes that may still run (weights) */
    int pdl; /* not 0: programmatic dependent launch: may start while the kernel before it drains (Hopper only) */
    tc_gemm_aux aux; /* where the configuration has it */
    float *row_out;  /* .row_sum: m floats, of each matrix of the batch */
    float *max_out;  /* TC_MAX_ABS: the largest of them, or NULL */
    float *col_out;  /* .col_sum: n floats, of each matrix of the batch */
    tc_gemm_scale d_scale_out; /* .d_scale: where factors go; row i's of columns 128 j ..: at[i * lines + j * blocks] */
    void *d_sf_out;            /* .d_sf: tc_sf_bytes(m, n, 32), stride_d_sf bytes apart in a batch */
    int64_t stride_d_sf;
    const void *meta;    /* .sparse: metadata in bricks (tc_sparse_pack.h), 16-byte aligned; */
    int64_t stride_meta; /* bytes from one matrix's to the next's (0: the same) */
    tc_gemm_bsr bsr;     /* where the configuration has it: a is then the blocks, one after the other */
} tc_gemm_args;

/* Has a kernel more to write than D? */
TC_HD TC_CONSTEXPR int tc__gemm_outputs(const tc_gemm_config c) { return c.aux || c.row_sum || c.col_sum; }
TC_HD TC_CONSTEXPR int tc__gemm_twice(const tc_gemm_config c) { return c.row_sum || c.col_sum; }
/* Is D quantised? What the kernels of SM90 and SM80 alone do; and C's type. */
TC_HD TC_CONSTEXPR int tc__gemm_quantised(const tc_gemm_config c)
{
    return c.d_scale || c.d_sf || c.d == TC_E4M3 || c.d == TC_E5M2;
}
TC_HD TC_CONSTEXPR int tc__gemm_own_ends(const tc_gemm_config c) { return tc__gemm_quantised(c) || c.col_sum; }
TC_HD TC_CONSTEXPR int tc__gemm_c(const tc_gemm_config c)
{
    return !tc__gemm_quantised(c) ? c.d : c.c_type ? c.c_type : TC_BF16;
}

/* Factors of a side as a kernel knows them, the last of its lines, or blocks of 128, and how many blocks of k there
 * are. */
typedef struct tc_scale_side {
    const float *at;
    int64_t blocks, batch;
    int lines, last, count;
} tc_scale_side;

/* Where a line's factor of block k of k lies: of a line that does not exist, the last one's. */
typedef struct tc_scale_place {
    int line, k, batch;
} tc_scale_place;

TC_HD const float *tc_scale_at(int scale, const tc_scale_side *s, tc_scale_place at)
{
    const int factor = scale == TC_SCALE_128X128 ? at.line / TC__SCALE_K : at.line;
    return s->at + at.batch * s->batch + at.k * s->blocks + (int64_t)(factor < s->last ? factor : s->last) * s->lines;
}

/* Are there tiles, or k of some, that are not computed? Functions that say so? Elements of a tile that are not stored?
 * Tiles of different k? */
TC_HD TC_CONSTEXPR int tc__tiles_some(const tc_gemm_config c) { return c.triangle || c.tile || c.k_range || c.bsr; }
TC_HD TC_CONSTEXPR int tc__tiles_asks(const tc_gemm_config c) { return c.tile || c.keep || c.k_range; }
TC_HD TC_CONSTEXPR int tc__tiles_picks(const tc_gemm_config c) { return c.triangle || c.keep; }
TC_HD TC_CONSTEXPR int tc__tiles_uneven(const tc_gemm_config c) { return c.k_range || c.bsr; }

/* The same with all of D, to write down kernels that are never called. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_all_tiles(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.triangle = c.bsr = 0, c.tile = 0, c.keep = 0, c.k_range = 0;
    return c;
}

/* How many hooks there are. */
TC_HD TC_CONSTEXPR int tc__gemm_hooked(const tc_gemm_config c) { return (c.epi ? 1 : 0) + (c.epi2 ? 1 : 0); }

/* Families of types, and what sums are in. */
TC_HD TC_CONSTEXPR int tc__gemm_is_int(int type) { return type == TC_S8 || type == TC_U8; }
TC_HD TC_CONSTEXPR int tc__gemm_is_16(int type) { return type == TC_F16 || type == TC_BF16; }
TC_HD TC_CONSTEXPR int tc__gemm_is_fp8(int type) { return type == TC_E4M3 || type == TC_E5M2; }
TC_HD TC_CONSTEXPR int tc__gemm_is_narrow(int type) { return type == TC_E3M2 || type == TC_E2M3 || type == TC_E2M1; }
TC_HD TC_CONSTEXPR int tc__gemm_is_f32(int type) { return type == TC_F32; } /* to f32's precision, by tf32 */
TC_HD TC_CONSTEXPR int tc__gemm_is_f8f6f4(int type) { return tc__gemm_is_fp8(type) || tc__gemm_is_narrow(type); }
TC_HD TC_CONSTEXPR int tc__gemm_sums(const tc_gemm_config c)
{
    return c.acc ? c.acc : tc__gemm_is_int(c.a) ? TC_S32 : c.a == TC_F64 ? TC_F64 : TC_F32;
}

/* Do A and B multiply; do sums become D's type? */
TC_HD TC_CONSTEXPR int tc__gemm_a_ok(int a)
{
    return tc__gemm_is_16(a) || tc__gemm_is_fp8(a) || tc__gemm_is_int(a) || a == TC_TF32 || tc__gemm_is_f32(a)
        || a == TC_F64;
}
TC_HD TC_CONSTEXPR int tc__gemm_b_ok(const tc_gemm_config c)
{
    return c.a == c.b || (tc__gemm_is_int(c.a) && tc__gemm_is_int(c.b))
        || (tc__gemm_is_f8f6f4(c.a) && tc__gemm_is_f8f6f4(c.b));
}
TC_HD TC_CONSTEXPR int tc__gemm_acc_ok(const tc_gemm_config c)
{
    return c.acc == 0 || c.acc == (tc__gemm_is_int(c.a) ? TC_S32 : c.a == TC_F64 ? TC_F64 : TC_F32)
        || (c.acc == TC_F16 && (c.a == TC_F16 || tc__gemm_is_fp8(c.a)));
}
TC_HD TC_CONSTEXPR int tc__gemm_d_ok(const tc_gemm_config c)
{
    return c.a == TC_F64 ? c.d == TC_F64
                         : tc__gemm_is_16(c.d) || c.d == TC_F32 || tc__gemm_quantised(c)
                               || (tc__gemm_is_int(c.a) && (c.d == TC_S32 || c.d == TC_S8));
}

/* Do blocks of A or B come with factors? */
TC_HD TC_CONSTEXPR int tc__gemm_scaled(const tc_gemm_config c) { return c.a_scale || c.b_scale; }

/* Layouts other than the default. */
TC_HD TC_CONSTEXPR int tc__gemm_a_col(const tc_gemm_config c) { return c.a_layout == TC_COL; }
TC_HD TC_CONSTEXPR int tc__gemm_b_row(const tc_gemm_config c) { return c.b_layout == TC_ROW; }
TC_HD TC_CONSTEXPR int tc__gemm_d_col(const tc_gemm_config c) { return c.d_layout == TC_COL; }

/* Roles of A and B changed over, and with them a tile's rows and columns. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_change(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.a = given.b, c.b = given.a;
    c.a_scale = given.b_scale, c.b_scale = given.a_scale;
    c.a_layout = tc__gemm_b_row(given) ? TC_COL : TC_ROW, c.b_layout = tc__gemm_a_col(given) ? TC_ROW : TC_COL;
    c.bm = given.bn, c.bn = given.bm;
    c.warps_m = given.warps_n, c.warps_n = given.warps_m;
    c.cluster_m = given.cluster_n, c.cluster_n = given.cluster_m;
    c.sparse = given.sparse ? TC_SPARSE_A + TC_SPARSE_B - given.sparse : 0;
    return c;
}

/* The configuration of the same product with D row-major: that of D's transpose, if it is not. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_plain(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    if (!tc__gemm_d_col(given)) return c;
    c = tc__gemm_change(given);
    c.d_layout = TC_ROW;
    if (given.raster) c.raster = TC_RASTER_M + TC_RASTER_N - given.raster;
    if (given.triangle) c.triangle = TC_TRIANGLE_LOWER + TC_TRIANGLE_UPPER - given.triangle;
    return c;
}

/* Do Hopper's kernels serve it? TC_GEMM_DEFINE takes its sm_80 kernels for what they do not. */
TC_HD TC_CONSTEXPR int tc__gemm_by_wgmma(const tc_gemm_config c)
{
    return c.acc != TC_F16 && !(c.index & TC_INDEX_A)
        && (tc__gemm_is_16(c.a) || tc__gemm_is_fp8(c.a)
            || ((tc__gemm_is_int(c.a) || c.a == TC_TF32 || tc__gemm_is_f32(c.a)) && !c.round
                && (c.d != TC_S8 || c.d_scale)));
}

/* The same where rows may have any alignment. */
TC_HD TC_CONSTEXPR int tc__gemm_any_by_wgmma(const tc_gemm_config c)
{
    return c.acc != TC_F16 && tc__gemm_is_16(c.a) && !tc__gemm_a_col(c) && !tc__gemm_b_row(c) && !tc__gemm_d_col(c)
        && !c.groups && !(c.index & TC_INDEX_A) && !c.sparse && !tc__gemm_own_ends(c) && !tc__tiles_some(c);
}

#define TC__GEMM_BY_WGMMA                                                                                             \
    "tc: TC_GEMM_SM90_DEFINE multiplies f16, bf16, tf32 (.round 0), f32, e4m3, e5m2, s8 and u8 (not to s8), sums "     \
    "not in f16: other types are for TC_GEMM_SM80_DEFINE and TC_GEMM_DEFINE"

/* The rules that every kernel has for its configuration: X(condition, sentence). */
#define TC__GEMM_RULES(X, c)                                                                                          \
    X(tc__gemm_a_ok((c).a) || tc__gemm_is_narrow((c).a),                                                              \
      "tc: .a must be TC_F16, TC_BF16, TC_TF32, TC_F32, TC_E4M3, TC_E5M2, TC_S8, TC_U8 or TC_F64")                    \
    X(tc__gemm_b_ok(c), "tc: .b must be the type of .a (TC_S8 and TC_U8 mix, TC_E4M3 and TC_E5M2 mix)")               \
    X(tc__gemm_acc_ok(c), "tc: .acc must be TC_F16, of TC_F16 and fp8 alone, or left out")                            \
    X((c).promote >= TC_FAST && ((c).promote == 0 || tc__gemm_is_fp8((c).a)),                                         \
      "tc: .promote is for TC_E4M3 and TC_E5M2: a number of k, or TC_FAST")                                          \
    X(tc__gemm_d_ok(c),                                                                                               \
      "tc: .d must be TC_F16, TC_BF16 or TC_F32; of integers TC_S32 and TC_S8 too; of TC_F64 it is TC_F64; or "       \
      "quantised: TC_E4M3, TC_E5M2, and with .d_scale TC_S8")                                                         \
    TC__GEMM_QUANT_RULES(X, c)                                                                                        \
    X((c).a_scale >= 0 && (c).a_scale <= TC_SCALE_128X128 && (c).b_scale >= 0 && (c).b_scale <= TC_SCALE_128X128,     \
      "tc: .a_scale and .b_scale must be TC_SCALE_1X128, TC_SCALE_128X128 or 0")                                      \
    X(!tc__gemm_scaled(c) || (tc__gemm_is_fp8((c).a) && (c).acc != TC_F16                                             \
                              && ((c).promote == 0 || (c).promote == TC__SCALE_K)),                                   \
      "tc: .a_scale and .b_scale are for TC_E4M3 and TC_E5M2, sums in f32, .promote 128 or left out")                 \
    X((c).round == 0 || ((c).round == 1 && (c).a == TC_TF32),                                                         \
      "tc: .round must be 0, or 1 of TC_TF32, whose elements it rounds to the nearest")                               \
    X((c).a != TC_F64 || !tc__gemm_hooked(c), "tc: .a = TC_F64 takes no hook: .epi and .epi2 compute in f32")         \
    X((c).a_layout >= 0 && (c).a_layout <= TC_COL && (c).b_layout >= 0 && (c).b_layout <= TC_COL                      \
      && (c).d_layout >= 0 && (c).d_layout <= TC_COL,                                                                 \
      "tc: .a_layout, .b_layout and .d_layout must be TC_ROW or TC_COL")                                              \
    X(!tc__gemm_d_col(c) || !(c).epi2,                                                                                \
      "tc: .epi2 takes neighbours of a row, which .d_layout = TC_COL does not keep together: use .epi")               \
    X(tc__gemm_hooked(c) < 2, "tc: give .epi or .epi2, not both")                                                     \
    X((c).epi_size >= TC_NO_ARGS && (c).epi_size <= TC_EPI_MAX,                                                       \
      "tc: .epi_size must be in 0..TC_EPI_MAX, or TC_NO_ARGS")                                                        \
    X((!tc__gemm_hooked(c) && !tc__tiles_asks(c)) == !(c).epi_size,                                                   \
      "tc: a hook needs .epi_size = sizeof of its arguments, TC_NO_ARGS where it takes none; without a hook "         \
      "there is no .epi_size")                                                                                        \
    X((c).raster_group >= 0 && (c).raster >= 0 && (c).raster <= TC_RASTER_N,                                          \
      "tc: .raster must be TC_RASTER_M or TC_RASTER_N, .raster_group >= 0")                                           \
    X((c).groups >= 0 && (c).groups <= TC_GROUPS_MASKED,                                                              \
      "tc: .groups must be TC_GROUPS_ROWS, TC_GROUPS_MASKED or 0")                                                    \
    X(!(c).groups || (!tc__gemm_a_col(c) && !tc__gemm_d_col(c)),                                                      \
      "tc: with .groups, .a_layout and .d_layout must be TC_ROW: a group begins at any row of A and D")               \
    X(!(c).groups || (c).a_scale != TC_SCALE_128X128,                                                                 \
      "tc: with .groups, .a_scale must be TC_SCALE_1X128 or 0: a group begins at any row of A")                       \
    X((c).index >= 0 && (c).index <= (TC_INDEX_A | TC_INDEX_D), "tc: .index must be of TC_INDEX_A and TC_INDEX_D")    \
    X(!(c).index || (!tc__gemm_a_col(c) && !tc__gemm_d_col(c) && (c).a != TC_F64 && (c).groups != TC_GROUPS_MASKED),  \
      "tc: .index wants .a_layout and .d_layout TC_ROW, another type than TC_F64, and not TC_GROUPS_MASKED")          \
    X(!((c).index & TC_INDEX_A) || !(c).a_scale, "tc: .index = TC_INDEX_A does not go with .a_scale")                 \
    X(!(c).groups || (c).raster == 0, "tc: with .groups, tiles go group after group: .raster must be left out")       \
    X((c).aux == 0 || tc__gemm_is_16((c).aux) || (c).aux == TC_F32 || (c).aux == TC_S8,                               \
      "tc: .aux must be TC_F16, TC_BF16, TC_F32 or TC_S8, or left out")                                               \
    X((c).aux_what == 0 || ((c).aux_what == TC_AUX_PRE && (c).aux),                                                   \
      "tc: .aux_what must be TC_AUX_PRE, beside .aux, the second output's type, or left out")                         \
    X(((c).aux_what != 0) + ((c).aux_epi != 0) == ((c).aux != 0),                                                     \
      "tc: .aux needs to know what it is: .aux_what = TC_AUX_PRE, or a hook .aux_epi; without .aux there is neither") \
    X((c).row_sum >= 0 && (c).row_sum <= TC_MAX_ABS, "tc: .row_sum must be TC_SUM, TC_SUM_SQ, TC_MAX_ABS or 0")       \
    X(!tc__gemm_outputs(c) || ((c).d != TC_F64 && ((c).d != TC_S32 || tc__gemm_hooked(c))),                           \
      "tc: .aux and .row_sum are of f32: not with .d = TC_F64, and with .d = TC_S32 only where there is a hook")      \
    X(!tc__gemm_outputs(c) || (!(c).groups && !(c).index), "tc: .aux and .row_sum do not go with .groups and .index") \
    X(!(c).row_sum || !tc__gemm_d_col(c), "tc: .row_sum wants .d_layout = TC_ROW")                                    \
    X(!tc__gemm_outputs(c) || ((c).epi_size <= TC_EPI_MAX - TC__OUTPUTS_BYTES && TC_EPI_MAX % 8 == 0),                \
      "tc: .aux and .row_sum leave the hook's arguments (.epi_size) 64 bytes less than TC_EPI_MAX")

/* Kernels that read B as it is multiplied. */
#define TC__GEMM_PLAIN_B_RULES(X, c)                                                                                  \
    X(!(c).weights && !(c).weights_k && !(c).weights_zero,                                                            \
      "tc: .weights, .weights_k and .weights_zero are for TC_GEMM_SM90_DEFINE: B packed as tc_weights.h has it")

/* And those of mma.sync and wgmma, which know no such factors. */
#define TC__GEMM_TURNED_RULES(X, c)                                                                                   \
    X((c).sf == 0,                                                                                                    \
      "tc: .sf is for TC_GEMM_SM100_DEFINE and TC_GEMM_SM120_DEFINE: nothing older multiplies by factors of a byte")  \
    X(!tc__gemm_is_narrow((c).a) && !tc__gemm_is_narrow((c).b),                                                       \
      "tc: TC_E3M2, TC_E2M3 and TC_E2M1 are for TC_GEMM_SM120_DEFINE, TC_E2M1 with .sf for TC_GEMM_SM100_DEFINE too") \
    X((c).chip == 0, "tc: .chip is for TC_GEMM_SM100_DEFINE")                                                         \
    TC__GEMM_RULES(X, c)

/* How the end of a tile brings boxes to D: by TMA; by words, where TMA refuses D; not at all but piece by piece, where
 * C is to be added and TMA refuses C, and where sums of integers are to be scaled. */
enum { TC__GEMM_D_TMA, TC__GEMM_D_ROWS, TC__GEMM_D_PIECES };

#ifdef __CUDACC__
/* Is this the second launch, which .row_sum and .col_sum take? params: a lvalue that holds a tc_gemm_out. */
#define TC__GEMM_FINISHES(c, params) (tc__gemm_twice(c) && tc__epi_outputs(&(params).out)->finish)
#define TC__GEMM_FINISH(c, params) (tc_griddepcontrol_wait(), tc__gemm_finish(c, &(params).out))
TC_DEV_SM75 void tc__gemm_finish(const tc_gemm_config c, const tc_gemm_out *o)
{
    if (c.row_sum) tc__epi_finish(c.row_sum, o);
    if (c.col_sum) tc__col_finish(c.col_sum, o);
}

/* Shipped hooks bring the size of their arguments. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_shipped(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    const int none = c.epi == tc_epi_relu || c.epi == tc_epi_gelu || c.epi == tc_epi_gelu_tanh || c.epi == tc_epi_silu;
    const int vector = c.epi == tc_epi_bias_col || c.epi == tc_epi_bias_row || c.epi == tc_epi_scale_col
                    || c.epi == tc_epi_scale_row || c.epi2 == tc_epi2_bias_col || c.epi2 == tc_epi2_bias_gelu_tanh;
    const int matrix = c.epi == tc_epi_residual_f32 || c.epi == tc_epi_residual_f16 || c.epi == tc_epi_residual_bf16
                    || c.epi2 == tc_epi2_residual_f16 || c.epi2 == tc_epi2_residual_bf16;
    if (c.epi_size == 0 && none) c.epi_size = TC_NO_ARGS;
    if (c.epi_size == 0 && vector) c.epi_size = (int)sizeof(tc_epi_vector);
    if (c.epi_size == 0 && matrix) c.epi_size = (int)sizeof(tc_epi_matrix);
    return c;
}
/* A configuration that has both hooks. */
TC_DEV TC_CONSTEXPR tc_gemm_config tc__gemm_hooks(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.epi = c.epi ? c.epi : tc_epi_relu;
    c.epi2 = c.epi2 ? c.epi2 : tc_epi2_bias_col;
    return c;
}

/* A configuration whose hooks, where it has any, are called by way of these two. */
TC_DEV TC_CONSTEXPR tc_gemm_config tc__gemm_hooked(const tc_gemm_config given, tc_epi_fn epi, tc_epi2_fn epi2)
{
    tc_gemm_config c = given;
    c.epi = c.epi ? epi : 0;
    c.epi2 = c.epi2 ? epi2 : 0;
    return c;
}
#endif

/* Do integer sums come to the epilogue as they are? Where alpha or beta want it, it makes floats of them. */
TC_HD TC_CONSTEXPR int tc__gemm_raw(const tc_gemm_config c) { return c.d == TC_S32 && !tc__gemm_hooked(c); }

TC_HD TC_CONSTEXPR tc_epi tc__gemm_epi(const tc_gemm_config c)
{
    tc_epi e = {c.d,     tc__gemm_d_col(c), tc__gemm_raw(c), c.epi, c.epi2, c.index & TC_INDEX_D,
                c.aux,   c.aux_epi,         c.row_sum,       tc__gemm_c(c), tc__gemm_own_ends(c),
                tc__gemm_quantised(c),         c.keep, c.triangle};
    return e;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Host: the rules that every kernel has for a call.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a program gives tc_gemm_sm90_prepare and tc_gemm_sm80_prepare as .epi or .epi2 where the kernel, compiled
 * elsewhere (NVRTC), has a hook: host and device then have the same configuration. Nobody calls them. */
TC_HOST float tc_epi_on_device(float x, tc_gemm_at at, const void *args) { return (void)at, (void)args, x; }
TC_HOST tc_f32x2 tc_epi2_on_device(tc_f32x2 x, tc_gemm_at at, const void *args) { return (void)at, (void)args, x; }
TC_HOST int tc_gemm_tile_on_device(tc_gemm_tile tile, const void *args) { return (void)tile, (void)args, 0; }
TC_HOST int tc_gemm_keep_on_device(tc_gemm_at at, const void *args) { return (void)at, (void)args, 0; }
TC_HOST tc_gemm_k tc_gemm_k_on_device(tc_gemm_tile tile, const void *args)
{
    const tc_gemm_k none = {0, 0};
    return (void)tile, (void)args, none;
}

#define TC__GEMM_FIELD(name, most) {#name, offsetof(tc_gemm_config, name), most}
static const tc__field tc__gemm_fields[] TC_UNUSED = {
    TC__GEMM_FIELD(a, 0),           TC__GEMM_FIELD(b, 0),
    TC__GEMM_FIELD(d, 0),           TC__GEMM_FIELD(bm, 2048),
    TC__GEMM_FIELD(bn, 2048),       TC__GEMM_FIELD(bk, 2048),
    TC__GEMM_FIELD(stages, 64),     TC__GEMM_FIELD(warps_m, 64),
    TC__GEMM_FIELD(warps_n, 64),    TC__GEMM_FIELD(cluster_m, 16),
    TC__GEMM_FIELD(cluster_n, 16),  TC__GEMM_FIELD(cluster_k, 16),
    TC__GEMM_FIELD(consumers, 16),  TC__GEMM_FIELD(schedule, 16),
    TC__GEMM_FIELD(epi_stages, 16), TC__GEMM_FIELD(step, 256),
    TC__GEMM_FIELD(swap, 1),        TC__GEMM_FIELD(split, 1),
    TC__GEMM_FIELD(clc, 1),         TC__GEMM_FIELD(sf, 0),
    TC__GEMM_FIELD(raster, 16),     TC__GEMM_FIELD(raster_group, 1 << 30),
    TC__GEMM_FIELD(epi_size, 0),    TC__GEMM_FIELD(a_layout, 0),
    TC__GEMM_FIELD(b_layout, 0),    TC__GEMM_FIELD(d_layout, 0),
    TC__GEMM_FIELD(promote, 0),     TC__GEMM_FIELD(round, 0),       TC__GEMM_FIELD(acc, 0),
    TC__GEMM_FIELD(a_scale, 0),     TC__GEMM_FIELD(b_scale, 0),     TC__GEMM_FIELD(groups, 0),
    TC__GEMM_FIELD(index, 0),       TC__GEMM_FIELD(aux, 0),         TC__GEMM_FIELD(aux_what, 0),
    TC__GEMM_FIELD(col_sum, 0),     TC__GEMM_FIELD(d_scale, 0),
    TC__GEMM_FIELD(d_sf, 0),        TC__GEMM_FIELD(c_type, 0),
    TC__GEMM_FIELD(row_sum, 0),     TC__GEMM_FIELD(chip, 107),      TC__GEMM_FIELD(sparse, 0),
    TC__GEMM_FIELD(weights, 0),     TC__GEMM_FIELD(weights_k, 128), TC__GEMM_FIELD(weights_zero, 1),
    TC__GEMM_FIELD(triangle, 0),    TC__GEMM_FIELD(bsr, 256),
    {NULL, 0, 0}};

/* What must hold before a configuration can be completed. */
TC_HOST tc_status tc__gemm_config_check(const tc_gemm_config *c)
{
    const tc__field *tc__fields = tc__gemm_fields;
    const tc_status st = tc__config_range(tc__fields, c);
    if (st != TC_OK) return st;
    TC__GEMM_RULES(TC__RULE_SAY, *c)
    if (tc__gemm_twice(*c))
        return tc__fail(TC_ERR_CONFIG, ".%s_sum takes two launches, which NAME_run and NAME_launch do",
                        c->row_sum ? "row" : "col");
    return TC_OK;
}

/* Is there anything to compute? */
TC_HOST int tc__gemm_empty(const tc_gemm_args *g)
{
    const int strided = g->stride_a || g->stride_b || g->stride_c || g->stride_d;
    return g->m == 0 || g->n == 0 || (g->batch == 0 && strided && g->groups.count == 0);
}

TC_HOST int tc__gemm_batch(const tc_gemm_args *g) { return g->batch ? g->batch : 1; }

/* Matrices of A, B, C or D, as which says: of groups that are rows of one another, B alone has more than one. */
TC_HOST int tc__gemm_matrices(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    if (c->groups == TC_GROUPS_MASKED || (c->groups && which == 'b')) return g->groups.count;
    return tc__gemm_batch(g);
}
TC_HOST double tc__gemm_alpha(const tc_gemm_args *g) { return g->alpha64 ? *g->alpha64 : g->alpha ? *g->alpha : 1.; }
TC_HOST double tc__gemm_beta(const tc_gemm_args *g) { return g->beta64 ? *g->beta64 : g->beta ? *g->beta : 0.; }

/* A, B, C or D of a call, as which says: 'a', 'b', 'c', 'd': rows of what lies together in memory, so that rows of B
 * are its columns unless it is row-major. */
TC_HOST tc_operand_matrix tc__gemm_matrix(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const int turned = which == 'a' ? tc__gemm_a_col(*c) : which == 'b' ? tc__gemm_b_row(*c) : tc__gemm_d_col(*c);
    const int half = c->sparse == (which == 'a' ? TC_SPARSE_A : which == 'b' ? TC_SPARSE_B : -1); /* of it is kept */
    const int cols = which == 'a' || which == 'b' ? g->k >> half : g->n, rows = which == 'b' ? g->n : g->m;
    tc_operand_matrix x;
    x.name = which == 'a' ? "a" : which == 'b' ? "b" : which == 'c' ? "c" : "d";
    x.type = which == 'a' ? c->a : which == 'b' ? c->b : which == 'c' ? tc__gemm_c(*c) : c->d;
    x.base = which == 'a' ? g->a : which == 'b' ? g->b : which == 'c' ? g->c : g->d;
    x.cols = turned ? rows : cols;
    x.rows = turned ? cols : rows;
    if (c->bsr && which == 'a') x.cols = c->bsr, x.rows = (int)((int64_t)g->bsr.blocks * c->bsr);
    x.batch = tc__gemm_matrices(c, g, which);
    x.pitch = which == 'a' ? g->lda : which == 'b' ? g->ldb : which == 'c' ? g->ldc : g->ldd;
    x.stride = which == 'a' ? g->stride_a : which == 'b' ? g->stride_b : which == 'c' ? g->stride_c : g->stride_d;
    return x;
}

/* Lines of factors of A or B: its rows (of B: columns), or blocks of 128 of them; blocks of k. */
TC_HOST int64_t tc__gemm_scale_lines(int scale, int lines)
{
    return scale == TC_SCALE_128X128 ? ((int64_t)lines + TC__SCALE_K - 1) / TC__SCALE_K : lines;
}

/* Factors as a call gives them, which: 'a' or 'b'; 'd': as it wants them, of rows and of columns in place of k. */
TC_HOST tc_status tc__gemm_check_scale(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const tc_gemm_scale s = which == 'a' ? g->a_scale : which == 'b' ? g->b_scale : g->d_scale_out;
    const int scale = which == 'a' ? c->a_scale : which == 'b' ? c->b_scale : c->d_scale;
    const int64_t lines = tc__gemm_scale_lines(scale, which == 'b' ? g->n : g->m);
    const int64_t blocks = ((int64_t)(which == 'd' ? g->n : g->k) + TC__SCALE_K - 1) / TC__SCALE_K;
    const char *out = which == 'd' ? "_out" : "";
    if (!scale && (s.at || s.lines || s.blocks || s.batch))
        return tc__fail(TC_ERR_CONFIG, "%c_scale%s is given, but the kernel was generated without .%c_scale", which,
                        out, which);
    if (!scale || tc__gemm_empty(g) || (g->k == 0 && which != 'd')) return TC_OK;
    if (!s.at) return tc__fail(TC_ERR_NULL, "%c_scale%s.at is null, but the kernel has .%c_scale", which, out, which);
    if ((uintptr_t)s.at % 4)
        return tc__fail(TC_ERR_ALIGN, "%c_scale%s.at = %p is not a multiple of 4 bytes", which, out,
                        (const void *)s.at);
    if (s.lines < (lines > 1) || s.lines * (lines - 1) > 0x7fffffff)
        return tc__fail(TC_ERR_PITCH, "%c_scale%s.lines = %lld must be at least 1, and times %lld lines below 2^31",
                        which, out, (long long)s.lines, (long long)lines);
    if (s.blocks < (blocks > 1))
        return tc__fail(TC_ERR_PITCH, "%c_scale%s.blocks = %lld must be at least 1: there are %lld blocks of %s",
                        which, out, (long long)s.blocks, (long long)blocks, which == 'd' ? "columns" : "k");
    if (s.batch < 0 || (which == 'd' && s.batch == 0 && tc__gemm_matrices(c, g, 'd') > 1))
        return tc__fail(TC_ERR_BATCH, "%c_scale%s.batch = %lld%s", which, out, (long long)s.batch,
                        s.batch < 0 ? " is negative" : ", but each product needs a place");
    return TC_OK;
}

/* Groups as a call gives them. What the device alone knows, it keeps inside the matrices (tc_work.h). */
TC_HOST tc_status tc__gemm_check_groups(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const tc_gemm_groups *x = &g->groups;
    const int masked = c->groups == TC_GROUPS_MASKED, given = (x->offsets != NULL) + (x->ends != NULL);
    const void *at = masked ? x->counts : x->offsets ? x->offsets : x->ends;
    const char *name = masked ? "counts" : x->offsets ? "offsets" : "ends";
    if (!c->groups && (x->count || given || x->counts || x->expected))
        return tc__fail(TC_ERR_CONFIG, "groups is given, but the kernel was generated without .groups");
    if (!c->groups) return TC_OK;
    if (x->count < 1 || x->count > TC_GROUPS_MOST)
        return tc__fail(TC_ERR_SIZE, "groups.count = %d must be in 1..%d: the kernel has .groups", x->count,
                        TC_GROUPS_MOST);
    if (x->expected < 0) return tc__fail(TC_ERR_SIZE, "groups.expected = %d is negative", x->expected);
    if (g->batch > 1)
        return tc__fail(TC_ERR_BATCH, "batch = %d, but the kernel has .groups, which are its products: leave it 0",
                        g->batch);
    if (masked ? given : x->counts != NULL)
        return tc__fail(TC_ERR_CONFIG, "groups.%s is given, but the kernel's .groups = %s takes groups.%s",
                        masked ? x->offsets ? "offsets" : "ends" : "counts",
                        masked ? "TC_GROUPS_MASKED" : "TC_GROUPS_ROWS", masked ? "counts" : "offsets or groups.ends");
    if (given > 1) return tc__fail(TC_ERR_CONFIG, "groups.offsets and groups.ends are both given: give one of them");
    if (!at)
        return tc__fail(TC_ERR_NULL, masked ? "groups.counts is null, but the kernel's .groups = TC_GROUPS_MASKED"
                                            : "groups.offsets and groups.ends are null, but the kernel's .groups = "
                                              "TC_GROUPS_ROWS");
    if ((uintptr_t)at % 4) return tc__fail(TC_ERR_ALIGN, "groups.%s = %p is not a multiple of 4 bytes", name, at);
    if (!masked && (g->stride_a || g->stride_c || g->stride_d))
        return tc__fail(TC_ERR_BATCH,
                        "stride_%c = %lld, but with TC_GROUPS_ROWS the rows of all groups are one matrix: leave it 0",
                        g->stride_a ? 'a' : g->stride_c ? 'c' : 'd',
                        (long long)(g->stride_a ? g->stride_a : g->stride_c ? g->stride_c : g->stride_d));
    if (masked && x->count > 1 && g->stride_d == 0)
        return tc__fail(TC_ERR_BATCH, "stride_d = 0, but groups.count = %d products need a place each", x->count);
    return TC_OK;
}

/* Rows that are looked up, which: 'a' or 'd'. */
TC_HOST tc_status tc__gemm_check_index(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const int32_t *at = which == 'a' ? g->a_row : g->d_row;
    const int rows = which == 'a' ? g->a_rows : g->d_rows;
    if (!(c->index & (which == 'a' ? TC_INDEX_A : TC_INDEX_D))) {
        if (!at && !rows) return TC_OK;
        return tc__fail(TC_ERR_CONFIG, "%c_row is given, but the kernel was generated without .index = TC_INDEX_%c",
                        which, which - 'a' + 'A');
    }
    if (g->batch > 1) return tc__fail(TC_ERR_BATCH, "batch = %d, but the kernel has .index: leave it 0", g->batch);
    if (!at) return tc__fail(TC_ERR_NULL, "%c_row is null, but the kernel has .index", which);
    if ((uintptr_t)at % 4)
        return tc__fail(TC_ERR_ALIGN, "%c_row = %p is not a multiple of 4 bytes", which, (const void *)at);
    if (rows < 1) return tc__fail(TC_ERR_SIZE, "%c_rows = %d must be at least 1: the kernel has .index", which, rows);
    return TC_OK;
}

/* Bytes of the workspace, at its end, that .row_sum and .col_sum take; those of .row_sum come first. */
TC_HOST size_t tc__gemm_row_parts_bytes(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const size_t across = ((size_t)g->n + 15) / 16;
    return c->row_sum ? ((size_t)tc__gemm_batch(g) * across * (size_t)g->m * sizeof(float) + 15) / 16 * 16 : 0;
}
TC_HOST size_t tc__gemm_parts_bytes(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const size_t down = ((size_t)g->m + 15) / 16, columns = (size_t)tc__gemm_batch(g) * down * (size_t)g->n;
    return tc__gemm_row_parts_bytes(c, g) + (c->col_sum ? (columns * sizeof(float) + 15) / 16 * 16 : 0);
}

/* The call as the rest of the workspace serves it. */
TC_HOST tc_gemm_args tc__gemm_less_parts(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_gemm_args x = *g;
    if (tc__gemm_twice(*c)) x.workspace_size -= tc__gemm_parts_bytes(c, g);
    return x;
}

/* What is written besides D. */
TC_HOST tc_status tc__gemm_check_outputs(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const int cols = tc__gemm_d_col(*c) ? g->m : g->n, size = c->aux ? tc_type_bits(c->aux) / 8 : 1;
    if (!c->aux && (g->aux.p || g->aux.ld || g->aux.stride))
        return tc__fail(TC_ERR_CONFIG, "aux is given, but the kernel was generated without .aux");
    if (!c->row_sum && g->row_out)
        return tc__fail(TC_ERR_CONFIG, "row_out is given, but the kernel was generated without .row_sum");
    if (!c->col_sum && g->col_out)
        return tc__fail(TC_ERR_CONFIG, "col_out is given, but the kernel was generated without .col_sum");
    if (c->row_sum != TC_MAX_ABS && c->col_sum != TC_MAX_ABS && g->max_out)
        return tc__fail(TC_ERR_CONFIG, "max_out is given, but the kernel's .row_sum is not TC_MAX_ABS");
    if (!tc__gemm_outputs(*c) || tc__gemm_empty(g)) return TC_OK;
    if (c->aux && !g->aux.p) return tc__fail(TC_ERR_NULL, "aux.p is null, but the kernel has .aux");
    if (c->aux && (uintptr_t)g->aux.p % (size_t)size)
        return tc__fail(TC_ERR_ALIGN, "aux.p = %p is not a multiple of its element's %d bytes", g->aux.p, size);
    if (c->aux && g->aux.ld < cols)
        return tc__fail(TC_ERR_PITCH, "aux.ld = %lld is less than %c = %d", (long long)g->aux.ld,
                        tc__gemm_d_col(*c) ? 'm' : 'n', cols);
    if (c->aux && (g->aux.stride < 0 || (g->batch > 1 && g->aux.stride == 0)))
        return tc__fail(TC_ERR_BATCH, "aux.stride = %lld, but batch = %d products need a place each",
                        (long long)g->aux.stride, tc__gemm_batch(g));
    if (c->row_sum && !g->row_out) return tc__fail(TC_ERR_NULL, "row_out is null, but the kernel has .row_sum");
    if (((uintptr_t)g->row_out | (uintptr_t)g->max_out) % 4)
        return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of 4 bytes",
                        (uintptr_t)g->row_out % 4 ? "row_out" : "max_out",
                        (void *)((uintptr_t)g->row_out % 4 ? g->row_out : g->max_out));
    if (c->col_sum && !g->col_out) return tc__fail(TC_ERR_NULL, "col_out is null, but the kernel has .col_sum");
    if ((uintptr_t)g->col_out % 4)
        return tc__fail(TC_ERR_ALIGN, "col_out = %p is not a multiple of 4 bytes", (void *)g->col_out);
    if (tc__gemm_twice(*c) && (!g->workspace || g->workspace_size < tc__gemm_parts_bytes(c, g)))
        return tc__fail(TC_ERR_SIZE, "workspace_size = %llu is less than the %llu bytes that .%s_sum needs",
                        (unsigned long long)(g->workspace ? g->workspace_size : 0),
                        (unsigned long long)tc__gemm_parts_bytes(c, g), c->row_sum ? "row" : "col");
    return TC_OK;
}

/* Factors of a quantised D. */
TC_HOST tc_status tc__gemm_check_quantised(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const tc__quant_sf x = {g->d_sf_out, g->stride_d_sf, tc__gemm_empty(g) ? 0 : g->m, g->n, tc__gemm_batch(g)};
    const tc_status st = tc__quant_check_sf(c->d_sf, &x);
    return st == TC_OK ? tc__gemm_check_scale(c, g, 'd') : st;
}

/* The rules that hold for every kernel. */
TC_HOST tc_status tc__gemm_check(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const char names[3] = {'m', 'n', 'k'};
    tc_status st;
    int i, sizes[3];
    if (!g) return tc__fail(TC_ERR_NULL, "args is null");
    sizes[0] = g->m, sizes[1] = g->n, sizes[2] = g->k;
    for (i = 0; i < 3; i++) {
        if (sizes[i] < 0) return tc__fail(TC_ERR_SIZE, "%c = %d is negative", names[i], sizes[i]);
        if (sizes[i] > 0x7fff0000)
            return tc__fail(TC_ERR_SIZE, "%c = %d is above the limit of %d", names[i], sizes[i], 0x7fff0000);
    }
    if (g->batch < 0) return tc__fail(TC_ERR_BATCH, "batch = %d is negative", g->batch);
    st = tc__gemm_check_groups(c, g);
    if (st == TC_OK) st = tc__gemm_check_index(c, g, 'a');
    if (st == TC_OK) st = tc__gemm_check_index(c, g, 'd');
    if (st != TC_OK) return st;
    if (g->batch > 1 && g->stride_d == 0)
        return tc__fail(TC_ERR_BATCH, "stride_d = 0, but batch = %d products need a place each", g->batch);
    if (g->stride_a < 0 || g->stride_b < 0 || g->stride_c < 0 || g->stride_d < 0)
        return tc__fail(TC_ERR_BATCH, "stride_%c = %lld is negative",
                        g->stride_a < 0 ? 'a' : g->stride_b < 0 ? 'b' : g->stride_c < 0 ? 'c' : 'd',
                        (long long)(g->stride_a < 0 ? g->stride_a
                                    : g->stride_b < 0 ? g->stride_b : g->stride_c < 0 ? g->stride_c : g->stride_d));
    if (c->d == TC_F64 ? g->alpha || g->beta : g->alpha64 || g->beta64)
        return tc__fail(TC_ERR_CONFIG, "%s%s is given, but D is %s: give %s%s",
                        g->alpha || g->alpha64 ? "alpha" : "beta", c->d == TC_F64 ? "" : "64", tc_type_name(c->d),
                        g->alpha || g->alpha64 ? "alpha" : "beta", c->d == TC_F64 ? "64" : "");
    for (i = 0; i < 4; i++) {
        const tc_operand_matrix x = tc__gemm_matrix(c, g, "abdc"[i]);
        const char *turned = "";
        if (i == 3 && tc__gemm_beta(g) == 0) break;
        if (x.pitch >= x.cols || (i < 2 && g->k == 0 && x.pitch >= 0) || (i == 1 && c->weights)) continue;
        if (i == 1 ? tc__gemm_b_row(*c) : i == 0 ? tc__gemm_a_col(*c) : tc__gemm_d_col(*c))
            turned = i == 1 ? ", and B is row-major" : i == 0 ? ", and A is column-major" : ", and D is column-major";
        if (i < 2 && c->sparse == i + 1)
            return tc__fail(TC_ERR_PITCH, "ld%s = %lld is less than k / 2 = %d", x.name, (long long)x.pitch, x.cols);
        if (i == 0 && c->bsr)
            return tc__fail(TC_ERR_PITCH, "lda = %lld is less than .bsr = %d", (long long)x.pitch, x.cols);
        return tc__fail(TC_ERR_PITCH, "ld%s = %lld is less than %c = %d%s", x.name, (long long)x.pitch,
                        i == 0   ? *turned ? 'm' : 'k'
                        : i == 1 ? *turned ? 'n' : 'k'
                                 : *turned ? 'm' : 'n',
                        x.cols, turned);
    }
    if (!c->bsr && (g->bsr.row_ptr || g->bsr.col_idx || g->bsr.blocks))
        return tc__fail(TC_ERR_CONFIG, "bsr is given, but the kernel was generated without .bsr");
    if (!c->sf && (g->sfa || g->sfb))
        return tc__fail(TC_ERR_CONFIG, "sf%c is given, but the kernel was generated without .sf", g->sfa ? 'a' : 'b');
    st = tc__gemm_check_scale(c, g, 'a');
    if (st == TC_OK) st = tc__gemm_check_scale(c, g, 'b');
    if (st == TC_OK) st = tc__gemm_check_quantised(c, g);
    if (st != TC_OK) return st;
    st = tc__check_hook("epi", c->epi_size, g->epi_args, g->epi_size);
    if (st != TC_OK) return st;
    if (c->epi2 && g->n % 2)
        return tc__fail(TC_ERR_SIZE, "n = %d is odd, but the kernel's pair hook (.epi2) needs an even n", g->n);
    if (g->n == 0 && g->m > 0 && g->d)
        return tc__fail(
            TC_ERR_SIZE,
            "n = 0, but m = %d and d is given: a call that shall compute nothing leaves d null or has m = 0", g->m);
    if (g->k == 0 && g->m > 0 && g->n > 0 && (g->a || g->b))
        return tc__fail(TC_ERR_SIZE,
                        "k = 0, but %c is given: a call without products, D = epi(beta * C), leaves a and b null",
                        g->a ? 'a' : 'b');
    if (g->workspace_size && !g->workspace)
        return tc__fail(TC_ERR_NULL, "workspace is null, but workspace_size = %llu",
                        (unsigned long long)g->workspace_size);
    if ((uintptr_t)g->workspace % 16)
        return tc__fail(TC_ERR_ALIGN, "workspace = %p is not a multiple of 16 bytes", g->workspace);
    if (g->pdl_constant & ~(TC_CONSTANT_A | TC_CONSTANT_B))
        return tc__fail(TC_ERR_CONFIG, "pdl_constant = %d must be of TC_CONSTANT_A and TC_CONSTANT_B", g->pdl_constant);
    st = tc__gemm_check_outputs(c, g);
    if (st != TC_OK) return st;
    if (tc__gemm_empty(g)) return TC_OK;
    if (!g->d) return tc__fail(TC_ERR_NULL, "d is null");
    if (g->k > 0 && !g->a && !(c->bsr && g->bsr.blocks == 0)) return tc__fail(TC_ERR_NULL, "a is null");
    if (g->k > 0 && !g->b) return tc__fail(TC_ERR_NULL, "b is null");
    if (tc__gemm_beta(g) != 0 && !g->c) return tc__fail(TC_ERR_NULL, "c is null, but beta = %g", tc__gemm_beta(g));
    if ((uintptr_t)g->d % ((size_t)tc_type_bits(c->d) / 8))
        return tc__fail(TC_ERR_ALIGN, "d = %p is not a multiple of its element's %d bytes", g->d,
                        tc_type_bits(c->d) / 8);
    if (tc__gemm_beta(g) != 0 && (uintptr_t)g->c % ((size_t)tc_type_bits(tc__gemm_c(*c)) / 8))
        return tc__fail(TC_ERR_ALIGN, "c = %p is not a multiple of its element's %d bytes", g->c,
                        tc_type_bits(tc__gemm_c(*c)) / 8);
    for (i = 0; i < 2 && g->k > 0; i++) {
        const tc_operand_matrix x = tc__gemm_matrix(c, g, "ab"[i]);
        if (tc_type_bits(x.type) >= 8 && (uintptr_t)x.base % ((size_t)tc_type_bits(x.type) / 8))
            return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of its element's %d bytes", x.name, x.base,
                            tc_type_bits(x.type) / 8);
    }
    return TC_OK;
}

/* The call to make: with alpha = 0, and of A without blocks, there are no products, and A and B are not read. */
TC_HOST tc_gemm_args tc__gemm_effective(const tc_gemm_args *g)
{
    tc_gemm_args e = *g;
    if (tc__gemm_alpha(g) == 0 || (g->bsr.row_ptr && g->bsr.blocks == 0)) e.k = 0, e.a = e.b = 0;
    return e;
}

/* A call of the product that tc__gemm_plain is the configuration of. */
TC_HOST tc_gemm_args tc__gemm_plain_args(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_gemm_args x = *g;
    if (!tc__gemm_d_col(*c)) return x;
    x.m = g->n, x.n = g->m;
    x.a = g->b, x.b = g->a;
    x.lda = g->ldb, x.ldb = g->lda;
    x.stride_a = g->stride_b, x.stride_b = g->stride_a;
    x.a_scale = g->b_scale, x.b_scale = g->a_scale;
    x.sfa = g->sfb, x.sfb = g->sfa;
    x.stride_sfa = g->stride_sfb, x.stride_sfb = g->stride_sfa;
    x.pdl_constant = (g->pdl_constant & TC_CONSTANT_A ? TC_CONSTANT_B : 0)
                   | (g->pdl_constant & TC_CONSTANT_B ? TC_CONSTANT_A : 0);
    return x;
}

/* Does a matrix follow TMA's rules? One that is not read follows any. */
TC_HOST int tc__gemm_fits(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const tc_operand_matrix x = tc__gemm_matrix(c, g, which);
    if ((which == 'a' || which == 'b') && g->k == 0) return 1;
    if (which == 'c' && tc__gemm_beta(g) == 0) return 1;
    return tc_operand_breaks(&x) == TC_OPERAND_FITS;
}

/* A and B, in words: the kernels store D, and read C, as they find them. */
TC_HOST tc_status tc__gemm_check_tma(const tc_gemm_config *c, const tc_gemm_args *g)
{
    int i;
    for (i = 0; i < 2; i++) {
        const tc_operand_matrix x = tc__gemm_matrix(c, g, "ab"[i]);
        if (!tc__gemm_fits(c, g, "ab"[i])) return tc_operand_check(&x);
    }
    return TC_OK;
}

/* Factors of A ('a') or B of a checked call. */
TC_HOST tc_scale_side tc__gemm_scale(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const tc_gemm_scale s = which == 'a' ? g->a_scale : g->b_scale;
    tc_scale_side x;
    x.at = s.at, x.blocks = s.blocks, x.batch = s.batch, x.lines = (int)s.lines;
    if (c->groups == TC_GROUPS_ROWS && which == 'a') x.batch = 0; /* rows of all groups are one matrix's */
    x.last = (int)tc__gemm_scale_lines(which == 'a' ? c->a_scale : c->b_scale, which == 'a' ? g->m : g->n) - 1;
    x.count = (int)(((int64_t)g->k + TC__SCALE_K - 1) / TC__SCALE_K);
    return x;
}

/* Factors of D, and sums of columns. */
TC_HOST void tc__gemm_more_to(const tc_gemm_config *c, const tc_gemm_args *g, tc_gemm_out *o)
{
    const size_t parts = tc__gemm_parts_bytes(c, g);
    tc__more_outputs w;
    memset((void *)&w, 0, sizeof w);
    w.scale = c->d_sf ? g->d_sf_out : (void *)(uintptr_t)g->d_scale_out.at;
    w.lines = g->d_scale_out.lines, w.blocks = g->d_scale_out.blocks;
    w.batch = c->d_sf ? g->stride_d_sf : g->d_scale_out.batch;
    w.vec = ((uintptr_t)g->d | (uintptr_t)g->ldd | (uintptr_t)g->stride_d) % 8 == 0;
    w.down = (int)(((int64_t)g->m + 15) / 16);
    if (c->col_sum)
        w.parts = (float *)((char *)g->workspace + (g->workspace_size - parts) / 16 * 16
                            + tc__gemm_row_parts_bytes(c, g));
    w.col_out = g->col_out;
    memcpy(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES - TC__MORE_BYTES, (const void *)&w, sizeof w);
}

/* What besides D: to the end of the hook's arguments. c, g: of the view whose D is row-major. */
TC_HOST void tc__gemm_outputs_to(const tc_gemm_config *c, const tc_gemm_args *g, tc_gemm_out *o)
{
    const int64_t size = c->aux ? tc_type_bits(c->aux) / 8 : 1;
    const size_t parts = tc__gemm_parts_bytes(c, g);
    tc__outputs w;
    if (tc__gemm_own_ends(*c)) tc__gemm_more_to(c, g, o);
    if (!tc__gemm_outputs(*c)) return;
    memset((void *)&w, 0, sizeof w);
    w.aux = g->aux.p, w.ld_aux = g->aux.ld, w.stride_aux = g->aux.stride;
    w.aux_vec = (uintptr_t)g->aux.p % 16 == 0 && g->aux.ld * size % 16 == 0 && g->aux.stride * size % 16 == 0;
    w.across = (int)(((int64_t)g->n + 15) / 16), w.batch = tc__gemm_batch(g);
    if (c->row_sum) w.parts = (float *)((char *)g->workspace + (g->workspace_size - parts) / 16 * 16);
    w.row_out = g->row_out, w.max_out = g->max_out;
    memcpy(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES, (const void *)&w, sizeof w);
}

TC_HOST tc_gemm_out tc__gemm_out(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_gemm_out o;
    memset(&o, 0, sizeof o);
    o.m = g->m;
    o.n = g->n;
    o.alpha = g->alpha ? *g->alpha : 1.f;
    o.beta = g->beta ? *g->beta : 0.f;
    o.c = g->c;
    o.ldc = g->ldc;
    o.stride_c = g->stride_c;
    o.d = g->d;
    o.ldd = g->ldd;
    o.stride_d = g->stride_d;
    if (g->epi_size) memcpy(o.epi, g->epi_args, g->epi_size);
    tc__gemm_outputs_to(c, g, &o);
    return o;
}

/* A kernel of a call, its blocks, its parameters and the tc_gemm_out in them. */
typedef struct tc__gemm_launched {
    const tc__kernel *k;
    unsigned blocks;
    void *params;
    tc_gemm_out *out;
} tc__gemm_launched;

/* Launches it, and with .row_sum or .col_sum once more. */
TC_HOST tc_status tc__gemm_kernel_launch(const tc_gemm_config *c, const tc__gemm_launched *x, const tc__launch *how)
{
    unsigned char *word = x->out->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES + offsetof(tc__outputs, finish);
    const int one = 1;
    const tc_status st = tc__kernel_launch(x->k, x->blocks, x->params, how);
    if (st != TC_OK || !tc__gemm_twice(*c)) return st;
    if (how->plan) {
        how->plan->again = (size_t)(word - (unsigned char *)x->params);
        return st;
    }
    memcpy(word, &one, sizeof one);
    return tc__kernel_launch(x->k, x->blocks, x->params, how);
}

#endif /* host */
#endif /* TC_GEMM_CONFIG_H */
