/* tc_gemm_plan.h - tc 0.2.0 - GEMM calls that are kept: checked, chosen and encoded once, launched as often as one
 * likes. Needs: the headers below.
 *
 *     tc_gemm_plan, NAME_plan, NAME_launch      "Plans" in tc_gemm.h
 *     tc_gemm_plan_pointers                     other matrices for a plan
 *     TC_GEMM_DECLARE(NAME)                     a generator's functions for other files
 */
#ifndef TC_GEMM_PLAN_H
#define TC_GEMM_PLAN_H

#include "tc_gemm_sm80.h"
#include "tc_gemm_sm90.h"
#include "tc_gemm_sm100.h"
#include "tc_gemm_sm120.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

enum {
    TC__GEMM_PLAN_90 = sizeof(tc_gemm_sm90_any_params), /* the largest */
    TC__GEMM_PLAN_80 = sizeof(tc_gemm_sm80_params),
    TC__GEMM_PLAN_100 = sizeof(tc_gemm_sm100_params),
    TC__GEMM_PLAN_120 = sizeof(tc_gemm_sm120_params),
    TC__GEMM_PLAN_NEW = TC__GEMM_PLAN_100 > TC__GEMM_PLAN_120 ? TC__GEMM_PLAN_100 : TC__GEMM_PLAN_120,
    TC__GEMM_PLAN_OLD = TC__GEMM_PLAN_90 > TC__GEMM_PLAN_80 ? TC__GEMM_PLAN_90 : TC__GEMM_PLAN_80,
    TC__GEMM_PLAN_BYTES = TC__GEMM_PLAN_NEW > TC__GEMM_PLAN_OLD ? TC__GEMM_PLAN_NEW : TC__GEMM_PLAN_OLD
};

/* A call that was checked, chosen and encoded: NAME_plan writes it, NAME_launch launches it. Its fields are nobody's
 * business. */
typedef struct tc_gemm_plan {
    tc__plan call;
    const void *at[4]; /* A, B, C (.gate: B2), D; null where it is not read */
    size_t epi_size;
    uint64_t params[(TC__GEMM_PLAN_BYTES + 7) / 8]; /* as words: tensor maps want 64-byte alignment, a plan does not */
} tc_gemm_plan;

typedef tc_status (*tc__gemm_go)(const tc_gemm_args *args, const tc__launch *how);

/* A generator's own functions, by which it knows its plans. */
typedef struct tc__gemm_planner {
    const char *name;
    tc__gemm_go go;
    const void *own;
} tc__gemm_planner;

TC_HOST tc_status tc__gemm_plan(const tc__gemm_planner *by, const tc_gemm_args *args, tc_gemm_plan *plan)
{
    tc__launch how = {0, 1, args && args->pdl > 0, 0, 0, 0, 0};
    tc_gemm_args g;
    tc_status st;
    cudaError_t err;
    if (!plan) return tc__fail(TC_ERR_NULL, "plan is null");
    memset((void *)plan, 0, sizeof *plan);
    how.plan = &plan->call;
    plan->call.params = plan->params;
    plan->call.pdl = how.pdl; /* or as the kernel's host side decides */
    st = by->go(args, &how);
    plan->call.params = NULL;
    if (st != TC_OK) return st;
    if (plan->call.blocks && (err = cudaGetDevice(&plan->call.device)) != cudaSuccess)
        return tc__cuda_fail("cudaGetDevice", err);
    g = tc__gemm_effective(args);
    plan->at[0] = g.k ? g.a : NULL, plan->at[1] = g.k ? g.b : NULL;
    plan->at[2] = tc__gemm_beta(&g) != 0.f ? g.c : g.b2, plan->at[3] = g.d;
    if (g.b2) plan->call.padded |= 4;
    plan->epi_size = g.epi_size;
    plan->call.of = by->own;
    return TC_OK;
}

TC_HOST tc_status tc__gemm_launch(const tc__gemm_planner *by, const tc_gemm_plan *plan, cudaStream_t stream)
{
    uint64_t params[(TC__GEMM_PLAN_BYTES + 7) / 8];
    const uint16_t one = 1;
    tc__plan again;
    tc_status st;
    if (!plan) return tc__fail(TC_ERR_NULL, "plan is null");
    if (plan->call.of != by->own) return tc__fail(TC_ERR_CONFIG, "plan was not made by %s_plan", by->name);
    st = tc__plan_launch(&plan->call, plan->params, stream);
    if (st != TC_OK || !plan->call.again || !plan->call.blocks) return st;
    memcpy(params, plan->params, sizeof params);
    memcpy((char *)params + plan->call.again, &one, sizeof one);
    again = plan->call, again.pdl = 1;
    return tc__plan_launch(&again, params, stream);
}

/* Is the third matrix B2? */
TC_HOST int tc__gemm_plan_gates(const tc_gemm_plan *plan) { return plan->call.padded & 4; }

