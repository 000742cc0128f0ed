/* tc_gemm_sm80_weights.h - tc 0.2.0 - the sm_80 GEMM whose B is packed weights of 4 or 8 bits (tc_weights.h): their way
 * to mma.sync, and the k loop. Needs: the headers below.
 *
 * Roles are changed over in the instruction alone: 16 of B's columns are its rows, 8 of A's rows its columns. A brick,
 * or the half of it that a block of 64 k has, comes to a stage as it lies in memory, behind the blocks of A:
 *
 *     shared memory:    [stages] A: bm rows of bk elements | [stages] bn / 64 bricks of bk of k: codes, then factors
 *
 * A strip of 16 columns is 512 bytes of each 2048 of a brick's codes, 16 of them each lane's: registers of the
 * instruction's A, of which it makes numbers by itself (tc_gemm_weights.h). So weights take no ldmatrix; A's rows do,
 * as B of other kernels does. Where a tile's rows are parted between warps, each of these makes the same numbers.
 *
 * Sums come out turned, 8 rows of D by 16 of its columns a fragment. They are turned back on their way to the warp's
 * shared memory (tc__gemm80_stage_weights), so that all behind it, hooks, second outputs, a quantised D, rows that are
 * looked up, knows nothing of weights.
 *
 *     tc__gemm80_bricks_of           where a tile's bricks lie
 *     tc__gemm80_mainloop_weights    the k loop
 *     tc__gemm80_stage_weights       16 rows of a warp's sums to its shared memory
 *     tc__gemm80_weights_fill        (host) what the kernel is told
 */
#ifndef TC_GEMM_SM80_WEIGHTS_H
#define TC_GEMM_SM80_WEIGHTS_H

#include "tc_gemm_sm80_copy.h"

#ifdef __CUDACC__

/* A tile's bricks: the first one of its first row of them, bytes from a row to the next, and the last row that there
 * is, counted from that one on. Behind it the last is read again: nobody stores what comes of it. */
typedef struct tc__gemm80_bricks {
    const char *at;
    long long pitch;
    int last;
} tc__gemm80_bricks;

TC_DEV tc__gemm80_bricks tc__gemm80_bricks_of(tc_gemm_config_in c, const tc_gemm_sm80_params *p, int col,
                                              uint32_t matrix)
{
    const int first = col / TC_WEIGHTS_ROWS;
    tc__gemm80_bricks w;
    w.pitch = (long long)p->meta_along * tc__weights_brick(c.weights, c.weights_k, c.weights_zero);
    w.at = (const char *)p->b + matrix * p->stride_b + first * w.pitch;
    w.last = p->meta_rows - 1 - first;
    return w;
}

/* So many bytes of each of a tile's bricks: from where in the row of bricks, to where in a stage. */
typedef struct tc__gemm80_pieces {
    int bytes;
    long long from;
    uint32_t to;
} tc__gemm80_pieces;

TC_DEV_SM80 void tc__gemm80_pieces_fill(tc_gemm80_in k, const tc__gemm80_bricks *w, const tc__gemm80_pieces x)
{
    const int each = x.bytes / 16, all = each * (k.c.bn / TC_WEIGHTS_ROWS), threads = tc_gemm_sm80_threads(k.c);
#pragma unroll
    for (int i = 0; i < all; i += threads) {
        const int piece = i + (int)threadIdx.x, row = piece / each, at = piece % each * 16;
        const char *src = w->at + (row < w->last ? row : w->last) * w->pitch + x.from + at;
        if (i + threads <= all || piece < all)
            tc_cp_async_cg_16(x.to + (uint32_t)(row * tc__gemm_brick(k.c) + at), src);
    }
}

/* Block `block` of k of all of them. */
TC_DEV_SM80 void tc__gemm80_bricks_fill(tc_gemm80_in k, const tc__gemm80_bricks *w, int block, uint32_t to)
{
    const tc_gemm_config c = k.c;
    const int codes = tc__weights_codes(c.weights), codes_here = codes / TC_WEIGHTS_K * c.bk;
    const int factors_here = tc__weights_factors(c.weights_k, c.weights_zero, c.bk);
    const int half = c.bk == TC_WEIGHTS_K ? 0 : block % 2, along = c.bk == TC_WEIGHTS_K ? block : block / 2;
    const long long brick = (long long)along * tc__weights_brick(c.weights, c.weights_k, c.weights_zero);
    const int factors = codes + (c.weights_k < TC_WEIGHTS_K ? half * factors_here : 0);
    const tc__gemm80_pieces x = {codes_here, brick + half * codes_here, to},
                            y = {factors_here, brick + factors, to + (uint32_t)codes_here};
    tc__gemm80_pieces_fill(k, w, x);
    if (c.weights_k) tc__gemm80_pieces_fill(k, w, y);
}

/* A tile's sources. */
typedef struct tc__gemm80_weights_block {
    tc__gemm80_block *g;
    tc__gemm80_bricks w;
} tc__gemm80_weights_block;

