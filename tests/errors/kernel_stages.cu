// kernel_stages.cu - more slots than shared memory has room for
// expect: tc: .stages must be 2 or more, and .slot_bytes * .stages plus the warps' .store_bytes fit in 227 KB
// expect-line: 16
#include "tc.h"

typedef struct params { tc_kernel_head head; int x; } params;
TC_DEV_SM90A void load(const tc_slot *s, const tc_work *w, const void *p) { (void)s, (void)w, (void)p; }
TC_DEV_SM90A void step(const tc_slot *s, const tc_work *w, float *acc, const void *p)
{
    acc[0] = (float)s->step, (void)w, (void)p;
}
TC_DEV_SM90A void finish(const tc_tile_end *t, const tc_work *w, float *acc, const void *p)
{
    acc[0] = (float)t->wg, (void)w, (void)p;
}
TC_KERNEL_SM90_DEFINE(mine, params, .bm = 128, .bn = 128, .slot_bytes = 65536, .stages = 4, .accumulators = 64,
                      .load = load, .step = step, .finish = finish)
