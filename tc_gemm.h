/* tc_gemm.h - tc 0.1.0 - generated GEMM kernels with your epilogue. Needs: the headers below; sm_80 to sm_120, best on sm_90a.
 *
 *     D = epi(alpha * A * B + beta * C)       A: m x k row-major; B: k x n column-major (that is n rows of k); C, D: m x n row-major
 *
 *     #include "tc.h"
 *     typedef struct { const float *bias; } my_args;
 *     TC_DEV float bias_relu(float x, int row, int col, const void *args)
 *     {
 *         return tc_relu(x + ((const my_args *)args)->bias[col]);
 *     }
 *     TC_GEMM_DEFINE(gemm_bias_relu, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_relu)
 *     ...
 *     my_args mine = { bias };
 *     tc_gemm_args args = { .m = m, .n = n, .k = k, .a = A, .lda = k, .b = B, .ldb = k, .d = D, .ldd = n,
 *                           .epi_args = &mine, .epi_size = sizeof mine };
 *     tc_status st = gemm_bias_relu_run(&args, stream);
 *
 * GENERATORS (NAME, then fields of tc_gemm_config in their order)
 *     TC_GEMM_DEFINE        one call for every device: Hopper kernels in four tiles and an sm_80 kernel; picks at run time
 *     TC_GEMM_SM90_DEFINE   TMA, wgmma, warp-specialised, persistent; sm_90a. Tile, stages, cluster, schedule are fields.
 *     TC_GEMM_SM80_DEFINE   cp.async, ldmatrix, mma.sync; sm_80 and every later target; any alignment
 *   Each declares:
 *     NAME                            the kernel (for TC_GEMM_DEFINE NAME_large, _wide, _flat, _small, _sm80)
 *     NAME_any                        TC_GEMM_SM80_DEFINE (TC_GEMM_DEFINE: NAME_sm80_any): its twin for rows of any alignment
 *     NAME_THREADS, NAME_SMEM         its block size and dynamic shared memory in bytes (not for TC_GEMM_DEFINE)
 *     tc_status NAME_can_run(const tc_gemm_args *args, const char **why)    checks only; *why (may be NULL) gets the sentence
 *     tc_status NAME_run(const tc_gemm_args *args, cudaStream_t stream)     checks, then launches
 *
 * NAME_run is asynchronous, allocates nothing, synchronises nothing, may be captured in a graph and called from any thread.
 * On error nothing is launched, D is untouched, and tc_why() names the argument, its value and the rule.
 *
 * HOOKS (plain TC_DEV functions; copy and change them). x is alpha * (A*B) + beta * C in f32; (row, col) is its place in D.
 *     .epi  = float    f(float x, int row, int col, const void *args)
 *     .epi2 = tc_f32x2 f(tc_f32x2 x, int row, int col, const void *args)    col is even, x.y belongs to col + 1; n must be even
 *     Shipped: tc_epi_bias_col _bias_row _relu _gelu _gelu_tanh _silu _scale_row _scale_col _residual_{f32,f16,bf16},
 *     and as pairs tc_epi2_bias_col _bias_gelu_tanh _residual_{f16,bf16}; activations tc_relu tc_gelu tc_gelu_tanh tc_silu.
 *     args points to a copy of *epi_args made at the call (at most TC_EPI_MAX bytes), which lies in constant memory.
 *
 * PARTS for your own kernels (tier 2)
 *     tc_ring, tc_ring_next, tc_ring_skip        position in an mbarrier ring (tc_kernel.h)
 *     tc_tiles, tc_tiles_make, tc_tile_at        which tile comes when
 *     tc_gemm_sm90_load, tc_gemm_sm90_mma        producer and consumer of one output tile's k loop
 *     tc_gemm_sm90_store                         accumulators through the hook to D
 *
 * RULES of TC_GEMM_SM90_DEFINE for the data (the sm_80 kernel has none): A, B, D, and C if beta is not 0: base a multiple of
 * 16 bytes, pitch and batch stride a multiple of 16 bytes (8 elements of 16 bits).
 *
 * Accumulation is in f32, in the order of k (with .cluster_k: the sums of its runs of k, added in their order). Two calls with
 * the same arguments on the same device give the same bits.
 */
#ifndef TC_GEMM_H
#define TC_GEMM_H

#include "tc_core.h"
#include "tc_swizzle.h"
#include "tc_mma.h"
#include "tc_tma.h"
#include "tc_wgmma.h"
#include "tc_kernel.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Configuration (compile time) and arguments (run time). An unset field takes the default that stands behind it.
 */
typedef float (*tc_epi_fn)(float x, int row, int col, const void *args);
typedef tc_f32x2 (*tc_epi2_fn)(tc_f32x2 x, int row, int col, const void *args);

enum { TC_COOPERATIVE = 1, TC_PINGPONG = 2 }; /* .schedule */
enum { TC_RASTER_M = 1, TC_RASTER_N = 2 };    /* .raster */

typedef struct tc_gemm_config {
    int a, b, d;              /* element types: a = b = TC_F16 or TC_BF16; d: TC_F16, TC_BF16, TC_F32. C has d's type. */
    int bm, bn, bk;           /* tile of D that a block computes, and the step in k (SM90: 128 256 64, SM80: 128 128 64) */
    int stages;               /* depth of the ring in shared memory (SM90: what fits, at most 12; SM80: 3) */
    int warps_m, warps_n;     /* SM80: warps along m and n (2 x 2, or 2 x 4 where bn is 256) */
    int cluster_m, cluster_n; /* SM90: blocks of a cluster, which share A and B tiles by multicast (1 x 1) */
    int cluster_k;            /* SM90: blocks of a cluster that split k of one tile and exchange their sums (1) */
    int consumers;            /* SM90: consumer warpgroups (2; 1 for a cooperative tile of 64 rows) */
    int schedule;             /* SM90: TC_COOPERATIVE: the consumers split bm; TC_PINGPONG: they alternate tiles */
    int epi_stages;           /* SM90: store buffers of a warp (2) */
    int raster, raster_group; /* order of tiles: in groups of raster_group tiles along m or n (picked by shape) */
    int epi_size;             /* sizeof of the hook's arguments; when set, a call must give just as many */
    tc_epi_fn epi;            /* hook on one element, or */
    tc_epi2_fn epi2;          /* hook on two neighbours of a row */
} tc_gemm_config;

/* One call. Sizes are elements; a pitch is the distance between rows of A, of B's columns, of C, of D. Leave batch and the
 * strides 0 for a single product; otherwise batch matrices, stride elements apart (0: the same matrix; not for d). */
typedef struct tc_gemm_args {
    int m, n, k;
    const void *a;
    int64_t lda; /* >= k */
    const void *b;
    int64_t ldb; /* >= k */
    const void *c;
    int64_t ldc; /* >= n; C is not read unless beta points to something other than 0 */
    void *d;
    int64_t ldd;              /* >= n */
    const float *alpha, *beta; /* host pointers, read during the call; NULL: 1 and 0 */
    int batch;
    int64_t stride_a, stride_b, stride_c, stride_d;
    const void *epi_args; /* host pointer to the hook's arguments, copied during the call */
    size_t epi_size;
    int pdl; /* not 0: programmatic dependent launch: may start while the kernel before it drains (Hopper kernels only) */
} tc_gemm_args;

/* ---------------------------------------------------------------------------------------------------------------------
 * The order of tiles: tile `index` of the grid to (m, n, batch). Blocks that run together should share rows of A and B in
 * L2, so the order walks `group` tiles along one dimension, then steps along the other.
 *
 *     group = 2 along m:   n ->   0 2 4 6
 *                          m      1 3 5 7
 *                          |      8 10 ...
 */
typedef struct tc_tiles {
    uint32_t m, n;     /* tiles along each dimension */
    uint32_t total;    /* m * n * batch */
    uint32_t group;    /* tiles of a group */
    uint32_t along_n;  /* 0: groups are rows of tiles, 1: columns */
} tc_tiles;

typedef struct tc_tile {
    uint32_t m, n, batch;
} tc_tile;

TC_HD tc_tile tc_tile_at(const tc_tiles *t, uint32_t index)
{
    const uint32_t outer = t->along_n ? t->n : t->m, inner = t->along_n ? t->m : t->n;
    const uint32_t area = outer * inner, batch = index / area, rest = index - batch * area;
    const uint32_t span = t->group * inner, g = rest / span, in = rest - g * span, first = g * t->group;
    const uint32_t size = outer - first < t->group ? outer - first : t->group;
    const uint32_t i = in / size, o = first + in - i * size;
    tc_tile tile;
    tile.m = t->along_n ? i : o;
    tile.n = t->along_n ? o : i;
    tile.batch = batch;
    return tile;
}

/* Tiles of m x n elements in steps of bm x bn, in an order for `width` blocks at a time. raster, group: 0 to pick: the
 * tiles in flight then cover a patch of D that is about square, which needs the fewest rows of A and B at a time. */
TC_HD tc_tiles tc_tiles_make(int m, int n, int batch, int bm, int bn, int width, int raster, int group)
{
    tc_tiles t;
    t.m = (uint32_t)((m + (int64_t)bm - 1) / bm);
    t.n = (uint32_t)((n + (int64_t)bn - 1) / bn);
    t.total = t.m * t.n * (uint32_t)batch;
    t.along_n = raster ? raster == TC_RASTER_N : t.n < t.m;
    if (group <= 0) {
        const int64_t along = t.along_n ? bn : bm, across = t.along_n ? bm : bn;
        group = 1;
        while ((int64_t)group * group * along < (int64_t)width * across) group++;
    }
    t.group = (uint32_t)group;
    return t;
}

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Activations and shipped hooks.
 */
TC_DEV float tc_relu(float x) { return x > 0.f ? x : 0.f; }

/* x * Phi(x) = max(x, 0) - |x| * erfc(|x| / sqrt 2) / 2, erfc by Abramowitz and Stegun 7.1.26: within 4e-7 * |x|. */
TC_DEV float tc_gelu(float x)
{
    const float a = fabsf(x);
    float t, e;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(t) : "f"(1.f + 0.23164189f * a));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(-0.72134752044f * a * a)); /* exp(-a^2 / 2) */
    return fmaxf(x, 0.f) - a * e * (t * (0.127414796f + t * (-0.142248368f + t * (0.7107068705f + t * (-0.7265760135f + t * 0.5307027145f)))));
}

/* The usual tanh form of GELU: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); by tanh.approx (sm_75), so within 2.5e-4 * |x|. */
TC_DEV float tc_gelu_tanh(float x)
{
    float t;
    asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(x * (0.7978845608028654f + 0.035677408136300125f * x * x)));
    return 0.5f * x + 0.5f * x * t;
}

TC_DEV float tc_silu(float x) { return __fdividef(x, 1.f + __expf(-x)); }

typedef struct tc_epi_vector { const float *v; } tc_epi_vector;              /* v: n (by column) or m (by row) floats */
typedef struct tc_epi_matrix { const void *p; long long ld; } tc_epi_matrix; /* p: m x n, row-major, pitch ld elements */

TC_DEV float tc_epi_bias_col(float x, int row, int col, const void *args)
{
    (void)row;
    return x + ((const tc_epi_vector *)args)->v[col];
}

TC_DEV float tc_epi_bias_row(float x, int row, int col, const void *args)
{
    (void)col;
    return x + ((const tc_epi_vector *)args)->v[row];
}

TC_DEV float tc_epi_scale_col(float x, int row, int col, const void *args)
{
    (void)row;
    return x * ((const tc_epi_vector *)args)->v[col];
}

TC_DEV float tc_epi_scale_row(float x, int row, int col, const void *args)
{
    (void)col;
    return x * ((const tc_epi_vector *)args)->v[row];
}

TC_DEV float tc_epi_relu(float x, int row, int col, const void *args)
{
    (void)row, (void)col, (void)args;
    return tc_relu(x);
}