/* Part `x.part` of the copies of a block of k. Bricks are few copies, and go with the first. */
TC_DEV_SM80 void tc__gemm80_fill_weights(tc_gemm80_in k, const int how, tc__gemm80_weights_block *s,
                                         const tc__gemm80_share x)
{
    const tc__gemm80_operand a = k.a;
    const int left = s->g->k - x.block * k.c.bk, passes = tc_rows_passes(a.t), chunks = a.t.bytes / 16;
    const uint32_t a_bytes = (uint32_t)(a.t.rows * a.t.bytes);
    const tc__gemm80_run ra = {s->g->smem + x.stage * a_bytes, passes * x.part / x.parts,
                               passes * (x.part + 1) / x.parts, s->g->word,
                               tc__gemm80_chunk(a.size, left - (int)threadIdx.x % chunks * (16 / a.size))};
    if (x.part == 0)
        tc__gemm80_bricks_fill(k, &s->w, x.block,
                               s->g->smem + (uint32_t)k.c.stages * a_bytes
                                   + x.stage * (uint32_t)tc__gemm80_b_bytes(k.c));
    tc__gemm80_load(a, how, &s->g->a, ra);
}

enum { TC__GEMM80_STRIPS = 4 }; /* of a warp, at most */

/* What a lane has of a step: numbers of a warp's strips, and A's rows. */
typedef struct tc__gemm80_made {
    uint32_t a[TC__GEMM80_STRIPS][4], b[64];
} tc__gemm80_made;

/* A lane's places in the warp's first strip; strip i's from there on. */
TC_DEV tc__weights_place tc__gemm80_strip(tc_gemm_config_in c, int warp_n)
{
    const int brick = warp_n / TC_WEIGHTS_ROWS * tc__gemm_brick(c), strip = warp_n % TC_WEIGHTS_ROWS / 16;
    const int codes = tc__weights_codes(c.weights) / TC_WEIGHTS_K * c.bk, lane = tc_lane();
    const tc__weights_place p = {(uint32_t)(brick + (strip * 32 + lane) * 16),
                                 (uint32_t)(brick + codes + (strip * 16 + lane / 4) * 2)};
    return p;
}
TC_DEV tc__weights_place tc__gemm80_strip_in(tc__weights_place own, const int i, uint32_t stage)
{
    const tc__weights_place p = {own.codes + stage + (uint32_t)(i * 512), own.factors + stage + (uint32_t)(i * 32)};
    return p;
}

/* Where a warp reads in a stage: A's rows, its strips. */
typedef struct tc__gemm80_reads {
    uint32_t a, bricks;
    tc__weights_place own;
} tc__gemm80_reads;

/* Of step `step` of a block of k, A's rows; of the first of half a block codes and factors of its strips too. */
TC_DEV_SM80 void tc__gemm80_read_weights(tc_gemm80_in k, const int step, const tc__gemm80_reads x,
                                         tc__weights_raw *raw, tc__gemm80_made *f)
{
    const tc_gemm_config c = k.c;
    const int half_steps = c.bk / 32;
    if (step % half_steps == 0) {
#pragma unroll
        for (int i = 0; i < c.bn / c.warps_n / 16; i++)
            tc__weights_read(c, tc__gemm80_strip_in(x.own, i, x.bricks), step / half_steps, raw + i);
    }
#pragma unroll
    for (int j = 0; j < c.bm / c.warps_m / 8; j += 2)
        tc_ldmatrix_x4(f->b + j * 2, tc__gemm80_step(k.a, x.a, step) + (uint32_t)(j * 8 * k.a.t.bytes));
}

/* Numbers of a strip's codes of a step. */
TC_DEV_SM80 void tc__gemm80_make_strip(tc_gemm_config_in c, const int step, tc__weights_raw *raw, uint32_t *a)
{
    const int half_steps = c.bk / 32, in = step % half_steps, groups = tc__weights_groups(c);
    const int each = tc_type_bits(c.weights) / 4, group = in * groups / half_steps;
    if (in == 0 && !tc__weights_same(c, step / half_steps)) {
#pragma unroll
        for (int i = 0; i < 2 * groups; i++)
            tc__weights_ready(c, i % 2, &raw->scale[i / 2][i % 2], &raw->less[i / 2][i % 2]);
    }
    const tc__weights_pair f = {{raw->scale[group][0], raw->scale[group][1]},
                                {raw->less[group][0], raw->less[group][1]}};
    tc__weights_step(c, raw->words + in * each, &f, a);
}

/* A strip's products of a step. */
TC_DEV_SM80 void tc__gemm80_multiply_strip(tc_gemm80_in k, const int i, const tc__gemm80_made *f, float *acc)
{
    const int nj = k.c.bm / k.c.warps_m / 8;
#pragma unroll
    for (int jj = 0; jj < nj; jj++) {
        const int j = i % 2 ? nj - 1 - jj : jj;
        float *d = acc + (i * nj + j) * 4;
        if (k.c.a == TC_BF16) tc_mma_m16n8k16_f32_bf16(d, f->a[i], f->b + j * 2, d);
        else tc_mma_m16n8k16_f32_f16(d, f->a[i], f->b + j * 2, d);
    }
}

