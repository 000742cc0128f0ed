/* tc_gemm_f32.h - tc 0.2.0 - products of f32 that keep f32's precision, by the Tensor Cores' tf32: what the mainloops
 * share. Needs: tc_core.h.
 *
 * An element x is cut into hi, the nearest tf32 (or where it says so x cut off, which the hardware does by itself), and
 * lo = x - hi, which is exact; of lo the Tensor Cores read 11 bits. Then
 *
 *     a * b = lo(a) * hi(b) + hi(a) * lo(b) + hi(a) * hi(b)        and lo(a) * lo(b), 2^-22 of it, is left out
 *
 * in three products of tf32. Three parts of bf16 take six products at twice the rate, which is the same time, twice as
 * many parts to make and half as much again to write to shared memory; parts of f16 have no exponents for it.
 *
 * SUMS. The Tensor Cores cut their sums off, and a bit is lost towards zero at each instruction. So a short run of k (8
 * by mma.sync, 16 by wgmma) begins with zeros, adds its small products first, while nothing large is there to cut
 * them off, then the large ones, and is added to sums in f32, rounded to the nearest.
 *
 * WHAT IS NOT FINITE. hi of an infinity less itself is NaN, and so is an infinity times a lo of 0; an element close to
 * the largest may be rounded up to infinity. Any of them makes the sum not finite, and no sum is finite that should not
 * be: sums that are not finite are computed anew, one after the other as f32 (tc_f32_mend). That takes its time, which
 * sums that are finite do not pay for.
 *
 * WHAT IS TINY. Elements below 2^-112 lose bits of their lo: 2^-137 of them, absolutely, at most.
 *
 *     tc_f32_hi, tc_f32_cut, tc_f32_lo     the parts of an element
 *     tc_f32_lines, tc_f32_dot             rows of A and columns of B in memory; one sum
 *     tc_f32_finite, tc_f32_mend           are all sums finite; those that are not, anew
 */
#ifndef TC_GEMM_F32_H
#define TC_GEMM_F32_H

#include "tc_core.h"

#ifdef __CUDACC__

/* x as a tf32, in bits: the nearest, half away from zero; cut off. */
TC_DEV uint32_t tc_f32_hi(uint32_t x) { return (x + 0x1000u) & 0xffffe000u; }
TC_DEV uint32_t tc_f32_cut(uint32_t x) { return x & 0xffffe000u; }

/* What is left, also where a program is compiled to flush denormal numbers. */
TC_DEV uint32_t tc_f32_lo(uint32_t x, uint32_t hi)
{
    float lo;
    asm("sub.rn.f32 %0, %1, %2;" : "=f"(lo) : "f"(tc_f32_from_bits(x)), "f"(tc_f32_from_bits(hi)));
    return tc_bits_from_f32(lo);
}

TC_DEV float tc__f32_fma(float a, float b, float c)
{
    float d;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
    return d;
}

/* Both operands of a matrix of D, in rows of k elements, from its first row and column on: how many there are, and how
 * far apart. a_row: A's rows are looked up there, of a_rows. */
typedef struct tc_f32_lines {
    const float *a, *b;
    long long lda, ldb;
    int m, n, k, a_rows;
    const int32_t *a_row;
} tc_f32_lines;

/* One sum, as f32 has it: inf stays, and NaN ends it. A place that D does not have: 0. */
TC_DEV float tc_f32_dot(const tc_f32_lines *l, int row, int col)
{
    const int at = l->a_row && row < l->m ? l->a_row[row] : row;
    const float *a = l->a + at * l->lda, *b = l->b + col * l->ldb;
    float sum = 0.f;
    if (row >= l->m || col >= l->n || (l->a_row && (uint32_t)at >= (uint32_t)l->a_rows)) return 0.f;
#pragma unroll 1
    for (int i = 0; i < l->k && sum == sum; i++) sum = tc__f32_fma(a[i], b[i], sum);
    return sum;
}

TC_DEV int tc_f32_finite(const float *sums, const int count)
{
    float zero = 0.f;
#pragma unroll
    for (int e = 0; e < count; e++) zero = tc__f32_fma(sums[e], 0.f, zero);
    return zero == 0.f;
}

/* Sums of a fragment: 16 rows of `across` columns each, `down` of them, `apart` rows from one to the next, from the
 * lane's first row and column on. */
typedef struct tc_f32_fragment {
    int row, col, down, across, apart;
} tc_f32_fragment;

/* Where f is the lane's: rows of 16 are its row and the eighth behind it, columns of 8 two neighbours. count: sums of
 * the lane, a constant. Rare, so that it is small before it is fast: one sum at a time, told apart from all others. */
TC_DEV void tc_f32_mend(const tc_f32_lines *l, const tc_f32_fragment f, float *sums, const int count)
{
    if (tc_f32_finite(sums, count)) return;
#pragma unroll 1
    for (int e = 0; e < count; e++) {
        const int block = e / (f.across / 2), in = e % (f.across / 2);
        float x = 0.f;
#pragma unroll
        for (int i = 0; i < count; i++) x = i == e ? sums[i] : x;
        if (tc__f32_fma(x, 0.f, 0.f) == 0.f) continue;
        x = tc_f32_dot(l, f.row + block * f.apart + in % 4 / 2 * 8, f.col + in / 4 * 8 + in % 2);
#pragma unroll
        for (int i = 0; i < count; i++) sums[i] = i == e ? x : sums[i];
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_F32_H */
