/* tc_sums.h - tc 0.2.0 - sums of D: what is kept of a row, of a column, of all of it. Needs: the headers below.
 *
 * .row_sum, .col_sum and .all_sum of a GEMM, whose manual stands above TC_AUX_PRE in tc_gemm_config.h. tc_epi.h and
 * tc_gemm_quant.h make parts of what a tile has, tc_gemm_sums.h adds them up; where they lie and in which order that
 * goes stands above tc__outputs in tc_epi.h.
 *
 *     tc__epi_none, _join, _keep          nothing, two of what is kept, and one element more
 *     tc__kept, tc__kept_*                the same of rows, with a sum beside the largest for TC_LOG_SUM_EXP
 */
#ifndef TC_SUMS_H
#define TC_SUMS_H

#include "tc_core.h"
#include "tc_hooks.h"

/* What of a row of D: its sum, the sum of its squares, its largest absolute value, its largest value, the logarithm of
 * the sum of its exponentials. */
enum { TC_SUM = 1, TC_SUM_SQ = 2, TC_MAX_ABS = 3, TC_MAX = 4, TC_LOG_SUM_EXP = 5 };

/* Beside such a kind as kernels have it: the same is kept of all of D; and of it alone, of no row (or column); some
 * rows are no group's, and each group has columns of its own; parts go to what is written by atomics, in one launch;
 * rows go to other ones of D; matrices have sizes of their own, and all of them places for the most that one has. */
enum { TC__KEEP_ALL = 16, TC__KEEP_NO_LINE = 32, TC__KEEP_SOME = 64, TC__KEEP_ATOMIC = 128, TC__KEEP_SENT = 256 };
enum { TC__KEEP_EACH = 512 };
TC_HD TC_CONSTEXPR int tc__keep_kind(int kept) { return kept & 15; }

#ifdef __CUDACC__

/* No branch, which would serialise wgmma. */
TC_DEV float tc__epi_either(int first, float x, float y)
{
    float r;
    asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\tselp.f32 %0, %2, %3, p;\n\t}"
        : "=f"(r) : "r"(first), "f"(x), "f"(y));
    return r;
}

/* The larger of two; NaN stays, 0 is larger than -0. */
TC_DEV float tc__epi_larger(float a, float b)
{
#if TC_HAS_SM80
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
#else
    return a != a || b != b ? tc_f32_from_bits(0x7fffffffu) : fmaxf(a, b);
#endif
}

/* What is kept of no element. */
TC_DEV float tc__epi_none(const int kept) { return tc__keep_kind(kept) >= TC_MAX ? -TC__INF : 0.f; }

/* Two of what is kept as one. Absolute values are ordered as their bits are, NaN last: it stays. */
TC_DEV float tc__epi_join(const int kept, float a, float b)
{
    const int kind = tc__keep_kind(kept);
    const uint32_t x = tc_bits_from_f32(a), y = tc_bits_from_f32(b);
    if (kind == TC_MAX) return tc__epi_larger(a, b);
    return kind == TC_MAX_ABS ? tc_f32_from_bits(x > y ? x : y) : a + b;
}

/* And an element of D with what is kept of those before it. */
TC_DEV float tc__epi_keep(const int what, float kept, float x)
{
    const int kind = tc__keep_kind(what);
    if (kind == TC_SUM_SQ) return fmaf(x, x, kept);
    return tc__epi_join(kind, kept, kind == TC_MAX_ABS ? tc_f32_from_bits(tc_bits_from_f32(x) & 0x7fffffffu) : x);
}

/* The larger of most and |x|; NaN stays. */
TC_DEV_SM80 float tc__epi_most(float most, float x)
{
    float r;
    asm("{\n\t.reg .f32 size;\n\tabs.f32 size, %2;\n\tmax.NaN.f32 %0, %1, size;\n\t}" : "=f"(r) : "f"(most), "f"(x));
    return r;
}

/* What is kept of a row; with TC_LOG_SUM_EXP x is its largest value and sum that of exp(value - x), else it is nothing.
 * Where x is infinite the sum is of exp(value): 0 of -inf alone, inf of what holds inf. */
typedef struct tc__kept {
    float x, sum;
} tc__kept;

TC_DEV int tc__kept_exp(const int kind) { return tc__keep_kind(kind) == TC_LOG_SUM_EXP; }
TC_DEV tc__kept tc__kept_none(const int kind)
{
    const tc__kept k = {tc__epi_none(kind), 0.f};
    return k;
}

/* exp(x - base), and what base is. */
TC_DEV float tc__kept_base(float most) { return tc__epi_either(fabsf(most) == TC__INF, 0.f, most); }
TC_DEV float tc__kept_share(float x, float base) { return tc__exp2((x - base) * 1.4426950408889634f); }

