/* bench_plot.c - draws the record of bench/gemm.cu as SVG: the ratio against the size of a problem, and the roofline.
 *     build/bench_plot bench/results/gemm.csv docs/gemm_ratio.svg docs/gemm_roofline.svg
 *
 * Reads the rows group,m,n,k,tc,other,ratio,min,max, and of the comments the roofs and the device. Any C compiler
 * builds it; needs nothing but the C library and libm. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 1024, GROUPS_MAX = 24, COLORS = 12 };
enum { WIDTH = 960, HEIGHT = 560, LEFT = 70, RIGHT = 190, TOP = 60, BOTTOM = 60 };

typedef struct row {
    int group, compared;
    double m, n, k, tc, other, ratio, min, max;
} row;

typedef struct data {
    row rows[ROWS_MAX];
    char groups[GROUPS_MAX][32];
    char device[96];
    int count, group_count, started; /* started: the line that names the columns has come */
    double peak, copy; /* TFLOP/s, TB/s; 0: not in the record */
} data;

typedef struct axis {
    double from, to; /* values at the two ends of the drawing */
    int logarithmic;
    double start, length; /* in the drawing; down the page for y */
} axis;

/* told apart by their shade too */
static const char *const colors[COLORS] = {"#1f5fa8", "#d9541e", "#2a9134", "#8a2fa0", "#b8860b", "#c2185b",
                                           "#00838f", "#5d4037", "#6b6b6b", "#7cb342", "#3949ab", "#e57373"};

static const char *color(int group) { return colors[group % COLORS]; }

static int group_of(data *d, const char *name)
{
    for (int i = 0; i < d->group_count; i++)
        if (!strcmp(d->groups[i], name)) return i;
    if (d->group_count == GROUPS_MAX) return -1;
    snprintf(d->groups[d->group_count], sizeof d->groups[0], "%s", name);
    return d->group_count++;
}

/* One line of the record; what is neither a row nor a comment of use is passed over. */
static void take(data *d, const char *line)
{
    char name[32];
    row r;
    int got;
    memset(&r, 0, sizeof r);
    if (sscanf(line, "# device %95[^,;\n]", d->device) == 1) return;
    if (sscanf(line, "# roofs: %lf TFLOP/s", &d->peak) == 1) {
        const char *copy = strstr(line, "copy ");
        if (copy) d->copy = atof(copy + 5);
        return;
    }
    if (!strncmp(line, "group,m,n,k,tc,other,ratio,min,max", 34)) d->started = 1;
    got = sscanf(line, "%31[^,#],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", name, &r.m, &r.n, &r.k, &r.tc, &r.other, &r.ratio,
                 &r.min, &r.max);
    if (!d->started || got < 6 || d->count == ROWS_MAX || r.m < 1 || r.n < 1 || r.k < 1) return;
    if (!strncmp(name, "fused_", 6)) return; /* beside the kit's own plain store */
    r.compared = got == 9;
    r.group = group_of(d, name);
    if (r.group >= 0) d->rows[d->count++] = r;
}

static double flops(const row *r) { return 2 * r->m * r->n * r->k; }
static double intensity(const row *r) { return flops(r) / (2 * (r->m * r->k + r->n * r->k + r->m * r->n)); }

static double place(const axis *a, double v)
{
    const double t = a->logarithmic ? log(v / a->from) / log(a->to / a->from) : (v - a->from) / (a->to - a->from);
    return a->start + a->length * t;
}

static double clamp(const axis *a, double v)
{
    if (v < a->from) return a->from;
    return v > a->to ? a->to : v;
}

/* ---- the frame: title, ticks, words, legend ---- */
static void begin(FILE *f, const data *d, const char *title)
{
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
               "font-family=\"sans-serif\" font-size=\"12\">\n", WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(f, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, HEIGHT);
    fprintf(f, "<text x=\"%d\" y=\"26\" font-size=\"16\" fill=\"#222\">%s</text>\n", LEFT, title);
    fprintf(f, "<text x=\"%d\" y=\"44\" fill=\"#555\">%s; make bench, bench/results/gemm.csv</text>\n", LEFT,
            d->device);
}

static void frame(FILE *f, const axis *x, const axis *y)
{
    fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#888\"/>\n", x->start,
            y->start + y->length, x->length, -y->length);
}

