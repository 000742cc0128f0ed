/* tc_gemm_sm80.h - tc 0.2.0 - the GEMM's mainloop for sm_80 and every later target: cp.async, ldmatrix, mma.sync.
 * Needs: the headers below.
 *
 *     tc_gemm_sm80_fill (host)               what the kernel is given, from a call's arguments
 *     tc_gemm_sm80_prepare (host)            a call to launch by yourself: checked, its grid and its parameters
 *                                            (tc_gemm.h)
 *     tc_gemm_sm80                           the kernel's body
 *
 * tc_gemm.h is the manual, docs/add-a-kernel.md says what a mainloop must offer; the configuration and its rules are
 * in tc_gemm_sm80_plan.h, the copies in tc_gemm_sm80_copy.h, the instructions in tc_gemm_sm80_mma.h, the way to D in
 * tc_gemm_sm80_store.h. One block a tile.
 * cp.async fills a ring of swizzled tiles, ldmatrix runs one step ahead of mma.sync:
 *
 *     shared memory:    [stages] A: bm rows of bk elements | [stages] B: bn rows of bk elements (tc_rows of
 *                       tc_operand.h)
 *
 * An operand whose neighbours in memory are those of a k (A column-major, B row-major) lies there as it is: bk rows of
 * bm (bn) elements, which ldmatrix.trans turns on the way to the registers, of 8 bits together with prmt; lanes read
 * those of 32 and 64 bits one by one. Where D is column-major, the kernel computes D^T = B^T A^T, whose rows lie
 * together (tc__gemm_plain).
 *
 * Types differ in little: an instruction takes 32 bytes of k of each row, whatever lies in them, and 16 x 8 sums of 4
 * bytes lie in the same lanes. f64 alone has fragments and an end of its own (tc__gemm80_place).
 */
#ifndef TC_GEMM_SM80_H
#define TC_GEMM_SM80_H

#include "tc_gemm_cut.h"
#include "tc_gemm_sm80_groups.h"
#include "tc_gemm_sm80_mma.h"
#include "tc_gemm_sm80_sparse.h"
#include "tc_gemm_sm80_store.h"
#include "tc_gemm_sm80_weights.h"
#include "tc_gemm_sums.h"

#ifdef __CUDACC__

/* a, b: shared addresses of this lane's rows in a stage, at the step. */
TC_DEV_SM75 void tc__gemm80_read(tc_gemm80_in k, tc__gemm80_fragments *f, uint32_t a, uint32_t b)
{
    const tc_gemm_config c = k.c;
    const tc__gemm80_operand oa = k.a, ob = k.b;
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8;
    if (k.sums == TC_F64) {
#pragma unroll
        for (int i = 0; i < 2 * mi; i++)
            f->a64[i] = tc__gemm80_shared(oa.turned ? (a ^ (uint32_t)(i % 2 * 64)) + (uint32_t)(i / 2 * 128)
                                                    : a + (uint32_t)(i * 8 * oa.t.bytes));
#pragma unroll
        for (int j = 0; j < ni; j++)
            f->b64[j] = tc__gemm80_shared(ob.turned ? (b ^ (uint32_t)(j % 2 * 64)) + (uint32_t)(j / 2 * 128)
                                                    : b + (uint32_t)(j * 8 * ob.t.bytes));
        return;
    }
#pragma unroll
    for (int i = 0; i < mi; i++) {
        if (oa.turned && oa.size == 1) {
            tc__gemm80_read_bytes(oa, a, i, f->a[i]);
        } else if (oa.turned && oa.size == 4) {
            uint32_t r[2][2];
            tc__gemm80_read_words(oa, a, i * 4, r[0]);
            tc__gemm80_read_words(oa, a, i * 4 + 2, r[1]);
            f->a[i][0] = r[0][0], f->a[i][1] = r[1][0], f->a[i][2] = r[0][1], f->a[i][3] = r[1][1];
        } else if (oa.turned) tc_ldmatrix_x4_trans(f->a[i], tc__gemm80_turn(oa, a, i * 2));
        else tc_ldmatrix_x4(f->a[i], a + (uint32_t)(i * 16 * oa.t.bytes));
    }
#pragma unroll
    for (int j = 0; j < ni; j += 2) {
        if (ob.turned && ob.size == 1) {
            uint32_t r[4];
            tc__gemm80_read_bytes(ob, b, j / 2, r);
            f->b[j * 2] = r[0], f->b[j * 2 + 1] = r[2], f->b[j * 2 + 2] = r[1], f->b[j * 2 + 3] = r[3];
        } else if (ob.turned && ob.size == 4) {
            tc__gemm80_read_words(ob, b, j * 2, f->b + j * 2);
            tc__gemm80_read_words(ob, b, j * 2 + 2, f->b + j * 2 + 2);
        } else if (ob.turned) tc_ldmatrix_x4_trans(f->b + j * 2, tc__gemm80_turn(ob, b, j));
        else tc_ldmatrix_x4(f->b + j * 2, b + (uint32_t)(j * 8 * ob.t.bytes));
    }
}

