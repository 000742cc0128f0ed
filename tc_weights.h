/* tc_weights.h - tc 0.2.0 - weights of 4 and 8 bits, packed for a GEMM whose other operand has 16: layout, quantiser,
 * packer, for host and device. Needs: tc_core.h, tc_types.h.
 *
 *     const tc_weights w = {.type = TC_S4, .as = TC_BF16, .group = 128, .n = n, .k = k};
 *     tc_weights_quantize(&w, weights, &made);           f32 to codes, factors, zero points (host)
 *     tc_weights_pack(&w, &from, packed);                into the order in which the kernel reads (host)
 *     to[i] = tc_weights_word(&w, &from, i);             the same on a device: word i of tc_weights_bytes(&w) / 4
 *     TC_GEMM_DEFINE(linear, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128)
 *
 * What was packed once, on whatever machine, every device from sm_80 on multiplies: TC_GEMM_DEFINE, or for one
 * generation's kernels TC_GEMM_SM80_DEFINE, TC_GEMM_SM90_DEFINE, TC_GEMM_SM100_DEFINE.
 *
 * WHAT IS MULTIPLIED. The element of column n of B and of row k is
 *
 *     round(factor * (code - zero))     one rounding to the nearest of .as (f16 or bf16); so is factor rounded to it
 *
 * with one factor, and with .zero one zero point, for each .group of k of each column. code - zero is exact, as each
 * type's values are in f16 and in bf16. Without factors (.group 0) it is the code itself; a factor for each column is
 * then best left to the end, where it is applied to the sum in f32: the hook tc_epi_scale_col. E4M3's two NaN codes are
 * no weights: they count as 480 and -480. With f16, values that are too large for it become infinite. With bf16 factors
 * are 0 or of a size from 2^-50 to 2^58: kernels multiply such weights at 2^-64 of their size, and give the sums what
 * they lack; of smaller ones values are rounded to multiples of 2^-69, larger ones become infinite.
 *
 * LAYOUT. Bricks of 64 columns of B by 128 of k, one after the other along k, then along n. What the last ones have
 * outside of B has code 0 and factor 0. A brick is what the 128 threads of a warpgroup hold of wgmma's operand A
 * (tc_wgmma.h: its registers of 8 steps of 16 k), 16 bytes for each thread in turn, then its factors. On Blackwell they
 * are the registers of tcgen05.st 16x128b, by which an A comes to tensor memory; for mma.sync m16n8k16 those of its A,
 * in each 512 bytes of 2048 those of another 16 columns.
 *
 *     4 bits      thread 0     thread 1        thread 127 | thread 0 ..            | factors
 *                 s0 s1 s2 s3  s0 s1 s2 s3 ..             | s4 s5 s6 s7 ..         | 64 x 16 bits for each group
 *     8 bits      s0   s1      s0   s1     ..             | s2   s3 ..  | s4 | s6  | (.zero: and 64 zero points each)
 *
 *     a step's word of 4 bits    bits 0-3 4-7 8-11 12-15 16-19 20-23 24-27 28-31
 *                                     a0  a1  a2   a3    a0    a1    a2    a3      of register a[r] the lower half's
 *                                                                                 element, then the upper half's
 *     its two words of 8 bits    bits 0-7 8-15 16-23 24-31        the first word; the second: a2 a3 a2 a3
 *                                     a0  a1   a0    a1
 *
 * Codes are stored as they are, but s4 with its sign bit turned (the code plus 8), u8 with its highest bit turned (the
 * code less 128). Factors are of type .as. A zero point is stored as what is subtracted: of a 4-bit code plus 128 (.as
 * bf16) or 1024 (f16), of an 8-bit code less 128 (bf16) or plus 1024 (f16).
 *
 *     tc_weights_check, _bytes        (host) the rules in words; bytes of packed weights
 *     tc_weights_quantize, _pack      (host)
 *     tc_weights_word                 one word of what _pack writes
 *     tc_weights_code, _value         the code and the value of an element, read back from packed weights
 */
#ifndef TC_WEIGHTS_H
#define TC_WEIGHTS_H

#include "tc_core.h"
#include "tc_types.h"

enum { TC_WEIGHTS_ROWS = 64, TC_WEIGHTS_K = 128 }; /* of a brick: columns of B, and k */

typedef struct tc_weights {
    int type;  /* TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3, TC_E2M1 */
    int as;    /* what they are multiplied as: TC_F16, TC_BF16 */
    int group; /* of k that have one factor: 32, 64, 128; 0: there are none */
    int zero;  /* 1: each group has a zero point too (TC_U4, TC_U8) */
    int n, k;  /* columns of B; k is a multiple of group */
} tc_weights;

/* Weights before they are packed: column after column of B. codes: packed as tight as the type is (tc_element_code).
 * scales, zeros: k / group of each column. */
