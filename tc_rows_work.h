/* tc_rows_work.h - tc 0.2.0 - softmax and the largest of a row: what kernels over whole rows and the ends of a GEMM's
 * tiles share. Needs: tc_epi.h.
 *
 *     TC_SOFTMAX, TC_LOG_SOFTMAX     .op, .rows
 *     TC_QUANTISE                    .op alone
 *     tc_rows_rank, tc_rows_unrank   (value, column) as an integer: larger is earlier among the largest
 *     tc_rows_sum, tc_rows_prob      a row's largest and its sum of exponentials; an element's probability
 *
 * tc_rows.h is the manual.
 */
#ifndef TC_ROWS_WORK_H
#define TC_ROWS_WORK_H

#include "tc_epi.h"

enum { TC_SOFTMAX = 1, TC_LOG_SOFTMAX = 2, TC_QUANTISE = 3 };
enum { TC_ROWS_TOP_MOST = 32 };   /* .top: a lane of a warp for each */
enum { TC_ROWS_WARPS_MOST = 16 }; /* that have a row between them */

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

/* ---------------------------------------------------------------------------------------------------------------------
 * The lanes of a row.
 */
typedef struct tc__rows_group {
    int lanes, lane; /* of the row, this one */
    int most, in;    /* the same of the row's lanes in this warp */
    int first;       /* the warp's lane where they begin */
    uint32_t bits;   /* and as bits, from 0 on */
    int warps, warp; /* of the row, this one */
    float *numbers;  /* shared: 32 for maxima, 32 for sums */
    uint64_t *lists; /* shared: 32 of each warp; the last one's first is where the bound goes */
    int blocks;      /* of a cluster, that have the row between them, and warps are a block's; 0: it is a block's */
    float *block;    /* shared: a block's own maximum and sum */
} tc__rows_group;

TC_DEV tc__rows_group tc__rows_group_of(int lanes, float *numbers, uint64_t *lists)
{
    const int lane = (int)threadIdx.x % lanes, most = lanes < 32 ? lanes : 32;
    const tc__rows_group g = {lanes, lane, most, lane % most, tc_lane() - lane % most,
                              most == 32 ? 0xffffffffu : (1u << most) - 1u, (lanes + 31) / 32, lane / 32,
                              numbers, lists, 0, 0};
    return g;
}

/* What lanes make of a row together: its largest, its sum; or its largest |x|, of which each has one, not negative.
 * NaN is the largest of those: they are in the order of their bits. */
enum { TC__ROWS_MAX = 0, TC__ROWS_SUM = 1, TC__ROWS_SIZE = 2 };

TC_DEV float tc__rows_none(const int what) { return what == TC__ROWS_MAX ? -TC__INF : 0.f; }
TC_DEV float tc__rows_two(const int what, float x, float y)
{
    if (what == TC__ROWS_SIZE) return tc_bits_from_f32(x) > tc_bits_from_f32(y) ? x : y;
    return what == TC__ROWS_SUM ? x + y : fmaxf(x, y);
}

TC_DEV float tc__rows_join(const int what, int lanes, float x)
{
#pragma unroll
    for (int i = 1; i < 32; i *= 2) {
        const float y = __shfl_xor_sync(0xffffffffu, x, i);
        if (i < lanes) x = tc__rows_two(what, x, y);
    }
    return x;
}

/* The blocks' sums, or largest, to the row's, in the order of their ranks. */
TC_DEV float tc__rows_of_blocks(const int what, const tc__rows_group *g, float x)
{
#if TC_HAS_SM90
    float *own = g->block + (what == TC__ROWS_SUM);
    if (threadIdx.x == 0) *own = x;
    tc_cluster_sync();
    x = tc__rows_none(what);
    if (g->in < g->blocks) TC_LD_SHARED_CLUSTER(, f32, &x, tc_mapa(tc_smem_u32(own), (uint32_t)g->in));
    x = tc__rows_join(what, 32, x);
#endif
    return x;
}

