/* attn_sm107.h - the kernels of attn_sm107.cu: a few of attn_sm100.h's, with and without hooks. */
TC_ATTN_SM100_DEFINE(b64, .type = TC_BF16, .head_dim = 64)
TC_ATTN_SM100_DEFINE(b128_causal, .type = TC_BF16, .causal = 1)
TC_ATTN_SM100_DEFINE(b192_128_causal, .type = TC_F16, .head_dim = 192, .head_dim_v = 128, .causal = 1)
TC_ATTN_SM100_DEFINE(all_hooks, .type = TC_F16, .head_dim = 96, .bn = 32, .hook_size = sizeof(hook_args),
                     .score = hook_softcap, .mask = hook_documents, .mask_tile = hook_documents_tile, .out = hook_gate,
                     .sink = hook_sink)

#define ROW(name, hooks) {#name, name##_run, 100, hooks, name##_SMEM, name##_config()}
static const kernel kernels[] = {
    ROW(b64, 0), ROW(b128_causal, 0), ROW(b192_128_causal, 0),
    ROW(all_hooks, SOFTCAP | DOCUMENTS | GATE | SINK | TILED),
};

/* attn_sm100.cu's own, behind the problems */
static void more(void);
#define FUZZ_MORE more
