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
 *     TC_GEMM_DEFINE        one call for every device: Hopper kernels in three tiles and an sm_80 kernel; picks at run time
 *     TC_GEMM_SM90_DEFINE   TMA, wgmma, warp-specialised, persistent; sm_90a. Tile, stages, cluster, schedule are fields.
 *     TC_GEMM_SM80_DEFINE   cp.async, ldmatrix, mma.sync; sm_80 and every later target; any alignment
 *   Each declares:
 *     NAME                            the kernel (for TC_GEMM_DEFINE NAME_sm80, NAME_large, _wide, _small)
 *     NAME_THREADS, NAME_SMEM         its block size and dynamic shared memory in bytes
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
 *     tc_ring, tc_ring_next, tc_ring_advance     position in an mbarrier ring
 *     tc_tiles, tc_tiles_make, tc_tile_at        which tile comes when
 *     tc_gemm_sm90_load, tc_gemm_sm90_mma        producer and consumer of one output tile's k loop
 *     tc_gemm_sm90_store                         accumulators through the hook to D
 *
 * RULES of TC_GEMM_SM90_DEFINE for the data (the sm_80 kernel has none): A, B, D, and C if beta is not 0: base a multiple of
 * 16 bytes, pitch and batch stride a multiple of 16 bytes (8 elements of 16 bits).
 *
 * Accumulation is in f32, in the order of k. The result of a call does not depend on the schedule of the device.
 */
#ifndef TC_GEMM_H
#define TC_GEMM_H

#include "tc_core.h"
#include "tc_swizzle.h"
#include "tc_mma.h"
#include "tc_tma.h"
#include "tc_wgmma.h"

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
    int stages;               /* depth of the ring in shared memory (SM90: what fits; SM80: 3) */
    int warps_m, warps_n;     /* SM80: warps along m and n (2 x 2, or 2 x 4 where bn is 256) */
    int cluster_m, cluster_n; /* SM90: blocks of a cluster, which share A and B tiles by multicast (1 x 1) */
    int consumers;            /* SM90: consumer warpgroups (2) */
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
    int pdl; /* not 0: programmatic dependent launch: may start while the kernel before it in the stream drains */
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

/* x * Phi(x), by erf: within 2e-7 * |x| of the exact value. */
TC_DEV float tc_gelu(float x) { return 0.5f * x * (1.f + erff(x * 0.70710678118654752f)); }

/* The usual tanh form of GELU: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); tanh.approx, relative error 2^-11 (sm_75). */
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
    uint32_t k_blocks;
    int a_batched, b_batched;
} tc_gemm_sm90_params;

/* pair: D and C may be accessed two elements at a time. */
typedef struct tc_gemm_sm80_params {
    const void *a, *b;
    long long lda, ldb, stride_a, stride_b;
    tc_gemm_out out;
    tc_tiles tiles;
    int k, pair, word; /* word: A and B rows are 4-byte aligned */
} tc_gemm_sm80_params;

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Epilogue in registers. v: accumulators of `cols` columns by 16 rows in the layout that mma.sync and wgmma share:
 * v[4j], v[4j+1] at (row, col + 8j), (row, col + 8j + 1); v[4j+2], v[4j+3] at row + 8. Applies alpha, beta * C and the hook.
 * limit: columns at and past it do not exist; INT_MAX when all do, and the checks fold away. pair: see above.
 */
TC_DEV float tc__c_load(const int type, const void *c, long long i)
{
    return type == TC_F32    ? ((const float *)c)[i]
         : type == TC_BF16   ? tc_f32_from_bf16(((const uint16_t *)c)[i])
                             : tc_f32_from_f16(((const uint16_t *)c)[i]);
}

TC_DEV tc_f32x2 tc__c_load_pair(const int type, const void *c, long long i)
{
    tc_f32x2 r;
    if (type == TC_F32) {
        const float2 w = *(const float2 *)((const float *)c + i);
        r.x = w.x, r.y = w.y;
    } else {
        const uint32_t w = *(const uint32_t *)((const uint16_t *)c + i);
        r.x = type == TC_BF16 ? tc_f32_from_bits(w << 16) : tc_f32_from_f16((uint16_t)w);
        r.y = type == TC_BF16 ? tc_f32_from_bits(w & 0xffff0000u) : tc_f32_from_f16((uint16_t)(w >> 16));
    }
    return r;
}

TC_DEV void tc__epi_apply(const tc_gemm_config c, const tc_gemm_out *o, float *v, const int cols, const int limit,
                          int row, int col, uint32_t batch, const int pair)
{
    /* Rows past the end are computed again as the last one: a hook is never called with a place that does not exist. */
    const int rows[2] = {row < o->m ? row : o->m - 1, row + 8 < o->m ? row + 8 : o->m - 1};
#pragma unroll
    for (int i = 0; i < cols / 2; i++) v[i] *= o->alpha;
    if (o->beta != 0.f) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const long long base = (long long)batch * o->stride_c + (long long)rows[h] * o->ldc + col;
#pragma unroll
            for (int j = 0; j < cols / 8; j++) {
                float *x = v + 4 * j + 2 * h;
                if (pair && col + 8 * j + 1 < limit) {
                    const tc_f32x2 w = tc__c_load_pair(c.d, o->c, base + 8 * j);
                    x[0] += o->beta * w.x;
                    x[1] += o->beta * w.y;
                } else {
                    if (col + 8 * j < limit) x[0] += o->beta * tc__c_load(c.d, o->c, base + 8 * j);
                    if (col + 8 * j + 1 < limit) x[1] += o->beta * tc__c_load(c.d, o->c, base + 8 * j + 1);
                }
            }
        }
    }
    if (c.epi2 || c.epi) {
#pragma unroll
        for (int j = 0; j < cols / 8; j++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float *x = v + 4 * j + 2 * h;
                if (c.epi2) {
                    /* n is even here, so the last pair that exists starts at limit - 2 */
                    const int at = col + 8 * j < limit - 2 ? col + 8 * j : limit - 2;
                    const tc_f32x2 in = {x[0], x[1]};
                    const tc_f32x2 out = c.epi2(in, rows[h], limit == 0x7fffffff ? col + 8 * j : at, o->epi);
                    x[0] = out.x;
                    x[1] = out.y;
                } else {
#pragma unroll
                    for (int e = 0; e < 2; e++) {
                        const int at = col + 8 * j + e;
                        x[e] = c.epi(x[e], rows[h], limit == 0x7fffffff || at < limit ? at : limit - 1, o->epi);
                    }
                }
            }
        }
    }
}

/* Two f32 to two 16-bit elements of type. */
TC_DEV_SM80 uint32_t tc__pack(const int type, float x, float y) { return type == TC_BF16 ? tc_bf16x2(x, y) : tc_f16x2(x, y); }

