/* gemm_simt.cu - gemm_fuzz.cu for what TC_GEMM_DEFINE answers with on sm_75: f16 and 8-bit integers by its Tensor Cores
 * (tc_gemm_sm75.h), the other types on CUDA cores (tc_gemm_simt.h).
 *     build/tests/gemm_simt [problems] [seed] [largest dimension] */
#define FUZZ_KERNELS "gemm_simt.h"
#define FUZZ_DEVICE 75
#include "gemm_fuzz.cu"

/* Is a caller told, of a call that is in order? */
static void told(const char *name, tc_status (*can_run)(const tc_gemm_args *, const char **), int plain)
{
    static const char none[TC_EPI_MAX] = {0};
    const char *why = 0;
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = g.n = 8, g.ldd = 8, g.d = workspace();
    g.epi_args = none, g.epi_size = strstr(name, "e4m3") ? sizeof(once_args) : 0;
    if (!g.epi_size) g.epi_args = 0;
    CHECK(can_run(&g, &why) == TC_OK, "%s: %s", name, tc_why());
    CHECK(why && !strstr(why, "CUDA cores multiply") == !plain, "%s: why is \"%s\"", name, why ? why : "null");
}

/* Rows of A and of D looked up, in groups: whole numbers, so that every bit is known. */
static void look_up(int type, tc_status (*run)(const tc_gemm_args *, cudaStream_t))
{
    enum { M = 70, N = 37, K = 45, ROWS = 90, GROUPS = 3 };
    static const int32_t ends[GROUPS] = {20, 20, M};
    static uint16_t a[ROWS * K], b[GROUPS * N * K];
    static float d[ROWS * N], want[ROWS * N];
    static int32_t from[M], to[M];
    int32_t *d_from, *d_to, *d_ends;
    uint16_t *d_a, *d_b;
    float *d_d;
    int bad = 0;
    tc_gemm_args g;
    for (int i = 0; i < ROWS * K; i++) a[i] = (uint16_t)tc_from_f32(type, (float)test_int(-4, 4));
    for (int i = 0; i < GROUPS * N * K; i++) b[i] = (uint16_t)tc_from_f32(type, (float)test_int(-4, 4));
    for (int i = 0; i < M; i++) from[i] = test_int(-2, ROWS + 1), to[i] = i * 7 % ROWS;
    to[5] = ROWS, to[6] = -1;
    for (int i = 0; i < ROWS * N; i++) want[i] = -1;
    for (int y = 0; y < M; y++)
        for (int x = 0; x < N && to[y] >= 0 && to[y] < ROWS; x++) {
            float sum = 0;
            for (int i = 0; i < K && from[y] >= 0 && from[y] < ROWS; i++)
                sum += tc_f32_from(type, a[from[y] * K + i])
                     * tc_f32_from(type, b[((y < ends[0] ? 0 : 2) * N + x) * K + i]);
            want[to[y] * N + x] = sum;
        }
    for (int i = 0; i < ROWS * N; i++) d[i] = -1;
    CUDA_CHECK(cudaMalloc((void **)&d_from, sizeof from));
    CUDA_CHECK(cudaMalloc((void **)&d_to, sizeof to));
    CUDA_CHECK(cudaMalloc((void **)&d_ends, sizeof ends));
    CUDA_CHECK(cudaMalloc((void **)&d_a, sizeof a));
    CUDA_CHECK(cudaMalloc((void **)&d_b, sizeof b));
    CUDA_CHECK(cudaMalloc((void **)&d_d, sizeof d));
    CUDA_CHECK(cudaMemcpy(d_from, from, sizeof from, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_to, to, sizeof to, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_ends, ends, sizeof ends, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_d, d, sizeof d, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.a = d_a, g.lda = K, g.b = d_b, g.ldb = K, g.stride_b = N * K, g.d = d_d, g.ldd = N;
    g.groups.count = GROUPS, g.groups.ends = d_ends;
    g.a_row = d_from, g.a_rows = ROWS, g.d_row = d_to, g.d_rows = ROWS;
    CHECK(run(&g, 0) == TC_OK, "rows that are looked up: %s", tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(d, d_d, sizeof d, cudaMemcpyDeviceToHost));
    for (int i = 0; i < ROWS * N; i++) bad += d[i] != want[i];
    CHECK(bad == 0, "rows that are looked up: %d elements wrong", bad);
    CUDA_CHECK(cudaFree(d_from));
    CUDA_CHECK(cudaFree(d_to));
    CUDA_CHECK(cudaFree(d_ends));
    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_d));
}

/* A plan is launched as a call is. */
static void plans(void)
{
    static float ones[20 * 12], got[20 * 20];
    float *a, *d;
    int bad = 0;
    tc_gemm_plan plan;
    tc_gemm_args g;
    for (int i = 0; i < 20 * 12; i++) ones[i] = 1.f;
    CUDA_CHECK(cudaMalloc((void **)&a, sizeof ones));
    CUDA_CHECK(cudaMalloc((void **)&d, sizeof got));
    CUDA_CHECK(cudaMemcpy(a, ones, sizeof ones, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = g.n = 20, g.k = 12, g.a = g.b = a, g.lda = g.ldb = 12, g.d = d, g.ldd = 20;
    CHECK(any_tf32_plan(&g, &plan) == TC_OK && any_tf32_launch(&plan, 0) == TC_OK, "a plan: %s", tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 20 * 20; i++) bad += got[i] != 12.f;
    CHECK(bad == 0, "a plan: %d elements wrong", bad);
    CUDA_CHECK(cudaFree(a));
    CUDA_CHECK(cudaFree(d));
}

static void more(int problems, uint64_t seed, int largest)
{
    const int device = test_device();
    (void)problems, (void)seed, (void)largest;
    told("any_tf32", any_tf32_can_run, device < 80);
    told("any_f64", any_f64_can_run, device < 80);
    told("any_s8", any_s8_can_run, 0);
    if (device < 89) told("any_e4m3", any_e4m3_can_run, device < 80);
    look_up(TC_BF16, looked_up_run);
    look_up(TC_F16, looked_up_f16_run);
    plans();
}
