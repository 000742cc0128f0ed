/* launch.c - modules and kernels made ready; a launch: its limits, and the workers that share the clusters of its grid,
 * until all have ended or none can go on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "alloc.h"
#include "exec.h"
#include "model.h"

static _Atomic uint64_t all_steps, next_grid = 1;

uint64_t emu_clock(void) { return all_steps; }

/* ---- workers ---- */

struct worker_pool {
    launch *L; uint32_t nclusters; _Atomic uint32_t next; uint32_t resident;
    _Atomic uint64_t progress;
    _Atomic uint32_t active;            /* clusters that have begun and not ended */
    /* of them those that repeat themselves with memory as it is (lower half), and the progress that it had then (upper
     * half): what a cluster was found to do before memory changed says nothing of what it does since */
    _Atomic uint64_t stuck;
    /* progress but for writes; clusters that have made none for long */
    _Atomic uint64_t busy; _Atomic uint32_t quiet; uint32_t workers;
};
/* clusterlaunchcontrol: takes the next cluster that has not begun off the grid. 1, and the coordinates of its first
 * CTA; 0: all have begun */
int emu_take_cluster(launch *L, emu_dim3 *first)
{
    struct worker_pool *p = L->pool;
    uint32_t k = atomic_load(&p->next);
    do if (k >= p->nclusters) return 0; while (!atomic_compare_exchange_weak(&p->next, &k, k + 1));
    const uint32_t nx = L->grid.x / L->clusterdim.x, ny = L->grid.y / L->clusterdim.y;
    *first = (emu_dim3){k % nx * L->clusterdim.x, k / nx % ny * L->clusterdim.y, k / (nx * ny) * L->clusterdim.z};
    atomic_fetch_add(&p->progress, 1);
    atomic_fetch_add(&p->busy, 1);
    return 1;
}
enum { SLICE = 500000, SHORT_SLICE = 1000, WATCHED = 300 /* both a warp */ };
static void set_quiet(struct worker_pool *p, cluster *cl, int quiet)
{
    if (cl->quiet != quiet) atomic_fetch_add(&p->quiet, quiet ? 1u : -1u);
    cl->quiet = quiet;
}
/* Do all clusters do nothing but write memory, for long, and can no other begin? */
static int all_quiet(struct worker_pool *p)
{
    return p->quiet == p->active && (p->next >= p->nclusters || p->active >= p->resident * p->workers);
}
/* A cluster that comes back to a state it has been in, while no memory has changed, will do so for ever. */
static uint64_t state_hash(const cluster *cl)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (uint32_t r = 0; r < cl->ncta; r++)
        for (int k = 0; k < cl->cta[r].nwarp; k++) {
            const warp *w = &cl->cta[r].warp[k];
            if (!w->live) continue;
            EMU_EACH(l, w->live) h = (h ^ w->pc[l] ^ (uint64_t)w->lane_base[l] << 32) * 0x100000001b3ull;
            const uint64_t *v = (const uint64_t *)(const void *)w->reg;
            for (size_t n = (size_t)w->nreg_alloc * 16, x = 0; x < n; x++)
                h = (h ^ v[x]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
            for (uint32_t x = 0; x < w->npred_alloc; x++) h = (h ^ w->pred[x]) * 0x100000001b3ull;
        }
    return h ? h : 1;
}
static void count_stuck(struct worker_pool *p, uint64_t now)
{
    uint64_t old = atomic_load(&p->stuck), with;
    do {
        const int newer = (int32_t)((uint32_t)now - (uint32_t)(old >> 32)) > 0;
        if (!newer && (uint32_t)now != (uint32_t)(old >> 32)) return;
        with = newer ? now << 32 | 1 : old + 1;
    } while (!atomic_compare_exchange_weak(&p->stuck, &old, with));
}
/* now: the progress before the cluster's last slice. */
static int repeats(struct worker_pool *p, cluster *cl, uint64_t now)
{
    enum { KEPT = sizeof cl->seen / sizeof *cl->seen };
    if (cl->seen_at != now) {                   /* memory has changed since */
        memset(cl->seen, 0, sizeof cl->seen);
        cl->seen_at = now;
        cl->nseen = 0;
        cl->stuck = 0;
    }
    uint64_t h = state_hash(cl);
    for (int k = 0; k < KEPT; k++)
        if (cl->seen[k] == h) {
            if (!cl->stuck) { cl->stuck = 1; count_stuck(p, now); }
            return 1;
        }
    cl->seen[cl->nseen++ % KEPT] = h;
    return 0;
}
/* Does every cluster repeat itself with memory as it has been since progress `now`? Whoever ends counts as progress
 * before it is no longer active. */
