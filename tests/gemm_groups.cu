/* gemm_groups.cu - many products in one launch (.groups): random groups through generated kernels, bit for bit.
 *     build/tests/gemm_groups [problems] [seed]
 * Built with -DGROUPS_ALL it has more kernels: other types, layouts and tiles.
 *
 * Elements are small multiples of powers of two, so that sums are exact in any order: D is compared with the host's in
 * every bit. A, C and D hold NaN in each row that is no group's; what a kernel reads of a neighbour's row it must drop,
 * and what D holds outside of the groups must stay. */
#if !defined(GROUPS_SM100) && !defined(GROUPS_SM120)
#define TC_SM90_STUBS
#endif
#include "../tc.h"
#include "test.h"
#include "gemm_elements.h"

/* ---- a hook that counts, and knows the group ---- */
typedef struct { int *count, *stray; const float *bias; const int32_t *first, *end; int m, n, groups, masked; } told;

TC_DEV float told_one(float x, tc_gemm_at at, const void *args)
{
    const told *p = (const told *)args;
    if (at.group < 0 || at.group >= p->groups || at.col < 0 || at.col >= p->n || at.row < p->first[at.group]
        || at.row >= p->end[at.group] || at.batch != (p->masked ? at.group : 0)) {
        atomicAdd(p->stray, 1);
        return x;
    }
    atomicAdd(p->count + ((long long)at.batch * p->m + at.row) * p->n + at.col, 1);
    return x + p->bias[(long long)at.group * p->n + at.col];
}

TC_DEV tc_f32x2 told_pair(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    tc_f32x2 r;
    r.x = told_one(x.x, at, args);
    at.col++;
    r.y = told_one(x.y, at, args);
    return r;
}

/* ---- kernels ---- */
typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    int sm, hook, smem;
    tc_gemm_config c;
    int step, wide, cluster; /* widths and blocks of a cluster that a call may choose */
} kernel;

#define HOOK .epi = told_one, .epi_size = sizeof(told)
#define BF16 .a = TC_BF16, .b = TC_BF16
#ifdef GROUPS_ALL
#define GROUPS_SHAPES 0
#define ALL(...) __VA_ARGS__
#else
#define GROUPS_SHAPES TC_SHAPES_FEW_ROWS | TC_SHAPES_UNALIGNED
#define ALL(...)
#endif
#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#ifdef GROUPS_SM100
TC_GEMM_SM100_DEFINE(pair, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, HOOK)
TC_GEMM_SM100_DEFINE(one_block, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bn = 64, .cluster_m = 1)
TC_GEMM_SM100_DEFINE(four, .a = TC_F16, .b = TC_F16, .d = TC_F32, .groups = TC_GROUPS_ROWS, .bn = 96, .cluster_n = 2,
                     .b_layout = TC_ROW, .epi2 = told_pair, .epi_size = sizeof(told))
TC_GEMM_SM100_DEFINE(masked, .a = TC_F16, .b = TC_F16, .d = TC_F32, .groups = TC_GROUPS_MASKED, .bn = 128, HOOK)
TC_GEMM_SM100_DEFINE(masked_beside, BF16, .d = TC_BF16, .groups = TC_GROUPS_MASKED, .bn = 48, .cluster_m = 1,
                     .cluster_n = 2)
TC_GEMM_SM100_DEFINE(fp8, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bn = 128,
                     .b_layout = TC_ROW, .raster_group = 2, HOOK)
TC_GEMM_SM100_DEFINE(scatter, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_D, .bn = 32, HOOK)
/* rows of A looked up; the last two are one product */
TC_GEMM_SM100_DEFINE(gather, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A | TC_INDEX_D, .bn = 64,
                     HOOK)
TC_GEMM_SM100_DEFINE(gather_plain, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A, .cluster_m = 1,
                     .bn = 48)
TC_GEMM_SM100_DEFINE(gather_four, .a = TC_F16, .b = TC_F16, .d = TC_F32, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A,
                     .bn = 96, .cluster_n = 2, .b_layout = TC_ROW, .epi2 = told_pair, .epi_size = sizeof(told))
TC_GEMM_SM100_DEFINE(gather_fp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16,
                     .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A)
TC_GEMM_SM100_DEFINE(gather_parts, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .index = TC_INDEX_A, .bn = 64, .bk = 64,
                     .cluster_m = 1, .cluster_n = 2, .split = 1)
TC_GEMM_SM100_DEFINE(gather_clc, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .index = TC_INDEX_A | TC_INDEX_D, .bn = 32,
                     .clc = 1, HOOK)
TC_GEMM_DEFINE(looked_up, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A,
               .shapes = TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED)
/* factors of a byte */
TC_GEMM_SM100_DEFINE(mxfp8, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .groups = TC_GROUPS_ROWS,
                     HOOK)
TC_GEMM_SM100_DEFINE(nvfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .groups = TC_GROUPS_ROWS,
                     .bn = 128, .cluster_n = 2)
TC_GEMM_SM100_DEFINE(nvfp4_masked, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE4M3_16,
                     .groups = TC_GROUPS_MASKED, HOOK)
TC_GEMM_DEFINE(rows, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .shapes = TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED,
               HOOK)
#elif defined(GROUPS_SM120)
TC_GEMM_SM120_DEFINE(turns, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, HOOK)
TC_GEMM_SM120_DEFINE(together, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bm = 64, .bn = 96,
                     .schedule = TC_COOPERATIVE)
TC_GEMM_SM120_DEFINE(masked, .a = TC_F16, .b = TC_F16, .d = TC_F32, .groups = TC_GROUPS_MASKED, .bm = 64, .bn = 64,
                     .b_layout = TC_ROW, HOOK)
TC_GEMM_SM120_DEFINE(masked_plain, BF16, .d = TC_BF16, .groups = TC_GROUPS_MASKED, .bm = 32, .bn = 64, .warps_m = 1)
TC_GEMM_SM120_DEFINE(fp8, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bn = 64,
                     .b_layout = TC_ROW, .epi2 = told_pair, .epi_size = sizeof(told))
