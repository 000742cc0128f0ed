/* layers.cu - the linear layers of a Llama block, forward and backward, as tc_layers.py calls them. What stands between
 * the products is done by their hooks, where the sums still are in registers:
 *
 *     linear, with a residual      Y = X W' + R           beta = 1, C = R
 *     qkv with rotary embedding    Y = rotate(X W')       a hook that turns pairs of neighbours by their token's angles
 *     gate and up                  G = X Wg'
 *                                  H = silu(G) * U        U = X Wu', a second output that the backward pass wants
 *     backward of down             dU = dH * silu(G)      dH = dY Wd never sees memory: the hook makes dU of it, and
 *                                  dG = dH * U * silu'(G) stores dG beside it
 *     gradients                    dX = dY W, dW = dY' X  other layouts of the same operands: nothing is transposed
 *
 * X, Y, R are rows of bf16, W (out, in) as torch.nn.Linear has it. Sizes are multiples of 8. */
#include "tc_gemm.h"
#include "torch_call.h"

enum { DIM = 128 }; /* of a head */

/* ---------------------------------------------------------------------------------------------------------------------
 * Hooks.
 */
typedef struct { const float2 *turns; int columns; } rotary_args; /* (token, DIM / 2): cosine and sine; Q and K */

TC_DEV tc_f32x2 turn(tc_f32x2 x, float2 by)
{
    const tc_f32x2 r = {x.x * by.x - x.y * by.y, x.x * by.y + x.y * by.x};
    return r;
}

TC_DEV tc_f32x2 rotary(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const rotary_args *r = (const rotary_args *)args;
    return at.col < r->columns ? turn(x, r->turns[(long long)at.row * (DIM / 2) + at.col % DIM / 2]) : x;
}

typedef struct { const uint16_t *gate, *up; uint16_t *dgate; long long pitch, dpitch; } gate_args;

TC_DEV tc_f32x2 two(const uint16_t *p)
{
    const uint32_t w = *(const uint32_t *)p;
    const tc_f32x2 r = {tc_f32_from_bits(w << 16), tc_f32_from_bits(w & 0xffff0000u)};
    return r;
}

TC_DEV tc_f32x2 gated(tc_f32x2 up, tc_gemm_at at, const void *args)
{
    const gate_args *a = (const gate_args *)args;
    const tc_f32x2 g = two(a->gate + (at.row * a->pitch + at.col));
    const tc_f32x2 r = {tc_silu(g.x) * up.x, tc_silu(g.y) * up.y};
    return r;
}

/* silu(g) = g s, where s = sigmoid(g); its derivative is s (1 + g (1 - s)). A hook is asked once about each pair, and
 * so may store what belongs to it. */
