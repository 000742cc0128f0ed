/* report.c - what tcemu says: mistakes with their place, statistics, the summary; for people on stderr, as JSON for
 * machines. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core.h"

const char *const emu_check_name[E_COUNT] = {
    [E_OOB_GLOBAL] = "out-of-bounds-global", [E_OOB_SHARED] = "out-of-bounds-shared",
        [E_OOB_LOCAL] = "out-of-bounds-local", [E_MISALIGNED] = "misaligned", [E_FREED] = "use-after-free",
    [E_UNINIT_GLOBAL] = "uninitialised-global", [E_UNINIT_SHARED] = "uninitialised-shared",
    [E_UNINIT_TMEM] = "uninitialised-tmem", [E_RACE] = "race", [E_PROXY] = "proxy-fence",
    [E_WGMMA_FENCE] = "wgmma-fence", [E_WGMMA_PENDING] = "wgmma-wait", [E_TCGEN05] = "tcgen05-order", [E_TMEM] = "tmem",
    [E_MBARRIER] = "mbarrier", [E_CONVERGENCE] = "convergence",
    [E_SETMAXNREG] = "setmaxnreg", [E_IN_FLIGHT] = "in-flight-at-exit", [E_DEADLOCK] = "deadlock",
    [E_DESCRIPTOR] = "descriptor", [E_TRAP] = "trap", [E_ASSERT] = "assert",
    [E_UNSUPPORTED] = "unsupported", [E_OPERAND] = "operand", [E_READONLY] = "write-to-constant", [E_HANG] = "hang",
    [E_LEAK] = "leak", [E_EARLY] = "griddepcontrol"};

/* Reports of one check at one line of the source (with the same calls that led there) in one kernel are one: unrolled
 * and inlined, it is many instructions. i: the first of them, place: the others. */
typedef struct entry {
    struct entry *next, *later; int check; const emu_kernel *k; const ptx_instr *i; uint64_t count; uint32_t ninstr;
    struct place *place;
} entry;
struct place { struct place *next; const ptx_instr *i; };
static entry *seen[512], *first_seen, **last_seen = &first_seen;
static uint64_t by_check[E_COUNT];
static _Atomic int errors, distinct;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int last_printed, also_count;
static FILE *json_file;
enum { PRINT_LIMIT = 200 };

int emu_error_count(void) { return errors; }

/* As the user would write it: relative to where he stands, without the "x/.." that include paths leave. Under the
 * lock. */
