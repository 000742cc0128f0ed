/* attention.cu - attention's kernels as tc_attention.py calls them: forward, backward, both with dropout, ALiBi, and
 * decoding from pages. A kernel more is a line more below, and its name in a table.
 *
 * Tensors are (batch, rows, heads, head_dim) in bf16, with any strides in which the elements of a head are neighbours:
 * slices of a fused projection go in as they are. */
#include "tc_attn.h"
#include "tc_attn_bwd.h"
#include "torch_call.h"

typedef struct { const float *slopes; } alibi_args;

TC_DEV float alibi(float s, tc_attn_at at, const void *args)
{
    return s + ((const alibi_args *)args)->slopes[at.h] * (at.kv - at.q);
}

/* For any device; for Hopper its own kernels alone, which takes nvcc half the time. */
#ifdef FOR_HOPPER
#define FORWARD TC_ATTN_SM90_DEFINE
#define BACKWARD TC_ATTN_BWD_SM90_DEFINE
#else
#define FORWARD TC_ATTN_DEFINE
#define BACKWARD TC_ATTN_BWD_DEFINE
#endif

FORWARD(attn_64, .type = TC_BF16, .head_dim = 64)
FORWARD(attn_64_causal, .type = TC_BF16, .head_dim = 64, .causal = 1)
FORWARD(attn_128, .type = TC_BF16, .head_dim = 128)
FORWARD(attn_128_causal, .type = TC_BF16, .head_dim = 128, .causal = 1)
BACKWARD(grad_64, .type = TC_BF16, .head_dim = 64)
BACKWARD(grad_64_causal, .type = TC_BF16, .head_dim = 64, .causal = 1)
BACKWARD(grad_128, .type = TC_BF16, .head_dim = 128)
BACKWARD(grad_128_causal, .type = TC_BF16, .head_dim = 128, .causal = 1)

/* Dropout: forward one kernel for both masks, a causal one being a window that ends at a query's own place. */
FORWARD(drop_64, .type = TC_BF16, .head_dim = 64, .window = 1, .dropout = 1)
FORWARD(drop_128, .type = TC_BF16, .head_dim = 128, .window = 1, .dropout = 1)
BACKWARD(grad_drop_64, .type = TC_BF16, .head_dim = 64, .dropout = 1)
BACKWARD(grad_drop_64_causal, .type = TC_BF16, .head_dim = 64, .causal = 1, .dropout = 1)
BACKWARD(grad_drop_128, .type = TC_BF16, .head_dim = 128, .dropout = 1)
BACKWARD(grad_drop_128_causal, .type = TC_BF16, .head_dim = 128, .causal = 1, .dropout = 1)

FORWARD(attn_128_alibi, .type = TC_BF16, .head_dim = 128, .causal = 1, .hook_size = sizeof(alibi_args), .score = alibi)
TC_ATTN_DECODE_DEFINE(paged_64, .type = TC_BF16, .head_dim = 64, .causal = 1, .paged = 1)
TC_ATTN_DECODE_DEFINE(paged_128, .type = TC_BF16, .head_dim = 128, .causal = 1, .paged = 1)

typedef tc_status (*forward_fn)(const tc_attn_args *, cudaStream_t);
typedef tc_status (*backward_fn)(const tc_attn_bwd_args *, cudaStream_t);
typedef size_t (*room_fn)(const tc_attn_bwd_args *);
enum { PLAIN, CAUSAL, DROPOUT, DROPOUT_CAUSAL, KINDS };

static const forward_fn forward_of[2][KINDS] = {
    {attn_64_run, attn_64_causal_run, drop_64_run, drop_64_run},
    {attn_128_run, attn_128_causal_run, drop_128_run, drop_128_run}};
static const backward_fn backward_of[2][KINDS] = {
    {grad_64_run, grad_64_causal_run, grad_drop_64_run, grad_drop_64_causal_run},
    {grad_128_run, grad_128_causal_run, grad_drop_128_run, grad_drop_128_causal_run}};
static const room_fn room_of[2][KINDS] = {
    {grad_64_workspace, grad_64_causal_workspace, grad_drop_64_workspace, grad_drop_64_causal_workspace},
    {grad_128_workspace, grad_128_causal_workspace, grad_drop_128_workspace, grad_drop_128_causal_workspace}};

/* What a function of tc_attention.py says; fields that it does not name are missing tensors and zeros. */
typedef struct attention_call {
    tensor q, k, v, o, lse;       /* lse: f32, (batch, heads, rows) */
    tensor dout, dq, dk, dv;      /* backward */
    tensor slopes;                /* ALiBi: f32, one for each head of q */
    tensor table, lens;           /* pages: int32, (batch, pages of a sequence) and (batch) */
    tensor workspace;             /* bytes */
    double scale, dropout_p;      /* scale 0: 1 / sqrt(head_dim) */
    int64_t causal, seed, offset; /* seed and offset name the mask of dropout */
} attention_call;

/* What PyTorch says of the stride of a dimension of size 1 means nothing, and may break a rule; 0 is its word for
 * expanded. */
