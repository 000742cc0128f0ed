/* tc_layout_frag.c - tc_layout's commands for registers and tensor memory: fragments of mma.sync, ldmatrix, stmatrix
 * and wgmma, tcgen05's loads and stores, where accumulators, metadata of sparse operands and scale factors lie.
 */
#include "../tc_mma.h"
#include "../tc_sparse.h"
#include "../tc_tcgen05.h"
#include "../tc_wgmma.h"
#include "tc_layout.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Fragments: element i of a lane, counted through its registers, is cell (row, col).
 */
typedef struct frag {
    picture *p;
    const char *reg; /* name of the registers */
    int e;           /* elements in a register */
    int group;       /* elements in a cell, along the columns (or the rows, if turned) */
    int turned;      /* the functions' col runs down */
    int only;        /* --lane, or -1 */
    int heard;       /* lines of p->held */
} frag;

static frag fragment(picture *p, const char *reg, int e, int group, int turned, int lanes)
{
    frag f = {p, reg, e, group, turned, -1, 0};
    char a[24];
    int i;
    f.only = number("--lane", -1, 0, lanes - 1);
    if (group > 1)
        for (i = 0; i < (turned ? p->rows : p->cols); i++)
            print(turned ? p->row[i] : p->col[i], sizeof p->row[i], "%s", range(a, i * group, i * group + group - 1));
    if (group > 1)
        say(&p->key, "3:%s[1]: %s 3, register 1, its elements in order from the lowest bits on\n", reg,
            lanes > 32 ? "thread" : "lane");
    else
        say(&p->key, "3:1: %s 3, element 1, counted through its registers (%d in each)\n", lanes > 32 ? "thread"
            : "lane", e);
    return f;
}

static void put(frag *f, int lane, int i, int row, int col)
{
    const int r = f->turned ? col / f->group : row, c = f->turned ? row : col / f->group;
    cell *q = at(f->p, r, c);
    if (f->only == lane) {
        if (i % f->e == 0) say(&f->p->held, "%s%s %d %s[%d]:", f->heard++ ? "\n" : "", "lane", lane, f->reg, i / f->e);
        if (f->turned) say(&f->p->held, " (%d,%d)", col, row);
        else say(&f->p->held, " (%d,%d)", row, col);
    }
    if (i % f->group) return;
    if (f->group > 1) print(q->text, sizeof q->text, "%d:%s[%d]", lane, f->reg, i / f->e);
    else print(q->text, sizeof q->text, "%d:%d", lane, i);
    print(q->big, sizeof q->big, "T%d", lane);
    if (f->e > f->group) print(q->small, sizeof q->small, "%s[%d].%d", f->reg, i / f->e, i % f->e);
    else print(q->small, sizeof q->small, "%s[%d]", f->reg, i / f->e);
    q->colour = f->only < 0 || f->only == lane ? lane_colour(lane) : WHITE;
}

static void end_fragment(frag *f)
{
    if (f->heard) say(&f->p->held, "\n");
    else if (f->only >= 0) say(&f->p->held, "lane %d holds nothing\n", f->only);
}

typedef int (*place)(int lane, int i);
typedef int (*meta_place)(int lane, int i, int selector);

/* The dense and sparse shapes of mma.sync, straight from the headers' tables. */
typedef struct mma_shape {
    const char *name; /* m16n8k16_b16 */
    int e;
    place row[3], col[3]; /* a, b, d */
    int bits, groups;     /* sparse */
    meta_place meta[2];
} mma_shape;

