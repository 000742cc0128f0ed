/* 21_gemm_sm90_by_hand.cu - a Hopper GEMM written from the parts, beside the generated one.
 *
 * D (m x n) = A (m x k) * B (n rows of k), bf16, f32 accumulation. m, n, k any; n and k multiples of 8 (TMA's 16 bytes).
 *
 *   1 A ring of 4 slots in shared memory, each a 128 x 64 tile of A and a 256 x 64 tile of B, 128-byte swizzled by TMA.
 *   2 One producer thread fills slots; two consumer warpgroups multiply them, 64 rows of D each, into 128 registers a thread.
 *   3 Each slot has two mbarriers: full (TMA's bytes have come) and empty (both warpgroups are done, in both blocks).
 *   4 Two blocks form a cluster: each loads half of their common B tile and multicasts it to both. A third fewer bytes from L2.
 *   5 The grid is persistent: a block walks over tiles, and the producer runs ahead into the next tile during the epilogue.
 *   6 The epilogue goes by stmatrix into a swizzled buffer of the warp's own and leaves by TMA: no barrier wider than a warp.
 */
#define TC_SM90_STUBS /* this file compiles for every target, and says at run time where it cannot run */
#include "gemm_main.h"

enum {
    BM = 128, BN = 256, BK = 64, STAGES = 4, CLUSTER = 2, CONSUMERS = 2,
    THREADS = 128 * (1 + CONSUMERS),
    A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2, STORE_BYTES = 16 * 128, /* 16 rows of 64 columns */
    A_AT = 0, B_AT = A_AT + STAGES * A_BYTES, STORE_AT = B_AT + STAGES * B_BYTES,
    FULL_AT = STORE_AT + CONSUMERS * 4 * 2 * STORE_BYTES, EMPTY_AT = FULL_AT + STAGES * 8, SMEM = EMPTY_AT + STAGES * 8
};

typedef struct hand_params {
    tc_tmap a, b, d;
    tc_tiles tiles; /* of clusters: 256 x 256 */
    uint32_t k_blocks;
    int m, n;
} hand_params;

#if TC_HAS_SM90A
/* One thread: slot after slot, tile after tile. */
TC_DEV void produce(const hand_params *p, uint32_t smem, uint32_t rank)
{
    tc_ring ring = {0, 0};
    for (uint32_t i = blockIdx.x / CLUSTER; i < p->tiles.total; i += gridDim.x / CLUSTER) {
        const tc_tile t = tc_tile_at(&p->tiles, i);
        const int row = (int)(t.m * CLUSTER + rank) * BM, col = (int)t.n * BN + (int)rank * (BN / CLUSTER);
        for (uint32_t kb = 0; kb < p->k_blocks; kb++) {
            const uint32_t full = smem + FULL_AT + ring.stage * 8, a = smem + A_AT + ring.stage * A_BYTES;
            const uint32_t b = smem + B_AT + ring.stage * B_BYTES + rank * (B_BYTES / CLUSTER);
            TC_MBARRIER_WAIT(smem + EMPTY_AT + ring.stage * 8, ring.phase ^ 1, "empty", (int)ring.stage);
            tc_mbarrier_arrive_expect_tx(full, A_BYTES + B_BYTES); /* the neighbour's half of B counts here too */
            tc_cp_async_bulk_tensor_2d(a, &p->a, (int)kb * BK, row, full);
            tc_cp_async_bulk_tensor_2d_multicast(b, &p->b, (int)kb * BK, col, full, 3);
            tc_ring_next(&ring, STAGES);
        }
    }
}

/* 64 rows of the tile by 256 columns: acc to bf16 to shared memory to D, 64 columns at a time, each warp for itself. */
TC_DEV void store(const hand_params *p, const float *acc, uint32_t buf, int row, int col)
{
    const uint32_t lane = (uint32_t)tc_lane(), at = tc_swizzle_128B(lane % 16 * 128 + lane / 16 * 16);
#pragma unroll
    for (int chunk = 0; chunk < BN / 64; chunk++) {
        const uint32_t to = buf + chunk % 2 * STORE_BYTES;
        if (lane == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(1); /* the store before the last has left this buffer */
        __syncwarp();
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float *x = acc + chunk * 32 + j * 8;
            const uint32_t w[4] = {tc_bf16x2(x[0], x[1]), tc_bf16x2(x[2], x[3]), tc_bf16x2(x[4], x[5]), tc_bf16x2(x[6], x[7])};
            tc_stmatrix_x4((to + at) ^ (uint32_t)(j * 32), w);
        }
        tc_fence_proxy_async_shared(); /* ordinary writes before, TMA's reads after */
        __syncwarp();
        if (lane == 0) {
            if (row < p->m && col + chunk * 64 < p->n) tc_cp_async_bulk_tensor_2d_store(&p->d, to, col + chunk * 64, row);
            tc_cp_async_bulk_commit_group();
        }
    }
}

