/* tc_multimem.h - tc 0.2.0 - multimem: one instruction on the memory of all GPUs of a team. Needs: tc_tma_more.h;
 * sm_90, parts sm_100. Not part of tc.h: include it where it is wanted.
 *
 *     float sum[4];                             of all GPUs: the reduction happens in the switch
 *     TC_MULTIMEM_LD_REDUCE(.relaxed.sys.global, add, v4, f32, sum, p);
 *     TC_MULTIMEM_ST(.global, v4, f32, p, sum);               to all GPUs
 *     TC_MULTIMEM_RED_ASYNC(.release.sys.global, u32, flag, 1);    a flag for all GPUs, after the data: no fence
 *
 * p is an address in a multicast mapping (cuMulticastCreate, cuMulticastBindMem): no other memory operation goes there.
 *
 * CONTENTS (q: qualifiers with their dots, as in PTX, may be empty; vec: v2, v4, v8 or empty; d, v: arrays of that
 * many, also for one; 16-bit floats and pairs of 8-bit ones: uint16_t, f16x2 and the like: uint32_t; e4m3 and e5m2 with
 * v4, v8: uint32_t[1], [2], four codes in each)
 *     TC_MULTIMEM_LD_REDUCE(q, op, vec, type, d, p)
 *                       q: {.weak, .relaxed or .acquire with .cta .cluster .gpu .sys}{.global}
 *         and or xor    b32 b64                             add.acc::f32  f16 bf16 f16x2 bf16x2 as below: summed in f32
 *         min max       u32 s32 u64 s64                      add.acc::f16  those of 8 bits: summed in f16
 *         add           u32 s32 u64 f64; f32 (also v2 v4)
 *         min max add   f16 bf16 v2 v4 v8;  f16x2 bf16x2 and v2 v4;  e4m3 e5m2 v4 v8;  e4m3x2 e5m2x2 v2 v4 v8;
 *                       e4m3x4 e5m2x4 and v2 v4        (8 bits: a and f targets of 100, 103, 107, 110; 120a, 121a)
 *     TC_MULTIMEM_ST(q, vec, type, p, v)              q: {.weak, .relaxed or .release with a scope}{.global}; all types
 *     TC_MULTIMEM_RED(q, op, vec, type, p, v)          q: {.relaxed or .release with a scope}{.global}; op as of
 *                       LD_REDUCE, without .acc and 8 bits; f16x2, bf16x2 without vec: add
 *     TC_MULTIMEM_ST_ASYNC(q, type, p, x)              q: .release.gpu or .release.sys, {.global}; type b8 b16 u16 s16
 *                       b32 u32 s32 f32 b64 u64 s64 f64                                             sm_100, PTX 9.3
 *     TC_MULTIMEM_RED_ASYNC(q, type, p, x)             the same q; add of u32, s32, u64             sm_100, PTX 9.3
 *     TC_MULTIMEM_CP_ASYNC_BULK_STORE_Q(q, dst, src, bytes), _MASK(..., mask)                       PTX 9.1
 *                       q: {.weak, .relaxed with a scope}.global.shared::cta.bulk_group{.cp_mask} (sm_100){.b128 with
 *                       .relaxed}
 *     TC_MULTIMEM_CP_REDUCE_ASYNC_BULK_Q(q, op, type, dst, src, bytes)                              PTX 9.1
 *                       q: {.relaxed with a scope}.global.shared::cta.bulk_group
 *
 * WHAT HAS BEEN PROVEN. Assembled by ptxas 13.5 and, but for what is newer, 13.0. The instructions run in tcemu, for
 * one device (tests/isa); none has on a GPU.
 *
 * TRAPS
 *     Without semantics ld_reduce is .weak: what other GPUs have written must have been synchronised by something else.
 *     A bulk copy takes the size and alignment of its relatives in tc_tma.h: 16 bytes; the bulk group counts it.
 *
 * Source: PTX ISA, "multimem"; the forms by trying with ptxas.
 */
#ifndef TC_MULTIMEM_H
#define TC_MULTIMEM_H

#include "tc_tma_more.h"

#ifdef __CUDACC__

