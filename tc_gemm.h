/* tc_gemm.h - tc 0.2.0 - generated GEMM kernels with your epilogue. Needs: the headers below; sm_80 to sm_120, best on
 * sm_90a.
 *
 *     D = epi(alpha * A * B + beta * C)       A: m x k row-major; B: k x n column-major (that is n rows of k); C, D: m
 *                                             x n row-major
 *
 *     #include "tc.h"
 *     typedef struct { const float *bias; } my_args;
 *     TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
 *     {
 *         return tc_relu(x + ((const my_args *)args)->bias[at.col]);
 *     }
 *     TC_GEMM_DEFINE(gemm_bias_relu, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_relu, .epi_size =
 *     sizeof(my_args)) ...
 *     my_args mine = { bias };
 *     tc_gemm_args args = { .m = m, .n = n, .k = k, .a = A, .lda = k, .b = B, .ldb = k, .d = D, .ldd = n,
 *                           .epi_args = &mine, .epi_size = sizeof mine };
 *     tc_status st = gemm_bias_relu_run(&args, stream);
 *
 * GENERATORS (NAME, then fields of tc_gemm_config, in any order)
 *     TC_GEMM_DEFINE        one call for every device: Hopper kernels in four tiles and an sm_80 kernel; picks at run
 *                           time
 *     TC_GEMM_SM90_DEFINE   TMA, wgmma, warp-specialised, persistent; sm_90a. Tile, stages, cluster, schedule are
 *                           fields.
 *     TC_GEMM_SM80_DEFINE   cp.async, ldmatrix, mma.sync; sm_80 and every later target; any alignment
 *   Each declares:
 *     NAME                            the kernel (for TC_GEMM_DEFINE NAME_large, _wide, _flat, _small, _sm80)
 *     NAME_any                        TC_GEMM_SM80_DEFINE (TC_GEMM_DEFINE: NAME_sm80_any): its twin for rows of any
 *                                     alignment
 *     NAME_THREADS, NAME_SMEM         its block size and dynamic shared memory in bytes (not for TC_GEMM_DEFINE)
 *     tc_status NAME_can_run(const tc_gemm_args *args, const char **why)    checks only; *why (may be NULL) gets the
 *                                                                           sentence
 *     tc_status NAME_run(const tc_gemm_args *args, cudaStream_t stream)     checks, then launches
 *
 * OTHER FILES. TC_GEMM_DECLARE(NAME); declares NAME_can_run and NAME_run, which have C's linkage, in another file, a C
 * file too. A generator in a header that several files include: define TC_STATIC_ENTRIES, and each has its own.
 *
 * LAUNCH BY YOURSELF (kernels from NVRTC; C or C++, docs/guide.md)
 *     tc_gemm_sm90_prepare(config, args, clusters, &launch)    checks both; tc_gemm_sm90_launch: grid, block, smem,
 *                                                              cluster, params
 *     tc_gemm_sm80_prepare(config, args, blocks, &launch)      the same; .any: launch NAME_any
 *     tc_epi_on_device, tc_epi2_on_device                      what .epi or .epi2 of that config is for a kernel with a
 *                                                              hook
 *
 * TC_SM80_ON_HOPPER: a build without sm_90a code runs the sm_80 kernel of TC_GEMM_DEFINE on Hopper, at half the rate,
 * rather than refuse.
 *
 * NAME_run is asynchronous, allocates nothing, synchronises nothing, may be captured in a graph and called from any
 * thread. On error nothing is launched, D is untouched, and tc_why() names the argument, its value and the rule.
 *
 * HOOKS (plain TC_DEV functions; copy and change them). x is alpha * (A*B) + beta * C in f32; at is its place: .row,
 * .col of D, .batch.
 *     .epi  = float    f(float x, tc_gemm_at at, const void *args)
 *     .epi2 = tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args)    at.col is even, x.y belongs to at.col + 1; n
 *                                                                        must be even
 *     Shipped: tc_epi_bias_col _bias_row _relu _gelu _gelu_tanh _silu _scale_row _scale_col _residual_{f32,f16,bf16},
 *     and as pairs tc_epi2_bias_col _bias_gelu_tanh _residual_{f16,bf16}; activations tc_relu tc_gelu tc_gelu_tanh
 *     tc_silu. args points to a copy of *epi_args made at the call (at most TC_EPI_MAX bytes), which lies in constant
 *     memory.
 *
 * PARTS for your own kernels (tier 2)
 *     tc_operand.h    blocks of A and B in shared memory, their loaders and tensor maps
 *     tc_pipe.h       rings of slots, roles and registers of warpgroups
 *     tc_work.h       which tile comes when
 *     tc_epi.h        activations, shipped hooks, fragments to memory
 *
 * RULES of TC_GEMM_SM90_DEFINE for the data (the sm_80 kernel has none): A, B, D, and C if beta is not 0: base a
 * multiple of 16 bytes, pitch and batch stride a multiple of 16 bytes (8 elements of 16 bits).
 *
 * Accumulation is in f32, in the order of k (with .cluster_k: the sums of its runs of k, added in their order). Two
 * calls with the same arguments on the same device give the same bits.
 */
