/* tc_gemm_choice.h - tc 0.2.0 - which kernel, which width, how many parts of k: one model of the time that a GEMM
 * takes. Needs: the headers below; host only.
 *
 *     tc__gemm90_time    nanoseconds of a call in a kernel, cut in a given way
 *     tc__gemm90_cut     the fastest cut of a call in a kernel, or the one that the call asks for
 *
 * THE MODEL. A block's time in a step of 64 elements of k is the longest of these: the Tensor Cores' (a wgmma of n
 * columns takes n / 2 cycles, or what it takes to read its operands from shared memory, 128 bytes a cycle), that of its
 * rows' way from the L2, of which each multiprocessor and all of them have a rate, and the way of a slot's bytes over
 * the slots that are asked for ahead, which are few where parts that are a cluster keep their sums in the ring. A tile
 * takes its steps, and before and behind them what is not hidden: the ring's first fill, the epilogue (which ping-pong
 * hides but for the last). The grid takes as long as its busiest block, each wave not less than its bytes take from
 * memory, and all not less than the board's power takes for its products and bytes. A split tile adds the way of its
 * sums through the L2. Rows that TMA refuses have a model of their own, and so have packed weights.
 */
#ifndef TC_GEMM_CHOICE_H
#define TC_GEMM_CHOICE_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"
#include "tc_gemm_cut.h"
#include "tc_gemm_sm90_any.h"
#include "tc_gemm_sm90_once.h"
#include "tc_gemm_sm90_rules.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What the model knows of a device: blocks at a time, bytes of L2, bytes a nanosecond from memory, and how many times
 * longer than its bandwidth an H200's is, less 1. */
typedef struct tc__gemm_device {
    int blocks;
    int64_t l2;
    double dram, lacks;
} tc__gemm_device;

/* Hopper boards have the same L2. bandwidth: of their memory in GB/s, 0 or more than an H200's: as an H200's. */
TC_HOST tc__gemm_device tc__gemm_device_of(int blocks, int bandwidth)
{
    tc__gemm_device d = {0, 50 << 20, 3890, 0};
    d.blocks = blocks;
    if (bandwidth > 0 && bandwidth < TC__H200_BANDWIDTH) d.lacks = (double)TC__H200_BANDWIDTH / bandwidth - 1;
    d.dram /= 1 + d.lacks;
    return d;
}

/* Fitted as tools/choice_fit.py does, to times on an H200: of 98 shapes whose tiles are few in all cuts that a model
 * before had within 1.7 times of its best, the fastest 16 of them in graphs, and those of 157 shapes before
 * (bench/results/choice_finals.csv); with more weight, beside cuBLASLt, of 129 shapes of the suite and random ones the
 * fastest 12 and 20 (choice_hot.csv, choice_wave.csv), of which 45 large ones in bursts of 50 ms (choice_long.csv): in
 * 12 ms a board's power is not felt, and ping-pong of 128 columns, which reads most from shared memory, is 5 % faster
 * beside 256 columns than in 200 ms; and with most weight of 56 random ones of one wave and two the fastest 16, which
 * alone are younger than the end of a block's only tile (choice_once.csv; --older of the others). Of those 56 the pick
 * takes 1.7 % longer than the best measured (5.4 by the constants before), of all that were fitted 1.2, of a fifth that
 * was kept out 1.5, some of it noise, for the best of so many is a lucky one; of 86 shapes of the suite that no fit has
 * seen 1.6 (choice_suite.csv: what they say of a constant is within their noise, but for the pace of few columns).
 * Times in nanoseconds, rates in bytes a nanosecond. */
#define TC__GEMM_CLUSTER 383.1      /* a cluster's start; */
#define TC__GEMM_CLUSTER_OF_PARTS 228.9 /* of parts of k, whose blocks mostly wait for bytes anyway */
#define TC__GEMM_CLOCK 1.051        /* cycles of a nanosecond */
#define TC__GEMM_READS 24.12        /* cycles of a wgmma's reads from shared memory: these, and */
#define TC__GEMM_READS_OF 0.1631    /* these for each column */
#define TC__GEMM_OF_ONE 121.2       /* rate of the L2 for a block, */
#define TC__GEMM_OF_ALL 3.739e+04   /* for all */
#define TC__GEMM_LATE 1585          /* from asking for a slot's bytes to having them */
#define TC__GEMM_STRADDLE 1.479     /* more of it for rows that straddle its sectors of 32 bytes */
#define TC__GEMM_LINE 0.4399        /* and for those that straddle its lines of 128 alone */
#define TC__GEMM_SECTOR 0.3716      /* of either, what the L2 reads more */
#define TC__GEMM_SHARED 2.21        /* less of it for what two blocks of a cluster share */
#define TC__GEMM_AGAIN 0.1144       /* more of the memory's for what several tiles read */
#define TC__GEMM_OTHERS 0.2         /* of it, what rows of other groups take that a tile reads. Of six shapes */
#define TC__GEMM_PRODUCT 6.964e-07  /* power: of a product, */
#define TC__GEMM_BYTE 1.916e-05     /* of a byte from the L2, */
#define TC__GEMM_FAR_BYTE 0.000149  /* of a byte from memory */
#define TC__GEMM_READ_BYTE 7.293e-06 /* of a byte that wgmma reads from shared memory */
#define TC__GEMM_TIE 0.5469         /* what the lesser of the two, time and power, counts */
#define TC__GEMM_NEAR 0.6           /* of the L2 holds A and B, so that each of their bytes comes but once */
#define TC__GEMM_STORE_ASIDE 2.028  /* a tile's way to D with .swap, for each column */
#define TC__GEMM_TAIL 901.5         /* of 16 columns behind boxes of 32 */
#define TC__GEMM_ONCE 660.9         /* of a block's only tile (tc_gemm_sm90_once.h), */
#define TC__GEMM_ONCE_COLUMN 5.758  /* for each column of 64 rows */
#define TC__GEMM_PIECE 250.0        /* 16 x 16 elements of D that go in pieces (not fitted) */
#define TC__GEMM_STORE_CUT 350.8    /* where D's edge runs through it, and TMA does not clip */
#define TC__GEMM_REFILL 4177        /* between two tiles of a cooperative block */
#define TC__GEMM_MEET 3012          /* the parts of a split tile, */
#define TC__GEMM_ROUND 272.6        /* eight of them, */
#define TC__GEMM_SUMS 61.58         /* rate of their sums */
#define TC__GEMM_JOIN 229.8         /* the same of parts that are a cluster's blocks */
#define TC__GEMM_JOIN_SUMS 24.75
#define TC__GEMM_JOIN_MEMORY 1.072  /* so much longer takes what comes from memory then; */
#define TC__GEMM_PARTS_ALL 8367     /* and of either the L2's rate for all, few of which ask for the same */

