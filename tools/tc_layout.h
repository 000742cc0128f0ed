/* tc_layout.h - what tc_layout's parts know of each other:
 *     tc_layout.c            the command line: words, options, the table of commands, help
 *     tc_layout_picture.c    pictures, and how they are written: as text, as SVG
 *     tc_layout_frag.c       commands that draw registers and tensor memory
 *     tc_layout_smem.c       commands that draw shared memory, and count its bank conflicts
 */
#ifndef TC_LAYOUT_H
#define TC_LAYOUT_H
#include <stddef.h>
#include <stdio.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#if defined(__GNUC__)
#define FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define FORMAT(f, a)
#endif

/* ---- The command line ---- */
/* Failure: one sentence, exit 2. */
_Noreturn void fail(const char *format, ...) FORMAT(1, 2);
const char *word(int i); /* NULL where there are fewer */
void at_most(int words);
const char *option(const char *name); /* NULL where it is not given */
int parse_int(const char *s, const char *what, long lo, long hi);
int number(const char *name, int unset, long lo, long hi);
/* "64,8,2" to out[0..]; returns how many */
int numbers(const char *name, int *out, int max, long lo, long hi);
/* Index of `word` in a list of words set apart by blanks, or the sentence with the legal ones. */
int choose(const char *what, const char *word, const char *legal);
int type_of(const char *unset);
int swizzle_of(const char *what, const char *s);

/* ---- Text ---- */
/* snprintf that must fit. */
void print(char *out, size_t size, const char *format, ...) FORMAT(3, 4);

/* Text that grows. */
typedef struct text {
    char *s;
    size_t used, room;
} text;

void say(text *t, const char *format, ...) FORMAT(2, 3);

/* ---- Pictures ---- */
/* A cell has one text for the terminal, two lines for the SVG, and a colour: 0..31, WHITE or GREY. */
enum { WHITE = 32, GREY = 33, COLOURS = 34 };

typedef struct cell {
    char text[32], big[24], small[24];
    int colour;
} cell;

typedef struct picture {
    char title[160], down[72], across[72];
    int rows, cols, every_row, every_col; /* thicker lines every so many */
    cell *cells;
    char (*row)[32], (*col)[32]; /* labels */
    text notes, key; /* below the picture; key: what "3:1" means, in the terminal only */
    text held; /* with --lane: what that lane holds; the terminal gets this instead of the picture */
} picture;

picture *draw(int rows, int cols, const char *format, ...) FORMAT(3, 4);
void axes(picture *p, const char *down, const char *across);
cell *at(picture *p, int row, int col);
/* "a..b", "a" where they are the same */
const char *range(char out[24], int a, int b);
/* The four lanes of a row of an 8x8 matrix share a hue; lanes 32 apart share a colour. */
static inline int lane_colour(int lane) { return lane % 32; }

int pictures_drawn(void); /* how many */
void write_text(FILE *f); /* all of them */
void write_svg(FILE *f);

/* ---- Commands: each draws its pictures ---- */
/* tc_layout_frag.c */
void command_mma(void);
void command_mma_sp(void);
void command_ldmatrix(void);
void command_stmatrix(void);
void command_wgmma(void);
void command_tcgen05_ld(void);
void command_tcgen05_st(void);
void command_tmem_d(void);
void command_tmem_meta(void);
void command_scale_factors(void);
void list_mma(int sp); /* the shapes of mma or mma-sp, on stdout */
/* tc_layout_smem.c */
void command_swizzle(void);
void command_canonical(void);
void command_tma_box(void);
void command_tma_im2col(void);
void command_conflicts(void);
#endif
