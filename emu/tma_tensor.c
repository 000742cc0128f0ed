/* tma_tensor.c - tensor copies: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, their prefetches.
 *
 * A tensor copy sees its box as rows: elements that are neighbours in dimension 0, contiguous in global memory. Rows
 * come from a walk (tile, gather4, im2col), and lie in shared memory one after the other, each 16-byte chunk where the
 * swizzle of its address says.
 *
 * What the hardware answers with a trap (misaligned box, inner coordinate off the 16-byte grid, ...) is reported and
 * moves no bytes; the mbarrier is signalled all the same, as in tma.c. */
#include <stdio.h>
#include <string.h>
#include "model.h"
#include "tma.h"

typedef struct {
    tma_dests d;
    tmap t;
    const void *map;                     /* where the tensor map lies, and what it was when the copy was issued */
    tmap was;
    cta *src; uint32_t src_off;          /* stores */
    int32_t c[5];                        /* coordinates as given */
    int32_t off[3];                      /* im2col offsets; im2col::w: wOffset */
    uint32_t rows, srow, grow;           /* rows of the box; bytes of one in shared and in global memory */
    uint32_t halo, group;                /* im2col::w: halo pixels that follow each group of pixels */
    /* from row to row in shared memory: with a swizzle its span, even if srow is less */
    uint32_t pitch;
    uint32_t total, extent;              /* bytes that complete_tx counts; shared bytes that the rows span */
    uint8_t mode, red, type, skip, warned, found;
    uint8_t stage[];                     /* stores: the box, not swizzled, rows of srow bytes */
} tensor;

enum { MAX_ROW = 256 * 8 };

/* The rows of a box, in the order of shared memory */
typedef struct {
    const tensor *p;
    uint32_t row;
    uint32_t idx[5];                     /* tile: steps in each dimension */
    int64_t at[5], last[5];              /* im2col: filter base; the one before */
} walk;

static void walk_begin(walk *k, const tensor *p)
{
    memset(k, 0, sizeof *k);
    k->p = p;
    for (int d = 0; d < 5; d++) k->at[d] = p->c[d];
}

/* The next row: its coordinates in c[1..); 1 if they lie in the tensor, then *addr is the address of element 0 of
 * dimension 0 */
static int walk_next(walk *k, int64_t c[5], uint64_t *addr)
{
    const tensor *p = k->p;
    const tmap *t = &p->t;
    const int rank = t->rank;
    c[0] = p->c[0];
    switch (p->mode) {
    case MODE_GATHER4: case MODE_SCATTER4: c[1] = p->c[1 + k->row]; break;
    case MODE_TILE:
        for (int d = 1; d < rank; d++) c[d] = (int64_t)p->c[d] + (int64_t)k->idx[d] * t->estride[d];
        for (int d = 1; d < rank; d++) {
            if (++k->idx[d] * t->estride[d] < t->box[d]) break;
            k->idx[d] = 0;
        }
        break;
    default:
        /* the pixels that follow the last of the group along W */
        if (p->halo && k->row % (p->group + p->halo) >= p->group) {
            for (int d = 1; d < rank; d++) c[d] = k->last[d] + (d < rank - 1 ? p->off[d - 1] : 0);
            c[1] += (int64_t)(k->row % (p->group + p->halo) - p->group + 1) * t->estride[1];
            break;
        }
        memcpy(k->last, k->at, sizeof k->last);
        for (int d = 1; d < rank; d++) c[d] = k->at[d] + (d < rank - 1 ? p->off[d - 1] : 0);
        for (int d = 1; d < rank - 1; d++) {                     /* W, H, D within the bounding box, then N */
            const int wide = p->mode == MODE_IM2COL_W || p->mode == MODE_IM2COL_W128
                || p->mode == MODE_IM2COL_NO_OFFS_W;
            if (wide && d > 1) continue;
            k->at[d] += t->estride[d];
            if (k->at[d] <= (int64_t)t->dim_1[d] + t->upper[d - 1]) goto done;
            k->at[d] = t->lower[d - 1];
        }
        k->at[rank - 1] += t->estride[rank - 1];
    }
done:
    k->row++;
    uint64_t a = t->addr;
    for (int d = 1; d < rank; d++) {
        if (c[d] < 0 || c[d] > (int64_t)t->dim_1[d]) return 0;
        a += (uint64_t)c[d] * t->stride[d - 1];
    }
    *addr = a;
    return 1;
}