#define TC__GEMM_LESS_BYTE 1.04     /* what a byte from the L2 takes more, and */
#define TC__GEMM_LESS_RATE 0.36     /* the L2's rate less, for what a board's memory lacks: of 23 shapes on an H100 */

/* What is a kernel's own: launch, barriers, first bytes of a ring; a tile's way to D; how much longer than the model's
 * its wgmmas take; what it has of the memory's rate; and how long a step takes, whatever there is in it. */
typedef struct tc__gemm_own {
    double start, store, pace, memory, step;
} tc__gemm_own;

TC_HOST tc__gemm_own tc__gemm90_own(const tc_gemm_config *v)
{
    static const tc__gemm_own wide = {2320, 869, 0.9107, 0.937, 114.7}, pair = {1486, 2007, 0.9087, 0.937, 137.3},
                              one_width = {2984, 1120, 0.9134, 1.4, 163.8},
                              few = {1991, 617, 1.25, 0.9916, 122.6}, flat = {2958, 0, 0.935, 0.937, 198.7},
                              small = {1903, 1080, 0.8745, 0.937, 140.1}, tall = {1421, 10083, 0.8663, 0.937, 183.9},
                              three = {2099, 1262, 0.9157, 1.143, 420.5}, crowd = {2136, 2302, 0.7935, 1.098, 146.6},
                              /* with .promote; tall is turned then */
                              few8 = {474, 324, 1.995, 1.11, 259.6}, flat8 = {3032, 0, 1.353, 0.937, 98.83},
                              small8 = {1677, 153, 2.126, 1.039, 144.6}, tall8 = {4639, 1459, 1.063, 0.937, 194.2};
    const int twice = tc__gemm90_promotes(*v) && !tc__gemm_is_f32(v->a) && !tc__gemm90_lifts(*v);
    if (v->schedule == TC_PINGPONG) return v->step ? pair : one_width;
    if (twice && v->swap) return v->bm == 256 ? tall8 : v->consumers == 1 ? few8 : flat8;
    if (twice && v->consumers == 1) return small8;
    if (!v->swap && !v->step && v->bm == 256 && v->bn > 128) return tall;
    if (v->bm == 192 && !v->swap) return three;
    if (v->step && v->cluster_n > 1) return crowd;
    if (v->consumers == 1) return v->swap ? few : small;
    return v->swap ? flat : wide;
}

/* .promote: how much longer a step takes while a warpgroup adds its sums. Of 84 shapes (layers of DeepSeek-V3 and
 * Llama-3 8B at 1 to 2048 tokens, and odd ones), each with factors and without, in the fastest 10 to 12 cuts, on an
 * H200: there the pick takes 1.6 % longer than the best measured. */
#define TC__GEMM_PROMOTE 0.9815
#define TC__GEMM_PROMOTE_64 1.182   /* a warpgroup of 64 rows has nothing in flight while it adds, */
#define TC__GEMM_PROMOTE_AHEAD 0.6787 /* unless it has room for the next block's sums; */
#define TC__GEMM_PROMOTE_AHEAD_ALONE 0.4707 /* the same of one that is the block's only one; */
#define TC__GEMM_PROMOTE_CLUSTER 157.6 /* a cluster's start. */
/* The Tensor Cores wait for one that is alone, and with factors of columns (.b_scale of 1 x 128) for both: 20 shapes */
#define TC__GEMM_PROMOTE_ALONE 1.352
#define TC__GEMM_PROMOTE_COLUMNS 1.274
#define TC__GEMM_F32 3.0            /* TC_F32: three products, and the cuts and additions that they do not hide; */
#define TC__GEMM_F32_ALONE 1.15
#define TC__GEMM_F32_LESS 2.5       /* where a warpgroup has 128 rows they hide more. Of five shapes on an H200 */

TC_HOST double tc__gemm90_promoting_pace(const tc_gemm_config *v, int width)
{
    if (!tc__gemm90_promotes(*v)) return 1;
    if (tc__gemm_is_f32(v->a) && tc__gemm90_rows(*v) > 64) return TC__GEMM_F32_LESS;
    if (tc__gemm_is_f32(v->a)) return TC__GEMM_F32 * (v->consumers == 1 ? TC__GEMM_F32_ALONE : 1);
    if (v->b_scale == TC_SCALE_1X128) return TC__GEMM_PROMOTE_COLUMNS;
    if (tc__gemm90_ahead(*v, width))
        return v->consumers == 1 ? TC__GEMM_PROMOTE_AHEAD_ALONE : TC__GEMM_PROMOTE_AHEAD;
    if (v->consumers == 1) return TC__GEMM_PROMOTE_ALONE;
    return tc__gemm90_rows(*v) == 64 ? TC__GEMM_PROMOTE_64 : TC__GEMM_PROMOTE;
}

/* What the search is given. */
typedef struct tc__gemm_best {
    const tc__gemm_device *device;
    size_t workspace;
    int meet; /* of args.choice */
} tc__gemm_best;

/* v: a view (tc_gemm_sm90_plan.h); rows and columns are the instruction's. */
typedef struct tc__gemm_problem {
    int64_t rows, cols, batch, k_blocks;
    int straddle; /* rows of A or B do not begin with a line of the L2: 1; nor with a sector: 2 */
    int clips;    /* TMA leaves out what a tile has outside of D */
    int classes;  /* .any: log2 of the classes of A's rows; -1: it can only be copied */
    int between;  /* .any: B's elements lie between two words, seen from A's */
    int grouped;  /* .groups in rows: batch of them, of so many rows of D each on average */
    int d_by;     /* how boxes go to D: TC__GEMM_D_* */
    double fresh; /* .conv: of A's bytes, what no other row and no other tap has read; else 1 */
    int triangle; /* of its tiles those that one touches, TC_TRIANGLE_* of the instruction's rows and columns */
} tc__gemm_problem;

