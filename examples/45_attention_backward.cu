/* 45_attention_backward.cu - generated attention and its backward pass: a training step's two calls.
 *
 * The forward keeps O and lse; the backward takes them, and the gradient of O, and gives those of Q, K and V:
 *
 *     tc_attn_bwd_args g = {0};
 *     g.batch = 4, g.heads = 32, g.heads_kv = 8, g.q_len = 4096, g.k_len = 4096;      as the forward's
 *     g.q = q, g.k = k, g.v = v, g.o = o, g.lse = lse, g.dout = dout;
 *     g.dq = dq, g.dk = dk, g.dv = dv;
 *     g.workspace_size = backward_workspace(&g);                                      then cudaMalloc it, once
 *     tc_status st = backward_run(&g, stream);
 *
 * dQ's sums are added up in the order of the keys, so that every call gives the same bits; g.fast = 1 lets them come as
 * they come. Checked against fp64: rows of dQ, and of dK and dV the last keys, which few queries see.
 * It runs on every device from sm_80 on. Needs tc*.h alone. */
#include "tc.h"
#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------------- */
TC_ATTN_DEFINE(forward, .type = TC_BF16, .head_dim = 128, .causal = 1)
TC_ATTN_BWD_DEFINE(backward, .type = TC_BF16, .head_dim = 128, .causal = 1)
/* ---------------------------------------------------------------------------------------------------------------- */

enum { DIM = 128, HEADS = 4, HEADS_KV = 2, GROUP = HEADS / HEADS_KV, BATCH = 2 };
enum { Q, K, V, DOUT, O, DQ, DK, DV, TENSORS };

/* element i of a tensor: a multiple of 1/8 in -2 .. 2, the same on the device and here */
TC_HD float number(uint32_t seed, size_t i)
{
    uint32_t h = ((uint32_t)i + (seed + 1) * 0x9e3779b9u) * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (float)((h >> 13) % 33) / 8 - 2;
}

static __global__ void fill(uint16_t *p, size_t count, uint32_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        p[i] = tc_bf16_from_f32(number(seed, i));
}

/* First element of a row of (BATCH, n, heads, DIM). */
static size_t at(int n, int heads, int b, int row, int h)
{
    return (((size_t)b * (size_t)n + (size_t)row) * (size_t)heads + (size_t)h) * DIM;
}

/* P and dS of query i of head h in fp64, for the keys that it sees, 0 .. i. */
static void probabilities(int n, int b, int h, int i, double *p, double *ds)
{
    const size_t q = at(n, HEADS, b, i, h);
    double top = -INFINITY, sum = 0, delta = 0;
    for (int j = 0; j <= i; j++) {
        const size_t k = at(n, HEADS_KV, b, j, h / GROUP);
        p[j] = ds[j] = 0;
        for (int c = 0; c < DIM; c++) {
            p[j] += number(Q, q + c) * number(K, k + c) / sqrt((double)DIM);
            ds[j] += number(DOUT, q + c) * number(V, k + c); /* dP */
        }
        top = fmax(top, p[j]);
    }
    for (int j = 0; j <= i; j++) sum += p[j] = exp(p[j] - top);
    for (int j = 0; j <= i; j++) delta += (p[j] /= sum) * ds[j];
    for (int j = 0; j <= i; j++) ds[j] = p[j] * (ds[j] - delta);
}

/* A row of the device's against one in fp64; size: the sum of what was added up, by its absolute value. bf16 rounds P,
 * dS, O and the result to 1/256 each. */
static int wrong_row(const uint16_t *device, const double *x, const double *size)
{
    uint16_t got[DIM];
    int wrong = 0;
    if (cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) exit(1);
    for (int c = 0; c < DIM; c++)
        wrong |= !(fabs(tc_f32_from_bf16(got[c]) - x[c]) <= (size[c] + fabs(x[c])) / 128 + 1e-3);
    return wrong;
}

