/* tc_attn_mla_work.h - tc 0.2.0 - multi-head latent attention: its configuration and parameters, what its block takes,
 * its calls on the host. Needs: the headers below.
 *
 *     tc_attn_mla_config            a configuration with every unset field filled in
 *     tc_attn_mla_smem, _threads    what its block takes
 *     tc_attn_mla_legal             would the generator take this configuration?
 *     tc_attn_mla_prepare (host)    a call to launch by yourself: checked, its grid and its parameters
 *
 * tc_attn_mla.h is the manual.
 */
#ifndef TC_ATTN_MLA_WORK_H
#define TC_ATTN_MLA_WORK_H

#include "tc_attn_decode_work.h"
#include "tc_attn_map.h"

typedef struct tc_attn_mla_params {
    tc_tmap q;                   /* boxes of 64 columns and 64 rows, as many heads of a query as there are, or 64 */
    tc_tmap k;                   /* (column, row of a page or a sequence, page or sequence), boxes of 64 x box_rows */
    tc_attn_decode_params d;
    int box_rows;                /* 64, or the largest power of 2 that divides a page's rows */
    int outer;                   /* 0: pages (or sequences) are all the same memory */
    int q_tma;                   /* 0: rows of Q do not come in boxes */
} tc_attn_mla_params;

/* =====================================================================================================================
 * SHARED MEMORY. Everything that wgmma reads lies in slices of 64 columns, 64 rows of 128 bytes each, swizzled:
 *
 *     Q: 9 slices | slot 0: 9 slices of a tile of K | slot 1 | sums of rows | maxima | notes | words | mbarriers |
 *     8 KB for adding up parts
 *
 * A tile of 64 keys is K (576 columns) and V (its first 512) at once. Its last slice is of use to S alone: when S is
 * there, P takes its place.
 */
enum {
    TC__MLA_SLICES = 9, TC__MLA_FULLS = 5, TC__MLA_SLICE = 64 * 128, TC__MLA_TILE = TC__MLA_SLICES * TC__MLA_SLICE,
    TC__MLA_SLOTS = TC__MLA_TILE,                        /* behind Q */
    TC__MLA_SUMS = TC__MLA_SLOTS + 2 * TC__MLA_TILE,     /* by turns, of each warpgroup: 64 sums, 64 roundings */
    TC__MLA_TOPS = TC__MLA_SUMS + 2 * 2 * 2 * 64 * 4,    /* of each slot's tile: 64, a quad's two together */
    TC__MLA_RISES = TC__MLA_TOPS + 2 * 64 * 4,           /* of each slot's tile, a byte for each two: one was new */
    TC__MLA_NOTES = TC__MLA_RISES + 2 * 32,              /* by turns: 12 words */
    TC__MLA_WORDS = TC__MLA_NOTES + 2 * 64,              /* which 8 keys of a slot are of no page; slices to add */
    TC__MLA_BARS = TC__MLA_WORDS + 16,
    TC__MLA_FULL = TC__MLA_BARS,                         /* of each slot: 5, one for each quarter of V, and the rest */
    TC__MLA_EMPTY = TC__MLA_FULL + 2 * TC__MLA_FULLS * 8, /* of each slot: 4, of quarters of V */
    TC__MLA_P = TC__MLA_EMPTY + 2 * 4 * 8,               /* of each slot: P of each half of its keys is there */
    TC__MLA_TOP = TC__MLA_P + 2 * 2 * 8,                 /* of each slot: maxima are there */
    TC__MLA_Q = TC__MLA_TOP + 2 * 8,                     /* full, empty */
    TC__MLA_TAIL = TC__MLA_Q + 2 * 8,                    /* a sequence's last tile, before zeros go behind it */
    TC__MLA_SCRATCH = (TC__MLA_TAIL + 8 + 15) / 16 * 16, /* of those who add parts up */
    TC__MLA_BYTES = TC__MLA_SCRATCH + 8192
};
enum { TC__MLA_THREADS = 384, TC__MLA_LOADERS = 96 };    /* of which so many bring Q */

TC_HD TC_CONSTEXPR int tc_attn_mla_smem(const tc_attn_config c) { return (void)c, TC__MLA_BYTES; }
TC_HD TC_CONSTEXPR int tc_attn_mla_threads(const tc_attn_config c) { return (void)c, TC__MLA_THREADS; }

TC_HD TC_CONSTEXPR tc_attn_config tc_attn_mla_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 576;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : 512;
    c.bm = c.bm ? c.bm : 64;
    c.bn = c.bn ? c.bn : 64;
    c.warps = c.warps ? c.warps : 1; /* decoding's walk: a slab is a tile */
    c.stages = c.stages ? c.stages : 2;
    return c;
}

