/* tc_gemm_config.h - tc 0.2.0 - what a GEMM is: its configuration, its rules, and the arguments of a call.
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
#include "tc_rows_work.h"
#include "tc_sparse_pack.h"
#include "tc_tiles.h"
#include "tc_weights.h"
#include "tc_work.h"

/* .shapes (tc_gemm_shapes.h); UNALIGNED: rows that TMA refuses. */
enum { TC_SHAPES_LARGE = 1, TC_SHAPES_FEW_ROWS = 2, TC_SHAPES_SMALL = 4, TC_SHAPES_UNALIGNED = 8 };
enum { TC__SHAPES_TILES = 7, TC__SHAPES_ALL = 15, TC__SHAPES_WIDE = TC_SHAPES_LARGE | TC_SHAPES_SMALL };

enum { TC_COOPERATIVE = 1, TC_PINGPONG = 2 }; /* .schedule */
enum { TC_ROW = 1, TC_COL = 2 };              /* .a_layout, .b_layout, .d_layout: neighbours of a row, of a column */

/* .index: rows that the device looks up (args.a_row, d_row), as a mixture of experts wants them: with TC_GROUPS_ROWS a
 * layer needs no copies of its tokens.
 *     TC_INDEX_A   row i of the product is row a_row[i] of A. The kernels of sm_80, of Hopper and of tcgen05. Hopper's,
 *                  where A's rows keep to TMA's alignment, but not in clusters along n (.cluster_n), with .b_scale, of
 *                  TC_F32, and of B in rows of other types than f16 and bf16: TC_GEMM_DEFINE takes those of sm_80 for
 *                  that, and on sm_120.
 *     TC_INDEX_D   row i of the product goes to row d_row[i] of D, where C lies too; no two rows to one place. Such
 *                  rows are stored in pieces of 16 bytes; by the kernels of tcgen05, where D keeps to TMA's alignment
 *                  and there is no C, by TMA's scatter4, whenever 16 neighbours all go somewhere.
 * An index that is none of A's rows (negative, or a_rows and more) is a row of zeros; one that is none of D's is not
 * stored, and the hook not called. Hooks know the product's row, i. Not with batch, TC_GROUPS_MASKED, TC_F64, A or D in
 * columns; TC_INDEX_A not with .a_scale. */
enum { TC_INDEX_A = 1, TC_INDEX_D = 2 };

/* MORE THAN D.
 *     .aux = TC_BF16, .aux_what = TC_AUX_PRE   args.aux: m x n more elements of what the hook is given: a
 *                                              pre-activation that training keeps
 *     .aux = TC_S8, .aux_epi = hook            of what a second hook makes of that (a mask, D in another type). It is
 *                                              given what .epi is given, and not what .epi makes of it
 *     .aux_layout = TC_COL                     in columns, where D is in rows: a transposed copy, as the weights'
 *                                              gradient wants it in 8 bits (TC_ROW: the other way round). Left out: in
 *                                              D's layout
 * Types: TC_F16, TC_BF16, TC_F32; TC_E4M3, TC_E5M2, which stop at their ends (infinity too), and NaN stays NaN: a
 * tensor's scale is the hook's to multiply by; TC_S8, to the nearest; TC_B1 with .aux_epi: a bit, 1 where the hook says
 * other than 0, eight neighbours of a row (of D in columns, of a column) in a byte, the first in its lowest bit, as
 * tc_element_get has it. aux.ld and aux.stride are then multiples of 8, and what the last byte of a row has behind n is
 * 0. In D's layout whole rows are written at once; across it 16 rows of a column (32 bytes of 16 bits), by the sm_80
 * kernels and along D's edges in single elements.
 *
 *     .row_sum = TC_SUM, TC_SUM_SQ, TC_MAX_ABS args.row_out: m floats (batch: m for each matrix) of what the hook made,
 *                TC_MAX                        before it becomes D's type: of each row the sum, the sum of squares, the
 *                                              largest |x|, the largest x. NaN stays NaN
 *     .row_sum = TC_LOG_SUM_EXP                log(sum of exp(x)) of each row, whatever its width: what a softmax of D
 *                                              subtracts (exp(x - that) are the probabilities), and a cross-entropy is
 *                                              that less the target's x. -inf of -inf alone, inf where one is. Beside
 *                                              what x itself is off: about 1e-6 and a unit in its last place
 *     .col_sum                                 the same of each column to args.col_out (tc_gemm_quant.h)
 *     .all_sum                                 the same of all of D to args.all_out: one float a call, of all matrices
 *                                              of a batch. The amax of a tensor is .all_sum = TC_MAX_ABS alone. Of
 *                                              another kind than .row_sum or .col_sum if you like, but beside both of
 *                                              them of one of theirs
 * They need a workspace (NAME_workspace), of a float (TC_LOG_SUM_EXP: two) for each 16 columns of a row, at its end; of
 * that Hopper's kernels use one for each row of a tile, but with .swap, a quantised D and k in parts; with .all_sum of
 * a float for each 32 rows besides, and for one more. NAME_run launches the kernel twice then: the second time it adds
 * up what the first one left there, and starts up while the first one ends. The order is fixed (tc_epi.h): the same
 * call gives the same bits. All want D in rows, another type of it than TC_F64, and of TC_S32 a hook. A plan keeps the
 * pointers, and tc_gemm_sm80_prepare and the like do not serve them.
 * Sums are of what the call writes: elements that .triangle and .keep leave alone, tiles that .tile skips and rows that
 * go nowhere count for nothing. A row (a column, all) of which nothing is written has 0, with TC_MAX and TC_LOG_SUM_EXP
 * -inf; a tile or a group without any k is written. TC_INDEX_D: row_out has d_rows floats, a row's sum lies where its
 * row of D does, and for rows of D to which nothing goes nothing is written.
 * .groups: row_out has m floats, with TC_GROUPS_MASKED, _K and _ARRAY m for each group, and for rows that are no
 * group's nothing is written; col_out has n floats for each group and all_out one, those of groups without rows too.
 * .all_sum is then of .col_sum's kind, or stands without it. TC_GROUPS_ARRAY: m and n are the call's, the most that a
 * product has; for rows and columns that it does not have nothing is written, and for none of a product that is not
 * computed, whose all_out is that of no element. The workspace has places for the most of each product.
 * .aux goes with no .index, .groups, .triangle, .tile, .k_range and .bsr.
 * .sum_atomic = 1 needs no workspace and no second launch: each part is added by an atomic to what args.row_out and
 * args.col_out hold, or the larger stays there, so that the caller has put them to 0 (TC_MAX: -inf) or wants to go on
 * adding. In an order that time decides: sums differ in their last bits from call to call. Not with TC_LOG_SUM_EXP,
 * .all_sum and .gate. */
enum { TC_AUX_PRE = 1 };

/* .a_scale, .b_scale: a factor for each 128 of k of each row (of A; of B's each column), or of 128 of them. */
enum { TC_SCALE_1X128 = 1, TC_SCALE_128X128 = 2, TC__SCALE_K = 128 };

enum { TC_SPARSE_A = 1, TC_SPARSE_B = 2 }; /* .sparse: tc_gemm_sparse.h is its manual */

enum { TC_XOR = 1, TC_AND = 2 }; /* .op, of TC_B1 */

/* Compile time. A generator takes these fields by name, in any order; one that is left out takes the default that
 * stands behind it. */
