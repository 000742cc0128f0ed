/* 30_tcgen05_gemm_1cta.cu - a Blackwell GEMM written from the parts of tc_tcgen05.h, for five element types.
 *
 * D (m x n) = A (m x k) * B (n rows of k), f32 accumulation: bf16, f16, tf32, e4m3, and e2m1 with a scale of ue4m3 for
 * each 16 elements (nvfp4). m, n, k any, as long as the rows of A, B and D are multiples of 16 bytes (TMA's rule).
 *
 *   1 All types look alike to shared memory: a slot of the ring holds 128 bytes of K of each row, 128-byte swizzled by
 *     TMA, and an instruction takes 32 bytes of them. 128 bytes are 64 bf16, 32 tf32, 128 e4m3 or 256 e2m1; what
 *     differs is one descriptor.
 *   2 Warp 0 fills slots; one thread of warp 1 multiplies: it issues for the whole tile, and no register holds a
 *     product.
 *   3 The accumulator is in tensor memory, 128 lanes (rows) x bn columns; two of them, so that one tile is stored while
 *     the next is multiplied.
 *   4 tcgen05.commit arrives on a slot's "empty" barrier when the mmas that read it are done, and on the tile's "done"
 *     after the last.
 *   5 Warps 2 to 5 store: each sees the 32 lanes that its number allows (warp % 4), a thread has a row; out by TMA from
 *     a buffer of its warp.
 *   6 nvfp4: the scales go from memory to the slot by plain bulk copies, and by tcgen05.cp to tensor memory, where each
 *     slot has its own columns, so that nothing is overwritten that an mma may still read.
 *
 * Proven in tcemu and assembled by ptxas; it has not run on a GPU yet.
 */
#include "tcgen05_main.h"

enum {
    BM = 128, STAGES = 4, THREADS = 192,
    /* of a slot; 128 rows x 16 scales */
    A_BYTES = BM * 128, B_BYTES = 256 * 128, STORE_BYTES = 32 * 128, SF_BYTES = 4 * 512,
    A_AT = 0, B_AT = A_AT + STAGES * A_BYTES, STORE_AT = B_AT + STAGES * B_BYTES,
    FULL_AT = STORE_AT + 4 * 2 * STORE_BYTES, EMPTY_AT = FULL_AT + STAGES * 8, DONE_AT = EMPTY_AT + STAGES * 8,
    FREE_AT = DONE_AT + 2 * 8,
    TMEM_AT = FREE_AT + 2 * 8, SMEM = TMEM_AT + 16
};

typedef struct params {
    tc_tmap a, b, d;
    const uint8_t *sfa, *sfb; /* nvfp4: blocks of 128 rows x 4 scales, 512 bytes */
    tc_tiles tiles;
    uint32_t steps; /* of 32 bytes of k */
    int m, n;
} params;

/* nvfp4 has narrower tiles: its scales need tensor memory too, and the slot has to hold them (in the half of B that is
 * left) */
TC_HD TC_CONSTEXPR int bn_of(int type) { return type == TC_E2M1 ? 128 : 256; }

TC_TCGEN05_IDESC(IDESC_BF16, .kind = TC_KIND_F16, .m = BM, .n = 256, .a = TC_BF16, .b = TC_BF16, .d = TC_F32);
TC_TCGEN05_IDESC(IDESC_F16, .kind = TC_KIND_F16, .m = BM, .n = 256, .a = TC_F16, .b = TC_F16, .d = TC_F32);
TC_TCGEN05_IDESC(IDESC_TF32, .kind = TC_KIND_TF32, .m = BM, .n = 256, .a = TC_TF32, .b = TC_TF32, .d = TC_F32);
TC_TCGEN05_IDESC(IDESC_E4M3, .kind = TC_KIND_F8F6F4, .m = BM, .n = 256, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32);
TC_TCGEN05_IDESC(IDESC_E2M1, .kind = TC_KIND_MXF4NVF4, .m = BM, .n = 128, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32,
                 .scale = TC_UE4M3, .block = 16);