/* Bytes of a row that lie in the tensor: [lo, hi), the first of them at the row's address + *at. 0: none */
static int inner_range(const tensor *p, uint32_t *lo, uint32_t *hi, uint64_t *at)
{
    const int bits = tmap_bits(p->t.dtype);
    const int64_t start = (int64_t)p->c[0] * bits / 8, end = (int64_t)(tmap_dim(&p->t, 0) * (uint64_t)bits / 8);
    int64_t a = start < 0 ? -start : 0, b = end - start;
    if (b > (int64_t)p->grow) b = p->grow;
    *lo = (uint32_t)a, *hi = (uint32_t)b, *at = (uint64_t)(start + a);
    return a < b;
}

static const char *coords(char *buf, size_t n, const int64_t *c, int rank)
{
    size_t len = 0;
    for (int k = 0; k < rank && len < n; k++)
        len += (size_t)snprintf(buf + len, n - len, "%s%lld", k ? ", " : "{", (long long)c[k]);
    if (len < n) snprintf(buf + len, n - len, "}");
    return buf;
}

/* What the hardware puts for elements outside the tensor: zeros, or the OOB-NaN, 0x7ff7 in every 16 bits */
static void fill_row(const tmap *t, uint8_t *row, uint32_t from, uint32_t to)
{
    if (!t->fill) memset(row + from, 0, to - from);
    else
        for (uint32_t k = from; k < to; k += 2) row[k] = 0xf7, row[k + 1] = 0x7f;
}
/* f32 to tf32: nearest even, NaN to 0x7fffe000. (The _FTZ types make no difference to loads: subnormals stay.) */
static void convert_row(uint8_t *row, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k += 4) {
        uint32_t u;
        memcpy(&u, row + k, 4);
        u = (u & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (u + 0xfff + (u >> 13 & 1)) & 0xffffe000;
        memcpy(row + k, &u, 4);
    }
}

/* A row of srow bytes to its place, and back. s: shared memory at the start of the box; off: the shared offset of that
 * start */
static void scatter(uint8_t *s, uint32_t off, uint32_t at, int swizzle, const uint8_t *row, uint32_t bytes)
{
    if (swizzle == SW_NONE) {
        memcpy(s + at, row, bytes);
        return;
    }
    for (uint32_t x = 0; x < bytes; x += 16) {
        uint32_t a = tmap_swizzle(swizzle, off + at + x) - off;
        if (swizzle != SW_128B_ATOM_32B_FLIP_8B || !(a & 8)) memcpy(s + a, row + x, 16);
        else memcpy(s + a, row + x, 8), memcpy(s + a - 8, row + x + 8, 8);
    }
}
static void gather(const uint8_t *s, uint32_t off, uint32_t at, int swizzle, uint8_t *row, uint32_t bytes)
{
    if (swizzle == SW_NONE) {
        memcpy(row, s + at, bytes);
        return;
    }
    for (uint32_t x = 0; x < bytes; x += 16) {
        uint32_t a = tmap_swizzle(swizzle, off + at + x) - off;
        if (swizzle != SW_128B_ATOM_32B_FLIP_8B || !(a & 8)) memcpy(row + x, s + a, 16);
        else memcpy(row + x, s + a, 8), memcpy(row + x + 8, s + a - 8, 8);
    }
}

/* The packed types that are padded to 16 bytes for 16 elements: only the first 8 or 12 bytes of a chunk are written */
static void scatter_padded(async_op *op, const tensor *p, cta *c, uint32_t at, const uint8_t *row)
{
    const uint32_t used = p->t.dtype == TM_16U4_ALIGN16B ? 8 : 12;
    for (uint32_t x = 0; x < p->srow; x += 16) {
        uint8_t *s = emu_async_smem(op, c, tmap_swizzle(p->t.swizzle, p->d.off + at + x), used, A_WRITE);
        if (s) memcpy(s, row + x / 16 * used, used);
    }
}

/* Calls touch for every run of shared bytes that the box has, starting at offset off. Rows narrower than the swizzle
 * leave gaps. */
