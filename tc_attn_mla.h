/* tc_attn_mla.h - tc 0.2.0 - multi-head latent attention of few queries over many keys. Needs: tc_attn.h; sm_90a.
 *
 *     O = softmax(scale * Q K') V         K: rows of 576 of which the first 512 are V; one cache for all heads
 *
 *     TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .causal = 1, .paged = 1)
 *     ...
 *     tc_attn_args g = { .batch = b, .heads = 128, .q_len = 1, .k_len = longest, .scale = 1 / sqrt(192), .q = Q,
 *                        .k = cache, .o = O, .lens_k = lens, .page_table = table, .table_pages = t, .page_rows = 64,
 *                        .pages = n };
 *     g.workspace_size = mla_workspace(&g);    once; the most that lens may ask for
 *     cudaMalloc(&g.workspace, g.workspace_size);
 *     tc_status st = mla_run(&g, stream);
 *
 * This is the decoding of models whose projections up from the latent have been absorbed into those of Q and O. Q is
 * (batch, q_len, heads, 576), O (batch, q_len, heads, 512), the cache (page, row, 576); strides as in tc_attn.h. heads
 * is any number; 64 rows, queries times heads, are worked on together, so that 16 or 32 heads take the time of 64; of
 * 128 a pair of blocks side by side, so that memory gives the cache once.
 *
 * FIELDS (tc_attn_config): .type, TC_F16 or TC_BF16; .causal, of the q_len queries: the last one sees all keys; .paged,
 * as in tc_attn_decode.h. No other.
 *
 * ARGS are those of decoding (tc_attn_decode.h), which is also the place for lengths on the device, for the workspace,
 * without which no keys are split, and for which calls give the same bits. heads_kv is 1 or 0, v is null or k, and
 * scale has no default: what the model was trained with is not 1 / sqrt(576). lse is written if given. Pages of 64
 * rows, or a multiple of it, take the fewest copies; of other multiples of 8 rows each page, or each part of it that is
 * a power of 2, is a copy of its own.
 *     NAME, NAME_THREADS, NAME_SMEM, NAME_can_run, NAME_run and NAME_workspace are as those of TC_ATTN_SM90_DEFINE.
 * On any device but Hopper a call is refused.
 */
#ifndef TC_ATTN_MLA_H
#define TC_ATTN_MLA_H

#include "tc_attn.h"
#include "tc_attn_mla_end.h"

#ifdef __CUDACC__

/* =====================================================================================================================
 * SM90: warp-specialised, persistent; one block an SM. A unit, and the walk along units, are those of decoding.
 *
 *     warpgroup 0     one warp brings K by TMA; the other three bring Q and leave a note on each unit
 *     warpgroup 1, 2  each has one of the two slots. It computes S of the tiles of its own slot, 64 rows by 64 keys,
 *                     and their softmax, and leaves P in the slot. And it has half of O, 256 columns in 128 registers,
 *                     to which it adds P V of both slots: of its own one with P from registers, of the other's from
 *                     shared memory.
 *
 * So the softmax of one tile runs while the Tensor Cores are at P V of the tile before and at the first half of S of
 * the one after. What exponentials are relative to goes from tile to tile: the maximum of all tiles so far, which the
 * other warpgroup gets as soon as it is known, before P, which comes in two halves of keys. With only two tiles in
 * shared memory, each quarter of one's values is asked for as soon as nobody needs that of the tile before. A
 * warpgroup's products are done in this order: S of the half that it gives back itself, P V of the other slot, S of the
 * rest. (With all of S first, the other slot's half goes back only after a softmax.)
 *
 * Two tiles of rows of a sequence, as 128 heads are, are the work of a pair of blocks, a cluster: they walk along the
 * same keys, so that memory gives each key once. Each brings all of them: a copy to both would wait for the slower one.
 *
 * A unit that lies in several runs is split. Each of its blocks leaves its sums in the workspace, as fragments lie, and
 * they meet as the blocks of a GEMM's tile do (tc_split.h): the sums are added up always in the same order, in slices
 * of columns, each by one of them.
 */
