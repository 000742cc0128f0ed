/* tc_gemm_quant.h - tc 0.2.0 - D that the end of a tile quantises, with factors that it computes; sums of D's columns.
 * Needs: the headers below.
 *
 * QUANTISED OUTPUTS, fields of tc_gemm_config and tc_gemm_args. D is e4m3, e5m2 or s8, and its factors are computed
 * where its sums are, in f32:
 *     .d = TC_E4M3, .d_scale = TC_SCALE_1X128  a float for each 128 columns of each row, the last of them fewer, to
 *                                              args.d_scale_out, in any strides (tc_gemm_scale): the next GEMM's A and
 *                                              .a_scale. Also TC_E5M2 and TC_S8
 *     .d = TC_E4M3, .d_sf = TC_SF_UE8M0_32     mxfp8: a power of two for each 32 columns, to args.d_sf_out in the
 *                                              layout of tc_sf.h (tc_sf_bytes(m, n, 32)), zeros where that has them
 *     .d = TC_E2M1, .d_sf = TC_SF_UE4M3_16     nvfp4: a ue4m3 for each 16 columns, in the same layout
 *                                              (tc_sf_bytes(m, n, 16)): the next GEMM's A and sfa. And with
 *                                              TC_SF_UE8M0_32 mxfp4. TC_GEMM_SM100_DEFINE alone. Two elements share a
 *                                              byte, so n, ldd and stride_d are even
 *     .d = TC_E4M3, TC_E5M2                    no factors: a hook that multiplies by a tensor's own, given, scale; what
 *                                              is too large stops at the type's ends. The amax for the next step's:
 *                                              .all_sum = TC_MAX_ABS and args.all_out
 * With .groups (.d_sf: TC_GEMM_SM100_DEFINE alone) factors are where the next GEMM with the same groups looks for those
 * of its A. .d_scale: of D's rows; with TC_GROUPS_MASKED d_scale_out.batch apart. .d_sf with TC_GROUPS_ROWS: a group's
 * from a block of their own on (GROUPS in tc_sf.h: tc_sf_group_bytes(m, n, 32 or 16, count) in all, no stride_d_sf),
 * zeros up to the end of its last 128 rows; between groups, and of groups without rows, nothing is written. .d_sf with
 * TC_GROUPS_MASKED: each matrix has a layout of tc_sf_bytes(m, n, 32 or 16), stride_d_sf apart, of which the blocks of
 * the rows that are used are written.
 * A factor is the block's largest |x|, after the hook, times 1/448 (57344: e5m2; 127: s8; 6: e2m1) in f32, at least
 * 2^-126, so that zeros have one whose reciprocal is finite; .d_sf: that, up to a power of two; nvfp4: to the nearest
 * ue4m3, at least 2^-9 and at most 448, so that a hook or alpha brings what is larger than 2688, or mostly below 0.01,
 * to where these are fine (a tensor's own factor, by which the next GEMM's alpha divides). An element is x times the
 * reciprocal of the factor as it is written (rcp.approx and a step of Newton's, so to the nearest but in rare cases),
 * to the nearest, ties to even. A block that holds an infinity or NaN has NaN for its factor, so that all of it is NaN
 * when it is multiplied. Without factors infinities stop at the type's ends too, and NaN is NaN.
 * C is of type .c_type (TC_BF16). .bn and .step are multiples of 128 (SM80: a warp has 32, 64 or 128 of them); not with
 * .swap, .split, .cluster_k, D in columns, .index (but TC_INDEX_A of TC_GEMM_SM100_DEFINE). A factor for a whole row is
 * not there, since a row is wider than a tile: TC_ROWS_DEFINE with TC_QUANTISE makes one of D (tc_rows.h).
 * Not in TC_GEMM_SM90_ANY_DEFINE and TC_GEMM_SM120_DEFINE, in whose place TC_GEMM_DEFINE takes its sm_80 kernels; on
 * Hopper its tiles of 64 rows and more. D without C goes to memory from registers, 32 bytes of a row at a time; with C,
 * and at D's edges, through shared memory first, which is slower.
 *
 * SUMS OF COLUMNS (bias gradients), beside those of rows that tc_gemm_config.h has above TC_AUX_PRE:
 *     .col_sum = TC_SUM, TC_SUM_SQ, TC_MAX_ABS args.col_out: n floats (batch: n for each matrix) of what the hook made,
 *                TC_MAX                        before it becomes D's type
 * All that is said of .row_sum holds, but that a float of the workspace is for 16 rows of a column, which begin anew
 * with each group (Hopper's kernels use one for 64 or 128 rows), and that columns stay where they are (TC_INDEX_D).
 * The same generators have it; with .swap it wants .bm and .step to be multiples of 16.
 *
 * Below is what a warp does with 16 rows in registers or in shared memory; tc_gemm_sm90_quant.h, tc_gemm_sm100_store.h
 * and tc_gemm_sm80.h bring the rows.
 *
 *     tc__quant_factor, _inverse, _pair     the largest of a block to its factor; what elements are multiplied by; two
 *                                           of them to bytes
 *     tc__quant_block                       a fragment of 16 rows by 128 columns to D and its factors
 *     tc__col_fragment, tc__col_strip       what is kept of the columns of a fragment, of rows in shared memory
 */
