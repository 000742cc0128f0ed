/* tmap.h - tensor maps: tcemu's content of the 128 opaque bytes of a CUtensorMap; and what tma.c gives to the core.
 *
 * A map made here is complete in itself: no state outside of it. It carries a magic number and a checksum, so that the
 * device side tells a map from bytes that never were one or have been written over. */
#ifndef EMU_TMAP_H
#define EMU_TMAP_H
#include "emu.h"

enum { TMAP_TILED, TMAP_IM2COL, TMAP_IM2COL_W, TMAP_IM2COL_W128 };

/* CUtensorMapDataType */
enum {
    TM_U8, TM_U16, TM_U32, TM_S32, TM_U64, TM_S64, TM_F16, TM_F32, TM_F64, TM_BF16, TM_F32_FTZ, TM_TF32, TM_TF32_FTZ,
    TM_16U4_ALIGN8B, TM_16U4_ALIGN16B, TM_16U6_ALIGN16B, TM_TYPES
};

/* Swizzles as CUtensorMapSwizzle, and one that only tensormap.replace can set. All are XORs of bits of the shared
 * address. */
enum { SW_NONE, SW_32B, SW_64B, SW_128B, SW_128B_ATOM_32B, SW_128B_ATOM_32B_FLIP_8B, SW_128B_ATOM_64B, SW_96B };

typedef struct tmap {
    uint64_t addr;
    /* the magic's bit 21 is 0: programs clear that bit of the real map's second word, to get round a driver's fault */
    uint32_t magic, sum;
    uint64_t stride[4];          /* bytes; stride[k - 1] belongs to dimension k */
    uint32_t dim_1[5];           /* size - 1: sizes go to 2^32 */
    uint16_t box[5];             /* TMAP_TILED */
    uint8_t estride[5];
    uint8_t kind, dtype, rank;
    uint8_t interleave, swizzle, fill, l2promo, dead;     /* dead: a dimension was replaced by 0 */
    int16_t lower[3], upper[3];  /* im2col: {W, H, D}, in the order of the dimensions */
    uint16_t channels, pixels;   /* im2col */
    uint8_t large;               /* allocation class: what follows the address may be read up to 128 KiB from it */
    uint8_t spare[13];
} tmap;
_Static_assert(sizeof(tmap) == 128, "a tensor map has 128 bytes");

/* cuTensorMapEncodeTiled, ...Im2col, ...Im2colWide, ...ReplaceAddress: the driver's parameters in the driver's order.
 * Return 0, or CUDA_ERROR_INVALID_VALUE (1) with a sentence in why that names the argument, its value and the rule;
 * *map is untouched then.
 * im2col: lower and upper are {W, H, D}, as many as the rank has: the order that the driver takes (cuda.h names the
 * reverse). */
int tmap_encode_tiled(void *map, int dtype, uint32_t rank, void *addr, const uint64_t *dim, const uint64_t *stride,
                      const uint32_t *box, const uint32_t *estride, int interleave, int swizzle, int l2promo,
                      int oobfill, char *why, size_t n);
int tmap_encode_im2col(void *map, int dtype, uint32_t rank, void *addr, const uint64_t *dim, const uint64_t *stride,
                       const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *estride,
                       int interleave, int swizzle, int l2promo, int oobfill, char *why, size_t n);
int tmap_encode_im2col_wide(void *map, int dtype, uint32_t rank, void *addr, const uint64_t *dim,
                            const uint64_t *stride, int lower_w, int upper_w, uint32_t channels, uint32_t pixels,
                            const uint32_t *estride, int interleave, int mode, int swizzle, int l2promo, int oobfill,
                            char *why, size_t n);
int tmap_replace_address(void *map, void *addr, char *why, size_t n);
/* cuTensorMapSetAllocationClass: 0 automatic, 1 small, 2 large; classes: does the device tell them apart? *effective: 1
 * or 2 */
int tmap_set_class(void *map, int wanted, int classes, int *effective, char *why, size_t n);

/* Device side. tmap_read: copies the map out of 128 bytes; 1, or 0 with a sentence (not a map, written over).
 * tmap_check: are all rules of the encoders kept? (tensormap.replace changes one field at a time, so only a use can
 * tell.) 1, or 0 with a sentence.
 * tmap_seal: sets the checksum after a change. */
int tmap_read(const void *from, tmap *out, char *why, size_t n);
int tmap_check(const tmap *t, char *why, size_t n);
void tmap_seal(tmap *t);

enum { TMAP_WINDOW = 128 * 1024 };       /* of the large allocation class */
static inline uint64_t tmap_dim(const tmap *t, int k) { return (uint64_t)t->dim_1[k] + 1; }
/* Bits of an element in global memory */
int tmap_bits(int dtype);
const char *tmap_type_name(int dtype);

/* Bytes within which a swizzle permutes: the pitch of the rows of a box in shared memory, be they ever so short. 0 for
 * none */
static inline uint32_t tmap_swizzle_span(int mode)
{
    return mode == SW_NONE ? 0 : mode == SW_96B ? 96 : mode == SW_32B ? 32 : mode == SW_64B ? 64 : 128;
}
/* Where a byte of a box lands: shared address to shared address. */
static inline uint32_t tmap_swizzle(int mode, uint32_t a)
{
    switch (mode) {
    case SW_32B: case SW_96B: return a ^ (a >> 3 & 0x10);
    case SW_64B: return a ^ (a >> 3 & 0x30);
    case SW_128B: return a ^ (a >> 3 & 0x70);
    case SW_128B_ATOM_32B: return a ^ (a >> 2 & 0x60);
    case SW_128B_ATOM_32B_FLIP_8B: return a ^ (a >> 2 & 0x60) ^ (a >> 4 & 8);
    case SW_128B_ATOM_64B: return a ^ (a >> 1 & 0x40);
    default: return a;
    }
}
#endif
