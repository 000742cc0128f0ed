/* 53_conv_backward.cu - the backward pass of a 3 x 3 convolution with stride 1 and padding 1, NHWC: the gradient of X
 * is a convolution itself, that of W three products.
 *
 * dX: each pixel of X went, by each tap, into a pixel of Y: so dX is a convolution of dY by W with its taps in reverse
 * order, channels and filters changed over.
 * dW: of each tap a product of dY, filters by pixels, and X, pixels by channels, moved by the tap. With zeros laid
 * around X, and dY on the same grid, all pixels of all images are one line: a tap is a distance along it, and a line of
 * taps a batch whose matrices of X begin one pixel apart. k is the number of pixels: with a workspace it is split.
 * What a user writes stands between the two lines. Here for Hopper, with a kernel each; TC_CONV_DEFINE and
 * TC_GEMM_DEFINE pick tiles themselves, and run on every device from sm_80 on. */
#define TC_SM90_STUBS
#include "example.h"

/* ---------------------------------------------------------------------------------------------------------------- */
TC_CONV_SM90_DEFINE(conv, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM90_DEFINE(taps, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .a_layout = TC_COL, .b_layout = TC_ROW, .bn = 128,
                    .split = 1)

typedef struct layer {
    int n, h, w, c, k;          /* images, their lines and pixels, channels, filters */
    const uint16_t *x, *wt, *dy; /* X and dY as NHWC, W as k x 3 x 3 x c */
    uint16_t *dx, *turned;      /* turned: W for dX, c x 3 x 3 x k */
    uint16_t *x_grid, *dy_grid; /* n x (h + 2) x (w + 2) pixels, zeros at first */
    float *dw;                  /* k x 3 x 3 x c */
    void *workspace;            /* zeros at first */
    size_t workspace_size;
} layer;

static __global__ void turn(layer l)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)9 * l.c * l.k;
         i += (size_t)gridDim.x * blockDim.x) {
        const size_t f = i % l.k, tap = i / l.k % 9, c = i / l.k / 9;
        l.turned[i] = l.wt[(f * 9 + 8 - tap) * l.c + c];
    }
}

/* Pixels of h x w images to the grid, the first one to line `at`, pixel `at`; a thread takes 8 channels. */
static __global__ void lay(layer l, uint16_t *to, const uint16_t *from, int channels, int at)
{
    const size_t pieces = (size_t)channels / 8, all = (size_t)l.n * l.h * l.w * pieces;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all; i += (size_t)gridDim.x * blockDim.x) {
        const size_t p = i / pieces, line = p / l.w % l.h + at, image = p / l.w / l.h;
        ((uint4 *)to)[((image * (l.h + 2) + line) * (l.w + 2) + p % l.w + at) * pieces + i % pieces] =
            ((const uint4 *)from)[i];
    }
}

static tc_status data_gradient(const layer *l, cudaStream_t stream)
{
    const tc_conv_args args = {.dims = 2, .n = l->n, .c = l->k, .k = l->c, .size = {.h = l->h, .w = l->w},
                               .filter = {.h = 3, .w = 3}, .lower = {.h = 1, .w = 1}, .upper = {.h = 1, .w = 1},
                               .x = l->dy, .w = l->turned, .y = l->dx};
    turn<<<256, 256, 0, stream>>>(*l);
    return conv_run(&args, stream);
}

static tc_status weight_gradient(const layer *l, cudaStream_t stream)
{
    const int wide = l->w + 2, pixels = l->n * (l->h + 2) * wide - 2 * wide - 2; /* behind them dY is zeros */
    tc_status st = TC_OK;
    lay<<<512, 256, 0, stream>>>(*l, l->x_grid, l->x, l->c, 1);
    lay<<<512, 256, 0, stream>>>(*l, l->dy_grid, l->dy, l->k, 0);
    for (int line = 0; line < 3 && st == TC_OK; line++) {
        const tc_gemm_args args = {.m = l->k, .n = l->c, .k = pixels, .a = l->dy_grid, .lda = l->k,
                                   .b = l->x_grid + (size_t)line * wide * l->c, .ldb = l->c,
                                   .d = l->dw + line * 3 * l->c, .ldd = 9 * l->c, .batch = 3, .stride_a = 0,
                                   .stride_b = l->c, .stride_d = l->c, .workspace = l->workspace,
                                   .workspace_size = l->workspace_size};
        st = taps_run(&args, stream);
    }
    return st;
}
/* ---------------------------------------------------------------------------------------------------------------- */

/* Element i of a tensor: a multiple of 1/8 in -1 .. 1. Products are multiples of 1/64, and of 64 images of 56 x 56
 * their sums exact in f32, in any order: dW is exact, and dX what an exact sum rounds to. */
