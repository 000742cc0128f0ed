// tcgen05_cp_shape.cu - a cp that lacks its .warpx4
// expect: tc: tcgen05.cp: the shape is 128x256b, 128x128b, 4x256b, 64x128b.warpx2::02_13
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_CP(1, 32x128b, t, a);
}