/* A warpgroup: multiply what the ring holds, then store. */
TC_DEV void consume(const hand_params *p, uint32_t smem, uint32_t rank, int wg)
{
    const uint32_t warp = threadIdx.x / 32 - 4, buf = smem + STORE_AT + warp * 2 * STORE_BYTES, t = threadIdx.x % 128;
    tc_ring ring = {0, 0};
    float acc[BN / 2];
    for (uint32_t i = blockIdx.x / CLUSTER; i < p->tiles.total; i += gridDim.x / CLUSTER) {
        const tc_tile tile = tc_tile_at(&p->tiles, i);
        uint32_t last = 0;
        for (uint32_t kb = 0; kb < p->k_blocks; kb++) {
            const uint64_t a = tc_wgmma_desc(smem + A_AT + ring.stage * A_BYTES + (uint32_t)wg * (64 * 128), 128);
            const uint64_t b = tc_wgmma_desc(smem + B_AT + ring.stage * B_BYTES, 128);
            TC_MBARRIER_WAIT(smem + FULL_AT + ring.stage * 8, ring.phase, "full", (int)ring.stage);
            tc_wgmma_fence();
#pragma unroll
            for (int k = 0; k < BK / 16; k++) /* the first product of a tile overwrites: no clearing */
                TC_WGMMA_SS(256, f32, bf16, acc, a + (uint64_t)(k * 2), b + (uint64_t)(k * 2), k > 0 || kb > 0, 1, 1, 0, 0);
            tc_wgmma_commit_group();
            TC_WGMMA_WAIT_GROUP(1); /* the group before this one is done: its slot goes back, to both blocks */
            if (kb > 0 && t < CLUSTER) tc_mbarrier_arrive_cluster_relaxed(smem + EMPTY_AT + last * 8, t);
            last = ring.stage;
            tc_ring_next(&ring, STAGES);
        }
        TC_WGMMA_WAIT_GROUP(0);
        tc_wgmma_fence_acc(acc, BN / 2);
        if (t < CLUSTER) tc_mbarrier_arrive_cluster_relaxed(smem + EMPTY_AT + last * 8, t);
        store(p, acc, buf, (int)(tile.m * CLUSTER + rank) * BM + wg * 64 + (int)(warp % 4) * 16, (int)tile.n * BN);
    }
    if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}
#endif

static __global__ void __launch_bounds__(THREADS, 1) hand_kernel(const __grid_constant__ hand_params p)
{
#if TC_HAS_SM90A
    extern __shared__ TC_ALIGN(1024) unsigned char dynamic_smem[];
    const uint32_t smem = tc_smem_u32(dynamic_smem), rank = tc_cluster_ctarank();
    const int wg = tc_warpgroup();
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            tc_mbarrier_init(smem + FULL_AT + s * 8, 1);
            tc_mbarrier_init(smem + EMPTY_AT + s * 8, CONSUMERS * CLUSTER);
        }
        tc_fence_mbarrier_init();
    }
    tc_cluster_sync(); /* nobody may signal a neighbour's barrier before it exists */
    if (wg == 0) {
        TC_SETMAXNREG_DEC(40);
        if (threadIdx.x == 0) produce(&p, smem, rank);
    } else {
        TC_SETMAXNREG_INC(232);
        consume(&p, smem, rank, wg - 1);
    }
    tc_cluster_sync(); /* nor leave while a neighbour may still signal or fill */
#endif
}

/* A map of rows x cols bf16 in boxes of 64 columns. */
static tc_status map(tc_tmap *out, const void *base, int rows, int cols, int64_t pitch, uint32_t box_rows)
{
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = TC_BF16, d.rank = 2, d.base = base, d.swizzle = 128, d.l2_promotion = 256;
    d.dim[0] = (uint64_t)cols, d.dim[1] = (uint64_t)rows, d.stride[0] = (uint64_t)pitch * 2;
    d.box[0] = 64, d.box[1] = box_rows;
    return tc_tmap_encode(out, &d);
}

static tc_status hand_run(const tc_gemm_args *g, cudaStream_t stream)
{
    hand_params p;
    cudaLaunchConfig_t launch;
    cudaLaunchAttribute cluster;
    void *arguments[1] = {&p};
    int sms = 0;
    uint32_t clusters;
    tc_status st = map(&p.a, g->a, g->m, g->k, g->lda, BM);
    if (st == TC_OK) st = map(&p.b, g->b, g->n, g->k, g->ldb, BN / CLUSTER);
    if (st == TC_OK) st = map(&p.d, g->d, g->m, g->n, g->ldd, 16);
    if (st != TC_OK) return st;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    clusters = (uint32_t)sms / CLUSTER;
    const tc_tiles_of of = {g->m, g->n, 1, BM * CLUSTER, BN, (int)clusters, 0, 0};
    p.tiles = tc_tiles_make(&of);
    p.k_blocks = (uint32_t)((g->k + BK - 1) / BK);
    p.m = g->m, p.n = g->n;
    if (p.tiles.total < clusters) clusters = p.tiles.total;
    memset(&launch, 0, sizeof launch);
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = CLUSTER, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    launch.gridDim = dim3(clusters * CLUSTER), launch.blockDim = dim3(THREADS);
    launch.dynamicSmemBytes = SMEM, launch.stream = stream, launch.attrs = &cluster, launch.numAttrs = 1;
    cudaFuncSetAttribute(hand_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM);
    return cudaLaunchKernelExC(&launch, (const void *)hand_kernel, arguments) == cudaSuccess ? TC_OK : TC_ERR_CUDA;
}

TC_GEMM_SM90_DEFINE(generated, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = BM, .bn = BN, .bk = BK, .stages = STAGES, .cluster_m = CLUSTER)

int main(void)
{
    const gemm_example e = {hand_run, 0, 0, 0, 0, generated_run};
    const int shapes[4][3] = {{4096, 4096, 4096}, {8192, 8192, 8192}, {4096, 14336, 4096}, {1000, 1032, 520}};
    int failed = 0;
    example_device(90);
    for (int i = 0; i < 4; i++) failed += gemm_example_shape(&e, shapes[i][0], shapes[i][1], shapes[i][2]);
    return failed;
}
