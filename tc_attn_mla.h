/* tc_attn_mla.h - tc 0.2.0 - multi-head latent attention of few queries over many keys. Needs: tc_attn.h; sm_90a.
 *
 *     O = softmax(scale * Q K') V         K: rows of 576 of which the first 512 are V; one cache for all heads
 *
 *     TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .causal = 1, .paged = 1)
 *     ...
 *     tc_attn_args g = { .batch = b, .heads = 128, .q_len = 1, .k_len = longest, .scale = 1 / sqrt(192), .q = Q,
 *                        .k = cache, .o = O, .lens_k = lens, .page_table = table, .table_pages = t, .page_rows = 64,
 *                        .pages = n };
 *     g.workspace_size = mla_workspace(&g);    once; the most that lens may ask for
 *     cudaMalloc(&g.workspace, g.workspace_size);
 *     tc_status st = mla_run(&g, stream);
 *
 * This is the decoding of models whose projections up from the latent have been absorbed into those of Q and O. Q is
 * (batch, q_len, heads, 576), O (batch, q_len, heads, 512), the cache (page, row, 576); strides as in tc_attn.h. heads
 * is any number; 64 rows, queries times heads, are worked on together, so that 16 or 32 heads take the time of 64; of
 * 128 a pair of blocks, which read the cache once.
 *
 * FIELDS (tc_attn_config): .type, TC_F16 or TC_BF16; .causal, of the q_len queries: the last one sees all keys; .paged,
 * as in tc_attn_decode.h. No other.
 *
 * ARGS are those of decoding (tc_attn_decode.h), which is also the place for lengths on the device, for the workspace,
 * without which no keys are split, and for which calls give the same bits. heads_kv is 1 or 0, v is null or k, and
 * scale has no default: what the model was trained with is not 1 / sqrt(576). lse is written if given. Pages of 64
 * rows, or a multiple of it, take the fewest copies; of other multiples of 8 rows each page, or each part of it that is
 * a power of 2, is a copy of its own.
 *     NAME, NAME_THREADS, NAME_SMEM, NAME_can_run, NAME_run and NAME_workspace are as those of TC_ATTN_SM90_DEFINE.
 * On any device but Hopper a call is refused.
 */
#ifndef TC_ATTN_MLA_H
#define TC_ATTN_MLA_H

#include "tc_attn.h"
#include "tc_attn_mla_work.h"

#ifdef __CUDACC__

/* =====================================================================================================================
 * SM90: warp-specialised, persistent; one block an SM. A unit, and the walk along units, are those of decoding.
 *
 *     warpgroup 0     one warp brings K by TMA; the other three bring Q and leave a note on each unit
 *     warpgroup 1, 2  each has one of the two slots. It computes S of the tiles of its own slot, 64 rows by 64 keys,
 *                     and their softmax, and leaves P in the slot. And it has half of O, 256 columns in 128 registers,
 *                     to which it adds P V of both slots: of its own one with P from registers, of the other's from
 *                     shared memory.
 *
 * So the softmax of one tile runs while the Tensor Cores are at P V of the tile before and at the first half of S of
 * the one after. What exponentials are relative to goes from tile to tile: the maximum of all tiles so far, which the
 * other warpgroup gets as soon as it is known, before P, which comes in two halves of keys. With only two tiles in
 * shared memory, each quarter of one's values is asked for as soon as nobody needs that of the tile before. A
 * warpgroup's products are done in this order: S of the half that it gives back itself, P V of the other slot, S of the
 * rest. (With all of S first, the other slot's half goes back only after a softmax.)
 *
 * Two tiles of rows of a sequence, as 128 heads are, are the work of a pair of blocks, a cluster: they walk along the
 * same keys, and each brings half of them for both.
 *
 * A unit that lies in several runs is split. Each of its blocks leaves its sums in the workspace, as fragments lie, and
 * they meet as the blocks of a GEMM's tile do (tc_split.h): the sums are added up in the order of the keys, in slices
 * of columns, each by one of them.
 */
typedef struct tc_attn_mla_wgmma {
    tc_wgmma_fn qk, pv;  /* S; P V with P from shared memory, */
    tc_wgmma_rs_fn mine; /* and from registers */
} tc_attn_mla_wgmma;

TC_DEV_SM90A TC_CONSTEXPR tc_attn_mla_wgmma tc__mla_wgmma(const tc_attn_config c)
{
    const tc_wgmma_kind kind = {c.type, c.type, 0, 1, 0};
    const tc_attn_mla_wgmma m = {tc_wgmma_pick_f32(64, c.type), tc_wgmma_pick(128, kind),
                                 tc_wgmma_pick_f32_rs_mn(128, c.type)};
    return m;
}

/* Slots and their mbarriers. part: of V, as it is given back: 0 and 1, the quarters of the half of the slot's own
 * warpgroup; 2 and 3, those of the other's. half: of P's keys. */
