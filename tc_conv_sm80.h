/* tc_conv_sm80.h - tc 0.2.0 - the sm_80 GEMM's A as what a filter reads of X, by addresses. Needs: the headers below.
 *
 * A's row is a pixel of Y, and k goes tap after tap through the channels. A thread copies the same 16 bytes of k of
 * several rows: it finds out once a block which tap and which channels these are, keeps for each of its rows where the
 * first tap lies in X, and adds the two. What lies outside of X is copied as zeros, and not read.
 *
 *     tc__conv80_walk, _row, _step, _copy    the walk; a row's place; a block's tap; 16 bytes of both
 *     tc_conv_sm80_params                    what the kernel is given
 */
#ifndef TC_CONV_SM80_H
#define TC_CONV_SM80_H

#include "tc_conv_config.h"
#include "tc_gemm_sm80_plan.h"

typedef struct tc_conv_sm80_params {
    tc_gemm_sm80_params p; /* first: what the rest of the kernel knows */
    tc_conv_walk walk;     /* in steps of 16 bytes */
} tc_conv_sm80_params;

#ifdef __CUDACC__

enum { TC__GEMM80_PASSES = 64 }; /* rows of a block that a thread copies, at most */

/* A pixel of X that may lie outside of it, and its number, if it does not. */
typedef struct tc__conv80_place {
    int d, h, w;
    uint32_t number;
} tc__conv80_place;

typedef struct tc__conv80_rows {
    const tc_conv_walk *walk;
    tc__conv80_place row[TC__GEMM80_PASSES]; /* first taps */
    tc__conv80_place tap;                    /* of the block of k: how far from them */
    int channel;                             /* in bytes */
} tc__conv80_rows;

TC_DEV const tc_conv_walk *tc__conv80_walk(const tc_gemm_sm80_params *p)
{
    return &((const tc_conv_sm80_params *)p)->walk;
}

/* Pixels from a place to one so far away, which wraps around where a place lies outside. */
TC_DEV uint32_t tc__conv80_number(const tc_conv_walk *w, tc_conv_pixel p)
{
    return (((uint32_t)p.n * (uint32_t)w->size.d + (uint32_t)p.d) * (uint32_t)w->size.h + (uint32_t)p.h)
             * (uint32_t)w->size.w
         + (uint32_t)p.w;
}

/* Where the first tap of a row lies; of row -1, which there is not, nowhere. */
TC_DEV tc__conv80_place tc__conv80_row(const tc_conv_walk *w, int row)
{
    const tc_conv_pixel p = tc__conv_first(w, row < 0 ? 0 : row);
    const tc__conv80_place x = {p.d, p.h, row < 0 ? (int)0x80000000 : p.w, tc__conv80_number(w, p)};
    return x;
}

/* Goes to 16 bytes of k, counted from its start. */
TC_DEV void tc__conv80_step(tc__conv80_rows *s, int chunk)
{
    const tc_conv_walk *w = s->walk;
    const uint32_t tap = tc_quotient((uint32_t)chunk, w->per_tap);
    const tc_conv_size t = tc__conv_tap(w, tap);
    const tc_conv_pixel far = {0, t.d, t.h, t.w};
    const tc__conv80_place x = {t.d, t.h, t.w, tc__conv80_number(w, far)};
    s->tap = x;
    s->channel = (int)((uint32_t)chunk - tap * w->per_tap.by) * 16;
}

/* Where in shared memory 16 bytes go, how many of them are inside k; number i of the thread's rows, a constant. */
typedef struct tc__conv80_copy_to {
    uint32_t at;
    int inside, i;
} tc__conv80_copy_to;

/* What that row has there: zeros where X has nothing. */
TC_DEV_SM80 void tc__conv80_copy(const tc__conv80_rows *s, const char *x, const tc__conv80_copy_to to)
{
    const tc_conv_walk *w = s->walk;
    const tc__conv80_place r = s->row[to.i], t = s->tap;
    const int inside = (uint32_t)(r.d + t.d) < (uint32_t)w->size.d && (uint32_t)(r.h + t.h) < (uint32_t)w->size.h
                    && (uint32_t)r.w + (uint32_t)t.w < (uint32_t)w->size.w;
    const long long at = inside ? (long long)(r.number + t.number) * w->pitch + s->channel : 0;
    tc_cp_async_cg_16_zfill(to.at, x + at, inside ? to.inside : 0);
}

#endif /* __CUDACC__ */
#endif /* TC_CONV_SM80_H */