TC_HOST int64_t tc__div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Of groups, whose last tiles are half full on average. */
TC_HOST int64_t tc__gemm90_group_clusters(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut)
{
    const int64_t by = tc__gemm_tile_rows(v, cut), rows = v->swap ? x->cols : x->rows;
    const int64_t along = tc__div_up(x->batch * (2 * rows + by), 2 * by);
    return (along > x->batch ? along : x->batch)
         * (v->swap ? tc__div_up(x->rows, (int64_t)v->bm * cut->cluster)
                    : tc__div_up(x->cols, (int64_t)cut->width * v->cluster_n));
}

/* Clusters of tiles of a problem, and tiles: whole clusters of them. */
TC_HOST int64_t tc__gemm90_clusters(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut)
{
    if (x->grouped) return tc__gemm90_group_clusters(v, x, cut);
    if (x->triangle) {
        const tc_tiles_of of = {(int)x->rows, (int)x->cols, 1, v->bm * cut->cluster, cut->width * v->cluster_n,
                                1, 0, 1};
        return tc_triangle_make(&of, x->triangle == TC_TRIANGLE_UPPER).total * x->batch;
    }
    return tc__div_up(tc__div_up(x->rows, v->bm), cut->cluster)
         * tc__div_up(tc__div_up(tc__div_up(x->cols, (int64_t)1 << cut->classes), cut->width), v->cluster_n)
         * ((int64_t)1 << cut->classes) * x->batch;
}

TC_HOST int64_t tc__gemm90_tiles(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut)
{
    return tc__gemm90_clusters(v, x, cut) * cut->cluster * v->cluster_n;
}

/* Bytes from memory: A and B once, or, where the L2 does not hold them, for each wave of tiles those of its patch,
 * which is about square. */
TC_HOST double tc__gemm90_far(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut,
                              const tc__gemm_device *d)
{
    const double once = 128. * (double)x->k_blocks * ((double)x->rows * x->fresh + (double)x->cols) * (double)x->batch;
    const double area = (double)d->blocks * v->bm * cut->width;
    double side = 1024, patches = (double)x->rows * (double)x->cols * (double)x->batch / area, all;
    int i;
    if (once < TC__GEMM_NEAR * (double)d->l2) return once;
    for (i = 0; i < 8; i++) side = (side + area / side) / 2; /* its root */
    all = patches * (1 + x->fresh) * side * 128. * (double)x->k_blocks;
    return all > once ? all : once;
}

/* .any has a model of its own: what rows of any alignment take of the L2, 5 sectors where 4 are 128 bytes, is most of a
 * step, and the store much of the rest. Fitted to 31 shapes in up to 60 cuts each, on an H200. */
#define TC__ANY_CLOCK 1.21
#define TC__ANY_FILL 706.0
#define TC__ANY_PACE 1.03   /* how much longer than the model's its wgmmas take, */
#define TC__ANY_READS 27.52 /* with these for their reads, */
#define TC__ANY_READS_OF 0.1875
#define TC__ANY_BETWEEN 0.83 /* more for each column where elements lie between two words, */
#define TC__ANY_ALIGN 6.26  /* and where A is copied */
#define TC__ANY_RATE 48.6   /* rate of the L2 for a block */
#define TC__ANY_STORE 6320.0
#define TC__ANY_START 450.0
#define TC__ANY_CLUSTER 1900.0 /* of 777^3 and 1001^3, 2090 and 810 more than without */
#define TC__ANY_MEET 380.0
#define TC__ANY_SUMS 6.6
#define TC__ANY_MEMORY 1.55

/* Cycles that a block's wgmmas take in a step of k, each of which reads for so many. */
TC_HOST double tc__gemm90_cycles(const tc_gemm_config *v, double width, double reads)
{
    return v->bm / 16.0 * (width / 2 > reads ? width / 2 : reads);
}

TC_HOST double tc__any_time(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut,
                            const tc__gemm_device *d)
{
    const double w = cut->width, k = (double)x->k_blocks;
    const double mma = tc__gemm90_cycles(v, w, TC__ANY_READS + TC__ANY_READS_OF * w) * TC__ANY_PACE / TC__ANY_CLOCK
                     + (x->between ? TC__ANY_BETWEEN * w : 0) + (cut->copies ? TC__ANY_ALIGN * w : 0);
    const double fetch = (160 * v->bm + (cut->copies ? 160 * w : 144 * w / cut->cluster)) / TC__ANY_RATE;
    const double waves = (double)tc__div_up(tc__gemm90_tiles(v, x, cut) * cut->parts, d->blocks);
    const double memory = TC__ANY_MEMORY * 128 * k * (double)(x->rows + x->cols) * (double)x->batch / d->dram;
    double t = waves * (double)tc__div_up(x->k_blocks, cut->parts) * (mma > fetch ? mma : fetch);
    t += (waves - 1) * TC__ANY_STORE;
    t = (t > memory + TC__ANY_FILL ? t : memory + TC__ANY_FILL) + TC__ANY_STORE + TC__ANY_START;
    if (cut->parts > 1) t += TC__ANY_MEET + waves * v->bm * w * 4 / TC__ANY_SUMS;
    return cut->cluster > 1 ? t + TC__ANY_CLUSTER : t;
}

/* .weights: threads make numbers of codes, which takes longer than the Tensor Cores where D has few rows: so long for a
 * step of 128 of k, and for each 64 columns of B in it; longer for 8 bits, and for fields of floats, which are moved. A
 * block that has several parts of tiles is late at each meeting. Fitted to 60 cuts of 5 shapes on an H200. */
#define TC__WEIGHTS_CLOCK 1.21
#define TC__WEIGHTS_STORE_OF 0.0329
#define TC__WEIGHTS_MEET 2200.0
#define TC__WEIGHTS_ROUND 534.0
#define TC__WEIGHTS_CLUSTER 1200.0 /* the same in a cluster, with its start */
#define TC__WEIGHTS_STEP 130.0
#define TC__WEIGHTS_BRICK 89.0
#define TC__WEIGHTS_8 1.29
#define TC__WEIGHTS_FLOAT 1.4
#define TC__WEIGHTS_MORE 1.25 /* f16, and zero points */
#define TC__WEIGHTS_LATE 5500.0
#define TC__WEIGHTS_NEXT 800.0
#define TC__WEIGHTS_START 3500.0 /* a launch, the ring's first fill, the last tile's way to D */

