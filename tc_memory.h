/* tc_memory.h - tc 0.2.0 - loads, stores and prefetches with cache policies; asynchronous stores. Needs: tc_core.h;
 * sm_80, parts sm_90, sm_100.
 *
 *     uint64_t keep = tc_createpolicy_evict_last();           for what is read again and again
 *     uint32_t r[4];
 *     TC_LD_GLOBAL(.nc.L2::cache_hint, v4, b32, r, p, keep);  PTX: ld.global.nc.L2::cache_hint.v4.b32 {r...}, [p], keep
 *
 * CONTENTS (q: qualifiers with their dots, as in PTX, may be empty; vec: v2, v4, v8 or empty; d, v: arrays of that
 * many, also for one)
 *     policies      tc_createpolicy_evict_first _evict_last; TC_CREATEPOLICY_FRACTIONAL(q, policy[, fraction]),
 *                   TC_CREATEPOLICY_RANGE(q, policy, p, primary_bytes, total_bytes), tc_createpolicy_cvt      sm_80
 *                   q: {.global}(range only) .L2::evict_last, _normal, _first or _unchanged, then
 *                   {.L2::evict_first .L2::evict_unchanged}
 *     L2 lines      TC_APPLYPRIORITY(q, p), TC_DISCARD(q, p): 128 bytes at p, q: {.global}                    sm_80
 *     prefetch      TC_PREFETCH(q, p): {.global .local}.L1 or .L2, .global.L2::evict_last or _normal (sm_80),
 *                   {.global}.L1::32B.valid_addr (sm_90, PTX 9.4); tc_prefetchu_L1
 *     global, newer TC_LD_READONLY(q, type, d, p), TC_ATOM_ADD_NOFTZ_F32(q, vec, d, p, x), TC_RED_ADD_NOFTZ_F32(q, vec,
 *                   p, x) (sm_90, PTX 9.4); TC_LD_MMIO_ACQUIRE(q, type, d, p), TC_ST_MMIO_RELEASE(q, type, p, x) (9.3)
 *     global        TC_LD_GLOBAL(q, vec, type, d, p[, policy]), TC_ST_GLOBAL(q, vec, type, p, v[, policy])
 *                    type: b32 u32 s32 f32 b64 u64 s64 f64; up to 16 bytes, on sm_100 up to 32
 *                   q: {.nc}(ld) {.L1::evict_normal _unchanged _first _last, .L1::no_allocate}
 *                   {.L2::evict_last _normal _first} {.L2::cache_hint} (ld: {.L2::64B .L2::128B .L2::256B});
 *                   .L2::evict_ with 32 bytes only
 *     cluster       TC_LD_SHARED_CLUSTER(vec, type, d, addr), TC_ST_SHARED_CLUSTER(vec, type, addr, v)        sm_90
 *     asynchronous  TC_ST_ASYNC(q, vec, type, addr, v, bar): shared memory of a CTA of the cluster, counted by its bar,
 *                   up to 16 bytes
 *                   TC_ST_ASYNC_B128(q, addr, v, bar) (PTX 9.2); tc_st_async_v4_f32;
 *                   TC_RED_ASYNC(op, type, addr, x, bar)                                                      sm_90
 *                   TC_ST_ASYNC_GLOBAL(q, type, p, x), TC_RED_ASYNC_GLOBAL(q, type, p, x):
 *                   q: .release.gpu .release.sys .mmio.release.sys                                            sm_100
 *                    TC_ST_BULK(q, addr, bytes): zeroes shared memory, bytes % 8 == 0; q: {.weak}{.shared::cta} sm_100
 *     tcemu         tc_emu_written(addr, bytes): shared memory that may be read although nobody wrote it. No
 *                   instruction, but tcemu then reports no such read there
 *
 * TRAPS
 *     discard throws data away: the 128 bytes are undefined until they are written again.
 *     st.async and red.async with .mmio.release.gpu assemble and do nothing: refused here; .mmio.release.sys works.
 *     red.async on shared memory of the cluster has add for u32, s32 and u64, and inc, dec for u32, min, max for u32,
 *     s32, and, or, xor for b32; no add.s64 is documented.
 *     st.async needs addr and bar in the same CTA (tc_mapa both).
 */
#ifndef TC_MEMORY_H
#define TC_MEMORY_H

#include "tc_core.h"

#ifdef __CUDACC__

/* Tells tcemu that shared memory may be read although nobody wrote it: rows of an operand that a copy leaves out, whose
 * products are not used. A move in PTX, which ptxas removes together with what finds its operands out: nothing uses its
 * register, whose name says it. */
