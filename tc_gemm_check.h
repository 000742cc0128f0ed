/* tc_gemm_check.h - tc 0.2.0 - the host's part that all GEMMs share: the rules for a call, each in a sentence, and what
 * a kernel is told of D. Needs: the headers below.
 *
 *     tc__gemm_check            the rules for a call, whatever the kernel
 *     tc__gemm_effective        a call as a kernel sees it: without what is 0
 *     tc__gemm_matrix, _fits    an operand as a matrix; does TMA take it?
 *     tc__gemm_out              C, D and what else is written
 */
#ifndef TC_GEMM_CHECK_H
#define TC_GEMM_CHECK_H

#include "tc_gemm_config.h"
#include "tc_gemm_gate.h"
#include "tc_gemm_rows.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a program gives tc_gemm_sm90_prepare and tc_gemm_sm80_prepare as .epi or .epi2 where the kernel, compiled
 * elsewhere (NVRTC), has a hook: host and device then have the same configuration. Nobody calls them. */
TC_HOST float tc_epi_on_device(float x, tc_gemm_at at, const void *args) { return (void)at, (void)args, x; }
TC_HOST tc_f32x2 tc_epi2_on_device(tc_f32x2 x, tc_gemm_at at, const void *args) { return (void)at, (void)args, x; }
TC_HOST float tc_gate_on_device(float gate, float up, tc_gemm_at at, const void *args)
{
    return (void)at, (void)args, gate * up;
}
TC_HOST int tc_gemm_tile_on_device(tc_gemm_tile tile, const void *args) { return (void)tile, (void)args, 0; }
TC_HOST int tc_gemm_keep_on_device(tc_gemm_at at, const void *args) { return (void)at, (void)args, 0; }
TC_HOST tc_gemm_k tc_gemm_k_on_device(tc_gemm_tile tile, const void *args)
{
    const tc_gemm_k none = {0, 0};
    return (void)tile, (void)args, none;
}

#define TC__GEMM_FIELD(name, most) {#name, offsetof(tc_gemm_config, name), most}
static const tc__field tc__gemm_fields[] TC_UNUSED = {
    TC__GEMM_FIELD(a, 0),           TC__GEMM_FIELD(b, 0),
    TC__GEMM_FIELD(d, 0),           TC__GEMM_FIELD(bm, 2048),
    TC__GEMM_FIELD(bn, 2048),       TC__GEMM_FIELD(bk, 2048),
    TC__GEMM_FIELD(stages, 64),     TC__GEMM_FIELD(warps_m, 64),
    TC__GEMM_FIELD(warps_n, 64),    TC__GEMM_FIELD(cluster_m, 16),
    TC__GEMM_FIELD(cluster_n, 16),  TC__GEMM_FIELD(cluster_k, 16),
    TC__GEMM_FIELD(consumers, 16),  TC__GEMM_FIELD(schedule, 16),
    TC__GEMM_FIELD(epi_stages, 16), TC__GEMM_FIELD(step, 256),
    TC__GEMM_FIELD(swap, 1),        TC__GEMM_FIELD(split, 1),
    TC__GEMM_FIELD(clc, 1),         TC__GEMM_FIELD(sf, 0),
    TC__GEMM_FIELD(raster, 16),     TC__GEMM_FIELD(raster_group, 1 << 30),
    TC__GEMM_FIELD(epi_size, 0),    TC__GEMM_FIELD(a_layout, 0),
    TC__GEMM_FIELD(b_layout, 0),    TC__GEMM_FIELD(d_layout, 0),
    TC__GEMM_FIELD(promote, 0),     TC__GEMM_FIELD(round, 0),       TC__GEMM_FIELD(acc, 0),
    TC__GEMM_FIELD(a_scale, 0),     TC__GEMM_FIELD(b_scale, 0),     TC__GEMM_FIELD(groups, 0),
    TC__GEMM_FIELD(index, 0),       TC__GEMM_FIELD(aux, 0),         TC__GEMM_FIELD(aux_what, 0),
    TC__GEMM_FIELD(aux_layout, 0),
    TC__GEMM_FIELD(col_sum, 0),     TC__GEMM_FIELD(d_scale, 0),
    TC__GEMM_FIELD(d_sf, 0),        TC__GEMM_FIELD(c_type, 0),
    TC__GEMM_FIELD(row_sum, 0),     TC__GEMM_FIELD(all_sum, 0),     TC__GEMM_FIELD(chip, 107),
    TC__GEMM_FIELD(sparse, 0),      TC__GEMM_FIELD(sum_atomic, 1),
    TC__GEMM_FIELD(weights, 0),     TC__GEMM_FIELD(weights_k, 128), TC__GEMM_FIELD(weights_zero, 1),
    TC__GEMM_FIELD(triangle, 0),    TC__GEMM_FIELD(bsr, 256),       TC__GEMM_FIELD(op, 2),
    TC__GEMM_FIELD(rows, 2),        TC__GEMM_FIELD(top, 32),        TC__GEMM_FIELD(renorm, 1),
    {NULL, 0, 0}};

/* A field that takes part of the workspace. */
TC_HOST const char *tc__gemm_sum_name(const tc_gemm_config *c)
{
    return c->row_sum ? "row" : c->col_sum ? "col" : "all";
}

/* What must hold before a configuration can be completed. */
TC_HOST tc_status tc__gemm_config_check(const tc_gemm_config *c)
{
    const tc__field *tc__fields = tc__gemm_fields;
    const tc_status st = tc__config_range(tc__fields, c);
    if (st != TC_OK) return st;
    TC__GEMM_RULES(TC__RULE_SAY, *c)
    if (tc__gemm_twice(*c))
        return tc__fail(TC_ERR_CONFIG, ".%s_sum takes two launches, which NAME_run and NAME_launch do",
                        tc__gemm_sum_name(c));
    return TC_OK;
}

