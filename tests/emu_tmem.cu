/* emu_tmem.cu - what tcemu says of tensor memory that the PTX ISA forbids and hardware does. usage: emu_tmem
 * late_wait|lane_128|right Ends with 0 if the values are what hardware would give. tests/emu_modes.sh. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include "../tc.h"

enum { LATE_WAIT, LANE_128, RIGHT };
static __global__ void tmem(uint32_t *out, int how)
{
    __shared__ uint32_t slot;
    uint32_t u[4], v[4];
    if (threadIdx.x < 32) TC_TCGEN05_ALLOC(1, tc_smem_u32(&slot), 32);
    __syncthreads();
    const uint32_t t = slot, own = t + tc_tcgen05_taddr(threadIdx.x / 32 * 32, 0), at = how == LANE_128
        ? own + tc_tcgen05_taddr(128, 0) : own;
    for (int k = 0; k < 4; k++) v[k] = threadIdx.x * 4 + k;
    TC_TCGEN05_ST(32x32b, x4, own, v);
    tc_tcgen05_wait_st();
    TC_TCGEN05_LD(32x32b, x4, u, at);
    if (how != LATE_WAIT) tc_tcgen05_wait_ld();
    out[threadIdx.x * 2] = u[3];
    TC_TCGEN05_LD(32x32b, x4, v, at);
    tc_tcgen05_wait_ld(); /* as in CUTLASS: the last load of a tile is waited for */
    out[threadIdx.x * 2 + 1] = v[0];
    __syncthreads();
    if (threadIdx.x < 32) TC_TCGEN05_DEALLOC(1, t, 32);
}
int main(int argc, char **argv)
{
    static uint32_t h[256];
    uint32_t *d;
    int wrong = 0;
    const int how = argc > 1 && !strcmp(argv[1], "late_wait") ? LATE_WAIT : argc > 1 && !strcmp(argv[1], "lane_128")
        ? LANE_128 : RIGHT;
    cudaMalloc(&d, sizeof h);
    tmem<<<1, 128>>>(d, how);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (uint32_t k = 0; k < 128; k++) wrong += h[2 * k] != k * 4 + 3 || h[2 * k + 1] != k * 4;
    printf("%d values wrong\n", wrong);
    return wrong != 0;
}
