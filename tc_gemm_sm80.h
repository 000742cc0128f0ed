/* tc_gemm_sm80.h - tc 0.2.0 - the GEMM's mainloop for sm_80 and every later target: cp.async, ldmatrix, mma.sync.
 * Needs: the headers below.
 *
 *     tc_gemm_sm80_config                    a configuration with every unset field filled in
 *     tc_gemm_sm80_smem, _threads, _legal    what its block takes; whether it keeps the rules
 *     tc_gemm_sm80_params, _fill (host)      what the kernel is given; fills it from a call's arguments
 *     tc_gemm_sm80_prepare (host)            a call to launch by yourself: checked, its grid and its parameters
 *                                            (tc_gemm.h)
 *     tc_gemm_sm80                           the kernel's body
 *
 * tc_gemm.h is the manual, docs/add-a-kernel.md says what a mainloop must offer. One block a tile. cp.async fills a
 * ring of swizzled tiles, ldmatrix runs one step ahead of mma.sync:
 *
 *     shared memory:    [stages] A: bm rows of bk elements | [stages] B: bn rows of bk elements (tc_rows of
 *                       tc_operand.h)
 */
#ifndef TC_GEMM_SM80_H
#define TC_GEMM_SM80_H

#include "tc_gemm_config.h"
#include "tc_pipe.h"

TC_HD TC_CONSTEXPR int tc_gemm_sm80_threads(const tc_gemm_config c) { return 32 * c.warps_m * c.warps_n; }

/* A block of A or B, `rows` rows of it; threads: those of the kernel. */
TC_HD TC_CONSTEXPR tc_rows tc__gemm80_rows(const tc_gemm_config c, int rows)
{
    const tc_rows t = {c.bk * tc_type_bits(c.a) / 8, rows, tc_gemm_sm80_threads(c)};
    return t;
}

TC_HD TC_CONSTEXPR int tc_gemm_sm80_smem(const tc_gemm_config c)
{
    const int ring = c.stages * (c.bm + c.bn) * tc__gemm80_rows(c, 1).bytes,
              epilogue = c.warps_m * 16 * (c.bn + 8 * c.warps_n) * 4;
    return ring > epilogue ? ring : epilogue;
}

/* About what a thread needs: accumulators, two sets of fragments, addresses. */
TC_HD TC_CONSTEXPR int tc__gemm80_registers(const tc_gemm_config c)
{
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n;
    return wm * wn / 32 + 2 * (wm / 16 * 4 + wn / 8 * 2) + 32;
}

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm80_config(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.bm = c.bm ? c.bm : 128;
    c.bn = c.bn ? c.bn : 128;
    c.bk = c.bk ? c.bk : 64;
    c.stages = c.stages ? c.stages : 3;
    c.warps_m = c.warps_m ? c.warps_m : 2;
    c.warps_n = c.warps_n ? c.warps_n : c.bn >= 256 ? 4 : 2;
    c.cluster_m = c.cluster_n = c.cluster_k = 1;
    return c;
}

/* The instruction. */
TC_HD TC_CONSTEXPR tc_op tc_gemm_sm80_op(const tc_gemm_config c)
{
    tc_op op = tc_op_make(80, TC_INST_MMA);
    op.a = c.a, op.b = c.b, op.acc = TC_F32;
    op.m = 16, op.n = 8, op.k = 16;
    return op;
}

