/* tc_core.h - tc 0.2.0 - the ground floor of tc: qualifiers, arch gates, types, statuses. Needs: CUDA 12.6 or later.
 *
 * tc is a kit of flat C headers for NVIDIA Tensor Cores. This one holds what all the others stand on:
 *
 *     TC_DEV float my_hook(float x, tc_gemm_at at, const void *args) { return x > 0.f ? x : 0.f; }
 *     tc_status st = gemm_run(&args, stream);
 *     if (st != TC_OK) fprintf(stderr, "%s: %s\n", tc_status_text(st), tc_why());
 *
 * OPTIONS (define before the first include)
 *     TC_DEBUG             every mbarrier wait becomes a bounded spin that reports and traps (tc_tma.h)
 *     TC_DEBUG_TIMEOUT_NS  how long such a wait may last, in nanoseconds (default 2000000000)
 *     TC_SM90_STUBS        TC_GEMM_SM90_DEFINE in a build for another target is a stub, not an error (tc_gemm.h);
 *     TC_SM100_STUBS       so is TC_GEMM_SM100_DEFINE
 *     TC_SM120_STUBS       so is TC_GEMM_SM120_DEFINE
 *     TC_STATIC_ENTRIES    NAME_run and NAME_can_run belong to their file: for generators in a header that several
 *                          files include (tc_gemm.h)
 *     TC_SM80_ON_HOPPER    a build without sm_90a code runs the sm_80 kernel on Hopper, slowly, rather than refuse
 *                          (tc_gemm.h)
 *     TC_NO_HOST           no host functions: device code only
 *     TC_ALL_TARGETS       every gate is open: for editors, which generate no code (compile_flags.txt has it)
 *     TC_ALLOW_RDC         sm_90a kernels may be compiled with -rdc=true, where ptxas ignores setmaxnreg: slow, and
 *                           large tiles spill
 *     TC_EPI_MAX           bytes of hook arguments that a kernel carries (default 256; tc_gemm.h)
 *
 * CONTENTS
 *     qualifiers            TC_DEV TC_HD TC_HOST TC_ALIGN TC_CONSTEXPR
 *     arch gates            TC_DEV_X and TC_HAS_X, X: SM80 SM89 SM90 SM90A SM100; SM100A (a and f targets of 100, 103,
 *                           107, 110), SM107A (107a, 107f), BLACKWELL_A (those of SM100A, 120 and 121), ANY_A (the
 *                           same and sm_90a), CVT_RS (100a, 103a, 107a); TC_HAS alone: SM107A_ONLY (107a),
 *                           BLACKWELL_A_ONLY (a targets of BLACKWELL_A), BULK_A (sm_90a and SM100A), FP8_MULTIMEM
 *                           (SM100A, 120a, 121a), SWIZZLE_96B (103a, 107a), SM120 (120, 121, with a or f or without)
 *     toolkit               TC_PTX_ISA: the PTX that it writes, 94 for PTX 9.4 (CUDA 13.4)
 *     element types         tc_type, tc_type_bits, tc_type_name
 *     conversions           tc_f32_from_bf16 tc_bf16_from_f32 tc_f32_from_f16 tc_f16_from_f32 tc_bf16x2 tc_f16x2
 *                           tc_f32_from_bits tc_bits_from_f32
 *     statuses              tc_status, tc_status_text, tc_why
 *     threads               tc_lane tc_warp tc_warpgroup tc_elect_one tc_bar_sync tc_bar_arrive
 *     addresses             tc_smem_u32
 *
 * TRAPS
 *     A gated function called in a build for the wrong target is a compile error at the call, with the flag to use.
 *     It may stand in any file as long as nothing calls it; guard calls with TC_HAS_*.
 *     `-arch=sm_90a` also compiles for plain compute_90, where wgmma and setmaxnreg do not exist: write
 *     `-gencode arch=compute_90a,code=sm_90a`.
 */
#ifndef TC_CORE_H
#define TC_CORE_H

#define TC_VERSION_MAJOR 0
#define TC_VERSION_MINOR 2
#define TC_VERSION_PATCH 0
#define TC_VERSION (TC_VERSION_MAJOR * 10000 + TC_VERSION_MINOR * 100 + TC_VERSION_PATCH)

#ifndef TC_DEBUG_TIMEOUT_NS
#define TC_DEBUG_TIMEOUT_NS 2000000000ull
#endif
#ifndef TC_EPI_MAX
#define TC_EPI_MAX 256
#endif

/* NVRTC has no include path, so it gets its integers from the compiler's own names; everybody else from the C
 * library. */
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
#else
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * Qualifiers
 *     TC_DEV     a device function: wrappers, mainloops, and the hooks that users write
 *     TC_HD      a pure function for host and device
 *     TC_HOST    a host function
 * All are static and marked unused: without the mark, a header of a thousand wrappers takes seconds to compile.
 */
