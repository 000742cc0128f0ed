/* draw.cu - draws configurations of the generators at random and keeps those that the generators' own rules allow.
 *     draw FAMILY SEED COUNT SMEM > kernels.inc  FAMILY: gemm, quant, outputs, tiles, groups, sparse, weights, conv,
 *                                                each, gate, rows, bits, attn or bwd, and the target (gemm80); or
 *                                                decode80, or e90, attention of e4m3; SMEM: the most shared memory,
 *                                                in bytes
 *     draw FAMILY SEED COUNT SMEM rules          instead: what was tried, and how often each rule said no
 *
 * kernels.inc defines the kernels and the table of them that a test then takes in place of its own (FUZZ_KERNELS);
 * hooks, problems, references and bounds are the test's: tests/gemm_fuzz.cu, gemm_quant.cu, gemm_outputs.cu,
 * gemm_tiles.cu, gemm_groups.cu, gemm_each.cu, gemm_sparse.cu, gemm_mixed.cu, conv.cu, gemm_gate.cu, gemm_rows.cu,
 * gemm_bits.cu, attn_fuzz.cu, attn_decode.cu, attn_fp8.cu, attn_bwd.cu. tests/lattice.sh puts it together.
 *
 * A draw fixes first what is rare and worth a share of its own (how many warps, what kind of cluster, which hooks),
 * then draws everything else until the rules hold. A field that is 0 is left out, for the generator to fill in. */
#include "../../tc.h"
#include "../test.h"
#include <ctype.h>

/* The rules as they stand in the generators, but each returns its sentence where it is broken. */
#define BREAKS(condition, sentence) if (!(condition)) return sentence;
static const char *gemm80_breaks(const tc_gemm_config c) { TC__GEMM_SM80_RULES(BREAKS, c) return 0; }
static const char *gemm100_breaks(const tc_gemm_config c) { TC__GEMM_SM100_RULES(BREAKS, c) return 0; }
static const char *gemm120_breaks(const tc_gemm_config c) { TC__GEMM_SM120_RULES(BREAKS, c) return 0; }
static const char *conv80_breaks(const tc_gemm_config c) { TC__CONV_RULES(BREAKS, c) return gemm80_breaks(c); }
static const char *gemm90_breaks(const tc_gemm_config c) { TC__GEMM_SM90_RULES(BREAKS, c) return 0; }
static const char *conv90_breaks(const tc_gemm_config c) { TC__CONV_SM90_RULES(BREAKS, c) return gemm90_breaks(c); }
static const char *attn80_breaks(const tc_attn_config c) { TC__ATTN_SM80_RULES(BREAKS, c) return 0; }
static const char *attn90_breaks(const tc_attn_config c) { TC__ATTN_SM90_RULES(BREAKS, c) return 0; }
static const char *attn120_breaks(const tc_attn_config c) { TC__ATTN_SM120_RULES(BREAKS, c) return 0; }
static const char *attn100_breaks(const tc_attn_config c) { TC__ATTN_SM100_RULES(BREAKS, c) return 0; }
static const char *bwd80_breaks(const tc_attn_bwd_config c) { TC__ATTN_BWD_SM80_RULES(BREAKS, c) return 0; }
static const char *bwd90_breaks(const tc_attn_bwd_config c) { TC__ATTN_BWD_SM90_RULES(BREAKS, c) return 0; }
static const char *decode_breaks(const tc_attn_config c) { TC__ATTN_DECODE_RULES(BREAKS, c) return 0; }

/* ---- the hooks of the tests: what a configuration says, and what the table of kernels says ---- */
typedef struct { const char *field, *size, *id; int pair; } gemm_hook;
static const gemm_hook gemm_hooks[] = {
    {"", "", "EPI_NONE", 0},
    {", .epi = hook_bias_gelu", ", .epi_size = sizeof(hook_args)", "EPI_BIAS_GELU", 0},
    {", .epi = tc_epi_scale_row", ", .epi_size = sizeof(tc_epi_vector)", "EPI_SCALE_ROW", 0},
    {", .epi = tc_epi_residual_f32", ", .epi_size = sizeof(tc_epi_matrix)", "EPI_RESIDUAL", 0},
    {", .epi2 = hook_pair", ", .epi_size = sizeof(hook_args)", "EPI_PAIR", 1},
    {", .epi = hook_once", ", .epi_size = sizeof(once_args)", "EPI_ONCE", 0},
    {", .epi2 = hook_once_pair", ", .epi_size = sizeof(once_args)", "EPI_ONCE_PAIR", 1},
};

/* Those of the other tests: none, one element's, a pair's. */
#define HOOKS(name, args, one, pair)                                                                                  \
    static const gemm_hook name[] = {{"", "", "0", 0},                                                                \
                                     {", .epi = " one, ", .epi_size = sizeof(" args ")", "1", 0},                     \
                                     {", .epi2 = " pair, ", .epi_size = sizeof(" args ")", "2", 1}};
HOOKS(quant_hooks, "bias_args", "bias", "pair")
HOOKS(outputs_hooks, "bias_args", "bias_relu", "pair")
HOOKS(told_hooks, "told", "told_one", "told_pair")
HOOKS(rows_hooks, "hook_args", "hook", "pairs")
static const gemm_hook conv_hooks[] = {{"", "", "0", 0},
                                       {", .epi = bias_relu", ", .epi_size = sizeof(hook_args)", "BIAS_RELU", 0},
                                       {", .epi = where", ", .epi_size = sizeof(hook_args)", "WHERE", 0}};
static const gemm_hook tiles_hooks[] = {{"", "", "", 0}, /* without arguments, with those of .tile and .k_range */
                                        {", .epi = bias_relu", ", .epi_size = sizeof(tiles_args)", "", 0},
                                        {"", ", .epi_size = sizeof(tiles_args)", "", 0}};

static const gemm_hook bits_hooks[] = {{"", "", "", 0},
                                       {", .epi = hook_twice", ", .epi_size = TC_NO_ARGS", "", 0}};

static const gemm_hook gate_hooks[] = {{", .gate = mine", ", .epi_size = sizeof(mine_args)", "MINE", 0},
                                       {", .gate = tc_gate_silu", "", "SILU", 0},
                                       {", .gate = tc_gate_gelu", "", "GELU", 0},
                                       {", .gate = tc_gate_gelu_tanh", "", "TANH", 0}};

typedef struct { const char *field, *id; } attn_hook;
static const attn_hook scores[] = {{"", "0"}, {", .score = hook_alibi", "ALIBI"},
                                   {", .score = hook_softcap", "SOFTCAP"}, {", .score = hook_bias", "BIAS"}};
static const attn_hook masks[] = {
    {"", "0"}, {", .mask = hook_random", "RANDOM"}, {", .mask = hook_documents", "DOCUMENTS"},
    {", .mask = hook_blocks", "BLOCKS"},
    {", .mask = hook_documents, .mask_tile = hook_documents_tile", "DOCUMENTS | TILED"},
    {", .mask = hook_blocks, .mask_tile = hook_blocks_tile", "BLOCKS | TILED"},
};
static const attn_hook outs[] = {{"", "0"}, {", .out = hook_gate", "GATE"}};
static const attn_hook sinks[] = {{"", "0"}, {", .sink = hook_sink", "SINK"}};

static void a_hook(void) {} /* never called: the rules only ask whether there is one */