TC_DEV float tc_epi_gelu(float x, int row, int col, const void *args)
{
    (void)row, (void)col, (void)args;
    return tc_gelu(x);
}

TC_DEV float tc_epi_gelu_tanh(float x, int row, int col, const void *args)
{
    (void)row, (void)col, (void)args;
    return tc_gelu_tanh(x);
}

TC_DEV float tc_epi_silu(float x, int row, int col, const void *args)
{
    (void)row, (void)col, (void)args;
    return tc_silu(x);
}

TC_DEV float tc_epi_residual_f32(float x, int row, int col, const void *args)
{
    const tc_epi_matrix *r = (const tc_epi_matrix *)args;
    return x + ((const float *)r->p)[row * r->ld + col];
}

TC_DEV float tc_epi_residual_f16(float x, int row, int col, const void *args)
{
    const tc_epi_matrix *r = (const tc_epi_matrix *)args;
    return x + tc_f32_from_f16(((const uint16_t *)r->p)[row * r->ld + col]);
}

TC_DEV float tc_epi_residual_bf16(float x, int row, int col, const void *args)
{
    const tc_epi_matrix *r = (const tc_epi_matrix *)args;
    return x + tc_f32_from_bf16(((const uint16_t *)r->p)[row * r->ld + col]);
}

/* Pair hooks: one load serves two elements. v must be 8-byte aligned; p 4-byte aligned with an even ld. */
TC_DEV tc_f32x2 tc_epi2_bias_col(tc_f32x2 x, int row, int col, const void *args)
{
    const float2 b = *(const float2 *)(((const tc_epi_vector *)args)->v + col);
    const tc_f32x2 r = {x.x + b.x, x.y + b.y};
    (void)row;
    return r;
}

TC_DEV tc_f32x2 tc_epi2_bias_gelu_tanh(tc_f32x2 x, int row, int col, const void *args)
{
    const tc_f32x2 y = tc_epi2_bias_col(x, row, col, args);
    const tc_f32x2 r = {tc_gelu_tanh(y.x), tc_gelu_tanh(y.y)};
    return r;
}

TC_DEV tc_f32x2 tc_epi2_residual_f16(tc_f32x2 x, int row, int col, const void *args)
{
    const tc_epi_matrix *m = (const tc_epi_matrix *)args;
    const uint32_t w = *(const uint32_t *)((const uint16_t *)m->p + (row * m->ld + col));
    const tc_f32x2 r = {x.x + tc_f32_from_f16((uint16_t)w), x.y + tc_f32_from_f16((uint16_t)(w >> 16))};
    return r;
}