TC_HOST tc__gemm_planned tc__gemm_planned_of(const tc_gemm_plan *plan)
{
    const tc__gemm_planned x = {plan->call.turned, tc__gemm_plan_gates(plan), plan->at};
    return x;
}

/* Where the matrices of a plan lie, and what its hook is given, in the parameters of its kernel. */
TC_HOST void tc__gemm_point_out(tc_gemm_out *out, const tc_gemm_plan *plan, const tc_gemm_args *args)
{
    if (plan->at[2]) out->c = tc__gemm_plan_gates(plan) ? args->b2 : args->c;
    out->d = args->d;
    if (plan->epi_size) memcpy(out->epi, args->epi_args, plan->epi_size);
}

/* A map that lies in what a hook is told, which is not as aligned as a map. */
TC_HOST tc_status tc__gemm90_point_epi(unsigned char *at, const void *to)
{
    tc_tmap map;
    tc_status st;
    memcpy(&map, at, sizeof map);
    st = tc_tmap_replace_address(&map, to);
    memcpy(at, &map, sizeof map);
    return st;
}

TC_HOST tc_status tc__gemm90_point(tc_gemm_sm90_params *p, const tc_gemm_plan *plan, const tc_gemm_args *args)
{
    const void *of_d = (const void *)((uintptr_t)args->d & ~(uintptr_t)15); /* with k = 0 all maps are of D */
    const int turned = plan->call.turned, cut = p->groups.count && !p->groups.most; /* TC_GROUPS_K */
    const int64_t b_before = cut ? (turned ? p->a_scale : p->b_scale).batch : 0;
    if (p->groups.count && !p->groups.bounds) { /* TC_GROUPS_ARRAY: no maps of the host's */
        if (plan->at[0]) *(turned ? &p->b_scale.at : &p->a_scale.at) = (const float *)args->a;
        if (plan->at[1]) *(turned ? &p->a_scale.at : &p->b_scale.at) = (const float *)args->b;
        return TC_OK;
    }
    tc_status st = p->d_by == TC__GEMM_D_TMA ? tc_tmap_replace_address(&p->d, args->d) : TC_OK;
    if (st == TC_OK && p->d_once == 2) st = tc__gemm90_point_epi(p->out.epi + tc__gate_map_at(0), args->d);
    if (p->gathers) {
        tc_gemm90_rows *a = (tc_gemm90_rows *)(void *)(turned ? &p->b : &p->a);
        if (plan->at[0]) a->at = (const char *)args->a;
    } else if (st == TC_OK) {
        const int64_t before = cut ? (turned ? p->b_scale : p->a_scale).batch : 0;
        st = tc_tmap_replace_address(turned ? &p->b : &p->a, plan->at[0] ? (const char *)args->a - before : of_d);
    }
    if (st == TC_OK && p->edges & TC__GEMM90_EDGE_A)
        st = tc_tmap_replace_address(&p->a_edge, turned ? args->b : args->a);
    if (st == TC_OK && p->edges & TC__GEMM90_EDGE_B)
        st = tc_tmap_replace_address(&p->b_edge, turned ? args->a : args->b);
    if (p->weights.rows) {
        if (st == TC_OK && plan->at[1]) p->weights.at = (const char *)args->b;
        return st;
    }
    if (st == TC_OK)
        st = tc_tmap_replace_address(turned ? &p->a : &p->b, plan->at[1] ? (const char *)args->b - b_before : of_d);
    if (st == TC_OK && tc__gemm_plan_gates(plan))
        st = tc__gemm90_point_epi(p->out.epi + tc__gate_map_at(plan->call.told), args->b2);
    return st;
}

TC_HOST tc_status tc__gemm90_any_point(tc_gemm_sm90_any_params *q, const tc_gemm_plan *plan, const tc_gemm_args *args)
{
    tc_status st = TC_OK;
    int i;
    if (plan->at[0] && ((uintptr_t)args->a - (uintptr_t)plan->at[0]) % 16)
        return tc__fail(TC_ERR_ALIGN, "a = %p is not as far from a multiple of 16 bytes as the plan's, %p", args->a,
                        plan->at[0]);
    if (q->p.d_by == TC__GEMM_D_TMA) st = tc_tmap_replace_address(&q->p.d, args->d);
    for (i = 0; st == TC_OK && !q->p.copies && i < 1 << q->p.classes; i++) {
        const uintptr_t first = plan->at[0] ? (uintptr_t)args->a + (uintptr_t)(i * q->y.pitch) : (uintptr_t)args->d;
        st = tc_tmap_replace_address(&q->y_maps[i], (const void *)(first - first % 16));
    }
    if (plan->at[0]) q->y.base = (const char *)args->a;
    if (plan->at[1]) q->x.base = (const char *)args->b;
    return st;
}

