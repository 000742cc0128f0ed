/* tcgen05.h - what tcgen05.c (allocation, synchronisation, checks), tcgen05_move.c (loads and stores, copies) and
 * tcgen05_mma.c (tcgen05.mma) share.
 *
 * Tensor memory: 128 lanes x 512 columns of 32-bit cells per CTA, 576 on sm_107, of which a plain alloc gives 512. An
 * address is lane << 16 | column. */
#ifndef EMU_TCGEN05_H
#define EMU_TCGEN05_H
#define TC_NO_HOST
#include "../tc_chip.h"
#include "core.h"
#include "smem_desc.h"

enum { TM_LANES = 128, TM_COLS = TC_CHIP_107_TMEM, TM_UNIT = 32 /* columns: unit of allocation */ };

/* Who touched a column of 16 lanes last. kind 0: nobody. */
enum { MK_NONE, MK_ASYNC, MK_THREAD };
typedef struct tm_mark {
    uint8_t kind, group;                /* group: cta_group of an asynchronous operation */
    /* MK_THREAD: warp of the cluster that loaded or stored; MK_ASYNC: that issued */
    uint16_t warp;
    uint32_t slot, tick;                /* MK_ASYNC: clock of the operation; MK_THREAD: tick of the warp */
    uint32_t seq;                       /* MK_THREAD: number of the ld or st within its warp */
    uint32_t pc;
} tm_mark;

typedef struct tmem {
    uint32_t cell[TM_LANES][TM_COLS];
    uint64_t init[TM_LANES][TM_COLS / 64];
    tm_mark writer[8][TM_COLS], async_reader[8][TM_COLS], reader[8][TM_COLS];   /* by lane / 16 */
    uint8_t owner[TM_COLS / TM_UNIT];   /* number of the allocation that holds the unit, 0 none */
    struct { uint16_t col, ncol; const ptx_instr *at; } alloc[TM_COLS / TM_UNIT + 1];   /* by number */
    int relinquished; const ptx_instr *relinquished_at;
    int exclusive;                      /* number of the allocation that is .exclusive, 0 none */
    /* what the collector for B holds, in the CTA that issues: which fill, and a sum over its bytes; NULL: nothing */
    const ptx_instr *filled; uint64_t filled_desc, filled_sum; uint32_t filled_idesc;
    uint64_t a_held; int a_holds;       /* --model: A's descriptor of which the collector for A is full, if it is */
    int alloc_warp; uint32_t nalloc;    /* warp that allocates, -1 none yet; allocations so far */
    /* cta_group::2: addresses of the first allocations, to compare with the peer's */
    uint32_t pair_addr[64];
} tmem;

enum { TC5_FENCES = 128 };
typedef struct tc5_load { const ptx_instr *i; uint32_t taddr; } tc5_load;
typedef struct tc5_warp {
    struct tc5_warp *next;              /* of the cluster's */
    uint32_t seq;                       /* ld and st executed */
    uint32_t ld_waited, st_waited;      /* seq at the last wait */
    vclk *issued[32];                   /* by lane: clock of the last asynchronous operation it issued */
    vclk *read_a[32];                   /* by lane: of the last reading of an A that it issued */
    vclk *after[32];                    /* what the lane knew at its last fence::after_thread_sync */
    uint32_t nfence; struct { uint32_t tick, seq; } fence[TC5_FENCES];      /* fence::before_thread_sync: a ring */
} tc5_warp;

typedef struct tc5_cluster {
    int group; const ptx_instr *group_at;       /* cta_group in use, 0 not known yet */
    /* does the kernel use them? CUTLASS does without fences; then only the ordering itself is judged */
    int fences_after, fences_before, waits_ld;
    int commits_a;                      /* does it commit the reading of A alone? (sm_107) */
    tc5_warp *warps;
    char fifo[16], fifo_a[16];                  /* addresses serve as keys */
} tc5_cluster;

