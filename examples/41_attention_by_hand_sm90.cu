/* 41_attention_by_hand_sm90.cu - a Hopper attention kernel written from the parts, beside the generated one. Needs
 * tc*.h alone.
 *
 * O = softmax(scale * Q K') V in bf16, head dim 128, causal or not. Q, K, V and O are (batch, len, heads, 128), len is
 * any.
 *    1 The grid is persistent: a block walks over tiles of work, 128 queries of a head each. Causal: longest first,
 *      back and forth over blocks.
 *    2 One producer thread loads Q, K and V by TMA into two slots of 128 rows each. K runs one tile ahead of V.
 *    3 It also does the divisions that say what comes next, and leaves a note about it in shared memory beside the tile
 *      of Q.
 *    4 Two consumer warpgroups, 64 queries each. S of a tile of keys is multiplied together with P V of the one before;
 *      softmax meanwhile.
 *    5 The warpgroups take turns, by named barriers: while one's products are multiplied, the other is in its softmax.
 *    6 P never leaves its registers: an accumulator lies in them as an A operand does.
 *    7 The softmax is one multiply-add and one exp2 a score. O is rescaled only where a row of the warp has a new
 *      maximum.
 *    8 Keys are visited from the last tile down. Only the first visited has anything to mask: the diagonal, or the end.
 *    9 Where two tiles of work meet, the last P V of the one and the first S of the other are multiplied together.
 *   10 O is stored while that S is in the making, by stmatrix and TMA, each warp for itself.
 */
#define TC_SM90_STUBS /* this file compiles for every target, and says at run time where it cannot run */
#include "tc.h"
#include <math.h>
#include <stdlib.h>

enum { /* a tile of Q, K, V or O: 128 rows of 128 columns, in two boxes of 64 columns: 128 bytes a row, swizzled */
    DIM = 128, ROWS = 128, BOX = ROWS * 128, TILE = 2 * BOX, CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS),
    /* two slots of Q, K and V, each with two mbarriers: full (TMA is done), empty (the consumers are) */
    Q = 0, K = 1, V = 2, O = 3, SLOTS = 2 * 3,
    O_AT = SLOTS * TILE, NOTES_AT = O_AT + TILE, FULL_AT = NOTES_AT + 2 * 16, EMPTY_AT = FULL_AT + SLOTS * 8,
    SMEM = EMPTY_AT + SLOTS * 8
};

typedef struct hand_params {
    tc_tmap map[4];
    /* log of the sum of exp of a row's scores: (batch, heads, len); scale holds log2(e): exp(x) = exp2(x log2(e)) */
    float *lse, scale;
    int len, heads, causal;
    /* tiles of work of a head; heads of all batches; how many of these are worked on side by side */
    uint32_t blocks, columns, section;
} hand_params;
/* queries block * ROWS and on, which see so many tiles of keys; 0: the end */
typedef struct hand_work { int block, head, batch, tiles; } hand_work;
/* a lane's two rows: maximum in use, sum in two parts, factor for O */
typedef struct hand_rows { float max[2], sum[4], f[2]; } hand_rows;
/* where a thread stands in the slots of Q, K and V */
typedef struct hand_rings { uint32_t smem; hand_work *notes; tc_ring at[3]; } hand_rings;

#if TC_HAS_SM90A
TC_DEV uint32_t slot(const hand_rings *u, int kind) { return u->smem + (2 * kind + u->at[kind].stage) * TILE; }
TC_DEV uint32_t full(const hand_rings *u, int kind) { return u->smem + FULL_AT + (2 * kind + u->at[kind].stage) * 8; }
TC_DEV uint32_t empty(const hand_rings *u, int kind) { return u->smem + EMPTY_AT + (2 * kind + u->at[kind].stage) * 8; }
/* Idea 1: the block's tile of work number `round`. Heads are taken in sections whose K and V fit into L2 together. */
TC_DEV hand_work work_at(const hand_params *p, uint32_t round)
{
    const uint32_t turn = round * gridDim.x + (round % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x),
                   total = p->blocks * p->columns;
    const uint32_t i = min(turn, total - 1), area = p->section * p->blocks;
    const uint32_t begin = i / area * p->section, size = min(p->section, p->columns - begin), row = i % area / size,
                   column = begin + i % area % size;
    const int block = (int)(p->causal ? p->blocks - 1 - row : row), tiles = p->causal ? block + 1 : (int)p->blocks;
    return hand_work{block, (int)column % p->heads, (int)column / p->heads, turn < total ? tiles : 0};
}