/* ---- drawing ---- */
#define PICK(...) pick((const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))
static int pick(const int *from, int count) { return from[test_int(0, count - 1)]; }
static int chance(int percent) { return test_int(1, 100) <= percent; }

enum { REDRAW = 3000 }; /* so many refusals, and what was fixed is drawn anew: some of it fits no tile */
static int smem_limit, tried, refused_count;
static struct { const char *sentence; int times; } refused[64];

static int refuse(const char *sentence)
{
    int i = 0;
    while (i < refused_count && strcmp(refused[i].sentence, sentence)) i++;
    if (i == 64) exit(2);
    if (i == refused_count) refused[refused_count++].sentence = sentence;
    refused[i].times++;
    return 0;
}

static int allowed(const char *sentence, int smem)
{
    tried++;
    if (sentence) return refuse(sentence);
    return smem <= smem_limit || refuse("(more shared memory than the device has)");
}

typedef struct { tc_gemm_config c; const gemm_hook *hook; } gemm_draw;

static gemm_draw draw_gemm_common(void)
{
    gemm_draw g;
    memset((void *)&g, 0, sizeof g);
    g.hook = &gemm_hooks[chance(40) ? 0 : test_int(1, (int)(sizeof gemm_hooks / sizeof gemm_hooks[0]) - 1)];
    if (g.hook->pair) g.c.epi2 = (tc_epi2_fn)a_hook;
    else if (g.hook != gemm_hooks) g.c.epi = (tc_epi_fn)a_hook;
    g.c.epi_size = g.hook != gemm_hooks ? 8 : 0;
    g.c.a = g.c.b = PICK(TC_F16, TC_BF16);
    g.c.d = PICK(TC_F16, TC_BF16, TC_F32);
    g.c.raster = PICK(0, 0, TC_RASTER_M, TC_RASTER_N);
    g.c.raster_group = chance(4) ? 1 << 30 : PICK(0, 0, 0, 1, 2, 3, 5);
    return g;
}

static void draw_factors(tc_gemm_config *c)
{
    if ((c->a != TC_E4M3 && c->a != TC_E5M2) || c->acc == TC_F16 || c->promote || !chance(50)) return;
    c->a_scale = PICK(0, TC_SCALE_1X128, TC_SCALE_128X128), c->b_scale = PICK(0, TC_SCALE_1X128, TC_SCALE_128X128);
}

/* Types that Hopper's kernels do not have. */
static void draw_types(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    c->a = PICK(TC_TF32, TC_S8, TC_U8, TC_F64, TC_F16, TC_E4M3, TC_E5M2);
    c->b = c->a == TC_S8 || c->a == TC_U8 ? PICK(TC_S8, TC_U8) : c->a;
    if (c->a == TC_E4M3 || c->a == TC_E5M2) c->b = PICK(TC_E4M3, TC_E5M2), c->acc = PICK(0, TC_F16);
    draw_factors(c);
    if (c->a == TC_F16) c->acc = TC_F16;
    if (c->b == TC_S8 || c->b == TC_U8) c->d = PICK(TC_S32, TC_S32, TC_S8, TC_F32, TC_BF16);
    if (c->a == TC_F64) c->d = TC_F64, c->epi = 0, c->epi2 = 0, c->epi_size = 0, g->hook = gemm_hooks;
    if (c->a == TC_TF32) c->round = chance(50);
}

/* Types that they do have, beside those of 16 bits. */
static void draw_wgmma_types(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    c->a = PICK(TC_TF32, TC_S8, TC_U8, TC_E4M3, TC_E5M2);
    c->b = c->a == TC_TF32 ? c->a : c->a == TC_S8 || c->a == TC_U8 ? PICK(TC_S8, TC_U8) : PICK(TC_E4M3, TC_E5M2);
    if (c->a == TC_S8 || c->a == TC_U8) c->d = PICK(TC_S32, TC_S32, TC_F32, TC_BF16);
    if (c->a == TC_E4M3 || c->a == TC_E5M2) c->promote = PICK(0, 0, 256, 384, TC_FAST);
    draw_factors(c);
    c->d_layout = g->hook->pair ? 0 : PICK(0, 0, TC_COL);
}

static void draw_layouts(gemm_draw *g)
{
    g->c.a_layout = PICK(0, 0, TC_ROW, TC_COL, TC_COL), g->c.b_layout = PICK(0, 0, TC_COL, TC_ROW, TC_ROW);
    g->c.d_layout = g->hook->pair ? 0 : PICK(0, 0, TC_ROW, TC_COL, TC_COL);
}

/* What is fixed for REDRAW draws of a tile, drawn anew. */
typedef void (*gemm_fix)(gemm_draw *g);
static void keep_all(gemm_draw *g) { (void)g; }
static int convolution; /* what is drawn is one */

static gemm_draw draw_tile80(gemm_draw g, gemm_fix fix)
{
    int warps = 0;
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) {
            warps = PICK(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 12, 15, 16);
            fix(&g);
        }
        do g.c.warps_m = warps ? test_int(1, warps) : 0;
        while (warps && warps % g.c.warps_m);
        g.c.warps_n = warps ? warps / g.c.warps_m : 0;
        g.c.bm = chance(10) ? 0 : 16 * (warps ? g.c.warps_m : 2) * test_int(1, 4);
        g.c.bn = chance(10) ? 0 : 16 * (warps ? g.c.warps_n : 2) * test_int(1, 8);
        g.c.bk = PICK(0, 64, 128, 128) * 8 / tc_type_bits(g.c.a);
        if (g.c.weights) g.c.bk = PICK(0, 64, 128), g.c.bn = PICK(0, 64, 64, 128, 192, 256);
        g.c.stages = PICK(0, 2, 3, 4, 5, 6);
        const tc_gemm_config full = convolution ? tc_conv_sm80_config(g.c) : tc_gemm_sm80_config(g.c);
        if (allowed(convolution ? conv80_breaks(full) : gemm80_breaks(full), tc_gemm_sm80_smem(full))) return g;
    }
}

static gemm_draw draw_tile90(gemm_draw g, gemm_fix fix)
{
    enum { ALONE, SHARED, SPLIT };
    int cluster = ALONE, swap = 0, step = 0, split = 0;
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) {
            fix(&g);
            swap = g.c.any || (!convolution && chance(30)), step = chance(45), split = chance(30);
            cluster = PICK(ALONE, ALONE, SHARED, SHARED, SPLIT);
            if (g.c.weights) swap = step = 0, cluster = ALONE; /* they change roles by themselves */
            if (g.c.gate) swap = 0, cluster = cluster == SPLIT ? ALONE : cluster;
            g.c.schedule = cluster == SPLIT || g.c.weights ? PICK(0, TC_COOPERATIVE)
                : PICK(0, TC_COOPERATIVE, TC_PINGPONG, TC_PINGPONG);
            g.c.consumers = PICK(0, 0, 1, 2, 2, 3);
        }
        g.c.bm = PICK(0, 64, 64, 128, 128, 192, 192, 256, 384);
        g.c.bn = chance(10) ? 0 : 16 * test_int(1, 16);
        g.c.bk = PICK(0, 0, 128, 256, 384) * 8 / tc_type_bits(g.c.a);
        g.c.stages = PICK(0, 0, 2, 3, 4, 5, 7);
        g.c.cluster_m = cluster == SHARED ? PICK(1, 2, 2, 3, 4, 5, 8) : PICK(0, 1);
        g.c.cluster_n = cluster == SHARED ? PICK(1, 2, 2, 3, 4, 5, 8) : PICK(0, 1);
        g.c.cluster_k = cluster == SPLIT ? test_int(2, 4) : PICK(0, 1);
        g.c.epi_stages = PICK(0, 0, 1, 2, 3, 4);
        g.c.swap = swap, g.c.split = split;
        g.c.step = step ? PICK(16, 16, 32, 32, 64, 96, 8, 128) : 0;
        if (swap || g.c.weights) g.c.bm = 8 * test_int(1, 32), g.c.bn = PICK(0, 64, 64, 128, 128, 192, 256);
        if (convolution) g.c.bk = 0;
        const tc_gemm_config full = convolution ? tc_conv_sm90_config(g.c)
                                  : g.c.any     ? tc_gemm_sm90_any_config(g.c) : tc_gemm_sm90_config(g.c);
        if (cluster == SHARED && full.cluster_m * full.cluster_n == 1) continue;
        if (allowed(convolution ? conv90_breaks(full) : gemm90_breaks(full), tc_gemm_sm90_smem(full))) return g;
    }
}