/* Is there anything to compute? */
TC_HOST int tc__gemm_empty(const tc_gemm_args *g)
{
    const int strided = g->stride_a || g->stride_b || g->stride_c || g->stride_d;
    return g->m == 0 || g->n == 0 || (g->batch == 0 && strided && g->groups.count == 0);
}

TC_HOST int tc__gemm_batch(const tc_gemm_args *g) { return g->batch ? g->batch : 1; }

/* Matrices of A, B, C or D, as which says: of groups that are rows of one another, B alone has more than one; of those
 * that are runs of k, C and D alone. */
TC_HOST int tc__gemm_matrices(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    if (c->groups == TC_GROUPS_K) return which == 'c' || which == 'd' ? g->groups.count : 1;
    if (c->groups == TC_GROUPS_MASKED || c->groups == TC_GROUPS_ARRAY || (c->groups && which == 'b'))
        return g->groups.count;
    return tc__gemm_batch(g);
}
TC_HOST double tc__gemm_alpha(const tc_gemm_args *g) { return g->alpha64 ? *g->alpha64 : g->alpha ? *g->alpha : 1.; }
TC_HOST double tc__gemm_beta(const tc_gemm_args *g) { return g->beta64 ? *g->beta64 : g->beta ? *g->beta : 0.; }

/* A, B, C or D of a call, as which says: 'a', 'b', 'c', 'd': rows of what lies together in memory, so that rows of B
 * are its columns unless it is row-major. */
TC_HOST tc_operand_matrix tc__gemm_matrix(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const int turned = which == 'a' ? tc__gemm_a_col(*c) : which == 'b' ? tc__gemm_b_row(*c) : tc__gemm_d_col(*c);
    const int half = c->sparse == (which == 'a' ? TC_SPARSE_A : which == 'b' ? TC_SPARSE_B : -1); /* of it is kept */
    const int cols = which == 'a' || which == 'b' ? g->k >> half : g->n, looked_up = c->index & TC_INDEX_A;
    const int rows = which == 'b' ? g->n : which == 'a' && looked_up ? g->a_rows : g->m;
    tc_operand_matrix x;
    x.name = which == 'a' ? "a" : which == 'b' ? "b" : which == 'c' ? "c" : "d";
    x.type = which == 'a' ? c->a : which == 'b' ? c->b : which == 'c' ? tc__gemm_c(*c) : c->d;
    x.base = which == 'a' ? g->a : which == 'b' ? g->b : which == 'c' ? g->c : g->d;
    x.cols = turned ? rows : cols;
    x.rows = turned ? cols : rows;
    if (c->bsr && which == 'a') x.cols = c->bsr, x.rows = (int)((int64_t)g->bsr.blocks * c->bsr);
    x.batch = tc__gemm_matrices(c, g, which);
    x.pitch = which == 'a' ? g->lda : which == 'b' ? g->ldb : which == 'c' ? g->ldc : g->ldd;
    x.stride = which == 'a' ? g->stride_a : which == 'b' ? g->stride_b : which == 'c' ? g->stride_c : g->stride_d;
    return x;
}

/* Lines of factors of A or B: its rows (of B: columns), or blocks of 128 of them; blocks of k. */
TC_HOST int64_t tc__gemm_scale_lines(int scale, int lines)
{
    return scale == TC_SCALE_128X128 ? ((int64_t)lines + TC__SCALE_K - 1) / TC__SCALE_K : lines;
}

/* Factors as a call gives them, which: 'a' or 'b'; 'd': as it wants them, of rows and of columns in place of k. */
TC_HOST tc_status tc__gemm_check_scale(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const tc_gemm_scale s = which == 'a' ? g->a_scale : which == 'b' ? g->b_scale : g->d_scale_out;
    const int scale = which == 'a' ? c->a_scale : which == 'b' ? c->b_scale : c->d_scale;
    const int64_t lines = tc__gemm_scale_lines(scale, which == 'b' ? g->n : g->m);
    const int64_t blocks = ((int64_t)(which == 'd' ? g->n : g->k) + TC__SCALE_K - 1) / TC__SCALE_K;
    const char *out = which == 'd' ? "_out" : "";
    if (!scale && (s.at || s.lines || s.blocks || s.batch))
        return tc__fail(TC_ERR_CONFIG, "%c_scale%s is given, but the kernel was generated without .%c_scale", which,
                        out, which);
    if (!scale || tc__gemm_empty(g) || (g->k == 0 && which != 'd')) return TC_OK;
    if (!s.at) return tc__fail(TC_ERR_NULL, "%c_scale%s.at is null, but the kernel has .%c_scale", which, out, which);
    if ((uintptr_t)s.at % 4)
        return tc__fail(TC_ERR_ALIGN, "%c_scale%s.at = %p is not a multiple of 4 bytes", which, out,
                        (const void *)s.at);
    if (s.lines < (lines > 1) || s.lines * (lines - 1) > 0x7fffffff)
        return tc__fail(TC_ERR_PITCH, "%c_scale%s.lines = %lld must be at least 1, and times %lld lines below 2^31",
                        which, out, (long long)s.lines, (long long)lines);
    if (s.blocks < (blocks > 1))
        return tc__fail(TC_ERR_PITCH, "%c_scale%s.blocks = %lld must be at least 1: there are %lld blocks of %s",
                        which, out, (long long)s.blocks, (long long)blocks, which == 'd' ? "columns" : "k");
    if (s.batch < 0 || (which == 'd' && s.batch == 0 && tc__gemm_matrices(c, g, 'd') > 1))
        return tc__fail(TC_ERR_BATCH, "%c_scale%s.batch = %lld%s", which, out, (long long)s.batch,
                        s.batch < 0 ? " is negative" : ", but each product needs a place");
    return TC_OK;
}

