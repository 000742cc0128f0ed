/* nvrtc.c - the headers under NVRTC: no include path, every header handed over as a string in memory.
 *     build/tests/nvrtc [directory of the headers, default "."] [sources, as in "gemm90 own": only these]
 * Compiles generated kernels to PTX and cubin and looks for their names. Needs libnvrtc, no GPU.
 * Generators and all else compile as C++14, C++17 and C++20. With NVRTC_SOME in the environment, as make test has it
 * in tcemu, no generator for a second target of the same kernels.
 * Build: cc -std=c11 -I$(CUDA)/include tests/nvrtc.c -o build/tests/nvrtc -L$(CUDA)/lib64 -lnvrtc -lm */
#include "test.h"
#include <nvrtc.h>

static const char *const names[] = {
    "tc.h", "tc_attn.h", "tc_attn_append.h", "tc_attn_bwd.h", "tc_attn_bwd_sm80.h", "tc_attn_bwd_sm90.h",
    "tc_attn_bwd_sm90_parts.h", "tc_attn_bwd_sm90_wide.h",
    "tc_attn_bwd_work.h", "tc_attn_decode.h", "tc_attn_decode_work.h", "tc_attn_mla.h", "tc_attn_mla_work.h",
    "tc_attn_map.h", "tc_attn_mla_load.h", "tc_attn_mla_end.h",
    "tc_attn_sm100.h", "tc_attn_sm120.h", "tc_attn_sm80.h", "tc_attn_sm90.h", "tc_attn_sm90_fp8.h",
    "tc_attn_sm90_plan.h", "tc_attn_sm90_smem.h",
    "tc_attn_work.h", "tc_chip.h", "tc_conv.h",
    "tc_conv_config.h", "tc_conv_sm80.h", "tc_conv_sm90.h", "tc_core.h", "tc_epi.h", "tc_fabric.h", "tc_gemm.h",
    "tc_gemm_b2b.h",
    "tc_gemm_blackwell.h", "tc_gemm_check.h", "tc_gemm_choice.h", "tc_gemm_config.h", "tc_gemm_cut.h",
    "tc_epi_c.h", "tc_gemm_each.h", "tc_gemm_end.h",
    "tc_gemm_f32.h", "tc_gemm_gate.h",
    "tc_gemm_rows.h", "tc_gemm_sm90_rows.h", "tc_gemm_sums.h", "tc_rows.h", "tc_rows_work.h",
    "tc_gemm_plan.h", "tc_gemm_quant.h", "tc_gemm_shapes.h", "tc_gemm_simt.h", "tc_gemm_sm100.h",
    "tc_gemm_sm100_call.h",
    "tc_gemm_sm100_plan.h", "tc_gemm_sm100_sparse.h", "tc_gemm_sm100_store.h", "tc_gemm_sm100_weights.h",
    "tc_gemm_weights.h", "tc_gemm_sm120.h",
    "tc_gemm_sm120_auto.h", "tc_gemm_sm120_mma.h", "tc_gemm_sm120_plan.h", "tc_gemm_sm120_sparse.h",
    "tc_gemm_sm120_store.h", "tc_gemm_sm75.h",
    "tc_gemm_sm80.h", "tc_gemm_sm80_copy.h", "tc_gemm_sm80_groups.h", "tc_gemm_sm80_mma.h",
    "tc_gemm_sm80_plan.h", "tc_gemm_sm80_sparse.h", "tc_gemm_sm80_store.h", "tc_gemm_sm80_weights.h",
    "tc_gemm_sm90.h", "tc_gemm_sm90_any.h", "tc_gemm_sm90_aside.h", "tc_gemm_sm90_columns.h",
    "tc_gemm_sm90_edge.h", "tc_gemm_sm90_f32.h",
    "tc_gemm_sm90_load.h", "tc_gemm_sm90_parts.h",
    "tc_gemm_sm90_plan.h", "tc_gemm_sm90_promote.h", "tc_gemm_sm90_quant.h",
    "tc_gemm_sm90_auto.h", "tc_gemm_sm90_gate.h", "tc_gemm_sm90_once.h", "tc_gemm_sm90_each.h", "tc_gemm_sm90_gather.h",
    "tc_gemm_sm90_groups.h",
    "tc_gemm_sm90_rules.h",
    "tc_gemm_sm90_sparse.h", "tc_gemm_sm90_store.h", "tc_gemm_sm90_tiles.h", "tc_gemm_sm90_turn.h",
    "tc_gemm_sm90_weights.h", "tc_gemm_sparse.h", "tc_gemm_tiles.h", "tc_hooks.h", "tc_host.h", "tc_kernel.h",
    "tc_mbarrier.h", "tc_memory.h", "tc_mma.h", "tc_multimem.h", "tc_op.h", "tc_operand.h", "tc_philox.h",
    "tc_pipe.h", "tc_sf.h",
    "tc_softmax.h", "tc_sparse.h", "tc_sparse_pack.h", "tc_spcompress.h", "tc_split.h", "tc_sums.h", "tc_swizzle.h",
    "tc_tcgen05.h",
    "tc_tcgen05_desc.h", "tc_tiles.h", "tc_tma.h", "tc_tma_more.h", "tc_turn.h", "tc_types.h", "tc_weights.h",
    "tc_wgmma.h", "tc_wmma.h", "tc_work.h"
};
enum { NAMES = sizeof names / sizeof names[0] };
static const char *texts[NAMES];
static const char *only; /* names of sources, or 0 */

