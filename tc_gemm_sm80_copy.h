/* tc_gemm_sm80_copy.h - tc 0.2.0 - the sm_80 GEMM's blocks of A and B: how they come to shared memory, and where a
 * lane's part of them lies there. Needs: the headers below.
 *
 *     tc_gemm80, tc_gemm80_of                the kernel as its functions know it, a constant
 *     tc__gemm80_source_make, _gather        where a thread stands in the copies of an operand
 *     tc__gemm80_load, _fill                 copies of one operand, of both
 *     tc__gemm80_lane, _step, _turn          a lane's row of ldmatrix in a slot; at a step of k; in a turned block
 *     tc__gemm80_lane_turned, _read_bytes, _read_words, _row, _col, _place64    turned blocks of 8, 32 and 64 bits
 */
#ifndef TC_GEMM_SM80_COPY_H
#define TC_GEMM_SM80_COPY_H

#include "tc_conv_sm80.h"
#include "tc_gemm_sm80_plan.h"

#ifdef __CUDACC__

/* The kernel as its functions know it: its configuration as a view, its operands. A constant of the compiler's front
 * end, made once: what the optimiser is left to find out by itself it finds out too late for the order of instructions.
 */
typedef struct tc_gemm80 {
    tc_gemm_config c; /* of elements of less than a byte, .bk is bytes, as all else that counts k */
    tc__gemm80_operand a, b;
    int k_bytes; /* of a row that is not turned */
    int turned;  /* rows of the view are D's columns */
    int sums;    /* type of the accumulators */
    int parts;   /* instructions of a wider type for one, 0: the target has that one (tc_gemm_sm80_mma.h) */
} tc_gemm80;
TC_IN(tc_gemm80);

TC_DEV_SM75 TC_CONSTEXPR tc_gemm80 tc_gemm80_of(tc_gemm_config_in c)
{
    const tc_gemm_config v = tc__gemm_plain(c);
    tc_gemm80 k = {v, tc__gemm80_a(v), tc__gemm80_b(v), tc__gemm80_k_bytes(v), tc__gemm_d_col(c),
                   tc__gemm_sums(v), tc__gemm80_parts(v)};
    if (tc__gemm_is_packed(v.a)) k.c.bk = k.k_bytes;
    return k;
}

/* How the copies of a tile go: every row and every k of it exists; rows are aligned to 16 bytes, those of A by a
 * filter's taps, one by one or as they lie; or neither. */
enum {
    TC__GEMM80_FILTERED = 4,
    TC__GEMM80_GATHERED = 3,
    TC__GEMM80_WHOLE = 2,
    TC__GEMM80_ALIGNED = 1,
    TC__GEMM80_ANY = 0
};

/* Where a thread stands in the copies of one operand: its first row and chunk, and which of its passes exist. A pass
 * fills a row's chunks side by side as far as they are a power of 2; a turned row may take several. */
typedef struct tc__gemm80_source {
    const char *src; /* of the next pass */
    long long step;  /* bytes from the rows of one pass to those of the next */
    long long back;  /* bytes from behind the last pass of a k block to the first of the next one */
    uint32_t dst;    /* offset in a stage */
    int passes;      /* of those asked for, how many lie inside the matrix; turned: elements left of the row */
    const int32_t *row; /* gathered: the first pass's index, how many rows there are to choose from */
    int rows;
    int which[TC__GEMM80_PASSES]; /* and the rows of all passes, -1 for none */
    tc__conv80_rows conv;         /* .conv: pixels of all passes */
} tc__gemm80_source;

/* A place in a matrix of elements of `size` bytes. */
TC_DEV const void *tc__gemm80_element(const int size, const void *base, long long at)
{
    return size == 1   ? (const void *)((const uint8_t *)base + at)
         : size == 2   ? (const void *)((const uint16_t *)base + at)
         : size == 4   ? (const void *)((const uint32_t *)base + at)
                       : (const void *)((const uint64_t *)base + at);
}

/* base, pitch (elements): the matrix from this tile on; left: rows (turned: elements of a row) from there to the
 * matrix's end. */
