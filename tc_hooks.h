/* tc_hooks.h - tc 0.2.0 - hooks: what they are told, activations, and those that are shipped. Needs: tc_core.h,
 * tc_types.h.
 *
 *     tc_gemm_at, tc_epi_fn, tc_epi2_fn           where an element of D is; the two forms of a hook
 *     tc_relu tc_gelu tc_gelu_tanh tc_silu        activations
 *     tc_epi_*, tc_epi2_*                         shipped hooks
 *     tc_gate_fn, tc_gate_*                       hooks on an element of each of two products (.gate); shipped ones
 *
 * NOT-FINITE VALUES. tc_relu(NaN) is NaN. tc_gelu(+inf) is +inf, tc_gelu(-inf) is 0. tc_gelu_tanh and tc_silu give NaN
 * for -inf, as x * sigmoid(x) does wherever it is computed as written.
 */
#ifndef TC_HOOKS_H
#define TC_HOOKS_H

#include "tc_core.h"
#include "tc_types.h"

/* Where an element is: row and column of D, which matrix of the batch, which group of a grouped call (0 where there are
 * none). */
typedef struct tc_gemm_at {
    int row, col, batch, group;
} tc_gemm_at;

/* A hook computes a value. x is alpha * (A*B) + beta * C in f32; args points to the copy of the call's epi_args in
 * constant memory. */
typedef float (*tc_epi_fn)(float x, tc_gemm_at at, const void *args);

/* The same for two neighbours of a row: x.x belongs to at.col, which is even, x.y to at.col + 1. */
typedef tc_f32x2 (*tc_epi2_fn)(tc_f32x2 x, tc_gemm_at at, const void *args);

/* An element of D from those of two products, each times alpha (tc_gemm_gate.h). */
typedef float (*tc_gate_fn)(float gate, float up, tc_gemm_at at, const void *args);

/* Is that element of D stored? */
typedef int (*tc_gemm_keep_fn)(tc_gemm_at at, const void *args);

enum { TC_TRIANGLE_LOWER = 1, TC_TRIANGLE_UPPER = 2 }; /* .triangle: with the diagonal */

TC_HD int tc_triangle_keeps(int triangle, int row, int col)
{
    return triangle == TC_TRIANGLE_LOWER ? row >= col : row <= col;
}

enum { TC_NO_ARGS = -1 }; /* .epi_size of a hook that takes no arguments */

/* Arguments of shipped hooks. */
typedef struct tc_epi_vector { const float *v; } tc_epi_vector;              /* v: n (by column) or m (by row) floats */
typedef struct tc_epi_matrix {
    const void *p;
    long long ld;
} tc_epi_matrix; /* p: m x n, row-major, pitch ld elements */

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * What softmax is made of.
 */
TC_DEV float tc__exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
TC_DEV float tc__inverse(float x) /* right to the last bit or the one before */
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
TC_DEV float tc__log2(float x)
{
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#define TC__INF tc_f32_from_bits(0x7f800000u)
#define TC__LN2 0.6931471805599453f

/* ---------------------------------------------------------------------------------------------------------------------
 * Activations and shipped hooks.
 */
TC_DEV float tc_relu(float x) { return x < 0.f ? 0.f : x; }

/* x * Phi(x) = max(x, 0) - |x| * Phi(-|x|). The logarithm of Phi(-|x|), base 2, is nearly a parabola: a polynomial of
 * degree 6, fitted for the least error of Phi(-|x|), and one ex2. Within 4e-7 * |x|. */
TC_DEV float tc_gelu(float x)
{
    float a, e;
#if TC_HAS_SM80 /* at most 16, where it is 0: inf * 0 would be NaN, and NaN shall stay */
    asm("{\n\t.reg .f32 size;\n\tabs.f32 size, %1;\n\tmin.NaN.f32 %0, size, 0f41800000;\n\t}" : "=f"(a) : "f"(x));
#else
    a = fabsf(x) > 16.f ? 16.f : fabsf(x);
#endif
    e = a * 2.36948798e-05f - 6.86582735e-04f;
    e = a * e + 7.81602272e-03f;
    e = a * e - 5.30243887e-02f;
    e = a * e - 0.459036337f;
    e = a * e - 1.15112534f;
    e = a * e - 0.999999626f;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(e));
    return fmaxf(x, 0.f) - a * e;
}

/* The usual tanh form of GELU: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); by tanh.approx (sm_75), so within
 * 2.5e-4 * |x|. */
TC_DEV float tc_gelu_tanh(float x)
{
    float t;
    asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(x * (0.7978845608028654f + 0.035677408136300125f * x * x)));
    return 0.5f * x + 0.5f * x * t;
}

