/* use.cu - every generator in one file, as a user writes it; compile.sh compiles it for every target. */
#define TC_SM90_STUBS  /* of the sm_90a generators below, in a build without that target */
#define TC_SM100_STUBS /* and of the sm_100a one */
#define TC_SM120_STUBS /* and of the sm_120 one */
#include "tc.h"

typedef struct { const float *bias; float scale; } use_args;

TC_DEV float use_hook(float x, tc_gemm_at at, const void *args)
{
    const use_args *p = (const use_args *)args;
    return tc_gelu(x * p->scale + p->bias[at.col]);
}

#ifndef USE_SHAPES
#define USE_SHAPES 0 /* all of them */
#endif
TC_GEMM_DEFINE(use_gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi_size = sizeof(use_args), .epi = use_hook,
               .shapes = USE_SHAPES)

typedef struct { const float *slopes; const int *documents; int count; } use_attn_args;

TC_DEV float use_score(float s, tc_attn_at at, const void *args)
{
    const use_attn_args *p = (const use_attn_args *)args;
    return s + p->slopes[at.h] * (float)(at.kv - at.q);
}

TC_DEV int use_mask(tc_attn_at at, const void *args)
{
    const use_attn_args *p = (const use_attn_args *)args;
    return p->documents[at.b * p->count + at.q] == p->documents[at.b * p->count + at.kv];
}

TC_ATTN_DEFINE(use_attn, .type = TC_BF16, .head_dim = 64, .causal = 1, .hook_size = sizeof(use_attn_args),
               .score = use_score, .mask = use_mask)
TC_ATTN_APPEND_DEFINE(use_append, .type = TC_F16, .kv = TC_S8, .rope = TC_ROPE_NEIGHBOURS, .norm = 1, .paged = 1)

/* These belong to their own target. A file for many targets writes TC_GEMM_DEFINE and TC_ATTN_DEFINE; or TC_SM90_STUBS,
 * as above. Guarded by TC_HAS_SM90A alone they need that target in the build: the host code is there either way. */
#ifndef USE_GENERAL_ONLY
TC_GEMM_SM90_DEFINE(use_sm90, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 128, .bn = 64)
TC_GEMM_SM90_DEFINE(use_reverse90, .epi = use_hook, .epi_size = sizeof(use_args), .epi_stages = 1,
                    .schedule = TC_COOPERATIVE, .bn = 64,
                    .bm = 64, .d = TC_F32, .b = TC_BF16, .a = TC_BF16) /* fields stand in any order */
TC_CONV_SM90_DEFINE(use_conv90, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn = 64)
TC_GEMM_SM100_DEFINE(use_sm100, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bn = 64, .epi = use_hook,
                     .epi_size = sizeof(use_args))
TC_GEMM_SM100_DEFINE(use_nvfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE4M3_16, .cluster_m = 1)
TC_ATTN_SM90_DEFINE(use_attn90, .window = 1, .type = TC_F16)
TC_ATTN_MLA_DEFINE(use_mla, .type = TC_F16, .paged = 1)
TC_ATTN_SM100_DEFINE(use_attn100, .window = 1, .bn = 32, .type = TC_F16, .head_dim = 64)
TC_ATTN_SM120_DEFINE(use_attn120, .window = 1, .type = TC_F16, .head_dim = 96)

typedef struct { tc_kernel_head head; tc_tmap a, b, d; int m, n; } use_params;
TC_DEV_SM90A void use_load(const tc_slot *s, const tc_work *w, const void *params)
{
    const use_params *p = (const use_params *)params;
    tc_cp_async_bulk_tensor_3d(s->at, &p->a, (int)s->step * 64, w->row, w->batch, s->full);
    tc_cp_async_bulk_tensor_3d(s->at + 128 * 128, &p->b, (int)s->step * 64, w->col, w->batch, s->full);
}
TC_DEV_SM90A void use_step(const tc_slot *s, const tc_work *w, float *acc, const void *params)
{
    const uint64_t a = tc_wgmma_desc(s->at + (uint32_t)s->wg * (64 * 128), 128),
                   b = tc_wgmma_desc(s->at + 128 * 128, 128);
    (void)w, (void)params;
#pragma unroll
    for (int k = 0; k < 4; k++)
        TC_WGMMA_SS(64, f32, f16, acc, a + (uint64_t)(k * 2), b + (uint64_t)(k * 2), k > 0 || s->step > 0, 1, 1, 0, 0);
}
TC_DEV_SM90A void use_finish(const tc_tile_end *t, const tc_work *w, float *acc, const void *params)
{
    const use_params *p = (const use_params *)params;
    const tc_box box = {TC_F16, 128};
    const tc_store to = {&p->d, w->row + t->wg * 64 + t->row, w->col, w->batch, p->m, p->n, t->store};
    tc_store_rows(box, 64, &to, acc);
}
TC_KERNEL_SM90_DEFINE(use_kernel, use_params, .bm = 128, .bn = 64, .slot_bytes = (128 + 64) * 128, .accumulators = 32,
                      .load = use_load, .step = use_step, .finish = use_finish)
#endif
#if TC_HAS_SM80 && !defined(USE_GENERAL_ONLY)
TC_GEMM_SM80_DEFINE(use_sm80, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn = 64)
TC_GEMM_SM80_DEFINE(use_reverse80, .epi2 = tc_epi2_bias_col, .raster = TC_RASTER_N, .warps_n = 1, .warps_m = 2,
                    .stages = 2, .bk = 32, .bn = 32, .bm = 32, .d = TC_F16, .b = TC_F16, .a = TC_F16)
TC_CONV_SM80_DEFINE(use_conv80, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn = 64, .epi = use_hook,
                    .epi_size = sizeof(use_args))
TC_ATTN_SM80_DEFINE(use_attn80, .window = 1, .head_dim = 96, .type = TC_F16)
#endif

/* tcgen05 stands in a file for every target behind its gate. */
TC_TCGEN05_IDESC(USE_IDESC, .kind = TC_KIND_F16, .m = 128, .n = 64, .a = TC_BF16, .b = TC_BF16, .d = TC_F32);
__global__ void use_tcgen05(uint32_t *out, uint32_t a, uint32_t b)
{
#if TC_HAS_SM100A
    __shared__ uint32_t slot;
    uint32_t r[8];
    TC_TCGEN05_ALLOC(1, tc_smem_u32(&slot), 64);
    TC_TCGEN05_MMA_SS(1, f16.collector::a::lastuse, slot, tc_tcgen05_desc(a, 128), tc_tcgen05_desc(b, 128), USE_IDESC,
                      0);
    TC_TCGEN05_CP(1, 64x128b.warpx2::01_23.b8x16.b6x16_p32, slot, tc_tcgen05_desc(a, 64));
    TC_TCGEN05_LD(16x256b, x2, r, slot);
    tc_tcgen05_wait_ld_regs(r, 8);
    out[threadIdx.x] = r[0] + r[7];
    TC_TCGEN05_DEALLOC(1, slot, 64);
#else
    out[threadIdx.x] = a + b;
#endif
}

tc_status use(const tc_gemm_args *args, cudaStream_t stream)
{
    const char *why;
    const tc_status st = use_gemm_can_run(args, &why);
    return st == TC_OK ? use_gemm_run(args, stream) : st;
}

tc_status use_attention(const tc_attn_args *args, cudaStream_t stream)
{
    const char *why;
    const tc_status st = use_attn_can_run(args, &why);
    return st == TC_OK ? use_attn_run(args, stream) : st;
}