typedef struct tc_gemm_config {
    int a, b, d;    /* element types (TYPES in tc_gemm.h). C has d's type, or .c_type. */
    int a_layout, b_layout; /* how A and B lie in memory (TC_ROW, TC_COL) */
    int d_layout;           /* how D and C lie (TC_ROW) */
    int acc;                /* type of the sums: TC_F16 of TC_F16 and of fp8; 0: f32, s32, f64, as A and B have it */
    int promote;            /* TC_E4M3, TC_E5M2 by wgmma: sums are kept in f32 after so many k (128); or TC_FAST */
    int a_scale, b_scale;   /* TC_E4M3, TC_E5M2: factors that blocks of A and B come with (0: none) */
    int sf;                 /* SM100, SM120: TC_SF_*, factors of A's and B's rows in the layout of tc_sf.h (0: none) */
    int round;              /* TC_TF32: 1 rounds elements to the nearest tf32; 0: the hardware truncates them */
    int bm, bn, bk; /* tile of D that a block computes, and the step in k (SM90: 128 256 64, SM80: 128 128 64) */
    int stages;               /* depth of the ring in shared memory (SM90: what fits, at most 12; SM80: 3; Hopper has
                               * room for 4 of 128 x 256) */
    int warps_m, warps_n;     /* SM80, SM120: warps along m and n (2 x 2; SM80: 2 x 4 where bn is 256) */
    int cluster_m, cluster_n; /* SM90: blocks of a cluster, which share A and B tiles by multicast (1 x 1) */
    int cluster_k;            /* SM90: blocks of a cluster that split k of one tile and exchange their sums (1) */
    int consumers;            /* SM90: consumer warpgroups (2; of a cooperative tile of 64 rows 1, of 192 rows 3) */
    int schedule; /* SM90, SM120: TC_COOPERATIVE: the consumers split bm; TC_PINGPONG: they alternate tiles */
    int epi_stages;           /* SM90: store buffers of a warp (2; SM120: 1) */
    int step;                 /* SM90: not 0: a call picks bn (bm with swap), a multiple of step up to it */
    int swap;                 /* SM90: 1: D's columns are the instruction's rows: for few rows (tile 64 .. x 128) */
    int split;                /* SM90, SM100, SM120: 1: a call may split k between blocks, with a workspace */
    int any;                  /* SM90: 1: rows of A and B of any alignment (TC_GEMM_SM90_ANY_DEFINE sets it) */
    int clc;                  /* SM100: 1: a grid of all tiles, of which running blocks take over those not begun */
    int index;                /* TC_INDEX_A, TC_INDEX_D or both: rows of A, of C and D are looked up (0) */
    int groups;               /* TC_GROUPS_ROWS, _MASKED, _K, _ARRAY: many products, as the device knows (0: one) */
    int weights;              /* not SM120: B is packed (tc_weights.h): TC_S4, _U4, _S8, _U8, _E4M3, _E2M1 (0) */
    int weights_k;            /* with a factor for so many of k: 32, 64, 128 (0: without) */
    int weights_zero;         /* 1: and zero points */
    int sparse;               /* TC_SPARSE_A, TC_SPARSE_B: that operand is 2:4 sparse (args.meta; 0: none) */
    int conv;                 /* 1: A is what a filter reads of X (TC_CONV_DEFINE and its like set it) */
    int raster, raster_group; /* order of tiles: in groups of raster_group tiles along m or n (picked by shape) */
    int epi_size;             /* sizeof of the hook's arguments, or TC_NO_ARGS; shipped hooks bring theirs */
    int epi_pure;             /* 1: .epi or .epi2 writes nothing; shipped hooks bring this too */
    tc_epi_fn epi;            /* hook on one element, or */
    tc_epi2_fn epi2;          /* hook on two neighbours of a row */
    int shapes;               /* TC_GEMM_DEFINE: TC_SHAPES_ of tc_gemm.h, what it shall be compiled for (0: for all) */
    int aux;                  /* type of a second output (args.aux): MORE THAN D (0: none) */
    int aux_layout;           /* how it lies, TC_ROW or TC_COL (0: as D does) */
    int aux_what;             /* TC_AUX_PRE: it is what the hook is given, alpha * sum + beta * C; or */
    tc_epi_fn aux_epi;        /* what this hook makes of that; it has .epi's arguments */
    int chip;                 /* SM100: 107: for sm_107 alone (0: for all of them, in the form that each target has) */
    int stages_free;          /* SM100: set when completed: .stages was left out */
    int row_sum;              /* TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX, TC_LOG_SUM_EXP of D's rows (args.row_out) */
    int col_sum;              /* the same but TC_LOG_SUM_EXP of each column (args.col_out) */
    int all_sum;              /* and of all of D (args.all_out) */
    int sum_atomic;           /* 1: by atomics, added to what is there, in one launch (0: in a fixed order, in two) */
    int d_scale;              /* TC_SCALE_1X128: D is quantised, with factors that the call computes (0: none) */
    int d_sf;                 /* TC_SF_UE8M0_32, TC_SF_UE4M3_16: so is it, as mxfp8, mxfp4, nvfp4 */
    int c_type;               /* C's type: TC_F16, TC_BF16, TC_F32 (D's; where D is quantised, TC_BF16) */
    int triangle;             /* TC_TRIANGLE_LOWER, _UPPER: of D that alone, with its diagonal (tc_gemm_tiles.h) */
    tc_gemm_tile_fn tile;     /* which tiles of D; */
    tc_gemm_keep_fn keep;     /* of those that are TC_TILE_PARTIAL, which elements */
    tc_gemm_k_fn k_range;     /* which k of a tile */
    int bsr;                  /* A has blocks of so many rows and columns, those of args.bsr alone (0: it has all) */
    int op;                   /* TC_B1: a sum counts the ones of A ^ B (TC_XOR) or of A & B (TC_AND) along k */
    tc_gate_fn gate;          /* hook on an element of A B and of A B2 (args.b2), two products of one A, one D */
    int gate_blind;           /* set when completed: the gate reads neither its place nor arguments */
    int gated;                /* and where the end of a tile knows D's columns alone, half of .bn */
    int rows;                 /* SM90, SM80: TC_SOFTMAX, TC_LOG_SOFTMAX of D's rows (tc_gemm_rows.h; 0: none) */
    int top;                  /* so many of the largest of each row (args.top; 0: none) */
    int renorm;               /* 1: divided by their sum */
} tc_gemm_config;
TC_IN(tc_gemm_config);

/* What a call leaves to the kit, or decides itself: which of TC_GEMM_DEFINE's kernels (from 1), the width of a tile and
 * the blocks of a cluster (.step), in how many parts k is split (.split), how many blocks (clusters) there are, and
 * where the parts of a tile add up their sums: in the workspace, or as the blocks of a cluster through distributed
 * shared memory (.step, 2 to 8 parts). 0: the kit's choice. */
