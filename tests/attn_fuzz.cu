/* attn_fuzz.cu - random problems through generated attention kernels, against plain fp64 on the CPU.
 *     build/tests/attn_fuzz [configurations] [seed] [kernel]
 *
 * Configuration i has seed + i for its own seed, which also picks the kernel: `attn_fuzz 1 S` is configuration S alone,
 * and a name as third argument tries that kernel only. Whatever a call must not read is NaN (rows behind a sequence's
 * end, gaps between rows, behind the last sequence), whatever it must not write is 0xff before and after. Hooks note
 * each place that does not exist and count how often they are asked about each that does: .score and .mask once for
 * each pair of query and key that .causal and .window keep (under .mask_tile at most once, and once where the key is
 * kept), .out once for each element of O.
 *
 * The bound. For one row: s_j the score of key j (natural units), A_j = scale * sum |q k|, p_j = exp(s_j - max s), Z =
 * sum p_j (and the sink's exp), o = sum p_j v_j / Z. A kernel in f32 with P in 16 bits errs by
 *     scores    e_j = (head_dim + 8) 2^-23 A_j for the sum of products in any order, with truncation; 2^-22 (|s_j| + M)
 *               for scale,
 *                log2 e and the subtraction of a maximum, M = max |s|; the hook's own roundings 2^-22 (|s| before + |s|
 *                after).
 *                p_j is then off by the factor exp(e_j), and by 2^-21 more for ex2.approx and the rescaling of sums
 *     P         u = 2^-8 (bf16) or 2^-11 (f16) of p_j in the numerator, which moves o by p_j u |v_j| / Z; a kernel may
 *               round what it adds to Z for O
 *                too, key by key, which moves o by p_j u |v_j - o| / Z instead: w_j = max(|v_j|, |v_j - o|). f16
 *                besides 2^-25 where p is subnormal: P is taken relative to a value that the sum has at least once, so
 *                this is 2^-25 of something below 1
 *     sums      numerator (k + k/16 + 16) 2^-23 sum p|v|: products, and a rescaling for each tile of 16 or more keys; Z
 *               (k/16 + 64) 2^-23:
 *                a term passes through at most 32 additions of its tile (256 columns over 4 lanes and pairs), then one
 *                a tile, then 3
 *     dropout   v_j stands for v_j / (1 - p) or 0 in all of this but in Z, as tc_attn_dropout_keeps says; the factor is
 *               one rounding of o more
 *     division  2^-22 |o|; output hook: its slope times all this, and 2^-23 of its result; output u |o|, f16 besides
 *               2^-25.
 * With d_j = exp(e_j) - 1 + 2^-21 that is |o' - o| <= sum p_j ((d_j + ...) |v_j| + u w_j) / Z + |o| (sum p_j d_j / Z +
 * ...) + ...
 * The log-sum-exp is that of f32 p, not of P: it is off by sum p_j d_j / Z, by the roundings of Z, and by 2^-22 (M +
 * |lse|) + 2^-21 for lg2.approx and the last sum. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include "attn_tensors.h"
#include <time.h>

/* ---- hooks: every place that they are asked about must exist ---- */
enum { ALIBI = 1, SOFTCAP = 2, BIAS = 4, RANDOM = 8, DOCUMENTS = 16, BLOCKS = 32, GATE = 64, SINK = 128, FAR = 256,
       TILED = 512 /* with .mask_tile */,
       SCORES = ALIBI | SOFTCAP | BIAS | FAR, MASKS = RANDOM | DOCUMENTS | BLOCKS };

typedef struct {
    int batch, heads, dv, q_len, k_len; /* the two lengths: the longest */
    const int *len_q, *len_k;           /* of each batch */
    int *bad;                           /* set to 1 by a question about a place that does not exist */
    int *scored, *masked;               /* (batch, heads, q_len, k_len): questions to .score, to .mask */
    int *put_out;                       /* (batch, heads, q_len, dv): questions to .out */
    const float *slopes;                /* ALIBI: (heads) */
    float cap;                          /* SOFTCAP */
    const float *bias;                  /* BIAS: (heads, q_len + k_len - 1), by the distance between key and query */
    uint32_t salt, keep;                /* RANDOM: keep out of 16 */
    const int *doc_q, *doc_k;           /* DOCUMENTS: (batch, q_len), (batch, k_len), rising along a row */
    const uint8_t *blocks;              /* BLOCKS: (heads, ceil(q_len / EDGE), ceil(k_len / EDGE)) */
    const float *gate;                  /* GATE: (heads, q_len, dv) */
    const float *sinks;                 /* SINK: (heads) */
    float far;                          /* FAR: what stands for minus infinity */
    int cut;                            /* FAR: where along the keys it begins or ends */
} hook_args;

enum { EDGE = 32 };

/* Takes down that a question was wrong. tests/check_ptx.sh defines FUZZ_BARE, for hooks as small as a user's. */
TC_HD int checked(const hook_args *p, int ok)
{
#ifdef FUZZ_BARE
    (void)p, (void)ok;
    return 1;
#else
    if (!ok) *p->bad = 1;
    return ok;
#endif
}

TC_DEV int exists(const hook_args *p, int b, int h, int q, int kv)
{
    return checked(p, b >= 0 && b < p->batch && h >= 0 && h < p->heads && q >= 0 && q < p->len_q[b] && kv >= 0
                   && kv < p->len_k[b]);
}

/* The same, and counts the question. */
TC_DEV int asked(const hook_args *p, int *count, tc_attn_at at)
{
    const int ok = exists(p, at.b, at.h, at.q, at.kv) && checked(p, at.d == 0);
#ifdef FUZZ_BARE
    (void)count;
#else
    if (ok) atomicAdd(count + (((long long)at.b * p->heads + at.h) * p->q_len + at.q) * p->k_len + at.kv, 1);
#endif
    return ok;
}

TC_DEV float hook_alibi(float s, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return asked(p, p->scored, at) ? s + p->slopes[at.h] * (float)(at.kv - at.q) : 0.f;
}

TC_DEV float hook_softcap(float s, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    (void)asked(p, p->scored, at);
    return p->cap * tanhf(s / p->cap);
}

TC_DEV float hook_bias(float s, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return asked(p, p->scored, at) ? s + p->bias[at.h * (p->q_len + p->k_len - 1) + at.kv - at.q + p->q_len - 1] : 0.f;
}

TC_HD int kept_random(const hook_args *p, int b, int h, int q, int kv)
{
    uint32_t x = p->salt + (uint32_t)b * 0x9e3779b1u + (uint32_t)h * 0x85ebca6bu + (uint32_t)q * 0xc2b2ae35u
        + (uint32_t)kv * 0x27d4eb2fu;
    x ^= x >> 15, x *= 0x2c1b3c6du, x ^= x >> 12, x *= 0x297a2d39u;
    return (x >> 28) < p->keep;
}

TC_DEV int hook_random(tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    (void)asked(p, p->masked, at);
    return kept_random(p, at.b, at.h, at.q, at.kv);
}

TC_DEV int hook_documents(tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return asked(p, p->masked, at) && p->doc_q[at.b * p->q_len + at.q] == p->doc_k[at.b * p->k_len + at.kv];
}

