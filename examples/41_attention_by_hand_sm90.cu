/* 41_attention_by_hand_sm90.cu - a Hopper attention kernel written from the parts, beside the generated one.
 *
 * O = softmax(scale * Q K') V, bf16, head dim 128, causal or not. Q, K, V, O: (batch, len, heads, 128), any len.
 *
 *    1 The grid is persistent: a block walks over tiles of work, each 128 queries of one head. Causal: the longest come first, and the
 *      blocks take them back and forth (0 1 2, 2 1 0, ..), so that all end at about the same time.
 *    2 One producer thread loads by TMA: Q (two slots), K and V (two slots each, of 128 keys), 128-byte swizzled. K runs one tile ahead of V.
 *    3 It also does the divisions that say what comes next, and leaves the answer as a note in shared memory beside the tile of Q.
 *    4 Two consumer warpgroups have 64 queries each. S of one tile of keys is multiplied together with P V of the tile before, and
 *      the softmax runs while P V does.
 *    5 The warpgroups take turns (named barriers): while one's products are multiplied the other is in its softmax.
 *    6 P never leaves its registers: an accumulator's layout is that of an A operand.
 *    7 The softmax is one multiply-add and one exp2 a score. O is rescaled only where a maximum has risen by more than a factor of 2^8.
 *    8 Keys are visited from the last tile down. Only the first visited has anything to mask: the diagonal, or the end.
 *    9 Where two tiles of work meet, the last P V of one and the first S of the next are multiplied together.
 *   10 O is stored (stmatrix, TMA) while that S is in the making, each warp for itself.
 */
#define TC_SM90_STUBS /* this file compiles for every target, and says at run time where it cannot run */
#include "attn_main.h"

enum {
    DIM = 128, ROWS = 128, CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS), /* ROWS: queries of a tile, and keys */
    BOX = ROWS * 128, TILE = 2 * BOX,                                      /* a tile lies in two boxes of 64 columns, 128 bytes a row */
    Q = 0, K = 1, V = 2, O_AT = 6 * TILE, NOTES_AT = O_AT + TILE, FULL_AT = NOTES_AT + 2 * 16, EMPTY_AT = FULL_AT + 6 * 8, SMEM = EMPTY_AT + 6 * 8
};

typedef struct hand_params {
    tc_tmap q, k, v, o;
    float *lse;             /* log of the sum of exp of each row: (batch, heads, len) */
    float scale;            /* of scores, times log2(e): exp(x) = exp2(x log2(e)) */
    int len, heads, causal;
    uint32_t blocks, columns, section; /* tiles of work in a column; columns: heads of all batches; those worked on side by side */
} hand_params;

/* A tile of work: ROWS queries from block * ROWS on, and how many tiles of keys they see. block -1: the end. */
typedef struct TC_ALIGN(16) hand_work {
    int block, head, batch, tiles;
} hand_work;

/* What a lane keeps for its two rows, g and g + 8 of its warp's 16: the maximum in use, and its part of the sum. */
typedef struct hand_rows {
    float max[2], sum[2];
} hand_rows;

#if TC_HAS_SM90A
/* Slot `stage` of Q, K or V: the tile, and its two mbarriers: full (TMA's bytes have come), empty (both warpgroups are done). */
TC_DEV uint32_t slot(uint32_t smem, int which, uint32_t stage) { return smem + (2 * which + stage) * TILE; }
TC_DEV uint32_t full(uint32_t smem, int which, uint32_t stage) { return smem + FULL_AT + (2 * which + stage) * 8; }
TC_DEV uint32_t empty(uint32_t smem, int which, uint32_t stage) { return smem + EMPTY_AT + (2 * which + stage) * 8; }
TC_DEV hand_work *note(uint32_t stage)
{
    extern __shared__ TC_ALIGN(1024) unsigned char dynamic_smem[];
    return (hand_work *)(dynamic_smem + NOTES_AT) + stage;
}

/* Idea 1: the block's tile of work number `round`. Columns are taken in sections whose K and V fit into L2 together. */
TC_DEV hand_work work_at(const hand_params *p, uint32_t round)
{
    const uint32_t i = round * gridDim.x + (round % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x), area = p->section * p->blocks;
    const uint32_t first = i / area * p->section, size = min(p->section, p->columns - first), block = i % area / size, column = first + i % area % size;
    hand_work w = {-1, 0, 0, 0};
    if (i >= p->blocks * p->columns) return w;
    w.block = (int)(p->causal ? p->blocks - 1 - block : block);
    w.head = (int)(column % (uint32_t)p->heads);
    w.batch = (int)(column / (uint32_t)p->heads);
    w.tiles = p->causal ? w.block + 1 : (int)p->blocks;
    return w;
}