/* A row's sum, or largest. Once for each in a kernel. */
TC_DEV float tc__rows_all(const int what, const tc__rows_group *g, float x)
{
    float *to = g->numbers + (what == TC__ROWS_SUM) * 32;
    x = tc__rows_join(what, g->most, x);
    if (g->warps == 1) return x;
    if (g->in == 0) to[g->warp] = x;
    __syncthreads();
    x = tc__rows_none(what);
    if (g->in < g->warps) x = to[g->in];
    x = tc__rows_join(what, 32, x);
    return g->blocks ? tc__rows_of_blocks(what, g, x) : x;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The largest. A warp's (a group's) are a list, from the largest on, an entry a lane.
 */
typedef struct tc__rows_best {
    float x;
    int col; /* -1: the lane has no element */
} tc__rows_best;

/* Elements come from the first column on. */
TC_DEV void tc__rows_better(tc__rows_best *b, float x, int col)
{
    const int larger = !(x <= b->x) && b->x == b->x;
    b->x = larger ? x : b->x;
    b->col = larger ? col : b->col;
}

typedef struct tc__rows_list {
    uint64_t mine, least, bound; /* a lane's entry; what does not exceed least is out; it is bound or more */
} tc__rows_list;

TC_DEV uint64_t tc__rows_exchange(uint64_t x, int apart, int larger)
{
    const uint64_t y = __shfl_xor_sync(0xffffffffu, (unsigned long long)x, apart);
    return (x > y) == larger ? x : y;
}

TC_DEV void tc__rows_bound(const int top, const tc__rows_group *g, tc__rows_list *l)
{
    const uint64_t last = __shfl_sync(0xffffffffu, (unsigned long long)l->mine, g->first + top - 1);
    l->least = last > l->bound ? last : l->bound;
}

/* The lanes' best, in order. */
TC_DEV void tc__rows_sort(const int top, const tc__rows_group *g, const tc__rows_best *b, tc__rows_list *l)
{
    l->bound = 0;
    l->mine = b->col < 0 ? 0 : tc_rows_rank(b->x, b->col);
#pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
        if (size > g->most) break;
#pragma unroll
        for (int apart = size / 2; apart; apart /= 2)
            l->mine = tc__rows_exchange(l->mine, apart, ((g->in & apart) == 0) == ((g->in & size) == 0));
    }
    tc__rows_bound(top, g, l);
}

/* One of each lane, 0 for none, to its list, if it belongs there: for all lanes of a warp. */
TC_DEV void tc__rows_offer(const int top, const tc__rows_group *g, tc__rows_list *l, uint64_t rank)
{
    uint32_t any;
#pragma unroll 1
    while ((any = __ballot_sync(0xffffffffu, rank > l->least)) != 0) {
        const uint32_t ours = any >> g->first & g->bits;
        const int from = ours ? g->first + __ffs((int)ours) - 1 : tc_lane();
        const uint64_t one = __shfl_sync(0xffffffffu, (unsigned long long)rank, from),
                       up = __shfl_up_sync(0xffffffffu, (unsigned long long)l->mine, 1);
        const int before = __popc(__ballot_sync(0xffffffffu, l->mine > one) >> g->first & g->bits);
        if (ours && g->in >= before) l->mine = g->in == before ? one : up;
        if (ours && from == tc_lane()) rank = 0;
        tc__rows_bound(top, g, l);
    }
}

/* The lists of a block's warps to one, which warp 0 then has. */
TC_DEV void tc__rows_meet(const tc__rows_group *g, tc__rows_list *l)
{
#pragma unroll 1
    for (int half = TC_ROWS_WARPS_MOST / 2; half; half /= 2) {
        const int others = g->warp >= half && g->warp < 2 * half;
        if (half >= g->warps) continue;
        if (others) g->lists[g->warp * 32 + g->in] = l->mine;
        __syncthreads();
        if (g->warp < half && g->warp + half < g->warps) {
            const uint64_t y = g->lists[(g->warp + half) * 32 + 31 - g->in];
            l->mine = l->mine > y ? l->mine : y;
#pragma unroll
            for (int apart = 16; apart; apart /= 2) l->mine = tc__rows_exchange(l->mine, apart, (g->in & apart) == 0);
        }
    }
}

/* What all lanes' best bound the row's K-th with, known to all its warps, whose lists stay their own. */
TC_DEV void tc__rows_agree(const int top, const tc__rows_group *g, tc__rows_list *l)
{
    tc__rows_list all = *l;
    if (g->warps == 1) return;
    tc__rows_meet(g, &all);
    if (g->warp == 0 && g->in == top - 1) g->lists[0] = all.mine;
    __syncthreads();
    l->bound = g->lists[0];
    tc__rows_bound(top, g, l);
    __syncthreads();
}

