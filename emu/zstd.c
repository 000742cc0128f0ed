/* zstd.c - decompression of Zstandard frames after RFC 8878; section numbers in the comments are its.
 * The whole output lies in memory, so the window is what the frame has written so far. */
#include "fatbin.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_MAX = 128 << 10,                              /* decompressed bytes of a block, 3.1.1.2.4 */
    LL_MAX = 35, OF_MAX = 31, ML_MAX = 52,              /* highest codes, 3.1.1.3.2.1.1 */
    LL_LOG = 9, OF_LOG = 8, ML_LOG = 9,                 /* highest accuracies of their tables */
    WEIGHT_LOG = 6, HUF_LOG = 11, HUF_WEIGHT_MAX = 12
};

typedef struct { uint16_t base; uint8_t symbol, bits; } fse_entry;
typedef struct { int log; fse_entry e[1 << LL_LOG]; } fse_table;        /* log < 0: none yet */
typedef struct { uint8_t symbol, bits; } huf_entry;
typedef struct { int log; huf_entry e[1 << HUF_LOG]; } huf_table;       /* log 0: none yet */

/* What lives as long as a frame; literals are the current block's. */
typedef struct {
    huf_table huf;
    fse_table ll, of, ml;
    uint32_t repeat[3];
    uint8_t literals[BLOCK_MAX];
} frame;

static uint32_t le(const uint8_t *p, int bytes)
{
    uint32_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint32_t)p[i] << (8 * i);
    return v;
}

static uint64_t le64(const uint8_t *p) { return le(p, 4) | (uint64_t)le(p + 4, 4) << 32; }

/* position of the highest set bit; v > 0 */
static int high_bit(uint32_t v)
{
    int b = 0;
    for (int step = 16; step; step >>= 1)
        if (v >> step) { v >>= step; b += step; }
    return b;
}

/* --- bits ------------------------------------------------------------------------------------------------------- */

/* A stream read from its end (4.1): left counts the bits before the place of reading. It goes below zero where more
 * was read than there is; those bits are 0, and whoever reads checks left. */
typedef struct { const uint8_t *p; size_t n; int64_t left; } bits;

static int bits_open(bits *b, const uint8_t *p, size_t n)
{
    if (n == 0 || p[n - 1] == 0) return -1;             /* the highest set bit of the last byte marks the end */
    *b = (bits){ p, n, (int64_t)(n - 1) * 8 + high_bit(p[n - 1]) };
    return 0;
}

/* the next count <= 32 bits, without moving */
static uint32_t bits_peek(const bits *b, int count)
{
    int64_t from = b->left - count;
    if (b->left <= 0 || count == 0) return 0;
    int missing = from < 0 ? (int)-from : 0;
    if (missing) from = 0;
    size_t byte = (size_t)(from >> 3);
    uint64_t v = 0;
    if (byte + 8 <= b->n) v = le64(b->p + byte);
    else for (size_t i = byte; i < b->n; i++) v |= (uint64_t)b->p[i] << (8 * (i - byte));
    v = v >> (from & 7) & (((uint64_t)1 << (count - missing)) - 1);
    return (uint32_t)(v << missing);
}

static uint32_t bits_read(bits *b, int count)
{
    uint32_t v = bits_peek(b, count);
    if (b->left >= 0) b->left -= count;                 /* once below zero it stays: no overflow, however long */
    return v;
}

/* --- FSE tables, 4.1.1 ------------------------------------------------------------------------------------------ */

/* Builds the decoding table of a distribution that sums to 1 << log, where a probability of -1 counts as 1. */
static void fse_build(fse_table *t, const int16_t *prob, int symbols, int log)
{
    uint16_t next[256];
    int size = 1 << log, high = size, at = 0, step = (size >> 1) + (size >> 3) + 3;
    t->log = log;
    for (int s = 0; s < symbols; s++) {
        next[s] = (uint16_t)(prob[s] < 0 ? 1 : prob[s]);
        if (prob[s] < 0) t->e[--high].symbol = (uint8_t)s;
    }
    for (int s = 0; s < symbols; s++)
        for (int i = 0; i < prob[s]; i++) {
            t->e[at].symbol = (uint8_t)s;
            do at = (at + step) & (size - 1); while (at >= high);
        }
    for (int i = 0; i < size; i++) {
        fse_entry *e = &t->e[i];
        int n = next[e->symbol]++;
        e->bits = (uint8_t)(log - high_bit((uint32_t)n));
        e->base = (uint16_t)((n << e->bits) - size);
    }
}