TC_DEV_SM80 tc__gemm80_source tc__gemm80_source_make(const tc__gemm80_operand o, const void *base, long long pitch,
                                                     int left)
{
    const tc_rows t = o.t;
    const int lanes = tc_rows_lanes(t), step = tc_rows_step(t), r = (int)threadIdx.x / lanes,
              ch = (int)threadIdx.x % lanes;
    tc__gemm80_source s;
    s.src = (const char *)tc__gemm80_element(o.size, base, (long long)r * pitch + ch * (16 / o.size));
    s.step = pitch * (step * o.size);
    s.back = t.bytes - pitch * (t.rows * o.size);
    s.dst = tc_rows_at(t.bytes, (uint32_t)r, (uint32_t)ch);
    s.passes = left > r ? (left - r + step - 1) / step : 0;
    if (o.turned) s.back = 0, s.passes = left - ch * (16 / o.size);
    return s;
}

/* .gate: a source of B becomes one of 8 rows of B and 8 of B2 in turn; left: rows of each to the matrix's end. */
TC_DEV void tc__gemm80_source_two(const tc__gemm80_operand o, const tc_gemm_sm80_params *p, int left,
                                  tc__gemm80_source *s)
{
    const int half = tc_rows_step(o.t) / 2, r = (int)threadIdx.x / tc_rows_lanes(o.t), row = r / 16 * 8 + r % 8;
    const long long pitch = p->ldb * o.size;
    s->src += (row - r) * pitch + (r % 16 < 8 ? 0 : (long long)((uintptr_t)p->out.c - (uintptr_t)p->b));
    s->step = pitch * half, s->back = o.t.bytes - pitch * (o.t.rows / 2);
    s->passes = left > row ? (left - row + half - 1) / half : 0;
}

/* The row of pass i of a gathered block: -1 for none. */
TC_DEV int tc__gemm80_which(const tc__gemm80_operand o, const tc__gemm80_source *s, int i)
{
    const int row = i < s->passes ? s->row[i * tc_rows_step(o.t)] : -1;
    return (uint32_t)row < (uint32_t)s->rows ? row : -1;
}

/* The same of rows that are looked up: row0 is the tile's first. */
TC_DEV_SM80 tc__gemm80_source tc__gemm80_gather(const tc__gemm80_operand o, const tc_gemm_sm80_params *p, int row0,
                                                int left)
{
    tc__gemm80_source s = tc__gemm80_source_make(o, p->a, 0, left);
    s.step = p->lda * o.size, s.back = o.t.bytes;
    s.row = p->a_row + row0 + (int)threadIdx.x / tc_rows_lanes(o.t);
    s.rows = p->a_rows;
#pragma unroll
    for (int i = 0; i < tc_rows_passes(o.t); i++) s.which[i] = tc__gemm80_which(o, &s, i);
    return s;
}

/* The same of what a filter reads of X. */
TC_DEV_SM80 tc__gemm80_source tc__gemm80_filtered(const tc__gemm80_operand o, const tc_gemm_sm80_params *p, int row0,
                                                  int left)
{
    const int r = (int)threadIdx.x / tc_rows_lanes(o.t);
    tc__gemm80_source s = tc__gemm80_source_make(o, p->a, 0, left);
    s.src = (const char *)p->a, s.back = 0;
    s.conv.walk = tc__conv80_walk(p);
#pragma unroll
    for (int i = 0; i < tc_rows_passes(o.t); i++)
        s.conv.row[i] = tc__conv80_row(s.conv.walk, i < s.passes ? row0 + r + i * tc_rows_step(o.t) : -1);
    return s;
}

/* A run of passes of one operand into a stage; inside: how much of this thread's chunk lies inside k, in bytes; turned:
 * how many of its rows. */
typedef struct tc__gemm80_run {
    uint32_t stage;
    int from, to, word, inside;
} tc__gemm80_run;

/* Bytes of a chunk that exist, of `left` elements from its first on. */
TC_DEV int tc__gemm80_chunk(const int size, int left)
{
    return left < 0 ? 0 : left > 16 / size ? 16 : left * size; /* elements: as many bytes may not fit an int */
}