TC_DEV int tile_exists(const hook_args *p, tc_attn_tile t)
{
    return checked(p, t.q < t.q_end && t.kv < t.kv_end) && exists(p, t.b, t.h, t.q, t.kv)
        && exists(p, t.b, t.h, t.q_end - 1, t.kv_end - 1);
}

TC_DEV int hook_documents_tile(tc_attn_tile t, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    const int *dq = p->doc_q + t.b * p->q_len, *dk = p->doc_k + t.b * p->k_len;
    if (!tile_exists(p, t)) return TC_ATTN_SKIP;
    if (dq[t.q_end - 1] < dk[t.kv] || dk[t.kv_end - 1] < dq[t.q]) return TC_ATTN_SKIP;
    return dq[t.q] == dk[t.kv_end - 1] && dq[t.q_end - 1] == dk[t.kv] ? TC_ATTN_WHOLE : TC_ATTN_PARTIAL;
}

TC_HD int kept_block(const hook_args *p, int h, int q, int kv)
{
    const int rows = (p->q_len + EDGE - 1) / EDGE, columns = (p->k_len + EDGE - 1) / EDGE;
    return p->blocks[(h * rows + q / EDGE) * columns + kv / EDGE];
}

TC_DEV int hook_blocks(tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return asked(p, p->masked, at) && kept_block(p, at.h, at.q, at.kv);
}

TC_DEV int hook_blocks_tile(tc_attn_tile t, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    int some = 0, all = 1;
    if (!tile_exists(p, t)) return TC_ATTN_SKIP;
    for (int q = t.q / EDGE * EDGE; q < t.q_end; q += EDGE)
        for (int kv = t.kv / EDGE * EDGE; kv < t.kv_end; kv += EDGE) {
            const int kept = kept_block(p, t.h, q, kv);
            some |= kept, all &= kept;
        }
    return !some ? TC_ATTN_SKIP : all ? TC_ATTN_WHOLE : TC_ATTN_PARTIAL;
}

TC_DEV float hook_gate(float o, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    const int ok = checked(p, at.b >= 0 && at.b < p->batch && at.h >= 0 && at.h < p->heads && at.q >= 0
                           && at.q < p->len_q[at.b] && at.d >= 0 && at.d < p->dv && at.kv == 0);
#ifndef FUZZ_BARE
    if (ok) atomicAdd(p->put_out + (((long long)at.b * p->heads + at.h) * p->q_len + at.q) * p->dv + at.d, 1);
#endif
    return ok ? o * p->gate[(at.h * p->q_len + at.q) * p->dv + at.d] : 0.f;
}

TC_DEV float hook_sink(tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return checked(p, at.b >= 0 && at.b < p->batch && at.h >= 0 && at.h < p->heads && at.q == 0 && at.kv == 0
                   && at.d == 0) ? p->sinks[at.h] : 0.f;
}

/* Of every four rows one has all its keys far down, one those from `cut` on, one those before it. */
TC_HD int is_far(const hook_args *p, int h, int q, int kv)
{
    const int which = (q + h) & 3;
    return which == 0 || (which == 1 && kv >= p->cut) || (which == 2 && kv < p->cut);
}

/* Added or put in place: -1e9 added would leave scores that the roundings before it decide about. */
TC_DEV float hook_far(float s, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    if (!asked(p, p->scored, at) || !is_far(p, at.h, at.q, at.kv)) return s;
    return p->far > -1e10f || p->far < -3e38f ? p->far : s + p->far;
}

/* ---- kernels ---- */
typedef struct {
    const char *name;
    tc_status (*run)(const tc_attn_args *, cudaStream_t);
    int sm, hooks, smem;
    tc_attn_config c; /* hooks apart */
} kernel;

#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#ifdef FUZZ_ALL
#define NARROW
#else
#define NARROW .bn = 64, /* a hook stands in the code of a kernel once an element: half the time to compile */
#endif
TC_ATTN_SM90_DEFINE(h16, .type = TC_BF16, .head_dim = 16)
TC_ATTN_SM90_DEFINE(h64_causal, .type = TC_F16, .head_dim = 64, .causal = 1)
TC_ATTN_SM90_DEFINE(h128_causal, .type = TC_F16, .causal = 1)
TC_ATTN_SM90_DEFINE(h128_later, .type = TC_BF16, .later = 1)
TC_ATTN_SM90_DEFINE(h256, .type = TC_F16, .head_dim = 256)
TC_ATTN_SM90_DEFINE(h256_causal, .type = TC_BF16, .head_dim = 256, .causal = 1)
TC_ATTN_SM90_DEFINE(h192_128_causal, .type = TC_BF16, .head_dim = 192, .head_dim_v = 128, .causal = 1)
TC_ATTN_SM90_DEFINE(h16_240_causal, .type = TC_BF16, .head_dim = 16, .head_dim_v = 240, .causal = 1)
TC_ATTN_SM90_DEFINE(alibi, NARROW .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64, .causal = 1,
                    .score = hook_alibi)
TC_ATTN_SM90_DEFINE(bias, NARROW .type = TC_F16, .head_dim = 64, .hook_size = sizeof(hook_args), .score = hook_bias)
TC_ATTN_SM90_DEFINE(documents, NARROW .type = TC_BF16, .hook_size = sizeof(hook_args), .causal = 1,
                    .mask = hook_documents, .mask_tile = hook_documents_tile)
TC_ATTN_SM90_DEFINE(gate, .type = TC_BF16, .hook_size = sizeof(hook_args), .out = hook_gate)
TC_ATTN_SM90_DEFINE(sink, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64, .causal = 1, .window = 1,
                    .sink = hook_sink)
TC_ATTN_SM90_DEFINE(all_hooks, .type = TC_F16, .head_dim = 96, .hook_size = sizeof(hook_args), .score = hook_softcap,
                    .mask = hook_documents, .mask_tile = hook_documents_tile, .out = hook_gate, .sink = hook_sink)
TC_ATTN_SM90_DEFINE(three_hooks, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 256, .head_dim_v = 64,
                    .bn = 64, .score = hook_alibi, .out = hook_gate, .sink = hook_sink)
TC_ATTN_SM90_DEFINE(bm64, .type = TC_BF16, .causal = 1, .bm = 64, .consumers = 1)
TC_ATTN_SM90_DEFINE(bn16, .type = TC_F16, .head_dim = 64, .causal = 1, .bn = 16, .stages = 4)
TC_ATTN_SM90_DEFINE(bm192_bn48, .type = TC_BF16, .head_dim = 32, .window = 1, .bm = 192, .bn = 48, .consumers = 3)
TC_ATTN_SM90_DEFINE(bn256, .type = TC_F16, .head_dim = 32, .bm = 64, .bn = 256)

TC_ATTN_SM90_DEFINE(drop, .type = TC_BF16, .causal = 1, .dropout = 1)
TC_ATTN_SM90_DEFINE(drop_hooks, NARROW .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 64, .window = 1,
                    .out = hook_gate, .sink = hook_sink, .dropout = 1)