static void each_run(async_op *op, const tensor *p, cta *c, uint32_t off, int flags,
                     void (*touch)(async_op *, cta *, uint32_t, uint32_t, int))
{
    if (p->srow == p->pitch) touch(op, c, off, p->extent, flags);
    else
        for (uint32_t n = 0; n < p->rows; n++)
            for (uint32_t x = 0; x < p->srow; x += 16)
                touch(op, c, tmap_swizzle(p->t.swizzle, off + n * p->pitch + x) & ~15u, 16, flags);
}
static void mark_written(async_op *op, cta *c, uint32_t off, uint32_t bytes, int flags)
{
    emu_async_smem(op, c, off, bytes, flags);
}

/* The shared memory of a box that is loaded, marked as written; NULL if it is out of bounds */
static uint8_t *load_target(async_op *op, const tensor *p, cta *c)
{
    if (p->srow == p->pitch) return emu_async_smem(op, c, p->d.off, p->extent, A_WRITE);
    each_run(op, p, c, p->d.off, A_WRITE, mark_written);
    return emu_async_smem(op, c, p->d.off, p->extent, A_READ);
}

/* Hardware may read the map at any time until the copy has completed */
static void check_map(async_op *op, const tensor *p)
{
    if (!memcmp(p->map, &p->was, sizeof p->was)) return;
    emu_report(op->w, op->i, lane_bit(op->lane), E_RACE,
               "the tensor map at 0x%llx was changed while this copy, which reads it, was in flight: a map is replaced "
               "when all copies by it have completed", (ull)(uintptr_t)p->map);
}

static void tensor_load_perform(async_op *op, int stage)
{
    tensor *p = op->payload;
    if (stage != AO_WRITE) return;
    check_map(op, p);
    if (!p->skip) {
        const tmap *t = &p->t;
        const int padded = t->dtype == TM_16U4_ALIGN16B || t->dtype == TM_16U6_ALIGN16B;
        const int convert = t->dtype == TM_TF32 || t->dtype == TM_TF32_FTZ;
        _Alignas(64) uint8_t row[MAX_ROW];
        uint8_t *s[16] = {0};
        uint32_t lo, hi;
        uint64_t at;
        walk k;
        for (uint32_t r = 0; !padded && r < op->cl->ncta; r++)
            if (p->d.ctas >> r & 1) s[r] = load_target(op, p, &op->cl->cta[r]);
        walk_begin(&k, p);
        const int some = inner_range(p, &lo, &hi, &at);
        for (uint32_t n = 0; n < p->rows; n++) {
            int64_t c[5];
            uint64_t addr;
            const uint8_t *g = NULL, *from = row;
            if (walk_next(&k, c, &addr) && some) {
                addr += at;
                g = emu_async_global(op, addr, hi - lo, A_READ | A_ASYNC | A_NOINIT);
                const uint64_t u = g && !p->warned ? emu_global_uninit(addr, hi - lo) : 0;
                if (u) {
                    char buf[128];
                    p->warned = 1;
                    emu_report(op->w, op->i, lane_bit(op->lane), E_UNINIT_GLOBAL,
                               "loads from a tensor at 0x%llx: byte 0x%llx, in the row at coordinates %s, was never "
                               "written", (ull)t->addr, (ull)u,
                               coords(buf, sizeof buf, c, t->rank));
                }
            }
            if (g && F(op->i)->report && tma_unwritten(F(op->i)->report, g, hi - lo)) p->found = 1;
            if (g && hi - lo == p->grow && !convert) from = g;
            else if (g) {
                fill_row(t, row, 0, lo);
                memcpy(row + lo, g, hi - lo);
                fill_row(t, row, hi, p->grow);
                if (convert) convert_row(row, lo, hi);
            } else fill_row(t, row, 0, p->grow);
            for (uint32_t r = 0; r < op->cl->ncta; r++) {
                if (s[r]) scatter(s[r], p->d.off, n * p->pitch, t->swizzle, from, p->srow);
                else if (padded && p->d.ctas >> r & 1) scatter_padded(op, p, &op->cl->cta[r], n * p->pitch, from);
            }
        }
    }
    if (p->found) tma_report(op, &p->d);
    tma_signal(op, &p->d, p->total);
}

