/* tc_tma_more.h - tc 0.2.0 - what PTX 9.1 to 9.5 added to bulk and tensor copies and to tensor maps. Needs: tc_tma.h;
 * sm_90, parts sm_107; CUDA 13.2 or later. Not part of tc.h: include it where it is wanted.
 *
 *     one tensor map for all experts: the box at `base` of the expert's own                      sm_107, PTX 9.4
 *     TC_CP_ASYNC_BULK_TENSOR_WITH(2d, shared::cluster, tile, , , , , dst, (&p.tmap, base, (k, row)), bar);
 *
 *     rows whose ends are no multiple of 16 bytes, without a loop for the tail                   sm_90, PTX 9.2
 *     TC_CP_ASYNC_BULK_Q_OOB(.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob, dst, src, size, left, right,
 *                            bar);
 *
 * CONTENTS. q: the qualifiers from cp.async.bulk on, with their dots, as in PTX
 *     bulk        TC_CP_ASYNC_BULK_Q(q, dst, src, bytes, bar), _Q_HINT(..., policy), _Q_OOB(q, dst, src, bytes, left,
 *                 right, bar), _Q_OOB_HINT; _Q_MULTICAST_16B(q, dst, src, bytes, bar, mask), _Q_MULTICAST_16B_HINT(...,
 *                 policy), _Q_MULTICAST_32B, _Q_MULTICAST_32B_HINT
 *                   q: {.weak, .relaxed with .cta .cluster .gpu .sys}.shared::cta or .shared::cluster
 *                   .global.mbarrier::complete_tx::bytes{.mbarrier::report::..}{.multicast::cluster, ::16b, ::32b}
 *                   {.L2::cache_hint}{.ignore_oob}{.b128}; .relaxed wants .b128: whole 16 bytes, at that scope
 *                 TC_CP_ASYNC_BULK_CLUSTER_Q(q, dst, src, bytes, bar): q .relaxed.cta or .cluster
 *                   .shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128
 *                 TC_CP_ASYNC_BULK_STORE_Q(q, dst, src, bytes), _HINT(..., policy), _MASK(..., mask), _HINT_MASK:
 *                   q .relaxed.gpu.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}.b128
 *                 TC_CP_REDUCE_ASYNC_BULK_Q(q, op, type, dst, src, bytes), _HINT(..., policy), _CLUSTER_Q(q, op, type,
 *                 dst, src, bytes, bar): q .relaxed with a scope, up to .bulk_group (.L2::cache_hint), ..::bytes
 *                 TC_CP_ASYNC_BULK_PREFETCH_EVICT_LAST(src, bytes), TC_APPLYPRIORITY_ASYNC_BULK(q, p, bytes)   sm_107
 *     tensor      TC_CP_ASYNC_BULK_TENSOR_WITH(dim, dst_space, mode, report, multicast, group, hint, dst, box, bar
 *                                              [, (w..)][, mask][, policy])
 *                 TC_CP_ASYNC_BULK_TENSOR_STORE_WITH(dim, mode, hint, box, src[, policy])
 *                 TC_CP_REDUCE_ASYNC_BULK_TENSOR_WITH(dim, op, mode, hint, box, src[, policy])
 *                 TC_CP_ASYNC_BULK_PREFETCH_TENSOR_WITH(dim, mode, hint, box[, (w..)][, policy])
 *                 TC_APPLYPRIORITY_ASYNC_BULK_TENSOR(dim, space, mode, box[, (w..)])
 *                   as the macros of tc_tma.h without _WITH, and
 *                   box        (tmap, (c..))                                        the tensor of the map
 *                              (tmap, address, (c..))                               of its shape, at address
 *                              (tmap, address, (size), (c0))                        1d: of another size
 *                              (tmap, address, (sizes), (strides), upper, (c..))    2d .. 5d: of another shape
 *                   report     empty or disabled, validity::per_16bytes::80000000 (f32), ::8000 (f16), ::80 (fp8), ::8
 *                              (fp4), validity::per_element::ff
 *                   multicast  empty, 16b (mask: uint16_t) or 32b (mask: uint32_t)
 *                   hint       empty, L2::cache_hint with policy; of prefetch also evict_last
 *                   mode       of stores and reductions also im2col_no_offs::w
 *     tensor map  TC_TENSORMAP_REPLACE_ADDRESS(q, p, address), TC_TENSORMAP_QUERY_ALLOC_CLASS_LARGE(q, large, p)
 *                                                                                                             PTX 9.5
 *
 * ANOTHER SHAPE: sizes: one a dimension, below 256 (uint16_t, its low 8 bits); strides: dim - 1 of uint32_t, upper:
 * their bits 32-35, four for each: stride in bytes = (strides[i] + (upper >> 4 i & 15 << 32)) << 4. The coordinates
 * must be 0; mode tile; multicast 32b only.
 *
 * ALLOCATION CLASS of a map: large lets the hardware read up to 128 KiB from the base on, which must be mapped; small
 * 4 KiB.
 *
 * WHAT HAS BEEN PROVEN. Assembled by ptxas 13.5. The instructions run in tcemu (tests/isa); none has on a GPU.
 *
 * TRAPS
 *     .ignore_oob: left and right (0..15) count the bytes at either end that may lie outside the allocation; what
 *     arrives for them is undefined. src, dst and size are multiples of 16 as ever.
 *     An address of one's own: 16-byte aligned, and 128 KiB from it must be mapped, however small the tensor.
 *     A report other than disabled wants an mbarrier of .layout::v1 (tc_mbarrier.h): else undefined.
 *     Reductions without .relaxed have the scope of the system.
 *     TC_TENSORMAP_QUERY_ALLOC_CLASS_LARGE(.shared::cta, ..): PTX wants the address in 64 bits; the macro sees to it.
 *
 * Source: PTX ISA 9.4; for 9.5, of which no text was found, ptxas 13.5 and cuda.h.
 */
#ifndef TC_TMA_MORE_H
#define TC_TMA_MORE_H

#include "tc_tma.h"

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Bulk copies. The rules of q, by what its operands are.
 */
#define TC__BK_SEM "|.weak|.relaxed.cta|.relaxed.cluster|.relaxed.gpu|.relaxed.sys"
#define TC__BK_TO " .shared::cta|.shared::cluster .global.mbarrier::complete_tx::bytes"
#define TC__BK_VALIDITY                                                                                               \
    "validity::per_16bytes::80000000|validity::per_16bytes::8000|validity::per_16bytes::80|validity::per_16bytes::8"  \
    "|validity::per_element::ff"