/* groups.each as a table: the arrays, and what the call says in place of each. */
typedef struct tc__gemm_entry {
    const char *name; /* of the array, of the call's */
    const void *at;
    int given; /* the call says it too, where both make no sense */
    unsigned align;
} tc__gemm_entry;
enum { TC__GEMM_EACH_ENTRIES = 11 };

TC_HOST tc__gemm_entry tc__gemm_each_entry(const tc_gemm_args *g, int i)
{
    const tc_gemm_each *e = &g->groups.each;
    const tc__gemm_entry all[TC__GEMM_EACH_ENTRIES] = {
        {"m", e->m, 0, 4},
        {"n", e->n, 0, 4},
        {"k", e->k, 0, 4},
        {"a", e->a, g->a != NULL, 8},
        {"b", e->b, g->b != NULL, 8},
        {"c", e->c, g->c != NULL, 8},
        {"d", e->d, g->d != NULL, 8},
        {"lda", e->lda, g->lda != 0, 8},
        {"ldb", e->ldb, g->ldb != 0, 8},
        {"ldc", e->ldc, g->ldc != 0, 8},
        {"ldd", e->ldd, g->ldd != 0, 8}};
    return all[i];
}

/* TC_GROUPS_ARRAY, and what no other has. */
TC_HOST tc_status tc__gemm_check_each(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const tc_gemm_each *e = &g->groups.each;
    const int64_t strides[4] = {g->stride_a, g->stride_b, g->stride_c, g->stride_d};
    const void *arrays[4];
    int i;
    arrays[0] = e->a, arrays[1] = e->b, arrays[2] = e->c, arrays[3] = e->d;
    for (i = 0; i < TC__GEMM_EACH_ENTRIES; i++) {
        const tc__gemm_entry x = tc__gemm_each_entry(g, i);
        if (!x.at) continue;
        if (c->groups != TC_GROUPS_ARRAY)
            return tc__fail(TC_ERR_CONFIG, "groups.each.%s is given, but the kernel's .groups is not TC_GROUPS_ARRAY",
                            x.name);
        if (x.given)
            return tc__fail(TC_ERR_CONFIG, "%s and groups.each.%s are both given: give one of them", x.name, x.name);
        if ((uintptr_t)x.at % x.align)
            return tc__fail(TC_ERR_ALIGN, "groups.each.%s = %p is not a multiple of %u bytes", x.name, x.at, x.align);
    }
    for (i = 0; i < 4; i++)
        if (arrays[i] && strides[i])
            return tc__fail(TC_ERR_BATCH, "stride_%c = %lld, but groups.each.%c says where each matrix lies: leave it "
                            "0", "abcd"[i], (long long)strides[i], "abcd"[i]);
    return TC_OK;
}

/* The arrays of bounds, by name: those that a kernel takes, and of the others the first one given. */
TC_HOST tc_status tc__gemm_check_bounds(const tc_gemm_config *c, const tc_gemm_args *g)
{
    static const char *const kinds[5] = {"0", "TC_GROUPS_ROWS", "TC_GROUPS_MASKED", "TC_GROUPS_K", "TC_GROUPS_ARRAY"};
    static const char *const takes[5] = {"", "offsets or groups.ends", "counts", "offsets or groups.ends", "each"};
    const tc_gemm_groups *x = &g->groups;
    const int counts = c->groups == TC_GROUPS_MASKED, none = c->groups == TC_GROUPS_ARRAY;
    const void *at = counts ? x->counts : x->offsets ? x->offsets : x->ends;
    const char *name = counts ? "counts" : x->offsets ? "offsets" : "ends", *wrong = NULL;
    if ((counts || none) && x->ends) wrong = "ends";
    if ((counts || none) && x->offsets) wrong = "offsets";
    if (!counts && x->counts) wrong = "counts";
    if (wrong)
        return tc__fail(TC_ERR_CONFIG, "groups.%s is given, but the kernel's .groups = %s takes groups.%s", wrong,
                        kinds[c->groups], takes[c->groups]);
    if (none) return TC_OK;
    if (x->offsets && x->ends)
        return tc__fail(TC_ERR_CONFIG, "groups.offsets and groups.ends are both given: give one of them");
    if (!at && counts)
        return tc__fail(TC_ERR_NULL, "groups.counts is null, but the kernel's .groups = TC_GROUPS_MASKED");
    if (!at)
        return tc__fail(TC_ERR_NULL, "groups.offsets and groups.ends are null, but the kernel's .groups = %s",
                        kinds[c->groups]);
    if ((uintptr_t)at % 4) return tc__fail(TC_ERR_ALIGN, "groups.%s = %p is not a multiple of 4 bytes", name, at);
    return TC_OK;
}

/* Groups as a call gives them. What the device alone knows, it keeps inside the matrices (tc_work.h). */
TC_HOST tc_status tc__gemm_check_groups(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const tc_gemm_groups *x = &g->groups;
    const int rows = c->groups == TC_GROUPS_ROWS;
    const int most = tc__gemm_by_80(*c) ? (int)TC_GROUPS_MOST_80 : (int)TC_GROUPS_MOST;
    tc_status st;
    if (!c->groups && (x->count || x->offsets || x->ends || x->counts || x->expected))
        return tc__fail(TC_ERR_CONFIG, "groups is given, but the kernel was generated without .groups");
    st = tc__gemm_check_each(c, g);
    if (st != TC_OK || !c->groups) return st;
    if (x->count < 1 || x->count > most)
        return tc__fail(TC_ERR_SIZE, "groups.count = %d must be in 1..%d: the kernel has .groups", x->count, most);
    if (x->expected < 0) return tc__fail(TC_ERR_SIZE, "groups.expected = %d is negative", x->expected);
    if (g->batch > 1)
        return tc__fail(TC_ERR_BATCH, "batch = %d, but the kernel has .groups, which are its products: leave it 0",
                        g->batch);
    st = tc__gemm_check_bounds(c, g);
    if (st != TC_OK) return st;
    if (rows && (g->stride_a || g->stride_c || g->stride_d))
        return tc__fail(TC_ERR_BATCH,
                        "stride_%c = %lld, but with TC_GROUPS_ROWS the rows of all groups are one matrix: leave it 0",
                        g->stride_a ? 'a' : g->stride_c ? 'c' : 'd',
                        (long long)(g->stride_a ? g->stride_a : g->stride_c ? g->stride_c : g->stride_d));
    if (c->groups == TC_GROUPS_K && (g->stride_a || g->stride_b))
        return tc__fail(TC_ERR_BATCH, "stride_%c = %lld, but with TC_GROUPS_K the k of all groups is one matrix's: "
                        "leave it 0", g->stride_a ? 'a' : 'b', (long long)(g->stride_a ? g->stride_a : g->stride_b));
    if (!rows && !x->each.d && x->count > 1 && g->stride_d == 0)
        return tc__fail(TC_ERR_BATCH, "stride_d = 0, but groups.count = %d products need a place each", x->count);
    return TC_OK;
}

