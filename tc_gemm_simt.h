/* tc_gemm_simt.h - tc 0.2.0 - the GEMM without Tensor Cores: what TC_GEMM_DEFINE answers with where a device has none
 * for its types. Needs: the headers below; sm_75 (any later target too, where it is a stub for what mma.sync serves).
 *
 * One block a tile of 64 x 64, 256 threads of 4 x 4 sums each, 16 of k at a time: elements go through registers, where
 * they become what sums are in (f32; f64 of TC_F64; s32 of integers), to shared memory, one block of k ahead. Every
 * element of 16 bits or less is exact in f32, so that the products are those of the Tensor Cores, and sums are f32's in
 * the order of k. Parameters, tiles and the way to D are the sm_80 kernel's (tc_gemm_sm80.h).
 *
 *     tc__gemm_simt_config       its tile
 *     tc__gemm_simt_of           is it what a target serves a configuration with?
 *     TC__GEMM_AUTO_OLDER         the kernel, as TC_GEMM_DEFINE has it
 *     tc_gemm_simt               the kernel's body
 *     tc__gemm_older_run (host)   as tc__gemm_sm80_run
 */
#ifndef TC_GEMM_SIMT_H
#define TC_GEMM_SIMT_H

#include "tc_gemm_sm75.h"

enum { TC__SIMT_TILE = 64, TC__SIMT_K = 16, TC__SIMT_THREADS = 256, TC__SIMT_ROW = TC__SIMT_TILE + 4 };

TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_simt_config(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    c.bm = c.bn = TC__SIMT_TILE, c.bk = TC__SIMT_K, c.stages = 2;
    c.warps_m = tc__gemm_d_col(given) ? 2 : 4, c.warps_n = 8 / c.warps_m; /* of the view 4 x 2 */
    c.cluster_m = c.cluster_n = c.cluster_k = 1;
    return c;
}

/* Two blocks of A and B each, or 16 rows of each warp's sums. */
TC_HD TC_CONSTEXPR int tc__gemm_simt_smem(tc_gemm_config_in c)
{
    const int size = c.a == TC_F64 ? 8 : 4, ring = 4 * TC__SIMT_K * TC__SIMT_ROW * size;
    const int epilogue = 8 * 16 * tc__gemm80_staged(c, 32) * size;
    return ring > epilogue ? ring : epilogue;
}

/* Where mma.sync has no instruction for the types, and none of a wider type to put in its place: before sm_80. What the
 * sm_80 kernels have that these do not, they alone have. */
TC_HD TC_CONSTEXPR int tc__gemm_simt_of(tc_gemm_config_in c, int target)
{
    return !c.sparse && !c.weights && !c.conv && !c.gate && !tc__tiles_some(c) && !tc__gemm_own_ends(c)
        && !tc__gemm_in_tile(c) && !tc__gemm_by_80(c) && target < 80;
}

#ifdef __CUDACC__

/* The kernel of TC_GEMM_DEFINE, this or tc_gemm_sm75.h's, which in a build for a target without use of it is a stub,
 * and not even read. */
