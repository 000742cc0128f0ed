/* tc_gemm_sm100_call.h - tc 0.2.0 - a call of the sm_100 GEMM: its rules, tensor maps and parameters, how it is cut,
 * the launch. Needs: the headers below; host only.
 *
 *     tc_gemm_sm100_fill       parameters of a checked call
 *     tc_gemm_sm100_prepare    the same for who launches by himself
 *     tc__gemm_sm100_go        what NAME_run and its like do
 */
#ifndef TC_GEMM_SM100_CALL_H
#define TC_GEMM_SM100_CALL_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"
#include "tc_gemm_cut.h"
#include "tc_gemm_sm100_plan.h"
#include "tc_gemm_sm100_sparse.h"
#include "tc_gemm_weights.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* An operand's tensor map; with k = 0 one of a few elements of D, of which nothing is read. v: the configuration's
 * view, and g the call's. */
TC_HOST tc_status tc__gemm100_map(tc_tmap *map, const tc_gemm_config *v, const tc_gemm_args *g, char which)
{
    const tc_operand o = which == 'a' ? tc__gemm100_a(*v) : tc__gemm100_b(*v);
    const int across = tc_operand_box_k(o), rows = which == 'a' ? o.rows / v->cluster_n : tc__gemm100_b_box(*v);
    tc_operand_matrix x = tc__gemm_matrix(v, g, v->swap ? 'a' : which);
    const int padded = tc__gemm_padded(*v, which == 'a' ? v->a : v->b); /* roles changed over: B alone has a map */
    tc_operand_box box = {across, o.mn ? v->bk : rows, 128, padded};
    if (x.type == TC_TF32) { /* elements as they are */
        x.type = TC_F32;
        if (o.mn) box.swizzle = TC_SWIZZLE_128B_ATOM_32B;
    }
    if (x.type == TC_E2M1 && !padded) { /* two in a byte; k is even */
        x.type = TC_U8;
        x.cols /= 2, x.pitch /= 2, x.stride /= 2;
        box.cols = 128;
    }
    if (g->k == 0) {
        x.base = (const void *)((uintptr_t)g->d & ~(uintptr_t)31);
        x.cols = padded ? across : across / 8;
        x.rows = x.batch = 1;
        x.pitch = x.cols;
    }
    if (which == 'a' && tc__gemm100_gathers(*v)) return tc_operand_map_rows(map, &x, &box);
    return tc_operand_map_box(map, &x, &box);
}

/* .gate: B2's. */
TC_HOST tc_status tc__gemm100_map_b2(tc_tmap *map, const tc_gemm_config *v, const tc_gemm_args *g)
{
    const tc_gemm_args second = tc__gate_second(g);
    return tc__gemm100_map(map, v, &second, 'b');
}

/* D's; rows that are looked up (TC_INDEX_D) by themselves. */
TC_HOST tc_status tc__gemm100_map_d(tc_tmap *map, const tc_gemm_config *v, const tc_gemm_args *g)
{
    const tc_box box = tc__gemm100_box(*v);
    const tc_operand_box rows = {tc_box_cols(box), 1, box.bytes, 0};
    tc_operand_matrix d = tc__gemm_matrix(v, g, 'd');
    if (!(v->index & TC_INDEX_D)) return tc_operand_map(map, &d, tc_box_cols(box), 16);
    d.rows = g->d_rows;
    return tc_operand_map_rows(map, &d, &rows);
}