/* The whole of a file as a string; exits where it cannot be read. */
static char *read_text(const char *directory, const char *name)
{
    char path[1024];
    size_t size = 0, room = 1u << 16;
    char *text = (char *)malloc(room + 1);
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    f = fopen(path, "rb");
    if (!f || !text) {
        printf("FAIL cannot read %s\n", path);
        exit(1);
    }
    for (;;) {
        const size_t got = fread(text + size, 1, room - size, f);
        size += got;
        if (!got) break;
        if (size == room) {
            room *= 2;
            text = (char *)realloc(text, room + 1);
            if (!text) exit(1);
        }
    }
    fclose(f);
    text[size] = 0;
    return text;
}

/* Does `bytes` hold the string? (A cubin has zero bytes in it, so strstr will not do.) */
static int holds(const char *bytes, size_t size, const char *string)
{
    const size_t n = strlen(string);
    size_t i;
    for (i = 0; i + n <= size; i++)
        if (!memcmp(bytes + i, string, n)) return 1;
    return 0;
}

/* Does this NVRTC know the target? One of CUDA 12.6 knows none of Blackwell's. */
static int knows(const char *arch)
{
    int count = 0, list[64], i;
    if (nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count > 64
        || nvrtcGetSupportedArchs(list) != NVRTC_SUCCESS)
        return 1;
    for (i = 0; i < count; i++)
        if (list[i] == atoi(strchr(arch, '_') + 1)) return 1;
    return 0;
}

/* Compiles source for arch and wants every one of kernels (up to 5, null-ended) in the result. expect: "" for success,
 * or text that the log of a failing compilation must hold. */
static void one(const char *what, const char *source, const char *arch, const char *std, const char *const *kernels,
                const char *expect)
{
    char option_arch[64], option_std[64];
    const char *options[2];
    nvrtcProgram program;
    nvrtcResult result;
    size_t log_size = 0, size = 0;
    char *log, *code;
    int i;
    if (only && !strstr(only, strtok(strcpy(option_arch, what), "."))) return;
    if (!knows(arch)) {
        SKIP("%s: this NVRTC does not know %s", what, arch);
        return;
    }
    snprintf(option_arch, sizeof option_arch, "--gpu-architecture=%s", arch);
    snprintf(option_std, sizeof option_std, "--std=%s", std);
    options[0] = option_arch;
    options[1] = option_std;
    result = nvrtcCreateProgram(&program, source, what, NAMES, texts, names);
    CHECK(result == NVRTC_SUCCESS, "%s: nvrtcCreateProgram: %s", what, nvrtcGetErrorString(result));
    if (result != NVRTC_SUCCESS) return;
    result = nvrtcCompileProgram(program, 2, options);
    nvrtcGetProgramLogSize(program, &log_size);
    log = (char *)calloc(log_size + 1, 1);
    if (!log) exit(1);
    nvrtcGetProgramLog(program, log);
    if (*expect) {
        CHECK(result != NVRTC_SUCCESS, "%s for %s, %s: compiles, and should not", what, arch, std);
        CHECK(strstr(log, expect) != 0, "%s for %s: the log lacks \"%s\":\n%.900s", what, arch, expect, log);
    } else {
        CHECK(result == NVRTC_SUCCESS, "%s for %s, %s: %s\n%.900s", what, arch, std, nvrtcGetErrorString(result), log);
        CHECK(!strstr(log, "warning"), "%s for %s, %s: warns\n%.900s", what, arch, std, log);
    }
    free(log);
    if (result == NVRTC_SUCCESS) {
        CHECK(nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS && size > 1, "%s: no PTX", what);
        code = (char *)malloc(size + 1);
        if (!code) exit(1);
        nvrtcGetPTX(program, code);
        for (i = 0; kernels[i]; i++) {
            char entry[256];
            snprintf(entry, sizeof entry, ".entry %s(", kernels[i]);
            CHECK(holds(code, size, entry), "%s for %s: PTX lacks \"%s\"", what, arch, entry);
        }
        free(code);
        if (!strncmp(arch, "sm_", 3)) {
            CHECK(nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS && size > 1, "%s: no cubin", what);
            code = (char *)malloc(size + 1);
            if (!code) exit(1);
            nvrtcGetCUBIN(program, code);
            for (i = 0; kernels[i]; i++)
                CHECK(holds(code, size, kernels[i]), "%s for %s: cubin lacks %s", what, arch, kernels[i]);
            free(code);
        }
    }
    nvrtcDestroyProgram(&program);
}

