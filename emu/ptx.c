/* ptx.c - the text of a PTX module to the structures of ptx.h, in one pass: names, declarations, operands,
 * instructions, functions. Characters become words and numbers in ptx_read.c.
 *
 * Names are bound in one hash table; a scope remembers how many bindings there were when it opened and drops the rest
 * when it closes, so that inner names hide outer ones. A label may be used before it stands in the text: such uses are
 * collected per scope and settled when the scope closes, outwards from the innermost. Errors leave by longjmp: every
 * piece of memory hangs on the parser or on the module's arena. */
#include "ptx_read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REGISTERS (1u << 22)        /* slots, and predicates, of a function */
#define MAX_FRAME     (1ull << 30)      /* bytes of a frame, of a parameter block */
#define MAX_VARIABLE  (1ull << 40)
#define MAX_INITIAL   (1ull << 28)      /* bytes of one variable with an initial value */
#define MAX_DIMS      8
#define MAX_FILES     (1u << 20)

/* ------------------------------------------------------------------------------------------------ types */

static const struct { char name[10]; uint8_t bits; } type_table[] = {
    [PT_PRED] = {"pred", 0},
    [PT_B8] = {"b8", 8}, [PT_B16] = {"b16", 16}, [PT_B32] = {"b32", 32}, [PT_B64] = {"b64", 64},
    [PT_B128] = {"b128", 128},
    [PT_U8] = {"u8", 8}, [PT_U16] = {"u16", 16}, [PT_U32] = {"u32", 32}, [PT_U64] = {"u64", 64},
    [PT_S8] = {"s8", 8}, [PT_S16] = {"s16", 16}, [PT_S32] = {"s32", 32}, [PT_S64] = {"s64", 64},
    [PT_F16] = {"f16", 16}, [PT_BF16] = {"bf16", 16}, [PT_F16X2] = {"f16x2", 32}, [PT_BF16X2] = {"bf16x2", 32},
    [PT_F32] = {"f32", 32}, [PT_F64] = {"f64", 64}, [PT_TF32] = {"tf32", 32},
    [PT_E4M3] = {"e4m3", 8}, [PT_E5M2] = {"e5m2", 8}, [PT_E3M2] = {"e3m2", 6}, [PT_E2M3] = {"e2m3", 6},
    [PT_E2M1] = {"e2m1", 4}, [PT_UE8M0] = {"ue8m0", 8}, [PT_UE4M3] = {"ue4m3", 8},
    [PT_E4M3X2] = {"e4m3x2", 16}, [PT_E5M2X2] = {"e5m2x2", 16}, [PT_E3M2X2] = {"e3m2x2", 16},
    [PT_E2M3X2] = {"e2m3x2", 16}, [PT_E2M1X2] = {"e2m1x2", 8}, [PT_UE8M0X2] = {"ue8m0x2", 16},
    [PT_E4M3X4] = {"e4m3x4", 32}, [PT_E5M2X4] = {"e5m2x4", 32}, [PT_E3M2X4] = {"e3m2x4", 32},
    [PT_E2M3X4] = {"e2m3x4", 32}, [PT_E2M1X4] = {"e2m1x4", 16},
    [PT_U16X2] = {"u16x2", 32}, [PT_S16X2] = {"s16x2", 32}, [PT_S4] = {"s4", 4}, [PT_U4] = {"u4", 4},
    [PT_B1] = {"b1", 1}, [PT_F32X2] = {"f32x2", 64}, [PT_S2] = {"s2", 2}, [PT_U2] = {"u2", 2},
    [PT_UE5M3] = {"ue5m3", 8}, [PT_UE5M3X2] = {"ue5m3x2", 16}, [PT_S2F6X2] = {"s2f6x2", 16},
};
#define TYPES (sizeof type_table / sizeof *type_table)

int ptx_type_bits(ptx_type t) { return (unsigned)t < TYPES ? type_table[t].bits : 0; }

ptx_type ptx_type_of(const char *word)
{
    if (!strchr("befpstu", word[0]) || !word[0]) return PT_NONE;
    for (unsigned i = 1; i < TYPES; i++)
        if (type_table[i].name[0] == word[0] && type_table[i].name[1] == word[1] && !strcmp(type_table[i].name, word))
            return (ptx_type)i;
    return PT_NONE;
}

/* ------------------------------------------------------------------------------------------------ memory */

static void *take(parser *s, size_t size)
{
    block *b = s->store->blocks;
    size = (size + 15) & ~(size_t)15;
    if (!b || b->size - b->used < size) {
        size_t room = size > (1u << 18) ? size : 1u << 20;
        b = calloc(1, sizeof *b + room);
        if (!b) ptx_fail(s, "out of memory");
        b->size = room;
        block *first = s->store->blocks;
        if (first && room == size) {        /* a block of its own: go on filling the first one */
            b->next = first->next;
            first->next = b;
        } else {
            b->next = first;
            s->store->blocks = b;
        }
    }
    void *at = (char *)(b + 1) + b->used;
    b->used += size;
    return at;
}

static void *take_copy(parser *s, const void *from, size_t size)
{
    return size ? memcpy(take(s, size), from, size) : NULL;
}

static char *take_string(parser *s, const char *at, size_t len)
{
    char *copy = take(s, len + 1);
    return memcpy(copy, at, len);
}

/* Room for at least n items; returns the array, which may have moved. */
static void *grow(parser *s, void *v, size_t *cap, size_t n, size_t size)
{
    if (n <= *cap) return v;
    size_t room = *cap ? *cap * 2 : 16;
    if (room < n) room = n;
    void *moved = realloc(v, room * size);
    if (!moved) ptx_fail(s, "out of memory");
    *cap = room;
    return moved;
}
#define ROOM(s, vec, more) ((vec).v = grow((s), (vec).v, &(vec).cap, (vec).n + (more), sizeof *(vec).v))
#define PUSH(s, vec, item) (ROOM(s, vec, 1), (vec).v[(vec).n++] = (item))

/* ------------------------------------------------------------------------------------------------ names */

static uint32_t hash_of(const char *at, uint32_t len)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < len; i++) h = (h ^ (unsigned char)at[i]) * 16777619u;
    return h;
}

static int is_one_of(const name *n, const char *const *words)
{
    for (; *words; words++)
        if (is(n, *words)) return 1;
    return 0;
}

static ptx_type type_of_name(const name *n)
{
    char word[10];
    if (n->len >= sizeof word) return PT_NONE;
    memcpy(word, n->at, n->len);
    word[n->len] = 0;
    return ptx_type_of(word);
}

#define RANGE_SALT 0x9e3779b9u

static binding *find_kind(parser *s, const char *at, uint32_t len, uint32_t hash, int range)
{
    if (range) hash ^= RANGE_SALT;
    for (binding *b = s->bucket[hash & s->mask]; b; b = b->next)
        if (b->hash == hash && b->len == len && (b->kind == B_RANGE) == range && !memcmp(b->at, at, len)) return b;
    return NULL;
}

/* What a name means here, NULL if nothing; of a range such as %r<10> also which one. */
static binding *find(parser *s, const name *n, uint32_t *which)
{
    binding *best = find_kind(s, n->at, n->len, n->hash, 0);
    *which = 0;
    for (uint32_t k = n->stem; k < n->len; k++) {
        if (n->len - k > 9 || (n->at[k] == '0' && n->len - k > 1)) continue;
        binding *b = find_kind(s, n->at, k, k == n->stem ? n->stem_hash : hash_of(n->at, k), 1);
        uint32_t number = 0;
        for (uint32_t i = k; b && i < n->len; i++) number = number * 10 + (uint32_t)(n->at[i] - '0');
        if (b && number < b->count) {
            if (!best || b->depth > best->depth) best = b, *which = number;
            break;
        }
    }
    return best;
}

static void rehash(parser *s, uint32_t buckets)
{
    binding **bucket = calloc(buckets, sizeof *bucket);
    if (!bucket) ptx_fail(s, "out of memory");
    free(s->bucket);
    s->bucket = bucket;
    s->mask = buckets - 1;
    for (size_t i = 0; i < s->bind.n; i++) {          /* in their order: a chain starts with the youngest */
        binding *b = s->bind.v[i], **head = &bucket[b->hash & s->mask];
        b->next = *head;
        *head = b;
    }
}