TC_ATTN_SM80_DEFINE(a16_window, .type = TC_F16, .head_dim = 16, .window = 1)
TC_ATTN_SM80_DEFINE(a64, .type = TC_BF16, .head_dim = 64)
TC_ATTN_SM80_DEFINE(a128_causal, .type = TC_BF16, .causal = 1)
TC_ATTN_SM80_DEFINE(a256_causal, .type = TC_F16, .head_dim = 256, .causal = 1)
TC_ATTN_SM80_DEFINE(a_alibi, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 96, .causal = 1,
                    .score = hook_alibi)
TC_ATTN_SM80_DEFINE(a_far, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 64, .causal = 1,
                    .score = hook_far)
TC_ATTN_SM80_DEFINE(a_documents, .type = TC_BF16, .hook_size = sizeof(hook_args), .causal = 1, .mask = hook_documents,
                    .mask_tile = hook_documents_tile)
TC_ATTN_SM80_DEFINE(a_blocks, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 80, .window = 1,
                    .mask = hook_blocks, .mask_tile = hook_blocks_tile)
TC_ATTN_SM80_DEFINE(a_all_hooks, .type = TC_BF16, .head_dim = 96, .hook_size = sizeof(hook_args), .score = hook_softcap,
                    .mask = hook_documents, .mask_tile = hook_documents_tile, .out = hook_gate, .sink = hook_sink)
TC_ATTN_SM80_DEFINE(a_8_warps, .type = TC_F16, .head_dim = 64, .bm = 128, .bn = 128, .stages = 3, .warps = 8)
TC_ATTN_SM80_DEFINE(a_drop, .type = TC_BF16, .dropout = 1)

TC_ATTN_DEFINE(any_causal, .type = TC_BF16, .causal = 1)
TC_ATTN_DEFINE(any_64, .type = TC_BF16, .head_dim = 64, .causal = 1)
TC_ATTN_DEFINE(any_hooks, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 64, .window = 1,
               .score = hook_alibi, .mask = hook_random, .out = hook_gate, .sink = hook_sink)
TC_ATTN_DEFINE(any_drop, .type = TC_F16, .head_dim = 96, .causal = 1, .dropout = 1)

#ifndef SOME_KERNELS /* the Makefile leaves these out where make test runs in tcemu; make fuzz has them */
TC_ATTN_SM90_DEFINE(h32_causal, .type = TC_F16, .head_dim = 32, .causal = 1)
TC_ATTN_SM90_DEFINE(h64, .type = TC_BF16, .head_dim = 64)
TC_ATTN_SM90_DEFINE(h128, .type = TC_BF16)
TC_ATTN_SM90_DEFINE(h128_causal_window, .type = TC_BF16, .causal = 1, .window = 1)
TC_ATTN_SM90_DEFINE(h64_128, .type = TC_F16, .head_dim = 64, .head_dim_v = 128)
TC_ATTN_SM90_DEFINE(far, NARROW .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64, .causal = 1,
                    .score = hook_far)
TC_ATTN_SM90_DEFINE(softcap, NARROW .type = TC_F16, .hook_size = sizeof(hook_args), .causal = 1, .window = 1,
                    .score = hook_softcap)
TC_ATTN_SM90_DEFINE(mask_random, NARROW .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64,
                    .mask = hook_random)
TC_ATTN_SM90_DEFINE(blocks, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 64, .bn = 64,
                    .mask = hook_blocks, .mask_tile = hook_blocks_tile)
TC_ATTN_SM90_DEFINE(one_q, .type = TC_F16, .head_dim = 64, .causal = 1, .q_stages = 1)
TC_ATTN_SM80_DEFINE(a32_causal, .type = TC_BF16, .head_dim = 32, .causal = 1)
TC_ATTN_SM80_DEFINE(a192_128_causal, .type = TC_BF16, .head_dim = 192, .head_dim_v = 128, .causal = 1)
TC_ATTN_SM80_DEFINE(a_random, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 64, .mask = hook_random)
TC_ATTN_SM80_DEFINE(a_one_warp, .type = TC_BF16, .head_dim = 64, .causal = 1, .bm = 16, .bn = 16, .stages = 4,
                    .warps = 1)
TC_ATTN_SM80_DEFINE(a_sink, .type = TC_F16, .hook_size = sizeof(hook_args), .causal = 1, .window = 1, .sink = hook_sink)
#endif
#ifdef FUZZ_ALL /* make fuzz: more sizes and combinations of what is above */
TC_ATTN_SM90_DEFINE(h96, .type = TC_F16, .head_dim = 96)
TC_ATTN_SM90_DEFINE(far_window, NARROW .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 32, .window = 1,
                    .score = hook_far)
TC_ATTN_SM90_DEFINE(h144_16, .type = TC_F16, .head_dim = 144, .head_dim_v = 16)
TC_ATTN_SM80_DEFINE(a64_128, .type = TC_F16, .head_dim = 64, .head_dim_v = 128)
TC_ATTN_DEFINE(any_128, .type = TC_F16)
TC_ATTN_DEFINE(any_256, .type = TC_BF16, .head_dim = 256)
TC_ATTN_SM90_DEFINE(h48_window, .type = TC_BF16, .head_dim = 48, .window = 1)
TC_ATTN_SM90_DEFINE(h80_causal_window, .type = TC_BF16, .head_dim = 80, .causal = 1, .window = 1)
TC_ATTN_SM90_DEFINE(h112_causal, .type = TC_BF16, .head_dim = 112, .causal = 1)
TC_ATTN_SM90_DEFINE(h160_causal, .type = TC_F16, .head_dim = 160, .causal = 1)
TC_ATTN_SM90_DEFINE(h192, .type = TC_BF16, .head_dim = 192)
TC_ATTN_SM90_DEFINE(h128_48_window, .type = TC_BF16, .head_dim = 128, .head_dim_v = 48, .window = 1)
TC_ATTN_SM90_DEFINE(h128_window, .type = TC_F16, .window = 1)
TC_ATTN_SM90_DEFINE(far_f16, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 128, .bn = 64,
                    .score = hook_far)
TC_ATTN_SM90_DEFINE(bias_window, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 96, .window = 1,
                    .score = hook_bias)
TC_ATTN_SM90_DEFINE(random_window, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 128, .window = 1,
                    .mask = hook_random)
TC_ATTN_SM90_DEFINE(documents_alone, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 80,
                    .mask = hook_documents)
TC_ATTN_SM90_DEFINE(blocks_window, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 112, .window = 1,
                    .mask = hook_blocks, .mask_tile = hook_blocks_tile)
TC_ATTN_SM90_DEFINE(gate_window, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 64, .head_dim_v = 48,
                    .window = 1, .out = hook_gate)
TC_ATTN_SM90_DEFINE(bn64_3stages, .type = TC_BF16, .head_dim = 64, .bn = 64, .stages = 3)
TC_ATTN_SM90_DEFINE(drop_256, .type = TC_BF16, .head_dim = 256, .dropout = 1)
TC_ATTN_SM90_DEFINE(drop_192_128, .type = TC_F16, .head_dim = 192, .head_dim_v = 128, .window = 1, .dropout = 1)
TC_ATTN_SM90_DEFINE(drop_all, NARROW .type = TC_BF16, .hook_size = sizeof(hook_args), .score = hook_softcap,
                    .mask = hook_random, .dropout = 1)
