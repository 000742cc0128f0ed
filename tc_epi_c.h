/* tc_epi_c.h - tc 0.2.0 - C of a box, which a warp adds to its sums before the box goes to D. Needs: tc_epi.h.
 *
 *     tc__box_ask_c, _put_c, _add_c       C of D's type: 16 bytes a lane, through the box to the elements' owners, whom
 *                                         ldmatrix gives their own
 *     tc__box_fetch_c                     the first two of them at once, where no registers are left
 *     tc__box_ask_pairs, _add_other       C of another type, which has no place in D's box: owners ask for themselves,
 *                                         four lanes for 16 or 32 neighbouring bytes of a row
 */
#ifndef TC_EPI_C_H
#define TC_EPI_C_H

#include "tc_epi.h"

#ifdef __CUDACC__

/* What a warp has of a box: its fragment, the box's shared address, its first element's place in D. */
typedef struct tc__box_filled {
    float *v;
    uint32_t buf;
    tc_gemm_at first;
} tc__box_filled;

/* C of a box, on its way: a lane's pieces of 16 bytes of its 16 rows; of another type than D's, elements that the lane
 * has in the fragment, two neighbours at a time. */
typedef struct tc__box_asked {
    uint4 pieces[4];
    uint32_t words[16];
} tc__box_asked;

/* C of a box that lies wholly inside D to the box, where no registers are left: one piece after the other. */
TC_DEV void tc__box_fetch_c(const tc_box b, const tc_gemm_out *o, const tc__box_filled f)
{
    const int size = tc_type_bits(b.type) / 8;
    const char *c = (const char *)o->c + tc__epi_c_at(o, f.first) * size;
#pragma unroll 1
    for (int pass = 0; pass < b.bytes / 32; pass++) { /* 16 rows of bytes / 16 pieces of 16 bytes */
        const int i = tc_lane() + pass * 32, r = i / (b.bytes / 16), piece = i % (b.bytes / 16);
        const uint4 w = *(const uint4 *)(c + r * o->ldc * size + piece * 16);
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "r"(f.buf + tc_swizzle(b.bytes, (uint32_t)(r * b.bytes + piece * 16))), "r"(w.x), "r"(w.y),
                       "r"(w.z), "r"(w.w)
                     : "memory");
    }
}

/* Zeros for rows from `end` on and columns that D does not have, of which no piece has some and lacks others. */
TC_DEV void tc__box_ask_c(const tc_box b, const tc_gemm_out *o, tc_gemm_at first, int end, tc__box_asked *c)
{
    const int size = tc_type_bits(b.type) / 8, across = b.bytes / 16, row = tc_lane() / across;
    const char *from = (const char *)o->c + tc__epi_c_at(o, first) * size + tc_lane() % across * 16;
    const int left = first.col + tc_lane() % across * (16 / size) < o->n ? end - first.row : 0; /* rows */
#pragma unroll
    for (int i = 0; i < b.bytes / 32; i++) {
        const int below = row + i * 32 / across;
        uint4 *p = &c->pieces[i];
        /* not a branch: lanes stay together */
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0;\n\t"
                     "mov.b32 %0, 0; mov.b32 %1, 0; mov.b32 %2, 0; mov.b32 %3, 0;\n\t"
                     "@p ld.global.v4.b32 {%0, %1, %2, %3}, [%4]; }"
                     : "=&r"(p->x), "=&r"(p->y), "=&r"(p->z), "=&r"(p->w)
                     : "l"(from + below * o->ldc * size), "r"((int)(below < left))
                     : "memory");
    }
}

/* To the box, in whole rows. */
TC_DEV void tc__box_put_c(const tc_box b, uint32_t buf, const tc__box_asked *c)
{
    const int across = b.bytes / 16;
#pragma unroll
    for (int i = 0; i < b.bytes / 32; i++) {
        const int row = tc_lane() / across + i * 32 / across;
        const uint4 w = c->pieces[i];
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "r"(buf + tc_swizzle(b.bytes, (uint32_t)(row * b.bytes + tc_lane() % across * 16))),
                       "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                     : "memory");
    }
}

