/* tc_host.h - tc 0.2.0 - kernels as the host sees them: targets and stubs, what a device can run, launch, checks.
 * Needs: the headers below.
 *
 * Private to the generators (tc__, TC__) but for what tc_gemm.h and tc_attn.h document. A kernel for a target that this
 * build does not have is a stub bounded to one warp; the host reads that bound and answers TC_ERR_IMAGE with the
 * -gencode line to add.
 */
#ifndef TC_HOST_H
#define TC_HOST_H

#include "tc_chip.h"
#include "tc_core.h"
#include "tc_tma.h"

#define TC__SM90_SMEM_MAX ((int)TC_CHIP_90_SMEM)   /* 227 KB, what a block of sm_90 may have */
#define TC__SM107_SMEM_MAX ((int)TC_CHIP_107_SMEM) /* 327 KB: of sm_107, where the kernel is allowed it */

/* ---------------------------------------------------------------------------------------------------------------------
 * What a generator is given: `.field = value, ...`, in any order. Each becomes an assignment, so that a misspelt field
 * is one sentence about that field, and neither the order nor designated initialisers (C++20) matter.
 */
#define TC__FIELDS(c, ...) TC__CALL2(TC__CAT(TC__FIELDS_, TC__FIELDS_COUNT(__VA_ARGS__)), c, __VA_ARGS__)
#define TC__FIELDS_COUNT(...)                                                                                         \
    TC__FIELDS_COUNT_(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3,   \
        2, 1, ~)
#define TC__FIELDS_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, count, ...) count
#define TC__FIELDS_1(c, x) c x;
#define TC__FIELDS_2(c, x, ...) c x; TC__FIELDS_1(c, __VA_ARGS__)
#define TC__FIELDS_3(c, x, ...) c x; TC__FIELDS_2(c, __VA_ARGS__)
#define TC__FIELDS_4(c, x, ...) c x; TC__FIELDS_3(c, __VA_ARGS__)
#define TC__FIELDS_5(c, x, ...) c x; TC__FIELDS_4(c, __VA_ARGS__)
#define TC__FIELDS_6(c, x, ...) c x; TC__FIELDS_5(c, __VA_ARGS__)
#define TC__FIELDS_7(c, x, ...) c x; TC__FIELDS_6(c, __VA_ARGS__)
#define TC__FIELDS_8(c, x, ...) c x; TC__FIELDS_7(c, __VA_ARGS__)
#define TC__FIELDS_9(c, x, ...) c x; TC__FIELDS_8(c, __VA_ARGS__)
#define TC__FIELDS_10(c, x, ...) c x; TC__FIELDS_9(c, __VA_ARGS__)
#define TC__FIELDS_11(c, x, ...) c x; TC__FIELDS_10(c, __VA_ARGS__)
#define TC__FIELDS_12(c, x, ...) c x; TC__FIELDS_11(c, __VA_ARGS__)
#define TC__FIELDS_13(c, x, ...) c x; TC__FIELDS_12(c, __VA_ARGS__)
#define TC__FIELDS_14(c, x, ...) c x; TC__FIELDS_13(c, __VA_ARGS__)
#define TC__FIELDS_15(c, x, ...) c x; TC__FIELDS_14(c, __VA_ARGS__)
#define TC__FIELDS_16(c, x, ...) c x; TC__FIELDS_15(c, __VA_ARGS__)
#define TC__FIELDS_17(c, x, ...) c x; TC__FIELDS_16(c, __VA_ARGS__)
#define TC__FIELDS_18(c, x, ...) c x; TC__FIELDS_17(c, __VA_ARGS__)
#define TC__FIELDS_19(c, x, ...) c x; TC__FIELDS_18(c, __VA_ARGS__)
#define TC__FIELDS_20(c, x, ...) c x; TC__FIELDS_19(c, __VA_ARGS__)
#define TC__FIELDS_21(c, x, ...) c x; TC__FIELDS_20(c, __VA_ARGS__)
#define TC__FIELDS_22(c, x, ...) c x; TC__FIELDS_21(c, __VA_ARGS__)
#define TC__FIELDS_23(c, x, ...) c x; TC__FIELDS_22(c, __VA_ARGS__)
#define TC__FIELDS_24(c, x, ...) c x; TC__FIELDS_23(c, __VA_ARGS__)

/* The prefix of what a generator keeps to itself. The line is in it, so that of two generators of one name only what
 * they give to the user clashes. */