static int check(const tc_attn_bwd_args *g, int n)
{
    double *p = (double *)malloc(sizeof(double) * (size_t)n), *ds = (double *)malloc(sizeof(double) * (size_t)n);
    int wrong = 0;
    for (int t = 0; t < 12; t++) { /* rows of dQ */
        const int b = t % BATCH, h = t % HEADS, i = (int)((size_t)t * 2654435761u % (size_t)n);
        double x[DIM] = {0}, size[DIM] = {0};
        probabilities(n, b, h, i, p, ds);
        for (int j = 0; j <= i; j++)
            for (int c = 0; c < DIM; c++) {
                const double y = ds[j] * number(K, at(n, HEADS_KV, b, j, h / GROUP) + c) / sqrt((double)DIM);
                x[c] += y, size[c] += fabs(y);
            }
        /* delta comes of O, which is rounded: as if each dS were off by 1/256 of P times a few */
        for (int j = 0; j <= i; j++)
            for (int c = 0; c < DIM; c++) size[c] += p[j] * 4 / sqrt((double)DIM);
        wrong += wrong_row((uint16_t *)g->dq + at(n, HEADS, b, i, h), x, size);
    }
    for (int t = 0; t < 6; t++) { /* the last keys: sums over the heads that share them and the queries behind */
        const int b = t % BATCH, hk = t % HEADS_KV, j = n - 1 - t;
        double x[2][DIM] = {{0}}, size[2][DIM] = {{0}};
        for (int h = hk * GROUP; h < (hk + 1) * GROUP; h++)
            for (int i = j; i < n; i++) {
                probabilities(n, b, h, i, p, ds);
                for (int c = 0; c < DIM; c++) {
                    const size_t q = at(n, HEADS, b, i, h) + (size_t)c;
                    const double dk = ds[j] * number(Q, q) / sqrt((double)DIM), dv = p[j] * number(DOUT, q);
                    x[0][c] += dk, size[0][c] += fabs(dk) + p[j] * 8 / sqrt((double)DIM);
                    x[1][c] += dv, size[1][c] += fabs(dv);
                }
            }
        wrong += wrong_row((uint16_t *)g->dk + at(n, HEADS_KV, b, j, hk), x[0], size[0]);
        wrong += wrong_row((uint16_t *)g->dv + at(n, HEADS_KV, b, j, hk), x[1], size[1]);
    }
    free(p), free(ds);
    return wrong;
}

int main(void)
{
    struct cudaDeviceProp device;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return puts("SKIP: no device"), 0;
    const int emulated = strncmp(device.name, "tcemu", 5) == 0, n = emulated ? 200 : 4096, rounds = emulated ? 1 : 20;
    const double flops = 2.5 * 4 * BATCH * HEADS * (0.5 * n * n) * DIM;
    uint16_t *t[TENSORS];
    tc_attn_bwd_args g = {0};
    tc_attn_args f = {0};
    float *lse, ms = 0;
    cudaEvent_t from, to;
    tc_status st;
    int wrong;
    for (int i = 0; i < TENSORS; i++) {
        const int heads = i == K || i == V || i == DK || i == DV ? HEADS_KV : HEADS;
        const size_t count = (size_t)BATCH * (size_t)n * (size_t)heads * DIM;
        if (cudaMalloc((void **)&t[i], count * 2) != cudaSuccess) return 1;
        fill<<<512, 256>>>(t[i], count, (uint32_t)i);
    }
    if (cudaMalloc((void **)&lse, sizeof(float) * BATCH * HEADS * (size_t)n) != cudaSuccess) return 1;
    f.batch = BATCH, f.heads = HEADS, f.heads_kv = HEADS_KV, f.q_len = f.k_len = n;
    f.q = t[Q], f.k = t[K], f.v = t[V], f.o = t[O], f.lse = lse;
    g.batch = BATCH, g.heads = HEADS, g.heads_kv = HEADS_KV, g.q_len = g.k_len = n;
    g.q = t[Q], g.k = t[K], g.v = t[V], g.o = t[O], g.lse = lse, g.dout = t[DOUT];
    g.dq = t[DQ], g.dk = t[DK], g.dv = t[DV];
    g.workspace_size = backward_workspace(&g);
    if (cudaMalloc(&g.workspace, g.workspace_size) != cudaSuccess) return 1;
    st = forward_run(&f, 0);
    if (st == TC_OK) st = backward_run(&g, 0);
    if (st != TC_OK) return printf("%s\n", tc_why()), 1;
    wrong = check(&g, n);
    cudaEventCreate(&from), cudaEventCreate(&to);
    cudaEventRecord(from, 0);
    for (int i = 0; i < rounds; i++) backward_run(&g, 0);
    cudaEventRecord(to, 0);
    cudaEventSynchronize(to), cudaEventElapsedTime(&ms, from, to);
    if (cudaGetLastError() != cudaSuccess) return puts("a CUDA error"), 1;
    printf("causal, %d x %d rows, %d/%d heads of %d: %s", BATCH, n, HEADS, HEADS_KV, DIM, wrong ? "WRONG" : "right");
    if (!emulated) printf(", %.3f ms, %.0f TFLOP/s", ms / rounds, flops * rounds / ms * 1e-9);
    printf("\n");
    return wrong != 0;
}
