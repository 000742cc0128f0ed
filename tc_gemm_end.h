/* tc_gemm_end.h - tc 0.2.0 - what the ends of a tile share on Hopper and Blackwell: hook, and what is kept.
 * Needs: tc_gemm_config.h.
 *
 *     tc__gemm_visit          second output, hook, sums of rows and columns of a fragment that lies in D
 *     tc__gemm_get_place      16 x 16 values from shared memory back to a fragment
 *     tc__gemm_add_parts      sums of a tile whose k is split
 */
#ifndef TC_GEMM_END_H
#define TC_GEMM_END_H

#include "tc_gemm_config.h"
#include "tc_split.h"

#ifdef __CUDACC__

/* Values of a fragment, all of them in D, and the first one's place. */
typedef struct tc__gemm_kept {
    float *v;
    tc_gemm_at first;
    int count;
    tc__kept *rows; /* what is kept of a lane's two rows of the tile so far, or null: its parts have 16 columns */
} tc__gemm_kept;

/* What is kept of them. Where D is quantised the values come from shared memory too: of registers of sums that meet so,
 * nvcc would make integers for TC_MAX_ABS, and ptxas serialise wgmma. */
TC_DEV_SM80 void tc__gemm_keep(tc_gemm_config_in c, const tc_gemm_out *o, const tc__gemm_kept x)
{
    const int step = tc__gemm_quantised(c) ? 8 : x.count;
#pragma unroll
    for (int j = 0; j < x.count; j += step) {
        const float *v = x.v + j;
        tc__quant_rows from = {x.first, 0, 0};
        float copy[8];
        from.first.col += j * 2;
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (tc__gemm_quantised(c)) asm("mov.f32 %0, %1;" : "=f"(copy[i]) : "f"(v[i]));
        if (tc__gemm_quantised(c)) v = copy;
        if (tc__gemm_row_kind(c) && x.rows) tc__epi_fragment_rows(tc__gemm_epi(c), v, step, x.rows);
        else if (tc__gemm_row_kind(c)) tc__epi_fragment_parts(tc__gemm_epi(c), o, v, step, from.first);
        if (tc__gemm_col_kind(c)) tc__col_fragment(tc__gemm_col_kind(c), o, v, from, step);
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

/* ---------------------------------------------------------------------------------------------------------------------
 * Sums of a tile whose k is split (tc_split.h), in the workspace: part after part, in each place after place of 16 x
 * 16, in each the lanes' first four registers, then their last four.
 */
/* __stcg of four floats, which clang does not have. */
TC_DEV_SM80 void tc__gemm_leave(float4 *to, const float *v)
{
    asm("st.global.cg.v4.f32 [%0], {%1, %2, %3, %4};" : : "l"(to), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3])
        : "memory");
}

/* A lane's of one place: those of the first part, pieces of four from a part to the next. */
typedef struct tc__gemm_parts {
    const float4 *first;
    size_t each;
    const tc_gemm_split *split;
} tc__gemm_parts;

/* Sums of integers that the epilogue takes as they are, are bits. */
TC_DEV float tc__gemm_plus1(tc_gemm_config_in c, float a, float b)
{
    if (tc__gemm_raw(c)) return tc_f32_from_bits(tc_bits_from_f32(a) + tc_bits_from_f32(b));
    return a + b;
}

TC_DEV float4 tc__gemm_plus(tc_gemm_config_in c, float4 a, float4 b)
{
    return make_float4(tc__gemm_plus1(c, a.x, b.x), tc__gemm_plus1(c, a.y, b.y), tc__gemm_plus1(c, a.z, b.z),
                       tc__gemm_plus1(c, a.w, b.w));
}

/* All parts of them added up in the order of k. at_once, at most 8: on their way before the first is added. */
TC_DEV_SM80 void tc__gemm_add_parts(const int at_once, tc_gemm_config_in c, const tc__gemm_parts *from, float *v)
{
    float4 x = make_float4(0.f, 0.f, 0.f, 0.f), y = x;
    for (uint32_t i = 0; i < from->split->parts; i += (uint32_t)at_once) {
        float4 a[8], b[8];
#pragma unroll
        for (int j = 0; j < at_once; j++) {
            a[j] = b[j] = make_float4(0.f, 0.f, 0.f, 0.f);
            if (i + (uint32_t)j < from->split->parts)
                a[j] = __ldcg(from->first + (i + (uint32_t)j) * from->each),
                b[j] = __ldcg(from->first + (i + (uint32_t)j) * from->each + 32);
        }
#pragma unroll
        for (int j = 0; j < at_once; j++) x = tc__gemm_plus(c, x, a[j]), y = tc__gemm_plus(c, y, b[j]);
    }
    v[0] = x.x, v[1] = x.y, v[2] = x.z, v[3] = x.w;
    v[4] = y.x, v[5] = y.y, v[6] = y.z, v[7] = y.w;
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_END_H */
