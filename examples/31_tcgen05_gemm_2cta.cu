/* 31_tcgen05_gemm_2cta.cu - the GEMM of example 30 with pairs of CTAs that multiply together, and clusters of two pairs
 * that share B.
 *
 * D (m x n) = A (m x k) * B (n rows of k) in the types of example 30. What is new:
 *
 *   1 cta_group::2: one thread of the even CTA issues for both; an instruction multiplies 256 rows of A by 256 columns.
 *     Each CTA holds half of A, half of B and, in its tensor memory, its 128 rows of D: B is read from shared memory
 *     once for 256 rows.
 *   2 So both CTAs' loads count on one barrier, in the even CTA: that is what .cta_group::2 of a TMA load allows.
 *   3 A cluster is two pairs, one below the other. They need the same B: each CTA loads a quarter of it and multicasts
 *     that to the CTA of the other pair that holds the same half.
 *   4 tcgen05.commit with multicast tells all four CTAs that a slot has been read: two arrivals, one a pair, and it may
 *     be filled anew.
 *      CTA 0  rows   0..127 \_ pair 0: D rows   0..255     CTA 0, 2: columns 0..127 of B, 64 loaded by each
 *      CTA 1  rows 128..255 /                              CTA 1, 3: columns 128..255
 *      CTA 2  rows 256..383 \_ pair 1: D rows 256..511
 *      CTA 3  rows 384..511 /
 *   5 nvfp4: each CTA needs the scales of its rows of A and those of all of B; they come by TMA too, since a plain bulk
 *     copy cannot signal the other CTA. tcgen05.cp with cta_group::2 copies in both.
 *
 * Proven in tcemu and assembled by ptxas; it has not run on a GPU yet.
 */
#include "tcgen05_main.h"

enum {
    BM = 128, STAGES = 6, PAIRS = 2, CLUSTER = 2 * PAIRS, THREADS = 192,
    /* of a slot; 128 rows x 16 scales */
    A_BYTES = BM * 128, B_BYTES = 128 * 128, STORE_BYTES = 32 * 128, SF_BYTES = 4 * 512,
    A_AT = 0, B_AT = A_AT + STAGES * A_BYTES, STORE_AT = B_AT + STAGES * B_BYTES,
    FULL_AT = STORE_AT + 4 * 2 * STORE_BYTES, EMPTY_AT = FULL_AT + STAGES * 8, DONE_AT = EMPTY_AT + STAGES * 8,
    FREE_AT = DONE_AT + 2 * 8,
    TMEM_AT = FREE_AT + 2 * 8, SMEM = TMEM_AT + 16
};

typedef struct params {
    tc_tmap a, b, d, sfa, sfb;
    tc_tiles tiles; /* of clusters: 512 rows */
    uint32_t steps; /* of 32 bytes of k */
    int m, n;
} params;

/* nvfp4 has narrower tiles: its scales need tensor memory too, and half of B's part of the slot */
TC_HD TC_CONSTEXPR int bn_of(int type) { return type == TC_E2M1 ? 128 : 256; }

TC_TCGEN05_IDESC(IDESC_BF16, .kind = TC_KIND_F16, .m = 256, .n = 256, .a = TC_BF16, .b = TC_BF16, .d = TC_F32,
                 .cta_group = 2);
TC_TCGEN05_IDESC(IDESC_F16, .kind = TC_KIND_F16, .m = 256, .n = 256, .a = TC_F16, .b = TC_F16, .d = TC_F32,
                 .cta_group = 2);
TC_TCGEN05_IDESC(IDESC_TF32, .kind = TC_KIND_TF32, .m = 256, .n = 256, .a = TC_TF32, .b = TC_TF32, .d = TC_F32,
                 .cta_group = 2);
TC_TCGEN05_IDESC(IDESC_E4M3, .kind = TC_KIND_F8F6F4, .m = 256, .n = 256, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32,
                 .cta_group = 2);
TC_TCGEN05_IDESC(IDESC_E2M1, .kind = TC_KIND_MXF4NVF4, .m = 256, .n = 128, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32,
                 .scale = TC_UE4M3, .cta_group = 2, .block = 16);