static int all_stuck(struct worker_pool *p, uint64_t now)
{
    return atomic_load(&p->stuck) == (now << 32 | atomic_load(&p->active)) && atomic_load(&p->progress) == now;
}
static void *worker(void *arg)
{
    struct worker_pool *p = arg;
    launch *L = p->L;
    cluster *head = NULL, *tail = NULL;
    uint32_t active = 0;
    int idle = 0;
    for (;;) {
        cluster *cl = NULL;
        int start = !head || (idle && active < p->resident);
        if (start) {
            /* counted before it is taken: else the others, who may wait for it, would seem to be all there are */
            atomic_fetch_add(&p->active, 1);
            uint32_t k = atomic_fetch_add(&p->next, 1);
            if (k < p->nclusters) {
                cl = cluster_begin(L, k);
                active++;
                atomic_fetch_add(&p->busy, 1);
            } else atomic_fetch_sub(&p->active, 1);
        }
        if (!cl) {
            if (!head) break;
            cl = head;
            head = cl->next;
            if (!head) tail = NULL;
        }
        uint64_t steps = cl->steps, progress = emu_progress, busy = emu_progress - emu_writes;
        const uint64_t now = atomic_load(&p->progress);
        if (cl->quiet) spin_before(cl, all_quiet(p)); else cl->watch = 0;
        uint32_t nw = cl->ncta * L->nwarp;
        int r = cluster_run(cl, cl->watch ? WATCHED * nw : p->quiet ? SHORT_SLICE * nw : SLICE);
        atomic_fetch_add(&all_steps, cl->steps - steps);
        if (emu_progress != progress) atomic_fetch_add(&p->progress, 1);
        if (emu_progress - emu_writes != busy) {
            atomic_fetch_add(&p->busy, 1);
            cl->quiet_steps = 0;
            set_quiet(p, cl, 0);
        } else if ((cl->quiet_steps += cl->steps - steps) >= 2 * SLICE
                 || (p->quiet && cl->quiet_steps >= SHORT_SLICE * nw))
            set_quiet(p, cl, 1);
        if (r == C_DONE || r == C_ABORT || L->failed) {
            set_quiet(p, cl, 0);
            cluster_end(cl);
            active--;
            idle = 0;
            atomic_fetch_add(&p->progress, 1);
            atomic_fetch_add(&p->busy, 1);
            atomic_fetch_sub(&p->active, 1);
            if (L->failed) { while (head) { cl = head; head = cl->next; cluster_end(cl); } break; }
            continue;
        }
        cl->next = NULL;
        if (tail) tail->next = cl; else head = cl;
        tail = cl;
        int alone = cl->quiet && all_quiet(p);
        if (cl->quiet && spin_after(cl, p->busy, p->active, alone))
            cluster_deadlock(cl,
                             "no cluster of the grid makes progress: its threads go round in loops, whose end depends "
                             "on memory that nobody writes, though they write other memory");
        else if (spin_time(cl, alone, p->workers))
            cluster_deadlock(cl, "the kernel has run longer than --timeout allows");
        idle = r == C_IDLE || cl->quiet;
        if (r != C_IDLE) { cl->idle_slices = 0; cl->idle_steps = 0; continue; }
        if (!idle || cl->idle_at != now) { cl->idle_at = now; cl->idle_slices = 0; cl->idle_steps = 0; }
        if (!idle) continue;
        cl->idle_slices++;
        cl->idle_steps += cl->steps - steps;
        int more = p->next < p->nclusters && active < p->resident;
        if (repeats(p, cl, now) && !more && all_stuck(p, now) && cl->idle_slices > 4)
            cluster_deadlock(cl, "no cluster of the grid makes progress: threads wait for memory that nobody writes");
        else if (!more && cl->idle_steps > emu_opt.hang)
            cluster_deadlock(cl, "no memory has changed for long (see --hang): the grid seems to hang");
    }
    return NULL;
}

