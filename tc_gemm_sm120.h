/* tc_gemm_sm120.h - tc 0.2.0 - the GEMM's mainloop for the sm_120 family: TMA, ldmatrix, mma.sync, warp-specialised,
 * persistent. Needs: the headers below; sm_120, sm_121 (RTX 50, GB10), best as a or f targets.
 *
 *     TC_GEMM_SM120_DEFINE(NAME, fields...)   one kernel, as TC_GEMM_SM90_DEFINE: tc_gemm.h has what it declares, and
 *                                             the call
 *     tc_gemm_sm120_load, _mma                producer and multipliers of one tile
 *     tc_gemm_sm120                           the kernel's body
 *     tc_gemm_sm120_fill (host)               what the kernel is given, from a call's arguments
 *     tc_gemm_sm120_prepare (host)            a call to launch by yourself: checked, its grid and its parameters
 *
 * FIELDS: .a .b .d, the layouts, hooks and .raster as everywhere; and
 *     .bm .bn     a tile of D (128 x 128), in multiples of 16 for each of .warps_m, .warps_n (2 x 2); a warp has 64 x
 *                 64 of it at most
 *     .bk         64, 128 or 256 bytes of k (64: more slots in 99 KB; fp6 and fp4 in bytes 128)
 *     .stages     what fits, at most 12;  .epi_stages: 1
 *     .schedule   TC_PINGPONG (the default): two groups of warps, each with tiles of its own: one multiplies while the
 *                 other stores. TC_COOPERATIVE: one group
 *     .sparse     TC_SPARSE_A; TC_SPARSE_B where D is column-major: A (B) is 2:4 sparse, with args.meta
 *                 (tc_gemm_sparse.h), by mma.sp: f16, bf16, tf32, e4m3, e5m2, s8, u8. .bk is 128 or 256 bytes of the
 *                 dense operand's k; the sparse side of a tile 16, 32 or a multiple of 64
 *     .sf         TC_SF_UE8M0_32 (mxfp8, mxfp6, mxfp4), TC_SF_UE4M3_16 (nvfp4: both e2m1): A's rows and B's columns
 *                 come with factors of a byte for each 32 or 16 of k, in args.sfa and args.sfb, in the layout of
 *                 tc_sf.h: the same bytes that TC_GEMM_SM100_DEFINE takes. Tiles are of 64 or 128 then, 64 rows for
 *                 each of .warps_m (.warps_n, where D is column-major). tc_gemm_plan_pointers leaves factors where
 *                 they are
 * Where D is column-major m and n change places in these. TYPES: f16, bf16, tf32; e4m3, e5m2, e3m2, e2m3 and e2m1 in
 * any mix, with factors or without (both e2m1 with factors: mxf4, nvf4; fp4 without stands in bytes on the way); s8 and
 * u8 in any mix. Sums are in f32 or s32; of f16, and of fp8 with fp8, without .sf, in f16 too (.acc = TC_F16), for
 * which NVIDIA states a higher rate on GeForce. A in columns and B in rows: all but mxf4 and nvf4. Elements of 4 and 6
 * bits are packed tight in memory (tc_types.h). A and B follow TMA's rules; where they become bytes, base, pitch and
 * stride are multiples of 32 bytes and k of 128; of A in columns m, of B in rows n, and their side of a tile. C and D
 * may lie anywhere. .groups, with .sf too (GROUPS in tc_sf.h); of .index TC_INDEX_D; no .aux, no sums of D. .gate as in
 * tc_gemm_gate.h: .bn is a multiple of 32 * .warps_n, half of them D's columns. .split = 1: a call may split k, with a
 * workspace. Of args.choice .blocks and, with .split, .parts mean something.
 * PLAIN TARGETS (sm_120 without the a) have f16, bf16, tf32, fp8 and integers along k; the rest is an error there.
 *
 * tc_gemm.h is the manual, docs/add-a-kernel.md says what a mainloop must offer. The configuration and its rules are in
 * tc_gemm_sm120_plan.h, fragments and products in tc_gemm_sm120_mma.h, those with a sparse operand in
 * tc_gemm_sm120_sparse.h, the end of a tile in tc_gemm_sm120_store.h.
 *
 *     warp 0       one thread of it is the producer: fills the ring with TMA, tile after tile. Where the others want
 *                  more than 168 registers a warpgroup is the producer's, and gives its own away (setmaxnreg)
 *     warp 1.., 4..  ldmatrix one step ahead of mma.sync, then hook, shared memory, TMA store
 *
 *     full         TMA has filled a slot
 *     empty        the warps of the group that read it have: one arrival each
 *     turn         TC_PINGPONG: the warp of the other group in the same place has read its tile's last slot. So the
 *                  Tensor Core of a quarter of the multiprocessor has one warp's products at a time, and nobody waits
 *                  for a slot two laps ahead, whose parity is that of an earlier one
 *
 * Proven in tcemu and assembled by ptxas; it has not run on a GPU yet.
 */
