/* 00_hello_mma.cu - one warp, one mma.sync: who holds what?
 * Fills A and B with small numbers through the fragment coordinates, multiplies, checks D, and prints the map of each
 * fragment: at (row, column) stands the lane, and after the dot the element of its registers. */
#include "example.h"

static __global__ void hello(float *d)
{
#if TC_HAS_SM80
    const int lane = tc_lane();
    uint32_t a[4], b[2];
    float acc[4] = {0.f, 0.f, 0.f, 0.f};
    /* A(m, k) = m + k, B(n, k) = n - k, two elements to a register */
    for (int i = 0; i < 4; i++)
        a[i] = tc_bf16x2((float)(tc_frag_m16n8k16_a_row(lane, 2 * i) + tc_frag_m16n8k16_a_col(lane, 2 * i)),
                         (float)(tc_frag_m16n8k16_a_row(lane, 2 * i + 1) + tc_frag_m16n8k16_a_col(lane, 2 * i + 1)));
    for (int i = 0; i < 2; i++)
        b[i] = tc_bf16x2((float)(tc_frag_m16n8k16_b_row(lane, 2 * i) - tc_frag_m16n8k16_b_col(lane, 2 * i)),
                         (float)(tc_frag_m16n8k16_b_row(lane, 2 * i + 1) - tc_frag_m16n8k16_b_col(lane, 2 * i + 1)));
    tc_mma_m16n8k16_f32_bf16(acc, a, b, acc);
    for (int i = 0; i < 4; i++) d[tc_frag_m16n8k16_d_row(lane, i) * 8 + tc_frag_m16n8k16_d_col(lane, i)] = acc[i];
#endif
}

static void print_map(const char *title, int rows, int cols, int elements, int (*row)(int, int), int (*col)(int, int))
{
    printf("\n%s\n", title);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++)
            for (int lane = 0; lane < 32; lane++)
                for (int i = 0; i < elements; i++)
                    if (row(lane, i) == r && col(lane, i) == c) printf("%2d.%d ", lane, i);
        printf("\n");
    }
}

int main(void)
{
    float d[16 * 8], *dev;
    int wrong = 0;
    print_map("A of m16n8k16, 16 x 16 (m down, k across): lane.element", 16, 16, 8, tc_frag_m16n8k16_a_row,
              tc_frag_m16n8k16_a_col);
    print_map("B, 8 x 16 (n down, k across)", 8, 16, 4, tc_frag_m16n8k16_b_row, tc_frag_m16n8k16_b_col);
    print_map("D, 16 x 8 (m down, n across)", 16, 8, 4, tc_frag_m16n8k16_d_row, tc_frag_m16n8k16_d_col);
    example_device(80);
    dev = (float *)example_alloc(16 * 8, TC_F32);
    hello<<<1, 32>>>(dev);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(d, dev, sizeof d, cudaMemcpyDeviceToHost));
    for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 8; n++) {
            int sum = 0; /* small integers: the result is exact */
            for (int k = 0; k < 16; k++) sum += (m + k) * (n - k);
            wrong += d[m * 8 + n] != (float)sum;
        }
    }
    printf("D(3, 5) = %g; %d of 128 elements wrong: %s\n", (double)d[3 * 8 + 5], wrong, wrong ? "FAIL" : "ok");
    CUDA_CHECK(cudaFree(dev));
    return wrong != 0;
}