TC_HOST double tc__weights_time(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut,
                                const tc__gemm_device *d)
{
    const double pace = v->weights == TC_E2M1 || v->weights == TC_E4M3 ? TC__WEIGHTS_FLOAT
                      : tc_type_bits(v->weights) == 8                  ? TC__WEIGHTS_8 : 1;
    const double more = v->a == TC_F16 || v->weights_zero ? TC__WEIGHTS_MORE : 1;
    const int bricks = v->bm / TC_WEIGHTS_ROWS, whole = TC_WEIGHTS_K;
    const double made = (TC__WEIGHTS_STEP + TC__WEIGHTS_BRICK * bricks) * pace * more * v->bk / whole;
    const double mma = v->bm / 16.0 * cut->width / 2 * v->bk / 64 / TC__WEIGHTS_CLOCK;
    const int64_t steps = tc__div_up(x->k_blocks * 64, v->bk);
    const double k = 64. * (double)x->k_blocks;
    const double bytes = k * ((double)x->rows * tc_type_bits(v->weights) / 8 + 2 * (double)x->cols) * (double)x->batch;
    const double waves = (double)tc__div_up(tc__gemm90_tiles(v, x, cut) * cut->parts, d->blocks);
    double t = waves * (double)tc__div_up(steps, cut->parts) * (made > mma ? made : mma);
    t += (waves - 1)
       * (cut->parts > 1 ? TC__WEIGHTS_LATE : TC__WEIGHTS_NEXT + TC__WEIGHTS_STORE_OF * v->bm * cut->width);
    t = (t > bytes / d->dram ? t : bytes / d->dram) + TC__WEIGHTS_START;
    if (cut->joined) t += TC__WEIGHTS_CLUSTER;
    else if (cut->parts > 1) t += TC__WEIGHTS_MEET + TC__WEIGHTS_ROUND * (double)tc__div_up(cut->parts, 8);
    return t;
}

/* Parts that are a cluster: bytes of the ring's end that a block keeps the sums in, places of each part. */
TC_HOST int tc__gemm90_join_each(const tc_gemm_config *v, const tc_gemm_cut *cut)
{
    return (v->bm / 16 * tc__gemm90_places(cut->width) + cut->parts - 1) / cut->parts;
}
TC_HOST int tc__gemm90_join_bytes(const tc_gemm_config *v, const tc_gemm_cut *cut)
{
    return cut->parts * tc__gemm90_join_each(v, cut) * TC__GEMM90_PLACE;
}

/* Clusters of so many parts that run at a time, as an H200 with 132 multiprocessors said of its own
 * (cudaOccupancyMaxActiveClusters): a cluster's blocks lie in one of the chip's parts, which are not all as large. */
TC_HOST int tc__gemm90_joins_at_once(const tc__gemm_device *d, int parts)
{
    static const int at_once[TC__GEMM90_JOIN_MOST + 1] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
    return at_once[parts] * d->blocks / 132; /* 0: none */
}

/* Clusters that run at a time. */
TC_HOST int tc__gemm90_at_once(const tc_gemm_config *v, const tc_gemm_cut *cut, const tc__gemm_device *d)
{
    const int of = cut->cluster * v->cluster_n;
    return !v->step ? d->blocks : of > 2 ? tc__gemm90_joins_at_once(d, of) : d->blocks / of;
}

/* Slots of the ring that a cut leaves. */
TC_HOST int tc__gemm90_ring(const tc_gemm_config *v, const tc_gemm_cut *cut)
{
    const int ring = tc_gemm_sm90_plan_of(*v).ring_bytes - (cut->joined ? tc__gemm90_join_bytes(v, cut) : 0);
    const int fit = ring / tc__gemm90_slot_of(*v, cut->width, cut->copies);
    return fit < v->stages ? fit : v->stages;
}

/* Rows of A and columns of B that a step brings: of what lies in rows, and is not turned, whole boxes. What there is
 * not is left out (tc_gemm_sm90_edge.h), or else takes TMA longer than what there is; behind a group's rows there are
 * others. */
#define TC__GEMM_ZEROS 2.0
TC_HOST double tc__gemm90_fetched_rows(const tc_gemm_config *v, const tc__gemm_problem *x)
{
    const double lacks = x->rows < v->bm && !(x->grouped && !v->swap) ? (double)(v->bm - x->rows) : 0.;
    return tc__gemm90_edged_a(*v) ? v->bm - lacks : v->bm + lacks * (TC__GEMM_ZEROS - 1);
}

TC_HOST double tc__gemm90_fetched_cols(const tc_gemm_config *v, const tc__gemm_problem *x, int width)
{
    const tc_operand b = tc__gemm90_b(*v, width);
    const int boxes = b.mn ? tc__gemm90_in_rows(b).rows : width;
    const double lacks = x->cols < width && !(x->grouped && v->swap) ? (double)(width - x->cols) : 0.;
    return tc__gemm90_edged_b(*v) ? width - lacks : boxes + lacks * (TC__GEMM_ZEROS - 1);
}

