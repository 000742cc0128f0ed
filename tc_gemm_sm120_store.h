/* tc_gemm_sm120_store.h - tc 0.2.0 - the sm_120 GEMM's end of a tile: from a warp's registers to D.
 * Needs: the headers below; sm_120, sm_121.
 *
 *     tc_gemm_sm120_store     a warp's part of a tile through alpha, beta * C and the hook to D:
 *         boxes               16 rows through shared memory, by TMA, or in words where TMA refuses D
 *         pieces              what D's last row or column cuts where there is a hook or C: 16 x 16 values through
 *                             shared memory as f32, eight neighbours of a row a lane
 *         parts               with .split: the sums to the workspace, and pieces of what these warps are to add up
 */
#ifndef TC_GEMM_SM120_STORE_H
#define TC_GEMM_SM120_STORE_H

#include "tc_gemm_blackwell.h"
#include "tc_gemm_sm120_plan.h"

#ifdef __CUDACC__
#if TC_HAS_SM120 && defined(__CUDA_ARCH__)

/* Sums, of the one type that a kernel has: of each 16 x 8 four; in f16 two of a row in a register. */
typedef struct tc__gemm120_acc {
    float f[160];
    int32_t i[160];
    uint32_t h[80];
} tc__gemm120_acc;

/* A warp that multiplies and stores: its place in a tile, its rings, what it keeps. */
typedef struct tc_gemm120_warp {
    int row, col;         /* its first ones of the tile */
    int group, number;    /* which of the groups with tiles of their own, which warp of it */
    tc_ring ring;
    uint32_t lane_a, lane_b; /* .sf: which lanes of four have the factors of its first rows and columns */
    uint32_t a, b;        /* where its lane's rows of ldmatrix lie in a block of A, of B */
    uint32_t buf, stores; /* its boxes; how many stores have used them, in turn */
    uint32_t tiles;
    tc_work w;
    uint32_t tile; /* .split: its number; */
    int last;      /* no tile comes after it */
} tc_gemm120_warp;

/* Which sum is value e of the 16 x 8 in rows 16 i and columns 8 j of a warp's part. With .sf an instruction's rows are
 * 8 m .. 8 m + 7 and those 32 further down. */
TC_HD TC_CONSTEXPR int tc__gemm120_sum(tc_gemm120_in k, int i, int j, int e)
{
    return k.c.sf ? ((i % 2 * 2 + e / 2) * k.ni + j) * 4 + i / 2 * 2 + e % 2 : (i * k.ni + j) * 4 + e;
}

/* Sums as the epilogue wants them: floats, unless it takes integers as they are. */
TC_DEV void tc__gemm120_to_f32(tc_gemm120_in k, tc__gemm120_acc *acc)
{
#pragma unroll
    for (int x = 0; x < k.mi * k.ni * 4; x++)
        if (k.sums == TC_S32)
            acc->f[x] = tc__gemm_raw(k.c) ? tc_f32_from_bits((uint32_t)acc->i[x]) : (float)acc->i[x];
}

/* `count` of them, in the order of a fragment from column 8 j on. */
TC_DEV void tc__gemm120_take(tc_gemm120_in k, const tc__gemm120_acc *acc, const int i, const int j, const int count,
                             float *v)
{
#pragma unroll
    for (int x = 0; x < count; x++) {
        const int at = tc__gemm120_sum(k, i, j + x / 4, x % 4);
        v[x] = k.sums == TC_F16 ? tc_unpack(TC_F16, acc->h[at / 2] >> at % 2 * 16) : acc->f[at];
    }
}

/* What this kernel's warps are told of D. */
TC_DEV tc__gemm_to tc__gemm120_to(tc_gemm120_in k, const tc_gemm120_block *g, const tc_gemm120_warp *u)
{
    const tc__gemm_to to = {&g->p->d,      &g->p->out,    g->p->d_by,
                            g->p->d_plain, g->p->d_clips, k.c.groups ? u->w.end : 0,
                            k.c.index ? g->p->d_row : 0, k.c.index ? g->p->d_rows : 0};
    return to;
}

/* The place in D of a warp's rows 16 i and columns from `col` on. */
TC_DEV tc_gemm_at tc__gemm120_place(tc_gemm120_in k, const tc_gemm120_warp *u, int i, int col)
{
    return tc__gemm_at_of(k.c, &u->w, u->w.row + u->row + i * 16, u->w.col + u->col / tc__gemm_products(k.c) + col);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Pieces. A place is 16 x 16 elements of D, as f32 in shared memory: rows of 64 bytes in that swizzle.
 */
/* Values of 16 columns to a place, where `on`: a predicate, and not branches, of which nvcc makes a table of jumps. */
TC_DEV void tc__gemm120_put_place(int on, uint32_t place, const float *v)
{
    const uint32_t lane = (uint32_t)tc_lane(), g = lane / 4u, q = lane % 4u;
#pragma unroll
    for (uint32_t j = 0; j < 8u; j += 2u) { /* v[j], v[j + 1]: row g + 8 * h, columns 2q, 2q + 1 of the half j / 4 */
        const uint32_t row = g + j / 2u % 2u * 8u, col = 2u * q + j / 4u * 8u;
        const uint32_t at = place + tc_swizzle(64, row * 64u + col * 4u);
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\t@p st.shared.v2.f32 [%0], {%1, %2};\n\t}"
                     : : "r"(at), "f"(v[j]), "f"(v[j + 1u]), "r"(on) : "memory");
    }
}