typedef struct tc_weights_source {
    const void *codes;
    const float *scales;
    const uint8_t *zeros;
} tc_weights_source;

TC_HD TC_CONSTEXPR int tc_weights_type_ok(int type)
{
    return type == TC_S4 || type == TC_U4 || type == TC_S8 || type == TC_U8 || type == TC_E4M3 || type == TC_E2M1;
}

/* Bytes of a brick's codes, of the factors (and zero points) of so many of k of it, of all of it. */
TC_HD TC_CONSTEXPR int tc__weights_codes(int type)
{
    return TC_WEIGHTS_ROWS * TC_WEIGHTS_K / 8 * tc_type_bits(type);
}
TC_HD TC_CONSTEXPR int tc__weights_factors(int group, int zero, int k)
{
    return group == 0 ? 0 : (k > group ? k / group : 1) * (zero ? 2 : 1) * TC_WEIGHTS_ROWS * 2;
}
TC_HD TC_CONSTEXPR int tc__weights_brick(int type, int group, int zero)
{
    return tc__weights_codes(type) + tc__weights_factors(group, zero, TC_WEIGHTS_K);
}

TC_HD int tc__weights_up(int x, int by) { return x / by + (x % by != 0); }

/* Bytes of packed weights: a multiple of 16. */
TC_HD uint64_t tc_weights_bytes(const tc_weights *w)
{
    return (uint64_t)tc__weights_up(w->n, TC_WEIGHTS_ROWS) * (uint64_t)tc__weights_up(w->k, TC_WEIGHTS_K)
         * (uint64_t)tc__weights_brick(w->type, w->group, w->zero);
}

/* What is subtracted from a stored code that has become a number of type `as` by its bits alone (tc__weights_bits), for
 * zero point 0 of a code as it was given; e4m3, e2m1: nothing. */
TC_HD TC_CONSTEXPR int tc__weights_base(int type, int as)
{
    return type == TC_U4   ? (as == TC_F16 ? 1024 : 128)
           : type == TC_S4 ? (as == TC_F16 ? 1032 : 136)
           : type == TC_U8 ? (as == TC_F16 ? 1024 : -128)
           : type == TC_S8 ? (as == TC_F16 ? 1152 : 0)
                           : 0;
}

/* Stored code of a code, and back. */
TC_HD uint32_t tc__weights_turn(int type, uint32_t code)
{
    return code ^ (type == TC_S4 ? 8u : type == TC_U8 ? 128u : 0u);
}

/* One of a word's codes: number i (4 bits: of 8, 8 bits: of 4) of word `word` of a brick. Row and k within it. */
typedef struct tc__weights_at {
    int row, k;
} tc__weights_at;

TC_HD tc__weights_at tc__weights_at_of(int bits, int word, int i)
{
    const int t = word % 512 / 4, j = word % 4;
    const int step = bits == 4 ? word / 512 * 4 + j : word / 512 * 2 + j / 2;
    const int reg = bits == 4 ? i % 4 : j % 2 * 2 + i % 2, upper = bits == 4 ? i / 4 : i / 2;
    tc__weights_at at;
    at.row = t / 32 * 16 + t % 32 / 4 + reg % 2 * 8;
    at.k = step * 16 + reg / 2 * 8 + t % 4 * 2 + upper;
    return at;
}

/* One factor, or zero point (zero 1): of a column and a group that may lie outside. */
TC_HD uint32_t tc__weights_factor(const tc_weights *w, const tc_weights_source *from, const tc__weights_at at, int zero)
{
    const int inside = at.row < w->n && at.k < w->k;
    const uint64_t i = inside ? (uint64_t)at.row * (uint64_t)(w->k / w->group) + (uint64_t)(at.k / w->group) : 0;
    if (zero) return tc_from_f32(w->as, (float)(tc__weights_base(w->type, w->as) + (inside ? from->zeros[i] : 0)));
    return inside ? tc_from_f32(w->as, from->scales[i]) : 0u;
}

/* Word i of packed weights. */
TC_HD uint32_t tc_weights_word(const tc_weights *w, const tc_weights_source *from, uint64_t i)
{
    const int bits = tc_type_bits(w->type), words = tc__weights_brick(w->type, w->group, w->zero) / 4;
    const int word = (int)(i % (uint64_t)words), codes = tc__weights_codes(w->type) / 4;
    const uint64_t brick = i / (uint64_t)words, along = (uint64_t)tc__weights_up(w->k, TC_WEIGHTS_K);
    const int row = (int)(brick / along) * TC_WEIGHTS_ROWS, k = (int)(brick % along) * TC_WEIGHTS_K;
    uint32_t r = 0;
    int e;
    if (word < codes) {
        for (e = 0; e < 32 / bits; e++) {
            const tc__weights_at at = tc__weights_at_of(bits, word, e);
            uint32_t code = 0;
            if (row + at.row < w->n && k + at.k < w->k)
                code = tc_element_code(from->codes, w->type,
                                       (uint64_t)(row + at.row) * (uint64_t)w->k + (uint64_t)(k + at.k));
            r |= tc__weights_turn(w->type, code) << e * bits;
        }
    } else {
        const int line = (word - codes) / 32, zero = w->zero ? line % 2 : 0, group = w->zero ? line / 2 : line;
        for (e = 0; e < 2; e++) {
            tc__weights_at at;
            at.row = row + (word - codes) % 32 * 2 + e, at.k = k + group * w->group;
            r |= tc__weights_factor(w, from, at, zero) << 16 * e;
        }
    }
    return r;
}