#define TC__OWN(name) TC__CAT(name##__, __LINE__)

/* One list of rules, X(condition, "sentence"), serves the static_asserts of a generator, the functions that ask, and
 * those that tell. */
#define TC__RULE_ASSERT(condition, sentence) TC__LINE_BREAK static_assert(condition, sentence);
#define TC__RULE_AND(condition, sentence) &&(condition)
#define TC__RULE_SAY(condition, sentence) if (!(condition)) return tc__config_breaks(sentence, tc__fields, c);

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Kernels and the targets they are built for.
 */
/* NVRTC has no host side and finds a kernel by its name; elsewhere a kernel belongs to its file. */
#ifdef __CUDACC_RTC__
#define TC__KERNEL extern "C" __global__ void
#else
#define TC__KERNEL static __global__ void
#endif

/* A kernel that other targets may be built beside: theirs is a stub bounded to one warp, by which the host knows it. */
#if TC_HAS_SM90A
#define TC__SM90_BOUND(threads) threads
#define TC__IF_SM90A(...) __VA_ARGS__
#else
#define TC__SM90_BOUND(threads) 32
#define TC__IF_SM90A(...)
#endif
#if TC_HAS_SM80
#define TC__SM80_BOUND(threads) threads
#define TC__IF_SM80(...) __VA_ARGS__
#else
#define TC__SM80_BOUND(threads) 32
#define TC__IF_SM80(...)
#endif

/* A generator of sm_90a kernels alone in a build for another target: an error at the user's line, or with TC_SM90_STUBS
 * a stub. */
#ifdef TC_SM90_STUBS
#define TC__SM90_STRICT(...) TC__IF_SM90A(__VA_ARGS__)
#else
#define TC__SM90_STRICT(...) __VA_ARGS__
#endif

/* The same of Blackwell's kernels with tensor memory, and TC_SM100_STUBS. nvcc's pass for the host reads none of them:
 * it would cost those who build for other targets a second. */
#if TC_HAS_SM100A && defined(__CUDA_ARCH__)
#define TC__IF_SM100A(...) __VA_ARGS__
#define TC__SM100_STRICT(...) __VA_ARGS__
#elif defined(TC_SM100_STUBS) || !defined(__CUDA_ARCH__)
#define TC__IF_SM100A(...)
#define TC__SM100_STRICT(...)
#else
#define TC__IF_SM100A(...)
#define TC__SM100_STRICT(...)                                                                                         \
    static_assert(0, "tc: this kernel needs an a or f target of sm_100, 103, 107 or 110: compile with -gencode "      \
                     "arch=compute_100a,code=sm_100a; for a build that has other targets too, #define TC_SM100_STUBS "\
                     "before tc.h");
#endif

/* And of the sm_120 family's, whose plain targets have them too; TC_SM120_STUBS. What of them only an a or f target
 * has, is asked of the configuration: here, a constant. */
#if TC_HAS_SM120 && defined(__CUDA_ARCH__)
#define TC__IF_SM120(...) __VA_ARGS__
#define TC__SM120_STRICT(...) __VA_ARGS__
#elif defined(TC_SM120_STUBS) || !defined(__CUDA_ARCH__)
#define TC__IF_SM120(...)
#define TC__SM120_STRICT(...)
#else
#define TC__IF_SM120(...)
#define TC__SM120_STRICT(...)                                                                                         \
    static_assert(0, "tc: this kernel needs sm_120 or sm_121: compile with -gencode arch=compute_120a,code=sm_120a; " \
                     "for a build that has other targets too, #define TC_SM120_STUBS before tc.h");
#endif
#if TC_HAS_SM120 && defined(__CUDA_ARCH__) && !defined(TC_SM120_STUBS)
#define TC__SM120_HERE(here)                                                                                          \
    TC__RULE_ASSERT(here, "tc: fp6, fp4, .sf, 8 bits in columns (A) or rows (B), and warps of 64 x 64 with "          \
                          "TC_PINGPONG need an a or f target of sm_120 or sm_121, without -rdc=true: compile with "   \
                          "-gencode arch=compute_120a,code=sm_120a (plain targets: .bn = 64); for a build that has "  \
                          "other targets too, #define TC_SM120_STUBS before tc.h")
#else
#define TC__SM120_HERE(here)
#endif

/* What a generator is given, as a configuration; hooks: the sentence about them, printed, with this line, when one
 * does not fit (its assertion always holds). */
