/* tc_gemm.h - tc 0.2.0 - generated GEMM kernels with your epilogue. Needs: the headers below; sm_80 to sm_120, best on sm_90a.
 *
 *     D = epi(alpha * A * B + beta * C)       A: m x k row-major; B: k x n column-major (that is n rows of k); C, D: m x n row-major
 *
 *     #include "tc.h"
 *     typedef struct { const float *bias; } my_args;
 *     TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
 *     {
 *         return tc_relu(x + ((const my_args *)args)->bias[at.col]);
 *     }
 *     TC_GEMM_DEFINE(gemm_bias_relu, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_relu)
 *     ...
 *     my_args mine = { bias };
 *     tc_gemm_args args = { .m = m, .n = n, .k = k, .a = A, .lda = k, .b = B, .ldb = k, .d = D, .ldd = n,
 *                           .epi_args = &mine, .epi_size = sizeof mine };
 *     tc_status st = gemm_bias_relu_run(&args, stream);
 *
 * GENERATORS (NAME, then fields of tc_gemm_config, in any order)
 *     TC_GEMM_DEFINE        one call for every device: Hopper kernels in four tiles and an sm_80 kernel; picks at run time
 *     TC_GEMM_SM90_DEFINE   TMA, wgmma, warp-specialised, persistent; sm_90a. Tile, stages, cluster, schedule are fields.
 *     TC_GEMM_SM80_DEFINE   cp.async, ldmatrix, mma.sync; sm_80 and every later target; any alignment
 *   Each declares:
 *     NAME                            the kernel (for TC_GEMM_DEFINE NAME_large, _wide, _flat, _small, _sm80)
 *     NAME_any                        TC_GEMM_SM80_DEFINE (TC_GEMM_DEFINE: NAME_sm80_any): its twin for rows of any alignment
 *     NAME_THREADS, NAME_SMEM         its block size and dynamic shared memory in bytes (not for TC_GEMM_DEFINE)
 *     tc_status NAME_can_run(const tc_gemm_args *args, const char **why)    checks only; *why (may be NULL) gets the sentence
 *     tc_status NAME_run(const tc_gemm_args *args, cudaStream_t stream)     checks, then launches
 *
 * NAME_run is asynchronous, allocates nothing, synchronises nothing, may be captured in a graph and called from any thread.
 * On error nothing is launched, D is untouched, and tc_why() names the argument, its value and the rule.
 *
 * HOOKS (plain TC_DEV functions; copy and change them). x is alpha * (A*B) + beta * C in f32; at is its place: .row, .col of D, .batch.
 *     .epi  = float    f(float x, tc_gemm_at at, const void *args)
 *     .epi2 = tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args)    at.col is even, x.y belongs to at.col + 1; n must be even
 *     Shipped: tc_epi_bias_col _bias_row _relu _gelu _gelu_tanh _silu _scale_row _scale_col _residual_{f32,f16,bf16},
 *     and as pairs tc_epi2_bias_col _bias_gelu_tanh _residual_{f16,bf16}; activations tc_relu tc_gelu tc_gelu_tanh tc_silu.
 *     args points to a copy of *epi_args made at the call (at most TC_EPI_MAX bytes), which lies in constant memory.
 *
 * PARTS for your own kernels (tier 2)
 *     tc_operand.h    blocks of A and B in shared memory, their loaders and tensor maps
 *     tc_pipe.h       rings of slots, roles and registers of warpgroups
 *     tc_work.h       which tile comes when
 *     tc_epi.h        activations, shipped hooks, fragments to memory
 *
 * RULES of TC_GEMM_SM90_DEFINE for the data (the sm_80 kernel has none): A, B, D, and C if beta is not 0: base a multiple of
 * 16 bytes, pitch and batch stride a multiple of 16 bytes (8 elements of 16 bits).
 *
 * Accumulation is in f32, in the order of k (with .cluster_k: the sums of its runs of k, added in their order). Two calls with
 * the same arguments on the same device give the same bits.
 */
#ifndef TC_GEMM_H
#define TC_GEMM_H

#include "tc_gemm_config.h"
#include "tc_gemm_sm80.h"
#include "tc_gemm_sm90.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: its Hopper tiles, in one list. X(name, tile, bm, bn, cluster_m, schedule, cost): cost is what a unit of area was measured
 * to take in that tile; larger tiles move fewer bytes per product (bench/results/tune.txt).
 */
#define TC__GEMM_TILES(X, name)                                                                                       \
    X(name, large, 128, 192, 2, TC_PINGPONG, 1.0)                                                                     \
    X(name, wide, 128, 128, 1, TC_PINGPONG, 1.0)                                                                      \
    X(name, flat, 64, 192, 2, TC_PINGPONG, 1.1)                                                                       \
    X(name, small, 64, 128, 2, TC_COOPERATIVE, 1.2)

