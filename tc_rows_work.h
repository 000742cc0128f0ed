/* tc_rows_work.h - tc 0.2.0 - softmax and the largest of a row: what kernels over whole rows and the ends of a GEMM's
 * tiles share. Needs: tc_hooks.h.
 *
 *     TC_SOFTMAX, TC_LOG_SOFTMAX     .op, .rows
 *     tc_rows_rank, tc_rows_unrank   (value, column) as an integer: larger is earlier among the largest
 *     tc_rows_sum, tc_rows_prob      a row's largest and its sum of exponentials; an element's probability
 *
 * tc_rows.h is the manual.
 */
#ifndef TC_ROWS_WORK_H
#define TC_ROWS_WORK_H

#include "tc_hooks.h"

enum { TC_SOFTMAX = 1, TC_LOG_SOFTMAX = 2 };
enum { TC_ROWS_TOP_MOST = 32 }; /* .top: a lane of a warp for each */

#ifdef __CUDACC__

/* Ordered by value, then from the last column to the first; NaN is the largest of all, 0 and -0 are one. None that
 * exists has rank 0. */
TC_DEV uint64_t tc_rows_rank(float x, int col)
{
    uint32_t bits;
    asm("add.rn.f32 %0, %1, 0f00000000;" : "=f"(x) : "f"(x)); /* -0 becomes 0, also where denormals are flushed */
    bits = x == x ? tc_bits_from_f32(x) : 0x7fffffffu;
    bits ^= (uint32_t)((int)bits >> 31) | 0x80000000u;
    return (uint64_t)bits << 32 | (uint32_t)~col;
}
TC_DEV float tc_rows_unrank(uint64_t rank)
{
    const uint32_t bits = (uint32_t)(rank >> 32);
    return tc_f32_from_bits(bits & 0x80000000u ? bits ^ 0x80000000u : ~bits);
}
TC_DEV int tc_rows_col(uint64_t rank) { return (int)~(uint32_t)rank; }

/* What a row's probabilities are made of: p = exp2((x - max) * log2) * inverse. */
typedef struct tc_rows_sum {
    float scale, log2;  /* the call's; times log2(e) */
    float max;          /* the row's largest element; 0 of a row of -inf alone */
    float inverse, log; /* of the sum of exponentials: one over it, and its logarithm */
    int none;           /* all of the row is -inf */
} tc_rows_sum;

TC_DEV float tc_rows_exp(const tc_rows_sum *s, float x) { return tc__exp2((x - s->max) * s->log2); }
TC_DEV void tc_rows_largest(tc_rows_sum *s, float max) { s->max = max == -TC__INF ? 0.f : max; }
TC_DEV void tc_rows_total(tc_rows_sum *s, float sum)
{
    s->none = sum == 0.f;
    s->inverse = s->none ? 0.f : 1.f / sum;
    s->log = s->none ? 0.f : tc__log2(sum) * TC__LN2;
}
TC_DEV float tc_rows_lse(const tc_rows_sum *s) { return s->none ? -TC__INF : fmaf(s->max, s->scale, s->log); }

/* By .op. */
TC_DEV float tc_rows_prob(const int op, const tc_rows_sum *s, float x)
{
    if (op == TC_SOFTMAX) return tc_rows_exp(s, x) * s->inverse;
    return op == TC_LOG_SOFTMAX ? fmaf(x - s->max, s->scale, -s->log) : x;
}

#endif /* __CUDACC__ */
#endif /* TC_ROWS_WORK_H */