enum { TC_MEET_WORKSPACE = 1, TC_MEET_CLUSTER = 2 };
typedef struct tc_gemm_choice {
    int kernel, width, cluster, parts, blocks, meet;
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
 * TC_GROUPS_K        k of all groups stands after each other: A and B have k of it in all, of which group i has
 *                    offsets[i] .. offsets[i + 1] - 1 (or ends); count matrices C and D of m rows, stride_c and _d
 *                    apart. No stride_a, _b. What experts' weights have as gradients, where X and dY are rows:
 *                        .a_layout = TC_COL, .b_layout = TC_ROW, .groups = TC_GROUPS_K
 *                        .m = n of the layer, .n = k of it, .k = rows, .a = dY, .lda = m, .b = X, .ldb = n
 *                    A group without k has D = epi(beta * C). In these layouts Hopper's kernels bring it by TMA
 *                    (TC_GEMM_SM90_DEFINE), groups beginning at any row; wherever A and B keep to TMA's alignment,
 *                    TC_GEMM_DEFINE takes them there. In the other layouts, where k lies together, the sm_80 kernels
 *                    have it, and a group that does not begin at a multiple of 16 bytes is read element by element,
 *                    slowly.
 * TC_GROUPS_ARRAY    products of their own: sizes, pointers and pitches of each in device memory (groups.each, below);
 *                    what all have in common the call says as ever. Pointers alone: a batch that lies anywhere.
 *                    m, n and k of the call are the most that one has; the kernel's blocks take one tile after another,
 *                    so that large bounds cost nothing. Each matrix may have any alignment, its element's at least:
 *                    where all of a product's have 16 bytes it is faster. Hopper's kernels (TC_GEMM_SM90_DEFINE: f16,
 *                    bf16, and other types but TC_F32 and TC_F64 with A in rows and B in columns; TC_GEMM_DEFINE takes
 *                    them there, unless .shapes is for few rows alone) bring A and B of such a product by TMA where the
 *                    call has a workspace of NAME_workspace bytes, 256 for each block, in which they keep tensor maps;
 *                    else, and without a workspace, threads copy.
 *
 * offsets, ends and counts lie on the device. B: count matrices, stride_b apart (0: all groups have the same). A group
 * may begin at any row. Rows of D that are no group's stay as they are; those of A may be read, and come to nothing.
 * batch stays 0. Bounds that cannot be (descending, past m or k) are kept inside the matrices; with -DTC_DEBUG the
 * kernel prints them. Of TC_GROUPS_ARRAY sizes are kept inside 0 .. the call's, and a product that cannot be is not
 * computed: a pointer null or off its element's alignment, a pitch below what host code would be refused for, with
 * .epi2 an odd n. Hooks: at.group; at.row is D's row (but for TC_GROUPS_ROWS the group's, and at.batch the group). A
 * plan reads all this at each launch. Factors of A (.a_scale) are of A's rows, those of B have .batch from group to
 * group; of factors of a byte (.sf) a group's begin at a block of their own (GROUPS in tc_sf.h).
 *
 * Not with .groups: .a_scale = TC_SCALE_128X128, .raster, .split and .cluster_k. TC_GROUPS_ROWS and
 * _MASKED: not A or D in columns. TC_GROUPS_K and _ARRAY: no .index, .a_scale, .b_scale, .sparse, quantised D and .aux;
 * the sm_80 kernels serve them, by TC_GEMM_SM80_DEFINE and, on every device from 8.0 on, by TC_GEMM_DEFINE; but on
 * Hopper what is said above.
 * Rows that TMA refuses are the sm_80 kernels', which TC_GEMM_DEFINE takes for them on Hopper too.
 *
 * groups.each: of product i the i-th entry of each array; where one is null, what the call says, and of a matrix the
 * one stride_a (_b, _c, _d) further than the product's before. All of them lie on the device. */
typedef struct tc_gemm_each {
    const int32_t *m, *n, *k;                /* null: the call's */
    const void *const *a, *const *b, *const *c; /* matrices; .a null: args.a, stride_a apart */
    void *const *d;
    const int64_t *lda, *ldb, *ldc, *ldd; /* null: the call's */
} tc_gemm_each;

typedef struct tc_gemm_groups {
    int count;              /* groups: 1 to 1024; TC_GROUPS_K, _ARRAY: to 65536 */
    const int32_t *offsets; /* count + 1: group i has rows offsets[i] .. offsets[i + 1] - 1; or */
    const int32_t *ends;    /* count: group i has rows ends[i - 1] .. ends[i] - 1, group 0 those from 0 on */
    const int32_t *counts;  /* count: group i has rows 0 .. counts[i] - 1 of its matrices */
    int expected;           /* rows of a group that the choice of a tile is to expect (0: m / count; else m) */
    tc_gemm_each each;      /* TC_GROUPS_ARRAY */
} tc_gemm_groups;

enum { TC_CONSTANT_A = 1, TC_CONSTANT_B = 2 }; /* .pdl_constant */

/* The second output (.aux). */
typedef struct tc_gemm_aux {
    void *p;
    int64_t ld;     /* elements from a row to the next, >= n; column-major (.aux_layout, else D's): >= m */
    int64_t stride; /* from a matrix of the batch to the next */
} tc_gemm_aux;

/* A's blocks (.bsr), as cuSPARSE's BSR has them: those of row i of blocks are col_idx[row_ptr[i]] ..
 * col_idx[row_ptr[i + 1] - 1]. Both lie on the device. */
typedef struct tc_gemm_bsr {
    const int32_t *row_ptr, *col_idx; /* one more than there are rows of blocks; `blocks` of them, counted from 0 */
    int blocks;                       /* that a holds */
} tc_gemm_bsr;

/* The largest of D's rows (.top), and log(sum of exp) of each (.rows): tc_gemm_rows.h. */
typedef struct tc_gemm_top {
    float *values;
    int32_t *index;
    int64_t ldv, ldi; /* elements from a row to the next (0: .top) */
    float *lse;
} tc_gemm_top;

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
                           /* (TC_GROUPS_ARRAY: for tensor maps, and sums as ever; NULL: there are none) */
    size_t workspace_size; /* what NAME_workspace says, or less: then k is split less */
    const tc_gemm_choice *choice; /* NULL: the kit's */
    int pdl_constant; /* with pdl = 1: TC_CONSTANT_A, _B: what no kernel writes that may still run (weights) */
    int pdl; /* 1: programmatic dependent launch: may start while the kernel before it drains (Hopper); 0: where that
              * pays, -1: never */
    tc_gemm_aux aux; /* where the configuration has it */
    float *row_out;  /* .row_sum: m floats, of each matrix of the batch; TC_INDEX_D: d_rows */
    float *col_out;  /* .col_sum: n floats, of each matrix of the batch, of each group */
    float *all_out;  /* .all_sum: one float, of all matrices; of each group one */
    tc_gemm_scale d_scale_out; /* .d_scale: where factors go; row i's of columns 128 j ..: at[i * lines + j * blocks] */
    void *d_sf_out;            /* .d_sf: tc_sf_bytes(m, n, 32 or 16), stride_d_sf bytes apart in a batch; .groups: */
                               /* tc_gemm_quant.h */
    int64_t stride_d_sf;
    const void *meta;    /* .sparse: metadata in bricks (tc_sparse_pack.h), 16-byte aligned; */
    int64_t stride_meta; /* bytes from one matrix's to the next's (0: the same) */
    tc_gemm_bsr bsr;     /* where the configuration has it: a is then the blocks, one after the other */
    const void *b2;      /* .gate: the second B, with b's pitch and strides (tc_gemm_gate.h) */
    tc_gemm_top top;     /* .top, .rows */
} tc_gemm_args;

/* How the second output lies; and whether its lines go across those of D, or of a view whose D is turned. */
TC_HD TC_CONSTEXPR int tc__gemm_aux_col(tc_gemm_config_in c)
{
    return (c.aux_layout ? c.aux_layout : c.d_layout) == TC_COL;
}
TC_HD TC_CONSTEXPR int tc__gemm_aux_across(tc_gemm_config_in c, int turned)
{
    return c.aux_layout && (c.aux_layout == TC_COL) != turned;
}