TC_DEV_SM80 void tc__gemm80_mma(tc_gemm80_in k, tc__gemm80_fragments *f, tc__gemm80_acc *acc)
{
    const tc_gemm_config c = k.c;
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8;
    if (tc__gemm_is_f32(c.a)) {
        tc__gemm80_mma_f32(k, f, acc);
        return;
    }
    if (k.parts) {
        tc__gemm80_mma_parts(k, f, acc);
        return;
    }
    if (c.round) {
#pragma unroll
        for (int i = 0; i < mi; i++) tc__gemm80_round(f->a[i], 4);
        tc__gemm80_round(f->b, 2 * ni);
    }
    if (k.sums == TC_F64) {
#pragma unroll
        for (int i = 0; i < mi; i++) {
#pragma unroll
            for (int j = 0; j < ni; j++)
                tc__gemm80_mma_f64(f->a64 + 2 * i, f->b64 + j, acc->d + (2 * i * ni + j) * 2, ni * 2);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < mi; i++) {
#pragma unroll
        for (int jj = 0; jj < ni; jj++) {
            const int j = i % 2 ? ni - 1 - jj : jj; /* back and forth: B's registers stay for the turn */
            const uint32_t *const ab[2] = {f->a[i], f->b + j * 2};
            float *d = acc->f + (i * ni + j) * 4;
            uint32_t *h = acc->h + (i * ni + j) * 2;
            if (k.sums == TC_S32) tc__gemm80_mma_int(c, acc->i + (i * ni + j) * 4, f->a[i], f->b + j * 2);
            else if (tc__gemm_is_fp8(c.a)) tc__gemm80_mma_fp8(c, d, h, ab);
            else if (k.sums == TC_F16) tc_mma_m16n8k16_f16_f16(h, f->a[i], f->b + j * 2, h);
            else if (c.a == TC_TF32) TC_MMA(m16n8k8, row, col, f32, tf32, tf32, f32, d, f->a[i], f->b + j * 2, d);
            else if (c.a == TC_BF16) tc_mma_m16n8k16_f32_bf16(d, f->a[i], f->b + j * 2, d);
            else tc_mma_m16n8k16_f32_f16(d, f->a[i], f->b + j * 2, d);
        }
    }
}

/* .a_scale, .b_scale: the sums take in those of block kb of k, each with the factors of its row and column. */
TC_DEV void tc__gemm80_scale(tc_gemm80_in k, const tc__gemm80_scales *s, int kb, tc__gemm80_acc *acc)
{
    const tc_gemm_config c = k.c;
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8;
#pragma unroll
    for (int i = 0; i < mi; i++) {
#pragma unroll
        for (int e = 0; e < ni * 4; e++) {
            const tc_scale_place ra = {s->row + i * 16 + tc__gemm80_row(k, 0, e % 4 / 2), kb, s->batch};
            const tc_scale_place cb = {s->col + tc__gemm80_col(k, 0, e / 4, e % 2), kb, s->batch};
            const float a = c.a_scale ? *tc_scale_at(c.a_scale, s->a, ra) : 1.f;
            const float b = c.b_scale ? *tc_scale_at(c.b_scale, s->b, cb) : 1.f;
            acc->sums[i * ni * 4 + e] += acc->f[i * ni * 4 + e] * (a * b);
            acc->f[i * ni * 4 + e] = 0.f;
        }
    }
}

/* The k loop of a block's tile: acc = A * B, one warp's part of it. */
TC_DEV_SM80 void tc__gemm80_mainloop(tc_gemm80_in k, const int how, tc__gemm80_block *g, tc__gemm80_acc *acc)
{
    const tc_gemm_config c = k.c;
    const tc__gemm80_operand oa = k.a, ob = k.b;
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, steps = k.k_bytes / 32;
    const uint32_t a_stage = (uint32_t)(oa.t.rows * oa.t.bytes), b_stage = (uint32_t)(ob.t.rows * ob.t.bytes),
                   smem_b = g->smem + (uint32_t)c.stages * a_stage;
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm,
              warp_n = warp / c.warps_m * wn;
    const int blocks = (g->k + c.bk - 1) / c.bk;
    /* ldmatrix's matrices: A both halves of 16 rows at the first half of k, then at the second; B the other way */
    const uint32_t a_at = oa.turned && oa.size != 2 ? tc__gemm80_lane_turned(oa, warp_m)
                        : k.sums == TC_F64 ? tc__gemm80_lane64(oa, warp_m)
                        : oa.turned        ? tc__gemm80_lane(oa, lane % 8 + lane / 16 * 8, warp_m / 8 + lane / 8 % 2)
                                           : tc__gemm80_lane(oa, warp_m + lane % 16, lane / 16);
    const uint32_t b_at = ob.turned && ob.size != 2 ? tc__gemm80_lane_turned(ob, warp_n)
                        : k.sums == TC_F64 ? tc__gemm80_lane64(ob, warp_n)
                        : ob.turned        ? tc__gemm80_lane(ob, lane % 16, warp_n / 8 + lane / 16)
                                           : tc__gemm80_lane(ob, warp_n + lane % 8 + lane / 16 * 8, lane / 8 % 2);
    tc__gemm80_fragments f[2]; /* the mmas of one step run on one while ldmatrix fills the other */
    tc_ring use = {0, 0}, fill = {(uint32_t)c.stages - 1u, 0};
    int next = 0; /* k block to load */

#pragma unroll
    for (int s = 0; s < c.stages - 1; s++) {
        if (next < blocks) {
            const tc__gemm80_share whole = {next, (uint32_t)s, 0, 1};
            if (c.bsr) tc__gemm80_follow(k, g, next);
            tc__gemm80_fill(k, how, g, whole);
            next++;
        }
        tc_cp_async_commit_group();
    }
    tc__cp_async_wait(c.stages - 2);
    __syncthreads();
    if (blocks > 0) tc__gemm80_read(k, &f[0], g->smem + a_at, smem_b + b_at);

    for (int kb = 0; kb < blocks; kb++) {
        const uint32_t now = use.stage;
        tc_ring_next(&use, c.stages);
#pragma unroll
        for (int step = 0; step < steps; step++) {
            if (step == steps - 1) { /* the next slot is there, and all warps are done with the one filled next */
                tc_cp_async_commit_group();
                tc__cp_async_wait(c.stages - 2);
                __syncthreads();
                if (kb + 1 < blocks)
                    tc__gemm80_read(k, &f[0], g->smem + use.stage * a_stage + a_at,
                                    smem_b + use.stage * b_stage + b_at);
            } else {
                tc__gemm80_read(k, &f[(step + 1) % 2], g->smem + now * a_stage + tc__gemm80_step(oa, a_at, step + 1),
                                smem_b + now * b_stage + tc__gemm80_step(ob, b_at, step + 1));
                /* the loads of one slot are spread over all steps but the last */
                const tc__gemm80_share share = {next, fill.stage, step, steps - 1};
                if (c.bsr && step == 0 && next < blocks) tc__gemm80_follow(k, g, next);
                if (next < blocks) tc__gemm80_fill(k, how, g, share);
            }
            tc__gemm80_mma(k, &f[step % 2], acc);
        }
        if (tc__gemm_scaled(c)) tc__gemm80_scale(k, &g->scales, kb, acc);
        next++;
        tc_ring_next(&fill, c.stages);
    }
}

TC_DEV void tc__gemm80_zero(tc_gemm80_in k, tc__gemm80_acc *acc)
{
    const int count = k.c.bm / k.c.warps_m * (k.c.bn / k.c.warps_n) / 32;
#pragma unroll
    for (int i = 0; i < count; i++) {
        if (k.sums == TC_F64) acc->d[i] = 0.;
        else if (k.sums == TC_S32) acc->i[i] = 0;
        else if (k.sums == TC_F16) acc->h[i / 2] = 0;
        else acc->f[i] = acc->sums[i] = 0.f;
    }
}

/* Tile number index of those that there are. */
TC_DEV tc_tile tc__gemm80_number(tc_gemm_config_in c, const tc_gemm_sm80_params *p, uint32_t index)
{
    return c.triangle ? tc_triangle_at(&tc__tiled_of(c, &p->out)->triangle, index) : tc_tile_at(&p->tiles, index);
}

/* Rows and columns of tile number index. */
TC_DEV tc__tiles_patch tc__gemm80_patch(tc_gemm_config_in c, const tc_gemm_sm80_params *p, uint32_t index)
{
    const tc_tile t = tc__gemm80_number(c, p, index);
    const tc__tiles_patch x = {(int)t.m * c.bm, c.bm, (int)t.n * c.bn, c.bn, (int)t.batch};
    return x;
}

/* Its steps of k. */
TC_DEV tc__tiles_run tc__gemm80_steps(tc_gemm80_in k, const tc_gemm_sm80_params *p, const tc__tiles_patch x)
{
    const int all = (p->k + k.c.bk - 1) / k.c.bk;
    const tc__tiles_run whole = {0u, (uint32_t)all};
    if (!k.c.k_range || all == 0) return whole;
    return tc__tiles_k(k.c, all, &p->out, tc__tiles_place(k.turned, &p->out, x));
}

/* This block's tile; where it has more k than the first, the last comes first. */
TC_DEV_SM75 tc__gemm80_tile tc__gemm80_tile_of(tc_gemm80_in k, const tc_gemm_sm80_params *p)
{
    const tc_gemm_config c = k.c;
    const uint32_t last = p->tiles.total - 1u;
    uint32_t index = blockIdx.x;
    if (c.k_range && tc__gemm80_steps(k, p, tc__gemm80_patch(c, p, last)).blocks
                         > tc__gemm80_steps(k, p, tc__gemm80_patch(c, p, 0)).blocks)
        index = last - index;
    return tc__gemm80_plain_tile(tc__gemm80_number(c, p, index), p, c.bm, c.gate ? c.bn / 2 : c.bn);
}

/* A tile's sums to D: by each warp's shared memory, 16 rows at a time, when all have done with the ring. */
TC_DEV_SM75 void tc__gemm80_end(tc_gemm80_in k, const tc_gemm_sm80_params *p, const tc__gemm80_tile *t,
                                const tc__gemm80_acc *acc)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_gemm_config c = k.c;
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, mi = wm / 16, row = tc__gemm80_staged(c, wn);
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm,
              warp_n = warp / c.warps_m * wn;
    float *stage = (float *)tc__dynamic_smem + warp * 16 * row * (k.sums == TC_F64 ? 2 : 1);
    const tc__gemm80_warp to = {stage, lane};
    const int own = c.groups == TC_GROUPS_ARRAY;
    tc_gemm_out its; /* of all this a copy: the hook's arguments are in it, and folded away */
    if (own) its = tc__each_out(&p->out, &t->own);
#pragma unroll
    for (int i = 0; i < mi; i++) {
        const tc__gemm80_to d = {
            {t->row + warp_m + i * 16, t->col + (c.gate ? warp_n / 2 : warp_n), (int)t->batch,
             c.groups ? (int)t->group : 0}, t->end, t->picks,
            own ? t->own.bits_cd % 16u == 0u : p->vec, own ? &its : &p->out};
        tc__gemm80_stage(k, acc, to, i);
        __syncwarp();
        if (k.sums == TC_F64) tc__gemm80_store_f64(k, p, tc_smem_u32(stage), d);
        else if (c.gate) tc__gemm80_store_gated(k, p, tc_smem_u32(stage), d);
        else if (tc__gemm_in_tile(c)) tc__gemm80_store_rows(k, tc_smem_u32(tc__dynamic_smem), d);
        else tc__gemm80_store(k, p, tc_smem_u32(stage), d);
        __syncwarp();
#if TC_HAS_SM80
        if (tc__gemm_quantised(c)) {
            const int warps = c.warps_m * c.warps_n, strip = warp % c.warps_m * mi + i;
            const uint32_t most = (uint32_t)((warps * 16 * row + strip * 16 * c.warps_n) * 4);
            const tc__gemm80_hooked x = {tc_smem_u32(stage), tc_smem_u32(tc__dynamic_smem) + most, warp / c.warps_m};
            tc__gemm80_quantise(k, &p->out, x, d);
            __syncwarp();
        }
#endif
    }
}

