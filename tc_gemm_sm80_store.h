/* tc_gemm_sm80_store.h - tc 0.2.0 - the sm_80 GEMM's way to D: a warp's sums to shared memory, 16 rows at a time, and
 * from there to D. Needs: the headers below.
 *
 *     tc__gemm80_stage                      16 rows of sums to shared memory
 *     tc__gemm80_store, _f64, _gated        from there to D: by pieces of 8 columns; of f64; of two products (.gate)
 *     tc__gemm80_quantise                   to a quantised D, with factors
 */
#ifndef TC_GEMM_SM80_STORE_H
#define TC_GEMM_SM80_STORE_H

#include "tc_gemm_gate.h"
#include "tc_gemm_rows.h"
#include "tc_gemm_sm80_copy.h"
#include "tc_gemm_sm80_weights.h"

#ifdef __CUDACC__

/* 16 rows of a warp's tile: the first one's place; groups: rows end before this one; whether some elements are not to
 * be stored; C and D, and whether their rows begin at multiples of 16 bytes. */
typedef struct tc__gemm80_to {
    tc_gemm_at first;
    int end, picks, vec;
    const tc_gemm_out *out;
} tc__gemm80_to;

/* The epilogue of a view. */
TC_DEV_SM75 tc_epi tc__gemm80_epi(tc_gemm80_in k)
{
    const tc_epi e = {k.c.d, k.turned, tc__gemm_raw(k.c), k.c.epi, k.c.epi2, k.c.index & TC_INDEX_D, k.c.aux,
                      k.c.aux_epi, tc__gemm_row_kind(k.c), tc__gemm_c(k.c), tc__gemm_own_ends(k.c),
                      tc__gemm_quantised(k.c), k.c.keep, k.c.triangle, tc__gemm_aux_across(k.c, k.turned),
                      tc__gemm_col_kind(k.c)};
    return e;
}

/* Those from shared memory (rows of bn / warps_n + 8 floats) to D, eight columns a lane. A loop, so that the hook's
 * code stands here but a few times. */
TC_DEV_SM75 void tc__gemm80_store(tc_gemm80_in k, const tc_gemm_sm80_params *p, uint32_t stage,
                                  const tc__gemm80_to to)
{
    const tc_epi epi = tc__gemm80_epi(k);
    const int wn = k.c.bn / k.c.warps_n, twice = k.c.gated ? 2 : 1; /* as far apart as two products' are */
#pragma unroll 2
    for (int i = tc_lane(); i < wn * 2; i += 32) {
        /* whole rows at once; where a second output goes across them, 16 rows of two neighbours */
        const int row = epi.aux_across ? i / 2 % 16 : i / (wn / 8);
        const int number = epi.aux_across ? i / 32 * 2 + i % 2 : i % (wn / 8);
        const uint32_t at = stage + (uint32_t)((row * (wn * twice + 8) + number * 8 * twice) * 4);
        tc__epi_piece piece = {at, at + 16u, to.first, to.vec, 0, to.picks};
        piece.at.row += row;
        piece.at.col += number * 8;
        if (epi.only_back) tc__quant_clear(to.out, &piece, to.end);
        int gone = (k.c.groups || epi.scattered) && piece.at.row >= to.end;
        if (gone && !epi.row_sum) continue;
        if (epi.scattered) piece.to = gone ? -1 : p->d_row[piece.at.row];
        if (epi.scattered && (uint32_t)piece.to >= (uint32_t)p->d_rows) {
            tc__epi_no_piece(epi, &piece);
            if (!epi.row_sum) continue;
            gone = 1;
        }
        tc__kept kept = tc__kept_none(epi.row_sum);
        if (!gone) kept = tc__epi_store_piece(epi, to.out, &piece);
        if (epi.row_sum) {
            if (gone) piece.at.row = -1;
            __syncwarp();
            tc__epi_piece_part(epi, to.out, piece.at, kept);
        }
    }
    if (tc__gemm_col_kind(k.c)) {
        const int left = (k.c.groups ? to.end : to.out->m) - to.first.row;
        const tc__col_place x = {stage, (wn * twice + 8) * 4, left < 16 ? left : 16, wn, to.first, k.c.gated};
        __syncwarp();
        tc__col_strip(tc__gemm_col_kind(k.c), to.out, &x);
    }
}

