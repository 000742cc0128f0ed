/* tc_gemm_sm100.h - tc 0.2.0 - the GEMM's mainloop for Blackwell: TMA, tcgen05, tensor memory, persistent.
 * Needs: the headers below; sm_100a, 103a, 107a, 110a, or their f.
 *
 *     TC_GEMM_SM100_DEFINE(NAME, fields...)   one kernel, as TC_GEMM_SM90_DEFINE: tc_gemm.h has what it declares, and
 *                                             the call
 *     tc_gemm_sm100_load, _mma                producer and multiplier of one tile
 *     tc_gemm_sm100, _sparse                  the kernel's body; that of one with .sparse
 *     tc_gemm_sm100_fill (host)               what the kernel is given, from a call's arguments
 *     tc_gemm_sm100_prepare (host)            a call to launch by yourself: checked, its grid and its parameters
 *
 * FIELDS: .a .b .d, the layouts, hooks and .raster as everywhere; and
 *     .cluster_m  2 (the default): pairs of blocks multiply 256 rows together; 1: blocks of 128 rows by themselves
 *     .cluster_n  1; 2: two of them side by side share A by multicast
 *     .bn         16..256 columns in steps of 16 (256). .bm is 128: a block's rows of tensor memory
 *     .bk         a multiple of 128 bytes of k (128 bytes);  .stages: what fits, at most 12;  .epi_stages: 2
 *     .clc        1: cluster launch control: the grid has a cluster for each tile, and those that run take over others
 *                 that have not begun, one by one, as long as there are any: where multiprocessors are shared, or some
 *                 tiles take longer, none waits. 0: as many clusters as run at a time, each with its share of the tiles
 *     .chip       107: for sm_107 (Rubin) alone, which has more of everything: see RUBIN
 *     .sf         TC_SF_UE8M0_32 (mxfp8, mxfp6, mxfp4), TC_SF_UE4M3_16 (nvfp4: both e2m1): A's rows and B's columns
 *                 come with factors of a byte for each 32 or 16 of k, in args.sfa and args.sfb, in the layout
 *                 of tc_sf.h. .bn is 384, 256 or 128 then, and k of e2m1 even; a factor of a whole matrix goes
 *                 into alpha. tc_gemm_plan_pointers leaves them where they are. 384: for large products, since each
 *                 row of A meets more columns; B along k. A tile then ends before the next one is half begun
 *     .sparse     as in tc_gemm_sparse.h: A of 2:4 and its metadata in bricks, as every generation reads them. .bk is
 *                 then 128 of 16 bits, 64 of TC_TF32, 256 of 8 bits, that is 128 bytes of what is kept, and a block has
 *                 a warp more (tc_gemm_sm100_sparse.h). TC_SPARSE_B where .d_layout = TC_COL
 *     .groups     as in tc_gemm.h: many products in one launch; with .sf each group's factors of A begin at a block
 *                 of their own (GROUPS in tc_sf.h), those of B are stride_sfb apart. Not with .clc
 *     .split      1: a call may split k between clusters, with a workspace (WORKSPACE in tc_gemm.h); not with .clc,
 *                 .groups and a quantised D; with .sf in no more parts than steps of .bk
 *     .weights    TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3, TC_E2M1: B is packed (tc_weights.h; args.b as in tc_gemm.h), the
 *                 same bytes as for TC_GEMM_SM90_DEFINE; with .weights_k and .weights_zero. .a = .b is TC_BF16 or
 *                 TC_F16, which they are multiplied as, .bn 128, .bk 128, no cluster; .bm is 16..256 rows of D in
 *                 steps of 16 (128): 16 for few rows, 128 or more for many; .split as without. Not with .clc, .groups,
 *                 .index, .aux, sums of D and a quantised D, nor on sm_107 (tc_gemm_sm100_weights.h)
 *     .gate       two products of one A, as in tc_gemm_gate.h: .bn is a multiple of 32, half of them D's columns
 *     .index      TC_INDEX_A: A's rows come by TMA's gather4, four an instruction. With .sf the factors in args.sfa are
 *                 those of the product's rows, in their order, not of A's
 * Where D is column-major m and n change places in these. Of args.choice .blocks and, with .split, .parts mean
 * something.
 *
 * TYPES. f16, bf16, tf32; e4m3, e5m2, e3m2, e2m3 and e2m1 in any mix (sums in f32: there is nothing to promote); s8 and
 * u8 in any mix on 10.0 and 11.0 (10.3 has no kind::i8). A in columns and B in rows are served for types of 8 bits and
 * more. A and B follow TMA's rules; C and D may lie anywhere. Elements of 4 and 6 bits are packed tight in memory
 * (tc_types.h), and but for two e2m1 with .sf become bytes on the way: their base, pitch and stride are multiples of 32
 * bytes then, and k of 128. They save memory and its bandwidth, not shared memory.
 *
 * RUBIN. Code for sm_107a or f (CUDA 13.4 or later) has a form of its own: instructions of 64 bytes of k where e4m3 and
 * e5m2 are multiplied, or two e2m1 with .sf, twice the rate of those of 32, and as many .stages as 327 KB of shared
 * memory hold where they are left out; with .sf and 256 columns all 576 of tensor memory. But with .sparse a slot's A
 * is filled anew as soon as the instructions have read it, its B when they are done. The host asks which code it
 * launches: a build may have both. With .chip = 107 there is code for sm_107 alone, and .stages may be as many as that.
 * A program that launches by itself (tc_gemm_sm100_prepare) sets .chip = 107 for code that it compiled for sm_107;
 * NAME_SMEM speaks of the other form.
 *
 * tc_gemm.h is the manual, docs/add-a-kernel.md says what a mainloop must offer. The configuration and its rules are in
 * tc_gemm_sm100_plan.h, the end of a tile in tc_gemm_sm100_store.h, the host's side in tc_gemm_sm100_call.h, packed
 * weights in tc_gemm_sm100_weights.h.
 *
 *     warp 0       one thread of it is the producer: fills the ring with TMA, tile after tile. Where rows of A are
 *                  looked up, all of it does that, before a tile
 *     warp 1       one thread of it (of a pair's first block) multiplies what the ring holds into one of two
 *                  accumulators
 *     warp 2..5    bring the other one from tensor memory to D: hook, shared memory, TMA store
 *     warp 6       .sparse: puts metadata in the order of tensor memory (tc_gemm_sm100_sparse.h)
 *
 *     full         TMA has filled a slot: of both blocks of a pair, counted by its first
 *     empty        a slot has been read: a tcgen05.commit to all blocks of the cluster, one for each that multiplies
 *     early        RUBIN: its A has been, the same way: A's next block may come while the instructions work
 *     done         an accumulator holds its tile's sums: a commit to both blocks of a pair
 *     free         it has been read: the warps that store arrive, those of both blocks of a pair
 *     told, heard  .clc: the answer to the cluster's first block's question for another tile has come, in each block;
 *                  all roles of all blocks have read it
 *
 * Proven in tcemu and assembled by ptxas; it has not run on a GPU yet.
 */
