/* emu.h - what the rooms of tcemu share: machine state (launch, cluster, CTA, warp), how an instruction gets at its
 * registers, how it touches memory, how asynchronous work is queued, how mistakes are reported.
 *
 * Rooms: ptx.c, ptx_read.c text -> instructions; fatbin.c images -> text; decode.c instruction -> exec function; exec.c
 * warps, divergence; cluster.c scheduling; launch.c modules, launches; alu.c arithmetic; num.c number formats and cvt;
 * mem.c ld, st, atom, cp.async, address spaces; sync.c barriers, mbarrier, votes, shuffles; tma.c bulk copies,
 * tma_tensor.c tensor copies, tensormap.c tensor maps in memory; multimem.c, fabric.c; spcompress.c; mma.c mma.sync,
 * wmma, ldmatrix; wgmma.c; tcgen05.c, tcgen05_move.c, tcgen05_mma.c tensor memory; note.c what a program says of
 * itself; check.c happens-before, shadow memory; early.c what is touched before griddepcontrol.wait; spin.c hangs that
 * write memory; slots.c registers that share a place; pool.c large buffers; trace.c, model.c, model_report.c,
 * model_device.c what it would do on a board; report.c messages, statistics; host.c, driver.c the CUDA APIs;
 * hostcore.c, hostmodule.c, hostwork.c what both stand on; main.c the launcher.
 *
 * A CTA cluster (a single CTA if there are no clusters) is run by one OS thread at a time, so nothing within a cluster
 * needs a lock. Global memory is shared between clusters that run in parallel: atomics on it use real atomic
 * operations. */
#ifndef EMU_H
#define EMU_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "ptx.h"

#define EMU_FULL 0xffffffffu

/* ---- The device that is emulated (device.c) ---- */
typedef struct emu_device {
    const char *option;                 /* "sm_90a" */
    const char *name;                   /* "tcemu sm_90a (no GPU)" */
    int sm; char suffix;                /* 90, 'a' */
    int sms;                            /* multiprocessors */
    int smem_per_sm, smem_per_block, smem_optin, smem_reserved;     /* bytes */
    int regs_per_sm, threads_per_sm, blocks_per_sm, max_cluster;
    int l2_bytes, clock_khz; size_t memory;
} emu_device;

/* ---- Addresses ----
 * Global, constant and kernel-parameter memory: real host addresses. Generic addresses of the other spaces have a tag
 * in the top byte. A 32-bit shared address is rank << 24 | offset, in .shared::cta too (rank: of the CTA that owns the
 * byte, in its cluster), as on hardware; offset 0..smem_reserved-1 is reserved by the system. */
#define EMU_GEN_SHARED 0x5e00000000000000ull
#define EMU_GEN_LOCAL  0x1c00000000000000ull
#define EMU_GEN_TAG(a) ((a) & 0xff00000000000000ull)

struct launch; struct cluster; struct cta; struct warp; struct vclk; struct shadow; struct async_op;

typedef struct dim3_ { uint32_t x, y, z; } emu_dim3;

/* What a block may have without cudaFuncAttributeSharedMemoryMode. sm_107 has more: CUDA calls that oversized */
static inline int emu_smem_plain(const emu_device *d) { return d->smem_optin < 232448 ? d->smem_optin : 232448; }

/* ---- A kernel of a module, ready to run ---- */
typedef struct emu_kernel {
    struct emu_module *mod; ptx_func *fn;
    /* by ptx_sym.id: offset of each .shared variable; ~0u if the kernel has no use of it */
    uint32_t *shared_off;
    uint32_t static_smem;               /* bytes after smem_reserved */
    uint32_t dyn_off;                   /* offset of the dynamic block (from the reserved bytes' start: add nothing) */
    uint32_t local_bytes;               /* local memory of a thread at the deepest static call; grows on demand */
    int max_dyn_smem;                   /* cudaFuncAttributeMaxDynamicSharedMemorySize */
    int smem_mode;                      /* cudaFuncAttributeSharedMemoryMode: 3, 4: more than 227 KB (sm_107) */
    int uses_wgmma, uses_bulk, cluster_nonportable;
} emu_kernel;

