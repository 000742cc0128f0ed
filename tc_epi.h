/* tc_epi.h - tc 0.2.0 - the end of a tile: alpha, beta and C, hooks, conversion, fragments to memory.
 * Needs: the headers below.
 *
 * Fragments are 16 rows of a warp in the layout that mma.sync and wgmma share: with g = lane / 4 and q = lane % 4,
 * v[4j], v[4j+1] lie at (g, 8j + 2q), (g, 8j + 2q + 1), and v[4j+2], v[4j+3] eight rows further down.
 *
 *     tc_pack, tc_unpack                          two f32 to a pair of 16-bit elements; one of them back
 *     tc_box, tc_box_lane, tc_box_put             a warp's 16 rows to a swizzled box in shared memory, which TMA then
 *                                                 stores; tc_box_copy where TMA refuses
 *     tc_store, tc_store_rows                     all columns of a warp's 16 rows to memory by TMA, for kernels of your
 *                                                 own
 */
#ifndef TC_EPI_H
#define TC_EPI_H

#include "tc_core.h"
#include "tc_hooks.h"
#include "tc_sums.h"
#include "tc_swizzle.h"
#include "tc_mma.h"
#include "tc_tma.h"

/* What a kernel knows of its epilogue when it is compiled: D's type, whether rows in the kernel are D's columns (D is
 * column-major), whether sums come as s32 (raw) or as f32, and the hook, or the hook of pairs, or neither. */
typedef struct tc_epi {
    int d, turned, raw;
    tc_epi_fn epi;
    tc_epi2_fn epi2;
    int scattered; /* rows of C and D are looked up */
    int aux;           /* type of a second output, 0 where there is none, */
    tc_epi_fn aux_epi; /* and the hook that makes it of x; without one it is x */
    int row_sum;       /* TC_SUM ...: what is kept of each row of D, with TC__KEEP_ */
    int c;             /* C's type */
    int back;          /* what the hook made goes back to the piece in shared memory, */
    int only_back;     /* and not to D */
    tc_gemm_keep_fn keep; /* which elements of some tiles are stored, or */
    int triangle;         /* those of a triangle, of rows as the kernel has them (0: all) */
    int aux_across;       /* the second output's lines are columns, as the kernel has them */
    int col_sum;          /* as row_sum, of columns, which are read from the piece in shared memory (back) */
} tc_epi;

/* And what it is told with the call. */
typedef struct tc_gemm_out {
    int m, n;
    float alpha, beta;
    const void *c;
    void *d;
    long long ldc, stride_c, ldd, stride_d;
    TC_ALIGN(16) unsigned char epi[TC_EPI_MAX];
} tc_gemm_out;

/* What a kernel that writes more than D is told besides. It lies in the last bytes of tc_gemm_out.epi, so that the
 * parameters of all other kernels are what they are.
 *
 * Rows: each 16 columns of a row, counted from D's first, are a part, written by whoever stores them: the lanes that
 * share them add in an order that the tile's shape says. Where a warp has all columns of a tile's rows, those are one
 * part, `each` times 16 columns, which lies where the first 16 columns' would. When all is stored, the same kernel is
 * launched once more, to add up each row's parts: warp i of a block the i-th run of neighbours, from left to right, and
 * then the runs; few parts of many rows are one run. What is kept of all of D is made of its rows (or columns) there:
 * of 32 of them, neighbours, then those 2, 4, 8 and 16 apart; such sums lie behind the parts, of matrix after matrix,
 * and the block that is the last to leave its own adds them up, lane i of a warp each 32nd from the i-th on, then the
 * lanes as before. Behind them is a counter, which tells that block; the first launch puts it to 0. So no order is a
 * matter of time.
 * Products with sizes of their own (TC__KEEP_EACH) have places for the call's m and n each, and the parts that their
 * own sizes say: the second launch asks the device for these again. */
typedef struct tc__outputs {
    union {
        void *aux;
        const int32_t *d_row; /* TC_INDEX_D, with which there is no aux: where a row goes, of d_rows */
    };
    long long ld_aux, stride_aux;
    float *parts;    /* of matrix b, column / 16, row: at (b * across + column / 16) * m + row; of TC_LOG_SUM_EXP
                      * these are the largest values, and behind all of them the sums are, in the same order */
    float *row_out;  /* matrix b's row i: at b * m + i */
    float *all_out;  /* one for all of D */
    int across, batch;
    union {
        int aux_vec; /* rows of aux begin at multiples of 16 bytes */
        int d_rows;
        int most; /* TC__KEEP_EACH: m, the most of all matrices */
    };
    uint16_t finish; /* the second launch */
    uint16_t each;   /* 16 columns of a part of a row */
} tc__outputs;
enum { TC__OUTPUTS_BYTES = 64 };

/* ---------------------------------------------------------------------------------------------------------------------
 * A box: 16 rows of a warp in shared memory, each `bytes` long (32, 64 or 128), in the swizzle of that width: what one
 * TMA store takes.
 */