/* The model of the head of this file. */
TC_HOST double tc__tma_time(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut,
                            const tc__gemm_device *d)
{
    const tc__gemm_own own = tc__gemm90_own(v);
    const double w = cut->width, fetched = tc__gemm90_fetched_cols(v, x, cut->width);
    const double fetched_rows = tc__gemm90_fetched_rows(v, x);
    const int64_t tiles = tc__gemm90_tiles(v, x, cut), count = tiles * cut->parts;
    const int crowd = v->step && v->cluster_n > 1 ? tc__gemm90_at_once(v, cut, d) * cut->cluster * v->cluster_n : 0;
    const double works = (double)count;
    const int joins = cut->joined ? tc__gemm90_joins_at_once(d, cut->parts) : 0;
    const int64_t fit = crowd > 0 ? crowd : d->blocks;
    const double waves = (double)(joins > 0 ? tc__div_up(tiles, joins) : tc__div_up(count, fit));
    const double together = cut->parts > 1 ? TC__GEMM_PARTS_ALL : TC__GEMM_OF_ALL;
    const double all = together / (1 + TC__GEMM_LESS_RATE * d->lacks);
    const double of_all = all / (works < d->blocks ? works : d->blocks);
    const double more = x->straddle == 2 ? TC__GEMM_STRADDLE : x->straddle ? TC__GEMM_LINE : 0;
    const double lines = 128 * (1 + more), sectors = 128 * (x->straddle ? 1 + TC__GEMM_SECTOR : 1);
    const double asked = fetched_rows / v->cluster_n                                  /* rows of a block's step */
                       + fetched / (cut->cluster > 1 ? TC__GEMM_SHARED : 1);
    const double of_own = lines * asked / TC__GEMM_OF_ONE, of_l2 = sectors * asked / of_all;
    const double fetch = of_own > of_l2 ? of_own : of_l2;
    const double mma = tc__gemm90_cycles(v, w, TC__GEMM_READS + TC__GEMM_READS_OF * w) * own.pace
                     * tc__gemm90_promoting_pace(v, cut->width) / TC__GEMM_CLOCK;
    const double late = TC__GEMM_LATE / (tc__gemm90_ring(v, cut) - 1);
    const double pace = mma > fetch ? mma : fetch, least = late > own.step ? late : own.step;
    const double step = pace > least ? pace : least;
    const double k = (double)x->k_blocks, rows = (double)x->rows, cols = (double)x->cols, batch = (double)x->batch;
    const double pieces = x->d_by == TC__GEMM_D_PIECES ? tc__gemm90_rows(*v) / 64 * w / 16 * TC__GEMM_PIECE : 0;
    const int once = tc__gemm90_once(*v) && waves <= 1 && cut->parts < 2 && x->clips;
    const double tail = !v->swap && v->step == 16 && cut->width % 32 ? TC__GEMM_TAIL : 0;
    const double usual = own.store + (v->swap ? TC__GEMM_STORE_ASIDE * w : tail) + pieces;
    const double store = once ? TC__GEMM_ONCE + TC__GEMM_ONCE_COLUMN * w * tc__gemm90_rows(*v) / 64 : usual;
    const double again_a = cols > w ? TC__GEMM_AGAIN : 0, again_b = rows > v->bm * cut->cluster ? TC__GEMM_AGAIN : 0;
    const double of_a = rows * (1 + again_a) * x->fresh, of_b = cols * (1 + again_b);
    const double lacks = x->grouped ? (v->swap ? w - cols : v->bm - rows) : 0; /* others' rows in a group's only tile */
    const double more_rows = lacks > 0 ? lacks * works * TC__GEMM_OTHERS : 0;
    const double memory = own.memory * 128 * k * ((of_a + of_b) * batch + more_rows) / d->dram
                        * (cut->joined ? TC__GEMM_JOIN_MEMORY : 1);
    /* what neighbours ask for at a time the L2 reads once, cluster or not, but for rows that straddle its lines */
    const double drawn = x->straddle ? lines * asked : lines * (fetched_rows + fetched);
    const double power = 64 * k * rows * cols * batch * TC__GEMM_PRODUCT * (x->triangle ? 0.5 : 1.)
                       + works / cut->parts * k * drawn * TC__GEMM_BYTE * (1 + TC__GEMM_LESS_BYTE * d->lacks)
                       + works / cut->parts * k * v->bm * (2 * w + 128) * TC__GEMM_READ_BYTE
                       + tc__gemm90_far(v, x, cut, d) * TC__GEMM_FAR_BYTE;
    const double at_once = joins > 0 ? (double)joins * cut->parts : (double)fit, last = works - (waves - 1) * at_once;
    const double run = (double)tc__div_up(x->k_blocks, cut->parts) * step;
    const double between = v->schedule != TC_PINGPONG ? store + TC__GEMM_REFILL : 0;
    const double whole = memory * at_once / works, rest = memory * last / works; /* of a wave, of the last one */
    double t = (waves - 1) * (run + between > whole ? run + between : whole) + (run > rest ? run : rest);
    t = ((t > power ? t : power) + TC__GEMM_TIE * (t > power ? power : t)) / (1 + TC__GEMM_TIE);
    t += store + own.start;
    if (cut->joined)
        t += TC__GEMM_JOIN + v->bm * w * 4 / TC__GEMM_JOIN_SUMS;
    else if (cut->parts > 1)
        t += TC__GEMM_MEET + TC__GEMM_ROUND * (double)tc__div_up(cut->parts, 8)
           + waves * v->bm * w * 4 / TC__GEMM_SUMS;
    if (cut->cluster > 1)
        t += cut->parts > 1 ? TC__GEMM_CLUSTER_OF_PARTS
           : tc__gemm90_ahead(*v, cut->width) ? TC__GEMM_PROMOTE_CLUSTER : TC__GEMM_CLUSTER;
    if (!v->swap && !x->clips && (x->rows % v->bm || x->cols % cut->width)) t += TC__GEMM_STORE_CUT;
    return t;
}

/* Programmatic dependent launch where args.pdl = 0. A launch that need not wait for the one before costs a microsecond
 * less. But blocks that come one after the other, where one of the kernel before has left, lie no longer evenly over
 * the chip, and no longer beside the neighbours that read the same: where the memory is what a call waits for, that
 * costs up to a quarter. It does not where no two blocks share a pair of multiprocessors anyway, nor where all have
 * blocks that have nothing in common. Of 96 shapes on an H200, each both ways. With packed weights it pays where
 * multiprocessors are left over; where none was, 132 blocks of 256 columns took 2 % longer. */
#define TC__GEMM_PDL_MOST 1e5       /* nanoseconds of a call */
#define TC__GEMM_PDL_RATE 0.6       /* of the memory's (0.565 of the times of then, 6 % longer) */
#define TC__GEMM_BRIEF 827.2        /* what it takes less then */

/* Blocks of a cut, and those that run at a time. */
typedef struct tc__gemm_grid {
    int64_t blocks, at_once;
} tc__gemm_grid;

TC_HOST tc__gemm_grid tc__gemm90_grid(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut,
                                      const tc__gemm_device *d)
{
    const int64_t works = tc__gemm90_clusters(v, x, cut) * cut->parts, cluster = tc__gemm90_cluster_of(v, cut);
    const int64_t most = tc__gemm90_at_once(v, cut, d);
    const int64_t at_once = (int64_t)d->blocks * (v->step ? 1 : cluster);
    tc__gemm_grid r = {works, at_once};
    if (!cut->joined)
        r.blocks = (works < most ? works : tc__div_up(works, tc__div_up(works, most > 0 ? most : 1))) * cluster;
    return r;
}