/* .gate: of 16 rows of two products, 8 columns of each in turn, D's elements where the first one's were; then to D. */
TC_DEV_SM75 void tc__gemm80_store_gated(tc_gemm80_in k, const tc_gemm_sm80_params *p, uint32_t stage,
                                        const tc__gemm80_to to)
{
    const int wn = k.c.bn / k.c.warps_n, across = wn / 16;
    tc_gemm80 e = k;
    e.c = tc__gemm_gated(k.c);
#pragma unroll 1
    for (int i = tc_lane(); i < 16 * across; i += 32) {
        const uint32_t at = stage + (uint32_t)((i / across * (wn + 8) + i % across * 16) * 4);
        tc__gate_eight x = {at, at + 16u, 32u, to.first, 8};
        x.at.row += i / across, x.at.col += i % across * 8;
        x.exist = tc__gate_exist(to.out, x.at, to.end);
        if (k.c.gate_blind || x.exist >= 8) tc__gate_all(k.c, to.out, &x);
        else tc__gate_some(k.c, to.out, &x);
    }
    __syncwarp();
    tc__gemm80_store(e, p, stage, to);
}

/* .rows, .top: of 16 whole rows, which the warps of one row of warps have staged between them, each takes some. `all`:
 * where those of the block's first warp lie. For all threads of a block. */
TC_DEV_SM75 void tc__gemm80_store_rows(tc_gemm80_in k, uint32_t all, const tc__gemm80_to to)
{
    const int wn = k.c.bn / k.c.warps_n, pitch = tc__gemm80_staged(k.c, wn) * 4, each = 16 / k.c.warps_n;
    const int warp = (int)threadIdx.x / 32, row = warp / k.c.warps_m * each;
    const int apart = k.c.warps_n > 1 ? k.c.warps_m * 16 * pitch : 0;
    const uint32_t from = all + (uint32_t)((warp % k.c.warps_m * 16 + row) * pitch);
    const tc__gemm_staged t = {from, pitch, row, each, wn / 8, apart, {to.first.row, 0, to.first.batch, 0}};
    if (apart) __syncthreads();
    tc__gemm_rows_end(k.c, to.out, 0, t);
    if (apart) __syncthreads();
}

/* A quantised D: what the hook made of a warp's 16 rows, and where the largest of its warps' rows lie: those of the
 * warps of one 128 columns, a row after the other. */
typedef struct tc__gemm80_hooked {
    uint32_t rows, most;
    int warp_n; /* its number along n */
} tc__gemm80_hooked;

TC_DEV void tc__gemm80_four(uint32_t at, float *v)
{
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "r"(at) : "memory");
}

/* .d_sf: the bytes of a lane's row, and zeros behind D's last row and column. */
TC_DEV_SM80 void tc__gemm80_put_sf(const tc_gemm_out *o, tc_gemm_at first, int row, float factor)
{
    const tc__more_outputs *w = tc__epi_more(o);
    const int s = first.col / 32;
    uint8_t *to = (uint8_t *)w->scale + first.batch * w->batch;
    if (s >= tc_sf_blocks(o->n, 32) * 4) return;
    if (tc_lane() % 2 == 0 && row < o->m)
        to[tc_sf_at(o->n, 32, row, s)] = (uint8_t)(first.col < o->n ? tc_bits_from_f32(factor) >> 23 & 255u : 0u);
    if (first.row >= o->m || first.row + 16 < o->m) return;
#pragma unroll 1
    for (int i = o->m + tc_lane(); i < (o->m + 127) / 128 * 128; i += 32) to[tc_sf_at(o->n, 32, i, s)] = 0;
}