TC_DEV uint32_t tc__mla_slot(uint32_t smem, uint32_t slot) { return smem + TC__MLA_SLOTS + slot * TC__MLA_TILE; }
TC_DEV uint32_t tc__mla_full(uint32_t smem, uint32_t slot, uint32_t part)
{
    return smem + TC__MLA_FULL + (slot * TC__MLA_FULLS + part) * 8u;
}
TC_DEV uint32_t tc__mla_empty(uint32_t smem, uint32_t slot, uint32_t part)
{
    return smem + TC__MLA_EMPTY + (slot * 4u + part) * 8u;
}
TC_DEV uint32_t tc__mla_p(uint32_t smem, uint32_t slot, uint32_t half)
{
    return smem + TC__MLA_P + (slot * 2u + half) * 8u;
}
TC_DEV uint32_t tc__mla_top(uint32_t smem, uint32_t slot) { return smem + TC__MLA_TOP + slot * 8u; }

TC_DEV void tc__mla_put(uint32_t at, uint32_t x)
{
    asm volatile("st.shared.b32 [%0], %1;" : : "r"(at), "r"(x) : "memory");
}
TC_DEV uint32_t tc__mla_get(uint32_t at)
{
    uint32_t x;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    return x;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * K.
 */
/* Where the copies of a tile come from, of lane l those of keys 8 l ..; bad: which 8 keys are of no page; zero: rows
 * from .. to are to become zeros, since what lies behind a sequence may be NaN. */
typedef struct tc__mla_source {
    int row, outer;
    uint32_t bad;
    int from, to;
} tc__mla_source;

/* Tile n, and the page of this lane's 8 keys, which was asked for two tiles ahead. */
typedef struct tc__mla_next {
    int n, page;
} tc__mla_next;

TC_DEV tc__mla_next tc__mla_ask(const tc_attn_config c, const tc_attn_mla_params *p, const tc_attn_work *w, int n)
{
    const tc_attn_decode_params *d = &p->d;
    const int kv = n * 64 + tc_lane() * 8;
    tc__mla_next next = {n, 0};
    if (c.paged && tc_lane() < 8 && kv < w->k_len)
        next.page = d->table[(long long)w->b * d->table_pages + (int)tc_quotient((uint32_t)kv, d->by_page)];
    return next;
}

TC_DEV tc__mla_source tc__mla_find(const tc_attn_config c, const tc_attn_mla_params *p, const tc_attn_work *w,
                                   const tc__mla_next next)
{
    const tc_attn_decode_params *d = &p->d;
    const int lane = tc_lane(), kv = next.n * 64 + lane * 8, used = w->k_len - next.n * 64, rows = p->box_rows;
    int bad = 0;
    tc__mla_source s;
    s.outer = tc__attn_outer_k(&d->problem, w);
    s.row = w->k_at + kv;
    if (c.paged && lane < 8 && lane * 8 < used) {
        const uint32_t nth = tc_quotient((uint32_t)kv, d->by_page);
        s.outer = next.page;
        s.row = kv - (int)(nth * d->by_page.by);
        bad = (uint32_t)s.outer >= (uint32_t)d->pages;
#ifdef TC_DEBUG
        if (bad && (lane * 8 % rows == 0 || s.row == 0))
            printf("tc: page_table[%d][%d] = %d is none of the %d pages\n", w->b, (int)nth, s.outer, d->pages);
#endif
    }
    s.bad = __ballot_sync(0xffffffffu, bad);
    if (!p->outer || bad) s.outer = 0;
    if (bad || lane * 8 >= used) s.row = (int)d->by_page.by; /* no row of any page: TMA writes zeros */
    s.from = used < 64 ? used : 64;
    s.to = (s.from + rows - 1) & -rows;
    return s;
}

/* On to the next tile, whose page is there by now, and asks for that of the one after it. */
TC_DEV void tc__mla_go_ahead(const tc_attn_config c, const tc_attn_mla_params *p, const tc_attn_work *w,
                             tc__mla_source *ahead, tc__mla_next *next)
{
    *ahead = tc__mla_find(c, p, w, *next);
    *next = tc__mla_ask(c, p, w, next->n + 1);
}

/* Where a tile goes. pair: 2, or this block's rank in its pair, for whose two blocks it then brings every other slice;
 * but each its last one, since the slot's place for it was P's, which this block has written. */
typedef struct tc__mla_place {
    uint32_t slot, phase, pair;
} tc__mla_place;

/* One thread: `count` slices from `first` on of the rows that a box has; the mbarrier at bar counts their bytes. */
TC_DEV_SM90 void tc__mla_copy(const tc_attn_mla_params *p, uint32_t at, uint32_t bar, uint32_t first, const int count,
                              uint32_t pair, int row, int outer)
{
    if (pair < 2u) {
        tc_cp_async_bulk_tensor_3d_multicast(at + (first + pair) * TC__MLA_SLICE, &p->k, (int)(first + pair) * 64, row,
                                             outer, bar, 3);
        return;
    }
#pragma unroll
    for (uint32_t i = 0; i < (uint32_t)count; i++)
        tc_cp_async_bulk_tensor_3d(at + (first + i) * TC__MLA_SLICE, &p->k, (int)(first + i) * 64, row, outer, bar);
}

/* One thread: a tile that is a single box, each quarter as soon as its place is free. */
TC_DEV_SM90 void tc__mla_bring(const tc_attn_mla_params *p, uint32_t smem, const tc__mla_place to, int row, int outer)
{
    const uint32_t at = tc__mla_slot(smem, to.slot), last = tc__mla_full(smem, to.slot, 4);
#pragma unroll
    for (uint32_t part = 0; part < 4u; part++) {
        const uint32_t quarter = part ^ to.slot * 2u, bar = tc__mla_full(smem, to.slot, quarter);
        if (part)
            TC_MBARRIER_WAIT(tc__mla_empty(smem, to.slot, part), to.phase, "a quarter of K empty", (int)to.slot);
        tc_mbarrier_arrive_expect_tx(bar, 2 * TC__MLA_SLICE);
        tc__mla_copy(p, at, bar, quarter * 2u, 2, to.pair, row, outer);
    }
    tc_mbarrier_arrive_expect_tx(last, TC__MLA_SLICE);
    tc__mla_copy(p, at, last, 8, 1, 2, row, outer);
}

/* One warp: a tile of several boxes, or one behind whose end zeros follow: then the mbarrier of tails counts it. */
TC_DEV_SM90 void tc__mla_bring_boxes(const tc_attn_mla_params *p, uint32_t smem, const tc__mla_source *s,
                                     const tc__mla_place to, int tail)
{
    const uint32_t full = tc__mla_full(smem, to.slot, 0);
    const int lane = tc_lane(), box = lane * 8 % p->box_rows == 0 && lane < 8;
#pragma unroll 1
    for (uint32_t part = 1; part < 4u; part++)
        TC_MBARRIER_WAIT(tc__mla_empty(smem, to.slot, part), to.phase, "a quarter of K empty", (int)to.slot);
    if (lane == 0) tc__mla_put(smem + TC__MLA_WORDS + to.slot * 4u, s->bad);
    if (lane == 0 && tail) tc_mbarrier_arrive_expect_tx(smem + TC__MLA_TAIL, TC__MLA_TILE);
    if (lane < TC__MLA_FULLS && !tail)
        tc_mbarrier_arrive_expect_tx(full + (uint32_t)lane * 8u,
                                     lane == TC__MLA_FULLS - 1 ? TC__MLA_SLICE : 2 * TC__MLA_SLICE);
    __syncwarp();
#pragma unroll 1
    for (uint32_t part = 0; part < (uint32_t)TC__MLA_FULLS && box; part++) {
        const uint32_t at = tc__mla_slot(smem, to.slot) + (uint32_t)lane * 1024u,
                       bar = tail ? smem + TC__MLA_TAIL : full + part * 8u;
        if (part == 4u) tc__mla_copy(p, at, bar, 8, 1, 2, s->row, s->outer);
        else tc__mla_copy(p, at, bar, part * 2u, 2, tail ? 2u : to.pair, s->row, s->outer);
    }
    __syncwarp();
}

/* One warp: all tiles of the block's run. */
TC_DEV_SM90 void tc__mla_load(const tc_attn_config c, const tc_attn_mla_params *p, uint32_t smem)
{
    const int lane = tc_lane();
    const uint32_t pair = tc_cluster_nctarank() == 2u ? tc_cluster_ctarank() : 2u;
    uint32_t tile = 0, tails = 0;
    tc__decode_walk x;
    if (!tc__decode_begin(c, &p->d, &x)) return;
    do {
        const int end = (int)x.end < x.w.hi ? (int)x.end : x.w.hi;
        tc__mla_source ahead = tc__mla_find(c, p, &x.w, tc__mla_ask(c, p, &x.w, (int)x.tile));
        tc__mla_next next = tc__mla_ask(c, p, &x.w, (int)x.tile + 1);
#pragma unroll 1
        for (int n = (int)x.tile; n < end; n++, tile++) {
            const uint32_t slot = tile & 1u, phase = (tile >> 1 & 1u) ^ 1u, full = tc__mla_full(smem, slot, 0);
            const tc__mla_place to = {slot, phase, pair};
            const tc__mla_source s = ahead;
            if (n != (int)x.tile) tc__mla_go_ahead(c, p, &x.w, &ahead, &next);
            TC_MBARRIER_WAIT(tc__mla_empty(smem, slot, 0), phase, "K's first quarter empty", (int)slot);
            if (s.from == s.to && p->box_rows == 64) {
                const int row = __shfl_sync(0xffffffffu, s.row, 0), outer = __shfl_sync(0xffffffffu, s.outer, 0);
                if (tc_elect_one()) {
                    tc__mla_put(smem + TC__MLA_WORDS + slot * 4u, s.bad);
                    tc__mla_bring(p, smem, to, row, outer);
                }
                __syncwarp();
            } else {
                tc__mla_bring_boxes(p, smem, &s, to, s.from != s.to);
            }
            if (s.from != s.to) {
                const uint32_t tail = smem + TC__MLA_TAIL, at = tc__mla_slot(smem, slot);
                TC_MBARRIER_WAIT(tail, tails & 1u, "K's tail", 0);
                tails++;
#pragma unroll 1
                for (uint32_t i = 0; i < 8u; i++) {
#pragma unroll 1
                    for (int e = s.from * 128 + lane * 16; e < s.to * 128; e += 512)
                        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};"
                                     : : "r"(at + i * TC__MLA_SLICE + (uint32_t)e), "r"(0) : "memory");
                }
                tc_fence_proxy_async_shared();
                __syncwarp();
                if (lane < TC__MLA_FULLS) tc_mbarrier_arrive(full + (uint32_t)lane * 8u);
            }
            /* a unit's first tile does not wait for the next one's page */
            if (n == (int)x.tile) tc__mla_go_ahead(c, p, &x.w, &ahead, &next);
        }
    } while (tc__decode_next(c, &p->d, &x));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Q, and notes. A note, 12 words, is what the consumers know of a unit.
 */
