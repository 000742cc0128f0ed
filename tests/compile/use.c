/* use.c - the host parts from plain C11, and from C++11 on: statuses, types, swizzles, tensor maps, tiles, coordinates,
 * attention's arguments. */
#include "tc.h"

tc_status use(tc_tmap *map, const void *base);

tc_status use(tc_tmap *map, const void *base)
{
    tc_tmap_desc desc;
    tc_gemm_args args;
    const tc_tiles_of of = {1000, 1000, 1, 128, 128, 66, 0, 0};
    tc_tiles tiles = tc_tiles_make(&of);
    tc_tile tile = tc_tile_at(&tiles, 3);
    tc_attn_config attention;
    tc_attn_args call;
    memset(&desc, 0, sizeof desc);
    memset(&args, 0, sizeof args);
    memset(&attention, 0, sizeof attention);
    memset(&call, 0, sizeof call);
    attention.type = TC_BF16;
    call.batch = tc_attn_sm90_smem(tc_attn_sm90_config(attention)) + tc_attn_sm80_smem(tc_attn_sm80_config(attention));
    desc.type = TC_BF16;
    desc.rank = 2;
    desc.base = base;
    desc.dim[0] = desc.dim[1] = 64 + tile.m;
    desc.stride[0] = 256;
    desc.box[0] = desc.box[1] = 64;
    desc.swizzle = 128;
    args.m = tc_type_bits(TC_BF16) + (int)tc_swizzle_128B(128) + tc_frag_m16n8k16_d_row(3, 2) + tc_frag_wgmma_d_col(3,
        2);
    if (tc_wgmma_desc(1024, 128) == 0 || tc_f16_from_f32(tc_f32_from_bf16((uint16_t)args.m)) == 0 || call.batch < 1)
        return TC_ERR_SIZE;
    if (tc_tmap_check(&desc) != TC_OK) {
        fprintf(stderr, "%s: %s\n", tc_status_text(TC_ERR_TMAP), tc_why());
        return TC_ERR_TMAP;
    }
    return tc_tmap_encode(map, &desc);
}
