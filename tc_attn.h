/* tc_attn.h - tc 0.2.0 - generated attention with your hooks. Needs: sm_80 to sm_120, best on sm_90a.
 *
 *     O = softmax(mask(score(scale * Q K'))) V           exact, forward; f16 or bf16, sums in f32; on Hopper Q, K and V
 *                                                        in e4m3 too, with factors: tc_attn_sm90_fp8.h
 *
 *     #include "tc.h"
 *     typedef struct { const float *slopes; } my_args;
 *     TC_DEV float alibi(float s, tc_attn_at at, const void *args)
 *     {
 *         return s + ((const my_args *)args)->slopes[at.h] * (at.kv - at.q);
 *     }
 *     TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 128, .causal = 1, .score = alibi, .hook_size = sizeof(my_args))
 *     ...
 *     my_args mine = { slopes };
 *     tc_attn_args args = { .batch = b, .heads = h, .heads_kv = hk, .q_len = n, .k_len = n, .q = Q, .k = K, .v = V,
 *                           .o = O, .lse = lse, .hook_args = &mine, .hook_size = sizeof mine };
 *     tc_status st = attn_run(&args, stream);
 *
 * GENERATORS (NAME, then fields of tc_attn_config, in any order)
 *     TC_ATTN_DEFINE        one call for every device: a Hopper kernel, one with tensor memory, one of sm_120, an sm_80
 *                           kernel and one for decoding; picks at run time
 *     TC_ATTN_SM90_DEFINE   TMA, wgmma, warp-specialised, persistent; sm_90a. Tile and stages are fields.
 *     TC_ATTN_SM100_DEFINE  TMA, tcgen05, tensor memory, warp-specialised, persistent; sm_100a, 103a and their like:
 *                           tc_attn_sm100.h
 *     TC_ATTN_SM120_DEFINE  TMA, ldmatrix, mma.sync, with a producer; sm_120a, 121a, and with fields plain sm_120:
 *                           tc_attn_sm120.h
 *     TC_ATTN_SM80_DEFINE   cp.async, ldmatrix, mma.sync; sm_80 and every later target
 *     TC_ATTN_DECODE_DEFINE few queries, many keys; paged and 8-bit K and V; sm_80 and later: tc_attn_decode.h
 *   Each declares:
 *     NAME                            the kernel (for TC_ATTN_DEFINE NAME_sm90, _sm80, _decode, _sm100, _sm120,
 *                                     _sm90_other)
 *     NAME_THREADS, NAME_SMEM         its block size and dynamic shared memory in bytes (not for TC_ATTN_DEFINE)
 *     tc_status NAME_can_run(const tc_attn_args *args, const char **why)    checks only; *why (or NULL): the sentence
 *     tc_status NAME_run(const tc_attn_args *args, cudaStream_t stream)     checks, then launches
 *     size_t NAME_workspace(const tc_attn_args *args)    bytes of args.workspace that the call would use, 0 for none
 *
 * OTHER FILES. TC_ATTN_DECLARE(NAME); declares these three functions, which have C's linkage, in another file, a C
 * file too. A generator in a header that several files include: define TC_STATIC_ENTRIES, and each has its own.
 *
 * LAUNCH BY YOURSELF (kernels from NVRTC; C or C++, docs/guide.md)
 *     tc_attn_sm90_prepare(config, args, sms, &launch)      checks both; launch: grid, block, smem, cluster, params
 *     tc_attn_sm80_prepare, tc_attn_sm100_prepare, tc_attn_sm120_prepare, tc_attn_decode_prepare       the same
 *     tc_attn_{score,mask,mask_tile,out,sink}_on_device     what the hooks of that config are
 *
 * NAME_run is asynchronous, allocates nothing, synchronises nothing, may be captured in a graph and called from any
 * thread. On error nothing is launched, O is untouched, and tc_why() names the argument, its value and the rule. On
 * Hopper TC_ATTN_DEFINE answers TC_ERR_IMAGE where the build has no code for sm_90a, with the flag to add; a build
 * with TC_SM80_ON_HOPPER defined takes its sm_80 kernel there. What a tile takes by default fits 99 KB of shared
 * memory on sm_80 to sm_120, and 227 KB on
 * Hopper and on 10.x and 11.x.
 *
 * TENSORS are (batch, rows, heads, head_dim), contiguous unless strides say otherwise; the elements of a head are
 * neighbours. Bases are multiples of 16 bytes, strides of 8 elements. heads is a multiple of heads_kv: query head h
 * reads key head h / (heads / heads_kv). A tensor's strides are all 0 (contiguous) or all given; 0 may stand for that
 * of a dimension of size 1, and for the batch's of a packed tensor. Q, K and V may be the same for all batches, rows
 * or heads: that stride is TC_ATTN_SHARED.
 *
 * LENGTHS. Any from 1, and different ones for queries and keys. Sequences of different lengths are either
 *     packed   cu_q, cu_k: where each begins, as in (total, heads, head_dim); device, batch + 1 ints, from 0, rising
 *     padded   lens_q, lens_k: how many rows of each batch are in use; device, batch ints. What lies behind them may be
 *              anything, NaN too
 * and what belongs to no sequence is not written. A call cannot read device memory; give host copies too (host_cu_q,
 * ...) to have the lengths checked. Unchecked nonsense in them gives nonsense, but no access outside of the tensors.
 *     Nothing to do (batch, heads or q_len is 0): q and o are null. No keys (k_len is 0): k and v are null. Beside a
 * tensor that is there a 0 is taken for forgotten; but a packed one of which length and total are 0 may have a pointer.
 *
 * MASKS. Query q of a sequence stands at key q + k_len - q_len (bottom-right: the last query at the last key).
 *     .causal = 1    it sees no key behind its place
 *     .window = 1    it sees window_left keys before its place and window_right behind it (-1: all); tiles outside are
 *                    not read
 *     .mask          keeps or drops each key, below
 * A row that sees no key gives 0, and -inf as its log-sum-exp; never NaN.
 *
 * HOOKS are plain TC_DEV functions. at.b, at.h: batch and query head; at.q, at.kv: places within their sequences
 *     .score     = float f(float s, tc_attn_at at, const void *args)      s is scale * Q K'; returns the score to use
 *     .mask      = int f(tc_attn_at at, const void *args)                 not 0: the key is kept
 *     .mask_tile = int f(tc_attn_tile tile, const void *args)             with .mask: is a tile TC_ATTN_SKIP,
 *                                                                         TC_ATTN_WHOLE or _PARTIAL (ask .mask)
 *     .out       = float f(float o, tc_attn_at at, const void *args)      each element at.d of O, before it is rounded
 *     .sink      = float f(tc_attn_at at, const void *args)               a further score in the sum of each row of a
 *                                                                         head, whose value is 0; in lse too
 *     args points to a copy of *hook_args made at the call (at most TC_EPI_MAX bytes), which lies in constant memory.
 *     .score is asked once about each pair of query and key that exists and that .causal and the window keep, and
 *     about no other: a table by at.q - at.kv needs no room for what they drop. So is .mask, but in tiles that
 *     .mask_tile answered for; in tiles that it skips .score is not asked either. .out is asked once about each
 *     element of O that exists. .sink is asked several times. .mask_tile is called by every lane of a warp with the
 *     same tile, several times, and must answer the same. A hook costs what it computes: a division or an expf per
 *     score is felt; multiply by what the host has inverted.
 *     MINUS INFINITY. A score of -inf is a dropped key, and so is one below -2.35e38, -FLT_MAX for one (its product
 *     with log2 e is not finite). Any other value is a number: beside a score of ordinary size -1e9 or -1e30 weighs 0,
 *     but a row all of whose scores are -1e30 gives the mean of V over its keys, and about -1e30 as its log-sum-exp,
 *     as softmax does. s - 1e30 is -1e30 whatever s is. To drop keys return -inf, or drop them by .mask. A score of
 *     +inf or NaN makes its row NaN, as one above 2.35e38 does.
 *
 * DROPOUT. .dropout = 1, and of a call
 *         args.dropout_p = 0.1f, args.dropout_seed = seed, args.dropout_offset = step;
 *     O = (mask * P / (1 - p)) V, where the mask keeps each probability with 1 - p; the softmax's sum and lse are those
 *     without dropout. p, 0 or more and below 1, counts in steps of 2^-16 (tc_philox.h); the factor is that of the p so
 *     rounded, and so the mean is right; p = 0 gives the bits of the same tile without .dropout and .later. The mask is
 *     a matter of places: seed, offset, batch, query head, query and key within their sequence say what it is, so it is
 *     the same in every kernel, tile and generation, packed or padded, and in the backward pass (tc_attn_bwd.h), which
 *     takes the same three numbers. tc_attn_dropout_keeps tells it of one place, on host and device:
 *         const tc_attn_dropout d = {p, seed, offset};
 *         const tc_attn_at at = {b, h, q, kv, 0};
 *         tc_attn_dropout_keeps(d, at) ? tc_dropout_scale(p) : 0
 *     Give each call an offset (or seed) of its own: those that share both and their shapes share their mask. The
 *     numbers are parameters of the kernel: a CUDA graph repeats its mask until its node is given others. Tiles are
 *     smaller than without, and heads do not share one. The Hopper, the sm_120 and the sm_80 kernel have it:
 *     TC_ATTN_DEFINE takes one of these, on Blackwell and where queries are few as well. Not with TC_E4M3, in decoding
 *     or sm_100 kernels.
 *
 * PARTS for your own kernels (tier 2)
 *     tc_attn_work_at, tc_attn_next        which tile of queries comes when, which tiles of keys it sees tc_attn_work.h
 *     tc_attn_order_begin, _next           the same for a persistent kernel
 *     tc_attn_score, tc_attn_softmax       hook and masks, online softmax on fragments                     tc_softmax.h
 *     tc_attn_drop                         dropout, on P; its generator: tc_philox.h
 *     tc_attn_pack, tc_attn_rescale        P as an A operand; O after a maximum rose
 *     tc_attn_finish, tc_attn_store        O divided by the sums and through the hook, lse; O to memory
 *     tc_attn_sm90_load, tc_attn_sm90_mma  producer and consumer of the Hopper kernel                    tc_attn_sm90.h
 *     tc_attn_sm100_mma, _softmax          multiplier and consumer of Blackwell's                       tc_attn_sm100.h
 *     tc_attn_sm120_load                   producer of sm_120's                                         tc_attn_sm120.h
 *     tc_attn_sm90_legal, _sm80_, _sm100_, _sm120_    would the generator take this configuration?  and tc_attn_sm80.h
 *
 * DECODING. Where the queries of a sequence, times the heads that share K and V, are 16 rows or fewer, TC_ATTN_DEFINE
 * takes its decoding kernel. With args.workspace that splits the keys of a sequence between blocks; without, between
 * those of a cluster (Hopper and later: up to 16), or not at all, and few sequences of few key heads use few SMs:
 *     args.workspace_size = attn_workspace(&args);
 *     if (args.workspace_size) cudaMalloc(&args.workspace, args.workspace_size);     once
 *   tc_attn_decode.h says what a workspace may hold, and when. Where queries are more and fit a tile, the heads of a
 * group become rows of it. Two calls with the same arguments on the same device give the same bits.
 */
