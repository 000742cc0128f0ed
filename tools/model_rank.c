/* model_rank.c - does tcemu --model order kernels as a board does? Spearman's rank correlation of the two rates.
 *     build/model_rank model.json small.csv [bench/results/model.csv]
 *
 * model.json: --json of build/tcemu --model=BOARD --sms 2 build/bench/model --small, whose output is small.csv (name,
 * work); bench/results/model.csv: what build/bench/model printed on the board (name, work, microseconds, rate). The
 * model's rate is the work over the modelled seconds, times the board's multiprocessors over those that shared it.
 * Prints a table and the correlation; without the board's record the table alone. Exit status 1: a file cannot be read;
 * or --least X is given and the correlation is below it; or fewer than 3 kernels stand in both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };
typedef struct row {
    char name[96], wall[96];
    double work, seconds, sms, of_sms, model, board, rank_model, rank_board;
} row;
static row rows[MOST];
static int count;

static row *find(const char *name)
{
    for (int i = 0; i < count; i++) if (!strcmp(rows[i].name, name)) return &rows[i];
    return 0;
}

/* "key": behind it, or NULL */
static const char *after(const char *line, const char *key)
{
    char quoted[64];
    const char *at;
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    at = strstr(line, quoted);
    return at ? at + strlen(quoted) : 0;
}
static double number(const char *line, const char *key)
{
    const char *at = after(line, key);
    return at ? strtod(at, 0) : 0;
}
static void word(const char *line, const char *key, char *to, size_t n)
{
    const char *at = after(line, key);
    size_t k = 0;
    for (at = at && *at == '"' ? at + 1 : ""; *at && *at != '"' && k + 1 < n; k++) to[k] = *at++;
    to[k] = 0;
}

/* name,work,...,rate. board: rates; else the work of --small */
static int read_csv(const char *file, int board)
{
    char line[4096], name[96];
    double work, us, rate;
    FILE *f = fopen(file, "r");
    if (!f) return perror(file), 1;
    while (fgets(line, sizeof line, f)) {
        row *r;
        if (sscanf(line, "%95[^,],%lf,%lf,%lf", name, &work, &us, &rate) != 4 || *name == '#') continue;
        r = find(name);
        if (!board && !r && count < MOST) r = &rows[count++], strcpy(r->name, name);
        if (!r) continue;
        if (board) r->board = rate; else r->work = work;
    }
    return fclose(f);
}
static int read_json(const char *file)
{
    static char line[65536];
    FILE *f = fopen(file, "r");
    if (!f) return perror(file), 1;
    while (fgets(line, sizeof line, f)) {
        char name[96];
        row *r;
        if (!after(line, "model")) continue;
        word(line, "kernel", name, sizeof name);
        r = find(name);
        if (!r) continue;
        r->seconds = number(line, "seconds"), r->sms = number(line, "sms"), r->of_sms = number(line, "of_sms");
        word(line, "wall", r->wall, sizeof r->wall);
        if (r->seconds > 0 && r->sms > 0) r->model = r->work / r->seconds * r->of_sms / r->sms * 1e-12;
    }
    return fclose(f);
}

static int by_model(const void *x, const void *y)
{
    const double a = ((const row *)x)->model, b = ((const row *)y)->model;
    return a > b ? -1 : a < b;
}

/* Ranks of equal values are their mean. Kernels without a rate of the board's do not take part. */
static double rank(int i, int board)
{
    const double mine = board ? rows[i].board : rows[i].model;
    double less = 0, same = 0;
    for (int k = 0; k < count; k++) {
        const double other = board ? rows[k].board : rows[k].model;
        if (rows[k].board <= 0 || rows[k].model <= 0) continue;
        less += other < mine, same += other == mine;
    }
    return less + (same + 1) / 2;
}

int main(int argc, char **argv)
{
    const char *file[3];
    double least = -2, n = 0, mx = 0, my = 0, xx = 0, yy = 0, xy = 0, rho;
    int files = 0;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--least") && i + 1 < argc) least = atof(argv[++i]);
        else if (files < 3) file[files++] = argv[i];
    if (files < 2) return fprintf(stderr, "model_rank [--least X] model.json small.csv [board.csv]\n"), 1;
    if (read_csv(file[1], 0) || read_json(file[0]) || (files > 2 && read_csv(file[2], 1))) return 1;
    qsort(rows, (size_t)count, sizeof rows[0], by_model);
    printf("%-20s %10s %10s %7s %6s %6s  %s\n", "kernel", "model", "board", "of it", "rank", "rank", "the wall");
    for (int i = 0; i < count; i++) {
        row *r = &rows[i];
        if (r->model <= 0) { printf("%-20s no model\n", r->name); continue; }
        if (r->board <= 0) {
            printf("%-20s %10.1f %10s %7s %6s %6s  %s\n", r->name, r->model, "", "", "", "", r->wall);
            continue;
        }
        r->rank_model = rank(i, 0), r->rank_board = rank(i, 1);
        n++, mx += r->rank_model, my += r->rank_board;
    }
    mx /= n, my /= n;
    for (int i = 0; i < count; i++) {
        const row *r = &rows[i];
        if (r->board <= 0 || r->model <= 0) continue;
        xx += (r->rank_model - mx) * (r->rank_model - mx), yy += (r->rank_board - my) * (r->rank_board - my);
        xy += (r->rank_model - mx) * (r->rank_board - my);
        printf("%-20s %10.1f %10.1f %7.3f %6.1f %6.1f  %s\n", r->name, r->model, r->board, r->board / r->model,
               n + 1 - r->rank_model, n + 1 - r->rank_board, r->wall);
    }
    if (files < 3) return 0;
    if (n < 3) return fprintf(stderr, "only %.0f kernels stand in both records\n", n), 1;
    rho = xy / sqrt(xx * yy);
    printf("rank correlation of %.0f kernels: %.3f\n", n, rho);
    return rho < least;
}