/* The k loop of a block's tile, one warp's part of it: tc__gemm80_mainloop's, with codes that become numbers a step
 * ahead. Behind the last block of k numbers are made of what was there, and nobody reads them. */
TC_DEV_SM80 void tc__gemm80_mainloop_weights(tc_gemm80_in k, const int how, tc__gemm80_weights_block *s, float *acc)
{
    const tc_gemm_config c = k.c;
    const int steps = c.bk / 16, lane = tc_lane(), warp = (int)threadIdx.x / 32;
    const int warp_m = warp % c.warps_m * (c.bm / c.warps_m), warp_n = warp / c.warps_m * (c.bn / c.warps_n);
    const uint32_t a_stage = (uint32_t)(k.a.t.rows * k.a.t.bytes), b_stage = (uint32_t)tc__gemm80_b_bytes(c);
    const int blocks = (s->g->k + c.bk - 1) / c.bk;
    const tc__gemm80_reads first = {
        s->g->smem + tc__gemm80_lane(k.a, warp_m + lane % 8 + lane / 16 * 8, lane / 8 % 2),
        s->g->smem + (uint32_t)c.stages * a_stage, tc__gemm80_strip(c, warp_n)};
    const int strips = c.bn / c.warps_n / 16;
    tc__gemm80_made f[2];
    tc__weights_raw raw[TC__GEMM80_STRIPS];
    tc_ring use = {0, 0}, fill = {(uint32_t)c.stages - 1u, 0};
    int next = 0;

#pragma unroll
    for (int i = 0; i < c.stages - 1; i++) {
        const tc__gemm80_share whole = {next, (uint32_t)i, 0, 1};
        if (next < blocks) tc__gemm80_fill_weights(k, how, s, whole), next++;
        tc_cp_async_commit_group();
    }
    tc__cp_async_wait(c.stages - 2);
    __syncthreads();
    if (blocks > 0) {
        tc__gemm80_read_weights(k, 0, first, raw, &f[0]);
#pragma unroll
        for (int i = 0; i < strips; i++) tc__gemm80_make_strip(c, 0, raw + i, f[0].a[i]);
    }

    for (int kb = 0; kb < blocks; kb++) {
        const tc__gemm80_reads now = {first.a + use.stage * a_stage, first.bricks + use.stage * b_stage, first.own};
        tc_ring_next(&use, c.stages);
        const tc__gemm80_reads then = {first.a + use.stage * a_stage, first.bricks + use.stage * b_stage, first.own};
#pragma unroll
        for (int step = 0; step < steps; step++) {
            if (step == steps - 1) { /* the next slot is there, and all warps are done with the one filled next */
                tc_cp_async_commit_group();
                tc__cp_async_wait(c.stages - 2);
                __syncthreads();
                if (kb + 1 < blocks) tc__gemm80_read_weights(k, 0, then, raw, &f[0]);
            } else {
                const tc__gemm80_share share = {next, fill.stage, step, steps - 1};
                tc__gemm80_read_weights(k, step + 1, now, raw, &f[(step + 1) % 2]);
                if (next < blocks) tc__gemm80_fill_weights(k, how, s, share);
            }
#pragma unroll
            for (int i = 0; i < strips; i++) { /* between products, numbers of the next step */
                tc__gemm80_multiply_strip(k, i, &f[step % 2], acc);
                tc__gemm80_make_strip(c, (step + 1) % steps, raw + i, f[(step + 1) % 2].a[i]);
            }
        }
        next++;
        tc_ring_next(&fill, c.stages);
    }
    tc__weights_up_again(c, acc, c.bm / c.warps_m * (c.bn / c.warps_n) / 32);
}

/* 16 rows of D of a warp's sums, its i-th, each to a row of its shared memory. */
TC_DEV void tc__gemm80_stage_weights(tc_gemm80_in k, const float *acc, void *stage, const int i)
{
    const int wn = k.c.bn / k.c.warps_n, nj = k.c.bm / k.c.warps_m / 8, row = tc__gemm80_staged(k.c, wn);
    float *to = (float *)stage + tc_lane() % 4 * 2 * row + tc_lane() / 4;
#pragma unroll
    for (int s = 0; s < wn / 16; s++)
#pragma unroll
        for (int e = 0; e < 8; e++) /* of two fragments side by side */
            to[(e / 4 * 8 + e % 2) * row + s * 16 + e % 4 / 2 * 8] = acc[(s * nj + i * 2 + e / 4) * 4 + e % 4];
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* Bricks of a checked call. v, g: of the view. */
TC_HOST void tc__gemm80_weights_fill(const tc_gemm_config *v, const tc_gemm_args *g, tc_gemm_sm80_params *p)
{
    const tc_gemm_bricks x = tc__weights_bricks(v, g);
    if (!v->weights) return;
    p->meta_rows = x.rows, p->meta_along = x.along;
}

#endif /* host */
#endif /* TC_GEMM_SM80_WEIGHTS_H */