#if TC_HAS_SM100A
/* One thread: slot after slot, tile after tile. */
TC_DEV void produce(const params *p, uint32_t smem, const int type)
{
    const int bn = bn_of(type);
    tc_ring ring = {0, 0};
    for (uint32_t i = blockIdx.x; i < p->tiles.total; i += gridDim.x) {
        const tc_tile t = tc_tile_at(&p->tiles, i);
        for (uint32_t step = 0; step < p->steps; step += 4) {
            const uint32_t full = smem + FULL_AT + ring.stage * 8, a = smem + A_AT + ring.stage * A_BYTES,
                           b = smem + B_AT + ring.stage * B_BYTES;
            const uint32_t scales = (p->steps - step < 4 ? p->steps - step : 4) * 512; /* of A, and of B */
            TC_MBARRIER_WAIT(smem + EMPTY_AT + ring.stage * 8, ring.phase ^ 1, "empty", (int)ring.stage);
            tc_mbarrier_arrive_expect_tx(full, (uint32_t)(A_BYTES + bn * 128) + (type == TC_E2M1 ? 2 * scales : 0));
            tc_cp_async_bulk_tensor_2d(a, &p->a, (int)step * 32, (int)t.m * BM, full);
            tc_cp_async_bulk_tensor_2d(b, &p->b, (int)step * 32, (int)t.n * bn, full);
            if (type == TC_E2M1) {
                tc_cp_async_bulk_g2s(b + 128 * 128, p->sfa + (size_t)(t.m * p->steps + step) * 512, scales, full);
                tc_cp_async_bulk_g2s(b + 128 * 128 + SF_BYTES, p->sfb + (size_t)(t.n * p->steps + step) * 512, scales,
                                     full);
            }
            tc_ring_next(&ring, STAGES);
        }
    }
}

/* One thread: multiplies what the ring holds into the accumulators, in turn. */
TC_DEV void multiply(const params *p, uint32_t smem, uint32_t tmem, const int type)
{
    const int bn = bn_of(type);
    tc_ring ring = {0, 0}, acc = {0, 0};
    for (uint32_t i = blockIdx.x; i < p->tiles.total; i += gridDim.x) {
        const uint32_t d = tmem + acc.stage * (uint32_t)bn;
        TC_MBARRIER_WAIT(smem + FREE_AT + acc.stage * 8, acc.phase ^ 1, "free", (int)acc.stage);
        /* the other warps' tcgen05.ld of this accumulator come before what follows */
        tc_tcgen05_fence_after_thread_sync();
        for (uint32_t step = 0; step < p->steps; step += 4) {
            const uint32_t a_at = smem + A_AT + ring.stage * A_BYTES, b_at = smem + B_AT + ring.stage * B_BYTES;
            const uint64_t a = tc_tcgen05_desc(a_at, 128), b = tc_tcgen05_desc(b_at, 128);
            /* columns: 16 for the scales of A, 16 for those of B */
            const uint32_t sf = tmem + 2 * 128 + ring.stage * 32;
            const uint64_t sf_desc = tc_tcgen05_desc_scales(b_at + 128 * 128);
            TC_MBARRIER_WAIT(smem + FULL_AT + ring.stage * 8, ring.phase, "full", (int)ring.stage);
            tc_tcgen05_fence_after_thread_sync();
            /* + 2: 32 bytes further in the swizzled rows. The first overwrites D. */
            for (uint32_t j = 0; j < 4 && step + j < p->steps; j++) {
                if (type == TC_BF16) TC_TCGEN05_MMA_SS(1, f16, d, a + j * 2, b + j * 2, IDESC_BF16, step + j > 0);
                if (type == TC_F16) TC_TCGEN05_MMA_SS(1, f16, d, a + j * 2, b + j * 2, IDESC_F16, step + j > 0);
                if (type == TC_TF32) TC_TCGEN05_MMA_SS(1, tf32, d, a + j * 2, b + j * 2, IDESC_TF32, step + j > 0);
                if (type == TC_E4M3) TC_TCGEN05_MMA_SS(1, f8f6f4, d, a + j * 2, b + j * 2, IDESC_E4M3, step + j > 0);
                if (type == TC_E2M1) { /* cp and mma of one thread are done in order */
                    TC_TCGEN05_CP(1, 32x128b.warpx4, sf + j * 4, sf_desc + j * (512 / 16));
                    TC_TCGEN05_CP(1, 32x128b.warpx4, sf + 16 + j * 4, sf_desc + (SF_BYTES + j * 512) / 16);
                    TC_TCGEN05_MMA_SS_BLOCK(1, mxf4nvf4.block_scale.block16, d, a + j * 2, b + j * 2, IDESC_E2M1,
                                            sf + j * 4, sf + 16 + j * 4, step + j > 0);
                }
            }
            TC_TCGEN05_COMMIT(1, smem + EMPTY_AT + ring.stage * 8);
            tc_ring_next(&ring, STAGES);
        }
        TC_TCGEN05_COMMIT(1, smem + DONE_AT + acc.stage * 8);
        tc_ring_next(&acc, 2);
    }
}

