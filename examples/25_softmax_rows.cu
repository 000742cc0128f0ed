/* 25_softmax_rows.cu - the softmax of each row of a product in the product's own kernel, on the skeleton of
 * tc_kernel.h. Needs tc*.h alone.
 *
 * D (m x n) = softmax over each row of scale * A (m x k) * B (n rows of k), bf16, f32 accumulation; n at most 256, a
 * router's experts or a small head's classes, so that a row lies in one tile; n and k multiples of 8. The four lanes of
 * a quad share a row: two shuffles make its maximum, two its sum.
 */
#define TC_SM90_STUBS
#include "tc.h"
#include <math.h>
#include <stdlib.h>

enum { BM = 128, BN = 256, BK = 64, A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2 };

typedef struct params {
    tc_kernel_head head;
    tc_tmap a, b, d;
    int m, n;
    float scale;
} params;

TC_DEV_SM90A void load(const tc_slot *s, const tc_work *w, const void *args)
{
    const params *p = (const params *)args;
    tc_cp_async_bulk_tensor_3d(s->at, &p->a, (int)s->step * BK, w->row, w->batch, s->full);
    tc_cp_async_bulk_tensor_3d(s->at + A_BYTES, &p->b, (int)s->step * BK, w->col, w->batch, s->full);
}

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

/* acc[4j], acc[4j+1] are columns 8j + 2q, 8j + 2q + 1 of row lane / 4 (q = lane % 4), acc[4j+2], acc[4j+3] those of the
 * row 8 below. */
TC_DEV_SM90A void finish(const tc_tile_end *t, const tc_work *w, float *acc, const void *args)
{
    const params *p = (const params *)args;
    const tc_box box = {TC_BF16, 128};
    const tc_store to = {&p->d, w->row + t->wg * 64 + t->row, w->col, w->batch, p->m, p->n, t->store};
    const float scale = p->scale * 1.4426950408889634f; /* for exp2 */
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float top = -3.4e38f, sum = 0;
#pragma unroll
        for (int i = 0; i < BN / 4; i++) { /* columns past n, which TMA has read as zeros, take no part */
            float *x = acc + i / 2 * 4 + half * 2 + i % 2;
            *x = i / 2 * 8 + tc_lane() % 4 * 2 + i % 2 < p->n ? *x * scale : -3.4e38f;
            top = fmaxf(top, *x);
        }
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
#pragma unroll
        for (int i = 0; i < BN / 4; i++)
            sum += acc[i / 2 * 4 + half * 2 + i % 2] = exp2f(acc[i / 2 * 4 + half * 2 + i % 2] - top);
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
#pragma unroll
        for (int i = 0; i < BN / 4; i++) acc[i / 2 * 4 + half * 2 + i % 2] /= sum;
    }
    tc_store_rows(box, BN, &to, acc);
}

TC_KERNEL_SM90_DEFINE(softmax, params, .bm = BM, .bn = BN, .slot_bytes = A_BYTES + B_BYTES, .accumulators = BN / 2,
                      .load = load, .step = step, .finish = finish)

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
    const int emulated = cudaGetDeviceProperties(&prop, 0) == cudaSuccess && !strncmp(prop.name, "tcemu", 5);
    const int m = emulated ? 200 : 65536, n = emulated ? 72 : 256, k = emulated ? 264 : 4096;
    uint16_t *a, *b, *d, *A = matrix(&a, m, k), *B = matrix(&b, n, k), *D = matrix(&d, m, n);
    const tc_operand_matrix ma = {"a", TC_BF16, A, k, m, 1, k, 0}, mb = {"b", TC_BF16, B, k, n, 1, k, 0},
                            md = {"d", TC_BF16, D, n, m, 1, n, 0};
    const tc_kernel_call call = {m, n, 1, (k + BK - 1) / BK, 0, 0, 0, 0};
    params p;
    int wrong = 0;
    if (prop.major != 9)
        return printf("needs compute capability 9.0, this device has %d.%d: not run\n", prop.major, prop.minor), 0;
    tc_status st = tc_operand_map(&p.a, &ma, BK, BM);
    if (st == TC_OK) st = tc_operand_map(&p.b, &mb, BK, BN);
    if (st == TC_OK) st = tc_operand_map(&p.d, &md, 64, 16);
    p.m = m, p.n = n, p.scale = 1.f / 16;
    if (st == TC_OK) st = softmax_launch(&p, &call);
    if (st != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
    if (cudaMemcpy(d, D, (size_t)m * n * 2, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (int i = 0; i < m; i += m / 50) { /* rows against the CPU */
        double x[BN], top = -1e300, sum = 0;
        for (int c = 0; c < n; c++) {
            x[c] = 0;
            for (int j = 0; j < k; j++)
                x[c] += (double)tc_f32_from_bf16(a[(size_t)i * k + j]) * tc_f32_from_bf16(b[(size_t)c * k + j]) / 16;
            top = fmax(top, x[c]);
        }
        for (int c = 0; c < n; c++) sum += exp(x[c] - top);
        for (int c = 0; c < n; c++)
            wrong += !(fabs(tc_f32_from_bf16(d[(size_t)i * n + c]) - exp(x[c] - top) / sum) <= exp(x[c] - top) / sum
                       / 200 + 1e-6);
    }
    return printf("softmax of the rows of %d x %d x %d  %s\n", m, n, k, wrong ? "FAIL" : "ok"), wrong != 0;
}
