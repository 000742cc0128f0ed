/* tc_gemm_sm90_any.h - tc 0.2.0 - the Hopper GEMM where TMA refuses the rows of A or B: how rows of any alignment reach
 * the Tensor Cores. Needs: the headers below; sm_90a.
 *
 * TMA, cp.async of 16 bytes and wgmma's descriptors all want multiples of 16 bytes. So rows come as they are, in the
 * 16-byte chunks of memory that hold them, and both sides of a product are brought to one alignment on their way out of
 * shared memory:
 *
 *     B   is the instruction's A (.swap), which may come from registers: a lane reads a row's words from wherever they
 *         lie, and shifts elements that lie between two words out of both. All warps of the producer's warpgroup copy
 *         it (cp.async), 9 chunks for 64 elements of a row: rows of 144 bytes, which also puts the eight rows of a
 *         fragment into different banks.
 *     A   is read by the Tensor Cores themselves, all of its rows at one alignment. Two ways to that:
 *         CLASSES   Of rows that lie `pitch` bytes apart, each 2nd, 4th or 8th begins at the same residue of 16 bytes,
 *                   and those of one class are a matrix that TMA takes, if only from up to 14 bytes before each row's
 *                   first element: its phase. A tile has the rows of one class, B is read moved by its phase too, so
 *                   that both meet, and what stands before the first element is cleared before the Tensor Cores see
 *                   it.
 *         COPIES    Tiles of few rows would read all of B once for each class: there A is copied as B is, and the
 *                   consumers move each row to phase 0, in its place.
 *
 *     position p of block b of k, phase 3:      p = 0 1 2 | 3 4 5 ... 63     b = 0
 *                                          k =  (others)  | 0 1 2 ... 60
 *
 *     tc_gemm_sm90_any_params               what the kernel is given
 *     tc__any_produce                       the producer: all of its warps
 *     tc__any_reader_of, tc__any_read       consumers: B's fragments of a block of k
 *     tc__any_clear, tc__any_align          consumers: zeros before A's first elements; A's rows to phase 0
 */
#ifndef TC_GEMM_SM90_ANY_H
#define TC_GEMM_SM90_ANY_H

#include "tc_gemm_cut.h"
#include "tc_gemm_sm90_plan.h"

enum { TC__ANY_CLASSES = 8 }; /* at most: elements of 2 bytes */

/* Rows of B, of A, of k elements. Bytes. */
typedef struct tc_any_rows {
    const char *base;
    long long pitch, stride; /* from row to row, from matrix to matrix of the batch */
    int rows, k;
} tc_any_rows;

typedef struct tc_gemm_sm90_any_params {
    tc_gemm_sm90_params p; /* first: what the rest of the kernel knows. Its maps of A and B are not used */
    tc_any_rows x, y;      /* the instruction's rows (B), its columns (A) */
    uint8_t phase[TC__ANY_CLASSES]; /* elements */
    tc_tmap y_maps[TC__ANY_CLASSES];
} tc_gemm_sm90_any_params;

#ifdef __CUDACC__

TC_DEV const tc_gemm_sm90_any_params *tc__any_params(const tc_gemm90_block *g)
{
    return (const tc_gemm_sm90_any_params *)g->p;
}

/* The class and the phase of a tile whose first column (row of A) is `col`. */
TC_DEV uint32_t tc__any_class(const tc_gemm90_block *g, int col)
{
    return (uint32_t)col & ((1u << g->p->classes) - 1u);
}

TC_DEV int tc__any_phase(const tc_gemm90_block *g, int col)
{
    return g->p->copies ? 0 : tc__any_params(g)->phase[tc__any_class(g, col)];
}