/* A warp: 32 rows of each tile, 128 bytes of D's row at a time, from tensor memory through a swizzled buffer to D. */
TC_DEV void store(const params *p, unsigned char *memory, uint32_t smem, uint32_t tmem, const int type)
{
    /* columns of D in 128 bytes: f32, or 16 bits */
    const int bn = bn_of(type), wide = type == TC_TF32, cols = wide ? 32 : 64;
    const uint32_t quarter = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    const uint32_t bufs = STORE_AT + quarter * 2 * STORE_BYTES;
    uint32_t which = 0;
    tc_ring acc = {0, 0};
    for (uint32_t i = blockIdx.x; i < p->tiles.total; i += gridDim.x) {
        const tc_tile t = tc_tile_at(&p->tiles, i);
        const int row = (int)t.m * BM + (int)quarter * 32, col = (int)t.n * bn;
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
        if (lane == 0) tc_mbarrier_arrive(smem + FREE_AT + acc.stage * 8);
        tc_ring_next(&acc, 2);
    }
    if (lane == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

TC_DEV void gemm(const params *p, const int type)
{
    extern __shared__ TC_ALIGN(1024) unsigned char dynamic_smem[];
    const uint32_t smem = tc_smem_u32(dynamic_smem);
    const int warp = tc_warp();
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            tc_mbarrier_init(smem + FULL_AT + s * 8, 1);
            tc_mbarrier_init(smem + EMPTY_AT + s * 8, 1);
        }
        for (int s = 0; s < 2; s++) {
            tc_mbarrier_init(smem + DONE_AT + s * 8, 1);
            tc_mbarrier_init(smem + FREE_AT + s * 8, 4); /* one arrival a storing warp */
        }
        tc_fence_mbarrier_init();
    }
    /* a whole warp; all columns: the block has the SM for itself */
    if (warp == 1) TC_TCGEN05_ALLOC(1, smem + TMEM_AT, 512);
    tc_tcgen05_fence_before_thread_sync();
    __syncthreads();
    tc_tcgen05_fence_after_thread_sync();
    const uint32_t tmem = *(volatile uint32_t *)(dynamic_smem + TMEM_AT);
    if (warp == 0) {
        /* as "lane == 0", but the compiler knows that it is one thread: fewer moves to uniform registers */
        if (tc_elect_one()) produce(p, smem, type);
    } else if (warp == 1) {
        if (tc_elect_one()) multiply(p, smem, tmem, type);
    } else {
        store(p, dynamic_smem, smem, tmem, type);
    }
    __syncwarp();
    tc_tcgen05_fence_before_thread_sync();
    __syncthreads(); /* nobody uses tensor memory any more */
    tc_tcgen05_fence_after_thread_sync();
    if (warp == 1) TC_TCGEN05_DEALLOC(1, tmem, 512);
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
    const int bn = bn_of(g->type);
    params p;
    tc_status st = tcgen05_map(&p.a, g->a, g->m, tcgen05_row_bytes(g->k, g->type), BM);
    if (st == TC_OK) st = tcgen05_map(&p.b, g->b, g->n, tcgen05_row_bytes(g->k, g->type), bn);
    if (st == TC_OK) st = tcgen05_map_d(&p.d, g->d, g->m, g->n, g->d_type, 32);
    if (st != TC_OK) return st;
    p.sfa = g->sfa, p.sfb = g->sfb;
    const tc_tiles_of of = {g->m, g->n, 1, BM, bn, g->sms, 0, 0};
    p.tiles = tc_tiles_make(&of);
    p.steps = (uint32_t)(tcgen05_row_bytes(g->k, g->type) + 31) / 32;
    p.m = g->m, p.n = g->n;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM);
    kernel<<<p.tiles.total < (uint32_t)g->sms ? p.tiles.total : (uint32_t)g->sms, THREADS, SMEM>>>(p);
    return cudaGetLastError() == cudaSuccess ? TC_OK : TC_ERR_CUDA;
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
