/* fatbin.h - the PTX inside a CUDA program: fat binaries as nvcc embeds them, and the two compressions they use. */
#ifndef EMU_FATBIN_H
#define EMU_FATBIN_H
#include <stddef.h>

typedef struct {
    char *text;              /* malloced, 0-terminated; the caller frees it */
    size_t length;           /* without the 0 */
    int arch;                /* of its .target: 90, ... */
    char suffix;             /* 'a', 'f' for a family, 0 for neither */
    char why[256];           /* where there is no PTX: a sentence for the user */
    int invalid;             /* and what it stands for is no image at all, or a damaged one */
} fatbin_ptx;

/* Finds the PTX that a device of compute capability sm and suffix (90,'a') runs best: that of the same arch and suffix,
 * then 'a' PTX of the same chip, then 'f' PTX of its family, then the highest plain arch <= sm.
 * image: a fat binary (magic 0xBA55ED50; several in a row where size says so), the wrapper struct of
 * __cudaRegisterFatBinary (0x466243B1), PTX text ended by 0 or by size, or an ELF cubin, which is refused.
 * size 0 = unknown: the headers are believed, and one fat binary is read. Pointers inside a wrapper are believed too.
 * 0 and p filled, or -1 with p->text NULL and p->why set. */
int fatbin_find_ptx(const void *image, size_t size, int sm, char suffix, fatbin_ptx *p);

/* One block in the LZ4 block format. Bytes written, or -1 where the input is damaged or the output longer than cap. */
long lz4_block_decompress(const void *src, size_t n, void *dst, size_t cap);

/* Zstandard frames (RFC 8878) one after another, without dictionaries; content sizes and checksums are verified.
 * Bytes written, or -1 as above. */
long zstd_decompress(const void *src, size_t n, void *dst, size_t cap);

#endif
