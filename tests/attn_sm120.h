/* attn_sm120.h - the kernels of attn_sm120.cu, and their table. */
#ifdef FUZZ_PLAIN /* what plain targets have: four warps at most */
#define NARROW_120 .bm = 128, .warps = 4,
#else
#define NARROW_120
#endif
TC_ATTN_SM120_DEFINE(b64, NARROW_120 .type = TC_BF16, .head_dim = 64)
TC_ATTN_SM120_DEFINE(b128_causal, .type = TC_BF16, .causal = 1)
TC_ATTN_SM120_DEFINE(b192_128_causal, .type = TC_BF16, .head_dim = 192, .head_dim_v = 128, .causal = 1)
TC_ATTN_SM120_DEFINE(all_hooks, .type = TC_F16, .head_dim = 96, .hook_size = sizeof(hook_args), .score = hook_softcap,
                     .mask = hook_documents, .mask_tile = hook_documents_tile, .out = hook_gate, .sink = hook_sink)
#ifndef FUZZ_PLAIN
TC_ATTN_SM120_DEFINE(b64_causal_window, .type = TC_F16, .head_dim = 64, .causal = 1, .window = 1)
TC_ATTN_SM120_DEFINE(b16_48_window, .type = TC_BF16, .head_dim = 16, .head_dim_v = 48, .window = 1)
TC_ATTN_SM120_DEFINE(b128_window, .type = TC_F16, .window = 1)
TC_ATTN_SM120_DEFINE(b256, .type = TC_F16, .head_dim = 256)
TC_ATTN_SM120_DEFINE(b112_causal, .type = TC_F16, .head_dim = 112, .causal = 1)
TC_ATTN_SM120_DEFINE(alibi, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 64, .causal = 1,
                     .score = hook_alibi)
TC_ATTN_SM120_DEFINE(far, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 128, .score = hook_far)
TC_ATTN_SM120_DEFINE(blocks_window, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 32, .window = 1,
                     .mask = hook_blocks, .mask_tile = hook_blocks_tile)
TC_ATTN_SM120_DEFINE(drop, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim = 80, .causal = 1,
                     .sink = hook_sink, .dropout = 1)
/* V is swizzled in wider rows than K, whose tiles end where no pattern of V's would begin */
TC_ATTN_SM120_DEFINE(b80_192, .type = TC_F16, .head_dim = 80, .head_dim_v = 192, .bm = 64, .bn = 16, .stages = 3)
TC_ATTN_SM120_DEFINE(one_warp, .type = TC_BF16, .head_dim = 64, .bm = 16, .bn = 16, .stages = 6, .warps = 1)

/* which picks by device: this one or decoding, since its sm_80 kernel is a stub in this build */
TC_ATTN_DEFINE(any_causal, .type = TC_F16, .head_dim = 64, .causal = 1)

#ifdef FUZZ_ALL /* make fuzz, check-ptx: more sizes and combinations of what is above */
TC_ATTN_SM120_DEFINE(b32_causal, .type = TC_F16, .head_dim = 32, .causal = 1)
TC_ATTN_SM120_DEFINE(b48, .type = TC_BF16, .head_dim = 48)
TC_ATTN_SM120_DEFINE(b80, .type = TC_BF16, .head_dim = 80)
TC_ATTN_SM120_DEFINE(b128, .type = TC_BF16)
TC_ATTN_SM120_DEFINE(b144_window, .type = TC_F16, .head_dim = 144, .window = 1)
TC_ATTN_SM120_DEFINE(b192, .type = TC_BF16, .head_dim = 192)
TC_ATTN_SM120_DEFINE(b256_causal, .type = TC_BF16, .head_dim = 256, .causal = 1)
TC_ATTN_SM120_DEFINE(b64_208, .type = TC_F16, .head_dim = 64, .head_dim_v = 208, .window = 1)
TC_ATTN_SM120_DEFINE(random_128, .type = TC_BF16, .hook_size = sizeof(hook_args), .mask = hook_random)
TC_ATTN_SM120_DEFINE(random_window, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 64, .window = 1,
                     .mask = hook_random)
TC_ATTN_SM120_DEFINE(hooks_64, .type = TC_BF16, .head_dim = 64, .causal = 1, .hook_size = sizeof(hook_args),
                     .score = hook_softcap, .mask = hook_documents, .mask_tile = hook_documents_tile,
                     .out = hook_gate, .sink = hook_sink)
TC_ATTN_SM120_DEFINE(gate, .type = TC_BF16, .hook_size = sizeof(hook_args), .head_dim_v = 80, .out = hook_gate)
TC_ATTN_SM120_DEFINE(drop_64, .type = TC_F16, .head_dim = 64, .window = 1, .dropout = 1)
TC_ATTN_SM120_DEFINE(drop_256, .type = TC_BF16, .head_dim = 256, .dropout = 1)
TC_ATTN_SM120_DEFINE(drop_all, .type = TC_F16, .hook_size = sizeof(hook_args), .head_dim = 128, .causal = 1,
                     .score = hook_softcap, .mask = hook_random, .dropout = 1)
TC_ATTN_SM120_DEFINE(rows_64, .type = TC_BF16, .head_dim = 32, .causal = 1, .bm = 128, .bn = 32, .warps = 2)
TC_ATTN_SM120_DEFINE(rows_16, .type = TC_F16, .head_dim = 64, .bm = 128, .bn = 128, .warps = 8)
TC_ATTN_DEFINE(any_hooks, .type = TC_BF16, .head_dim = 128, .hook_size = sizeof(hook_args), .score = hook_alibi,
               .out = hook_gate, .dropout = 1)
#endif
#endif

#ifdef FUZZ_ALL
#define IF_ALL(...) __VA_ARGS__
#else
#define IF_ALL(...)
#endif
#define ANY(name, hooks) {#name, name##_run, 80, hooks, tc_attn_sm120_smem(name##_sm120_config()), name##_config()}
#define ROW(name, hooks) {#name, name##_run, 120, hooks, name##_SMEM, name##_config()}
static const kernel kernels[] = {
    ROW(b64, 0), ROW(b128_causal, 0), ROW(b192_128_causal, 0),
    ROW(all_hooks, SOFTCAP | DOCUMENTS | GATE | SINK | TILED),
#ifndef FUZZ_PLAIN
    ROW(b64_causal_window, 0), ROW(b16_48_window, 0), ROW(b128_window, 0), ROW(b256, 0), ROW(b112_causal, 0),
    ROW(alibi, ALIBI), ROW(far, FAR), ROW(blocks_window, BLOCKS | TILED), ROW(drop, SINK), ROW(one_warp, 0),
    ROW(b80_192, 0),
    ANY(any_causal, 0),
    IF_ALL(ROW(b32_causal, 0), ROW(b48, 0), ROW(b80, 0), ROW(b128, 0), ROW(b144_window, 0), ROW(b192, 0),
           ROW(b256_causal, 0), ROW(b64_208, 0), ROW(random_128, RANDOM), ROW(random_window, RANDOM),
           ROW(hooks_64, SOFTCAP | DOCUMENTS | GATE | SINK | TILED), ROW(gate, GATE), ROW(drop_64, 0),
           ROW(drop_256, 0), ROW(drop_all, SOFTCAP | RANDOM), ROW(rows_64, 0), ROW(rows_16, 0),
           ANY(any_hooks, ALIBI | GATE),)
#endif
};

/* attn_sm120.cu's own, behind the problems */
static void more(void);
#define FUZZ_MORE more
