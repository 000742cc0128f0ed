/* tc_gemm.h - tc 0.2.0 - generated GEMM kernels with your epilogue. Needs: the headers below; sm_80 to sm_120, best on
 * sm_90a.
 *
 *     D = epi(alpha * A * B + beta * C)       A: m x k row-major; B: k x n column-major (that is n rows of k); C, D: m
 *                                             x n row-major; or in other layouts, see LAYOUTS
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
 *     TC_GEMM_DEFINE        one call for every device: six Hopper kernels and an sm_80 kernel; picks at run time
 *     TC_GEMM_SM90_DEFINE   TMA, wgmma, warp-specialised, persistent; sm_90a. Tile, stages, cluster, schedule are
 *                           fields; so are what a call may pick (.step: a tile's width, .split: parts of k) and .swap,
 *                           which turns a tile on its side for few rows of D.
 *     TC_GEMM_SM80_DEFINE   cp.async, ldmatrix, mma.sync; sm_80 and every later target; any alignment
 *   Each declares:
 *     NAME                            the kernel (for TC_GEMM_DEFINE NAME_wide, _pair, _deep, _few, _flat, _small,
 *                                     _sm80)
 *     NAME_any                        TC_GEMM_SM80_DEFINE (TC_GEMM_DEFINE: NAME_sm80_any): its twin for rows of any
 *                                     alignment
 *     NAME_THREADS, NAME_SMEM         its block size and dynamic shared memory in bytes (not for TC_GEMM_DEFINE)
 *     tc_status NAME_can_run(const tc_gemm_args *args, const char **why)    checks only; *why (may be NULL) gets the
 *                                                                           sentence
 *     tc_status NAME_run(const tc_gemm_args *args, cudaStream_t stream)     checks, then launches
 *     size_t NAME_workspace(const tc_gemm_args *args)                       bytes of workspace that the call would use
 *
 * OTHER FILES. TC_GEMM_DECLARE(NAME); declares these three, which have C's linkage, in another file, a C file too. A
 * generator in a header that several files include: define TC_STATIC_ENTRIES, and each has its own.
 *
 * TYPES. What is more than f16 and bf16 the sm_80 kernels multiply, on Hopper too (TC_GEMM_DEFINE takes them for it).
 *     .a .b                   products and sums           .d                           tile of k (.bk; the most)
 *     TC_F16, TC_BF16         f32                         TC_F16 TC_BF16 TC_F32        64
 *     TC_TF32: f32 elements   tf32 (10 bits of mantissa)  TC_F16 TC_BF16 TC_F32        32
 *                             in f32
 *     TC_S8 TC_U8, any pair   s32, which wraps around     the same, TC_S32, TC_S8      128
 *     TC_F64                  f64                         TC_F64                       16
 *   TC_TF32: the hardware cuts f32 elements off to tf32; .round = 1 rounds them to the nearest (half away from zero) for
 *   an instruction an element. Elements are f32 in memory, of any value.
 *   Integers: the sum becomes f32 (to the nearest), then alpha, beta * C and the hook as ever; D of an integer type is
 *   rounded to the nearest (ties to even) and stops at the type's ends, and NaN becomes 0. But D = TC_S32 without a hook
 *   and with alpha = 1 and beta = 0 or 1 is exact: sum, or sum + C, in integers that wrap around.
 *   TC_F64: alpha64 and beta64 stand in place of alpha and beta; no hooks.
 *
 * LAYOUTS. .a_layout, .b_layout, .d_layout = TC_ROW (neighbours of a row lie together) or TC_COL (of a column). Left
 * out: A and D TC_ROW, B TC_COL, which is the fastest. TC_GEMM_SM80_DEFINE and TC_GEMM_DEFINE take every mix, the latter
 * by its sm_80 kernels, on Hopper too. A pitch is the distance between the lines that lie together, so lda >= m of an A
 * in columns, ldb >= n of a B in rows, ldc and ldd >= m of C and D in columns; C has D's layout. Hooks see D's row and
 * column whatever its layout; .epi2 wants D in rows, and A in columns or B in rows types of 16 bits. BLAS's column-major C = A * B: all three TC_COL; its transposed A
 * is .a_layout = TC_ROW, its transposed B .b_layout = TC_ROW.
 *
 * WORKSPACE. With few tiles and a long k most multiprocessors have nothing to do, unless blocks share a tile: each adds
 * up a part of k and leaves its sums in args.workspace (tc_split.h). It is the caller's, for a call allocates nothing:
 *     size_t room = gemm_workspace(&args);           0: k is not split, or args break a rule; the most of all shapes
 *     void *w = NULL;
 *     if (room) cudaMalloc(&w, room);                once
 *     args.workspace = w;
 *     args.workspace_size = room;                    with less, k is split less; with none, not at all
 *     tc_status st = gemm_run(&args, stream);        and again, for any shape, by any generator's kernel
 *   It may hold anything before its first use (tcemu wants it written: cudaMemset). Between calls leave it alone, or
 *   write all of it. It serves one call at a time: a stream's, one after the other, with PDL too. What runs side by
 *   side needs a workspace each. Hopper kernels only, those with .split: of TC_GEMM_DEFINE's wide, few and flat.
 *
 * CHOICE. args.choice sets what the kit would pick (tc_gemm_choice.h has its model of time), 0 for what it shall pick:
 * .kernel (TC_GEMM_DEFINE's, in the order above from 1 on; without it the other fields do not count there), .width (a
 * multiple of .step), .cluster (.step: 1 or the configuration's), .parts (.split: fails if they do not
 * fit the workspace), .blocks (at most so many clusters run). What cannot be is refused. The sm_80 kernel reads none.
 *
 * PDL. args.pdl = 1: the kernel may start while the one before it in the stream drains, sets itself up and waits for it
 * before it reads or writes anything. With args.pdl_constant = TC_CONSTANT_B (or _A, or both) it does not wait for that
 * operand: say so of weights, which nobody writes. It must be written by no kernel that may still run: in a chain of
 * such kernels that is not the one before alone, for the next may start before the last but one has ended. Hopper only.
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
 *     tc_split.h      how blocks that share a tile meet
 *     tc_epi.h        activations, shipped hooks, fragments to memory
 *
 * RULES of TC_GEMM_SM90_DEFINE for the data (the sm_80 kernel has none): A, B, D, and C if beta is not 0: base a
 * multiple of 16 bytes, pitch and batch stride a multiple of 16 bytes (8 elements of 16 bits).
 *
 * ORDER OF SUMS, SAME BITS. Accumulation is in f32. An instruction adds up 16 products in the hardware's way;
 * instructions follow one another from k = 0 on. Two exceptions, both in Hopper kernels. Where k is 2048 or more and
 * there are more than two tiles a block, every second tile that a block computes takes k in steps of .bk from the last
 * step to the first (each step from its start): what the tile before read last is still in the L2. And where k is split
 * (.cluster_k, .split), each run of k is summed up by itself, and these sums are added in the order of k.
 *   Two calls with the same arguments, matrices, choice and workspace_size (0 if workspace is null) on the same device
 * give the same bits, whatever else runs there. Another workspace_size, another m, n or batch, another number of
 * multiprocessors may cut the work in another way, and round in another way: a row of D need not have the same bits in
 * every batch that it is computed in. It has where .choice fixes .width and .parts (and .kernel), or the configuration
 * has neither .step nor .split, and k is below 2048 or no block has more than two tiles.
 */
