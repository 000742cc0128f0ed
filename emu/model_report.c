/* model_report.c - what model.c played back, in words: a table, JSON, and an SVG of one multiprocessor's time. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The resource that is busiest */
static int wall_of(const model_result *r)
{
    int wall = 0;
    for (int k = 1; k < MR_COUNT; k++) if (r->busy[k] > r->busy[wall]) wall = k;
    return wall;
}
enum { FULL = 75 };     /* per cent: from here on a resource is said to be the wall */

static const char *const wait_words[MS_KINDS] = {
    [MS_WORK] = "its own instructions", [MS_WAIT_LOAD] = "loads", [MS_WAIT_MMA] = "the Tensor Cores",
    [MS_WAIT_THREAD] = "other warps", [MS_WAIT_STORE] = "stores", [MS_TMEM] = "tensor memory"};

static void wall_words(const model_result *r, char *buf, size_t n)
{
    const int wall = wall_of(r);
    int most = MS_WORK;
    if (100 * r->busy[wall] >= FULL * r->cycles) { snprintf(buf, n, "%s", model_resource[wall]); return; }
    for (int k = 0; k < MS_KINDS; k++) if (wait_words[k] && r->waits[k] > r->waits[most]) most = k;
    snprintf(buf, n, "none is full: the last warp spends most of its time on %s", wait_words[most]);
}

void model_report(launch *L, const model_result *r, int resident, double waves)
{
    const model_device *d = L->model->dev;
    const double seconds = (d->start + waves * (r->cycles - d->start)) / d->ghz * 1e-9,
                 rate = r->flops * waves / r->sms / seconds * d->sms * 1e-12,
                 dense = d->dense;
    char wall[160];
    const char *kernel = emu_kernel_name(L), *only = emu_opt.model_kernel;
    if (only && !strstr(kernel, only)) return;
    wall_words(r, wall, sizeof wall);
    pthread_mutex_lock(&lock);
    if (emu_opt.json) {
        FILE *j = emu_opt.json_path ? fopen(emu_opt.json_path, "a") : stderr;
        if (j) {
            fprintf(j, "{\"model\":\"%s\",\"kernel\":\"%s\",\"sms\":%d,\"of_sms\":%d,\"cycles\":%.0f,\"waves\":%.0f,"
                    "\"seconds\":%.9f,\"flops\":%.0f,\"wall\":\"%s\",\"busy\":{", d->option, kernel, L->dev->sms,
                    d->sms, r->cycles, waves, seconds, r->flops, wall);
            for (int k = 0; k < MR_COUNT; k++)
                fprintf(j, "%s\"%s\":%.1f", k ? "," : "", model_resource[k], r->busy[k]);
            fprintf(j, "}}\n");
            if (j != stderr) fclose(j);
        }
    }
    if (!emu_opt.json || emu_opt.json_path) {
        fprintf(stderr, "tcemu: model of %s on %s: %.0f cycles, %.2f us", kernel, d->name, r->cycles, seconds * 1e6);
        if (r->flops > 0)
            fprintf(stderr, ", %.1f TFLOP/s of its matrix instructions if all %d multiprocessors do so (%.1f %% of "
                    "%.0f in 16 bits)", rate, d->sms, 100 * rate / dense, dense);
        fprintf(stderr, "\n    grid (%u,%u,%u), %d block%s a multiprocessor, %.0f wave%s; the wall: %s\n", L->grid.x,
                L->grid.y, L->grid.z, resident, resident > 1 ? "s" : "", waves, waves > 1 ? "s" : "", wall);
        fprintf(stderr, "    %-18s %12s %7s\n", "resource", "cycles", "busy");
        for (int k = 0; k < MR_COUNT; k++)
            if (r->busy[k] > 0)
                fprintf(stderr, "    %-18s %12.0f %5.1f %%%s\n", model_resource[k], r->busy[k],
                        100 * r->busy[k] / r->cycles, k == wall_of(r) ? "  <" : "");
        fprintf(stderr, "    the warp that ends last:");
        for (int k = 0; k < MS_KINDS; k++)
            if (wait_words[k] && r->waits[k] > 0)
                fprintf(stderr, " %s %.1f %%;", wait_words[k], 100 * r->waits[k] / r->cycles);
        fprintf(stderr, " L2 %.0f bytes in, %.0f out\n", r->in, r->out);
        if (r->stuck) fprintf(stderr, "    %d waits for what was not noted counted as none\n", r->stuck);
    }
    if (emu_opt.model_svg) model_svg(L, d, r, emu_opt.model_svg);
    pthread_mutex_unlock(&lock);
}

/* ---- The picture ---- */
static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}
/* A window of about one tile: from the end of one burst of stores to that of the next but one, if there are three;
 * else all. */
