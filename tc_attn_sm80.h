/* tc_attn_sm80.h - tc 0.2.0 - attention's mainloop for sm_80 and every later target. Needs: the headers below.
 *
 *     tc_attn_sm80_config           a configuration with every unset field filled in
 *     tc_attn_sm80_smem, _threads   what its block takes
 *     tc_attn_sm80                  the kernel's body
 *     tc_attn_sm80_prepare (host)   a call to launch by yourself: checked, its grid and its parameters (tc_attn.h)
 *
 * tc_attn.h is the manual.
 */
#ifndef TC_ATTN_SM80_H
#define TC_ATTN_SM80_H

#include "tc_mma.h"
#include "tc_softmax.h"

typedef struct tc_attn_sm80_params {
    const void *q, *k, *v;
    long long q_batch, q_row, q_head, k_batch, k_row, k_head, v_batch, v_row, v_head;
    long long k_pass, k_tile, k_back, v_pass, v_tile,
        v_back; /* bytes between a thread's copies, between tiles; from the last copy to the tile before */
    tc_attn_problem problem;
} tc_attn_sm80_params;

/* =====================================================================================================================
 * SM80: one block a tile of queries; each warp has bm / warps rows of it, and all the keys.
 *
 *     shared memory:    Q: [bm rows][head_dim] | K: [stages][bn rows][head_dim] | V: [stages][bn rows][head_dim_v]
 *                       rows end to end, their 16-byte chunks swizzled
 *
 * The kernel of sm_120 (tc_attn_sm120.h) is this one but for how Q, K and V come and go: with .ring, which its
 * configuration sets, a warp waits for a slot of K or V at that slot's mbarrier and gives it back there, a producer
 * fills it by TMA, and nothing is copied here. What differs is how a tile lies (tc__attn80_layout), how a slot is
 * filled, waited for and given back (tc__attn80_take_k, _take_v, _copies_due, _give_k, _give_v, _forward) and how it
 * all begins (tc__attn80_begin_copies, tc__attn80_begin). A warp with a ring leaves out what its own rows do not see.
 *
 * What bounds it is shared memory: a fragment that ldmatrix brings must serve as many products as registers allow. So
 * a warp has 32 rows where O leaves room for them (each fragment of K and V then serves two products), and as much of
 * Q as fits stays in registers. exp2 of the next 16 keys runs between the products of P V of these 16, so that neither
 * waits for the other.
 */
TC_HD TC_CONSTEXPR int tc__attn80_rows(const tc_attn_config c) { return c.bm / c.warps; }
TC_HD TC_CONSTEXPR int tc_attn_sm80_threads(const tc_attn_config c) { return c.warps * 32; }

/* Where V's tiles begin, behind those of Q and K. TMA, which fills them with .ring, swizzles by the address: 1024 bytes
 * is where each of its patterns begins anew, and boxes of K may be narrower than V's. */
TC_HD TC_CONSTEXPR int tc__attn80_v_at(const tc_attn_config c)
{
    const int bytes = (c.bm + c.stages * c.bn) * c.head_dim * 2;
    return c.ring ? (bytes + 1023) / 1024 * 1024 : bytes;
}
TC_HD TC_CONSTEXPR int tc_attn_sm80_smem(const tc_attn_config c)
{
    return tc__attn80_v_at(c) + c.stages * c.bn * c.head_dim_v * 2;
}

/* Registers of a lane: those of O and S; how many steps of 16 columns of Q fit beside them; how many blocks an SM
 * then has. What is allowed for all the rest was found by trying: nothing may spill. */
#define TC__ATTN80_ROOM 176
TC_HD TC_CONSTEXPR int tc__attn80_sums(const tc_attn_config c)
{
    return tc__attn80_rows(c) / 16 * (c.bn + c.head_dim_v) / 2;
}
TC_HD TC_CONSTEXPR int tc__attn80_held(const tc_attn_config c)
{
    const int each = tc__attn80_rows(c) / 4,
              room = (c.score || c.mask || c.window || c.dropout ? 160 : TC__ATTN80_ROOM) - tc__attn80_sums(c),
              fit = room > 0 ? room / each : 0;
    return fit < c.head_dim / 16 ? fit : c.head_dim / 16;
}
TC_HD TC_CONSTEXPR int tc__attn80_blocks(const tc_attn_config c)
{
    const int rest = c.score || c.mask || c.dropout ? 96 : c.causal || c.window || c.head_dim < 64 ? 64 : 48;
    const int registers = tc__attn80_sums(c) + tc__attn80_held(c) * tc__attn80_rows(c) / 4 + rest;
    const int by_registers = 65536 / ((registers + 7) / 8 * 8 * tc_attn_sm80_threads(c)),
              by_smem = TC__SM90_SMEM_MAX / (tc_attn_sm80_smem(c) + 1024);
    const int blocks = by_registers < by_smem ? by_registers : by_smem;
    return blocks < 1 ? 1 : blocks;
}

/* Tiles of keys that every row sees whole have a loop of their own, but where ptxas then has a few registers too
 * few: below sm_90, and on sm_107 (head_dim 128, causal: 16 bytes spilled). */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 900 || __CUDA_ARCH__ == 1070)
#define TC__ATTN80_APART 0
#else
#define TC__ATTN80_APART 1
#endif

/* How many ldmatrix run ahead of their products; how many cp.async go out in a run: behind an ldmatrix ptxas has
 * sm_90 pause for them. A __syncwarp here and there keeps ptxas from moving ldmatrix up until registers spill. */
#define TC__ATTN80_AHEAD(c) ((c).window || (c).score || (c).mask || (c).dropout || (c).head_dim < 64 ? 2 : 3)
enum { TC__ATTN80_RUN = 4 };

/* A tile of K or V of rows of dim elements, as the block's threads copy it; of Q all but the number of rows. */
TC_HD TC_CONSTEXPR tc_rows tc__attn80_tile(const tc_attn_config c, const int dim)
{
    const tc_rows t = {dim * 2, c.bn, tc_attn_sm80_threads(c)};
    return t;
}
TC_HD TC_CONSTEXPR int tc__attn80_copies(const tc_rows t) { return tc_rows_passes(t) * tc_rows_pieces(t); }