/* Where an element's code lies: its brick's first byte, and its first bit from there. */
TC_HD uint64_t tc__weights_brick_at(const tc_weights *w, int n, int k)
{
    const uint64_t along = (uint64_t)tc__weights_up(w->k, TC_WEIGHTS_K);
    return ((uint64_t)(n / TC_WEIGHTS_ROWS) * along + (uint64_t)(k / TC_WEIGHTS_K))
         * (uint64_t)tc__weights_brick(w->type, w->group, w->zero);
}

/* The drawing the other way round: from an element to its bit within the brick. */
TC_HD int tc__weights_bit_of(int bits, int row, int k)
{
    const int step = k / 16, upper = k % 2, high = k % 16 / 8, thread = row / 16 * 32 + row % 8 * 4 + k % 8 / 2;
    const int reg = high * 2 + row % 16 / 8;
    if (bits == 4) return (step / 4 * 512 + thread * 4 + step % 4) * 32 + (reg + 4 * upper) * 4;
    return (step / 2 * 512 + thread * 4 + step % 2 * 2 + high) * 32 + (reg % 2 + 2 * upper) * 8;
}

TC_HD uint32_t tc_weights_code(const tc_weights *w, const void *packed, int n, int k)
{
    const uint8_t *brick = (const uint8_t *)packed + tc__weights_brick_at(w, n, k);
    const int bits = tc_type_bits(w->type);
    const int bit = tc__weights_bit_of(bits, n % TC_WEIGHTS_ROWS, k % TC_WEIGHTS_K);
    return tc__weights_turn(w->type, (uint32_t)brick[bit / 8] >> bit % 8 & (bits == 4 ? 15u : 255u));
}

