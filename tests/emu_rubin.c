/* emu_rubin.c - does tcemu say what is wrong with a tcgen05 of sm_107 that hardware would do in silence? Kernels of
 * PTX text with one mistake each, and the same without it.
 *     cc -std=c11 -D_GNU_SOURCE -isystem /usr/local/cuda/include tests/emu_rubin.c -o build/tests/emu_rubin -ldl
 *     build/tcemu --device sm_107a --strict --error-exitcode 0 build/tests/emu_rubin          also as sm_100a
 *
 * Each kernel: 128 threads, 300 KB of shared memory, of which [0, 64 KB) and [258 KB, 290 KB) are zeros, all columns of
 * tensor memory that a plain alloc gives zeros. Registers: %a, %b descriptors of what lies at 0 and at 32 KB (K-major,
 * 128-byte swizzle), %h the same at 258 KB, %tm, %i the instruction's descriptor, %p false, %bar a free mbarrier, %s
 * shared memory's first byte. */
#include "test.h"
#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#define FUNCTIONS(F) \
    F(cuInit) F(cuDeviceGet) F(cuDeviceGetName) F(cuDevicePrimaryCtxRetain) F(cuDevicePrimaryCtxReset)                \
    F(cuCtxSetCurrent) F(cuModuleLoadDataEx) F(cuModuleGetFunction) F(cuFuncSetAttribute) F(cuLaunchKernel)           \
    F(cuCtxSynchronize) F(cuModuleUnload)
#define DECLARE(name) static __typeof__(name) *p_##name;
FUNCTIONS(DECLARE)

enum { SMEM = 300 * 1024, BAR = SMEM - 64, ANY = 0, OLD = 100, NEW = 107 };

/* Bits of instruction descriptors */
#define M128 (8u << 24)
#define M64 (4u << 24)
#define N64 (8u << 17)
#define F32 (1u << 4)
#define S32 (2u << 4)
#define TYPES(a, b) ((uint32_t)(a) << 7 | (uint32_t)(b) << 10)
#define K64 (1u << 29)
#define UE8M0 (1u << 23)
#define FP4 (TYPES(1, 1) | M128 | N64)
#define KIND(k) "@%one tcgen05.mma.cta_group::1.kind::" k
#define SS " [%tm], %a, %b, %i, %p;\n"
#define BLOCK " [%tm], %a, %b, %i, [%sfa], [%sfb], %p;\n"
#define F8 KIND("f8f6f4") SS
#define WAIT(bar) "W" bar ": mbarrier.try_wait.parity.shared.b64 %p1, [%bar+" bar "], 0;\n@!%p1 bra W" bar ";\n"
#define COMMIT(how, bar) "@%one tcgen05.commit.cta_group::1.mbarrier::arrive::one" how ".b64 [%l" bar "];\n"
#define READ_A ".sync_restrict::shared::read::mma::a"
#define FENCE "fence.proxy.async;\nbar.sync 0;\n"
#define FIRST_FILL KIND("f8f6f4.collector::b::fill") SS