/* Rows that are looked up, which: 'a' or 'd'. */
TC_HOST tc_status tc__gemm_check_index(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const int32_t *at = which == 'a' ? g->a_row : g->d_row;
    const int rows = which == 'a' ? g->a_rows : g->d_rows;
    if (!(c->index & (which == 'a' ? TC_INDEX_A : TC_INDEX_D))) {
        if (!at && !rows) return TC_OK;
        return tc__fail(TC_ERR_CONFIG, "%c_row is given, but the kernel was generated without .index = TC_INDEX_%c",
                        which, which - 'a' + 'A');
    }
    if (g->batch > 1) return tc__fail(TC_ERR_BATCH, "batch = %d, but the kernel has .index: leave it 0", g->batch);
    if (!at) return tc__fail(TC_ERR_NULL, "%c_row is null, but the kernel has .index", which);
    if ((uintptr_t)at % 4)
        return tc__fail(TC_ERR_ALIGN, "%c_row = %p is not a multiple of 4 bytes", which, (const void *)at);
    if (rows < 1) return tc__fail(TC_ERR_SIZE, "%c_rows = %d must be at least 1: the kernel has .index", which, rows);
    return TC_OK;
}

/* Lines whose parts the workspace holds: `all` parts of `count` lines each, which are of so many matrices. */
typedef struct tc__gemm_lines {
    size_t all, count, matrices;
} tc__gemm_lines;

/* Their bytes, and what is behind them where all of D is kept too (tc_epi.h). */
TC_HOST size_t tc__gemm_lines_bytes(int kind, const tc__gemm_lines x)
{
    const size_t floats = tc__keep_kind(kind) == TC_LOG_SUM_EXP ? 2 : 1;
    const size_t behind = kind & TC__KEEP_ALL ? (x.count + 31) / 32 * x.matrices + 1 : 0;
    if (!kind || kind & TC__KEEP_ATOMIC) return 0;
    return ((floats * x.all * x.count + behind) * sizeof(float) + 15) / 16 * 16;
}

/* Strips of 16 rows of D, one below the other; of TC_GROUPS_ROWS each group's begin anew (tc__col_strip_of). */
TC_HOST int tc__gemm_strips(const tc_gemm_config *c, const tc_gemm_args *g)
{
    return (int)(((int64_t)g->m + 15) / 16) + (c->groups == TC_GROUPS_ROWS ? g->groups.count : 0);
}

/* Bytes of the workspace, at its end, that .row_sum, .col_sum and .all_sum take; those of rows come first. */
TC_HOST size_t tc__gemm_row_parts_bytes(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const size_t matrices = (size_t)tc__gemm_matrices(c, g, 'd');
    const tc__gemm_lines x = {matrices * (((size_t)g->n + 15) / 16), (size_t)g->m, matrices};
    return tc__gemm_lines_bytes(tc__gemm_row_kind(*c), x);
}
TC_HOST size_t tc__gemm_parts_bytes(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const size_t matrices = (size_t)tc__gemm_matrices(c, g, 'd');
    const tc__gemm_lines x = {matrices * (size_t)tc__gemm_strips(c, g), (size_t)g->n,
                              c->groups ? (size_t)g->groups.count : matrices};
    return tc__gemm_row_parts_bytes(c, g) + tc__gemm_lines_bytes(tc__gemm_col_kind(*c), x);
}

/* The call as the rest of the workspace serves it. */
TC_HOST tc_gemm_args tc__gemm_less_parts(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_gemm_args x = *g;
    if (tc__gemm_twice(*c)) x.workspace_size -= tc__gemm_parts_bytes(c, g);
    return x;
}

