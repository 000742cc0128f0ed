/* tc_layout_picture.c - tc_layout's pictures: what the commands fill in, and how it is written, as text or as SVG.
 */
#include "tc_layout.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */
void print(char *out, size_t size, const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vsnprintf(out, size, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= size) fail("internal: \"%s\" is too long", out);
}

void say(text *t, const char *format, ...)
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

/* ---- a picture, empty at first ---- */
static picture pictures[8];
static int picture_count;

picture *draw(int rows, int cols, const char *format, ...)
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

int pictures_drawn(void) { return picture_count; }

void axes(picture *p, const char *down, const char *across)
{
    print(p->down, sizeof p->down, "%s", down);
    print(p->across, sizeof p->across, "%s", across);
}

cell *at(picture *p, int row, int col)
{
    if (row < 0 || row >= p->rows || col < 0 || col >= p->cols)
        fail("internal: cell %d, %d of %d x %d", row, col, p->rows, p->cols);
    return &p->cells[row * p->cols + col];
}

const char *range(char out[24], int a, int b)
{
    if (a == b) print(out, 24, "%d", a);
    else print(out, 24, "%d..%d", a, b);
    return out;
}

/* ---- as text ---- */
static void write_one(const picture *p, FILE *f)
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

void write_text(FILE *f)
{
    int i;
    for (i = 0; i < picture_count; i++) {
        if (i) fputc('\n', f);
        write_one(&pictures[i], f);
    }
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

void write_svg(FILE *f)
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