#ifndef TC_ATTN_H
#define TC_ATTN_H

#include "tc_attn_sm90.h"
#include "tc_attn_sm100.h"
#include "tc_attn_sm80.h"
#include "tc_attn_sm120.h"
#include "tc_attn_decode.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a generator's functions for the host do with its kernels: one, or both. A build without Hopper's own is
 * refused on Hopper, with the flag to add: the sm_80 kernel would be right, but slow in silence. Who wants it
 * nevertheless defines TC_SM80_ON_HOPPER. */
TC_HOST tc_status tc__attn_sm90_go(const tc_attn_config *c, const tc__kernels *s, const tc_attn_args *args,
                                   const tc__launch *how)
{
    const tc__kernel k = {s->f[0].function, s->f[0].name, tc_attn_sm90_threads(*c), tc_attn_sm90_smem(*c), 1, 90,
                          &s->cache[0]};
    tc__launch there = *how;
    there.pdl = args && args->pdl >= 0; /* its blocks start up beside the end of those before */
    return tc__attn_sm90_run(c, &k, args, &there);
}

TC_HOST tc_status tc__attn_sm80_go(const tc_attn_config *c, const tc__kernels *s, const tc_attn_args *args,
                                   const tc__launch *how)
{
    const tc__kernel k = {s->f[0].function, s->f[0].name, tc_attn_sm80_threads(*c), tc_attn_sm80_smem(*c), 1, 80,
                          &s->cache[0]};
    return tc__attn_sm80_run(c, &k, args, how);
}

