/* attention.cu - generated attention for bench/attention.py: a shared library that Python calls by ctypes. (batch,
 * rows, heads, dim), bf16.
 *     make build/bench/attention.so
 *
 * To tune, one library for each choice, which attention.py then times beside each other:
 *     make build/bench/n160.so ATTN="-DHD=128 -DCAUSAL=0 -DBN=160"; make build/bench/n176.so ATTN="-DHD=128 -DCAUSAL=0
 *     -DBN=176" python3 bench/attention.py --hd 128 --variants build/bench/n160.so build/bench/n176.so
 * HD and CAUSAL leave out the other kernels, PATH those of the other generation (90 or 80); BM, BN, STAGES, Q_STAGES,
 * CONSUMERS and WARPS go to all that are left (0: as the kit chooses). Where no field of Hopper's kernel is chosen the
 * call is that of TC_ATTN_DEFINE, which has another one for some lengths. */
#define TC_SM90_STUBS /* for a build that is for sm_80 too */
#include "../tc_attn.h"

#ifndef BM
#define BM 0
#endif
#ifndef BN
#define BN 0
#endif
#ifndef STAGES
#define STAGES 0
#endif
#ifndef Q_STAGES
#define Q_STAGES 0
#endif
#ifndef CONSUMERS
#define CONSUMERS 0
#endif
#ifndef WARPS
#define WARPS 0
#endif
#define SM90_FIELDS .bm = BM, .bn = BN, .stages = STAGES, .q_stages = Q_STAGES, .consumers = CONSUMERS
#define SM80_FIELDS .bm = BM, .bn = BN, .stages = STAGES, .warps = WARPS


/* what is built: every line below expands to nothing for a kernel that was left out */
#if !defined PATH || PATH == 90
#define IF_90(...) __VA_ARGS__
#else
#define IF_90(...)
#endif
#if defined TC_ATTN_SM80_DEFINE && (!defined PATH || PATH == 80)
#define IF_80(...) __VA_ARGS__
#else
#define IF_80(...)
#endif
#if !defined HD || HD == 64
#define IF_64(...) __VA_ARGS__
#else
#define IF_64(...)
#endif
#if !defined HD || HD == 128
#define IF_128(...) __VA_ARGS__
#else
#define IF_128(...)
#endif
#if !defined HD || HD == 256
#define IF_256(...) __VA_ARGS__
#else
#define IF_256(...)
#endif
#if !defined CAUSAL || CAUSAL == 0
#define IF_MASK_0(...) __VA_ARGS__
#else
#define IF_MASK_0(...)
#endif
#if !defined CAUSAL || CAUSAL == 1
#define IF_MASK_1(...) __VA_ARGS__
#else
#define IF_MASK_1(...)
#endif

#define ALL(X) X(64, 0) X(64, 1) X(128, 0) X(128, 1) X(256, 0) X(256, 1)
#if BM || BN || STAGES || Q_STAGES || CONSUMERS
#define DEFINE_90(hd, mask)                                                                                           \
    IF_##hd(IF_MASK_##mask(TC_ATTN_SM90_DEFINE(sm90_##hd##_##mask, .type = TC_BF16, .head_dim = hd, .causal = mask,   \
    SM90_FIELDS)))
#define RUN_90(hd, mask) sm90_##hd##_##mask##_run, sm90_##hd##_##mask##_config()
#else
#define DEFINE_90(hd, mask)                                                                                           \
    IF_##hd(IF_MASK_##mask(TC_ATTN_DEFINE(call_##hd##_##mask, .type = TC_BF16, .head_dim = hd, .causal = mask)))
#define RUN_90(hd, mask) call_##hd##_##mask##_run, call_##hd##_##mask##_sm90_config()
#endif
#define DEFINE_80(hd, mask)                                                                                           \
    IF_##hd(IF_MASK_##mask(TC_ATTN_SM80_DEFINE(sm80_##hd##_##mask, .type = TC_BF16, .head_dim = hd, .causal = mask,   \
    SM80_FIELDS)))
IF_90(ALL(DEFINE_90))
IF_80(ALL(DEFINE_80))

typedef struct kernel_entry {
    int path, head_dim, causal;
    tc_status (*run)(const tc_attn_args *, cudaStream_t);
    tc_attn_config config;
} kernel_entry;

#define ENTRY_90(hd, mask)                                                                                            \
    IF_##hd(IF_MASK_##mask({90, hd, mask, RUN_90(hd, mask)}, ))
#define ENTRY_80(hd, mask)                                                                                            \
    IF_##hd(IF_MASK_##mask({80, hd, mask, sm80_##hd##_##mask##_run, sm80_##hd##_##mask##_config()}, ))
static const kernel_entry kernels[] = {IF_90(ALL(ENTRY_90)) IF_80(ALL(ENTRY_80)) {0, 0, 0, 0, tc_attn_config{}}};

static const kernel_entry *find(int path, int head_dim, int causal)
{
    const kernel_entry *e = kernels;
    while (e->run && (e->path != path || e->head_dim != head_dim || e->causal != causal)) e++;
    return e->run ? e : 0;
}

/* The tile of a kernel in words; NULL where this library does not have the kernel. */
extern "C" const char *attention_about(int path, int head_dim, int causal)
{
    static char text[128];
    const kernel_entry *e = find(path, head_dim, causal);
    if (!e) return 0;
    if (path == 90)
        snprintf(text, sizeof text, "%dx%d, %d stages, %d of Q", e->config.bm, e->config.bn, e->config.stages,
                 e->config.q_stages);
    else
        snprintf(text, sizeof text, "%dx%d, %d stages, %d warps", e->config.bm, e->config.bn, e->config.stages,
                 e->config.warps);
    return text;
}

extern "C" const char *attention_why(void) { return tc_why(); }
extern "C" int attention_toolkit(void) { return CUDART_VERSION; }

/* Contiguous (batch, rows, heads, head_dim). lse may be NULL. 0 for success; else attention_why() says why. */
extern "C" int attention_run(int path, int head_dim, int causal, const void *q, const void *k, const void *v, void *o,
                             float *lse, int batch, int heads, int heads_kv, int q_len, int k_len, void *stream)
{
    const kernel_entry *e = find(path, head_dim, causal);
    tc_attn_args a;
    if (!e)
        return (int)tc__fail(TC_ERR_SIZE, "this library has no kernel for sm_%d, head_dim %d, causal %d", path,
                             head_dim, causal);
    memset(&a, 0, sizeof a);
    a.batch = batch, a.heads = heads, a.heads_kv = heads_kv, a.q_len = q_len, a.k_len = k_len;
    a.q = q, a.k = k, a.v = v, a.o = o, a.lse = lse;
    return (int)e->run(&a, (cudaStream_t)stream);
}
