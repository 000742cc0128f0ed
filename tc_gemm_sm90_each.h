/* tc_gemm_sm90_each.h - tc 0.2.0 - the Hopper GEMM's products of their own (.groups = TC_GROUPS_ARRAY): their blocks of
 * k, by TMA or by copies, and the way of their tiles to D. Needs: the headers below; sm_90a.
 *
 * The producer's first warp walks along the line of tiles (tc_gemm_each.h) and leaves a note of each
 * (tc_gemm_sm90_tiles.h). Consumers read it, multiply, and ask for C and D of the product when its sums are there.
 *
 * BY TMA where the call has a workspace and A and B of the product lie as TMA wants them. A block has two tensor maps
 * in the workspace, and a copy of them in shared memory. For a product other than the last one the warp waits until all
 * that it has asked for has come, replaces addresses, sizes and pitches in the copy, and brings it to the workspace.
 *
 * BY COPIES else: all four warps of the producer's warpgroup, in chunks of 16 bytes to where TMA would put them: 16 or
 * 4 bytes at a time by cp.async, or element by element, as the operand's rows lie. The first warp says what to copy (a
 * job), and all of them stay together from slot to slot, one slot behind in telling that it is full. What a product
 * does not have is zeros. One without k has one block of them.
 *
 *     shared memory:    notes and their mbarriers | job | maps of A and B
 *
 *     tc__each90_produce     the producer's warps: all tiles of a block
 *     tc__each90_end         a tile's way to D, in pieces
 *     tc__each90_fill        (host) what the kernel is told; tc__each90_bytes: of the workspace
 */
#ifndef TC_GEMM_SM90_EACH_H
#define TC_GEMM_SM90_EACH_H

#include "tc_gemm_each.h"
#include "tc_gemm_sm90_store.h"
#include "tc_gemm_sm90_tiles.h"

/* What the kernel is told: in place of D's tensor map, which there is none of. A and B of the call stand where others
 * have factors (a_scale, b_scale: .at, the pitch in .blocks, the stride in .batch), maps in split.sums, the strip in
 * skip_slots. */
typedef struct tc__each90 {
    tc_gemm_each at;
    int count, m, n, k;
    tc_divide by_m, by_n;
} tc__each90;
enum { TC__EACH90_MAPS = 256, TC__EACH90_FIT = 1 / (sizeof(tc__each90) <= sizeof(tc_tmap)) };

#ifdef __CUDACC__

TC_DEV tc__each tc__each90_of(const tc_gemm_sm90_params *p)
{
    const tc__each90 *x = (const tc__each90 *)&p->d;
    const tc__each e = {x->at, x->count, x->m, x->n, x->k, x->by_m, x->by_n, p->skip_slots};
    return e;
}

TC_DEV tc__each_call tc__each90_call(const tc_gemm_sm90_params *p)
{
    const tc__each_call call = {p->a_scale.at, p->b_scale.at, p->a_scale.blocks, p->b_scale.blocks, p->a_scale.batch,
                                p->b_scale.batch, &p->out, p->out.beta != 0.f};
    return call;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Copies.
 */
typedef struct tc__each90_job {
    const char *a, *b;
    long long lda, ldb; /* bytes */
    int m, n, k, row, col;
    uint32_t blocks; /* of k; 0: there is nothing more to copy */
    tc_ring ring;
} tc__each90_job;
enum { TC__EACH90_WORDS = sizeof(tc__each90_job) / 4, TC__EACH90_BARRIER = 2 };

TC_DEV uint32_t tc__each90_job_at(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return tc__tiles_pipe(c, g).full + (uint32_t)tc_pipe_bytes(TC__GEMM90_NOTES);
}
TC_DEV uint32_t tc__each90_maps_at(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return (tc__each90_job_at(c, g) + 4u * TC__EACH90_WORDS + 127u) / 128u * 128u;
}

TC_DEV void tc__each90_put(uint32_t at, const tc__each90_job *j)
{
    const unsigned long long m_n = (uint32_t)j->m | (unsigned long long)(uint32_t)j->n << 32;
    const unsigned long long k_row = (uint32_t)j->k | (unsigned long long)(uint32_t)j->row << 32;
    const unsigned long long x[6] = {(uintptr_t)j->a, (uintptr_t)j->b, (unsigned long long)j->lda,
                                     (unsigned long long)j->ldb, m_n, k_row};
#pragma unroll
    for (int i = 0; i < 6; i++)
        asm volatile("st.shared.b64 [%0], %1;" : : "r"(at + (uint32_t)(8 * i)), "l"(x[i]) : "memory");
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                 : : "r"(at + 48u), "r"(j->col), "r"(j->blocks), "r"(j->ring.stage), "r"(j->ring.phase) : "memory");
}