#if TC_HAS_SM100A
/* One thread of each CTA: slot after slot, tile after tile. */
TC_DEV void produce(const params *p, uint32_t smem, uint32_t rank, const int type)
{
    const int bn = bn_of(type), quarter = bn / CLUSTER; /* columns of B that this CTA loads */
    const int half_bytes = bn / 2 * 128, sf_bytes = type == TC_E2M1 ? 2 * SF_BYTES : 0;
    const uint32_t half = rank % 2, pair = rank / 2;
    tc_ring ring = {0, 0};
    for (uint32_t i = blockIdx.x / CLUSTER; i < p->tiles.total; i += gridDim.x / CLUSTER) {
        const tc_tile t = tc_tile_at(&p->tiles, i);
        const int row = (int)(t.m * CLUSTER + rank) * BM,
                  col = (int)t.n * bn + (int)half * (bn / 2) + (int)pair * quarter;
        for (uint32_t step = 0; step < p->steps; step += 4) {
            const uint32_t own = smem + FULL_AT + ring.stage * 8, full = tc_mapa(own, rank - half); /* the even CTA's */
            const uint32_t a = smem + A_AT + ring.stage * A_BYTES, b = smem + B_AT + ring.stage * B_BYTES;
            TC_MBARRIER_WAIT(smem + EMPTY_AT + ring.stage * 8, ring.phase ^ 1, "empty", (int)ring.stage);
            /* of both CTAs, whoever loads */
            if (half == 0) tc_mbarrier_arrive_expect_tx(own, 2 * (uint32_t)(A_BYTES + half_bytes + sf_bytes));
            TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile, , 2, , a, &p->a, ((int)step * 32, row), full);
            TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile, multicast::cluster, 2, ,
                                    b + pair * (uint32_t)quarter * 128, &p->b, ((int)step * 32, col), full, 5 << half);
            if (type == TC_E2M1) { /* 4 blocks of 512 bytes as 16 rows of 128; past k they are not used */
                const int sfa_row = (int)(((t.m * CLUSTER + rank) * p->steps + step) * 4),
                          sfb_row = (int)((t.n * p->steps + step) * 4);
                TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile, , 2, , b + B_BYTES / 2, &p->sfa,
                                        (0, sfa_row), full);
                TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile, , 2, , b + B_BYTES / 2 + SF_BYTES,
                                        &p->sfb, (0, sfb_row), full);
            }
            tc_ring_next(&ring, STAGES);
        }
    }
    for (int s = 0; s < STAGES; s++) { /* nobody may leave while a commit is on its way to its barriers */
        TC_MBARRIER_WAIT(smem + EMPTY_AT + ring.stage * 8, ring.phase ^ 1, "drain", (int)ring.stage);
        tc_ring_next(&ring, STAGES);
    }
}

/* One thread of each pair: multiplies what both CTAs' rings hold into both CTAs' accumulators. */
TC_DEV void multiply(const params *p, uint32_t smem, uint32_t tmem, uint32_t rank, const int type)
{
    const int bn = bn_of(type);
    tc_ring ring = {0, 0}, acc = {0, 0};
    for (uint32_t i = blockIdx.x / CLUSTER; i < p->tiles.total; i += gridDim.x / CLUSTER) {
        const uint32_t d = tmem + acc.stage * (uint32_t)bn;
        TC_MBARRIER_WAIT(smem + FREE_AT + acc.stage * 8, acc.phase ^ 1, "free", (int)acc.stage);
        tc_tcgen05_fence_after_thread_sync(); /* both CTAs' tcgen05.ld of this accumulator come before what follows */
        for (uint32_t step = 0; step < p->steps; step += 4) {
            const uint32_t a_at = smem + A_AT + ring.stage * A_BYTES, b_at = smem + B_AT + ring.stage * B_BYTES;
            /* the same places in both CTAs */
            const uint64_t a = tc_tcgen05_desc(a_at, 128), b = tc_tcgen05_desc(b_at, 128);
            /* columns: 16 for the scales of A, 16 for those of B */
            const uint32_t sf = tmem + 2 * 128 + ring.stage * 32;
            const uint64_t sf_desc = tc_tcgen05_desc_scales(b_at + B_BYTES / 2);
            TC_MBARRIER_WAIT(smem + FULL_AT + ring.stage * 8, ring.phase, "full", (int)ring.stage);
            tc_tcgen05_fence_after_thread_sync();
            for (uint32_t j = 0; j < 4 && step + j < p->steps; j++) {
                if (type == TC_BF16) TC_TCGEN05_MMA_SS(2, f16, d, a + j * 2, b + j * 2, IDESC_BF16, step + j > 0);
                if (type == TC_F16) TC_TCGEN05_MMA_SS(2, f16, d, a + j * 2, b + j * 2, IDESC_F16, step + j > 0);
                if (type == TC_TF32) TC_TCGEN05_MMA_SS(2, tf32, d, a + j * 2, b + j * 2, IDESC_TF32, step + j > 0);
                if (type == TC_E4M3) TC_TCGEN05_MMA_SS(2, f8f6f4, d, a + j * 2, b + j * 2, IDESC_E4M3, step + j > 0);
                if (type == TC_E2M1) {
                    TC_TCGEN05_CP(2, 32x128b.warpx4, sf + j * 4, sf_desc + j * (512 / 16));
                    TC_TCGEN05_CP(2, 32x128b.warpx4, sf + 16 + j * 4, sf_desc + (SF_BYTES + j * 512) / 16);
                    TC_TCGEN05_MMA_SS_BLOCK(2, mxf4nvf4.block_scale.block16, d, a + j * 2, b + j * 2, IDESC_E2M1,
                                            sf + j * 4, sf + 16 + j * 4, step + j > 0);
                }
            }
            /* all who load into these slots */
            TC_TCGEN05_COMMIT_MULTICAST(2, smem + EMPTY_AT + ring.stage * 8, (1 << CLUSTER) - 1);
            tc_ring_next(&ring, STAGES);
        }
        /* both CTAs of the pair have rows to store */
        TC_TCGEN05_COMMIT_MULTICAST(2, smem + DONE_AT + acc.stage * 8, 3 << rank);
        tc_ring_next(&acc, 2);
    }
}

