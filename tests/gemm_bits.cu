/* gemm_bits.cu - types that a device's Tensor Cores may lack, and that become wider in registers then: every code of
 * 8-bit floats, exactly.
 *     build/tests/gemm_bits
 * Built for sm_80; a device from sm_89 on runs that code too. */
#define TC_SM80_ON_HOPPER
#include "../tc.h"
#include "test.h"

/* ---- 8-bit floats ---- */
TC_GEMM_SM80_DEFINE(e4m3_e5m2, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32)
TC_GEMM_SM80_DEFINE(e5m2_e4m3, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F32, .acc = TC_F16, .bm = 64, .bn = 64)
TC_GEMM_DEFINE(any_e4m3, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, .shapes = TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED)

enum { CODES = 256, ONES = 64 };

/* The product with a matrix that has a 1 in each row and column. of_b: the codes are B's. A code stands at each place
 * of a word in turn (place), and at every k. Its row has it once, and it times 0 elsewhere. */
static void codes(const char *name, tc_status (*run)(const tc_gemm_args *, cudaStream_t), int types, int place)
{
    const int a_type = types & 255, b_type = types >> 8 & 255, of_b = types >> 16;
    static uint8_t all[CODES * ONES], one[ONES * ONES];
    static float d[CODES * ONES];
    const int type = of_b ? b_type : a_type, other = of_b ? a_type : b_type;
    void *d_all, *d_one, *d_d;
    int bad = 0;
    tc_gemm_args g;
    memset(all, 0, sizeof all), memset(one, 0, sizeof one);
    for (int i = 0; i < CODES; i++) all[i * ONES + (i + place) % ONES] = (uint8_t)i;
    for (int i = 0; i < ONES; i++) one[i * ONES + i] = (uint8_t)tc_from_f32(other, 1.f);
    CUDA_CHECK(cudaMalloc(&d_all, sizeof all));
    CUDA_CHECK(cudaMalloc(&d_one, sizeof one));
    CUDA_CHECK(cudaMalloc(&d_d, sizeof d));
    CUDA_CHECK(cudaMemcpy(d_all, all, sizeof all, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_one, one, sizeof one, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = of_b ? ONES : CODES, g.n = of_b ? CODES : ONES, g.k = ONES, g.lda = g.ldb = ONES, g.ldd = g.n, g.d = d_d;
    g.a = of_b ? d_one : d_all, g.b = of_b ? d_all : d_one;
    CHECK(run(&g, 0) == TC_OK, "%s: %s", name, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(d, d_d, sizeof d, cudaMemcpyDeviceToHost));
    for (int i = 0; i < CODES; i++)
        for (int j = 0; j < ONES; j++) {
            const float x = tc_f32_from(type, (uint32_t)i), want = j == (i + place) % ONES ? x : 0.f * x;
            const float got = of_b ? d[j * CODES + i] : d[i * ONES + j];
            bad += want == want ? !(got == want) : got == got;
        }
    CHECK(bad == 0, "%s: %d of the codes of %s wrong, at place %d", name, bad, tc_type_name(type), place);
    CUDA_CHECK(cudaFree(d_all));
    CUDA_CHECK(cudaFree(d_one));
    CUDA_CHECK(cudaFree(d_d));
}

/* Is a caller told that elements become wider, of a call that is in order? */
static void told(const char *name, tc_status (*can_run)(const tc_gemm_args *, const char **), const char *wanted)
{
    const char *why = 0;
    void *d;
    tc_gemm_args g;
    CUDA_CHECK(cudaMalloc(&d, 64 * 4));
    memset(&g, 0, sizeof g);
    g.m = g.n = 8, g.ldd = 8, g.d = d;
    CHECK(can_run(&g, &why) == TC_OK, "%s: %s", name, tc_why());
    CHECK(why && (wanted ? strstr(why, wanted) != 0 : *why == 0), "%s: why is \"%s\"", name, why ? why : "null");
    CUDA_CHECK(cudaFree(d));
}

static void floats(int device)
{
    for (int of_b = 0; of_b < 2; of_b++)
        for (int place = 0; place < 4; place++) {
            const int e4m3_first = TC_E4M3 | TC_E5M2 << 8 | of_b << 16;
            const int e5m2_first = TC_E5M2 | TC_E4M3 << 8 | of_b << 16;
            codes("any_e4m3", any_e4m3_run, e4m3_first, place);
            if (device < 80) continue;
            codes("e4m3_e5m2", e4m3_e5m2_run, e4m3_first, place);
            codes("e5m2_e4m3", e5m2_e4m3_run, e5m2_first, place);
        }
    told("any_e4m3", any_e4m3_can_run, device < 80 ? "CUDA cores" : device < 89 ? "become f16" : 0);
    if (device >= 80) told("e4m3_e5m2", e4m3_e5m2_can_run, device < 89 ? "become f16" : 0);
}

int main(void)
{
    const int device = test_device();
    if (device < 75) {
        SKIP("gemm_bits: no device of compute capability 7.5 or later");
        return test_end();
    }
    floats(device);
    return test_end();
}