#ifndef TC_GEMM_SM120_H
#define TC_GEMM_SM120_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"
#include "tc_gemm_cut.h"
#include "tc_gemm_sm120_mma.h"
#include "tc_gemm_sm120_plan.h"
#include "tc_gemm_sm120_sparse.h"
#include "tc_gemm_sm120_store.h"

#ifdef __CUDACC__
#if TC_HAS_SM120 && defined(__CUDA_ARCH__)

/* ---------------------------------------------------------------------------------------------------------------------
 * Producer: one thread.
 */
/* An operand's block of k, which begins at element `from`. */
TC_DEV_SM120 void tc__gemm120_fetch(const tc__gemm120_operand o, const tc_operand_source *s, int from, tc_operand_to to)
{
    const int across = tc__gemm120_across(o), step = o.bits == 4 ? 2 : 1; /* a map of e2m1 in pairs counts bytes */
#pragma unroll
    for (int box = 0; box < o.boxes; box++) {
        const int at_k = o.turned ? from : (from + box * across) / step;
        const tc_operand_at at = {o.turned, at_k, o.turned ? box * across : 0};
        const tc_operand_to one = {to.dst + (uint32_t)(box * o.box_bytes), to.full};
        tc_operand_fetch_own(s, at, one);
    }
}

/* .gate: the rows of a block of k that each warp multiplies, of B and then of B2. from: the block's first element. */
TC_DEV_SM120 void tc__gemm120_fetch_both(tc_gemm120_in k, const tc_gemm_sm120_params *p, const tc_operand_source *b,
                                         int from, tc_operand_to to)
{
    const int rows = k.wn / 2;
#pragma unroll
    for (int i = 0; i < 2 * k.c.warps_n; i++) {
        const tc_operand_source s = {i % 2 ? &p->sfb : &p->b, b->row + i / 2 * rows, b->batch, 0};
        const tc_operand_to half = {to.dst + (uint32_t)(i * rows * k.b.row), to.full};
        tc__gemm120_fetch(k.b, &s, from, half);
    }
}

