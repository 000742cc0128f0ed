/* tc_layout_smem.c - tc_layout's commands for shared memory: swizzles, canonical layouts, boxes of TMA, bank conflicts.
 * Where the CUDA Toolkit's headers are in the include path, tc_tma.h checks the boxes as it does for tensor maps.
 */
#include "../tc_swizzle.h"
#include "../tc_tcgen05.h"
#include "../tc_wgmma.h"
#if defined(__has_include)
#if __has_include(<cuda_runtime_api.h>)
#include "../tc_tma.h"
#define HAS_TMA 1
#endif
#endif
#include "tc_layout.h"
#include <limits.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------------------
 * Shared memory: swizzles, canonical layouts, boxes of TMA.
 */
static const char *swizzle_name(int mode)
{
    return mode == 0                                 ? "no swizzle"
         : mode == 32                                ? "32-byte swizzle"
         : mode == 64                                ? "64-byte swizzle"
         : mode == 96                                ? "96-byte swizzle"
         : mode == TC_SWIZZLE_128B_ATOM_32B          ? "128-byte swizzle in atoms of 32 bytes"
         : mode == TC_SWIZZLE_128B_ATOM_32B_FLIP_8B  ? "128-byte swizzle in atoms of 32 bytes, 8 bytes flipped"
         : mode == TC_SWIZZLE_128B_ATOM_64B          ? "128-byte swizzle in atoms of 64 bytes"
                                                     : "128-byte swizzle";
}

/* Eight groups of four banks: a hue each. */
static int bank_colour(uint32_t offset) { return (int)(offset / 16 % 8 * 4 + 1); }

/* A cell of shared memory: where its `bytes` from `offset` on lie. */
static void put_banks(cell *c, uint32_t offset, int bytes)
{
    const int first = (int)(offset / 4 % 32), last = (int)((offset + (uint32_t)bytes - 1) / 4 % 32);
    char banks[24];
    range(banks, first, last);
    print(c->text, sizeof c->text, "%u b%s", offset, banks);
    print(c->big, sizeof c->big, "+%u", offset);
    print(c->small, sizeof c->small, "banks %.13s", banks);
    c->colour = bank_colour(offset);
}

/* Bits of an element as it lies in shared memory: 6-bit types, and 4-bit ones that are padded, take a byte on
 * average. */
static int stored_bits(int type, int padded)
{
    const int bits = tc_type_bits(type);
    return bits == 6 || (bits == 4 && padded) ? 8 : bits;
}

void command_swizzle(void)
{
    const int mode = swizzle_of("the swizzle", word(0)), type = type_of("bf16"),
              bits = stored_bits(type, option("--padded") != NULL);
    const int row_bytes = number("--row-bytes", mode ? (int)tc_swizzle_width(mode) : 128, 16, 4096),
              rows = number("--rows", 8, 1, 1024);
    const int chunk = number("--chunk", mode == TC_SWIZZLE_128B_ATOM_32B_FLIP_8B ? 8 : 16, 4, 128);
    const int view = choose("--view", option("--view") ? option("--view") : "both", "both tile memory");
    const int per = chunk * 8 / bits, cols = row_bytes / chunk, lines = (rows * row_bytes + 127) / 128;
    char a[24];
    int r, c;
    at_most(1);
    if (chunk & (chunk - 1)) fail("--chunk is %d, but must be 4, 8, 16, 32, 64 or 128", chunk);
    if (row_bytes % chunk)
        fail("--row-bytes is %d, but must be a multiple of %d, the bytes of a cell", row_bytes, chunk);
    if (chunk > 16 && mode && tc_swizzle(mode, 128 * 7) % (uint32_t)chunk)
        fail("--chunk is %d, but the swizzle moves smaller pieces", chunk);
    if (per < 1) fail("--chunk is %d, but an element has %d bytes", chunk, bits / 8);
    if (view != 2) {
        picture *p = draw(rows, cols, "%s, tile of %s, K-major, rows of %d bytes: where each %d bytes land",
                          swizzle_name(mode), tc_type_name(type), row_bytes, chunk);
        axes(p, "row", "k");
        say(&p->notes, "byte offset from the tile's start, and banks (of 32, 4 bytes wide); colour: which 4 banks\n");
        if (mode) say(&p->notes, "the tile starts at a multiple of %u bytes\n", tc_swizzle_atom(mode));
        p->every_row = 8;
        for (r = 0; r < rows; r++)
            for (c = 0; c < cols; c++) {
                print(p->col[c], sizeof p->col[c], "%s", range(a, c * per, c * per + per - 1));
                put_banks(at(p, r, c), tc_swizzle(mode, (uint32_t)(r * row_bytes + c * chunk)), chunk);
            }
    }
    if (view != 1) {
        picture *p = draw(lines, 128 / chunk, "%s, the same tile as it lies in shared memory", swizzle_name(mode));
        axes(p, "128 bytes, from byte", "banks");
        say(&p->notes, "row, and the first k of the %d elements there; colour: which row\n", per);
        for (r = 0; r < lines; r++) print(p->row[r], sizeof p->row[r], "+%d", 128 * r);
        for (c = 0; c < 128 / chunk; c++)
            print(p->col[c], sizeof p->col[c], "%s", range(a, c * chunk / 4, (c * chunk + chunk - 1) / 4));
        for (r = 0; r < rows; r++)
            for (c = 0; c < cols; c++) {
                const uint32_t offset = tc_swizzle(mode, (uint32_t)(r * row_bytes + c * chunk));
                cell *q;
                if ((int)(offset / 128) >= lines) continue; /* a part of an atom: lands past the last line */
                q = at(p, (int)(offset / 128), (int)(offset % 128) / chunk);
                print(q->text, sizeof q->text, "%d:%d", r, c * per);
                print(q->big, sizeof q->big, "row %d", r);
                print(q->small, sizeof q->small, "k %s", range(a, c * per, c * per + per - 1));
                q->colour = r % 8 * 4 + c % 2 + 1;
            }
    }
}

