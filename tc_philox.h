/* tc_philox.h - tc 0.2.0 - Philox4x32-10, numbers by their place; masks of dropout made of them. Needs: tc_core.h.
 *
 *     uint32_t x[4] = {place, 0, 0, 0}, key[2] = {seed, 0};
 *     tc_philox4x32_10(x, key);                  x: 128 random bits that belong to this place, whoever asks and when
 *
 * CONTENTS
 *     tc_philox4x32_10        a counter of four words becomes four random words (Salmon, Moraes, Dror, Shaw: Parallel
 *                             Random Numbers: As Easy as 1, 2, 3, SC 2011). Host and device
 *     tc_dropout_scale        what dropout with probability p multiplies what it keeps by
 *     tc_attn_dropout_keeps   does it keep this probability of attention? tc_attn_work.h
 *
 * THE MASK. One call serves eight probabilities: queries q and q + 8 by keys kv, kv + 1, kv + 8 and kv + 9, of which q
 * has bit 3 cleared and kv bits 0 and 3. Then one lane of mma.sync or wgmma has all of them where queries are the
 * fragment's rows (attention forward, and backward on sm_80), and two lanes that trade halves have them where keys are
 * (backward on Hopper), so that no call is made twice. Of its words number 2 * (bit 0 of kv) + (bit 3 of kv) is theirs,
 * of that the lower half where bit 3 of q is cleared: 16 bits, and the probability is dropped where they are below
 * p * 2^16. p therefore counts in steps of 2^-16: rounded to the nearest one, at most 1 - 2^-16. What is kept is
 * multiplied by 1 / (1 - p) of the rounded p, so that the mean is right.
 *     The counter is the place, (key, query, head, batch) without the three bits; heads and batches are taken by xor
 * with two words of what seed and offset give, and the other two are the key: seed and offset go through the generator
 * once, by which of one seed no two offsets have the same four words.
 */
#ifndef TC_PHILOX_H
#define TC_PHILOX_H

#include "tc_core.h"

/* One of ten rounds. */
TC_HD void tc__philox_round(uint32_t *c, uint32_t k0, uint32_t k1)
{
    const uint64_t a = (uint64_t)0xd2511f53u * c[0], b = (uint64_t)0xcd9e8d57u * c[2];
    c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
    c[1] = (uint32_t)b;
    c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
    c[3] = (uint32_t)a;
}

/* All of them. keys: two for each round. Not a loop: where they are a kernel's parameters each is to be an operand. */
TC_HD void tc__philox_rounds(uint32_t *c, const uint32_t *keys)
{
    tc__philox_round(c, keys[0], keys[1]);
    tc__philox_round(c, keys[2], keys[3]);
    tc__philox_round(c, keys[4], keys[5]);
    tc__philox_round(c, keys[6], keys[7]);
    tc__philox_round(c, keys[8], keys[9]);
    tc__philox_round(c, keys[10], keys[11]);
    tc__philox_round(c, keys[12], keys[13]);
    tc__philox_round(c, keys[14], keys[15]);
    tc__philox_round(c, keys[16], keys[17]);
    tc__philox_round(c, keys[18], keys[19]);
}

TC_HD void tc__philox_keys(uint32_t *keys, uint32_t k0, uint32_t k1)
{
    int i;
    for (i = 0; i < 10; i++) {
        keys[2 * i] = k0 + (uint32_t)i * 0x9e3779b9u;
        keys[2 * i + 1] = k1 + (uint32_t)i * 0xbb67ae85u;
    }
}