/* A slot of the ring: B's rows, A's, and with copies the ninth chunk of each of A's. */
TC_DEV uint32_t tc__any_x(const tc_gemm90_block *g, uint32_t stage) { return g->ring + stage * g->slot; }
TC_DEV uint32_t tc__any_y(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t stage)
{
    return tc__any_x(g, stage) + (uint32_t)tc__gemm90_a_bytes(c);
}
TC_DEV uint32_t tc__any_ninths(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t stage)
{
    return tc__any_y(c, g, stage) + (uint32_t)(g->width * 128);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Rows of a tile. Bytes.
 */
typedef struct tc__any_side {
    const tc_any_rows *of; /* in constant memory: pitch and k are read there when they are wanted */
    const char *at;        /* position 0 of the first row: its first element is `before` further on */
    int last, before;      /* the last row that exists */
} tc__any_side;

TC_DEV tc__any_side tc__any_side_of(const tc_gemm90_block *g, const tc_any_rows *r, const tc_work *w)
{
    const int first = r == &tc__any_params(g)->y ? w->col : w->row;
    tc__any_side s;
    s.of = r;
    s.before = 2 * tc__any_phase(g, w->col);
    s.at = r->base + w->batch * r->stride + first * r->pitch - s.before;
    s.last = r->rows - 1 - first;
    return s;
}

/* What a thread copies of a block of k: one chunk of each `by`-th row, from `row` on. */
typedef struct tc__any_run {
    const char *at; /* of block 0: where its chunk of the first row would begin if the row were aligned */
    int row, by, chunk;
} tc__any_run;

/* Rows that do not exist are zeros: none is read in their place, for all blocks of a device would ask for the same. */
TC_DEV tc__any_run tc__any_run_of(const tc__any_side *s, tc__any_run r)
{
    r.at = s->at + r.row * s->of->pitch + r.chunk * 16;
    return r;
}

/* A block of k, and where in shared memory a thread's chunks go. */
typedef struct tc__any_block {
    uint32_t number, to;
    int apart; /* bytes from one to the next */
} tc__any_block;

/* Number i of them. */
TC_DEV_SM80 void tc__any_copy_one(const tc__any_side *s, const tc__any_run *r, tc__any_block b, int i)
{
    const char *at = r->at + b.number * 128ll + i * (r->by * s->of->pitch);
    tc_cp_async_cg_16_zfill(b.to + (uint32_t)(i * b.apart), (const char *)((uintptr_t)at & ~(uintptr_t)15),
                            r->row + i * r->by <= s->last ? 16 : 0);
}

/* The same of a block that lies at an end of k: zeros for what the rows do not have. */
TC_DEV_SM80 void tc__any_copy_across(const tc__any_side *s, const tc__any_run *r, tc__any_block b, int count)
{
    const char *row = r->at + b.number * 128ll;
    const long long rest = s->before + 2ll * s->of->k - b.number * 128ll - r->chunk * 16;
    const int left = rest > 64 ? 64 : rest < -64 ? -64 : (int)rest; /* from the chunk on, if it were aligned */
    const int before = b.number ? -64 : s->before - r->chunk * 16;
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        const int off = (int)((uintptr_t)row % 16u), bytes = left + off < 16 ? left + off : 16;
        const int none = 16 - off <= before || bytes < 0 || s->of->k == 0 || r->row + i * r->by > s->last;
        tc_cp_async_cg_16_zfill(b.to + (uint32_t)(i * b.apart), (const char *)((uintptr_t)row & ~(uintptr_t)15),
                                none ? 0 : bytes);
        row += r->by * s->of->pitch;
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The producer. Eight lanes copy a row's first eight chunks; ninth chunks come together.
 */
typedef struct tc__any_producer {
    tc_ring ring;
    tc__any_side x, y;
    tc__any_run x_rows, x_ninths, y_rows, y_ninths;
} tc__any_producer;

TC_DEV void tc__any_start(tc_gemm_config_in c, const tc_gemm90_block *g, tc__any_producer *u, const tc_work *w)
{
    const tc_gemm_sm90_any_params *q = tc__any_params(g);
    const int lane = tc_lane(), warp = (int)g->warp, rows = c.bm / 4;
    const tc__any_run x = {0, warp * rows + lane / 8, 4, lane % 8}, x9 = {0, warp * rows + lane, 1, 8};
    const tc__any_run y = {0, (int)threadIdx.x / 8, 16, lane % 8}, y9 = {0, (int)threadIdx.x, 128, 8};
    u->x = tc__any_side_of(g, &q->x, w);
    u->x_rows = tc__any_run_of(&u->x, x);
    u->x_ninths = tc__any_run_of(&u->x, x9);
    if (!g->p->copies) return;
    u->y = tc__any_side_of(g, &q->y, w);
    u->y_rows = tc__any_run_of(&u->y, y);
    u->y_ninths = tc__any_run_of(&u->y, y9);
}

/* Does none of block `number`'s chunks lie outside of the rows? */
TC_DEV int tc__any_inside(const tc_gemm90_block *g, uint32_t number)
{
    return number > 0u && number * 128ll + TC__ANY_ROW <= 2ll * tc__any_params(g)->x.k;
}

/* Block number `number` of k to the ring's slot. */
TC_DEV_SM80 void tc__any_copy_x(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__any_producer *u,
                                uint32_t number)
{
    const uint32_t to = tc__any_x(g, u->ring.stage);
    const tc__any_block b = {number, to + (uint32_t)(u->x_rows.row * TC__ANY_ROW + u->x_rows.chunk * 16),
                             4 * TC__ANY_ROW};
    const tc__any_block b9 = {number, to + (uint32_t)(u->x_ninths.row * TC__ANY_ROW + 128), 0};
    const int inside = tc__any_inside(g, number), count = c.bm / 16, mine = tc_lane() < c.bm / 4;
    if (inside) {
#pragma unroll 4
        for (int i = 0; i < count; i++) tc__any_copy_one(&u->x, &u->x_rows, b, i);
        if (mine) tc__any_copy_one(&u->x, &u->x_ninths, b9, 0);
    } else {
        tc__any_copy_across(&u->x, &u->x_rows, b, count);
        if (mine) tc__any_copy_across(&u->x, &u->x_ninths, b9, 1);
    }
}

/* The same of A, as few rows as a tile has of them. */
TC_DEV_SM80 void tc__any_copy_y(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__any_producer *u,
                                uint32_t number)
{
    const tc__any_run *r = &u->y_rows, *r9 = &u->y_ninths;
    const int thread = tc_opaque((int)threadIdx.x); /* few registers: what follows of it is not kept */
    const uint32_t to = tc_swizzle(128, (uint32_t)(thread * 16));
    const tc__any_block b = {number, tc__any_y(c, g, u->ring.stage) + to, 16 * 128};
    const tc__any_block b9 = {number, tc__any_ninths(c, g, u->ring.stage) + (uint32_t)(thread * 16), 128 * 16};
    const int count = (g->width - r->row + 15) / 16, count9 = (g->width - r9->row + 127) / 128;
    if (tc__any_inside(g, number)) {
#pragma unroll 4
        for (int i = 0; i < count; i++) tc__any_copy_one(&u->y, r, b, i);
#pragma unroll 1
        for (int i = 0; i < count9; i++) tc__any_copy_one(&u->y, r9, b9, i);
    } else {
        tc__any_copy_across(&u->y, r, b, count);
        tc__any_copy_across(&u->y, r9, b9, count9);
    }
}

/* A's rows of a block by TMA: one thread. The blocks of a cluster have the same, and each fetches its share for all. */
TC_DEV_SM90 void tc__any_fetch(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_work *w,
                               const tc__gemm90_fetch_at at)
{
    const tc_tmap *map = &tc__any_params(g)->y_maps[tc__any_class(g, w->col)];
    const uint32_t full = tc_pipe_full(g->pipe, at.stage), to = tc__any_y(c, g, at.stage);
    const int k = g->p->k_first + (int)(at.kb * 64u), row = w->col >> g->p->classes;
    const int share = (int)tc__gemm90_rank(c, g) * (g->width / 2), batch = g->p->b_batched ? w->batch : 0;
    tc_mbarrier_arrive_expect_tx(full, (uint32_t)(g->width * 128));
    if (g->cluster_m > 1)
        tc_cp_async_bulk_tensor_3d_multicast(to + (uint32_t)(share * 128), map, k, row + share, batch, full, 3);
    else
        tc_cp_async_bulk_tensor_3d(to, map, k, row, batch, full);
}

/* Arrivals that make a slot full: of each thread behind its copies, and of TMA's. */
TC_DEV uint32_t tc__any_fills(const tc_gemm90_block *g) { return g->p->copies ? 128u : 129u; }

/* All blocks of k of one tile. */
TC_DEV_SM90 void tc__any_load(tc_gemm_config_in c, const tc_gemm90_block *g, tc__any_producer *u, const tc_work *w)
{
    const int copies = g->p->copies;
    tc__any_start(c, g, u, w);
    for (uint32_t i = w->k_first; i < w->k_first + w->k_blocks; i++) {
        const tc__gemm90_fetch_at at = {u->ring.stage, i};
        TC_PIPE_WAIT_EMPTY(g->pipe, &u->ring);
        if (copies) tc__any_copy_y(c, g, u, i);
        else if (g->warp == 0u && tc_elect_one()) tc__any_fetch(c, g, w, at);
        tc__any_copy_x(c, g, u, i);
        tc_cp_async_mbarrier_arrive_noinc(tc_pipe_full(g->pipe, u->ring.stage));
        tc_ring_next(&u->ring, g->stages);
    }
}

/* All four warps of the producer's warpgroup. */
TC_DEV_SM90 void tc__any_produce(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    tc__any_producer u;
    u.ring.stage = u.ring.phase = 0;
    if (g->p->waits) tc_griddepcontrol_wait();
    for (uint32_t i = tc__gemm90_first(c, g); i < g->p->works; i += tc__gemm90_per_cluster(c, g, gridDim.x)) {
        const tc_work w = tc_gemm90_work(c, g, i);
        tc__any_load(c, g, &u, &w);
    }
    tc_cp_async_wait_all();
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Consumers.
 */
/* Zeros before the first element of A's rows, in the first block of k of a tile. It has come; `stage` is its slot. */
TC_DEV_SM90 void tc__any_clear(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_work *w, uint32_t stage)
{
    const int threads = 128 * c.consumers, phase = tc__any_phase(g, w->col);
    if (w->k_first || !phase) return;
    for (int row = (int)threadIdx.x - 128; row < g->width; row += threads) {
        const uint32_t at = tc__any_y(c, g, stage) + tc_swizzle(128, (uint32_t)(row * 128));
        for (int i = 0; i < phase; i++)
            asm volatile("st.shared.b16 [%0], %1;" : : "r"(at + (uint32_t)(2 * i)), "h"((uint16_t)0) : "memory");
    }
    tc_fence_proxy_async_shared();
    tc_bar_sync(1, threads);
    /* slots are given to neighbours by relaxed arrivals */
    if (g->cluster_m > 1) asm volatile("fence.acq_rel.cluster;" : : : "memory");
}

TC_DEV uint4 tc__any_load_chunk(uint32_t at)
{
    uint4 x;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "r"(at)
                 : "memory");
    return x;
}

/* The eight elements from number `first` (0 to 7) on of two chunks. */
TC_DEV uint4 tc__any_between(uint4 a, uint4 b, uint32_t first)
{
    const uint32_t half = first % 2u * 16u;
    uint32_t w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 6; i++) w[i] = first & 4u ? w[i + 2] : w[i];
#pragma unroll
    for (int i = 0; i < 5; i++) w[i] = first & 2u ? w[i + 1] : w[i];
    return make_uint4(__funnelshift_r(w[0], w[1], half), __funnelshift_r(w[1], w[2], half),
                      __funnelshift_r(w[2], w[3], half), __funnelshift_r(w[3], w[4], half));
}

/* Copies: A's rows of a slot to phase 0. Eight lanes have a row, two rows at a time; all of their chunks are read
 * before one is written. */
TC_DEV_SM90 void tc__any_align(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_work *w, uint32_t stage)
{
    const tc_any_rows *r = &tc__any_params(g)->y;
    const int threads = 128 * c.consumers, by = threads / 8, chunk = tc_lane() % 8;
    const uint32_t pitch = (uint32_t)r->pitch, y = tc__any_y(c, g, stage), ninths = tc__any_ninths(c, g, stage),
                   first = (uint32_t)(uintptr_t)(r->base + w->batch * r->stride) + (uint32_t)w->col * pitch;
#pragma unroll 1
    for (int row = tc_opaque((int)threadIdx.x - 128) / 8; row < g->width; row += 2 * by) {
        uint4 x[2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int here = row + i * by, at = here * 128 + chunk * 16;
            const uint32_t next = chunk < 7 ? y + tc_swizzle(128, (uint32_t)(at + 16)) : ninths + (uint32_t)(here * 16);
            if (here < g->width)
                x[i] = tc__any_between(tc__any_load_chunk(y + tc_swizzle(128, (uint32_t)at)), tc__any_load_chunk(next),
                                       (first + (uint32_t)here * pitch) / 2u % 8u);
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int here = row + i * by, at = here * 128 + chunk * 16;
            if (here < g->width)
                asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                             : : "r"(y + tc_swizzle(128, (uint32_t)at)), "r"(x[i].x), "r"(x[i].y), "r"(x[i].z),
                                 "r"(x[i].w) : "memory");
        }
    }
    tc_fence_proxy_async_shared();
    tc_bar_sync(1, threads);
}