void command_canonical(void)
{
    const int mn = choose("the layout", word(0), "k mn"), mode = swizzle_of("the swizzle", word(1)),
              type = type_of("bf16");
    const int bits = stored_bits(type, option("--padded") != NULL), width = mode ? (int)tc_swizzle_width(mode) : 16,
              line_group = mode == TC_SWIZZLE_128B_ATOM_32B ? 4 : 8;
    const int atom = line_group * width, per = 128 / bits; /* a cell is 16 bytes */
    int rows, k, lead, stride, lines, chunks, r, c;
    char a[24];
    picture *p;
    at_most(2);
    if (mode == TC_SWIZZLE_96B || mode > TC_SWIZZLE_128B_ATOM_32B)
        fail("wgmma and tcgen05 read by none, 32, 64, 128 and (tcgen05, mn, 32-bit types) 128_atom_32 only");
    if (mode == TC_SWIZZLE_128B_ATOM_32B && !mn) fail("128_atom_32 is a layout of mn only");
    if (bits < 8 && mn) fail("types of less than 8 bits are read K-major only");
    rows = number("--rows", mn ? (width < 32 ? 32 : 2 * width) * 8 / bits : 16, 1, 512);
    k = number("--k", mn ? 16 : (width < 32 ? 32 : width) * 8 / bits, 1, 2048);
    lines = mn ? k : rows, chunks = ((mn ? rows : k) + per - 1) / per;
    /* atoms follow each other down first: those of the next 8 lines, then of the next width */
    if (mn && !mode) lead = atom, stride = atom * ((k + 7) / 8);
    else stride = atom, lead = atom * ((lines + line_group - 1) / line_group);
    lead = number("--lead", lead, 0, 0x3fff0), stride = number("--stride", stride, 0, 0x3fff0);
    p = draw(lines, chunks, "canonical %s-major layout of %s, %s", mn ? "MN" : "K", tc_type_name(type),
             swizzle_name(mode));
    axes(p, mn ? "k" : "row (m or n)", mn ? "row (m or n)" : "k");
    p->every_row = line_group, p->every_col = width / 16;
    if (mn && bits == 8) say(&p->notes, "tcgen05 only: wgmma reads 8-bit types K-major\n");
    say(&p->notes,
        "byte offset from the tile's start, and banks; thick lines: atoms of %d bytes; colour: which 4 banks\n", atom);
    say(&p->notes, "descriptor: leading byte offset %d, stride byte offset %d; with address 0: ", lead, stride);
    if (mode <= 128)
        say(&p->notes, "wgmma 0x%016llx, ",
            (unsigned long long)tc_wgmma_desc_make((tc_wgmma_desc_fields){.leading_bytes = (uint32_t)lead,
                                                       .stride_bytes = (uint32_t)stride, .swizzle = mode}));
    say(&p->notes, "tcgen05 0x%016llx\n",
        (unsigned long long)tc_tcgen05_desc_make((tc_tcgen05_desc_fields){.leading_bytes = (uint32_t)lead,
                                                     .stride_bytes = (uint32_t)stride, .swizzle = mode > 128 ? 128
                                                     : mode, .base32 = mode > 128}));
    for (r = 0; r < lines; r++)
        for (c = 0; c < chunks; c++) {
            print(p->col[c], sizeof p->col[c], "%s", range(a, c * per, c * per + per - 1));
            put_banks(at(p, r, c), mn ? tc_layout_mn(mode, bits, (uint32_t)lead, (uint32_t)stride, (uint32_t)(c * per),
                                                     (uint32_t)r)
                      : tc_layout_k(mode, bits, (uint32_t)lead, (uint32_t)stride, (uint32_t)r, (uint32_t)(c * per)),
                      16);
        }
}

