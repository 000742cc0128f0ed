/* candidates.c - the configurations that tc_tune tries: every field's values in one table, their product, the rules of
 * the headers (tc_gemm_sm90_legal, tc_gemm_sm80_legal), and an estimate that says which are worth a trial. */
#include "tune.h"
#include <strings.h>

/* ---------------------------------------------------------------------------------------------------------------------
 * The table. A row is a field of tc_gemm_config: a new field is one row more. Values are tried in all combinations that
 * are legal; the first is the usual one, and 0 is the default, which is not written. cost multiplies the estimate: a
 * value that the estimate knows nothing about comes after its plainer twin, by so much.
 */
enum { MOST_VALUES = 24 };
typedef struct axis {
    int gen; /* 90 or 80 */
    const char *name;
    size_t at;          /* in tc_gemm_config */
    double cost;        /* of each value but the first */
    const char *symbol; /* how values are written: "X Y" for 1, 2; NULL: as numbers */
    int value[MOST_VALUES], count;
} axis;

#define VALUES(...) {__VA_ARGS__}, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int))
#define AXIS(gen, name, cost, symbol, ...) {gen, #name, offsetof(tc_gemm_config, name), cost, symbol, __VA_ARGS__}
#define SCHEDULES "TC_COOPERATIVE TC_PINGPONG"
#define RASTERS "TC_RASTER_M TC_RASTER_N"
static axis axes[] = {
    AXIS(90, bm, 1, NULL, VALUES(64, 128, 192, 256)),
    AXIS(90, bn, 1, NULL, VALUES(16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256)),
    AXIS(90, bk, 1.02, NULL, VALUES(0, 128)),
    AXIS(90, schedule, 1, SCHEDULES, VALUES(TC_COOPERATIVE, TC_PINGPONG)),
    AXIS(90, consumers, 1.01, NULL, VALUES(0, 1, 3)),
    AXIS(90, cluster_m, 1.005, NULL, VALUES(0, 2, 4)),
    AXIS(90, cluster_n, 1.01, NULL, VALUES(0, 2, 4)),
    AXIS(90, cluster_k, 1.01, NULL, VALUES(0, 2, 4)),
    AXIS(90, step, 1.05, NULL, VALUES(0, 16, 32, 64)),
    AXIS(90, swap, 1.001, NULL, VALUES(0, 1)),
    AXIS(90, split, 1.002, NULL, VALUES(0, 1)),
    AXIS(90, stages, 1, NULL, VALUES(0)),
    AXIS(90, epi_stages, 1.03, NULL, VALUES(0, 1)),
    AXIS(90, raster, 1, RASTERS, VALUES(0)),
    AXIS(90, raster_group, 1.04, NULL, VALUES(0, 4)),
    AXIS(80, bm, 1, NULL, VALUES(16, 32, 64, 128, 256)),
    AXIS(80, bn, 1, NULL, VALUES(32, 64, 96, 128, 192, 256)),
    AXIS(80, bk, 1.02, NULL, VALUES(0, 32)),
    AXIS(80, stages, 1.01, NULL, VALUES(0, 2, 4)),
    AXIS(80, warps_m, 1.005, NULL, VALUES(0, 1, 4)),
    AXIS(80, warps_n, 1.005, NULL, VALUES(0, 1, 4)),
    AXIS(80, raster, 1, RASTERS, VALUES(0)),
    AXIS(80, raster_group, 1.04, NULL, VALUES(0, 4)),
};

static void put(tc_gemm_config *c, const axis *x, int value) { memcpy((char *)c + x->at, &value, sizeof value); }

/* The symbol of a value (1, 2, ...), or its number. */
static void value_text(const axis *x, int value, char *out, size_t size)
{
    const char *s = x->symbol;
    int i;
    for (i = 1; s && i < value; i++) s = strchr(s, ' ') ? strchr(s, ' ') + 1 : NULL;
    if (s && value > 0) tune_print(out, size, "%.*s", (int)strcspn(s, " "), s);
    else tune_print(out, size, "%d", value);
}

/* A value as a user writes it: a number, a symbol, or a symbol's end from a _ on, in either case. -1: none. */
static int value_of(const axis *x, const char *text, size_t length)
{
    const char *s = x->symbol;
    char *end, word[64];
    long number;
    int i = 1;
    if (length == 0 || length >= sizeof word) return -1;
    memcpy(word, text, length);
    word[length] = 0;
    number = strtol(word, &end, 10);
    if (!*end && number >= 0 && number <= 1 << 20) return (int)number;
    for (; s; i++, s = strchr(s, ' ') ? strchr(s, ' ') + 1 : NULL) {
        const size_t n = strcspn(s, " "), from = n - length;
        if (n < length || (from > 0 && s[from - 1] != '_')) continue;
        if (strncasecmp(s + from, word, length) == 0) return i;
    }
    return -1;
}

