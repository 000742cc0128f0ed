/* tc_attn_decode.h - tc 0.2.0 - attention of few queries over many keys (decoding). Needs: the headers below; sm_80.
 *
 *     TC_ATTN_DECODE_DEFINE(decode, .type = TC_BF16, .head_dim = 128, .causal = 1, .paged = 1)
 *     ...
 *     tc_attn_args g = { .batch = b, .heads = h, .heads_kv = hk, .q_len = 1, .k_len = longest, .q = Q, .k = K, .v = V,
 *                        .o = O, .lens_k = lens, .page_table = table, .table_pages = t, .page_rows = 64, .pages = n };
 *     g.workspace_size = decode_workspace(&g);    once; the most that lens may ask for
 *     cudaMalloc(&g.workspace, g.workspace_size);
 *     tc_status st = decode_run(&g, stream);
 *
 * FIELDS (tc_attn_config): .type, .head_dim, .head_dim_v, .causal, .window and the hooks .score, .mask, .out, .sink, as
 * in tc_attn.h; and
 *     .bm       rows of a block, a multiple of 16 (16): a row is a query of one of the heads that share K and V
 *     .warps    of a block (4)
 *     .bn       keys of a tile of all warps (16 for each; 32 where K and V have 8 bits and heads are less than 256)
 *     .stages   tiles in flight, 2..6 (what lets two blocks lie on an SM of Hopper, or else fits there); where a device
 *               gives a block less shared memory, as many as fit
 *     .kv       K and V of TC_E4M3 or TC_S8, which become f16 in registers, exactly (before sm_89 e4m3's NaN reads as
 *               480); so do P, and Q by rows. args.k_scale and .v_scale, in device memory, are what K and V are
 *               multiplied by, one each or one for each key head.
 *     .paged    K and V lie in pages of args.page_rows rows, a multiple of 8: row j of sequence b is row j % page_rows
 *               of page page_table[b * table_pages + j / page_rows]. k_stride.batch is then the distance between pages,
 *               and contiguous are (page, row, head, head_dim). A page that is not in 0..pages - 1 is not read: its
 *               rows are dropped as by a mask (and TC_DEBUG prints its number).
 * NAME is the kernel; NAME_THREADS, NAME_SMEM, NAME_can_run, NAME_run and NAME_workspace are as those of a GEMM.
 *
 * LENGTHS on the device (lens_k, lens_q, cu_q, cu_k) may change between replays of a CUDA graph: each block finds out
 * from them what it has to do. k_len is their bound.
 *
 * WORKSPACE. With args.workspace any number of blocks share the keys of a sequence, and every call is cut evenly. It is
 * the caller's, serves one call at a time, may hold anything before its first use, and is left alone between calls, as
 * a GEMM's. Fewer bytes than NAME_workspace says are refused. Short calls and those of many sequences are faster
 * without one, as below, and leave it alone.
 *     Without one the blocks of a thread block cluster share them, where that is worth it: 2, 4, 8 or 16 (as many as
 * the device takes) for each key head of each sequence, by the number of these, k_len, .blocks and what the device runs
 * at a time. So one sequence of 8 key heads is 128 blocks' work, one of a single key head 16 blocks'. It takes a device
 * of compute capability 9.0 or later and code compiled for such; elsewhere no keys are split, nor in launches by
 * tc_attn_decode_prepare, which knows no device.
 *
 * SAME BITS. Two calls with the same arguments, lengths, .blocks and workspace (or none) on the same device give the
 * same bits. Another batch or other lengths may cut a sequence at other places.
 */
#ifndef TC_ATTN_DECODE_H
#define TC_ATTN_DECODE_H

#include "tc_attn_decode_work.h"
#include "tc_mma.h"
#include "tc_softmax.h"

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * K and V on their way to a warp's ring.
 */
typedef struct tc__decode_stream {
    tc__decode_walk x;
    const char *k, *v;       /* of the unit: first row, or page 0, of its key head */
    int on;                  /* there is more */
    int page[8];             /* paged: those of the slab that comes next, one for each 8 rows */
    uint32_t bad;            /* bits: of each slot, which 8 rows are of no page */
} tc__decode_stream;

/* Rows of K or V as a warp copies them. */
TC_HD TC_CONSTEXPR tc_rows tc__decode_copies(const tc_attn_config c, const int dim)
{
    const tc_rows t = {dim * tc__decode_bytes(c), tc__decode_keys(c), 32};
    return t;
}

/* Rows of a slab; from: where each 8 of them begin; exist: so many exist, the others become zeros, as those of which
 * bad says so. */
typedef struct tc__decode_slab_of {
    tc_rows rows;
    uint32_t to;
    long long pitch;
    int exist;
    uint32_t bad;
} tc__decode_slab_of;

TC_DEV_SM80 void tc__decode_copy(const tc__decode_slab_of s, const char *const *from)
{
    const int lanes = tc_rows_lanes(s.rows), pieces = tc_rows_pieces(s.rows), step = tc_rows_step(s.rows);
    const int r = tc_lane() / lanes, ch = tc_lane() % lanes;
    const uint32_t first = s.to + tc_rows_at(s.rows.bytes, (uint32_t)r, (uint32_t)ch);
    const long long off = r % 8 * s.pitch + ch * 16;
#pragma unroll
    for (int i = 0; i < tc_rows_passes(s.rows) * pieces; i++) {
        const int row = i / pieces * step, second = step > 8 && r >= 8;
        const char *src = second ? from[row / 8 + (step > 8)] : from[row / 8];
        const int on = r + row < s.exist && !(s.bad >> (row / 8 + second) & 1u);
        tc_cp_async_cg_16_zfill(tc_rows_to(s.rows, first, (uint32_t)tc_lane(), i),
                                src + off + row % 8 * s.pitch + i % pieces * lanes * 16, on ? 16 : 0);
    }
}