static int64_t step(const tensor *t, int i)
{
    return t->size[i] <= 1 ? t->size[3] : t->stride[i] ? t->stride[i] : (int64_t)TC_ATTN_SHARED;
}
static tc_attn_strides strides(const tensor *t)
{
    const tc_attn_strides s = {step(t, 0), step(t, 1), step(t, 2)};
    return s;
}

/* Checks what PyTorch knows and tc does not (types, ranks, sizes that must agree); tc checks the rest, and says what is
 * wrong. kv_batch: of K and V, which where they are pages is another. */
static const char *shapes_wrong(const attention_call *c, int64_t kv_batch)
{
    const tensor *t[4] = {&c->q, &c->k, &c->v, &c->o};
    static const char *const name[4] = {"q", "k", "v", "o"};
    const char *bad = NULL;
    for (int i = 0; i < 4 && !bad; i++) {
        bad = tensor_wrong(t[i], name[i], TENSOR_BF16, 4);
        if (!bad) bad = size_wrong(t[i], name[i], 0, i == 1 || i == 2 ? kv_batch : c->q.size[0]);
        if (!bad) bad = size_wrong(t[i], name[i], 3, c->q.size[3]);
    }
    if (!bad) bad = size_wrong(&c->v, "v", 1, c->k.size[1]);
    if (!bad) bad = size_wrong(&c->v, "v", 2, c->k.size[2]);
    if (!bad) bad = size_wrong(&c->o, "o", 1, c->q.size[1]);
    if (!bad) bad = size_wrong(&c->o, "o", 2, c->q.size[2]);
    if (bad) return bad;
    if (c->q.size[3] != 64 && c->q.size[3] != 128)
        return refuse("no kernel for head_dim %d: add a TC_ATTN_DEFINE to attention.cu", (int)c->q.size[3]);
    return NULL;
}

static tc_attn_args args_of(const attention_call *c)
{
    tc_attn_args a;
    memset(&a, 0, sizeof a);
    a.batch = (int)c->q.size[0], a.heads = (int)c->q.size[2], a.heads_kv = (int)c->k.size[2];
    a.q_len = (int)c->q.size[1], a.k_len = (int)c->k.size[1];
    a.q = c->q.p, a.k = c->k.p, a.v = c->v.p, a.o = c->o.p, a.lse = (float *)c->lse.p;
    a.q_stride = strides(&c->q), a.k_stride = strides(&c->k), a.v_stride = strides(&c->v), a.o_stride = strides(&c->o);
    a.scale = (float)c->scale;
    return a;
}

static int kind_of(const attention_call *c) { return (c->dropout_p > 0 ? DROPOUT : PLAIN) + (c->causal ? 1 : 0); }

EXPORTED const char *attention_forward(const attention_call *c, cudaStream_t stream)
{
    const char *bad = shapes_wrong(c, c->q.size[0]);
    tc_attn_args a;
    if (bad) return bad;
    a = args_of(c);
    a.window_left = -1, a.window_right = c->causal ? 0 : -1;
    a.dropout_p = (float)c->dropout_p, a.dropout_seed = (uint64_t)c->seed, a.dropout_offset = (uint64_t)c->offset;
    return forward_of[c->q.size[3] == 128][kind_of(c)](&a, stream) == TC_OK ? NULL : tc_why();
}

/* Causal; slopes: one f32 for each head of q. */
EXPORTED const char *attention_alibi(const attention_call *c, cudaStream_t stream)
{
    const alibi_args hook = {(const float *)c->slopes.p};
    const char *bad = shapes_wrong(c, c->q.size[0]);
    tc_attn_args a;
    if (!bad) bad = tensor_wrong(&c->slopes, "slopes", TENSOR_F32, 1);
    if (!bad) bad = size_wrong(&c->slopes, "slopes", 0, c->q.size[2]);
    if (!bad && c->q.size[3] != 128) bad = refuse("ALiBi has a kernel for head_dim 128 only");
    if (bad) return bad;
    a = args_of(c);
    a.hook_args = &hook, a.hook_size = sizeof hook;
    return attn_128_alibi_run(&a, stream) == TC_OK ? NULL : tc_why();
}