#ifndef TC_GEMM_QUANT_H
#define TC_GEMM_QUANT_H

#include "tc_epi.h"
#include "tc_host.h"
#include "tc_sf.h"
#include "tc_types.h"

enum { TC__QUANT_COLS = 128 }; /* columns of a row that one warp, or one row of warps, has together */

/* A constant: D's type, and how many neighbours of a row share a factor: 128, 32 or 16 (a byte each, .d_sf: ue8m0,
 * ue4m3), 0: none do. groups: rows end where their group's do. */
typedef struct tc__quant {
    int d, wide, groups;
} tc__quant;
TC_HD TC_CONSTEXPR tc__quant tc__quant_of(int d, int d_scale, int d_sf)
{
    const tc__quant q = {d, d_scale ? TC__QUANT_COLS : d_sf == TC_SF_UE4M3_16 ? 16 : d_sf ? 32 : 0, 0};
    return q;
}

/* What a kernel is told besides, before tc__outputs in the last bytes of tc_gemm_out.epi.
 *
 * Columns: each 16 rows of a column, counted from D's first (TC_GROUPS_ROWS: from a group's), are a part, as each 16
 * columns of a row are one for .row_sum; the second launch adds them up in the same way. A Hopper warpgroup that has
 * all rows of a tile makes one part of them, `each` times 16 rows, which lies where the first 16 rows' would. */
typedef struct tc__more_outputs {
    void *scale; /* factors: floats, row i's of 128 columns j at i * lines + j * blocks; bytes as tc_sf.h has them */
    union {
        long long lines;
        long long most; /* TC__KEEP_EACH: n, the most of all matrices */
    };
    long long blocks, batch;
    float *parts; /* of matrix b, row / 16, column: at (b * down + row / 16) * n + column */
    float *col_out;
    int down;
    uint16_t each; /* 16 rows of a part */
    uint16_t vec; /* rows of D begin at multiples of 8 (1), 16 (2) or 32 bytes (3); of e2m1 1 is of 4 */
} tc__more_outputs;
enum { TC__MORE_BYTES = 64 };