typedef struct tc_box {
    int type, bytes;
} tc_box;

TC_HD TC_CONSTEXPR int tc_box_cols(const tc_box b) { return b.bytes * 8 / tc_type_bits(b.type); }

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Epilogue in registers.
 */
/* Two f32 to two 16-bit elements of type. */
TC_DEV_SM75 uint32_t tc_pack(const int type, float x, float y)
{
#if TC_HAS_SM80
    return type == TC_BF16 ? tc_bf16x2(x, y) : tc_f16x2(x, y);
#else
    return type == TC_BF16 ? tc_bf16_from_f32(x) | (uint32_t)tc_bf16_from_f32(y) << 16
                           : tc_f16_from_f32(x) | (uint32_t)tc_f16_from_f32(y) << 16;
#endif
}

/* The low 16 bits of w, an element of type, to f32. */
TC_DEV float tc_unpack(const int type, uint32_t w)
{
    return type == TC_BF16 ? tc_f32_from_bits(w << 16) : tc_f32_from_f16((uint16_t)w);
}

TC_DEV void tc__epi_alpha(float *v, const int count, float alpha)
{
    if (alpha == 1.f) return; /* an instruction per element is not free: docs/design.md */
#pragma unroll
    for (int i = 0; i < count; i++) v[i] *= alpha;
}

/* A place as the hook knows it. */
TC_DEV tc_gemm_at tc__epi_place(const tc_epi e, const tc_gemm_at at)
{
    tc_gemm_at place = at;
    if (e.turned) place.row = at.col, place.col = at.row;
    return place;
}

/* The hook on a pair of neighbours of a row that both exist. */
TC_DEV void tc__epi_hook(const tc_epi e, const tc_gemm_out *o, float *x, tc_gemm_at at)
{
    if (e.epi2) {
        const tc_f32x2 in = {x[0], x[1]}, out = e.epi2(in, at, o->epi);
        x[0] = out.x;
        x[1] = out.y;
    } else if (e.epi) {
        x[0] = e.epi(x[0], tc__epi_place(e, at), o->epi);
        at.col++;
        x[1] = e.epi(x[1], tc__epi_place(e, at), o->epi);
    }
}

/* To an integer, to the nearest, ties to even; what is too large stops at the type's end, NaN becomes 0. */
TC_DEV int tc__epi_s32(float x)
{
    int r;
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}
TC_DEV int tc__epi_s8(float x)
{
    int r;
    asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}
TC_DEV uint32_t tc__epi_s8x4(const float *x)
{
    uint32_t r = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) r |= ((uint32_t)tc__epi_s8(x[i]) & 255u) << 8 * i;
    return r;
}

/* Sums of integers that alpha and beta leave as they are: D = sum (+ C) in integers, which wrap around. */
TC_DEV int tc__epi_exact(const tc_epi e, const tc_gemm_out *o)
{
    return e.raw && o->alpha == 1.f && (o->beta == 0.f || o->beta == 1.f);
}

/* Distance in elements of (row, col) of a batch from the start of C, of D. */
TC_DEV long long tc__epi_c_at(const tc_gemm_out *o, tc_gemm_at at)
{
    return (long long)at.batch * o->stride_c + (long long)at.row * o->ldc + at.col;
}
TC_DEV long long tc__epi_d_at(const tc_gemm_out *o, tc_gemm_at at)
{
    return (long long)at.batch * o->stride_d + (long long)at.row * o->ldd + at.col;
}

/* One element of C. */
TC_DEV float tc__epi_read_c(const int type, const tc_gemm_out *o, tc_gemm_at at)
{
    const long long c = tc__epi_c_at(o, at);
    return type == TC_F32   ? ((const float *)o->c)[c]
         : type == TC_S32 ? (float)((const int32_t *)o->c)[c]
         : type == TC_S8  ? (float)((const int8_t *)o->c)[c]
                          : tc_unpack(type, ((const uint16_t *)o->c)[c]);
}

/* The same in two: asked for if it is there (else 0), without a branch; and the element. */
TC_DEV uint32_t tc__epi_ask_c(const int type, const tc_gemm_out *o, tc_gemm_at at, int there)
{
    const char *from = (const char *)o->c + tc__epi_c_at(o, at) * (tc_type_bits(type) / 8);
    uint32_t x;
#define TC__EPI_ASK(load)                                                                                             \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b32 %0, 0; @p ld.global." load " %0, [%1]; }"              \
                 : "=&r"(x) : "l"(from), "r"(there) : "memory")
    if (tc_type_bits(type) == 32) TC__EPI_ASK("b32");
    else if (tc_type_bits(type) == 16) TC__EPI_ASK("u16");
    else TC__EPI_ASK("s8");
#undef TC__EPI_ASK
    return x;
}
TC_DEV float tc__epi_asked(const int type, uint32_t x)
{
    return type == TC_F32 ? tc_f32_from_bits(x) : type == TC_S32 || type == TC_S8 ? (float)(int)x : tc_unpack(type, x);
}

