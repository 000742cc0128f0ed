/* attn_sm120.cu - attn_fuzz.cu for the generated attention of the sm_120 family, and what it refuses. In tcemu as
 * sm_120a and sm_121a; attn_sm120_plain.cu has a few of its kernels for the plain targets.
 *     build/tests/attn_sm120 [problems] [seed] [kernel] */
#define TC_SM120_STUBS
#define FUZZ_KERNELS "attn_sm120.h"
#include "attn_fuzz.cu"

/* ---- what a configuration and a call may not be ---- */
enum { LEN = 40, HEADS = 2, DIM = 64, ELEMENTS = LEN * HEADS * DIM };

#define NO(change, want, words)                                                                                       \
    do {                                                                                                              \
        tc_attn_args g = good;                                                                                        \
        const char *why = 0;                                                                                          \
        change;                                                                                                       \
        const tc_status could = b64_can_run(&g, &why), st = b64_run(&g, 0);                                           \
        CHECK(st == want && could == st, "%s: %s, %s", #change, tc_status_text(could), tc_status_text(st));           \
        CHECK(strstr(tc_why(), words), "%s: %s", #change, tc_why());                                                  \
    } while (0)
#define NEVER(change, words)                                                                                          \
    do {                                                                                                              \
        tc_attn_config c = b64_config();                                                                              \
        tc_attn_sm120_launch l;                                                                                       \
        change;                                                                                                       \
        CHECK(!tc_attn_sm120_legal(c), "%s is legal", #change);                                                       \
        CHECK(tc_attn_sm120_prepare(&c, &good, 4, &l) == TC_ERR_CONFIG, "%s: %s", #change, tc_why());                 \
        CHECK(strstr(tc_why(), words), "%s: %s", #change, tc_why());                                                  \
    } while (0)

static void more(void)
{
    static uint16_t host[ELEMENTS], got[ELEMENTS];
    uint16_t *at[4];
    tc_attn_args good;
    tc_attn_sm120_launch l;
    const tc_attn_config whole = b64_config();
    for (int i = 0; i < 4; i++) {
        CUDA_CHECK(cudaMalloc((void **)&at[i], sizeof host));
        for (int e = 0; e < ELEMENTS; e++) host[e] = i == 3 ? 0xa5a5 : tc_bf16_from_f32((float)(e % 7 - 3));
        CUDA_CHECK(cudaMemcpy(at[i], host, sizeof host, cudaMemcpyHostToDevice));
    }
    memset(&good, 0, sizeof good);
    good.batch = 1, good.heads = HEADS, good.q_len = good.k_len = LEN;
    good.q = at[0], good.k = at[1], good.v = at[2], good.o = at[3];
    NO(g.batch = -1, TC_ERR_BATCH, "batch = -1");
    NO(g.heads_kv = 3, TC_ERR_SIZE, "heads = 2 is not a multiple of heads_kv = 3");
    NO(g.q = 0, TC_ERR_NULL, "q is null");
    NO(g.o = at[3] + 1, TC_ERR_ALIGN, "o = 0x");
    NO(g.v_stride.row = 12, TC_ERR_ALIGN, "v_stride.row = 12");
    NO(g.k_len = 0, TC_ERR_SIZE, "k_len = 0");
    NO(g.window_left = 3, TC_ERR_SIZE, "window_left = 3");
    NO(g.dropout_p = .5f, TC_ERR_SIZE, "dropout");
    NO(g.scale = -1.f, TC_ERR_SIZE, "scale = -1");
    NO(g.hook_size = 4, TC_ERR_EPI, "hook_size");
    CHECK(b64_run(0, 0) == TC_ERR_NULL && strstr(tc_why(), "args is null"), "%s", tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(got, at[3], sizeof got, cudaMemcpyDeviceToHost));
    for (int e = 0; e < ELEMENTS; e++)
        if (got[e] != 0xa5a5) {
            CHECK(0, "a refused call has written O");
            break;
        }
    NEVER(c.bm = 320, ".bm must be 16, 32, 48 or 64 queries for each of .warps, 256 at most");
    NEVER(c.warps = 3, ".warps must be 1, 2, 4 or 8");
    NEVER(c.warps = 16, ".warps must be 1, 2, 4 or 8");
    NEVER(c.bn = 24, ".bn must be a multiple of 16 in 16..256");
    NEVER(c.bm = 256; c.warps = 4; c.bn = 48, "too many registers");
    NEVER(c.bm = 256; c.warps = 8; c.head_dim_v = 128; c.stages = 2; c.bn = 64, "too many registers");
    NEVER(c.stages = 1, ".stages must be in 2..6");
    NEVER(c.bm = 128; c.warps = 4; c.head_dim = c.head_dim_v = 128; c.stages = 3, "fit in 99 KB of shared memory");
    NEVER(c.type = TC_E4M3, ".type must be TC_F16 or TC_BF16");
    NEVER(c.head_dim = 24, ".head_dim must be a multiple of 16");
    NEVER(c.kv = TC_S8, ".kv and .paged are fields of TC_ATTN_DECODE_DEFINE");
    /* every head dim has a configuration, with hooks and dropout too, that fits */
    for (int d = 16; d <= 256; d += 16)
        for (int dv = 16; dv <= 256; dv += 16)
            for (int more = 0; more < 4; more++) {
                tc_attn_config c;
                memset((void *)&c, 0, sizeof c);
                c.type = TC_BF16, c.head_dim = d, c.head_dim_v = dv;
                c.dropout = more & 1;
                if (more & 2) c.mask = tc_attn_mask_on_device, c.hook_size = TC_NO_ARGS;
                CHECK(tc_attn_sm120_legal(c), "head dims %d, %d have no configuration", d, dv);
                CHECK(tc_attn_sm120_smem(tc_attn_sm120_config(c)) <= 99 * 1024, "head dims %d, %d", d, dv);
            }
    CHECK(tc_attn_sm120_prepare(&whole, &good, 4, &l) == TC_OK, "%s", tc_why());
    CHECK(l.grid == 2 && l.block == (unsigned)b64_THREADS && l.smem == (unsigned)b64_SMEM && l.cluster == 1,
          "grid %u, block %u, smem %u", l.grid, l.block, l.smem);
    for (int i = 0; i < 4; i++) CUDA_CHECK(cudaFree(at[i]));
}
