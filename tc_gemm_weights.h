/* tc_gemm_weights.h - tc 0.2.0 - packed weights of 4 and 8 bits (tc_weights.h) on their way to the Tensor Cores: what
 * the GEMMs of sm_80, of Hopper and of Blackwell share. Needs: the headers below.
 *
 * A thread finds its own codes of a step of 16 k side by side, and makes f16 or bf16 of them in its registers: those of
 * wgmma's operand A. They are tcgen05.st's too, of shape 16x128b: 16 rows by 8 columns of tensor memory, two k each.
 * And a warp's are those of mma.sync m16n8k16, to which a brick is four fragments of 16 rows, one below the other.
 *
 * FROM CODES TO NUMBERS, two at a time in a register, each exactly but for one rounding at the end:
 *
 *     f16    4 and 8 bits: the code under the exponent of 1024, less 1024 and the zero point; e4m3, e2m1: moved to
 *            where the fields of f16 are, times a power of two for the exponent's bias; then times the factor
 *     bf16   4 and 8 bits: the code as it lies in the lower 8 bits of a half: subnormal numbers and those of the least
 *            exponent have one step, so that bits 0 to 255 are as many times 2^-133, and codes of 4 bits are numbers in
 *            bits 4 to 7 as in bits 0 to 3. Without a zero point one fma does the rest: times the factor and the powers
 *            of two that are missing, less 8 or 128 times the factor, which is exact. With one: less the zero point at
 *            the same place, then times the factor. e4m3, e2m1: moved to where bf16's fields are, and one product
 *
 * The factor with the powers of two that are missing, up to 2^133, would be too large for bf16. So bf16's weights are
 * multiplied at 2^-TC__WEIGHTS_DOWN of their size, and the sums of a tile by what they lack.
 *
 *     tc__weights_read, _make          what a thread reads of half a block of k; its registers of that
 *     tc__weights_blank                where k is 0
 *     tc__weights_up_again             what bf16's sums lack
 *     TC__GEMM_FACTORS_RULES           (rules)
 *     tc_gemm_bricks                   what a kernel is told of a call's weights
 *     tc__weights_bricks, _call_check  (host)
 */
#ifndef TC_GEMM_WEIGHTS_H
#define TC_GEMM_WEIGHTS_H

#include "tc_gemm_config.h"

/* Bytes that a block of .bk has of a brick, or all of it. */
TC_HD TC_CONSTEXPR int tc__gemm_brick(tc_gemm_config_in c)
{
    return tc__weights_codes(c.weights) / TC_WEIGHTS_K * c.bk
         + tc__weights_factors(c.weights_k, c.weights_zero, c.bk);
}

/* .weights: the type, and its factors. */
TC_HD TC_CONSTEXPR int tc__gemm_factors_ok(tc_gemm_config_in c)
{
    const int k_ok = c.weights_k == 0 || c.weights_k == 32 || c.weights_k == 64 || c.weights_k == 128;
    const int zero = c.weights_zero == 1 && c.weights_k && (c.weights == TC_U4 || c.weights == TC_U8);
    return k_ok && (c.weights || c.weights_k == 0) && (c.weights_zero == 0 || zero);
}
#define TC__GEMM_FACTORS_RULES(X, c)                                                                                  \
    X((c).weights == 0 || (tc_weights_type_ok((c).weights) && tc__gemm_is_16((c).a)),                                 \
      "tc: .weights must be TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3 or TC_E2M1, and .a and .b TC_BF16 or TC_F16, which "   \
      "they are multiplied as")                                                                                       \
    X(tc__gemm_factors_ok(c),                                                                                         \
      "tc: .weights_k must be 32, 64, 128 or 0, and .weights_zero 0, or 1 of TC_U4 and TC_U8 that have .weights_k; "  \
      "both are for .weights")

/* What a kernel is told of a call's. */
typedef struct tc_gemm_bricks {
    const char *at;  /* bricks, which TMA brings without a map; NULL where k is 0 */
    long long batch; /* bytes from one matrix of the batch to the next */
    int rows, along; /* bricks along n (0: the kernel has none), along k */
} tc_gemm_bricks;

#ifdef __CUDACC__

enum { TC__WEIGHTS_DOWN = 64 }; /* bf16: of its weights, a power of two */

/* Two numbers of 16 bits: each rounded to the nearest, and not made one with its neighbour in the code. */
TC_DEV_SM80 uint32_t tc__weights_mul(int as, uint32_t a, uint32_t b)
{
    uint32_t d;
    if (as == TC_F16) asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
#if TC_HAS_SM90
    else asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
#else /* fma alone: less 0, which leaves a zero its sign */
    else asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0x80008000u));
