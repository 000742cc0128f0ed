/* core.h - private to the core rooms (decode.c exec.c cluster.c launch.c mem.c sync.c check.c report.c) */
#ifndef EMU_CORE_H
#define EMU_CORE_H
#include "emu.h"

/* operands that differ per warp: special registers, shared and local addresses */
enum { I_REFRESH = 128 };

/* ---- decode.c ---- */
int emu_decode_reachable(emu_module *m, ptx_func *entry, char *err, size_t n);
void emu_refresh(warp *w, const ptx_instr *i);
uint64_t emu_sym_addr(warp *w, const ptx_sym *s, int lane);      /* address of a variable in its own space */
void emu_share_slots(emu_module *m, ptx_func *f);                  /* slots.c */
int emu_is_kernel_param(const ptx_sym *s);

/* ---- check.c: what happened before what ----
 * Every thread has a vector clock: c[x] = up to which tick of x's it knows everything to have happened; x is a thread
 * of the cluster or a slot of an asynchronous operation. p[x]: the same, for what has also passed a proxy fence. Clocks
 * are immutable and shared by reference. A thread's own entry in c is implied: its warp's present tick. */
typedef struct vclk { uint32_t ref, n; uint32_t c[]; } vclk;    /* c[0..n), then p[0..n) */
static inline uint32_t *vclk_p(const vclk *v) { return (uint32_t *)v->c + v->n; }
static inline uint32_t thread_index(const warp *w, int lane)
{
    return (w->cta->rank * (uint32_t)w->cta->nwarp + w->id) * 32 + (uint32_t)lane;
}
vclk *vclk_ref(vclk *v);
void vclk_drop(cluster *cl, vclk *v);
/* what the lanes know, themselves included; starts a new tick */
vclk *vclk_release(warp *w, uint32_t mask);
vclk *vclk_release_relaxed(warp *w, uint32_t mask);
void vclk_acquire(warp *w, uint32_t mask, vclk *v);              /* v may be NULL */
vclk *vclk_join(cluster *cl, vclk *a, vclk *b);                  /* new reference; either may be NULL */
void vclk_merge(cluster *cl, vclk **into, vclk *v);              /* *into = join(*into, v); v keeps its reference */
void check_global_write(warp *w, const ptx_instr *i, int lane, uint64_t addr, uint64_t size);
void check_global_async_read(async_op *op, uint64_t addr, uint64_t size);
void check_proxy_fence(warp *w, uint32_t mask);                  /* fence.proxy.async */
void check_fence(warp *w, uint32_t mask);                        /* membar, fence.acq_rel, fence.sc */
/* a relaxed wait: counts from the next fence on */
void check_seen(warp *w, int lane, vclk *v);
void check_strong(warp *w, uint32_t mask, cta *c, const uint64_t *addr, int reads, int writes, int acquire,
                  int release);
void check_cluster_begin(cluster *cl);
void check_cluster_end(cluster *cl);
void check_cta_begin(cta *c);
void check_cta_end(cta *c);
void check_shared_written(cta *c, uint32_t off, uint32_t size);     /* said to be (note.c) */
/* one lane's access to shared memory, already within bounds. Returns 0, or 1 if something was reported */
int check_shared(warp *w, const ptx_instr *i, int lane, cta *c, uint32_t off, uint32_t size, int flags);
void check_mbar_mark(cta *c, uint32_t off, int on);
void check_warp_begin(warp *w);
async_op *emu_async_new_lanes(warp *w, const ptx_instr *i, uint32_t mask, size_t payload,
                              void (*perform)(async_op *, int));
void check_generic_op(async_op *op);
void check_async_touch(async_op *op, int lane, cta *c, uint32_t off, uint32_t bytes, int flags);
void check_warp_end(warp *w);

/* ---- early.c: what is touched before griddepcontrol.wait ---- */
extern int emu_early_on;                                         /* writes are marked */
void early_launch_begin(launch *L, int pdl);
void early_launch_end(const launch *L);
int early_lane(warp *w, int lane);                               /* 1: launches before this one may still run */
void early_touch(warp *w, const ptx_instr *i, int lane, uint64_t addr, uint64_t size, int flags);

/* ---- exec.c ---- */
typedef struct frame {                  /* of a call: what to restore at ret */
    struct frame *up; uint32_t ret_pc, base, pbase, frame_off; const ptx_func *fn;
    const ptx_opnd *ret_args; const ptx_func *caller;
    uint32_t frame_top;                 /* the caller may have grown its frame with alloca */
} frame;
uint8_t *emu_local(warp *w, int lane, uint64_t addr, uint32_t size);    /* NULL: out of bounds */