TC_GEMM_SM120_DEFINE(scatter, BF16, .d = TC_F32, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_D, .bm = 64, .bn = 64)
/* factors of a byte */
TC_GEMM_SM120_DEFINE(mxfp8, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .groups = TC_GROUPS_ROWS,
                     .bm = 64, .bn = 64, HOOK)
TC_GEMM_SM120_DEFINE(nvfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .groups = TC_GROUPS_ROWS)
TC_GEMM_SM120_DEFINE(nvfp4_masked, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE4M3_16,
                     .groups = TC_GROUPS_MASKED, .bn = 64, HOOK)
TC_GEMM_DEFINE(rows, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .shapes = TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED,
               HOOK)
#else
TC_GEMM_SM90_DEFINE(two_rows, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bm = 128, .bn = 128, .step = 64,
                    .cluster_m = 2, HOOK)
TC_GEMM_SM90_DEFINE(pingpong, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bm = 64, .bn = 128,
                    .schedule = TC_PINGPONG, HOOK)
TC_GEMM_SM90_DEFINE(few, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bm = 64, .bn = 64, .swap = 1, .step = 8, HOOK)
TC_GEMM_SM90_DEFINE(few_plain, BF16, .d = TC_F32, .groups = TC_GROUPS_MASKED, .bm = 32, .bn = 128, .swap = 1,
                    .step = 16, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(fp8, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bm = 128, .bn = 128,
                    .b_layout = TC_ROW, HOOK)
TC_GEMM_SM90_DEFINE(fp8_blocks, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bm = 128,
                    .bn = 128, .cluster_n = 2, .a_scale = TC_SCALE_1X128, .b_scale = TC_SCALE_128X128)
TC_GEMM_SM80_DEFINE(mma, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS)
TC_GEMM_SM80_DEFINE(mma_masked, .a = TC_F16, .b = TC_F16, .d = TC_F32, .groups = TC_GROUPS_MASKED, .bm = 64, .bn = 64,
                    .b_layout = TC_ROW, HOOK)
/* rows of A, of C and D looked up */
TC_GEMM_SM80_DEFINE(gather, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A | TC_INDEX_D, .bm = 64,
                    .bn = 64, HOOK)
TC_GEMM_SM90_DEFINE(scatter, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_D, .bm = 64, .bn = 96,
                    .schedule = TC_PINGPONG)
TC_GEMM_SM90_DEFINE(scatter_few, BF16, .d = TC_F32, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_D, .bm = 32, .bn = 64,
                    .swap = 1, HOOK)
TC_GEMM_SM90_DEFINE(gather_two, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A | TC_INDEX_D,
                    .bm = 128, .bn = 64, .step = 32, .cluster_m = 2, HOOK)
TC_GEMM_SM90_DEFINE(gather_few, BF16, .d = TC_F32, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A, .bm = 40, .bn = 64,
                    .swap = 1, .step = 8)
TC_GEMM_SM90_DEFINE(gather_fp8, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .index = TC_INDEX_A, .bm = 64, .bn = 32,
                    .bk = 256, .stages = 3, .schedule = TC_PINGPONG, HOOK)
TC_GEMM_DEFINE(rows, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .shapes = GROUPS_SHAPES,
               HOOK)
TC_GEMM_DEFINE(looked_up, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A, .shapes = GROUPS_SHAPES)
#ifdef GROUPS_ALL
TC_GEMM_SM90_DEFINE(gather_plain, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A)
TC_GEMM_SM90_DEFINE(gather_parts, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .index = TC_INDEX_A, .bm = 192, .bn = 64,
                    .consumers = 3, .step = 64, .split = 1)
TC_GEMM_SM90_DEFINE(gather_beside, .a = TC_F16, .b = TC_F16, .d = TC_F32, .index = TC_INDEX_A | TC_INDEX_D, .bm = 256,
                    .bn = 128, .swap = 1, .cluster_m = 2, .b_layout = TC_ROW, .epi2 = told_pair,
                    .epi_size = sizeof(told))
TC_GEMM_SM90_DEFINE(plain, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS)
TC_GEMM_SM90_DEFINE(two_cols, .a = TC_F16, .b = TC_F16, .d = TC_F32, .groups = TC_GROUPS_ROWS, .bm = 128, .bn = 64,
                    .cluster_n = 2, .b_layout = TC_ROW, .epi2 = told_pair, .epi_size = sizeof(told))
TC_GEMM_SM90_DEFINE(masked, .a = TC_F16, .b = TC_F16, .d = TC_F16, .groups = TC_GROUPS_MASKED, .bm = 128, .bn = 96,
                    HOOK)
TC_GEMM_SM90_DEFINE(fp8_few, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .groups = TC_GROUPS_MASKED, .bm = 32, .bn = 64,
                    .swap = 1, HOOK)
/* 192 rows of a warpgroup, and their factors */
TC_GEMM_SM90_DEFINE(fp8_tall, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bm = 192, .bn = 64,
                    .consumers = 1, .a_scale = TC_SCALE_1X128, .b_scale = TC_SCALE_128X128)
TC_GEMM_SM80_DEFINE(mma_pair, BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .bm = 32, .bn = 64, .epi2 = told_pair,
                    .epi_size = sizeof(told))
TC_GEMM_SM80_DEFINE(mma_f64, .a = TC_F64, .b = TC_F64, .d = TC_F64, .groups = TC_GROUPS_ROWS, .bm = 64, .bn = 64)
TC_GEMM_SM80_DEFINE(mma_fp8, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .groups = TC_GROUPS_ROWS, .bm = 64, .bn = 64,
                    .a_scale = TC_SCALE_1X128, .b_scale = TC_SCALE_128X128, HOOK)
#endif
#endif /* Hopper's and sm_80's */

#define ROW(name, sm, hook, smem, ...) {#name, name##_can_run, name##_run, sm, hook, smem, name##_config(), __VA_ARGS__}
static const kernel kernels[] = {
#ifdef GROUPS_SM100
    ROW(pair, 100, 1, pair_SMEM, 0, 0, 0), ROW(one_block, 100, 0, one_block_SMEM, 0, 0, 0),
    ROW(four, 100, 2, four_SMEM, 0, 0, 0), ROW(masked, 100, 1, masked_SMEM, 0, 0, 0),
    ROW(masked_beside, 100, 0, masked_beside_SMEM, 0, 0, 0), ROW(fp8, 100, 1, fp8_SMEM, 0, 0, 0),
    ROW(scatter, 100, 1, scatter_SMEM, 0, 0, 0), ROW(rows, 80, 1, 0, 0, 0, 0),
    ROW(mxfp8, 100, 1, mxfp8_SMEM, 0, 0, 0), ROW(nvfp4, 100, 0, nvfp4_SMEM, 0, 0, 0),
    ROW(nvfp4_masked, 100, 1, nvfp4_masked_SMEM, 0, 0, 0), ROW(gather, 100, 1, gather_SMEM, 0, 0, 0),
    ROW(gather_plain, 100, 0, gather_plain_SMEM, 0, 0, 0), ROW(gather_four, 100, 2, gather_four_SMEM, 0, 0, 0),
    ROW(gather_fp4, 100, 0, gather_fp4_SMEM, 0, 0, 0), ROW(gather_parts, 100, 0, gather_parts_SMEM, 0, 0, 0),
    ROW(gather_clc, 100, 1, gather_clc_SMEM, 0, 0, 0), ROW(looked_up, 80, 0, 0, 0, 0, 0)
#elif defined(GROUPS_SM120)
    ROW(turns, 120, 1, turns_SMEM, 0, 0, 0), ROW(together, 120, 0, together_SMEM, 0, 0, 0),
    ROW(masked, 120, 1, masked_SMEM, 0, 0, 0), ROW(masked_plain, 120, 0, masked_plain_SMEM, 0, 0, 0),
    ROW(fp8, 120, 2, fp8_SMEM, 0, 0, 0), ROW(scatter, 120, 0, scatter_SMEM, 0, 0, 0), ROW(rows, 80, 1, 0, 0, 0, 0),
    ROW(mxfp8, 120, 1, mxfp8_SMEM, 0, 0, 0), ROW(nvfp4, 120, 0, nvfp4_SMEM, 0, 0, 0),
    ROW(nvfp4_masked, 120, 1, nvfp4_masked_SMEM, 0, 0, 0)
#else
    ROW(two_rows, 90, 1, two_rows_SMEM, 64, 128, 2), ROW(pingpong, 90, 1, pingpong_SMEM, 0, 0, 0),
    ROW(few, 90, 1, few_SMEM, 8, 64, 1), ROW(few_plain, 90, 0, few_plain_SMEM, 16, 32, 2),
    ROW(fp8, 90, 1, fp8_SMEM, 0, 0, 0), ROW(fp8_blocks, 90, 0, fp8_blocks_SMEM, 0, 0, 0),
    ROW(gather, 80, 1, gather_SMEM, 0, 0, 0), ROW(scatter, 90, 0, scatter_SMEM, 0, 0, 0),
    ROW(scatter_few, 90, 1, scatter_few_SMEM, 0, 0, 0), ROW(rows, 80, 1, 0, 0, 0, 0),
    ROW(mma, 80, 0, mma_SMEM, 0, 0, 0), ROW(mma_masked, 80, 1, mma_masked_SMEM, 0, 0, 0),
    ROW(gather_two, 90, 1, gather_two_SMEM, 32, 64, 2), ROW(gather_few, 90, 0, gather_few_SMEM, 8, 40, 1),
    ROW(gather_fp8, 90, 1, gather_fp8_SMEM, 0, 0, 0), ROW(looked_up, 80, 0, 0, 0, 0, 0),
    ALL(ROW(gather_plain, 90, 0, gather_plain_SMEM, 0, 0, 0), ROW(gather_parts, 90, 0, gather_parts_SMEM, 0, 0, 0),
        ROW(gather_beside, 90, 2, gather_beside_SMEM, 0, 0, 0),
        ROW(plain, 90, 0, plain_SMEM, 0, 0, 0), ROW(two_cols, 90, 2, two_cols_SMEM, 0, 0, 0),
        ROW(masked, 90, 1, masked_SMEM, 0, 0, 0), ROW(fp8_few, 90, 1, fp8_few_SMEM, 0, 0, 0),
        ROW(fp8_tall, 90, 0, fp8_tall_SMEM, 0, 0, 0),
        ROW(mma_pair, 80, 2, mma_pair_SMEM, 0, 0, 0), ROW(mma_f64, 80, 0, mma_f64_SMEM, 0, 0, 0),
        ROW(mma_fp8, 80, 1, mma_fp8_SMEM, 0, 0, 0))
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- elements ---- */
/* -1, -1/2 .. 1: of k below 1000 of them any sum of products is exact in 14 bits. */
static double random_value(void) { return test_int(-2, 2) * 0.5; }

static size_t size_of(int type) { return (size_t)tc_type_bits(type) / 8; }
static int pad(int x, int unit) { return (x + unit - 1) / unit * unit; }

/* NaN, whatever the type. */
static test_buffer make(size_t count, int type)
{
    test_buffer b = test_buffer_make(count * (size_t)tc_type_bits(type) / 8 + 256);
    memset(b.host, 0xff, b.bytes);
    return b;
}

/* ---- groups ---- */
enum { MOST = TC_GROUPS_MOST };
typedef struct { int count, m, first[MOST], end[MOST]; } groups;

/* Rows of each group, drawn in one of several ways; m: the rows that there are. */
static void draw(groups *x, int masked)
{
    const int way = test_int(0, 7), all = test_int(0, 260);
    int at, chosen;
    x->count = way == 0 ? 1 : way == 1 ? test_int(20, 70) : way == 2 && test_int(0, 2) == 0 ? test_int(500, MOST)
                                                                                            : test_int(2, 9);
    at = masked ? 0 : test_int(0, 3) ? 0 : test_int(1, 9);
    chosen = test_int(0, x->count - 1);
    x->m = masked ? test_int(1, x->count > 100 ? 9 : 200) : 0;
    for (int i = 0; i < x->count; i++) {
        int rows = way == 3   ? i == chosen ? all : 0 /* all rows in one */
                 : way == 4   ? test_int(0, 1)
                 : x->count > 100 ? test_int(0, 5) ? 0 : test_int(0, 8)
                 : x->count > 9   ? test_int(0, 12)
                 : test_int(0, 3) == 0 ? 0 : test_int(0, 2) ? test_int(1, 150) : test_int(1, 9) * 16;
        if (masked && rows > x->m) rows = x->m;
        x->first[i] = masked ? 0 : at;
        at += masked ? 0 : rows;
        x->end[i] = x->first[i] + rows;
    }
    if (!masked) x->m = at + (test_int(0, 1) ? test_int(0, 40) : 0);
    if (!masked && x->m == 0) x->m = 1;
}

/* Of a kernel without groups: one product. */
static void draw_one(groups *x)
{
    x->count = 1, x->first[0] = 0, x->end[0] = x->m = test_int(0, 2) ? test_int(1, 300) : test_int(1, 6) * 128;
}

/* The bounds as the kernel wants them: offsets, ends (where the first group begins at row 0) or counts. */
static test_buffer bounds_of(const groups *x, const kernel *kn, tc_gemm_groups *g)
{
    const int masked = kn->c.groups == TC_GROUPS_MASKED, ends = !masked && x->first[0] == 0 && test_int(0, 1);
    test_buffer b = test_buffer_make((size_t)(x->count + 1) * 4);
    int32_t *to = (int32_t *)b.host;
    for (int i = 0; i < x->count; i++) to[i] = masked || ends ? x->end[i] : x->first[i];
    to[x->count] = x->end[x->count - 1];
    test_buffer_up(&b);
    memset(g, 0, sizeof *g);
    if (!kn->c.groups) return b;
    g->count = x->count;
    *(masked ? &g->counts : ends ? &g->ends : &g->offsets) = (const int32_t *)b.dev;
    g->expected = test_int(0, 1) ? test_int(1, 300) : 0;
    return b;
}

/* `count` different rows of more, in any order, a few of them none (-1 or past the end); shared: not different. */
static test_buffer index_of(int count, int of, int shared)
{
    test_buffer b = test_buffer_make((size_t)(count + 1) * 4);
    int32_t *to = (int32_t *)b.host;
    int *all = (int *)malloc((size_t)of * sizeof(int));
    for (int i = 0; i < of; i++) all[i] = i;
    for (int i = 0; i < count; i++) {
        const int j = test_int(i, of - 1), swapped = all[j];
        all[j] = all[i], all[i] = swapped;
        to[i] = test_int(0, 19) ? shared ? test_int(0, of - 1) : swapped : test_int(0, 1) ? -1 : of + test_int(0, 9);
    }
    free(all);
    test_buffer_up(&b);
    return b;
}

/* Row i, or the one that an index says; -1 for none. */
static int row_of(int indexed, const test_buffer *b, int rows, int i)
{
    const int row = indexed ? ((const int32_t *)b->host)[i] : i;
    return row < rows ? row : -1;
}

/* Factors of a byte of one side: of each line and k, as powers of two that their format has; and as the kernel wants
 * them. Where no line's are: NaN. */
typedef struct { test_buffer packed; int block, lines, count, type; uint8_t *code; } byte_factors;

static byte_factors factors_of(const kernel *kn, int lines, int k, size_t packed)
{
    byte_factors f;
    f.type = kn->c.sf == TC_SF_UE8M0_32 ? TC_UE8M0 : TC_UE4M3, f.block = kn->c.sf == TC_SF_UE8M0_32 ? 32 : 16;
    f.lines = lines, f.count = tc_sf_count(k, f.block);
    f.code = (uint8_t *)malloc((size_t)lines * f.count + 1);
    for (int i = 0; i < lines * f.count; i++) {
        const float x = (float)(1 << test_int(0, 2)) * 0.5f;
        f.code[i] = (uint8_t)(f.type == TC_UE8M0 ? tc_ue8m0_from_f32_rz(x) : tc_ue4m3_from_f32(x));
    }
    f.packed = test_buffer_make(packed + 16);
    memset(f.packed.host, 0xff, f.packed.bytes);
    return f;
}

/* `lines` lines from `first` on to their layout, which begins `at` bytes behind the first. */
static void pack_factors(byte_factors *f, int first, int lines, int k, size_t at)
{
    const tc_sf_rows rows = {f->code + (size_t)first * f->count, f->count, lines, k, f->block};
    CHECK(at + tc_sf_bytes(lines, k, f->block) <= f->packed.bytes - 16, "factors of %d rows at %llu are behind all",
          lines, (unsigned long long)at);
    tc_sf_pack((uint8_t *)f->packed.host + at, &rows, 0, 1);
}

static double byte_factor(const byte_factors *f, int line, int k)
{
    const uint8_t code = f->code[(size_t)line * f->count + k / f->block];
    return f->type == TC_UE8M0 ? tc_f32_from_ue8m0(code) : tc_f32_from_ue4m3(code);
}

static void *workspace_of_hooks(test_buffer *b, size_t bytes)
{
    *b = test_buffer_make(bytes);
    return b->dev;
}

static void one(const kernel *kn, uint64_t id)
{
    static groups x;
    const tc_gemm_config *t = &kn->c;
    const int masked = t->groups == TC_GROUPS_MASKED, b_row = t->b_layout == TC_ROW;
    if (t->groups) draw(&x, masked);
    else draw_one(&x);
    const int many = x.count > 100, any = kn->sm < 90 && test_int(0, 1);
    const int unit = any ? 1 : 128 / tc_type_bits(t->a), unit_d = test_int(0, 1) ? 16 / (int)size_of(t->d) : 1;
    int n = many ? test_int(1, 12) : test_int(0, 3) ? test_int(1, 200) : test_int(1, 6) * 64;
    const int most_k = many ? 40 : test_int(0, 3) ? 200 : 900, some_k = test_int(0, 19) == 0 ? 0 : test_int(1, most_k);
    const int k = t->a == TC_E2M1 ? pad(some_k, 2) : some_k;
    const double alphas[] = {1, 1, -0.5, 0, 2}, betas[] = {0, 0, 1, -2};
    const double alpha = alphas[test_int(0, 4)], beta = betas[test_int(0, 3)];
    const float alpha32 = (float)alpha, beta32 = (float)beta;
    if (kn->hook == 2) n = pad(n, 2);
    const int64_t lda = pad(k, unit) + unit * test_int(0, 2), ldb = pad(b_row ? n : k, unit) + unit * test_int(0, 2);
    const int64_t ldc = pad(n, unit_d), ldd = pad(n, unit_d) + unit_d * test_int(0, 3);
    const int64_t sa = masked ? pad((int)(x.m * lda), unit) : 0;
    const int64_t sb = t->groups && test_int(0, 5) ? pad((int)((b_row ? k : n) * ldb), unit) + unit : 0;
    const int64_t sc = masked ? x.m * ldc : 0, sd = masked ? x.m * ldd + unit_d * test_int(0, 2) : 0;
    const int ia = t->index & TC_INDEX_A, into = t->index & TC_INDEX_D;
    const int a_rows = ia ? test_int(1, 200) : x.m, d_rows = into ? x.m + test_int(0, 30) : x.m;
    test_buffer a_row = index_of(x.m, ia ? x.m + a_rows : x.m, 0), d_row = index_of(x.m, d_rows, 0);
    for (int i = 0; ia && i < x.m; i++) /* of A's rows any, more than once too */
        ((int32_t *)a_row.host)[i] = test_int(0, 9) ? test_int(0, a_rows - 1) : test_int(0, 1) ? -1 : a_rows;
    test_buffer_up(&a_row);
    const int matrices = masked ? x.count : 1, blocks = (k + 127) / 128, b_lines = (n + 127) / 128;
    test_buffer a = make((size_t)(sa * matrices + a_rows * lda), t->a);
    test_buffer b = make((size_t)(sb * x.count + (b_row ? k : n) * ldb), t->b);
    test_buffer c = make((size_t)(sc * matrices + d_rows * ldc), t->d);
    test_buffer d = make((size_t)(sd * matrices + d_rows * ldd), t->d);
    test_buffer fa = make((size_t)(x.m * blocks), TC_F32), fb = make((size_t)(x.count * b_lines * blocks), TC_F32);
    test_buffer bias = make((size_t)x.count * n, TC_F32), span = test_buffer_make((size_t)x.count * 8), count;
    told hook;
    tc_gemm_args g;
    tc_gemm_choice choice;
    char what[256];
    memset(&g, 0, sizeof g);
    test_buffer bounds = bounds_of(&x, kn, &g.groups);

    for (int i = 0; i < x.count; i++) {
        ((int32_t *)span.host)[i] = x.first[i], ((int32_t *)span.host)[x.count + i] = x.end[i];
        for (int r = x.first[i]; r < x.end[i]; r++) {
            const int z = masked ? i : 0, from = row_of(ia, &a_row, a_rows, r), to = row_of(into, &d_row, d_rows, r);
            for (int e = 0; from >= 0 && e < k; e++)
                put(t->a, a.host, (size_t)(z * sa + from * lda + e), random_value());
            for (int j = 0; to >= 0 && j < n; j++)
                put(t->d, c.host, (size_t)(z * sc + to * ldc + j), random_value());
        }
        for (int j = 0; (sb || i == 0) && j < n; j++)
            for (int e = 0; e < k; e++)
                put(t->b, b.host, (size_t)(i * sb + (b_row ? e * ldb + j : j * ldb + e)), random_value());
        for (int j = 0; j < n; j++) ((float *)bias.host)[i * n + j] = (float)random_value();
        for (int j = 0; j < b_lines * blocks; j++)
            ((float *)fb.host)[i * b_lines * blocks + j] = (float)test_int(1, 2) * 0.5f;
    }
    for (int i = 0; i < x.m * blocks; i++) ((float *)fa.host)[i] = (float)(1 << test_int(0, 2));
    test_buffer_up(&a), test_buffer_up(&b), test_buffer_up(&c), test_buffer_up(&d), test_buffer_up(&bias);
    test_buffer_up(&span), test_buffer_up(&fa), test_buffer_up(&fb);
    const size_t elements = (size_t)matrices * x.m * n;
    workspace_of_hooks(&count, (elements + 1) * 4);
    const told all = {(int *)count.dev, (int *)count.dev + elements, (const float *)bias.dev, (const int32_t *)span.dev,
                      (const int32_t *)span.dev + x.count, x.m, n, x.count, masked};
    hook = all;
    g.m = x.m, g.n = n, g.k = k, g.lda = lda, g.ldb = ldb, g.ldc = ldc, g.ldd = ldd, g.d = d.dev;
    if (k) g.a = a.dev, g.b = b.dev;
    g.stride_a = sa, g.stride_b = sb, g.stride_c = sc, g.stride_d = sd;
    if (t->d == TC_F64) g.alpha64 = &alpha, g.beta64 = &beta;
    else g.alpha = &alpha32, g.beta = &beta32;
    if (beta != 0) g.c = c.dev;
    if (kn->hook) g.epi_args = &hook, g.epi_size = sizeof hook;
    if (t->a_scale) {
        const tc_gemm_scale s = {(const float *)fa.dev, 1, x.m, 0}; /* of TC_GROUPS_MASKED the same for each */
        const tc_gemm_scale r = {(const float *)fb.dev, blocks ? blocks : 1, 1, b_lines * blocks};
        g.a_scale = s, g.b_scale = r;
    }
    byte_factors sa_codes, sb_codes;
    if (t->sf) {
        const int by = t->sf == TC_SF_UE8M0_32 ? 32 : 16;
        const size_t one_a = tc_sf_bytes(x.m, k, by), one_b = tc_sf_bytes(n, k, by);
        sa_codes = factors_of(kn, matrices * x.m, k, masked ? one_a * x.count : tc_sf_group_bytes(x.m, k, by, x.count));
        sb_codes = factors_of(kn, x.count * n, k, one_b * x.count);
        for (int i = 0; i < x.count; i++) {
            const int rows = x.end[i] - x.first[i], first = masked ? i * x.m : x.first[i];
            const size_t at = masked ? one_a * i : tc_sf_bytes(tc_sf_group_row(x.first[i], i), k, by);
            if (rows) pack_factors(&sa_codes, first, rows, k, at);
            pack_factors(&sb_codes, i * n, n, k, one_b * i);
        }
        test_buffer_up(&sa_codes.packed), test_buffer_up(&sb_codes.packed);
        g.sfa = sa_codes.packed.dev, g.sfb = sb_codes.packed.dev;
        g.stride_sfa = masked ? (int64_t)one_a : 0, g.stride_sfb = (int64_t)one_b;
    }
    if (ia) g.a_row = (const int32_t *)a_row.dev, g.a_rows = a_rows;
    if (into) g.d_row = (const int32_t *)d_row.dev, g.d_rows = d_rows;
    g.pdl = test_int(0, 3) == 0;
    memset(&choice, 0, sizeof choice);
    if (kn->step && test_int(0, 2) && !many) { /* narrow tiles of many rows: more than the table counts */
        choice.width = kn->step * test_int(1, kn->wide / kn->step);
        choice.cluster = test_int(1, kn->cluster);
        if (!tc__gemm90_b_shared(tc_gemm90_view(*t), choice.width, 2)) choice.cluster = 1; /* boxes of 64 columns */
        g.choice = &choice;
    }
    test_buffer parts = test_buffer_make(t->split ? 4u << 20 : 16u);
    if (t->split && test_int(0, 3)) {
        memset(parts.host, 0xff, parts.bytes);
        test_buffer_up(&parts);
        g.workspace = parts.dev, g.workspace_size = parts.bytes;
        choice.parts = test_int(0, 4);
        g.choice = &choice;
    }
    snprintf(what, sizeof what, "%s, problem %llu: m %d n %d k %d groups %d ld %d %d %d strides %d %d alpha %g beta %g "
             "width %d cluster %d pdl %d", kn->name, (unsigned long long)id, x.m, n, k, x.count, (int)lda, (int)ldb,
             (int)ldd, (int)sb, (int)sd, alpha, beta, choice.width, choice.cluster, g.pdl);
    snprintf(test_context, sizeof test_context, "%s", what);
    const tc_status st = kn->run(&g, 0);
    CHECK(st == TC_OK, "%s: %s", what, tc_why());
    if (st == TC_OK) {
        uint8_t *before = (uint8_t *)malloc(d.bytes);
        int bad = 0, outside = 0, uncounted = 0;
        memcpy(before, d.host, d.bytes);
        test_buffer_down(&d);
        test_buffer_down(&count);
        for (int i = 0; i < x.count; i++) {
            for (int r = x.first[i]; r < x.end[i]; r++) {
                const int from = row_of(ia, &a_row, a_rows, r), to = row_of(into, &d_row, d_rows, r);
                for (int j = 0; j < n && to >= 0; j++) {
                    const size_t at = (size_t)((masked ? i : 0) * sd + to * ldd + j);
                    double sum = 0;
                    for (int e = 0; e < k && alpha != 0 && from >= 0; e++) {
                        const double f = t->sf ? byte_factor(&sa_codes, masked ? i * x.m + r : r, e)
                                                     * byte_factor(&sb_codes, i * n + j, e)
                                       : !t->a_scale ? 1
                                       : (double)((float *)fa.host)[e / 128 * x.m + r]
                                             * ((float *)fb.host)[i * b_lines * blocks + j / 128 * blocks + e / 128];
                        sum += f * get(t->a, a.host, (size_t)((masked ? i : 0) * sa + from * lda + e))
                             * get(t->b, b.host, (size_t)(i * sb + (b_row ? e * ldb + j : j * ldb + e)));
                    }
                    double want = alpha * sum;
                    if (beta != 0) want += beta * get(t->d, c.host, (size_t)((masked ? i : 0) * sc + to * ldc + j));
                    if (kn->hook) want += ((float *)bias.host)[i * n + j];
                    put(t->d, before, at, want);
                    bad += !(get(t->d, before, at) == get(t->d, d.host, at));
                    memcpy(before + at * size_of(t->d), (uint8_t *)d.host + at * size_of(t->d), size_of(t->d));
                    uncounted += kn->hook && ((int *)count.host)[((size_t)(masked ? i : 0) * x.m + r) * n + j] != 1;
                }
            }
        }
        for (size_t i = 0; i < d.bytes; i++) outside += before[i] != ((uint8_t *)d.host)[i];
        CHECK(bad == 0, "%s: %d elements differ", what, bad);
        CHECK(outside == 0, "%s: %d bytes written outside of the groups", what, outside);
        CHECK(uncounted == 0, "%s: %d elements for which the hook is not called once", what, uncounted);
        CHECK(((int *)count.host)[elements] == 0, "%s: the hook is told %d times of a wrong place", what,
              ((int *)count.host)[elements]);
        free(before);
    }
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&c), test_buffer_drop(&d), test_buffer_drop(&fa);
    test_buffer_drop(&fb), test_buffer_drop(&bias), test_buffer_drop(&span), test_buffer_drop(&count);
    test_buffer_drop(&bounds), test_buffer_drop(&a_row), test_buffer_drop(&d_row), test_buffer_drop(&parts);
    if (t->sf) {
        test_buffer_drop(&sa_codes.packed), test_buffer_drop(&sb_codes.packed);
        free(sa_codes.code), free(sb_codes.code);
    }
}

/* Bounds that make no sense: whatever is computed lies inside of D. */
static void nonsense(const kernel *kn)
{
    enum { M = 150, N = 72, K = 64, COUNT = 6, GUARD = 40 };
    static const int32_t bounds[4][COUNT + 1] = {{-5, 20, 400, 10, 30, 2000000000, 7},
                                                 {150, 140, 100, 60, 20, 10, 0},
                                                 {0, 150, 0, 150, 0, 150, 0},
                                                 {INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, 1, INT32_MIN, 5}};
    const int masked = kn->c.groups == TC_GROUPS_MASKED, matrices = masked ? COUNT : 1;
    const size_t size = size_of(kn->c.d);
    test_buffer a = test_buffer_make((size_t)matrices * M * K * 8), b = test_buffer_make((size_t)COUNT * N * K * 8);
    test_buffer d = make((size_t)(matrices * M + 2 * GUARD) * N, kn->c.d), at = test_buffer_make(sizeof bounds[0]);
    test_buffer a_row = index_of(M, M, 1);
    for (int way = 0; way < 4; way++) {
        tc_gemm_args g;
        int outside = 0;
        memset(&g, 0, sizeof g);
        memset(d.host, 0xff, d.bytes);
        test_buffer_up(&d);
        memcpy(at.host, bounds[way], sizeof bounds[way]);
        test_buffer_up(&at);
        g.m = M, g.n = N, g.k = K, g.a = a.dev, g.b = b.dev, g.d = (char *)d.dev + GUARD * N * size;
        g.lda = g.ldb = K, g.ldd = N, g.stride_b = N * K;
        if (kn->c.b_layout == TC_ROW) g.ldb = N;
        g.groups.count = COUNT;
        if (kn->c.index) g.a_row = (const int32_t *)a_row.dev, g.a_rows = M;
        if (kn->c.sf) g.sfa = g.sfb = b.dev, g.stride_sfb = 512;
        if (masked) g.groups.counts = (const int32_t *)at.dev, g.stride_a = M * K, g.stride_d = M * N;
        else g.groups.offsets = (const int32_t *)at.dev;
        CHECK(kn->run(&g, 0) == TC_OK, "%s: %s", kn->name, tc_why());
        test_buffer_down(&d);
        for (size_t i = 0; i < d.bytes; i++) {
            const size_t row = i / (N * size);
            if (row < GUARD || row >= (size_t)(matrices * M + GUARD)) outside += ((uint8_t *)d.host)[i] != 0xff;
        }
        CHECK(outside == 0, "%s: nonsense %d: %d bytes outside of D", kn->name, way, outside);
    }
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&d), test_buffer_drop(&at), test_buffer_drop(&a_row);
}