static void words(FILE *f, const char *below, const char *beside)
{
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#222\">%s</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, below);
    fprintf(f, "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\" fill=\"#222\">%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, beside);
}

static void tick_x(FILE *f, const axis *const *xy, double v, const char *text)
{
    const double at = place(xy[0], v), bottom = xy[1]->start;
    fprintf(f, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#e2e2e2\"/>\n", at, bottom, bottom + xy[1]->length);
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#444\">%s</text>\n", at, bottom + 17, text);
}

static void tick_y(FILE *f, const axis *const *xy, double v, const char *text)
{
    const double at = place(xy[1], v), left = xy[0]->start;
    fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#e2e2e2\"/>\n", left, at, left + xy[0]->length);
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" fill=\"#444\">%s</text>\n", left - 6, at + 4, text);
}

/* Beside each name: how many shapes have a ratio, and the geometric mean of it; failures as 0. */
static void legend(FILE *f, const data *d)
{
    const int x = WIDTH - RIGHT + 16;
    fprintf(f, "<text x=\"%d\" y=\"%d\" fill=\"#555\">group (geometric mean)</text>\n", x, TOP + 10);
    for (int g = 0; g < d->group_count; g++) {
        const int y = TOP + 32 + 20 * g;
        double logs = 0;
        int count = 0, failed = 0;
        for (int i = 0; i < d->count; i++) {
            const row *r = &d->rows[i];
            if (r->group != g || !r->compared) continue;
            count++;
            if (r->ratio > 0) logs += log(r->ratio);
            else failed = 1;
        }
        fprintf(f, "<circle cx=\"%d\" cy=\"%d\" r=\"5\" fill=\"%s\"/>\n", x + 5, y - 4, color(g));
        fprintf(f, "<text x=\"%d\" y=\"%d\" fill=\"#222\">%s", x + 16, y, d->groups[g]);
        if (count) fprintf(f, " (%.3f)", failed ? 0.0 : exp(logs / count));
        fprintf(f, "</text>\n");
    }
}

/* Powers of ten between the ends: 1e9 as 10 to the 9th. */
static void decades(FILE *f, const axis *const *xy, int vertical)
{
    const axis *a = xy[vertical];
    char text[96];
    for (int e = (int)floor(log10(a->from)); e <= (int)ceil(log10(a->to)); e++) {
        const double v = pow(10, e);
        if (v < a->from * 0.999 || v > a->to * 1.001) continue;
        if (e >= 0 && e <= 4) snprintf(text, sizeof text, "%.0f", v);
        else snprintf(text, sizeof text, "10<tspan dy=\"-5\" font-size=\"9\">%d</tspan>", e);
        if (vertical) tick_y(f, xy, v, text);
        else tick_x(f, xy, v, text);
    }
}

/* ---- ratio against size ---- */
static void draw_ratio(FILE *f, const data *d)
{
    axis x = {1e30, 1, 1, LEFT, WIDTH - LEFT - RIGHT};
    axis y = {0.8, 1.1, 0, HEIGHT - BOTTOM, TOP + BOTTOM - HEIGHT};
    const axis *xy[2];
    double step;
    char text[32];
    xy[0] = &x, xy[1] = &y;
    for (int i = 0; i < d->count; i++) {
        const row *r = &d->rows[i];
        if (!r->compared) continue;
        x.from = fmin(x.from, flops(r)), x.to = fmax(x.to, flops(r));
        if (r->ratio > 0) y.from = fmin(y.from, r->ratio);
        y.to = fmax(y.to, r->ratio);
    }
    if (x.from > x.to) x.from = 1e9, x.to = 1e12;
    x.from /= 2, x.to *= 2;
    y.to = fmin(y.to, 2.5); /* what lies beyond stands at the upper edge */
    step = y.to - y.from > 1.2 ? 0.2 : 0.1;
    y.from = fmax(0, floor((y.from - 0.02) / step) * step), y.to = ceil((y.to + 0.02) / step) * step;
    begin(f, d, "GEMM: rate of tc over the best of cuBLASLt's eight algorithms");
    decades(f, xy, 0);
    for (int i = 0; y.from + i * step < y.to + step / 2; i++) {
        snprintf(text, sizeof text, "%.1f", y.from + i * step);
        tick_y(f, xy, y.from + i * step, text);
    }
    frame(f, &x, &y);
    fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#222\" stroke-width=\"1.5\"/>\n", x.start, place(&y, 1),
            x.start + x.length);
    for (int i = 0; i < d->count; i++) {
        const row *r = &d->rows[i];
        const double cx = place(&x, flops(r));
        if (!r->compared) continue;
        fprintf(f, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\" stroke-opacity=\".5\"/>\n", cx,
                place(&y, clamp(&y, r->min)), place(&y, clamp(&y, r->max)), color(r->group));
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" fill-opacity=\".85\"><title>%s %gx%gx%g: "
                   "%.3f [%.3f %.3f], %g against %g TFLOP/s</title></circle>\n", cx, place(&y, clamp(&y, r->ratio)),
                color(r->group), d->groups[r->group], r->m, r->n, r->k, r->ratio, r->min, r->max, r->tc, r->other);
    }
    words(f, "operations of a call, 2 m n k (bars: least and greatest ratio of a round)",
          "ratio, above 1: tc is faster");
    legend(f, d);
    fprintf(f, "</svg>\n");
}