/* Has a kernel more to write than D? */
TC_HD TC_CONSTEXPR int tc__gemm_outputs(tc_gemm_config_in c) 
{
    return c.aux || c.row_sum || c.col_sum || c.all_sum;
}
/* Are D's rows whole in a tile, so that they go to D by a way of their own? */
TC_HD TC_CONSTEXPR int tc__gemm_in_tile(tc_gemm_config_in c) { return c.rows || c.top; }
TC_HD TC_CONSTEXPR int tc__gemm_keeps(tc_gemm_config_in c) { return c.row_sum || c.col_sum || c.all_sum; }
TC_HD TC_CONSTEXPR int tc__gemm_twice(tc_gemm_config_in c) { return tc__gemm_keeps(c) && !c.sum_atomic; }
/* What kernels keep of rows, and of columns, with TC__KEEP_: what is kept of all of D is of one or the other. */
TC_HD TC_CONSTEXPR int tc__gemm_row_kind(tc_gemm_config_in c)
{
    const int some = c.groups == TC_GROUPS_ROWS || c.groups == TC_GROUPS_MASKED ? TC__KEEP_SOME : 0;
    const int each = c.groups == TC_GROUPS_ARRAY ? TC__KEEP_EACH : 0;
    const int how = some | each | (c.sum_atomic ? TC__KEEP_ATOMIC : 0) | (c.index & TC_INDEX_D ? TC__KEEP_SENT : 0);
    const int all = c.groups ? 0 : c.all_sum; /* a group's rows begin anywhere */
    if (c.row_sum) return c.row_sum | (all == c.row_sum ? TC__KEEP_ALL : 0) | how;
    return all && all != c.col_sum ? all | TC__KEEP_ALL | TC__KEEP_NO_LINE : 0;
}
TC_HD TC_CONSTEXPR int tc__gemm_col_kind(tc_gemm_config_in c)
{
    const int all = c.all_sum && (c.groups || c.all_sum != c.row_sum);
    const int own = c.groups == TC_GROUPS_ROWS ? TC__KEEP_SOME : c.groups == TC_GROUPS_ARRAY ? TC__KEEP_EACH : 0;
    const int how = own | (c.sum_atomic ? TC__KEEP_ATOMIC : 0);
    if (c.col_sum) return c.col_sum | (all && c.all_sum == c.col_sum ? TC__KEEP_ALL : 0) | how;
    return all && (c.groups || c.row_sum) ? c.all_sum | TC__KEEP_ALL | TC__KEEP_NO_LINE | how : 0;
}
/* Where in tc_gemm_out.epi lies what a kernel is told besides? Behind it outputs and sums take so many bytes. */
TC_HD TC_CONSTEXPR int tc__gemm_told_bytes(tc_gemm_config_in c)
{
    return (tc__gemm_outputs(c) ? TC__OUTPUTS_BYTES : 0) + (tc__gemm_col_kind(c) ? TC__MORE_BYTES : 0);
}
TC_HD TC_CONSTEXPR int tc__tiled_at(tc_gemm_config_in c)
{
    return TC_EPI_MAX - TC__TILED_BYTES - tc__gemm_told_bytes(c);
}
/* Is D quantised? What the kernels of SM90 and SM80 alone do; and C's type. */
TC_HD TC_CONSTEXPR int tc__gemm_quantised(tc_gemm_config_in c)
{
    return c.d_scale || c.d_sf || c.d == TC_E4M3 || c.d == TC_E5M2 || c.d == TC_E2M1;
}
TC_HD TC_CONSTEXPR int tc__gemm_own_ends(tc_gemm_config_in c) 
{
    return tc__gemm_quantised(c) || tc__gemm_col_kind(c);
}
TC_HD TC_CONSTEXPR int tc__gemm_c(tc_gemm_config_in c)
{
    return c.c_type ? c.c_type : tc__gemm_quantised(c) ? TC_BF16 : c.d;
}
TC_HD TC_CONSTEXPR int tc__gemm_c_differs(tc_gemm_config_in c) { return tc__gemm_c(c) != c.d; }

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

/* Groups whose rows stand in one line of tiles (tc_work.h), which every mainloop has; those of the sm_80 kernels: of
 * all k, each with sizes of its own. */
TC_HD TC_CONSTEXPR int tc__gemm_in_rows(tc_gemm_config_in c)
{
    return c.groups == TC_GROUPS_ROWS || c.groups == TC_GROUPS_MASKED;
}
TC_HD TC_CONSTEXPR int tc__gemm_by_80(tc_gemm_config_in c)
{
    return c.groups == TC_GROUPS_K || c.groups == TC_GROUPS_ARRAY;
}
/* Groups along k where k is the outer axis of both operands: TMA brings them from any k on (tc_gemm_sm90_groups.h). */
TC_HD TC_CONSTEXPR int tc__gemm_k_outer(tc_gemm_config_in c)
{
    return c.groups == TC_GROUPS_K && c.a_layout == TC_COL && c.b_layout == TC_ROW;
}
/* Products of their own that Hopper's kernels have: their blocks of k are not turned in the ring. TC_GEMM_DEFINE has no
 * such kernel for few rows alone. */
TC_HD TC_CONSTEXPR int tc__gemm_each_by_wgmma(tc_gemm_config_in c)
{
    const int is_16 = c.a == TC_F16 || c.a == TC_BF16, plain = c.a_layout != TC_COL && c.b_layout != TC_ROW;
    return c.groups == TC_GROUPS_ARRAY && c.a != TC_F32 && (is_16 || plain)
        && (!c.shapes || (c.shapes & TC__SHAPES_WIDE));
}

/* Are there tiles, or k of some, that are not computed? Functions that say so? Elements of a tile that are not stored?
 * Tiles of different k? */
TC_HD TC_CONSTEXPR int tc__tiles_some(tc_gemm_config_in c) { return c.triangle || c.tile || c.k_range || c.bsr; }
TC_HD TC_CONSTEXPR int tc__tiles_asks(tc_gemm_config_in c) { return c.tile || c.keep || c.k_range; }
TC_HD TC_CONSTEXPR int tc__tiles_picks(tc_gemm_config_in c) { return c.triangle || c.keep; }
TC_HD TC_CONSTEXPR int tc__tiles_uneven(tc_gemm_config_in c) { return c.k_range || c.bsr; }

/* The same with all of D, to write down kernels that are never called. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_all_tiles(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    c.triangle = c.bsr = 0, c.tile = 0, c.keep = 0, c.k_range = 0;
    return c;
}

/* How many hooks there are. */
TC_HD TC_CONSTEXPR int tc__gemm_hooked(tc_gemm_config_in c)
{
    return (c.epi ? 1 : 0) + (c.epi2 ? 1 : 0) + (c.gate ? 1 : 0);
}

/* .gate: a tile's .bn columns are those of two products, half of them D's; what is so of a call's n. */
TC_HD TC_CONSTEXPR int tc__gemm_products(tc_gemm_config_in c) { return c.gate ? 2 : 1; }

