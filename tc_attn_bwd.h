/* tc_attn_bwd.h - tc 0.2.0 - attention's backward pass, generated. Needs: sm_80 to sm_120, best on sm_90a.
 *
 *     dQ, dK, dV of O = softmax(mask(score(scale * Q K'))) V, from dO; f16 or bf16, sums in f32
 *
 *     #include "tc.h"
 *     TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 128, .causal = 1)
 *     TC_ATTN_BWD_DEFINE(attn_bwd, .type = TC_BF16, .head_dim = 128, .causal = 1)
 *     ...
 *     tc_attn_bwd_args args = { .batch = b, .heads = h, .heads_kv = hk, .q_len = n, .k_len = n, .q = Q, .k = K, .v = V,
 *                               .o = O, .lse = lse, .dout = dO, .dq = dQ, .dk = dK, .dv = dV };
 *     args.workspace_size = attn_bwd_workspace(&args);       then cudaMalloc it, once
 *     args.workspace = w;
 *     tc_status st = attn_bwd_run(&args, stream);
 *
 * GENERATORS (NAME, then fields of tc_attn_bwd_config, in any order)
 *     TC_ATTN_BWD_DEFINE        one call for every device: picks at run time
 *     TC_ATTN_BWD_SM90_DEFINE   TMA, wgmma, warp-specialised; sm_90a. All head dims, no .score. Tile: fields.
 *     TC_ATTN_BWD_SM80_DEFINE   cp.async, ldmatrix, mma.sync; sm_80 and every later target. All head dims.
 *   Each declares:
 *     NAME_before, NAME, NAME_after   the kernels of a call (for TC_ATTN_BWD_DEFINE NAME_sm90 and NAME_sm80)
 *     NAME_THREADS, NAME_SMEM         block size and dynamic shared memory of the main one (not for TC_ATTN_BWD_DEFINE)
 *     tc_status NAME_can_run(const tc_attn_bwd_args *args, const char **why)   checks only; *why (or NULL): sentence
 *     tc_status NAME_run(const tc_attn_bwd_args *args, cudaStream_t stream)    checks, then launches
 *     size_t NAME_workspace(const tc_attn_bwd_args *args)    bytes that the call takes on the current device (neither
 *                                                            args.workspace nor _size is looked at); 0 where the
 *                                                            arguments break a rule, which tc_why() then names
 *   TC_ATTN_BWD_DECLARE(NAME); declares these three in another file, a C file too.
 *
 * What the Hopper kernel does not serve (.score) TC_ATTN_BWD_DEFINE gives to its sm_80 kernel on Hopper too. As with
 * TC_ATTN_DEFINE nothing is allocated and nothing synchronised, and a call may be captured in a graph; everything is
 * checked before anything is launched, and on error no output is touched and tc_why() names the argument, its value and
 * the rule.
 *
 * TENSORS, LENGTHS, MASKS are the forward's (tc_attn.h), and so must the hooks, the scale and the windows of the call
 * be. lse is what the forward wrote: natural logarithm, -inf in a row that sees no key. dq, dk and dv have strides of
 * their own; rows that belong to no sequence are not written, rows that nothing reaches become 0. Where key heads are
 * shared, dK and dV are sums over the query heads of the group. Where a side is empty (q_len or k_len is 0), its
 * tensors are null, and the gradients of the other side become 0. No result may overlap another tensor.
 *
 * ORDER. dQ is a sum over tiles of keys, which different blocks have. By default they add in an order that is fixed,
 * each in its turn: two calls with the same arguments on the same device give the same bits. With args.fast = 1 each
 * adds when it has it: the last bits of dQ differ from call to call (dK, dV and dsink do not), and no block waits; on
 * Hopper that is seldom faster for heads up to 128, and by up to a fifth for wider ones.
 *
 * WORKSPACE: f32 sums of dQ, two floats for each row, a few for each tile. It may hold anything, and serves one call at
 * a time.
 *
 * HOOKS, TC_DEV functions as the forward's:
 *     .score       the same function as the forward's, and with it
 *     .score_grad  = float f(float s, tc_attn_at at, const void *args)    its derivative by s, at the same s
 *     .mask, .sink the same as the forward's. There is no .mask_tile: a .mask is asked about every pair; and no .out:
 *                  who has one hands over the gradient of what stands before it, and O as it was before it
 *   .score may be asked several times, and about no pair that does not exist or that .causal and the window drop. A
 *   score of -inf drops its key. dsink[h], with .sink: the derivative by what .sink returns for head h, where that is
 *   the same for all batches.
 *
 * DROPOUT. .dropout = 1, and dropout_p, dropout_seed and dropout_offset as in the forward's call: then the mask is the
 *     same (tc_attn.h). dV = (mask P / (1 - p))' dO, dS = P (mask / (1 - p) (dO V') - delta), and delta is the sum of
 *     dO O along a row as without. On Hopper tiles have 64 queries.
 *
 * PARTS
 *     tc_attn_bwd_before, _after, _work_at, _store                     tc_attn_bwd_work.h
 *     tc_attn_bwd_sm80, tc_attn_bwd_sm90                               the main kernels' bodies
 *     tc_attn_bwd_sm80_legal, _sm90_legal                              would the generator take this configuration?
 */