/* As TC__GEMM_RULES. */
#define TC__GEMM_SM80_RULES(X, c)                                                                                     \
    TC__GEMM_RULES(X, c)                                                                                              \
    X(tc_op_exists(tc_gemm_sm80_op(c)),                                                                               \
      "tc: mma.sync m16n8k16 does not multiply the types of .a and .b: docs/types.md")                                \
    X((c).bk == 32 || (c).bk == 64, "tc: .bk must be 32 or 64")                                                       \
    X((c).warps_m >= 1 && (c).warps_n >= 1 && (c).warps_m * (c).warps_n <= 16,                                        \
      "tc: .warps_m * .warps_n must be in 1..16")                                                                     \
    X((c).bm > 0 && (c).bm % (16 * (c).warps_m) == 0, "tc: .bm must be a multiple of 16 * .warps_m")                  \
    X((c).bn > 0 && (c).bn % (16 * (c).warps_n) == 0, "tc: .bn must be a multiple of 16 * .warps_n")                  \
    X((c).bm % tc_rows_step(tc__gemm80_rows(c, (c).bm)) == 0 && (c).bn % tc_rows_step(tc__gemm80_rows(c, (c).bn)) == 0,\
      "tc: .bm and .bn must be multiples of threads / (.bk / 8), the rows that one pass of copies fills")             \
    X(tc__gemm80_registers(c) <= 255 && tc__gemm80_registers(c) * tc_gemm_sm80_threads(c) <= 65536,                   \
      "tc: a warp's tile (.bm / .warps_m x .bn / .warps_n) needs more registers than a thread can have: 64 x 64 "     \
      "is the most, less with more than 8 warps")                                                                     \
    X((c).stages >= 2 && (c).stages <= 6 && tc_gemm_sm80_smem(c) <= TC__SM90_SMEM_MAX,                                \
      "tc: .stages must be in 2..6, and tiles * .stages fit in 227 KB of shared memory")

/* 1 if a completed configuration keeps every rule. */
TC_HD TC_CONSTEXPR int tc_gemm_sm80_legal(const tc_gemm_config c)
{
    return 1 TC__GEMM_SM80_RULES(TC__RULE_AND, c);
}

/* What the kernel is given. */
typedef struct tc_gemm_sm80_params {
    const void *a, *b;
    long long lda, ldb, stride_a, stride_b;
    tc_gemm_out out;
    tc_tiles tiles;
    int k, word, vec; /* word: rows of A and B are aligned to 4 bytes; vec: rows of C and D to 16 */
} tc_gemm_sm80_params;

#ifdef __CUDACC__

/* How the copies of a tile go: every row and every k of it exists; rows are aligned to 16 bytes; or neither. */
enum { TC__GEMM80_WHOLE = 2, TC__GEMM80_ALIGNED = 1, TC__GEMM80_ANY = 0 };

/* Where a thread stands in the copies of one operand: its first row and chunk, and which of its passes exist. */
typedef struct tc__gemm80_source {
    const char *src; /* of the next pass */
    long long step;  /* bytes from one pass to the next */
    long long back;  /* bytes from behind the last pass of a k block to the first of the next one */
    uint32_t dst;    /* offset in a stage */
    int passes;      /* of those asked for, how many lie inside the matrix */
} tc__gemm80_source;

/* t: the block; base, pitch (elements): row 0 of the matrix of this tile's rows; left: rows from there to the matrix's
 * end. */
TC_DEV_SM80 tc__gemm80_source tc__gemm80_source_make(const tc_rows t, const uint16_t *base, long long pitch, int left)
{
    const int lanes = tc_rows_lanes(t), step = tc_rows_step(t), r = (int)threadIdx.x / lanes,
              ch = (int)threadIdx.x % lanes;
    tc__gemm80_source s;
    s.src = (const char *)(base + ((long long)r * pitch + ch * 8));
    s.step = pitch * (step * 2);
    s.back = t.bytes - pitch * (t.rows * 2);
    s.dst = tc_rows_at(t.bytes, (uint32_t)r, (uint32_t)ch);
    s.passes = left > r ? (left - r + step - 1) / step : 0;
    return s;
}

/* A run of passes of one operand into a stage; bytes: how much of this thread's chunk lies inside k. */
typedef struct tc__gemm80_run {
    uint32_t stage;
    int from, to, word, bytes;
} tc__gemm80_run;

/* The source moves along with each pass: one addition, where an address from scratch would take registers' bandwidth
 * from mma.sync. */
TC_DEV_SM80 void tc__gemm80_load(const tc_rows t, const int how, tc__gemm80_source *s, const tc__gemm80_run run)
{
    if (how == TC__GEMM80_ANY) { /* slow anyway: keep it small */
#pragma unroll 1
        for (int i = run.from; i < run.to; i++, s->src += s->step)
            tc_rows_copy(run.word, run.stage + tc_rows_to(t, s->dst, threadIdx.x, i), s->src,
                         i < s->passes ? run.bytes : 0);
    } else {
#pragma unroll
        for (int i = run.from; i < run.to; i++, s->src += s->step) {
            const uint32_t to = run.stage + tc_rows_to(t, s->dst, threadIdx.x, i);
            if (how == TC__GEMM80_WHOLE) tc_cp_async_cg_16(to, s->src);
            else tc_cp_async_cg_16_zfill(to, s->src, i < s->passes ? run.bytes : 0);
        }
    }
    if (run.to == tc_rows_passes(t)) s->src += s->back;
}

