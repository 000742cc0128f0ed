/* 21_gemm_sm90_by_hand.cu - a Hopper GEMM from three functions on the skeleton of tc_kernel.h. Needs tc*.h alone; a
 * start for your own.
 *
 * D (m x n) = A (m x k) * B (n rows of k), bf16, f32 accumulation; n and k multiples of 8 (TMA's 16 bytes). A slot
 * holds 64 columns of k: a 128 x 64 block of A and a 256 x 64 block of B, 128-byte swizzled. Two blocks of a cluster
 * share B: each loads half and multicasts it.
 */
#define TC_SM90_STUBS /* this file compiles for every target, and says at run time where it cannot run */
#include "tc.h"
#include <math.h>
#include <stdlib.h>

enum { BM = 128, BN = 256, BK = 64, CLUSTER = 2, A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2 };

typedef struct params {
    tc_kernel_head head; /* the skeleton's */
    tc_tmap a, b, d;
    int m, n;
} params;

/* One thread: a slot's blocks of A and B. What the neighbour multicasts into this block's slot counts in its barrier
 * too. */
TC_DEV_SM90A void load(const tc_slot *s, const tc_work *w, const void *args)
{
    const params *p = (const params *)args;
    const int k = (int)s->step * BK, half = (int)s->rank * (BN / CLUSTER);
    tc_cp_async_bulk_tensor_3d(s->at, &p->a, k, w->row, w->batch, s->full);
    tc_cp_async_bulk_tensor_3d_multicast(s->at + A_BYTES + (uint32_t)half * 128u, &p->b, k, w->col + half, w->batch,
                                         s->full, 3);
}

/* A warpgroup: its 64 rows of A by all of B, four instructions of k = 16. The first product of a tile overwrites: no
 * clearing. */
TC_DEV_SM90A void step(const tc_slot *s, const tc_work *w, float *acc, const void *args)
{
    const uint64_t a = tc_wgmma_desc(s->at + (uint32_t)s->wg * (64 * 128), 128),
                   b = tc_wgmma_desc(s->at + A_BYTES, 128);
    (void)w, (void)args;
#pragma unroll
    for (int k = 0; k < BK / 16; k++)
        TC_WGMMA_SS(256, f32, bf16, acc, a + (uint64_t)(k * 2), b + (uint64_t)(k * 2), k > 0 || s->step > 0, 1, 1, 0,
                    0);
}

/* A warpgroup, each warp for itself: its 16 rows to bf16, through swizzled boxes of 64 columns to D by TMA. */
TC_DEV_SM90A void finish(const tc_tile_end *t, const tc_work *w, float *acc, const void *args)
{
    const params *p = (const params *)args;
    const tc_box box = {TC_BF16, 128};
    const tc_store to = {&p->d, w->row + t->wg * 64 + t->row, w->col, w->batch, p->m, p->n, t->store};
    tc_store_rows(box, BN, &to, acc);
}

TC_KERNEL_SM90_DEFINE(hand, params, .bm = BM, .bn = BN, .slot_bytes = A_BYTES + B_BYTES, .accumulators = BN / 2,
                      .cluster = CLUSTER, .load = load, .step = step, .finish = finish)
TC_GEMM_SM90_DEFINE(generated, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = BM, .bn = BN, .cluster_m = CLUSTER)

static tc_status hand_run(const tc_gemm_args *g, cudaStream_t stream)
{
    const tc_operand_matrix a = {"a", TC_BF16, g->a, g->k, g->m, 1, g->lda, 0},
                            b = {"b", TC_BF16, g->b, g->k, g->n, 1, g->ldb, 0};
    const tc_operand_matrix d = {"d", TC_BF16, g->d, g->n, g->m, 1, g->ldd, 0};
    const tc_kernel_call call = {g->m, g->n, 1, (g->k + BK - 1) / BK, 0, 0, 0, stream};
    params p;
    tc_status st = tc_operand_map(&p.a, &a, BK, BM);
    if (st == TC_OK) st = tc_operand_map(&p.b, &b, BK, BN / CLUSTER);
    if (st == TC_OK) st = tc_operand_map(&p.d, &d, 64, 16);
    p.m = g->m, p.n = g->n;
    return st == TC_OK ? hand_launch(&p, &call) : st;
}

/* ---- below: try it ---- */
static uint16_t *matrix(uint16_t **host, int rows, int cols) /* multiples of 1/8 in -1 .. 1, on the device and here */
{
    void *device = 0;
    *host = (uint16_t *)malloc((size_t)rows * cols * 2);
    for (size_t i = 0; i < (size_t)rows * cols; i++)
        (*host)[i] = tc_bf16_from_f32((float)(i * 2654435761u >> 7 & 15) / 8 - 1);
    if (cudaMalloc(&device, (size_t)rows * cols * 2) != cudaSuccess) exit(1);
    cudaMemcpy(device, *host, (size_t)rows * cols * 2, cudaMemcpyHostToDevice);
    return (uint16_t *)device;
}

int main(void)
{
    cudaDeviceProp prop;
    const int emulated = cudaGetDeviceProperties(&prop, 0) == cudaSuccess && !strncmp(prop.name, "tcemu", 5),
              shapes[3][3] = {{4096, 4096, 4096}, {8192, 8192, 8192}, {1000, 1032, 520}};
    cudaEvent_t from, to;
    int failed = 0;
    if (prop.major != 9)
        return printf("needs compute capability 9.0, this device has %d.%d: not run\n", prop.major, prop.minor), 0;
    cudaEventCreate(&from), cudaEventCreate(&to);
    for (int x = 0; x < 3; x++) {
        const int div = emulated ? 16 : 1, m = shapes[x][0] / div, n = shapes[x][1] / div / 8 * 8,
                  k = shapes[x][2] / div / 8 * 8;
        uint16_t *a, *b, *d, *A = matrix(&a, m, k), *B = matrix(&b, n, k), *D = matrix(&d, m, n);
        const tc_gemm_args g = {.m = m, .n = n, .k = k, .a = A, .lda = k, .b = B, .ldb = k, .d = D, .ldd = n};
        tc_status (*const run[2])(const tc_gemm_args *, cudaStream_t) = {hand_run, generated_run};
        float ms[2] = {0, 0};
        int wrong = 0;
        for (int side = 1; side >= 0; side--) {
            for (int i = 0; i < (emulated ? 1 : 20); i++) {
                if (i == 10) cudaEventRecord(from, 0);
                if (run[side](&g, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
            }
            if (!emulated) cudaEventRecord(to, 0), cudaEventSynchronize(to), cudaEventElapsedTime(&ms[side], from, to);
        }
        cudaMemcpy(d, D, (size_t)m * n * 2, cudaMemcpyDeviceToHost);
        for (size_t i = 0; i < (size_t)m * n; i += 4099) { /* samples against the CPU: these sums are exact in f32 */
            float sum = 0, got = tc_f32_from_bf16(d[i]);
            for (int j = 0; j < k; j++) sum += tc_f32_from_bf16(a[i / n * k + j]) * tc_f32_from_bf16(b[i % n * k + j]);
            wrong += !(fabsf(got - sum) <= fabsf(sum) / 256);
        }
        printf("%5d x %5d x %5d  ", m, n, k);
        if (!emulated) printf("%.1f TFLOP/s, generated %.1f  ", 2e-8 * m * n * k / ms[0], 2e-8 * m * n * k / ms[1]);
        printf("%s\n", wrong ? "FAIL" : "ok");
        failed += wrong != 0;
        cudaFree(A), cudaFree(B), cudaFree(D), free(a), free(b), free(d);
    }
    return failed;
}
