// multimem_type.cu - a sum that the switch has not
// expect: tc: multimem.ld_reduce: no such op, vec and type: tc_multimem.h lists them
// expect-line: 7
#include "tc_multimem.h"
__global__ void k(float *d, const float *p)
{
    TC_MULTIMEM_LD_REDUCE(.global, max, v4, f32, d, p);
}