TC_DEV tc_f32x2 gate_gradient(tc_f32x2 dh, tc_gemm_at at, const void *args)
{
    const gate_args *a = (const gate_args *)args;
    const long long i = at.row * a->pitch + at.col;
    const tc_f32x2 g = two(a->gate + i), u = two(a->up + i);
    const float sx = __fdividef(1.f, 1.f + __expf(-g.x)), sy = __fdividef(1.f, 1.f + __expf(-g.y));
    const tc_f32x2 du = {dh.x * g.x * sx, dh.y * g.y * sy};
    *(uint32_t *)(a->dgate + (at.row * a->dpitch + at.col)) =
        tc_bf16x2(dh.x * u.x * sx * (1.f + g.x * (1.f - sx)), dh.y * u.y * sy * (1.f + g.y * (1.f - sy)));
    return du;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Products. For Hopper one kernel each, which nvcc makes in a few seconds; elsewhere what the device wants.
 */
#ifdef FOR_HOPPER
#define LAYER(name, ...)                                                                                              \
    TC_GEMM_SM90_DEFINE(name, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .cluster_m = 2,         \
                        __VA_ARGS__)
#else
#define LAYER(name, ...)                                                                                              \
    TC_GEMM_DEFINE(name, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .shapes = TC_SHAPES_LARGE, __VA_ARGS__)
#endif

LAYER(product, .b_layout = TC_COL)                                              /* Y = X W' */
LAYER(product_dx, .b_layout = TC_ROW)                                           /* dX = dY W */
LAYER(product_dw, .a_layout = TC_COL, .b_layout = TC_ROW)                       /* dW = dY' X */
LAYER(product_rotary, .epi2 = rotary, .epi_size = sizeof(rotary_args))
LAYER(product_gated, .epi2 = gated, .epi_size = sizeof(gate_args), .aux = TC_BF16, .aux_what = TC_AUX_PRE)
LAYER(product_ungated, .b_layout = TC_ROW, .epi2 = gate_gradient, .epi_size = sizeof(gate_args))

/* The gradient of what was turned, turned back: a thread for four pairs. */
typedef struct { uint4 *to; const uint4 *from; rotary_args by; int tokens, columns; long long count; } turn_back_args;

static __global__ void turn_back(turn_back_args a)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const int col = (int)(i % (a.columns / 8)) * 8, token = (int)(i / (a.columns / 8) % a.tokens);
    if (i >= a.count) return;
    uint4 v = a.from[i];
    if (col < a.by.columns) {
        const float2 *t = a.by.turns + (long long)token * (DIM / 2) + col % DIM / 2;
        uint32_t *w = (uint32_t *)&v;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const tc_f32x2 x = {tc_f32_from_bits(w[j] << 16), tc_f32_from_bits(w[j] & 0xffff0000u)};
            const tc_f32x2 y = turn(x, make_float2(t[j].x, -t[j].y));
            w[j] = tc_bf16x2(y.x, y.y);
        }
    }
    a.to[i] = v;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Functions for ctypes. Which of the tensors are results a function says.
 */
typedef struct layer_call {
    tensor x, w, y;       /* (tokens, in), (out, in), (tokens, out); of rotary x and y: (batch, tokens, ...) */
    tensor residual;      /* as y, or missing */
    tensor turns;         /* f32, (tokens, DIM / 2, 2): cosine and sine of each token's angles */
    tensor gate_up;       /* (tokens, 2 * inner): X Wg' and X Wu' beside each other */
    tensor dgate_up;      /* their gradients */
    int64_t rotated;      /* columns of y that are turned: those of Q's and K's heads */
} layer_call;

static const char *matrix_wrong(const tensor *t, const char *name, int64_t rows, int64_t cols)
{
    const char *bad = tensor_wrong(t, name, TENSOR_BF16, 2);
    if (!bad) bad = size_wrong(t, name, 0, rows);
    if (!bad) bad = size_wrong(t, name, 1, cols);
    return bad;
}

static int64_t pitch(const tensor *t)
{
    return t->size[t->dims - 2] > 1 ? t->stride[t->dims - 2] : t->size[t->dims - 1];
}
static const char *said(tc_status st) { return st == TC_OK ? NULL : tc_why(); }

/* x, w and y agree with each other. */
static const char *linear_wrong(const layer_call *c)
{
    const char *bad = matrix_wrong(&c->x, "x", c->x.size[0], c->x.size[1]);
    if (!bad) bad = matrix_wrong(&c->w, "w", c->w.size[0], c->x.size[1]);
    if (!bad) bad = matrix_wrong(&c->y, "y", c->x.size[0], c->w.size[0]);
    return bad;
}

/* y = x w' + residual */
EXPORTED const char *layer_linear(const layer_call *c, cudaStream_t stream)
{
    const float one = 1;
    const char *bad = linear_wrong(c);
    tc_gemm_args g;
    if (!bad && c->residual.dims >= 0) bad = matrix_wrong(&c->residual, "residual", c->y.size[0], c->y.size[1]);
    if (bad) return bad;
    memset(&g, 0, sizeof g);
    g.m = (int)c->y.size[0], g.n = (int)c->y.size[1], g.k = (int)c->x.size[1];
    g.a = c->x.p, g.lda = pitch(&c->x), g.b = c->w.p, g.ldb = pitch(&c->w), g.d = c->y.p, g.ldd = pitch(&c->y);
    if (c->residual.dims >= 0) g.c = c->residual.p, g.ldc = pitch(&c->residual), g.beta = &one;
    return said(product_run(&g, stream));
}

