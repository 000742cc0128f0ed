/* tc_gemm_sm90_aside.h - tc 0.2.0 - the end of a Hopper GEMM's tile that lies on its side (.swap), in boxes. Needs: the
 * headers below; sm_90a.
 *
 *     tc__gemm90_store_swapped     16 columns of D of a warp by the tile's rows, turned by stmatrix
 *     tc__gemm90_turns             rows of a warpgroup up to which a tile goes so
 */
#ifndef TC_GEMM_SM90_ASIDE_H
#define TC_GEMM_SM90_ASIDE_H

#include "tc_gemm_sm90_store.h"

#ifdef __CUDACC__

/* .swap: this warp's 16 columns of D by up to TC__GEMM90_ASIDE rows of the tile, from `above` on. */
typedef struct tc__gemm90_aside {
    int above, rows; /* rows: of them that exist */
    int col;         /* its first, from the warp's first on */
    float *acc;      /* of the tile, from there on */
} tc__gemm90_aside;

/* Where value i of the 8 registers from j on lies in D, and in the tile below `above`. */
typedef struct tc__gemm90_aside_at {
    tc_gemm_at at;
    int row;
} tc__gemm90_aside_at;
TC_DEV tc__gemm90_aside_at tc__gemm90_aside_of(tc_gemm_config_in c, const tc_gemm90_block *g,
                                               const tc_gemm90_consumer *u, const tc__gemm90_aside *a, int j, int i)
{
    const int lane = tc_lane(), row = j * 2 + i / 4 * 8 + lane % 4 * 2 + i % 2;
    const int col = u->w.row + u->warp_row + a->col + lane / 4 + i / 2 % 2 * 8;
    const tc__gemm90_aside_at x = {{u->w.col + (a->above + row) * tc__gemm90_apart(c, g), col,
                                    tc__gemm90_matrix(c, u), tc__gemm90_group(c, u)}, row};
    return x;
}

/* Values whose C is asked for before the first is added: those of 64 rows. */
enum { TC__GEMM90_ASIDE_ASKED = 32 };

/* beta * C to so many values from `from` on, a constant. */
TC_DEV_SM90 void tc__gemm90_aside_c(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                    const tc__gemm90_aside *a, const int from)
{
    const tc_gemm_out *o = &g->p->out;
    const int all = (c.bn - a->above < TC__GEMM90_ASIDE ? c.bn - a->above : TC__GEMM90_ASIDE) / 2 - from;
    const int some = all < TC__GEMM90_ASIDE_ASKED ? all : TC__GEMM90_ASIDE_ASKED;
    float *v = a->acc + a->above / 2 + from;
    uint32_t asked[TC__GEMM90_ASIDE_ASKED];
#pragma unroll
    for (int j = 0; j < some; j += 8) {
        if (a->above + (from + j) * 2 >= g->width) continue;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const tc__gemm90_aside_at x = tc__gemm90_aside_of(c, g, u, a, from + j, i);
            asked[j + i] = tc__epi_ask_c(tc__gemm_c(c), o, x.at, x.row < a->rows && x.at.col < o->n);
        }
    }
#pragma unroll
    for (int j = 0; j < some; j += 8) {
        if (a->above + (from + j) * 2 >= g->width) continue;
#pragma unroll
        for (int i = 0; i < 8; i++) v[j + i] += o->beta * tc__epi_asked(tc__gemm_c(c), asked[j + i]);
    }
}

/* To shared memory. The hook is not called for what D does not have; one that writes nothing (.epi_pure) is called
 * there at the place of the last row or column, so that no value waits behind a branch. */
