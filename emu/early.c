/* early.c - programmatic dependent launch: what a kernel touches of global memory that a kernel before it has written,
 * and which it has not waited for (griddepcontrol.wait).
 *
 * Launches run one after the other here, so that nothing goes wrong by itself. Therefore each word of global memory has
 * a mark: the launch that wrote it last. A launch that may start while others run (its stream's last one, and where
 * that one lets the next start before it has waited itself, those that it may run beside) compares marks until a thread
 * has waited, or knows of one that has: a barrier behind the wait serves as well. */
#include <stdlib.h>
#include <string.h>
#include "core.h"
#include "alloc.h"

/* From when on writes are marked: a kernel that has griddepcontrol was decoded, or a launch was programmatic. */
int emu_early_on;

/* Marks are 1 to 255 and come round again: all of them are taken away then. */
static unsigned mark_now;
static char name_of[256][96];
static struct { uint8_t mark[EMU_EARLY_MAX]; int n; } last; /* what may run beside a launch that follows the last one */

void early_launch_begin(launch *L, int pdl)
{
    if (!emu_opt.checks) return;
    if (pdl) emu_early_on = 1;
    if (!emu_early_on) return;
    if (++mark_now == 256) {
        alloc_unmark_writers();
        mark_now = 1;
        last.n = 0;
    }
    L->mark = (uint8_t)mark_now;
    strncpy(name_of[mark_now], emu_kernel_name(L), sizeof name_of[0] - 1);
    L->nbeside = pdl ? last.n : 0;
    memcpy(L->beside, last.mark, sizeof L->beside);
}
void early_launch_end(const launch *L)
{
    last.n = 0;
    if (!L->mark) return;
    last.mark[last.n++] = L->mark;
    for (int k = 0; L->lets_go && k < L->nbeside && last.n < EMU_EARLY_MAX; k++) last.mark[last.n++] = L->beside[k];
}

/* Has this thread waited, or learnt that another one has? */
int early_lane(warp *w, int lane)
{
    cluster *cl = w->cta->cl;
    if (!cl->L->nbeside || w->waited >> lane & 1) return 0;
    const vclk *v = w->vc[lane];
    for (uint32_t k = 0; v && k < cl->nwaits; k++)
        if (v->c[cl->waits[k].thread] >= cl->waits[k].tick) {
            w->waited |= 1u << lane;
            return 0;
        }
    return 1;
}

void early_touch(warp *w, const ptx_instr *i, int lane, uint64_t addr, uint64_t size, int flags)
{
    const launch *L = w->cta->cl->L;
    const alloc *a = alloc_at(addr);
    if (!a || !a->writer || !size || addr - a->base + size > a->size) return;
    for (uint64_t k = (addr - a->base) / 4; k <= (addr - a->base + size - 1) / 4; k++)
        for (int b = 0; b < L->nbeside; b++) {
            if (a->writer[k] != L->beside[b]) continue;
            emu_report(w, i, 1u << lane, E_EARLY,
                       "%s global memory at %#llx (byte %llu of an allocation of %llu, %s), which kernel %s wrote: "
                       "that one may still run, as this launch is programmatic, and nothing before this waits for it "
                       "(griddepcontrol.wait)", flags & A_READ ? "reads" : "writes",
                       (unsigned long long)(a->base + 4 * k), (unsigned long long)(4 * k), (unsigned long long)a->size,
                       a->what, name_of[L->beside[b]]);
            return;
        }
}

static int exec_wait(warp *w, const ptx_instr *i, uint32_t mask)
{
    cluster *cl = w->cta->cl;
    (void)i;
    if (!cl->L->nbeside || !(mask & ~w->waited)) return X_NEXT;
    if (cl->nwaits == cl->cap_waits)
        cl->waits = realloc(cl->waits, (cl->cap_waits = cl->cap_waits ? 2 * cl->cap_waits : 16) * sizeof *cl->waits);
    cl->waits[cl->nwaits].thread = thread_index(w, __builtin_ctz(mask));
    cl->waits[cl->nwaits++].tick = w->tick;
    w->waited |= mask;
    return X_NEXT;
}
static int exec_launch_dependents(warp *w, const ptx_instr *i, uint32_t mask)
{
    launch *L = w->cta->cl->L;
    (void)i;
    EMU_EACH(l, mask) if (early_lane(w, (int)l)) __atomic_store_n(&L->lets_go, 1, __ATOMIC_RELAXED);
    return X_NEXT;
}

static int decode_griddepcontrol(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    (void)m; (void)fn;
    emu_early_on |= emu_opt.checks;
    if (emu_has(i, "wait")) i->exec = exec_wait;
    else if (emu_has(i, "launch_dependents")) i->exec = exec_launch_dependents;
    else return emu_decode_error(err, n, i, "must be .wait or .launch_dependents");
    return 0;
}
const emu_family emu_early[] = {{"griddepcontrol", decode_griddepcontrol}, {0}};