static gemm_draw draw_tile100(gemm_draw g, gemm_fix fix)
{
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) fix(&g);
        g.c.bm = 0, g.c.bn = chance(10) ? 0 : 16 * test_int(1, 16);
        if (g.c.d_layout == TC_COL) g.c.bm = g.c.bn, g.c.bn = 0;
        g.c.bk = PICK(0, 0, 64, 128) * 16 / tc_type_bits(g.c.a);
        g.c.stages = PICK(0, 0, 2, 3, 4, 6), g.c.epi_stages = PICK(0, 0, 1, 2, 3, 4);
        g.c.cluster_m = PICK(0, 1, 2), g.c.cluster_n = PICK(0, 1, 1, 2), g.c.clc = chance(25);
        const tc_gemm_config full = tc_gemm_sm100_config(g.c);
        if (allowed(gemm100_breaks(full), tc_gemm_sm100_smem(full))) return g;
    }
}

static gemm_draw draw_tile120(gemm_draw g, gemm_fix fix)
{
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) fix(&g);
        g.c.warps_m = PICK(0, 1, 2, 2, 3, 4), g.c.warps_n = PICK(0, 1, 2, 2, 3, 4);
        g.c.bm = chance(10) ? 0 : 16 * test_int(1, 12), g.c.bn = chance(10) ? 0 : 16 * test_int(1, 12);
        g.c.bk = PICK(0, 0, 32, 64, 128) * 16 / tc_type_bits(g.c.a);
        g.c.stages = PICK(0, 0, 2, 3, 4, 6), g.c.epi_stages = PICK(0, 0, 1, 2, 3, 4);
        g.c.schedule = PICK(0, TC_COOPERATIVE, TC_PINGPONG);
        const tc_gemm_config full = tc_gemm_sm120_config(g.c);
        if (allowed(gemm120_breaks(full), tc_gemm_sm120_smem(full))) return g;
    }
}

static gemm_draw draw_gemm80(void)
{
    gemm_draw g = draw_gemm_common();
    if (chance(50)) draw_types(&g);
    return draw_tile80(g, draw_layouts);
}

static gemm_draw draw_gemm90(void)
{
    gemm_draw g = draw_gemm_common();
    const int layouts = chance(30);
    if (chance(30)) draw_wgmma_types(&g);
    else if (!layouts) g.c.any = chance(20);
    if (g.c.a == TC_F16 && !g.c.any && chance(40)) g.c.acc = TC_F16;
    return draw_tile90(g, layouts ? draw_layouts : keep_all);
}

/* ---- further families, each as far as its test goes ---- */
static void draw_plain(gemm_draw *g, const gemm_hook *hooks)
{
    *g = draw_gemm_common();
    g->hook = &hooks[PICK(0, 0, 1, 2)];
    g->c.epi = 0, g->c.epi2 = 0;
    if (g->hook->pair) g->c.epi2 = (tc_epi2_fn)a_hook;
    else if (*g->hook->field) g->c.epi = (tc_epi_fn)a_hook;
    g->c.epi_size = *g->hook->size ? 8 : 0;
}

/* D with factors or saturated, or sums of rows and columns, or all of it. */
static void fix_quant(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    draw_plain(g, quant_hooks);
    if (chance(20)) c->a = c->b = TC_S8;
    c->d = PICK(TC_E4M3, TC_E4M3, TC_E5M2, TC_S8, TC_BF16, TC_F32);
    if (c->d != TC_BF16 && c->d != TC_F32) {
        c->d_scale = c->d == TC_S8 || chance(50) ? TC_SCALE_1X128 : 0;
        c->d_sf = !c->d_scale && chance(70) ? TC_SF_UE8M0_32 : 0;
        c->c_type = PICK(0, TC_F16, TC_BF16, TC_F32);
    }
    c->row_sum = PICK(0, 0, TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX, TC_LOG_SUM_EXP);
    c->col_sum = PICK(0, TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX);
    c->all_sum = chance(40) ? 0 : chance(30) ? TC_MAX_ABS : chance(50) ? c->row_sum : c->col_sum;
    if (c->all_sum == TC_LOG_SUM_EXP || (c->row_sum && c->col_sum && c->all_sum != c->row_sum))
        c->all_sum = c->col_sum;
    if (chance(30)) c->aux = PICK(TC_BF16, TC_F32), c->aux_what = TC_AUX_PRE;
    if (c->d_scale && chance(15))
        c->groups = TC_GROUPS_ROWS, c->raster = c->row_sum = c->col_sum = c->all_sum = c->aux = c->aux_what = 0;
}
static void fix_quant90(gemm_draw *g)
{
    fix_quant(g);
    if (g->c.a != TC_S8 && chance(25)) g->c.a = PICK(TC_E4M3, TC_E5M2), g->c.b = PICK(TC_E4M3, TC_E5M2);
}

/* Sums of what a call writes of D: of a triangle, of groups, of rows that go elsewhere. */
static void fix_sums(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    const int what = test_int(0, 2);
    if (g->hook->pair) g->hook = outputs_hooks, c->epi2 = 0, c->epi_size = 0;
    c->raster = 0;
    c->row_sum = PICK(0, TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX, TC_LOG_SUM_EXP);
    c->col_sum = PICK(0, 0, TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX);
    c->all_sum = chance(50) ? 0 : c->col_sum ? c->col_sum : PICK(TC_SUM, TC_MAX_ABS);
    if (!c->row_sum && !c->col_sum && !c->all_sum) c->all_sum = TC_MAX;
    if (what == 0) c->triangle = PICK(TC_TRIANGLE_LOWER, TC_TRIANGLE_UPPER);
    if (what == 1) c->groups = PICK(TC_GROUPS_ROWS, TC_GROUPS_ROWS, TC_GROUPS_MASKED);
    if (what == 2 || (c->groups == TC_GROUPS_ROWS && chance(40))) c->index = test_int(1, 3);
}

