/* alloc.h - the table of allocations, for mem.c and check.c */
#ifndef EMU_ALLOC_H
#define EMU_ALLOC_H
#include <stdint.h>
/* init: a bit per byte; NULL: all written */
typedef struct alloc {
    uint64_t base, size, mapped; uint8_t *init; int readonly /* to kernels; 1: parameters, 2: __constant__ */, host;
    uint8_t *writer;                            /* early.c: of each 4 bytes the mark of who wrote them; NULL: nobody */
    char what[32];
} alloc;
alloc *alloc_at(uint64_t addr);                 /* the live allocation that holds addr, or NULL */
void alloc_mark(alloc *a, uint64_t addr, uint64_t size);
void alloc_wrote(alloc *a, uint64_t addr, uint64_t size, uint8_t mark);
void alloc_unmark_writers(void);
uint64_t alloc_uninit(const alloc *a, uint64_t addr, uint64_t size);
#endif
