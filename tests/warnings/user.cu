/* user.cu - a user's file with every generator, with hooks and without; warnings.sh demands that no compiler says a
 * word about it. */
#define TC_SM90_STUBS
#include "tc.h"

typedef struct { const float *bias; } my_args;

TC_DEV float my_epi(float x, tc_gemm_at at, const void *args)
{
    const my_args *p = (const my_args *)args;
    return tc_gelu(x + p->bias[at.col]);
}

TC_DEV tc_f32x2 my_epi2(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return x;
}

typedef struct { const float *slopes, *sinks; } my_attn_args;

TC_DEV float my_score(float s, tc_attn_at at, const void *args)
{
    const my_attn_args *p = (const my_attn_args *)args;
    return s + p->slopes[at.h] * (float)(at.kv - at.q);
}

TC_DEV float my_sink(tc_attn_at at, const void *args)
{
    const my_attn_args *p = (const my_attn_args *)args;
    return p->sinks[at.h];
}

TC_GEMM_DEFINE(plain, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_DEFINE(hooked, .a = TC_F16, .b = TC_F16, .d = TC_F32, .epi_size = sizeof(my_args), .epi = my_epi,
               .shapes = TC_SHAPES_SMALL)
TC_GEMM_DEFINE(pairs, .a = TC_F16, .b = TC_F16, .d = TC_F32, .epi_size = TC_NO_ARGS, .epi2 = my_epi2,
               .shapes = TC_SHAPES_FEW_ROWS | TC_SHAPES_UNALIGNED)
TC_ROWS_DEFINE(rows, .x = TC_BF16, .op = TC_SOFTMAX, .top = 8, .renorm = 1)
TC_ROWS_DEFINE(rows_hooked, .x = TC_F32, .top = 8, .epi = my_epi, .pick = my_epi, .epi_size = sizeof(my_args))
TC_GEMM_SM80_DEFINE(routed, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .rows = TC_SOFTMAX, .top = 8)
TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 64)
TC_ATTN_DEFINE(attn_hooked, .type = TC_BF16, .causal = 1, .hook_size = sizeof(my_attn_args), .score = my_score,
               .sink = my_sink)
TC_GEMM_SM90_DEFINE(sm90, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128, .epi_size = sizeof(my_args),
                    .epi = my_epi)
TC_ATTN_SM90_DEFINE(attn90, .type = TC_F16, .hook_size = sizeof(my_attn_args), .score = my_score)
TC_GEMM_SM80_DEFINE(sm80, .a = TC_F16, .b = TC_F16, .d = TC_F32, .epi_size = sizeof(my_args), .epi = my_epi)
TC_ATTN_SM80_DEFINE(attn80, .type = TC_F16, .head_dim = 64, .hook_size = sizeof(my_attn_args), .score = my_score)
TC_WMMA_DEFINE(wm, row, col, m16n16k16, f32, f16, f16, f32)
TC_TCGEN05_IDESC(MY_IDESC, .kind = TC_KIND_F16, .m = 128, .n = 64, .a = TC_BF16, .b = TC_BF16, .d = TC_F32);

__global__ void my_kernel(float *out, const uint16_t *in)
{
    wm_a a;
    wm_b b;
    wm_c c;
    wm_fill(&c, 1.f);
    wm_load_a(&a, in, 16);
    wm_load_b(&b, in, 16);
    wm_mma(&c, &a, &b, &c);
    wm_store_row(out, &c, 16);
}

int my_calls(const void *p, void *d);

int my_calls(const void *p, void *d)
{
    tc_gemm_args g;
    tc_attn_args t;
    tc_tmap_desc m;
    tc_tmap map;
    const char *why;
    memset(&g, 0, sizeof g);
    memset(&t, 0, sizeof t);
    memset(&m, 0, sizeof m);
    g.a = g.b = p;
    g.d = d;
    my_kernel<<<1, 32>>>((float *)d, (const uint16_t *)p);
    return (hooked_can_run(&g, &why) == TC_OK) + (plain_run(&g, 0) == TC_OK) + (attn_run(&t, 0) == TC_OK)
        + (attn_hooked_run(&t, 0) == TC_OK) +
           (tc_tmap_encode(&map, &m) == TC_OK) + (MY_IDESC != 0);
}
