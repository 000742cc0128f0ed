/* tc_fabric.h - tc 0.2.0 - fabric: copies and reductions through logical endpoints of the NVLink fabric. Needs:
 * tc_mbarrier.h; sm_100, PTX 9.3 (CUDA 13.3), parts later. Not part of tc.h: include it where it is wanted.
 *
 *     TC_FABRIC_TRY_GET(smem, endpoint, offset, bytes, bar);       bar: of .layout::v1, expects `bytes`
 *     TC_FABRIC_SUBMIT();                                          nothing completes before it
 *     TC_MBARRIER_TRY_WAIT_PARITY_REPORT(.phase_type::primary.shared::cta, done, report, bar, 0);   did it fail?
 *
 * CONTENTS. endpoint, offset: the handle [leId, offset] of cuLogicalEndpoint*, uint32_t and uint64_t; smem, old,
 * operand: shared addresses; bytes: a multiple of 16; bar: shared address of an mbarrier of .layout::v1; q: empty or
 * .multimem
 *     TC_FABRIC_TRY_GET(smem, endpoint, offset, bytes, bar)                        counts bytes on bar
 *     TC_FABRIC_TRY_PUT(q, endpoint, offset, smem, bytes, bar), _MASK(..., mask)   counts bytes / 16
 *     TC_FABRIC_TRY_PUT_COUNTED(q, endpoint, offset, counter, smem, bytes, bar)    counter: 256-byte aligned offset
 *     TC_FABRIC_TRY_RED(q, op, type, endpoint, offset, smem, bytes, bar)           and or xor b32 b64; min max u32 s32
 *                                                          u64 s64 f16 bf16; add u32 u64 f16 bf16 f32 f64
 *     TC_FABRIC_TRY_PULLRED(op, type, smem, endpoint, offset, bytes, bar)          of .multimem, by a whole warp: the
 *                                                          same but f64; on a and f targets add.acc::f32 f16 bf16;
 *                                                          min max add.acc::f32 add.acc::f16 e4m3 e5m2
 *     TC_FABRIC_TRY_ATOM(op, type, endpoint, offset, old, operand, bar)            as red without f16, bf16 (on which
 *                                                          ptxas 13.5 ends with an error of its own)           PTX 9.4
 *     TC_FABRIC_SUBMIT(), TC_FABRIC_WAIT_READ(n), TC_FABRIC_SUBMIT_COMMIT_GROUP()  groups; the last one: PTX 9.5
 *
 * WHAT HAS BEEN PROVEN. Assembled by ptxas 13.5. In tcemu each fails as without a fabric (tests/isa); none has run on
 * a GPU.
 *
 * TRAPS
 *     TC_FABRIC_SUBMIT before the phase may complete; the completion before the grid ends.
 *     ptxas puts checks of its own around each of these (--gno-fabric-access-check leaves them out).
 *     The forms of tensors, cache hints and createpolicy.range.fabric are not here: no text says how they are written.
 *
 * Source: PTX ISA 9.4; the types by trying with ptxas 13.5.
 */
#ifndef TC_FABRIC_H
#define TC_FABRIC_H

#include "tc_mbarrier.h"

#ifdef __CUDACC__

#define TC__FB_NEEDS(version, what)                                                                                   \
    TC__NEEDS_PTX(version, what);                                                                                     \
    tc__needs_sm100()
