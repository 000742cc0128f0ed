/* tc_gemm_end.h - tc 0.2.0 - what the ends of a tile share on Hopper and Blackwell: hook, and what is kept.
 * Needs: tc_gemm_config.h.
 *
 *     tc__gemm_visit          second output, hook, sums of rows and columns of a fragment that lies in D
 *     tc__gemm_get_place      16 x 16 values from shared memory back to a fragment
 *     tc__gemm_add_parts      sums of a tile whose k is split
 */
#ifndef TC_GEMM_END_H
#define TC_GEMM_END_H

#include "tc_epi_c.h"
#include "tc_gemm_config.h"
#include "tc_pipe.h"
#include "tc_split.h"

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * The second output of a fragment.
 */
/* Of `count` values of a fragment (16 columns are 8 of them), before the hook. Two lanes exchange pairs, so that each
 * has four neighbours of a row, and a row's 16 columns are written at once. at: the fragment's first element. */
TC_DEV_SM80 void tc__gemm_aux_rows(const tc_epi e, const tc_gemm_out *o, const float *v, const int count,
                                   tc_gemm_at at)
{
    const int lane = tc_lane(), odd = lane % 2;
#pragma unroll
    for (int j = 0; j < count; j += 8) {
#pragma unroll
        for (int h = 0; h < 4; h += 2) {
            const float *near = v + j + h, *far = near + 4; /* of the first eight columns, of the last */
            const float x = __shfl_xor_sync(0xffffffffu, tc__epi_either(odd, near[0], far[0]), 1);
            const float y = __shfl_xor_sync(0xffffffffu, tc__epi_either(odd, near[1], far[1]), 1);
            const float four[4] = {tc__epi_either(odd, x, near[0]), tc__epi_either(odd, y, near[1]),
                                   tc__epi_either(odd, far[0], x), tc__epi_either(odd, far[1], y)};
            tc_gemm_at here = at;
            here.row += lane / 4 + h * 4;
            here.col += j * 2 + odd * 8 + lane % 4 / 2 * 4;
            tc__epi_aux(e, o, four, 4, here);
        }
    }
}

/* Of two words of a lane and two of its partner's, each keeps one and sends one: the upper lane its first. */
TC_DEV void tc__gemm_swap_words(uint32_t *a, uint32_t *b, int upper, int lanes)
{
    const uint32_t got = __shfl_xor_sync(0xffffffffu, upper ? *a : *b, lanes);
    *a = upper ? got : *a;
    *b = upper ? *b : got;
}

/* The same of their parts of one or two bytes: of each word the even ones, or the odd ones. */
TC_DEV void tc__gemm_swap_parts(const int bytes, uint32_t *a, uint32_t *b, int upper, int lanes)
{
    const uint32_t even = bytes == 2 ? 0x5410u : 0x6420u, odd = bytes == 2 ? 0x7632u : 0x7531u;
    const uint32_t got = __shfl_xor_sync(0xffffffffu, __byte_perm(*a, *b, upper ? even : odd), lanes);
    const uint32_t keep_a = bytes == 2 ? 0x5410u : 0x5240u, take_a = bytes == 2 ? 0x3254u : 0x3514u;
    const uint32_t keep_b = bytes == 2 ? 0x7610u : 0x7260u, take_b = bytes == 2 ? 0x3276u : 0x3716u;
    *a = __byte_perm(*a, got, upper ? take_a : keep_a);
    *b = __byte_perm(*b, got, upper ? take_b : keep_b);
}

/* Eight neighbours of a line of the second output, in words as they lie in memory. */
TC_DEV void tc__gemm_put_eight(const tc_epi e, const tc_gemm_out *o, const uint32_t *w, tc_gemm_at at)
{
    const tc__outputs *to = tc__epi_outputs(o);
    const int size = tc_type_bits(e.aux) / 8;
    char *p = (char *)to->aux + tc__epi_aux_at(e, to, at) * size;
    if (!to->aux_vec) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (size == 4) ((uint32_t *)p)[i] = w[i];
            else if (size == 2) ((uint16_t *)p)[i] = (uint16_t)(w[i / 2] >> i % 2 * 16);
            else ((uint8_t *)p)[i] = (uint8_t)(w[i / 4] >> i % 4 * 8);
        }
    } else if (size == 1) {
        *(uint2 *)p = make_uint2(w[0], w[1]);
    } else {
#pragma unroll
        for (int i = 0; i < size * 2; i += 4) *(uint4 *)(p + i * 4) = make_uint4(w[i], w[i + 1], w[i + 2], w[i + 3]);
    }
}

