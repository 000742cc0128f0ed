/* tc_gemm_sparse.h - tc 0.2.0 - generated GEMMs with a 2:4 sparse operand (.sparse): the rules for a configuration and
 * for a call. Needs: the headers below.
 *
 *     TC_GEMM_DEFINE(pruned, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .sparse = TC_SPARSE_A)
 *     tc_gemm_args args = {.m = m, .n = n, .k = k, .a = kept, .lda = k / 2, .b = B, .ldb = k, .d = D, .ldd = n,
 *                          .meta = meta};                       kept, meta: what tc_sp_pack or tc_sp_pack_grid wrote
 *     tc_status st = pruned_run(&args, stream);
 *
 * TC_SPARSE_A    A has m rows of k / 2 kept elements; lda, stride_a count those. TC_GEMM_DEFINE, TC_GEMM_SM90_DEFINE,
 *                TC_GEMM_SM100_DEFINE, TC_GEMM_SM80_DEFINE, TC_GEMM_SM120_DEFINE.
 * TC_SPARSE_B    B has n such rows (a layer's weights, n outputs of k inputs). TC_GEMM_SM90_DEFINE, where roles are
 *                changed over (.swap is then 1); the others where .d_layout = TC_COL.
 *   args.k is the k of the product, a multiple of 8 (TC_TF32: 4), args.meta the sparse operand's metadata, of a matrix
 *   of m (n) rows and k columns, stride_meta its bytes from one matrix of the batch to the next. Types: TC_F16,
 *   TC_BF16, TC_TF32, TC_S8 and TC_U8, TC_E4M3 and TC_E5M2, sums in f32 or s32. A is row-major, B column-major; D may
 *   lie either way.
 *   Hooks, alpha, beta, C, batches, more outputs, clusters, ping-pong, split k, plans (whose metadata stays) are as
 *   ever.
 *   Not with it: .step (so a tile has one width: 16 or a multiple of 32 of the instruction's columns), .groups, .index,
 *   .weights, .a_scale, .b_scale, .sf, .acc = TC_F16. .promote is a multiple of 2 * .bk (that, if left out).
 *   Hopper's .bk counts k of the product: 64 of 16 bits, 32 of tf32, 128 of 8 bits (64 bytes of kept), or twice that.
 *   An instruction then reads twice the bytes of B for each of its cycles: wide tiles, .bn = 256, and a cluster.
 *   Blackwell's .bk is 128 of 16 bits, 64 of tf32, 256 of 8 bits; pairs of blocks (.cluster_m = 2) read half of B each.
 *   Proven there in tcemu and assembled: no such board was there.
 */
#ifndef TC_GEMM_SPARSE_H
#define TC_GEMM_SPARSE_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"

/* Elements of k of two groups, of which k is a multiple. */
TC_HD TC_CONSTEXPR int tc__sparse_unit(int type) { return type == TC_TF32 ? 4 : 8; }

TC_HD TC_CONSTEXPR int tc__sparse_types_ok(tc_gemm_config_in c)
{
    return tc_sp_pack_known(c.a) && c.acc != TC_F16 && !tc__gemm_scaled(c) && !c.sf && !c.weights;
}
#define TC__GEMM_SPARSE_RULES(X, c)                                                                                   \
    X((c).sparse >= 0 && (c).sparse <= TC_SPARSE_B, "tc: .sparse must be TC_SPARSE_A, TC_SPARSE_B or 0")              \
    X(!(c).sparse || tc__sparse_types_ok(c),                                                                          \
      "tc: .sparse is of TC_F16, TC_BF16, TC_TF32, TC_S8, TC_U8, TC_E4M3 and TC_E5M2, sums in f32 or s32, without "   \
      ".a_scale, .b_scale, .sf and .weights")                                                                         \
    X(!(c).sparse || (!(c).groups && !(c).index && !(c).step && !(c).any),                                            \
      "tc: .sparse does not go with .groups, .index, .step and TC_GEMM_SM90_ANY_DEFINE")                              \
    X(!(c).sparse || (!tc__gemm_a_col(c) && !tc__gemm_b_row(c)),                                                      \
      "tc: .sparse wants .a_layout TC_ROW and .b_layout TC_COL: elements are kept along k")

/* Kernels whose sparse operand is the instruction's A without more ado. */
#define TC__GEMM_SPARSE_PLAIN_RULES(X, c)                                                                             \
    TC__GEMM_SPARSE_RULES(X, c)                                                                                       \
    X(tc__gemm_plain(c).sparse != TC_SPARSE_B,                                                                        \
      "tc: TC_SPARSE_A wants .d_layout = TC_ROW, and TC_SPARSE_B .d_layout = TC_COL, but for TC_GEMM_SM90_DEFINE")

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* The sparse operand of a call, c and g as they were given: which ('a' or 'b'), its rows. */
TC_HOST int tc__sparse_rows(const tc_gemm_config *c, const tc_gemm_args *g)
{
    return c->sparse == TC_SPARSE_A ? g->m : g->n;
}

/* After tc__gemm_check. */
TC_HOST tc_status tc__gemm_check_sparse(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const int unit = tc__sparse_unit(c->a);
    int64_t bytes;
    if (!c->sparse && (g->meta || g->stride_meta))
        return tc__fail(TC_ERR_CONFIG, "meta is given, but the kernel was generated without .sparse");
    if (!c->sparse || tc__gemm_empty(g) || g->k == 0) return TC_OK;
    if (g->k % unit)
        return tc__fail(TC_ERR_SIZE, "k = %d is not a multiple of %d, as the sparse operand needs", g->k, unit);
    if (tc__gemm_alpha(g) == 0) return TC_OK;
    if (!g->meta) return tc__fail(TC_ERR_NULL, "meta is null, but the kernel has .sparse");
    if ((uintptr_t)g->meta % 16) return tc__fail(TC_ERR_ALIGN, "meta = %p is not a multiple of 16 bytes", g->meta);
    bytes = tc_sp_meta_bytes(c->a, tc__sparse_rows(c, g), g->k);
    if (g->stride_meta < 0 || g->stride_meta % 16 || (g->batch > 1 && g->stride_meta && g->stride_meta < bytes))
        return tc__fail(TC_ERR_BATCH, "stride_meta = %lld must be 0, or a multiple of 16 bytes and at least the %lld "
                        "of a matrix (tc_sp_meta_bytes)", (long long)g->stride_meta, (long long)bytes);
    return TC_OK;
}

#endif /* host */
#endif /* TC_GEMM_SPARSE_H */