#if defined(_MSC_VER) && !defined(__clang__)
#define TC_UNUSED
#define TC_ALIGN(n) __declspec(align(n))
#else
#define TC_UNUSED __attribute__((unused))
#define TC_ALIGN(n) __attribute__((aligned(n)))
#endif

#ifdef __CUDACC__
#define TC_DEV static __device__ __forceinline__ TC_UNUSED
#endif
/* A kernel wants every constant folded into it. The host's compiler inlines what it likes: forced to, it would take
 * twice as long for a file with a TC_GEMM_DEFINE. */
#ifdef __CUDA_ARCH__
#define TC_HD static __host__ __device__ __forceinline__ TC_UNUSED
#elif defined(__CUDACC__)
#define TC_HD static __host__ __device__ inline TC_UNUSED
#else
#define TC_HD static inline TC_UNUSED
#endif
#define TC_HOST static inline TC_UNUSED

/* Compiled with -rdc=true (CMake: CUDA_SEPARABLE_COMPILATION) ptxas ignores setmaxnreg, and a kernel that counts on it
 * spills: 0 there in a pass for sm_90a, unless TC_ALLOW_RDC says that it may. nvcc -ewp is whole enough. */
#if defined(__CUDACC_RDC__) && !defined(__CUDACC_EWP__) && defined(__CUDA_ARCH_FEAT_SM90_ALL) && !defined(TC_ALLOW_RDC)
#define TC__SETMAXNREG_COUNTS 0
#else
#define TC__SETMAXNREG_COUNTS 1
#endif

/* Around the braces that a generator fills with a user's fields: what is left out is 0 on purpose. */
#if defined(__GNUC__) && !defined(__CUDACC_RTC__)
#define TC__FIELDS_BEGIN                  \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define TC__FIELDS_END _Pragma("GCC diagnostic pop")
#else
#define TC__FIELDS_BEGIN
#define TC__FIELDS_END
#endif

/* The compiler prints the line that an error is in, and to it the whole expansion of a macro is one: a pragma, which
 * does nothing, begins a new one. Not before a typedef that defines its struct or enum, typedef struct x { ... } x:
 * where a static_assert stands before them whose condition binds what a function returns to a reference parameter (as
 * a rule's does that asks f(own##_config())), nvcc prints the pragma in the midst of that condition, and g++ says that
 * it "is not allowed here". Before struct x { ... }, and before every other declaration, it stays where it is. */
#if defined(__GNUC__) && !defined(__CUDACC_RTC__)
#define TC__LINE_BREAK _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic pop")
#else
#define TC__LINE_BREAK
#endif

/* Functions of a configuration are constant expressions in C++ (static_assert reads them) and plain functions in C. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define TC_CONSTEXPR constexpr
#else
#define TC_CONSTEXPR
#endif

/* TC_IN(type); makes type_in, how a function takes a large struct that it does not change: in C++ by reference, for
 * nvcc makes a copy of each field of each argument that is inlined, and took twice as long. */
#ifdef __cplusplus
#define TC_IN(type) typedef const type &type##_in
#else
#define TC_IN(type) typedef const type type##_in
#endif

/* What several threads may write and read at once without a lock: `static TC__ATOMIC int found;`, a word or a pointer.
 * C11's and C++11's atomics are two languages; gcc and clang have these in both, and MSVC's volatile accesses of a word
 * are whole. Relaxed: for a value that stands alone. Acquire and release: for a pointer, what it points to being
 * written before. */
#if defined(_MSC_VER) && !defined(__clang__)
#define TC__ATOMIC volatile
#define TC__LOAD_RELAXED(p) (*(p))
#define TC__STORE_RELAXED(p, value) ((void)(*(p) = (value)))
#define TC__LOAD_ACQUIRE(p) (*(p)) /* on x64 and with /volatile:ms */
#define TC__STORE_RELEASE(p, value) ((void)(*(p) = (value)))
#else
#define TC__ATOMIC
#define TC__LOAD_RELAXED(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define TC__STORE_RELAXED(p, value) __atomic_store_n(p, value, __ATOMIC_RELAXED)
#define TC__LOAD_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define TC__STORE_RELEASE(p, value) __atomic_store_n(p, value, __ATOMIC_RELEASE)
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * Arch gates. TC_HAS_X says whether this compilation pass may use X; it is 1 on the host pass, whose compiler checks
 * signatures but generates no device code. TC_DEV_X is TC_DEV where X may be used; elsewhere a call of the function is
 * a compile error with this text. (The body stays: an unused static function never reaches ptxas.)
 */