TC_HOST tc_status tc__gemm80_point(tc_gemm_sm80_params *p, const tc_gemm_plan *plan, const tc_gemm_args *args)
{
    const int turned = plan->call.turned;
    if (plan->at[0]) *(turned ? &p->b : &p->a) = args->a;
    if (plan->at[1]) *(turned ? &p->a : &p->b) = args->b;
    return TC_OK;
}

/* tc__gemm_point_NAME: other matrices for a plan of a kernel that takes `type` p, of which D's part is its_out; `point`
 * brings A's and B's. They lie in the plan as bytes, and stay as they are where that fails. */
#define TC__GEMM_POINT(name, type, its_out, point)                                                                    \
    TC_HOST tc_status tc__gemm_point_##name(tc_gemm_plan *plan, const tc_gemm_args *args)                             \
    {                                                                                                                 \
        type p;                                                                                                       \
        tc_status st;                                                                                                 \
        memcpy((void *)&p, plan->params, sizeof p);                                                                   \
        st = point;                                                                                                   \
        if (st != TC_OK) return st;                                                                                   \
        tc__gemm_point_out(&its_out, plan, args);                                                                     \
        memcpy(plan->params, (const void *)&p, sizeof p);                                                             \
        return TC_OK;                                                                                                 \
    }
TC__GEMM_POINT(80, tc_gemm_sm80_params, p.out, tc__gemm80_point(&p, plan, args))
TC__GEMM_POINT(90, tc_gemm_sm90_params, p.out, tc__gemm90_point(&p, plan, args))
TC__GEMM_POINT(any, tc_gemm_sm90_any_params, p.p.out, tc__gemm90_any_point(&p, plan, args))
TC__GEMM_POINT(100, tc_gemm_sm100_params, p.out, tc__gemm100_point(&p, tc__gemm_planned_of(plan), args))
TC__GEMM_POINT(120, tc_gemm_sm120_params, p.out, tc__gemm120_point(&p, tc__gemm_planned_of(plan), args))

/* Other matrices and other arguments of the hook for a plan ("Plans" at the top of this file). */
TC_HOST tc_status tc_gemm_plan_pointers(tc_gemm_plan *plan, const tc_gemm_args *args)
{
    const char *const names[4] = {"a", "b", plan && tc__gemm_plan_gates(plan) ? "b2" : "c", "d"};
    const void *to[4];
    tc_status st;
    int i;
    if (!plan || !args) return tc__fail(TC_ERR_NULL, "%s is null", plan ? "args" : "plan");
    if (!plan->call.of) return tc__fail(TC_ERR_CONFIG, "plan was not made by NAME_plan");
    if (!plan->call.blocks) return TC_OK;
    to[0] = args->a, to[1] = args->b, to[2] = tc__gemm_plan_gates(plan) ? args->b2 : args->c, to[3] = args->d;
    for (i = 0; i < 4; i++) {
        const uintptr_t most = i < 2 && plan->call.padded >> i & 1 ? 32 : 16;
        const uintptr_t bits = (uintptr_t)plan->at[i] | most, align = bits & (~bits + 1);
        if (!plan->at[i]) continue;
        if (!to[i]) return tc__fail(TC_ERR_NULL, "%s is null, but the plan's is not", names[i]);
        if ((uintptr_t)to[i] % align)
            return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of %d bytes, as the plan's is", names[i], to[i],
                            (int)align);
    }
    if (plan->epi_size && !args->epi_args)
        return tc__fail(TC_ERR_EPI, "epi_args is null, but the plan's epi_size = %d", (int)plan->epi_size);
    st = plan->call.kernel.cc < 90                           ? tc__gemm_point_80(plan, args)
       : plan->call.kernel.cc == 100                         ? tc__gemm_point_100(plan, args)
       : plan->call.kernel.cc == 120                         ? tc__gemm_point_120(plan, args)
       : plan->call.bytes == sizeof(tc_gemm_sm90_any_params) ? tc__gemm_point_any(plan, args)
                                                             : tc__gemm_point_90(plan, args);
    for (i = 0; st == TC_OK && i < 4; i++)
        if (plan->at[i]) plan->at[i] = to[i];
    return st;
}

/* For other files, C files too: declares what a generator that stands in one .cu file defines for the host. */
#define TC_GEMM_DECLARE(name)                                                                                         \
    TC__ENTRY size_t name##_workspace(const tc_gemm_args *args);                                                      \
    TC__ENTRY tc_status name##_plan(const tc_gemm_args *args, tc_gemm_plan *plan);                                    \
    TC__ENTRY tc_status name##_launch(const tc_gemm_plan *plan, cudaStream_t stream);                                 \
    TC__DECLARE(name, tc_gemm_args)

#endif /* host */
#endif /* TC_GEMM_PLAN_H */
