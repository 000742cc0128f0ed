// fence_acquire_sm80.cu - an acquire fence, which sm_90 brought
// arch: 80
// expect: tc: fence: .acquire, .release, .cluster, .proxy.async and .proxy.tensormap need sm_90
// expect-line: 11
#include "tc_mbarrier.h"

__global__ void kernel(void)
{
    TC_FENCE(.acq_rel.gpu);
    TC_FENCE(.gpu);
    TC_FENCE(.acquire.gpu);
}
