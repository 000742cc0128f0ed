/* tc_swizzle.h - tc 0.1.0 - XOR swizzles of shared memory as pure functions. Needs: tc_core.h; host and device.
 *
 * A tile whose rows are 32, 64 or 128 bytes long and lie end to end makes a column access hit the same banks again and
 * again. The hardware's answer (TMA, wgmma, tcgen05) and ours (ldmatrix) is the same: within a row, the 16-byte chunk
 * index is XORed with bits of the row index. No byte of padding, and the address is a function:
 *
 *     offset = tc_swizzle_128B(row * 128 + byte_in_row)         where the base is 1024-byte aligned
 *
 * 128B: eight rows of 128 bytes; the digit is where chunk 0..7 of each row lands
 *
 *           chunk  0 1 2 3 4 5 6 7
 *     row 0        0 1 2 3 4 5 6 7
 *     row 1        1 0 3 2 5 4 7 6
 *     row 2        2 3 0 1 6 7 4 5
 *     row 3        3 2 1 0 7 6 5 4
 *     row 4        4 5 6 7 0 1 2 3        so eight rows of one chunk column
 *     row 5        5 4 7 6 1 0 3 2        (an 8x8 matrix of 16-bit elements: one ldmatrix)
 *     row 6        6 7 4 5 2 3 0 1        lie in eight different 16-byte bank groups:
 *     row 7        7 6 5 4 3 2 1 0        no conflict.
 *
 * CONTENTS
 *     tc_swizzle_32B tc_swizzle_64B tc_swizzle_128B    offset in bytes to offset in bytes; each is its own inverse
 *     tc_swizzle                                       the same, width given as a number (0: none)
 *     tc_swizzle_atom                                  bytes after which the pattern repeats: the alignment it needs
 *     tc_tile_offset                                   byte offset of (row, byte) in a tile of such rows
 *
 * TRAPS
 *     The hardware swizzles the shared address, not the offset: the two agree only where the tile starts at a multiple of
 *     tc_swizzle_atom (256, 512 or 1024 bytes).
 *
 * Source: PTX ISA, "Swizzling modes" under Tensor (TMA), and "Shared memory matrix layout" under wgmma.
 */
#ifndef TC_SWIZZLE_H
#define TC_SWIZZLE_H

#include "tc_core.h"

/* Rows of 32 bytes, two 16-byte chunks: bit 4 ^= bit 7. Repeats every 256 bytes. */
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_32B(uint32_t offset) { return offset ^ ((offset >> 3) & 0x10u); }

/* Rows of 64 bytes, four chunks: bits 4..5 ^= bits 7..8. Repeats every 512 bytes. */
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_64B(uint32_t offset) { return offset ^ ((offset >> 3) & 0x30u); }

/* Rows of 128 bytes, eight chunks: bits 4..6 ^= bits 7..9. Repeats every 1024 bytes. */
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_128B(uint32_t offset) { return offset ^ ((offset >> 3) & 0x70u); }

/* width: 128, 64, 32, or 0 for none. */
TC_HD TC_CONSTEXPR uint32_t tc_swizzle(int width, uint32_t offset)
{
    return width == 128 ? tc_swizzle_128B(offset)
         : width == 64  ? tc_swizzle_64B(offset)
         : width == 32  ? tc_swizzle_32B(offset)
                        : offset;
}

/* Bytes after which the pattern of a width repeats, which is the alignment that its tile needs; 16 for none. */
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_atom(int width) { return width ? 8u * (uint32_t)width : 16u; }

/* Byte offset of byte `byte` of row `row` in a tile whose rows are `width` bytes (128, 64 or 32), swizzled. */
TC_HD TC_CONSTEXPR uint32_t tc_tile_offset(int width, uint32_t row, uint32_t byte)
{
    return tc_swizzle(width, row * (uint32_t)width + byte);
}

#endif /* TC_SWIZZLE_H */
