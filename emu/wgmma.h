/* wgmma.h - what the core calls of wgmma.c */
#ifndef EMU_WGMMA_H
#define EMU_WGMMA_H
#include "emu.h"

/* At the exit of a warp's last lane: reports wgmmas that were never waited for or that its siblings executed without it, and
 * frees what the warp holds. */
void emu_wgmma_exit(warp *w);
/* Frees what a warp holds; nothing is reported (the launch was aborted). */
void emu_wgmma_free(warp *w);
/* Frees what the CTA and its warps hold. */
void emu_wgmma_cta_free(cta *c);
#endif