typedef struct tc_attn_mla_wgmma {
    tc_wgmma_fn qk, pv;  /* S; P V with P from shared memory, */
    tc_wgmma_rs_fn mine; /* and from registers */
} tc_attn_mla_wgmma;

TC_DEV_SM90A TC_CONSTEXPR tc_attn_mla_wgmma tc__mla_wgmma(const tc_attn_config c)
{
    const tc_wgmma_kind kind = {c.type, c.type, 0, 1, 0};
    const tc_attn_mla_wgmma m = {tc_wgmma_pick_f32(64, c.type), tc_wgmma_pick(128, kind),
                                 tc_wgmma_pick_f32_rs_mn(128, c.type)};
    return m;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A consumer.
 */
typedef struct tc__mla_kernel {
    tc_attn_config c;
    tc_attn_mla_wgmma m;
} tc__mla_kernel;

/* Of rows of 128 bytes. */
TC_DEV uint64_t tc__mla_desc(uint32_t at) { return tc_wgmma_desc_live(tc_wgmma_desc(at, 128), at); }

/* Slices from .. to - 1 of S = Q K' of a tile of its own slot, issued as they come: the half that it gives back itself,
 * the other half, the last one. */
TC_DEV_SM90A void tc__mla_qk(const tc__mla_kernel k, tc__mla_consumer *u, uint32_t phase, const int from, const int to)
{
    const uint32_t slot = tc__mla_slot(u->smem, u->wg);
#pragma unroll
    for (int i = from; i < to; i++) {
        const uint32_t first = i == 8 ? 8u : (i < 4 ? u->wg : u->wg ^ 1u) * 4u, in = (uint32_t)i % 4u;
        const uint32_t slice = first + in, at = first * TC__MLA_SLICE;
        const uint64_t q = tc__mla_desc(u->smem + at), b = tc__mla_desc(slot + at);
        if (i % 2 == 0)
            TC_MBARRIER_WAIT(tc__mla_full(u->smem, u->wg, slice / 2u), phase, "K full", (int)slice);
        tc_wgmma_fence();
#pragma unroll
        for (int j = 0; j < 4; j++)
            k.m.qk(u->s, tc_wgmma_desc_advance(q, in * TC__MLA_SLICE + (uint32_t)j * 32u),
                   tc_wgmma_desc_advance(b, in * TC__MLA_SLICE + (uint32_t)j * 32u), i > 0 || j > 0);
    }
    tc_wgmma_commit_group();
}

/* O += P V of keys from .. to, in 16s, of the quarter of V that is this warpgroup's number q: of its own slot with P
 * from registers, or of the other's. */
typedef struct tc__mla_keys {
    int q, from, to;
} tc__mla_keys;

TC_DEV_SM90A void tc__mla_pv(const tc__mla_kernel k, tc__mla_consumer *u, const int other, const tc__mla_keys x)
{
    const uint32_t slot = tc__mla_slot(u->smem, other ? u->wg ^ 1u : u->wg);
    const uint32_t half = slot + u->wg * (4u * TC__MLA_SLICE);
    const uint64_t v = tc_wgmma_desc_live(tc_wgmma_desc_mn(half, TC__MLA_SLICE), half),
                   p = tc__mla_desc(slot + 8u * TC__MLA_SLICE);
#pragma unroll
    for (int i = x.from; i < x.to; i++) {
        const uint64_t b = tc_wgmma_desc_advance(v, (uint32_t)(x.q * 2 * TC__MLA_SLICE + i * 2048));
        if (other) k.m.pv(u->r.o + 64 * x.q, tc_wgmma_desc_advance(p, (uint32_t)i * 32u), b, 1);
        else k.m.mine(u->r.o + 64 * x.q, u->a + 4 * i, b, 1);
    }
}

/* The other slot's, in two groups, each of which gives a quarter back. */
TC_DEV_SM90A void tc__mla_pv_other(const tc__mla_kernel k, tc__mla_consumer *u, uint32_t phase)
{
    const uint32_t from = u->wg ^ 1u;
    const tc__mla_keys first = {0, 0, 2}, second = {0, 2, 4}, rest = {1, 0, 4};
    TC_MBARRIER_WAIT(tc__mla_p(u->smem, from, 0), phase, "P", (int)from);
    tc_wgmma_fence();
    tc__mla_pv(k, u, 1, first);
    TC_MBARRIER_WAIT(tc__mla_p(u->smem, from, 1), phase, "P", (int)from);
    tc_wgmma_fence();
    tc__mla_pv(k, u, 1, second);
    tc_wgmma_commit_group();
    tc__mla_pv(k, u, 1, rest);
    tc_wgmma_commit_group();
}

/* Its own, of half of the keys: the products of the second half end both groups. */
TC_DEV_SM90A void tc__mla_pv_own(const tc__mla_kernel k, tc__mla_consumer *u, const int half)
{
    const tc__mla_keys first = {0, 2 * half, 2 * half + 2}, rest = {1, 2 * half, 2 * half + 2};
    tc_wgmma_fence();
    tc__mla_pv(k, u, 0, first);
    if (half) tc_wgmma_commit_group();
    tc__mla_pv(k, u, 0, rest);
    tc_wgmma_commit_group();
}

/* Which of the block's 64 quads a consumer's lane belongs to: 32 of each warpgroup. A quad has two rows. */
TC_DEV uint32_t tc__mla_quad(void) { return threadIdx.x / 4u - 32u; }

/* A quad's maxima for the other warpgroup, and whether one of them is new, from its last lane; and so is the arrival:
 * racecheck follows who wrote to each, and knows the last who read the other's. */
TC_DEV_SM80 void tc__mla_tell(const tc__mla_consumer *u, int rise)
{
    const uint32_t quad = tc__mla_quad(), last = threadIdx.x % 4u == 3u;
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %0, 0;\n\t@p st.shared.v2.f32 [%1], {%2, %3};\n\t}"
                 : : "r"(last), "r"(u->smem + TC__MLA_TOPS + quad * 8u), "f"(u->r.max[0]), "f"(u->r.max[1]) : "memory");
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %0, 0;\n\t@p st.shared.b8 [%1], %2;\n\t}"
                 : : "r"(last), "r"(u->smem + TC__MLA_RISES + quad), "r"(rise) : "memory");
    tc__mbarrier_arrive_if((int)last, tc__mla_top(u->smem, u->wg));
}