static const char *short_path(const char *p)
{
    static char cwd[4096];
    static __thread char ring[4][1024];
    static __thread unsigned turn;
    if (strstr(p, "/../") && strlen(p) < sizeof ring[0]) {
        char *b = strcpy(ring[turn++ % 4], p), *up;
        for (char *from = b; (up = strstr(from, "/../")); ) {
            char *dir = up;
            while (dir > b && dir[-1] != '/') dir--;
            if (dir == up || !strncmp(dir, "../", 3) || !strncmp(dir, "./", 2)) { from = up + 3; continue; }
            memmove(dir, up + 4, strlen(up + 4) + 1);
            from = dir > b ? dir - 1 : b;
        }
        p = b;
    }
    if (!cwd[0] && !getcwd(cwd, sizeof cwd)) cwd[0] = '?';
    size_t n = strlen(cwd);
    return !strncmp(p, cwd, n) && p[n] == '/' ? p + n + 1 : p;
}
const char *emu_where(const ptx_module *m, const ptx_instr *i, char *buf, size_t n)
{
    size_t len = 0;
    const ptx_loc *l = i->loc && i->loc < m->nloc ? &m->loc[i->loc] : NULL;
    if (!l) { snprintf(buf, n, "PTX line %u (no source lines: compile with -lineinfo)", i->line); return buf; }
    len = (size_t)snprintf(buf, n, "%s:%u", short_path(l->file), l->line);
    int depth = 0;
    for (uint32_t k = l->inlined; k && k < m->nloc && len < n && depth++ < 12; k = m->loc[k].inlined)
        len += (size_t)snprintf(buf + len, n - len, ", called at %s:%u", short_path(m->loc[k].file), m->loc[k].line);
    return buf;
}
/* _Z3fooIiEvv -> foo: good enough for messages, without a demangler */
const char *emu_kernel_name(const launch *L)
{
    static __thread char name[128];
    const char *s = L->k->fn->name;
    if (s[0] != '_' || s[1] != 'Z') return s;
    s += 2;
    if (*s == 'N') s++;
    if (*s == 'L') s++;
    int n = 0;
    while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0');
    if (n <= 0 || n > 120 || (int)strlen(s) < n) return L->k->fn->name;
    memcpy(name, s, (size_t)n);
    name[n] = 0;
    return name;
}
/* The same for a device function, which may lie in namespaces: the last of its names; "" if there is none */
static void function_name(const char *s, char *buf, size_t n)
{
    snprintf(buf, n, "%s", s);
    if (s[0] != '_' || s[1] != 'Z') return;
    buf[0] = 0;
    for (s += 2; *s == 'N' || *s == 'K' || *s == 'L'; s++) ;
    while (*s >= '0' && *s <= '9') {
        size_t len = 0;
        while (*s >= '0' && *s <= '9' && len < 10000) len = len * 10 + (size_t)(*s++ - '0');
        if (strlen(s) < len) return;
        snprintf(buf, n, "%.*s", (int)len, s);
        s += len;
    }
}
/* The last name of a mangled one: _ZZ3fooPfE4tile -> tile, _ZN1a4tileE -> tile */
static int last_name(const char *s, char *buf, size_t n)
{
    size_t len = strlen(s), end = len;
    if (s[0] != '_' || s[1] != 'Z') { snprintf(buf, n, "%s", s); return 1; }
    /* the discriminator of a second variable of that name */
    if (len > 2 && s[len - 2] == '_' && s[len - 1] >= '0' && s[len - 1] <= '9') end -= 2;
    for (int cut = 0; cut < 2; cut++, end--) {          /* with and without the E that closes a nested name */
        for (size_t p = end; p > 2; p--) {
            size_t d = p, v = 0;
            while (d > 2 && s[d - 1] >= '0' && s[d - 1] <= '9') d--;
            for (size_t k = d; k < p; k++) v = v * 10 + (size_t)(s[k] - '0');
            if (d < p && v == end - p && v) { snprintf(buf, n, "%.*s", (int)v, s + p); return 1; }
        }
        if (s[end - 1] != 'E') break;
    }
    return 0;
}
const char *emu_offset(const cta *c, uint32_t off)
{
    static __thread char ring[4][160];
    static __thread unsigned turn;
    char *b = ring[turn++ % 4], name[100] = "";
    const emu_kernel *k = c->cl->L->k;
    const ptx_module *m = k->mod->ptx;
    uint32_t rest = 0;
    for (int s = 0; s < m->nshared && !name[0]; s++) {
        const ptx_sym *v = m->shared[s];
        uint32_t at = k->shared_off[v->id];
        if (v->is_extern || at == ~0u || off < at || off >= at + v->size) continue;
        rest = off - at;
        if (!last_name(v->name, name, sizeof name)) snprintf(name, sizeof name, "%.90s", v->name);
    }
    if (!name[0] && c->cl->L->dyn_smem && off >= k->dyn_off) {
        rest = off - k->dyn_off;
        snprintf(name, sizeof name, "dynamic shared memory");
    }
    if (!name[0]) snprintf(b, sizeof ring[0], "offset %u", off);
    else if (rest) snprintf(b, sizeof ring[0], "offset %u (%s + %u)", off, name, rest);
    else snprintf(b, sizeof ring[0], "offset %u (%s)", off, name);
    return b;
}
static void lanes_text(uint32_t mask, char *buf, size_t n)
{
    size_t len = 0;
    if (mask == EMU_FULL) { snprintf(buf, n, "all lanes"); return; }
    buf[0] = 0;
    len = (size_t)snprintf(buf, n, mask & (mask - 1) ? "lanes " : "lane ");
    for (int l = 0, first = 1; l < 32 && len < n; l++) {
        if (!(mask >> l & 1)) continue;
        int e = l;
        while (e < 31 && mask >> (e + 1) & 1) e++;
        len += (size_t)snprintf(buf + len, n - len, e > l ? "%s%d-%d" : "%s%d", first ? "" : ",", l, e);
        first = 0;
        l = e;
    }
}
static void json_text(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < 32) fprintf(f, "\\u%04x", *s);
        else fputc(*s, f);
    }
    fputc('"', f);
}
static FILE *json(void)
{
    if (!emu_opt.json) return NULL;
    if (!json_file) json_file = emu_opt.json_path ? fopen(emu_opt.json_path, "a") : stderr;
    return json_file;
}
static const ptx_loc *loc_of(const ptx_module *m, uint32_t k) { return k && k < m->nloc ? &m->loc[k] : NULL; }
static int same_lines(const ptx_module *m, const ptx_instr *a, const ptx_instr *b)
{
    if (a == b || (a->loc == b->loc && a->loc)) return 1;
    const ptx_loc *x = loc_of(m, a->loc), *y = loc_of(m, b->loc);
    if (!x || !y) return 0;
    for (int d = 0; x && y && d < 64; d++) {
        if (x->line != y->line || strcmp(x->file, y->file)) return 0;
        x = loc_of(m, x->inlined); y = loc_of(m, y->inlined);
    }
    return !x && !y;
}
/* The entry of this check and place, a new one if it is the first time; *is_new tells. Under the lock. */
static entry *entry_of(const emu_kernel *k, const ptx_instr *i, int what, int *is_new)
{
    const ptx_module *m = k->mod->ptx;
    const ptx_loc *l = loc_of(m, i->loc);
    uint32_t h = ((uint32_t)((uintptr_t)k >> 4) * 31 + (l ? l->line : (uint32_t)((uintptr_t)i >> 4)) * 7
                  + (uint32_t)what) % 512;
    entry *e = seen[h];
    while (e && (e->check != what || e->k != k || !same_lines(m, e->i, i))) e = e->next;
    *is_new = !e;
    if (!e) {
        e = malloc(sizeof *e);
        *e = (entry){.next = seen[h], .check = what, .k = k, .i = i, .ninstr = 1};
        seen[h] = e;
        *last_seen = e; last_seen = &e->later;
    } else if (e->i != i) {
        struct place *p = e->place;
        while (p && p->i != i) p = p->next;
        if (!p) {
            p = malloc(sizeof *p);
            *p = (struct place){e->place, i};
            e->place = p;
            e->ninstr++;
        }
    }
    e->count++;
    return e;
}
static void say(warp *w, const ptx_instr *i, uint32_t mask, emu_check what, const char *text)
{
    char where[1024], lanes[160], ins[300];
    const launch *L = w ? w->cta->cl->L : NULL;
    const ptx_module *m = L ? L->mod->ptx : NULL;
    pthread_mutex_lock(&lock);
    errors++;
    by_check[what]++;
    int is_new;
    entry_of(L->k, i, (int)what, &is_new);
    last_printed = 0;
    also_count = 0;
    if (is_new) {
        distinct++;
        if (distinct <= PRINT_LIMIT) {
            last_printed = 1;
            emu_where(m, i, where, sizeof where);
            lanes_text(mask, lanes, sizeof lanes);
            fflush(stdout);
            FILE *j = json();
            if (!j || j != stderr) {
                fprintf(stderr, "tcemu: error [%s] %s\n", emu_check_name[what], text);
                fprintf(stderr, "    at %s\n", where);
                ptx_text(m, i, ins, sizeof ins);
                fprintf(stderr, strlen(ins) > 160 ? "    `%.156s ...`\n" : "    `%s`\n", ins);
                fprintf(stderr, "    kernel %s, block (%u,%u,%u), warp %u", emu_kernel_name(L), w->cta->id.x,
                        w->cta->id.y, w->cta->id.z, w->id);
                if (mask) fprintf(stderr, ", %s", lanes);
                fputc('\n', stderr);
            }
            if (j) {
                const ptx_loc *l = i->loc && i->loc < m->nloc ? &m->loc[i->loc] : NULL;
                fprintf(j, "{\"check\":\"%s\",\"message\":", emu_check_name[what]);
                json_text(j, text);
                fprintf(j, ",\"kernel\":");
                json_text(j, emu_kernel_name(L));
                fprintf(j, ",\"block\":[%u,%u,%u],\"warp\":%u,\"lanes\":%u,\"ptx\":", w->cta->id.x, w->cta->id.y,
                        w->cta->id.z, w->id, mask);
                json_text(j, ptx_text(m, i, ins, sizeof ins));
                fprintf(j, ",\"at\":[");
                for (int d = 0; l && d < 12; d++) {
                    fprintf(j, "%s{\"file\":", d ? "," : "");
                    json_text(j, l->file);
                    fprintf(j, ",\"line\":%u}", l->line);
                    l = l->inlined && l->inlined < m->nloc ? &m->loc[l->inlined] : NULL;
                }
                fprintf(j, "]}\n");
                fflush(j);
            }
        } else if (distinct == PRINT_LIMIT + 1)
            fprintf(stderr, "tcemu: more than %d different errors; the rest are only counted\n", PRINT_LIMIT);
    }
    pthread_mutex_unlock(&lock);
}
void emu_report(warp *w, const ptx_instr *i, uint32_t mask, emu_check what, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    say(w, i, mask, what, text);
}
void emu_report_also(warp *w, const ptx_instr *i, const char *fmt, ...)
{
    char text[1024], where[1024];
    va_list ap;
    if (!last_printed || (emu_opt.json && !emu_opt.json_path) || also_count++ > 40) return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "    %s", text);
    if (!strstr(text, " at ")) fprintf(stderr, ": at %s", emu_where(w->cta->cl->L->mod->ptx, i, where, sizeof where));
    fputc('\n', stderr);
}
int emu_fatal(warp *w, const ptx_instr *i, uint32_t mask, emu_check what, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    say(w, i, mask, what, text);
    emu_abort(w->cta->cl->L, what == E_UNSUPPORTED ? 801 : what == E_OPERAND ? 715 : 719, "%s", text);
    return X_ABORT;
}