/* How a tile of rows of dim elements lies in shared memory: rows end to end, or with .ring in boxes of TMA, each as
 * wide as what is swizzled together: bytes from a row to the next, from a box to the next (0: none). Within a box both
 * are tc_rows_at(row, ...). */
typedef struct tc__attn80_layout {
    int row, box;
} tc__attn80_layout;

TC_HD TC_CONSTEXPR tc__attn80_layout tc__attn80_layout_of(const tc_attn_config c, const int dim, const int rows)
{
    const int wide = tc_rows_xor(dim * 2) * 16;
    const tc__attn80_layout l = {c.ring ? wide : dim * 2, c.ring ? rows * wide : 0};
    return l;
}
TC_HD TC_CONSTEXPR tc__attn80_layout tc__attn80_q_layout(const tc_attn_config c)
{
    return tc__attn80_layout_of(c, c.head_dim, c.bm);
}
TC_HD TC_CONSTEXPR tc__attn80_layout tc__attn80_k_layout(const tc_attn_config c)
{
    return tc__attn80_layout_of(c, c.head_dim, c.bn);
}
TC_HD TC_CONSTEXPR tc__attn80_layout tc__attn80_v_layout(const tc_attn_config c)
{
    return tc__attn80_layout_of(c, c.head_dim_v, c.bn);
}
/* A chunk's offset moved along the row by `chunks`, an even constant. */
TC_HD TC_CONSTEXPR uint32_t tc__attn80_move(const tc__attn80_layout l, uint32_t at, const int chunks)
{
    return l.box ? tc_rows_move(l.row, at, chunks % (l.row / 16)) + (uint32_t)(chunks / (l.row / 16) * l.box)
                 : tc_rows_move(l.row, at, chunks);
}

/* 99 KB, what a block of sm_86, 89 and 120 may have: no kernel whose tile is chosen here needs more. */
#define TC__ATTN80_SMEM ((int)TC_CHIP_86_SMEM)

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_attn_config tc_attn_sm80_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.ring = 0;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    c.stages = c.stages ? c.stages : 2;
    c.bm = c.bm ? c.bm : c.head_dim_v <= 128 ? 128 : 64;
    c.warps = c.warps ? c.warps : c.head_dim_v <= 128 ? (c.bm + 31) / 32 : c.bm / 16;
    if (c.bn == 0) {
        const int hooked = c.head_dim_v > 32 && (c.score || c.mask || c.dropout),
                  apart = c.head_dim_v > 96 && c.head_dim != c.head_dim_v;
        c.bn = c.head_dim + c.head_dim_v > 256 || apart || hooked ? 32 : 64;
        while (c.bn > 16 && tc_attn_sm80_smem(c) > TC__ATTN80_SMEM) c.bn /= 2;
    }
    return c;
}

/* As TC__ATTN_RULES. */
#define TC__ATTN_SM80_RULES(X, c)                                                                                     \
    TC__ATTN_RULES(X, c)                                                                                              \
    X((c).warps == 1 || (c).warps == 2 || (c).warps == 4 || (c).warps == 8 || (c).warps == 16,                        \
      "tc: .warps must be 1, 2, 4, 8 or 16")                                                                          \
    X((c).bm > 0 && (c).bm % (16 * (c).warps) == 0 && (c).bm <= 64 * (c).warps,                                       \
      "tc: .bm must be 16, 32, 48 or 64 queries for each of .warps")                                                  \
    X((c).bn >= 16 && (c).bn <= 256 && (c).bn % 16 == 0, "tc: .bn must be a multiple of 16 in 16..256")               \
    X(tc__attn80_sums(c) <= 208 && (tc__attn80_sums(c) + 48) * tc_attn_sm80_threads(c) <= 65536,                      \
      "tc: too many registers: .bm / .warps / 32 * (.bn + .head_dim_v) must be at most 208, less with 16 warps")      \
    X((c).stages >= 2 && (c).stages <= 6 && tc_attn_sm80_smem(c) <= TC__SM90_SMEM_MAX,                                \
      "tc: .stages must be in 2..6, and the tiles of Q, K and V fit in 227 KB of shared memory")

/* Whether TC_ATTN_SM80_DEFINE takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_attn_sm80_legal(const tc_attn_config given)
{
    const tc_attn_config c = tc_attn_sm80_config(given);
    return 1 TC__ATTN_SM80_RULES(TC__RULE_AND, c);
}

#ifdef __CUDACC__

/* A thread's first copy of a tile: where it goes in a slot, and how far from the tile's first row it comes from. */
TC_DEV uint32_t tc__attn80_first_to(const tc_rows t, uint32_t thread)
{
    return tc_rows_at(t.bytes, thread / (uint32_t)tc_rows_lanes(t), thread % (uint32_t)tc_rows_lanes(t));
}
TC_DEV uint32_t tc__attn80_first_from(const tc_rows t, uint32_t thread, uint32_t pitch)
{
    return thread / (uint32_t)tc_rows_lanes(t) * pitch + thread % (uint32_t)tc_rows_lanes(t) * 16u;
}

/* Tiles of K or V on their way to shared memory: what a thread's copies start from. */
typedef struct tc__attn80_stream {
    tc_rows rows;
    uint32_t to;     /* this thread's first copy in the slot */
    uint32_t off;    /* and how far from src it comes from */
    const char *src; /* the tile, the same for all lanes */
    long long pass;  /* bytes from one pass to the next */
    int exist;       /* tc__attn80_fill: rows there; tc__attn80_copy: 0 where there is no tile */
} tc__attn80_stream;