#if !defined(__CUDA_ARCH__) || defined(TC_ALL_TARGETS)
#define TC__ALL_TARGETS 1
#else
#define TC__ALL_TARGETS 0
#endif
#if TC__ALL_TARGETS
#define TC_HAS_SM80 1
#define TC_HAS_SM90 1
#define TC_HAS_SM90A 1
#else
#define TC_HAS_SM80 (__CUDA_ARCH__ >= 800)
#define TC_HAS_SM90 (__CUDA_ARCH__ >= 900)
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define TC_HAS_SM90A 1
#else
#define TC_HAS_SM90A 0
#endif
#endif
/* what CUDA 12.8 and clang define for an a target, and no __CUDA_ARCH_FAMILY_SPECIFIC__ */
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM101_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM103_ALL) || defined(__CUDA_ARCH_FEAT_SM107_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM110_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL) || defined(__CUDA_ARCH_FEAT_SM121_ALL)
#define TC__BLACKWELL_FEAT 1
#else
#define TC__BLACKWELL_FEAT 0
#endif
/* tcgen05 and tensor memory: the a and f targets of the families sm_100, sm_103, sm_107 and sm_110; never sm_120's,
 * never a plain target */
#if TC__ALL_TARGETS
#define TC_HAS_SM100A 1
#elif defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM101_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM103_ALL) || defined(__CUDA_ARCH_FEAT_SM110_ALL)
#define TC_HAS_SM100A 1
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#define TC_HAS_SM100A (__CUDA_ARCH_FAMILY_SPECIFIC__ >= 1000 && __CUDA_ARCH_FAMILY_SPECIFIC__ < 1200)
#else
#define TC_HAS_SM100A 0
#endif
/* fp8 conversions; what every Blackwell has, plain targets too */
#if TC__ALL_TARGETS
#define TC_HAS_SM89 1
#define TC_HAS_SM100 1
#else
#define TC_HAS_SM89 (__CUDA_ARCH__ >= 890)
#define TC_HAS_SM100 (__CUDA_ARCH__ >= 1000)
#endif
/* any a or f target of Blackwell and later, sm_120's too: fp6 and fp4 conversions; the same and sm_90a: setmaxnreg,
 * tensormap.replace; sm_100a, sm_103a and sm_107a: stochastic rounding; of these not sm_100a: the 96-byte swizzle */
#if TC__ALL_TARGETS
#define TC_HAS_BLACKWELL_A 1
#define TC_HAS_CVT_RS 1
#define TC_HAS_SWIZZLE_96B 1
#else
#if __CUDA_ARCH__ >= 1000 && (defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || TC__BLACKWELL_FEAT)
#define TC_HAS_BLACKWELL_A 1
#else
#define TC_HAS_BLACKWELL_A 0
#endif
#if defined(__CUDA_ARCH_FEAT_SM103_ALL) || defined(__CUDA_ARCH_FEAT_SM107_ALL)
#define TC_HAS_SWIZZLE_96B 1
#else
#define TC_HAS_SWIZZLE_96B 0
#endif
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || TC_HAS_SWIZZLE_96B
#define TC_HAS_CVT_RS 1
#else
#define TC_HAS_CVT_RS 0
#endif
#endif
#define TC_HAS_ANY_A (TC_HAS_SM90A || TC_HAS_BLACKWELL_A)
/* sm_107 as a or f target; as a target alone; any a target of Blackwell and later, no f target; what of the bulk copies
 * and of multimem few targets have */
#if TC__ALL_TARGETS
#define TC_HAS_SM107A 1
#define TC_HAS_SM107A_ONLY 1
#define TC_HAS_BLACKWELL_A_ONLY 1
#else
#ifdef __CUDA_ARCH_FEAT_SM107_ALL
#define TC_HAS_SM107A 1
#define TC_HAS_SM107A_ONLY 1
#else
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && __CUDA_ARCH__ == 1070
#define TC_HAS_SM107A 1
#else
#define TC_HAS_SM107A 0
#endif
#define TC_HAS_SM107A_ONLY 0
#endif
#if __CUDA_ARCH__ >= 1000 && (defined(__CUDA_ARCH_SPECIFIC__) || TC__BLACKWELL_FEAT)
#define TC_HAS_BLACKWELL_A_ONLY 1
#else
#define TC_HAS_BLACKWELL_A_ONLY 0
#endif
#endif
#define TC_HAS_BULK_A (TC_HAS_SM90A || TC_HAS_SM100A)
#define TC_HAS_FP8_MULTIMEM (TC_HAS_SM100A || TC_HAS_SM120A_ONLY)
/* sm_75; the sm_120 family, its plain targets too; its a and f targets; its a targets alone: mma.sync */
#if TC__ALL_TARGETS
#define TC_HAS_SM75 1
#define TC_HAS_SM120 1
#define TC_HAS_SM120A 1
#define TC_HAS_SM120A_ONLY 1
#else
#define TC_HAS_SM75 (__CUDA_ARCH__ >= 750)
#if __CUDA_ARCH__ >= 1200 && __CUDA_ARCH__ < 1300
#define TC_HAS_SM120 1
#else
#define TC_HAS_SM120 0
#endif
#if defined(__CUDA_ARCH_FEAT_SM120_ALL) || defined(__CUDA_ARCH_FEAT_SM121_ALL)
#define TC_HAS_SM120A 1
#define TC_HAS_SM120A_ONLY 1
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#define TC_HAS_SM120A (__CUDA_ARCH_FAMILY_SPECIFIC__ >= 1200 && __CUDA_ARCH_FAMILY_SPECIFIC__ < 1300)
#define TC_HAS_SM120A_ONLY 0
#else
#define TC_HAS_SM120A 0
#define TC_HAS_SM120A_ONLY 0
#endif
#endif

