/* wgmma.c - wgmma.fence, commit_group, wait_group, mma_async (dense and sparse).
 *
 * Each warp executes its own 16 rows of the warpgroup's 64 as an asynchronous operation of its own. These read shared
 * memory as late as the program allows: at the first wait_group of the four warps that covers them, or when an odd use
 * of an accumulator needs the value before. So a program that overwrites its tile before the wait gets wrong results
 * here, as it may on hardware. A wait is for the whole wgmma, the sibling warps' parts included: programs let one warp
 * of the four hand the tile back to its producer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"
#include "num.h"
#include "smem_desc.h"

/* i->f of mma_async: 0 N | K << 16; 1 types of D, A, B; 2 flags; 3 operand numbers of scale-d and metadata, selector; 4
 * registers of D */
enum { F_SP = 1, F_SAT = 2, F_RS = 4, F_NEG = 8, F_TA = 16, F_TB = 32, F_SD_IMM = 64, F_SD_ONE = 128 };
#define F_N(i) ((int)((i)->f[0] & 0xffff))
#define F_K(i) ((int)((i)->f[0] >> 16))
#define F_TD(i) ((ptx_type)((i)->f[1] & 0xff))
#define F_TYPE_A(i) ((ptx_type)((i)->f[1] >> 8 & 0xff))
#define F_TYPE_B(i) ((ptx_type)((i)->f[1] >> 16 & 0xff))
#define F_NP(i) ((int)(i)->f[4])

enum { MAX_N = 256, MAX_ACC = 16 * MAX_N };
#define UNCOMMITTED (~0ull)

/* One warp's part of an mma_async; the payload of its async_op */
typedef struct wg_op {
    struct wg_op *next;                 /* the next younger one of the warp */
    async_op *op; warp *w; const ptx_instr *i;
    uint32_t tag; uint64_t group;
    uint64_t n;                         /* the how manyeth of the warp, from 0 */
    uint64_t seq, fence_no; uint32_t base;               /* of the warp at issue */
    int scale_d, computed, bad;
    smem_desc a, b;
    struct wg_op *src;                  /* accumulates onto this older one, plane by plane */
    uint32_t *acc;                      /* [16][N]: the input from issue on (NULL: zero, or src's result), then the
                                           result: f32 or s32; f16 is kept as f32 */
    uint8_t ra[16][32];                 /* A from registers: 16 rows of 32 bytes, whatever the type */
    uint32_t meta[32];
} wg_op;

typedef struct wg_warp {
    wg_op *head, **tail;
    uint64_t committed;                 /* groups */
    uint64_t fences;
    uint64_t count, finished;           /* mma_async executed; over */
    int exited;
    struct wg_buf { struct wg_buf *next; } *pool;        /* accumulator buffers not in use */
} wg_warp;

/* The n-th mma_async of a warpgroup: what the first of its warps to come by executed, for the others to agree with;
 * their parts */
typedef struct wg_record { const ptx_instr *i; uint64_t a, b; uint32_t warp; int scale_d; wg_op *part[4]; } wg_record;
/* ring of alloc */
typedef struct wg_group { wg_record *rec; uint64_t first, end, alloc; int told, waiting; } wg_group;

enum { MAX_UNITS = 1024, KEEP = 16 };               /* units of B: 256 rows of 64 bytes */

/* Working space of a thread */
typedef struct wg_b { uint8_t raw[MAX_UNITS * 16]; float b[64 * MAX_N]; int units, n, trans; ptx_type t; } wg_b;
typedef struct wg_scratch {
    uint32_t offset[MAX_UNITS], bytes[MAX_UNITS];
    uint8_t raw[MAX_UNITS * 16];
    float a[16 * 64], dot[MAX_ACC], rows[64 * MAX_N];
    uint16_t half[MAX_ACC];
    uint32_t planes[128][32];
    wg_b *kept[KEEP];
} wg_scratch;

static wg_scratch *scratch(void)
{
    static __thread wg_scratch *s;
    if (!s) s = calloc(1, sizeof *s);
    return s;
}

/* ---- State ---- */

static wg_warp *state(warp *w)
{
    if (!w->wgmma) {
        w->wgmma = calloc(1, sizeof *w->wgmma);
        w->wgmma->tail = &w->wgmma->head;
    }
    return w->wgmma;
}

static uint32_t *acc_new(wg_warp *s)
{
    if (!s->pool) return malloc(MAX_ACC * 4);
    struct wg_buf *b = s->pool;
    s->pool = b->next;
    return (uint32_t *)b;
}

static void acc_free(wg_warp *s, uint32_t *acc)
{
    if (!acc) return;
    struct wg_buf *b = (struct wg_buf *)acc;
    b->next = s->pool;
    s->pool = b;
}

/* ---- Warpgroups ---- */

/* NULL if its four warps do not exist */
static wg_group *group_of(const warp *w)
{
    return w->cta->wg && (w->id | 3) < (uint32_t)w->cta->nwarp ? (wg_group *)w->cta->wg + w->id / 4 : NULL;
}

/* Drops the records that all four warps are through with, and with them their operations. */
static void group_retire(wg_group *g, const warp *first)
{
    uint64_t least = g->end;
    for (int k = 0; k < 4; k++) {
        const wg_warp *t = first[k].wgmma;
        uint64_t m = !t ? 0 : t->exited ? least : t->finished;
        if (m < least) least = m;
    }
    for (; g->first < least; g->first++)
        for (int k = 0; k < 4; k++) {
            wg_op *p = g->rec[g->first % g->alloc].part[k];
            if (p) emu_async_free(p->op);
        }
}

