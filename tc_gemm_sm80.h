/* tc_gemm_sm80.h - tc 0.2.0 - the GEMM's mainloop for sm_80 and every later target: cp.async, ldmatrix, mma.sync.
 * Needs: the headers below.
 *
 *     tc_gemm_sm80_config                    a configuration with every unset field filled in
 *     tc_gemm_sm80_smem, _threads, _legal    what its block takes; whether it keeps the rules
 *     tc_gemm_sm80_params, _fill (host)      what the kernel is given; fills it from a call's arguments
 *     tc_gemm_sm80_prepare (host)            a call to launch by yourself: checked, its grid and its parameters
 *                                            (tc_gemm.h)
 *     tc_gemm80, tc_gemm80_of                the kernel as its functions know it, a constant
 *     tc_gemm_sm80                           the kernel's body
 *
 * tc_gemm.h is the manual, docs/add-a-kernel.md says what a mainloop must offer. One block a tile. cp.async fills a
 * ring of swizzled tiles, ldmatrix runs one step ahead of mma.sync:
 *
 *     shared memory:    [stages] A: bm rows of bk elements | [stages] B: bn rows of bk elements (tc_rows of
 *                       tc_operand.h)
 *
 * An operand whose neighbours in memory are those of a k (A column-major, B row-major) lies there as it is: bk rows of
 * bm (bn) elements, which ldmatrix.trans turns on the way to the registers. Where D is column-major, the kernel
 * computes D^T = B^T A^T, whose rows lie together (tc__gemm_plain).
 *
 * Types differ in little: an instruction takes 32 bytes of k of each row, whatever lies in them, and 16 x 8 sums of 4
 * bytes lie in the same lanes. f64 alone has fragments and an end of its own (tc__gemm80_place).
 */
#ifndef TC_GEMM_SM80_H
#define TC_GEMM_SM80_H

#include "tc_gemm_config.h"
#include "tc_pipe.h"

TC_HD TC_CONSTEXPR int tc_gemm_sm80_threads(const tc_gemm_config c) { return 32 * c.warps_m * c.warps_n; }

/* A block of A or B of a view in shared memory, and how it is copied there. */
typedef struct tc__gemm80_operand {
    tc_rows t;
    int size;   /* bytes of an element */
    int turned; /* its rows run along m or n, one for each k */
} tc__gemm80_operand;

TC_HD TC_CONSTEXPR tc__gemm80_operand tc__gemm80_operand_of(const tc_gemm_config c, int rows, int turned)
{
    const int size = tc_type_bits(c.a) / 8;
    const tc__gemm80_operand o = {
        {(turned ? rows : c.bk) * size, turned ? c.bk : rows, tc_gemm_sm80_threads(c)}, size, turned};
    return o;
}
TC_HD TC_CONSTEXPR tc__gemm80_operand tc__gemm80_a(const tc_gemm_config v)
{
    return tc__gemm80_operand_of(v, v.bm, tc__gemm_a_col(v));
}
TC_HD TC_CONSTEXPR tc__gemm80_operand tc__gemm80_b(const tc_gemm_config v)
{
    return tc__gemm80_operand_of(v, v.bn, tc__gemm_b_row(v));
}

/* Do whole passes of copies fill a block? */
TC_HD TC_CONSTEXPR int tc__gemm80_covers(const tc__gemm80_operand o)
{
    return o.t.bytes >= 16 && tc_rows_step(o.t) > 0 && o.t.rows % tc_rows_step(o.t) == 0;
}

/* Bytes of k of a row of a block that is not turned, of which an instruction takes 32. */
TC_HD TC_CONSTEXPR int tc__gemm80_k_bytes(const tc_gemm_config c) { return c.bk * tc_type_bits(c.a) / 8; }

/* Elements of a row of a warp's sums in shared memory: the two halves of a store find different banks. */
TC_HD TC_CONSTEXPR int tc__gemm80_staged(const tc_gemm_config c, int cols) { return cols + (c.a == TC_F64 ? 2 : 8); }

TC_HD TC_CONSTEXPR int tc_gemm_sm80_smem(const tc_gemm_config c)
{
    const tc_gemm_config v = tc__gemm_plain(c);
    const int warps = tc_gemm_sm80_threads(v) / 32, row = tc__gemm80_staged(v, v.bn / v.warps_n);
    const int ring = v.stages * (v.bm + v.bn) * tc__gemm80_k_bytes(v),
              epilogue = warps * 16 * row * (v.a == TC_F64 ? 8 : 4);
    return ring > epilogue ? ring : epilogue;
}

/* About what a thread needs: accumulators, two sets of fragments, addresses; fp8 several sets as f16 too, which is what
 * the targets without its instruction make of it. */