/* What is written besides D. */
TC_HOST tc_status tc__gemm_check_outputs(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const int col = tc__gemm_aux_col(*c), across = col ? g->m : g->n;
    const int bits = c->aux == TC_B1, size = c->aux && !bits ? tc_type_bits(c->aux) / 8 : 1;
    if (!c->aux && (g->aux.p || g->aux.ld || g->aux.stride))
        return tc__fail(TC_ERR_CONFIG, "aux is given, but the kernel was generated without .aux");
    if (!c->row_sum && g->row_out)
        return tc__fail(TC_ERR_CONFIG, "row_out is given, but the kernel was generated without .row_sum");
    if (!c->col_sum && g->col_out)
        return tc__fail(TC_ERR_CONFIG, "col_out is given, but the kernel was generated without .col_sum");
    if (!c->all_sum && g->all_out)
        return tc__fail(TC_ERR_CONFIG, "all_out is given, but the kernel was generated without .all_sum");
    if (!tc__gemm_outputs(*c) || tc__gemm_empty(g)) return TC_OK;
    if (c->aux && !g->aux.p) return tc__fail(TC_ERR_NULL, "aux.p is null, but the kernel has .aux");
    if (c->aux && (uintptr_t)g->aux.p % (size_t)size)
        return tc__fail(TC_ERR_ALIGN, "aux.p = %p is not a multiple of its element's %d bytes", g->aux.p, size);
    if (c->aux && g->aux.ld < across)
        return tc__fail(TC_ERR_PITCH, "aux.ld = %lld is less than %c = %d", (long long)g->aux.ld, col ? 'm' : 'n',
                        across);
    if (bits && (g->aux.ld | g->aux.stride) % 8)
        return tc__fail(TC_ERR_PITCH, "aux.%s = %lld is not a multiple of 8 bits: rows of .aux = TC_B1 begin at bytes",
                        g->aux.ld % 8 ? "ld" : "stride", (long long)(g->aux.ld % 8 ? g->aux.ld : g->aux.stride));
    if (c->aux && (g->aux.stride < 0 || (g->batch > 1 && g->aux.stride == 0)))
        return tc__fail(TC_ERR_BATCH, "aux.stride = %lld, but batch = %d products need a place each",
                        (long long)g->aux.stride, tc__gemm_batch(g));
    if (c->row_sum && !g->row_out) return tc__fail(TC_ERR_NULL, "row_out is null, but the kernel has .row_sum");
    if ((uintptr_t)g->row_out % 4)
        return tc__fail(TC_ERR_ALIGN, "row_out = %p is not a multiple of 4 bytes", (void *)g->row_out);
    if (c->col_sum && !g->col_out) return tc__fail(TC_ERR_NULL, "col_out is null, but the kernel has .col_sum");
    if ((uintptr_t)g->col_out % 4)
        return tc__fail(TC_ERR_ALIGN, "col_out = %p is not a multiple of 4 bytes", (void *)g->col_out);
    if (c->all_sum && !g->all_out) return tc__fail(TC_ERR_NULL, "all_out is null, but the kernel has .all_sum");
    if ((uintptr_t)g->all_out % 4)
        return tc__fail(TC_ERR_ALIGN, "all_out = %p is not a multiple of 4 bytes", (void *)g->all_out);
    if (tc__gemm_twice(*c) && (!g->workspace || g->workspace_size < tc__gemm_parts_bytes(c, g)))
        return tc__fail(TC_ERR_SIZE, "workspace_size = %llu is less than the %llu bytes that .%s_sum needs",
                        (unsigned long long)(g->workspace ? g->workspace_size : 0),
                        (unsigned long long)tc__gemm_parts_bytes(c, g), tc__gemm_sum_name(c));
    return TC_OK;
}

/* Factors of a quantised D. */
TC_HOST tc_status tc__gemm_check_quantised(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const tc__quant_sf x = {g->d_sf_out, g->stride_d_sf, tc__gemm_empty(g) ? 0 : g->m, g->n,
                            tc__gemm_matrices(c, g, 'd')};
    tc_status st;
    if (c->d_sf && c->groups == TC_GROUPS_ROWS && g->stride_d_sf)
        return tc__fail(TC_ERR_BATCH, "stride_d_sf = %lld, but with TC_GROUPS_ROWS the factors of all groups are one "
                        "layout (tc_sf_group_row): leave it 0", (long long)g->stride_d_sf);
    st = tc__quant_check_sf(c->d_sf, &x);
    return st == TC_OK ? tc__gemm_check_scale(c, g, 'd') : st;
}

/* The rules that hold for every kernel. */
/* Elements of less than a byte: rows are whole bytes, and so is the way from one to the next. */
TC_HOST tc_status tc__gemm_check_packed(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const char *const names[5] = {"k", "lda", "ldb", "stride_a", "stride_b"};
    int64_t sizes[5];
    int i, each;
    if (!tc__gemm_is_packed(c->a) || g->k == 0) return TC_OK;
    each = 8 / tc_type_bits(c->a);
    sizes[0] = g->k, sizes[1] = g->lda, sizes[2] = g->ldb;
    sizes[3] = tc__gemm_matrices(c, g, 'a') > 1 ? g->stride_a : 0;
    sizes[4] = tc__gemm_matrices(c, g, 'b') > 1 ? g->stride_b : 0;
    for (i = 0; i < 5; i++)
        if (sizes[i] % each)
            return tc__fail(TC_ERR_SIZE, "%s = %lld is not a multiple of %d: so many elements of %s share a byte",
                            names[i], (long long)sizes[i], each, tc_type_name(c->a));
    return TC_OK;
}