TC_DEV_SM80 tc__gemm80_part tc__gemm80_part_of(tc_gemm80_in k, const tc_gemm_sm80_params *p,
                                               const tc__gemm80_tile *t)
{
    const tc__tiles_patch x = {t->row, k.c.bm, t->col, k.c.bn, (int)t->batch};
    tc__gemm80_part r = {0, p->k, TC_TILE_WHOLE};
    r.state = tc__tiles_state(k.c, k.turned, &p->out, x);
    if (k.c.k_range && r.state != TC_TILE_SKIP) {
        const tc__tiles_run run = tc__gemm80_steps(k, p, x);
        r.first = run.blocks ? (int)run.first * k.c.bk : 0;
        r.k = (int)run.blocks * k.c.bk;
        r.k = r.k < p->k - r.first ? r.k : p->k - r.first;
    }
    return r;
}

/* .bsr: the list of a tile's blocks; both sources stand at the first column. */
TC_DEV_SM80 void tc__gemm80_list_of(tc_gemm80_in k, const tc_gemm_sm80_params *p, const tc__gemm80_tile *t,
                                    tc__gemm80_block *g)
{
    const tc__tiled *all = tc__tiled_of(k.c, &p->out);
    const tc__tiles_blocks b = tc__tiles_row(all, t->row / k.c.bsr);
    const long long size = k.a.size, across = k.b.turned ? p->ldb : 1;
    const tc__gemm80_list l = {all->col_idx + b.from, b.from, p->k / k.c.bsr, g->a.passes, g->b.passes, g->a.src,
                               g->b.src, k.c.bsr * p->lda * size, k.c.bsr * across * size};
    g->list = l;
    g->k = p->k ? (b.end - b.from) * k.c.bsr : 0;
}