TC_DEV_SM90 void tc__gemm90_aside_fill(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                       const tc__gemm90_aside a)
{
    const tc_gemm_out *o = &g->p->out;
    const tc_epi e = tc__gemm_epi(c);
    const tc_box box = tc__gemm90_box(c);
    const int lane = tc_lane(), q = lane % 4;
    const int count = c.bn - a.above < TC__GEMM90_ASIDE ? c.bn - a.above : TC__GEMM90_ASIDE;
    /* stmatrix: lanes 0-7 address rows 0-7, columns 0-7; 8-15 the same rows, columns 8-15; 16-31 rows 8-15 */
    const uint32_t to = (uint32_t)((lane % 8 + lane / 16 * 8) * box.bytes + lane / 8 % 2 * 16);
    const uint32_t at = u->buf + tc_swizzle(box.bytes, to);
    const int adds = !tc__gemm_raw(c) && o->beta != 0.f;
    const int each = c.any || tc__gemm_sums(c) == TC_S32; /* C by elements, with the hook: no registers are left */
    const int last = u->w.col + (a.above + a.rows - 1) * tc__gemm90_apart(c, g);
#pragma unroll
    for (int i = 0; i < count / 2 && !tc__gemm_raw(c) && !each; i++) a.acc[a.above / 2 + i] *= o->alpha;
#pragma unroll
    for (int j = 0; j < count / 2; j += 8) {
        const int within = a.above + j * 2 < g->width;
        float *v = a.acc + a.above / 2 + j;
        if (adds && !each && j % TC__GEMM90_ASIDE_ASKED == 0) tc__gemm90_aside_c(c, g, u, &a, j);
        if (within) {
#pragma unroll
            for (int i = 0; (e.epi || each) && i < 8; i++) {
                tc__gemm90_aside_at x = tc__gemm90_aside_of(c, g, u, &a, j, i);
                if (each && !tc__gemm_raw(c)) v[i] *= o->alpha;
                if (c.epi_pure) x.at.row = min(x.at.row, last), x.at.col = min(x.at.col, o->n - 1);
                if (c.epi_pure || (x.row < a.rows && x.at.col < o->n)) {
                    if (each && adds) v[i] += o->beta * tc__epi_read_c(e.c, o, x.at);
                    if (e.epi) v[i] = e.epi(v[i], tc__epi_place(e, x.at), o->epi);
                }
            }
            tc__gemm90_f32_to_d(c, v, 8);
        }
        __syncwarp(); /* for all: inside of a condition ptxas takes the lanes for parted from here on */
        if (within) {
            if (box.type == TC_F32) {
#pragma unroll
                for (int i = 0; i < 8; i++)
                    asm volatile("st.shared.f32 [%0], %1;"
                                 : : "r"(u->buf + tc_swizzle(box.bytes, (uint32_t)((j * 2 + i / 4 * 8 + 2 * q + i % 2)
                                                                                       * box.bytes
                                                                                   + (lane / 4 + i / 2 % 2 * 8) * 4))),
                                   "f"(v[i])
                                 : "memory");
            } else {
                const uint32_t w[4] = {tc_pack(box.type, v[0], v[1]), tc_pack(box.type, v[2], v[3]),
                                       tc_pack(box.type, v[4], v[5]), tc_pack(box.type, v[6], v[7])};
                tc_stmatrix_x4_trans(at + (uint32_t)(j * 2 * box.bytes), w);
            }
        }
    }
}

/* .any: a word of the tile in shared memory, where each warp has 16 columns: number `word` of a row. */
TC_DEV uint32_t tc__gemm90_aside_word(tc_gemm_config_in c, uint32_t store, int row, int word)
{
    const tc_box box = tc__gemm90_box(c);
    const int per = box.bytes / 4, warp = word / per;
    uint32_t x;
    asm volatile("ld.shared.b32 %0, [%1];"
                 : "=r"(x)
                 : "r"(store + (uint32_t)(warp * tc_gemm_sm90_plan_of(c).warp_store)
                       + tc_swizzle(box.bytes, (uint32_t)(row * box.bytes + word % per * 4)))
                 : "memory");
    return x;
}

/* .any: rows of D that TMA refuses. All warps together, each of them whole rows of the tile: neighbours in D are
 * written at a time. Where a row of 16-bit elements begins between two words, words of D are made of two. */
TC_DEV_SM90 void tc__gemm90_aside_rows(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                       const tc__gemm90_aside a)
{
    const tc_gemm_out *o = &g->p->out;
    const tc_box box = tc__gemm90_box(c);
    const int size = tc_type_bits(c.d) / 8, warps = 4 * c.consumers, apart = tc__gemm90_apart(c, g), lane = tc_lane();
    const int left = o->n - u->w.row, cols = left < c.bm ? left : c.bm;
    const uint32_t store = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).store;
    const tc_gemm_at first = {u->w.col + a.above * apart, u->w.row, u->w.batch, 0};
    char *to = tc__gemm90_d(o, box, first);
    tc_bar_sync(1, 32 * warps);