#ifndef TC_ATTN_BWD_H
#define TC_ATTN_BWD_H

#include "tc_attn_bwd_sm90.h"
#include "tc_attn_bwd_sm80.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* The kernels of a generator as the host sees them. s: before, after, then the main ones. */
TC_HOST void tc__attn_bwd_kernels(const tc__kernels *s, int main, tc__kernel *k)
{
    const int at[3] = {0, main, 1};
    int i;
    for (i = 0; i < 3; i++) {
        memset(&k[i], 0, sizeof k[i]);
        k[i].function = s->f[at[i]].function;
        k[i].name = s->f[at[i]].name;
        k[i].threads = TC__ATTN_BWD_AROUND;
        k[i].cluster = 1;
        k[i].cc = 80;
        k[i].cache = &s->cache[at[i]];
    }
}

TC_HOST tc_status tc__attn_bwd_sm80_go(const tc_attn_bwd_config *c, const tc__kernels *s, const tc_attn_bwd_args *args,
                                       const tc__launch *how)
{
    tc__kernel k[3];
    tc__attn_bwd_kernels(s, 2, k);
    k[1].threads = tc_attn_bwd_sm80_threads(*c), k[1].smem = tc_attn_bwd_sm80_smem(*c);
    return tc__attn_bwd_sm80_run(c, k, args, how);
}

TC_HOST tc_status tc__attn_bwd_sm90_go(const tc_attn_bwd_config *c, const tc__kernels *s, const tc_attn_bwd_args *args,
                                       const tc__launch *how)
{
    tc__kernel k[3];
    tc__attn_bwd_kernels(s, 2, k);
    k[1].threads = tc_attn_bwd_sm90_threads(*c), k[1].smem = tc_attn_bwd_sm90_smem(*c), k[1].cc = 90;
    return tc__attn_bwd_sm90_run(c, k, args, how);
}

/* s: before, after, Hopper's, sm_80's. */
TC_HOST tc_status tc__attn_bwd_auto_go(const tc_attn_bwd_config *given, const tc__kernels *s,
                                       const tc_attn_bwd_args *args, const tc__launch *how)
{
    const tc_attn_bwd_config c90 = tc_attn_bwd_sm90_config(*given), c80 = tc_attn_bwd_sm80_config(*given);
    tc__kernel k[3];
    if (tc__on_hopper() && tc_attn_bwd_sm90_legal(*given)) return tc__attn_bwd_sm90_go(&c90, s, args, how);
    tc__attn_bwd_kernels(s, 3, k);
    k[1].threads = tc_attn_bwd_sm80_threads(c80), k[1].smem = tc_attn_bwd_sm80_smem(c80);
    return tc__attn_bwd_sm80_run(&c80, k, args, how);
}

#define TC_ATTN_BWD_DECLARE(name)                                                                                     \
    TC__ENTRY size_t name##_workspace(const tc_attn_bwd_args *args);                                                  \
    TC__DECLARE(name, tc_attn_bwd_args)
#endif

/* =====================================================================================================================
 * Generators.
 */
#ifdef __CUDACC__

TC_DEV float tc__attn_bwd_no_score(float s, tc_attn_at at, const void *args) { (void)at, (void)args; return s; }
TC_DEV int tc__attn_bwd_no_mask(tc_attn_at at, const void *args) { (void)at, (void)args; return 1; }
TC_DEV float tc__attn_bwd_no_sink(tc_attn_at at, const void *args) { (void)at, (void)args; return 0.f; }

#define TC__ATTN_BWD_HOOKS                                                                                            \
    ".score, .score_grad = float f(float s, tc_attn_at at, const void *args), "                                       \
    ".mask = int f(tc_attn_at at, const void *args), "                                                                \
    ".sink = float f(tc_attn_at at, const void *args)"

/* A configuration that has every hook. */
TC_DEV TC_CONSTEXPR tc_attn_bwd_config tc__attn_bwd_hooks(const tc_attn_bwd_config given)
{
    tc_attn_bwd_config c = given;
    c.score = c.score ? c.score : tc__attn_bwd_no_score;
    c.score_grad = c.score_grad ? c.score_grad : tc__attn_bwd_no_score;
    c.mask = c.mask ? c.mask : tc__attn_bwd_no_mask;
    c.sink = c.sink ? c.sink : tc__attn_bwd_no_sink;
    return c;
}