/* ---- statistics ---- */

typedef struct { char file[256], func[64]; uint32_t line; stat_line s; } line_stat;
static int by_count(const void *a, const void *b)
{
    uint64_t x = ((const line_stat *)a)->s.count, y = ((const line_stat *)b)->s.count;
    return x < y ? 1 : x > y ? -1 : 0;
}
static void add(stat_line *a, const stat_line *b)
{
    a->count += b->count; a->lanes += b->lanes; a->flops += b->flops; a->global_bytes += b->global_bytes;
    a->shared_bytes += b->shared_bytes; a->async_bytes += b->async_bytes;
    a->tmem_bytes += b->tmem_bytes; a->conflicts += b->conflicts; a->sectors += b->sectors;
}
/* The line that statistics are booked to: the innermost one; with --stats=kernel, of an inlined call, the innermost
 * place in the file of the kernel itself */
static const ptx_loc *booked_line(const ptx_module *m, uint32_t loc)
{
    const ptx_loc *l = loc_of(m, loc), *outer = l;
    if (emu_opt.stats != 2) return l;
    while (outer && outer->inlined && outer->inlined < m->nloc) outer = &m->loc[outer->inlined];
    while (l && l != outer && (strcmp(l->file, outer->file) || !l->line)) l = &m->loc[l->inlined];
    return l;
}
void emu_report_launch_end(launch *L)
{
    if (!L->stats) return;
    const ptx_module *m = L->mod->ptx;
    line_stat *t = NULL;
    size_t n = 0;
    stat_line sum = {0};
    for (uint32_t k = 0; k < m->ncode; k++) {
        if (!L->stats[k].count) continue;
        const ptx_loc *l = booked_line(m, m->code[k].loc);
        const char *file = l ? short_path(l->file) : "?";
        uint32_t line = l ? l->line : 0;
        size_t j = 0;
        while (j < n && (t[j].line != line || strcmp(t[j].file, file))) j++;
        if (j == n) {
            t = realloc(t, ++n * sizeof *t);
            memset(&t[j], 0, sizeof *t);
            snprintf(t[j].file, sizeof t[j].file, "%s", file);
            t[j].line = line;
            if (l && l->func && l->inlined) function_name(l->func, t[j].func, sizeof t[j].func);
        }
        add(&t[j].s, &L->stats[k]);
        add(&sum, &L->stats[k]);
    }
    qsort(t, n, sizeof *t, by_count);
    pthread_mutex_lock(&lock);
    FILE *j = json();
    if (j) {
        fprintf(j, "{\"stats\":");
        json_text(j, emu_kernel_name(L));
        fprintf(j, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"lines\":[", L->grid.x, L->grid.y, L->grid.z, L->block.x,
                L->block.y, L->block.z);
        for (size_t k = 0; k < n; k++) {
            const stat_line *s = &t[k].s;
            fprintf(j, "%s{\"file\":", k ? "," : "");
            json_text(j, t[k].file);
            if (t[k].func[0]) { fprintf(j, ",\"function\":"); json_text(j, t[k].func); }
            fprintf(j,
                    ",\"line\":%u,\"warp_instructions\":%llu,\"lanes\":%llu,\"flops\":%llu,\"global_bytes\":%llu,"
                    "\"sectors\":%llu,\"shared_bytes\":%llu,\"bank_conflicts\":%llu,\"async_bytes\":%llu,"
                    "\"tmem_bytes\":%llu}", t[k].line, (unsigned long long)s->count, (unsigned long long)s->lanes,
                    (unsigned long long)s->flops, (unsigned long long)s->global_bytes, (unsigned long long)s->sectors,
                    (unsigned long long)s->shared_bytes, (unsigned long long)s->conflicts,
                    (unsigned long long)s->async_bytes, (unsigned long long)s->tmem_bytes);
        }
        fprintf(j, "]}\n");
        fflush(j);
    }
    if (!j || j != stderr) {
        fprintf(stderr, "tcemu: statistics of %s, grid (%u,%u,%u), block (%u,%u,%u), by source line\n",
                emu_kernel_name(L), L->grid.x, L->grid.y, L->grid.z, L->block.x, L->block.y, L->block.z);
        fprintf(stderr, "    %12s %6s %14s %12s %10s %12s %10s %12s  %s\n", "warp instr.", "lanes", "MMA flops",
                "global B", "sectors", "shared B", "conflicts", "async B", "line");
        for (size_t k = 0; k < n + 1 && k < 41; k++) {
            const stat_line *s = k ? &t[k - 1].s : &sum;
            fprintf(stderr, "    %12llu %6.1f %14llu %12llu %10llu %12llu %10llu %12llu  ",
                    (unsigned long long)s->count, s->count ? (double)s->lanes / (double)s->count : 0,
                    (unsigned long long)s->flops, (unsigned long long)s->global_bytes, (unsigned long long)s->sectors,
                    (unsigned long long)s->shared_bytes, (unsigned long long)s->conflicts,
                    (unsigned long long)s->async_bytes);
            if (k)
                fprintf(stderr, t[k - 1].func[0] ? "%s:%u in %s\n" : "%s:%u\n", t[k - 1].file, t[k - 1].line,
                        t[k - 1].func);
            else fprintf(stderr, "all\n");
        }
    }
    pthread_mutex_unlock(&lock);
    free(t);
}
void emu_report_summary(int not_run)
{
    FILE *j = json();
    fflush(stdout);
    if (j) {
        fprintf(j, "{\"errors\":%d,\"distinct\":%d,\"not_run\":%d}\n", errors, distinct, not_run);
        fflush(j);
        if (j == stderr) return;
    }
    if (not_run)
        fprintf(stderr,
                "tcemu: %d call%s of this program asked for what tcemu could not run, as said above: what it computed "
                "is not to be trusted\n", not_run, not_run == 1 ? "" : "s");
    if (!errors) { if (emu_opt.verbose && !not_run) fprintf(stderr, "tcemu: no errors\n"); return; }
    fprintf(stderr, "tcemu: %d error%s at %d place%s:", errors, errors == 1 ? "" : "s", distinct, distinct == 1 ? ""
            : "s");
    for (int c = 0, first = 1; c < E_COUNT; c++)
        if (by_check[c]) {
            fprintf(stderr, "%s %s %llu", first ? "" : ",", emu_check_name[c], (unsigned long long)by_check[c]);
            first = 0;
        }
    fputc('\n', stderr);
    int shown = 0;
    /* lines that are many instructions: seen once above, so say how many */
    for (entry *e = first_seen; e; e = e->later) {
        char where[1024];
        if (e->ninstr < 2) continue;
        if (++shown > 20) { fprintf(stderr, "    ...\n"); break; }
        fprintf(stderr, "    %s at %s: %llu times, in %u instructions\n", emu_check_name[e->check],
                emu_where(e->k->mod->ptx, e->i, where, sizeof where), (unsigned long long)e->count, e->ninstr);
    }
}