/* x = y w */
EXPORTED const char *layer_linear_dx(const layer_call *c, cudaStream_t stream)
{
    const char *bad = linear_wrong(c);
    tc_gemm_args g;
    if (bad) return bad;
    memset(&g, 0, sizeof g);
    g.m = (int)c->x.size[0], g.n = (int)c->x.size[1], g.k = (int)c->y.size[1];
    g.a = c->y.p, g.lda = pitch(&c->y), g.b = c->w.p, g.ldb = pitch(&c->w), g.d = c->x.p, g.ldd = pitch(&c->x);
    return said(product_dx_run(&g, stream));
}

/* w = y' x */
EXPORTED const char *layer_linear_dw(const layer_call *c, cudaStream_t stream)
{
    const char *bad = linear_wrong(c);
    tc_gemm_args g;
    if (bad) return bad;
    memset(&g, 0, sizeof g);
    g.m = (int)c->w.size[0], g.n = (int)c->w.size[1], g.k = (int)c->y.size[0];
    g.a = c->y.p, g.lda = pitch(&c->y), g.b = c->x.p, g.ldb = pitch(&c->x), g.d = c->w.p, g.ldd = pitch(&c->w);
    return said(product_dw_run(&g, stream));
}

/* x and y of rotary: three dimensions, contiguous. */
static const char *rotary_wrong(const layer_call *c, const tensor *x, const char *name)
{
    const char *bad = tensor_wrong(x, name, TENSOR_BF16, 3);
    if (!bad) bad = tensor_wrong(&c->y, "y", TENSOR_BF16, 3);
    for (int i = 0; i < 2 && !bad; i++) bad = size_wrong(&c->y, "y", i, x->size[i]);
    if (!bad && (pitch(x) != x->size[2] || pitch(&c->y) != c->y.size[2])) bad = refuse("%s must be contiguous", name);
    if (!bad) bad = tensor_wrong(&c->turns, "turns", TENSOR_F32, 3);
    if (!bad) bad = size_wrong(&c->turns, "turns", 0, x->size[1]);
    if (!bad) bad = size_wrong(&c->turns, "turns", 1, DIM / 2);
    if (!bad) bad = size_wrong(&c->turns, "turns", 2, 2);
    if (!bad && (c->rotated % DIM || c->rotated < 0 || c->rotated > c->y.size[2] || c->y.size[2] % DIM))
        bad = refuse("rotated = %lld and y's %lld columns must be multiples of %d, the first the smaller",
                     (long long)c->rotated, (long long)c->y.size[2], DIM);
    return bad;
}

/* y = rotate(x w'): a product for each sequence, so that a row of it is a place in the sequence */
EXPORTED const char *layer_rotary(const layer_call *c, cudaStream_t stream)
{
    const rotary_args hook = {(const float2 *)c->turns.p, (int)c->rotated};
    const char *bad = rotary_wrong(c, &c->x, "x");
    tc_gemm_args g;
    if (!bad) bad = matrix_wrong(&c->w, "w", c->y.size[2], c->x.size[2]);
    if (bad) return bad;
    memset(&g, 0, sizeof g);
    g.m = (int)c->y.size[1], g.n = (int)c->y.size[2], g.k = (int)c->x.size[2], g.batch = (int)c->y.size[0];
    g.a = c->x.p, g.lda = g.k, g.b = c->w.p, g.ldb = pitch(&c->w), g.d = c->y.p, g.ldd = g.n;
    g.stride_a = (int64_t)g.m * g.k, g.stride_d = (int64_t)g.m * g.n;
    g.epi_args = &hook, g.epi_size = sizeof hook;
    return said(product_rotary_run(&g, stream));
}