/* The rules for the fields, c: a tc_gemm_config. */
#define TC__GEMM_QUANT_RULES(X, c)                                                                                    \
    X((c).d_scale == 0 || ((c).d_scale == TC_SCALE_1X128 && (tc__gemm_is_fp8((c).d) || (c).d == TC_S8)),              \
      "tc: .d_scale must be TC_SCALE_1X128, with .d = TC_E4M3, TC_E5M2 or TC_S8, or 0")                               \
    X((c).d_sf == 0                                                                                                   \
          || (((c).d_sf == TC_SF_UE8M0_32 || ((c).d_sf == TC_SF_UE4M3_16 && (c).d == TC_E2M1))                        \
              && (tc__gemm_is_fp8((c).d) || (c).d == TC_E2M1) && !(c).d_scale),                                       \
      "tc: .d_sf must be TC_SF_UE8M0_32, with .d = TC_E4M3, TC_E5M2 or TC_E2M1, or TC_SF_UE4M3_16, with TC_E2M1; "    \
      "without .d_scale; or 0")                                                                                       \
    X((c).d != TC_E2M1 || (c).d_sf, "tc: .d = TC_E2M1 wants .d_sf: TC_SF_UE4M3_16 or TC_SF_UE8M0_32")                 \
    X(!tc__gemm_quantised(c) || (!tc__gemm_d_col(c) && !((c).index & TC_INDEX_D)),                                    \
      "tc: a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) wants .d_layout = TC_ROW and no .index = TC_INDEX_D")    \
    X((c).c_type == 0 || tc__gemm_is_16((c).c_type) || (c).c_type == TC_F32,                                          \
      "tc: .c_type must be TC_F16, TC_BF16 or TC_F32, or left out: C has D's type, TC_BF16 where D is quantised")     \
    X((c).c_type == 0 || (!(c).gate && (tc__gemm_quantised(c) || tc__gemm_is_16((c).d) || (c).d == TC_F32)),          \
      "tc: .c_type is for .d TC_F16, TC_BF16 or TC_F32 or a quantised D: else C has D's type; with .gate there is "   \
      "no C")                                                                                                         \
    X((c).col_sum >= 0 && (c).col_sum <= TC_MAX, "tc: .col_sum must be TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX or 0")   \
    X(!tc__gemm_col_kind(c) || !tc__gemm_d_col(c),                                                                    \
      "tc: .col_sum wants .d_layout = TC_ROW")                                                                        \
    X(!tc__gemm_col_kind(c) || ((c).d != TC_F64 && ((c).d != TC_S32 || tc__gemm_hooked(c))),                          \
      "tc: .col_sum is of f32: not with .d = TC_F64, and with .d = TC_S32 only where there is a hook")                \
    X(!tc__gemm_own_ends(c)                                                                                           \
          || ((c).epi_size <= TC_EPI_MAX - TC__OUTPUTS_BYTES - TC__MORE_BYTES && TC_EPI_MAX % 8 == 0),                \
      "tc: .col_sum and a quantised D leave the hook's arguments (.epi_size) 128 bytes less than TC_EPI_MAX")

/* Kernels that only store D, and sums of its rows. */
#define TC__GEMM_PLAIN_D_RULES(X, c)                                                                                  \
    X(!tc__gemm_own_ends(c),                                                                                          \
      "tc: .col_sum and a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) are for TC_GEMM_SM80_DEFINE, "              \
      "TC_GEMM_SM90_DEFINE, TC_GEMM_SM100_DEFINE and TC_GEMM_DEFINE")

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)
/* Factors of .d_sf as a call gives them; m is 0 where nothing is computed. */
typedef struct tc__quant_sf {
    const void *out;
    int64_t stride;
    int m, n, batch;
} tc__quant_sf;

TC_HOST tc_status tc__quant_check_sf(int kind, const tc__quant_sf *x)
{
    const int64_t least = (int64_t)tc_sf_bytes(x->m, x->n, kind == TC_SF_UE4M3_16 ? 16 : 32);
    if (!kind && (x->out || x->stride))
        return tc__fail(TC_ERR_CONFIG, "d_sf_out is given, but the kernel was generated without .d_sf");
    if (!kind || x->m == 0) return TC_OK;
    if (!x->out) return tc__fail(TC_ERR_NULL, "d_sf_out is null, but the kernel has .d_sf");
    if (((uintptr_t)x->out | (uintptr_t)x->stride) % 16)
        return tc__fail(TC_ERR_ALIGN, "d_sf_out = %p and stride_d_sf = %lld must be multiples of 16 bytes", x->out,
                        (long long)x->stride);
    if (x->batch > 1 && x->stride < least)
        return tc__fail(TC_ERR_BATCH, "stride_d_sf = %lld is less than the %lld bytes of a product's factors",
                        (long long)x->stride, (long long)least);
    return TC_OK;
}
#endif /* host */

#ifdef __CUDACC__