/* An access to a rectangle of tensor memory, for the checks: halves is a mask of 16-lane groups */
enum { TA_LD, TA_ST, TA_READ, TA_WRITE };       /* by the warp's ld, st; by an asynchronous operation */

tc5_warp *tc5_of(warp *w);
tc5_cluster *tc5_cluster_of(cluster *cl);
tmem *tc5_tmem(cta *c);
/* Checks the cta_group, and that a pair exists for group 2. Returns 0, or -1 (reported). */
int tc5_group(warp *w, const ptx_instr *i, uint32_t mask, int group);
/* Are columns [col, col + n) of the CTA's tensor memory allocated? what: the operand. Reports and returns 0 if not. */
int tc5_allocated(warp *w, const ptx_instr *i, uint32_t mask, cta *c, uint32_t taddr, int col, int n, const char *what);
/* Ordering of an access with those before it; remembers it. op: of an asynchronous access. 1 if something was
 * reported. */
int tc5_access(warp *w, const ptx_instr *i, uint32_t mask, cta *c, uint32_t halves, int col, int n, int how,
               async_op *op, const char *what);
/* A new asynchronous operation of a thread, and its posting: in order of issue, after those that the thread issued
 * before */
async_op *tc5_new(warp *w, const ptx_instr *i, int lane, size_t size, void (*perform)(async_op *, int));
void tc5_post(async_op *op, int group);
/* The same for the reading of A, and for a commit that tells of nothing else */
async_op *tc5_new_a(warp *w, const ptx_instr *i, int lane, size_t size, void (*perform)(async_op *, int));
void tc5_post_a(async_op *op, int group);
/* Columns of tensor memory that the device has */
static inline int tc5_columns(const emu_device *d) { return tc_chip_tmem_columns(d->sm); }
/* Is it a module for sm_107a or f, on such a device? */
int tc5_is_107(const emu_module *m);
static inline void tm_set_init(tmem *t, int lane, int col, int n)
{
    for (; n && col % 64; n--, col++) t->init[lane][col / 64] |= 1ull << col % 64;
    for (; n >= 64; n -= 64, col += 64) t->init[lane][col / 64] = ~0ull;
    if (n) t->init[lane][col / 64] |= (1ull << n) - 1 /* never crosses: col is aligned here */;
}
/* first column in [col, col + n) not initialised, or -1 */
static inline int tm_uninit(const tmem *t, int lane, int col, int n)
{
    for (int c = col; c < col + n; ) {
        if (c % 64 == 0 && col + n - c >= 64 && t->init[lane][c / 64] == ~0ull) { c += 64; continue; }
        if (!(t->init[lane][c / 64] >> c % 64 & 1)) return c;
        c++;
    }
    return -1;
}
/* Marks the 16-byte units at offset[0..n) of the CTA's shared memory as read by op, in runs. Returns 0 if one is out of
 * bounds (reported). */
int tc5_touch(warp *w, const ptx_instr *i, int lane, async_op *op, cta *c, const uint32_t *offset, int n, int used,
              const char *what, uint64_t desc);

static inline cta *tc5_peer(const cta *c) { return &c->cl->cta[c->rank ^ 1]; }      /* the other CTA of its pair */
/* The value of the operand, the same in all lanes (else reported); what: the operand */
uint32_t tc5_uniform(warp *w, const ptx_instr *i, uint32_t mask, const ptx_opnd *o, const char *what);

/* The first modifier, from the third word on, that is not in the list; or NULL */
const char *tc5_unknown_word(const ptx_instr *i, const char *const *words);
int tc5_group_of(const ptx_instr *i);           /* cta_group; 0: none */
int tc5_arch_specific(const emu_module *m);     /* is the module for an 'a' target, not for a family ('f')? */
int tc5_decode_mma(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size);
int tc5_decode_ldst(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size, int store);
int tc5_decode_cp(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size);
int tc5_shift(warp *w, const ptx_instr *i, uint32_t mask);
#endif