/* vec and type: (number of registers, constraint, text), as tc_memory.h has them; B4, B8: codes of 8 bits */
#define TC__MM__b32 ~, (1, "r", ".b32")
#define TC__MM__u32 ~, (1, "r", ".u32")
#define TC__MM__s32 ~, (1, "r", ".s32")
#define TC__MM__b64 ~, (1, "l", ".b64")
#define TC__MM__u64 ~, (1, "l", ".u64")
#define TC__MM__s64 ~, (1, "l", ".s64")
#define TC__MM__f64 ~, (1, "d", ".f64")
#define TC__MM__f32 ~, (1, "f", ".f32")
#define TC__MM_v2_f32 ~, (2, "f", ".v2.f32")
#define TC__MM_v4_f32 ~, (4, "f", ".v4.f32")
#define TC__MM__f16x2 ~, (1, "r", ".f16x2")
#define TC__MM_v2_f16x2 ~, (2, "r", ".v2.f16x2")
#define TC__MM_v4_f16x2 ~, (4, "r", ".v4.f16x2")
#define TC__MM__bf16x2 ~, (1, "r", ".bf16x2")
#define TC__MM_v2_bf16x2 ~, (2, "r", ".v2.bf16x2")
#define TC__MM_v4_bf16x2 ~, (4, "r", ".v4.bf16x2")
#define TC__MM__e4m3x4 ~, (1, "r", ".e4m3x4")
#define TC__MM_v2_e4m3x4 ~, (2, "r", ".v2.e4m3x4")
#define TC__MM_v4_e4m3x4 ~, (4, "r", ".v4.e4m3x4")
#define TC__MM__e5m2x4 ~, (1, "r", ".e5m2x4")
#define TC__MM_v2_e5m2x4 ~, (2, "r", ".v2.e5m2x4")
#define TC__MM_v4_e5m2x4 ~, (4, "r", ".v4.e5m2x4")
#define TC__MM_v2_f16 ~, (2, "h", ".v2.f16")
#define TC__MM_v4_f16 ~, (4, "h", ".v4.f16")
#define TC__MM_v8_f16 ~, (8, "h", ".v8.f16")
#define TC__MM_v2_bf16 ~, (2, "h", ".v2.bf16")
#define TC__MM_v4_bf16 ~, (4, "h", ".v4.bf16")
#define TC__MM_v8_bf16 ~, (8, "h", ".v8.bf16")
#define TC__MM_v2_e4m3x2 ~, (2, "h", ".v2.e4m3x2")
#define TC__MM_v4_e4m3x2 ~, (4, "h", ".v4.e4m3x2")
#define TC__MM_v8_e4m3x2 ~, (8, "h", ".v8.e4m3x2")
#define TC__MM_v2_e5m2x2 ~, (2, "h", ".v2.e5m2x2")
#define TC__MM_v4_e5m2x2 ~, (4, "h", ".v4.e5m2x2")
#define TC__MM_v8_e5m2x2 ~, (8, "h", ".v8.e5m2x2")
#define TC__MM_v4_e4m3 ~, (B4, "r", ".v4.e4m3")
#define TC__MM_v8_e4m3 ~, (B8, "r", ".v8.e4m3")
#define TC__MM_v4_e5m2 ~, (B4, "r", ".v4.e5m2")
#define TC__MM_v8_e5m2 ~, (B8, "r", ".v8.e5m2")

#define TC__LD_B4_2(op, c, ac, d, addr)                                                                               \
    asm volatile("{\n.reg .b8 b<4>;\n" op " {b0, b1, b2, b3}, [%1];\nmov.b32 %0, {b0, b1, b2, b3};\n}"                \
                 : "=r"((d)[0]) : ac(addr) : "memory")
#define TC__LD_B8_2(op, c, ac, d, addr)                                                                               \
    asm volatile("{\n.reg .b8 b<8>;\n" op " {b0, b1, b2, b3, b4, b5, b6, b7}, [%2];\n"                                \
                 "mov.b32 %0, {b0, b1, b2, b3};\nmov.b32 %1, {b4, b5, b6, b7};\n}"                                    \
                 : "=r"((d)[0]), "=r"((d)[1]) : ac(addr) : "memory")
#define TC__ST_B4_2(op, c, ac, addr, v)                                                                               \
    asm volatile("{\n.reg .b8 b<4>;\nmov.b32 {b0, b1, b2, b3}, %1;\n" op " [%0], {b0, b1, b2, b3};\n}"                \
                 : : ac(addr), "r"((v)[0]) : "memory")
