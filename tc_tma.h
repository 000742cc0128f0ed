/* tc_tma.h - tc 0.2.0 - bulk and tensor copies, tensor maps. Needs: tc_mbarrier.h, tc_memory.h, tc_swizzle.h, which it
 * includes; sm_90.
 *
 * Device, one box of 64 x 128 bf16 into shared memory:
 *
 *     if (threadIdx.x == 0) {                           bar: a uint64_t in shared memory, tc_mbarrier_init(bar, 1) done
 *         tc_mbarrier_arrive_expect_tx(bar, 128 * 64 * 2);
 *         tc_cp_async_bulk_tensor_2d(smem, &p.tmap, k0, row0, bar);
 *     }
 *     TC_MBARRIER_WAIT(bar, 0, "tile", 0);
 *
 * Host, the map of that matrix (m rows, k columns, pitch lda elements):
 *
 *     tc_tmap_desc desc = { .type = TC_BF16, .rank = 2, .base = A, .dim = { k, m }, .stride = { lda * 2 },
 *                           .box = { 64, 128 }, .swizzle = 128 };
 *     tc_status st = tc_tmap_encode(&params.tmap, &desc);   params: const __grid_constant__
 *
 * CONTENTS (shared addresses are uint32_t; coordinates are elements, innermost first)
 *     tensor copies   tc_cp_async_bulk_tensor_{1..5}d            global to shared, completes on an mbarrier
 *                       ... _multicast                           to the same offset in every CTA of a mask
 *                       ... _hint, _multicast_hint               with an L2 cache policy
 *                       ... _store                               shared to global, completes by bulk group
 *                     tc_cp_reduce_async_bulk_tensor_{1..5}d_{add,min,max,inc,dec,and,or,xor}
 *                     tc_cp_async_bulk_prefetch_tensor_{1..5}d   global to L2
 *     and with every qualifier, PTX's tokens in PTX's order, an empty place for what is left out; (c..), (w..): lists
 *     in parentheses
 *       TC_CP_ASYNC_BULK_TENSOR(dim, dst_space, mode, multicast, group, hint, dst, tmap, (c..), bar[, (w..)][, mask]
 *                               [, policy])
 *       TC_CP_ASYNC_BULK_TENSOR_STORE(dim, mode, hint, tmap, (c..), src[, policy])
 *       TC_CP_REDUCE_ASYNC_BULK_TENSOR(dim, op, mode, hint, tmap, (c..), src[, policy])
 *       TC_CP_ASYNC_BULK_PREFETCH_TENSOR(dim, mode, hint, tmap, (c..)[, (w..)][, policy])
 *         dim        1d 2d 3d 4d 5d
 *         dst_space  shared::cluster   shared::cta
 *         mode       (none) tile                as many coordinates as dimensions
 *                    tile::gather4              2d: the column, then four rows    sm_100a; into shared::cta any sm_100
 *                    tile::scatter4             the same, of a store              sm_100a
 *                    im2col                     3d..5d: coordinates, and (w..): dim - 2 offsets (uint16_t)
 *                    im2col_no_offs             3d..5d, of stores and reductions
 *                    im2col::w  im2col::w::128  3d..5d, and (w..): 2 offsets  sm_100a; ::w into shared::cta any sm_100
 *         multicast  multicast::cluster         with mask (uint16_t), into shared::cluster
 *         group      1 2 (of cta_group::)                                               sm_100a
 *         hint       L2::cache_hint             with policy
 *     bulk copies     tc_cp_async_bulk_g2s, _g2s_hint, _g2s_multicast, _g2s_multicast_hint, _g2cta, _g2cta_hint,
 *                     _s2cluster, _s2g, _s2g_hint, _s2g_mask, _s2g_hint_mask (sm_100: bit i of mask writes byte i of
 *                     each 16), _prefetch, _prefetch_hint;
 *                     tc_cp_reduce_async_bulk_add_{u32,s32,u64,f32,f16,bf16}, TC_CP_REDUCE_ASYNC_BULK(op, type, dst,
 *                     src, bytes), TC_CP_REDUCE_ASYNC_BULK_HINT(..., policy), TC_CP_REDUCE_ASYNC_BULK_CLUSTER(op, type,
 *                     dst, src, bytes, bar)
 *     bulk groups     tc_cp_async_bulk_commit_group, TC_CP_ASYNC_BULK_WAIT_GROUP(n),
 *                     TC_CP_ASYNC_BULK_WAIT_GROUP_READ(n)
 *     tensor maps     tc_tmap; host: tc_tmap_desc, tc_tmap_check, tc_tmap_encode, tc_tmap_text; tc_tmap_im2col_desc,
 *                     tc_tmap_im2col_check, tc_tmap_im2col_encode, tc_tmap_im2col_text (im2col, im2col::w,
 *                     im2col::w::128); tc_tmap_replace_address; device: tc_prefetch_tensormap,
 *                     TC_PREFETCH_TENSORMAP(q, p), TC_TENSORMAP_REPLACE(field, space, p, ...),
 *                     TC_TENSORMAP_CP_FENCEPROXY(scope, dst, src)
 *
 * A BOX IN SHARED MEMORY: row after row, box[0] elements a row, then box[1] rows, and so on; rows are as long as the
 * swizzle is wide (or box[0] elements without one), and swizzled as tc_swizzle.h draws. In global memory and in the
 * box:
 *
 *     dim[0] --->                      shared:  row 0 of the box | row 1 | ... | row box[1] - 1
 *     +--------------------+  dim[1]            what lies outside of the tensor is 0 (or NaN) and counts as bytes
 *     |   c0,c1            |   |
 *     |     +------+       |   v      im2col: pixels of a {C, W, H, D, N} tensor, channels innermost; the window walks
 *     |     | box  |       |          over W, H, D inside of lower..upper corner, and the offsets are
 *     +-----|      |-------+          where the filter's tap lies in it
 *           +------+
 *
 * TRAPS
 *     Shared side of a tensor copy: 128-byte aligned, and 256/512/1024 for a 32/64/128-byte swizzle. Bulk: 16 bytes,
 *     size % 16.
 *     A tensor map must be a __grid_constant__ parameter, or global memory followed by a tensormap fence. The map's
 *     address must be a generic 64-bit one: ptxas takes a 32-bit register in silence.
 *     Bytes out of bounds are filled and counted: expect the whole box always.
 *     The innermost coordinate must lie at a multiple of 16 bytes: sm_90 answers any other with "illegal instruction".
 *     Loads take negative coordinates; stores and reductions do not ("illegal instruction" again), only ones past the
 *     end.
 *     A store is cut at the last 16 bytes that hold an element of the tensor, not at the last element.
 *     sm_120 loads packed types (4 and 6 bits) into shared::cta only.
 *     multicast on a target without a or f, or on sm_120, is slow (ptxas says so in an advisory only).
 *     wait_group takes any integer, and one that is too large waits for nothing: here n is 0..63.
 *     bulk add of f16 and bf16 is add.noftz; f32 and f64 have add only; there is no add.s64.
 *     tensormap.replace: the rank field is the rank less 1; the map must be 128-byte aligned, and a
 *     TC_TENSORMAP_CP_FENCEPROXY or a tensormap fence must come before its next use.
 */
#ifndef TC_TMA_H
#define TC_TMA_H

#include "tc_core.h"
#include "tc_mbarrier.h"
#include "tc_memory.h"
#include "tc_swizzle.h"

/* The 128 opaque bytes of a tensor map (CUtensorMap). */
typedef struct TC_ALIGN(64) tc_tmap {
    uint64_t opaque[16];
} tc_tmap;

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: cp.async.bulk.tensor, and its reduce, store and prefetch forms, for 1 to 5 dimensions.
 * Coordinates are int32 elements and may lie past the end, and for loads be negative: what lies outside reads as the
 * map's fill and is not written by stores. The innermost one times the element's size must be a multiple of 16 bytes.
 * Called by one thread. (Operand numbers below: the coordinates come last, so that one table serves.)
 */
#define TC__CRD_1 int c0
#define TC__CRD_2 int c0, int c1
#define TC__CRD_3 int c0, int c1, int c2
#define TC__CRD_4 int c0, int c1, int c2, int c3
#define TC__CRD_5 int c0, int c1, int c2, int c3, int c4
#define TC__IN_1 "r"(c0)
#define TC__IN_2 "r"(c0), "r"(c1)
#define TC__IN_3 "r"(c0), "r"(c1), "r"(c2)
#define TC__IN_4 "r"(c0), "r"(c1), "r"(c2), "r"(c3)
#define TC__IN_5 "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
/* {coordinates} starting at operand 1, 2, 3, 4, 5 */
#define TC__AT1_1 "{%1}"
#define TC__AT1_2 "{%1,%2}"
#define TC__AT1_3 "{%1,%2,%3}"
#define TC__AT1_4 "{%1,%2,%3,%4}"
#define TC__AT1_5 "{%1,%2,%3,%4,%5}"
#define TC__AT2_1 "{%2}"
#define TC__AT2_2 "{%2,%3}"
#define TC__AT2_3 "{%2,%3,%4}"
#define TC__AT2_4 "{%2,%3,%4,%5}"
#define TC__AT2_5 "{%2,%3,%4,%5,%6}"
#define TC__AT3_1 "{%3}"
#define TC__AT3_2 "{%3,%4}"
#define TC__AT3_3 "{%3,%4,%5}"
#define TC__AT3_4 "{%3,%4,%5,%6}"
#define TC__AT3_5 "{%3,%4,%5,%6,%7}"
#define TC__AT4_1 "{%4}"
#define TC__AT4_2 "{%4,%5}"
#define TC__AT4_3 "{%4,%5,%6}"
#define TC__AT4_4 "{%4,%5,%6,%7}"
#define TC__AT4_5 "{%4,%5,%6,%7,%8}"
#define TC__AT5_1 "{%5}"
#define TC__AT5_2 "{%5,%6}"
#define TC__AT5_3 "{%5,%6,%7}"
#define TC__AT5_4 "{%5,%6,%7,%8}"
#define TC__AT5_5 "{%5,%6,%7,%8,%9}"