/* What of this warp's part goes to D in pieces. One loop, so that a hook's code stands here once. */
TC_DEV_SM120 void tc__gemm120_store_pieces(tc_gemm120_in k, const tc_gemm120_block *g, const tc_gemm120_warp *u,
                                           const tc__gemm120_acc *acc)
{
    const tc_gemm_config c = tc__gemm_gated(k.c);
    const tc__gemm_to to = tc__gemm120_to(k, g, u);
    const tc_box shape = tc__gemm120_box(k.c);
    const int across = k.wn / tc__gemm_products(k.c) / 16, wide = tc_box_cols(shape);
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
#pragma unroll 1
    for (int at = 0; at < k.mi * across; at++) {
        const int i = at / across, col = at % across * 16;
        const tc_gemm_at first = tc__gemm120_place(k, u, i, col), box = tc__gemm120_place(k, u, i, col / wide * wide);
        if (first.row >= tc__gemm_end_row(k.c, &to) || first.col >= to.out->n
            || tc__gemm_boxed(c, shape, &to, box))
            continue;
        __syncwarp();
#pragma unroll
        for (int x = 0; x < k.mi * across; x++) { /* registers have constant numbers only */
            float v[8];
            tc__gemm120_take(k, acc, x / across, x % across * 2, 8, v);
            tc__gemm120_put_place(x == at, u->buf, v);
            if (k.c.gate) tc__gemm120_take(k, acc, x / across, (x % across + across) * 2, 8, v);
            if (k.c.gate) tc__gemm120_put_place(x == at, u->buf + TC__GEMM_PLACE, v);
        }
        if (k.c.gate) tc__gemm_gate_places(k.c, &to, u->buf, first);
        tc__gemm_piece_to_d(c, &to, u->buf, first);
    }
    __syncwarp();
}

/* .split: which 16 columns of the tile's in the workspace a warp's are. .gate: there all of B2's are behind B's. */
TC_DEV int tc__gemm120_part_strip(tc_gemm120_in k, const tc_gemm120_warp *u, const int x)
{
    const int each = k.wn / 32;
    if (!k.c.gate) return u->col / 16 + x;
    return u->col / 32 + (x < each ? x : k.c.bn / 32 + x - each);
}

/* .split: this warp's sums to the workspace, and the way on from there. */
TC_DEV_SM120 void tc__gemm120_store_part(tc_gemm120_in k, const tc_gemm120_block *g, const tc_gemm120_warp *u,
                                         const tc__gemm120_acc *acc)
{
    const tc__gemm_to to = tc__gemm120_to(k, g, u);
    const int down = k.c.bm / 16;
    const tc__gemm_ending e = {&g->p->split, &u->w, tc__gemm120_warps(k.c), u->number, 1 + u->group,
                               g->parts + (uint32_t)u->group * 4u, u->buf, u->tile, down, k.c.bn / 16, u->last};
#pragma unroll
    for (int i = 0; i < k.mi; i++) {
#pragma unroll
        for (int x = 0; x < k.wn / 16; x++) {
            float v[8];
            tc__gemm120_take(k, acc, i, x * 2, 8, v);
            tc__gemm_leave_place(&e, tc__gemm120_part_strip(k, u, x) * down + u->row / 16 + i, v);
        }
    }
    tc__gemm_end_part(k.c, &to, &e);
}

/* A warp's part of a tile. */
TC_DEV_SM120 void tc_gemm_sm120_store(tc_gemm120_in k, const tc_gemm120_block *g, tc_gemm120_warp *u,
                                      tc__gemm120_acc *acc)
{
    const tc_gemm_config c = tc__gemm_gated(k.c); /* as D knows it */
    const tc__gemm_to to = tc__gemm120_to(k, g, u);
    const tc_box box = tc__gemm120_box(k.c);
    const int wn = k.wn / tc__gemm_products(k.c), wide = tc_box_cols(box), across = wn / wide;
    const tc_gemm_at end = tc__gemm120_place(k, u, k.mi, wn);
    tc__gemm120_to_f32(k, acc);
    if (k.c.split && g->p->split.parts > 1u) {
        tc__gemm120_store_part(k, g, u, acc);
        return;
    }
    if (k.c.index || to.by == TC__GEMM_D_PIECES
        || ((k.c.groups || !tc__gemm_clips(c, &to)) && (end.row > tc__gemm_end_row(k.c, &to) || end.col > to.out->n)))
        tc__gemm120_store_pieces(k, g, u, acc);
#pragma unroll
    for (int i = 0; i < k.mi; i++) {
#pragma unroll
        for (int x = 0; x < across; x++) {
            tc__gemm_box b;
            float up[32];
            b.first = tc__gemm120_place(k, u, i, x * wide);
            if (!tc__gemm_boxed(c, box, &to, b.first)) continue;
            tc__gemm120_take(k, acc, i, x * wide / 8, wide / 2, b.v);
            if (k.c.gate) tc__gemm120_take(k, acc, i, x * wide / 8 + k.ni / 2, wide / 2, up);
            if (k.c.gate) tc__gemm_gate_box(k.c, wide / 2, to.out, &b, up);
            b.to = tc__gemm_take_box(c, box, u->buf, u->stores++);
            tc__gemm_store_box(c, box, &to, &b);
        }
    }
}

#endif /* TC_HAS_SM120 */
#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM120_STORE_H */