#define TC__GIVEN(own, kind, hooks, ...)                                                                              \
    TC__LINE_BREAK TC_HD constexpr tc_##kind##_config own##_given(void)                                               \
    {                                                                                                                 \
        tc_##kind##_config tc__given = {};                                                                            \
        TC__LINE_BREAK static_assert(true, "tc: hooks are TC_DEV functions: " hooks);                                 \
        TC__FIELDS(tc__given, __VA_ARGS__) TC__LINE_BREAK                                                             \
        return tc__given;                                                                                             \
    }
/* And as its kernel has it. The declaration is there for a generator of another kind: its type differs. */
#define TC__CONFIG(name, own, kind, config)                                                                           \
    TC__LINE_BREAK typedef tc_##kind##_config name##__is_the_name_of_one_kernel;                                      \
    TC__LINE_BREAK TC_HD constexpr tc_##kind##_config own##_config(void) { return config; }                           \
    TC__LINE_BREAK TC_HD constexpr tc_##kind##_config name##_config(void) { return own##_config(); }

/* A kernel of a generator, bounds (threads of a block, blocks of an SM), then its body; and what its block takes. */
#define TC__KERNEL_OF(name, params, bounds, ...)                                                                      \
    TC__LINE_BREAK TC__KERNEL __launch_bounds__ bounds name(const __grid_constant__ params p) { (void)p; __VA_ARGS__ }
