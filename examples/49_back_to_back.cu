/* 49_back_to_back.cu - D = relu(A B0 + bias) B1: two products in a row, whose middle of 256 columns never leaves the
 * chip. Beside it two calls of a GEMM, which write the middle and read it again. */
#define TC_SM90_STUBS
#include "example.h"

/* ---- the two products: yours ---- */
TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
{
    return tc_relu(x + ((const tc_epi_vector *)args)->v[at.col]);
}
TC_GEMM_B2B_DEFINE(mlp, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .act = bias_relu, .epi_size = sizeof(tc_epi_vector))
static tc_status mlp_of(const void *a, const void *b0, tc_epi_vector bias, const void *b1, void *d, int m)
{
    const tc_gemm_b2b_args args = {.m = m, .n = 64, .n0 = 256, .k = 64, .a = a, .lda = 64, .b0 = b0, .ldb0 = 64,
                                   .b1 = b1, .ldb1 = 256, .d = d, .ldd = 64, .epi_args = &bias,
                                   .epi_size = sizeof bias};
    return mlp_run(&args, 0);
}

/* ---- the rest: two calls beside it ---- */
TC_GEMM_SM90_DEFINE(first, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_relu,
                    .epi_size = sizeof(tc_epi_vector))
TC_GEMM_SM90_DEFINE(second, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 64)
enum { N = 64, N0 = 256, K = 64 };

typedef struct call {
    int m;
    const void *a, *b0, *b1;
    tc_epi_vector bias;
    void *middle, *d;
} call;
static void run_one(void *self)
{
    const call *c = (const call *)self;
    TC_CHECK(mlp_of(c->a, c->b0, c->bias, c->b1, c->d, c->m));
}
static void run_two(void *self)
{
    const call *c = (const call *)self;
    const tc_gemm_args x = {.m = c->m, .n = N0, .k = K, .a = c->a, .lda = K, .b = c->b0, .ldb = K, .d = c->middle,
                            .ldd = N0, .epi_args = &c->bias, .epi_size = sizeof c->bias};
    const tc_gemm_args y = {.m = c->m, .n = N, .k = N0, .a = c->middle, .lda = N0, .b = c->b1, .ldb = N0, .d = c->d,
                            .ldd = N};
    TC_CHECK(first_run(&x, 0));
    TC_CHECK(second_run(&y, 0));
}

/* Element (i, j) of D in fp64, and how far the kernel's may be from it: an element of the middle by k additions in f32
 * (2^-22 of their sizes each) and a rounding to bf16; D by these, n0 more additions and a rounding. */
static double value(const call *c, int i, int j, double *bound)
{
    float b1[N0];
    double sum = 0, size = 0, slack = 0;
    example_row(b1, c->b1, (size_t)j * N0, N0, TC_BF16);
    for (int e = 0; e < N0; e++) {
        double sizes;
        const double bias = example_get(c->bias.v, (size_t)e, TC_F32);
        double x = example_dot(c->a, K, c->b0, K, K, i, e, TC_BF16, &sizes) + bias;
        const double off = (K + 2) * 2.4e-7 * (sizes + fabs(bias));
        x = x < 0 ? 0 : x;
        sum += x * b1[e], size += fabs(x * b1[e]);
        slack += (off + example_rounding(TC_BF16) * (fabs(x) + off)) * fabs(b1[e]);
    }
    *bound = slack + (N0 + 1) * 2.4e-7 * (size + slack) + example_rounding(TC_BF16) * (fabs(sum) + slack) + 1e-6;
    return sum;
}

int main(void)
{
    example_device(90);
    const int m = example_size(16384);
    const call c = {m, example_random((size_t)m * K, 1, TC_BF16, 1.f), example_random((size_t)N0 * K, 2, TC_BF16, 0.2f),
                    example_random((size_t)N * N0, 3, TC_BF16, 0.2f),
                    {(const float *)example_random(N0, 4, TC_F32, 1.f)}, 0, example_alloc((size_t)m * N, TC_BF16)};
    call both = c;
    both.middle = example_alloc((size_t)m * N0, TC_BF16), both.d = example_alloc((size_t)m * N, TC_BF16);
    void (*run[2])(void *) = {run_one, run_two};
    void *self[2] = {(void *)&c, &both};
    double seconds[2], worst = 0, bound;
    example_times(2, run, self, 20, seconds);
    for (int s = 0; s < 60; s++) {
        const int i = s < 4 ? s * (m - 1) / 3 : (int)(s * 2246822519u % (unsigned)m), j = (int)(s * 2654435761u % N);
        const double want = value(&c, i, j, &bound);
        const double error = fabs(example_get(c.d, (size_t)i * N + j, TC_BF16) - want) / bound;
        if (!(error <= worst)) worst = error;
    }
    printf("m %d  n %d  n0 %d  k %d   ", m, N, N0, K);
    if (example_emulated()) printf("emulated");
    else printf("%.2f us, two calls %.2f us: %.2f times as fast", seconds[0] * 1e6, seconds[1] * 1e6,
                seconds[1] / seconds[0]);
    printf("   worst of 60 samples: %.2f of the error bound  %s\n", worst, worst <= 1 ? "ok" : "FAIL");
    return worst > 1;
}