static void tensor_store_perform(async_op *op, int stage)
{
    tensor *p = op->payload;
    const tmap *t = &p->t;
    if (stage == AO_READ) {
        const uint8_t *s = emu_async_smem(op, p->src, p->src_off, p->extent, A_READ);
        if (!s) p->skip = 1;
        for (uint32_t n = 0; s && n < p->rows; n++)
            gather(s, p->src_off, n * p->pitch, t->swizzle, p->stage + (size_t)n * p->srow, p->srow);
        return;
    }
    check_map(op, p);
    if (p->skip) return;
    uint32_t lo, hi;
    uint64_t at;
    walk k;
    if (!inner_range(p, &lo, &hi, &at)) return;
    /* The hardware cuts a row at 16 bytes, not at the last element: what lies in the box up to there is written too */
    hi = (hi + 15) / 16 * 16 < p->grow ? (hi + 15) / 16 * 16 : p->grow;
    walk_begin(&k, p);
    for (uint32_t n = 0; n < p->rows; n++) {
        int64_t c[5];
        uint64_t addr;
        uint8_t *row = p->stage + (size_t)n * p->srow, packed[96];
        if (!walk_next(&k, c, &addr)) continue;
        uint8_t *g = emu_async_global(op, addr + at, hi - lo, p->red ? A_READ | A_WRITE | A_ATOMIC | A_ASYNC
                                      : A_WRITE | A_ASYNC);
        if (!g) continue;
        if (t->dtype == TM_16U6_ALIGN16B) {                      /* bytes of 6 + 2 bits to packed 6 bits */
            for (uint32_t x = 0; x < p->srow / 4; x++) {
                const uint8_t *q = row + 4 * x;
                uint32_t v = (q[0] & 63u) | (q[1] & 63u) << 6 | (q[2] & 63u) << 12 | (q[3] & 63u) << 18;
                packed[3 * x] = (uint8_t)v, packed[3 * x + 1] = (uint8_t)(v >> 8),
                    packed[3 * x + 2] = (uint8_t)(v >> 16);
            }
            row = packed;
        }
        if (p->red) tma_reduce(p->red, p->type, g, row + lo, hi - lo);
        else memcpy(g, row + lo, hi - lo);
    }
}

/* Element type of a tensor reduction, or PT_NONE if the operation does not exist for it (illegal instruction on an
 * H200; .add of f64 and, as f32, of tf32 works there, though the PTX ISA does not list it). Only the _FTZ types flush
 * subnormals. */
static int reduction_type(int red, int dtype)
{
    static const uint8_t type[TM_TYPES] = {[TM_U32] = PT_U32, [TM_S32] = PT_S32, [TM_U64] = PT_U64, [TM_S64] = PT_S64,
                                           [TM_F16] = PT_F16,
                                           [TM_BF16] = PT_BF16, [TM_F32] = F32_KEEP, [TM_F32_FTZ] = PT_F32,
                                           [TM_TF32] = F32_KEEP, [TM_TF32_FTZ] = PT_F32, [TM_F64] = PT_F64};
    const int t = type[dtype];
    switch (red) {
    case RED_ADD: return t == PT_S64 ? PT_NONE : t;
    case RED_MIN: case RED_MAX: return t == PT_F32 || t == F32_KEEP || t == PT_F64 ? PT_NONE : t;
    case RED_INC: case RED_DEC: return t == PT_U32 ? t : PT_NONE;
    default: return t == PT_U32 || t == PT_S32 ? PT_B32 : t == PT_U64 ? PT_B64 : PT_NONE;
    }
}

enum { DIR_LOAD, DIR_STORE, DIR_PREFETCH };

/* .override: the address, sizes and strides that stand before the coordinates take the place of the map's. 0: reported,
 * move nothing */
static int override(warp *w, const ptx_instr *i, int lane, const tma_f *f, const ptx_opnd *mo, tmap *t)
{
    const uint32_t bit = lane_bit(lane);
    char why[256];
    int ok = 1, k = 0;
    t->addr = R64(w, &mo->elem[k++])[lane];
    if (t->addr % 16)
        emu_report(w, i, bit, E_MISALIGNED, ".override::global_address: 0x%llx is not a multiple of 16", (ull)t->addr),
            ok = 0;
    else if (!emu_global_ok(t->addr, 128 * 1024, 0, why, sizeof why))
        emu_report(w, i, bit, E_OOB_GLOBAL,
                   ".override::global_address: the 128 KiB from 0x%llx must be allocated, whatever the tensor's size: "
                   "%s",
                   (ull)t->addr, why);
    if (f->over == OVER_ADDRESS) return ok;
    for (int d = 0; d < t->rank; d++) {
        const uint32_t size = R32(w, &mo->elem[k++])[lane] & 0xff;
        if (!size)
            emu_report(w, i, bit, E_OPERAND, "the size of dimension %d is 0 (8 bits count): sizes are 1 to 255", d),
                ok = 0;
        t->dim_1[d] = size - 1;
    }
    t->dead = 0;
    if (f->over == OVER_DIM) return ok;
    const uint32_t upper = R32(w, &mo->elem[k + t->rank - 1])[lane];
    for (int d = 0; d < t->rank - 1; d++)
        t->stride[d] = (R32(w, &mo->elem[k++])[lane] + ((uint64_t)(upper >> 4 * d & 15) << 32)) << 4;
    return ok;
}