#define TC__SIZES(name, config, threads, smem)                                                                        \
    TC__LINE_BREAK enum { name##_THREADS = threads(config), name##_SMEM = smem(config) };

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host: what a device can run, and the launch.
 */
#if defined(__CUDACC_RTC__) || defined(TC_NO_HOST)
#define TC__HOST_PART(...)
#else
#define TC__HOST_PART(...) __VA_ARGS__
#endif

/* What every generator defines: NAME_can_run, which checks only, and NAME_run, both over go. They are functions like
 * any other, with C's linkage: TC_GEMM_DECLARE and TC_ATTN_DECLARE declare them for other files, C files too. A
 * generator that stands in a header included by several files wants them static instead: define TC_STATIC_ENTRIES. */
#ifdef TC_STATIC_ENTRIES
#define TC__ENTRY TC_HOST
#elif defined(__cplusplus)
#define TC__ENTRY extern "C"
#else
#define TC__ENTRY extern
#endif
#define TC__ENTRIES(name, kind, go)                                                                                   \
    TC__LINE_BREAK TC__ENTRY tc_status name##_can_run(const tc_##kind##_args *args, const char **why)                 \
    {                                                                                                                 \
        const char *note = "";                                                                                        \
        const tc__launch how = {0, 0, 0, 0, 0, 0, &note};                                                             \
        const tc_status st = go(args, &how);                                                                          \
        if (why) *why = st == TC_OK ? note : tc_why();                                                                \
        return st;                                                                                                    \
    }                                                                                                                 \
    TC__LINE_BREAK TC__ENTRY tc_status name##_run(const tc_##kind##_args *args, cudaStream_t stream)                  \
    {                                                                                                                 \
        const tc__launch how = {stream, 1, args && args->pdl > 0, 0, 0, 0, 0};                                        \
        return go(args, &how);                                                                                        \
    }

/* NAME_workspace: what the call would take if there were all that it asks for. */
#define TC__WORKSPACE_ENTRY(name, kind, go)                                                                           \
    TC__LINE_BREAK TC__ENTRY size_t name##_workspace(const tc_##kind##_args *args)                                    \
    {                                                                                                                 \
        size_t bytes = 0;                                                                                             \
        const tc__launch how = {0, 0, 0, &bytes, 0, 0, 0};                                                            \
        tc_##kind##_args g;                                                                                           \
        if (!args) return 0;                                                                                          \
        g = *args;                                                                                                    \
        g.workspace = (void *)256;                                                                                    \
        g.workspace_size = (size_t)1 << 40;                                                                           \
        return go(&g, &how) == TC_OK ? bytes : 0;                                                                     \
    }

/* go is of the kind tc_status f(const tc_kind_config *, const tc__kernels *, const tc_kind_args *, const tc__launch *);
 * then the kernels. */
#define TC__FUNCTION(kernel) {(const void *)kernel, #kernel},
#define TC__GO(own, kind, go, ...)                                                                                    \
    TC__LINE_BREAK TC_HOST tc_status own##_go(const tc_##kind##_args *args, const tc__launch *how)                    \
    {                                                                                                                 \
        const tc__function f[] = {__VA_ARGS__};                                                                       \
        static tc__kernel_cache cache[sizeof f / sizeof f[0]];                                                        \
        const tc__kernels kernels = {f, cache};                                                                       \
        const tc_##kind##_config c = own##_config();                                                                  \
        return go(&c, &kernels, args, how);                                                                           \
    }
/* What the header of a kernel defines, kind attn or gemm, cc 90 or 80: tc_KIND_smCC_prepare, and beside it
 * tc__KIND_smCC_run, which checks, and with how->launch runs. Both are over
 *     tc__KIND_config_check(given)          the rules that can be asked about a configuration with unset fields
 *     tc_KIND_smCC_config(given)            fills them in
 *     rules                                 the kernel's own, as X(condition, "sentence")
 *     tc__KINDCC_check(c, args)             those for a call
 *     tc__KIND_empty(args)                  a checked call that computes nothing
 *     tc__KINDCC_launch(c, args, many, l)   one that does
 * many: what the device has of what runs at a time, by the name that prepare gives it. */
#define TC__PREPARE(kind, cc, many, rules)                                                                            \
    TC_HOST tc_status tc_##kind##_sm##cc##_prepare(const tc_##kind##_config *given, const tc_##kind##_args *args,     \
                                                   int many, tc_##kind##_sm##cc##_launch *out)                        \
    {                                                                                                                 \
        const tc__field *tc__fields = tc__##kind##_fields;                                                            \
        tc_##kind##_config complete;                                                                                  \
        const tc_##kind##_config *c = &complete;                                                                      \
        tc_status st;                                                                                                 \
        if (!given || !out) return tc__fail(TC_ERR_NULL, "%s is null", given ? "out" : "config");                     \
        memset((void *)out, 0, sizeof *out);                                                                          \
        if (many < 1) return tc__fail(TC_ERR_SIZE, #many " = %d must be 1 or more", many);                            \
        st = tc__##kind##_config_check(given);                                                                        \
        if (st != TC_OK) return st;                                                                                   \
        complete = tc_##kind##_sm##cc##_config(*given);                                                               \
        rules(TC__RULE_SAY, *c)                                                                                       \
        st = tc__##kind##cc##_check(c, args);                                                                         \
        return st != TC_OK || tc__##kind##_empty(args) ? st : tc__##kind##cc##_launch(c, args, many, out);            \
    }
#define TC__RUN(kind, cc)                                                                                             \
    TC_HOST tc_status tc__##kind##_sm##cc##_run(const tc_##kind##_config *c, const tc__kernel *k,                     \
                                                const tc_##kind##_args *args, const tc__launch *how)                  \
    {                                                                                                                 \
        tc_##kind##_sm##cc##_launch l;                                                                                \
        tc_status st = tc__##kind##cc##_check(c, args);                                                               \
        int many = 0;                                                                                                 \
        if (st != TC_OK || tc__##kind##_empty(args)) return st;                                                       \
        st = tc__kernel_device(k, &many);                                                                             \
        if (st == TC_OK) st = tc__##kind##cc##_launch(c, args, many, &l);                                             \
        return st != TC_OK || !how->launch ? st : tc__kernel_launch(k, l.grid, &l.params, how);                       \
    }

#define TC__DECLARE(name, arguments)                                                                                  \
    TC__ENTRY tc_status name##_can_run(const arguments *args, const char **why);                                      \
    TC__ENTRY tc_status name##_run(const arguments *args, cudaStream_t stream)

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* A whole number of a configuration, by name: where it stands, and the most that the rules can be asked about without
 * an overflow. */
typedef struct tc__field {
    const char *name;
    size_t at;
    int most;
} tc__field;

TC_HOST int tc__field_of(const tc__field *f, const void *config)
{
    int value;
    memcpy(&value, (const char *)config + f->at, sizeof value);
    return value;
}

/* A rule that a configuration breaks, in words: the sentence without its "tc: ", and the values of the fields that it
 * names. */
TC_HOST tc_status tc__config_breaks(const char *sentence, const tc__field *fields, const void *config)
{
    char values[96] = "";
    for (; fields->name; fields++) {
        const size_t used = strlen(values), n = strlen(fields->name);
        const char *p = sentence;
        while ((p = strchr(p, '.')) != NULL
               && (strncmp(p + 1, fields->name, n) != 0 || p[n + 1] == '_' || (p[n + 1] >= 'a' && p[n + 1] <= 'z')))
            p++;
        if (p)
            snprintf(values + used, sizeof values - used, "%s.%s = %d", used ? ", " : "", fields->name,
                     tc__field_of(fields, config));
    }
    return tc__fail(TC_ERR_CONFIG, "%s%s%s%s", sentence + 4, *values ? " (" : "", values, *values ? ")" : "");
}

TC_HOST tc_status tc__config_range(const tc__field *fields, const void *config)
{
    for (; fields->name; fields++) {
        const int value = tc__field_of(fields, config);
        if (fields->most && (value < 0 || value > fields->most))
            return tc__fail(TC_ERR_CONFIG, ".%s = %d must be in 0..%d", fields->name, value, fields->most);
    }
    return TC_OK;
}

#define TC__MAX_DEVICES 64

/* What a kernel's first call on a device found out: 0 for nothing yet, else 1 + the clusters that run at a time. Any
 * thread may write it (TC__STORE_RELAXED), and all write the same. */
typedef struct tc__kernel_cache {
    int clusters[TC__MAX_DEVICES];
    int target[TC__MAX_DEVICES]; /* the target that the code was compiled for, as 107; asked on 10.7 alone */
    int64_t sizes[TC__MAX_DEVICES]; /* of a kernel that takes clusters of several sizes: which */
} tc__kernel_cache;

/* The kernels of a generator. */
typedef struct tc__function {
    const void *function;
    const char *name;
} tc__function;

typedef struct tc__kernels {
    const tc__function *f;
    tc__kernel_cache *cache; /* one for each */
} tc__kernels;

/* One kernel as the host sees it. */
typedef struct tc__kernel {
    const void *function;
    const char *name;
    int threads, smem, cluster;
    int cc; /* 90 for exactly 9.0, 100 for 10.x and 11.x, 120 for 12.x, 80 and 89 for what is later too */
    tc__kernel_cache *cache;
} tc__kernel;

/* A launch that is kept, with the kernel's parameters beside it. */
typedef struct tc__plan {
    const void *of;    /* whose it is; NULL: nobody's */
    tc__kernel kernel; /* and where: */
    int device;
    unsigned blocks; /* 0: there is nothing to compute */
    int pdl;
    short turned, padded; /* A is the instruction's B; 1: A lies at a multiple of 32 bytes, not 16, 2: B does; 4: there
                           * is a B2 (.gate) */
    size_t bytes;    /* of the parameters */
    void *params;    /* while it is made: where they go */
    uint32_t again;  /* not 0: the word of them that says that the kernel is launched a second time, to end its work */
    int told;        /* bytes behind the hook's arguments that it is told of sums */
} tc__plan;

/* Programmatic dependent launch, 0: none. ON: of kernels for sm_90 and later; IMAGE: also of one for sm_80 on, whose
 * image on this device is of sm_90. */
enum { TC__PDL_ON = 1, TC__PDL_IMAGE = 2 };

/* Where a checked call goes: whether to launch at all, and how. */
typedef struct tc__launch {
    cudaStream_t stream;
    int launch, pdl;   /* pdl: programmatic dependent launch, TC__PDL_ */
    size_t *workspace; /* to be told, if not NULL, what the call would take */
    tc__plan *plan;    /* to be written, if not NULL, and nothing is launched */
    int device;        /* 1 + the current device, where the caller has asked for it; else 0 */
    const char **note; /* to be told, if not NULL, what a caller should know of a call that is in order */
} tc__launch;

TC_HOST tc_status tc__cuda_fail(const char *call, cudaError_t err)
{
    (void)cudaGetLastError(); /* ours to report, not the next call's to find */
    return tc__fail(TC_ERR_CUDA, "%s: %s", call, cudaGetErrorString(err));
}

/* The current device: which, its compute capability (90 for 9.0), its multiprocessors. The first call on a device asks
 * for them, further ones for nothing but which it is. */
typedef struct tc__device {
    int at, cc, sms;
    int bandwidth; /* of its memory, GB/s; 0: the driver does not say */
} tc__device;
enum { TC__H200_BANDWIDTH = 4917 }; /* of the board that models of time were fitted on, as its driver says */

TC_HOST cudaError_t tc__device_now(tc__device *d)
{
    /* bandwidth << 18 | sms << 8 | cc; any thread may write it, and all write the same */
    static int known[TC__MAX_DEVICES];
    int major = 0, minor = 0, sms = 0, khz = 0, bits = 0, found = 0;
    cudaError_t err = cudaGetDevice(&d->at);
    if (err != cudaSuccess) return err;
    if (d->at < TC__MAX_DEVICES) found = TC__LOAD_RELAXED(&known[d->at]);
    if (!found) {
        if ((err = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, d->at)) != cudaSuccess ||
            (err = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, d->at)) != cudaSuccess ||
            (err = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, d->at)) != cudaSuccess ||
            (err = cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, d->at)) != cudaSuccess ||
            (err = cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, d->at)) != cudaSuccess)
            return err;
        found = (int)(2e-6 * khz * bits / 8) & 0x1fff; /* two bits a clock and wire */
        found = found << 18 | (sms & 1023) << 8 | (major * 10 + minor);
        if (d->at < TC__MAX_DEVICES) TC__STORE_RELAXED(&known[d->at], found);
    }
    d->cc = found & 255;
    d->sms = found >> 8 & 1023;
    d->bandwidth = found >> 18;
    return cudaSuccess;
}

