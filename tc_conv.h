/* tc_conv.h - tc 0.2.0 - generated convolutions with your epilogue. Needs: the headers below; sm_80 and later, best on
 * sm_90a.
 *
 *     Y = epi(alpha * conv(X, W) + beta * Z)          X: n images of h x w x c; W: k filters of h x w x c;
 *                                                     Y, Z: n images of h x w x k; c or k innermost
 *
 *     #include "tc.h"
 *     typedef struct { const float *bias; } my_args;
 *     TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
 *     {
 *         return tc_relu(x + ((const my_args *)args)->bias[at.col]);
 *     }
 *     TC_CONV_DEFINE(conv_bias_relu, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_relu,
 *                    .epi_size = sizeof(my_args))
 *     ...
 *     my_args mine = { bias };
 *     tc_conv_args args = { .dims = 2, .n = 64, .c = 256, .k = 256, .size = { .h = 56, .w = 56 },
 *                           .filter = { .h = 3, .w = 3 }, .lower = { .h = 1, .w = 1 }, .upper = { .h = 1, .w = 1 },
 *                           .x = X, .w = W, .y = Y, .epi_args = &mine, .epi_size = sizeof mine };
 *     tc_status st = conv_bias_relu_run(&args, stream);
 *
 * It is a GEMM without a copy of X: m are Y's pixels, n the filters, k goes tap after tap through the channels. So its
 * kernels, their fields, hooks, beta, second output (.aux), split k, workspace, choice and PDL are the GEMM's
 * (tc_gemm.h), and what is said there of the order of sums holds here. One, two or three axes (dims); stride, padding
 * of each side, and dilation of each axis; images, lines and pixels of Y in that order:
 *     along an axis    out = (size + lower + upper - (filter - 1) * dilation - 1) / stride + 1, rounded down
 *     tc_conv_size y = tc_conv_output(&args);        says so, for Y's memory
 *
 * GENERATORS (NAME, then fields of tc_gemm_config, in any order)
 *     TC_CONV_DEFINE        one call for every device: three Hopper kernels, two for sm_80, which every other device
 *                           takes; picks at run time. On Hopper those of sm_80 also serve what TMA does not, and so few
 *                           channels that less than half of a block of 128 bytes would be used
 *     TC_CONV_SM90_DEFINE   im2col by TMA, wgmma, warp-specialised, persistent; sm_90a. The fields of
 *                           TC_GEMM_SM90_DEFINE, without .swap
 *     TC_CONV_SM80_DEFINE   im2col by the addresses of cp.async, mma.sync; sm_80 and later
 *   Each declares:
 *     NAME                            the kernel (for TC_CONV_DEFINE NAME_wide, _pair, _small, _sm80, _sm80_small)
 *     NAME_THREADS, NAME_SMEM         its block size and dynamic shared memory in bytes (not for TC_CONV_DEFINE)
 *     tc_status NAME_can_run(const tc_conv_args *args, const char **why)    checks only
 *     tc_status NAME_run(const tc_conv_args *args, cudaStream_t stream)     checks, then launches
 *     size_t NAME_workspace(const tc_conv_args *args)                       bytes of workspace that the call would use
 *   TC_CONV_DECLARE(NAME); declares these three in other files, C files too.
 *
 * TYPES. .a is X's, .b W's, .d that of Y and Z: as in tc_gemm.h, but for TC_F64. .a_layout and its like, .groups,
 * .index, .weights, .sparse, factors and sums of Y are not for convolutions.
 *
 * RULES for the data. Channels c are a multiple of 16 bytes (8 of 16 bits), X and W begin at one: pad an image of three
 * channels to eight. Filters k are free, so are Y and Z. ldx, ldy and ldz let pixels lie further apart than their
 * channels are long: a slice of the channels of a larger tensor, for X at a multiple of 16 bytes.
 *   TMA (TC_CONV_SM90_DEFINE alone refuses what it cannot): strides up to 8; with dims 1, 2 and 3 taps up to 65535, 255
 * and 31 pixels apart, and lower and (filter - 1) * dilation - upper at most 32768, 128 and 16. Filters of one tap with
 * stride 1 and no padding have no such limits.
 *
 * CHOICE. args.choice->kernel of TC_CONV_DEFINE is 1 (wide), 2 (pair) or 5 (small), as in the GEMM's list; on devices
 * other than Hopper it is not read.
 *
 * HOOKS. at.row is the number of Y's pixel, at.col the filter: a bias is tc_epi_bias_col's, a residual is beta * Z or
 * tc_epi_residual_bf16's. Which pixel it is:
 *     mine.pixels = tc_conv_pixels_of(&args);                            on the host, among the hook's arguments
 *     const tc_conv_pixel p = tc_conv_pixel_at(&mine->pixels, at.row);   in the hook: p.n, p.d, p.h, p.w
 *
 * BACKWARD. The gradient of X with stride 1 is a convolution too: of Y's gradient by W with its taps in reverse order
 * and channels and filters changed over, lower and upper (filter - 1) * dilation less the forward call's. That of W is
 * a product for each tap. examples/53_conv_backward.cu has both.
 */