TC_DEV const tc__more_outputs *tc__epi_more(const tc_gemm_out *o)
{
    return (const tc__more_outputs *)(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES - TC__MORE_BYTES);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Factors.
 */
/* The largest of a block over the type's largest value, but at least 2^-126, so that its reciprocal is finite; NaN of
 * infinity and NaN. */
TC_DEV_SM80 float tc__quant_least(const tc__quant q, float most)
{
    const float part = q.d == TC_E4M3 ? 1.f / 448.f : q.d == TC_E5M2 ? 1.f / 57344.f : q.d == TC_E2M1 ? 1.f / 6.f
                                                                                     : 1.f / 127.f;
    return tc__epi_most(most * part, q.wide == 16 ? 1.f / 512.f : 1.17549435e-38f);
}
TC_DEV_SM80 float tc__quant_unrounded(const tc__quant q, float most)
{
    const float least = tc__quant_least(q, most);
    return least + (least - least); /* infinity less itself is NaN */
}
TC_DEV_SM80 float tc__quant_factor(const tc__quant q, float most)
{
    const float least = tc__quant_least(q, most), factor = tc__quant_unrounded(q, most);
    const uint32_t up = (tc_bits_from_f32(least) + 0x7fffffu) & 0xff800000u; /* to a power of two, far below 2^127 */
    if (q.wide == 16) return tc_f32_from_ue4m3(tc_ue4m3_from_f32(factor));
    return q.wide == 32 ? tc_f32_from_bits(tc_bits_from_f32(least) < 0x7f800000u ? up : 0x7fffffffu) : factor;
}

/* Its reciprocal, to the nearest but in rare cases; of NaN it is NaN. Of a power of two, 2^-126 to 2^120,
 * it is exact. */
TC_DEV float tc__quant_inverse(const tc__quant q, float factor)
{
    const uint32_t u = tc_bits_from_f32(factor);
    float r;
    if (q.wide == 32) return tc_f32_from_bits(u < 0x7f800000u ? 0x7f000000u - u : 0x7fffffffu);
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(factor));
    return fmaf(r, fmaf(-factor, r, 1.f), r);
}

/* Two neighbours times the reciprocal, to the nearest, ties to even: 16 bits. s8: what is at most 127 and little more
 * is added to 1.5 * 2^23, whose last bits it then is. */
TC_DEV_SM80 uint32_t tc__quant_pair(const tc__quant q, const float *x, float inverse)
{
    if (q.d == TC_S8)
        return __byte_perm(tc_bits_from_f32(fmaf(x[0], inverse, 12582912.f)),
                           tc_bits_from_f32(fmaf(x[1], inverse, 12582912.f)), 0x0040)
             & 0xffffu;
    if (!q.wide) return q.d == TC_E4M3 ? tc_e4m3x2(x[0], x[1]) : tc_e5m2x2(x[0], x[1]);
    return q.d == TC_E4M3 ? tc_e4m3x2(x[0] * inverse, x[1] * inverse) : tc_e5m2x2(x[0] * inverse, x[1] * inverse);
}

/* A row's factor of the columns from at.col on. */
TC_DEV void tc__quant_put_factor(const tc_gemm_out *o, tc_gemm_at at, float factor)
{
    const tc__more_outputs *w = tc__epi_more(o);
    ((float *)w->scale)[at.batch * w->batch + at.row * w->lines + at.col / TC__QUANT_COLS * w->blocks] = factor;
}

/* Bytes of four factors of a row, of the columns from col on; row -1: none. */
typedef struct tc__quant_word {
    int row, col;
    uint32_t word;
} tc__quant_word;

/* 16 rows of 128 columns of D: the first one's place, and which rows exist: those before `end`. sf: from a row to its
 * place among the factors of .d_sf, which of a group begin at a block of their own; else 0. */
typedef struct tc__quant_rows {
    tc_gemm_at first;
    int end, sf;
} tc__quant_rows;

/* Where rows end: with groups the group's, else the matrix'. */
TC_DEV int tc__quant_end(const tc__quant q, const tc_gemm_out *o, const tc__quant_rows *x)
{
    return q.groups ? x->end : o->m;
}