/* A tile of D: its first element, its rows and columns, of which those exist that come before row `end`; most: columns
 * of any tile, a constant. Who does something for it: number `i` of `threads`. */
typedef struct tc__epi_patch {
    tc_gemm_at first;
    int rows, cols, end, most;
} tc__epi_patch;
typedef struct tc__epi_share {
    int i, threads;
} tc__epi_share;

/* C of a tile into the L2, while its products are computed: at its end C is asked for 16 rows at a time, and each time
 * takes a microsecond if it comes from memory. size: bytes of its elements. The loop counts what all lanes have in
 * common, and nothing branches: the main loop behind it wants lanes that ptxas knows to be together. */
TC_DEV void tc__epi_c_ahead(const int size, const tc_gemm_out *o, const tc__epi_patch x, const tc__epi_share who)
{
    const int lines = (x.most * size + 127) / 128, left = o->n - x.first.col;
    const int bytes = (left < x.cols ? left : x.cols) * size, all = x.rows * lines;
    const char *c = (const char *)o->c + tc__epi_c_at(o, x.first) * size;
#pragma unroll 1
    for (int i = 0; i < all; i += who.threads) {
        const int row = (i + who.i) / lines, from = (i + who.i) % lines * 128;
        const int there = row < x.rows && x.first.row + row < x.end && from < bytes;
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p prefetch.global.L2 [%0]; }"
                     : : "l"(c + row * o->ldc * size + from), "r"(there) : "memory");
    }
}

/* Eight neighbours of a row as f32 in shared memory: the addresses of the first four and of the last four, where they
 * go, and whether rows of C and D begin at multiples of 16 bytes. */
typedef struct tc__epi_piece {
    uint32_t lo, hi;
    tc_gemm_at at;
    int vec;
    int to; /* scattered: its row of C and D */
    int picks; /* not all of its elements may be stored */
} tc__epi_piece;

/* Is an element stored, of a piece some of whose may not be? */
TC_DEV int tc__epi_kept(const tc_epi e, const tc_gemm_out *o, tc_gemm_at at)
{
    if (e.triangle) return tc_triangle_keeps(e.triangle, at.row, at.col);
    return e.keep ? e.keep(tc__epi_place(e, at), o->epi) : 1;
}

/* Where a place lies in C and D. */
TC_DEV tc_gemm_at tc__epi_lies(const tc_epi e, const tc__epi_piece *p, tc_gemm_at at)
{
    if (e.scattered) at.row = p->to;
    return at;
}

TC_DEV float tc__epi_shared(uint32_t at)
{
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at) : "memory");
    return x;
}
TC_DEV void tc__epi_put_shared(uint32_t at, float x)
{
    asm volatile("st.shared.f32 [%0], %1;" : : "r"(at), "f"(x) : "memory");
}

/* ---------------------------------------------------------------------------------------------------------------------
 * More than D: a second output, what is kept of rows.
 */
TC_DEV const tc__outputs *tc__epi_outputs(const tc_gemm_out *o)
{
    return (const tc__outputs *)(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES);
}

/* The second output's element of x, which belongs to `at` of D. */
TC_DEV float tc__epi_aux_of(const tc_epi e, const tc_gemm_out *o, float x, tc_gemm_at at)
{
    return e.aux_epi ? e.aux_epi(x, tc__epi_place(e, at), o->epi) : x;
}

/* Four of 8 bits: rounded to the nearest, stopped at the type's ends; NaN stays NaN in floats. */
TC_DEV_SM75 uint32_t tc__epi_bytes(const int type, const float *x)
{
    return type == TC_E4M3 ? tc_e4m3x4(x[0], x[1], x[2], x[3])
         : type == TC_E5M2 ? tc_e5m2x4(x[0], x[1], x[2], x[3]) : tc__epi_s8x4(x);
}

TC_DEV_SM75 void tc__epi_aux_one(const tc_epi e, void *to, float x)
{
    if (e.aux == TC_F32) *(float *)to = x;
    else if (e.aux == TC_S8) *(int8_t *)to = (int8_t)tc__epi_s8(x);
    else if (e.aux == TC_E4M3) *(uint8_t *)to = tc_e4m3_from_f32(x);
    else if (e.aux == TC_E5M2) *(uint8_t *)to = tc_e5m2_from_f32(x);
    else *(uint16_t *)to = (uint16_t)tc_pack(e.aux, x, 0.f);
}

/* Elements from the second output's first to the one of a place. */
TC_DEV long long tc__epi_aux_at(const tc_epi e, const tc__outputs *w, tc_gemm_at at)
{
    const int line = e.aux_across ? at.col : at.row, in = e.aux_across ? at.row : at.col;
    return (long long)at.batch * w->stride_aux + (long long)line * w->ld_aux + in;
}

