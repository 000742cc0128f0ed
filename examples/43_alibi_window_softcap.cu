/* 43_alibi_window_softcap.cu - your score in attention: ALiBi, a sliding window and a soft cap in one kernel, none of
 * which costs a pass over memory, nor a matrix of biases. What a user writes stands between the two lines.
 *
 *     score = cap * tanh(s / cap) + slope(head) * (key - query),   causal, the last 1024 keys
 *
 * The hook sees each score once, scaled, with its place; the window is the kit's, so tiles outside of it are never
 * loaded. */
#include "attn_main.h"

/* ---------------------------------------------------------------------------------------------------------------- */
typedef struct { float cap, inverse, slope; } my_args; /* inverse: 1 / cap; head h has slope 2^(slope * (h + 1)) */

TC_DEV float alibi_softcap(float s, tc_attn_at at, const void *args)
{
    const my_args *p = (const my_args *)args;
    float t;
    asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(s * p->inverse));
    return p->cap * t + exp2f(p->slope * (at.h + 1)) * (at.kv - at.q);
}

TC_ATTN_DEFINE(attn_alibi, .type = TC_BF16, .head_dim = 128, .causal = 1, .window = 1, .hook_size = sizeof(my_args),
               .score = alibi_softcap)
/* ---------------------------------------------------------------------------------------------------------------- */

TC_ATTN_DEFINE(attn_plain, .type = TC_BF16, .head_dim = 128, .causal = 1, .window = 1)

static double alibi_softcap_host(double s, int b, int h, int q, int kv, const void *context)
{
    const my_args *p = (const my_args *)context;
    (void)b;
    return p->cap * tanh(s * p->inverse) + exp2((double)p->slope * (h + 1)) * (kv - q);
}

int main(void)
{
    int failed = 0;
    example_device(80);
    for (int i = 0; i < 4; i++) {
        const int len = i == 3 ? 1111 : 1024 << 2 * i, heads = i == 3 ? 12 : 16;
        const my_args args = {20.f, 1 / 20.f, -8.f / heads};
        /* tanh.approx is right to 2^-11, relative */
        const attn_example hooked = {"ALiBi", attn_alibi_run, 1, 1, 1023, 0, alibi_softcap_host, &args, 1.0 / 2048,
                                     &args, sizeof args};
        const attn_example plain = {"window alone", attn_plain_run, 1, 1, 1023, 0};
        failed += attn_example_shape(&hooked, attn_shape{i == 3 ? 3 : 16 >> 2 * i, heads, heads, len, len, 128});
        failed += attn_example_shape(&plain, attn_shape{i == 3 ? 3 : 16 >> 2 * i, heads, heads, len, len, 128});
    }
    return failed;
}
