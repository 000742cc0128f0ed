/* emu_model.c - tcemu --model against figures worked out by hand, for kernels of a few instructions.
 *     cc -std=c11 -D_GNU_SOURCE -isystem /usr/local/cuda/include tests/emu_model.c -o build/tests/emu_model -ldl
 *     build/tcemu --model h200 --no-checks --json=build/emu_model.json build/tests/emu_model
 *     build/tcemu --model b200 --no-checks --json=build/emu_model.json build/tests/emu_model b200
 *
 * The H200 of emu/model_device.c: 1150 cycles to the first instruction; FMA 1, other arithmetic 2, special functions 8
 * cycles of a scheduler for a warp instruction; 64 bytes a cycle from the L2, TMA's latency 483 (LOAD below); 128
 * bytes a cycle of shared memory; 1024 operations a cycle of a Tensor Core's quarter; 30 from an arrival to a waiting
 * warp. The B200: 8192 operations a cycle of all four quarters, of 16 bits. */
#include "test.h"
#include <cuda.h>
#include <dlfcn.h>
#include <string.h>

#define F4 "    fma.rn.f32 %f1, %f0, %f0, %f0;\n    fma.rn.f32 %f2, %f0, %f0, %f0;\n" \
           "    fma.rn.f32 %f1, %f0, %f0, %f0;\n    fma.rn.f32 %f2, %f0, %f0, %f0;\n"
#define F16 F4 F4 F4 F4
#define F64 F16 F16 F16 F16
#define E4 "    ex2.approx.ftz.f32 %f1, %f0;\n    ex2.approx.ftz.f32 %f2, %f0;\n" \
           "    ex2.approx.ftz.f32 %f1, %f0;\n    ex2.approx.ftz.f32 %f2, %f0;\n"
#define W1 "    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, 1, 1, 1, 0, 0;\n"
#define W4 W1 W1 W1 W1
#define REGS "    .reg .f32 %f<6>;\n    .reg .u32 %r<6>;\n    .reg .u64 %rd<6>;\n    .reg .pred %p<3>;\n" \
             "    mov.f32 %f0, 0f3F800000;\n"