TC_DEV tc_f32x2 tc_epi2_residual_bf16(tc_f32x2 x, int row, int col, const void *args)
{
    const tc_epi_matrix *m = (const tc_epi_matrix *)args;
    const uint32_t w = *(const uint32_t *)((const uint16_t *)m->p + (row * m->ld + col));
    const tc_f32x2 r = {x.x + tc_f32_from_bits(w << 16), x.y + tc_f32_from_bits(w & 0xffff0000u)};
    return r;
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * What both kernels' epilogues need to know, as the kernel receives it.
 */
typedef struct tc_gemm_out {
    int m, n;
    float alpha, beta;
    const void *c;
    void *d;
    long long ldc, stride_c, ldd, stride_d;
    TC_ALIGN(16) unsigned char epi[TC_EPI_MAX];
} tc_gemm_out;

/* Tensor maps have the dimensions (k or n, rows, batch). a_batched, b_batched: 0 where every batch uses the same matrix. */
typedef struct tc_gemm_sm90_params {
    tc_tmap a, b, d;
    tc_gemm_out out;
    tc_tiles tiles; /* of clusters */
    uint32_t k_blocks; /* at least 1, or cluster_k: blocks past the end of k are read as zeros */
    int k_first;       /* where k starts; past the end if k is 0 */
    uint32_t skip_slots, skip_laps; /* k_blocks modulo and divided by the ring's stages: the tile of another warpgroup */
    int a_batched, b_batched;
} tc_gemm_sm90_params;

typedef struct tc_gemm_sm80_params {
    const void *a, *b;
    long long lda, ldb, stride_a, stride_b;
    tc_gemm_out out;
    tc_tiles tiles;
    int k, word, vec; /* word: rows of A and B are aligned to 4 bytes; vec: rows of C and D to 16 */
} tc_gemm_sm80_params;

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Epilogue in registers. v: accumulators of `cols` columns by 16 rows in the layout that mma.sync and wgmma share:
 * v[4j], v[4j+1] at (row, col + 8j), (row, col + 8j + 1); v[4j+2], v[4j+3] at row + 8.
 */
TC_DEV void tc__epi_alpha(float *v, const int count, float alpha)
{
    if (alpha == 1.f) return; /* an instruction per element is not free: docs/design.md */
#pragma unroll
    for (int i = 0; i < count; i++) v[i] *= alpha;
}

/* Applies the hook to one pair of elements. Where a row or column does not exist the last one stands in: a hook is never
 * called with a place outside of D. (n is even where there is a pair hook.) inside: the columns are known to exist, which
 * spares their check and lets addresses be constants apart. */
TC_DEV void tc__epi_hook(const tc_epi_fn epi, const tc_epi2_fn epi2, const tc_gemm_out *o, float *x, int row, int col, const int inside)
{
    const int r = row < o->m ? row : o->m - 1, last = o->n - 1;
    if (epi2) {
        const tc_f32x2 in = {x[0], x[1]}, out = epi2(in, r, inside || col < last - 1 ? col : last - 1, o->epi);
        x[0] = out.x;
        x[1] = out.y;
    } else if (epi) {
        x[0] = epi(x[0], r, inside || col < last ? col : last, o->epi);
        x[1] = epi(x[1], r, inside || col + 1 < last ? col + 1 : last, o->epi);
    }
}

/* Up to 16 bytes of a row of C: `left` elements of it exist; vec: p is a multiple of 16 bytes. What does not exist reads as 0. */
TC_DEV uint4 tc__epi_get(const int size, const void *p, int left, int vec)
{
    uint32_t w[4] = {0, 0, 0, 0};
    if (vec && left >= 16 / size) return *(const uint4 *)p;
#pragma unroll
    for (int e = 0; e < 16 / size; e++) {
        if (e < left && size == 4) w[e] = ((const uint32_t *)p)[e];
        if (e < left && size == 2) w[e / 2] |= (uint32_t)((const uint16_t *)p)[e] << (e % 2 * 16);
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
}

/* The same to D: writes `left` elements at most. */
TC_DEV void tc__epi_put(const int size, void *p, uint4 v, int left, int vec)
{
    const uint32_t w[4] = {v.x, v.y, v.z, v.w};
    if (vec && left >= 16 / size) {
        *(uint4 *)p = v;
    } else {
#pragma unroll
        for (int e = 0; e < 16 / size; e++) {
            if (e < left && size == 4) ((uint32_t *)p)[e] = w[e];
            if (e < left && size == 2) ((uint16_t *)p)[e] = (uint16_t)(w[e / 2] >> (e % 2 * 16));
        }
    }
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * SM90: warp-specialised, persistent.
 *
 *     warpgroup 0       one thread of it is the producer: fills the ring with TMA, tile after tile
 *     warpgroup 1..     consumers: wgmma from the ring into registers, then hook, shared memory, TMA store
 *
 *     shared memory:    [stages][bk/64] A boxes of bm x 128 bytes | [stages][bk/64] B boxes of bn x 128 bytes
 *                       | store buffers, 16 rows each, per consumer warp | sums from the other blocks (cluster_k)
 *                       | full[stages], empty[stages], turn[consumers], sums
 *
 * A store belongs to one warp (16 rows), from stmatrix to TMA: the epilogue has no barrier wider than a warp.
 */

TC_HD TC_CONSTEXPR int tc__sm90_wg_rows(const tc_gemm_config c) { return c.schedule == TC_PINGPONG ? c.bm : c.bm / c.consumers; }
TC_HD TC_CONSTEXPR int tc__sm90_stage_bytes(const tc_gemm_config c) { return (c.bm + c.bn) * c.bk * 2; }

/* Bytes of a row of a store box: the widest swizzle whose columns divide those that a block stores. */
TC_HD TC_CONSTEXPR int tc__sm90_chunk(const tc_gemm_config c)
{
    const int row = c.bn / c.cluster_k * tc_type_bits(c.d) / 8;
    return row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : row % 32 == 0 && c.d != TC_F32 ? 32 : 0;
}

TC_HD TC_CONSTEXPR int tc__sm90_epi_bytes(const tc_gemm_config c) { return c.consumers * 4 * c.epi_stages * 16 * tc__sm90_chunk(c); }

/* With cluster_k: what the other blocks send, bm x bn / cluster_k floats from each, and the barrier that counts it. */
TC_HD TC_CONSTEXPR int tc__sm90_exchange_bytes(const tc_gemm_config c) { return (c.cluster_k - 1) * c.bm * c.bn / c.cluster_k * 4; }

TC_HD TC_CONSTEXPR int tc_gemm_sm90_smem(const tc_gemm_config c)
{
    return c.stages * (tc__sm90_stage_bytes(c) + 16) + tc__sm90_epi_bytes(c) + tc__sm90_exchange_bytes(c) + c.consumers * 8 + 8;
}

TC_HD TC_CONSTEXPR int tc_gemm_sm90_threads(const tc_gemm_config c) { return 128 * (1 + c.consumers); }

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm90_config(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.bm = c.bm ? c.bm : 128;
    c.bn = c.bn ? c.bn : 256;
    c.bk = c.bk ? c.bk : 64;
    c.cluster_m = c.cluster_m ? c.cluster_m : 1;
    c.cluster_n = c.cluster_n ? c.cluster_n : 1;
    c.cluster_k = c.cluster_k ? c.cluster_k : 1;
    c.schedule = c.schedule ? c.schedule : TC_COOPERATIVE;
    c.consumers = c.consumers ? c.consumers : c.schedule == TC_COOPERATIVE && c.bm == 64 ? 1 : 2;
    c.epi_stages = c.epi_stages ? c.epi_stages : 2;
    if (c.stages == 0 && c.bm > 0 && c.bn > 0 && c.bk > 0) {
        c.stages = (TC__SM90_SMEM_MAX - tc__sm90_epi_bytes(c) - tc__sm90_exchange_bytes(c) - c.consumers * 8 - 8) / (tc__sm90_stage_bytes(c) + 16);
        c.stages = c.stages > 12 ? 12 : c.stages;
    }
    return c;
}

#ifdef __CUDACC__

/* Shared addresses of the parts of the ring. */
TC_DEV uint32_t tc__sm90_a(const tc_gemm_config c, uint32_t smem, uint32_t stage) { return smem + stage * (uint32_t)(c.bm * c.bk * 2); }
TC_DEV uint32_t tc__sm90_b(const tc_gemm_config c, uint32_t smem, uint32_t stage)
{
    return smem + (uint32_t)(c.stages * c.bm * c.bk * 2) + stage * (uint32_t)(c.bn * c.bk * 2);
}
TC_DEV uint32_t tc__sm90_epi(const tc_gemm_config c, uint32_t smem) { return smem + (uint32_t)(c.stages * tc__sm90_stage_bytes(c)); }
TC_DEV uint32_t tc__sm90_exchange(const tc_gemm_config c, uint32_t smem) { return tc__sm90_epi(c, smem) + (uint32_t)tc__sm90_epi_bytes(c); }
TC_DEV uint32_t tc__sm90_full(const tc_gemm_config c, uint32_t smem, uint32_t stage)
{
    return tc__sm90_exchange(c, smem) + (uint32_t)tc__sm90_exchange_bytes(c) + stage * 8u;
}
TC_DEV uint32_t tc__sm90_empty(const tc_gemm_config c, uint32_t smem, uint32_t stage)
{
    return tc__sm90_full(c, smem, stage) + (uint32_t)c.stages * 8u;
}
TC_DEV uint32_t tc__sm90_turn(const tc_gemm_config c, uint32_t smem, uint32_t consumer)
{
    return tc__sm90_empty(c, smem, (uint32_t)c.stages) + consumer * 8u;
}

TC_DEV uint32_t tc__sm90_sums(const tc_gemm_config c, uint32_t smem) { return tc__sm90_turn(c, smem, (uint32_t)c.consumers); }

/* Producer, one thread: k_blocks steps, from k_first on, of one output tile whose first row, column and batch are given. In a cluster each block
 * loads its share of the A tile for the blocks of its row and of the B tile for those of its column. */
TC_DEV_SM90 void tc_gemm_sm90_load(const tc_gemm_config c, const tc_gemm_sm90_params *p, uint32_t smem, tc_ring *ring,
                                   int row, int col, int batch, uint32_t k_first, uint32_t k_blocks, uint32_t rank)
{
    const uint32_t cm = rank % (uint32_t)c.cluster_m, cn = rank / (uint32_t)c.cluster_m;
    const int a_rows = c.bm / c.cluster_n, b_rows = c.bn / c.cluster_m;
    const int a_row = row + (int)cn * a_rows, b_row = col + (int)cm * b_rows;
    const uint16_t b_mask = (uint16_t)(((1u << c.cluster_m) - 1u) << (cn * (uint32_t)c.cluster_m));
    const int a_batch = p->a_batched ? batch : 0, b_batch = p->b_batched ? batch : 0;
    uint16_t a_mask = 0;
#pragma unroll
    for (int i = 0; i < c.cluster_n; i++) a_mask |= (uint16_t)(1u << (cm + (uint32_t)(i * c.cluster_m)));

    for (uint32_t kb = k_first; kb < k_first + k_blocks; kb++) {
        const uint32_t full = tc__sm90_full(c, smem, ring->stage);
        TC_MBARRIER_WAIT(tc__sm90_empty(c, smem, ring->stage), ring->phase ^ 1u, "empty", (int)ring->stage);
        tc_mbarrier_arrive_expect_tx(full, (uint32_t)tc__sm90_stage_bytes(c));
#pragma unroll
        for (int kc = 0; kc < c.bk / 64; kc++) {
            const uint32_t a = tc__sm90_a(c, smem, ring->stage) + (uint32_t)((kc * c.bm + (int)cn * a_rows) * 128);
            const uint32_t b = tc__sm90_b(c, smem, ring->stage) + (uint32_t)((kc * c.bn + (int)cm * b_rows) * 128);
            const int k = p->k_first + (int)kb * c.bk + kc * 64;
            if (c.cluster_n > 1) tc_cp_async_bulk_tensor_3d_multicast(a, &p->a, k, a_row, a_batch, full, a_mask);
            else tc_cp_async_bulk_tensor_3d(a, &p->a, k, a_row, a_batch, full);
            if (c.cluster_m > 1) tc_cp_async_bulk_tensor_3d_multicast(b, &p->b, k, b_row, b_batch, full, b_mask);
            else tc_cp_async_bulk_tensor_3d(b, &p->b, k, b_row, b_batch, full);
        }
        tc_ring_next(ring, c.stages);
    }
}

/* Consumer: gives a slot back to every block that may write into it: those of this block's row and column. */
TC_DEV_SM90 void tc__sm90_release(const tc_gemm_config c, uint32_t smem, uint32_t stage, uint32_t rank)
{
    const uint32_t t = threadIdx.x % 128u, empty = tc__sm90_empty(c, smem, stage);
    if (c.cluster_m * c.cluster_n == 1) {
        if (t == 0) tc_mbarrier_arrive(empty);
    } else if (t < (uint32_t)(c.cluster_m + c.cluster_n - 1)) {
        const uint32_t cm = rank % (uint32_t)c.cluster_m, cn = rank / (uint32_t)c.cluster_m;
        uint32_t to = t - (uint32_t)c.cluster_m; /* index among the other blocks of the row */
        to = t < (uint32_t)c.cluster_m ? cn * (uint32_t)c.cluster_m + t : cm + (to < cn ? to : to + 1u) * (uint32_t)c.cluster_m;
        tc_mbarrier_arrive_cluster_relaxed(empty, to);
    }
}

/* Consumer, one warpgroup: the k loop of one output tile into acc. first: this warpgroup's first row within the tile.
 * k_blocks >= 1. Leaves no wgmma in flight. A slot is given back one step late, when the group that read it has surely finished.
 * next_turn: with TC_PINGPONG the barrier of the warpgroup whose tile comes next, else 0. It gets its turn as soon as this
 * one's last wgmma is issued. Turns are needed for more than order: a parity tells only neighbouring laps of the ring
 * apart, so nobody may wait for a slot while the lap before it is still to come. */
TC_DEV_SM90A void tc_gemm_sm90_mma(const tc_gemm_config c, const tc_wgmma_fn mma, uint32_t k_blocks, uint32_t smem,
                                   tc_ring *ring, float *acc, int first, uint32_t rank, uint32_t next_turn)
{
    uint32_t last = 0;
    TC_MBARRIER_WAIT(tc__sm90_full(c, smem, ring->stage), ring->phase, "full", (int)ring->stage);
    for (uint32_t kb = 0; kb < k_blocks; kb++) {
        const uint64_t da = tc_wgmma_desc(tc__sm90_a(c, smem, ring->stage) + (uint32_t)(first * 128), 128);
        const uint64_t db = tc_wgmma_desc(tc__sm90_b(c, smem, ring->stage), 128);
        const uint32_t now = ring->stage;
        int ready;
        tc_wgmma_fence();
#pragma unroll
        for (int k = 0; k < c.bk / 16; k++) {
#pragma unroll
            for (int i = 0; i < tc__sm90_wg_rows(c) / 64; i++) {
                mma(acc + i * c.bn / 2, tc_wgmma_desc_advance(da, (uint32_t)(k / 4 * c.bm * 128 + k % 4 * 32 + i * 64 * 128)),
                    tc_wgmma_desc_advance(db, (uint32_t)(k / 4 * c.bn * 128 + k % 4 * 32)), k > 0 ? 1 : kb > 0);
            }
        }
        tc_wgmma_commit_group();
        /* While the Tensor Cores work, look whether the next slot is full: what stands between the end of one group and the
         * start of the next one but one is then as short as can be. */
        tc_ring_next(ring, c.stages);
        ready = kb + 1 == k_blocks || tc_mbarrier_test_wait_parity(tc__sm90_full(c, smem, ring->stage), ring->phase);
        TC_WGMMA_WAIT_GROUP(1);
        if (kb > 0) tc__sm90_release(c, smem, last, rank);
        last = now;
        if (!ready) TC_MBARRIER_WAIT(tc__sm90_full(c, smem, ring->stage), ring->phase, "full", (int)ring->stage);
    }
    if (c.schedule == TC_PINGPONG && tc_lane() == 0) tc_mbarrier_arrive(next_turn);
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(acc, tc__sm90_wg_rows(c) / 64 * c.bn / 2);
    tc__sm90_release(c, smem, last, rank);
}

/* cluster_k: every block has a partial sum of the whole tile and keeps bn / cluster_k columns of it. Each thread sends the
 * rest to the blocks that keep them, 16 bytes at a time, where the same thread adds them up, in the order of k. The bytes
 * are counted by an mbarrier of the receiver. A block computes one tile in its life, so nothing here is used twice. */
TC_DEV_SM90 void tc__sm90_exchange_sums(const tc_gemm_config c, uint32_t smem, float *acc, uint32_t rank)
{
    const int mt = tc__sm90_wg_rows(c) / 64, part = c.bn / c.cluster_k / 2, pieces = mt * part / 4, threads = 128 * c.consumers;
    const uint32_t t = threadIdx.x - 128u, from_one = (uint32_t)(pieces * threads * 16);
#pragma unroll
    for (int to = 0; to < c.cluster_k; to++) {
        if ((uint32_t)to != rank) { /* senders before the receiver have slot rank, those behind it rank - 1 */
            const uint32_t slot = rank < (uint32_t)to ? rank : rank - 1u;
            const uint32_t at = tc_mapa(tc__sm90_exchange(c, smem) + slot * from_one + t * 16u, (uint32_t)to);
            const uint32_t bar = tc_mapa(tc__sm90_sums(c, smem), (uint32_t)to);
#pragma unroll
            for (int i = 0; i < pieces; i++) {
                const float *v = acc + i / (part / 4) * (c.bn / 2) + to * part + i % (part / 4) * 4;
                tc_st_async_v4_f32(at + (uint32_t)(i * threads * 16), v, bar);
            }
        }
    }
    TC_MBARRIER_WAIT(tc__sm90_sums(c, smem), 0, "sums", 0);
#pragma unroll
    for (int i = 0; i < pieces; i++) {
        float sum[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
        for (int from = 0; from < c.cluster_k; from++) {
            float v[4];
            if ((uint32_t)from == rank) {
#pragma unroll
                for (int me = 0; me < c.cluster_k; me++) { /* registers have constant numbers only */
                    if ((uint32_t)me == rank) {
#pragma unroll
                        for (int e = 0; e < 4; e++) v[e] = acc[i / (part / 4) * (c.bn / 2) + me * part + i % (part / 4) * 4 + e];
                    }
                }
            } else {
                const uint32_t slot = (uint32_t)from < rank ? (uint32_t)from : (uint32_t)from - 1u;
                asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                             : "r"(tc__sm90_exchange(c, smem) + slot * from_one + t * 16u + (uint32_t)(i * threads * 16))
                             : "memory");
            }
#pragma unroll
            for (int e = 0; e < 4; e++) sum[e] = from == 0 ? v[e] : sum[e] + v[e];
        }
#pragma unroll
        for (int e = 0; e < 4; e++) acc[i / (part / 4) * (c.bn / 2) + i % (part / 4) * 4 + e] = sum[e];
    }
}

/* Where this lane reads and writes in a store buffer: its row of a 16 x 16 tile for ldmatrix and stmatrix, or two floats of
 * its row for f32. The tile 16 columns on lies at ^ 32 (f32: 8 columns on), since j * 32 selects whole swizzle chunks. */
TC_DEV uint32_t tc__sm90_lane_at(const tc_gemm_config c)
{
    const int chunk = tc__sm90_chunk(c), lane = tc_lane();
    return c.d == TC_F32 ? tc_swizzle(chunk, (uint32_t)(lane / 4 * chunk + lane % 4 * 8))
                         : tc_swizzle(chunk, (uint32_t)(lane % 16 * chunk + lane / 16 * 16));
}

/* Adds beta * C to a warp's 16 rows of one chunk: C comes to the store buffer in whole rows, then to its owners. */
TC_DEV_SM90 void tc__sm90_add_c(const tc_gemm_config c, const tc_gemm_out *o, float *v, uint32_t buf, int row, int col, int batch)
{
    const int size = tc_type_bits(c.d) / 8, chunk = tc__sm90_chunk(c), per = 16 / size, cols = chunk / size;
    const uint32_t at = buf + tc__sm90_lane_at(c);
#pragma unroll 1
    for (int pass = 0; pass < chunk / 32; pass++) { /* 16 rows of chunk / 16 pieces of 16 bytes */
        const int i = tc_lane() + pass * 32, r = i / (chunk / 16), piece = i % (chunk / 16), left = o->n - col - piece * per;
        const uint4 w = tc__epi_get(size, (const char *)o->c + ((long long)batch * o->stride_c + (long long)(row + r) * o->ldc + col + piece * per) * size,
                                    row + r < o->m ? left : 0, 1);
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "r"(buf + tc_swizzle(chunk, (uint32_t)(r * chunk + piece * 16))), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w) : "memory");
    }
    __syncwarp();
    if (c.d == TC_F32) {
#pragma unroll
        for (int j = 0; j < cols / 8; j++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float x, y;
                asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "r"((at ^ (uint32_t)(j * 32)) + (uint32_t)(h * 8 * chunk)) : "memory");
                v[4 * j + 2 * h] += o->beta * x;
                v[4 * j + 2 * h + 1] += o->beta * y;
            }
        }
    } else {
#pragma unroll
        for (int j = 0; j < cols / 16; j++) {
            uint32_t w[4];
            tc_ldmatrix_x4(w, at ^ (uint32_t)(j * 32));
#pragma unroll
            for (int i = 0; i < 4; i++) {
                v[8 * j + 2 * i] += o->beta * tc__unpack(c.d, w[i]);
                v[8 * j + 2 * i + 1] += o->beta * tc__unpack(c.d, w[i] >> 16);
            }
        }
    }
    __syncwarp();
}