/* The slab that tile x->tile gives this warp. */
TC_DEV int tc__decode_slab_at(const tc_attn_config c, const tc__decode_walk *x, int warp)
{
    return x->w.lo + (int)x->tile * c.warps + warp;
}

/* The pages of the slab that comes next: asked for a tile ahead. */
TC_DEV void tc__decode_pages(const tc_attn_config c, const tc_attn_decode_params *p, tc__decode_stream *s, int warp)
{
    const int kv = tc__decode_slab_at(c, &s->x, warp) * tc__decode_keys(c);
    if (!c.paged || !s->on) return;
#pragma unroll
    for (int i = 0; i < tc__decode_keys(c) / 8; i++)
        if (kv + 8 * i < s->x.w.k_len)
            s->page[i] = p->table[(long long)s->x.w.b * p->table_pages
                                  + (int)tc_quotient((uint32_t)(kv + 8 * i), p->by_page)];
}

/* A new unit. */
TC_DEV void tc__decode_aim(const tc_attn_decode_params *p, tc__decode_stream *s, const int paged)
{
    const tc_attn_work *w = &s->x.w;
    const int head = w->h / p->problem.group;
    s->k = (const char *)p->k + head * p->k_head;
    s->v = (const char *)p->v + head * p->v_head;
    if (!paged) {
        s->k += tc__attn_outer_k(&p->problem, w) * p->k_batch + w->k_at * p->k_row;
        s->v += tc__attn_outer_k(&p->problem, w) * p->v_batch + w->k_at * p->v_row;
    }
}

/* The next tile's slab into slot number `slot`, which begins at `to`. A group of cp.async each time, if empty. */
TC_DEV_SM80 void tc__decode_fill(const tc_attn_config c, const tc_attn_decode_params *p, tc__decode_stream *s,
                                 uint32_t to, uint32_t slot)
{
    const int warp = (int)threadIdx.x / 32, keys = tc__decode_keys(c), groups = keys / 8;
    if (s->on) {
        const int n = tc__decode_slab_at(c, &s->x, warp), kv = n * keys, exist = s->x.w.k_len - kv;
        const char *k[8], *v[8];
        uint32_t bad = 0;
#pragma unroll
        for (int i = 0; i < groups; i++) {
            if (c.paged) {
                const uint32_t row = (uint32_t)(kv + 8 * i), page = (uint32_t)s->page[i],
                               in = row - tc_quotient(row, p->by_page) * p->by_page.by;
                const int wrong = page >= (uint32_t)p->pages;
                const long long at = wrong || 8 * i >= exist ? 0 : page;
                if (wrong && 8 * i < exist) bad |= 1u << i;
                k[i] = s->k + at * p->k_batch + in * p->k_row;
                v[i] = s->v + at * p->v_batch + in * p->v_row;
#ifdef TC_DEBUG
                if (wrong && 8 * i < exist && n < s->x.w.hi && tc_lane() == 0)
                    printf("tc: page_table[%d][%d] = %d is none of the %d pages\n", s->x.w.b,
                           (int)tc_quotient(row, p->by_page), s->page[i], p->pages);
#endif
            } else {
                k[i] = s->k + (long long)(kv + 8 * i) * p->k_row;
                v[i] = s->v + (long long)(kv + 8 * i) * p->v_row;
            }
        }
        if (n < s->x.w.hi) {
            const tc__decode_slab_of ks = {tc__decode_copies(c, c.head_dim), to, p->k_row, exist, bad};
            const tc__decode_slab_of vs = {tc__decode_copies(c, c.head_dim_v),
                                           to + (uint32_t)(keys * c.head_dim * tc__decode_bytes(c)), p->v_row, exist,
                                           bad};
            tc__decode_copy(ks, k);
            tc__decode_copy(vs, v);
        }
        if (c.paged) {
            const uint32_t shift = slot * (uint32_t)groups;
            s->bad = (s->bad & ~(((1u << groups) - 1u) << shift)) | bad << shift;
        }
        if (++s->x.tile == s->x.end) {
            s->on = tc__decode_next(c, p, &s->x);
            if (s->on) tc__decode_aim(p, s, c.paged);
        }
        tc__decode_pages(c, p, s, warp);
    }
    tc_cp_async_commit_group();
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Products.
 */
/* Elements number i and j (constants) of four of 8 bits, as a pair of f16, exactly. s8: the byte plus 128 under the
 * exponent of 1024, less 1152. */
TC_DEV_SM80 uint32_t tc__decode_widen(const tc_attn_config c, uint32_t x, const int i, const int j)
{
    uint32_t y;
    if (c.kv == TC_S8) {
        const uint32_t pick = (uint32_t)(i | 4 << 4 | j << 8 | 4 << 12);
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(y) : "r"(x ^ 0x80808080u), "r"(0x64646464), "r"(pick));
        asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(y) : "r"(y), "r"(0x64806480));
        return y;
    }
#if TC_HAS_SM89
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(y) : "r"(x), "r"(0), "r"(i | j << 4 | 0x4400));
    return tc_f16x2_from_e4m3x2((uint16_t)y);
#else /* e4m3's bits are those of an f16 of another bias, which a product by a power of 2 mends */
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(y) : "r"(x), "r"(0), "r"(4 | i << 4 | 4 << 8 | j << 12));
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(y) : "r"((y >> 1 & 0x3f803f80u) | (y & 0x80008000u)), "r"(0x5c005c00), "r"(0x80008000));
    return y;
#endif
}