typedef struct tc__mla_note {
    int b, q_len, k_len, q_at; /* b = -1: there is no further unit */
    int free_hi, row, begin, count; /* first row of the unit; first tile of this block, and how many */
    int parts, part, first, last; /* blocks that share it, which of them this is, the first one; 1: no unit follows */
} tc__mla_note;

TC_DEV void tc__mla_note_put(uint32_t at, const tc__mla_note *n)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" : : "r"(at), "r"(n->b), "r"(n->q_len), "r"(n->k_len),
                 "r"(n->q_at) : "memory");
    asm volatile("st.shared.v4.b32 [%0+16], {%1, %2, %3, %4};" : : "r"(at), "r"(n->free_hi), "r"(n->row),
                 "r"(n->begin), "r"(n->count) : "memory");
    asm volatile("st.shared.v4.b32 [%0+32], {%1, %2, %3, %4};" : : "r"(at), "r"(n->parts), "r"(n->part), "r"(n->first),
                 "r"(n->last) : "memory");
}

/* The unit as a tile of work: the part of it that masks and stores ask for. */
TC_DEV tc_attn_work tc__mla_note_work(uint32_t at)
{
    tc_attn_work w = {(int)tc__mla_get(at), 0, 0, (int)tc__mla_get(at + 4), (int)tc__mla_get(at + 8),
                      (int)tc__mla_get(at + 12), 0, 0, 0, 0, (int)tc__mla_get(at + 16)};
    return w;
}