typedef struct emu_module {
    ptx_module *ptx; const emu_device *dev;
    emu_kernel *kernel; int nkernel;
    const char *file;                   /* program or buffer the image came from */
    void **konst;                       /* decode.c: planes of immediates */
} emu_module;

/* ---- State of a launch ---- */
typedef struct cta {
    struct cluster *cl; uint32_t rank;  /* rank in the cluster */
    emu_dim3 id;
    uint8_t *smem; uint32_t smem_size;  /* from offset 0, the reserved bytes included */
    struct shadow *shadow;
    struct warp *warp; int nwarp, nthread, live_warps;
    struct named_barrier {
        uint32_t expected, arrived, gen, red_started, red_popc, red_and, red_or, done_popc, done_and, done_or;
        struct vclk *vc, *vc_done;
    } bar[16];
    struct mbar_table *mbars;
    struct tmem *tmem;                  /* tcgen05.c */
    uint32_t regs_pool; int regs_known; /* setmaxnreg */
    void *wg;                           /* wgmma.c: per-warpgroup bookkeeping */
    void *per_cta;                      /* what %perctamemoryoffset points to, once it was read */
} cta;

typedef struct cluster {
    struct launch *L; cta *cta; uint32_t ncta;
    emu_dim3 id;
    uint64_t events;                    /* grows whenever something happened that a blocked warp may wait for */
    uint64_t steps;                     /* warp instructions executed */
    uint64_t rng;
    struct async_op *q_head, *q_tail; uint32_t q_count; /* asynchronous operations not yet performed */
    /* vector clock: threads (padded to warps, all CTAs), then slots of asynchronous operations */
    uint32_t nthread_pad, nclock;
    struct clock_state *clocks;
    uint32_t barrier_arrived, barrier_gen; struct vclk *barrier_vc, *barrier_done;
    int live_ctas;
    void *tc5;                          /* tcgen05.c: state of the cluster */
    uint64_t idle_cycles, progress_at;  /* emulated time spent waiting */
    int idle_rounds, timeout;   /* timeout: parked try_waits give up now */
    struct model_cluster *model;        /* trace.c: of the clusters that are noted */
    struct cluster *next; uint32_t index;
    /* launch.c: is it spinning for ever? */
    uint64_t idle_at, idle_slices, idle_steps, seen[48], seen_at; int went_idle, waits_elsewhere; uint32_t nseen;
    int stuck;
    /* steps at, and since, the last progress that was no mere write; quiet: for long */
    uint64_t busy_at, quiet_steps; int quiet;
    struct { uint32_t thread, tick; } *waits; uint32_t nwaits, cap_waits;   /* early.c: griddepcontrol.wait */
    int watch; uint32_t spin_gen, spin_slices; int spin_ready, spin_proven; void *spin_warps;       /* spin.c */
} cluster;

