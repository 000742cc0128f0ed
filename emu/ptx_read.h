/* ptx_read.h - private to ptx.c and ptx_read.c: the state of the parser, and what reads the text for it.
 * Errors leave by longjmp: every piece of memory hangs on the parser or on the module's arena. */
#ifndef EMU_PTX_READ_H
#define EMU_PTX_READ_H
#include "ptx.h"
#include <setjmp.h>
#include <string.h>

#define MAX_SCOPES    256

typedef struct block { struct block *next; size_t used, size, unused; } block;

/* What hangs on module->arena */
typedef struct {
    block *blocks;
    uint32_t *from, *to;      /* code[i] stands at text[from[i]..to[i]) */
} store;

typedef struct function function;
typedef struct { ptx_sym sym; function *function; uint32_t stamp; } symbol;     /* behind every ptx_sym */
struct function { ptx_func func; symbol *symbol; function *alias; };             /* behind every ptx_func */

/* stem: what is before the last digits */
typedef struct { const char *at; uint32_t len, hash, stem, stem_hash; } name;

enum { B_REGISTER, B_RANGE, B_SYMBOL, B_SPECIAL, B_STRING };

typedef struct binding {
    struct binding *next;
    const char *at;
    uint32_t len, hash;
    uint32_t slot, count;     /* registers: first slot and how many; B_SPECIAL: SR_*, has .x .y .z; B_STRING: place */
    uint16_t depth;
    uint8_t kind, type;
    ptx_sym *sym;
} binding;

typedef struct { name name; ptx_sym **where; function *function; uint32_t line, index; } pending;
typedef struct { uint32_t bindings, pendings, slots, predicates; uint64_t frame; } scope;
typedef struct { const char *text; uint32_t len, hash, nmod; const char **mod; } mnemonic;
/* what a ptx_loc is made of at the end */
typedef struct { uint32_t file, offset, function; name label; } place;

#define VECTOR(type) struct { type *v; size_t n, cap; }

typedef struct {
    const char *p, *end;
    uint32_t line;
    ptx_module *m;
    store *store;
    char *err;
    size_t err_size;
    jmp_buf leave;

    binding **bucket;
    uint32_t mask;
    binding *free_bindings;
    VECTOR(binding *) bind;                 /* in the order of their making */
    VECTOR(pending) pend, module_pend;
    VECTOR(ptx_opnd) opnd;
    VECTOR(ptx_sym *) list, shared;
    VECTOR(ptx_func *) callee;
    VECTOR(struct ptx_reloc) reloc;
    VECTOR(uint8_t) init;
    VECTOR(char) strings;                   /* .debug_str */
    VECTOR(const char *) files;
    VECTOR(place) places;
    VECTOR(mnemonic) mnemonics;
    uint32_t *place_table, place_mask, *mnemonic_table, mnemonic_mask;
    size_t code_cap, from_cap, to_cap, func_cap, global_cap, shared_cap, loc_cap;

    function *function;
    uint32_t stamp, loc, depth, nesting;
    uint32_t slots, predicates;
    uint64_t frame;
    scope scopes[MAX_SCOPES];
    int mask_byte;                          /* how many bytes of an address 0xFF(name), 0xFF00(name), ... have come */
} parser;

/* ---- ptx_read.c. All take the parser to behind what they read, or fail ---- */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
_Noreturn void ptx_fail(parser *s, const char *format, ...);
_Noreturn void ptx_fail_expected(parser *s, const char *what);
static inline int shown(uint32_t len) { return len < 200 ? (int)len : 200; }
#define NAME(n) shown((n)->len), (n)->at

static inline int is_digit(int c) { return c >= '0' && c <= '9'; }
static inline int is_name_start(int c) { return (unsigned)((c | 32) - 'a') < 26 || c == '_' || c == '$' || c == '%'; }
static inline int is_name_char(int c) { return (unsigned)((c | 32) - 'a') < 26 || is_digit(c) || c == '_' || c == '$'; }
/* The next character that is neither blank nor comment, 0 at the end */
int ptx_peek(parser *s);
static inline int accept(parser *s, int c)
{
    if (ptx_peek(s) != c) return 0;
    s->p++;
    return 1;
}
void ptx_expect(parser *s, int c);
name ptx_scan_name(parser *s);           /* name characters from s->p on, whatever the first is */
name ptx_read_name(parser *s);
name ptx_read_word(parser *s);           /* the word of a directive, after its '.' */
name ptx_read_quoted(parser *s);
void ptx_skip_to(parser *s, int c);      /* past the next c at this level of parentheses */
static inline int is(const name *n, const char *word)
{
    return n->len == strlen(word) && !memcmp(n->at, word, n->len);
}

/* type: PT_S64, PT_F32 or PT_F64, i: its bits */
typedef struct { uint8_t type, is_unsigned; int64_t i; } value;
static inline double to_double(value v)
{
    double d;
    float f;
    uint32_t low = (uint32_t)v.i;
    if (v.type == PT_F64) return memcpy(&d, &v.i, sizeof d), d;
    if (v.type == PT_F32) return memcpy(&f, &low, sizeof f), (double)f;
    return v.is_unsigned ? (double)(uint64_t)v.i : (double)v.i;
}
static inline value of_double(double d)
{
    value v = {PT_F64, 0, 0};
    memcpy(&v.i, &d, sizeof d);
    return v;
}
/* A constant expression of operators that bind at least so tightly; 0: any, and ?: */
value ptx_expression(parser *s, int least);
/* An integer within 0..most, as a count or a size is */
uint64_t ptx_read_count(parser *s, uint64_t most, const char *what);
int64_t ptx_read_offset(parser *s);      /* + a - b ... after a base; 0 if there is none */
#endif