TC_DEV void tc__mla_note_make(const tc_attn_config c, const tc_attn_decode_params *d, const tc__decode_walk *x,
                              tc__mla_note *n)
{
    const int end = (int)x->end < x->w.hi ? (int)x->end : x->w.hi, run = (int)(blockIdx.x >> tc__decode_log());
    n->b = x->w.b, n->q_len = x->w.q_len, n->k_len = x->w.k_len, n->q_at = x->w.q_at;
    n->free_hi = x->w.free_hi;
    n->row = tc__decode_row(c, x);
    n->begin = (int)x->tile;
    n->count = end > n->begin ? end - n->begin : 0;
    n->first = d->counters ? (int)(x->start / x->each) : run;
    n->parts = d->counters ? (int)((x->start + x->tiles - 1u) / x->each) - n->first + 1 : 1;
    n->part = run - n->first;
    n->last = x->left == 0;
}

/* Three warps: Q of one unit after the other, and its note. Rows that do not exist become zeros. */
TC_DEV_SM90 void tc__mla_load_q(const tc_attn_config c, const tc_attn_mla_params *p, uint32_t smem)
{
    const tc_attn_decode_params *d = &p->d;
    const int thread = (int)threadIdx.x - 32, lane = thread % 8;
    const uint32_t full = smem + TC__MLA_Q, empty = full + 8u;
    tc__decode_walk x;
    uint32_t unit = 0;
    int more = tc__decode_begin(c, d, &x);
    for (;; unit++) {
        TC_MBARRIER_WAIT(empty, (unit & 1u) ^ 1u, "Q empty", 0);
        if (thread == 0) {
            tc__mla_note n;
            n.b = -1;
            n.q_len = n.k_len = n.q_at = n.free_hi = n.row = n.begin = n.count = 0;
            n.parts = n.part = n.first = n.last = 0;
            if (more) tc__mla_note_make(c, d, &x, &n);
            tc__mla_note_put(smem + TC__MLA_NOTES + (unit & 1u) * 64u, &n);
        }
        if (more) {
            const uint16_t *q = (const uint16_t *)d->q + tc__attn_outer_q(&d->problem, &x.w) * d->q_batch + lane * 8;
            const int first = tc__decode_row(c, &x);
#pragma unroll 1
            for (int row = thread / 8; row < 64; row += TC__MLA_LOADERS / 8) {
                const tc_attn_at at = tc__attn_row(&d->problem, &x.w, first + row);
                const int exists = tc__attn_row_exists(&d->problem, &x.w, first + row, at.q);
                const uint16_t *from = q + (exists ? (x.w.q_at + at.q) * d->q_row + at.h * d->q_head : 0);
                const uint32_t to = smem + tc_rows_at(128, (uint32_t)row, (uint32_t)lane);
#pragma unroll
                for (int i = 0; i < TC__MLA_SLICES; i++)
                    tc_cp_async_cg_16_zfill(to + (uint32_t)(i * TC__MLA_SLICE), from + i * 64, exists ? 16 : 0);
            }
            tc_cp_async_commit_group();
            TC_CP_ASYNC_WAIT_GROUP(0);
            tc_fence_proxy_async_shared();
        }
        tc_mbarrier_arrive(full);
        if (!more) break;
        more = tc__decode_next(c, d, &x);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A consumer.
 */
typedef struct tc__mla_kernel {
    tc_attn_config c;
    tc_attn_mla_wgmma m;
} tc__mla_kernel;

typedef struct tc__mla_consumer {
    uint32_t smem, wg; /* wg: 0 or 1, its slot and its half of O */
    uint32_t tile;     /* of the block's run: the first of the unit */
    uint32_t note;
    tc_attn_rows r;
    float *s;    /* the fragment of S */
    uint32_t *a; /* P as an A operand */
} tc__mla_consumer;

/* Slices from .. to - 1 of S = Q K' of a tile of its own slot, issued as they come: the half that it gives back itself,
 * the other half, the last one. */
TC_DEV_SM90A void tc__mla_qk(const tc__mla_kernel k, tc__mla_consumer *u, uint32_t phase, const int from, const int to)
{
    const uint64_t q = tc_wgmma_desc(u->smem, 128), b = tc_wgmma_desc(tc__mla_slot(u->smem, u->wg), 128);
#pragma unroll
    for (int i = from; i < to; i++) {
        const uint32_t slice = i == 8 ? 8u : ((uint32_t)i ^ u->wg * 4u);
        if (i % 2 == 0)
            TC_MBARRIER_WAIT(tc__mla_full(u->smem, u->wg, slice / 2u), phase, "K full", (int)slice);
        tc_wgmma_fence();
#pragma unroll
        for (int j = 0; j < 4; j++)
            k.m.qk(u->s, tc_wgmma_desc_advance(q, slice * TC__MLA_SLICE + (uint32_t)j * 32u),
                   tc_wgmma_desc_advance(b, slice * TC__MLA_SLICE + (uint32_t)j * 32u), i > 0 || j > 0);
    }
    tc_wgmma_commit_group();
}

/* O += P V, its half of V, issued in groups, each of which gives a part of V back: of its own slot with P from
 * registers, or of the other's. */
TC_DEV_SM90A void tc__mla_pv(const tc__mla_kernel k, tc__mla_consumer *u, const int other, uint32_t phase)
{
    const uint32_t from = other ? u->wg ^ 1u : u->wg, slot = tc__mla_slot(u->smem, from);
    const uint64_t v = tc_wgmma_desc_mn(slot + u->wg * (4u * TC__MLA_SLICE), TC__MLA_SLICE),
                   p = tc_wgmma_desc(slot + 8u * TC__MLA_SLICE, 128);
#pragma unroll
    for (int q = 0; q < 2; q++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint64_t b = tc_wgmma_desc_advance(v, (uint32_t)(q * 2 * TC__MLA_SLICE + i * 2048));
            if (q == 0 && i % 2 == 0) {
                if (other) TC_MBARRIER_WAIT(tc__mla_p(u->smem, from, (uint32_t)i / 2u), phase, "P", (int)from);
                if (other || i == 0) tc_wgmma_fence();
            }
            if (other) k.m.pv(u->r.o + 64 * q, tc_wgmma_desc_advance(p, (uint32_t)i * 32u), b, 1);
            else k.m.mine(u->r.o + 64 * q, u->a + 4 * i, b, 1);
        }
        tc_wgmma_commit_group();
    }
}

/* What the maxima of the other slot's tile do to what there is; then its P V, issued. */
TC_DEV_SM90A void tc__mla_add_other(const tc__mla_kernel k, const tc_attn_mla_params *p, tc__mla_consumer *u,
                                    uint32_t phase)
{
    const uint32_t slot = u->wg ^ 1u, tops = u->smem + TC__MLA_TOPS + slot * 256u
                                             + (uint32_t)(u->r.row + tc_lane() / 4) * 4u;
    const float scale = tc_attn_scale(k.c, &p->d.problem);
    float f[2];
    int rise = 0;
    TC_MBARRIER_WAIT(tc__mla_top(u->smem, slot), phase, "maxima", (int)slot);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float to = tc_f32_from_bits(tc__mla_get(tops + (uint32_t)i * 32u)), base = to == -TC__INF ? 0.f : to;
        f[i] = tc__exp2((u->r.max[i] - base) * scale);
        rise |= to > u->r.max[i];
        u->r.sum[i] *= f[i];
        u->r.rounding[i] *= f[i];
        u->r.max[i] = to;
    }
    if (__any_sync(0xffffffffu, rise)) {
        TC_WGMMA_WAIT_GROUP(0); /* S so far: ptxas wants no other products on their way */
        tc_attn_rescale(u->r.o, 256, f);
    }
    tc__mla_pv(k, u, 1, phase);
}

