/* tc_gemm_sm75.h - tc 0.2.0 - the GEMM for sm_75, whose Tensor Cores have f16, integers of 8 and 4 bits and bits, and
 * where nothing but threads brings data to shared memory. Needs: the headers below.
 *
 * The sm_80 kernel's tile, fragments, ldmatrix and way to D (tc_gemm_sm80.h), with two slots in place of a ring: while
 * the Tensor Cores are at one block of k, each thread has the chunks of the next one on their way to its registers, and
 * puts them into the other slot when the block is done. mma.sync has 8 of k of f16 here, and 8 x 8 sums of 16 bytes of
 * k of integers: two and four of them for what sm_80 has one for. Of bits it has TC_XOR.
 *
 *     tc__gemm75_serves, tc__gemm75_config     which types; its tile
 *     tc_gemm_sm75                             the kernel's body
 */
#ifndef TC_GEMM_SM75_H
#define TC_GEMM_SM75_H

#include "tc_gemm_sm80.h"

TC_HD TC_CONSTEXPR int tc__gemm75_serves(tc_gemm_config_in c)
{
    return !c.sparse && (c.a == TC_F16 || tc__gemm_is_4(c.a) || c.op == TC_XOR
                         || (tc__gemm_is_int(c.a) && !tc__gemm_a_col(c) && !tc__gemm_b_row(c)));
}

/* 128 x 128, of which a warp has 64 x 32, 64 bytes of k. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm75_config(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    c.bm = c.bn = 128, c.bk = tc_type_bits(c.a) ? 512 / tc_type_bits(c.a) : 32, c.stages = 2;
    c.warps_m = tc__gemm_d_col(given) ? 4 : 2, c.warps_n = 8 / c.warps_m;
    c.cluster_m = c.cluster_n = c.cluster_k = 1;
    return c;
}

#ifdef __CUDACC__

enum { TC__GEMM75_CHUNKS = 2 }; /* of 16 bytes, of a thread in a block of A, of B */

/* An operand's matrix, and its lines from the tile's first one on: how many there are; looked up: the first one's
 * index. */
typedef struct tc__gemm75_side {
    const char *base;
    long long ld;
    int first, left, rows;
    const int32_t *row;
    int k; /* elements of k */
} tc__gemm75_side;

/* 16 bytes, of which so many elements exist. */
TC_DEV uint4 tc__gemm75_chunk(const int size, const char *from, int count)
{
    uint32_t w[4] = {0u, 0u, 0u, 0u};
    if (count >= 16 / size && (uintptr_t)from % 16u == 0u) return *(const uint4 *)from;
#pragma unroll
    for (int e = 0; e < 16 / size; e++) {
        const uint32_t x = e >= count ? 0u : size == 1 ? ((const uint8_t *)from)[e] : ((const uint16_t *)from)[e];
        w[e * size / 4] |= x << e * size % 4 * 8;
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
}

/* This thread's chunks of the block from k on. */
TC_DEV void tc__gemm75_load(const tc__gemm80_operand o, const tc__gemm75_side *s, int k, uint4 *x)
{
    const int lanes = o.t.bytes / 16, each = 16 / o.size, left = s->k - k;
#pragma unroll
    for (int i = 0; i < TC__GEMM75_CHUNKS; i++) {
        const int number = (int)threadIdx.x + i * o.t.threads, row = number / lanes, ch = number % lanes * each;
        int at = s->first + row, count = o.turned ? (row < left ? s->left - ch : 0) : row < s->left ? left - ch : 0;
        if (!o.turned && s->row && count > 0) at = s->row[row], count = (uint32_t)at < (uint32_t)s->rows ? count : 0;
        const long long from = o.turned ? (k + row) * s->ld + s->first + ch : at * s->ld + k + ch;
        x[i] = make_uint4(0u, 0u, 0u, 0u);
        if (count > 0) x[i] = tc__gemm75_chunk(o.size, s->base + from * o.size, count);
    }
}

TC_DEV void tc__gemm75_put(const tc__gemm80_operand o, uint32_t slot, const uint4 *x)
{
    const uint32_t lanes = (uint32_t)o.t.bytes / 16u;
#pragma unroll
    for (int i = 0; i < TC__GEMM75_CHUNKS; i++) {
        const uint32_t number = threadIdx.x + (uint32_t)(i * o.t.threads);
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "r"(slot + tc_rows_at(o.t.bytes, number / lanes, number % lanes)), "r"(x[i].x), "r"(x[i].y),
                         "r"(x[i].z), "r"(x[i].w)
                     : "memory");
    }
}

/* What sm_80 has one instruction for: 16 x 8, and 32 bytes of k. */
TC_DEV_SM75 void tc__gemm75_mma_int(tc_gemm_config_in c, int32_t *d, const uint32_t *a, const uint32_t *b)
{
    if (c.op == TC_XOR) TC_MMA_POPC(m8n8k128, row, col, s32, b1, b1, s32, xor_popc, d, a, b, d);
    else if (c.a == TC_S4 && c.b == TC_S4) TC_MMA(m8n8k32, row, col, s32, s4, s4, s32, d, a, b, d);
    else if (c.a == TC_S4) TC_MMA(m8n8k32, row, col, s32, s4, u4, s32, d, a, b, d);
    else if (c.a == TC_U4 && c.b == TC_S4) TC_MMA(m8n8k32, row, col, s32, u4, s4, s32, d, a, b, d);
    else if (c.a == TC_U4) TC_MMA(m8n8k32, row, col, s32, u4, u4, s32, d, a, b, d);
    else if (c.a == TC_S8 && c.b == TC_S8) TC_MMA(m8n8k16, row, col, s32, s8, s8, s32, d, a, b, d);
    else if (c.a == TC_S8) TC_MMA(m8n8k16, row, col, s32, s8, u8, s32, d, a, b, d);
    else if (c.b == TC_S8) TC_MMA(m8n8k16, row, col, s32, u8, s8, s32, d, a, b, d);
    else TC_MMA(m8n8k16, row, col, s32, u8, u8, s32, d, a, b, d);
}