/* Families of types, and what sums are in. */
TC_HD TC_CONSTEXPR int tc__gemm_is_int(int type) { return type == TC_S8 || type == TC_U8; }
TC_HD TC_CONSTEXPR int tc__gemm_is_4(int type) { return type == TC_S4 || type == TC_U4; }
/* Several in a byte, which to all but the instruction is an element. */
TC_HD TC_CONSTEXPR int tc__gemm_is_packed(int type) { return tc__gemm_is_4(type) || type == TC_B1; }
TC_HD TC_CONSTEXPR int tc__gemm_is_16(int type) { return type == TC_F16 || type == TC_BF16; }
TC_HD TC_CONSTEXPR int tc__gemm_is_fp8(int type) { return type == TC_E4M3 || type == TC_E5M2; }
TC_HD TC_CONSTEXPR int tc__gemm_is_narrow(int type) { return type == TC_E3M2 || type == TC_E2M3 || type == TC_E2M1; }
TC_HD TC_CONSTEXPR int tc__gemm_is_f32(int type) { return type == TC_F32; } /* to f32's precision, by tf32 */
TC_HD TC_CONSTEXPR int tc__gemm_is_f8f6f4(int type) { return tc__gemm_is_fp8(type) || tc__gemm_is_narrow(type); }
/* Sums that a type has where nothing else is said. */
TC_HD TC_CONSTEXPR int tc__gemm_sums_of(int type)
{
    return tc__gemm_is_int(type) || tc__gemm_is_packed(type) ? TC_S32 : type == TC_F64 ? TC_F64 : TC_F32;
}
TC_HD TC_CONSTEXPR int tc__gemm_sums(tc_gemm_config_in c) { return c.acc ? c.acc : tc__gemm_sums_of(c.a); }

/* Do A and B multiply; do sums become D's type? */
TC_HD TC_CONSTEXPR int tc__gemm_a_ok(int a)
{
    return tc__gemm_is_16(a) || tc__gemm_is_fp8(a) || tc__gemm_is_int(a) || a == TC_TF32 || tc__gemm_is_f32(a)
        || a == TC_F64;
}
TC_HD TC_CONSTEXPR int tc__gemm_b_ok(tc_gemm_config_in c)
{
    return c.a == c.b || (tc__gemm_is_int(c.a) && tc__gemm_is_int(c.b)) || (tc__gemm_is_4(c.a) && tc__gemm_is_4(c.b))
        || (tc__gemm_is_f8f6f4(c.a) && tc__gemm_is_f8f6f4(c.b));
}
TC_HD TC_CONSTEXPR int tc__gemm_acc_ok(tc_gemm_config_in c)
{
    return c.acc == 0 || c.acc == tc__gemm_sums_of(c.a)
        || (c.acc == TC_F16 && (c.a == TC_F16 || tc__gemm_is_fp8(c.a)));
}
TC_HD TC_CONSTEXPR int tc__gemm_d_ok(tc_gemm_config_in c)
{
    return c.a == TC_F64 ? c.d == TC_F64
                         : tc__gemm_is_16(c.d) || c.d == TC_F32 || tc__gemm_quantised(c)
                               || (tc__gemm_sums_of(c.a) == TC_S32 && (c.d == TC_S32 || c.d == TC_S8));
}

/* Elements of less than a byte: rows along k, and what takes its k apart is not for them. */
TC_HD TC_CONSTEXPR int tc__gemm_packed_ok(tc_gemm_config_in c)
{
    return !tc__gemm_is_packed(c.a)
        || (c.a_layout != TC_COL && c.b_layout != TC_ROW && !c.sparse && !c.weights && !c.bsr && !c.k_range && !c.conv
            && !tc__gemm_by_80(c));
}

/* Do blocks of A or B come with factors? */
TC_HD TC_CONSTEXPR int tc__gemm_scaled(tc_gemm_config_in c) { return c.a_scale || c.b_scale; }

/* Layouts other than the default. */
TC_HD TC_CONSTEXPR int tc__gemm_a_col(tc_gemm_config_in c) { return c.a_layout == TC_COL; }
TC_HD TC_CONSTEXPR int tc__gemm_b_row(tc_gemm_config_in c) { return c.b_layout == TC_ROW; }
TC_HD TC_CONSTEXPR int tc__gemm_d_col(tc_gemm_config_in c) { return c.d_layout == TC_COL; }

/* Roles of A and B changed over, and with them a tile's rows and columns. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_change(tc_gemm_config_in given)
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
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_plain(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    if (!tc__gemm_d_col(given)) return c;
    c = tc__gemm_change(given);
    c.d_layout = TC_ROW;
    if (given.raster) c.raster = TC_RASTER_M + TC_RASTER_N - given.raster;
    if (given.triangle) c.triangle = TC_TRIANGLE_LOWER + TC_TRIANGLE_UPPER - given.triangle;
    return c;
}

/* May Hopper's producer look up rows of A? Not where its warps have something else to do: factors, TC_F32's parts, a B
 * that is turned in the ring. */
TC_HD TC_CONSTEXPR int tc__gemm_gathers_ok(tc_gemm_config_in c)
{
    return !(c.index & TC_INDEX_A)
        || (!c.a_scale && !c.b_scale && !tc__gemm_is_f32(c.a) && (!tc__gemm_b_row(c) || tc__gemm_is_16(c.a)));
}

/* Do packed weights come with what the kernels of all generations have? The rest is the sm_80 kernels'. */
TC_HD TC_CONSTEXPR int tc__gemm_weights_plain(tc_gemm_config_in c)
{
    return !c.groups && !c.index && !tc__gemm_a_col(c) && !tc__gemm_b_row(c) && !tc__gemm_d_col(c);
}

/* Do Hopper's kernels serve it? TC_GEMM_DEFINE takes its sm_80 kernels for what they do not. */
TC_HD TC_CONSTEXPR int tc__gemm_types_by_wgmma(tc_gemm_config_in c)
{
    return (c.acc != TC_F16 || (c.a == TC_F16 && !c.sparse && !c.weights))
        && (!tc__gemm_by_80(c) || tc__gemm_k_outer(c) || tc__gemm_each_by_wgmma(c))
        && (!c.weights || tc__gemm_weights_plain(c))
        && (tc__gemm_is_16(c.a) || tc__gemm_is_fp8(c.a)
            || ((tc__gemm_is_int(c.a) || c.a == TC_TF32 || tc__gemm_is_f32(c.a)) && !c.round
                && (c.d != TC_S8 || c.d_scale)));
}
TC_HD TC_CONSTEXPR int tc__gemm_by_wgmma(tc_gemm_config_in c)
{
    return tc__gemm_types_by_wgmma(c) && tc__gemm_gathers_ok(c);
}

/* The same where rows may have any alignment. */
TC_HD TC_CONSTEXPR int tc__gemm_any_by_wgmma(tc_gemm_config_in c)
{
    return c.acc != TC_F16 && tc__gemm_is_16(c.a) && !tc__gemm_a_col(c) && !tc__gemm_b_row(c) && !tc__gemm_d_col(c)
        && !c.groups && !(c.index & TC_INDEX_A) && !c.sparse && !c.weights && !tc__gemm_own_ends(c)
        && !tc__tiles_some(c) && !c.gate && !tc__gemm_in_tile(c);
}

#define TC__GEMM_BY_WGMMA                                                                                             \
    "tc: TC_GEMM_SM90_DEFINE multiplies f16, bf16, tf32 (.round 0), f32, e4m3, e5m2, s8 and u8 (not to s8); sums "     \
    "in f16 (.acc) of TC_F16 alone, not with .sparse and .weights: others are for TC_GEMM_SM80_DEFINE, TC_GEMM_DEFINE"