static binding *bind(parser *s, const name *n, int kind)
{
    binding *old = find_kind(s, n->at, n->len, n->hash, kind == B_RANGE);
    if (old && old->depth == s->depth) ptx_fail(s, "'%.*s' is declared twice", NAME(n));
    if (s->bind.n > s->mask) rehash(s, 2 * (s->mask + 1));
    ROOM(s, s->bind, 1);
    binding *b = s->free_bindings;
    if (b) s->free_bindings = b->next;
    else b = take(s, sizeof *b);
    uint32_t hash = kind == B_RANGE ? n->hash ^ RANGE_SALT : n->hash;
    binding **head = &s->bucket[hash & s->mask];
    *b = (binding){*head, n->at, n->len, hash, 0, 0, (uint16_t)s->depth, (uint8_t)kind, 0, NULL};
    *head = b;
    return s->bind.v[s->bind.n++] = b;
}

static ptx_sym *new_symbol(parser *s, const name *n, int space)
{
    symbol *y = take(s, sizeof *y);
    y->sym.name = take_string(s, n->at, n->len);
    y->sym.space = (uint8_t)space;
    return &y->sym;
}

/* The function at hand names sym. */
static void note_use(parser *s, ptx_sym *sym)
{
    symbol *y = (symbol *)sym;
    if ((sym->space != SP_SHARED && sym->space != SP_FUNC) || y->stamp == s->stamp) return;
    y->stamp = s->stamp;
    if (sym->space == SP_SHARED) PUSH(s, s->shared, sym);
    else PUSH(s, s->callee, &y->function->func);
}

static void add_pending(parser *s, const name *n, uint32_t index)
{
    pending p = {*n, NULL, s->function, s->line, index};
    PUSH(s, s->pend, p);
}

/* ------------------------------------------------------------------------------------------------ scopes, registers */

static void open_scope(parser *s)
{
    if (s->depth + 1 >= MAX_SCOPES) ptx_fail(s, "scopes nested too deep");
    s->scopes[s->depth++] = (scope){(uint32_t)s->bind.n, (uint32_t)s->pend.n, s->slots, s->predicates, s->frame};
}

static void close_scope(parser *s)
{
    const scope *o = &s->scopes[s->depth - 1];
    size_t kept = o->pendings;
    for (size_t i = o->pendings; i < s->pend.n; i++) {
        pending *p = &s->pend.v[i];
        binding *b = find_kind(s, p->name.at, p->name.len, p->name.hash, 0);
        if (b && b->kind == B_SYMBOL &&
            ((b->depth == s->depth && b->sym->space == SP_LABEL) || (s->depth == 1 && b->sym->space == SP_FUNC))) {
            *p->where = b->sym;
            note_use(s, b->sym);
        } else if (s->depth == 1) {
            PUSH(s, s->module_pend, *p);
        } else {
            s->pend.v[kept++] = *p;
        }
    }
    s->pend.n = kept;
    while (s->bind.n > o->bindings) {
        binding *b = s->bind.v[--s->bind.n];
        s->bucket[b->hash & s->mask] = b->next;       /* the youngest of all is the first of its chain */
        b->next = s->free_bindings;
        s->free_bindings = b;
    }
    s->slots = o->slots;
    s->predicates = o->predicates;
    s->frame = o->frame;
    s->depth--;
}

static uint32_t slots_of(int type) { return ptx_type_bits(type) <= 32 ? 1 : (uint32_t)ptx_type_bits(type) / 32; }

static uint32_t take_registers(parser *s, int type, uint32_t count)
{
    ptx_func *f = &s->function->func;
    uint32_t *top = type == PT_PRED ? &s->predicates : &s->slots, *total = type == PT_PRED ? &f->npred : &f->nslot;
    uint32_t width = type == PT_PRED ? 1 : slots_of(type), first = *top;
    if (width > 1) first = (first + 1) & ~1u;
    if (count > MAX_REGISTERS || (uint64_t)first + (uint64_t)count * width > MAX_REGISTERS)
        ptx_fail(s, "more than %u registers in one function", MAX_REGISTERS);
    *top = first + count * width;
    if (*total < *top) *total = *top;
    return first;
}

static uint64_t align_up(uint64_t n, uint32_t align) { return (n + align - 1) & ~(uint64_t)(align - 1); }

static uint64_t take_frame(parser *s, uint64_t size, uint32_t align)
{
    uint64_t at = align_up(s->frame, align);
    if (size > MAX_FRAME || at + size > MAX_FRAME) ptx_fail(s, "more than %llu bytes of local variables", MAX_FRAME);
    s->frame = at + size;
    if (s->function->func.frame_bytes < s->frame) s->function->func.frame_bytes = (uint32_t)s->frame;
    return at;
}

/* ------------------------------------------------------------------------------------------------ declarations */

typedef struct { uint8_t type; uint32_t vector, align; } kind_of_variable;