static const char ptx[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry fma() .maxnreg 32\n{\n" REGS F64 "    ret;\n}\n"
    ".visible .entry ex2()\n{\n" REGS E4 E4 E4 E4 "    ret;\n}\n"
    ".visible .entry meet()\n{\n" REGS "    mov.u32 %r1, %tid.x;\n    setp.lt.u32 %p1, %r1, 32;\n    @%p1 bra L;\n" F64
    "L:\n    bar.sync 0;\n    ret;\n}\n"
    ".visible .entry bulk(.param .u64 p)\n{\n    .shared .align 128 .b8 s[16512];\n" REGS
    "    ld.param.u64 %rd1, [p];\n    mov.u32 %r1, s;\n    add.u32 %r2, %r1, 16384;\n"
    "    mbarrier.init.shared.b64 [%r2], 1;\n    fence.mbarrier_init.release.cluster;\n"
    "    mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 16384;\n"
    "    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16384, [%r2];\n"
    "W:\n    mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;\n    @!%p1 bra W;\n    ret;\n}\n"
    ".visible .entry wgmma()\n{\n    .shared .align 1024 .b8 s[4096];\n" REGS
    "    mov.u32 %r1, s;\n    mov.u64 %rd1, 0x0000000800080040;\n    mov.u64 %rd2, 0x0000000800080040;\n"
    "    mov.f32 %f1, 0f00000000;\n    mov.f32 %f2, 0f00000000;\n    mov.f32 %f3, 0f00000000;\n"
    "    mov.f32 %f4, 0f00000000;\n    wgmma.fence.sync.aligned;\n" W4 W4 W4 W4
    "    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;\n    ret;\n}\n";
/* 128 x 128 x 16, four times: the second and the third take A from the collector, the last reads it again */
#define M(how) "    @%p1 tcgen05.mma.cta_group::1.kind::f16" how " [%r3], %rd1, %rd1, 0x08200010, %p2;\n"
static const char ptx_b200[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n"
    ".visible .entry mma()\n{\n    .shared .align 1024 .b8 s[4096];\n    .shared .align 8 .b8 t[16];\n" REGS
    "    mov.u32 %r1, s;\n    mov.u32 %r2, t;\n    mov.u32 %r4, %tid.x;\n    setp.eq.u32 %p1, %r4, 0;\n"
    "    setp.ne.u32 %p2, %r4, %r4;\n"
    "    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 128;\n    ld.shared.u32 %r3, [%r2];\n"
    "    @%p1 mbarrier.init.shared.b64 [%r2 + 8], 1;\n"
    "    shr.u32 %r5, %r1, 4;\n    cvt.u64.u32 %rd1, %r5;\n    or.b64 %rd1, %rd1, 0x0000401000080000;\n"
    M(".collector::a::fill") M(".collector::a::use") M(".collector::a::lastuse") M("")
    "    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2 + 8];\n"
    "W:\n    mbarrier.try_wait.parity.shared.b64 %p1, [%r2 + 8], 0;\n    @!%p1 bra W;\n"
    "    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 128;\n    ret;\n}\n";

enum { START = 1150, LOAD = 483, SYNC = 30 };
static const double ghz = 1.830;

static double number(const char *line, const char *key)
{
    char quoted[64];
    const char *at;
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    at = strstr(line, quoted);
    return at ? strtod(at + strlen(quoted), 0) : -1;
}

/* The last line of the record that is of this kernel */
static void last(const char *kernel, char *line, size_t n)
{
    char text[4096], want[64];
    FILE *f = fopen(getenv("TCEMU_JSON"), "r");
    *line = 0;
    snprintf(want, sizeof want, "\"kernel\":\"%s\"", kernel);
    while (f && fgets(text, sizeof text, f)) if (strstr(text, want)) snprintf(line, n, "%s", text);
    if (f) fclose(f);
}

static CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                          void **, void **);
static CUresult (*function)(CUfunction *, CUmodule, const char *);
static CUmodule module;

static const char *run(const char *kernel, unsigned grid, unsigned block, void **args)
{
    static char line[4096];
    CUfunction f;
    CUresult err = function(&f, module, kernel);
    if (!err) err = launch(f, grid, 1, 1, block, 1, 1, 0, 0, args, 0);
    CHECK(!err, "%s: error %d", kernel, (int)err);
    last(kernel, line, sizeof line);
    CHECK(*line, "%s: no line in the record", kernel);
    return line;
}

#define IS(line, key, want)                                                                      \
    do {                                                                                         \
        const double got_ = number(line, key), want_ = (want);                                   \
        CHECK(got_ > want_ - 0.06 && got_ < want_ + 0.06, "%s is %g, by hand %g", key, got_, want_); \
    } while (0)

int main(int argc, char **argv)
{
    const int b200 = argc > 1 && !strcmp(argv[1], "b200");
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    CUresult (*init)(unsigned), (*retain)(CUcontext *, CUdevice), (*current)(CUcontext),
        (*load)(CUmodule *, const void *), (*alloc)(CUdeviceptr *, size_t), (*set)(CUdeviceptr, unsigned char, size_t);
    CUcontext context;
    CUdeviceptr memory;
    const char *l;
    if (!lib || !getenv("TCEMU_JSON") || !getenv("TCEMU_MODEL")) {
        printf("emu_model: runs under tcemu --model h200 --no-checks --json=FILE\n");
        return 1;
    }
    *(void **)&init = dlsym(lib, "cuInit");
    *(void **)&retain = dlsym(lib, "cuDevicePrimaryCtxRetain");
    *(void **)&current = dlsym(lib, "cuCtxSetCurrent");
    *(void **)&load = dlsym(lib, "cuModuleLoadData");
    *(void **)&function = dlsym(lib, "cuModuleGetFunction");
    *(void **)&launch = dlsym(lib, "cuLaunchKernel");
    *(void **)&alloc = dlsym(lib, "cuMemAlloc_v2");
    *(void **)&set = dlsym(lib, "cuMemsetD8_v2");
    CHECK(!init(0) && !retain(&context, 0) && !current(context) && !load(&module, b200 ? ptx_b200 : ptx),
          "the module is not loaded");
    if (b200) {
        /* products: 64 cycles each; of shared memory 32 of A, but twice, and 32 of B, and one load of a word */
        l = run("mma", 1, 32, 0);
        IS(l, "Tensor Cores", 4 * 64);
        IS(l, "shared memory", 2 * 32 + 4 * 32 + 1);
        return test_end();
    }
    CHECK(!alloc(&memory, 16384) && !set(memory, 0, 16384), "no memory");

    /* a warp on each scheduler: 64 slots, 64 cycles of the pipe */
    l = run("fma", 1, 128, 0);
    IS(l, "cycles", START + 64);
    IS(l, "FMA pipe", 64);
    IS(l, "issue slots", 64);
    IS(l, "ALU pipe", 0);
    /* two on each */
    l = run("fma", 1, 256, 0);
    IS(l, "cycles", START + 2 * 64);
    IS(l, "FMA pipe", 2 * 64);
    /* 132 multiprocessors, 16 blocks of 128 threads on each, twice */
    l = run("fma", 132 * 16 * 2, 128, 0);
    IS(l, "waves", 2);
    IS(l, "cycles", START + 16 * 64);
    CHECK(number(l, "seconds") * 1e9 > (START + 2 * 16 * 64) / ghz - 1
          && number(l, "seconds") * 1e9 < (START + 2 * 16 * 64) / ghz + 1, "seconds: %g", number(l, "seconds"));

    /* 16 exponentials of 8 cycles */
    l = run("ex2", 1, 32, 0);
    IS(l, "special functions", 16 * 8);
    IS(l, "cycles", START + 16 * 8);

    /* warp 1: setp and 64 FMAs, arrival; both go on 30 later, with one slot for the barrier */
    l = run("meet", 1, 64, 0);
    IS(l, "cycles", START + 65 + SYNC + 1);

    /* ld, add, init: 3 slots; arrive 1; the load: 16384 / 64 cycles and the latency; try_wait 1 */
    l = run("bulk", 1, 1, (void *[]){&memory});
    IS(l, "cycles", START + 3 + 1 + 16384 / 64 + LOAD + 1);
    IS(l, "from the L2", 16384 / 64);
    IS(l, "shared memory", 16384 / 128);

    /* A quarter of m64n8k16: 16 x 8 x 16 x 2 / 1024 = 4 cycles of its Tensor Core; of shared memory 512 bytes of A and
     * a fourth of B's 256, at 128 a cycle for all four warps: 4.5 of them, 18 in all, which is what counts. One slot
     * for the fence, 16 products, 30 to see the last, a slot for the wait. */
    l = run("wgmma", 1, 128, 0);
    IS(l, "Tensor Cores", 16 * 4);
    IS(l, "shared memory", 16 * 18);
    IS(l, "cycles", START + 1 + 16 * 18 + SYNC + 1);
    IS(l, "flops", 16. * 64 * 8 * 16 * 2);
    return test_end();
}
