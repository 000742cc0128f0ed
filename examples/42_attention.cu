/* 42_attention.cu - generated attention: O = softmax(scale * Q K') V in one kernel, for prefill, grouped heads, decoding, packed sequences.
 *
 * Q and O are (batch, rows, heads, head_dim), K and V the same with their own rows and heads; a call names the sizes:
 *
 *     tc_attn_args a = {0};
 *     a.batch = 4, a.heads = 32, a.heads_kv = 8;                each key head serves 4 query heads (GQA); 1 key head: MQA
 *     a.q_len = 4096, a.k_len = 4096;
 *     a.q = q, a.k = k, a.v = v, a.o = o, a.lse = lse;          lse: optional, for a backward pass or to join parts
 *     tc_status st = attn_128_run(&a, stream);                  tc_why() says what is wrong with a call
 *
 * Other layouts: strides of batch, row and head. Sequences of unequal length: one after the other without padding, cu_q and
 * cu_k say where each begins. Causal is bottom-right aligned: the last query sees all keys, so the same kernel decodes.
 * It runs on every device from sm_80 on. */
#include "attn_main.h"

/* ---------------------------------------------------------------------------------------------------------------- */
TC_ATTN_DEFINE(attn_64, .type = TC_BF16, .head_dim = 64, .causal = 1)
TC_ATTN_DEFINE(attn_128, .type = TC_BF16, .head_dim = 128, .causal = 1)
TC_ATTN_DEFINE(attn_128_full, .type = TC_BF16, .head_dim = 128)
/* ---------------------------------------------------------------------------------------------------------------- */

int main(void)
{
    /* what a server sees in one step: prompts of any length, packed; then a few new tokens, each with the keys of its past */
    const int prompts[6] = {4096, 17, 1000, 2500, 1, 3333};
    const int fresh[6] = {1, 1, 4, 1, 2, 1}, past[6] = {8192, 3000, 777, 64, 5000, 1};
    const attn_example causal_64 = {"prefill", attn_64_run, 1}, causal = {"prefill", attn_128_run, 1}, full = {"encoder", attn_128_full_run, 0};
    const attn_example decode = {"decode", attn_128_run, 1}, packed = {"packed", attn_128_run, 1};
    int failed = 0;
    example_device(80);
    failed += attn_example_shape(&full, attn_shape{4, 16, 16, 4096, 4096, 128});
    failed += attn_example_shape(&causal, attn_shape{4, 16, 16, 4096, 4096, 128});
    failed += attn_example_shape(&causal_64, attn_shape{4, 32, 32, 4096, 4096, 64});
    failed += attn_example_shape(&causal, attn_shape{4, 32, 8, 4096, 4096, 128}); /* Llama 3 8B */
    failed += attn_example_shape(&causal, attn_shape{1, 64, 8, 512, 16384, 128}); /* Llama 3 70B, a long prompt in parts: the last 512 of 16384 */
    /* decoding: the 8 query heads of a key head fill the rows of one tile, so that K and V are read once, not 8 times */
    failed += attn_example_shape(&decode, attn_shape{64, 64, 8, 1, 8192, 128});
    failed += attn_example_shape(&decode, attn_shape{64, 32, 1, 4, 8192, 128}); /* MQA, 4 speculated tokens */
    failed += attn_example_shape(&packed, attn_shape{6, 32, 8, 4096, 4096, 128, prompts, prompts});
    failed += attn_example_shape(&packed, attn_shape{6, 32, 8, 4, 8192, 128, fresh, past});
    return failed;
}