/* The next slot of a ring, filled with rows row .. row + ROWS - 1 of a head; those behind the end become zeros. */
TC_DEV void load(const tc_tmap *map, uint32_t smem, int which, tc_ring *ring, const hand_work *w, int row)
{
    const uint32_t to = slot(smem, which, ring->stage), bar = full(smem, which, ring->stage);
    TC_MBARRIER_WAIT(empty(smem, which, ring->stage), ring->phase ^ 1, "empty", which * 2 + (int)ring->stage);
    if (which == Q) *note(ring->stage) = *w; /* idea 3: the consumers read it when the slot is full */
    if (w->block < 0) {
        tc_mbarrier_arrive(bar);
        return;
    }
    tc_mbarrier_arrive_expect_tx(bar, TILE);
    tc_cp_async_bulk_tensor_4d(to, map, 0, row, w->head, w->batch, bar);
    tc_cp_async_bulk_tensor_4d(to + BOX, map, 64, row, w->head, w->batch, bar);
    tc_ring_next(ring, 2);
}

/* Idea 2. One thread: everything in the order in which it is wanted. A tile of V is owed until the tile of K after it has been asked
 * for, be it of the next tile of work. */
TC_DEV void produce(const hand_params *p, uint32_t smem)
{
    tc_ring q = {0, 0}, k = {0, 0}, v = {0, 0};
    hand_work w, owed;
    int owed_row = -1;
    for (uint32_t round = 0;; round++) {
        w = work_at(p, round);
        load(&p->q, smem, Q, &q, &w, w.block * ROWS);
        if (w.block < 0) break;
        for (int n = w.tiles - 1; n >= 0; n--) {
            load(&p->k, smem, K, &k, &w, n * ROWS);
            if (owed_row >= 0) load(&p->v, smem, V, &v, &owed, owed_row);
            owed = w;
            owed_row = n * ROWS;
        }
    }
    load(&p->v, smem, V, &v, &owed, owed_row);
}

/* A consumer's side of a ring. Every thread waits; one of the warpgroup gives back. */
TC_DEV void wait_full(uint32_t smem, int which, const tc_ring *ring)
{
    TC_MBARRIER_WAIT(full(smem, which, ring->stage), ring->phase, "full", which * 2 + (int)ring->stage);
}
TC_DEV void release(uint32_t smem, int which, tc_ring *ring)
{
    if (threadIdx.x % 128 == 0) tc_mbarrier_arrive(empty(smem, which, ring->stage));
    tc_ring_next(ring, 2);
}

/* Idea 3, the other end. tc_uniform: a loop over a count that ptxas does not know to be the same in all lanes would push the
 * descriptors of its wgmmas out of the uniform registers. */
TC_DEV hand_work read_note(uint32_t stage)
{
    const hand_work *from = note(stage);
    const hand_work w = {(int)tc_uniform((uint32_t)from->block), (int)tc_uniform((uint32_t)from->head), (int)tc_uniform((uint32_t)from->batch),
                         (int)tc_uniform((uint32_t)from->tiles)};
    return w;
}

/* S = Q K', issued: 64 queries by 128 keys. Q and K are K-major, and 16 of their columns are 32 bytes of a row. */
TC_DEV void issue_qk(uint32_t q, uint32_t k, float *s)
{
    const uint64_t a = tc_wgmma_desc(q, 128), b = tc_wgmma_desc(k, 128);
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < DIM / 16; i++) {
        const uint32_t at = i / 4 * BOX + i % 4 * 32;
        TC_WGMMA_SS(128, f32, bf16, s, tc_wgmma_desc_advance(a, at), tc_wgmma_desc_advance(b, at), i > 0, 1, 1, 0, 0);
    }
    tc_wgmma_commit_group();
}

/* O += P V, issued; add 0: O = P V. Idea 6: P from registers. V lies as it came, a row a key: MN-major, and 16 keys are 2048 bytes. */
TC_DEV void issue_pv(const uint32_t *prob, uint32_t v, float *o, int add)
{
    const uint64_t b = tc_wgmma_desc_mn(v, BOX);
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < ROWS / 16; i++) TC_WGMMA_RS(128, f32, bf16, o, prob + 4 * i, tc_wgmma_desc_advance(b, (uint32_t)i * 2048), i > 0 ? 1 : add, 1, 1, 1);
    tc_wgmma_commit_group();
}