/* A store box that crosses the last column, by the warp: a TMA store is cut at 16 bytes, not at the last element. */
TC_DEV_SM90 void tc__sm90_store_ragged(const tc_gemm_config c, const tc_gemm_out *o, uint32_t from, int row, int col, int batch)
{
    const int size = tc_type_bits(c.d) / 8, chunk = tc__sm90_chunk(c), per = 16 / size;
#pragma unroll 1
    for (int pass = 0; pass < chunk / 32; pass++) { /* 16 rows of chunk / 16 pieces of 16 bytes */
        const int i = tc_lane() + pass * 32, r = i / (chunk / 16), piece = i % (chunk / 16), left = o->n - col - piece * per;
        char *d = (char *)o->d + ((long long)batch * o->stride_d + (long long)(row + r) * o->ldd + col + piece * per) * size;
        uint4 w;
        asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                     : "r"(from + tc_swizzle(chunk, (uint32_t)(r * chunk + piece * 16)))
                     : "memory");
        tc__epi_put(size, d, w, row + r < o->m ? left : 0, 1);
    }
}

/* Consumer, one warpgroup: acc through alpha, beta * C and the hook to D. row, col: of the warpgroup's first element.
 * buf: this warp's store buffers; *stores counts the stores of the warp, which use them in turn. */
TC_DEV_SM90 void tc_gemm_sm90_store(const tc_gemm_config c, const tc_gemm_sm90_params *p, float *acc, int row, int col,
                                    int batch, uint32_t buf, uint32_t *stores)
{
    const int chunk = tc__sm90_chunk(c), cols = chunk * 8 / tc_type_bits(c.d);
    const int group = tc__sm90_wg_rows(c) * c.bn / 128 > 128 ? 8 : cols / 2 < 32 ? cols / 2 : 32;
    const int lane = tc_lane(), g = lane / 4, q = lane % 4;
    const uint32_t lane_at = tc__sm90_lane_at(c);
    row += (int)(threadIdx.x % 128u / 32u) * 16;
#pragma unroll
    for (int i = 0; i < tc__sm90_wg_rows(c) / 64; i++) {
#pragma unroll
        for (int ch = 0; ch < c.bn / c.cluster_k / cols; ch++) {
            float *v = acc + i * c.bn / 2 + ch * cols / 2;
            const int r = row + i * 64, col0 = col + ch * cols;
            /* Only conditions that the compiler knows to be the same for the warp may stand around what follows: else it
             * takes the warp for diverged and moves the main loop's descriptors out of the uniform registers. */
            if (col0 < p->out.n) {
                const uint32_t to = buf + (*stores % (uint32_t)c.epi_stages) * (uint32_t)(16 * chunk);
                const int whole = col0 + cols <= p->out.n;
                if (lane == 0) tc__bulk_wait_read(c.epi_stages - 1);
                __syncwarp();
                tc__epi_alpha(v, cols / 2, p->out.alpha);
                if (p->out.beta != 0.f) tc__sm90_add_c(c, &p->out, v, to, r, col0, batch);
                /* Hook, then store, `group` values at a time: more of them hide more latency, where registers are left. */
#pragma unroll
                for (int from = 0; from < cols / 2; from += group) {
                    if (whole) {
#pragma unroll
                        for (int j = from; j < from + group; j += 2)
                            tc__epi_hook(c.epi, c.epi2, &p->out, v + j, r + g + j / 2 % 2 * 8, col0 + q * 2 + j / 4 * 8, 1);
                    } else {
#pragma unroll
                        for (int j = from; j < from + group; j += 2)
                            tc__epi_hook(c.epi, c.epi2, &p->out, v + j, r + g + j / 2 % 2 * 8, col0 + q * 2 + j / 4 * 8, 0);
                    }
                    if (c.d == TC_F32) {
#pragma unroll
                        for (int j = from; j < from + group; j += 2)
                            asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                                         : : "r"(((to + lane_at) ^ (uint32_t)(j / 4 * 32)) + (uint32_t)(j / 2 % 2 * 8 * chunk)), "f"(v[j]), "f"(v[j + 1]) : "memory");
                    } else {
#pragma unroll
                        for (int j = from; j < from + group; j += 8) {
                            const uint32_t w[4] = {tc__pack(c.d, v[j], v[j + 1]), tc__pack(c.d, v[j + 2], v[j + 3]),
                                                   tc__pack(c.d, v[j + 4], v[j + 5]), tc__pack(c.d, v[j + 6], v[j + 7])};
                            tc_stmatrix_x4((to + lane_at) ^ (uint32_t)(j / 8 * 32), w);
                        }
                    }
                }
                if (whole) {
                    tc_fence_proxy_async_shared();
                    __syncwarp();
                    if (lane == 0) {
                        if (r < p->out.m) tc_cp_async_bulk_tensor_3d_store(&p->d, to, col0, r, batch);
                        tc_cp_async_bulk_commit_group();
                    }
                    ++*stores;
                } else {
                    __syncwarp();
                    tc__sm90_store_ragged(c, &p->out, to, r, col0, batch);
                    __syncwarp();
                }
            }
        }
    }
}

/* The kernel. mma: the wgmma of this tile width and type. */
TC_DEV_SM90A void tc_gemm_sm90(const tc_gemm_config c, const tc_wgmma_fn mma, const tc_gemm_sm90_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t smem = tc_smem_u32(tc__dynamic_smem);
    const uint32_t blocks = (uint32_t)(c.cluster_m * c.cluster_n * c.cluster_k);
    const uint32_t rank = blocks > 1 ? tc_cluster_ctarank() : 0u;
    const uint32_t first = blockIdx.x / blocks, step = gridDim.x / blocks;
    const int cm = c.cluster_k > 1 ? 0 : (int)(rank % (uint32_t)c.cluster_m), cn = c.cluster_k > 1 ? 0 : (int)(rank / (uint32_t)c.cluster_m);
    /* this block's share of k: all of it, or one of cluster_k about equal runs */
    const uint32_t k_first = c.cluster_k > 1 ? p->k_blocks * rank / (uint32_t)c.cluster_k : 0u;
    const uint32_t k_blocks = c.cluster_k > 1 ? p->k_blocks * (rank + 1u) / (uint32_t)c.cluster_k - k_first : p->k_blocks;
    const int wg = tc_warpgroup(), many = c.bn * tc__sm90_wg_rows(c) / 128 > 160; /* accumulators that want every register */
    tc_ring ring = {0, 0};

    if (threadIdx.x == 0) {
        tc_prefetch_tensormap(&p->a);
        tc_prefetch_tensormap(&p->b);
        tc_prefetch_tensormap(&p->d);
        for (int s = 0; s < c.stages; s++) {
            tc_mbarrier_init(tc__sm90_full(c, smem, (uint32_t)s), 1);
            tc_mbarrier_init(tc__sm90_empty(c, smem, (uint32_t)s),
                             (uint32_t)((c.schedule == TC_PINGPONG ? 1 : c.consumers) * (c.cluster_m + c.cluster_n - 1)));
        }
        for (int i = 0; i < c.consumers; i++) tc_mbarrier_init(tc__sm90_turn(c, smem, (uint32_t)i), 4); /* a lane of each warp */
        if (c.cluster_k > 1) {
            tc_mbarrier_init(tc__sm90_sums(c, smem), 1);
            tc_mbarrier_arrive_expect_tx(tc__sm90_sums(c, smem), (uint32_t)tc__sm90_exchange_bytes(c));
        }
        tc_fence_mbarrier_init();
    }
    if (blocks > 1) { /* fence.mbarrier_init has released what the others must see */
        tc_cluster_arrive_relaxed();
        tc_cluster_wait();
    } else {
        __syncthreads();
    }
    tc_griddepcontrol_wait();

    if (wg == 0) {
        if (c.consumers == 2 && many) TC_SETMAXNREG_DEC(24);
        else if (c.consumers == 2) TC_SETMAXNREG_DEC(40);
        else if (c.consumers == 3) TC_SETMAXNREG_DEC(32);
        if (threadIdx.x == 0) {
            for (uint32_t i = first; i < p->tiles.total; i += step) {
                const tc_tile t = tc_tile_at(&p->tiles, i);
                tc_gemm_sm90_load(c, p, smem, &ring, ((int)t.m * c.cluster_m + cm) * c.bm,
                                  ((int)t.n * c.cluster_n + cn) * c.bn, (int)t.batch, k_first, k_blocks, c.cluster_k > 1 ? 0u : rank);
            }
            tc_griddepcontrol_launch_dependents();
        }
    } else {
        const int pingpong = c.schedule == TC_PINGPONG;
        const uint32_t turn = pingpong ? (uint32_t)(wg - 1) : 0u, turns = pingpong ? (uint32_t)c.consumers : 1u;
        const int row_in_tile = pingpong ? 0 : (wg - 1) * tc__sm90_wg_rows(c);
        const uint32_t buf = tc__sm90_epi(c, smem) + (threadIdx.x / 32u - 4u) * (uint32_t)(c.epi_stages * 16 * tc__sm90_chunk(c));
        const uint32_t my_turn = tc__sm90_turn(c, smem, turn), next_turn = tc__sm90_turn(c, smem, turn + 1u == turns ? 0u : turn + 1u);
        uint32_t stores = 0, tiles = turn == 0; /* the first warpgroup's first turn is free */
        float acc[256];
        if (c.consumers == 2 && many) TC_SETMAXNREG_INC(240);
        else if (c.consumers == 2) TC_SETMAXNREG_INC(232);
        else if (c.consumers == 3) TC_SETMAXNREG_INC(160);
        if (turn) tc_ring_skip(&ring, p->skip_slots, p->skip_laps, c.stages);
        if (turn > 1u) tc_ring_skip(&ring, p->skip_slots, p->skip_laps, c.stages);
        for (uint32_t i = first + turn * step; i < p->tiles.total; i += turns * step) {
            const tc_tile t = tc_tile_at(&p->tiles, i);
            if (pingpong) TC_MBARRIER_WAIT(my_turn, tiles++ & 1u, "turn", (int)turn);
            tc_gemm_sm90_mma(c, mma, k_blocks, smem, &ring, acc, row_in_tile, c.cluster_k > 1 ? 0u : rank, next_turn);
            if (c.cluster_k > 1) tc__sm90_exchange_sums(c, smem, acc, rank);
            tc_gemm_sm90_store(c, p, acc, ((int)t.m * c.cluster_m + cm) * c.bm + row_in_tile,
                               ((int)t.n * c.cluster_n + cn) * c.bn + (c.cluster_k > 1 ? (int)rank * (c.bn / c.cluster_k) : 0),
                               (int)t.batch, buf, &stores);
#pragma unroll
            for (uint32_t other = 1; other < turns; other++) tc_ring_skip(&ring, p->skip_slots, p->skip_laps, c.stages);
        }
        if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
    }
    /* A block's shared memory must outlive the arrivals and multicasts of its neighbours. */
    if (blocks > 1) {
        tc_cluster_arrive_relaxed();
        tc_cluster_wait();
    }
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * SM80: cp.async into a ring of swizzled tiles, ldmatrix one step ahead, mma.sync.
 *
 *     shared memory:    [stages] A: bm rows of bk * 2 bytes | [stages] B: bn rows of bk * 2 bytes; swizzle of that width
 */
TC_HD TC_CONSTEXPR int tc_gemm_sm80_threads(const tc_gemm_config c) { return 32 * c.warps_m * c.warps_n; }
TC_HD TC_CONSTEXPR int tc_gemm_sm80_smem(const tc_gemm_config c)
{
    const int ring = c.stages * (c.bm + c.bn) * c.bk * 2, epilogue = c.warps_m * 16 * (c.bn + 8 * c.warps_n) * 4;
    return ring > epilogue ? ring : epilogue;
}

/* About what a thread needs: accumulators, two sets of fragments, addresses. */
TC_HD TC_CONSTEXPR int tc__sm80_registers(const tc_gemm_config c)
{
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n;
    return wm * wn / 32 + 2 * (wm / 16 * 4 + wn / 8 * 2) + 32;
}

TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm80_config(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.bm = c.bm ? c.bm : 128;
    c.bn = c.bn ? c.bn : 128;
    c.bk = c.bk ? c.bk : 64;
    c.stages = c.stages ? c.stages : 3;
    c.warps_m = c.warps_m ? c.warps_m : 2;
    c.warps_n = c.warps_n ? c.warps_n : c.bn >= 256 ? 4 : 2;
    return c;
}

#ifdef __CUDACC__

/* One 16-byte chunk (8 elements) of a row that is not aligned to it, to shared memory; bytes of it exist. word: src is a
 * multiple of 4 bytes; otherwise element by element, through registers. */
TC_DEV_SM80 void tc__sm80_copy(int word, uint32_t dst, const char *src, int bytes)
{
    if (word) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int left = bytes - 4 * i;
            tc_cp_async_ca_4_zfill(dst + 4 * i, src + 4 * i, left < 0 ? 0 : left > 4 ? 4 : left);
        }
    } else {
        uint32_t w[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t lo = 4 * i < bytes ? *(const uint16_t *)(src + 4 * i) : 0u;
            const uint32_t hi = 4 * i + 2 < bytes ? *(const uint16_t *)(src + 4 * i + 2) : 0u;
            w[i] = lo | hi << 16;
        }
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" : : "r"(dst), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
    }
}