/* A part of V goes back: to the block's producer, and to that of the other block of its pair. */
TC_DEV_SM90 void tc__mla_release(const tc__mla_consumer *u, uint32_t slot, uint32_t part)
{
    const uint32_t bar = tc__mla_empty(u->smem, slot, part);
    tc__mbarrier_arrive_if(threadIdx.x % 128u == 0, bar);
    tc__mbarrier_arrive_cluster_relaxed_if(threadIdx.x % 128u == 32u && tc_cluster_nctarank() == 2u,
                                           tc_mapa(bar, tc_cluster_ctarank() ^ (tc_cluster_nctarank() - 1u)));
}

/* P V of a slot is done, but for the `behind` groups issued after it: its half goes back. */
TC_DEV_SM90A void tc__mla_done(tc__mla_consumer *u, uint32_t slot, const int behind)
{
    const uint32_t part = slot == u->wg ? 0u : 2u;
    if (behind) TC_WGMMA_WAIT_GROUP(2);
    else TC_WGMMA_WAIT_GROUP(1);
    tc__mla_release(u, slot, part);
    if (behind) TC_WGMMA_WAIT_GROUP(1);
    else TC_WGMMA_WAIT_GROUP(0);
    tc__mla_release(u, slot, part + 1u);
}

/* Scores of tile n to P: registers, and the place of the slot's last slice, of 32 keys at a time; before that, what
 * exponentials are relative to. The return value is tc_attn_softmax's. */