#pragma unroll 2
    for (int row = (int)(threadIdx.x / 32u) - 4; row < a.rows && cols > 0; row += warps) {
        char *at = to + row * (o->ldd * apart * size);
        const int between = size == 2 && (uintptr_t)at % 4;
#pragma unroll
        for (int i = 0; i < c.bm * size / 128; i++) {
            const int word = i * 32 + lane, col = word * 4 / size;
            const uint32_t x = tc__gemm90_aside_word(c, store, row, word);
            char *here = at + word * 4;
            if (!between) {
                if (col + 4 / size <= cols) *(uint32_t *)here = x;
                else if (col < cols) *(uint16_t *)here = (uint16_t)x;
            } else {
                const uint32_t before = tc__gemm90_aside_word(c, store, row, word ? word - 1 : 0);
                if (word && col < cols) *(uint32_t *)(here - 2) = before >> 16 | x << 16;
                else if (word == 0) *(uint16_t *)here = (uint16_t)x;
                else if (col == cols) *(uint16_t *)(here - 2) = (uint16_t)(before >> 16);
                if (col + 2 == c.bm && c.bm == cols) *(uint16_t *)(here + 2) = (uint16_t)(x >> 16);
            }
        }
    }
    tc_bar_sync(1, 32 * warps);
}

/* And on to D: every eight rows are a box, of which TMA leaves out what D does not have; what a group does not have of
 * its last one it would write. */
TC_DEV_SM90 void tc__gemm90_aside_send(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                       const tc__gemm90_aside a)
{
    const tc_gemm_out *o = &g->p->out;
    const tc_box box = tc__gemm90_box(c);
    const int lane = tc_lane(), apart = tc__gemm90_apart(c, g);
    tc_gemm_at first = {u->w.col + a.above * apart, u->w.row + u->warp_row + a.col, tc__gemm90_matrix(c, u), 0};
    if (g->p->d_by == TC__GEMM_D_TMA) {
        tc_fence_proxy_async_shared();
        __syncwarp();
        if (tc__gemm_in_rows(c)) {
            const int whole = a.rows / 8 * 8, words = box.bytes / 4;
#pragma unroll 1
            for (int i = lane; i < (a.rows - whole) * words; i += 32) { /* the last rows of a group, word by word */
                tc_gemm_at rest = first;
                rest.row += whole + i / words;
                const uint32_t at = (uint32_t)((whole + i / words) * box.bytes + i % words * 4);
                ((float *)tc__gemm90_d(o, box, rest))[i % words] = tc__epi_shared(u->buf + tc_swizzle(box.bytes, at));
            }
        }
        if (lane * 8 + (tc__gemm_in_rows(c) ? 7 : 0) < a.rows) {
            first.row += lane * 8;
            tc__gemm90_send(g, &g->p->d, u->buf + (uint32_t)(lane * 8 * box.bytes), first);
            tc_cp_async_bulk_commit_group();
        }
    } else if (c.any) {
        tc__gemm90_aside_rows(c, g, u, a);
    } else {
        __syncwarp();
        const tc_box_rows d = {a.rows, tc__gemm90_d(o, box, first), o->ldd * apart * (tc_type_bits(c.d) / 8)};
        tc_box_copy(box, u->buf, d);
    }
}

/* This warp's 16 columns of D by the tile's rows, where all columns exist or TMA clips. */
TC_DEV_SM90 void tc__gemm90_store_swapped(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                          float *acc)
{
    const int apart = tc__gemm90_apart(c, g), left = (tc__gemm90_end(c, g, u) - u->w.col + apart - 1) / apart;
    const int rows = left < g->width ? left : g->width;
#pragma unroll
    for (int i = 0; i < tc__gemm90_rows(c) / 64 * c.bn; i += TC__GEMM90_ASIDE) {
        const int above = i % c.bn;
        if (above < rows) {
            const int more = rows - above;
            const tc__gemm90_aside a = {above, more < TC__GEMM90_ASIDE ? more : TC__GEMM90_ASIDE, i / c.bn * 64,
                                        acc + i / c.bn * c.bn / 2};
            tc__bulk_wait_read(0);
            __syncwarp();
            tc__gemm90_aside_fill(c, g, u, a);
            tc__gemm90_aside_send(c, g, u, a);
            __syncwarp();
        }
    }
}

/* .swap: rows of a warpgroup up to which boxes go to D on their side. */
TC_HD TC_CONSTEXPR int tc__gemm90_turns(tc_gemm_config_in c)
{
    return tc__gemm_outputs(c) ? 0 : tc__gemm90_lifts(c) && c.bn % TC__GEMM90_ASIDE == 0 ? 128 : 64;
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_ASIDE_H */