typedef struct warp {
    cta *cta; uint32_t id;              /* warp in CTA */
    uint32_t live;                      /* lanes that exist and have not exited */
    uint32_t exists;
    uint32_t *reg; uint32_t nreg_alloc; /* register file: planes of 32 lanes */
    uint32_t *pred; uint32_t npred_alloc;
    uint32_t base, pbase;               /* register window of the group of lanes that executes now */
    uint32_t pc[32];                    /* next instruction of each lane */
    uint32_t lane_base[32], lane_pbase[32];
    struct frame *frame[32];            /* call stack of each lane, NULL in the kernel itself */
    uint32_t frame_off[32], frame_top[32];      /* local memory: the current frame */
    uint8_t *local[32]; uint32_t local_size[32];
    uint32_t stalled; uint64_t stalled_at;              /* lanes that wait, and cluster->events when they began */
    /* lanes that have done the first half of the blocking instruction they stand at */
    uint32_t begun;
    uint64_t wait_key[32];              /* free for the blocking instruction of each lane */
    struct vclk *vc[32];                /* what each thread knows to have happened */
    uint32_t tick;                      /* clock of the warp */
    struct cpasync *cpasync; uint32_t cp_groups[32];    /* mem.c: cp.async not yet waited for; groups committed */
    /* registers whose value is on the way (wgmma accumulators, tcgen05.ld): tag of each plane, 0 if none */
    uint32_t *tag; uint64_t *tagged; uint32_t ntagged;           /* tagged: a bit for each plane that has one */
    /* kernels with wgmma: when was each plane last computed, and where: seq << 24 | index of the instruction */
    uint64_t *wrote; uint64_t wgmma_fence_seq, seq;
    struct wg_warp *wgmma; struct tc5_warp *tc5;
    struct bulk_groups *bulk;           /* tma.c / core: bulk groups of each lane */
    uint32_t maxnreg;                   /* setmaxnreg: present limit; 0: not known */
    const struct ptx_instr *maxnreg_at; /* the setmaxnreg that set it */
    uint32_t cluster_gen[32];           /* barrier.cluster: generation that each lane arrived at */
    uint32_t reconverge_rr;
    uint64_t steps;
    void *fences;                       /* check.c */
    void *tags; uint32_t next_tag;      /* exec.c: registers on the way */
    struct async_op *fabric;            /* fabric.c: operations not yet submitted */
    uint32_t waited;                    /* early.c: lanes that a griddepcontrol.wait is behind */
    struct undef *undef;                /* undef.c: values that a shuffle read from nowhere; NULL: none */
    /* the wait that each lane stands at or polls, for the deadlock report; NULL: it runs */
    const ptx_instr *last_wait[32];
} warp;

enum { EMU_EARLY_MAX = 8 };               /* launches that may run beside one */
typedef struct launch {
    const emu_device *dev; emu_kernel *k; emu_module *mod;
    emu_dim3 grid, block, clusterdim; uint32_t cluster_size;
    uint32_t dyn_smem; uint64_t gridid;
    uint8_t *param;                     /* the parameter block */
    struct stat_line *stats;            /* by instruction; --stats */
    int failed; char error[512];        /* first fatal error: the launch ends */
    int cuda_error;                     /* cudaError_t for the host: 0, cudaErrorLaunchFailure, cudaErrorAssert, ... */
    struct model_run *model;            /* trace.c; --model */
    uint32_t nthread, nwarp;
    uint64_t seed; int schedule;
    struct worker_pool *pool; struct spin *spin;
    uint64_t clock_base;
    /* cooperative launches: what %envreg1:%envreg2 point to, the word of the grid barrier at 4 */
    void *grid_workspace;
    /* early.c: its mark as a writer, those of the launches that may still run, and does a block let the next launch
     * start before it has waited for them? */
    uint8_t mark, beside[EMU_EARLY_MAX]; int nbeside, lets_go;
} launch;

/* ---- Decoding ----
 * A family of instructions registers itself by its first word. The decoder looks at i->mod and i->op, fills i->f,
 * i->aux, i->flags and i->exec and returns 0; or returns -1 with a sentence in err: "ld: .v8 with .b64 is not
 * supported".
 * Decoding happens once per module, when a kernel of it is first launched, for reachable functions only. */
typedef int (*emu_decoder)(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t err_size);
typedef struct { const char *word; emu_decoder decode; } emu_family;
/* each ends in {0} */
extern const emu_family emu_alu[], emu_cvt[], emu_mem[], emu_sync[], emu_tma[], emu_mma[], emu_wgmma[], emu_tcgen05[],
    emu_control[], emu_spcompress[], emu_fabric[], emu_early[];
int emu_decode_note(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t err_size);