/* ---- what the host refuses, in words ---- */
static void refused(const kernel *kn, const tc_gemm_args *g, const char *words)
{
    const tc_status st = kn->run(g, 0);
    CHECK(st != TC_OK && strstr(tc_why(), words), "%s: status %d, \"%s\", not \"%s\"", kn->name, st,
          st == TC_OK ? "" : tc_why(), words);
}

static void bad_input(const kernel *kn)
{
    const int masked = kn->c.groups == TC_GROUPS_MASKED;
    char *at = 0;
    CUDA_CHECK(cudaMalloc((void **)&at, 1 << 20));
    const int32_t *there = (const int32_t *)at;
    tc_gemm_args good, g;
    memset(&good, 0, sizeof good);
    good.m = good.n = good.k = 64, good.a = good.b = good.d = at, good.lda = good.ldb = good.ldd = 64;
    good.stride_b = 4096, good.groups.count = 4;
    if (masked) good.groups.counts = there, good.stride_a = good.stride_d = 4096;
    else good.groups.offsets = there;
    CHECK(kn->can_run(&good, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    g = good, g.groups.count = 0, refused(kn, &g, "groups.count = 0 must be in 1..1024");
    g = good, g.groups.count = -3, refused(kn, &g, "groups.count = -3 must be in 1..1024");
    g = good, g.groups.count = 1025, refused(kn, &g, "groups.count = 1025 must be in 1..1024");
    g = good, g.groups.expected = -1, refused(kn, &g, "groups.expected = -1 is negative");
    g = good, g.batch = 2, refused(kn, &g, "batch = 2, but the kernel has .groups");
    if (masked) {
        g = good, g.groups.counts = 0, refused(kn, &g, "groups.counts is null");
        g = good, g.groups.counts = (const int32_t *)(at + 2), refused(kn, &g, "is not a multiple of 4 bytes");
        g = good, g.groups.ends = there, refused(kn, &g, "groups.ends is given, but the kernel's .groups = TC_G");
        g = good, g.stride_d = 0, refused(kn, &g, "stride_d = 0, but groups.count = 4 products need a place each");
        g = good, g.stride_a = -8, refused(kn, &g, "stride_a = -8 is negative");
    } else {
        g = good, g.groups.offsets = 0, refused(kn, &g, "groups.offsets and groups.ends are null");
        g = good, g.groups.offsets = (const int32_t *)(at + 1), refused(kn, &g, "is not a multiple of 4 bytes");
        g = good, g.groups.ends = there, refused(kn, &g, "groups.offsets and groups.ends are both given");
        g = good, g.groups.counts = there, refused(kn, &g, "groups.counts is given, but the kernel's .groups");
        g = good, g.stride_a = 4096, refused(kn, &g, "stride_a = 4096, but with TC_GROUPS_ROWS");
        g = good, g.stride_d = 4096, refused(kn, &g, "stride_d = 4096, but with TC_GROUPS_ROWS");
        g = good, g.m = 0x7fff0000, refused(kn, &g, "more than 65535 tiles along m");
    }
    tc_gemm_config none;
    tc_gemm_sm80_launch launch;
    memset(&none, 0, sizeof none);
    none.a = none.b = none.d = TC_BF16;
    CHECK(tc_gemm_sm80_prepare(&none, &good, 100, &launch) == TC_ERR_CONFIG
              && strstr(tc_why(), "groups is given, but the kernel was generated without .groups"),
          "%s", tc_why());
    if (!masked) { /* .index of a kernel like it */
        none.groups = TC_GROUPS_ROWS, none.index = TC_INDEX_A | TC_INDEX_D;
        good.a_row = good.d_row = there, good.a_rows = good.d_rows = 64;
        CHECK(tc_gemm_sm80_prepare(&none, &good, 100, &launch) == TC_OK, "%s", tc_why());
        refused(kn, &good, "a_row is given, but the kernel was generated without .index = TC_INDEX_A");
        const tc_gemm_args all = good;
        for (int i = 0; i < 4; i++) {
            static const char *const words[4] = {"a_row is null, but the kernel has .index",
                                                 "d_rows = 0 must be at least 1", "is not a multiple of 4 bytes",
                                                 "batch = 2, but the kernel has .groups"};
            g = all;
            if (i == 0) g.a_row = 0;
            else if (i == 1) g.d_rows = 0;
            else if (i == 2) g.d_row = (const int32_t *)(at + 2);
            else g.batch = 2;
            CHECK(tc_gemm_sm80_prepare(&none, &g, 100, &launch) != TC_OK && strstr(tc_why(), words[i]),
                  "%s, not \"%s\"", tc_why(), words[i]);
        }
    }
    CUDA_CHECK(cudaFree(at));
}

/* Of rows of A that a kernel of TMA looks up. */
static void bad_index(const kernel *kn)
{
    char *at = 0;
    CUDA_CHECK(cudaMalloc((void **)&at, 1 << 20));
    const int32_t *there = (const int32_t *)at;
    tc_gemm_args good, g;
    memset(&good, 0, sizeof good);
    good.m = good.n = good.k = 64, good.a = good.b = good.d = at, good.lda = good.ldb = good.ldd = 64;
    good.stride_b = 4096, good.groups.count = 4, good.groups.offsets = there, good.a_row = there, good.a_rows = 7;
    CHECK(kn->can_run(&good, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    g = good, g.a_row = 0, refused(kn, &g, "a_row is null, but the kernel has .index");
    g = good, g.a_row = (const int32_t *)(at + 2), refused(kn, &g, "is not a multiple of 4 bytes");
    g = good, g.a_rows = 0, refused(kn, &g, "a_rows = 0 must be at least 1: the kernel has .index");
    g = good, g.a_rows = -1, refused(kn, &g, "a_rows = -1 must be at least 1: the kernel has .index");
    g = good, g.d_row = there, refused(kn, &g, "d_row is given, but the kernel was generated without .index");
    g = good, g.batch = 2, refused(kn, &g, "batch = 2, but the kernel has .groups");
    g = good, g.a = at + 2, refused(kn, &g, "is not a multiple of 16 bytes, as TMA needs");
    g = good, g.lda = 65, refused(kn, &g, "lda = 65 elements = 130 bytes is not a multiple of 16 bytes, as TMA needs");
    CUDA_CHECK(cudaFree(at));
}

/* A plan whose A is another one's later: where A has no tensor map. */
#if !defined(GROUPS_SM100) && !defined(GROUPS_SM120) && !defined(FUZZ_KERNELS)
static void plan_of_another(void)
{
    enum { M = 70, N = 24, K = 40, ROWS = 9 };
    test_buffer a[2] = {make(ROWS * K, TC_BF16), make(ROWS * K, TC_BF16)}, b = make(N * K, TC_BF16), d[2];
    test_buffer a_row = test_buffer_make(M * 4), ends = test_buffer_make(4);
    tc_gemm_args g;
    tc_gemm_plan plan;
    for (int i = 0; i < 2; i++) {
        for (size_t e = 0; e < ROWS * K; e++) put(TC_BF16, a[i].host, e, random_value());
        test_buffer_up(&a[i]);
        d[i] = make(M * N, TC_F32), test_buffer_up(&d[i]);
    }
    for (size_t e = 0; e < N * K; e++) put(TC_BF16, b.host, e, random_value());
    test_buffer_up(&b);
    for (int i = 0; i < M; i++) ((int32_t *)a_row.host)[i] = i * 7 % (ROWS + 1) - 1;
    *(int32_t *)ends.host = M;
    test_buffer_up(&a_row), test_buffer_up(&ends);
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.a = a[0].dev, g.b = b.dev, g.d = d[0].dev, g.lda = g.ldb = K, g.ldd = N;
    g.groups.count = 1, g.groups.ends = (const int32_t *)ends.dev;
    g.a_row = (const int32_t *)a_row.dev, g.a_rows = ROWS;
    CHECK(gather_few_plan(&g, &plan) == TC_OK, "%s", tc_why());
    g.a = a[1].dev;
    CHECK(tc_gemm_plan_pointers(&plan, &g) == TC_OK && gather_few_launch(&plan, 0) == TC_OK, "%s", tc_why());
    g.d = d[1].dev;
    CHECK(gather_few_run(&g, 0) == TC_OK, "%s", tc_why());
    test_buffer_down(&d[0]), test_buffer_down(&d[1]);
    CHECK(!memcmp(d[0].host, d[1].host, M * N * 4), "a plan reads the A that it was made with");
    for (int i = 0; i < 2; i++) test_buffer_drop(&a[i]), test_buffer_drop(&d[i]);
    test_buffer_drop(&b), test_buffer_drop(&a_row), test_buffer_drop(&ends);
}
#else
static void plan_of_another(void) {}
#endif

static void once(const kernel *kn)
{
    if (!strcmp(kn->name, "gather_few")) plan_of_another();
    if (kn->c.groups && !kn->hook && !kn->c.a_scale && !(kn->c.index & TC_INDEX_D)) nonsense(kn);
    if (kn->sm >= 90 && kn->c.a == TC_BF16 && !kn->hook && kn->c.index == TC_INDEX_A) bad_index(kn);
    if (kn->c.a == TC_BF16 && !kn->hook && !kn->c.index) bad_input(kn);
    if (kn->c.sf && kn->c.groups == TC_GROUPS_ROWS) {
        tc_gemm_args g;
        memset(&g, 0, sizeof g);
        g.m = g.n = g.k = 64, g.a = g.b = g.d = (void *)256, g.lda = g.ldb = g.ldd = 64, g.groups.count = 4;
        g.groups.offsets = (const int32_t *)256, g.sfb = (void *)256, g.stride_b = 4096;
        if (kn->hook) g.epi_args = &g, g.epi_size = sizeof(told);
        if (kn->c.index) g.a_row = (const int32_t *)256, g.a_rows = 64;
        refused(kn, &g, "sfa is null");
        g.sfa = (void *)256, g.stride_sfa = 16;
        refused(kn, &g, "stride_sfa = 16, but with TC_GROUPS_ROWS the factors of all groups are one layout");
    }
}

#define EACH_KERNEL
#include "gemm_problems.h"

int main(int argc, char **argv)
{
    const problem_test test = {"gemm_groups", one, ONCE(once)};
    return each_problem(&test, problem_args_of(argc, argv, 160));
}