/* Factors of them: a lane has a row's word, or none. Behind the last row of the matrix, or of the group, zeros, up to
 * the end of its last 128. For all lanes of a warp. */
TC_DEV void tc__quant_put_sf(const tc__quant q, const tc_gemm_out *o, const tc__quant_rows rows,
                             const tc__quant_word x)
{
    const int wide = q.wide, sf = q.groups ? rows.sf : 0;
    const tc__more_outputs *w = tc__epi_more(o);
    const tc_gemm_at first = rows.first;
    uint8_t *to = (uint8_t *)w->scale + first.batch * w->batch;
    if (x.row >= first.row && x.row < tc__quant_end(q, o, &rows) && (wide == 32 || x.col < o->n))
        *(uint32_t *)(to + tc_sf_at(o->n, wide, x.row + sf, x.col / wide)) = x.word;
    if (first.row + 16 < tc__quant_end(q, o, &rows)) return;
#pragma unroll 1
    for (int i = tc__quant_end(q, o, &rows) + sf + tc_lane(); i < (tc__quant_end(q, o, &rows) + sf + 127) / 128 * 128;
         i += 32)
#pragma unroll
        for (int col = 0; col < TC__QUANT_COLS; col += 4 * wide)
            if (wide == 32 || first.col + col < o->n)
                *(uint32_t *)(to + tc_sf_at(o->n, wide, i, (first.col + col) / wide)) = 0u;
}

/* Eight bytes of a row, whose first element is at `at`: what of them exists. */
TC_DEV void tc__quant_put(const tc_gemm_out *o, tc_gemm_at at, const uint32_t *bytes)
{
    uint8_t *to = (uint8_t *)o->d + tc__epi_d_at(o, at);
    if (tc__epi_more(o)->vec && at.col + 8 <= o->n) {
        *(uint2 *)to = make_uint2(bytes[0], bytes[1]);
        return;
    }
    uint64_t all = (uint64_t)bytes[1] << 32 | bytes[0];
#pragma unroll 1
    for (int i = 0; i < 8 && at.col + i < o->n; i++, all >>= 8) to[i] = (uint8_t)all;
}

/* Zeros for what D does not have of a piece that lies in shared memory; rows end before `end`. */
TC_DEV void tc__quant_clear(const tc_gemm_out *o, const tc__epi_piece *p, int end)
{
    const int exist = p->at.row < end ? o->n - p->at.col : 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (i >= exist) tc__epi_put_shared((i < 4 ? p->lo : p->hi) + (uint32_t)(i % 4 * 4), 0.f);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Fragments.
 */
/* Four lanes have two neighbours each of four times eight columns: a lane's, as pairs of bytes, are two[0] (the first
 * eight columns below, the next above) and two[1]. Afterwards lane q of them has all of the q-th eight. */
TC_DEV void tc__quant_turn(uint32_t *two)
{
    const int q = tc_lane() % 4;
    const uint32_t lows = q % 2 ? 0x7632u : 0x5410u, highs = q % 2 ? 0x5410u : 0x7632u; /* own, the neighbour's */
    const uint32_t keep = q & 2 ? two[1] : two[0];
    const uint32_t got = __shfl_xor_sync(0xffffffffu, q & 2 ? two[0] : two[1], 2);
    const uint32_t near = q & 2 ? got : keep, far = q & 2 ? keep : got; /* of lanes 0, 1; of lanes 2, 3 */
    const uint32_t mine = __byte_perm(near, far, lows);
    const uint32_t its = __shfl_xor_sync(0xffffffffu, __byte_perm(near, far, highs), 1);
    two[0] = __byte_perm(mine, its, q % 2 ? 0x1054u : 0x5410u);
    two[1] = __byte_perm(mine, its, q % 2 ? 0x3276u : 0x7632u);
}

/* Are all of them in D, and is there no C? */
TC_DEV int tc__quant_whole(const tc_gemm_out *o, const tc__quant_rows *x)
{
    return x->first.row + 16 <= x->end && x->first.col + TC__QUANT_COLS <= o->n && o->beta == 0.f;
}

/* The factors of a lane's two rows for q.wide columns, whose values v begins with. */
TC_DEV_SM80 void tc__quant_share(const tc__quant q, const float *v, float *factor)
{
    factor[0] = factor[1] = 0.f;
#pragma unroll
    for (int i = 0; i < q.wide / 2; i++) factor[i / 2 % 2] = tc__epi_most(factor[i / 2 % 2], v[i]);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        factor[h] = tc__epi_most(factor[h], __shfl_xor_sync(0xffffffffu, factor[h], 1));
        factor[h] = tc__epi_most(factor[h], __shfl_xor_sync(0xffffffffu, factor[h], 2));
        factor[h] = tc__quant_factor(q, factor[h]);
    }
}