/* A warp: 32 rows of each tile, 128 bytes of D's row at a time, from tensor memory through a swizzled buffer to D. As
 * in example 30, but the accumulator is handed back to the pair's even CTA. */
TC_DEV void store(const params *p, unsigned char *memory, uint32_t smem, uint32_t tmem, uint32_t rank, const int type)
{
    /* columns of D in 128 bytes: f32, or 16 bits */
    const int bn = bn_of(type), wide = type == TC_TF32, cols = wide ? 32 : 64;
    const uint32_t quarter = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    const uint32_t bufs = STORE_AT + quarter * 2 * STORE_BYTES;
    uint32_t which = 0;
    tc_ring acc = {0, 0};
    for (uint32_t i = blockIdx.x / CLUSTER; i < p->tiles.total; i += gridDim.x / CLUSTER) {
        const tc_tile t = tc_tile_at(&p->tiles, i);
        const int row = (int)(t.m * CLUSTER + rank) * BM + (int)quarter * 32, col = (int)t.n * bn;
        TC_MBARRIER_WAIT(smem + DONE_AT + acc.stage * 8, acc.phase, "done", (int)acc.stage);
        tc_tcgen05_fence_after_thread_sync();
        for (int c = 0; c < bn; c += cols, which ^= 1) {
            const uint32_t buf = bufs + which * STORE_BYTES;
            if (lane == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(1); /* the store before the last has left this buffer */
            __syncwarp();
#pragma unroll
            for (int half = 0; half < (wide ? 1 : 2); half++) { /* 32 columns: a register each */
                uint32_t r[32];
                TC_TCGEN05_LD(32x32b, x32, r,
                              tmem + tc_tcgen05_taddr((int)quarter * 32, (int)acc.stage * bn + c + half * 32));
                tc_tcgen05_wait_ld_regs(r, 32);
                if (!wide) {
#pragma unroll
                    for (int j = 0; j < 16; j++) {
                        const float x = tc_f32_from_bits(r[2 * j]), y = tc_f32_from_bits(r[2 * j + 1]);
                        r[j] = type == TC_F16 ? tc_f16x2(x, y) : tc_bf16x2(x, y);
                    }
                }
#pragma unroll
                for (int j = 0; j < (wide ? 8 : 4); j++)
                    *(uint4 *)(memory + buf + tc_swizzle_128B(lane * 128 + (uint32_t)(half * 64 + j * 16))) =
                        make_uint4(r[4 * j], r[4 * j + 1], r[4 * j + 2], r[4 * j + 3]);
            }
            tc_fence_proxy_async_shared(); /* ordinary writes before, TMA's reads after */
            __syncwarp();
            if (lane == 0) {
                if (row < p->m && col + c < p->n) tc_cp_async_bulk_tensor_2d_store(&p->d, smem + buf, col + c, row);
                tc_cp_async_bulk_commit_group();
            }
        }
        tc_tcgen05_fence_before_thread_sync(); /* our loads come before the mmas that this arrival allows */
        __syncwarp();
        if (lane == 0) tc_mbarrier_arrive_cluster(smem + FREE_AT + acc.stage * 8, rank & ~1u);
        tc_ring_next(&acc, 2);
    }
    if (lane == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

TC_DEV void gemm(const params *p, const int type)
{
    extern __shared__ TC_ALIGN(1024) unsigned char dynamic_smem[];
    const uint32_t smem = tc_smem_u32(dynamic_smem), rank = tc_cluster_ctarank();
    const int warp = tc_warp();
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            tc_mbarrier_init(smem + FULL_AT + s * 8, 1);
            tc_mbarrier_init(smem + EMPTY_AT + s * 8, PAIRS); /* one commit a pair */
        }
        for (int s = 0; s < 2; s++) {
            tc_mbarrier_init(smem + DONE_AT + s * 8, 1);
            tc_mbarrier_init(smem + FREE_AT + s * 8, 2 * 4); /* one arrival a storing warp, of both CTAs */
        }
        tc_fence_mbarrier_init();
    }
    if (warp == 1) TC_TCGEN05_ALLOC(2, smem + TMEM_AT, 512); /* one warp in each CTA of the pair */
    tc_tcgen05_fence_before_thread_sync();
    /* nobody may signal a neighbour's barrier before it exists, nor multiply into what is not allocated */
    tc_cluster_sync();
    tc_tcgen05_fence_after_thread_sync();
    const uint32_t tmem = *(volatile uint32_t *)(dynamic_smem + TMEM_AT);
    if (warp == 0) {
        if (tc_elect_one()) produce(p, smem, rank, type);
    } else if (warp == 1) {
        if (rank % 2 == 0 && tc_elect_one()) multiply(p, smem, tmem, rank, type);
    } else {
        store(p, dynamic_smem, smem, tmem, rank, type);
    }
    __syncwarp();
    tc_tcgen05_fence_before_thread_sync();
    tc_cluster_sync(); /* nobody uses tensor memory, or a neighbour's shared memory, any more */
    tc_tcgen05_fence_after_thread_sync();
    if (warp == 1) TC_TCGEN05_DEALLOC(2, tmem, 512);
}
#define KERNEL(name, type) \
    static __global__ void __launch_bounds__(THREADS, 1) name(const __grid_constant__ params p) { gemm(&p, type); }
#else
#define KERNEL(name, type) \
    static __global__ void __launch_bounds__(THREADS, 1) name(const __grid_constant__ params p) {}
#endif
KERNEL(gemm_bf16, TC_BF16)
KERNEL(gemm_f16, TC_F16)
KERNEL(gemm_tf32, TC_TF32)
KERNEL(gemm_e4m3, TC_E4M3)
KERNEL(gemm_nvfp4, TC_E2M1)

static tc_status run(const tcgen05_problem *g)
{
    void (*const kernel)(params) = g->type == TC_BF16 ? gemm_bf16 : g->type == TC_F16 ? gemm_f16
        : g->type == TC_TF32 ? gemm_tf32
                                 : g->type == TC_E4M3 ? gemm_e4m3 : gemm_nvfp4;
    const int bn = bn_of(g->type), row_bytes = tcgen05_row_bytes(g->k, g->type), steps = (row_bytes + 31) / 32;
    uint32_t clusters = (uint32_t)(g->sms > CLUSTER ? g->sms / CLUSTER : 1);
    cudaLaunchConfig_t launch;
    cudaLaunchAttribute cluster;
    params p;
    void *arguments[1] = {&p};
    tc_status st = tcgen05_map(&p.a, g->a, g->m, row_bytes, BM);
    if (st == TC_OK) st = tcgen05_map(&p.b, g->b, g->n, row_bytes, bn / CLUSTER);
    if (st == TC_OK) st = tcgen05_map_d(&p.d, g->d, g->m, g->n, g->d_type, 32);
    if (st == TC_OK) st = tcgen05_map_scales(&p.sfa, g->sfa, (g->m + 127) / 128 * steps);
    if (st == TC_OK) st = tcgen05_map_scales(&p.sfb, g->sfb, (g->n + 127) / 128 * steps);
    if (st != TC_OK) return st;
    const tc_tiles_of of = {g->m, g->n, 1, BM * CLUSTER, bn, (int)clusters, 0, 0};
    p.tiles = tc_tiles_make(&of);
    p.steps = (uint32_t)steps, p.m = g->m, p.n = g->n;
    if (p.tiles.total < clusters) clusters = p.tiles.total;
    memset(&launch, 0, sizeof launch);
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = CLUSTER, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    launch.gridDim = dim3(clusters * CLUSTER), launch.blockDim = dim3(THREADS);
    launch.dynamicSmemBytes = SMEM, launch.attrs = &cluster, launch.numAttrs = 1;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM);
    return cudaLaunchKernelExC(&launch, (const void *)kernel, arguments) == cudaSuccess ? TC_OK : TC_ERR_CUDA;
}

int main(void)
{
    const int types[5] = {TC_BF16, TC_F16, TC_TF32, TC_E4M3, TC_E2M1};
    int failed = 0;
    example_device(100);
    for (int i = 0; i < 5; i++) {
        failed += tcgen05_shape(run, types[i], 8192, 16384, 4096);
        failed += tcgen05_shape(run, types[i], 2100, 4232, 1160);
    }
    return failed;
}
