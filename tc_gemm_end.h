/* tc_gemm_end.h - tc 0.2.0 - what the ends of a tile share on Hopper and Blackwell: hook, and what is kept.
 * Needs: tc_gemm_config.h.
 *
 *     tc__gemm_visit          second output, hook, sums of rows and columns of a fragment that lies in D
 *     tc__gemm_get_place      16 x 16 values from shared memory back to a fragment
 */
#ifndef TC_GEMM_END_H
#define TC_GEMM_END_H

#include "tc_gemm_config.h"

#ifdef __CUDACC__

/* Values of a fragment, all of them in D, and the first one's place. */
typedef struct tc__gemm_kept {
    float *v;
    tc_gemm_at first;
    int count;
} tc__gemm_kept;

/* What is kept of them. Where D is quantised the values come from shared memory too: of registers of sums that meet so,
 * nvcc would make integers for TC_MAX_ABS, and ptxas serialise wgmma. */
TC_DEV_SM80 void tc__gemm_keep(tc_gemm_config_in c, const tc_gemm_out *o, const tc__gemm_kept x)
{
    const int step = tc__gemm_quantised(c) ? 8 : x.count;
#pragma unroll
    for (int j = 0; j < x.count; j += step) {
        const float *v = x.v + j;
        tc__quant_rows from = {x.first, 0};
        float copy[8];
        from.first.col += j * 2;
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (tc__gemm_quantised(c)) asm("mov.f32 %0, %1;" : "=f"(copy[i]) : "f"(v[i]));
        if (tc__gemm_quantised(c)) v = copy;
        if (c.row_sum) tc__epi_fragment_parts(tc__gemm_epi(c), o, v, step, from.first);
        if (c.col_sum) tc__col_fragment(c.col_sum, o, v, from, step);
    }
}

/* The second output of them, the hook, and what is kept. */
TC_DEV_SM80 void tc__gemm_visit(tc_gemm_config_in c, const tc_gemm_out *o, const tc__gemm_kept x)
{
    const int lane = tc_lane(), count = x.count;
    const tc_gemm_at first = x.first, at = {first.row, first.col, first.batch, 0};
    float *v = x.v;
    if (c.aux) tc__epi_fragment_aux(tc__gemm_epi(c), o, v, count, at);
#pragma unroll
    for (int j = 0; j < count; j += 2) {
        const tc_gemm_at here = {first.row + lane / 4 + j / 2 % 2 * 8, first.col + lane % 4 * 2 + j / 4 * 8,
                                 first.batch, first.group};
        tc__epi_hook(tc__gemm_epi(c), o, v + j, here);
    }
    tc__gemm_keep(c, o, x);
}

/* A place back to a fragment's 16 columns (8 registers). */
TC_DEV void tc__gemm_get_place(uint32_t place, float *v)
{
    const uint32_t lane = (uint32_t)tc_lane(), g = lane / 4u, q = lane % 4u;
#pragma unroll
    for (uint32_t j = 0; j < 8u; j += 2u) {
        const uint32_t row = g + j / 2u % 2u * 8u, col = 2u * q + j / 4u * 8u;
        asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                     : "=f"(v[j]), "=f"(v[j + 1u]) : "r"(place + tc_swizzle(64, row * 64u + col * 4u)) : "memory");
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_END_H */