/* t: the model's time of the cut. */
TC_HOST int tc__gemm90_brief(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut,
                             const tc__gemm_device *d, double t)
{
    const double rows = (double)x->rows, cols = (double)x->cols,
                 bytes = (128. * (double)x->k_blocks * (rows + cols) + rows * cols * tc_type_bits(v->d) / 8)
                       * (double)x->batch;
    tc__gemm_grid grid;
    if (v->groups || v->any || v->conv) return 0; /* which are launched as they ask */
    if (t > TC__GEMM_PDL_MOST) return 0;
    if (v->weights) return tc__gemm90_grid(v, x, cut, d).blocks < d->blocks;
    if (bytes < TC__GEMM_PDL_RATE * d->dram * t) return 1;
    grid = tc__gemm90_grid(v, x, cut, d);
    if (2 * grid.blocks <= grid.at_once) return 1;
    return 20 * grid.blocks >= 19 * grid.at_once && (x->rows > x->cols ? x->cols <= cut->width : x->rows <= v->bm);
}

/* As a launch that waits for the one before. */
TC_HOST double tc__gemm90_whole_time(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut,
                                     const tc__gemm_device *d)
{
    if (v->weights) return tc__weights_time(v, x, cut, d);
    return v->any ? tc__any_time(v, x, cut, d) : tc__tma_time(v, x, cut, d);
}

TC_HOST double tc__gemm90_time(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut,
                               const tc__gemm_device *d)
{
    const double t = tc__gemm90_whole_time(v, x, cut, d);
    return tc__gemm90_brief(v, x, cut, d, t) ? t - TC__GEMM_BRIEF : t;
}

/* c: complete, not a view. */
TC_HOST tc__gemm_problem tc__gemm90_problem(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const tc_gemm_config view = tc_gemm90_view(*c), *v = &view;
    const int box_k = tc__gemm90_box_k(*c), size = tc_type_bits(c->a) / 8;
    const uintptr_t begin = (uintptr_t)g->a | (uintptr_t)g->b | (uintptr_t)(g->lda * size) | (uintptr_t)(g->ldb * size);
    tc__gemm_problem x;
    x.rows = v->swap ? g->n : g->m;
    x.cols = v->swap ? g->m : (int64_t)g->n * tc__gemm_products(*c);
    x.batch = tc__gemm_batch(g);
    x.grouped = tc__gemm_in_rows(*c);
    if (c->groups) {
        x.batch = g->groups.count;
        *(v->swap ? &x.cols : &x.rows) = tc__gemm_expected(c, g);
    }
    x.d_by = tc__gemm90_d_by(c, g);
    x.fresh = c->conv && g->k ? (double)g->lda / g->k : 1;
    x.classes = v->any ? tc__any_classes_of(g) : 0;
    x.between = (((uintptr_t)g->a / 2 ^ (uintptr_t)g->b / 2) | (uintptr_t)g->lda | (uintptr_t)g->ldb) & 1;
    x.k_blocks = ((int64_t)g->k + (v->any ? TC__ANY_CLASSES - 1 : 0) + box_k - 1) / box_k;
    if (c->groups == TC_GROUPS_K) x.k_blocks = tc__div_up(tc__div_up(g->k, g->groups.count), box_k);
    x.triangle = 0;
    if (c->triangle) x.triangle = (c->triangle == TC_TRIANGLE_UPPER) != (c->swap != 0) ? TC_TRIANGLE_UPPER
                                                                                      : TC_TRIANGLE_LOWER;
    if (c->bsr) { /* of an average row of blocks */
        const int64_t down = tc__div_up(g->m, c->bsr), steps = (int64_t)g->bsr.blocks * (c->bsr / box_k);
        x.k_blocks = tc__div_up(steps, down > 0 ? down : 1);
    }
    x.straddle = ((begin & 127) != 0) + ((begin & 31) != 0);
    x.clips = !x.grouped && x.d_by == TC__GEMM_D_TMA && (!tc__gemm_hooked(*c) || tc__gemm90_asks_hooks(*c))
           && (int64_t)tc__gemm_matrix(c, g, 'd').cols * tc_type_bits(c->d) % 128 == 0;
    return x;
}

/* Bytes of workspace that a cut takes. */
TC_HOST size_t tc__gemm90_workspace(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut)
{
    const int64_t tiles = tc__gemm90_tiles(v, x, cut);
    return tc_split_bytes((uint32_t)tiles, (uint32_t)cut->parts, (size_t)(v->bm * tc__gemm90_places(cut->width) * 16));
}

/* May they be one? */
TC_HOST int tc__gemm90_can_join(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut)
{
    const int room = tc_gemm_sm90_plan_of(*v).ring_bytes - tc__gemm90_slot_of(*v, cut->width, 0) * 2;
    return tc__gemm90_joins(*v) && cut->cluster == 1 && cut->parts >= 2 && cut->parts <= TC__GEMM90_JOIN_MOST
        && tc__gemm90_join_bytes(v, cut) <= room && x->batch > 0;
}

/* The time of a cut's parts where they meet best, or where the call wants it; less than 0: nowhere. */
TC_HOST double tc__gemm90_meet_time(const tc_gemm_config *v, const tc__gemm_problem *x, tc_gemm_cut *cut,
                                    const tc__gemm_best *b)
{
    double best = -1;
    int joined = 0;
    cut->joined = 0;
    if (b->meet != TC_MEET_CLUSTER && tc__gemm90_workspace(v, x, cut) <= b->workspace)
        best = tc__gemm90_time(v, x, cut, b->device);
    if (b->meet != TC_MEET_WORKSPACE && tc__gemm90_can_join(v, x, cut)
        && (b->meet || tc__gemm90_tiles(v, x, cut) <= tc__gemm90_joins_at_once(b->device, cut->parts))) {
        double t;
        cut->joined = 1;
        t = tc__gemm90_time(v, x, cut, b->device);
        if (best < 0 || t < best) best = t, joined = 1;
    }
    cut->joined = joined;
    return best;
}

/* Parts of k that are tried, number i: whole waves of blocks, shares of one, and from TC__GEMM_WAVES on what a cluster
 * may be, 2 and more. */