TC_DEV_SM80 void tc__decode_mma(const int type, float *d, const uint32_t *a, const uint32_t *b)
{
    if (type == TC_BF16) tc_mma_m16n8k16_f32_bf16(d, a, b, d);
    else tc_mma_m16n8k16_f32_f16(d, a, b, d);
}

/* What a warp keeps. */
typedef struct tc__decode_place {
    const tc_attn_decode_params *p;
    uint32_t q_lane, k_lane, v_lane; /* offsets of this lane in 16 rows of Q, K, V */
    uint32_t q, ring;                /* shared addresses: Q; slot 0 of this warp */
    uint32_t *held;                  /* Q, where it stays in registers */
    float *s, *o;                    /* fragments: for each 16 rows keys / 2 of S, head_dim_v / 2 of O */
    float *factors;                  /* K and V of 8 bits: K's, and what Q's rows were divided by; of each 16 two */
    tc_attn_rows *rows;              /* of each 16 */
} tc__decode_place;

/* 16 columns of Q as an A operand. K of 8 bits comes out of ldmatrix with 4 neighbours of a row in a lane, so that
 * there Q's columns are taken in that order too. */
TC_DEV_SM80 void tc__decode_read_q(const tc_attn_config c, const tc__decode_place *at, const int step, uint32_t *a)
{
#pragma unroll
    for (int t = 0; t < c.bm / 16; t++) {
        const uint32_t from = tc_rows_move(c.head_dim * 2, at->q_lane, 2 * step)
                              + (at->q + (uint32_t)(t * 16 * c.head_dim * 2));
        uint32_t *x = a + 4 * t;
        if (!c.kv) {
            tc_ldmatrix_x4(x, from);
        } else {
            asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(x[0]), "=r"(x[2]) : "r"(from) : "memory");
            asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                         : "=r"(x[1]), "=r"(x[3]) : "r"(from + (uint32_t)(8 * c.head_dim * 2)) : "memory");
        }
    }
}

/* S = Q K' of a slab. */
TC_DEV_SM80 void tc__decode_qk(const tc_attn_config c, const tc__decode_place *at, uint32_t k)
{
    const int tiles = c.bm / 16, keys = tc__decode_keys(c), wide = c.kv ? 2 : 1,
              bytes = c.head_dim * tc__decode_bytes(c);
#pragma unroll
    for (int i = 0; i < tiles * keys / 2; i++) at->s[i] = 0.f;
#pragma unroll
    for (int u = 0; u < c.head_dim / 16 / wide; u++) {
        uint32_t read[2][16];
        if (!tc__decode_holds_q(c)) {
#pragma unroll
            for (int i = 0; i < wide; i++) tc__decode_read_q(c, at, u * wide + i, read[i]);
        }
#pragma unroll
        for (int j = 0; j < keys / 16; j++) {
            uint32_t f[4];
            tc_ldmatrix_x4(f, tc_rows_move(bytes, at->k_lane, 2 * u) + (k + (uint32_t)(j * 16 * bytes)));
#pragma unroll
            for (int e = 0; e < 2; e++) {
#pragma unroll
                for (int i = 0; i < wide; i++) {
                    uint32_t b[2];
                    b[0] = c.kv ? tc__decode_widen(c, f[2 * e + i], 0, 1) : f[2 * e];
                    b[1] = c.kv ? tc__decode_widen(c, f[2 * e + i], 2, 3) : f[2 * e + 1];
#pragma unroll
                    for (int t = 0; t < tiles; t++)
                        tc__decode_mma(tc__decode_type(c), at->s + t * keys / 2 + (2 * j + e) * 4,
                                       tc__decode_holds_q(c) ? at->held + ((u * wide + i) * tiles + t) * 4
                                                             : read[i] + 4 * t, b);
                }
            }
        }
    }
}

/* O += P V. Of 16 columns of V of 8 bits the even ones are one product, the odd ones another: tc__decode_column. */
TC_DEV_SM80 void tc__decode_pv(const tc_attn_config c, const tc__decode_place *at, uint32_t v)
{
    const int tiles = c.bm / 16, keys = tc__decode_keys(c), wide = c.kv ? 2 : 1,
              bytes = c.head_dim_v * tc__decode_bytes(c);
#pragma unroll
    for (int j = 0; j < keys / 16; j++) {
        uint32_t a[16];
#pragma unroll
        for (int t = 0; t < tiles; t++) tc_attn_pack(tc__decode_type(c), at->s + t * keys / 2 + j * 8, 16, a + 4 * t);
#pragma unroll
        for (int u = 0; u < c.head_dim_v / 16 / wide; u++) {
            uint32_t f[4];
            tc_ldmatrix_x4_trans(f, tc_rows_move(bytes, at->v_lane, 2 * u) + (v + (uint32_t)(j * 16 * bytes)));
#pragma unroll
            for (int i = 0; i < 2 * wide; i++) { /* 8 columns each */
                uint32_t b[2];
                b[0] = c.kv ? tc__decode_widen(c, f[i / 2 * 2], i % 2, i % 2 + 2) : f[2 * i];
                b[1] = c.kv ? tc__decode_widen(c, f[i / 2 * 2 + 1], i % 2, i % 2 + 2) : f[2 * i + 1];
#pragma unroll
                for (int t = 0; t < tiles; t++)
                    tc__decode_mma(tc__decode_type(c), at->o + t * c.head_dim_v / 2 + (u * 2 * wide + i) * 4,
                                   a + 4 * t, b);
            }
        }
    }
}

/* The column of element 4 * j + i of a fragment of O, as tc__decode_pv leaves it. */
TC_DEV int tc__decode_column(const tc_attn_config c, const int j, const int i)
{
    const int q = tc_lane() % 4;
    return c.kv ? j / 2 * 16 + 4 * q + i * 2 + j % 2 : j * 8 + 2 * q + i;
}