/* A second output in each of its forms, beside sums of rows or not. */
static void fix_outputs(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    draw_plain(g, outputs_hooks);
    c->a = c->b = TC_BF16;
    c->d = PICK(TC_BF16, TC_BF16, TC_F16, TC_F32, TC_F32, TC_E4M3);
    if (chance(30)) c->c_type = PICK(TC_F16, TC_BF16, TC_F32);
    if (chance(40)) {
        fix_sums(g);
        return;
    }
    c->d_layout = !g->hook->pair && c->d != TC_E4M3 && chance(25) ? TC_COL : 0;
    c->row_sum = c->d_layout ? 0 : PICK(0, 0, TC_SUM, TC_SUM_SQ, TC_MAX_ABS);
    c->aux = PICK(TC_F16, TC_BF16, TC_F32, TC_E4M3, TC_E5M2);
    if (c->epi_size && chance(60)) {
        c->aux = PICK(TC_BF16, TC_F32, TC_E4M3, TC_E4M3, TC_E5M2, TC_S8, TC_B1, TC_B1), c->aux_epi = (tc_epi_fn)a_hook;
    } else {
        c->aux_what = TC_AUX_PRE;
    }
    if (c->aux != TC_B1) c->aux_layout = PICK(0, TC_ROW, TC_COL, TC_COL);
}
static void fix_outputs90(gemm_draw *g)
{
    fix_outputs(g);
    g->c.any = !g->c.d_layout && g->c.d != TC_E4M3 && chance(15);
}

/* Not all of D, of k or of A. */
static void fix_tiles(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    const int what = test_int(0, 4);
    draw_plain(g, tiles_hooks);
    g->hook = &tiles_hooks[chance(50)];
    if (chance(30)) {
        c->a = c->b = PICK(TC_S8, TC_TF32, TC_E4M3);
        if (c->a == TC_S8) c->d = PICK(TC_S32, TC_F32);
    } else {
        draw_layouts(g);
    }
    if (what < 2) c->triangle = PICK(TC_TRIANGLE_LOWER, TC_TRIANGLE_UPPER), c->raster = 0;
    if (what == 2) c->bsr = PICK(64, 128, 128, 256), c->a_layout = c->d_layout = 0;
    if (what == 3) {
        c->tile = (tc_gemm_tile_fn)a_hook, c->keep = (tc_gemm_keep_fn)a_hook;
    }
    if (what == 4 || (what != 2 && chance(30))) c->k_range = (tc_gemm_k_fn)a_hook;
    if (!*g->hook->field && tc__tiles_asks(*c)) g->hook = &tiles_hooks[2];
    c->epi = *g->hook->field ? (tc_epi_fn)a_hook : 0, c->epi2 = 0;
    c->epi_size = *g->hook->size ? 8 : 0;
}

/* Many products in one launch, rows that are looked up. */
static void fix_groups(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    draw_plain(g, told_hooks);
    c->groups = PICK(TC_GROUPS_ROWS, TC_GROUPS_ROWS, TC_GROUPS_MASKED), c->raster = 0;
    c->b_layout = PICK(0, TC_COL, TC_ROW);
    if (chance(15)) c->a = c->b = TC_TF32;
}
static void fix_groups80(gemm_draw *g)
{
    fix_groups(g);
    if (g->c.groups == TC_GROUPS_ROWS && chance(40)) g->c.index = test_int(1, 3);
}
static void fix_groups90(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    fix_groups(g);
    if (chance(30)) {
        c->a = PICK(TC_E4M3, TC_E5M2), c->b = PICK(TC_E4M3, TC_E5M2);
        if (chance(50)) c->a_scale = TC_SCALE_1X128, c->b_scale = TC_SCALE_128X128;
    }
    if (c->groups == TC_GROUPS_ROWS && chance(40)) c->index = test_int(1, 3);
}

/* Sums of theirs. */
static void fix_each_sums(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    if (c->d == TC_F64 || !chance(35)) return;
    c->d_layout = 0;
    c->row_sum = PICK(0, TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX, TC_LOG_SUM_EXP);
    c->col_sum = PICK(0, 0, TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX);
    c->all_sum = chance(50) ? 0 : c->col_sum ? c->col_sum : PICK(TC_SUM, TC_MAX_ABS);
}

/* Groups cut along k, products of their own. */
static void fix_each(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    draw_plain(g, told_hooks);
    draw_layouts(g);
    c->groups = PICK(TC_GROUPS_K, TC_GROUPS_ARRAY), c->raster = 0;
    if (chance(40)) c->a = c->b = PICK(TC_TF32, TC_F32, TC_S8, TC_F64);
    if (c->a == TC_F32) c->a_layout = c->b_layout = 0;
    if (c->a == TC_S8) c->b = PICK(TC_S8, TC_U8), c->d = TC_F32;
    if (c->a == TC_F64) c->d = TC_F64, c->epi = 0, c->epi2 = 0, c->epi_size = 0, g->hook = told_hooks;
    fix_each_sums(g);
}

/* Hopper's: k is the outer axis of what is cut. */
static void fix_each90(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    draw_plain(g, told_hooks);
    c->d_layout = c->epi2 ? 0 : PICK(0, TC_ROW, TC_COL);
    c->groups = PICK(TC_GROUPS_K, TC_GROUPS_ARRAY), c->a_layout = TC_COL, c->b_layout = TC_ROW, c->raster = 0;
    if (chance(50)) c->a = c->b = PICK(TC_TF32, TC_S8, TC_E4M3, TC_E5M2);
    if (c->groups == TC_GROUPS_ARRAY) c->a_layout = PICK(0, TC_ROW, TC_COL), c->b_layout = PICK(0, TC_ROW, TC_COL);
    if (c->a == TC_S8) c->b = PICK(TC_S8, TC_U8), c->d = TC_F32;
    fix_each_sums(g);
}

/* 2:4. */
static void fix_sparse(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    draw_plain(g, told_hooks);
    c->sparse = PICK(TC_SPARSE_A, TC_SPARSE_A, TC_SPARSE_B);
    if (!c->epi2) c->d_layout = PICK(0, 0, TC_COL);
    if (chance(40)) c->a = c->b = PICK(TC_TF32, TC_S8, TC_U8);
    if (c->a == TC_S8 || c->a == TC_U8) c->b = PICK(TC_S8, TC_U8), c->d = PICK(TC_S32, TC_S32, TC_F32);
    if (c->d == TC_S32) c->epi = 0, c->epi2 = 0, c->epi_size = 0, g->hook = told_hooks;
}
static void fix_sparse90(gemm_draw *g)
{
    fix_sparse(g);
    if (!chance(25) || g->c.d == TC_S32) return;
    g->c.a = PICK(TC_E4M3, TC_E5M2), g->c.b = PICK(TC_E4M3, TC_E5M2);
    g->c.promote = PICK(0, 0, 256);
}

static void fix_sparse120(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    fix_sparse90(g);
    c->promote = 0;
    c->sparse = c->d_layout == TC_COL ? TC_SPARSE_B : TC_SPARSE_A;
}

static void fix_sparse100(gemm_draw *g)
{
    fix_sparse(g);
    if (!chance(25) || g->c.d == TC_S32) return;
    g->c.a = PICK(TC_E4M3, TC_E5M2), g->c.b = PICK(TC_E4M3, TC_E5M2);
}