static const char *backward_args(const attention_call *c, tc_attn_bwd_args *g)
{
    const tensor *t[4] = {&c->dout, &c->dq, &c->dk, &c->dv}, *like[4] = {&c->q, &c->q, &c->k, &c->v};
    static const char *const name[4] = {"dout", "dq", "dk", "dv"};
    const char *bad = shapes_wrong(c, c->q.size[0]);
    if (!bad) bad = tensor_wrong(&c->lse, "lse", TENSOR_F32, 3);
    for (int i = 0; i < 4 && !bad; i++) {
        bad = tensor_wrong(t[i], name[i], TENSOR_BF16, 4);
        for (int j = 0; j < 4 && !bad; j++) bad = size_wrong(t[i], name[i], j, like[i]->size[j]);
    }
    if (bad) return bad;
    memset(g, 0, sizeof *g);
    g->batch = (int)c->q.size[0], g->heads = (int)c->q.size[2], g->heads_kv = (int)c->k.size[2];
    g->q_len = (int)c->q.size[1], g->k_len = (int)c->k.size[1];
    g->q = c->q.p, g->k = c->k.p, g->v = c->v.p, g->o = c->o.p, g->lse = (const float *)c->lse.p, g->dout = c->dout.p;
    g->dq = c->dq.p, g->dk = c->dk.p, g->dv = c->dv.p;
    g->q_stride = strides(&c->q), g->k_stride = strides(&c->k), g->v_stride = strides(&c->v);
    g->o_stride = strides(&c->o), g->dout_stride = strides(&c->dout);
    g->dq_stride = strides(&c->dq), g->dk_stride = strides(&c->dk), g->dv_stride = strides(&c->dv);
    g->scale = (float)c->scale;
    g->dropout_p = (float)c->dropout_p, g->dropout_seed = (uint64_t)c->seed, g->dropout_offset = (uint64_t)c->offset;
    return NULL;
}

/* Bytes of the workspace that attention_backward wants; 0: it will say why. */
EXPORTED int64_t attention_backward_room(const attention_call *c)
{
    tc_attn_bwd_args g;
    if (backward_args(c, &g)) return 0;
    return (int64_t)room_of[c->q.size[3] == 128][kind_of(c)](&g);
}

EXPORTED const char *attention_backward(const attention_call *c, cudaStream_t stream)
{
    tc_attn_bwd_args g;
    const char *bad = backward_args(c, &g);
    if (bad) return bad;
    g.workspace = c->workspace.p, g.workspace_size = c->workspace.p ? (size_t)c->workspace.size[0] : 0;
    return backward_of[c->q.size[3] == 128][kind_of(c)](&g, stream) == TC_OK ? NULL : tc_why();
}

/* k and v are (pages, rows of a page, heads, head_dim); row j of sequence b is row j % rows of page table[b, j / rows].
 * Query i of the q_len of sequence b stands at row lens[b] - q_len + i. */
static const char *paged_args(const attention_call *c, tc_attn_args *a)
{
    const char *bad = shapes_wrong(c, c->k.size[0]);
    if (!bad) bad = tensor_wrong(&c->table, "page_table", TENSOR_I32, 2);
    if (!bad) bad = size_wrong(&c->table, "page_table", 0, c->q.size[0]);
    if (!bad && c->table.size[0] > 1 && c->table.stride[0] != c->table.size[1])
        bad = refuse("page_table must be contiguous");
    if (!bad) bad = tensor_wrong(&c->lens, "lens", TENSOR_I32, 1);
    if (!bad) bad = size_wrong(&c->lens, "lens", 0, c->q.size[0]);
    if (bad) return bad;
    *a = args_of(c);
    a->page_table = (const int *)c->table.p, a->table_pages = (int)c->table.size[1];
    a->page_rows = (int)c->k.size[1], a->pages = (int)c->k.size[0];
    a->k_len = a->table_pages * a->page_rows, a->lens_k = (const int *)c->lens.p;
    return NULL;
}

/* Bytes of the workspace that attention_paged wants; 0: none, or it will say why. */
EXPORTED int64_t attention_paged_room(const attention_call *c)
{
    tc_attn_args a;
    if (paged_args(c, &a)) return 0;
    return (int64_t)(c->q.size[3] == 128 ? paged_128_workspace : paged_64_workspace)(&a);
}

EXPORTED const char *attention_paged(const attention_call *c, cudaStream_t stream)
{
    tc_attn_args a;
    const char *bad = paged_args(c, &a);
    if (bad) return bad;
    a.workspace = c->workspace.p, a.workspace_size = c->workspace.p ? (size_t)c->workspace.size[0] : 0;
    return (c->q.size[3] == 128 ? paged_128_run : paged_64_run)(&a, stream) == TC_OK ? NULL : tc_why();
}

/* The mask of dropout as numbers, for who wants to check it: q is (batch, heads, queries, keys), f32, in host memory,
 * and gets 0 for what is dropped, 1 / (1 - p) for what is kept. */
EXPORTED const char *attention_dropout_mask(const attention_call *c)
{
    const tc_attn_dropout d = {(float)c->dropout_p, (uint64_t)c->seed, (uint64_t)c->offset};
    const float kept = tc_dropout_scale(d.p);
    const int64_t *n = c->q.size;
    const char *bad = tensor_wrong(&c->q, "mask", TENSOR_F32, 4);
    float *mask = (float *)c->q.p;
    if (bad) return bad;
    for (int64_t i = 0; i < n[0] * n[1] * n[2] * n[3]; i++) {
        const int64_t row = i / n[3], head = row / n[2];
        const tc_attn_at at = {(int)(head / n[1]), (int)(head % n[1]), (int)(row % n[2]), (int)(i % n[3]), 0};
        mask[i] = tc_attn_dropout_keeps(d, at) ? kept : 0;
    }
    return NULL;
}

EXPORTED int64_t attention_call_bytes(void) { return sizeof(attention_call); }