/* `count` (4 or 8) neighbours of a row that all exist, before the hook; its lines are rows. */
TC_DEV_SM75 void tc__epi_aux(const tc_epi e, const tc_gemm_out *o, const float *x, const int count, tc_gemm_at at)
{
    const tc__outputs *w = tc__epi_outputs(o);
    const int size = tc_type_bits(e.aux) / 8;
    const long long first = tc__epi_aux_at(e, w, at);
    char *to = (char *)w->aux + first * size;
    float v[8];
#pragma unroll
    for (int i = 0; i < count; i++) {
        tc_gemm_at here = at;
        here.col += i;
        v[i] = tc__epi_aux_of(e, o, x[i], here);
    }
    if (!w->aux_vec) {
#pragma unroll
        for (int i = 0; i < count; i++) tc__epi_aux_one(e, to + i * size, v[i]);
    } else if (size == 1) {
        if (count == 8) *(uint2 *)to = make_uint2(tc__epi_bytes(e.aux, v), tc__epi_bytes(e.aux, v + 4));
        else *(uint32_t *)to = tc__epi_bytes(e.aux, v);
    } else if (size == 4) {
#pragma unroll
        for (int i = 0; i < count; i += 4) *(float4 *)(to + i * 4) = make_float4(v[i], v[i + 1], v[i + 2], v[i + 3]);
    } else if (count == 8) {
        *(uint4 *)to = make_uint4(tc_pack(e.aux, v[0], v[1]), tc_pack(e.aux, v[2], v[3]), tc_pack(e.aux, v[4], v[5]),
                                  tc_pack(e.aux, v[6], v[7]));
    } else {
        *(uint2 *)to = make_uint2(tc_pack(e.aux, v[0], v[1]), tc_pack(e.aux, v[2], v[3]));
    }
}

/* TC_B1: a byte of a row is eight neighbours', of which the first is in its lowest bit. */
TC_DEV uint8_t *tc__epi_aux_byte(const tc_epi e, const tc_gemm_out *o, tc_gemm_at at)
{
    const tc__outputs *w = tc__epi_outputs(o);
    return (uint8_t *)w->aux + tc__epi_aux_at(e, w, at) / 8;
}

/* One of those that exist, the first one first: what does not exist is 0. */
TC_DEV void tc__epi_aux_bit(const tc_epi e, const tc_gemm_out *o, float x, tc_gemm_at at)
{
    uint8_t *to = tc__epi_aux_byte(e, o, at);
    const uint32_t bit = tc_b1_from_f32(tc__epi_aux_of(e, o, x, at)), number = (uint32_t)at.col % 8u;
    *to = (uint8_t)((number ? *to : 0u) | bit << number);
}

/* Eight neighbours of a row that all exist, before the hook: a piece's. */
TC_DEV_SM75 void tc__epi_aux_piece(const tc_epi e, const tc_gemm_out *o, const float *x, tc_gemm_at at)
{
    const tc__outputs *w = tc__epi_outputs(o);
    const int size = tc_type_bits(e.aux) / 8;
    uint32_t bits = 0;
    if (e.aux != TC_B1 && !e.aux_across) {
        tc__epi_aux(e, o, x, 8, at);
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        tc_gemm_at here = at;
        here.col += i;
        const float v = tc__epi_aux_of(e, o, x[i], here);
        if (e.aux == TC_B1) bits |= (uint32_t)tc_b1_from_f32(v) << i;
        else tc__epi_aux_one(e, (char *)w->aux + tc__epi_aux_at(e, w, here) * size, v);
    }
    if (e.aux == TC_B1) *tc__epi_aux_byte(e, o, at) = (uint8_t)bits;
}

/* Rows that a matrix has places for. */
TC_DEV int tc__epi_places(const int kind, const tc_gemm_out *o)
{
    return kind & TC__KEEP_EACH ? tc__epi_outputs(o)->most : o->m;
}

/* A part, where there is one: at is the first of its columns. */
TC_DEV void tc__epi_put_part(const int kind, const tc_gemm_out *o, tc_gemm_at at, tc__kept kept, int yes)
{
    const tc__outputs *w = tc__epi_outputs(o);
    const long long i = ((long long)at.batch * w->across + at.col / 16) * tc__epi_places(kind, o) + at.row;
    if (kind & TC__KEEP_ATOMIC) {
        const int to = kind & TC__KEEP_SENT ? yes ? w->d_row[at.row] : -1 : at.row;
        const int there = !(kind & TC__KEEP_SENT) || (uint32_t)to < (uint32_t)w->d_rows;
        tc__epi_red_if(kind, yes && there, w->row_out + (long long)at.batch * tc__epi_places(kind, o) + to, kept.x);
        return;
    }
    tc__epi_put_if(yes, w->parts + i, kept.x);
    if (tc__kept_exp(kind))
        tc__epi_put_if(yes, tc__epi_totals(w->parts, tc__epi_places(kind, o), w->across, w->batch) + i, kept.sum);
    if (kind & TC__KEEP_ALL)
        tc__epi_put_if(yes && i == 0, tc__epi_counter(w->parts, tc__epi_places(kind, o), w->across, w->batch), 0.f);
}