/* A lane's `count` elements by which a row is ordered: chunks of so many neighbours, lanes apart; the first one begins
 * `shift` columns before the row does. What is not in the row's n columns is -inf. */
typedef struct tc__rows_keys {
    const float *key;
    int chunk, shift, n;
} tc__rows_keys;

TC_DEV int tc__rows_col_of(const tc__rows_group *g, const tc__rows_keys k, const int i)
{
    return (g->lane + i / k.chunk * g->lanes) * k.chunk - k.shift + i % k.chunk;
}

/* The largest of a row whose lanes have it in registers: a group's list, or warp 0's. */
TC_DEV void tc__rows_largest_of(const int top, const int count, const tc__rows_group *g, tc__rows_list *l,
                                const tc__rows_keys k)
{
    const int first = tc__rows_col_of(g, k, 0);
    tc__rows_best b = {-TC__INF, first >= k.n ? -1 : first < 0 ? 0 : first}; /* its first, as if it were -inf */
    float least;
#pragma unroll
    for (int i = 0; i < count; i++) tc__rows_better(&b, k.key[i], tc__rows_col_of(g, k, i));
    tc__rows_sort(top, g, &b, l);
    tc__rows_agree(top, g, l);
    least = tc_rows_unrank(l->least);
#pragma unroll
    for (int i = 0; i < count; i++) {
        const int col = tc__rows_col_of(g, k, i);
        const int may = !(k.key[i] < least) && col != b.col && (uint32_t)col < (uint32_t)k.n;
        if (__any_sync(0xffffffffu, may)) tc__rows_offer(top, g, l, may ? tc_rows_rank(k.key[i], col) : 0);
    }
    if (g->warps > 1) tc__rows_meet(g, l);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Results.
 */
/* What becomes of x, the element of a list's entry, where the lane has one; else x is -inf, without op 0. For all lanes
 * of a group. */
TC_DEV float tc__rows_value(const int op, const int renorm, const tc__rows_group *g, const tc_rows_sum *s, float x)
{
    tc_rows_sum own = *s;
    float sum;
    if (!renorm) return tc_rows_prob(op, s, x);
    if (op) {
        tc_rows_largest(&own, tc__rows_join(TC__ROWS_MAX, g->most, x));
        x = tc_rows_exp(&own, x);
    }
    sum = tc__rows_join(TC__ROWS_SUM, g->most, x);
    return sum == 0.f ? 0.f : x / sum;
}

TC_DEV void tc__rows_put_one(const int type, char *to, float x)
{
    if (type == TC_F32) *(float *)to = x;
    else *(uint16_t *)to = (uint16_t)tc_pack(type, x, 0.f);
}

/* `count` (4 or 8) neighbours, from column `col` on, of which those in a row's n columns are written. */
TC_DEV void tc__rows_write(const int type, const int count, char *to, const float *x, const int2 col_n)
{
    const int size = type == TC_F32 ? 4 : 2, bytes = count * size, col = col_n.x;
    if (col >= 0 && col + count <= col_n.y && (uintptr_t)to % (bytes < 16 ? 8u : 16u) == 0) {
        if (size == 4) {
#pragma unroll
            for (int e = 0; e < count; e += 4)
                *(float4 *)(to + e * 4) = make_float4(x[e], x[e + 1], x[e + 2], x[e + 3]);
        } else if (count == 4) {
            *(uint2 *)to = make_uint2(tc_pack(type, x[0], x[1]), tc_pack(type, x[2], x[3]));
        } else {
            *(uint4 *)to = make_uint4(tc_pack(type, x[0], x[1]), tc_pack(type, x[2], x[3]), tc_pack(type, x[4], x[5]),
                                      tc_pack(type, x[6], x[7]));
        }
        return;
    }
#pragma unroll
    for (int e = 0; e < count; e++)
        if ((uint32_t)(col + e) < (uint32_t)col_n.y) tc__rows_put_one(type, to + e * size, x[e]);
}

#endif /* __CUDACC__ */
#endif /* TC_ROWS_WORK_H */