/* i->flags */
enum {
    I_CONTROL = 1,    /* exec sets the lanes' pc itself */
    I_ALIGNED = 2,    /* .sync.aligned: waits until every live lane of the warp is here; then mask == warp->live.
                         A predicate guard must be the same in all lanes (reported otherwise). */
    I_MEMBERS = 4,    /* .sync with a member mask as its last operand (shfl, vote, match, redux, elect, bar.warp):
                         likewise for the lanes in the mask */
    I_MOVE = 8,       /* a register move: copies of values on the way are allowed */
    I_WGMMA = 16      /* may name registers that are on the way */
};
int emu_has(const ptx_instr *i, const char *word);           /* is the word among the modifiers (not the opcode)? */
int emu_has_prefix(const ptx_instr *i, const char *prefix);
/* the n-th type word of the mnemonic, from the end: 0 = last */
ptx_type emu_type_n(const ptx_instr *i, int n);
/* 32 lanes of an immediate or symbol address, uint32_t[32] for bits <= 32, uint64_t[32] for 64; cached in the module */
const void *emu_konst(emu_module *m, uint64_t value, int bits);
/* Prepares a source operand for R32/R64: makes immediates (converted to type: an integer literal for an f32 operand is
 * an error, 1.5 becomes f32 bits), special registers and symbol addresses readable. Every decoder calls it for every
 * operand that its exec reads through R32/R64/RP, vectors' and pairs' elements included. Returns 0, or -1 with err
 * set. */
int emu_prepare(emu_module *m, ptx_func *fn, ptx_opnd *o, ptx_type type, char *err, size_t err_size);
/* writes "mnemonic: ...", returns -1 */
int emu_decode_error(char *err, size_t n, const ptx_instr *i, const char *fmt, ...);

/* ---- Results of exec ---- */
enum {
    X_NEXT,           /* done; on to the next instruction */
    X_JUMP,           /* I_CONTROL: pcs are set */
    X_WAIT,           /* not done: the lanes in mask stay here and try again after the next event of the cluster */
    X_YIELD,          /* done, but let others run first (a failed poll, nanosleep) */
    X_ABORT           /* fatal: launch->error is set */
};
typedef int (*emu_exec)(warp *w, const ptx_instr *i, uint32_t mask);

/* ---- Registers ---- */
static inline uint32_t *R32(warp *w, const ptx_opnd *o)
{
    return o->konst ? (uint32_t *)o->konst : w->reg + (size_t)(w->base + o->reg) * 32;
}
/* also the low half of a 128-bit register; high half at [32 + lane] */
static inline uint64_t *R64(warp *w, const ptx_opnd *o)
{
    return o->konst ? (uint64_t *)o->konst : (uint64_t *)(w->reg + (size_t)(w->base + o->reg) * 32);
}
/* predicate register: bit per lane; mind o->neg in sources */
static inline uint32_t *RP(warp *w, const ptx_opnd *o)
{
    return o->konst ? (uint32_t *)o->konst : w->pred + w->pbase + o->reg;
}
static inline uint32_t emu_pred(warp *w, const ptx_opnd *o) { return o->neg ? ~*RP(w, o) : *RP(w, o); }
/* Special registers and addresses of shared, local and parameter variables are not the same in all CTAs: emu_prepare
 * gives such an operand a scratch plane, and emu_refresh(), called by the run loop before exec, fills it. Nothing for
 * handlers to do. */

#define EMU_EACH(l, mask) for (uint32_t m_ = (mask), l; m_ && (l = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

/* ---- Memory (mem.c, check.c) ---- */
enum {
    A_READ = 1, A_WRITE = 2, A_ATOMIC = 4,
    A_STRONG = 8,     /* volatile, relaxed, acquire, release, atomic: does not race with its like */
    A_ASYNC = 16,     /* asynchronous proxy */
    A_GENERIC = 64,
    /* reading uninitialised bytes is no fault here (a copy that carries the fact along, a prefetch) */
    A_NOINIT = 32,
};
/* One lane's access to a space (SP_NONE: generic). Checks bounds, lifetime, alignment to size (align if not 0),
 * initialisation, races, proxies; reports what is wrong. Returns the bytes, or NULL if the access must not happen
 * (reported; readers then use EMU_POISON, writers do nothing). sync 1 in flags' A_STRONG: acquires / releases at the
 * address too. */