/* Rows row .. row + ROWS - 1 of a head into the next slot; TMA makes zeros of those behind the end. */
TC_DEV void load(const hand_params *p, hand_rings *u, int kind, const hand_work *w, int row)
{
    TC_MBARRIER_WAIT(empty(u, kind), u->at[kind].phase ^ 1, "empty", kind);
    if (kind == Q) u->notes[u->at[Q].stage] = *w; /* idea 3 */
    tc_mbarrier_arrive_expect_tx(full(u, kind), w->tiles ? TILE : 0);
    for (int i = 0; i < 2 && w->tiles; i++)
        tc_cp_async_bulk_tensor_4d(slot(u, kind) + (uint32_t)i * BOX, &p->map[kind], i * 64, row, w->head, w->batch,
                                   full(u, kind));
    tc_ring_next(&u->at[kind], 2);
}

/* Idea 2. A tile of V waits until the K after it has been asked for, be that of the next tile of work. */
TC_DEV void produce(const hand_params *p, hand_rings *u)
{
    hand_work owed; /* of the V still to come, and its first key */
    int key = -1;
    for (uint32_t round = 0;; round++) {
        const hand_work w = work_at(p, round);
        load(p, u, Q, &w, w.block * ROWS);
        if (!w.tiles) break;
        for (int n = w.tiles - 1; n >= 0; n--) { /* idea 8 */
            load(p, u, K, &w, n * ROWS);
            if (key >= 0) load(p, u, V, &owed, key);
            owed = w, key = n * ROWS;
        }
    }
    load(p, u, V, &owed, key);
}

/* Consumers: all threads wait for a slot; when the products that read it are done, acc is theirs to use, and one thread
 * gives the slot back. */
TC_DEV void acquire(const hand_rings *u, int kind) { TC_MBARRIER_WAIT(full(u, kind), u->at[kind].phase, "full", kind); }
TC_DEV void release(hand_rings *u, int kind, float *acc)
{
    tc_wgmma_fence_acc(acc, 64);
    if (threadIdx.x % 128 == 0) tc_mbarrier_arrive(empty(u, kind));
    tc_ring_next(&u->at[kind], 2);
}

/* Idea 3. tc_uniform: unless ptxas knows the loop's count to be the same in all lanes, wgmma's descriptors leave the
 * uniform registers. */
TC_DEV void next_work(const hand_rings *u, int wg, hand_work *w)
{
    acquire(u, Q);
    *w = u->notes[u->at[Q].stage];
    tc_bar_sync(3 + wg, 128); /* the whole warpgroup has read before one of its threads gives the slot back */
    w->tiles = (int)tc_uniform((uint32_t)w->tiles);
}

/* S = Q K', issued: 64 queries, 128 keys. Both are K-major: 16 columns are 32 bytes of a row. */
TC_DEV void issue_qk(const hand_rings *u, int wg, float *s)
{
    const uint64_t q = tc_wgmma_desc(slot(u, Q) + (uint32_t)wg * (64 * 128), 128), k = tc_wgmma_desc(slot(u, K), 128);
    tc_wgmma_fence();
#pragma unroll
    for (uint32_t i = 0, at = 0; i < DIM / 16; i++, at = i / 4 * BOX + i % 4 * 32)
        TC_WGMMA_SS(128, f32, bf16, s, tc_wgmma_desc_advance(q, at), tc_wgmma_desc_advance(k, at), i > 0, 1, 1, 0, 0);
    tc_wgmma_commit_group();
}

/* O += P V, issued; add 0: O = P V. V is MN-major, a key a row: 16 keys are 2048 bytes. */
TC_DEV void issue_pv(const hand_rings *u, const uint32_t *prob, float *o, int add)
{
    const uint64_t v = tc_wgmma_desc_mn(slot(u, V), BOX);
    acquire(u, V);
    tc_wgmma_fence();
#pragma unroll
    for (uint32_t i = 0; i < ROWS / 16; i++)
        TC_WGMMA_RS(128, f32, bf16, o, prob + 4 * i, tc_wgmma_desc_advance(v, i * 2048), i > 0 || add, 1, 1, 1);
    tc_wgmma_commit_group();
}