/* The parts that a warp still has in flight are freed, its finished ones with their records. */
static void wgmma_free(warp *w)
{
    wg_warp *s = w->wgmma;
    wg_group *g = group_of(w);
    if (!s) return;
    for (wg_op *o = s->head, *next; o; o = next) {
        next = o->next;
        free(o->acc);
        if (g) g->rec[o->n % g->alloc].part[w->id & 3] = NULL;
        emu_async_free(o->op);
    }
    for (struct wg_buf *b = s->pool, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(s);
    w->wgmma = NULL;
}

void emu_wgmma_cta_free(cta *c)
{
    for (int n = 0; n < c->nwarp; n++) wgmma_free(&c->warp[n]);
    if (!c->wg) return;
    for (int n = 0; n < (c->nwarp + 3) / 4; n++) {
        wg_group *g = (wg_group *)c->wg + n;
        for (; g->first < g->end; g->first++)
            for (int k = 0; k < 4; k++) {
                wg_op *p = g->rec[g->first % g->alloc].part[k];
                if (p) emu_async_free(p->op);
            }
        free(g->rec);
    }
    free(c->wg);
    c->wg = NULL;
}

/* A warp executes its next mma_async: does it agree with its siblings? */
static void agree(warp *w, const ptx_instr *i, uint32_t mask, uint64_t a, uint64_t b, int scale_d)
{
    cta *c = w->cta;
    if (!c->wg) c->wg = calloc((size_t)(c->nwarp + 3) / 4, sizeof(wg_group));
    wg_group *g = (wg_group *)c->wg + w->id / 4;
    uint32_t first = w->id & ~3u;
    uint64_t n = w->wgmma->count++;
    if (!group_of(w)) {
        if (!g->told++)
            emu_report(w, i, mask, E_CONVERGENCE,
                       "wgmma needs the 4 warps %u..%u of a warpgroup, but the CTA has only %d warps", first, first + 3,
                       c->nwarp);
        return;
    }
    if (g->waiting) {
        g->waiting = 0;
        emu_event(c->cl);
    }
    for (uint32_t k = first; k < first + 4; k++) {
        const wg_warp *t = c->warp[k].wgmma;
        if ((t ? t->exited && t->count <= n : c->warp[k].exists && !c->warp[k].live) && !g->told++)
            emu_report(w, i, mask, E_CONVERGENCE,
                       "warp %u of the warpgroup exited without executing this wgmma: all 4 warps must "
                       "execute the same ones", k);
    }
    if (n < g->end) {
        const wg_record *r = &g->rec[n % g->alloc];
        if (r->i != i) {
            if (!g->told++) {
                emu_report(w, i, mask, E_CONVERGENCE,
                           "the warps of a warpgroup must execute the same wgmma: as number %llu, warp %u "
                           "executes this one and warp %u another", (unsigned long long)n + 1, w->id, r->warp);
                emu_report_also(w, r->i, "what warp %u executes", r->warp);
            }
        } else if ((r->a != a || r->b != b || r->scale_d != scale_d) && !g->told++) {
            int which = r->a != a ? 0 : r->b != b ? 1 : 2;
            emu_report(w, i, mask, E_CONVERGENCE,
                       "the warps of a warpgroup must give the same %s: warp %u has 0x%llx, warp %u 0x%llx",
                       which == 0 ? "descriptor of A" : which == 1 ? "descriptor of B" : "scale-d", w->id,
                       (unsigned long long)(which == 0 ? a : which == 1 ? b : (uint64_t)scale_d), r->warp,
                       (unsigned long long)(which == 0 ? r->a : which == 1 ? r->b : (uint64_t)r->scale_d));
        }
        return;
    }
    if (g->end - g->first == g->alloc) {
        uint64_t alloc = g->alloc ? g->alloc * 2 : 16;
        wg_record *rec = malloc(alloc * sizeof *rec);
        for (uint64_t k = g->first; k < g->end; k++) rec[k % alloc] = g->rec[k % g->alloc];
        free(g->rec);
        g->rec = rec, g->alloc = alloc;
    }
    g->rec[n % g->alloc] = (wg_record){.i = i, .a = a, .b = b, .warp = w->id, .scale_d = scale_d};
    g->end = n + 1;
}

/* Have all four warps executed the warpgroup's n-th mma_async? */
static int all_issued(warp *w, uint64_t n)
{
    wg_group *g = group_of(w);
    if (!g) return 1;
    for (uint32_t k = w->id & ~3u; k <= (w->id | 3); k++) {
        const wg_warp *t = w->cta->warp[k].wgmma;
        if (t ? t->count <= n && !t->exited : w->cta->warp[k].live) {
            g->waiting = 1;
            return 0;
        }
    }
    return 1;
}

void emu_wgmma_exit(warp *w)
{
    wg_warp *s = w->wgmma;
    cta *c = w->cta;
    uint64_t count = s ? s->count : 0;
    wg_group *g = group_of(w);
    if (c->cl->L->failed) {
        wgmma_free(w);
        return;
    }
    if (g && count < g->end && count >= g->first && !g->told++) {    /* siblings executed more */
        const wg_record *r = &g->rec[count % g->alloc];
        emu_report(w, r->i, EMU_FULL, E_CONVERGENCE,
                   "warp %u exits without executing this wgmma, which warp %u of its warpgroup executed: "
                   "all 4 warps must execute the same ones", w->id, r->warp);
    }
    if (!s) return;
    if (s->head) {
        int n = 0, open = 0;
        for (wg_op *o = s->head; o; o = o->next) n++, open += o->group == UNCOMMITTED;
        if (open)
            emu_report(w, s->head->i, EMU_FULL, E_IN_FLIGHT,
                       "the warp exits with %d wgmma in flight, %d of them not even committed: "
                       "wgmma.commit_group and wgmma.wait_group must follow", n, open);
        else
            emu_report(w, s->head->i, EMU_FULL, E_IN_FLIGHT,
                       "the warp exits with %d wgmma in flight: no wgmma.wait_group waited for " "them", n);
    }
    wgmma_free(w);
    if (g) {                                        /* siblings that are behind must learn of the exit */
        s = state(w);
        s->exited = 1;
        s->count = s->finished = count;
        group_retire(g, w - (w->id & 3));
        if (g->waiting) {
            g->waiting = 0;
            emu_event(c->cl);
        }
    }
}

/* ---- Accumulators ----
 * Register p of D holds, in lane l with g = l / 4, q = l % 4:
 *   f32, s32   p = 4j + e: row g + 8 (e / 2), column 8j + 2q + e % 2
 *   f16        p = 2j + h: row g + 8h, columns 8j + 2q (low half) and the next */

static void plane_to_acc(uint32_t *acc, int n, ptx_type td, int p, const uint32_t *plane)
{
    if (td == PT_F16) {
        uint32_t *at = acc + (p & 1) * 8 * n + p / 2 * 8;
        float f[64];
        num_to_f32(f, plane, PT_F16, 64);
        for (int g = 0; g < 8; g++) memcpy(at + g * n, f + g * 8, 32);
    } else {
        uint32_t *at = acc + (p >> 1 & 1) * 8 * n + p / 4 * 8 + (p & 1);
        for (int g = 0; g < 8; g++, at += n, plane += 4)
            at[0] = plane[0], at[2] = plane[1], at[4] = plane[2], at[6] = plane[3];
    }
}

static void acc_to_plane(const uint32_t *acc, int n, ptx_type td, int p, uint32_t *plane)
{
    if (td == PT_F16) {
        const uint32_t *at = acc + (p & 1) * 8 * n + p / 2 * 8;
        float f[64];
        for (int g = 0; g < 8; g++) memcpy(f + g * 8, at + g * n, 32);
        num_f32_to_f16_n((uint16_t *)plane, f, 64);
    } else {
        const uint32_t *at = acc + (p >> 1 & 1) * 8 * n + p / 4 * 8 + (p & 1);
        for (int g = 0; g < 8; g++, at += n, plane += 4)
            plane[0] = at[0], plane[1] = at[2], plane[2] = at[4], plane[3] = at[6];
    }
}

/* ---- Arithmetic ---- */

typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
/* v3: AVX2 and FMA. Contraction changes nothing but speed: the products are exact as floats. */
#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default"), optimize("fp-contract=fast")))
#else
#define CLONES
#endif

/* acc[16][n] += a[16][k] * b[k][n] */
CLONES static void mma_dense(float *acc, const float *a, const float *b, int n, int k)
{
    for (int c = 0; c < n; c += 8)
        for (int r = 0; r < 16; r += 8) {
            v8 s0, s1, s2, s3, s4, s5, s6, s7;
            float *d = acc + r * n + c;
            const float *x = a + r * k;
            s0 = *(v8 *)d, s1 = *(v8 *)(d + n), s2 = *(v8 *)(d + 2 * n), s3 = *(v8 *)(d + 3 * n);
            s4 = *(v8 *)(d + 4 * n), s5 = *(v8 *)(d + 5 * n), s6 = *(v8 *)(d + 6 * n), s7 = *(v8 *)(d + 7 * n);
            for (int j = 0; j < k; j++) {
                v8 y = *(const v8 *)(b + j * n + c);
                s0 += x[j] * y, s1 += x[k + j] * y, s2 += x[2 * k + j] * y, s3 += x[3 * k + j] * y;
                s4 += x[4 * k + j] * y, s5 += x[5 * k + j] * y, s6 += x[6 * k + j] * y, s7 += x[7 * k + j] * y;
            }
            *(v8 *)d = s0, *(v8 *)(d + n) = s1, *(v8 *)(d + 2 * n) = s2, *(v8 *)(d + 3 * n) = s3;
            *(v8 *)(d + 4 * n) = s4, *(v8 *)(d + 5 * n) = s5, *(v8 *)(d + 6 * n) = s6, *(v8 *)(d + 7 * n) = s7;
        }
}

/* acc[16][n] += a[16][ks] * rows at[16][ks] of b. Rows that are not selected are not touched: 0 * infinity must not
 * occur. */
CLONES static void mma_sparse(float *acc, const float *a, const uint8_t *at, const float *b, int n, int ks)
{
    for (int r = 0; r < 16; r++, acc += n, a += ks, at += ks) {
        int c = 0;
        for (; c + 32 <= n; c += 32) {
            v8 *d = (v8 *)(acc + c), s0 = d[0], s1 = d[1], s2 = d[2], s3 = d[3];
            for (int j = 0; j < ks; j++) {
                const v8 *y = (const v8 *)(b + at[j] * n + c);
                s0 += a[j] * y[0], s1 += a[j] * y[1], s2 += a[j] * y[2], s3 += a[j] * y[3];
            }
            d[0] = s0, d[1] = s1, d[2] = s2, d[3] = s3;
        }
        for (; c < n; c += 8) {
            v8 *d = (v8 *)(acc + c), s = *d;
            for (int j = 0; j < ks; j++) s += a[j] * *(const v8 *)(b + at[j] * n + c);
            *d = s;
        }
    }
}

/* acc[16][n] += popcount(row of a & row of b), rows of 32 bytes */
#if defined(__x86_64__)
__attribute__((target_clones("popcnt", "default")))
#endif
static void mma_b1(uint32_t *acc, const uint8_t *a, const uint8_t *b, int n)
{
    for (int r = 0; r < 16; r++) {
        uint64_t x[4], y[4];
        memcpy(x, a + r * 32, 32);
        for (int c = 0; c < n; c++) {
            memcpy(y, b + c * 32, 32);
            acc[r * n + c] += (uint32_t)(__builtin_popcountll(x[0] & y[0]) + __builtin_popcountll(x[1] & y[1]) +
                                         __builtin_popcountll(x[2] & y[2]) + __builtin_popcountll(x[3] & y[3]));
        }
    }
}

/* The units of a matrix as the bytes that they hold */
static void gather(uint8_t *to, const uint8_t *smem, const uint32_t *offset, int n)
{
    for (int u = 0; u < n; u++) memcpy(to + u * 16, smem + offset[u], 16);
}

/* Offsets of B's units: K-major [N][K bytes / 16], MN-major [K][N / 8]. Returns how many. */
static int units_b(const ptx_instr *i, const smem_desc *d, uint32_t *offset)
{
    int n = F_N(i), k = F_K(i);
    if (i->f[2] & F_TB) {
        smem_desc_mn_major(d, 0, k, 0, n / 8, offset);
        return k * (n / 8);
    }
    int units = i->f[2] & F_SP ? 4 : 2;
    smem_desc_k_major(d, 0, n, 0, units, offset);
    return n * units;
}

/* Offsets of the units of a warp's 16 rows of A: K-major [16][2], MN-major [16 of k][2]. 32 units. */
static void units_a(const ptx_instr *i, const smem_desc *d, uint32_t warp, uint32_t *offset)
{
    int r = (int)(warp & 3) * 16;
    if (i->f[2] & F_TA) smem_desc_mn_major(d, 0, 16, r / 8, 2, offset);
    else smem_desc_k_major(d, r, 16, 0, 2, offset);
}

typedef int v8i __attribute__((vector_size(32)));
#define SHUF(a, b, ...) __builtin_shuffle(a, b, (v8i){__VA_ARGS__})
/* to[k][n] = from[n][k]; n and k are multiples of 8 */
CLONES static void transpose(float *to, const float *from, int n, int k)
{
    for (int c = 0; c < n; c += 8)
        for (int j = 0; j < k; j += 8) {
            v8 r[8], s[8];
            for (int x = 0; x < 8; x++) r[x] = *(const v8 *)(from + (c + x) * k + j);
            for (int x = 0; x < 8; x += 2) {
                s[x] = SHUF(r[x], r[x + 1], 0, 8, 1, 9, 4, 12, 5, 13);
                s[x + 1] = SHUF(r[x], r[x + 1], 2, 10, 3, 11, 6, 14, 7, 15);
            }
            for (int x = 0; x < 8; x += 4)
                for (int y = 0; y < 2; y++) {
                    r[x + 2 * y] = SHUF(s[x + y], s[x + y + 2], 0, 1, 8, 9, 4, 5, 12, 13);
                    r[x + 2 * y + 1] = SHUF(s[x + y], s[x + y + 2], 2, 3, 10, 11, 6, 7, 14, 15);
                }
            for (int x = 0; x < 4; x++) {
                *(v8 *)(to + (j + x) * n + c) = SHUF(r[x], r[x + 4], 0, 1, 2, 3, 8, 9, 10, 11);
                *(v8 *)(to + (j + x + 4) * n + c) = SHUF(r[x], r[x + 4], 4, 5, 6, 7, 12, 13, 14, 15);
            }
        }
}

/* B as float[K][N]. The four warps of a warpgroup want the same ones: some are kept, known by their bytes. */
static const float *b_as_floats(const wg_op *o, const uint8_t *raw, int units)
{
    const ptx_instr *i = o->i;
    wg_scratch *z = scratch();
    int n = F_N(i), k = F_K(i), trans = !!(i->f[2] & F_TB);
    ptx_type t = F_TYPE_B(i);
    wg_b **slot = &z->kept[(o->b.start >> 4) * 0x9e3779b1u >> 28 & (KEEP - 1)], *x = *slot;
    if (!x) x = *slot = calloc(1, sizeof *x);
    if (x->units == units && x->n == n && x->trans == trans && x->t == t && !memcmp(x->raw, raw, (size_t)units * 16))
        return x->b;
    memcpy(x->raw, raw, (size_t)units * 16);
    x->units = units, x->n = n, x->trans = trans, x->t = t;
    if (trans) num_to_f32(x->b, raw, t, (size_t)n * (size_t)k);
    else {
        num_to_f32(z->rows, raw, t, (size_t)n * (size_t)k);
        transpose(x->b, z->rows, n, k);
    }
    return x->b;
}

/* Which row of B each stored element of A meets. 4 bits of metadata, two indices of 2 bits, stand for each 4 elements
 * along K (tf32: for each 2; 4 is the first, 14 the second). Where those of row r, number x in the row, are (as found
 * on an H200):
 *   16- and 32-bit types   lane r % 8 * 4 + 2 * selector + x / 4, bits r / 8 * 16 + x % 4 * 4 and on
 *   8-bit types            lane r % 8 * 4 + r / 8 + x / 8 * 2, bits x % 8 * 4 and on
 * Returns a lane with metadata that mean nothing, or -1. */
static int sparse_index(const wg_op *o, int ks, uint8_t *at)
{
    const ptx_instr *i = o->i;
    int sel = (int)(i->f[3] >> 16), bad = -1, tf32 = F_TYPE_A(i) == PT_TF32, byte = F_K(i) == 64;
    for (int r = 0; r < 16; r++)
        for (int j = 0; j < ks; j++) {
            int x = tf32 ? j : j / 2;
            int lane = r % 8 * 4 + (byte ? r / 8 + x / 8 * 2 : sel * 2 + x / 4),
                shift = byte ? x % 8 * 4 : r / 8 * 16 + x % 4 * 4;
            uint32_t bits = o->meta[lane] >> shift & 15;
            if (tf32) {
                if (bits != 4 && bits != 14 && bad < 0) bad = lane;
                at[r * ks + j] = (uint8_t)(x * 2 + (bits == 14));
            } else at[r * ks + j] = (uint8_t)(x * 4 + (bits >> (j & 1) * 2 & 3));
        }
    return bad;
}

static void compute(wg_op *o)
{
    if (o->computed) return;
    o->computed = 1;
    const ptx_instr *i = o->i;
    wg_warp *s = o->w->wgmma;
    const uint8_t *smem = o->w->cta->smem;
    int n = F_N(i), k = F_K(i), ks = i->f[2] & F_SP ? k / 2 : k;
    ptx_type ta = F_TYPE_A(i), td = F_TD(i);
    size_t bytes = (size_t)n * 16 * 4;

    if (!o->acc) {
        o->acc = acc_new(s);
        if (o->src) {
            compute(o->src);
            memcpy(o->acc, o->src->acc, bytes);
            o->src = NULL;
        } else memset(o->acc, 0, bytes);
    }
    if (o->bad) {
        memset(o->acc, 0xcd, bytes);
        return;
    }

    wg_scratch *z = scratch();
    uint8_t ra[16][32];
    if (i->f[2] & F_RS) memcpy(ra, o->ra, sizeof ra);
    else {
        uint32_t ua[32];
        units_a(i, &o->a, o->w->id, ua);
        gather((uint8_t *)ra, smem, ua, 32);
        if (i->f[2] & F_TA) {                       /* [k][m] -> [m][k] */
            uint16_t x[16][16], y[16][16];
            memcpy(x, ra, sizeof x);
            for (int m = 0; m < 16; m++)
                for (int j = 0; j < 16; j++) y[m][j] = x[j][m];
            memcpy(ra, y, sizeof y);
        }
    }
    int units = units_b(i, &o->b, z->offset);
    gather(z->raw, smem, z->offset, units);
    if (ta == PT_B1) {
        mma_b1(o->acc, (const uint8_t *)ra, z->raw, n);
        return;
    }

    uint8_t at[16 * 64];
    float *af = z->a;
    const float *b = b_as_floats(o, z->raw, units);
    num_to_f32(af, ra, ta, (size_t)(16 * ks));
    if (i->f[2] & F_NEG)
        for (int x = 0; x < 16 * ks; x++) af[x] = -af[x];
    if (i->f[2] & F_SP) {
        int bad = sparse_index(o, ks, at);
        if (bad >= 0)
            emu_report(o->w, i, 1u << bad, E_OPERAND,
                       "wgmma.sp with tf32: the metadata of lane %d is 0x%08x, but each 4 bits must be "
                       "0b0100 or 0b1110", bad, o->meta[bad]);
    }
    if (td == PT_S32) {                             /* sums of products are below 2^24: exact as floats */
        float *dot = z->dot;
        memset(dot, 0, bytes);
        if (i->f[2] & F_SP) mma_sparse(dot, af, at, b, n, ks);
        else mma_dense(dot, af, b, n, ks);
        if (i->f[2] & F_SAT)
            for (int x = 0; x < 16 * n; x++) {
                int64_t v = (int64_t)(int32_t)o->acc[x] + (int32_t)dot[x];
                o->acc[x] = (uint32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
            }
        else
            for (int x = 0; x < 16 * n; x++) o->acc[x] += (uint32_t)(int32_t)dot[x];
        return;
    }
    float *d = (float *)o->acc;
    if (i->f[2] & F_SP) mma_sparse(d, af, at, b, n, ks);
    else mma_dense(d, af, b, n, ks);
    if (td == PT_F16) {
        num_f32_to_f16_n(z->half, d, (size_t)(16 * n));
        num_to_f32(d, z->half, PT_F16, (size_t)(16 * n));
    } else
        for (int x = 0; x < 16 * n; x++) o->acc[x] = d[x] == d[x] ? o->acc[x] : NUM_NAN32;
}

static void perform(async_op *op, int stage)
{
    if (stage == AO_READ) compute(op->payload);
}

/* The instruction that last computed the register (kernels with wgmma keep track) */
static const ptx_instr *written_at(const warp *w, const ptx_opnd *o)
{
    return &w->cta->cl->L->mod->ptx->code[w->wrote[w->base + o->reg] & 0xffffff];
}

/* The oldest operation of the warp is over: its values arrive. */
static void finish(warp *w, uint32_t mask, wg_warp *s)
{
    uint32_t (*planes)[32] = scratch()->planes;
    wg_op *o = s->head;
    const ptx_instr *i = o->i;
    int np = F_NP(i);
    wg_group *g = group_of(w);
    emu_async_run(o->op);
    for (int k = 0; g && k < 4; k++) {              /* the warpgroup's wgmma is over, so the siblings' parts are */
        wg_op *p = g->rec[o->n % g->alloc].part[k];
        if (!p || p == o) continue;
        emu_async_run(p->op);
        emu_async_acquire(w, mask, p->op);
    }
    if (emu_tagged(w, o->tag)) {                    /* not if a younger one has taken over every register */
        for (int p = 0; p < np; p++) acc_to_plane(o->acc, F_N(i), F_TD(i), p, planes[p]);
        emu_untag(w, o->tag, planes[0]);
    }
    for (wg_op *y = o->next; y; y = y->next)
        if (y->src == o) {
            if (o->acc) y->acc = o->acc, o->acc = NULL;              /* for the first heir; mostly there is but one */
            else y->acc = NULL;
            y->src = NULL;
        }
    acc_free(s, o->acc);
    o->acc = NULL;
    if (i->f[2] & F_RS && w->wrote && w->base == o->base)
        for (int r = 0; r < 4; r++)
            if (w->wrote[w->base + i->op[1].elem[r].reg] >> 24 > o->seq) {
                emu_report(w, written_at(w, &i->op[1].elem[r]), mask, E_WGMMA_PENDING,
                           "writes register %d of A of a wgmma that may still read it: "
                           "wgmma.wait_group must come first", r);
                emu_report_also(w, i, "the wgmma");
                break;
            }
    emu_async_acquire(w, mask, o->op);
    s->head = o->next;
    if (!s->head) s->tail = &s->head;
    s->finished++;
    if (g) group_retire(g, w - (w->id & 3));
    else emu_async_free(o->op);
}

/* ---- Execution ---- */

static int x_fence(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i, (void)mask;
    state(w)->fences++;
    w->wgmma_fence_seq = w->seq;
    return X_NEXT;
}

static int x_commit(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i, (void)mask;
    wg_warp *s = state(w);
    for (wg_op *o = s->head; o; o = o->next)
        if (o->group == UNCOMMITTED) o->group = s->committed;
    s->committed++;
    model_note(w, NULL, (model_event){.kind = EV_WG_COMMIT});
    emu_event(w->cta->cl);
    return X_NEXT;
}

/* The warpgroup's MMA is one: it ends for all four warps. So a wait lasts until the siblings have come as far, and
 * tells of their quarters too: one thread of the warpgroup may then free the tiles for all. */
static int x_wait(warp *w, const ptx_instr *i, uint32_t mask)
{
    wg_warp *s = state(w);
    uint64_t n = i->f[0], done = s->committed > n ? s->committed - n : 0;        /* groups below done are waited for */
    for (; s->head && s->head->group != UNCOMMITTED && s->head->group < done; finish(w, mask, s))
        if (!all_issued(w, s->head->n)) return X_WAIT;
    model_note(w, NULL, (model_event){.kind = EV_WG_WAIT, .n = (uint8_t)(n < 255 ? n : 255)});
    return X_NEXT;
}

/* The value that all lanes give; reports if they differ. */
static uint64_t uniform(warp *w, const ptx_instr *i, uint32_t mask, const ptx_opnd *o, const char *what)
{
    const uint64_t *v = R64(w, o);
    uint64_t first = v[__builtin_ctz(mask)];
    EMU_EACH(l, mask) if (v[l] != first) {
        emu_report(w, i, mask, E_CONVERGENCE,
                   "the lanes of a warp must give the same descriptor of %s: lane %d has 0x%llx, lane %d " "0x%llx",
                   what, __builtin_ctz(mask), (unsigned long long)first, (int)l, (unsigned long long)v[l]);
        break;
    }
    return first;
}

/* Are all n units within the CTA's shared memory? */
static int in_bounds(warp *w, const ptx_instr *i, uint32_t mask, const char *what, uint64_t raw, const smem_desc *d,
                     const uint32_t *offset, int n)
{
    cta *c = w->cta;
    uint32_t lo = ~0u, hi = 0, reserved = (uint32_t)c->cl->L->dev->smem_reserved;
    for (int u = 0; u < n; u++) {
        if (offset[u] < lo) lo = offset[u];
        if (offset[u] > hi) hi = offset[u];
    }
    if (hi + 16 <= c->smem_size && lo >= reserved) return 1;
    uint32_t at = hi + 16 > c->smem_size ? hi : lo;
    emu_report(w, i, mask, E_DESCRIPTOR,
               "the descriptor of %s, 0x%016llx (start 0x%x, leading offset %u, stride offset %u, swizzle %u), "
               "leads to shared address " "0x%x, outside the CTA's shared memory 0x%x..0x%x", what,
               (unsigned long long)raw, d->start, d->lbo, d->sbo, d->width, at, reserved, c->smem_size);
    return 0;
}

static void touch(async_op *op, cta *c, uint32_t *offset, int n)
{
    uint32_t *bytes = scratch()->bytes;
    int runs = smem_desc_runs(offset, bytes, n);
    for (int r = 0; r < runs; r++) emu_async_touch(op, c, offset[r], bytes[r], A_READ);
}

static int x_mma(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t *offset = scratch()->offset;
    wg_warp *s = state(w);
    cta *c = w->cta;
    const ptx_opnd *d = &i->op[0];
    int np = F_NP(i), lane = __builtin_ctz(mask), rs = i->f[2] & F_RS;
    uint64_t raw_a = rs ? 0 : uniform(w, i, mask, &i->op[1], "A"), raw_b = uniform(w, i, mask, &i->op[2], "B");

    int scale_d = !!(i->f[2] & F_SD_ONE);
    if (!(i->f[2] & F_SD_IMM)) {
        uint32_t p = emu_pred(w, &i->op[i->f[3] & 0xff]) & mask;
        scale_d = p >> lane & 1;
        if (p && p != mask)
            emu_report(w, i, mask, E_CONVERGENCE,
                       "scale-d differs between the lanes of the warp (true in 0x%08x of 0x%08x)", p, mask);
    }
    if (mask != EMU_FULL)
        emu_report(w, i, mask, E_CONVERGENCE, "wgmma needs all 32 lanes of the warp; only 0x%08x are here", mask);
    agree(w, i, mask, raw_a, raw_b, scale_d);

    async_op *op = emu_async_new_lanes(w, i, mask, sizeof(wg_op), perform);
    wg_op *o = op->payload;
    op->owner_managed = 1;
    o->op = op, o->w = w, o->i = i;
    o->group = UNCOMMITTED;
    o->seq = w->seq, o->fence_no = s->fences, o->base = w->base;
    o->scale_d = scale_d;
    o->n = s->count - 1;
    wg_group *g = group_of(w);
    if (g) g->rec[o->n % g->alloc].part[w->id & 3] = o;

    /* shared memory: bounds of all, marks of this warp's rows of A and its quarter of B (its siblings mark the
     * others) */
    const char *why;
    if (!rs) {
        why = smem_desc_wgmma(raw_a, &o->a);
        if (why)
            emu_report(w, i, mask, E_DESCRIPTOR, "the descriptor of A, 0x%016llx: %s", (unsigned long long)raw_a, why);
        units_a(i, &o->a, w->id, offset);
        if (in_bounds(w, i, mask, "A", raw_a, &o->a, offset, 32)) touch(op, c, offset, 32);
        else o->bad = 1;
    }
    why = smem_desc_wgmma(raw_b, &o->b);
    if (why) emu_report(w, i, mask, E_DESCRIPTOR, "the descriptor of B, 0x%016llx: %s", (unsigned long long)raw_b, why);
    int units = units_b(i, &o->b, offset);
    if (in_bounds(w, i, mask, "B", raw_b, &o->b, offset, units))
        touch(op, c, offset + units / 4 * (int)(w->id & 3), units / 4);
    else o->bad = 1;

    /* registers: was a fence executed since they were computed? */
    if (!s->fences) {
        emu_report(w, i, mask, E_WGMMA_FENCE, "no wgmma.fence was executed before the warp's first wgmma.mma_async");
        s->fences = 1, w->wgmma_fence_seq = w->seq;
    } else if (w->wrote) {
        int bad = 0;
        for (int p = 0; p < np && !bad; p++)
            if (w->wrote[w->base + d->elem[p].reg] >> 24 > w->wgmma_fence_seq) {
                emu_report(w, i, mask, E_WGMMA_FENCE,
                           "accumulator register %d was written after the last wgmma.fence: wgmma.fence must "
                           "order that before the wgmma", p);
                emu_report_also(w, written_at(w, &d->elem[p]), "written");
                bad = 1;
            }
        for (int r = 0; rs && r < 4 && !bad; r++)
            if (w->wrote[w->base + i->op[1].elem[r].reg] >> 24 > w->wgmma_fence_seq) {
                emu_report(w, i, mask, E_WGMMA_FENCE,
                           "register %d of A was written after the last wgmma.fence: wgmma.fence must order "
                           "that before the wgmma", r);
                emu_report_also(w, written_at(w, &i->op[1].elem[r]), "written");
                bad = 1;
            }
    }
    if (rs)
        for (int r = 0; r < 4; r++) {               /* a register holds bytes 4q..4q+3 of row g (+ 8: odd r),
            of the second half for r >= 2 */
            const ptx_opnd *e = &i->op[1].elem[r];
            uint32_t index;
            if (w->ntagged && emu_tag_of(w, e, &index))
                emu_report(w, i, mask, E_WGMMA_PENDING,
                           "register %d of A is the accumulator of a wgmma in flight: wgmma.wait_group must "
                           "come first", r);
            const uint32_t *v = R32(w, e);
            for (int l = 0; l < 32; l++) memcpy(&o->ra[l / 4 + (r & 1) * 8][r / 2 * 16 + l % 4 * 4], &v[l], 4);
        }
    if (i->f[2] & F_SP) memcpy(o->meta, R32(w, &i->op[i->f[3] >> 8 & 0xff]), sizeof o->meta);

    /* the input: registers, or the results of operations in flight */
    int chained = 0, same = 1, told = 0;
    wg_op *src = NULL;
    for (int p = 0; p < np && w->ntagged; p++) {
        uint32_t index = 0, tag = emu_tag_of(w, &d->elem[p], &index);
        wg_op *from = NULL;
        if (tag) {
            if (src && src->tag == tag) from = src;
            else
                for (from = s->head; from && from->tag != tag;) from = from->next;
        }
        if (tag && !from && !told++)
            emu_report(w, i, mask, E_WGMMA_PENDING,
                       "accumulator register %d is on the way from another asynchronous instruction: wait "
                       "for that first", p);
        if (from) chained = 1;
        if (p == 0) src = from;
        if (from && !told && (F_NP(from->i) != np || F_TD(from->i) != F_TD(i) || index != (uint32_t)p)
            && from->fence_no == s->fences) {
            emu_report(w, i, mask, E_WGMMA_FENCE,
                       "accumulator register %d is on the way from a wgmma of another shape or place: only "
                       "the same accumulator can be reused without wgmma.fence", p);
            emu_report_also(w, from->i, "the wgmma in flight");
            told = 1;
        }
        if (from != src || index != (uint32_t)p || (from && (F_NP(from->i) != np || F_TD(from->i) != F_TD(i))))
            same = 0;
    }
    if (scale_d) {
        if (chained && same) o->src = src;
        else {
            o->acc = acc_new(s);
            for (int p = 0; p < np; p++) {
                uint32_t index = 0, tag = chained ? emu_tag_of(w, &d->elem[p], &index) : 0, value[32];
                wg_op *from = tag ? s->head : NULL;
                while (from && from->tag != tag) from = from->next;
                if (from) {                         /* a mixture: needs the values now */
                    compute(from);
                    acc_to_plane(from->acc, F_N(from->i), F_TD(from->i), (int)index, value);
                    plane_to_acc(o->acc, F_N(i), F_TD(i), p, value);
                } else plane_to_acc(o->acc, F_N(i), F_TD(i), p, R32(w, &d->elem[p]));
            }
        }
    }
    o->tag = emu_tag_new(w, i, "a wgmma accumulator", (uint32_t)np);
    for (int p = 0; p < np; p++) emu_tag(w, o->tag, &d->elem[p], (uint32_t)p);
    *s->tail = o;
    s->tail = &o->next;

    if (model_of(w)) {
        /* a warp's quarter: its 16 rows of A, and of the B that all four read, the fourth part */
        const model_device *m = model_of(w)->dev;
        const int type = (int)(i->f[1] >> 8 & 0xff);
        const double flops = 2.0 * 16 * F_N(i) * F_K(i) / (i->f[2] & F_SP ? 2 : 1);
        const double bytes = (rs ? 0 : 512) + units * 16 / 4.;
        model_note(w, NULL, (model_event){.kind = EV_WGMMA, .a = (float)(flops / (model_mma_rate(m, type) / 4)),
                                          .b = (float)(bytes / m->smem)});
        model_flops(w, type, flops);
    }
    stat_line *st = emu_stat(w, i);
    if (st) {
        st->flops += 2ull * 16 * (uint64_t)F_N(i) * (uint64_t)F_K(i);
        st->shared_bytes += (uint64_t)(rs ? 0 : 512) + (uint64_t)units * 16 / 4;
    }
    return X_NEXT;
}

/* ---- Decoding ---- */

static int all_regs(const ptx_opnd *v)
{
    for (int e = 0; e < v->n; e++)
        if (v->elem[e].kind != PO_REG || ptx_type_bits(v->elem[e].type) != 32) return 0;
    return 1;
}

/* A source that is no register of other than so many bits */
static int source(emu_module *m, ptx_func *fn, ptx_instr *i, ptx_opnd *o, ptx_type t, const char *what, char *err,
                  size_t size)
{
    if (o->kind == PO_REG && ptx_type_bits(o->type) != ptx_type_bits(t))
        return emu_decode_error(err, size, i, "%s must be a register of %d bits", what, ptx_type_bits(t));
    return emu_prepare(m, fn, o, t, err, size);
}

/* An immediate operand that must be one of two values */
static int imm2(const ptx_opnd *o, int64_t a, int64_t b) { return o->kind == PO_IMM && (o->imm == a || o->imm == b); }

static int decode_mma(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    ptx_type t[3] = {PT_NONE, PT_NONE, PT_NONE};
    int nt = 0, n = 0, k = 0, sync = 0, aligned = 0, and = 0, popc = 0;
    uint32_t flags = 0;
    for (int x = 2; x < i->nmod; x++) {
        const char *s = i->mod[x];
        char rest;
        if (!strcmp(s, "sync")) sync = 1;
        else if (!strcmp(s, "aligned")) aligned = 1;
        else if (!strcmp(s, "sp")) flags |= F_SP;
        else if (!strcmp(s, "satfinite")) flags |= F_SAT;
        else if (!strcmp(s, "and")) and = 1;
        else if (!strcmp(s, "popc")) popc = 1;
        else if (s[0] == 'm' && sscanf(s, "m64n%dk%d%c", &n, &k, &rest) == 2) {
        } else if (ptx_type_of(s) != PT_NONE && nt < 3) t[nt++] = ptx_type_of(s);
        else return emu_decode_error(err, size, i, ".%s is not supported by wgmma.mma_async", s);
    }
    if (!sync || !aligned) return emu_decode_error(err, size, i, ".sync.aligned is required");
    if (nt != 3) return emu_decode_error(err, size, i, "three types are required (of D, A and B)");
    if (!n) return emu_decode_error(err, size, i, "a shape .m64nNkK is required");

    ptx_type td = t[0], ta = t[1], tb = t[2];
    int sp = !!(flags & F_SP), fp8 = (ta == PT_E4M3 || ta == PT_E5M2) && (tb == PT_E4M3 || tb == PT_E5M2);
    int half = ta == tb && (ta == PT_F16 || ta == PT_BF16), tf32 = ta == PT_TF32 && tb == PT_TF32;
    int int8 = (ta == PT_S8 || ta == PT_U8) && (tb == PT_S8 || tb == PT_U8), b1 = ta == PT_B1 && tb == PT_B1;
    int types_ok = td == PT_F32 ? half || tf32 || fp8
                 : td == PT_F16 ? (half && ta == PT_F16) || fp8
                 : td == PT_S32 && (int8 || b1);
    if (!types_ok) return emu_decode_error(err, size, i, "wgmma has no such combination of types");
    int want_k = 256 / (half ? 16 : tf32 ? 32 : b1 ? 1 : 8) * (sp ? 2 : 1);
    if (k != want_k) return emu_decode_error(err, size, i, "K must be %d with these types, not %d", want_k, k);
    if (n < 8 || n > 256 || n % 8 || ((int8 || b1) && n != 8 && n != 24 && n % 16))
        return emu_decode_error(err, size, i, "N must be %s, not %d", int8
                                || b1 ? "8, 16, 24, 32, 48, 64, .. 256 with integers" : "a multiple of 8 in 8..256", n);
    if (b1 ? !(and && popc) : and || popc)
        return emu_decode_error(err, size, i, "only .b1 has an operation, and it is .and.popc");
    if (b1 && sp) return emu_decode_error(err, size, i, ".sp is not supported with .b1");
    if (flags & F_SAT && !int8) return emu_decode_error(err, size, i, ".satfinite goes with .s8 and .u8 only");

    int np = td == PT_F16 ? n / 4 : n / 2, at = 0;
    if (i->nop < 4) return emu_decode_error(err, size, i, "operands are missing");
    ptx_opnd *o = i->op;
    if (o[at].kind != PO_VEC || o[at].n != np || !all_regs(&o[at]))
        return emu_decode_error(err, size, i, "D must be a vector of %d registers of 32 bits", np);
    at++;
    if (o[at].kind == PO_VEC) {
        flags |= F_RS;
        if (o[at].n != 4 || !all_regs(&o[at]))
            return emu_decode_error(err, size, i, "A in registers must be a vector of 4 registers of 32 bits");
    } else if (source(m, fn, i, &o[at], PT_B64, "the descriptor of A", err, size)) return -1;
    at++;
    if (source(m, fn, i, &o[at], PT_B64, "the descriptor of B", err, size)) return -1;
    at++;
    uint32_t meta = 0, sel = 0;
    if (sp) {
        if (i->nop < at + 3) return emu_decode_error(err, size, i, "the metadata, the selector or scale-d is missing");
        meta = (uint32_t)at;
        if (source(m, fn, i, &o[at++], PT_B32, "the metadata", err, size)) return -1;
        if (!imm2(&o[at], 0, int8 || fp8 ? 0 : 1))
            return emu_decode_error(err, size, i, "the sparsity selector must be an immediate, 0%s", int8 || fp8 ? ""
                                    : " or 1");
        sel = (uint32_t)o[at++].imm;
    }
    uint32_t scale = (uint32_t)at;
    if (o[at].kind == PO_IMM) {
        if (!imm2(&o[at], 0, 1)) return emu_decode_error(err, size, i, "scale-d must be a predicate or 0 or 1");
        flags |= F_SD_IMM | (o[at].imm ? F_SD_ONE : 0);
    } else if (o[at].kind != PO_REG || o[at].type != PT_PRED)
        return emu_decode_error(err, size, i, "scale-d must be a predicate or 0 or 1");
    at++;
    int imms = int8 || b1 ? 0 : half ? (flags & F_RS ? 3 : 4) : 2;
    if (i->nop != at + imms)
        return emu_decode_error(err, size, i, "%d immediates must follow scale-d with these types (%s), not %d", imms,
                                imms == 4 ? "imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b"
                                : imms == 3 ? "imm-scale-a, imm-scale-b, imm-trans-b"
                                : imms == 2 ? "imm-scale-a, imm-scale-b; there is no transposition" : "none",
                                i->nop - at);
    for (int x = 0; x < imms; x++, at++) {
        if (x < 2 ? !imm2(&o[at], 1, -1) : !imm2(&o[at], 0, 1))
            return emu_decode_error(err, size, i, "%s", x < 2 ? "imm-scale-a and imm-scale-b must be 1 or -1"
                                                              : "imm-trans-a and imm-trans-b must be 0 or 1");
        if (x < 2) flags ^= o[at].imm < 0 ? F_NEG : 0;
        else if (o[at].imm) flags |= x == 2 && imms == 4 ? F_TA : F_TB;
    }
    i->f[0] = (uint32_t)n | (uint32_t)k << 16;
    i->f[1] = (uint32_t)td | (uint32_t)ta << 8 | (uint32_t)tb << 16;
    i->f[2] = flags;
    i->f[3] = scale | meta << 8 | sel << 16;
    i->f[4] = (uint32_t)np;
    i->exec = x_mma;
    return 0;
}

static int decode(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    if (m->dev->sm != 90 || m->dev->suffix != 'a')
        return emu_decode_error(err, size, i, "wgmma exists on sm_90a only, not on %s", m->dev->option);
    const char *what = i->nmod > 1 ? i->mod[1] : "";
    i->flags |= I_ALIGNED | I_WGMMA;
    if (!strcmp(what, "mma_async")) return decode_mma(m, fn, i, err, size);
    int fence = !strcmp(what, "fence"), commit = !strcmp(what, "commit_group"), wait = !strcmp(what, "wait_group");
    if (!fence && !commit && !wait) return emu_decode_error(err, size, i, "wgmma.%s is not supported", what);
    if (i->nmod != 4 || !emu_has(i, "sync") || !emu_has(i, "aligned"))
        return emu_decode_error(err, size, i, "exactly .sync.aligned is required");
    if (i->nop != wait)
        return emu_decode_error(err, size, i, wait ? "one operand is required" : "no operands are allowed");
    if (wait) {
        if (i->op[0].kind != PO_IMM || i->op[0].imm < 0)
            return emu_decode_error(err, size, i, "the number of groups must be an immediate, 0 or more");
        i->f[0] = i->op[0].imm > 0x7fffffff ? 0x7fffffff : (uint32_t)i->op[0].imm;
    }
    i->exec = fence ? x_fence : commit ? x_commit : x_wait;
    return 0;
}

const emu_family emu_wgmma[] = {{"wgmma", decode}, {0, 0}};