/* x / (1 + exp(-x)), five instructions: __expf and __fdividef would look after denormals, which add nothing to 1. */
TC_DEV float tc_silu(float x)
{
    float e, r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(x * -1.4426950408889634f));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(1.f + e));
    return x * r;
}

TC_DEV float tc_epi_bias_col(float x, tc_gemm_at at, const void *args)
{
    return x + ((const tc_epi_vector *)args)->v[at.col];
}

TC_DEV float tc_epi_bias_row(float x, tc_gemm_at at, const void *args)
{
    return x + ((const tc_epi_vector *)args)->v[at.row];
}

TC_DEV float tc_epi_scale_col(float x, tc_gemm_at at, const void *args)
{
    return x * ((const tc_epi_vector *)args)->v[at.col];
}

TC_DEV float tc_epi_scale_row(float x, tc_gemm_at at, const void *args)
{
    return x * ((const tc_epi_vector *)args)->v[at.row];
}

TC_DEV float tc_epi_relu(float x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return tc_relu(x);
}

TC_DEV float tc_epi_gelu(float x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return tc_gelu(x);
}

TC_DEV float tc_epi_gelu_tanh(float x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return tc_gelu_tanh(x);
}

TC_DEV float tc_epi_silu(float x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return tc_silu(x);
}

TC_DEV float tc_epi_residual_f32(float x, tc_gemm_at at, const void *args)
{
    const tc_epi_matrix *r = (const tc_epi_matrix *)args;
    return x + ((const float *)r->p)[at.row * r->ld + at.col];
}

TC_DEV float tc_epi_residual_f16(float x, tc_gemm_at at, const void *args)
{
    const tc_epi_matrix *r = (const tc_epi_matrix *)args;
    return x + tc_f32_from_f16(((const uint16_t *)r->p)[at.row * r->ld + at.col]);
}

TC_DEV float tc_epi_residual_bf16(float x, tc_gemm_at at, const void *args)
{
    const tc_epi_matrix *r = (const tc_epi_matrix *)args;
    return x + tc_f32_from_bf16(((const uint16_t *)r->p)[at.row * r->ld + at.col]);
}

/* Pair hooks: one load serves two elements. v must be 8-byte aligned; p 4-byte aligned with an even ld. */
TC_DEV tc_f32x2 tc_epi2_bias_col(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const float2 b = *(const float2 *)(((const tc_epi_vector *)args)->v + at.col);
    const tc_f32x2 r = {x.x + b.x, x.y + b.y};
    return r;
}

TC_DEV tc_f32x2 tc_epi2_bias_relu(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const tc_f32x2 y = tc_epi2_bias_col(x, at, args);
    const tc_f32x2 r = {tc_relu(y.x), tc_relu(y.y)};
    return r;
}

TC_DEV tc_f32x2 tc_epi2_bias_gelu(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const tc_f32x2 y = tc_epi2_bias_col(x, at, args);
    const tc_f32x2 r = {tc_gelu(y.x), tc_gelu(y.y)};
    return r;
}

TC_DEV tc_f32x2 tc_epi2_bias_gelu_tanh(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const tc_f32x2 y = tc_epi2_bias_col(x, at, args);
    const tc_f32x2 r = {tc_gelu_tanh(y.x), tc_gelu_tanh(y.y)};
    return r;
}

TC_DEV tc_f32x2 tc_epi2_residual_f16(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const tc_epi_matrix *m = (const tc_epi_matrix *)args;
    const uint32_t w = *(const uint32_t *)((const uint16_t *)m->p + (at.row * m->ld + at.col));
    const tc_f32x2 r = {x.x + tc_f32_from_f16((uint16_t)w), x.y + tc_f32_from_f16((uint16_t)(w >> 16))};
    return r;
}

TC_DEV tc_f32x2 tc_epi2_residual_bf16(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const tc_epi_matrix *m = (const tc_epi_matrix *)args;
    const uint32_t w = *(const uint32_t *)((const uint16_t *)m->p + (at.row * m->ld + at.col));
    const tc_f32x2 r = {x.x + tc_f32_from_bits(w << 16), x.y + tc_f32_from_bits(w & 0xffff0000u)};
    return r;
}

/* Gates: SwiGLU, GeGLU by erf, GeGLU by tanh. */
TC_DEV float tc_gate_silu(float gate, float up, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return tc_silu(gate) * up;
}

TC_DEV float tc_gate_gelu(float gate, float up, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return tc_gelu(gate) * up;
}

TC_DEV float tc_gate_gelu_tanh(float gate, float up, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return tc_gelu_tanh(gate) * up;
}

#endif /* __CUDACC__ */

#endif /* TC_HOOKS_H */