/* The same of pass i of a turned block. */
TC_DEV int tc__gemm80_exists(const tc__gemm80_operand o, const tc__gemm80_source *s, const tc__gemm80_run *run,
                             const int i)
{
    const int pieces = tc_rows_pieces(o.t);
    if (i / pieces >= run->inside) return 0;
    return tc__gemm80_chunk(o.size, s->passes - i % pieces * tc_rows_lanes(o.t) * (16 / o.size));
}

/* From the pass before to pass i. The source moves along with each pass: one addition, where an address from scratch
 * would take registers' bandwidth from mma.sync. */
TC_DEV void tc__gemm80_next(const tc__gemm80_operand o, tc__gemm80_source *s, const int i)
{
    const int pieces = tc_rows_pieces(o.t), piece = tc_rows_lanes(o.t) * 16;
    if (i % pieces) s->src += piece;
    else if (!o.gathered) s->src += s->step - (pieces - 1) * piece;
}

/* A row of a gathered block, whose source moves along k alone. */
TC_DEV const char *tc__gemm80_row(const tc__gemm80_source *s, int row)
{
    return s->src + (row < 0 ? 0 : row) * s->step;
}

TC_DEV_SM80 void tc__gemm80_load(const tc__gemm80_operand o, const int how, tc__gemm80_source *s,
                                 const tc__gemm80_run run)
{
    if (how == TC__GEMM80_ANY) { /* slow anyway: keep it small */
#pragma unroll 1
        for (int i = run.from; i < run.to; i++, tc__gemm80_next(o, s, i)) {
            const uint32_t to = run.stage + tc_rows_to(o.t, s->dst, threadIdx.x, i);
            if (o.gathered) {
                const int row = tc__gemm80_which(o, s, i), inside = row < 0 ? 0 : run.inside;
                if (o.size == 1) tc_rows_copy_8(run.word, to, tc__gemm80_row(s, row), inside);
                else tc_rows_copy(run.word, to, tc__gemm80_row(s, row), inside);
            } else if (o.size == 1 && !o.turned)
                tc_rows_copy_8(run.word, to, s->src, i < s->passes ? run.inside : 0);
            else if (o.size == 1) tc_rows_copy_8(run.word, to, s->src, tc__gemm80_exists(o, s, &run, i));
            else if (o.turned) tc_rows_copy(run.word, to, s->src, tc__gemm80_exists(o, s, &run, i));
            else tc_rows_copy(run.word, to, s->src, i < s->passes ? run.inside : 0);
        }
    } else {
#pragma unroll
        for (int i = run.from; i < run.to; i++, tc__gemm80_next(o, s, i)) {
            const uint32_t to = run.stage + tc_rows_to(o.t, s->dst, threadIdx.x, i);
            if (how == TC__GEMM80_WHOLE) tc_cp_async_cg_16(to, s->src);
            else if (how == TC__GEMM80_FILTERED) {
                const tc__conv80_copy_to row = {to, run.inside, i};
                tc__conv80_copy(&s->conv, s->src, row);
            }
            else if (how == TC__GEMM80_GATHERED)
                tc_cp_async_cg_16_zfill(to, tc__gemm80_row(s, s->which[i]), s->which[i] < 0 ? 0 : run.inside);
            else if (o.turned) tc_cp_async_cg_16_zfill(to, s->src, tc__gemm80_exists(o, s, &run, i));
            else tc_cp_async_cg_16_zfill(to, s->src, i < s->passes ? run.inside : 0);
        }
    }
    if (run.to == tc_rows_passes(o.t) * tc_rows_pieces(o.t)) s->src += s->back;
}

/* .a_scale, .b_scale: factors of this thread's rows and columns: of its first ones. */
typedef struct tc__gemm80_scales {
    const tc_scale_side *a, *b;
    int row, col, batch;
} tc__gemm80_scales;

/* .bsr: the blocks of a tile's row: where the columns of them stand, the first one's number, columns that there are;
 * both sources at the first of all blocks, and what of their rows exists. */
