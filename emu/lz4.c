/* lz4.c - the LZ4 block format: sequences of a token, literals, a 16-bit offset back and a match length. */
#include "fatbin.h"
#include <stdint.h>
#include <string.h>

/* A 4-bit length of 15 goes on in bytes, the last of which is below 255. -1 where the input ends first or
 * the length exceeds limit, which no valid length does. */
static long long extended(const uint8_t **p, const uint8_t *end, unsigned nibble, size_t limit)
{
    size_t length = nibble;
    if (nibble == 15) {
        uint8_t b;
        do {
            if (*p == end || length > limit) return -1;
            length += b = *(*p)++;
        } while (b == 255);
    }
    return length > limit ? -1 : (long long)length;
}

long lz4_block_decompress(const void *src, size_t n, void *dst, size_t cap)
{
    const uint8_t *p = src, *end = p + n;
    uint8_t *out = dst;
    size_t at = 0;
    while (p != end) {
        unsigned token = *p++;
        long long literals = extended(&p, end, token >> 4, cap - at);
        if (literals < 0 || literals > end - p) return -1;
        if (literals) memcpy(out + at, p, (size_t)literals);
        p += literals;
        at += (size_t)literals;
        if (p == end) return (long)at;                  /* the last sequence has literals only */

        if (end - p < 2) return -1;
        size_t offset = p[0] | (size_t)p[1] << 8;
        p += 2;
        if (offset == 0 || offset > at) return -1;
        long long match = extended(&p, end, token & 15, cap - at);
        if (match < 0 || (size_t)match + 4 > cap - at) return -1;
        for (match += 4; match; match--, at++) out[at] = out[at - offset];      /* they may overlap */
    }
    return -1;                                          /* ended with a match, or empty */
}
