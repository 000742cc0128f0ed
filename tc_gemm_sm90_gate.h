/* tc_gemm_sm90_gate.h - tc 0.2.0 - the Hopper GEMM's two products of one A (.gate): of their sums D's elements.
 * Needs: the headers below; sm_90a.
 *
 * A tile's columns are half B's, half B2's: a block of B in a slot of the ring has rows of both, and one wgmma
 * multiplies them (tc__gemm90_fetch_both). So column j of D has its two sums in one thread's registers, half a tile
 * apart. The end of a tile takes what the gate made of them, as if B had half as many columns (tc__gemm_gated).
 *
 *     tc__gemm90_gate            one warpgroup: acc, of two products, to D's elements
 *     tc__gemm90_gate_slices     where k is in parts: what this block is to add up, and on to D
 */
#ifndef TC_GEMM_SM90_GATE_H
#define TC_GEMM_SM90_GATE_H

#include "tc_gemm_gate.h"
#include "tc_gemm_sm90_split.h"

#ifdef __CUDACC__

#ifndef __CUDACC_RTC__
/* TMA wants a map at a multiple of 64 bytes. */
static_assert(offsetof(tc_gemm_sm90_params, out) % 64 == 0 && offsetof(tc_gemm_out, epi) % 64 == 0,
              "tc: B2's tensor map, behind the hook's arguments, is not aligned");
#endif

/* A warp's 16 rows: the first one's place in D; where rows end; a thread's sums of both products, and where D's
 * elements go, which may be where the first product's are. */
typedef struct tc__gemm90_gating {
    tc_gemm_at first;
    int end;
    float *gate, *up, *to;
} tc__gemm90_gating;

/* All of `cols` columns, a constant, exist. */
TC_DEV_SM90 void tc__gemm90_gate_whole(tc_gemm_config_in c, const int cols, const tc_gemm_out *o,
                                       const tc__gemm90_gating *x)
{
    const int lane = tc_lane();
    tc__epi_alpha(x->gate, cols / 2, tc__gate_alpha(o));
    tc__epi_alpha(x->up, cols / 2, tc__gate_alpha(o));
#pragma unroll
    for (int j = 0; j < cols / 2; j++) {
        const tc_gemm_at at = {x->first.row + lane / 4 + j / 2 % 2 * 8, x->first.col + lane % 4 * 2 + j / 4 * 8 + j % 2,
                               x->first.batch, x->first.group};
        x->to[j] = c.gate(x->gate[j], x->up[j], at, o->epi);
    }
}

/* Where a warp's places of both products lie, and this lane's eight of the first one's, from x.at on. */
TC_DEV_SM90 tc__gate_eight tc__gemm90_gate_eight(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm_at at, int end)
{
    const uint32_t place = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).store
                         + (threadIdx.x / 32u - 4u) * (uint32_t)tc_gemm_sm90_plan_of(c).warp_store;
    const uint32_t lane = (uint32_t)tc_lane(), shift = lane / 2u * 64u + lane % 2u * 32u;
    tc__gate_eight x = {place + tc_swizzle(64, shift), place + tc_swizzle(64, shift + 16u), 1024u, at, 0};
    x.at.row += (int)lane / 2, x.at.col += (int)lane % 2 * 8;
    x.exist = tc__gate_exist(&g->p->out, x.at, end);
    return x;
}

/* D's last row or column runs through them, and the gate is called for what exists: through the warp's place in shared
 * memory, 16 columns at a time. */
TC_DEV_SM90 void tc__gemm90_gate_cut(tc_gemm_config_in c, const int cols, const tc_gemm90_block *g,
                                     const tc__gemm90_gating *x)
{
    const uint32_t place = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).store
                         + (threadIdx.x / 32u - 4u) * (uint32_t)tc_gemm_sm90_plan_of(c).warp_store;
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
#pragma unroll 1
    for (int i = 0; i < cols / 16; i++) {
        tc_gemm_at at = x->first;
        at.col += i * 16;
        const tc__gate_eight eight = tc__gemm90_gate_eight(c, g, at, x->end);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < cols / 16; k++) {
            if (k == i) {
                tc__gemm90_put_place(c, place, x->gate + k * 8);
                tc__gemm90_put_place(c, place + 1024u, x->up + k * 8);
            }
        }
        __syncwarp();
        tc__gate_some(c, &g->p->out, &eight);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < cols / 16; k++)
            if (k == i) tc__gemm_get_place(place, x->to + k * 8);
    }
    __syncwarp();
}

