/* tc_attn_map.h - tc 0.2.0 - tensor maps of attention's Q, K, V, O and of their gradients, for TMA. Needs: the header
 * below; host only.
 *
 *     tc__attn_map_box    in boxes of any width and swizzle; heads that share a key head may stand in a box
 *     tc__attn_map        in boxes of 128 bytes
 */
#ifndef TC_ATTN_MAP_H
#define TC_ATTN_MAP_H

#include "tc_attn_work.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* A tensor map; share: heads that stand side by side in a tile (Q; 0: there is no such dimension). */
TC_HOST tc_status tc__attn_map_box(tc_tmap *map, const tc__attn_tensor t, int share, const tc_operand_box *box)
{
    tc_tmap_desc d;
    const uint64_t bytes = (uint64_t)tc_type_bits(t.type) / 8; /* of an element */
    int i = 1;
    memset(&d, 0, sizeof d);
    d.type = t.type;
    d.base = t.base;
    d.dim[0] = (uint64_t)t.dim;
    d.box[0] = (uint32_t)box->cols;
    if (share) {
        d.dim[i] = d.box[i] = (uint32_t)share;
        d.stride[i++ - 1] = (uint64_t)t.s.head * bytes;
    }
    d.dim[i] = (uint64_t)(t.rows > 0 ? t.rows : 1);
    d.box[i] = (uint32_t)box->rows;
    d.stride[i++ - 1] = (uint64_t)t.s.row * bytes;
    d.dim[i] = (uint64_t)(share ? t.heads / share : t.heads);
    d.box[i] = 1;
    d.stride[i++ - 1] = (uint64_t)t.s.head * bytes * (uint64_t)(share ? share : 1);
    d.dim[i] = (uint64_t)t.batch;
    d.box[i] = 1;
    d.stride[i++ - 1] = (uint64_t)t.s.batch * bytes;
    d.rank = i;
    for (i = 1; i < d.rank; i++)
        if (d.dim[i] == 1) d.stride[i - 1] = 16; /* never stepped over, but there are rules for it */
    d.swizzle = box->swizzle;
    d.l2_promotion = 256;
    return tc__tmap_named(map, t.name, &d);
}

/* The same in boxes of 128 bytes of so many rows. */
TC_HOST tc_status tc__attn_map(tc_tmap *map, const tc__attn_tensor t, int share, int rows)
{
    const tc_operand_box box = {1024 / tc_type_bits(t.type), rows, 128, 0};
    return tc__attn_map_box(map, t, share, &box);
}

#endif /* host */
#endif /* TC_ATTN_MAP_H */