TC_ATTN_SM80_DEFINE(a_drop_256, .type = TC_F16, .head_dim = 256, .causal = 1, .dropout = 1)
TC_ATTN_SM80_DEFINE(a_drop_all, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64, .window = 1,
                    .score = hook_softcap, .mask = hook_random, .dropout = 1)
TC_ATTN_SM80_DEFINE(a48, .type = TC_F16, .head_dim = 48)
TC_ATTN_SM80_DEFINE(a80_causal_window, .type = TC_F16, .head_dim = 80, .causal = 1, .window = 1)
TC_ATTN_SM80_DEFINE(a112, .type = TC_BF16, .head_dim = 112)
TC_ATTN_SM80_DEFINE(a160_causal, .type = TC_BF16, .head_dim = 160, .causal = 1)
TC_ATTN_SM80_DEFINE(a128_window, .type = TC_F16, .window = 1)
TC_ATTN_SM80_DEFINE(a128_48_window, .type = TC_BF16, .head_dim_v = 48, .window = 1)
TC_ATTN_SM80_DEFINE(a_far_bf16, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 32, .score = hook_far)
TC_ATTN_SM80_DEFINE(a_bias_window, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64, .window = 1,
                    .score = hook_bias)
#define IF_ALL(...) __VA_ARGS__
#else
#define IF_ALL(...)
#endif

#define SM90(name, hooks) {#name, name##_run, 90, hooks, name##_SMEM, name##_config()}
#define SM80(name, hooks) {#name, name##_run, 80, hooks, name##_SMEM, name##_config()}
#define ANY(name, hooks) {#name, name##_run, 80, hooks, tc_attn_sm80_smem(name##_sm80_config()), name##_config()}
static const kernel kernels[] = {
    SM90(h16, 0), SM90(h64_causal, 0),
    SM90(h128_causal, 0), SM90(h128_later, 0), SM90(h256, 0), SM90(h256_causal, 0), SM90(h192_128_causal, 0),
    SM90(h16_240_causal, 0), SM90(alibi, ALIBI),
    SM90(bias, BIAS), SM90(documents, DOCUMENTS | TILED),
    SM90(gate, GATE), SM90(sink, SINK),
    SM90(all_hooks, SOFTCAP | DOCUMENTS | GATE | SINK | TILED), SM90(three_hooks, ALIBI | GATE | SINK),
    SM90(bm64, 0), SM90(bn16, 0), SM90(bm192_bn48, 0), SM90(bn256, 0),
    SM90(drop, 0), SM90(drop_hooks, GATE | SINK), SM80(a16_window, 0),
    SM80(a64, 0), SM80(a128_causal, 0), SM80(a256_causal, 0),
    SM80(a_alibi, ALIBI), SM80(a_far, FAR),
    SM80(a_documents, DOCUMENTS | TILED), SM80(a_blocks, BLOCKS | TILED),
    SM80(a_all_hooks, SOFTCAP | DOCUMENTS | GATE | SINK | TILED),
    SM80(a_8_warps, 0), SM80(a_drop, 0), ANY(any_causal, 0), ANY(any_64, 0),
    ANY(any_hooks, ALIBI | RANDOM | GATE | SINK), ANY(any_drop, 0),
#ifndef SOME_KERNELS
    SM90(h32_causal, 0), SM90(h64, 0), SM90(h128, 0), SM90(h128_causal_window, 0), SM90(h64_128, 0), SM90(far, FAR),
    SM90(softcap, SOFTCAP), SM90(mask_random, RANDOM), SM90(blocks, BLOCKS | TILED), SM90(one_q, 0),
    SM80(a32_causal, 0), SM80(a192_128_causal, 0), SM80(a_random, RANDOM), SM80(a_one_warp, 0), SM80(a_sink, SINK),
#endif
    IF_ALL(SM90(h96, 0), SM90(far_window, FAR), SM90(h144_16, 0), SM80(a64_128, 0), ANY(any_128, 0), ANY(any_256, 0),
           SM90(h48_window, 0), SM90(h80_causal_window, 0), SM90(h112_causal, 0), SM90(h128_window, 0),
           SM90(h160_causal, 0), SM90(h192, 0), SM90(h128_48_window, 0), SM90(far_f16, FAR),
           SM90(bias_window, BIAS), SM90(random_window, RANDOM), SM90(documents_alone, DOCUMENTS),
           SM90(blocks_window, BLOCKS | TILED), SM90(gate_window, GATE), SM90(bn64_3stages, 0), SM90(drop_256, 0),
           SM90(drop_192_128, 0), SM90(drop_all, SOFTCAP | RANDOM), SM80(a_drop_256, 0),
           SM80(a_drop_all, SOFTCAP | RANDOM), SM80(a48, 0),
           SM80(a80_causal_window, 0), SM80(a112, 0), SM80(a128_window, 0), SM80(a160_causal, 0),
           SM80(a128_48_window, 0), SM80(a_far_bf16, FAR), SM80(a_bias_window, BIAS),)
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static float normal_scaled(float x) { return x * test_normal(); }

static float *floats(size_t n, float scale)
{
    float *x = (float *)malloc(n * sizeof *x + 16);
    for (size_t i = 0; i < n; i++) x[i] = normal_scaled(scale);
    return x;
}

/* ---- tensors ---- */
/* Strides in a random order of the three dimensions with random gaps, or 0 for a contiguous tensor. share: batches may
 * lie on each other. */
static tc_attn_strides choose_strides(tensor *t, int share)
{
    const tc_attn_strides none = {0, 0, 0};
    t->s = default_strides(t);
    if (test_int(0, 3) == 0) return none;
    t->s = random_strides(t);
    if (share && test_int(0, 5) == 0) t->s.batch = 0;
    if (t->at && test_int(0, 1)) t->s.batch = 8 * test_int(0, 1000); /* means nothing */
    return t->s;
}

enum { NORMAL, OUTLIERS, CONSTANT, NEGATIVE, RISING, FALLING, KINDS };
static const char *const kind_names[] = {"normal", "outliers", "constant", "negative", "rising", "falling"};

/* which: 'q', 'k' or 'v' */
static void fill(tensor *t, int type, int batch, const int *lens, char which, int kind)
{
    const float all = 0.25f * (float)test_int(-6, 6), slope = 0.02f * (float)test_int(1, 30);
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < lens[b]; i++)
            for (int h = 0; h < t->heads; h++) {
                uint16_t *to = t->host + place(t, b, i, h);
                for (int e = 0; e < t->dim; e++) {
                    float x = test_normal();
                    if (kind == OUTLIERS && test_int(0, 99) == 0) x *= (float)test_int(50, 100);
                    if (kind == CONSTANT) x = all;
                    if (kind == NEGATIVE && which != 'v') x = which == 'q' ? 3.f + 0.25f * x : -3.f + 0.25f * x;
                    /* scores that grow along the keys by the first product */
                    if ((kind == RISING || kind == FALLING) && which != 'v') {
                        x *= 0.5f;
                        if (e == 0) x = which == 'q' ? (kind == RISING ? 8.f : -8.f) : slope * (float)i;
                    }
                    to[e] = to_element(type, x);
                }
            }
}

