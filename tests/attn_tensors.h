/* attn_tensors.h - tensors of 16 bits and lengths of sequences of attention's tests; behind test.h and tc.h. */
#ifndef ATTN_TENSORS_H
#define ATTN_TENSORS_H

#include "attn_memory.h"

typedef struct {
    int rows, heads, batch, dim;  /* extents of the memory: packed ones have one batch */
    const int *at;                /* packed: where each sequence begins; else null */
    tc_attn_strides s;
    int64_t base;                 /* first element */
    size_t elements;
    uint16_t *host, *dev;
} tensor;

static int64_t place(const tensor *t, int b, int row, int h)
{
    return t->base + (t->at ? (int64_t)(t->at[b] + row) * t->s.row : b * t->s.batch + row * t->s.row) + h * t->s.head;
}

/* Contiguous, where none are given. */
static tc_attn_strides default_strides(const tensor *t)
{
    tc_attn_strides s;
    s.head = t->dim, s.row = (int64_t)t->dim * t->heads, s.batch = s.row * t->rows;
    return s;
}

/* The three dimensions in a random order, with random gaps. */
static tc_attn_strides random_strides(const tensor *t)
{
    /* innermost first; 0 batch, 1 row, 2 head */
    static const int orders[6][3] = {{2, 1, 0}, {2, 1, 0}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {0, 1, 2}};
    const int *order = orders[test_int(0, 5)], extent[3] = {t->batch, t->rows, t->heads};
    int64_t s[3], step = t->dim;
    tc_attn_strides chosen;
    for (int i = 0; i < 3; i++) {
        s[order[i]] = step + (test_int(0, 1) ? 8 * test_int(0, 5) : 0);
        step = s[order[i]] * (extent[order[i]] ? extent[order[i]] : 1);
    }
    chosen.batch = s[0], chosen.row = s[1], chosen.head = s[2];
    return chosen;
}

static void allocate(tensor *t)
{
    const int64_t last = t->base + (t->rows - 1) * t->s.row + (t->heads - 1) * t->s.head
        + (t->at ? 0 : (t->batch - 1) * t->s.batch) + t->dim;
    t->elements = t->rows > 0 && t->heads > 0 && t->batch > 0 ? (size_t)last : 0;
    t->host = (uint16_t *)malloc(t->elements * 2 + 16);
    memset(t->host, 0xff, t->elements * 2);
}

static float element(int type, uint16_t x) { return type == TC_BF16 ? tc_f32_from_bf16(x) : tc_f32_from_f16(x); }
static uint16_t to_element(int type, float x) { return type == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x); }

/* One side of the lengths. */
typedef struct {
    int mode; /* 0: all of one length; 'p'added, 'c'umulative */
    int len, total, *lens, *at;
    int *dev;
} side;

#endif