/* One tile: blocks of k into the ring. */
TC_DEV_SM120 void tc_gemm_sm120_load(tc_gemm120_in k, const tc_gemm120_block *g, tc_ring *ring, const tc_work *w)
{
    const tc_gemm_sm120_params *p = g->p;
    const tc_operand_source a = {&p->a, w->row, p->a_batched ? w->batch : 0, 0};
    const tc_operand_source b = {&p->b, w->col, p->b_batched ? w->batch : 0, 0};
    const int sf_row = k.c.sf ? tc__gemm_sf_row(k.c, &p->groups, w) : 0;
    const tc_operand_source sfa = {&p->sfa, sf_row / 128 * p->sf_blocks, p->sfa_batched ? w->batch : 0, 0};
    const tc_operand_source sfb = {&p->sfb, w->col / 128 * p->sf_blocks, p->sfb_batched ? w->batch : 0, 0};
    const char *lines[TC__GEMM120_SPARSE_LINES];
    if (k.c.sparse) tc__gemm120_meta_source(k, p, w, lines);
    for (uint32_t kb = 0; kb < w->k_blocks; kb++) {
        const uint32_t full = tc_pipe_full(g->pipe, ring->stage), slot = g->ring + ring->stage * (uint32_t)k.slot;
        const tc_operand_to to_a = {slot, full}, to_b = {slot + (uint32_t)k.a.bytes, full};
        TC_PIPE_WAIT_EMPTY(g->pipe, ring);
        tc_mbarrier_arrive_expect_tx(full, (uint32_t)k.expected);
        const int at_k = (int)(w->k_first + kb);
        tc__gemm120_fetch(k.a, &a, at_k * k.a.k, to_a);
        if (k.c.gate) tc__gemm120_fetch_both(k, p, &b, at_k * k.c.bk, to_b);
        else tc__gemm120_fetch(k.b, &b, at_k * k.c.bk, to_b);
        if (k.c.sf) { /* of the tile's rows, and of its columns; past the end of k they are not used */
            const int block = at_k * k.parts * k.factors / 4;
            const tc_operand_at row = {1, (sfa.row + block) * 4, -sfa.row}, col = {1, (sfb.row + block) * 4, -sfb.row};
            const tc_operand_to to_row = {slot + (uint32_t)(k.a.bytes + k.b.bytes), full},
                                to_col = {to_row.dst + (uint32_t)(k.sf_blocks * TC_SF_BLOCK), full};
            tc_operand_fetch_own(&sfa, row, to_row);
            tc_operand_fetch_own(&sfb, col, to_col);
        }
        if (k.c.sparse) {
            const tc_operand_to to_meta = {slot + (uint32_t)(k.a.bytes + k.b.bytes), full};
            tc__gemm120_meta_fetch(k, p, lines, at_k, to_meta);
        }
        tc_ring_next(ring, k.c.stages);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Warps that multiply.
 */
/* One tile: acc = A * B, a warp's part of it. Two steps of k at a time, whatever .bk. */
TC_DEV_SM120 void tc_gemm_sm120_mma(tc_gemm120_in k, const tc_gemm120_block *g, tc_gemm120_warp *u,
                                    tc__gemm120_acc *acc)
{
    const uint32_t first = u->w.k_first * (uint32_t)k.parts, pieces = first + u->w.k_blocks * (uint32_t)k.parts;
    tc__gemm120_fragments f[2];
    tc__gemm120_piece p = {g->ring + u->ring.stage * (uint32_t)k.slot, 0, first};
#pragma unroll
    for (int i = 0; i < k.mi * k.ni * 4; i++) acc->f[i] = 0.f, acc->i[i] = 0, acc->h[i / 2] = 0u;
    if (pieces == first) return;
    TC_PIPE_WAIT_FULL(g->pipe, &u->ring);
    tc__gemm120_read(k, g, u, &p, 0, &f[0], &f[0]);
#pragma unroll 1
    while (p.number < pieces) {
        tc__gemm120_read(k, g, u, &p, 1, &f[1], &f[0]);
        tc__gemm120_multiply(k, u, 0, &f[0], acc);
        p.number++;
        if (++p.part == (uint32_t)k.parts) {
            tc__gemm120_release(g, u->ring.stage);
            tc_ring_next(&u->ring, k.c.stages);
            p.slot = g->ring + u->ring.stage * (uint32_t)k.slot, p.part = 0;
            if (p.number < pieces) TC_PIPE_WAIT_FULL(g->pipe, &u->ring);
        }
        if (p.number < pieces) tc__gemm120_read(k, g, u, &p, 0, &f[0], &f[1]);
        tc__gemm120_multiply(k, u, 1, &f[1], acc);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The roles, each over all tiles of its block, in the same order.
 */
TC_DEV_SM120 void tc__gemm120_produce(tc_gemm120_in k, const tc_gemm120_block *g)
{
    const uint32_t works = k.c.groups || k.c.split ? tc__gemm120_works(k, g) : 0u;
    tc_ring ring = {0, 0};
    for (uint32_t i = blockIdx.x; i < (k.c.groups || k.c.split ? works : g->p->tiles.total); i += gridDim.x) {
        const tc_work w = tc_gemm120_work(0, k, g, i);
        tc_gemm_sm120_load(k, g, &ring, &w);
    }
}

/* TC_PINGPONG: a group multiplies when the other has read its tile. */
TC_DEV_SM120 void tc__gemm120_turn_wait(tc_gemm120_in k, const tc_gemm120_block *g, const tc_gemm120_warp *u)
{
    const int warps = tc__gemm120_warps(k.c);
    if (k.c.schedule != TC_PINGPONG) return;
    TC_MBARRIER_WAIT(g->turn + (uint32_t)(u->group * warps + u->number) * 8u, (u->tiles ^ (uint32_t)!u->group) & 1u,
                     "turn", u->group);
}
TC_DEV_SM120 void tc__gemm120_turn_give(tc_gemm120_in k, const tc_gemm120_block *g, const tc_gemm120_warp *u)
{
    const int warps = tc__gemm120_warps(k.c);
    if (k.c.schedule != TC_PINGPONG) return;
    __syncwarp();
    if (tc_elect_one()) tc_mbarrier_arrive(g->turn + (uint32_t)((1 - u->group) * warps + u->number) * 8u);
}

/* TC_PINGPONG: the slots of the ring that the other group's tile takes, number `index` of them all. */
TC_DEV_SM120 void tc__gemm120_skip(tc_gemm120_in k, const tc_gemm120_block *g, tc_ring *ring, uint32_t index)
{
    if (k.c.split) { /* parts have one step more or less */
        tc_work w;
        (void)tc__gemm_part_of(&g->p->split, index, &w);
        tc_ring_skip(ring, w.k_blocks % (uint32_t)k.c.stages, w.k_blocks / (uint32_t)k.c.stages, k.c.stages);
    } else {
        tc_ring_skip(ring, g->p->skip_slots, g->p->skip_laps, k.c.stages);
    }
}

TC_DEV_SM120 void tc__gemm120_consume(tc_gemm120_in k, const tc_gemm120_block *g, uint32_t warp)
{
    const int warps = tc__gemm120_warps(k.c), groups = tc__gemm120_groups(k.c);
    const tc_gemm_sm120_plan plan = tc_gemm_sm120_plan_of(k.c);
    const int counts = k.c.groups || k.c.split;
    const uint32_t all = (uint32_t)groups * gridDim.x, works = counts ? tc_uniform(tc__gemm120_works(k, g)) : 0u;
    tc_gemm120_warp u;
    tc__gemm120_acc acc;
    u.group = (int)warp / warps, u.number = (int)warp % warps;
    u.row = u.number % k.c.warps_m * k.wm, u.col = u.number / k.c.warps_m * k.wn;
    u.ring.stage = u.ring.phase = 0;
    /* opaque: else they are computed anew before each ldmatrix */
    u.a = tc__gemm120_lane_of(tc__gemm120_side_a(k), u.row);
    u.b = tc__gemm120_lane_of(tc__gemm120_side_b(k), u.col);
    u.buf = g->smem + (uint32_t)plan.store + warp * (uint32_t)plan.warp_store;
    u.stores = 0, u.tiles = 0;
    if (u.group) tc__gemm120_skip(k, g, &u.ring, blockIdx.x);
    for (uint32_t i = blockIdx.x + (uint32_t)u.group * gridDim.x; i < (counts ? works : g->p->tiles.total); i += all) {
        u.w = tc_gemm120_work(1, k, g, i);
        if (k.c.split) u.tile = tc_quotient(i, g->p->split.by_parts), u.last = i + all >= works;
        /* where ptxas does not see that they are the same for all lanes, it has too few registers */
        u.lane_a = k.c.sf ? tc_uniform((uint32_t)(tc__gemm_sf_row(k.c, &g->p->groups, &u.w) + u.row) / 64u % 2u) : 0u;
        u.lane_b = k.c.sf ? tc_uniform((uint32_t)(u.w.col + u.col) / 32u % 4u) : 0u;
        tc__gemm120_turn_wait(k, g, &u);
        if (k.c.sparse) tc__gemm120_sparse_mma(k, g, &u, &acc);
        else tc_gemm_sm120_mma(k, g, &u, &acc);
        tc__gemm120_turn_give(k, g, &u);
        tc_gemm_sm120_store(k, g, &u, &acc);
        if (groups > 1) tc__gemm120_skip(k, g, &u.ring, i + gridDim.x);
        u.tiles++;
    }
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The kernel.
 */
/* Barriers, and the meeting of all threads behind them. */
TC_DEV_SM120 void tc__gemm120_start(tc_gemm120_in k, const tc_gemm120_block *g, uint32_t warp)
{
    const int warps = tc__gemm120_warps(k.c);
    if (warp == 0u && tc_elect_one()) {
        if (g->p->k_blocks) {
            tc_prefetch_tensormap(&g->p->a);
            tc_prefetch_tensormap(&g->p->b);
            if (k.c.gate) tc_prefetch_tensormap(&g->p->sfb);
        }
        tc_pipe_init(g->pipe, k.c.stages, (uint32_t)warps);
        for (int i = 0; k.c.schedule == TC_PINGPONG && i < 2 * warps; i++)
            tc_mbarrier_init(g->turn + (uint32_t)i * 8u, 1);
        tc_fence_mbarrier_init();
    }
    if (k.c.groups && warp == 1u) { /* the kernel before may write the bounds that the table is made of */
        if (g->p->waits) tc_griddepcontrol_launch_dependents();
        if (g->p->waits) tc_griddepcontrol_wait();
        tc_groups_scan(k.c.groups == TC_GROUPS_MASKED, &g->p->groups, g->table);
    }
    __syncthreads();
    /* The kernel behind may set itself up from now on; it waits itself for what it reads. */
    if (threadIdx.x == 0) tc_griddepcontrol_launch_dependents();
    if (g->p->waits) tc_griddepcontrol_wait();
}

TC_DEV_SM120 void tc_gemm_sm120(tc_gemm120_in k, const tc_gemm_sm120_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_gemm_sm120_plan plan = tc_gemm_sm120_plan_of(k.c);
    const uint32_t warp = tc_uniform(threadIdx.x / 32u);
    tc_gemm120_block g;
    g.p = p;
    g.smem = tc_smem_u32(tc__dynamic_smem);
    g.ring = g.smem + (uint32_t)plan.ring;
    g.turn = g.smem + (uint32_t)plan.turn;
    g.table = g.smem + (uint32_t)plan.groups, g.parts = g.smem + (uint32_t)plan.parts;
    g.pipe = tc_pipe_at(g.smem + (uint32_t)plan.pipe, k.c.stages);
    tc__gemm120_start(k, &g, warp);
    if (warp < (uint32_t)tc__gemm120_first(k.c)) {
#if TC__GEMM120_SETMAXNREG
        if (tc__gemm120_moves(k.c)) TC_SETMAXNREG_DEC(24);
#endif
        if (warp == 0u && tc_elect_one()) tc__gemm120_produce(k, &g);
    } else {
#if TC__GEMM120_SETMAXNREG
        if (tc__gemm120_moves(k.c)) TC_SETMAXNREG_INC(240);
#endif
        /* asked anew: what lives from before setmaxnreg to the end is spilled */
        tc__gemm120_consume(k, &g, tc_uniform(threadIdx.x / 32u) - (uint32_t)tc__gemm120_first(k.c));
    }
}

#endif /* TC_HAS_SM120 */
#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* An operand's tensor map. v: the configuration's view, and g the call's. */
TC_HOST tc_status tc__gemm120_map(tc_tmap *map, const tc_gemm_config *v, const tc_gemm_args *g, char which)
{
    const tc__gemm120_operand o = which == 'a' ? tc__gemm120_a(*v) : tc__gemm120_b(*v);
    const int pairs = o.bits == 4 ? 2 : 1; /* elements in a byte of the map */
    tc_operand_matrix x = tc__gemm_matrix(v, g, which);
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = x.type == TC_TF32 ? TC_F32 : pairs == 2 ? TC_U8 : x.type;
    d.padded = o.padded;
    d.rank = 3;
    d.base = x.base;
    d.dim[0] = (uint64_t)(x.cols / pairs), d.dim[1] = (uint64_t)x.rows;
    d.dim[2] = tc__operand_stride(&x) ? (uint64_t)x.batch : 1;
    d.stride[0] = (uint64_t)tc__operand_pitch(&x);
    d.stride[1] = (uint64_t)(tc__operand_stride(&x) ? tc__operand_stride(&x) : o.padded ? 32 : 16);
    d.box[0] = (uint32_t)(tc__gemm120_across(o) / pairs), d.box[1] = (uint32_t)(o.turned ? v->bk : o.rows);
    if (which == 'b' && v->gate) d.box[1] = (uint32_t)(v->bn / v->warps_n / 2);
    d.box[2] = 1;
    d.swizzle = o.row;
    d.l2_promotion = 128;
    return tc__tmap_named(map, x.name, &d);
}

/* .gate: B2's. */
TC_HOST tc_status tc__gemm120_map_b2(tc_tmap *map, const tc_gemm_config *v, const tc_gemm_args *g)
{
    const tc_gemm_args second = tc__gate_second(g);
    return tc__gemm120_map(map, v, &second, 'b');
}

/* Parameters of a checked call that is cut as `cut` says: blocks of the grid. c, g: of the view. */
TC_HOST tc_status tc_gemm_sm120_fill(const tc_gemm_config *c, const tc_gemm_args *g, const tc_gemm_cut *cut,
                                     tc_gemm_sm120_params *p)
{
    const tc_gemm_config v = *c;
    const tc_operand_matrix d = tc__gemm_matrix(&v, g, 'd');
    const tc__gemm_sf sf = {tc__gemm120_sf_k(v), tc__gemm120_sf_blocks(v), v.groups};
    const tc_gemm_args all = tc__gate_all(&v, g);
    tc_status st;
    memset((void *)p, 0, sizeof *p);
    st = tc__gemm_tiles(&p->tiles, &v, &all, cut);
    if (st != TC_OK) return st;
    p->groups = tc__gemm_groups_of(&v, g, cut);
    p->d_row = g->d_row, p->d_rows = g->d_rows;
    p->out = tc__gemm_out(&v, g);
    p->k_blocks = ((uint32_t)g->k + (uint32_t)v.bk - 1) / (uint32_t)v.bk;
    p->works = p->tiles.total * (uint32_t)cut->parts;
    p->split = tc_split_make(g->workspace, p->tiles.total, (uint32_t)cut->parts, p->k_blocks);
    p->skip_slots = p->k_blocks % (uint32_t)v.stages, p->skip_laps = p->k_blocks / (uint32_t)v.stages;
    p->factors = v.sf ? tc_sf_count(g->k, sf.k) : 0;
    p->sf_blocks = v.sf ? tc_sf_blocks(g->k, sf.k) : 0;
    p->sfa_batched = g->stride_sfa != 0, p->sfb_batched = g->stride_sfb != 0;
    p->a_batched = g->stride_a != 0, p->b_batched = g->stride_b != 0;
    p->waits = (uint8_t)(g->pdl > 0);
    p->d_by = tc__gemm_d_by(&v, g, &p->out);
    p->d_plain = p->d_by == TC__GEMM_D_TMA && p->out.beta == 0.f;
    p->d_clips = p->d_plain && (int64_t)d.cols * tc_type_bits(v.d) / 8 % 16 == 0; /* TMA writes whole 16 bytes */
    if (v.gate && !v.gate_blind) p->d_clips = 0;
    if (p->d_by == TC__GEMM_D_TMA) st = tc_operand_map(&p->d, &d, tc_box_cols(tc__gemm120_box(v)), 16);
    if (g->k == 0) return st; /* nothing else is read */
    if (v.sparse) tc__gemm120_meta_fill(&v, g, p);
    if (st == TC_OK) st = tc__gemm120_map(&p->a, &v, g, 'a');
    if (st == TC_OK) st = tc__gemm120_map(&p->b, &v, g, 'b');
    if (st == TC_OK && v.gate) st = tc__gemm120_map_b2(&p->sfb, &v, g);
    if (st == TC_OK && v.sf) st = tc__gemm_sf_map(&p->sfa, sf, g, 'a');
    if (st == TC_OK && v.sf) st = tc__gemm_sf_map(&p->sfb, sf, g, 'b');
    return st;
}

/* A call to launch: grid in blocks (0: there is nothing to compute), threads of a block, bytes of its dynamic shared
 * memory, blocks of a cluster (1), and the kernel's only argument. */
typedef struct tc_gemm_sm120_launch {
    unsigned grid, block, smem, cluster;
    size_t workspace; /* bytes that it takes of the call's */
    tc_gemm_sm120_params params;
} tc_gemm_sm120_launch;

/* The rules for a call. */
TC_HOST tc_status tc__gemm120_check(const tc_gemm_config *c, const tc_gemm_args *args)
{
    tc_status st = tc__gemm_check(c, args);
    tc_gemm_args g;
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    g = tc__gemm_effective(args);
    if (g.k) st = tc__gemm_check_side(c, &g, 'a');
    if (g.k && st == TC_OK) st = tc__gemm_check_side(c, &g, 'b');
    if (st == TC_OK) st = tc__gemm_check_sparse(c, args);
    return st == TC_OK ? tc__gemm_check_tma(c, &g) : st;
}

/* What the choice reckons with: a step of 128 bytes of k takes 16 sums of 16 bits a cycle; a tile smaller than 128 x
 * 128 reads more for each product, which weighs a quarter at half the side. v, g: of the view. */
TC_HOST tc__gemm_pace tc__gemm120_pace(const tc_gemm_config *v, const tc_gemm_args *g, int blocks)
{
    const double sums = (double)v->bm * v->bn, reads = 1 + 64. * (1. / v->bm + 1. / v->bn - 1. / 64) / 4;
    const tc__gemm_pace x = {(double)tc__gemm_about_tiles(v, g, v->bm, v->bn), blocks > 1 ? (double)blocks : 1.,
                             (double)g->k * tc_type_bits(v->a) / (v->sparse ? 2048 : 1024),
                             sums / 16 * (reads > 1 ? reads : 1), sums / 16, sums / 8};
    return x;
}

/* What parts of its tiles take of the call's workspace. */
TC_HOST tc__gemm_room tc__gemm120_room(const tc_gemm_config *v, const tc_gemm_args *g)
{
    const int64_t down = (g->m + (int64_t)v->bm - 1) / v->bm, across = (g->n + (int64_t)v->bn - 1) / v->bn;
    const int64_t tiles = down * across * tc__gemm_batch(g);
    const tc__gemm_room room = {(uint32_t)(tiles < 0x7fffffff ? tiles : 0x7fffffff), (size_t)(v->bm * v->bn),
                                g->workspace ? g->workspace_size : 0};
    return room;
}

/* A checked call that computes something. blocks: how many of the kernel run at a time. */
TC_HOST tc_status tc__gemm120_launch(const tc_gemm_config *c, const tc_gemm_args *args, int blocks,
                                     tc_gemm_sm120_launch *l)
{
    const tc_gemm_args read = tc__gemm_effective(args), g = tc__gemm_plain_args(c, &read);
    const tc_gemm_config v = tc_gemm120_view(*c);
    const tc_gemm_args all = tc__gate_all(&v, &g);
    const tc__gemm_cutting by = {tc__gemm120_pace(&v, &all, blocks), tc__gemm120_room(&v, &all), blocks};
    tc_gemm_cut cut;
    tc_status st = tc__gemm_split_cut(&v, &g, &by, &cut);
    l->workspace = cut.workspace;
    l->block = (unsigned)tc_gemm_sm120_threads(*c);
    l->smem = (unsigned)tc_gemm_sm120_smem(*c);
    l->cluster = 1;
    l->grid = 0;
    if (st == TC_OK) st = tc_gemm_sm120_fill(&v, &g, &cut, &l->params);
    if (st != TC_OK) return st;
    l->grid = l->params.works < (uint32_t)cut.blocks ? l->params.works : (unsigned)cut.blocks;
    return TC_OK;
}

/* tc_gemm_sm120_prepare: a call of a kernel that the program compiles and launches by itself (NVRTC, the driver API).
 * given: the configuration of its TC_GEMM_SM120_DEFINE, tc_epi_on_device or tc_epi2_on_device for its hook. blocks: how
 * many of it run at a time; the device's multiprocessors do. */
TC__PREPARE(gemm, 120, blocks, TC__GEMM_SM120_RULES)

/* A kernel as the host sees it. */
TC_HOST tc__kernel tc__gemm_sm120_kernel(const tc_gemm_config *c, tc__function f, tc__kernel_cache *cache)
{
    const tc__kernel k = {f.function, f.name, tc_gemm_sm120_threads(*c), tc_gemm_sm120_smem(*c), 1, 120, cache};
    return k;
}

/* Checks, and with launch != 0 runs. */
TC_HOST tc_status tc__gemm_sm120_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *args,
                                     const tc__launch *how)
{
    tc_gemm_sm120_launch l;
    int blocks = 0;
    tc_status st = tc__gemm120_check(c, args);
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    st = tc__kernel_device(k, &blocks);
    if (st == TC_OK) st = tc__gemm120_launch(c, args, blocks, &l);
    if (st == TC_OK && how->workspace) *how->workspace = l.workspace;
    if (st != TC_OK || !how->launch) return st;
    if (how->plan) how->plan->turned = tc__gemm_d_col(*c), how->plan->padded = tc__gemm_padded_sides(c);
    return tc__kernel_launch(k, l.grid, &l.params, how);
}

/* Other matrices for a plan. */
TC_HOST tc_status tc__gemm120_point(tc_gemm_sm120_params *p, const tc__gemm_planned by, const tc_gemm_args *args)
{
    tc_status st = p->d_by == TC__GEMM_D_TMA ? tc_tmap_replace_address(&p->d, args->d) : TC_OK;
    if (st == TC_OK && by.at[0]) st = tc_tmap_replace_address(by.turned ? &p->b : &p->a, args->a);
    if (st == TC_OK && by.at[1]) st = tc_tmap_replace_address(by.turned ? &p->a : &p->b, args->b);
    if (st == TC_OK && by.gates) st = tc_tmap_replace_address(&p->sfb, args->b2);
    return st;
}

/* What a generator's functions for the host do. */
TC_HOST tc_status tc__gemm_sm120_go(const tc_gemm_config *c, const tc__kernels *s, const tc_gemm_args *args,
                                    const tc__launch *how)
{
    const tc__kernel k = tc__gemm_sm120_kernel(c, s->f[0], &s->cache[0]);
    if (how->plan) how->plan->bytes = sizeof(tc_gemm_sm120_params);
    return tc__gemm_sm120_run(c, &k, args, how);
}

#endif /* host */

/* ---------------------------------------------------------------------------------------------------------------------
 * The generator; what it shares with the others is in tc_gemm.h.
 */
#ifdef __CUDACC__

#define TC__GEMM_SM120_BOUND(config) (tc__gemm120_here(config) ? tc_gemm_sm120_threads(config) : 32)
#define TC__GEMM_SM120_BODY(own, config, params)                                                                      \
    constexpr tc_gemm120 k = tc_gemm120_of(TC__GEMM_HOOKED(own, config));                                             \
    if (tc__gemm120_here(config)) tc_gemm_sm120(k, &params);

#define TC_GEMM_SM120_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM120_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM120_DEFINE_(name, own, ...)                                                                        \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm120_config, __VA_ARGS__)                                                     \
    TC__GEMM_SM120_RULES(TC__RULE_ASSERT, own##_config())                                                             \
    TC__GEMM_ONE_RULES(own)                                                                                           \
    TC__SM120_HERE(tc__gemm120_here(own##_config()))                                                                  \
    TC__SIZES(name, own##_config(), tc_gemm_sm120_threads, tc_gemm_sm120_smem)                                        \
    TC__KERNEL_OF(name, tc_gemm_sm120_params, (TC__GEMM_SM120_BOUND(own##_config()), 1),                              \
                  TC__SM120_STRICT(TC__GEMM_SM120_BODY(own, own##_config(), p)))                                      \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_sm120_go, TC__FUNCTION(name)) TC__GEMM_ENTRIES(name, own))

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM120_H */