static void window(const model_result *r, double *from, double *to)
{
    double ends[4] = {0}, gap = r->cycles / 40;
    int n = 0;
    *from = 0, *to = r->cycles;
    if (!r->nstores) return;
    qsort(r->stores, r->nstores, sizeof *r->stores, by_size);
    for (size_t k = 0; k < r->nstores && n < 4; k++)
        if (k + 1 == r->nstores || r->stores[k + 1] - r->stores[k] > gap) ends[n++] = r->stores[k];
    if (n >= 3) *from = ends[0] - gap / 4, *to = ends[1] + gap / 2;
    else if (n == 2) *to = ends[0] + gap;
}
static void text(FILE *f, double x, double y, const char *anchor, const char *words)
{
    fprintf(f, "<text x='%.1f' y='%.1f' text-anchor='%s'>", x, y, anchor);
    for (; *words; words++)
        if (*words == '<') fputs("&lt;", f); else if (*words == '&') fputs("&amp;", f); else fputc(*words, f);
    fputs("</text>\n", f);
}
void model_svg(const launch *L, const model_device *d, const model_result *r, const char *file)
{
    static const char *const colour[MS_KINDS] = {
        [MS_WORK] = "#4477aa", [MS_MMA] = "#228833", [MS_LOAD] = "#ccbb44", [MS_STORE] = "#ee6677",
        [MS_WAIT_LOAD] = "#f2edc9", [MS_WAIT_MMA] = "#cfe8d4", [MS_WAIT_THREAD] = "#e4e4e4",
        [MS_WAIT_STORE] = "#fbd9dd", [MS_TMEM] = "#d8c7e6"};
    static const char *const about[MS_KINDS] = {
        [MS_WORK] = "instructions", [MS_MMA] = "matrix instructions", [MS_LOAD] = "TMA loads",
        [MS_STORE] = "TMA stores", [MS_WAIT_LOAD] = "waits for loads", [MS_WAIT_MMA] = "for the Tensor Cores",
        [MS_WAIT_THREAD] = "for other warps", [MS_WAIT_STORE] = "for stores", [MS_TMEM] = "for tensor memory"};
    enum { LEFT = 130, WIDTH = 1000, ROW = 22 };
    double from, to;
    int last = -1, rows = 0, place[MODEL_ROWS];
    char name[160];
    FILE *f = fopen(file, "w");
    if (!f) { fprintf(stderr, "tcemu: --model-svg %s cannot be written\n", file); return; }
    window(r, &from, &to);
    for (size_t k = 0; k < r->spans; k++) if (r->span[k].row > last) last = r->span[k].row;
    for (int k = 0; k <= last + 3; k++) place[k] = -1;
    for (size_t k = 0; k < r->spans; k++)
        if (r->span[k].row <= last && r->span[k].to > from && r->span[k].from < to) place[r->span[k].row + 3] = 0;
    for (int k = 0; k <= last + 3; k++) if (!place[k]) place[k] = rows++;
    fprintf(f, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' "
            "font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n", LEFT + WIDTH + 20,
            60 + rows * ROW + 60);
    snprintf(name, sizeof name, "%.90s on %s, one multiprocessor: cycles %.0f to %.0f of %.0f", emu_kernel_name(L),
             d->name, from, to, r->cycles);
    text(f, LEFT, 20, "start", name);
    for (int k = 0; k <= last + 3; k++) {
        if (place[k] < 0) continue;
        if (k < 3) snprintf(name, sizeof name, "%s", k == 2 ? "TMA loads" : k == 1 ? "Tensor Cores" : "TMA stores");
        else snprintf(name, sizeof name, "warp %d", k - 3);
        text(f, LEFT - 8, 30 + place[k] * ROW + 15, "end", name);
    }
    double drawn[MODEL_ROWS][MS_KINDS];
    memset(drawn, 0, sizeof drawn);
    for (size_t k = 0; k < r->spans; k++) {
        const model_span *s = &r->span[k];
        if (s->row > last || s->to <= from || s->from >= to) continue;
        const double scale = WIDTH / (to - from), a = (s->from > from ? s->from - from : 0) * scale,
                     b = (s->to < to ? s->to - from : to - from) * scale;
        if (b - a < 0.15 && b < drawn[s->row + 3][s->kind] + 0.3) continue;     /* finer than the eye */
        drawn[s->row + 3][s->kind] = b;
        fprintf(f, "<rect x='%.2f' y='%d' width='%.2f' height='%d' fill='%s'%s/>\n", LEFT + a,
                32 + place[s->row + 3] * ROW, b - a > 0.15 ? b - a : 0.15, ROW - 4, colour[s->kind],
                s->kind == MS_LOAD ? " fill-opacity='0.35'" : "");
    }
    const double y = 32 + rows * ROW;
    for (int k = 0; k <= 10; k++) {
        snprintf(name, sizeof name, "%.0f", from + (to - from) * k / 10);
        fprintf(f, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#999'/>\n", LEFT + WIDTH * k / 10.,
                LEFT + WIDTH * k / 10., y, y + 4);
        text(f, LEFT + WIDTH * k / 10., y + 16, "middle", name);
    }
    for (int k = 0, x = LEFT; k < MS_KINDS; k++, x += 112) {
        fprintf(f, "<rect x='%d' y='%.1f' width='10' height='10' fill='%s'/>\n", x, y + 28, colour[k]);
        fprintf(f, "<g font-size='10'>");
        text(f, x + 13, y + 37, "start", about[k]);
        fprintf(f, "</g>");
    }
    fprintf(f, "</svg>\n");
    if (fclose(f)) fprintf(stderr, "tcemu: --model-svg %s cannot be written\n", file);
}