/* Of a piece's lane: neighbours have the halves of 16 columns. For all lanes of a warp; at.row is negative where
 * nothing was stored. */
TC_DEV void tc__epi_piece_part(const tc_epi e, const tc_gemm_out *o, tc_gemm_at at, tc__kept kept)
{
    if (!e.row_sum) return;
    kept = tc__kept_shuffled(e.row_sum, kept, 1);
    tc__epi_put_part(e.row_sum, o, at, kept, at.row >= 0 && at.row < o->m && at.col < o->n && at.col % 16 == 0);
}

/* Of `count` values of a fragment (16 columns are 8 of them) whose first column is at.col; at.row: the fragment's. */
TC_DEV void tc__epi_fragment_parts(const tc_epi e, const tc_gemm_out *o, const float *v, const int count,
                                   tc_gemm_at at)
{
    const int lane = tc_lane();
    if (!e.row_sum) return;
#pragma unroll
    for (int j = 0; j < count; j += 8) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            tc_gemm_at here = at;
            const float *two = v + j + h * 2, four[4] = {two[0], two[1], two[4], two[5]};
            tc__kept kept = tc__kept_keep(e.row_sum, tc__kept_none(e.row_sum), four, 4);
            kept = tc__kept_shuffled(e.row_sum, kept, 1);
            kept = tc__kept_shuffled(e.row_sum, kept, 2);
            here.row += lane / 4 + h * 8, here.col += j * 2;
            tc__epi_put_part(e.row_sum, o, here, kept, lane % 4 == 0);
        }
    }
}

/* Of a lane's two rows of a fragment, what is kept of `count` more values. */
TC_DEV_SM80 void tc__epi_fragment_rows(const tc_epi e, const float *v, const int count, tc__kept *rows)
{
    if (tc__kept_exp(e.row_sum)) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float own[64];
#pragma unroll
            for (int j = 0; j < count / 2; j++) own[j] = v[j / 2 * 4 + h * 2 + j % 2];
            rows[h] = tc__kept_exps(rows[h], own, count / 2);
        }
        return;
    }
#pragma unroll
    for (int j = 0; j < count; j++) rows[j / 2 % 2].x = tc__epi_keep_sum(e.row_sum, rows[j / 2 % 2].x, v[j]);
}

/* What a piece's lanes have, two neighbours a row, as lanes of a fragment have it: their first of four. */
TC_DEV void tc__epi_pieces_to_rows(const tc_epi e, tc__kept kept, tc__kept *rows)
{
    const int lane = tc_lane();
    kept = tc__kept_shuffled(e.row_sum, kept, 1);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int from = lane / 4 * 2 + h * 16;
        const float x = __shfl_sync(0xffffffffu, kept.x, from);
        rows[h].x = tc__epi_either(lane % 4 == 0, x, tc__epi_none(e.row_sum));
        rows[h].sum = 0.f;
        if (tc__kept_exp(e.row_sum))
            rows[h].sum = tc__epi_either(lane % 4 == 0, __shfl_sync(0xffffffffu, kept.sum, from), 0.f);
    }
}

