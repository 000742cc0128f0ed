/* single_nvrtc.c - the one file under NVRTC: its text and a user's few lines handed over as one string, no header
 * beside it.
 *     build/tests/single_nvrtc [the file, default build/tc_single.h]
 * Compiles a GEMM, attention and a kernel of the user's own for two targets; wants them without a warning. No GPU. */
#include "test.h"
#include <nvrtc.h>

static const char user[] =
    "\nTC_GEMM_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16)\n"
    "TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .causal = 1)\n"
    "extern \"C\" __global__ void own(float *out, uint32_t a)\n"
    "{\n"
    "    out[threadIdx.x] = tc_f32_from_f16((uint16_t)a) + (float)tc_swizzle_128B(a);\n"
    "}\n";

/* The file, then the user's lines, as one string. */
static char *whole(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    char *text = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size >= 0) text = (char *)malloc((size_t)size + sizeof user);
    if (!text || fseek(f, 0, SEEK_SET) != 0 || fread(text, 1, (size_t)size, f) != (size_t)size) {
        printf("FAIL cannot read %s\n", path);
        exit(1);
    }
    fclose(f);
    memcpy(text + size, user, sizeof user);
    return text;
}

static void one(const char *text, const char *arch)
{
    static const char *const entries[] = {".entry gemm_", ".entry attn_", ".entry own("};
    const char *options[2];
    char option[64];
    nvrtcProgram program;
    nvrtcResult result;
    size_t log_size = 0, size = 0;
    char *log, *ptx;
    size_t i;
    snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
    options[0] = option;
    options[1] = "--std=c++20";
    result = nvrtcCreateProgram(&program, text, "user.cu", 0, NULL, NULL);
    CHECK(result == NVRTC_SUCCESS, "%s: %s", arch, nvrtcGetErrorString(result));
    if (result != NVRTC_SUCCESS) return;
    result = nvrtcCompileProgram(program, 2, options);
    nvrtcGetProgramLogSize(program, &log_size);
    log = (char *)calloc(log_size + 1, 1);
    if (!log) exit(1);
    nvrtcGetProgramLog(program, log);
    CHECK(result == NVRTC_SUCCESS, "%s: %s\n%.900s", arch, nvrtcGetErrorString(result), log);
    CHECK(!strstr(log, "warning"), "%s: warns\n%.900s", arch, log);
    free(log);
    if (result == NVRTC_SUCCESS && nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS) {
        ptx = (char *)calloc(size + 1, 1);
        if (!ptx) exit(1);
        nvrtcGetPTX(program, ptx);
        for (i = 0; i < sizeof entries / sizeof entries[0]; i++)
            CHECK(strstr(ptx, entries[i]) != NULL, "%s: the PTX lacks \"%s\"", arch, entries[i]);
        free(ptx);
    }
    nvrtcDestroyProgram(&program);
}

int main(int argc, char **argv)
{
    char *text = whole(argc > 1 ? argv[1] : "build/tc_single.h");
    one(text, "compute_90a");
    one(text, "compute_80");
    free(text);
    return test_end();
}