/* A tile whose first `exist` rows there are; zeros for the others, since 0 times anything may be NaN. */
TC_DEV_SM80 void tc__attn80_fill(const tc_attn_config c, tc__attn80_stream x)
{
    const int lanes = tc_rows_lanes(x.rows), pieces = tc_rows_pieces(x.rows), step = tc_rows_step(x.rows);
    const int r = (int)threadIdx.x / lanes;
    x.src += x.off;
#pragma unroll
    for (int i = 0; i < tc__attn80_copies(x.rows); i++) {
        const int row = r + i / pieces * step;
        if (i > 0 && i % pieces == 0) x.src += x.pass;
        if (row < c.bn)
            tc_cp_async_cg_16_zfill(tc_rows_to(x.rows, x.to, threadIdx.x, i), x.src + i % pieces * lanes * 16,
                                    row < x.exist ? 16 : 0);
    }
}

/* Copy number i of a tile of which every row exists; src moves along. Predicated: a branch would keep ptxas from
 * mixing the copies with the products around them. */
TC_DEV_SM80 void tc__attn80_copy(const tc_attn_config c, tc__attn80_stream *x, const int i)
{
    const int lanes = tc_rows_lanes(x->rows), pieces = tc_rows_pieces(x->rows), step = tc_rows_step(x->rows);
    const int r = (int)threadIdx.x / lanes, row = i / pieces * step;
    int on = x->exist;
    if (i > 0 && i % pieces == 0) x->src += x->pass;
    if (row + step > c.bn) on = on && r + row < c.bn;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 ".reg .b64 from;\n\t"
                 "setp.ne.b32 p, %3, 0;\n\t"
                 "cvt.u64.u32 from, %2;\n\t"
                 "add.s64 from, from, %1;\n\t"
                 "@p cp.async.cg.shared.global [%0], [from], 16;\n\t"
                 "}" : : "r"(tc_rows_to(x->rows, x->to, threadIdx.x, i)), "l"(x->src),
                         "r"(x->off + (uint32_t)(i % pieces * lanes * 16)),
                         "r"(on) : "memory");
}

TC_DEV_SM80 const char *tc__attn80_uniform(const char *p)
{
    return (const char *)((uint64_t)tc_uniform((uint32_t)((uint64_t)p >> 32)) << 32
                          | tc_uniform((uint32_t)(uint64_t)p));
}

/* The tile of Q; rows that do not exist become zeros. */
TC_DEV_SM80 void tc__attn80_load_q(const tc_attn_config c, const tc_attn_sm80_params *p, const tc_attn_work *w,
                                   uint32_t smem)
{
    const tc_attn_problem *pr = &p->problem;
    const tc_rows t = tc__attn80_tile(c, c.head_dim);
    const int lanes = tc_rows_lanes(t), r = (int)threadIdx.x / lanes, ch = (int)threadIdx.x % lanes,
              step = tc_rows_step(t);
    const char *base = (const char *)p->q
                       + ((long long)tc__attn_outer_q(pr, w) * p->q_batch + (long long)w->q_at * p->q_row + ch * 8) * 2;
#pragma unroll 2
    for (int row = r; row < c.bm; row += step) {
        const uint32_t to = smem + tc_rows_at(t.bytes, (uint32_t)row, (uint32_t)ch);
        const tc_attn_at at = tc__attn_row(pr, w, row);
        const int bytes = tc__attn_row_exists(pr, w, row, at.q) ? 16 : 0;
#pragma unroll
        for (int i = 0; i < tc_rows_pieces(t); i++)
            tc_cp_async_cg_16_zfill(to + (uint32_t)(i * lanes * 16),
                                    base + ((long long)at.q * p->q_row + at.h * p->q_head) * 2 + i * lanes * 16, bytes);
    }
}

/* D = A B; D += A B. */
TC_DEV_SM80 void tc__attn80_mma_zero(const int type, float *d, const uint32_t *a, const uint32_t *b)
{
    if (type == TC_BF16) TC_MMA_ZERO(m16n8k16, row, col, f32, bf16, bf16, f32, d, a, b);
    else TC_MMA_ZERO(m16n8k16, row, col, f32, f16, f16, f32, d, a, b);
}
TC_DEV_SM80 void tc__attn80_mma(const int type, float *d, const uint32_t *a, const uint32_t *b)
{
    if (type == TC_BF16) tc_mma_m16n8k16_f32_bf16(d, a, b, d);
    else tc_mma_m16n8k16_f32_f16(d, a, b, d);
}

/* Where a warp stands: what moves along while its block works on a tile, and what it keeps for its rows. */
typedef struct tc__attn80_place {
    const tc_attn_sm80_params *p; /* .ring: none */
    const tc_attn_problem *problem;
    const tc_attn_work *w;
    uint32_t q_lane, k_lane, v_lane; /* ldmatrix: offsets of this lane in 16 rows of Q, K, V */
    uint32_t q, k, v;          /* shared addresses, the same for all lanes: this warp's rows of Q; slot 0 of K, of V */
    uint32_t q_first;          /* the block's rows of Q */
    const char *k_src, *v_src; /* the tile that is loaded next, the same for all lanes */
    uint32_t use, fill;        /* slots: that of this tile, that of the tile loaded next */
    tc_pipe k_pipe, v_pipe;    /* .ring: the mbarriers of the slots; the parity of this lap */
    uint32_t phase;
    int head;                  /* of K and V */
    int lo, hi;                /* .ring: the tiles of keys that the producer brings; w has this warp's own */
    int row;                   /* this warp's first one in the tile of work */
    float scale;               /* tc_attn_scale */
    uint32_t *held;            /* the columns of Q that stay in registers */
    float *s, *o;              /* fragments: for each 16 rows bn / 2 of S, head_dim_v / 2 of O */
    float *shift, *sum, *rounding; /* of each row: what is added to score * scale before exp2; as in tc_attn_rows */
} tc__attn80_place;

/* One tile of keys: as in tc_attn_scores; load: there is a tile to be loaded meanwhile. */
typedef struct tc__attn80_tile_of_keys {
    int n, state, load, edges;
} tc__attn80_tile_of_keys;

TC_DEV_SM80 void tc__attn80_read_q(const tc_attn_config c, const tc__attn80_place *at, const int step, uint32_t *a)
{
#pragma unroll
    for (int t = 0; t < tc__attn80_rows(c) / 16; t++)
        tc_ldmatrix_x4(a + 4 * t, tc__attn80_move(tc__attn80_q_layout(c), at->q_lane, 2 * step)
                                      + (at->q + (uint32_t)(t * 16 * tc__attn80_q_layout(c).row)));
}