/* ---- cluster.c ---- */
void emu_event(cluster *cl);            /* something a blocked warp may wait for has happened; counts as progress */
void emu_abort(launch *L, int cuda_error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void emu_bulk_commit(warp *w, const ptx_instr *i, uint32_t mask);
int emu_bulk_wait(warp *w, const ptx_instr *i, uint32_t mask, int n, int read);
uint64_t emu_rand(cluster *cl);
uint64_t emu_cluster_clock(warp *w);    /* cycles, as %clock64 sees them */
extern __thread uint64_t emu_progress;  /* of the running worker */
extern __thread uint64_t emu_writes;    /* the part of it that is writes to memory, and nothing else */

/* ---- spin.c: hangs that write memory ---- */
struct spin *spin_new(launch *L);
void spin_free(struct spin *s);
void spin_cluster_end(cluster *cl);
void spin_before(cluster *cl, int alone);
int spin_after(cluster *cl, uint64_t quiet, uint32_t active, int alone);
int spin_time(cluster *cl, int alone, uint32_t workers);
/* While cl->watch: a load, a store (did it change anything?), an instruction, a turn of a warp */
void spin_load(warp *w, const ptx_instr *i, int space, uint64_t addr, uint32_t bytes);
void spin_store(warp *w, const ptx_instr *i, int space, uint64_t addr, uint32_t bytes, int changed);
void spin_ran(warp *w, uint32_t pc);
void spin_turn(warp *w);

/* ---- sync.c ---- */
typedef struct mbar {
    uint32_t off; int valid; uint32_t expected; int64_t pending, tx; uint64_t phase;
    vclk *cur, *done; const ptx_instr *init_at, *gone_at /* !valid: what ended it */; struct mbar *next; int fenced;
    uint32_t init_gen; warp *init_w; int init_lane; uint32_t init_tick;
    /* .layout::v1: the conditional phase, which stays where a phase ends with a report, and the report of this phase
     * and of the one before it: is there one, and its value */
    int v1; uint64_t conditional; uint8_t report, report_value, done_report, done_value;
    /* --strict: by issuer, the last signal of an asynchronous operation here, in which phase and when issued; the phase
     * that the last successful wait found open: those before it were seen */
    struct mbar_signal { const ptx_instr *i; warp *w; int lane; const void *fifo; uint64_t phase, posted; } *signals;
    int nsignals; uint64_t seen;
} mbar;
typedef struct mbar_table { mbar *bucket[64]; } mbar_table;
mbar *mbar_find(cta *c, uint32_t off);
/* A report-on operation of op, before its complete_tx */
void emu_mbar_report(async_op *op, cta *c, uint32_t off, uint8_t value);
int check_init_fenced(warp *w, const ptx_instr *i, int lane, cta *c, mbar *b);
int check_init_visible(warp *w, const ptx_instr *i, int lane, cta *c, mbar *b);
void mbar_cta_end(warp *w, cta *c);
void mbar_clobbered(warp *w, const ptx_instr *i, int lane, cta *c, uint32_t off, uint32_t size);
void mbar_describe(cta *c, const mbar *b, char *buf, size_t n);
void setmaxnreg_exit(warp *w);
/* "waits at bar.sync 1: 96 of 128 threads arrived" */
void sync_describe_wait(warp *w, int lane, char *buf, size_t n);

/* ---- undef.c: values that a shuffle read from a lane which takes no part, until they are used ---- */
/* there is one: what to say when it is used */
void undef_shuffle(warp *w, const ptx_instr *i, uint32_t lane, uint32_t members);
/* of the lanes in mask those in lanes are undefined, the others defined */
void undef_mark(warp *w, const ptx_opnd *o, uint32_t lanes, uint32_t mask);
uint32_t undef_lanes(warp *w, const ptx_opnd *o);
void undef_step(warp *w, const ptx_instr *i, uint32_t mask);
void undef_guard(warp *w, const ptx_instr *i, uint32_t mask);
void undef_end(warp *w);

/* ---- pool.c: large buffers, 4096-aligned; their contents are anything ---- */
void *emu_take(size_t bytes);
void emu_give(void *p, size_t bytes);

/* ---- mem.c ---- */
void cpasync_warp_end(warp *w, int last);        /* last: the cluster ends; else the warp exits */
uint8_t *emu_param_block(size_t n); void emu_param_free(uint8_t *p);

/* ---- report.c ---- */
void emu_report_launch_end(launch *L);
/* not_run: how often the host side could not do what a GPU would have run */
void emu_report_summary(int not_run);
const char *emu_kernel_name(const launch *L);

/* ---- other rooms ---- */
int emu_take_cluster(launch *L, emu_dim3 *first);
int emu_target_own(const emu_module *m);         /* is the module's .target an a or f one? */
int emu_target_sm(const emu_module *m);          /* its number: 90 */
/* What an instruction newer than PTX 9.0 needs: .version (94 for 9.4) and .target, as tests/isa/variants.tsv has them:
 * "sm_90+", or "107f,107a". 0, or -1 with a sentence in err */
int emu_needs(const emu_module *m, const ptx_instr *i, uint32_t version, const char *targets, char *err, size_t n);
#define EMU_BLACKWELL "100f,100a,103f,103a,107f,107a,110f,110a"
#define EMU_BLACKWELL_120 EMU_BLACKWELL ",120f,120a,121f,121a"
#define EMU_RUBIN "107f,107a"
int emu_tma_decode_cp(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n);
int emu_tma_decode_st(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n);
int emu_decode_multimem(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n);
int emu_decode_ldst(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n);
int emu_decode_atom(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n);
int emu_tma_decode_priority(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n);
int emu_tma_decode_red(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n);
void emu_fabric_exit(warp *w);
void emu_wgmma_exit(warp *w);                    /* the last lane exits: reports what was never waited for, frees */
void emu_wgmma_cta_free(cta *c);
void emu_tcgen05_warp_exit(warp *w);
/* Instruction i uses a register of the ld, the seq-th of the warp's loads and stores, before its wait::ld */
void emu_tcgen05_used(warp *w, const ptx_instr *i, uint32_t mask, const ptx_instr *ld, uint32_t seq, int write);
void emu_tcgen05_cta_exit(warp *w, cta *c);
void emu_tcgen05_cluster_free(cluster *cl);
#endif