#define TC__TMA_LOAD "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define TC__TMA_RED(n, op)                                                                                           \
    TC_DEV_SM90 void tc_cp_reduce_async_bulk_tensor_##n##d_##op(const tc_tmap *tmap, uint32_t src, TC__CRD_##n)      \
    {                                                                                                                \
        asm volatile("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." #op ".tile.bulk_group [%0, "           \
                     TC__AT2_##n "], [%1];"                                                                           \
                     : : "l"(tmap), "r"(src), TC__IN_##n : "memory");                                                \
    }
#define TC__TMA(n)                                                                                                   \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d(uint32_t dst, const tc_tmap *tmap, TC__CRD_##n, uint32_t bar)    \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n TC__TMA_LOAD " [%0], [%1, " TC__AT3_##n "], [%2];"                   \
                     : : "r"(dst), "l"(tmap), "r"(bar), TC__IN_##n : "memory");                                      \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d_hint(uint32_t dst, const tc_tmap *tmap, TC__CRD_##n, uint32_t bar, \
                                                         uint64_t policy)                                            \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n TC__TMA_LOAD ".L2::cache_hint [%0], [%1, " TC__AT4_##n "], [%2], %3;" \
                     : : "r"(dst), "l"(tmap), "r"(bar), "l"(policy), TC__IN_##n : "memory");                         \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d_multicast(uint32_t dst, const tc_tmap *tmap, TC__CRD_##n,        \
                                                              uint32_t bar, uint16_t cta_mask)                       \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n TC__TMA_LOAD ".multicast::cluster [%0], [%1, " TC__AT4_##n            \
                     "], [%2], %3;"                                                                                   \
                     : : "r"(dst), "l"(tmap), "r"(bar), "h"(cta_mask), TC__IN_##n : "memory");                       \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d_multicast_hint(uint32_t dst, const tc_tmap *tmap, TC__CRD_##n,   \
                                                                   uint32_t bar, uint16_t cta_mask, uint64_t policy) \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n TC__TMA_LOAD ".multicast::cluster.L2::cache_hint [%0], [%1, "        \
                     TC__AT5_##n "], [%2], %3, %4;"                                                                  \
                     : : "r"(dst), "l"(tmap), "r"(bar), "h"(cta_mask), "l"(policy), TC__IN_##n : "memory");          \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d_store(const tc_tmap *tmap, uint32_t src, TC__CRD_##n)            \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group [%0, " TC__AT2_##n "], [%1];"  \
                     : : "l"(tmap), "r"(src), TC__IN_##n : "memory");                                                \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_prefetch_tensor_##n##d(const tc_tmap *tmap, TC__CRD_##n)                       \
    {                                                                                                                \
        asm volatile("cp.async.bulk.prefetch.tensor." #n "d.L2.global.tile [%0, " TC__AT1_##n "];"                   \
                     : : "l"(tmap), TC__IN_##n : "memory");                                                          \
    }                                                                                                                \
    TC__TMA_RED(n, add) TC__TMA_RED(n, min) TC__TMA_RED(n, max) TC__TMA_RED(n, inc)                                  \
    TC__TMA_RED(n, dec) TC__TMA_RED(n, and) TC__TMA_RED(n, or) TC__TMA_RED(n, xor)
TC__TMA(1)
TC__TMA(2)
TC__TMA(3)
TC__TMA(4)
TC__TMA(5)
#undef TC__TMA
#undef TC__TMA_RED
#undef TC__TMA_LOAD

/* PTX: prefetch.tensormap: brings a map (kernel parameter or global) into the descriptor cache. */
TC_DEV_SM90 void tc_prefetch_tensormap(const tc_tmap *tmap)
{
    asm volatile("prefetch.tensormap [%0];" : : "l"(tmap) : "memory");
}

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: cp.async.bulk. bytes: a multiple of 16; both addresses 16-byte aligned. Called by one thread.
 */
TC_DEV_SM90 void tc_cp_async_bulk_g2s(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar) : "memory");
}

TC_DEV_SM90 void tc_cp_async_bulk_g2s_multicast(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar,
                                                uint16_t cta_mask)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
        : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar), "h"(cta_mask)
        : "memory");
}

TC_DEV_SM90 void tc_cp_async_bulk_s2g(void *dst, uint32_t src, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 : : "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes) : "memory");
}

/* To another CTA of the cluster: dst and bar are shared::cluster addresses (tc_mapa) in the same CTA. */
TC_DEV_SM90 void tc_cp_async_bulk_s2cluster(uint32_t dst, uint32_t src, uint32_t bytes, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"(dst), "r"(src), "r"(bytes), "r"(bar) : "memory");
}

#define TC__BULK_ADD(type, mods)                                                                                     \
    TC_DEV_SM90 void tc_cp_reduce_async_bulk_add_##type(void *dst, uint32_t src, uint32_t bytes)                     \
    {                                                                                                                \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add" mods "." #type " [%0], [%1], %2;"      \
                     : : "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes) : "memory");                       \
    }
TC__BULK_ADD(u32, "")
TC__BULK_ADD(s32, "")
TC__BULK_ADD(u64, "")
TC__BULK_ADD(f32, "")
TC__BULK_ADD(f16, ".noftz")
TC__BULK_ADD(bf16, ".noftz")
#undef TC__BULK_ADD

/* PTX: cp.async.bulk.commit_group, .wait_group. n (a literal) newest groups may still be in flight afterwards.
 * _READ: only their reading of shared memory has to be over, so that it may be written again. Per thread. */
TC_DEV_SM90 void tc_cp_async_bulk_commit_group(void) { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }
#define TC__BULK_WAIT(read, n)                                                                                        \
    do {                                                                                                              \
        static_assert((n) >= 0 && (n) <= 63, "tc: cp.async.bulk.wait_group: n is a constant in 0..63");               \
        tc__needs_sm90();                                                                                             \
        asm volatile("cp.async.bulk.wait_group" read " %0;" : : "n"(n) : "memory");                                   \
    } while (0)
#define TC_CP_ASYNC_BULK_WAIT_GROUP(n) TC__BULK_WAIT("", n)
#define TC_CP_ASYNC_BULK_WAIT_GROUP_READ(n) TC__BULK_WAIT(".read", n)

/* The other forms. _g2cta: the destination is named as this CTA's own (shared::cta). _mask (sm_100): bit i of the mask
 * writes byte i of each 16. */
TC_DEV_SM90 void tc_cp_async_bulk_g2s_hint(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar, uint64_t policy)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
        : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar), "l"(policy)
        : "memory");
}
TC_DEV_SM90 void tc_cp_async_bulk_g2s_multicast_hint(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar,
                                                     uint16_t cta_mask, uint64_t policy)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
                 "[%0], [%1], %2, [%3], %4, %5;"
                 : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar), "h"(cta_mask), "l"(policy)
                 : "memory");
}
TC_DEV_SM90 void tc_cp_async_bulk_g2cta(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar) : "memory");
}
TC_DEV_SM90 void tc_cp_async_bulk_g2cta_hint(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar,
                                             uint64_t policy)
{
    asm volatile(
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
        : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar), "l"(policy)
        : "memory");
}
TC_DEV_SM90 void tc_cp_async_bulk_s2g_hint(void *dst, uint32_t src, uint32_t bytes, uint64_t policy)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;"
                 : : "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes), "l"(policy) : "memory");
}
TC_DEV_SM100 void tc_cp_async_bulk_s2g_mask(void *dst, uint32_t src, uint32_t bytes, uint16_t mask)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], %2, %3;"
                 : : "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes), "h"(mask) : "memory");
}
TC_DEV_SM100 void tc_cp_async_bulk_s2g_hint_mask(void *dst, uint32_t src, uint32_t bytes, uint64_t policy,
                                                 uint16_t mask)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%0], [%1], %2, %3, %4;"
                 : : "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes), "l"(policy), "h"(mask) : "memory");
}
/* PTX: cp.async.bulk.prefetch: global to L2. */
TC_DEV_SM90 void tc_cp_async_bulk_prefetch(const void *src, uint32_t bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                 : : "l"(__cvta_generic_to_global(src)), "r"(bytes)
                 : "memory");
}
TC_DEV_SM90 void tc_cp_async_bulk_prefetch_hint(const void *src, uint32_t bytes, uint64_t policy)
{
    asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;"
                 : : "l"(__cvta_generic_to_global(src)), "r"(bytes), "l"(policy)
                 : "memory");
}

/* PTX: cp.reduce.async.bulk. dst: global memory; _CLUSTER: a shared::cluster address, counted by bar there. */
#define TC__BULK_REDUCE_CHECK(op, type)                                                                               \
    static_assert(tc__follows(#op "." #type, "and|or|xor .b32|.b64")                                                  \
                  || tc__follows(#op "." #type, "min|max .u32|.s32|.u64|.s64|.f16|.bf16")                             \
                      || tc__follows(#op "." #type,                                                                   \
                                     "add.u32|add.s32|add.u64|add.f32|add.f64|add.noftz.f16|add.noftz.bf16|inc.u32"   \
                                     "|dec.u32"),                                                                     \
                  "tc: cp.reduce.async.bulk: op and type are and, or, xor b32, b64; min, max u32, s32, u64, s64, "    \
                  "f16, bf16; add u32, s32, u64, f32, f64; add.noftz f16, bf16; inc, dec u32")
#define TC_CP_REDUCE_ASYNC_BULK(op, type, dst, src, bytes)                                                            \
    do {                                                                                                              \
        TC__BULK_REDUCE_CHECK(op, type);                                                                              \
        tc__needs_sm90();                                                                                             \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." #op "." #type " [%0], [%1], %2;"           \
                     : : "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes) : "memory");                        \
    } while (0)
