/* 01_wmma_gemm.cu - a GEMM in three steps, each a kernel with wmma: the Tensor Cores without knowing who holds what.
 *
 *     naive     a warp computes 16 x 16 of D, straight from global memory: every element of A and B is loaded again and
 *               again
 *     tiled     a block computes 128 x 128; its A and B tiles stand in shared memory, a warp keeps 64 x 32 of D in
 *               registers
 *     buffered  the same, while cp.async brings the next tiles: loading and multiplying go on at the same time
 *
 * D = A * B in f32, A and B f16; A is m x k by rows, B is n x k (k contiguous). m and n are multiples of 128, k of
 * 32. */
#include "example.h"

/* f16 products, f32 sums, A by rows, B by columns: wm_load_a_shared, wm_mma and the rest */
TC_WMMA_DEFINE(wm, row, col, m16n16k16, f32, f16, f16, f32)

typedef struct problem {
    const uint16_t *a, *b;
    float *d;
    int m, n, k;
} problem;

/* ---- 1. naive: blocks of 4 warps, side by side along n ---- */
__global__ void __launch_bounds__(128) naive(const problem p)
{
    const int row = blockIdx.y * 16, col = (blockIdx.x * 4 + tc_warp()) * 16;
    wm_a a;
    wm_b b;
    wm_c c;
    wm_fill(&c, 0.f);
    for (int k = 0; k < p.k; k += 16) {
        wm_load_a_global(&a, p.a + (size_t)row * p.k + k, p.k);
        wm_load_b_global(&b, p.b + (size_t)col * p.k + k, p.k);
        wm_mma(&c, &a, &b, &c);
    }
    wm_store_row_global(p.d + (size_t)row * p.n + col, &c, p.n);
}

/* ---- 2. tiled: 8 warps, 2 down and 4 across, each 64 x 32 of D as 4 x 2 fragments ----
 * A line of shared memory is 32 elements of k and 8 of padding: 80 bytes, so that the 8 lines that a load touches at a
 * time lie in different banks. */
enum { BM = 128, BN = 128, BK = 32, LD = BK + 8, THREADS = 256, TILE = (BM + BN) * LD };

/* A warp multiplies what lies in shared memory. */
TC_DEV void multiply(wm_c c[4][2], const uint16_t *sa, const uint16_t *sb, int warp)
{
    wm_a a[4];
    wm_b b[2];
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) wm_load_a_shared(&a[i], sa + (warp / 4 * 64 + i * 16) * LD + k, LD);
#pragma unroll
        for (int j = 0; j < 2; j++) wm_load_b_shared(&b[j], sb + (warp % 4 * 32 + j * 16) * LD + k, LD);
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 2; j++) wm_mma(&c[i][j], &a[i], &b[j], &c[i][j]);
    }
}

TC_DEV void clear(wm_c c[4][2])
{
#pragma unroll
    for (int i = 0; i < 8; i++) wm_fill(&c[i / 2][i % 2], 0.f);
}

TC_DEV void store(const problem p, const wm_c c[4][2], int warp)
{
    float *d = p.d + (size_t)(blockIdx.y * BM + warp / 4 * 64) * p.n + blockIdx.x * BN + warp % 4 * 32;
#pragma unroll
    for (int i = 0; i < 8; i++) wm_store_row_global(d + (size_t)(i / 2 * 16) * p.n + i % 2 * 16, &c[i / 2][i % 2], p.n);
}

/* A line of a tile is 4 chunks of 16 bytes. A thread moves chunk t % 4 of the lines t / 4 and t / 4 + 64, of both
 * tiles. */
TC_DEV const uint16_t *my_chunk(const uint16_t *matrix, int first_line, int k)
{
    return matrix + (size_t)(first_line + threadIdx.x / 4) * k + threadIdx.x % 4 * 8;
}
TC_DEV int my_place(void) { return (int)(threadIdx.x / 4 * LD + threadIdx.x % 4 * 8); }

__global__ void __launch_bounds__(THREADS) tiled(const problem p)
{
    __shared__ TC_ALIGN(128) uint16_t s[TILE];
    const uint16_t *a = my_chunk(p.a, blockIdx.y * BM, p.k), *b = my_chunk(p.b, blockIdx.x * BN, p.k);
    const size_t half = (size_t)64 * p.k;
    const int warp = tc_warp();
    uint16_t *to = s + my_place();
    wm_c c[4][2];
    clear(c);
    for (int k = 0; k < p.k; k += BK) {
        *(uint4 *)to = *(const uint4 *)(a + k);
        *(uint4 *)(to + 64 * LD) = *(const uint4 *)(a + half + k);
        *(uint4 *)(to + 128 * LD) = *(const uint4 *)(b + k);
        *(uint4 *)(to + 192 * LD) = *(const uint4 *)(b + half + k);
        __syncthreads(); /* the tiles are there */
        multiply(c, s, s + BM * LD, warp);
        __syncthreads(); /* all have read them */
    }
    store(p, c, warp);
}