static const struct { int device; uint32_t idesc; const char *body, *words; } cases[] = {
    /* k and the kind */
    {NEW, F32 | M128 | N64 | K64, F8, 0},
    {OLD, F32 | M128 | N64 | K64, F8, "bit 29 (K = 64) needs sm_107"},
    {NEW, F32 | M64 | N64 | K64, F8, "M = 64 (bits 24-28) with K = 64; the longer K has M = 128"},
    {NEW, F32 | M64 | N64, F8, 0},
    {NEW, F32 | M128 | N64 | K64 | TYPES(5, 0), F8, "goes with e4m3 and e5m2 only"},
    {NEW, F32 | M128 | N64 | K64 | TYPES(1, 0), F8, 0},
    {NEW, F32 | M128 | N64 | K64, KIND("f16") SS, "bits 23 and 29 are reserved"},
    {NEW, F32 | M128 | N64 | K64, "add.u64 %a, %a, 6;\n" F8, "begins at byte 96 of a swizzle's 128"},
    {NEW, F32 | M128 | N64 | K64, "add.u64 %a, %a, 4;\n" F8, 0},
    {NEW, F32 | M128 | N64, "add.u64 %a, %a, 6;\n" F8, 0},
    {NEW, FP4 | 8u, KIND("mxf4nvf4.block_scale.block16") BLOCK, 0},
    {NEW, FP4 | 8u | 1u << 31, KIND("mxf4nvf4.block_scale.block16") BLOCK, "bits 3 and 31 (K) are both set"},
    {NEW, FP4 | 8u, KIND("mxf4nvf4.block_scale.scale_vec::4X") BLOCK, "K = 128 needs .block16 or .block32"},
    {OLD, FP4 | 8u, KIND("mxf4nvf4.block_scale.block16") BLOCK, "bit 3 is reserved"},
    {OLD, FP4 | 1u << 31, KIND("mxf4nvf4.block_scale.block16") BLOCK, "bit 31 (K = 96) needs sm_103a or sm_107a"},
    {NEW, UE8M0 | M128 | N64 | 1u << 31, KIND("mxf8f6f4.block_scale.block32") BLOCK, 0},
    {NEW, UE8M0 | M128 | N64 | 1u << 31 | 1u << 29, KIND("mxf8f6f4.block_scale.block32") BLOCK,
     "scale factor id of A is 1 (bits 29-30); with 2 scale factors per row it must be 0 or 2"},
    {OLD, UE8M0 | M128 | N64 | 1u << 31, KIND("mxf8f6f4.block_scale.block32") BLOCK, "bit 31 (K = 64) needs sm_107"},
    /* sparsity of 4 bits, factors */
    {NEW, FP4 | 4u, "@%one tcgen05.mma.sp.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%tm], %a, %b, [%te], %i, "
     "[%sfa], "
     "[%sfb], %p;\n", "a sparse A of pairs"},
    {NEW, FP4 | 4u | 1u << 12, "@%one tcgen05.mma.sp.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%tm], %a, %b, "
     "[%te], "
     "%i, [%sfa], [%sfb], %p;\n", 0},
    {NEW, FP4 | 1u << 12, KIND("mxf4nvf4.block_scale.block16") BLOCK, "bit 12 (sparsity of single elements) without "
     ".sp"},
    {OLD, FP4 | 4u, "@%one tcgen05.mma.sp.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%tm], %a, %b, [%te], %i, "
     "[%sfa], "
     "[%sfb], %p;\n", 0},
    {NEW, FP4 | 1u << 24, KIND("mxf4nvf4.block_scale.block16") BLOCK, 0},
    {NEW, FP4 | 1u << 24, KIND("mxf4.block_scale.block32") BLOCK, "bits 23-24 (scale type) are 2; kind::mxf4 has 1"},
    {OLD, FP4 | 1u << 24, KIND("mxf4nvf4.block_scale.block16") BLOCK, "bits 23-24 (scale type) are 2"},
    {NEW, FP4 | 1u << 26, KIND("mxf4nvf4.block_scale.block16") BLOCK, 0},
    {OLD, FP4 | 1u << 26, KIND("mxf4nvf4.block_scale.block16") BLOCK, "bit 26 (scale factors of A in 128 lanes)"},
    /* kinds that machine code does not tell apart */
    {NEW, S32 | M128 | N64 | TYPES(3, 3), KIND("ti16") SS, 0},
    {NEW, S32 | M128 | N64 | TYPES(3, 3), "@%one st.shared.u32 [%s], 0x87ff07ff;\n" FENCE KIND("ti16") SS, 0},
    {NEW, S32 | M128 | N64 | TYPES(3, 3), "@%one st.shared.u32 [%s], 0x0800;\n" FENCE KIND("ti16") SS,
     "bits 11-14 must be 0"},
    {NEW, S32 | M128 | N64 | TYPES(3, 3), KIND("f16") SS, "types 3 and 3 in bits 7-9 and 10-12; kind::f16"},
    {NEW, F32 | M128 | N64, KIND("ti16") SS, "types 0 and 0 in bits 7-9 and 10-12; kind::ti16 has 3"},
    {NEW, S32 | M128 | N64 | TYPES(3, 3) | 1u << 15, KIND("ti16") SS, "tables contradict each other"},
    {NEW, S32 | M128 | 1u << 17 | TYPES(3, 3), KIND("ti16") SS, "16, 32, .. 256 with M = 128"},
    /* addresses */
    {NEW, F32 | M128 | N64, KIND("f8f6f4") " [%tm], %h, %b, %i, %p;\n", 0},
    {NEW, F32 | M128 | N64, "and.b64 %h, %h, 0xffffffffffffbfff;\nadd.u64 %h, %h, 0x1000;\n" KIND("f8f6f4")
     " [%tm], %h, %b, %i, %p;\n", "that nobody has written"},
    {OLD, F32 | M128 | N64, "or.b64 %a, %a, 0x4000;\n" F8, "sm_107's alone"},
    {ANY, F32 | M128 | N64, "or.b64 %a, %a, 0x8000;\n" F8, "bits 15 and 31 must be 0"},
    {NEW, F32 | M128 | N64, "or.b64 %b, %b, 0x20000000000000;\n" F8, "bits 53-60 must be 0"},
    {NEW, 0, "@%one tcgen05.cp.cta_group::1.128x128b [%tm], %h;\n", "above 256 KB"},
    {NEW, 0, "@%one tcgen05.cp.cta_group::1.128x128b [%tm], %a;\n", 0},
    /* lookup tables */
    {NEW, F32 | M128 | N64 | K64, KIND("f8f6f4.decompress::lut::b") " [%tm], %a, %b, [%te], %i, %p;\n", 0},
    {NEW, F32 | M128 | N64 | K64, "or.b64 %b, %b, 0x20000000000000;\n" KIND("f8f6f4.decompress::lut::b")
     " [%tm], %a, %b, [%te], %i, %p;\n", 0},
    {NEW, F32 | M128 | N64, KIND("f8f6f4.decompress::lut::b") " [%tm], %a, %b, [%te], %i, %p;\n", "has K = 64"},
    {NEW, F32 | M128 | N64 | K64 | TYPES(0, 1), KIND("f8f6f4.decompress::lut::b") " [%tm], %a, %b, [%te], %i, %p;\n",
     "type of B 1 in bits 10-12"},
    {NEW, F32 | M128 | N64 | K64, "add.u32 %te, %te, 1;\n" KIND("f8f6f4.decompress::lut::b")
     " [%tm], %a, %b, [%te], %i, %p;\n", "must begin at an even column"},
    /* the collector for B */
    {NEW, F32 | M128 | N64, FIRST_FILL KIND("f8f6f4.collector::b::lastuse") SS, 0},
    {NEW, F32 | M128 | N64, FIRST_FILL KIND("f8f6f4.collector::b::use") SS KIND("f8f6f4.collector::b::lastuse") SS, 0},
    {NEW, F32 | M128 | N64, KIND("f8f6f4.collector::b::use") SS, "the collector holds no B"},
    {NEW, F32 | M128 | N64, FIRST_FILL KIND("f8f6f4") SS KIND("f8f6f4.collector::b::use") SS, "the collector holds "
     "no B"},
    {NEW, F32 | M128 | N64, FIRST_FILL KIND("f8f6f4.collector::b::lastuse") SS KIND("f8f6f4.collector::b::use") SS,
     "the collector holds no B"},
    {NEW, F32 | M128 | N64, FIRST_FILL "add.u64 %b, %b, 2048;\n" KIND("f8f6f4.collector::b::use") SS,
     "is not the one that the collector was filled with"},
    {NEW, F32 | M128 | N64, FIRST_FILL "xor.b32 %i, %i, 0x20000;\n" KIND("f8f6f4.collector::b::use") SS,
     "is not the one that the collector was filled with"},
    /* A has been read: then it may be overwritten, and nothing else */
    {NEW, F32 | M128 | N64, F8 COMMIT(READ_A, "8") WAIT("8") "@%one st.shared.u32 [%s], 1;\n", 0},
    {NEW, F32 | M128 | N64, F8 COMMIT(READ_A, "8") "@%one st.shared.u32 [%s], 1;\n", "race"},
    {NEW, F32 | M128 | N64, F8 COMMIT(READ_A, "8") WAIT("8") "@%one st.shared.u32 [%s+32768], 1;\n", "race"},
    {NEW, F32 | M128 | N64, F8 COMMIT(READ_A, "8") WAIT("8") "tcgen05.fence::after_thread_sync;\n"
     "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%mine];\ntcgen05.wait::ld.sync.aligned;\n",
     "was not waited for"},
    /* the block's end: a commit about everything speaks for those like it before, not for one about A (--strict) */
    {NEW, F32 | M128 | N64, F8 COMMIT(READ_A, "8"), "nobody there has waited for this operation at its mbarrier"},
    {NEW, F32 | M128 | N64, F8 COMMIT(READ_A, "8") WAIT("8"), 0},
    {ANY, F32 | M128 | N64, F8 COMMIT("", "8"), 0},
    /* columns */
    {NEW, 0, "@%w0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 512;\nmov.u32 %n, 608;\n"
     "@%w0 tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [%slot], %n;\n",
     "a multiple of 32 in 32..576"},
    {OLD, 0, "@%w0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 512;\nmov.u32 %n, 576;\n"
     "@%w0 tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [%slot], %n;\n",
     "a multiple of 32 in 32..512"},
    {ANY, 0, "@%w0 tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32 %tm, 512;\nbra GONE;\n",
     "of columns that a plain tcgen05.alloc gave"},
    {NEW, 0, "@%w0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 512;\n"
     "@%w0 tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [%slot], 576;\n"
     "@%w0 ld.shared.u32 %tm, [%slot];\n@%w0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 512;\nbra GONE;\n",
     "576 columns at column 0"},
    {NEW, 0, "@%w0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 512;\n"
     "@%w0 tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [%slot], 576;\n"
     "@%w0 ld.shared.u32 %tm, [%slot];\n@%w0 tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32 %tm, 576;\n"
     "bra GONE;\n", 0},
};