#define TC_CP_REDUCE_ASYNC_BULK_HINT(op, type, dst, src, bytes, policy)                                               \
    do {                                                                                                              \
        TC__BULK_REDUCE_CHECK(op, type);                                                                              \
        tc__needs_sm90();                                                                                             \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint." #op "." #type               \
                     " [%0], [%1], %2, %3;"                                                                           \
                     : : "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes), "l"(policy) : "memory");           \
    } while (0)
#define TC_CP_REDUCE_ASYNC_BULK_CLUSTER(op, type, dst, src, bytes, bar)                                               \
    do {                                                                                                              \
        static_assert(tc__follows(#op "." #type,                                                                      \
                                  "and.b32|or.b32|xor.b32|add.u32|add.s32|add.u64|inc.u32|dec.u32|min.u32|min.s32"    \
                                  "|max.u32|max.s32"),                                                                \
                      "tc: cp.reduce.async.bulk in a cluster: op and type are and, or, xor b32; add u32, s32, u64; "  \
                      "inc, dec u32; min, max u32, s32");                                                             \
        tc__needs_sm90();                                                                                             \
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." #op "." #type   \
                     " [%0], [%1], %2, [%3];"                                                                         \
                     : : "r"(dst), "r"(src), "r"(bytes), "r"(bar) : "memory");                                        \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * Tensor copies with every qualifier. The operands of the asm: 0 dst or src, 1 tmap, 2 bar, 3 mask, 4 policy (what is
 * not there is 0 and not named), 5 and on the coordinates, then the offsets. Which text names them is looked up by how
 * many there are.
 */
#define TC__TM_C_1 "{%5}"
#define TC__TM_C_2 "{%5,%6}"
#define TC__TM_C_3 "{%5,%6,%7}"
#define TC__TM_C_4 "{%5,%6,%7,%8}"
#define TC__TM_C_5 "{%5,%6,%7,%8,%9}"
#define TC__TM_CIN_1(a) "r"(a)
#define TC__TM_CIN_2(a, b) "r"(a), "r"(b)
#define TC__TM_CIN_3(a, b, c) "r"(a), "r"(b), "r"(c)
#define TC__TM_CIN_4(a, b, c, d) "r"(a), "r"(b), "r"(c), "r"(d)
#define TC__TM_CIN_5(a, b, c, d, e) "r"(a), "r"(b), "r"(c), "r"(d), "r"(e)
/* m offsets after n coordinates */
#define TC__TM_W_3_1 ~, ", {%8}"
#define TC__TM_W_3_2 ~, ", {%8,%9}"
#define TC__TM_W_4_2 ~, ", {%9,%10}"
#define TC__TM_W_5_2 ~, ", {%10,%11}"
#define TC__TM_W_5_3 ~, ", {%10,%11,%12}"
#define TC__TM_WIN_1(a) , "h"((uint16_t)(a))
#define TC__TM_WIN_2(a, b) , "h"((uint16_t)(a)), "h"((uint16_t)(b))
#define TC__TM_WIN_3(a, b, c) , "h"((uint16_t)(a)), "h"((uint16_t)(b)), "h"((uint16_t)(c))
/* tokens by their first word: is it there? Pasting takes the first word only, so shared::cluster and the like go as
 * they are. */
#define TC__TM_MULTI_ ~, 0
#define TC__TM_MULTI_multicast ~, 1,
#define TC__TM_HINT_ ~, 0
#define TC__TM_HINT_L2 ~, 1,
#define TC__TM_OFFS_ ~, 0
#define TC__TM_OFFS_tile ~, 0,
#define TC__TM_OFFS_im2col ~, 1,
#define TC__TM_GROUP_ ~, 0
#define TC__TM_GROUP_1 ~, 1
#define TC__TM_GROUP_2 ~, 1
#define TC__TM_GROUP_cta_group ~, 2, /* as before 0.3.0: cta_group::1, cta_group::2 */
#define TC__TM_GROUP_TEXT_0(token) ""
#define TC__TM_GROUP_TEXT_1(token) ".cta_group::" #token
#define TC__TM_GROUP_TEXT_2(token) "." #token
#define TC__TM_GROUP_TEXT(there, token) TC__TM_GROUP_TEXT_(there, token)
#define TC__TM_GROUP_TEXT_(there, token) TC__TM_GROUP_TEXT_##there(token)
#define TC__TM_MODE_ ~, 0
#define TC__TM_MODE_tile ~, 1,
#define TC__TM_MODE_im2col ~, 1,
#define TC__TM_MODE_im2col_no_offs ~, 1,
#define TC__TM_DOT_0(token) ""
#define TC__TM_DOT_1(token) "." #token
#define TC__TM_COUNT(list) TC__NARGS list
#define TC__TM_HAS(text)                                                                                              \
    "needs sm_100a, sm_103a, sm_107a, sm_110a or the f target of one: compile with -gencode arch=compute_100a,"       \
    "code=sm_100a"