#ifndef TC_GEMM_H
#define TC_GEMM_H

#include "tc_gemm_config.h"
#include "tc_gemm_sm80.h"
#include "tc_gemm_sm90.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: its Hopper kernels, in one list. X(name, own, tile, (bm, bn, step, swap, split, cluster_m, cluster_n,
 * schedule)): for what each is there stands behind it.
 */
/* table, one row a line */
#define TC__GEMM_TILES(X, name, own)                                                                                  \
    X(name, own, wide, (128, 256, 32, 0, 1, 2, 1, TC_COOPERATIVE)) /* any width; k split where tiles are few */       \
    X(name, own, pair, (128, 192, 64, 0, 0, 2, 1, TC_PINGPONG))    /* many tiles: one is stored while one is computed */ \
    X(name, own, deep, (256, 192, 0, 0, 0, 1, 1, TC_COOPERATIVE))  /* large and with a long k: the fewest bytes */     \
    X(name, own, few, (64, 64, 16, 1, 1, 1, 2, TC_COOPERATIVE))    /* few rows: 64 columns are the instruction's rows */ \
    X(name, own, flat, (128, 128, 16, 1, 1, 1, 2, TC_COOPERATIVE)) /* some rows, or many that fit no multiple of 128 */ \
    X(name, own, small, (64, 128, 0, 0, 0, 1, 1, TC_COOPERATIVE))  /* little of everything */