/* Where a thread stands in the copies of one operand: its first row and chunk, and which of its passes exist. */
typedef struct tc__sm80_source {
    const char *src; /* of the next pass */
    long long step;  /* bytes from one pass to the next */
    long long back;  /* bytes from behind the last pass of a k block to the first of the next one */
    uint32_t dst;    /* offset in a stage */
    int passes;      /* of those asked for, how many lie inside the matrix */
} tc__sm80_source;

TC_DEV_SM80 tc__sm80_source tc__sm80_source_make(const tc_gemm_config c, const void *base, long long pitch, int row, int rows, const int tile_rows)
{
    const int chunks = c.bk / 8, per_pass = tc_gemm_sm80_threads(c) / chunks;
    const int r = (int)threadIdx.x / chunks, ch = (int)threadIdx.x % chunks, left = rows - row - r;
    tc__sm80_source s;
    s.src = (const char *)base + ((long long)(row + r) * pitch + ch * 8) * 2;
    s.step = pitch * (per_pass * 2);
    s.back = c.bk * 2 - pitch * (tile_rows * 2);
    s.dst = tc_tile_offset(c.bk * 2, (uint32_t)r, (uint32_t)ch * 16u);
    s.passes = left > 0 ? (left + per_pass - 1) / per_pass : 0;
    return s;
}

/* How the copies of a tile go: every row and every k of it exists; rows are aligned to 16 bytes; or neither. */
enum { TC__SM80_WHOLE = 2, TC__SM80_ALIGNED = 1, TC__SM80_ANY = 0 };

/* Passes [from, to) of one operand's tile into a stage; bytes: how much of this thread's chunk lies inside k. The source moves
 * along with each pass: one addition, where an address from scratch would take registers' bandwidth from mma.sync. */
TC_DEV_SM80 void tc__sm80_load(const tc_gemm_config c, const int how, int word, tc__sm80_source *s, uint32_t stage, const int from, const int to,
                               const int last, int bytes)
{
    const int per_pass = tc_gemm_sm80_threads(c) / (c.bk / 8);
    if (how == TC__SM80_ANY) { /* slow anyway: keep it small */
#pragma unroll 1
        for (int i = from; i < to; i++, s->src += s->step)
            tc__sm80_copy(word, stage + s->dst + (uint32_t)(i * per_pass * c.bk * 2), s->src, i < s->passes ? bytes : 0);
    } else {
#pragma unroll
        for (int i = from; i < to; i++, s->src += s->step) {
            if (how == TC__SM80_WHOLE) tc_cp_async_cg_16(stage + s->dst + (uint32_t)(i * per_pass * c.bk * 2), s->src);
            else tc_cp_async_cg_16_zfill(stage + s->dst + (uint32_t)(i * per_pass * c.bk * 2), s->src, i < s->passes ? bytes : 0);
        }
    }
    if (to == last) s->src += s->back;
}

/* The k loop of a block's tile: acc = A * B, one warp's part of it. */
TC_DEV_SM80 void tc__sm80_mainloop(const tc_gemm_config c, const int how, const tc_gemm_sm80_params *p, tc__sm80_source *sa, tc__sm80_source *sb,
                                   uint32_t smem_a, float *acc)
{
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, mi = wm / 16, ni = wn / 8, steps = c.bk / 16, row_bytes = c.bk * 2;
    const int per_pass = tc_gemm_sm80_threads(c) / (c.bk / 8), a_passes = c.bm / per_pass, b_passes = c.bn / per_pass;
    const uint32_t smem_b = smem_a + (uint32_t)(c.stages * c.bm * row_bytes), a_stage = (uint32_t)(c.bm * row_bytes), b_stage = (uint32_t)(c.bn * row_bytes);
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm, warp_n = warp / c.warps_m * wn;
    const int blocks = (p->k + c.bk - 1) / c.bk, k_chunk = (int)threadIdx.x % (c.bk / 8) * 8;
    /* ldmatrix rows: A 16 x 16 as (rows, k half); B two n8 tiles as (n half, k half). Only the chunk moves with k, and XOR
     * with k's bits commutes with the swizzle, since k selects whole chunks. */
    const uint32_t a_at = tc_tile_offset(row_bytes, (uint32_t)(warp_m + lane % 16), (uint32_t)(lane / 16 * 16));
    const uint32_t b_at = tc_tile_offset(row_bytes, (uint32_t)(warp_n + lane % 8 + lane / 16 * 8), (uint32_t)(lane / 8 % 2 * 16));
    uint32_t fa[2][16][4], fb[2][64]; /* [buffer][tile, register]: the mmas of one step run on one buffer while ldmatrix fills the other */
    tc_ring use = {0, 0}, fill = {(uint32_t)c.stages - 1u, 0};
    int next = 0; /* k block to load */

#define TC__SM80_FRAGMENTS(buffer, stage, k)                                                                          \
    do {                                                                                                              \
        _Pragma("unroll") for (int i = 0; i < mi; i++)                                                                \
            tc_ldmatrix_x4(fa[buffer][i], smem_a + (stage) * a_stage + ((a_at ^ ((k) * 32u)) + (uint32_t)(i * 16 * row_bytes))); \
        _Pragma("unroll") for (int j = 0; j < ni; j += 2)                                                             \
            tc_ldmatrix_x4(fb[buffer] + j * 2, smem_b + (stage) * b_stage + ((b_at ^ ((k) * 32u)) + (uint32_t)(j * 8 * row_bytes))); \
    } while (0)

#pragma unroll
    for (int s = 0; s < c.stages - 1; s++) {
        if (next < blocks) {
            const int left = (p->k - next * c.bk - k_chunk) * 2, bytes = left < 0 ? 0 : left > 16 ? 16 : left;
            tc__sm80_load(c, how, p->word, sa, smem_a + (uint32_t)s * a_stage, 0, a_passes, a_passes, bytes);
            tc__sm80_load(c, how, p->word, sb, smem_b + (uint32_t)s * b_stage, 0, b_passes, b_passes, bytes);
            next++;
        }
        tc_cp_async_commit_group();
    }
    tc__cp_async_wait(c.stages - 2);
    __syncthreads();
    if (blocks > 0) TC__SM80_FRAGMENTS(0, 0u, 0u);

    for (int kb = 0; kb < blocks; kb++) {
        const int left = (p->k - next * c.bk - k_chunk) * 2, bytes = left < 0 ? 0 : left > 16 ? 16 : left;
        const uint32_t now = use.stage;
        tc_ring_next(&use, c.stages);
#pragma unroll
        for (int k = 0; k < steps; k++) {
            if (k == steps - 1) { /* the next slot is there, and all warps are done with the one that is filled next */
                tc_cp_async_commit_group();
                tc__cp_async_wait(c.stages - 2);
                __syncthreads();
                if (kb + 1 < blocks) TC__SM80_FRAGMENTS(0, use.stage, 0u);
            } else {
                TC__SM80_FRAGMENTS((k + 1) % 2, now, (uint32_t)(k + 1));
                /* the loads of one slot are spread over all steps but the last */
                if (next < blocks) {
                    tc__sm80_load(c, how, p->word, sa, smem_a + fill.stage * a_stage, a_passes * k / (steps - 1), a_passes * (k + 1) / (steps - 1),
                                  a_passes, bytes);
                    tc__sm80_load(c, how, p->word, sb, smem_b + fill.stage * b_stage, b_passes * k / (steps - 1), b_passes * (k + 1) / (steps - 1),
                                  b_passes, bytes);
                }
            }
#pragma unroll
            for (int i = 0; i < mi; i++) {
#pragma unroll
                for (int jj = 0; jj < ni; jj++) {
                    const int j = i % 2 ? ni - 1 - jj : jj; /* back and forth: B's registers stay for the turn */
                    float *d = acc + (i * ni + j) * 4;
                    if (c.a == TC_BF16) tc_mma_m16n8k16_f32_bf16(d, fa[k % 2][i], fb[k % 2] + j * 2, d);
                    else tc_mma_m16n8k16_f32_f16(d, fa[k % 2][i], fb[k % 2] + j * 2, d);
                }
            }
        }
        next++;
        tc_ring_next(&fill, c.stages);
    }
#undef TC__SM80_FRAGMENTS
}

/* 16 rows of a warp's tile from shared memory through alpha, beta * C and the hook to D, eight columns a lane. A loop, so
 * that the hook's code stands here once; columns and rows outside of D are left out, whatever the alignment. */