/* counter: four words, in and out; key: two. */
TC_HD void tc_philox4x32_10(uint32_t *counter, const uint32_t *key)
{
    uint32_t keys[20];
    tc__philox_keys(keys, key[0], key[1]);
    tc__philox_rounds(counter, keys);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Dropout: what a kernel knows of it. It lies behind the hooks' arguments, so that the parameters of kernels without it
 * are what they were; the rounds' keys are there ready made, operands in constant memory rather than 20 registers.
 */
typedef struct tc__dropout {
    uint32_t keys[20], mix[2];
    uint32_t below; /* what is below it, compared in the upper half of a word, is dropped */
    float scale;    /* of what is kept */
} tc__dropout;
enum { TC__DROPOUT_AT = TC_EPI_MAX / 16 * 16 - (int)sizeof(tc__dropout) };

/* Rules of a configuration of attention, as TC__ATTN_RULES. */
#define TC__ATTN_DROPOUT_RULES(X, c)                                                                                  \
    X((c).dropout == 0 || (c).dropout == 1, "tc: .dropout is 0 or 1")                                                 \
    X(!(c).dropout || (c).hook_size <= TC__DROPOUT_AT,                                                                \
      "tc: with .dropout .hook_size must be at most TC_EPI_MAX - 96: the rest holds what the mask is made of")

/* Of 65536, how many are dropped. */
TC_HD uint32_t tc__dropout_steps(float p)
{
    const uint32_t n = p > 0.f && p < 1.f ? (uint32_t)(p * 65536.f + 0.5f) : p >= 1.f ? 65535u : 0u;
    return n > 65535u ? 65535u : n;
}
TC_HD float tc_dropout_scale(float p) { return 65536.f / (float)(65536u - tc__dropout_steps(p)); }

TC_HD void tc__dropout_make(tc__dropout *d, float p, uint64_t seed, uint64_t offset)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t x[4] = {(uint32_t)offset, (uint32_t)(offset >> 32), 0u, 0u};
    tc_philox4x32_10(x, key);
    tc__philox_keys(d->keys, x[0], x[1]);
    d->mix[0] = x[2], d->mix[1] = x[3];
    d->below = tc__dropout_steps(p) << 16;
    d->scale = tc_dropout_scale(p);
}

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* And for a call. has: the kernel was defined with .dropout. */
TC_HOST tc_status tc__attn_check_dropout(int has, float p, uint64_t seed, uint64_t offset)
{
    if (has)
        return p >= 0.f && p < 1.f ? TC_OK : tc__fail(TC_ERR_SIZE, "dropout_p = %g must be 0 or more and below 1",
                                                      (double)p);
    if (p == 0.f && !seed && !offset) return TC_OK;
    if (p != 0.f)
        return tc__fail(TC_ERR_SIZE, "dropout_p = %g is given, but the kernel was defined without .dropout", (double)p);
    return tc__fail(TC_ERR_SIZE, "dropout_%s = %llu is given, but the kernel was defined without .dropout",
                    seed ? "seed" : "offset", (unsigned long long)(seed ? seed : offset));
}

/* Into a kernel's parameters. */
TC_HOST void tc__dropout_put(unsigned char *hook, float p, uint64_t seed, uint64_t offset)
{
    tc__dropout d;
    tc__dropout_make(&d, p, seed, offset);
    memcpy(hook + TC__DROPOUT_AT, (const void *)&d, sizeof d);
}

#endif /* host */

/* Where it is in them. */
TC_HD const tc__dropout *tc__dropout_in(const unsigned char *hook)
{
    return (const tc__dropout *)(const void *)(hook + TC__DROPOUT_AT);
}

/* Eight probabilities: see THE MASK. column: key / 16 * 4 + key % 8 / 2; row: query / 16 * 8 + query % 8. */
typedef struct tc__dropout_patch {
    uint32_t column, row, head, batch;
} tc__dropout_patch;

TC_HD void tc__dropout_words(const tc__dropout *d, const tc__dropout_patch at, uint32_t *w)
{
    w[0] = at.column, w[1] = at.row, w[2] = at.head ^ d->mix[0], w[3] = at.batch ^ d->mix[1];
    tc__philox_rounds(w, d->keys);
}

/* Is the upper or the lower half of a word dropped? */
TC_HD int tc__dropout_drops(const tc__dropout *d, uint32_t word, int upper)
{
    return (upper ? word : word << 16) < d->below;
}

#endif /* TC_PHILOX_H */