typedef struct tc__gemm_tile {
    int bm, bn, step, swap, split, cluster_m, cluster_n, schedule;
} tc__gemm_tile;

#define TC__GEMM_COUNT_TILE(name, own, tile, fields) +1
enum { TC__GEMM_TILE_COUNT = 0 TC__GEMM_TILES(TC__GEMM_COUNT_TILE, unused, unused) };
#define TC__GEMM_UNPACK(...) __VA_ARGS__

/* The configuration that a line of the list makes of the user's. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm_tiled(const tc_gemm_config given, const tc__gemm_tile t)
{
    tc_gemm_config c = given;
    c.bm = t.bm, c.bn = t.bn;
    c.step = t.step, c.swap = t.swap, c.split = t.split;
    c.cluster_m = t.cluster_m, c.cluster_n = t.cluster_n;
    c.schedule = t.schedule;
    return tc_gemm_sm90_config(c);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Host: the choice.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

#define TC__GEMM_TILE_ROW(name, own, tile, fields) {TC__GEMM_UNPACK fields},
static const tc__gemm_tile tc__gemm_tiles_of[TC__GEMM_TILE_COUNT] TC_UNUSED = {
    TC__GEMM_TILES(TC__GEMM_TILE_ROW, unused, unused)};

/* What the choice found for a problem is kept, for it takes longer than all else that a call does. An entry is two
 * words, the second of them the first's answer and the first the problem combined with it: what two threads write at a
 * time is no entry, and is looked for again. */
enum { TC__GEMM_MEMOS = 64 };
typedef struct tc__gemm_memo {
    TC__ATOMIC uint64_t mixed, answer;
} tc__gemm_memo;