TC_DEV tc__each90_job tc__each90_get(uint32_t at)
{
    unsigned long long x[6];
    tc__each90_job j;
#pragma unroll
    for (int i = 0; i < 6; i++)
        asm volatile("ld.shared.b64 %0, [%1];" : "=l"(x[i]) : "r"(at + (uint32_t)(8 * i)) : "memory");
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(j.col), "=r"(j.blocks), "=r"(j.ring.stage), "=r"(j.ring.phase) : "r"(at + 48u) : "memory");
    j.a = (const char *)(uintptr_t)x[0], j.b = (const char *)(uintptr_t)x[1];
    j.lda = (long long)x[2], j.ldb = (long long)x[3];
    j.m = (int)(uint32_t)x[4], j.n = (int)(x[4] >> 32), j.k = (int)(uint32_t)x[5], j.row = (int)(x[5] >> 32);
    return j;
}

/* An operand as it lies: lines, neighbours in each; and the first of both that a slot wants. */
typedef struct tc__each90_lines {
    const char *at;
    long long pitch; /* bytes */
    int lines, across, line, first;
} tc__each90_lines;

/* A chunk of 16 bytes, of which `bytes` exist. way: bytes that a copy may take at a time, 16, 4 or fewer. */
TC_DEV_SM80 void tc__each90_chunk(const int size, int way, uint32_t to, const char *from, int bytes)
{
    if (way == 16) tc_cp_async_cg_16_zfill(to, from, bytes);
    else if (size == 1) tc_rows_copy_8(way == 4, to, from, bytes);
    else tc_rows_copy(size == 4 || way == 4, to, from, bytes);
}

TC_DEV_SM90 void tc__each90_copy(const tc_operand o, uint32_t to, const tc__each90_lines x)
{
    const int size = tc_type_bits(o.type) / 8, per = 16 / size, lines = o.mn ? o.k : o.rows;
    const uint32_t bits = (uint32_t)(uintptr_t)x.at | (uint32_t)x.pitch;
    const int way = bits % 16u == 0u ? 16 : bits % 4u == 0u ? 4 : size;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < o.boxes * lines * 8; i += 128) {
        const int box = i / (lines * 8), in = i - box * lines * 8, line = x.line + in / 8, chunk = in % 8;
        const int first = x.first + box * 8 * per + chunk * per, left = x.across - first;
        const int count = line < x.lines ? left < 0 ? 0 : left > per ? per : left : 0;
        const uint32_t at = to + (uint32_t)(box * o.box_bytes + in / 8 * 128 + ((chunk ^ in / 8 % 8) * 16));
        if (count) {
            tc__each90_chunk(size, way, at, x.at + line * x.pitch + (long long)first * size, count * size);
        } else {
            asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" : : "r"(at), "r"(0u) : "memory");
        }
    }
}