/* B packed; D as wide as what it is multiplied as, or f32: a single product is then exact. */
static void fix_weights(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    draw_plain(g, told_hooks);
    c->d = chance(50) ? c->a : TC_F32;
    c->weights = PICK(TC_S4, TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3, TC_E2M1);
    c->weights_k = PICK(0, 32, 64, 128);
    c->weights_zero = c->weights_k && (c->weights == TC_U4 || c->weights == TC_U8) && chance(60);
}

/* X in NHWC and W in KRSC. */
static void fix_conv(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    draw_plain(g, conv_hooks);
    if (chance(30)) c->a = c->b = PICK(TC_TF32, TC_S8);
    if (c->a == TC_S8) c->d = TC_S32;
    if (c->d == TC_S32) c->epi = 0, c->epi_size = 0, g->hook = conv_hooks;
    if (c->d != TC_S32 && chance(20)) c->aux = TC_F32, c->aux_what = TC_AUX_PRE;
}

/* Two products and one D. */
static void fix_gate80(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    *g = draw_gemm_common();
    g->hook = &gate_hooks[PICK(0, 0, 1, 2, 3)];
    c->epi = 0, c->epi2 = 0, c->gate = (tc_gate_fn)a_hook;
    c->epi_size = *g->hook->size ? 8 : TC_NO_ARGS;
    if (chance(30)) c->a = c->b = PICK(TC_TF32, TC_S8, TC_U8);
    if (c->a == TC_S8 || c->a == TC_U8) c->b = PICK(TC_S8, TC_U8), c->d = PICK(TC_BF16, TC_F32);
    if (tc_type_bits(c->a) == 16) c->a_layout = PICK(0, 0, TC_COL);
    if (chance(50)) return;
    c->groups = PICK(TC_GROUPS_ROWS, TC_GROUPS_ROWS, TC_GROUPS_MASKED), c->raster = c->a_layout = 0;
    if (c->groups == TC_GROUPS_ROWS && chance(50)) c->index = test_int(1, 3);
}
static void fix_gate90(gemm_draw *g)
{
    fix_gate80(g);
    if (!chance(20)) return;
    g->c.a = PICK(TC_E4M3, TC_E5M2), g->c.b = PICK(TC_E4M3, TC_E5M2), g->c.a_layout = 0;
    g->c.promote = PICK(0, 0, 256, TC_FAST);
}
static void fix_gate100(gemm_draw *g)
{
    fix_gate80(g);
    if (chance(20)) g->c.a = PICK(TC_E4M3, TC_E5M2), g->c.b = PICK(TC_E4M3, TC_E5M2), g->c.a_layout = 0;
}
static void fix_gate120(gemm_draw *g)
{
    fix_gate100(g);
    g->c.index &= TC_INDEX_D;
}

/* 4 bits, and bits. */
static void fix_bits(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    *g = draw_gemm_common();
    g->hook = &bits_hooks[test_int(0, 1)];
    c->epi2 = 0, c->epi = *g->hook->field ? (tc_epi_fn)a_hook : 0, c->epi_size = *g->hook->field ? TC_NO_ARGS : 0;
    c->a = PICK(TC_S4, TC_U4, TC_B1), c->b = c->a == TC_B1 ? TC_B1 : PICK(TC_S4, TC_U4);
    c->op = c->a == TC_B1 ? PICK(TC_XOR, TC_AND) : 0;
    c->d = PICK(TC_S32, TC_S32, TC_F32, TC_S8, TC_BF16), c->d_layout = PICK(0, 0, TC_COL);
    if (chance(30)) c->index = TC_INDEX_A, c->groups = PICK(0, TC_GROUPS_ROWS), c->raster = c->raster_group = 0;
}

/* Probabilities of rows, their largest elements, or both. */
static void fix_rows(gemm_draw *g)
{
    tc_gemm_config *c = &g->c;
    draw_plain(g, rows_hooks);
    if (chance(20)) c->a = c->b = TC_S8;
    if (chance(30)) c->b_layout = TC_ROW;
    c->rows = PICK(0, TC_SOFTMAX, TC_SOFTMAX, TC_LOG_SOFTMAX), c->top = PICK(0, 1, 2, 5, 8, 17, 32);
    if (!c->rows && !c->top) c->rows = TC_SOFTMAX;
    c->renorm = c->top > 0 && c->rows != TC_LOG_SOFTMAX && chance(50);
}
static void fix_rows90(gemm_draw *g)
{
    fix_rows(g);
    if (g->c.a != TC_S8 && chance(25)) g->c.a = g->c.b = TC_E4M3;
}

/* Of tcgen05 and of sm_120: types and layouts. */
static void fix_newer(gemm_draw *g)
{
    *g = draw_gemm_common();
    if (chance(40)) draw_wgmma_types(g);
    g->c.promote = 0, g->c.a_scale = g->c.b_scale = 0;
    if (chance(60)) draw_layouts(g);
}

/* FAMILY's number, and what is fixed for a tile of sm_80, 90, 100 and 120. */
enum { GEMM, QUANT, OUTPUTS, TILES, GROUPS, SPARSE, WEIGHTS, CONV, EACH, GATE, ROWS, BITS, GEMM_FAMILIES };
static const struct { const char *name; gemm_fix fix[4]; } gemm_families[GEMM_FAMILIES] = {
    {"gemm", {keep_all, keep_all, fix_newer, fix_newer}}, {"quant", {fix_quant, fix_quant90, fix_quant, 0}},
    {"outputs", {fix_outputs, fix_outputs90, fix_outputs, 0}},
    {"tiles", {fix_tiles, fix_tiles, 0, 0}}, {"groups", {fix_groups80, fix_groups90, 0, 0}},
    {"sparse", {fix_sparse, fix_sparse90, fix_sparse100, fix_sparse120}}, {"weights", {fix_weights, fix_weights, 0, 0}},
    {"conv", {fix_conv, fix_conv, 0, 0}}, {"each", {fix_each, fix_each90, 0, 0}},
    {"gate", {fix_gate80, fix_gate90, fix_gate100, fix_gate120}}, {"rows", {fix_rows, fix_rows90, 0, 0}},
    {"bits", {fix_bits, 0, 0, 0}},
};

/* null where there is no such family */
static gemm_fix fix_of(int family, int sm)
{
    const int at = sm == 80 ? 0 : sm == 90 ? 1 : sm == 100 ? 2 : sm == 120 ? 3 : -1;
    return at < 0 ? 0 : gemm_families[family].fix[at];
}

static gemm_draw draw_gemm(int family, int sm)
{
    const gemm_fix fix = fix_of(family, sm);
    gemm_draw g;
    memset((void *)&g, 0, sizeof g);
    convolution = family == CONV;
    if (family == GEMM && sm <= 90) return sm == 80 ? draw_gemm80() : draw_gemm90();
    do g = sm == 80 ? draw_tile80(g, fix) : sm == 90 ? draw_tile90(g, fix)
         : sm == 100 ? draw_tile100(g, fix) : draw_tile120(g, fix);
    while (family == ROWS && !g.c.bn); /* the test asks for as many columns as it says */
    if (g.c.top > g.c.bn) g.c.top = g.c.bn; /* no row has as many */
    return g;
}

typedef struct { tc_attn_config c; const attn_hook *score, *mask, *out, *sink; } attn_draw;