/* .gate: what goes with it. B2's tensor map lies behind the hook's arguments (tc_gemm_gate.h). */
TC_HD TC_CONSTEXPR int tc__gemm_gate_types_ok(tc_gemm_config_in c)
{
    return (tc__gemm_is_16(c.a) || c.a == TC_TF32 || tc__gemm_is_fp8(c.a) || tc__gemm_is_int(c.a)) && c.acc != TC_F16
        && c.d != TC_S32;
}
TC_HD TC_CONSTEXPR int tc__gemm_gate_alone(tc_gemm_config_in c)
{
    return !c.aux && !tc__gemm_quantised(c) && !tc__tiles_some(c) && !tc__gemm_scaled(c)
        && !c.sf && !c.weights && !c.sparse && !c.conv && !tc__gemm_by_80(c);
}
/* Where B2's map lies, behind the hook's arguments and before so many bytes that are told of sums of D. */
TC_HD TC_CONSTEXPR int tc__gate_map_at(int told) { return (TC_EPI_MAX - told) / 64 * 64 - 128; }
#define TC__GEMM_GATE_RULES(X, c)                                                                                     \
    X(!(c).gate || (!(c).epi && !(c).epi2), "tc: give .gate or .epi, .epi2, not both: a gate makes D's element")      \
    X(!(c).gate || tc__gemm_gate_types_ok(c),                                                                         \
      "tc: .gate is for TC_F16, TC_BF16, TC_TF32, TC_E4M3, TC_E5M2, TC_S8 and TC_U8, sums not in f16, .d not TC_S32") \
    X(!(c).gate || (!tc__gemm_b_row(c) && !tc__gemm_d_col(c) && (!tc__gemm_a_col(c) || tc__gemm_is_16((c).a))),       \
      "tc: .gate wants .b_layout TC_COL and .d_layout TC_ROW, and .a_layout TC_ROW unless A has 16 bits")             \
    X(!(c).gate || tc__gemm_gate_alone(c),                                                                            \
      "tc: .gate does not go with .aux, a quantised D, .triangle, .tile, .k_range, .bsr, .a_scale, .b_scale, .sf, "   \
      ".weights, .sparse, TC_GROUPS_K, TC_GROUPS_ARRAY and convolutions")                                             \
    X(!(c).gate || (c).epi_size <= tc__gate_map_at(tc__gemm_told_bytes(c)),                                           \
      "tc: .gate leaves the hook's arguments (.epi_size) 128 bytes less than TC_EPI_MAX, with sums of D 192, of "     \
      "columns 256: nvcc -DTC_EPI_MAX=512 makes room")                                                                \
    X((c).gated == 0 && ((c).gate || !(c).gate_blind), "tc: .gated and .gate_blind are the kit's: leave them out")

/* .rows, .top: what does not go with them. */
TC_HD TC_CONSTEXPR int tc__gemm_rows_alone(tc_gemm_config_in c)
{
    return !tc__gemm_outputs(c) && !tc__gemm_quantised(c) && !tc__tiles_some(c) && !c.keep && !c.gate && !c.groups
        && !c.index && !c.weights && !c.conv && !tc__gemm_d_col(c) && c.acc != TC_F16 && c.a != TC_F64
        && (tc__gemm_is_16(c.d) || c.d == TC_F32);
}
#define TC__GEMM_ROWS_RULES(X, c)                                                                                     \
    X((c).rows >= 0 && (c).rows <= TC_LOG_SOFTMAX, "tc: .rows must be TC_SOFTMAX, TC_LOG_SOFTMAX or 0")               \
    X((c).top >= 0 && (c).top <= TC_ROWS_TOP_MOST, "tc: .top must be in 0..32")                                       \
    X((c).renorm == 0 || ((c).renorm == 1 && (c).top && (c).rows != TC_LOG_SOFTMAX),                                  \
      "tc: .renorm is 0 or 1, and 1 wants .top, and not .rows = TC_LOG_SOFTMAX")                                      \
    X(!tc__gemm_in_tile(c) || tc__gemm_rows_alone(c),                                                                 \
      "tc: .rows and .top want .d TC_F16, TC_BF16 or TC_F32, in rows, sums not in f16, and do not go with .gate, "    \
      ".aux, .row_sum, .col_sum, .all_sum, .triangle, .tile, .k_range, .bsr, .groups, .index, .weights and "          \
      "convolutions: TC_ROWS_DEFINE does the same behind any product")                                                \
    X(!tc__gemm_in_tile(c) || (c).epi_size <= TC_EPI_MAX - TC__OUTPUTS_BYTES,                                         \
      "tc: .rows and .top leave the hook's arguments (.epi_size) 64 bytes less than TC_EPI_MAX")

/* And for kernels that have none. */
#define TC__GEMM_NO_ROWS_RULES(X, c)                                                                                  \
    X(!tc__gemm_in_tile(c),                                                                                           \
      "tc: .rows and .top are for TC_GEMM_DEFINE, TC_GEMM_SM90_DEFINE and TC_GEMM_SM80_DEFINE: elsewhere "            \
      "TC_ROWS_DEFINE (tc_rows.h) does the same behind the product")
#define TC__GEMM_AUTO_ROWS_RULES(X, c)                                                                                \
    X(!tc__gemm_in_tile(c) || (tc__gemm_is_16((c).a) && !(c).sparse),                                                 \
      "tc: .rows and .top of TC_GEMM_DEFINE are for TC_F16 and TC_BF16 without .sparse: other types by "              \
      "TC_GEMM_SM90_DEFINE and TC_GEMM_SM80_DEFINE")

