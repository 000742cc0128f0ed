/* model_sm120.cu - kernels for tcemu --model=rtx5090 (docs/model.md): a multiprocessor's share of a GEMM, and of
 * attention. No board needed, and none asked: under tcemu alone it says something.
 *     build/tcemu --model=rtx5090 --sms 4 --no-checks build/bench/model_sm120 [name ...]
 *     build/tcemu --model=rtx5090 --sms 4 --no-checks build/bench/model_sm120 --shape m n k name ...
 *                                                                (attention: queries, keys, heads in their place)
 *     build/bench/model_sm120 --list */
#include "../tc.h"
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "record.h"

#define NVFP4 .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16
TC_GEMM_SM120_DEFINE(bf16_turns, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM120_DEFINE(nvfp4_turns, NVFP4)
/* what CUTLASS's example 79a (nvfp4 to bf16, 128 x 128, warps that multiply together) does, for a table beside it */
TC_GEMM_SM120_DEFINE(as_79a, NVFP4, .bk = 128, .warps_m = 2, .warps_n = 4, .schedule = TC_COOPERATIVE)
/* attention: what TC_ATTN_DEFINE takes here, and the sm_80 kernel of the same shape beside it */
TC_ATTN_DEFINE(attn_64, .type = TC_BF16, .head_dim = 64)
TC_ATTN_DEFINE(attn_128, .type = TC_BF16, .head_dim = 128)
TC_ATTN_DEFINE(causal_64, .type = TC_BF16, .head_dim = 64, .causal = 1)
TC_ATTN_DEFINE(causal_128, .type = TC_BF16, .head_dim = 128, .causal = 1)
TC_ATTN_SM80_DEFINE(copies_64, .type = TC_BF16, .head_dim = 64)
TC_ATTN_SM80_DEFINE(copies_128, .type = TC_BF16, .head_dim = 128)
TC_ATTN_SM80_DEFINE(copies_causal_64, .type = TC_BF16, .head_dim = 64, .causal = 1)
TC_ATTN_SM80_DEFINE(copies_causal_128, .type = TC_BF16, .head_dim = 128, .causal = 1)

typedef struct kernel_entry {
    const char *name;
    tc_status (*gemm)(const tc_gemm_args *, cudaStream_t);
    tc_status (*attn)(const tc_attn_args *, cudaStream_t);
    int bits;  /* of an element of A and B */
    int block; /* k's that share a factor of a byte; attention: the head dim */
} kernel_entry;
static const kernel_entry kernels[] = {
    {"bf16_turns", bf16_turns_run, 0, 16, 0}, {"nvfp4_turns", nvfp4_turns_run, 0, 4, 16},
    {"as_79a", as_79a_run, 0, 4, 16},
    {"attn_64", 0, attn_64_run, 16, 64},           {"copies_64", 0, copies_64_run, 16, 64},
    {"attn_128", 0, attn_128_run, 16, 128},        {"copies_128", 0, copies_128_run, 16, 128},
    {"causal_64", 0, causal_64_run, 16, 64},       {"copies_causal_64", 0, copies_causal_64_run, 16, 64},
    {"causal_128", 0, causal_128_run, 16, 128},    {"copies_causal_128", 0, copies_causal_128_run, 16, 128},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };
static int M = 512, N = 512, K = 4096;

/* Elements of small numbers: what they are does not matter. */
static void *some(size_t bytes, int fill)
{
    void *p;
    CUDA_CHECK(cudaMalloc(&p, bytes));
    CUDA_CHECK(cudaMemset(p, fill, bytes));
    return p;
}

static int run(const kernel_entry *k, int shaped)
{
    tc_status st;
    if (k->gemm) {
        tc_gemm_args g;
        memset(&g, 0, sizeof g);
        g.m = M, g.n = N, g.k = K, g.lda = g.ldb = K, g.ldd = N;
        g.a = some((size_t)M * K * k->bits / 8, 0x11), g.b = some((size_t)N * K * k->bits / 8, 0x11);
        g.d = some((size_t)M * N * 4, 0);
        if (k->block) g.sfa = some(tc_sf_bytes(M, K, k->block), 0x30), g.sfb = some(tc_sf_bytes(N, K, k->block), 0x30);
        st = k->gemm(&g, 0);
    } else {
        const int rows = shaped ? M : 512, keys = shaped ? N : 2048, heads = shaped ? K : 1;
        const size_t q_bytes = (size_t)rows * heads * k->block * 2, k_bytes = (size_t)keys * heads * k->block * 2;
        tc_attn_args a;
        memset(&a, 0, sizeof a);
        a.batch = 1, a.heads = heads, a.q_len = rows, a.k_len = keys;
        a.q = some(q_bytes, 0x11), a.k = some(k_bytes, 0x11), a.v = some(k_bytes, 0x11), a.o = some(q_bytes, 0);
        st = k->attn(&a, 0);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    if (st != TC_OK) printf("%s: refused: %s\n", k->name, tc_why());
    return st != TC_OK;
}

int main(int argc, char **argv)
{
    int failed = 0, shaped = 0;
    if (argc > 4 && !strcmp(argv[1], "--shape"))
        M = atoi(argv[2]), N = atoi(argv[3]), K = atoi(argv[4]), shaped = 1, argc -= 4, argv += 4;
    for (int i = 0; i < KERNELS; i++) {
        int wanted = argc < 2;
        for (int a = 1; a < argc; a++) wanted |= !strcmp(argv[a], kernels[i].name);
        if (argc > 1 && !strcmp(argv[1], "--list")) printf("%s\n", kernels[i].name);
        else if (wanted) failed += run(&kernels[i], shaped);
    }
    return failed;
}