/* Rows of a box in shared memory: `coordinates` of row r of the box come from walk(); count of the lines drawn is cut
 * by --rows. */
typedef struct box {
    int rank, bits, mode, padded, type;
    int64_t dim[5], at[5];
    int rows, inner; /* rows and elements of one */
} box;

static void draw_box(const box *b, const char *title, const int64_t (*coord)[5])
{
    const int row_bytes = b->padded ? b->inner : b->inner * b->bits / 8, width = (int)tc_swizzle_width(b->mode),
              pitch = width > row_bytes ? width : row_bytes;
    const int per = b->padded ? 16 : 128 / b->bits, shown = number("--rows", b->rows < 64 ? b->rows : 64, 1, b->rows);
    picture *p = draw(shown, pitch / 16, "%s, %s of %s: %lld bytes", title, swizzle_name(b->mode),
                      tc_type_name(b->type), (long long)b->rows * pitch);
    char a[24];
    int r, c, d;
    axes(p, "byte and coordinates of a row of the box", "16 bytes of shared memory");
    p->every_row = 8;
    say(&p->notes,
        "innermost coordinates of the elements there, and banks; fill: outside of the tensor, 0 or NaN; colour: which "
        "row\n");
    if (shown < b->rows) say(&p->notes, "%d of %d rows are drawn: --rows %d draws all\n", shown, b->rows, b->rows);
    for (c = 0; c < pitch / 16; c++) print(p->col[c], sizeof p->col[c], "+%d", c * 16);
    for (r = 0; r < shown; r++) {
        text name = {0};
        int inside = 1;
        say(&name, "+%d (*", r * pitch);
        for (d = 1; d < b->rank; d++) {
            say(&name, ",%lld", (long long)coord[r][d]);
            inside &= coord[r][d] >= 0 && coord[r][d] < b->dim[d];
        }
        print(p->row[r], sizeof p->row[r], "%.29s)", name.s);
        free(name.s);
        for (c = 0; c < pitch / 16; c++) {
            const uint32_t offset = tc_swizzle(b->mode, (uint32_t)(r * pitch + c * 16));
            const int64_t first = coord[r][0] + (int64_t)c * per, last = first + per - 1;
            const int bank = (int)(offset / 4 % 32);
            cell *q = at(p, (int)(offset / (uint32_t)pitch), (int)(offset % (uint32_t)pitch / 16));
            q->colour = GREY;
            print(q->small, sizeof q->small, "banks %d..%d", bank, bank + 3);
            if (c * 16 >= row_bytes) {
                print(q->text, sizeof q->text, "unused");
                print(q->big, sizeof q->big, "unused");
            } else if (!inside || last < 0 || first >= b->dim[0]) {
                print(q->text, sizeof q->text, "fill b%d..%d", bank, bank + 3);
                print(q->big, sizeof q->big, "fill");
            } else {
                const int cut = first < 0 || last >= b->dim[0];
                range(a, (int)(first < 0 ? 0 : first), (int)(last >= b->dim[0] ? b->dim[0] - 1 : last));
                print(q->text, sizeof q->text, "%.12s%s b%d..%d", a, cut ? "+fill" : "", bank, bank + 3);
                print(q->big, sizeof q->big, "%.13s%s", a, cut ? "+fill" : "");
                q->colour = r % 8 * 4 + c % 2 + 1;
            }
        }
    }
}