static attn_draw draw_attn_common(void)
{
    attn_draw a;
    memset((void *)&a, 0, sizeof a);
    a.score = &scores[chance(60) ? 0 : test_int(1, 3)];
    a.mask = &masks[chance(60) ? 0 : test_int(1, 5)];
    a.out = &outs[chance(20)], a.sink = &sinks[chance(20)];
    if (a.score != scores) a.c.score = (tc_attn_score_fn)a_hook;
    if (a.mask != masks) a.c.mask = (tc_attn_mask_fn)a_hook;
    if (strstr(a.mask->field, "mask_tile")) a.c.mask_tile = (tc_attn_mask_tile_fn)a_hook;
    if (a.out != outs) a.c.out = (tc_attn_out_fn)a_hook;
    if (a.sink != sinks) a.c.sink = (tc_attn_sink_fn)a_hook;
    a.c.hook_size = a.c.score || a.c.mask || a.c.out || a.c.sink ? 8 : 0;
    a.c.type = PICK(TC_F16, TC_BF16);
    a.c.head_dim = chance(10) ? 0 : 16 * (chance(50) ? test_int(1, 8) : test_int(1, 16));
    a.c.head_dim_v = chance(50) ? 0 : 16 * test_int(1, 16);
    a.c.causal = chance(40), a.c.window = chance(40);
    return a;
}

/* Without hooks. */
static attn_draw draw_attn_bare(void)
{
    attn_draw a = draw_attn_common();
    a.c.score = 0, a.c.mask = 0, a.c.mask_tile = 0, a.c.out = 0, a.c.sink = 0, a.c.hook_size = 0;
    a.score = scores, a.mask = masks, a.out = outs, a.sink = sinks;
    return a;
}

static attn_draw draw_attn80(int sm)
{
    attn_draw a;
    int warps = 0;
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) {
            a = draw_attn_common();
            a.c.dropout = chance(20);
            a.c.warps = warps = PICK(0, 1, 1, 2, 4, 4, 8, 16);
        }
        a.c.bm = chance(10) ? 0 : 16 * (warps ? warps : 4) * test_int(1, 4);
        a.c.bn = chance(10) ? 0 : 16 * (chance(60) ? test_int(1, 6) : test_int(1, 16));
        a.c.stages = PICK(0, 2, 3, 4, 5, 6);
        const tc_attn_config full = sm == 120 ? tc_attn_sm120_config(a.c) : tc_attn_sm80_config(a.c);
        if (sm == 120 ? allowed(attn120_breaks(full), tc_attn_sm120_smem(full))
                      : allowed(attn80_breaks(full), tc_attn_sm80_smem(full)))
            return a;
    }
}

static attn_draw draw_attn90(void)
{
    attn_draw a;
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) {
            a = draw_attn_common();
            a.c.dropout = chance(20);
        }
        a.c.bm = PICK(0, 64, 128, 192), a.c.consumers = chance(60) ? 0 : test_int(1, 3);
        a.c.bn = chance(10) ? 0 : 16 * test_int(1, 16);
        a.c.stages = PICK(0, 0, 2, 3, 4, 5), a.c.q_stages = PICK(0, 0, 1, 2);
        const tc_attn_config full = tc_attn_sm90_config(a.c);
        if (allowed(attn90_breaks(full), tc_attn_sm90_smem(full))) return a;
    }
}

static attn_draw draw_attn100(void)
{
    attn_draw a;
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) a = draw_attn_common();
        a.c.bm = PICK(0, 128, 256), a.c.consumers = chance(60) ? 0 : test_int(1, 2), a.c.bn = PICK(0, 32, 64, 96, 128);
        a.c.stages = PICK(0, 0, 2, 3, 4, 5), a.c.q_stages = PICK(0, 0, 1, 2), a.c.exp_poly = PICK(0, 0, 1, 6, 16);
        const tc_attn_config full = tc_attn_sm100_config(a.c);
        if (allowed(attn100_breaks(full), tc_attn_sm100_smem(full))) return a;
    }
}

/* Of e4m3, with both hooks that it takes or none. */
static attn_draw draw_attn_e(void)
{
    static const attn_hook both = {", .out = hook_gate, .sink = hook_sink", "1"};
    attn_draw a;
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) {
            a = draw_attn_bare();
            if (chance(30)) a.score = &both, a.c.out = (tc_attn_out_fn)a_hook, a.c.sink = (tc_attn_sink_fn)a_hook;
            if (a.c.out) a.c.hook_size = 8;
            a.c.type = TC_E4M3, a.c.o = PICK(0, TC_BF16, TC_F16), a.c.promote = PICK(0, 128, TC_FAST);
            a.c.head_dim = 32 * test_int(1, 8), a.c.head_dim_v = PICK(64, 128);
        }
        a.c.bm = PICK(0, 64, 128), a.c.consumers = chance(60) ? 0 : test_int(1, 2);
        a.c.stages = PICK(0, 0, 2, 3, 4), a.c.q_stages = PICK(0, 0, 1, 2);
        const tc_attn_config full = tc_attn_sm90_config(a.c);
        if (allowed(attn90_breaks(full), tc_attn_sm90_smem(full))) return a;
    }
}

typedef struct { tc_attn_bwd_config c; const attn_hook *score, *mask, *sink; } bwd_draw;

static bwd_draw draw_bwd(int sm)
{
    static const attn_hook cap[] = {{"", "0"}, {", .score = hook_softcap, .score_grad = hook_softcap_grad", "SOFTCAP"}};
    bwd_draw a;
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) {
            memset((void *)&a, 0, sizeof a);
            a.score = &cap[sm == 80 && chance(25)], a.mask = &masks[chance(20)], a.sink = &sinks[chance(20)];
            if (a.score != cap) a.c.score = a.c.score_grad = (tc_attn_score_fn)a_hook;
            if (a.mask != masks) a.c.mask = (tc_attn_mask_fn)a_hook;
            if (a.sink != sinks) a.c.sink = (tc_attn_sink_fn)a_hook;
            a.c.hook_size = a.c.score || a.c.mask || a.c.sink ? 8 : 0;
            a.c.type = PICK(TC_F16, TC_BF16);
            a.c.causal = chance(40), a.c.window = chance(40), a.c.dropout = chance(20);
            a.c.head_dim = chance(10) ? 0 : 16 * (chance(50) ? test_int(1, 8) : test_int(1, 16));
            a.c.head_dim_v = chance(50) ? 0 : 16 * test_int(1, 16);
            a.c.warps = sm == 80 ? PICK(0, 1, 2, 4, 8) : 0;
        }
        a.c.bm = sm == 80 ? 16 * test_int(0, 8) : PICK(0, 64, 128), a.c.bn = sm == 80 ? 16 * test_int(0, 8) : 0;
        a.c.stages = PICK(0, 1, 2, 3, 4);
        const tc_attn_bwd_config full = sm == 80 ? tc_attn_bwd_sm80_config(a.c) : tc_attn_bwd_sm90_config(a.c);
        if (sm == 80 ? allowed(bwd80_breaks(full), tc_attn_bwd_sm80_smem(full))
                     : allowed(bwd90_breaks(full), tc_attn_bwd_sm90_smem(full)))
            return a;
    }
}