#define TC__ATTN_BWD_CONFIG(name, own, complete, ...)                                                                 \
    TC__GIVEN(own, attn_bwd, TC__ATTN_BWD_HOOKS, __VA_ARGS__)                                                         \
    TC__CONFIG(name, own, attn_bwd, complete(own##_given()))                                                          \
    TC__LINE_BREAK TC_DEV void own##_a_hook_is_a_TC_DEV_function(void)                                                \
    {                                                                                                                 \
        (void)tc__attn_bwd_hooks(own##_config()).score(0.f, tc_attn_at{}, 0);                                         \
        (void)tc__attn_bwd_hooks(own##_config()).score_grad(0.f, tc_attn_at{}, 0);                                    \
        (void)tc__attn_bwd_hooks(own##_config()).mask(tc_attn_at{}, 0);                                               \
        (void)tc__attn_bwd_hooks(own##_config()).sink(tc_attn_at{}, 0);                                               \
    }
#define TC__ATTN_BWD_HOOK(own) if (false) own##_a_hook_is_a_TC_DEV_function();

/* The kernels around the main one: the same for both. */
#define TC__ATTN_BWD_AROUND_KERNELS(name, own)                                                                        \
    TC__KERNEL_OF(name##_before, tc_attn_bwd_problem, (TC__SM80_BOUND(TC__ATTN_BWD_AROUND), 1),                       \
                  TC__ATTN_BWD_HOOK(own) TC__IF_SM80(constexpr tc_attn_bwd_config c = own##_config();                 \
                                                     tc_attn_bwd_before(c, &p);))                                     \
    TC__KERNEL_OF(name##_after, tc_attn_bwd_problem, (TC__SM80_BOUND(TC__ATTN_BWD_AROUND), 1),                        \
                  TC__IF_SM80(constexpr tc_attn_bwd_config c = own##_config(); tc_attn_bwd_after(c, &p);))

#define TC__ATTN_BWD_SM90_BODY(config)                                                                                \
    constexpr tc_attn_bwd_config c = config;                                                                          \
    constexpr tc_attn_bwd_sm90_wgmma m = tc__attn_bwd90_wgmma(config);                                                \
    tc_attn_bwd_sm90(c, m, &p);
#define TC__ATTN_BWD_SM90_KERNEL(kernel, config, ...)                                                                 \
    TC__KERNEL_OF(kernel, tc_attn_bwd_sm90_params, (TC__SM90_BOUND(tc_attn_bwd_sm90_threads(config)), 1), __VA_ARGS__)

#define TC__ATTN_BWD_SM80_BODY(config)                                                                                \
    constexpr tc_attn_bwd_config c = config;                                                                          \
    tc_attn_bwd_sm80(c, &p);
#define TC__ATTN_BWD_SM80_KERNEL(kernel, bound, config, ...)                                                          \
    TC__KERNEL_OF(kernel, tc_attn_bwd_sm80_params, (bound(tc_attn_bwd_sm80_threads(config)), 1), __VA_ARGS__)

#define TC__ATTN_BWD_ENTRIES(name, own, go, ...)                                                                      \
    TC__HOST_PART(TC__GO(own, attn_bwd, go, TC__FUNCTION(name##_before) TC__FUNCTION(name##_after) __VA_ARGS__)       \
                  TC__ENTRIES(name, attn_bwd, own##_go)                                                               \
                  TC__LINE_BREAK TC__ENTRY size_t name##_workspace(const tc_attn_bwd_args *args)                      \
                  {                                                                                                   \
                      size_t bytes = 0;                                                                               \
                      const tc__launch how = {0, 0, 0, &bytes, 0, 0, 0};                                              \
                      return own##_go(args, &how) == TC_OK ? bytes : 0;                                               \
                  })

/* A generator of one main kernel; cc: 90 or 80. */
#define TC__ATTN_BWD_ONE(name, own, cc, ...)                                                                          \
    TC__ATTN_BWD_CONFIG(name, own, tc_attn_bwd_sm##cc##_config, __VA_ARGS__)                                          \
    TC__ATTN_BWD_SM##cc##_RULES(TC__RULE_ASSERT, own##_config())                                                      \
    TC__SIZES(name, own##_config(), tc_attn_bwd_sm##cc##_threads, tc_attn_bwd_sm##cc##_smem)                          \
    TC__ATTN_BWD_AROUND_KERNELS(name, own)

#define TC_ATTN_BWD_SM90_DEFINE(name, ...) TC__CALL4(TC__ATTN_BWD_SM90_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_BWD_SM90_DEFINE_(name, own, ...)                                                                     \
    TC__ATTN_BWD_ONE(name, own, 90, __VA_ARGS__)                                                                      \
    TC__ATTN_BWD_SM90_KERNEL(name, own##_config(), TC__SM90_STRICT(TC__ATTN_BWD_SM90_BODY(own##_config())))           \
    TC__ATTN_BWD_ENTRIES(name, own, tc__attn_bwd_sm90_go, TC__FUNCTION(name))

#define TC_ATTN_BWD_SM80_DEFINE(name, ...) TC__CALL4(TC__ATTN_BWD_SM80_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_BWD_SM80_DEFINE_(name, own, ...)                                                                     \
    TC__ATTN_BWD_ONE(name, own, 80, __VA_ARGS__)                                                                      \
    TC__ATTN_BWD_SM80_KERNEL(name, TC__SM80_BOUND, own##_config(),                                                    \
                             TC__IF_SM80(TC__ATTN_BWD_SM80_BODY(own##_config())))                                     \
    TC__ATTN_BWD_ENTRIES(name, own, tc__attn_bwd_sm80_go, TC__FUNCTION(name))

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_ATTN_BWD_DEFINE: types, head dims, masks and hooks come from the user, everything else from here. In a build for
 * sm_90a the sm_80 kernel is a stub where Hopper's own serves the configuration, and Hopper's where it does not.
 */
#define TC__ATTN_BWD_AUTO_RULES(X, c)                                                                                 \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X(!(c).bm && !(c).bn && !(c).stages && !(c).warps,                                                                \
      "tc: TC_ATTN_BWD_DEFINE picks tiles itself; to choose them use TC_ATTN_BWD_SM90_DEFINE or "                     \
      "TC_ATTN_BWD_SM80_DEFINE")                                                                                      \
    TC__ATTN_BWD_SM80_RULES(X, tc_attn_bwd_sm80_config(c))

TC_HD constexpr tc_attn_bwd_config tc__attn_bwd_as_given(const tc_attn_bwd_config given)
{
    tc_attn_bwd_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    return c;
}

/* What Hopper's kernel is made of where it is a stub: its rules would not let the real one be compiled. */
TC_HD constexpr tc_attn_bwd_config tc__attn_bwd_sm90_or_none(const tc_attn_bwd_config given)
{
    tc_attn_bwd_config c = given;
    if (!tc_attn_bwd_sm90_legal(given)) c.head_dim = c.head_dim_v = 64, c.score = 0, c.score_grad = 0;
    return tc_attn_bwd_sm90_config(c);
}

#if TC_HAS_SM80
#define TC__ATTN_BWD_80_HERE(legal) (!TC_HAS_SM90A || !(legal))
#else
#define TC__ATTN_BWD_80_HERE(legal) 0
#endif

#define TC_ATTN_BWD_DEFINE(name, ...) TC__CALL4(TC__ATTN_BWD_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_BWD_DEFINE_(name, own, ...)                                                                          \
    TC__ATTN_BWD_CONFIG(name, own, tc__attn_bwd_as_given, __VA_ARGS__)                                                \
    TC__ATTN_BWD_AUTO_RULES(TC__RULE_ASSERT, own##_config())                                                          \
    TC__ATTN_BWD_AROUND_KERNELS(name, own)                                                                            \
    TC__KERNEL_OF(name##_sm90, tc_attn_bwd_sm90_params,                                                               \
                  (tc_attn_bwd_sm90_legal(own##_config())                                                             \
                       ? TC__SM90_BOUND(tc_attn_bwd_sm90_threads(tc__attn_bwd_sm90_or_none(own##_config()))) : 32, 1),\
                  TC__IF_SM90A(constexpr int real = tc_attn_bwd_sm90_legal(own##_config());                           \
                               if (real) { TC__ATTN_BWD_SM90_BODY(tc__attn_bwd_sm90_or_none(own##_config())) }))      \
    TC__KERNEL_OF(name##_sm80, tc_attn_bwd_sm80_params,                                                               \
                  (TC__ATTN_BWD_80_HERE(tc_attn_bwd_sm90_legal(own##_config()))                                       \
                       ? tc_attn_bwd_sm80_threads(tc_attn_bwd_sm80_config(own##_config())) : 32, 1),                  \
                  TC__IF_SM80(constexpr int real = TC__ATTN_BWD_80_HERE(tc_attn_bwd_sm90_legal(own##_config()));      \
                              if (real) { TC__ATTN_BWD_SM80_BODY(tc_attn_bwd_sm80_config(own##_config())) }))         \
    TC__ATTN_BWD_ENTRIES(name, own, tc__attn_bwd_auto_go, TC__FUNCTION(name##_sm90) TC__FUNCTION(name##_sm80))

#endif /* __CUDACC__ */
#endif /* TC_ATTN_BWD_H */