/* Reads a table's description of at most n bytes. Bytes used, or -1. */
static long fse_read(fse_table *t, const uint8_t *p, size_t n, int max_symbol, int max_log)
{
    int16_t prob[256];
    size_t at = 4;                                      /* in bits */
    int s = 0;
    if (n == 0) return -1;
    int log = (p[0] & 15) + 5;
    if (log > max_log) return -1;
    int left = 1 << log;
#define FORWARD(count) \
    ((le(p + at / 8, n - at / 8 < 4 ? (int)(n - at / 8) : 4) >> (at & 7)) & ((1u << (count)) - 1))
    while (left > 0) {
        if (s > max_symbol || at / 8 >= n) return -1;
        /* a value in 0..left+1: the lowest of them fit in one bit less */
        int width = high_bit((uint32_t)left + 1) + 1, spare = (1 << width) - 2 - left;
        int v = (int)FORWARD(width), low = v & ((1 << (width - 1)) - 1);
        if (low < spare) {
            v = low;
            at += (size_t)width - 1;
        } else {
            if (v >= 1 << (width - 1)) v -= spare;
            at += (size_t)width;
        }
        prob[s++] = (int16_t)(v - 1);
        left -= v == 0 ? 1 : v - 1;
        if (v != 1) continue;
        for (unsigned more = 3; more == 3; at += 2) {   /* zeros that follow a zero, counted in two-bit groups */
            if (at / 8 >= n) return -1;
            more = FORWARD(2);
            if (s + (int)more > max_symbol + 1) return -1;
            for (unsigned i = 0; i < more; i++) prob[s++] = 0;
        }
    }
#undef FORWARD
    if (left < 0 || (at + 7) / 8 > n) return -1;
    fse_build(t, prob, s, log);
    return (long)((at + 7) / 8);
}

/* --- Huffman, 4.2 ----------------------------------------------------------------------------------------------- */

/* The weights of a tree, FSE-compressed with two states in turn (4.2.1.2). Their number, or -1. */
static int huf_weights(uint8_t *weight, const uint8_t *p, size_t n)
{
    fse_table t;
    bits b;
    long used = fse_read(&t, p, n, HUF_WEIGHT_MAX, WEIGHT_LOG);
    if (used < 0 || bits_open(&b, p + used, n - (size_t)used) < 0) return -1;
    uint32_t state[2];
    state[0] = bits_read(&b, t.log);
    state[1] = bits_read(&b, t.log);
    if (b.left < 0) return -1;
    for (int i = 0; i < 254; i++) {
        fse_entry e = t.e[state[i & 1]];
        weight[i] = e.symbol;
        state[i & 1] = e.base + bits_read(&b, e.bits);
        /* nothing left to move on with: the other state's is the last */
        if (b.left < 0) {
            weight[i + 1] = t.e[state[~i & 1]].symbol;
            return i + 2;
        }
    }
    return -1;
}

/* Reads a tree's description. Bytes used, or -1. */
static long huf_read(huf_table *t, const uint8_t *p, size_t n)
{
    uint8_t weight[256];
    int count;
    size_t used;
    t->log = 0;
    if (n == 0) return -1;
    if (p[0] < 128) {
        used = 1 + (size_t)p[0];
        if (used > n || (count = huf_weights(weight, p + 1, p[0])) < 0) return -1;
    } else {
        count = p[0] - 127;
        used = 1 + ((size_t)count + 1) / 2;
        if (used > n) return -1;
        for (int i = 0; i < count; i++) weight[i] = i & 1 ? p[1 + i / 2] & 15 : p[1 + i / 2] >> 4;
    }
    /* the last symbol's weight is what completes the sum of 2^(weight - 1) to a power of two */
    uint32_t sum = 0;
    for (int i = 0; i < count; i++) {
        if (weight[i] > HUF_LOG) return -1;
        sum += weight[i] ? 1u << (weight[i] - 1) : 0;
    }
    if (sum == 0) return -1;
    int log = high_bit(sum) + 1;
    uint32_t rest = (1u << log) - sum;
    if (log > HUF_LOG || (rest & (rest - 1))) return -1;
    weight[count++] = (uint8_t)(high_bit(rest) + 1);

    huf_entry *e = t->e;
    for (int w = 1; w <= log; w++)                      /* longest codes first, symbols in order */
        for (int s = 0; s < count; s++)
            for (int i = weight[s] == w ? 1 << (w - 1) : 0; i; i--)
                *e++ = (huf_entry){ (uint8_t)s, (uint8_t)(log + 1 - w) };
    t->log = log;
    return (long)used;
}

