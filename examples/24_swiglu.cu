/* 24_swiglu.cu - one A, two B's, one output: D = silu(A * G) * (A * U), the gate of a Llama's feed-forward block: by
 * the generator, on every device, and on Hopper once more by hand, on the skeleton of tc_kernel.h.
 * Needs tc*.h alone.
 *
 * D (m x n), A (m x k), G and U (n rows of k each), bf16, f32 accumulation; by hand n and k multiples of 8. There a
 * slot holds 64 columns of k of A, of G and of U; a consumer has two accumulators of 64 x 128, and neither product
 * ever sees memory.
 */
#define TC_SM90_STUBS
#include "tc.h"
#include <math.h>
#include <stdlib.h>

typedef struct problem {
    int m, n, k;
    const void *a, *g, *u;
    void *d;
} problem;

/* ---- By the generator. ---- */
TC_GEMM_DEFINE(gated, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_gate_silu, .shapes = TC_SHAPES_LARGE)

static tc_status generated(const problem *p)
{
    const tc_gemm_args g = {.m = p->m, .n = p->n, .k = p->k, .a = p->a, .lda = p->k, .b = p->g,
                            .ldb = p->k, .d = p->d, .ldd = p->n, .b2 = p->u};
    return gated_run(&g, 0);
}

/* ---- By hand. ---- */
enum { BM = 128, BN = 128, BK = 64, A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2 };

typedef struct params {
    tc_kernel_head head;
    tc_tmap a, gate, up, d;
    int m, n;
} params;

TC_DEV_SM90A void load(const tc_slot *s, const tc_work *w, const void *args)
{
    const params *p = (const params *)args;
    const int k = (int)s->step * BK;
    tc_cp_async_bulk_tensor_3d(s->at, &p->a, k, w->row, w->batch, s->full);
    tc_cp_async_bulk_tensor_3d(s->at + A_BYTES, &p->gate, k, w->col, w->batch, s->full);
    tc_cp_async_bulk_tensor_3d(s->at + A_BYTES + B_BYTES, &p->up, k, w->col, w->batch, s->full);
}

TC_DEV_SM90A void step(const tc_slot *s, const tc_work *w, float *acc, const void *args)
{
    const uint64_t a = tc_wgmma_desc(s->at + (uint32_t)s->wg * (64 * 128), 128);
    const uint64_t gate = tc_wgmma_desc(s->at + A_BYTES, 128), up = tc_wgmma_desc(s->at + A_BYTES + B_BYTES, 128);
    (void)w, (void)args;
#pragma unroll
    for (int k = 0; k < BK / 16; k++) {
        const uint64_t at = (uint64_t)(k * 2);
        TC_WGMMA_SS(128, f32, bf16, acc, a + at, gate + at, k > 0 || s->step > 0, 1, 1, 0, 0);
        TC_WGMMA_SS(128, f32, bf16, acc + BN / 2, a + at, up + at, k > 0 || s->step > 0, 1, 1, 0, 0);
    }
}

TC_DEV_SM90A void finish(const tc_tile_end *t, const tc_work *w, float *acc, const void *args)
{
    const params *p = (const params *)args;
    const tc_box box = {TC_BF16, 128};
    const tc_store to = {&p->d, w->row + t->wg * 64 + t->row, w->col, w->batch, p->m, p->n, t->store};
#pragma unroll
    for (int i = 0; i < BN / 2; i++) acc[i] = tc_silu(acc[i]) * acc[i + BN / 2];
    tc_store_rows(box, BN, &to, acc);
}

TC_KERNEL_SM90_DEFINE(swiglu, params, .bm = BM, .bn = BN, .slot_bytes = A_BYTES + 2 * B_BYTES, .accumulators = BN,
                      .load = load, .step = step, .finish = finish)

static tc_status by_hand(const problem *x)
{
    const tc_operand_matrix a = {"a", TC_BF16, x->a, x->k, x->m, 1, x->k, 0};
    const tc_operand_matrix g = {"gate", TC_BF16, x->g, x->k, x->n, 1, x->k, 0};
    const tc_operand_matrix u = {"up", TC_BF16, x->u, x->k, x->n, 1, x->k, 0};
    const tc_operand_matrix d = {"d", TC_BF16, x->d, x->n, x->m, 1, x->n, 0};
    const tc_kernel_call call = {x->m, x->n, 1, (x->k + BK - 1) / BK, 0, 0, 0, 0};
    params p;
    tc_status st = tc_operand_map(&p.a, &a, BK, BM);
    if (st == TC_OK) st = tc_operand_map(&p.gate, &g, BK, BN);
    if (st == TC_OK) st = tc_operand_map(&p.up, &u, BK, BN);
    if (st == TC_OK) st = tc_operand_map(&p.d, &d, 64, 16);
    p.m = x->m, p.n = x->n;
    return st == TC_OK ? swiglu_launch(&p, &call) : st;
}

/* ---- The rest. ---- */
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

static uint16_t *a, *g, *u, *d; /* here */

/* Runs it, measures it, and holds samples against the CPU. */
static int swiglu_by(const char *name, tc_status (*run)(const problem *), const problem *p, int calls)
{
    const int m = p->m, n = p->n, k = p->k;
    cudaEvent_t from, to;
    tc_status st = TC_OK;
    float ms = 0;
    int wrong = 0;
    cudaMemset(p->d, 0xff, (size_t)m * n * 2), cudaEventCreate(&from), cudaEventCreate(&to);
    for (int i = 0; i < 2 * calls && st == TC_OK; i++) { /* the first half warms up */
        if (i == calls) cudaEventRecord(from, 0);
        st = run(p);
    }
    if (st != TC_OK) return fprintf(stderr, "%s: %s\n", name, tc_why()), 1;
    cudaEventRecord(to, 0), cudaEventSynchronize(to), cudaEventElapsedTime(&ms, from, to);
    if (cudaMemcpy(d, p->d, (size_t)m * n * 2, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (size_t i = 0; i < (size_t)m * n; i += m * n / 997) {
        double x = 0, y = 0, want;
        for (int j = 0; j < k; j++) {
            const double v = tc_f32_from_bf16(a[i / n * k + j]);
            x += v * tc_f32_from_bf16(g[i % n * k + j]), y += v * tc_f32_from_bf16(u[i % n * k + j]);
        }
        want = x / (1 + exp(-x)) * y;
        wrong += !(fabs(tc_f32_from_bf16(d[i]) - want) <= fabs(want) / 200 + 1e-5);
    }
    printf("swiglu %d x %d x %d  %-10s ", m, n, k, name);
    if (calls > 1) printf("%.1f TFLOP/s  ", 4e-9 * m * n * k * calls / ms);
    return printf("%s\n", wrong ? "FAIL" : "ok"), wrong != 0;
}

int main(void)
{
    cudaDeviceProp prop;
    const int emulated = cudaGetDeviceProperties(&prop, 0) == cudaSuccess && !strncmp(prop.name, "tcemu", 5);
    const int m = emulated ? 200 : 4096, n = emulated ? 328 : 14336, k = emulated ? 264 : 4096;
    if (prop.major < 8)
        return printf("needs compute capability 8.0, this device has %d.%d: not run\n", prop.major, prop.minor), 0;
    const problem p = {m, n, k, matrix(&a, m, k), matrix(&g, n, k), matrix(&u, n, k), matrix(&d, m, n)};
    int failed = swiglu_by("generated", generated, &p, emulated ? 1 : 10);
    if (prop.major == 9) failed += swiglu_by("by hand", by_hand, &p, emulated ? 1 : 10);
    return failed;
}