TC_DEV_SM75 void tc__gemm75_mma(tc_gemm80_in k, const tc__gemm80_fragments *f, tc__gemm80_acc *acc)
{
    const int mi = k.c.bm / k.c.warps_m / 16, ni = k.c.bn / k.c.warps_n / 8;
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int i = 0; i < mi; i++) {
#pragma unroll
            for (int j = 0; j < ni; j++) {
                const uint32_t *a = f->a[i] + 2 * half, *b = f->b + 2 * j + half;
                const int at = (i * ni + j) * 4;
                if (k.sums == TC_S32) {
                    tc__gemm75_mma_int(k.c, acc->i + at, a, b);
                    tc__gemm75_mma_int(k.c, acc->i + at + 2, a + 1, b);
                } else if (k.sums == TC_F16) {
                    TC_MMA(m16n8k8, row, col, f16, f16, f16, f16, (acc->h + at / 2), a, b, (acc->h + at / 2));
                } else {
                    TC_MMA(m16n8k8, row, col, f32, f16, f16, f32, (acc->f + at), a, b, (acc->f + at));
                }
            }
        }
    }
}

/* All of k. */
TC_DEV_SM75 void tc__gemm75_loop(tc_gemm80_in k, const tc__gemm75_side *sides, tc__gemm80_acc *acc)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc__gemm80_operand oa = k.a, ob = k.b;
    const uint32_t smem = tc_smem_u32(tc__dynamic_smem), a_bytes = (uint32_t)(oa.t.rows * oa.t.bytes),
                   slot = a_bytes + (uint32_t)(ob.t.rows * ob.t.bytes);
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % k.c.warps_m * (k.c.bm / k.c.warps_m),
              warp_n = warp / k.c.warps_m * (k.c.bn / k.c.warps_n);
    const uint32_t a_at = oa.turned ? tc__gemm80_lane(oa, lane % 8 + lane / 16 * 8, warp_m / 8 + lane / 8 % 2)
                                    : tc__gemm80_lane(oa, warp_m + lane % 16, lane / 16);
    const uint32_t b_at = ob.turned ? tc__gemm80_lane(ob, lane % 16, warp_n / 8 + lane / 16)
                                    : tc__gemm80_lane(ob, warp_n + lane % 8 + lane / 16 * 8, lane / 8 % 2);
    const int k_end = sides[0].k;
    uint4 x[TC__GEMM75_CHUNKS], y[TC__GEMM75_CHUNKS];
    if (k_end > 0) {
        tc__gemm75_load(oa, &sides[0], 0, x), tc__gemm75_load(ob, &sides[1], 0, y);
        tc__gemm75_put(oa, smem, x), tc__gemm75_put(ob, smem + a_bytes, y);
    }
    __syncthreads();
    for (int at = 0, now = 0; at < k_end; at += k.c.bk, now ^= 1) {
        const int next = at + k.c.bk, more = next < k_end;
        const uint32_t here = smem + (uint32_t)now * slot, there = smem + (uint32_t)(now ^ 1) * slot;
        if (more) {
            tc__gemm75_load(oa, &sides[0], next, x);
            tc__gemm75_load(ob, &sides[1], next, y);
        }
#pragma unroll
        for (int step = 0; step < k.k_bytes / 32; step++) {
            tc__gemm80_fragments f;
            tc__gemm80_read(k, &f, here + tc__gemm80_step(oa, a_at, step),
                            here + a_bytes + tc__gemm80_step(ob, b_at, step));
            tc__gemm75_mma(k, &f, acc);
        }
        if (more) tc__gemm75_put(oa, there, x), tc__gemm75_put(ob, there + a_bytes, y);
        __syncthreads();
    }
}

/* The kernel. looked_up: as tc_gemm_sm80's. */
TC_DEV_SM75 void tc_gemm_sm75(const int looked_up, tc_gemm80_in k, const tc_gemm_sm80_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_gemm_config c = k.c;
    const int groups = looked_up & TC__GEMM80_GROUPS, size = k.a.size;
    if (TC__GEMM_FINISHES(c, *p)) tc__gemm_finish(c, &p->out, &p->groups, tc__sums_no_tiles());
    if (TC__GEMM_FINISHES(c, *p)) return;
    if (tc__sums_begins(c)) tc__sums_begin(c, &p->out, &p->groups, blockIdx.x == 0 && threadIdx.x == 0);
    const tc__gemm80_tile t = groups ? tc__gemm80_group_tile(c, p, tc_smem_u32(tc__dynamic_smem))
                                     : tc__gemm80_tile_of(k, p);
    if (t.none) return;
    const tc__gemm75_side sides[2] = {
        {(const char *)tc__gemm80_element(size, p->a, t.batch * p->stride_a), p->lda, t.row, t.end - t.row, p->a_rows,
         looked_up & TC_INDEX_A ? p->a_row + t.row : 0, p->k},
        {(const char *)tc__gemm80_element(size, p->b, t.group * p->stride_b), p->ldb, t.col, p->out.n - t.col, 0, 0,
         p->k}};
    tc__gemm80_acc acc;
    tc__gemm80_zero(k, &acc);
    tc__gemm75_loop(k, sides, &acc);
    tc__gemm80_end(k, p, &t, &acc);
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM75_H */
