/* model_sm100.cu - Blackwell kernels for tcemu --model=b200 (docs/model.md): a multiprocessor's share of 8192 x 8192 x
 * 8192, and of attention with long sequences. No board needed, and none asked: under tcemu alone it says something.
 *     build/tcemu --model=b200 --sms 4 --no-checks build/bench/model_sm100 [name ...]
 *     build/tcemu --model=b200 --no-checks build/bench/model_sm100 --shape m n k name ...      (attention: queries,
 *                                                                                        keys, heads in their place)
 *     build/bench/model_sm100 --list */
#define TC_SM100_STUBS
#include "../tc.h"
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "record.h"

#define NVFP4 .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16
TC_GEMM_SM100_DEFINE(bf16_pair, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM100_DEFINE(bf16_four, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .cluster_n = 2)
TC_GEMM_SM100_DEFINE(bf16_one, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .cluster_m = 1)
TC_GEMM_SM100_DEFINE(e4m3_pair, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16)
TC_GEMM_SM100_DEFINE(nvfp4_pair, NVFP4)
TC_GEMM_SM100_DEFINE(nvfp4_384, NVFP4, .bn = 384)
TC_GEMM_SM100_DEFINE(nvfp4_four, NVFP4, .cluster_n = 2)
TC_GEMM_SM100_DEFINE(nvfp4_128, NVFP4, .bn = 128)
TC_GEMM_SM100_DEFINE(mxfp8_pair, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE8M0_32)
TC_GEMM_SM100_DEFINE(mxfp8_384, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .bn = 384)
/* what CUTLASS's examples 70 and 71 (f16 to f32 and f16 in columns), 72b (nvfp4 to nvfp4), 75 (groups of e4m3) and 77
 * (attention) do, with their tiles, for a table beside them */
TC_GEMM_SM100_DEFINE(as_70, .a = TC_F16, .b = TC_F16, .d = TC_F32, .d_layout = TC_COL, .bm = 128, .cluster_m = 2)
TC_GEMM_SM100_DEFINE(as_71, .a = TC_F16, .b = TC_F16, .d = TC_F16, .d_layout = TC_COL, .bm = 128, .cluster_m = 2)
TC_GEMM_SM100_DEFINE(as_75, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F16, .groups = TC_GROUPS_ROWS)
TC_GEMM_SM100_DEFINE(as_72b_one, .a = TC_E2M1, .b = TC_E2M1, .d = TC_E2M1, .sf = TC_SF_UE4M3_16,
                     .d_sf = TC_SF_UE4M3_16, .bn = 128, .cluster_m = 1)
TC_GEMM_SM100_DEFINE(as_72b, .a = TC_E2M1, .b = TC_E2M1, .d = TC_E2M1, .sf = TC_SF_UE4M3_16, .d_sf = TC_SF_UE4M3_16)
TC_GEMM_SM100_DEFINE(as_72b_128, .a = TC_E2M1, .b = TC_E2M1, .d = TC_E2M1, .sf = TC_SF_UE4M3_16,
                     .d_sf = TC_SF_UE4M3_16, .bn = 128)
TC_GEMM_SM100_DEFINE(as_72b_384, .a = TC_E2M1, .b = TC_E2M1, .d = TC_E2M1, .sf = TC_SF_UE4M3_16,
                     .d_sf = TC_SF_UE4M3_16, .bn = 384)
TC_ATTN_SM100_DEFINE(attn_128, .type = TC_BF16, .head_dim = 128)
TC_ATTN_SM100_DEFINE(attn_128_poly, .type = TC_BF16, .head_dim = 128, .exp_poly = 4)
TC_ATTN_SM100_DEFINE(as_77, .type = TC_F16, .head_dim = 128)
TC_ATTN_SM100_DEFINE(as_77_causal, .type = TC_F16, .head_dim = 128, .causal = 1)
TC_ATTN_SM100_DEFINE(attn_64, .type = TC_BF16, .head_dim = 64)

typedef struct kernel_entry {
    const char *name;
    tc_status (*gemm)(const tc_gemm_args *, cudaStream_t);
    tc_status (*attn)(const tc_attn_args *, cudaStream_t);
    int bits, dim; /* of an element of A and B; of a head */
    int block;     /* k's that share a factor of a byte */
    int across;    /* columns of a tile, if it is 384 */
} kernel_entry;
static const kernel_entry kernels[] = {
    {"bf16_pair", bf16_pair_run, 0, 16, 0},   {"bf16_four", bf16_four_run, 0, 16, 0},
    {"bf16_one", bf16_one_run, 0, 16, 0},     {"e4m3_pair", e4m3_pair_run, 0, 8, 0},
    {"nvfp4_pair", nvfp4_pair_run, 0, 4, 0, 16},  {"nvfp4_four", nvfp4_four_run, 0, 4, 0, 16},
    {"nvfp4_384", nvfp4_384_run, 0, 4, 0, 16, 384}, {"mxfp8_384", mxfp8_384_run, 0, 8, 0, 32, 384},
    {"nvfp4_128", nvfp4_128_run, 0, 4, 0, 16},    {"mxfp8_pair", mxfp8_pair_run, 0, 8, 0, 32},
    {"as_70", as_70_run, 0, 16, 0},           {"as_72b", as_72b_run, 0, 4, 0, 16},
    {"as_71", as_71_run, 0, 16, 0},           {"as_72b_one", as_72b_one_run, 0, 4, 0, 16},
    {"as_75", as_75_run, 0, 8, 0},
    {"as_77", 0, as_77_run, 16, 128},         {"as_77_causal", 0, as_77_causal_run, 16, 128},
    {"as_72b_128", as_72b_128_run, 0, 4, 0, 16}, {"as_72b_384", as_72b_384_run, 0, 4, 0, 16, 384},
    {"attn_128", 0, attn_128_run, 16, 128},
    {"attn_128_poly", 0, attn_128_poly_run, 16, 128}, {"attn_64", 0, attn_64_run, 16, 64},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0], GROUPS = 2 };