/* What a kernel looks up, from its configuration: the bits of .index, TC_INDEX_A and TC_INDEX_D, and these. PARTS: not
 * all tiles, or not all of their k, are computed. GROUPS: by a table; CUT: they are runs of k; EACH: products of their
 * own. Added to them: ROWS_ANY, those of A or B do not start at multiples of 16 bytes. */
enum {
    TC__GEMM80_GROUPS = 4,
    TC__GEMM80_SPARSE = 8,
    TC__GEMM80_CONV = 16,
    TC__GEMM80_PARTS = 32,
    TC__GEMM80_CUT = 64,
    TC__GEMM80_EACH = 128,
    TC__GEMM80_ROWS_ANY = 256,
    TC__GEMM80_WEIGHTS = 512
};
TC_HD TC_CONSTEXPR int tc__gemm80_looked_up(tc_gemm_config_in c)
{
    return c.index | (tc__gemm_in_rows(c) ? TC__GEMM80_GROUPS : 0) | (c.sparse ? TC__GEMM80_SPARSE : 0)
         | (c.groups == TC_GROUPS_K ? TC__GEMM80_CUT : 0) | (c.groups == TC_GROUPS_ARRAY ? TC__GEMM80_EACH : 0)
         | (c.conv ? TC__GEMM80_CONV : 0) | (tc__tiles_some(c) ? TC__GEMM80_PARTS : 0)
         | (c.weights ? TC__GEMM80_WEIGHTS : 0);
}