TC_DEV_SM90A int tc__mla_softmax(const tc__mla_kernel k, const tc_attn_mla_params *p, tc__mla_consumer *u, int n,
                                 float *f)
{
    const uint32_t slot = tc__mla_slot(u->smem, u->wg) + 8u * TC__MLA_SLICE + (uint32_t)u->r.row * 128u,
                   tops = u->smem + TC__MLA_TOPS + u->wg * 256u + (uint32_t)(u->r.row + tc_lane() / 4) * 4u;
    const tc_box box = {k.c.type, 128};
    const uint32_t at = slot + tc_box_lane(box);
    tc_attn_scores x = {u->s, 64, 0, n, TC_ATTN_WHOLE, 1, 0, tc_attn_scale(k.c, &p->d.problem)};
    tc__attn_row_open row[2];
    if (x.n >= (int)tc__mla_get(u->note + 16u)) { /* not every row may see all of its keys */
        const tc_attn_work w = tc__mla_note_work(u->note);
        x.row = u->r.row + (int)tc__mla_get(u->note + 20u);
        x.few = tc_attn_score(k.c, &p->d.problem, &w, x);
    }
    if (k.c.paged) {
        const uint32_t bad = tc__mla_get(u->smem + TC__MLA_WORDS + u->wg * 4u);
        if (bad) {
#pragma unroll
            for (int i = 0; i < 32; i++)
                if (bad >> i / 4 & 1u) u->s[i] = -TC__INF;
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) row[i] = tc__attn_row_begin(k.c, x, i, &u->r, f);
    if (tc_lane() % 4 == 0) {
#pragma unroll
        for (int i = 0; i < 2; i++) tc__mla_put(tops + (uint32_t)i * 32u, tc_bits_from_f32(u->r.max[i]));
    }
    __syncwarp();
    tc__mbarrier_arrive_if(tc_lane() == 0, tc__mla_top(u->smem, u->wg));
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int i = 0; i < 2; i++) tc__attn_row_exp2(x, i, 4 * half, 4 * half + 4, &row[i]);
        tc_attn_pack(k.c.type, u->s + 16 * half, 32, u->a + 8 * half);
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; i++) tc_stmatrix_x4(at ^ (uint32_t)(i * 32), u->a + 4 * i);
        tc_fence_proxy_async_shared();
        __syncwarp();
        tc__mbarrier_arrive_if(tc_lane() == 0, tc__mla_p(u->smem, u->wg, (uint32_t)half));
    }
#pragma unroll
    for (int i = 0; i < 2; i++) u->r.sum[i] += row[i].a + row[i].b;
    tc__attn_add_rounding(k.c, x, &u->r);
    return __any_sync(0xffffffffu, row[0].rise | row[1].rise);
}