/* The rules that every kernel has for its configuration: X(condition, sentence). */
#define TC__GEMM_RULES(X, c)                                                                                          \
    X(tc__gemm_a_ok((c).a) || tc__gemm_is_narrow((c).a) || tc__gemm_is_packed((c).a),                                 \
      "tc: .a must be TC_F16, TC_BF16, TC_TF32, TC_F32, TC_E4M3, TC_E5M2, TC_S8, TC_U8, TC_S4, TC_U4, TC_B1 or "      \
      "TC_F64")                                                                                                       \
    X(tc__gemm_b_ok(c),                                                                                               \
      "tc: .b must be the type of .a (TC_S8 and TC_U8 mix, TC_E4M3 and TC_E5M2 mix, TC_S4 and TC_U4 mix)")            \
    X((c).a == TC_B1 ? (c).op == TC_XOR || (c).op == TC_AND : (c).op == 0,                                            \
      "tc: .a = TC_B1 wants .op = TC_XOR or TC_AND, which no other type has")                                         \
    X(tc__gemm_packed_ok(c),                                                                                          \
      "tc: TC_S4, TC_U4 and TC_B1 are read along k, .a_layout TC_ROW and .b_layout TC_COL, and do not go with "       \
      ".sparse, .weights, .bsr, .k_range, convolutions, TC_GROUPS_K and TC_GROUPS_ARRAY")                             \
    X(tc__gemm_acc_ok(c), "tc: .acc must be TC_F16, of TC_F16 and fp8 alone, or left out")                            \
    X((c).promote >= TC_FAST && ((c).promote == 0 || tc__gemm_is_fp8((c).a)),                                         \
      "tc: .promote is for TC_E4M3 and TC_E5M2: a number of k, or TC_FAST")                                          \
    X(tc__gemm_d_ok(c),                                                                                               \
      "tc: .d must be TC_F16, TC_BF16 or TC_F32; of integers TC_S32 and TC_S8 too; of TC_F64 it is TC_F64; or "       \
      "quantised: TC_E4M3, TC_E5M2, with .d_scale TC_S8, with .d_sf TC_E2M1")                                         \
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
    X(!(c).epi || !(c).epi2, "tc: give .epi or .epi2, not both")                                                      \
    TC__GEMM_GATE_RULES(X, c)                                                                                         \
    TC__GEMM_ROWS_RULES(X, c)                                                                                         \
    X(!(c).epi_pure || (c).epi || (c).epi2, "tc: .epi_pure is said of .epi or .epi2, and there is neither")           \
    X((c).epi_size >= TC_NO_ARGS && (c).epi_size <= TC_EPI_MAX,                                                       \
      "tc: .epi_size must be in 0..TC_EPI_MAX, or TC_NO_ARGS")                                                        \
    X((!tc__gemm_hooked(c) && !tc__tiles_asks(c) && !(c).aux_epi) == !(c).epi_size,                                   \
      "tc: a hook needs .epi_size = sizeof of its arguments, TC_NO_ARGS where it takes none; without a hook "         \
      "there is no .epi_size")                                                                                        \
    X((c).raster_group >= 0 && (c).raster >= 0 && (c).raster <= TC_RASTER_N,                                          \
      "tc: .raster must be TC_RASTER_M or TC_RASTER_N, .raster_group >= 0")                                           \
    X((c).groups >= 0 && (c).groups <= TC_GROUPS_ARRAY,                                                               \
      "tc: .groups must be TC_GROUPS_ROWS, TC_GROUPS_MASKED, TC_GROUPS_K, TC_GROUPS_ARRAY or 0")                      \
    X(!tc__gemm_in_rows(c) || (!tc__gemm_a_col(c) && !tc__gemm_d_col(c)),                                             \
      "tc: with .groups, .a_layout and .d_layout must be TC_ROW: a group begins at any row of A and D")               \
    X(!tc__gemm_by_80(c) || (!(c).index && !tc__gemm_scaled(c) && !(c).sf && !(c).weights && !tc__gemm_quantised(c)), \
      "tc: .groups = TC_GROUPS_K and TC_GROUPS_ARRAY do not go with .index, .a_scale, .b_scale, .sf, .weights and a "  \
      "quantised D")                                                                                                  \
    X(!(c).groups || (c).a_scale != TC_SCALE_128X128,                                                                 \
      "tc: with .groups, .a_scale must be TC_SCALE_1X128 or 0: a group begins at any row of A")                       \
    X((c).index >= 0 && (c).index <= (TC_INDEX_A | TC_INDEX_D), "tc: .index must be of TC_INDEX_A and TC_INDEX_D")    \
    X(!(c).index || (!tc__gemm_a_col(c) && !tc__gemm_d_col(c) && (c).a != TC_F64 && (c).groups != TC_GROUPS_MASKED),  \
      "tc: .index wants .a_layout and .d_layout TC_ROW, another type than TC_F64, and not TC_GROUPS_MASKED")          \
    X(!((c).index & TC_INDEX_A) || !(c).a_scale, "tc: .index = TC_INDEX_A does not go with .a_scale")                 \
    X(!(c).groups || (c).raster == 0, "tc: with .groups, tiles go group after group: .raster must be left out")       \
    X((c).aux == 0 || tc__gemm_is_16((c).aux) || tc__gemm_is_fp8((c).aux) || (c).aux == TC_F32 || (c).aux == TC_S8    \
          || (c).aux == TC_B1,                                                                                        \
      "tc: .aux must be TC_F16, TC_BF16, TC_F32, TC_E4M3, TC_E5M2, TC_S8 or TC_B1, or left out")                      \
    X((c).aux != TC_B1 || (c).aux_epi, "tc: .aux = TC_B1 wants .aux_epi, whose result it says of whether it is 0")    \
    X((c).aux_layout == 0 || ((c).aux && (c).aux_layout >= TC_ROW && (c).aux_layout <= TC_COL),                       \
      "tc: .aux_layout must be TC_ROW or TC_COL, beside .aux, or left out: as D lies")                                \
    X((c).aux != TC_B1 || !tc__gemm_aux_across(c, tc__gemm_d_col(c)),                                                 \
      "tc: .aux = TC_B1 lies as D does: eight neighbours of a line of D are a byte. A transposed copy has bytes")     \
    X(!(c).aux_layout || !(c).conv, "tc: a convolution's second output lies as Y does: .aux_layout must be left out") \
    X((c).aux_what == 0 || ((c).aux_what == TC_AUX_PRE && (c).aux),                                                   \
      "tc: .aux_what must be TC_AUX_PRE, beside .aux, the second output's type, or left out")                         \
    X(((c).aux_what != 0) + ((c).aux_epi != 0) == ((c).aux != 0),                                                     \
      "tc: .aux needs to know what it is: .aux_what = TC_AUX_PRE, or a hook .aux_epi; without .aux there is neither") \
    X((c).row_sum >= 0 && (c).row_sum <= TC_LOG_SUM_EXP,                                                          \
      "tc: .row_sum must be TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX, TC_LOG_SUM_EXP or 0")                              \
    X(!tc__gemm_outputs(c) || ((c).d != TC_F64 && ((c).d != TC_S32 || tc__gemm_hooked(c))),                           \
      "tc: .aux and .row_sum are of f32: not with .d = TC_F64, and with .d = TC_S32 only where there is a hook")      \
    X(!(c).aux || (!(c).groups && !(c).index), "tc: .aux does not go with .groups and .index")                        \
    X((c).sum_atomic == 0 || ((c).sum_atomic == 1 && ((c).row_sum || (c).col_sum)),                                   \
      "tc: .sum_atomic is 0 or 1, and 1 wants .row_sum or .col_sum")                                                  \
    X(!(c).sum_atomic || ((c).row_sum != TC_LOG_SUM_EXP && !(c).all_sum && !(c).gate),                                \
      "tc: .sum_atomic does not go with TC_LOG_SUM_EXP, .all_sum and .gate")                                          \
    X(!(c).groups || !(c).col_sum || !(c).all_sum || (c).col_sum == (c).all_sum,                                      \
      "tc: with .groups, .all_sum beside .col_sum must be of its kind: a group's is made of its columns")             \
    X((c).all_sum >= 0 && (c).all_sum <= TC_MAX, "tc: .all_sum must be TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX or 0")   \
    X(!(c).all_sum || !(c).row_sum || !(c).col_sum || (c).all_sum == (c).row_sum || (c).all_sum == (c).col_sum,       \
      "tc: beside both .row_sum and .col_sum, .all_sum must be what one of them is: D is added up twice, not thrice") \
    X(!tc__gemm_row_kind(c) || !tc__gemm_d_col(c), "tc: .row_sum and .all_sum want .d_layout = TC_ROW")               \
    X(!tc__gemm_outputs(c) || ((c).epi_size <= TC_EPI_MAX - TC__OUTPUTS_BYTES && TC_EPI_MAX % 8 == 0),                \
      "tc: .aux and .row_sum leave the hook's arguments (.epi_size) 64 bytes less than TC_EPI_MAX")