static const char before[] =
    ".address_size 64\n.extern .shared .align 1024 .b8 dsmem[];\n.visible .entry k()\n.maxntid 128, 1, 1\n{\n"
    ".reg .b32 %s, %r<132>, %tm, %i, %bar, %sfa, %sfb, %te, %slot, %at, %mine, %n, %tx, %warp;\n"
    ".reg .b64 %a, %b, %h, %l0, %l8;\n.reg .pred %one, %p, %p1, %w0;\n"
    "mov.u32 %s, dsmem; mov.u32 %tx, %tid.x; shr.u32 %warp, %tx, 5; setp.eq.u32 %w0, %warp, 0; setp.eq.u32 %one, "
    "%tx, 0;\n"
    "setp.ne.u32 %p, 0, 0; add.u32 %slot, %s, 229376; add.u32 %bar, %slot, 16; cvt.u64.u32 %l0, %bar; "
    "cvta.shared.u64 %l0, %l0;\n"
    "add.u64 %l8, %l0, 8; @%one mbarrier.init.shared.b64 [%bar], 1; @%one mbarrier.init.shared.b64 [%bar+8], 1;\n"
    "mov.u32 %r129, 0;\nshl.b32 %at, %tx, 4;\nLOW: add.u32 %r1, %s, %at; st.shared.v4.u32 [%r1], {0,0,0,0}; add.u32 "
    "%at, %at, 2048;\n"
    "setp.lt.u32 %p1, %at, 65536; @%p1 bra LOW;\n";