#endif
    return d;
}
TC_DEV_SM80 uint32_t tc__weights_sub(int as, uint32_t a, uint32_t b)
{
    uint32_t d;
    if (as == TC_F16) asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
#if TC_HAS_SM90
    else asm("sub.rn.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
#else
    else asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(b), "r"(0xbf80bf80u), "r"(a)); /* -1 */
#endif
    return d;
}

TC_DEV_SM80 uint32_t tc__weights_fma(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

/* Moved up by a constant, which may be negative. */
TC_DEV uint32_t tc__weights_move(uint32_t x, const int by) { return by < 0 ? x >> -by : x << by; }

/* What a thread has for its two rows, doubled: factors, and what is subtracted or, negative, added. */
typedef struct tc__weights_pair {
    uint32_t scale[2], less[2];
} tc__weights_pair;

/* A number of f16 or bf16 that is exact, twice. */
TC_DEV uint32_t tc__weights_twice(int as, int x) { return tc_from_f32(as, (float)x) * 0x10001u; }

/* 2^x in bf16, twice; from 2^-133 on. */
TC_DEV uint32_t tc__weights_power(const int x)
{
    return (x > -127 ? (uint32_t)(x + 127) << 7 : 1u << (x + 133)) * 0x10001u;
}

/* (x & mask) | bits, in one lop3; C with two constants becomes two. */
TC_DEV uint32_t tc__weights_under(uint32_t x, const uint32_t mask, const uint32_t bits)
{
    uint32_t d;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(d) : "r"(x), "r"(mask), "r"(bits));
    return d;
}

TC_DEV int tc__weights_is_float(tc_gemm_config_in c) { return c.weights == TC_E2M1 || c.weights == TC_E4M3; }

/* bf16: powers of two that codes, where they lie as bits, are short of, of the lower and the upper row's registers; of
 * 4 bits the upper row's lie 4 bits higher. */
TC_DEV int tc__weights_short(tc_gemm_config_in c, const int row)
{
    if (c.weights == TC_E4M3) return 120;
    if (c.weights == TC_E2M1) return 126;
    return tc_type_bits(c.weights) == 4 ? 133 - 4 * row : 133;
}

/* bf16: what integer codes are more than what they mean, once their bits are in order from the least to the most. */
TC_DEV int tc__weights_more(tc_gemm_config_in c)
{
    return c.weights_zero ? 0 : c.weights == TC_S4 ? 8 : c.weights == TC_S8 ? 128 : 0;
}

/* Codes of register r, at their place of a word, as numbers that still lack what is subtracted: integers. */
TC_DEV_SM80 uint32_t tc__weights_integer(tc_gemm_config_in c, uint32_t word, const int r)
{
    const int f16 = c.a == TC_F16, four = tc_type_bits(c.weights) == 4;
    if (!f16 && four) return (r < 2 ? word : word >> 8) & (r % 2 ? 0x00f000f0u : 0x000f000fu);
    if (!f16) return ((r % 2 ? word >> 8 : word) & 0x00ff00ffu) ^ 0x00800080u;
    const uint32_t x = word >> (four ? 4 * r : 8 * (r % 2));
    return four ? tc__weights_under(x, 0x000f000fu, 0x64006400u) : (x & 0x00ff00ffu) ^ 0x64806480u;
}

/* The same of e2m1, e4m3. */
TC_DEV_SM80 uint32_t tc__weights_float(tc_gemm_config_in c, uint32_t word, const int r)
{
    const int f16 = c.a == TC_F16, four = tc_type_bits(c.weights) == 4, at = four ? 4 * r : 8 * (r % 2);
    const uint32_t sign = tc__weights_move(word, (four ? 12 : 8) - at) & 0x80008000u;
    const uint32_t rest = four ? tc__weights_move(word, (f16 ? 9 : 6) - at) & (f16 ? 0x0e000e00u : 0x01c001c0u)
                               : tc__weights_move(word, (f16 ? 7 : 4) - at) & (f16 ? 0x3f803f80u : 0x07f007f0u);
    return f16 ? tc__weights_mul(c.a, sign | rest, four ? 0x74007400u : 0x5c005c00u) : sign | rest;
}

/* The instruction's four registers of a step, of its word, or two words. */
TC_DEV_SM80 void tc__weights_step(tc_gemm_config_in c, const uint32_t *words, const tc__weights_pair *f, uint32_t *a)
{
    const int four = tc_type_bits(c.weights) == 4, bf16 = c.a == TC_BF16;
    const int less = bf16 ? c.weights_zero : c.weights_zero || tc__weights_base(c.weights, c.a) != 0;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const uint32_t word = words[four ? 0 : r / 2];
        uint32_t x = tc__weights_is_float(c) ? tc__weights_float(c, word, r) : tc__weights_integer(c, word, r);
        if (less) x = tc__weights_sub(c.a, x, f->less[r % 2]);
        if (bf16 && tc__weights_more(c)) a[r] = tc__weights_fma(x, f->scale[r % 2], f->less[r % 2]);
        else a[r] = bf16 || c.weights_k ? tc__weights_mul(c.a, x, f->scale[r % 2]) : x;
    }
}