/* And as a part: of 16 rows from at.row on, which with TC__KEEP_SOME end before `end`. */
TC_DEV void tc__epi_put_rows(const tc_epi e, const tc_gemm_out *o, const tc__kept *rows, tc_gemm_at at, int end)
{
    const int lane = tc_lane(), low = lane & 1;
    /* lanes 1 and 3 of four keep the second row */
    tc__kept own = {tc__epi_either(low, rows[1].x, rows[0].x), 0.f};
    tc__kept other = {__shfl_xor_sync(0xffffffffu, tc__epi_either(low, rows[0].x, rows[1].x), 1), 0.f};
    if (tc__kept_exp(e.row_sum)) {
        own.sum = tc__epi_either(low, rows[1].sum, rows[0].sum);
        other.sum = __shfl_xor_sync(0xffffffffu, tc__epi_either(low, rows[0].sum, rows[1].sum), 1);
    }
    const tc__kept kept = tc__kept_shuffled(e.row_sum, tc__kept_join(e.row_sum, own, other), 2);
    at.row += lane / 4 + low * 8;
    tc__epi_put_part(e.row_sum, o, at, kept,
                     lane % 4 < 2 && at.row < (e.row_sum & TC__KEEP_SOME ? end : o->m) && at.col < o->n);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Pieces to D.
 */
/* One element, or a pair where the hook is one of pairs (n is even then): alpha, beta * C, the hook, and to D. Says
 * what is kept of it. */
TC_DEV_SM75 tc__kept tc__epi_edge(const tc_epi e, const tc_gemm_out *o, const tc__epi_piece *p, const int number)
{
    const int step = e.epi2 ? 2 : 1;
    const uint32_t from = (number < 4 ? p->lo : p->hi) + (uint32_t)(number % 4 * 4);
    tc_gemm_at at = p->at;
    float v[2];
    at.col += number;
    const tc_gemm_at lies = tc__epi_lies(e, p, at);
    if (tc__epi_exact(e, o)) {
        const uint32_t sum = tc_bits_from_f32(tc__epi_shared(from));
        ((uint32_t *)o->d)[tc__epi_d_at(o, lies)] =
            sum + (o->beta != 0.f ? ((const uint32_t *)o->c)[tc__epi_c_at(o, lies)] : 0u);
        return tc__kept_none(e.row_sum);
    }
#pragma unroll
    for (int i = 0; i < step; i++) {
        v[i] = tc__epi_shared(from + (uint32_t)(4 * i));
        if (e.raw) v[i] = (float)(int)tc_bits_from_f32(v[i]);
        v[i] *= o->alpha;
        if (o->beta != 0.f) {
            tc_gemm_at here = lies;
            here.col += i;
            v[i] += o->beta * tc__epi_read_c(e.c, o, here);
        }
    }
    if (e.aux) {
        const tc__outputs *w = tc__epi_outputs(o);
#pragma unroll
        for (int i = 0; i < step; i++) {
            tc_gemm_at here = at;
            here.col += i;
            if (e.aux == TC_B1) tc__epi_aux_bit(e, o, v[i], here);
            else
                tc__epi_aux_one(e, (char *)w->aux + tc__epi_aux_at(e, w, here) * (tc_type_bits(e.aux) / 8),
                                tc__epi_aux_of(e, o, v[i], here));
        }
    }
    if (e.epi2) tc__epi_hook(e, o, v, at);
    else if (e.epi) v[0] = e.epi(v[0], tc__epi_place(e, at), o->epi);
#pragma unroll
    for (int i = 0; i < step; i++) {
        const long long d = tc__epi_d_at(o, lies) + i;
        if (e.back) tc__epi_put_shared(from + (uint32_t)(4 * i), v[i]);
        if (e.only_back) continue;
        if (e.d == TC_F32) ((float *)o->d)[d] = v[i];
        else if (e.d == TC_S32) ((int32_t *)o->d)[d] = tc__epi_s32(v[i]);
        else if (e.d == TC_S8) ((int8_t *)o->d)[d] = (int8_t)tc__epi_s8(v[i]);
        else ((uint16_t *)o->d)[d] = (uint16_t)tc_pack(e.d, v[i], 0.f);
    }
    if (!e.row_sum) return tc__kept_none(e.row_sum);
    return tc__kept_keep(e.row_sum, tc__kept_none(e.row_sum), v, step);
}

/* Eight sums of integers, whose bits x holds, as tc__epi_exact says. */
TC_DEV void tc__epi_store_exact(const tc_gemm_out *o, tc_gemm_at at, const float *x)
{
    const uint4 *c = (const uint4 *)((const uint32_t *)o->c + tc__epi_c_at(o, at));
    uint4 *d = (uint4 *)((uint32_t *)o->d + tc__epi_d_at(o, at));
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float *v = x + 4 * i;
        const uint4 add = o->beta != 0.f ? c[i] : make_uint4(0, 0, 0, 0);
        d[i] = make_uint4(tc_bits_from_f32(v[0]) + add.x, tc_bits_from_f32(v[1]) + add.y,
                          tc_bits_from_f32(v[2]) + add.z, tc_bits_from_f32(v[3]) + add.w);
    }
}

/* Nothing of a piece is stored: its columns have nothing of it. */
TC_DEV void tc__epi_no_piece(const tc_epi e, const tc__epi_piece *p)
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (e.col_sum) tc__epi_put_shared((i < 4 ? p->lo : p->hi) + (uint32_t)(i % 4 * 4), tc__epi_none(e.col_sum));
}

/* Are all eight elements of a piece stored? */
TC_DEV int tc__epi_keeps_all(const tc_epi e, const tc_gemm_out *o, tc_gemm_at at)
{
    int all = 1;
    at.col += 7;
    if (e.triangle == TC_TRIANGLE_LOWER) return tc__epi_kept(e, o, at);
    at.col -= 7;
    if (e.triangle) return tc__epi_kept(e, o, at);
#pragma unroll 1
    for (int i = 0; i < 8; i++, at.col++) all &= tc__epi_kept(e, o, at) != 0;
    return all;
}

/* A piece to D: in 16 bytes where all eight exist and rows allow it, else what exists of it, element by element. A hook
 * is called once for each element of D and for no other. Says what is kept of the piece's part of its row. */
