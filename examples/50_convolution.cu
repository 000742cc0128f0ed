/* 50_convolution.cu - a convolution with your epilogue: Y = relu(conv(X, W) + bias), without a copy of X that is laid
 * out for a product. Layers of a ResNet-50, a dilated one, one over time and one over volumes.
 * What a user writes stands between the two lines. It runs on every device from sm_80 on. Needs tc*.h alone. */
#include "tc.h"
#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------------- */
typedef struct { const float *bias; } my_args;

TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
{
    return tc_relu(x + ((const my_args *)args)->bias[at.col]); /* at.col: the filter */
}

TC_CONV_DEFINE(conv_bias_relu, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_relu, .epi_size = sizeof(my_args))
/* ---------------------------------------------------------------------------------------------------------------- */

/* element i of a tensor: a multiple of 1/8 in -1 .. 1, the same on the device and here */
TC_HD float number(uint32_t seed, size_t i)
{
    uint32_t h = ((uint32_t)i + seed * 0x9e3779b9u) * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (float)((h >> 13) % 17) / 8 - 1;
}

static __global__ void fill(void *p, size_t count, uint32_t seed, int type)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        if (type == TC_F32) ((float *)p)[i] = number(seed, i);
        else ((uint16_t *)p)[i] = tc_bf16_from_f32(number(seed, i));
    }
}

static void *tensor(size_t count, uint32_t seed, int type)
{
    void *p = 0;
    if (cudaMalloc(&p, count * tc_type_bits(type) / 8) != cudaSuccess) exit(1);
    fill<<<512, 256>>>(p, count, seed, type);
    return p;
}

/* One element of Y on the CPU: that of filter f, pixel number `pixel`. */
static double element(const tc_conv_args *a, size_t pixel, int f)
{
    const tc_conv_pixels all = tc_conv_pixels_of(a);
    const tc_conv_pixel y = tc_conv_pixel_at(&all, (int)pixel);
    const tc_conv_size z = {a->dims > 2 ? a->filter.d : 1, a->dims > 1 ? a->filter.h : 1, a->filter.w};
    const int depth = a->dims > 2 ? a->size.d : 1, height = a->dims > 1 ? a->size.h : 1, width = a->size.w;
    double sum = number(4, (size_t)f);
    for (int t = 0; t < z.d * z.h * z.w; t++) {
        const int d = y.d * (a->stride.d ? a->stride.d : 1) - a->lower.d + t / (z.h * z.w) * a->dilation.d;
        const int h = y.h * (a->stride.h ? a->stride.h : 1) - a->lower.h + t / z.w % z.h * a->dilation.h;
        const int w = y.w * (a->stride.w ? a->stride.w : 1) - a->lower.w + t % z.w * a->dilation.w;
        const size_t x = (((size_t)y.n * depth + d) * height + h) * width + w;
        if (d < 0 || d >= depth || h < 0 || h >= height || w < 0 || w >= width) continue; /* padding */
        for (int c = 0; c < a->c; c++)
            sum += number(1, x * a->c + c) * number(2, ((size_t)f * z.d * z.h * z.w + t) * a->c + c);
    }
    return sum > 0 ? sum : 0;
}

