/* isa.h - the instruction tests' frame. variants.tsv lists every instruction; main.c expands each row into its variants
 * and asks the row's family to write, for each, a small kernel around the instruction, its inputs, and what the ISA
 * says must come out. The driver API runs the kernels, on a GPU or in tcemu alike.
 *
 * A family is one function:
 *
 *     static int build(isa_case *c)
 *     {
 *         uint32_t *a = isa_in(c, 32 * 4), *want = isa_out(c, 32 * 4);
 *         for (int i = 0; i < 32; i++) { a[i] = isa_random(); want[i] = reference(a[i]); }
 *         c->block[0] = 32;
 *         isa_begin(c);
 *         isa_put(c, ".reg .b32 %%a, %%d;\n");
 *         isa_put(c, "%s %%d, %%a;\n", c->v->mnemonic);
 *         ...
 *         isa_end(c);
 *         return 0;
 *     }
 *     ISA_FAMILY(movmatrix, "movmatrix", build)
 *
 * Some fifty cases are assembled as one module; a case's registers and variables are its own (each is an .entry),
 * module-level names are not: the frame declares ".extern .shared .align 1024 .b8 dsmem[];" for c->smem bytes of
 * dynamic shared memory, nothing else.
 * References come from the ISA's text: whoever writes one does not look at the emulator's code of that instruction. */
#ifndef ISA_H
#define ISA_H
#include <stddef.h>
#include <stdint.h>

/* A row of the table, and one variant of it */
typedef struct isa_row {
    char *id, *family, *targets, *mnemonic, *ops, *sweep, *note;
    int ptx;                            /* 904: PTX 9.4 brought it; 900 for 9.0 and older */
    int count, covered, failed, fits;
} isa_row;
typedef struct isa_variant {
    const isa_row *row;
    int index;                          /* 0..row->count-1 */
    char mnemonic[400];                 /* without braces: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" */
    /* the operands of this variant: "out{4xf32}, in{4xb32}, in{2xb32}, in{4xf32}", "$X" replaced */
    char ops[400];
    char sweep[120];                    /* "SA=-1 SB=1", "" if the row has none; see isa_sweep() */
    const char *note;                   /* the row's last column, "-" if empty: "SS", "stride", ... */
} isa_variant;

typedef struct { uint64_t q[16]; } __attribute__((aligned(64))) isa_tmap;    /* a CUtensorMap */

typedef struct isa_case {
    const isa_variant *v;
    char name[80];                      /* of the .entry */
    unsigned grid[3], block[3];         /* 1,1,1 and 32,1,1 unless build() sets them */
    unsigned cluster[3];                /* 1,1,1: no cluster */
    unsigned smem;                      /* dynamic shared memory, bytes */
    int cooperative, pdl;               /* launch attributes */
    int per_cta;                        /* > 0: .minperctamemory */
    int min_blocks;                     /* > 0: .minnctapersm; setmaxnreg needs it */
    uint8_t *in, *out, *want;           /* host copies of the two buffers; want: what out must be afterwards */
    size_t in_size, out_size;
    uint64_t d_in, d_out;               /* their device addresses, known as soon as isa_in() and isa_out() return */
    /* tensor maps: passed as parameters p_tmap0, p_tmap1; isa_begin() must come after ntmap is set */
    isa_tmap tmap[2]; int ntmap;
    /* NULL: out must equal want, byte for byte. Else this decides, and calls isa_fail() for what is wrong. */
    void (*check)(struct isa_case *c);
    int64_t user[24];                   /* for check() */
    void *data;                         /* for check(); freed by the frame */
    int failed; char why[600];
} isa_case;

/* Buffers of the kernel's two pointers. isa_in: zeroed, to be filled, uploaded before the launch; the kernel may write
 * it too, but nobody looks. isa_out: every byte of out and of want is ISA_FILL; returns want. out is uploaded before
 * the launch as build() leaves it and downloaded after it: bytes that the kernel must not touch are checked too. */
#define ISA_FILL 0xa5
void *isa_in(isa_case *c, size_t bytes);
void *isa_out(isa_case *c, size_t bytes);

/* Text of the kernel. isa_begin writes the .entry with its parameters p_in, p_out (.u64, and the tensor maps) and
 *     .reg .b64 %in, %out; .reg .b32 %tx, %cta, %rank;
 * with the two pointers, %tid.x, %ctaid.x and the CTA's rank in its cluster (0 without clusters) in them. isa_end
 * writes "ret; }".
 * PTX registers are spelled %%r in these formats. */
void isa_begin(isa_case *c);
void isa_put(isa_case *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void isa_end(isa_case *c);

/* The case is wrong: printf's words. Only the first is kept. */
void isa_fail(isa_case *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Reproducible random numbers: each variant has its own stream, from --seed */
uint64_t isa_random(void);
int isa_int(int lo, int hi);            /* lo..hi, both included */
double isa_uniform(double lo, double hi);

/* Is the word, dots and all (".satfinite"), among the qualifiers of the mnemonic? Whole words: ".sp" does not match
 * ".sp::ordered_metadata" */
int isa_has(const isa_case *c, const char *word);
/* The number after a prefix in the mnemonic: isa_number(c, ".x", 0) of "tcgen05.ld...x16" is 16; deflt if it is not
 * there */
int isa_number(const isa_case *c, const char *prefix, int deflt);
/* Value of a swept operand: isa_sweep(c, "SA", 1) */
int isa_sweep(const isa_case *c, const char *name, int deflt);
/* The n-th operand of ops (top-level commas separate): "in{4xb32}"; NULL past the end. Overwritten by the fifth call
 * after. */
const char *isa_op(const isa_case *c, int n);

/* The device: 90, 'a' for sm_90a; is it emulated? */
extern int isa_sm, isa_emulated;
extern char isa_suffix;
/* Entry of the driver API, by name with its version suffix: isa_driver("cuTensorMapEncodeTiled"). NULL if it has
 * none */
void *isa_driver(const char *name);

/* Families register themselves. prefix: the row's family, or its beginning up to a dot ("wgmma" serves "wgmma.f16");
 * the longest wins.
 * build returns 0, or -1 after isa_fail() when it does not know the variant. */
typedef struct isa_family { const char *prefix; int (*build)(isa_case *c); struct isa_family *next; } isa_family;
void isa_register(isa_family *f);
#define ISA_FAMILY(ident, prefix, build)                                                    \
    static isa_family isa_family_##ident = { prefix, build, NULL };                           \
    __attribute__((constructor)) static void isa_register_##ident(void) { isa_register(&isa_family_##ident); }
#endif