static int space_of(const name *n)
{
    static const struct { const char *word; int space; } table[] = {
        {"reg", SP_REG}, {"param", SP_PARAM}, {"local", SP_LOCAL}, {"shared", SP_SHARED}, {"global", SP_GLOBAL},
            {"const", SP_CONST}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (is(n, table[i].word)) return table[i].space;
    return SP_NONE;
}

/* .align 4 .v2 .u32 .ptr .global .align 8 .attribute(.managed) ... up to the name */
static kind_of_variable read_kind(parser *s)
{
    kind_of_variable k = {PT_NONE, 1, 0};
    int pointer = 0;
    while (ptx_peek(s) == '.') {
        name n = ptx_read_word(s);
        ptx_type type = type_of_name(&n);
        if (is(&n, "texref") || is(&n, "samplerref") || is(&n, "surfref")) type = PT_B64;
        if (type != PT_NONE) {
            if (k.type != PT_NONE) ptx_fail(s, "a variable of two types");
            k.type = (uint8_t)type;
        } else if (is(&n, "align")) {
            uint64_t align = ptx_read_count(s, 1u << 16, "an alignment");
            if (!align || (align & (align - 1))) ptx_fail(s, "an alignment is a power of two");
            if (!pointer) k.align = (uint32_t)align;
        } else if (is(&n, "v2") || is(&n, "v4") || is(&n, "v8")) {
            k.vector = (uint32_t)(n.at[1] - '0');
        } else if (is(&n, "ptr")) {
            pointer = 1;
        } else if (is(&n, "attribute")) {
            ptx_expect(s, '(');
            ptx_skip_to(s, ')');
        } else if (!pointer || !space_of(&n)) {
            ptx_fail(s, "unknown word '.%.*s' in a declaration", NAME(&n));
        }
    }
    if (k.type == PT_NONE) ptx_fail_expected(s, "a type");
    return k;
}

/* A register, or a range of them after '<'. */
static binding *declare_register(parser *s, const kind_of_variable *k)
{
    int bits = ptx_type_bits(k->type);
    if (k->vector > 1) ptx_fail(s, "vector registers are not supported: declare the elements");
    if (k->type != PT_PRED && bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128)
        ptx_fail(s, "no register has type .%s", type_table[k->type].name);
    name n = ptx_read_name(s);
    uint32_t count = 1;
    int range = accept(s, '<');
    if (range) {
        count = (uint32_t)ptx_read_count(s, MAX_REGISTERS, "the number of registers");
        ptx_expect(s, '>');
    }
    binding *b = bind(s, &n, range ? B_RANGE : B_REGISTER);
    b->type = k->type;
    b->count = count;
    b->slot = take_registers(s, k->type, count);
    return b;
}

static void put_initial(parser *s, uint64_t at, const void *from, uint32_t size)
{
    if (at + size > s->init.n) {
        ROOM(s, s->init, at + size - s->init.n);
        memset(s->init.v + s->init.n, 0, at + size - s->init.n);
        s->init.n = at + size;
    }
    memcpy(s->init.v + at, from, size);
}

/* name, name + 4, generic(name) + 4 */
static void read_address(parser *s, struct ptx_reloc *r)
{
    name n = ptx_read_name(s);
    if (is(&n, "generic") && accept(s, '(')) {
        n = ptx_read_name(s);
        r->add += ptx_read_offset(s);
        ptx_expect(s, ')');
    }
    uint32_t which;
    binding *b = find(s, &n, &which);
    if (!b) ptx_fail(s, "unknown name '%.*s'", NAME(&n));
    if (b->kind != B_SYMBOL || (b->sym->space != SP_GLOBAL && b->sym->space != SP_CONST && b->sym->space != SP_FUNC))
        ptx_fail(s, "'%.*s' has no address that an initial value can hold", NAME(&n));
    r->sym = b->sym;
    r->add = (int64_t)((uint64_t)r->add + (uint64_t)ptx_read_offset(s));
}

static void read_initial_item(parser *s, int type, uint64_t at)
{
    uint32_t size = (uint32_t)ptx_type_bits(type) / 8;
    struct ptx_reloc r = {at, NULL, 0};
    uint64_t pair[2] = {0, 0};
    int c = ptx_peek(s);
    if (is_name_start(c) && strncmp(s->p, "WARP_SZ", 7)) {
        read_address(s, &r);
        if (size != 8) ptx_fail(s, "an address takes 8 bytes");
    } else {
        value v = ptx_expression(s, 0);
        pair[0] = (uint64_t)v.i;
        if (accept(s, '(')) {
            read_address(s, &r);
            ptx_expect(s, ')');
            /* an address byte by byte: only whole ones, lowest byte first, which is what compilers make */
            struct ptx_reloc *last = s->mask_byte ? &s->reloc.v[s->reloc.n - 1] : NULL;
            if (size != 1 || v.type != PT_S64 || pair[0] != 0xffull << 8 * s->mask_byte ||
                (last && (last->sym != r.sym || last->add != r.add || last->at + (uint64_t)s->mask_byte != at)))
                ptx_fail(s, "only the eight bytes of an address in order can be initial values");
            pair[0] = 0;
            put_initial(s, at, pair, 1);
            if (!s->mask_byte) PUSH(s, s->reloc, r);
            s->mask_byte = (s->mask_byte + 1) & 7;
            return;
        }
        if (type == PT_F32 || type == PT_TF32) {
            float f = (float)to_double(v);
            uint32_t bits;
            memcpy(&bits, &f, sizeof bits);
            pair[0] = v.type == PT_F32 ? (uint32_t)v.i : bits;
        } else if (type == PT_F64) {
            pair[0] = v.type == PT_F64 ? (uint64_t)v.i : (uint64_t)of_double(to_double(v)).i;
        } else if (v.type != PT_S64 && size != (v.type == PT_F32 ? 4 : 8)) {
            ptx_fail(s, "a floating-point initial value of an integer");
        }
    }
    if (s->mask_byte) ptx_fail(s, "only the eight bytes of an address in order can be initial values");
    put_initial(s, at, pair, size);
    if (r.sym) PUSH(s, s->reloc, r);
}

/* { ... } at [at, limit); unit[level]: bytes of one item of this brace. */
static void read_initial_list(parser *s, int type, const uint64_t *unit, int level, int levels, uint64_t at,
                              uint64_t limit)
{
    uint64_t size = (uint64_t)ptx_type_bits(type) / 8, from = at;
    if (level >= levels) ptx_fail(s, "too many braces in an initial value");
    ptx_expect(s, '{');
    if (accept(s, '}')) return;
    do {
        if (ptx_peek(s) == '}') break;
        if (ptx_peek(s) == '{') {
            at = from + (at - from + unit[level] - 1) / unit[level] * unit[level];
            if (unit[level] > limit - from || at - from > limit - from - unit[level])
                ptx_fail(s, "too many initial values");
            read_initial_list(s, type, unit, level + 1, levels, at, at + unit[level]);
            at += unit[level];
        } else {
            if (at > limit || limit - at < size) ptx_fail(s, "too many initial values");
            read_initial_item(s, type, at);
            at += size;
        }
    } while (accept(s, ','));
    ptx_expect(s, '}');
}

/* A variable of memory after its kind: name[dims] = value. */
static ptx_sym *declare_variable(parser *s, const kind_of_variable *k, int space, int is_extern, int is_parameter)
{
    int bits = ptx_type_bits(k->type), ndim = 0, unsized = 0;
    if (bits < 8 || bits % 8) ptx_fail(s, "no variable has type .%s", type_table[k->type].name);
    name n = ptx_read_name(s);
    uint64_t dim[MAX_DIMS], unit[MAX_DIMS + 1], item = (uint64_t)bits / 8, element = item * k->vector, total = element;
    while (accept(s, '[')) {
        if (ndim == MAX_DIMS) ptx_fail(s, "an array of more than %d dimensions", MAX_DIMS);
        if (ptx_peek(s) == ']') {
            if (ndim) ptx_fail(s, "only the first dimension may be left out");
            unsized = 1;
            dim[ndim++] = 1;
        } else {
            dim[ndim++] = ptx_read_count(s, MAX_VARIABLE, "the size of an array");
        }
        ptx_expect(s, ']');
    }
    for (int i = ndim; i-- > 0; total *= dim[i]) {
        unit[i] = total;
        if (dim[i] && total > MAX_VARIABLE / dim[i]) ptx_fail(s, "'%.*s' is too big", NAME(&n));
    }
    int levels = ndim;
    if (k->vector > 1 || !ndim) unit[levels++] = item;

    ptx_sym *sym = NULL;
    int anonymous = is_parameter && n.len == 1 && n.at[0] == '_', again = 0;
    if (!anonymous) {
        uint32_t which;
        binding *old = s->depth == 0 ? find(s, &n, &which) : NULL;
        if (old && old->kind == B_SYMBOL && old->sym->space == space && (old->sym->is_extern || is_extern)) {
            if (is_extern && !old->sym->is_extern) is_extern = 0, again = 2;    /* the definition stands */
            else again = 1;
            sym = old->sym;
        } else {
            binding *b = bind(s, &n, B_SYMBOL);
            b->sym = sym = new_symbol(s, &n, space);
        }
    } else {
        sym = new_symbol(s, &n, space);
    }
    if (again == 2) return sym;
    sym->type = k->type;
    sym->is_extern = (uint8_t)is_extern;
    sym->align = k->align ? k->align : (uint32_t)(element < 1u << 16 ? element : 1);
    sym->size = unsized ? 0 : total;

    if (ptx_peek(s) == '=' && !is_parameter) {
        if (space != SP_GLOBAL && space != SP_CONST)
            ptx_fail(s, "only .global and .const variables have initial values");
        s->p++;
        if (!unsized && total > MAX_INITIAL) ptx_fail(s, "'%.*s' is too big for an initial value", NAME(&n));
        uint64_t limit = unsized ? MAX_INITIAL : total;
        s->init.n = s->reloc.n = 0;
        s->mask_byte = 0;
        for (int i = 0; i < levels; i++)
            if (!unit[i] || !total) ptx_fail(s, "an initial value of no bytes");
        if (ptx_peek(s) == '{') read_initial_list(s, k->type, unit, 0, levels, 0, limit);
        else read_initial_item(s, k->type, 0);
        if (s->mask_byte) ptx_fail(s, "only the eight bytes of an address in order can be initial values");
        if (unsized) sym->size = (s->init.n + unit[0] - 1) / unit[0] * unit[0];
        sym->init = take(s, sym->size);
        if (s->init.n) memcpy(sym->init, s->init.v, s->init.n);
        sym->reloc = take_copy(s, s->reloc.v, s->reloc.n * sizeof *s->reloc.v);
        sym->nreloc = (int)s->reloc.n;
    } else if (unsized && !is_extern && !is_parameter) {
        ptx_fail(s, "the size of '%.*s' is missing", NAME(&n));
    }

    ptx_module *m = s->m;
    if (again) return sym;
    if (space == SP_SHARED) {
        m->shared = grow(s, m->shared, &s->shared_cap, (size_t)m->nshared + 1, sizeof *m->shared);
        sym->id = (uint32_t)m->nshared;
        m->shared[m->nshared++] = sym;
    } else if (space == SP_GLOBAL || space == SP_CONST) {
        m->global = grow(s, m->global, &s->global_cap, (size_t)m->nglobal + 1, sizeof *m->global);
        m->global[m->nglobal++] = sym;
    }
    return sym;
}

/* .reg, .param, .local, ... with a list of names up to ';' */
static void read_declaration(parser *s, int space, int is_extern)
{
    if (s->depth == 0 && (space == SP_REG || space == SP_LOCAL || space == SP_PARAM))
        ptx_fail(s, "registers, .local and .param variables are declared in functions");
    kind_of_variable k = read_kind(s);
    do {
        if (space == SP_REG) {
            declare_register(s, &k);
            continue;
        }
        ptx_sym *sym = declare_variable(s, &k, space, is_extern, 0);
        if (space == SP_LOCAL || space == SP_PARAM) sym->offset = take_frame(s, sym->size, sym->align);
    } while (accept(s, ','));
    ptx_expect(s, ';');
}

/* ------------------------------------------------------------------------------------------------ source places */

/* The place of s->places that was last made for this file, line and column in this function, or a new one. */
static uint32_t place_of(parser *s, uint32_t file, uint32_t line, uint32_t col, const name *label, uint32_t offset,
                         uint32_t inlined, int any)
{
    ptx_module *m = s->m;
    if (4 * (s->places.n + 1) > 3 * (size_t)s->place_mask || !s->place_table) {
        uint32_t size = s->place_table ? 2 * (s->place_mask + 1) : 1024, *table = calloc(size, sizeof *table);
        if (!table) ptx_fail(s, "out of memory");
        free(s->place_table);
        s->place_table = table;
        s->place_mask = size - 1;
        for (uint32_t i = 1; i < s->places.n; i++) {
            uint32_t h = (s->places.v[i].file * 31 + m->loc[i].line) * 0x9e3779b1u + m->loc[i].col * 0x85ebca77u;
            if (s->places.v[i].function != s->stamp) continue;
            for (h ^= h >> 15;; h++) {
                uint32_t j = table[h & s->place_mask];
                if (!j || (s->places.v[j].file == s->places.v[i].file && m->loc[j].line == m->loc[i].line
                           && m->loc[j].col == m->loc[i].col))
                    break;
            }
            table[h & s->place_mask] = i;
        }
    }
    uint32_t h = (file * 31 + line) * 0x9e3779b1u + col * 0x85ebca77u, i;
    for (h ^= h >> 15; (i = s->place_table[h & s->place_mask]); h++) {
        if (s->places.v[i].function != s->stamp) break;       /* of a function before: as good as empty */
        if (s->places.v[i].file == file && m->loc[i].line == line && m->loc[i].col == col) break;
    }
    const place *old = i && s->places.v[i].function == s->stamp ? &s->places.v[i] : NULL;
    if (old && (any || (m->loc[i].inlined == inlined && old->offset == offset && old->label.len == label->len &&
                        !memcmp(old->label.at, label->at, label->len))))
        return i;
    place fresh = {file, offset, s->stamp, *label};
    PUSH(s, s->places, fresh);
    m->loc = grow(s, m->loc, &s->loc_cap, s->places.n, sizeof *m->loc);
    i = m->nloc++;
    m->loc[i] = (ptx_loc){NULL, line, col, inlined, s->function ? s->function->func.name : NULL};
    return s->place_table[h & s->place_mask] = i;
}

static uint32_t read_u32(parser *s, const char *what) { return (uint32_t)ptx_read_count(s, UINT32_MAX, what); }

/* .loc file line column [, function_name label [+ offset], inlined_at file line column] */
static void read_loc(parser *s)
{
    uint32_t at[3], by[3], offset = 0, inlined = 0;
    name label = {"", 0, 0, 0, 0}, none = label;
    for (int i = 0; i < 3; i++) at[i] = read_u32(s, "a number of .loc");
    while (accept(s, ',')) {
        name n = ptx_read_name(s);
        if (is(&n, "function_name")) {
            label = ptx_read_name(s);
            if (accept(s, '+')) offset = read_u32(s, "an offset");
        } else if (is(&n, "inlined_at")) {
            for (int i = 0; i < 3; i++) by[i] = read_u32(s, "a number of .loc");
            inlined = place_of(s, by[0], by[1], by[2], &none, 0, 0, 1);
        } else {
            ptx_fail(s, "unknown word '%.*s' in .loc", NAME(&n));
        }
    }
    s->loc = place_of(s, at[0], at[1], at[2], &label, offset, inlined, 0);
}

/* .file number "path" [, time, size] */
static void read_file(parser *s)
{
    uint32_t number = (uint32_t)ptx_read_count(s, MAX_FILES, "the number of a file");
    name path = ptx_read_quoted(s);
    while (accept(s, ',')) ptx_expression(s, 0);
    if (number >= s->files.n) {
        ROOM(s, s->files, number + 1 - s->files.n);
        memset(s->files.v + s->files.n, 0, (number + 1 - s->files.n) * sizeof *s->files.v);
        s->files.n = number + 1;
    }
    s->files.v[number] = take_string(s, path.at, path.len);
}

/* .section .debug_str { label: .b8 1,2,... }; the others are of no use here. */
static void read_section(parser *s)
{
    if (ptx_peek(s) == '.') s->p++;
    name n = ptx_read_name(s);
    ptx_expect(s, '{');
    if (!is(&n, "debug_str")) {
        ptx_skip_to(s, '}');
        return;
    }
    while (!accept(s, '}')) {
        if (ptx_peek(s) != '.') {
            name label = ptx_read_name(s);
            ptx_expect(s, ':');
            bind(s, &label, B_STRING)->slot = (uint32_t)s->strings.n;
            continue;
        }
        name type = ptx_read_word(s);
        if (!is(&type, "b8")) ptx_fail(s, "only .b8 is expected in .debug_str");
        do PUSH(s, s->strings, (char)ptx_expression(s, 0).i);
        while (accept(s, ','));
    }
}

static void finish_places(parser *s)
{
    PUSH(s, s->strings, 0);
    const char *strings = take_copy(s, s->strings.v, s->strings.n);
    for (uint32_t i = 1; i < s->m->nloc; i++) {
        const place *p = &s->places.v[i];
        ptx_loc *l = &s->m->loc[i];
        l->file = p->file < s->files.n && s->files.v[p->file] ? s->files.v[p->file] : "?";
        if (!p->label.len) continue;
        binding *b = find_kind(s, p->label.at, p->label.len, p->label.hash, 0);
        if (b && b->kind == B_STRING && (uint64_t)b->slot + p->offset < s->strings.n)
            l->func = strings + b->slot + p->offset;
    }
}

/* ------------------------------------------------------------------------------------------------ operands */

/* names are labels; no brackets, braces, pairs; a[3] is no memory operand */
enum { FORWARD = 1, SCALAR = 2, ADDRESS = 4 };

static int64_t number_at(const char *p, const char *end)
{
    int64_t n = 0;
    for (; p < end; p++) n = n * 10 + (*p - '0');
    return n;
}

static void read_special(parser *s, const binding *b, const name *n, ptx_opnd *o)
{
    o->kind = PO_SREG;
    o->reg = b->slot;
    o->type = b->type;
    if (!b->count) {      /* %envreg7, %pm3_64, %reserved_smem_offset_1: their number */
        if (b->slot == SR_ENVREG || b->slot == SR_RESERVED_SMEM_OFFSET)
            o->imm = number_at(n->at + n->stem, n->at + n->len);
        if (b->slot == SR_PM) o->imm = n->at[3] - '0';
        return;
    }
    if (*s->p != '.') ptx_fail(s, "'%.*s' is used as .x, .y or .z", NAME(n));
    name part = ptx_read_word(s);
    if (part.len != 1 || !strchr("xyzw", part.at[0])) ptx_fail(s, "no part '.%.*s' of a special register", NAME(&part));
    if (part.at[0] == 'w') *o = (ptx_opnd){.kind = PO_IMM, .type = PT_S64};        /* always zero */
    else o->imm = part.at[0] - 'x';
}

/* A name as an operand. */
static void read_named(parser *s, ptx_opnd *o, int flags)
{
    name n = ptx_read_name(s);
    uint32_t which;
    if (n.len == 1 && n.at[0] == '_') {
        o->kind = PO_SINK;
        return;
    }
    binding *b = find(s, &n, &which);
    if (b && (b->kind == B_REGISTER || b->kind == B_RANGE)) {
        o->kind = PO_REG;
        o->type = b->type;
        o->reg = b->type == PT_PRED ? b->slot + which : b->slot + which * slots_of(b->type);
        if (*s->p == '.') ptx_fail(s, "the parts of register '%.*s' are not supported", NAME(&n));
        return;
    }
    if (flags & FORWARD) {
        add_pending(s, &n, (uint32_t)s->opnd.n);
        o->kind = PO_SYM;
        return;
    }
    if (b && b->kind == B_SPECIAL) {
        read_special(s, b, &n, o);
        return;
    }
    if (is(&n, "WARP_SZ")) {
        s->p = n.at;
        value v = ptx_expression(s, 0);
        *o = (ptx_opnd){.kind = PO_IMM, .type = v.type, .imm = v.i};
        return;
    }
    if (!b || b->kind != B_SYMBOL) ptx_fail(s, "unknown name '%.*s'", NAME(&n));
    if (b->sym->space == SP_LABEL) ptx_fail(s, "label '%.*s' is no operand of this instruction", NAME(&n));
    note_use(s, b->sym);
    o->kind = PO_SYM;
    o->sym = b->sym;
    o->imm = ptx_read_offset(s);
}

static void read_operand(parser *s, int flags);

/* What was pushed since from becomes an array of the arena. */
static void take_elements(parser *s, size_t from, ptx_opnd *o)
{
    size_t n = s->opnd.n - from;
    if (n > UINT16_MAX) ptx_fail(s, "a list of more than %d operands", UINT16_MAX);
    o->n = (uint16_t)n;
    o->elem = take_copy(s, s->opnd.v + from, n * sizeof *o->elem);
    s->opnd.n = from;
}

static void read_list(parser *s, int close, ptx_opnd *o)
{
    size_t from = s->opnd.n;
    if (!accept(s, close)) {
        do read_operand(s, SCALAR);
        while (accept(s, ','));
        ptx_expect(s, close);
    }
    take_elements(s, from, o);
}

static void read_memory(parser *s, ptx_opnd *o)
{
    ptx_opnd base = {0};
    int c = ptx_peek(s);
    if (is_name_start(c) && strncmp(s->p, "WARP_SZ", 7)) {
        read_named(s, &base, 0);
        if (base.kind == PO_REG && base.type != PT_PRED) base.imm = ptx_read_offset(s);
        else if (base.kind != PO_SYM) ptx_fail(s, "an address is a register, a variable or a number");
    } else {
        value v = ptx_expression(s, 0);
        if (v.type != PT_S64) ptx_fail(s, "an address is a register, a variable or a number");
        base.imm = v.i;
    }
    *o = base;
    o->kind = PO_MEM;
    size_t from = s->opnd.n;
    while (accept(s, ',')) {
        if (!accept(s, '{')) {
            read_operand(s, SCALAR);
            continue;
        }
        do read_operand(s, SCALAR);
        while (accept(s, ','));
        ptx_expect(s, '}');
    }
    ptx_expect(s, ']');
    take_elements(s, from, o);
}

/* Reads one operand and pushes it on s->opnd. */
static void read_operand(parser *s, int flags)
{
    ptx_opnd o = {0};
    int c = ptx_peek(s);
    if (c == '[' && !(flags & SCALAR)) {
        s->p++;
        read_memory(s, &o);
    } else if (c == '{' && !(flags & SCALAR)) {
        s->p++;
        o.kind = PO_VEC;
        read_list(s, '}', &o);
        if (!o.n) ptx_fail(s, "an empty vector");
    } else if (c == '!' && s->p[1] != '=') {
        const char *from = s->p++;
        uint32_t line = s->line;
        if (is_name_start(ptx_peek(s)) && strncmp(s->p, "WARP_SZ", 7)) {
            read_named(s, &o, 0);
            if (o.kind != PO_REG || o.type != PT_PRED) ptx_fail(s, "'!' stands before a predicate register");
            o.neg = 1;
        } else {
            s->p = from;
            s->line = line;
            value v = ptx_expression(s, 0);
            o = (ptx_opnd){.kind = PO_IMM, .type = v.type, .imm = v.i};
        }
    } else if (is_name_start(c)) {
        read_named(s, &o, flags);
        if (!(flags & SCALAR) && (o.kind == PO_REG || o.kind == PO_SINK) && accept(s, '|')) {
            size_t from = s->opnd.n;
            ptx_opnd other = {0};
            PUSH(s, s->opnd, o);
            read_named(s, &other, 0);
            if (other.kind != PO_REG && other.kind != PO_SINK) ptx_fail(s, "expected a register after '|'");
            PUSH(s, s->opnd, other);
            o = (ptx_opnd){.kind = PO_PAIR};
            take_elements(s, from, &o);
        /* a[3] is [a + 12], but in mov and cvta its address */
        } else if (o.kind == PO_SYM && o.sym && ptx_peek(s) == '[') {
            s->p++;
            int64_t index = (int64_t)ptx_read_count(s, UINT32_MAX, "an index");
            ptx_expect(s, ']');
            o.imm += index * (ptx_type_bits(o.sym->type) / 8);
            if (!(flags & ADDRESS)) o.kind = PO_MEM;
        }
    } else {
        value v = ptx_expression(s, 0);
        o = (ptx_opnd){.kind = PO_IMM, .type = v.type, .imm = v.i};
    }
    PUSH(s, s->opnd, o);
}

/* call [(returns),] callee [, (arguments) [, prototype or targets]] */
static void read_call(parser *s)
{
    ptx_opnd returns = {.kind = PO_ARGS}, arguments = {.kind = PO_ARGS};
    if (accept(s, '(')) {
        read_list(s, ')', &returns);
        ptx_expect(s, ',');
    }
    PUSH(s, s->opnd, returns);
    read_operand(s, FORWARD | SCALAR);
    const ptx_opnd *callee = &s->opnd.v[s->opnd.n - 1];
    if (callee->kind != PO_SYM && callee->kind != PO_REG) ptx_fail(s, "a call needs a function or a register");
    if (callee->kind == PO_REG) s->function->func.calls_indirect = 1;
    int more = accept(s, ',');
    if (more && accept(s, '(')) {
        read_list(s, ')', &arguments);
        more = accept(s, ',');
    }
    PUSH(s, s->opnd, arguments);
    if (more) read_operand(s, FORWARD | SCALAR);
}

/* ------------------------------------------------------------------------------------------------ instructions */

/* The words of a mnemonic, made once for each spelling. */
static const mnemonic *mnemonic_of(parser *s, const char *at, uint32_t len)
{
    uint32_t hash = hash_of(at, len);
    if (2 * (s->mnemonics.n + 1) > s->mnemonic_mask) {
        uint32_t size = s->mnemonic_table ? 2 * (s->mnemonic_mask + 1) : 1024, *table = calloc(size, sizeof *table);
        if (!table) ptx_fail(s, "out of memory");
        free(s->mnemonic_table);
        s->mnemonic_table = table;
        s->mnemonic_mask = size - 1;
        for (uint32_t i = 0; i < s->mnemonics.n; i++) {
            uint32_t h = s->mnemonics.v[i].hash;
            while (table[h & s->mnemonic_mask]) h++;
            table[h & s->mnemonic_mask] = i + 1;
        }
    }
    uint32_t h = hash, i;
    for (; (i = s->mnemonic_table[h & s->mnemonic_mask]); h++) {
        const mnemonic *w = &s->mnemonics.v[i - 1];
        if (w->hash == hash && w->len == len && !memcmp(w->text, at, len)) return w;
    }
    uint32_t words = 1;
    for (uint32_t k = 0; k < len; k++) words += at[k] == '.';
    if (words > 64) ptx_fail(s, "an instruction name of more than 64 words");
    mnemonic w = {take_string(s, at, len), len, hash, words, take(s, words * sizeof(char *))};
    char *copy = take_string(s, at, len);
    for (uint32_t k = 0; k < words; k++) {
        char *dot = strchr(copy, '.');
        if (dot) *dot = 0;
        if (!*copy) ptx_fail(s, "'%.*s' is no instruction name", shown(len), at);
        w.mod[k] = copy;
        copy = dot ? dot + 1 : copy;
    }
    PUSH(s, s->mnemonics, w);
    s->mnemonic_table[h & s->mnemonic_mask] = (uint32_t)s->mnemonics.n;
    return &s->mnemonics.v[s->mnemonics.n - 1];
}

/* The colon of .sp::2:4 */
static int is_ratio(const char *from, const char *p)
{
    return p > from && *p == ':' && p[-1] >= '0' && p[-1] <= '9' && p[1] >= '0' && p[1] <= '9';
}
static const mnemonic *read_mnemonic(parser *s)
{
    int c = ptx_peek(s);
    const char *from = s->p, *p = from;
    if ((unsigned)((c | 32) - 'a') >= 26) ptx_fail_expected(s, "an instruction");
    for (;;) {
        if (is_name_char(*p) || *p == '.') p++;
        else if (p[0] == ':' && p[1] == ':') p += 2;
        else if (is_ratio(from, p)) p++;
        else break;
    }
    s->p = p;
    if (ptx_peek(s) != '.') return mnemonic_of(s, from, (uint32_t)(p - from));
    /* written with blanks between the words */
    char joined[256];
    size_t n = (size_t)(p - from);
    if (n >= sizeof joined) ptx_fail(s, "an instruction name of more than %zu characters", sizeof joined);
    memcpy(joined, from, n);
    while (ptx_peek(s) == '.') {
        for (from = p = s->p; is_name_char(*p) || *p == '.' || (p[0] == ':' && p[1] == ':') || is_ratio(from, p);
             p += p[0] == ':' && p[1] == ':' ? 2 : 1) {}
        if (n + (size_t)(p - from) >= sizeof joined)
            ptx_fail(s, "an instruction name of more than %zu characters", sizeof joined);
        memcpy(joined + n, from, (size_t)(p - from));
        n += (size_t)(p - from);
        s->p = p;
    }
    return mnemonic_of(s, joined, (uint32_t)n);
}

static ptx_instr *new_instruction(parser *s, const mnemonic *w, const char *from, uint32_t line)
{
    ptx_module *m = s->m;
    if (m->ncode >= UINT32_MAX - 1) ptx_fail(s, "too many instructions");
    m->code = grow(s, m->code, &s->code_cap, (size_t)m->ncode + 1, sizeof *m->code);
    s->store->from = grow(s, s->store->from, &s->from_cap, (size_t)m->ncode + 1, sizeof *s->store->from);
    s->store->to = grow(s, s->store->to, &s->to_cap, (size_t)m->ncode + 1, sizeof *s->store->to);
    s->store->from[m->ncode] = (uint32_t)(from - m->text);
    s->store->to[m->ncode] = (uint32_t)(s->p - m->text);
    ptx_instr *i = &m->code[m->ncode++];
    *i = (ptx_instr){.nmod = (uint8_t)w->nmod, .mod = w->mod, .guard = -1, .loc = s->loc, .line = line};
    return i;
}

/* Settles where the uses added since from will be filled in: into op[index].sym or table[index]. */
static void place_pending(parser *s, size_t from, ptx_opnd *op, size_t base, ptx_sym **table)
{
    for (size_t i = from; i < s->pend.n; i++) {
        pending *p = &s->pend.v[i];
        p->where = op ? &op[p->index - base].sym : &table[p->index];
    }
}

static void read_instruction(parser *s)
{
    const char *from = s->p;
    uint32_t line = s->line;
    ptx_opnd guard = {0};
    int said = 0;
    s->nesting = 0;
    if (accept(s, '@')) {
        int not = accept(s, '!');
        read_named(s, &guard, 0);
        if (guard.kind != PO_REG || guard.type != PT_PRED) ptx_fail(s, "'@' stands before a predicate register");
        guard.neg = (uint8_t)not;
    }
    const mnemonic *w = read_mnemonic(s);
    const char *first = w->mod[0];
    size_t base = s->opnd.n, uses = s->pend.n;
    if (!strcmp(first, "call")) {
        read_call(s);
    } else if (ptx_peek(s) != ';') {
        said = !strcmp(first, "mov") && !strncmp(s->p, PTX_NOTE, sizeof PTX_NOTE - 1)
            && !is_name_char(s->p[sizeof PTX_NOTE - 1]);
        int flags = !strcmp(first, "bra") || !strcmp(first, "brx") ? FORWARD
                  : !strcmp(first, "mov") || !strcmp(first, "cvta") ? ADDRESS : 0;
        do read_operand(s, flags);
        while (accept(s, ','));
    }
    ptx_expect(s, ';');
    size_t n = s->opnd.n - base;
    if (n > UINT8_MAX) ptx_fail(s, "an instruction of more than %d operands", UINT8_MAX);
    ptx_instr *i = new_instruction(s, w, from, line);
    i->nop = (uint8_t)n;
    i->note = (uint8_t)said;
    i->op = take_copy(s, s->opnd.v + base, n * sizeof *i->op);
    if (guard.kind == PO_REG) {
        i->guard = (int32_t)guard.reg;
        i->guard_not = guard.neg;
    }
    place_pending(s, uses, i->op, base, NULL);
    s->opnd.n = base;
}

/* name: or name: .branchtargets L1, L2; */
static void read_label(parser *s, const name *n)
{
    binding *b = bind(s, n, B_SYMBOL);
    ptx_sym *sym = b->sym = new_symbol(s, n, SP_LABEL);
    sym->target = s->m->ncode;
    if (ptx_peek(s) != '.') return;
    const char *from = s->p;
    name word = ptx_read_word(s);
    if (is(&word, "callprototype")) {
        ptx_skip_to(s, ';');
    } else if (is(&word, "branchtargets") || is(&word, "calltargets")) {
        size_t uses = s->pend.n;
        uint32_t count = 0;
        do {
            name target = ptx_read_name(s);
            add_pending(s, &target, count++);
        } while (accept(s, ','));
        ptx_expect(s, ';');
        sym->is_table = 1;
        sym->ntargets = (int)count;
        sym->targets = take(s, count * sizeof *sym->targets);
        place_pending(s, uses, NULL, 0, sym->targets);
    } else {
        s->p = from;
    }
}

/* ------------------------------------------------------------------------------------------------ functions */

static void read_body(parser *s)
{
    ptx_func *f = &s->function->func;
    f->has_body = 1;
    f->begin = s->m->ncode;
    f->frame_bytes = (uint32_t)s->frame;
    f->nslot = s->slots;
    f->npred = s->predicates;
    s->loc = 0;
    for (;;) {
        int c = ptx_peek(s);
        if (c == '{') {
            s->p++;
            open_scope(s);
        } else if (c == '}') {
            s->p++;
            if (s->depth == 1) break;
            close_scope(s);
        } else if (c == ';') {
            s->p++;
        } else if (c == '.') {
            name n = ptx_read_word(s);
            int space = space_of(&n);
            if (space) read_declaration(s, space, 0);
            else if (is(&n, "loc")) read_loc(s);
            else if (is(&n, "file")) read_file(s);
            else if (is(&n, "pragma")) ptx_skip_to(s, ';');
            else if (is(&n, "extern") && ptx_peek(s) == '.' && (n = ptx_read_word(s), is(&n, "shared")))
                read_declaration(s, SP_SHARED, 1);
            else ptx_fail(s, "unknown directive '.%.*s'", NAME(&n));
        } else if (is_name_start(c)) {
            const char *from = s->p;
            uint32_t line = s->line;
            name n = ptx_scan_name(s);
            if (*s->p != '.' && ptx_peek(s) == ':' && s->p[1] != ':') {
                s->p++;
                read_label(s, &n);
                continue;
            }
            s->p = from;
            s->line = line;
            read_instruction(s);
        } else if (c == '@') {
            read_instruction(s);
        } else {
            if (!c) ptx_fail(s, "the body of '%s' has no end", f->name);
            ptx_fail_expected(s, "an instruction");
        }
    }
    /* for labels at the end and for functions that run off it */
    const char *here = s->p;
    s->loc = 0;
    new_instruction(s, mnemonic_of(s, "ret", 3), here, s->line);
    f->end = s->m->ncode;
    close_scope(s);
    f->shared = take_copy(s, s->shared.v, s->shared.n * sizeof *f->shared);
    f->nshared = (int)s->shared.n;
    f->callee = take_copy(s, s->callee.v, s->callee.n * sizeof *f->callee);
    f->ncallee = (int)s->callee.n;
}

/* ( .param ..., .reg ... ) */
static ptx_sym **read_parameters(parser *s, int *count)
{
    ptx_func *f = &s->function->func;
    s->list.n = 0;
    ptx_expect(s, '(');
    while (!accept(s, ')')) {
        if (s->list.n) ptx_expect(s, ',');
        name n = ptx_read_word(s);
        int space = space_of(&n);
        if (space != SP_PARAM && (space != SP_REG || f->is_entry)) ptx_fail(s, "a parameter is declared as .param");
        kind_of_variable k = read_kind(s);
        ptx_sym *sym;
        if (space == SP_REG) {
            binding *b = declare_register(s, &k);
            name as = {b->at, b->len, 0, 0, 0};
            sym = new_symbol(s, &as, SP_REG);
            sym->type = k.type;
            sym->size = (uint64_t)ptx_type_bits(k.type) / 8;
            sym->id = b->slot;
        } else {
            sym = declare_variable(s, &k, SP_PARAM, 0, 1);
            if (f->is_entry) {
                uint64_t at = align_up(f->param_bytes, sym->align);
                if (sym->size > MAX_FRAME || at + sym->size > MAX_FRAME)
                    ptx_fail(s, "more than %llu bytes of parameters", MAX_FRAME);
                sym->offset = at;
                sym->id = 1;
                f->param_bytes = (uint32_t)(at + sym->size);
            } else {
                sym->offset = take_frame(s, sym->size, sym->align);
            }
        }
        PUSH(s, s->list, sym);
    }
    *count = (int)s->list.n;
    return take_copy(s, s->list.v, s->list.n * sizeof *s->list.v);
}

static void read_three(parser *s, uint32_t out[3])
{
    out[0] = read_u32(s, "a number of threads or blocks");
    for (int i = 1; i < 3; i++) out[i] = accept(s, ',') ? read_u32(s, "a number of threads or blocks") : 1;
}

/* .maxntid 128, 1, 1 and the like, up to ';' or '{' */
static void read_limits(parser *s, ptx_func *f)
{
    while (ptx_peek(s) == '.') {
        name n = ptx_read_word(s);
        if (is(&n, "maxntid")) read_three(s, f->maxntid);
        else if (is(&n, "reqntid")) read_three(s, f->reqntid);
        else if (is(&n, "reqnctapercluster")) read_three(s, f->cluster);
        else if (is(&n, "minnctapersm")) f->minnctapersm = read_u32(s, ".minnctapersm");
        else if (is(&n, "minperctamemory")) f->per_cta = read_u32(s, ".minperctamemory");
        else if (is(&n, "maxnreg")) f->maxnreg = read_u32(s, ".maxnreg");
        else if (is(&n, "maxclusterrank")) f->maxclusterrank = read_u32(s, ".maxclusterrank");
        else if (is(&n, "explicitcluster")) f->explicit_cluster = 1;
        else if (is(&n, "pragma")) ptx_skip_to(s, ';');
        else if (accept(s, '(')) ptx_skip_to(s, ')');
        else if (is_digit(ptx_peek(s)) || *s->p == '"')
            do *s->p == '"' ? (void)ptx_read_quoted(s) : (void)ptx_expression(s, 9);
            while (accept(s, ',') && ptx_peek(s));
    }
}

static void read_function(parser *s, int is_entry)
{
    while (ptx_peek(s) == '.') {
        name n = ptx_read_word(s);
        if (accept(s, '(')) ptx_skip_to(s, ')');
        else if (!is(&n, "noreturn")) ptx_fail(s, "unknown word '.%.*s' before a function's name", NAME(&n));
    }
    /* The name is bound outside the scope of the parameters, some of which stand before it. */
    const char *from = s->p;
    uint32_t line = s->line, which;
    int returns = accept(s, '(');
    if (returns) ptx_skip_to(s, ')');
    name n = ptx_read_name(s);
    binding *b = find(s, &n, &which);
    if (b && (b->kind != B_SYMBOL || b->sym->space != SP_FUNC)) ptx_fail(s, "'%.*s' is declared twice", NAME(&n));
    if (!b) {
        function *fresh = take(s, sizeof *fresh);
        ptx_sym *sym = new_symbol(s, &n, SP_FUNC);
        fresh->func.name = sym->name;
        fresh->func.is_entry = (uint8_t)is_entry;
        fresh->func.sym = sym;
        fresh->symbol = (symbol *)sym;
        fresh->symbol->function = fresh;
        b = bind(s, &n, B_SYMBOL);
        b->sym = sym;
        s->m->func = grow(s, s->m->func, &s->func_cap, (size_t)s->m->nfunc + 1, sizeof *s->m->func);
        s->m->func[s->m->nfunc++] = &fresh->func;
    }
    function *known = ((symbol *)b->sym)->function;
    if (known->func.is_entry != is_entry) ptx_fail(s, "'%.*s' is declared as .entry and as .func", NAME(&n));
    function heading = {.func = {.name = known->func.name, .sym = known->func.sym, .is_entry = (uint8_t)is_entry}};
    const char *after = s->p;
    uint32_t after_line = s->line;

    s->stamp++;
    s->slots = s->predicates = 0;
    s->frame = 0;
    s->shared.n = s->callee.n = 0;
    s->function = &heading;               /* kept only if there is a body, or none before */
    open_scope(s);
    if (returns) {
        s->p = from;
        s->line = line;
        heading.func.ret = read_parameters(s, &heading.func.nret);
        s->p = after;
        s->line = after_line;
    }
    if (ptx_peek(s) == '(') heading.func.param = read_parameters(s, &heading.func.nparam);
    read_limits(s, &heading.func);
    int body = accept(s, '{');
    if (body && known->func.has_body) ptx_fail(s, "'%.*s' has two bodies", NAME(&n));
    if (!known->func.has_body) known->func = heading.func;
    s->function = known;
    if (body) {
        read_body(s);
    } else {
        close_scope(s);
        ptx_expect(s, ';');
    }
    s->function = NULL;
    s->loc = 0;
}

/* .alias name, function; */
static void read_alias(parser *s)
{
    function *f[2];
    for (int i = 0; i < 2; i++) {
        name n = ptx_read_name(s);
        uint32_t which;
        binding *b = find(s, &n, &which);
        if (!b || b->kind != B_SYMBOL || b->sym->space != SP_FUNC) ptx_fail(s, "unknown function '%.*s'", NAME(&n));
        f[i] = ((symbol *)b->sym)->function;
        ptx_expect(s, i ? ';' : ',');
    }
    f[0]->alias = f[1];
}

/* ------------------------------------------------------------------------------------------------ modules */

static void bind_special_registers(parser *s)
{
    static const struct { const char *name; uint8_t reg, type, parts; } table[] = {
        {"%tid", SR_TID, PT_U32, 1}, {"%ntid", SR_NTID, PT_U32, 1}, {"%laneid", SR_LANEID, PT_U32, 0},
        {"%warpid", SR_WARPID, PT_U32, 0}, {"%nwarpid", SR_NWARPID, PT_U32, 0}, {"%ctaid", SR_CTAID, PT_U32, 1},
        {"%nctaid", SR_NCTAID, PT_U32, 1}, {"%smid", SR_SMID, PT_U32, 0}, {"%nsmid", SR_NSMID, PT_U32, 0},
        {"%gridid", SR_GRIDID, PT_U64, 0}, {"%clusterid", SR_CLUSTERID, PT_U32, 1},
        {"%nclusterid", SR_NCLUSTERID, PT_U32, 1}, {"%cluster_ctaid", SR_CLUSTER_CTAID, PT_U32, 1},
        {"%cluster_nctaid", SR_CLUSTER_NCTAID, PT_U32, 1}, {"%cluster_ctarank", SR_CLUSTER_CTARANK, PT_U32, 0},
        {"%cluster_nctarank", SR_CLUSTER_NCTARANK, PT_U32, 0},
        {"%perctamemoryoffset", SR_PER_CTA_OFFSET, PT_U64, 0}, {"%perctamemorysize", SR_PER_CTA_SIZE, PT_U32, 0},
        {"%is_explicit_cluster", SR_IS_EXPLICIT_CLUSTER, PT_PRED, 0},
        {"%lanemask_eq", SR_LANEMASK_EQ, PT_U32, 0}, {"%lanemask_le", SR_LANEMASK_LE, PT_U32, 0},
        {"%lanemask_lt", SR_LANEMASK_LT, PT_U32, 0}, {"%lanemask_ge", SR_LANEMASK_GE, PT_U32, 0},
        {"%lanemask_gt", SR_LANEMASK_GT, PT_U32, 0}, {"%clock", SR_CLOCK, PT_U32, 0},
        {"%clock_hi", SR_CLOCK_HI, PT_U32, 0},
        {"%clock64", SR_CLOCK64, PT_U64, 0}, {"%globaltimer", SR_GLOBALTIMER, PT_U64, 0},
        {"%globaltimer_lo", SR_GLOBALTIMER_LO, PT_U32, 0}, {"%globaltimer_hi", SR_GLOBALTIMER_HI, PT_U32, 0},
        {"%total_smem_size", SR_TOTAL_SMEM_SIZE, PT_U32, 0}, {"%aggr_smem_size", SR_AGGR_SMEM_SIZE, PT_U32, 0},
        {"%dynamic_smem_size", SR_DYNAMIC_SMEM_SIZE, PT_U32, 0},
        {"%reserved_smem_offset_begin", SR_RESERVED_SMEM_BEGIN, PT_U32, 0},
        {"%reserved_smem_offset_end", SR_RESERVED_SMEM_END, PT_U32, 0},
        {"%reserved_smem_offset_cap", SR_RESERVED_SMEM_CAP, PT_U32, 0},
        {"%reserved_smem_offset_0", SR_RESERVED_SMEM_OFFSET, PT_U32, 0},
        {"%reserved_smem_offset_1", SR_RESERVED_SMEM_OFFSET, PT_U32, 0},
        {"%current_graph_exec", SR_CURRENT_GRAPH_EXEC, PT_U64, 0},
        {"%pm0", SR_PM, PT_U32, 0}, {"%pm1", SR_PM, PT_U32, 0}, {"%pm2", SR_PM, PT_U32, 0}, {"%pm3", SR_PM, PT_U32, 0},
        {"%pm4", SR_PM, PT_U32, 0}, {"%pm5", SR_PM, PT_U32, 0}, {"%pm6", SR_PM, PT_U32, 0}, {"%pm7", SR_PM, PT_U32, 0},
        {"%pm0_64", SR_PM, PT_U64, 0}, {"%pm1_64", SR_PM, PT_U64, 0}, {"%pm2_64", SR_PM, PT_U64, 0},
        {"%pm3_64", SR_PM, PT_U64, 0}, {"%pm4_64", SR_PM, PT_U64, 0}, {"%pm5_64", SR_PM, PT_U64, 0},
        {"%pm6_64", SR_PM, PT_U64, 0}, {"%pm7_64", SR_PM, PT_U64, 0},
    };
    char text[16];
    for (unsigned i = 0; i < sizeof table / sizeof *table + 32; i++) {
        unsigned number = i - (unsigned)(sizeof table / sizeof *table);
        int listed = i < sizeof table / sizeof *table;
        if (!listed) snprintf(text, sizeof text, "%%envreg%u", number);
        const char *at = listed ? table[i].name : text;
        uint32_t len = (uint32_t)strlen(at);
        if (!listed) at = take_string(s, at, len);
        name n = {at, len, hash_of(at, len), len, 0};
        binding *b = bind(s, &n, B_SPECIAL);
        b->slot = listed ? table[i].reg : SR_ENVREG;
        b->type = listed ? table[i].type : PT_B32;
        b->count = listed ? table[i].parts : 0;
    }
}

static void read_target(parser *s)
{
    do {
        name n = ptx_read_name(s);
        if (is(&n, "debug")) s->m->debug = 1;
        if (n.len < 3 || memcmp(n.at, "sm_", 3)) continue;
        if (n.len >= sizeof s->m->target) ptx_fail(s, "unknown target '%.*s'", NAME(&n));
        memcpy(s->m->target, n.at, n.len);
        s->m->target[n.len] = 0;
    } while (accept(s, ','));
}

static void read_version(parser *s)
{
    uint32_t part[2] = {0, 0};
    ptx_peek(s);
    for (int i = 0; i < 2; i++) {
        if (!is_digit(*s->p)) ptx_fail_expected(s, "a version");
        for (; is_digit(*s->p); s->p++)
            if ((part[i] = part[i] * 10 + (uint32_t)(*s->p - '0')) > 999) ptx_fail(s, "a version of too many digits");
        if (!i && *s->p++ != '.') ptx_fail(s, "a version has two parts");
    }
    s->m->version = part[0] * 10 + part[1];
}

/* Functions that were named before they were declared, and aliases. */
static void finish_functions(parser *s)
{
    function *at = NULL;
    for (size_t i = 0; i <= s->module_pend.n; i++) {
        const pending *p = i < s->module_pend.n ? &s->module_pend.v[i] : NULL;
        if (at && (!p || p->function != at)) {
            at->func.callee = take_copy(s, s->callee.v, s->callee.n * sizeof *at->func.callee);
            at->func.ncallee = (int)s->callee.n;
            at = NULL;
        }
        if (!p) break;
        if (!at) {
            at = p->function;
            s->callee.n = 0;
            s->stamp++;
            for (int k = 0; k < at->func.ncallee; k++) note_use(s, &((function *)at->func.callee[k])->symbol->sym);
        }
        binding *b = find_kind(s, p->name.at, p->name.len, p->name.hash, 0);
        if (!b || b->kind != B_SYMBOL || b->sym->space != SP_FUNC) {
            s->line = p->line;
            ptx_fail(s, "unknown label or function '%.*s'", NAME(&p->name));
        }
        *p->where = b->sym;
        note_use(s, b->sym);
    }
    for (int i = 0; i < s->m->nfunc; i++) {
        function *f = (function *)s->m->func[i], *alias = f->alias;
        if (alias && alias->func.has_body && !alias->alias && !f->func.has_body) {
            const char *own = f->func.name;
            ptx_sym *symbol = f->func.sym;
            f->func = alias->func;
            f->func.name = own;
            f->func.sym = symbol;
        }
    }
    for (int i = 0; i < s->m->nfunc; i++) {
        function *f = (function *)s->m->func[i];
        f->symbol->sym.func = f->func.has_body ? &f->func : NULL;
        f->symbol->sym.is_extern = !f->func.has_body;
    }
}

static void read_module(parser *s)
{
    static const char *const linkage[] = {"visible", "extern", "weak", "common", NULL};
    rehash(s, 1024);
    bind_special_registers(s);
    place none = {0};
    PUSH(s, s->places, none);             /* place 0: unknown */
    s->m->loc = grow(s, s->m->loc, &s->loc_cap, 1, sizeof *s->m->loc);
    s->m->loc[0] = (ptx_loc){"?", 0, 0, 0, NULL};
    s->m->nloc = 1;
    int is_extern = 0;
    for (int c; (c = ptx_peek(s));) {
        s->nesting = 0;
        if (c == ';') {
            s->p++;
            continue;
        }
        if (c == '@' && s->p[1] == '@') {     /* @@DWARF: debug sections of old */
            while (s->p < s->end && *s->p != '\n') s->p++;
            continue;
        }
        if (c != '.') ptx_fail_expected(s, "a directive");
        name n = ptx_read_word(s);
        if (!s->m->version && !is(&n, "version")) ptx_fail(s, "the text does not begin with .version");
        if (is_one_of(&n, linkage)) {
            is_extern |= n.at[0] == 'e';
            continue;
        }
        int space = space_of(&n);
        if (space) read_declaration(s, space, is_extern);
        else if (is(&n, "func")) read_function(s, 0);
        else if (is(&n, "entry")) read_function(s, 1);
        else if (is(&n, "loc")) read_loc(s);
        else if (is(&n, "file")) read_file(s);
        else if (is(&n, "section")) read_section(s);
        else if (is(&n, "pragma")) ptx_skip_to(s, ';');
        else if (is(&n, "alias")) read_alias(s);
        else if (is(&n, "version")) read_version(s);
        else if (is(&n, "target")) read_target(s);
        else if (is(&n, "address_size")) {
            if (ptx_read_count(s, 64, ".address_size") != 64) ptx_fail(s, "only addresses of 64 bits are supported");
        } else ptx_fail(s, "unknown directive '.%.*s'", NAME(&n));
        is_extern = 0;
    }
    if (!s->m->version) ptx_fail(s, "the text does not begin with .version");
    if (!s->m->target[0]) ptx_fail(s, "the text has no .target");
    finish_places(s);
    finish_functions(s);
}

/* Apart from ptx_parse(), for no variable of its own to change between setjmp and longjmp */
static int run(parser *s)
{
    if (setjmp(s->leave)) return 0;
    read_module(s);
    return 1;
}

ptx_module *ptx_parse(const char *text, size_t length, char *err, size_t err_size)
{
    parser *s = calloc(1, sizeof *s);
    ptx_module *m = calloc(1, sizeof *m);
    store *st = calloc(1, sizeof *st);
    char *copy = length < UINT32_MAX - 16 ? malloc(length + 1) : NULL;
    if (!s || !m || !st || !copy) {
        if (err_size) snprintf(err, err_size, "line 1: out of memory, or a text too long");
        free(s);
        free(m);
        free(st);
        free(copy);
        return NULL;
    }
    if (length) memcpy(copy, text, length);
    copy[length] = 0;
    m->text = copy;
    m->arena = st;
    s->p = copy;
    s->end = copy + length;
    s->line = 1;
    s->m = m;
    s->store = st;
    s->err = err;
    s->err_size = err_size;
    int good = run(s);
    void *own[] = {s->bucket, s->bind.v, s->pend.v, s->module_pend.v, s->opnd.v, s->list.v, s->shared.v, s->callee.v,
                   s->reloc.v,
                   s->init.v, s->strings.v, s->files.v, s->places.v, s->mnemonics.v, s->place_table, s->mnemonic_table,
                   s};
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++) free(own[i]);
    if (good) return m;
    ptx_free(m);
    return NULL;
}

