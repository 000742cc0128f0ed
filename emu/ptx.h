/* ptx.h - the parsed form of a PTX module: what ptx.c makes of the text, and what every executor reads.
 * Nothing here knows how an instruction works: an instruction is its words, its operands and its place in the
 * source. */
#ifndef EMU_PTX_H
#define EMU_PTX_H
#include <stddef.h>
#include <stdint.h>

/* Fundamental types, as in the PTX ISA. ptx_type_bits() gives their width; predicates have none. */
typedef enum {
    PT_NONE, PT_PRED,
    PT_B8, PT_B16, PT_B32, PT_B64, PT_B128,
    PT_U8, PT_U16, PT_U32, PT_U64,
    PT_S8, PT_S16, PT_S32, PT_S64,
    PT_F16, PT_BF16, PT_F16X2, PT_BF16X2, PT_F32, PT_F64, PT_TF32,
    PT_E4M3, PT_E5M2, PT_E3M2, PT_E2M3, PT_E2M1, PT_UE8M0, PT_UE4M3,              /* as elements */
    PT_E4M3X2, PT_E5M2X2, PT_E3M2X2, PT_E2M3X2, PT_E2M1X2, PT_UE8M0X2,
    PT_E4M3X4, PT_E5M2X4, PT_E3M2X4, PT_E2M3X4, PT_E2M1X4,
    PT_U16X2, PT_S16X2, PT_S4, PT_U4, PT_B1, PT_F32X2, PT_S2, PT_U2,
    PT_UE5M3, PT_UE5M3X2, PT_S2F6, PT_S2F6X2
} ptx_type;

typedef enum { SP_NONE, SP_REG, SP_GLOBAL, SP_CONST, SP_SHARED, SP_LOCAL, SP_PARAM, SP_FUNC, SP_LABEL } ptx_space;

/* A name that stands for an address: a variable, a parameter, a function or a label. */
typedef struct ptx_sym {
    const char *name;
    uint8_t space;           /* SP_* */
    uint8_t type;            /* element type, PT_* */
    uint8_t is_extern;       /* .extern: size unknown; SP_SHARED: the dynamic block; SP_FUNC: vprintf, malloc, ... */
    uint8_t entry_param;     /* SP_PARAM of an .entry: lives in the parameter block (set by decode.c) */
    uint8_t is_table;        /* SP_LABEL: a .branchtargets list (targets[]) or .calltargets list */
    uint32_t align;
    uint64_t size;           /* bytes */
    uint32_t id;             /* SP_SHARED: number within the module (its place differs per kernel) */
    uint64_t offset;         /* SP_LOCAL and a function's own SP_PARAM: place in the frame of a thread;
                                SP_PARAM of an .entry: place in the parameter block */
    uint8_t *init;           /* SP_GLOBAL, SP_CONST: size bytes of initial value, or NULL for zeros */
    struct ptx_reloc { uint64_t at; struct ptx_sym *sym; int64_t add; } *reloc;   /* addresses within init */
    int nreloc;
    struct ptx_func *func;   /* SP_FUNC with a body */
    uint32_t target;         /* SP_LABEL: index of the instruction in module->code */
    struct ptx_sym **targets; int ntargets;
    void *addr;              /* SP_GLOBAL, SP_CONST: where the loader put it */
} ptx_sym;

/* Kinds of operand */
enum {
    PO_NONE,
    PO_REG,      /* reg: slot; type: declared type */
    /* imm: an integer, or the bits of a float (type PT_F32 for 0f..., PT_F64 for 0d... and 1.5; PT_S64 for integers) */
    PO_IMM,
    PO_SREG,     /* reg: SR_*; imm: 0 1 2 for .x .y .z */
    PO_SYM,      /* sym + imm: the address of a variable; a function or label name */
    PO_MEM,      /* [base + imm]: base is sym, or register reg if type != PT_NONE, or nothing;
                    elem[0..n): the coordinates of [tensorMap, {c0, c1}] (each element a REG or IMM) */
    PO_VEC,      /* {e0, e1, ...}: elem[0..n) */
    PO_PAIR,     /* d|p: elem[0], elem[1] */
    PO_SINK,     /* _ */
    PO_ARGS      /* ( ... ) of a call: elem[0..n) */
};

typedef struct ptx_opnd {
    uint8_t kind;
    uint8_t neg;             /* '!' before a predicate register */
    uint8_t type;
    uint8_t wide;            /* set by emu_prepare: a special register or address is read as 64 bits */
    uint16_t n;
    uint32_t reg;
    int64_t imm;
    ptx_sym *sym;
    struct ptx_opnd *elem;
    const void *konst;       /* set by decoders: 32 lanes of an immediate, see emu_konst() */
} ptx_opnd;