/* Decoding, with all hooks or none. */
static attn_draw draw_decode(void)
{
    static const attn_hook all = {", .score = hook_cap, .mask = hook_mask, .out = hook_gate, .sink = hook_sink",
                                  "ALL_HOOKS"};
    attn_draw a;
    for (int tries = 0;; tries++) {
        if (tries % REDRAW == 0) {
            a = draw_attn_bare();
            if (chance(30)) {
                a.score = &all, a.c.hook_size = 8, a.c.window = 0; /* the test does not count with it */
                a.c.score = (tc_attn_score_fn)a_hook, a.c.mask = (tc_attn_mask_fn)a_hook;
                a.c.out = (tc_attn_out_fn)a_hook, a.c.sink = (tc_attn_sink_fn)a_hook;
            }
            a.c.kv = PICK(0, 0, TC_E4M3, TC_S8), a.c.paged = chance(50);
            if (a.c.kv) a.c.head_dim = 32 * test_int(1, 8), a.c.head_dim_v = PICK(0, 32, 64, 96, 128);
            a.c.warps = PICK(0, 1, 2, 3, 4, 5, 8, 16);
        }
        a.c.bm = PICK(0, 0, 16, 32, 48, 64), a.c.stages = PICK(0, 2, 3, 4, 6);
        a.c.bn = chance(10) ? 0 : 16 * (a.c.warps ? a.c.warps : 4) * test_int(1, 4);
        const tc_attn_config full = tc_attn_decode_config(a.c);
        if (allowed(decode_breaks(full), tc_attn_decode_smem(full))) return a;
    }
}

/* ---- printing ---- */
static const char *type_name(int type)
{
    static char text[4][16];
    static int next;
    char *t = text[next++ % 4];
    snprintf(t, sizeof text[0], "TC_%s", tc_type_name(type));
    for (int i = 3; t[i]; i++) t[i] = (char)toupper(t[i]);
    return t;
}

static char fields[600];
static void add(const char *text) { strncat(fields, text, sizeof fields - strlen(fields) - 1); }
static void add_field(const char *name, int value)
{
    char text[64];
    if (value) snprintf(text, sizeof text, ", .%s = %d", name, value), add(text);
}

static void add_type(const char *name, int type)
{
    char text[64];
    if (type) snprintf(text, sizeof text, ", .%s = %s", name, type_name(type)), add(text);
}

static void gemm_fields(const gemm_draw *g)
{
    const tc_gemm_config *c = &g->c;
    snprintf(fields, sizeof fields, ".a = %s, .b = %s, .d = %s", type_name(c->a), type_name(c->b), type_name(c->d));
    add_field("a_layout", c->a_layout), add_field("b_layout", c->b_layout), add_field("d_layout", c->d_layout);
    add_field("promote", c->promote), add_field("round", c->round), add_field("acc", c->acc);
    add_field("op", c->op);
    add_field("a_scale", c->a_scale), add_field("b_scale", c->b_scale);
    add_field("bm", c->bm), add_field("bn", c->bn), add_field("bk", c->bk), add_field("stages", c->stages);
    add_field("warps_m", c->warps_m), add_field("warps_n", c->warps_n);
    add_field("cluster_m", c->cluster_m), add_field("cluster_n", c->cluster_n), add_field("cluster_k", c->cluster_k);
    add_field("consumers", c->consumers), add_field("schedule", c->schedule), add_field("epi_stages", c->epi_stages);
    add_field("step", c->step), add_field("swap", c->any ? 0 : c->swap), add_field("split", c->split);
    add_field("raster", c->raster), add_field("raster_group", c->raster_group);
    add_field("d_scale", c->d_scale), add_field("d_sf", c->d_sf), add_type("c_type", c->c_type);
    add_field("row_sum", c->row_sum), add_field("col_sum", c->col_sum), add_field("all_sum", c->all_sum);
    add_field("rows", c->rows), add_field("top", c->top), add_field("renorm", c->renorm);
    add_type("aux", c->aux), add_field("aux_what", c->aux_what), add_field("aux_layout", c->aux_layout);
    if (c->aux_epi) add(c->aux == TC_S8 || c->aux == TC_B1 ? ", .aux_epi = mask" : ", .aux_epi = scaled");
    add_field("clc", c->clc), add_field("triangle", c->triangle), add_field("bsr", c->bsr);
    add_field("groups", c->groups), add_field("index", c->index), add_field("sparse", c->sparse);
    add_type("weights", c->weights), add_field("weights_k", c->weights_k), add_field("weights_zero", c->weights_zero);
    if (c->tile) add(", .tile = band");
    if (c->keep) add(", .keep = in_band");
    if (c->k_range) add(", .k_range = reach");
    if (chance(50) || !strstr(g->hook->field, "tc_epi")) add(g->hook->size); /* shipped hooks bring theirs */
    add(g->hook->field);
}

static void attn_fields(const attn_draw *a)
{
    const tc_attn_config *c = &a->c;
    snprintf(fields, sizeof fields, ".type = %s", type_name(c->type));
    add_field("head_dim", c->head_dim), add_field("head_dim_v", c->head_dim_v), add_field("causal", c->causal),
        add_field("window", c->window);
    add_field("bm", c->bm), add_field("bn", c->bn), add_field("stages", c->stages), add_field("q_stages", c->q_stages);
    add_field("consumers", c->consumers), add_field("warps", c->warps), add_field("exp_poly", c->exp_poly);
    add_type("kv", c->kv), add_field("paged", c->paged), add_type("o", c->o), add_field("promote", c->promote);
    add_field("dropout", c->dropout);
    if (c->type == TC_E4M3) {
        if (a->score != scores) add(", .hook_size = sizeof(out_args)"), add(a->score->field);
        return;
    }
    if ((a->score != scores || a->mask != masks || a->out != outs || a->sink != sinks))
        add(", .hook_size = sizeof(hook_args)");
    add(a->score->field), add(a->mask->field), add(a->out->field), add(a->sink->field);
}

static void bwd_fields(const bwd_draw *a)
{
    const tc_attn_bwd_config *c = &a->c;
    snprintf(fields, sizeof fields, ".type = %s", type_name(c->type));
    add_field("head_dim", c->head_dim), add_field("head_dim_v", c->head_dim_v), add_field("causal", c->causal),
        add_field("window", c->window);
    add_field("bm", c->bm), add_field("bn", c->bn), add_field("stages", c->stages), add_field("warps", c->warps),
        add_field("dropout", c->dropout);
    if (c->hook_size) add(", .hook_size = sizeof(hook_args)");
    add(a->score->field), add(a->mask->field), add(a->sink->field);
}