/* How many of `copies` have gone out before unit u of `units`. */
TC_DEV int tc__attn80_due(const int copies, const int units, const int u)
{
    return u == units ? copies : copies * u / units / TC__ATTN80_RUN * TC__ATTN80_RUN;
}

/* The copies of the tile that is loaded next. */
typedef struct tc__attn80_streams {
    tc__attn80_stream k, v;
} tc__attn80_streams;

/* K of this tile is there: at its mbarrier, or since the last barrier of the block, and then the copies of the tile
 * that is loaded next are made ready; load: there is one. */
TC_DEV_SM80 void tc__attn80_take_k(const tc_attn_config c, const tc__attn80_place *at, int load, tc__attn80_streams *x)
{
    const tc_attn_sm80_params *p = at->p;
    uint32_t thread;
    if (c.ring) {
        TC_MBARRIER_WAIT(tc_pipe_full(at->k_pipe, at->use), at->phase, "K full", (int)at->use);
        return;
    }
    /* the thread's number in a way that depends on the loop: else what follows of it would take registers all the
     * time */
    asm volatile("{\n\t"
                 ".reg .b32 zero;\n\t"
                 "shr.u32 zero, %2, 8;\n\t"
                 "add.u32 %0, %1, zero;\n\t"
                 "}" : "=r"(thread) : "r"(threadIdx.x), "r"(at->fill));
    x->k.rows = tc__attn80_tile(c, c.head_dim);
    x->k.to = at->k + at->fill * (uint32_t)(c.bn * c.head_dim * 2) + tc__attn80_first_to(x->k.rows, thread);
    x->k.off = tc__attn80_first_from(x->k.rows, thread, (uint32_t)(p->k_row * 2));
    x->k.src = at->k_src, x->k.pass = p->k_pass, x->k.exist = load;
    x->v.rows = tc__attn80_tile(c, c.head_dim_v);
    x->v.to = at->v + at->fill * (uint32_t)(c.bn * c.head_dim_v * 2) + tc__attn80_first_to(x->v.rows, thread);
    x->v.off = tc__attn80_first_from(x->v.rows, thread, (uint32_t)(p->v_row * 2));
    x->v.src = at->v_src, x->v.pass = p->v_pass, x->v.exist = load;
}

/* Those copies of it that are due in unit u of `units`. */
TC_DEV_SM80 void tc__attn80_copies_due(const tc_attn_config c, tc__attn80_streams *x, const int units, const int u)
{
    const int k_copies = tc__attn80_copies(tc__attn80_tile(c, c.head_dim));
    const int copies = c.ring ? 0 : k_copies + tc__attn80_copies(tc__attn80_tile(c, c.head_dim_v));
#pragma unroll
    for (int i = tc__attn80_due(copies, units, u); i < tc__attn80_due(copies, units, u + 1); i++) {
        if (i < k_copies) tc__attn80_copy(c, &x->k, i);
        else tc__attn80_copy(c, &x->v, i - k_copies);
    }
}

/* One lane says that its warp has read a slot. */
TC_DEV_SM80 void tc__attn80_release(uint32_t empty)
{
    __syncwarp();
    if (tc_lane() == 0) tc_mbarrier_arrive(empty);
}

/* This warp has read K: its slot goes back; or all copies of the next tile have gone out. */
TC_DEV_SM80 void tc__attn80_give_k(const tc_attn_config c, tc__attn80_place *at, const tc__attn80_streams *x)
{
    if (c.ring) {
        tc__attn80_release(tc_pipe_empty(at->k_pipe, at->use));
        return;
    }
    at->k_src = x->k.src;
    at->v_src = x->v.src;
    tc_cp_async_commit_group();
}

/* The same of V, which came together with K where there is no ring, and goes back at the block's next barrier. */
TC_DEV_SM80 void tc__attn80_take_v(const tc_attn_config c, const tc__attn80_place *at)
{
    if (c.ring) TC_MBARRIER_WAIT(tc_pipe_full(at->v_pipe, at->use), at->phase, "V full", (int)at->use);
}
TC_DEV_SM80 void tc__attn80_give_v(const tc_attn_config c, const tc__attn80_place *at)
{
    if (c.ring) tc__attn80_release(tc_pipe_empty(at->v_pipe, at->use));
}

/* S = Q K' of one tile; between the products the copies of the tile that is loaded next. Unit u: 16 columns of Q by
 * 16 keys. */
TC_DEV_SM80 void tc__attn80_qk(const tc_attn_config c, tc__attn80_place *at, int load)
{
    const int tiles = tc__attn80_rows(c) / 16, each = c.bn / 16, units = c.head_dim / 16 * each,
              fore = TC__ATTN80_AHEAD(c), slots = fore + 1, hold = tc__attn80_held(c);
    const uint32_t k = at->k + at->use * (uint32_t)(c.bn * c.head_dim * 2);
    tc__attn80_streams x;
    uint32_t f[4][4], q[2][16];
#define TC__ATTN80_K(u)                                                                                                \
    tc_ldmatrix_x4(f[(u) % slots], tc__attn80_move(tc__attn80_k_layout(c), at->k_lane, (u) / each * 2)                 \
                                       + (k + (uint32_t)((u) % each * 16 * tc__attn80_k_layout(c).row)))
    tc__attn80_take_k(c, at, load, &x);
    if (hold == 0) tc__attn80_read_q(c, at, 0, q[0]);
#pragma unroll
    for (int u = 0; u < fore && u < units; u++) TC__ATTN80_K(u);
#pragma unroll
    for (int u = 0; u < units; u++) {
        const int step = u / each, j = u % each;
        const uint32_t *a = step < hold ? at->held + step * tiles * 4 : q[step % 2];
        if (j == 0 && step) __syncwarp();
        if (u + fore < units) TC__ATTN80_K(u + fore);
        if (j == 0 && step + 1 < c.head_dim / 16 && step + 1 >= hold)
            tc__attn80_read_q(c, at, step + 1, q[(step + 1) % 2]);
        tc__attn80_copies_due(c, &x, units, u);
#pragma unroll
        for (int e = 0; e < 2; e++) {
#pragma unroll
            for (int t = 0; t < tiles; t++) {
                float *s = at->s + t * c.bn / 2 + (2 * j + e) * 4;
                if (step == 0) tc__attn80_mma_zero(c.type, s, a + 4 * t, f[u % slots] + 2 * e);
                else tc__attn80_mma(c.type, s, a + 4 * t, f[u % slots] + 2 * e);
            }
        }
    }
#undef TC__ATTN80_K
    tc__attn80_give_k(c, at, &x);
}