TC_DEV_SM80 void tc__sm80_store(const tc_gemm_config c, const tc_gemm_out *o, const float *stage, int row, int col, int batch, int vec)
{
    const int wn = c.bn / c.warps_n, size = tc_type_bits(c.d) / 8, words = size * 8 / 16;
#pragma unroll 2
    for (int i = tc_lane(); i < wn * 2; i += 32) {
        const int r = i / (wn / 8), cc = i % (wn / 8) * 8, left = o->n - col - cc;
        const float4 lo = *(const float4 *)(stage + r * (wn + 8) + cc), hi = *(const float4 *)(stage + r * (wn + 8) + cc + 4);
        float x[8] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w};
        if (row + r >= o->m || left <= 0) continue;
        tc__epi_alpha(x, 8, o->alpha);
        if (o->beta != 0.f) {
            const char *p = (const char *)o->c + ((long long)batch * o->stride_c + (long long)(row + r) * o->ldc + col + cc) * size;
#pragma unroll
            for (int w = 0; w < words; w++) {
                const uint4 q = tc__epi_get(size, p + 16 * w, left - w * 4, vec);
                const uint32_t u[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    if (size == 4) x[4 * w + e] += o->beta * tc_f32_from_bits(u[e]);
                    if (size == 2) x[2 * e] += o->beta * tc__unpack(c.d, u[e]), x[2 * e + 1] += o->beta * tc__unpack(c.d, u[e] >> 16);
                }
            }
        }
#pragma unroll
        for (int e = 0; e < 8; e += 2) tc__epi_hook(c.epi, c.epi2, o, x + e, row + r, col + cc + e, 0);
        char *d = (char *)o->d + ((long long)batch * o->stride_d + (long long)(row + r) * o->ldd + col + cc) * size;
        if (size == 4) {
            tc__epi_put(size, d, make_uint4(tc_bits_from_f32(x[0]), tc_bits_from_f32(x[1]), tc_bits_from_f32(x[2]), tc_bits_from_f32(x[3])), left, vec);
            tc__epi_put(size, d + 16, make_uint4(tc_bits_from_f32(x[4]), tc_bits_from_f32(x[5]), tc_bits_from_f32(x[6]), tc_bits_from_f32(x[7])), left - 4, vec);
        } else {
            tc__epi_put(size, d, make_uint4(tc__pack(c.d, x[0], x[1]), tc__pack(c.d, x[2], x[3]), tc__pack(c.d, x[4], x[5]), tc__pack(c.d, x[6], x[7])), left, vec);
        }
    }
}

/* The kernel. aligned (a constant): every row of A and B starts at a multiple of 16 bytes. */
TC_DEV_SM80 void tc_gemm_sm80(const tc_gemm_config c, const int aligned, const tc_gemm_sm80_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, mi = wm / 16, ni = wn / 8;
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm, warp_n = warp / c.warps_m * wn;
    const tc_tile t = tc_tile_at(&p->tiles, blockIdx.x);
    const int row0 = (int)t.m * c.bm, col0 = (int)t.n * c.bn;
    tc__sm80_source sa = tc__sm80_source_make(c, (const uint16_t *)p->a + t.batch * p->stride_a, p->lda, row0, p->out.m, c.bm);
    tc__sm80_source sb = tc__sm80_source_make(c, (const uint16_t *)p->b + t.batch * p->stride_b, p->ldb, col0, p->out.n, c.bn);
    float acc[256];

#pragma unroll
    for (int i = 0; i < mi * ni * 4; i++) acc[i] = 0.f;
    if (!aligned) tc__sm80_mainloop(c, TC__SM80_ANY, p, &sa, &sb, tc_smem_u32(tc__dynamic_smem), acc);
    else if (row0 + c.bm <= p->out.m && col0 + c.bn <= p->out.n && p->k % c.bk == 0)
        tc__sm80_mainloop(c, TC__SM80_WHOLE, p, &sa, &sb, tc_smem_u32(tc__dynamic_smem), acc);
    else tc__sm80_mainloop(c, TC__SM80_ALIGNED, p, &sa, &sb, tc_smem_u32(tc__dynamic_smem), acc);
    __syncthreads(); /* the ring is over: its memory now takes each warp's accumulators, 16 rows at a time */
    float *stage = (float *)tc__dynamic_smem + warp * 16 * (wn + 8);
#pragma unroll
    for (int i = 0; i < mi; i++) {
#pragma unroll
        for (int j = 0; j < ni * 2; j++) { /* rows of wn + 8 floats: the two halves of a store find different banks */
            const float *v = acc + i * ni * 4 + 2 * j;
            *(float2 *)(stage + (lane / 4 + j % 2 * 8) * (wn + 8) + j / 2 * 8 + lane % 4 * 2) = make_float2(v[0], v[1]);
        }
        __syncwarp();
        tc__sm80_store(c, &p->out, stage, row0 + warp_m + i * 16, col0 + warp_n, (int)t.batch, p->vec);
        __syncwarp();
    }
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * Host: checks and launches.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* Is there anything to compute? */
TC_HOST int tc__gemm_empty(const tc_gemm_args *g)
{
    const int strided = g->stride_a || g->stride_b || g->stride_c || g->stride_d;
    return g->m == 0 || g->n == 0 || (g->batch == 0 && strided);
}

TC_HOST int tc__gemm_batch(const tc_gemm_args *g) { return g->batch ? g->batch : 1; }
TC_HOST float tc__gemm_beta(const tc_gemm_args *g) { return g->beta ? *g->beta : 0.f; }

/* The rules that hold for every kernel. */
TC_HOST tc_status tc__gemm_check(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const char names[3] = {'m', 'n', 'k'};
    tc_status st;
    int i, sizes[3];
    if (!g) return tc__fail(TC_ERR_NULL, "args is null");
    sizes[0] = g->m, sizes[1] = g->n, sizes[2] = g->k;
    for (i = 0; i < 3; i++) {
        if (sizes[i] < 0) return tc__fail(TC_ERR_SIZE, "%c = %d is negative", names[i], sizes[i]);
        if (sizes[i] > 0x7fff0000) return tc__fail(TC_ERR_SIZE, "%c = %d is above the limit of %d", names[i], sizes[i], 0x7fff0000);
    }
    if (g->batch < 0) return tc__fail(TC_ERR_BATCH, "batch = %d is negative", g->batch);
    if (g->batch > 1 && g->stride_d == 0) return tc__fail(TC_ERR_BATCH, "stride_d = 0, but batch = %d products need a place each", g->batch);
    if (g->stride_a < 0 || g->stride_b < 0 || g->stride_c < 0 || g->stride_d < 0)
        return tc__fail(TC_ERR_BATCH, "stride_%c = %lld is negative", g->stride_a < 0 ? 'a' : g->stride_b < 0 ? 'b' : g->stride_c < 0 ? 'c' : 'd',
                        (long long)(g->stride_a < 0 ? g->stride_a : g->stride_b < 0 ? g->stride_b : g->stride_c < 0 ? g->stride_c : g->stride_d));
    if (g->lda < g->k) return tc__fail(TC_ERR_PITCH, "lda = %lld is less than k = %d", (long long)g->lda, g->k);
    if (g->ldb < g->k) return tc__fail(TC_ERR_PITCH, "ldb = %lld is less than k = %d", (long long)g->ldb, g->k);
    if (g->ldd < g->n) return tc__fail(TC_ERR_PITCH, "ldd = %lld is less than n = %d", (long long)g->ldd, g->n);
    if (tc__gemm_beta(g) != 0.f && g->ldc < g->n) return tc__fail(TC_ERR_PITCH, "ldc = %lld is less than n = %d", (long long)g->ldc, g->n);
    st = tc__check_hook("epi", c->epi_size, g->epi_args, g->epi_size);
    if (st != TC_OK) return st;
    if (c->epi2 && g->n % 2) return tc__fail(TC_ERR_SIZE, "n = %d is odd, but the kernel's pair hook (.epi2) needs an even n", g->n);
    if (tc__gemm_empty(g)) return TC_OK;
    if (!g->d) return tc__fail(TC_ERR_NULL, "d is null");
    if (g->k > 0 && !g->a) return tc__fail(TC_ERR_NULL, "a is null");
    if (g->k > 0 && !g->b) return tc__fail(TC_ERR_NULL, "b is null");
    if (tc__gemm_beta(g) != 0.f && !g->c) return tc__fail(TC_ERR_NULL, "c is null, but beta = %g", (double)tc__gemm_beta(g));
    if ((uintptr_t)g->d % ((size_t)tc_type_bits(c->d) / 8))
        return tc__fail(TC_ERR_ALIGN, "d = %p is not a multiple of its element's %d bytes", g->d, tc_type_bits(c->d) / 8);
    if (tc__gemm_beta(g) != 0.f && (uintptr_t)g->c % ((size_t)tc_type_bits(c->d) / 8))
        return tc__fail(TC_ERR_ALIGN, "c = %p is not a multiple of its element's %d bytes", g->c, tc_type_bits(c->d) / 8);
    if (g->k > 0 && (uintptr_t)g->a % 2) return tc__fail(TC_ERR_ALIGN, "a = %p is not a multiple of its element's 2 bytes", g->a);
    if (g->k > 0 && (uintptr_t)g->b % 2) return tc__fail(TC_ERR_ALIGN, "b = %p is not a multiple of its element's 2 bytes", g->b);
    return TC_OK;
}

/* The same in words. */
TC_HOST tc_status tc__gemm_check_tma(const char *name, const void *p, int64_t pitch, int64_t stride, int batch, int bytes)
{
    switch (tc__tma_breaks(p, pitch, stride, batch, bytes)) {
    case TC__TMA_BASE: return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of 16 bytes, as TMA needs", name, p);
    case TC__TMA_PITCH:
        return tc__fail(TC_ERR_ALIGN, "ld%s = %lld elements = %lld bytes is not a multiple of 16 bytes, as TMA needs", name,
                        (long long)pitch, (long long)(pitch * bytes));
    case TC__TMA_STRIDE:
        return tc__fail(TC_ERR_ALIGN, "stride_%s = %lld elements = %lld bytes is not a multiple of 16 bytes, as TMA needs", name,
                        (long long)stride, (long long)(stride * bytes));
    case TC__TMA_REACH:
        return tc__fail(TC_ERR_SIZE, "ld%s = %lld or stride_%s = %lld elements is 2^40 bytes or more, which TMA cannot step", name,
                        (long long)pitch, name, (long long)stride);
    default: return TC_OK;
    }
}

/* Do D, and C where it is read, keep the rules? */
TC_HOST int tc__gemm_out_fits(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const int batch = tc__gemm_batch(g), bytes = tc_type_bits(c->d) / 8;
    return tc__tma_breaks(g->d, g->ldd, g->stride_d, batch, bytes) == TC__TMA_FITS
        && (tc__gemm_beta(g) == 0.f || tc__tma_breaks(g->c, g->ldc, g->stride_c, batch, bytes) == TC__TMA_FITS);
}

TC_HOST tc_status tc__gemm_check_sm90(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const int batch = tc__gemm_batch(g), d_bytes = tc_type_bits(c->d) / 8;
    tc_status st = TC_OK;
    if (st == TC_OK && g->k > 0) st = tc__gemm_check_tma("a", g->a, g->lda, g->stride_a, batch, 2);
    if (st == TC_OK && g->k > 0) st = tc__gemm_check_tma("b", g->b, g->ldb, g->stride_b, batch, 2);
    if (st == TC_OK) st = tc__gemm_check_tma("d", g->d, g->ldd, g->stride_d, batch, d_bytes);
    if (st == TC_OK && tc__gemm_beta(g) != 0.f) st = tc__gemm_check_tma("c", g->c, g->ldc, g->stride_c, batch, d_bytes);
    return st;
}

TC_HOST tc_gemm_out tc__gemm_out(const tc_gemm_args *g)
{
    tc_gemm_out o;
    memset(&o, 0, sizeof o);
    o.m = g->m;
    o.n = g->n;
    o.alpha = g->alpha ? *g->alpha : 1.f;
    o.beta = tc__gemm_beta(g);
    o.c = g->c;
    o.ldc = g->ldc;
    o.stride_c = g->stride_c;
    o.d = g->d;
    o.ldd = g->ldd;
    o.stride_d = g->stride_d;
    if (g->epi_size) memcpy(o.epi, g->epi_args, g->epi_size);
    return o;
}

TC_HOST tc_status tc__gemm_tiles(tc_tiles *t, const tc_gemm_config *c, const tc_gemm_args *g, int bm, int bn, int width)
{
    const double total = ((double)g->m / bm + 1) * ((double)g->n / bn + 1) * tc__gemm_batch(g);
    if (total > 2e9) return tc__fail(TC_ERR_SIZE, "m = %d, n = %d, batch = %d: more than 2^31 tiles", g->m, g->n, tc__gemm_batch(g));
    *t = tc_tiles_make(g->m, g->n, tc__gemm_batch(g), bm, bn, width, c->raster, c->raster_group);
    return TC_OK;
}

/* A tensor map of `rows` rows of `cols` elements. */
TC_HOST tc_status tc__gemm_map(tc_tmap *map, const char *name, int type, const void *base, int cols, int rows, int batch, int64_t pitch,
                               int64_t stride, int box_cols, int box_rows, int swizzle)
{
    const int64_t bytes = tc_type_bits(type) / 8;
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = type;
    d.rank = 3;
    d.base = base;
    d.dim[0] = (uint64_t)cols;
    d.dim[1] = (uint64_t)rows;
    d.dim[2] = stride ? (uint64_t)batch : 1;
    d.stride[0] = (uint64_t)(pitch * bytes);
    d.stride[1] = (uint64_t)(stride ? stride * bytes : 16);
    d.box[0] = (uint32_t)box_cols;
    d.box[1] = (uint32_t)box_rows;
    d.box[2] = 1;
    d.swizzle = swizzle;
    d.l2_promotion = 256;
    return tc__tmap_named(map, name, &d);
}

/* Checks, and with launch != 0 runs. */
TC_HOST tc_status tc__gemm_sm90_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *g, cudaStream_t stream, int launch)
{
    tc_gemm_sm90_params p;
    tc_status st = tc__gemm_check(c, g);
    int clusters = 0, batch;
    uint32_t run;
    if (st != TC_OK || tc__gemm_empty(g)) return st;
    st = tc__gemm_check_sm90(c, g);
    if (st == TC_OK) st = tc__kernel_device(k, &clusters);
    if (st != TC_OK) return st;
    batch = tc__gemm_batch(g);
    st = tc__gemm_tiles(&p.tiles, c, g, c->bm * c->cluster_m, c->bn * c->cluster_n, clusters);
    if (st != TC_OK || !launch) return st;
    p.out = tc__gemm_out(g);
    p.k_blocks = ((uint32_t)g->k + (uint32_t)c->bk - 1) / (uint32_t)c->bk;
    if (p.k_blocks < (uint32_t)c->cluster_k) p.k_blocks = (uint32_t)c->cluster_k;
    p.skip_slots = p.k_blocks % (uint32_t)c->stages;
    p.skip_laps = p.k_blocks / (uint32_t)c->stages;
    p.k_first = g->k ? 0 : 1 << 20; /* past the row that the maps below then have */
    p.a_batched = g->k && g->stride_a != 0;
    p.b_batched = g->k && g->stride_b != 0;
    st = tc__gemm_map(&p.d, "d", c->d, g->d, g->n, g->m, batch, g->ldd, g->stride_d, tc__sm90_chunk(*c) * 8 / tc_type_bits(c->d), 16,
                      tc__sm90_chunk(*c));
    /* with k = 0 A and B may be anything: maps of 8 elements of D, of which nothing is read */
    if (st == TC_OK) st = tc__gemm_map(&p.a, "a", c->a, g->k ? g->a : g->d, g->k ? g->k : 8, g->k ? g->m : 1, g->k ? batch : 1, g->k ? g->lda : 8,
                                       g->k ? g->stride_a : 0, 64, c->bm / c->cluster_n, 128);
    if (st == TC_OK) st = tc__gemm_map(&p.b, "b", c->b, g->k ? g->b : g->d, g->k ? g->k : 8, g->k ? g->n : 1, g->k ? batch : 1, g->k ? g->ldb : 8,
                                       g->k ? g->stride_b : 0, 64, c->bn / c->cluster_m, 128);
    if (st != TC_OK) return st;
    run = p.tiles.total < (uint32_t)clusters || c->cluster_k > 1 ? p.tiles.total : (uint32_t)clusters;
    return tc__kernel_launch(k, run * (unsigned)k->cluster, &p, g->pdl, stream);
}