/* Parameters of a checked call that is cut as `cut` says: clusters of the grid. c, g: of the view. */
TC_HOST tc_status tc_gemm_sm100_fill(const tc_gemm_config *c, const tc_gemm_args *g, const tc_gemm_cut *cut,
                                     tc_gemm_sm100_params *p)
{
    const tc_gemm_config v = *c;
    const tc_operand_matrix d = tc__gemm_matrix(&v, g, 'd');
    const tc__gemm_sf sf = {tc__gemm100_sf_k(v), tc__gemm100_sf_blocks(v), v.groups};
    const tc_gemm_args all = tc__gate_all(&v, g);
    tc_status st = tc__gemm_tiles(&p->tiles, &v, &all, cut);
    if (st != TC_OK) return st;
    p->groups = tc__gemm_groups_of(&v, g, cut);
    p->d_row = g->d_row, p->d_rows = g->d_rows, p->a_row = g->a_row, p->a_rows = g->a_rows;
    p->out = tc__gemm_out(&v, g);
    p->k_blocks = ((uint32_t)g->k + (uint32_t)v.bk - 1) / (uint32_t)v.bk;
    if (p->k_blocks < (uint32_t)cut->parts) p->k_blocks = (uint32_t)cut->parts;
    p->works = p->tiles.total * (uint32_t)cut->parts;
    p->split = tc_split_make(g->workspace, p->tiles.total * (uint32_t)(v.cluster_m * v.cluster_n), (uint32_t)cut->parts,
                             p->k_blocks);
    p->k_first = g->k ? 0 : 1 << 20; /* past the row that the maps then have */
    p->k_steps = (uint32_t)(((int64_t)g->k * tc_type_bits(tc__gemm100_stored(v, v.a)) + 255) / 256);
    if (p->k_steps == 0) p->k_steps = 1;
    tc__gemm100_meta_fill(&v, g, p);
    p->sf_blocks = v.sf ? tc_sf_blocks(g->k, sf.k) : 0;
    p->sfa_batched = g->k && g->stride_sfa != 0, p->sfb_batched = g->k && g->stride_sfb != 0;
    p->a_batched = g->k && g->stride_a != 0;
    p->b_batched = g->k && (v.swap ? g->stride_a : g->stride_b) != 0;
    p->weights = tc__weights_bricks(&v, g);
    p->waits = (uint8_t)(g->pdl > 0);
    p->d_by = tc__gemm_d_by(&v, g, &p->out);
    p->d_plain = p->d_by == TC__GEMM_D_TMA && p->out.beta == 0.f;
    p->d_clips = p->d_plain && (int64_t)d.cols * tc_type_bits(v.d) / 8 % 16 == 0; /* TMA writes whole 16 bytes */
    if (tc__gemm_outputs(v) || v.index & TC_INDEX_D || (v.gate && !v.gate_blind)) p->d_clips = 0;
    if (p->d_by == TC__GEMM_D_TMA) st = tc__gemm100_map_d(&p->d, &v, g);
    if (v.weights) memset(&p->a, 0, sizeof p->a);
    if (st == TC_OK && !v.weights) st = tc__gemm100_map(&p->a, &v, g, 'a');
    if (st == TC_OK) st = tc__gemm100_map(&p->b, &v, g, 'b');
    if (st == TC_OK && v.gate) st = tc__gemm100_map_b2(&p->sfb, &v, g);
    if (st == TC_OK && v.sf) st = tc__gemm_sf_map(&p->sfa, sf, g, 'a');
    if (st == TC_OK && v.sf) st = tc__gemm_sf_map(&p->sfb, sf, g, 'b');
    return st;
}

/* A call to launch: grid in blocks (0: there is nothing to compute), threads of a block, bytes of its dynamic shared
 * memory, blocks of a cluster (1: launch without), and the kernel's only argument. */
typedef struct tc_gemm_sm100_launch {
    unsigned grid, block, smem, cluster;
    size_t workspace; /* bytes that it takes of the call's */
    tc_gemm_sm100_params params;
} tc_gemm_sm100_launch;

/* The rules for a call. */
TC_HOST tc_status tc__gemm100_check(const tc_gemm_config *c, const tc_gemm_args *args)
{
    tc_status st = tc__gemm_check(c, args);
    tc_gemm_args g;
    if (st == TC_OK) st = tc__gemm_check_sparse(c, args);
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    g = tc__gemm_effective(args);
    if (c->weights) {
        st = tc__weights_call_check(c, &g);
        return st == TC_OK ? tc__gemm_check_tma(c, &g) : st;
    }
    if (g.k) st = tc__gemm_check_side(c, &g, 'a');
    if (g.k && st == TC_OK) st = tc__gemm_check_side(c, &g, 'b');
    return st == TC_OK ? tc__gemm_check_tma(c, &g) : st;
}

#define TC__GEMM100_MAKE 100.0 /* .weights: cycles in which numbers of 128 bytes of k are made */

/* What the choice reckons with for a call of a kernel of which so many clusters run at a time: a step of 128 bytes of k
 * takes the longer of its products (two cycles a column) and of its bytes (64 a cycle), and so many bytes a tile's sums
 * take to the workspace and back. v, g: of the view. */
