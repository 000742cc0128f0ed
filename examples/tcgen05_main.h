/* tcgen05_main.h - the rest of the Blackwell examples: operands of each type, tensor maps, launches, samples checked in
 * fp64. */
#ifndef TC_TCGEN05_MAIN_H
#define TC_TCGEN05_MAIN_H

#include "example.h"

/* type: TC_BF16, TC_F16, TC_TF32, TC_E4M3 or TC_E2M1 (nvfp4, with scales sfa and sfb); d_type: bf16, f16 for f16, f32
 * for tf32. */
typedef struct tcgen05_problem {
    int m, n, k, type, d_type, sms;
    const uint8_t *a, *b, *sfa, *sfb;
    void *d;
} tcgen05_problem;
typedef tc_status (*tcgen05_run_fn)(const tcgen05_problem *);

static inline int tcgen05_row_bytes(int k, int type) { return k * tc_type_bits(type) / 8; }

/* rows x bytes in boxes of 128 bytes x box_rows: to TMA and to the swizzle all types are bytes, and bytes past the end
 * are zeros. */
static inline tc_status tcgen05_map(tc_tmap *out, const void *base, int rows, int bytes, int box_rows)
{
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = TC_U8, d.rank = 2, d.base = base, d.swizzle = 128, d.l2_promotion = 256;
    d.dim[0] = (uint64_t)bytes, d.dim[1] = (uint64_t)rows, d.stride[0] = (uint64_t)bytes;
    d.box[0] = 128, d.box[1] = (uint32_t)box_rows;
    return tc_tmap_encode(out, &d);
}

/* Scale blocks of 512 bytes as rows of 128, in boxes of four blocks. */
static inline tc_status tcgen05_map_scales(tc_tmap *out, const void *base, int blocks)
{
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = TC_U8, d.rank = 2, d.base = base;
    d.dim[0] = 128, d.dim[1] = (uint64_t)blocks * 4, d.stride[0] = 128;
    d.box[0] = 128, d.box[1] = 16;
    return tc_tmap_encode(out, &d);
}

/* D, in boxes of 128 bytes of columns. */
static inline tc_status tcgen05_map_d(tc_tmap *out, void *base, int m, int n, int type, int box_rows)
{
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = type, d.rank = 2, d.base = base, d.swizzle = 128;
    d.dim[0] = (uint64_t)n, d.dim[1] = (uint64_t)m, d.stride[0] = (uint64_t)tcgen05_row_bytes(n, type);
    d.box[0] = 1024u / (uint32_t)tc_type_bits(type), d.box[1] = (uint32_t)box_rows;
    return tc_tmap_encode(out, &d);
}

static uint64_t tcgen05_seed = 88172645463325252ull;
static inline uint32_t tcgen05_random(void)
{
    tcgen05_seed ^= tcgen05_seed >> 12, tcgen05_seed ^= tcgen05_seed << 25, tcgen05_seed ^= tcgen05_seed >> 27;
    return (uint32_t)((tcgen05_seed * 0x2545f4914f6cdd1dull) >> 32);
}

/* A matrix as bytes: -1..1 for the wide types, -2..2 for e4m3, all sixteen values of e2m1. */
static inline void tcgen05_fill(uint8_t *p, size_t bytes, int type)
{
    for (size_t i = 0; i < bytes; i += type == TC_TF32 ? 4 : type == TC_BF16 || type == TC_F16 ? 2 : 1) {
        const uint32_t r = tcgen05_random();
        const float x = (float)(int32_t)r * 4.656612873e-10f;
        const uint32_t tf32 = tc_bits_from_f32(x) & 0xffffe000u;
        const uint16_t h = type == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);
        if (type == TC_TF32) memcpy(p + i, &tf32, 4);
        else if (type == TC_BF16 || type == TC_F16) memcpy(p + i, &h, 2);
        else p[i] = (uint8_t)(type == TC_E4M3 ? r & 0xbfu : r);
    }
}

/* e4m3 and ue4m3 (no sign): 2^(exponent - 7) * 1.mmm, or mmm / 8 * 2^-6 */
static inline double tcgen05_e4m3(uint32_t x)
{
    const double m = x & 7u;
    const int e = (int)(x >> 3 & 15u);
    return (x & 128u ? -1.0 : 1.0) * (e ? ldexp(8 + m, e - 10) : ldexp(m, -9));
}

/* Element k of a row */
static inline double tcgen05_value(const uint8_t *row, int k, int type)
{
    static const double e2m1[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    uint16_t h = 0;
    float f = 0;
    if (type == TC_E4M3) return tcgen05_e4m3(row[k]);
    if (type == TC_E2M1) {
        const uint32_t x = row[k / 2] >> k % 2 * 4 & 15u;
        return x & 8u ? -e2m1[x & 7u] : e2m1[x];
    }
    if (type == TC_TF32) {
        memcpy(&f, row + 4 * (size_t)k, 4);
        return f;
    }
    memcpy(&h, row + 2 * (size_t)k, 2);
    return type == TC_BF16 ? tc_f32_from_bf16(h) : tc_f32_from_f16(h);
}

typedef struct tcgen05_call {
    tcgen05_run_fn run;
    tcgen05_problem problem;
} tcgen05_call;
static inline void tcgen05_call_run(void *self)
{
    TC_CHECK(((tcgen05_call *)self)->run(&((tcgen05_call *)self)->problem));
}

static inline uint8_t *tcgen05_to_device(const uint8_t *host, size_t bytes)
{
    void *p;
    CUDA_CHECK(cudaMalloc(&p, bytes));
    CUDA_CHECK(cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice));
    return (uint8_t *)p;
}