/* --try field=value,value: these values in place of the table's, for every generator that has the field. */
void candidates_try(const char *text)
{
    const char *equals = strchr(text, '=');
    int i, found = 0;
    if (!equals) tune_fail(2, "--try %s: give it as field=value,value, as in --try bn=64,96", text);
    for (i = 0; i < COUNT(axes); i++) {
        axis *x = &axes[i];
        const char *p = equals;
        if (strlen(x->name) != (size_t)(equals - text) || strncmp(x->name, text, strlen(x->name)) != 0) continue;
        found = 1;
        x->count = 0;
        x->cost = 1;
        while (*p) {
            const size_t n = strcspn(p + 1, ",");
            const int value = value_of(x, p + 1, n);
            if (value < 0)
                tune_fail(2, "--try %s: \"%.*s\" is no value of .%s: a whole number%s%s", text, (int)n, p + 1, x->name,
                          x->symbol ? " or one of " : "", x->symbol ? x->symbol : "");
            if (x->count == MOST_VALUES) tune_fail(2, "--try %s: more than %d values", text, MOST_VALUES);
            x->value[x->count++] = value;
            p += n + 1;
        }
    }
    if (!found) {
        char names[TEXT_SIZE] = "";
        for (i = 0; i < COUNT(axes); i++) {
            const size_t used = strlen(names);
            int j = 0;
            while (strcmp(axes[j].name, axes[i].name) != 0) j++;
            if (j == i) tune_print(names + used, sizeof names - used, " %s", axes[i].name);
        }
        tune_fail(2, "--try %s: there is no field \"%.*s\"; the fields are%s", text, (int)(equals - text), text, names);
    }
}