/* ---- one side of the lengths ---- */
static int choose_length(int largest, int may_be_empty)
{
    const int r = test_int(0, 9);
    if (may_be_empty && r == 0) return 0;
    return r < 2 ? 1
         : r < 4 ? test_int(1, 20)
         : r < 8 ? test_int(1, largest)
         : test_int(1, largest / 64 + 1) * 64 + test_int(-1, 1);
}

static side choose_side(int batch, int len, int packed_chance)
{
    static const char modes[] = {0, 'p', 'c'};
    side s;
    int longest = 0;
    memset(&s, 0, sizeof s);
    s.mode = modes[test_int(0, 9) < packed_chance ? test_int(1, 2) : 0];
    s.lens = (int *)malloc(sizeof(int) * (size_t)(batch + 1)), s.at = (int *)malloc(sizeof(int) * (size_t)(batch + 1));
    s.at[0] = 0;
    for (int b = 0; b < batch; b++) {
        s.lens[b] = !s.mode ? len : test_int(0, 4) == 0 ? 0 : test_int(0, 3) == 0 ? len : test_int(0, len);
        longest = s.lens[b] > longest ? s.lens[b] : longest;
        s.at[b + 1] = s.at[b] + s.lens[b];
    }
    s.len = s.mode == 'c' ? longest : len;
    s.total = s.mode == 'c' ? s.at[batch] + (test_int(0, 1) ? test_int(0, 150) : 0) : 0;
    /* a bound, not the length itself */
    if (s.mode == 'c' && s.len < s.total && test_int(0, 2) == 0) s.len = test_int(s.len, s.total);
    if (s.mode == 'c' && s.len == 0 && s.total > 0) s.len = 1; /* 0 beside a tensor would be taken for forgotten */
    if (s.mode == 'c') s.dev = (int *)upload(s.at, sizeof(int) * (size_t)(batch + 1));
    else if (s.mode == 'p') s.dev = (int *)upload(s.lens, sizeof(int) * (size_t)batch);
    return s;
}

/* ---- the reference: score and its error before the maximum is known ---- */
typedef struct {
    double s, error, more; /* more: what dropout makes of the probability */
    int kept; /* 2: far down */
} score;

static score hooked(const kernel *kn, const hook_args *p, double s, double error, int b, int h, int q, int kv)
{
    score r;
    const double before = fabs(s);
    r.kept = 1;
    if (kn->hooks & ALIBI)
        s += (double)p->slopes[h] * (kv - q), error += ldexp(before + fabs(s) + fabs((double)p->slopes[h] * (kv - q)),
                                                             -22);
    if (kn->hooks & SOFTCAP) s = p->cap * tanh(s / p->cap), error += ldexp(before + fabs(s), -22);
    if (kn->hooks & BIAS)
        s += p->bias[h * (p->q_len + p->k_len - 1) + kv - q + p->q_len - 1], error += ldexp(before + fabs(s), -22);
    if (kn->hooks & RANDOM) r.kept = kept_random(p, b, h, q, kv);
    if (kn->hooks & DOCUMENTS) r.kept = p->doc_q[b * p->q_len + q] == p->doc_k[b * p->k_len + kv];
    if (kn->hooks & BLOCKS) r.kept = kept_block(p, h, q, kv);
    if (s == -INFINITY) r.kept = 0; /* a bias of -inf masks */
    if ((kn->hooks & FAR) && is_far(p, h, q, kv)) r.kept = 2;
    r.s = s, r.error = error, r.more = 1;
    return r;
}

static double worst_o, worst_lse; /* of the bound, over all configurations */