/* Reads map, coordinates, offsets; checks every rule; fills in the geometry. 1; 0: reported, the geometry stands, move
 * nothing; -1: X_ABORT */
static int tensor_setup(warp *w, const ptx_instr *i, int lane, const tma_f *f, int dir, tensor *p)
{
    const uint32_t bit = lane_bit(lane);
    const ptx_opnd *mo = &i->op[dir == DIR_STORE ? f->dst : f->src];
    const uint64_t addr = emu_mem_addr(w, mo, lane);
    char why[256];
    int ok = 1;

    if (EMU_GEN_TAG(addr) == EMU_GEN_LOCAL || EMU_GEN_TAG(addr) == EMU_GEN_SHARED) {
        emu_fatal(w, i, bit, E_DESCRIPTOR,
                  "the tensor map 0x%llx lies in %s memory: it must be a const __grid_constant__ parameter, or in "
                  ".const or .global memory", (ull)addr, EMU_GEN_TAG(addr) == EMU_GEN_LOCAL ? "local" : "shared");
        return -1;
    }
    if (addr % 64) {
        emu_fatal(w, i, bit, E_DESCRIPTOR, "the tensor map 0x%llx is not a multiple of 64", (ull)addr);
        return -1;
    }
    const void *m = emu_access(w, i, lane, SP_NONE, addr, sizeof(tmap), 64, A_READ);
    if (!m || !tmap_read(m, &p->t, why, sizeof why) || !tmap_check(&p->t, why, sizeof why)) {
        if (m) emu_fatal(w, i, bit, E_DESCRIPTOR, "the tensor map at 0x%llx: %s", (ull)addr, why);
        else emu_fatal(w, i, bit, E_DESCRIPTOR, "the tensor map at 0x%llx cannot be read", (ull)addr);
        return -1;
    }
    p->map = m;
    memcpy(&p->was, m, sizeof p->was);
    const tmap *t = &p->t;
    const int four = f->mode == MODE_GATHER4 || f->mode == MODE_SCATTER4;
    const int first = mo->n - (four ? 5 : f->dim);               /* of the coordinates */
    char small[256];
    if (t->large && !f->over && !emu_global_ok(t->addr, TMAP_WINDOW, 0, small, sizeof small))
        emu_report(w, i, bit, E_OOB_GLOBAL,
                   "the tensor map is of the large allocation class: the 128 KiB from its address 0x%llx must be "
                   "allocated: %s", (ull)t->addr, small);
    if (f->over && f->dim == t->rank && !override(w, i, lane, f, mo, &p->t)) ok = 0;
    static const char *const kind[] = {"tiled", "im2col", "im2col::w", "im2col::w::128"};
    static const uint8_t needs[] = {TMAP_TILED, TMAP_TILED, TMAP_TILED, TMAP_IM2COL, TMAP_IM2COL_W, TMAP_IM2COL_W128,
                                    TMAP_IM2COL, TMAP_IM2COL_W};
    if (f->dim != t->rank) {
        emu_fatal(w, i, bit, E_DESCRIPTOR, "the instruction is .%ud, the tensor map has rank %u", f->dim, t->rank);
        return -1;
    }
    if (t->kind != needs[f->mode]) {
        emu_fatal(w, i, bit, E_DESCRIPTOR, "the instruction needs a tensor map of the kind %s, this one is %s",
                  kind[needs[f->mode]], kind[t->kind]);
        return -1;
    }
    if (t->interleave) {
        emu_fatal(w, i, bit, E_UNSUPPORTED, "tensor maps with an interleaved layout (interleave %s) are not supported",
                  t->interleave == 1 ? "16B" : "32B");
        return -1;
    }
    p->mode = f->mode, p->red = f->red;
    for (int k = 0; first + k < mo->n && k < 5; k++) p->c[k] = (int32_t)R32(w, &mo->elem[first + k])[lane];
    for (int k = 0; f->over > OVER_ADDRESS && k < t->rank; k++)
        if (p->c[k])
            emu_report(w, i, bit, E_OPERAND,
                       "coordinate %d = %d: with .override::%s all coordinates must be 0", k, p->c[k],
                       f->over == OVER_DIM ? "global_dim" : "global_dim_stride"), ok = 0;

    /* geometry */
    const int bits = tmap_bits(t->dtype), padded = t->dtype == TM_16U4_ALIGN16B || t->dtype == TM_16U6_ALIGN16B;
    const uint32_t inner = t->kind == TMAP_TILED ? t->box[0] : t->channels;
    p->grow = inner * (uint32_t)bits / 8;
    p->srow = padded ? inner : p->grow;
    p->pitch = t->swizzle ? tmap_swizzle_span(t->swizzle) : p->srow;
    uint64_t rows = 1;
    if (four) rows = 4;
    else if (f->mode == MODE_TILE)
        for (int k = 1; k < t->rank; k++) rows *= (t->box[k] + t->estride[k] - 1u) / t->estride[k];
    else rows = f->mode == MODE_IM2COL_W128 ? 128 : t->pixels;
    if (dir != DIR_PREFETCH && rows * p->pitch > w->cta->smem_size) {
        emu_fatal(w, i, bit, E_OOB_SHARED,
                  "the box takes %llu bytes of shared memory (%llu rows, one every %u bytes), the CTA has %u",
                  (ull)(rows * p->pitch), (ull)rows, p->pitch, w->cta->smem_size);
        return -1;
    }
    p->rows = (uint32_t)rows;
    /* of the padded types too: the mbarrier counts what came, without the padding */
    p->total = p->rows * p->grow;
    p->extent = p->rows * p->pitch;

    /* rules of this use */
    if (four && t->box[1] != 1)
        emu_report(w, i, bit, E_OPERAND, "boxDim[1] = %u of the tensor map, but gather4 and scatter4 need 1",
                   t->box[1]), ok = 0;
    const uint32_t grid = padded ? 128 : 128 / (uint32_t)bits;
    if (p->c[0] % (int32_t)grid)
        emu_report(w, i, bit, E_OPERAND,
                   "coordinate 0 = %d elements of %s is not a multiple of 16 bytes (%u elements): the hardware stops "
                   "with an illegal instruction", p->c[0], tmap_type_name(t->dtype), grid), ok = 0;
    if (dir == DIR_STORE) {
        for (int k = 0; first + k < mo->n; k++)
            if (p->c[k] < 0 && !(f->mode == MODE_SCATTER4 && w->cta->cl->L->dev->sm == 107))
                emu_report(w, i, bit, E_OPERAND,
                           "coordinate %d = %d: stores and reductions take no negative coordinates (loads do)", k,
                           p->c[k]), ok = 0;
        if (f->mode == MODE_IM2COL_NO_OFFS || f->mode == MODE_IM2COL_NO_OFFS_W)
            for (int k = 0; k < (f->mode == MODE_IM2COL_NO_OFFS ? t->rank - 2 : 1); k++)
                if (t->lower[k] < 0 || t->upper[k] > 0)
                    emu_report(w, i, bit, E_OPERAND,
                               "the bounding box of the tensor map leaves the tensor in %c (lower corner %d, upper "
                               "corner %d): stores do not allow that", "WHD"[k], t->lower[k], t->upper[k]), ok = 0;
        if (t->dtype == TM_16U4_ALIGN16B)
            emu_report(w, i, bit, E_OPERAND, "tensors of 16U4_ALIGN16B can only be loaded"), ok = 0;
        if (f->red && !(p->type = (uint8_t)reduction_type(f->red, t->dtype)))
            emu_report(w, i, bit, E_OPERAND, "there is no .%s reduction of tensors of %s", tma_red_word[f->red],
                       tmap_type_name(t->dtype)), ok = 0;
    } else {
        if (t->dtype == TM_16U6_ALIGN16B && t->swizzle == SW_128B_ATOM_64B)
            emu_report(w, i, bit, E_OPERAND, "16U6_ALIGN16B with the swizzle 128B_ATOM_64B can only be stored"), ok = 0;
        if (t->dtype >= TM_16U4_ALIGN8B && w->cta->cl->L->dev->sm >= 120 && !f->dst_cta && dir == DIR_LOAD)
            emu_report(w, i, bit, E_OPERAND, "%s has no loads of %s into .shared::cluster", w->cta->cl->L->dev->option,
                       tmap_type_name(t->dtype)), ok = 0;
    }
    if (f->mode >= MODE_IM2COL) {
        const int wide = f->mode == MODE_IM2COL_W || f->mode == MODE_IM2COL_W128 || f->mode == MODE_IM2COL_NO_OFFS_W;
        static const uint16_t top[] = {65535, 255, 31};
        if (f->info != NOT && wide) {
            const uint32_t halo = R32(w, &i->op[f->info].elem[0])[lane] & 0xffff,
                           off = R32(w, &i->op[f->info].elem[1])[lane] & 0xffff;
            if (halo) {
                /* The ISA has the halo after the pixels of a row. What it is where the pixels go on in the next image
                 * is not said clearly enough */
                const int64_t fit = p->c[1] > (int64_t)t->dim_1[1] + t->upper[0] ? 0
                    : ((int64_t)t->dim_1[1] + t->upper[0] - p->c[1]) / t->estride[1] + 1;
                if (fit < (int64_t)rows) {
                    emu_fatal(w, i, bit, E_UNSUPPORTED,
                              "wHalo = %u: halo elements are supported only where all %llu pixels lie in one image; "
                              "here %lld of them do", halo, (ull)rows, (long long)fit);
                    return -1;
                }
                p->halo = halo, p->group = f->mode == MODE_IM2COL_W128 ? 32 : (uint32_t)rows;
                rows += rows / p->group * halo;
                if (dir != DIR_PREFETCH && rows * p->pitch > w->cta->smem_size) {
                    emu_fatal(w, i, bit, E_OOB_SHARED,
                              "the box with its halo takes %llu bytes of shared memory, the CTA has %u",
                              (ull)(rows * p->pitch), w->cta->smem_size);
                    return -1;
                }
                p->rows = (uint32_t)rows, p->total = p->rows * p->grow, p->extent = p->rows * p->pitch;
            }
            if (off > 31) emu_report(w, i, bit, E_OPERAND, "wOffset = %u is not in 0..31", off), ok = 0;
            p->off[0] = (int32_t)off;
        } else if (f->info != NOT) {
            for (int k = 0; k < t->rank - 2; k++) {
                p->off[k] = (int32_t)(R32(w, &i->op[f->info].elem[k])[lane] & 0xffff);
                if (p->off[k] > top[t->rank - 3])
                    emu_report(w, i, bit, E_OPERAND, "im2col offset %c = %d is not in 0..%u", "WHD"[k], p->off[k],
                               top[t->rank - 3]), ok = 0;
            }
        }
        for (int k = 0; k < (wide ? 1 : t->rank - 2); k++) {
            const int64_t last = (int64_t)t->dim_1[k + 1] + t->upper[k];
            if ((p->c[k + 1] < t->lower[k] && !wide) || p->c[k + 1] > last)
                emu_report(w, i, bit, E_OPERAND,
                           "coordinate %d = %d lies outside the bounding box of the tensor map, %d..%lld", k + 1,
                           p->c[k + 1], t->lower[k], (long long)last), ok = 0;
        }
    }
    return ok;
}