/* A lane's part of B's rows: where its word of k = 0 lies in a slot, by how many bits it is moved there, whether that
 * is so in any lane of the warp (known to be the same for it), and what to keep of block 0's first words. */
typedef struct tc__any_reader {
    uint32_t at, shift, between, keep;
} tc__any_reader;

/* A warp has 16 rows; both of a lane, eight apart, begin at the same residue. */
TC_DEV_SM90 tc__any_reader tc__any_reader_of(const tc_gemm90_block *g, const tc_work *w)
{
    const tc_any_rows *x = &tc__any_params(g)->x;
    const int lane = tc_opaque(tc_lane()), row = ((int)threadIdx.x - 128) / 32 * 16 + lane / 4;
    const int phase = tc__any_phase(g, w->col), p = lane % 4 * 2;
    const uint32_t byte = (uint32_t)(uintptr_t)(x->base + w->batch * x->stride)
                        + (uint32_t)(w->row + row) * (uint32_t)x->pitch - (uint32_t)(2 * phase);
    tc__any_reader r;
    r.at = (uint32_t)(row * TC__ANY_ROW) + (byte % 16u / 4u + (uint32_t)(lane % 4)) * 4u;
    r.shift = byte / 2u % 2u * 16u;
    r.between = tc_uniform(r.shift);
    r.keep = w->k_first ? 0xffffffffu : (p >= phase ? 0xffffu : 0u) | (p + 1 >= phase ? 0xffff0000u : 0u);
    return r;
}