typedef struct tc__gemm80_list {
    const int32_t *col;
    int first, across, a_passes, b_passes;
    const char *a, *b;
    long long a_block, b_block; /* bytes from a block, a column of blocks to the next */
} tc__gemm80_list;

/* The sources of both operands, and what the mainloop needs besides. */
typedef struct tc__gemm80_block {
    tc__gemm80_source a, b;
    uint32_t smem;
    int k, word;
    tc__gemm80_scales scales;
    tc__gemm80_list list; /* .bsr */
} tc__gemm80_block;

/* How many of this thread's turned rows lie inside k, of which `left` elements are left. */
TC_DEV int tc__gemm80_k_rows(const tc__gemm80_operand o, int left)
{
    const int step = tc_rows_step(o.t), r = (int)threadIdx.x / tc_rows_lanes(o.t);
    return left > r ? (left - r + step - 1) / step : 0;
}

/* Part `part` of `parts` of the copies of k block `block`, into a stage; part and parts are constants. */
typedef struct tc__gemm80_share {
    int block;
    uint32_t stage;
    int part, parts;
} tc__gemm80_share;

TC_DEV_SM80 void tc__gemm80_fill(tc_gemm80_in k, const int how, tc__gemm80_block *g, const tc__gemm80_share x)
{
    const tc__gemm80_operand a = k.a, b = k.b;
    const int left = g->k - x.block * k.c.bk;
    const int bytes = tc__gemm80_chunk(a.size, left - (int)threadIdx.x % (k.k_bytes / 16) * (16 / a.size));
    const int a_passes = tc_rows_passes(a.t) * tc_rows_pieces(a.t),
              b_passes = tc_rows_passes(b.t) * tc_rows_pieces(b.t);
    const uint32_t a_bytes = (uint32_t)(a.t.rows * a.t.bytes), b_bytes = (uint32_t)(b.t.rows * b.t.bytes);
    const tc__gemm80_run ra = {g->smem + x.stage * a_bytes, a_passes * x.part / x.parts,
                               a_passes * (x.part + 1) / x.parts, g->word,
                               a.turned ? tc__gemm80_k_rows(a, left) : bytes};
    const tc__gemm80_run rb = {g->smem + (uint32_t)k.c.stages * a_bytes + x.stage * b_bytes,
                               b_passes * x.part / x.parts, b_passes * (x.part + 1) / x.parts, g->word,
                               b.turned ? tc__gemm80_k_rows(b, left) : bytes};
    if (how == TC__GEMM80_FILTERED && x.part == 0)
        tc__conv80_step(&g->a.conv, x.block * (k.k_bytes / 16) + (int)threadIdx.x % (k.k_bytes / 16));
    tc__gemm80_load(a, how, &g->a, ra);
    tc__gemm80_load(b, how >= TC__GEMM80_GATHERED ? TC__GEMM80_ALIGNED : how, &g->b, rb);
}

/* .bsr: k block `block` may be the first of one of A's blocks: to where that lies. Of one that cannot be, zeros. */
TC_DEV void tc__gemm80_follow(tc_gemm80_in k, tc__gemm80_block *g, int block)
{
    const int steps = k.c.bsr / k.c.bk, now = block / steps;
    const tc__gemm80_list *l = &g->list;
    if (block % steps) return;
    const int col = l->col[now], there = (uint32_t)col < (uint32_t)l->across;
    g->a.src = l->a + (l->first + now) * l->a_block;
    g->b.src = l->b + (there ? col : 0) * l->b_block;
    g->a.passes = there ? l->a_passes : 0, g->b.passes = there ? l->b_passes : 0;
}

/* The fragments of one step of k: ldmatrix rows: A 16 rows as (rows, k half); B two n8 tiles as (n half, k half). f64:
 * 8 rows of A, of B each. */
typedef struct tc__gemm80_fragments {
    uint32_t a[16][4], b[64];
    double a64[32], b64[32];
} tc__gemm80_fragments;

