/* tc_sums.h - tc 0.2.0 - sums of D: what is kept of a row, of a column, of all of it; the launch that adds up parts.
 * Needs: the headers below.
 *
 * .row_sum, .col_sum and .all_sum of a GEMM, whose manual stands above TC_AUX_PRE in tc_gemm_config.h. tc_epi.h and
 * tc_gemm_quant.h make parts of what a tile has; where they lie and in which order they are added up stands above
 * tc__outputs in tc_epi.h.
 *
 *     tc__epi_none, _join, _keep          nothing, two of what is kept, and one element more
 *     tc__kept, tc__kept_*                the same of rows, with a sum beside the largest for TC_LOG_SUM_EXP
 *     tc__epi_finish_lines                the second launch
 */
#ifndef TC_SUMS_H
#define TC_SUMS_H

#include "tc_core.h"
#include "tc_hooks.h"

/* What of a row of D: its sum, the sum of its squares, its largest absolute value, its largest value, the logarithm of
 * the sum of its exponentials. */
enum { TC_SUM = 1, TC_SUM_SQ = 2, TC_MAX_ABS = 3, TC_MAX = 4, TC_LOG_SUM_EXP = 5 };

/* Beside such a kind as kernels have it: the same is kept of all of D; and of it alone, of no row (or column); some
 * rows are no group's; parts go to what is written by atomics, in one launch. */
enum { TC__KEEP_ALL = 16, TC__KEEP_NO_LINE = 32, TC__KEEP_SOME = 64, TC__KEEP_ATOMIC = 128 };
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

/* ---------------------------------------------------------------------------------------------------------------------
 * The second launch.
 */
/* TC__KEEP_SOME: there are rows from *first (null: from 0) on up to *end, or up to end[i] of matrix i. */
typedef struct tc__epi_some {
    const int32_t *first, *end;
    int each;
} tc__epi_some;

/* Parts of rows (or of columns) that the second launch adds up: of each matrix `across` times `count` of them. */
typedef struct tc__epi_lines {
    float *parts, *out; /* out: count of each matrix */
    float *all;         /* one float */
    int count, across, batch;
    int each; /* of neighbouring parts the first is there */
    tc__epi_some some;
} tc__epi_lines;

/* Is it none of those? */
TC_DEV int tc__epi_no_row(const tc__epi_some *s, long long matrix, int row)
{
    return row < (s->first ? *s->first : 0) || row >= s->end[s->each ? matrix : 0];
}

enum { TC__EPI_AT_ONCE = 24 }; /* parts on their way before the first is added */

/* What 32 lanes have kept, as one. */
TC_DEV_SM75 float tc__epi_join_lanes(const int kind, float kept)
{
#pragma unroll
    for (int bit = 1; bit < 32; bit *= 2) kept = tc__epi_join(kind, kept, __shfl_xor_sync(0xffffffffu, kept, bit));
    return kept;
}

/* Of all of D, by the block that is the last to come here. For its first warp, whose first lane has left the sums. */
TC_DEV_SM75 void tc__epi_finish_all(const int kind, const tc__epi_lines *w)
{
    const float *totals = tc__epi_totals(w->parts, w->count, w->across, w->batch);
    uint32_t *counter = (uint32_t *)tc__epi_counter(w->parts, w->count, w->across, w->batch);
    float kept = tc__epi_none(kind);
    int last = 0;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(counter, 1u) == gridDim.x - 1u;
        __threadfence();
    }
    if (!__shfl_sync(0xffffffffu, last, 0)) return;
#pragma unroll 4
    for (long long i = threadIdx.x; i < tc__epi_units(w->count, w->batch); i += 32)
        kept = tc__epi_join(kind, kept, __ldcg(totals + i));
    kept = tc__epi_join_lanes(kind, kept);
    if (threadIdx.x == 0) *w->all = kept;
}

/* The second launch: rows by 32, a lane each. For all threads of a block, of whole warps. */
TC_DEV_SM75 void tc__epi_finish_lines(const int kind, const tc__epi_lines *w)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    float *runs = (float *)tc__dynamic_smem;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    const int all = (w->across + w->each - 1) / w->each, each = (all + warps - 1) / warps;
    const int down = (int)tc__epi_units(w->count, 1);
    const int from = warp * each, to = from + each < all ? from + each : all;
    const long long apart = (long long)w->each * w->count, sums = (long long)w->batch * w->across * w->count;
    for (long long unit = blockIdx.x; unit < (long long)down * w->batch; unit += gridDim.x) {
        const long long matrix = unit / down;
        const int row = (int)(unit % down) * 32 + lane;
        const int out = kind & TC__KEEP_SOME ? tc__epi_no_row(&w->some, matrix, row) : 0;
        const float *part = w->parts + (matrix * w->across + (long long)from * w->each) * w->count + row;
        tc__kept kept = tc__kept_none(kind);
#pragma unroll 1
        for (int i = from; i < to; i += TC__EPI_AT_ONCE) {
            tc__kept x[TC__EPI_AT_ONCE];
#pragma unroll
            for (int j = 0; j < TC__EPI_AT_ONCE; j++, part += apart) {
                const int is = row < w->count && i + j < to && !out;
                x[j].x = is ? __ldcg(part) : tc__epi_none(kind);
                x[j].sum = tc__kept_exp(kind) && is ? __ldcg(part + sums) : 0.f;
            }
#pragma unroll
            for (int j = 0; j < TC__EPI_AT_ONCE; j++) kept = tc__kept_join(kind, kept, x[j]);
        }
        runs[warp * 32 + lane] = kept.x;
        if (tc__kept_exp(kind)) runs[(warps + warp) * 32 + lane] = kept.sum;
        __syncthreads();
        if (warp == 0 && row < w->count && !out) {
            kept.x = runs[lane];
            if (tc__kept_exp(kind)) kept.sum = runs[warps * 32 + lane];
            for (int i = 1; i < warps; i++) {
                const tc__kept run = {runs[i * 32 + lane],
                                      tc__kept_exp(kind) ? runs[(warps + i) * 32 + lane] : 0.f};
                kept = tc__kept_join(kind, kept, run);
            }
            if (!(kind & TC__KEEP_NO_LINE)) w->out[matrix * w->count + row] = tc__kept_end(kind, kept);
        }
        if ((kind & TC__KEEP_ALL) && warp == 0) {
            const float all = tc__epi_join_lanes(kind, row < w->count ? kept.x : tc__epi_none(kind));
            if (lane == 0) tc__epi_totals(w->parts, w->count, w->across, w->batch)[unit] = all;
        }
        __syncthreads();
    }
    if ((kind & TC__KEEP_ALL) && warp == 0) tc__epi_finish_all(kind, w);
}

#endif /* __CUDACC__ */
#endif /* TC_SUMS_H */