/* To D, with factors. A lane has half of each 32 columns of a row. For all threads of a block. */
TC_DEV_SM80 void tc__gemm80_quantise(tc_gemm80_in k, const tc_gemm_out *o, const tc__gemm80_hooked x,
                                     const tc__gemm80_to to)
{
    const tc__quant q = tc__quant_of(k.c.d, k.c.d_scale, k.c.d_sf);
    const int wn = k.c.bn / k.c.warps_n, share = TC__QUANT_COLS / wn, lane = tc_lane();
    const uint32_t from = x.rows + (uint32_t)((lane / 2 * (wn + 8) + lane % 2 * 16) * 4);
    const uint32_t mine = x.most + (uint32_t)((lane / 2 * k.c.warps_n + x.warp_n) * 4);
    tc_gemm_at at = to.first;
    float factor[4] = {1.f, 1.f, 1.f, 1.f}, most = 0.f;
    at.row += lane / 2;
#pragma unroll
    for (int i = 0; i < wn / 32; i++) {
        float size = 0.f;
#pragma unroll
        for (int j = 0; j < 16; j += 4) {
            float v[4];
            if (q.wide) tc__gemm80_four(from + (uint32_t)((i * 32 + j) * 4), v);
#pragma unroll
            for (int e = 0; e < 4; e++)
                if (q.wide) size = tc__epi_most(size, v[e]);
        }
        if (q.wide) size = tc__epi_most(size, __shfl_xor_sync(0xffffffffu, size, 1));
        if (q.wide == 32) factor[i] = tc__quant_factor(q, size);
        most = tc__epi_most(most, size);
    }
    if (q.wide == TC__QUANT_COLS) {
        tc__epi_put_shared(mine, most);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < share; i++)
            most = tc__epi_most(most, tc__epi_shared(mine + (uint32_t)((i - x.warp_n % share) * 4)));
#pragma unroll
        for (int i = 0; i < wn / 32; i++) factor[i] = tc__quant_factor(q, most);
        if (lane % 2 == 0 && x.warp_n % share == 0 && at.row < to.end && at.col < o->n)
            tc__quant_put_factor(o, at, factor[0]);
    }
#pragma unroll
    for (int i = 0; i < wn / 32; i++) {
        const float inverse = q.wide ? tc__quant_inverse(q, factor[i]) : 1.f;
        tc_gemm_at first = to.first;
        first.col += i * 32;
        if (q.wide == 32) tc__gemm80_put_sf(o, first, at.row, factor[i]);
#pragma unroll
        for (int j = 0; j < 16; j += 8) {
            float v[8];
            uint32_t bytes[2];
            tc_gemm_at here = at;
            here.col += i * 32 + lane % 2 * 16 + j;
            tc__gemm80_four(from + (uint32_t)((i * 32 + j) * 4), v);
            tc__gemm80_four(from + (uint32_t)((i * 32 + j + 4) * 4), v + 4);
#pragma unroll
            for (int e = 0; e < 2; e++)
                bytes[e] = tc__quant_pair(q, v + e * 4, inverse) | tc__quant_pair(q, v + e * 4 + 2, inverse) << 16;
            if (here.row < to.end) tc__quant_put(o, here, bytes);
        }
    }
}

/* The same of f64, two columns a lane. */
TC_DEV void tc__gemm80_store_f64(tc_gemm80_in k, const tc_gemm_sm80_params *p, uint32_t stage,
                                 const tc__gemm80_to to)
{
    const int wn = k.c.bn / k.c.warps_n;
    const tc_gemm_out *o = to.out;
#pragma unroll 2
    for (int i = tc_lane(); i < wn * 8; i += 32) {
        const int row = i / (wn / 2), col = i % (wn / 2) * 2;
        const uint32_t at = stage + (uint32_t)((row * tc__gemm80_staged(k.c, wn) + col) * 8);
        tc_gemm_at place = to.first;
        double x[2];
        place.row += row, place.col += col;
        if (place.row >= (k.c.groups ? to.end : o->m) || place.col >= o->n) continue;
        int both = place.col + 1 < o->n, second = 0;
        if (tc__tiles_picks(k.c) && to.picks) {
            tc_gemm_at next = place;
            next.col++;
            const int one = tc__epi_kept(tc__gemm80_epi(k), o, place) != 0;
            const int other = both && tc__epi_kept(tc__gemm80_epi(k), o, next) != 0;
            if (!one && !other) continue;
            both = one && other, second = !one;
            if (second) place = next;
        }
        const double *c = (const double *)o->c + tc__epi_c_at(o, place);
        double *d = (double *)o->d + tc__epi_d_at(o, place);
        x[0] = tc__gemm80_shared(at) * p->alpha;
        x[1] = tc__gemm80_shared(at + 8u) * p->alpha;
        if (tc__tiles_picks(k.c) && second) x[0] = x[1];
        if (p->beta != 0.) {
            x[0] += p->beta * c[0];
            if (both) x[1] += p->beta * c[1];
        }
        if (both && to.vec) {
            *(double2 *)d = make_double2(x[0], x[1]);
        } else {
            d[0] = x[0];
            if (both) d[1] = x[1];
        }
    }
}