TC_HOST tc_status tc__attn_sm100_go(const tc_attn_config *c, const tc__kernels *s, const tc_attn_args *args,
                                    const tc__launch *how)
{
    tc__kernel k = {s->f[0].function, s->f[0].name, tc_attn_sm100_threads(*c), tc_attn_sm100_smem(*c), 1, 100,
                    &s->cache[0]};
    tc__device on = {0, 0, 0, 0};
    if (tc__device_now(&on) == cudaSuccess && on.cc == 107 && tc_attn_sm100_columns(*c) > 256
        && k.smem < TC__ATTN107_ALONE)
        k.smem = TC__ATTN107_ALONE;
    return tc__attn_sm100_run(c, &k, args, how);
}

TC_HOST tc_status tc__attn_sm120_go(const tc_attn_config *c, const tc__kernels *s, const tc_attn_args *args,
                                    const tc__launch *how)
{
    const tc__kernel k = {s->f[0].function, s->f[0].name, tc_attn_sm120_threads(*c), tc_attn_sm120_smem(*c), 1, 120,
                          &s->cache[0]};
    return tc__attn_sm120_run(c, &k, args, how);
}

TC_HOST tc_status tc__attn_decode_go(const tc_attn_config *c, const tc__kernels *s, const tc_attn_args *args,
                                     const tc__launch *how)
{
    tc_attn_config fits = *c;
    fits.stages = tc__decode_stages(c);
    {
        const tc__kernel k = {s->f[0].function, s->f[0].name, tc_attn_decode_threads(fits), tc_attn_decode_smem(fits),
                              1, 80, &s->cache[0]};
        return tc__attn_decode_run(&fits, &k, args, how);
    }
}