/* The tiles of a unit. */
TC_DEV_SM90A void tc__mla_tiles(const tc__mla_kernel k, const tc_attn_mla_params *p, tc__mla_consumer *u, int begin,
                                int count)
{
    const int own = (int)((u->tile ^ u->wg) & 1u);
    int t;
    if (own >= count && tc_lane() == 0) tc_mbarrier_arrive(u->smem + TC__MLA_Q + 8u);
#pragma unroll 1
    for (t = own; t < count; t += 2) {
        const uint32_t phase = (u->tile + (uint32_t)t) >> 1 & 1u,
                       before = (u->tile + (uint32_t)t - 1u) >> 1 & 1u; /* of the other slot's */
        float f[2];
        int rise;
        if (t > 0) {
            tc__mla_qk(k, u, phase, 0, 4);
            tc__mla_add_other(k, p, u, before);
            tc__mla_qk(k, u, phase, 4, TC__MLA_SLICES);
            tc__mla_done(u, u->wg ^ 1u, 1);
            TC_WGMMA_WAIT_GROUP(0);
        } else {
            tc__mla_qk(k, u, phase, 0, TC__MLA_SLICES);
            TC_WGMMA_WAIT_GROUP(0);
        }
        tc_wgmma_fence_acc(u->s, 32);
        tc_wgmma_fence_acc(u->r.o, 128);
        if (t + 2 >= count && tc_lane() == 0) tc_mbarrier_arrive(u->smem + TC__MLA_Q + 8u); /* the last of Q */
        rise = tc__mla_softmax(k, p, u, begin + t, f);
        if (rise) tc_attn_rescale(u->r.o, 256, f);
        tc__mla_pv(k, u, 0, 0);
        tc__mla_done(u, u->wg, 0);
        tc_wgmma_fence_acc(u->r.o, 128);
    }
    if (count > 0 && t - 1 < count) { /* the last tile is the other's */
        tc__mla_add_other(k, p, u, (u->tile + (uint32_t)t - 1u) >> 1 & 1u);
        tc__mla_done(u, u->wg ^ 1u, 0);
        tc_wgmma_fence_acc(u->r.o, 128);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The end of a unit.
 */
enum { TC__MLA_MEET = 1 }; /* the consumers' barrier */

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

/* Slices of a unit's columns that are this block's to add up, each of them of both halves of O: to O. */
TC_DEV_SM90 void tc__mla_add_up(const tc_attn_config c, const tc_attn_mla_params *p, tc__mla_consumer *u,
                                uint32_t slices)
{
    const tc_attn_decode_params *d = &p->d;
    const tc_attn_problem *pr = &d->problem;
    const tc_attn_work w = tc__mla_note_work(u->note);
    const int row = u->r.row + (int)tc__mla_get(u->note + 20u), parts = (int)tc__mla_get(u->note + 32u),
              first = (int)tc__mla_get(u->note + 40u), stat = 64 * 512 + u->r.row + tc_lane() / 4,
              many = (int)tc_split_slices((uint32_t)parts), thread = (int)(threadIdx.x - 128u) * 4;
    const float scale = tc_attn_scale(c, pr);
    tc__attn_place_of_rows at = tc__attn_rows_at(pr, &w, row);
    tc__mla_end e;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        e.max[i] = -TC__INF;
        e.sum[i] = e.rounding[i] = 0.f;
#pragma unroll 8
        for (int n = 0; n < parts; n++)
            e.max[i] = fmaxf(e.max[i], __ldcg(tc__mla_part(c, d, first, n) + stat + 8 * i));
#pragma unroll 4
        for (int n = 0; n < parts; n++) {
            const float *part = tc__mla_part(c, d, first, n) + stat + 8 * i;
            const float base = e.max[i] == -TC__INF ? 0.f : e.max[i], f = tc__exp2((__ldcg(part) - base) * scale);
            e.sum[i] += f * __ldcg(part + 64);
            e.rounding[i] += f * __ldcg(part + 128);
        }
    }
    tc__mla_finish(pr, &w, row, &e, u->wg == 0 && (slices & 1u));
    at.to[0] += u->wg * 256u, at.to[1] += u->wg * 256u;
#pragma unroll 1
    for (int slice = 0; slice < many; slice++) {
        const int to = 16 * (slice + 1) / many * 2; /* groups of 8 columns, by twos */
        if (!(slices >> slice & 1u)) continue;
#pragma unroll 1
        for (int j = 16 * slice / many * 2; j < to; j += 4) {
            float sum[16];
#pragma unroll
            for (int i = 0; i < 16; i++) sum[i] = 0.f;
#pragma unroll 4
            for (int n = 0; n < parts; n++) {
                const float *part = tc__mla_part(c, d, first, n);
                float4 o[4];
                float f[2];
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    o[i] = make_float4(0.f, 0.f, 0.f, 0.f);
                    if (j + i < to) o[i] = __ldcg((const float4 *)(part + (j + i) * 1024 + thread));
                }
#pragma unroll
                for (int i = 0; i < 2; i++)
                    f[i] = tc__exp2((__ldcg(part + stat + 8 * i) - (e.max[i] == -TC__INF ? 0.f : e.max[i])) * scale);
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    sum[4 * i] += f[0] * o[i].x, sum[4 * i + 1] += f[0] * o[i].y;
                    sum[4 * i + 2] += f[1] * o[i].z, sum[4 * i + 3] += f[1] * o[i].w;
                }
            }
            tc_attn_rescale(sum, 32, e.inverse);
#pragma unroll
            for (int i = 0; i < 4; i += 2) {
                const tc__attn_piece piece = {c.type, 2, (j + i) * 8};
                if (j + i < to) tc__attn_store_piece(piece, sum + 4 * i, &at);
            }
        }
    }
}

/* A unit of which this block has a part. */
TC_DEV_SM90 void tc__mla_join(const tc_attn_config c, const tc_attn_mla_params *p, tc__mla_consumer *u, tc__mla_end *e)
{
    const tc_attn_decode_params *d = &p->d;
    const int parts = (int)tc__mla_get(u->note + 32u), part = (int)tc__mla_get(u->note + 36u),
              first = (int)tc__mla_get(u->note + 40u), last = (int)tc__mla_get(u->note + 44u),
              left = (int)tc__mla_get(u->note + 4u) * d->problem.group - (int)tc__mla_get(u->note + 20u);
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
    if (slices && u->r.row < left) tc__mla_add_up(c, p, u, slices);
    tc_bar_sync(TC__MLA_MEET, 256);
    if (threadIdx.x == 128) tc_split_leave(&split, counter);
}