/* Of all that the model asks about: also whether A and B begin with a line of the L2. */
TC_HOST uint64_t tc__gemm_hash(const tc_gemm_args *g, int sms)
{
    const uint64_t straddle = (((uintptr_t)g->a | (uintptr_t)g->b) & 127) != 0;
    const uint64_t parts[6] = {(uint64_t)g->m << 32 | (uint32_t)g->n, (uint64_t)g->k << 32 | (uint32_t)g->batch,
                               g->workspace ? g->workspace_size : 0, (uint64_t)g->lda, (uint64_t)g->ldb,
                               straddle << 32 | (uint64_t)sms};
    uint64_t h = 0x9e3779b97f4a7c15ull;
    int i;
    for (i = 0; i < 6; i++) {
        h = (h ^ parts[i]) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    return h;
}

/* The best of the list for a call: which, from 1, and how it is cut. */
TC_HOST tc_gemm_choice tc__gemm_search(const tc_gemm_config *given, const tc_gemm_args *g, int sms)
{
    const tc__gemm_device device = tc__gemm_device_of(sms);
    const tc__gemm_best search = {&device, g->workspace ? g->workspace_size : 0};
    tc_gemm_choice best = {0, 0, 0, 0, 0};
    double best_time = 0;
    int i;
    for (i = 0; i < TC__GEMM_TILE_COUNT; i++) {
        const tc_gemm_config c = tc__gemm_tiled(*given, tc__gemm_tiles_of[i]), v = tc_gemm90_view(c);
        const tc__gemm_problem x = tc__gemm90_problem(&v, g);
        tc_gemm_cut cut = {v.bn, 1, 0, 1, 0, 0};
        const double t = tc__gemm90_best(&v, &x, &cut, &search);
        if (best.kernel && t >= best_time) continue;
        best_time = t;
        best.kernel = i + 1;
        best.width = cut.width, best.cluster = v.step ? cut.cluster : 0, best.parts = cut.parts;
    }
    return best;
}

TC_HOST tc_gemm_choice tc__gemm_choose(const tc_gemm_config *given, const tc_gemm_args *g, int sms)
{
    static tc__gemm_memo memos[TC__GEMM_MEMOS];
    const uint64_t key = tc__gemm_hash(g, sms);
    tc__gemm_memo *memo = &memos[key % TC__GEMM_MEMOS];
    uint64_t answer = TC__LOAD_RELAXED(&memo->answer);
    tc_gemm_choice c;
    if (!answer || (TC__LOAD_RELAXED(&memo->mixed) ^ answer) != key) {
        c = tc__gemm_search(given, g, sms);
        answer = (uint64_t)c.kernel << 32 | (uint64_t)c.width << 16 | (uint64_t)c.cluster << 8 | (uint64_t)c.parts;
        TC__STORE_RELAXED(&memo->answer, answer);
        TC__STORE_RELAXED(&memo->mixed, answer ^ key);
    }
    c.kernel = (int)(answer >> 32), c.width = (int)(answer >> 16 & 0xffff);
    c.cluster = (int)(answer >> 8 & 0xff), c.parts = (int)(answer & 0xff);
    c.blocks = 0;
    return c;
}

/* What a call takes: a line of the list, from 1 on, as the call wants or as the model says; 0 for the sm_80 kernel. */
TC_HOST tc_gemm_choice tc__gemm_pick(const tc_gemm_config *given, const tc_gemm_args *args)
{
    const tc_gemm_choice none = {0, 0, 0, 0, 0};
    tc_gemm_args g;
    int device, sms = 0, i;
    if (!args || args->m <= 0 || args->n <= 0) return none; /* the sm_80 kernel says what is wrong with it */
    if (!tc__gemm_by_wgmma(*given)) return none;
    g = tc__gemm_effective(args);
    for (i = 0; i < 4; i++)
        if (!tc__gemm_fits(given, &g, "abcd"[i])) return none;
    if (!tc__on_hopper() || cudaGetDevice(&device) != cudaSuccess
        || cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess || sms < 2)
        return none;
    return args->choice && args->choice->kernel ? *args->choice : tc__gemm_choose(given, &g, sms);
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
    const tc_gemm_choice pick = tc__gemm_pick(given, args);
    const tc_gemm_config c80 = tc_gemm_sm80_config(*given);
    const tc__kernels slow = {s->f + TC__GEMM_TILE_COUNT, s->cache + TC__GEMM_TILE_COUNT};
    tc_status st = TC_ERR_IMAGE;
    if (args && args->choice && !args->choice->kernel
        && (args->choice->width || args->choice->cluster || args->choice->parts || args->choice->blocks))
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = 0, but what its other fields ask for depends on the kernel");
    if (pick.kernel < 0 || pick.kernel > TC__GEMM_TILE_COUNT)
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = %d must be in 0..%d", pick.kernel, TC__GEMM_TILE_COUNT);
    if (pick.kernel) {
        const tc_gemm_config c = tc__gemm_tiled(*given, tc__gemm_tiles_of[pick.kernel - 1]);
        const tc__kernels picked = {s->f + pick.kernel - 1, s->cache + pick.kernel - 1};
        tc_gemm_args g = *args;
        g.choice = &pick;
        st = tc__gemm_sm90_go(&c, &picked, &g, how);
    }
#ifdef TC_SM80_ON_HOPPER
    if (st == TC_ERR_IMAGE) st = tc__gemm_sm80_go(&c80, &slow, args, how);
#else
    if (!pick.kernel) st = tc__gemm_sm80_go(&c80, &slow, args, how);
#endif
    return st;
}

/* For other files, C files too: declares NAME_can_run and NAME_run of a generator that stands in one .cu file. */
#define TC_GEMM_DECLARE(name)                                                                                         \
    TC__ENTRY size_t name##_workspace(const tc_gemm_args *args);                                                      \
    TC__DECLARE(name, tc_gemm_args)

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
 * error about what they give to the user and no more. */
#define TC__GEMM_CONFIG(name, own, complete, ...)                                                                     \
    TC__GIVEN(own, gemm,                                                                                              \
              ".epi = float f(float x, tc_gemm_at at, const void *args), "                                            \
              ".epi2 = tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args)",                                      \
              __VA_ARGS__)                                                                                            \
    TC__CONFIG(name, own, gemm, complete(tc__gemm_shipped(own##_given())))                                            \
    TC__LINE_BREAK TC_DEV void own##_a_hook_is_a_TC_DEV_function(void)                                                \
    {                                                                                                                 \
        (void)tc__gemm_hooks(own##_config()).epi(0.f, tc_gemm_at{}, 0);                                               \
        (void)tc__gemm_hooks(own##_config()).epi2(tc_f32x2{0.f, 0.f}, tc_gemm_at{}, 0);                               \
    }

/* Never runs. A direct call of the hook makes nvcc name that function, and with it the rule, when the hook is a host
 * function. */
#define TC__GEMM_HOOK(own) if (false) own##_a_hook_is_a_TC_DEV_function();

/* Only one block of this size fits an SM: the bound of 1 lets setmaxnreg work and gives the compiler the registers.
 * served (a constant): 0 leaves the kernel a stub. */
#define TC__GEMM_SM90_KERNEL(kernel, served, config, ...)                                                             \
    TC__KERNEL_OF(kernel, tc_gemm_sm90_params,                                                                        \
                  ((served) ? TC__SM90_BOUND(tc_gemm_sm90_threads(config)) : 32, 1), __VA_ARGS__)

#define TC__GEMM_SM90_BODY(own, served, config)                                                                       \
    TC__GEMM_HOOK(own)                                                                                                \
    if (served) {                                                                                                     \
        constexpr tc_gemm90 k = tc_gemm90_of(config);                                                                 \
        tc_gemm_sm90(k, &p);                                                                                          \
    }

#define TC__GEMM_SM80_KERNEL(kernel, bound, served, config, ...)                                                      \
    TC__KERNEL_OF(kernel, tc_gemm_sm80_params, ((served) ? bound(tc_gemm_sm80_threads(config)) : 32, 1), __VA_ARGS__)

#define TC__GEMM_SM80_BODY(own, served, config, aligned)                                                              \
    TC__GEMM_HOOK(own)                                                                                                \
    if (served) {                                                                                                     \
        constexpr tc_gemm80 k = tc_gemm80_of(config);                                                                 \
        tc_gemm_sm80(k, aligned, &p);                                                                                 \
    }

/* NAME_can_run, NAME_run; and NAME_workspace: the call as it would be if it had all the workspace that there is. */
#define TC__GEMM_ENTRIES(name, own)                                                                                   \
    TC__ENTRIES(name, gemm, own##_go)                                                                                 \
    TC__LINE_BREAK TC__ENTRY size_t name##_workspace(const tc_gemm_args *args)                                        \
    {                                                                                                                 \
        size_t bytes = 0;                                                                                             \
        const tc__launch how = {0, 0, 0, &bytes};                                                                     \
        tc_gemm_args g;                                                                                               \
        if (!args) return 0;                                                                                          \
        g = *args;                                                                                                    \
        g.workspace = (void *)256;                                                                                    \
        g.workspace_size = (size_t)1 << 40;                                                                           \
        return own##_go(&g, &how) == TC_OK ? bytes : 0;                                                               \
    }

/* See the top of this file. */
#define TC_GEMM_SM90_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM90_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM90_DEFINE_(name, own, ...)                                                                         \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm90_config, __VA_ARGS__)                                                      \
    TC__GEMM_SM90_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__SIZES(name, own##_config(), tc_gemm_sm90_threads, tc_gemm_sm90_smem)                                          \
    TC__GEMM_SM90_KERNEL(name, true, own##_config(), TC__SM90_STRICT(TC__GEMM_SM90_BODY(own, true, own##_config())))  \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_sm90_go, TC__FUNCTION(name)) TC__GEMM_ENTRIES(name, own))

#define TC_GEMM_SM80_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM80_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM80_DEFINE_(name, own, ...)                                                                         \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm80_config, __VA_ARGS__)                                                      \
    TC__GEMM_SM80_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__SIZES(name, own##_config(), tc_gemm_sm80_threads, tc_gemm_sm80_smem)                                          \
    TC__GEMM_SM80_KERNEL(name, TC__SM80_BOUND, true, own##_config(),                                                  \
                         TC__GEMM_SM80_BODY(own, true, own##_config(), 1))                                            \
    TC__GEMM_SM80_KERNEL(name##_any, TC__SM80_BOUND, true, own##_config(),                                            \
                         TC__GEMM_SM80_BODY(own, true, own##_config(), 0))                                            \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_sm80_go, TC__FUNCTION(name) TC__FUNCTION(name##_any))                    \
                  TC__GEMM_ENTRIES(name, own))

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: types and hooks come from the user, everything else from here.
 */
#define TC__GEMM_AUTO_RULES(X, c)                                                                                     \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X(!(c).bm && !(c).bn && !(c).bk && !(c).stages && !(c).warps_m && !(c).warps_n && !(c).cluster_m && !(c).cluster_n\
      && !(c).cluster_k && !(c).consumers && !(c).schedule && !(c).epi_stages && !(c).raster && !(c).raster_group     \
      && !(c).step && !(c).swap && !(c).split,                                                                        \
      "tc: TC_GEMM_DEFINE picks tiles and schedules itself; to choose them use TC_GEMM_SM90_DEFINE or "               \
      "TC_GEMM_SM80_DEFINE")                                                                                          \
    TC__GEMM_RULES(X, c)

/* On Hopper it takes its sm_80 kernel for rows that TMA refuses, so that the one for aligned rows need not be compiled
 * there; tc__gemm_sm80_run falls back to the one for any. What wgmma's kernels do not serve is the sm_80 kernels' there
 * too, and wgmma's are stubs. */
#if TC_HAS_SM90A && defined(__CUDA_ARCH__)
#define TC__FAST_SM80(config) !tc__gemm_by_wgmma(config)
#else
#define TC__FAST_SM80(config) true
#endif

/* Types, layouts and hooks only. */
TC_HD constexpr tc_gemm_config tc__gemm_as_given(const tc_gemm_config c) { return c; }

/* A configuration that Hopper's kernels serve, to write down those that are never called. */
TC_HD constexpr tc_gemm_config tc__gemm_for_wgmma(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    if (!tc__gemm_by_wgmma(c)) c.a = c.b = c.d = TC_F16, c.a_layout = c.b_layout = c.d_layout = 0;
    return c;
}

#define TC_GEMM_DEFINE(name, ...) TC__CALL4(TC__GEMM_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_DEFINE_(name, own, ...)                                                                              \
    TC__GEMM_CONFIG(name, own, tc__gemm_as_given, __VA_ARGS__)                                                        \
    TC__GEMM_AUTO_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_TILES(TC__GEMM_AUTO_SM90, name, own)                                                                     \
    TC__GEMM_AUTO_SM80(name##_sm80, own, TC__FAST_SM80(own##_config()), 1)                                            \
    TC__GEMM_AUTO_SM80(name##_sm80_any, own, true, 0)                                                                 \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_auto_go, TC__GEMM_TILES(TC__GEMM_AUTO_FUNCTION, name, own)               \
                         TC__FUNCTION(name##_sm80) TC__FUNCTION(name##_sm80_any))                                     \
                  TC__GEMM_ENTRIES(name, own))

#define TC__GEMM_AUTO_CONFIG(own, fields)                                                                             \
    tc__gemm_tiled(tc__gemm_for_wgmma(own##_config()), tc__gemm_tile{TC__GEMM_UNPACK fields})
#define TC__GEMM_AUTO_SM90(name, own, tile, fields)                                                                   \
    TC__GEMM_SM90_KERNEL(name##_##tile, tc__gemm_by_wgmma(own##_config()), TC__GEMM_AUTO_CONFIG(own, fields),         \
                         TC__IF_SM90A(TC__GEMM_SM90_BODY(own, tc__gemm_by_wgmma(own##_config()),                      \
                                                         TC__GEMM_AUTO_CONFIG(own, fields))))
#define TC__GEMM_AUTO_SM80(kernel, own, served, aligned)                                                              \
    TC__GEMM_SM80_KERNEL(kernel, TC__SM80_BOUND, served, tc_gemm_sm80_config(own##_config()),                         \
                         TC__IF_SM80(TC__GEMM_SM80_BODY(own, served, tc_gemm_sm80_config(own##_config()), aligned)))
#define TC__GEMM_AUTO_FUNCTION(name, own, tile, fields) TC__FUNCTION(name##_##tile)

#endif /* __CUDACC__ */
#endif /* TC_GEMM_H */