TC_HD TC_CONSTEXPR int tc__gemm80_registers(const tc_gemm_config c)
{
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n;
    return c.a == TC_F64 ? wm * wn / 16 + 2 * (wm / 8 * 2 + wn / 8 * 2) + 32
                         : wm * wn / (c.acc == TC_F16 ? 64 : 32)
                               + (tc__gemm_scaled(c) ? wm * wn / 32 : 0)
                               + (tc__gemm_is_fp8(c.a) ? 9 : 2) * (wm / 16 * 4 + wn / 8 * 2) + 32;
}

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm80_config(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.bm = c.bm ? c.bm : tc__gemm_is_fp8(c.a) ? 64 : 128;
    c.bn = c.bn ? c.bn : 128;
    c.bk = c.bk ? c.bk : tc_type_bits(c.a) ? 1024 / tc_type_bits(c.a) : 64; /* 128 bytes */
    c.stages = c.stages ? c.stages : 3;
    c.warps_m = c.warps_m ? c.warps_m : c.a == TC_F64 ? 4 : 2;
    c.warps_n = c.warps_n ? c.warps_n : c.bn >= 256 || (tc__gemm_is_fp8(c.a) && c.bn >= 128) ? 4 : 2;
    c.cluster_m = c.cluster_n = c.cluster_k = 1;
    return c;
}

/* The same of TC_GEMM_DEFINE's kernel for few tiles. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm80_small(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.bm = c.bn = 64;
    c.stages = 4;
    c.warps_m = c.warps_n = 2;
    return tc_gemm_sm80_config(c);
}

/* The instruction. */
TC_HD TC_CONSTEXPR tc_op tc_gemm_sm80_op(const tc_gemm_config c)
{
    tc_op op = tc_op_make(tc__gemm_is_fp8(c.a) ? 89 : 80, TC_INST_MMA);
    op.a = c.a, op.b = c.b, op.acc = tc__gemm_sums(c);
    op.m = c.a == TC_F64 ? 8 : 16, op.n = 8;
    op.k = tc_type_bits(c.a) ? 256 / tc_type_bits(c.a) : 0;
    return op;
}

/* As TC__GEMM_RULES. */
#define TC__GEMM_SM80_RULES(X, c)                                                                                     \
    TC__GEMM_RULES(X, c)                                                                                              \
    X(tc_op_exists(tc_gemm_sm80_op(c)),                                                                               \
      "tc: mma.sync does not multiply the types of .a and .b: docs/types.md")                                         \
    X(tc__gemm80_k_bytes(c) == 128 || (tc__gemm80_k_bytes(c) == 64 && (c).a != TC_F64),                               \
      "tc: .bk must be 32 or 64 of elements of 16 bits, 64 or 128 of 8 bits, 16 or 32 of TC_TF32, 16 of TC_F64")      \
    X(!tc__gemm_scaled(c) || (c).bk == TC__SCALE_K, "tc: with .a_scale or .b_scale, .bk must be 128")                 \
    X((c).warps_m >= 1 && (c).warps_n >= 1 && (c).warps_m * (c).warps_n <= 16,                                        \
      "tc: .warps_m * .warps_n must be in 1..16")                                                                     \
    X((c).bm > 0 && (c).bm % (16 * (c).warps_m) == 0, "tc: .bm must be a multiple of 16 * .warps_m")                  \
    X((c).bn > 0 && (c).bn % (16 * (c).warps_n) == 0, "tc: .bn must be a multiple of 16 * .warps_n")                  \
    X((tc__gemm_a_col(c) || tc__gemm80_covers(tc__gemm80_operand_of(c, (c).bm, 0)))                                   \
      && (tc__gemm_b_row(c) || tc__gemm80_covers(tc__gemm80_operand_of(c, (c).bn, 0))),                               \
      "tc: .bm and .bn must be multiples of threads / (.bk / 8), the rows that one pass of copies fills (8: the "     \
      "elements of 16 bytes)")                                                                                        \
    X((!tc__gemm_a_col(c) || tc__gemm80_covers(tc__gemm80_operand_of(c, (c).bm, 1)))                                  \
      && (!tc__gemm_b_row(c) || tc__gemm80_covers(tc__gemm80_operand_of(c, (c).bn, 1))),                              \
      "tc: .a_layout = TC_COL (.b_layout = TC_ROW): .bk must be a multiple of the rows of k that one pass of copies " \
      "fills, threads / the power of 2 in .bm / 8 (.bn / 8)")                                                         \
    X(tc__gemm80_registers(c) <= 255 && tc__gemm80_registers(c) * tc_gemm_sm80_threads(c) <= 65536,                   \
      "tc: a warp's tile (.bm / .warps_m x .bn / .warps_n) needs more registers than a thread can have: 64 x 64 "     \
      "is the most (TC_F64: 32 x 64; fp8: 32 x 32), less with more than 8 warps")                                     \
    X((c).stages >= 2 && (c).stages <= 6 && tc_gemm_sm80_smem(c) <= TC__SM90_SMEM_MAX,                                \
      "tc: .stages must be in 2..6, and tiles * .stages fit in 227 KB of shared memory")

/* 1 if a completed configuration keeps every rule. */
TC_HD TC_CONSTEXPR int tc_gemm_sm80_legal(const tc_gemm_config c)
{
    return 1 TC__GEMM_SM80_RULES(TC__RULE_AND, c);
}

