/* main.c - a C program over kernels.cu and call.cu: the entries by their names, tc_why() of a call in another file, in
 * each thread its own. With LINK_HIDDEN: over a library of them that exports its own functions alone. Ends with "N
 * passed, N failed, N skipped". */
#define _POSIX_C_SOURCE 200809L
#include "tc.h"
#include "../test.h"
#include <pthread.h>

#ifdef LINK_HIDDEN
#define WHY link_why() /* the library has a text of its own */
#else
#define WHY tc_why()
TC_GEMM_DECLARE(link_gemm);
TC_ATTN_DECLARE(link_attn);
#endif
const char *link_why(void);
tc_status link_call(const tc_gemm_args *args);
tc_status link_call_attn(const tc_attn_args *args);

enum { M = 24, N = 40, K = 16 };

static tc_gemm_args problem(void)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K;
    g.lda = g.ldb = K;
    g.ldd = N;
    return g;
}

static void *on_device(const void *p, size_t bytes)
{
    void *there = NULL;
    CHECK(cudaMalloc(&there, bytes) == cudaSuccess &&
              cudaMemcpy(there, p, bytes, cudaMemcpyHostToDevice) == cudaSuccess,
          "no device memory");
    return there;
}

static void test_result(void)
{
    static uint16_t a[M * K], b[N * K];
    static float d[M * N];
    tc_gemm_args g = problem();
    int i, j, k, wrong = 0;
    for (i = 0; i < M * K; i++) a[i] = tc_bf16_from_f32((float)(i % 7 - 3));
    for (i = 0; i < N * K; i++) b[i] = tc_bf16_from_f32((float)(i % 5 - 2));
    g.a = on_device(a, sizeof a);
    g.b = on_device(b, sizeof b);
    g.d = on_device(d, sizeof d);
    CHECK(link_call(&g) == TC_OK, "%s", WHY);
    CHECK(cudaMemcpy(d, g.d, sizeof d, cudaMemcpyDeviceToHost) == cudaSuccess, "no result");
    for (i = 0; i < M; i++) {
        for (j = 0; j < N; j++) {
            float sum = 0.f;
            for (k = 0; k < K; k++) sum += tc_f32_from_bf16(a[i * K + k]) * tc_f32_from_bf16(b[j * K + k]);
            wrong += d[i * N + j] != sum;
        }
    }
    CHECK(wrong == 0, "%d of %d elements", wrong, M * N);
#ifndef LINK_HIDDEN
    CHECK(link_gemm_run(&g, 0) == TC_OK, "%s", WHY);
    {
        tc_gemm_plan plan;
        float once = 0.f;
        CHECK(cudaMemset(g.d, 0xff, sizeof d) == cudaSuccess && link_gemm_plan(&g, &plan) == TC_OK
                  && link_gemm_launch(&plan, 0) == TC_OK, "a plan from C: %s", WHY);
        CHECK(cudaMemcpy(&once, g.d, sizeof once, cudaMemcpyDeviceToHost) == cudaSuccess && once == d[0],
              "a plan from C: %g, not %g", (double)once, (double)d[0]);
    }
#endif
}

/* The call is in the .cu file, the question here. */
static void test_why(void)
{
    tc_gemm_args g = problem();
    tc_attn_args t;
    g.m = -3;
    CHECK(link_call(&g) == TC_ERR_SIZE, "of another file");
    CHECK(strcmp(WHY, "m = -3 is negative") == 0, "\"%s\"", WHY);
    memset(&t, 0, sizeof t);
    t.batch = -5;
    CHECK(link_call_attn(&t) == TC_ERR_BATCH && strcmp(WHY, "batch = -5 is negative") == 0, "\"%s\"", WHY);
#ifndef LINK_HIDDEN
    {
        const char *why = NULL;
        g.m = -4;
        CHECK(link_gemm_can_run(&g, &why) == TC_ERR_SIZE && strcmp(why, "m = -4 is negative") == 0, "\"%s\"", why);
        CHECK(link_attn_run(&t, 0) == TC_ERR_BATCH, "attention from C");
    }
#endif
}

static pthread_barrier_t all_have_failed;
typedef struct told {
    int m;
    char why[TC_WHY_SIZE], first[TC_WHY_SIZE];
} told;

static void *in_thread(void *p)
{
    told *t = (told *)p;
    tc_gemm_args g = problem();
    g.m = t->m;
    strcpy(t->first, WHY);
    (void)link_call(&g);
    pthread_barrier_wait(&all_have_failed);
    strcpy(t->why, WHY);
    return NULL;
}

static void test_threads(void)
{
    static told t[2];
    pthread_t threads[2];
    char before[TC_WHY_SIZE], want[TC_WHY_SIZE];
    int i;
    strcpy(before, WHY);
    pthread_barrier_init(&all_have_failed, NULL, 2);
    for (i = 0; i < 2; i++) {
        t[i].m = -10 - i;
        CHECK(pthread_create(&threads[i], NULL, in_thread, &t[i]) == 0, "no thread");
    }
    for (i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        snprintf(want, sizeof want, "m = %d is negative", t[i].m);
        CHECK(strcmp(t[i].why, want) == 0, "thread %d: \"%s\", not \"%s\"", i, t[i].why, want);
        CHECK(t[i].first[0] == 0, "thread %d begins with \"%s\"", i, t[i].first);
    }
    CHECK(strcmp(before, WHY) == 0, "\"%s\", and not \"%s\" as before", WHY, before);
}

int main(void)
{
    test_why();
    test_threads();
    test_result();
    return test_end();
}