/* ---- 3. double-buffered: two pairs of tiles, one being filled while the other is multiplied ---- */
TC_DEV void fetch(uint32_t to, const uint16_t *a, const uint16_t *b, size_t half)
{
#if TC_HAS_SM80
    tc_cp_async_cg_16(to, a);
    tc_cp_async_cg_16(to + 64 * LD * 2, a + half);
    tc_cp_async_cg_16(to + 128 * LD * 2, b);
    tc_cp_async_cg_16(to + 192 * LD * 2, b + half);
    tc_cp_async_commit_group();
#endif
}

__global__ void __launch_bounds__(THREADS) buffered(const problem p)
{
#if TC_HAS_SM80
    __shared__ TC_ALIGN(128) uint16_t s[2 * TILE];
    const uint16_t *a = my_chunk(p.a, blockIdx.y * BM, p.k), *b = my_chunk(p.b, blockIdx.x * BN, p.k);
    const size_t half = (size_t)64 * p.k;
    const uint32_t to = tc_smem_u32(s) + 2 * my_place();
    const int warp = tc_warp(), steps = p.k / BK;
    wm_c c[4][2];
    clear(c);
    fetch(to, a, b, half);
    for (int step = 0; step < steps; step++) {
        const int now = step % 2 * TILE;
        TC_CP_ASYNC_WAIT_GROUP(0); /* my copies of this step are there */
        __syncthreads();           /* so are the others', and all have read the other buffer */
        a += BK, b += BK;
        if (step + 1 < steps) fetch(to + 2 * (TILE - now), a, b, half);
        multiply(c, s + now, s + now + BM * LD, warp);
    }
    store(p, c, warp);
#endif
}

/* ---- the host ---- */
static void run_naive(void *self)
{
    const problem p = *(const problem *)self;
    naive<<<dim3((unsigned)p.n / 64, (unsigned)p.m / 16), 128>>>(p);
    CUDA_CHECK(cudaGetLastError());
}
static void run_tiled(void *self)
{
    const problem p = *(const problem *)self;
    tiled<<<dim3((unsigned)p.n / BN, (unsigned)p.m / BM), THREADS>>>(p);
    CUDA_CHECK(cudaGetLastError());
}
static void run_buffered(void *self)
{
    const problem p = *(const problem *)self;
    buffered<<<dim3((unsigned)p.n / BN, (unsigned)p.m / BM), THREADS>>>(p);
    CUDA_CHECK(cudaGetLastError());
}

/* Worst of some samples of d, in units of the error that f32 sums may have */
static double worst(const problem *p, int samples)
{
    double most = 0;
    for (int s = 0; s < samples; s++) {
        const int i = s < 4 ? s / 2 * (p->m - 1) : (int)((s * 2654435761u) % (unsigned)p->m),
                  j = s < 4 ? s % 2 * (p->n - 1) : (int)((s * 40503u + 977u) % (unsigned)p->n);
        double size;
        const double x = example_dot(p->a, p->k, p->b, p->k, p->k, i, j, TC_F16, &size);
        const double error = fabs(example_get(p->d, (size_t)i * p->n + j, TC_F32) - x)
                     / ((p->k + 8) * 1.2e-7 * size + 1e-5);
        if (!(error <= most)) most = error;
    }
    return most;
}

static int shape(int full)
{
    static const char *const names[3] = {"naive", "tiled", "buffered"};
    void (*const run[3])(void *) = {run_naive, run_tiled, run_buffered};
    const int n = example_emulated() ? 256 : full;
    double seconds[3], best = 0;
    problem p[3];
    void *self[3];
    int failed = 0;
    const uint16_t *a = (const uint16_t *)example_random((size_t)n * n, 1, TC_F16, 1.f),
                   *b = (const uint16_t *)example_random((size_t)n * n, 2, TC_F16, 1.f);
    for (int i = 0; i < 3; i++) {
        p[i].a = a, p[i].b = b, p[i].m = p[i].n = p[i].k = n;
        p[i].d = (float *)example_alloc((size_t)n * n, TC_F32);
        self[i] = &p[i];
    }
    example_times(3, run, self, n > 2048 ? 2 : 10, seconds);
    printf("m = n = k = %d\n", n);
    for (int i = 0; i < 3; i++) {
        const double rate = 2.0 * n * n * n / seconds[i] * 1e-12, error = worst(&p[i], 200);
        if (i == 0) best = seconds[0];
        printf("    %-9s ", names[i]);
        if (example_emulated()) printf("emulated");
        else printf("%7.1f TFLOP/s  (%.1fx)", rate, best / seconds[i]);
        printf("   worst of 200 samples: %.3f of the error bound  %s\n", error, error <= 1 ? "ok" : "FAIL");
        failed += !(error <= 1);
        CUDA_CHECK(cudaFree(p[i].d));
    }
    CUDA_CHECK(cudaFree((void *)a));
    CUDA_CHECK(cudaFree((void *)b));
    return failed;
}

int main(void)
{
    int failed = 0;
    example_device(80);
    failed += shape(1024);
    if (!example_emulated()) failed += shape(4096) + shape(8192);
    return failed;
}