/* ---- roofline ---- */
static void draw_roofs(FILE *f, const data *d, const axis *const *xy)
{
    const axis *x = xy[0], *y = xy[1];
    const double ridge = clamp(x, d->peak / d->copy);
    double left = x->from;
    if (d->peak <= 0 || d->copy <= 0) return;
    if (left * d->copy < y->from) left = y->from / d->copy; /* the slope enters from below */
    fprintf(f, "<path d=\"M%.1f %.1fL%.1f %.1fH%.1f\" fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\"/>\n",
            place(x, left), place(y, left * d->copy), place(x, ridge), place(y, clamp(y, d->peak)),
            x->start + x->length);
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" fill=\"#222\">%.0f TFLOP/s at the highest clock"
               "</text>\n", x->start + x->length - 6, place(y, clamp(y, d->peak)) - 6, d->peak);
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" fill=\"#222\">copy %.2f TB/s</text>\n",
            place(x, sqrt(left * ridge)) - 10, place(y, sqrt(left * ridge) * d->copy) - 6, d->copy);
}

static void draw_roofline(FILE *f, const data *d)
{
    axis x = {1e30, 1, 1, LEFT, WIDTH - LEFT - RIGHT};
    axis y = {1e30, 1, 1, HEIGHT - BOTTOM, TOP + BOTTOM - HEIGHT};
    const axis *xy[2];
    xy[0] = &x, xy[1] = &y;
    for (int i = 0; i < d->count; i++) {
        const row *r = &d->rows[i];
        x.from = fmin(x.from, intensity(r)), x.to = fmax(x.to, intensity(r));
        if (r->tc > 0) y.from = fmin(y.from, r->tc), y.to = fmax(y.to, r->tc);
        if (r->other > 0) y.from = fmin(y.from, r->other), y.to = fmax(y.to, r->other);
    }
    if (x.from > x.to) x.from = 1, x.to = 1e4;
    if (y.from > y.to) y.from = 1, y.to = 1e3;
    x.from /= 1.5, x.to *= 1.5, y.from /= 1.6;
    y.to = fmax(y.to, d->peak) * 1.5;
    begin(f, d, "GEMM: rate against operations for each byte that must move");
    decades(f, xy, 0);
    decades(f, xy, 1);
    frame(f, &x, &y);
    draw_roofs(f, d, xy);
    for (int i = 0; i < d->count; i++) {
        const row *r = &d->rows[i];
        const double cx = place(&x, intensity(r));
        if (r->other > 0)
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"none\" stroke=\"%s\" stroke-opacity=\".7\"/>\n",
                    cx, place(&y, r->other), color(r->group));
        if (r->tc > 0)
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s %gx%gx%g: %g against %g TFLOP/s"
                       "</title></circle>\n", cx, place(&y, r->tc), color(r->group), d->groups[r->group], r->m, r->n,
                    r->k, r->tc, r->other);
    }
    words(f, "operations per byte of A, B and D, each moved once", "TFLOP/s: filled tc, hollow cuBLASLt");
    legend(f, d);
    fprintf(f, "</svg>\n");
}

static int draw(const char *path, const data *d, void (*how)(FILE *, const data *))
{
    FILE *f = fopen(path, "w");
    if (f) how(f, d);
    if (f && !ferror(f) && !fclose(f)) return 1;
    fprintf(stderr, "bench_plot: %s cannot be written\n", path);
    return 0;
}

int main(int argc, char **argv)
{
    static data d;
    char line[4096];
    FILE *f;
    if (argc != 4) return fprintf(stderr, "bench_plot RECORD.csv RATIO.svg ROOFLINE.svg\n"), 2;
    f = fopen(argv[1], "r");
    if (!f) return fprintf(stderr, "bench_plot: %s cannot be read\n", argv[1]), 1;
    while (fgets(line, sizeof line, f)) take(&d, line);
    fclose(f);
    if (!d.count) return fprintf(stderr, "bench_plot: %s has no rows group,m,n,k,tc,other,ratio,min,max\n", argv[1]), 1;
    return draw(argv[2], &d, draw_ratio) && draw(argv[3], &d, draw_roofline) ? 0 : 1;
}
