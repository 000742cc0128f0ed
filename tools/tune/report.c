/* report.c - what tc_tune says: a bar on a terminal while it works, then a table, CSV or JSON on stdout. */
#include "tune.h"
#include <unistd.h>

/* ---- progress: on a terminal only, on stderr, one line that is written over ---- */
static int bar_there;

void report_progress(const char *what, int done, int of, const char *detail)
{
    static double last;
    const double now = tune_now();
    const int width = 24, part = of > 0 && done < of ? done * width / of : width;
    int i;
    if (!isatty(2) || (bar_there && now - last < 0.05)) return;
    last = now;
    bar_there = 1;
    fprintf(stderr, "\r\033[K%-9s [", what);
    for (i = 0; i < width; i++) fputc(i < part ? '#' : '.', stderr);
    if (of == 1000) fprintf(stderr, "] %3d%%  %.60s", done < of ? done / 10 : 100, detail);
    else fprintf(stderr, "] %d/%d  %.60s", done, of, detail);
    fflush(stderr);
}

void report_clear(void)
{
    if (bar_there) fprintf(stderr, "\r\033[K");
    bar_there = 0;
}

/* ---- words ---- */
static const char *type_name(int type) { return type == TC_BF16 ? "bf16" : type == TC_F16 ? "f16" : "f32"; }
static double flops(shape s) { return 2.0 * s.m * s.n * s.k; }
static const char *short_name(const kernel *k) { return k->gen == 90 ? "SM90" : "SM80"; }

static const char *own_text(const kernel *k)
{
    static char text[64];
    tune_print(text, sizeof text, k->own ? " (%s of TC_GEMM_DEFINE)" : "", k->own);
    return text;
}

/* The bytes of text as a JSON or CSV string. */
static void quoted(const char *s, int csv)
{
    putchar('"');
    for (; *s; s++) {
        if (*s == '"') fputs(csv ? "\"\"" : "\\\"", stdout);
        else if (*s == '\\' && !csv) fputs("\\\\", stdout);
        else if ((unsigned char)*s < 32) putchar(' ');
        else putchar(*s);
    }
    putchar('"');
}

/* ---- CSV and JSON: a candidate of a shape, measured or not ---- */
static int rows_written;

static void row(const request *r, const trials *of, const trial *t)
{
    const shape s = of->s;
    const char *to = of->cublas ? "cuBLASLt" : "first candidate";
    const kernel *k = t->k;
    const int csv = r->format == 'c';
    const double us = t->rounds ? t->median_time * 1e6 : 0, rate = t->rounds ? flops(s) / t->median_time * 1e-12 : 0;
    if (csv) {
        printf("%d,%d,%d,%s,%s,%s,", s.m, s.n, s.k, type_name(r->a), type_name(r->d), candidate_generator(k));
        quoted(k->fields, 1);
        printf(",%.3f", t->estimate * 1e6);
        if (t->rounds)
            printf(",%.3f,%.2f,%.4f,%.4f,%.4f,%s,%d", us, rate, t->median_ratio, t->low, t->high, to, t->rounds);
        else printf(",,,,,,,0");
        printf(",%d,%d,%d,%d,", k->stages, k->smem, k->registers, k->spills);
        quoted(t->why, 1);
        putchar('\n');
    } else {
        char all[4 * TEXT_SIZE];
        compile_fields(r, k, all, sizeof all);
        printf("%s\n  {\"m\": %d, \"n\": %d, \"k\": %d, \"generator\": \"%s\", \"fields\": ", rows_written ? "," : "",
               s.m, s.n, s.k, candidate_generator(k));
        quoted(all, 0);
        printf(", \"estimate_us\": %.3f", t->estimate * 1e6);
        if (t->rounds)
            printf(", \"us\": %.3f, \"tflops\": %.2f, \"ratio\": %.4f, \"ratio_low\": %.4f, \"ratio_high\": %.4f, "
                   "\"ratio_to\": \"%s\", \"rounds\": %d",
                   us, rate, t->median_ratio, t->low, t->high, to, t->rounds);
        printf(", \"stages\": %d, \"smem\": %d", k->stages, k->smem);
        if (k->registers) printf(", \"registers\": %d, \"spill_bytes\": %d", k->registers, k->spills);
        if (*t->why) printf(", \"why\": "), quoted(t->why, 0);
        putchar('}');
    }
    rows_written++;
}