/* 1 if every row of A and B starts at a multiple of `bytes` bytes. */
TC_HOST int tc__gemm_rows_aligned(const tc_gemm_args *g, int bytes)
{
    const int batched = tc__gemm_batch(g) > 1;
    const uint64_t bits = (uint64_t)(uintptr_t)g->a | (uint64_t)(uintptr_t)g->b | (uint64_t)g->lda * 2 | (uint64_t)g->ldb * 2
                        | (batched ? (uint64_t)g->stride_a * 2 | (uint64_t)g->stride_b * 2 : 0);
    return bits % (uint64_t)bytes == 0;
}

/* k: the kernel for rows aligned to 16 bytes, and the one for any. */
TC_HOST tc_status tc__gemm_sm80_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *g, cudaStream_t stream, int launch)
{
    tc_gemm_sm80_params p;
    tc_status st = tc__gemm_check(c, g);
    const tc__kernel *use;
    int sms = 0;
    if (st != TC_OK || tc__gemm_empty(g)) return st;
    use = k + (g->k > 0 && !tc__gemm_rows_aligned(g, 16));
    st = tc__kernel_device(use, &sms);
    if (st == TC_ERR_IMAGE && use == k) st = tc__kernel_device(++use, &sms);
    if (st != TC_OK) return st;
    st = tc__gemm_tiles(&p.tiles, c, g, c->bm, c->bn, sms);
    if (st != TC_OK || !launch) return st;
    p.a = g->a;
    p.b = g->b;
    p.lda = g->lda;
    p.ldb = g->ldb;
    p.stride_a = g->stride_a;
    p.stride_b = g->stride_b;
    p.out = tc__gemm_out(g);
    p.k = g->k;
    p.word = tc__gemm_rows_aligned(g, 4);
    p.vec = tc__gemm_out_fits(c, g);
    return tc__kernel_launch(use, p.tiles.total, &p, g->pdl, stream);
}

/* Which of TC_GEMM_DEFINE's tiles a call takes, or -1 for the sm_80 kernel: the one whose busiest SM computes the least area,
 * weighted by what a unit of area was measured to cost in that tile. */
TC_HOST int tc__gemm_pick(const tc_gemm_config *tiles, const tc_gemm_args *g)
{
    static const double cost[4] = {1.0, 1.0, 1.1, 1.2}; /* larger tiles move fewer bytes per product; from bench/results/tune.txt */
    int device, sms = 0, i, best = -1;
    double best_time = 0;
    const int batch = g ? tc__gemm_batch(g) : 1;
    if (!g || g->m <= 0 || g->n <= 0 || !tc__gemm_out_fits(&tiles[0], g)
        || (g->k && (tc__tma_breaks(g->a, g->lda, g->stride_a, batch, 2) || tc__tma_breaks(g->b, g->ldb, g->stride_b, batch, 2))))
        return -1; /* the sm_80 kernel takes it, or says what is wrong with it */
    if (!tc__on_hopper() || cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess || sms < 2)
        return -1;
    for (i = 0; i < 4; i++) {
        const tc_gemm_config *c = &tiles[i];
        const int64_t m_tiles = ((int64_t)g->m + c->bm * c->cluster_m - 1) / (c->bm * c->cluster_m) * c->cluster_m, n_tiles = ((int64_t)g->n + c->bn - 1) / c->bn;
        const int64_t total = m_tiles * n_tiles * batch, per_sm = (total + sms - 1) / sms;
        const double time = (double)per_sm * c->bm * c->bn * cost[i];
        if (best < 0 || time < best_time) best = i, best_time = time;
    }
    return best;
}

#endif /* host */

/* =====================================================================================================================
 * Generators. Each is thin: it makes the configuration a constant, checks it in words, and names the functions.
 */
#ifdef __CUDACC__

/* The first assertion always holds: it is there to be printed, with this line, when a hook does not fit. */
#define TC__GEMM_CONFIG(name, complete, ...)                                                                          \
    static_assert(true, "tc: a hook is a TC_DEV function: .epi = float f(float x, int row, int col, const void *args), "  \
                        ".epi2 = tc_f32x2 f(tc_f32x2 x, int row, int col, const void *args)");                        \
    TC_HD constexpr tc_gemm_config name##_config(void) { return complete(tc_gemm_config{__VA_ARGS__}); }              \
    TC_DEV void name##__a_hook_is_a_TC_DEV_function(void)                                                             \
    {                                                                                                                 \
        constexpr tc_epi_fn epi = name##_config().epi ? name##_config().epi : tc_epi_relu;                            \
        constexpr tc_epi2_fn epi2 = name##_config().epi2 ? name##_config().epi2 : tc_epi2_bias_col;                   \
        (void)epi(0.f, 0, 0, 0), (void)epi2(tc_f32x2{0.f, 0.f}, 0, 0, 0);                                             \
    }

/* Never runs. A direct call of the hook makes nvcc name that function, and with it the rule, when the hook is a host function. */
#define TC__GEMM_HOOK(name) if (false) name##__a_hook_is_a_TC_DEV_function();

#define TC__GEMM_CHECK_COMMON(c)                                                                                      \
    static_assert((c).a == TC_F16 || (c).a == TC_BF16, "tc: .a must be TC_F16 or TC_BF16");                           \
    static_assert((c).b == (c).a, "tc: .b must be the type of .a");                                                   \
    static_assert((c).d == TC_F16 || (c).d == TC_BF16 || (c).d == TC_F32, "tc: .d must be TC_F16, TC_BF16 or TC_F32"); \
    static_assert(!((c).epi && (c).epi2), "tc: give .epi or .epi2, not both");                                        \
    static_assert((c).epi_size >= 0 && (c).epi_size <= TC_EPI_MAX, "tc: .epi_size must be in 0..TC_EPI_MAX");         \
    static_assert((c).raster_group >= 0 && (c).raster >= 0 && (c).raster <= TC_RASTER_N, "tc: .raster must be TC_RASTER_M or TC_RASTER_N, .raster_group >= 0");

#define TC__GEMM_CHECK_SM90(c)                                                                                        \
    TC__GEMM_CHECK_COMMON(c)                                                                                          \
    static_assert((c).schedule == TC_COOPERATIVE || (c).schedule == TC_PINGPONG, "tc: .schedule must be TC_COOPERATIVE or TC_PINGPONG"); \
    static_assert((c).consumers >= 1 && (c).consumers <= 3, "tc: .consumers must be 1, 2 or 3 warpgroups");           \
    static_assert((c).bm > 0 && tc__sm90_wg_rows(c) % 64 == 0 && (c).bm % tc__sm90_wg_rows(c) == 0,                   \
                  "tc: .bm must be a multiple of 64 rows for each consumer warpgroup (64 * consumers if cooperative)"); \
    static_assert((c).bn > 0 && (c).bn <= 256 && (c).bn % 16 == 0,                           \
                  "tc: .bn must be a multiple of 16 in 16..256");                                \
    static_assert((c).bk > 0 && (c).bk % 64 == 0, "tc: .bk must be a multiple of 64");                                \
    static_assert(tc__sm90_wg_rows(c) * (c).bn / 128 <= ((c).consumers == 3 ? 96 : 208),                             \
                  "tc: too many accumulators: rows of a warpgroup * .bn / 128 must be at most 208 (96 for 3 consumers)"); \
    static_assert((c).cluster_m >= 1 && (c).cluster_n >= 1 && (c).cluster_m * (c).cluster_n <= 8, "tc: .cluster_m * .cluster_n must be in 1..8"); \
    static_assert((c).bm % (8 * (c).cluster_n) == 0 && (c).bn % (8 * (c).cluster_m) == 0,                             \
                  "tc: .bm must divide by 8 * .cluster_n and .bn by 8 * .cluster_m");                                 \
    static_assert((c).cluster_k == 1 || ((c).cluster_k >= 2 && (c).cluster_k <= 4 && (c).cluster_m * (c).cluster_n == 1 && (c).schedule == TC_COOPERATIVE \
                      && (c).bn % (16 * (c).cluster_k) == 0), "tc: .cluster_k must be in 1..4, with a cooperative schedule, no other cluster, and .bn a multiple of 16 * .cluster_k"); \
    static_assert((c).bm / (c).cluster_n <= 256, "tc: .bm / .cluster_n must be at most 256, a tensor map's box");     \
    static_assert((c).epi_stages >= 1 && (c).epi_stages <= 4, "tc: .epi_stages must be in 1..4");                     \
    static_assert((c).stages >= 2 && tc_gemm_sm90_smem(c) <= TC__SM90_SMEM_MAX,                                       \
                  "tc: .stages must be 2 or more, and tiles * .stages plus store buffers fit in 227 KB of shared memory");