/* v: 64 values of a fragment, after the hook; what does not exist is 0. For all lanes of a warp. First all factors,
 * then all bytes, then what is stored under conditions: ptxas moves nothing over a branch, and each factor alone is a
 * chain of shuffles that would be waited for. */
TC_DEV_SM80 void tc__quant_block(const tc__quant q, const tc_gemm_out *o, const float *v, const tc__quant_rows x)
{
    const int lane = tc_lane(), wide = q.wide ? q.wide : TC__QUANT_COLS;
    float factor[8];
    uint32_t sf[2] = {0u, 0u}, two[16]; /* of each row four times two words: 32 columns' */
#pragma unroll
    for (int b = 0; b < TC__QUANT_COLS / wide; b++) {
        factor[2 * b] = factor[2 * b + 1] = 1.f;
        if (q.wide) tc__quant_share(q, v + b * wide / 2, factor + 2 * b);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int s = i / 2 * 32, h = i % 2, of = s / wide * 2 + h;
        const float inverse = q.wide ? tc__quant_inverse(q, factor[of]) : 1.f;
        const float *p = v + s / 2 + 2 * h;
        two[2 * i] = tc__quant_pair(q, p, inverse) | tc__quant_pair(q, p + 4, inverse) << 16;
        two[2 * i + 1] = tc__quant_pair(q, p + 8, inverse) | tc__quant_pair(q, p + 12, inverse) << 16;
        tc__quant_turn(two + 2 * i);
        if (q.wide == 32 && x.first.col + s < o->n) sf[h] |= (tc_bits_from_f32(factor[of]) >> 23 & 255u) << s / 4;
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        tc_gemm_at at = x.first;
        at.row += lane / 4 + h * 8;
        if (q.wide == TC__QUANT_COLS && lane % 4 == 0 && at.row < x.end) tc__quant_put_factor(o, at, factor[h]);
        at.col += lane % 4 * 8;
#pragma unroll
        for (int i = 0; i < 4; i++, at.col += 32)
            if (at.row < x.end) tc__quant_put(o, at, two + 4 * i + 2 * h);
    }
    if (q.wide == 32) {
        const int q0 = lane % 4; /* lanes 0 and 1 of four have a row's word each */
        const tc__quant_word word = {q0 < 2 ? x.first.row + lane / 4 + q0 * 8 : -1, x.first.col, q0 ? sf[1] : sf[0]};
        tc__quant_put_sf(q, o, x, word);
    }
}

/* Four lanes have two neighbours each of four times eight columns, a byte each: afterwards lane q of them has all of
 * the q-th eight. */
TC_DEV uint32_t tc__quant_turn4(uint32_t x)
{
    const int q = tc_lane() % 4;
    x = __byte_perm(x, __shfl_xor_sync(0xffffffffu, x, 2), q & 2 ? 0x3276u : 0x5410u);
    return __byte_perm(x, __shfl_xor_sync(0xffffffffu, x, 1), q & 1 ? 0x3715u : 0x6240u);
}