TC_HOST cudaLaunchConfig_t tc__kernel_launch_config(const tc__kernel *k, unsigned blocks, const tc__launch *how,
                                                    cudaLaunchAttribute *attributes)
{
    cudaLaunchConfig_t l;
    memset((void *)&l, 0, sizeof l);
    l.gridDim.x = blocks;
    l.gridDim.y = l.gridDim.z = 1;
    l.blockDim.x = (unsigned)k->threads;
    l.blockDim.y = l.blockDim.z = 1;
    l.dynamicSmemBytes = (size_t)k->smem;
    l.stream = how->stream;
    l.attrs = attributes;
    if (k->cluster > 1) {
        attributes[l.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[l.numAttrs].val.clusterDim.x = (unsigned)k->cluster;
        attributes[l.numAttrs].val.clusterDim.y = attributes[l.numAttrs].val.clusterDim.z = 1;
        l.numAttrs++;
    }
    if (how->pdl == TC__PDL_IMAGE || (how->pdl && k->cc >= 90)) {
        attributes[l.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[l.numAttrs].val.programmaticStreamSerializationAllowed = 1;
        l.numAttrs++;
    }
    return l;
}

/* How many clusters of `size` blocks the current device runs at a time, 0: none of that size. */
TC_HOST int tc__clusters_at_once(const tc__kernel *k, int size)
{
    const tc__launch plain = {0, 0, 0, 0, 0, 0, 0};
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t launch;
    tc__kernel sized = *k;
    int count = 0;
    sized.cluster = size;
    launch = tc__kernel_launch_config(&sized, (unsigned)size, &plain, attributes);
    if ((size > 8
         && cudaFuncSetAttribute(k->function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess)
        || cudaOccupancyMaxActiveClusters(&count, k->function, &launch) != cudaSuccess) {
        (void)cudaGetLastError(); /* an answer, and no error of the caller's */
        return 0;
    }
    return count < 0 ? 0 : count < 0x7fff ? count : 0x7fff;
}

/* Allows a kernel k->smem bytes of shared memory. More than 227 KB: cudaFuncAttributeSharedMemoryMode to
 * cudaSharedMemoryModeAllowOversizedSharedMemory, which CUDA has from 13.4 on; 16 KB less of L1 are its price. */
TC_HOST cudaError_t tc__kernel_smem(const void *function, int smem)
{
    return smem > TC__SM90_SMEM_MAX
               ? cudaFuncSetAttribute(function, (enum cudaFuncAttribute)16, 3)
               : cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
}

/* The most that a block of the device may have: cudaDevAttrOversizedSharedMemoryPerBlock where there is such. */
TC_HOST cudaError_t tc__device_smem(int *smem, int device)
{
    int cc[2] = {0, 0}, most = 0;
    cudaError_t err = cudaDeviceGetAttribute(smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (err == cudaSuccess) err = cudaDeviceGetAttribute(&cc[0], cudaDevAttrComputeCapabilityMajor, device);
    if (err == cudaSuccess) err = cudaDeviceGetAttribute(&cc[1], cudaDevAttrComputeCapabilityMinor, device);
    if (err != cudaSuccess || cc[0] != 10 || cc[1] != 7) return err;
    if (cudaDeviceGetAttribute(&most, (enum cudaDeviceAttr)150, device) != cudaSuccess) (void)cudaGetLastError();
    if (most > *smem) *smem = most;
    return cudaSuccess;
}

/* The target that the kernel's code for the current device was compiled for, as 100 or 107: it may be that of a family.
 * cc: of the device. */
TC_HOST int tc__kernel_target(const void *function, tc__kernel_cache *cache, int device, int cc)
{
    struct cudaFuncAttributes attr;
    int target = 0;
    if (cc != 107) return cc;
    if (device < TC__MAX_DEVICES) target = TC__LOAD_RELAXED(&cache->target[device]);
    if (target) return target;
    if (cudaFuncGetAttributes(&attr, function) != cudaSuccess) {
        (void)cudaGetLastError();
        return cc;
    }
    target = attr.ptxVersion;
    if (device < TC__MAX_DEVICES) TC__STORE_RELAXED(&cache->target[device], target);
    return target;
}

/* May the current device, which is `device`, run the kernel, and how many of its clusters at a time? The answer is kept
 * after the first call. */
TC_HOST tc_status tc__kernel_on(const tc__kernel *k, int device, int *clusters)
{
    const tc__launch plain = {0, 0, 0, 0, 0, 0, 0};
    struct cudaFuncAttributes attr;
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t launch;
    cudaError_t err;
    int major = 0, minor = 0, smem = 0, count = 0;
    if (device < TC__MAX_DEVICES && TC__LOAD_RELAXED(&k->cache->clusters[device])) {
        *clusters = TC__LOAD_RELAXED(&k->cache->clusters[device]) - 1;
        return TC_OK;
    }
    if ((err = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) != cudaSuccess ||
        (err = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)) != cudaSuccess ||
        (err = tc__device_smem(&smem, device)) != cudaSuccess ||
        (err = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess)
        return tc__cuda_fail("cudaDeviceGetAttribute", err);
    if (major * 10 + minor < k->cc || (k->cc == 90 && (major != 9 || minor)) || (k->cc == 100 && major > 11)
        || (k->cc == 120 && major > 12))
        return tc__fail(TC_ERR_DEVICE, "%s needs compute capability %s, device %d has %d.%d", k->name,
                        k->cc == 120   ? "12.x"
                        : k->cc == 100 ? "10.x or 11.x"
                        : k->cc == 90  ? "9.0"
                        : k->cc == 89  ? "8.9 or later"
                        : k->cc == 75  ? "7.5 or later"
                                       : "8.0 or later",
                        device, major, minor);
    if (k->smem > smem)
        return tc__fail(TC_ERR_SMEM, "%s needs %d bytes of shared memory, device %d gives a block %d", k->name, k->smem,
                        device, smem);
    err = cudaFuncGetAttributes(&attr, k->function);
    /* A build without this target holds a stub, which is bounded to one warp. */
    if (err != cudaSuccess || attr.maxThreadsPerBlock < k->threads) {
        (void)cudaGetLastError();
        return tc__fail(TC_ERR_IMAGE,
                        "%s was not compiled for device %d (%d.%d): add -gencode arch=compute_%d%s,code=sm_%d%s",
                        k->name, device, major, minor, major * 10 + minor, k->cc >= 90 ? "a" : "", major * 10 + minor,
                        k->cc >= 90 ? "a" : "");
    }
    if ((err = tc__kernel_smem(k->function, k->smem)) != cudaSuccess)
        return tc__cuda_fail("cudaFuncSetAttribute", err);
    if (k->cluster > 8 && (err = cudaFuncSetAttribute(k->function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1))
                              != cudaSuccess)
        return tc__cuda_fail("cudaFuncSetAttribute", err);
    if (k->cluster > 1) {
        launch = tc__kernel_launch_config(k, (unsigned)k->cluster, &plain, attributes);
        err = cudaOccupancyMaxActiveClusters(&count, k->function, &launch);
        if (err != cudaSuccess || count < 1) {
            (void)cudaGetLastError();
            return tc__fail(TC_ERR_CLUSTER,
                            "%s: no cluster of %d blocks with %d bytes of shared memory each fits on device %d",
                            k->name, k->cluster, k->smem, device);
        }
    }
    *clusters = count;
    if (device < TC__MAX_DEVICES) TC__STORE_RELAXED(&k->cache->clusters[device], count + 1);
    return TC_OK;
}

TC_HOST tc_status tc__kernel_device(const tc__kernel *k, int *clusters)
{
    int device;
    const cudaError_t err = cudaGetDevice(&device);
    return err == cudaSuccess ? tc__kernel_on(k, device, clusters) : tc__cuda_fail("cudaGetDevice", err);
}

/* Launches, or keeps the launch in a plan. */
TC_HOST tc_status tc__kernel_launch(const tc__kernel *k, unsigned blocks, const void *params, const tc__launch *how)
{
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t launch;
    void *arguments[1];
    cudaError_t err;
    int device, unused;
    if (how->plan) {
        how->plan->kernel = *k;
        how->plan->blocks = blocks;
        memcpy(how->plan->params, params, how->plan->bytes);
        return TC_OK;
    }
    launch = tc__kernel_launch_config(k, blocks, how, attributes);
    arguments[0] = (void *)(uintptr_t)params;
    err = cudaLaunchKernelExC(&launch, k->function, arguments);
    if (err == cudaErrorInvalidValue && cudaGetDevice(&device) == cudaSuccess && device < TC__MAX_DEVICES) {
        /* another context, or the device was reset: what was set for the kernel is gone, so set it again */
        (void)cudaGetLastError();
        TC__STORE_RELAXED(&k->cache->clusters[device], 0);
        if (tc__kernel_device(k, &unused) == TC_OK) err = cudaLaunchKernelExC(&launch, k->function, arguments);
    }
    return err == cudaSuccess ? TC_OK : tc__cuda_fail(k->name, err);
}

/* Launches what a plan keeps. */
TC_HOST tc_status tc__plan_launch(const tc__plan *plan, const void *params, cudaStream_t stream)
{
    tc__launch how = {0, 1, 0, 0, 0, 0, 0};
    cudaError_t err;
    int device;
    if (!plan->blocks) return TC_OK;
    if ((err = cudaGetDevice(&device)) != cudaSuccess) return tc__cuda_fail("cudaGetDevice", err);
    if (device != plan->device)
        return tc__fail(TC_ERR_DEVICE, "%s: the plan was made for device %d, but the current device is %d",
                        plan->kernel.name, plan->device, device);
    how.stream = stream, how.pdl = plan->pdl;
    return tc__kernel_launch(&plan->kernel, plan->blocks, params, &how);
}

/* A hook's arguments, prefix_args and prefix_size; defined: the size that the kernel was defined with, 0 without a
 * hook, or TC_NO_ARGS. */
TC_HOST tc_status tc__check_hook(const char *prefix, int defined, const void *args, size_t size)
{
    const size_t want = defined > 0 ? (size_t)defined : 0;
    if (size > TC_EPI_MAX)
        return tc__fail(TC_ERR_EPI, "%s_size = %llu is above TC_EPI_MAX = %d bytes", prefix, (unsigned long long)size,
                        TC_EPI_MAX);
    if (defined == 0 && (size || args))
        return tc__fail(TC_ERR_EPI, "%s_args and %s_size are given, but the kernel was defined without a hook", prefix,
                        prefix);
    if (size != want)
        return tc__fail(TC_ERR_EPI, "%s_size = %llu, but the kernel was defined with .%s_size = %d", prefix,
                        (unsigned long long)size, prefix, defined);
    if (want && !args)
        return tc__fail(TC_ERR_EPI, "%s_args is null, but %s_size = %llu", prefix, prefix, (unsigned long long)size);
    if (args && !want) return tc__fail(TC_ERR_EPI, "%s_args is given, but the kernel's hook takes none", prefix);
    return TC_OK;
}

/* A tensor map; where it breaks a rule the sentence begins with the operand's name. */
TC_HOST tc_status tc__tmap_named(tc_tmap *map, const char *name, const tc_tmap_desc *d)
{
    const tc_status st = tc_tmap_encode(map, d);
    char why[TC_WHY_SIZE];
    if (st == TC_OK) return st;
    memcpy(why, tc_why(), sizeof why);
    return tc__fail(st, "%s: %.200s", name, why);
}

/* Is the current device one of compute capability 9.0, which alone runs the sm_90a kernels? */
TC_HOST int tc__on_hopper(void)
{
    tc__device d;
    return tc__device_now(&d) == cudaSuccess && d.cc == 90;
}

#endif /* host */
#endif /* TC_HOST_H */