/* Consumer, one warpgroup: all units of the block's run. */
TC_DEV_SM90A void tc_attn_mla_mma(const tc_attn_config c, const tc_attn_mla_wgmma m, const tc_attn_mla_params *p,
                                  uint32_t smem)
{
    const tc__mla_kernel kernel = {c, m};
    float s[32], o[128];
    uint32_t a[16];
    tc__mla_consumer u;
    u.smem = smem, u.wg = (uint32_t)tc_warpgroup() - 1u, u.tile = 0;
    u.r.row = (int)(threadIdx.x / 32u % 4u) * 16;
    u.s = s, u.r.o = o, u.a = a;
#pragma unroll 1
    for (uint32_t unit = 0;; unit++) {
        tc__mla_end e;
        int begin, count;
        u.note = smem + TC__MLA_NOTES + (unit & 1u) * 64u;
        TC_MBARRIER_WAIT(smem + TC__MLA_Q, unit & 1u, "Q full", 0);
        if ((int)tc_uniform(tc__mla_get(u.note)) < 0) break;
        begin = (int)tc_uniform(tc__mla_get(u.note + 24u));
        count = (int)tc_uniform(tc__mla_get(u.note + 28u));
        __syncwarp(); /* the note before has been read by all lanes before lane 0 gives its place away */
        tc_attn_rows_init(&u.r);
#pragma unroll
        for (int i = 0; i < 128; i++) o[i] = 0.f;
        tc__mla_tiles(kernel, p, &u, begin, count);
        u.tile += (uint32_t)count;
        tc__mla_meet(&u, unit & 1u, &e);
        if ((int)tc_uniform(tc__mla_get(u.note + 32u)) > 1) tc__mla_join(c, p, &u, &e);
        else tc__mla_store(c, &p->d.problem, &u, &e);
    }
}

/* The kernel. */
TC_DEV_SM90A void tc_attn_mla(const tc_attn_config c, const tc_attn_mla_wgmma m, const tc_attn_mla_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t smem = tc_smem_u32(tc__dynamic_smem);
    const tc_roles roles = tc_roles_of(2, TC_ROLES_PRODUCER);
    if (threadIdx.x == 0) {
        tc_prefetch_tensormap(&p->k);
#pragma unroll 1
        for (uint32_t i = 0; i < 2u * TC__MLA_FULLS; i++) tc_mbarrier_init(smem + TC__MLA_FULL + i * 8u, 1);
#pragma unroll 1
        for (uint32_t i = 0; i < 8u; i++) tc_mbarrier_init(smem + TC__MLA_EMPTY + i * 8u, tc_cluster_nctarank());
#pragma unroll 1
        for (uint32_t i = 0; i < 6u; i++) tc_mbarrier_init(smem + TC__MLA_P + i * 8u, 4);
        tc_mbarrier_init(smem + TC__MLA_Q, TC__MLA_LOADERS);
        tc_mbarrier_init(smem + TC__MLA_Q + 8u, 8); /* a lane of each consumer warp: they have read the note, too */
        tc_mbarrier_init(smem + TC__MLA_TAIL, 1);
        tc_fence_mbarrier_init();
    }
    __syncthreads();
    if (tc_cluster_nctarank() == 2u) tc_cluster_sync();
    tc_griddepcontrol_wait();
    if (tc_warpgroup() == 0) {
        tc_roles_producer(roles);
        if (threadIdx.x < 32) tc__mla_load(c, p, smem);
        else tc__mla_load_q(c, p, smem);
        tc_griddepcontrol_launch_dependents();
    } else {
        tc_roles_consumer(roles);
        tc_attn_mla_mma(c, m, p, smem);
    }
    if (tc_cluster_nctarank() == 2u) tc_cluster_sync(); /* the other block of the pair still gives slots back */
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

TC_HOST tc_status tc__attn_mla_go(const tc_attn_config *c, const tc__kernels *s, const tc_attn_args *args,
                                  const tc__launch *how)
{
    const tc__kernel k = {s->f[0].function, s->f[0].name, TC__MLA_THREADS, TC__MLA_BYTES, 1, 90, &s->cache[0]};
    return tc__attn_mla_run(c, &k, args, how);
}

#endif /* host */

#ifdef __CUDACC__

#define TC__ATTN_MLA_BODY(own, config)                                                                                \
    TC__ATTN_HOOK(own)                                                                                                \
    constexpr tc_attn_config c = config;                                                                              \
    constexpr tc_attn_mla_wgmma m = tc__mla_wgmma(config);                                                            \
    tc_attn_mla(c, m, &p);

#define TC_ATTN_MLA_DEFINE(name, ...) TC__CALL4(TC__ATTN_MLA_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_MLA_DEFINE_(name, own, ...)                                                                          \
    TC__ATTN_CONFIG(name, own, tc_attn_mla_config, __VA_ARGS__)                                                       \
    TC__ATTN_MLA_RULES(TC__RULE_ASSERT, own##_config())                                                               \
    TC__SIZES(name, own##_config(), tc_attn_mla_threads, tc_attn_mla_smem)                                            \
    TC__KERNEL_OF(name, tc_attn_mla_params, (TC__SM90_BOUND(TC__MLA_THREADS), 1),                                     \
                  TC__SM90_STRICT(TC__ATTN_MLA_BODY(own, own##_config())))                                            \
    TC__HOST_PART(TC__GO(own, attn, tc__attn_mla_go, TC__FUNCTION(name)) TC__ATTN_ENTRIES(name, own))

#endif /* __CUDACC__ */
#endif /* TC_ATTN_MLA_H */