TC_DEV tc__kept tc__kept_join(const int kind, tc__kept a, tc__kept b)
{
    tc__kept k = {0.f, 0.f};
    if (!tc__kept_exp(kind)) {
        k.x = tc__epi_join(kind, a.x, b.x);
        return k;
    }
    k.x = tc__epi_larger(a.x, b.x);
    const float base = tc__kept_base(k.x);
    k.sum = fmaf(a.sum, tc__kept_share(a.x, base), b.sum * tc__kept_share(b.x, base));
    return k;
}
TC_DEV tc__kept tc__kept_shuffled(const int kind, tc__kept a, const int bit)
{
    const tc__kept b = {__shfl_xor_sync(0xffffffffu, a.x, bit),
                        tc__kept_exp(kind) ? __shfl_xor_sync(0xffffffffu, a.sum, bit) : 0.f};
    return tc__kept_join(kind, a, b);
}

/* And `count` elements. */
TC_DEV tc__kept tc__kept_exps(tc__kept kept, const float *v, const int count)
{
    tc__kept k = kept;
#pragma unroll
    for (int i = 0; i < count; i++) k.x = tc__epi_larger(k.x, v[i]);
    const float base = tc__kept_base(k.x);
    k.sum *= tc__kept_share(kept.x, base);
#pragma unroll
    for (int i = 0; i < count; i++) k.sum += tc__kept_share(v[i], base);
    return k;
}
TC_DEV tc__kept tc__kept_keep(const int kind, tc__kept kept, const float *v, const int count)
{
    if (tc__kept_exp(kind)) return tc__kept_exps(kept, v, count);
#pragma unroll
    for (int i = 0; i < count; i++) kept.x = tc__epi_keep(kind, kept.x, v[i]);
    return kept;
}

/* What a row comes to. */
TC_DEV float tc__kept_end(const int kind, tc__kept k)
{
    if (!tc__kept_exp(kind) || fabsf(k.x) == TC__INF) return k.x;
    return fmaf(TC__LN2, tc__log2(k.sum), k.x);
}

/* A store under a predicate: no branch, at which ptxas would stop moving the hook's instructions. */
TC_DEV void tc__epi_put_if(int yes, float *to, float x)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %0, 0;\n\t@p st.global.f32 [%1], %2;\n\t}"
                 : : "r"(yes), "l"(__cvta_generic_to_global(to)), "f"(x) : "memory");
}

/* Atomically to what lies there. Bits of floats that are not negative are ordered as signed integers, of those that are
 * as unsigned ones, the other way round; NaN, which is positive here, is above all. */
TC_DEV void tc__epi_red_if(const int what, int yes, float *to, float x)
{
    const int kind = tc__keep_kind(what);
    const uint64_t at = __cvta_generic_to_global(to);
    const uint32_t bits = tc_bits_from_f32(x);
    if (kind == TC_MAX) {
        asm volatile("{\n\t.reg .pred p, q, r;\n\tsetp.ne.s32 p, %0, 0;\n\tsetp.ge.and.s32 q, %2, 0, p;\n\t"
                     "setp.lt.and.s32 r, %2, 0, p;\n\t@q red.global.max.s32 [%1], %2;\n\t"
                     "@r red.global.min.u32 [%1], %2;\n\t}" : : "r"(yes), "l"(at), "r"(bits) : "memory");
    } else if (kind == TC_MAX_ABS) {
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %0, 0;\n\t@p red.global.max.u32 [%1], %2;\n\t}"
                     : : "r"(yes), "l"(at), "r"(bits) : "memory");
    } else {
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %0, 0;\n\t@p red.global.add.f32 [%1], %2;\n\t}"
                     : : "r"(yes), "l"(at), "f"(x) : "memory");
    }
}

/* Lines of D by 32 in the second launch, and where what is kept of each such 32 lies, the counter behind them. */
TC_DEV long long tc__epi_units(int count, int batch)
{
    return (long long)(count / 32 + (count % 32 != 0)) * batch;
}
TC_DEV float *tc__epi_totals(float *parts, int count, int across, int batch)
{
    return parts + (long long)batch * across * count;
}
TC_DEV float *tc__epi_counter(float *parts, int count, int across, int batch)
{
    return tc__epi_totals(parts, count, across, batch) + tc__epi_units(count, batch);
}

/* tc__epi_keep of a tile's sums in registers: where nvcc makes integers of them for TC_MAX_ABS, ptxas serialises
 * wgmma. */
TC_DEV_SM80 float tc__epi_keep_sum(const int kind, float kept, float x)
{
    return tc__keep_kind(kind) == TC_MAX_ABS ? tc__epi_most(kept, x) : tc__epi_keep(kind, kept, x);
}

/* What is kept of `count` rows before their first element. */
TC_DEV void tc__epi_no_rows(const int kind, const int count, tc__kept *rows)
{
#pragma unroll
    for (int i = 0; i < count; i++) rows[i] = tc__kept_none(kind);
}

#endif /* __CUDACC__ */
#endif /* TC_SUMS_H */