#ifndef TC_GEMM_H
#define TC_GEMM_H

#include "tc_gemm_config.h"
#include "tc_gemm_sm80.h"
#include "tc_gemm_sm90.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: its Hopper tiles, in one list. X(name, own, tile, bm, bn, cluster_m, schedule, cost): cost is what a
 * unit of area was measured to take in that tile; larger tiles move fewer bytes per product (bench/results/tune.txt).
 */
#define TC__GEMM_TILES(X, name, own)                                                                                  \
    X(name, own, large, 128, 192, 2, TC_PINGPONG, 1.0)                                                                \
    X(name, own, wide, 128, 128, 1, TC_PINGPONG, 1.0)                                                                 \
    X(name, own, flat, 64, 192, 2, TC_PINGPONG, 1.1)                                                                  \
    X(name, own, small, 64, 128, 2, TC_COOPERATIVE, 1.2)

#define TC__GEMM_COUNT_TILE(name, own, tile, bm, bn, cluster_m, schedule, cost) +1
enum { TC__GEMM_TILE_COUNT = 0 TC__GEMM_TILES(TC__GEMM_COUNT_TILE, unused, unused) };

TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_tile(const tc_gemm_config given, int bm, int bn, int cluster_m)
{
    tc_gemm_config c = given; /* its .schedule has been set */
    c.bm = bm;
    c.bn = bn;
    c.cluster_m = cluster_m;
    return tc_gemm_sm90_config(c);
}

TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_scheduled(const tc_gemm_config given, int schedule)
{
    tc_gemm_config c = given;
    c.schedule = schedule;
    return c;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Host: the choice.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* A tile of the list: the configuration that it makes of the user's, and its cost. */
typedef struct tc__gemm_variant {
    int bm, bn, cluster_m, schedule;
    double cost;
} tc__gemm_variant;

#define TC__GEMM_VARIANT(name, own, tile, bm, bn, cluster_m, schedule, cost) {bm, bn, cluster_m, schedule, cost},
static const tc__gemm_variant tc__gemm_variants[TC__GEMM_TILE_COUNT] TC_UNUSED = {
    TC__GEMM_TILES(TC__GEMM_VARIANT, unused, unused)};

/* Which of the tiles a call takes, or -1 for the sm_80 kernel: the one whose busiest SM computes the least area,
 * weighted by its cost. */
TC_HOST int tc__gemm_pick(const tc_gemm_config *c, const tc_gemm_args *g)
{
    int device, sms = 0, i, best = -1;
    double best_time = 0;
    if (!g || g->m <= 0 || g->n <= 0) return -1; /* the sm_80 kernel says what is wrong with it */
    for (i = 0; i < 4; i++)
        if (!tc__gemm_fits(c, g, "abcd"[i])) return -1;
    if (!tc__on_hopper() || cudaGetDevice(&device) != cudaSuccess
        || cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess || sms < 2)
        return -1;
    for (i = 0; i < TC__GEMM_TILE_COUNT; i++) {
        const tc__gemm_variant *v = &tc__gemm_variants[i];
        const int64_t rows = v->bm * v->cluster_m, m_tiles = ((int64_t)g->m + rows - 1) / rows * v->cluster_m;
        const int64_t total = m_tiles * (((int64_t)g->n + v->bn - 1) / v->bn) * tc__gemm_batch(g),
                      per_sm = (total + sms - 1) / sms;
        const double time = (double)per_sm * v->bm * v->bn * v->cost;
        if (best < 0 || time < best_time) best = i, best_time = time;
    }
    return best;
}

/* A kernel as the host sees it. */
TC_HOST tc__kernel tc__gemm_sm90_kernel(const tc_gemm_config *c, tc__function f, tc__kernel_cache *cache)
{
    const int cluster = c->step ? 1 : c->cluster_m * c->cluster_n * c->cluster_k; /* .step: as the call picks */
    const tc__kernel k = {f.function, f.name, tc_gemm_sm90_threads(*c), tc_gemm_sm90_smem(*c), cluster, 90, cache};
    return k;
}

TC_HOST tc__kernel tc__gemm_sm80_kernel(const tc_gemm_config *c, tc__function f, tc__kernel_cache *cache)
{
    const tc__kernel k = {f.function, f.name, tc_gemm_sm80_threads(*c), tc_gemm_sm80_smem(*c), 1, 80, cache};
    return k;
}

/* What a generator's functions for the host do with its kernels: one; NAME and NAME_any; the tiles of the list, then
 * those two. A build without sm_90a code refuses on Hopper (TC_ERR_IMAGE, with the -gencode line to add) rather than
 * run at half the rate without a word, unless TC_SM80_ON_HOPPER is defined. */
TC_HOST tc_status tc__gemm_sm90_go(const tc_gemm_config *c, const tc__kernels *s, const tc_gemm_args *args,
                                   const tc__launch *how)
{
    const tc__kernel k = tc__gemm_sm90_kernel(c, s->f[0], &s->cache[0]);
    return tc__gemm_sm90_run(c, &k, args, how);
}

TC_HOST tc_status tc__gemm_sm80_go(const tc_gemm_config *c, const tc__kernels *s, const tc_gemm_args *args,
                                   const tc__launch *how)
{
    tc__kernel k[2];
    k[0] = tc__gemm_sm80_kernel(c, s->f[0], &s->cache[0]);
    k[1] = tc__gemm_sm80_kernel(c, s->f[1], &s->cache[1]);
    return tc__gemm_sm80_run(c, k, args, how);
}

TC_HOST tc_status tc__gemm_auto_go(const tc_gemm_config *given, const tc__kernels *s, const tc_gemm_args *args,
                                   const tc__launch *how)
{
    const int pick = tc__gemm_pick(given, args);
    const tc_gemm_config c80 = tc_gemm_sm80_config(*given);
    const tc__kernels slow = {s->f + TC__GEMM_TILE_COUNT, s->cache + TC__GEMM_TILE_COUNT};
    tc_status st = TC_ERR_IMAGE;
    if (pick >= 0) {
        const tc__gemm_variant *v = &tc__gemm_variants[pick];
        const tc_gemm_config c = tc__gemm_tile(tc__gemm_scheduled(*given, v->schedule), v->bm, v->bn, v->cluster_m);
        const tc__kernels picked = {s->f + pick, s->cache + pick};
        st = tc__gemm_sm90_go(&c, &picked, args, how);
    }
#ifdef TC_SM80_ON_HOPPER
    if (st == TC_ERR_IMAGE) st = tc__gemm_sm80_go(&c80, &slow, args, how);
#else
    if (pick < 0) st = tc__gemm_sm80_go(&c80, &slow, args, how);
#endif
    return st;
}

/* For other files, C files too: declares NAME_can_run and NAME_run of a generator that stands in one .cu file. */
#define TC_GEMM_DECLARE(name) TC__DECLARE(name, tc_gemm_args)

#endif /* host */

/* =====================================================================================================================
 * Generators. Each is thin: it makes the configuration a constant, checks it in words, and names the functions.
 */
#ifdef __CUDACC__

/* A configuration that has both hooks. */
TC_DEV TC_CONSTEXPR tc_gemm_config tc__gemm_hooks(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.epi = c.epi ? c.epi : tc_epi_relu;
    c.epi2 = c.epi2 ? c.epi2 : tc_epi2_bias_col;
    return c;
}

/* own: the prefix of what a generator keeps to itself, with the line in it, so that two generators of one name are an
 * error about what they give to the user and no more. The declaration is there for a generator of another kind: its
 * type differs. The first assertion always holds: it is there to be printed, with this line, when a hook does not fit.
 * */
#define TC__GEMM_CONFIG(name, own, complete, ...)                                                                     \
    TC__LINE_BREAK typedef tc_gemm_config name##__is_the_name_of_one_kernel;                                          \
    TC__LINE_BREAK TC_HD constexpr tc_gemm_config own##_config(void)                                                  \
    {                                                                                                                 \
        tc_gemm_config tc__given = {};                                                                                \
        TC__LINE_BREAK static_assert(true, "tc: hooks are TC_DEV functions: "                                         \
                                           ".epi = float f(float x, tc_gemm_at at, const void *args), "               \
                                           ".epi2 = tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args)");        \
        TC__FIELDS(tc__given, __VA_ARGS__) TC__LINE_BREAK                                                             \
        return complete(tc__gemm_shipped(tc__given));                                                                 \
    }                                                                                                                 \
    TC__LINE_BREAK TC_HD constexpr tc_gemm_config name##_config(void) { return own##_config(); }                      \
    TC__LINE_BREAK TC_DEV void own##_a_hook_is_a_TC_DEV_function(void)                                                \
    {                                                                                                                 \
        (void)tc__gemm_hooks(own##_config()).epi(0.f, tc_gemm_at{}, 0);                                               \
        (void)tc__gemm_hooks(own##_config()).epi2(tc_f32x2{0.f, 0.f}, tc_gemm_at{}, 0);                               \
    }

/* Never runs. A direct call of the hook makes nvcc name that function, and with it the rule, when the hook is a host
 * function. */
#define TC__GEMM_HOOK(own) if (false) own##_a_hook_is_a_TC_DEV_function();

/* Only one block of this size fits an SM: the bound of 1 lets setmaxnreg work and gives the compiler the registers. */
#define TC__GEMM_SM90_KERNEL(kernel, config, ...)                                                                     \
    TC__LINE_BREAK TC__KERNEL __launch_bounds__(TC__SM90_BOUND(tc_gemm_sm90_threads(config)), 1)                      \
        kernel(const __grid_constant__ tc_gemm_sm90_params p)                                                         \
    {                                                                                                                 \
        __VA_ARGS__                                                                                                   \
    }

#define TC__GEMM_SM90_BODY(own, config)                                                                               \
    TC__GEMM_HOOK(own)                                                                                                \
    constexpr tc_gemm90 k = tc_gemm90_of(config);                                                                     \
    tc_gemm_sm90(k, &p);

#define TC__GEMM_SM80_KERNEL(kernel, bound, config, ...)                                                              \
    TC__LINE_BREAK TC__KERNEL __launch_bounds__(bound(tc_gemm_sm80_threads(config)), 1)                               \
        kernel(const __grid_constant__ tc_gemm_sm80_params p)                                                         \
    {                                                                                                                 \
        __VA_ARGS__                                                                                                   \
    }

#define TC__GEMM_SM80_BODY(own, config, aligned)                                                                      \
    TC__GEMM_HOOK(own)                                                                                                \
    constexpr tc_gemm_config c = config;                                                                              \
    tc_gemm_sm80(c, aligned, &p);

#define TC__GEMM_SIZES(name, config, threads, smem)                                                                   \
    TC__LINE_BREAK enum { name##_THREADS = threads(config), name##_SMEM = smem(config) };

/* See the top of this file. */
#define TC_GEMM_SM90_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM90_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM90_DEFINE_(name, own, ...)                                                                         \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm90_config, __VA_ARGS__)                                                      \
    TC__GEMM_SM90_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_SIZES(name, own##_config(), tc_gemm_sm90_threads, tc_gemm_sm90_smem)                                     \
    TC__GEMM_SM90_KERNEL(name, own##_config(), TC__SM90_STRICT(TC__GEMM_SM90_BODY(own, own##_config())))              \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_sm90_go, TC__FUNCTION(name)) TC__ENTRIES(name, gemm, own##_go))

#define TC_GEMM_SM80_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM80_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM80_DEFINE_(name, own, ...)                                                                         \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm80_config, __VA_ARGS__)                                                      \
    TC__GEMM_SM80_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_SIZES(name, own##_config(), tc_gemm_sm80_threads, tc_gemm_sm80_smem)                                     \
    TC__GEMM_SM80_KERNEL(name, TC__SM80_BOUND, own##_config(), TC__GEMM_SM80_BODY(own, own##_config(), 1))            \
    TC__GEMM_SM80_KERNEL(name##_any, TC__SM80_BOUND, own##_config(), TC__GEMM_SM80_BODY(own, own##_config(), 0))      \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_sm80_go, TC__FUNCTION(name) TC__FUNCTION(name##_any))                    \
                  TC__ENTRIES(name, gemm, own##_go))

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: types and hooks come from the user, everything else from here.
 */
#define TC__GEMM_AUTO_RULES(X, c)                                                                                     \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X(!(c).bm && !(c).bn && !(c).bk && !(c).stages && !(c).warps_m && !(c).warps_n && !(c).cluster_m && !(c).cluster_n\
      && !(c).cluster_k && !(c).consumers && !(c).schedule && !(c).epi_stages && !(c).raster && !(c).raster_group,    \
      "tc: TC_GEMM_DEFINE picks tiles and schedules itself; to choose them use TC_GEMM_SM90_DEFINE or "               \
      "TC_GEMM_SM80_DEFINE")                                                                                          \
    TC__GEMM_RULES(X, c)

/* On Hopper it takes its sm_80 kernel for rows that TMA refuses, so that the one for aligned rows need not be compiled
 * there; tc__gemm_sm80_run falls back to the one for any. */
#if TC_HAS_SM80 && (!TC_HAS_SM90A || !defined(__CUDA_ARCH__))
#define TC__FAST_SM80_BOUND(threads) threads
#define TC__IF_FAST_SM80(...) __VA_ARGS__
#else
#define TC__FAST_SM80_BOUND(threads) 32
#define TC__IF_FAST_SM80(...)
#endif

/* Types and hooks only. */
TC_HD constexpr tc_gemm_config tc__gemm_as_given(const tc_gemm_config c) { return c; }

#define TC_GEMM_DEFINE(name, ...) TC__CALL4(TC__GEMM_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_DEFINE_(name, own, ...)                                                                              \
    TC__GEMM_CONFIG(name, own, tc__gemm_as_given, __VA_ARGS__)                                                        \
    TC__GEMM_AUTO_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_TILES(TC__GEMM_AUTO_SM90, name, own)                                                                     \
    TC__GEMM_SM80_KERNEL(name##_sm80, TC__FAST_SM80_BOUND, tc_gemm_sm80_config(own##_config()),                       \
                         TC__IF_FAST_SM80(TC__GEMM_SM80_BODY(own, tc_gemm_sm80_config(own##_config()), 1)))           \
    TC__GEMM_SM80_KERNEL(name##_sm80_any, TC__SM80_BOUND, tc_gemm_sm80_config(own##_config()),                        \
                         TC__IF_SM80(TC__GEMM_SM80_BODY(own, tc_gemm_sm80_config(own##_config()), 0)))                \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_auto_go, TC__GEMM_TILES(TC__GEMM_AUTO_FUNCTION, name, own)               \
                         TC__FUNCTION(name##_sm80) TC__FUNCTION(name##_sm80_any))                                     \
                  TC__ENTRIES(name, gemm, own##_go))

#define TC__GEMM_AUTO_CONFIG(own, bm, bn, cluster_m, schedule)                                                        \
    tc__gemm_tile(tc__gemm_scheduled(own##_config(), schedule), bm, bn, cluster_m)

#define TC__GEMM_AUTO_SM90(name, own, tile, bm, bn, cluster_m, schedule, cost)                                        \
    TC__GEMM_SM90_KERNEL(name##_##tile, TC__GEMM_AUTO_CONFIG(own, bm, bn, cluster_m, schedule),                       \
                         TC__IF_SM90A(TC__GEMM_SM90_BODY(own, TC__GEMM_AUTO_CONFIG(own, bm, bn, cluster_m, schedule))))
#define TC__GEMM_AUTO_FUNCTION(name, own, tile, bm, bn, cluster_m, schedule, cost) TC__FUNCTION(name##_##tile)

#endif /* __CUDACC__ */
#endif /* TC_GEMM_H */