#define TC__ST_B8_2(op, c, ac, addr, v)                                                                               \
    asm volatile("{\n.reg .b8 b<8>;\nmov.b32 {b0, b1, b2, b3}, %1;\nmov.b32 {b4, b5, b6, b7}, %2;\n" op               \
                 " [%0], {b0, b1, b2, b3, b4, b5, b6, b7};\n}" : : ac(addr), "r"((v)[0]), "r"((v)[1]) : "memory")
#define TC__MM_NO (1, "r", "")
#define TC__MM_SEM(order)                                                                                             \
    "|.weak|.relaxed.cta|.relaxed.cluster|.relaxed.gpu|.relaxed.sys|" order ".cta|" order ".cluster|" order ".gpu|"   \
    order ".sys |.global"
/* op.vec.type of what has 32 and 64 bits, and of 16 (s) */
#define TC__MM_WIDE(s)                                                                                                \
    (tc__follows(s, "and|or|xor ..b32|..b64") || tc__follows(s, "min|max ..u32|..s32|..u64|..s64")                    \
     || tc__follows(s, "add ..u32|..s32|..u64|..f64|..f32|.v2.f32|.v4.f32"))
#define TC__MM_16(s, ops)                                                                                             \
    (tc__follows(s, ops " .v2.|.v4.|.v8. f16|bf16") || tc__follows(s, ops " ..|.v2.|.v4. f16x2|bf16x2"))
#define TC__MM_8(s, ops)                                                                                              \
    (tc__follows(s, ops " .v4.|.v8. e4m3|e5m2") || tc__follows(s, ops " .v2.|.v4.|.v8. e4m3x2|e5m2x2")                \
     || tc__follows(s, ops " ..|.v2.|.v4. e4m3x4|e5m2x4"))
#define TC__MM_8_NEEDS(what, s)                                                                                       \
    TC__NEEDS_PTX_IF(86, tc__holds(s, "e4m3") || tc__holds(s, "e5m2"), what " of e4m3 and e5m2");                     \
    TC__NEEDS_TARGET_IF(TC_HAS_FP8_MULTIMEM, tc__holds(s, "e4m3") || tc__holds(s, "e5m2"), what " of e4m3 and e5m2",  \
                        "an a or f target of 100, 103, 107, 110, or 120a, 121a", "100a")