/* Kernels other than those of sm_80 and of Hopper. */
#define TC__GEMM_GROUPS_RULES(X, c)                                                                                   \
    X(!tc__gemm_by_80(c),                                                                                             \
      "tc: .groups = TC_GROUPS_K and TC_GROUPS_ARRAY are for TC_GEMM_SM90_DEFINE, TC_GEMM_SM80_DEFINE and "           \
      "TC_GEMM_DEFINE")

/* Kernels that read B as it is multiplied. */
#define TC__GEMM_PLAIN_B_RULES(X, c)                                                                                  \
    X(!(c).weights && !(c).weights_k && !(c).weights_zero,                                                            \
      "tc: .weights, .weights_k and .weights_zero are for TC_GEMM_DEFINE and TC_GEMM_SM80_DEFINE here, and for "      \
      "TC_GEMM_SM90_DEFINE and TC_GEMM_SM100_DEFINE: B packed as tc_weights.h has it")

/* And those of mma.sync and wgmma, which know no such factors. */
#define TC__GEMM_TURNED_RULES(X, c)                                                                                   \
    X((c).sf == 0,                                                                                                    \
      "tc: .sf is for TC_GEMM_SM100_DEFINE and TC_GEMM_SM120_DEFINE: nothing older multiplies by factors of a byte")  \
    X(!tc__gemm_is_narrow((c).a) && !tc__gemm_is_narrow((c).b),                                                       \
      "tc: TC_E3M2, TC_E2M3 and TC_E2M1 are for TC_GEMM_SM100_DEFINE and TC_GEMM_SM120_DEFINE")                       \
    X((c).d != TC_E2M1, "tc: .d = TC_E2M1 is for TC_GEMM_SM100_DEFINE")                                               \
    X(!(c).d_sf || !(c).groups, "tc: .d_sf with .groups is for TC_GEMM_SM100_DEFINE")                                 \
    X(!tc__gemm_quantised(c) || !((c).index & TC_INDEX_A),                                                            \
      "tc: a quantised D with .index = TC_INDEX_A is for TC_GEMM_SM100_DEFINE")                                       \
    X((c).chip == 0, "tc: .chip is for TC_GEMM_SM100_DEFINE")                                                         \
    X(!tc__gemm_is_f32((c).a) || (!tc__gemm_a_col(c) && !tc__gemm_b_row(c)),                                          \
      "tc: .a = TC_F32 wants A in rows and B in columns, .a_layout TC_ROW and .b_layout TC_COL")                      \
    TC__GEMM_RULES(X, c)

/* How the end of a tile brings boxes to D: by TMA; by words, where TMA refuses D; not at all but piece by piece, where
 * C is to be added and TMA refuses C, and where sums of integers are to be scaled. */
enum { TC__GEMM_D_TMA, TC__GEMM_D_ROWS, TC__GEMM_D_PIECES };

#ifdef __CUDACC__
/* Shipped hooks bring the size of their arguments. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_shipped(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    const int blind = c.gate == tc_gate_silu || c.gate == tc_gate_gelu || c.gate == tc_gate_gelu_tanh;
    const int none = c.epi == tc_epi_relu || c.epi == tc_epi_gelu || c.epi == tc_epi_gelu_tanh || c.epi == tc_epi_silu;
    const int vector = c.epi == tc_epi_bias_col || c.epi == tc_epi_bias_row || c.epi == tc_epi_scale_col
                    || c.epi == tc_epi_scale_row || c.epi2 == tc_epi2_bias_col || c.epi2 == tc_epi2_bias_relu
                    || c.epi2 == tc_epi2_bias_gelu || c.epi2 == tc_epi2_bias_gelu_tanh;
    const int matrix = c.epi == tc_epi_residual_f32 || c.epi == tc_epi_residual_f16 || c.epi == tc_epi_residual_bf16
                    || c.epi2 == tc_epi2_residual_f16 || c.epi2 == tc_epi2_residual_bf16;
    c.gate_blind = blind;
    if ((c.epi || c.epi2) && (none || vector || matrix)) c.epi_pure = 1;
    if (c.epi_size == 0 && (none || blind)) c.epi_size = TC_NO_ARGS;
    if (c.epi_size == 0 && vector) c.epi_size = (int)sizeof(tc_epi_vector);
    if (c.epi_size == 0 && matrix) c.epi_size = (int)sizeof(tc_epi_matrix);
    return c;
}
/* What stands for a hook that is not there: it is never called. */
TC_DEV int tc__gemm_every_tile(tc_gemm_tile tile, const void *args) { return (void)tile, (void)args, TC_TILE_WHOLE; }
TC_DEV int tc__gemm_keep_all(tc_gemm_at at, const void *args) { return (void)at, (void)args, 1; }
TC_DEV tc_gemm_k tc__gemm_all_k(tc_gemm_tile tile, const void *args)
{
    const tc_gemm_k none = {0, 0};
    return (void)tile, (void)args, none;
}

/* A configuration that has all hooks. */
TC_DEV TC_CONSTEXPR tc_gemm_config tc__gemm_hooks(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    c.epi = c.epi ? c.epi : tc_epi_relu;
    c.epi2 = c.epi2 ? c.epi2 : tc_epi2_bias_col;
    c.gate = c.gate ? c.gate : tc_gate_silu;
    c.aux_epi = c.aux_epi ? c.aux_epi : tc_epi_relu;
    c.tile = c.tile ? c.tile : tc__gemm_every_tile;
    c.keep = c.keep ? c.keep : tc__gemm_keep_all;
    c.k_range = c.k_range ? c.k_range : tc__gemm_all_k;
    return c;
}

/* A configuration whose hooks, where it has any, are called by way of these. */
typedef struct tc__gemm_ways {
    tc_epi_fn epi;
    tc_epi2_fn epi2;
    tc_gate_fn gate;
    tc_epi_fn aux_epi;
    tc_gemm_tile_fn tile;
    tc_gemm_keep_fn keep;
    tc_gemm_k_fn k_range;
} tc__gemm_ways;

TC_DEV TC_CONSTEXPR tc_gemm_config tc__gemm_by_way(tc_gemm_config_in given, const tc__gemm_ways by)
{
    tc_gemm_config c = given;
    c.epi = c.epi ? by.epi : 0;
    c.epi2 = c.epi2 ? by.epi2 : 0;
    c.gate = c.gate ? by.gate : 0;
    c.aux_epi = c.aux_epi ? by.aux_epi : 0;
    c.tile = c.tile ? by.tile : 0;
    c.keep = c.keep ? by.keep : 0;
    c.k_range = c.k_range ? by.k_range : 0;
    return c;
}
#endif

/* Do integer sums come to the epilogue as they are? Where alpha or beta want it, it makes floats of them. */
TC_HD TC_CONSTEXPR int tc__gemm_raw(tc_gemm_config_in c) { return c.d == TC_S32 && !tc__gemm_hooked(c); }

TC_HD TC_CONSTEXPR tc_epi tc__gemm_epi(tc_gemm_config_in c)
{
    tc_epi e = {c.d,     tc__gemm_d_col(c), tc__gemm_raw(c),      c.epi, c.epi2, c.index & TC_INDEX_D,
                c.aux,   c.aux_epi,         tc__gemm_row_kind(c), tc__gemm_c(c), tc__gemm_own_ends(c),
                tc__gemm_quantised(c),         c.keep, c.triangle, tc__gemm_aux_across(c, tc__gemm_d_col(c)),
                tc__gemm_col_kind(c)};
    return e;
}

#endif /* TC_GEMM_CONFIG_H */
