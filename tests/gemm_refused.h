/* gemm_refused.h - calls of a generated GEMM that are refused, and matrices for them; behind test.h and tc.h. */
#ifndef GEMM_REFUSED_H
#define GEMM_REFUSED_H

enum { ROOM = 320 * 320 };
typedef struct { tc_gemm_args g; tc_gemm_choice choice; float one, zero; } bad_call;

/* NAME refuses the call `good` after it was changed (x), in each of its forms, with these words. */
#define NO(name, change, want, words)                                                                                 \
    do {                                                                                                              \
        bad_call x = good;                                                                                            \
        const char *why = 0;                                                                                          \
        tc_gemm_plan plan;                                                                                            \
        change;                                                                                                       \
        const tc_status could = name##_can_run(&x.g, &why), st = name##_run(&x.g, 0),                                 \
                        planned = name##_plan(&x.g, &plan);                                                           \
        CHECK(st == want && could == st && planned == st, "%s: %s, %s, %s", #change, tc_status_text(could),           \
              tc_status_text(st), tc_status_text(planned));                                                           \
        CHECK(strstr(tc_why(), words), "%s: %s", #change, tc_why());                                                  \
        CHECK(name##_launch(&plan, 0) == TC_ERR_CONFIG, "%s: its plan is launched", #change);                         \
    } while (0)

/* ROOM elements: of two bytes `fill`, or (0) small integers. */
static uint16_t *some(uint8_t fill)
{
    static uint16_t host[ROOM];
    uint16_t *p;
    for (int i = 0; i < ROOM; i++) host[i] = fill ? (uint16_t)(fill * 257) : tc_bf16_from_f32((float)test_int(-4, 4));
    CUDA_CHECK(cudaMalloc((void **)&p, sizeof host));
    CUDA_CHECK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    return p;
}

static int same(const uint16_t *x, const uint16_t *y)
{
    static uint16_t hx[ROOM], hy[ROOM];
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(hx, x, sizeof hx, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(hy, y, sizeof hy, cudaMemcpyDeviceToHost));
    return !memcmp(hx, hy, sizeof hx);
}

#endif
