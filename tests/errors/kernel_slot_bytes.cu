// kernel_slot_bytes.cu - a slot that is no multiple of 1024 bytes
// expect: tc: .slot_bytes must be a multiple of 1024
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
TC_KERNEL_SM90_DEFINE(mine, params, .bm = 128, .bn = 128, .slot_bytes = 32800, .accumulators = 64, .load = load,
                      .step = step, .finish = finish)