#define HOOK                                                                        \
    "#include \"tc.h\"\n"                                                           \
    "typedef struct { const float *bias; float scale; } my_args;\n"                 \
    "TC_DEV float my_hook(float x, tc_gemm_at at, const void *args)\n"           \
    "{ const my_args *p = (const my_args *)args; return tc_gelu(x * p->scale + p->bias[at.col]) + 0.f * at.row; }\n"

#define ATTN_HOOKS                                                                  \
    "#include \"tc_attn.h\"\n"                                                      \
    "typedef struct { const float *slopes, *sinks; } my_args;\n"                    \
    "TC_DEV float my_score(float s, tc_attn_at at, const void *args)\n"      \
    "{ const my_args *p = (const my_args *)args; return s + p->slopes[at.h] * (float)(at.kv - at.q); }\n" \
    "TC_DEV float my_sink(tc_attn_at at, const void *args)\n"                       \
    "{ const my_args *p = (const my_args *)args; return p->sinks[at.h]; }\n"

int main(int argc, char **argv)
{
    static const char *const gemm80[] = {"gemm80", "gemm80_any", 0};
    static const char *const gemm90[] = {"gemm90", "conv90", 0};
    static const char *const gemm100[] = {"gemm100", 0};
    static const char *const gemm_all[] = {"gemm_wide", "gemm_pair",  "gemm_few",
                                           "gemm_flat", "gemm_small", "gemm_sm80", "gemm_sm80_any",
                                           "gemm_sm80_small", 0};
    static const char *const attn90[] = {"attn90", 0}, *const attn80[] = {"attn80", 0},
                      *const attn_all[] = {"attn_sm90", "attn_sm80", "attn_decode", "attn_sm100", "attn_sm120", 0},
                      *const attn_decode[] = {"decode", 0}, *const attn_mla[] = {"mla", 0},
                      *const attn_append[] = {"append", 0},
                      *const rows[] = {"choose", "choose_block", "choose_stream", "tokens", "tokens_block",
                                       "tokens_stream", 0},
                      *const b2b[] = {"two", 0},
                      *const attn100[] = {"attn100", 0}, *const attn120[] = {"attn120", 0};
    static const char *const own[] = {"own", 0}, *const mine[] = {"mine", 0};
    static const char source80[] = HOOK
        "TC_GEMM_SM80_DEFINE(gemm80, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .epi = my_hook, .epi_size = "
        "sizeof(my_args))\n";
    static const char source90[] = HOOK
        "TC_GEMM_SM90_DEFINE(gemm90, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .cluster_m = 2, "
        ".epi = my_hook, .epi_size = sizeof(my_args))\n"
        "TC_CONV_SM90_DEFINE(conv90, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64)\n";
    static const char source100[] = HOOK
        "TC_GEMM_SM100_DEFINE(gemm100, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = my_hook, .epi_size = "
        "sizeof(my_args))\n";
    static const char source_all[] = HOOK
                      "TC_GEMM_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .epi = my_hook, .epi_size = "
                      "sizeof(my_args))\n";
    static const char source_attn90[] = ATTN_HOOKS
        "TC_ATTN_SM90_DEFINE(attn90, .type = TC_BF16, .hook_size = sizeof(my_args), .causal = 1, .score = my_score, "
        ".sink = my_sink)\n";
    static const char source_attn80[] = ATTN_HOOKS
        "TC_ATTN_SM80_DEFINE(attn80, .type = TC_F16, .hook_size = sizeof(my_args), .head_dim = 64, .window = 1, .score "
        "= my_score, .sink = my_sink)\n";
    static const char source_attn[] = ATTN_HOOKS
                      "TC_ATTN_DEFINE(attn, .type = TC_F16, .hook_size = sizeof(my_args), .head_dim = 96, .score = "
                      "my_score)\n";
    static const char source_attn100[] = ATTN_HOOKS
        "TC_ATTN_SM100_DEFINE(attn100, .type = TC_BF16, .hook_size = sizeof(my_args), .causal = 1, .score = my_score, "
        ".sink = my_sink)\n";
    static const char source_attn120[] = ATTN_HOOKS
        "TC_ATTN_SM120_DEFINE(attn120, .type = TC_BF16, .hook_size = sizeof(my_args), .causal = 1, .score = my_score, "
        ".sink = my_sink)\n";
    static const char source_decode[] = ATTN_HOOKS
        "TC_ATTN_DECODE_DEFINE(decode, .type = TC_BF16, .hook_size = sizeof(my_args), .paged = 1, .kv = TC_E4M3, "
        ".score = my_score, .sink = my_sink)\n";
    static const char source_attn_fp8[] = "#include \"tc_attn.h\"\n"
        "TC_ATTN_SM90_DEFINE(attn90, .type = TC_E4M3, .head_dim = 64, .causal = 1)\n";
    static const char source_mla[] = "#include \"tc_attn_mla.h\"\n"
        "TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .causal = 1, .paged = 1)\n";
    static const char source_b2b[] = "#include \"tc_gemm_b2b.h\"\n"
        "TC_GEMM_B2B_DEFINE(two, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn0 = 64, .act = tc_epi_relu)\n";
    static const char source_append[] = "#include \"tc_attn_append.h\"\n"
        "TC_ATTN_APPEND_DEFINE(append, .type = TC_BF16, .kv = TC_E4M3, .rope = TC_ROPE_HALVES, .norm = 1)\n";
    static const char source_rows[] = "#include \"tc_rows.h\"\n"
        "TC_ROWS_DEFINE(choose, .x = TC_BF16, .op = TC_SOFTMAX, .top = 8, .renorm = 1)\n"
        "TC_ROWS_DEFINE(tokens, .x = TC_BF16, .op = TC_QUANTISE, .y = TC_E4M3)\n";
    static const char source_kernel[] =
        "#include \"tc_kernel.h\"\n"
        "typedef struct { tc_kernel_head head; tc_tmap a, b, d; int m, n; } params;\n"
        "TC_DEV_SM90A void load(const tc_slot *s, const tc_work *w, const void *args)\n"
        "{\n"
        "    const params *p = (const params *)args;\n"
        "    tc_cp_async_bulk_tensor_3d(s->at, &p->a, (int)s->step * 64, w->row, w->batch, s->full);\n"
        "    tc_cp_async_bulk_tensor_3d(s->at + 128 * 128, &p->b, (int)s->step * 64, w->col, w->batch, s->full);\n"
        "}\n"
        "TC_DEV_SM90A void step(const tc_slot *s, const tc_work *w, float *acc, const void *args)\n"
        "{\n"
        "    const uint64_t a = tc_wgmma_desc(s->at + (uint32_t)s->wg * 8192, 128), b = tc_wgmma_desc(s->at + 128 * "
        "128, 128);\n    TC_WGMMA_SS(64, f32, bf16, acc, a, b, s->step > 0, 1, 1, 0, 0);\n"
        "}\n"
        "TC_DEV_SM90A void finish(const tc_tile_end *t, const tc_work *w, float *acc, const void *args)\n"
        "{\n"
        "    const params *p = (const params *)args;\n"
        "    const tc_box box = {TC_BF16, 128};\n"
        "    const tc_store to = {&p->d, w->row + t->wg * 64 + t->row, w->col, w->batch, p->m, p->n, t->store};\n"
        "    tc_store_rows(box, 64, &to, acc);\n"
        "}\n"
        "TC_KERNEL_SM90_DEFINE(mine, params, .bm = 128, .bn = 64, .slot_bytes = (128 + 64) * 128, .accumulators = 32, "
        ".cluster = 2,\n                      .load = load, .step = step, .finish = finish)\n";
    static const char source_own[] =
        "#include \"tc.h\"\n"
        "extern \"C\" __global__ void own(float *out, const void *in)\n"
        "{\n"
        "    __shared__ TC_ALIGN(128) unsigned char smem[512];\n"
        "    uint32_t a[4], b[2] = {0, 0};\n"
        "    float d[4] = {0, 0, 0, 0};\n"
        "    tc_cp_async_cg_16(tc_smem_u32(smem) + 16 * threadIdx.x, (const char *)in + 16 * threadIdx.x);\n"
        "    tc_cp_async_commit_group();\n"
        "    TC_CP_ASYNC_WAIT_GROUP(0);\n"
        "    __syncthreads();\n"
        "    tc_ldmatrix_x4(a, tc_smem_u32(smem) + 16 * threadIdx.x);\n"
        "    tc_mma_m16n8k16_f32_bf16(d, a, b, d);\n"
        "    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];\n"
        "}\n";
    static const char source_matrix[] =
        "#include \"tc_mma.h\"\n#include \"tc_sparse.h\"\n#include \"tc_wmma.h\"\n"
        "TC_WMMA_DEFINE(wm, row, col, m16n16k16, f32, f16, f16, f32)\n"
        "extern \"C\" __global__ void own(float *out, const unsigned short *in, const unsigned char *meta)\n"
        "{\n"
        "    wm_a a; wm_b b; wm_c c;\n"
        "    wm_fill(&c, 1.f); wm_load_a(&a, in, 16); wm_load_b(&b, in, 16); wm_mma(&c, &a, &b, &c);\n"
        "    const unsigned e = tc_sp_mma_meta(meta, 8, 16, (int)threadIdx.x);\n"
        "    TC_MMA(m16n8k16, row, col, f32, f16, f16, f32, c.x, a.x, b.x, c.x);\n"
        "    TC_MMA_SP_ORDERED(m16n8k16, row, col, f32, f16, f16, f32, c.x, a.x, b.x, c.x, e, 3);\n"
        "    TC_MMA_POPC(m16n8k256, row, col, s32, b1, b1, s32, and_popc, a.x, a.x, b.x, a.x);\n"
        "    TC_LDMATRIX(m8n8, x4, generic, b16, a.x, in);\n"
        "    out[threadIdx.x + tc_frag_sp_m16n8k16_b16_a_col((int)threadIdx.x, 1)] = c.x[0] + (float)a.x[1];\n"
        "}\n";
    static const char source_async[] =
        "#include \"tc_wgmma.h\"\n#include \"tc_tma.h\"\n#include \"tc_types.h\"\n"
        "extern \"C\" __global__ void own(const __grid_constant__ tc_tmap map, float *out, unsigned long long da, "
        "unsigned mask)\n{\n"
        "    __shared__ TC_ALIGN(128) unsigned char smem[1024]; __shared__ uint64_t word;\n"
        "    const uint32_t bar = tc_smem_u32(&word); int done; unsigned short codes; float f[4] = {0}; unsigned s[4] "
        "= {0}; uint64_t state;\n    TC_MBARRIER_INIT(.shared::cta, bar, 1u);\n"
        "    TC_MBARRIER_ARRIVE(.expect_tx.release.cta.shared::cta, state, bar, 1024u);\n"
        "    TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile, multicast::cluster, , , tc_smem_u32(smem), &map, (0, "
        "0), bar, (unsigned short)mask);\n    TC_MBARRIER_TRY_WAIT_PARITY(.acquire.cta.shared::cta, done, bar, 0u);\n"
        "    TC_CVT(.rn.satfinite.relu, e4m3x2, f32, codes, out[0], out[1]);\n"
        "    tc_wgmma_fence();\n"
        "    TC_WGMMA_SS(8, f32, e4m3, e5m2, f, da, da, 1, 1, 1);\n"
        "    TC_WGMMA_SS(8, s32, b1, b1.and.popc, s, da, da, 1);\n"
        "    tc_wgmma_commit_group(); TC_WGMMA_WAIT_GROUP(0);\n"
        "    out[threadIdx.x] = f[0] + s[0] + done + codes + tc_f32_from_e2m1((uint8_t)mask) + state + "
        "tc_layout_k(128, 8, 0, 1024, mask, 3);\n}\n";
    static const char source_each[] =
        "#include \"tc_gemm.h\"\n#include \"tc_wgmma.h\"\n#include \"tc_tma.h\"\n#include \"tc_mma.h\"\n#include "
        "\"tc_swizzle.h\"\n#include \"tc_core.h\"\n#include \"tc_core.h\"\n#include \"tc.h\"\n"
        "extern \"C\" __global__ void own(unsigned *out) { out[threadIdx.x] = tc_swizzle_128B(16 * threadIdx.x); }\n";
    static const char source_attn_bad[] = "#include \"tc_attn.h\"\n"
        "TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 40)\n";
    static const char source_bad[] = "#include \"tc.h\"\n"
        "TC_GEMM_SM90_DEFINE(gemm90, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 100)\n";
    static const char source_gated[] = "#include \"tc.h\"\n"
        "extern \"C\" __global__ void own(unsigned x) { __shared__ unsigned s[64]; tc_stmatrix_x1(tc_smem_u32(s), "
        "x); }\n";
    const int all = !getenv("NVRTC_SOME");
    int i, major = 0, minor = 0;
    only = argc > 2 ? argv[2] : 0;
    for (i = 0; i < NAMES; i++) texts[i] = read_text(argc > 1 ? argv[1] : ".", names[i]);
    nvrtcVersion(&major, &minor);
    printf("nvrtc: version %d.%d\n", major, minor);
    one("own.cu", source_own, "sm_80", "c++17", own, "");
    one("async.cu", source_async, "sm_90a", "c++14", own, "");
    one("async.cu", source_async, "sm_90a", "c++20", own, "");
    one("own.cu", source_own, "compute_90", "c++20", own, "");
    one("matrix.cu", source_matrix, "sm_80", "c++14", own, "");
    one("matrix.cu", source_matrix, "sm_120a", "c++20", own, "");
    one("each.cu", source_each, "sm_75", "c++17", own, "");
    one("each.cu", source_each, "sm_90a", "c++14", own, "");
    one("each.cu", source_each, "sm_100a", "c++17", own, "");
    one("gemm80.cu", source80, "sm_80", "c++14", gemm80, "");
    if (all) one("gemm80.cu", source80, "sm_90", "c++17", gemm80, "");
    one("gemm90.cu", source90, "sm_90a", "c++17", gemm90, "");
    one("gemm100.cu", source100, "sm_100a", "c++14", gemm100, "");
    if (all) one("gemm100.cu", source100, "sm_103a", "c++20", gemm100, "");
    one("attn100.cu", source_attn100, "sm_100a", "c++17", attn100, "");
    one("attn120.cu", source_attn120, "sm_120a", "c++17", attn120, "");
    if (all) one("attn120.cu", source_attn120, "sm_121", "c++14", attn120, "");
    one("gemm100.cu", source100, "sm_90a", "c++17", gemm100, "compute_100a");
    one("gemm.cu", source_all, "sm_90a", "c++14", gemm_all, "");
    if (all) one("gemm.cu", source_all, "sm_120", "c++20", gemm_all, "");
    one("attn90.cu", source_attn90, "sm_90a", "c++14", attn90, "");
    one("attn_fp8.cu", source_attn_fp8, "sm_90a", "c++14", attn90, "");
    one("attn80.cu", source_attn80, "sm_80", "c++17", attn80, "");
    if (all) one("attn80.cu", source_attn80, "compute_120", "c++20", attn80, "");
    one("attn.cu", source_attn, "sm_90a", "c++20", attn_all, "");
    one("decode.cu", source_decode, "sm_80", "c++14", attn_decode, "");
    one("mla.cu", source_mla, "sm_90a", "c++17", attn_mla, "");
    one("b2b.cu", source_b2b, "sm_90a", "c++14", b2b, "");
    one("append.cu", source_append, "sm_80", "c++14", attn_append, "");
    one("rows.cu", source_rows, "sm_80", "c++14", rows, "");
    if (all) one("attn.cu", source_attn, "sm_100", "c++14", attn_all, "");
    one("attn_bad.cu", source_attn_bad, "sm_90a", "c++17", attn_all,
        "tc: .head_dim must be a multiple of 16 in 16..256");
    one("bad.cu", source_bad, "sm_90a", "c++14", gemm90, "tc: .bm must be a multiple of 64");
    one("kernel.cu", source_kernel, "sm_90a", "c++17", mine, "");
    one("kernel.cu", source_kernel, "sm_80", "c++17", mine, "#define TC_SM90_STUBS before tc.h");
    one("gated.cu", source_gated, "sm_90", "c++17", own, "");
    one("gated.cu", source_gated, "sm_80", "c++17", own, "needs sm_90 or later");
    return test_end();
}