/* Slab n of the walk, in slot `slot`. row: the unit's first; bad: as in tc__decode_copy. */
typedef struct tc__decode_task {
    int n, row;
    uint32_t slot, bad;
} tc__decode_task;

TC_DEV_SM80 void tc__decode_step(const tc_attn_config c, const tc__decode_place *at, const tc_attn_work *w,
                                 const tc__decode_task task)
{
    const tc_attn_config mine = tc__decode_of_warp(c);
    const tc_attn_problem *p = &at->p->problem;
    const int keys = mine.bn;
    const uint32_t k = at->ring + task.slot * (uint32_t)tc__decode_slab(c);
    tc__decode_qk(c, at, k);
#pragma unroll
    for (int t = 0; t < c.bm / 16; t++) {
        float *s = at->s + t * keys / 2, f[2];
        tc_attn_scores x = {s, keys, task.row + t * 16, task.n, c.mask ? TC_ATTN_PARTIAL : TC_ATTN_WHOLE, 1, 0,
                            tc_attn_scale(c, p), tc__decode_up(c)};
        if (c.kv) {
#pragma unroll
            for (int i = 0; i < keys / 2; i++) s[i] *= at->factors[t * 2 + i / 2 % 2];
        }
        x.few = tc_attn_score(mine, p, w, x);
        if (c.paged && task.bad) {
#pragma unroll
            for (int i = 0; i < keys / 2; i++)
                if (task.bad >> i / 4 & 1u) s[i] = -TC__INF;
        }
        if (tc_attn_softmax(mine, x, at->rows + t, f)) tc_attn_rescale(at->o + t * c.head_dim_v / 2, c.head_dim_v, f);
    }
    tc__decode_pv(c, at, k + (uint32_t)(keys * c.head_dim * tc__decode_bytes(c)));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The end of a unit.
 */
#define TC__DECODE_MARK 0x74634465ull /* "tcDe" */

/* Before it: the part is written, each writer has fenced and all have met at a barrier. 1: all parts are there, and
 * this block is to add them up, after a barrier. */
TC_DEV_SM80 int tc__decode_arrive(unsigned long long *counter, uint32_t parts)
{
    unsigned long long now = atomicAdd(counter, 1ull) + 1u, seen;
    while (now >> 32 != TC__DECODE_MARK) { /* its first use: one block makes it a counter, and all count again */
        seen = atomicCAS(counter, now, (TC__DECODE_MARK << 32) + 1u);
        if (seen == now) now = (TC__DECODE_MARK << 32) + 1u;
        else now = seen >> 32 == TC__DECODE_MARK ? atomicAdd(counter, 1ull) + 1u : seen;
    }
    if ((uint32_t)now != parts) return 0;
    __threadfence();
    atomicExch(counter, TC__DECODE_MARK << 32);
    return 1;
}

/* Of each row, in shared memory: maxima, sums of P, what rounding P changed; of each warp, or of all. */
typedef struct tc__decode_stats {
    float *at;
    int warps, rows; /* room for */
} tc__decode_stats;

TC_DEV float *tc__decode_stat(const tc__decode_stats s, const int which, int warp, int row)
{
    return s.at + (which * s.warps + warp) * s.rows + row;
}

/* exp2 of how far a maximum is below the largest. */
TC_DEV float tc__decode_factor(float max, float top, float scale)
{
    return tc__exp2((max - (top == -TC__INF ? 0.f : top)) * scale);
}

/* Row `row` of the first `count` of them: maximum, sum, rounding. */
TC_DEV void tc__decode_total(const tc__decode_stats s, const int count, int row, float scale, float *total)
{
    total[0] = -TC__INF;
    total[1] = total[2] = 0.f;
#pragma unroll
    for (int w = 0; w < count; w++) total[0] = fmaxf(total[0], *tc__decode_stat(s, 0, w, row));
#pragma unroll
    for (int w = 0; w < count; w++) {
        const float f = tc__decode_factor(*tc__decode_stat(s, 0, w, row), total[0], scale);
        total[1] += f * *tc__decode_stat(s, 1, w, row);
        total[2] += f * *tc__decode_stat(s, 2, w, row);
    }
}

/* The sums of the block's warps, one warp after the other, to shared memory; then a barrier. */
TC_DEV_SM80 void tc__decode_meet(const tc_attn_config c, const tc__decode_place *at, const tc__decode_stats stats,
                                 float *sums, int rows)
{
    const int warp = (int)threadIdx.x / 32, lane = tc_lane(), dv = c.head_dim_v;
    const float scale = tc_attn_scale(c, &at->p->problem), down = 1.f / (float)(1 << tc__decode_up(c));
    float f[8];
#pragma unroll
    for (int t = 0; t < c.bm / 16; t++) {
        tc_attn_rows *r = at->rows + t;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float sum = r->sum[i], rounding = r->rounding[i];
            sum += __shfl_xor_sync(0xffffffffu, sum, 1);
            sum += __shfl_xor_sync(0xffffffffu, sum, 2);
            rounding += __shfl_xor_sync(0xffffffffu, rounding, 1);
            rounding += __shfl_xor_sync(0xffffffffu, rounding, 2);
            if (lane % 4 == 0) {
                *tc__decode_stat(stats, 0, warp, t * 16 + lane / 4 + 8 * i) = r->max[i];
                *tc__decode_stat(stats, 1, warp, t * 16 + lane / 4 + 8 * i) = sum * down;
                *tc__decode_stat(stats, 2, warp, t * 16 + lane / 4 + 8 * i) = rounding * down;
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < c.bm / 16; t++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float top = -TC__INF;
#pragma unroll
            for (int w = 0; w < c.warps; w++)
                top = fmaxf(top, *tc__decode_stat(stats, 0, w, t * 16 + lane / 4 + 8 * i));
            f[2 * t + i] = tc__decode_factor(at->rows[t].max[i], top, scale) * down;
        }
    }
#pragma unroll 1
    for (int w = 0; w < c.warps; w++) {
        if (warp == w) {
#pragma unroll
            for (int t = 0; t < c.bm / 16; t++) {
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    const int row = t * 16 + lane / 4 + 8 * i;
                    float *to = sums + row * tc__decode_pitch(c);
                    const float *o = at->o + t * dv / 2 + 2 * i;
                    if (row < rows) {
#pragma unroll
                        for (int j = 0; j < dv / 8; j++) {
#pragma unroll
                            for (int e = 0; e < 2; e++) {
                                float *x = to + tc__decode_column(c, j, e);
                                *x = o[4 * j + e] * f[2 * t + i] + (w ? *x : 0.f);
                            }
                        }
                    }
                }
            }
        }
        __syncthreads();
    }
}

