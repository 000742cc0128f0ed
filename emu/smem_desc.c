/* smem_desc.c - see smem_desc.h. Source: PTX ISA, "Matrix descriptor format", "Strides", "Canonical layouts" under
 * wgmma and tcgen05. */
#include "smem_desc.h"

#define FIELD(x, lo, bits) ((uint32_t)((x) >> (lo)) & ((1u << (bits)) - 1))

/* What both formats share: addresses and strides without their low 4 bits, base offset */
static void common(uint64_t x, smem_desc *d)
{
    d->start = FIELD(x, 0, 14) << 4;
    d->lbo = FIELD(x, 16, 14) << 4;
    d->sbo = FIELD(x, 32, 14) << 4;
    d->base_offset = (uint8_t)FIELD(x, 49, 3);
    d->atom = 16;
    d->mask = 0x3fff0;
}

const char *smem_desc_wgmma(uint64_t x, smem_desc *d)
{
    static const uint8_t width[4] = {0, 128, 64, 32};
    common(x, d);
    d->width = width[x >> 62];
    if (FIELD(x, 46, 3) == 1) return "bits 46-48 are 0b001: this is a tcgen05 descriptor, wgmma's has zeros there";
    if (FIELD(x, 14, 2) | FIELD(x, 30, 2) | FIELD(x, 46, 3) | FIELD(x, 52, 10))
        return "bits that the format leaves unused are set";
    return 0;
}

const char *smem_desc_tcgen05(uint64_t x, int wide, smem_desc *d)
{
    static const uint8_t width[8] = {0, 128, 128, 0, 64, 0, 32, 0};
    uint32_t mode = FIELD(x, 61, 3);
    common(x, d);
    if (wide) {
        d->start = FIELD(x, 0, 15) << 4;
        d->lbo = FIELD(x, 16, 15) << 4;
        d->mask = 0x7fff0;
    }
    d->width = width[mode];
    if (mode == 1) d->atom = 32;
    if (mode == 3 || mode == 5 || mode == 7)
        return "bits 61-63 (swizzle) have no meaning: 0 none, 1 128B with 32-byte atoms, 2 128B, 4 "
        "64B, 6 32B";
    if (FIELD(x, 46, 3) != 1) return "bits 46-48 must be 0b001";
    if (!wide && FIELD(x, 14, 1) | FIELD(x, 30, 1))
        return "an address of 15 bits (bit 14 or 30 is set): shared memory above 256 KB is sm_107's alone";
    if (FIELD(x, 15, 1) | FIELD(x, 31, 1)) return "bits 15 and 31 must be 0";
    if (FIELD(x, 52, 1)) return "bit 52 (leading dimension as an absolute address) is not supported";
    if (FIELD(x, 53, 8)) return "bits 53-60 must be 0";
    return 0;
}

/* Address -> swizzled address within shared memory */
static inline uint32_t swizzle(const smem_desc *d, uint32_t a)
{
    uint32_t p = (a >> 7) - d->base_offset;        /* line within the pattern */
    a &= d->mask;
    if (d->atom == 32) return a ^ (p & 3) << 5;
    return d->width ? a ^ (p & ((d->width >> 4) - 1u)) << 4 : a;
}

/* log2 of the units across a swizzle, 0 without */
static inline uint32_t log_units(const smem_desc *d) { return d->width ? (uint32_t)__builtin_ctz(d->width) - 4 : 0; }

void smem_desc_k_major(const smem_desc *d, int r0, int rows, int u0, int units, uint32_t *offset)
{
    uint32_t line = d->width ? d->width : 16, log = log_units(d), w = 1u << log;
    for (int r = r0; r < r0 + rows; r++) {
        uint32_t a = d->start + (uint32_t)(r & 7) * line + (uint32_t)(r >> 3) * d->sbo;
        for (uint32_t u = (uint32_t)u0; u < (uint32_t)(u0 + units); u++)
            *offset++ = swizzle(d, a + (u & (w - 1)) * 16 + (u >> log) * d->lbo);
    }
}

void smem_desc_mn_major(const smem_desc *d, int k0, int ks, int u0, int units, uint32_t *offset)
{
    uint32_t log = log_units(d), w = 1u << log, group = d->atom == 32 ? 4 : 8;
    uint32_t line = d->width ? d->width : 16, k_step = d->width ? d->sbo : d->lbo, u_step = d->width ? d->lbo : d->sbo;
    for (int k = k0; k < k0 + ks; k++) {
        uint32_t a = d->start + (uint32_t)k % group * line + (uint32_t)k / group * k_step;
        for (uint32_t u = (uint32_t)u0; u < (uint32_t)(u0 + units); u++)
            *offset++ = swizzle(d, a + (u & (w - 1)) * 16 + (u >> log) * u_step);
    }
}

int smem_desc_runs(uint32_t *offset, uint32_t *bytes, int n)
{
    for (int i = 1; i < n; i++) {                  /* almost sorted already */
        uint32_t x = offset[i];
        int j = i;
        for (; j && offset[j - 1] > x; j--) offset[j] = offset[j - 1];
        offset[j] = x;
    }
    int r = -1;
    for (int i = 0; i < n; i++) {
        if (r >= 0 && offset[i] <= offset[r] + bytes[r]) bytes[r] = offset[i] + 16 - offset[r];
        else offset[++r] = offset[i], bytes[r] = 16;
    }
    return r + 1;
}