#define TC__FB_Q(what, q) static_assert(tc__follows(#q, "|.multimem"), "tc: " what ": the qualifiers are {.multimem}")
#define TC__FB_BYTES ".shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric"
#define TC__FB_16B ".shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric"
#define TC__FB_OP(op, type)                                                                                           \
    (tc__follows(#op "." #type, "and|or|xor .b32|.b64") || tc__follows(#op "." #type, "min|max .u32|.s32|.u64|.s64")  \
     || tc__follows(#op "." #type, "add .u32|.u64|.f32"))
#define TC__FB_OP_F(op, type) tc__follows(#op "." #type, "min|max|add .f16|.bf16")
#define TC_FABRIC_TRY_GET(smem, endpoint, offset, bytes, bar)                                                         \
    do {                                                                                                              \
        TC__FB_NEEDS(93, "fabric.try_get");                                                                           \
        asm volatile("fabric.try_get.async" TC__FB_BYTES ".relaxed.sys.b128 [%0], [%1, %2], %3, [%4];"                \
                     : : "r"(smem), "r"(endpoint), "l"((uint64_t)(offset)), "r"(bytes), "r"(bar) : "memory");         \
    } while (0)
#define TC_FABRIC_TRY_PUT(q, endpoint, offset, smem, bytes, bar)                                                      \
    do {                                                                                                              \
        TC__FB_Q("fabric.try_put", q);                                                                                \
        TC__FB_NEEDS(93, "fabric.try_put");                                                                           \
        asm volatile("fabric.try_put.async" #q TC__FB_16B ".relaxed.sys.b128 [%0, %1], [%2], %3, [%4];"               \
                     : : "r"(endpoint), "l"((uint64_t)(offset)), "r"(smem), "r"(bytes), "r"(bar) : "memory");         \
    } while (0)
#define TC_FABRIC_TRY_PUT_MASK(q, endpoint, offset, smem, bytes, bar, mask)                                           \
    do {                                                                                                              \
        TC__FB_Q("fabric.try_put", q);                                                                                \
        TC__FB_NEEDS(93, "fabric.try_put");                                                                           \
        asm volatile("fabric.try_put.async" #q TC__FB_16B ".cp_mask.relaxed.sys.b128 [%0, %1], [%2], %3, [%4], %5;"   \
                     : : "r"(endpoint), "l"((uint64_t)(offset)), "r"(smem), "r"(bytes), "r"(bar),                     \
                         "h"((uint16_t)(mask)) : "memory");                                                           \
    } while (0)
#define TC_FABRIC_TRY_PUT_COUNTED(q, endpoint, offset, counter, smem, bytes, bar)                                     \
    do {                                                                                                              \
        TC__FB_Q("fabric.try_put", q);                                                                                \
        TC__FB_NEEDS(93, "fabric.try_put");                                                                           \
        asm volatile("fabric.try_put.async" #q TC__FB_16B ".counted::bytes.relaxed.sys.b128 [%0, %1, %2], [%3], "     \
                                                          "%4, [%5];"                                                 \
                     : : "r"(endpoint), "l"((uint64_t)(offset)), "l"((uint64_t)(counter)), "r"(smem), "r"(bytes),     \
                         "r"(bar) : "memory");                                                                        \
    } while (0)
#define TC_FABRIC_TRY_RED(q, op, type, endpoint, offset, smem, bytes, bar)                                            \
    do {                                                                                                              \
        TC__FB_Q("fabric.try_red", q);                                                                                \
        static_assert(TC__FB_OP(op, type) || TC__FB_OP_F(op, type) || tc__follows(#op "." #type, "add.f64"),          \
                      "tc: fabric.try_red: op and type are and, or, xor b32, b64; min, max u32, s32, u64, s64, "      \
                      "f16, bf16; "                                                                                   \
                      "add u32, u64, f16, bf16, f32, f64");                                                           \
        TC__FB_NEEDS(93, "fabric.try_red");                                                                           \
        asm volatile("fabric.try_red.async" #q TC__FB_16B ".relaxed.sys." #op "." #type " [%0, %1], [%2], %3, [%4];"  \
                     : : "r"(endpoint), "l"((uint64_t)(offset)), "r"(smem), "r"(bytes), "r"(bar) : "memory");         \
    } while (0)
#define TC_FABRIC_TRY_PULLRED(op, type, smem, endpoint, offset, bytes, bar)                                           \
    do {                                                                                                              \
        static_assert(TC__FB_OP(op, type) || TC__FB_OP_F(op, type) || tc__follows(#op "." #type, "add.acc::f32 "      \
            ".f16|.bf16")                                                                                             \
                          || tc__follows(#op "." #type, "min|max|add.acc::f32|add.acc::f16 .e4m3|.e5m2"),             \
                      "tc: fabric.try_pullred: op and type are and, or, xor b32, b64; min, max u32, s32, u64, "       \
                      "s64, f16, "                                                                                    \
                      "bf16, e4m3, e5m2; add u32, u64, f16, bf16, f32; add.acc::f32 f16, bf16, e4m3, e5m2; "          \
                      "add.acc::f16 "                                                                                 \
                      "e4m3, e5m2");                                                                                  \
        TC__NEEDS_TARGET_IF(TC_HAS_BLACKWELL_A, tc__holds(#op, "acc") || tc__holds(#type, "e"),                       \
                            "fabric.try_pullred with .acc or of 8-bit floats",                                        \
                            "an a or f target of Blackwell", "100a");                                                 \
        TC__FB_NEEDS(93, "fabric.try_pullred");                                                                       \
        asm volatile("fabric.try_pullred.async.multimem" TC__FB_BYTES ".relaxed.sys." #op "." #type                   \
                     ".sync [%0], [%1, %2], %3, [%4], 0xFFFFFFFF;"                                                    \
                     : : "r"(smem), "r"(endpoint), "l"((uint64_t)(offset)), "r"(bytes), "r"(bar) : "memory");         \
    } while (0)
#define TC_FABRIC_TRY_ATOM(op, type, endpoint, offset, old, operand, bar)                                             \
    do {                                                                                                              \
        static_assert(TC__FB_OP(op, type) || tc__follows(#op "." #type, "add.f64"),                                   \
                      "tc: fabric.try_atom: op and type are and, or, xor b32, b64; min, max u32, s32, u64, s64; "     \
                      "add u32, "                                                                                     \
                      "u64, f32, f64");                                                                               \
        TC__FB_NEEDS(94, "fabric.try_atom");                                                                          \
        asm volatile("fabric.try_atom.async" TC__FB_16B ".relaxed.sys." #op "." #type " [%0, %1], [%2], [%3], [%4];"  \
                     : : "r"(endpoint), "l"((uint64_t)(offset)), "r"(old), "r"(operand), "r"(bar) : "memory");        \
    } while (0)
#define TC_FABRIC_SUBMIT()                                                                                            \
    do {                                                                                                              \
        TC__FB_NEEDS(93, "fabric.submit");                                                                            \
        asm volatile("fabric.submit;" : : : "memory");                                                                \
    } while (0)
#define TC_FABRIC_SUBMIT_COMMIT_GROUP()                                                                               \
    do {                                                                                                              \
        TC__FB_NEEDS(95, "fabric.submit.commit_group");                                                               \
        asm volatile("fabric.submit.commit_group;" : : : "memory");                                                   \
    } while (0)
/* at most n (a literal) of the newest groups still read their shared memory. PTX 9.3 spells it .sync_restrict::reads,
 * which PTX 9.5 deprecates: each toolkit is given its own. */
#if TC_PTX_ISA >= 95
#define TC__FB_READ "read"
#else
#define TC__FB_READ "reads"
#endif
#define TC_FABRIC_WAIT_READ(n)                                                                                        \
    do {                                                                                                              \
        TC__FB_NEEDS(93, "fabric.wait.sync_restrict");                                                                \
        asm volatile("fabric.wait.sync_restrict::" TC__FB_READ " %0;" : : "n"(n) : "memory");                         \
    } while (0)

#endif /* __CUDACC__ */
#endif /* TC_FABRIC_H */