TC_DEV uint32_t tc__weights_half(uint32_t at)
{
    uint32_t x;
    asm volatile("ld.shared.u16 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    return x;
}

/* What a thread reads of half a block of k: codes, and for each of its groups, for each of the thread's two rows, the
 * factor and what is subtracted. */
typedef struct tc__weights_raw {
    uint32_t words[8];
    uint32_t scale[2][2], less[2][2];
} tc__weights_raw;

/* Groups of half a block, or 1 that it has part of; words of a thread; does the second half have the first one's
 * group? */
TC_DEV int tc__weights_groups(tc_gemm_config_in c)
{
    return c.weights_k && c.bk / 2 > c.weights_k ? c.bk / 2 / c.weights_k : 1;
}
TC_DEV int tc__weights_words(tc_gemm_config_in c) { return c.bk / 32 * (tc_type_bits(c.weights) / 4); }
TC_DEV int tc__weights_same(tc_gemm_config_in c, const int half) { return half == 1 && c.weights_k >= c.bk; }

/* Factors, made ready, of the half of a block that was read with them. */
TC_DEV void tc__weights_take_factors(tc__weights_raw *to, const tc__weights_raw *from)
{
#pragma unroll
    for (int j = 0; j < 2; j++) to->scale[0][j] = from->scale[0][j], to->less[0][j] = from->less[0][j];
}

/* Where a thread's codes begin in a warpgroup's brick, or in the half of it that is there, and its factors: within a
 * slot, or with where that begins. */
typedef struct tc__weights_place {
    uint32_t codes, factors;
} tc__weights_place;

TC_DEV tc__weights_place tc__weights_place_in(tc__weights_place own, uint32_t slot)
{
    const tc__weights_place p = {own.codes + slot, own.factors + slot};
    return p;
}
TC_DEV uint32_t tc__weights_codes_at(tc_gemm_config_in c, tc__weights_place p, const int half, const int i)
{
    const int word = half * tc__weights_words(c) + i;
    return p.codes + (uint32_t)(word / 4 * 2048 + word % 4 * 4);
}
TC_DEV uint32_t tc__weights_factors_at(tc_gemm_config_in c, tc__weights_place p, const int half, const int i)
{
    const int group = half * (c.bk / 2) / c.weights_k + i;
    return p.factors + (uint32_t)(group * (c.weights_zero ? 2 : 1) * TC_WEIGHTS_ROWS * 2);
}

/* half, a constant: 0 or 1. */
TC_DEV_SM80 void tc__weights_read(tc_gemm_config_in c, tc__weights_place p, const int half, tc__weights_raw *raw)
{
    const int words = tc__weights_words(c);
#pragma unroll
    for (int i = 0; i < words; i += words < 4 ? 2 : 4) {
        const uint32_t at = tc__weights_codes_at(c, p, half, i);
        uint32_t *w = raw->words + i;
        if (words < 4)
            asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(w[0]), "=r"(w[1]) : "r"(at) : "memory");
        else
            asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "r"(at) : "memory");
    }
    if (c.weights_k == 0 || tc__weights_same(c, half)) return;
#pragma unroll
    for (int i = 0; i < tc__weights_groups(c); i++) {
        const uint32_t at = tc__weights_factors_at(c, p, half, i);
#pragma unroll
        for (int j = 0; j < 2; j++) {
            raw->scale[i][j] = tc__weights_half(at + (uint32_t)j * 16u);
            if (c.weights_zero) raw->less[i][j] = tc__weights_half(at + (uint32_t)(TC_WEIGHTS_ROWS * 2 + j * 16));
        }
    }
}

/* Where k is 0 there are no weights: codes and factors of 0 in their place, in the one slot that a tile then has. Sums
 * set to 0 instead would make ptxas serialise all wgmma. */