void *emu_access(warp *w, const ptx_instr *i, int lane, int space, uint64_t addr, uint32_t size, uint32_t align,
                 int flags);
#define EMU_POISON 0xcdcdcdcdcdcdcdcdull
/* Address of a PO_MEM operand for one lane: base + imm. */
uint64_t emu_mem_addr(warp *w, const ptx_opnd *o, int lane);
/* 32-bit shared address of any cluster CTA -> the CTA and offset; NULL if no such CTA or offset (not reported) */
cta *emu_shared_cta(warp *w, uint64_t addr, uint32_t *offset);
/* Generic or .shared address (space SP_SHARED or SP_NONE) -> shared 32-bit address; returns 0 if it is not in shared
 * memory */
int emu_to_shared(int space, uint64_t addr, uint32_t *shared);

/* Global memory: is [addr, addr+size) within one live allocation? 1 yes; else 0 and a sentence in why.
 * emu_alloc / emu_free serve cudaMalloc and friends; contents of fresh memory is poison and counts as uninitialised. */
int emu_global_ok(uint64_t addr, uint64_t size, int write, char *why, size_t n);
/* 0, or -1: no such allocation */
void *emu_alloc(size_t size, const char *what); int emu_free(void *p);
void *emu_alloc_find(uint64_t addr, uint64_t *base, uint64_t *size);
void emu_global_mark(uint64_t addr, uint64_t size, int initialised);                       /* host writes; frees */
uint64_t emu_global_uninit(uint64_t addr, uint64_t size);       /* first address in the range never written, or 0 */
/* make host memory (pinned, managed, registered) accessible to kernels */
void emu_alloc_host(void *p, size_t size, const char *what);

/* ---- Asynchronous operations (cluster.c runs them, tma.c, tma_tensor.c, wgmma.c, tcgen05*.c make them) ----
 * Issue: op = emu_async_new(...), fill your payload, mark every shared-memory byte the operation will read or write
 * with emu_async_touch (this is where races and missing proxy fences are found), then emu_async_post(op).
 * Later - as late as the program's waits allow, or at a random moment - the scheduler calls perform(op, stage): AO_READ
 * then AO_WRITE. For operations whose completion is an mbarrier both come at one moment. For bulk groups (stores,
 * reductions) AO_READ comes at the latest when .read is waited for, AO_WRITE when the group is. Operations with the
 * same non-NULL fifo are performed in the order of their posting. */
enum { AO_READ, AO_WRITE };
typedef struct async_op {
    struct async_op *next;
    cluster *cl; warp *w; int lane; const ptx_instr *i;      /* who issued it, and where */
    cta *cta;
    void (*perform)(struct async_op *op, int stage);
    void *payload;                                            /* size bytes, zeroed, freed with the operation */
    const void *fifo;
    /* 1: joins the lane's current bulk group (commit_group, wait_group) */
    int bulk_group;
    int stage_done;                                           /* bit AO_READ, bit AO_WRITE */
    /* where completion is signalled; for the deadlock report */
    cta *mbar_cta; uint32_t mbar_off; int has_mbar;
    uint32_t slot, tick; struct vclk *vc;                     /* clock of the operation */
    uint64_t posted; uint32_t group_no;
    /* not in the scheduler's queue: its maker calls emu_async_run() */
    int owner_managed;
    uint32_t model;                                           /* trace.c: its event, from 1 */
    int early;                                                /* early.c: issued before its thread had waited */
} async_op;
async_op *emu_async_new(warp *w, const ptx_instr *i, int lane, size_t payload_size, void (*perform)(async_op *, int));
/* flags: A_READ, A_WRITE; A_GENERIC if the operation does not belong to the asynchronous proxy (st.async, red.async) */
void emu_async_touch(async_op *op, cta *c, uint32_t offset, uint32_t bytes, int flags);
void emu_async_post(async_op *op);
/* For operations whose maker decides when they happen (wgmma, tcgen05.ld): not queued. emu_async_run performs both
 * stages, emu_async_acquire makes the waiting lanes know of its completion (happens-before), emu_async_free ends it. */
