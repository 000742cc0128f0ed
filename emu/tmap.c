/* tmap.c - tensor maps: the driver API's encoders with every rule, and reading a map on the device side. See tmap.h. */
#include "tmap.h"
#include <stdio.h>
#include <string.h>

#define MAGIC 0x50414d54u        /* "TMAP" */

static const struct { uint8_t bits, is_float; const char *name; } type_info[TM_TYPES] = {
    {8, 0, "UINT8"}, {16, 0, "UINT16"}, {32, 0, "UINT32"}, {32, 0, "INT32"}, {64, 0, "UINT64"}, {64, 0, "INT64"},
    {16, 1, "FLOAT16"}, {32, 1, "FLOAT32"}, {64, 1, "FLOAT64"}, {16, 1, "BFLOAT16"}, {32, 1, "FLOAT32_FTZ"},
    {32, 1, "TFLOAT32"}, {32, 1, "TFLOAT32_FTZ"}, {4, 0, "16U4_ALIGN8B"}, {4, 0, "16U4_ALIGN16B"},
    {6, 0, "16U6_ALIGN16B"},
};
static const char *const swizzle_name[] = {"NONE", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B",
                                           "128B_ATOM_64B", "96B"};

int tmap_bits(int dtype) { return type_info[dtype].bits; }
const char *tmap_type_name(int dtype) { return dtype >= 0 && dtype < TM_TYPES ? type_info[dtype].name : "?"; }

static uint32_t checksum(const tmap *t)
{
    uint64_t w[16], h = 0x9e3779b97f4a7c15ull;
    memcpy(w, t, sizeof w);
    w[1] = 0;                    /* magic and the sum itself */
    for (int k = 0; k < 16; k++) h = (h ^ w[k]) * 0xff51afd7ed558ccdull, h ^= h >> 32;
    return (uint32_t)h;
}

void tmap_seal(tmap *t)
{
    t->magic = MAGIC;
    t->sum = checksum(t);
}

int tmap_read(const void *from, tmap *out, char *why, size_t n)
{
    memcpy(out, from, sizeof *out);
    if (out->magic != MAGIC) {
        snprintf(why, n, "the 128 bytes are not a tensor map: none of the cuTensorMapEncode functions made them");
        return 0;
    }
    if (out->sum != checksum(out)) {
        snprintf(why, n, "the tensor map has been written over since it was encoded");
        return 0;
    }
    return 1;
}

#define NO(...) do { snprintf(why, n, __VA_ARGS__); return 0; } while (0)
typedef unsigned long long ull;