static int list64(const char *name, int64_t *out, int rank, long lo, long hi)
{
    int v[5], i;
    const int n = numbers(name, v, 5, lo, hi);
    if (n && rank && n != rank) fail("%s has %d numbers, but there are %d dimensions", name, n, rank);
    for (i = 0; i < n; i++) out[i] = v[i];
    return n;
}

#ifdef HAS_TMA
/* Strides of a tensor that is packed as well as the rules allow */
static void packed_strides(uint64_t *stride, const int64_t *dim, int rank, int bits, int align)
{
    uint64_t bytes = ((uint64_t)dim[0] * (uint64_t)bits + 7) / 8;
    int i;
    for (i = 0; i + 1 < rank; i++) {
        stride[i] = (bytes + (uint64_t)align - 1) / (uint64_t)align * (uint64_t)align;
        bytes = stride[i] * (uint64_t)dim[i + 1];
    }
}
#endif

static void check_inner(const box *b)
{
    if (b->inner * b->bits % 128)
        fail("a row of the box has %d elements of %d bits, but must have a multiple of 16 bytes", b->inner, b->bits);
    if (b->at[0] * b->bits % 128)
        fail("--at begins with %lld, but the innermost coordinate must lie at a multiple of 16 bytes",
             (long long)b->at[0]);
    if (tc_swizzle_width(b->mode) && !b->padded && b->inner * b->bits / 8 > (int)tc_swizzle_width(b->mode))
        fail("a row of the box has %d bytes, more than the swizzle's %u", b->inner * b->bits / 8,
             tc_swizzle_width(b->mode));
    if (b->padded && b->inner != 128) fail("a row of the box has %d elements, but a padded one has 128", b->inner);
    if (b->mode == TC_SWIZZLE_96B) fail("--swizzle is 96, which tensor maps of the toolkit do not have");
}

void command_tma_box(void)
{
    box b = {0};
    int64_t size[5], step[5] = {1, 1, 1, 1, 1}, (*coord)[5];
    text title = {0};
    int i, r, steps;
    at_most(0);
    b.mode = swizzle_of("--swizzle", option("--swizzle") ? option("--swizzle") : "none");
    b.type = type_of("bf16");
    b.bits = tc_type_bits(b.type);
    b.padded = option("--padded") != NULL || b.bits == 6;
    b.rank = list64("--box", size, 0, 1, 256);
    if (!b.rank) fail("--box is missing: elements, innermost first, like --box 64,8");
    if (!list64("--dims", b.dim, b.rank, 1, INT_MAX)) memcpy(b.dim, size, sizeof size);
    list64("--at", b.at, b.rank, INT_MIN, INT_MAX);
    steps = list64("--steps", step, b.rank, 1, 8);
    b.inner = (int)size[0];
    check_inner(&b);
#ifdef HAS_TMA
    {
        tc_tmap_desc d = {.type = b.type, .rank = b.rank, .base = (const void *)(uintptr_t)4096, .swizzle = b.mode,
                          .padded = b.bits == 4 && b.padded};
        for (i = 0; i < b.rank; i++)
            d.dim[i] = (uint64_t)b.dim[i], d.box[i] = (uint32_t)size[i], d.elem_stride[i] = (uint32_t)step[i];
        if (!option("--dims") && b.padded) d.dim[0] = 128;
        packed_strides(d.stride, b.dim, b.rank, b.bits, b.padded ? 32 : 16);
        if (tc_tmap_check(&d) != TC_OK) fail("%s", tc_why());
    }
#endif
    for (b.rows = 1, i = 1; i < b.rank; i++) b.rows *= (int)((size[i] + step[i] - 1) / step[i]);
    coord = calloc((size_t)b.rows, sizeof *coord);
    if (!coord) fail("out of memory");
    for (r = 0; r < b.rows; r++) {
        int rest = r;
        coord[r][0] = b.at[0];
        for (i = 1; i < b.rank; i++) {
            const int n = (int)((size[i] + step[i] - 1) / step[i]);
            coord[r][i] = b.at[i] + rest % n * step[i];
            rest /= n;
        }
    }
    for (i = 0; i < b.rank; i++) say(&title, "%s%lld", i ? " x " : "TMA box ", (long long)size[i]);
    if (steps) for (i = 0; i < b.rank; i++) say(&title, "%s%lld", i ? "," : " in steps ", (long long)step[i]);
    for (i = 0; i < b.rank; i++) say(&title, "%s%lld", i ? "," : " at ", (long long)b.at[i]);
    draw_box(&b, title.s, (const int64_t(*)[5])coord);
}

