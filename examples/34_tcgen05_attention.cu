/* 34_tcgen05_attention.cu - generated attention with Blackwell's tensor memory: S, P and O lie there, two tiles of 128
 * queries take turns: while one is in its softmax, the other is multiplied. TC_ATTN_DEFINE takes such kernels by itself
 * on Blackwell; TC_ATTN_SM100_DEFINE is for choosing the tile. What a user writes stands between the two lines.
 *
 *     score = s + slope(head) * (key - query)             ALiBi
 *
 * Proven in tcemu (build/tcemu --device sm_100a) and assembled by ptxas; it has not run on a GPU yet. */
#include "attn_main.h"

/* ---------------------------------------------------------------------------------------------------------------- */
typedef struct { float slope; } my_args; /* head h has slope 2^(slope * (h + 1)) */

TC_DEV float alibi(float s, tc_attn_at at, const void *args)
{
    return s + exp2f(((const my_args *)args)->slope * (at.h + 1)) * (at.kv - at.q);
}

TC_ATTN_SM100_DEFINE(attn_causal, .type = TC_BF16, .head_dim = 128, .causal = 1)
TC_ATTN_SM100_DEFINE(attn_one_tile, .type = TC_BF16, .head_dim = 64, .bm = 128, .bn = 64, .stages = 4)
TC_ATTN_SM100_DEFINE(attn_alibi, .type = TC_BF16, .head_dim = 64, .causal = 1, .hook_size = sizeof(my_args),
                     .score = alibi)
/* ---------------------------------------------------------------------------------------------------------------- */

static double alibi_host(double s, int b, int h, int q, int kv, const void *context)
{
    (void)b;
    return s + exp2((double)((const my_args *)context)->slope * (h + 1)) * (kv - q);
}

int main(void)
{
    int failed = 0;
    example_device(100);
    for (int i = 0; i < 3; i++) {
        const int len = i == 2 ? 1111 : 2048 << i, heads = 8, heads_kv = i == 1 ? 8 : 2;
        const my_args args = {-8.f / (float)heads};
        const attn_example causal = {"causal", attn_causal_run, 1, 0, 0, 0};
        const attn_example one_tile = {"one tile", attn_one_tile_run, 0, 0, 0, 0};
        const attn_example hooked = {"ALiBi", attn_alibi_run, 1, 0, 0, 0, alibi_host, &args, 0, &args, sizeof args};
        failed += attn_example_shape(&causal, attn_shape{2, heads, heads_kv, len, len, 128});
        failed += attn_example_shape(&one_tile, attn_shape{2, heads, heads_kv, len, len + 77, 64});
        failed += attn_example_shape(&hooked, attn_shape{2, heads, heads_kv, len, len, 64});
    }
    return failed;
}