void report_begin(const request *r)
{
    rows_written = 0;
    if (r->format == 'c')
        printf("m,n,k,a,d,generator,fields,estimate_us,us,tflops,ratio,ratio_low,ratio_high,ratio_to,rounds,"
               "stages,smem,registers,spill_bytes,why\n");
    if (r->format == 'j') {
        printf("{\"device\": ");
        quoted(r->dev.present ? r->dev.name : "", 0);
        printf(", \"arch\": \"%s\", \"a\": \"%s\", \"d\": \"%s\", \"epi\": ", r->arch, type_name(r->a),
               type_name(r->d));
        quoted(r->epi.given ? r->epi.given : "", 0);
        printf(", \"candidates\": [");
    }
    if (r->format == 't' && r->dev.present)
        printf("%s, %d SMs, %s; %s in, %s out%s%s\n", r->dev.name, r->dev.sms, r->arch, type_name(r->a),
               type_name(r->d), r->epi.given ? ", " : "", r->epi.given ? r->epi.given : "");
}

void report_end(const request *r)
{
    if (r->format == 'j') printf("\n]}\n");
    if (fflush(stdout)) tune_fail(1, "cannot write the result");
}

/* ---- without a GPU ---- */
void report_list(const request *r, const trials *t, int count)
{
    int i, j;
    report_begin(r);
    for (i = 0; i < count; i++) {
        if (r->format == 't')
            printf("%s%d x %d x %d: %d of %d legal candidates for %s\n    estimate us  stages  smem KB\n",
                   i ? "\n" : "", t[i].s.m, t[i].s.n, t[i].s.k, t[i].count, t[i].legal, r->arch);
        for (j = 0; j < t[i].count; j++) {
            const kernel *k = t[i].t[j].k;
            if (r->format == 't')
                printf("    %11.1f  %6d  %7.1f  %s %s%s\n", t[i].t[j].estimate * 1e6, k->stages, k->smem / 1024.,
                       short_name(k), k->fields, own_text(k));
            else row(r, &t[i], &t[i].t[j]);
        }
    }
    report_end(r);
}

void report_compiled(const request *r, kernel **kernels, int count)
{
    trials none;
    int i;
    memset(&none, 0, sizeof none);
    report_begin(r);
    if (r->format == 't') printf("%s: registers  spill bytes  stages  smem KB  seconds\n", r->arch);
    for (i = 0; i < count; i++) {
        const kernel *k = kernels[i];
        trial t;
        memset(&t, 0, sizeof t);
        t.k = kernels[i];
        tune_print(t.why, sizeof t.why, "%s", k->why);
        if (r->format != 't') row(r, &none, &t);
        else if (k->state == KERNEL_BAD) printf("  %s %s: does not compile: %s\n", short_name(k), k->fields, k->why);
        else
            printf("        %9d  %11d  %6d  %7.1f  %7.1f  %s %s\n", k->registers, k->spills, k->stages, k->smem / 1024.,
                   k->compile_s, short_name(k), k->fields);
    }
    report_end(r);
}

/* ---- a shape's trials ---- */
static int by_ratio(const void *x, const void *y)
{
    const trial *a = (const trial *)x, *b = (const trial *)y;
    if (!a->rounds != !b->rounds) return a->rounds ? -1 : 1;
    if (a->median_ratio != b->median_ratio) return a->median_ratio > b->median_ratio ? -1 : 1;
    return a->estimate < b->estimate ? -1 : a->estimate > b->estimate;
}

void report_shape(const request *r, trials *t)
{
    char fields[4 * TEXT_SIZE];
    int i;
    qsort(t->t, (size_t)t->count, sizeof *t->t, by_ratio);
    if (r->format != 't') {
        for (i = 0; i < t->count; i++) row(r, t, &t->t[i]);
        return;
    }
    printf("\n%d x %d x %d: %d of %d legal candidates, %.1f s", t->s.m, t->s.n, t->s.k, t->count, t->legal, t->tried_s);
    if (t->cublas)
        printf("; cuBLASLt%s %.1f us, %.1f TFLOP/s", r->epi.given ? " (without the hook)" : "", t->cublas_time * 1e6,
               flops(t->s) / t->cublas_time * 1e-12);
    printf("\n    TFLOP/s        us  ratio  (quartiles)    rounds  stages  smem KB  regs  spills    ratio to %s\n",
           t->cublas ? "cuBLASLt" : "the first candidate");
    for (i = 0; i < t->count; i++) {
        const trial *x = &t->t[i];
        const kernel *k = x->k;
        if (!x->rounds) {
            printf("    %s %s: %s\n", short_name(k), k->fields, *x->why ? x->why : "not measured");
            continue;
        }
        printf("    %7.1f  %8.2f  %.3f  (%.3f-%.3f)  %6d  %6d  %7.1f  %4d  %6d    %s %s%s\n",
               flops(t->s) / x->median_time * 1e-12, x->median_time * 1e6, x->median_ratio, x->low, x->high, x->rounds,
               k->stages, k->smem / 1024., k->registers, k->spills, short_name(k), k->fields, own_text(k));
    }
    if (!t->count || !t->t[0].rounds) return;
    compile_fields(r, t->t[0].k, fields, sizeof fields);
    printf("\n%s(my_gemm, %s)\n", candidate_generator(t->t[0].k), fields);
    fflush(stdout);
}