TC_DEV uint32_t tc__any_word(uint32_t at)
{
    uint32_t x;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    return x;
}

/* wgmma's registers of half a block of k, in two steps of 16: step s has a[4 s] to a[4 s + 3]. */
TC_DEV void tc__any_read(const tc__any_reader *r, uint32_t slot, const int half, uint32_t *a)
{
    const uint32_t at = slot + r->at + (uint32_t)(half * 64);
    if (r->between) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const uint32_t word = at + (uint32_t)(i % 2 * 8 * TC__ANY_ROW + i / 2 * 16);
            a[i] = __funnelshift_r(tc__any_word(word), tc__any_word(word + 4u), r->shift);
        }
    } else {
#pragma unroll
        for (int i = 0; i < 8; i++) a[i] = tc__any_word(at + (uint32_t)(i % 2 * 8 * TC__ANY_ROW + i / 2 * 16));
    }
}

/* What stands before the rows' first elements may be any bits, no-number too. */
TC_DEV void tc__any_first(const tc__any_reader *r, uint32_t *a)
{
    a[0] &= r->keep;
    a[1] &= r->keep;
}

/* .any: waits for the ring's slot, and has A's rows there as the Tensor Cores want them. */
TC_DEV_SM90 void tc__gemm90_any_wait(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u)
{
    TC_PIPE_WAIT_FULL(g->pipe, &u->ring);
    if (g->p->copies) tc__any_align(c, g, &u->w, u->ring.stage);
}