TC_HD float number(uint32_t seed, size_t i)
{
    uint32_t h = ((uint32_t)i + seed * 0x9e3779b9u) * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (float)((h >> 13) % 17) / 8 - 1;
}
static __global__ void fill(uint16_t *p, size_t count, uint32_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        p[i] = tc_bf16_from_f32(number(seed, i));
}
enum { X = 1, W = 2, DY = 3 };
static uint16_t *tensor(size_t count, int seed)
{
    uint16_t *p = (uint16_t *)example_alloc(count, TC_BF16);
    if (seed) fill<<<512, 256>>>(p, count, (uint32_t)seed);
    else CUDA_CHECK(cudaMemset(p, 0, count * 2));
    return p;
}

static double dx_of(const layer *l, size_t pixel, int c)
{
    const int x = (int)(pixel % l->w), y = (int)(pixel / l->w % l->h), image = (int)(pixel / l->w / l->h);
    double sum = 0;
    for (int tap = 0; tap < 9; tap++) {
        const int v = y - tap / 3 + 1, u = x - tap % 3 + 1;
        if (v < 0 || v >= l->h || u < 0 || u >= l->w) continue;
        for (int f = 0; f < l->k; f++)
            sum += number(DY, (((size_t)image * l->h + v) * l->w + u) * l->k + f)
                 * number(W, ((size_t)f * 9 + tap) * l->c + c);
    }
    return sum;
}
static double dw_of(const layer *l, int f, int tap, int c)
{
    double sum = 0;
    for (int image = 0; image < l->n; image++)
        for (int y = 0; y < l->h; y++)
            for (int x = 0; x < l->w; x++) {
                const int v = y + tap / 3 - 1, u = x + tap % 3 - 1;
                if (v < 0 || v >= l->h || u < 0 || u >= l->w) continue;
                sum += number(DY, (((size_t)image * l->h + y) * l->w + x) * l->k + f)
                     * number(X, (((size_t)image * l->h + v) * l->w + u) * l->c + c);
            }
    return sum;
}

static void run_dx(void *self) { TC_CHECK(data_gradient((const layer *)self, 0)); }
static void run_dw(void *self) { TC_CHECK(weight_gradient((const layer *)self, 0)); }

int main(void)
{
    example_device(90);
    const int small = example_emulated();
    layer l = {small ? 3 : 64, small ? 9 : 56, small ? 11 : 56, small ? 40 : 256, small ? 72 : 256};
    const size_t pixels = (size_t)l.n * l.h * l.w, grid = (size_t)l.n * (l.h + 2) * (l.w + 2);
    l.x = tensor(pixels * l.c, X), l.wt = tensor((size_t)9 * l.k * l.c, W), l.dy = tensor(pixels * l.k, DY);
    l.dx = (uint16_t *)example_alloc(pixels * l.c, TC_BF16), l.turned = tensor((size_t)9 * l.k * l.c, 0);
    l.x_grid = tensor(grid * l.c, 0), l.dy_grid = tensor(grid * l.k, 0);
    l.dw = (float *)example_alloc((size_t)9 * l.k * l.c, TC_F32);
    l.workspace_size = 64 << 20;
    l.workspace = tensor(l.workspace_size / 2, 0);
    void (*run[2])(void *) = {run_dx, run_dw};
    void *self[2] = {&l, &l};
    double seconds[2];
    int wrong = 0;
    example_times(2, run, self, 10, seconds);
    for (int s = 0; s < 100; s++) {
        const size_t pixel = s < 4 ? s * (pixels - 1) / 3 : s * 2654435761u % pixels;
        const int c = (int)(s * 2246822519u % (unsigned)l.c);
        const double want = tc_f32_from_bf16(tc_bf16_from_f32((float)dx_of(&l, pixel, c)));
        wrong += example_get(l.dx, pixel * l.c + c, TC_BF16) != want;
    }
    for (int s = 0; s < 36; s++) {
        const int f = (int)(s * 2654435761u % (unsigned)l.k), c = (int)(s * 2246822519u % (unsigned)l.c), tap = s % 9;
        wrong += example_get(l.dw, ((size_t)f * 9 + tap) * l.c + c, TC_F32) != dw_of(&l, f, tap, c);
    }
    printf("%d images of %d x %d, %d channels, %d filters   ", l.n, l.h, l.w, l.c, l.k);
    if (small) printf("emulated");
    else printf("dX %.1f us (%.0f TFLOP/s), dW %.1f us (%.0f)", seconds[0] * 1e6,
                18e-12 * (double)pixels * l.c * l.k / seconds[0], seconds[1] * 1e6,
                18e-12 * (double)pixels * l.c * l.k / seconds[1]);
    printf("   %d of 136 samples wrong  %s\n", wrong, wrong ? "FAIL" : "ok");
    return wrong != 0;
}
