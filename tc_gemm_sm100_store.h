/* tc_gemm_sm100_store.h - tc 0.2.0 - the Blackwell GEMM's end of a tile: from tensor memory to D.
 * Needs: the headers below; sm_100a and its like.
 *
 *     tc_gemm_sm100_store     a warp's 32 rows of an accumulator through alpha, beta * C and the hook to D:
 *         boxes               16 rows through shared memory, by TMA (rows that are looked up: by scatter4), or in words
 *                             where TMA refuses D
 *         pieces              what D's last row or column cuts where there is a hook or C: 16 x 16 values through
 *                             shared memory as f32, eight neighbours of a row a lane
 *         parts               with .split: the sums to the workspace, and pieces of what this block is to add up
 *         rows                a quantised D, of which nothing else is kept: 64 columns of 32 rows, a row a lane
 *
 * tcgen05.ld 16x256b brings 16 rows to a warp in the fragment layout of tc_epi.h, from an address that may be any
 * value: both ways are loops over columns, in which the hook's code stands once.
 */
#ifndef TC_GEMM_SM100_STORE_H
#define TC_GEMM_SM100_STORE_H

#include "tc_gemm_blackwell.h"
#include "tc_gemm_sm100_plan.h"
#include "tc_memory.h"

#ifdef __CUDACC__
#if TC_HAS_SM100A && defined(__CUDA_ARCH__)

/* A warp that stores: its place in a tile, and what it keeps. */
typedef struct tc_gemm100_storer {
    int row;              /* its first row of the block's */
    uint32_t tmem;        /* those rows of the accumulator */
    uint32_t buf, stores; /* its boxes; how many stores have used them, in turn */
    tc_work w;            /* the tile */
    uint32_t tile;        /* .split: its number, of all blocks; */
    int last;             /* no tile comes after it */
    int goes;             /* TC_INDEX_D: where this lane's row goes, of the warp's 32; */
    uint32_t whole;       /* bits of the two 16 of them that all go somewhere, by TMA */
} tc_gemm100_storer;

/* 16 rows from an address on, `count` registers (a constant) of a fragment: two columns each. */
TC_DEV_SM100A void tc__gemm100_ld(const int count, uint32_t *r, uint32_t taddr)
{
    if (count == 8) TC_TCGEN05_LD(16x256b, x2, r, taddr);
    if (count == 16) TC_TCGEN05_LD(16x256b, x4, r, taddr);
    if (count == 32) TC_TCGEN05_LD(16x256b, x8, r, taddr);
}

/* Sums as the epilogue wants them: floats, unless it takes integers as they are. */
TC_DEV void tc__gemm100_sums(tc_gemm100_in k, float *v, const uint32_t *r, const int count)
{
#pragma unroll
    for (int i = 0; i < count; i++)
        v[i] = tc__gemm_sums(k.c) == TC_S32 && !tc__gemm_raw(k.c) ? (float)(int)r[i] : tc_f32_from_bits(r[i]);
}