/* The same accumulators, finished, from registers to D. Writes nothing outside of it. */
TC_DEV_SM80 void tc__epi_write(const tc_gemm_config c, const tc_gemm_out *o, const float *v, const int cols, int row, int col, uint32_t batch,
                               int pair)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const long long at = (long long)batch * o->stride_d + (long long)(row + 8 * h) * o->ldd + col;
        if (row + 8 * h < o->m) {
#pragma unroll
            for (int j = 0; j < cols / 8; j++) {
                const float x = v[4 * j + 2 * h], y = v[4 * j + 2 * h + 1];
                const int here = o->n - col - 8 * j; /* columns left: 0 or less, 1, 2 or more */
                if (c.d == TC_F32) {
                    float *d = (float *)o->d + at + 8 * j;
                    if (pair && here > 1) {
                        *(float2 *)d = make_float2(x, y);
                    } else {
                        if (here > 0) d[0] = x;
                        if (here > 1) d[1] = y;
                    }
                } else {
                    uint16_t *d = (uint16_t *)o->d + at + 8 * j;
                    const uint32_t w = tc__pack(c.d, x, y);
                    if (pair && here > 1) {
                        *(uint32_t *)d = w;
                    } else {
                        if (here > 0) d[0] = (uint16_t)w;
                        if (here > 1) d[1] = (uint16_t)(w >> 16);
                    }
                }
            }
        }
    }
}

/* wait_group with a constant that is no literal: folds to one instruction. */
TC_DEV_SM80 void tc__cp_async_wait(const int n)
{
    switch (n) {
    case 0: TC_CP_ASYNC_WAIT_GROUP(0); break;
    case 1: TC_CP_ASYNC_WAIT_GROUP(1); break;
    case 2: TC_CP_ASYNC_WAIT_GROUP(2); break;
    case 3: TC_CP_ASYNC_WAIT_GROUP(3); break;
    default: TC_CP_ASYNC_WAIT_GROUP(4); break;
    }
}