static const char high[] =
    "shl.b32 %at, %tx, 4; add.u32 %at, %at, 264192;\nHIGH: add.u32 %r1, %s, %at; st.shared.v4.u32 [%r1], {0,0,0,0}; "
    "add.u32 %at, %at, 2048; setp.lt.u32 %p1, %at, 296960; @%p1 bra HIGH;\n";
static const char middle[] =
    "fence.proxy.async;\n@%w0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%slot], 512;\n"
    "tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\nld.shared.u32 %tm, [%slot];\n"
    "shl.b32 %mine, %warp, 21; add.u32 %mine, %mine, %tm; add.u32 %sfa, %tm, 256; add.u32 %sfb, %tm, 288; add.u32 "
    "%te, %tm, 320;\n";
static const char ready[] =
    "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync "
    "0;\ntcgen05.fence::after_thread_sync;\n"
    "mov.u64 %a, 0x4000404000010000;\n"
    "cvt.u64.u32 %b, %s; shr.u64 %b, %b, 4; or.b64 %a, %a, %b; add.u64 %b, %a, 2048; add.u64 %h, %a, 16512;\n";
static const char after[] =
    "@%one tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%l0];\n"
    "DONE: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;\n@!%p1 bra DONE;\ntcgen05.fence::after_thread_sync;\n"
    "tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\n"
    "@%w0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 512;\nGONE: ret;\n}\n";