/* A block of k. */
TC_DEV_SM90 void tc__each90_slot(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__each90_job *j, uint32_t slot,
                                 int k)
{
    const tc_operand oa = tc__gemm90_fetched_a(c), ob = tc__gemm90_fetched_b(c, g->width);
    tc__each90_lines a = {j->a, j->lda, j->m, j->k, j->row, k}, b = {j->b, j->ldb, j->n, j->k, j->col, k};
    if (oa.mn) a.lines = j->k, a.across = j->m, a.line = k, a.first = j->row;
    if (ob.mn) b.lines = j->k, b.across = j->n, b.line = k, b.first = j->col;
    tc__each90_copy(oa, slot, a);
    tc__each90_copy(ob, slot + (uint32_t)oa.bytes, b);
}

/* What all threads have copied of a slot is there. */
TC_DEV_SM90 void tc__each90_came(const tc_gemm90_block *g, uint32_t stage)
{
    tc_fence_proxy_async_shared();
    tc_bar_sync(TC__EACH90_BARRIER, 128);
    if (threadIdx.x == 0) tc_mbarrier_arrive(tc_pipe_full(g->pipe, stage));
}

/* All blocks of a tile, by 128 threads. */
TC_DEV_SM90 void tc__each90_copy_tile(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__each90_job *j)
{
    const int two = g->stages < 3; /* consumers give a slot back when they have the next: nobody may wait for both */
    tc_ring ring = j->ring;
    uint32_t last = 0;
#pragma unroll 1
    for (uint32_t kb = 0; kb < j->blocks; kb++) {
        if (kb > 0 && two) {
            tc__cp_async_wait(0);
            tc__each90_came(g, last);
        }
        TC_PIPE_WAIT_EMPTY(g->pipe, &ring);
        tc__each90_slot(c, g, j, g->ring + ring.stage * g->slot, (int)kb * c.bk);
        tc_cp_async_commit_group();
        if (kb > 0 && !two) {
            tc__cp_async_wait(1);
            tc__each90_came(g, last);
        }
        last = ring.stage;
        tc_ring_next(&ring, g->stages);
    }
    tc__cp_async_wait(0);
    tc__each90_came(g, last);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Maps.
 */
TC_DEV int tc__each90_by_tma(const tc_gemm_sm90_params *p, const tc__each90_job *j)
{
    const unsigned long long bits = (uintptr_t)j->a | (uintptr_t)j->b | (unsigned long long)(j->lda | j->ldb);
    return p->split.sums != 0 && j->k > 0 && bits % 16u == 0u && (unsigned long long)(j->lda | j->ldb) >> 40 == 0u;
}

/* This block's, in the workspace. */
TC_DEV tc_tmap *tc__each90_maps(const tc_gemm_sm90_params *p)
{
    return (tc_tmap *)((char *)p->split.sums + (size_t)blockIdx.x * TC__EACH90_MAPS);
}

/* An operand's fields. */
TC_DEV_SM90A void tc__each90_replace(const tc_operand o, uint32_t at, const tc__each90_lines x)
{
    TC_TENSORMAP_REPLACE(global_address, shared::cta, at, (uintptr_t)x.at);
    TC_TENSORMAP_REPLACE(global_dim, shared::cta, at, 0, (uint32_t)(o.mn ? x.lines : x.across));
    TC_TENSORMAP_REPLACE(global_dim, shared::cta, at, 1, (uint32_t)(o.mn ? x.across : x.lines));
    TC_TENSORMAP_REPLACE(global_stride, shared::cta, at, 0, (uint64_t)x.pitch);
}

/* Those of a product, by the whole warp; filled: slots that it has had filled so far. */
TC_DEV_SM90A void tc__each90_remap(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__each90_job *j,
                                   uint32_t filled)
{
    const tc_operand oa = tc__gemm90_fetched_a(c), ob = tc__gemm90_fetched_b(c, c.bn);
    const uint32_t at = tc__each90_maps_at(c, g), lane = (uint32_t)tc_lane(), stages = (uint32_t)g->stages;
    const tc__each90_lines a = {j->a, j->lda, j->m, j->k, 0, 0}, b = {j->b, j->ldb, j->n, j->k, 0, 0};
    tc_tmap *to = tc__each90_maps(g->p);
    for (uint32_t back = 1; back <= (filled < stages ? filled : stages); back++) { /* until they are read no more */
        tc_ring r = j->ring;
        if (back > r.stage) r.stage += stages, r.phase ^= 1u;
        r.stage -= back;
        TC_PIPE_WAIT_FULL(g->pipe, &r);
    }
    if (filled == 0u) { /* all but these fields is the same for all */
        const uint32_t *x = (const uint32_t *)&g->p->a, *y = (const uint32_t *)&g->p->b;
        asm volatile("st.shared.b32 [%0], %1;" : : "r"(at + lane * 4u), "r"(x[lane]) : "memory");
        asm volatile("st.shared.b32 [%0], %1;" : : "r"(at + 128u + lane * 4u), "r"(y[lane]) : "memory");
    }
    __syncwarp();
    if (tc_elect_one()) {
        tc__each90_replace(oa, at, a);
        tc__each90_replace(ob, at + 128u, b);
    }
    __syncwarp();
    TC_TENSORMAP_CP_FENCEPROXY(.gpu, to, at);
    TC_TENSORMAP_CP_FENCEPROXY(.gpu, to + 1, at + 128u);
    TC_FENCE_PROXY_TENSORMAP_ACQUIRE(.gpu, to);
    TC_FENCE_PROXY_TENSORMAP_ACQUIRE(.gpu, to + 1);
    __syncwarp();
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The producer.
 */
/* Tile number index: where all products have one size, a batch's. product: -1 where there is none. */
TC_DEV tc__each_tile tc__each90_tile(const tc_gemm_sm90_params *p, const tc__each *e, tc__each_walk *walk,
                                     uint32_t index)
{
    tc__each_tile r = {-1, 0u, 0u};
    if (e->at.m || e->at.n) return tc__each_find(e, walk, index);
    if (index < p->tiles.total) {
        const tc_tile t = tc_tile_at(&p->tiles, index);
        r.product = (int)t.batch, r.along = t.m, r.across = t.n;
    }
    return r;
}

/* The job that a tile of a product is. */
TC_DEV tc__each90_job tc__each90_job_of(tc_gemm_config_in c, const tc__each_product *x, const tc_work *w)
{
    const int size = tc_type_bits(c.a) / 8;
    const tc__each90_job j = {(const char *)x->a, (const char *)x->b, x->lda * size, x->ldb * size, x->m, x->n, x->k,
                              w->row, w->col, w->k_blocks, {0, 0}};
    return j;
}

/* What the first warp keeps. filled: slots, of the last product or any before; mapped: whose maps there are. */
typedef struct tc__each90_writer {
    tc__tiles_writer t;
    uint32_t filled;
    int mapped;
} tc__each90_writer;

/* A tile's blocks of k. */
TC_DEV_SM90A void tc__each90_load(tc_gemm_config_in c, const tc_gemm90_block *g, tc__each90_writer *u,
                                  const tc__each_product *x, const tc_work *w)
{
    const tc__gemm90_fetching f = {c, TC__GEMM90_EARLY_A | TC__GEMM90_EARLY_B, 0, 0};
    const uint32_t laps = w->k_blocks / (uint32_t)g->stages, job = tc__each90_job_at(c, g);
    tc__each90_job j = tc__each90_job_of(c, x, w);
    j.ring = u->t.u.ring;
    if (tc__each90_by_tma(g->p, &j)) {
        if (u->mapped != w->batch) tc__each90_remap(c, g, &j, u->mapped < 0 ? 0u : u->filled);
        u->mapped = w->batch;
        if (tc_elect_one()) {
            const tc__gemm90_run run = {*w, 0, 0};
            tc__gemm90_sources s = tc__gemm90_sources_of(1, c, g, w);
            const tc__gemm90_known known = {&run, &s};
            tc_gemm90_producer mine = u->t.u;
            s.a.map = tc__each90_maps(g->p), s.b.map = s.a.map + 1;
            s.a.batch = s.b.batch = 0;
            tc__gemm90_load_known(f, g, &mine, known);
        }
    } else {
        if (tc_elect_one()) tc__each90_put(job, &j);
        tc_bar_sync(TC__EACH90_BARRIER, 128);
        tc__each90_copy_tile(c, g, &j);
    }
    __syncwarp();
    u->filled = u->filled + w->k_blocks < u->filled ? u->filled : u->filled + w->k_blocks;
    tc_ring_skip(&u->t.u.ring, w->k_blocks - laps * (uint32_t)g->stages, laps, g->stages);
}

/* A note, by the whole warp. */
TC_DEV_SM90 void tc__each90_note(tc_gemm_config_in c, const tc_gemm90_block *g, tc__each90_writer *u, const tc_work *w)
{
    if (tc_elect_one()) {
        tc__tiles_writer mine = u->t;
        tc__tiles_note(c, g, &mine, w);
    }
    __syncwarp();
    tc_ring_next(&u->t.notes, TC__GEMM90_NOTES);
}

TC_DEV_SM90A void tc__each90_produce_first(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const tc_gemm_sm90_params *p = g->p;
    const tc__each e = tc__each90_of(p);
    const tc__each_call call = tc__each90_call(p);
    tc__each_walk walk = {0u, 0};
    tc__each90_writer u = {{{{0, 0}, 0}, {0, 0}}, 0, -1};
    tc__each90_job none = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0u, {0, 0}};
    tc_work w = {0, 0, 0, 0, 0, 0, 0};
#pragma unroll 1
    for (uint32_t i = blockIdx.x;; i += gridDim.x) {
        const tc__each_tile t = tc__each90_tile(p, &e, &walk, i);
        if (t.product < 0) break;
        const tc__each_product x = tc__each_of(c, &e, &call, t.product);
#ifdef TC_DEBUG
        if (!x.good && t.along + t.across == 0u && threadIdx.x == 0u)
            printf("tc: groups: product %d, %d x %d, is not computed: a matrix is null or not aligned to its elements, "
                   "a pitch is too small, or n odd with .epi2\n", t.product, x.m, x.n);
#endif
        if (!x.good) continue;
        w.row = (int)t.along * c.bm, w.col = (int)t.across * g->width, w.batch = t.product;
        w.k_blocks = x.k > 0 ? ((uint32_t)x.k + (uint32_t)c.bk - 1u) / (uint32_t)c.bk : 1u;
        w.part = TC_TILE_WHOLE;
        tc__each90_note(c, g, &u, &w);
        tc__each90_load(c, g, &u, &x, &w);
    }
    w.part = TC__TILES_END;
    tc__each90_note(c, g, &u, &w);
    if (tc_elect_one()) tc__each90_put(tc__each90_job_at(c, g), &none);
    tc_bar_sync(TC__EACH90_BARRIER, 128);
}

/* The warps of the producer's warpgroup. */
TC_DEV_SM90A void tc__each90_produce(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    if (g->p->waits) tc_griddepcontrol_wait();
    if (g->warp == 0u) {
        tc__each90_produce_first(c, g);
        return;
    }
    for (;;) {
        tc_bar_sync(TC__EACH90_BARRIER, 128);
        const tc__each90_job j = tc__each90_get(tc__each90_job_at(c, g));
        if (j.blocks == 0u) break;
        tc__each90_copy_tile(c, g, &j);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A tile's way to D: 16 x 16 elements at a time, as tc__gemm90_store_pieces, of the product's matrices.
 */
TC_DEV_SM90 void tc__each90_end(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u, float *acc)
{
    const int across = tc__gemm90_places(c.bn), count = tc__gemm90_rows(c) / 64 * across;
    const tc__each e = tc__each90_of(g->p);
    const tc__each_call call = tc__each90_call(g->p);
    const tc__each_product x = tc__each_of(c, &e, &call, u->w.batch);
    const tc_gemm_out o = tc__each_out(&g->p->out, &x);
    const int rows = (int)tc_uniform((uint32_t)x.m), cols = (int)tc_uniform((uint32_t)x.n);
    const uint32_t lane = (uint32_t)tc_lane(), shift = lane / 2u * 64u + lane % 2u * 32u;
    tc__epi_piece piece = {u->buf + tc_swizzle(64, shift), u->buf + tc_swizzle(64, shift + 16u), {0, 0, 0, 0},
                           x.bits_cd % 16u == 0u, 0, 0};
    tc__gemm90_sums_to_f32(c, acc, tc__gemm90_rows(c) / 64 * c.bn / 2);
    piece.at.batch = piece.at.group = u->w.batch;
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        const int row = u->w.row + u->warp_row + i / across * 64, in = i % across * 16, col = u->w.col + in;
        if (in >= g->width || row >= rows || col >= cols) continue;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < count; k++) {
            float room[8];
            const tc__gemm90_taken all = {k / across, k % across * 16, 8};
            if (k == i) tc__gemm90_put_place(c, u->buf, tc__gemm90_take(c, acc, all, room));
        }
        __syncwarp();
        piece.at.row = row + (int)lane / 2, piece.at.col = col + (int)lane % 2 * 8;
        const tc__kept kept = tc__epi_store_piece(tc__gemm_epi(c), &o, &piece);
        if (tc__gemm_row_kind(c) || tc__gemm_col_kind(c)) __syncwarp();
        if (tc__gemm_row_kind(c)) tc__epi_piece_part(tc__gemm_epi(c), &o, piece.at, kept);
        if (tc__gemm_col_kind(c)) {
            const int left = rows - row;
            const tc__col_place place = {u->buf, 64, left < 16 ? left : 16, 16, {row, col, u->w.batch, u->w.batch}, 0};
            tc__col_strip(tc__gemm_col_kind(c), &o, &place);
        }
    }
    __syncwarp();
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* Bytes of the workspace that a grid takes: two maps a block, at a multiple of 128. */
TC_HOST size_t tc__each90_bytes(const tc_gemm_config *c, int blocks)
{
    return c->groups == TC_GROUPS_ARRAY ? (size_t)blocks * TC__EACH90_MAPS + 112 : 0;
}

/* v: a view. g: its call, which is cut so. The maps are filled by the caller. */
TC_HOST void tc__each90_fill(const tc_gemm_config *v, const tc_gemm_args *g, const tc_gemm_cut *cut,
                             tc_gemm_sm90_params *p)
{
    tc_gemm_config wide = *v;
    tc__each90 to;
    tc__each x;
    if (v->groups != TC_GROUPS_ARRAY) return;
    wide.bn = cut->width;
    x = tc__each_make(&wide, g, &p->tiles);
    memset((void *)&to, 0, sizeof to);
    to.at = x.at, to.count = x.count, to.m = x.m, to.n = x.n, to.k = x.k, to.by_m = x.by_m, to.by_n = x.by_n;
    memcpy((void *)&p->d, (const void *)&to, sizeof to);
    p->skip_slots = x.strip;
    p->a_scale.at = (const float *)g->a, p->a_scale.blocks = g->lda, p->a_scale.batch = g->stride_a;
    p->b_scale.at = (const float *)g->b, p->b_scale.blocks = g->ldb, p->b_scale.batch = g->stride_b;
    p->split.sums = NULL;
    if (g->workspace && tc__gemm_less_parts(v, g).workspace_size >= tc__each90_bytes(v, cut->blocks))
        p->split.sums = (float *)(((uintptr_t)g->workspace + 127) / 128 * 128);
}

#endif /* host */
#endif /* TC_GEMM_SM90_EACH_H */
