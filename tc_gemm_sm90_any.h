/* tc_gemm_sm90_any.h - tc 0.2.0 - the Hopper GEMM's producer where TMA refuses the rows of A or B: how a warpgroup
 * brings rows of any alignment into the ring. Needs: the headers below; sm_90a.
 *
 * TMA wants rows that begin at multiples of 16 bytes. Two ways around that:
 *
 *     COPIES     The four warps of the producer's warpgroup read a row's words and store them, shifted to their place,
 *                in the ring. Each word passes the multiprocessor's L1 and its shared memory three times, where TMA's
 *                passes once: so as few bytes as can be. B goes this way: its rows are the instruction's (.swap), the
 *                smaller side of a tile.
 *     CLASSES    Of rows that lie `pitch` bytes apart, each 2nd, 4th or 8th begins at the same residue of 16 bytes, and
 *                those of one class are a matrix that TMA takes, if only from up to 14 bytes before each row's first
 *                element: its phase. A goes this way: a tile has the rows of one class, B's copies are moved by its
 *                phase too, so that both meet, and what stands before the first element is cleared in shared memory
 *                before the Tensor Cores see it. Tiles of few rows would read all of B once for each class: there A is
 *                copied too, with phase 0.
 *
 *     position p of block b of k, phase 3:      p = 0 1 2 | 3 4 5 ... 63     b = 0
 *                                          k =  (others)  | 0 1 2 ... 60
 *
 *     tc_gemm_sm90_any_params               what the kernel is given
 *     tc__any_produce                       the producer: all of its warps
 *     tc__any_clear                         consumers: zeros before the first element
 */
#ifndef TC_GEMM_SM90_ANY_H
#define TC_GEMM_SM90_ANY_H

#include "tc_gemm_sm90_plan.h"

enum {
    TC__ANY_CLASSES = 8, /* at most: elements of 2 bytes */
    TC__ANY_ROWS = 128   /* of a tile that can be copied */
};

/* Rows that are copied: of B, of A. Bytes. */
typedef struct tc_any_rows {
    const char *base;
    long long pitch, stride; /* from row to row, from matrix to matrix of the batch */
    int rows;
} tc_any_rows;