TC_HOST tc__gemm_pace tc__gemm100_pace(const tc_gemm_config *v, const tc_gemm_args *g, int clusters)
{
    const int across = v->bn * v->cluster_n;
    const int b_rows = v->bn / v->cluster_m * (v->sparse ? 2 : 1); /* a step has twice the k of B */
    const double rows = TC__GEMM100_ROWS, of_a = v->weights ? rows / 16 * tc_type_bits(v->weights) : rows;
    const double products = 2. * v->bn, bytes = 2. * (of_a + (double)(b_rows));
    tc__gemm_pace x = {0, 1, 0, 0, 12. * v->bn, 16. * v->bn};
    x.tiles = (double)tc__gemm_about_tiles(v, g, v->bm * v->cluster_m, across);
    if (clusters > 1) x.at_a_time = clusters;
    x.steps = (double)g->k / (v->sparse ? 2048 : tc__gemm100_box_k(*v));
    x.step = products > bytes ? products : bytes;
    if (v->weights && x.step < TC__GEMM100_MAKE) x.step = TC__GEMM100_MAKE;
    return x;
}

/* What parts of its tiles take of the call's workspace. */
TC_HOST tc__gemm_room tc__gemm100_room(const tc_gemm_config *v, const tc_gemm_args *g)
{
    const int64_t down = (g->m + (int64_t)v->bm * v->cluster_m - 1) / (v->bm * v->cluster_m);
    const int64_t across = (g->n + (int64_t)v->bn * v->cluster_n - 1) / (v->bn * v->cluster_n);
    const int64_t tiles = down * across * tc__gemm_batch(g) * v->cluster_m * v->cluster_n;
    const tc__gemm_room room = {(uint32_t)(tiles < 0x7fffffff ? tiles : 0x7fffffff), (size_t)(v->bm * v->bn),
                                g->workspace ? g->workspace_size : 0};
    return room;
}

/* Cycles of a call in the best parts of k, which *parts becomes. */
TC_HOST double tc__gemm100_best(const tc_gemm_config *v, const tc_gemm_args *g, int clusters, int *parts)
{
    const tc__gemm_pace pace = tc__gemm100_pace(v, g, clusters);
    const tc__gemm_room room = tc__gemm100_room(v, g);
    *parts = v->split ? tc__gemm_best_parts(&pace, &room, (int)(((int64_t)g->k + v->bk - 1) / v->bk)) : 1;
    return tc__gemm_cycles(&pace, *parts);
}

/* A checked call that computes something. clusters: how many of the kernel run at a time. */
TC_HOST tc_status tc__gemm100_launch(const tc_gemm_config *c, const tc_gemm_args *args, int clusters,
                                     tc_gemm_sm100_launch *l)
{
    const tc_gemm_args read = tc__gemm_effective(args), g = tc__gemm_plain_args(c, &read);
    const tc_gemm_config v = tc_gemm100_view(*c);
    tc_gemm_args left = tc__gemm_less_parts(c, &g);
    if (v.swap) left.m = g.n, left.n = g.m; /* rows and columns of the instruction */
    left.n *= tc__gemm_products(v);
    const tc__gemm_cutting by = {tc__gemm100_pace(&v, &left, clusters), tc__gemm100_room(&v, &left), clusters};
    tc_gemm_cut cut;
    tc_status st = tc__gemm_split_cut(&v, &left, &by, &cut);
    l->workspace = cut.workspace + tc__gemm_parts_bytes(c, &g);
    l->block = (unsigned)tc_gemm_sm100_threads(*c);
    l->smem = (unsigned)tc_gemm_sm100_smem(*c);
    l->cluster = (unsigned)(v.cluster_m * v.cluster_n);
    l->grid = 0;
    if (st == TC_OK) st = tc_gemm_sm100_fill(&v, &g, &cut, &l->params);
    if (st != TC_OK) return st;
    if (v.clc && l->params.tiles.total > 0x7fffffffu / l->cluster)
        return tc__fail(TC_ERR_SIZE, "m = %d, n = %d, batch = %d: with .clc more than 2^31 blocks", args->m, args->n,
                        tc__gemm_batch(args));
    if (v.clc || l->params.works < (uint32_t)cut.blocks) cut.blocks = (int)l->params.works;
    l->grid = (unsigned)cut.blocks * l->cluster;
    return TC_OK;
}

/* tc_gemm_sm100_prepare: a call of a kernel that the program compiles and launches by itself (NVRTC, the driver API).
 * given: the configuration of its TC_GEMM_SM100_DEFINE, tc_epi_on_device or tc_epi2_on_device for its hook. clusters:
 * how many of it run at a time (cuOccupancyMaxActiveClusters; the device's multiprocessors divided by the cluster's
 * blocks are as good). */
TC__PREPARE(gemm, 100, clusters, TC__GEMM_SM100_RULES)