/* The sources of both operands, and what the mainloop needs besides. */
typedef struct tc__gemm80_block {
    tc__gemm80_source a, b;
    uint32_t smem;
    int k, word;
} tc__gemm80_block;

/* Part `part` of `parts` of the copies of k block `block`, into a stage. */
TC_DEV_SM80 void tc__gemm80_fill(const tc_gemm_config c, const int how, tc__gemm80_block *g, int block, uint32_t stage,
                                 const int part, const int parts)
{
    const tc_rows ta = tc__gemm80_rows(c, c.bm), tb = tc__gemm80_rows(c, c.bn);
    const int left = g->k - block * c.bk
                   - (int)threadIdx.x % tc_rows_lanes(ta) * 8; /* elements: twice as many bytes may not fit an int */
    const int bytes = left < 0 ? 0 : left > 8 ? 16 : left * 2;
    const int a_passes = tc_rows_passes(ta), b_passes = tc_rows_passes(tb);
    const tc__gemm80_run a = {g->smem + stage * (uint32_t)(c.bm * ta.bytes), a_passes * part / parts,
                              a_passes * (part + 1) / parts, g->word, bytes};
    const tc__gemm80_run b = {g->smem + (uint32_t)(c.stages * c.bm * ta.bytes) + stage * (uint32_t)(c.bn * ta.bytes),
                              b_passes * part / parts, b_passes * (part + 1) / parts, g->word, bytes};
    tc__gemm80_load(ta, how, &g->a, a);
    tc__gemm80_load(tb, how, &g->b, b);
}

/* The fragments of one step of k: ldmatrix rows: A 16 x 16 as (rows, k half); B two n8 tiles as (n half, k half). */
typedef struct tc__gemm80_fragments {
    uint32_t a[16][4], b[64];
} tc__gemm80_fragments;

/* a, b: shared addresses of this lane's rows in a stage, at the step. */
TC_DEV_SM80 void tc__gemm80_read(const tc_gemm_config c, tc__gemm80_fragments *f, uint32_t a, uint32_t b)
{
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8, row_bytes = tc__gemm80_rows(c, 1).bytes;
#pragma unroll
    for (int i = 0; i < mi; i++) tc_ldmatrix_x4(f->a[i], a + (uint32_t)(i * 16 * row_bytes));
#pragma unroll
    for (int j = 0; j < ni; j += 2) tc_ldmatrix_x4(f->b + j * 2, b + (uint32_t)(j * 8 * row_bytes));
}

TC_DEV_SM80 void tc__gemm80_mma(const tc_gemm_config c, const tc__gemm80_fragments *f, float *acc)
{
    const int mi = c.bm / c.warps_m / 16, ni = c.bn / c.warps_n / 8;
#pragma unroll
    for (int i = 0; i < mi; i++) {
#pragma unroll
        for (int jj = 0; jj < ni; jj++) {
            const int j = i % 2 ? ni - 1 - jj : jj; /* back and forth: B's registers stay for the turn */
            float *d = acc + (i * ni + j) * 4;
            if (c.a == TC_BF16) tc_mma_m16n8k16_f32_bf16(d, f->a[i], f->b + j * 2, d);
            else tc_mma_m16n8k16_f32_f16(d, f->a[i], f->b + j * 2, d);
        }
    }
}