/* Two neighbours of a row of a warp's sums, number `at` and the next, as the epilogue takes them: f32, or the bits of
 * s32. */
TC_DEV float2 tc__gemm80_pair(tc_gemm80_in k, const tc__gemm80_acc *acc, const int at)
{
    if (k.sums == TC_S32 && tc__gemm_raw(k.c))
        return make_float2(tc_f32_from_bits((uint32_t)acc->i[at]), tc_f32_from_bits((uint32_t)acc->i[at + 1]));
    if (k.sums == TC_S32) return make_float2((float)acc->i[at], (float)acc->i[at + 1]);
    if (k.sums == TC_F16)
        return make_float2(tc_unpack(TC_F16, acc->h[at / 2]), tc_unpack(TC_F16, acc->h[at / 2] >> 16));
    if (tc__gemm_scaled(k.c)) return make_float2(acc->sums[at], acc->sums[at + 1]);
    return make_float2(acc->f[at], acc->f[at + 1]);
}

/* 16 rows of a warp's sums, its i-th, to its shared memory. */
typedef struct tc__gemm80_warp {
    void *stage;
    int lane;
} tc__gemm80_warp;

/* The same where bytes were turned: with B's, a lane's columns of two tiles lie side by side. */
TC_DEV void tc__gemm80_stage_bytes(tc_gemm80_in k, const tc__gemm80_acc *acc, const tc__gemm80_warp to, const int i)
{
    const int wn = k.c.bn / k.c.warps_n, ni = wn / 8, row = tc__gemm80_staged(k.c, wn), lane = to.lane;
    float *stage = (float *)to.stage;
#pragma unroll
    for (int j = 0; j < ni; j++) { /* of two tiles, a row each time */
        const int at = i * ni * 4 + j / 2 * 8 + j % 2 * 2;
        float *x = stage + tc__gemm80_row(k, lane, j % 2) * row;
        const float2 first = tc__gemm80_pair(k, acc, at), second = tc__gemm80_pair(k, acc, at + 4);
        if (tc__gemm80_by_bytes(k.b)) {
            *(float4 *)(x + tc__gemm80_col(k, lane, j / 2 * 2, 0)) = make_float4(first.x, second.x, first.y, second.y);
        } else {
            *(float2 *)(x + tc__gemm80_col(k, lane, j / 2 * 2, 0)) = first;
            *(float2 *)(x + tc__gemm80_col(k, lane, j / 2 * 2 + 1, 0)) = second;
        }
    }
}

TC_DEV void tc__gemm80_stage(tc_gemm80_in k, const tc__gemm80_acc *acc, const tc__gemm80_warp to, const int i)
{
    const int lane = to.lane;
    const int wn = k.c.bn / k.c.warps_n, ni = wn / 8;
    if (k.c.weights) {
        tc__gemm80_stage_weights(k, acc->f, to.stage, i);
    } else if (k.sums == TC_F64) {
        double *stage = (double *)to.stage;
#pragma unroll
        for (int j = 0; j < ni * 4; j++) { /* of two blocks of 8 rows: tiles of 8 columns, of each the two of a lane */
            const int row = k.a.turned ? tc__gemm80_place64(j / (2 * ni), lane / 4)
                                       : j / (2 * ni) * 8 + tc__gemm80_place(lane / 4);
            const int col = k.b.turned ? tc__gemm80_place64(j / 2 % ni, lane % 4 * 2 + j % 2)
                                       : j / 2 % ni * 8 + tc__gemm80_place(lane % 4 * 2 + j % 2);
            stage[row * tc__gemm80_staged(k.c, wn) + col] = acc->d[i * ni * 4 + j];
        }
    } else if (tc__gemm80_by_bytes(k.a) || tc__gemm80_by_bytes(k.b)) {
        tc__gemm80_stage_bytes(k, acc, to, i);
    } else {
        float *stage = (float *)to.stage;
#pragma unroll
        for (int j = 0; j < ni * 2; j++)
            *(float2 *)(stage + (lane / 4 + j % 2 * 8) * tc__gemm80_staged(k.c, wn) + j / 2 * 8 + lane % 4 * 2) =
                tc__gemm80_pair(k, acc, i * ni * 4 + 2 * j);
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM80_STORE_H */