/* Whether a row has a larger maximum in the other slot's tile than in this warpgroup's own last one, which the other
 * one knew when it found that maximum. All warps of a warpgroup read the same. */
TC_DEV int tc__mla_rises(const tc__mla_consumer *u)
{
    const uint32_t at = u->smem + TC__MLA_RISES + (u->wg ^ 1u) * 32u;
    uint32_t x[8], any = 0;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at) : "memory");
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4+16];"
                 : "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7]) : "r"(at) : "memory");
#pragma unroll
    for (int i = 0; i < 8; i++) any |= x[i];
    return __any_sync(0xffffffffu, any != 0);
}

/* What the maxima of the other slot's tile do to what there is; first: O is still 0. S may be on its way: who has O to
 * rescale waits for it, which is a warpgroup's matter, and so is the question. */
TC_DEV_SM90A void tc__mla_meet_other(const tc__mla_kernel k, const tc_attn_mla_params *p, tc__mla_consumer *u,
                                     uint32_t phase, int first)
{
    const uint32_t slot = u->wg ^ 1u;
    const float scale = tc_attn_scale(k.c, &p->d.problem);
    float f[2], top[2];
    TC_MBARRIER_WAIT(tc__mla_top(u->smem, slot), phase, "maxima", (int)slot);
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(top[0]), "=f"(top[1])
                 : "r"(u->smem + TC__MLA_TOPS + (tc__mla_quad() ^ 32u) * 8u) : "memory");
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float to = top[i], base = to == -TC__INF ? 0.f : to;
        f[i] = tc__exp2((u->r.max[i] - base) * scale);
        u->r.sum[i] *= f[i];
        u->r.rounding[i] *= f[i];
        u->r.max[i] = to;
    }
    if (!first && tc__mla_rises(u)) {
        TC_WGMMA_WAIT_GROUP(0);
        tc_wgmma_fence_acc(u->s, 32);
        tc_attn_rescale(u->r.o, 256, f);
        tc_wgmma_fence_acc(u->r.o, 128);
    }
}