/* The k loop of a block's tile: acc = A * B, one warp's part of it. */
TC_DEV_SM80 void tc__gemm80_mainloop(const tc_gemm_config c, const int how, tc__gemm80_block *g, float *acc)
{
    const tc_rows ta = tc__gemm80_rows(c, c.bm);
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, steps = ta.bytes / 32;
    const uint32_t a_stage = (uint32_t)(c.bm * ta.bytes), b_stage = (uint32_t)(c.bn * ta.bytes),
                   smem_b = g->smem + (uint32_t)c.stages * a_stage;
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm,
              warp_n = warp / c.warps_m * wn;
    const int blocks = (g->k + c.bk - 1) / c.bk;
    /* Only the chunk moves with k, and XOR with k's bits commutes with the swizzle, since k selects whole chunks. */
    const uint32_t a_at = tc_rows_at(ta.bytes, (uint32_t)(warp_m + lane % 16), (uint32_t)(lane / 16));
    const uint32_t b_at = tc_rows_at(ta.bytes, (uint32_t)(warp_n + lane % 8 + lane / 16 * 8), (uint32_t)(lane / 8 % 2));
    tc__gemm80_fragments f[2]; /* the mmas of one step run on one while ldmatrix fills the other */
    tc_ring use = {0, 0}, fill = {(uint32_t)c.stages - 1u, 0};
    int next = 0; /* k block to load */

#pragma unroll
    for (int s = 0; s < c.stages - 1; s++) {
        if (next < blocks) {
            tc__gemm80_fill(c, how, g, next, (uint32_t)s, 0, 1);
            next++;
        }
        tc_cp_async_commit_group();
    }
    tc__cp_async_wait(c.stages - 2);
    __syncthreads();
    if (blocks > 0) tc__gemm80_read(c, &f[0], g->smem + a_at, smem_b + b_at);

    for (int kb = 0; kb < blocks; kb++) {
        const uint32_t now = use.stage;
        tc_ring_next(&use, c.stages);
#pragma unroll
        for (int k = 0; k < steps; k++) {
            if (k == steps - 1) { /* the next slot is there, and all warps are done with the one that is filled next */
                tc_cp_async_commit_group();
                tc__cp_async_wait(c.stages - 2);
                __syncthreads();
                if (kb + 1 < blocks)
                    tc__gemm80_read(c, &f[0], g->smem + use.stage * a_stage + a_at,
                                    smem_b + use.stage * b_stage + b_at);
            } else {
                const uint32_t at = (uint32_t)(k + 1) * 32u;
                tc__gemm80_read(c, &f[(k + 1) % 2], g->smem + now * a_stage + (a_at ^ at),
                                smem_b + now * b_stage + (b_at ^ at));
                /* the loads of one slot are spread over all steps but the last */
                if (next < blocks) tc__gemm80_fill(c, how, g, next, fill.stage, k, steps - 1);
            }
            tc__gemm80_mma(c, &f[k % 2], acc);
        }
        next++;
        tc_ring_next(&fill, c.stages);
    }
}

/* 16 rows of a warp's tile from shared memory (rows of bn / warps_n + 8 floats) to D, eight columns a lane. A loop, so
 * that the hook's code stands here but a few times. */
TC_DEV_SM80 void tc__gemm80_store(const tc_gemm_config c, const tc_gemm_sm80_params *p, uint32_t stage,
                                  tc_gemm_at first)
{
    const tc_epi epi = tc__gemm_epi(c);
    const int wn = c.bn / c.warps_n;
#pragma unroll 2
    for (int i = tc_lane(); i < wn * 2; i += 32) {
        const uint32_t at = stage + (uint32_t)((i / (wn / 8) * (wn + 8) + i % (wn / 8) * 8) * 4);
        tc__epi_piece piece = {at, at + 16u, first, p->vec};
        piece.at.row += i / (wn / 8);
        piece.at.col += i % (wn / 8) * 8;
        tc__epi_store_piece(epi, &p->out, &piece);
    }
}