/* ---- modules, kernels ---- */

static int reaches(const emu_module *m, const ptx_func *f, const char *word, int depth)
{
    for (uint32_t k = f->begin; k < f->end; k++) if (!strcmp(m->ptx->code[k].mod[0], word)) return 1;
    if (depth < 8)
        for (int k = 0; k < f->ncallee; k++)
            if (f->callee[k]->has_body && reaches(m, f->callee[k], word, depth + 1)) return 1;
    return 0;
}
static void collect_shared(emu_kernel *k, const ptx_func *f, int depth, uint32_t *top)
{
    for (int s = 0; s < f->nshared; s++) {
        ptx_sym *v = f->shared[s];
        if (v->is_extern || k->shared_off[v->id] != ~0u) continue;
        uint32_t a = v->align ? v->align : 1;
        *top = (*top + a - 1) / a * a;
        k->shared_off[v->id] = *top;
        *top += (uint32_t)v->size;
    }
    if (depth < 16) for (int c = 0; c < f->ncallee; c++) collect_shared(k, f->callee[c], depth + 1, top);
    if (f->calls_indirect && depth == 0)
        for (int c = 0; c < k->mod->ptx->nfunc; c++)
            if (!k->mod->ptx->func[c]->is_entry) collect_shared(k, k->mod->ptx->func[c], 1, top);
}
emu_module *emu_module_load(const char *text, size_t n, const char *from, char *err, size_t err_size)
{
    ptx_module *px = ptx_parse(text, n, err, err_size);
    if (!px) return NULL;
    emu_module *m = calloc(1, sizeof *m);
    m->ptx = px; m->dev = emu_opt.device; m->file = strdup(from ? from : "");
    for (int k = 0; k < px->nglobal; k++) {
        ptx_sym *s = px->global[k];
        if (s->is_extern) {
            snprintf(err, err_size, "variable '%s' is .extern: it is defined in no module", s->name);
            return NULL;
        }
        s->addr = emu_alloc(s->size ? s->size : 1, s->name);
        if (s->init) memcpy(s->addr, s->init, s->size); else memset(s->addr, 0, s->size);
        emu_global_mark((uint64_t)(uintptr_t)s->addr, s->size, 1);
        if (s->space == SP_CONST) alloc_at((uint64_t)(uintptr_t)s->addr)->readonly = 1;
        if (s->space == SP_CONST) alloc_at((uint64_t)(uintptr_t)s->addr)->readonly = 2;
    }
    for (int k = 0; k < px->nglobal; k++)
        for (int r = 0; r < px->global[k]->nreloc; r++) {
            struct ptx_reloc *rel = &px->global[k]->reloc[r];
            uint64_t v = (rel->sym->space == SP_FUNC ? (uint64_t)(uintptr_t)rel->sym
                          : (uint64_t)(uintptr_t)rel->sym->addr) + (uint64_t)rel->add;
            memcpy((uint8_t *)px->global[k]->addr + rel->at, &v, 8);
        }
    for (int k = 0; k < px->nfunc; k++) m->nkernel += px->func[k]->is_entry && px->func[k]->has_body;
    m->kernel = calloc((size_t)m->nkernel + 1, sizeof *m->kernel);
    int n_k = 0;
    for (int k = 0; k < px->nfunc; k++) {
        ptx_func *f = px->func[k];
        if (!f->is_entry || !f->has_body) continue;
        emu_kernel *e = &m->kernel[n_k++];
        *e = (emu_kernel){.mod = m, .fn = f, .max_dyn_smem = -1};
        e->shared_off = malloc(((size_t)px->nshared + 1) * sizeof *e->shared_off);
        for (int s = 0; s < px->nshared; s++) e->shared_off[s] = ~0u;
        uint32_t top = (uint32_t)m->dev->smem_reserved, reserved = top;
        collect_shared(e, f, 0, &top);
        e->static_smem = top - reserved;
        uint32_t align = 16;
        for (int s = 0; s < px->nshared; s++)
            if (px->shared[s]->is_extern && px->shared[s]->align > align) align = px->shared[s]->align;
        e->dyn_off = (top + align - 1) / align * align;
        for (int s = 0; s < px->nshared; s++) if (px->shared[s]->is_extern) e->shared_off[s] = e->dyn_off;
        e->uses_wgmma = reaches(m, f, "wgmma", 0);
        e->uses_bulk = reaches(m, f, "cp", 0);
    }
    return m;
}
void emu_module_unload(emu_module *m)
{
    for (int k = 0; k < m->ptx->nglobal; k++) emu_free(m->ptx->global[k]->addr);
    /* code and planes stay: reports and statistics may still name them */
}
emu_kernel *emu_module_kernel(emu_module *m, const char *name)
{
    for (int k = 0; k < m->nkernel; k++) if (!strcmp(m->kernel[k].fn->name, name)) return &m->kernel[k];
    return NULL;
}
void *emu_module_global(emu_module *m, const char *name, size_t *size)
{
    for (int k = 0; k < m->ptx->nglobal; k++)
        if (!strcmp(m->ptx->global[k]->name, name)) {
            if (size) *size = m->ptx->global[k]->size;
            return m->ptx->global[k]->addr;
        }
    return NULL;
}
int emu_kernel_regs(const emu_kernel *k)
{
    const ptx_func *f = k->fn;
    if (f->maxnreg) return (int)f->maxnreg;
    uint32_t t = f->reqntid[0] ? f->reqntid[0] * f->reqntid[1] * f->reqntid[2]
               : f->maxntid[0] ? f->maxntid[0] * f->maxntid[1] * f->maxntid[2]
               : 0;
    uint32_t blocks = f->minnctapersm ? f->minnctapersm : 1;
    if (t && f->minnctapersm) {
        uint32_t r = (uint32_t)k->mod->dev->regs_per_sm / (t * blocks) / 8 * 8;
        return (int)(r > 255 ? 255 : r);
    }
    uint32_t r = t && t <= 512 ? 128 : 64;     /* PTX does not say what ptxas would allocate: a usual number */
    uint32_t own = ((f->named ? f->named : f->nslot) + 16) / 8 * 8;
    return (int)(own < r ? own : r);             /* never more than lets a block of the permitted size be resident */
}
int emu_blocks_per_sm(const emu_kernel *k, int threads, size_t dyn)
{
    const emu_device *d = k->mod->dev;
    if (threads <= 0 || threads > 1024) return 0;
    int warps = (threads + 31) / 32, by_threads = d->threads_per_sm / (warps * 32),
        by_regs = d->regs_per_sm / (emu_kernel_regs(k) * warps * 32);
    size_t smem = (k->dyn_off + dyn + 127) / 128 * 128;
    int by_smem = (int)((size_t)d->smem_per_sm / (smem ? smem : 1));
    int n = by_threads;
    if (by_regs < n) n = by_regs;
    if (by_smem < n) n = by_smem;
    if (d->blocks_per_sm < n) n = d->blocks_per_sm;
    if (k->static_smem + dyn > (size_t)d->smem_optin) n = 0;
    return n;
}