#if defined(__CUDA_ARCH__) && TC_HAS_SM75 && !TC_HAS_SM80
#define TC__GEMM_AUTO_OLDER(kernel, own)                                                                               \
    TC__LINE_BREAK enum { own##_has_older = tc__gemm_simt_of(own##_config(), __CUDA_ARCH__ / 10) };                   \
    TC__KERNEL_OF(kernel, own##_sm80, (TC__GEMM_AUTO_IF(own##_has_older, TC__SIMT_THREADS), 1), if (own##_has_older) {\
        constexpr int cores = tc__gemm75_serves(own##_config());                                                      \
        constexpr tc_gemm_config given = tc__gemm_for_sm80(own##_config(), own##_has_older);                          \
        constexpr tc_gemm_config config = cores ? tc__gemm75_config(given) : tc__gemm_simt_config(given);             \
        constexpr tc_gemm80 k = tc_gemm80_of(TC__GEMM_HOOKED(own, config));                                           \
        if (cores) tc_gemm_sm75(tc__gemm80_looked_up(config), k, &TC__GEMM_PARAMS_OF);                                \
        else tc_gemm_simt(tc__gemm80_looked_up(config), k, &TC__GEMM_PARAMS_OF);                                      \
    })
#else
#define TC__GEMM_AUTO_OLDER(kernel, own) TC__KERNEL_OF(kernel, own##_sm80, (32, 1), )
#endif

/* One operand of a tile: where its matrix begins; how far it is from line to line of its rows (A's rows, B's columns)
 * and along k; how many lines there are from the tile's first on; looked up: the first one's index. */
typedef struct tc__simt_side {
    const void *base;
    long long line, along;
    int first, left, type, turned, rows;
    const int32_t *row;
    int k, round; /* elements of k; .round */
} tc__simt_side;

/* An element as it is multiplied: f32, or the bits of s32. */
TC_DEV float tc__simt_element(const tc__simt_side s, long long at)
{
    const int type = s.type;
    const void *base = s.base;
    const float x = type == TC_TF32 ? ((const float *)base)[at] : 0.f;
    if (type == TC_TF32)
        return tc_f32_from_bits(s.round ? tc_tf32_from_f32_rna(x) : tc_bits_from_f32(x) & 0xffffe000u);
    if (type == TC_S8) return tc_f32_from_bits((uint32_t)(int)((const int8_t *)base)[at]);
    if (type == TC_U8 || type == TC_B1) return tc_f32_from_bits(((const uint8_t *)base)[at]);
    if (type == TC_F32) return ((const float *)base)[at];
    if (type == TC_F16 || type == TC_BF16) return tc_unpack(type, ((const uint16_t *)base)[at]);
    if (type == TC_E4M3) return tc_f32_from_e4m3(((const uint8_t *)base)[at]);
    return tc_f32_from_e5m2(((const uint8_t *)base)[at]);
}

/* A thread's four elements of a block: of 16 of k of a line, or of 64 lines of a k, whichever lie together. */
typedef struct tc__simt_four {
    float f[4];
    double d[4];
} tc__simt_four;

TC_DEV int tc__simt_line(const tc__simt_side s, const int i)
{
    return s.turned ? (int)threadIdx.x % TC__SIMT_TILE : (int)threadIdx.x / TC__SIMT_K + i * 16;
}
TC_DEV int tc__simt_k(const tc__simt_side s, const int i)
{
    return s.turned ? (int)threadIdx.x / TC__SIMT_TILE + i * 4 : (int)threadIdx.x % TC__SIMT_K;
}

TC_DEV void tc__simt_load(const tc__simt_side s, int k, tc__simt_four *x)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int line = tc__simt_line(s, i), here = k + tc__simt_k(s, i);
        int at = s.first + line, there = line < s.left && here < s.k;
        x->f[i] = 0.f, x->d[i] = 0.;
        if (there && s.row) at = s.row[line], there = (uint32_t)at < (uint32_t)s.rows;
        if (!there) continue;
        if (s.type == TC_F64) x->d[i] = ((const double *)s.base)[at * s.line + here * s.along];
        else x->f[i] = tc__simt_element(s, at * s.line + here * s.along);
    }
}

/* To a block in shared memory: rows of k, TC__SIMT_ROW elements each. */
TC_DEV void tc__simt_put(const tc__simt_side s, void *block, const tc__simt_four *x)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int at = tc__simt_k(s, i) * TC__SIMT_ROW + tc__simt_line(s, i);
        if (s.type == TC_F64) ((double *)block)[at] = x->d[i];
        else ((float *)block)[at] = x->f[i];
    }
}

/* Sums of a thread, 4 x 4, of the one type that a kernel has. part: those of a block of k that has factors. */
typedef struct tc__simt_sums {
    float f[16], part[16];
    double d[16];
    uint32_t i[16];
} tc__simt_sums;

