/* tc_layout.c - draws which thread holds which element, where a swizzle or a TMA box puts it, and counts bank
 * conflicts.
 *     cc -std=c11 -O2 -I. tools/tc_layout.c -o build/tc_layout        from the repository's root; needs nothing else
 *     build/tc_layout --help
 *
 * It knows no layout of its own: every place comes from the functions of the headers (tc_frag_*, tc_swizzle*,
 * tc_layout_*, tc_tcgen05_*, tc_sp_*), so a picture is what a kernel gets. A command makes pictures, main writes them
 * as text or as one SVG.
 * Where the CUDA Toolkit's headers are in the include path, tc_tma.h checks the boxes as it does for tensor maps.
 */
#include "../tc_mma.h"
#include "../tc_sparse.h"
#include "../tc_wgmma.h"
#include "../tc_tcgen05.h"
#if defined(__has_include)
#if __has_include(<cuda_runtime_api.h>)
#include "../tc_tma.h"
#define HAS_TMA 1
#endif
#endif
#include <limits.h>
#include <stdlib.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#if defined(__GNUC__)
#define FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define FORMAT(f, a)
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * Failure: one sentence, exit 2.
 */
static const char *doing = ""; /* the command, for the sentence */

static _Noreturn void fail(const char *format, ...) FORMAT(1, 2);
static _Noreturn void fail(const char *format, ...)
{
    va_list list;
    fprintf(stderr, "tc_layout: %s%s", doing, *doing ? ": " : "");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(2);
}

/* snprintf that must fit. */
static void print(char *out, size_t size, const char *format, ...) FORMAT(3, 4);
static void print(char *out, size_t size, const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vsnprintf(out, size, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= size) fail("internal: \"%s\" is too long", out);
}

/* Text that grows. */
typedef struct text {
    char *s;
    size_t used, room;
} text;

static void say(text *t, const char *format, ...) FORMAT(2, 3);
static void say(text *t, const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (t->used + (size_t)n + 1 > t->room) {
        t->room = 2 * t->room + (size_t)n + 64;
        t->s = realloc(t->s, t->room);
        if (!t->s) fail("out of memory");
    }
    va_start(list, format);
    vsnprintf(t->s + t->used, (size_t)n + 1, format, list);
    va_end(list);
    t->used += (size_t)n;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Command line: words and options. A command names the options that it takes.
 */
static struct {
    const char *word[8];
    int words;
    const char *name[24], *value[24];
    int options;
} args;

/* Option names with "=" take a value; "--svg" takes one if a word follows. */
static const char *const all_options[] = {
    "--svg=", "--lane=", "--elements", "--selector=", "--layout=", "--product=", "--type=", "--pack", "--split=",
    "--cta-group=", "--sp", "--ws", "--rows=", "--factors=", "--thread=", "--scale-vec=", "--byte=", "--row-bytes=",
    "--chunk=", "--view=", "--k=", "--lead=", "--stride=", "--dims=", "--box=", "--at=", "--steps=", "--padded",
    "--swizzle=", "--lower=", "--upper=", "--channels=", "--pixels=", "--offsets=", "--pattern=", "--bytes=",
    "--count="};

static const char *option(const char *name)
{
    int i;
    for (i = 0; i < args.options; i++)
        if (!strcmp(args.name[i], name)) return args.value[i];
    return NULL;
}

static int parse_int(const char *s, const char *what, long lo, long hi)
{
    char *end;
    const long x = strtol(s, &end, 0);
    if (end == s || *end || x < lo || x > hi)
        fail("%s is %s, but must be a number in %ld..%ld", what, *s ? s : "empty", lo, hi);
    return (int)x;
}

static int number(const char *name, int unset, long lo, long hi)
{
    const char *s = option(name);
    return s ? parse_int(s, name, lo, hi) : unset;
}

/* "64,8,2" to out[0..]; returns how many */
static int numbers(const char *name, int *out, int max, long lo, long hi)
{
    const char *s = option(name);
    char item[32];
    int n = 0;
    if (!s) return 0;
    for (;;) {
        const size_t length = strcspn(s, ",");
        if (n == max) fail("%s has more than %d numbers", name, max);
        print(item, sizeof item, "%.*s", (int)(length < 31 ? length : 31), s);
        out[n++] = parse_int(item, name, lo, hi);
        if (!s[length]) return n;
        s += length + 1;
    }
}

/* Index of `word` in a list of words set apart by blanks, or the sentence with the legal ones. */
static int choose(const char *what, const char *word, const char *legal)
{
    const char *s = legal;
    int i;
    for (i = 0; *s; i++) {
        const size_t length = strcspn(s, " ");
        if (word && strlen(word) == length && !strncmp(s, word, length)) return i;
        s += length + strspn(s + length, " ");
    }
    if (word) fail("%s is %s, but must be one of: %s", what, *word ? word : "empty", legal);
    fail("%s is missing; it is one of: %s", what, legal);
}

static const char *word(int i) { return i < args.words ? args.word[i] : NULL; }
static void at_most(int words)
{
    if (args.words > words) fail("nothing is known of \"%s\" here", args.word[words]);
}

static int type_of(const char *unset)
{
    const char *s = option("--type") ? option("--type") : unset;
    text legal = {0};
    int type;
    for (type = 1; type < TC_TYPE_COUNT; type++) {
        if (!strcmp(s, tc_type_name(type))) return type;
        say(&legal, "%s%s", type > 1 ? " " : "", tc_type_name(type));
    }
    fail("--type is %s, but must be one of: %s", s, legal.s);
}

static const struct {
    const char *name;
    int mode;
}
swizzles[] = {{"none", TC_SWIZZLE_NONE}, {"0", TC_SWIZZLE_NONE}, {"32", TC_SWIZZLE_32B}, {"64", TC_SWIZZLE_64B},
              {"96", TC_SWIZZLE_96B}, {"128", TC_SWIZZLE_128B},
                {"128_atom_32", TC_SWIZZLE_128B_ATOM_32B}, {"128_atom_32_flip_8", TC_SWIZZLE_128B_ATOM_32B_FLIP_8B},
                {"128_atom_64", TC_SWIZZLE_128B_ATOM_64B}};

static int swizzle_of(const char *what, const char *s)
{
    text legal = {0};
    int i;
    for (i = 0; i < COUNT(swizzles); i++) {
        if (s && !strcmp(s, swizzles[i].name)) return swizzles[i].mode;
        say(&legal, "%s%s", i ? " " : "", swizzles[i].name);
    }
    if (s) fail("%s is %s, but must be one of: %s", what, s, legal.s);
    fail("%s is missing; it is one of: %s", what, legal.s);
}

static const char *swizzle_name(int mode)
{
    return mode == 0                                 ? "no swizzle"
         : mode == 32                                ? "32-byte swizzle"
         : mode == 64                                ? "64-byte swizzle"
         : mode == 96                                ? "96-byte swizzle"
         : mode == TC_SWIZZLE_128B_ATOM_32B          ? "128-byte swizzle in atoms of 32 bytes"
         : mode == TC_SWIZZLE_128B_ATOM_32B_FLIP_8B  ? "128-byte swizzle in atoms of 32 bytes, 8 bytes flipped"
         : mode == TC_SWIZZLE_128B_ATOM_64B          ? "128-byte swizzle in atoms of 64 bytes"
                                                     : "128-byte swizzle";
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Pictures. A cell has one text for the terminal, two lines for the SVG, and a colour: 0..31, WHITE or GREY.
 */
enum { WHITE = 32, GREY = 33, COLOURS = 34 };

typedef struct cell {
    char text[32], big[24], small[24];
    int colour;
} cell;

typedef struct picture {
    char title[160], down[72], across[72];
    int rows, cols, every_row, every_col; /* thicker lines every so many */
    cell *cells;
    char (*row)[32], (*col)[32]; /* labels */
    text notes, key; /* below the picture; key: what "3:1" means, in the terminal only */
    text held; /* with --lane: what that lane holds; the terminal gets this instead of the picture */
} picture;

static picture pictures[8];
static int picture_count;

static picture *draw(int rows, int cols, const char *format, ...) FORMAT(3, 4);
static picture *draw(int rows, int cols, const char *format, ...)
{
    picture *p = &pictures[picture_count++];
    va_list list;
    int i;
    if (rows < 1 || cols < 1 || (int64_t)rows * cols > 1 << 18)
        fail("a picture of %d x %d cells is not drawn", rows, cols);
    va_start(list, format);
    vsnprintf(p->title, sizeof p->title, format, list);
    va_end(list);
    p->rows = rows, p->cols = cols;
    p->cells = calloc((size_t)rows * (size_t)cols, sizeof *p->cells);
    p->row = calloc((size_t)rows, sizeof *p->row);
    p->col = calloc((size_t)cols, sizeof *p->col);
    if (!p->cells || !p->row || !p->col) fail("out of memory");
    for (i = 0; i < rows * cols; i++) p->cells[i].colour = WHITE;
    for (i = 0; i < rows; i++) print(p->row[i], sizeof p->row[i], "%d", i);
    for (i = 0; i < cols; i++) print(p->col[i], sizeof p->col[i], "%d", i);
    return p;
}

static void axes(picture *p, const char *down, const char *across)
{
    print(p->down, sizeof p->down, "%s", down);
    print(p->across, sizeof p->across, "%s", across);
}

static cell *at(picture *p, int row, int col)
{
    if (row < 0 || row >= p->rows || col < 0 || col >= p->cols)
        fail("internal: cell %d, %d of %d x %d", row, col, p->rows, p->cols);
    return &p->cells[row * p->cols + col];
}

/* "a..b", "a" where they are the same */
static const char *range(char out[24], int a, int b)
{
    if (a == b) print(out, 24, "%d", a);
    else print(out, 24, "%d..%d", a, b);
    return out;
}

/* The four lanes of a row of an 8x8 matrix share a hue; lanes 32 apart share a colour. */
static int lane_colour(int lane) { return lane % 32; }
/* Eight groups of four banks: a hue each. */
static int bank_colour(uint32_t offset) { return (int)(offset / 16 % 8 * 4 + 1); }

/* A cell of shared memory: where its `bytes` from `offset` on lie. */
static void put_banks(cell *c, uint32_t offset, int bytes)
{
    const int first = (int)(offset / 4 % 32), last = (int)((offset + (uint32_t)bytes - 1) / 4 % 32);
    char banks[24];
    range(banks, first, last);
    print(c->text, sizeof c->text, "%u b%s", offset, banks);
    print(c->big, sizeof c->big, "+%u", offset);
    print(c->small, sizeof c->small, "banks %.13s", banks);
    c->colour = bank_colour(offset);
}

/* ---- as text ---- */
static void write_text(const picture *p, FILE *f)
{
    int r, c, label = 0, *width = calloc((size_t)p->cols, sizeof *width);
    if (!width) fail("out of memory");
    fprintf(f, "%s\n", p->title);
    if (p->held.s) {
        fprintf(f, "%s", p->held.s);
        free(width);
        return;
    }
    for (r = 0; r < p->rows; r++)
        if ((int)strlen(p->row[r]) > label) label = (int)strlen(p->row[r]);
    for (c = 0; c < p->cols; c++) {
        width[c] = (int)strlen(p->col[c]);
        for (r = 0; r < p->rows; r++) {
            const int n = (int)strlen(p->cells[r * p->cols + c].text);
            if (n > width[c]) width[c] = n;
        }
    }
    if (*p->down) fprintf(f, "down: %s; across: %s\n", p->down, p->across);
    fprintf(f, "%*s ", label, "");
    for (c = 0; c < p->cols; c++)
        fprintf(f, "%s%*s", p->every_col && c % p->every_col == 0 ? " | " : "  ", width[c], p->col[c]);
    fputc('\n', f);
    for (r = 0; r < p->rows; r++) {
        if (p->every_row && r && r % p->every_row == 0) fputc('\n', f);
        fprintf(f, "%*s ", label, p->row[r]);
        for (c = 0; c < p->cols; c++)
            fprintf(f, "%s%*s", p->every_col && c % p->every_col == 0 ? " | " : "  ", width[c],
                    *p->cells[r * p->cols + c].text ? p->cells[r * p->cols + c].text : ".");
        fputc('\n', f);
    }
    fprintf(f, "%s%s", p->key.s ? p->key.s : "", p->notes.s ? p->notes.s : "");
    free(width);
}

/* ---- as SVG: one path a colour, so that a large picture stays small ---- */
static void write_escaped(FILE *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '&') fputs("&amp;", f);
        else if (*s == '<') fputs("&lt;", f);
        else if (*s == '>') fputs("&gt;", f);
        else fputc(*s, f);
    }
}