#ifndef TC_GEMM_SM100_H
#define TC_GEMM_SM100_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"
#include "tc_gemm_cut.h"
#include "tc_gemm_sm100_call.h"
#include "tc_gemm_sm100_plan.h"
#include "tc_gemm_sm100_sparse.h"
#include "tc_gemm_sm100_store.h"
#include "tc_gemm_sm100_weights.h"
#include "tc_gemm_sums.h"

#ifdef __CUDACC__
#if TC_HAS_SM100A && defined(__CUDA_ARCH__)

/* ---------------------------------------------------------------------------------------------------------------------
 * Producer: one thread of each block.
 */
/* A box to this block, or with a mask to those of the cluster; a pair's bytes are counted by its first block. */
TC_DEV_SM100A void tc__gemm100_fetch(const int pair, const tc_operand_source *s, tc_operand_at at, tc_operand_to to)
{
    const int x = at.turned ? s->row + at.row : at.k, y = at.turned ? at.k : s->row;
    if (!pair) {
        tc_operand_fetch(s->mask != 0, s, at, to);
    } else if (s->mask) {
        TC_CP_ASYNC_BULK_TENSOR(3d, shared::cluster, tile, multicast::cluster, 2, , to.dst, s->map,
                                (x, y, s->batch), to.full, s->mask);
    } else {
        TC_CP_ASYNC_BULK_TENSOR(3d, shared::cluster, tile, , 2, , to.dst, s->map, (x, y, s->batch), to.full);
    }
}

/* TC_INDEX_A: which rows of A this block loads of a tile, to shared memory; for a row that the product or A does not
 * have, the one behind A's last, which TMA makes zeros of. All lanes of the producer's warp. */
TC_DEV_SM100A void tc__gemm100_look_up(tc_gemm100_in k, const tc_gemm100_block *g, const tc_work *w)
{
    const int rows = TC__GEMM100_ROWS / k.c.cluster_n, end = k.c.groups ? w->end : g->p->out.m;
    const int first = w->row + (int)tc__gemm100_n(k, g) * rows;
    const uint32_t none = (uint32_t)g->p->a_rows;
    __syncwarp(); /* looked up: the thread that loads has read those of the tile before */
#pragma unroll
    for (int j = 0; j < rows / 32; j++) {
        const int i = j * 32 + tc_lane();
        uint32_t at = none;
        if (first + i < end) at = (uint32_t)g->p->a_row[first + i];
        if (at > none) at = none;
        asm volatile("st.shared.b32 [%0], %1;" : : "r"(g->rows + (uint32_t)i * 4u), "r"(at) : "memory");
    }
    __syncwarp(); /* looked up: they are there */
}

/* A box of A by them, k being its first element of k. */
TC_DEV_SM100A void tc__gemm100_gather(tc_gemm100_in k, const tc_gemm100_block *g, const tc_operand_source *a,
                                      int first_k, tc_operand_to to)
{
    tc_operand_four at = {first_k, {0, 0, 0, 0}};
#pragma unroll 8
    for (uint32_t i = 0; i < (uint32_t)(TC__GEMM100_ROWS / k.c.cluster_n); i += 4u) {
        const tc_operand_to four = {to.dst + i * 128u, to.full};
        asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(at.row[0]), "=r"(at.row[1]), "=r"(at.row[2]), "=r"(at.row[3])
                     : "r"(g->rows + i * 4u) : "memory");
        tc_operand_gather(k.c.cluster_m == 2, a, at, four);
    }
}

#define TC__GEMM100_WAIT_EARLY(g, ring) \
    TC_MBARRIER_WAIT((g)->early + (ring)->stage * 8u, (ring)->phase ^ 1u, "early", (int)(ring)->stage)

/* One tile: blocks of k into the ring. With .cluster_n = 2 this block loads half of its rows of A, for the block beside
 * it too: of each box, or half of the boxes. */
