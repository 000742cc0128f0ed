/* 22_gemm_bias_gelu.cu - your epilogue in a GEMM: D = gelu(A * B * scale + bias), in about the time of the product alone.
 * What a user writes stands between the two lines. It runs on every device from sm_80 on. */
#include "gemm_main.h"

/* ---------------------------------------------------------------------------------------------------------------- */
typedef struct { const float *bias; float scale; } my_args;

TC_DEV float bias_gelu(float x, tc_gemm_at at, const void *args)
{
    const my_args *p = (const my_args *)args;
    return tc_gelu(x * p->scale + p->bias[at.col]);
}

TC_GEMM_DEFINE(gemm_bias_gelu, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi_size = sizeof(my_args), .epi = bias_gelu)
/* ---------------------------------------------------------------------------------------------------------------- */

static double bias_gelu_host(double x, int row, int col, const void *context)
{
    const double y = x * 0.02 + ((const float *)context)[col];
    (void)row;
    return 0.5 * y * (1 + erf(y * 0.70710678118654752440));
}

int main(void)
{
    /* feed-forward layers: GPT-2 XL, Llama-2 7B, Llama-3 8B, Llama-3 70B, at 4096 tokens; then a ragged one */
    const int shapes[5][3] = {{4096, 6400, 1600}, {4096, 11008, 4096}, {4096, 14336, 4096}, {4096, 28672, 8192}, {777, 1111, 1000}};
    const int most = 28672;
    float *bias = (float *)malloc(sizeof(float) * most);
    void *device_bias;
    my_args args;
    int failed = 0;
    example_device(80);
    device_bias = example_random(most, 3, TC_F32, 1.f);
    CUDA_CHECK(cudaMemcpy(bias, device_bias, sizeof(float) * most, cudaMemcpyDeviceToHost));
    args.bias = (const float *)device_bias;
    args.scale = 0.02f;
    for (int i = 0; i < 5; i++) {
        const gemm_example e = {gemm_bias_gelu_run, bias_gelu_host, bias, &args, sizeof args, 0};
        failed += gemm_example_shape(&e, shapes[i][0], shapes[i][1], shapes[i][2]);
    }
    CUDA_CHECK(cudaFree(device_bias));
    free(bias);
    return failed;
}