/* The element that is multiplied: a value of type .as. */
TC_HD float tc_weights_value(const tc_weights *w, const void *packed, int n, int k)
{
    const uint32_t code = tc_weights_code(w, packed, n, k);
    const int lines = w->zero ? 2 : 1;
    const uint8_t *at;
    float x = tc_f32_from(w->type, code);
    if (w->type == TC_S4) x = (float)((int)(code ^ 8u) - 8);
    if (w->type == TC_E4M3 && (code & 127u) == 127u) x = code & 128u ? -480.f : 480.f;
    if (w->group == 0) return x;
    at = (const uint8_t *)packed + tc__weights_brick_at(w, n, k) + tc__weights_codes(w->type)
       + (k % TC_WEIGHTS_K / w->group * lines * TC_WEIGHTS_ROWS + n % TC_WEIGHTS_ROWS) * 2;
    if (w->zero)
        x -= tc_f32_from(w->as, (uint32_t)at[2 * TC_WEIGHTS_ROWS] | (uint32_t)at[2 * TC_WEIGHTS_ROWS + 1] << 8)
           - (float)tc__weights_base(w->type, w->as);
    x *= tc_f32_from(w->as, (uint32_t)at[0] | (uint32_t)at[1] << 8); /* exact: 24 bits hold 8 times 11 and 8 times 8 */
    return tc_f32_from(w->as, tc_from_f32(w->as, x));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

TC_HOST tc_status tc_weights_check(const tc_weights *w)
{
    if (!w) return tc__fail(TC_ERR_NULL, "weights is null");
    if (!tc_weights_type_ok(w->type))
        return tc__fail(TC_ERR_CONFIG, "weights.type = %d must be TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3 or TC_E2M1",
                        w->type);
    if (w->as != TC_F16 && w->as != TC_BF16)
        return tc__fail(TC_ERR_CONFIG, "weights.as = %d must be TC_F16 or TC_BF16", w->as);
    if (w->group != 0 && w->group != 32 && w->group != 64 && w->group != 128)
        return tc__fail(TC_ERR_CONFIG, "weights.group = %d must be 32, 64, 128 or 0", w->group);
    if (w->zero != 0 && (w->zero != 1 || (w->type != TC_U4 && w->type != TC_U8) || w->group == 0))
        return tc__fail(TC_ERR_CONFIG, "weights.zero = %d must be 0, or 1 of TC_U4 and TC_U8 with a group", w->zero);
    if (w->n < 1 || w->k < 1)
        return tc__fail(TC_ERR_SIZE, "weights.n = %d, weights.k = %d: both must be at least 1", w->n, w->k);
    if (w->group && w->k % w->group)
        return tc__fail(TC_ERR_SIZE, "weights.k = %d is not a multiple of weights.group = %d", w->k, w->group);
    return TC_OK;
}

/* to: tc_weights_bytes(w) bytes of the host, a multiple of 4. */
TC_HOST tc_status tc_weights_pack(const tc_weights *w, const tc_weights_source *from, void *to)
{
    const tc_status st = tc_weights_check(w);
    uint64_t i, words;
    if (st != TC_OK) return st;
    if (!from || !from->codes || !to)
        return tc__fail(TC_ERR_NULL, "%s is null", !from ? "from" : !to ? "to" : "from.codes");
    if (w->group && !from->scales)
        return tc__fail(TC_ERR_NULL, "from.scales is null, but weights.group = %d", w->group);
    if (w->zero && !from->zeros) return tc__fail(TC_ERR_NULL, "from.zeros is null, but weights.zero = 1");
    if ((uintptr_t)to % 4) return tc__fail(TC_ERR_ALIGN, "to = %p is not a multiple of 4 bytes", to);
    words = tc_weights_bytes(w) / 4;
    for (i = 0; i < words; i++) ((uint32_t *)to)[i] = tc_weights_word(w, from, i);
    return TC_OK;
}

/* What the quantiser writes, as tc_weights_source has it: n * k codes; k / group of each column factors and, with
 * .zero, zero points. Without a group one factor for each column. */
typedef struct tc_weights_made {
    void *codes;
    float *scales;
    uint8_t *zeros;
} tc_weights_made;

/* A group: its number, its first element's, how many it has. */
typedef struct tc__weights_group {
    uint64_t number, first;
    int count;
} tc__weights_group;

/* The factor by which its largest element fits, or with a zero point its range, 0 with it. */
TC_HOST void tc__weights_quantize_group(const tc_weights *w, const float *weights, const tc_weights_made *to,
                                        tc__weights_group g)
{
    const int is4 = w->type == TC_S4 || w->type == TC_U4, is_signed = w->type == TC_S4 || w->type == TC_S8;
    const float top = w->type == TC_E4M3 ? 448.f : w->type == TC_E2M1 ? 6.f
                    : is_signed ? (is4 ? 7.f : 127.f) : is4 ? 15.f : 255.f;
    const float *x = weights + g.first;
    float least = 0.f, most = 0.f, scale;
    int i, zero = 0;
    for (i = 0; i < g.count; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    scale = w->zero ? (most - least) / top : (most > -least ? most : -least) / top;
    if (w->group) scale = tc_f32_from(w->as, tc_from_f32(w->as, scale));
    if (!(scale > 0.f)) scale = 1.f;
    if (w->zero) zero = (int)(-least / scale + 0.5f);
    if (zero > (int)top) zero = (int)top;
    for (i = 0; i < g.count; i++) {
        const float q = x[i] / scale;
        uint32_t code;
        if (w->type == TC_E4M3 || w->type == TC_E2M1) {
            code = tc_from_f32(w->type, q > top ? top : q < -top ? -top : q);
        } else {
            const float low = is_signed ? -top : 0.f, moved = q + (float)zero;
            const float in = moved > top ? top : moved < low ? low : moved;
            code = (uint32_t)(int)(in < 0.f ? in - 0.5f : in + 0.5f);
        }
        tc_element_code_set(to->codes, w->type, g.first + (uint64_t)i, code);
    }
    to->scales[g.number] = scale;
    if (w->zero) to->zeros[g.number] = (uint8_t)zero;
}

/* weights: n columns of k floats. To the nearest code of scale = largest / 7 (s4; 127, 448, 6), with .zero of scale =
 * range / 15 (u4; 255). Factors are rounded to .as before they are divided by. */
TC_HOST tc_status tc_weights_quantize(const tc_weights *w, const float *weights, const tc_weights_made *to)
{
    const tc_status st = tc_weights_check(w);
    tc__weights_group g = {0, 0, 0};
    if (st != TC_OK) return st;
    if (!weights || !to || !to->codes || !to->scales || (w->zero && !to->zeros))
        return tc__fail(TC_ERR_NULL, "%s is null", !weights ? "weights" : !to ? "to" : !to->codes ? "to.codes"
                                                   : !to->scales ? "to.scales" : "to.zeros");
    g.count = w->group ? w->group : w->k;
    for (; g.first < (uint64_t)w->n * (uint64_t)w->k; g.number++, g.first += (uint64_t)g.count)
        tc__weights_quantize_group(w, weights, to, g);
    return TC_OK;
}

#endif /* host */
#endif /* TC_WEIGHTS_H */