/* Sums, of the one type that a kernel has: of each 16 x 8 four (f64: of each 8 x 8 two). */
typedef struct tc__gemm80_acc {
    float f[256];
    uint32_t h[128]; /* two f16 each */
    int32_t i[256];
    double d[128];
    float sums[256]; /* of blocks of k, with their factors */
} tc__gemm80_acc;

/* f64: which row of 8 of a block a fragment's row (or column) is. A lane reads 8 bytes; the 16 lanes of half a warp
 * read 32 of each of four rows, which lie in different banks if every second row is taken: rows 0 2 4 6, then 1 3 5 7.
 * The sums come out in the same order, by rows and by columns. */
TC_DEV int tc__gemm80_place(int row) { return row % 4 * 2 + row / 4; }

/* Where a lane's row of ldmatrix lies in a stage: `row` is its row of the block's rows of 16 (of a turned block: its
 * k), chunk its chunk of a row. The swizzle of a turned block is put on when it is read (tc__gemm80_turn): chunks that
 * an add reaches, not an XOR. */
TC_DEV uint32_t tc__gemm80_lane(const tc__gemm80_operand o, int row, int chunk)
{
    return o.turned ? (uint32_t)(row * o.t.bytes + chunk * 16) : tc_rows_at(o.t.bytes, (uint32_t)row, (uint32_t)chunk);
}

/* ---- Turned blocks of other types than those of 16 bits, which alone ldmatrix turns. k and rows of a step of an
 * instruction are read such that lanes find different banks.
 *
 *     8 bits    ldmatrix.trans moves pairs of bytes: a register has two neighbours of one k and of the next. prmt makes
 *               four k of either of two such registers; the k of the first one's eight rows are 0 1 4 5 10 11 14 15,
 *               of the second one's 2 3 6 7 8 9 12 13, and half of the lanes have the two in the other order. The first
 *               neighbours are rows 0..7 of a fragment, the second ones rows 8..15 (of B: two of its fragments): the
 *               sums' rows (columns) are so too (tc__gemm80_row, tc__gemm80_col).
 *     TC_TF32   a lane reads words: with 4 rows of k that are one after another, half of the lanes those 4 further on
 *               first.
 *     TC_F64    the same of doubles; half of the lanes have the rows of two fragments the other way round, and so
 *               have the sums (tc__gemm80_place64). */
TC_DEV int tc__gemm80_by_bytes(const tc__gemm80_operand o) { return o.turned && o.size == 1; }

/* Which k of a step is the first that this lane reads? */
TC_DEV int tc__gemm80_first_k(const tc__gemm80_operand o)
{
    const int lane = tc_lane(), row = lane % 8;
    if (o.size == 1) return lane / 16 * 16 + row / 2 * 4 + row % 2 + ((row >= 4) ^ (lane / 8 % 2)) * 2;
    return o.size == 4 ? lane % 4 + lane / 16 * 4 : o.size == 8 ? lane % 4 : row;
}

/* Where it lies, of rows from `first` on; the swizzle is put on by tc__gemm80_turn, but for f64. */
TC_DEV uint32_t tc__gemm80_lane_turned(const tc__gemm80_operand o, int first)
{
    const int lane = tc_lane(), k = tc__gemm80_first_k(o);
    const uint32_t at = (uint32_t)(k * o.t.bytes + first * o.size);
    if (o.size == 1) return at;
    if (o.size == 4) return at + (uint32_t)(lane / 4 * 4);
    return at + ((uint32_t)((lane / 8 % 2 * 4 + lane / 8) * 16) ^ tc_rows_twist(o.t.bytes, (uint32_t)k))
         + (uint32_t)(lane / 4 % 2 * 8);
}

/* Where a lane's double of 8 rows lies, from row `first` on. */
TC_DEV uint32_t tc__gemm80_lane64(const tc__gemm80_operand o, int first)
{
    const int lane = tc_lane();
    return tc__gemm80_lane(o, first + tc__gemm80_place(lane / 4), lane % 4 / 2) + (uint32_t)(lane % 2 * 8);
}

/* The same at step `step` of k. Rows: only the chunk moves with k, and XOR with k's bits commutes with the swizzle,
 * since k selects whole chunks. Turned: 16 rows on, whose swizzle is the same. */