void emu_async_run(async_op *op);
void emu_async_acquire(warp *w, uint32_t mask, async_op *op);
void emu_async_free(async_op *op);
/* In perform: shared bytes (bounds were checked by touch), marks written bytes initialised; NULL if out of bounds */
uint8_t *emu_async_smem(async_op *op, cta *c, uint32_t offset, uint32_t bytes, int flags);
/* In perform or at issue: global bytes, with all checks; NULL if it must not happen (reported) */
uint8_t *emu_async_global(async_op *op, uint64_t addr, uint64_t bytes, int flags);
/* Signals of a finished operation (in perform, AO_WRITE). They carry the operation's clock. */
void emu_mbar_complete_tx(async_op *op, cta *c, uint32_t offset, uint32_t bytes);
void emu_mbar_arrive_op(async_op *op, cta *c, uint32_t offset, uint32_t count);
/* At issue: reports an mbarrier operand that is not initialised or not aligned. 1 if fine. space SP_SHARED or SP_NONE
 * (generic) */
int emu_mbar_check(warp *w, const ptx_instr *i, int lane, int space, uint64_t addr, cta **c, uint32_t *offset);

/* Registers on the way: after emu_tag(), any instruction that reads or writes one of the planes before emu_untag() is
 * reported (moves copy the tag to their destination instead). reg: slot in the present window. value index: which plane
 * of the result.
 * emu_untag(): the values arrive: every plane (original or copy) that still has tag id gets result[index*32 .. +32). */
uint32_t emu_tag_new(warp *w, const ptx_instr *i, const char *what /* "wgmma accumulator" */,
                     uint32_t note /* for its maker */);
void emu_tag(warp *w, uint32_t tag, const ptx_opnd *reg, uint32_t index);
void emu_untag(warp *w, uint32_t tag, const uint32_t *result);
void emu_untag_all(warp *w);
int emu_tagged(const warp *w, uint32_t tag);            /* has any plane the tag? */
/* Is this register operand on the way? Its tag and value index; else 0. (A wgmma that accumulates onto the one
 * before.) */
uint32_t emu_tag_of(warp *w, const ptx_opnd *reg, uint32_t *index);

/* ---- Reports (report.c) ---- */
typedef enum {
    E_OOB_GLOBAL, E_OOB_SHARED, E_OOB_LOCAL, E_MISALIGNED, E_FREED, E_UNINIT_GLOBAL, E_UNINIT_SHARED, E_UNINIT_TMEM,
    E_RACE, E_PROXY, E_WGMMA_FENCE, E_WGMMA_PENDING, E_TCGEN05, E_TMEM, E_MBARRIER, E_CONVERGENCE, E_SETMAXNREG,
    E_IN_FLIGHT,
    E_DEADLOCK, E_DESCRIPTOR, E_TRAP, E_ASSERT, E_UNSUPPORTED, E_OPERAND, E_READONLY, E_HANG, E_LEAK, E_EARLY,
    E_COUNT
} emu_check;
/* Names for people and for --json: "out-of-bounds-global", ... */
extern const char *const emu_check_name[E_COUNT];
/* Reports a mistake at instruction i by the lanes in mask. The sentence says what, with values, and the rule. The same
 * check at the same instruction is printed once and counted. lane -1 and mask 0 are allowed. */