/* A part of V goes back. */
TC_DEV_SM90 void tc__mla_release(const tc__mla_consumer *u, uint32_t slot, uint32_t part)
{
    tc__mbarrier_arrive_if(threadIdx.x % 128u == 0, tc__mla_empty(u->smem, slot, part));
}

/* P V of a slot is done, but for the `behind` groups issued after it: its half goes back. */
TC_DEV_SM90A void tc__mla_done(tc__mla_consumer *u, uint32_t slot, const int behind)
{
    const uint32_t part = slot == u->wg ? 0u : 2u;
    if (behind) TC_WGMMA_WAIT_GROUP(2);
    else TC_WGMMA_WAIT_GROUP(1);
    tc__mla_release(u, slot, part);
    if (behind) TC_WGMMA_WAIT_GROUP(1);
    else TC_WGMMA_WAIT_GROUP(0);
    tc__mla_release(u, slot, part + 1u);
}

/* Scores of tile n to P, 32 keys at a time: registers, and the place of the slot's last slice; and the products of what
 * is in registers, issued. Before that, what exponentials are relative to. */
TC_DEV_SM90A void tc__mla_softmax(const tc__mla_kernel k, const tc_attn_mla_params *p, tc__mla_consumer *u, int n)
{
    const uint32_t slot = tc__mla_slot(u->smem, u->wg) + 8u * TC__MLA_SLICE + (uint32_t)u->r.row * 128u;
    const tc_box box = {k.c.type, 128};
    const uint32_t at = slot + tc_box_lane(box);
    tc_attn_scores x = {u->s, 64, 0, n, TC_ATTN_WHOLE, 1, 0, tc_attn_scale(k.c, &p->d.problem)};
    tc__attn_row_open row[2];
    float f[2];
    int rise;
    if (x.n >= (int)tc__mla_get(u->note + 16u)) { /* not every row may see all of its keys */
        const tc_attn_work w = tc__mla_note_work(u->note);
        x.row = u->r.row + (int)tc__mla_get(u->note + 20u);
        x.few = tc_attn_score(k.c, &p->d.problem, &w, x);
    }
    if (k.c.paged) {
        const uint32_t bad = tc__mla_get(u->smem + TC__MLA_WORDS + u->wg * 4u);
        if (bad) {
#pragma unroll
            for (int i = 0; i < 32; i++)
                if (bad >> i / 4 & 1u) u->s[i] = -TC__INF;
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) row[i] = tc__attn_row_begin(k.c, x, i, &u->r, f);
    rise = row[0].rise | row[1].rise;
    tc__mla_tell(u, rise);
    if (__any_sync(0xffffffffu, rise)) tc_attn_rescale(u->r.o, 256, f);
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int i = 0; i < 2; i++) tc__attn_row_exp2(k.c, x, i, 4 * half, 4 * half + 4, &row[i]);
        tc_attn_pack(k.c.type, u->s + 16 * half, 32, u->a + 8 * half);
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; i++) tc_stmatrix_x4(at ^ (uint32_t)(i * 32), u->a + 4 * i);
        tc_fence_proxy_async_shared();
        __syncwarp();
        tc__mbarrier_arrive_if(tc_lane() == 0, tc__mla_p(u->smem, u->wg, (uint32_t)half));
        tc__mla_pv_own(k, u, half);
    }
