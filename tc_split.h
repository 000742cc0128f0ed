/* tc_split.h - tc 0.2.0 - tiles whose k is split between blocks: how the blocks of a tile meet. Needs: tc_work.h.
 *
 * Each block of a tile leaves its sums in a workspace and arrives at the tile's counter. When all parts are there, the
 * sums of a tile are added up, always in the order of k, and go to D. That work is cut into slices, one for each of the
 * first 16 blocks:
 *
 *     tc_gemm_split                what a kernel is given: parts, counters, sums
 *     tc_split_bytes (host)        what they take
 *     tc_split_arrive              one thread of a block: which slices are this block's to add up, as bits
 *     tc_split_leave               the same thread, when they are done: the last to leave sets the counter back
 *
 * A block that waits for the others holds a multiprocessor that they may need (another kernel that waits in the same
 * way may hold the rest). So nobody waits for ever: after `patience` nanoseconds a block gives its slice up and goes
 * on, and the last to arrive takes all that were given up. Who adds is a matter of time, what is added is not: the same
 * bits every time.
 *
 * COUNTER, 64 bits: blocks that arrived (bits 0-7), blocks that left (8-15), slices given up (16-31), and a mark
 * (32-63). Without the mark it is no counter yet: a workspace may hold anything before its first use. Between calls it
 * is 0 but for the mark.
 */
#ifndef TC_SPLIT_H
#define TC_SPLIT_H

#include "tc_core.h"
#include "tc_work.h"

enum { TC_SPLIT_MOST = 255, TC_SPLIT_SLICES = 16 }; /* parts of a tile; slices of its sums */

typedef struct tc_gemm_split {
    uint32_t k_each, k_more; /* steps of k of a part: k_each, and one more for the first k_more parts */
    uint32_t parts;          /* of each tile; 1: nothing is split */
    uint32_t patience;       /* nanoseconds */
    unsigned long long *counters; /* one for each tile */
    float *sums;                  /* tile after tile, part after part */
    tc_divide by_parts;
} tc_gemm_split;

TC_HD uint32_t tc_split_slices(uint32_t parts) { return parts < TC_SPLIT_SLICES ? parts : (uint32_t)TC_SPLIT_SLICES; }

#ifdef __CUDACC__

#define TC__SPLIT_MARK 0x74635370ull /* "tcSp" */

TC_DEV_SM80 unsigned long long tc__split_read(const unsigned long long *counter)
{
    unsigned long long v;
    asm volatile("ld.acquire.gpu.global.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(counter)) : "memory");
    return v;
}

TC_DEV unsigned long long tc__split_ns(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* Before it: the sums are written, each writer has fenced (__threadfence) and all have met at a barrier. After it: a
 * barrier, then the sums of all parts may be read. wait: 0 to give the slice up at once. */
TC_DEV_SM80 uint32_t tc_split_arrive(const tc_gemm_split *s, uint32_t tile, uint32_t part, int wait)
{
    unsigned long long *counter = s->counters + tile;
    unsigned long long now = atomicAdd(counter, 1ull) + 1u, seen, start;
    const uint32_t mine = part < tc_split_slices(s->parts) ? 1u << part : 0u;
    while (now >> 32 != TC__SPLIT_MARK) { /* its first use: one of the blocks makes it a counter, and all count again */
        seen = atomicCAS(counter, now, (TC__SPLIT_MARK << 32) + 1u);
        if (seen == now) now = (TC__SPLIT_MARK << 32) + 1u;
        else now = seen >> 32 == TC__SPLIT_MARK ? atomicAdd(counter, 1ull) + 1u : seen;
    }
    if ((uint32_t)now % 256u == s->parts) { /* the last: all that was given up is this block's */
        if (((uint32_t)now >> 16) == 0u) { /* who gives up from now on sees that all are there, and takes it back */
            __threadfence();
            return mine;
        }
        now = atomicAnd(counter, ~0xffff0000ull);
        __threadfence();
        return mine | (uint32_t)now >> 16;
    }
    if (!mine) return 0u;
    start = wait && s->patience ? tc__split_ns() : 0u;
    while (start) {
        if ((uint32_t)tc__split_read(counter) % 256u == s->parts) return mine;
        if (tc__split_ns() - start > s->patience) break;
        __nanosleep(64); /* the counter is where the others arrive */
    }
    now = atomicOr(counter, (unsigned long long)mine << 16);
    if ((uint32_t)now % 256u != s->parts) return 0u;
    /* the last came just now: whoever clears the bit adds */
    now = atomicAnd(counter, ~((unsigned long long)mine << 16));
    __threadfence();
    return (uint32_t)now >> 16 & mine;
}

/* After a barrier of those who read. */
TC_DEV_SM80 void tc_split_leave(const tc_gemm_split *s, uint32_t tile)
{
    const unsigned long long old = atomicAdd(s->counters + tile, 256ull);
    if (((uint32_t)old >> 8) % 256u + 1u == s->parts) atomicExch(s->counters + tile, TC__SPLIT_MARK << 32);
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

TC_HOST size_t tc__split_counter_bytes(uint32_t tiles) { return ((size_t)tiles * 8 + 255) / 256 * 256; }

/* Bytes of the workspace for `tiles` tiles of `elements` floats in `parts` parts: the counters, then the sums. */
TC_HOST size_t tc_split_bytes(uint32_t tiles, uint32_t parts, size_t elements)
{
    return parts < 2 ? 0 : tc__split_counter_bytes(tiles) + (size_t)tiles * parts * elements * sizeof(float);
}

/* workspace: a multiple of 16 bytes. k: steps of k in all, at least parts. */
TC_HOST tc_gemm_split tc_split_make(void *workspace, uint32_t tiles, uint32_t parts, uint32_t k)
{
    tc_gemm_split s;
    s.parts = parts;
    s.by_parts = tc_divide_by(parts);
    s.k_each = k / parts;
    s.k_more = k % parts;
    s.patience = 100000;
    s.counters = (unsigned long long *)workspace;
    s.sums = parts < 2 || !workspace ? 0 : (float *)((char *)workspace + tc__split_counter_bytes(tiles));
    return s;
}

#endif /* host */
#endif /* TC_SPLIT_H */