/* A line of the table: its test's struct kernel. */
static void gemm_entry(char *to, size_t size, int family, const gemm_draw *g, int i, int sm)
{
    const tc_gemm_config view = tc_gemm90_view(g->c.any ? tc_gemm_sm90_any_config(g->c) : tc_gemm_sm90_config(g->c));
    const int from = sm == 80 ? tc__gemm80_least(g->c) : sm;
    const int pair = g->c.step && view.cluster_m > 1;
    const char *id = g->hook->id;
    switch (family) {
    case GEMM:
        snprintf(to, size, "{\"k%d, %s\", k%d_can_run, k%d_run, %d, %s, k%d_SMEM, k%d_config(), %d, %d, %d, %d, %d}", i,
                 fields, i, i, from, id, i, i, sm == 90 && g->c.split, sm == 90 ? g->c.step : 0, view.bn, pair,
                 g->c.any);
        return;
    case QUANT:
        snprintf(to, size, "{\"k%d,\", k%d_run, k%d_can_run, k%d_plan, k%d_launch, k%d_workspace, %d, %s, k%d_SMEM, 0, "
                 "k%d_config()}", i, i, i, i, i, i, from, id, i, i);
        return;
    case OUTPUTS:
        snprintf(to, size, "{\"k%d,\", k%d_run, k%d_can_run, k%d_plan, k%d_launch, k%d_workspace, %d, %s, %d, %d, "
                 "%d, %d, k%d_SMEM, k%d_config()}", i, i, i, i, i, i, from, id, sm == 80 || g->c.any,
                 sm == 90 ? g->c.step : 0, view.bn, sm == 90 && g->c.split, i, i);
        return;
    case TILES:
        snprintf(to, size, "{\"k%d,\", k%d_run, k%d_can_run, k%d_plan, k%d_launch, %d, k%d_SMEM, k%d_config()}", i, i,
                 i, i, i, from, i, i);
        return;
    case GROUPS:
        snprintf(to, size, "{\"k%d,\", k%d_can_run, k%d_run, %d, %s, k%d_SMEM, k%d_config(), %d, %d, %d}", i, i, i,
                 from, id, i, i, sm == 90 ? g->c.step : 0, view.bn, 1 + pair);
        return;
    case EACH:
        snprintf(to, size, "{\"k%d,\", k%d_can_run, k%d_run, k%d_plan, k%d_launch, k%d_workspace, %d, %s, k%d_SMEM, "
                 "k%d_config()}", i, i, i, i, i, i, from, id, i, i);
        return;
    case GATE:
        snprintf(to, size, "{\"k%d,\", k%d_run, k%d_plan, k%d_launch, k%d_workspace, %d, k%d_SMEM, %s, %d, "
                 "k%d_config()}", i, i, i, i, i, from, i, id, sm == 80, i);
        return;
    case SPARSE:
        snprintf(to, size, "{\"k%d,\", k%d_can_run, k%d_run, k%d_config(), %d}", i, i, i, i, from);
        return;
    case BITS:
        snprintf(to, size, "{\"k%d,\", k%d_can_run, k%d_run, k%d_config()}", i, i, i, i);
        return;
    case ROWS:
        snprintf(to, size, "{\"k%d,\", k%d_run, k%d_can_run, k%d_config(), %d, %s}", i, i, i, i, from, id);
        return;
    case CONV:
        snprintf(to, size, "{\"k%d,\", k%d_run, k%d_can_run, k%d_workspace, %d, %s, k%d_SMEM, %d, 0, k%d_config()}", i,
                 i, i, i, from, id, i, sm == 90, i);
        return;
    default:
        snprintf(to, size, "{\"k%d,\", k%d_can_run, k%d_run, k%d_workspace, k%d_config()}", i, i, i, i, i);
    }
}

enum { ATTN, DECODE, E4M3, BWD, ATTN_FAMILIES };

/* Draws one of attention's and prints its define; its line of the table goes to `to`. */
static void attn_define(char *to, size_t size, int family, int i, int sm, int rules)
{
    if (family == BWD) {
        const bwd_draw a = draw_bwd(sm);
        bwd_fields(&a);
        snprintf(to, size, "{\"k%d,\", k%d_run, k%d_workspace, %d, %s | %s | %s%s, k%d_SMEM, k%d_config()}", i, i, i,
                 sm, a.score->id, a.mask->id, a.sink->id, a.c.dropout ? " | DROPOUT" : "", i, i);
        if (!rules) printf("TC_ATTN_BWD_SM%d_DEFINE(k%d, %s)\n", sm, i, fields);
        return;
    }
    const attn_draw a = family == DECODE ? draw_decode() : family == E4M3 ? draw_attn_e()
                      : sm == 100 ? draw_attn100() : sm == 90 ? draw_attn90() : draw_attn80(sm);
    attn_fields(&a);
    if (family == DECODE)
        snprintf(to, size, "{\"k%d,\", k%d_run, k%d_can_run, k%d_workspace, %s, k%d_config()}", i, i, i, i,
                 a.score->id, i);
    else if (family == E4M3)
        snprintf(to, size, "{\"k%d,\", k%d_can_run, k%d_run, k%d_config(), %s, 0, 0}", i, i, i, i, a.score->id);
    else
        snprintf(to, size, "{\"k%d, %s\", k%d_run, %d, %s | %s | %s | %s, k%d_SMEM, k%d_config()}", i, fields, i, sm,
                 a.score->id, a.mask->id, a.out->id, a.sink->id, i, i);
    if (!rules && family == DECODE) printf("TC_ATTN_DECODE_DEFINE(k%d, %s)\n", i, fields);
    else if (!rules) printf("TC_ATTN_SM%d_DEFINE(k%d, %s)\n", sm, i, fields);
}

int main(int argc, char **argv)
{
    static char table[1 << 16];
    static const char *const attn_names[ATTN_FAMILIES] = {"attn", "decode", "e", "bwd"};
    static const char *const attn_on[ATTN_FAMILIES] = {"80 90 100 120", "80", "90", "80 90"};
    const char *name = argc > 4 ? argv[1] : "";
    const int letters = (int)strspn(name, "abcdefghijklmnopqrstuvwxyz"), sm = atoi(name + letters),
              count = argc > 4 ? atoi(argv[3]) : 0, rules = argc > 5;
    int family = 0, attn = 0;
    size_t used = 0;
    while (family < GEMM_FAMILIES && strncmp(name, gemm_families[family].name, (size_t)letters)) family++;
    while (attn < ATTN_FAMILIES && ((int)strlen(attn_names[attn]) != letters
                                    || strncmp(name, attn_names[attn], (size_t)letters)))
        attn++;
    const int known = attn < ATTN_FAMILIES      ? sm > 0 && strstr(attn_on[attn], name + letters) != 0
                    : family < GEMM_FAMILIES && fix_of(family, sm) != 0;
    if (!letters || !known || count < 1 || count > 64) {
        fprintf(stderr, "usage: draw FAMILY SEED COUNT SMEM [rules], FAMILY: gemm, quant, outputs, tiles, groups, "
                        "sparse, bits, weights, conv, each, gate, rows, attn or bwd, and 80, 90 or where there is such "
                        "a kernel 100 or 120; or decode80, or e90\n");
        return 2;
    }
    test_seed(strtoull(argv[2], 0, 10));
    smem_limit = atoi(argv[4]);
    for (int i = 0; i < count; i++) {
        char entry[1000];
        if (attn < ATTN_FAMILIES) {
            attn_define(entry, sizeof entry, attn, i, sm, rules);
        } else {
            const gemm_draw g = draw_gemm(family, sm);
            gemm_fields(&g);
            gemm_entry(entry, sizeof entry, family, &g, i, sm);
            if (!rules) printf("TC_%s_SM%d_%sDEFINE(k%d, %s)\n", family == CONV ? "CONV" : "GEMM", sm,
                               g.c.any ? "ANY_" : "", i, fields);
        }
        used += (size_t)snprintf(table + used, sizeof table - used, "    %s,\n", entry);
    }
    if (!rules) printf("static %skernel kernels[] = {\n%s};\n", attn == E4M3 ? "" : "const ", table);
    if (rules) {
        printf("%s: %d drawn, %d kept; the others broke\n", name, tried, count);
        for (int i = 0; i < refused_count; i++) printf("%9d  %s\n", refused[i].times, refused[i].sentence);
    }
    return 0;
}