#pragma unroll
    for (int i = 0; i < 2; i++) tc__attn_row_end(x, i, row[i], &u->r);
    tc__attn_add_rounding(k.c, x, &u->r);
}

/* The tiles of a unit. */
TC_DEV_SM90A void tc__mla_tiles(const tc__mla_kernel k, const tc_attn_mla_params *p, tc__mla_consumer *u, int begin,
                                int count)
{
    const int own = (int)((u->tile ^ u->wg) & 1u);
    int t;
    if (own >= count) tc_mbarrier_arrive(u->smem + TC__MLA_Q + 8u);
#pragma unroll 1
    for (t = own; t < count; t += 2) {
        const uint32_t phase = (u->tile + (uint32_t)t) >> 1 & 1u,
                       before = (u->tile + (uint32_t)t - 1u) >> 1 & 1u; /* of the other slot's */
        if (t > 0) {
            tc__mla_qk(k, u, phase, 0, 4);
            tc__mla_meet_other(k, p, u, before, t == 1);
            tc__mla_pv_other(k, u, before);
            tc__mla_qk(k, u, phase, 4, TC__MLA_SLICES);
            tc__mla_done(u, u->wg ^ 1u, 1);
            TC_WGMMA_WAIT_GROUP(0);
        } else {
            tc__mla_qk(k, u, phase, 0, TC__MLA_SLICES);
            TC_WGMMA_WAIT_GROUP(0);
        }
        tc_wgmma_fence_acc(u->s, 32);
        tc_wgmma_fence_acc(u->r.o, 128);
        if (t + 2 >= count) tc_mbarrier_arrive(u->smem + TC__MLA_Q + 8u); /* the last of Q */
        tc__mla_softmax(k, p, u, begin + t);
        tc__mla_done(u, u->wg, 0);
        tc_wgmma_fence_acc(u->r.o, 128);
    }
    if (count > 0 && t - 1 < count) { /* the last tile is the other's */
        const uint32_t phase = (u->tile + (uint32_t)t - 1u) >> 1 & 1u;
        tc__mla_meet_other(k, p, u, phase, t == 1);
        tc__mla_pv_other(k, u, phase);
        tc__mla_done(u, u->wg ^ 1u, 0);
        tc_wgmma_fence_acc(u->r.o, 128);
    }
}

/* Consumer, one warpgroup: all units of the block's run. */
TC_DEV_SM90A void tc_attn_mla_mma(const tc_attn_config c, const tc_attn_mla_wgmma m, const tc_attn_mla_params *p,
                                  uint32_t smem)
{
    const tc__mla_kernel kernel = {c, m};
    float s[32], o[128];
    uint32_t a[16];
    tc__mla_consumer u;
    u.smem = smem, u.wg = (uint32_t)tc_warpgroup() - 1u, u.tile = 0;
    u.r.row = (int)(threadIdx.x / 32u % 4u) * 16;
    u.s = s, u.r.o = o, u.a = a;
#pragma unroll 1
    for (uint32_t unit = 0;; unit++) {
        tc__mla_end e;
        int begin, count;
        u.note = smem + TC__MLA_NOTES + (unit & 1u) * 64u;
        TC_MBARRIER_WAIT(smem + TC__MLA_Q, unit & 1u, "Q full", 0);
        if ((int)tc_uniform(tc__mla_get(u.note)) < 0) break;
        begin = (int)tc_uniform(tc__mla_get(u.note + 24u));
        count = (int)tc_uniform(tc__mla_get(u.note + 28u));
        tc_attn_rows_init(&u.r);
#pragma unroll
        for (int i = 0; i < 128; i++) o[i] = 0.f;
        tc__mla_tiles(kernel, p, &u, begin, count);
        u.tile += (uint32_t)count;
        tc__mla_meet(&u, unit & 1u, &e);
        if ((int)tc_uniform(tc__mla_get(u.note + 32u)) > 1) tc__mla_join(c, p, &u, &e);
        else tc__mla_store(c, &p->d.problem, &u, &e);
    }
}