/* Idea 7: scores to exp2(scale * (score - max)), in place. 1, for the whole warp: max was raised, and what O has so far is to be
 * multiplied by f. Until a lane needs that, none asks its neighbours for theirs: max is the same in the 4 lanes of a row, but not the top. */
TC_DEV int softmax(float scale, float *s, hand_rows *r, float *f)
{
    float top[2] = {s[0], s[2]};
    int rise;
#pragma unroll
    for (int j = 1; j < ROWS / 4; j++) {
        top[0] = fmaxf(top[0], s[j / 2 * 4 + j % 2]);
        top[1] = fmaxf(top[1], s[j / 2 * 4 + j % 2 + 2]);
    }
    rise = __any_sync(0xffffffffu, (top[0] - r->max[0]) * scale > 8.f || (top[1] - r->max[1]) * scale > 8.f);
    if (rise) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float to = fmaxf(r->max[i], top[i]);
            to = fmaxf(to, __shfl_xor_sync(0xffffffffu, to, 1));
            to = fmaxf(to, __shfl_xor_sync(0xffffffffu, to, 2));
            f[i] = exp2f((r->max[i] - to) * scale);
            r->sum[i] *= f[i];
            r->max[i] = to;
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float shift = -r->max[i] * scale;
        float even = 0.f, odd = 0.f;
#pragma unroll
        for (int j = 0; j < ROWS / 8; j++) {
            float *x = s + 4 * j + 2 * i;
            x[0] = exp2f(fmaf(x[0], scale, shift));
            x[1] = exp2f(fmaf(x[1], scale, shift));
            even += x[0];
            odd += x[1];
        }
        r->sum[i] += even + odd;
    }
    return rise;
}

/* Idea 6: s[8i] .. s[8i + 7] lie as the 4 registers of A for keys 16i .. 16i + 15 do. */
TC_DEV void pack(const float *s, uint32_t *prob)
{
#pragma unroll
    for (int i = 0; i < ROWS / 4; i++) prob[i] = tc_bf16x2(s[2 * i], s[2 * i + 1]);
}

/* The first S of a tile of work, after its issue, to P. row: of this lane in the tile. Every query sees a key here (its own place is
 * on the diagonal), so that no maximum stays -inf. */
TC_DEV void first(const hand_params *p, uint32_t smem, const hand_work *w, tc_ring *k, int row, float *s, uint32_t *prob, hand_rows *r)
{
    const int left = p->len - (w->tiles - 1) * ROWS;
    float f[2];
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(s, ROWS / 2);
    release(smem, K, k);
    if (p->causal || left < ROWS) { /* idea 8; behind the end Q's rows are not stored, so that causal needs no second bound */
#pragma unroll
        for (int j = 0; j < ROWS / 2; j++)
            if (j / 4 * 8 + j % 2 + tc_lane() % 4 * 2 >= (p->causal ? row + j / 2 % 2 * 8 + 1 : left)) s[j] = -INFINITY;
    }
    r->max[0] = r->max[1] = -INFINITY;
    r->sum[0] = r->sum[1] = 0.f;
    softmax(p->scale, s, r, f);
    pack(s, prob);
}