/* A unit of which this block has a part: leaves it in the workspace. 1 where all parts were there: they have been added
 * up, in the order of the keys, to sums and to the first of stats, and the block has met since. */
TC_DEV_SM80 int tc__decode_join(const tc_attn_config c, const tc_attn_decode_params *p, const tc__decode_walk *x,
                                const tc__decode_stats stats, float *sums, int begin)
{
    const int rows = tc__decode_rows(c, p, x), dv = c.head_dim_v, size = tc__decode_part(c),
              many = tc__decode_at_once(c);
    const float scale = tc_attn_scale(c, &p->problem);
    const uint32_t first = x->start / x->each, parts = (x->start + x->tiles - 1u) / x->each - first + 1u;
    float *mine = p->sums + (size_t)(2u * blockIdx.x + (begin == 0)) * (size_t)size;
    const float *all = p->sums + (size_t)(2u * first) * (size_t)size; /* part i: 2 * i, the first one behind it */
    int *last = (int *)(stats.at + 3 * stats.warps * stats.rows);
#pragma unroll 1
    for (int e = (int)threadIdx.x; e < rows * dv / 4; e += c.warps * 32) {
        const int row = e / (dv / 4), col = e % (dv / 4) * 4;
        *(float4 *)(mine + row * dv + col) = *(const float4 *)(sums + row * tc__decode_pitch(c) + col);
    }
#pragma unroll
    for (int first = 0; first < c.bm; first += c.warps * 32) {
        const int row = first + (int)threadIdx.x;
        if (row < rows) {
            float total[3];
            tc__decode_total(stats, c.warps, row, scale, total);
#pragma unroll
            for (int i = 0; i < 3; i++) mine[c.bm * dv + i * c.bm + row] = total[i];
        }
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *last = tc__decode_arrive(p->counters + first, parts);
    __syncthreads();
    if (!*last) return 0;
    /* A thread has 4 columns of a row, and asks for those of many parts at a time, with their maxima: what this takes
     * is the L2's latency. */
#pragma unroll 1
    for (int e = (int)threadIdx.x; e < rows * dv / 4; e += c.warps * 32) {
        const int row = e / (dv / 4), col = e % (dv / 4) * 4;
        float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
        float top = -TC__INF, p_sum = 0.f, rounding = 0.f;
#pragma unroll 1
        for (uint32_t i = 0; i < parts; i += (uint32_t)many) {
            float4 o[16];
            float max[16], s[16], r[16], high = top, f;
#pragma unroll
            for (int k = 0; k < many; k++) {
                const uint32_t n = i + (uint32_t)k;
                const float *part = all + (size_t)(2u * n + (n == 0)) * (size_t)size, *stat = part + c.bm * dv + row;
                max[k] = -TC__INF, s[k] = r[k] = 0.f;
                o[k] = make_float4(0.f, 0.f, 0.f, 0.f);
                if (n < parts) {
                    o[k] = __ldcg((const float4 *)(part + row * dv + col));
                    max[k] = __ldcg(stat);
                    if (col == 0) s[k] = __ldcg(stat + c.bm), r[k] = __ldcg(stat + 2 * c.bm);
                }
            }
#pragma unroll
            for (int k = 0; k < many; k++) high = fmaxf(high, max[k]);
            f = tc__decode_factor(top, high, scale);
            sum.x *= f, sum.y *= f, sum.z *= f, sum.w *= f, p_sum *= f, rounding *= f;
            top = high;
#pragma unroll
            for (int k = 0; k < many; k++) {
                f = tc__decode_factor(max[k], top, scale);
                sum.x += f * o[k].x, sum.y += f * o[k].y, sum.z += f * o[k].z, sum.w += f * o[k].w;
                p_sum += f * s[k], rounding += f * r[k];
            }
        }
        *(float4 *)(sums + row * tc__decode_pitch(c) + col) = sum;
        if (col == 0) {
            *tc__decode_stat(stats, 0, 0, row) = top;
            *tc__decode_stat(stats, 1, 0, row) = p_sum;
            *tc__decode_stat(stats, 2, 0, row) = rounding;
        }
    }
    __syncthreads();
    return 1;
}

#if TC_HAS_SM90
/* A unit that the blocks of a cluster share, each of which has its sums in shared memory: a block adds up an equal part
 * of them, 4 columns of a row by a thread, in the order of the ranks, which is that of the keys, and stores it. All of
 * the cluster have met before it. */
TC_DEV_SM90 void tc__decode_gather(const tc_attn_config c, const tc_attn_decode_params *p, const tc__decode_walk *x,
                                   const tc__decode_stats stats, const float *sums)
{
    const tc_attn_problem *pr = &p->problem;
    const int dv = c.head_dim_v, many = 8, all = tc__decode_rows(c, p, x) * dv / 4,
              blocks = (int)tc_cluster_nctarank(), rank = (int)tc_cluster_ctarank(),
              end = all * (rank + 1) >> tc__decode_log();
    const float scale = tc_attn_scale(c, pr),
                v = c.kv && p->v_scale ? p->v_scale[p->scale_heads ? x->w.h / pr->group : 0] : 1.f;
    const uint32_t sums_at = tc_smem_u32(sums), stats_at = tc_smem_u32(stats.at);
#pragma unroll 1
    for (int e = (all * rank >> tc__decode_log()) + (int)threadIdx.x; e < end; e += c.warps * 32) {
        const int row = e / (dv / 4), col = e % (dv / 4) * 4, tile_row = tc__decode_row(c, x) + row;
        const uint32_t in_sums = (uint32_t)(row * tc__decode_pitch(c) + col) * 4u;
        const tc_attn_at at = tc__attn_row(pr, &x->w, tile_row);
        float sum[4] = {0.f, 0.f, 0.f, 0.f}, top = -TC__INF, p_sum = 0.f, rounding = 0.f;
#pragma unroll 1
        for (int i = 0; i < blocks; i += many) { /* what it takes is the way there: 8 blocks are asked at a time */
            float o[8][4], stat[3][8], high = top, f;
#pragma unroll
            for (int k = 0; k < many; k++) {
                stat[0][k] = -TC__INF, stat[1][k] = stat[2][k] = 0.f;
                o[k][0] = o[k][1] = o[k][2] = o[k][3] = 0.f;
                if (i + k < blocks) {
                    const uint32_t there = tc_mapa(sums_at, (uint32_t)(i + k)) + in_sums,
                                   its = tc_mapa(stats_at, (uint32_t)(i + k)) + (uint32_t)row * 4u;
                    TC_LD_SHARED_CLUSTER(v4, f32, o[k], there);
#pragma unroll
                    for (int n = 0; n < 3; n++)
                        TC_LD_SHARED_CLUSTER(, f32, &stat[n][k], its + (uint32_t)(n * stats.warps * stats.rows) * 4u);
                }
            }
#pragma unroll
            for (int k = 0; k < many; k++) high = fmaxf(high, stat[0][k]);
            f = tc__decode_factor(top, high, scale);
            p_sum *= f, rounding *= f;
#pragma unroll
            for (int n = 0; n < 4; n++) sum[n] *= f;
            top = high;
#pragma unroll
            for (int k = 0; k < many; k++) {
                f = tc__decode_factor(stat[0][k], top, scale);
                p_sum += f * stat[1][k], rounding += f * stat[2][k];
#pragma unroll
                for (int n = 0; n < 4; n++) sum[n] += f * o[k][n];
            }
        }
        tc__attn_end ends = {p_sum, top == -TC__INF ? -TC__INF : top * scale, p_sum + rounding, 0.f};
        ends.inverse = p_sum == 0.f ? 0.f : tc__inverse(ends.rounded);
        if (c.sink) {
            const tc_attn_at head = {x->w.b, at.h, 0, 0, 0};
            tc__attn_add_sink(c.sink(head, pr->hook), &ends);
        }
        if (pr->lse && col == 0)
            pr->lse[(long long)tc__attn_outer_q(pr, &x->w) * pr->lse_batch + x->w.q_at + at.h * pr->lse_head + at.q] =
                tc__attn_lse(&ends);
#pragma unroll
        for (int n = 0; n < 4; n++) {
            const tc_attn_at here = {x->w.b, at.h, at.q, 0, col + n};
            sum[n] = (c.kv ? sum[n] * v : sum[n]) * ends.inverse;
            if (c.out) sum[n] = c.out(sum[n], here, pr->hook);
        }
        *(uint2 *)((uint16_t *)pr->o + ((long long)tc__attn_outer_q(pr, &x->w) * pr->o_batch
                                        + (long long)(x->w.q_at + at.q) * pr->o_row + at.h * pr->o_head + col)) =
            make_uint2(tc_pack(c.type, sum[0], sum[1]), tc_pack(c.type, sum[2], sum[3]));
    }
}
#endif

/* The end of a unit that a cluster shares, behind tc__decode_meet. Each thread of the cluster comes here once for each
 * unit of the cluster's run, which is the same for all of its blocks: arrives and waits, so that all sums are there,
 * and arrives again where it has read what it reads of others. For that tc__decode_read_by_all waits, before anything
 * is written over it and before a block ends; meanwhile the next unit goes on. */
TC_DEV_SM80 void tc__decode_join_cluster(const tc_attn_config c, const tc_attn_decode_params *p,
                                         const tc__decode_walk *x, const tc__decode_stats stats, const float *sums)
{
#if TC_HAS_SM90
    const float scale = tc_attn_scale(c, &p->problem);
#pragma unroll
    for (int i = 0; i < c.bm; i += c.warps * 32) {
        const int row = i + (int)threadIdx.x;
        if (row < tc__decode_rows(c, p, x)) {
            float total[3];
            tc__decode_total(stats, c.warps, row, scale, total);
#pragma unroll
            for (int n = 0; n < 3; n++) *tc__decode_stat(stats, n, 0, row) = total[n];
        }
    }
    __syncwarp();
    tc_cluster_sync();
    tc__decode_gather(c, p, x, stats, sums);
    __syncwarp();
    tc_cluster_arrive();
#else
    (void)c, (void)p, (void)x, (void)stats, (void)sums;
#endif
}

TC_DEV_SM80 void tc__decode_read_by_all(void)
{
#if TC_HAS_SM90
    tc_cluster_wait();
#endif
}

/* The last warp: sums to O, of `count` warps (all of them have met), or of all parts. */
TC_DEV_SM80 void tc__decode_store(const tc_attn_config c, const tc__decode_place *at, const tc__decode_walk *x,
                                  const tc__decode_stats stats, const float *sums, int joined)
{
    const tc_attn_decode_params *p = at->p;
    const int lane = tc_lane(), rows = tc__decode_rows(c, p, x), dv = c.head_dim_v;
    const float scale = tc_attn_scale(c, &p->problem);
    const float v = c.kv && p->v_scale ? p->v_scale[p->scale_heads ? x->w.h / p->problem.group : 0] : 1.f;
#pragma unroll
    for (int t = 0; t < c.bm / 16; t++) {
        tc_attn_rows r;
        r.o = at->o;
        r.row = tc__decode_row(c, x) + t * 16;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int row = t * 16 + lane / 4 + 8 * i;
            float total[3];
            if (joined) {
#pragma unroll
                for (int e = 0; e < 3; e++) total[e] = *tc__decode_stat(stats, e, 0, row);
            } else {
                tc__decode_total(stats, c.warps, row, scale, total);
            }
            r.max[i] = total[0];
            r.sum[i] = lane % 4 ? 0.f : total[1];
            r.rounding[i] = lane % 4 ? 0.f : total[2];
#pragma unroll
            for (int j = 0; j < dv / 8; j++) {
                float2 o = make_float2(0.f, 0.f);
                if (row < rows) o = *(const float2 *)(sums + row * tc__decode_pitch(c) + j * 8 + lane % 4 * 2);
                r.o[4 * j + 2 * i] = c.kv ? o.x * v : o.x;
                r.o[4 * j + 2 * i + 1] = c.kv ? o.y * v : o.y;
            }
        }
        tc_attn_finish(c, &p->problem, &x->w, &r);
        tc_attn_store(c, &p->problem, &x->w, &r);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The kernel.
 */
TC_DEV_SM80 void tc_attn_decode(const tc_attn_config c, const tc_attn_decode_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const int tiles = c.bm / 16, keys = tc__decode_keys(c), lane = tc_lane(), warp = (int)threadIdx.x / 32,
              bytes = tc__decode_bytes(c), stages = c.stages == 2 ? 2 : p->stages;
    unsigned char *rest = tc__dynamic_smem + c.warps * stages * tc__decode_slab(c);
    float *sums = (float *)(rest + tc__decode_at_sums(c));
    const tc__decode_stats stats = {(float *)(rest + tc__decode_at_rows(c)), c.warps, c.bm};
    tc__decode_walk x;
    tc__decode_stream stream;
    tc__decode_place at;
    tc_attn_rows rows[4];
    uint32_t held[256], use = 0;
    float o[256], s[128], factors[8];
    int again = 0;
#if TC_HAS_SM90 /* as args.pdl lets it: before all that it reads or writes; the next call may set itself up */
    tc_griddepcontrol_launch_dependents();
    tc_griddepcontrol_wait();
#endif
    if (!tc__decode_begin(c, p, &x)) return; /* nor has any block of the cluster */
    at.p = p;
    at.held = held, at.s = s, at.o = o, at.rows = rows, at.factors = factors;
    at.q = tc_smem_u32(rest);
    at.ring = tc_smem_u32(tc__dynamic_smem) + (uint32_t)(warp * stages * tc__decode_slab(c));
    at.q_lane = c.kv ? tc_rows_at(c.head_dim * 2, (uint32_t)lane / 4, (uint32_t)lane % 4 / 2) + (uint32_t)lane % 2 * 8
                     : tc_rows_at(c.head_dim * 2, (uint32_t)lane % 16, (uint32_t)lane / 16);
    at.k_lane = tc_rows_at(c.head_dim * bytes, (uint32_t)(lane % 8 + lane / 16 * 8), (uint32_t)(lane / 8 % 2));
    at.v_lane = tc_rows_at(c.head_dim_v * bytes, (uint32_t)lane % 16, (uint32_t)lane / 16);
    stream.x = x;
    stream.on = 1;
    stream.bad = 0;
    tc__decode_aim(p, &stream, c.paged);
    tc__decode_pages(c, p, &stream, warp);
#pragma unroll 1
    for (uint32_t i = 0; i + 1 < (uint32_t)stages; i++)
        tc__decode_fill(c, p, &stream, at.ring + i * (uint32_t)tc__decode_slab(c), i);
#pragma unroll 1
    for (;;) {
        const int begin = (int)x.tile, row = tc__decode_row(c, &x);
        if (tc__decode_scales(c)) tc__decode_load_scaled(c, p, &x, rest);
        else tc__decode_load_q(c, p, &x, rest);
        __syncthreads();
        if (c.kv) tc__decode_factors(c, p, &x, rest, factors);
        if (tc__decode_holds_q(c)) {
#pragma unroll
            for (int i = 0; i < c.head_dim / 16; i++) tc__decode_read_q(c, &at, i, held + i * tiles * 4);
        }
#pragma unroll
        for (int i = 0; i < tiles * c.head_dim_v / 2; i++) o[i] = 0.f;
#pragma unroll
        for (int t = 0; t < tiles; t++) tc_attn_rows_init(rows + t);
#pragma unroll 1
        for (; x.tile < x.end; x.tile++) {
            const uint32_t spare = use ? use - 1u : (uint32_t)stages - 1u, groups = (uint32_t)keys / 8u;
            const tc__decode_task task = {tc__decode_slab_at(c, &x, warp), row, use,
                                          c.paged ? stream.bad >> use * groups & ((1u << groups) - 1u) : 0u};
            tc__cp_async_wait(stages - 2);
            __syncwarp();
            tc__decode_fill(c, p, &stream, at.ring + spare * (uint32_t)tc__decode_slab(c), spare);
            if (task.n < x.w.hi) tc__decode_step(c, &at, &x.w, task);
            use = use + 1 == (uint32_t)stages ? 0 : use + 1;
        }
        if (tc__decode_log() && again) tc__decode_read_by_all();
        tc__decode_meet(c, &at, stats, sums, tc__decode_rows(c, p, &x));
        if (tc__decode_log()) {
            tc__decode_join_cluster(c, p, &x, stats, sums);
            again = 1;
        } else {
            const int part = p->counters && (begin > 0 || x.end < x.tiles);
            if ((!part || tc__decode_join(c, p, &x, stats, sums, begin)) && warp == c.warps - 1)
                tc__decode_store(c, &at, &x, stats, sums, part);
        }
        if (!tc__decode_next(c, p, &x)) break;
    }
    if (tc__decode_log()) tc__decode_read_by_all();
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* As tc_gemm_sm90_launch; cluster: 1 of tc_attn_decode_prepare, which knows no device. */
typedef struct tc_attn_decode_launch {
    unsigned grid, block, smem, cluster;
    tc_attn_decode_params params;
} tc_attn_decode_launch;

/* A checked call that computes something. on: what of it runs at a time; clusters[0] alone, if its sms are 0. */
TC_HOST tc_status tc__attn_decode_launch(const tc_attn_config *c, const tc_attn_args *g, const tc__decode_device *on,
                                         tc_attn_decode_launch *l)
{
    tc__decode_cut cut;
    tc_status st = tc__decode_best_cut(c, g, on, &cut);
    if (st == TC_OK) st = tc__decode_fill_params(c, g, &cut, &l->params);
    if (st != TC_OK) return st;
    l->block = (unsigned)tc_attn_decode_threads(*c);
    l->smem = (unsigned)tc_attn_decode_smem(*c);
    l->cluster = cut.cluster;
    l->grid = cut.blocks;
    return TC_OK;
}

/* As tc_attn_sm90_prepare; sms: multiprocessors, each of which has room for tc_attn_decode_blocks of them. */
TC_HOST tc_status tc_attn_decode_prepare(const tc_attn_config *given, const tc_attn_args *args, int sms,
                                         tc_attn_decode_launch *out)
{
    const tc__field *tc__fields = tc__attn_fields;
    tc_attn_config complete;
    const tc_attn_config *c = &complete;
    tc__decode_device on = {0, {0, 0, 0, 0, 0}, 0};
    tc_status st;
    st = tc__decode_given(given, out, sizeof *out, sms);
    if (st != TC_OK) return st;
    complete = tc_attn_decode_config(*given);
    on.clusters[0] = sms * tc_attn_decode_blocks(complete);
    TC__ATTN_DECODE_RULES(TC__RULE_SAY, *c)
    st = tc__attn_decode_check(c, args);
    if (st != TC_OK || tc__attn_empty(args)) return st;
    return tc__attn_decode_launch(c, args, &on, out);
}

/* How many stages the current device has room for in a block: the configuration's or fewer, but 2. */
TC_HOST int tc__decode_stages(const tc_attn_config *c)
{
    int device = 0, smem = 0, stages = c->stages;
    if (cudaGetDevice(&device) != cudaSuccess
        || cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess) {
        (void)cudaGetLastError(); /* who asks next says so */
        return stages;
    }
    while (stages > 2 && tc__decode_smem(*c, stages) > smem) stages--;
    return stages;
}

/* A configuration that the device has room for; k->smem says so too. */
TC_HOST tc_status tc__attn_decode_run(const tc_attn_config *c, const tc__kernel *k, const tc_attn_args *args,
                                      const tc__launch *how)
{
    tc_attn_decode_launch l;
    tc_status st = tc__attn_decode_check(c, args);
    tc__decode_device on = {0, {0, 0, 0, 0, 0}, 0};
    tc__device d = {0, 0, 0, 0};
    tc__kernel sized = *k;
    tc__launch there = *how;
    int unused = 0, smem = 0, blocks = tc_attn_decode_blocks(*c);
    cudaError_t err;
    if (st != TC_OK || tc__attn_empty(args)) return st;
    st = tc__kernel_device(k, &unused);
    if (st != TC_OK) return st;
    if ((err = tc__device_now(&d)) != cudaSuccess
        || (err = cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerMultiprocessor, d.at)) != cudaSuccess)
        return tc__cuda_fail("cudaDeviceGetAttribute", err);
    if (smem / (k->smem + 1024) < blocks) blocks = smem / (k->smem + 1024);
    if (blocks < 1) blocks = 1;
    on.sms = d.sms, on.bandwidth = d.bandwidth;
    on.clusters[0] = d.sms * blocks;
    if (how->workspace) return tc__decode_room(c, args, on.clusters[0], how->workspace);
    tc__decode_ask(k, &d, &on);
    st = tc__attn_decode_launch(c, args, &on, &l);
    if (st != TC_OK || !how->launch) return st;
    sized.cluster = (int)l.cluster;
    /* clusters: the device and the image know it. Blocks that come one after the other lie unevenly over the chip,
     * which costs clusters, and whole units, more than an early start gains: 1 x 65536 in clusters took 94 microseconds
     * for 77, cut evenly 69.6 for 70.4. */
    there.pdl = on.clusters[1] && (args->pdl > 0 || (args->pdl == 0 && l.params.counters)) ? TC__PDL_IMAGE : 0;
    return tc__kernel_launch(&sized, l.grid, &l.params, &there);
}

#endif /* host */
#endif /* TC_ATTN_DECODE_H */