/* The kernel. */
TC_DEV_SM90A void tc_attn_mla(const tc_attn_config c, const tc_attn_mla_wgmma m, const tc_attn_mla_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t smem = tc_smem_u32(tc__dynamic_smem);
    const tc_roles roles = tc_roles_of(2, TC_ROLES_PRODUCER);
    if (threadIdx.x == 0) {
        tc_prefetch_tensormap(&p->k);
        if (p->q_tma) tc_prefetch_tensormap(&p->q);
#pragma unroll 1
        for (uint32_t i = 0; i < 2u * TC__MLA_FULLS; i++) tc_mbarrier_init(smem + TC__MLA_FULL + i * 8u, 1);
#pragma unroll 1
        for (uint32_t i = 0; i < 8u; i++) tc_mbarrier_init(smem + TC__MLA_EMPTY + i * 8u, 1);
#pragma unroll 1
        for (uint32_t i = 0; i < 4u; i++) tc_mbarrier_init(smem + TC__MLA_P + i * 8u, 4);
        for (uint32_t i = 0; i < 2u; i++) tc_mbarrier_init(smem + TC__MLA_TOP + i * 8u, 32);
        tc_mbarrier_init(smem + TC__MLA_Q, TC__MLA_LOADERS);
        tc_mbarrier_init(smem + TC__MLA_Q + 8u, 256); /* all consumers: they have read the note, too */
        tc_mbarrier_init(smem + TC__MLA_TAIL, 1);
        tc_fence_mbarrier_init();
    }
    __syncthreads();
    tc_griddepcontrol_wait();
    if (tc_warpgroup() == 0) {
        tc_roles_producer(roles);
        if (threadIdx.x < 32) tc__mla_load(c, p, smem);
        else tc__mla_load_q(c, p, smem);
        tc_griddepcontrol_launch_dependents();
    } else {
        tc_roles_consumer(roles);
        tc_attn_mla_mma(c, m, p, smem);
    }
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

TC_HOST tc_status tc__attn_mla_go(const tc_attn_config *c, const tc__kernels *s, const tc_attn_args *args,
                                  const tc__launch *how)
{
    const tc__kernel k = {s->f[0].function, s->f[0].name, TC__MLA_THREADS, TC__MLA_BYTES, 1, 90, &s->cache[0]};
    return tc__attn_mla_run(c, &k, args, how);
}

#endif /* host */

#ifdef __CUDACC__

#define TC__ATTN_MLA_BODY(own, config)                                                                                \
    TC__ATTN_HOOK(own)                                                                                                \
    constexpr tc_attn_config c = config;                                                                              \
    constexpr tc_attn_mla_wgmma m = tc__mla_wgmma(config);                                                            \
    tc_attn_mla(c, m, &p);

#define TC_ATTN_MLA_DEFINE(name, ...) TC__CALL4(TC__ATTN_MLA_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_MLA_DEFINE_(name, own, ...)                                                                          \
    TC__ATTN_CONFIG(name, own, tc_attn_mla_config, __VA_ARGS__)                                                       \
    TC__ATTN_MLA_RULES(TC__RULE_ASSERT, own##_config())                                                               \
    TC__SIZES(name, own##_config(), tc_attn_mla_threads, tc_attn_mla_smem)                                            \
    TC__KERNEL_OF(name, tc_attn_mla_params, (TC__SM90_BOUND(TC__MLA_THREADS), 1),                                     \
                  TC__SM90_STRICT(TC__ATTN_MLA_BODY(own, own##_config())))                                            \
    TC__HOST_PART(TC__GO(own, attn, tc__attn_mla_go, TC__FUNCTION(name)) TC__ATTN_ENTRIES(name, own))

#endif /* __CUDACC__ */
#endif /* TC_ATTN_MLA_H */