static int huf_stream(const huf_table *t, const uint8_t *p, size_t n, uint8_t *out, size_t count)
{
    bits b;
    if (bits_open(&b, p, n) < 0) return -1;
    for (size_t i = 0; i < count; i++) {
        huf_entry e = t->e[bits_peek(&b, t->log)];
        out[i] = e.symbol;
        b.left -= e.bits;
        if (b.left < 0) return -1;
    }
    return b.left == 0 ? 0 : -1;
}

/* --- literals section, 3.1.1.3.1 -------------------------------------------------------------------------------- */

/* Fills f->literals. Bytes of the section, or -1. */
static long read_literals(frame *f, const uint8_t *p, size_t n, size_t *count)
{
    if (n == 0) return -1;
    int type = p[0] & 3, format = p[0] >> 2 & 3;
    if (type < 2) {                                     /* raw, RLE */
        size_t header = format == 1 ? 2 : format == 3 ? 3 : 1;
        if (n < header) return -1;
        *count = le(p, (int)header) >> (format & 1 ? 4 : 3);
        size_t content = type == 0 ? *count : 1;
        if (*count > BLOCK_MAX || content > n - header) return -1;
        if (type == 0) memcpy(f->literals, p + header, content);
        else memset(f->literals, p[header], *count);
        return (long)(header + content);
    }
    size_t header = format < 2 ? 3 : (size_t)format + 2;
    int width = format < 2 ? 10 : format == 2 ? 14 : 18;
    if (n < header) return -1;
    uint64_t sizes = le(p, header < 4 ? 3 : 4) | (header == 5 ? (uint64_t)p[4] << 32 : 0);
    *count = (size_t)(sizes >> 4 & ((1u << width) - 1));
    size_t size = (size_t)(sizes >> (4 + width) & ((1u << width) - 1)), total = header + size;
    if (*count > BLOCK_MAX || size > n - header) return -1;
    p += header;
    if (type == 2) {
        long used = huf_read(&f->huf, p, size);
        if (used < 0) return -1;
        p += used;
        size -= (size_t)used;
    } else if (f->huf.log == 0) return -1;              /* treeless: the tree of a block before */
    if (format == 0) return huf_stream(&f->huf, p, size, f->literals, *count) < 0 ? -1 : (long)total;

    /* four streams of equal output, the last one the remainder; the sizes of the first three lead */
    size_t each = (*count + 3) / 4;
    if (size < 6 || 3 * each > *count) return -1;
    size_t left = size - 6;
    const uint8_t *s = p + 6;
    for (int i = 0; i < 4; i++) {
        size_t bytes = i < 3 ? le(p + 2 * i, 2) : left;
        if (bytes > left || huf_stream(&f->huf, s, bytes, f->literals + (size_t)i * each, i < 3 ? each
                                       : *count - 3 * each) < 0)
            return -1;
        s += bytes;
        left -= bytes;
    }
    return (long)total;
}

/* --- sequences section, 3.1.1.3.2 ------------------------------------------------------------------------------- */

/* codes from 16 (lengths of literals) and 32 (of matches) on; below them a code is its value */
static const uint32_t ll_base[] = { 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
                                    16384, 32768, 65536 };
