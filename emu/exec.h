/* exec.h - what exec.c (a warp), cluster.c (a cluster) and launch.c (a grid) share: each runs the one before */
#ifndef EMU_EXEC_H
#define EMU_EXEC_H
#include "core.h"

/* ---- exec.c ---- */
/* room for sunk predicates as well */
static inline uint32_t preds_of(const ptx_func *f) { return f->npred + f->nslot; }
uint32_t warp_members(warp *w, const ptx_instr *i, int lane);       /* the member mask of a .sync instruction */
/* May the group go on at its .sync instruction? Returns the lanes that may */
uint32_t warp_ready(warp *w, const ptx_instr *i, uint32_t mask);
enum { W_QUANTUM, W_BLOCKED, W_YIELDED, W_DONE, W_ABORT };
int warp_run(warp *w, int budget);

/* ---- cluster.c ---- */
void bulk_exit(warp *w, const ptx_instr *i, uint32_t mask);         /* lanes exit: what is left of their bulk groups */
void queue_abandon(cta *c, warp *w, const ptx_instr *i);            /* a CTA has ended: what is in flight to it */
cluster *cluster_begin(launch *L, uint32_t index);
void cluster_end(cluster *cl);
enum { C_DONE, C_SLICE, C_IDLE, C_ABORT };
/* Runs the cluster until it has finished, used up the slice, or can only wait for other clusters */
int cluster_run(cluster *cl, int64_t slice);
void cluster_deadlock(cluster *cl, const char *why);                /* reports it, and the launch fails */
#endif