/* One shape; k counts 16-bit elements, so that rows have the same bytes in every type. Returns 0 if the samples are
 * right. */
static inline int tcgen05_shape(tcgen05_run_fn run, int type, int full_m, int full_n, int full_k)
{
    const int m = example_size(full_m), n = example_size(full_n), k = example_size(full_k) * 16 / tc_type_bits(type),
              samples = 400;
    const int row = tcgen05_row_bytes(k, type), factors = (row + 31) / 32 * 4; /* of a row, in whole blocks of 4 */
    const size_t a_bytes = (size_t)m * row, b_bytes = (size_t)n * row;
    const size_t sfa_bytes = (size_t)tc_tcgen05_sf_offset(factors, (m + 127) / 128 * 128, 0),
                 sfb_bytes = (size_t)tc_tcgen05_sf_offset(factors, (n + 127) / 128 * 128, 0);
    uint8_t *a = (uint8_t *)malloc(a_bytes), *b = (uint8_t *)malloc(b_bytes), *sfa = (uint8_t *)malloc(sfa_bytes),
            *sfb = (uint8_t *)malloc(sfb_bytes);
    tcgen05_call call;
    cudaDeviceProp prop;
    void (*const runs[1])(void *) = {tcgen05_call_run};
    void *const self[1] = {&call};
    double worst = 0, seconds = 0, flops = 2.0 * m * n * k;
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
    tcgen05_fill(a, a_bytes, type);
    tcgen05_fill(b, b_bytes, type);
    for (size_t i = 0; i < sfa_bytes; i++) sfa[i] = (uint8_t)(0x30 + tcgen05_random() % 16); /* 0.5 to almost 2 */
    for (size_t i = 0; i < sfb_bytes; i++) sfb[i] = (uint8_t)(0x30 + tcgen05_random() % 16);
    memset(&call, 0, sizeof call);
    call.run = run;
    call.problem.m = m, call.problem.n = n, call.problem.k = k, call.problem.type = type;
    /* few, so that a block works on several tiles even at small sizes */
    call.problem.sms = example_emulated() ? 4 : prop.multiProcessorCount;
    call.problem.d_type = type == TC_TF32 ? TC_F32 : type == TC_F16 ? TC_F16 : TC_BF16;
    call.problem.a = tcgen05_to_device(a, a_bytes), call.problem.b = tcgen05_to_device(b, b_bytes);
    call.problem.sfa = tcgen05_to_device(sfa, sfa_bytes), call.problem.sfb = tcgen05_to_device(sfb, sfb_bytes);
    call.problem.d = example_alloc((size_t)m * n, call.problem.d_type);
    example_times(1, runs, self, 5, &seconds);
    for (int s = 0; s < samples; s++) { /* the corners, then anywhere */
        const int i = s < 4 ? (s / 2) * (m - 1) : (int)((s * 2654435761u) % (unsigned)m),
                  j = s < 4 ? (s % 2) * (n - 1) : (int)((s * 40503u + 977u) % (unsigned)n);
        double y = 0, size = 0, bound, error;
        for (int e = 0; e < k; e++) {
            double x = tcgen05_value(a + (size_t)i * row, e, type) * tcgen05_value(b + (size_t)j * row, e, type);
            if (type == TC_E2M1)
                x *= tcgen05_e4m3(sfa[tc_tcgen05_sf_offset(factors, i, e / 16)])
                    * tcgen05_e4m3(sfb[tc_tcgen05_sf_offset(factors, j, e / 16)]);
            y += x, size += fabs(x);
        }
        bound = 1.2 * ((k + 8) * 1.2e-7 * size) + example_rounding(call.problem.d_type) * fabs(y) + 1e-5;
        error = fabs(example_get(call.problem.d, (size_t)i * n + j, call.problem.d_type) - y) / bound;
        if (!(error <= worst)) worst = error;
    }
    printf("%-5s m %5d  n %5d  k %5d   ", type == TC_E2M1 ? "nvfp4" : tc_type_name(type), m, n, k);
    if (example_emulated()) printf("emulated");
    else printf("%7.1f TFLOP/s", flops / seconds * 1e-12);
    printf("   worst of %d samples: %.2f of the error bound  %s\n", samples, worst, worst <= 1 ? "ok" : "FAIL");
    CUDA_CHECK(cudaFree((void *)call.problem.a));
    CUDA_CHECK(cudaFree((void *)call.problem.b));
    CUDA_CHECK(cudaFree((void *)call.problem.sfa));
    CUDA_CHECK(cudaFree((void *)call.problem.sfb));
    CUDA_CHECK(cudaFree(call.problem.d));
    free(a), free(b), free(sfa), free(sfb);
    return !(worst <= 1);
}

#endif