/* A tile. looked_up: of its configuration, with TC__GEMM80_ROWS_ANY; a constant. */
TC_DEV_SM80 void tc__gemm80_compute(const int looked_up, tc_gemm80_in k, const tc_gemm_sm80_params *p,
                                    tc__gemm80_tile *t)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const int parts = looked_up & TC__GEMM80_PARTS, cut = looked_up & TC__GEMM80_CUT, own = looked_up & TC__GEMM80_EACH;
    const int gathered = looked_up & TC_INDEX_A, filtered = looked_up & TC__GEMM80_CONV, runs = parts || cut || own;
    const tc_gemm_config c = k.c;
    const tc__gemm80_operand oa = k.a, ob = k.b;
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, mi = wm / 16;
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm,
              warp_n = warp / c.warps_m * wn;
    const tc__gemm80_part all = {0, own ? t->own.k : 0, TC_TILE_WHOLE};
    const tc__gemm80_part part = parts ? tc__gemm80_part_of(k, p, t) : cut ? tc__gemm80_cut(p, t) : all;
    const int row0 = t->row, col0 = t->col, n = own ? t->own.n : p->out.n;
    const long long lda = own ? t->own.lda : p->lda, ldb = own ? t->own.ldb : p->ldb;
    const void *const a = own ? t->own.a : p->a, *const b = own ? t->own.b : p->b;
    const long long a_from = own ? 0 : t->batch * p->stride_a, b_from = own ? 0 : t->group * p->stride_b;
    tc__gemm80_block g;
    tc__gemm80_acc acc;
    if (parts && part.state == TC_TILE_SKIP) return;
    const int a_row = c.bsr ? row0 % c.bsr : row0; /* within one of its blocks */
    const void *const a_first = tc__gemm80_element(oa.size, a, a_from + (oa.turned ? a_row : a_row * lda)
                                                                   + part.first * (oa.turned ? lda : 1));
    const void *const b_first = tc__gemm80_element(ob.size, b, b_from + (ob.turned ? col0 : col0 * ldb)
                                                                   + part.first * (ob.turned ? ldb : 1));
    g.a = tc__gemm80_source_make(oa, a_first, lda, t->end - row0);
    if (gathered) g.a = tc__gemm80_gather(oa, p, row0, t->end - row0);
    if (filtered) g.a = tc__gemm80_filtered(oa, p, row0, t->end - row0);
    g.b = tc__gemm80_source_make(ob, b_first, ldb, n - col0);
    if (ob.two) tc__gemm80_source_two(ob, p, n - col0, &g.b);
    g.smem = tc_smem_u32(tc__dynamic_smem);
    g.k = runs ? part.k : p->k;
    if (c.bsr) tc__gemm80_list_of(k, p, t, &g);
    g.word = p->word;
    const tc__gemm80_scales scales = {&p->a_scale, &p->b_scale, row0 + warp_m + lane / 4, col0 + warp_n + lane % 4 * 2,
                                      (int)t->group};
    g.scales = scales;
    if (tc__gemm_scaled(c) && tc__gemm80_by_bytes(oa)) g.scales.row += lane / 4;
    if (tc__gemm_scaled(c) && tc__gemm80_by_bytes(ob)) g.scales.col += lane % 4 * 2;
    int any = looked_up & TC__GEMM80_ROWS_ANY;
    if (tc__gemm80_decides(c)) { /* where this tile's rows begin */
        const uint32_t bits = (uint32_t)(uintptr_t)a_first | (uint32_t)(lda * oa.size) | (uint32_t)(uintptr_t)b_first
                            | (uint32_t)(ldb * ob.size);
        any = bits % 16u != 0u, g.word = bits % 4u == 0u;
    }

    if (!own && !c.gate && !(looked_up & TC_INDEX_D) && (k.sums == TC_F64 ? p->beta : (double)p->out.beta) != 0.) {
        const tc__epi_patch patch = {{row0, col0, (int)t->batch, 0}, c.bm, c.bn, t->end, c.bn};
        const tc__epi_share share = {(int)threadIdx.x, c.warps_m * c.warps_n * 32};
        tc__epi_c_ahead(tc_type_bits(tc__gemm_c(c)) / 8, &p->out, patch, share);
    }
    tc__gemm80_zero(k, &acc);
    if (looked_up & TC__GEMM80_SPARSE) {
        tc__gemm80_sparse_block s;
        s.g = &g;
        tc__gemm80_meta_of(c, p, row0 + warp_m, (int)t->batch, &s.meta);
        if (any) tc__gemm80_mainloop_sparse(k, TC__GEMM80_ANY, &s, &acc);
        else if (row0 + c.bm <= t->end && col0 + c.bn <= n && p->k % c.bk == 0)
            tc__gemm80_mainloop_sparse(k, TC__GEMM80_WHOLE, &s, &acc);
        else tc__gemm80_mainloop_sparse(k, TC__GEMM80_ALIGNED, &s, &acc);
    } else if (looked_up & TC__GEMM80_WEIGHTS) {
        tc__gemm80_weights_block s = {&g, tc__gemm80_bricks_of(c, p, col0, t->group)};
        if (any) tc__gemm80_mainloop_weights(k, TC__GEMM80_ANY, &s, acc.f);
        else if (gathered) tc__gemm80_mainloop_weights(k, TC__GEMM80_GATHERED, &s, acc.f);
        else tc__gemm80_mainloop_weights(k, TC__GEMM80_ALIGNED, &s, acc.f);
    } else if (any) tc__gemm80_mainloop(k, TC__GEMM80_ANY, &g, &acc);
    else if (filtered) tc__gemm80_mainloop(k, TC__GEMM80_FILTERED, &g, &acc);
    else if (gathered) tc__gemm80_mainloop(k, TC__GEMM80_GATHERED, &g, &acc);
    else if (!c.bsr && row0 + c.bm <= t->end && col0 + (ob.two ? c.bn / 2 : c.bn) <= n
             && (runs ? part.k : p->k) % c.bk == 0)
        tc__gemm80_mainloop(k, TC__GEMM80_WHOLE, &g, &acc);
    else tc__gemm80_mainloop(k, TC__GEMM80_ALIGNED, &g, &acc);
    if (c.op == TC_XOR && k.parts) tc__gemm80_count(k, g.k, &acc);
    if (tc__gemm_is_f32(c.a)) {
        const tc_f32_lines lines = {(const float *)a + a_from + part.first, (const float *)b + b_from + part.first, lda,
                                    ldb, t->end, n, runs ? part.k : p->k, p->a_rows, gathered ? p->a_row : 0};
        const tc_f32_fragment mine = {row0 + warp_m + lane / 4, col0 + warp_n + lane % 4 * 2, mi, wn, 16};
        tc_f32_mend(&lines, mine, acc.f, mi * wn / 2);
    }
    __syncthreads(); /* the ring is over: its memory now takes each warp's accumulators, 16 rows at a time */
    t->picks = parts && part.state == TC_TILE_PARTIAL;
    tc__gemm80_end(k, p, t, &acc);
}