TC_DEV_SM100A void tc_gemm_sm100_load(tc_gemm100_in k, const tc_gemm100_block *g, tc_ring *ring, const tc_work *w)
{
    const tc_gemm_config c = k.c;
    const tc_gemm_sm100_params *p = g->p;
    if (c.weights) {
        tc__gemm100_weights_load(k, g, ring, w);
        return;
    }
    const tc_operand oa = tc__gemm100_a(c), ob = tc__gemm100_b(c);
    const int pair = c.cluster_m == 2, a_rows = oa.rows / c.cluster_n;
    const int a_boxes = oa.mn ? oa.boxes / c.cluster_n : oa.boxes;
    const uint32_t m = tc__gemm100_m(k, g), n = tc__gemm100_n(k, g);
    const uint32_t both = 1u | 1u << c.cluster_m; /* ranks of one m and all n, from m = 0 */
    const tc_operand_source a = {&p->a, w->row + (int)n * a_rows, p->a_batched ? w->batch : 0,
                                 (uint16_t)(c.cluster_n == 2 ? both << m : 0u)};
    const tc_operand_source b = {c.gate && pair && m ? &p->sfb : &p->b, w->col + (c.gate ? 0 : (int)m * ob.rows),
                                 p->b_batched ? w->batch : 0, 0};
    const uint32_t to_a = n * (uint32_t)(oa.mn ? a_boxes * oa.box_bytes : a_rows * 128);
    const uint32_t slot_bytes = (uint32_t)tc__gemm100_slot(c), expected = (uint32_t)tc__gemm100_expected(c);
    const uint32_t sf_at = (uint32_t)(oa.bytes + ob.bytes);
    const int sf_blocks = tc__gemm100_sf_blocks(c), step = tc__gemm_fp4(c) ? c.bk / 2 : c.bk; /* its maps count bytes */
    const int b_box = tc__gemm100_b_box(c);
    const int sf_row = c.sf ? tc__gemm_sf_row(c, &p->groups, w) : 0;
    const tc_operand_source sfa = {&p->sfa, sf_row / 128 * p->sf_blocks, p->sfa_batched ? w->batch : 0, 0};
    const tc_operand_source sfb = {&p->sfb, w->col / 128 * p->sf_blocks, p->sfb_batched ? w->batch : 0, 0};
    tc__gemm100_meta_lines lines = {};
    if (c.sparse) lines = tc__gemm100_meta_source(k, g, w);
    for (uint32_t kb = 0; kb < w->k_blocks; kb++) {
        const uint32_t own = tc_pipe_full(g->pipe, ring->stage), slot = g->ring + ring->stage * slot_bytes;
        const uint32_t full = pair ? tc_mapa(own, tc__gemm100_leader(k, g)) : own;
        const int at_k = (int)(w->k_first + kb), from = p->k_first + at_k * step;
        if (tc__gemm100_is_early(c)) TC__GEMM100_WAIT_EARLY(g, ring);
        else TC_PIPE_WAIT_EMPTY(g->pipe, ring);
        if (!pair || m == 0u) tc_mbarrier_arrive_expect_tx(own, expected * (uint32_t)c.cluster_m);
        if (c.sparse) { /* they have a way to go in shared memory */
            const tc__gemm100_meta_step bricks = {ring->stage, (uint32_t)at_k};
            tc__gemm100_meta_fetch(k, g, &lines, bricks);
        }
#pragma unroll
        for (int box = 0; box < a_boxes; box++) {
            const tc_operand_to to = {slot + to_a + (uint32_t)(box * oa.box_bytes), full};
            const tc_operand_at at = tc_operand_place(oa, box, c.sparse ? from / 2 : from);
            if (tc__gemm100_gathers(c)) tc__gemm100_gather(k, g, &a, at.k, to);
            else tc__gemm100_fetch(pair, &a, at, to);
        }
        if (tc__gemm100_is_early(c)) TC_PIPE_WAIT_EMPTY(g->pipe, ring);
#pragma unroll
        for (int box = 0; box < (tc__gemm100_is_wide(c) ? 0 : ob.boxes); box++) {
            const tc_operand_to to = {slot + (uint32_t)(oa.bytes + box * ob.box_bytes), full};
            tc__gemm100_fetch(pair, &b, tc_operand_place(ob, box, from), to);
            if (c.gate && !pair) {
                const tc_operand_source b2 = {&p->sfb, b.row, b.batch, 0};
                const tc_operand_to behind = {to.dst + (uint32_t)(b_box * 128), full};
                tc__gemm100_fetch(0, &b2, tc_operand_place(ob, box, from), behind);
            }
        }
#pragma unroll
        for (int box = 0; box < (tc__gemm100_is_wide(c) ? 3 : 0); box++) { /* .bk is 128 bytes */
            const tc_operand_to to = {slot + (uint32_t)(oa.bytes + box * b_box * 128), full};
            tc_operand_source part = b;
            part.row = w->col + (box < 2 ? 2 * (int)m + box : 2 * c.cluster_m + (int)m) * b_box;
            tc__gemm100_fetch(pair, &part, tc_operand_place(ob, 0, from), to);
        }
        if (c.sf) { /* of this block's rows, and of all columns of the tile; past the end of k they are not used */
            const int block = p->k_first + at_k * sf_blocks;
            const tc_operand_at row = {1, (sfa.row + block) * 4, -sfa.row};
            const tc_operand_to to_row = {slot + sf_at, full};
            tc__gemm100_fetch(pair, &sfa, row, to_row);
#pragma unroll
            for (int j = 0; j < tc__gemm100_sf_across(c); j++) { /* columns past D's have other columns' or zeros */
                const tc_operand_at col = {1, (sfb.row + j * p->sf_blocks + block) * 4, -sfb.row};
                const tc_operand_to to_col = {slot + sf_at + (uint32_t)((1 + j) * sf_blocks * TC_SF_BLOCK), full};
                tc__gemm100_fetch(pair, &sfb, col, to_col);
            }
        }
        tc_ring_next(ring, c.stages);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Multiplier: one thread of each pair, or of each block.
 */
/* tcgen05's descriptor of a block. */
TC_DEV uint64_t tc__gemm100_desc(const tc_operand o, uint32_t at)
{
    const tc_tcgen05_desc_fields wide = {at, (uint32_t)o.box_bytes, 4u * 128u, 0, 0, 128, 1}; /* 4 k's of 32 bits */
    if (!o.mn) return tc_tcgen05_desc(at, 128);
    return tc_type_bits(o.type) == 32 ? tc_tcgen05_desc_make(wide)
                                      : tc_tcgen05_desc_mn(at, 128, (uint32_t)o.box_bytes);
}

/* One instruction: its operands' descriptors, the accumulator's address, whether it adds to what that holds. */
typedef struct tc__gemm100_step {
    uint64_t a, b;
    uint32_t d;
    int add;
    uint32_t sfa, sfb, id; /* .sf: columns of the factors, and which of the four in a cell is the first; .sparse: sfa */
                           /* is the metadata's, id the selector */
    int half;              /* .sf: only the first half of the instruction's k is there */
    uint32_t sfb_second;   /* WIDE: the second instruction's columns of B */
} tc__gemm100_step;

#define TC__GEMM100_MMA(kind)                                                                                         \
    do {                                                                                                              \
        if (k.c.cluster_m == 2) TC_TCGEN05_MMA_SS(2, kind, x.d, x.a, x.b, k.idesc, x.add);                            \
        else TC_TCGEN05_MMA_SS(1, kind, x.d, x.a, x.b, k.idesc, x.add);                                               \
    } while (0)
#define TC__GEMM100_MMA_BLOCK(kind)                                                                                   \
    do {                                                                                                              \
        const uint32_t idesc = (x.half ? k.idesc_half : k.idesc) | x.id << 29 | x.id << 4;                            \
        if (k.c.cluster_m == 2) TC_TCGEN05_MMA_SS_BLOCK(2, kind, x.d, x.a, x.b, idesc, x.sfa, x.sfb, x.add);          \
        else TC_TCGEN05_MMA_SS_BLOCK(1, kind, x.d, x.a, x.b, idesc, x.sfa, x.sfb, x.add);                             \
    } while (0)
#define TC__GEMM100_MMA_SP(kind)                                                                                      \
    do {                                                                                                              \
        if (k.c.cluster_m == 2) TC_TCGEN05_MMA_SP_SS(2, kind, x.d, x.a, x.b, x.sfa, k.idesc | x.id, x.add);           \
        else TC_TCGEN05_MMA_SP_SS(1, kind, x.d, x.a, x.b, x.sfa, k.idesc | x.id, x.add);                              \
    } while (0)
TC_DEV_SM100A void tc__gemm100_issue_sparse(tc_gemm100_in k, const tc__gemm100_step x)
{
    if (k.kind == TC_KIND_F16) TC__GEMM100_MMA_SP(f16);
    if (k.kind == TC_KIND_TF32) TC__GEMM100_MMA_SP(tf32);
    if (k.kind == TC_KIND_F8F6F4) TC__GEMM100_MMA_SP(f8f6f4);
#if TC_HAS_TCGEN05_I8
    if (k.kind == TC_KIND_I8) TC__GEMM100_MMA_SP(i8);
#endif
}
TC_DEV_SM100A void tc__gemm100_issue(tc_gemm100_in k, const tc__gemm100_step x)
{
    if (k.kind == TC_KIND_F16) TC__GEMM100_MMA(f16);
    if (k.kind == TC_KIND_TF32) TC__GEMM100_MMA(tf32);
    if (k.kind == TC_KIND_F8F6F4) TC__GEMM100_MMA(f8f6f4);
#if TC_HAS_TCGEN05_I8
    if (k.kind == TC_KIND_I8) TC__GEMM100_MMA(i8);
#endif
    if (k.kind == TC_KIND_MXF8F6F4) TC__GEMM100_MMA_BLOCK(mxf8f6f4.block_scale);
    if (k.kind == TC_KIND_MXF4) TC__GEMM100_MMA_BLOCK(mxf4.block_scale);
    if (k.kind == TC_KIND_MXF4NVF4) TC__GEMM100_MMA_BLOCK(mxf4nvf4.block_scale.block16);
}

/* tc_tcgen05_desc_advance, which PTX spells out in five instructions: here the low word's addition alone. */
TC_DEV uint64_t tc__gemm100_advance(uint64_t desc, uint32_t bytes)
{
    uint64_t r;
    asm("mov.b64 %0, {%1, %2};" : "=l"(r) : "r"((uint32_t)desc + bytes / 16u), "r"((uint32_t)(desc >> 32)));
    return r;
}

/* WIDE: a step's two instructions, or one of them. The first leaves A in the collector, from which the second takes it;
 * alone each reads A by itself. */
#define TC__GEMM100_MMA_WIDE(kind)                                                                                    \
    do {                                                                                                              \
        const uint32_t idesc = (x.half ? k.idesc_half : k.idesc) | x.id << 29 | x.id << 4, second = idesc + k.second; \
        if (k.c.cluster_m == 2) TC__GEMM100_MMA_BOTH(2, kind);                                                        \
        else TC__GEMM100_MMA_BOTH(1, kind);                                                                           \
    } while (0)
#define TC__GEMM100_MMA_BOTH(ctas, kind)                                                                              \
    do {                                                                                                              \
        if (ahead) {                                                                                                  \
            TC_TCGEN05_MMA_SS_BLOCK(ctas, kind, x.d, x.a, x.b, idesc, x.sfa, x.sfb, x.add);                           \
        } else if (again) {                                                                                           \
            TC_TCGEN05_MMA_SS_BLOCK(ctas, kind, d, x.a, b, second, x.sfa, sfb, x.add);                                \
        } else {                                                                                                      \
            TC_TCGEN05_MMA_SS_BLOCK(ctas, kind.collector::a::fill, x.d, x.a, x.b, idesc, x.sfa, x.sfb, x.add);        \
            TC_TCGEN05_MMA_SS_BLOCK(ctas, kind.collector::a::lastuse, d, x.a, b, second, x.sfa, sfb, x.add);          \
        }                                                                                                             \
    } while (0)
TC_DEV_SM100A void tc__gemm100_issue_wide(tc_gemm100_in k, const tc__gemm100_step x, int ahead, int again)
{
    const int rows = tc__gemm100_b_rows(k.c) / 3 * 2; /* of B in this block, the first instruction's */
    const uint64_t b = tc__gemm100_advance(x.b, (uint32_t)(rows * 128));
    const uint32_t d = x.d + (uint32_t)TC__GEMM100_FIRST, sfb = x.sfb_second;
    if (k.kind == TC_KIND_MXF8F6F4) TC__GEMM100_MMA_WIDE(mxf8f6f4.block_scale);
    if (k.kind == TC_KIND_MXF4) TC__GEMM100_MMA_WIDE(mxf4.block_scale);
    if (k.kind == TC_KIND_MXF4NVF4) TC__GEMM100_MMA_WIDE(mxf4nvf4.block_scale.block16);
}

/* .sf: a slot's blocks of factors to tensor memory, A's and then B's; what this thread issues after comes after. Those
 * of 256 columns of B stand side by side, by fours of k; WIDE: behind them those of the other 128. */
TC_DEV_SM100A void tc__gemm100_factors(tc_gemm100_in k, uint32_t from, uint32_t to)
{
    const int blocks = tc__gemm100_sf_blocks(k.c), all = tc__gemm100_sf_across(k.c), across = all > 2 ? 2 : all;
    const uint64_t first = tc_tcgen05_desc_scales(from);
#pragma unroll
    for (int i = 0; i < (1 + all) * blocks; i++) {
        const uint64_t desc = first + (uint64_t)(i * TC_SF_BLOCK / 16); /* below 256 KB the address has no carry */
        const int j = i - blocks, beside = i >= blocks && j < across * blocks;
        const int at = beside ? blocks + j % blocks * across + j / blocks : i;
        if (k.c.cluster_m == 2) TC_TCGEN05_CP(2, 32x128b.warpx4, to + (uint32_t)(at * 4), desc);
        else TC_TCGEN05_CP(1, 32x128b.warpx4, to + (uint32_t)(at * 4), desc);
    }
}

/* What this thread has issued is done: told to the blocks of a mask. */
TC_DEV_SM100A void tc__gemm100_commit(tc_gemm100_in k, uint32_t bar, uint32_t mask)
{
    if (k.c.cluster_m == 2) TC_TCGEN05_COMMIT_MULTICAST(2, bar, mask);
    else if (k.c.cluster_n == 2) TC_TCGEN05_COMMIT_MULTICAST(1, bar, mask);
    else TC_TCGEN05_COMMIT(1, bar);
}

/* EARLY: what it has issued has read A from shared memory. */
TC_DEV_SM100A void tc__gemm100_commit_a(tc_gemm100_in k, uint32_t bar, uint32_t mask)
{
#if TC_HAS_SM107A && TC_PTX_ISA >= 94
    if (k.c.cluster_m == 2)
        TC_TCGEN05_COMMIT_Q_MULTICAST(2, .sync_restrict::shared::read::mma::a.shared::cluster.multicast::cluster, bar,
                                      mask);
    else if (k.c.cluster_n == 2)
        TC_TCGEN05_COMMIT_Q_MULTICAST(1, .sync_restrict::shared::read::mma::a.shared::cluster.multicast::cluster, bar,
                                      mask);
    else
        TC_TCGEN05_COMMIT_Q(1, .sync_restrict::shared::read::mma::a.shared::cluster, bar);
#endif
}

/* WIDE: the first slot of a run of k comes twice, for the first instruction's columns and then for the second's: as
 * long as those of the tile before are still being read. More slots would keep the producer waiting. */
TC_DEV uint32_t tc__gemm100_twice(tc_gemm100_in k) { return tc__gemm100_is_wide(k.c) ? 1u : 0u; }

/* One tile into an accumulator, which is free; WIDE: it waits for the columns of either instruction by itself. */
TC_DEV_SM100A void tc_gemm_sm100_mma(tc_gemm100_in k, const tc_gemm100_block *g, tc_ring *ring,
                                     const tc__gemm100_target *to)
{
    const uint32_t d = to->d;
    const tc_operand oa = tc__gemm100_a(k.c), ob = tc__gemm100_b(k.c);
    const int sf_blocks = tc__gemm100_sf_blocks(k.c), each = k.wide ? 2 : 1, steps = tc_operand_steps(oa) / each;
    const int sf_across = tc__gemm100_is_wide(k.c) ? 2 : tc__gemm100_sf_across(k.c), sf_sets = tc__gemm100_sf_sets(k.c);
    const int eight = tc_type_bits(k.c.a) == 8, b_each = k.c.sparse ? 2 * each : each; /* .sparse: twice the k of B */
    const uint32_t sets = g->tmem + (uint32_t)tc__gemm100_accumulators(k.c);
    const uint32_t k_blocks = k.c.split ? to->k_blocks : g->p->k_blocks, twice = tc__gemm100_twice(k);
    const tc_ring from = *ring; /* WIDE: the first slot */
    for (uint32_t i = 0; i < k_blocks + twice; i++) {
        const int again = tc__gemm100_is_wide(k.c) && i >= twice && i < 2u * twice;
        const int ahead = tc__gemm100_is_wide(k.c) && i < twice;
        const uint32_t kb = i < twice ? i : i - twice;
        if (tc__gemm100_is_wide(k.c) && i == twice) {
            TC_MBARRIER_WAIT(g->free + 8u, to->phase, "free", 1); /* a wide tile's other columns */
            *ring = from;
        }
        const uint32_t slot = g->ring + ring->stage * (uint32_t)tc__gemm100_slot(k.c);
        const uint32_t at_k = to->k_first + kb;
        const uint32_t left = g->p->k_steps - at_k * (uint32_t)(steps * each); /* .sf: steps from this slot on */
        const uint64_t a = tc__gemm100_desc(oa, slot), b = tc__gemm100_desc(ob, slot + (uint32_t)oa.bytes);
        TC_PIPE_WAIT_FULL(g->pipe, ring);
        tc_tcgen05_fence_after_thread_sync(); /* behind other warps' tcgen05.ld of a free accumulator, in both blocks */
        const uint32_t set = sets + (k.c.sf || k.c.sparse ? ring->stage % (uint32_t)sf_sets : 0u)
                                        * (uint32_t)tc__gemm100_sf_columns(k.c);
        if (k.c.sf) tc__gemm100_factors(k, slot + (uint32_t)(oa.bytes + ob.bytes), set);
        if (ahead) {
            TC_MBARRIER_WAIT(g->free, to->phase, "free", 0); /* a wide tile's first columns */
            tc_tcgen05_fence_after_thread_sync();            /* behind tcgen05.ld of a wide tile's first columns */
        }
        if (k.c.sparse) tc__gemm100_meta_copy(k, slot + (uint32_t)(oa.bytes + ob.bytes), set);
#pragma unroll
        for (int s = 0; s < steps; s++) {
            const int block = s * sf_blocks / steps; /* of factors; an instruction takes 4, 2 or 1 of a row's 4 in it */
            const tc__gemm100_step x = {tc__gemm100_advance(a, (uint32_t)tc_operand_step(oa, s * each)),
                                        tc__gemm100_advance(b, (uint32_t)tc_operand_step(ob, s * b_each)), d,
                                        s > 0 ? 1 : kb > 0,
                                        set + (uint32_t)(!k.c.sparse ? block * 4 : eight ? s * 2 : s / 2 * 2),
                                        set + (uint32_t)((sf_blocks + block * sf_across) * 4),
                                        (uint32_t)(k.c.sparse ? (eight ? 0 : s % 2) : s * sf_blocks * 4 / steps % 4),
                                        k.wide && (at_k * (uint32_t)steps + (uint32_t)s) * 2u + 1u >= g->p->k_steps,
                                        set + (uint32_t)((3 * sf_blocks + block) * 4)};
            if (!k.c.sf || s == 0 || (uint32_t)(s * each) < left) { /* a slot has one step at least */
                if (tc__gemm100_is_wide(k.c)) tc__gemm100_issue_wide(k, x, ahead, again);
                else k.c.sparse ? tc__gemm100_issue_sparse(k, x) : tc__gemm100_issue(k, x);
            }
        }
        if (tc__gemm100_is_early(k.c) && !ahead)
            tc__gemm100_commit_a(k, g->early + ring->stage * 8u, (1u << tc__gemm100_cluster(k)) - 1u);
        if (!ahead)
            tc__gemm100_commit(k, tc_pipe_empty(g->pipe, ring->stage), (1u << tc__gemm100_cluster(k)) - 1u);
        tc_ring_next(ring, k.c.stages);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The roles, each over all tiles of its block, in the same order.
 */
/* A role's place among its tiles: the number of one among those of the clusters, and with .clc of the answer that says
 * which is next. */
typedef struct tc__gemm100_turn {
    uint32_t tile;
    tc_ring answer;
    uint32_t works; /* .groups, .split: how many there are */
} tc__gemm100_turn;

TC_DEV_SM100A tc__gemm100_turn tc__gemm100_first(tc_gemm100_in k, const tc_gemm100_block *g)
{
    const tc__gemm100_turn t = {blockIdx.x / (uint32_t)tc__gemm100_cluster(k), {0, 0},
                                k.c.groups || k.c.split ? tc__gemm100_works(k, g) : 0u};
    return t;
}

/* Is there none at all? Without .groups a block that was launched has one. */
TC_DEV int tc__gemm100_none(tc_gemm100_in k, const tc__gemm100_turn *t) { return k.c.groups && t->tile >= t->works; }

/* .clc: the producer's, before it fetches a tile: asks for the next one. Every block expects the answer; the cluster's
 * first one asks, when all roles of all blocks have read what stood in its place. After a refusal nobody asks again. */
TC_DEV_SM100A void tc__gemm100_ask(tc_gemm100_in k, const tc_gemm100_block *g, const tc__gemm100_turn *t)
{
    const uint32_t told = g->told + t->answer.stage * 8u, answer = g->answers + t->answer.stage * 16u;
    if (!k.c.clc) return;
    if (g->rank == 0u)
        TC_MBARRIER_WAIT(g->heard + t->answer.stage * 8u, t->answer.phase ^ 1u, "heard", (int)t->answer.stage);
    tc_mbarrier_arrive_expect_tx(told, 16);
    if (g->rank != 0u) return;
    if (tc__gemm100_cluster(k) > 1) tc_clusterlaunchcontrol_try_cancel_multicast(answer, told);
    else tc_clusterlaunchcontrol_try_cancel(answer, told);
}

/* To the next tile, if there is one. warp (a constant): all lanes of a warp call, and not one thread. */
TC_DEV_SM100A int tc__gemm100_next(tc_gemm100_in k, const tc_gemm100_block *g, tc__gemm100_turn *t, const int warp)
{
    uint64_t low, high;
    int more;
    if (!k.c.clc) {
        t->tile += gridDim.x / (uint32_t)tc__gemm100_cluster(k);
        return t->tile < (k.c.groups || k.c.split ? t->works : g->p->tiles.total);
    }
    TC_MBARRIER_WAIT(g->told + t->answer.stage * 8u, t->answer.phase, "told", (int)t->answer.stage);
    asm volatile("ld.shared.v2.b64 {%0, %1}, [%2];"
                 : "=l"(low), "=l"(high) : "r"(g->answers + t->answer.stage * 16u) : "memory");
    more = tc_clusterlaunchcontrol_is_canceled(low, high);
    if (more)
        t->tile = tc_clusterlaunchcontrol_first_ctaid_x(low, high) / (uint32_t)tc__gemm100_cluster(k);
    tc_fence_proxy_async_shared(); /* our reads before, the next answer after */
    if (warp) __syncwarp(); /* all lanes have read the answer */
    if (!warp || tc_elect_one()) tc_mbarrier_arrive_cluster(g->heard + t->answer.stage * 8u, 0);
    tc_ring_next(&t->answer, TC__GEMM100_ANSWERS);
    return more;
}

/* One thread; or where rows of A are looked up a warp, of which always the same one loads. */
TC_DEV_SM100A void tc__gemm100_produce(tc_gemm100_in k, const tc_gemm100_block *g)
{
    const int warp = tc__gemm100_gathers(k.c), loads = !warp || tc_elect_one();
    tc__gemm100_turn turn = tc__gemm100_first(k, g);
    tc_ring ring = {0, 0};
    if (tc__gemm100_none(k, &turn)) return;
    do {
        const tc_work w = tc_gemm100_work(warp, k, g, turn.tile);
        if (warp) tc__gemm100_look_up(k, g, &w);
        if (loads) {
            tc__gemm100_ask(k, g, &turn);
            tc_gemm_sm100_load(k, g, &ring, &w);
        }
        if (warp) __syncwarp(); /* looked up: together again */
    } while (tc__gemm100_next(k, g, &turn, warp));
    if (!loads) return;
    for (int s = 0; s < k.c.stages; s++) {
        TC_PIPE_WAIT_EMPTY(g->pipe, &ring); /* nobody may leave while a commit is on its way to its barriers */
        if (tc__gemm100_is_early(k.c)) TC__GEMM100_WAIT_EARLY(g, &ring);
        tc_ring_next(&ring, k.c.stages);
    }
}

TC_DEV_SM100A void tc__gemm100_multiply(tc_gemm100_in k, const tc_gemm100_block *g)
{
    tc__gemm100_turn turn = tc__gemm100_first(k, g);
    tc_ring ring = {0, 0}, acc = {0, 0}, both = {0, 0}; /* with an overlap one barrier is of both accumulators */
    tc_ring made = {0, 0};
    if (tc__gemm100_none(k, &turn)) return;
    do {
        const tc_ring free = tc__gemm100_overlap(k.c) ? both : acc;
        if (!tc__gemm100_is_wide(k.c)) /* which waits later */
            TC_MBARRIER_WAIT(g->free + free.stage * 8u, free.phase ^ 1u, "free", (int)free.stage);
        tc__gemm100_target to = {g->tmem + acc.stage * (uint32_t)tc__gemm100_stride(k.c), 0u, 0u, free.phase ^ 1u};
        if (k.c.split) {
            const tc_work w = tc_gemm100_work(0, k, g, turn.tile);
            to.k_first = w.k_first, to.k_blocks = w.k_blocks;
        }
        if (k.c.weights) tc__gemm100_weights_mma(k, g, &ring, &made, &to);
        else tc_gemm_sm100_mma(k, g, &ring, &to);
        if (k.c.cluster_m == 2) TC_TCGEN05_COMMIT_MULTICAST(2, g->done + acc.stage * 8u, 3u << g->rank);
        else TC_TCGEN05_COMMIT(1, g->done + acc.stage * 8u);
        tc_ring_next(&acc, tc__gemm100_in_turn(k.c));
        if (tc__gemm100_overlap(k.c)) tc_ring_next(&both, 1);
    } while (tc__gemm100_next(k, g, &turn, 0));
}

TC_DEV_SM100A void tc__gemm100_finish(tc_gemm100_in k, const tc_gemm100_block *g)
{
    const tc_gemm_sm100_plan plan = tc_gemm_sm100_plan_of(k.c);
    const int quarter = (int)tc_uniform(threadIdx.x / 32u % 4u); /* of the lanes: what the hardware gives this warp */
    tc__gemm100_turn turn = tc__gemm100_first(k, g);
    tc_ring acc = {0, 0};
    tc_gemm100_storer u;
    u.row = quarter * 32;
    u.buf = g->smem + (uint32_t)(plan.store + quarter * plan.warp_store);
    u.stores = 0;
    if (tc__gemm100_none(k, &turn)) return;
    do {
        u.w = tc_gemm100_work(1, k, g, turn.tile);
        if (k.c.weights) u.w = tc__gemm100_turned(&u.w);
        if (k.c.split) {
            const uint32_t blocks = (uint32_t)tc__gemm100_cluster(k), step = gridDim.x / blocks;
            u.tile = tc_quotient(turn.tile, g->p->split.by_parts) * blocks + g->rank;
            u.last = turn.tile + step >= turn.works;
        }
        u.tmem = g->tmem + acc.stage * (uint32_t)tc__gemm100_stride(k.c) + tc_tcgen05_taddr(quarter * 32, 0);
        TC_MBARRIER_WAIT(g->done + acc.stage * 8u, acc.phase, "done", (int)acc.stage);
        tc_tcgen05_fence_after_thread_sync();
        if (k.c.weights) tc__gemm100_weights_store(k, g, &u, acc.stage);
        else tc_gemm_sm100_store(k, g, &u, acc.stage);
        tc_ring_next(&acc, tc__gemm100_in_turn(k.c));
    } while (tc__gemm100_next(k, g, &turn, 1));
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The kernel. A block that was launched has a tile, but with .groups.
 */
TC_DEV_SM100A void tc__gemm100_sync(tc_gemm100_in k)
{
    tc_tcgen05_fence_before_thread_sync(); /* alloc, dealloc */
    if (tc__gemm100_cluster(k) > 1) tc_cluster_sync();
    else __syncthreads();
    tc_tcgen05_fence_after_thread_sync(); /* alloc, dealloc */
}

TC_DEV_SM100A tc_gemm100_block tc__gemm100_block_make(tc_gemm100_in k, const tc_gemm_sm100_params *p, uint32_t smem)
{
    const tc_gemm_sm100_plan plan = tc_gemm_sm100_plan_of(k.c);
    tc_gemm100_block g;
    g.p = p;
    g.smem = smem;
    g.ring = smem + (uint32_t)plan.ring;
    g.tmem = 0;
    g.done = smem + (uint32_t)plan.done, g.free = smem + (uint32_t)plan.free;
    g.answers = smem + (uint32_t)plan.answers;
    g.told = smem + (uint32_t)plan.told, g.heard = smem + (uint32_t)plan.heard;
    g.table = smem + (uint32_t)plan.groups, g.parts = smem + (uint32_t)plan.parts, g.rows = smem + (uint32_t)plan.rows;
    g.raw = smem + (uint32_t)plan.raw, g.early = smem + (uint32_t)plan.early;
    g.rank = blockIdx.x % (uint32_t)tc__gemm100_cluster(k); /* the grid is a line of clusters */
    g.pipe = tc_pipe_at(smem + (uint32_t)plan.pipe, k.c.stages);
    g.made = tc_pipe_at(smem + (uint32_t)plan.made, tc__gemm100_made(k.c));
    return g;
}

/* A warp of each block: its columns of tensor memory; 576 of them are given to one block alone. */
TC_DEV_SM100A void tc__gemm100_alloc(tc_gemm100_in k, uint32_t slot)
{
#if TC_HAS_SM107A && TC_PTX_ISA >= 94
    if (k.columns > 512) {
        if (k.c.cluster_m == 2) TC_TCGEN05_ALLOC_EXCLUSIVE_N(2, slot, k.columns);
        else TC_TCGEN05_ALLOC_EXCLUSIVE_N(1, slot, k.columns);
        return;
    }
#endif
    if (k.c.cluster_m == 2) TC_TCGEN05_ALLOC_N(2, slot, k.columns);
    else TC_TCGEN05_ALLOC_N(1, slot, k.columns);
    if (k.c.cluster_m == 2) TC_TCGEN05_RELINQUISH_ALLOC_PERMIT(2);
    else TC_TCGEN05_RELINQUISH_ALLOC_PERMIT(1);
}
TC_DEV_SM100A void tc__gemm100_dealloc(tc_gemm100_in k, uint32_t tmem)
{
#if TC_HAS_SM107A && TC_PTX_ISA >= 94
    if (k.columns > 512) {
        if (k.c.cluster_m == 2) TC_TCGEN05_DEALLOC_EXCLUSIVE_N(2, tmem, k.columns);
        else TC_TCGEN05_DEALLOC_EXCLUSIVE_N(1, tmem, k.columns);
        return;
    }
#endif
    if (k.c.cluster_m == 2) TC_TCGEN05_DEALLOC_N(2, tmem, k.columns);
    else TC_TCGEN05_DEALLOC_N(1, tmem, k.columns);
}

/* Barriers and tensor memory, and the meeting of all threads of the cluster behind them. */
TC_DEV_SM100A void tc__gemm100_start(tc_gemm100_in k, tc_gemm100_block *g, uint32_t warp)
{
    const uint32_t slot = g->smem + (uint32_t)tc_gemm_sm100_plan_of(k.c).tmem;
    if (warp == 0u && tc_elect_one()) {
        if (!k.c.weights) tc_prefetch_tensormap(&g->p->a);
        tc_prefetch_tensormap(&g->p->b);
        if (k.c.gate) tc_prefetch_tensormap(&g->p->sfb);
        if (k.c.sparse) tc__gemm100_meta_init(k, g);
        else tc_pipe_init(g->pipe, k.c.stages, (uint32_t)k.c.cluster_n); /* a commit from each that multiplies */
        for (int s = 0; tc__gemm100_is_early(k.c) && s < k.c.stages; s++)
            tc_mbarrier_init(g->early + (uint32_t)s * 8u, (uint32_t)k.c.cluster_n);
        for (uint32_t i = 0; i < TC__GEMM100_ACCUMULATORS; i++) {
            tc_mbarrier_init(g->done + i * 8u, 1);
            tc_mbarrier_init(g->free + i * 8u, 4u * (uint32_t)k.c.cluster_m); /* a lane of each warp that stores */
        }
        for (uint32_t i = 0; k.c.clc && i < TC__GEMM100_ANSWERS; i++) {
            tc_mbarrier_init(g->told + i * 8u, 1);
            /* the producer and four warps of each block (.sparse: five), and those that multiply */
            tc_mbarrier_init(g->heard + i * 8u, (k.c.sparse ? 6u : 5u) * (uint32_t)tc__gemm100_cluster(k)
                                                    + (uint32_t)k.c.cluster_n);
        }
        if (k.c.weights) tc_pipe_init_full(g->made, tc__gemm100_made(k.c), TC__GEMM100_MAKERS); /* a lane of each */
        if (k.c.weights) tc_pipe_init_empty(g->made, tc__gemm100_made(k.c), 1);
        tc_fence_mbarrier_init();
    }
    if (warp == 1u) {
        tc__gemm100_alloc(k, slot);
    }
    if (warp == 2u && g->p->d_by == TC__GEMM_D_TMA && tc_elect_one()) tc_prefetch_tensormap(&g->p->d);
    if (k.c.groups && warp == 3u) { /* the kernel before may write the bounds that the table is made of */
        if (g->p->waits) tc_griddepcontrol_wait();
        tc_groups_scan(k.c.groups == TC_GROUPS_MASKED, &g->p->groups, g->table);
    }
    __syncwarp(); /* together again */
    tc__gemm100_sync(k);
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(g->tmem) : "r"(slot) : "memory");
    /* The kernel behind may set itself up from now on, and wait for the tensor memory; it waits itself for what it
     * reads. */
    if (threadIdx.x == 0) tc_griddepcontrol_launch_dependents();
    if (g->p->waits) tc_griddepcontrol_wait();
    if (tc__sums_begins(k.c))
        tc__sums_begin(k.c, &g->p->out, &g->p->groups, blockIdx.x == 0 && threadIdx.x == 0);
}

TC_DEV_SM100A void tc__gemm100_roles(tc_gemm100_in k, const tc_gemm100_block *g, uint32_t warp)
{
    if (warp == 0u) {
        if (tc__gemm100_gathers(k.c) || tc_elect_one()) tc__gemm100_produce(k, g);
    } else if (warp == 1u) {
        if (tc__gemm100_m(k, g) == 0u && tc_elect_one()) tc__gemm100_multiply(k, g);
    } else if (k.c.weights && warp >= (uint32_t)TC__GEMM100_THREADS / 32u) {
        tc__gemm100_make(k, g, warp - (uint32_t)TC__GEMM100_THREADS / 32u);
    } else {
        tc__gemm100_finish(k, g);
    }
}

TC_DEV_SM100A void tc__gemm100_end(tc_gemm100_in k, const tc_gemm100_block *g, uint32_t warp)
{
    __syncwarp(); /* together again */
    tc__gemm100_sync(k); /* nobody uses tensor memory, or a neighbour's shared memory, any more */
    if (warp == 1u) tc__gemm100_dealloc(k, g->tmem);
}

TC_DEV_SM100A void tc_gemm_sm100(tc_gemm100_in k, const tc_gemm_sm100_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t warp = tc_uniform(threadIdx.x / 32u);
    tc_gemm100_block g = tc__gemm100_block_make(k, p, tc_smem_u32(tc__dynamic_smem));
    tc__gemm100_start(k, &g, warp);
    tc__gemm100_roles(k, &g, warp);
    tc__gemm100_end(k, &g, warp);
}

/* .sparse: the seventh warp's role. */
TC_DEV_SM100A void tc__gemm100_order(tc_gemm100_in k, const tc_gemm100_block *g)
{
    tc__gemm100_turn turn = tc__gemm100_first(k, g);
    tc_ring ring = {0, 0};
    do {
        uint32_t blocks = g->p->k_blocks;
        if (k.c.split) blocks = tc_gemm100_work(1, k, g, turn.tile).k_blocks;
        for (uint32_t kb = 0; kb < blocks; kb++) {
            tc__gemm100_meta_order(k, g, &ring);
            tc_ring_next(&ring, k.c.stages);
        }
    } while (tc__gemm100_next(k, g, &turn, 1));
}

/* The same kernel with .sparse: by itself, so that other kernels are compiled as if there were no such role. */
TC_DEV_SM100A void tc_gemm_sm100_sparse(tc_gemm100_in k, const tc_gemm_sm100_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t warp = tc_uniform(threadIdx.x / 32u);
    tc_gemm100_block g = tc__gemm100_block_make(k, p, tc_smem_u32(tc__dynamic_smem));
    tc__gemm100_start(k, &g, warp);
    if (warp == 6u) tc__gemm100_order(k, &g);
    else tc__gemm100_roles(k, &g, warp);
    tc__gemm100_end(k, &g, warp);
}

#endif /* TC_HAS_SM100A */
#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * The generator; what it shares with the others is in tc_gemm.h.
 */
#ifdef __CUDACC__

#define TC__GEMM_SM100_BOUND(config) (tc__gemm100_here(config) ? tc_gemm_sm100_threads(config) : 32)
#define TC__GEMM_SM100_BODY(own, config, params)                                                                      \
    constexpr tc_gemm100 k = tc_gemm100_of(TC__GEMM_HOOKED(own, config));                                             \
    if (tc__gemm100_here(config)) {                                                                                   \
        if (TC__GEMM_FINISHES(k.c, params)) TC__GEMM_FINISH(k.c, params, tc__sums_no_tiles());                        \
        else if (k.c.sparse) tc_gemm_sm100_sparse(k, &params);                                                        \
        else tc_gemm_sm100(k, &params);                                                                               \
    }

#define TC_GEMM_SM100_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM100_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM100_DEFINE_(name, own, ...)                                                                        \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm100_config, __VA_ARGS__)                                                     \
    TC__GEMM_SM100_RULES(TC__RULE_ASSERT, own##_config())                                                             \
    TC__GEMM_ONE_RULES(own)                                                                                           \
    TC__SIZES(name, own##_config(), tc_gemm_sm100_threads, tc_gemm_sm100_smem)                                        \
    TC__KERNEL_OF(name, tc_gemm_sm100_params, (TC__GEMM_SM100_BOUND(own##_config()), 1),                              \
                  TC__SM100_STRICT(TC__GEMM_SM100_BODY(own, own##_config(), p)))                                      \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_sm100_go, TC__FUNCTION(name)) TC__GEMM_ENTRIES(name, own))

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM100_H */