/* What this kernel's warps are told of D. */
TC_DEV tc__gemm_to tc__gemm100_to(tc_gemm100_in k, const tc_gemm100_block *g, const tc_gemm100_storer *u)
{
    const int into = k.c.index & TC_INDEX_D;
    const tc__gemm_to to = {&g->p->d,         &g->p->out,      g->p->d_by,
                            g->p->d_plain, g->p->d_clips, k.c.groups ? u->w.end : 0,
                            into ? g->p->d_row : 0, into ? g->p->d_rows : 0,
                            into ? u->w.row + u->row : 0, into ? u->goes : 0, into ? u->whole : 0u};
    return to;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_INDEX_D.
 */
/* Where the warp's rows of a tile go. By TMA 16 of them, where all go somewhere: for others no hook is called. C lies
 * where D's rows do, and comes in pieces. */
TC_DEV_SM100A void tc__gemm100_look_up(tc_gemm100_in k, const tc_gemm100_block *g, tc_gemm100_storer *u)
{
    const int row = u->w.row + u->row + tc_lane();
    u->goes = row < (k.c.groups ? u->w.end : g->p->out.m) ? g->p->d_row[row] : -1;
    const uint32_t there = __ballot_sync(0xffffffffu, (uint32_t)u->goes < (uint32_t)g->p->d_rows);
    u->whole = g->p->d_plain ? (uint32_t)((there & 0xffffu) == 0xffffu) | (uint32_t)(there >> 16 == 0xffffu) << 1 : 0u;
}

/* A box of such rows to D, four an instruction, from a map of single rows. */
TC_DEV_SM100A void tc__gemm100_scatter(const tc_box box, const tc__gemm_to *to, const tc__gemm_box *b)
{
    int rows[16];
    tc_fence_proxy_async_shared(); /* ordinary writes before, TMA's reads after */
#pragma unroll
    for (int i = 0; i < 16; i++) rows[i] = __shfl_sync(0xffffffffu, to->goes, b->first.row - to->base + i);
    __syncwarp();
    if (tc_elect_one()) { /* bulk groups are a thread's: always the same one's */
#pragma unroll
        for (int i = 0; i < 16; i += 4)
            TC_CP_ASYNC_BULK_TENSOR_STORE(2d, tile::scatter4, , to->map,
                                          (b->first.col, rows[i], rows[i + 1], rows[i + 2], rows[i + 3]),
                                          b->to + (uint32_t)(i * box.bytes));
        tc_cp_async_bulk_commit_group();
    }
}

/* The place in D of a box or piece of a tile, by its first row and column there. */
TC_DEV tc_gemm_at tc__gemm100_place(tc_gemm100_in k, const tc_gemm100_storer *u, int row, int col)
{
    return tc__gemm_at_of(k.c, &u->w, u->w.row + row, u->w.col + col);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Pieces.
 */
/* What of this warp's rows goes to D in pieces. */
TC_DEV_SM100A void tc__gemm100_store_pieces(tc_gemm100_in k, const tc_gemm100_block *g, tc_gemm100_storer *u)
{
    const tc_gemm_config c = tc__gemm_gated(k.c);
    const tc__gemm_to to = tc__gemm100_to(k, g, u);
    const tc_box shape = tc__gemm100_box(k.c);
    const int across = c.bn / 16, wide = tc_box_cols(shape);
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
#pragma unroll 1
    for (int i = 0; i < 2 * across; i++) {
        const int row = u->row + i / across * 16, col = i % across * 16;
        const tc_gemm_at first = tc__gemm100_place(k, u, row, col),
                         box = tc__gemm100_place(k, u, row, col / wide * wide);
        uint32_t r[8];
        float v[8];
        if (first.row >= tc__gemm_end_row(k.c, &to) || first.col >= to.out->n
            || tc__gemm_boxed(c, shape, &to, box))
            continue;
        tc__gemm100_ld(8, r, u->tmem + tc_tcgen05_taddr(i / across * 16, i % across * 16));
        tc_tcgen05_wait_ld_regs(r, 8);
        tc__gemm100_sums(k, v, r, 8);
        __syncwarp();
        tc__gemm_put_place(u->buf, v);
        if (k.c.gate) {
            tc__gemm100_ld(8, r, u->tmem + tc_tcgen05_taddr(i / across * 16, c.bn + i % across * 16));
            tc_tcgen05_wait_ld_regs(r, 8); /* of the second product */
            tc__gemm100_sums(k, v, r, 8);
            tc__gemm_put_place(u->buf + TC__GEMM_PLACE, v);
            tc__gemm_gate_places(k.c, &to, u->buf, first);
        }
        tc__gemm_piece_to_d(c, &to, u->buf, first);
    }
}

/* The accumulator may be multiplied into: the block that multiplies has it from all warps that store, of both blocks of
 * a pair. */
TC_DEV_SM100A void tc__gemm100_release(tc_gemm100_in k, const tc_gemm100_block *g, uint32_t stage)
{
    tc_tcgen05_fence_before_thread_sync(); /* our loads come before the products that this arrival allows */
    __syncwarp();
    if (tc_elect_one()) {
        const uint32_t bar = tc__gemm100_overlap(k.c) ? g->free : g->free + stage * 8u;
        if (k.c.cluster_m == 2) tc_mbarrier_arrive_cluster(bar, tc__gemm100_leader(k, g));
        else tc_mbarrier_arrive(bar);
    }
}

/* A tile's columns by strips of `wide`, 16 rows of each and then the other 16, the common ones first (OVERLAP); after
 * `release` of these halves of strips the accumulator is given back. */
typedef struct tc__gemm100_strips {
    int wide, across, common, first, release;
    int half; /* WIDE: as many halves are of the first instruction's columns, which are given back by themselves */
} tc__gemm100_strips;
TC_DEV tc__gemm100_strips tc__gemm100_strips_of(tc_gemm100_in k, uint32_t stage, int across, int wide)
{
    const int common = (tc__gemm100_overlap(k.c) + wide - 1) / wide;
    const tc__gemm100_strips s = {wide, across, common, common && stage == 0u ? across - common : 0,
                                  2 * (common ? common : across),
                                  tc__gemm100_is_wide(k.c) ? 2 * TC__GEMM100_FIRST / wide : 0};
    return s;
}
/* Half a strip number i has been read, of an accumulator whose columns are given back in two parts. */
TC_DEV_SM100A void tc__gemm100_release_half(tc_gemm100_in k, const tc_gemm100_block *g, const tc__gemm100_strips s,
                                            int i)
{
    if (s.half && i + 1 == s.half) tc__gemm100_release(k, g, 0u);       /* a wide tile's first columns */
    if (s.half && i + 1 == 2 * s.across) tc__gemm100_release(k, g, 1u); /* a wide tile's others */
}
/* The first column of half a strip number i. */
TC_DEV int tc__gemm100_strip(const tc__gemm100_strips s, int i)
{
    const int at = s.first + i / 2;
    return (s.common && at >= s.across ? at - s.across : at) * s.wide;
}

/* A quantised D: what is cut of 16 rows by 128 columns, or has C, through shared memory, 16 columns at a time. One
 * loop, so that a hook's code stands here once. */
TC_DEV_SM100A void tc__gemm100_quant_cut(tc_gemm100_in k, const tc__gemm_to *to, uint32_t place,
                                         const tc__gemm_kept x)
{
#pragma unroll 1
    for (int i = 0; i < TC__QUANT_COLS / 16; i++) {
        tc_gemm_at first = x.first;
        first.col += i * 16;
        __syncwarp(); /* without boxes */
#pragma unroll
        for (int j = 0; j < TC__QUANT_COLS / 16; j++)
            if (j == i) tc__gemm_put_place(place, x.v + j * 8);
        tc__gemm_piece_to_d(k.c, to, place, first);
        __syncwarp(); /* without boxes */
#pragma unroll
        for (int j = 0; j < TC__QUANT_COLS / 16; j++)
            if (j == i) tc__gemm_get_place(place, x.v + j * 8);
    }
    __syncwarp(); /* without boxes */
}

/* 128 columns of 16 rows from an address on, as sums. */
TC_DEV_SM100A void tc__gemm100_get(tc_gemm100_in k, float *v, uint32_t taddr)
{
    uint32_t r[32];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        tc__gemm100_ld(32, r, taddr + (uint32_t)(h * 64));
        tc_tcgen05_wait_ld_regs(r, 32); /* of a quantised D */
        tc__gemm100_sums(k, v + h * 32, r, 32);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A quantised D, a row a lane (tcgen05.ld 32x32b). Columns that share a factor are one lane's then: it needs no other
 * lane to know their largest, reckons each factor once, and stores 32 bytes of a row at a time. Not with .d_scale,
 * whose factors are of 128 columns, nor with outputs beside D, which are of fragments.
 */
enum { TC__GEMM100_QUANT_COLS = 64 };
TC_HD TC_CONSTEXPR int tc__gemm100_by_rows(tc_gemm_config_in c)
{
    return tc__gemm_quantised(c) && !c.d_scale && !tc__gemm_outputs(c);
}

/* The largest |x| of `count` (a constant) values; NaN stays. */
TC_DEV_SM100A float tc__gemm100_most(const float *v, const int count)
{
    float most = 0.f;
#pragma unroll
    for (int i = 0; i < count; i += 2) {
#if TC_PTX_ISA >= 88
        asm("max.NaN.abs.f32 %0, %0, %1, %2;" : "+f"(most) : "f"(v[i]), "f"(v[i + 1]));
#else
        most = tc__epi_most(tc__epi_most(most, v[i]), v[i + 1]);
#endif
    }
    return most;
}

/* Eight values to e2m1. */
TC_DEV_SM100A uint32_t tc__gemm100_e2m1x8(const float *v)
{
    uint32_t r;
    asm("{\n\t.reg .b8 x, y, z, w;\n\tcvt.rn.satfinite.e2m1x2.f32 x, %2, %1;\n\t"
        "cvt.rn.satfinite.e2m1x2.f32 y, %4, %3;\n\tcvt.rn.satfinite.e2m1x2.f32 z, %6, %5;\n\t"
        "cvt.rn.satfinite.e2m1x2.f32 w, %8, %7;\n\tmov.b32 %0, {x, y, z, w};\n\t}"
        : "=r"(r) : "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]), "f"(v[4]), "f"(v[5]), "f"(v[6]), "f"(v[7]));
    return r;
}

/* Factors of a lane's 64 columns, and as bytes. ue4m3 are made of f32 two at a time. */
TC_DEV_SM100A uint32_t tc__gemm100_row_factors(const tc__quant q, const float *v, float *factor)
{
    uint32_t codes = 0u;
#pragma unroll
    for (int b = 0; q.wide && b < TC__GEMM100_QUANT_COLS / q.wide; b += 2) {
        const float most[2] = {tc__gemm100_most(v + b * q.wide, q.wide),
                               tc__gemm100_most(v + (b + 1) * q.wide, q.wide)};
        if (q.wide == 16) {
            const uint16_t two = tc_e4m3x2(tc__quant_unrounded(q, most[0]), tc__quant_unrounded(q, most[1]));
            const uint32_t pair = tc_f16x2_from_e4m3x2(two);
            factor[b] = tc_f32_from_f16((uint16_t)pair), factor[b + 1] = tc_f32_from_f16((uint16_t)(pair >> 16));
            codes |= (uint32_t)two << b * 8;
        } else {
            factor[b] = tc__quant_factor(q, most[0]), factor[b + 1] = tc__quant_factor(q, most[1]);
            codes |= __byte_perm(tc_bits_from_f32(factor[b]) << 1, tc_bits_from_f32(factor[b + 1]) << 1, 0x4473u)
                   & 0xffffu;
        }
    }
    return codes;
}

/* A lane's 64 columns of D and their factors; at: its row, and the first of them. */
TC_DEV_SM100A void tc__gemm100_put_row(const tc__quant q, const tc_gemm_out *o, float *v, const tc__quant_rows x)
{
    const tc__more_outputs *w = tc__epi_more(o);
    const tc_gemm_at at = {x.first.row + tc_lane(), x.first.col, x.first.batch, 0};
    uint8_t *to = (uint8_t *)o->d + tc__epi_d_at(o, at) / (q.d == TC_E2M1 ? 2 : 1);
    float factor[4] = {1.f, 1.f, 1.f, 1.f};
    uint32_t words[16];
    const uint32_t codes = tc__gemm100_row_factors(q, v, factor);
    const int each = q.d == TC_E2M1 ? 8 : 4, bytes = TC__GEMM100_QUANT_COLS / each * 4;
#pragma unroll
    for (int i = 0; i < bytes / 4; i++) {
        float *p = v + i * each;
        const float inverse = q.wide ? tc__quant_inverse(q, factor[q.wide ? i * each / q.wide : 0]) : 1.f;
        if (q.d == TC_E2M1) {
#pragma unroll
            for (int j = 0; j < 8; j++) p[j] *= inverse;
            words[i] = tc__gemm100_e2m1x8(p);
        } else {
            words[i] = __byte_perm(tc__quant_pair(q, p, inverse), tc__quant_pair(q, p + 2, inverse), 0x5410u);
        }
    }
#pragma unroll
    for (int i = 0; i < bytes / 32; i++) tc__st_global_32(to + i * 32, words + i * 8, w->vec == 3);
    if (!q.wide) return;
    uint8_t *sf = (uint8_t *)w->scale + at.batch * w->batch;
    const int end = tc__quant_end(q, o, &x) + x.sf, s = at.col / q.wide;
    uint32_t put = codes;
    /* behind the last row, zeros up to the end of its last 128 */
#pragma unroll 1
    for (int i = at.row + x.sf; i < (end + 127) / 128 * 128; i += 32, put = 0u) {
        if (q.wide == 16) *(uint32_t *)(sf + tc_sf_at(o->n, q.wide, i, s)) = put;
        else *(uint16_t *)(sf + tc_sf_at(o->n, q.wide, i, s)) = (uint16_t)put;
        if (x.first.row + 32 + x.sf < end) return;
    }
}

/* Do a warp's 32 rows, from the first on, go to D by rows? All of them are there, columns end where factors' words do,
 * there is no C, and D's rows begin at multiples of 16 bytes. */
TC_DEV int tc__gemm100_rows_whole(const tc__quant q, const tc__gemm_to *to, int row, int end)
{
    const int words = q.wide == 32 ? 128 : TC__GEMM100_QUANT_COLS;
    return row + 32 <= end && to->out->n % words == 0 && to->out->beta == 0.f && tc__epi_more(to->out)->vec >= 2;
}

/* And a warp's part of a tile. */
TC_DEV_SM100A void tc__gemm100_store_rows(tc_gemm100_in k, const tc_gemm100_block *g, const tc_gemm100_storer *u,
                                          uint32_t stage)
{
    tc__quant q = tc__quant_of(k.c.d, k.c.d_scale, k.c.d_sf);
    const tc__gemm_to to = tc__gemm100_to(k, g, u);
    const int sf = k.c.d_sf && k.c.groups ? tc__gemm_sf_row(k.c, &g->p->groups, &u->w) - u->w.row : 0;
    const tc__gemm100_strips strips =
        tc__gemm100_strips_of(k, stage, k.c.bn / TC__GEMM100_QUANT_COLS, TC__GEMM100_QUANT_COLS);
    q.groups = k.c.groups != 0;
#pragma unroll 1
    for (int i = 1; i < 2 * strips.across; i += 2) { /* both halves of a strip at once */
        const int col = tc__gemm100_strip(strips, i);
        const tc__quant_rows x = {tc__gemm100_place(k, u, u->row, col), tc__gemm_end_row(k.c, &to), sf};
        uint32_t r[64];
        float v[64];
        TC_TCGEN05_LD(32x32b, x64, r, u->tmem + (uint32_t)col);
        tc_tcgen05_wait_ld_regs(r, 64); /* of a quantised D */
        tc__gemm100_sums(k, v, r, 64);
        if (!strips.half && i + 1 == strips.release) tc__gemm100_release(k, g, stage); /* of a quantised D */
        tc__gemm100_release_half(k, g, strips, i);
        if (x.first.col >= to.out->n) continue;
        tc__epi_alpha(v, 64, to.out->alpha);
#pragma unroll
        for (int j = 0; j < 64; j += 2) {
            const tc_gemm_at at = {x.first.row + tc_lane(), x.first.col + j, x.first.batch, x.first.group};
            tc__epi_hook(tc__gemm_epi(k.c), to.out, v + j, at);
        }
        tc__gemm100_put_row(q, to.out, v, x);
    }
}

/* The same of a quantised D: 128 columns of 16 rows at a time, which share a factor. Of columns in common the other 16
 * rows come at once, so that the accumulator is given back before any of it is quantised. */
TC_DEV_SM100A void tc__gemm100_store_quantised(tc_gemm100_in k, const tc_gemm100_block *g,
                                               const tc_gemm100_storer *u, uint32_t stage)
{
    tc__quant q = tc__quant_of(k.c.d, k.c.d_scale, k.c.d_sf);
    const tc__gemm_to to = tc__gemm100_to(k, g, u);
    const int across = k.c.bn / TC__QUANT_COLS;
    const int sf = k.c.d_sf && k.c.groups ? tc__gemm_sf_row(k.c, &g->p->groups, &u->w) - u->w.row : 0;
    const tc__gemm100_strips strips = tc__gemm100_strips_of(k, stage, across, TC__QUANT_COLS);
    float other[64];
    q.groups = k.c.groups != 0;
    if (tc__gemm100_by_rows(k.c)
        && tc__gemm100_rows_whole(q, &to, tc__gemm100_place(k, u, u->row, 0).row, tc__gemm_end_row(k.c, &to))) {
        tc__gemm100_store_rows(k, g, u, stage);
        return;
    }
#pragma unroll 1
    for (int i = 0; i < 2 * across; i++) {
        const int col = tc__gemm100_strip(strips, i);
        const tc__quant_rows x = {tc__gemm100_place(k, u, u->row + i % 2 * 16, col), tc__gemm_end_row(k.c, &to), sf};
        float v[64];
        if (!strips.common || i % 2 == 0) tc__gemm100_get(k, v, u->tmem + tc_tcgen05_taddr(i % 2 * 16, col));
        if (strips.common && i % 2 == 0) tc__gemm100_get(k, other, u->tmem + tc_tcgen05_taddr(16, col));
#pragma unroll
        for (int j = 0; j < 64; j++)
            if (strips.common && i % 2 == 1) v[j] = other[j];
        if (!strips.half && i + (strips.common ? 2 : 1) == strips.release)
            tc__gemm100_release(k, g, stage); /* of a quantised D */
        tc__gemm100_release_half(k, g, strips, i);
        if (x.first.row >= tc__gemm_end_row(k.c, &to) || x.first.col >= to.out->n) continue;
        const tc__gemm_kept all = {v, x.first, 64};
        if (!tc__gemm100_by_rows(k.c) && tc__quant_whole(to.out, &x)) {
            tc__epi_alpha(v, 64, to.out->alpha);
            tc__gemm_visit(k.c, to.out, all);
        } else {
            tc__gemm100_quant_cut(k, &to, u->buf, all);
        }
        if (k.c.d == TC_E2M1) tc__quant_block4(q, to.out, v, x);
        else tc__quant_block(q, to.out, v, x);
    }
}

/* .split: this warp's sums to the workspace, and the way on from there. A box's columns at a time. */
TC_DEV_SM100A void tc__gemm100_store_part(tc_gemm100_in k, const tc_gemm100_block *g, const tc_gemm100_storer *u,
                                          uint32_t stage)
{
    const tc__gemm_to to = tc__gemm100_to(k, g, u);
    const int wide = tc_box_cols(tc__gemm100_box(k.c)), across = k.c.bn / wide, count = wide / 2, down = k.c.bm / 16;
    const tc__gemm100_strips strips = tc__gemm100_strips_of(k, stage, across, wide);
    const tc__gemm_ending e = {&g->p->split, &u->w, 4, u->row / 32, 1, g->parts, u->buf, u->tile, down, k.c.bn / 16,
                               u->last};
    uint32_t r[32];
    float v[32];
    tc__gemm100_ld(count, r, u->tmem + (uint32_t)tc__gemm100_strip(strips, 0));
#pragma unroll 1
    for (int i = 0; i < 2 * across; i++) {
        tc_tcgen05_wait_ld_regs(r, count); /* without boxes */
        tc__gemm100_sums(k, v, r, count);
        if (i + 1 < 2 * across)
            tc__gemm100_ld(count, r, u->tmem + tc_tcgen05_taddr((i + 1) % 2 * 16, tc__gemm100_strip(strips, i + 1)));
        else if (!strips.common && !strips.half)
            tc__gemm100_release(k, g, stage); /* without boxes */
        if (strips.common && i + 1 == strips.release) tc__gemm100_release(k, g, stage); /* without boxes */
        tc__gemm100_release_half(k, g, strips, i);
#pragma unroll
        for (int j = 0; j < count / 8; j++)
            tc__gemm_leave_place(&e, (tc__gemm100_strip(strips, i) / 16 + j) * down + u->row / 16 + i % 2, v + j * 8);
    }
    tc__gemm_end_part(k.c, &to, &e);
}

/* A warp, its 32 rows of a tile in accumulator number `stage`, which it gives back. */
TC_DEV_SM100A void tc_gemm_sm100_store(tc_gemm100_in k, const tc_gemm100_block *g, tc_gemm100_storer *u,
                                       uint32_t stage)
{
    const int into = k.c.index & TC_INDEX_D;
    if (into) tc__gemm100_look_up(k, g, u);
    const tc_gemm_config c = tc__gemm_gated(k.c); /* as D knows it */
    const tc__gemm_to to = tc__gemm100_to(k, g, u);
    const tc_box box = tc__gemm100_box(k.c);
    const int wide = tc_box_cols(box), across = c.bn / wide, count = wide / 2;
    const tc__gemm100_strips strips = tc__gemm100_strips_of(k, stage, across, wide);
    const int cut = (c.groups || !tc__gemm_clips(c, &to))
                 && (u->w.row + u->row + 32 > tc__gemm_end_row(c, &to) || u->w.col + c.bn > to.out->n);
    uint32_t r[32], r2[32]; /* .gate: of B2 */
    float up[32];
    if (tc__gemm_quantised(k.c)) {
        tc__gemm100_store_quantised(k, g, u, stage);
        return;
    }
    if (k.c.split && g->p->split.parts > 1u) {
        tc__gemm100_store_part(k, g, u, stage);
        return;
    }
    if ((into && to.whole != 3u) || cut || to.by == TC__GEMM_D_PIECES) tc__gemm100_store_pieces(k, g, u);
    if ((into && !to.whole) || to.by == TC__GEMM_D_PIECES) {
        tc__gemm100_release(k, g, stage); /* without boxes */
        if (strips.half) tc__gemm100_release(k, g, 1u); /* a wide tile's others */
        return;
    }
    tc__gemm100_ld(count, r, u->tmem + (uint32_t)tc__gemm100_strip(strips, 0));
    if (k.c.gate) tc__gemm100_ld(count, r2, u->tmem + (uint32_t)(c.bn + tc__gemm100_strip(strips, 0)));
#pragma unroll 1
    for (int i = 0; i < 2 * across; i++) {
        tc__gemm_box b;
        b.first = tc__gemm100_place(k, u, u->row + i % 2 * 16, tc__gemm100_strip(strips, i));
        tc_tcgen05_wait_ld_regs(r, count);
        tc__gemm100_sums(k, b.v, r, count);
        if (k.c.gate) {
            tc_tcgen05_wait_ld_regs(r2, count); /* of the second product */
            tc__gemm100_sums(k, up, r2, count);
        }
        if (k.c.gate && i + 1 < 2 * across)
            tc__gemm100_ld(count, r2,
                           u->tmem + tc_tcgen05_taddr((i + 1) % 2 * 16, c.bn + tc__gemm100_strip(strips, i + 1)));
        if (i + 1 < 2 * across) /* the next box is on its way while this one is stored */
            tc__gemm100_ld(count, r, u->tmem + tc_tcgen05_taddr((i + 1) % 2 * 16, tc__gemm100_strip(strips, i + 1)));
        else if (!strips.common && !strips.half)
            tc__gemm100_release(k, g, stage); /* of all columns */
        if (strips.common && i + 1 == strips.release) tc__gemm100_release(k, g, stage); /* of those in common */
        tc__gemm100_release_half(k, g, strips, i);
        if (!tc__gemm_boxed(c, box, &to, b.first)) continue;
        if (k.c.gate) tc__gemm_gate_box(k.c, count, to.out, &b, up);
        b.to = tc__gemm_take_box(c, box, u->buf, u->stores++);
        if (into) {
            tc__gemm_make_box(c, box, &to, &b);
            tc__gemm100_scatter(box, &to, &b);
        } else {
            tc__gemm_store_box(c, box, &to, &b);
        }
    }
}

#endif /* TC_HAS_SM100A */
#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM100_STORE_H */