/* Has the target that is compiled for the instruction? Elsewhere the kernel is a stub, bounded to one warp. 1 or 0, and
 * not the question itself, which has the target's number in it: where two targets have one text, tests/compile.sh
 * compiles it once. */
#if TC_HAS_SM89
#define TC__GEMM80_HAS_FP8 1
#else
#define TC__GEMM80_HAS_FP8 0
#endif
TC_HD TC_CONSTEXPR int tc__gemm80_here(const tc_gemm_config c) { return TC__GEMM80_HAS_FP8 || !tc__gemm_is_fp8(c.a); }
TC_HD TC_CONSTEXPR int tc__gemm80_bound(const tc_gemm_config c)
{
    return tc__gemm80_here(c) ? tc_gemm_sm80_threads(c) : 32;
}

/* What the kernel is given. */
typedef struct tc_gemm_sm80_params {
    const void *a, *b;
    long long lda, ldb, stride_a, stride_b;
    tc_gemm_out out;
    tc_tiles tiles;
    int k, word, vec; /* word: rows of A and B are aligned to 4 bytes; vec: rows of C and D to 16 */
    double alpha, beta; /* where D is f64 */
    tc_scale_side a_scale, b_scale;
} tc_gemm_sm80_params;

#ifdef __CUDACC__

/* The kernel as its functions know it: its configuration as a view, its operands. A constant of the compiler's front
 * end, made once: what the optimiser is left to find out by itself it finds out too late for the order of instructions.
 */
typedef struct tc_gemm80 {
    tc_gemm_config c;
    tc__gemm80_operand a, b;
    int k_bytes; /* of a row that is not turned */
    int turned;  /* rows of the view are D's columns */
    int sums;    /* type of the accumulators */
} tc_gemm80;

TC_DEV_SM80 TC_CONSTEXPR tc_gemm80 tc_gemm80_of(const tc_gemm_config c)
{
    const tc_gemm_config v = tc__gemm_plain(c);
    const tc_gemm80 k = {v, tc__gemm80_a(v), tc__gemm80_b(v), tc__gemm80_k_bytes(v), tc__gemm_d_col(c),
                         tc__gemm_sums(v)};
    return k;
}

/* How the copies of a tile go: every row and every k of it exists; rows are aligned to 16 bytes; or neither. */
enum { TC__GEMM80_WHOLE = 2, TC__GEMM80_ALIGNED = 1, TC__GEMM80_ANY = 0 };

/* Where a thread stands in the copies of one operand: its first row and chunk, and which of its passes exist. A pass
 * fills a row's chunks side by side as far as they are a power of 2; a turned row may take several. */
typedef struct tc__gemm80_source {
    const char *src; /* of the next pass */
    long long step;  /* bytes from the rows of one pass to those of the next */
    long long back;  /* bytes from behind the last pass of a k block to the first of the next one */
    uint32_t dst;    /* offset in a stage */
    int passes;      /* of those asked for, how many lie inside the matrix; turned: elements left of the row */
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
    else s->src += s->step - (pieces - 1) * piece;
}