/* Value i of a fragment's 16 columns: number 4c + 2h + p is of their half c, of the rows' half h, of the even or odd
 * column p. */
TC_DEV float tc__gemm_aux_value(const tc_epi e, const tc_gemm_out *o, const float *v, const int i, tc_gemm_at at)
{
    const int lane = tc_lane();
    at.row += lane / 4 + i / 2 % 2 * 8;
    at.col += lane % 4 * 2 + i / 4 * 8 + i % 2;
    return tc__epi_aux_of(e, o, v[i], at);
}

/* The same of e4m3 and e5m2, which are exchanged once they are bytes: each of four lanes then has eight neighbours. */
TC_DEV_SM80 void tc__gemm_aux_bytes(const tc_epi e, const tc_gemm_out *o, const float *v, const int count,
                                    tc_gemm_at at)
{
#pragma unroll
    for (int j = 0; j < count; j += 8) {
        const int lane = tc_opaque(tc_lane());
        tc_gemm_at here = at;
        float x[8];
        uint32_t w[2], of[2];
        here.col += j * 2;
#pragma unroll
        for (int i = 0; i < 8; i++) x[i] = tc__gemm_aux_value(e, o, v + j, i, here);
        w[0] = tc__epi_bytes(e.aux, x), w[1] = tc__epi_bytes(e.aux, x + 4);
        tc__gemm_swap_words(w, w + 1, lane & 1, 1);
        tc__gemm_swap_parts(2, w, w + 1, lane & 2, 2);
        of[0] = __byte_perm(w[0], w[1], 0x5410u), of[1] = __byte_perm(w[0], w[1], 0x7632u);
        here.row += lane / 4 + lane / 2 % 2 * 8;
        here.col += lane % 2 * 8;
        tc__gemm_put_eight(e, o, of, here);
    }
}

/* The same where its lines are columns. The eight lanes of two columns of each half exchange: then each has eight rows
 * of one column. */
TC_DEV_SM80 void tc__gemm_aux_columns(const tc_epi e, const tc_gemm_out *o, const float *v, const int count,
                                      tc_gemm_at at)
{
    const int size = tc_type_bits(e.aux) / 8, words = 2 * size;
#pragma unroll
    for (int j = 0; j < count; j += 8) {
        const int lane = tc_opaque(tc_lane()), g = lane / 4; /* what follows from it is not kept in registers */
        tc_gemm_at here = at;
        float x[8];
        uint32_t w[8];
        here.col += j * 2;
#pragma unroll
        for (int i = 0; i < 8; i++) x[i] = tc__gemm_aux_value(e, o, v + j, i, here);
#pragma unroll
        for (int k = 0; k < words; k++)
            w[k] = size == 4 ? tc_bits_from_f32(x[k])
                 : size == 2 ? tc_pack(e.aux, x[2 * k % 8], x[2 * k % 8 + 1]) : tc__epi_bytes(e.aux, x + k % 2 * 4);
#pragma unroll
        for (int bit = 4; bit > 0; bit /= 2) {
            const int apart = bit * size / 4; /* words; 0: parts of a word */
#pragma unroll
            for (int k = 0; k < words; k++) {
                if (apart && !(k & apart)) tc__gemm_swap_words(w + k, w + k + apart, g & bit, 4 * bit);
                if (!apart && k % 2 == 0) tc__gemm_swap_parts(bit * size, w + k, w + k + 1, g & bit, 4 * bit);
            }
        }
        here.row += g / 2 % 2 * 8;
        here.col += g / 4 * 8 + lane % 4 * 2 + g % 2;
        tc__gemm_put_eight(e, o, w, here);
    }
}