typedef struct tc_gemm_sm90_any_params {
    tc_gemm_sm90_params p; /* first: what the rest of the kernel knows. Its maps of A and B are not used */
    tc_any_rows x, y;      /* the instruction's rows (B), its columns (A) */
    int k;
    int copies;            /* y is copied as well */
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
    return tc__any_params(g)->phase[tc__any_class(g, col)];
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Copies. A batch is a block of k of up to 128 rows: row 4 i + warp is copy i of a warp, and a lane has one word of it.
 * All copies of a warp lie at the same offset from a multiple of 4 bytes, for they are four rows apart.
 */
enum { TC__ANY_COPIES = TC__ANY_ROWS / 4 };

typedef struct tc__any_batch {
    uint32_t w[TC__ANY_COPIES];
    uint32_t behind; /* of copy number `lane`: the word behind its 32 */
    int between;     /* words are aligned ones, and elements lie one further: each is made of two */
} tc__any_batch;

/* What a batch is copied from: a lane's place in copy 0, bytes from copy to copy, copies that exist, and of the 64
 * elements of a block of k those that do. */
typedef struct tc__any_from {
    const char *at;
    long long step;
    int copies, first, end;
    int more; /* elements exist on either side of the block too */
    int off;  /* bytes from a multiple of 4 to `at`: the same for all lanes, and known to be */
} tc__any_from;

/* A word of a row, of which the L2 had better bring what follows. */
TC_DEV_SM80 uint32_t tc__any_word(const char *at)
{
    uint32_t x;
    asm volatile("ld.global.L2::256B.b32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
    return x;
}

TC_DEV_SM80 void tc__any_load(tc__any_batch *b, const tc__any_from *f)
{
    const int lane = tc_lane();
    b->between = 0;
    if (f->first == 0 && f->end == 64 && (!f->off || f->more)) {
        const char *at = f->at - f->off;
        b->between = f->off;
        b->behind = 0;
        if (b->between && lane < f->copies)
            b->behind = *(const uint32_t *)(at + lane * f->step + (32 - lane) * 4);
#pragma unroll
        for (int i = 0; i < TC__ANY_COPIES; i++) {
            b->w[i] = 0;
            if (i < f->copies) b->w[i] = tc__any_word(at);
            at += f->step;
        }
    } else { /* where k begins or ends: element by element, as they exist */
        const int p = 2 * lane, lo = p >= f->first && p < f->end, hi = p + 1 >= f->first && p + 1 < f->end;
        const char *at = f->at;
        b->behind = 0;
#pragma unroll
        for (int i = 0; i < TC__ANY_COPIES; i++) {
            uint32_t x = 0, y = 0;
            if (i < f->copies && lo) x = *(const uint16_t *)at;
            if (i < f->copies && hi) y = *(const uint16_t *)(at + 2);
            b->w[i] = x | y << 16;
            at += f->step;
            if (i % 4 == 3) asm volatile("" : : : "memory"); /* no more of them at a time: registers */
        }
    }
}

/* Where a warp's copies go: rows of 128 bytes at `at`, a multiple of 1024, in that swizzle; how many are wanted. */
typedef struct tc__any_to {
    uint32_t at;
    int rows, warp;
} tc__any_to;

TC_DEV_SM80 void tc__any_store(const tc__any_batch *b, tc__any_to to)
{
    const uint32_t lane = (uint32_t)tc_lane(), warp = (uint32_t)to.warp;
    const uint32_t even = to.at + warp * 128u + (lane * 4u ^ warp * 16u), odd = (even ^ 64u) + 512u;
    const int copies = (to.rows - to.warp + 3) / 4;
#pragma unroll
    for (int i = 0; i < TC__ANY_COPIES; i++) {
        if (i < copies) {
            uint32_t x = b->w[i];
            if (b->between) {
                const uint32_t next = __shfl_down_sync(0xffffffffu, x, 1);
                const uint32_t last = __shfl_sync(0xffffffffu, b->behind, i);
                x = x >> 16 | (lane == 31u ? last : next) << 16;
            }
            asm volatile("st.shared.b32 [%0], %1;"
                         : : "r"((i % 2 ? odd : even) + (uint32_t)(i / 2 * 1024)), "r"(x) : "memory");
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The producer. Batches follow one another over all tiles of the block; one is on its way while another is stored.
 */
typedef struct tc__any_cursor {
    uint32_t tile;        /* which */
    int row, col, batch;  /* where it is */
    uint32_t block, left; /* block of k; blocks to come with it */
    int of_y;             /* of A: with copies, behind B's */
} tc__any_cursor;

/* The first batch of a tile, if there is one. */
TC_DEV tc__any_cursor tc__any_at(const tc_gemm_config c, const tc_gemm90_block *g, uint32_t tile)
{
    tc__any_cursor at = {tile, 0, 0, 0, 0, 0, 0};
    if (tile < g->p->works) {
        const tc_work w = tc_gemm90_work(c, g, tile);
        at.row = w.row, at.col = w.col, at.batch = w.batch;
        at.block = w.k_first, at.left = w.k_blocks;
    }
    return at;
}

typedef struct tc__any_producer {
    int warp;
    tc_ring ring;
    tc__any_cursor load, store; /* the batch to load, the one to store: two behind */
    tc__any_batch batch[2];
} tc__any_producer;

/* The batch that comes next; tiles are gridDim.x apart. */
TC_DEV void tc__any_next(const tc_gemm_config c, const tc_gemm90_block *g, tc__any_cursor *at)
{
    if (tc__any_params(g)->copies && !at->of_y) {
        at->of_y = 1;
        return;
    }
    at->of_y = 0;
    at->block++;
    if (--at->left == 0) *at = tc__any_at(c, g, at->tile + gridDim.x);
}

/* Batch number i (a constant): loads it. */
TC_DEV_SM80 void tc__any_get(const tc_gemm_config c, const tc_gemm90_block *g, tc__any_producer *u, const int i)
{
    const tc_gemm_sm90_any_params *q = tc__any_params(g);
    const tc__any_cursor *at = &u->load;
    const tc_any_rows *r = at->of_y ? &q->y : &q->x;
    const int row = at->of_y ? at->col : at->row, most = at->of_y ? g->width : c.bm;
    const int phase = q->copies ? 0 : tc__any_phase(g, at->col), left = r->rows - row < most ? r->rows - row : most;
    const int k = (int)at->block * 64 - phase; /* element at position 0 */
    const char *first = r->base + at->batch * r->stride + (row + u->warp) * r->pitch + k * 2ll;
    tc__any_from f;
    f.at = first + 4 * tc_lane();
    f.off = (int)((uintptr_t)first % 4u);
    f.step = 4 * r->pitch;
    f.copies = left > u->warp ? (left - u->warp + 3) / 4 : 0;
    f.first = k < 0 ? -k : 0;
    f.end = q->k - k < 64 ? q->k - k : 64;
    f.more = k > 0 && q->k - k > 64;
    tc__any_load(&u->batch[i], &f);
    tc__any_next(c, g, &u->load);
}

/* A's rows of a block of k, by TMA: one thread, which also says how many bytes come. */
TC_DEV_SM90 void tc__any_fetch(const tc_gemm_config c, const tc_gemm90_block *g, const tc__any_producer *u)
{
    const tc__any_cursor *at = &u->store;
    const uint32_t full = tc_pipe_full(g->pipe, u->ring.stage);
    const tc_operand oy = tc__gemm90_b(c, g->width);
    tc_mbarrier_expect_tx(full, (uint32_t)oy.bytes);
    tc_cp_async_bulk_tensor_3d(g->ring + u->ring.stage * g->slot + (uint32_t)tc__gemm90_a(c).bytes,
                               &tc__any_params(g)->y_maps[tc__any_class(g, at->col)],
                               g->p->k_first + (int)(at->block * 64u), at->col >> g->p->classes,
                               g->p->b_batched ? at->batch : 0, full);
}

/* Batch number i (a constant) to its slot. */
TC_DEV_SM90 void tc__any_put(const tc_gemm_config c, const tc_gemm90_block *g, tc__any_producer *u, const int i)
{
    const int copies = tc__any_params(g)->copies, of_y = u->store.of_y;
    const uint32_t slot = g->ring + u->ring.stage * g->slot;
    const tc__any_to to = {of_y ? slot + (uint32_t)tc__gemm90_a(c).bytes : slot, of_y ? g->width : c.bm, u->warp};
    if (!of_y) TC_PIPE_WAIT_EMPTY(g->pipe, &u->ring);
    __syncwarp();
    if (!of_y && !copies && u->warp == 0 && tc_elect_one()) tc__any_fetch(c, g, u);
    tc__any_store(&u->batch[i], to);
    tc__any_next(c, g, &u->store);
    if (of_y != copies) return;
    tc_fence_proxy_async_shared(); /* stores of this thread before, wgmma's reads after */
    __syncwarp();
    if (tc_lane() == 0) tc_mbarrier_arrive(tc_pipe_full(g->pipe, u->ring.stage));
    tc_ring_next(&u->ring, g->stages);
}

/* All four warps of the producer's warpgroup. */
TC_DEV_SM90 void tc__any_produce(const tc_gemm_config c, const tc_gemm90_block *g)
{
    const uint32_t works = g->p->works;
    tc__any_producer u;
    u.warp = (int)g->warp;
    u.ring.stage = u.ring.phase = 0;
    u.load = u.store = tc__any_at(c, g, tc__gemm90_first(c, g));
    if (g->p->waits) tc_griddepcontrol_wait();
    for (int loaded = 0; u.store.tile < works; loaded = 1) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if (loaded && u.store.tile < works) tc__any_put(c, g, &u, i);
            if (u.load.tile < works) tc__any_get(c, g, &u, i);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Consumers: zeros before the first element of A's rows, in the first block of k of a tile. It has come; `ring` is at
 * it.
 */
TC_DEV_SM90 void tc__any_clear(const tc_gemm_config c, const tc_gemm90_block *g, const tc_work *w, uint32_t stage)
{
    const int threads = 128 * c.consumers, phase = tc__any_params(g)->copies ? 0 : tc__any_phase(g, w->col);
    const uint32_t rows = g->ring + stage * g->slot + (uint32_t)tc__gemm90_a(c).bytes;
    if (w->k_first || !phase) return;
    for (int row = (int)threadIdx.x - 128; row < g->width; row += threads) {
        const uint32_t at = rows + tc_swizzle(128, (uint32_t)(row * 128));
        for (int i = 0; i < phase; i++)
            asm volatile("st.shared.b16 [%0], %1;" : : "r"(at + (uint32_t)(2 * i)), "h"((uint16_t)0) : "memory");
    }
    tc_fence_proxy_async_shared();
    tc_bar_sync(1, threads);
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
        st = tc_operand_map(&q->y_maps[i], &a, 64, cut->width);
    }
    return st;
}

#endif /* host */
#endif /* TC_GEMM_SM90_ANY_H */