#define NAMES(kind, name)                                                                                             \
    {tc_frag_##kind##name##_a_row, tc_frag_##kind##name##_b_row, tc_frag_##kind##name##_d_row},                       \
        {tc_frag_##kind##name##_a_col, tc_frag_##kind##name##_b_col, tc_frag_##kind##name##_d_col}
static const mma_shape dense[] = {
#define X(name, e, h) {#name, e, NAMES(, name), 0, 0, {0, 0}},
    TC__FRAGS(X)
#undef X
};
static const mma_shape sparse[] = {
#define X(name, bits, e, groups)                                                                                      \
    {#name, e, NAMES(sp_, name), bits, groups, {tc_frag_sp_##name##_meta_row, tc_frag_sp_##name##_meta_col}},
    TC__SP_FRAGS(X)
#undef X
};

void list_mma(int sp)
{
    int i;
    for (i = 0; i < COUNT(dense) && !sp; i++) printf(" %s", dense[i].name);
    for (i = 0; i < COUNT(sparse) && sp; i++) printf(" %s", sparse[i].name);
}

/* "bf16" and its like, for the class that the tables have. packed: the shape with two e2m1 in a byte; others have
 * one. */
static const char *class_of(const char *packed, const char *shape, const char *s)
{
    static const char *const types[][2] = {{"f16", "b16"}, {"bf16", "b16"}, {"tf32", "b32"}, {"f64", "b64"},
                                           {"s8", "b8"}, {"u8", "b8"}, {"e4m3", "b8"},
                                           {"e5m2", "b8"}, {"e3m2", "b8"}, {"e2m3", "b8"}, {"s4", "b4"}, {"u4", "b4"}};
    int i;
    for (i = 0; i < COUNT(types); i++)
        if (!strcmp(s, types[i][0])) return types[i][1];
    if (!strcmp(s, "e2m1")) return strcmp(shape, packed) ? "b8" : "b4";
    return s;
}

static const mma_shape *find_shape(const mma_shape *table, int count, const char *packed, const char *also)
{
    text legal = {0};
    char name[64];
    int i;
    if (word(1)) {
        snprintf(name, sizeof name, "%s_%s", word(0), class_of(packed, word(0), word(1)));
        for (i = 0; i < count; i++)
            if (!strcmp(table[i].name, name)) return &table[i];
    }
    for (i = 0; i < count; i++)
        say(&legal, "%s%.*s %s", i ? ", " : "", (int)strcspn(table[i].name, "_"), table[i].name,
            strchr(table[i].name, '_') + 1);
    if (!word(1))
        fail("a shape and a class are missing; there are: %s%s (a type like bf16 may stand for its class)", legal.s,
             also);
    fail("%s %s is no shape and class; there are: %s%s (a type like bf16 may stand for its class)", word(0),
         word(1), legal.s, also);
}

static void draw_mma(const mma_shape *s, const char *kind, int part)
{
    static const char *const matrix[3] = {"A", "B", "D"}, *const reg[3] = {"a", "b", "d"};
    int m, n, k, i, lane;
    const int kept = s->bits ? 2 : 1;
    sscanf(s->name, "m%dn%dk%d", &m, &n, &k);
    {
        /* as the functions have them */
        const int rows = part == 1 ? n : m, cols = part == 2 ? n : part == 0 ? k / kept : k;
        const int e = part == 2 ? 1 : s->e, group = part != 2 && s->e >= 4 && !option("--elements") ? s->e : 1,
                  turned = part == 1;
        picture *p = draw(turned ? cols / group : rows, turned ? rows : cols / group, "%s %.*s, %s of class %s: %s%s",
                          kind, (int)strcspn(s->name, "_"), s->name, matrix[part], strchr(s->name, '_') + 1,
                          part == 0 ? "M x K" : part == 1 ? "K x N" : "M x N",
                          part == 0 && s->bits ? ", the kept half of its columns" : "");
        frag f = fragment(p, reg[part], e, group, turned, 32);
        axes(p, part == 1 ? "k" : "row m", part == 0 ? (s->bits ? "column of kept" : "k") : "column n");
        if (part == 2) say(&p->notes, "with f16 accumulators d[0] and d[1] share a register, d[0] in the lower half\n");
        p->every_row = turned ? 4 * s->e / group : 8;
        p->every_col = part == 0 ? 4 * s->e / group : 8;
        for (lane = 0; lane < 32; lane++)
            for (i = 0; i < rows * cols / 32; i++) put(&f, lane, i, s->row[part](lane, i), s->col[part](lane, i));
        end_fragment(&f);
    }
}

/* Volta's m8n8k4: four products at a time */
static void draw_volta(int part)
{
    const int col = choose("--layout", option("--layout") ? option("--layout") : part == 1 ? "col" : "row", "row col");
    const int f32 = choose("--type", option("--type") ? option("--type") : "f32", "f16 f32"),
              product = number("--product", 0, 0, 3);
    picture *p = draw(part == 1 ? 4 : 8, part == 0 ? 4 : 8, "mma m8n8k4 f16, %s%s, product %d of 0..3", part == 0 ? "A "
                      : part == 1 ? "B " : "D ", part == 2 ? (f32 ? "of f32" : "of f16") : col ? "by columns"
                      : "by rows", product);
    frag f = fragment(p, part == 0 ? "a" : part == 1 ? "b" : "d", part == 2 && f32 ? 1 : 2, 1, part == 1, 32);
    int lane, i;
    axes(p, part == 1 ? "k" : "row m", part == 0 ? "k" : "column n");
    for (lane = 0; lane < 32; lane++)
        for (i = 0; i < (part == 2 ? 8 : 4); i++) {
            if (tc_frag_m8n8k4_f16_product(lane) != product) continue;
            if (part == 0)
                put(&f, lane, i, tc_frag_m8n8k4_f16_a_row(lane, i, col), tc_frag_m8n8k4_f16_a_col(lane, i, col));
            else if (part == 1)
                put(&f, lane, i, tc_frag_m8n8k4_f16_b_row(lane, i, col), tc_frag_m8n8k4_f16_b_col(lane, i, col));
            else put(&f, lane, i, tc_frag_m8n8k4_f16_d_row(lane, i, f32), tc_frag_m8n8k4_f16_d_col(lane, i, f32));
        }
    end_fragment(&f);
}

void command_mma(void)
{
    const int volta = word(1) && !strcmp(word(0), "m8n8k4") && !strcmp(class_of("", "", word(1)), "b16");
    const mma_shape *s = volta ? NULL : find_shape(dense, COUNT(dense), "m16n8k64", ", m8n8k4 b16");
    const int part = word(2) ? choose("the matrix", word(2), "a b d") : -1;
    int i;
    at_most(3);
    if (!volta && (option("--layout") || option("--product") || option("--type")))
        fail("--layout, --product and --type belong to m8n8k4 b16");
    for (i = 0; i < 3; i++) {
        if (part >= 0 && part != i) continue;
        if (volta) draw_volta(i);
        else draw_mma(s, "mma", i);
    }
}

static void draw_meta(const mma_shape *s)
{
    const int k = s->groups * tc_sp_group(s->bits), selectors = 16 / s->groups,
              selector = number("--selector", 0, 0, selectors - 1);
    /* columns that a pair of bits describes */
    const int step = s->bits == 4 ? 2 : 1, only = number("--lane", -1, 0, 31);
    picture *p = draw(16, k / 2 / step, "mma.sp %.*s, metadata of class %s, selector %d of 0..%d",
                      (int)strcspn(s->name, "_"), s->name, strchr(s->name, '_') + 1, selector, selectors - 1);
    int lane, i, heard = 0;
    axes(p, "row m", "column of kept");
    p->every_row = 8, p->every_col = 2;
    say(&p->key, "3:4-5: bits 4 and 5 of lane 3's register say where the kept element stood in its group\n");
    for (i = 0; i < p->cols && step == 2; i++) print(p->col[i], sizeof p->col[i], "%d..%d", 2 * i, 2 * i + 1);
    for (lane = 0; lane < 32; lane++)
        for (i = 0; i < 16; i += s->bits == 32 ? 2 : 1) {
            const int row = s->meta[0](lane, i, selector), col = s->meta[1](lane, i, selector),
                      last = 2 * i + (s->bits == 32 ? 3 : 1);
            cell *q;
            if (row < 0) continue;
            q = at(p, row, col / step);
            print(q->text, sizeof q->text, "%d:%d-%d", lane, 2 * i, last);
            print(q->big, sizeof q->big, "T%d", lane);
            print(q->small, sizeof q->small, "bits %d-%d", 2 * i, last);
            q->colour = only < 0 || only == lane ? lane_colour(lane) : WHITE;
            if (only == lane) heard++, say(&p->held, "lane %d bits %d-%d: (%d,%d)\n", lane, 2 * i, last, row, col);
        }
    if (only >= 0 && !heard) say(&p->held, "lane %d is not read with this selector\n", only);
}

void command_mma_sp(void)
{
    const mma_shape *s = find_shape(sparse, COUNT(sparse), "m16n8k128", "");
    const int part = word(2) ? choose("the matrix", word(2), "a b d meta") : -1;
    int i;
    at_most(3);
    for (i = 0; i < 3; i++)
        if (part < 0 || part == i) draw_mma(s, "mma.sp", i);
    if (part < 0 || part == 3) draw_meta(s);
}

/* ---- ldmatrix, stmatrix ---- */
typedef struct matrix_form {
    const char *name;
    int trans, rows, cols, per_matrix, e, most; /* per_matrix: elements of a lane; most: of x1 x2 x4 */
    place row, col;
} matrix_form;

static void draw_matrix(const char *instruction, const matrix_form *forms, int count, const char *shapes)
{
    const int trans = word(2) ? choose("the third word", word(2), "trans") == 0 : 0;
    const matrix_form *f = NULL;
    int i, lane, n;
    choose("the shape", word(0), shapes);
    for (i = 0; i < count; i++)
        if (!strcmp(forms[i].name, word(0)) && forms[i].trans == trans) f = &forms[i];
    if (!f) fail("%s exists %s trans only", word(0), trans ? "without" : "with");
    n = 1 << choose("the count", word(1), f->most == 2 ? "x1 x2" : "x1 x2 x4");
    at_most(3);
    {
        picture *p = draw(f->rows * n, f->cols, "%s %s x%d%s", instruction, f->name, n, trans ? " trans" : "");
        frag g = fragment(p, "r", f->e, 1, 0, 32);
        axes(p, "row in shared memory, 16 bytes; @n: lane n gave its address",
             f->cols == 8 ? "16-bit element of the row" : "8-bit element of the row");
        p->every_row = f->rows;
        for (i = 0; i < p->rows; i++) print(p->row[i], sizeof p->row[i], "@%d", i);
        for (lane = 0; lane < 32; lane++)
            for (i = 0; i < f->per_matrix * n; i++) put(&g, lane, i, f->row(lane, i), f->col(lane, i));
        end_fragment(&g);
    }
}

void command_ldmatrix(void)
{
    static const matrix_form forms[] = {
        {"m8n8", 0, 8, 8, 2, 2, 4, tc_frag_ldmatrix_m8n8_row, tc_frag_ldmatrix_m8n8_col},
        {"m8n8", 1, 8, 8, 2, 2, 4, tc_frag_ldmatrix_m8n8_trans_row, tc_frag_ldmatrix_m8n8_trans_col},
        {"m16n16", 1, 16, 16, 8, 4, 2, tc_frag_ldmatrix_m16n16_trans_row, tc_frag_ldmatrix_m16n16_trans_col},
        {"m8n16", 0, 8, 16, 4, 4, 4, tc_frag_ldmatrix_m8n16_row, tc_frag_ldmatrix_m8n16_col},
    };
    draw_matrix("ldmatrix", forms, COUNT(forms), "m8n8 m16n16 m8n16");
}

void command_stmatrix(void)
{
    static const matrix_form forms[] = {
        {"m8n8", 0, 8, 8, 2, 2, 4, tc_frag_stmatrix_m8n8_row, tc_frag_stmatrix_m8n8_col},
        {"m8n8", 1, 8, 8, 2, 2, 4, tc_frag_stmatrix_m8n8_trans_row, tc_frag_stmatrix_m8n8_trans_col},
        {"m16n8", 1, 8, 16, 4, 4, 4, tc_frag_stmatrix_m16n8_trans_row, tc_frag_stmatrix_m16n8_trans_col},
    };
    draw_matrix("stmatrix", forms, COUNT(forms), "m8n8 m16n8");
}

/* ---- wgmma ---- */
void command_wgmma(void)
{
    const int part = choose("the matrix", word(0), "d a meta");
    int t, i;
    at_most(2);
    if (part == 0) {
        const int n = word(1) ? parse_int(word(1), "n", 8, 256) : 16,
                  f16 = choose("--type", option("--type") ? option("--type") : "f32", "f32 s32 f16") == 2;
        picture *p;
        frag f;
        if (n % 8) fail("n is %d, but must be a multiple of 8 in 8..256", n);
        p = draw(64, n, "wgmma m64n%d, D of %s", n, f16 ? "f16" : "32 bits");
        f = fragment(p, "d", f16 ? 2 : 1, 1, 0, 128);
        axes(p, "row m", "column n");
        say(&p->notes, "warp w of the warpgroup has rows 16w to 16w + 15\n");
        p->every_row = p->every_col = 8;
        for (t = 0; t < 128; t++)
            for (i = 0; i < n / 2; i++) put(&f, t, i, tc_frag_wgmma_d_row(t, i), tc_frag_wgmma_d_col(t, i));
        end_fragment(&f);
    } else if (part == 1) {
        static const int sizes[] = {16, 32, 8, 1};
        const int bits = sizes[choose("bits of an element", word(1) ? word(1) : "16", "16 32 8 1")], e = 32 / bits,
                  k = 8 * e, group = e >= 4 && !option("--elements") ? e : 1;
        picture *p = draw(64, k / group, "wgmma m64nNk%d, A in registers, elements of %d bits", k, bits);
        frag f = fragment(p, "a", e, group, 0, 128);
        axes(p, "row m", "k");
        p->every_row = 8, p->every_col = 4 * e / group;
        for (t = 0; t < 128; t++)
            for (i = 0; i < 4 * e; i++) put(&f, t, i, tc_frag_wgmma_a_row(t, i, bits), tc_frag_wgmma_a_col(t, i, bits));
        end_fragment(&f);
    } else {
        static const int sizes[] = {16, 32, 8};
        const int bits = sizes[choose("bits of an element", word(1) ? word(1) : "16", "16 32 8")],
                  group = bits == 32 ? 2 : 4, selector = number("--selector", 0, 0, bits == 8 ? 0 : 1);
        const int only = number("--lane", -1, 0, 127);
        picture *p = draw(64, bits == 8 ? 16 : 8, "wgmma.sp, metadata of A, elements of %d bits, selector %d", bits,
                          selector);
        axes(p, "row m", "k of A, a group");
        p->every_row = 8, p->every_col = 4;
        say(&p->key, "3:4-7: bits 4 to 7 of thread 3's register describe the group\n");
        for (i = 0; i < p->cols; i++) print(p->col[i], sizeof p->col[i], "%d..%d", i * group, i * group + group - 1);
        for (t = 0; t < 128; t++)
            for (i = 0; i < 8; i++) {
                const int row = tc_frag_wgmma_meta_row(t, i, bits), col = tc_frag_wgmma_meta_col(t, i, bits);
                cell *q;
                if (bits != 8 && t % 4 / 2 != selector) continue;
                q = at(p, row, col / group);
                print(q->text, sizeof q->text, "%d:%d-%d", t, 4 * i, 4 * i + 3);
                print(q->big, sizeof q->big, "T%d", t);
                print(q->small, sizeof q->small, "bits %d-%d", 4 * i, 4 * i + 3);
                q->colour = only < 0 || only == t ? lane_colour(t) : WHITE;
                if (only == t)
                    say(&p->held, "lane %d bits %d-%d: row %d, k %d..%d\n", t, 4 * i, 4 * i + 3, row, col,
                        col + group - 1);
            }
        if (only >= 0 && !p->held.s) say(&p->held, "lane %d is not read with this selector\n", only);
    }
}

/* ---- tcgen05 ---- */
static void draw_tcgen05(const char *instruction, const char *packs)
{
    static const char *const shapes[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
    const int shape = choose("the shape", word(0), "32x32b 16x64b 16x128b 16x256b 16x32bx2");
    const int n = 1 << choose("the count", word(1) ? word(1) : "x1", "x1 x2 x4 x8 x16 x32 x64 x128");
    const int pack = option("--pack") != NULL, registers = tc_tcgen05_ld_registers(shape, n);
    int split, cols = 0, l, i;
    at_most(2);
    if (registers > 128)
        fail("%s %s has %d registers, but the most is 128: x%d", word(0), word(1), registers, n * 128 / registers);
    if (option("--split") && shape != TC_TCGEN05_16X32BX2) fail("--split belongs to 16x32bx2");
    split = number("--split", n * (pack ? 2 : 1), 0, 512);
    for (l = 0; l < 32; l++)
        for (i = 0; i < registers; i++) {
            const int c = tc_tcgen05_ld_column(shape, pack, split, l, i) + (pack ? 2 : 1);
            if (c > cols) cols = c;
        }
    {
        picture *p = draw(shape == TC_TCGEN05_32X32B ? 32 : 16, cols, "%s %s x%d%s%s", instruction, shapes[shape], n,
                          pack ? packs : "", "");
        frag f = fragment(p, "r", pack ? 2 : 1, 1, 0, 32);
        axes(p, "lane of tensor memory, from the address'", "column of 32 bits");
        p->every_row = shape == TC_TCGEN05_32X32B ? 32 : 8;
        if (shape != TC_TCGEN05_32X32B)
            p->every_col = shape == TC_TCGEN05_16X32BX2 ? 0
                         : shape == TC_TCGEN05_16X64B ? 2
                         : shape == TC_TCGEN05_16X128B ? 4
                         : 8;
        for (l = 0; l < 32; l++)
            for (i = 0; i < registers; i++) {
                const int lane = tc_tcgen05_ld_lane(shape, l, i),
                          column = tc_tcgen05_ld_column(shape, pack, split, l, i);
                put(&f, l, pack ? 2 * i : i, lane, column);
                if (pack) put(&f, l, 2 * i + 1, lane, column + 1);
            }
        end_fragment(&f);
    }
}

void command_tcgen05_ld(void) { draw_tcgen05("tcgen05.ld", " pack::16b"); }
void command_tcgen05_st(void) { draw_tcgen05("tcgen05.st", " unpack::16b"); }

/* D: 16 lanes at a time, since all forms have consecutive rows there */
void command_tmem_d(void)
{
    const int g = number("--cta-group", 1, 1, 2), sp = option("--sp") != NULL, ws = option("--ws") != NULL;
    const char *legal = ws ? "32 64 128" : g == 2 ? "128 256" : "64 128";
    static const int ms[3][3] = {{64, 128, 0}, {128, 256, 0}, {32, 64, 128}};
    int m, n, cta, band, banks;
    picture *p;
    at_most(2);
    if (ws && g == 2) fail("--ws goes with --cta-group 1 only");
    m = ms[ws ? 2 : g - 1][choose("m", word(0), legal)];
    n = word(1) ? parse_int(word(1), "n", 8, 256) : 128;
    banks = tc__t5_banks(m, g, sp, ws);
    if (tc_tcgen05_idesc_check(&(tc_tcgen05_idesc_fields){.kind = TC_KIND_F16, .a = TC_F16, .b = TC_F16, .d = TC_F32,
                                                          .m = m, .n = n, .cta_group = g, .sparse = sp,
                                                          .ws = ws}) != TC_OK)
        fail("%s", tc_why());
    p = draw(8, g, "D of tcgen05.mma%s%s in tensor memory: m = %d, n = %d, cta_group %d", ws ? ".ws" : "", sp ? ".sp"
             : "", m, n, g);
    axes(p, "lanes of tensor memory", "CTA");
    p->every_row = 2;
    say(&p->notes, "columns 0..%d from D's address; warp w of four reaches lanes 32w to 32w + 31\n", n / banks - 1);
    for (cta = 0; cta < g; cta++)
        for (band = 0; band < 8; band++) {
            const int lane = band * 16, row = tc_tcgen05_d_row(m, g, sp, ws, cta, lane),
                      col = tc_tcgen05_d_col(m, n, g, sp, ws, lane, 0);
            cell *q = at(p, band, cta);
            print(p->row[band], sizeof p->row[band], "%d..%d", lane, lane + 15);
            q->colour = GREY;
            print(q->text, sizeof q->text, "not used");
            print(q->big, sizeof q->big, "not used");
            if (row < 0) continue;
            print(q->text, sizeof q->text, "m %d..%d n %d..%d", row, row + 15, col, col + n / banks - 1);
            print(q->big, sizeof q->big, "m %d..%d", row, row + 15);
            print(q->small, sizeof q->small, "n %d..%d", col, col + n / banks - 1);
            q->colour = row / 16 % 8 * 4 + col / (n / banks) % 4;
        }
}

static int kind_of(const char *s)
{
    return 1 + choose("the kind", s, "f16 tf32 f8f6f4 i8 mxf8f6f4 mxf4 mxf4nvf4");
}

void command_tmem_meta(void)
{
    const int kind = kind_of(word(0)), g = number("--cta-group", 1, 1, 2), ws = option("--ws") != NULL,
              selector = number("--selector", 0, 0, kind <= TC_KIND_TF32 ? 1 : 0);
    static const int ms[3][3] = {{64, 128, 0}, {128, 256, 0}, {32, 64, 128}};
    const int m = ms[ws ? 2 : g - 1][choose("m", word(1) ? word(1) : ws ? "32" : "128", ws ? "32 64 128"
                                            : g == 2 ? "128 256" : "64 128")];
    const int groups = kind <= TC_KIND_TF32 ? 8 : 16, wide = kind == TC_KIND_TF32 ? 2 : kind >= TC_KIND_MXF4 ? 8 : 4;
    picture *p = draw(m / g, groups, "metadata of a sparse A in tensor memory: kind %s, m = %d, cta_group %d%s",
                      tc_kind_name(kind), m, g, g == 2 ? ", the even CTA" : "");
    int row, i;
    at_most(2);
    axes(p, "row m", "k of A, a group");
    p->every_row = p->every_col = 8;
    say(&p->key, "lane:column.bit of the lowest of the group's four bits\n");
    say(&p->notes, ".ws with m below 128 has copies in the other lanes, see tc_tcgen05.h\n");
    for (row = 0; row < p->rows; row++)
        for (i = 0; i < groups; i++) {
            const int lane = tc_tcgen05_meta_lane(kind, m, 128, g, ws, row, 0, i),
                      column = tc_tcgen05_meta_column(kind, selector, i), bit = tc_tcgen05_meta_bit(kind, row, i);
            cell *q = at(p, row, i);
            print(p->col[i], sizeof p->col[i], "%d..%d", i * wide, i * wide + wide - 1);
            print(q->text, sizeof q->text, "%d:%d.%d", lane, column, bit);
            print(q->big, sizeof q->big, "lane %d", lane);
            print(q->small, sizeof q->small, "col %d bit %d", column, bit);
            q->colour = lane_colour(lane);
        }
}

void command_scale_factors(void)
{
    const int where = choose("the place", word(0), "tmem memory mma-a mma-b");
    const int rows = number("--rows", 128, 1, 1024), factors = number("--factors", 4, 1, 64);
    int row, s, lane;
    at_most(1);
    if (where < 2) {
        const int lines = where ? (rows + 127) / 128 * 32 * ((factors + 3) / 4) : 32;
        const int columns = where ? 4 : tc_tcgen05_sf_column(rows, rows - 1, factors - 1 + (4 - factors % 4) % 4) + 1;
        picture *p;
        int i;
        if (!where && rows > 256)
            fail("--rows is %d, but tensor memory has the factors of 256 rows of B at most", rows);
        p = draw(lines, columns * 4,
                 where ? "scale factors in memory: %d rows x %d factors, as tcgen05.cp 32x128b.warpx4 reads them"
                 : "scale factors in tensor memory: %d rows x %d factors", rows, factors);
        axes(p, where ? "16 bytes, from byte" : "lane (the same in 32.., 64.., 96..)", where ? "byte" : "column.byte");
        p->every_col = 4, p->every_row = 32;
        say(&p->key, "5:2: factor 2 (along K) of row 5\n");
        for (i = 0; i < lines && where; i++) print(p->row[i], sizeof p->row[i], "+%d", 16 * i);
        for (i = 0; i < columns * 4 && !where; i++) print(p->col[i], sizeof p->col[i], "%d.%d", i / 4, i % 4);
        for (row = 0; row < rows; row++)
            for (s = 0; s < factors; s++) {
                const int offset = (int)tc_tcgen05_sf_offset((factors + 3) / 4 * 4, row, s);
                cell *q = where ? at(p, offset / 16, offset % 16)
                     : at(p, tc_tcgen05_sf_lane(row), tc_tcgen05_sf_column(rows, row, s) * 4 + tc_tcgen05_sf_byte(s));
                print(q->text, sizeof q->text, "%d:%d", row, s);
                print(q->big, sizeof q->big, "%d", row);
                print(q->small, sizeof q->small, "s%d", s);
                q->colour = row / 32 % 8 * 4 + s % 4;
            }
    } else {
        static const int vecs[3] = {1, 2, 4};
        const int b = where == 3,
                  vec = vecs[choose("--scale-vec", option("--scale-vec") ? option("--scale-vec") : "1", "1 2 4")];
        const int thread = number("--thread", 0, 0, b ? 3 : 1),
                  byte = number("--byte", 0, 0, vec == 4 ? 0 : vec == 2 ? 2 : 3);
        picture *p;
        if (byte % vec) fail("--byte is %d, but scale_vec %dX begins at byte 0 or 2", byte, vec);
        p = draw(b ? 8 : 16, vec,
                 "scale factors of mma.sync block_scale, scale_vec %dX: of %s, thread id %d, byte id %d", vec, b ? "B"
                 : "A", thread, byte);
        axes(p, b ? "column n" : "row m", "factor along K");
        say(&p->key, "3.1: byte 1 of lane 3's register\n");
        for (lane = 0; lane < 32; lane++) {
            row = b ? tc_frag_scale_b_col(lane, thread) : tc_frag_scale_a_row(lane, thread);
            for (s = 0; row >= 0 && s < vec; s++) {
                cell *q = at(p, row, s);
                print(q->text, sizeof q->text, "%d.%d", lane, byte + s);
                print(q->big, sizeof q->big, "T%d", lane);
                print(q->small, sizeof q->small, "byte %d", byte + s);
                q->colour = lane_colour(lane);
            }
        }
    }
}
