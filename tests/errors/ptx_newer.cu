// ptx_newer.cu - a form that the toolkit is too old for
// expect: tc: cp.async.bulk with .ignore_oob needs PTX 9.2: CUDA 13.2 or later
// expect-line: 8
// flags: -DTC_PTX_ISA=90
#include "tc_tma_more.h"
__global__ void k(const void *p, uint32_t smem, uint32_t bar)
{
    TC_CP_ASYNC_BULK_Q_OOB(.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob, smem, p, 64, 0, 8, bar);
}