TC_DEV uint32_t tc__gemm80_step(const tc__gemm80_operand o, uint32_t at, const int step)
{
    if (o.turned && o.size == 8) return (at + (uint32_t)(step * 4 * o.t.bytes)) ^ (uint32_t)(step % 2 * 64);
    return o.turned ? at + (uint32_t)(step * (32 / o.size) * o.t.bytes) : at ^ (uint32_t)step * 32u;
}

/* `chunks` chunks further in a turned row, swizzled: stages and 16 rows are multiples of the swizzle's span. */
TC_DEV uint32_t tc__gemm80_turn(const tc__gemm80_operand o, uint32_t at, const int chunks)
{
    const uint32_t row = o.size == 2 ? (uint32_t)tc_lane() % 8u : (uint32_t)tc__gemm80_first_k(o) % 8u;
    return (at + (uint32_t)(chunks * 16)) ^ tc_rows_twist(o.t.bytes, row);
}

/* 8 bits: 16 rows from chunk `chunks` on, 32 k: of the first neighbours k 0..15, of the second ones, and the same of k
 * 16..31. */
TC_DEV_SM75 void tc__gemm80_read_bytes(const tc__gemm80_operand o, uint32_t at, const int chunks, uint32_t *to)
{
    const uint32_t pick = tc_lane() % 4 < 2 ? 0x6420u : 0x2064u;
    uint32_t r[4];
    tc_ldmatrix_x4_trans(r, tc__gemm80_turn(o, at, chunks));
#pragma unroll
    for (int i = 0; i < 4; i++) to[i] = __byte_perm(r[i / 2 * 2], r[i / 2 * 2 + 1], pick + (i % 2 ? 0x1111u : 0u));
}

TC_DEV double tc__gemm80_shared(uint32_t at)
{
    double x;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(at) : "memory");
    return x;
}

TC_DEV uint32_t tc__gemm80_word(uint32_t at)
{
    uint32_t x;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    return x;
}

/* TC_TF32: this lane's row of 8, from chunk `chunks` on: of k 0..3 and of 4..7. */
TC_DEV void tc__gemm80_read_words(const tc__gemm80_operand o, uint32_t at, const int chunks, uint32_t *to)
{
    const int late = tc_lane() >= 16, k = tc__gemm80_first_k(o);
    const uint32_t other = at + (uint32_t)((late ? -4 : 4) * o.t.bytes) + (uint32_t)(chunks * 16);
    const uint32_t x = tc__gemm80_word(tc__gemm80_turn(o, at, chunks));
    const uint32_t y = tc__gemm80_word(other ^ tc_rows_twist(o.t.bytes, (uint32_t)k ^ 4u));
    to[0] = late ? y : x;
    to[1] = late ? x : y;
}

/* Of the sums of 16 rows, the row of this lane's two at `half`, and of the sums of a warp's columns the column of
 * number e (0, 1) of a tile of 8. */
TC_DEV int tc__gemm80_row(tc_gemm80_in k, int lane, const int half)
{
    return tc__gemm80_by_bytes(k.a) ? lane / 4 * 2 + half : lane / 4 + half * 8;
}
TC_DEV int tc__gemm80_col(tc_gemm80_in k, int lane, const int tile, const int e)
{
    return tc__gemm80_by_bytes(k.b) ? tile / 2 * 16 + tile % 2 + lane % 4 * 4 + e * 2 : tile * 8 + lane % 4 * 2 + e;
}

/* f64: the row (column) of row `row` of fragment `tile` of a turned operand. */
TC_DEV int tc__gemm80_place64(const int tile, int row)
{
    return tile / 2 * 16 + (tile % 2 ^ row / 2 % 2) * 8 + row;
}

/* f32 to the nearest tf32. */
TC_DEV_SM80 void tc__gemm80_round(uint32_t *r, const int count)
{
#pragma unroll
    for (int i = 0; i < count; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[i]) : "f"(tc_f32_from_bits(r[i])));
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM80_COPY_H */