/* Special registers */
enum {
    SR_TID, SR_NTID, SR_LANEID, SR_WARPID, SR_NWARPID, SR_CTAID, SR_NCTAID, SR_SMID, SR_NSMID, SR_GRIDID,
    SR_CLUSTERID, SR_NCLUSTERID, SR_CLUSTER_CTAID, SR_CLUSTER_NCTAID, SR_CLUSTER_CTARANK, SR_CLUSTER_NCTARANK,
    SR_IS_EXPLICIT_CLUSTER, SR_LANEMASK_EQ, SR_LANEMASK_LE, SR_LANEMASK_LT, SR_LANEMASK_GE, SR_LANEMASK_GT,
    SR_CLOCK, SR_CLOCK_HI, SR_CLOCK64, SR_GLOBALTIMER, SR_GLOBALTIMER_LO, SR_GLOBALTIMER_HI,
    SR_TOTAL_SMEM_SIZE, SR_AGGR_SMEM_SIZE, SR_DYNAMIC_SMEM_SIZE, SR_RESERVED_SMEM_BEGIN, SR_RESERVED_SMEM_END,
    SR_RESERVED_SMEM_CAP, SR_RESERVED_SMEM_OFFSET, SR_CURRENT_GRAPH_EXEC, SR_PM, SR_ENVREG, SR_WARPSZ,
    SR_PER_CTA_OFFSET, SR_PER_CTA_SIZE
};

#define PTX_NOTE "tcemu_written_shared"

struct warp;
typedef struct ptx_instr {
    int (*exec)(struct warp *w, const struct ptx_instr *i, uint32_t mask);   /* set by emu_decode() */
    ptx_opnd *op;            /* in the order of the text, destination first */
    uint8_t nop;
    uint8_t note;            /* mov to a register named PTX_NOTE: what a program tells tcemu (note.c) */
    uint8_t flags;           /* I_* of emu.h */
    uint8_t nmod;
    uint8_t guard_not;       /* @!p */
    int32_t guard;           /* predicate slot of @p, or -1 */
    uint32_t f[6];           /* free for the decoder of the instruction */
    const void *aux;         /* free for the decoder */
    const char **mod;        /* the words of the mnemonic: "ld","global","L2::128B","v4","u32". The pieces of a "::"
                                stay together: "shared::cta", "mbarrier::complete_tx::bytes", "sp::ordered_metadata" */
    uint32_t loc;            /* index into module->loc; 0: unknown */
    uint32_t line;           /* line of the PTX text, from 1 */
} ptx_instr;

/* A place in the user's source (from .loc). inlined: index of the place where this one was inlined, 0 if none. */
typedef struct { const char *file; uint32_t line, col, inlined; const char *func; } ptx_loc;

typedef struct ptx_func {
    const char *name;        /* mangled */
    ptx_sym *sym;            /* its SP_FUNC symbol */
    uint8_t is_entry, has_body;
    ptx_sym **param; int nparam;
    ptx_sym **ret; int nret;
    uint32_t param_bytes;    /* .entry: size of the parameter block */
    uint32_t frame_bytes;    /* local memory of a thread for one activation: .local and .param variables */
    uint32_t nslot;          /* register file: number of 32-lane, 32-bit planes */
    uint32_t named;          /* nslot before registers began to share slots (slots.c); 0: they do not */
    uint32_t npred;          /* predicate registers */
    uint32_t begin, end;     /* code[begin..end) of the module; every body ends in a ret (added if missing) */
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg, maxclusterrank;          /* 0: not given */
    uint32_t per_cta;        /* .minperctamemory: bytes of global memory that each CTA has to itself */
    uint32_t cluster[3];     /* .reqnctapercluster, 0: not given */
    uint8_t explicit_cluster, decoded;
    ptx_sym **shared; int nshared;       /* the SP_SHARED symbols that the body names (not those of callees) */
    struct ptx_func **callee; int ncallee; uint8_t calls_indirect;
} ptx_func;

typedef struct ptx_module {
    char *text;              /* the module's copy of the source */
    uint32_t version;        /* 90 for .version 9.0 */
    char target[16];         /* "sm_90a" */
    uint8_t debug;           /* .target ..., debug: compiled with -G */
    ptx_instr *code; uint32_t ncode;
    ptx_func **func; int nfunc;
    ptx_sym **global; int nglobal;       /* module-scope SP_GLOBAL and SP_CONST variables */
    ptx_sym **shared; int nshared;       /* every SP_SHARED symbol, by id */
    ptx_loc *loc; uint32_t nloc;
    void *arena;
} ptx_module;

/* Parses text (length bytes, need not end in 0). On error returns NULL and puts "line N: ..." into err. Never crashes,
 * never reads past length, whatever the text is. */
ptx_module *ptx_parse(const char *text, size_t length, char *err, size_t err_size);
void ptx_free(ptx_module *m);
int ptx_type_bits(ptx_type t);                     /* 8, 16, 32, 64, 128; of packed types too; 0 for PT_PRED */
ptx_type ptx_type_of(const char *word);            /* "u32" -> PT_U32; PT_NONE if the word is no type */
/* The instruction as one line of PTX text, for messages: its exact source line trimmed; returns buf */
const char *ptx_text(const ptx_module *m, const ptx_instr *i, char *buf, size_t size);
ptx_func *ptx_find(const ptx_module *m, const char *name);

/* Register slots. A register of 8, 16 or 32 bits takes one slot: uint32_t[32], zero-extended. One of 64 bits takes two
 * slots, aligned to two, read as uint64_t[32]; one of 128 bits takes four slots, aligned to two: the low halves as
 * uint64_t[32], then the high halves. Predicates are numbered apart: one uint32_t each, bit l for lane l. */
#endif