TC_HOST tc_status tc__gemm_check(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const char names[3] = {'m', 'n', 'k'};
    tc_status st;
    int i, sizes[3];
    if (!g) return tc__fail(TC_ERR_NULL, "args is null");
    sizes[0] = g->m, sizes[1] = g->n, sizes[2] = g->k;
    for (i = 0; i < 3; i++) {
        if (sizes[i] < 0) return tc__fail(TC_ERR_SIZE, "%c = %d is negative", names[i], sizes[i]);
        if (sizes[i] > 0x7fff0000)
            return tc__fail(TC_ERR_SIZE, "%c = %d is above the limit of %d", names[i], sizes[i], 0x7fff0000);
    }
    if (g->batch < 0) return tc__fail(TC_ERR_BATCH, "batch = %d is negative", g->batch);
    st = tc__gemm_check_groups(c, g);
    if (st == TC_OK) st = tc__gemm_check_index(c, g, 'a');
    if (st == TC_OK) st = tc__gemm_check_index(c, g, 'd');
    if (st == TC_OK) st = tc__gate_check(c, g);
    if (st != TC_OK) return st;
    if (g->batch > 1 && g->stride_d == 0)
        return tc__fail(TC_ERR_BATCH, "stride_d = 0, but batch = %d products need a place each", g->batch);
    if (g->stride_a < 0 || g->stride_b < 0 || g->stride_c < 0 || g->stride_d < 0)
        return tc__fail(TC_ERR_BATCH, "stride_%c = %lld is negative",
                        g->stride_a < 0 ? 'a' : g->stride_b < 0 ? 'b' : g->stride_c < 0 ? 'c' : 'd',
                        (long long)(g->stride_a < 0 ? g->stride_a
                                    : g->stride_b < 0 ? g->stride_b : g->stride_c < 0 ? g->stride_c : g->stride_d));
    if (c->d == TC_F64 ? g->alpha || g->beta : g->alpha64 || g->beta64)
        return tc__fail(TC_ERR_CONFIG, "%s%s is given, but D is %s: give %s%s",
                        g->alpha || g->alpha64 ? "alpha" : "beta", c->d == TC_F64 ? "" : "64", tc_type_name(c->d),
                        g->alpha || g->alpha64 ? "alpha" : "beta", c->d == TC_F64 ? "64" : "");
    for (i = 0; i < 4; i++) {
        const tc_operand_matrix x = tc__gemm_matrix(c, g, "abdc"[i]);
        const char *turned = "";
        const void *const pitches[4] = {g->groups.each.lda, g->groups.each.ldb, g->groups.each.ldd,
                                        g->groups.each.ldc};
        if (i == 3 && tc__gemm_beta(g) == 0) break;
        if (pitches[i]) continue; /* the device has them */
        if (x.pitch >= x.cols || (i < 2 && g->k == 0 && x.pitch >= 0) || (i == 1 && c->weights)) continue;
        if (i == 1 ? tc__gemm_b_row(*c) : i == 0 ? tc__gemm_a_col(*c) : tc__gemm_d_col(*c))
            turned = i == 1 ? ", and B is row-major" : i == 0 ? ", and A is column-major" : ", and D is column-major";
        if (i < 2 && c->sparse == i + 1)
            return tc__fail(TC_ERR_PITCH, "ld%s = %lld is less than k / 2 = %d", x.name, (long long)x.pitch, x.cols);
        if (i == 0 && c->bsr)
            return tc__fail(TC_ERR_PITCH, "lda = %lld is less than .bsr = %d", (long long)x.pitch, x.cols);
        return tc__fail(TC_ERR_PITCH, "ld%s = %lld is less than %c = %d%s", x.name, (long long)x.pitch,
                        i == 0   ? *turned ? 'm' : 'k'
                        : i == 1 ? *turned ? 'n' : 'k'
                                 : *turned ? 'm' : 'n',
                        x.cols, turned);
    }
    if (!c->bsr && (g->bsr.row_ptr || g->bsr.col_idx || g->bsr.blocks))
        return tc__fail(TC_ERR_CONFIG, "bsr is given, but the kernel was generated without .bsr");
    st = tc__gemm_check_packed(c, g);
    if (st != TC_OK) return st;
    if (!c->sf && (g->sfa || g->sfb))
        return tc__fail(TC_ERR_CONFIG, "sf%c is given, but the kernel was generated without .sf", g->sfa ? 'a' : 'b');
    st = tc__gemm_check_scale(c, g, 'a');
    if (st == TC_OK) st = tc__gemm_check_scale(c, g, 'b');
    if (st == TC_OK) st = tc__gemm_check_quantised(c, g);
    if (st != TC_OK) return st;
    st = tc__check_hook("epi", c->epi_size, g->epi_args, g->epi_size);
    if (st != TC_OK) return st;
    if (c->epi2 && g->n % 2)
        return tc__fail(TC_ERR_SIZE, "n = %d is odd, but the kernel's pair hook (.epi2) needs an even n", g->n);
    if (g->n == 0 && g->m > 0 && (g->d || g->groups.each.d))
        return tc__fail(
            TC_ERR_SIZE,
            "n = 0, but m = %d and d is given: a call that shall compute nothing leaves d null or has m = 0", g->m);
    if (g->k == 0 && g->m > 0 && g->n > 0 && (g->a || g->b || g->groups.each.a || g->groups.each.b))
        return tc__fail(TC_ERR_SIZE,
                        "k = 0, but %c is given: a call without products, D = epi(beta * C), leaves a and b null",
                        g->a || g->groups.each.a ? 'a' : 'b');
    if (g->workspace_size && !g->workspace)
        return tc__fail(TC_ERR_NULL, "workspace is null, but workspace_size = %llu",
                        (unsigned long long)g->workspace_size);
    if ((uintptr_t)g->workspace % 16)
        return tc__fail(TC_ERR_ALIGN, "workspace = %p is not a multiple of 16 bytes", g->workspace);
    if (g->pdl_constant & ~(TC_CONSTANT_A | TC_CONSTANT_B))
        return tc__fail(TC_ERR_CONFIG, "pdl_constant = %d must be of TC_CONSTANT_A and TC_CONSTANT_B", g->pdl_constant);
    st = tc__gemm_check_outputs(c, g);
    if (st == TC_OK) st = tc__gemm_check_rows(c, g, tc__gemm_empty(g));
    if (st != TC_OK) return st;
    if (tc__gemm_empty(g)) return TC_OK;
    if (!g->d && !g->groups.each.d) return tc__fail(TC_ERR_NULL, "d is null");
    if (g->k > 0 && !g->a && !g->groups.each.a && !(c->bsr && g->bsr.blocks == 0))
        return tc__fail(TC_ERR_NULL, "a is null");
    if (g->k > 0 && !g->b && !g->groups.each.b) return tc__fail(TC_ERR_NULL, "b is null");
    if (c->gate && g->k > 0 && !g->b2) return tc__fail(TC_ERR_NULL, "b2 is null, but the kernel has .gate");
    if (tc__gemm_beta(g) != 0 && !g->c && !g->groups.each.c)
        return tc__fail(TC_ERR_NULL, "c is null, but beta = %g", tc__gemm_beta(g));
    if (c->d == TC_E2M1 && (g->n % 2 || g->ldd % 2 || g->stride_d % 2))
        return tc__fail(TC_ERR_SIZE, "n = %d, ldd = %lld and stride_d = %lld must be even: two elements of e2m1 share "
                        "a byte", g->n, (long long)g->ldd, (long long)g->stride_d);
    if (tc_type_bits(c->d) > 8 && (uintptr_t)g->d % ((size_t)tc_type_bits(c->d) / 8))
        return tc__fail(TC_ERR_ALIGN, "d = %p is not a multiple of its element's %d bytes", g->d,
                        tc_type_bits(c->d) / 8);
    if (tc__gemm_beta(g) != 0 && (uintptr_t)g->c % ((size_t)tc_type_bits(tc__gemm_c(*c)) / 8))
        return tc__fail(TC_ERR_ALIGN, "c = %p is not a multiple of its element's %d bytes", g->c,
                        tc_type_bits(tc__gemm_c(*c)) / 8);
    for (i = 0; i < 2 && g->k > 0; i++) {
        const tc_operand_matrix x = tc__gemm_matrix(c, g, "ab"[i]);
        if (tc_type_bits(x.type) >= 8 && (uintptr_t)x.base % ((size_t)tc_type_bits(x.type) / 8))
            return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of its element's %d bytes", x.name, x.base,
                            tc_type_bits(x.type) / 8);
    }
    return TC_OK;
}