/* Runs a kernel; what was said on stderr */
static void run(int device, uint32_t idesc, const char *body, char *said, size_t size)
{
    static char text[1 << 16];
    CUcontext context;
    CUmodule module;
    CUfunction f;
    int at = snprintf(text, sizeof text, ".version %s\n.target sm_%da\n%s", device == 107 ? "9.4" : "9.0", device,
                      before);
    if (device == 107) at += snprintf(text + at, sizeof text - (size_t)at, "%s", high);
    at += snprintf(text + at, sizeof text - (size_t)at, "%s", middle);
    for (int col = 0; col < 512; col += 128) {
        at += snprintf(text + at, sizeof text - (size_t)at, "add.u32 %%r130, %%mine, %d;\n"
                       "tcgen05.st.sync.aligned.32x32b.x128.b32 [%%r130], {", col);
        for (int k = 0; k < 128; k++) at += snprintf(text + at, sizeof text - (size_t)at, "%s%%r129", k ? "," : "");
        at += snprintf(text + at, sizeof text - (size_t)at, "};\n");
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "%smov.u32 %%i, 0x%x;\n%s%s", ready, idesc, body, after);
    fflush(stderr);
    const int saved = dup(2), tmp = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    dup2(tmp, 2);
    p_cuDevicePrimaryCtxRetain(&context, 0);
    p_cuCtxSetCurrent(context);
    if (p_cuModuleLoadDataEx(&module, text, 0, 0, 0) == CUDA_SUCCESS && !p_cuModuleGetFunction(&f, module, "k")) {
        const unsigned smem = device == 107 ? SMEM : 230400;
        if (device == 107) p_cuFuncSetAttribute(f, (CUfunction_attribute)17, 3);
            /* oversized shared memory: CUDA 13.4 */
        else p_cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)smem);
        p_cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, smem, 0, 0, 0);
        p_cuCtxSynchronize();
    } else {
        fprintf(stderr, "does not load");
    }
    p_cuDevicePrimaryCtxReset(0);
    fflush(stderr);
    dup2(saved, 2);
    lseek(tmp, 0, SEEK_SET);
    const ssize_t got = read(tmp, said, size - 1);
    said[got > 0 ? got : 0] = 0;
    close(tmp), close(saved);
}

/* More than 227 KB, and how the host asks for it */
static void shared_memory(void)
{
    static const char text[] = ".version 9.4\n.target sm_107a\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
    CUcontext context;
    CUmodule module;
    CUfunction f;
    p_cuDevicePrimaryCtxRetain(&context, 0);
    p_cuCtxSetCurrent(context);
    if (p_cuModuleLoadDataEx(&module, text, 0, 0, 0) || p_cuModuleGetFunction(&f, module, "k")) {
        CHECK(0, "does not load");
        return;
    }
    CHECK(p_cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 334848) != CUDA_SUCCESS, "327 KB "
          "so");
    CHECK(p_cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448) == CUDA_SUCCESS, "227 KB");
    CHECK(p_cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 334848, 0, 0, 0) != CUDA_SUCCESS, "327 KB without asking");
    CHECK(p_cuFuncSetAttribute(f, (CUfunction_attribute)17, 3) == CUDA_SUCCESS, "the mode");
    CHECK(p_cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 334848, 0, 0, 0) == CUDA_SUCCESS, "327 KB");
    CHECK(p_cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 334864, 0, 0, 0) != CUDA_SUCCESS, "more than that");
    p_cuModuleUnload(module);
}

int main(void)
{
    static char said[1 << 16], name[256];
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    int device = 0;
    CUdevice d;
#define LOAD(name) if (!lib || !(p_##name = (__typeof__(name) *)dlsym(lib, #name))) return puts("SKIP no driver"), 0;
    FUNCTIONS(LOAD)
    if (p_cuInit(0) || p_cuDeviceGet(&d, 0) || p_cuDeviceGetName(name, sizeof name, d)) return puts("SKIP no device"),
        0;
    if (sscanf(name, "tcemu sm_%d", &device) != 1) return puts("SKIP what tcemu alone reports: not run"), 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].device != ANY && cases[i].device != device) continue;
        run(device, cases[i].idesc, cases[i].body, said, sizeof said);
        if (cases[i].words) CHECK(strstr(said, cases[i].words), "case %d, not \"%s\": %.600s", (int)i, cases[i].words,
                                  said);
        else CHECK(!*said, "case %d, which is right: %.600s", (int)i, said);
    }
    if (device == 107) shared_memory();
    return test_end();
}