static int ROWS = 1024, KEYS = 16384, HEADS = 1;
static int M = 512, N0 = 1024, K = 8192, shaped; /* of 384 columns as many tiles */

/* Elements of small numbers: what they are does not matter. */
static void *some(size_t bytes, int fill)
{
    void *p;
    CUDA_CHECK(cudaMalloc(&p, bytes));
    CUDA_CHECK(cudaMemset(p, fill, bytes));
    return p;
}

static int run(const kernel_entry *k)
{
    const int N = k->across == 384 && !shaped ? N0 / 2 * 3 : N0;
    tc_status st;
    if (k->gemm) {
        tc_gemm_args g;
        memset(&g, 0, sizeof g);
        g.m = M, g.n = N, g.k = K;
        g.a = some((size_t)M * K * k->bits / 8, 0x11), g.lda = K;
        g.b = some((size_t)N * K * k->bits / 8, 0x11), g.ldb = K;
        const int columns = k->gemm == as_70_run || k->gemm == as_71_run, as_72b = !strncmp(k->name, "as_72b", 6);
        g.d = some((size_t)M * N * 4, 0), g.ldd = columns ? M : N;
        if (k->gemm == as_75_run) { /* GROUPS of M / GROUPS rows, which all have the same B */
            int32_t ends[GROUPS], *to = (int32_t *)some(sizeof ends, 0);
            for (int i = 0; i < GROUPS; i++) ends[i] = M / GROUPS * (i + 1);
            CUDA_CHECK(cudaMemcpy(to, ends, sizeof ends, cudaMemcpyHostToDevice));
            g.groups.count = GROUPS, g.groups.ends = to;
        }
        if (as_72b) g.d_sf_out = some(tc_sf_bytes(M, N, 16), 0);
        if (k->block) g.sfa = some(tc_sf_bytes(M, K, k->block), 0x30), g.sfb = some(tc_sf_bytes(N, K, k->block), 0x30);
        st = k->gemm(&g, 0);
    } else {
        tc_attn_args a;
        memset(&a, 0, sizeof a);
        a.batch = 1, a.heads = HEADS, a.q_len = ROWS, a.k_len = KEYS;
        const size_t q_bytes = (size_t)ROWS * HEADS * k->dim * 2, k_bytes = (size_t)KEYS * HEADS * k->dim * 2;
        a.q = some(q_bytes, 0x11), a.k = some(k_bytes, 0x11), a.v = some(k_bytes, 0x11), a.o = some(q_bytes, 0);
        st = k->attn(&a, 0);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    if (st != TC_OK) printf("%s: refused: %s\n", k->name, tc_why());
    return st != TC_OK;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc > 4 && !strcmp(argv[1], "--shape"))
        M = atoi(argv[2]), N0 = atoi(argv[3]), K = atoi(argv[4]), shaped = 1,
        ROWS = M, KEYS = N0, HEADS = K, argc -= 4, argv += 4;
    for (int i = 0; i < KERNELS; i++) {
        int wanted = argc < 2;
        for (int a = 1; a < argc; a++) wanted |= !strcmp(argv[a], kernels[i].name);
        if (argc > 1 && !strcmp(argv[1], "--list")) printf("%s\n", kernels[i].name);
        else if (wanted) failed += run(&kernels[i]);
    }
    return failed;
}