/* exp2f has two instructions more, for denormals */
TC_DEV float exp2_fast(float x) { asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)); return x; }
/* Idea 7: scores to exp2(scale * (score - max)), in place. s[j] is of row j / 2 % 2 of the lane's two. The return value
 * is the same in the warp: 1 if a maximum was raised, and what O has so far is to be multiplied by r->f. Only then do
 * lanes of a row ask each other. */
TC_DEV int softmax(float scale, float *s, hand_rows *r)
{
    float top[4] = {s[0], s[1], s[2], s[3]};
#pragma unroll
    for (int j = 4; j < ROWS / 2; j++) top[j % 4] = fmaxf(top[j % 4], s[j]);
    top[0] = fmaxf(top[0], top[1]), top[1] = fmaxf(top[2], top[3]);
    const int rise = __any_sync(0xffffffffu, top[0] > r->max[0] || top[1] > r->max[1]);
    if (rise) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float to = fmaxf(r->max[i], top[i]);
            to = fmaxf(to, __shfl_xor_sync(0xffffffffu, to, 1));
            to = fmaxf(to, __shfl_xor_sync(0xffffffffu, to, 2));
            r->f[i] = exp2_fast((r->max[i] - to) * scale);
            r->max[i] = to, r->sum[2 * i] *= r->f[i], r->sum[2 * i + 1] *= r->f[i];
        }
    }
#pragma unroll
    for (int j = 0; j < ROWS / 2; j++) {
        s[j] = exp2_fast(fmaf(s[j], scale, -r->max[j / 2 % 2] * scale));
        r->sum[j % 4] += s[j];
    }
    return rise;
}

TC_DEV void pack(const float *s, uint32_t *prob) /* idea 6 */
{
#pragma unroll
    for (int i = 0; i < ROWS / 4; i++) prob[i] = tc_bf16x2(s[2 * i], s[2 * i + 1]);
}

/* The first S of a tile of work, in the making, to P. row: the warp's first in the tile. */
TC_DEV void first(const hand_params *p, hand_rings *u, const hand_work *w, int row, float *s, uint32_t *prob,
                  hand_rows *r)
{
    const int end = p->len - (w->tiles - 1) * ROWS, mine = row + tc_lane() / 4, col = tc_lane() % 4 * 2;
    TC_WGMMA_WAIT_GROUP(0);
    release(u, K, s);
    /* idea 8. Each row sees a key here, so that no maximum is -inf. Causal: rows behind the end do not matter */
    if (p->causal || end < ROWS) {
#pragma unroll
        for (int j = 0; j < ROWS / 2; j++)
            if (j / 4 * 8 + j % 2 + col >= (p->causal ? mine + j / 2 % 2 * 8 + 1 : end)) s[j] = -INFINITY;
    }
    *r = hand_rows{{-INFINITY, -INFINITY}};
    softmax(p->scale, s, r);
    pack(s, prob);
}

/* Idea 10: a warp's 16 rows of O, divided by their sums, through its own part of shared memory. */
TC_DEV void store(const hand_params *p, uint32_t smem, const hand_work *w, int row, const float *o, hand_rows *r)
{
    const uint32_t lane = (uint32_t)tc_lane(), from = smem + O_AT + row * 128,
                   at = from + tc_swizzle_128B(lane % 16 * 128 + lane / 16 * 16);
    const int q0 = w->block * ROWS + row, q = q0 + (int)lane / 4; /* the warp's first query, this lane's */
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float sum = r->sum[2 * i] + r->sum[2 * i + 1];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        r->f[i] = 1.f / sum;
        if (lane % 4 == 0 && q + i * 8 < p->len)
            p->lse[((size_t)w->batch * p->heads + w->head) * p->len + q + i * 8] = (r->max[i] * p->scale + __log2f(sum))
            * 0.69314718f;
    }
    if (lane == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0); /* the tile before has left */
    __syncwarp();
