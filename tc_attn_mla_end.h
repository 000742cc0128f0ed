/* tc_attn_mla_end.h - tc 0.2.0 - multi-head latent attention on Hopper: the end of a unit, O to memory, and how the
 * blocks that have parts of one meet. Needs: the headers below; sm_90a.
 *
 *     tc__mla_consumer    what a consumer's thread holds
 *     tc__mla_meet        sums of rows, of both warpgroups
 *     tc__mla_store       O of a unit that is one block's
 *     tc__mla_join        a part to the workspace, and what there is to add up
 */
#ifndef TC_ATTN_MLA_END_H
#define TC_ATTN_MLA_END_H

#include "tc_attn_mla_load.h"

#ifdef __CUDACC__

typedef struct tc__mla_consumer {
    uint32_t smem, wg; /* wg: 0 or 1, its slot and its half of O */
    uint32_t tile;     /* of the block's run: the first of the unit */
    uint32_t note;
    tc_attn_rows r;
    float *s;    /* the fragment of S */
    uint32_t *a; /* P as an A operand */
} tc__mla_consumer;

/* ---------------------------------------------------------------------------------------------------------------------
 * The end of a unit.
 */
enum { TC__MLA_MEET = 1 }; /* the consumers' barrier; the next two are those of a warpgroup each */

/* What a lane knows of its two rows at the end: maximum, sum of P, what rounding P changed; then what O is multiplied
 * by. */
typedef struct tc__mla_end {
    float max[2], sum[2], rounding[2], inverse[2];
} tc__mla_end;

/* The sums of both warpgroups, one after the other. */
TC_DEV_SM90 void tc__mla_meet(tc__mla_consumer *u, uint32_t turn, tc__mla_end *e)
{
    const uint32_t all = u->smem + TC__MLA_SUMS + turn * 1024u + (uint32_t)(u->r.row + tc_lane() / 4) * 4u,
                   mine = all + u->wg * 512u;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float sum = u->r.sum[i], rounding = u->r.rounding[i];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        rounding += __shfl_xor_sync(0xffffffffu, rounding, 1);
        rounding += __shfl_xor_sync(0xffffffffu, rounding, 2);
        if (tc_lane() % 4 == 0) {
            tc__mla_put(mine + (uint32_t)i * 32u, tc_bits_from_f32(sum));
            tc__mla_put(mine + 256u + (uint32_t)i * 32u, tc_bits_from_f32(rounding));
        }
    }
    tc_bar_sync(TC__MLA_MEET, 256);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const uint32_t at = all + (uint32_t)i * 32u;
        e->max[i] = u->r.max[i];
        e->sum[i] = tc_f32_from_bits(tc__mla_get(at)) + tc_f32_from_bits(tc__mla_get(at + 512u));
        e->rounding[i] = tc_f32_from_bits(tc__mla_get(at + 256u)) + tc_f32_from_bits(tc__mla_get(at + 768u));
    }
}

/* What O is multiplied by; and lse, where this warp is to write it. */
TC_DEV_SM90 void tc__mla_finish(const tc_attn_problem *p, const tc_attn_work *w, int row, tc__mla_end *e, int lse)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const tc__attn_end end = {e->sum[i], e->max[i] == -TC__INF ? -TC__INF : e->max[i] * p->scale_log2, 0.f, 0.f};
        const int r = row + tc_lane() / 4 + 8 * i;
        const tc_attn_at at = tc__attn_row(p, w, r);
        e->inverse[i] = e->sum[i] == 0.f ? 0.f : tc__inverse(e->sum[i] + e->rounding[i]);
        if (lse && p->lse && tc_lane() % 4 == 0 && tc__attn_row_exists(p, w, r, at.q))
            p->lse[(long long)tc__attn_outer_q(p, w) * p->lse_batch + at.h * p->lse_head + w->q_at + at.q] =
                tc__attn_lse(&end);
    }
}

/* All of a unit is this block's: O from registers. */
TC_DEV_SM90 void tc__mla_store(const tc_attn_config c, const tc_attn_problem *p, tc__mla_consumer *u, tc__mla_end *e)
{
    const tc_attn_work w = tc__mla_note_work(u->note);
    const int row = u->r.row + (int)tc__mla_get(u->note + 20u);
    tc__attn_place_of_rows at;
    tc__mla_finish(p, &w, row, e, u->wg == 0);
    at = tc__attn_rows_at(p, &w, row);
    at.to[0] += u->wg * 256u, at.to[1] += u->wg * 256u;
    tc_attn_rescale(u->r.o, 256, e->inverse);
#pragma unroll
    for (int j = 0; j < 32; j += 4) {
        const tc__attn_piece piece = {c.type, 4, j * 8};
        tc__attn_store_piece(piece, u->r.o + 4 * j, &at);
    }
}