/* The kernel. looked_up: of its configuration; aligned: every row of A and B starts at a multiple of 16 bytes;
 * constants. A block has one tile; of products of their own, whose number the device alone knows, every so many. */
TC_DEV_SM80 void tc_gemm_sm80(const int looked_up, tc_gemm80_in k, const int aligned, const tc_gemm_sm80_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_gemm_config c = k.c;
    const int how = looked_up | (aligned ? 0 : TC__GEMM80_ROWS_ANY);
    tc__gemm80_tile t;
    if (tc__gemm80_decides(c) && !aligned) return;
    if (looked_up & TC__GEMM80_EACH) {
        tc__each_walk walk = {0u, 0};
        if (TC__GEMM_FINISHES(c, *p)) {
            tc__sums_tiles own = tc__sums_no_tiles();
            own.each = p->each, own.call = tc__gemm80_each_call(p, p->out.beta != 0.f);
            tc__gemm_finish(c, &p->out, &p->groups, own);
        } else if (tc__sums_begins(c)) {
            tc__sums_begin(c, &p->out, &p->groups, blockIdx.x == 0 && threadIdx.x == 0);
        }
        if (!tc__gemm80_here(c) || TC__GEMM_FINISHES(c, *p)) return;
#pragma unroll 1
        for (uint32_t i = blockIdx.x;; i += gridDim.x) {
            t = tc__gemm80_each_tile(k, p, &walk, i);
            if (t.none == 2) return;
            if (!t.none) {
                tc__gemm80_compute(how, k, p, &t);
                __syncthreads(); /* the ring's memory is free again */
            }
        }
    }
    t = looked_up & TC__GEMM80_GROUPS ? tc__gemm80_group_tile(c, p, tc_smem_u32(tc__dynamic_smem))
                                      : tc__gemm80_tile_of(k, p);
    const tc__sums_tiles tiles = tc__sums_tiles_of(c.bm, c.bn, 1, 1);
    if (TC__GEMM_FINISHES(c, *p)) tc__gemm_finish(c, &p->out, &p->groups, tiles);
    else if (tc__sums_begins(c)) tc__sums_begin(c, &p->out, &p->groups, blockIdx.x == 0 && threadIdx.x == 0);
    if (!tc__gemm80_here(c) || t.none || TC__GEMM_FINISHES(c, *p)) return;
    tc__gemm80_compute(how, k, p, &t);
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* 1 if every row of A and B starts at a multiple of `bytes` bytes. */
TC_HOST int tc__gemm80_rows_aligned(const tc_gemm_config *c, const tc_gemm_args *g, int bytes)
{
    const int64_t size = tc_type_bits(c->a);
    const int batched = tc__gemm_matrices(c, g, 'b') > 1;
    const uint64_t bits = (uint64_t)(uintptr_t)g->a | (uint64_t)(uintptr_t)g->b | (uint64_t)(uintptr_t)g->b2
                        | (uint64_t)(g->lda * size / 8)
                        | (uint64_t)(g->ldb * size / 8)
                        | (batched ? (uint64_t)(g->stride_a * size / 8) | (uint64_t)(g->stride_b * size / 8) : 0);
    return bits % (uint64_t)bytes == 0;
}

/* Does a call need NAME_any? */
TC_HOST int tc__gemm80_any(const tc_gemm_config *c, const tc_gemm_args *g)
{
    return g->k > 0 && !tc__gemm80_decides(*c) && !tc__gemm80_rows_aligned(c, g, 16);
}

/* Elements of less than a byte: their k, and A and B, in bytes. */
TC_HOST tc_gemm_args tc__gemm80_in_bytes(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_gemm_args x = *g;
    const int each = tc__gemm_is_packed(c->a) ? 8 / tc_type_bits(c->a) : 1;
    x.k /= each;
    x.lda /= each, x.ldb /= each;
    x.stride_a /= each, x.stride_b /= each;
    return x;
}

/* Parameters of a checked call. blocks: how many run at a time. */
TC_HOST tc_status tc_gemm_sm80_fill(const tc_gemm_config *c, const tc_gemm_args *g, int blocks, tc_gemm_sm80_params *p)
{
    const tc_gemm_config v = tc__gemm_plain(*c);
    const tc_gemm_args plain = tc__gemm_plain_args(c, g), x = tc__gemm80_in_bytes(&v, &plain);
    const tc_gemm_cut cut = {v.bn / tc__gemm_products(v), 1, blocks, 1, 0, 0, 0, 0, 0, 0};
    p->a = x.a;
    p->b = x.b;
    p->lda = x.lda;
    p->ldb = x.ldb;
    p->stride_a = x.stride_a;
    p->stride_b = x.stride_b;
    p->out = tc__gemm_out(&v, &x);
    p->k = x.k;
    p->word = tc__gemm80_rows_aligned(c, g, 4);
    p->vec = tc__gemm_fits(c, g, 'c') && (tc__gemm_quantised(*c) || tc__gemm_fits(c, g, 'd'));
    p->a_scale = tc__gemm_scale(&v, &x, 'a'), p->b_scale = tc__gemm_scale(&v, &x, 'b');
    p->alpha = tc__gemm_alpha(g);
    p->beta = tc__gemm_beta(g);
    p->groups = tc__gemm_groups_of(&v, &x, &cut);
    tc__gemm80_meta_fill(&v, &x, p);
    tc__gemm80_weights_fill(&v, &x, p);
    p->a_row = g->a_row, p->d_row = g->d_row, p->a_rows = g->a_rows, p->d_rows = g->d_rows;
    const tc_status st = tc__gemm_tiles(&p->tiles, &v, &x, &cut);
    const tc__gemm_tell to = {&p->out, &p->tiles};
    if (st == TC_OK) tc__gemm_tell_tiles(&v, &x, &cut, to);
    p->each = tc__each_make(&v, &x, &p->tiles);
    return st;
}

/* As tc_gemm_sm90_launch. any: 0 launches NAME, 1 NAME_any, since rows of A or B do not start at multiples of 16 bytes.
 * cluster is 1. */
typedef struct tc_gemm_sm80_launch {
    unsigned grid, block, smem, cluster;
    int any;
    tc_gemm_sm80_params params;
} tc_gemm_sm80_launch;

/* The rules for a call. */
TC_HOST tc_status tc__gemm80_check(const tc_gemm_config *c, const tc_gemm_args *args)
{
    tc_status st = tc__gemm_check(c, args);
    if (st == TC_OK && c->conv)
        return tc__fail(TC_ERR_CONFIG, ".conv = 1 is for TC_CONV_DEFINE, whose NAME_run launches its kernel");
    if (st == TC_OK) st = tc__gemm_check_tiles(c, args);
    if (st == TC_OK && c->weights && !tc__gemm_empty(args)) {
        const tc_gemm_args g = tc__gemm_effective(args);
        st = tc__weights_call_check(c, &g);
    }
    return st == TC_OK ? tc__gemm_check_sparse(c, args) : st;
}

/* A checked call that computes something. */
TC_HOST tc_status tc__gemm80_launch(const tc_gemm_config *c, const tc_gemm_args *args, int blocks,
                                    tc_gemm_sm80_launch *l)
{
    const tc_gemm_args g = tc__gemm_effective(args);
    const tc_status st = tc_gemm_sm80_fill(c, &g, blocks, &l->params);
    l->block = (unsigned)tc_gemm_sm80_threads(*c);
    l->smem = (unsigned)tc_gemm_sm80_smem(*c);
    l->cluster = 1;
    l->any = tc__gemm80_any(c, &g);
    l->grid = st == TC_OK ? l->params.tiles.total : 0;
    if (st == TC_OK && c->groups == TC_GROUPS_ARRAY) l->grid = tc__gemm80_line_blocks(c, blocks, l->grid);
    return st;
}

/* tc_gemm_sm80_prepare, as tc_gemm_sm90_prepare. blocks: how many of it run at a time; the device's multiprocessors
 * do. */
TC__PREPARE(gemm, 80, blocks, TC__GEMM_SM80_RULES)

/* Checks, and with launch != 0 runs. k: the kernel for rows aligned to 16 bytes, and the one for any. */
TC_HOST tc_status tc__gemm_sm80_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *args,
                                    const tc__launch *how)
{
    tc_gemm_sm80_launch l;
    tc_gemm_args g;
    tc_status st = tc__gemm80_check(c, args);
    const tc__kernel *use;
    int sms = 0;
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    g = tc__gemm_effective(args);
    use = k + tc__gemm80_any(c, &g);
    st = tc__kernel_device(use, &sms);
    if (st == TC_ERR_IMAGE && use == k) st = tc__kernel_device(++use, &sms);
    if (st == TC_OK) st = tc__gemm80_launch(c, args, sms, &l);
    if (st == TC_OK && how->workspace) *how->workspace = tc__gemm_parts_bytes(c, &g);
    if (st != TC_OK || !how->launch) return st;
    if (how->plan) how->plan->turned = tc__gemm_d_col(*c);
    const tc__gemm_launched launched = {use, l.grid, &l.params, &l.params.out};
    return tc__gemm_kernel_launch(c, &launched, how);
}

