/* attn_sm100.h - the kernels of attn_sm100.cu, and their table. */
TC_ATTN_SM100_DEFINE(b16, .type = TC_BF16, .head_dim = 16)
TC_ATTN_SM100_DEFINE(b48_window, .type = TC_BF16, .head_dim = 48, .window = 1)
TC_ATTN_SM100_DEFINE(b64, .type = TC_BF16, .head_dim = 64)
TC_ATTN_SM100_DEFINE(b64_causal, .type = TC_F16, .head_dim = 64, .causal = 1)
TC_ATTN_SM100_DEFINE(b96_causal_window, .type = TC_F16, .head_dim = 96, .causal = 1, .window = 1)
TC_ATTN_SM100_DEFINE(b128, .type = TC_BF16)
TC_ATTN_SM100_DEFINE(b128_causal, .type = TC_BF16, .causal = 1)
TC_ATTN_SM100_DEFINE(b128_window, .type = TC_F16, .window = 1)
TC_ATTN_SM100_DEFINE(b192_128_causal, .type = TC_BF16, .head_dim = 192, .head_dim_v = 128, .causal = 1)
TC_ATTN_SM100_DEFINE(b192, .type = TC_F16, .head_dim = 192)
TC_ATTN_SM100_DEFINE(b256_causal, .type = TC_BF16, .head_dim = 256, .causal = 1)
TC_ATTN_SM100_DEFINE(b64_208, .type = TC_F16, .head_dim = 64, .head_dim_v = 208)
TC_ATTN_SM100_DEFINE(alibi, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64, .causal = 1,
                     .score = hook_alibi)
TC_ATTN_SM100_DEFINE(far_f16, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 128, .bn = 64,
                     .score = hook_far)
TC_ATTN_SM100_DEFINE(far_window, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 32, .bn = 32,
                     .window = 1, .exp_poly = 16, .score = hook_far)
TC_ATTN_SM100_DEFINE(mask_random, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64, .bn = 32,
                     .mask = hook_random)
TC_ATTN_SM100_DEFINE(documents, .type = TC_BF16, .hook_size = sizeof(hook_args), .causal = 1, .bn = 64,
                     .mask = hook_documents, .mask_tile = hook_documents_tile)
TC_ATTN_SM100_DEFINE(blocks_window, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 112, .window = 1,
                     .bn = 32, .mask = hook_blocks, .mask_tile = hook_blocks_tile)
TC_ATTN_SM100_DEFINE(gate, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim_v = 80, .out = hook_gate)
TC_ATTN_SM100_DEFINE(sink, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64, .causal = 1, .window = 1,
                     .sink = hook_sink)
TC_ATTN_SM100_DEFINE(all_hooks, .type = TC_F16, .head_dim = 96, .bn = 32, .hook_size = sizeof(hook_args),
                     .score = hook_softcap, .mask = hook_documents, .mask_tile = hook_documents_tile, .out = hook_gate,
                     .sink = hook_sink)
TC_ATTN_SM100_DEFINE(one_tile, .type = TC_BF16, .head_dim = 64, .causal = 1, .bm = 128, .bn = 32, .stages = 4,
                     .exp_poly = 16)
TC_ATTN_SM100_DEFINE(one_q, .type = TC_F16, .head_dim = 64, .bn = 96, .stages = 3, .q_stages = 1,
                     .exp_poly = 6)

/* which picks by device: this one or decoding, since its sm_80 kernel is a stub in this build */
TC_ATTN_DEFINE(any, .type = TC_BF16, .head_dim = 64, .causal = 1)

/* and this one is not: Blackwell's kernel has no dropout */
TC_ATTN_DEFINE(any_drop, .type = TC_F16, .head_dim = 64, .causal = 1, .dropout = 1)

#define ANY(name, hooks) {#name, name##_run, 80, hooks, tc_attn_sm100_smem(name##_sm100_config()), name##_config()}
#define ROW(name, hooks) {#name, name##_run, 100, hooks, name##_SMEM, name##_config()}
static const kernel kernels[] = {
    ROW(b16, 0), ROW(b48_window, 0), ROW(b64, 0), ROW(b64_causal, 0), ROW(b96_causal_window, 0), ROW(b128, 0),
    ROW(b128_causal, 0), ROW(b128_window, 0), ROW(b192_128_causal, 0), ROW(b192, 0), ROW(b256_causal, 0),
    ROW(b64_208, 0), ROW(alibi, ALIBI), ROW(far_f16, FAR), ROW(far_window, FAR), ROW(mask_random, RANDOM),
    ROW(documents, DOCUMENTS | TILED), ROW(blocks_window, BLOCKS | TILED), ROW(gate, GATE), ROW(sink, SINK),
    ROW(all_hooks, SOFTCAP | DOCUMENTS | GATE | SINK | TILED), ROW(one_tile, 0), ROW(one_q, 0), ANY(any, 0),
    {"any_drop", any_drop_run, 80, 0, tc_attn_sm80_smem(any_drop_sm80_config()), any_drop_config()},
};

/* attn_sm100.cu's own, behind the problems */
static void more(void);
#define FUZZ_MORE more