#define TC__ATTN_MLA_RULES(X, c)                                                                                      \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X((c).type == TC_F16 || (c).type == TC_BF16, "tc: .type must be TC_F16 or TC_BF16")                               \
    X((c).head_dim == 576 && (c).head_dim_v == 512,                                                                   \
      "tc: of TC_ATTN_MLA_DEFINE .head_dim is 576 and .head_dim_v 512: leave them unset")                             \
    X(((c).causal == 0 || (c).causal == 1) && ((c).paged == 0 || (c).paged == 1), "tc: .causal and .paged are 0 or 1")\
    X(!(c).window && !(c).kv, "tc: TC_ATTN_MLA_DEFINE has no .window and no .kv")                                     \
    X((c).bm == 64 && (c).bn == 64 && (c).stages == 2 && (c).warps == 1 && !(c).consumers && !(c).q_stages            \
          && !(c).exp_poly,                                                                                           \
      "tc: tiles of TC_ATTN_MLA_DEFINE are what they are: leave .bm, .bn, .stages, .q_stages, .consumers, .warps "    \
      "and .exp_poly unset")                                                                                          \
    X(!(c).dropout, "tc: decoding has no .dropout")                                                                   \
    X(!tc__attn_hooked(c) && !(c).hook_size, "tc: TC_ATTN_MLA_DEFINE takes no hooks: leave .hook_size unset too")

/* Whether TC_ATTN_MLA_DEFINE takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_attn_mla_legal(const tc_attn_config given)
{
    const tc_attn_config c = tc_attn_mla_config(given);
    return 1 TC__ATTN_MLA_RULES(TC__RULE_AND, c);
}

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* As tc_gemm_sm90_launch; cluster is 1 or 2. */
typedef struct tc_attn_mla_launch {
    unsigned grid, block, smem, cluster;
    tc_attn_mla_params params;
} tc_attn_mla_launch;

/* The rules for a call; *full: the call as decoding sees it, with V. */
TC_HOST tc_status tc__attn_mla_check(const tc_attn_config *c, const tc_attn_args *g, tc_attn_args *full)
{
    tc_status st;
    if (!g) return tc__fail(TC_ERR_NULL, "args is null");
    *full = *g;
    if (g->heads_kv != 0 && g->heads_kv != 1)
        return tc__fail(TC_ERR_SIZE, "heads_kv = %d must be 1, or 0 for 1: all heads share one cache", g->heads_kv);
    if (g->v && g->v != g->k)
        return tc__fail(TC_ERR_SIZE, "v = %p is not k = %p: the values are the first 512 columns of k, v may be null",
                        g->v, g->k);
    if (g->v_stride.batch || g->v_stride.row || g->v_stride.head)
        return tc__fail(TC_ERR_SIZE, "v_stride is given, but the values are the first 512 columns of k");
    full->heads_kv = 1;
    full->v = g->k;
    if (g->batch >= 0 && g->k_len >= 0) full->v_stride = tc__attn_tensor_of(c, full, 'k').given;
    if (!full->v_stride.batch && !full->v_stride.row && !full->v_stride.head)
        full->v_stride = tc__attn_tensor_of(c, full, 'k').s;
    st = tc__attn_decode_check(c, full);
    if (st != TC_OK || tc__attn_empty(full)) return st;
    if (!(g->scale > 0.f))
        return tc__fail(TC_ERR_SIZE, "scale = 0: say 1 / sqrt of the head dim that the model was trained with, before "
                        "its projections were absorbed (192, say, not 576)");
    return TC_OK;
}

/* Of a device: multiprocessors; pairs of blocks that run at a time, 0 where it has no clusters. */
typedef struct tc__mla_device {
    int sms, pairs;
} tc__mla_device;

/* How a checked call is cut. Two tiles of 64 rows of a sequence, queries times heads, are worked on by a pair of blocks
 * side by side, so that memory gives each tile of keys once; but where that would leave every sixth block or more
 * idle. */
TC_HOST tc_status tc__attn_mla_cut(const tc_attn_config *c, const tc_attn_args *g, int split, const tc__mla_device *on,
                                   tc__decode_cut *cut)
{
    const int64_t tiles = ((int64_t)g->q_len * g->heads + 63) / 64;
    const int pair = on->pairs && g->blocks != 1 && tiles > 1 && (tiles % 2 == 0 || tiles > 6);
    tc_attn_config unit = *c;
    tc_attn_args args = *g;
    tc_status st;
    if (pair) unit.bm = 128, args.blocks /= 2;
    st = tc__decode_cut_of(&unit, &args, split, pair ? on->pairs : on->sms, cut);
    if (st != TC_OK || !pair) return st;
    cut->cluster = 2;
    cut->blocks *= 2;
    tc__decode_cut_room(c, cut->workspace != 0, cut);
    return st;
}

/* Do 64 rows of Q, queries times heads, come in boxes? Then its tensor map. */
TC_HOST tc_status tc__attn_mla_q_map(const tc_attn_config *c, const tc_attn_args *g, tc_attn_mla_params *p)
{
    const tc__attn_tensor q = tc__attn_tensor_of(c, g, 'q');
    const int heads = q.heads < 64 ? q.heads : 64,
              shared = (q.heads > 1 && !q.s.head) || (q.rows > 1 && !q.s.row) || (q.batch > 1 && !q.s.batch);
    memset((void *)&p->q, 0, sizeof p->q);
    p->q_tma = 64 % heads == 0 && q.heads % heads == 0 && !shared;
    return p->q_tma ? tc__attn_map(&p->q, q, heads, 64 / heads) : TC_OK;
}