TC_DEV void tc_emu_written(uint32_t addr, uint32_t bytes)
{
    asm volatile("{\n.reg .b64 tcemu_written_shared;\nmov.b64 tcemu_written_shared, {%0, %1};\n}"
                 : : "r"(addr), "r"(bytes));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Policies
 */
/* PTX: createpolicy.fractional, all of the accesses. The result goes to a _hint form. */
TC_DEV_SM80 uint64_t tc_createpolicy_evict_first(void)
{
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

TC_DEV_SM80 uint64_t tc_createpolicy_evict_last(void)
{
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}


/* PTX: createpolicy.cvt: a policy from an access property of the CUDA runtime, as cudaLaunchAttributeValue's
 * accessPolicyWindow has. */
TC_DEV_SM80 uint64_t tc_createpolicy_cvt(uint64_t property)
{
    uint64_t policy;
    asm("createpolicy.cvt.L2.b64 %0, %1;" : "=l"(policy) : "l"(property));
    return policy;
}

#define TC__POLICY_RULE                                                                                               \
    ".L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged |.L2::evict_first|.L2::evict_unchanged"
#define TC__POLICY_TEXT ".L2::evict_last, _normal, _first or _unchanged, then {.L2::evict_first, .L2::evict_unchanged}"
#define TC__POLICY_1(q, policy) asm("createpolicy.fractional" #q ".b64 %0;" : "=l"(policy))
#define TC__POLICY_2(q, policy, fraction)                                                                             \
    asm("createpolicy.fractional" #q ".b64 %0, %1;" : "=l"(policy) : "f"((float)(fraction)))
#define TC__POLICY_PICK_1 ~, TC__POLICY_1
#define TC__POLICY_PICK_2 ~, TC__POLICY_2
#define TC__POLICY_BAD(...)                                                                                           \
    static_assert(0, "tc: createpolicy.fractional: the arguments are (qualifiers, policy[, fraction])")
#define TC__POLICY_PICK(count) TC__POLICY_PICK_(count)
#define TC__POLICY_PICK_(count) TC__PROBE(TC__POLICY_PICK_##count, TC__POLICY_BAD)
#define TC_CREATEPOLICY_FRACTIONAL(q, ...)                                                                            \
    do {                                                                                                              \
        static_assert(tc__follows(#q, TC__POLICY_RULE), "tc: createpolicy.fractional: the qualifiers are "            \
                      TC__POLICY_TEXT);                                                                               \
        tc__needs_sm80();                                                                                             \
        TC__CALL(TC__POLICY_PICK(TC__NARGS(__VA_ARGS__)), q, __VA_ARGS__);                                            \
    } while (0)
#define TC_CREATEPOLICY_RANGE(q, policy, p, primary_bytes, total_bytes)                                               \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.global " TC__POLICY_RULE),                                                   \
                      "tc: createpolicy.range: the qualifiers are {.global}" TC__POLICY_TEXT);                        \
        tc__needs_sm80();                                                                                             \
        asm("createpolicy.range" #q ".b64 %0, [%1], %2, %3;" : "=l"(policy) : "l"((uint64_t)(p)), "r"(primary_bytes), \
            "r"(total_bytes));                                                                                        \
    } while (0)

/* PTX: applypriority, discard; 128 bytes, 128-byte aligned. */
#define TC_APPLYPRIORITY(q, p)                                                                                        \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.global"), "tc: applypriority: the qualifiers are {.global}");                \
        tc__needs_sm80();                                                                                             \
        asm volatile("applypriority" #q ".L2::evict_normal [%0], 128;" : : "l"((uint64_t)(p)) : "memory");            \
    } while (0)
#define TC_DISCARD(q, p)                                                                                              \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.global"), "tc: discard: the qualifiers are {.global}");                      \
        tc__needs_sm80();                                                                                             \
        asm volatile("discard" #q ".L2 [%0], 128;" : : "l"((uint64_t)(p)) : "memory");                                \
    } while (0)

/* PTX: prefetch, prefetchu. */
#define TC_PREFETCH(q, p)                                                                                             \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.global|.local .L1|.L2") || tc__follows(#q, "|.global .L1::32B.valid_addr")   \
                      || tc__follows(#q, ".global .L2::evict_last|.L2::evict_normal"),                                \
                      "tc: prefetch: the qualifiers are {.global, .local} with .L1 or .L2, or "                       \
                      ".global.L2::evict_last, .global.L2::evict_normal, {.global}.L1::32B.valid_addr");              \
        TC__NEEDS_PTX_IF(94, tc__holds(#q, "valid"), "prefetch with .valid_addr");                                    \
        TC__NEEDS_TARGET_IF(TC_HAS_SM90, tc__holds(#q, "valid"), "prefetch with .valid_addr", "sm_90", "90");         \
        static_assert(TC_HAS_SM80 || !tc__holds(#q, "evict"),                                                         \
                      "tc: prefetch with .L2::evict_ needs sm_80: compile with -gencode arch=compute_80,code=sm_80"); \
        asm volatile("prefetch" #q " [%0];" : : "l"((uint64_t)(p)) : "memory");                                       \
    } while (0)
TC_DEV void tc_prefetchu_L1(const void *p) { asm volatile("prefetchu.L1 [%0];" : : "l"(p) : "memory"); }

/* ---------------------------------------------------------------------------------------------------------------------
 * Loads and stores. Tables: vec and type to (number of registers, constraint, text); then one asm for each number,
 * without and with a policy.
 */
#define TC__MEM__b32 ~, (1, "r", ".b32")
#define TC__MEM_v2_b32 ~, (2, "r", ".v2.b32")
#define TC__MEM_v4_b32 ~, (4, "r", ".v4.b32")
#define TC__MEM_v8_b32 ~, (8, "r", ".v8.b32")
#define TC__MEM__u32 ~, (1, "r", ".u32")
#define TC__MEM_v2_u32 ~, (2, "r", ".v2.u32")
#define TC__MEM_v4_u32 ~, (4, "r", ".v4.u32")
#define TC__MEM_v8_u32 ~, (8, "r", ".v8.u32")
#define TC__MEM__s32 ~, (1, "r", ".s32")
#define TC__MEM_v2_s32 ~, (2, "r", ".v2.s32")
#define TC__MEM_v4_s32 ~, (4, "r", ".v4.s32")
#define TC__MEM_v8_s32 ~, (8, "r", ".v8.s32")
#define TC__MEM__f32 ~, (1, "f", ".f32")
#define TC__MEM_v2_f32 ~, (2, "f", ".v2.f32")
#define TC__MEM_v4_f32 ~, (4, "f", ".v4.f32")
#define TC__MEM_v8_f32 ~, (8, "f", ".v8.f32")
#define TC__MEM__b64 ~, (1, "l", ".b64")
#define TC__MEM_v2_b64 ~, (2, "l", ".v2.b64")
#define TC__MEM_v4_b64 ~, (4, "l", ".v4.b64")
#define TC__MEM__u64 ~, (1, "l", ".u64")
#define TC__MEM_v2_u64 ~, (2, "l", ".v2.u64")
#define TC__MEM_v4_u64 ~, (4, "l", ".v4.u64")
#define TC__MEM__s64 ~, (1, "l", ".s64")
#define TC__MEM_v2_s64 ~, (2, "l", ".v2.s64")
#define TC__MEM_v4_s64 ~, (4, "l", ".v4.s64")
#define TC__MEM__f64 ~, (1, "d", ".f64")
#define TC__MEM_v2_f64 ~, (2, "d", ".v2.f64")
#define TC__MEM_v4_f64 ~, (4, "d", ".v4.f64")
#define TC__LD_1_2(op, c, ac, d, addr) asm volatile(op " %0, [%1];" : "=" c((d)[0]) : ac(addr) : "memory")
#define TC__LD_1_3(op, c, ac, d, addr, policy)                                                                        \
    asm volatile(op " %0, [%1], %2;" : "=" c((d)[0]) : ac(addr), "l"(policy) : "memory")
#define TC__LD_2_2(op, c, ac, d, addr)                                                                                \
    asm volatile(op " {%0,%1}, [%2];" : "=" c((d)[0]), "=" c((d)[1]) : ac(addr) : "memory")
#define TC__LD_2_3(op, c, ac, d, addr, policy)                                                                        \
    asm volatile(op " {%0,%1}, [%2], %3;" : "=" c((d)[0]), "=" c((d)[1]) : ac(addr), "l"(policy) : "memory")
#define TC__LD_4_2(op, c, ac, d, addr)                                                                                \
    asm volatile(op " {%0,%1,%2,%3}, [%4];" : "=" c((d)[0]), "=" c((d)[1]), "=" c((d)[2]), "=" c((d)[3]) : ac(addr)   \
                 : "memory")
#define TC__LD_4_3(op, c, ac, d, addr, policy)                                                                        \
    asm volatile(op " {%0,%1,%2,%3}, [%4], %5;" : "=" c((d)[0]), "=" c((d)[1]), "=" c((d)[2]), "=" c((d)[3])          \
                 : ac(addr), "l"(policy) : "memory")
#define TC__LD_8_2(op, c, ac, d, addr)                                                                                \
    asm volatile(op " {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];" : "=" c((d)[0]), "=" c((d)[1]), "=" c((d)[2]), "=" c((d)[3]), \
                 "=" c((d)[4]), "=" c((d)[5]), "=" c((d)[6]), "=" c((d)[7]) : ac(addr) : "memory")
#define TC__LD_8_3(op, c, ac, d, addr, policy)                                                                        \
    asm volatile(op " {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;" : "=" c((d)[0]), "=" c((d)[1]), "=" c((d)[2]),            \
                 "=" c((d)[3]), "=" c((d)[4]), "=" c((d)[5]), "=" c((d)[6]), "=" c((d)[7]) : ac(addr), "l"(policy)    \
                 : "memory")
#define TC__ST_1_2(op, c, ac, addr, v) asm volatile(op " [%0], %1;" : : ac(addr), c((v)[0]) : "memory")
#define TC__ST_1_3(op, c, ac, addr, v, policy)                                                                        \
    asm volatile(op " [%0], %1, %2;" : : ac(addr), c((v)[0]), "l"(policy) : "memory")
#define TC__ST_2_2(op, c, ac, addr, v) asm volatile(op " [%0], {%1,%2};" : : ac(addr), c((v)[0]), c((v)[1]) : "memory")
#define TC__ST_2_3(op, c, ac, addr, v, policy)                                                                        \
    asm volatile(op " [%0], {%1,%2}, %3;" : : ac(addr), c((v)[0]), c((v)[1]), "l"(policy) : "memory")
#define TC__ST_4_2(op, c, ac, addr, v)                                                                                \
    asm volatile(op " [%0], {%1,%2,%3,%4};" : : ac(addr), c((v)[0]), c((v)[1]), c((v)[2]), c((v)[3]) : "memory")
#define TC__ST_4_3(op, c, ac, addr, v, policy)                                                                        \
    asm volatile(op " [%0], {%1,%2,%3,%4}, %5;" : : ac(addr), c((v)[0]), c((v)[1]), c((v)[2]), c((v)[3]), "l"(policy) \
                 : "memory")
#define TC__ST_8_2(op, c, ac, addr, v)                                                                                \
    asm volatile(op " [%0], {%1,%2,%3,%4,%5,%6,%7,%8};" : : ac(addr), c((v)[0]), c((v)[1]), c((v)[2]), c((v)[3]),     \
                 c((v)[4]), c((v)[5]), c((v)[6]), c((v)[7]) : "memory")
#define TC__ST_8_3(op, c, ac, addr, v, policy)                                                                        \
    asm volatile(op " [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;" : : ac(addr), c((v)[0]), c((v)[1]), c((v)[2]), c((v)[3]), \
                 c((v)[4]), c((v)[5]), c((v)[6]), c((v)[7]), "l"(policy) : "memory")
#define TC__ST_ASYNC_1(op, c, addr, v, bar)                                                                           \
    asm volatile(op " [%0], %2, [%1];" : : "r"(addr), "r"(bar), c((v)[0]) : "memory")
#define TC__ST_ASYNC_2(op, c, addr, v, bar)                                                                           \
    asm volatile(op " [%0], {%2,%3}, [%1];" : : "r"(addr), "r"(bar), c((v)[0]), c((v)[1]) : "memory")
#define TC__ST_ASYNC_4(op, c, addr, v, bar)                                                                           \
    asm volatile(op " [%0], {%2,%3,%4,%5}, [%1];" : : "r"(addr), "r"(bar), c((v)[0]), c((v)[1]), c((v)[2]), c((v)[3]) \
                 : "memory")

#define TC__MEM_ITEM(n, c, text) n
#define TC__MEM_CONSTRAINT(n, c, text) c
#define TC__MEM_TEXT(n, c, text) text
/* wrong vec or type, or not the number of arguments */
#define TC__MEM_NO (0, "r", "")
#define TC__LD_0_2(op, c, ac, d, addr) TC__MEM_SAY
#define TC__LD_0_3(op, c, ac, d, addr, policy) TC__MEM_SAY
#define TC__ST_0_2(op, c, ac, addr, v) TC__MEM_SAY
#define TC__ST_0_3(op, c, ac, addr, v, policy) TC__MEM_SAY
#define TC__ST_ASYNC_0(op, c, addr, v, bar) TC__MEM_SAY
#define TC__ST_ASYNC_8(op, c, addr, v, bar) TC__MEM_SAY
#define TC__MEM_SAY                                                                                                   \
    static_assert(0,                                                                                                  \
                  "tc: ld, st: vec is empty, v2, v4 or v8, type is b32, u32, s32, f32, b64, u64, s64 or f64; 32 "     \
                  "bytes at most (v8 of 32 bits, v4 of 64), st.async 16")
#define TC__MEM_GO(kind, op, ac, item, count, ...)                                                                    \
    TC__MEM_GO_(kind, op, ac, TC__MEM_ITEM item, item, count, __VA_ARGS__)
#define TC__MEM_GO_(kind, op, ac, n, item, count, ...) TC__MEM_GO__(kind, op, ac, n, item, count, __VA_ARGS__)
#define TC__MEM_GO__(kind, op, ac, n, item, count, ...)                                                               \
    TC__CALL2(TC__##kind##_##n##_##count, op TC__MEM_TEXT item, TC__MEM_CONSTRAINT item, ac, __VA_ARGS__)
#define TC__MEM_32(vec, type) (tc__follows(#vec "." #type, "v8.b32|v8.u32|v8.s32|v8.f32|v4.b64|v4.u64|v4.s64|v4.f64"))
#define TC__MEM_CHECK(q, vec, type)                                                                                   \
    static_assert(TC_HAS_SM80 || !(tc__holds(#q, "cache_hint") || tc__holds(#q, "256B")),                             \
                  "tc: .L2::cache_hint and .L2::256B need sm_80: compile with -gencode arch=compute_80,code=sm_80");  \
    static_assert(TC_HAS_SM100 || !TC__MEM_32(vec, type),                                                             \
                  "tc: 32 bytes at a time need sm_100: compile with -gencode arch=compute_100,code=sm_100");          \
    static_assert(TC__MEM_32(vec, type) || !tc__holds(#q, ".L2::evict"),                                              \
                  "tc: ld.global, st.global: .L2::evict_ goes with 32 bytes only (v8 of 32 bits, v4 of 64); "         \
                  "elsewhere a policy does it: .L2::cache_hint")
#define TC__L1_RULE                                                                                                   \
    "|.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate |.L2::evict_last"      \
    "|.L2::evict_normal|.L2::evict_first |.L2::cache_hint"

/* PTX: ld.global, st.global. p: a pointer to global memory. */
#define TC_LD_GLOBAL(q, vec, type, d, ...)                                                                            \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.nc " TC__L1_RULE " |.L2::64B|.L2::128B|.L2::256B"),                          \
                      "tc: ld.global: the qualifiers are {.nc}{.L1::evict_normal, _unchanged, _first, _last, "        \
                      ".L1::no_allocate}{.L2::evict_last, _normal, _first}{.L2::cache_hint}{.L2::64B, .L2::128B, "    \
                      ".L2::256B}");                                                                                  \
        static_assert((TC__NARGS(__VA_ARGS__) == 2) == tc__holds(#q, ".L2::cache_hint"),                              \
                      "tc: ld.global: a policy goes with .L2::cache_hint, and .L2::cache_hint with a policy");        \
        TC__MEM_CHECK(q, vec, type);                                                                                  \
        TC__CALL(TC__MEM_GO, LD, "ld.global" #q, "l", TC__PROBE(TC__MEM_##vec##_##type, TC__MEM_NO),                  \
                 TC__MEM_COUNT(TC__NARGS(__VA_ARGS__)), d, __VA_ARGS__);                                              \
    } while (0)
#define TC_ST_GLOBAL(q, vec, type, p, ...)                                                                            \
    do {                                                                                                              \
        static_assert(tc__follows(#q, TC__L1_RULE),                                                                   \
                      "tc: st.global: the qualifiers are {.L1::evict_normal, _unchanged, _first, _last, "             \
                      ".L1::no_allocate}{.L2::evict_last, _normal, _first}{.L2::cache_hint}");                        \
        static_assert((TC__NARGS(__VA_ARGS__) == 2) == tc__holds(#q, ".L2::cache_hint"),                              \
                      "tc: st.global: a policy goes with .L2::cache_hint, and .L2::cache_hint with a policy");        \
        TC__MEM_CHECK(q, vec, type);                                                                                  \
        TC__CALL(TC__MEM_GO, ST, "st.global" #q, "l", TC__PROBE(TC__MEM_##vec##_##type, TC__MEM_NO),                  \
                 TC__MEM_COUNT(TC__NARGS(__VA_ARGS__)), p, __VA_ARGS__);                                              \
    } while (0)
/* 1 or 2 arguments behind the first: 2 or 3 in all */
#define TC__MEM_COUNT(n) TC__MEM_COUNT_(n)
#define TC__MEM_COUNT_(n) TC__MEM_COUNT_##n
#define TC__MEM_COUNT_1 2
#define TC__MEM_COUNT_2 3

/* Eight words to a multiple of 16 bytes; whole: to one of 32, which is one store (before PTX 8.8 two). */
TC_DEV_SM100 void tc__st_global_32(void *to, const uint32_t *v, int whole)
{
#if TC_HAS_SM100 && TC_PTX_ISA >= 88
    if (whole) {
        TC_ST_GLOBAL(, v8, b32, to, v);
        return;
    }
#endif
    TC_ST_GLOBAL(, v4, b32, to, v);
    TC_ST_GLOBAL(, v4, b32, (char *)to + 16, v + 4);
}

/* PTX: ld.shared::cluster, st.shared::cluster (sm_90). addr: a shared::cluster address, of tc_mapa. */
#define TC_LD_SHARED_CLUSTER(vec, type, d, addr)                                                                      \
    do {                                                                                                              \
        static_assert(!TC__MEM_32(vec, type), "tc: ld.shared::cluster: 16 bytes at most");                            \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__MEM_GO, LD, "ld.shared::cluster", "r", TC__PROBE(TC__MEM_##vec##_##type, TC__MEM_NO), 2, d, addr);\
    } while (0)
#define TC_ST_SHARED_CLUSTER(vec, type, addr, v)                                                                      \
    do {                                                                                                              \
        static_assert(!TC__MEM_32(vec, type), "tc: st.shared::cluster: 16 bytes at most");                            \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__MEM_GO, ST, "st.shared::cluster", "r", TC__PROBE(TC__MEM_##vec##_##type, TC__MEM_NO), 2, addr, v);\
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * Asynchronous stores
 */
/* PTX: st.async: 16 bytes from registers to another CTA of the cluster; dst and bar are shared::cluster addresses
 * (tc_mapa) in the same CTA, whose barrier counts the bytes. */
TC_DEV_SM90 void tc_st_async_v4_f32(uint32_t dst, const float *v, uint32_t bar)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];"
                 : : "r"(dst), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]), "r"(bar) : "memory");
}
#define TC__ST_ASYNC_GO(op, item, ...) TC__ST_ASYNC_GO_(op, TC__MEM_ITEM item, item, __VA_ARGS__)
#define TC__ST_ASYNC_GO_(op, n, item, ...) TC__ST_ASYNC_GO__(op, n, item, __VA_ARGS__)
#define TC__ST_ASYNC_GO__(op, n, item, ...)                                                                           \
    TC__CALL2(TC__ST_ASYNC_##n, op TC__MEM_TEXT item, TC__MEM_CONSTRAINT item, __VA_ARGS__)
#define TC_ST_ASYNC(q, vec, type, addr, v, bar)                                                                       \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.weak"), "tc: st.async: the qualifiers are {.weak}");                         \
        static_assert(!TC__MEM_32(vec, type), "tc: st.async: 16 bytes at most");                                      \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__ST_ASYNC_GO, "st.async" #q ".shared::cluster.mbarrier::complete_tx::bytes",                      \
                 TC__PROBE(TC__MEM_##vec##_##type, TC__MEM_NO), addr, v, bar);                                        \
    } while (0)

/* Of 16 bytes in one piece (PTX 9.2). q: {.weak}{.shared::cluster}; v: uint64_t[2]; addr, bar: with .shared::cluster
 * such addresses, without it pointers */
#define TC_ST_ASYNC_B128(q, addr, v, bar)                                                                             \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.weak |.shared::cluster"),                                                    \
                      "tc: st.async.b128: the qualifiers are {.weak}{.shared::cluster}");                             \
        static_assert(sizeof(+(addr)) == (tc__holds(#q, ".shared") ? 4 : 8) && sizeof(+(addr)) == sizeof(+(bar)),     \
                      "tc: st.async.b128: addr and bar are shared::cluster addresses (uint32_t) with "                \
                      ".shared::cluster, pointers without it");                                                       \
        TC__NEEDS_PTX(92, "st.async.b128");                                                                           \
        tc__needs_sm90();                                                                                             \
        asm volatile("{\n.reg .b128 w;\nmov.b128 w, {%2, %3};\nst.async" #q ".mbarrier::complete_tx::bytes.b128 "     \
                     "[%0], w, [%1];\n}" : : "l"((uint64_t)(addr)), "l"((uint64_t)(bar)), "l"((v)[0]), "l"((v)[1])    \
                     : "memory");                                                                                     \
    } while (0)

/* by type: the operand. 8 bits have no constraint of their own and go by a register of the asm. */
#define TC__SCALAR_b32 ~, TC__SCALAR_R
#define TC__SCALAR_u32 ~, TC__SCALAR_R
#define TC__SCALAR_s32 ~, TC__SCALAR_R
#define TC__SCALAR_f32 ~, TC__SCALAR_F
#define TC__SCALAR_b64 ~, TC__SCALAR_L
#define TC__SCALAR_u64 ~, TC__SCALAR_L
#define TC__SCALAR_s64 ~, TC__SCALAR_L
#define TC__SCALAR_f64 ~, TC__SCALAR_D
#define TC__SCALAR_b16 ~, TC__SCALAR_H
#define TC__SCALAR_u16 ~, TC__SCALAR_H
#define TC__SCALAR_s16 ~, TC__SCALAR_H
#define TC__SCALAR_b8 ~, TC__SCALAR_B
#define TC__SCALAR_u8 ~, TC__SCALAR_B
#define TC__SCALAR_s8 ~, TC__SCALAR_B
#define TC__SCALAR_R(op, p, x) asm volatile(op " [%0], %1;" : : "l"(p), "r"(x) : "memory")
#define TC__SCALAR_F(op, p, x) asm volatile(op " [%0], %1;" : : "l"(p), "f"(x) : "memory")
#define TC__SCALAR_L(op, p, x) asm volatile(op " [%0], %1;" : : "l"(p), "l"(x) : "memory")
#define TC__SCALAR_D(op, p, x) asm volatile(op " [%0], %1;" : : "l"(p), "d"(x) : "memory")
#define TC__SCALAR_H(op, p, x) asm volatile(op " [%0], %1;" : : "l"(p), "h"(x) : "memory")
#define TC__SCALAR_B(op, p, x)                                                                                        \
    asm volatile("{\n.reg .b8 b;\ncvt.u8.u32 b, %1;\n" op " [%0], b;\n}" : : "l"(p), "r"((uint32_t)(x)) : "memory")
#define TC__SCALAR_BAD(op, p, x)                                                                                      \
    static_assert(0,                                                                                                  \
                  "tc: st.async.global: the type is b8, u8, s8, b16, u16, s16, b32, u32, s32, f32, b64, u64, s64 "    \
                  "or f64")
#define TC__RELEASE_TEXT                                                                                              \
    "the qualifiers are .release.gpu, .release.sys or .mmio.release.sys (.mmio.release.gpu would do nothing)"
#define TC_ST_ASYNC_GLOBAL(q, type, p, x)                                                                             \
    do {                                                                                                              \
        static_assert(tc__follows(#q, ".release.gpu|.release.sys|.mmio.release.sys"), "tc: st.async.global: "         \
                      TC__RELEASE_TEXT);                                                                              \
        tc__needs_sm100();                                                                                            \
        TC__CALL(TC__PROBE(TC__SCALAR_##type, TC__SCALAR_BAD), "st.async" #q ".global." #type, p, x);                 \
    } while (0)

/* PTX: ld with .proxy::readonly (sm_90, PTX 9.4): of what does not change while the kernel runs. q: {.global}; d: a
 * variable of the type, 8 bits in a uint32_t. */
#define TC__RO_b32 ~, "=r"
#define TC__RO_u32 ~, "=r"
#define TC__RO_s32 ~, "=r"
#define TC__RO_b8 ~, "=r"
#define TC__RO_u8 ~, "=r"
#define TC__RO_s8 ~, "=r"
#define TC__RO_b16 ~, "=h"
#define TC__RO_u16 ~, "=h"
#define TC__RO_s16 ~, "=h"
#define TC__RO_b64 ~, "=l"
#define TC__RO_u64 ~, "=l"
#define TC__RO_s64 ~, "=l"
#define TC__RO_f32 ~, "=f"
#define TC__RO_f64 ~, "=d"
#define TC_LD_READONLY(q, type, d, p)                                                                                 \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.global"), "tc: ld.proxy::readonly: the qualifiers are {.global}");           \
        static_assert(tc__follows(#type, "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64"),                     \
                      "tc: ld.proxy::readonly: the type has 8 to 64 bits: b8, u8, s8, .. b64, u64, s64, f32, f64");   \
        TC__NEEDS_PTX(94, "ld.proxy::readonly");                                                                      \
        tc__needs_sm90();                                                                                             \
        asm volatile("ld" #q "." #type ".proxy::readonly %0, [%1];" : TC__PROBE(TC__RO_##type, "=r")(d)               \
                     : "l"((uint64_t)(p)));                                                                           \
    } while (0)
/* PTX: ld.mmio.acquire, st.mmio.release (PTX 9.3). q: {.global}; type: b32, u32 */
#define TC__MMIO_CHECK(what, q, type)                                                                                 \
    static_assert(tc__follows(#q, "|.global") && tc__follows(#type, "b32|u32"),                                       \
                  "tc: " what ": the qualifiers are {.global}, the type is b32 or u32");                              \
    TC__NEEDS_PTX(93, what);                                                                                          \
    tc__needs_sm75()
#define TC_LD_MMIO_ACQUIRE(q, type, d, p)                                                                             \
    do {                                                                                                              \
        TC__MMIO_CHECK("ld.mmio.acquire.sys", q, type);                                                               \
        asm volatile("ld.mmio.acquire.sys" #q "." #type " %0, [%1];" : "=r"(d) : "l"((uint64_t)(p)) : "memory");      \
    } while (0)
#define TC_ST_MMIO_RELEASE(q, type, p, x)                                                                             \
    do {                                                                                                              \
        TC__MMIO_CHECK("st.mmio.release.sys", q, type);                                                               \
        asm volatile("st.mmio.release.sys" #q "." #type " [%0], %1;" : : "l"((uint64_t)(p)), "r"(x) : "memory");      \
    } while (0)
/* PTX: atom, red with .add.noftz.f32 (sm_90, PTX 9.4), which keep subnormals where plain .add.f32 may flush them. q:
 * {.relaxed .acquire .release .acq_rel, with .cta .cluster .gpu or .sys}{.global} (red: .relaxed, .release); vec:
 * empty, or v2 or v4 with .global; x, d: arrays of that many floats, also for one */
#define TC__NOFTZ_CHECK(what, q, vec, sems)                                                                           \
    static_assert((tc__follows(#q, "|.global") || tc__follows(#q, sems " .cta|.cluster|.gpu|.sys |.global"))          \
                      && tc__follows(#vec, "|v2|v4") && (tc__follows(#vec, "") || tc__holds(#q, ".global")),          \
                  "tc: " what ".add.noftz: the qualifiers are {order with .cta, .cluster, .gpu or .sys}{.global}; "   \
                  "vec is empty, v2 or v4, these with .global");                                                      \
    TC__NEEDS_PTX(94, what ".add.noftz.f32");                                                                         \
    tc__needs_sm90()
#define TC__ATOM_NOFTZ_(op, d, p, x)                                                                                  \
    asm volatile(op "f32 %0, [%1], %2;" : "=f"((d)[0]) : "l"((uint64_t)(p)), "f"((x)[0]) : "memory")
#define TC__ATOM_NOFTZ_v2(op, d, p, x)                                                                                \
    asm volatile(op "v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"((d)[0]), "=f"((d)[1])                                   \
                 : "l"((uint64_t)(p)), "f"((x)[0]), "f"((x)[1]) : "memory")
#define TC__ATOM_NOFTZ_v4(op, d, p, x)                                                                                \
    asm volatile(op "v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                                                \
                 : "=f"((d)[0]), "=f"((d)[1]), "=f"((d)[2]), "=f"((d)[3])                                             \
                 : "l"((uint64_t)(p)), "f"((x)[0]), "f"((x)[1]), "f"((x)[2]), "f"((x)[3]) : "memory")
#define TC__RED_NOFTZ_(op, p, x) asm volatile(op "f32 [%0], %1;" : : "l"((uint64_t)(p)), "f"((x)[0]) : "memory")
#define TC__RED_NOFTZ_v2(op, p, x)                                                                                    \
    asm volatile(op "v2.f32 [%0], {%1, %2};" : : "l"((uint64_t)(p)), "f"((x)[0]), "f"((x)[1]) : "memory")
#define TC__RED_NOFTZ_v4(op, p, x)                                                                                    \
    asm volatile(op "v4.f32 [%0], {%1, %2, %3, %4};"                                                                  \
                 : : "l"((uint64_t)(p)), "f"((x)[0]), "f"((x)[1]), "f"((x)[2]), "f"((x)[3]) : "memory")
#define TC_ATOM_ADD_NOFTZ_F32(q, vec, d, p, x)                                                                        \
    do {                                                                                                              \
        TC__NOFTZ_CHECK("atom", q, vec, ".relaxed|.acquire|.release|.acq_rel");                                       \
        TC__ATOM_NOFTZ_##vec("atom" #q ".add.noftz.", d, p, x);                                                       \
    } while (0)
#define TC_RED_ADD_NOFTZ_F32(q, vec, p, x)                                                                            \
    do {                                                                                                              \
        TC__NOFTZ_CHECK("red", q, vec, ".relaxed|.release");                                                          \
        TC__RED_NOFTZ_##vec("red" #q ".add.noftz.", p, x);                                                            \
    } while (0)

/* PTX: red.async. op: inc dec (u32) min max (u32 s32) and or xor (b32) add (u32 s32 u64). */
#define TC__RED_u32 ~, "r"
#define TC__RED_s32 ~, "r"
#define TC__RED_b32 ~, "r"
#define TC__RED_u64 ~, "l"
#define TC_RED_ASYNC(op, type, addr, x, bar)                                                                          \
    do {                                                                                                              \
        static_assert(tc__follows(#op "." #type,                                                                      \
                                  "inc.u32|dec.u32|min.u32|min.s32|max.u32|max.s32|and.b32|or.b32|xor.b32|add.u32"    \
                                  "|add.s32|add.u64"),                                                                \
                      "tc: red.async: op and type are inc or dec u32; min or max u32, s32; and, or, xor b32; add "    \
                      "u32, s32, u64");                                                                               \
        tc__needs_sm90();                                                                                             \
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." #op "." #type          \
                     " [%0], %1, [%2];"                                                                               \
                     : : "r"(addr), TC__PROBE(TC__RED_##type, "r")(x), "r"(bar) : "memory");                          \
    } while (0)
#define TC_RED_ASYNC_GLOBAL(q, type, p, x)                                                                            \
    do {                                                                                                              \
        static_assert(tc__follows(#q, ".release.gpu|.release.sys|.mmio.release.sys"), "tc: red.async.global: "        \
                      TC__RELEASE_TEXT);                                                                              \
        static_assert(tc__follows(#type, "u32|s32|u64|s64"),                                                          \
                      "tc: red.async.global.add: the type is u32, s32, u64 or s64");                                  \
        tc__needs_sm100();                                                                                            \
        TC__CALL(TC__PROBE(TC__SCALAR_##type, TC__SCALAR_BAD), "red.async" #q ".global.add." #type, p, x);            \
    } while (0)

/* PTX: st.bulk: zeroes. addr: a shared address with .shared::cta, else a pointer to shared memory; 8-byte aligned;
 * bytes: uint64_t. */
#define TC_ST_BULK(q, addr, bytes)                                                                                    \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.weak |.shared::cta"),                                                        \
                      "tc: st.bulk: the qualifiers are {.weak}{.shared::cta}");                                       \
        static_assert(sizeof(+(addr)) == (tc__holds(#q, ".shared") ? 4 : 8),                                          \
                      "tc: st.bulk: with .shared::cta a shared address (uint32_t), without it a pointer");            \
        tc__needs_sm100();                                                                                            \
        asm volatile("st.bulk" #q " [%0], %1, 0;" : : "l"((uint64_t)(addr)), "l"((uint64_t)(bytes)) : "memory");      \
    } while (0)

#endif /* __CUDACC__ */
#endif /* TC_MEMORY_H */