#ifndef TC_CONV_H
#define TC_CONV_H

#include "tc_conv_config.h"
#include "tc_conv_sm80.h"
#include "tc_conv_sm90.h"
#include "tc_gemm.h"

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_conv_config tc__conv_as_given(const tc_conv_config given)
{
    tc_conv_config c = given;
    c.conv = 1;
    return c;
}
TC_HD TC_CONSTEXPR tc_conv_config tc_conv_sm90_config(const tc_conv_config given)
{
    return tc_gemm_sm90_config(tc__conv_as_given(given));
}
TC_HD TC_CONSTEXPR tc_conv_config tc_conv_sm80_config(const tc_conv_config given)
{
    return tc_gemm_sm80_config(tc__conv_as_given(given));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* A checked call that computes something, in a Hopper kernel that can serve it: with how->launch runs it. */
TC_HOST tc_status tc__conv90_run(const tc_conv_config *c, const tc__kernel *k, const tc_conv_args *args,
                                 const tc__launch *how)
{
    const tc_gemm_args whole = tc__conv_gemm(args, tc__conv90_blocks(c, args) * c->bk), g = tc__gemm_effective(&whole);
    tc_conv_sm90_params params;
    tc_gemm_sm90_launch l;
    tc__kernel use = *k;
    tc__gemm_device device;
    tc_gemm_cut cut;
    int clusters = 0;
    tc_status st = tc__kernel_device(k, &clusters);
    if (st != TC_OK) return st;
    device = tc__gemm_device_of(clusters, 0);
    st = tc__gemm90_cut(c, &g, &device, &cut);
    if (st != TC_OK) return st;
    params.walk = tc__conv_walk_of(args, 1);
    params.walk.steps = 1;
    if (g.k == 0) {
        st = tc_gemm_sm90_fill(c, &g, &cut, &params.p);
    } else {
        const tc__conv90_rows rows = {c->bm / c->cluster_n, cut.width / cut.cluster};
        st = tc__gemm90_fill(c, &g, &cut, &params.p);
        if (st == TC_OK) st = tc__conv90_maps(&params, c, args, rows);
    }
    if (st != TC_OK) return st;
    tc__gemm90_size(c, &cut, &l);
    if (how->workspace) *how->workspace = l.workspace;
    use.cluster = (int)l.cluster;
    return how->launch ? tc__kernel_launch(&use, l.grid, &params, how) : TC_OK;
}

/* The same in an sm_80 kernel. */
TC_HOST tc_status tc__conv80_run(const tc_conv_config *c, const tc__kernel *k, const tc_conv_args *args,
                                 const tc__launch *how)
{
    const tc_gemm_args whole = tc__conv_gemm(args, args->c), g = tc__gemm_effective(&whole);
    const int size = tc_type_bits(c->a) / 8;
    tc_conv_sm80_params params;
    int sms = 0;
    tc_status st = tc__kernel_device(k, &sms);
    if (st == TC_OK) st = tc_gemm_sm80_fill(c, &g, sms, &params.p);
    if (st != TC_OK) return st;
    params.walk = tc__conv_walk_of(args, args->c * size / 16);
    params.walk.pitch = tc__conv_ld(args->ldx, args->c) * size;
    if (how->workspace) *how->workspace = 0;
    return how->launch ? tc__kernel_launch(k, params.p.tiles.total, &params, how) : TC_OK;
}

/* What generators' functions for the host do with their kernels. */
TC_HOST tc_status tc__conv_sm90_go(const tc_conv_config *c, const tc__kernels *s, const tc_conv_args *args,
                                   const tc__launch *how)
{
    const tc__kernel k = tc__gemm_sm90_kernel(c, s->f[0], &s->cache[0]);
    tc_status st = tc__conv_check(c, args);
    if (st != TC_OK || tc__conv_empty(args)) return st;
    st = tc__conv90_check(args);
    return st == TC_OK ? tc__conv90_run(c, &k, args, how) : st;
}

TC_HOST tc_status tc__conv_sm80_go(const tc_conv_config *c, const tc__kernels *s, const tc_conv_args *args,
                                   const tc__launch *how)
{
    const tc__kernel k = tc__gemm_sm80_kernel(c, s->f[0], &s->cache[0]);
    const tc_status st = tc__conv_check(c, args);
    return st != TC_OK || tc__conv_empty(args) ? st : tc__conv80_run(c, &k, args, how);
}

/* Do Hopper's kernels serve a checked call, and with not too many zeros in their blocks? */
TC_HOST int tc__conv_by_wgmma(const tc_conv_config *given, const tc_conv_args *args)
{
    const int box = tc__gemm90_box_k(*given);
    if (!tc__gemm_by_wgmma(*given) || tc__conv90_check(args) != TC_OK) return 0;
    return 2 * (int64_t)args->c >= ((int64_t)args->c + box - 1) / box * box;
}

TC_HOST tc_status tc__conv_auto_go(const tc_conv_config *given, const tc__kernels *s, const tc_conv_args *args,
                                   const tc__launch *how)
{
    const tc_gemm_choice none = {0, 0, 0, 0, 0, 0}, *want = args && args->choice ? args->choice : &none;
    tc__device device = {0, 0, 0, 0};
    tc_conv_args x;
    tc_gemm_choice pick;
    tc_conv_config c;
    tc__kernel k;
    int small;
    tc_status st = tc__gemm_check_choice(given, want);
    if (st == TC_OK && want->kernel == TC__GEMM_ANY)
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = %d is for rows of a GEMM that TMA refuses", want->kernel);
    if (st == TC_OK) st = tc__conv_check(given, args);
    if (st != TC_OK || tc__conv_empty(args)) return st;
    x = *args;
    if (tc__device_now(&device) == cudaSuccess && device.cc == 90 && (want->kernel || tc__conv_by_wgmma(given, args))) {
        c = tc_conv_sm90_config(*given);
        if ((st = tc__conv90_check(args)) != TC_OK) return st;
        const tc_gemm_args whole = tc__conv_gemm(args, tc__conv90_blocks(&c, args) * c.bk);
        const tc_gemm_args g = tc__gemm_effective(&whole);
        pick = want->kernel ? *want : tc__gemm_choose(given, &g, &device);
        c = tc__gemm_tiled(*given, tc__gemm_tiles_of[pick.kernel - 1]);
        k = tc__gemm_sm90_kernel(&c, s->f[pick.kernel - 1], &s->cache[pick.kernel - 1]);
        x.choice = &pick;
        st = tc__conv90_run(&c, &k, &x, how);
#ifdef TC_SM80_ON_HOPPER
        if (st != TC_ERR_IMAGE) return st;
#else
        return st;
#endif
    }
    const tc_gemm_args whole = tc__conv_gemm(args, args->c);
    x.choice = NULL; /* that speaks of Hopper's */
    small = tc__gemm80_prefers_small(given, &whole, device.sms);
    c = small ? tc__gemm80_small(*given) : tc_conv_sm80_config(*given);
    k = tc__gemm_sm80_kernel(&c, s->f[TC__GEMM_TILE_COUNT + small], &s->cache[TC__GEMM_TILE_COUNT + small]);
    return tc__conv80_run(&c, &k, &x, how);
}

/* For other files, C files too: declares what a generator that stands in one .cu file defines for the host. */
#define TC_CONV_DECLARE(name)                                                                                         \
    TC__ENTRY size_t name##_workspace(const tc_conv_args *args);                                                      \
    TC__DECLARE(name, tc_conv_args)

#endif /* host */

/* =====================================================================================================================
 * Generators.
 */
#ifdef __CUDACC__

/* NAME_can_run, NAME_run, and NAME_workspace: the call as it would be with all the workspace that there is. */
#define TC__CONV_ENTRIES(name, own)                                                                                   \
    TC__ENTRIES(name, conv, own##_go)                                                                                 \
    TC__WORKSPACE_ENTRY(name, conv, own##_go)

/* See the top of this file. */
#define TC_CONV_SM90_DEFINE(name, ...) TC__CALL4(TC__CONV_SM90_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__CONV_SM90_DEFINE_(name, own, ...)                                                                         \
    TC__GEMM_CONFIG(name, own, tc_conv_sm90_config, __VA_ARGS__)                                                      \
    TC__CONV_SM90_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_SM90_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_ONE_RULES(own)                                                                                           \
    TC__SIZES(name, own##_config(), tc_gemm_sm90_threads, tc_gemm_sm90_smem)                                          \
    TC__GEMM_SM90_KERNEL(name, tc_conv_sm90_params, tc_gemm_sm90_threads(own##_config()),                             \
                         TC__SM90_STRICT(TC__GEMM_SM90_BODY(own, own##_config(), p.p)))                               \
    TC__HOST_PART(TC__GO(own, conv, tc__conv_sm90_go, TC__FUNCTION(name)) TC__CONV_ENTRIES(name, own))

#define TC_CONV_SM80_DEFINE(name, ...) TC__CALL4(TC__CONV_SM80_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__CONV_SM80_DEFINE_(name, own, ...)                                                                         \
    TC__GEMM_CONFIG(name, own, tc_conv_sm80_config, __VA_ARGS__)                                                      \
    TC__CONV_RULES(TC__RULE_ASSERT, own##_config())                                                                   \
    TC__GEMM_SM80_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_ONE_RULES(own)                                                                                           \
    TC__SIZES(name, own##_config(), tc_gemm_sm80_threads, tc_gemm_sm80_smem)                                          \
    TC__GEMM_SM80_KERNEL(name, tc_conv_sm80_params, TC__SM80_BOUND, tc__gemm80_bound(own##_config()),                 \
                         TC__GEMM_SM80_BODY(own, own##_config(), 1, p.p))                                             \
    TC__HOST_PART(TC__GO(own, conv, tc__conv_sm80_go, TC__FUNCTION(name)) TC__CONV_ENTRIES(name, own))

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_CONV_DEFINE: those of the GEMM's list of Hopper kernels whose A is the instruction's, and two for sm_80.
 */
#define TC__CONV_AUTO_RULES(X, c)                                                                                     \
    X(!(c).bm && !(c).bn && !(c).bk && !(c).stages && !(c).warps_m && !(c).warps_n && !(c).cluster_m && !(c).cluster_n\
      && !(c).cluster_k && !(c).consumers && !(c).schedule && !(c).epi_stages && !(c).raster && !(c).raster_group     \
      && !(c).step && !(c).split && !(c).shapes,                                                                      \
      "tc: TC_CONV_DEFINE picks tiles and schedules itself; to choose them use TC_CONV_SM90_DEFINE or "               \
      "TC_CONV_SM80_DEFINE")                                                                                          \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    TC__CONV_RULES(X, c)                                                                                              \
    TC__GEMM_TURNED_RULES(X, c)

/* As TC__GEMM_OWN_PARAMS. */
#ifdef __CUDACC_RTC__
#define TC__CONV_OWN_PARAMS(own)                                                                                      \
    typedef tc_conv_sm90_params own##_sm90;                                                                           \
    typedef tc_conv_sm80_params own##_sm80;
#else
#define TC__CONV_OWN_PARAMS(own)                                                                                      \
    TC__LINE_BREAK struct own##_sm90 { tc_conv_sm90_params call; };                                                   \
    TC__LINE_BREAK struct own##_sm80 { tc_conv_sm80_params call; }; TC__LINE_BREAK
#endif

/* One kernel each: of the list's lines those that turn a tile on its side are stubs; sm_80's are there on Hopper too,
 * for what TMA does not serve. */
#define TC__CONV_AUTO_SM90(name, own, tile, fields)                                                                   \
    TC__LINE_BREAK enum {                                                                                             \
        own##_has_##tile = tc__gemm_by_wgmma(own##_config())                                                          \
                        && tc__gemm_line_ok(own##_config(), tc__gemm_tile{TC__GEMM_UNPACK fields})                    \
    };                                                                                                                \
    TC__GEMM_SM90_KERNEL(                                                                                             \
        name##_##tile, own##_sm90,                                                                                    \
        TC__GEMM_AUTO_IF(own##_has_##tile, tc_gemm_sm90_threads(TC__GEMM_AUTO_CONFIG(own, fields))),                  \
        TC__IF_SM90A(if (own##_has_##tile) {                                                                          \
            TC__GEMM_SM90_BODY(own, TC__GEMM_AUTO_CONFIG(own, fields), TC__GEMM_PARAMS_OF.p)                          \
        }))
#define TC__CONV_AUTO_SM80(kernel, own, config)                                                                       \
    TC__GEMM_SM80_KERNEL(kernel, own##_sm80, TC__SM80_BOUND, tc__gemm80_bound(config(own##_config())),                \
                         TC__IF_SM80(TC__GEMM_SM80_BODY(own, config(own##_config()), 1, TC__GEMM_PARAMS_OF.p)))

#define TC_CONV_DEFINE(name, ...) TC__CALL4(TC__CONV_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__CONV_DEFINE_(name, own, ...)                                                                              \
    TC__GEMM_CONFIG(name, own, tc__conv_as_given, __VA_ARGS__)                                                        \
    TC__CONV_AUTO_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__CONV_OWN_PARAMS(own)                                                                                          \
    TC__GEMM_TILES(TC__CONV_AUTO_SM90, name, own)                                                                     \
    TC__CONV_AUTO_SM80(name##_sm80, own, tc_gemm_sm80_config)                                                         \
    TC__CONV_AUTO_SM80(name##_sm80_small, own, tc__gemm80_small)                                                      \
    TC__HOST_PART(TC__GO(own, conv, tc__conv_auto_go, TC__GEMM_TILES(TC__GEMM_AUTO_FUNCTION, name, own)               \
                         TC__GEMM_FUNCTION(name##_sm80, own##_sm80) TC__GEMM_FUNCTION(name##_sm80_small, own##_sm80)) \
                  TC__CONV_ENTRIES(name, own))

#endif /* __CUDACC__ */
#endif /* TC_CONV_H */
