/* tensor.c - tensor copies: cp.async.bulk.tensor, its prefetch, cp.reduce.async.bulk.tensor; tensormap.*,
 * prefetch.tensormap.
 *
 * The reference is a tensor and a box in plain loops: element by element, coordinate by coordinate, as the ISA's
 * sections on tiled mode, im2col and swizzling say. The configuration (type, rank, sizes, strides, box, traversal
 * strides, swizzle, fill, coordinates) is random for each variant, within what the driver's encode functions allow.
 * Interleaved layouts are left out: the ISA says too little of them. */
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

/* elemtype: tensormap.replace's number for it */
typedef struct { const char *name; int cu, elemtype, size, fp; } type_;
static const type_ types[] = {
    { "u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 0, 1, 0 }, { "u16", CU_TENSOR_MAP_DATA_TYPE_UINT16, 1, 2, 0 },
    { "u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, 4, 0 }, { "s32", CU_TENSOR_MAP_DATA_TYPE_INT32, 3, 4, 0 },
    { "u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 4, 8, 0 }, { "s64", CU_TENSOR_MAP_DATA_TYPE_INT64, 5, 8, 0 },
    { "f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 6, 2, 1 }, { "f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 7, 4, 1 },
    { "f32ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 8, 4, 1 }, { "f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 9, 8, 1 },
    { "bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 10, 2, 1 }, { "tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 11, 4, 1 },
    { "tf32ftz", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 12, 4, 1 },
};
enum { SW_NONE, SW_32, SW_64, SW_128, SW_96, SW_128_A32, SW_128_A32_FLIP, SW_128_A64 };
static const int span[] = { 0, 32, 64, 128, 96, 128, 128, 128 };
static const int cu_swizzle[] = { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                  CU_TENSOR_MAP_SWIZZLE_128B, -1,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B };

enum { TILED, GATHER, IM2COL, IM2COL_W, IM2COL_W128 };
typedef struct {
    const type_ *t;
    /* sub: 4-bit and 6-bit types: elemtype 13, 14, 15 */
    int mode, rank, swizzle, nan_fill, corner_lo[3], corner_hi[3], channels, pixels, sub;
    /* base: offset in the buffer; strides in bytes, stride[0] the element's size */
    uint64_t base, dim[5], stride[5];
    uint32_t box[5], step[5];
    int at[5], offset[3];                      /* coordinates of the instruction; im2col offsets, or halo and wOffset */
    int halo, w_offset;
} tensor;

static uint32_t swizzled(uint32_t a, int mode)
{
    uint32_t row = a >> 7;
    switch (mode) {
    case SW_32: case SW_96: return a ^ (row & 1) << 4;
    case SW_64: return a ^ (row & 3) << 4;
    case SW_128: return a ^ (row & 7) << 4;
    case SW_128_A32: return a ^ (row & 3) << 5;
    case SW_128_A32_FLIP: return a ^ (row & 3) << 5 ^ (row & 1) << 3;
    case SW_128_A64: return a ^ (row & 1) << 6;
    default: return a;
    }
}

static int encode(isa_case *c, isa_tmap *m, const tensor *t, uint64_t device)
{
    static __typeof__(&cuTensorMapEncodeTiled) tiled;
    static __typeof__(&cuTensorMapEncodeIm2col) im2col;
    static __typeof__(&cuTensorMapEncodeIm2colWide) wide;
    if (!tiled) {
        tiled = (__typeof__(tiled))isa_driver("cuTensorMapEncodeTiled");
        im2col = (__typeof__(im2col))isa_driver("cuTensorMapEncodeIm2col");
        wide = (__typeof__(wide))isa_driver("cuTensorMapEncodeIm2colWide");
    }
    CUtensorMap *map = (CUtensorMap *)m;
    void *p = (void *)(device + t->base);
    uint32_t r = (uint32_t)t->rank;
    cuuint64_t dim[5], stride[5];
    for (int k = 0; k < 5; k++) { dim[k] = t->dim[k]; stride[k] = t->stride[k]; }
    CUtensorMapSwizzle s = (CUtensorMapSwizzle)cu_swizzle[t->swizzle];
    CUtensorMapFloatOOBfill f = t->nan_fill ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
        : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    CUtensorMapDataType type = (CUtensorMapDataType)t->t->cu;
    CUresult e;
    if (t->mode == TILED || t->mode == GATHER)
        e = tiled(map, type, r, p, dim, stride + 1, t->box, t->step, CU_TENSOR_MAP_INTERLEAVE_NONE, s,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, f);
    else if (t->mode == IM2COL)
        e = im2col(map, type, r, p, dim, stride + 1, t->corner_lo, t->corner_hi, (cuuint32_t)t->channels,
                   (cuuint32_t)t->pixels, t->step, CU_TENSOR_MAP_INTERLEAVE_NONE, s, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   f);
    else {
        if (!wide) { isa_fail(c, "the driver has no cuTensorMapEncodeIm2colWide"); return -1; }
        e = wide(map, type, r, p, dim, stride + 1, t->corner_lo[0], t->corner_hi[0], (cuuint32_t)t->channels,
                 (cuuint32_t)t->pixels, t->step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                 t->mode == IM2COL_W128 ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, s,
                 CU_TENSOR_MAP_L2_PROMOTION_NONE, f);
    }
    if (e)
        isa_fail(c, "the driver refuses the tensor map: %d (type %s rank %d box %u %u %u %u %u swizzle %d)", e,
                 t->t->name, t->rank, t->box[0], t->box[1], t->box[2], t->box[3], t->box[4], t->swizzle);
    return e ? -1 : 0;
}

/* Calls visit for each element of the box in the order of shared memory: its byte offset in the box, and in the
 * tensor's memory, or -1 outside */
typedef void (*visitor)(void *arg, uint32_t smem, int64_t global, const tensor *t);
static int64_t place(const tensor *t, const int64_t *x)
{
    int64_t a = (int64_t)t->base;
    for (int k = 0; k < t->rank; k++) {
        if (x[k] < 0 || x[k] >= (int64_t)t->dim[k]) return -1;
        a += x[k] * (int64_t)t->stride[k];
    }
    return a;
}
static void pixel(const tensor *t, uint32_t *smem, const int64_t *p, const int *off, visitor visit, void *arg)
{
    for (int ch = 0; ch < t->channels; ch++) {
        int64_t x[5];
        x[0] = t->at[0] + ch;
        for (int k = 1; k < t->rank; k++) x[k] = p[k] + (k < t->rank - 1 && off ? off[k - 1] : 0);
        visit(arg, *smem, place(t, x), t);
        *smem += (uint32_t)t->t->size;
    }
}
static uint32_t traverse(const tensor *t, visitor visit, void *arg)
{
    uint32_t smem = 0, n[5];
    if (t->mode == TILED) {
        for (int k = 0; k < 5; k++)
            n[k] = k >= t->rank ? 1 : k == 0 ? t->box[0] : (t->box[k] + t->step[k] - 1) / t->step[k];
        for (uint32_t e = 0; e < n[4]; e++)
            for (uint32_t d = 0; d < n[3]; d++) for (uint32_t c = 0; c < n[2]; c++) for (uint32_t b = 0; b < n[1]; b++)
            for (uint32_t a = 0; a < n[0]; a++) {
                uint32_t i[5] = { a, b, c, d, e };
                int64_t x[5];
                for (int k = 0; k < t->rank; k++) x[k] = t->at[k] + (int64_t)i[k] * (k ? t->step[k] : 1);
                visit(arg, smem, place(t, x), t);
                smem += (uint32_t)t->t->size;
            }
        return smem;
    }
    if (t->mode == GATHER) {           /* coordinates: the column, four rows */
        for (int row = 0; row < 4; row++)
            for (uint32_t a = 0; a < t->box[0]; a++) {
                int64_t x[5] = { t->at[0] + (int64_t)a, t->at[1 + row] };
                visit(arg, smem, place(t, x), t);
                smem += (uint32_t)t->t->size;
            }
        return smem;
    }
    int64_t p[5], lo[5], hi[5];
    int last = t->rank - 1, wide = t->mode != IM2COL;
    for (int k = 0; k < t->rank; k++) p[k] = t->at[k];
    for (int k = 1; k < last; k++) {
        lo[k] = t->corner_lo[k - 1];
        hi[k] = (int64_t)t->dim[k] - 1 + t->corner_hi[k - 1];
    }
    int shift = wide ? t->w_offset : 0;
    p[1] += shift; lo[1] += shift; hi[1] += shift;
    int total = t->mode == IM2COL_W128 ? 128 : t->pixels, group = t->mode == IM2COL_W128 ? 32 : total;
    for (int i = 0; i < total; i++) {
        pixel(t, &smem, p, wide ? NULL : t->offset, visit, arg);
        if (wide && (i + 1) % group == 0)         /* the halo: the pixels that follow along W */
            for (int h = 1; h <= t->halo; h++) {
                int64_t q[5];
                memcpy(q, p, sizeof q);
                q[1] += h * (int64_t)t->step[1];
                pixel(t, &smem, q, NULL, visit, arg);
            }
        int k = 1;
        for (; k < (wide ? 2 : last); k++) {
            p[k] += t->step[k];
            if (p[k] <= hi[k]) break;
            p[k] = lo[k];
        }
        if (k == (wide ? 2 : last)) p[last]++;
    }
    return smem;
}

/* ---- Configurations ---- */
static const type_ *type_named(const char *s)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) if (!strcmp(types[i].name, s)) return &types[i];
    return NULL;
}

/* PLAIN: no swizzle but the driver's three, for maps that are modified afterwards */
enum { STORE = 1, PLAIN = 2 };
static void strides(tensor *t)
{
    t->stride[0] = (uint64_t)t->t->size;
    uint64_t s = (t->dim[0] * (uint64_t)t->t->size + 15) / 16 * 16 + 16 * (uint64_t)isa_int(0, 1);
    for (int k = 1; k < t->rank; k++) { t->stride[k] = s; s = s * t->dim[k] + 16 * (uint64_t)isa_int(0, 1); }
}
static uint64_t extent(const tensor *t) { return t->base + t->stride[t->rank - 1] * t->dim[t->rank - 1]; }

static int random_swizzle(isa_case *c, int flags)
{
    int atoms = isa_sm >= 100 && !(isa_sm >= 120 && isa_has(c, ".shared::cluster")) && !(flags & PLAIN);
    int s = isa_int(0, atoms ? 6 : 3);
    if (s > 3) s++;
    if (flags & STORE && s == SW_128_A32_FLIP) s = SW_128_A32;
    return s;
}
static void random_tiled(isa_case *c, tensor *t, int rank, int flags)
{
    t->rank = rank;
    t->swizzle = random_swizzle(c, flags);
    int size = t->t->size, inner = t->swizzle ? span[t->swizzle] : 16 * isa_int(1, 8), budget = 8192;
    if (inner / size > 256) inner = 256 * size;
    t->box[0] = (uint32_t)(inner / size);
    budget /= inner;
    for (int k = 0; k < 5; k++) t->step[k] = 1;
    for (int k = 1; k < rank; k++) {
        int most = budget > 12 ? 12 : budget;
        t->box[k] = (uint32_t)isa_int(1, most);
        budget /= (int)t->box[k];
        if (budget < 1) budget = 1;
        if (!(flags & STORE) && isa_int(0, 3) == 0) t->step[k] = (uint32_t)isa_int(1, 3);
    }
    for (int k = 0; k < rank; k++) {
        t->dim[k] = (uint64_t)isa_int(1, k ? 9 : (int)t->box[0] * 2);
        /* stores: the ISA does not say what happens between the last element and the next 16 bytes; the hardware writes
         * there */
        if (k == 0) {
            uint64_t unit = (uint64_t)(flags & STORE ? 16 / size : 1);
            t->dim[0] = (t->dim[0] + unit - 1) / unit * unit;
        }
        t->at[k] = isa_int(flags & STORE ? 0 : -(int)t->box[k] / 2, (int)t->dim[k] - 1);
        /* the box starts at a multiple of 16 bytes */
        if (k == 0) t->at[0] -= ((t->at[0] * size % 16 + 16) % 16) / size;
    }
    t->base = 16 * (uint64_t)isa_int(0, 3);
    t->nan_fill = !(flags & STORE) && t->t->fp && isa_int(0, 1);
    strides(t);
}
static void random_im2col(isa_case *c, tensor *t, int rank, int flags)
{
    int wide = t->mode != IM2COL;
    t->rank = rank;
    /* the driver takes no other */
    do t->swizzle = random_swizzle(c, flags);
    while (wide && t->swizzle != SW_64 && t->swizzle != SW_128 && t->swizzle != SW_128_A32);
    int inner = t->swizzle ? span[t->swizzle] : 16 * isa_int(1, 6);
    t->channels = inner / t->t->size;
    if (t->channels > 256) t->channels = 256;
    for (int k = 0; k < 5; k++) t->step[k] = 1;
    t->dim[0] = (uint64_t)(t->channels * isa_int(1, 2));
    int spatial = rank - 2;
    for (int k = 0; k < spatial; k++) {
        t->dim[1 + k] = (uint64_t)isa_int(4, 9);
        t->step[1 + k] = (uint32_t)isa_int(1, 2);
        if (flags & STORE) {
            t->corner_lo[k] = isa_int(0, 1);
            t->corner_hi[k] = -isa_int(0, 1);
            t->offset[k] = 0;
            t->step[1 + k] = 1;
        } else { t->corner_lo[k] = isa_int(-2, 1); t->corner_hi[k] = isa_int(-2, 1); t->offset[k] = isa_int(0, 3); }
        t->at[1 + k] = isa_int(t->corner_lo[k], (int)t->dim[1 + k] - 1 + t->corner_hi[k]);
    }
    t->dim[rank - 1] = (uint64_t)isa_int(1, 4);
    t->at[rank - 1] = isa_int(0, (int)t->dim[rank - 1] - 1);
    t->at[0] = t->channels * isa_int(0, (int)(t->dim[0] / (uint64_t)t->channels) - 1);
    t->pixels = isa_int(1, 64);
    if (wide) {
        t->w_offset = isa_int(0, 2);
        int n = t->mode == IM2COL_W128 ? 128 : t->pixels;
        if (isa_int(0, 1)) {           /* a row that is long enough for all pixels and the halo */
            t->halo = isa_int(1, 3);
            t->dim[1] = (uint64_t)((n + t->halo + 4) * (int)t->step[1]);
            t->corner_lo[0] = flags & STORE ? 0 : isa_int(-1, 0); t->corner_hi[0] = 0;
            t->at[1] = isa_int(t->corner_lo[0], 1);
        }
    }
    t->base = 16 * (uint64_t)isa_int(0, 3);
    t->nan_fill = !(flags & STORE) && t->t->fp && isa_int(0, 1);
    strides(t);
}

/* Random contents; types that the copy may change on the way (flushed, rounded to tf32) get values that it leaves
 * alone */
static void contents(uint8_t *p, size_t n, const type_ *t)
{
    isa_bytes(p, n);
    if (t->elemtype == 8 || t->elemtype == 11 || t->elemtype == 12)
        for (size_t i = 0; i + 4 <= n; i += 4) {
            uint32_t u;
            memcpy(&u, p + i, 4);
            u = (u & 0x807fe000) | (uint32_t)isa_int(1, 254) << 23;
            memcpy(p + i, &u, 4);
        }
}

/* ---- Comparison: some bytes are only known to be NaNs, some not at all ---- */
enum { EXACT, A_NAN, ANYTHING };
typedef struct { int size, fp; uint8_t how[]; } rule;
static void check(isa_case *c)
{
    rule *r = c->data;
    for (size_t i = 0; i < c->out_size; i++) {
        if (r->how[i] == ANYTHING) continue;
        if (r->how[i] == EXACT) {
            if (c->out[i] != c->want[i]) {
                isa_fail(c, "byte %zu is %02x, must be %02x (smem offset %lld)", i, c->out[i], c->want[i],
                         (long long)(c->user[0] ? i % (size_t)c->user[0] : i));
                return;
            }
            continue;
        }
        if (i % (size_t)r->size) continue;
        uint64_t u = 0;
        memcpy(&u, c->out + i, (size_t)r->size);
        uint64_t mag = u & (~0ull >> (65 - 8 * r->size)), inf = r->size == 8 ? 0x7ff0000000000000ull
                     : r->size == 4 ? 0x7f800000
                     : r->fp == 2 ? 0x7f80
                     : 0x7c00;
        if (mag <= inf) {
            isa_fail(c, "byte %zu: out of bounds, must be a NaN, is %#llx", i, (unsigned long long)u);
            return;
        }
    }
}
static rule *new_rule(isa_case *c, const type_ *t)
{
    rule *r = c->data = calloc(1, sizeof *r + c->out_size);
    r->size = t->size;
    r->fp = !strcmp(t->name, "bf16") ? 2 : 1;
    c->check = check;
    return r;
}

/* ---- Loads ---- */
enum { SMEM = 24 * 1024 };
typedef struct { uint8_t *want, *how; const uint8_t *in; uint32_t at; } load_arg;
static void load_one(void *arg, uint32_t smem, int64_t g, const tensor *t)
{
    load_arg *l = arg;
    for (int b = 0; b < t->t->size; b++) {
        uint32_t s = swizzled(l->at + smem + (uint32_t)b, t->swizzle);
        l->how[s] = g < 0 && t->nan_fill ? A_NAN : EXACT;
        l->want[s] = g < 0 ? 0 : l->in[g + b];
    }
}
/* The chunks of 16 bytes of the tensor's memory that a box has wholly */
typedef struct { uint8_t *seen; uint32_t at[8192]; int n; } chunks_arg;
static void chunks_one(void *arg, uint32_t smem, int64_t g, const tensor *t)
{
    chunks_arg *a = arg;
    (void)smem;
    if (g < 0 || a->n == 8192) return;
    a->seen[g / 16] = (uint8_t)(a->seen[g / 16] + t->t->size);
    if (a->seen[g / 16] == 16) a->at[a->n++] = (uint32_t)g & ~15u;
}
static void nothing(void *arg, uint32_t smem, int64_t g, const tensor *t) { (void)arg; (void)smem; (void)g; (void)t; }

static int mode_of(const char *m)
{
    return strstr(m, "im2col::w::128") ? IM2COL_W128
         : strstr(m, "im2col::w") || strstr(m, "im2col_no_offs::w") ? IM2COL_W
         : strstr(m, "im2col") ? IM2COL
         : strstr(m, "gather4") || strstr(m, "scatter4") ? GATHER
         : TILED;
}
/* .override: the map has another address, and perhaps other sizes and strides, than the instruction's operands. All
 * coordinates are 0 where sizes are given, which have 8 bits. 128 KiB from the address on must be there. */
enum { OVER_ADDRESS = 1, OVER_DIM, OVER_DIM_STRIDE, OVER_BYTES = 128 * 1024 + 64 };
static int override(const isa_case *c)
{
    return isa_has(c, ".override::global_dim_stride") ? OVER_DIM_STRIDE : isa_has(c, ".override::global_dim") ? OVER_DIM
         : isa_has(c, ".override::global_address") ? OVER_ADDRESS : 0;
}
static tensor wrong_map(const isa_case *c, tensor *t)
{
    const int over = override(c);
    tensor w = *t;
    if (over) w.base += 2048 + 16 * (uint64_t)isa_int(0, 9);
    if (over > OVER_ADDRESS)
        for (int k = 0; k < t->rank; k++) {
            w.dim[k] += (uint64_t)isa_int(1, 4);
            if (k) w.stride[k] = (w.dim[0] * (uint64_t)t->t->size + 31) / 16 * 16 + 16 * (uint64_t)isa_int(1, 9);
        }
    return w;
}
static void random_tensor(isa_case *c, tensor *t, int flags)
{
    t->mode = mode_of(c->v->mnemonic);
    int rank = isa_number(c, ".tensor.", 2);
    if (!t->t) t->t = &types[isa_int(0, (int)(sizeof types / sizeof *types) - 1)];
    if (t->mode == TILED) random_tiled(c, t, rank, flags);
    else if (t->mode == GATHER) {
        random_tiled(c, t, 2, flags);
        t->box[1] = 1; t->step[1] = 1;
        /* scattered rows must not be the same: the result would depend on their order */
        for (int r = 0; r < 4; r++)
            for (int again = 1; again; ) {
                again = 0;
                t->at[1 + r] = isa_int(flags & STORE ? 0 : -1, (int)t->dim[1] + 2);
                if (flags & STORE) for (int q = 0; q < r; q++) again |= t->at[1 + q] == t->at[1 + r];
            }
    } else random_im2col(c, t, rank, flags);
    if (override(c) > OVER_ADDRESS)
        for (int k = 0; k < t->rank; k++) {
            t->at[k] = 0;
            if (t->dim[k] > 255) { t->dim[k] = 224; strides(t); }
        }
    if (t->mode >= IM2COL_W && flags & STORE) t->w_offset = t->halo = 0;       /* im2col_no_offs::w */
}
static void put_coordinates(isa_case *c, const tensor *t, char *coord, char *info)
{
    const int over = c->user[1] != 0 ? override(c) : 0;
    if (over) {
        isa_put(c, ".reg .b64 %%over; .reg .b16 %%od<5>, %%ou; .reg .b32 %%ol<4>;\nmov.b64 %%over, %lld;\n",
                (long long)c->user[1]);
        coord += sprintf(coord, "%%over, ");
    }
    if (over > OVER_ADDRESS) {
        for (int k = 0; k < t->rank; k++) {
            /* the upper half of the register does not count */
            isa_put(c, "mov.b16 %%od%d, %d;\n", k, (int)t->dim[k] | isa_int(0, 127) << 8);
            coord += sprintf(coord, "%s%%od%d", k ? ", " : "{", k);
        }
        coord += sprintf(coord, "}, ");
    }
    if (over == OVER_DIM_STRIDE) {
        for (int k = 1; k < t->rank; k++) {
            isa_put(c, "mov.b32 %%ol%d, %d;\n", k - 1, (int)(t->stride[k] / 16));
            coord += sprintf(coord, "%s%%ol%d", k > 1 ? ", " : "{", k - 1);
        }
        /* a dimension of one element may have any stride: bits 36 and up of one do no harm */
        int upper = 0;
        for (int k = 1; k < t->rank; k++) if (t->dim[k] == 1) upper |= isa_int(0, 15) << 4 * (k - 1);
        isa_put(c, "mov.b16 %%ou, %d;\n", upper);
        coord += sprintf(coord, "}, %%ou, ");
    }
    int n = t->mode == GATHER ? 5 : t->rank, off = t->mode == IM2COL ? t->rank - 2 : t->mode >= IM2COL_W ? 2 : 0;
    isa_put(c, ".reg .b32 %%c<5>; .reg .b16 %%o<3>;\n");
    for (int k = 0; k < n; k++) isa_put(c, "mov.b32 %%c%d, %d;\n", k, t->at[k]);
    for (int k = 0; k < off; k++)
        isa_put(c, "mov.b16 %%o%d, %d;\n", k, t->mode == IM2COL ? t->offset[k] : k ? t->w_offset : t->halo);
    coord += sprintf(coord, "{");
    for (int k = 0; k < n; k++) coord += sprintf(coord, "%s%%c%d", k ? ", " : "", k);
    sprintf(coord, "}");
    *info = 0;
    if (off) {
        info += sprintf(info, ", {");
        for (int k = 0; k < off; k++) info += sprintf(info, "%s%%o%d", k ? ", " : "", k);
        sprintf(info, "}");
    }
}
static void put_policy(isa_case *c)
{
    if (isa_has(c, ".L2::cache_hint"))
        isa_put(c, ".reg .b64 %%pol; createpolicy.fractional.L2::evict_normal.b64 %%pol, 1.0;\n");
}
#define POLICY (isa_has(c, ".L2::cache_hint") ? ", %pol" : "")

/* Where the box goes in shared memory; swizzles are functions of the address, so not only multiples of the pattern */
static uint32_t smem_place(const tensor *t, uint32_t bytes)
{
    uint32_t unit = t->swizzle && isa_int(0, 1) ? 1024 : 128;
    return unit * (uint32_t)isa_int(0, (int)((SMEM - 1024 - bytes) / unit > 3 ? 3 : (SMEM - 1024 - bytes) / unit));
}

static int build_load(isa_case *c)
{
    tensor t = { 0 };
    uint32_t bytes;
    const int wide = isa_has(c, ".multicast::cluster::32b"),
              reports = strstr(c->v->mnemonic, ".mbarrier::report") != NULL;
    do {
        t = (tensor){ 0 };
        if (reports) t.t = type_named("u32");
        random_tensor(c, &t, 0);
        bytes = traverse(&t, nothing, NULL);
    } while (bytes > 18 * 1024 || extent(&t) > 1 << 20);
    int multi = strstr(c->v->mnemonic, ".multicast::cluster") != NULL, pair = isa_has(c, ".cta_group::2"),
        cluster = isa_has(c, ".shared::cluster");
    unsigned ctas = multi ? 4 : pair || (cluster && isa_int(0, 1)) ? 2 : 1;
    unsigned issuer = multi || pair ? (unsigned)isa_int(0, (int)ctas - 1) : 0,
             target = cluster && !pair && !multi ? (unsigned)isa_int(0, (int)ctas - 1) : issuer;
    unsigned mask = multi ? (unsigned)isa_int(1, 15) : 1u << target;
    /* whose mbarrier is signalled: with .cta_group::2 the CTA of the pair that has the parity of the mbarrier operand's
     * CTA */
    unsigned parity = (unsigned)isa_int(0, 1), mbar_rank = pair ? (issuer & ~1u) | parity : target, expect[4] = { 0 };
    for (unsigned r = 0; r < ctas; r++) if (mask >> r & 1) expect[pair ? (r & ~1u) | parity : r] += bytes;
    c->cluster[0] = c->grid[0] = ctas;
    c->block[0] = 64;
    uint8_t *in = isa_in(c, override(c) ? extent(&t) + OVER_BYTES : extent(&t) + 64),
            *want = isa_out(c, SMEM * ctas + 4 * ctas);
    contents(in, extent(&t) + 64, t.t);
    int report = -1;
    if (reports) {
        chunks_arg *a = calloc(1, sizeof *a);
        a->seen = calloc(1, c->in_size / 16 + 1);
        traverse(&t, chunks_one, a);
        report = isa_report_pattern(c, in, extent(&t) + 64, a->at, a->n);
        free(a->seen); free(a);
    }
    rule *r = new_rule(c, t.t);
    c->user[0] = SMEM;
    uint32_t at = smem_place(&t, bytes);
    for (unsigned k = 0; k < ctas; k++)
        if (mask >> k & 1) { load_arg l = { want + k * SMEM, r->how + k * SMEM, in, at }; traverse(&t, load_one, &l); }
    tensor wrong = wrong_map(c, &t);
    if (encode(c, &c->tmap[0], &wrong, c->d_in)) return -1;
    c->ntmap = 1;
    c->user[1] = (int64_t)(c->d_in + t.base);
    for (unsigned k = 0; report > -1 && k < ctas; k++)
        if (expect[k]) memcpy(want + SMEM * ctas + 4 * k, &(uint32_t){ (uint32_t)report }, 4);
    char coord[300], info[48];
    isa_begin(c);
    k_shared(c, SMEM);
    k_fill(c, SMEM);
    isa_put(c,
            ".reg .b64 %%map; .reg .b32 %%d, %%m, %%t, %%n, %%mask32; .reg .b16 %%mask; .reg .pred %%p, "
            "%%q;\nfence.proxy.async.shared::cta;\nmov.b64 %%map, p_tmap0; cvta.param.u64 %%map, %%map;\nmov.u32 "
            "%%n, 0;\n");
    for (unsigned k = 0; k < ctas; k++)
        isa_put(c, "setp.eq.u32 %%q, %%rank, %u; @%%q mov.u32 %%n, %u;\n", k, expect[k]);
    isa_put(c,
            "setp.ne.u32 %%p, %%tx, 0; setp.eq.u32 %%q, %%n, 0;\n@%%p bra I;\n"
            "mbarrier.init%s.shared::cta.b64 [%%mb], 1; fence.mbarrier_init.release.cluster;\n"
            "@!%%q mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb], %%n;\nI:\n", reports ? ".layout::v1" : "");
    k_cluster_sync(c);
    isa_put(c, "setp.ne.u32 %%p, %%rank, %u; @%%p bra ISSUED; setp.ne.u32 %%p, %%tx, 0; @%%p bra ISSUED;\n", issuer);
    put_coordinates(c, &t, coord, info);
    put_policy(c);
    isa_put(c, "mov.b16 %%mask, %u; cvt.u32.u16 %%mask32, %%mask; add.u32 %%d, %%sm, %u; mov.u32 %%m, %%mb;\n", mask,
            at);
    if (cluster && !multi && !pair)
        isa_put(c, "mov.u32 %%t, %u; mapa.shared::cluster.u32 %%d, %%d, %%t; mapa.shared::cluster.u32 %%m, %%m, %%t;\n",
                target);
    if (pair) isa_put(c, "mov.u32 %%t, %u; mapa.shared::cluster.u32 %%m, %%m, %%t;\n", mbar_rank);
    isa_put(c, "%s [%%d], [%%map, %s], [%%m]%s%s%s;\nISSUED:\n@%%q bra NOTHING;\n", c->v->mnemonic, coord, info,
            wide ? ", %mask32" : multi ? ", %mask" : "", POLICY);
    k_wait(c, 0, 0, 0);
    if (reports)
        isa_put(c, ".reg .pred %%rep; .reg .b64 %%ra; mbarrier.test_wait.parity.phase_type::primary.shared::cta.b64 "
                "%%p|%%rep, [%%mb], 0; selp.u32 %%t, 1, 0, %%rep; mul.wide.u32 %%ra, %%rank, 4; add.s64 %%ra, %%ra, "
                "%%out; st.global.u32 [%%ra+%u], %%t;\n", SMEM * ctas);
    isa_put(c, "NOTHING:\n");
    k_cluster_sync(c);
    k_dump(c, SMEM);
    isa_end(c);
    return 0;
}

/* ---- Stores and reductions ---- */
typedef struct { uint8_t *want; const uint8_t *smem; uint32_t at; const char *op; } store_arg;
static void store_one(void *arg, uint32_t smem, int64_t g, const tensor *t)
{
    store_arg *l = arg;
    if (g < 0) return;
    uint8_t v[8];
    for (int b = 0; b < t->t->size; b++) v[b] = l->smem[swizzled(l->at + smem + (uint32_t)b, t->swizzle)];
    if (l->op) isa_reduce(l->op, t->t->name, l->want + g, v); else memcpy(l->want + g, v, (size_t)t->t->size);
}
static int build_store(isa_case *c)
{
    static const char *const ops[] = { "add", "min", "max", "inc", "dec", "and", "or", "xor" };
    static const char *const with[] = { "u32 s32 u64 f32 f16 bf16", "u32 s32 u64 s64 f16 bf16",
                                        "u32 s32 u64 s64 f16 bf16", "u32", "u32", "u32 s32 u64", "u32 s32 u64",
                                        "u32 s32 u64" };
    const char *op = NULL;
    const type_ *type = NULL;
    for (unsigned i = 0; i < 8; i++) {
        char w[8];
        snprintf(w, sizeof w, ".%s", ops[i]);
        if (strncmp(c->v->mnemonic, "cp.reduce", 9) || !isa_has(c, w)) continue;
        op = ops[i];
        do type = &types[isa_int(0, 12)]; while (!strstr(with[i], type->name) || !strcmp(type->name, "u8"));
    }
    tensor t;
    uint32_t bytes;
    do {
        t = (tensor){ .t = type };
        random_tensor(c, &t, STORE);
        bytes = traverse(&t, nothing, NULL);
    } while (bytes > 18 * 1024 || extent(&t) > 1 << 20);
    uint8_t *in = isa_in(c, SMEM), *want = isa_out(c, override(c) ? extent(&t) + OVER_BYTES : extent(&t) + 64);
    contents(in, SMEM, t.t);
    if (op) {
        int counter = !strcmp(op, "inc") || !strcmp(op, "dec");
        for (int i = 0; i < SMEM; i += t.t->size) isa_element(t.t->name, in + i, counter);
        for (size_t i = 0; i + (size_t)t.t->size <= c->out_size; i += (size_t)t.t->size)
            isa_element(t.t->name, c->out + i, counter);
        memcpy(want, c->out, c->out_size);
    }
    uint32_t at = smem_place(&t, bytes);
    store_arg s = { want, in, at, op };
    traverse(&t, store_one, &s);
    tensor wrong = wrong_map(c, &t);
    if (encode(c, &c->tmap[0], &wrong, c->d_out)) return -1;
    c->ntmap = 1;
    c->user[1] = (int64_t)(c->d_out + t.base);
    c->block[0] = 64;
    char coord[300], info[48];
    isa_begin(c);
    k_shared(c, SMEM);
    k_load(c, SMEM, 0);
    isa_put(c,
            ".reg .b64 %%map; .reg .b32 %%d; .reg .pred %%p;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nmov.b64 "
            "%%map, p_tmap0; cvta.param.u64 %%map, %%map;\n"
            "setp.ne.u32 %%p, %%tx, 0; @%%p bra DONE;\nadd.u32 %%d, %%sm, %u;\n", at);
    put_coordinates(c, &t, coord, info);
    put_policy(c);
    isa_put(c, "%s [%%map, %s], [%%d]%s;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:\n",
            c->v->mnemonic, coord, POLICY);
    isa_end(c);
    return 0;
}

static int build_tensor(isa_case *c)
{
    return strstr(c->v->mnemonic, ".global.shared::cta") ? build_store(c) : build_load(c);
}
ISA_FAMILY(tensor, "cp.async.bulk.tensor", build_tensor)
ISA_FAMILY(tensor_reduce, "cp.reduce.async.bulk.tensor", build_store)

/* A prefetch changes nothing */
static int build_prefetch(isa_case *c)
{
    tensor t;
    do { t = (tensor){ 0 }; random_tensor(c, &t, 0); } while (extent(&t) > 1 << 20);
    const int priority = !strncmp(c->v->mnemonic, "applypriority", 13);
    uint8_t *in = isa_in(c, extent(&t) + OVER_BYTES), *want = isa_out(c, 128);
    contents(in, extent(&t) + 256, t.t);
    memcpy(want, in, 128);
    tensor wrong = wrong_map(c, &t);
    if (encode(c, &c->tmap[0], &wrong, c->d_in)) return -1;
    c->ntmap = 1;
    c->user[1] = (int64_t)(c->d_in + t.base);
    char coord[300], info[48];
    isa_begin(c);
    isa_put(c, ".reg .b64 %%map, %%g, %%o; .reg .b32 %%v;\nmov.b64 %%map, p_tmap0; cvta.param.u64 %%map, %%map;\n");
    put_coordinates(c, &t, coord, info);
    put_policy(c);
    isa_put(c, "%s [%%map, %s]%s%s;\n", c->v->mnemonic, coord, info, POLICY);
    if (priority) isa_put(c, "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n");
    isa_put(c,
            "mul.wide.u32 %%g, %%tx, 4; add.s64 %%o, %%g, %%out; add.s64 %%g, %%g, %%in; "
            "ld.global.u32 %%v, [%%g]; st.global.u32 [%%o], %%v;\n");
    isa_end(c);
    return 0;
}
ISA_FAMILY(tensor_prefetch, "cp.async.bulk.prefetch.tensor", build_prefetch)

/* ---- tensormap.* ----
 * The kernel gets a map in which one field is not what it should be, copies it to global or shared memory, replaces the
 * field, makes the map known to the tensormap proxy, and loads a box with it: the result must be that of the right
 * map. */
enum { MAP_AT = 1 << 18 };          /* where the copy of the map is in p_in's buffer */
static void put_map_copy(isa_case *c, int shared)
{
    isa_put(c,
            ".shared .align 128 .b8 smap[128];\n.reg .b64 %%map, %%g, %%q; .reg .b32 %%smap, %%v, %%a; .reg .pred "
            "%%p;\nmov.u32 %%smap, smap; add.s64 %%map, %%in, %d;\n" "setp.ne.u32 %%p, %%tx, 0; @%%p bra COPIED;\n",
            MAP_AT);
    for (int i = 0; i < 16; i++)
        isa_put(c, "ld.param.b64 %%q, [p_tmap0+%d]; st.%s.b64 [%s+%d], %%q;\n", i * 8, shared ? "shared" : "global",
                shared ? "%smap" : "%map", i * 8);
}
static void put_load_box(isa_case *c, const tensor *t, uint32_t bytes, uint32_t at)
{
    char coord[300], info[48];
    isa_put(c,
            "@%%p bra ISSUED;\nmbarrier.init.shared::cta.b64 [%%mb], 1; "
            "fence.mbarrier_init.release.cluster;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb], %u;\n", bytes);
    put_coordinates(c, t, coord, info);
    isa_put(c,
            "add.u32 %%a, %%sm, %u;\ncp.async.bulk.tensor.%dd.shared::cta.global.tile.mbarrier::complete_tx::bytes "
            "[%%a], [%%map, %s], [%%mb];\nISSUED:\nbar.sync 0;\n", at, t->rank, coord);
    k_wait(c, 0, 0, 0);
    k_dump(c, SMEM);
}

/* Loads of the packed types: 16 values of 4 bits are 8 bytes there; here 8 bytes, or 8 and 8 that nobody defines; 16 of
 * 6 bits are 12 bytes there, 12 and 4 here. Returns the bytes that the mbarrier counts: those that came, without the
 *   padding. (The ISA does not say; it is
 * what NVIDIA's own kernels for these types expect.) */
static uint32_t sub_byte(const tensor *t, load_arg *l)
{
    uint32_t from = t->sub == 15 ? 12 : 8, to = t->sub == 13 ? 8 : 16, smem = 0, came = 0;
    for (uint32_t row = 0; row < t->box[1]; row++)
        for (uint32_t k = 0; k < t->box[0] / 16; k++, smem += to, came += from)
            for (uint32_t b = 0; b < to; b++) {
                uint32_t s = swizzled(l->at + smem + b, t->swizzle);
                int64_t y = t->at[1] + (int64_t)row, x = (t->at[0] + (int64_t)k * 16);
                l->how[s] = b < from ? EXACT : ANYTHING;
                l->want[s] = y < 0 || y >= (int64_t)t->dim[1] || x >= (int64_t)t->dim[0] ? 0
                    : l->in[t->base + (uint64_t)y * t->stride[1] + (uint64_t)x / 16 * from + b % from];
            }
    return came;
}

static int build_tensormap(isa_case *c)
{
    const char *m = c->v->mnemonic;
    int cp = strstr(m, "cp_fenceproxy") != NULL, shared = cp || isa_has(c, ".shared::cta"),
        generic = !cp && !shared && !isa_has(c, ".global");
    int ord = isa_sweep(c, "ORD", 0), value = isa_sweep(c, "V", -1), reg = 0;
    if (value < 0 && strstr(c->v->ops, "imm") && !isa_sweep(c, "ORD", 0)) {
        const char *i = strstr(c->v->ops, "imm ");
        value = atoi(i + 4);
    }
    tensor t = { .t = type_named("f32"), .mode = TILED }, wrong;
    /* a map of rank 5, or of 2 where that does */
    int rank = strstr(m, ".elemtype") || strstr(m, "swizzle") || strstr(m, "interleave") ? 2 : 5;
    int64_t new = 0;
    random_tiled(c, &t, rank, STORE | PLAIN);
    t.nan_fill = 0;
    t.swizzle = 0;
    t.base = 0;
    t.box[0] = 16; t.dim[0] = 24;
    for (int k = 1; k < rank; k++) {
        t.box[k] = (uint32_t)(rank == 2 ? 12 : 2 + k % 2);
        t.dim[k] = (uint64_t)(rank == 2 ? isa_int(9, 12) : isa_int(3, 5));
    }
    for (int k = 0; k < rank; k++) t.at[k] = k ? isa_int(-1, 2) : 4 * isa_int(0, 2);
    if (strstr(m, "global_dim")) t.at[ord] = 0;                /* so that the wrong value shows */
    if (strstr(m, "global_stride")) t.at[ord + 1] = 0;
    strides(&t);
    if (strstr(m, "elemtype") && value >= 13) {
        t.t = type_named("u8"); t.sub = value;
        t.box[0] = 128; t.dim[0] = 256; t.box[1] = 8; t.stride[0] = 1; t.stride[1] = 256; t.at[0] = 128 * isa_int(0, 1);
    }
    if (strstr(m, "elemtype") && value < 13)
        for (unsigned i = 0; i < 13; i++) if (types[i].elemtype == value) t.t = &types[i];
    if (strstr(m, "elemtype") && value < 13) t.at[0] = 16 / t.t->size * isa_int(0, 1);
    if (strstr(m, "elemtype")) { t.stride[0] = (uint64_t)t.t->size; t.stride[1] = 256; }
    if (strstr(m, "swizzle_mode")) {
        static const int mode[] = { SW_NONE, SW_32, SW_64, SW_128, SW_96 };
        t.swizzle = mode[value];
        if (value) t.box[0] = (uint32_t)span[t.swizzle] / 4;
        t.dim[0] = 40; strides(&t);
    }
    if (strstr(m, "swizzle_atomicity")) {
        static const int mode[] = { SW_128, SW_128_A32, SW_128_A32_FLIP, SW_128_A64 };
        t.swizzle = mode[value]; t.box[0] = 32; t.dim[0] = 40; strides(&t);
    }
    if (strstr(m, "fill_mode")) { t.nan_fill = value; t.at[1] = -1; }
    wrong = t;
    if (strstr(m, "global_address") || cp) wrong.base = 4096, new = -1;
    /* the value is the rank less one */
    else if (strstr(m, ".rank")) { reg = 1; new = 3; wrong.rank = 5; t.rank = 4; }
    else if (strstr(m, "box_dim")) { reg = 1; new = t.box[ord]; wrong.box[ord] = ord ? 1 : 32; }
    else if (strstr(m, "global_dim")) { reg = 1; new = (int64_t)t.dim[ord]; wrong.dim[ord] = ord ? 1 : 4; }
    else if (strstr(m, "global_stride")) {
        new = (int64_t)t.stride[ord + 1];
        wrong.stride[ord + 1] += 16 * (uint64_t)isa_int(1, 9);
    } else if (strstr(m, "element_stride")) {
        reg = 1;
        new = ord ? 2 : 1;
        if (ord) { t.step[ord] = 2; t.box[ord] = wrong.box[ord] = 4; }
    } else if (strstr(m, "elemtype")) {
        new = value;
        wrong.t = t.sub ? t.t : type_named(t.t->size == 4 ? "u16" : "u32");
        if (!t.sub && t.t->size == 1) wrong.t = type_named("u16");
        wrong.stride[0] = (uint64_t)wrong.t->size;
    } else if (strstr(m, "interleave")) new = value;
    else if (strstr(m, "swizzle_mode")) {
        new = value;
        wrong.swizzle = value == 1 ? SW_NONE : value >= 2 ? SW_NONE : SW_128;
        if (!value) t.box[0] = wrong.box[0] = 32;
    } else if (strstr(m, "swizzle_atomicity")) {
        new = value;
        wrong.swizzle = value == 3 ? SW_128_A32 : value ? SW_128 : SW_128_A64;
    } else if (strstr(m, "fill_mode")) { new = value; wrong.nan_fill = !value; }
    uint8_t *in = isa_in(c, MAP_AT + 128), *want = isa_out(c, SMEM);
    contents(in, MAP_AT, t.t);
    if (new == -1) new = (int64_t)c->d_in;
    rule *r = new_rule(c, t.t);
    uint32_t at = 0, bytes;
    load_arg l = { want, r->how, in, at };
    bytes = t.sub ? sub_byte(&t, &l) : traverse(&t, load_one, &l);
    if (extent(&t) > MAP_AT || bytes > 16 * 1024) { isa_fail(c, "the test's tensor is too large"); return -1; }
    if (encode(c, &c->tmap[0], &wrong, c->d_in)) return -1;
    c->ntmap = 1;
    isa_begin(c);
    k_shared(c, SMEM);
    k_fill(c, SMEM);
    put_map_copy(c, shared);
    const char *where = shared ? "%smap" : generic ? "%g" : "%map";
    if (generic) isa_put(c, "cvta.global.u64 %%g, %%map;\n");
    if (reg) isa_put(c, "mov.b32 %%v, %lld;\n", (long long)new);
    else isa_put(c, "mov.b64 %%q, %lld;\n", (long long)new);
    if (cp) isa_put(c, "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%%smap], %%q;\n");
    else if (strstr(m, "box_dim") || strstr(m, "global_dim") || strstr(m, "element_stride"))
        isa_put(c, "%s [%s], %d, %%v;\n", m, where, ord);
    else if (strstr(m, "global_stride")) isa_put(c, "%s [%s], %d, %%q;\n", m, where, ord);
    else if (strstr(m, "global_address")) isa_put(c, "%s [%s], %%q;\n", m, where);
    else if (strstr(m, ".rank")) isa_put(c, "%s [%s], %%v;\n", m, where);
    else {
        isa_put(c, "%s [%s], %d;\n", m, where, (int)new);
        /* and back: what an interleaved load does is not tested */
        if (strstr(m, "interleave") && value) isa_put(c, "%s [%s], 0;\n", m, where);
    }
    /* the swizzle of the test's own fill of shared memory must be before the asynchronous writes */
    isa_put(c, "COPIED:\nfence.proxy.async.shared::cta;\nbar.sync 0;\n");
    if (shared)
        isa_put(c, "%s [%%map], [%%smap], 128;\n", cp ? m
                : "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned");
    else isa_put(c, "fence.proxy.tensormap::generic.release.gpu;\nbar.sync 0;\n");
    isa_put(c, "fence.proxy.tensormap::generic.acquire.gpu [%%map], 128;\n");
    put_load_box(c, &t, bytes, at);
    isa_end(c);
    return 0;
}

int isa_fence_tensormap(isa_case *c);
/* The same with the fence under test: the release on the side that wrote the map, the acquire on the one that uses
 * it */
int isa_fence_tensormap(isa_case *c)
{
    const char *m = c->v->mnemonic;
    int release = strstr(m, "release") != NULL;
    tensor t = { .t = type_named("u32"), .mode = TILED };
    random_tiled(c, &t, 3, STORE | PLAIN);
    uint32_t bytes = traverse(&t, nothing, NULL);
    uint8_t *in = isa_in(c, MAP_AT + 128), *want = isa_out(c, SMEM);
    contents(in, MAP_AT, t.t);
    rule *r = new_rule(c, t.t);
    load_arg l = { want, r->how, in, 0 };
    traverse(&t, load_one, &l);
    if (encode(c, &c->tmap[0], &t, c->d_in)) return -1;
    c->ntmap = 1;
    isa_begin(c);
    k_shared(c, SMEM);
    k_fill(c, SMEM);
    put_map_copy(c, 0);
    isa_put(c, "COPIED:\nfence.proxy.async.shared::cta;\nbar.sync 0;\n%s;\nbar.sync 0;\n%s [%%map], 128;\n", release ? m
            : "fence.proxy.tensormap::generic.release.gpu", release ? "fence.proxy.tensormap::generic.acquire.gpu" : m);
    put_load_box(c, &t, bytes, 0);
    isa_end(c);
    return 0;
}

/* prefetch.tensormap: a hint; then the map is used */
static int build_prefetch_map(isa_case *c)
{
    int konst = isa_has(c, ".const"), param = isa_has(c, ".param");
    tensor t = { .t = type_named("u32"), .mode = TILED };
    random_tiled(c, &t, 2, STORE | PLAIN);
    uint32_t bytes = traverse(&t, nothing, NULL);
    uint8_t *in = isa_in(c, MAP_AT), *want = isa_out(c, SMEM);
    contents(in, MAP_AT, t.t);
    rule *r = new_rule(c, t.t);
    load_arg l = { want, r->how, in, 0 };
    traverse(&t, load_one, &l);
    if (encode(c, &c->tmap[0], &t, c->d_in)) return -1;
    c->ntmap = 1;
    if (konst) {
        isa_put(c, ".const .align 64 .b64 %s_map[16] = {", c->name);
        for (int i = 0; i < 16; i++) isa_put(c, "%s0x%llx", i ? ", " : "", (unsigned long long)c->tmap[0].q[i]);
        isa_put(c, "};\n");
    }
    isa_begin(c);
    k_shared(c, SMEM);
    k_fill(c, SMEM);
    isa_put(c,
            ".reg .b64 %%map, %%g; .reg .b32 %%a; .reg .pred %%p;\nmov.b64 %%map, p_tmap0; cvta.param.u64 %%map, "
            "%%map;\nsetp.ne.u32 %%p, %%tx, 0;\n");
    if (konst) isa_put(c, "mov.b64 %%g, %s_map;\n%s [%%g];\n", c->name, c->v->mnemonic);
    else if (param) isa_put(c, "%s [p_tmap0];\n", c->v->mnemonic);
    else isa_put(c, "%s [%%map];\n", c->v->mnemonic);
    isa_put(c, "fence.proxy.async.shared::cta;\nbar.sync 0;\n");
    put_load_box(c, &t, bytes, 0);
    isa_end(c);
    return 0;
}
/* The allocation class of a map in memory: small as encoded, then what each replace of the address says. Devices
 * without the distinction (all but sm_107) call every map small. */
static int build_query(isa_case *c)
{
    const int shared = isa_has(c, ".shared::cta"), generic = !shared && !isa_has(c, ".global");
    static const char *const steps[] = { NULL, "large", "same", "small", "same", "large", NULL };
    static const uint32_t large[] = { 0, 1, 1, 0, 0, 1, 1 };
    tensor t = { .t = type_named("u32"), .mode = TILED };
    random_tiled(c, &t, 2, STORE | PLAIN);
    isa_in(c, MAP_AT + 128);
    uint32_t *want = isa_out(c, 7 * 4);
    for (int k = 0; k < 7; k++) want[k] = isa_sm == 107 ? large[k] : 0;
    if (encode(c, &c->tmap[0], &t, c->d_in)) return -1;
    c->ntmap = 1;
    isa_begin(c);
    put_map_copy(c, shared);
    const char *map = shared ? "%smap" : "%map", *space = shared ? "shared::cta" : "global";
    isa_put(c, "mov.b64 %%q, %%in; cvta.global.u64 %%g, %%map;\n");
    if (shared) isa_put(c, "cvt.u64.u32 %%g, %%smap;\n");
    for (int k = 0; k < 7; k++) {
        if (steps[k])
            isa_put(c, "tensormap.replace.tile.global_address.alloc_%s.%s.b1024.b64 [%s], %%q;\n", steps[k], space,
                    map);
        else if (k)
            isa_put(c, "tensormap.replace.tile.global_address.%s.b1024.b64 [%s], %%q;\n", space, map);
        isa_put(c, "%s %%p, [%s]; selp.u32 %%v, 1, 0, %%p; st.global.u32 [%%out+%d], %%v;\n", c->v->mnemonic,
                generic || shared ? "%g" : map, k * 4);
    }
    isa_put(c, "COPIED:\n");
    isa_end(c);
    return 0;
}
static int build_maps(isa_case *c)
{
    if (strstr(c->v->mnemonic, ".query")) return build_query(c);
    return strncmp(c->v->mnemonic, "prefetch", 8) ? build_tensormap(c) : build_prefetch_map(c);
}
ISA_FAMILY(tensormap, "tensormap", build_maps)
