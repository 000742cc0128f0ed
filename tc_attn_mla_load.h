/* tc_attn_mla_load.h - tc 0.2.0 - multi-head latent attention on Hopper: what its producers bring, K by TMA, Q, and a
 * note on each unit of work. Needs: the headers below; sm_90a.
 *
 *     tc__mla_slot, _full, _empty, _p, _top    a slot of K, and its mbarriers
 *     tc__mla_load                             one warp: K
 *     tc__mla_load_q, tc__mla_note_work        three warps: Q and the notes; what a consumer learns of one
 */
#ifndef TC_ATTN_MLA_LOAD_H
#define TC_ATTN_MLA_LOAD_H

#include "tc_attn.h"
#include "tc_attn_mla_work.h"

#ifdef __CUDACC__

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

/* Where a tile goes. */
typedef struct tc__mla_place {
    uint32_t slot, phase;
} tc__mla_place;

/* One thread: `count` slices from `first` on of the rows that a box has; the mbarrier at bar counts their bytes. Who
 * reads them again is mostly the block beside this one, which does so now. */
TC_DEV_SM90 void tc__mla_copy(const tc_attn_mla_params *p, uint32_t at, uint32_t bar, uint32_t first, const int count,
                              int row, int outer)
{
#pragma unroll
    for (uint32_t i = 0; i < (uint32_t)count; i++)
        tc_cp_async_bulk_tensor_3d_hint(at + (first + i) * TC__MLA_SLICE, &p->k, (int)(first + i) * 64, row, outer, bar,
                                        tc_createpolicy_evict_first());
}

/* One thread: a tile that is a single box, each quarter as soon as its place is free; and the word on its pages, when
 * all have read the one before. */
TC_DEV_SM90 void tc__mla_bring(const tc_attn_mla_params *p, uint32_t smem, const tc__mla_source *s,
                               const tc__mla_place to, int row, int outer)
{
    const uint32_t at = tc__mla_slot(smem, to.slot), last = tc__mla_full(smem, to.slot, 4);
#pragma unroll
    for (uint32_t part = 0; part < 4u; part++) {
        const uint32_t quarter = part ^ to.slot * 2u, bar = tc__mla_full(smem, to.slot, quarter);
        if (part)
            TC_MBARRIER_WAIT(tc__mla_empty(smem, to.slot, part), to.phase, "a quarter of K empty", (int)to.slot);
        tc_mbarrier_arrive_expect_tx(bar, 2 * TC__MLA_SLICE);
        tc__mla_copy(p, at, bar, quarter * 2u, 2, row, outer);
    }
    tc__mla_put(smem + TC__MLA_WORDS + to.slot * 4u, s->bad);
    tc_mbarrier_arrive_expect_tx(last, TC__MLA_SLICE);
    tc__mla_copy(p, at, last, 8, 1, row, outer);
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
        if (part == 4u) tc__mla_copy(p, at, bar, 8, 1, s->row, s->outer);
        else tc__mla_copy(p, at, bar, part * 2u, 2, s->row, s->outer);
    }
    __syncwarp();
}

/* One warp: all tiles of the block's run. */
TC_DEV_SM90 void tc__mla_load(const tc_attn_config c, const tc_attn_mla_params *p, uint32_t smem)
{
    const int lane = tc_lane();
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
            const tc__mla_place to = {slot, phase};
            const tc__mla_source s = ahead;
            if (n != (int)x.tile) tc__mla_go_ahead(c, p, &x.w, &ahead, &next);
            TC_MBARRIER_WAIT(tc__mla_empty(smem, slot, 0), phase, "K's first quarter empty", (int)slot);
            if (s.from == s.to && p->box_rows == 64) {
                const int row = __shfl_sync(0xffffffffu, s.row, 0), outer = __shfl_sync(0xffffffffu, s.outer, 0);
                if (tc_elect_one()) tc__mla_bring(p, smem, &s, to, row, outer);
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

/* Three warps: Q of one unit after the other, and its note. Rows that do not exist become zeros, or, by TMA, rows that
 * nobody stores. */
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
        if (more && p->q_tma) {
            const int first = tc__decode_row(c, &x), heads = first % d->problem.group / 64, /* 64 of them at a time */
                      at = x.w.q_at + first / d->problem.group, outer = tc__attn_outer_q(&d->problem, &x.w);
            __syncwarp();
            if (thread < 32 && tc_elect_one()) {
                tc_mbarrier_expect_tx(full, TC__MLA_TILE);
#pragma unroll
                for (int i = 0; i < TC__MLA_SLICES; i++)
                    tc_cp_async_bulk_tensor_5d(smem + (uint32_t)(i * TC__MLA_SLICE), &p->q, i * 64, 0, at, heads, outer,
                                               full);
            }
        } else if (more) {
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

#endif /* __CUDACC__ */
#endif /* TC_ATTN_MLA_LOAD_H */