void ptx_free(ptx_module *m)
{
    if (!m) return;
    store *st = m->arena;
    for (block *b = st->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(st->from);
    free(st->to);
    free(st);
    free(m->text);
    free(m->code);
    free(m->func);
    free(m->global);
    free(m->shared);
    free(m->loc);
    free(m);
}

const char *ptx_text(const ptx_module *m, const ptx_instr *i, char *buf, size_t size)
{
    const store *st = m->arena;
    size_t n = 0;
    if (!size) return buf;
    if (i >= m->code && i < m->code + m->ncode) {
        const char *p = m->text + st->from[i - m->code], *end = m->text + st->to[i - m->code];
        int blank = 0;
        while (p < end && n + 1 < size) {
            if ((unsigned char)*p <= ' ') {
                blank = n > 0;
                p++;
            } else if (*p == '/' && p + 1 < end && p[1] == '/') {
                while (p < end && *p != '\n') p++;
            } else if (*p == '/' && p + 1 < end && p[1] == '*') {
                for (p += 2; p + 1 < end && !(p[0] == '*' && p[1] == '/'); p++) {}
                p += p + 1 < end ? 2 : 1;
                blank = n > 0;
            } else if (blank) {
                buf[n++] = ' ';
                blank = 0;
            } else {
                buf[n++] = *p++;
            }
        }
        if (st->from[i - m->code] == st->to[i - m->code]) {     /* the ret that was added at the end of a body */
            for (const char *q = "ret;"; *q && n + 1 < size; q++) buf[n++] = *q;
        }
    }
    buf[n] = 0;
    return buf;
}

ptx_func *ptx_find(const ptx_module *m, const char *name)
{
    for (int i = 0; i < m->nfunc; i++)
        if (!strcmp(m->func[i]->name, name)) return m->func[i];
    return NULL;
}