/* y = x turned back: the gradient of what rotary made */
EXPORTED const char *layer_rotary_back(const layer_call *c, cudaStream_t stream)
{
    const char *bad = rotary_wrong(c, &c->x, "x");
    if (!bad) bad = size_wrong(&c->y, "y", 2, c->x.size[2]);
    if (bad) return bad;
    const turn_back_args a = {(uint4 *)c->y.p, (const uint4 *)c->x.p,
                              {(const float2 *)c->turns.p, (int)c->rotated}, (int)c->x.size[1], (int)c->x.size[2],
                              c->x.size[0] * c->x.size[1] * c->x.size[2] / 8};
    if (a.count) turn_back<<<(unsigned)((a.count + 255) / 256), 256, 0, stream>>>(a);
    return cudaGetLastError() == cudaSuccess ? NULL : refuse("layer_rotary_back could not be launched");
}

static const char *gate_up_wrong(const tensor *t, const char *name, int64_t rows, int64_t inner)
{
    const char *bad = matrix_wrong(t, name, rows, 2 * inner);
    return bad || pitch(t) % 2 == 0 ? bad : refuse("%s: rows must begin at even elements", name);
}

/* gate_up = x w'; y = silu(gate) * up. w: the rows of the gate, then those of up. */
EXPORTED const char *layer_gated(const layer_call *c, cudaStream_t stream)
{
    const int64_t rows = c->x.size[0], in = c->x.size[1], inner = c->y.size[1], wide = pitch(&c->gate_up);
    const gate_args hook = {(const uint16_t *)c->gate_up.p, NULL, NULL, wide, 0};
    const char *bad = matrix_wrong(&c->x, "x", rows, in);
    tc_gemm_args g;
    tc_status st;
    if (!bad) bad = matrix_wrong(&c->w, "w", 2 * inner, in);
    if (!bad) bad = matrix_wrong(&c->y, "y", rows, inner);
    if (!bad) bad = gate_up_wrong(&c->gate_up, "gate_up", rows, inner);
    if (bad) return bad;
    memset(&g, 0, sizeof g);
    g.m = (int)rows, g.n = (int)inner, g.k = (int)in;
    g.a = c->x.p, g.lda = pitch(&c->x), g.b = c->w.p, g.ldb = pitch(&c->w), g.d = c->gate_up.p, g.ldd = wide;
    st = product_run(&g, stream);
    g.b = (const uint16_t *)c->w.p + inner * pitch(&c->w), g.d = c->y.p, g.ldd = pitch(&c->y);
    g.aux.p = (uint16_t *)c->gate_up.p + inner, g.aux.ld = wide;
    g.epi_args = &hook, g.epi_size = sizeof hook;
    if (st == TC_OK) st = product_gated_run(&g, stream);
    return said(st);
}

/* dgate_up of the gradient of down's output, x, and down's w, (out, inner): the gradient of silu(gate) * up is x w. */
EXPORTED const char *layer_ungated(const layer_call *c, cudaStream_t stream)
{
    const int64_t rows = c->x.size[0], inner = c->w.size[1], wide = pitch(&c->dgate_up);
    const uint16_t *gate = (const uint16_t *)c->gate_up.p;
    const gate_args hook = {gate, gate + inner, (uint16_t *)c->dgate_up.p, pitch(&c->gate_up), wide};
    const char *bad = matrix_wrong(&c->x, "x", rows, c->x.size[1]);
    tc_gemm_args g;
    if (!bad) bad = matrix_wrong(&c->w, "w", c->x.size[1], inner);
    if (!bad) bad = gate_up_wrong(&c->gate_up, "gate_up", rows, inner);
    if (!bad) bad = gate_up_wrong(&c->dgate_up, "dgate_up", rows, inner);
    if (bad) return bad;
    memset(&g, 0, sizeof g);
    g.m = (int)rows, g.n = (int)inner, g.k = (int)c->x.size[1];
    g.a = c->x.p, g.lda = pitch(&c->x), g.b = c->w.p, g.ldb = pitch(&c->w);
    g.d = (uint16_t *)c->dgate_up.p + inner, g.ldd = wide;
    g.epi_args = &hook, g.epi_size = sizeof hook;
    return said(product_ungated_run(&g, stream));
}

EXPORTED int64_t layer_call_bytes(void) { return sizeof(layer_call); }