static void one(const kernel *kn, uint64_t seed, int largest, double work)
{
    const tc_attn_config c = kn->c;
    static const int groups[] = {1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 16, 64};
    static const float scales[] = {0, 0, 0, 0.05f, 0.2f, 1.f, 0.001f},
                       fars[] = {-1e9f, -1e30f, -2e38f, -3.40282347e38f};
    const int d = c.head_dim, dv = c.head_dim_v, kind = test_int(0, 1) ? NORMAL : test_int(1, KINDS - 1);
    int batch = test_int(1, 4), group = groups[test_int(0, 11)], heads_kv = test_int(1, 3), heads, q_len, k_len, many,
        bad = 0, bad_lse = 0, empty_wrong = 0;
    double worst[2] = {0, 0};
    hook_args hook, host_hook;
    tc_attn_args g;
    tensor t[4]; /* q, k, v, o */
    side sq, sk;
    float *lse = 0;
    size_t lse_elements = 0, outside = 0;
    int device_bad = 0;

    if (test_int(0, 4) == 0) group = group * heads_kv, heads_kv = 1; /* MQA */
    q_len = choose_length(largest, 0), k_len = choose_length(largest, 1);
    if (test_int(0, 3) == 0) k_len = q_len;
    /* short queries: heads that share K and V go into one tile */
    if (group > 1 && test_int(0, 1)) q_len = test_int(1, 12);
    heads = group * heads_kv;
    many = test_int(0, 15) == 0;
    if (many) { /* sequences, more than a warp has lanes: some have a second tile of queries, some none */
        batch = test_int(33, 70), heads = heads_kv = group = 1, work *= 5;
        q_len = test_int(100, 160), k_len = test_int(1, 16);
    }
    while ((double)batch * heads * (q_len + 16) * (k_len + 64) * (d + dv) > work) {
        if (batch > 1) batch--;
        else if (heads_kv > 1) heads_kv--, heads = group * heads_kv;
        else if (q_len > k_len && q_len > 1) q_len = (q_len + 1) / 2;
        else if (k_len > 1) k_len /= 2;
        else break;
    }
    sq = choose_side(batch, q_len, many ? 10 : 5), sk = choose_side(batch, k_len, 5);

    memset(&g, 0, sizeof g);
    g.batch = batch, g.heads = heads, g.heads_kv = group == 1 && test_int(0, 1) ? 0 : heads_kv;
    g.q_len = sq.len, g.k_len = sk.len;
    if (sq.mode == 'c') g.cu_q = sq.dev, g.total_q = sq.total, g.host_cu_q = test_int(0, 1) ? sq.at : 0;
    else if (sq.mode == 'p') g.lens_q = sq.dev, g.host_lens_q = test_int(0, 1) ? sq.lens : 0;
    if (sk.mode == 'c') g.cu_k = sk.dev, g.total_k = sk.total, g.host_cu_k = test_int(0, 1) ? sk.at : 0;
    else if (sk.mode == 'p') g.lens_k = sk.dev, g.host_lens_k = test_int(0, 1) ? sk.lens : 0;
    g.scale = scales[test_int(0, 6)];
    const double scale = g.scale > 0 ? g.scale : (double)(float)(1 / sqrt((double)d));
    if (c.window) {
        static const int ends[] = {-1, -1, 0, 1, 5, 33, 100, 100000};
        g.window_left = test_int(0, 1) ? ends[test_int(0, 7)] : test_int(0, largest);
        g.window_right = test_int(0, 1) ? ends[test_int(0, 7)] : test_int(0, largest);
        if (test_int(0, 1)) { /* its ends at the edges of tiles, where a tile is still or no longer seen whole */
            const int bm = c.bm ? c.bm : 128, bn = c.bn ? c.bn : 64, last = (sq.len < bm ? sq.len : bm) - 1,
                      ahead = sk.len - sq.len;
            g.window_left = last + ahead - bn * test_int(0, sk.len / bn) + test_int(-2, 2);
            g.window_right = test_int(0, 1) ? -1 : bn * test_int(0, sk.len / bn) - ahead + test_int(-2, 2);
            if (g.window_left < 0) g.window_left = -1;
            if (g.window_right < 0) g.window_right = -1;
        }
    } else if (test_int(0, 3) == 0) {
        g.window_left = g.window_right = -1;
    }
    g.pdl = test_int(-1, 1);
    tc_attn_dropout drop = {0, 0, 0};
    if (c.dropout) {
        static const float shares[] = {0, 0.1f, 0.2f, 0.5f, 0.9f};
        drop.p = shares[test_int(0, 4)], drop.seed = test_random(), drop.offset = test_int(0, 1) ? test_random() : 4;
        g.dropout_p = drop.p, g.dropout_seed = drop.seed, g.dropout_offset = drop.offset;
    }

    memset(t, 0, sizeof t);
    for (int i = 0; i < 4; i++) {
        const side *s = i == 0 || i == 3 ? &sq : &sk;
        tc_attn_strides *given[4] = {&g.q_stride, &g.k_stride, &g.v_stride, &g.o_stride};
        t[i].rows = s->mode == 'c' ? s->total : s->len, t[i].at = s->mode == 'c' ? s->at : 0;
        t[i].batch = s->mode == 'c' ? 1 : batch, t[i].heads = i == 0 || i == 3 ? heads : heads_kv, t[i].dim = i < 2 ? d
            : dv;
        t[i].base = 8 * test_int(0, 2);
        *given[i] = choose_strides(&t[i], i == 1 || i == 2);
        allocate(&t[i]);
        if (given[i]->row && given[i]->batch == 0) given[i]->batch = TC_ATTN_SHARED;
        if (i < 3) fill(&t[i], c.type, batch, s->lens, "qkv"[i], kind);
        t[i].dev = (uint16_t *)upload(t[i].host, t[i].elements * 2);
    }
    g.q = t[0].dev + t[0].base, g.k = t[1].dev + t[1].base, g.v = t[2].dev + t[2].base, g.o = t[3].dev + t[3].base;
    if (sk.len == 0 && (sk.mode != 'c' || test_int(0, 1))) g.k = g.v = 0;
    if (test_int(0, 3)) {
        const int64_t rows = t[0].rows, batches = sq.mode == 'c' ? 1 : batch;
        int64_t head = rows, step = rows * heads;
        if (test_int(0, 1)) {
            if (test_int(0, 1))
                g.lse_head = head = rows + test_int(0, 9), g.lse_batch = step = head * heads + test_int(0, 9);
            else g.lse_batch = step = rows + test_int(0, 9) + 1, g.lse_head = head = step * batches + test_int(0, 9);
        }
        lse_elements = rows > 0 ? (size_t)((rows - 1) + (heads - 1) * head + (batches - 1) * step + 1) : 0;
        lse = (float *)malloc(lse_elements * 4 + 16);
        memset(lse, 0xff, lse_elements * 4);
        g.lse = (float *)upload(lse, lse_elements * 4);
    }

    /* hooks' arguments: exactly as much memory as there are places */
    memset(&host_hook, 0, sizeof host_hook);
    host_hook.batch = batch, host_hook.heads = heads, host_hook.dv = dv, host_hook.q_len = sq.len,
        host_hook.k_len = sk.len;
    host_hook.cap = test_int(0, 1) ? 20.f : 2.5f, host_hook.salt = (uint32_t)test_random(),
        host_hook.keep = (uint32_t)test_int(0, 16);
    hook = host_hook;
    hook.len_q = (int *)upload(host_hook.len_q = sq.lens, sizeof(int) * (size_t)batch);
    hook.len_k = (int *)upload(host_hook.len_k = sk.lens, sizeof(int) * (size_t)batch);
    hook.bad = (int *)upload(host_hook.bad = &device_bad, sizeof(int));
    host_hook.far = hook.far = fars[test_int(0, 3)], host_hook.cut = hook.cut = test_int(0, sk.len);
    const size_t pairs = (size_t)batch * (size_t)heads * (size_t)sq.len * (size_t)sk.len,
                 outs = (size_t)batch * (size_t)heads * (size_t)sq.len * (size_t)dv;
    int *counts = (int *)calloc((pairs > outs ? pairs : outs) + 4, sizeof(int));
    if (kn->hooks & SCORES) hook.scored = (int *)upload(counts, pairs * sizeof(int));
    if (kn->hooks & MASKS) hook.masked = (int *)upload(counts, pairs * sizeof(int));
    if (kn->hooks & GATE) hook.put_out = (int *)upload(counts, outs * sizeof(int));
    if (kn->hooks & ALIBI)
        hook.slopes = (float *)upload(host_hook.slopes = floats((size_t)heads, 0.3f), sizeof(float) * (size_t)heads);
    if (kn->hooks & BIAS) {
        const int width = sq.len + sk.len - 1 > 0 ? sq.len + sk.len - 1 : 0, holes = test_int(0, 3) == 0;
        float *x = floats((size_t)(width * heads), 2.f);
        for (int i = 0; holes && i < width * heads; i++)
            if (test_int(0, 2) == 0) x[i] = -INFINITY;
        hook.bias = (float *)upload(host_hook.bias = x, sizeof(float) * (size_t)(width * heads));
    }
    if (kn->hooks & DOCUMENTS) {
        for (int which = 0; which < 2; which++) {
            const int len = which ? sk.len : sq.len, often = test_int(2, 90);
            int *doc = (int *)malloc(sizeof(int) * (size_t)(len * batch) + 16);
            for (int b = 0; b < batch; b++)
                for (int i = 0, id = 0; i < len; i++) doc[b * len + i] = id += i && test_int(0, often) == 0;
            if (which) hook.doc_k = (int *)upload(host_hook.doc_k = doc, sizeof(int) * (size_t)(len * batch));
            else hook.doc_q = (int *)upload(host_hook.doc_q = doc, sizeof(int) * (size_t)(len * batch));
        }
    }
    if (kn->hooks & BLOCKS) {
        const int count = heads * ((sq.len + EDGE - 1) / EDGE) * ((sk.len + EDGE - 1) / EDGE), keep = test_int(0, 10);
        uint8_t *x = (uint8_t *)malloc((size_t)count + 16);
        for (int i = 0; i < count; i++) x[i] = test_int(1, 10) <= keep;
        hook.blocks = (uint8_t *)upload(host_hook.blocks = x, (size_t)count);
    }
    if (kn->hooks & GATE)
        hook.gate = (float *)upload(host_hook.gate = floats((size_t)(heads * sq.len * dv), 1.f),
                                    sizeof(float) * (size_t)(heads * sq.len * dv));
    if (kn->hooks & SINK) {
        float *x = floats((size_t)heads, 3.f);
        for (int i = 0; i < heads; i++)
            if (test_int(0, 4) == 0) x[i] = -INFINITY; /* no sink */
        hook.sinks = (float *)upload(host_hook.sinks = x, sizeof(float) * (size_t)heads);
    }
    if (kn->hooks) g.hook_args = &hook, g.hook_size = sizeof hook;

    char what[700];
    snprintf(what, sizeof what,
             "attn_fuzz 1 %llu: %s batch %d heads %d/%d q %d%s k %d%s scale %g window %d,%d %s%s far %g",
             (unsigned long long)seed, kn->name, batch, heads, heads_kv, sq.len, sq.mode == 'c' ? " packed"
             : sq.mode ? " padded" : "", sk.len, sk.mode == 'c' ? " packed" : sk.mode ? " padded" : "", g.scale,
             g.window_left, g.window_right, kind_names[kind], g.lse ? "" : " no lse", kn->hooks & FAR ? hook.far : 0.f);
    snprintf(test_context, sizeof test_context, "%.250s", what);
    const tc_status st = kn->run(&g, 0);
    CHECK(st == TC_OK, "%s: %s", what, tc_why());
    if (st != TC_OK) goto end;
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(t[3].host, t[3].dev, t[3].elements * 2, cudaMemcpyDeviceToHost));
    if (lse) CUDA_CHECK(cudaMemcpy(lse, g.lse, lse_elements * 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&device_bad, hook.bad, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(device_bad == 0, "%s: a hook is asked about a place that does not exist", what);
    for (int which = 0; which < 2; which++) { /* .score, .mask */
        int *from = which ? hook.masked : hook.scored;
        long long wrong = 0;
        if (!from) continue;
        CUDA_CHECK(cudaMemcpy(counts, from, pairs * sizeof(int), cudaMemcpyDeviceToHost));
        for (int b = 0; b < batch; b++)
            for (int h = 0; h < heads; h++)
                for (int i = 0; i < sq.len; i++)
                    for (int j = 0; j < sk.len; j++) {
                        const int n = counts[(((size_t)b * (size_t)heads + (size_t)h) * (size_t)sq.len + (size_t)i)
                                             * (size_t)sk.len + (size_t)j];
                        const int at = i + sk.lens[b] - sq.lens[b];
                        const int seen = i < sq.lens[b] && j < sk.lens[b] && !(c.causal && j > at)
                            && !(c.window && g.window_left >= 0 && j < at - g.window_left)
                                      && !(c.window && g.window_right >= 0 && j > at + g.window_right);
                        if (!(kn->hooks & TILED) || !seen) wrong += n != seen;
                        else
                            wrong += which ? n > 1 : n > 1 || (n == 0 && hooked(kn, &host_hook, 0, 0, b, h, i, j).kept);
                    }
        CHECK(wrong == 0, "%s: .%s is not asked exactly once about %lld pairs", what, which ? "mask" : "score", wrong);
    }
    if (hook.put_out) {
        long long wrong = 0;
        CUDA_CHECK(cudaMemcpy(counts, hook.put_out, outs * sizeof(int), cudaMemcpyDeviceToHost));
        for (size_t e = 0; e < outs; e++)
            wrong += counts[e]
            != ((int)(e / (size_t)dv % (size_t)sq.len) < sq.lens[e / (size_t)dv / (size_t)sq.len / (size_t)heads]);
        CHECK(wrong == 0, "%s: .out is not asked exactly once about %lld elements", what, wrong);
    }

    {
        const double u = ldexp(1, c.type == TC_BF16 ? -8 : -11), tiny = c.type == TC_BF16 ? 1e-38 : ldexp(1, -25);
        score *s = (score *)malloc(sizeof *s * (size_t)(sk.len + 1));
        double *row = (double *)malloc(sizeof(double) * (size_t)dv * 5), *sum = row, *size = row + dv,
               *off = row + 2 * dv, *values = row + 3 * dv;
        double *apart = row + 4 * dv;
        float *fq = (float *)malloc(sizeof(float) * (size_t)d),
              *fk = (float *)malloc(sizeof(float) * ((size_t)sk.len * d + 4));
        float *fv = (float *)malloc(sizeof(float) * ((size_t)sk.len * dv + 4));
        for (int b = 0; b < batch; b++)
            for (int h = 0; h < heads; h++) {
                const int lq = sq.lens[b], lk = sk.lens[b], hk = h / group;
                if (h % group == 0) /* the group's K and V */
                    for (int j = 0; j < lk; j++) {
                        for (int e = 0; e < d; e++)
                            fk[(size_t)j * d + e] = element(c.type, t[1].host[place(&t[1], b, j, hk) + e]);
                        for (int e = 0; e < dv; e++)
                            fv[(size_t)j * dv + e] = element(c.type, t[2].host[place(&t[2], b, j, hk) + e]);
                    }
                for (int i = 0; i < lq; i++) {
                    uint16_t *got = t[3].host + place(&t[3], b, i, h);
                    const int place_k = i + lk - lq;
                    const int from = c.window && g.window_left >= 0 ? place_k - g.window_left : 0;
                    const int to = c.causal ? place_k
                                 : c.window && g.window_right >= 0 ? place_k + g.window_right
                                 : lk - 1;
                    const double sink = kn->hooks & SINK ? host_hook.sinks[h] : -INFINITY;
                    double top = -INFINITY, far = 0, z = 0, drift = 0, down = 0;
                    int any = 0, hidden = 0;
                    for (int e = 0; e < d; e++) fq[e] = element(c.type, t[0].host[place(&t[0], b, i, h) + e]);
                    for (int j = 0; j < lk; j++) {
                        double dot = 0, all = 0;
                        s[j].kept = 0;
                        if (j < from || j > to) continue;
                        for (int e = 0; e < d; e++) {
                            const double x = (double)fq[e] * fk[(size_t)j * d + e];
                            dot += x, all += fabs(x);
                        }
                        s[j] = hooked(kn, &host_hook, dot * scale, (d + 8) * ldexp(all * scale, -23), b, h, i, j);
                        if (c.dropout) {
                            const tc_attn_at at = {b, h, i, j, 0};
                            s[j].more = tc_attn_dropout_keeps(drop, at) ? (double)tc_dropout_scale(drop.p) : 0;
                        }
                        hidden += s[j].kept == 2;
                        if (s[j].kept != 1) continue;
                        any = 1;
                        if (s[j].s > top) top = s[j].s;
                        if (fabs(s[j].s) > far) far = fabs(s[j].s);
                    }
                    /* keys far down count where there are no others, all the same then; -FLT_MAX times log2 e is -inf
                     * and never does */
                    if (hidden && !any && host_hook.far > -2.35e38f) any = 1, top = 0, down = host_hook.far;
                    for (int j = 0; j < lk && hidden; j++)
                        if (s[j].kept == 2) s[j].kept = down != 0, s[j].s = s[j].error = 0;
                    if (sink > top) top = sink;
                    for (int e = 0; e < 5 * dv; e++) row[e] = 0;
                    for (int j = 0; j < lk; j++) {
                        double p, off_by;
                        if (!s[j].kept) continue;
                        p = exp(s[j].s - top);
                        off_by = expm1(s[j].error + ldexp(fabs(s[j].s) + far, -22)) + ldexp(1, -21);
                        z += p, drift += p * off_by;
                        for (int e = 0; e < dv; e++) {
                            const double v = fv[(size_t)j * dv + e] * s[j].more;
                            sum[e] += p * v, size[e] += p * fabs(v), off[e] += p * off_by * fabs(v),
                                values[e] += fabs(v);
                        }
                    }
                    if (sink > -INFINITY)
                        z += exp(sink - top),
                            drift += exp(sink - top) * (expm1(ldexp(fabs(sink) + far, -22)) + ldexp(1, -21));
                    for (int j = 0; j < lk && any; j++) {
                        const double p = s[j].kept ? exp(s[j].s - top) : 0;
                        for (int e = 0; e < dv && p > 0; e++) {
                            const double v = fv[(size_t)j * dv + e] * s[j].more, from_o = fabs(v - sum[e] / z);
                            apart[e] += p * (fabs(v) > from_o ? fabs(v) : from_o);
                        }
                    }
                    for (int e = 0; e < dv; e++) {
                        const double gate = kn->hooks & GATE ? host_hook.gate[(h * sq.len + i) * dv + e] : 1;
                        const double o = any ? sum[e] / z : 0, ref = o * gate, x = element(c.type, got[e]);
                        double bound = 0, error;
                        if (!any) {
                            empty_wrong += x != 0;
                            continue;
                        }
                        bound = (off[e] + apart[e] * u + size[e] * ldexp(lk + lk / 16 + 16, -23) + values[e] * tiny)
                            / z;
                        bound += fabs(o) * (drift / z + ldexp(lk / 16 + 64, -23) + ldexp(1, -22));
                        if (c.dropout) bound += ldexp(fabs(o), -23);
                        bound = bound * fabs(gate) + ldexp(fabs(ref), -23);
                        bound += (fabs(ref) + bound) * u + tiny;
                        error = fabs(x - ref) / bound;
                        if (!(error <= 1)) bad++;
                        if (!(error <= worst[0])) worst[0] = error;
                    }
                    memset(got, 0xff, (size_t)dv * 2);
                    if (lse) {
                        float *at = lse + (sq.mode == 'c' ? sq.at[b]
                                           : b * (g.lse_batch ? g.lse_batch : (int64_t)t[0].rows * heads))
                            + h * (g.lse_head ? g.lse_head : t[0].rows) + i;
                        const double ref = z > 0 ? top + log(z) + down : -INFINITY;
                        if (ref == -INFINITY || (!any && z > 0)) {
                            /* a sink alone: its logit, through log2 e and back */
                            empty_wrong += ref == -INFINITY ? *at != ref : !(fabs(*at - ref) <= ldexp(fabs(ref), -22));
                        } else {
                            const double bound = drift / z + ldexp(lk / 16 + 64, -23) + ldexp(far + fabs(ref), -22)
                                         + ldexp(1, -21), error = fabs(*at - ref) / bound;
                            if (!(error <= 1)) bad_lse++;
                            if (!(error <= worst[1])) worst[1] = error;
                        }
                        memset(at, 0xff, sizeof *at);
                    }
                }
            }
        free(s), free(row), free(fq), free(fk), free(fv);
    }
    /* what is left of O and lse is what nobody may have written */
    for (size_t i = 0; i < t[3].elements; i++) outside += t[3].host[i] != 0xffff;
    for (size_t i = 0; i < lse_elements; i++) outside += tc_bits_from_f32(lse[i]) != 0xffffffffu;
    CHECK(bad == 0, "%s: %d elements of O out of bound, worst %.2f of it", what, bad, worst[0]);
    CHECK(bad_lse == 0, "%s: %d of lse out of bound, worst %.2f of it", what, bad_lse, worst[1]);
    CHECK(empty_wrong == 0, "%s: %d values wrong in rows with nothing to attend", what, empty_wrong);
    CHECK(outside == 0, "%s: %zu elements outside of O and lse written", what, outside);
    if (worst[0] > worst_o) worst_o = worst[0];
    if (worst[1] > worst_lse) worst_lse = worst[1];
end:
    for (int i = 0; i < 4; i++) free(t[i].host);
    free(counts), free(sq.lens), free(sq.at), free(sk.lens), free(sk.at), free(lse);
    free((void *)host_hook.slopes), free((void *)host_hook.bias), free((void *)host_hook.doc_q),
        free((void *)host_hook.doc_k), free((void *)host_hook.blocks);
    free((void *)host_hook.gate), free((void *)host_hook.sinks);
    free_device_memory();
}

int main(int argc, char **argv)
{
    const int device = test_device();
    const int count = argc > 1 ? atoi(argv[1]) : 300;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    struct cudaDeviceProp properties;
    const kernel *usable[KERNELS];
    int n = 0, emulated;
    if (device < 80) {
        SKIP("attn_fuzz: no device of compute capability 8.0 or later");
        return test_end();
    }
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    emulated = strncmp(properties.name, "tcemu", 5) == 0;
    for (int i = 0; i < KERNELS; i++) {
        if (argc > 3 && strcmp(argv[3], kernels[i].name)) continue;
        if (kernels[i].sm == 90 && device != 90)
            SKIP("%s: needs compute capability 9.0, this device has %d.%d", kernels[i].name, device / 10, device % 10);
        else if (kernels[i].sm == 100 && (device < 100 || device >= 120))
            SKIP("%s: needs compute capability 10.x or 11.x, this device has %d.%d", kernels[i].name, device / 10,
                 device % 10);
        else if (kernels[i].sm == 120 && device < 120)
            SKIP("%s: needs compute capability 12.x, this device has %d.%d", kernels[i].name, device / 10, device % 10);
        else if (kernels[i].smem > (int)properties.sharedMemPerBlockOptin)
            SKIP("%s: needs %d bytes of shared memory, this device gives a block %d", kernels[i].name, kernels[i].smem,
                 (int)properties.sharedMemPerBlockOptin);
        else usable[n++] = &kernels[i];
    }
    printf("attn_fuzz: %d configurations of %d kernels, seed %llu\n", n ? count : 0, n, (unsigned long long)seed);
    for (int i = 0; n && i < count; i++) {
        const uint64_t mine = seed + (uint64_t)i;
        test_seed(mine);
        one(usable[mine % (uint64_t)n], mine, emulated ? 500 : 1500, emulated ? 3e7 : 5e7);
    }
    printf("worst error: %.2f of the bound of O, %.2f of that of lse\n", worst_o, worst_lse);
#ifdef FUZZ_MORE
    if (n) FUZZ_MORE();
#endif
    return test_end();
}
