/* tc_gemm_sm80_sparse.h - tc 0.2.0 - the sm_80 GEMM with a 2:4 sparse operand (.sparse), which is the instruction's A:
 * metadata's way to mma.sp, and the k loop. Needs: the headers below.
 *
 * A block of k has half as many bytes of A's rows as of B's; an instruction takes 32 bytes of A's and 64 of B's.
 * Metadata comes from bricks (tc_sparse_pack.h) straight to registers, a block of k ahead: a warp's 16 rows are a line
 * of 128 bytes, of 8 bits two, and a lane's words of them lie side by side.
 *
 *     tc__gemm80_meta_of, _meta_ask, _meta_take    a warp's metadata: where it lies; the next block's, asked for, had
 *     tc__gemm80_mma_sparse                        one instruction
 *     tc__gemm80_mainloop_sparse                   the k loop
 */
#ifndef TC_GEMM_SM80_SPARSE_H
#define TC_GEMM_SM80_SPARSE_H

#include "tc_gemm_sm80_copy.h"

#ifdef __CUDACC__

/* Words of each 16 rows of a warp: the block's that is multiplied, and the next one's. */
typedef struct tc__gemm80_meta {
    const char *at; /* this lane's first word of the first block */
    int along;      /* bricks along k */
    uint32_t now[4][4], next[4][4];
} tc__gemm80_meta;

/* row: the warp's first one in A, of 16, 32 or 64 that are in one brick; of rows that A has not, the last brick's. */
TC_DEV void tc__gemm80_meta_of(tc_gemm_config_in c, const tc_gemm_sm80_params *p, int row, int batch,
                               tc__gemm80_meta *m)
{
    const int bits = tc_type_bits(c.a), brick = row / TC_SP_BRICK_ROWS;
    m->along = p->meta_along;
    m->at = p->meta + batch * p->meta_batch
          + (long long)(brick < p->meta_rows ? brick : p->meta_rows - 1) * p->meta_along * tc_sp_brick_bytes(bits)
          + (row % TC_SP_BRICK_ROWS / 16 * 32 + tc_lane()) * 4 * tc_sp_brick_words(bits);
}

/* The words of block `block` of k to .next. A last block's second brick may not exist: A has zeros there. */
TC_DEV void tc__gemm80_meta_ask(tc_gemm_config_in c, int block, tc__gemm80_meta *m)
{
    const int bits = tc_type_bits(c.a), words = tc_sp_brick_words(bits), bricks = tc__gemm80_k_bytes(c) / 128;
#pragma unroll
    for (int j = 0; j < bricks; j++) {
        const int k = block * bricks + j;
        const char *from = m->at + (long long)(k < m->along ? k : m->along - 1) * tc_sp_brick_bytes(bits);
#pragma unroll
        for (int i = 0; i < c.bm / c.warps_m / 16; i++) {
            uint32_t *to = m->next[i] + j * words;
            if (words == 2)
                asm volatile("ld.global.nc.v2.b32 {%0, %1}, [%2];"
                             : "=r"(to[0]), "=r"(to[1]) : "l"(from + i * 32 * 8) : "memory");
            else asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(to[0]) : "l"(from + i * 32 * 4) : "memory");
        }
    }
}

TC_DEV void tc__gemm80_meta_take(tc_gemm_config_in c, tc__gemm80_meta *m)
{
    const int words = tc_sp_brick_words(tc_type_bits(c.a)) * tc__gemm80_k_bytes(c) / 128;
#pragma unroll
    for (int i = 0; i < c.bm / c.warps_m / 16; i++)
#pragma unroll
        for (int w = 0; w < words; w++) m->now[i][w] = m->next[i][w];
}

/* Fragments of one instruction, its metadata, its sums: of floats or of integers. */
typedef struct tc__gemm80_sparse {
    const uint32_t *a, *b;
    uint32_t meta;
    float *f;
    int32_t *i;
} tc__gemm80_sparse;

/* Integers and fp8: 64 of k, no selector. */
TC_DEV_SM80 void tc__gemm80_mma_sparse_8(tc_gemm_config_in c, const tc__gemm80_sparse x)
{
    if (c.a == TC_S8 && c.b == TC_S8)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, s32, s8, s8, s32, x.i, x.a, x.b, x.i, x.meta, 0);
    else if (c.a == TC_S8 && c.b == TC_U8)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, s32, s8, u8, s32, x.i, x.a, x.b, x.i, x.meta, 0);
    else if (c.a == TC_U8 && c.b == TC_S8)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, s32, u8, s8, s32, x.i, x.a, x.b, x.i, x.meta, 0);
    else if (c.a == TC_U8)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, s32, u8, u8, s32, x.i, x.a, x.b, x.i, x.meta, 0);