#define TC__GEMM_CHECK_SM80(c)                                                                                        \
    TC__GEMM_CHECK_COMMON(c)                                                                                          \
    static_assert((c).bk == 32 || (c).bk == 64, "tc: .bk must be 32 or 64");                                          \
    static_assert((c).warps_m >= 1 && (c).warps_n >= 1 && (c).warps_m * (c).warps_n <= 16, "tc: .warps_m * .warps_n must be in 1..16"); \
    static_assert((c).bm > 0 && (c).bm % (16 * (c).warps_m) == 0, "tc: .bm must be a multiple of 16 * .warps_m");     \
    static_assert((c).bn > 0 && (c).bn % (16 * (c).warps_n) == 0, "tc: .bn must be a multiple of 16 * .warps_n");     \
    static_assert((c).bm % (tc_gemm_sm80_threads(c) / ((c).bk / 8)) == 0 && (c).bn % (tc_gemm_sm80_threads(c) / ((c).bk / 8)) == 0, \
                  "tc: .bm and .bn must be multiples of threads / (.bk / 8), the rows that one pass of copies fills"); \
    static_assert(tc__sm80_registers(c) <= 255 && tc__sm80_registers(c) * tc_gemm_sm80_threads(c) <= 65536,           \
                  "tc: a warp's tile (.bm / .warps_m x .bn / .warps_n) needs more registers than a thread can have: 64 x 64 is the most, less with more than 8 warps"); \
    static_assert((c).stages >= 2 && (c).stages <= 6 && tc_gemm_sm80_smem(c) <= TC__SM90_SMEM_MAX,                    \
                  "tc: .stages must be in 2..6, and tiles * .stages fit in 227 KB of shared memory");

/* On Hopper TC_GEMM_DEFINE takes its sm_80 kernel for rows that TMA refuses, so that the one for aligned rows need not be
 * compiled there; tc__gemm_sm80_run falls back to the one for any. */
#if TC_HAS_SM80 && (!TC_HAS_SM90A || !defined(__CUDA_ARCH__))
#define TC__FAST_SM80_BOUND(threads) threads
#define TC__IF_FAST_SM80(...) __VA_ARGS__
#else
#define TC__FAST_SM80_BOUND(threads) 32
#define TC__IF_FAST_SM80(...)
#endif

#define TC__GEMM_SM90_BODY(config)                                                                                    \
    constexpr tc_gemm_config c = config();                                                                            \
    constexpr tc_wgmma_fn mma = tc_wgmma_pick_f32(c.bn, c.a);                                                         \
    tc_gemm_sm90(c, mma, &p);

/* Only one block of this size fits an SM: the bound of 1 lets setmaxnreg work and gives the compiler the registers. */
#define TC__GEMM_SM90_KERNEL(name)                                                                                    \
    TC__KERNEL __launch_bounds__(TC__SM90_BOUND(tc_gemm_sm90_threads(name##_config())), 1)                            \
        name(const __grid_constant__ tc_gemm_sm90_params p)

#define TC__GEMM_SM80_KERNEL(name, suffix, bound, ...)                                                                \
    TC__KERNEL __launch_bounds__(bound(tc_gemm_sm80_threads(name##_config())), 1)                                     \
        name##suffix(const __grid_constant__ tc_gemm_sm80_params p) { __VA_ARGS__ }

/* See the top of this file. */
#define TC_GEMM_SM90_DEFINE(name, ...)                                                                                \
    TC__GEMM_CONFIG(name, tc_gemm_sm90_config, __VA_ARGS__)                                                           \
    TC__GEMM_CHECK_SM90(name##_config())                                                                              \
    enum { name##_THREADS = tc_gemm_sm90_threads(name##_config()), name##_SMEM = tc_gemm_sm90_smem(name##_config()) }; \
    TC__GEMM_SM90_KERNEL(name) { TC__SM90_STRICT(TC__GEMM_HOOK(name) TC__GEMM_SM90_BODY(name##_config)) }                                                  \
    TC__HOST_PART(TC__GEMM_SM90_HOST(name) TC__ENTRIES(name, tc_gemm_args))

#define TC__GEMM_SM90_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_gemm_args *args, cudaStream_t stream, int launch)                           \
    {                                                                                                                 \
        static tc__kernel_cache cache;                                                                                  \
        const tc_gemm_config c = name##_config();                                                                     \
        const tc__kernel k = {(const void *)name, #name, tc_gemm_sm90_threads(c), tc_gemm_sm90_smem(c),          \
                                   c.cluster_m * c.cluster_n * c.cluster_k, 90, &cache};                                            \
        return tc__gemm_sm90_run(&c, &k, args, stream, launch);                                                       \
    }

#define TC_GEMM_SM80_DEFINE(name, ...)                                                                                \
    TC__GEMM_CONFIG(name, tc_gemm_sm80_config, __VA_ARGS__)                                                           \
    TC__GEMM_CHECK_SM80(name##_config())                                                                              \
    enum { name##_THREADS = tc_gemm_sm80_threads(name##_config()), name##_SMEM = tc_gemm_sm80_smem(name##_config()) }; \
    TC__GEMM_SM80_KERNEL(name, , TC__SM80_BOUND, TC__GEMM_HOOK(name) constexpr tc_gemm_config c = name##_config(); tc_gemm_sm80(c, 1, &p);)               \
    TC__GEMM_SM80_KERNEL(name, _any, TC__SM80_BOUND, constexpr tc_gemm_config c = name##_config(); tc_gemm_sm80(c, 0, &p);)           \
    TC__HOST_PART(TC__GEMM_SM80_HOST(name) TC__ENTRIES(name, tc_gemm_args))

#define TC__GEMM_SM80_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_gemm_args *args, cudaStream_t stream, int launch)                           \
    {                                                                                                                 \
        static tc__kernel_cache cache[2];                                                                               \
        const tc_gemm_config c = name##_config();                                                                     \
        const tc__kernel k[2] = {                                                                                \
            {(const void *)name, #name, tc_gemm_sm80_threads(c), tc_gemm_sm80_smem(c), 1, 80, &cache[0]},             \
            {(const void *)name##_any, #name "_any", tc_gemm_sm80_threads(c), tc_gemm_sm80_smem(c), 1, 80, &cache[1]}}; \
        return tc__gemm_sm80_run(&c, k, args, stream, launch);                                                        \
    }

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: the tiles it defines, from one list. Types and hooks come from the user, everything else from here.
 */
TC_HD constexpr tc_gemm_config tc__gemm_tile(const tc_gemm_config given, int bm, int bn, int cluster_m, int schedule)
{
    tc_gemm_config c = given;
    c.bm = bm;
    c.bn = bn;
    c.cluster_m = cluster_m;
    c.schedule = schedule;
    return tc_gemm_sm90_config(c);
}
TC_HD constexpr tc_gemm_config tc__gemm_large(const tc_gemm_config c) { return tc__gemm_tile(c, 128, 192, 2, TC_PINGPONG); }
TC_HD constexpr tc_gemm_config tc__gemm_wide(const tc_gemm_config c) { return tc__gemm_tile(c, 128, 128, 1, TC_PINGPONG); }
TC_HD constexpr tc_gemm_config tc__gemm_flat(const tc_gemm_config c) { return tc__gemm_tile(c, 64, 192, 2, TC_PINGPONG); }
TC_HD constexpr tc_gemm_config tc__gemm_small(const tc_gemm_config c) { return tc__gemm_tile(c, 64, 128, 2, TC_COOPERATIVE); }

#define TC__GEMM_CHECK_AUTO(c)                                                                                        \
    static_assert(!(c).bm && !(c).bn && !(c).bk && !(c).stages && !(c).warps_m && !(c).warps_n && !(c).cluster_m && !(c).cluster_n && !(c).cluster_k \
                  && !(c).consumers && !(c).schedule && !(c).epi_stages && !(c).raster && !(c).raster_group,          \
                  "tc: TC_GEMM_DEFINE picks tiles and schedules itself; to choose them use TC_GEMM_SM90_DEFINE or TC_GEMM_SM80_DEFINE");

/* Types and hooks only. */
TC_HD constexpr tc_gemm_config tc__gemm_as_given(const tc_gemm_config c) { return c; }

#define TC_GEMM_DEFINE(name, ...)                                                                                     \
    TC__GEMM_CONFIG(name, tc__gemm_as_given, __VA_ARGS__)                                                             \
    TC__GEMM_CHECK_AUTO(name##_config())                                                                              \
    TC__GEMM_CHECK_COMMON(name##_config())                                                                            \
    TC__GEMM_AUTO_SM90(name, large) TC__GEMM_AUTO_SM90(name, wide)                                                     \
    TC__GEMM_AUTO_SM90(name, flat) TC__GEMM_AUTO_SM90(name, small)                                                    \
    TC_HD constexpr tc_gemm_config name##_sm80_config(void) { return tc_gemm_sm80_config(name##_config()); }          \
    TC__GEMM_SM80_KERNEL(name##_sm80, , TC__FAST_SM80_BOUND, TC__IF_FAST_SM80(TC__GEMM_HOOK(name) constexpr tc_gemm_config c = name##_sm80_config(); tc_gemm_sm80(c, 1, &p);)) \
    TC__GEMM_SM80_KERNEL(name##_sm80, _any, TC__SM80_BOUND, TC__IF_SM80(constexpr tc_gemm_config c = name##_sm80_config(); tc_gemm_sm80(c, 0, &p);)) \
    TC__HOST_PART(TC__GEMM_SM80_HOST(name##_sm80) TC__GEMM_AUTO_HOST(name) TC__ENTRIES(name, tc_gemm_args))

#define TC__GEMM_AUTO_SM90(name, tile)                                                                                \
    TC_HD constexpr tc_gemm_config name##_##tile##_config(void) { return tc__gemm_##tile(name##_config()); }          \
    TC__GEMM_SM90_KERNEL(name##_##tile) { TC__IF_SM90A(TC__GEMM_HOOK(name) TC__GEMM_SM90_BODY(name##_##tile##_config)) }                  \
    TC__HOST_PART(TC__GEMM_SM90_HOST(name##_##tile))

#define TC__GEMM_AUTO_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_gemm_args *args, cudaStream_t stream, int launch)                           \
    {                                                                                                                 \
        const tc_gemm_config tiles[4] = {name##_large_config(), name##_wide_config(), name##_flat_config(), name##_small_config()}; \
        switch (tc__gemm_pick(tiles, args)) {                                                                         \
        case 0: return name##_large__go(args, stream, launch);                                                        \
        case 1: return name##_wide__go(args, stream, launch);                                                         \
        case 2: return name##_flat__go(args, stream, launch);                                                         \
        case 3: return name##_small__go(args, stream, launch);                                                        \
        default: return name##_sm80__go(args, stream, launch);                                                        \
        }                                                                                                             \
    }

#endif /* __CUDACC__ */
#endif /* TC_GEMM_H */