#pragma unroll
    for (int j = 0; j < DIM / 16; j++) {
        const float *x = o + 8 * j, a = r->f[0], b = r->f[1];
        const uint32_t v[4] = {tc_bf16x2(x[0] * a, x[1] * a), tc_bf16x2(x[2] * b, x[3] * b),
                               tc_bf16x2(x[4] * a, x[5] * a), tc_bf16x2(x[6] * b, x[7] * b)};
        tc_stmatrix_x4((at ^ (uint32_t)(j % 4 * 32)) + (uint32_t)(j / 4 * BOX), v);
    }
    tc_fence_proxy_async_shared(); /* ordinary writes before, TMA's reads after */
    __syncwarp();
    if (lane == 0 && q0 < p->len) { /* TMA leaves out the rows behind the end */
        for (int i = 0; i < 2; i++)
            tc_cp_async_bulk_tensor_4d_store(&p->map[O], from + (uint32_t)i * BOX, i * 64, q0, w->head, w->batch);
        tc_cp_async_bulk_commit_group();
    }
}

TC_DEV void consume(const hand_params *p, hand_rings *u, int wg)
{
    /* idea 5: barriers of both warpgroups */
    const int row = wg * 64 + (int)(threadIdx.x / 32 % 4) * 16, my_turn = 1 + wg, your_turn = 2 - wg;
    hand_work w, next;
    hand_rows r;
    float s[ROWS / 2], o[DIM / 2];
    uint32_t prob[ROWS / 4];
    if (wg == 1) tc_bar_arrive(your_turn, 256); /* warpgroup 0 begins */
    next_work(u, wg, &w);
    acquire(u, K);
    issue_qk(u, wg, s);
    first(p, u, &w, row, s, prob, &r);
    for (;; w = next) {
        for (int n = w.tiles - 2; n >= 0; n--) { /* idea 4: S of tile n, P V of tile n + 1 */
            acquire(u, K);
            tc_bar_sync(my_turn, 256);
            issue_qk(u, wg, s);
            issue_pv(u, prob, o, n < w.tiles - 2);
            tc_bar_arrive(your_turn, 256);
            TC_WGMMA_WAIT_GROUP(1); /* S has come, P V goes on */
            release(u, K, s);
            const int rise = softmax(p->scale, s, &r);
            TC_WGMMA_WAIT_GROUP(0);
            release(u, V, o);
            pack(s, prob); /* not before P V has read the P before */
            if (rise)
#pragma unroll
                for (int i = 0; i < DIM / 2; i++) o[i] *= r.f[i / 2 % 2];
        }
        release(u, Q, s);
        next_work(u, wg, &next);
        if (!next.tiles) break;
        tc_bar_sync(my_turn, 256);
        issue_pv(u, prob, o, w.tiles > 1); /* idea 9 */
        acquire(u, K);
        issue_qk(u, wg, s);
        tc_bar_arrive(your_turn, 256);
        TC_WGMMA_WAIT_GROUP(1);
        release(u, V, o);
        store(p, u->smem, &w, row, o, &r);
        first(p, u, &next, row, s, prob, &r);
    }
    issue_pv(u, prob, o, w.tiles > 1);
    TC_WGMMA_WAIT_GROUP(0);
    release(u, V, o);
    store(p, u->smem, &w, row, o, &r);
    if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}
#endif
static __global__ void __launch_bounds__(THREADS, 1) hand_kernel(const __grid_constant__ hand_params p)
{
#if TC_HAS_SM90A
    extern __shared__ TC_ALIGN(1024) unsigned char dynamic_smem[];
    hand_rings u = {tc_smem_u32(dynamic_smem), (hand_work *)(dynamic_smem + NOTES_AT)};
    const int wg = tc_warpgroup();
    if (threadIdx.x < SLOTS) {
        tc_mbarrier_init(u.smem + FULL_AT + threadIdx.x * 8, 1);
        tc_mbarrier_init(u.smem + EMPTY_AT + threadIdx.x * 8, CONSUMERS);
        tc_fence_mbarrier_init();
    }
    __syncthreads();
    if (wg == 0) {
        TC_SETMAXNREG_DEC(40);
        if (threadIdx.x == 0) produce(&p, &u);
    } else {
        TC_SETMAXNREG_INC(232);
        consume(&p, &u, wg - 1);
    }
#endif
}