int tmap_check(const tmap *t, char *why, size_t n)
{
    if (t->dtype >= TM_TYPES) NO("tensorDataType = %d is not a data type", t->dtype);
    const int rank = t->rank, bits = type_info[t->dtype].bits, tiled = t->kind == TMAP_TILED;
    const int wide = t->kind == TMAP_IM2COL_W || t->kind == TMAP_IM2COL_W128;
    const int padded = t->dtype == TM_16U4_ALIGN16B || t->dtype == TM_16U6_ALIGN16B;
    const char *type = type_info[t->dtype].name;
    if (rank < (tiled ? 1 : 3) || rank > 5) NO("tensorRank = %d is not in %d..5", rank, tiled ? 1 : 3);
    if (t->interleave > 2) NO("interleave = %d is not 0, 1 or 2", t->interleave);
    if (t->interleave && rank < 3) NO("tensorRank = %d, but an interleaved layout needs 3 or more", rank);
    if (t->interleave && wide)
        NO("interleave = %d, but the im2col wide modes have no interleaved layouts", t->interleave);
    if (t->swizzle > SW_96B) NO("swizzle = %d is not a swizzle", t->swizzle);
    if (t->l2promo > 3) NO("l2Promotion = %d is not in 0..3", t->l2promo);
    if (t->fill > 1) NO("oobFill = %d is not 0 or 1", t->fill);
    if (t->fill && !type_info[t->dtype].is_float) NO("oobFill NaN needs a floating-point tensorDataType, not %s", type);
    if (t->dead) NO("a globalDim is 0");

    const uint32_t align = t->interleave == 2 || padded ? 32 : 16;
    if (t->addr % align)
        NO("globalAddress = 0x%llx is not a multiple of %u bytes%s", (ull)t->addr, align,
           padded ? " as this data type needs" : "");
    const uint32_t unit = padded ? 128 : t->dtype == TM_16U4_ALIGN8B ? 2 : 1;
    if (tmap_dim(t, 0) % unit)
        NO("globalDim[0] = %llu is not a multiple of %u as %s needs", (ull)tmap_dim(t, 0), unit, type);
    for (int k = 0; k < rank - 1; k++) {
        if (t->stride[k] % align)
            NO("globalStrides[%d] = %llu bytes is not a multiple of %u", k, (ull)t->stride[k], align);
        if (t->stride[k] >> 40) NO("globalStrides[%d] = %llu bytes is not below 2^40", k, (ull)t->stride[k]);
    }
    for (int k = 0; k < rank; k++)
        if (t->estride[k] < 1 || t->estride[k] > 8) NO("elementStrides[%d] = %u is not in 1..8", k, t->estride[k]);

    if (tiled)
        for (int k = 0; k < rank; k++)
            if (t->box[k] < 1 || t->box[k] > 256) NO("boxDim[%d] = %u is not in 1..256", k, t->box[k]);
    if (!tiled) {
        static const int low[] = {-32768, -128, -16};
        const int lo = low[rank - 3], hi = -lo - 1, nspace = wide ? 1 : rank - 2;
        for (int k = 0; k < nspace; k++) {
            int l = wide ? -32768 : lo, h = wide ? 32767 : hi;
            if (t->lower[k] < l || t->lower[k] > h)
                NO("pixelBoxLowerCorner %c = %d is not in %d..%d", "WHD"[k], t->lower[k], l, h);
            if (t->upper[k] < l || t->upper[k] > h)
                NO("pixelBoxUpperCorner %c = %d is not in %d..%d", "WHD"[k], t->upper[k], l, h);
            /* as the driver computes it: in 32 bits */
            if ((int32_t)(t->dim_1[k + 1] + 1 + (uint32_t)t->upper[k] - (uint32_t)t->lower[k]) <= 0)
                NO("the bounding box is empty in %c (or too large): from pixelBoxLowerCorner %d to globalDim[%d] - 1 + "
                   "pixelBoxUpperCorner = %lld", "WHD"[k], t->lower[k], k + 1,
                   (long long)tmap_dim(t, k + 1) - 1 + t->upper[k]);
        }
        if (t->channels < 1 || t->channels > 256) NO("channelsPerPixel = %u is not in 1..256", t->channels);
        if (t->kind != TMAP_IM2COL_W128 && (t->pixels < 1 || t->pixels > 1024))
            NO("pixelsPerColumn = %u is not in 1..1024", t->pixels);
    }
    const uint32_t inner = tiled ? t->box[0] : t->channels;
    const char *iname = tiled ? "boxDim[0]" : "channelsPerPixel";
    if (padded && inner != 128) NO("%s = %u, but %s needs 128", iname, inner, type);
    /* bytes of a row in global memory for the rule of 16, in shared memory for the swizzle */
    const uint32_t row = inner * bits / 8, srow = padded ? inner : row;
    if (inner * (uint32_t)bits % 128)
        NO("%s = %u elements of %s = %u bytes is not a multiple of 16 bytes", iname, inner, type, row);
    if (!t->interleave) {
        if (t->swizzle && srow > tmap_swizzle_span(t->swizzle))
            NO("%s = %u elements of %s = %u bytes is wider than the swizzle %s", iname, inner, type, srow,
               swizzle_name[t->swizzle]);
    }
    /* The driver refuses what no block could hold. It divides by the traversal strides, that of dimension 0 too, and
     * rounds down */
    uint64_t bytes = (uint64_t)bits;
    if (tiled) for (int k = 0; k < rank; k++) bytes *= t->box[k] / t->estride[k];
    else bytes *= (uint64_t)t->channels * (t->kind == TMAP_IM2COL_W128 ? 128 : t->pixels);
    bytes /= 8;
    const uint32_t most = emu_opt.device ? (uint32_t)emu_opt.device->smem_optin : 232448;
    if (most && bytes > most) NO("the box has %llu bytes, a block at most %u bytes of shared memory", (ull)bytes, most);
    if (t->dtype == TM_16U6_ALIGN16B && t->interleave) NO("16U6_ALIGN16B has no interleaved layouts");
    if (padded && t->swizzle != SW_NONE && t->swizzle != SW_128B && t->swizzle != SW_128B_ATOM_32B &&
        !(t->dtype == TM_16U6_ALIGN16B && t->swizzle == SW_128B_ATOM_64B))
        NO("swizzle %s is not allowed for %s", swizzle_name[t->swizzle], type);
    if (wide && t->swizzle != SW_64B && t->swizzle != SW_128B && t->swizzle != SW_128B_ATOM_32B)
        NO("swizzle %s: the im2col wide modes have 64B, 128B and 128B_ATOM_32B only", swizzle_name[t->swizzle]);
    if (t->swizzle == SW_96B && (t->interleave || padded || t->kind == TMAP_IM2COL_W128))
        NO("the 96B swizzle allows no interleaved layout, no padded packed type and no im2col::w::128");
    return 1;
}