void emu_report(warp *w, const ptx_instr *i, uint32_t mask, emu_check what, const char *fmt,
                ...) __attribute__((format(printf, 5, 6)));
/* A second place that belongs to the last report: "written at ..." */
void emu_report_also(warp *w, const ptx_instr *i, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Fatal: reports and ends the launch. Returns X_ABORT. */
int emu_fatal(warp *w, const ptx_instr *i, uint32_t mask, emu_check what, const char *fmt,
              ...) __attribute__((format(printf, 5, 6)));
/* "kernel.cu:12 (inlined at main.cu:40)"; returns buf */
const char *emu_where(const ptx_module *m, const ptx_instr *i, char *buf, size_t n);
/* "offset 1152 (tile + 128)": a place in shared memory with the variable that lies there. Good until a few calls
 * later. */
const char *emu_offset(const cta *c, uint32_t offset);
int emu_error_count(void);

/* ---- Statistics (--stats; no cost when w->cta->cl->L->stats is NULL) ---- */
typedef struct stat_line {
    uint64_t count, lanes, flops, global_bytes, shared_bytes, async_bytes, tmem_bytes, conflicts, sectors;
} stat_line;
static inline stat_line *emu_stat(warp *w, const ptx_instr *i)
{
    launch *L = w->cta->cl->L;
    return L->stats ? &L->stats[i - L->mod->ptx->code] : NULL;
}

/* ---- Options (main.c passes them in TCEMU_* variables) ---- */
typedef struct emu_options {
    const emu_device *device;
    uint64_t seed; int schedules;       /* schedule 0: latest; 1..: random from the seed */
    int stats, json, threads, checks, verbose;
    /* also report what the ISA does not promise but widely used libraries rely on */
    int strict;
    uint64_t timeout;                   /* seconds that a kernel may run, 0 as long as it likes */
    uint64_t hang;                      /* warp instructions without progress until a hang is reported */
    const char *json_path;
    const struct model_device *model;   /* --model; NULL: without */
    const char *model_svg, *model_kernel;
} emu_options;
extern emu_options emu_opt;

/* ---- Between the API rooms (host.c, driver.c) and the machine (launch.c) ---- */
emu_module *emu_module_load(const char *ptx_text, size_t n, const char *from, char *err, size_t err_size);
void emu_module_unload(emu_module *m);
emu_kernel *emu_module_kernel(emu_module *m, const char *name);
/* address of a __device__ / __constant__ variable */
void *emu_module_global(emu_module *m, const char *name, size_t *size);
typedef struct emu_launch_config {
    emu_dim3 grid, block, cluster;      /* cluster 0,0,0 or 1,1,1: none */
    uint32_t dyn_smem; int cooperative;
    int pdl;                            /* programmatic, and behind the last launch of all, in the same stream */
    /* CUDA 13.5, for this launch in place of the kernel's attributes. cluster_mode: 0 as they say, 1 portable sizes
     * alone, 2 others too; smem_mode: the same, and 3, 4 the oversized ones */
    int cluster_mode, smem_mode;
} emu_launch_config;
/* args: one pointer per parameter, as cudaLaunchKernel; or NULL and the packed block of param_size bytes.
 * Checks every limit first. Returns a cudaError_t (the driver API's codes are the same numbers): 0,
 * cudaErrorInvalidConfiguration, ...;
 * the kernel has finished on return. why: the sentence that goes with it. */
int emu_launch(emu_kernel *k, const emu_launch_config *c, void **args, const void *packed, size_t packed_size,
               char *why, size_t n);
/* Registers a thread would need on hardware: from .maxnreg/.maxntid, else an estimate; for attribute and occupancy
 * queries. */
int emu_kernel_regs(const emu_kernel *k);
int emu_blocks_per_sm(const emu_kernel *k, int threads, size_t dyn_smem);    /* occupancy */
uint64_t emu_clock(void);               /* emulated time: warp instructions executed so far */
#endif