TC_DEV_SM75 tc__kept tc__epi_store_piece(const tc_epi e, const tc_gemm_out *o, const tc__epi_piece *p)
{
    const int size = tc_type_bits(e.d) / 8, size_c = tc_type_bits(e.c) / 8;
    const tc_gemm_at lies = tc__epi_lies(e, p, p->at);
    const int picks = (e.keep || e.triangle) && p->picks;
    float x[8];
    tc__kept kept = tc__kept_none(e.row_sum);
    if (p->at.row >= o->m || p->at.col >= o->n) return kept;
    if (!p->vec || p->at.col + 8 > o->n || (picks && !tc__epi_keeps_all(e, o, p->at))) {
#pragma unroll 1
        for (int i = 0; i < 8 && p->at.col + i < o->n; i += e.epi2 ? 2 : 1) {
            tc_gemm_at here = p->at;
            here.col += i;
            if (picks && !tc__epi_kept(e, o, here)) {
                if (e.col_sum)
                    tc__epi_put_shared((i < 4 ? p->lo : p->hi) + (uint32_t)(i % 4 * 4), tc__epi_none(e.col_sum));
                continue;
            }
            const tc__kept more = tc__epi_edge(e, o, p, i);
            if (e.row_sum) kept = tc__kept_join(e.row_sum, kept, more);
        }
        return kept;
    }
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                 : "r"(p->lo)
                 : "memory");
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[4]), "=f"(x[5]), "=f"(x[6]), "=f"(x[7])
                 : "r"(p->hi)
                 : "memory");
    if (e.raw) {
        if (tc__epi_exact(e, o)) {
            tc__epi_store_exact(o, lies, x);
            return kept;
        }
#pragma unroll
        for (int i = 0; i < 8; i++) x[i] = (float)(int)tc_bits_from_f32(x[i]);
    }
    tc__epi_alpha(x, 8, o->alpha);
    if (o->beta != 0.f && size_c == 1) {
        const uint2 got = *(const uint2 *)((const char *)o->c + tc__epi_c_at(o, lies));
#pragma unroll
        for (int i = 0; i < 8; i++) x[i] += o->beta * (float)(int8_t)((i < 4 ? got.x : got.y) >> i % 4 * 8);
    } else if (o->beta != 0.f) {
        const uint4 *c = (const uint4 *)((const char *)o->c + tc__epi_c_at(o, lies) * size_c);
#pragma unroll
        for (int w = 0; w < size_c / 2; w++) {
            const uint4 got = c[w];
            const uint32_t u[4] = {got.x, got.y, got.z, got.w};
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (size_c == 4)
                    x[4 * w + i] += o->beta * (e.c == TC_S32 ? (float)(int)u[i] : tc_f32_from_bits(u[i]));
                if (size_c == 2)
                    x[2 * i] += o->beta * tc_unpack(e.c, u[i]), x[2 * i + 1] += o->beta * tc_unpack(e.c, u[i] >> 16);
            }
        }
    }
    if (e.aux) tc__epi_aux_piece(e, o, x, p->at);
#pragma unroll
    for (int i = 0; i < 8; i += 2) {
        tc_gemm_at at = p->at;
        at.col += i;
        tc__epi_hook(e, o, x + i, at);
    }
    if (e.row_sum) kept = tc__kept_keep(e.row_sum, kept, x, 8);
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (e.back) tc__epi_put_shared((i < 4 ? p->lo : p->hi) + (uint32_t)(i % 4 * 4), x[i]);
    if (e.only_back) return kept;
    uint4 *d = (uint4 *)((char *)o->d + tc__epi_d_at(o, lies) * size);
    if (size == 1) {
        *(uint2 *)d = make_uint2(tc__epi_s8x4(x), tc__epi_s8x4(x + 4));
    } else if (e.d == TC_S32) {
#pragma unroll
        for (int i = 0; i < 8; i += 4)
            d[i / 4] = make_uint4((uint32_t)tc__epi_s32(x[i]), (uint32_t)tc__epi_s32(x[i + 1]),
                                  (uint32_t)tc__epi_s32(x[i + 2]), (uint32_t)tc__epi_s32(x[i + 3]));
    } else if (size == 4) {
        d[0] = make_uint4(tc_bits_from_f32(x[0]), tc_bits_from_f32(x[1]), tc_bits_from_f32(x[2]),
                          tc_bits_from_f32(x[3]));
        d[1] = make_uint4(tc_bits_from_f32(x[4]), tc_bits_from_f32(x[5]), tc_bits_from_f32(x[6]),
                          tc_bits_from_f32(x[7]));
    } else {
        d[0] = make_uint4(tc_pack(e.d, x[0], x[1]), tc_pack(e.d, x[2], x[3]), tc_pack(e.d, x[4], x[5]),
                          tc_pack(e.d, x[6], x[7]));
    }
    return kept;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Fragments and boxes.
 */

/* wait_group.read with a constant that is no literal: folds to one instruction. */
TC_DEV_SM90 void tc__bulk_wait_read(const int n)
{
    switch (n) {
    case 0: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0); break;
    case 1: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(1); break;
    case 2: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(2); break;
    default: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(3); break;
    }
}

/* Where this lane reads and writes in a box: its row of a 16 x 16 tile for ldmatrix and stmatrix, or two floats of its
 * row for f32. The tile 16 columns on lies at ^ 32 (f32: 8 columns on), since j * 32 selects whole swizzle chunks. */
TC_DEV uint32_t tc_box_lane(const tc_box b)
{
    const int lane = tc_lane();
    return b.type == TC_F32 ? tc_swizzle(b.bytes, (uint32_t)(lane / 4 * b.bytes + lane % 4 * 8))
                            : tc_swizzle(b.bytes, (uint32_t)(lane % 16 * b.bytes + lane / 16 * 16));
}

