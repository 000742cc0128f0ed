/* tma.h - what tma.c (bulk copies), tma_tensor.c (tensor copies) and tensormap.c (tensormap.*) share */
#ifndef EMU_TMA_H
#define EMU_TMA_H
#include <string.h>
#include "core.h"
#include "tmap.h"

typedef unsigned long long ull;

enum { MODE_TILE, MODE_GATHER4, MODE_SCATTER4, MODE_IM2COL, MODE_IM2COL_W, MODE_IM2COL_W128, MODE_IM2COL_NO_OFFS,
       MODE_IM2COL_NO_OFFS_W };
enum { RED_NONE, RED_ADD, RED_MIN, RED_MAX, RED_INC, RED_DEC, RED_AND, RED_OR, RED_XOR };
extern const char *const tma_red_word[];
enum { OVER_NONE, OVER_ADDRESS, OVER_DIM, OVER_DIM_STRIDE };           /* .override */

/* What decoding finds out; lies in ptx_instr.f. Operand numbers: NOT if absent. */
enum { NOT = 255 };
typedef struct {
    uint8_t mode, dim, red, type;        /* type: PT_* of a bulk reduction */
    uint8_t dst_cta, cta_group, dst, src;
    uint8_t mbar, size, mask, info;
    uint8_t bytes, n, space, field;      /* st.async: bytes of an element, elements; tensormap.replace: field, ord */
    uint8_t ord, release;
    uint8_t report, left, over, mask32;  /* left: operand of .ignore_oob's first number; mask32: of 32 bits */
} tma_f;
_Static_assert(sizeof(tma_f) <= sizeof ((ptx_instr *)0)->f, "fits");
static inline const tma_f *F(const ptx_instr *i) { return (const tma_f *)(const void *)i->f; }

/* ---- tma.c ---- */
enum { F32_KEEP = 255 };                 /* besides the PT_*: f32 whose subnormals are kept, not flushed */
/* dst[k] = dst[k] op src[k]; dst may be memory that other clusters change at the same time */
void tma_reduce(int red, int type, void *dst, const void *src, uint64_t bytes);
/* Does what is copied look as if nobody had written it? report: the instruction's */
int tma_unwritten(int report, const uint8_t *p, uint64_t bytes);
static inline uint32_t lane_bit(int lane) { return 1u << lane; }
/* A shared operand of one lane: CTA and offset; 0: reported */
int tma_shared_at(warp *w, const ptx_instr *i, int lane, int space, uint64_t addr, const char *what, cta **c,
                  uint32_t *off);
/* Destinations: shared memory of one CTA, or of all in a multicast mask, and the mbarrier of each */
typedef struct { uint16_t ctas; uint32_t off, mbar_off; uint8_t mbar_rank[16]; uint8_t silent; } tma_dests;
/* Resolves the destination and mbarrier operands. 0: reported, and nothing can be done */
int tma_find_dests(warp *w, const ptx_instr *i, int lane, const tma_f *f, tma_dests *d, cta **mbar_cta);
void tma_post(async_op *op, cta *c, uint32_t off);                  /* with an mbarrier */
void tma_signal(async_op *op, const tma_dests *d, uint32_t bytes);  /* complete_tx at every mbarrier */
void tma_report(async_op *op, const tma_dests *d);
void tma_count(warp *w, const ptx_instr *i, uint64_t shared, uint64_t global);     /* bytes, for --stats */

/* Decoding */
static inline int one_of(const char *w, const char *const *list)
{
    for (int k = 0; list[k]; k++) if (!strcmp(w, list[k])) return k + 1;
    return 0;
}
static inline int op_is(const ptx_instr *i, int k, int kind) { return k < i->nop && i->op[k].kind == kind; }
/* An operand that is read as a value */
int tma_value(emu_module *m, ptx_func *fn, ptx_instr *i, int k, ptx_type t, char *err, size_t n);

/* ---- tma_tensor.c ---- */
int tma_tensor_load(warp *w, const ptx_instr *i, uint32_t mask);
int tma_tensor_store(warp *w, const ptx_instr *i, uint32_t mask);
int tma_tensor_prefetch(warp *w, const ptx_instr *i, uint32_t mask);

/* ---- tensormap.c ---- */
int tma_decode_map(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n);
#endif