#define TC__BK_REPORT " |.mbarrier::report:: |disabled|" TC__BK_VALIDITY
#define TC__BK_CHECK(q, rule, text)                                                                                   \
    static_assert(tc__follows(#q, TC__BK_SEM TC__BK_TO TC__BK_REPORT rule " |.b128"),                                 \
                  "tc: cp.async.bulk: the qualifiers are {.weak, .relaxed with .cta, .cluster, .gpu or .sys}, "       \
                  ".shared::cta or .shared::cluster, .global.mbarrier::complete_tx::bytes, "                          \
                  "{.mbarrier::report::disabled, "                                                                    \
                  "::validity::..}" text "{.b128}");                                                                  \
    static_assert(tc__holds(#q, ".relaxed") == tc__holds(#q, ".b128"),                                                \
                  "tc: cp.async.bulk: .relaxed and .b128 go together");                                               \
    static_assert(!tc__holds(#q, "report::") || (tc__holds(#q, "report::disabled") || tc__holds(#q, "validity::")),   \
                  "tc: cp.async.bulk: a report is disabled or validity::..");                                         \
    static_assert(!tc__holds(#q, "oob") || (tc__holds(#q, ".shared::cta") && !tc__holds(#q, "report")),               \
                  "tc: cp.async.bulk: .ignore_oob goes to .shared::cta, without a report");                           \
    TC__NEEDS_PTX_IF(92, tc__holds(#q, "oob"), "cp.async.bulk with .ignore_oob");                                     \
    TC__NEEDS_PTX_IF(93, tc__holds(#q, ".weak") || tc__holds(#q, ".relaxed"), "cp.async.bulk with .weak or .relaxed"); \
    TC__NEEDS_PTX_IF(94, tc__holds(#q, "report") || tc__holds(#q, "cluster::"),                                       \
                     "cp.async.bulk with a report or a width of the mask");                                           \
    TC__NEEDS_SM107A_IF(tc__holds(#q, "report") || tc__holds(#q, "::32b"),                                            \
                        "cp.async.bulk with a report or a mask of 32 bits");                                          \
    TC__NEEDS_TARGET_IF(TC_HAS_BULK_A, tc__holds(#q, ".relaxed") && tc__holds(#q, ".shared::cluster"),                \
                        "cp.async.bulk with .relaxed to .shared::cluster",                                            \
                        "sm_90a or an a or f target of 100, 103, 107, 110", "90a");                                   \
    tc__needs_sm90()
#define TC__BK_GLOBAL(p) "l"(__cvta_generic_to_global(p))
#define TC_CP_ASYNC_BULK_Q(q, dst, src, bytes, bar)                                                                   \
    do {                                                                                                              \
        TC__BK_CHECK(q, "", "");                                                                                      \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, [%3];"                                                      \
                     : : "r"(dst), TC__BK_GLOBAL(src), "r"(bytes), "r"(bar) : "memory");                              \
    } while (0)
#define TC_CP_ASYNC_BULK_Q_HINT(q, dst, src, bytes, bar, policy)                                                      \
    do {                                                                                                              \
        TC__BK_CHECK(q, " .L2::cache_hint", ".L2::cache_hint");                                                       \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, [%3], %4;"                                                  \
                     : : "r"(dst), TC__BK_GLOBAL(src), "r"(bytes), "r"(bar), "l"(policy) : "memory");                 \
    } while (0)
#define TC_CP_ASYNC_BULK_Q_OOB(q, dst, src, bytes, left, right, bar)                                                  \
    do {                                                                                                              \
        TC__BK_CHECK(q, " .ignore_oob", ".ignore_oob");                                                               \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, %3, %4, [%5];"                                              \
                     : : "r"(dst), TC__BK_GLOBAL(src), "r"(bytes), "r"(left), "r"(right), "r"(bar) : "memory");       \
    } while (0)
#define TC_CP_ASYNC_BULK_Q_OOB_HINT(q, dst, src, bytes, left, right, bar, policy)                                     \
    do {                                                                                                              \
        TC__BK_CHECK(q, " .L2::cache_hint .ignore_oob", ".L2::cache_hint.ignore_oob");                                \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, %3, %4, [%5], %6;"                                          \
                     : : "r"(dst), TC__BK_GLOBAL(src), "r"(bytes), "r"(left), "r"(right), "r"(bar), "l"(policy)       \
                     : "memory");                                                                                     \
    } while (0)
#define TC__BK_16B " .multicast::cluster |::16b"
#define TC__BK_32B " .multicast::cluster::32b"
#define TC__BK_MULTI(q, rule, text, dst, src, bytes, bar, mask)                                                       \
    do {                                                                                                              \
        TC__BK_CHECK(q, rule, text);                                                                                  \
        static_assert(tc__holds(#q, ".shared::cluster"), "tc: cp.async.bulk: multicast goes to .shared::cluster");    \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, [%3], %4;"                                                  \
                     : : "r"(dst), TC__BK_GLOBAL(src), "r"(bytes), "r"(bar), mask : "memory");                        \
    } while (0)
#define TC__BK_MULTI_HINT(q, rule, text, dst, src, bytes, bar, mask, policy)                                          \
    do {                                                                                                              \
        TC__BK_CHECK(q, rule " .L2::cache_hint", text ".L2::cache_hint");                                             \
        static_assert(tc__holds(#q, ".shared::cluster"), "tc: cp.async.bulk: multicast goes to .shared::cluster");    \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, [%3], %4, %5;"                                              \
                     : : "r"(dst), TC__BK_GLOBAL(src), "r"(bytes), "r"(bar), mask, "l"(policy) : "memory");           \
    } while (0)
#define TC_CP_ASYNC_BULK_Q_MULTICAST_16B(q, dst, src, bytes, bar, mask)                                               \
    TC__BK_MULTI(q, TC__BK_16B, ".multicast::cluster or ::16b", dst, src, bytes, bar, "h"((uint16_t)(mask)))
#define TC_CP_ASYNC_BULK_Q_MULTICAST_32B(q, dst, src, bytes, bar, mask)                                               \
    TC__BK_MULTI(q, TC__BK_32B, ".multicast::cluster::32b", dst, src, bytes, bar, "r"((uint32_t)(mask)))
#define TC_CP_ASYNC_BULK_Q_MULTICAST_16B_HINT(q, dst, src, bytes, bar, mask, policy)                                  \
    TC__BK_MULTI_HINT(q, TC__BK_16B, ".multicast::cluster or ::16b", dst, src, bytes, bar, "h"((uint16_t)(mask)),     \
                      policy)
#define TC_CP_ASYNC_BULK_Q_MULTICAST_32B_HINT(q, dst, src, bytes, bar, mask, policy)                                  \
    TC__BK_MULTI_HINT(q, TC__BK_32B, ".multicast::cluster::32b", dst, src, bytes, bar, "r"((uint32_t)(mask)), policy)

#define TC_CP_ASYNC_BULK_CLUSTER_Q(q, dst, src, bytes, bar)                                                           \
    do {                                                                                                              \
        static_assert(tc__follows(#q, ".relaxed .cta|.cluster "                                                       \
                                  ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128"),                  \
                      "tc: cp.async.bulk in a cluster: the qualifiers are .relaxed.cta or .relaxed.cluster, "         \
                      ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128");                              \
        TC__NEEDS_PTX(93, "cp.async.bulk with .relaxed");                                                             \
        tc__needs_sm90();                                                                                             \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, [%3];"                                                      \
                     : : "r"(dst), "r"(src), "r"(bytes), "r"(bar) : "memory");                                        \
    } while (0)

/* stores; also those of tc_multimem.h: name, version of what has no .relaxed */
#define TC__BS_CHECK(name, q, first, rule, text, ptx)                                                                 \
    static_assert(tc__follows(#q, first " .global.shared::cta.bulk_group" rule " |.b128"),                            \
                  "tc: " name ": the qualifiers are {.weak, .relaxed with .cta, .cluster, .gpu or .sys}"              \
                  ".global.shared::cta.bulk_group" text "{.b128}");                                                   \
    static_assert(tc__holds(#q, ".relaxed") == tc__holds(#q, ".b128"), "tc: " name ": .relaxed and .b128 go "         \
        "together");                                                                                                  \
    TC__NEEDS_PTX(ptx, name);                                                                                         \
    TC__NEEDS_PTX_IF(93, tc__holds(#q, ".weak") || tc__holds(#q, ".relaxed"), name " with .weak or .relaxed");        \
    TC__NEEDS_TARGET_IF(TC_HAS_SM100, tc__holds(#q, "cp_mask"), name " with .cp_mask", "sm_100", "100");              \
    tc__needs_sm90()
#define TC__BS_RELAXED ".relaxed.cta|.relaxed.cluster|.relaxed.gpu|.relaxed.sys"
#define TC_CP_ASYNC_BULK_STORE_Q(q, dst, src, bytes)                                                                  \
    do {                                                                                                              \
        TC__BS_CHECK("cp.async.bulk", q, TC__BS_RELAXED, "", "", 93);                                                 \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2;" : : TC__BK_GLOBAL(dst), "r"(src), "r"(bytes) : "memory");  \
    } while (0)
#define TC_CP_ASYNC_BULK_STORE_Q_HINT(q, dst, src, bytes, policy)                                                     \
    do {                                                                                                              \
        TC__BS_CHECK("cp.async.bulk", q, TC__BS_RELAXED, " .L2::cache_hint", ".L2::cache_hint", 93);                  \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, %3;"                                                        \
                     : : TC__BK_GLOBAL(dst), "r"(src), "r"(bytes), "l"(policy) : "memory");                           \
    } while (0)
#define TC_CP_ASYNC_BULK_STORE_Q_MASK(q, dst, src, bytes, mask)                                                       \
    do {                                                                                                              \
        TC__BS_CHECK("cp.async.bulk", q, TC__BS_RELAXED, " .cp_mask", ".cp_mask", 93);                                \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, %3;"                                                        \
                     : : TC__BK_GLOBAL(dst), "r"(src), "r"(bytes), "h"((uint16_t)(mask)) : "memory");                 \
    } while (0)
#define TC_CP_ASYNC_BULK_STORE_Q_HINT_MASK(q, dst, src, bytes, policy, mask)                                          \
    do {                                                                                                              \
        TC__BS_CHECK("cp.async.bulk", q, TC__BS_RELAXED, " .L2::cache_hint .cp_mask", ".L2::cache_hint.cp_mask", 93); \
        asm volatile("cp.async.bulk" #q " [%0], [%1], %2, %3, %4;"                                                    \
                     : : TC__BK_GLOBAL(dst), "r"(src), "r"(bytes), "l"(policy), "h"((uint16_t)(mask)) : "memory");    \
    } while (0)

/* PTX: cp.reduce.async.bulk. op and type as in tc_tma.h, and add.noftz f32 */
#define TC__BR_OPS(op, type)                                                                                          \
    (tc__follows(#op "." #type, "and|or|xor .b32|.b64")                                                               \
     || tc__follows(#op "." #type, "min|max .u32|.s32|.u64|.s64|.f16|.bf16")                                          \
     || tc__follows(#op "." #type, "add.u32|add.s32|add.u64|add.f32|add.f64|add.noftz.f16|add.noftz.bf16"             \
                    "|add.noftz.f32|inc.u32|dec.u32"))
#define TC__BR_OPS_TEXT                                                                                               \
    "op and type are and, or, xor b32, b64; min, max u32, s32, u64, s64, f16, bf16; add u32, s32, u64, f32, f64; "    \
    "add.noftz f16, bf16, f32; inc, dec u32"
#define TC__BR_CHECK(name, q, op, type, rule, text, ptx)                                                              \
    static_assert(tc__follows(#q, "|" TC__BS_RELAXED " .global.shared::cta.bulk_group" rule),                         \
                  "tc: " name ": the qualifiers are {.relaxed with .cta, .cluster, .gpu or .sys}"                     \
                  ".global.shared::cta.bulk_group" text);                                                             \
    static_assert(TC__BR_OPS(op, type), "tc: " name ": " TC__BR_OPS_TEXT);                                            \
    TC__NEEDS_PTX(ptx, name);                                                                                         \
    TC__NEEDS_PTX_IF(93, tc__holds(#q, ".relaxed"), name " with .relaxed");                                           \
    TC__NEEDS_PTX_IF(94, tc__follows(#op "." #type, "add.noftz.f32"), name " with .add.noftz.f32");                   \
    tc__needs_sm90()
#define TC_CP_REDUCE_ASYNC_BULK_Q(q, op, type, dst, src, bytes)                                                       \
    do {                                                                                                              \
        TC__BR_CHECK("cp.reduce.async.bulk", q, op, type, "", "", 90);                                                \
        asm volatile("cp.reduce.async.bulk" #q "." #op "." #type " [%0], [%1], %2;"                                   \
                     : : TC__BK_GLOBAL(dst), "r"(src), "r"(bytes) : "memory");                                        \
    } while (0)
#define TC_CP_REDUCE_ASYNC_BULK_Q_HINT(q, op, type, dst, src, bytes, policy)                                          \
    do {                                                                                                              \
        TC__BR_CHECK("cp.reduce.async.bulk", q, op, type, ".L2::cache_hint", ".L2::cache_hint", 90);                  \
        asm volatile("cp.reduce.async.bulk" #q "." #op "." #type " [%0], [%1], %2, %3;"                               \
                     : : TC__BK_GLOBAL(dst), "r"(src), "r"(bytes), "l"(policy) : "memory");                           \
    } while (0)
#define TC_CP_REDUCE_ASYNC_BULK_CLUSTER_Q(q, op, type, dst, src, bytes, bar)                                          \
    do {                                                                                                              \
        static_assert(tc__follows(#q, ".relaxed.cta|.relaxed.cluster "                                                \
                                  ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes"),                       \
                      "tc: cp.reduce.async.bulk in a cluster: the qualifiers are .relaxed.cta or .relaxed.cluster, "  \
                      ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes");                                   \
        static_assert(tc__follows(#op "." #type, "and.b32|or.b32|xor.b32|add.u32|add.s32|add.u64|inc.u32|dec.u32"     \
                                  "|min.u32|min.s32|max.u32|max.s32"),                                                \
                      "tc: cp.reduce.async.bulk in a cluster: op and type are and, or, xor b32; add u32, s32, u64; "  \
                      "inc, dec u32; min, max u32, s32");                                                             \
        TC__NEEDS_PTX(93, "cp.reduce.async.bulk with .relaxed");                                                      \
        tc__needs_sm90();                                                                                             \
        asm volatile("cp.reduce.async.bulk" #q "." #op "." #type " [%0], [%1], %2, [%3];"                             \
                     : : "r"(dst), "r"(src), "r"(bytes), "r"(bar) : "memory");                                        \
    } while (0)

/* PTX: cp.async.bulk.prefetch with .L2::evict_last; applypriority.async.bulk: 128-byte aligned, size % 16, in the bulk
 * group: what was kept in the L2 by the one may leave it after the other. q: {.global} */
#define TC_CP_ASYNC_BULK_PREFETCH_EVICT_LAST(src, bytes)                                                              \
    do {                                                                                                              \
        TC__NEEDS_PTX(94, "cp.async.bulk.prefetch with .L2::evict_last");                                             \
        tc__needs_sm107a();                                                                                           \
        asm volatile("cp.async.bulk.prefetch.L2.global.L2::evict_last [%0], %1;"                                      \
                     : : TC__BK_GLOBAL(src), "r"(bytes) : "memory");                                                  \
    } while (0)
#define TC_APPLYPRIORITY_ASYNC_BULK(q, p, bytes)                                                                      \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.global"), "tc: applypriority.async.bulk: the qualifiers are {.global}");     \
        TC__NEEDS_PTX(94, "applypriority.async.bulk");                                                                \
        tc__needs_sm107a();                                                                                           \
        asm volatile("applypriority.async.bulk" #q ".bulk_group.L2::evict_normal [%0], %1;"                           \
                     : : "l"((uint64_t)(p)), "r"(bytes) : "memory");                                                  \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * Tensor copies. Operands of the asm: 0 dst or src, 1 bar, 2 mask of 16 bits, 3 of 32, 4 policy, 5 tmap, 6 address, 7
 * upper strides, 8.. coordinates (5), 13.. sizes (5), 18.. strides (4), 22.. offsets (3). What is not there is the
 * constant 0, which no text names.
 */
#define TC__TW_C_1 "{%8}"
#define TC__TW_C_2 "{%8,%9}"
#define TC__TW_C_3 "{%8,%9,%10}"
#define TC__TW_C_4 "{%8,%9,%10,%11}"
#define TC__TW_C_5 "{%8,%9,%10,%11,%12}"
#define TC__TW_S_1 "{%13}"
#define TC__TW_S_2 "{%13,%14}"
#define TC__TW_S_3 "{%13,%14,%15}"
#define TC__TW_S_4 "{%13,%14,%15,%16}"
#define TC__TW_S_5 "{%13,%14,%15,%16,%17}"
#define TC__TW_L_1 "{%18}"
#define TC__TW_L_2 "{%18,%19}"
#define TC__TW_L_3 "{%18,%19,%20}"
#define TC__TW_L_4 "{%18,%19,%20,%21}"
#define TC__TW_W_1 ", " "{%22}"
#define TC__TW_W_2 ", " "{%22,%23}"
#define TC__TW_W_3 ", " "{%22,%23,%24}"
#define TC__TW_0 "n"(0)
#define TC__TW_CIN_1(a) "r"(a), TC__TW_0, TC__TW_0, TC__TW_0, TC__TW_0
#define TC__TW_CIN_2(a, b) "r"(a), "r"(b), TC__TW_0, TC__TW_0, TC__TW_0
#define TC__TW_CIN_3(a, b, c) "r"(a), "r"(b), "r"(c), TC__TW_0, TC__TW_0
#define TC__TW_CIN_4(a, b, c, d) "r"(a), "r"(b), "r"(c), "r"(d), TC__TW_0
#define TC__TW_CIN_5(a, b, c, d, e) "r"(a), "r"(b), "r"(c), "r"(d), "r"(e)
#define TC__TW_CIN_0 TC__TW_0, TC__TW_0, TC__TW_0, TC__TW_0, TC__TW_0
#define TC__TW_SIN_1(a) "h"((uint16_t)(a)), TC__TW_0, TC__TW_0, TC__TW_0, TC__TW_0
#define TC__TW_SIN_2(a, b) "h"((uint16_t)(a)), "h"((uint16_t)(b)), TC__TW_0, TC__TW_0, TC__TW_0
#define TC__TW_SIN_3(a, b, c) "h"((uint16_t)(a)), "h"((uint16_t)(b)), "h"((uint16_t)(c)), TC__TW_0, TC__TW_0
#define TC__TW_SIN_4(a, b, c, d) "h"((uint16_t)(a)), "h"((uint16_t)(b)), "h"((uint16_t)(c)), "h"((uint16_t)(d)),      \
    TC__TW_0
#define TC__TW_SIN_5(a, b, c, d, e) "h"((uint16_t)(a)), "h"((uint16_t)(b)), "h"((uint16_t)(c)), "h"((uint16_t)(d)),   \
    "h"((uint16_t)(e))
#define TC__TW_SIN_0 TC__TW_0, TC__TW_0, TC__TW_0, TC__TW_0, TC__TW_0
#define TC__TW_LIN_1(a) "r"((uint32_t)(a)), TC__TW_0, TC__TW_0, TC__TW_0
#define TC__TW_LIN_2(a, b) "r"((uint32_t)(a)), "r"((uint32_t)(b)), TC__TW_0, TC__TW_0
#define TC__TW_LIN_3(a, b, c) "r"((uint32_t)(a)), "r"((uint32_t)(b)), "r"((uint32_t)(c)), TC__TW_0
#define TC__TW_LIN_4(a, b, c, d) "r"((uint32_t)(a)), "r"((uint32_t)(b)), "r"((uint32_t)(c)), "r"((uint32_t)(d))
#define TC__TW_LIN_0 TC__TW_0, TC__TW_0, TC__TW_0, TC__TW_0
#define TC__TW_WIN_1(a) "h"((uint16_t)(a)), TC__TW_0, TC__TW_0
#define TC__TW_WIN_2(a, b) "h"((uint16_t)(a)), "h"((uint16_t)(b)), TC__TW_0
#define TC__TW_WIN_3(a, b, c) "h"((uint16_t)(a)), "h"((uint16_t)(b)), "h"((uint16_t)(c))
#define TC__TW_WIN_0 TC__TW_0, TC__TW_0, TC__TW_0

/* a box by the number of its parts: the text in brackets, what .override adds, the inputs 5 .. 21, its coordinates */
#define TC__TW_PARTS(box) TC__NARGS box
#define TC__TW_BOX(what, box) TC__TW_BOX_(what, TC__TW_PARTS(box), box)
#define TC__TW_BOX_(what, n, box) TC__TW_BOX__(what, n, box)
#define TC__TW_BOX__(what, n, box) TC__TW_##what##_##n box
#define TC__TW_TEXT_2(tmap, c) "[%5, " TC__CAT(TC__TW_C_, TC__TM_COUNT(c)) "]"
#define TC__TW_TEXT_3(tmap, at, c) "[%5, %6, " TC__CAT(TC__TW_C_, TC__TM_COUNT(c)) "]"
#define TC__TW_TEXT_4(tmap, at, s, c)                                                                                 \
    "[%5, %6, " TC__CAT(TC__TW_S_, TC__TM_COUNT(s)) ", " TC__CAT(TC__TW_C_, TC__TM_COUNT(c)) "]"
#define TC__TW_TEXT_6(tmap, at, s, l, u, c)                                                                           \
    "[%5, %6, " TC__CAT(TC__TW_S_, TC__TM_COUNT(s)) ", " TC__CAT(TC__TW_L_, TC__TM_COUNT(l)) ", %7, "                 \
    TC__CAT(TC__TW_C_, TC__TM_COUNT(c)) "]"
#define TC__TW_OVER_2(tmap, c) ""
#define TC__TW_OVER_3(tmap, at, c) ".override::global_address"
#define TC__TW_OVER_4(tmap, at, s, c) ".override::global_address.override::global_dim"
#define TC__TW_OVER_6(tmap, at, s, l, u, c) ".override::global_address.override::global_dim_stride"
#define TC__TW_IN_2(tmap, c)                                                                                          \
    "l"(tmap), TC__TW_0, TC__TW_0, TC__CAT(TC__TW_CIN_, TC__TM_COUNT(c)) c, TC__TW_SIN_0, TC__TW_LIN_0
#define TC__TW_IN_3(tmap, at, c)                                                                                      \
    "l"(tmap), "l"((uint64_t)(at)), TC__TW_0, TC__CAT(TC__TW_CIN_, TC__TM_COUNT(c)) c, TC__TW_SIN_0, TC__TW_LIN_0
#define TC__TW_IN_4(tmap, at, s, c)                                                                                   \
    "l"(tmap), "l"((uint64_t)(at)), TC__TW_0, TC__CAT(TC__TW_CIN_, TC__TM_COUNT(c)) c,                                \
        TC__CAT(TC__TW_SIN_, TC__TM_COUNT(s)) s, TC__TW_LIN_0
#define TC__TW_IN_6(tmap, at, s, l, u, c)                                                                             \
    "l"(tmap), "l"((uint64_t)(at)), "h"((uint16_t)(u)), TC__CAT(TC__TW_CIN_, TC__TM_COUNT(c)) c,                      \
        TC__CAT(TC__TW_SIN_, TC__TM_COUNT(s)) s, TC__CAT(TC__TW_LIN_, TC__TM_COUNT(l)) l
#define TC__TW_COORDS_2(tmap, c) c
#define TC__TW_COORDS_3(tmap, at, c) c
#define TC__TW_COORDS_4(tmap, at, s, c) c
#define TC__TW_COORDS_6(tmap, at, s, l, u, c) c
#define TC__TW_FITS_2(tmap, c) 1
#define TC__TW_FITS_3(tmap, at, c) 1
#define TC__TW_FITS_4(tmap, at, s, c) (TC__TM_COUNT(s) == 1 && TC__TM_COUNT(c) == 1)
#define TC__TW_FITS_6(tmap, at, s, l, u, c)                                                                           \
    (TC__TM_COUNT(s) == TC__TM_COUNT(c) && TC__TM_COUNT(l) == TC__TM_COUNT(c) - 1 && TC__TM_COUNT(c) >= 2)
#define TC__TW_CHECK(what, dim, mode, box, modes, legal)                                                              \
    TC__TM_CHECK(dim, mode, TC__TW_BOX(COORDS, box), what, modes, legal);                                             \
    static_assert(TC__TW_BOX(FITS, box),                                                                              \
                  "tc: " what ": another shape has as many sizes as coordinates and, from 2d on, a stride less: "     \
                              "(tmap, "                                                                               \
                  "address, (sizes), (strides), upper, (c..))");                                                      \
    static_assert(TC__TW_PARTS(box) <= 3 || tc__follows(#mode, "tile"), "tc: " what ": another shape goes with tile"); \
    TC__NEEDS_PTX(94, what " with these qualifiers");                                                                 \
    tc__needs_sm90()
#define TC__TW_OVER_CHECK(what, box) TC__NEEDS_SM107A_IF(TC__TW_PARTS(box) > 2, what " with an address of its own")

/* tokens by their first word */
#define TC__TW_MULTI_ ~, 0
#define TC__TW_MULTI_16b ~, 1
#define TC__TW_MULTI_32b ~, 2
#define TC__TW_MTEXT_0 ""
#define TC__TW_MTEXT_1 ".multicast::cluster::16b"
#define TC__TW_MTEXT_2 ".multicast::cluster::32b"
#define TC__TW_REPORT_ ~, 0
#define TC__TW_REPORT_disabled ~, 1
#define TC__TW_REPORT_validity ~, 1,
#define TC__TW_RTEXT_0(report) ""
#define TC__TW_RTEXT_1(report) ".mbarrier::report::" #report
#define TC__TW_HINT_ ~, 0
#define TC__TW_HINT_L2 ~, 1,
#define TC__TW_HINT_evict_last ~, 0
#define TC__TW_EVICT_ ~, ""
#define TC__TW_EVICT_L2 ~, ".L2::cache_hint",
#define TC__TW_EVICT_evict_last ~, ".L2::evict_last"
#define TC__TW_RTEXT(there, report) TC__TW_RTEXT_(there, report)
#define TC__TW_RTEXT_(there, report) TC__TW_RTEXT_##there(report)

/* load; the forms by offsets, mask (0; 1: 16 bits; 2: 32), policy. T: the mnemonic without .override */
#define TC__TW_LOAD_ASM(T, end, dst, box, bar, m16, m32, policy, wtext, ...)                                          \
    asm volatile(T TC__TW_BOX(OVER, box) " [%0], " TC__TW_BOX(TEXT, box) ", [%1]" wtext end ";"                       \
                 : : "r"(dst), "r"(bar), m16, m32, policy, TC__TW_BOX(IN, box), __VA_ARGS__ : "memory")
#define TC__TW_LOAD_0(T, end, dst, box, bar, m16, m32, policy)                                                        \
    TC__TW_LOAD_ASM(T, end, dst, box, bar, m16, m32, policy, "", TC__TW_WIN_0)
#define TC__TW_LOAD_1(T, end, dst, box, bar, m16, m32, policy, w)                                                     \
    TC__TM_CHECK_W(T, TC__TW_BOX(COORDS, box), w);                                                                    \
    TC__TW_LOAD_ASM(T, end, dst, box, bar, m16, m32, policy, TC__CAT(TC__TW_W_, TC__TM_COUNT(w)),                     \
                    TC__CAT(TC__TW_WIN_, TC__TM_COUNT(w)) w)
#define TC__TW_16(mask) "h"((uint16_t)(mask))
#define TC__TW_32(mask) "r"((uint32_t)(mask))
#define TC__TW_PL(policy) "l"((uint64_t)(policy))
#define TC__TW_LOAD_000(T, dst, box, bar)                                                                             \
    TC__TW_LOAD_0(T, "", dst, box, bar, TC__TW_0, TC__TW_0, TC__TW_0)
#define TC__TW_LOAD_OK_000_3 ~, TC__TW_LOAD_000
#define TC__TW_LOAD_001(T, dst, box, bar, policy)                                                                     \
    TC__TW_LOAD_0(T, ", %4", dst, box, bar, TC__TW_0, TC__TW_0, TC__TW_PL(policy))
#define TC__TW_LOAD_OK_001_4 ~, TC__TW_LOAD_001
#define TC__TW_LOAD_010(T, dst, box, bar, mask)                                                                       \
    TC__TW_LOAD_0(T, ", %2", dst, box, bar, TC__TW_16(mask), TC__TW_0, TC__TW_0)
#define TC__TW_LOAD_OK_010_4 ~, TC__TW_LOAD_010
#define TC__TW_LOAD_011(T, dst, box, bar, mask, policy)                                                               \
    TC__TW_LOAD_0(T, ", %2, %4", dst, box, bar, TC__TW_16(mask), TC__TW_0, TC__TW_PL(policy))
#define TC__TW_LOAD_OK_011_5 ~, TC__TW_LOAD_011
#define TC__TW_LOAD_020(T, dst, box, bar, mask)                                                                       \
    TC__TW_LOAD_0(T, ", %3", dst, box, bar, TC__TW_0, TC__TW_32(mask), TC__TW_0)
#define TC__TW_LOAD_OK_020_4 ~, TC__TW_LOAD_020
#define TC__TW_LOAD_021(T, dst, box, bar, mask, policy)                                                               \
    TC__TW_LOAD_0(T, ", %3, %4", dst, box, bar, TC__TW_0, TC__TW_32(mask), TC__TW_PL(policy))
#define TC__TW_LOAD_OK_021_5 ~, TC__TW_LOAD_021
#define TC__TW_LOAD_100(T, dst, box, bar, w)                                                                          \
    TC__TW_LOAD_1(T, "", dst, box, bar, TC__TW_0, TC__TW_0, TC__TW_0, w)
#define TC__TW_LOAD_OK_100_4 ~, TC__TW_LOAD_100
#define TC__TW_LOAD_101(T, dst, box, bar, w, policy)                                                                  \
    TC__TW_LOAD_1(T, ", %4", dst, box, bar, TC__TW_0, TC__TW_0, TC__TW_PL(policy), w)
#define TC__TW_LOAD_OK_101_5 ~, TC__TW_LOAD_101
#define TC__TW_LOAD_110(T, dst, box, bar, w, mask)                                                                    \
    TC__TW_LOAD_1(T, ", %2", dst, box, bar, TC__TW_16(mask), TC__TW_0, TC__TW_0, w)
#define TC__TW_LOAD_OK_110_5 ~, TC__TW_LOAD_110
#define TC__TW_LOAD_111(T, dst, box, bar, w, mask, policy)                                                            \
    TC__TW_LOAD_1(T, ", %2, %4", dst, box, bar, TC__TW_16(mask), TC__TW_0, TC__TW_PL(policy), w)
#define TC__TW_LOAD_OK_111_6 ~, TC__TW_LOAD_111
#define TC__TW_LOAD_120(T, dst, box, bar, w, mask)                                                                    \
    TC__TW_LOAD_1(T, ", %3", dst, box, bar, TC__TW_0, TC__TW_32(mask), TC__TW_0, w)
#define TC__TW_LOAD_OK_120_5 ~, TC__TW_LOAD_120
#define TC__TW_LOAD_121(T, dst, box, bar, w, mask, policy)                                                            \
    TC__TW_LOAD_1(T, ", %3, %4", dst, box, bar, TC__TW_0, TC__TW_32(mask), TC__TW_PL(policy), w)
#define TC__TW_LOAD_OK_121_6 ~, TC__TW_LOAD_121
#define TC__TW_LOAD_BAD(...)                                                                                          \
    static_assert(0, "tc: cp.async.bulk.tensor: the arguments are (dim, dst_space, mode, report, multicast, "         \
                     "group, hint, "                                                                                  \
                  "dst, (tmap, .. (c..)), bar[, (w..)] of im2col[, mask] of 16b, 32b[, policy] of L2::cache_hint)")
#define TC__TW_LOAD_PICK(w, m, h, count) TC__TW_LOAD_PICK_(w, m, h, count)
#define TC__TW_LOAD_PICK_(w, m, h, count) TC__PROBE(TC__TW_LOAD_OK_##w##m##h##_##count, TC__TW_LOAD_BAD)
#define TC__TW_ARG2(a, b, ...) b
#define TC__TW_ARG1(a, ...) a
#define TC_CP_ASYNC_BULK_TENSOR_WITH(dim, space, mode, report, multicast, group, hint, ...)                           \
    do {                                                                                                              \
        static_assert(tc__follows(#space, "shared::cluster|shared::cta"),                                             \
                      "tc: cp.async.bulk.tensor: the destination is shared::cluster or shared::cta");                 \
        static_assert(tc__follows(#report, "|disabled|" TC__BK_VALIDITY),                                             \
                      "tc: cp.async.bulk.tensor: the report is disabled, validity::per_16bytes::80000000, ::8000, "   \
                      "::80, "                                                                                        \
                      "::8, validity::per_element::ff or left out");                                                  \
        static_assert(tc__follows(#multicast, "|16b|32b")                                                             \
                      && (#multicast[0] == 0 || (tc__follows(#space, "shared::cluster") && #report[0] == 0)),         \
                      "tc: cp.async.bulk.tensor: multicast is 16b or 32b, into shared::cluster, without a report, or " \
                      "left out");                                                                                    \
        static_assert(tc__follows(#group, "|1|2|cta_group::1|cta_group::2") && tc__follows(#hint, "|L2::cache_hint"), \
                      "tc: cp.async.bulk.tensor: the group is 1, 2, the hint "                                        \
                      "L2::cache_hint, or left out");                                                                 \
        TC__TW_CHECK("cp.async.bulk.tensor", dim, mode, TC__TW_ARG2(__VA_ARGS__, ((), ()), ()),                       \
                     "tile|tile::gather4|im2col|im2col::w|im2col::w::128",                                            \
                     "tile, tile::gather4, im2col, im2col::w or im2col::w::128");                                     \
        TC__TW_OVER_CHECK("cp.async.bulk.tensor", TC__TW_ARG2(__VA_ARGS__, ((), ()), ()));                            \
        static_assert(TC__TW_PARTS(TC__TW_ARG2(__VA_ARGS__, ((), ()), ())) <= 3 || !tc__follows(#multicast, "16b"),   \
                      "tc: cp.async.bulk.tensor: another shape goes with a mask of 32 bits only");                    \
        TC__NEEDS_SM107A_IF(#report[0] != 0 || tc__follows(#multicast, "32b"),                                        \
                            "cp.async.bulk.tensor with a report or a mask of 32 bits");                               \
        TC__NEEDS_TARGET_IF(TC_HAS_SM100A, #group[0] != 0 || !tc__follows(#mode, "tile|im2col"),                      \
                            "cp.async.bulk.tensor with a cta_group or this mode", "an a or f target of 100, 103, "    \
                                "107, 110",                                                                           \
                            "100a");                                                                                  \
        TC__CALL(TC__TW_LOAD_PICK(TC__PROBE(TC__TM_OFFS_##mode, 0), TC__PROBE(TC__TW_MULTI_##multicast, 0),           \
                                  TC__PROBE(TC__TW_HINT_##hint, 0), TC__NARGS(__VA_ARGS__)),                          \
                 "cp.async.bulk.tensor." #dim "." #space ".global." #mode ".mbarrier::complete_tx::bytes"             \
                 TC__TW_RTEXT(TC__PROBE(TC__TW_REPORT_##report, 0), report)                                           \
                 TC__CAT(TC__TW_MTEXT_, TC__PROBE(TC__TW_MULTI_##multicast, 0))                                       \
                 TC__TM_GROUP_TEXT(TC__PROBE(TC__TM_GROUP_##group, 0), group) TC__PROBE(TC__TW_EVICT_##hint, ""),     \
                     __VA_ARGS__);                                                                                    \
    } while (0)

/* store, reduction: operand 0 is src */
#define TC__TW_STORE_ASM(T, end, box, src, policy)                                                                    \
    asm volatile(T TC__TW_BOX(OVER, box) " " TC__TW_BOX(TEXT, box) ", [%0]" end ";"                                   \
                 : : "r"(src), TC__TW_0, TC__TW_0, TC__TW_0, policy, TC__TW_BOX(IN, box) : "memory")
#define TC__TW_STORE_0(T, box, src) TC__TW_STORE_ASM(T, "", box, src, TC__TW_0)
#define TC__TW_STORE_1(T, box, src, policy) TC__TW_STORE_ASM(T, ", %4", box, src, TC__TW_PL(policy))
#define TC__TW_STORE_OK_0_2 ~, TC__TW_STORE_0
#define TC__TW_STORE_OK_1_3 ~, TC__TW_STORE_1
#define TC__TW_STORE_BAD(...)                                                                                         \
    static_assert(0, "tc: a store or reduction of a tensor: the arguments end with (tmap, .. (c..)), src[, "          \
                     "policy] of "                                                                                    \
                  "L2::cache_hint")
#define TC__TW_STORE_PICK(h, count) TC__TW_STORE_PICK_(h, count)
#define TC__TW_STORE_PICK_(h, count) TC__PROBE(TC__TW_STORE_OK_##h##_##count, TC__TW_STORE_BAD)
#define TC_CP_ASYNC_BULK_TENSOR_STORE_WITH(dim, mode, hint, ...)                                                      \
    do {                                                                                                              \
        TC__TW_CHECK("cp.async.bulk.tensor to global", dim, mode, TC__TW_ARG1(__VA_ARGS__, ()),                       \
                     "tile|tile::scatter4|im2col_no_offs|im2col_no_offs::w",                                          \
                     "tile, tile::scatter4, im2col_no_offs or im2col_no_offs::w");                                    \
        TC__TM_HINT_CHECK(hint, "cp.async.bulk.tensor");                                                              \
        TC__NEEDS_SM107A_IF(1, "cp.async.bulk.tensor to global with these qualifiers");                               \
        TC__CALL(TC__TW_STORE_PICK(TC__PROBE(TC__TW_HINT_##hint, 0), TC__NARGS(__VA_ARGS__)),                         \
                 "cp.async.bulk.tensor." #dim ".global.shared::cta." #mode ".bulk_group"                              \
                 TC__PROBE(TC__TW_EVICT_##hint, ""), __VA_ARGS__);                                                    \
    } while (0)
#define TC_CP_REDUCE_ASYNC_BULK_TENSOR_WITH(dim, op, mode, hint, ...)                                                 \
    do {                                                                                                              \
        TC__TW_CHECK("cp.reduce.async.bulk.tensor", dim, mode, TC__TW_ARG1(__VA_ARGS__, ()),                          \
                     "tile|im2col_no_offs|im2col_no_offs::w", "tile, im2col_no_offs or im2col_no_offs::w");           \
        TC__TM_HINT_CHECK(hint, "cp.reduce.async.bulk.tensor");                                                       \
        static_assert(tc__follows(#op, "add|min|max|inc|dec|and|or|xor"),                                             \
                      "tc: cp.reduce.async.bulk.tensor: op is add, min, max, inc, dec, and, or or xor");              \
        TC__NEEDS_SM107A_IF(1, "cp.reduce.async.bulk.tensor with these qualifiers");                                  \
        TC__CALL(TC__TW_STORE_PICK(TC__PROBE(TC__TW_HINT_##hint, 0), TC__NARGS(__VA_ARGS__)),                         \
                 "cp.reduce.async.bulk.tensor." #dim ".global.shared::cta." #op "." #mode ".bulk_group"               \
                 TC__PROBE(TC__TW_EVICT_##hint, ""), __VA_ARGS__);                                                    \
    } while (0)

/* prefetch, applypriority */
#define TC__TW_PRE_ASM(T, end, box, policy, wtext, ...)                                                               \
    asm volatile(T TC__TW_BOX(OVER, box) " " TC__TW_BOX(TEXT, box) wtext end ";"                                      \
                 : : TC__TW_0, TC__TW_0, TC__TW_0, TC__TW_0, policy, TC__TW_BOX(IN, box), __VA_ARGS__ : "memory")
#define TC__TW_PRE_W(T, end, box, policy, w)                                                                          \
    TC__TM_CHECK_W(T, TC__TW_BOX(COORDS, box), w);                                                                    \
    TC__TW_PRE_ASM(T, end, box, policy, TC__CAT(TC__TW_W_, TC__TM_COUNT(w)), TC__CAT(TC__TW_WIN_, TC__TM_COUNT(w)) w)
#define TC__TW_PRE_00(T, box) TC__TW_PRE_ASM(T, "", box, TC__TW_0, "", TC__TW_WIN_0)
#define TC__TW_PRE_01(T, box, policy) TC__TW_PRE_ASM(T, ", %4", box, TC__TW_PL(policy), "", TC__TW_WIN_0)
#define TC__TW_PRE_10(T, box, w) TC__TW_PRE_W(T, "", box, TC__TW_0, w)
#define TC__TW_PRE_11(T, box, w, policy) TC__TW_PRE_W(T, ", %4", box, TC__TW_PL(policy), w)
#define TC__TW_PRE_OK_00_1 ~, TC__TW_PRE_00
#define TC__TW_PRE_OK_01_2 ~, TC__TW_PRE_01
#define TC__TW_PRE_OK_10_2 ~, TC__TW_PRE_10
#define TC__TW_PRE_OK_11_3 ~, TC__TW_PRE_11
#define TC__TW_PRE_BAD(...)                                                                                           \
    static_assert(0, "tc: a prefetch or applypriority of a tensor: the arguments end with (tmap, .. (c..))[, "        \
                     "(w..)] of "                                                                                     \
                  "im2col[, policy] of L2::cache_hint")
#define TC__TW_PRE_PICK(w, h, count) TC__TW_PRE_PICK_(w, h, count)
#define TC__TW_PRE_PICK_(w, h, count) TC__PROBE(TC__TW_PRE_OK_##w##h##_##count, TC__TW_PRE_BAD)
#define TC_CP_ASYNC_BULK_PREFETCH_TENSOR_WITH(dim, mode, hint, ...)                                                   \
    do {                                                                                                              \
        TC__TW_CHECK("cp.async.bulk.prefetch.tensor", dim, mode, TC__TW_ARG1(__VA_ARGS__, ()),                        \
                     "tile|tile::gather4|im2col|im2col::w|im2col::w::128",                                            \
                     "tile, tile::gather4, im2col, im2col::w or im2col::w::128");                                     \
        static_assert(tc__follows(#hint, "|L2::cache_hint|evict_last"),                                               \
                      "tc: cp.async.bulk.prefetch.tensor: the hint is L2::cache_hint, evict_last or left out");       \
        TC__NEEDS_SM107A_IF(1, "cp.async.bulk.prefetch.tensor with these qualifiers");                                \
        TC__CALL(TC__TW_PRE_PICK(TC__PROBE(TC__TM_OFFS_##mode, 0), TC__PROBE(TC__TW_HINT_##hint, 0),                  \
                                 TC__NARGS(__VA_ARGS__)),                                                             \
                 "cp.async.bulk.prefetch.tensor." #dim ".L2.global." #mode TC__PROBE(TC__TW_EVICT_##hint, ""),        \
                 __VA_ARGS__);                                                                                        \
    } while (0)
#define TC_APPLYPRIORITY_ASYNC_BULK_TENSOR(dim, space, mode, ...)                                                     \
    do {                                                                                                              \
        TC__TW_CHECK("applypriority.async.bulk.tensor", dim, mode, TC__TW_ARG1(__VA_ARGS__, ()),                      \
                     "tile|tile::gather4|im2col|im2col::w|im2col::w::128",                                            \
                     "tile, tile::gather4, im2col, im2col::w or im2col::w::128");                                     \
        static_assert(tc__follows(#space, "|global") && TC__TW_PARTS(TC__TW_ARG1(__VA_ARGS__, ())) == 2,              \
                      "tc: applypriority.async.bulk.tensor: the space is global or left out, the box is (tmap, "      \
                      "(c..))");                                                                                      \
        TC__NEEDS_SM107A_IF(1, "applypriority.async.bulk.tensor");                                                    \
        TC__CALL(TC__TW_PRE_PICK(TC__PROBE(TC__TM_OFFS_##mode, 0), 0, TC__NARGS(__VA_ARGS__)),                        \
                 "applypriority.async.bulk.tensor." #dim TC__TM_DOT(TC__PROBE(TC__TW_SPACE_##space, 0),               \
                     space) "." #mode                                                                                 \
                 ".bulk_group.L2::evict_normal", __VA_ARGS__);                                                        \
    } while (0)
#define TC__TW_SPACE_ ~, 0
#define TC__TW_SPACE_global ~, 1

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: tensormap.replace of the address with the map's allocation class, tensormap.query (PTX 9.5; sm_90a, a and f
 * targets of Blackwell). q of replace: .alloc_same, .alloc_small or .alloc_large, {.global, .shared::cta}; of query:
 * {.global, .shared::cta}. p: a shared address with .shared::cta, else a pointer.
 */
#define TC_TENSORMAP_REPLACE_ADDRESS(q, p, address)                                                                   \
    do {                                                                                                              \
        static_assert(tc__follows(#q, ".alloc_same|.alloc_small|.alloc_large |.global|.shared::cta"),                 \
                      "tc: tensormap.replace: the qualifiers are .alloc_same, .alloc_small or .alloc_large, "         \
                      "{.global, "                                                                                    \
                      ".shared::cta}");                                                                               \
        TC__NEEDS_PTX(95, "tensormap.replace with an allocation class");                                              \
        TC__ADDRESS(q, p);                                                                                            \
        tc__needs_any_a();                                                                                            \
        asm volatile("tensormap.replace.tile.global_address" #q ".b1024.b64 [%0], %1;"                                \
                     : : "l"((uint64_t)(p)), "l"((uint64_t)(address)) : "memory");                                    \
    } while (0)
#define TC_TENSORMAP_QUERY_ALLOC_CLASS_LARGE(q, large, p)                                                             \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.global|.shared::cta"),                                                       \
                      "tc: tensormap.query: the qualifiers are {.global, .shared::cta}");                             \
        TC__NEEDS_PTX(95, "tensormap.query");                                                                         \
        TC__ADDRESS(q, p);                                                                                            \
        tc__needs_any_a();                                                                                            \
        asm volatile("{\n.reg .pred p;\ntensormap.query.alloc_class_large" #q ".b1024 p, [%1];\nselp.b32 %0, 1, "     \
            "0, p;\n}"                                                                                                \
                     : "=r"(large) : "l"((uint64_t)(p)) : "memory");                                                  \
    } while (0)

#endif /* __CUDACC__ */
#endif /* TC_TMA_MORE_H */