/* Idea 10: a warp's 16 rows of O, divided by their sums, through its own part of shared memory. row: of the warp in the tile. */
TC_DEV void store(const hand_params *p, uint32_t smem, const hand_work *w, int row, float *o, const hand_rows *r)
{
    const uint32_t lane = (uint32_t)tc_lane(), from = smem + O_AT + (uint32_t)row * 128, at = from + tc_swizzle_128B(lane % 16 * 128 + lane / 16 * 16);
    const int q0 = w->block * ROWS + row;
    float inverse[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int q = q0 + (int)lane / 4 + i * 8;
        float sum = r->sum[i];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        inverse[i] = 1.f / sum;
        if (lane % 4 == 0 && q < p->len)
            p->lse[((size_t)w->batch * p->heads + w->head) * p->len + q] = (r->max[i] * p->scale + log2f(sum)) * 0.69314718f;
    }
    if (lane == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0); /* the tile before has left */
    __syncwarp();
#pragma unroll
    for (int j = 0; j < DIM / 16; j++) {
        const float *x = o + 8 * j, a = inverse[0], b = inverse[1];
        const uint32_t v[4] = {tc_bf16x2(x[0] * a, x[1] * a), tc_bf16x2(x[2] * b, x[3] * b), tc_bf16x2(x[4] * a, x[5] * a), tc_bf16x2(x[6] * b, x[7] * b)};
        tc_stmatrix_x4((at ^ (uint32_t)(j % 4 * 32)) + (uint32_t)(j / 4 * BOX), v);
    }
    tc_fence_proxy_async_shared(); /* ordinary writes before, TMA's reads after */
    __syncwarp();
    if (lane == 0 && q0 < p->len) { /* rows behind the end are cut off by TMA */
        tc_cp_async_bulk_tensor_4d_store(&p->o, from, 0, q0, w->head, w->batch);
        tc_cp_async_bulk_tensor_4d_store(&p->o, from + BOX, 64, q0, w->head, w->batch);
        tc_cp_async_bulk_commit_group();
    }
}

/* A warpgroup: 64 queries of each tile of work. */
TC_DEV void consume(const hand_params *p, uint32_t smem, int wg)
{
    const int warp_row = wg * 64 + (int)(threadIdx.x / 32 % 4) * 16, row = warp_row + tc_lane() / 4;
    const uint32_t mine = (uint32_t)wg * (64 * 128); /* where this warpgroup's rows begin in a box of Q */
    tc_ring q = {0, 0}, k = {0, 0}, v = {0, 0};
    hand_work w, next;
    hand_rows r;
    float s[ROWS / 2], o[DIM / 2], f[2];
    uint32_t prob[ROWS / 4];
    int add;

    if (wg == 1) tc_bar_arrive(1, 256); /* idea 5: warpgroup 0 begins. Barrier 1 + wg is waited for by that warpgroup */
    wait_full(smem, Q, &q);
    w = read_note(q.stage);
    wait_full(smem, K, &k);
    issue_qk(slot(smem, Q, q.stage) + mine, slot(smem, K, k.stage), s);
    first(p, smem, &w, &k, row, s, prob, &r);
    for (;;) {
        add = 0;
        for (int n = 1; n < w.tiles; n++) { /* idea 4: S of this tile of keys, P V of the one before */
            int rise;
            wait_full(smem, K, &k);
            tc_bar_sync(1 + wg, 256); /* idea 5: my turn .. */
            issue_qk(slot(smem, Q, q.stage) + mine, slot(smem, K, k.stage), s);
            wait_full(smem, V, &v);
            issue_pv(prob, slot(smem, V, v.stage), o, add);
            tc_bar_arrive(2 - wg, 256); /* .. yours */
            add = 1;
            TC_WGMMA_WAIT_GROUP(1); /* S has come; P V goes on */
            tc_wgmma_fence_acc(s, ROWS / 2);
            release(smem, K, &k);
            rise = softmax(p->scale, s, &r, f);
            TC_WGMMA_WAIT_GROUP(0);
            tc_wgmma_fence_acc(o, DIM / 2);
            release(smem, V, &v);
            pack(s, prob); /* not before P V has read the P before */
            if (rise) {
#pragma unroll
                for (int i = 0; i < DIM / 2; i++) o[i] *= f[i / 2 % 2];
            }
        }
        release(smem, Q, &q);
        wait_full(smem, V, &v);
        wait_full(smem, Q, &q);
        next = read_note(q.stage);
        if (next.block < 0) break;
        tc_bar_sync(1 + wg, 256);
        issue_pv(prob, slot(smem, V, v.stage), o, add); /* idea 9: the last P V of w, the first S of next */
        wait_full(smem, K, &k);
        issue_qk(slot(smem, Q, q.stage) + mine, slot(smem, K, k.stage), s);
        tc_bar_arrive(2 - wg, 256);
        TC_WGMMA_WAIT_GROUP(1);
        tc_wgmma_fence_acc(o, DIM / 2);
        release(smem, V, &v);
        store(p, smem, &w, warp_row, o, &r); /* idea 10: while S is in the making */
        first(p, smem, &next, &k, row, s, prob, &r);
        w = next;
    }
    issue_pv(prob, slot(smem, V, v.stage), o, add);
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(o, DIM / 2);
    store(p, smem, &w, warp_row, o, &r);
    if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}