#if TC_HAS_SM89
    else if (c.a == TC_E4M3 && c.b == TC_E4M3)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, f32, e4m3, e4m3, f32, x.f, x.a, x.b, x.f, x.meta, 0);
    else if (c.a == TC_E4M3)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, f32, e4m3, e5m2, f32, x.f, x.a, x.b, x.f, x.meta, 0);
    else if (c.b == TC_E4M3)
        TC_MMA_SP_ORDERED(m16n8k64, row, col, f32, e5m2, e4m3, f32, x.f, x.a, x.b, x.f, x.meta, 0);
    else
        TC_MMA_SP_ORDERED(m16n8k64, row, col, f32, e5m2, e5m2, f32, x.f, x.a, x.b, x.f, x.meta, 0);
#endif
}

/* selector: a constant, 0 or 1: which half of the lanes of four has this step's metadata; of 8 bits all. */
TC_DEV_SM80 void tc__gemm80_mma_sparse(tc_gemm_config_in c, const int selector, const tc__gemm80_sparse x)
{
    if (tc_type_bits(c.a) == 8) {
        tc__gemm80_mma_sparse_8(c, x);
    } else if (c.a == TC_TF32) {
        if (selector) TC_MMA_SP_ORDERED(m16n8k16, row, col, f32, tf32, tf32, f32, x.f, x.a, x.b, x.f, x.meta, 1);
        else TC_MMA_SP_ORDERED(m16n8k16, row, col, f32, tf32, tf32, f32, x.f, x.a, x.b, x.f, x.meta, 0);
    } else if (c.a == TC_BF16) {
        if (selector) TC_MMA_SP_ORDERED(m16n8k32, row, col, f32, bf16, bf16, f32, x.f, x.a, x.b, x.f, x.meta, 1);
        else TC_MMA_SP_ORDERED(m16n8k32, row, col, f32, bf16, bf16, f32, x.f, x.a, x.b, x.f, x.meta, 0);
    } else {
        if (selector) TC_MMA_SP_ORDERED(m16n8k32, row, col, f32, f16, f16, f32, x.f, x.a, x.b, x.f, x.meta, 1);
        else TC_MMA_SP_ORDERED(m16n8k32, row, col, f32, f16, f16, f32, x.f, x.a, x.b, x.f, x.meta, 0);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The mainloop, as tc_gemm_sm80.h's, with other bytes of A and of B in a block of k. Functions of its own: of a field
 * of the configuration the dense ones would learn too late for the order of their instructions.
 */
TC_DEV_SM80 void tc__gemm80_fill_sparse(tc_gemm80_in k, const int how, tc__gemm80_block *g,
                                        const tc__gemm80_share x)
{
    const tc__gemm80_operand a = k.a, b = k.b;
    const int left = g->k - x.block * k.c.bk, a_passes = tc_rows_passes(a.t), b_passes = tc_rows_passes(b.t);
    const int a_chunk = (int)threadIdx.x % (a.t.bytes / 16), b_chunk = (int)threadIdx.x % (b.t.bytes / 16);
    const uint32_t a_bytes = (uint32_t)(a.t.rows * a.t.bytes), b_bytes = (uint32_t)(b.t.rows * b.t.bytes);
    const tc__gemm80_run ra = {g->smem + x.stage * a_bytes, a_passes * x.part / x.parts,
                               a_passes * (x.part + 1) / x.parts, g->word,
                               tc__gemm80_chunk(a.size, left / 2 - a_chunk * (16 / a.size))};
    const tc__gemm80_run rb = {g->smem + (uint32_t)k.c.stages * a_bytes + x.stage * b_bytes,
                               b_passes * x.part / x.parts, b_passes * (x.part + 1) / x.parts, g->word,
                               tc__gemm80_chunk(b.size, left - b_chunk * (16 / b.size))};
    tc__gemm80_load(a, how, &g->a, ra);
    tc__gemm80_load(b, how, &g->b, rb);
}

/* Of B 64 bytes of k of eight columns. */
TC_DEV_SM80 void tc__gemm80_read_sparse(tc_gemm80_in k, tc__gemm80_fragments *f, uint32_t a, uint32_t b)
{
    const int mi = k.c.bm / k.c.warps_m / 16, ni = k.c.bn / k.c.warps_n / 8;
#pragma unroll
    for (int i = 0; i < mi; i++) tc_ldmatrix_x4(f->a[i], a + (uint32_t)(i * 16 * k.a.t.bytes));
#pragma unroll
    for (int j = 0; j < ni; j++) tc_ldmatrix_x4(f->b + j * 4, b + (uint32_t)(j * 8 * k.b.t.bytes));
}

typedef struct tc__gemm80_sparse_block {
    tc__gemm80_block *g;
    tc__gemm80_meta meta;
} tc__gemm80_sparse_block;

/* Step `step` of a block of k. */
TC_DEV_SM80 void tc__gemm80_multiply_sparse(tc_gemm80_in k, const int step, const tc__gemm80_meta *meta,
                                            tc__gemm80_fragments *f, tc__gemm80_acc *acc)
{
    const tc_gemm_config c = k.c;
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8, eight = k.a.size == 1;
    if (c.round) {
#pragma unroll
        for (int i = 0; i < mi; i++) tc__gemm80_round(f->a[i], 4);
        tc__gemm80_round(f->b, 4 * ni);
    }
#pragma unroll
    for (int i = 0; i < mi; i++) {
#pragma unroll
        for (int jj = 0; jj < ni; jj++) {
            const int j = i % 2 ? ni - 1 - jj : jj;
            const tc__gemm80_sparse x = {f->a[i], f->b + j * 4, meta->now[i][eight ? step : step / 2],
                                         acc->f + (i * ni + j) * 4, acc->i + (i * ni + j) * 4};
            tc__gemm80_mma_sparse(c, step % 2, x);
        }
    }
}

TC_DEV_SM80 void tc__gemm80_mainloop_sparse(tc_gemm80_in k, const int how, tc__gemm80_sparse_block *s,
                                            tc__gemm80_acc *acc)
{
    const tc_gemm_config c = k.c;
    tc__gemm80_block *g = s->g;
    const int steps = k.k_bytes / 64, lane = tc_lane(), warp = (int)threadIdx.x / 32;
    const int warp_m = warp % c.warps_m * (c.bm / c.warps_m), warp_n = warp / c.warps_m * (c.bn / c.warps_n);
    const uint32_t a_stage = (uint32_t)(k.a.t.rows * k.a.t.bytes), b_stage = (uint32_t)(k.b.t.rows * k.b.t.bytes),
                   smem_b = g->smem + (uint32_t)c.stages * a_stage;
    const int blocks = (g->k + c.bk - 1) / c.bk;
    const uint32_t a_at = tc__gemm80_lane(k.a, warp_m + lane % 16, lane / 16);
    const uint32_t b_at = tc__gemm80_lane(k.b, warp_n + lane % 8, lane / 8);
    tc__gemm80_fragments f[2];
    tc_ring use = {0, 0}, fill = {(uint32_t)c.stages - 1u, 0};
    int next = 0;

#pragma unroll
    for (int i = 0; i < c.stages - 1; i++) {
        const tc__gemm80_share whole = {next, (uint32_t)i, 0, 1};
        if (next < blocks) tc__gemm80_fill_sparse(k, how, g, whole), next++;
        tc_cp_async_commit_group();
    }
    if (blocks > 0) tc__gemm80_meta_ask(c, 0, &s->meta);
    tc__cp_async_wait(c.stages - 2);
    __syncthreads();
    if (blocks > 0) tc__gemm80_read_sparse(k, &f[0], g->smem + a_at, smem_b + b_at);

    for (int kb = 0; kb < blocks; kb++) {
        const uint32_t now = use.stage;
        tc_ring_next(&use, c.stages);
        tc__gemm80_meta_take(c, &s->meta);
        if (kb + 1 < blocks) tc__gemm80_meta_ask(c, kb + 1, &s->meta);
#pragma unroll
        for (int step = 0; step < steps; step++) {
            if (step == steps - 1) {
                tc_cp_async_commit_group();
                tc__cp_async_wait(c.stages - 2);
                __syncthreads();
                if (kb + 1 < blocks)
                    tc__gemm80_read_sparse(k, &f[0], g->smem + use.stage * a_stage + a_at,
                                           smem_b + use.stage * b_stage + b_at);
            } else {
                const tc__gemm80_share share = {next, fill.stage, step, steps - 1};
                tc__gemm80_read_sparse(k, &f[(step + 1) % 2],
                                       g->smem + now * a_stage + tc__gemm80_step(k.a, a_at, step + 1),
                                       smem_b + now * b_stage + tc__gemm80_step(k.b, b_at, 2 * step + 2));
                if (next < blocks) tc__gemm80_fill_sparse(k, how, g, share);
            }
            tc__gemm80_multiply_sparse(k, step, &s->meta, &f[step % 2], acc);
        }
        next++;
        tc_ring_next(&fill, c.stages);
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a kernel is told of a checked call's metadata. v, g: of the view whose D is row-major. */
TC_HOST void tc__gemm80_meta_fill(const tc_gemm_config *v, const tc_gemm_args *g, tc_gemm_sm80_params *p)
{
    p->meta = (const char *)g->meta, p->meta_batch = g->stride_meta, p->meta_rows = p->meta_along = 0;
    if (!v->sparse || !g->k) return;
    p->meta_rows = (int)tc__sp_bricks_down(tc__sparse_rows(v, g));
    p->meta_along = (int)tc__sp_bricks_along(tc_type_bits(v->a), g->k);
}

#endif /* host */
#endif /* TC_GEMM_SM80_SPARSE_H */