/* The block of run `run` that works on the same rows as this one. */
TC_DEV_SM90 uint32_t tc__mla_block(int run) { return ((uint32_t)run << tc__decode_log()) + tc_cluster_ctarank(); }

/* A part in the workspace: sums as fragments lie, 4 of each thread of both warpgroups in turn, [32][256] float4; then
 * maxima, sums and roundings of rows. Part n of the blocks from `first` on. */
TC_DEV_SM90 float *tc__mla_part(const tc_attn_config c, const tc_attn_decode_params *d, int first, int n)
{
    return d->sums + (size_t)(2u * tc__mla_block(first + n) + (n == 0)) * (size_t)tc__decode_part(c);
}

/* Rows of a unit that are left from this block's first one on. */
TC_DEV_SM90 int tc__mla_left(const tc_attn_mla_params *p, const tc__mla_consumer *u)
{
    return (int)tc__mla_get(u->note + 4u) * p->d.problem.group - (int)tc__mla_get(u->note + 20u);
}

/* A block that adds up parts of a unit: how many there are, the first one's run; rows that are left, and the tiles of
 * 16 that they take: 1, 2 or 4. Of fewer than four tiles several warps share one, and each has some of the parts: how
 * many shares, this warp's, and its first row. */
typedef struct tc__mla_adder {
    int parts, first, left, tiles, shares, share, row;
} tc__mla_adder;

TC_DEV_SM90 tc__mla_adder tc__mla_adder_of(const tc_attn_mla_params *p, const tc__mla_consumer *u)
{
    const int left = tc__mla_left(p, u), warp = (int)tc_uniform(threadIdx.x / 32u % 4u);
    const int parts = (int)tc_uniform(tc__mla_get(u->note + 32u));
    const int tiles = (int)tc_uniform(left <= 16 ? 1u : left <= 32 ? 2u : 4u), shares = parts <= 4 ? 1 : 4 / tiles;
    const int row = warp % tiles * 16, some = row < left && warp / tiles < shares; /* else this warp adds nothing */
    const tc__mla_adder a = {parts, (int)tc__mla_get(u->note + 40u), left, tiles, shares,
                             some ? warp / tiles : parts, row};
    return a;
}

/* Some parts' maximum of a row, sum of P relative to it, and what rounding P changed. */
typedef struct tc__mla_stat {
    float max, sum, rounding;
} tc__mla_stat;

TC_DEV void tc__mla_stat_add(tc__mla_stat *to, const tc__mla_stat *x, const int count, float scale)
{
    float top = to->max, f;
#pragma unroll
    for (int i = 0; i < count; i++) top = fmaxf(top, x[i].max);
    f = tc__decode_factor(to->max, top, scale);
    to->max = top, to->sum *= f, to->rounding *= f;
#pragma unroll
    for (int i = 0; i < count; i++) {
        f = tc__decode_factor(x[i].max, top, scale);
        to->sum += f * x[i].sum;
        to->rounding += f * x[i].rounding;
    }
}

TC_DEV tc__mla_stat tc__mla_stat_at(uint32_t at)
{
    const tc__mla_stat x = {tc_f32_from_bits(tc__mla_get(at)), tc_f32_from_bits(tc__mla_get(at + 1024u)),
                            tc_f32_from_bits(tc__mla_get(at + 2048u))};
    return x;
}
TC_DEV void tc__mla_stat_put(uint32_t at, const tc__mla_stat *x)
{
    tc__mla_put(at, tc_bits_from_f32(x->max));
    tc__mla_put(at + 1024u, tc_bits_from_f32(x->sum));
    tc__mla_put(at + 2048u, tc_bits_from_f32(x->rounding));
}

/* What all parts say of this lane's two rows. A thread asks for a row of every fourth part, or of fewer where there are
 * fewer rows, eight at a time: an answer takes as long as all the rest. */