#define TC__GEMM_COUNT_TILE(name, tile, bm, bn, cluster_m, schedule, cost) +1
enum { TC__GEMM_TILE_COUNT = 0 TC__GEMM_TILES(TC__GEMM_COUNT_TILE, unused) };

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

typedef struct tc__gemm_variant {
    tc_gemm_config config;
    tc__kernel kernel;
    double cost;
} tc__gemm_variant;

/* Which of the tiles a call takes, or -1 for the sm_80 kernel: the one whose busiest SM computes the least area, weighted by its cost. */
TC_HOST int tc__gemm_pick(const tc__gemm_variant *v, const tc_gemm_args *g)
{
    int device, sms = 0, i, best = -1;
    double best_time = 0;
    if (!g || g->m <= 0 || g->n <= 0) return -1; /* the sm_80 kernel says what is wrong with it */
    for (i = 0; i < 4; i++)
        if (!tc__gemm_fits(&v[0].config, g, "abcd"[i])) return -1;
    if (!tc__on_hopper() || cudaGetDevice(&device) != cudaSuccess
        || cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess || sms < 2)
        return -1;
    for (i = 0; i < TC__GEMM_TILE_COUNT; i++) {
        const tc_gemm_config *c = &v[i].config;
        const int64_t rows = c->bm * c->cluster_m, m_tiles = ((int64_t)g->m + rows - 1) / rows * c->cluster_m;
        const int64_t total = m_tiles * (((int64_t)g->n + c->bn - 1) / c->bn) * tc__gemm_batch(g), per_sm = (total + sms - 1) / sms;
        const double time = (double)per_sm * c->bm * c->bn * v[i].cost;
        if (best < 0 || time < best_time) best = i, best_time = time;
    }
    return best;
}

/* A build without sm_90a code refuses on Hopper (TC_ERR_IMAGE, with the -gencode line to add) rather than run at half the rate without a
 * word, unless TC_SM80_ON_HOPPER is defined. */
TC_HOST tc_status tc__gemm_auto_run(const tc__gemm_variant *v, const tc_gemm_config *c80, const tc__kernel *k80, const tc_gemm_args *g, const tc__launch *how)
{
    const int pick = tc__gemm_pick(v, g);
    tc_status st = pick < 0 ? TC_ERR_IMAGE : tc__gemm_sm90_run(&v[pick].config, &v[pick].kernel, g, how);
#ifdef TC_SM80_ON_HOPPER
    if (st == TC_ERR_IMAGE) st = tc__gemm_sm80_run(c80, k80, g, how);
#else
    if (pick < 0) st = tc__gemm_sm80_run(c80, k80, g, how);
#endif
    return st;
}

#endif /* host */

/* =====================================================================================================================
 * Generators. Each is thin: it makes the configuration a constant, checks it in words, and names the functions.
 */
#ifdef __CUDACC__

/* The first assertion always holds: it is there to be printed, with this line, when a hook does not fit. */
#define TC__GEMM_CONFIG(name, complete, ...)                                                                          \
    static_assert(true, "tc: a hook is a TC_DEV function: .epi = float f(float x, tc_gemm_at at, const void *args), "  \
                        ".epi2 = tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args)");                           \
    TC_HD constexpr tc_gemm_config name##_config(void)                                                                \
    {                                                                                                                 \
        tc_gemm_config tc__given = {};                                                                                \
        TC__FIELDS(tc__given, __VA_ARGS__)                                                                            \
        return complete(tc__gemm_shipped(tc__given));                                                                                 \
    }                                                                                                                 \
    TC_DEV void name##__a_hook_is_a_TC_DEV_function(void)                                                             \
    {                                                                                                                 \
        constexpr tc_epi_fn epi = name##_config().epi ? name##_config().epi : tc_epi_relu;                            \
        constexpr tc_epi2_fn epi2 = name##_config().epi2 ? name##_config().epi2 : tc_epi2_bias_col;                   \
        (void)epi(0.f, tc_gemm_at{}, 0), (void)epi2(tc_f32x2{0.f, 0.f}, tc_gemm_at{}, 0);                             \
    }

/* Never runs. A direct call of the hook makes nvcc name that function, and with it the rule, when the hook is a host function. */
#define TC__GEMM_HOOK(name) if (false) name##__a_hook_is_a_TC_DEV_function();