/* .any: B's rows come from registers, those of half a block of k while the Tensor Cores are at the half before. */
TC_DEV_SM90A void tc__gemm90_any_loop(tc_gemm_config_in c, const tc_wgmma_rs_fn mma, const tc_gemm90_block *g,
                                      tc__gemm90_loop_state *l)
{
    tc_gemm90_consumer *u = l->u;
    tc_ring *ring = &u->ring;
    const tc__any_reader r = tc__any_reader_of(g, &u->w);
    uint32_t a[2][8]; /* of half a block each */
    tc__gemm90_any_wait(c, g, u);
    tc__any_clear(c, g, &u->w, ring->stage);
    tc__any_read(&r, tc__any_x(g, ring->stage), 0, a[0]);
    tc__any_first(&r, a[0]);
    for (uint32_t kb = 0; kb < u->w.k_blocks; kb++) {
        const uint32_t now = ring->stage;
        const uint64_t db = tc_wgmma_desc(tc_uniform(tc__any_y(c, g, now)), 128);
#pragma unroll
        for (int half = 0; half < 2; half++) {
            tc_wgmma_fence();
#pragma unroll
            for (int s = 0; s < 2; s++)
                mma(l->acc, a[half] + 4 * s, tc_wgmma_desc_advance(db, (uint32_t)(half * 64 + s * 32)),
                    half + s > 0 ? 1 : kb > 0);
            tc_wgmma_commit_group();
            TC_WGMMA_WAIT_GROUP(1); /* the half before has left its registers */
            if (half == 0) {
                if (kb > 0) tc__gemm90_release(c, g, l->last);
                tc__any_read(&r, tc__any_x(g, now), 1, a[1]);
            }
        }
        l->last = now;
        tc_ring_next(ring, g->stages);
        if (kb + 1 < u->w.k_blocks) {
            tc__gemm90_any_wait(c, g, u);
            tc__any_read(&r, tc__any_x(g, ring->stage), 0, a[0]);
        }
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* log2 of the classes of A's rows that TMA takes, or -1: 2^j rows apart they begin at the same residue of 16 bytes, and
 * what stands before and behind a row's elements is no row of its class. */
TC_HOST int tc__any_classes_of(const tc_gemm_args *g)
{
    int j;
    if (g->batch > 1 && g->stride_a % 8 && g->k) return -1;
    if (g->k == 0 || g->m == 1) return 0;
    for (j = 0; j <= 3; j++) {
        const int64_t apart = g->lda << j;
        const int phases = (uintptr_t)g->a % 16 || g->lda % 8;
        if (apart % 8 == 0 && apart >= g->k + (phases ? TC__ANY_CLASSES - 1 : 0))
            return apart < (int64_t)1 << 38 ? j : -1;
    }
    return -1;
}

/* The maps of A's classes, and their phases. */
TC_HOST tc_status tc__any_maps(tc_gemm_sm90_any_params *q, const tc_gemm_config *c, const tc_gemm_args *g,
                               const tc_gemm_cut *cut)
{
    tc_operand_matrix a = tc__gemm_matrix(c, g, 'a');
    const int64_t pitch = a.pitch;
    const int rows = a.rows;
    tc_status st = TC_OK;
    int i;
    for (i = 0; i < 1 << cut->classes && st == TC_OK; i++) {
        const int exists = i < rows; /* else a tile of it stores nothing, and any row will do */
        const uintptr_t first = (uintptr_t)g->a + (uintptr_t)((exists ? i : 0) * pitch * 2);
        q->phase[i] = (uint8_t)(first % 16 / 2);
        a.base = (const void *)(first - first % 16);
        a.cols = g->k + q->phase[i];
        a.rows = exists ? (int)(((int64_t)rows - i + (1 << cut->classes) - 1) >> cut->classes) : 1;
        a.pitch = rows == 1 ? (a.cols + 7) / 8 * 8 : pitch << cut->classes;
        st = tc_operand_map(&q->y_maps[i], &a, 64, cut->width / cut->cluster);
    }
    return st;
}

#endif /* host */
#endif /* TC_GEMM_SM90_ANY_H */