#define TC_MULTIMEM_LD_REDUCE(q, op, vec, type, d, p)                                                                 \
    do {                                                                                                              \
        static_assert(tc__follows(#q, TC__MM_SEM(".acquire")),                                                        \
                      "tc: multimem.ld_reduce: the qualifiers are {.weak, .relaxed or .acquire with .cta, "           \
                      ".cluster, .gpu "                                                                               \
                      "or .sys}{.global}");                                                                           \
        static_assert(TC__MM_WIDE(#op "." #vec "." #type) || TC__MM_16(#op "." #vec "." #type,                        \
            "min|max|add|add.acc::f32")                                                                               \
                          || TC__MM_8(#op "." #vec "." #type, "min|max|add|add.acc::f16"),                            \
                      "tc: multimem.ld_reduce: no such op, vec and type: tc_multimem.h lists them");                  \
        TC__MM_8_NEEDS("multimem.ld_reduce", #type);                                                                  \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__MEM_GO, LD, "multimem.ld_reduce" #q "." #op, "l", TC__PROBE(TC__MM_##vec##_##type, TC__MM_NO),   \
            2, d,                                                                                                     \
                 (uint64_t)(p));                                                                                      \
    } while (0)
#define TC_MULTIMEM_ST(q, vec, type, p, v)                                                                            \
    do {                                                                                                              \
        static_assert(tc__follows(#q, TC__MM_SEM(".release")),                                                        \
                      "tc: multimem.st: the qualifiers are {.weak, .relaxed or .release with .cta, .cluster, .gpu or " \
                      ".sys}{.global}");                                                                              \
        static_assert(TC__MM_WIDE("and." #vec "." #type) || TC__MM_WIDE("min." #vec "." #type)                        \
                          || TC__MM_WIDE("add." #vec "." #type) || TC__MM_16("." #vec "." #type, "")                  \
                          || TC__MM_8("." #vec "." #type, ""),                                                        \
                      "tc: multimem.st: no such vec and type: tc_multimem.h lists them");                             \
        TC__MM_8_NEEDS("multimem.st", #type);                                                                         \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__MEM_GO, ST, "multimem.st" #q, "l", TC__PROBE(TC__MM_##vec##_##type, TC__MM_NO), 2,               \
            (uint64_t)(p), v);                                                                                        \
    } while (0)
#define TC_MULTIMEM_RED(q, op, vec, type, p, v)                                                                       \
    do {                                                                                                              \
        static_assert(tc__follows(#q, TC__MM_SEM(".release")) && !tc__holds(#q, ".weak"),                             \
                      "tc: multimem.red: the qualifiers are {.relaxed or .release with .cta, .cluster, .gpu or "      \
                      ".sys}{.global}");                                                                              \
        static_assert(TC__MM_WIDE(#op "." #vec "." #type) || (TC__MM_16(#op "." #vec "." #type, "min|max|add")        \
                          && (tc__follows(#op, "add") || !tc__follows(#vec, ""))),                                    \
                      "tc: multimem.red: no such op, vec and type: tc_multimem.h lists them");                        \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__MEM_GO, ST, "multimem.red" #q "." #op, "l", TC__PROBE(TC__MM_##vec##_##type, TC__MM_NO), 2,      \
                 (uint64_t)(p), v);                                                                                   \
    } while (0)

#define TC__MM_ASYNC(what, q)                                                                                         \
    static_assert(tc__follows(#q, ".release.gpu|.release.sys |.global"),                                              \
                  "tc: " what ": the qualifiers are .release.gpu or .release.sys, {.global}");                        \
    TC__NEEDS_PTX(93, what);                                                                                          \
    tc__needs_sm100()
#define TC_MULTIMEM_ST_ASYNC(q, type, p, x)                                                                           \
    do {                                                                                                              \
        TC__MM_ASYNC("multimem.st.async", q);                                                                         \
        static_assert(tc__follows(#type, "b8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64"),                           \
                      "tc: multimem.st.async: the type is b8, b16, u16, s16, b32, u32, s32, f32, b64, u64, s64 or "   \
                      "f64");                                                                                         \
        TC__CALL(TC__PROBE(TC__SCALAR_##type, TC__SCALAR_BAD), "multimem.st.async" #q "." #type, (uint64_t)(p), x);   \
    } while (0)
#define TC_MULTIMEM_RED_ASYNC(q, type, p, x)                                                                          \
    do {                                                                                                              \
        TC__MM_ASYNC("multimem.red.async", q);                                                                        \
        static_assert(tc__follows(#type, "u32|s32|u64"), "tc: multimem.red.async.add: the type is u32, s32 or u64");  \
        TC__CALL(TC__PROBE(TC__SCALAR_##type, TC__SCALAR_BAD), "multimem.red.async" #q ".add." #type, (uint64_t)(p),  \
            x);                                                                                                       \
    } while (0)

#define TC_MULTIMEM_CP_ASYNC_BULK_STORE_Q(q, dst, src, bytes)                                                         \
    do {                                                                                                              \
        TC__BS_CHECK("multimem.cp.async.bulk", q, "|.weak|" TC__BS_RELAXED, "", "", 91);                              \
        asm volatile("multimem.cp.async.bulk" #q " [%0], [%1], %2;"                                                   \
                     : : TC__BK_GLOBAL(dst), "r"(src), "r"(bytes) : "memory");                                        \
    } while (0)
#define TC_MULTIMEM_CP_ASYNC_BULK_STORE_Q_MASK(q, dst, src, bytes, mask)                                              \
    do {                                                                                                              \
        TC__BS_CHECK("multimem.cp.async.bulk", q, "|.weak|" TC__BS_RELAXED, " .cp_mask", ".cp_mask", 91);             \
        asm volatile("multimem.cp.async.bulk" #q " [%0], [%1], %2, %3;"                                               \
                     : : TC__BK_GLOBAL(dst), "r"(src), "r"(bytes), "h"((uint16_t)(mask)) : "memory");                 \
    } while (0)
#define TC_MULTIMEM_CP_REDUCE_ASYNC_BULK_Q(q, op, type, dst, src, bytes)                                              \
    do {                                                                                                              \
        TC__BR_CHECK("multimem.cp.reduce.async.bulk", q, op, type, "", "", 91);                                       \
        asm volatile("multimem.cp.reduce.async.bulk" #q "." #op "." #type " [%0], [%1], %2;"                          \
                     : : TC__BK_GLOBAL(dst), "r"(src), "r"(bytes) : "memory");                                        \
    } while (0)

#endif /* __CUDACC__ */
#endif /* TC_MULTIMEM_H */