TC_DEV_SM80 void tc__gemm80_load(const tc__gemm80_operand o, const int how, tc__gemm80_source *s,
                                 const tc__gemm80_run run)
{
    if (how == TC__GEMM80_ANY) { /* slow anyway: keep it small */
#pragma unroll 1
        for (int i = run.from; i < run.to; i++, tc__gemm80_next(o, s, i)) {
            const uint32_t to = run.stage + tc_rows_to(o.t, s->dst, threadIdx.x, i);
            if (o.size == 1) tc_rows_copy_8(run.word, to, s->src, i < s->passes ? run.inside : 0);
            else if (o.turned) tc_rows_copy(run.word, to, s->src, tc__gemm80_exists(o, s, &run, i));
            else tc_rows_copy(run.word, to, s->src, i < s->passes ? run.inside : 0);
        }
    } else {
#pragma unroll
        for (int i = run.from; i < run.to; i++, tc__gemm80_next(o, s, i)) {
            const uint32_t to = run.stage + tc_rows_to(o.t, s->dst, threadIdx.x, i);
            if (how == TC__GEMM80_WHOLE) tc_cp_async_cg_16(to, s->src);
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

/* The sources of both operands, and what the mainloop needs besides. */
typedef struct tc__gemm80_block {
    tc__gemm80_source a, b;
    uint32_t smem;
    int k, word;
    tc__gemm80_scales scales;
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

TC_DEV_SM80 void tc__gemm80_fill(const tc_gemm80 k, const int how, tc__gemm80_block *g, const tc__gemm80_share x)
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
    tc__gemm80_load(a, how, &g->a, ra);
    tc__gemm80_load(b, how, &g->b, rb);
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
    return o.turned ? at + (uint32_t)(step * 16 * o.t.bytes) : at ^ (uint32_t)step * 32u;
}

/* `chunks` chunks further in a turned row, swizzled: stages and 16 rows are multiples of the swizzle's span. */
TC_DEV uint32_t tc__gemm80_turn(const tc__gemm80_operand o, uint32_t at, const int chunks)
{
    return (at + (uint32_t)(chunks * 16)) ^ tc_rows_twist(o.t.bytes, (uint32_t)tc_lane() % 8u);
}

TC_DEV double tc__gemm80_shared(uint32_t at)
{
    double x;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(at) : "memory");
    return x;
}

/* a, b: shared addresses of this lane's rows in a stage, at the step. */
TC_DEV_SM80 void tc__gemm80_read(const tc_gemm80 k, tc__gemm80_fragments *f, uint32_t a, uint32_t b)
{
    const tc_gemm_config c = k.c;
    const tc__gemm80_operand oa = k.a, ob = k.b;
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8;
    if (k.sums == TC_F64) {
#pragma unroll
        for (int i = 0; i < 2 * mi; i++) f->a64[i] = tc__gemm80_shared(a + (uint32_t)(i * 8 * oa.t.bytes));
#pragma unroll
        for (int j = 0; j < ni; j++) f->b64[j] = tc__gemm80_shared(b + (uint32_t)(j * 8 * ob.t.bytes));
        return;
    }
#pragma unroll
    for (int i = 0; i < mi; i++) {
        if (oa.turned) tc_ldmatrix_x4_trans(f->a[i], tc__gemm80_turn(oa, a, i * 2));
        else tc_ldmatrix_x4(f->a[i], a + (uint32_t)(i * 16 * oa.t.bytes));
    }
#pragma unroll
    for (int j = 0; j < ni; j += 2) {
        if (ob.turned) tc_ldmatrix_x4_trans(f->b + j * 2, tc__gemm80_turn(ob, b, j));
        else tc_ldmatrix_x4(f->b + j * 2, b + (uint32_t)(j * 8 * ob.t.bytes));
    }
}

/* One instruction on integers. */
TC_DEV_SM80 void tc__gemm80_mma_int(const tc_gemm_config c, int32_t *d, const uint32_t *a, const uint32_t *b)
{
    if (c.a == TC_S8 && c.b == TC_S8) TC_MMA(m16n8k32, row, col, s32, s8, s8, s32, d, a, b, d);
    else if (c.a == TC_S8) TC_MMA(m16n8k32, row, col, s32, s8, u8, s32, d, a, b, d);
    else if (c.b == TC_S8) TC_MMA(m16n8k32, row, col, s32, u8, s8, s32, d, a, b, d);
    else TC_MMA(m16n8k32, row, col, s32, u8, u8, s32, d, a, b, d);
}

/* One on fp8, to f16 (h) or f32. */
TC_DEV_SM80 void tc__gemm80_mma_fp8(const tc_gemm_config c, float *d, uint32_t *h, const uint32_t *const *ab)
{
#if TC_HAS_SM89
    const uint32_t *a = ab[0], *b = ab[1];
    if (c.acc == TC_F16) {
        if (c.a == TC_E4M3 && c.b == TC_E4M3) TC_MMA(m16n8k32, row, col, f16, e4m3, e4m3, f16, h, a, b, h);
        else if (c.a == TC_E4M3) TC_MMA(m16n8k32, row, col, f16, e4m3, e5m2, f16, h, a, b, h);
        else if (c.b == TC_E4M3) TC_MMA(m16n8k32, row, col, f16, e5m2, e4m3, f16, h, a, b, h);
        else TC_MMA(m16n8k32, row, col, f16, e5m2, e5m2, f16, h, a, b, h);
    } else if (c.a == TC_E4M3 && c.b == TC_E4M3) {
        TC_MMA(m16n8k32, row, col, f32, e4m3, e4m3, f32, d, a, b, d);
    } else if (c.a == TC_E4M3) {
        TC_MMA(m16n8k32, row, col, f32, e4m3, e5m2, f32, d, a, b, d);
    } else if (c.b == TC_E4M3) {
        TC_MMA(m16n8k32, row, col, f32, e5m2, e4m3, f32, d, a, b, d);
    } else {
        TC_MMA(m16n8k32, row, col, f32, e5m2, e5m2, f32, d, a, b, d);
    }
#else
    (void)c, (void)d, (void)h, (void)ab;
#endif
}

/* 16 x 8 of f64: sums of its rows 8 to 15 lie `apart` behind those of 0 to 7. Hopper has one instruction for it; of
 * m8n8k4 it makes half as many a second. */
TC_DEV_SM80 void tc__gemm80_mma_f64(const double *a, const double *b, double *d, const int apart)
{
#if TC_HAS_SM90
    double all[4] = {d[0], d[1], d[apart], d[apart + 1]};
    TC_MMA(m16n8k4, row, col, f64, f64, f64, f64, all, a, b, all);
    d[0] = all[0], d[1] = all[1], d[apart] = all[2], d[apart + 1] = all[3];
#else
    TC_MMA(m8n8k4, row, col, f64, f64, f64, f64, d, a, b, d);
    TC_MMA(m8n8k4, row, col, f64, f64, f64, f64, (d + apart), (a + 1), b, (d + apart));
#endif
}

/* f32 to the nearest tf32. */
TC_DEV_SM80 void tc__gemm80_round(uint32_t *r, const int count)
{
#pragma unroll
    for (int i = 0; i < count; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[i]) : "f"(tc_f32_from_bits(r[i])));
}

TC_DEV_SM80 void tc__gemm80_mma(const tc_gemm80 k, tc__gemm80_fragments *f, tc__gemm80_acc *acc)
{
    const tc_gemm_config c = k.c;
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8;
    if (c.round) {
#pragma unroll
        for (int i = 0; i < mi; i++) tc__gemm80_round(f->a[i], 4);
        tc__gemm80_round(f->b, 2 * ni);
    }
    if (k.sums == TC_F64) {
#pragma unroll
        for (int i = 0; i < mi; i++) {
#pragma unroll
            for (int j = 0; j < ni; j++)
                tc__gemm80_mma_f64(f->a64 + 2 * i, f->b64 + j, acc->d + (2 * i * ni + j) * 2, ni * 2);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < mi; i++) {
#pragma unroll
        for (int jj = 0; jj < ni; jj++) {
            const int j = i % 2 ? ni - 1 - jj : jj; /* back and forth: B's registers stay for the turn */
            const uint32_t *const ab[2] = {f->a[i], f->b + j * 2};
            float *d = acc->f + (i * ni + j) * 4;
            uint32_t *h = acc->h + (i * ni + j) * 2;
            if (k.sums == TC_S32) tc__gemm80_mma_int(c, acc->i + (i * ni + j) * 4, f->a[i], f->b + j * 2);
            else if (tc__gemm_is_fp8(c.a)) tc__gemm80_mma_fp8(c, d, h, ab);
            else if (k.sums == TC_F16) tc_mma_m16n8k16_f16_f16(h, f->a[i], f->b + j * 2, h);
            else if (c.a == TC_TF32) TC_MMA(m16n8k8, row, col, f32, tf32, tf32, f32, d, f->a[i], f->b + j * 2, d);
            else if (c.a == TC_BF16) tc_mma_m16n8k16_f32_bf16(d, f->a[i], f->b + j * 2, d);
            else tc_mma_m16n8k16_f32_f16(d, f->a[i], f->b + j * 2, d);
        }
    }
}

/* .a_scale, .b_scale: the sums take in those of block kb of k, each with the factors of its row and column. */
TC_DEV void tc__gemm80_scale(const tc_gemm80 k, const tc__gemm80_scales *s, int kb, tc__gemm80_acc *acc)
{
    const tc_gemm_config c = k.c;
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8;
#pragma unroll
    for (int i = 0; i < mi; i++) {
#pragma unroll
        for (int e = 0; e < ni * 4; e++) {
            const tc_scale_place ra = {s->row + i * 16 + e % 4 / 2 * 8, kb, s->batch};
            const tc_scale_place cb = {s->col + e / 4 * 8 + e % 2, kb, s->batch};
            const float a = c.a_scale ? *tc_scale_at(c.a_scale, s->a, ra) : 1.f;
            const float b = c.b_scale ? *tc_scale_at(c.b_scale, s->b, cb) : 1.f;
            acc->sums[i * ni * 4 + e] += acc->f[i * ni * 4 + e] * (a * b);
            acc->f[i * ni * 4 + e] = 0.f;
        }
    }
}

/* The k loop of a block's tile: acc = A * B, one warp's part of it. */
TC_DEV_SM80 void tc__gemm80_mainloop(const tc_gemm80 k, const int how, tc__gemm80_block *g, tc__gemm80_acc *acc)
{
    const tc_gemm_config c = k.c;
    const tc__gemm80_operand oa = k.a, ob = k.b;
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, steps = k.k_bytes / 32;
    const uint32_t a_stage = (uint32_t)(oa.t.rows * oa.t.bytes), b_stage = (uint32_t)(ob.t.rows * ob.t.bytes),
                   smem_b = g->smem + (uint32_t)c.stages * a_stage;
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm,
              warp_n = warp / c.warps_m * wn;
    const int blocks = (g->k + c.bk - 1) / c.bk;
    /* ldmatrix's matrices: A both halves of 16 rows at the first half of k, then at the second; B the other way */
    const uint32_t a_at = k.sums == TC_F64 ? tc__gemm80_lane64(oa, warp_m)
                        : oa.turned        ? tc__gemm80_lane(oa, lane % 8 + lane / 16 * 8, warp_m / 8 + lane / 8 % 2)
                                           : tc__gemm80_lane(oa, warp_m + lane % 16, lane / 16);
    const uint32_t b_at = k.sums == TC_F64 ? tc__gemm80_lane64(ob, warp_n)
                        : ob.turned        ? tc__gemm80_lane(ob, lane % 16, warp_n / 8 + lane / 16)
                                           : tc__gemm80_lane(ob, warp_n + lane % 8 + lane / 16 * 8, lane / 8 % 2);
    tc__gemm80_fragments f[2]; /* the mmas of one step run on one while ldmatrix fills the other */
    tc_ring use = {0, 0}, fill = {(uint32_t)c.stages - 1u, 0};
    int next = 0; /* k block to load */

#pragma unroll
    for (int s = 0; s < c.stages - 1; s++) {
        if (next < blocks) {
            const tc__gemm80_share whole = {next, (uint32_t)s, 0, 1};
            tc__gemm80_fill(k, how, g, whole);
            next++;
        }
        tc_cp_async_commit_group();
    }
    tc__cp_async_wait(c.stages - 2);
    __syncthreads();
    if (blocks > 0) tc__gemm80_read(k, &f[0], g->smem + a_at, smem_b + b_at);

    for (int kb = 0; kb < blocks; kb++) {
        const uint32_t now = use.stage;
        tc_ring_next(&use, c.stages);
#pragma unroll
        for (int step = 0; step < steps; step++) {
            if (step == steps - 1) { /* the next slot is there, and all warps are done with the one filled next */
                tc_cp_async_commit_group();
                tc__cp_async_wait(c.stages - 2);
                __syncthreads();
                if (kb + 1 < blocks)
                    tc__gemm80_read(k, &f[0], g->smem + use.stage * a_stage + a_at,
                                    smem_b + use.stage * b_stage + b_at);
            } else {
                tc__gemm80_read(k, &f[(step + 1) % 2], g->smem + now * a_stage + tc__gemm80_step(oa, a_at, step + 1),
                                smem_b + now * b_stage + tc__gemm80_step(ob, b_at, step + 1));
                /* the loads of one slot are spread over all steps but the last */
                const tc__gemm80_share share = {next, fill.stage, step, steps - 1};
                if (next < blocks) tc__gemm80_fill(k, how, g, share);
            }
            tc__gemm80_mma(k, &f[step % 2], acc);
        }
        if (tc__gemm_scaled(c)) tc__gemm80_scale(k, &g->scales, kb, acc);
        next++;
        tc_ring_next(&fill, c.stages);
    }
}

/* 16 rows of a warp's tile from shared memory (rows of bn / warps_n + 8 floats) to D, eight columns a lane. A loop, so
 * that the hook's code stands here but a few times. */
TC_DEV_SM80 void tc__gemm80_store(const tc_gemm80 k, const tc_gemm_sm80_params *p, uint32_t stage, tc_gemm_at first)
{
    const tc_epi epi = {k.c.d, k.turned, tc__gemm_raw(k.c), k.c.epi, k.c.epi2};
    const int wn = k.c.bn / k.c.warps_n;
#pragma unroll 2
    for (int i = tc_lane(); i < wn * 2; i += 32) {
        const uint32_t at = stage + (uint32_t)((i / (wn / 8) * (wn + 8) + i % (wn / 8) * 8) * 4);
        tc__epi_piece piece = {at, at + 16u, first, p->vec};
        piece.at.row += i / (wn / 8);
        piece.at.col += i % (wn / 8) * 8;
        tc__epi_store_piece(epi, &p->out, &piece);
    }
}

/* The same of f64, two columns a lane. */
TC_DEV void tc__gemm80_store_f64(const tc_gemm80 k, const tc_gemm_sm80_params *p, uint32_t stage, tc_gemm_at first)
{
    const int wn = k.c.bn / k.c.warps_n;
    const tc_gemm_out *o = &p->out;
#pragma unroll 2
    for (int i = tc_lane(); i < wn * 8; i += 32) {
        const int row = i / (wn / 2), col = i % (wn / 2) * 2;
        const uint32_t at = stage + (uint32_t)((row * tc__gemm80_staged(k.c, wn) + col) * 8);
        tc_gemm_at place = first;
        double x[2];
        place.row += row, place.col += col;
        if (place.row >= o->m || place.col >= o->n) continue;
        const int both = place.col + 1 < o->n;
        const double *c = (const double *)o->c + tc__epi_c_at(o, place);
        double *d = (double *)o->d + tc__epi_d_at(o, place);
        x[0] = tc__gemm80_shared(at) * p->alpha;
        x[1] = tc__gemm80_shared(at + 8u) * p->alpha;
        if (p->beta != 0.) {
            x[0] += p->beta * c[0];
            if (both) x[1] += p->beta * c[1];
        }
        if (both && p->vec) {
            *(double2 *)d = make_double2(x[0], x[1]);
        } else {
            d[0] = x[0];
            if (both) d[1] = x[1];
        }
    }
}

/* Two neighbours of a row of a warp's sums, number `at` and the next, as the epilogue takes them: f32, or the bits of
 * s32. */
TC_DEV float2 tc__gemm80_pair(const tc_gemm80 k, const tc__gemm80_acc *acc, const int at)
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

TC_DEV void tc__gemm80_stage(const tc_gemm80 k, const tc__gemm80_acc *acc, const tc__gemm80_warp to, const int i)
{
    const int lane = to.lane;
    const int wn = k.c.bn / k.c.warps_n, ni = wn / 8;
    if (k.sums == TC_F64) {
        double *stage = (double *)to.stage;
#pragma unroll
        for (int j = 0; j < ni * 4; j++) { /* of two blocks of 8 rows: tiles of 8 columns, of each the two of a lane */
            const int row = j / (2 * ni) * 8 + tc__gemm80_place(lane / 4);
            const int col = j / 2 % ni * 8 + tc__gemm80_place(lane % 4 * 2 + j % 2);
            stage[row * tc__gemm80_staged(k.c, wn) + col] = acc->d[i * ni * 4 + j];
        }
    } else {
        float *stage = (float *)to.stage;
#pragma unroll
        for (int j = 0; j < ni * 2; j++)
            *(float2 *)(stage + (lane / 4 + j % 2 * 8) * tc__gemm80_staged(k.c, wn) + j / 2 * 8 + lane % 4 * 2) =
                tc__gemm80_pair(k, acc, i * ni * 4 + 2 * j);
    }
}

TC_DEV void tc__gemm80_zero(const tc_gemm80 k, tc__gemm80_acc *acc)
{
    const int count = k.c.bm / k.c.warps_m * (k.c.bn / k.c.warps_n) / 32;
#pragma unroll
    for (int i = 0; i < count; i++) {
        if (k.sums == TC_F64) acc->d[i] = 0.;
        else if (k.sums == TC_S32) acc->i[i] = 0;
        else if (k.sums == TC_F16) acc->h[i / 2] = 0;
        else acc->f[i] = acc->sums[i] = 0.f;
    }
}

/* The kernel. aligned (a constant): every row of A and B starts at a multiple of 16 bytes. */
TC_DEV_SM80 void tc_gemm_sm80(const tc_gemm80 k, const int aligned, const tc_gemm_sm80_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_gemm_config c = k.c;
    const tc__gemm80_operand oa = k.a, ob = k.b;
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, mi = wm / 16, row = tc__gemm80_staged(c, wn);
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm,
              warp_n = warp / c.warps_m * wn;
    const tc_tile t = tc_tile_at(&p->tiles, blockIdx.x);
    const int row0 = (int)t.m * c.bm, col0 = (int)t.n * c.bn;
    tc__gemm80_block g;
    tc__gemm80_acc acc;
    if (!tc__gemm80_here(c)) return;
    g.a = tc__gemm80_source_make(
        oa, tc__gemm80_element(oa.size, p->a, t.batch * p->stride_a + (oa.turned ? row0 : row0 * p->lda)), p->lda,
        p->out.m - row0);
    g.b = tc__gemm80_source_make(
        ob, tc__gemm80_element(ob.size, p->b, t.batch * p->stride_b + (ob.turned ? col0 : col0 * p->ldb)), p->ldb,
        p->out.n - col0);
    g.smem = tc_smem_u32(tc__dynamic_smem);
    g.k = p->k;
    g.word = p->word;
    const tc__gemm80_scales scales = {&p->a_scale, &p->b_scale, row0 + warp_m + lane / 4, col0 + warp_n + lane % 4 * 2,
                                      (int)t.batch};
    g.scales = scales;

    tc__gemm80_zero(k, &acc);
    if (!aligned) tc__gemm80_mainloop(k, TC__GEMM80_ANY, &g, &acc);
    else if (row0 + c.bm <= p->out.m && col0 + c.bn <= p->out.n && p->k % c.bk == 0)
        tc__gemm80_mainloop(k, TC__GEMM80_WHOLE, &g, &acc);
    else tc__gemm80_mainloop(k, TC__GEMM80_ALIGNED, &g, &acc);
    __syncthreads(); /* the ring is over: its memory now takes each warp's accumulators, 16 rows at a time */
    float *stage = (float *)tc__dynamic_smem + warp * 16 * row * (k.sums == TC_F64 ? 2 : 1);
    const tc__gemm80_warp to = {stage, lane};
#pragma unroll
    for (int i = 0; i < mi; i++) {
        const tc_gemm_at first = {row0 + warp_m + i * 16, col0 + warp_n, (int)t.batch, 0};
        tc__gemm80_stage(k, &acc, to, i);
        __syncwarp();
        if (k.sums == TC_F64) tc__gemm80_store_f64(k, p, tc_smem_u32(stage), first);
        else tc__gemm80_store(k, p, tc_smem_u32(stage), first);
        __syncwarp();
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* 1 if every row of A and B starts at a multiple of `bytes` bytes. */
TC_HOST int tc__gemm80_rows_aligned(const tc_gemm_config *c, const tc_gemm_args *g, int bytes)
{
    const uint64_t size = (uint64_t)tc_type_bits(c->a) / 8;
    const int batched = tc__gemm_batch(g) > 1;
    const uint64_t bits = (uint64_t)(uintptr_t)g->a | (uint64_t)(uintptr_t)g->b | (uint64_t)g->lda * size
                        | (uint64_t)g->ldb * size
                        | (batched ? (uint64_t)g->stride_a * size | (uint64_t)g->stride_b * size : 0);
    return bits % (uint64_t)bytes == 0;
}

/* Does a call need NAME_any? */
TC_HOST int tc__gemm80_any(const tc_gemm_config *c, const tc_gemm_args *g)
{
    return g->k > 0 && !tc__gemm80_rows_aligned(c, g, 16);
}

/* Parameters of a checked call. blocks: how many run at a time. */
TC_HOST tc_status tc_gemm_sm80_fill(const tc_gemm_config *c, const tc_gemm_args *g, int blocks, tc_gemm_sm80_params *p)
{
    const tc_gemm_config v = tc__gemm_plain(*c);
    const tc_gemm_args x = tc__gemm_plain_args(c, g);
    const tc_gemm_cut cut = {v.bn, 1, blocks, 1, 0, 0, 0, 0};
    p->a = x.a;
    p->b = x.b;
    p->lda = x.lda;
    p->ldb = x.ldb;
    p->stride_a = x.stride_a;
    p->stride_b = x.stride_b;
    p->out = tc__gemm_out(&x);
    p->k = x.k;
    p->word = tc__gemm80_rows_aligned(c, g, 4);
    p->vec = tc__gemm_fits(c, g, 'c') && tc__gemm_fits(c, g, 'd');
    p->a_scale = tc__gemm_scale(&v, &x, 'a'), p->b_scale = tc__gemm_scale(&v, &x, 'b');
    p->alpha = tc__gemm_alpha(g);
    p->beta = tc__gemm_beta(g);
    return tc__gemm_tiles(&p->tiles, &v, &x, &cut);
}

/* As tc_gemm_sm90_launch. any: 0 launches NAME, 1 NAME_any, since rows of A or B do not start at multiples of 16 bytes.
 * cluster is 1. */
typedef struct tc_gemm_sm80_launch {
    unsigned grid, block, smem, cluster;
    int any;
    tc_gemm_sm80_params params;
} tc_gemm_sm80_launch;

/* The rules for a call. */
TC_HOST tc_status tc__gemm80_check(const tc_gemm_config *c, const tc_gemm_args *args)
{
    return tc__gemm_check(c, args);
}

/* A checked call that computes something. */
TC_HOST tc_status tc__gemm80_launch(const tc_gemm_config *c, const tc_gemm_args *args, int blocks,
                                    tc_gemm_sm80_launch *l)
{
    const tc_gemm_args g = tc__gemm_effective(args);
    const tc_status st = tc_gemm_sm80_fill(c, &g, blocks, &l->params);
    l->block = (unsigned)tc_gemm_sm80_threads(*c);
    l->smem = (unsigned)tc_gemm_sm80_smem(*c);
    l->cluster = 1;
    l->any = tc__gemm80_any(c, &g);
    l->grid = st == TC_OK ? l->params.tiles.total : 0;
    return st;
}

/* tc_gemm_sm80_prepare, as tc_gemm_sm90_prepare. blocks: how many of it run at a time; the device's multiprocessors
 * do. */
TC__PREPARE(gemm, 80, blocks, TC__GEMM_SM80_RULES)

/* Checks, and with launch != 0 runs. k: the kernel for rows aligned to 16 bytes, and the one for any. */
TC_HOST tc_status tc__gemm_sm80_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *args,
                                    const tc__launch *how)
{
    tc_gemm_sm80_launch l;
    tc_gemm_args g;
    tc_status st = tc__gemm80_check(c, args);
    const tc__kernel *use;
    int sms = 0;
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    g = tc__gemm_effective(args);
    use = k + tc__gemm80_any(c, &g);
    st = tc__kernel_device(use, &sms);
    if (st == TC_ERR_IMAGE && use == k) st = tc__kernel_device(++use, &sms);
    if (st == TC_OK) st = tc__gemm80_launch(c, args, sms, &l);
    if (st != TC_OK || !how->launch) return st;
    if (how->plan) how->plan->turned = tc__gemm_d_col(*c);
    return tc__kernel_launch(use, l.grid, &l.params, how);
}

/* Is TC_GEMM_DEFINE's kernel for few tiles the faster? The busiest of `sms` multiprocessors has so many tiles of 64 x
 * 64 to compute, or of the usual size; small ones read more for each product. */
TC_HOST int tc__gemm80_prefers_small(const tc_gemm_config *given, const tc_gemm_args *g, int sms)
{
    const tc_gemm_config large = tc_gemm_sm80_config(*given);
    const int64_t small_tiles = ((int64_t)g->m + 63) / 64 * (((int64_t)g->n + 63) / 64) * tc__gemm_batch(g);
    const int64_t large_tiles = ((int64_t)g->m + large.bm - 1) / large.bm
                              * (((int64_t)g->n + large.bn - 1) / large.bn) * tc__gemm_batch(g);
    if (sms < 1 || tc__gemm80_any(&large, g)) return 0;
    return (small_tiles + sms - 1) / sms * 64 * 64 * 115 < (large_tiles + sms - 1) / sms * large.bm * large.bn * 100;
}

#endif /* host */
#endif /* TC_GEMM_SM80_H */
