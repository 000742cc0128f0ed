// tcgen05_columns.cu - an allocation of 96 columns
// expect: tc: tcgen05.alloc: columns are 32, 64, 128, 256 or 512
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_ALLOC(1, t, 96);
}