TC_DEV_SM80 void tc__weights_blank(tc_gemm_config_in c, tc__weights_place p)
{
    const uint32_t zero = tc__weights_turn(c.weights, 0u) * (tc_type_bits(c.weights) == 4 ? 0x11111111u : 0x01010101u);
    __syncwarp();
#pragma unroll 1
    for (int i = 0; i < 2 * tc__weights_words(c); i++)
        asm volatile("st.shared.b32 [%0], %1;" : : "r"(tc__weights_codes_at(c, p, 0, i)), "r"(zero) : "memory");
    if (c.weights_k && threadIdx.x % 4u == 0u)
#pragma unroll 1
        for (int i = 0; i < (c.bk > c.weights_k ? c.bk / c.weights_k : 1) * (c.weights_zero ? 2 : 1); i++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                asm volatile("st.shared.b16 [%0], %1;"
                             : : "r"(p.factors + (uint32_t)(i * TC_WEIGHTS_ROWS * 2 + j * 16)), "h"((uint16_t)0)
                             : "memory");
    __syncwarp();
}

/* What was read of a group and a row, made ready for its codes. bf16: factors that fill up the powers of two that the
 * codes are short of, but for TC__WEIGHTS_DOWN. */
TC_DEV_SM80 void tc__weights_ready(tc_gemm_config_in c, const int row, uint32_t *scale, uint32_t *less)
{
    const int f16 = c.a == TC_F16, up = tc__weights_short(c, row), base = tc__weights_base(c.weights, TC_BF16);
    const uint32_t s = c.weights_k ? *scale * 0x10001u : tc__weights_power(0);
    if (c.weights_zero) *less *= 0x10001u;
    *scale = f16 ? s : tc__weights_mul(TC_BF16, s, tc__weights_power(up - TC__WEIGHTS_DOWN));
    if (f16 && !c.weights_zero) *less = tc__weights_twice(TC_F16, tc__weights_base(c.weights, TC_F16));
    if (!f16 && c.weights_zero) /* base is 128 or -128 */
        *less = tc__weights_fma(*less, tc__weights_power(-up),
                                tc__weights_power(7 - up) | (base > 0 ? 0x80008000u : 0u));
    if (!f16 && tc__weights_more(c))
        *less = tc__weights_mul(TC_BF16, s, tc__weights_power((c.weights == TC_S4 ? 3 : 7) - TC__WEIGHTS_DOWN)
                                                | 0x80008000u);
}

/* wgmma's registers of half a block of k, step after step, of what was read of it. */
TC_DEV_SM80 void tc__weights_make(tc_gemm_config_in c, tc__weights_raw *raw, const int half, uint32_t *a)
{
    const int each = tc_type_bits(c.weights) / 4, steps = c.bk / 32, groups = tc__weights_groups(c);
    if (!tc__weights_same(c, half)) {
#pragma unroll
        for (int i = 0; i < 2 * groups; i++)
            tc__weights_ready(c, i % 2, &raw->scale[i / 2][i % 2], &raw->less[i / 2][i % 2]);
    }
#pragma unroll
    for (int s = 0; s < steps; s++) {
        tc__weights_pair f;
#pragma unroll
        for (int j = 0; j < 2; j++) {
            f.scale[j] = raw->scale[s * groups / steps][j];
            f.less[j] = raw->less[s * groups / steps][j];
        }
        tc__weights_step(c, raw->words + s * each, &f, a + 4 * s);
    }
}

/* What bf16's sums are short of. */
TC_DEV void tc__weights_up_again(tc_gemm_config_in c, float *acc, const int count)
{
    if (c.a != TC_BF16) return;
#pragma unroll
    for (int i = 0; i < count; i++) acc[i] *= 18446744073709551616.f; /* 2^TC__WEIGHTS_DOWN */
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* Those of a checked call. */
TC_HOST tc_gemm_bricks tc__weights_bricks(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_gemm_bricks x = {NULL, 0, 0, 0};
    if (!c->weights) return x;
    x.at = g->k ? (const char *)g->b : NULL;
    x.batch = g->stride_b;
    x.rows = tc__weights_up(g->n, TC_WEIGHTS_ROWS), x.along = tc__weights_up(g->k, TC_WEIGHTS_K);
    return x;
}

/* Packed weights have no pitch, and their stride is in bytes. */
TC_HOST tc_status tc__weights_call_check(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_weights w;
    w.type = c->weights, w.as = c->a, w.group = c->weights_k, w.zero = c->weights_zero, w.n = g->n, w.k = g->k;
    if (g->ldb)
        return tc__fail(TC_ERR_PITCH, "ldb = %lld, but packed weights have no pitch: leave it 0", (long long)g->ldb);
    if (c->weights_k && g->k % c->weights_k)
        return tc__fail(TC_ERR_SIZE, "k = %d is not a multiple of the kernel's .weights_k = %d", g->k, c->weights_k);
    if (g->k && (uintptr_t)g->b % 16)
        return tc__fail(TC_ERR_ALIGN, "b = %p is not a multiple of 16 bytes, as packed weights are", g->b);
    if (g->k && (g->batch > 1 || g->groups.count > 1) && g->stride_b
        && (g->stride_b % 16 || (uint64_t)g->stride_b < tc_weights_bytes(&w)))
        return tc__fail(TC_ERR_BATCH, "stride_b = %lld must be a multiple of 16 bytes, and %llu (tc_weights_bytes) or "
                        "more: that of packed weights is in bytes", (long long)g->stride_b,
                        (unsigned long long)tc_weights_bytes(&w));
    return TC_OK;
}

#endif /* host */
#endif /* TC_GEMM_WEIGHTS_H */