/* What the encoders have in common: arguments that do not fit into the fields are refused here, all else by
 * tmap_check. */
static int common(tmap *t, const void *map, int kind, int dtype, uint32_t rank, const void *addr, const uint64_t *dim,
                  const uint64_t *stride, const uint32_t *estride, int interleave, int swizzle, int l2promo,
                  int oobfill, char *why, size_t n)
{
    memset(t, 0, sizeof *t);
    if (!map) NO("tensorMap is null");
    if ((uintptr_t)map % 64) NO("tensorMap = %p is not a multiple of 64 bytes", map);
    if (dtype < 0 || dtype >= TM_TYPES) NO("tensorDataType = %d is not a data type", dtype);
    if (rank < 1 || rank > 5) NO("tensorRank = %u is not in 1..5", rank);
    /* a null globalAddress is a multiple of everything: the driver takes it, for maps whose address a kernel fills in
     * later */
    if (!dim) NO("globalDim is null");
    if (!stride && rank > 1) NO("globalStrides is null");
    if (!estride) NO("elementStrides is null");
    if (interleave < 0 || interleave > 2) NO("interleave = %d is not 0, 1 or 2", interleave);
    if (swizzle < 0 || swizzle > SW_128B_ATOM_64B) NO("swizzle = %d is not in 0..6", swizzle);
    if (l2promo < 0 || l2promo > 3) NO("l2Promotion = %d is not in 0..3", l2promo);
    if (oobfill < 0 || oobfill > 1) NO("oobFill = %d is not 0 or 1", oobfill);
    if (emu_opt.device && emu_opt.device->sm < 90) NO("%s has no tensor maps: they need sm_90", emu_opt.device->option);
    if (emu_opt.device && emu_opt.device->sm < 100) {
        if (dtype >= TM_16U4_ALIGN8B) NO("tensorDataType %s needs sm_100", type_info[dtype].name);
        if (swizzle > SW_128B) NO("swizzle %s needs sm_100", swizzle_name[swizzle]);
        if (kind >= TMAP_IM2COL_W) NO("the im2col wide modes need sm_100");
    }
    t->kind = (uint8_t)kind, t->dtype = (uint8_t)dtype, t->rank = (uint8_t)rank, t->addr = (uintptr_t)addr;
    t->interleave = (uint8_t)interleave, t->swizzle = (uint8_t)swizzle, t->l2promo = (uint8_t)l2promo,
        t->fill = (uint8_t)oobfill;
    for (uint32_t k = 0; k < 5; k++) {
        t->estride[k] = t->box[k] = 1;
        if (k >= rank) continue;
        if (dim[k] < 1 || dim[k] > 1ull << 32) NO("globalDim[%u] = %llu is not in 1..2^32", k, (ull)dim[k]);
        if (estride[k] < 1 || estride[k] > 8) NO("elementStrides[%u] = %u is not in 1..8", k, estride[k]);
        t->dim_1[k] = (uint32_t)(dim[k] - 1);
        t->estride[k] = (uint8_t)estride[k];
        if (k + 1 < rank) t->stride[k] = stride[k];
    }
    return 1;
}

static int finish(void *map, tmap *t, char *why, size_t n)
{
    if (!tmap_check(t, why, n)) return 1;
    tmap_seal(t);
    memcpy(map, t, sizeof *t);
    return 0;
}

int tmap_encode_tiled(void *map, int dtype, uint32_t rank, void *addr, const uint64_t *dim, const uint64_t *stride,
                      const uint32_t *box, const uint32_t *estride, int interleave, int swizzle, int l2promo,
                      int oobfill, char *why, size_t n)
{
    tmap t;
    if (!common(&t, map, TMAP_TILED, dtype, rank, addr, dim, stride, estride, interleave, swizzle, l2promo, oobfill,
                why, n))
        return 1;
    if (!box) {
        snprintf(why, n, "boxDim is null");
        return 1;
    }
    for (uint32_t k = 0; k < rank; k++) t.box[k] = (uint16_t)(box[k] > 0xffff ? 0xffff : box[k]);
    return finish(map, &t, why, n);
}

static int corner(const char *name, char axis, int v, char *why, size_t n)
{
    if (v >= -32768 && v <= 32767) return 1;
    snprintf(why, n, "%s %c = %d is not in -32768..32767", name, axis, v);
    return 0;
}