/* A kernel as the host sees it. */
TC_HOST tc__kernel tc__gemm_sm100_kernel(const tc_gemm_config *c, tc__function f, tc__kernel_cache *cache)
{
    const tc__kernel k = {f.function, f.name, tc_gemm_sm100_threads(*c), tc_gemm_sm100_smem(*c),
                          c->cluster_m * c->cluster_n, 100, cache};
    return k;
}

/* Integers are not on every chip that has tcgen05. */
TC_HOST int tc__gemm100_lacks(const tc_gemm_config *c, int cc)
{
    return (tc__gemm_is_int(c->a) && (cc == 103 || cc == 107)) || (c->weights && cc == 107);
}
TC_HOST tc_status tc__gemm100_check_kind(const tc_gemm_config *c, const char *name)
{
    tc__device d;
    if (tc__device_now(&d) != cudaSuccess) return TC_OK;
    if (c->weights && d.cc == 107)
        return tc__fail(TC_ERR_DEVICE,
                        "%s has .weights, which are for compute capability 10.0, 10.3 and 11.0; device %d has %d.%d",
                        name, d.at, d.cc / 10, d.cc % 10);
    if (!tc__gemm100_lacks(c, d.cc)) return TC_OK;
    return tc__fail(TC_ERR_DEVICE,
                    "%s multiplies %s, which tcgen05 does on compute capability 10.0 and 11.0; device %d has %d.%d",
                    name, tc_type_name(c->a), d.at, d.cc / 10, d.cc % 10);
}

/* Checks, and with launch != 0 runs. */
TC_HOST tc_status tc__gemm_sm100_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *args,
                                     const tc__launch *how)
{
    tc_gemm_sm100_launch l;
    int clusters = 0;
    tc_status st = tc__gemm100_check(c, args);
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    st = tc__gemm100_check_kind(c, k->name);
    if (st == TC_OK) st = tc__kernel_device(k, &clusters);
    if (st == TC_OK) st = tc__gemm100_launch(c, args, clusters, &l);
    if (st == TC_OK && how->workspace) *how->workspace = l.workspace;
    if (st != TC_OK || !how->launch) return st;
    if (how->plan) how->plan->turned = c->swap != tc__gemm_d_col(*c), how->plan->padded = tc__gemm_padded_sides(c);
    const tc__gemm_launched launched = {k, l.grid, &l.params, &l.params.out};
    return tc__gemm_kernel_launch(c, &launched, how);
}

/* Other matrices for a plan. */
TC_HOST tc_status tc__gemm100_point(tc_gemm_sm100_params *p, const tc__gemm_planned by, const tc_gemm_args *args)
{
    const void *of_d = (const void *)((uintptr_t)args->d & ~(uintptr_t)31); /* with k = 0 all maps are of D */
    tc_status st = p->d_by == TC__GEMM_D_TMA ? tc_tmap_replace_address(&p->d, args->d) : TC_OK;
    if (st == TC_OK) st = tc_tmap_replace_address(by.turned ? &p->b : &p->a, by.at[0] ? args->a : of_d);
    if (p->weights.rows) {
        if (st == TC_OK && by.at[1]) p->weights.at = (const char *)args->b;
        return st;
    }
    if (st == TC_OK) st = tc_tmap_replace_address(by.turned ? &p->a : &p->b, by.at[1] ? args->b : of_d);
    if (st == TC_OK && by.gates) st = tc_tmap_replace_address(&p->sfb, args->b2);
    return st;
}

/* What a generator's functions for the host do. */
TC_HOST tc_status tc__gemm_sm100_go(const tc_gemm_config *c, const tc__kernels *s, const tc_gemm_args *args,
                                    const tc__launch *how)
{
    tc__device on = {0, 0, 0, 0};
    tc_gemm_config form = *c;
    tc__kernel k;
    if (tc__device_now(&on) == cudaSuccess)
        form = tc_gemm_sm100_form(*c, tc__kernel_target(s->f[0].function, &s->cache[0], on.at, on.cc));
    k = tc__gemm_sm100_kernel(&form, s->f[0], &s->cache[0]);
    if (on.cc == 107 && tc_gemm_sm100_columns(form) > 256 && k.smem < TC__GEMM107_ALONE) k.smem = TC__GEMM107_ALONE;
    if (how->plan) how->plan->bytes = sizeof(tc_gemm_sm100_params);
    return tc__gemm_sm100_run(&form, &k, args, how);
}

#endif /* host */
#endif /* TC_GEMM_SM100_CALL_H */