static int smem_aligned(warp *w, const ptx_instr *i, int lane, uint32_t off)
{
    if (off % 128 == 0) return 1;
    emu_report(w, i, lane_bit(lane), E_MISALIGNED, "the box is at shared offset %u, which is not a multiple of 128",
               off);
    return 0;
}

/* The box that a store reads. What lies outside the tensor goes nowhere: it need not have been written (a padded
 * tile) */
static void touch_source(async_op *op, const tensor *p)
{
    uint32_t lo, hi, inside = 0;
    uint64_t at, addr;
    int64_t c[5];
    walk k;
    const int some = inner_range(p, &lo, &hi, &at);
    walk_begin(&k, p);
    for (uint32_t n = 0; some && n < p->rows; n++) inside += (uint32_t)walk_next(&k, c, &addr);
    if (p->srow != p->grow || (inside == p->rows && !lo && hi == p->grow)) {
        each_run(op, p, p->src, p->src_off, A_READ | A_ASYNC, emu_async_touch);
        return;
    }
    const int errors = emu_error_count();
    each_run(op, p, p->src, p->src_off, A_READ | A_ASYNC | A_NOINIT, emu_async_touch);
    if (emu_error_count() != errors) return;                     /* once is enough */
    walk_begin(&k, p);
    for (uint32_t n = 0; some && n < p->rows; n++) {
        if (!walk_next(&k, c, &addr)) continue;
        const uint32_t row = p->src_off + n * p->pitch;
        if (p->t.swizzle == SW_NONE) emu_async_touch(op, p->src, row + lo, hi - lo, A_READ | A_ASYNC);
        else for (uint32_t x = (lo + 15) / 16 * 16; x + 16 <= hi; x += 16)
            emu_async_touch(op, p->src, tmap_swizzle(p->t.swizzle, row + x) & ~15u, 16, A_READ | A_ASYNC);
    }
}