#endif

static __global__ void __launch_bounds__(THREADS, 1) hand_kernel(const __grid_constant__ hand_params p)
{
#if TC_HAS_SM90A
    extern __shared__ TC_ALIGN(1024) unsigned char dynamic_smem[];
    const uint32_t smem = tc_smem_u32(dynamic_smem);
    const int wg = tc_warpgroup();
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < 6; i++) {
            tc_mbarrier_init(smem + FULL_AT + i * 8, 1);
            tc_mbarrier_init(smem + EMPTY_AT + i * 8, CONSUMERS);
        }
        tc_fence_mbarrier_init();
    }
    __syncthreads();
    if (wg == 0) {
        TC_SETMAXNREG_DEC(40);
        if (threadIdx.x == 0) produce(&p, smem);
    } else {
        TC_SETMAXNREG_INC(232);
        consume(&p, smem, wg - 1);
    }
#endif
}

/* A map of (batch, len, heads, 128) bf16 in boxes of 64 columns of box_rows rows of one head. */
static tc_status map(tc_tmap *out, const void *base, const tc_attn_args *g, uint32_t box_rows)
{
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = TC_BF16, d.rank = 4, d.base = base, d.swizzle = 128, d.l2_promotion = 256;
    d.dim[0] = DIM, d.dim[1] = (uint64_t)g->q_len, d.dim[2] = (uint64_t)g->heads, d.dim[3] = (uint64_t)g->batch;
    d.stride[1] = DIM * 2, d.stride[0] = d.dim[2] * d.stride[1], d.stride[2] = d.dim[1] * d.stride[0];
    d.box[0] = 64, d.box[1] = box_rows, d.box[2] = d.box[3] = 1;
    return tc_tmap_encode(out, &d);
}

static tc_status hand_run(const tc_attn_args *g, int causal, cudaStream_t stream)
{
    const int fit = 32000000 / (g->q_len * DIM * 4); /* columns whose K and V take 32 MB of L2 */
    hand_params p;
    int sms = 0;
    tc_status st = map(&p.q, g->q, g, ROWS);
    if (st == TC_OK) st = map(&p.k, g->k, g, ROWS);
    if (st == TC_OK) st = map(&p.v, g->v, g, ROWS);
    if (st == TC_OK) st = map(&p.o, g->o, g, 16);
    if (st != TC_OK) return st;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    p.lse = g->lse, p.scale = 1.44269504f / sqrtf(DIM), p.len = g->q_len, p.heads = g->heads, p.causal = causal;
    p.blocks = (uint32_t)(g->q_len + ROWS - 1) / ROWS, p.columns = (uint32_t)(g->batch * g->heads);
    p.section = !causal || fit < 1 ? 1 : (uint32_t)fit < p.columns ? (uint32_t)fit : p.columns;
    cudaFuncSetAttribute(hand_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM);
    hand_kernel<<<min((uint32_t)sms, p.blocks * p.columns), THREADS, SMEM, stream>>>(p);
    return cudaGetLastError() == cudaSuccess ? TC_OK : TC_ERR_CUDA;
}
static tc_status hand_full_run(const tc_attn_args *g, cudaStream_t stream) { return hand_run(g, 0, stream); }
static tc_status hand_causal_run(const tc_attn_args *g, cudaStream_t stream) { return hand_run(g, 1, stream); }

TC_ATTN_SM90_DEFINE(generated_full, .type = TC_BF16, .head_dim = DIM)
TC_ATTN_SM90_DEFINE(generated_causal, .type = TC_BF16, .head_dim = DIM, .causal = 1)

int main(void)
{
    const attn_example full = {"by hand", hand_full_run, 0, 0, 0, 0, 0, 0, 0, 0, 0, generated_full_run};
    const attn_example causal = {"by hand", hand_causal_run, 1, 0, 0, 0, 0, 0, 0, 0, 0, generated_causal_run};
    const int shapes[5][3] = {{32, 16, 512}, {8, 16, 2048}, {4, 16, 4096}, {1, 16, 16384}, {3, 5, 3333}}; /* batch, heads, len */
    int failed = 0;
    example_device(90);
    for (int i = 0; i < 10; i++) {
        const int *n = shapes[i % 5];
        failed += attn_example_shape(i < 5 ? &full : &causal, attn_shape{n[0], n[1], n[1], n[2], n[2], DIM});
    }
    return failed;
}
