/* tc_sf.h - tc 0.2.0 - scale factors of the mx and nv formats: the layout in which Tensor Cores want them.
 * Needs: tc_core.h, tc_tcgen05.h (its tc_tcgen05_sf_offset).
 *
 * A matrix of mxfp8, mxfp6 or mxfp4 has a factor (ue8m0) for each 32 of k of each row, one of nvfp4 (ue4m3) for each
 * 16. They lie in blocks of 128 rows by 4 factors, 512 bytes each, the blocks of the same rows one after another: what
 * tcgen05 reads, and cuBLASLt and CUTLASS take. A matrix has whole blocks: rows are filled up to a multiple of 128,
 * factors to one of 4, with zeros (0 is no NaN in either type).
 *
 *     tc_sf_count(k, block)             factors of a row: k / block, rounded up; block: 32 or 16
 *     tc_sf_blocks(k, block)            blocks of 4 of them
 *     tc_sf_bytes(rows, k, block)       of the whole layout: what to allocate
 *     tc_sf_at(k, block, row, s)        where factor s of a row lies
 *     tc_sf_group_row(first, group)     GROUPS: the row at which the factors of a group's first row lie
 *     tc_sf_group_bytes(rows, k, block, groups)   of all groups: what to allocate
 *     tc_sf_pack(to, &from, me, all)    factors in rows to that layout: the share of worker `me` of `all`: 0 of 1 on
 *                                       the host, a thread of a grid on the device
 *
 *     const tc_sf_rows rows = {factors, pitch, m, k, 16};      factors + row * pitch + s, bytes
 *     tc_sf_pack(sfa, &rows, 0, 1);
 *     tc_sf_pack(sfa, &rows, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
 *
 * GROUPS of rows of A (TC_GROUPS_ROWS) begin at any row, their factors at whole blocks: group i, whose first row is
 * `first`, has its own from block of rows first / 128 + i on. So a row's place follows from its group's bounds alone,
 * and no two groups share a block; what lies between them is not used. With TC_GROUPS_MASKED each matrix has its
 * layout.
 *
 *     to = sfa + tc_sf_bytes(tc_sf_group_row(first, i), k, 16);        of a group: its layout begins there
 *     sfa[tc_sf_at(k, 16, tc_sf_group_row(first, i) + row - first, s)]
 *
 *     block of rows 0..127, factors 0..3       byte r % 32 * 16 + r / 32 * 4 + s
 *     row   0 s0 s1 s2 s3 | row 32 s0 .. s3 | row 64 .. | row 96 ..         16 bytes a line
 *     row   1 ..          | row 33          | row 65    | row 97
 *     ...                                                                    32 lines
 */
#ifndef TC_SF_H
#define TC_SF_H

#include "tc_core.h"
#include "tc_tcgen05.h"

/* .sf and .d_sf of a GEMM: factors of a byte, for each 32 of k (mxfp8, mxfp6, mxfp4), for each 16 (nvfp4). */
enum { TC_SF_UE8M0_32 = 1, TC_SF_UE4M3_16 = 2 };

enum { TC_SF_BLOCK = 512 }; /* bytes of 128 rows by 4 factors */

TC_HD TC_CONSTEXPR int tc_sf_count(int k, int block) { return (int)(((int64_t)k + block - 1) / block); }
TC_HD TC_CONSTEXPR int tc_sf_blocks(int k, int block) { return (tc_sf_count(k, block) + 3) / 4; }
TC_HD TC_CONSTEXPR size_t tc_sf_bytes(int rows, int k, int block)
{
    return (size_t)(((int64_t)rows + 127) / 128) * (size_t)tc_sf_blocks(k, block) * TC_SF_BLOCK;
}
TC_HD TC_CONSTEXPR size_t tc_sf_at(int k, int block, int row, int s)
{
    return (size_t)tc_tcgen05_sf_offset(tc_sf_blocks(k, block) * 4, row, s);
}

TC_HD TC_CONSTEXPR int tc_sf_group_row(int first, int group) { return first / 128 * 128 + group * 128; }
TC_HD TC_CONSTEXPR size_t tc_sf_group_bytes(int rows, int k, int block, int groups)
{
    return ((size_t)rows / 128 + (size_t)groups) * (size_t)tc_sf_blocks(k, block) * TC_SF_BLOCK;
}

/* Factors in rows, a byte each. */
typedef struct tc_sf_rows {
    const uint8_t *at;
    int64_t pitch; /* bytes from a row to the next */
    int rows, k, block;
} tc_sf_rows;

TC_HD void tc_sf_pack(uint8_t *to, const tc_sf_rows *from, size_t me, size_t all)
{
    const size_t bytes = tc_sf_bytes(from->rows, from->k, from->block);
    const size_t blocks = (size_t)tc_sf_blocks(from->k, from->block);
    const int count = tc_sf_count(from->k, from->block);
    size_t i;
    for (i = me; i < bytes; i += all) { /* byte i: which row and factor belong there */
        const size_t which = i / TC_SF_BLOCK, in = i % TC_SF_BLOCK;
        const int64_t row = (int64_t)(which / blocks * 128 + in / 16 + in % 16 / 4 * 32);
        const int s = (int)(which % blocks * 4 + in % 4);
        to[i] = row < from->rows && s < count ? from->at[row * from->pitch + s] : (uint8_t)0;
    }
}

#endif /* TC_SF_H */