/* ---- a launch ---- */

static int refuse(char *why, size_t n, int code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static int refuse(char *why, size_t n, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, n, fmt, ap);
    va_end(ap);
    return code;
}
int emu_launch(emu_kernel *k, const emu_launch_config *c, void **args, const void *packed, size_t packed_size,
               char *why, size_t n)
{
    const emu_device *d = k->mod->dev;
    ptx_func *f = k->fn;
    emu_dim3 g = c->grid, b = c->block, cd = c->cluster;
    uint64_t threads = (uint64_t)b.x * b.y * b.z;
    why[0] = 0;
    if (!g.x || !g.y || !g.z || !b.x || !b.y || !b.z)
        return refuse(why, n, 9, "grid (%u,%u,%u) block (%u,%u,%u): every dimension must be at least 1", g.x, g.y, g.z,
                      b.x, b.y, b.z);
    if (b.x > 1024 || b.y > 1024 || b.z > 64 || threads > 1024)
        return refuse(why, n, 9, "block (%u,%u,%u) has %llu threads; the limits are 1024 threads and (1024,1024,64)",
                      b.x, b.y, b.z, (unsigned long long)threads);
    if (g.x > 2147483647u || g.y > 65535 || g.z > 65535)
        return refuse(why, n, 9, "grid (%u,%u,%u): the limits are (2147483647,65535,65535)", g.x, g.y, g.z);
    if (f->reqntid[0] && (b.x != f->reqntid[0] || b.y != f->reqntid[1] || b.z != f->reqntid[2]))
        return refuse(why, n, 1, "block (%u,%u,%u), but the kernel requires (%u,%u,%u)", b.x, b.y, b.z, f->reqntid[0],
                      f->reqntid[1], f->reqntid[2]);
    if (f->maxntid[0] && threads > (uint64_t)f->maxntid[0] * f->maxntid[1] * f->maxntid[2])
        return refuse(why, n, 701,
                      "%llu threads in a block, but the kernel was compiled for at most %u (__launch_bounds__)",
                      (unsigned long long)threads, f->maxntid[0] * f->maxntid[1] * f->maxntid[2]);
    if (f->cluster[0]) {
        if (cd.x && (cd.x != f->cluster[0] || cd.y != f->cluster[1] || cd.z != f->cluster[2]))
            return refuse(why, n, 1, "cluster (%u,%u,%u) at the launch, (%u,%u,%u) in the kernel's __cluster_dims__",
                          cd.x, cd.y, cd.z, f->cluster[0], f->cluster[1], f->cluster[2]);
        cd = (emu_dim3){f->cluster[0], f->cluster[1], f->cluster[2]};
    }
    if (!cd.x) cd = (emu_dim3){1, 1, 1};
    uint32_t cs = cd.x * cd.y * cd.z;
    if (cs > 1 && !d->max_cluster) return refuse(why, n, 912, "clusters need sm_90; this device is %s", d->option);
    if (cs > 1 && (g.x % cd.x || g.y % cd.y || g.z % cd.z))
        return refuse(why, n, 912, "grid (%u,%u,%u) is not a multiple of the cluster (%u,%u,%u)", g.x, g.y, g.z, cd.x,
                      cd.y, cd.z);
    const int any_cluster = c->cluster_mode ? c->cluster_mode == 2 : k->cluster_nonportable;
    const int smem_mode = c->smem_mode ? c->smem_mode : k->smem_mode;
    if (cs > (uint32_t)(any_cluster ? d->max_cluster : 8))
        return refuse(why, n, 912,
                      "a cluster of %u CTAs; the limit is 8 (%d with cudaFuncAttributeNonPortableClusterSizeAllowed)",
                      cs, d->max_cluster);
    uint64_t smem = (uint64_t)k->static_smem + c->dyn_smem;
    if (smem > (uint64_t)d->smem_optin)
        return refuse(why, n, 1, "%llu bytes of shared memory; a block of %s has at most %d", (unsigned long long)smem,
                      d->option, d->smem_optin);
    if (smem > (uint64_t)emu_smem_plain(d) && smem_mode < 3)
        return refuse(why, n, 1,
                      "%llu bytes of shared memory: more than %d needs "
                      "cudaFuncSetAttribute(cudaFuncAttributeSharedMemoryMode, "
                      "cudaSharedMemoryModeAllowOversizedSharedMemory)", (unsigned long long)smem, emu_smem_plain(d));
    if (smem_mode == 1 && smem > (uint64_t)d->smem_per_block)
        return refuse(why, n, 1, "%llu bytes of shared memory; the launch asks for a portable size, at most %d",
                      (unsigned long long)smem, d->smem_per_block);
    if (smem_mode < 2 && smem > (uint64_t)d->smem_per_block
        && c->dyn_smem > (k->max_dyn_smem < 0 ? 0 : k->max_dyn_smem))
        return refuse(why, n, 1,
                      "%llu bytes of shared memory (%u static + %u dynamic): more than %d needs "
                      "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)", (unsigned long long)smem,
                      k->static_smem, c->dyn_smem, d->smem_per_block);
    if (c->cooperative) {
        uint64_t room = (uint64_t)emu_blocks_per_sm(k, (int)threads, c->dyn_smem) * (uint64_t)d->sms,
                 blocks = (uint64_t)g.x * g.y * g.z;
        if (blocks > room)
            return refuse(why, n, 720, "a cooperative launch of %llu blocks; %llu fit on the device at one time",
                          (unsigned long long)blocks, (unsigned long long)room);
    }
    if (k->uses_wgmma && k->mod->ptx->debug)
        return refuse(why, n, 801,
                      "compiled with -G: ptxas then serialises wgmma, which tcemu does not imitate: the PTX reads "
                      "accumulators where a wait is missing. Compile with -lineinfo in place of -G");
    if (emu_decode_reachable(k->mod, f, why, n)) return 218;
    launch L = {.dev = d, .k = k, .mod = k->mod, .grid = g, .block = b, .clusterdim = cd, .cluster_size = cs,
                .dyn_smem = c->dyn_smem, .nthread = (uint32_t)threads, .nwarp = (uint32_t)(threads + 31) / 32,
                .seed = emu_opt.seed, .schedule = emu_opt.schedules};
    L.gridid = atomic_fetch_add(&next_grid, 1);
    L.clock_base = all_steps * 2;
    size_t bytes = f->param_bytes + 64;
    L.param = emu_param_block(bytes);
    memset(L.param, 0, bytes);
    if (args) for (int p = 0; p < f->nparam; p++) memcpy(L.param + f->param[p]->offset, args[p], f->param[p]->size);
    else if (packed) memcpy(L.param, packed, packed_size < bytes ? packed_size : bytes);
    if (emu_opt.model) model_begin(&L);
    if (emu_opt.stats) L.stats = calloc(k->mod->ptx->ncode, sizeof *L.stats);
    if (c->cooperative) {
        L.grid_workspace = emu_alloc(64, "the workspace of the cooperative launch");
        memset(L.grid_workspace, 0, 64);
        emu_global_mark((uint64_t)(uintptr_t)L.grid_workspace, 64, 1);
    }
    early_launch_begin(&L, c->pdl);
    L.spin = spin_new(&L);
    struct worker_pool p = {.L = &L, .nclusters = (uint32_t)((uint64_t)g.x * g.y * g.z / cs)};
    L.pool = &p;
    int nt = emu_opt.threads > 0 ? emu_opt.threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (nt < 1) nt = 1;
    if (nt > 64) nt = 64;
    if ((uint32_t)nt > p.nclusters) nt = (int)p.nclusters;
    int per_sm = emu_blocks_per_sm(k, (int)threads, c->dyn_smem);
    uint32_t fit = (uint32_t)(per_sm > 0 ? per_sm : 1) * (uint32_t)d->sms / cs;
    p.resident = (fit + (uint32_t)nt - 1) / (uint32_t)nt;
    if (!p.resident) p.resident = 1;
    p.workers = (uint32_t)nt;
    pthread_t t[64];
    for (int x = 1; x < nt; x++) pthread_create(&t[x], NULL, worker, &p);
    worker(&p);
    for (int x = 1; x < nt; x++) pthread_join(t[x], NULL);
    fflush(stdout);
    early_launch_end(&L);
    emu_report_launch_end(&L);
    model_end(&L);
    emu_param_free(L.param);
    spin_free(L.spin);
    if (L.grid_workspace) emu_free(L.grid_workspace);
    free(L.stats);
    if (L.cuda_error && !why[0]) snprintf(why, n, "%s", L.error[0] ? L.error : "the kernel made errors");
    return L.cuda_error;
}
