// ptx_newer_mma.cu - a kind that came with PTX 9.4
// expect: tc: tcgen05.mma: kind ti16 needs PTX 9.4: CUDA 13.4 or later
// expect-line: 9
// arch: 100a
// flags: -DTC_PTX_ISA=90
#include "tc.h"
__global__ void k(uint32_t d, uint64_t a, uint64_t b)
{
    TC_TCGEN05_MMA_SS(1, ti16, d, a, b, 0, 0);
}
