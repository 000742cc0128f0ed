/* attn_sm100.cu - attn_fuzz.cu for the generated attention of Blackwell, and what it refuses. In tcemu as sm_100a and
 * sm_103a.
 *     build/tests/attn_sm100 [problems] [seed] [kernel] */
#define TC_SM100_STUBS
#ifdef FUZZ_RUBIN
#define FUZZ_KERNELS "attn_sm107.h"
#else
#define FUZZ_KERNELS "attn_sm100.h"
#endif
#include "attn_fuzz.cu"

/* ---- exponentials by polynomials: attn_fuzz's bounds would hide much of what they may lose ---- */
enum { POWERS = 1 << 14 };

static __global__ void powers(const float *x, float *y)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#if TC_HAS_SM100A && defined(__CUDA_ARCH__)
    y[i] = tc__attn100_exp2(x[i]);
#else
    y[i] = x[i];
#endif
}

static void exp_poly(void)
{
    static float x[POWERS], y[POWERS];
    float *dx, *dy;
    double worst = 0;
    int odd = 0;
    for (int i = 0; i < POWERS; i++)
        x[i] = i < 8192 ? -(float)i / 4096.f : i < 16000 ? -(float)(i - 8192) / 60.f : -(float)(i - 16000) * 1e-3f;
    x[0] = 1e-6f, x[1] = -INFINITY, x[2] = NAN, x[3] = -3e38f, x[4] = -127.01f, x[5] = -126.49f;
    CUDA_CHECK(cudaMalloc((void **)&dx, sizeof x));
    CUDA_CHECK(cudaMalloc((void **)&dy, sizeof y));
    CUDA_CHECK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    powers<<<POWERS / 128, 128>>>(dx, dy);
    CUDA_CHECK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < POWERS; i++) {
        const double want = exp2((double)x[i]), off = fabs(y[i] - want) / want;
        if (i == 2) odd += !isnan(y[i]);
        else if (x[i] < -126.f) odd += !(y[i] >= 0.f && y[i] <= ldexp(1, -126));
        else if (!(off <= worst)) worst = off;
    }
    CHECK(odd == 0, "exp_poly: %d of NaN, -inf and results below 2^-126 are wrong", odd);
    CHECK(worst <= ldexp(1, -22), "exp_poly: off by 2^%.2f, more than 2^-22", log2(worst));
    printf("exponentials by polynomials: off by 2^%.2f at most\n", log2(worst));
    CUDA_CHECK(cudaFree(dx));
    CUDA_CHECK(cudaFree(dy));
}

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
        tc_attn_sm100_launch l;                                                                                       \
        change;                                                                                                       \
        CHECK(!tc_attn_sm100_legal(c), "%s is legal", #change);                                                       \
        CHECK(tc_attn_sm100_prepare(&c, &good, 4, &l) == TC_ERR_CONFIG, "%s: %s", #change, tc_why());                 \
        CHECK(strstr(tc_why(), words), "%s: %s", #change, tc_why());                                                  \
    } while (0)

static void more(void)
{
    static uint16_t host[ELEMENTS], got[ELEMENTS];
    uint16_t *at[4];
    tc_attn_args good;
    tc_attn_sm100_launch l;
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
    NEVER(c.bm = 192, ".bm must be 128 or 256");
    NEVER(c.consumers = 3, ".bm must be 128 or 256");
    NEVER(c.bn = 48, ".bn must be 32, 64, 96 or 128");
    NEVER(c.bn = 160, ".bn must be 32, 64, 96 or 128");
    NEVER(c.head_dim_v = 256, "512 columns of tensor memory");
    NEVER(c.stages = 1, ".stages must be 2 or more");
    NEVER(c.stages = 20, ".stages must be 2 or more");
    NEVER(c.q_stages = 3, ".q_stages must be 1 or 2");
    NEVER(c.exp_poly = 17, ".exp_poly must be in 0..16");
    NEVER(c.dropout = 1, "Blackwell's attention has no .dropout");
    NEVER(c.type = TC_E4M3, ".type must be TC_F16 or TC_BF16");
    NEVER(c.head_dim = 24, ".head_dim must be a multiple of 16");
    /* every head dim has a configuration; the launch is that of the rows */
    for (int d = 16; d <= 256; d += 16)
        for (int dv = 16; dv <= 256; dv += 16) {
            tc_attn_config c;
            memset((void *)&c, 0, sizeof c);
            c.type = TC_BF16, c.head_dim = d, c.head_dim_v = dv;
            CHECK(tc_attn_sm100_legal(c), "head dims %d, %d have no configuration", d, dv);
            CHECK(tc_attn_sm100_columns(tc_attn_sm100_config(c)) <= 512, "head dims %d, %d", d, dv);
        }
    CHECK(tc_attn_sm100_prepare(&whole, &good, 4, &l) == TC_OK, "%s", tc_why());
    CHECK(l.grid == 2 && l.block == (unsigned)b64_THREADS && l.smem == (unsigned)b64_SMEM && l.cluster == 1,
          "grid %u, block %u, smem %u", l.grid, l.block, l.smem);
    for (int i = 0; i < 4; i++) CUDA_CHECK(cudaFree(at[i]));
    exp_poly();
}