int tmap_encode_im2col(void *map, int dtype, uint32_t rank, void *addr, const uint64_t *dim, const uint64_t *stride,
                       const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *estride,
                       int interleave, int swizzle, int l2promo, int oobfill, char *why, size_t n)
{
    tmap t;
    if (!common(&t, map, TMAP_IM2COL, dtype, rank, addr, dim, stride, estride, interleave, swizzle, l2promo, oobfill,
                why, n))
        return 1;
    if (rank < 3) {
        snprintf(why, n, "tensorRank = %u is not in 3..5", rank);
        return 1;
    }
    if (!lower || !upper) {
        snprintf(why, n, "pixelBox%sCorner is null", lower ? "Upper" : "Lower");
        return 1;
    }
    /* {W, H, D}: cuda.h says the reverse, an H200 says this */
    for (uint32_t k = 0; k + 2 < rank; k++) {
        int l = lower[k], u = upper[k];
        if (!corner("pixelBoxLowerCorner", "WHD"[k], l, why, n) || !corner("pixelBoxUpperCorner", "WHD"[k], u, why, n))
            return 1;
        t.lower[k] = (int16_t)l, t.upper[k] = (int16_t)u;
    }
    t.channels = (uint16_t)(channels > 0xffff ? 0xffff : channels);
    t.pixels = (uint16_t)(pixels > 0xffff ? 0xffff : pixels);
    return finish(map, &t, why, n);
}

int tmap_encode_im2col_wide(void *map, int dtype, uint32_t rank, void *addr, const uint64_t *dim,
                            const uint64_t *stride, int lower_w, int upper_w, uint32_t channels, uint32_t pixels,
                            const uint32_t *estride, int interleave, int mode, int swizzle, int l2promo, int oobfill,
                            char *why, size_t n)
{
    tmap t;
    if (mode < 0 || mode > 1) {
        snprintf(why, n, "mode = %d is not 0 (W) or 1 (W128)", mode);
        return 1;
    }
    if (!common(&t, map, mode ? TMAP_IM2COL_W128 : TMAP_IM2COL_W, dtype, rank, addr, dim, stride, estride, interleave,
                swizzle, l2promo, oobfill, why, n))
        return 1;
    if (rank < 3) {
        snprintf(why, n, "tensorRank = %u is not in 3..5", rank);
        return 1;
    }
    if (!corner("pixelBoxLowerCornerWidth", 'W', lower_w, why, n) || !corner("pixelBoxUpperCornerWidth", 'W', upper_w,
            why, n))
        return 1;
    t.lower[0] = (int16_t)lower_w, t.upper[0] = (int16_t)upper_w;
    t.channels = (uint16_t)(channels > 0xffff ? 0xffff : channels);
    t.pixels = mode ? 128 : (uint16_t)(pixels > 0xffff ? 0xffff : pixels);
    return finish(map, &t, why, n);
}

int tmap_replace_address(void *map, void *addr, char *why, size_t n)
{
    tmap t;
    if (!map || (uintptr_t)map % 64) {
        snprintf(why, n, map ? "tensorMap = %p is not a multiple of 64 bytes" : "tensorMap is null", map);
        return 1;
    }
    if (!addr) {
        snprintf(why, n, "globalAddress is null");
        return 1;
    }
    if (!tmap_read(map, &t, why, n)) return 1;
    t.addr = (uintptr_t)addr;
    return finish(map, &t, why, n);
}

int tmap_set_class(void *map, int wanted, int classes, int *effective, char *why, size_t n)
{
    tmap t;
    if (effective) *effective = 1;
    if (!map || (uintptr_t)map % 64) {
        snprintf(why, n, map ? "tensorMap = %p is not a multiple of 64 bytes" : "tensorMap is null", map);
        return 1;
    }
    if (wanted < 0 || wanted > 2) {
        snprintf(why, n, "allocClass = %d is not 0 (AUTO), 1 (SMALL) or 2 (LARGE)", wanted);
        return 1;
    }
    if (!tmap_read(map, &t, why, n)) return 1;
    if (!classes) return 0;
    /* AUTO looks at the geometry alone: is the tensor as large as the window? */
    uint64_t bytes = tmap_dim(&t, 0) * (uint64_t)tmap_bits(t.dtype) / 8;
    if (t.rank > 1) bytes = t.stride[t.rank - 2] * tmap_dim(&t, t.rank - 1);
    t.large = wanted == 2 || (!wanted && bytes >= TMAP_WINDOW);
    if (effective) *effective = t.large ? 2 : 1;
    return finish(map, &t, why, n);
}