/* Element number `index`, to exp2 and into the sum of its row: 16 keys after the other, 8 of each of the lane's tiles
 * of 16 rows. */
TC_DEV_SM80 void tc__attn80_exp(const tc_attn_config c, const tc__attn80_place *at, float *sum, const int index)
{
    const int of_keys = tc__attn80_rows(c) / 16 * 8, j = index / of_keys, i = index % of_keys;
    float *x = at->s + i / 8 * c.bn / 2 + j * 8 + i % 8;
    *x = tc__exp2(fmaf(*x, at->scale, at->shift[i / 8 * 2 + i % 4 / 2]));
    sum[i / 8 * 2 + i % 4 / 2] += *x;
}

/* 16 keys from kv on, number j of the tile's: dropped, and packed for a product. */
TC_DEV_SM80 void tc__attn80_pack(const tc_attn_config c, const tc__attn80_place *at, const int j, const int kv,
                                 uint32_t *a)
{
#pragma unroll
    for (int t = 0; t < tc__attn80_rows(c) / 16; t++) {
        float *s = at->s + t * c.bn / 2 + j * 8;
        if (c.dropout)
            tc__attn_drop_8(tc__dropout_in(at->problem->hook), tc__attn_patch(at->w, at->row + t * 16, kv), s);
        tc_attn_pack(c.type, s, 16, a + 4 * t);
    }
}