static const uint8_t ll_bits[] = { 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
static const uint32_t ml_base[] = { 35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195,
                                    16387, 32771, 65539 };
static const uint8_t ml_bits[] = { 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

/* predefined distributions, 3.1.1.3.2.2 */
static const int16_t ll_default[] = { 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2,
                                      1, 1, 1, 1, 1, -1, -1, -1, -1 };
static const int16_t of_default[] = { 1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1,
                                      -1, -1, -1 };
static const int16_t ml_default[] = { 1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                      1, 1, 1, 1, 1, 1, 1, 1, 1,
                                      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1 };

/* One of the three tables, as its mode says. Bytes used, or -1. */
static long read_table(fse_table *t, int mode, const uint8_t *p, size_t n, const int16_t *dist, int symbols,
                       int dist_log, int max_symbol, int max_log)
{
    switch (mode) {
    case 0:
        fse_build(t, dist, symbols, dist_log);
        return 0;
    case 1:
        if (n == 0 || p[0] > max_symbol) return -1;
        t->log = 0;
        t->e[0] = (fse_entry){ 0, p[0], 0 };
        return 1;
    case 2:
        return fse_read(t, p, n, max_symbol, max_log);
    default:
        return t->log < 0 ? -1 : 0;
    }
}

/* Offset values 1 to 3 stand for the offsets used last (3.1.1.5); 0: damaged */
static uint32_t offset_of(frame *f, uint32_t value, int no_literals)
{
    uint32_t *r = f->repeat, offset;
    if (value > 3) offset = value - 3;
    else {
        unsigned which = value - 1 + (unsigned)no_literals;
        offset = which < 3 ? r[which] : r[0] - 1;
        if (which == 0) return offset;
        if (which == 1) {
            r[1] = r[0];
            return r[0] = offset;
        }
    }
    r[2] = r[1];
    r[1] = r[0];
    return r[0] = offset;
}

/* A compressed block. Writes behind out[at], where out[begin] starts the frame; bytes written, or -1. */
static long read_block(frame *f, const uint8_t *p, size_t n, uint8_t *out, size_t begin, size_t at, size_t cap)
{
    size_t nliterals, start = at;
    long used = read_literals(f, p, n, &nliterals);
    if (used < 0) return -1;
    p += used;
    n -= (size_t)used;
    if (cap - at > BLOCK_MAX) cap = at + BLOCK_MAX;
    if (n == 0) return -1;
    size_t header = p[0] < 128 ? 1 : p[0] < 255 ? 2 : 3;
    if (n < header) return -1;
    uint32_t nseq = p[0] < 128 ? p[0] : p[0] < 255 ? (p[0] - 128u) << 8 | p[1] : le(p + 1, 2) + 0x7f00;
    p += header;
    n -= header;
    const uint8_t *lit = f->literals;
    if (nseq == 0 && n) return -1;
    if (nseq) {
        if (n == 0 || (p[0] & 3)) return -1;
        int modes = p[0];
        p++, n--;
#define TABLE(name, shift, dist, dist_log, max_symbol, max_log)                                                       \
        used = read_table(&f->name, modes >> (shift) & 3, p, n, dist, (int)(sizeof dist / sizeof *dist), dist_log,    \
                          max_symbol, max_log);                                                                       \
        if (used < 0) return -1;                                                                                      \
        p += used, n -= (size_t)used
        TABLE(ll, 6, ll_default, 6, LL_MAX, LL_LOG);
        TABLE(of, 4, of_default, 5, OF_MAX, OF_LOG);
        TABLE(ml, 2, ml_default, 6, ML_MAX, ML_LOG);
#undef TABLE
        bits b;
        if (bits_open(&b, p, n) < 0) return -1;
        uint32_t ll = bits_read(&b, f->ll.log), of = bits_read(&b, f->of.log), ml = bits_read(&b, f->ml.log);
        while (nseq--) {
            fse_entry l = f->ll.e[ll], o = f->of.e[of], m = f->ml.e[ml];
            uint32_t value = ((uint32_t)1 << o.symbol) + bits_read(&b, o.symbol);
            size_t match = m.symbol < 32 ? m.symbol + 3u
                   : ml_base[m.symbol - 32] + bits_read(&b, ml_bits[m.symbol - 32]);
            size_t length = l.symbol < 16 ? l.symbol : ll_base[l.symbol - 16] + bits_read(&b, ll_bits[l.symbol - 16]);
            if (nseq) {
                ll = l.base + bits_read(&b, l.bits);
                ml = m.base + bits_read(&b, m.bits);
                of = o.base + bits_read(&b, o.bits);
            }
            if (b.left < 0 || length > nliterals || length > cap - at) return -1;
            memcpy(out + at, lit, length);
            lit += length;
            nliterals -= length;
            at += length;
            size_t offset = offset_of(f, value, length == 0);
            if (offset == 0 || offset > at - begin || match > cap - at) return -1;
            if (offset >= match) {
                memcpy(out + at, out + at - offset, match);
                at += match;
            } else for (; match; match--, at++) out[at] = out[at - offset];     /* the match repeats itself */
        }
        if (b.left != 0) return -1;
    }
    if (nliterals > cap - at) return -1;
    if (nliterals) memcpy(out + at, lit, nliterals);
    return (long)(at + nliterals - start);
}

/* --- frames, 3.1 ------------------------------------------------------------------------------------------------ */

#define ROTL(v, n) ((v) << (n) | (v) >> (64 - (n)))

/* XXH64 with seed 0, whose low half is a frame's checksum */
static uint64_t xxh64(const uint8_t *p, size_t n)
{
    static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                          P4 = 0x85EBCA77C2B2AE63u, P5 = 0x27D4EB2F165667C5u;
#define ROUND(acc, v) (ROTL((acc) + (v) * P2, 31) * P1)
    uint64_t h = P5, total = n;
    if (n >= 32) {
        uint64_t acc[4] = { P1 + P2, P2, 0, 0 - P1 };
        for (; n >= 32; n -= 32, p += 32)
            for (int i = 0; i < 4; i++) acc[i] = ROUND(acc[i], le64(p + 8 * i));
        h = ROTL(acc[0], 1) + ROTL(acc[1], 7) + ROTL(acc[2], 12) + ROTL(acc[3], 18);
        for (int i = 0; i < 4; i++) h = (h ^ ROUND((uint64_t)0, acc[i])) * P1 + P4;
    }
    h += total;
    for (; n >= 8; n -= 8, p += 8) {
        h ^= ROUND((uint64_t)0, le64(p));
        h = ROTL(h, 27) * P1 + P4;
    }
    if (n >= 4) {
        h ^= le(p, 4) * P1;
        h = ROTL(h, 23) * P2 + P3;
        n -= 4, p += 4;
    }
    for (; n; n--, p++) {
        h ^= *p * P5;
        h = ROTL(h, 11) * P1;
    }
#undef ROUND
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}

/* One frame at *src, behind its magic number; moves *src and *n past it. Bytes written at out[begin], or -1. */
static long read_frame(frame *f, const uint8_t **src, size_t *n, uint8_t *out, size_t begin, size_t cap)
{
    const uint8_t *p = *src, *end = p + *n;
    if (p == end) return -1;
    int descriptor = *p++, single = descriptor >> 5 & 1;
    static const uint8_t id_bytes[] = { 0, 1, 2, 4 };
    int dictionary = id_bytes[descriptor & 3], content = descriptor >> 6 ? 1 << (descriptor >> 6) : single;
    if (descriptor & 8) return -1;                      /* reserved */
    if (end - p < !single + dictionary + content) return -1;
    p += !single;                                       /* the window's size says nothing here */
    if (le(p, dictionary)) return -1;
    p += dictionary;
    uint64_t expect = content == 8 ? le64(p) : le(p, content) + (content == 2 ? 256u : 0);
    p += content;
    if (content && expect > cap - begin) return -1;

    f->huf.log = 0;
    f->ll.log = f->of.log = f->ml.log = -1;
    f->repeat[0] = 1, f->repeat[1] = 4, f->repeat[2] = 8;
    size_t at = begin;
    for (int last = 0; !last;) {
        if (end - p < 3) return -1;
        uint32_t header = le(p, 3);
        size_t size = header >> 3, type = header >> 1 & 3, bytes = type == 1 ? 1 : size;
        last = header & 1;
        p += 3;
        if (size > BLOCK_MAX || type == 3 || bytes > (size_t)(end - p)) return -1;
        if (type == 2) {
            long written = read_block(f, p, size, out, begin, at, cap);
            if (written < 0) return -1;
            at += (size_t)written;
        } else {
            if (size > cap - at) return -1;
            if (size && type == 0) memcpy(out + at, p, size);
            if (size && type == 1) memset(out + at, *p, size);
            at += size;
        }
        p += bytes;
    }
    if (content && at - begin != expect) return -1;
    if (descriptor & 4) {
        if (end - p < 4 || le(p, 4) != (uint32_t)xxh64(out + begin, at - begin)) return -1;
        p += 4;
    }
    *n = (size_t)(end - p);
    *src = p;
    return (long)(at - begin);
}

long zstd_decompress(const void *src, size_t n, void *dst, size_t cap)
{
    const uint8_t *p = src;
    size_t at = 0;
    frame *f = malloc(sizeof *f);
    if (!f) return -1;
    if (!dst) dst = f->literals, cap = 0;               /* memcpy() takes no NULL, not even for nothing */
    while (n >= 4) {
        uint32_t magic = le(p, 4);
        p += 4, n -= 4;
        if ((magic & ~15u) == 0x184D2A50) {             /* skippable, 3.1.2 */
            if (n < 4 || le(p, 4) > n - 4) break;
            uint32_t skip = le(p, 4);
            p += 4 + (size_t)skip, n -= 4 + (size_t)skip;
        } else {
            long written = magic == 0xFD2FB528 ? read_frame(f, &p, &n, dst, at, cap) : -1;
            if (written < 0) { n = 1; break; }
            at += (size_t)written;
        }
        if (n == 0) break;
    }
    free(f);
    return n ? -1 : (long)at;
}