static tc_status hand_run(const tc_attn_args *g, int causal, cudaStream_t stream)
{
    const uint32_t blocks = (uint32_t)(g->q_len + ROWS - 1) / ROWS, columns = (uint32_t)(g->batch * g->heads);
    const uint32_t fit = 32000000u / (blocks * 2 * TILE); /* heads whose K and V together are 32 MB: L2 has 50 */
    /* row: in bytes */
    const uint64_t len = (uint64_t)g->q_len, row = (uint64_t)g->heads * DIM * 2, batch = (uint64_t)g->batch;
    const void *base[4] = {g->q, g->k, g->v, g->o};
    hand_params p = {{}, g->lse, 1.44269504f / sqrtf(DIM), g->q_len, g->heads, causal, blocks, columns,
                     causal && fit > 1 ? min(fit, columns) : 1};
    int sms = 0;
    for (int i = 0; i < 4; i++) { /* boxes of 64 columns of ROWS rows of a head; of O the 16 rows that a warp stores */
        const tc_tmap_desc d = {.type = TC_BF16, .rank = 4, .base = base[i], .dim = {DIM, len, row / (DIM * 2), batch},
                                .stride = {row, DIM * 2, row * len}, .box = {64, i == O ? 16u : ROWS, 1, 1},
                                .swizzle = 128, .l2_promotion = 256};
        if (tc_tmap_encode(&p.map[i], &d) != TC_OK) return TC_ERR_TMAP;
    }
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaFuncSetAttribute(hand_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM);
    hand_kernel<<<min((uint32_t)sms, blocks * columns), THREADS, SMEM, stream>>>(p);
    return cudaGetLastError() == cudaSuccess ? TC_OK : TC_ERR_CUDA;
}
static tc_status hand_full(const tc_attn_args *g, cudaStream_t stream) { return hand_run(g, 0, stream); }
static tc_status hand_causal(const tc_attn_args *g, cudaStream_t stream) { return hand_run(g, 1, stream); }
TC_ATTN_SM90_DEFINE(generated, .type = TC_BF16, .head_dim = DIM)
TC_ATTN_SM90_DEFINE(generated_causal, .type = TC_BF16, .head_dim = DIM, .causal = 1)

/* ---- below: try it ---- */
/* element i of a tensor: a multiple of 1/8 in -2 .. 2, the same on the device and here */
TC_HD float number(uint32_t seed, size_t i)
{
    uint32_t h = ((uint32_t)i + seed * 0x9e3779b9u) * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (float)((h >> 13) % 33) / 8 - 2;
}

static __global__ void fill(uint16_t *p, size_t count, uint32_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        p[i] = tc_bf16_from_f32(number(seed, i));
}

static void *tensor(size_t bytes, uint32_t seed) /* seed 0: NaN, so that what nobody writes is seen */
{
    void *p = 0;
    if (cudaMalloc(&p, bytes + 16) != cudaSuccess || cudaMemset(p, 0xff, bytes) != cudaSuccess) exit(1);
    if (seed) fill<<<512, 256>>>((uint16_t *)p, bytes / 2, seed);
    return p;
}

/* Row i of head h of sequence b against fp64. P and O are rounded to bf16 (1/256); the rest of the bound is f32's. 1 if
 * it is wrong. */