/* O += P V of one tile, P = exp2(S * scale + shift); kv: its first key. Unit: 16 keys by 16 columns of V. */
TC_DEV_SM80 void tc__attn80_pv(const tc_attn_config c, const tc__attn80_place *at, const int kv)
{
    const int tiles = tc__attn80_rows(c) / 16, each = c.head_dim_v / 16, units = c.bn / 16 * each,
              fore = TC__ATTN80_AHEAD(c), slots = fore + 1;
    const uint32_t v = at->v + at->use * (uint32_t)(c.bn * c.head_dim_v * 2);
    uint32_t f[4][4], a[2][16];
    float part[8]; /* the sums of this tile alone: fewer roundings in a long row */
#pragma unroll
    for (int i = 0; i < 2 * tiles; i++) part[i] = 0.f;
#define TC__ATTN80_V(u)                                                                                                \
    tc_ldmatrix_x4_trans(f[(u) % slots], tc__attn80_move(tc__attn80_v_layout(c), at->v_lane, (u) % each * 2)           \
                                             + (v + (uint32_t)((u) / each * 16 * tc__attn80_v_layout(c).row)))
    tc__attn80_take_v(c, at);
#pragma unroll
    for (int u = 0; u < fore && u < units; u++) TC__ATTN80_V(u);
#pragma unroll
    for (int i = 0; i < tiles * 8; i++) tc__attn80_exp(c, at, part, i);
    tc__attn80_pack(c, at, 0, kv, a[0]);
#pragma unroll
    for (int u = 0; u < units; u++) {
        const int j = u / each, n = u % each;
        if (u % 4 == 0) __syncwarp();
        if (u + fore < units) TC__ATTN80_V(u + fore);
#pragma unroll
        for (int e = 0; e < 2; e++) {
#pragma unroll
            for (int t = 0; t < tiles; t++)
                tc__attn80_mma(c.type, at->o + t * c.head_dim_v / 2 + (2 * n + e) * 4, a[j % 2] + 4 * t,
                               f[u % slots] + 2 * e);
        }
        if (j + 1 < c.bn / 16) {
#pragma unroll
            for (int i = tiles * 8 * n / each; i < tiles * 8 * (n + 1) / each; i++)
                tc__attn80_exp(c, at, part, (j + 1) * tiles * 8 + i);
            if (n + 1 == each) tc__attn80_pack(c, at, j + 1, kv + (j + 1) * 16, a[(j + 1) % 2]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2 * tiles; i++) at->sum[i] += part[i];
#undef TC__ATTN80_V
    tc__attn80_give_v(c, at);
}

/* The shift of a row that has seen no key yet: exp2 gives 0, and every score is a rise. Finite, since inf - inf
 * would be NaN. */
#define TC__ATTN80_NONE 3.40282347e38f

/* Rows 16 t to 16 t + 15 of the warp: where one has a new maximum, their shifts, which are -maximum * scale, and
 * what was added up before. */
TC_DEV_SM80 void tc__attn80_raise(const tc_attn_config c, const tc__attn80_place *at, const int t)
{
    const float scale = at->scale;
    const tc_attn_scores x = {at->s + t * c.bn / 2, c.bn, 0, 0, 0, 0, 0, 0.f};
    const float top[2] = {tc__attn_top(x, 0, -1, 0.f), tc__attn_top(x, 1, -1, 0.f)};
    float *shift = at->shift + 2 * t, *o = at->o + t * c.head_dim_v / 2;
    if (!__any_sync(0xffffffffu, fmaf(top[0], scale, shift[0]) > 0.f || fmaf(top[1], scale, shift[1]) > 0.f)) return;
#pragma unroll
    for (int i = 0; i < 2; i++) { /* only now do lanes ask their neighbours */
        const float to = fminf(shift[i], -tc__attn_quad_max(top[i]) * scale), f = tc__exp2(to - shift[i]);
        shift[i] = to;
        at->sum[2 * t + i] *= f;
        if (c.causal || c.window || c.mask) at->rounding[2 * t + i] *= f; /* otherwise the 0 that the compiler knows */
#pragma unroll
        for (int j = 0; j < c.head_dim_v / 8; j++) {
            o[4 * j + 2 * i] *= f;
            o[4 * j + 2 * i + 1] *= f;
        }
    }
}

/* Those rows, where they may see few keys: by how much rounding P to 16 bits changes their sums. */
TC_DEV_SM80 void tc__attn80_round(const tc_attn_config c, const tc__attn80_place *at, const int t)
{
    const float *s = at->s + t * c.bn / 2, *shift = at->shift + 2 * t, scale = at->scale;
#pragma unroll
    for (int j = 0; j < c.bn / 4; j++) {
        const float x = tc__exp2(fmaf(s[2 * j], scale, shift[j % 2])),
                    y = tc__exp2(fmaf(s[2 * j + 1], scale, shift[j % 2]));
        const uint32_t w = tc_pack(c.type, x, y);
        at->rounding[2 * t + j % 2] += tc_unpack(c.type, w & 0xffffu) - x + (tc_unpack(c.type, w >> 16) - y);
    }
}

/* One tile of keys. */
TC_DEV_SM80 void tc__attn80_step(const tc_attn_config c, tc__attn80_place *at, const tc__attn80_tile_of_keys k)
{
    tc__attn80_qk(c, at, k.load);
#pragma unroll
    for (int t = 0; t < tc__attn80_rows(c) / 16; t++) {
        const tc_attn_scores x = {at->s + t * c.bn / 2, c.bn, at->row + t * 16, k.n, k.state, k.edges, 0, at->scale};
        const int few = tc_attn_score(c, at->problem, at->w, x);
        tc__attn80_raise(c, at, t);
        if (few) tc__attn80_round(c, at, t);
    }
    tc__attn80_pv(c, at, k.n * c.bn);
}

/* On to the next tile: its slot, and the tile to be loaded next after `ahead`, which is returned. There are stages /
 * 2 tiles between two barriers; while they are worked on, as many are loaded. With .ring the producer knows. */
TC_DEV_SM80 int tc__attn80_forward(const tc_attn_config c, tc__attn80_place *at, int ahead)
{
    const tc_attn_sm80_params *p = at->p;
    const int together = c.stages / 2;
    int unused, next;
    if (c.ring) {
        at->use++;
        if (at->use == (uint32_t)c.stages) at->use = 0, at->phase ^= 1u;
        return ahead;
    }
    next = tc_attn_next(c, at->problem, at->w, ahead, &unused);
    at->k_src -= p->k_back;
    at->v_src -= p->v_back;
    if (c.mask || c.mask_tile) { /* tiles were skipped */
        at->k_src -= (ahead - next - 1) * p->k_tile;
        at->v_src -= (ahead - next - 1) * p->v_tile;
    }
    at->use = at->use + 1 == (uint32_t)c.stages ? 0 : at->use + 1;
    at->fill = at->fill + 1 == (uint32_t)c.stages ? 0 : at->fill + 1;
    if (together == 1 || at->use % (uint32_t)together == 0) {
        tc__cp_async_wait(c.stages - 2 * together);
        __syncthreads();
    }
    return next;
}

/* The sums of nothing. */
TC_DEV_SM80 void tc__attn80_zero(const tc_attn_config c, const tc__attn80_place *at)
{
    const int tiles = tc__attn80_rows(c) / 16;
#pragma unroll
    for (int i = 0; i < tiles * c.head_dim_v / 2; i++) at->o[i] = 0.f;
#pragma unroll
    for (int i = 0; i < 2 * tiles; i++) at->shift[i] = TC__ATTN80_NONE, at->sum[i] = at->rounding[i] = 0.f;
}

/* Where a block's tiles begin in its shared memory. */
typedef struct tc__attn80_tiles {
    uint32_t q, k, v;
} tc__attn80_tiles;

TC_DEV_SM80 tc__attn80_tiles tc__attn80_tiles_at(const tc_attn_config c, uint32_t smem)
{
    tc__attn80_tiles t;
    t.q = smem, t.k = smem + (uint32_t)(c.bm * c.head_dim * 2);
    t.v = smem + (uint32_t)tc__attn80_v_at(c);
    return t;
}

/* Where this lane reads. */
TC_DEV_SM80 void tc__attn80_addresses(const tc_attn_config c, tc__attn80_place *at, const tc__attn80_tiles tiles,
                                      int lane)
{
    at->q_lane = tc_rows_at(tc__attn80_q_layout(c).row, (uint32_t)(lane % 16), (uint32_t)(lane / 16));
    at->k_lane = tc_rows_at(tc__attn80_k_layout(c).row, (uint32_t)(lane % 8 + lane / 16 * 8), (uint32_t)(lane / 8 % 2));
    at->v_lane = tc_rows_at(tc__attn80_v_layout(c).row, (uint32_t)(lane % 16), (uint32_t)(lane / 16));
    at->q = tiles.q + (uint32_t)(at->row * tc__attn80_q_layout(c).row);
    at->q_first = tiles.q;
    at->k = tiles.k;
    at->v = tiles.v;
}

/* Bounds of its tiles of keys, known to be the same for the warp. */
TC_DEV_SM80 void tc__attn80_uniform_work(const tc_attn_config c, tc_attn_work *w)
{
    w->hi = (int)tc_uniform((uint32_t)w->hi);
    w->free_hi = (int)tc_uniform((uint32_t)w->free_hi);
    if (c.window) {
        w->lo = (int)tc_uniform((uint32_t)w->lo);
        w->free_lo = (int)tc_uniform((uint32_t)w->free_lo);
    }
}

/* .ring: a block's tiles are its producer's to fill. What a warp finds of it: */
typedef struct tc__attn80_ring {
    const tc_attn_problem *problem;
    tc_pipe k, v;    /* the mbarriers of the slots */
    uint32_t q_full; /* that of Q */
} tc__attn80_ring;

/* .ring: one tile of keys of which this warp's rows see nothing. It waits all the same: a warp that came late for a
 * slot would mistake one lap for another. */
TC_DEV_SM80 void tc__attn80_pass(const tc_attn_config c, tc__attn80_place *at)
{
    TC_MBARRIER_WAIT(tc_pipe_full(at->k_pipe, at->use), at->phase, "K full", (int)at->use);
    tc__attn80_release(tc_pipe_empty(at->k_pipe, at->use));
    TC_MBARRIER_WAIT(tc_pipe_full(at->v_pipe, at->use), at->phase, "V full", (int)at->use);
    tc__attn80_release(tc_pipe_empty(at->v_pipe, at->use));
    (void)tc__attn80_forward(c, at, 0);
}

/* .ring: from all tiles of keys to those that this warp's own rows see. Not with a mask hook, by which tiles are
 * skipped. */
TC_DEV_SM80 void tc__attn80_narrow(const tc_attn_config c, const tc_attn_problem *pr, int row, tc_attn_work *w)
{
    const int first = tc__attn_row(pr, w, row).q, last = tc__attn_row(pr, w, row + tc__attn80_rows(c) - 1).q;
    tc_attn_work own = *w;
    own.q0 = first;
    tc__attn_see(c, pr, &own, last < w->q_len ? last : w->q_len - 1);
    if (!tc__attn_row_exists(pr, w, row, first)) own.lo = own.hi = own.free_lo = own.free_hi = w->lo;
    w->lo = own.lo, w->hi = own.hi, w->free_lo = own.free_lo, w->free_hi = own.free_hi;
}

/* .ring: Q is there, and so is the first tile of keys that is this warp's, n and below. */
TC_DEV_SM80 int tc__attn80_begin(const tc_attn_config c, tc__attn80_place *at, const tc__attn80_ring *r, int n)
{
    at->k_pipe = r->k, at->v_pipe = r->v;
    at->phase = 0;
    TC_MBARRIER_WAIT(r->q_full, 0, "Q full", 0);
#pragma unroll 1
    for (; !c.mask && n >= at->w->hi && n >= at->lo; n--) tc__attn80_pass(c, at);
    return n;
}

/* No ring: Q, and the tiles of K and V that are loaded ahead, from n down; the tile that is to be loaded next. */
TC_DEV_SM80 int tc__attn80_begin_copies(const tc_attn_config c, const tc_attn_sm80_params *p, tc__attn80_place *at,
                                        int n)
{
    const tc_attn_problem *pr = &p->problem;
    const tc_attn_work *w = at->w;
    const int together = c.stages / 2, hk = at->head;
    int ahead = n, unused;
    at->k_src = tc__attn80_uniform(
        (const char *)p->k
        + ((long long)tc__attn_outer_k(pr, w) * p->k_batch + (long long)w->k_at * p->k_row + hk * p->k_head) * 2);
    at->v_src = tc__attn80_uniform(
        (const char *)p->v
        + ((long long)tc__attn_outer_k(pr, w) * p->v_batch + (long long)w->k_at * p->v_row + hk * p->v_head) * 2);
    tc__attn80_load_q(c, p, w, at->q_first);
#pragma unroll 1
    for (int i = 0; i < c.stages - together; i++) {
        if (ahead >= w->lo) {
            const tc_rows kr = tc__attn80_tile(c, c.head_dim), vr = tc__attn80_tile(c, c.head_dim_v);
            const tc__attn80_stream ks = {kr,
                                          at->k + at->fill * (uint32_t)(c.bn * kr.bytes)
                                              + tc__attn80_first_to(kr, threadIdx.x),
                                          tc__attn80_first_from(kr, threadIdx.x, (uint32_t)(p->k_row * 2)),
                                          at->k_src + ahead * p->k_tile,
                                          p->k_pass,
                                          w->k_len - ahead * c.bn};
            const tc__attn80_stream vs = {vr,
                                          at->v + at->fill * (uint32_t)(c.bn * vr.bytes)
                                              + tc__attn80_first_to(vr, threadIdx.x),
                                          tc__attn80_first_from(vr, threadIdx.x, (uint32_t)(p->v_row * 2)),
                                          at->v_src + ahead * p->v_tile,
                                          p->v_pass,
                                          w->k_len - ahead * c.bn};
            tc__attn80_fill(c, ks);
            tc__attn80_fill(c, vs);
            ahead = tc_attn_next(c, pr, w, ahead, &unused);
        }
        at->fill++;
        tc_cp_async_commit_group();
    }
    at->k_src += ahead * p->k_tile;
    at->v_src += ahead * p->v_tile;
    tc__cp_async_wait(c.stages - 2 * together);
    __syncthreads();
    return ahead;
}

/* A tile of queries, from beginning to end: by the block's own copies (p), or by a producer's (.ring: r). Tiles of keys
 * that every row sees whole have a loop of their own, without a test for a mask. */
TC_DEV_SM80 void tc__attn80_queries(const tc_attn_config c, const tc_attn_sm80_params *p, const tc__attn80_ring *r)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_attn_problem *pr = c.ring ? r->problem : &p->problem;
    const int rows = tc__attn80_rows(c), lane = tc_lane(), hold = tc__attn80_held(c);
    const int apart = TC__ATTN80_APART && !c.window && !c.mask;
    const tc__attn80_tiles tiles = tc__attn80_tiles_at(c, tc_smem_u32(tc__dynamic_smem));
    tc__attn80_place at;
    tc_attn_work w;
    float shift[8], sum[8], rounding[8];
    uint32_t held[256];
    float o[256], s[256];
    uint32_t index;
    int n, ahead, state;

    at.row = (int)tc_uniform(threadIdx.x / 32u) * rows;
    at.scale = tc_attn_scale(c, pr);
    at.p = p, at.problem = pr, at.w = &w;
    at.held = held, at.s = s, at.o = o, at.shift = shift, at.sum = sum, at.rounding = rounding;
    if (!tc_attn_work_at(c, pr, blockIdx.x, &w)) return;
    at.hi = w.hi, at.lo = w.lo;
    if (c.ring && !c.mask) tc__attn80_narrow(c, pr, at.row, &w);
    tc__attn80_uniform_work(c, &w);
    tc__attn80_zero(c, &at);
    n = tc_attn_next(c, pr, &w, c.ring ? at.hi : w.hi, &state);
    if (n >= (c.ring ? at.lo : w.lo)) {
        at.head = w.h / (pr->heads / pr->heads_kv);
        tc__attn80_addresses(c, &at, tiles, lane);
        at.use = 0;
        at.fill = 0;
        if (c.ring) n = tc__attn80_begin(c, &at, r, n);
        ahead = c.ring ? n : tc__attn80_begin_copies(c, p, &at, n);
        if (!c.ring || n >= w.lo) {
#pragma unroll
            for (int i = 0; i < hold; i++) tc__attn80_read_q(c, &at, i, held + i * rows / 4);
            for (;;) {
                const tc__attn80_tile_of_keys k = {n, state, ahead >= w.lo, 1};
                tc__attn80_step(c, &at, k);
                n = tc_attn_next(c, pr, &w, n, &state);
                if (n < w.lo) break;
                ahead = tc__attn80_forward(c, &at, ahead);
                if (apart && n < w.free_hi) break;
            }
            if (apart && n >= w.lo) {
                for (;;) {
                    const tc__attn80_tile_of_keys k = {n, state, ahead >= w.lo, 0};
                    tc__attn80_step(c, &at, k);
                    if (--n < w.lo) break;
                    ahead = tc__attn80_forward(c, &at, ahead);
                }
            }
            if (c.ring) (void)tc__attn80_forward(c, &at, 0);
        }
#pragma unroll 1
        for (; c.ring && !c.mask && n >= at.lo; n--) tc__attn80_pass(c, &at);
    }
    /* from scratch, so that nothing of it takes registers in the loop */
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(index));
    tc_attn_work_at(c, pr, index, &w);
#pragma unroll
    for (int t = 0; t < rows / 16; t++) {
        tc_attn_rows r;
        r.o = o + t * c.head_dim_v / 2;
        r.row = at.row + t * 16;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            r.max[i] = shift[2 * t + i] == TC__ATTN80_NONE ? -TC__INF : -shift[2 * t + i] / at.scale;
            r.sum[i] = sum[2 * t + i];
            r.rounding[i] = rounding[2 * t + i];
        }
        tc_attn_finish(c, pr, &w, &r);
        tc_attn_store(c, pr, &w, &r);
    }

}