int tma_tensor_load(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    EMU_EACH(l, mask) {
        tensor p;
        cta *mb = NULL;
        memset(&p, 0, sizeof p);
        const int ok = tensor_setup(w, i, (int)l, f, DIR_LOAD, &p);
        if (ok < 0) return X_ABORT;
        if (!tma_find_dests(w, i, (int)l, f, &p.d, &mb)) continue;
        if (!ok || !smem_aligned(w, i, (int)l, p.d.off)) p.skip = 1;
        async_op *op = emu_async_new(w, i, (int)l, sizeof p, tensor_load_perform);
        memcpy(op->payload, &p, sizeof p);
        for (uint32_t r = 0; !p.skip && r < w->cta->cl->ncta; r++)
            if (p.d.ctas >> r & 1) each_run(op, &p, &w->cta->cl->cta[r], p.d.off, A_WRITE | A_ASYNC, emu_async_touch);
        tma_count(w, i, (uint64_t)p.total * (uint32_t)__builtin_popcount(p.d.ctas), (uint64_t)p.rows * p.grow);
        model_note(w, op, (model_event){.kind = EV_LOAD, .a = (float)p.total, .mask = p.d.ctas});
        tma_post(op, mb, p.d.mbar_off);
    }
    return X_NEXT;
}

int tma_tensor_store(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    EMU_EACH(l, mask) {
        tensor p;
        memset(&p, 0, sizeof p);
        const int ok = tensor_setup(w, i, (int)l, f, DIR_STORE, &p);
        if (ok < 0) return X_ABORT;
        if (!tma_shared_at(w, i, (int)l, SP_SHARED, emu_mem_addr(w, &i->op[f->src], (int)l), "source", &p.src,
                           &p.src_off))
            continue;
        if (!smem_aligned(w, i, (int)l, p.src_off) || !ok) continue;
        async_op *op = emu_async_new(w, i, (int)l, sizeof p + p.extent, tensor_store_perform);
        memcpy(op->payload, &p, sizeof p);
        op->bulk_group = 1;
        touch_source(op, &p);
        tma_count(w, i, p.total, (uint64_t)p.rows * p.grow);
        model_note(w, op, (model_event){.kind = EV_STORE, .a = (float)p.total});
        emu_async_post(op);
    }
    return X_NEXT;
}

int tma_tensor_prefetch(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    EMU_EACH(l, mask) {
        tensor p;
        walk k;
        uint32_t lo, hi;
        uint64_t at;
        memset(&p, 0, sizeof p);
        const int ok = tensor_setup(w, i, (int)l, f, DIR_PREFETCH, &p);
        if (ok < 0) return X_ABORT;
        /* nobody sees what a prefetch reads */
        if (!ok || !emu_opt.strict || !inner_range(&p, &lo, &hi, &at)) continue;
        walk_begin(&k, &p);
        for (uint32_t n = 0; n < p.rows; n++) {
            int64_t c[5];
            uint64_t a;
            char why[256], buf[128];
            if (!walk_next(&k, c, &a)) continue;
            if (emu_global_ok(a + at, hi - lo, 0, why, sizeof why)) continue;
            emu_report(w, i, lane_bit((int)l), E_OOB_GLOBAL,
                       "prefetches %u bytes at 0x%llx, coordinates %s of the tensor: %s", hi - lo, (ull)(a + at),
                       coords(buf, sizeof buf, c, p.t.rank), why);
            break;
        }
    }
    return X_NEXT;
}