enum { TC__GEMM_WAVES = 8, TC__GEMM_TRIES = TC__GEMM_WAVES + TC__GEMM90_JOIN_MOST - 1 };
TC_HOST int64_t tc__gemm90_parts_of(int i, int64_t tiles, int blocks)
{
    static const int share[] = {3, 4, 6, 8}; /* of two waves */
    if (i < 4) return (int64_t)(i + 1) * blocks / tiles;
    return i < TC__GEMM_WAVES ? (int64_t)blocks / tiles * 2 / share[i - 4] : i - TC__GEMM_WAVES + 2;
}

/* The best cut for a width: k is split where that fills the device, and the workspace or a cluster holds the sums. */
TC_HOST double tc__gemm90_best_parts(const tc_gemm_config *v, const tc__gemm_problem *x, tc_gemm_cut *cut,
                                     const tc__gemm_best *b)
{
    const int64_t tiles = tc__gemm90_tiles(v, x, cut);
    const int64_t most = x->k_blocks / 4 < TC_SPLIT_MOST ? x->k_blocks / 4 : (int64_t)TC_SPLIT_MOST;
    const tc__gemm_best joining = {b->device, b->workspace, TC_MEET_CLUSTER};
    double best;
    int i, parts = 1, joined = 0;
    cut->parts = 1, cut->joined = 0;
    best = tc__gemm90_time(v, x, cut, b->device);
    for (i = 0; v->split && i < TC__GEMM_TRIES && tiles > 0 && tiles <= 4 * (int64_t)b->device->blocks; i++) {
        const int64_t p = tc__gemm90_parts_of(i, tiles, b->device->blocks);
        const int join = i >= TC__GEMM_WAVES; /* parts of a cluster, and of nothing else */
        double t;
        if (p < 2 || p > most || (join && !tc__gemm90_joins(*v))) continue;
        if (join && (b->meet == TC_MEET_WORKSPACE || tiles > tc__gemm90_joins_at_once(b->device, (int)p))) continue;
        cut->parts = (int)p;
        t = tc__gemm90_meet_time(v, x, cut, join ? &joining : b);
        if (t >= 0 && t < best) best = t, parts = (int)p, joined = cut->joined;
    }
    cut->parts = parts, cut->joined = joined;
    return best;
}

/* .any: can A come in classes, or be copied, in tiles of that width? Notes it in the cut. */
TC_HOST int tc__gemm90_way(const tc__gemm_problem *x, tc_gemm_cut *cut, int copies)
{
    if (copies ? cut->cluster > 1 : x->classes < 0) return 0;
    cut->copies = copies;
    cut->classes = copies ? 0 : x->classes;
    return 1;
}

/* The best cut of a call: its nanoseconds. */
TC_HOST double tc__gemm90_best(const tc_gemm_config *v, const tc__gemm_problem *x, tc_gemm_cut *cut,
                               const tc__gemm_best *b)
{
    const int first = v->step ? v->step : v->bn, clusters = v->step ? v->cluster_m : 1;
    const int least = v->step && v->cluster_n > 1 ? clusters : 1; /* of what shares A and B all or none */
    double best = 0;
    tc_gemm_cut try_this = *cut;
    int i, copies;
    for (i = least; i <= clusters && i <= b->device->blocks; i++) {
        try_this.cluster = v->step ? i : v->cluster_m;
        for (try_this.width = first; try_this.width <= v->bn; try_this.width += first) {
            if (!tc__gemm90_b_shared(*v, try_this.width, try_this.cluster)) continue;
            for (copies = 0; copies <= (x->classes != 0); copies++) {
                double t;
                if (!tc__gemm90_way(x, &try_this, copies)) continue;
                t = tc__gemm90_best_parts(v, x, &try_this, b);
                if (best == 0 || t < best) best = t, *cut = try_this;
            }
        }
    }
    return best;
}