/* 16 of k; a, b: blocks in shared memory, from this thread's rows and columns on. */
TC_DEV void tc__simt_multiply(tc_gemm80_in k, const void *a, const void *b, tc__simt_sums *s)
{
    float *f = tc__gemm_scaled(k.c) ? s->part : s->f;
#pragma unroll 4
    for (int x = 0; x < TC__SIMT_K; x++) {
        const int at = x * TC__SIMT_ROW;
#pragma unroll
        for (int e = 0; e < 16; e++) {
            const int r = at + e / 4, n = at + e % 4;
            if (k.sums == TC_F64) s->d[e] = fma(((const double *)a)[r], ((const double *)b)[n], s->d[e]);
            else if (k.c.op == TC_AND) s->i[e] += (uint32_t)__popc(((const int *)a)[r] & ((const int *)b)[n]);
            else if (k.sums == TC_S32) s->i[e] += ((const uint32_t *)a)[r] * ((const uint32_t *)b)[n];
            else f[e] = fmaf(((const float *)a)[r], ((const float *)b)[n], f[e]);
        }
    }
}

/* Where the thread's sums are: of D, from its first row and column; the block of 128 of k. */
typedef struct tc__simt_place {
    int row, col, batch, kb;
} tc__simt_place;

/* A tile as a thread knows it. */
typedef struct tc__simt_tile {
    tc__simt_side a, b;
    tc__simt_place at;
} tc__simt_tile;

/* .a_scale, .b_scale: sums of a block of 128 of k, with their factors. */
TC_DEV void tc__simt_scale(tc_gemm_config_in c, const tc_gemm_sm80_params *p, const tc__simt_place at,
                           tc__simt_sums *s)
{
#pragma unroll
    for (int e = 0; e < 16; e++) {
        const tc_scale_place ra = {at.row + e / 4, at.kb, at.batch}, cb = {at.col + e % 4, at.kb, at.batch};
        const float a = c.a_scale ? *tc_scale_at(c.a_scale, &p->a_scale, ra) : 1.f;
        const float b = c.b_scale ? *tc_scale_at(c.b_scale, &p->b_scale, cb) : 1.f;
        s->f[e] += s->part[e] * (a * b);
        s->part[e] = 0.f;
    }
}

/* All of k. */
TC_DEV void tc__simt_loop(tc_gemm80_in k, const tc_gemm_sm80_params *p, const tc__simt_tile t,
                          tc__simt_sums *s)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const int size = k.sums == TC_F64 ? 8 : 4, block = TC__SIMT_K * TC__SIMT_ROW * size;
    const int warp = (int)threadIdx.x / 32, lane = tc_lane();
    const int row = warp % 4 * 16 + lane / 8 * 4, col = warp / 4 * 32 + lane % 8 * 4;
    const int blocks = (p->k + TC__SIMT_K - 1) / TC__SIMT_K, of_factor = TC__SCALE_K / TC__SIMT_K;
    tc__simt_place place = t.at;
    tc__simt_four x, y;
    if (blocks > 0) tc__simt_load(t.a, 0, &x), tc__simt_load(t.b, 0, &y);
    for (int kb = 0; kb < blocks; kb++) {
        unsigned char *to = tc__dynamic_smem + kb % 2 * 2 * block;
        tc__simt_put(t.a, to, &x), tc__simt_put(t.b, to + block, &y);
        __syncthreads(); /* and all have done with the block before, which is written next */
        if (kb + 1 < blocks) {
            tc__simt_load(t.a, (kb + 1) * TC__SIMT_K, &x);
            tc__simt_load(t.b, (kb + 1) * TC__SIMT_K, &y);
        }
        tc__simt_multiply(k, to + row * size, to + block + col * size, s);
        if (tc__gemm_scaled(k.c) && (kb % of_factor == of_factor - 1 || kb + 1 == blocks))
            place.kb = kb / of_factor, tc__simt_scale(k.c, p, place, s);
    }
    __syncthreads();
}

/* A sum as the epilogue takes it. */
TC_DEV float tc__simt_sum(tc_gemm80_in k, const tc__simt_sums *s, const int e)
{
    if (k.sums == TC_S32) return tc__gemm_raw(k.c) ? tc_f32_from_bits(s->i[e]) : (float)(int)s->i[e];
    return s->f[e];
}