/* Only one block of this size fits an SM: the bound of 1 lets setmaxnreg work and gives the compiler the registers. */
#define TC__GEMM_SM90_KERNEL(kernel, config, ...)                                                                     \
    TC__KERNEL __launch_bounds__(TC__SM90_BOUND(tc_gemm_sm90_threads(config)), 1) kernel(const __grid_constant__ tc_gemm_sm90_params p) \
    {                                                                                                                 \
        __VA_ARGS__                                                                                                   \
    }

#define TC__GEMM_SM90_BODY(name, config)                                                                              \
    TC__GEMM_HOOK(name)                                                                                               \
    constexpr tc_gemm_config c = config;                                                                              \
    constexpr tc_gemm90 k = {c, tc_wgmma_pick_f32(c.bn, c.a)};                                                        \
    tc_gemm_sm90(k, &p);

#define TC__GEMM_SM80_KERNEL(kernel, bound, config, ...)                                                              \
    TC__KERNEL __launch_bounds__(bound(tc_gemm_sm80_threads(config)), 1) kernel(const __grid_constant__ tc_gemm_sm80_params p) \
    {                                                                                                                 \
        __VA_ARGS__                                                                                                   \
    }

#define TC__GEMM_SM80_BODY(name, config, aligned)                                                                     \
    TC__GEMM_HOOK(name)                                                                                               \
    constexpr tc_gemm_config c = config;                                                                              \
    tc_gemm_sm80(c, aligned, &p);