/* how many coordinates and offsets a mode takes: constant expressions of the tokens' text */
#define TC__TM_RANK(dim)                                                                                              \
    (tc__follows(#dim, "1d") ? 1 : tc__follows(#dim, "2d") ? 2 : tc__follows(#dim, "3d") ? 3                          \
     : tc__follows(#dim, "4d") ? 4 : tc__follows(#dim, "5d") ? 5 : 0)
#define TC__TM_CHECK(dim, mode, c, what, modes, legal)                                                                \
    static_assert(TC__TM_RANK(dim) != 0, "tc: " what ": the dimension is 1d, 2d, 3d, 4d or 5d");                      \
    static_assert(tc__follows(#mode, modes), "tc: " what ": the mode is " legal);                                     \
    static_assert(!tc__holds(#mode, "im2col") || TC__TM_RANK(dim) >= 3, "tc: " what ": im2col takes 3d, 4d or 5d");   \
    static_assert(!tc__holds(#mode, "er4") || TC__TM_RANK(dim) == 2,                                                  \
                  "tc: " what ": tile::gather4 and tile::scatter4 take 2d");                                          \
    static_assert(TC__TM_COUNT(c) == (tc__holds(#mode, "er4") ? 5 : TC__TM_RANK(dim)),                                \
                  "tc: " what                                                                                         \
                  ": as many coordinates as dimensions, (c0, c1, ...); tile::gather4 and tile::scatter4 take five: "  \
                  "the column and four rows")

/* load. The eight forms by offsets, multicast, hint; T: the text of the mnemonic, R: of the operands' end */
#define TC__TM_LOAD_ASM(T, n, wtext, end, dst, tmap, c, bar, mask, policy, ...)                                       \
    asm volatile("cp.async.bulk.tensor." T " [%0], [%1, " TC__TM_C_##n "], [%2]" wtext end ";"                        \
                 : : "r"(dst), "l"(tmap), "r"(bar), "h"((uint16_t)(mask)), "l"((uint64_t)(policy)),                   \
                 TC__TM_CIN_##n c __VA_ARGS__ : "memory")
#define TC__TM_LOAD_N(T, n, wtext, end, dst, tmap, c, bar, mask, policy, ...)                                         \
    TC__TM_LOAD_ASM(T, n, wtext, end, dst, tmap, c, bar, mask, policy, __VA_ARGS__)
#define TC__TM_WTEXT(n, m) TC__TM_WTEXT_(n, m)
#define TC__TM_WTEXT_(n, m) TC__PROBE(TC__TM_W_##n##_##m, ", {}")
#define TC__TM_WIN(m) TC__TM_WIN_(m)
#define TC__TM_WIN_(m) TC__TM_WIN_##m
#define TC__TM_LOAD_000(T, dst, tmap, c, bar) TC__TM_LOAD_N(T, TC__TM_COUNT(c), "", "", dst, tmap, c, bar, 0, 0, )
#define TC__TM_LOAD_001(T, dst, tmap, c, bar, policy)                                                                 \
    TC__TM_LOAD_N(T, TC__TM_COUNT(c), "", ", %4", dst, tmap, c, bar, 0, policy, )
#define TC__TM_LOAD_010(T, dst, tmap, c, bar, mask)                                                                   \
    TC__TM_LOAD_N(T, TC__TM_COUNT(c), "", ", %3", dst, tmap, c, bar, mask, 0, )
#define TC__TM_LOAD_011(T, dst, tmap, c, bar, mask, policy)                                                           \
    TC__TM_LOAD_N(T, TC__TM_COUNT(c), "", ", %3, %4", dst, tmap, c, bar, mask, policy, )
#define TC__TM_CHECK_W(T, c, w)                                                                                       \
    static_assert(TC__TM_COUNT(w) == (tc__holds(T, "im2col::w") ? 2 : TC__TM_COUNT(c) - 2),                           \
                  "tc: cp.async.bulk.tensor: im2col takes as many offsets as dimensions less 2, (w0, ...); "          \
                  "im2col::w takes two")
#define TC__TM_LOAD_W(T, end, dst, tmap, c, bar, w, mask, policy)                                                     \
    TC__TM_CHECK_W(T, c, w);                                                                                          \
    TC__TM_LOAD_N(T, TC__TM_COUNT(c), TC__TM_WTEXT(TC__TM_COUNT(c), TC__TM_COUNT(w)), end, dst, tmap, c, bar, mask,   \
                  policy, TC__TM_WIN(TC__TM_COUNT(w)) w)
#define TC__TM_LOAD_100(T, dst, tmap, c, bar, w) TC__TM_LOAD_W(T, "", dst, tmap, c, bar, w, 0, 0)
#define TC__TM_LOAD_101(T, dst, tmap, c, bar, w, policy) TC__TM_LOAD_W(T, ", %4", dst, tmap, c, bar, w, 0, policy)
#define TC__TM_LOAD_110(T, dst, tmap, c, bar, w, mask) TC__TM_LOAD_W(T, ", %3", dst, tmap, c, bar, w, mask, 0)
#define TC__TM_LOAD_111(T, dst, tmap, c, bar, w, mask, policy)                                                        \
    TC__TM_LOAD_W(T, ", %3, %4", dst, tmap, c, bar, w, mask, policy)
/* how many arguments each of them has after T */
#define TC__TM_LOAD_OK_000_4 ~, TC__TM_LOAD_000
#define TC__TM_LOAD_OK_001_5 ~, TC__TM_LOAD_001
#define TC__TM_LOAD_OK_010_5 ~, TC__TM_LOAD_010
#define TC__TM_LOAD_OK_011_6 ~, TC__TM_LOAD_011
#define TC__TM_LOAD_OK_100_5 ~, TC__TM_LOAD_100
#define TC__TM_LOAD_OK_101_6 ~, TC__TM_LOAD_101
#define TC__TM_LOAD_OK_110_6 ~, TC__TM_LOAD_110
#define TC__TM_LOAD_OK_111_7 ~, TC__TM_LOAD_111
#define TC__TM_LOAD_BAD(...)                                                                                          \
    static_assert(0,                                                                                                  \
                  "tc: cp.async.bulk.tensor: the arguments are (dim, dst_space, mode, multicast, group, hint, dst, "  \
                  "tmap, (c..), bar[, (w..)] of im2col[, mask] of multicast::cluster[, policy] of L2::cache_hint)")
#define TC__TM_LOAD_PICK(w, m, h, count) TC__TM_LOAD_PICK_(w, m, h, count)
#define TC__TM_LOAD_PICK_(w, m, h, count) TC__PROBE(TC__TM_LOAD_OK_##w##m##h##_##count, TC__TM_LOAD_BAD)
#define TC__TM_THIRD(a, b, c, ...) c
#define TC__TM_FIFTH(a, b, c, d, e, ...) e
#define TC__TM_DOT(there, token) TC__TM_DOT_(there, token)
#define TC__TM_DOT_(there, token) TC__TM_DOT_##there(token)

#define TC__TM_LOAD_TOKENS(space, mode, multicast, group, hint)                                                       \
    static_assert(tc__follows(#space, "shared::cluster|shared::cta"),                                                 \
                  "tc: cp.async.bulk.tensor: the destination is shared::cluster or shared::cta");                     \
    static_assert(tc__follows(#multicast, "|multicast::cluster")                                                      \
                  && (#multicast[0] == 0 || tc__follows(#space, "shared::cluster")),                                  \
                  "tc: cp.async.bulk.tensor: multicast is multicast::cluster, into shared::cluster, or left out");    \
    static_assert(tc__follows(#group, "|1|2|cta_group::1|cta_group::2"),                                              \
                  "tc: cp.async.bulk.tensor: the group is 1, 2 or left out");                                         \
    static_assert(tc__follows(#hint, "|L2::cache_hint"),                                                              \
                  "tc: cp.async.bulk.tensor: the hint is L2::cache_hint or left out");                                \
    static_assert(TC_HAS_SM100A || #group[0] == 0, "tc: cp.async.bulk.tensor: cta_group " TC__TM_HAS());              \
    static_assert(TC_HAS_SM100A || !tc__follows(#mode, "im2col::w::128"), "tc: cp.async.bulk.tensor: im2col::w::128 " \
                  TC__TM_HAS());                                                                                      \
    static_assert(TC_HAS_SM100A || !tc__follows(#mode, "tile::gather4|im2col::w")                                     \
                  || (tc__follows(#space, "shared::cta") && TC_HAS_SM100),                                            \
                  "tc: cp.async.bulk.tensor: tile::gather4 and im2col::w into shared::cluster need sm_100a, "         \
                  "sm_103a, sm_107a, sm_110a or the f target of one; into shared::cta sm_100: compile with -gencode " \
                  "arch=compute_100a,code=sm_100a")
#define TC_CP_ASYNC_BULK_TENSOR(dim, space, mode, multicast, group, hint, ...)                                        \
    do {                                                                                                              \
        TC__TM_LOAD_TOKENS(space, mode, multicast, group, hint);                                                      \
        TC__TM_CHECK(dim, mode, TC__TM_THIRD(__VA_ARGS__, (), (), ()), "cp.async.bulk.tensor",                        \
                     "|tile|tile::gather4|im2col|im2col::w|im2col::w::128",                                           \
                     "left out, tile, tile::gather4, im2col, im2col::w or im2col::w::128");                           \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__TM_LOAD_PICK(TC__PROBE(TC__TM_OFFS_##mode, 0), TC__PROBE(TC__TM_MULTI_##multicast, 0),           \
                                  TC__PROBE(TC__TM_HINT_##hint, 0), TC__NARGS(__VA_ARGS__)),                          \
                 #dim "." #space ".global" TC__TM_DOT(TC__PROBE(TC__TM_MODE_##mode, 0), mode)                         \
                 ".mbarrier::complete_tx::bytes"                                                                      \
                 TC__TM_DOT(TC__PROBE(TC__TM_MULTI_##multicast, 0), multicast)                                        \
                     TC__TM_GROUP_TEXT(TC__PROBE(TC__TM_GROUP_##group, 0), group)                                     \
                 TC__TM_DOT(TC__PROBE(TC__TM_HINT_##hint, 0), hint), __VA_ARGS__);                                    \
    } while (0)

/* store, reduce, prefetch: operand 0 is src (prefetch: 0) */
#define TC__TM_STORE_ASM(T, n, end, tmap, c, src, policy)                                                             \
    asm volatile(T " [%1, " TC__TM_C_##n "], [%0]" end ";"                                                            \
                 : : "r"(src), "l"(tmap), "r"(0), "h"((uint16_t)0), "l"((uint64_t)(policy)), TC__TM_CIN_##n c         \
                 : "memory")
#define TC__TM_STORE_N(T, n, end, tmap, c, src, policy) TC__TM_STORE_ASM(T, n, end, tmap, c, src, policy)
#define TC__TM_STORE_0(T, tmap, c, src) TC__TM_STORE_N(T, TC__TM_COUNT(c), "", tmap, c, src, 0)
#define TC__TM_STORE_1(T, tmap, c, src, policy) TC__TM_STORE_N(T, TC__TM_COUNT(c), ", %4", tmap, c, src, policy)
#define TC__TM_STORE_OK_0_3 ~, TC__TM_STORE_0
#define TC__TM_STORE_OK_1_4 ~, TC__TM_STORE_1
#define TC__TM_STORE_BAD(...)                                                                                         \
    static_assert(0,                                                                                                  \
                  "tc: a store or reduction of a tensor: the arguments end with tmap, (c..), src[, policy] of "       \
                  "L2::cache_hint")
#define TC__TM_STORE_PICK(h, count) TC__TM_STORE_PICK_(h, count)
#define TC__TM_STORE_PICK_(h, count) TC__PROBE(TC__TM_STORE_OK_##h##_##count, TC__TM_STORE_BAD)
#define TC__TM_SECOND(a, b, ...) b
#define TC__TM_HINT_CHECK(hint, what)                                                                                 \
    static_assert(tc__follows(#hint, "|L2::cache_hint"), "tc: " what ": the hint is L2::cache_hint or left out")
#define TC_CP_ASYNC_BULK_TENSOR_STORE(dim, mode, hint, ...)                                                           \
    do {                                                                                                              \
        TC__TM_CHECK(dim, mode, TC__TM_SECOND(__VA_ARGS__, (), ()), "cp.async.bulk.tensor to global",                 \
                     "|tile|tile::scatter4|im2col_no_offs",                                                           \
                     "left out, tile, tile::scatter4 or im2col_no_offs");                                             \
        TC__TM_HINT_CHECK(hint, "cp.async.bulk.tensor");                                                              \
        static_assert(TC_HAS_SM100A || !tc__follows(#mode, "tile::scatter4"),                                         \
                      "tc: cp.async.bulk.tensor: tile::scatter4 " TC__TM_HAS());                                      \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__TM_STORE_PICK(TC__PROBE(TC__TM_HINT_##hint, 0), TC__NARGS(__VA_ARGS__)),                         \
                 "cp.async.bulk.tensor." #dim ".global.shared::cta" TC__TM_DOT(TC__PROBE(TC__TM_MODE_##mode, 0),      \
                 mode) ".bulk_group"                                                                                  \
                 TC__TM_DOT(TC__PROBE(TC__TM_HINT_##hint, 0), hint), __VA_ARGS__);                                    \
    } while (0)
#define TC_CP_REDUCE_ASYNC_BULK_TENSOR(dim, op, mode, hint, ...)                                                      \
    do {                                                                                                              \
        TC__TM_CHECK(dim, mode, TC__TM_SECOND(__VA_ARGS__, (), ()), "cp.reduce.async.bulk.tensor",                    \
                     "|tile|im2col_no_offs", "left out, tile or im2col_no_offs");                                     \
        TC__TM_HINT_CHECK(hint, "cp.reduce.async.bulk.tensor");                                                       \
        static_assert(tc__follows(#op, "add|min|max|inc|dec|and|or|xor"),                                             \
                      "tc: cp.reduce.async.bulk.tensor: op is add, min, max, inc, dec, and, or or xor");              \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__TM_STORE_PICK(TC__PROBE(TC__TM_HINT_##hint, 0), TC__NARGS(__VA_ARGS__)),                         \
                 "cp.reduce.async.bulk.tensor." #dim ".global.shared::cta."                                           \
                 #op TC__TM_DOT(TC__PROBE(TC__TM_MODE_##mode, 0), mode) ".bulk_group"                                 \
                 TC__TM_DOT(TC__PROBE(TC__TM_HINT_##hint, 0), hint), __VA_ARGS__);                                    \
    } while (0)

#define TC__TM_PRE_ASM(T, n, wtext, end, tmap, c, policy, ...)                                                        \
    asm volatile("cp.async.bulk.prefetch.tensor." T " [%1, " TC__TM_C_##n "]" wtext end ";"                           \
                 : : "r"(0), "l"(tmap), "r"(0), "h"((uint16_t)0), "l"((uint64_t)(policy)),                            \
                 TC__TM_CIN_##n c __VA_ARGS__ : "memory")
#define TC__TM_PRE_N(T, n, wtext, end, tmap, c, policy, ...)                                                          \
    TC__TM_PRE_ASM(T, n, wtext, end, tmap, c, policy, __VA_ARGS__)
#define TC__TM_PRE_W(T, end, tmap, c, w, policy)                                                                      \
    TC__TM_CHECK_W(T, c, w);                                                                                          \
    TC__TM_PRE_N(T, TC__TM_COUNT(c), TC__TM_WTEXT(TC__TM_COUNT(c), TC__TM_COUNT(w)), end, tmap, c, policy,            \
                 TC__TM_WIN(TC__TM_COUNT(w)) w)
#define TC__TM_PRE_00(T, tmap, c) TC__TM_PRE_N(T, TC__TM_COUNT(c), "", "", tmap, c, 0, )
#define TC__TM_PRE_01(T, tmap, c, policy) TC__TM_PRE_N(T, TC__TM_COUNT(c), "", ", %4", tmap, c, policy, )
#define TC__TM_PRE_10(T, tmap, c, w) TC__TM_PRE_W(T, "", tmap, c, w, 0)
#define TC__TM_PRE_11(T, tmap, c, w, policy) TC__TM_PRE_W(T, ", %4", tmap, c, w, policy)
#define TC__TM_PRE_OK_00_2 ~, TC__TM_PRE_00
#define TC__TM_PRE_OK_01_3 ~, TC__TM_PRE_01
#define TC__TM_PRE_OK_10_3 ~, TC__TM_PRE_10
#define TC__TM_PRE_OK_11_4 ~, TC__TM_PRE_11
#define TC__TM_PRE_BAD(...)                                                                                           \
    static_assert(0,                                                                                                  \
                  "tc: cp.async.bulk.prefetch.tensor: the arguments are (dim, mode, hint, tmap, (c..)[, (w..)] of "   \
                  "im2col[, policy] of L2::cache_hint)")
#define TC__TM_PRE_PICK(w, h, count) TC__TM_PRE_PICK_(w, h, count)
#define TC__TM_PRE_PICK_(w, h, count) TC__PROBE(TC__TM_PRE_OK_##w##h##_##count, TC__TM_PRE_BAD)
#define TC_CP_ASYNC_BULK_PREFETCH_TENSOR(dim, mode, hint, ...)                                                        \
    do {                                                                                                              \
        TC__TM_CHECK(dim, mode, TC__TM_SECOND(__VA_ARGS__, (), ()), "cp.async.bulk.prefetch.tensor",                  \
                     "|tile|tile::gather4|im2col|im2col::w|im2col::w::128",                                           \
                     "left out, tile, tile::gather4, im2col, im2col::w or im2col::w::128");                           \
        TC__TM_HINT_CHECK(hint, "cp.async.bulk.prefetch.tensor");                                                     \
        static_assert(TC_HAS_SM100A || !(tc__holds(#mode, "::w") || tc__holds(#mode, "::gather4")),                   \
                      "tc: cp.async.bulk.prefetch.tensor: this mode " TC__TM_HAS());                                  \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__TM_PRE_PICK(TC__PROBE(TC__TM_OFFS_##mode, 0), TC__PROBE(TC__TM_HINT_##hint, 0),                  \
                                 TC__NARGS(__VA_ARGS__)),                                                             \
                 #dim ".L2.global" TC__TM_DOT(TC__PROBE(TC__TM_MODE_##mode, 0), mode)                                 \
                 TC__TM_DOT(TC__PROBE(TC__TM_HINT_##hint, 0), hint), __VA_ARGS__);                                    \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * Tensor maps that are changed on the device (sm_90a, and a and f targets of Blackwell). space: global, shared::cta or
 * left out (a generic pointer). The usual way: copy the map to shared memory, replace, TC_TENSORMAP_CP_FENCEPROXY to
 * global, and in the user TC_FENCE_PROXY_TENSORMAP_ACQUIRE.
 *     TC_TENSORMAP_REPLACE(global_address, space, p, address)
 *     TC_TENSORMAP_REPLACE(rank, space, p, rank - 1)
 *     TC_TENSORMAP_REPLACE(box_dim | global_dim | element_stride, space, p, ord, value)       ord: a literal, 0..4
 *     TC_TENSORMAP_REPLACE(global_stride, space, p, ord, bytes)                               ord: a literal, 0..3
 *     TC_TENSORMAP_REPLACE(elemtype | interleave_layout | swizzle_mode | swizzle_atomicity | fill_mode, space, p,
 *     literal)
 *         elemtype            0 u8  1 u16  2 u32  3 s32  4 u64  5 s64  6 f16  7 f32  8 f32.ftz  9 f64  10 bf16  11 tf32
 *                             12 tf32.ftz
 *                             Blackwell: 13 b4x16  14 b4x16_p64  15 b6x16_p32 or b6p2x16       (the driver's differ)
 *         interleave_layout   0 none  1 16B  2 32B          fill_mode    0 zero  1 NaN
 *         swizzle_mode        0 none  1 32B  2 64B  3 128B  4 96B (sm_103a)
 *         swizzle_atomicity   0 16B  1 32B  2 32B with flipped 8B  3 64B      (Blackwell)
 */
#define TC__TR_global_address_1 ~, TC__TR_L
#define TC__TR_rank_1 ~, TC__TR_R
#define TC__TR_box_dim_2 ~, TC__TR_ORD_R
#define TC__TR_global_dim_2 ~, TC__TR_ORD_R
#define TC__TR_element_stride_2 ~, TC__TR_ORD_R
#define TC__TR_global_stride_2 ~, TC__TR_ORD_L
#define TC__TR_elemtype_1 ~, TC__TR_N
#define TC__TR_interleave_layout_1 ~, TC__TR_N
#define TC__TR_swizzle_mode_1 ~, TC__TR_N
#define TC__TR_swizzle_atomicity_1 ~, TC__TR_N
#define TC__TR_fill_mode_1 ~, TC__TR_N
#define TC__TR_SPACE_ ~, 0
#define TC__TR_SPACE_global ~, 1
#define TC__TR_SPACE_shared ~, 1,
#define TC__TR_L(T, space, field, p, value)                                                                           \
    asm volatile(T ".b1024.b64 [%0], %1;" : : "l"((uint64_t)(p)), "l"((uint64_t)(value)) : "memory")
#define TC__TR_R(T, space, field, p, value)                                                                           \
    asm volatile(T ".b1024.b32 [%0], %1;" : : "l"((uint64_t)(p)), "r"(value) : "memory")
#define TC__TR_ORD_R(T, space, field, p, ord, value)                                                                  \
    static_assert((ord) >= 0 && (ord) <= 4, "tc: tensormap.replace: ord is a literal in 0..4");                       \
    asm volatile(T ".b1024.b32 [%0], %1, %2;" : : "l"((uint64_t)(p)), "n"(ord), "r"(value) : "memory")
#define TC__TR_ORD_L(T, space, field, p, ord, value)                                                                  \
    static_assert((ord) >= 0 && (ord) <= 3, "tc: tensormap.replace: ord of global_stride is a literal in 0..3");      \
    asm volatile(T ".b1024.b64 [%0], %1, %2;" : : "l"((uint64_t)(p)), "n"(ord), "l"((uint64_t)(value)) : "memory")
#define TC__TR_N(T, space, field, p, value)                                                                           \
    static_assert((value) >= 0 && (value) <= (tc__follows(#field, "elemtype") ? (TC_HAS_BLACKWELL_A ? 15 : 12)        \
                                            : tc__follows(#field, "interleave_layout") ? 2                            \
                                            : tc__follows(#field, "swizzle_mode") ? (TC_HAS_SWIZZLE_96B ? 4 : 3)      \
                                            : tc__follows(#field, "fill_mode") ? 1 : 3),                              \
                  "tc: tensormap.replace: the value is a literal: elemtype 0..12 (Blackwell 0..15), "                 \
                  "interleave_layout 0..2, swizzle_mode 0..3 (sm_103a, sm_107a 0..4), swizzle_atomicity 0..3, "       \
                  "fill_mode 0..1");                                                                                  \
    static_assert(TC_HAS_BLACKWELL_A || !tc__follows(#field, "swizzle_atomicity"),                                    \
                  "tc: tensormap.replace: swizzle_atomicity needs an a or f target of Blackwell: compile with "       \
                  "-gencode arch=compute_100a,code=sm_100a");                                                         \
    asm volatile(T ".b1024.b32 [%0], %1;" : : "l"((uint64_t)(p)), "n"(value) : "memory")
#define TC__TR_BAD(...)                                                                                               \
    static_assert(0,                                                                                                  \
                  "tc: tensormap.replace: the fields are global_address, rank, elemtype, interleave_layout, "         \
                  "swizzle_mode, swizzle_atomicity, fill_mode (p, value); box_dim, global_dim, element_stride, "      \
                  "global_stride (p, ord, value)")
#define TC__TR_PICK(field, count) TC__TR_PICK_(field, count)
#define TC__TR_PICK_(field, count) TC__PROBE(TC__TR_##field##_##count, TC__TR_BAD)
#define TC_TENSORMAP_REPLACE(field, space, p, ...)                                                                    \
    do {                                                                                                              \
        static_assert(tc__follows(#space, "|global|shared::cta"),                                                     \
                      "tc: tensormap.replace: the space is global, shared::cta or left out");                         \
        static_assert(sizeof(+(p)) == (tc__holds(#space, "shared") ? 4 : 8),                                          \
                      "tc: tensormap.replace: with shared::cta the map is a shared address (uint32_t), else a "       \
                      "pointer");                                                                                     \
        tc__needs_any_a();                                                                                            \
        TC__CALL(TC__TR_PICK(field, TC__NARGS(__VA_ARGS__)), "tensormap.replace.tile."                                \
                 #field TC__TM_DOT(TC__PROBE(TC__TR_SPACE_##space, 0), space), space, field, p, __VA_ARGS__);         \
    } while (0)

/* PTX: tensormap.cp_fenceproxy: copies a map (128 bytes) from shared to global memory and makes it visible to later
 * copies by tensor map that acquire it. The whole warp. scope: .cta .cluster .gpu .sys. */
#define TC_TENSORMAP_CP_FENCEPROXY(scope, dst, src)                                                                   \
    do {                                                                                                              \
        static_assert(tc__follows(#scope, ".cta|.cluster|.gpu|.sys"),                                                 \
                      "tc: tensormap.cp_fenceproxy: the scope is .cta, .cluster, .gpu or .sys");                      \
        tc__needs_sm90();                                                                                             \
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release" #scope                   \
                     ".sync.aligned [%0], [%1], 128;"                                                                 \
                     : : "l"(__cvta_generic_to_global(dst)), "r"(src) : "memory");                                    \
    } while (0)

/* PTX: prefetch.tensormap; q: empty (a generic pointer), .param or .const. */
#define TC_PREFETCH_TENSORMAP(q, p)                                                                                   \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.param|.const"),                                                              \
                      "tc: prefetch.tensormap: the qualifiers are {.param, .const}");                                 \
        tc__needs_sm90();                                                                                             \
        asm volatile("prefetch" #q ".tensormap [%0];" : : "l"((uint64_t)(p)) : "memory");                             \
    } while (0)

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Tensor maps, host. The driver's encoder answers a broken rule with one number; this one checks every rule first and
 * names it in tc_why(). The entry point is fetched at run time: nothing is linked with -lcuda.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)
#include <cuda_runtime_api.h>

/* What a tiled tensor map says. dim, box, elem_stride: elements, innermost first; stride[i]: bytes between neighbours
 * in dimension i + 1 (dimension 0 is contiguous). Unset elem_stride means 1, swizzle is 0, 32, 64 or 128 bytes or one
 * of tc_swizzle.h's TC_SWIZZLE_128B_ names (sm_100), interleave 0, 16 or 32 bytes, l2_promotion 0, 64, 128 or 256
 * bytes, oob_nan: out of bounds reads as NaN instead of 0 (0x7ff7 in each 16 bits). ftz, of f32 and tf32: reductions
 * flush subnormals; loads make no difference. A load by a tf32 map rounds to tf32, to nearest even, on the way into
 * shared memory; a f32 map leaves that to the reader, which cuts. Types of 4 bits (e2m1, s4, u4; sm_100): 16 elements
 * are 8 bytes in shared memory too; with padded each 8 bytes stand in 16 there, which is what tcgen05's kind::f8f6f4
 * reads. Types of 6 bits (e3m2, e2m3; sm_100): 16 elements are 12 bytes in global memory and stand in 16; padded says
 * so already. Expect the packed bytes of such a load, without the padding. A padded map has box[0] = 128, dim[0] % 128
 * == 0, and 32 for every alignment of 16 below. Alignment: base 16 bytes (32 for interleave 32), strides 16 (32).
 * Source: CUDA driver API, cuTensorMapEncodeTiled. */
typedef struct tc_tmap_desc {
    int type; /* tc_type */
    int rank; /* 1..5 */
    const void *base;
    uint64_t dim[5];
    uint64_t stride[4];
    uint32_t box[5];
    uint32_t elem_stride[5];
    int swizzle, interleave, l2_promotion, oob_nan;
    int padded, ftz;
} tc_tmap_desc;

/* What an im2col map says, of a tensor {channels, W, H, D, images} of rank 3 to 5 (as many of W, H, D as rank - 2).
 * lower, upper: {W, H, D}, how far the bounding box of the filter's first tap lies from the tensor's first and last
 * pixel; channels: of one pixel, 1..256; pixels: of one copy, 1..1024. mode: im2col, or one of the wide ones (sm_100
 * and a driver for CUDA 12.8), which move along W only, have lower[0] and upper[0] alone, and W128 always 128 pixels.
 * The other fields as in a tiled map. The driver's manual names the corners D, H, W; the driver takes W, H, D.
 * Source: CUDA driver API, cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide. */
enum { TC_IM2COL = 0, TC_IM2COL_W = 1, TC_IM2COL_W128 = 2 };
typedef struct tc_tmap_im2col_desc {
    int type;
    int rank; /* 3..5 */
    const void *base;
    uint64_t dim[5];
    uint64_t stride[4];
    int lower[3], upper[3];
    uint32_t channels, pixels;
    uint32_t elem_stride[5];
    int swizzle, interleave, l2_promotion, oob_nan;
    int padded, ftz;
    int mode;
} tc_tmap_im2col_desc;

/* CUtensorMapDataType of a tc_type, or -1. */
TC_HOST int tc__tmap_type(int type, int padded, int ftz)
{
    switch (type) {
    case TC_U8: case TC_S8: case TC_E4M3: case TC_E5M2: case TC_UE8M0: case TC_UE4M3: return 0;
    case TC_U16: return 1;
    case TC_U32: return 2;
    case TC_S32: return 3;
    case TC_U64: return 4;
    case TC_S64: return 5;
    case TC_F16: return 6;
    case TC_F32: return ftz ? 10 : 7;
    case TC_F64: return 8;
    case TC_BF16: return 9;
    case TC_TF32: return ftz ? 12 : 11;
    case TC_E2M1: case TC_S4: case TC_U4: return padded ? 14 : 13;
    case TC_E3M2: case TC_E2M3: return 15;
    default: return -1;
    }
}

/* CUtensorMapSwizzle of a mode of tc_swizzle.h, or -1. */
TC_HOST int tc__tmap_swizzle(int mode)
{
    switch (mode) {
    case TC_SWIZZLE_NONE: return 0;
    case TC_SWIZZLE_32B: return 1;
    case TC_SWIZZLE_64B: return 2;
    case TC_SWIZZLE_128B: return 3;
    case TC_SWIZZLE_128B_ATOM_32B: return 4;
    case TC_SWIZZLE_128B_ATOM_32B_FLIP_8B: return 5;
    case TC_SWIZZLE_128B_ATOM_64B: return 6;
    default: return -1;
    }
}

/* An entry of the driver, fetched once; *entry is written with one value, whichever thread comes first. fn: a pointer
 * to function. */
TC_HOST tc_status tc__tmap_entry(void *TC__ATOMIC *entry, const char *name, unsigned version, void *fn)
{
    void *found = TC__LOAD_ACQUIRE(entry);
    if (!found) {
        enum cudaDriverEntryPointQueryResult result;
        cudaError_t err = cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
        if (err != cudaSuccess || result != cudaDriverEntryPointSuccess || !found)
            return tc__fail(TC_ERR_DRIVER, "%s: not in this driver (%s); needs a driver for CUDA %u.%u or later", name,
                            cudaGetErrorString(err), version / 1000, version % 1000 / 10);
        TC__STORE_RELEASE(entry, found);
    }
    memcpy(fn, &found, sizeof found);
    return TC_OK;
}

/* The rules that both kinds share. inner: box[0] or channels, with its name. */
TC_HOST tc_status tc__tmap_check(int type, int rank, const void *base, const uint64_t *dim, const uint64_t *stride,
                                 const uint32_t *elem_stride, int swizzle, int interleave, int l2_promotion,
                                 int oob_nan, int ftz, int padded, const char *name, uint32_t inner)
{
    const int dtype = tc__tmap_type(type, padded, ftz), bits = tc_type_bits(type), pad = dtype >= 14;
    const uint64_t align = interleave == 32 || pad ? 32 : 16;
    const uint32_t width = tc_swizzle_width(swizzle);
    int i;
    if (padded && dtype != 14 && dtype != 15)
        return tc__fail(TC_ERR_TMAP, "padded = %d needs a type of 4 or 6 bits, not %s", padded, tc_type_name(type));
    if (ftz && type != TC_F32 && type != TC_TF32)
        return tc__fail(TC_ERR_TMAP, "ftz = %d needs f32 or tf32, not %s", ftz, tc_type_name(type));
    if (!base) return tc__fail(TC_ERR_TMAP, "base is null");
    if ((uintptr_t)base % align)
        return tc__fail(TC_ERR_TMAP, "base = %p is not a multiple of %d bytes", base, (int)align);
    if (tc__tmap_swizzle(swizzle) < 0)
        return tc__fail(
            TC_ERR_TMAP,
            "swizzle = %d is not 0, 32, 64 or 128, nor TC_SWIZZLE_128B_ATOM_32B, _ATOM_32B_FLIP_8B or _ATOM_64B",
            swizzle);
    if (interleave != 0 && interleave != 16 && interleave != 32)
        return tc__fail(TC_ERR_TMAP, "interleave = %d is not 0, 16 or 32", interleave);
    if (interleave && rank < 3) return tc__fail(TC_ERR_TMAP, "rank = %d, but interleave needs 3 or more", rank);
    if (interleave == 32 && swizzle != 32)
        return tc__fail(TC_ERR_TMAP, "swizzle = %d, but interleave 32 needs 32", swizzle);
    if (interleave && dtype == 15)
        return tc__fail(TC_ERR_TMAP, "interleave = %d, but %s has no interleaved layout", interleave,
                        tc_type_name(type));
    if (l2_promotion != 0 && l2_promotion != 64 && l2_promotion != 128 && l2_promotion != 256)
        return tc__fail(TC_ERR_TMAP, "l2_promotion = %d is not 0, 64, 128 or 256", l2_promotion);
    if (oob_nan && (dtype < 6 || dtype > 12))
        return tc__fail(TC_ERR_TMAP, "oob_nan = %d needs a floating-point map type, not %s", oob_nan,
                        tc_type_name(type));
    for (i = 0; i < rank; i++) {
        if (dim[i] < 1 || dim[i] > 0x100000000ull)
            return tc__fail(TC_ERR_TMAP, "dim[%d] = %llu is not in 1..2^32", i, (unsigned long long)dim[i]);
        if (elem_stride[i] > 8) return tc__fail(TC_ERR_TMAP, "elem_stride[%d] = %u is not in 1..8", i, elem_stride[i]);
    }
    if (pad && dim[0] % 128)
        return tc__fail(TC_ERR_TMAP, "dim[0] = %llu is not a multiple of 128, as a padded map needs",
                        (unsigned long long)dim[0]);
    if (dtype == 13 && dim[0] % 2)
        return tc__fail(TC_ERR_TMAP, "dim[0] = %llu is odd, but %s has two elements a byte", (unsigned long long)dim[0],
                        tc_type_name(type));
    for (i = 0; i + 1 < rank; i++) {
        if (stride[i] % align)
            return tc__fail(TC_ERR_TMAP, "stride[%d] = %llu bytes is not a multiple of %d", i,
                            (unsigned long long)stride[i], (int)align);
        if (stride[i] >= (1ull << 40))
            return tc__fail(TC_ERR_TMAP, "stride[%d] = %llu bytes is not below 2^40", i, (unsigned long long)stride[i]);
    }
    if (inner < 1 || inner > 256) return tc__fail(TC_ERR_TMAP, "%s = %u is not in 1..256", name, inner);
    if (pad) {
        if (inner != 128)
            return tc__fail(TC_ERR_TMAP, "%s = %u, but a padded map of %s needs 128", name, inner, tc_type_name(type));
        if (swizzle != 0 && swizzle != 128 && swizzle != TC_SWIZZLE_128B_ATOM_32B
            && !(dtype == 15 && swizzle == TC_SWIZZLE_128B_ATOM_64B))
            return tc__fail(TC_ERR_TMAP,
                            "swizzle = %d, but a padded map of %s has 0, 128 and TC_SWIZZLE_128B_ATOM_32B%s", swizzle,
                            tc_type_name(type), dtype == 15 ? ", and for stores TC_SWIZZLE_128B_ATOM_64B" : "");
    } else if (!interleave) {
        const uint32_t row = inner * (uint32_t)bits / 8;
        if (inner * (uint32_t)bits % 128)
            return tc__fail(TC_ERR_TMAP, "%s = %u elements = %u bytes is not a multiple of 16 bytes", name, inner, row);
        if (width && row > width)
            return tc__fail(TC_ERR_TMAP, "%s = %u elements = %u bytes is wider than the %u-byte swizzle", name, inner,
                            row, width);
    }
    return TC_OK;
}

/* Checks a description against every rule of a tiled map; TC_ERR_TMAP and the sentence, or TC_OK. No driver needed. */
TC_HOST tc_status tc_tmap_check(const tc_tmap_desc *d)
{
    int i;
    if (tc__tmap_type(d->type, 0, 0) < 0)
        return tc__fail(TC_ERR_TMAP, "type = %d (%s) has no tensor map", d->type, tc_type_name(d->type));
    if (d->rank < 1 || d->rank > 5) return tc__fail(TC_ERR_TMAP, "rank = %d is not in 1..5", d->rank);
    for (i = 1; i < d->rank; i++)
        if (d->box[i] < 1 || d->box[i] > 256)
            return tc__fail(TC_ERR_TMAP, "box[%d] = %u is not in 1..256", i, d->box[i]);
    return tc__tmap_check(d->type, d->rank, d->base, d->dim, d->stride, d->elem_stride, d->swizzle, d->interleave,
                          d->l2_promotion, d->oob_nan, d->ftz, d->padded, "box[0]", d->box[0]);
}

/* The same for an im2col map. */
TC_HOST tc_status tc_tmap_im2col_check(const tc_tmap_im2col_desc *d)
{
    static const int low[3] = {-32768, -128, -16};
    static const char axis[3] = {'W', 'H', 'D'};
    int i, corners, lo;
    if (tc__tmap_type(d->type, 0, 0) < 0)
        return tc__fail(TC_ERR_TMAP, "type = %d (%s) has no tensor map", d->type, tc_type_name(d->type));
    if (d->rank < 3 || d->rank > 5)
        return tc__fail(TC_ERR_TMAP, "rank = %d is not in 3..5: channels, one to three of W, H, D, images", d->rank);
    if (d->mode < TC_IM2COL || d->mode > TC_IM2COL_W128)
        return tc__fail(TC_ERR_TMAP, "mode = %d is not TC_IM2COL, TC_IM2COL_W or TC_IM2COL_W128", d->mode);
    if (d->mode && d->interleave)
        return tc__fail(TC_ERR_TMAP, "interleave = %d, but the wide modes have no interleaved layout", d->interleave);
    if (d->mode && d->swizzle != 64 && d->swizzle != 128 && d->swizzle != TC_SWIZZLE_128B_ATOM_32B)
        return tc__fail(TC_ERR_TMAP, "swizzle = %d, but the wide modes have 64, 128 and TC_SWIZZLE_128B_ATOM_32B only",
                        d->swizzle);
    corners = d->mode ? 1 : d->rank - 2;
    lo = d->mode ? low[0] : low[d->rank - 3];
    for (i = 0; i < corners; i++) {
        if (d->lower[i] < lo || d->lower[i] > -lo - 1)
            return tc__fail(TC_ERR_TMAP, "lower[%d] (%c) = %d is not in %d..%d", i, axis[i], d->lower[i], lo, -lo - 1);
        if (d->upper[i] < lo || d->upper[i] > -lo - 1)
            return tc__fail(TC_ERR_TMAP, "upper[%d] (%c) = %d is not in %d..%d", i, axis[i], d->upper[i], lo, -lo - 1);
        if ((int64_t)d->dim[i + 1] + d->upper[i] - d->lower[i] <= 0)
            return tc__fail(TC_ERR_TMAP, "the bounding box is empty in %c: dim[%d] = %llu, lower = %d, upper = %d",
                            axis[i], i + 1, (unsigned long long)d->dim[i + 1], d->lower[i], d->upper[i]);
    }
    if (d->mode == TC_IM2COL_W128 ? d->pixels != 0 && d->pixels != 128 : d->pixels < 1 || d->pixels > 1024)
        return tc__fail(TC_ERR_TMAP, "pixels = %u is not in 1..1024%s", d->pixels,
                        d->mode == TC_IM2COL_W128 ? ": TC_IM2COL_W128 has 128 (or unset)" : "");
    return tc__tmap_check(d->type, d->rank, d->base, d->dim, d->stride, d->elem_stride, d->swizzle, d->interleave,
                          d->l2_promotion, d->oob_nan, d->ftz, d->padded, "channels", d->channels);
}

typedef int (*tc__encode_tiled_fn)(tc_tmap *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                                   const uint32_t *, const uint32_t *, int, int, int, int);
typedef int (*tc__encode_im2col_fn)(tc_tmap *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const int *,
                                    const int *, uint32_t, uint32_t, const uint32_t *, int, int, int, int);
typedef int (*tc__encode_im2col_wide_fn)(tc_tmap *, int, uint32_t, void *, const uint64_t *, const uint64_t *, int, int,
                                         uint32_t, uint32_t, const uint32_t *, int, int, int, int, int);

/* The strides as the driver takes them: those that are not set mean 1. */
TC_HOST void tc__tmap_prepare(uint32_t *es, const uint32_t *elem_stride, uint64_t *stride, const uint64_t *given,
                              int rank)
{
    int i;
    for (i = 0; i < 5; i++) es[i] = elem_stride[i] ? elem_stride[i] : 1;
    for (i = 0; i < 4; i++) stride[i] = i + 1 < rank ? given[i] : 0;
}

/* Is it worth to encode once more after this CUresult? (*tries: 0 at first.) The driver wants a current context, which
 * a thread that has called nothing but cudaGetDevice does not have yet: it answers 3 (not initialised) or 201 (no
 * context). Then, and only if it is true that the thread has none, the current device's primary context becomes
 * current. A context of the caller's own is never replaced. */
TC_HOST int tc__tmap_again(int result, int *tries)
{
    static void *TC__ATOMIC entry;
    int (*get_current)(void **) = 0;
    void *context = 0;
    int device;
    if ((result != 3 && result != 201) || (*tries)++) return 0;
    if (tc__tmap_entry(&entry, "cuCtxGetCurrent", 4000, &get_current) == TC_OK && get_current(&context) == 0 && context)
        return 0;
    return cudaGetDevice(&device) == cudaSuccess && cudaSetDevice(device) == cudaSuccess;
}

/* Builds a tiled tensor map. On error *out is untouched and tc_why() names the broken rule. Thread-safe. */
TC_HOST tc_status tc_tmap_encode(tc_tmap *out, const tc_tmap_desc *d)
{
    static void *TC__ATOMIC entry;
    tc__encode_tiled_fn encode = 0;
    uint32_t es[5];
    uint64_t stride[4];
    tc_tmap map;
    int err, tries = 0;
    tc_status st = tc_tmap_check(d);
    if (st == TC_OK) st = tc__tmap_entry(&entry, "cuTensorMapEncodeTiled", 12000, &encode);
    if (st != TC_OK) return st;
    tc__tmap_prepare(es, d->elem_stride, stride, d->stride, d->rank);
    do {
        err = encode(&map, tc__tmap_type(d->type, d->padded, d->ftz), (uint32_t)d->rank, (void *)(uintptr_t)d->base,
                     d->dim, stride, d->box, es, d->interleave / 16, tc__tmap_swizzle(d->swizzle),
                     d->l2_promotion == 256 ? 3 : d->l2_promotion / 64, d->oob_nan ? 1 : 0);
    } while (tc__tmap_again(err, &tries));
    if (err) return tc__fail(TC_ERR_TMAP, "cuTensorMapEncodeTiled answers CUresult %d", err);
    *out = map;
    return TC_OK;
}

/* Lets a map, of either kind, begin elsewhere: base of the alignment that its description asks for. On error *map is
 * untouched. Thread-safe. Source: CUDA driver API, cuTensorMapReplaceAddress. */
TC_HOST tc_status tc_tmap_replace_address(tc_tmap *map, const void *base)
{
    static void *TC__ATOMIC entry;
    int (*replace)(tc_tmap *, void *) = 0;
    tc_tmap changed = *map;
    int err, tries = 0;
    tc_status st;
    if (!base) return tc__fail(TC_ERR_TMAP, "base is null");
    if ((uintptr_t)base % 16) return tc__fail(TC_ERR_TMAP, "base = %p is not a multiple of 16 bytes", base);
    st = tc__tmap_entry(&entry, "cuTensorMapReplaceAddress", 12000, &replace);
    if (st != TC_OK) return st;
    do {
        err = replace(&changed, (void *)(uintptr_t)base);
    } while (tc__tmap_again(err, &tries));
    if (err) return tc__fail(TC_ERR_TMAP, "cuTensorMapReplaceAddress answers CUresult %d", err);
    *map = changed;
    return TC_OK;
}

/* Builds an im2col map. */
TC_HOST tc_status tc_tmap_im2col_encode(tc_tmap *out, const tc_tmap_im2col_desc *d)
{
    static void *TC__ATOMIC entry, *TC__ATOMIC entry_wide;
    tc__encode_im2col_fn encode = 0;
    tc__encode_im2col_wide_fn encode_wide = 0;
    uint32_t es[5];
    uint64_t stride[4];
    tc_tmap map;
    int err, tries = 0;
    tc_status st = tc_tmap_im2col_check(d);
    if (st == TC_OK)
        st = d->mode ? tc__tmap_entry(&entry_wide, "cuTensorMapEncodeIm2colWide", 12080, &encode_wide)
                     : tc__tmap_entry(&entry, "cuTensorMapEncodeIm2col", 12000, &encode);
    if (st != TC_OK) return st;
    tc__tmap_prepare(es, d->elem_stride, stride, d->stride, d->rank);
    do {
        if (d->mode)
            err = encode_wide(&map, tc__tmap_type(d->type, d->padded, d->ftz), (uint32_t)d->rank,
                              (void *)(uintptr_t)d->base, d->dim, stride, d->lower[0], d->upper[0], d->channels,
                              d->mode == TC_IM2COL_W128 ? 128 : d->pixels, es, d->interleave / 16, d->mode - 1,
                              tc__tmap_swizzle(d->swizzle), d->l2_promotion == 256 ? 3 : d->l2_promotion / 64,
                              d->oob_nan ? 1 : 0);
        else
            err = encode(&map, tc__tmap_type(d->type, d->padded, d->ftz), (uint32_t)d->rank, (void *)(uintptr_t)d->base,
                         d->dim, stride, d->lower, d->upper, d->channels, d->pixels, es, d->interleave / 16,
                         tc__tmap_swizzle(d->swizzle), d->l2_promotion == 256 ? 3 : d->l2_promotion / 64,
                         d->oob_nan ? 1 : 0);
    } while (tc__tmap_again(err, &tries));
    if (err)
        return tc__fail(TC_ERR_TMAP, "%s answers CUresult %d",
                        d->mode ? "cuTensorMapEncodeIm2colWide" : "cuTensorMapEncodeIm2col", err);
    *out = map;
    return TC_OK;
}

/* Appends to text, which has size bytes and *used of them taken. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
TC_HOST void tc__tmap_say(char *text, size_t size, size_t *used, const char *format, ...)
{
    va_list list;
    int n;
    if (*used >= size) return;
    va_start(list, format);
    n = vsnprintf(text + *used, size - *used, format, list);
    va_end(list);
    if (n > 0) *used += (size_t)n;
}

/* What the two texts end with. row: bytes of a row in shared memory without swizzle; rows: how many */
TC_HOST void tc__tmap_say_rest(char *text, size_t size, size_t *used, int type, int bits, uint32_t inner, uint64_t rows,
                               const uint32_t *elem_stride, int rank, int swizzle, int interleave, int l2_promotion,
                               int oob_nan, int padded, int ftz)
{
    static const char *const names[3] = {"128-byte swizzle of 32-byte atoms",
                                         "128-byte swizzle of 32-byte atoms, 8 bytes flipped",
                                         "128-byte swizzle of 64-byte atoms"};
    const int pad = tc__tmap_type(type, padded, ftz) >= 14;
    const uint32_t row = pad ? inner : inner * (uint32_t)bits / 8, width = tc_swizzle_width(swizzle),
                   pitch = width > row ? width : row;
    int i, stepped = 0;
    tc__tmap_say(text, size, used, " = %llu bytes in rows of %u", (unsigned long long)rows * pitch, pitch);
    if (pitch > row) tc__tmap_say(text, size, used, " (%u used)", row);
    if (swizzle > 128) tc__tmap_say(text, size, used, ", %s", names[swizzle - 129 > 2 ? 2 : swizzle - 129]);
    else if (swizzle) tc__tmap_say(text, size, used, ", %d-byte swizzle", swizzle);
    else tc__tmap_say(text, size, used, ", no swizzle");
    tc__tmap_say(text, size, used, ", tile at a multiple of %u", width ? tc_swizzle_atom(swizzle) : 128u);
    if (pad) tc__tmap_say(text, size, used, ", 16 elements padded to 16 bytes");
    if (interleave) tc__tmap_say(text, size, used, ", channels interleaved by %d bytes", interleave);
    for (i = 0; i < rank; i++) stepped |= elem_stride[i] > 1;
    if (stepped) {
        tc__tmap_say(text, size, used, ", element strides");
        for (i = 0; i < rank; i++)
            tc__tmap_say(text, size, used, "%s%u", i ? " x " : " ", elem_stride[i] ? elem_stride[i] : 1);
    }
    if (l2_promotion) tc__tmap_say(text, size, used, ", L2 fetches %d bytes", l2_promotion);
    tc__tmap_say(text, size, used, ", out of bounds reads %s", oob_nan ? "NaN" : "0");
    if (ftz) tc__tmap_say(text, size, used, ", reductions flush subnormals");
}

TC_HOST void tc__tmap_say_tensor(char *text, size_t size, size_t *used, const char *kind, int type, int rank,
                                 const void *base, const uint64_t *dim, const uint64_t *stride)
{
    int i;
    tc__tmap_say(text, size, used, "%s map of %s at %p: ", kind, tc_type_name(type), base);
    for (i = 0; i < rank && i < 5; i++)
        tc__tmap_say(text, size, used, "%s%llu", i ? " x " : "", (unsigned long long)dim[i]);
    tc__tmap_say(text, size, used, " elements");
    for (i = 0; i + 1 < rank && i < 4; i++)
        tc__tmap_say(text, size, used, "%s%llu", i ? ", " : " with strides of ", (unsigned long long)stride[i]);
    if (rank > 1) tc__tmap_say(text, size, used, " bytes");
}

/* A description in words, innermost dimension first. Writes at most size bytes with the final 0; returns text. */
TC_HOST const char *tc_tmap_text(char *text, size_t size, const tc_tmap_desc *d)
{
    size_t used = 0;
    uint64_t rows = 1;
    int i;
    if (size) text[0] = 0;
    tc__tmap_say_tensor(text, size, &used, "tiled", d->type, d->rank, d->base, d->dim, d->stride);
    for (i = 0; i < d->rank && i < 5; i++) {
        const uint32_t es = d->elem_stride[i] ? d->elem_stride[i] : 1;
        tc__tmap_say(text, size, &used, "%s%u", i ? " x " : "; box ", d->box[i]);
        if (i) rows *= (d->box[i] + es - 1) / es;
    }
    tc__tmap_say_rest(text, size, &used, d->type, tc_type_bits(d->type), d->box[0], rows, d->elem_stride,
                      d->rank < 5 ? d->rank : 5, d->swizzle, d->interleave, d->l2_promotion, d->oob_nan, d->padded,
                      d->ftz);
    return text;
}

TC_HOST const char *tc_tmap_im2col_text(char *text, size_t size, const tc_tmap_im2col_desc *d)
{
    size_t used = 0;
    const uint32_t pixels = d->mode == TC_IM2COL_W128 ? 128 : d->pixels;
    int i;
    if (size) text[0] = 0;
    tc__tmap_say_tensor(text, size, &used,
                        d->mode == TC_IM2COL_W128 ? "im2col::w::128"
                        : d->mode == TC_IM2COL_W  ? "im2col::w"
                                                  : "im2col",
                        d->type, d->rank, d->base, d->dim, d->stride);
    for (i = 0; i < (d->mode ? 1 : d->rank - 2) && i < 3; i++)
        tc__tmap_say(text, size, &used, "%s%c from %d to %lld", i ? ", " : "; taps ", "WHD"[i], d->lower[i],
                     (long long)d->dim[i + 1] - 1 + d->upper[i]);
    tc__tmap_say(text, size, &used, "; %u channels of %u pixels", d->channels, pixels);
    tc__tmap_say_rest(text, size, &used, d->type, tc_type_bits(d->type), d->channels, pixels, d->elem_stride,
                      d->rank < 5 ? d->rank : 5, d->swizzle, d->interleave, d->l2_promotion, d->oob_nan, d->padded,
                      d->ftz);
    return text;
}

#endif /* host */
#endif /* TC_TMA_H */
