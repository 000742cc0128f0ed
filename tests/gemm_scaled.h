/* gemm_scaled.h - random products of elements of 4, 6 and 8 bits, packed tight, with factors of a byte or without,
 * through generated kernels; for gemm_sm100.cu and gemm_sm120.cu, behind gemm_fuzz.cu. Half of the problems have sums
 * that f32 holds exactly in any order: their D is compared bit for bit. */
static __global__ void pack_on_device(uint8_t *to, const uint8_t *from, tc_sf_rows rows)
{
    rows.at = from;
    tc_sf_pack(to, &rows, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

/* Factors of `lines` rows of each of `batch` matrices: in rows, and as the kernel wants them, `apart` bytes apart. Made
 * on the host or on the device, which must be the same. */
typedef struct { buffer rows, packed; int type, block, lines, k, count; size_t apart; } byte_factors;

static byte_factors make_byte_factors(const tc_gemm_config *t, int lines, int k, int batch, int exact, int poison)
{
    byte_factors f;
    f.type = t->sf == TC_SF_UE8M0_32 ? TC_UE8M0 : TC_UE4M3, f.block = t->sf == TC_SF_UE8M0_32 ? 32 : 16;
    f.lines = lines, f.k = k;
    f.count = tc_sf_count(k, f.block) + test_int(0, 3);
    const size_t all = (size_t)f.count * lines * batch;
    f.rows = make(all, TC_U8, 0, 'x');
    for (size_t i = 0; i < all; i++) { /* 2^-4 to 2^3, and steps between; exact: 1/2 to 2 */
        const int few = f.type == TC_UE8M0 ? test_int(126, 128) : tc_ue4m3_from_f32(0.5f * (float)test_int(1, 4));
        const int many = f.type == TC_UE8M0 ? test_int(123, 130) : test_int(0x18, 0x50);
        ((uint8_t *)f.rows.host)[i] = (uint8_t)(exact ? few : many);
    }
    CUDA_CHECK(cudaMemcpy(f.rows.dev, f.rows.host, f.rows.bytes, cudaMemcpyHostToDevice));
    f.apart = tc_sf_bytes(lines, k, f.block) + 16u * (size_t)test_int(0, 2);
    f.packed = make(f.apart * (size_t)batch, TC_U8, 0, 'x');
    for (int z = 0; z < batch; z++) {
        const size_t first = (size_t)z * lines * f.count;
        const tc_sf_rows rows = {(const uint8_t *)f.rows.host + first, f.count, lines, k, f.block};
        tc_sf_pack((uint8_t *)f.packed.host + z * f.apart, &rows, 0, 1);
        pack_on_device<<<3, 64>>>((uint8_t *)f.packed.dev + z * f.apart, (const uint8_t *)f.rows.dev + first, rows);
    }
    uint8_t *back = (uint8_t *)malloc(f.packed.bytes);
    CUDA_CHECK(cudaMemcpy(back, f.packed.dev, f.packed.bytes, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(back, f.packed.host, f.packed.bytes), "tc_sf_pack: %d rows, k %d, by %d", lines, k, f.block);
    free(back);
    if (poison) /* factors of k and of rows that do not exist: NaN */
        for (int z = 0; z < batch; z++)
            for (int i = 0; i < (lines + 127) / 128 * 128; i++)
                for (int s = 0; s < tc_sf_blocks(k, f.block) * 4; s++)
                    if (i >= lines || s >= tc_sf_count(k, f.block))
                        ((uint8_t *)f.packed.host)[z * f.apart + tc_sf_at(k, f.block, i, s)] = 0xff;
    CUDA_CHECK(cudaMemcpy(f.packed.dev, f.packed.host, f.packed.bytes, cudaMemcpyHostToDevice));
    return f;
}

static double byte_factor(const byte_factors *f, int z, int line, int k)
{
    const size_t at = ((size_t)z * f->lines + line) * (size_t)f->count + k / f->block;
    const uint8_t code = ((const uint8_t *)f->rows.host)[at];
    return f->type == TC_UE8M0 ? tc_f32_from_ue8m0(code) : tc_f32_from_ue4m3(code);
}

static void drop_byte_factors(byte_factors *f) { drop(&f->rows), drop(&f->packed); }

/* A matrix of random codes, none of them NaN or infinite, or of halves from -4 to 4; past the rows' ends what there is
 * is. */
static buffer make_codes(int type, size_t count, int exact)
{
    buffer b = make(count * (size_t)tc_type_bits(type) / 8 + 64, TC_U8, 0, 'x');
    for (size_t i = 0; i < count; i++) {
        uint32_t code = (uint32_t)test_int(0, (1 << tc_type_bits(type)) - 1);
        if (tc_type_bits(type) == 8 && (code & 0x7f) >= 0x50) code &= 0xcf; /* below 16 */
        if (exact) tc_element_set(b.host, type, i, 0.5f * (float)test_int(-8, 8));
        else tc_element_code_set(b.host, type, i, code);
    }
    CUDA_CHECK(cudaMemcpy(b.dev, b.host, b.bytes, cudaMemcpyHostToDevice));
    return b;
}

/* Do the elements become bytes on their way, so that k and pitches are multiples of 128? */
static int becomes_bytes(const tc_gemm_config *t)
{
    return tc_type_bits(t->a) == 6 || tc_type_bits(t->b) == 6
        || (tc_type_bits(t->a) + tc_type_bits(t->b) < 16 && !(t->sf && t->a == t->b));
}

typedef struct { int m, n, k, lda, ldb, ldd, batch, exact; float alpha, beta; int64_t sa, sb, sd; } scaled_problem;

static scaled_problem scaled_draw(const kernel *kn, int largest)
{
    const tc_gemm_config *t = &kn->c;
    const int a_col = t->a_layout == TC_COL, b_row = t->b_layout == TC_ROW, d_col = t->d_layout == TC_COL;
    const int bytes = becomes_bytes(t);
    const int a_less = bytes && tc_type_bits(t->a) < 8, b_less = bytes && tc_type_bits(t->b) < 8;
    const int unit = bytes ? 128 : t->a == TC_E2M1 ? 32 : 16;
    const int unit_k = (a_less && !a_col) || (b_less && !b_row) ? 128 : 2;
    scaled_problem x;
    x.batch = test_int(0, 3) ? 1 : 2;
    x.m = test_int(1, largest), x.n = test_int(1, largest);
    if (a_less && a_col) x.m = pad(x.m, 128);
    if (b_less && b_row) x.n = pad(x.n, 128);
    x.k = test_int(0, 9) ? pad(test_int(1, test_int(0, 3) ? largest : 2 * largest), unit_k) : 0;
    x.lda = pad(a_col ? x.m : x.k, unit) + unit * test_int(0, 1), x.ldb = pad(b_row ? x.n : x.k, unit);
    x.ldd = (d_col ? x.m : x.n) + test_int(0, 9);
    if (test_int(0, 1)) x.ldd = pad(x.ldd, 8);
    x.sa = (int64_t)x.lda * (a_col ? x.k : x.m), x.sb = (int64_t)x.ldb * (b_row ? x.n ? x.k : 0 : x.n);
    x.sd = (int64_t)x.ldd * (d_col ? x.n : x.m);
    x.exact = test_int(0, 1);
    x.alpha = x.exact || test_int(0, 1) ? 1.f : -0.375f, x.beta = x.exact || test_int(0, 2) ? 0.f : 0.5f;
    return x;
}

/* One side as numbers: rows of k, factors in them. */
static double *scaled_side(const scaled_problem *x, int type, const buffer *b, const byte_factors *f, char which, int z,
                           int turned)
{
    const int lines = which == 'a' ? x->m : x->n, ld = which == 'a' ? x->lda : x->ldb;
    const int64_t first = z * (which == 'a' ? x->sa : x->sb);
    double *v = (double *)malloc(sizeof(double) * ((size_t)lines * (size_t)x->k + 1));
    for (int i = 0; i < lines; i++)
        for (int k = 0; k < x->k; k++) {
            const uint64_t at = (uint64_t)(first + place(turned, ld, i, k));
            v[(size_t)i * x->k + k] = tc_element_get(b->host, type, at) * (f ? byte_factor(f, z, i, k) : 1);
        }
    return v;
}

/* The largest error of a problem's D, in bounds; infinity where an exact sum has another bit. */
static double scaled_worst(const kernel *kn, const scaled_problem *x, const double *a, const double *b, int z,
                           const float *vector, const void *c, const void *after)
{
    const tc_gemm_config *t = &kn->c;
    double worst = 0;
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++) {
            double sum = 0, size = 0, rounded = 0;
            for (int k = 0; k < x->k; k++) {
                const double ab = a[(size_t)i * x->k + k] * b[(size_t)j * x->k + k];
                sum += ab, size += fabs(ab);
            }
            const int64_t at = z * x->sd + place(t->d_layout == TC_COL, x->ldd, i, j);
            const double cv = x->beta == 0 ? 0 : x->beta * get(t->d, c, (size_t)at);
            const double slope = kn->epi == EPI_SCALE_ROW ? fabs(vector[i]) : 1;
            const double ref = host_hook(kn->epi, x->alpha * sum + cv, i, j, vector, 0, 0, 0);
            const double bound = slope * ((x->k + 8) * 1.2e-7 * fabs(x->alpha) * size + 1e-6 * fabs(cv))
                               + (0.501 * unit_of(t->d) + 4e-7) * fabs(ref) + (t->d == TC_F16 ? 6e-8 : 1e-30);
            const double got = get(t->d, after, (size_t)at);
            double e = t->d == TC_F16 && fabs(ref) > 65000 ? 0 : fabs(got - ref) / bound;
            put(t->d, &rounded, 0, sum);
            if (x->exact && kn->epi == EPI_NONE && !(got == get(t->d, &rounded, 0))) e = INFINITY;
            if (!(e <= worst)) worst = e;
        }
    return worst;
}

static void scaled(const kernel *kn, uint64_t id, int largest)
{
    const tc_gemm_config *t = &kn->c;
    const scaled_problem x = scaled_draw(kn, largest);
    const int d_col = t->d_layout == TC_COL, size = tc_type_bits(t->d) / 8;
    buffer a = make_codes(t->a, (size_t)(x.sa * x.batch), x.exact);
    buffer b = make_codes(t->b, (size_t)(x.sb * x.batch), x.exact);
    buffer c = make((size_t)(x.sd * x.batch), t->d, 0, 'n'), d = make((size_t)(x.sd * x.batch), t->d, 0, 'x');
    buffer vector = make((size_t)x.m, TC_F32, 0, 'n');
    byte_factors fa, fb;
    const tc_epi_vector va = {(const float *)vector.dev};
    double worst = 0;
    int outside = 0;
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = x.m, g.n = x.n, g.k = x.k, g.a = x.k ? a.dev : 0, g.lda = x.lda, g.b = x.k ? b.dev : 0, g.ldb = x.ldb;
    g.c = c.dev, g.ldc = x.ldd, g.d = d.dev, g.ldd = x.ldd, g.alpha = &x.alpha, g.beta = &x.beta;
    g.batch = x.batch;
    if (t->sf) {
        fa = make_byte_factors(t, x.m, x.k, x.batch, x.exact, kn->sm == 120);
        fb = make_byte_factors(t, x.n, x.k, x.batch, x.exact, kn->sm == 120);
        g.sfa = fa.packed.dev, g.sfb = fb.packed.dev;
        if (x.k == 0 && test_int(0, 1)) g.sfa = g.sfb = 0;
    }
    if (x.batch > 1) {
        g.stride_a = x.sa, g.stride_b = x.sb, g.stride_c = g.stride_d = x.sd;
        if (t->sf) g.stride_sfa = (int64_t)fa.apart, g.stride_sfb = (int64_t)fb.apart;
    }
    if (kn->epi == EPI_SCALE_ROW) g.epi_args = &va, g.epi_size = sizeof va;
    tc_gemm_choice choice = {0, 0, 0, 0, 0};
    if (kn->split) {
        choice.parts = test_int(0, x.k / t->bk + (x.k % t->bk != 0));
        g.workspace = workspace(), g.workspace_size = WORKSPACE, g.choice = &choice;
    }
    const tc_status st = kn->run(&g, 0);
    CHECK(st == TC_OK, "scaled %llu, %s: %s", (unsigned long long)id, kn->name, tc_why());
    if (st == TC_OK) {
        uint8_t *after = (uint8_t *)malloc(d.bytes);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(after, d.dev, d.bytes, cudaMemcpyDeviceToHost));
        for (int z = 0; z < x.batch; z++) {
            double *va64 = scaled_side(&x, t->a, &a, t->sf ? &fa : 0, 'a', z, t->a_layout == TC_COL);
            double *vb64 = scaled_side(&x, t->b, &b, t->sf ? &fb : 0, 'b', z, t->b_layout == TC_ROW);
            const double w = scaled_worst(kn, &x, va64, vb64, z, (const float *)vector.host, c.host, after);
            if (!(w <= worst)) worst = w;
            free(va64), free(vb64);
        }
        for (int z = 0; z < x.batch; z++)
            for (int i = 0; i < (d_col ? x.n : x.m); i++)
                memset(after + (size_t)(z * x.sd + (int64_t)i * x.ldd) * (size_t)size, 0xff,
                       (size_t)(d_col ? x.m : x.n) * (size_t)size);
        for (size_t i = 0; i < d.bytes; i++) outside += after[i] != 0xff;
        CHECK(worst <= 1,
              "scaled %llu, %s: m %d n %d k %d lda %d ldb %d ldd %d batch %d alpha %g beta %g%s: %.2f of the bound",
              (unsigned long long)id, kn->name, x.m, x.n, x.k, x.lda, x.ldb, x.ldd, x.batch, x.alpha, x.beta,
              x.exact ? " exact" : "", worst);
        CHECK(outside == 0, "scaled %llu, %s: %d bytes outside of D written", (unsigned long long)id, kn->name,
              outside);
        free(after);
    }
    drop(&a), drop(&b), drop(&c), drop(&d), drop(&vector);
    if (t->sf) drop_byte_factors(&fa), drop_byte_factors(&fb);
}