static unsigned colour_rgb(int colour)
{
    /* eight hues (red, green, blue of full saturation), four steps of white in them; black text stays readable on
     * all */
    static const unsigned char hue[8][3] = {{255, 90, 90}, {255, 160, 40}, {235, 210, 30}, {120, 205, 70},
                                            {40, 195, 165}, {60, 170, 245}, {120, 130, 250}, {215, 110, 225}};
    static const int white[4] = {74, 58, 40, 20};
    unsigned rgb = 0;
    int i;
    if (colour == WHITE) return 0xffffff;
    if (colour == GREY) return 0xdddddd;
    for (i = 0; i < 3; i++)
        rgb = rgb << 8 | (unsigned)(hue[colour / 4][i] + (255 - hue[colour / 4][i]) * white[colour % 4] / 100);
    return rgb;
}

typedef struct size {
    int left, top, cell_w, cell_h, width, height, two;
} size;

static size measure(const picture *p)
{
    size s = {0};
    int i, big = 2, small = 0, label = 1, head = 1, note = 0, n;
    const char *line;
    for (i = 0; i < p->rows * p->cols; i++) {
        n = (int)strlen(p->cells[i].big);
        if (n > big) big = n;
        n = (int)strlen(p->cells[i].small);
        if (n > small) small = n;
    }
    for (i = 0; i < p->rows; i++) {
        n = (int)strlen(p->row[i]);
        if (n > label) label = n;
    }
    for (i = 0; i < p->cols; i++) {
        n = (int)strlen(p->col[i]);
        if (n > head) head = n;
    }
    for (line = p->notes.s; line && *line; line += strcspn(line, "\n") + 1) {
        n = (int)strcspn(line, "\n");
        if (n > note) note = n;
        s.height += 16;
    }
    s.two = small > 0;
    s.cell_w = 8 * big + 8;
    if (6 * small + 6 > s.cell_w) s.cell_w = 6 * small + 6;
    if (7 * head + 4 > s.cell_w) s.cell_w = 7 * head + 4;
    s.cell_h = s.two ? 32 : 20;
    s.left = 7 * label + 14;
    s.top = 62;
    s.width = s.left + p->cols * s.cell_w + 12;
    n = (int)strlen(p->title) * 9 + 20;
    if (n > s.width) s.width = n;
    if (7 * note + 20 > s.width) s.width = 7 * note + 20;
    n = (int)(strlen(p->down) + strlen(p->across) + 16) * 7 + 20;
    if (n > s.width) s.width = n;
    s.height += s.top + p->rows * s.cell_h + 14;
    return s;
}