/* The toolkit by the PTX that it writes: CUDA 12.6 8.5, 12.7 8.6, .., 12.9 8.8, 13.0 9.0, 13.1 9.1, .. What is not a
 * toolkit (clang, the host's compiler) is taken for the newest. A macro whose form needs newer PTX says so at the
 * user's line (TC__NEEDS_PTX). A function that needs a newer qualifier for its speed alone goes without it on older
 * ones. (Forms up to PTX 8.8 are ptxas's to refuse: docs/isa.md says since when each is PTX.) */
#ifndef TC_PTX_ISA
#ifndef __CUDACC_VER_MAJOR__
#define TC_PTX_ISA 95
#elif __CUDACC_VER_MAJOR__ >= 13
#define TC_PTX_ISA ((__CUDACC_VER_MAJOR__ - 4) * 10 + __CUDACC_VER_MINOR__)
#else
#define TC_PTX_ISA ((__CUDACC_VER_MAJOR__ - 4) * 10 + __CUDACC_VER_MINOR__ - (__CUDACC_VER_MINOR__ > 5 ? 1 : 0))
#endif
#endif
#ifndef TC__PTX_86
#define TC__PTX_86 (TC_PTX_ISA >= 86)
#endif
#define TC__PTX_TEXT_86 "needs PTX 8.6: CUDA 12.7 or later"
#define TC__PTX_TEXT_90 "needs PTX 9.0: CUDA 13.0 or later"
#define TC__PTX_TEXT_91 "needs PTX 9.1: CUDA 13.1 or later"
#define TC__PTX_TEXT_92 "needs PTX 9.2: CUDA 13.2 or later"
#define TC__PTX_TEXT_93 "needs PTX 9.3: CUDA 13.3 or later"
#define TC__PTX_TEXT_94 "needs PTX 9.4: CUDA 13.4 or later"
#define TC__PTX_TEXT_95 "needs PTX 9.5: CUDA 13.5 or later"
/* what: the instruction or the form of it; version: 91 .. 95. _IF: where the condition holds */
#define TC__NEEDS_PTX(version, what) static_assert(TC_PTX_ISA >= version, "tc: " what " " TC__PTX_TEXT_##version)
#define TC__NEEDS_PTX_IF(version, condition, what) \
    static_assert(TC_PTX_ISA >= version || !(condition), "tc: " what " " TC__PTX_TEXT_##version)
/* has: one of the TC_HAS above; targets: in words; arch: one that has it */
#define TC__NEEDS_TARGET_IF(has, condition, what, targets, arch)                                                      \
    static_assert(has || !(condition), "tc: " what " needs " targets ": compile with -gencode arch=compute_" arch     \
                  ",code=sm_" arch)
#define TC__NEEDS_SM107A_IF(condition, what) \
    TC__NEEDS_TARGET_IF(TC_HAS_SM107A, condition, what, "sm_107a or sm_107f", "107a")
#define TC__NEEDS_SM107A_ONLY_IF(condition, what) \
    TC__NEEDS_TARGET_IF(TC_HAS_SM107A_ONLY, condition, what, "sm_107a", "107a")

#ifdef __CUDACC__
#ifdef __CUDACC_RTC__ /* NVRTC does not know "unavailable": it warns with the text at the call, then ptxas refuses */
#define TC__NEEDS(text) [[deprecated("tc: " text)]] TC_DEV
#else
#define TC__NEEDS(text) TC_DEV __attribute__((unavailable(text)))
#endif
#if TC_HAS_SM80
#define TC_DEV_SM80 TC_DEV
#else
#define TC_DEV_SM80 \
    TC__NEEDS("needs sm_80 or later: " \
              "compile with -gencode arch=compute_80,code=sm_80, or guard the call with #if TC_HAS_SM80")
#endif
#if TC_HAS_SM90
#define TC_DEV_SM90 TC_DEV
#else
#define TC_DEV_SM90 \
    TC__NEEDS("needs sm_90 or later: " \
              "compile with -gencode arch=compute_90,code=sm_90, or guard the call with #if TC_HAS_SM90")
#endif
#if TC_HAS_SM90A
#define TC_DEV_SM90A TC_DEV
#else
#define TC_DEV_SM90A \
    TC__NEEDS("needs sm_90a: " \
              "compile with -gencode arch=compute_90a,code=sm_90a, or guard the call with #if TC_HAS_SM90A")
#endif
#if TC_HAS_SM100A
#define TC_DEV_SM100A TC_DEV
#else
#define TC_DEV_SM100A \
    TC__NEEDS("needs sm_100a, sm_103a, sm_107a, sm_110a or the f target of one: " \
              "compile with -gencode arch=compute_100a,code=sm_100a, or guard the call with #if TC_HAS_SM100A")
#endif
#if TC_HAS_SM75
#define TC_DEV_SM75 TC_DEV
#else
#define TC_DEV_SM75 \
    TC__NEEDS("needs sm_75 or later: " \
              "compile with -gencode arch=compute_75,code=sm_75, or guard the call with #if TC_HAS_SM75")
#endif
#if TC_HAS_SM120
#define TC_DEV_SM120 TC_DEV
#else
#define TC_DEV_SM120 \
    TC__NEEDS("needs sm_120 or sm_121: " \
              "compile with -gencode arch=compute_120a,code=sm_120a, or guard the call with #if TC_HAS_SM120")
#endif
#if TC_HAS_SM120A
#define TC_DEV_SM120A TC_DEV
#else
#define TC_DEV_SM120A \
    TC__NEEDS("needs sm_120a, sm_121a or the f target of one: " \
              "compile with -gencode arch=compute_120a,code=sm_120a, or guard the call with #if TC_HAS_SM120A")
#endif
#if TC_HAS_SM120A_ONLY
#define TC_DEV_SM120A_ONLY TC_DEV
#else
#define TC_DEV_SM120A_ONLY \
    TC__NEEDS("needs sm_120a or sm_121a, not an f target: " \
              "compile with -gencode arch=compute_120a,code=sm_120a, or guard the call with #if TC_HAS_SM120A_ONLY")
#endif
#if TC_HAS_SM89
#define TC_DEV_SM89 TC_DEV
#else
#define TC_DEV_SM89 \
    TC__NEEDS("needs sm_89 or later: " \
              "compile with -gencode arch=compute_89,code=sm_89, or guard the call with #if TC_HAS_SM89")
#endif
#if TC_HAS_SM100
#define TC_DEV_SM100 TC_DEV
#else
#define TC_DEV_SM100 \
    TC__NEEDS("needs sm_100 or later: " \
              "compile with -gencode arch=compute_100,code=sm_100, or guard the call with #if TC_HAS_SM100")
#endif
#if TC_HAS_BLACKWELL_A
#define TC_DEV_BLACKWELL_A TC_DEV
#else
#define TC_DEV_BLACKWELL_A \
    TC__NEEDS("needs an a or f target of Blackwell: " \
              "compile with -gencode arch=compute_100a,code=sm_100a (or 103a, 107a, 110a, 120a, 121a, 100f, 120f), " \
              "or guard the call with #if TC_HAS_BLACKWELL_A")
#endif
#if TC_HAS_ANY_A
#define TC_DEV_ANY_A TC_DEV
#else
#define TC_DEV_ANY_A \
    TC__NEEDS("needs sm_90a or an a or f target of Blackwell: " \
              "compile with -gencode arch=compute_90a,code=sm_90a (or 100a, 103a, 107a, 110a, 120a, 121a), " \
              "or guard the call with #if TC_HAS_ANY_A")
#endif
#if TC_HAS_SM107A
#define TC_DEV_SM107A TC_DEV
#else
#define TC_DEV_SM107A \
    TC__NEEDS("needs sm_107a or sm_107f: " \
              "compile with -gencode arch=compute_107a,code=sm_107a, or guard the call with #if TC_HAS_SM107A")
#endif
#if TC_HAS_CVT_RS
#define TC_DEV_CVT_RS TC_DEV
#else
#define TC_DEV_CVT_RS \
    TC__NEEDS("needs sm_100a, sm_103a or sm_107a: " \
              "compile with -gencode arch=compute_100a,code=sm_100a, or guard the call with #if TC_HAS_CVT_RS")
#endif
#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * For the macros that take PTX's tokens. TC__PROBE(TC__TABLE_##x, no): the second item of a table's line ("~, item"),
 * or `no` where the table has no such line: so a wrong token becomes a sentence and not a heap of errors. TC__NARGS:
 * how many (1..16).
 */
#define TC__CAT(a, b) TC__CAT_(a, b)
#define TC__CAT_(a, b) a##b
/* calls a macro with arguments that are expanded first; four, since none of them works within itself */
#define TC__CALL(macro, ...) macro(__VA_ARGS__)
#define TC__CALL2(macro, ...) macro(__VA_ARGS__)
#define TC__CALL3(macro, ...) macro(__VA_ARGS__)
#define TC__CALL4(macro, ...) macro(__VA_ARGS__)
#define TC__SECOND(...) TC__SECOND_(__VA_ARGS__, ~, ~)
#define TC__SECOND_(a, b, ...) b
#define TC__PROBE(...) TC__SECOND(__VA_ARGS__)
#define TC__NARGS(...) TC__NARGS_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define TC__NARGS_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count

#ifdef __CUDACC__
#define TC__CHECKER static __host__ __device__ TC_CONSTEXPR TC_UNUSED
#else
#define TC__CHECKER static TC_CONSTEXPR TC_UNUSED
#endif

/* Is `text` what `rule` allows? A rule is groups set apart by blanks, a group is alternatives set apart by |, one of
 * which may be empty: ".a|.b |.c" allows .a, .b, .a.c and .b.c. The macros ask it of the qualifiers that they were
 * given, in a static_assert. */
TC__CHECKER int tc__follows(const char *text, const char *rule)
{
    if (!*rule) return !*text;
    for (;;) {
        const char *t = text, *rest = rule;
        while (*rule && *rule != '|' && *rule != ' ' && *t == *rule) t++, rule++;
        if (!*rule || *rule == '|' || *rule == ' ') {
            rest = rule;
            while (*rest && *rest != ' ') rest++;
            if (tc__follows(t, *rest ? rest + 1 : rest)) return 1;
        }
        while (*rule && *rule != '|' && *rule != ' ') rule++;
        if (*rule != '|') return 0;
        rule++;
    }
}

/* Does `text` hold `word`? */
TC__CHECKER int tc__holds(const char *text, const char *word)
{
    for (; *text; text++) {
        int i = 0;
        while (word[i] && text[i] == word[i]) i++;
        if (!word[i]) return 1;
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Element types: one table. Columns: enum name, PTX's name, bits of one element.
 */
#define TC_TYPES(X)    \
    X(TC_F16, "f16", 16)   \
    X(TC_BF16, "bf16", 16) \
    X(TC_F32, "f32", 32)   \
    X(TC_TF32, "tf32", 32) \
    X(TC_F64, "f64", 64)   \
    X(TC_E4M3, "e4m3", 8)  \
    X(TC_E5M2, "e5m2", 8)  \
    X(TC_E3M2, "e3m2", 6)  \
    X(TC_E2M3, "e2m3", 6)  \
    X(TC_E2M1, "e2m1", 4)  \
    X(TC_S8, "s8", 8)      \
    X(TC_U8, "u8", 8)      \
    X(TC_S4, "s4", 4)      \
    X(TC_U4, "u4", 4)      \
    X(TC_B1, "b1", 1)      \
    X(TC_S32, "s32", 32)   \
    X(TC_UE8M0, "ue8m0", 8) \
    X(TC_UE4M3, "ue4m3", 8) \
    X(TC_U16, "u16", 16)    \
    X(TC_U32, "u32", 32)    \
    X(TC_S64, "s64", 64)    \
    X(TC_U64, "u64", 64)    \
    X(TC_UE5M3, "ue5m3", 8) \
    X(TC_TI16, "ti16", 16)

#define TC__X(name, text, bits) name,
typedef enum tc_type { TC_TYPE_UNSET = 0, TC_TYPES(TC__X) TC_TYPE_COUNT } tc_type;
#undef TC__X

/* Bits of one element; 0 for a value that is no type. */
TC_HD TC_CONSTEXPR int tc_type_bits(int type)
{
#define TC__X(name, text, bits) type == name ? bits :
    return TC_TYPES(TC__X) 0;
#undef TC__X
}

/* PTX's name of a type: "bf16". */
TC_HD TC_CONSTEXPR const char *tc_type_name(int type)
{
#define TC__X(name, text, bits) type == name ? text :
    return TC_TYPES(TC__X) "?";
#undef TC__X
}

/* Two floats that travel together: what a pair hook takes and returns. */
typedef struct tc_f32x2 {
    float x, y;
} tc_f32x2;

/* ---------------------------------------------------------------------------------------------------------------------
 * Conversions. 16-bit storage is uint16_t: the kit includes neither cuda_fp16.h nor cuda_bf16.h, whose types are C++.
 */
TC_HD float tc_f32_from_bits(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
#endif
}

TC_HD uint32_t tc_bits_from_f32(float x)
{
#ifdef __CUDA_ARCH__
    return __float_as_uint(x);
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
#endif
}

/* bf16 is the upper half of an f32, so this direction is exact. */
TC_HD float tc_f32_from_bf16(uint16_t x) { return tc_f32_from_bits((uint32_t)x << 16); }

/* Round to nearest, ties to even; NaN becomes the canonical 0x7fff, as PTX cvt does. */
TC_HD uint16_t tc_bf16_from_f32(float x)
{
    uint32_t u = tc_bits_from_f32(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

/* f16 to f32, exact; subnormals and infinities included. */
TC_HD float tc_f32_from_f16(uint16_t h)
{
#ifdef __CUDA_ARCH__
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
    return x;
#else
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exp = (h >> 10) & 31u, man = h & 0x3ffu;
    float x;
    if (exp == 31) return tc_f32_from_bits(sign | 0x7f800000u | (man << 13));
    if (exp != 0) return tc_f32_from_bits(sign | ((exp + 112u) << 23) | (man << 13));
    x = (float)man * 5.9604644775390625e-8f; /* a subnormal is man * 2^-24 */
    return sign ? -x : x;
#endif
}

/* f32 to f16, round to nearest even; past 65519.99 infinity; NaN becomes 0x7fff, as PTX cvt does. */
TC_HD uint16_t tc_f16_from_f32(float x)
{
#ifdef __CUDA_ARCH__
    uint16_t h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
#else
    uint32_t u = tc_bits_from_f32(x), sign = (u >> 16) & 0x8000u, mag = u & 0x7fffffffu, shift, man, half, rest;
    if (mag > 0x7f800000u) return 0x7fff;
    if (mag >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u); /* 65520 and up round to infinity */
    if (mag < 0x33000000u) return (uint16_t)sign;              /* below half of the least subnormal */
    if (mag >= 0x38800000u) {                                  /* normal: rebias by 112, round 13 bits away */
        mag -= 0x38000000u;
        return (uint16_t)(sign | ((mag + 0xfffu + ((mag >> 13) & 1u)) >> 13));
    }
    shift = 126u - (mag >> 23);
    man = (mag & 0x7fffffu) | 0x800000u;
    half = man >> shift;
    rest = man & ((1u << shift) - 1u);
    if (rest > (1u << (shift - 1u)) || (rest == (1u << (shift - 1u)) && (half & 1u))) half++;
    return (uint16_t)(sign | half);
#endif
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Statuses: enum and text in one table. Every function of the kit that can fail returns one; none exits or prints.
 * tc_why() is the sentence behind the last failure in this thread: it names the argument, its value and the rule.
 */
#define TC_STATUSES(X)                                                                       \
    X(TC_OK, "success")                                                                      \
    X(TC_ERR_NULL, "a required pointer is null")                                             \
    X(TC_ERR_SIZE, "a size is negative or out of range")                                     \
    X(TC_ERR_PITCH, "a pitch (leading dimension) is smaller than the row")                   \
    X(TC_ERR_ALIGN, "a base address, pitch or stride is not aligned as this kernel needs")   \
    X(TC_ERR_BATCH, "a batch count or batch stride is not valid")                            \
    X(TC_ERR_EPI, "the hook's arguments do not fit the kernel's configuration")              \
    X(TC_ERR_DEVICE, "this device cannot run the kernel")                                    \
    X(TC_ERR_IMAGE, "the program holds no code of this kernel for this device")              \
    X(TC_ERR_SMEM, "the kernel needs more shared memory than this device gives a block")     \
    X(TC_ERR_CLUSTER, "no cluster of this size fits on this device")                         \
    X(TC_ERR_TMAP, "a tensor map breaks a rule of the hardware")                             \
    X(TC_ERR_SPARSE, "a matrix does not have the sparsity that the instruction needs")     \
    X(TC_ERR_DESC, "a descriptor breaks a rule of the hardware")                             \
    X(TC_ERR_DRIVER, "the CUDA driver is too old or has no such entry point")                \
    X(TC_ERR_CUDA, "a CUDA call failed")                                                     \
    X(TC_ERR_CONFIG, "a configuration breaks a rule")

#define TC__X(name, text) name,
typedef enum tc_status { TC_STATUSES(TC__X) TC_STATUS_COUNT } tc_status;
#undef TC__X

#ifndef __CUDACC_RTC__

/* The text of a status; never null. */
TC_HOST const char *tc_status_text(tc_status status)
{
    static const char *const texts[] = {
#define TC__X(name, text) #name ": " text,
        TC_STATUSES(TC__X)
#undef TC__X
    };
    return (unsigned)status < (unsigned)TC_STATUS_COUNT ? texts[status] : "not a tc_status";
}

#define TC_WHY_SIZE 256

/* One text a thread for the whole program, C and C++ files alike: each file defines it, and the linker keeps one. */
#ifdef __cplusplus
extern "C" {
#endif
#if defined(_MSC_VER) && !defined(__clang__)
__declspec(selectany) __declspec(thread) char tc__why_text[TC_WHY_SIZE] = "";
#else
__attribute__((weak)) __thread char tc__why_text[TC_WHY_SIZE];
#endif
#ifdef __cplusplus
}
#endif

/* The sentence behind the last failure of a tc function in this thread, whichever file it was called from; "" before
 * the first. */
TC_HOST const char *tc_why(void) { return tc__why_text; }

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
TC_HOST tc_status tc__fail(tc_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(tc__why_text, TC_WHY_SIZE, format, list);
    va_end(list);
    return status;
}

#endif /* not NVRTC */

/* ---------------------------------------------------------------------------------------------------------------------
 * Device only from here.
 */
#ifdef __CUDACC__

/* A macro with an immediate calls one of these first, so that it is refused for the wrong target as a function is. */
TC_DEV_SM80 void tc__needs_sm80(void) {}
TC_DEV_SM90 void tc__needs_sm90(void) {}
TC_DEV_SM90A void tc__needs_sm90a(void) {}
TC_DEV_SM100A void tc__needs_sm100a(void) {}
TC_DEV_SM75 void tc__needs_sm75(void) {}
TC_DEV_SM120A void tc__needs_sm120a(void) {}
TC_DEV_SM120A_ONLY void tc__needs_sm120a_only(void) {}
TC_DEV_SM89 void tc__needs_sm89(void) {}
TC_DEV_SM100 void tc__needs_sm100(void) {}
TC_DEV_BLACKWELL_A void tc__needs_blackwell_a(void) {}
TC_DEV_ANY_A void tc__needs_any_a(void) {}
TC_DEV_CVT_RS void tc__needs_cvt_rs(void) {}
TC_DEV_SM107A void tc__needs_sm107a(void) {}
#if TC_PTX_ISA >= 91
TC_DEV_SM120A void tc__needs_sm120a_ptx91(void) {}
TC_DEV_SM120A_ONLY void tc__needs_sm120a_only_ptx91(void) {}
#else
TC__NEEDS(TC__PTX_TEXT_91) void tc__needs_sm120a_ptx91(void) {}
TC__NEEDS(TC__PTX_TEXT_91) void tc__needs_sm120a_only_ptx91(void) {}
#endif
#if TC_PTX_ISA >= 94
TC_DEV_ANY_A void tc__needs_any_a_ptx94(void) {}
#else
TC__NEEDS(TC__PTX_TEXT_94) void tc__needs_any_a_ptx94(void) {}
#endif

/* Two f32 to packed bf16x2 / f16x2: x in the low half (PTX: cvt.rn.bf16x2.f32, sm_80; cvt.rn.f16x2.f32, sm_80). */
TC_DEV_SM80 uint32_t tc_bf16x2(float x, float y)
{
    uint32_t r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x));
    return r;
}

TC_DEV_SM80 uint32_t tc_f16x2(float x, float y)
{
    uint32_t r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x));
    return r;
}

/* Address of shared memory as the 32-bit number that PTX's .shared forms take. Make it once, add byte offsets. */
TC_DEV uint32_t tc_smem_u32(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

/* Index of the thread in its warp, of the warp in its block, of the warpgroup (4 warps) in its block; 1-D blocks.
 * The last two are the same for the whole warp. */
TC_DEV int tc_lane(void) { return (int)(threadIdx.x & 31u); }
TC_DEV int tc_warp(void) { return __shfl_sync(0xffffffffu, (int)(threadIdx.x >> 5), 0); }
/* By votes, not by a shuffle: the compiler knows a vote's result to be uniform, and keeps what follows from it (stages,
 * descriptors) in uniform registers, where wgmma wants it. */
TC_DEV int tc_warpgroup(void)
{
    int wg = 0;
#pragma unroll
    for (int i = 1; i < 8; i++) wg += __any_sync(0xffffffffu, threadIdx.x >= (unsigned)i * 128u) ? 1 : 0;
    return wg;
}

/* PTX: elect.sync, sm_90. 1 in one lane of the warp, 0 in the others. All lanes must call it together. */
TC_DEV_SM90 int tc_elect_one(void)
{
    int one;
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "elect.sync _|p, 0xffffffff;\n"
                 "selp.b32 %0, 1, 0, p;\n"
                 "}"
                 : "=r"(one)
                 : : "memory");
    return one;
}

/* PTX: barrier.sync / barrier.arrive (bar.sync a, b). id 0..15 (0 is __syncthreads'), threads a multiple of 32. */
TC_DEV void tc_bar_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

TC_DEV void tc_bar_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

#endif /* __CUDACC__ */
#endif /* TC_CORE_H */