/* The call to make: with alpha = 0, and of A without blocks, there are no products, and A and B are not read. */
TC_HOST tc_gemm_args tc__gemm_effective(const tc_gemm_args *g)
{
    tc_gemm_args e = *g;
    if (tc__gemm_alpha(g) == 0 || (g->bsr.row_ptr && g->bsr.blocks == 0))
        e.k = 0, e.a = e.b = e.b2 = 0, e.groups.each.a = 0, e.groups.each.b = 0;
    return e;
}

/* A call of the product that tc__gemm_plain is the configuration of. */
TC_HOST tc_gemm_args tc__gemm_plain_args(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_gemm_args x = *g;
    if (!tc__gemm_d_col(*c)) return x;
    x.m = g->n, x.n = g->m;
    x.a = g->b, x.b = g->a;
    x.lda = g->ldb, x.ldb = g->lda;
    x.stride_a = g->stride_b, x.stride_b = g->stride_a;
    x.groups.each.m = g->groups.each.n, x.groups.each.n = g->groups.each.m;
    x.groups.each.a = g->groups.each.b, x.groups.each.b = g->groups.each.a;
    x.groups.each.lda = g->groups.each.ldb, x.groups.each.ldb = g->groups.each.lda;
    x.a_scale = g->b_scale, x.b_scale = g->a_scale;
    x.sfa = g->sfb, x.sfb = g->sfa;
    x.stride_sfa = g->stride_sfb, x.stride_sfb = g->stride_sfa;
    x.pdl_constant = (g->pdl_constant & TC_CONSTANT_A ? TC_CONSTANT_B : 0)
                   | (g->pdl_constant & TC_CONSTANT_B ? TC_CONSTANT_A : 0);
    return x;
}

/* TC_GROUPS_K by TMA: bytes before A or B where its map's matrices begin, which end with any row of it. */
TC_HOST int64_t tc__gemm_k_before(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const tc_operand_matrix x = tc__gemm_matrix(c, g, which);
    return tc__gemm_k_outer(*c) && g->k ? (int64_t)((uint64_t)x.rows * (uint64_t)tc__operand_pitch(&x)) : 0;
}

/* Does a matrix follow TMA's rules? One that is not read follows any. */
TC_HOST int tc__gemm_fits(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const tc_operand_matrix x = tc__gemm_matrix(c, g, which);
    if (which < 'c' && (g->k == 0 || c->groups == TC_GROUPS_ARRAY)) return 1; /* the device finds out */
    if (which == 'b' && (uintptr_t)g->b2 % 16) return 0;
    if (which == 'c' && tc__gemm_beta(g) == 0) return 1;
    if (which < 'c' && (uintptr_t)x.base <= (uintptr_t)tc__gemm_k_before(c, g, which)) return 0;
    return tc_operand_breaks(&x) == TC_OPERAND_FITS;
}

/* A and B, in words: the kernels store D, and read C, as they find them. */
TC_HOST tc_status tc__gemm_check_tma(const tc_gemm_config *c, const tc_gemm_args *g)
{
    int i;
    for (i = 0; i < 2; i++) {
        tc_operand_matrix x = tc__gemm_matrix(c, g, "ab"[i]);
        if (i == 1 && tc_operand_breaks(&x) == TC_OPERAND_FITS) x.base = g->b2 ? g->b2 : x.base, x.name = "b2";
        if (!tc__gemm_fits(c, g, "ab"[i]) && tc_operand_breaks(&x) == TC_OPERAND_FITS)
            return tc__fail(TC_ERR_TMAP, "%s = %p lies less than k = %d rows above address 0, where TC_GROUPS_K by TMA "
                            "cannot count from", x.name, x.base, g->k);
        if (!tc__gemm_fits(c, g, "ab"[i])) return tc_operand_check(&x);
    }
    return TC_OK;
}

/* Factors of A ('a') or B of a checked call. */
TC_HOST tc_scale_side tc__gemm_scale(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const tc_gemm_scale s = which == 'a' ? g->a_scale : g->b_scale;
    tc_scale_side x;
    x.at = s.at, x.blocks = s.blocks, x.batch = s.batch, x.lines = (int)s.lines;
    if (c->groups == TC_GROUPS_ROWS && which == 'a') x.batch = 0; /* rows of all groups are one matrix's */
    x.last = (int)tc__gemm_scale_lines(which == 'a' ? c->a_scale : c->b_scale, which == 'a' ? g->m : g->n) - 1;
    x.count = (int)(((int64_t)g->k + TC__SCALE_K - 1) / TC__SCALE_K);
    return x;
}

