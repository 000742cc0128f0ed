/* tc_swizzle.h - tc 0.2.0 - XOR swizzles of shared memory as pure functions. Needs: tc_core.h; host and device.
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
 * CANONICAL LAYOUTS: how wgmma and tcgen05.mma read a matrix by descriptor, and how TMA writes one. A matrix is MN x K:
 * M x K of A, N x K of B. An atom is 8 lines of W bytes, W the width of the swizzle (16 bytes without one), and lies in
 * one piece of 8 W bytes. The two byte offsets of the descriptor, here lead and stride, say where the next atom lies.
 *
 *     K-major: a line is a row, k runs along it            MN-major: a line is one k, rows run along it
 *
 *              k: W bytes      k: W bytes                         mn: W bytes     mn: W bytes
 *             +-------------+ +-------------+                    +-------------+ +-------------+
 *     rows    | atom        | | atom + lead |            k       | atom        | | atom + lead |      with a swizzle;
 *     0..7    +-------------+ +-------------+            0..7    +-------------+ +-------------+      without one lead
 *     rows    | atom        |                            k       | atom        |                      and stride change
 *     8..15   |   + stride  |                            8..15   |   + stride  |                      places: (*)
 *             +-------------+                                    +-------------+
 *
 *     bytes of K in one instruction are 32 (64 sparse): a swizzled K-major tile uses lead only where W is less than
 *     that.
 *     (*) MN-major without swizzle: the next 16 bytes along mn lie at + stride, the next 8 k at + lead.
 *     128B with 32-byte atoms (tcgen05, MN-major 32-bit types) has 4 lines an atom, not 8.
 *
 * CONTENTS
 *     tc_swizzle_32B tc_swizzle_64B tc_swizzle_128B    offset in bytes to offset in bytes; each is its own inverse
 *     tc_swizzle_96B _128B_atom_32B _128B_atom_32B_flip_8B _128B_atom_64B      the other modes of tensor maps
 *     tc_swizzle                                       the same by number: 0 (none), 32, 64, 128 or a TC_SWIZZLE_ name
 *     tc_swizzle_width                                 bytes of a line of that mode
 *     tc_swizzle_atom                                  bytes after which the pattern repeats: the alignment it needs
 *     tc_tile_offset                                   byte offset of (row, byte) in a tile of such rows
 *     tc_layout_k, tc_layout_mn                        byte offset of element (row, k) in a canonical layout
 *
 * TRAPS
 *     The hardware swizzles the shared address, not the offset: the two agree only where the tile starts at a multiple
 *     of tc_swizzle_atom (256, 512 or 1024 bytes).
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

/* What only tensor maps have (atom_32B also tcgen05): chunks of 32 or 64 bytes stay together, so fewer bits take part:
 * bits 5..6 ^= bits 7..8, and bit 6 ^= bit 7. flip_8B also swaps the halves of each 16 bytes in every other line. 96B:
 * lines of 96 bytes, bit 4 ^= bit 7. */
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_96B(uint32_t offset) { return offset ^ ((offset >> 3) & 0x10u); }
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_128B_atom_32B(uint32_t offset) { return offset ^ ((offset >> 2) & 0x60u); }
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_128B_atom_32B_flip_8B(uint32_t offset)
{
    return offset ^ ((offset >> 2) & 0x60u) ^ ((offset >> 4) & 8u);
}
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_128B_atom_64B(uint32_t offset) { return offset ^ ((offset >> 1) & 0x40u); }

/* The modes by number; the plain ones are their widths. */
enum {
    TC_SWIZZLE_NONE = 0,
    TC_SWIZZLE_32B = 32,
    TC_SWIZZLE_64B = 64,
    TC_SWIZZLE_96B = 96,
    TC_SWIZZLE_128B = 128,
    TC_SWIZZLE_128B_ATOM_32B = 129,
    TC_SWIZZLE_128B_ATOM_32B_FLIP_8B = 130,
    TC_SWIZZLE_128B_ATOM_64B = 131
};