/* The kernel. aligned (a constant): every row of A and B starts at a multiple of 16 bytes. */
TC_DEV_SM80 void tc_gemm_sm80(const tc_gemm_config c, const int aligned, const tc_gemm_sm80_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, mi = wm / 16, ni = wn / 8;
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm,
              warp_n = warp / c.warps_m * wn;
    const tc_tile t = tc_tile_at(&p->tiles, blockIdx.x);
    const int row0 = (int)t.m * c.bm, col0 = (int)t.n * c.bn;
    tc__gemm80_block g;
    float acc[256];
    g.a = tc__gemm80_source_make(tc__gemm80_rows(c, c.bm),
                                 (const uint16_t *)p->a + (t.batch * p->stride_a + row0 * p->lda), p->lda,
                                 p->out.m - row0);
    g.b = tc__gemm80_source_make(tc__gemm80_rows(c, c.bn),
                                 (const uint16_t *)p->b + (t.batch * p->stride_b + col0 * p->ldb), p->ldb,
                                 p->out.n - col0);
    g.smem = tc_smem_u32(tc__dynamic_smem);
    g.k = p->k;
    g.word = p->word;

#pragma unroll
    for (int i = 0; i < mi * ni * 4; i++) acc[i] = 0.f;
    if (!aligned) tc__gemm80_mainloop(c, TC__GEMM80_ANY, &g, acc);
    else if (row0 + c.bm <= p->out.m && col0 + c.bn <= p->out.n && p->k % c.bk == 0)
        tc__gemm80_mainloop(c, TC__GEMM80_WHOLE, &g, acc);
    else tc__gemm80_mainloop(c, TC__GEMM80_ALIGNED, &g, acc);
    __syncthreads(); /* the ring is over: its memory now takes each warp's accumulators, 16 rows at a time */
    float *stage = (float *)tc__dynamic_smem + warp * 16 * (wn + 8);
#pragma unroll
    for (int i = 0; i < mi; i++) {
        const tc_gemm_at first = {row0 + warp_m + i * 16, col0 + warp_n, (int)t.batch, 0};
#pragma unroll
        for (int j = 0; j < ni * 2; j++) { /* rows of wn + 8 floats: the two halves of a store find different banks */
            const float *v = acc + i * ni * 4 + 2 * j;
            *(float2 *)(stage + (lane / 4 + j % 2 * 8) * (wn + 8) + j / 2 * 8 + lane % 4 * 2) = make_float2(v[0], v[1]);
        }
        __syncwarp();
        tc__gemm80_store(c, p, tc_smem_u32(stage), first);
        __syncwarp();
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* 1 if every row of A and B starts at a multiple of `bytes` bytes. */
TC_HOST int tc__gemm80_rows_aligned(const tc_gemm_args *g, int bytes)
{
    const int batched = tc__gemm_batch(g) > 1;
    const uint64_t bits = (uint64_t)(uintptr_t)g->a | (uint64_t)(uintptr_t)g->b | (uint64_t)g->lda * 2
                        | (uint64_t)g->ldb * 2 | (batched ? (uint64_t)g->stride_a * 2 | (uint64_t)g->stride_b * 2 : 0);
    return bits % (uint64_t)bytes == 0;
}

/* Does a call need NAME_any? */
TC_HOST int tc__gemm80_any(const tc_gemm_args *g) { return g->k > 0 && !tc__gemm80_rows_aligned(g, 16); }

/* Parameters of a checked call. blocks: how many run at a time. */
TC_HOST tc_status tc_gemm_sm80_fill(const tc_gemm_config *c, const tc_gemm_args *g, int blocks, tc_gemm_sm80_params *p)
{
    const tc_gemm_cut cut = {c->bn, 1, blocks, 1, 0, 0};
    p->a = g->a;
    p->b = g->b;
    p->lda = g->lda;
    p->ldb = g->ldb;
    p->stride_a = g->stride_a;
    p->stride_b = g->stride_b;
    p->out = tc__gemm_out(g);
    p->k = g->k;
    p->word = tc__gemm80_rows_aligned(g, 4);
    p->vec = tc__gemm_fits(c, g, 'c') && tc__gemm_fits(c, g, 'd');
    return tc__gemm_tiles(&p->tiles, c, g, &cut);
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
    l->any = tc__gemm80_any(&g);
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
    use = k + tc__gemm80_any(&g);
    st = tc__kernel_device(use, &sms);
    if (st == TC_ERR_IMAGE && use == k) st = tc__kernel_device(++use, &sms);
    if (st == TC_OK) st = tc__gemm80_launch(c, args, sms, &l);
    if (st != TC_OK || !how->launch) return st;
    return tc__kernel_launch(use, l.grid, &l.params, how);
}

#endif /* host */
#endif /* TC_GEMM_SM80_H */
