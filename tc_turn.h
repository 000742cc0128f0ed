/* tc_turn.h - tc 0.2.0 - a square of 128 x 128 elements of 8 bits turned in its place in shared memory. Needs: the
 * headers below; sm_90.
 *
 * wgmma reads 8-bit operands K-major alone. What lies the other way is brought by TMA as it lies, 128 rows of 128 bytes
 * in 128-byte swizzle, and turned where it is. What a warp takes at a time is two tiles of 16 x 16 that change places,
 * or two that lie on the diagonal: it reads both by one ldmatrix.x4.trans, which moves pairs of bytes: a register has
 * two neighbours of one k and two of the next. prmt makes of two such registers four k of each neighbour, and
 * stmatrix.x4 writes them as rows. Which k are in the first of the two and which rows the first store writes is chosen
 * so that the eight rows of each matrix lie in different banks:
 *
 *     k of the eight rows that are read     0 1 4 5 10 11 14 15    then 2 3 6 7 8 9 12 13
 *     rows that are written                 0 2 4 6  9 11 13 15    then 1 3 5 7 8 10 12 14
 *
 * Half of the lanes have the two registers in the other order, half write the other neighbour first: each lane's prmt
 * has selectors of its own.
 *
 *     tc__turner_of_8        a lane's part of it: columns in the order of the rows that they were
 *     tc__turner_of_keys     the same for attention's V: columns in the order that P has in registers
 *     tc__turn_8             one eighth of a square, by one warp
 */
#ifndef TC_TURN_H
#define TC_TURN_H

#include "tc_core.h"
#include "tc_mma.h"

#ifdef __CUDACC__

/* 8 bits: offsets in a box of this lane's row of ldmatrix and of stmatrix, for tile (0, 0); prmt's selectors; all ones
 * in the lanes that hold the rows of the second tile of two. */
typedef struct tc__turner {
    uint32_t read, write, pick[2], second;
} tc__turner;

TC_DEV tc__turner tc__turner_of_8(void)
{
    const uint32_t lane = threadIdx.x % 32u, row = lane % 8u, odd = lane / 8u % 2u; /* of matrix 0 or 1 of a tile */
    const uint32_t k = row / 2u * 4u + row % 2u + ((row >= 4u) ^ odd) * 2u, n = 2u * row + ((row >= 4u) ^ odd);
    const uint32_t late = lane % 4u >= 2u, other = lane >= 16u; /* of what this lane holds */
    tc__turner t;
    t.read = k * 128u + k % 8u * 16u;
    t.write = n * 128u + n % 8u * 16u;
    t.pick[0] = (late ? 0x2064u : 0x6420u) + other * 0x1111u;
    t.pick[1] = (late ? 0x2064u : 0x6420u) + !other * 0x1111u;
    t.second = lane >= 16u ? 0xffffffffu : 0u;
    return t;
}

/* The same for a box of V, whose rows are keys: its columns then hold, of each 16 keys, 0 1 8 9 2 3 10 11 4 5 12 13 6 7
 * 14 15. These are in turn what a quad's lanes hold of a fragment of S (tc_softmax.h), so that P needs no exchange. */
TC_DEV tc__turner tc__turner_of_keys(void)
{
    const uint32_t lane = threadIdx.x % 32u, row = lane % 8u, odd = lane / 8u % 2u;
    const uint32_t n = 2u * row + ((row >= 4u) ^ odd), other = lane >= 16u;
    const tc__turner t = {(row + odd * 8u) * 128u + row * 16u, n * 128u + n % 8u * 16u,
                          {0x6420u + other * 0x1111u, 0x6420u + !other * 0x1111u}, lane >= 16u ? 0xffffffffu : 0u};
    return t;
}

TC_DEV uint32_t tc__turn_pick(uint32_t a, uint32_t b, uint32_t pick)
{
    uint32_t r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(pick));
    return r;
}

/* Of the eight tiles of a line of a box, tile i changes places with tile i ^ part, four times two of them; part 0 is
 * the diagonal. A tile's row and its column in units of 16 are bits of its offset, so that XOR moves it: row by 2048
 * bytes, chunk by 16. at: shared address of the box; ahead, a constant: how many times two are read before one is
 * written; low: the lowest bit of part, and any for part 0; as a constant it saves instructions. */
TC_DEV_SM90 void tc__turn_8_part(const int ahead, const tc__turner *t, uint32_t at, uint32_t part, const uint32_t low)
{
    const uint32_t tile = 2048u + 16u;
    const uint32_t step[2] = {(low == 1u ? 2u : 1u) * tile, (low == 4u ? 2u : 4u) * tile};
    const uint32_t mine = t->second & ((part ? part : low) * tile);
    const uint32_t read = t->read ^ mine ^ part * 16u, write = t->write ^ mine ^ part * 2048u;
#pragma unroll
    for (int i = 0; i < 4; i += ahead) {
        uint32_t r[4][4];
#pragma unroll
        for (int j = 0; j < ahead; j++)
            tc_ldmatrix_x4_trans(r[j], at + (read ^ ((i + j) % 2 ? step[0] : 0u) ^ ((i + j) / 2 ? step[1] : 0u)));
        __syncwarp();
#pragma unroll
        for (int j = 0; j < ahead; j++) {
            uint32_t w[4];
#pragma unroll
            for (int e = 0; e < 4; e++) w[e] = tc__turn_pick(r[j][e / 2 * 2], r[j][e / 2 * 2 + 1], t->pick[e % 2]);
            tc_stmatrix_x4(at + (write ^ ((i + j) % 2 ? step[0] : 0u) ^ ((i + j) / 2 ? step[1] : 0u)), w);
        }
    }
}
TC_DEV_SM90 void tc__turn_8(const int ahead, const tc__turner *t, uint32_t at, uint32_t part)
{
    tc__turn_8_part(ahead, t, at, part, part ? part & -part : 1u);
}

/* What `warps` warps do of a square, 2 or 4 of them: this one's share. Parts 0 and 4, 2 and 6, 1 and 3, 5 and 7 have
 * the same low. */
TC_DEV_SM90 void tc__turn_8_share(const int warps, const tc__turner *t, uint32_t at, uint32_t warp)
{
    if (warps == 2) {
        tc__turn_8_part(4, t, at, 4u * warp, 4u);
        tc__turn_8_part(4, t, at, 2u + 4u * warp, 2u);
        tc__turn_8_part(4, t, at, 1u + 2u * warp, 1u);
        tc__turn_8_part(4, t, at, 5u + 2u * warp, 1u);
    } else {
        const uint32_t odd = warp % 2u, first = odd ? 2u * warp - 1u : warp, step = odd ? 2u : 4u;
#pragma unroll 1 /* the addresses of both at once would be more than there are registers for */
        for (uint32_t part = first; part <= first + step; part += step)
            tc__turn_8_part(4, t, at, part, odd ? 1u : 4u - warp);
    }
}

#endif /* __CUDACC__ */
#endif /* TC_TURN_H */