static int wrong_row(const tc_attn_args *a, int causal, int b, int h, int i)
{
    const size_t row = (size_t)a->heads * DIM, first = (size_t)b * a->q_len * row + (size_t)h * DIM;
    const int keys = causal ? i + 1 : a->k_len; /* that it sees */
    double *p = (double *)malloc(sizeof(double) * (size_t)keys), top = -INFINITY, sum = 0;
    uint16_t o[DIM];
    float lse;
    int wrong = 0;
    cudaMemcpy(&lse, a->lse + ((size_t)b * a->heads + h) * a->q_len + i, 4, cudaMemcpyDeviceToHost);
    if (cudaMemcpy(o, (uint16_t *)a->o + first + i * row, DIM * 2, cudaMemcpyDeviceToHost) != cudaSuccess) exit(1);
    for (int j = 0; j < keys; j++) {
        p[j] = 0;
        for (int c = 0; c < DIM; c++)
            p[j] += number(1, first + i * row + c) * number(2, first + j * row + c) / sqrt((double)DIM);
        top = fmax(top, p[j]);
    }
    for (int j = 0; j < keys; j++) sum += p[j] = exp(p[j] - top);
    for (int c = 0; c < DIM; c++) {
        double x = 0, size = 0;
        for (int j = 0; j < keys; j++) {
            const double v = p[j] / sum * number(3, first + j * row + c);
            x += v, size += fabs(v);
        }
        wrong |= !(fabs(tc_f32_from_bf16(o[c]) - x) <= (size + fabs(x)) / 256 + 1e-4);
    }
    free(p);
    return wrong | !(fabs(lse - top - log(sum)) <= 1e-4 * (1 + fabs(lse)));
}

int main(void)
{
    const int shapes[4][3] = {{32, 16, 512}, {4, 16, 4096}, {1, 16, 16384}, {3, 5, 3333}}; /* batch, heads, len */
    tc_status (*const runs[2][2])(const tc_attn_args *, cudaStream_t) = {{hand_full, generated_run},
        {hand_causal, generated_causal_run}};
    cudaDeviceProp prop;
    cudaEvent_t from, to;
    int failed = 0;
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return printf("no CUDA device here: built, not run\n"), 0;
    if (prop.major != 9)
        return printf("needs compute capability 9.0, this device has %d.%d: not run\n", prop.major, prop.minor), 0;
    const int emulated = !strncmp(prop.name, "tcemu", 5), rounds = emulated ? 1 : 20;
    cudaEventCreate(&from), cudaEventCreate(&to);
    for (int x = 0; x < 8; x++) {
        const int *s = shapes[x % 4], causal = x / 4, heads = s[1];
        const int len = emulated ? s[2] / 128 * 8 + s[2] % 8 : s[2], batch = emulated && s[0] > 2 ? 2 : s[0];
        const size_t bytes = (size_t)batch * heads * len * DIM * 2;
        tc_attn_args a = {0};
        float ms[2] = {0, 0};
        int wrong = 0;
        a.batch = batch, a.heads = a.heads_kv = heads, a.q_len = a.k_len = len;
        a.q = tensor(bytes, 1), a.k = tensor(bytes, 2), a.v = tensor(bytes, 3);
        for (int side = 1; side >= 0; side--) { /* the generated one first: what stays is the other's */
            if (side == 0) cudaFree(a.o), cudaFree(a.lse);
            a.o = tensor(bytes, 0), a.lse = (float *)tensor(bytes / DIM * 2, 0);
            for (int i = 0; i < rounds; i++) {
                if (i == rounds / 2) cudaEventRecord(from, 0);
                if (runs[causal][side](&a, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
            }
            cudaEventRecord(to, 0), cudaEventSynchronize(to), cudaEventElapsedTime(&ms[side], from, to);
        }
        for (int i = 0; i < 16; i++) { /* first and last row, of the first and last sequence and head; then anywhere */
            const uint32_t r = ((uint32_t)i * 2654435761u + 12345u) >> 8;
            wrong += i < 8 ? wrong_row(&a, causal, i / 4 * (batch - 1), i / 2 % 2 * (heads - 1), i % 2 * (len - 1))
                           : wrong_row(&a, causal, (int)r % batch, i % heads, (int)(r >> 3) % len);
        }
        printf("b %3d  h %2d  len %5d %s  ", batch, heads, len, causal ? "causal" : "      ");
        const double flops = 4.0 * batch * heads * DIM * (causal ? 0.5 * len * (len + 1.0) : (double)len * len)
            * (rounds - rounds / 2) * 1e-9;
        if (!emulated) printf("%7.1f TFLOP/s, generated %7.1f  ", flops / ms[0], flops / ms[1]);
        printf("%s\n", wrong ? "FAIL" : "ok");
        failed += wrong != 0;
        cudaFree((void *)a.q), cudaFree((void *)a.k), cudaFree((void *)a.v), cudaFree(a.o), cudaFree(a.lse);
    }
    return failed;
}