/* How a checked call is cut: as it asks, else as the model says. */
TC_HOST tc_status tc__gemm90_cut(const tc_gemm_config *c, const tc_gemm_args *g, const tc__gemm_device *d,
                                 tc_gemm_cut *cut)
{
    const tc_gemm_config v = tc_gemm90_view(*c);
    const tc__gemm_problem x = tc__gemm90_problem(c, g);
    const tc__gemm_best b = {d, g->workspace ? g->workspace_size : 0, g->choice ? g->choice->meet : 0};
    const tc_gemm_choice none = {0, 0, 0, 0, 0, 0}, *want = g->choice ? g->choice : &none;
    int64_t works;
    memset(cut, 0, sizeof *cut);
    cut->l2 = d->l2;
    cut->cluster = v.step ? 1 : v.cluster_m;
    if (want->cluster < 0 || (want->cluster > 1 && want->cluster != v.cluster_m))
        return tc__fail(TC_ERR_CONFIG, "choice->cluster = %d must be 1 or %d", want->cluster, v.cluster_m);
    if (v.step && want->cluster) cut->cluster = want->cluster;
    if (want->width && !tc__gemm90_b_shared(v, want->width, want->cluster))
        return tc__fail(TC_ERR_CONFIG, "choice->width = %d is not 64 columns, or a multiple, for each of %d blocks",
                        want->width, want->cluster);
    cut->width = want->width ? want->width : v.bn;
    cut->parts = want->parts ? want->parts : 1;
    if (want->width < 0 || want->width > v.bn || (want->width && (v.step ? want->width % v.step : want->width != v.bn)))
        return tc__fail(TC_ERR_CONFIG, "choice->width = %d must be %s%d", want->width,
                        v.step ? "a multiple of .step, at most " : "", v.bn);
    if (want->parts < 0 || want->parts > TC_SPLIT_MOST || (want->parts > 1 && !v.split))
        return tc__fail(TC_ERR_CONFIG, "choice->parts = %d must be in 0..%d", want->parts, v.split ? TC_SPLIT_MOST : 1);
    if (want->meet < 0 || want->meet > TC_MEET_CLUSTER)
        return tc__fail(TC_ERR_CONFIG, "choice->meet = %d must be 0, TC_MEET_WORKSPACE or TC_MEET_CLUSTER", want->meet);
    if (want->blocks < 0) return tc__fail(TC_ERR_CONFIG, "choice->blocks = %d is negative", want->blocks);
    if (!tc__gemm90_way(&x, cut, 0) && !tc__gemm90_way(&x, cut, 1))
        return tc__fail(TC_ERR_CONFIG, "choice->cluster = %d must be 1 where stride_a = %lld is no multiple of 8 "
                        "elements: A is copied", want->cluster, (long long)g->stride_a);
    if (!want->width && !want->cluster) (void)tc__gemm90_best(&v, &x, cut, &b);
    else if (!want->parts) (void)tc__gemm90_best_parts(&v, &x, cut, &b);
    if (want->parts) cut->parts = want->parts, cut->joined = 0;
    if (want->parts > 1) (void)tc__gemm90_meet_time(&v, &x, cut, &b);
    if (want->meet == TC_MEET_CLUSTER && want->parts > 1 && !cut->joined)
        return tc__fail(TC_ERR_CONFIG, "choice->meet = TC_MEET_CLUSTER wants .split with .step or .weights, "
                        "choice->cluster 1, at most %d parts, and the sums of a tile to fit the ring: not %d parts of "
                        "%d x %d",
                        TC__GEMM90_JOIN_MOST, want->parts, v.bm, cut->width);
    cut->workspace = cut->joined ? 0 : tc__gemm90_workspace(&v, &x, cut);
    if (!cut->joined && cut->parts > 1 && (!g->workspace || g->workspace_size < cut->workspace))
        return tc__fail(TC_ERR_SIZE, "workspace_size = %llu, but %d parts take %llu bytes",
                        (unsigned long long)(g->workspace ? g->workspace_size : 0), cut->parts,
                        (unsigned long long)cut->workspace);
    works = tc__gemm90_clusters(&v, &x, cut) * cut->parts;
    if (tc__gemm_in_rows(v)) /* as many as there may be */
        works = tc__gemm_most_tiles(&v, g, tc__gemm_tile_rows(&v, cut))
              * (v.swap ? tc__div_up(g->n, (int64_t)v.bm * cut->cluster)
                        : tc__div_up((int64_t)g->n * tc__gemm_products(v), (int64_t)cut->width * v.cluster_n));
    if (v.groups == TC_GROUPS_ARRAY)
        works = tc__div_up(g->m, v.bm) * tc__div_up(g->n, cut->width) * g->groups.count;
    cut->blocks = tc__gemm90_at_once(&v, cut, d);
    if (cut->blocks < 1) cut->blocks = 1;
    if (v.cluster_k > 1) cut->blocks = (int)(works < 0x7fffffff ? works : 0x7fffffff);
    if (works < cut->blocks) cut->blocks = (int)works;
    else if (!v.groups && !tc__tiles_uneven(v))
        cut->blocks = (int)tc__div_up(works, tc__div_up(works, cut->blocks)); /* whole waves */
    if (want->blocks && want->blocks < cut->blocks && v.cluster_k == 1) cut->blocks = want->blocks;
    if (cut->joined) cut->blocks = (int)(works / cut->parts);
    cut->brief = g->pdl == 0 && tc__gemm90_brief(&v, &x, cut, d, tc__gemm90_whole_time(&v, &x, cut, d));
    return TC_OK;
}

/* What the choice found for a problem is kept, for it takes longer than all else that a call does. An entry is two
 * words, the second of them the first's answer and the first the problem combined with it: what two threads write at a
 * time is no entry, and is looked for again. */
enum { TC__GEMM_MEMOS = 64 };
typedef struct tc__gemm_memo {
    TC__ATOMIC uint64_t mixed, answer;
} tc__gemm_memo;

/* Of all that the model asks about: also whether A and B begin with a line of the L2 or with a sector, and TMA takes C
 * and D. */
TC_HOST uint64_t tc__gemm_hash(const tc_gemm_config *given, const tc_gemm_args *g, const tc__device *on)
{
    const uintptr_t begin = (uintptr_t)g->a | (uintptr_t)g->b;
    const uint64_t straddle = (uint64_t)(((begin & 127) != 0) + ((begin & 31) != 0)), shapes = (uint64_t)given->shapes;
    const uint64_t ways = (uint64_t)(!tc__gemm_fits(given, g, 'd') + 2 * !tc__gemm_fits(given, g, 'c')
                                     + 4 * (tc__gemm_beta(g) != 0) + 8 * (tc__gemm_hooked(*given) != 0)
                                     + 16 * (given->epi_pure != 0));
    /* one table of memos serves all generators */
    const uint64_t kind = (uint64_t)(given->a + 64 * (given->a_layout + 4 * given->b_layout) + 1024 * given->d);
    const uint64_t sums = (uint64_t)(uint32_t)given->promote << 32
                        | (uint64_t)(64 * given->sparse + 4 * given->a_scale + given->b_scale)
                        | (uint64_t)tc__gemm_quantised(*given) << 10
                        | (uint64_t)(given->weights + 256 * given->weights_zero + 512 * given->weights_k) << 32
                        | (uint64_t)(given->triangle + 4 * given->bsr) << 11 | (uint64_t)(given->acc == TC_F16) << 24
                        | (uint64_t)(given->gate ? 1 : 0) << 26
                        | (uint64_t)(tc__gemm_in_tile(*given) != 0) << 27;
    const uint64_t groups = (uint64_t)(given->groups * 2 + given->conv) << 60 | (uint64_t)g->groups.count << 32
                          | (uint64_t)(uint32_t)(given->bsr ? g->bsr.blocks : g->groups.expected);
    /* what else says which kernels there are, and which may split k: tc__gemm_line_ok, tc__gemm_tiled */
    const uint64_t lines = (uint64_t)(tc__gemm_outputs(*given) + 2 * tc__tiles_some(*given) + 4 * (given->epi2 != 0))
                         | (uint64_t)(given->index + 16 * given->d_layout) << 8 | (uint64_t)given->b << 16
                         | (uint64_t)(given->row_sum + 16 * given->col_sum + 256 * given->all_sum) << 32
                         | (uint64_t)given->sum_atomic << 44;
    const uint64_t parts[9] = {(uint64_t)g->m << 32 | (uint32_t)g->n, (uint64_t)g->k << 32 | (uint32_t)g->batch,
                               g->workspace ? g->workspace_size : 0, (uint64_t)g->lda, (uint64_t)g->ldb,
                               kind << 48 | shapes << 40 | ways << 34 | straddle << 32
                                   | (uint64_t)(on->bandwidth << 10 | on->sms),
                               sums, groups, lines};
    uint64_t h = 0x9e3779b97f4a7c15ull;
    int i;
    for (i = 0; i < 9; i++) {
        h = (h ^ parts[i]) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    return h;
}

#endif /* host */
#endif /* TC_GEMM_CHOICE_H */