void command_tma_im2col(void)
{
    box b = {0};
    int64_t lower[3] = {0}, upper[3] = {0}, offset[3] = {0}, walk[5], (*coord)[5];
    char title[100];
    int i, r;
    at_most(0);
    b.mode = swizzle_of("--swizzle", option("--swizzle") ? option("--swizzle") : "none");
    b.type = type_of("bf16");
    b.bits = tc_type_bits(b.type);
    b.padded = option("--padded") != NULL || b.bits == 6;
    b.rank = list64("--dims", b.dim, 0, 1, INT_MAX);
    if (b.rank < 3)
        fail("--dims has %d numbers, but must have 3 to 5: channels, then W, H, D as far as there are, then images",
             b.rank);
    list64("--lower", lower, b.rank - 2, -32768, 32767);
    list64("--upper", upper, b.rank - 2, -32768, 32767);
    list64("--offsets", offset, b.rank - 2, 0, 65535);
    b.at[0] = 0;
    for (i = 1; i < b.rank - 1; i++) b.at[i] = lower[i - 1];
    list64("--at", b.at, b.rank, INT_MIN, INT_MAX);
    b.inner = number("--channels", 0, 1, 256);
    b.rows = number("--pixels", 0, 1, 1024);
    if (!b.inner || !b.rows) fail("--channels and --pixels are missing: of one pixel, and of one copy");
    check_inner(&b);
    for (i = 1; i < b.rank - 1; i++)
        if (b.at[i] < lower[i - 1] || b.at[i] > b.dim[i] - 1 + upper[i - 1])
            fail("--at has %lld in dimension %d, but the bounding box is %lld..%lld", (long long)b.at[i], i,
                 (long long)lower[i - 1], (long long)(b.dim[i] - 1 + upper[i - 1]));
#ifdef HAS_TMA
    {
        tc_tmap_im2col_desc d = {.type = b.type, .rank = b.rank, .base = (const void *)(uintptr_t)4096,
                                 .swizzle = b.mode, .padded = b.bits == 4 && b.padded, .channels = (uint32_t)b.inner,
                                 .pixels = (uint32_t)b.rows};
        for (i = 0; i < b.rank; i++) d.dim[i] = (uint64_t)b.dim[i];
        for (i = 0; i < b.rank - 2; i++) d.lower[i] = (int)lower[i], d.upper[i] = (int)upper[i];
        packed_strides(d.stride, b.dim, b.rank, b.bits, b.padded ? 32 : 16);
        if (tc_tmap_im2col_check(&d) != TC_OK) fail("%s", tc_why());
    }
#endif
    coord = calloc((size_t)b.rows, sizeof *coord);
    if (!coord) fail("out of memory");
    memcpy(walk, b.at, sizeof walk);
    for (r = 0; r < b.rows; r++) { /* W first, then H, D, image; the offsets are added to where the walk stands */
        for (i = 0; i < b.rank; i++) coord[r][i] = walk[i] + (i >= 1 && i < b.rank - 1 ? offset[i - 1] : 0);
        for (i = 1; i < b.rank - 1; i++) {
            if (++walk[i] <= b.dim[i] - 1 + upper[i - 1]) break;
            walk[i] = lower[i - 1];
        }
        if (i == b.rank - 1) walk[i]++;
    }
    print(title, sizeof title, "TMA im2col, %d channels of %d pixels", b.inner, b.rows);
    draw_box(&b, title, (const int64_t(*)[5])coord);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Bank conflicts. Accesses of 4 bytes a lane and less go for the whole warp at once, of 8 bytes for half of it, of 16
 * for a quarter;
 * ldmatrix and stmatrix for 8 rows. Such a part takes as many wavefronts as the busiest bank has different words.
 */
/* Expressions: C's operators over integers and `lane` */
typedef struct expression {
    const char *s, *whole;
    int lane;
} expression;

static long long parse_ternary(expression *e);

static void blank(expression *e) { e->s += strspn(e->s, " \t"); }
static _Noreturn void bad_expression(const expression *e)
{
    fail("--pattern cannot be read at \"%s\": it is row, column, ldmatrix, d, or an expression in C of lane, as "
         "\"lane*16\" (byte) or \"lane%%8, lane/8*16\" (row, byte)", e->s);
}

static long long parse_unary(expression *e)
{
    blank(e);
    if (*e->s == '-') return e->s++, (long long)(0 - (unsigned long long)parse_unary(e));
    if (*e->s == '~') return e->s++, ~parse_unary(e);
    if (*e->s == '!') return e->s++, !parse_unary(e);
    if (*e->s == '(') {
        long long x;
        e->s++;
        x = parse_ternary(e);
        blank(e);
        if (*e->s != ')') bad_expression(e);
        e->s++;
        return x;
    }
    if (!strncmp(e->s, "lane", 4) && !(e->s[4] == '_' || (e->s[4] >= 'a' && e->s[4] <= 'z'))) return e->s += 4, e->lane;
    if (*e->s >= '0' && *e->s <= '9') {
        char *end;
        const long long x = strtoll(e->s, &end, 0);
        e->s = end;
        return x;
    }
    bad_expression(e);
}

/* Binary operators, the weakest first; longer ones before their beginnings */
static const struct {
    const char *text;
    int level;
}
operators[] = {{"||", 0}, {"&&", 1}, {"|", 2}, {"^", 3}, {"&", 4}, {"==", 5}, {"!=", 5}, {"<<", 7}, {">>", 7},
               {"<=", 6}, {">=", 6}, {"<", 6}, {">", 6}, {"+", 8}, {"-", 8}, {"*", 9}, {"/", 9}, {"%", 9}};

static long long parse_binary(expression *e, int level)
{
    long long x = level > 9 ? parse_unary(e) : parse_binary(e, level + 1), y;
    int i;
    if (level > 9) return x;
    for (;;) {
        blank(e);
        for (i = 0; i < COUNT(operators); i++)
            if (!strncmp(e->s, operators[i].text, strlen(operators[i].text))) break;
        if (i == COUNT(operators) || operators[i].level != level) return x;
        e->s += strlen(operators[i].text);
        y = parse_binary(e, level + 1);
        switch (i) {
        case 0: x = x || y; break;
        case 1: x = x && y; break;
        case 2: x |= y; break;
        case 3: x ^= y; break;
        case 4: x &= y; break;
        case 5: x = x == y; break;
        case 6: x = x != y; break;
        case 7: x = (long long)((unsigned long long)x << (y & 63)); break;
        case 8: x >>= y & 63; break;
        case 9: x = x <= y; break;
        case 10: x = x >= y; break;
        case 11: x = x < y; break;
        case 12: x = x > y; break;
        case 13: x = (long long)((unsigned long long)x + (unsigned long long)y); break;
        case 14: x = (long long)((unsigned long long)x - (unsigned long long)y); break;
        case 15: x = (long long)((unsigned long long)x * (unsigned long long)y); break;
        default:
            if (!y || (y == -1 && x == LLONG_MIN)) fail("--pattern divides by %lld in lane %d", y, e->lane);
            x = i == 16 ? x / y : x % y;
        }
    }
}

static long long parse_ternary(expression *e)
{
    const long long x = parse_binary(e, 0);
    long long a, b;
    blank(e);
    if (*e->s != '?') return x;
    e->s++;
    a = parse_ternary(e);
    blank(e);
    if (*e->s != ':') bad_expression(e);
    e->s++;
    b = parse_ternary(e);
    return x ? a : b;
}

typedef struct access {
    uint32_t at[32]; /* byte of each lane in the tile, before the swizzle */
    int lanes, bytes, part; /* part: lanes that go together */
} access;

typedef struct cost {
    int parts, wavefronts, worst;
} cost;

/* Counts; where p is given, row w of it becomes wavefront w: which lanes each bank serves. */
static cost count(const access *a, int mode, picture *p)
{
    cost k = {0, 0, 0};
    int g, l, b, i;
    for (g = 0; g < a->lanes; g += a->part) {
        uint32_t seen[32][33];
        int who[32][33], more[32][33], n[32] = {0}, worst = 0;
        for (l = g; l < g + a->part && l < a->lanes; l++)
            for (b = 0; b < (a->bytes < 4 ? 4 : a->bytes); b += 4) {
                /* the swizzle is asked for each word, since one of them moves pieces of 8 bytes */
                const uint32_t w = tc_swizzle(mode, a->at[l] / 4 * 4 + (uint32_t)b) / 4, bank = w % 32;
                for (i = 0; i < n[bank] && seen[bank][i] != w; i++) {}
                if (i == n[bank]) seen[bank][i] = w, who[bank][i] = l, more[bank][i] = 0, n[bank]++;
                else more[bank][i]++;
            }
        for (b = 0; b < 32; b++)
            if (n[b] > worst) worst = n[b];
        for (b = 0; p && b < 32; b++)
            for (i = 0; i < n[b]; i++) {
                cell *q = at(p, k.wavefronts + i, b);
                print(q->text, sizeof q->text, "%d%s", who[b][i], more[b][i] ? "+" : "");
                print(q->big, sizeof q->big, "T%d%s", who[b][i], more[b][i] ? "+" : "");
                q->colour = lane_colour(who[b][i]);
            }
        for (i = 0; p && i < worst; i++)
            print(p->row[k.wavefronts + i], sizeof p->row[0], "part %d wavefront %d", k.parts, k.wavefronts + i);
        k.parts++, k.wavefronts += worst;
        if (worst > k.worst) k.worst = worst;
    }
    return k;
}

static void say_cost(text *t, int mode, const access *a, cost k)
{
    char lanes[24];
    range(lanes, a->part, a->part);
    say(t, "%s: %d wavefront%s for %d part%s of %s lanes, %d conflict%s", swizzle_name(mode), k.wavefronts,
        k.wavefronts == 1 ? "" : "s", k.parts, k.parts == 1 ? "" : "s", lanes, k.wavefronts - k.parts,
        k.wavefronts - k.parts == 1 ? "" : "s");
    if (k.worst > 1) say(t, " (%d-way)\n", k.worst);
    else say(t, " (none)\n");
}

void command_conflicts(void)
{
    const int mode = swizzle_of("--swizzle", option("--swizzle") ? option("--swizzle") : "none"),
              row_bytes = number("--row-bytes", mode ? (int)tc_swizzle_width(mode) : 128, 4, 1 << 16);
    const char *pattern = option("--pattern") ? option("--pattern") : "ldmatrix";
    const int matrix = !strcmp(pattern, "ldmatrix"), d = !strcmp(pattern, "d"),
              bytes = number("--bytes", d ? 4 : 16, 1, 16), matrices = number("--count", 4, 1, 4);
    access a = {{0}, 32, bytes, bytes == 16 ? 8 : bytes == 8 ? 16 : 32};
    picture *p;
    cost k;
    int lane;
    at_most(0);
    if (bytes & (bytes - 1)) fail("--bytes is %d, but a lane reads 1, 2, 4, 8 or 16", bytes);
    if (option("--count") && !matrix) fail("--count belongs to the pattern ldmatrix");
    if (matrices == 3) fail("--count is 3, but must be 1, 2 or 4");
    if (matrix && bytes != 16) fail("--bytes is %d, but a row of ldmatrix has 16", bytes);
    if (matrix) a.lanes = 8 * matrices, a.part = 8;
    for (lane = 0; lane < a.lanes; lane++) {
        long long row = 0, byte;
        if (matrix) row = lane & 15, byte = (lane >> 4) * 16;
        else if (!strcmp(pattern, "row")) row = lane * bytes / row_bytes, byte = lane * bytes % row_bytes;
        else if (!strcmp(pattern, "column")) row = lane, byte = 0;
        else if (d) row = lane / 4, byte = lane % 4 * bytes;
        else {
            expression e = {pattern, pattern, lane};
            byte = parse_ternary(&e);
            blank(&e);
            if (*e.s == ',') e.s++, row = byte, byte = parse_ternary(&e);
            blank(&e);
            if (*e.s) bad_expression(&e);
        }
        byte += row * row_bytes;
        if (byte < 0 || byte >= 1 << 20)
            fail("lane %d reads byte %lld, but a tile has bytes 0..%d", lane, byte, (1 << 20) - 1);
        if (byte % bytes)
            fail("lane %d reads %d bytes at byte %lld, which is no multiple of %d", lane, bytes, byte, bytes);
        a.at[lane] = (uint32_t)byte;
    }
    k = count(&a, mode, NULL);
    p = draw(k.wavefronts, 32, "pattern %s, %d bytes a lane, rows of %d bytes, %s", pattern, bytes, row_bytes,
             swizzle_name(mode));
    count(&a, mode, p);
    axes(p, "wavefronts", "bank; T5: it serves lane 5, T5+: and others the same word");
    if (mode) say_cost(&p->notes, 0, &a, count(&a, 0, NULL));
    say_cost(&p->notes, mode, &a, k);
}