static void write_lines(FILE *f, const size *s, const picture *p, int y, int row_step, int col_step, const char *class)
{
    const int w = p->cols * s->cell_w, h = p->rows * s->cell_h;
    int i;
    fprintf(f, "<path class=\"%s\" d=\"", class);
    for (i = 0; i <= p->rows; i += row_step) fprintf(f, "M%d %dh%d", s->left, y + s->top + i * s->cell_h, w);
    for (i = 0; i <= p->cols; i += col_step) fprintf(f, "M%d %dv%d", s->left + i * s->cell_w, y + s->top, h);
    fputs("\"/>\n", f);
}

static void write_svg(FILE *f)
{
    int width = 0, height = 0, y = 0, n, r, c, k;
    for (n = 0; n < picture_count; n++) {
        const size s = measure(&pictures[n]);
        if (s.width > width) width = s.width;
        height += s.height;
    }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "role=\"img\">\n<title>", width, height, width, height);
    write_escaped(f, pictures[0].title);
    fputs("</title>\n<style>text{font-family:ui-monospace,Menlo,Consolas,"
          "monospace;font-size:11px;fill:#111;text-anchor:middle}"
          ".t{font-size:14px;font-weight:bold;text-anchor:start}.n{text-anchor:start;fill:#444}"
          ".l{text-anchor:end;fill:#444}.h{fill:#444}.b{font-size:12px}.s{font-size:9px;fill:#333}"
          ".g{stroke:#999;stroke-width:.5;fill:none}.k{stroke:#222;stroke-width:1.5;fill:none}", f);
    for (k = 0; k < COLOURS; k++) fprintf(f, ".c%d{fill:#%06x}", k, colour_rgb(k));
    fprintf(f, "</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
    for (n = 0; n < picture_count; n++) {
        const picture *p = &pictures[n];
        const size s = measure(p);
        const char *line;
        int at_y;
        fprintf(f, "<text class=\"t\" x=\"10\" y=\"%d\">", y + 20);
        write_escaped(f, p->title);
        fputs("</text>\n", f);
        if (*p->down) {
            fprintf(f, "<text class=\"n\" x=\"10\" y=\"%d\">down: ", y + 37);
            write_escaped(f, p->down);
            fputs("; across: ", f);
            write_escaped(f, p->across);
            fputs("</text>\n", f);
        }
        for (k = 0; k < COLOURS; k++) {
            int any = 0;
            for (r = 0; r < p->rows; r++)
                for (c = 0; c < p->cols; c++) {
                    int run = 1;
                    if (p->cells[r * p->cols + c].colour != k) continue;
                    while (c + run < p->cols && p->cells[r * p->cols + c + run].colour == k) run++;
                    if (!any) fprintf(f, "<path class=\"c%d\" d=\"", k);
                    fprintf(f, "M%d %dh%dv%dh-%dz", s.left + c * s.cell_w, y + s.top + r * s.cell_h, run * s.cell_w,
                            s.cell_h, run * s.cell_w);
                    any = 1;
                    c += run - 1;
                }
            if (any) fputs("\"/>\n", f);
        }
        write_lines(f, &s, p, y, 1, 1, "g");
        write_lines(f, &s, p, y, p->every_row ? p->every_row : p->rows, p->every_col ? p->every_col : p->cols, "k");
        fputs("<g class=\"h\">\n", f);
        for (c = 0; c < p->cols; c++) {
            fprintf(f, "<text x=\"%d\" y=\"%d\">", s.left + c * s.cell_w + s.cell_w / 2, y + s.top - 6);
            write_escaped(f, p->col[c]);
            fputs("</text>\n", f);
        }
        for (r = 0; r < p->rows; r++) {
            fprintf(f, "<text class=\"l\" x=\"%d\" y=\"%d\">", s.left - 6, y + s.top + r * s.cell_h + s.cell_h / 2 + 4);
            write_escaped(f, p->row[r]);
            fputs("</text>\n", f);
        }
        fputs("</g>\n", f);
        for (r = 0; r < p->rows; r++)
            for (c = 0; c < p->cols; c++) {
                const cell *q = &p->cells[r * p->cols + c];
                const int x = s.left + c * s.cell_w + s.cell_w / 2, top = y + s.top + r * s.cell_h;
                if (*q->big) {
                    fprintf(f, "<text class=\"b\" x=\"%d\" y=\"%d\">", x, top + (s.two ? 15 : 14));
                    write_escaped(f, q->big);
                    fputs("</text>\n", f);
                }
                if (*q->small) {
                    fprintf(f, "<text class=\"s\" x=\"%d\" y=\"%d\">", x, top + 27);
                    write_escaped(f, q->small);
                    fputs("</text>\n", f);
                }
            }
        at_y = y + s.top + p->rows * s.cell_h + 16;
        for (line = p->notes.s; line && *line; line += strcspn(line, "\n") + 1, at_y += 16) {
            char copy[400];
            print(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
            fprintf(f, "<text class=\"n\" x=\"10\" y=\"%d\">", at_y);
            write_escaped(f, copy);
            fputs("</text>\n", f);
        }
        y += s.height;
    }
    fputs("</svg>\n", f);
}

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
    if (args.words >= 2) {
        snprintf(name, sizeof name, "%s_%s", args.word[0], class_of(packed, args.word[0], args.word[1]));
        for (i = 0; i < count; i++)
            if (!strcmp(table[i].name, name)) return &table[i];
    }
    for (i = 0; i < count; i++)
        say(&legal, "%s%.*s %s", i ? ", " : "", (int)strcspn(table[i].name, "_"), table[i].name,
            strchr(table[i].name, '_') + 1);
    if (args.words < 2)
        fail("a shape and a class are missing; there are: %s%s (a type like bf16 may stand for its class)", legal.s,
             also);
    fail("%s %s is no shape and class; there are: %s%s (a type like bf16 may stand for its class)", args.word[0],
         args.word[1], legal.s, also);
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

static void command_mma(void)
{
    const int volta = args.words >= 2 && !strcmp(word(0), "m8n8k4") && !strcmp(class_of("", "", word(1)), "b16");
    const mma_shape *s = volta ? NULL : find_shape(dense, COUNT(dense), "m16n8k64", ", m8n8k4 b16");
    const int part = args.words > 2 ? choose("the matrix", word(2), "a b d") : -1;
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

static void command_mma_sp(void)
{
    const mma_shape *s = find_shape(sparse, COUNT(sparse), "m16n8k128", "");
    const int part = args.words > 2 ? choose("the matrix", word(2), "a b d meta") : -1;
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
    const int trans = args.words > 2 ? choose("the third word", word(2), "trans") == 0 : 0;
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

static void command_ldmatrix(void)
{
    static const matrix_form forms[] = {
        {"m8n8", 0, 8, 8, 2, 2, 4, tc_frag_ldmatrix_m8n8_row, tc_frag_ldmatrix_m8n8_col},
        {"m8n8", 1, 8, 8, 2, 2, 4, tc_frag_ldmatrix_m8n8_trans_row, tc_frag_ldmatrix_m8n8_trans_col},
        {"m16n16", 1, 16, 16, 8, 4, 2, tc_frag_ldmatrix_m16n16_trans_row, tc_frag_ldmatrix_m16n16_trans_col},
        {"m8n16", 0, 8, 16, 4, 4, 4, tc_frag_ldmatrix_m8n16_row, tc_frag_ldmatrix_m8n16_col},
    };
    draw_matrix("ldmatrix", forms, COUNT(forms), "m8n8 m16n16 m8n16");
}

static void command_stmatrix(void)
{
    static const matrix_form forms[] = {
        {"m8n8", 0, 8, 8, 2, 2, 4, tc_frag_stmatrix_m8n8_row, tc_frag_stmatrix_m8n8_col},
        {"m8n8", 1, 8, 8, 2, 2, 4, tc_frag_stmatrix_m8n8_trans_row, tc_frag_stmatrix_m8n8_trans_col},
        {"m16n8", 1, 8, 16, 4, 4, 4, tc_frag_stmatrix_m16n8_trans_row, tc_frag_stmatrix_m16n8_trans_col},
    };
    draw_matrix("stmatrix", forms, COUNT(forms), "m8n8 m16n8");
}

/* ---- wgmma ---- */
static void command_wgmma(void)
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

static void command_tcgen05_ld(void) { draw_tcgen05("tcgen05.ld", " pack::16b"); }
static void command_tcgen05_st(void) { draw_tcgen05("tcgen05.st", " unpack::16b"); }

/* D: 16 lanes at a time, since all forms have consecutive rows there */
static void command_tmem_d(void)
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

static void command_tmem_meta(void)
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

static void command_scale_factors(void)
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

/* ---------------------------------------------------------------------------------------------------------------------
 * Shared memory: swizzles, canonical layouts, boxes of TMA.
 */
/* Bits of an element as it lies in shared memory: 6-bit types, and 4-bit ones that are padded, take a byte on
 * average. */
static int stored_bits(int type, int padded)
{
    const int bits = tc_type_bits(type);
    return bits == 6 || (bits == 4 && padded) ? 8 : bits;
}

static void command_swizzle(void)
{
    const int mode = swizzle_of("the swizzle", word(0)), type = type_of("bf16"),
              bits = stored_bits(type, option("--padded") != NULL);
    const int row_bytes = number("--row-bytes", mode ? (int)tc_swizzle_width(mode) : 128, 16, 4096),
              rows = number("--rows", 8, 1, 1024);
    const int chunk = number("--chunk", mode == TC_SWIZZLE_128B_ATOM_32B_FLIP_8B ? 8 : 16, 4, 128);
    const int view = choose("--view", option("--view") ? option("--view") : "both", "both tile memory");
    const int per = chunk * 8 / bits, cols = row_bytes / chunk, lines = (rows * row_bytes + 127) / 128;
    char a[24];
    int r, c;
    at_most(1);
    if (chunk & (chunk - 1)) fail("--chunk is %d, but must be 4, 8, 16, 32, 64 or 128", chunk);
    if (row_bytes % chunk)
        fail("--row-bytes is %d, but must be a multiple of %d, the bytes of a cell", row_bytes, chunk);
    if (chunk > 16 && mode && tc_swizzle(mode, 128 * 7) % (uint32_t)chunk)
        fail("--chunk is %d, but the swizzle moves smaller pieces", chunk);
    if (per < 1) fail("--chunk is %d, but an element has %d bytes", chunk, bits / 8);
    if (view != 2) {
        picture *p = draw(rows, cols, "%s, tile of %s, K-major, rows of %d bytes: where each %d bytes land",
                          swizzle_name(mode), tc_type_name(type), row_bytes, chunk);
        axes(p, "row", "k");
        say(&p->notes, "byte offset from the tile's start, and banks (of 32, 4 bytes wide); colour: which 4 banks\n");
        if (mode) say(&p->notes, "the tile starts at a multiple of %u bytes\n", tc_swizzle_atom(mode));
        p->every_row = 8;
        for (r = 0; r < rows; r++)
            for (c = 0; c < cols; c++) {
                print(p->col[c], sizeof p->col[c], "%s", range(a, c * per, c * per + per - 1));
                put_banks(at(p, r, c), tc_swizzle(mode, (uint32_t)(r * row_bytes + c * chunk)), chunk);
            }
    }
    if (view != 1) {
        picture *p = draw(lines, 128 / chunk, "%s, the same tile as it lies in shared memory", swizzle_name(mode));
        axes(p, "128 bytes, from byte", "banks");
        say(&p->notes, "row, and the first k of the %d elements there; colour: which row\n", per);
        for (r = 0; r < lines; r++) print(p->row[r], sizeof p->row[r], "+%d", 128 * r);
        for (c = 0; c < 128 / chunk; c++)
            print(p->col[c], sizeof p->col[c], "%s", range(a, c * chunk / 4, (c * chunk + chunk - 1) / 4));
        for (r = 0; r < rows; r++)
            for (c = 0; c < cols; c++) {
                const uint32_t offset = tc_swizzle(mode, (uint32_t)(r * row_bytes + c * chunk));
                cell *q;
                if ((int)(offset / 128) >= lines) continue; /* a part of an atom: lands past the last line */
                q = at(p, (int)(offset / 128), (int)(offset % 128) / chunk);
                print(q->text, sizeof q->text, "%d:%d", r, c * per);
                print(q->big, sizeof q->big, "row %d", r);
                print(q->small, sizeof q->small, "k %s", range(a, c * per, c * per + per - 1));
                q->colour = r % 8 * 4 + c % 2 + 1;
            }
    }
}

static void command_canonical(void)
{
    const int mn = choose("the layout", word(0), "k mn"), mode = swizzle_of("the swizzle", word(1)),
              type = type_of("bf16");
    const int bits = stored_bits(type, option("--padded") != NULL), width = mode ? (int)tc_swizzle_width(mode) : 16,
              line_group = mode == TC_SWIZZLE_128B_ATOM_32B ? 4 : 8;
    const int atom = line_group * width, per = 128 / bits; /* a cell is 16 bytes */
    int rows, k, lead, stride, lines, chunks, r, c;
    char a[24];
    picture *p;
    at_most(2);
    if (mode == TC_SWIZZLE_96B || mode > TC_SWIZZLE_128B_ATOM_32B)
        fail("wgmma and tcgen05 read by none, 32, 64, 128 and (tcgen05, mn, 32-bit types) 128_atom_32 only");
    if (mode == TC_SWIZZLE_128B_ATOM_32B && !mn) fail("128_atom_32 is a layout of mn only");
    if (bits < 8 && mn) fail("types of less than 8 bits are read K-major only");
    rows = number("--rows", mn ? (width < 32 ? 32 : 2 * width) * 8 / bits : 16, 1, 512);
    k = number("--k", mn ? 16 : (width < 32 ? 32 : width) * 8 / bits, 1, 2048);
    lines = mn ? k : rows, chunks = ((mn ? rows : k) + per - 1) / per;
    /* atoms follow each other down first: those of the next 8 lines, then of the next width */
    if (mn && !mode) lead = atom, stride = atom * ((k + 7) / 8);
    else stride = atom, lead = atom * ((lines + line_group - 1) / line_group);
    lead = number("--lead", lead, 0, 0x3fff0), stride = number("--stride", stride, 0, 0x3fff0);
    p = draw(lines, chunks, "canonical %s-major layout of %s, %s", mn ? "MN" : "K", tc_type_name(type),
             swizzle_name(mode));
    axes(p, mn ? "k" : "row (m or n)", mn ? "row (m or n)" : "k");
    p->every_row = line_group, p->every_col = width / 16;
    if (mn && bits == 8) say(&p->notes, "tcgen05 only: wgmma reads 8-bit types K-major\n");
    say(&p->notes,
        "byte offset from the tile's start, and banks; thick lines: atoms of %d bytes; colour: which 4 banks\n", atom);
    say(&p->notes, "descriptor: leading byte offset %d, stride byte offset %d; with address 0: ", lead, stride);
    if (mode <= 128)
        say(&p->notes, "wgmma 0x%016llx, ",
            (unsigned long long)tc_wgmma_desc_make((tc_wgmma_desc_fields){.leading_bytes = (uint32_t)lead,
                                                       .stride_bytes = (uint32_t)stride, .swizzle = mode}));
    say(&p->notes, "tcgen05 0x%016llx\n",
        (unsigned long long)tc_tcgen05_desc_make((tc_tcgen05_desc_fields){.leading_bytes = (uint32_t)lead,
                                                     .stride_bytes = (uint32_t)stride, .swizzle = mode > 128 ? 128
                                                     : mode, .base32 = mode > 128}));
    for (r = 0; r < lines; r++)
        for (c = 0; c < chunks; c++) {
            print(p->col[c], sizeof p->col[c], "%s", range(a, c * per, c * per + per - 1));
            put_banks(at(p, r, c), mn ? tc_layout_mn(mode, bits, (uint32_t)lead, (uint32_t)stride, (uint32_t)(c * per),
                                                     (uint32_t)r)
                      : tc_layout_k(mode, bits, (uint32_t)lead, (uint32_t)stride, (uint32_t)r, (uint32_t)(c * per)),
                      16);
        }
}

/* Rows of a box in shared memory: `coordinates` of row r of the box come from walk(); count of the lines drawn is cut
 * by --rows. */
typedef struct box {
    int rank, bits, mode, padded, type;
    int64_t dim[5], at[5];
    int rows, inner; /* rows and elements of one */
} box;

static void draw_box(const box *b, const char *title, const int64_t (*coord)[5])
{
    const int row_bytes = b->padded ? b->inner : b->inner * b->bits / 8, width = (int)tc_swizzle_width(b->mode),
              pitch = width > row_bytes ? width : row_bytes;
    const int per = b->padded ? 16 : 128 / b->bits, shown = number("--rows", b->rows < 64 ? b->rows : 64, 1, b->rows);
    picture *p = draw(shown, pitch / 16, "%s, %s of %s: %lld bytes", title, swizzle_name(b->mode),
                      tc_type_name(b->type), (long long)b->rows * pitch);
    char a[24];
    int r, c, d;
    axes(p, "byte and coordinates of a row of the box", "16 bytes of shared memory");
    p->every_row = 8;
    say(&p->notes,
        "innermost coordinates of the elements there, and banks; fill: outside of the tensor, 0 or NaN; colour: which "
        "row\n");
    if (shown < b->rows) say(&p->notes, "%d of %d rows are drawn: --rows %d draws all\n", shown, b->rows, b->rows);
    for (c = 0; c < pitch / 16; c++) print(p->col[c], sizeof p->col[c], "+%d", c * 16);
    for (r = 0; r < shown; r++) {
        text name = {0};
        int inside = 1;
        say(&name, "+%d (*", r * pitch);
        for (d = 1; d < b->rank; d++) {
            say(&name, ",%lld", (long long)coord[r][d]);
            inside &= coord[r][d] >= 0 && coord[r][d] < b->dim[d];
        }
        print(p->row[r], sizeof p->row[r], "%.29s)", name.s);
        free(name.s);
        for (c = 0; c < pitch / 16; c++) {
            const uint32_t offset = tc_swizzle(b->mode, (uint32_t)(r * pitch + c * 16));
            const int64_t first = coord[r][0] + (int64_t)c * per, last = first + per - 1;
            const int bank = (int)(offset / 4 % 32);
            cell *q = at(p, (int)(offset / (uint32_t)pitch), (int)(offset % (uint32_t)pitch / 16));
            q->colour = GREY;
            print(q->small, sizeof q->small, "banks %d..%d", bank, bank + 3);
            if (c * 16 >= row_bytes) {
                print(q->text, sizeof q->text, "unused");
                print(q->big, sizeof q->big, "unused");
            } else if (!inside || last < 0 || first >= b->dim[0]) {
                print(q->text, sizeof q->text, "fill b%d..%d", bank, bank + 3);
                print(q->big, sizeof q->big, "fill");
            } else {
                const int cut = first < 0 || last >= b->dim[0];
                range(a, (int)(first < 0 ? 0 : first), (int)(last >= b->dim[0] ? b->dim[0] - 1 : last));
                print(q->text, sizeof q->text, "%.12s%s b%d..%d", a, cut ? "+fill" : "", bank, bank + 3);
                print(q->big, sizeof q->big, "%.13s%s", a, cut ? "+fill" : "");
                q->colour = r % 8 * 4 + c % 2 + 1;
            }
        }
    }
}

static int list64(const char *name, int64_t *out, int rank, long lo, long hi)
{
    int v[5], i;
    const int n = numbers(name, v, 5, lo, hi);
    if (n && rank && n != rank) fail("%s has %d numbers, but there are %d dimensions", name, n, rank);
    for (i = 0; i < n; i++) out[i] = v[i];
    return n;
}

#ifdef HAS_TMA
/* Strides of a tensor that is packed as well as the rules allow */
static void packed_strides(uint64_t *stride, const int64_t *dim, int rank, int bits, int align)
{
    uint64_t bytes = ((uint64_t)dim[0] * (uint64_t)bits + 7) / 8;
    int i;
    for (i = 0; i + 1 < rank; i++) {
        stride[i] = (bytes + (uint64_t)align - 1) / (uint64_t)align * (uint64_t)align;
        bytes = stride[i] * (uint64_t)dim[i + 1];
    }
}
#endif

static void check_inner(const box *b)
{
    if (b->inner * b->bits % 128)
        fail("a row of the box has %d elements of %d bits, but must have a multiple of 16 bytes", b->inner, b->bits);
    if (b->at[0] * b->bits % 128)
        fail("--at begins with %lld, but the innermost coordinate must lie at a multiple of 16 bytes",
             (long long)b->at[0]);
    if (tc_swizzle_width(b->mode) && !b->padded && b->inner * b->bits / 8 > (int)tc_swizzle_width(b->mode))
        fail("a row of the box has %d bytes, more than the swizzle's %u", b->inner * b->bits / 8,
             tc_swizzle_width(b->mode));
    if (b->padded && b->inner != 128) fail("a row of the box has %d elements, but a padded one has 128", b->inner);
    if (b->mode == TC_SWIZZLE_96B) fail("--swizzle is 96, which tensor maps of the toolkit do not have");
}

static void command_tma_box(void)
{
    box b = {0};
    int64_t size[5], step[5] = {1, 1, 1, 1, 1}, (*coord)[5];
    text title = {0};
    int i, r, steps;
    at_most(0);
    b.mode = swizzle_of("--swizzle", option("--swizzle") ? option("--swizzle") : "none");
    b.type = type_of("bf16");
    b.bits = tc_type_bits(b.type);
    b.padded = option("--padded") != NULL || b.bits == 6;
    b.rank = list64("--box", size, 0, 1, 256);
    if (!b.rank) fail("--box is missing: elements, innermost first, like --box 64,8");
    if (!list64("--dims", b.dim, b.rank, 1, INT_MAX)) memcpy(b.dim, size, sizeof size);
    list64("--at", b.at, b.rank, INT_MIN, INT_MAX);
    steps = list64("--steps", step, b.rank, 1, 8);
    b.inner = (int)size[0];
    check_inner(&b);
#ifdef HAS_TMA
    {
        tc_tmap_desc d = {.type = b.type, .rank = b.rank, .base = (const void *)(uintptr_t)4096, .swizzle = b.mode,
                          .padded = b.bits == 4 && b.padded};
        for (i = 0; i < b.rank; i++)
            d.dim[i] = (uint64_t)b.dim[i], d.box[i] = (uint32_t)size[i], d.elem_stride[i] = (uint32_t)step[i];
        if (!option("--dims") && b.padded) d.dim[0] = 128;
        packed_strides(d.stride, b.dim, b.rank, b.bits, b.padded ? 32 : 16);
        if (tc_tmap_check(&d) != TC_OK) fail("%s", tc_why());
    }
#endif
    for (b.rows = 1, i = 1; i < b.rank; i++) b.rows *= (int)((size[i] + step[i] - 1) / step[i]);
    coord = calloc((size_t)b.rows, sizeof *coord);
    if (!coord) fail("out of memory");
    for (r = 0; r < b.rows; r++) {
        int rest = r;
        coord[r][0] = b.at[0];
        for (i = 1; i < b.rank; i++) {
            const int n = (int)((size[i] + step[i] - 1) / step[i]);
            coord[r][i] = b.at[i] + rest % n * step[i];
            rest /= n;
        }
    }
    for (i = 0; i < b.rank; i++) say(&title, "%s%lld", i ? " x " : "TMA box ", (long long)size[i]);
    if (steps) for (i = 0; i < b.rank; i++) say(&title, "%s%lld", i ? "," : " in steps ", (long long)step[i]);
    for (i = 0; i < b.rank; i++) say(&title, "%s%lld", i ? "," : " at ", (long long)b.at[i]);
    draw_box(&b, title.s, (const int64_t(*)[5])coord);
}

static void command_tma_im2col(void)
{
    box b = {0};
    int64_t lower[3] = {0}, upper[3] = {0}, offset[3] = {0}, walk[5], (*coord)[5];
    char title[100];
    int i, r;
    at_most(0);
    b.mode = swizzle_of("--swizzle", option("--swizzle") ? option("--swizzle") : "none");
    b.type = type_of("bf16");
    b.bits = tc_type_bits(b.type);
    b.padded = option("--padded") != NULL || b.bits == 6;
    b.rank = list64("--dims", b.dim, 0, 1, INT_MAX);
    if (b.rank < 3)
        fail("--dims has %d numbers, but must have 3 to 5: channels, then W, H, D as far as there are, then images",
             b.rank);
    list64("--lower", lower, b.rank - 2, -32768, 32767);
    list64("--upper", upper, b.rank - 2, -32768, 32767);
    list64("--offsets", offset, b.rank - 2, 0, 65535);
    b.at[0] = 0;
    for (i = 1; i < b.rank - 1; i++) b.at[i] = lower[i - 1];
    list64("--at", b.at, b.rank, INT_MIN, INT_MAX);
    b.inner = number("--channels", 0, 1, 256);
    b.rows = number("--pixels", 0, 1, 1024);
    if (!b.inner || !b.rows) fail("--channels and --pixels are missing: of one pixel, and of one copy");
    check_inner(&b);
    for (i = 1; i < b.rank - 1; i++)
        if (b.at[i] < lower[i - 1] || b.at[i] > b.dim[i] - 1 + upper[i - 1])
            fail("--at has %lld in dimension %d, but the bounding box is %lld..%lld", (long long)b.at[i], i,
                 (long long)lower[i - 1], (long long)(b.dim[i] - 1 + upper[i - 1]));
#ifdef HAS_TMA
    {
        tc_tmap_im2col_desc d = {.type = b.type, .rank = b.rank, .base = (const void *)(uintptr_t)4096,
                                 .swizzle = b.mode, .padded = b.bits == 4 && b.padded, .channels = (uint32_t)b.inner,
                                 .pixels = (uint32_t)b.rows};
        for (i = 0; i < b.rank; i++) d.dim[i] = (uint64_t)b.dim[i];
        for (i = 0; i < b.rank - 2; i++) d.lower[i] = (int)lower[i], d.upper[i] = (int)upper[i];
        packed_strides(d.stride, b.dim, b.rank, b.bits, b.padded ? 32 : 16);
        if (tc_tmap_im2col_check(&d) != TC_OK) fail("%s", tc_why());
    }
#endif
    coord = calloc((size_t)b.rows, sizeof *coord);
    if (!coord) fail("out of memory");
    memcpy(walk, b.at, sizeof walk);
    for (r = 0; r < b.rows; r++) { /* W first, then H, D, image; the offsets are added to where the walk stands */
        for (i = 0; i < b.rank; i++) coord[r][i] = walk[i] + (i >= 1 && i < b.rank - 1 ? offset[i - 1] : 0);
        for (i = 1; i < b.rank - 1; i++) {
            if (++walk[i] <= b.dim[i] - 1 + upper[i - 1]) break;
            walk[i] = lower[i - 1];
        }
        if (i == b.rank - 1) walk[i]++;
    }
    print(title, sizeof title, "TMA im2col, %d channels of %d pixels", b.inner, b.rows);
    draw_box(&b, title, (const int64_t(*)[5])coord);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Bank conflicts. Accesses of 4 bytes a lane and less go for the whole warp at once, of 8 bytes for half of it, of 16
 * for a quarter;
 * ldmatrix and stmatrix for 8 rows. Such a part takes as many wavefronts as the busiest bank has different words.
 */
/* Expressions: C's operators over integers and `lane` */
typedef struct expression {
    const char *s, *whole;
    int lane;
} expression;

static long long parse_ternary(expression *e);

static void blank(expression *e) { e->s += strspn(e->s, " \t"); }
static _Noreturn void bad_expression(const expression *e)
{
    fail("--pattern cannot be read at \"%s\": it is row, column, ldmatrix, d, or an expression in C of lane, as "
         "\"lane*16\" (byte) or \"lane%%8, lane/8*16\" (row, byte)", e->s);
}

static long long parse_unary(expression *e)
{
    blank(e);
    if (*e->s == '-') return e->s++, (long long)(0 - (unsigned long long)parse_unary(e));
    if (*e->s == '~') return e->s++, ~parse_unary(e);
    if (*e->s == '!') return e->s++, !parse_unary(e);
    if (*e->s == '(') {
        long long x;
        e->s++;
        x = parse_ternary(e);
        blank(e);
        if (*e->s != ')') bad_expression(e);
        e->s++;
        return x;
    }
    if (!strncmp(e->s, "lane", 4) && !(e->s[4] == '_' || (e->s[4] >= 'a' && e->s[4] <= 'z'))) return e->s += 4, e->lane;
    if (*e->s >= '0' && *e->s <= '9') {
        char *end;
        const long long x = strtoll(e->s, &end, 0);
        e->s = end;
        return x;
    }
    bad_expression(e);
}

/* Binary operators, the weakest first; longer ones before their beginnings */
static const struct {
    const char *text;
    int level;
}
operators[] = {{"||", 0}, {"&&", 1}, {"|", 2}, {"^", 3}, {"&", 4}, {"==", 5}, {"!=", 5}, {"<<", 7}, {">>", 7},
               {"<=", 6}, {">=", 6}, {"<", 6}, {">", 6}, {"+", 8}, {"-", 8}, {"*", 9}, {"/", 9}, {"%", 9}};

static long long parse_binary(expression *e, int level)
{
    long long x = level > 9 ? parse_unary(e) : parse_binary(e, level + 1), y;
    int i;
    if (level > 9) return x;
    for (;;) {
        blank(e);
        for (i = 0; i < COUNT(operators); i++)
            if (!strncmp(e->s, operators[i].text, strlen(operators[i].text))) break;
        if (i == COUNT(operators) || operators[i].level != level) return x;
        e->s += strlen(operators[i].text);
        y = parse_binary(e, level + 1);
        switch (i) {
        case 0: x = x || y; break;
        case 1: x = x && y; break;
        case 2: x |= y; break;
        case 3: x ^= y; break;
        case 4: x &= y; break;
        case 5: x = x == y; break;
        case 6: x = x != y; break;
        case 7: x = (long long)((unsigned long long)x << (y & 63)); break;
        case 8: x >>= y & 63; break;
        case 9: x = x <= y; break;
        case 10: x = x >= y; break;
        case 11: x = x < y; break;
        case 12: x = x > y; break;
        case 13: x = (long long)((unsigned long long)x + (unsigned long long)y); break;
        case 14: x = (long long)((unsigned long long)x - (unsigned long long)y); break;
        case 15: x = (long long)((unsigned long long)x * (unsigned long long)y); break;
        default:
            if (!y || (y == -1 && x == LLONG_MIN)) fail("--pattern divides by %lld in lane %d", y, e->lane);
            x = i == 16 ? x / y : x % y;
        }
    }
}

static long long parse_ternary(expression *e)
{
    const long long x = parse_binary(e, 0);
    long long a, b;
    blank(e);
    if (*e->s != '?') return x;
    e->s++;
    a = parse_ternary(e);
    blank(e);
    if (*e->s != ':') bad_expression(e);
    e->s++;
    b = parse_ternary(e);
    return x ? a : b;
}

typedef struct access {
    uint32_t at[32]; /* byte of each lane in the tile, before the swizzle */
    int lanes, bytes, part; /* part: lanes that go together */
} access;

typedef struct cost {
    int parts, wavefronts, worst;
} cost;

/* Counts; where p is given, row w of it becomes wavefront w: which lanes each bank serves. */
static cost count(const access *a, int mode, picture *p)
{
    cost k = {0, 0, 0};
    int g, l, b, i;
    for (g = 0; g < a->lanes; g += a->part) {
        uint32_t seen[32][33];
        int who[32][33], more[32][33], n[32] = {0}, worst = 0;
        for (l = g; l < g + a->part && l < a->lanes; l++)
            for (b = 0; b < (a->bytes < 4 ? 4 : a->bytes); b += 4) {
                /* the swizzle is asked for each word, since one of them moves pieces of 8 bytes */
                const uint32_t w = tc_swizzle(mode, a->at[l] / 4 * 4 + (uint32_t)b) / 4, bank = w % 32;
                for (i = 0; i < n[bank] && seen[bank][i] != w; i++) {}
                if (i == n[bank]) seen[bank][i] = w, who[bank][i] = l, more[bank][i] = 0, n[bank]++;
                else more[bank][i]++;
            }
        for (b = 0; b < 32; b++)
            if (n[b] > worst) worst = n[b];
        for (b = 0; p && b < 32; b++)
            for (i = 0; i < n[b]; i++) {
                cell *q = at(p, k.wavefronts + i, b);
                print(q->text, sizeof q->text, "%d%s", who[b][i], more[b][i] ? "+" : "");
                print(q->big, sizeof q->big, "T%d%s", who[b][i], more[b][i] ? "+" : "");
                q->colour = lane_colour(who[b][i]);
            }
        for (i = 0; p && i < worst; i++)
            print(p->row[k.wavefronts + i], sizeof p->row[0], "part %d wavefront %d", k.parts, k.wavefronts + i);
        k.parts++, k.wavefronts += worst;
        if (worst > k.worst) k.worst = worst;
    }
    return k;
}

static void say_cost(text *t, int mode, const access *a, cost k)
{
    char lanes[24];
    range(lanes, a->part, a->part);
    say(t, "%s: %d wavefront%s for %d part%s of %s lanes, %d conflict%s", swizzle_name(mode), k.wavefronts,
        k.wavefronts == 1 ? "" : "s", k.parts, k.parts == 1 ? "" : "s", lanes, k.wavefronts - k.parts,
        k.wavefronts - k.parts == 1 ? "" : "s");
    if (k.worst > 1) say(t, " (%d-way)\n", k.worst);
    else say(t, " (none)\n");
}

static void command_conflicts(void)
{
    const int mode = swizzle_of("--swizzle", option("--swizzle") ? option("--swizzle") : "none"),
              row_bytes = number("--row-bytes", mode ? (int)tc_swizzle_width(mode) : 128, 4, 1 << 16);
    const char *pattern = option("--pattern") ? option("--pattern") : "ldmatrix";
    const int matrix = !strcmp(pattern, "ldmatrix"), d = !strcmp(pattern, "d"),
              bytes = number("--bytes", d ? 4 : 16, 1, 16), matrices = number("--count", 4, 1, 4);
    access a = {{0}, 32, bytes, bytes == 16 ? 8 : bytes == 8 ? 16 : 32};
    picture *p;
    cost k;
    int lane;
    at_most(0);
    if (bytes & (bytes - 1)) fail("--bytes is %d, but a lane reads 1, 2, 4, 8 or 16", bytes);
    if (option("--count") && !matrix) fail("--count belongs to the pattern ldmatrix");
    if (matrices == 3) fail("--count is 3, but must be 1, 2 or 4");
    if (matrix && bytes != 16) fail("--bytes is %d, but a row of ldmatrix has 16", bytes);
    if (matrix) a.lanes = 8 * matrices, a.part = 8;
    for (lane = 0; lane < a.lanes; lane++) {
        long long row = 0, byte;
        if (matrix) row = lane & 15, byte = (lane >> 4) * 16;
        else if (!strcmp(pattern, "row")) row = lane * bytes / row_bytes, byte = lane * bytes % row_bytes;
        else if (!strcmp(pattern, "column")) row = lane, byte = 0;
        else if (d) row = lane / 4, byte = lane % 4 * bytes;
        else {
            expression e = {pattern, pattern, lane};
            byte = parse_ternary(&e);
            blank(&e);
            if (*e.s == ',') e.s++, row = byte, byte = parse_ternary(&e);
            blank(&e);
            if (*e.s) bad_expression(&e);
        }
        byte += row * row_bytes;
        if (byte < 0 || byte >= 1 << 20)
            fail("lane %d reads byte %lld, but a tile has bytes 0..%d", lane, byte, (1 << 20) - 1);
        if (byte % bytes)
            fail("lane %d reads %d bytes at byte %lld, which is no multiple of %d", lane, bytes, byte, bytes);
        a.at[lane] = (uint32_t)byte;
    }
    k = count(&a, mode, NULL);
    p = draw(k.wavefronts, 32, "pattern %s, %d bytes a lane, rows of %d bytes, %s", pattern, bytes, row_bytes,
             swizzle_name(mode));
    count(&a, mode, p);
    axes(p, "wavefronts", "bank; T5: it serves lane 5, T5+: and others the same word");
    if (mode) say_cost(&p->notes, 0, &a, count(&a, 0, NULL));
    say_cost(&p->notes, mode, &a, k);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Commands.
 */
static void command_list(void);

static const struct {
    const char *name, *words, *options, *text;
    void (*run)(void);
} commands[] = {
    /* one row a line */
    {"list", "", "", "every shape that the other commands take", command_list},
    {"mma", "SHAPE CLASS [a|b|d]", "--svg --lane --elements --layout --product --type", "fragments of mma.sync; CLASS b16 or a type like bf16", command_mma},
    {"mma-sp", "SHAPE CLASS [a|b|d|meta]", "--svg --lane --elements --selector", "fragments and metadata of mma.sp", command_mma_sp},
    {"ldmatrix", "SHAPE COUNT [trans]", "--svg --lane", "m8n8 x4 trans: which lane gets what of whose row", command_ldmatrix},
    {"stmatrix", "SHAPE COUNT [trans]", "--svg --lane", "the way back", command_stmatrix},
    {"wgmma", "d [N] | a [BITS] | meta [BITS]", "--svg --lane --elements --type --selector", "accumulators, A in registers, sparse metadata", command_wgmma},
    {"tcgen05-ld", "SHAPE [COUNT]", "--svg --lane --pack --split", "16x256b x2: registers of tcgen05.ld", command_tcgen05_ld},
    {"tcgen05-st", "SHAPE [COUNT]", "--svg --lane --pack --split", "the same of tcgen05.st", command_tcgen05_st},
    {"tmem-d", "M [N]", "--svg --cta-group --sp --ws", "where D lies in tensor memory", command_tmem_d},
    {"tmem-meta", "KIND [M]", "--svg --cta-group --ws --selector", "where the metadata of a sparse A lie there", command_tmem_meta},
    {"scale-factors", "tmem|memory|mma-a|mma-b", "--svg --rows --factors --thread --scale-vec --byte", "of block-scaled kinds", command_scale_factors},
    {"swizzle", "MODE", "--svg --type --rows --row-bytes --chunk --view --padded", "a tile of rows, and as it lies in the banks", command_swizzle},
    {"canonical", "k|mn MODE", "--svg --type --rows --k --lead --stride --padded", "layouts that wgmma's and tcgen05's descriptors name", command_canonical},
    {"tma-box", "", "--svg --dims --box --at --steps --swizzle --type --padded --rows", "a tensor copy's box in shared memory", command_tma_box},
    {"tma-im2col", "", "--svg --dims --lower --upper --channels --pixels --at --offsets --swizzle --type --padded --rows", "the same of im2col", command_tma_im2col},
    {"conflicts", "", "--svg --swizzle --row-bytes --pattern --bytes --count", "bank conflicts of an access by a warp", command_conflicts},
};

static void command_list(void)
{
    int i;
    at_most(0);
    printf("mma SHAPE CLASS a|b|d\n   ");
    for (i = 0; i < COUNT(dense); i++) printf(" %s", dense[i].name);
    printf(" m8n8k4_b16 (written: mma m8n8k4 b16)\n    b16: f16 bf16; b32: tf32; b64: f64; b8: s8 u8 e4m3 e5m2, and "
           "e3m2 e2m3 e2m1 in bytes; b4: s4 u4 e2m1; b1\n");
    printf("mma-sp SHAPE CLASS a|b|d|meta\n   ");
    for (i = 0; i < COUNT(sparse); i++) printf(" %s", sparse[i].name);
    printf("\nldmatrix m8n8 x1|x2|x4 [trans], m16n16 x1|x2 trans, m8n16 x1|x2|x4\n"
           "stmatrix m8n8 x1|x2|x4 [trans], m16n8 x1|x2|x4 trans\n"
           "wgmma d 8|16|..|256 [--type f16], a 16|32|8|1, meta 16|32|8 [--selector 0|1]\n"
           "tcgen05-ld, tcgen05-st 32x32b|16x64b|16x128b|16x256b|16x32bx2 x1..x128 [--pack] [--split COLUMNS]\n"
           "tmem-d 64|128 N, 128|256 N --cta-group 2, 32|64|128 N --ws, each also --sp\n"
           "tmem-meta f16|tf32|f8f6f4|i8|mxf8f6f4|mxf4|mxf4nvf4 M\n"
           "scale-factors tmem|memory --rows R --factors F, mma-a|mma-b --scale-vec 1|2|4 --thread T --byte B\n"
           "swizzle, canonical k|mn, --swizzle:");
    for (i = 0; i < COUNT(swizzles); i++) printf(" %s", swizzles[i].name);
    printf("\ntma-box --dims D0,D1,.. --box B0,B1,.. --at C0,C1,.. [--steps S0,S1,..] --swizzle MODE --type TYPE\n"
           "tma-im2col --dims C,W,H,N --channels C --pixels P --lower W,H --upper W,H [--offsets W,H] [--at C,W,H,N]\n"
           "conflicts --pattern row|column|ldmatrix|d|EXPRESSION --swizzle MODE --row-bytes B --bytes 1|2|4|8|16\n"
           "--type:");
    for (i = 1; i < TC_TYPE_COUNT; i++) printf(" %s", tc_type_name(i));
    printf("\n");
}

static void help(void)
{
    int i;
    printf("usage: tc_layout COMMAND [options]\n"
           "\n"
           "Draws which lane holds which element of a matrix instruction, where swizzles and TMA put a tile in shared "
           "memory, with bank\nnumbers, and counts bank conflicts. Text on stdout; with --svg FILE an SVG coloured by "
           "lane or bank (--svg alone: on stdout).\n\n");
    for (i = 0; i < COUNT(commands); i++) {
        printf("  %-13s %-30s %s\n", commands[i].name, commands[i].words, commands[i].text);
        if (strlen(commands[i].options) > 6) printf("  %-13s %s\n", "", commands[i].options + 6);
    }
    printf("\n"
           "  --lane N             only what this lane (thread of a warpgroup) holds; an SVG colours that lane alone\n"
           "  --elements           a cell for each element where a register would be one cell (8 bits and less)\n"
           "  --rows N             rows of the tile, or how many are drawn\n"
           "  --view tile|memory   of the two pictures of a swizzle this one\n"
           "  --padded             4-bit elements, 16 of them in 16 bytes\n"
           "  --pattern P          row: lanes side by side; column: a lane each row; ldmatrix: 16 x 16 of b16 (--count "
           "matrices); d: an\n                       accumulator's rows; or a C expression of lane: \"lane*16\" "
           "(byte), \"lane%%8, lane/8*16\" (row, byte)\n  --bytes N            of one lane: 1, 2, 4, 8 or 16\n"
           "\n"
           "  tc_layout mma m16n8k16 bf16 a --svg a.svg\n"
           "  tc_layout mma m16n8k16 bf16 d --lane 5\n"
           "  tc_layout swizzle 128 --type bf16\n"
           "  tc_layout tma-box --dims 100,60 --box 64,8 --at 64,56 --swizzle 128 --type bf16\n"
           "  tc_layout conflicts --pattern column --swizzle 128\n"
           "\n"
           "Exit status: 0; 2 where a word is not known, and a sentence names those that are.\n");
}

int main(int argc, char **argv)
{
    const char *svg;
    text legal = {0};
    int i, j, found = -1;
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help();
        return 0;
    }
    for (i = 0; i < COUNT(commands); i++) {
        if (!strcmp(argv[1], commands[i].name)) found = i;
        say(&legal, " %s", commands[i].name);
    }
    if (found < 0) fail("%s is no command; there are:%s (--help says more)", argv[1], legal.s);
    for (i = 2; i < argc; i++) {
        char name[32], *equals = strchr(argv[i], '=');
        const char *value = "";
        int takes = -1;
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            help();
            return 0;
        }
        if (strncmp(argv[i], "--", 2)) {
            if (args.words == COUNT(args.word)) fail("there are too many words");
            args.word[args.words++] = argv[i];
            continue;
        }
        print(name, sizeof name, "%.*s", equals && equals - argv[i] < 31 ? (int)(equals - argv[i]) : 31, argv[i]);
        for (j = 0; j < COUNT(all_options); j++) {
            const size_t length = strcspn(all_options[j], "=");
            if (strlen(name) == length && !strncmp(all_options[j], name, length)) takes = all_options[j][length] == '=';
        }
        {
            const char *in = commands[found].options;
            const size_t length = strlen(name);
            while ((in = strstr(in, name)) && in[length] && in[length] != ' ') in += length;
            if (!in || takes < 0) {
                doing = commands[found].name;
                fail("%s is no option here; there are: %s", name, *commands[found].options ? commands[found].options
                     : "none");
            }
        }
        if (equals) value = equals + 1;
        else if (takes && i + 1 < argc && strncmp(argv[i + 1], "--", 2)) value = argv[++i];
        else if (takes && strcmp(name, "--svg")) fail("%s needs a value", name);
        if (args.options == COUNT(args.name)) fail("there are too many options");
        for (j = 0; j < COUNT(all_options); j++)
            if (!strncmp(all_options[j], name, strlen(name)) && strcspn(all_options[j], "=") == strlen(name)) {
                static char kept[COUNT(all_options)][32];
                memcpy(kept[j], name, sizeof name);
                args.name[args.options] = kept[j];
            }
        args.value[args.options++] = value;
    }
    doing = commands[found].name;
    commands[found].run();
    svg = option("--svg");
    if (svg && picture_count) {
        FILE *f = *svg && strcmp(svg, "-") ? fopen(svg, "w") : stdout;
        if (!f) fail("cannot write %s", svg);
        write_svg(f);
        if (ferror(f) || (f != stdout && fclose(f))) fail("cannot write %s", svg);
    } else {
        for (i = 0; i < picture_count; i++) {
            if (i) putchar('\n');
            write_text(&pictures[i], stdout);
        }
    }
    return fflush(stdout) ? 2 : 0;
}
