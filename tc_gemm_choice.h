/* tc_gemm_choice.h - tc 0.2.0 - which kernel, which width, how many parts of k: one model of the time that a GEMM takes.
 * Needs: the headers below; host only.
 *
 *     tc__gemm90_time    nanoseconds of a call in a kernel, cut in a given way
 *     tc__gemm90_cut     the fastest cut of a call in a kernel, or the one that the call asks for
 *
 * THE MODEL. A block's time in a step of 64 elements of k is the longer of two: the Tensor Cores' (a wgmma of n columns
 * takes n / 2 cycles, or what it takes to read its operands from shared memory, 128 bytes a cycle), and that of its
 * share of the L2. A tile takes its steps, and before and behind them what is not hidden: the ring's first fill, the
 * epilogue (which ping-pong hides but for the last). The grid takes as long as its busiest block, and not less than its
 * bytes take from memory. A split tile adds the way of its sums through the L2.
 */
#ifndef TC_GEMM_CHOICE_H
#define TC_GEMM_CHOICE_H

#include "tc_gemm_config.h"
#include "tc_gemm_sm90_plan.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What the model knows of a device: blocks at a time, bytes of L2, bytes a nanosecond from memory. */
typedef struct tc__gemm_device {
    int blocks;
    int64_t l2;
    double dram;
} tc__gemm_device;

/* Hopper boards have the same L2. Which memory they have matters to no choice yet: the model takes an H200's. */
TC_HOST tc__gemm_device tc__gemm_device_of(int blocks)
{
    tc__gemm_device d = {0, 50 << 20, 4100};
    d.blocks = blocks;
    return d;
}

/* Fitted on an H200 (bench/results/choice.csv). */
#define TC__GEMM_CLOCK 1.6        /* cycles of a nanosecond under load */
#define TC__GEMM_L2_SHARE 48.0    /* bytes of a nanosecond from L2 to a block, all of them loading */
#define TC__GEMM_START 2200.0     /* launch, barriers, first bytes of a ring */
#define TC__GEMM_REFILL 150.0     /* between two tiles of a cooperative block */
#define TC__GEMM_EPILOGUE 0.04    /* of an element of a tile */
#define TC__GEMM_MEET 1500.0      /* blocks of a split tile */
#define TC__GEMM_SUMS 40.0        /* bytes of a nanosecond of their sums, a block */

/* What the search is given. */
typedef struct tc__gemm_best {
    const tc__gemm_device *device;
    size_t workspace;
} tc__gemm_best;

/* v: a view (tc_gemm_sm90_plan.h); rows and columns are the instruction's. */
typedef struct tc__gemm_problem {
    int64_t rows, cols, batch, k_blocks;
} tc__gemm_problem;

TC_HOST int64_t tc__div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

TC_HOST double tc__gemm90_time(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut,
                               const tc__gemm_device *d)
{
    const double w = cut->width, reads = 16 + w / 4, cycles = 4.0 * v->bm / 64 * (w / 2 > reads ? w / 2 : reads);
    const double mma = cycles / TC__GEMM_CLOCK, l2 = (v->bm + w) * 128 / TC__GEMM_L2_SHARE;
    const int64_t tiles = tc__div_up(x->rows, v->bm) * tc__div_up(x->cols, cut->width) * x->batch;
    const int64_t works = tiles * cut->parts, waves = tc__div_up(works, d->blocks);
    const double step = mma > l2 ? mma : l2, k = (double)tc__div_up(x->k_blocks, cut->parts) * step;
    const double epilogue = v->bm * w * TC__GEMM_EPILOGUE;
    const double bytes = 128.0 * (double)x->k_blocks * (double)(x->rows + x->cols) * (double)x->batch;
    const double memory = bytes / d->dram;
    double t = (double)waves * k + epilogue;
    if (v->schedule != TC_PINGPONG) t += (double)(waves - 1) * (epilogue + TC__GEMM_REFILL);
    if (cut->parts > 1)
        t += TC__GEMM_MEET + (double)waves * 2 * v->bm * w * 4 / TC__GEMM_SUMS;
    return TC__GEMM_START + (t > memory ? t : memory);
}

TC_HOST tc__gemm_problem tc__gemm90_problem(const tc_gemm_config *v, const tc_gemm_args *g)
{
    tc__gemm_problem x;
    x.rows = v->swap ? g->n : g->m;
    x.cols = v->swap ? g->m : g->n;
    x.batch = tc__gemm_batch(g);
    x.k_blocks = ((int64_t)g->k + 63) / 64;
    return x;
}

/* Tiles of a problem: whole clusters of them. */
TC_HOST int64_t tc__gemm90_tiles(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut)
{
    return tc__div_up(tc__div_up(x->rows, v->bm), cut->cluster) * cut->cluster * tc__div_up(x->cols, cut->width)
         * x->batch;
}

/* Bytes of workspace that a cut takes. */
TC_HOST size_t tc__gemm90_workspace(const tc_gemm_config *v, const tc__gemm_problem *x, const tc_gemm_cut *cut)
{
    const int64_t tiles = tc__gemm90_tiles(v, x, cut);
    return tc_split_bytes((uint32_t)tiles, (uint32_t)cut->parts, (size_t)v->bm * (size_t)((cut->width + 15) / 16 * 16));
}