/* .split, of a tile whose k is in parts: the slices of D's places that fall to this block. The second product's
 * places lie behind all of the first one's. */
TC_DEV_SM90 void tc__gemm90_gate_slices(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                        uint32_t slices)
{
    const tc_gemm_config e = tc__gemm_gated(c);
    const int down = c.bm / 16, places = down * tc__gemm90_places(g->width / 2);
    tc__gemm90_walk w = tc__gemm90_walk_of(g, u, places, slices);
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
#pragma unroll 1
    for (int i; (i = tc__gemm90_walk_on(e, g, u, &w)) >= 0;) {
        float v[8];
        const tc__gemm90_spot s = tc__gemm90_spot_of(e, g, i % down * 16, i / down * 16);
        const tc_gemm_at at = {u->w.row + s.row, u->w.col + s.col, tc__gemm90_matrix(c, u), tc__gemm90_group(c, u)};
        const tc__gate_eight eight = tc__gemm90_gate_eight(c, g, at, tc__gemm90_end(c, g, u));
        __syncwarp();
#pragma unroll 1
        for (int two = 0; two < 2; two++) {
            tc__gemm90_add_parts(c, g, u->tile * g->p->split.parts, i + two * places, v);
            tc__gemm90_put_place(c, u->buf + (uint32_t)two * 1024u, v);
        }
        __syncwarp();
        tc__gate_some(c, &g->p->out, &eight);
        tc__gemm90_store_piece(e, g, u, &s, 0);
    }
    __syncwarp();
}

/* A tile of `width` columns, a constant. D's elements of 64 rows lie half as far from the next ones' as the sums do. */
TC_DEV_SM90 void tc__gemm90_gate_of(tc_gemm_config_in c, const int width, const tc_gemm90_block *g,
                                    const tc__gemm90_gating *all)
{
    const tc_gemm_out *o = &g->p->out;
#pragma unroll
    for (int i = 0; i < tc__gemm90_rows(c) / 64; i++) {
        tc__gemm90_gating x = *all;
        x.first.row += i * 64;
        x.gate += i * c.bn / 2, x.up = x.gate + width / 4, x.to += i * c.bn / 4;
        if (c.gate_blind) { /* without this branch ptxas begins with too many of them at once, and spills */
            if (x.first.row < x.end) tc__gemm90_gate_whole(c, width / 2, o, &x);
        } else if (x.first.row + 16 <= x.end && x.first.col + width / 2 <= o->n) {
            tc__gemm90_gate_whole(c, width / 2, o, &x);
        } else {
            tc__gemm90_gate_cut(c, width / 2, g, &x);
        }
    }
}

/* u->w.col is D's column. Each width has its own line: registers have constant numbers only. */
#define TC__GEMM90_GATE_WIDTH(n)                                                                                      \
    if (c.step && n % c.step == 0 && n <= c.bn && g->width == n) tc__gemm90_gate_of(c, n, g, &all);
TC_DEV_SM90 void tc__gemm90_gate(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u, float *acc)
{
    const tc__gemm90_gating all = {{u->w.row + u->warp_row, u->w.col, tc__gemm90_matrix(c, u), tc__gemm90_group(c, u)},
                                   tc__gemm90_end(c, g, u), acc, 0, acc};
    tc__gemm90_sums_to_f32(c, acc, tc__gemm90_rows(c) / 64 * c.bn / 2);
    if (!c.step) tc__gemm90_gate_of(c, c.bn, g, &all);
    TC__GEMM90_GATE_WIDTH(32) TC__GEMM90_GATE_WIDTH(64) TC__GEMM90_GATE_WIDTH(96) TC__GEMM90_GATE_WIDTH(128)
    TC__GEMM90_GATE_WIDTH(160) TC__GEMM90_GATE_WIDTH(192) TC__GEMM90_GATE_WIDTH(224) TC__GEMM90_GATE_WIDTH(256)
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_GATE_H */
