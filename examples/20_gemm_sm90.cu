/* 20_gemm_sm90.cu - a generated Hopper GEMM: TMA, wgmma, warp specialisation. Two schedules of the same macro.
 * Cooperative: both consumer warpgroups split one 128 x 256 tile. Ping-pong: each has a tile of its own, and one
 * computes while the other stores, so that the Tensor Cores need not wait for the epilogue. */
#define TC_SM90_STUBS /* this file compiles for every target, and says at run time where it cannot run */
#include "gemm_main.h"

TC_GEMM_SM90_DEFINE(gemm_cooperative, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .bk = 64,
                    .stages = 4, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(gemm_pingpong, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 192, .bk = 64,
                    .cluster_m = 2, .schedule = TC_PINGPONG)

int main(void)
{
    const gemm_example cooperative = {gemm_cooperative_run, 0, 0, 0, 0, 0},
                       pingpong = {gemm_pingpong_run, 0, 0, 0, 0, 0};
    const int shapes[4][3] = {{4096, 4096, 4096}, {8192, 8192, 8192}, {4096, 14336, 4096}, {1000, 1000, 1000}};
    int failed = 0;
    example_device(90);
    printf("cooperative: %d threads, %d bytes of shared memory; ping-pong: %d threads, %d bytes\n",
           gemm_cooperative_THREADS, gemm_cooperative_SMEM, gemm_pingpong_THREADS, gemm_pingpong_SMEM);
    for (int i = 0; i < 4; i++) {
        printf("cooperative  ");
        failed += gemm_example_shape(&cooperative, shapes[i][0], shapes[i][1], shapes[i][2]);
        printf("ping-pong    ");
        failed += gemm_example_shape(&pingpong, shapes[i][0], shapes[i][1], shapes[i][2]);
    }
    return failed;
}
