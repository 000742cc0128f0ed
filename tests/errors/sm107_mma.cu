// sm107_mma.cu - the collector of B on a chip without it
// expect: tc: tcgen05.mma: .collector::b needs sm_107a or sm_107f: compile with -gencode arch=compute_107a,code=sm_107a
// expect-line: 9
// arch: 100a
// flags: -DTC_PTX_ISA=95
#include "tc.h"
__global__ void k(uint32_t d, uint64_t a, uint64_t b)
{
    TC_TCGEN05_MMA_SS(1, f16.collector::b::fill, d, a, b, 0, 0);
}