/* Adds beta * C, which is in the box, to its owners' sums. */
TC_DEV_SM90 void tc__box_add_c(const tc_box b, const tc_gemm_out *o, const tc__box_filled f)
{
    const int cols = tc_box_cols(b);
    const uint32_t at = f.buf + tc_box_lane(b);
    __syncwarp();
    if (b.type == TC_F32) {
#pragma unroll
        for (int j = 0; j < cols / 8; j++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float x, y;
                asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                             : "=f"(x), "=f"(y)
                             : "r"((at ^ (uint32_t)(j * 32)) + (uint32_t)(h * 8 * b.bytes))
                             : "memory");
                f.v[4 * j + 2 * h] += o->beta * x;
                f.v[4 * j + 2 * h + 1] += o->beta * y;
            }
        }
    } else {
#pragma unroll
        for (int j = 0; j < cols / 16; j++) {
            uint32_t w[4];
            tc_ldmatrix_x4(w, at ^ (uint32_t)(j * 32));
#pragma unroll
            for (int i = 0; i < 4; i++) {
                f.v[8 * j + 2 * i] += o->beta * tc_unpack(b.type, w[i]);
                f.v[8 * j + 2 * i + 1] += o->beta * tc_unpack(b.type, w[i] >> 16);
            }
        }
    }
    __syncwarp();
}

/* C of values x.from .. x.to - 1 of a box' fragment, multiples of 2 apart: a word for each of f32, for two of 16 bits.
 * Zeros for rows from `end` on and columns that D does not have; of no two neighbours one is there alone. */
TC_DEV void tc__box_ask_pairs(const int type, const tc_box_span x, const tc_gemm_out *o, tc_gemm_at first, int end,
                              tc__box_asked *c)
{
    const int size = tc_type_bits(type) / 8, row = first.row + tc_lane() / 4, col = first.col + tc_lane() % 4 * 2;
    const tc_gemm_at own = {row, col, first.batch, 0};
    const char *from = (const char *)o->c + tc__epi_c_at(o, own) * size;
#pragma unroll
    for (int j = x.from; j < x.to; j += 2) {
        const int below = j / 2 % 2 * 8, beside = j / 4 * 8, there = row + below < end && col + beside < o->n;
        const char *at = from + below * o->ldc * size + beside * size;
        uint32_t *w = &c->words[(j - x.from) * size / 4];
        /* not a branch: lanes stay together */
        if (size == 4)
            asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0;\n\tmov.b32 %0, 0; mov.b32 %1, 0;\n\t"
                         "@p ld.global.v2.b32 {%0, %1}, [%2]; }"
                         : "=&r"(w[0]), "=&r"(w[1]) : "l"(at), "r"(there) : "memory");
        else
            asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0;\n\tmov.b32 %0, 0;\n\t@p ld.global.b32 %0, [%1]; }"
                         : "=&r"(w[0]) : "l"(at), "r"(there) : "memory");
    }
}
TC_DEV void tc__box_add_pairs(const int type, const tc_box_span x, const tc_gemm_out *o, const tc__box_asked *c,
                              float *v)
{
#pragma unroll
    for (int j = x.from; j < x.to; j++) {
        const uint32_t w = c->words[(j - x.from) * tc_type_bits(type) / 32];
        v[j] += o->beta * (type == TC_F32 ? tc_f32_from_bits(w) : tc_unpack(type, j % 2 ? w >> 16 : w));
    }
}

/* Values of a box from its first on of which so many words of C are on their way at once. */
TC_HD TC_CONSTEXPR int tc__box_pairs(const tc_box b, const int type, const int words)
{
    return words * 32 / tc_type_bits(type) < tc_box_cols(b) / 2 ? words * 32 / tc_type_bits(type) : tc_box_cols(b) / 2;
}

/* What a box' C of another type is and how it comes, a constant: words on their way at once; early: the first are. */
typedef struct tc__box_other {
    int type, words, early;
} tc__box_other;

/* All of it to the sums. */
TC_DEV void tc__box_add_other(const tc_box b, const tc__box_other c, const tc_gemm_out *o, const tc__box_filled f,
                              int end, tc__box_asked *asked)
{
    const int all = tc_box_cols(b) / 2, each = tc__box_pairs(b, c.type, c.words);
#pragma unroll
    for (int from = 0; from < all; from += each) {
        const tc_box_span x = {from, from + each < all ? from + each : all};
        if (from || !c.early) tc__box_ask_pairs(c.type, x, o, f.first, end, asked);
        tc__box_add_pairs(c.type, x, o, asked, f.v);
    }
}

#endif /* __CUDACC__ */
#endif /* TC_EPI_C_H */