/* Does TC_ATTN_DEFINE take its decoding kernel? Where all rows that share a key head, queries times heads, fill one
 * tile of it: then K and V are read once, and what they take of the memory's time is all that the others would take
 * too, with blocks for each key head alone. Where they fill more, K and V are read anew for each tile. */
TC_HOST int tc__attn_decodes(const tc_attn_config *c, const tc_attn_args *g)
{
    const int share = g && g->heads > 0 && tc__attn_kv_heads(g) > 0 ? g->heads / tc__attn_kv_heads(g) : 0;
    tc_attn_config decode = tc_attn_decode_config(*c);
    int device = 0, smem = 0;
    if (!tc_attn_decode_legal(*c) || !share || g->q_len < 1 || g->q_len * (int64_t)share > 16) return 0;
    if (cudaGetDevice(&device) != cudaSuccess
        || cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    decode.stages = tc__decode_stages(&decode);
    return smem >= tc_attn_decode_smem(decode);
}

/* Tiles of keys that a sequence's tiles of queries multiply, times the rows of these. */
TC_HOST int64_t tc__attn90_scores(const tc_attn_config *c, const tc_attn_args *g)
{
    int64_t steps = 0;
    int row;
    for (row = 0; row < g->q_len; row += c->bm) {
        const int64_t end = row + c->bm < g->q_len ? row + c->bm : g->q_len, seen = end + g->k_len - g->q_len,
                      keys = seen < 1 ? 1 : seen < g->k_len ? seen : g->k_len;
        steps += (keys + c->bn - 1) / c->bn;
    }
    return steps * c->bm;
}

/* Does it take Hopper's other kernel? Without a mask: from 2048 keys on. Under a causal one: of few queries; tiles of
 * 128 compute less beyond the diagonal and behind the last query, at 0.77 to 0.82 of the rate of 192. (Heads of 64 on
 * an H200: 512 queries 4 % faster, 640 11, 1024 5; 2048 9 slower.) */
TC_HOST int tc__attn90_takes_other(const tc_attn_config *given, const tc_attn_args *g)
{
    if (!g || !tc__attn90_has_other(*given)) return 0;
    if (!given->causal) return g->k_len >= 2048 && !g->cu_k && !g->lens_k;
    if (g->q_len < 1 || g->q_len > 2048 || g->cu_q || g->lens_q) return 0;
    const tc_attn_config c = tc_attn_sm90_config(*given), few = tc_attn_sm90_other_config(*given);
    return tc__attn90_scores(&few, g) * 1000 <= tc__attn90_scores(&c, g) * 765;
}

TC_HOST tc_status tc__attn_auto_go(const tc_attn_config *given, const tc__kernels *s, const tc_attn_args *args,
                                   const tc__launch *how)
{
    const tc_attn_config c90 = tc_attn_sm90_config(*given), c80 = tc_attn_sm80_config(*given);
    const tc__kernels second = {s->f + 1, s->cache + 1}, third = {s->f + 2, s->cache + 2},
                      fourth = {s->f + 3, s->cache + 3}, fifth = {s->f + 4, s->cache + 4},
                      sixth = {s->f + 5, s->cache + 5};
    tc__device on = {0, 0, 0, 0};
    tc_status st;
    if (given->type == TC_E4M3) return tc__attn_sm90_go(&c90, s, args, how);
    if (tc__attn_decodes(given, args)) {
        const tc_attn_config decode = tc_attn_decode_config(*given);
        return tc__attn_decode_go(&decode, &third, args, how);
    }
    if (tc__device_now(&on) == cudaSuccess && on.cc >= 100 && on.cc < 120 && !given->dropout) {
        const tc_attn_config c100 = tc_attn_sm100_config(*given);
        st = tc__attn_sm100_go(&c100, &fourth, args, how);
        if (st != TC_ERR_IMAGE) return st; /* a build for other targets has its sm_80 kernel there */
    }
    if (on.cc >= 120 && on.cc < 130) {
        const tc_attn_config c120 = tc_attn_sm120_config(*given);
        st = tc__attn_sm120_go(&c120, &fifth, args, how);
        if (st != TC_ERR_IMAGE) return st; /* so has a build for its plain targets */
    }
    if (on.cc != 90) return tc__attn_sm80_go(&c80, &second, args, how);
    if (tc__attn90_takes_other(given, args)) {
        const tc_attn_config other = tc_attn_sm90_other_config(*given);
        st = tc__attn_sm90_go(&other, &sixth, args, how);
    } else {
        st = tc__attn_sm90_go(&c90, s, args, how);
    }
/* Else a build without it is refused there, with the flag to add: the sm_80 kernel would be slow in silence. */
#ifdef TC_SM80_ON_HOPPER
    if (st == TC_ERR_IMAGE) st = tc__attn_sm80_go(&c80, &second, args, how);
#endif
    return st;
}

/* For other files, C files too: declares NAME_can_run and NAME_run of a generator that stands in one .cu file. */
#define TC_ATTN_DECLARE(name)                                                                                         \
    TC__ENTRY size_t name##_workspace(const tc_attn_args *args);                                                      \
    TC__DECLARE(name, tc_attn_args)
#endif

/* =====================================================================================================================
 * Generators.
 */
#ifdef __CUDACC__

TC_DEV float tc__attn_no_score(float s, tc_attn_at at, const void *args) { (void)at, (void)args; return s; }
TC_DEV int tc__attn_no_mask(tc_attn_at at, const void *args) { (void)at, (void)args; return 1; }
TC_DEV int tc__attn_no_mask_tile(tc_attn_tile tile, const void *args) { (void)tile, (void)args; return TC_ATTN_WHOLE; }
TC_DEV float tc__attn_no_out(float o, tc_attn_at at, const void *args) { (void)at, (void)args; return o; }
TC_DEV float tc__attn_no_sink(tc_attn_at at, const void *args) { (void)at, (void)args; return 0.f; }

#define TC__ATTN_HOOKS                                                                                                \
    ".score = float f(float s, tc_attn_at at, const void *args), "                                                    \
    ".mask = int f(tc_attn_at at, const void *args), "                                                                \
    ".mask_tile = int f(tc_attn_tile tile, const void *args), "                                                       \
    ".out = float f(float o, tc_attn_at at, const void *args), "                                                      \
    ".sink = float f(tc_attn_at at, const void *args)"

/* A configuration that has every hook. */
TC_DEV TC_CONSTEXPR tc_attn_config tc__attn_hooks(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.score = c.score ? c.score : tc__attn_no_score;
    c.mask = c.mask ? c.mask : tc__attn_no_mask;
    c.mask_tile = c.mask_tile ? c.mask_tile : tc__attn_no_mask_tile;
    c.out = c.out ? c.out : tc__attn_no_out;
    c.sink = c.sink ? c.sink : tc__attn_no_sink;
    return c;
}

/* own: see tc_gemm.h. */
#define TC__ATTN_CONFIG(name, own, complete, ...)                                                                     \
    TC__GIVEN(own, attn, TC__ATTN_HOOKS, __VA_ARGS__)                                                                 \
    TC__CONFIG(name, own, attn, complete(own##_given()))                                                              \
    TC__LINE_BREAK TC_DEV void own##_a_hook_is_a_TC_DEV_function(void)                                                \
    {                                                                                                                 \
        (void)tc__attn_hooks(own##_config()).score(0.f, tc_attn_at{}, 0);                                             \
        (void)tc__attn_hooks(own##_config()).mask(tc_attn_at{}, 0);                                                   \
        (void)tc__attn_hooks(own##_config()).mask_tile(tc_attn_tile{}, 0);                                            \
        (void)tc__attn_hooks(own##_config()).out(0.f, tc_attn_at{}, 0);                                               \
        (void)tc__attn_hooks(own##_config()).sink(tc_attn_at{}, 0);                                                   \
    }
#define TC__ATTN_HOOK(own) if (false) own##_a_hook_is_a_TC_DEV_function();

#define TC__ATTN_SM90_BODY(own, config)                                                                               \
    TC__ATTN_HOOK(own)                                                                                                \
    constexpr tc_attn_config c = config;                                                                              \
    constexpr tc_attn_sm90_wgmma m = tc__attn90_wgmma(config);                                                        \
    tc_attn_sm90(c, m, &p);

#define TC__ATTN_SM90_KERNEL(kernel, config, ...)                                                                     \
    TC__KERNEL_OF(kernel, tc_attn_sm90_params, (TC__SM90_BOUND(tc_attn_sm90_threads(config)), 1), __VA_ARGS__)

#define TC__ATTN_SM80_BODY(own, config)                                                                               \
    TC__ATTN_HOOK(own)                                                                                                \
    constexpr tc_attn_config c = config;                                                                              \
    tc_attn_sm80(c, &p);

#define TC__ATTN_SM80_KERNEL(kernel, bound, config, ...)                                                              \
    TC__KERNEL_OF(kernel, tc_attn_sm80_params,                                                                        \
                  (bound(tc_attn_sm80_threads(config)), tc__attn80_blocks(config)), __VA_ARGS__)

/* What a generator of one kernel begins with; cc: 90 or 80. */
#define TC__ATTN_ONE(name, own, cc, ...)                                                                              \
    TC__ATTN_CONFIG(name, own, tc_attn_sm##cc##_config, __VA_ARGS__)                                                  \
    TC__ATTN_SM##cc##_RULES(TC__RULE_ASSERT, own##_config())                                                          \
    TC__SIZES(name, own##_config(), tc_attn_sm##cc##_threads, tc_attn_sm##cc##_smem)

/* NAME_can_run, NAME_run, and NAME_workspace: what the call would take if there were all that it asks for. */
#define TC__ATTN_ENTRIES(name, own)                                                                                   \
    TC__ENTRIES(name, attn, own##_go)                                                                                 \
    TC__WORKSPACE_ENTRY(name, attn, own##_go)

#define TC_ATTN_SM90_DEFINE(name, ...) TC__CALL4(TC__ATTN_SM90_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_SM90_DEFINE_(name, own, ...)                                                                         \
    TC__ATTN_ONE(name, own, 90, __VA_ARGS__)                                                                          \
    TC__ATTN_SM90_KERNEL(name, own##_config(), TC__SM90_STRICT(TC__ATTN_SM90_BODY(own, own##_config())))              \
    TC__HOST_PART(TC__GO(own, attn, tc__attn_sm90_go, TC__FUNCTION(name)) TC__ATTN_ENTRIES(name, own))

#define TC__ATTN_SM100_BODY(own, config)                                                                              \
    TC__ATTN_HOOK(own)                                                                                                \
    constexpr tc_attn_config c = config;                                                                              \
    tc_attn_sm100(c, &p);

#define TC__ATTN_SM100_BOUND(config) (TC_HAS_SM100A ? tc_attn_sm100_threads(config) : 32)
#define TC__ATTN_SM100_KERNEL(kernel, config, ...)                                                                    \
    TC__KERNEL_OF(kernel, tc_attn_sm100_params, (TC__ATTN_SM100_BOUND(config), 1), __VA_ARGS__)

#define TC_ATTN_SM100_DEFINE(name, ...) TC__CALL4(TC__ATTN_SM100_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_SM100_DEFINE_(name, own, ...)                                                                        \
    TC__ATTN_ONE(name, own, 100, __VA_ARGS__)                                                                         \
    TC__ATTN_SM100_KERNEL(name, own##_config(), TC__SM100_STRICT(TC__ATTN_SM100_BODY(own, own##_config())))           \
    TC__HOST_PART(TC__GO(own, attn, tc__attn_sm100_go, TC__FUNCTION(name)) TC__ATTN_ENTRIES(name, own))

#define TC__ATTN_SM120_BODY(own, config)                                                                              \
    TC__ATTN_HOOK(own)                                                                                                \
    constexpr tc_attn_config c = config;                                                                              \
    if (tc__attn120_here(config)) tc_attn_sm120(c, &p);

#define TC__ATTN_SM120_KERNEL(kernel, here, config, ...)                                                              \
    TC__KERNEL_OF(kernel, tc_attn_sm120_params, ((here) ? tc_attn_sm120_threads(config) : 32, 1), __VA_ARGS__)

#if TC_HAS_SM120 && defined(__CUDA_ARCH__) && !defined(TC_SM120_STUBS)
#define TC__ATTN_SM120_HERE(config)                                                                                   \
    TC__RULE_ASSERT(tc__attn120_here(config),                                                                         \
                    "tc: attention by 8 .warps, as of head dims up to 64, needs an a or f target of sm_120 or sm_121, "\
                    "without -rdc=true: compile with -gencode arch=compute_120a,code=sm_120a, or say .warps = 4, "    \
                    ".bm = 128; for a build that has other targets too, #define TC_SM120_STUBS before tc.h")
#else
#define TC__ATTN_SM120_HERE(config)
#endif

#define TC_ATTN_SM120_DEFINE(name, ...) TC__CALL4(TC__ATTN_SM120_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_SM120_DEFINE_(name, own, ...)                                                                        \
    TC__ATTN_ONE(name, own, 120, __VA_ARGS__)                                                                         \
    TC__ATTN_SM120_HERE(own##_config())                                                                               \
    TC__ATTN_SM120_KERNEL(name, tc__attn120_here(own##_config()), own##_config(),                                     \
                          TC__SM120_STRICT(TC__ATTN_SM120_BODY(own, own##_config())))                                 \
    TC__HOST_PART(TC__GO(own, attn, tc__attn_sm120_go, TC__FUNCTION(name)) TC__ATTN_ENTRIES(name, own))

#define TC_ATTN_SM80_DEFINE(name, ...) TC__CALL4(TC__ATTN_SM80_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_SM80_DEFINE_(name, own, ...)                                                                         \
    TC__ATTN_ONE(name, own, 80, __VA_ARGS__)                                                                          \
    TC__ATTN_SM80_KERNEL(name, TC__SM80_BOUND, own##_config(), TC__ATTN_SM80_BODY(own, own##_config()))               \
    TC__HOST_PART(TC__GO(own, attn, tc__attn_sm80_go, TC__FUNCTION(name)) TC__ATTN_ENTRIES(name, own))

#define TC__ATTN_DECODE_BODY(own, config)                                                                             \
    TC__ATTN_HOOK(own)                                                                                                \
    constexpr tc_attn_config c = config;                                                                              \
    tc_attn_decode(c, &p);

#define TC__ATTN_DECODE_KERNEL(kernel, bound, config, ...)                                                            \
    TC__KERNEL_OF(kernel, tc_attn_decode_params,                                                                      \
                  (bound(tc_attn_decode_threads(config)), tc_attn_decode_blocks(config)), __VA_ARGS__)

#define TC_ATTN_DECODE_DEFINE(name, ...) TC__CALL4(TC__ATTN_DECODE_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_DECODE_DEFINE_(name, own, ...)                                                                       \
    TC__ATTN_CONFIG(name, own, tc_attn_decode_config, __VA_ARGS__)                                                    \
    TC__ATTN_DECODE_RULES(TC__RULE_ASSERT, own##_config())                                                            \
    TC__SIZES(name, own##_config(), tc_attn_decode_threads, tc_attn_decode_smem)                                      \
    TC__ATTN_DECODE_KERNEL(name, TC__SM80_BOUND, own##_config(), TC__ATTN_DECODE_BODY(own, own##_config()))           \
    TC__HOST_PART(TC__GO(own, attn, tc__attn_decode_go, TC__FUNCTION(name)) TC__ATTN_ENTRIES(name, own))

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_ATTN_DEFINE: types, head dims, masks and hooks come from the user, everything else from here.
 */
/* In a build for sm_90a, with tcgen05 or for sm_120a its sm_80 kernel is a stub: nothing would call it there, but on
 * 10.x and 11.x what has dropout. In one for plain sm_120, which later devices run too, the sm_120 kernel is. */
#define TC__ATTN120_AUTO (TC_HAS_SM120A && TC__ATTN120_SETMAXNREG)
#if TC_HAS_SM80 && ((!TC_HAS_SM90A && !TC_HAS_SM100A && !TC__ATTN120_AUTO) || !defined(__CUDA_ARCH__))
#define TC__ATTN_SM80_THREADS(own, config) tc_attn_sm80_threads(config)
#define TC__IF_ATTN_SM80(own, ...) __VA_ARGS__
#elif TC_HAS_SM80 && TC_HAS_SM100A
#define TC__ATTN_SM80_THREADS(own, config) (own##_config().dropout ? tc_attn_sm80_threads(config) : 32)
#define TC__IF_ATTN_SM80(own, ...) constexpr int real = own##_config().dropout; if (real) { __VA_ARGS__ }
#else
#define TC__ATTN_SM80_THREADS(own, config) 32
#define TC__IF_ATTN_SM80(own, ...)
#endif

#if TC__ATTN120_AUTO && defined(__CUDA_ARCH__)
#define TC__IF_ATTN_SM120(...) __VA_ARGS__
#else
#define TC__IF_ATTN_SM120(...)
#endif

#define TC__ATTN_AUTO_RULES(X, c)                                                                                     \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X(!(c).bm && !(c).bn && !(c).stages && !(c).consumers && !(c).q_stages && !(c).warps && !(c).later,               \
      "tc: TC_ATTN_DEFINE picks tiles itself; to choose them use TC_ATTN_SM90_DEFINE, TC_ATTN_SM100_DEFINE, "         \
      "TC_ATTN_SM120_DEFINE or TC_ATTN_SM80_DEFINE")                                                                  \
    TC__ATTN_TYPE_RULE(X, c)                                                                                          \
    TC__ATTN_ANY_RULES(X, c)                                                                                          \
    TC__ATTN_CACHE_RULES(X, c)

TC_HD constexpr tc_attn_config tc__attn_as_given(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    if (c.type == TC_E4M3) c.o = c.o ? c.o : TC_BF16;
    return c;
}

/* Its kernels of other generations, which are small and never run where the type is Hopper's alone; and Blackwell's,
 * which has no dropout. */
TC_HD constexpr tc_attn_config tc__attn_16_or_none(const tc_attn_config given)
{
    tc_attn_config c = given;
    if (given.type == TC_E4M3) {
        c = tc_attn_config{};
        c.type = TC_BF16, c.head_dim = c.head_dim_v = 16;
    }
    return c;
}

TC_HD constexpr tc_attn_config tc__attn_100_or_none(const tc_attn_config given)
{
    tc_attn_config c = tc__attn_16_or_none(given);
    if (given.dropout) {
        c = tc_attn_config{};
        c.type = TC_BF16, c.head_dim = c.head_dim_v = 16;
    }
    return c;
}

/* Its decoding kernel, which is empty where the configuration is none of that mainloop's. */
TC_HD constexpr tc_attn_config tc__attn_decode_or_none(const tc_attn_config given)
{
    tc_attn_config c = given;
    if (!tc_attn_decode_legal(given)) {
        c = tc_attn_config{};
        c.type = TC_BF16, c.head_dim = c.head_dim_v = 16;
    }
    return tc_attn_decode_config(c);
}
#define TC__ATTN_DECODE_MAYBE(own, config)                                                                            \
    TC__ATTN_HOOK(own)                                                                                                \
    constexpr tc_attn_config c = tc__attn_decode_or_none(config);                                                     \
    if (tc_attn_decode_legal(config)) tc_attn_decode(c, &p);

/* Hopper's other kernel, which is empty where there is none. */
#define TC__ATTN_OTHER_MAYBE(own, config)                                                                             \
    TC__ATTN_HOOK(own)                                                                                                \
    constexpr tc_attn_config c = tc_attn_sm90_other_config(config);                                                   \
    constexpr tc_attn_sm90_wgmma m = tc__attn90_wgmma(c);                                                             \
    if (tc__attn90_has_other(config)) tc_attn_sm90(c, m, &p);

#define TC_ATTN_DEFINE(name, ...) TC__CALL4(TC__ATTN_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_DEFINE_(name, own, ...)                                                                              \
    TC__ATTN_CONFIG(name, own, tc__attn_as_given, __VA_ARGS__)                                                        \
    TC__ATTN_AUTO_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__ATTN_FP8_RULES(TC__RULE_ASSERT, tc_attn_sm90_config(own##_config()))                                          \
    TC__LINE_BREAK TC_HD constexpr tc_attn_config name##_sm90_config(void)                                            \
    {                                                                                                                 \
        return tc_attn_sm90_config(own##_config());                                                                   \
    }                                                                                                                 \
    TC__LINE_BREAK TC_HD constexpr tc_attn_config name##_sm80_config(void)                                            \
    {                                                                                                                 \
        return tc_attn_sm80_config(tc__attn_16_or_none(own##_config()));                                              \
    }                                                                                                                 \
    TC__LINE_BREAK TC_HD constexpr tc_attn_config name##_sm100_config(void)                                           \
    {                                                                                                                 \
        return tc_attn_sm100_config(tc__attn_100_or_none(own##_config()));                                            \
    }                                                                                                                 \
    TC__LINE_BREAK TC_HD constexpr tc_attn_config name##_sm120_config(void)                                           \
    {                                                                                                                 \
        return tc_attn_sm120_config(tc__attn_16_or_none(own##_config()));                                             \
    }                                                                                                                 \
    TC__ATTN_SM90_KERNEL(name##_sm90, tc_attn_sm90_config(own##_config()),                                            \
                         TC__IF_SM90A(TC__ATTN_SM90_BODY(own, tc_attn_sm90_config(own##_config()))))                  \
    TC__KERNEL_OF(name##_sm80, tc_attn_sm80_params,                                                                   \
                  (TC__ATTN_SM80_THREADS(own, name##_sm80_config()), tc__attn80_blocks(name##_sm80_config())),        \
                  TC__IF_ATTN_SM80(own, TC__ATTN_SM80_BODY(own, name##_sm80_config())))                               \
    TC__ATTN_DECODE_KERNEL(name##_decode, TC__SM80_BOUND, tc__attn_decode_or_none(own##_config()),                    \
                           TC__IF_SM80(TC__ATTN_DECODE_MAYBE(own, own##_config())))                                   \
    TC__ATTN_SM100_KERNEL(name##_sm100, name##_sm100_config(),                                                        \
                          TC__IF_SM100A(TC__ATTN_SM100_BODY(own, name##_sm100_config())))                             \
    TC__ATTN_SM120_KERNEL(name##_sm120, TC__ATTN120_AUTO, name##_sm120_config(),                                      \
                          TC__IF_ATTN_SM120(TC__ATTN_SM120_BODY(own, name##_sm120_config())))                         \
    TC__ATTN_SM90_KERNEL(name##_sm90_other, tc_attn_sm90_other_config(own##_config()),                                \
                         TC__IF_SM90A(TC__ATTN_OTHER_MAYBE(own, own##_config())))                                     \
    TC__HOST_PART(TC__GO(own, attn, tc__attn_auto_go, TC__FUNCTION(name##_sm90) TC__FUNCTION(name##_sm80)             \
                                                          TC__FUNCTION(name##_decode) TC__FUNCTION(name##_sm100)      \
                                                          TC__FUNCTION(name##_sm120) TC__FUNCTION(name##_sm90_other)) \
                  TC__ATTN_ENTRIES(name, own))

#endif /* __CUDACC__ */
#endif /* TC_ATTN_H */
