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

/* A generated GEMM of bf16 and what plans are refused by: another's NAME_launch, and that one's NAME_plan in words. */
typedef struct {
    tc_gemm_args size; /* m, n, k and pitches */
    tc_status (*run)(const tc_gemm_args *, cudaStream_t), (*plan)(const tc_gemm_args *, tc_gemm_plan *),
        (*launch)(const tc_gemm_plan *, cudaStream_t), (*other)(const tc_gemm_plan *, cudaStream_t);
    const char *others;
} planned;
#define PLANNED(name, of, by) {of, name##_run, name##_plan, name##_launch, by##_launch, #by "_plan"}

/* A plan gives a call's bits, with other matrices too, and is no other generator's. */
static void plan_bits(const planned *p)
{
    uint16_t *a = some(0), *b = some(0), *c = some(0), *d = some(0xa5), *e = some(0xa5);
    tc_gemm_args g = p->size, other;
    tc_gemm_plan plan;
    g.a = a, g.b = b, g.d = d;
    CHECK(p->run(&g, 0) == TC_OK && p->plan(&g, &plan) == TC_OK, "%s", tc_why());
    other = g, other.d = e;
    CHECK(tc_gemm_plan_pointers(&plan, &other) == TC_OK && p->launch(&plan, 0) == TC_OK, "%s", tc_why());
    CHECK(same(d, e), "a plan's bits");
    g.a = c, other.a = c;
    CHECK(p->run(&g, 0) == TC_OK && !same(d, e), "another A is another D: %s", tc_why());
    CHECK(tc_gemm_plan_pointers(&plan, &other) == TC_OK && p->launch(&plan, 0) == TC_OK, "%s", tc_why());
    CHECK(same(d, e), "a plan's bits with another A");
    other.b = b + 1;
    CHECK(tc_gemm_plan_pointers(&plan, &other) == TC_ERR_ALIGN && strstr(tc_why(), "b = 0x"), "%s", tc_why());
    CHECK(p->other(&plan, 0) == TC_ERR_CONFIG && strstr(tc_why(), p->others), "%s", tc_why());
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d), cudaFree(e);
}

#endif