/* tc__quant_block of e2m1, two elements in a byte, whose factors are of 16 or 32 columns. */
TC_DEV_SM80 void tc__quant_block4(const tc__quant q, const tc_gemm_out *o, const float *v, const tc__quant_rows x)
{
    const int lane = tc_lane(), each = 32 / q.wide;
    uint32_t sf[2][2] = {{0u, 0u}, {0u, 0u}}; /* of the two rows: words */
#pragma unroll
    for (int from = 0; from < TC__QUANT_COLS; from += 32) {
        float factor[2][2] = {{1.f, 1.f}, {1.f, 1.f}}; /* of 16 or 32 columns: of the two rows */
#pragma unroll
        for (int j = 0; j < each; j++) tc__quant_share(q, v + from / 2 + j * 8, factor[j]);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const float *p = v + from / 2 + 2 * h;
            const tc_gemm_at at = {x.first.row + lane / 4 + h * 8, x.first.col + from + lane % 4 * 8, x.first.batch, 0};
            uint8_t *to = (uint8_t *)o->d + tc__epi_d_at(o, at) / 2;
            uint32_t bytes = 0u;
#pragma unroll
            for (int j = 0; j < each; j++) {
                const int s = from / q.wide + j; /* which factor */
                const uint32_t code = q.wide == 16 ? tc_ue4m3_from_f32(factor[j][h])
                                                   : tc_bits_from_f32(factor[j][h]) >> 23 & 255u;
                if (x.first.col + s * q.wide < o->n) sf[h][s / 4] |= code << s % 4 * 8;
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const float inverse = tc__quant_inverse(q, factor[j * each / 4][h]);
                bytes |= (uint32_t)tc_e2m1x2(p[4 * j] * inverse, p[4 * j + 1] * inverse) << j * 8;
            }
            bytes = tc__quant_turn4(bytes);
            if (at.row >= x.end) continue;
            if (tc__epi_more(o)->vec && at.col + 8 <= o->n) {
                *(uint32_t *)to = bytes;
                continue;
            }
#pragma unroll 1
            for (int i = 0; i < 4 && at.col + 2 * i < o->n; i++, bytes >>= 8) to[i] = (uint8_t)bytes;
        }
    }
    const int h = lane % 2, part = lane / 2 % 2; /* a lane of four has a row's word, or one of two */
    const tc__quant_word word = {part < each ? x.first.row + lane / 4 + h * 8 : -1, x.first.col + part * 4 * q.wide,
                                 h ? part ? sf[1][1] : sf[1][0] : part ? sf[0][1] : sf[0][0]};
    tc__quant_put_sf(q, o, x, word);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Columns.
 */
/* TC_GROUPS_ROWS: 16 rows of a group, counted from its first one, are a part, and no two have one number. */
TC_DEV int tc__col_strip_of(int row, int group) { return row / 16 + group; }

/* Columns that a matrix has places for. */
TC_DEV int tc__col_places(const int kind, const tc_gemm_out *o)
{
    return kind & TC__KEEP_EACH ? (int)tc__epi_more(o)->most : o->n;
}

/* A part's number: at is the first of its 16 rows. */
TC_DEV long long tc__col_part(const int kind, const tc_gemm_out *o, tc_gemm_at at)
{
    const long long strip = kind & TC__KEEP_SOME ? tc__col_strip_of(at.row, at.group)
                                                 : (long long)at.batch * tc__epi_more(o)->down + at.row / 16;
    return strip * tc__col_places(kind, o) + at.col;
}

/* A part, where there is one. */
TC_DEV void tc__col_put(const int kind, const tc_gemm_out *o, tc_gemm_at at, float kept, int yes)
{
    const tc__more_outputs *w = tc__epi_more(o);
    const tc__outputs *all = tc__epi_outputs(o);
    const int some = kind & TC__KEEP_SOME, matrix = some ? at.group : at.batch;
    const long long i = tc__col_part(kind, o, at);
    if (kind & TC__KEEP_ATOMIC) {
        tc__epi_red_if(kind, yes, w->col_out + (long long)matrix * tc__col_places(kind, o) + at.col, kept);
        return;
    }
    tc__epi_put_if(yes, w->parts + i, kept);
    if ((kind & TC__KEEP_ALL) && !some)
        tc__epi_put_if(yes && i == 0, tc__epi_counter(w->parts, tc__col_places(kind, o), w->down, all->batch), 0.f);
}