void candidates_help(FILE *f)
{
    int i, j;
    for (i = 0; i < COUNT(axes); i++) {
        fprintf(f, "  %s  %-13s", axes[i].gen == 90 ? "SM90" : "SM80", axes[i].name);
        for (j = 0; j < axes[i].count; j++) {
            char text[64];
            value_text(&axes[i], axes[i].value[j], text, sizeof text);
            fprintf(f, " %s", axes[i].value[j] ? text : "default");
        }
        fputc('\n', f);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * One candidate.
 */
tc_gemm_config candidate_complete(const kernel *k)
{
    return k->gen == 90 ? tc_gemm_sm90_config(k->c) : tc_gemm_sm80_config(k->c);
}

int candidate_smem(const kernel *k)
{
    const tc_gemm_config c = candidate_complete(k);
    return k->gen == 90 ? tc_gemm_sm90_smem(c) : tc_gemm_sm80_smem(c);
}

const char *candidate_generator(const kernel *k)
{
    return k->gen == 90 ? "TC_GEMM_SM90_DEFINE" : "TC_GEMM_SM80_DEFINE";
}

/* Do TMA's rules hold for the shape, with rows that follow one another? */
static int follows_tma(const request *r, shape s)
{
    return (int64_t)s.k * tc_type_bits(r->a) / 8 % 16 == 0 && (int64_t)s.n * tc_type_bits(r->d) / 8 % 16 == 0;
}

/* Multiprocessors that large clusters leave empty: they do not divide what belongs together on the chip. */
static double usable(double sms, double cluster) { return cluster <= 2 ? sms : cluster <= 4 ? 0.95 * sms : 0.9 * sms; }

/* Seconds that a call takes in a Hopper kernel: the model by which the kit itself cuts a call, with the workspace that
 * it is given here. A cluster that splits k is as good as as many parts. */
static double estimate_sm90(const request *r, shape s, const kernel *k)
{
    const tc_gemm_config c = candidate_complete(k), v = tc_gemm90_view(c);
    const tc__gemm_device device =
        tc__gemm_device_of((int)usable(r->dev.sms, c.step ? 1 : c.cluster_m * c.cluster_n * c.cluster_k), 0);
    const tc__gemm_best search = {&device, TUNE_WORKSPACE, 0};
    tc_gemm_cut cut = {0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
    tc__gemm_problem x;
    tc_gemm_args g;
    double t;
    memset(&g, 0, sizeof g);
    g.m = s.m, g.n = s.n, g.k = g.lda = g.ldb = s.k;
    x = tc__gemm90_problem(&v, &g);
    cut.width = v.bn, cut.parts = c.cluster_k, cut.cluster = c.step ? 1 : v.cluster_m;
    t = c.cluster_k > 1 ? tc__gemm90_time(&v, &x, &cut, &device) : tc__gemm90_best(&v, &x, &cut, &search);
    return 1e-9 * (c.split
                   && cut.parts == 1 ? 1.04 * t : t); /* it can split k, and does not: behind its plainer twin */
}

static double larger(double a, double b) { return a > b ? a : b; }

/* Two things that go on side by side: the longer one, and what they take from each other. */
static double beside(double a, double b) { return a > b ? a + 0.15 * b : b + 0.15 * a; }

/* Seconds that a call takes in an sm_80 kernel, roughly: the busiest SM's tiles, each the longer of its products and
 * its loads; what overlaps nothing (the first loads, the last store); and no less than memory takes for A, B and D. Of
 * an SM it knows multiply-adds and bytes of L2 a clock, of the device bytes of memory a clock and the clock. */
static double estimate_sm80(const request *r, shape s, const kernel *k)
{
    const tc_gemm_config c = candidate_complete(k);
    const double clock = 1.7e9, l2 = 60, mma_rate = r->dev.cc == 90 ? 1100 : 1024;
    const double memory_rate = r->dev.cc == 90 ? 1800 : r->dev.cc > 90 ? 3000 : 1100;
    const double blocks = (double)((s.m + (int64_t)c.bm - 1) / c.bm) * (double)((s.n + (int64_t)c.bn - 1) / c.bn);
    const double sms = r->dev.sms;
    const double steps = (double)((s.k + c.bk - 1) / c.bk); /* of the ring */
    const int resident = candidate_smem(k) * 2 <= 220 * 1024 && c.bm * c.bn <= 128 * 128 ? 2 : 1;
    const double waves = (double)(((int64_t)blocks + (int64_t)sms - 1) / (int64_t)sms);
    const double active = blocks < sms ? blocks : sms;
    const double mma = (double)c.bm * c.bn * c.bk / mma_rate * (c.bm > 64 ? 1 : 1.1);
    const double load = ((double)c.bm + c.bn) * c.bk * 2 / l2;
    const double size = tc_type_bits(r->d) / 8.;
    const double store = (double)c.bm * c.bn * (size / 48 + (r->epi.given ? 1 / 64. : 0)) + 800;
    const double hidden = resident > 1 ? 0.5 : 1; /* of a store, what no product hides */
    const double tile = steps * beside(mma, load) + store * hidden;
    const double bytes = ((double)s.m + s.n) * s.k * 2 + (double)s.m * s.n * size;
    const double in_flight = c.stages * (double)(c.bm + c.bn) * c.bk * 2 * active; /* what hides memory's latency */
    const double memory = bytes / memory_rate * larger(1, larger(100 / active, 5e6 / in_flight)) + 2500;
    return beside(waves * tile + 2500, memory) / clock;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * All of them.
 */
static int by_estimate(const void *x, const void *y)
{
    const trial *a = (const trial *)x, *b = (const trial *)y;
    if (a->estimate != b->estimate) return a->estimate < b->estimate ? -1 : 1;
    return strcmp(a->k->fields, b->k->fields);
}

static void fields_text(const int *at, int gen, char *out, size_t size)
{
    int i;
    *out = 0;
    for (i = 0; i < COUNT(axes); i++) {
        const axis *x = &axes[i];
        const size_t used = strlen(out);
        char value[64];
        if (x->gen != gen || x->value[at[i]] == 0) continue;
        if (!strcmp(x->name, "schedule") && x->value[at[i]] == TC_COOPERATIVE) continue; /* the default */
        value_text(x, x->value[at[i]], value, sizeof value);
        tune_print(out + used, size - used, "%s.%s = %s", used ? ", " : "", x->name, value);
    }
}

/* Two choices that come to the same kernel, as .consumers = 2 and none: the completed configurations tell. */
static int same(const kernel *a, const kernel *b)
{
    const tc_gemm_config x = candidate_complete(a), y = candidate_complete(b);
    int i;
    if (a->gen != b->gen) return 0;
    for (i = 0; tc__gemm_fields[i].name; i++)
        if (tc__field_of(&tc__gemm_fields[i], &x) != tc__field_of(&tc__gemm_fields[i], &y)) return 0;
    return 1;
}

/* The product of one generator's axes, what is legal of it, appended. */
static void product(const request *r, int gen, trials *all, int *room)
{
    int at[COUNT(axes)] = {0}, i;
    for (;;) {
        kernel k;
        double cost = 1;
        memset(&k, 0, sizeof k);
        k.gen = gen;
        k.c.a = k.c.b = r->a;
        k.c.d = r->d;
        if (r->epi.given) {
            if (r->epi.pair) k.c.epi2 = tc_epi2_on_device;
            else k.c.epi = tc_epi_on_device;
            k.c.epi_size = r->epi.size;
        }
        for (i = 0; i < COUNT(axes); i++) {
            if (axes[i].gen != gen) continue;
            put(&k.c, &axes[i], axes[i].value[at[i]]);
            if (at[i]) cost *= axes[i].cost;
        }
        /* a zero tile would be divided by; the rules of ranges come first */
        if (tc__gemm_config_check(&k.c) == TC_OK
            && (gen == 90 ? tc_gemm_sm90_legal(tc_gemm_sm90_config(k.c))
                          : tc_gemm_sm80_legal(tc_gemm_sm80_config(k.c)))) {
            const tc_gemm_config c = candidate_complete(&k);
            trial *t;
            if (all->count == *room) {
                *room = *room * 2 + 256;
                all->t = (trial *)realloc(all->t, sizeof *all->t * (size_t)*room);
                if (!all->t) tune_fail(1, "no memory");
            }
            t = &all->t[all->count++];
            memset(t, 0, sizeof *t);
            t->k = (kernel *)tune_alloc(sizeof k);
            k.stages = c.stages;
            k.smem = candidate_smem(&k);
            fields_text(at, gen, k.fields, sizeof k.fields);
            *t->k = k;
            t->estimate = (gen == 90 ? estimate_sm90 : estimate_sm80)(r, all->s, &k) * cost;
        }
        for (i = 0; i < COUNT(axes); i++) {
            if (axes[i].gen != gen) continue;
            if (++at[i] < axes[i].count) break;
            at[i] = 0;
        }
        if (i == COUNT(axes)) return;
    }
}

#define TILE_NAME(name, own, tile, ...) #tile,
/* Is it one of TC_GEMM_DEFINE's own tiles? Those are always tried: they are what a user has without a choice. */
static const char *generators_own(const kernel *k)
{
    static const char *const names[] = {TC__GEMM_TILES(TILE_NAME, unused, unused)};
    int i;
    for (i = 0; i < TC__GEMM_TILE_COUNT && k->gen == 90; i++) {
        const tc__gemm_tile *v = &tc__gemm_tiles_of[i];
        kernel own = *k;
        memset(&own.c, 0, sizeof own.c);
        own.c.a = own.c.b = k->c.a, own.c.d = k->c.d, own.c.epi_size = k->c.epi_size;
        own.c.bm = v->bm, own.c.bn = v->bn, own.c.schedule = v->schedule;
        own.c.cluster_m = v->cluster_m, own.c.cluster_n = v->cluster_n;
        own.c.step = v->step, own.c.swap = v->swap, own.c.split = v->split;
        if (same(k, &own)) return names[i];
    }
    return NULL;
}

trials candidates_make(const request *r, shape s)
{
    trials all;
    int room = 0, i, j, kept = 0, owned = 0, tma = follows_tma(r, s);
    memset(&all, 0, sizeof all);
    all.s = s;
    if (!strcmp(r->arch, "sm_90a") && tma && r->gen != 80) product(r, 90, &all, &room);
    if (r->gen != 90) product(r, 80, &all, &room);
    qsort(all.t, (size_t)all.count, sizeof *all.t, by_estimate);
    all.legal = all.count;
    /* a tile with all its variations would fill the list: the estimate tells tiles apart better than those */
    for (i = 0; i < all.count; i++) {
        kernel *k = all.t[i].k;
        k->own = generators_own(k);
        for (j = 0; j < i && all.t[j].k->own != k->own; j++) {}
        owned += k->own && j == i;
    }
    if (owned > r->candidates / 2) owned = 0;
    for (i = 0; i < all.count; i++) {
        const kernel *k = all.t[i].k;
        int no = kept >= r->candidates - (k->own ? 0 : owned), kin = 0;
        for (j = 0; j < kept && !no; j++) {
            const kernel *other = all.t[j].k;
            kin += other->gen == k->gen && other->c.bm == k->c.bm && other->c.bn == k->c.bn
                && other->c.swap == k->c.swap;
            no = same(k, other) || (kin >= (r->candidates < 24 ? 3 : r->candidates / 8) && !k->own);
        }
        owned -= k->own && !no && owned > 0;
        if (no) free(all.t[i].k);
        else all.t[kept++] = all.t[i];
    }
    all.count = kept;
    return all;
}