/* A checked call that computes something; g: as tc__attn_mla_check has completed it. */
TC_HOST tc_status tc__attn_mla_launch(const tc_attn_config *c, const tc_attn_args *g, const tc__mla_device *on,
                                      tc_attn_mla_launch *l)
{
    const tc__attn_tensor k = tc__attn_tensor_of(c, g, 'k');
    const tc_operand_matrix rows = {"k", c->type, k.base, c->head_dim, k.rows, k.batch, k.s.row, k.s.batch};
    tc_attn_mla_params *p = &l->params;
    tc__decode_cut cut;
    tc_status st = tc__attn_mla_cut(c, g, g->workspace != 0, on, &cut);
    if (st == TC_OK) st = tc__decode_fill_params(c, g, &cut, &p->d);
    p->box_rows = !c->paged || g->page_rows % 64 == 0 ? 64 : g->page_rows & -g->page_rows;
    p->outer = k.s.batch != 0;
    if (st == TC_OK) st = tc__attn_mla_q_map(c, g, p);
    memset((void *)&p->k, 0, sizeof p->k); /* where there are no keys nothing is read */
    if (st == TC_OK && g->k_len) st = tc_operand_map(&p->k, &rows, 64, p->box_rows);
    if (st != TC_OK) return st;
    l->block = TC__MLA_THREADS;
    l->smem = TC__MLA_BYTES;
    l->cluster = cut.cluster;
    l->grid = cut.blocks;
    return TC_OK;
}

/* Blocks that share a unit are counted in 8 bits. */
TC_HOST tc__mla_device tc__attn_mla_device(int sms, int pairs)
{
    const tc__mla_device on = {sms < TC_SPLIT_MOST ? sms : TC_SPLIT_MOST,
                               pairs < TC_SPLIT_MOST ? pairs : TC_SPLIT_MOST};
    return on;
}

/* As tc_attn_sm90_prepare. */
TC_HOST tc_status tc_attn_mla_prepare(const tc_attn_config *given, const tc_attn_args *args, int sms,
                                      tc_attn_mla_launch *out)
{
    const tc__field *tc__fields = tc__attn_fields;
    const tc__mla_device on = tc__attn_mla_device(sms, sms / 2);
    tc_attn_config complete;
    const tc_attn_config *c = &complete;
    tc_attn_args full;
    tc_status st;
    st = tc__decode_given(given, out, sizeof *out, sms);
    if (st != TC_OK) return st;
    complete = tc_attn_mla_config(*given);
    TC__ATTN_MLA_RULES(TC__RULE_SAY, *c)
    st = tc__attn_mla_check(c, args, &full);
    if (st != TC_OK || tc__attn_empty(&full)) return st;
    return tc__attn_mla_launch(c, &full, &on, out);
}

/* Keys of calls that start while the kernel before drains by themselves: 1 x 32768 took 39.0 microseconds for 41.9, 4 x
 * 4096 25.0 for 26.3, 256 x 512 88.9 for 92.2; 64 x 4096 and 128 x 8192 gain nothing. */
enum { TC__MLA_BRIEF = 131072 };

TC_HOST tc_status tc__attn_mla_run(const tc_attn_config *c, const tc__kernel *k, const tc_attn_args *args,
                                   const tc__launch *how)
{
    tc_attn_mla_launch l;
    tc_attn_args full;
    tc__device d = {0, 0, 0, 0};
    tc__decode_device asked = {0, {0, 0, 0, 0, 0}, 0};
    tc__mla_device on;
    tc__kernel sized = *k;
    tc__launch there = *how;
    tc_status st = tc__attn_mla_check(c, args, &full);
    int sms = 0;
    cudaError_t err;
    if (st != TC_OK || tc__attn_empty(&full)) return st;
    st = tc__kernel_device(k, &sms);
    if (st != TC_OK) return st;
    if ((err = tc__device_now(&d)) != cudaSuccess) return tc__cuda_fail("cudaDeviceGetAttribute", err);
    tc__decode_ask(k, &d, &asked);
    on = tc__attn_mla_device(sms, asked.clusters[1]);
    if (how->workspace) {
        tc__decode_cut cut;
        st = tc__attn_mla_cut(c, &full, 1, &on, &cut);
        if (st == TC_OK) *how->workspace = cut.workspace;
        return st;
    }
    st = tc__attn_mla_launch(c, &full, &on, &l);
    if (st != TC_OK || !how->launch) return st;
    sized.cluster = (int)l.cluster;
    there.pdl = args->pdl > 0 || (args->pdl == 0 && (int64_t)full.batch * full.k_len <= TC__MLA_BRIEF);
    return tc__kernel_launch(&sized, l.grid, &l.params, &there);
}

#endif /* host */
#endif /* TC_ATTN_MLA_WORK_H */
