/* tc_gemm_gate.h - tc 0.2.0 - two products of one A and one D, which a gate makes of them: SwiGLU, GeGLU.
 * Needs: the headers below.
 *
 * D = gate(alpha * A B, alpha * A B2), element by element:
 *
 *     TC_GEMM_DEFINE(swiglu, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_gate_silu)
 *     tc_gemm_args args = { .m = m, .n = n, .k = k, .a = A, .lda = k, .b = G, .ldb = k, .d = D, .ldd = n,
 *                           .b2 = U };
 *
 * SwiGLU (tc_gate_silu), GeGLU (tc_gate_gelu, by erf, and tc_gate_gelu_tanh) or a hook of your own, .gate = hook with
 * .epi_size as for .epi:
 *
 *     TC_DEV float hook(float gate, float up, tc_gemm_at at, const void *args)   x of A B, of A B2, and where it goes
 *
 * A is read once, and no product sees memory. b2 has b's type, layout, size, pitch and strides; so of weights in one
 * matrix of 2n rows
 *
 *     gate's rows, then up's     b2 = W + n * k     ldb = k
 *     in turn                    b2 = W + k         ldb = 2 * k
 *
 * .bn, .step and choice->width count columns of both products: a tile of D has half of them. A gate is called once for
 * each element of D; shipped ones, which read nothing, also for what a tile has outside of it. TC_GEMM_DEFINE serves it
 * from sm_80 on: by wgmma on Hopper, on Blackwell by tcgen05 and in the sm_120 kernels, else by mma.sync. So do the
 * generators of these four, Hopper's without .swap and .cluster_k. Parts of k (.split) meet in the workspace alone.
 * With .groups (TC_GROUPS_ROWS, _MASKED: of each group a B and a B2), .index, batch; .row_sum, .col_sum and .all_sum of
 * what the gate made, an amax for instance; TC_GEMM_SM120_DEFINE has neither sums nor TC_INDEX_A. There is no C (beta
 * is 0), and what else it does not go with the compiler says.
 */
#ifndef TC_GEMM_GATE_H
#define TC_GEMM_GATE_H

#include "tc_gemm_config.h"

/* What the end of a tile knows, once its elements are D's: half as many columns. Sums are floats then. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_gated(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    if (!c.gate) return c;
    c.bn /= 2, c.step /= 2;
    c.gate = 0, c.gated = 1, c.acc = TC_F32;
    return c;
}

#ifdef __CUDACC__

/* There is no C. In what tells of it lie B2 (.c) and alpha (.ldc, its bits): the end of a tile multiplies by 1. */
TC_DEV float tc__gate_alpha(const tc_gemm_out *o) { return tc_f32_from_bits((uint32_t)o->ldc); }

/* Eight neighbours of a row of both products, in shared memory: addresses of the first four and of the last four, and
 * how many exist from the first on (tc__gate_exist). */
typedef struct tc__gate_eight {
    uint32_t lo, hi;
    uint32_t up; /* bytes from the first product's to the second's */
    tc_gemm_at at;
    int exist;
} tc__gate_eight;

/* To D's elements, where the first product's were. */
TC_DEV void tc__gate_one(tc_gemm_config_in c, const tc_gemm_out *o, const tc__gate_eight *x, const int i)
{
    const uint32_t at = (i < 4 ? x->lo : x->hi) + (uint32_t)(i % 4 * 4);
    const float alpha = tc__gate_alpha(o), gate = alpha * tc__epi_shared(at), up = alpha * tc__epi_shared(at + x->up);
    tc_gemm_at here = x->at;
    here.col += i;
    tc__epi_put_shared(at, c.gate(gate, up, here, o->epi));
}

/* All eight. */
TC_DEV void tc__gate_all(tc_gemm_config_in c, const tc_gemm_out *o, const tc__gate_eight *x)
{
#pragma unroll
    for (int i = 0; i < 8; i++) tc__gate_one(c, o, x, i);
}

/* A loop, so that the hook's code stands here once. */
TC_DEV void tc__gate_some(tc_gemm_config_in c, const tc_gemm_out *o, const tc__gate_eight *x)
{
#pragma unroll 1
    for (int i = 0; i < 8; i++)
        if (i < x->exist) tc__gate_one(c, o, x, i);
}

/* As many elements as exist from `at` on: 8 and more are a whole piece, 0 and less nothing. Not clamped to 0 .. 8, for
 * ptxas 13.0 gets "the clamped number is 8" wrong on sm_90 (docs/design.md). */
TC_DEV int tc__gate_exist(const tc_gemm_out *o, tc_gemm_at at, int end)
{
    return at.row < end ? o->n - at.col : 0;
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* The rules for a call, but that b2 is there. */
TC_HOST tc_status tc__gate_check(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const int size = tc_type_bits(c->b) / 8;
    if (!c->gate && g->b2) return tc__fail(TC_ERR_CONFIG, "b2 is given, but the kernel was generated without .gate");
    if (!c->gate) return TC_OK;
    if (g->beta && *g->beta != 0)
        return tc__fail(TC_ERR_CONFIG, "beta = %g, but the kernel has .gate, and with it no C: leave it null or 0",
                        (double)*g->beta);
    if (g->n > 0x3fff0000)
        return tc__fail(TC_ERR_SIZE, "n = %d is above the limit of %d for two products (.gate)", g->n, 0x3fff0000);
    if (g->k == 0 && g->b2)
        return tc__fail(TC_ERR_SIZE, "k = 0, but b2 is given: a call without products leaves a, b and b2 null");
    if ((uintptr_t)g->b2 % (size_t)size)
        return tc__fail(TC_ERR_ALIGN, "b2 = %p is not a multiple of its element's %d bytes", g->b2, size);
    return TC_OK;
}

/* A call as a mainloop without gates would see it: with B2 for B, of which a map is made; and with the columns of all
 * products, which tiles are cut from. */
TC_HOST tc_gemm_args tc__gate_second(const tc_gemm_args *g)
{
    tc_gemm_args second = *g;
    second.b = g->b2;
    return second;
}
TC_HOST tc_gemm_args tc__gate_all(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_gemm_args all = *g;
    all.n *= tc__gemm_products(*c);
    return all;
}

/* What a kernel is told of it; B2's tensor map follows where one is made (tc_gemm_sm90_fill and its like). */
TC_HOST void tc__gate_to(const tc_gemm_args *g, tc_gemm_out *o)
{
    uint32_t bits;
    memcpy(&bits, &o->alpha, sizeof bits);
    o->c = g->b2, o->ldc = (int64_t)bits, o->stride_c = 0;
    o->alpha = 1.f, o->beta = 0.f;
}

#endif /* host */
#endif /* TC_GEMM_GATE_H */