/* `count` values of a fragment, of two rows of count / 2 columns, joined to those columns'. */
TC_DEV_SM80 void tc__col_two_rows(const int kind, float *c, const float *v, const int count)
{
#pragma unroll
    for (int i = 0; i < count / 2; i++) {
        const float *two = v + i / 2 * 4 + i % 2;
        c[i] = tc__epi_keep_sum(kind, tc__epi_keep_sum(kind, c[i], two[0]), two[2]);
    }
}

/* A lane's `count` columns (16, 8 or 4: of 64, 32 or 16 that a warp has) go over its seven neighbours of the same
 * ones, half of them each time; where one is left it has no half. What a lane keeps is c[0], of 16 also c[1], which are
 * those of the columns from tc__col_lane on. Each column is added up in the same order, whatever count is. */
TC_DEV_SM80 void tc__col_share(const int kind, float *c, const int count, int lane)
{
#pragma unroll
    for (int s = 0; s < 3; s++) { /* upper lanes keep the upper half */
        const int left = count / 2 >> s, bit = 16 >> s, high = lane & bit;
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (i < left)
                c[i] = tc__epi_join(kind, tc__epi_either(high, c[left + i], c[i]),
                                    __shfl_xor_sync(0xffffffffu, tc__epi_either(high, c[i], c[left + i]), bit));
        if (left == 0) c[0] = tc__epi_join(kind, c[0], __shfl_xor_sync(0xffffffffu, c[0], bit));
    }
}
TC_DEV int tc__col_lane(const int count, int lane)
{
    int own = 0; /* in pairs of eight columns */
#pragma unroll
    for (int s = 0; s < 3; s++) own += lane & 16 >> s ? count / 2 >> s : 0;
    return own / 2 * 8 + lane % 4 * 2 + own % 2;
}
/* Of 4 two lanes keep the same one. */
TC_DEV int tc__col_keeps(const int count, int lane) { return count > 4 || !(lane & 4); }

/* Of `count` values of a fragment (16 columns are 8 of them) whose first element is at `at`; all exist. */
TC_DEV_SM80 void tc__col_fragment(const int kind, const tc_gemm_out *o, const float *v, const tc__quant_rows x,
                                  const int count)
{
    const int most = count % 32 == 0 ? 32 : count % 16 == 0 ? 16 : 8, lane = tc_lane();
#pragma unroll
    for (int j = 0; j < count; j += most) {
        float c[16];
        tc_gemm_at at = x.first;
#pragma unroll
        for (int i = 0; i < most / 2; i++) c[i] = tc__epi_none(kind);
        tc__col_two_rows(kind, c, v + j, most);
        tc__col_share(kind, c, most / 2, lane);
        at.col += j * 2 + tc__col_lane(most / 2, lane);
        tc__col_put(kind, o, at, c[0], tc__col_keeps(most / 2, lane));
        ++at.col;
        if (most == 32) tc__col_put(kind, o, at, c[1], 1);
    }
}

/* Rows of f32 in shared memory: pitch bytes apart, at 64 in that swizzle; the first element's place in D. Of 16 rows
 * `rows` exist; of the columns those that D has. gated: each eight columns lie as far apart as two products' are. */
typedef struct tc__col_place {
    uint32_t at;
    int pitch, rows, cols;
    tc_gemm_at first;
    int gated;
} tc__col_place;

/* For all lanes of a warp, between two __syncwarp. */
TC_DEV void tc__col_strip(const int kind, const tc_gemm_out *o, const tc__col_place *x)
{
#pragma unroll 1
    for (int col = tc_lane(); col < x->cols && x->first.col + col < o->n && x->rows > 0; col += 32) {
        tc_gemm_at at = x->first;
        float kept = tc__epi_none(kind);
        at.col += col;
#pragma unroll 1
        for (int r = 0; r < x->rows; r++) {
            const uint32_t away = (uint32_t)(r * x->pitch + (x->gated ? col / 8 * 16 + col % 8 : col) * 4);
            kept = tc__epi_keep(kind, kept, tc__epi_shared(x->at + (x->pitch == 64 ? tc_swizzle(64, away) : away)));
        }
        tc__col_put(kind, o, at, kept, 1);
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_QUANT_H */
