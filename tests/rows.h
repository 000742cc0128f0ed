/* rows.h - rows as tc_rows.h and tc_gemm_rows.h must make them, in fp64, and their bounds; behind tc.h and test.h.
 *
 * BOUND of a probability p = exp(t) / S, t = scale (x - max), relative, before it is rounded to its type:
 *     t           a difference, a factor that was rounded, a product: 3 |t| 2^-24
 *     exp2        2^-22 (ex2.approx), twice, of p and within S, whose t count as their exponentials weigh
 *     S           n terms, at most 32 + 4 n / 512 of them after each other, then halves: (64 + n / 128) 2^-24
 *     inverse     2^-23, and the product as much
 * and absolutely 2^-126, which is flushed. A logarithm has t's error, S's and 2^-21 of log2, absolutely, and 2^-23 of
 * its size. Renormed values are quotients of such. */
#ifndef ROWS_H
#define ROWS_H

static double worst; /* of the bound */

static int size_of(int type) { return type == TC_F32 ? 4 : 2; }
static float get(int type, const char *p, int64_t i)
{
    float f;
    uint16_t h;
    if (type == TC_F32) return memcpy(&f, p + i * 4, 4), f;
    memcpy(&h, p + i * 2, 2);
    return type == TC_BF16 ? tc_f32_from_bf16(h) : tc_f32_from_f16(h);
}
static void put(int type, char *p, int64_t i, float x)
{
    const uint16_t h = type == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);
    if (type == TC_F32) memcpy(p + i * 4, &x, 4);
    else memcpy(p + i * 2, &h, 2);
}

/* Half the distance of a type's numbers around x: of subnormal ones, half of 2^-24 in f16, of 2^-133 in bf16. */
static double half(int type, double x)
{
    const int digits = type == TC_F32 ? 24 : type == TC_BF16 ? 8 : 11;
    const int least = type == TC_F16 ? -24 : type == TC_BF16 ? -133 : -149;
    int e = 0;
    frexp(x, &e);
    return ldexp(0.5, e - digits < least ? least : e - digits);
}

/* Is got what was wanted, within the bound, which leaves out the rounding to the type? */
static int near(int type, float got, double want, double bound)
{
    double error;
    if (isnan(want)) return isnan(got);
    if (isinf(want)) return got == want;
    error = fabs(got - want) / (bound + half(type, want) * 1.01);
    if (!(error <= worst)) worst = error;
    return error <= 1;
}

/* Does a come before b? */
typedef struct { float key; int col; } entry;
static int before(const void *a, const void *b)
{
    const entry *x = (const entry *)a, *y = (const entry *)b;
    if (isnan(x->key) != isnan(y->key)) return isnan(x->key) ? -1 : 1;
    if (!isnan(x->key) && x->key != y->key) return x->key > y->key ? -1 : 1;
    return x->col < y->col ? -1 : x->col > y->col;
}

/* One row as it must be. */
typedef struct {
    int n;
    double *p, *bound; /* by .op: of each element */
    entry *order;
    double lse, lse_bound;
} answer;

/* key: what rows are ordered by. */
static void answer_of(int op, const float *x, const float *key, double scale, answer *a)
{
    double max = -INFINITY, sum = 0, slack = 0, log_sum;
    int bad = 0, none;
    for (int i = 0; i < a->n; i++) {
        a->order[i].key = key[i], a->order[i].col = i;
        bad |= isnan(x[i]) || x[i] == INFINITY;
        if (x[i] > max) max = x[i];
    }
    qsort(a->order, (size_t)a->n, sizeof *a->order, before);
    none = max == -INFINITY;
    for (int i = 0; i < a->n && !none && !bad; i++) {
        const double t = scale * (x[i] - max), e = exp(t);
        sum += e;
        if (e > 0) slack += e * fabs(t) * 3 * 0x1p-24;
    }
    log_sum = bad ? NAN : none ? -INFINITY : log(sum);
    slack = bad || none ? 0 : slack / sum + 0x1p-22 + (64 + a->n / 128.0) * 0x1p-24;
    a->lse = bad ? NAN : none ? -INFINITY : max * scale + log_sum;
    a->lse_bound = slack + 0x1p-21 + 0x1p-23 * (fabs(max * scale) + fabs(log_sum)) + 1e-30;
    for (int i = 0; i < a->n; i++) {
        const double t = none ? -INFINITY : scale * (x[i] - max);
        if (!op) {
            a->p[i] = x[i], a->bound[i] = 0;
        } else if (op == TC_SOFTMAX) {
            a->p[i] = bad ? NAN : none || t == -INFINITY ? 0 : exp(t) / sum;
            a->bound[i] = a->p[i] > 0 ? a->p[i] * (fabs(t) * 3 * 0x1p-24 + slack + 0x1p-21) : 0;
            a->bound[i] += 0x1p-126;
        } else {
            a->p[i] = bad ? NAN : t == -INFINITY ? -INFINITY : t - log_sum;
            a->bound[i] = fabs(t) * 3 * 0x1p-24 + slack + 0x1p-21 + 0x1p-23 * fabs(a->p[i]);
        }
    }
}

/* The largest of a row as they must be: wrong ones. */
typedef struct { int op, top, renorm, type; } rule; /* type: of values */
static int wrong_top(const rule *of, const answer *a, const char *values, const int32_t *index, const float *x,
                     double scale)
{
    const int top = of->top;
    double sum = 0, size = 0, max = -INFINITY;
    int wrong = 0, bad = 0;
    if (of->renorm) {
        for (int i = 0; i < top; i++) {
            const float v = x[a->order[i].col];
            bad |= isnan(v) || (of->op && v == INFINITY);
            if (v > max) max = v;
        }
        for (int i = 0; i < top; i++) {
            const float v = x[a->order[i].col];
            const double e = !of->op ? v : v == -INFINITY ? 0 : exp(scale * (v - max));
            sum += e, size += fabs(e);
        }
    }
    for (int i = 0; i < top; i++) {
        const int col = a->order[i].col;
        double want = a->p[col], bound = a->bound[col];
        if (of->renorm) {
            const double t = scale * (x[col] - max), e = !of->op ? x[col] : x[col] == -INFINITY ? 0 : exp(t);
            want = bad ? NAN : sum == 0 ? 0 : e / sum;
            bound = fabs(want) * ((of->op && e > 0 ? fabs(t) * 3 : 0) * 0x1p-24 + 0x1p-20 + (top + 2) * 0x1p-24 * size
                                  / (fabs(sum) > 0 ? fabs(sum) : 1)) + 0x1p-126;
            if (!of->op && size > 0 && fabs(sum) < size * 1e-3) continue; /* terms that cancel */
            if (!of->op && isinf(size)) continue;
            for (int j = 0; j < top && of->op; j++) { /* the sum's own */
                const float v = x[a->order[j].col];
                if (v > -INFINITY) bound += fabs(want) * exp(scale * (v - max)) * fabs(scale * (v - max)) * 3 * 0x1p-24;
            }
        }
        if (index) wrong += index[i] != col;
        if (values) wrong += !near(of->type, get(of->type, values, i), want, bound);
    }
    return wrong;
}

#endif