/* Values from .. to - 1 of a fragment; 16-bit types: multiples of 8. */
typedef struct tc_box_span {
    int from, to;
} tc_box_span;

/* Those values of fragment v into the box: at is its shared address plus tc_box_lane. */
TC_DEV_SM90 void tc_box_put(const tc_box b, uint32_t at, const float *v, const tc_box_span span)
{
    if (b.type == TC_F32) {
#pragma unroll
        for (int j = span.from; j < span.to; j += 2)
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                         : : "r"((at ^ (uint32_t)(j / 4 * 32)) + (uint32_t)(j / 2 % 2 * 8 * b.bytes)), "f"(v[j]),
                           "f"(v[j + 1])
                         : "memory");
    } else {
#pragma unroll
        for (int j = span.from; j < span.to; j += 8) {
            const uint32_t w[4] = {tc_pack(b.type, v[j], v[j + 1]), tc_pack(b.type, v[j + 2], v[j + 3]),
                                   tc_pack(b.type, v[j + 4], v[j + 5]), tc_pack(b.type, v[j + 6], v[j + 7])};
            tc_stmatrix_x4(at ^ (uint32_t)(j / 8 * 32), w);
        }
    }
}

/* Rows of D that a box goes to: how many, the first one's place, the bytes from one to the next. */
typedef struct tc_box_rows {
    int rows;
    char *first;
    long long pitch;
} tc_box_rows;

/* Rows of the box at shared address `from` to memory where TMA refuses them, all aligned to their elements only. A lane
 * takes a word; where a row of 16-bit elements begins between two words, neighbours share. For all lanes of the warp,
 * between two __syncwarp. The loop counts what all lanes have in common: in ptxas's eyes one that counts a lane's own
 * rows parts them, and a kernel that has it anywhere keeps its main loop out of the uniform registers. */
TC_DEV void tc_box_copy(const tc_box b, uint32_t from, const tc_box_rows to)
{
    const int words = b.bytes / 4;
    int lane, word;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); /* here and now: nothing of this is kept between boxes */
    word = lane % words;
#pragma unroll 1
    for (int first = 0; first < to.rows; first += 32 / words) {
        const int row = first + lane / words;
        char *at = to.first + row * to.pitch + word * 4;
        uint32_t x = 0, next;
        if (row < to.rows)
            asm volatile("ld.shared.b32 %0, [%1];"
                         : "=r"(x) : "r"(from + tc_swizzle(b.bytes, (uint32_t)(row * b.bytes + word * 4))) : "memory");
        next = b.type == TC_F32 ? 0u : __shfl_down_sync(0xffffffffu, x, 1);
        if (row < to.rows) {
            if (b.type == TC_F32 || (uintptr_t)at % 4 == 0) {
                *(uint32_t *)at = x;
            } else {
                if (word == 0) *(uint16_t *)at = (uint16_t)x;
                if (word == words - 1) *(uint16_t *)(at + 2) = (uint16_t)(x >> 16);
                else *(uint32_t *)(at + 2) = x >> 16 | next << 16;
            }
        }
    }
}

/* Where 16 rows of a warp go: a tensor map of boxes of 16 rows (tc_operand_map, box_rows 16), the place of the first
 * element, what there is. */
typedef struct tc_store {
    const tc_tmap *map;
    int row, col, batch;
    int m, n;     /* rows and columns of D; n * bytes of an element a multiple of 16 */
    uint32_t buf; /* shared address of two boxes of the warp's own, a multiple of 1024 */
} tc_store;

/* `cols` columns (a multiple of a box's) of a fragment of 16 rows to D by TMA, box by box, each warp for itself; two
 * boxes in turns. The last thing to do before the kernel ends: wait until they are read
 * (TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0); tc_kernel.h does). */
TC_DEV_SM90 void tc_store_rows(const tc_box b, const int cols, const tc_store *s, const float *v)
{
    const int lane = tc_lane(), wide = tc_box_cols(b);
    const uint32_t at = tc_box_lane(b);
    const tc_box_span whole = {0, wide / 2};
#pragma unroll
    for (int i = 0; i < cols / wide; i++) {
        const uint32_t to = s->buf + (uint32_t)(i % 2 * 16 * b.bytes);
        if (lane == 0) tc__bulk_wait_read(i > 0); /* what was stored from this box before has left it */
        __syncwarp();
        tc_box_put(b, to + at, v + i * wide / 2, whole);
        tc_fence_proxy_async_shared(); /* ordinary writes before, TMA's reads after */
        __syncwarp();
        if (lane == 0) {
            if (s->row < s->m && s->col + i * wide < s->n)
                tc_cp_async_bulk_tensor_3d_store(s->map, to, s->col + i * wide, s->row, s->batch);
            tc_cp_async_bulk_commit_group();
        }
    }
}

#endif /* __CUDACC__ */
#endif /* TC_EPI_H */