TC_DEV_SM90 void tc__mla_gather(const tc_attn_config c, const tc_attn_mla_params *p, const tc__mla_consumer *u,
                                const tc__mla_adder *a, tc__mla_end *e)
{
    const float scale = tc_attn_scale(c, &p->d.problem);
    const int thread = (int)threadIdx.x - 128, rows = 16 * a->tiles, phases = 256 / rows, row = thread % rows;
    const uint32_t scratch = u->smem + TC__MLA_SCRATCH, mine = scratch + (uint32_t)thread * 4u;
    tc__mla_stat all = {-TC__INF, 0.f, 0.f};
#pragma unroll 1
    for (int n = thread / rows; n < a->parts; n += 8 * phases) {
        tc__mla_stat x[8];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float *part = tc__mla_part(c, &p->d, a->first, n + k * phases) + 64 * 512 + row;
            const int there = n + k * phases < a->parts && row / 16 * 16 < a->left;
            x[k].max = there ? __ldcg(part) : -TC__INF;
            x[k].sum = there ? __ldcg(part + 64) : 0.f;
            x[k].rounding = there ? __ldcg(part + 128) : 0.f;
        }
        tc__mla_stat_add(&all, x, 8, scale);
    }
    tc__mla_stat_put(mine, &all);
    tc_bar_sync(TC__MLA_MEET, 256);
    if (thread < rows) {
#pragma unroll 4
        for (int n = 1; n < phases; n++) {
            const tc__mla_stat x = tc__mla_stat_at(mine + (uint32_t)(n * rows) * 4u);
            tc__mla_stat_add(&all, &x, 1, scale);
        }
        tc__mla_stat_put(mine, &all);
    }
    tc_bar_sync(TC__MLA_MEET, 256);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        all = tc__mla_stat_at(scratch + (uint32_t)(a->row + tc_lane() / 4 + 8 * i) * 4u);
        e->max[i] = all.max, e->sum[i] = all.sum, e->rounding[i] = all.rounding;
    }
    tc_bar_sync(TC__MLA_MEET, 256); /* the place is used again */
}

/* Groups of 8 columns to be added up at a time, and parts of them asked for at a time. */
typedef struct tc__mla_batch {
    int groups, parts;
} tc__mla_batch;

/* Columns of groups j .. of this warp's rows, its share of the parts. */
TC_DEV_SM90 void tc__mla_add_parts(const tc_attn_config c, const tc__mla_batch batch, const tc_attn_mla_params *p,
                                   const tc__mla_adder *a, const tc__mla_end *e, int j, int to, float *sum)
{
    const float scale = tc_attn_scale(c, &p->d.problem);
    const int stat = 64 * 512 + a->row + tc_lane() / 4,
              at = (int)((threadIdx.x / 128u - 1u) * 512u) + a->row * 8 + tc_lane() * 4;
#pragma unroll
    for (int i = 0; i < 4 * batch.groups; i++) sum[i] = 0.f;
#pragma unroll 1
    for (int n = a->share; n < a->parts; n += batch.parts * a->shares) {
        float4 o[32];
        float f[32];
#pragma unroll
        for (int k = 0; k < batch.parts; k++) {
            const int m = n + k * a->shares;
            const float *part = tc__mla_part(c, &p->d, a->first, m);
#pragma unroll
            for (int i = 0; i < 2; i++) f[2 * k + i] = m < a->parts ? __ldcg(part + stat + 8 * i) : -TC__INF;
#pragma unroll
            for (int i = 0; i < batch.groups; i++) {
                o[k * batch.groups + i] = make_float4(0.f, 0.f, 0.f, 0.f);
                if (m < a->parts && j + i < to)
                    o[k * batch.groups + i] = __ldcg((const float4 *)(part + (j + i) * 1024 + at));
            }
        }
#pragma unroll
        for (int k = 0; k < batch.parts; k++) {
            float g[2];
#pragma unroll
            for (int i = 0; i < 2; i++) g[i] = tc__decode_factor(f[2 * k + i], e->max[i], scale);
#pragma unroll
            for (int i = 0; i < batch.groups; i++) {
                const float4 x = o[k * batch.groups + i];
                sum[4 * i] += g[0] * x.x, sum[4 * i + 1] += g[0] * x.y;
                sum[4 * i + 2] += g[1] * x.z, sum[4 * i + 3] += g[1] * x.w;
            }
        }
    }
}