TC_HOST size_t tc__gemm90_workspace_of(const tc_gemm_config *c, const tc_gemm_args *g, const tc_gemm_cut *cut)
{
    const tc_gemm_config v = tc_gemm90_view(*c);
    const tc__gemm_problem x = tc__gemm90_problem(&v, g);
    return tc__gemm90_workspace(&v, &x, cut);
}

/* The best cut for a width: k is split where that fills the device, and the workspace holds it. */
TC_HOST double tc__gemm90_best_parts(const tc_gemm_config *v, const tc__gemm_problem *x, tc_gemm_cut *cut,
                                     const tc__gemm_best *b)
{
    const int64_t tiles = tc__div_up(x->rows, v->bm) * tc__div_up(x->cols, cut->width) * x->batch;
    const int64_t most = x->k_blocks / 4 < TC_SPLIT_MOST ? x->k_blocks / 4 : TC_SPLIT_MOST;
    double best;
    int waves, parts = 1;
    cut->parts = 1;
    best = tc__gemm90_time(v, x, cut, b->device);
    for (waves = 1; v->split && waves <= 4 && tiles <= 4 * (int64_t)b->device->blocks; waves++) {
        const int64_t p = (int64_t)waves * b->device->blocks / tiles;
        if (p < 2 || p > most) continue;
        cut->parts = (int)p;
        if (tc__gemm90_workspace(v, x, cut) <= b->workspace) {
            const double t = tc__gemm90_time(v, x, cut, b->device);
            if (t < best) best = t, parts = (int)p;
        }
    }
    cut->parts = parts;
    return best;
}

/* The best cut of a call: its nanoseconds. */
TC_HOST double tc__gemm90_best(const tc_gemm_config *v, const tc__gemm_problem *x, tc_gemm_cut *cut,
                               const tc__gemm_best *b)
{
    const int first = v->step ? v->step : v->bn;
    double best = 0;
    tc_gemm_cut try_this = *cut;
    for (try_this.width = first; try_this.width <= v->bn; try_this.width += first) {
        const double t = tc__gemm90_best_parts(v, x, &try_this, b);
        if (best == 0 || t < best) best = t, *cut = try_this;
    }
    return best;
}

/* How a checked call is cut: as it asks, else as the model says. */
TC_HOST tc_status tc__gemm90_cut(const tc_gemm_config *c, const tc_gemm_args *g, const tc__gemm_device *d,
                                 tc_gemm_cut *cut)
{
    const tc_gemm_config v = tc_gemm90_view(*c);
    const tc__gemm_problem x = tc__gemm90_problem(&v, g);
    const tc__gemm_best b = {d, g->workspace ? g->workspace_size : 0};
    const tc_gemm_choice none = {0, 0, 0, 0, 0}, *want = g->choice ? g->choice : &none;
    int64_t works;
    memset(cut, 0, sizeof *cut);
    cut->l2 = d->l2;
    cut->cluster = v.step ? 1 : v.cluster_m;
    if (want->cluster < 0 || (want->cluster > 1 && want->cluster != v.cluster_m))
        return tc__fail(TC_ERR_CONFIG, "choice->cluster = %d must be 1 or %d", want->cluster, v.cluster_m);
    if (v.step && want->cluster) cut->cluster = want->cluster;
    cut->width = want->width ? want->width : v.bn;
    cut->parts = want->parts ? want->parts : 1;
    if (want->width < 0 || want->width > v.bn || (want->width && (v.step ? want->width % v.step : want->width != v.bn)))
        return tc__fail(TC_ERR_CONFIG, "choice->width = %d must be %s%d", want->width,
                        v.step ? "a multiple of .step, at most " : "", v.bn);
    if (want->parts < 0 || want->parts > TC_SPLIT_MOST || (want->parts > 1 && !v.split))
        return tc__fail(TC_ERR_CONFIG, "choice->parts = %d must be in 0..%d", want->parts, v.split ? TC_SPLIT_MOST : 1);
    if (want->blocks < 0) return tc__fail(TC_ERR_CONFIG, "choice->blocks = %d is negative", want->blocks);
    if (!want->width) (void)tc__gemm90_best(&v, &x, cut, &b);
    else if (!want->parts) (void)tc__gemm90_best_parts(&v, &x, cut, &b);
    if (want->parts) cut->parts = want->parts;
    if (cut->parts > 1 && (!g->workspace || g->workspace_size < tc__gemm90_workspace(&v, &x, cut)))
        return tc__fail(TC_ERR_SIZE, "workspace_size = %llu, but %d parts take %llu bytes",
                        (unsigned long long)(g->workspace ? g->workspace_size : 0), cut->parts,
                        (unsigned long long)tc__gemm90_workspace(&v, &x, cut));
    works = tc__div_up(tc__div_up(x.rows, v.bm), cut->cluster) * tc__div_up(tc__div_up(x.cols, cut->width), v.cluster_n)
          * x.batch * cut->parts;
    cut->blocks = v.step ? d->blocks / cut->cluster : d->blocks;
    if (v.cluster_k > 1) cut->blocks = (int)(works < 0x7fffffff ? works : 0x7fffffff);
    if (works < cut->blocks) cut->blocks = (int)works;
    else cut->blocks = (int)tc__div_up(works, tc__div_up(works, cut->blocks)); /* whole waves */
    if (want->blocks && want->blocks < cut->blocks && v.cluster_k == 1) cut->blocks = want->blocks;
    return TC_OK;
}

#endif /* host */
#endif /* TC_GEMM_CHOICE_H */