TC_HD TC_CONSTEXPR uint32_t tc_swizzle(int mode, uint32_t offset)
{
    return mode == 128 ? tc_swizzle_128B(offset)
         : mode == 64  ? tc_swizzle_64B(offset)
         : mode == 32  ? tc_swizzle_32B(offset)
         : mode == 0   ? offset
         : mode == TC_SWIZZLE_128B_ATOM_32B         ? tc_swizzle_128B_atom_32B(offset)
         : mode == TC_SWIZZLE_128B_ATOM_32B_FLIP_8B ? tc_swizzle_128B_atom_32B_flip_8B(offset)
         : mode == TC_SWIZZLE_128B_ATOM_64B         ? tc_swizzle_128B_atom_64B(offset)
         : mode == TC_SWIZZLE_96B                   ? tc_swizzle_96B(offset)
                                                    : offset;
}

/* Bytes of a line: 128 for all of the 128B modes. */
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_width(int mode) { return mode > 128 ? 128u : (uint32_t)mode; }

/* Bytes after which the pattern of a mode repeats, which is the alignment that its tile needs; 16 for none. */
TC_HD TC_CONSTEXPR uint32_t tc_swizzle_atom(int mode)
{
    return mode == TC_SWIZZLE_128B_ATOM_32B || mode == TC_SWIZZLE_128B_ATOM_32B_FLIP_8B ? 512u
         : mode == TC_SWIZZLE_128B_ATOM_64B || mode == TC_SWIZZLE_96B                  ? 256u
         : mode                                                                        ? 8u * (uint32_t)mode
                                                                                       : 16u;
}

/* Byte offset of byte `byte` of row `row` in a tile whose rows are `width` bytes (128, 64 or 32), swizzled. */
TC_HD TC_CONSTEXPR uint32_t tc_tile_offset(int width, uint32_t row, uint32_t byte)
{
    return tc_swizzle(width, row * (uint32_t)width + byte);
}

/* Byte offset, from the start of a tile that is aligned to tc_swizzle_atom, of element (row, k) in the canonical
 * K-major layout of wgmma and tcgen05. mode: of the swizzle; bits: of an element as it lies in shared memory; lead,
 * stride: the descriptor's leading and stride byte offsets, see the drawing. Elements of less than a byte: the byte
 * that holds it. */
TC_HD TC_CONSTEXPR uint32_t tc_layout_k(int mode, int bits, uint32_t lead, uint32_t stride, uint32_t row, uint32_t k)
{
    return mode ? tc_swizzle(mode, row % 8u * tc_swizzle_width(mode) + row / 8u * stride
                                       + k * (uint32_t)bits / 8u % tc_swizzle_width(mode)
                                       + k * (uint32_t)bits / 8u / tc_swizzle_width(mode) * lead)
                : row % 8u * 16u + row / 8u * stride + k * (uint32_t)bits / 8u % 16u
                      + k * (uint32_t)bits / 8u / 16u * lead;
}

/* The same for the MN-major layout; mn: the row of A or of B (N x K). */
TC_HD TC_CONSTEXPR uint32_t tc_layout_mn(int mode, int bits, uint32_t lead, uint32_t stride, uint32_t mn, uint32_t k)
{
    return mode == TC_SWIZZLE_128B_ATOM_32B
             ? tc_swizzle(mode, k % 4u * 128u + k / 4u * stride + mn * (uint32_t)bits / 8u % 128u
                                    + mn * (uint32_t)bits / 8u / 128u * lead)
         : mode
             ? tc_swizzle(mode, k % 8u * tc_swizzle_width(mode) + k / 8u * stride
                                    + mn * (uint32_t)bits / 8u % tc_swizzle_width(mode)
                                    + mn * (uint32_t)bits / 8u / tc_swizzle_width(mode) * lead)
             : k % 8u * 16u + k / 8u * lead + mn * (uint32_t)bits / 8u % 16u + mn * (uint32_t)bits / 8u / 16u * stride;
}

#endif /* TC_SWIZZLE_H */