/* A kernel as the host sees it: an initialiser of tc__kernel. */
#define TC__GEMM_SM90_AS_HOST(kernel, c, cache)                                                                       \
    {(const void *)kernel, #kernel, tc_gemm_sm90_threads(c), tc_gemm_sm90_smem(c), (c).cluster_m * (c).cluster_n * (c).cluster_k, 90, cache}
#define TC__GEMM_SM80_AS_HOST(kernel, c, cache)                                                                       \
    {(const void *)kernel, #kernel, tc_gemm_sm80_threads(c), tc_gemm_sm80_smem(c), 1, 80, cache}

/* See the top of this file. */
#define TC_GEMM_SM90_DEFINE(name, ...)                                                                                \
    TC__GEMM_CONFIG(name, tc_gemm_sm90_config, __VA_ARGS__)                                                           \
    TC__GEMM_SM90_RULES(TC__RULE_ASSERT, name##_config())                                                             \
    enum { name##_THREADS = tc_gemm_sm90_threads(name##_config()), name##_SMEM = tc_gemm_sm90_smem(name##_config()) }; \
    TC__GEMM_SM90_KERNEL(name, name##_config(), TC__SM90_STRICT(TC__GEMM_SM90_BODY(name, name##_config())))           \
    TC__HOST_PART(TC__GEMM_SM90_HOST(name) TC__ENTRIES(name, tc_gemm_args))

#define TC__GEMM_SM90_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_gemm_args *args, const tc__launch *how)                                     \
    {                                                                                                                 \
        static tc__kernel_cache cache;                                                                                \
        const tc_gemm_config c = name##_config();                                                                     \
        const tc__kernel k = TC__GEMM_SM90_AS_HOST(name, c, &cache);                                                  \
        return tc__gemm_sm90_run(&c, &k, args, how);                                                                  \
    }

#define TC_GEMM_SM80_DEFINE(name, ...)                                                                                \
    TC__GEMM_CONFIG(name, tc_gemm_sm80_config, __VA_ARGS__)                                                           \
    TC__GEMM_SM80_RULES(TC__RULE_ASSERT, name##_config())                                                             \
    enum { name##_THREADS = tc_gemm_sm80_threads(name##_config()), name##_SMEM = tc_gemm_sm80_smem(name##_config()) }; \
    TC__GEMM_SM80_KERNEL(name, TC__SM80_BOUND, name##_config(), TC__GEMM_SM80_BODY(name, name##_config(), 1))         \
    TC__GEMM_SM80_KERNEL(name##_any, TC__SM80_BOUND, name##_config(), TC__GEMM_SM80_BODY(name, name##_config(), 0))   \
    TC__HOST_PART(TC__GEMM_SM80_HOST(name) TC__ENTRIES(name, tc_gemm_args))

#define TC__GEMM_SM80_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_gemm_args *args, const tc__launch *how)                                     \
    {                                                                                                                 \
        static tc__kernel_cache cache[2];                                                                             \
        const tc_gemm_config c = name##_config();                                                                     \
        const tc__kernel k[2] = {TC__GEMM_SM80_AS_HOST(name, c, &cache[0]), TC__GEMM_SM80_AS_HOST(name##_any, c, &cache[1])}; \
        return tc__gemm_sm80_run(&c, k, args, how);                                                                   \
    }

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: types and hooks come from the user, everything else from here.
 */
#define TC__GEMM_AUTO_RULES(X, c)                                                                                     \
    X(!(c).bm && !(c).bn && !(c).bk && !(c).stages && !(c).warps_m && !(c).warps_n && !(c).cluster_m && !(c).cluster_n && !(c).cluster_k \
      && !(c).consumers && !(c).schedule && !(c).epi_stages && !(c).raster && !(c).raster_group,                      \
      "tc: TC_GEMM_DEFINE picks tiles and schedules itself; to choose them use TC_GEMM_SM90_DEFINE or TC_GEMM_SM80_DEFINE") \
    TC__GEMM_RULES(X, c)

/* On Hopper it takes its sm_80 kernel for rows that TMA refuses, so that the one for aligned rows need not be compiled there;
 * tc__gemm_sm80_run falls back to the one for any. */
#if TC_HAS_SM80 && (!TC_HAS_SM90A || !defined(__CUDA_ARCH__))
#define TC__FAST_SM80_BOUND(threads) threads
#define TC__IF_FAST_SM80(...) __VA_ARGS__
#else
#define TC__FAST_SM80_BOUND(threads) 32
#define TC__IF_FAST_SM80(...)
#endif

/* Types and hooks only. */
TC_HD constexpr tc_gemm_config tc__gemm_as_given(const tc_gemm_config c) { return c; }

#define TC_GEMM_DEFINE(name, ...)                                                                                     \
    TC__GEMM_CONFIG(name, tc__gemm_as_given, __VA_ARGS__)                                                             \
    TC__GEMM_AUTO_RULES(TC__RULE_ASSERT, name##_config())                                                             \
    TC__GEMM_TILES(TC__GEMM_AUTO_SM90, name)                                                                          \
    TC__GEMM_SM80_KERNEL(name##_sm80, TC__FAST_SM80_BOUND, tc_gemm_sm80_config(name##_config()),                      \
                         TC__IF_FAST_SM80(TC__GEMM_SM80_BODY(name, tc_gemm_sm80_config(name##_config()), 1)))         \
    TC__GEMM_SM80_KERNEL(name##_sm80_any, TC__SM80_BOUND, tc_gemm_sm80_config(name##_config()),                       \
                         TC__IF_SM80(TC__GEMM_SM80_BODY(name, tc_gemm_sm80_config(name##_config()), 0)))              \
    TC__HOST_PART(TC__GEMM_AUTO_HOST(name) TC__ENTRIES(name, tc_gemm_args))

#define TC__GEMM_AUTO_CONFIG(name, bm, bn, cluster_m, schedule) tc__gemm_tile(tc__gemm_scheduled(name##_config(), schedule), bm, bn, cluster_m)

#define TC__GEMM_AUTO_SM90(name, tile, bm, bn, cluster_m, schedule, cost)                                             \
    TC__GEMM_SM90_KERNEL(name##_##tile, TC__GEMM_AUTO_CONFIG(name, bm, bn, cluster_m, schedule),                      \
                         TC__IF_SM90A(TC__GEMM_SM90_BODY(name, TC__GEMM_AUTO_CONFIG(name, bm, bn, cluster_m, schedule))))

#define TC__GEMM_AUTO_VARIANT(name, tile, bm, bn, cluster_m, schedule, cost)                                          \
    {TC__GEMM_AUTO_CONFIG(name, bm, bn, cluster_m, schedule),                                                         \
     TC__GEMM_SM90_AS_HOST(name##_##tile, TC__GEMM_AUTO_CONFIG(name, bm, bn, cluster_m, schedule), &cache_##tile), cost},
#define TC__GEMM_AUTO_CACHE(name, tile, bm, bn, cluster_m, schedule, cost) static tc__kernel_cache cache_##tile;

#define TC__GEMM_AUTO_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_gemm_args *args, const tc__launch *how)                                     \
    {                                                                                                                 \
        TC__GEMM_TILES(TC__GEMM_AUTO_CACHE, name)                                                                     \
        static tc__kernel_cache cache[2];                                                                             \
        const tc__gemm_variant tiles[] = {TC__GEMM_TILES(TC__GEMM_AUTO_VARIANT, name)};                               \
        const tc_gemm_config c = tc_gemm_sm80_config(name##_config());                                                \
        const tc__kernel k[2] = {TC__GEMM_SM80_AS_HOST(name##_sm80, c, &cache[0]), TC__GEMM_SM80_AS_HOST(name##_sm80_any, c, &cache[1])}; \
        return tc__gemm_auto_run(tiles, &c, k, args, how);                                                            \
    }

#endif /* __CUDACC__ */
#endif /* TC_GEMM_H */