/* A byte under a predicate, as tc__epi_put_if. */
TC_DEV void tc__gemm_put_byte_if(int yes, uint8_t *to, uint32_t x)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %0, 0;\n\t@p st.global.u8 [%1], %2;\n\t}"
                 : : "r"(yes), "l"(__cvta_generic_to_global(to)), "r"(x) : "memory");
}

/* The same of TC_B1: the four lanes of a row join 32 columns' bits, and write a byte each. */
TC_DEV_SM80 void tc__gemm_aux_bits(const tc_epi e, const tc_gemm_out *o, const float *v, const int count,
                                   tc_gemm_at at)
{
    const int lane = tc_lane(), q = lane % 4;
#pragma unroll
    for (int j = 0; j < count; j += 16) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            tc_gemm_at row = at;
            uint32_t bits = 0;
            row.row += lane / 4 + h * 8, row.col += j * 2;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                tc_gemm_at here = row;
                if (j + i / 2 * 4 >= count) continue;
                here.col += i / 2 * 8 + q * 2 + i % 2;
                const float x = tc__epi_aux_of(e, o, v[j + i / 2 * 4 + h * 2 + i % 2], here);
                bits |= (uint32_t)tc_b1_from_f32(x) << (i / 2 * 8 + i % 2);
            }
            bits <<= 2 * q;
            bits |= __shfl_xor_sync(0xffffffffu, bits, 1);
            bits |= __shfl_xor_sync(0xffffffffu, bits, 2);
            tc__gemm_put_byte_if(j + q * 4 < count, tc__epi_aux_byte(e, o, row) + q, bits >> 8 * q);
        }
    }
}

TC_DEV_SM80 void tc__gemm_aux(const tc_epi e, const tc_gemm_out *o, const float *v, const int count, tc_gemm_at at)
{
    if (e.aux == TC_B1) tc__gemm_aux_bits(e, o, v, count, at);
    else if (e.aux_across) tc__gemm_aux_columns(e, o, v, count, at);
    else if (e.aux == TC_E4M3 || e.aux == TC_E5M2) tc__gemm_aux_bytes(e, o, v, count, at);
    else tc__gemm_aux_rows(e, o, v, count, at);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * All that is done with one.
 */
/* Values of a fragment, all of them in D, and the first one's place. */
typedef struct tc__gemm_kept {
    float *v;
    tc_gemm_at first;
    int count;
    tc__kept *rows; /* what is kept of a lane's two rows of the tile so far, or null: its parts have 16 columns */
    int some, end;  /* some, a constant: not all of them need lie in D, whose rows end before this one */
    float *columns; /* what is kept of a lane's columns so far, or null: their parts have 16 rows */
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
        if (tc__gemm_col_kind(c) && x.columns) tc__col_two_rows(tc__gemm_col_kind(c), x.columns + j / 2, v, step);
        else if (tc__gemm_col_kind(c)) tc__col_fragment(tc__gemm_col_kind(c), o, v, from, step);
    }
}

/* The second output of them, the hook, and what is kept. */
TC_DEV_SM80 void tc__gemm_visit(tc_gemm_config_in c, const tc_gemm_out *o, const tc__gemm_kept x)
{
    const int lane = tc_lane(), count = x.count;
    const tc_gemm_at first = x.first, at = {first.row, first.col, first.batch, 0};
    float *v = x.v;
    if (c.aux) tc__gemm_aux(tc__gemm_epi(c), o, v, count, at);
#pragma unroll
    for (int j = 0; j < count; j += 2) {
        tc_gemm_at here = {first.row + lane / 4 + j / 2 % 2 * 8, first.col + lane % 4 * 2 + j / 4 * 8,
                           first.batch, first.group};
        if (x.some && c.epi_pure) here.row = min(here.row, x.end - 1), here.col = min(here.col, o->n - 2);
        /* a branch for each: one for all of a row, or for whole boxes, is slower */
        if (!x.some || c.epi_pure || (here.row < x.end && here.col < o->n))
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