int main(void)
{
    /* axes, images, channels, filters; of each axis size, filter, stride, padding on both sides, dilation */
    static const int layers[][9] = {{2, 64, 256, 256, 56, 3, 1, 1, 1},  {2, 64, 512, 512, 28, 3, 1, 1, 1},
                                    {2, 64, 64, 64, 56, 3, 1, 1, 1},    {2, 64, 256, 512, 56, 1, 2, 0, 1},
                                    {2, 64, 512, 512, 14, 3, 2, 1, 1},  {2, 64, 8, 64, 224, 7, 2, 3, 1},
                                    {2, 16, 256, 256, 33, 3, 1, 12, 12}, {1, 64, 512, 512, 3000, 3, 1, 1, 1},
                                    {3, 4, 64, 128, 32, 3, 1, 1, 1}};
    cudaDeviceProp prop;
    cudaEvent_t from, to;
    int failed = 0;
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return printf("no CUDA device here: built, not run\n"), 0;
    const int emulated = !strncmp(prop.name, "tcemu", 5);
    cudaEventCreate(&from), cudaEventCreate(&to);
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        const int *l = layers[i], axes = l[0], channels = emulated && l[2] > 64 ? 64 : l[2];
        const int filters = emulated ? 40 : l[3];
        const int size = !emulated || l[4] < 16 ? l[4] : axes == 1 ? 70 : l[4] > 100 ? 20 : axes == 3 ? 5 : 13;
        const tc_conv_size all = {axes > 2 ? size : 0, axes > 1 ? size : 0, size};
        const tc_conv_size filter = {axes > 2 ? l[5] : 0, axes > 1 ? l[5] : 0, l[5]};
        const tc_conv_size stride = {axes > 2 ? l[6] : 0, axes > 1 ? l[6] : 0, l[6]};
        const tc_conv_size zeros = {axes > 2 ? l[7] : 0, axes > 1 ? l[7] : 0, l[7]};
        const tc_conv_size dilation = {axes > 2 ? l[8] : 0, axes > 1 ? l[8] : 0, l[8]};
        tc_conv_args a = {.dims = axes, .n = emulated ? 2 : l[1], .c = channels, .k = filters, .size = all,
                          .filter = filter, .stride = stride, .dilation = dilation, .lower = zeros, .upper = zeros};
        const tc_conv_size y = tc_conv_output(&a);
        size_t in = (size_t)a.n, pixels = (size_t)a.n * y.d * y.h * y.w, taps = 1;
        for (int x = 0; x < axes; x++) in *= (size_t)size, taps *= (size_t)l[5];
        const my_args hook = {(const float *)tensor((size_t)filters, 4, TC_F32)};
        float ms = 0;
        int wrong = 0;
        a.x = tensor(in * channels, 1, TC_BF16), a.w = tensor(filters * taps * channels, 2, TC_BF16);
        a.y = tensor(pixels * filters, 3, TC_BF16), a.epi_args = &hook, a.epi_size = sizeof hook;
        a.workspace_size = conv_bias_relu_workspace(&a); /* for long sums of few tiles */
        if (a.workspace_size) a.workspace = tensor(a.workspace_size / 2, 5, TC_BF16);
        for (int t = 0; t < (emulated ? 1 : 20); t++) {
            if (t == 10) cudaEventRecord(from, 0);
            if (conv_bias_relu_run(&a, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
        }
        if (!emulated) cudaEventRecord(to, 0), cudaEventSynchronize(to), cudaEventElapsedTime(&ms, from, to);
        for (int s = 0; s < 300; s++) { /* samples against the CPU: the last element, then anywhere */
            const size_t at = s ? (size_t)s * 2654435761u % (pixels * filters) : pixels * filters - 1;
            const double want = element(&a, at / filters, (int)(at % filters));
            uint16_t got;
            if (cudaMemcpy(&got, (uint16_t *)a.y + at, 2, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
            wrong += !(fabs(tc_f32_from_bf16(got) - want) <= fabs(want) / 250 + 1e-3); /* bf16: 1/256 */
        }
        printf("%d axes  n %3d  c %4d  size %4d  k %4d  filter %d  stride %d  dilation %2d   ", axes, a.n, a.c, size,
               a.k, l[5], l[6], l[8]);
        if (!emulated) printf("%7.1f TFLOP/s   ", 2e-9 * (double)pixels * filters * (double)taps * channels * 10 / ms);
        printf("%s\n", wrong ? "FAIL" : "ok");
        failed += wrong != 0;
        cudaFree((void *)a.x), cudaFree((void *)a.w), cudaFree(a.y), cudaFree((void *)hook.bias), cudaFree(a.workspace);
    }
    return failed;
}