/* Factors of D, and sums of columns. */
TC_HOST void tc__gemm_more_to(const tc_gemm_config *c, const tc_gemm_args *g, tc_gemm_out *o)
{
    const size_t parts = tc__gemm_parts_bytes(c, g);
    const uintptr_t bytes = (uintptr_t)(g->ldd | g->stride_d) / (c->d == TC_E2M1 ? 2 : 1); /* from row to row */
    tc__more_outputs w;
    memset((void *)&w, 0, sizeof w);
    w.scale = c->d_sf ? g->d_sf_out : (void *)(uintptr_t)g->d_scale_out.at;
    w.lines = g->d_scale_out.lines, w.blocks = g->d_scale_out.blocks;
    w.batch = c->d_sf ? g->stride_d_sf : g->d_scale_out.batch;
    w.vec = ((uintptr_t)g->d | (uintptr_t)g->ldd | (uintptr_t)g->stride_d) % 8 == 0;
    if (w.vec)
        w.vec = (uint16_t)(1 + (((uintptr_t)g->d | bytes) % 16 == 0) + (((uintptr_t)g->d | bytes) % 32 == 0));
    w.down = tc__gemm_strips(c, g), w.each = 1;
    if (tc__gemm_col_kind(*c) && tc__gemm_twice(*c))
        w.parts = (float *)((char *)g->workspace + (g->workspace_size - parts) / 16 * 16
                            + tc__gemm_row_parts_bytes(c, g));
    w.col_out = g->col_out;
    if (c->groups == TC_GROUPS_ARRAY) w.most = g->n;
    memcpy(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES - TC__MORE_BYTES, (const void *)&w, sizeof w);
}

/* What besides D: to the end of the hook's arguments. c, g: of the view whose D is row-major. */
TC_HOST void tc__gemm_outputs_to(const tc_gemm_config *c, const tc_gemm_args *g, tc_gemm_out *o)
{
    const int64_t size = c->aux ? tc_type_bits(c->aux) / 8 : 1;
    const size_t parts = tc__gemm_parts_bytes(c, g);
    tc__outputs w;
    if (tc__gemm_own_ends(*c)) tc__gemm_more_to(c, g, o);
    if (tc__gemm_in_tile(*c)) tc__gemm_rows_to(c, g, o);
    if (!tc__gemm_outputs(*c)) return;
    memset((void *)&w, 0, sizeof w);
    w.aux = g->aux.p, w.ld_aux = g->aux.ld, w.stride_aux = g->aux.stride;
    w.aux_vec = (uintptr_t)g->aux.p % 16 == 0 && g->aux.ld * size % 16 == 0 && g->aux.stride * size % 16 == 0;
    if (c->index & TC_INDEX_D) w.d_row = g->d_row, w.d_rows = g->d_rows;
    if (c->groups == TC_GROUPS_ARRAY) w.most = g->m;
    w.across = (int)(((int64_t)g->n + 15) / 16), w.batch = tc__gemm_matrices(c, g, 'd');
    if (tc__gemm_row_kind(*c) && tc__gemm_twice(*c))
        w.parts = (float *)((char *)g->workspace + (g->workspace_size - parts) / 16 * 16);
    w.row_out = g->row_out, w.all_out = g->all_out, w.each = 1;
    memcpy(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES, (const void *)&w, sizeof w);
}

TC_HOST tc_gemm_out tc__gemm_out(const tc_gemm_config *c, const tc_gemm_args *g)
{
    tc_gemm_out o;
    memset(&o, 0, sizeof o);
    o.m = g->m;
    o.n = g->n;
    o.alpha = g->alpha ? *g->alpha : 1.f;
    o.beta = g->beta ? *g->beta : 0.f;
    o.c = g->c;
    o.ldc = g->ldc;
    o.stride_c = g->stride_c;
    o.d = g->d;
    o.ldd = g->ldd;
    o.stride_d = g->stride_d;
    if (g->epi_size) memcpy(o.epi, g->epi_args, g->epi_size);
    if (c->gate) tc__gate_to(g, &o);
    tc__gemm_outputs_to(c, g, &o);
    return o;
}

/* Parts of rows have `each` times 16 columns; parts of columns so many rows. */
TC_HOST void tc__gemm_row_parts_of(tc_gemm_out *o, int each)
{
    const uint16_t x = (uint16_t)each;
    memcpy(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES + offsetof(tc__outputs, each), &x, sizeof x);
}
TC_HOST void tc__gemm_col_parts_of(tc_gemm_out *o, int each)
{
    const uint16_t x = (uint16_t)each;
    memcpy(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES - TC__MORE_BYTES + offsetof(tc__more_outputs, each), &x, sizeof x);
}

/* A kernel of a call, its blocks, its parameters and the tc_gemm_out in them. */
typedef struct tc__gemm_launched {
    const tc__kernel *k;
    unsigned blocks;
    void *params;
    tc_gemm_out *out;
} tc__gemm_launched;

/* Launches it, and with .row_sum, .col_sum or .all_sum once more. */
TC_HOST tc_status tc__gemm_kernel_launch(const tc_gemm_config *c, const tc__gemm_launched *x, const tc__launch *how)
{
    unsigned char *word = x->out->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES + offsetof(tc__outputs, finish);
    const uint16_t one = 1;
    const tc_status st = tc__kernel_launch(x->k, x->blocks, x->params, how);
    tc__launch again;
    if (st != TC_OK || !tc__gemm_twice(*c)) return st;
    if (how->plan) {
        how->plan->again = (uint32_t)(word - (unsigned char *)x->params);
        how->plan->told = tc__gemm_told_bytes(*c);
        return st;
    }
    memcpy(word, &one, sizeof one);
    again = *how;
    again.pdl = 1; /* it waits for the first, wherever that is launched so */
    return tc__kernel_launch(x->k, x->blocks, x->params, &again);
}

#endif /* host */
#endif /* TC_GEMM_CHECK_H */
