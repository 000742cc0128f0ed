/* smem_desc.h - shared-memory matrix descriptors of wgmma (Hopper) and tcgen05.mma (Blackwell): from a descriptor to
 * the shared-memory offsets of the matrix' 16-byte units.
 *
 * A matrix is MN x K: M x K for A, N x K for B. It is K-major if a unit holds 128 / bits neighbours along K of one row,
 * MN-major if it holds neighbours along M or N at one k. With W = swizzle width / 16 units:
 *
 *   K-major, unit u of row r     no swizzle   r % 8 * 16     + r / 8 * SBO + u * LBO
 *                                swizzled     r % 8 * 16 * W + r / 8 * SBO + u % W * 16 + u / W * LBO
 *   MN-major, unit u at k        no swizzle   k % 8 * 16     + k / 8 * LBO + u * SBO
 *                                swizzled     k % 8 * 16 * W + k / 8 * SBO + u % W * 16 + u / W * LBO
 *                                128B with 32-byte atoms: as 128B, but k % 4 and k / 4
 *
 * to which the start address is added. (K-major, swizzled: LBO matters only if K is longer than the swizzle is wide:
 * sparse, 32B.) The swizzle is applied to the sum, a shared-memory address: bits 4.. are XORed with bits
 * 7.. minus the base offset (32B: 1 bit, 64B: 2, 128B: 3; 32-byte atoms: bits 5, 6 with 7, 8). So a descriptor may
 * start within an atom. wgmma's side of this was found to be so, for every kind of start, strides and base offset, on
 * an H200. */
#ifndef EMU_SMEM_DESC_H
#define EMU_SMEM_DESC_H
#include <stdint.h>

typedef struct smem_desc {
    uint32_t start, lbo, sbo;           /* bytes; start: offset in the CTA's shared memory */
    uint32_t mask;                      /* of shared addresses: 18 bits, 19 on sm_107 */
    uint8_t width;                      /* of the swizzle: 0, 32, 64, 128 bytes */
    uint8_t atom;                       /* bytes that stay together: 16, or 32 */
    /* 0..7: (start of the pattern >> 7) & 7 where the pattern is not aligned to its size */
    uint8_t base_offset;
} smem_desc;

/* Take a descriptor apart. Return NULL, or what is wrong with it (a phrase for a message); *d is then set as well as
 * can be. */
const char *smem_desc_wgmma(uint64_t desc, smem_desc *d);
/* wide: sm_107, whose addresses have 15 bits of 16 bytes */
const char *smem_desc_tcgen05(uint64_t desc, int wide, smem_desc *d);

/* Offsets of units [u0, u0 + units) of rows [r0, r0 + rows) of a K-major matrix, row by row */
void smem_desc_k_major(const smem_desc *d, int r0, int rows, int u0, int units, uint32_t *offset);
/* Offsets of units [u0, u0 + units) at [k0, k0 + ks) of an MN-major matrix, k by k */
void smem_desc_mn_major(const smem_desc *d, int k0, int ks, int u0, int units, uint32_t *offset);

/* Sorts n units and joins neighbours to runs, in place: run i is offset[i], bytes[i]. Returns how many there are.
 * Both arrays have n places; a unit that occurs twice counts once. */
int smem_desc_runs(uint32_t *offset, uint32_t *bytes, int n);
#endif