/* The kernel. looked_up: as tc_gemm_sm80's. */
TC_DEV_SM75 void tc_gemm_simt(const int looked_up, tc_gemm80_in k, const tc_gemm_sm80_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_gemm_config c = k.c;
    const int groups = looked_up & TC__GEMM80_GROUPS, gathered = looked_up & TC_INDEX_A;
    const int wn = 32, staged = tc__gemm80_staged(c, wn);
    const int warp = (int)threadIdx.x / 32, lane = tc_lane(), warp_m = warp % 4 * 16, warp_n = warp / 4 * wn;
    if (TC__GEMM_FINISHES(c, *p)) tc__gemm_finish(c, &p->out, &p->groups, tc__sums_no_tiles());
    if (TC__GEMM_FINISHES(c, *p)) return;
    if (tc__sums_begins(c)) tc__sums_begin(c, &p->out, &p->groups, blockIdx.x == 0 && threadIdx.x == 0);
    const tc__gemm80_tile t = groups ? tc__gemm80_group_tile(c, p, tc_smem_u32(tc__dynamic_smem))
                                     : tc__gemm80_tile_of(k, p);
    if (t.none) return;
    const int a_size = k.a.size;
    const int a_col = tc__gemm_a_col(c), b_row = tc__gemm_b_row(c);
    const tc__simt_tile mine = {
        {tc__gemm80_element(a_size, p->a, t.batch * p->stride_a), a_col ? 1 : p->lda, a_col ? p->lda : 1, t.row,
         t.end - t.row, c.a, a_col, p->a_rows, gathered ? p->a_row + t.row : 0, p->k, c.round},
        {tc__gemm80_element(a_size, p->b, t.group * p->stride_b), b_row ? 1 : p->ldb, b_row ? p->ldb : 1, t.col,
         p->out.n - t.col, c.b, b_row, 0, 0, p->k, c.round},
        {t.row + warp_m + lane / 8 * 4, t.col + warp_n + lane % 8 * 4, (int)t.group, 0}};
    tc__simt_sums s;
#pragma unroll
    for (int e = 0; e < 16; e++) s.f[e] = s.part[e] = 0.f, s.d[e] = 0., s.i[e] = 0u;
    tc__simt_loop(k, p, mine, &s);
    void *stage = tc__dynamic_smem + warp * 16 * staged * (k.sums == TC_F64 ? 8 : 4);
#pragma unroll
    for (int e = 0; e < 16; e++) {
        const int to = (lane / 8 * 4 + e / 4) * staged + lane % 8 * 4 + e % 4;
        if (k.sums == TC_F64) ((double *)stage)[to] = s.d[e];
        else ((float *)stage)[to] = tc__simt_sum(k, &s, e);
    }
    __syncwarp();
    const tc__gemm80_to d = {
        {t.row + warp_m, t.col + warp_n, (int)t.batch, groups ? (int)t.group : 0}, t.end, 0, p->vec, &p->out};
    if (k.sums == TC_F64) tc__gemm80_store_f64(k, p, tc_smem_u32(stage), d);
    else tc__gemm80_store(k, p, tc_smem_u32(stage), d);
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

#define TC__SIMT_NOTE(sums) "this device's Tensor Cores lack the types: CUDA cores multiply, sums in " sums
/* given: not complete. Says in how->note that it is not the Tensor Cores that multiply. */
TC_HOST tc_status tc__gemm_older_run(const tc_gemm_config *given, const tc__kernels *s, const tc_gemm_args *args,
                                     const tc__launch *how)
{
    tc__device on = {0, 0, 0, 0};
    const int cores = tc__device_now(&on) == cudaSuccess && on.cc < 80 && tc__gemm75_serves(*given);
    const tc_gemm_config c = cores ? tc__gemm75_config(*given) : tc__gemm_simt_config(*given);
    const int smem = cores ? tc_gemm_sm80_smem(c) : tc__gemm_simt_smem(c);
    const tc__kernel one = {s->f->function, s->f->name, TC__SIMT_THREADS, smem, 1, 75, s->cache};
    const tc__kernel both[2] = {one, one};
    tc_status st;
    if (how->plan) how->plan->bytes = sizeof(tc_gemm_sm80_params);
    st = tc__gemm_sm80_run(&c, both, args, how);
    if (st == TC_OK && how->note && !cores)
        *how->note = tc__gemm_sums(c) == TC_F64   ? TC__SIMT_NOTE("f64")
                   : tc__gemm_sums(c) == TC_S32 ? TC__SIMT_NOTE("s32")
                                                : TC__SIMT_NOTE("f32");
    return st;
}

#endif /* host */
#endif /* TC_GEMM_SIMT_H */