/* Groups from .. to - 1 of a unit, this warpgroup's half of O: to O. */
TC_DEV_SM90 void tc__mla_add_groups(const tc_attn_config c, const tc__mla_batch batch, const tc_attn_mla_params *p,
                                    const tc__mla_consumer *u, const tc__mla_adder *a, const tc__mla_end *e,
                                    const tc__attn_place_of_rows *at, int from, int to)
{
    const uint32_t lane = u->smem + TC__MLA_SCRATCH + u->wg * 4096u + (uint32_t)(a->row * 64 + tc_lane() * 32);
#pragma unroll 1
    for (int j = from; j < to; j += batch.groups) {
        float sum[16];
        tc__mla_add_parts(c, batch, p, a, e, j, to, sum);
        if (a->shares > 1) { /* 8 numbers of each lane: 1024 bytes of a warp */
            const uint32_t stride = (uint32_t)(1024 * a->tiles);
            if (a->share && a->share < a->shares) {
#pragma unroll
                for (int i = 0; i < 8; i++)
                    tc__mla_put(lane + (uint32_t)a->share * stride + (uint32_t)i * 4u, tc_bits_from_f32(sum[i]));
            }
            tc_bar_sync(TC__MLA_MEET + 1u + u->wg, 128);
            for (int n = 1; n < a->shares && !a->share; n++) {
#pragma unroll
                for (int i = 0; i < 8; i++)
                    sum[i] += tc_f32_from_bits(tc__mla_get(lane + (uint32_t)n * stride + (uint32_t)i * 4u));
            }
            tc_bar_sync(TC__MLA_MEET + 1u + u->wg, 128);
        }
        tc_attn_rescale(sum, 8 * batch.groups, e->inverse);
#pragma unroll
        for (int i = 0; i < batch.groups; i += 2) {
            const tc__attn_piece piece = {c.type, 2, (j + i) * 8};
            if (j + i < to && a->share == 0) tc__attn_store_piece(piece, sum + 4 * i, at);
        }
    }
}

/* Slices of a unit's columns that are this block's to add up, each of them of both halves of O: to O. */
TC_DEV_SM90 void tc__mla_add_up(const tc_attn_config c, const tc_attn_mla_params *p, tc__mla_consumer *u,
                                uint32_t slices)
{
    const tc_attn_problem *pr = &p->d.problem;
    const tc_attn_work w = tc__mla_note_work(u->note);
    const tc__mla_adder a = tc__mla_adder_of(p, u);
    const int row = a.row + (int)tc__mla_get(u->note + 20u), many = (int)tc_split_slices((uint32_t)a.parts);
    const tc__mla_batch few = {4, 4}, lots = {2, 12};
    tc__attn_place_of_rows at = tc__attn_rows_at(pr, &w, row);
    tc__mla_end e;
    tc__mla_gather(c, p, u, &a, &e);
    tc__mla_finish(pr, &w, row, &e, u->wg == 0 && a.share == 0 && (slices & 1u));
    at.to[0] += u->wg * 256u, at.to[1] += u->wg * 256u;
#pragma unroll 1
    for (int slice = 0; slice < many; slice++) {
        const int from = 16 * slice / many * 2, to = 16 * (slice + 1) / many * 2; /* groups of 8 columns, by twos */
        if (!(slices >> slice & 1u)) continue;
        if (a.parts <= 4) tc__mla_add_groups(c, few, p, u, &a, &e, &at, from, to);
        else tc__mla_add_groups(c, lots, p, u, &a, &e, &at, from, to);
    }
}

/* A unit of which this block has a part. */
TC_DEV_SM90 void tc__mla_join(const tc_attn_config c, const tc_attn_mla_params *p, tc__mla_consumer *u, tc__mla_end *e)
{
    const tc_attn_decode_params *d = &p->d;
    const int parts = (int)tc__mla_get(u->note + 32u), part = (int)tc__mla_get(u->note + 36u),
              first = (int)tc__mla_get(u->note + 40u), last = (int)tc__mla_get(u->note + 44u),
              left = tc__mla_left(p, u);
    const uint32_t word = u->smem + TC__MLA_WORDS + 8u, counter = tc__mla_block(first);
    float *mine = tc__mla_part(c, d, first, part);
    tc_gemm_split split;
    uint32_t slices;
    split.parts = (uint32_t)parts;
    split.counters = d->counters;
    split.patience = 100000;
    if (u->r.row < left) { /* else no row of this warp exists */
#pragma unroll
        for (int j = 0; j < 32; j++)
            *(float4 *)(mine + j * 1024 + (int)(threadIdx.x - 128u) * 4) =
                make_float4(u->r.o[4 * j], u->r.o[4 * j + 1], u->r.o[4 * j + 2], u->r.o[4 * j + 3]);
        if (u->wg == 0 && tc_lane() % 4 == 0) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                float *to = mine + 64 * 512 + u->r.row + tc_lane() / 4 + 8 * i;
                to[0] = e->max[i], to[64] = e->sum[i], to[128] = e->rounding[i];
            }
        }
    }
    __threadfence();
    tc_bar_sync(TC__MLA_MEET, 256);
    if (threadIdx.x == 128) tc__mla_put(word, tc_split_arrive(&split, counter, (uint32_t)part, last));
    tc_bar_sync(TC__MLA_MEET, 256);
    slices = tc__mla_get(word);
    if (slices) tc__mla_add_up(c, p, u, slices);
    tc_bar_sync(TC__MLA_MEET, 256);
    if (threadIdx.x == 128) tc_split_leave(&split, counter);
}

#endif /* __CUDACC__ */
#endif /* TC_ATTN_MLA_END_H */