/* The kernel. */
TC_DEV_SM80 void tc_attn_sm80(const tc_attn_config c, const tc_attn_sm80_params *p)
{
    tc__attn80_queries(c, p, 0);
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* The rows that one pass of copies fills lie within 2^32 bytes. */
TC_HOST tc_status tc__attn80_check_pitch(char x, int64_t row, int rows)
{
    const int64_t most = ((int64_t)1 << 31) / rows;
    return row < most ? TC_OK
                      : tc__fail(TC_ERR_SIZE, "%c_stride.row = %lld elements is above the limit of %lld", x,
                                 (long long)row, (long long)(most - 8));
}

/* As tc_gemm_sm90_launch; cluster is 1. */
typedef struct tc_attn_sm80_launch {
    unsigned grid, block, smem, cluster;
    tc_attn_sm80_params params;
} tc_attn_sm80_launch;

/* The rules for a call. */
TC_HOST tc_status tc__attn80_check(const tc_attn_config *c, const tc_attn_args *g)
{
    tc_status st = tc__attn_check(c, g);
    if (st != TC_OK || tc__attn_empty(g) || g->k_len == 0) return st;
    st = tc__attn80_check_pitch('k', tc__attn_tensor_of(c, g, 'k').s.row,
                                  tc_rows_step(tc__attn80_tile(*c, c->head_dim)));
    if (st != TC_OK) return st;
    return tc__attn80_check_pitch('v', tc__attn_tensor_of(c, g, 'v').s.row,
                                  tc_rows_step(tc__attn80_tile(*c, c->head_dim_v)));
}

/* A checked call that computes something. */
TC_HOST tc_status tc__attn80_launch(const tc_attn_config *c, const tc_attn_args *g, int sms, tc_attn_sm80_launch *l)
{
    const tc_attn_strides q = tc__attn_tensor_of(c, g, 'q').s;
    const tc_attn_strides k = tc__attn_tensor_of(c, g, 'k').s;
    const tc_attn_strides v = tc__attn_tensor_of(c, g, 'v').s;
    tc_attn_sm80_params *p = &l->params;
    const tc_status st = tc__attn_problem_make(&p->problem, c, g, sms);
    if (st != TC_OK) return st;
    p->q = g->q, p->q_batch = q.batch, p->q_row = q.row, p->q_head = q.head;
    p->k = g->k, p->k_batch = k.batch, p->k_row = k.row, p->k_head = k.head;
    p->v = g->v, p->v_batch = v.batch, p->v_row = v.row, p->v_head = v.head;
    p->k_pass = k.row * tc_rows_step(tc__attn80_tile(*c, c->head_dim)) * 2;
    p->k_tile = k.row * c->bn * 2;
    p->k_back = p->k_pass * (tc_rows_passes(tc__attn80_tile(*c, c->head_dim)) - 1) + p->k_tile;
    p->v_pass = v.row * tc_rows_step(tc__attn80_tile(*c, c->head_dim_v)) * 2;
    p->v_tile = v.row * c->bn * 2;
    p->v_back = p->v_pass * (tc_rows_passes(tc__attn80_tile(*c, c->head_dim_v)) - 1) + p->v_tile;
    l->block = (unsigned)tc_attn_sm80_threads(*c);
    l->smem = (unsigned)tc_attn_sm80_smem(*c);
    l->cluster = 1;
    l->grid = (unsigned)p->problem.blocks * (unsigned)p->problem.columns;
    return TC_OK;
}

/* tc_attn_sm80_prepare, as tc_attn_sm90_prepare. */
TC__PREPARE(attn, 80, sms, TC__ATTN_SM80_RULES)
TC__RUN(attn, 80)

#endif /* host */
#endif /* TC_ATTN_SM80_H */