TC_DEV_SM90 void tc__bulk_wait_read(const int n)
{
    switch (n) {
    case 0: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0); break;
    case 1: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(1); break;
    case 2: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(2); break;
    default: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(3); break;
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Position in a ring of `stages` slots, each with a full and an empty barrier. phase is the parity of the current lap:
 * consumers wait full with phase, producers wait empty with phase ^ 1 (which a fresh barrier passes).
 */
typedef struct tc_ring {
    uint32_t stage, phase;
} tc_ring;

TC_DEV void tc_ring_next(tc_ring *r, const int stages)
{
    if (++r->stage == (uint32_t)stages) {
        r->stage = 0;
        r->phase ^= 1u;
    }
}

TC_DEV void tc_ring_advance(tc_ring *r, uint32_t count, const int stages)
{
    const uint32_t at = r->stage + count, laps = at / (uint32_t)stages;
    r->stage = at - laps * (uint32_t)stages;
    r->phase ^= laps & 1u;
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * SM90: warp-specialised, persistent.
 *
 *     warpgroup 0       one thread of it is the producer: fills the ring with TMA, tile after tile
 *     warpgroup 1..     consumers: wgmma from the ring into registers, then hook, shared memory, TMA store
 *
 *     shared memory:    [stages][bk/64] A boxes of bm x 128 bytes | [stages][bk/64] B boxes of bn x 128 bytes
 *                       | store buffers, 16 rows each, per consumer warp | full[stages], empty[stages], turn[consumers]
 *
 * A store belongs to one warp (16 rows), from stmatrix to TMA: the epilogue has no barrier wider than a warp.
 */
#define TC__SM90_SMEM_MAX 232448 /* 227 KB, what a block of sm_90 may have */

TC_HD TC_CONSTEXPR int tc__sm90_wg_rows(const tc_gemm_config c) { return c.schedule == TC_PINGPONG ? c.bm : c.bm / c.consumers; }
TC_HD TC_CONSTEXPR int tc__sm90_stage_bytes(const tc_gemm_config c) { return (c.bm + c.bn) * c.bk * 2; }

/* Bytes of a row of a store box: the widest swizzle whose columns divide bn. */
TC_HD TC_CONSTEXPR int tc__sm90_chunk(const tc_gemm_config c)
{
    const int row = c.bn * tc_type_bits(c.d) / 8;
    return row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : row % 32 == 0 ? 32 : 0;
}

TC_HD TC_CONSTEXPR int tc__sm90_epi_bytes(const tc_gemm_config c) { return c.consumers * 4 * c.epi_stages * 16 * tc__sm90_chunk(c); }

TC_HD TC_CONSTEXPR int tc_gemm_sm90_smem(const tc_gemm_config c)
{
    return c.stages * (tc__sm90_stage_bytes(c) + 16) + tc__sm90_epi_bytes(c) + c.consumers * 8;
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
    c.schedule = c.schedule ? c.schedule : TC_COOPERATIVE;
    c.consumers = c.consumers ? c.consumers : c.schedule == TC_COOPERATIVE && c.bm == 64 ? 1 : 2;
    c.epi_stages = c.epi_stages ? c.epi_stages : 2;
    if (c.stages == 0 && c.bm > 0 && c.bn > 0 && c.bk > 0) {
        c.stages = (TC__SM90_SMEM_MAX - tc__sm90_epi_bytes(c) - c.consumers * 8) / (tc__sm90_stage_bytes(c) + 16);
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
TC_DEV uint32_t tc__sm90_full(const tc_gemm_config c, uint32_t smem, uint32_t stage)
{
    return tc__sm90_epi(c, smem) + (uint32_t)tc__sm90_epi_bytes(c) + stage * 8u;
}
TC_DEV uint32_t tc__sm90_empty(const tc_gemm_config c, uint32_t smem, uint32_t stage)
{
    return tc__sm90_full(c, smem, stage) + (uint32_t)c.stages * 8u;
}
TC_DEV uint32_t tc__sm90_turn(const tc_gemm_config c, uint32_t smem, uint32_t consumer)
{
    return tc__sm90_empty(c, smem, (uint32_t)c.stages) + consumer * 8u;
}

/* Producer, one thread: the k loop of one output tile whose first row, column and batch are given. In a cluster each block
 * loads its share of the A tile for the blocks of its row and of the B tile for those of its column. */
TC_DEV_SM90 void tc_gemm_sm90_load(const tc_gemm_config c, const tc_gemm_sm90_params *p, uint32_t smem, tc_ring *ring,
                                   int row, int col, int batch, uint32_t rank)
{
    const uint32_t cm = rank % (uint32_t)c.cluster_m, cn = rank / (uint32_t)c.cluster_m;
    const int a_rows = c.bm / c.cluster_n, b_rows = c.bn / c.cluster_m;
    const int a_row = row + (int)cn * a_rows, b_row = col + (int)cm * b_rows;
    const uint16_t b_mask = (uint16_t)(((1u << c.cluster_m) - 1u) << (cn * (uint32_t)c.cluster_m));
    const int a_batch = p->a_batched ? batch : 0, b_batch = p->b_batched ? batch : 0;
    uint16_t a_mask = 0;
#pragma unroll
    for (int i = 0; i < c.cluster_n; i++) a_mask |= (uint16_t)(1u << (cm + (uint32_t)(i * c.cluster_m)));

    for (uint32_t kb = 0; kb < p->k_blocks; kb++) {
        const uint32_t full = tc__sm90_full(c, smem, ring->stage);
        TC_MBARRIER_WAIT(tc__sm90_empty(c, smem, ring->stage), ring->phase ^ 1u, "empty", (int)ring->stage);
        tc_mbarrier_arrive_expect_tx(full, (uint32_t)tc__sm90_stage_bytes(c));
#pragma unroll
        for (int kc = 0; kc < c.bk / 64; kc++) {
            const uint32_t a = tc__sm90_a(c, smem, ring->stage) + (uint32_t)((kc * c.bm + (int)cn * a_rows) * 128);
            const uint32_t b = tc__sm90_b(c, smem, ring->stage) + (uint32_t)((kc * c.bn + (int)cm * b_rows) * 128);
            const int k = (int)kb * c.bk + kc * 64;
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
        tc_mbarrier_arrive_cluster(empty, to);
    }
}

/* Consumer, one warpgroup: the k loop of one output tile into acc. first: this warpgroup's first row within the tile.
 * Leaves no wgmma in flight. A slot is given back one step late, when the group that read it has surely finished.
 * next_turn: with TC_PINGPONG the barrier of the warpgroup whose tile comes next, else 0. It gets its turn as soon as this
 * one's last wgmma is issued. Turns are needed for more than order: a parity tells only neighbouring laps of the ring
 * apart, so nobody may wait for a slot while the lap before it is still to come. */
TC_DEV_SM90A void tc_gemm_sm90_mma(const tc_gemm_config c, const tc_wgmma_fn mma, uint32_t k_blocks, uint32_t smem,
                                   tc_ring *ring, float *acc, int first, uint32_t rank, uint32_t next_turn)
{
    uint32_t last = 0;
    if (k_blocks == 0) {
#pragma unroll
        for (int i = 0; i < tc__sm90_wg_rows(c) / 64 * c.bn / 2; i++) acc[i] = 0.f;
    }
    for (uint32_t kb = 0; kb < k_blocks; kb++) {
        const uint64_t da = tc_wgmma_desc(tc__sm90_a(c, smem, ring->stage) + (uint32_t)(first * 128), 128);
        const uint64_t db = tc_wgmma_desc(tc__sm90_b(c, smem, ring->stage), 128);
        TC_MBARRIER_WAIT(tc__sm90_full(c, smem, ring->stage), ring->phase, "full", (int)ring->stage);
        tc_wgmma_fence();
#pragma unroll
        for (int k = 0; k < c.bk / 16; k++) {
#pragma unroll
            for (int i = 0; i < tc__sm90_wg_rows(c) / 64; i++) {
                mma(acc + i * c.bn / 2, da + (uint64_t)(k / 4 * c.bm * 8 + k % 4 * 2 + i * 512),
                    db + (uint64_t)(k / 4 * c.bn * 8 + k % 4 * 2), k > 0 ? 1 : kb > 0);
            }
        }
        tc_wgmma_commit_group();
        TC_WGMMA_WAIT_GROUP(1);
        if (kb > 0) tc__sm90_release(c, smem, last, rank);
        last = ring->stage;
        tc_ring_next(ring, c.stages);
    }
    if (c.schedule == TC_PINGPONG && tc_lane() == 0) tc_mbarrier_arrive(next_turn);
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(acc, tc__sm90_wg_rows(c) / 64 * c.bn / 2);
    if (k_blocks > 0) tc__sm90_release(c, smem, last, rank);
}

/* Consumer, one warpgroup: acc through alpha, beta * C and the hook to D. row, col: of the warpgroup's first element.
 * buf: this warp's store buffers; *stores counts the stores of the warp, which use them in turn. */
TC_DEV_SM90 void tc_gemm_sm90_store(const tc_gemm_config c, const tc_gemm_sm90_params *p, float *acc, int row, int col,
                                    int batch, uint32_t buf, uint32_t *stores)
{
    const int wide = c.d == TC_F32, chunk = tc__sm90_chunk(c), cols = chunk * 8 / tc_type_bits(c.d);
    const int lane = tc_lane(), g = lane / 4, q = lane % 4;
    row += (int)(threadIdx.x % 128u / 32u) * 16;
#pragma unroll
    for (int i = 0; i < tc__sm90_wg_rows(c) / 64; i++) {
#pragma unroll
        for (int ch = 0; ch < c.bn / cols; ch++) {
            float *v = acc + i * c.bn / 2 + ch * cols / 2;
            const int r = row + i * 64, col0 = col + ch * cols;
            if (r < p->out.m && col0 < p->out.n && col0 + cols > p->out.n) {
                /* A TMA store is cut at 16 bytes, not at the last element: the ragged columns go by registers. */
                tc__epi_apply(c, &p->out, v, cols, p->out.n, r + g, col0 + q * 2, (uint32_t)batch, 1);
                tc__epi_write(c, &p->out, v, cols, r + g, col0 + q * 2, (uint32_t)batch, 1);
            } else if (r < p->out.m && col0 < p->out.n) {
                const uint32_t to = buf + (*stores % (uint32_t)c.epi_stages) * (uint32_t)(16 * chunk);
                if (lane == 0) tc__bulk_wait_read(c.epi_stages - 1);
                __syncwarp();
                tc__epi_apply(c, &p->out, v, cols, 0x7fffffff, r + g, col0 + q * 2, (uint32_t)batch, 1);
                if (wide) {
#pragma unroll
                    for (int j = 0; j < cols / 8; j++) {
#pragma unroll
                        for (int h = 0; h < 2; h++) {
                            asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                                         :
                                         : "r"(to + tc_swizzle(chunk, (uint32_t)((g + 8 * h) * chunk + j * 32 + q * 8))),
                                           "f"(v[4 * j + 2 * h]), "f"(v[4 * j + 2 * h + 1])
                                         : "memory");
                        }
                    }
                } else {
#pragma unroll
                    for (int j = 0; j < cols / 16; j++) {
                        const float *x = v + 8 * j;
                        const uint32_t w[4] = {tc__pack(c.d, x[0], x[1]), tc__pack(c.d, x[2], x[3]),
                                               tc__pack(c.d, x[4], x[5]), tc__pack(c.d, x[6], x[7])};
                        tc_stmatrix_x4(to + tc_swizzle(chunk, (uint32_t)(lane % 16 * chunk + j * 32 + lane / 16 * 16)), w);
                    }
                }
                tc_fence_proxy_async_shared();
                __syncwarp();
                if (lane == 0) {
                    tc_cp_async_bulk_tensor_3d_store(&p->d, to, col0, r, batch);
                    tc_cp_async_bulk_commit_group();
                }
                ++*stores;
            }
        }
    }
}

/* The kernel. mma: the wgmma of this tile width and type. */
TC_DEV_SM90A void tc_gemm_sm90(const tc_gemm_config c, const tc_wgmma_fn mma, const tc_gemm_sm90_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t smem = tc_smem_u32(tc__dynamic_smem);
    const uint32_t blocks = (uint32_t)(c.cluster_m * c.cluster_n);
    const uint32_t rank = blocks > 1 ? tc_cluster_ctarank() : 0u;
    const uint32_t first = blockIdx.x / blocks, step = gridDim.x / blocks;
    const int cm = (int)(rank % (uint32_t)c.cluster_m), cn = (int)(rank / (uint32_t)c.cluster_m);
    const int wg = tc_warpgroup();
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
        tc_fence_mbarrier_init();
    }
    if (blocks > 1) tc_cluster_sync();
    else __syncthreads();
    tc_griddepcontrol_wait();

    if (wg == 0) {
        if (c.consumers == 2 && c.bn * tc__sm90_wg_rows(c) / 128 > 160) TC_SETMAXNREG_DEC(24);
        else if (c.consumers == 2) TC_SETMAXNREG_DEC(40);
        else if (c.consumers == 3) TC_SETMAXNREG_DEC(32);
        if (threadIdx.x == 0) {
            for (uint32_t i = first; i < p->tiles.total; i += step) {
                const tc_tile t = tc_tile_at(&p->tiles, i);
                tc_gemm_sm90_load(c, p, smem, &ring, ((int)t.m * c.cluster_m + cm) * c.bm,
                                  ((int)t.n * c.cluster_n + cn) * c.bn, (int)t.batch, rank);
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
        if (c.consumers == 2 && c.bn * tc__sm90_wg_rows(c) / 128 > 160) TC_SETMAXNREG_INC(240);
        else if (c.consumers == 2) TC_SETMAXNREG_INC(232);
        else if (c.consumers == 3) TC_SETMAXNREG_INC(160);
        tc_ring_advance(&ring, turn * p->k_blocks, c.stages);
        for (uint32_t i = first + turn * step; i < p->tiles.total; i += turns * step) {
            const tc_tile t = tc_tile_at(&p->tiles, i);
            if (pingpong) TC_MBARRIER_WAIT(my_turn, tiles++ & 1u, "turn", (int)turn);
            tc_gemm_sm90_mma(c, mma, p->k_blocks, smem, &ring, acc, row_in_tile, rank, next_turn);
            tc_gemm_sm90_store(c, p, acc, ((int)t.m * c.cluster_m + cm) * c.bm + row_in_tile,
                               ((int)t.n * c.cluster_n + cn) * c.bn, (int)t.batch, buf, &stores);
            tc_ring_advance(&ring, (turns - 1u) * p->k_blocks, c.stages);
        }
        if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
    }
    /* A block's shared memory must outlive the arrivals and multicasts of its neighbours. */
    if (blocks > 1) tc_cluster_sync();
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * SM80: cp.async into a ring of swizzled tiles, ldmatrix one step ahead, mma.sync.
 *
 *     shared memory:    [stages] A: bm rows of bk * 2 bytes | [stages] B: bn rows of bk * 2 bytes; swizzle of that width
 */
TC_HD TC_CONSTEXPR int tc_gemm_sm80_smem(const tc_gemm_config c) { return c.stages * (c.bm + c.bn) * c.bk * 2; }
TC_HD TC_CONSTEXPR int tc_gemm_sm80_threads(const tc_gemm_config c) { return 32 * c.warps_m * c.warps_n; }

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

/* One 16-byte chunk (8 elements) of a row to shared memory; bytes of it exist. aligned: src is a multiple of 16 bytes;
 * word: of 4 bytes. Otherwise element by element, through registers. */
TC_DEV_SM80 void tc__sm80_copy(const int aligned, int word, uint32_t dst, const char *src, int bytes)
{
    if (aligned) {
        tc_cp_async_cg_16_zfill(dst, src, bytes);
    } else if (word) {
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
    const char *src;   /* of the next k block */
    long long step;    /* bytes from one pass to the next */
    uint32_t dst;      /* offset in a stage */
    int passes;        /* of those asked for, how many lie inside the matrix */
} tc__sm80_source;

TC_DEV_SM80 tc__sm80_source tc__sm80_source_make(const tc_gemm_config c, const void *base, long long pitch, int row, int rows)
{
    const int chunks = c.bk / 8, per_pass = tc_gemm_sm80_threads(c) / chunks;
    const int r = (int)threadIdx.x / chunks, ch = (int)threadIdx.x % chunks, left = rows - row - r;
    tc__sm80_source s;
    s.src = (const char *)base + ((long long)(row + r) * pitch + ch * 8) * 2;
    s.step = pitch * (per_pass * 2);
    s.dst = tc_tile_offset(c.bk * 2, (uint32_t)r, (uint32_t)ch * 16u);
    s.passes = left > 0 ? (left + per_pass - 1) / per_pass : 0;
    return s;
}

/* Passes [from, to) of one operand's tile into a stage. bytes: how much of this thread's chunk lies inside k. */
TC_DEV_SM80 void tc__sm80_load(const tc_gemm_config c, const int aligned, int word, const tc__sm80_source *s, uint32_t stage,
                               const int from, const int to, int bytes)
{
    const int per_pass = tc_gemm_sm80_threads(c) / (c.bk / 8);
#pragma unroll
    for (int i = from; i < to; i++)
        tc__sm80_copy(aligned, word, stage + s->dst + (uint32_t)(i * per_pass * c.bk * 2), s->src + i * s->step, i < s->passes ? bytes : 0);
}

/* The kernel. aligned (a constant): every row of A and B starts at a multiple of 16 bytes. */
TC_DEV_SM80 void tc_gemm_sm80(const tc_gemm_config c, const int aligned, const tc_gemm_sm80_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, mi = wm / 16, ni = wn / 8, steps = c.bk / 16, row_bytes = c.bk * 2;
    const int per_pass = tc_gemm_sm80_threads(c) / (c.bk / 8), a_passes = c.bm / per_pass, b_passes = c.bn / per_pass;
    const uint32_t smem_a = tc_smem_u32(tc__dynamic_smem), smem_b = smem_a + (uint32_t)(c.stages * c.bm * row_bytes);
    const uint32_t a_stage = (uint32_t)(c.bm * row_bytes), b_stage = (uint32_t)(c.bn * row_bytes);
    const int lane = tc_lane(), warp = (int)threadIdx.x / 32, warp_m = warp % c.warps_m * wm, warp_n = warp / c.warps_m * wn;
    const tc_tile t = tc_tile_at(&p->tiles, blockIdx.x);
    const int row0 = (int)t.m * c.bm, col0 = (int)t.n * c.bn, blocks = (p->k + c.bk - 1) / c.bk;
    const int k_chunk = (int)threadIdx.x % (c.bk / 8) * 8;
    tc__sm80_source sa = tc__sm80_source_make(c, (const uint16_t *)p->a + t.batch * p->stride_a, p->lda, row0, p->out.m);
    tc__sm80_source sb = tc__sm80_source_make(c, (const uint16_t *)p->b + t.batch * p->stride_b, p->ldb, col0, p->out.n);
    /* ldmatrix rows: A 16 x 16 as (rows, k half); B two n8 tiles as (n half, k half). Only the chunk moves with k, and XOR
     * with k's bits commutes with the swizzle, since k selects whole chunks. */
    const uint32_t a_at = tc_tile_offset(row_bytes, (uint32_t)(warp_m + lane % 16), (uint32_t)(lane / 16 * 16));
    const uint32_t b_at = tc_tile_offset(row_bytes, (uint32_t)(warp_n + lane % 8 + lane / 16 * 8), (uint32_t)(lane / 8 % 2 * 16));
    float acc[256];
    uint32_t fa[2][16][4], fb[2][64]; /* [buffer][tile, register]: the mmas of one step run on one buffer while ldmatrix fills the other */
    uint32_t load_stage = 0, mma_stage = 0;
    int next = 0; /* k block to load */

#pragma unroll
    for (int i = 0; i < mi * ni * 4; i++) acc[i] = 0.f;

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
            tc__sm80_load(c, aligned, p->word, &sa, smem_a + load_stage * a_stage, 0, a_passes, bytes);
            tc__sm80_load(c, aligned, p->word, &sb, smem_b + load_stage * b_stage, 0, b_passes, bytes);
            sa.src += row_bytes;
            sb.src += row_bytes;
            next++;
            load_stage++;
        }
        tc_cp_async_commit_group();
    }
    tc__cp_async_wait(c.stages - 2);
    __syncthreads();
    if (blocks > 0) TC__SM80_FRAGMENTS(0, mma_stage, 0u);

    load_stage = (uint32_t)c.stages - 1u;
    for (int kb = 0; kb < blocks; kb++) {
        const int left = (p->k - next * c.bk - k_chunk) * 2, bytes = left < 0 ? 0 : left > 16 ? 16 : left;
        const uint32_t next_stage = mma_stage + 1u == (uint32_t)c.stages ? 0u : mma_stage + 1u;
#pragma unroll
        for (int k = 0; k < steps; k++) {
            if (k == steps - 1) {
                tc_cp_async_commit_group();
                tc__cp_async_wait(c.stages - 2);
                __syncthreads();
                if (kb + 1 < blocks) TC__SM80_FRAGMENTS(0, next_stage, 0u);
            } else {
                TC__SM80_FRAGMENTS((k + 1) % 2, mma_stage, (uint32_t)(k + 1));
                /* the loads of one stage are spread over all steps but the last */
                if (next < blocks) {
                    tc__sm80_load(c, aligned, p->word, &sa, smem_a + load_stage * a_stage, a_passes * k / (steps - 1),
                                  a_passes * (k + 1) / (steps - 1), bytes);
                    tc__sm80_load(c, aligned, p->word, &sb, smem_b + load_stage * b_stage, b_passes * k / (steps - 1),
                                  b_passes * (k + 1) / (steps - 1), bytes);
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
        sa.src += row_bytes;
        sb.src += row_bytes;
        next++;
        mma_stage = next_stage;
        load_stage = load_stage + 1u == (uint32_t)c.stages ? 0u : load_stage + 1u;
    }
#undef TC__SM80_FRAGMENTS
    tc_cp_async_wait_all();

#pragma unroll
    for (int i = 0; i < mi; i++) {
        const int g = lane / 4, q = lane % 4, row = row0 + warp_m + i * 16 + g, col = col0 + warp_n + q * 2;
        float *v = acc + i * ni * 4;
        if (col0 + c.bn <= p->out.n) tc__epi_apply(c, &p->out, v, wn, 0x7fffffff, row, col, t.batch, p->pair);
        else tc__epi_apply(c, &p->out, v, wn, p->out.n, row, col, t.batch, p->pair);
        tc__epi_write(c, &p->out, v, wn, row, col, t.batch, p->pair);
    }
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * Host: checks and launches.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

#define TC__MAX_DEVICES 64

/* What a kernel's first call on a device found out: 0 for nothing yet, else 1 + the clusters that run at a time.
 * Any thread may write it, and all write the same. */
typedef struct tc__gemm_cache {
    volatile int clusters[TC__MAX_DEVICES];
} tc__gemm_cache;

/* One kernel as the host sees it. */
typedef struct tc__gemm_kernel {
    const void *function;
    const char *name;
    int threads, smem, cluster, cc; /* cc: 90 for exactly 9.0, 80 for 8.0 and later */
    tc__gemm_cache *cache;
} tc__gemm_kernel;

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
    const int sizes[3] = {g ? g->m : 0, g ? g->n : 0, g ? g->k : 0};
    const char names[3] = {'m', 'n', 'k'};
    int i;
    if (!g) return tc__fail(TC_ERR_NULL, "args is null");
    for (i = 0; i < 3; i++) {
        if (sizes[i] < 0) return tc__fail(TC_ERR_SIZE, "%c = %d is negative", names[i], sizes[i]);
        if (sizes[i] > 0x7fff0000) return tc__fail(TC_ERR_SIZE, "%c = %d is above the limit of %d", names[i], sizes[i], 0x7fff0000);
    }
    if (g->batch < 0) return tc__fail(TC_ERR_BATCH, "batch = %d is negative", g->batch);
    if (g->batch > 1 && g->stride_d == 0) return tc__fail(TC_ERR_BATCH, "stride_d = 0, but batch = %d products need a place each", g->batch);
    if (g->stride_a < 0 || g->stride_b < 0 || g->stride_c < 0 || g->stride_d < 0)
        return tc__fail(TC_ERR_BATCH, "stride_%c is negative", g->stride_a < 0 ? 'a' : g->stride_b < 0 ? 'b' : g->stride_c < 0 ? 'c' : 'd');
    if (g->lda < g->k) return tc__fail(TC_ERR_PITCH, "lda = %lld is less than k = %d", (long long)g->lda, g->k);
    if (g->ldb < g->k) return tc__fail(TC_ERR_PITCH, "ldb = %lld is less than k = %d", (long long)g->ldb, g->k);
    if (g->ldd < g->n) return tc__fail(TC_ERR_PITCH, "ldd = %lld is less than n = %d", (long long)g->ldd, g->n);
    if (tc__gemm_beta(g) != 0.f && g->ldc < g->n) return tc__fail(TC_ERR_PITCH, "ldc = %lld is less than n = %d", (long long)g->ldc, g->n);
    if (g->epi_size > TC_EPI_MAX)
        return tc__fail(TC_ERR_EPI, "epi_size = %llu is above TC_EPI_MAX = %d bytes", (unsigned long long)g->epi_size, TC_EPI_MAX);
    if (c->epi_size && g->epi_size != (size_t)c->epi_size)
        return tc__fail(TC_ERR_EPI, "epi_size = %llu, but the kernel was defined with .epi_size = %d", (unsigned long long)g->epi_size, c->epi_size);
    if (g->epi_size && !g->epi_args) return tc__fail(TC_ERR_EPI, "epi_args is null, but epi_size = %llu", (unsigned long long)g->epi_size);
    if (g->epi_args && !g->epi_size) return tc__fail(TC_ERR_EPI, "epi_size = 0, but epi_args is given");
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

/* TMA's rule for one operand. */
TC_HOST tc_status tc__gemm_check_tma(const char *name, const void *p, int64_t pitch, int64_t stride, int batch, int bytes)
{
    if ((uintptr_t)p % 16) return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of 16 bytes, as TMA needs", name, p);
    if (pitch * bytes % 16)
        return tc__fail(TC_ERR_ALIGN, "ld%s = %lld elements = %lld bytes is not a multiple of 16 bytes, as TMA needs", name,
                        (long long)pitch, (long long)(pitch * bytes));
    if (batch > 1 && stride * bytes % 16)
        return tc__fail(TC_ERR_ALIGN, "stride_%s = %lld elements = %lld bytes is not a multiple of 16 bytes, as TMA needs", name,
                        (long long)stride, (long long)(stride * bytes));
    if (pitch * bytes >= ((int64_t)1 << 40) || stride * bytes >= ((int64_t)1 << 40))
        return tc__fail(TC_ERR_SIZE, "ld%s or stride_%s is 2^40 bytes or more, which TMA cannot step", name, name);
    return TC_OK;
}

TC_HOST tc_status tc__gemm_check_sm90(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const int batch = tc__gemm_batch(g), d_bytes = tc_type_bits(c->d) / 8;
    tc_status st = TC_OK;
    if (tc__gemm_empty(g)) return TC_OK;
    if (st == TC_OK && g->k > 0) st = tc__gemm_check_tma("a", g->a, g->lda, g->stride_a, batch, 2);
    if (st == TC_OK && g->k > 0) st = tc__gemm_check_tma("b", g->b, g->ldb, g->stride_b, batch, 2);
    if (st == TC_OK) st = tc__gemm_check_tma("d", g->d, g->ldd, g->stride_d, batch, d_bytes);
    if (st == TC_OK && tc__gemm_beta(g) != 0.f) st = tc__gemm_check_tma("c", g->c, g->ldc, g->stride_c, batch, d_bytes);
    return st;
}

TC_HOST tc_status tc__cuda_fail(const char *call, cudaError_t err)
{
    (void)cudaGetLastError(); /* ours to report, not the next call's to find */
    return tc__fail(TC_ERR_CUDA, "%s: %s", call, cudaGetErrorString(err));
}

TC_HOST cudaLaunchConfig_t tc__gemm_launch_config(const tc__gemm_kernel *k, unsigned blocks, cudaStream_t stream, int pdl,
                                                  cudaLaunchAttribute *attributes)
{
    cudaLaunchConfig_t l;
    memset(&l, 0, sizeof l);
    l.gridDim.x = blocks;
    l.gridDim.y = l.gridDim.z = 1;
    l.blockDim.x = (unsigned)k->threads;
    l.blockDim.y = l.blockDim.z = 1;
    l.dynamicSmemBytes = (size_t)k->smem;
    l.stream = stream;
    l.attrs = attributes;
    if (k->cluster > 1) {
        attributes[l.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[l.numAttrs].val.clusterDim.x = (unsigned)k->cluster;
        attributes[l.numAttrs].val.clusterDim.y = attributes[l.numAttrs].val.clusterDim.z = 1;
        l.numAttrs++;
    }
    if (pdl) {
        attributes[l.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[l.numAttrs].val.programmaticStreamSerializationAllowed = 1;
        l.numAttrs++;
    }
    return l;
}

/* May this device run the kernel, and how many of its clusters at a time? The answer is kept after the first call. */
TC_HOST tc_status tc__gemm_device(const tc__gemm_kernel *k, int *clusters)
{
    struct cudaFuncAttributes attr;
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t launch;
    cudaError_t err;
    int device, major = 0, minor = 0, smem = 0, count = 0;
    if ((err = cudaGetDevice(&device)) != cudaSuccess) return tc__cuda_fail("cudaGetDevice", err);
    if (device < TC__MAX_DEVICES && k->cache->clusters[device]) {
        *clusters = k->cache->clusters[device] - 1;
        return TC_OK;
    }
    if ((err = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) != cudaSuccess ||
        (err = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)) != cudaSuccess ||
        (err = cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) != cudaSuccess ||
        (err = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess)
        return tc__cuda_fail("cudaDeviceGetAttribute", err);
    if (k->cc == 90 ? major * 10 + minor != 90 : major < 8)
        return tc__fail(TC_ERR_DEVICE, "%s needs compute capability %s, device %d has %d.%d", k->name,
                        k->cc == 90 ? "9.0" : "8.0 or later", device, major, minor);
    if (k->smem > smem)
        return tc__fail(TC_ERR_SMEM, "%s needs %d bytes of shared memory, device %d gives a block %d", k->name, k->smem, device, smem);
    err = cudaFuncGetAttributes(&attr, k->function);
    /* A build without this target holds a stub, which is bounded to one warp. */
    if (err != cudaSuccess || attr.maxThreadsPerBlock < k->threads) {
        (void)cudaGetLastError();
        return tc__fail(TC_ERR_IMAGE, "%s was not compiled for device %d (%d.%d): add -gencode arch=compute_%d%s,code=sm_%d%s", k->name, device,
                        major, minor, k->cc == 90 ? 90 : major * 10 + minor, k->cc == 90 ? "a" : "",
                        k->cc == 90 ? 90 : major * 10 + minor, k->cc == 90 ? "a" : "");
    }
    if ((err = cudaFuncSetAttribute(k->function, cudaFuncAttributeMaxDynamicSharedMemorySize, k->smem)) != cudaSuccess)
        return tc__cuda_fail("cudaFuncSetAttribute", err);
    if (k->cluster > 1) {
        launch = tc__gemm_launch_config(k, (unsigned)k->cluster, 0, 0, attributes);
        err = cudaOccupancyMaxActiveClusters(&count, k->function, &launch);
        if (err != cudaSuccess || count < 1) {
            (void)cudaGetLastError();
            return tc__fail(TC_ERR_CLUSTER, "%s: no cluster of %d blocks with %d bytes of shared memory each fits on device %d", k->name,
                            k->cluster, k->smem, device);
        }
    }
    *clusters = count;
    if (device < TC__MAX_DEVICES) k->cache->clusters[device] = count + 1;
    return TC_OK;
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

TC_HOST tc_status tc__gemm_launch(const tc__gemm_kernel *k, unsigned blocks, const void *params, const tc_gemm_args *g, cudaStream_t stream)
{
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t launch = tc__gemm_launch_config(k, blocks, stream, g->pdl, attributes);
    void *arguments[1];
    cudaError_t err;
    arguments[0] = (void *)(uintptr_t)params;
    err = cudaLaunchKernelExC(&launch, k->function, arguments);
    return err == cudaSuccess ? TC_OK : tc__cuda_fail(k->name, err);
}

/* A tensor map of `rows` rows of `cols` elements. */
TC_HOST tc_status tc__gemm_map(tc_tmap *map, const char *name, int type, const void *base, int cols, int rows, int batch, int64_t pitch,
                               int64_t stride, int box_cols, int box_rows, int swizzle)
{
    const int64_t bytes = tc_type_bits(type) / 8;
    char why[TC_WHY_SIZE];
    tc_tmap_desc d;
    tc_status st;
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
    st = tc_tmap_encode(map, &d);
    if (st == TC_OK) return st;
    memcpy(why, tc_why(), sizeof why);
    return tc__fail(st, "%s: %.200s", name, why);
}

/* Checks, and with launch != 0 runs. */
TC_HOST tc_status tc__gemm_sm90_run(const tc_gemm_config *c, const tc__gemm_kernel *k, const tc_gemm_args *g, cudaStream_t stream, int launch)
{
    tc_gemm_sm90_params p;
    tc_status st = tc__gemm_check(c, g);
    int clusters = 0, batch;
    uint32_t run;
    if (st == TC_OK) st = tc__gemm_check_sm90(c, g);
    if (st == TC_OK) st = tc__gemm_device(k, &clusters);
    if (st != TC_OK || tc__gemm_empty(g)) return st;
    batch = tc__gemm_batch(g);
    st = tc__gemm_tiles(&p.tiles, c, g, c->bm * c->cluster_m, c->bn * c->cluster_n, clusters);
    if (st != TC_OK || !launch) return st;
    p.out = tc__gemm_out(g);
    p.k_blocks = ((uint32_t)g->k + (uint32_t)c->bk - 1) / (uint32_t)c->bk;
    p.a_batched = g->stride_a != 0;
    p.b_batched = g->stride_b != 0;
    st = tc__gemm_map(&p.d, "d", c->d, g->d, g->n, g->m, batch, g->ldd, g->stride_d, tc__sm90_chunk(*c) * 8 / tc_type_bits(c->d), 16,
                      tc__sm90_chunk(*c));
    p.a = p.b = p.d; /* with k = 0 nothing is loaded, and A and B may be anything */
    if (st == TC_OK && g->k) st = tc__gemm_map(&p.a, "a", c->a, g->a, g->k, g->m, batch, g->lda, g->stride_a, 64, c->bm / c->cluster_n, 128);
    if (st == TC_OK && g->k) st = tc__gemm_map(&p.b, "b", c->b, g->b, g->k, g->n, batch, g->ldb, g->stride_b, 64, c->bn / c->cluster_m, 128);
    if (st != TC_OK) return st;
    run = p.tiles.total < (uint32_t)clusters ? p.tiles.total : (uint32_t)clusters;
    return tc__gemm_launch(k, run * (unsigned)k->cluster, &p, g, stream);
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
TC_HOST tc_status tc__gemm_sm80_run(const tc_gemm_config *c, const tc__gemm_kernel *k, const tc_gemm_args *g, cudaStream_t stream, int launch)
{
    tc_gemm_sm80_params p;
    tc_status st = tc__gemm_check(c, g);
    const tc__gemm_kernel *use;
    int sms = 0, batched;
    uint64_t pair;
    if (st != TC_OK) return st;
    use = k + (g->k > 0 && !tc__gemm_rows_aligned(g, 16));
    st = tc__gemm_device(use, &sms);
    if (st != TC_OK || tc__gemm_empty(g)) return st;
    st = tc__gemm_tiles(&p.tiles, c, g, c->bm, c->bn, sms);
    if (st != TC_OK || !launch) return st;
    batched = tc__gemm_batch(g) > 1;
    pair = (uint64_t)(uintptr_t)g->d | (uint64_t)g->ldd * (uint64_t)tc_type_bits(c->d) / 8
         | (batched ? (uint64_t)g->stride_d * (uint64_t)tc_type_bits(c->d) / 8 : 0);
    if (tc__gemm_beta(g) != 0.f)
        pair |= (uint64_t)(uintptr_t)g->c | (uint64_t)g->ldc * (uint64_t)tc_type_bits(c->d) / 8
              | (batched ? (uint64_t)g->stride_c * (uint64_t)tc_type_bits(c->d) / 8 : 0);
    p.a = g->a;
    p.b = g->b;
    p.lda = g->lda;
    p.ldb = g->ldb;
    p.stride_a = g->stride_a;
    p.stride_b = g->stride_b;
    p.out = tc__gemm_out(g);
    p.k = g->k;
    p.pair = pair % ((uint64_t)tc_type_bits(c->d) / 4) == 0;
    p.word = tc__gemm_rows_aligned(g, 4);
    return tc__gemm_launch(use, p.tiles.total, &p, g, stream);
}

#endif /* host */

/* =====================================================================================================================
 * Generators. Each is thin: it makes the configuration a constant, checks it in words, and names the functions.
 */
#ifdef __CUDACC__

/* NVRTC has no host side and finds a kernel by its name; elsewhere a kernel belongs to its file. */
#ifdef __CUDACC_RTC__
#define TC__KERNEL extern "C" __global__ void
#else
#define TC__KERNEL static __global__ void
#endif

/* The first assertion always holds: it is there to be printed, with this line, when a hook does not fit. */
#define TC__GEMM_CONFIG(name, complete, ...)                                                                          \
    static_assert(true, "tc: a hook is a TC_DEV function: .epi = float f(float x, int row, int col, const void *args), "  \
                        ".epi2 = tc_f32x2 f(tc_f32x2 x, int row, int col, const void *args)");                        \
    TC_HD constexpr tc_gemm_config name##_config(void) { return complete(tc_gemm_config{__VA_ARGS__}); }

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
    static_assert((c).bn > 0 && (c).bn <= 256 && (c).bn % 8 == 0 && tc__sm90_chunk(c) != 0,                           \
                  "tc: .bn must be a multiple of 8 (of 16 for a 16-bit D) in 8..256");                                \
    static_assert((c).bk > 0 && (c).bk % 64 == 0, "tc: .bk must be a multiple of 64");                                \
    static_assert(tc__sm90_wg_rows(c) * (c).bn / 128 <= ((c).consumers == 3 ? 128 : 208),                             \
                  "tc: too many accumulators: rows of a warpgroup * .bn / 128 must be at most 208 (128 for 3 consumers)"); \
    static_assert((c).cluster_m >= 1 && (c).cluster_n >= 1 && (c).cluster_m * (c).cluster_n <= 8, "tc: .cluster_m * .cluster_n must be in 1..8"); \
    static_assert((c).bm % (8 * (c).cluster_n) == 0 && (c).bn % (8 * (c).cluster_m) == 0,                             \
                  "tc: .bm must divide by 8 * .cluster_n and .bn by 8 * .cluster_m");                                 \
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
    static_assert((c).bm / (c).warps_m * ((c).bn / (c).warps_n) <= 64 * 128, "tc: a warp's tile may have 64 x 128 elements at most"); \
    static_assert((c).stages >= 2 && (c).stages <= 6 && tc_gemm_sm80_smem(c) <= TC__SM90_SMEM_MAX,                    \
                  "tc: .stages must be in 2..6, and tiles * .stages fit in 227 KB of shared memory");

/* A kernel that other targets may be built beside: theirs is a stub bounded to one warp, by which the host knows it. */
#if TC_HAS_SM90A
#define TC__SM90_BOUND(threads) threads
#define TC__IF_SM90A(...) __VA_ARGS__
#else
#define TC__SM90_BOUND(threads) 32
#define TC__IF_SM90A(...)
#endif
#if TC_HAS_SM80
#define TC__SM80_BOUND(threads) threads
#define TC__IF_SM80(...) __VA_ARGS__
#else
#define TC__SM80_BOUND(threads) 32
#define TC__IF_SM80(...)
#endif

#define TC__GEMM_SM90_BODY(config)                                                                                    \
    constexpr tc_gemm_config c = config();                                                                            \
    constexpr tc_wgmma_fn mma = tc_wgmma_pick_f32(c.bn, c.a);                                                         \
    tc_gemm_sm90(c, mma, &p);

/* Only one block of this size fits an SM: the bound of 1 lets setmaxnreg work and gives the compiler the registers. */
#define TC__GEMM_SM90_KERNEL(name)                                                                                    \
    TC__KERNEL __launch_bounds__(TC__SM90_BOUND(tc_gemm_sm90_threads(name##_config())), 1)                            \
        name(const __grid_constant__ tc_gemm_sm90_params p)

#define TC__GEMM_SM80_KERNEL(name, suffix, ...)                                                                       \
    TC__KERNEL __launch_bounds__(TC__SM80_BOUND(tc_gemm_sm80_threads(name##_config())))                               \
        name##suffix(const __grid_constant__ tc_gemm_sm80_params p) { __VA_ARGS__ }

#ifdef __CUDACC_RTC__
#define TC__GEMM_HOST(...)
#else
#define TC__GEMM_HOST(...) __VA_ARGS__
#endif

#define TC__GEMM_ENTRIES(name, runner)                                                                                \
    TC_HOST tc_status name##_can_run(const tc_gemm_args *args, const char **why)                                      \
    {                                                                                                                 \
        const tc_status st = runner(args, 0, 0);                                                                      \
        if (why) *why = st == TC_OK ? "" : tc_why();                                                                  \
        return st;                                                                                                    \
    }                                                                                                                 \
    TC_HOST tc_status name##_run(const tc_gemm_args *args, cudaStream_t stream) { return runner(args, stream, 1); }

/* See the top of this file. */
#define TC_GEMM_SM90_DEFINE(name, ...)                                                                                \
    TC__GEMM_CONFIG(name, tc_gemm_sm90_config, __VA_ARGS__)                                                           \
    TC__GEMM_CHECK_SM90(name##_config())                                                                              \
    enum { name##_THREADS = tc_gemm_sm90_threads(name##_config()), name##_SMEM = tc_gemm_sm90_smem(name##_config()) }; \
    TC__GEMM_SM90_KERNEL(name) { TC__GEMM_SM90_BODY(name##_config) }                                                  \
    TC__GEMM_HOST(TC__GEMM_SM90_HOST(name) TC__GEMM_ENTRIES(name, name##__go))

#define TC__GEMM_SM90_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_gemm_args *args, cudaStream_t stream, int launch)                           \
    {                                                                                                                 \
        static tc__gemm_cache cache;                                                                                  \
        const tc_gemm_config c = name##_config();                                                                     \
        const tc__gemm_kernel k = {(const void *)name, #name, tc_gemm_sm90_threads(c), tc_gemm_sm90_smem(c),          \
                                   c.cluster_m * c.cluster_n, 90, &cache};                                            \
        return tc__gemm_sm90_run(&c, &k, args, stream, launch);                                                       \
    }

#define TC_GEMM_SM80_DEFINE(name, ...)                                                                                \
    TC__GEMM_CONFIG(name, tc_gemm_sm80_config, __VA_ARGS__)                                                           \
    TC__GEMM_CHECK_SM80(name##_config())                                                                              \
    enum { name##_THREADS = tc_gemm_sm80_threads(name##_config()), name##_SMEM = tc_gemm_sm80_smem(name##_config()) }; \
    TC__GEMM_SM80_KERNEL(name, , constexpr tc_gemm_config c = name##_config(); tc_gemm_sm80(c, 1, &p);)               \
    TC__GEMM_SM80_KERNEL(name, _any, constexpr tc_gemm_config c = name##_config(); tc_gemm_sm80(c, 0, &p);)           \
    TC__GEMM_HOST(TC__GEMM_SM80_HOST(name) TC__GEMM_ENTRIES(name, name##__go))

#define TC__GEMM_SM80_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_gemm_args *args, cudaStream_t stream, int launch)                           \
    {                                                                                                                 \
        static tc__gemm_cache cache[2];                                                                               \
        const tc_gemm_config c = name##_config();                                                                     \
        const tc__gemm_kernel k[2] = {                                                                                \
            {(const void *)name, #name, tc_gemm_sm80_threads(c), tc_gemm_sm80_smem(c), 1, 80, &cache[0]},             \
            {(const void *)name##_any, #name "_any", tc_gemm_sm80_threads(c), tc_gemm_sm80_smem(c), 1, 80, &cache[1]}}; \
        return tc__gemm_sm80_run(&c, k, args, stream, launch);                                                        \
    }

#endif /* __CUDACC__ */
#endif /* TC_GEMM_H */