/* Is TC_GEMM_DEFINE's kernel for few tiles the faster? The busiest of `sms` multiprocessors has so many tiles of 64 x
 * 64 to compute (.weights: 32 x 64), or of the usual size; small ones read more for each product. Numbers of packed
 * weights are reckoned to be made for each column of a tile in the time of 48 rows' products. */
TC_HOST int tc__gemm80_prefers_small(const tc_gemm_config *given, const tc_gemm_args *g, int sms)
{
    const tc_gemm_config large = tc_gemm_sm80_config(*given);
    const int64_t m = given->groups ? tc__gemm_expected(given, g) : g->m;
    const int64_t batch = given->groups ? g->groups.count : tc__gemm_batch(g);
    const int64_t n = (int64_t)g->n * tc__gemm_products(large);
    const int rows = given->weights ? 32 : 64, made = given->weights ? 48 : 0;
    const int64_t small_tiles = (m + rows - 1) / rows * ((n + 63) / 64) * batch;
    const int64_t large_tiles = (m + large.bm - 1) / large.bm * ((n + large.bn - 1) / large.bn) * batch;
    if (sms < 1 || tc__gemm_in_tile(large) || tc__gemm80_any(&large, g)) return 0;
    return (small_tiles + sms - 1) / sms * (rows + made) * 64 * 115
         < (large_tiles + sms - 1) / sms * (large.bm + made) * large.bn * 100;
}

#endif /* host */
#endif /* TC_GEMM_SM80_H */
