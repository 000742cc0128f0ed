/* model.h - what a kernel would do on a board (--model, docs/model.md): trace.c notes what each warp of a few clusters
 * did, in order; model.c knows devices and plays the notes back against their resources; model_report.c says what came
 * out, as a table, JSON and SVG. */
#ifndef EMU_MODEL_H
#define EMU_MODEL_H
#include <stdio.h>
#include "core.h"

/* ---- A device: rates for each cycle of its clock, latencies in cycles. Sources: docs/model.md ---- */
typedef struct model_device {
    const char *option, *name, *target; /* "h200", "H200 SXM", "sm_90a" */
    int sms;
    double ghz;                         /* the clock that the data sheet's dense rate stands for */
    /* operations (2 a multiply-add) of a multiprocessor's Tensor Cores, by type; sync: the part that mma.sync gets */
    double mma_16, mma_tf32, mma_8, mma_s8, mma_4, mma_64, sync;
    double dense;                       /* TFLOP/s of the data sheet, 16 bits */
    double smem, l2_in, l2_out;         /* bytes: shared memory; L2 to a multiprocessor and back */
    double dram;                        /* GB/s */
    double tmem_in, tmem_out;           /* bytes, of a quarter of tensor memory (a warp's lanes) */
    /* cycles that a warp instruction holds its scheduler's pipe: FMA, the other ALU, conversions, special functions */
    double fma, alu, cvt, xu;
    double start;                       /* from a launch to its first load */
    double load, ld, sync_latency;      /* a TMA load, a load of a register; what one thread does to another's wait */
} model_device;
const model_device *emu_model_device(const char *option);
void emu_model_list(FILE *f);

/* ---- Notes ---- */
enum { MP_ISSUE, MP_FMA, MP_ALU, MP_XU, MP_LSU, MP_MMA, MP_PIPES }; /* cycles of a scheduler; LSU: of shared memory */
enum {
    EV_WORK,        /* nothing but the work before it */
    EV_WAIT,        /* for a token */
    EV_SIGNAL,      /* one arrival at a token */
    EV_LOAD,        /* a: bytes to each CTA of mask; signals */
    EV_STORE,       /* a: bytes */
    EV_BULK_COMMIT, EV_BULK_WAIT, /* n groups may be left; mask 1: only read */
    EV_WGMMA,       /* a warp's quarter: a: cycles of its Tensor Core, b: of shared memory */
    EV_WG_COMMIT, EV_WG_WAIT,
    EV_CP, EV_CP_COMMIT, EV_CP_WAIT, EV_CP_ARRIVE, /* cp.async; a: bytes */
    EV_GLOBAL,      /* a: bytes to, b: from registers */
    EV_REMOTE,      /* st.async, clusterlaunchcontrol: a: bytes; signals */
    EV_T5_MMA,      /* a: cycles of the Tensor Cores of each of n CTAs, b: of their shared memory */
    EV_T5_CP, EV_T5_COMMIT, EV_T5_LD, EV_T5_ST, EV_T5_WAIT,
    EV_END
};
typedef struct model_event {
    uint8_t kind, n;
    uint16_t mask;
    float a, b, work[MP_PIPES];         /* work: before it */
    uint32_t token;                     /* index; signals: the first of those in cluster->signal */
    uint32_t signals;
} model_event;
typedef struct model_signal { uint32_t warp, event, token; } model_signal;
typedef struct model_warp {
    model_event *e;
    uint32_t n, room;
    float work[MP_PIPES], saved[MP_PIPES];
    const ptx_instr *poll;              /* a wait that failed: what follows up to the next try does not count */
} model_warp;
/* Barriers' phases, by (kind, CTA, place, phase); arrivals: how many things it waits for */
typedef struct model_token { uint64_t key; uint32_t arrivals, next; } model_token;
typedef struct model_cluster {
    model_warp *w;                      /* by CTA rank * warps of a CTA + warp */
    uint32_t nwarp, ncta, warps;        /* all; CTAs; warps of a CTA */
    model_token *token; uint32_t tokens, token_room, *bucket;
    model_signal *signal; size_t signals, signal_room;
    double flops, dense;                /* operations; cycles that the device's Tensor Cores would take at the least */
} model_cluster;
enum { MODEL_CLUSTERS = 32, MODEL_BUCKETS = 4096 };
typedef struct model_run {
    const model_device *dev;
    uint8_t *pipe; float *cycles;       /* by instruction */
    model_cluster *cluster[MODEL_CLUSTERS];
} model_run;

void model_begin(launch *L);
void model_end(launch *L);              /* plays back, reports, frees */
void model_cluster_begin(cluster *cl);
/* After instruction i; done: it has taken place. A wait that failed and will be tried again: polled. */
void model_ran(warp *w, const ptx_instr *i);
void model_polled(warp *w, const ptx_instr *i);
enum { MT_MBAR = 1, MT_BAR, MT_CLUSTER };
void model_wait(warp *w, int kind, uint32_t rank, uint32_t place, uint64_t phase);
void model_signal_at(warp *w, int kind, uint32_t rank, uint32_t place, uint64_t phase);
void model_op_signal(async_op *op, uint32_t rank, uint32_t place, uint64_t phase);
/* An event of the warp; op: whose signals are to be its own (or NULL) */
void model_note(warp *w, async_op *op, model_event e);
void model_work(warp *w, int pipe, double cycles);
void model_mma(warp *w, int type, double flops);                 /* mma.sync */
double model_mma_rate(const model_device *d, int ptx_type_of_a);
void model_flops(warp *w, int type, double flops);
static inline model_run *model_of(const warp *w) { return w->cta->cl->model ? w->cta->cl->L->model : NULL; }

/* ---- Playing back ---- */
enum { MODEL_ROWS = 64 };           /* of the picture: three, and warps */
enum { MR_TENSOR, MR_SMEM, MR_IN, MR_OUT, MR_ISSUE, MR_FMA, MR_ALU, MR_XU, MR_TMEM, MR_COUNT };
extern const char *const model_resource[MR_COUNT];
enum { MS_WORK, MS_MMA, MS_LOAD, MS_STORE, MS_WAIT_LOAD, MS_WAIT_MMA, MS_WAIT_THREAD, MS_WAIT_STORE, MS_TMEM,
    MS_KINDS };
typedef struct model_span { float from, to; int16_t row; uint8_t kind; } model_span;
typedef struct model_result {
    double cycles, busy[MR_COUNT];      /* of SM 0, in cycles of its busiest scheduler or Tensor Core */
    double waits[MS_KINDS];             /* of the warp that ends last: cycles that it waits for what */
    double flops, in, out;              /* operations, bytes of all SMs that took part */
    int sms, stuck;
    model_span *span; size_t spans, span_room; uint32_t last[MODEL_ROWS];     /* last: of a row + 3, from 1 */
    double *stores; size_t nstores, store_room;
} model_result;
/* n clusters of one multiprocessor (of as many as a cluster has CTAs) */
void model_play(const model_device *d, model_cluster *const *c, int n, model_result *r);
void model_report(launch *L, const model_result *r, int resident, double waves);
void model_svg(const launch *L, const model_device *d, const model_result *r, const char *file);
#endif
